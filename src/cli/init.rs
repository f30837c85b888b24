//! `gatewright init`: a starting `gatewright.toml` from what lies in the repository.
//!
//! Files are recognised by their content, not by their name alone: a framework has lenses, a
//! ledger has findings, a blueprint has screens, a scorecard's front matter names persona and run.
//! What is written runs as it stands: a glob is used only where it matches nothing else, an option
//! names only files that are there.

use super::kinds::{self, Kind};
use super::run::plan;
use super::{Answer, Context, ledger_check, shims};
use crate::error::{Error, Reason};
use crate::files;
use crate::finding::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Larger files are not looked into.
const LARGEST_BYTES: u64 = 64 * 1024 * 1024;
/// Files of one kind beyond this are written as a glob even when their names differ.
const MOST_LISTED: usize = 12;
const NAME: &str = "gatewright.toml";
/// The artifact that the scorecards of a run folder are about.
const ARTIFACT: &str = "INPUT.md";

/// Names of files that are told when they are no JSON: nothing else would say that they are not checked.
const TOLD_WHEN_BROKEN: [&str; 5] = [
    "blueprint.json",
    "families.json",
    "findings.json",
    "framework.json",
    "manifest.json",
];

/// Write a starting gatewright.toml by looking at the repository.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The repository; the current folder when absent.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Overwrite a configuration that is there.
    #[arg(long)]
    force: bool,
    /// Print the configuration instead of writing it.
    #[arg(long)]
    print: bool,
}

/// What was found. Paths are relative to the repository, with `/`.
#[derive(Debug, Default)]
struct Found {
    /// Every file that a glob could match.
    files: BTreeSet<String>,
    frameworks: BTreeSet<String>,
    has_approved: bool,
    /// Findings ledgers, by the files that belong to them.
    ledgers: BTreeMap<Companions, BTreeSet<String>>,
    /// Findings ledgers without the manifest or framework that a count needs.
    lone_ledgers: BTreeSet<String>,
    /// Folders of runs whose documents lie where they are looked for.
    checked: BTreeSet<String>,
    /// Folders of runs that cannot be checked as they lie there, and why.
    unchecked: BTreeMap<String, String>,
    /// Files whose name says what they should be and whose content is no JSON, and why.
    broken: BTreeMap<String, String>,
    blueprints: BTreeSet<String>,
    assessments: BTreeSet<String>,
    /// Folders of an artifact and its scorecards.
    runs: BTreeSet<String>,
    /// Scorecards without an artifact beside them.
    lone_cards: BTreeSet<String>,
    /// Scripts that an entry script could replace: folder to names.
    scripts: BTreeMap<String, BTreeSet<String>>,
}

/// What `ledger reconcile` reads besides a ledger, as option values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Companions {
    framework: String,
    has_families: bool,
}

/// Write the configuration.
///
/// # Errors
/// When there is one already, the folder cannot be searched or the file not written.
pub fn run(arguments: &Arguments, _: &Context<'_>) -> Result<Answer, Error> {
    let root = arguments.folder.clone().unwrap_or_default();
    let target = root.join(NAME);
    let found = look(&root)?;
    let text = configuration(&found);
    if arguments.print {
        return Ok(Answer::text(text));
    }
    let name = target.display().to_string();
    let written = if arguments.force {
        files::write_atomic(&target, text.as_bytes()).map(|()| true)
    } else {
        files::write_new(&target, text.as_bytes())
    };
    match written {
        Ok(true) => Ok(Answer::text(told(&found, &root, &target))),
        Ok(false) => Err(Error::Write {
            name,
            reason: "it exists already; --force overwrites it, --print shows what would be written"
                .into(),
        }),
        Err(error) => Err(Error::Write {
            reason: (&error).into(),
            name,
        }),
    }
}

/// What happened, and what to do next.
fn told(found: &Found, root: &Path, target: &Path) -> String {
    let mut out = format!("written {}\n", target.display());
    let ledgers = found.ledgers.values().map(BTreeSet::len).sum();
    for (count, noun, more) in [
        (found.frameworks.len(), "framework", ""),
        (ledgers, "findings ledger", ""),
        (found.blueprints.len(), "blueprint", ""),
        (found.runs.len(), "run folder", " with scorecards"),
    ] {
        if count > 0 {
            let _ = writeln!(out, "found {}{more}", counted(count, noun));
        }
    }
    for (file, reason) in &found.broken {
        let _ = writeln!(out, "not listed: {file} is no JSON: {reason}");
    }
    for (folder, reason) in &found.unchecked {
        let folder = if folder.is_empty() { "." } else { folder };
        let _ = writeln!(
            out,
            "not listed: ledger check of {folder}: {reason}; with the documents at hand: gatewright ledger check {} --room DIR",
            shown(root, folder)
        );
    }
    for ledger in &found.lone_ledgers {
        let _ = writeln!(
            out,
            "not listed: {ledger} has no manifest.json beside it, or no framework is known for it"
        );
    }
    for card in &found.lone_cards {
        let _ = writeln!(
            out,
            "not listed: the scorecard {card} has no {ARTIFACT} beside it; name its artifact: gatewright scorecard check --source FILE {}",
            shown(root, card)
        );
    }
    for assessment in &found.assessments {
        let _ = writeln!(
            out,
            "not listed: {assessment} needs the hash of its draft: gatewright blueprint verdict {} --draft-hash HEX",
            shown(root, assessment)
        );
    }
    for (folder, names) in &found.scripts {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let folder = if folder.is_empty() { "." } else { folder };
        let _ = writeln!(
            out,
            "{folder}/ holds {} that gatewright can replace: gatewright shims --force {} {}",
            counted(names.len(), "script"),
            shown(root, folder),
            names.join(" ")
        );
    }
    if found.is_empty() {
        out.push_str("nothing was recognised; the file holds an example to fill in\n");
    } else if root.as_os_str().is_empty() {
        out.push_str("next: gatewright run\n");
    } else {
        let _ = writeln!(
            out,
            "next: gatewright run {}",
            super::status::quoted(target)
        );
    }
    out
}

/// A path of the repository as a word of a command line that is typed here.
fn shown(root: &Path, relative: &str) -> String {
    super::status::quoted(&root.join(relative))
}

impl Found {
    fn is_empty(&self) -> bool {
        self.frameworks.is_empty()
            && self.ledgers.is_empty()
            && self.blueprints.is_empty()
            && self.runs.is_empty()
    }
}

/// Folder and name of a relative path; the folder of a file at the top is empty.
fn parts(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// `name` in `folder`.
fn within(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}

/// Walk the repository and recognise files.
fn look(root: &Path) -> Result<Found, Error> {
    let mut found = Found {
        files: plan::searched(plan::Root {
            folder: root,
            respects_gitignore: true,
        })?
        .into_iter()
        .collect(),
        ..Found::default()
    };
    let mut ledgers = BTreeSet::new();
    let mut cards = BTreeSet::new();
    for relative in found.files.clone() {
        let path = root.join(&relative);
        let (folder, name) = parts(&relative);
        if shims::SHIMS.iter().any(|(script, _)| *script == name) {
            if files::read(&path).is_ok_and(|bytes| !shims::is_ours(&bytes)) {
                let names = found.scripts.entry(folder.to_owned()).or_default();
                names.insert(name.to_owned());
            }
            continue;
        }
        let is_small = path
            .metadata()
            .is_ok_and(|about| about.is_file() && about.len() <= LARGEST_BYTES);
        if !is_small {
            continue;
        }
        let Ok(bytes) = files::read(&path) else {
            continue;
        };
        match kinds::kind(&path, &bytes).filter(|_| path.extension().is_some()) {
            Some(Kind::Framework { is_approved }) => {
                found.has_approved |= is_approved;
                found.frameworks.insert(relative);
            }
            Some(Kind::Ledger) => {
                ledgers.insert(relative);
            }
            Some(Kind::Blueprint) => {
                found.blueprints.insert(relative);
            }
            Some(Kind::Assessment) => {
                found.assessments.insert(relative);
            }
            Some(Kind::Scorecard) => {
                cards.insert(relative);
            }
            None if TOLD_WHEN_BROKEN.contains(&name) => {
                if let Some(reason) = why_no_json(&bytes) {
                    found.broken.insert(relative, reason);
                }
            }
            None => {}
        }
    }
    for ledger in ledgers {
        let folder = parts(&ledger).0;
        if found.files.contains(&within(folder, "manifest.json"))
            && found.files.contains(&within(folder, "framework.json"))
        {
            let mut run = root.join(folder);
            if run.as_os_str().is_empty() {
                run.push(".");
            }
            match ledger_check::is_checkable(&run) {
                Ok(()) => {
                    found.checked.insert(folder.to_owned());
                }
                Err(reason) => {
                    found.unchecked.insert(folder.to_owned(), reason);
                }
            }
        }
        match companions(&found, parts(&ledger).0) {
            Some(companions) => {
                found.ledgers.entry(companions).or_default().insert(ledger);
            }
            None => {
                found.lone_ledgers.insert(ledger);
            }
        }
    }
    for card in cards {
        let folder = parts(&card).0;
        // The top itself is no folder that a configuration can name.
        if !folder.is_empty() && found.files.contains(&within(folder, ARTIFACT)) {
            found.runs.insert(folder.to_owned());
        } else {
            found.lone_cards.insert(card);
        }
    }
    Ok(found)
}

/// Why `bytes` are no JSON, when they are none.
fn why_no_json(bytes: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(fault) => return Some(Reason::encoding(fault, bytes).to_string()),
    };
    let fault = crate::value::json::parse(text).err()?;
    Some(Reason::syntax(fault, text).to_string())
}

/// What lies beside the ledger in `folder`: a manifest, and a framework there or else the only one
/// of the repository.
fn companions(found: &Found, folder: &str) -> Option<Companions> {
    let beside = |name: &str| found.files.contains(&within(folder, name));
    if !beside("manifest.json") {
        return None;
    }
    let framework = if beside("framework.json") {
        "{dir}/framework.json".to_owned()
    } else {
        let mut named = found
            .frameworks
            .iter()
            .filter(|path| parts(path).1 == "framework.json");
        let only = named.next()?;
        // Braces would be read as placeholders.
        if named.next().is_some() || only.contains('{') {
            return None;
        }
        only.clone()
    };
    Some(Companions {
        framework,
        has_families: beside("families.json"),
    })
}

/// The configuration's text.
fn configuration(found: &Found) -> String {
    let mut out = String::from(
        "# Gates of this repository; `gatewright run` runs them all.\n# Keys: gatewright's documentation, page \"Run all gates\".\n",
    );
    if !found.frameworks.is_empty() {
        entry(
            &mut out,
            "framework check",
            &inputs(&found.frameworks, &found.files),
        );
        if found.has_approved {
            out.push_str(
                "# An approved framework may be marked so.\noptions = { allow-approved = true }\n",
            );
        }
    }
    for (companions, ledgers) in &found.ledgers {
        // A glob might match the ledgers of another entry.
        let listed: Vec<String> = if found.ledgers.len() == 1 {
            inputs(ledgers, &found.files)
        } else {
            ledgers.iter().map(|path| literal(path)).collect()
        };
        entry(&mut out, "ledger reconcile", &listed);
        let _ = write!(
            out,
            "options = {{ findings = \"{{input}}\", manifest = \"{{dir}}/manifest.json\", framework = {}",
            quoted(&companions.framework)
        );
        if companions.has_families {
            out.push_str(", families = \"{dir}/families.json\"");
        }
        out.push_str(" }\n");
    }
    if !found.checked.is_empty() {
        let folders: Vec<String> = found
            .checked
            .iter()
            .map(|folder| match folder.as_str() {
                "" => ".".to_owned(),
                folder => literal(folder) + "/",
            })
            .collect();
        entry(&mut out, "ledger check", &folders);
    }
    if !found.blueprints.is_empty() {
        entry(
            &mut out,
            "blueprint recount",
            &inputs(&found.blueprints, &found.files),
        );
    }
    if !found.runs.is_empty() {
        entry(
            &mut out,
            "scorecard check",
            &run_inputs(&found.runs, &found.files),
        );
    }
    if found.is_empty() {
        out.push_str(
            "\n# [[gate]]\n# gate = \"framework check\"\n# inputs = [\"**/framework.json\"]\n",
        );
    }
    out
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn entry(out: &mut String, gate: &str, inputs: &[String]) {
    let listed: Vec<String> = inputs.iter().map(|input| quoted(input)).collect();
    let _ = writeln!(
        out,
        "\n[[gate]]\ngate = \"{gate}\"\ninputs = [{}]",
        listed.join(", ")
    );
}

/// The paths themselves while they are few, else globs that match no other file of `files`.
fn inputs(paths: &BTreeSet<String>, files: &BTreeSet<String>) -> Vec<String> {
    let names: BTreeSet<&str> = paths.iter().map(|path| parts(path).1).collect();
    if let Some(name) = names.first()
        && names.len() == 1
        && paths.len() > 1
        && files
            .iter()
            .all(|path| parts(path).1 != *name || paths.contains(path))
    {
        return vec![format!("**/{}", literal(name))];
    }
    if paths.len() <= MOST_LISTED {
        return paths.iter().map(|path| literal(path)).collect();
    }
    let mut by_folder: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in paths {
        let (folder, name) = parts(path);
        by_folder.entry(folder).or_default().push(name);
    }
    let mut listed = Vec::new();
    for (folder, names) in by_folder {
        let endings: BTreeSet<&str> = names
            .iter()
            .filter_map(|name| name.rsplit_once('.').map(|(_, ending)| ending))
            .collect();
        let fits = |path: &str| {
            let (of_folder, name) = parts(path);
            of_folder == folder
                && name
                    .rsplit_once('.')
                    .is_some_and(|(_, ending)| endings.contains(ending))
        };
        if names.len() > 1 && files.iter().all(|path| !fits(path) || paths.contains(path)) {
            listed.extend(
                endings
                    .iter()
                    .map(|ending| literal(&within(folder, "")) + &format!("*.{}", literal(ending))),
            );
        } else {
            listed.extend(names.iter().map(|name| literal(&within(folder, name))));
        }
    }
    listed
}

/// Run folders, or the folder above several: then runs to come are checked too. Not when a folder
/// among them is still without a scorecard.
fn run_inputs(runs: &BTreeSet<String>, files: &BTreeSet<String>) -> Vec<String> {
    let artifacts: BTreeSet<&str> = files
        .iter()
        .map(|path| parts(path))
        .filter(|(_, name)| *name == ARTIFACT)
        .map(|(folder, _)| folder)
        .collect();
    let mut by_folder: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for run in runs {
        by_folder.entry(parts(run).0).or_default().push(run);
    }
    let mut listed = Vec::new();
    for (above, below) in by_folder {
        let is_whole = artifacts
            .iter()
            .all(|folder| parts(folder).0 != above || folder.is_empty() || runs.contains(*folder));
        if below.len() > 1 && is_whole && !above.is_empty() && !artifacts.contains(above) {
            listed.push(literal(above) + "/");
        } else {
            listed.extend(below.iter().map(|run| literal(run) + "/"));
        }
    }
    listed
}

/// `path` as a glob that matches it alone.
fn literal(path: &str) -> String {
    globset::escape(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(paths: &[&str]) -> BTreeSet<String> {
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    #[test]
    fn few_paths_are_listed_and_equal_names_become_a_glob() {
        let alone = |paths: &[&str]| inputs(&set(paths), &set(paths));
        assert_eq!(alone(&["a/framework.json"]), ["a/framework.json"]);
        assert_eq!(alone(&["a/x.json", "b/x.json"]), ["**/x.json"]);
        assert_eq!(alone(&["a/x.json", "b/y.json"]), ["a/x.json", "b/y.json"]);
        assert_eq!(alone(&["a[1].json"]), ["a[[]1[]].json"]);
    }

    #[test]
    fn a_glob_matches_what_was_recognised_and_nothing_else() {
        let paths = set(&["a/x.json", "b/x.json"]);
        let mut files = paths.clone();
        files.insert("c/x.json".to_owned());
        assert_eq!(inputs(&paths, &files), ["a/x.json", "b/x.json"]);
        let many: BTreeSet<String> = (0..20).map(|n| format!("drafts/{n}.json")).collect();
        assert_eq!(inputs(&many, &many), ["drafts/*.json"]);
        let top: BTreeSet<String> = (0..20).map(|n| format!("{n}.json")).collect();
        assert_eq!(inputs(&top, &top), ["*.json"]);
        let mut files = many.clone();
        files.insert("drafts/other.json".to_owned());
        assert_eq!(inputs(&many, &files).len(), 20);
    }

    #[test]
    fn run_folders_are_named_by_the_folder_above_when_all_of_them_are_runs() {
        let runs = set(&["council/r1", "council/r2"]);
        let mut files = set(&[
            "council/r1/INPUT.md",
            "council/r2/INPUT.md",
            "council/x/a.md",
        ]);
        assert_eq!(run_inputs(&runs, &files), ["council/"]);
        assert_eq!(run_inputs(&set(&["council/r1"]), &files), ["council/r1/"]);
        files.insert("council/r3/INPUT.md".to_owned());
        assert_eq!(run_inputs(&runs, &files), ["council/r1/", "council/r2/"]);
    }
}
