//! Coverage of a review run: its four files read and reconciled.
//!
//! In: paths. Out: a [`Reconciliation`], or the [`Failure`] that the files are told to have first when
//! they are read in the order manifest, findings, framework, families. A large ledger is judged while
//! it is read, so the small files come first and what is wrong with them is kept back; whatever is
//! out of the ordinary is read again whole, by the exact way.

use super::{ReadFault, parse_json, read_bytes};
use crate::gates::reconcile::{
    self, Frame, Inputs, Reconciliation, Refusal, RefusalKind, Stop, Tally,
};
use crate::source::{Progress, drain};
use crate::value::json::Dialect;
use crate::value::{Text, Value};
use std::io;
use std::path::Path;

/// One input file.
#[derive(Clone, Debug)]
pub struct Named<'p> {
    /// Where it lies.
    pub path: &'p Path,
    /// As the caller wrote it.
    pub shown: Text<'static>,
}

/// The files of a run.
#[derive(Clone, Debug)]
pub struct Paths<'p> {
    /// `manifest.json`.
    pub manifest: Named<'p>,
    /// `findings.json`.
    pub findings: Named<'p>,
    /// `framework.json`.
    pub framework: Named<'p>,
    /// `families.json`, when given.
    pub families: Option<Named<'p>>,
}

/// Why there is no result.
#[derive(Debug)]
pub enum Failure {
    /// A file cannot be read.
    Read {
        /// `manifest`, `findings`, `framework` or `families`.
        input: &'static str,
        /// Why.
        fault: ReadFault,
    },
    /// The root of a file lacks a member.
    MissingKey {
        /// `manifest`, `findings`, `framework` or `families`.
        input: &'static str,
        /// The member.
        key: &'static str,
    },
    /// A value cannot be used.
    Unusable(Refusal),
    /// The caller asked to stop.
    Interrupted,
}

/// What a run takes besides its files.
pub struct Terms<'t> {
    /// Which Python's words JSON faults are told in.
    pub dialect: Dialect,
    /// Hears how far the reading has come and says whether to go on.
    pub watch: &'t mut dyn FnMut(Progress) -> bool,
}

const MANIFEST: (&str, &[&str]) = ("manifest", &["documents", "counts"]);
const FINDINGS: (&str, &[&str]) = ("findings", &["findings"]);
const FRAMEWORK: (&str, &[&str]) = ("framework", &["framework_version", "lenses"]);
const FAMILIES: (&str, &[&str]) = ("families", &["families"]);

/// The value in `bytes`, its required members there.
fn load<'b>(
    bytes: &'b Result<Vec<u8>, ReadFault>,
    (input, keys): (&'static str, &'static [&'static str]),
    dialect: Dialect,
) -> Result<Value<'b>, Failure> {
    let read = |fault| Failure::Read { input, fault };
    let bytes = bytes.as_ref().map_err(|fault| read(fault.clone()))?;
    let value = parse_json(bytes, dialect).map_err(read)?;
    for key in keys {
        if !has_key(&value, input, key)? {
            return Err(Failure::MissingKey { input, key });
        }
    }
    Ok(value)
}

/// Python's `key in root`: a member of an object, an item of a list, a part of a text. Roots that are
/// no objects and pass are refused when their members are asked for.
fn has_key(root: &Value<'_>, input: &'static str, key: &str) -> Result<bool, Failure> {
    match root {
        Value::Object(object) => Ok(object.contains_key(key)),
        Value::Array(items) => Ok(items
            .iter()
            .any(|item| item.as_text().is_some_and(|text| *text == *key))),
        Value::Str(text) => Ok(memchr::memmem::find(text.as_bytes(), key.as_bytes()).is_some()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
            Err(Failure::Unusable(Refusal {
                input,
                path: String::from("$"),
                reason: format!("`{}` stands where an object is needed", root.python_type()),
                kind: RefusalKind::Type,
            }))
        }
    }
}

/// Read the files of a run and reconcile them.
///
/// # Errors
/// [`Failure`], the first one in reading order.
pub fn run(paths: &Paths<'_>, terms: &mut Terms<'_>) -> Result<Reconciliation, Failure> {
    let dialect = terms.dialect;
    let manifest_bytes = read(&paths.manifest);
    let manifest = load(&manifest_bytes, MANIFEST, dialect)?;
    let os = |error: &io::Error| Failure::Read {
        input: FINDINGS.0,
        fault: ReadFault::Os {
            words: crate::text::python::os_error(error, &paths.findings.shown),
            is_missing: error.kind() == io::ErrorKind::NotFound,
        },
    };
    let mut file = crate::files::open(paths.findings.path).map_err(|error| os(&error))?;
    let about = file.metadata().map_err(|error| os(&error))?;
    // What is no plain file can be read once, and in its turn.
    let early_bytes = if about.is_file() {
        None
    } else {
        let bytes = drain(&mut file, terms.watch).map_err(|error| os(&error))?;
        Some(Ok(bytes.ok_or(Failure::Interrupted)?))
    };
    let framework_bytes = read(&paths.framework);
    let framework = load(&framework_bytes, FRAMEWORK, dialect);
    let families_bytes = paths.families.as_ref().map(read);
    let families = families_bytes
        .as_ref()
        .map(|bytes| load(bytes, FAMILIES, dialect))
        .transpose();

    if early_bytes.is_none()
        && let (Ok(framework), Ok(families)) = (&framework, &families)
        && let Ok(frame) = Frame::new(Inputs {
            manifest: &manifest,
            framework,
            families: families.as_ref(),
        })
    {
        let mut tally = Tally::new(&frame);
        let mut progress = Progress {
            len_done: 0,
            len_total: about.len(),
        };
        let watch = &mut terms.watch;
        let mut step = |len: usize| {
            progress.len_done += u64::try_from(len).unwrap_or(0);
            watch(progress)
        };
        match reconcile::read_ledger(&mut file, &mut tally, &mut step) {
            Ok(head) => return tally.finish(&head).map_err(Failure::Unusable),
            Err(Stop::Interrupted) => return Err(Failure::Interrupted),
            Err(Stop::Io(error)) => return Err(os(&error)),
            Err(Stop::Unusual) => {}
        }
    }
    drop(file);
    let findings_bytes = early_bytes.unwrap_or_else(|| read(&paths.findings));
    let findings = load(&findings_bytes, FINDINGS, dialect)?;
    let (framework, families) = (framework?, families?);
    reconcile::reconcile(
        Inputs {
            manifest: &manifest,
            framework: &framework,
            families: families.as_ref(),
        },
        &findings,
    )
    .map_err(Failure::Unusable)
}

fn read(named: &Named<'_>) -> Result<Vec<u8>, ReadFault> {
    read_bytes(named.path, &named.shown)
}
