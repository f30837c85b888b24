//! `gatewright run`: every gate that a repository declares, in parallel, with a cache.
//!
//! In: a configuration ([`config`]). It becomes jobs ([`plan`]): command lines of gates, which are
//! then called like any other command. What a job decided is kept ([`cache`]) under a key of
//! everything that decides it. Out: all outcomes in the order of the configuration; a gate that
//! could not run is an outcome of its own, so that every report shows it.

pub mod baseline;
pub mod cache;
pub mod choices;
pub mod config;
pub mod plan;
pub mod secret;

use super::watch::Watched;
use super::{Answer, Context, Terminal};
use crate::error::Error;
use crate::files;
use crate::finding::{Finding, Location};
use crate::gates::rules::COULD_NOT_RUN;
use crate::gates::{GATES, Keeping};
use crate::outcome::{Outcome, Verdict};
use crate::report::{self, Format, Style};
use crate::text::patterns::PatternEngine;
use crate::world::World;
use cache::{Cache, Key};
use clap::ValueEnum as _;
use config::{Config, Place};
use plan::{Job, LeftOut, OnEmpty, Permission};
use rayon::prelude::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Commands of gate groups that decide nothing, so that a configuration cannot name them.
#[cfg(test)]
const NO_GATES: [&str; 3] = ["blueprint explain", "ledger status", "scorecard template"];

/// Environment variables that a gate may look at.
const VARIABLES: [&str; 4] = [
    "LC_ALL",
    "LC_MESSAGES",
    "LANG",
    crate::interpreter::VARIABLE,
];

/// Run the gates that a repository declares.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; without it gatewright.toml or [tool.gatewright] in pyproject.toml, here
    /// or in the nearest folder above.
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Run every gate, whether or not its inputs have changed, and keep nothing.
    #[arg(long)]
    no_cache: bool,
    /// Keep outcomes in this folder instead of the platform's folder for caches.
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache_dir: Option<PathBuf>,
    #[command(flatten)]
    trust: Trust,
    /// List what would be run, one command line each, and run nothing.
    #[arg(long)]
    list: bool,
    /// Gates at once; all cores by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Also write a report of this run, e.g. sarif=gatewright.sarif; may be given several times.
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = report_file)]
    reports: Vec<ReportFile>,
    /// Run only the gates of this name: a name that the configuration gives, or a gate such as
    /// "framework check"; may be given several times.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = crate::cli::completed::gate_names(),
        hide_possible_values = true
    )]
    only: Vec<String>,
    /// Run again whenever a file that decides changes; Ctrl-C ends.
    #[arg(long, conflicts_with = "list")]
    watch: bool,
    #[command(flatten)]
    choices: choices::RuleOptions,
}

impl Arguments {
    /// Whether the run goes on.
    pub fn is_watching(&self) -> bool {
        self.watch
    }
}

/// What a configuration may do besides looking at files.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Trust {
    /// Let the configuration start programs (gate, plugin-root, python) and write outside its folder.
    #[arg(long)]
    allow_programs: bool,
}

/// A report to write besides the one that is printed.
#[derive(Clone, Debug)]
struct ReportFile {
    format: Format,
    file: PathBuf,
}

fn report_file(text: &str) -> Result<ReportFile, String> {
    let (name, file) = text
        .split_once('=')
        .filter(|(_, file)| !file.is_empty())
        .ok_or_else(|| "expected FORMAT=FILE".to_owned())?;
    let format = Format::from_str(name, false).map_err(|_| {
        let names: Vec<String> = Format::value_variants()
            .iter()
            .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
            .collect();
        format!("no format `{name}`; formats are: {}", names.join(", "))
    })?;
    Ok(ReportFile {
        format,
        file: file.into(),
    })
}

/// The gates that a configuration may name, e.g. `framework check`, sorted.
pub fn gate_names() -> impl Iterator<Item = &'static str> {
    GATES.iter().map(|(name, _)| *name)
}

/// Run the gates.
///
/// # Errors
/// When there is no configuration or it is faulty; then nothing is run.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    let mut opened = Opened::at(arguments.config.as_deref(), arguments.trust)?;
    if arguments.list {
        // Nothing is started: it may be looked at before it is trusted.
        opened.permission = Permission::Given;
    }
    let choices = opened.choices(&arguments.choices)?;
    let (jobs, left_out) = opened.jobs(&arguments.only)?;
    if arguments.list {
        return Ok(Answer::text(listed(&jobs)));
    }
    let mut notes = Vec::new();
    // A folder that cannot be used costs time, not the run.
    let cache = if arguments.no_cache {
        None
    } else {
        match Cache::open(&opened.path, arguments.cache_dir.as_deref()) {
            Ok(cache) => Some(cache),
            Err(refusal) => {
                notes.push(format!("nothing is kept for the next run: {}", refusal.0));
                None
            }
        }
    };
    let formats = arguments.reports.iter().map(|report| report.format);
    let shows_sources = formats.chain([context.format]).any(Format::shows_sources);
    let (mut outcomes, unchanged) = all(
        &jobs,
        cache.as_ref(),
        arguments.jobs,
        shows_sources,
        context,
    )?;
    if let Some(cache) = cache {
        cache.save();
    }
    let remainder = choices.apply(&mut outcomes);
    for report in &arguments.reports {
        write_report(report, &outcomes)?;
    }
    notes.extend(left_out.told());
    if unchanged > 0 {
        notes.push(format!(
            "{unchanged} of {} unchanged since an earlier run (--no-cache runs all)",
            crate::finding::counted(jobs.len(), "gate run")
        ));
    }
    // What was not run may hold what was not found.
    if arguments.only.is_empty() {
        notes.extend(choices.told(&remainder));
    }
    Ok(Answer::Run {
        outcomes,
        note: (!notes.is_empty()).then(|| notes.join("\n")),
    })
}

/// What decides a run: the configuration, what its globs choose from, and what its gates look at. Of a
/// configuration that cannot be used, its own file.
pub fn watched(arguments: &Arguments) -> Watched {
    let here = PathBuf::from(files::current_folder());
    let named = arguments.config.clone().or_else(|| discovered(&here).ok());
    let mut out = Watched {
        paths: named
            .clone()
            .map_or_else(|| vec![here.join("gatewright.toml")], |path| vec![path]),
        names: Vec::new(),
    };
    if let Ok(opened) = Opened::at(named.as_deref(), arguments.trust) {
        let root = plan::Root {
            folder: &opened.root,
            respects_gitignore: opened.config.respect_gitignore.unwrap_or(true),
        };
        out.names = plan::searched(root).unwrap_or_default();
        let known = opened.config.baseline.as_ref();
        out.paths
            .extend(known.map(|name| opened.root.join(name.get_ref())));
        let jobs = opened.jobs_so_far().unwrap_or_default();
        out.paths.extend(jobs.into_iter().flat_map(|job| job.paths));
    }
    out
}

/// A configuration as read.
#[derive(Debug)]
pub(super) struct Opened {
    /// Display name of the file.
    pub(super) name: String,
    text: String,
    config: Config,
    path: PathBuf,
    /// Its folder, where paths start; empty for the current one.
    pub(super) root: PathBuf,
    permission: Permission,
}

impl Opened {
    /// The configuration at `path`, or the nearest one.
    ///
    /// # Errors
    /// When there is none, it cannot be read or used, or it belongs to another user.
    pub(super) fn at(path: Option<&Path>, trust: Trust) -> Result<Self, Error> {
        let path = match path {
            Some(path) => path.to_owned(),
            None => discovered(&PathBuf::from(files::current_folder()))?,
        };
        let root = path.parent().unwrap_or(Path::new("")).to_owned();
        let name = path.display().to_string();
        let is_trusted = secret::is_trusted(&path)?;
        if !is_trusted && files::is_foreign(&path) {
            let settings = secret::settings_path().map_or_else(String::new, |path| {
                format!("; to use it, list it under `trusted` in {}", path.display())
            });
            return Err(Error::Unusable {
                name,
                path: String::new(),
                reason: format!("it belongs to another user{settings}"),
            });
        }
        let bytes = files::read(&path).map_err(|error| Error::Read {
            kind: "configuration",
            name: name.clone(),
            reason: (&error).into(),
        })?;
        let text = String::from_utf8(bytes).map_err(|error| Error::Unusable {
            name: name.clone(),
            path: String::new(),
            reason: error.to_string(),
        })?;
        let place = Place {
            name: &name,
            text: &text,
        };
        let config = read(&path, &place)?;
        Ok(Self {
            name,
            text,
            config,
            path,
            root,
            permission: if is_trusted || trust.allow_programs {
                Permission::Given
            } else {
                Permission::Missing
            },
        })
    }

    fn place(&self) -> Place<'_> {
        Place {
            name: &self.name,
            text: &self.text,
        }
    }

    /// The jobs it lists; with names in `only`, those of them.
    ///
    /// # Errors
    /// When it is faulty, lists none, or lists none of a name in `only`.
    pub(super) fn jobs(&self, only: &[String]) -> Result<(Vec<Job>, LeftOut), Error> {
        let (mut jobs, left_out) = self.planned(OnEmpty::Fault)?;
        let is_called =
            |job: &Job, name: &str| job.gate == name || job.name.as_deref() == Some(name);
        if let Some(name) = only
            .iter()
            .find(|name| !jobs.iter().any(|job| is_called(job, name)))
        {
            let names = jobs
                .iter()
                .flat_map(|job| [Some(job.gate.as_str()), job.name.as_deref()])
                .flatten();
            return Err(Error::Usage(format!(
                "`{}` runs nothing called `{}`{}",
                self.name,
                crate::finding::excerpt(name),
                plan::nearest(name, names)
            )));
        }
        if !only.is_empty() {
            jobs.retain(|job| only.iter().any(|name| is_called(job, name)));
        }
        if jobs.is_empty() {
            return Err(Error::Unusable {
                name: self.name.clone(),
                path: String::new(),
                reason:
                    "it lists no gate, so there is nothing to pass; gatewright init writes a start"
                        .to_owned(),
            });
        }
        Ok((jobs, left_out))
    }

    fn planned(&self, on_empty: OnEmpty) -> Result<(Vec<Job>, LeftOut), Error> {
        plan::jobs(
            &self.config,
            &self.place(),
            &self.root,
            on_empty,
            self.permission,
        )
    }

    /// The jobs it lists, also when some of its gates have no input yet.
    ///
    /// # Errors
    /// When it is faulty.
    pub(super) fn jobs_so_far(&self) -> Result<Vec<Job>, Error> {
        self.planned(OnEmpty::Skip).map(|(jobs, _)| jobs)
    }

    /// Its choices and those of a command line.
    ///
    /// # Errors
    /// When a selector means no rule, a glob is none, or the baseline cannot be read.
    pub(super) fn choices(
        &self,
        arguments: &choices::RuleOptions,
    ) -> Result<choices::Choices, Error> {
        choices::Choices::new(&self.config, &self.place(), &self.root, arguments)
    }
}

fn write_report(report: &ReportFile, outcomes: &[Outcome]) -> Result<(), Error> {
    super::outputs::refuse_inputs(&report.file, outcomes)?;
    let style = Style {
        base: files::current_folder(),
        ..Style::default()
    };
    let bytes = report::render(outcomes, report.format, &style)?;
    files::write_atomic(&report.file, &bytes).map_err(|error| {
        let name = report.file.display().to_string();
        Error::Write {
            reason: (&error).into(),
            name,
        }
    })
}

/// `gatewright.toml`, or a `pyproject.toml` with our table, in `start` or the nearest folder above.
pub(super) fn discovered(start: &Path) -> Result<PathBuf, Error> {
    let here = PathBuf::from(files::current_folder());
    for folder in start.ancestors() {
        // Names stay relative where they can, so that reports do.
        let shown = if folder == here {
            Path::new("")
        } else {
            folder
        };
        if folder.join("gatewright.toml").is_file() {
            return Ok(shown.join("gatewright.toml"));
        }
        let project = folder.join("pyproject.toml");
        if let Ok(text) = std::fs::read_to_string(&project)
            && text.contains("tool.gatewright")
        {
            return Ok(shown.join("pyproject.toml"));
        }
    }
    Err(Error::Usage(
        "no gatewright.toml and no [tool.gatewright] in pyproject.toml here or above; gatewright init writes a start".to_owned(),
    ))
}

fn read(path: &Path, place: &Place<'_>) -> Result<Config, Error> {
    if path
        .file_name()
        .is_some_and(|name| name == "pyproject.toml")
    {
        config::parse_project(place)?.ok_or_else(|| Error::Unusable {
            name: place.name.to_owned(),
            path: String::new(),
            reason: "it has no [tool.gatewright]".to_owned(),
        })
    } else {
        config::parse(place)
    }
}

fn listed(jobs: &[Job]) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for job in jobs {
        let words: Vec<String> = job
            .words
            .iter()
            .map(|word| report::text::escaped(&word.to_string_lossy()))
            .collect();
        let _ = writeln!(out, "gatewright {}", words.join(" "));
    }
    out
}

/// The world inside a run: no progress bars within the bar, an interrupt is the run's to notice.
struct Inner<'w> {
    outer: &'w dyn Terminal,
    is_stopped: &'w AtomicBool,
}

impl World for Inner<'_> {
    fn variable(&self, name: &str) -> Option<OsString> {
        self.outer.variable(name)
    }

    fn seconds_since_epoch(&self) -> i64 {
        self.outer.seconds_since_epoch()
    }

    fn is_interrupted(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn pattern_engine(&self) -> &dyn PatternEngine {
        self.outer.pattern_engine()
    }
}

impl Terminal for Inner<'_> {
    fn is_stdout_terminal(&self) -> bool {
        false
    }

    fn is_stderr_terminal(&self) -> bool {
        false
    }

    fn draw(&self, _: &str) {}

    fn show(&self, stdout: &[u8], stderr: &[u8]) -> std::io::Result<()> {
        self.outer.show(stdout, stderr)
    }
}

/// All outcomes in the order of `jobs`, and how many jobs came from the cache.
pub(super) fn all(
    jobs: &[Job],
    cache: Option<&Cache>,
    threads: Option<u16>,
    shows_sources: bool,
    context: &Context<'_>,
) -> Result<(Vec<Outcome>, usize), Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.map_or(0, usize::from))
        // As much as a main thread has: gates walk deeply nested documents.
        .stack_size(16 * 1024 * 1024)
        .build()
        .map_err(|error| Error::Usage(format!("cannot start threads: {error}")))?;
    let is_stopped = AtomicBool::new(false);
    let unchanged = AtomicUsize::new(0);
    let inner = Inner {
        outer: context.world,
        is_stopped: &is_stopped,
    };
    let inner_context = Context {
        world: &inner,
        // Outcomes are wanted, whatever the format they are shown in: as text some gates answer in a
        // form of their own.
        format: if shows_sources {
            Format::Html
        } else {
            Format::Json
        },
        is_colored: false,
        shown: super::Shown::default(),
        output: None,
    };
    let shows_progress = context.world.is_stderr_terminal() && jobs.len() > 1;
    let mut done = 0;
    let (sender, receiver) = mpsc::channel::<()>();
    let outcomes = std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            pool.install(|| {
                jobs.par_iter()
                    .map_with(sender, |sender, job| {
                        let outcomes = if is_stopped.load(Ordering::Relaxed) {
                            Vec::new()
                        } else {
                            one(job, cache, &inner_context, &unchanged)
                        };
                        // Nobody listens any more once the run is interrupted.
                        let _ = sender.send(());
                        outcomes
                    })
                    .collect::<Vec<_>>()
            })
        });
        // The calling thread is the one that may ask for signals.
        loop {
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Ok(()) => {
                    done += 1;
                    if shows_progress {
                        context.world.draw(&progress(done, jobs.len()));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if context.world.is_interrupted() {
                is_stopped.store(true, Ordering::Relaxed);
            }
        }
        worker.join()
    });
    if shows_progress {
        context.world.draw("\r\u{1b}[K");
    }
    match outcomes {
        Ok(outcomes) => Ok((
            outcomes.into_iter().flatten().collect(),
            unchanged.into_inner(),
        )),
        // One faulty gate must not pass for a finished run.
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// The line of progress after `done` of `length` gate runs, drawn over itself.
fn progress(done: usize, length: usize) -> String {
    const CELLS: usize = 30;
    let filled = done.saturating_mul(CELLS) / length.max(1);
    let bar: String = (0..CELLS)
        .map(|cell| if cell < filled { '#' } else { '-' })
        .collect();
    format!("\r[{bar}] {done}/{length} gate runs\u{1b}[K")
}

/// The outcomes of one job, from the cache where nothing that decides has changed.
fn one(
    job: &Job,
    cache: Option<&Cache>,
    context: &Context<'_>,
    unchanged: &AtomicUsize,
) -> Vec<Outcome> {
    let key = cache.and_then(|cache| key(job, cache, context));
    if let (Some(cache), Some(key)) = (cache, &key)
        && let Some(outcomes) = cache.find(key, &job.gate)
    {
        unchanged.fetch_add(1, Ordering::Relaxed);
        return titled(outcomes, job);
    }
    let start = std::time::Instant::now();
    match super::call(&job.words, context) {
        Ok(
            Answer::Outcomes(outcomes)
            | Answer::Run { outcomes, .. }
            | Answer::Own { outcomes, .. },
        ) => {
            if let (Some(cache), Some(key)) = (cache, &key)
                && outcomes
                    .iter()
                    .all(|outcome| outcome.verdict != Verdict::Undecided)
            {
                cache.keep(key, &outcomes);
            }
            let mut outcomes = titled(outcomes, job);
            // A gate that judged several inputs took one time for all.
            if let [outcome] = outcomes.as_mut_slice() {
                outcome.elapsed = Some(start.elapsed());
            }
            outcomes
        }
        Ok(Answer::Text { .. }) => vec![undecided(
            job,
            &format!("`{}` decides nothing, so it is no gate", job.gate),
            Location::default(),
        )],
        Err(error) => vec![undecided(job, &error.to_string(), error.location())],
    }
}

fn key(job: &Job, cache: &Cache, context: &Context<'_>) -> Option<cache::Done> {
    let is_kept = GATES
        .iter()
        .any(|&(name, keeping)| name == job.gate && keeping == Keeping::Kept);
    if !is_kept {
        return None;
    }
    let words = job.words.iter().map(|word| word.as_encoded_bytes());
    let mut key = Key::new(cache.folder(), words);
    // Names are seen from there; a folder that is gone has none.
    let folder = std::env::current_dir().unwrap_or_default();
    key.part(folder.as_os_str().as_encoded_bytes());
    for name in VARIABLES {
        let value = context.world.variable(name).unwrap_or_default();
        key.part(value.as_encoded_bytes());
    }
    key.part(&[u8::from(context.format.shows_sources())]);
    for path in &job.paths {
        key.path(path)?;
    }
    Some(key.done())
}

fn titled(mut outcomes: Vec<Outcome>, job: &Job) -> Vec<Outcome> {
    for outcome in &mut outcomes {
        if outcome.subject.is_empty() {
            outcome.subject.clone_from(&job.subject);
        }
    }
    outcomes
}

fn undecided(job: &Job, message: &str, at: Location) -> Outcome {
    let finding = Finding::new(&COULD_NOT_RUN, at, message);
    let mut outcome = Outcome::from_findings(job.gate.clone(), vec![finding]);
    outcome.verdict = Verdict::Undecided;
    outcome.subject.clone_from(&job.subject);
    "could not run".clone_into(&mut outcome.summary);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_a_gate_group_is_a_gate_or_said_to_be_none() {
        let tree = crate::cli::command();
        let mut commands: Vec<String> = tree
            .get_subcommands()
            .flat_map(|group| {
                let name = group.get_name().to_owned();
                group
                    .get_subcommands()
                    .map(move |command| format!("{name} {}", command.get_name()))
            })
            .collect();
        commands.sort();
        let mut listed: Vec<&str> = gate_names().chain(NO_GATES).collect();
        assert!(GATES.is_sorted_by_key(|(name, _)| *name));
        listed.sort_unstable();
        assert_eq!(commands, listed);
    }

    /// Options of gates that name a file or folder that is only read.
    const READ: [&str; 18] = [
        "attestation",
        "budget",
        "checker-plan",
        "families",
        "findings",
        "framework",
        "gate-result",
        "manifest",
        "personas",
        "plan",
        "prompts",
        "quotes",
        "results",
        "results-dir",
        "room",
        "room-root",
        "schema",
        "source",
    ];

    #[test]
    fn every_path_option_of_a_gate_is_said_to_be_read_written_or_a_program() {
        let tree = crate::cli::command();
        for name in gate_names() {
            let (group, command) = name.split_once(' ').unwrap();
            let group = tree.find_subcommand(group).unwrap();
            let leaf = group.find_subcommand(command).unwrap();
            for arg in leaf.get_arguments().filter(|arg| !arg.is_global_set()) {
                let kind = arg.get_value_parser().type_id();
                let is_path = kind == clap::builder::ValueParser::path_buf().type_id()
                    || kind == clap::builder::ValueParser::os_string().type_id();
                let Some(long) = arg.get_long().filter(|_| is_path) else {
                    continue;
                };
                let is_known = plan::WRITTEN.contains(&long)
                    || plan::PROGRAMS.contains(&long)
                    || READ.contains(&long)
                    || ["draft-hash", "evaluated-at"].contains(&long);
                assert!(is_known, "{name} --{long}");
            }
        }
    }

    #[test]
    fn no_gate_whose_outcome_is_kept_has_an_option_that_writes() {
        for (name, keeping) in GATES {
            let (group, command) = name.split_once(' ').unwrap();
            let tree = crate::cli::command();
            let leaf = tree
                .find_subcommand(group)
                .and_then(|group| group.find_subcommand(command))
                .unwrap();
            let is_pure = leaf
                .get_arguments()
                .filter_map(clap::Arg::get_long)
                .all(|long| {
                    !plan::WRITTEN.contains(&long)
                        && !plan::PROGRAMS.contains(&long)
                        && long != "room-root"
                });
            assert!(is_pure || keeping == Keeping::Never, "{name}");
        }
    }
}
