//! `gatewright init`: a starting `gatewright.toml` from what lies in the repository.
//!
//! Files are recognised by their content, not by their name alone: a framework has lenses, a
//! ledger has findings and its companions beside it, a blueprint has screens. Only gates that this
//! version has are written.

use super::run::{gate_names, plan};
use super::{Answer, Context, shims};
use crate::error::Error;
use crate::files;
use crate::finding::counted;
use crate::value::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Larger files are not looked into.
const LARGEST_BYTES: u64 = 64 * 1024 * 1024;
/// Files of one kind beyond this are written as a glob even when their names differ.
const MOST_LISTED: usize = 12;
const NAME: &str = "gatewright.toml";

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

/// What was found.
#[derive(Debug, Default)]
struct Found {
    frameworks: BTreeSet<String>,
    has_approved: bool,
    /// Folders that hold findings.json, manifest.json and framework.json.
    ledgers: BTreeSet<String>,
    has_families: bool,
    blueprints: BTreeSet<String>,
    scorecards: BTreeSet<String>,
    /// Scripts that an entry script could replace: folder to names.
    scripts: BTreeMap<String, BTreeSet<String>>,
}

/// Write the configuration.
///
/// # Errors
/// When there is one already, the folder cannot be searched or the file not written.
pub fn run(arguments: &Arguments, _: &Context<'_>) -> Result<Answer, Error> {
    let root = arguments
        .folder
        .clone()
        .unwrap_or_else(|| PathBuf::from("."));
    let target = if arguments.folder.is_some() {
        root.join(NAME)
    } else {
        PathBuf::from(NAME)
    };
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
        Ok(true) => Ok(Answer::text(told(&found, &name))),
        Ok(false) => Err(Error::Write {
            name,
            reason: "it exists already; --force overwrites it, --print shows what would be written"
                .to_owned(),
        }),
        Err(error) => Err(Error::Write {
            reason: crate::pytext::os_error(&error, &name),
            name,
        }),
    }
}

/// What happened, and what to do next.
fn told(found: &Found, name: &str) -> String {
    let mut out = format!("written {name}\n");
    for (count, noun) in [
        (found.frameworks.len(), "framework"),
        (found.ledgers.len(), "findings ledger"),
        (found.blueprints.len(), "blueprint"),
        (found.scorecards.len(), "scorecard"),
    ] {
        if count > 0 {
            let _ = writeln!(out, "found {}", counted(count, noun));
        }
    }
    for (folder, names) in &found.scripts {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let _ = writeln!(
            out,
            "{folder}/ holds {} that gatewright can replace: gatewright shims --force {folder} {}",
            counted(names.len(), "script"),
            names.join(" ")
        );
    }
    out.push_str(if found.is_empty() {
        "nothing was recognised; the file holds examples to fill in\n"
    } else {
        "next: gatewright run\n"
    });
    out
}

impl Found {
    fn is_empty(&self) -> bool {
        self.frameworks.is_empty()
            && self.ledgers.is_empty()
            && self.blueprints.is_empty()
            && self.scorecards.is_empty()
    }
}

/// Walk the repository and recognise files.
fn look(root: &Path) -> Result<Found, Error> {
    let mut found = Found::default();
    for relative in plan::searched(root)? {
        let path = root.join(&relative);
        let (folder, name) = relative.rsplit_once('/').unwrap_or(("", &relative));
        let is_script = shims::SHIMS.iter().any(|(script, _)| *script == name);
        if is_script {
            if files::read(&path).is_ok_and(|bytes| !shims::is_ours(&bytes)) {
                let folder = if folder.is_empty() { "." } else { folder };
                found
                    .scripts
                    .entry(folder.to_owned())
                    .or_default()
                    .insert(name.to_owned());
            }
            continue;
        }
        let is_small = path
            .metadata()
            .is_ok_and(|about| about.is_file() && about.len() <= LARGEST_BYTES);
        if !is_small {
            continue;
        }
        if has_ending(&relative, "json") {
            look_into_json(&mut found, root, &relative);
        } else if has_ending(&relative, "md") && is_scorecard(&path) {
            found.scorecards.insert(relative);
        }
    }
    Ok(found)
}

fn look_into_json(found: &mut Found, root: &Path, relative: &str) {
    let Ok(bytes) = files::read(&root.join(relative)) else {
        return;
    };
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return;
    };
    let Ok(Value::Object(object)) = json::parse(text) else {
        return;
    };
    let has = |key: &str| object.get(key).is_some();
    if has("lenses") && has("framework_version") {
        found.frameworks.insert(relative.to_owned());
        found.has_approved |= matches!(object.get("approved"), Some(Value::Bool(true)));
    } else if has("screens") && has("design_tokens") {
        found.blueprints.insert(relative.to_owned());
    } else if has("findings") && has("framework_version") && relative.ends_with("findings.json") {
        let folder = relative.strip_suffix("findings.json").unwrap_or_default();
        if !(folder.is_empty() || folder.ends_with('/')) {
            return;
        }
        let beside = |name: &str| root.join(format!("{folder}{name}")).is_file();
        if beside("manifest.json") && beside("framework.json") {
            found.ledgers.insert(folder.to_owned());
            found.has_families |= beside("families.json");
        }
    }
}

fn has_ending(path: &str, ending: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

/// Whether a Markdown file opens with front matter that names a persona and a run.
fn is_scorecard(path: &Path) -> bool {
    let Ok(bytes) = files::read(path) else {
        return false;
    };
    let text = String::from_utf8_lossy(&bytes);
    let Some(rest) = text.strip_prefix("---\n") else {
        return false;
    };
    let head = rest.split("\n---").next().unwrap_or_default();
    ["persona:", "run_id:", "findings:"]
        .iter()
        .all(|key| head.lines().any(|line| line.starts_with(key)))
}

/// The configuration's text.
fn configuration(found: &Found) -> String {
    let gates = gate_names();
    let has = |gate: &str| gates.iter().any(|name| name == gate);
    let mut out = String::from(
        "# Gates of this repository; `gatewright run` runs them all.\n# Keys: gatewright's documentation, page \"Run all gates\".\n",
    );
    if !found.frameworks.is_empty() && has("framework check") {
        entry(&mut out, "framework check", &inputs(&found.frameworks));
        if found.has_approved {
            out.push_str(
                "# An approved framework may be marked so.\noptions = { allow-approved = true }\n",
            );
        }
    }
    if !found.ledgers.is_empty() && has("ledger reconcile") {
        let findings: BTreeSet<String> = found
            .ledgers
            .iter()
            .map(|folder| format!("{folder}findings.json"))
            .collect();
        entry(&mut out, "ledger reconcile", &inputs(&findings));
        out.push_str(
            "options = { findings = \"{input}\", manifest = \"{dir}/manifest.json\", framework = \"{dir}/framework.json\"",
        );
        if found.has_families {
            out.push_str(", families = \"{dir}/families.json\"");
        }
        out.push_str(" }\n");
    }
    if !found.blueprints.is_empty() && has("blueprint recount") {
        entry(&mut out, "blueprint recount", &inputs(&found.blueprints));
    }
    if !found.scorecards.is_empty() && has("scorecard check") {
        entry(&mut out, "scorecard check", &inputs(&found.scorecards));
    }
    if found.is_empty() {
        out.push_str(
            "\n# [[gate]]\n# gate = \"framework check\"\n# inputs = [\"**/framework.json\"]\n",
        );
    }
    out
}

fn entry(out: &mut String, gate: &str, inputs: &[String]) {
    let listed: Vec<String> = inputs
        .iter()
        .map(|input| toml::Value::String(input.clone()).to_string())
        .collect();
    let _ = writeln!(
        out,
        "\n[[gate]]\ngate = \"{gate}\"\ninputs = [{}]",
        listed.join(", ")
    );
}

/// The paths themselves while they are few, else a glob for each file name.
fn inputs(paths: &BTreeSet<String>) -> Vec<String> {
    let names: BTreeSet<&str> = paths
        .iter()
        .map(|path| path.rsplit('/').next().unwrap_or(path))
        .collect();
    if paths.len() > 1 && names.len() == 1 {
        return names
            .iter()
            .map(|name| format!("**/{}", literal(name)))
            .collect();
    }
    if paths.len() <= MOST_LISTED {
        return paths.iter().map(|path| literal(path)).collect();
    }
    let folders: BTreeSet<String> = paths
        .iter()
        .map(|path| {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let ending = name.rsplit('.').next().unwrap_or("*");
            let folder = literal(folder);
            if folder.is_empty() {
                format!("*.{ending}")
            } else {
                format!("{folder}/*.{ending}")
            }
        })
        .collect();
    folders.into_iter().collect()
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
        assert_eq!(inputs(&set(&["a/framework.json"])), ["a/framework.json"]);
        assert_eq!(inputs(&set(&["a/x.json", "b/x.json"])), ["**/x.json"]);
        assert_eq!(
            inputs(&set(&["a/x.json", "b/y.json"])),
            ["a/x.json", "b/y.json"]
        );
        let many: BTreeSet<String> = (0..20).map(|n| format!("cards/{n}.md")).collect();
        assert_eq!(inputs(&many), ["cards/*.md"]);
        assert_eq!(inputs(&set(&["a[1].json"])), ["a[[]1[]].json"]);
    }
}
