//! `gatewright framework`: the checklist framework gate, strictly.
//!
//! In: framework files and perhaps a schema. Out: one outcome per file, or the error that kept the
//! gate from telling.

use super::progress::{Stages, staged};
use super::{Answer, Context, calibration};
use crate::error::Error;
use crate::finding::counted;
use crate::gates::framework;
use crate::source::{Source, display_name};
use std::path::PathBuf;

/// Check, compare and freeze checklist frameworks.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Check frameworks against the schema and against themselves.
    ///
    /// Stricter than `validate_framework.py`: docs/differences.md lists how.
    Check(CheckArguments),
    /// Compare two versions of a framework and name the findings that the change puts in doubt.
    Diff(calibration::DiffArguments),
    /// Keep this version of a framework as framework.vN.json, which never changes again.
    Freeze(calibration::FreezeArguments),
}

/// Arguments of `framework check`.
#[derive(Debug, clap::Args)]
pub struct CheckArguments {
    /// Framework files; each is checked on its own.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Schema to use instead of the one that ships with gatewright.
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Accept `approved: true`, as after Gate 2.
    #[arg(long)]
    allow_approved: bool,
}

/// Run a command of the group.
///
/// # Errors
/// When a file cannot be read or the schema cannot be used.
pub fn run(command: &Command, context: &Context<'_>) -> Result<Answer, Error> {
    match command {
        Command::Check(arguments) => check(arguments, context),
        Command::Diff(arguments) => calibration::diff(arguments, context),
        Command::Freeze(arguments) => calibration::freeze(arguments, context),
    }
}

fn check(arguments: &CheckArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let schema = match &arguments.schema {
        Some(path) => Source::read("schema", path)?,
        None => framework::strict::own_schema(),
    };
    let schema = schema.document()?;
    let checked = |path: &PathBuf, stages: &Stages| {
        let source = Source::read("framework", path)?;
        stages.advance();
        let document = source.document()?;
        stages.advance();
        let outcome = framework::strict::check(
            &document,
            &schema,
            arguments.allow_approved,
            context.world.pattern_engine(),
        );
        stages.advance();
        outcome
    };
    let title = match arguments.files.as_slice() {
        [only] => display_name(only),
        files => counted(files.len(), "framework"),
    };
    let outcomes: Result<Vec<_>, _> = staged(
        context.world,
        &title,
        &["reading", "parsing", "checking"],
        arguments.files.len(),
        |stages| {
            let files = arguments.files.iter();
            files.map(|path| checked(path, stages)).collect()
        },
    );
    outcomes.map(Answer::Outcomes)
}
