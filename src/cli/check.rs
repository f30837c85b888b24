//! `gatewright check FILE...`: the gates that concern a file, whichever they are.
//!
//! In: files, or `-` for standard input. A file that a configuration's gates look at is judged by them, as in a
//! run; any other by the gate of its kind ([`super::kinds`]). Out: outcomes. A file that no gate knows is one
//! that could not be checked.

use super::kinds::{Kind, kind};
use super::run::{self, Opened, choices, plan::Job};
use super::watch::Watched;
use super::{Answer, Context, fix};
use crate::error::Error;
use crate::files;
use crate::outcome::{Outcome, Verdict};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// What standard input is called on the command line.
const STDIN: &str = "-";

/// Check files with the gates that concern them.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Files of any kind that gatewright knows; `-` is standard input.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Go by the kind of each file alone, whatever a configuration says.
    #[arg(long)]
    no_config: bool,
    /// First mend what is mechanical in findings ledgers: the form of `finding_id`, members and findings
    /// that stand twice alike. Tells what it changed; touches nothing that decides.
    #[arg(long)]
    fix: bool,
    /// Check again whenever one of the files, or a file that decides with it, changes; Ctrl-C ends.
    #[arg(long, conflicts_with = "fix")]
    watch: bool,
    #[command(flatten)]
    trust: run::Trust,
    #[command(flatten)]
    choices: choices::RuleOptions,
}

impl Arguments {
    /// Whether the check goes on; standard input can be read only once.
    pub fn is_watching(&self) -> bool {
        self.watch && !self.has_stdin()
    }

    fn has_stdin(&self) -> bool {
        self.files.iter().any(|file| file == Path::new(STDIN))
    }
}

/// What decides a check: the files, and what the gates of a configuration look at besides.
pub fn watched(arguments: &Arguments) -> Watched {
    let mut out = Watched {
        paths: arguments.files.clone(),
        names: Vec::new(),
    };
    for file in &arguments.files {
        // Companions of a file that is judged by its kind.
        let others = [
            "manifest.json",
            "framework.json",
            "families.json",
            "INPUT.md",
        ];
        out.paths
            .extend(others.iter().map(|name| file.with_file_name(name)));
        let Some(path) = configuration_of(file).filter(|_| !arguments.no_config) else {
            continue;
        };
        if let Ok(opened) = Opened::at(Some(&path), arguments.trust)
            && let Ok(found) = concerned(&opened, &[file])
        {
            out.paths
                .extend(found.jobs.into_iter().flat_map(|job| job.paths));
        }
        out.paths.push(path);
    }
    out
}

/// Check the files.
///
/// # Errors
/// When a file cannot be read, its kind is not known, or a configuration is faulty.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    if arguments.has_stdin() && (arguments.fix || arguments.watch) {
        return Err(Error::Usage(
            "standard input can be checked once, not mended or watched; name a file".to_owned(),
        ));
    }
    let mut notes = Vec::new();
    if arguments.fix {
        for file in &arguments.files {
            notes.extend(fix::file(file)?);
        }
    }
    let mut outcomes = Vec::new();
    // One configuration is read once, whatever the number of its files.
    let mut by_configuration: BTreeMap<PathBuf, Vec<&Path>> = BTreeMap::new();
    let mut alone: Vec<&Path> = Vec::new();
    for file in &arguments.files {
        match configuration_of(file).filter(|_| !arguments.no_config) {
            Some(path) => by_configuration.entry(path).or_default().push(file),
            None => alone.push(file),
        }
    }
    for (path, files) in by_configuration {
        let opened = Opened::at(Some(&path), arguments.trust)?;
        let found = concerned(&opened, &files)?;
        let choices = opened.choices(&arguments.choices)?;
        let (mut judged, _) = run::all(&found.jobs, None, None, false, context)?;
        for file in found.unknown {
            judged.extend(by_kind(file, context)?);
        }
        choices.apply(&mut judged);
        outcomes.extend(judged);
    }
    let choices = choices::Choices::of_options(&arguments.choices)?;
    for file in alone {
        let mut judged = by_kind(file, context)?;
        choices.apply(&mut judged);
        outcomes.extend(judged);
    }
    Ok(if notes.is_empty() {
        Answer::Outcomes(outcomes)
    } else {
        Answer::Run {
            outcomes,
            note: Some(notes.join("\n")),
        }
    })
}

/// The configuration nearest to `file`, if there is one; standard input has none.
fn configuration_of(file: &Path) -> Option<PathBuf> {
    if file == Path::new(STDIN) {
        return None;
    }
    run::discovered(whole(file).parent()?).ok()
}

/// The jobs of a configuration that concern some files.
pub(super) struct Concerned<'f> {
    /// The jobs, in the order of the configuration.
    pub(super) jobs: Vec<Job>,
    /// Files that none of them looks at.
    pub(super) unknown: Vec<&'f Path>,
}

/// The jobs of `opened` that look at one of `files`: as an input, in an option, or among `depends`.
pub(super) fn concerned<'f>(opened: &Opened, files: &[&'f Path]) -> Result<Concerned<'f>, Error> {
    let wanted: Vec<(PathBuf, &Path)> = files.iter().map(|file| (whole(file), *file)).collect();
    let mut is_known = vec![false; wanted.len()];
    let mut jobs = opened.jobs_so_far()?;
    jobs.retain(|job| {
        let paths: Vec<PathBuf> = job.paths.iter().map(|path| whole(path)).collect();
        let mut concerns = false;
        for ((file, _), known) in wanted.iter().zip(&mut is_known) {
            if paths.iter().any(|path| file.starts_with(path)) {
                *known = true;
                concerns = true;
            }
        }
        concerns
    });
    let unknown = wanted
        .into_iter()
        .zip(is_known)
        .filter(|(_, known)| !known)
        .map(|((_, file), _)| file)
        .collect();
    Ok(Concerned { jobs, unknown })
}

/// `path` from the root, without `.` and `..`, links left as they are.
fn whole(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in PathBuf::from(files::current_folder())
        .join(path)
        .components()
    {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}

/// The outcomes of the gate for the kind of `file`.
fn by_kind(file: &Path, context: &Context<'_>) -> Result<Vec<Outcome>, Error> {
    if file == Path::new(STDIN) {
        return standard_input(context);
    }
    let name = file.display().to_string();
    let bytes = files::read(file).map_err(|fault| Error::Read {
        kind: "file",
        reason: (&fault).into(),
        name: name.clone(),
    })?;
    let words = words(file, &bytes, &name)?;
    outcomes(&words, context)
}

/// Gates read files: what comes through the pipe is put into one, and called `-` in the outcome.
fn standard_input(context: &Context<'_>) -> Result<Vec<Outcome>, Error> {
    let failed = |fault: std::io::Error| Error::Read {
        kind: "file",
        name: STDIN.to_owned(),
        reason: fault.into(),
    };
    let bytes = context.world.standard_input().map_err(failed)?;
    let folder = tempfile::tempdir().map_err(failed)?;
    let path = folder.path().join("stdin");
    std::fs::write(&path, &bytes).map_err(failed)?;
    let words = words(&path, &bytes, STDIN)?;
    let mut found = outcomes(&words, context)?;
    let shown = path.display().to_string();
    for outcome in &mut found {
        outcome.summary = outcome.summary.replace(&shown, STDIN);
        outcome.subject = outcome.subject.replace(&shown, STDIN);
        for input in &mut outcome.inputs {
            input.name = input.name.replace(&shown, STDIN);
        }
        for finding in &mut outcome.findings {
            for at in std::iter::once(&mut finding.at).chain(&mut finding.related) {
                at.source = at.source.replace(&shown, STDIN);
            }
        }
    }
    Ok(found)
}

/// The command line of the gate for the kind of `file`, which holds `bytes`.
fn words(file: &Path, bytes: &[u8], name: &str) -> Result<Vec<OsString>, Error> {
    let unusable = |reason: String| Error::Unusable {
        name: name.to_owned(),
        path: String::new(),
        reason,
    };
    let beside = |other: &str| {
        let path = file.with_file_name(other);
        path.is_file().then_some(path)
    };
    let mut words: Vec<OsString>;
    match kind(file, bytes) {
        Some(Kind::Framework { is_approved }) => {
            words = vec!["framework".into(), "check".into()];
            if is_approved {
                words.push("--allow-approved".into());
            }
        }
        Some(Kind::Blueprint) => words = vec!["blueprint".into(), "recount".into()],
        Some(Kind::Ledger) => {
            let (Some(manifest), Some(framework)) =
                (beside("manifest.json"), beside("framework.json"))
            else {
                return Err(unusable(
                    "a ledger is held against manifest.json and framework.json beside it, and one is missing; name them: gatewright ledger reconcile --findings FILE --manifest FILE --framework FILE".to_owned(),
                ));
            };
            words = vec!["ledger".into(), "reconcile".into()];
            for (option, path) in [
                ("--manifest", Some(manifest)),
                ("--framework", Some(framework)),
                ("--families", beside("families.json")),
                ("--findings", Some(file.to_owned())),
            ] {
                if let Some(path) = path {
                    words.push(option.into());
                    words.push(path.into());
                }
            }
            return Ok(words);
        }
        Some(Kind::Scorecard) => {
            let Some(source) = beside("INPUT.md") else {
                return Err(unusable(
                    "a scorecard is held against the artifact it judges, and there is no INPUT.md beside it; name it: gatewright scorecard check --source FILE SCORECARD".to_owned(),
                ));
            };
            words = vec!["scorecard".into(), "check".into(), "--source".into()];
            words.push(source.into());
        }
        Some(Kind::Assessment) => {
            return Err(unusable(
                "an assessment is bound to its draft; name the hash: gatewright blueprint verdict FILE --draft-hash HEX".to_owned(),
            ));
        }
        None => {
            return Err(unusable(
                "no gate knows this kind of file; gatewright knows frameworks, findings.json, blueprints and scorecards, and what a gatewright.toml lists".to_owned(),
            ));
        }
    }
    words.push("--".into());
    words.push(file.into());
    Ok(words)
}

fn outcomes(words: &[OsString], context: &Context<'_>) -> Result<Vec<Outcome>, Error> {
    let inner = Context {
        world: context.world,
        // Outcomes are wanted, whatever they are shown as.
        format: crate::report::Format::Json,
        is_colored: false,
        shown: context.shown,
        output: None,
    };
    match super::call(words, &inner)? {
        Answer::Outcomes(outcomes)
        | Answer::Run { outcomes, .. }
        | Answer::Own { outcomes, .. } => Ok(outcomes),
        Answer::Text { .. } => Err(Error::Usage("the gate decided nothing".to_owned())),
    }
}

/// Whether every outcome passed.
pub(super) fn all_passed(outcomes: &[Outcome]) -> bool {
    outcomes
        .iter()
        .all(|outcome| outcome.verdict == Verdict::Passed)
}
