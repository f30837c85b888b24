//! The `gatewright` command: arguments -> plan -> run -> render -> status.
//!
//! Statuses: 0 every gate passed, 1 findings, 2 could not run. One file per command group; a group
//! reads its inputs, calls pure gates and returns an [`Answer`]. Nothing here prints: the caller
//! writes the [`Completion`].

pub mod blueprint;
pub mod blueprint_assess;
pub mod calibration;
pub mod chain;
pub mod check;
pub mod completed;
pub mod demo;
mod draft_files;
pub mod draft_run;
pub mod evidence;
pub mod explain;
mod fix;
pub mod framework;
pub mod gate_run;
pub mod hook;
pub mod init;
pub mod kinds;
pub mod ledger;
pub mod ledger_check;
pub mod man;
mod outputs;
mod personas;
pub mod progress;
pub mod run;
mod run_folder;
pub mod schema;
pub mod scorecard;
pub mod shims;
pub mod status;
pub mod watch;

use crate::dropin::Completion;
use crate::error::Error;
use crate::files;
use crate::outcome::Outcome;
use crate::report::{self, Format, Style};
pub use crate::world::Terminal;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless the variable `NO_COLOR` is set.
    #[value(help = "On a terminal that can; NO_COLOR and FORCE_COLOR decide for all")]
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Heading of the options that every command has.
const OUTPUT: &str = "Output";

/// Deterministic gates for work written by agents.
///
/// Exit status: 0 every gate passed, 1 findings, 2 could not run.
#[derive(Debug, Parser)]
#[command(
    name = "gatewright",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
struct Arguments {
    /// How to print the result.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t = Format::Text,
        value_name = "FORMAT",
        help_heading = OUTPUT
    )]
    format: Format,
    /// When to use colour.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t = ColorChoice::Auto,
        value_name = "WHEN",
        help_heading = OUTPUT
    )]
    color: ColorChoice,
    /// Write the result to this file, whole or not at all, instead of standard output.
    #[arg(
        long = "output",
        id = "output_file",
        global = true,
        value_name = "FILE",
        help_heading = OUTPUT
    )]
    output: Option<PathBuf>,
    #[command(flatten)]
    shown: Shown,
    #[command(subcommand)]
    command: Command,
}

/// How much of the result is shown; nothing here changes what is decided.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Shown {
    /// Show only what did not pass.
    #[arg(short, long, global = true, help_heading = OUTPUT)]
    pub quiet: bool,
    /// Count the findings by rule instead of listing them (text only).
    #[arg(long, global = true, help_heading = OUTPUT)]
    pub statistics: bool,
    /// Findings of one rule that text and compact list per gate; 0 lists all.
    #[arg(long, global = true, value_name = "N", default_value_t = MOST_PER_RULE, help_heading = OUTPUT)]
    pub max_findings: usize,
    /// Exit with 0 when there are findings; what could not run stays 2.
    #[arg(long, global = true, help_heading = OUTPUT)]
    pub exit_zero: bool,
}

/// More findings of one rule than this are no help to a reader.
const MOST_PER_RULE: usize = 50;

#[derive(Debug, Subcommand)]
enum Command {
    /// Site blueprints: palette recount, verdict, acceptance.
    #[command(subcommand)]
    Blueprint(blueprint::Command),
    /// Check checklist frameworks.
    #[command(subcommand)]
    Framework(framework::Command),
    /// The findings ledger: coverage, quotes, checkers, and the chain from framework to report.
    Ledger(ledger::Arguments),
    /// Look up quotes in a source.
    Evidence(evidence::Arguments),
    /// Scorecards of reviewers.
    Scorecard(scorecard::Arguments),
    /// Check files with the gates that concern them.
    Check(check::Arguments),
    /// Run every gate that a repository declares, in parallel, unchanged ones from a cache.
    Run(run::Arguments),
    /// Accept the findings that are there now, so that only new ones fail a run.
    Baseline(run::baseline::Arguments),
    /// Run the gates that concern the file an agent has just written.
    Hook(hook::Arguments),
    /// Write a starting gatewright.toml by looking at the repository.
    Init(init::Arguments),
    /// Explain a rule: what it checks, why, an example and its repair.
    Explain(explain::Arguments),
    /// Print the JSON Schema of a file, for editors.
    Schema(schema::Arguments),
    /// Run every gate on a bundled example with planted faults.
    Demo(demo::Arguments),
    /// Write the thin entry scripts of the drop-in commands into a skill's scripts folder.
    Shims(shims::Arguments),
    /// Print the man page, or write one per command into a folder.
    Man(man::Arguments),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// The command's name, if it has nothing that a report could show.
    fn without_report(&self) -> Option<&'static str> {
        match self {
            Self::Baseline(_) => Some("baseline"),
            Self::Hook(_) => Some("hook"),
            Self::Init(_) => Some("init"),
            Self::Schema(_) => Some("schema"),
            Self::Shims(_) => Some("shims"),
            Self::Man(_) => Some("man"),
            Self::Completions { .. } => Some("completions"),
            Self::Scorecard(arguments) => arguments.is_template().then_some("scorecard template"),
            Self::Blueprint(_)
            | Self::Framework(_)
            | Self::Ledger(_)
            | Self::Evidence(_)
            | Self::Check(_)
            | Self::Run(_)
            | Self::Explain(_)
            | Self::Demo(_) => None,
        }
    }
}

/// What a command has to say.
#[derive(Debug)]
pub enum Answer {
    /// Gate outcomes, to be rendered in the format asked for.
    Outcomes(Vec<Outcome>),
    /// Outcomes of a whole run.
    Run {
        /// The outcomes.
        outcomes: Vec<Outcome>,
        /// A line for standard error.
        note: Option<String>,
    },
    /// Outcomes that the command shows in a form of its own.
    Own {
        /// The outcomes, whose worst is the status.
        outcomes: Vec<Outcome>,
        /// Standard output.
        stdout: String,
    },
    /// Text of its own, and the status.
    Text {
        /// Standard output.
        stdout: String,
        /// Standard error.
        stderr: String,
        /// Exit status.
        status: u8,
    },
}

impl Answer {
    /// Plain text on standard output, status 0.
    pub fn text(stdout: impl Into<String>) -> Self {
        Self::Text {
            stdout: stdout.into(),
            stderr: String::new(),
            status: 0,
        }
    }
}

/// What a group may use besides its own arguments.
pub struct Context<'w> {
    /// Environment, clock, terminal.
    pub world: &'w dyn Terminal,
    /// The format asked for.
    pub format: Format,
    /// Whether text may hold colour.
    pub is_colored: bool,
    /// How much of the result is shown.
    pub shown: Shown,
    /// Where the result goes instead of standard output.
    pub output: Option<PathBuf>,
}

/// Run `gatewright` with `arguments` (without the program's name).
pub fn run(arguments: &[OsString], world: &dyn Terminal) -> Completion {
    answered(arguments, world, std::convert::identity)
}

/// Run `gatewright` and render the outcomes of every gate alike, also of one that shows them in a
/// form of its own.
pub fn run_alike(arguments: &[OsString], world: &dyn Terminal) -> Completion {
    answered(arguments, world, |answer| match answer {
        Answer::Own { outcomes, .. } => Answer::Outcomes(outcomes),
        Answer::Outcomes(_) | Answer::Run { .. } | Answer::Text { .. } => answer,
    })
}

fn answered(
    arguments: &[OsString],
    world: &dyn Terminal,
    change: impl FnOnce(Answer) -> Answer,
) -> Completion {
    let words = std::iter::once(OsString::from("gatewright")).chain(arguments.iter().cloned());
    let mut tree = Arguments::command();
    let matches = match tree.try_get_matches_from_mut(words) {
        Ok(matches) => matches,
        Err(stop) => return usage(&stop, world),
    };
    let parsed = match Arguments::from_arg_matches(&matches) {
        Ok(parsed) => parsed,
        Err(stop) => return usage(&stop.format(&mut tree), world),
    };
    let refused = outputs::refuse(&tree, &matches);
    let context = Context {
        world,
        format: parsed.format,
        is_colored: parsed.output.is_none() && is_colored(parsed.color, world)
            || parsed.color == ColorChoice::Always,
        shown: parsed.shown,
        output: parsed.output,
    };
    if let Command::Run(arguments) = &parsed.command
        && arguments.is_watching()
    {
        return watched(&context, &|| run::watched(arguments), &|| {
            run::run(arguments, &context)
        });
    }
    if let Command::Check(arguments) = &parsed.command
        && arguments.is_watching()
    {
        return watched(&context, &|| check::watched(arguments), &|| {
            check::run(arguments, &context)
        });
    }
    let start = std::time::Instant::now();
    let answer = if let Err(refused) = refused {
        Err(refused)
    } else if parsed.format == Format::Text {
        dispatch(parsed.command, &context)
    } else {
        match parsed.command.without_report() {
            None => dispatch(parsed.command, &context),
            Some(name) => Err(Error::Usage(format!(
                "`gatewright {name}` decides nothing, so it has no report: leave --format away"
            ))),
        }
    };
    let answer = answer
        .map(change)
        .map(|answer| timed(answer, start.elapsed()));
    complete(answer, &context)
}

/// A command under `--watch`.
fn watched(
    context: &Context<'_>,
    watched: &dyn Fn() -> watch::Watched,
    once: &dyn Fn() -> Result<Answer, Error>,
) -> Completion {
    if !matches!(context.format, Format::Text | Format::Compact) {
        let fault = Error::Usage("--watch shows text or compact; leave --format away".to_owned());
        return complete(Err(fault), context);
    }
    watch::run(context, watched, &|| complete(once(), context))
}

/// `answer` with the time it took, where one gate was run and did not say.
fn timed(mut answer: Answer, elapsed: std::time::Duration) -> Answer {
    if let Answer::Outcomes(outcomes) | Answer::Own { outcomes, .. } = &mut answer
        && let [outcome] = outcomes.as_mut_slice()
    {
        outcome.elapsed.get_or_insert(elapsed);
    }
    answer
}

fn dispatch(command: Command, context: &Context<'_>) -> Result<Answer, Error> {
    match command {
        Command::Blueprint(command) => blueprint::run(&command, context),
        Command::Framework(command) => framework::run(&command, context),
        Command::Ledger(arguments) => ledger::run(&arguments, context),
        Command::Evidence(arguments) => evidence::run(&arguments, context),
        Command::Scorecard(arguments) => scorecard::run(&arguments, context),
        Command::Run(arguments) => run::run(&arguments, context),
        Command::Baseline(arguments) => run::baseline::run(&arguments, context),
        Command::Check(arguments) => check::run(&arguments, context),
        Command::Hook(arguments) => hook::run(&arguments, context),
        Command::Init(arguments) => init::run(&arguments, context),
        Command::Man(arguments) => man::run(&arguments, context),
        Command::Explain(arguments) => explain::run(&arguments, context),
        Command::Demo(arguments) => demo::run(&arguments, context),
        Command::Schema(arguments) => Ok(schema::run(&arguments)),
        Command::Shims(arguments) => shims::run(&arguments, context),
        Command::Completions { shell } => Ok(Answer::text(completions(shell))),
    }
}

/// Call a command as [`run`](run()) does, but return its answer. Global options are the caller's.
///
/// # Errors
/// When the words are no command, and those of the command.
pub fn call(words: &[OsString], context: &Context<'_>) -> Result<Answer, Error> {
    let mut tree = Arguments::command();
    let words = std::iter::once(OsString::from("gatewright")).chain(words.iter().cloned());
    let (parsed, matches) = tree
        .try_get_matches_from_mut(words)
        .and_then(|matches| Ok((Arguments::from_arg_matches(&matches)?, matches)))
        .map_err(|stop| Error::Usage(in_one_line(&stop)))?;
    outputs::refuse(&tree, &matches)?;
    dispatch(parsed.command, context)
}

/// Whether `words` after `gatewright` are a well-formed call.
///
/// # Errors
/// The first line of what is wrong with them.
pub fn is_callable(words: &[OsString]) -> Result<(), String> {
    let words = std::iter::once(OsString::from("gatewright")).chain(words.iter().cloned());
    Arguments::try_parse_from(words)
        .map(|_| ())
        .map_err(|stop| in_one_line(&stop))
}

/// The first paragraph of what is wrong with a call.
fn in_one_line(stop: &clap::Error) -> String {
    let text = stop.render().to_string();
    let lines: Vec<&str> = text
        .split("\n\n")
        .next()
        .unwrap_or_default()
        .lines()
        .map(str::trim)
        .collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

fn complete(answer: Result<Answer, Error>, context: &Context<'_>) -> Completion {
    answer
        .and_then(|answer| delivered(answer, context))
        .unwrap_or_else(|error| {
            let line = format!("gatewright: error: {error}");
            Completion::fail(2, &crate::dropin::one_line(&crate::value::Text::from(line)))
        })
}

/// The answer rendered, on standard output or in the file asked for.
fn delivered(answer: Answer, context: &Context<'_>) -> Result<Completion, Error> {
    if let (
        Some(target),
        Answer::Outcomes(outcomes) | Answer::Run { outcomes, .. } | Answer::Own { outcomes, .. },
    ) = (&context.output, &answer)
    {
        outputs::refuse_inputs(target, outcomes)?;
    }
    let mut completion = match answer {
        Answer::Outcomes(outcomes) => rendered(&outcomes, None, context)?,
        Answer::Run { outcomes, note } => rendered(&outcomes, note.as_deref(), context)?,
        Answer::Own { outcomes, stdout } => Completion {
            status: status(&outcomes, context),
            stdout: stdout.into_bytes(),
            stderr: Vec::new(),
        },
        Answer::Text {
            stdout,
            stderr,
            status,
        } => Completion {
            status,
            stdout: stdout.into_bytes(),
            stderr: stderr.into_bytes(),
        },
    };
    if let Some(target) = &context.output {
        files::write_atomic(target, &completion.stdout).map_err(|error| Error::Write {
            name: target.display().to_string(),
            reason: error.into(),
        })?;
        completion.stdout.clear();
    }
    Ok(completion)
}

fn rendered(
    outcomes: &[Outcome],
    note: Option<&str>,
    context: &Context<'_>,
) -> Result<Completion, Error> {
    let style = Style {
        is_colored: context.is_colored,
        is_quiet: context.shown.quiet,
        is_statistics: context.shown.statistics,
        most_per_rule: Some(context.shown.max_findings).filter(|most| *most > 0),
        base: files::current_folder(),
    };
    Ok(Completion {
        status: status(outcomes, context),
        stdout: report::render(outcomes, context.format, &style)?,
        stderr: note.map_or_else(Vec::new, |note| format!("{note}\n").into_bytes()),
    })
}

/// The worst status of `outcomes`; findings count as passed where the caller said so.
fn status(outcomes: &[Outcome], context: &Context<'_>) -> u8 {
    let worst = outcomes.iter().map(Outcome::status).max().unwrap_or(0);
    if worst == 1 && context.shown.exit_zero {
        0
    } else {
        worst
    }
}

/// `NO_COLOR` says no, `FORCE_COLOR` yes, a dumb terminal cannot; else a terminal is coloured.
fn is_colored(choice: ColorChoice, world: &dyn Terminal) -> bool {
    let is_set = |name: &str| world.variable(name).is_some_and(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if is_set("NO_COLOR") => false,
        ColorChoice::Auto if is_set("FORCE_COLOR") => true,
        ColorChoice::Auto => {
            world.is_stdout_terminal() && world.variable("TERM").is_none_or(|name| name != "dumb")
        }
    }
}

/// Help and version go to standard output with status 0, usage errors to standard error with 2.
fn usage(stop: &clap::Error, world: &dyn Terminal) -> Completion {
    let is_terminal = if stop.use_stderr() {
        world.is_stderr_terminal()
    } else {
        world.is_stdout_terminal()
    };
    let rendered = stop.render();
    let text = if is_terminal && is_colored(ColorChoice::Auto, world) {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    if stop.use_stderr() {
        Completion {
            status: 2,
            stdout: Vec::new(),
            stderr: text.into_bytes(),
        }
    } else {
        Completion {
            status: 0,
            stdout: text.into_bytes(),
            stderr: Vec::new(),
        }
    }
}

fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "gatewright", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The whole command tree, for the man page and the documentation.
pub fn command() -> clap::Command {
    Arguments::command()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_a_rule_advises_exists() {
        let tree = command();
        let mut seen = 0;
        for rule in crate::gates::rules::all() {
            for text in [rule.remedy, rule.why, rule.checks] {
                for after in text.split("gatewright ").skip(1) {
                    let words: Vec<&str> = after
                        .split(|letter: char| {
                            !(letter.is_ascii_lowercase() || "- ".contains(letter))
                        })
                        .next()
                        .unwrap_or_default()
                        .split(' ')
                        .collect();
                    let Some(group) = tree.find_subcommand(words[0]) else {
                        // Prose about the tool itself names no command.
                        assert!(!words[0].contains('-'), "{}: {text}", rule.code);
                        continue;
                    };
                    seen += 1;
                    if let Some(word) = words.get(1).filter(|_| group.has_subcommands()) {
                        let known = group.find_subcommand(word).is_some();
                        assert!(known, "{}: no command `{} {word}`", rule.code, words[0]);
                    }
                }
            }
        }
        assert!(seen > 5, "only {seen} commands are advised");
    }

    #[test]
    fn the_command_tree_is_sound() {
        command().debug_assert();
    }
}
