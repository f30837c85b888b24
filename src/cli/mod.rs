//! The `gatewright` command: arguments -> plan -> run -> render -> status.
//!
//! Statuses: 0 every gate passed, 1 findings, 2 could not run. One file per command group; a group
//! reads its inputs, calls pure gates and returns an [`Answer`]. Nothing here prints: the caller
//! writes the [`Completion`].

pub mod blueprint;
pub mod explain;
pub mod ledger;
pub mod places;
pub mod progress;
pub mod shims;

use crate::dropin::{Completion, World};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::report::{self, Format};
use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;

/// The terminal side of the world; tests give their own.
pub trait Terminal: World {
    /// Whether standard output is a terminal.
    fn is_stdout_terminal(&self) -> bool;
    /// Whether standard error is a terminal, so that a progress bar may be drawn there.
    fn is_stderr_terminal(&self) -> bool;
    /// Draw on the terminal that standard error is; called only when it is one.
    fn draw(&self, text: &str) {
        let _ = text;
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

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
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Site blueprints: palette recount, verdict, acceptance.
    #[command(subcommand)]
    Blueprint(blueprint::Command),
    /// The findings ledger: coverage.
    Ledger(ledger::Arguments),
    /// Explain a rule: what it checks, why, an example and its repair.
    Explain(explain::Arguments),
    /// Write the thin entry scripts of the drop-in commands into a skill's scripts folder.
    Shims(shims::Arguments),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// What a command has to say.
#[derive(Debug)]
pub enum Answer {
    /// Gate outcomes, to be rendered in the format asked for.
    Outcomes(Vec<Outcome>),
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
}

/// Run `gatewright` with `arguments` (without the program's name).
pub fn run(arguments: &[OsString], world: &dyn Terminal) -> Completion {
    let words = std::iter::once(OsString::from("gatewright")).chain(arguments.iter().cloned());
    let parsed = match Arguments::try_parse_from(words) {
        Ok(parsed) => parsed,
        Err(stop) => return usage(&stop, world),
    };
    let context = Context {
        world,
        format: parsed.format,
        is_colored: is_colored(parsed.color, world),
    };
    let answer = match parsed.command {
        Command::Blueprint(command) => blueprint::run(&command, &context),
        Command::Ledger(arguments) => ledger::run(&arguments, &context),
        Command::Explain(arguments) => explain::run(&arguments, &context),
        Command::Shims(arguments) => shims::run(&arguments, &context),
        Command::Completions { shell } => Ok(Answer::text(completions(shell))),
    };
    complete(answer, &context)
}

fn complete(answer: Result<Answer, Error>, context: &Context<'_>) -> Completion {
    match answer {
        Ok(Answer::Outcomes(outcomes)) => Completion {
            status: outcomes.iter().map(Outcome::status).max().unwrap_or(0),
            stdout: report::render(&outcomes, context.format, context.is_colored),
            stderr: Vec::new(),
        },
        Ok(Answer::Text {
            stdout,
            stderr,
            status,
        }) => Completion {
            status,
            stdout: stdout.into_bytes(),
            stderr: stderr.into_bytes(),
        },
        Err(error) => {
            let line = format!("gatewright: error: {error}");
            Completion::fail(2, &crate::dropin::one_line(&crate::value::Text::from(line)))
        }
    }
}

fn is_colored(choice: ColorChoice, world: &dyn Terminal) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            world.is_stdout_terminal()
                && world
                    .variable("NO_COLOR")
                    .is_none_or(|value| value.is_empty())
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
    fn the_command_tree_is_sound() {
        command().debug_assert();
    }
}
