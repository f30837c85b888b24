//! `framework diff` and `framework freeze`: versions of a framework.
//!
//! In: framework files, for `diff` perhaps a ledger. Out: outcomes; `freeze` also writes
//! `framework.vN.json` and never changes one that is there.

use super::chain::shown;
use super::{Answer, Context};
use crate::error::{Error, Reason};
use crate::finding::{Finding, Location, counted};
use crate::gates::chain::calibration::{Version, compare};
use crate::gates::chain::{Ledger, calibration_rules as rules};
use crate::gates::framework;
use crate::outcome::{Input, Outcome};
use crate::source::Source;
use crate::value::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `framework diff`.
#[derive(Debug, clap::Args)]
pub struct DiffArguments {
    /// The older framework.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The newer framework.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// A findings ledger: name the findings that the change puts in doubt.
    #[arg(long, value_name = "LEDGER")]
    findings: Option<PathBuf>,
}

/// Arguments of `framework freeze`.
#[derive(Debug, clap::Args)]
pub struct FreezeArguments {
    /// The framework.
    #[arg(value_name = "FRAMEWORK")]
    framework: PathBuf,
    /// Folder for `framework.vN.json`; that of the framework when absent.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

fn read(kind: &'static str, path: &Path) -> Result<Vec<u8>, Error> {
    Source::read(kind, path).map(Source::into_bytes)
}

fn parse<'b>(kind: &'static str, path: &Path, bytes: &'b [u8]) -> Result<Value<'b>, Error> {
    let failed = |reason: Reason| Error::Read {
        kind,
        name: shown(path),
        reason,
    };
    let text =
        std::str::from_utf8(bytes).map_err(|fault| failed(Reason::encoding(fault, bytes)))?;
    let value =
        crate::value::json::parse(text).map_err(|fault| failed(Reason::syntax(fault, text)))?;
    if value.as_object().is_none() {
        return Err(Error::Unusable {
            name: shown(path),
            path: "$".to_owned(),
            reason: format!("a {kind} is an object"),
        });
    }
    Ok(value)
}

/// Run `framework diff`.
///
/// # Errors
/// When an input cannot be read or used.
pub fn diff(arguments: &DiffArguments, _context: &Context<'_>) -> Result<Answer, Error> {
    let (old_bytes, new_bytes) = (
        read("framework", &arguments.old)?,
        read("framework", &arguments.new)?,
    );
    let old = parse("framework", &arguments.old, &old_bytes)?;
    let new = parse("framework", &arguments.new, &new_bytes)?;
    let (old_name, new_name) = (shown(&arguments.old), shown(&arguments.new));
    let mut inputs = vec![
        Input::new("old", old_name.clone(), &old_bytes),
        Input::new("new", new_name.clone(), &new_bytes),
    ];
    let ledger_bytes = arguments
        .findings
        .as_deref()
        .map(|path| read("findings", path))
        .transpose()?;
    let ledger = match (&arguments.findings, &ledger_bytes) {
        (Some(path), Some(bytes)) => {
            inputs.push(Input::new("findings", shown(path), bytes));
            Some((shown(path), read_ledger(path, bytes)?))
        }
        _ => None,
    };
    let found = compare(
        Version {
            name: &old_name,
            value: &old,
        },
        Version {
            name: &new_name,
            value: &new,
        },
        ledger
            .as_ref()
            .map(|(name, ledger)| (name.as_str(), ledger)),
    );
    let mut outcome = Outcome::from_findings("framework diff", found.findings);
    outcome.inputs = inputs;
    let ledger_name = ledger.as_ref().map(|(name, _)| name);
    for (name, bytes) in [
        (Some(&old_name), Some(&old_bytes)),
        (Some(&new_name), Some(&new_bytes)),
        (ledger_name, ledger_bytes.as_ref()),
    ] {
        if let (Some(name), Some(bytes)) = (name, bytes) {
            crate::source::locate_findings(name, bytes, &mut outcome.findings);
        }
    }
    outcome.summary = if outcome.findings.is_empty() {
        "no difference that matters".to_owned()
    } else {
        format!(
            "{}, {} changed",
            counted(outcome.findings.len() - found.in_doubt.len(), "difference"),
            counted(found.knob_count, "knob")
        )
    };
    if ledger.is_some() {
        let _ = write!(
            outcome.summary,
            ", {} in doubt",
            counted(found.in_doubt.len(), "finding")
        );
        outcome
            .facts
            .insert("in_doubt".to_owned(), found.in_doubt.into());
    }
    outcome
        .facts
        .insert("knobs_changed".to_owned(), found.knob_count.into());
    Ok(Answer::Outcomes(vec![outcome]))
}

fn read_ledger<'b>(path: &Path, bytes: &'b [u8]) -> Result<Ledger<'b>, Error> {
    let failed = |reason: Reason| Error::Read {
        kind: "findings",
        name: shown(path),
        reason,
    };
    let text =
        std::str::from_utf8(bytes).map_err(|fault| failed(Reason::encoding(fault, bytes)))?;
    let ledger = Ledger::read(text).map_err(|fault| failed(Reason::syntax(fault, text)))?;
    if ledger.findings().is_err() {
        return Err(Error::Unusable {
            name: shown(path),
            path: "$.findings".to_owned(),
            reason: "a ledger has an array of findings".to_owned(),
        });
    }
    Ok(ledger)
}

/// Run `framework freeze`.
///
/// # Errors
/// When the framework cannot be read or the file cannot be written.
pub fn freeze(arguments: &FreezeArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let path = &arguments.framework;
    let source = Source::read("framework", path)?;
    let bytes = source.bytes();
    let value = parse("framework", path, bytes)?;
    let name = shown(path);
    // Only what `framework check` passes: what is frozen is what a review goes by.
    let schema = framework::strict::own_schema();
    let checked = framework::strict::check(
        &source.document()?,
        &schema.document()?,
        true,
        context.world.pattern_engine(),
    )?;
    let mut findings: Vec<Finding> = checked
        .findings
        .into_iter()
        .filter(|finding| finding.severity == crate::rule::Severity::Error)
        .map(|finding| {
            Finding::new(
                &rules::FRAMEWORK_NOT_FROZEN,
                finding.at,
                format!("invalid: {} {}", finding.rule.code, finding.message),
            )
        })
        .collect();
    let mut summary = "not frozen".to_owned();
    if findings.is_empty() {
        let version =
            crate::text::python::str_of(value.get("framework_version").unwrap_or(&Value::Null));
        let folder = arguments
            .into
            .clone()
            .or_else(|| path.parent().map(Path::to_path_buf))
            .unwrap_or_default();
        let target = folder.join(format!("framework.v{}.json", version.to_display()));
        let failed = |error: std::io::Error| Error::Write {
            name: shown(&target),
            reason: (&error).into(),
        };
        if !folder.as_os_str().is_empty() {
            std::fs::create_dir_all(&folder).map_err(failed)?;
        }
        if crate::files::write_new(&target, bytes).map_err(failed)? {
            summary = format!("wrote {}", shown(&target));
        } else if crate::files::read(&target).is_ok_and(|frozen| frozen == bytes) {
            summary = format!("{} is there already, the same", shown(&target));
        } else {
            findings.push(
                Finding::new(
                    &rules::FRAMEWORK_NOT_FROZEN,
                    Location::at_path(name.clone(), "$.framework_version"),
                    format!(
                        "version {} is frozen already with other content",
                        version.to_display()
                    ),
                )
                .with_related(Location::of_source(shown(&target))),
            );
        }
    }
    let mut outcome = Outcome::from_findings("framework freeze", findings);
    outcome.summary = summary;
    outcome.inputs = vec![source.input()];
    Ok(Answer::Outcomes(vec![outcome]))
}
