//! `gatewright framework`: the checklist framework gate, strictly.
//!
//! In: framework files and perhaps a schema. Out: one outcome per file, or the error that kept the
//! gate from telling.

use super::progress::{Stages, staged};
use super::{Answer, Context, calibration};
use crate::dropin::{parse_json, read_bytes};
use crate::error::Error;
use crate::files::display;
use crate::finding::counted;
use crate::gates::framework::{self, Document};
use crate::value::Value;
use crate::value::json::Dialect;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

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

/// Name of the schema that ships with the package, where a file's name would stand.
pub(crate) const OWN_SCHEMA: &str = "framework.schema.json";

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
    let (schema_name, schema_bytes) = match &arguments.schema {
        Some(path) => (shown(path), read("schema", path)?),
        None => (
            OWN_SCHEMA.to_owned(),
            framework::DEFAULT_SCHEMA.as_bytes().to_vec(),
        ),
    };
    let schema = Opened::new("schema", &schema_name, &schema_bytes, DIALECT)?;
    let checked = |path: &PathBuf, stages: &Stages| {
        let (name, bytes) = (shown(path), read("framework", path)?);
        stages.advance();
        let opened = Opened::new("framework", &name, &bytes, DIALECT)?;
        stages.advance();
        let outcome = framework::strict::check(
            opened.as_document(),
            schema.as_document(),
            arguments.allow_approved,
            context.world.pattern_engine(),
        );
        stages.advance();
        outcome
    };
    let title = match arguments.files.as_slice() {
        [only] => shown(only),
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

/// The umbrella command names a trailing comma whichever Python runs it.
const DIALECT: Dialect = Dialect::TrailingComma;

/// A document that was read, or made elsewhere.
#[derive(Debug)]
pub(crate) struct Opened<'a> {
    name: &'a str,
    text: Option<&'a str>,
    value: Cow<'a, Value<'a>>,
}

impl<'a> Opened<'a> {
    /// The document in `bytes`.
    ///
    /// # Errors
    /// When they are no JSON.
    pub(crate) fn new(
        kind: &'static str,
        name: &'a str,
        bytes: &'a [u8],
        dialect: Dialect,
    ) -> Result<Self, Error> {
        let value = parse_json(bytes, dialect).map_err(|fault| Error::Read {
            kind,
            name: name.to_owned(),
            reason: fault.words().to_owned(),
        })?;
        Ok(Self {
            name,
            text: std::str::from_utf8(bytes).ok(),
            value: Cow::Owned(value),
        })
    }

    /// A document that is no file and has no places: what the Python API checks.
    #[cfg(feature = "python")]
    pub(crate) fn loaded(name: &'a str, value: &'a Value<'a>) -> Self {
        Self {
            name,
            text: None,
            value: Cow::Borrowed(value),
        }
    }

    pub(crate) fn as_document(&self) -> Document<'_> {
        Document {
            name: self.name,
            text: self.text,
            value: &self.value,
        }
    }
}

/// A path for messages.
pub(crate) fn shown(path: &Path) -> String {
    display(path.as_os_str()).to_display().into_owned()
}

/// The bytes of a file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn read(kind: &'static str, path: &Path) -> Result<Vec<u8>, Error> {
    read_bytes(path, &display(path.as_os_str())).map_err(|fault| Error::Read {
        kind,
        name: shown(path),
        reason: fault.words().to_owned(),
    })
}
