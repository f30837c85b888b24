//! `gatewright framework`: the checklist framework gate, strictly.
//!
//! In: framework files and perhaps a schema. Out: one outcome per file, or the error that kept the
//! gate from telling.

use super::{Answer, Context};
use crate::dropin::{parse_json, read_bytes};
use crate::error::Error;
use crate::files::display;
use crate::gates::framework::{self, Document};
use crate::outcome::Outcome;
use crate::value::json::Dialect;
use std::path::{Path, PathBuf};

/// Check checklist frameworks.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Check frameworks against the schema and against themselves.
    ///
    /// Stricter than validate_framework.py: docs/differences.md lists how.
    Check(CheckArguments),
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

/// Name of the schema that ships with the package, where a file's name would stand.
const OWN_SCHEMA: &str = "framework.schema.json";

/// Run a command of the group.
///
/// # Errors
/// When a file cannot be read or the schema cannot be used.
pub fn run(command: &Command, context: &Context<'_>) -> Result<Answer, Error> {
    match command {
        Command::Check(arguments) => check(arguments, context),
    }
}

fn check(arguments: &CheckArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let (schema_name, schema_bytes) = match &arguments.schema {
        Some(path) => (shown(path), read("schema", path)?),
        None => (
            OWN_SCHEMA.to_owned(),
            framework::DEFAULT_SCHEMA.as_bytes().to_vec(),
        ),
    };
    let outcomes: Result<Vec<_>, _> = arguments
        .files
        .iter()
        .map(|path| {
            check_bytes(
                (&shown(path), &read("framework", path)?),
                (&schema_name, &schema_bytes),
                arguments.allow_approved,
                context.world.pattern_engine(),
            )
        })
        .collect();
    outcomes.map(Answer::Outcomes)
}

/// Check a framework against a schema, each a name and bytes.
///
/// # Errors
/// When one of them is no JSON or the schema cannot be used.
pub fn check_bytes(
    (name, bytes): (&str, &[u8]),
    (schema_name, schema_bytes): (&str, &[u8]),
    allows_approved: bool,
    engine: &dyn framework::PatternEngine,
) -> Result<Outcome, Error> {
    let value = parse("framework", name, bytes)?;
    let schema = parse("schema", schema_name, schema_bytes)?;
    framework::strict::check(
        Document {
            name,
            text: std::str::from_utf8(bytes).ok(),
            value: &value,
        },
        Document {
            name: schema_name,
            text: std::str::from_utf8(schema_bytes).ok(),
            value: &schema,
        },
        allows_approved,
        engine,
    )
}

fn shown(path: &Path) -> String {
    display(path.as_os_str()).to_display().into_owned()
}

fn read(kind: &'static str, path: &Path) -> Result<Vec<u8>, Error> {
    read_bytes(path, &display(path.as_os_str())).map_err(|fault| Error::Read {
        kind,
        name: shown(path),
        reason: fault.words().to_owned(),
    })
}

fn parse<'a>(
    kind: &'static str,
    name: &str,
    bytes: &'a [u8],
) -> Result<crate::value::Value<'a>, Error> {
    parse_json(bytes, Dialect::TrailingComma).map_err(|fault| Error::Read {
        kind,
        name: name.to_owned(),
        reason: fault.words().to_owned(),
    })
}
