//! The reconcile gate on plain Python objects and on files.

use super::call::{detached, in_world};
use super::convert::{json_from, text_to, value_from, value_to};
use super::outcome::outcome_to;
use gatewright::cli::ledger;
use gatewright::dropin::words::counts::{fault_line, issue_line};
use gatewright::gates::reconcile::{
    self, Against, Inputs, IssueRow, REVIEWABLE, Reconciliation, Refusal, RefusalKind, Status,
};
use gatewright::source::Document;
use gatewright::value::Value;
use gatewright::world::World as _;
use pyo3::exceptions::{PyAttributeError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// What Python code would have raised at the value, with the place in the message.
fn raised(refusal: &Refusal) -> PyErr {
    let words = format!("{}: {}: {}", refusal.input, refusal.path, refusal.reason);
    match refusal.kind {
        RefusalKind::Key => PyKeyError::new_err(words),
        RefusalKind::Type => PyTypeError::new_err(words),
        RefusalKind::Attribute => PyAttributeError::new_err(words),
        RefusalKind::Value => PyValueError::new_err(words),
    }
}

/// Readabilities that make a unit reviewable.
#[pyfunction]
pub(crate) fn counts_reviewable() -> Vec<&'static str> {
    REVIEWABLE.to_vec()
}

struct Values {
    manifest: Value<'static>,
    findings: Value<'static>,
    framework: Value<'static>,
    families: Value<'static>,
}

impl Values {
    fn of(
        manifest: &Bound<'_, PyAny>,
        findings: &Bound<'_, PyAny>,
        framework: &Bound<'_, PyAny>,
        families: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        Ok(Self {
            manifest: value_from(manifest)?,
            findings: value_from(findings)?,
            framework: value_from(framework)?,
            families: value_from(families)?,
        })
    }

    fn reconcile(&self) -> Result<Reconciliation, Refusal> {
        reconcile::reconcile(
            Inputs {
                manifest: &self.manifest,
                framework: &self.framework,
                families: self.families.is_truthy().then_some(&self.families),
            },
            &self.findings,
        )
    }
}

/// What `reconcile_counts.reconcile` returns.
#[pyfunction]
pub(crate) fn counts_reconcile<'py>(
    py: Python<'py>,
    manifest: &Bound<'py, PyAny>,
    findings: &Bound<'py, PyAny>,
    framework: &Bound<'py, PyAny>,
    families: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let values = Values {
        manifest: json_from(manifest)?,
        findings: json_from(findings)?,
        framework: json_from(framework)?,
        families: json_from(families)?,
    };
    let result = detached(py, || values.reconcile())?.map_err(|refusal| raised(&refusal))?;
    drop(values);
    result_dict(py, &result)
}

/// The outcome of `gatewright ledger reconcile` on plain objects.
#[pyfunction]
pub(crate) fn ledger_reconcile_values<'py>(
    py: Python<'py>,
    manifest: &Bound<'py, PyAny>,
    findings: &Bound<'py, PyAny>,
    framework: &Bound<'py, PyAny>,
    families: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = Values::of(manifest, findings, framework, families)?;
    let outcome = in_world(py, |_| {
        let against = Against {
            manifest: Document::loaded("manifest", &values.manifest),
            framework: Document::loaded("framework", &values.framework),
            families: (values.families != Value::Null)
                .then(|| Document::loaded("families", &values.families)),
        };
        reconcile::check(&against, &Document::loaded("findings", &values.findings))
    });
    outcome_to(py, outcome?)
}

/// The outcome of `gatewright ledger reconcile` on files.
#[pyfunction]
#[pyo3(signature = (manifest, findings, framework, families=None))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn ledger_reconcile_files(
    py: Python<'_>,
    manifest: PathBuf,
    findings: PathBuf,
    framework: PathBuf,
    families: Option<PathBuf>,
) -> PyResult<Bound<'_, PyAny>> {
    let outcome = in_world(py, |world| {
        ledger::reconcile(
            [&manifest, &findings, &framework],
            families.as_deref(),
            &mut |_| !world.is_interrupted(),
        )
    });
    outcome_to(py, outcome?)
}

fn unit_list<'py>(
    py: Python<'py>,
    result: &Reconciliation,
    units: impl IntoIterator<Item = u32>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for unit in units {
        let unit = result.units.get(unit as usize).unwrap_or(&Value::Null);
        list.append(value_to(py, unit)?)?;
    }
    Ok(list)
}

fn status_dict(py: Python<'_>, counts: [usize; 3]) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (status, count) in Status::ALL.into_iter().zip(counts) {
        dict.set_item(status.as_str(), count)?;
    }
    Ok(dict)
}

fn issue_dict<'py>(
    py: Python<'py>,
    result: &Reconciliation,
    issue: &IssueRow,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let found = issue.found.iter().map(|(unit, _)| *unit);
    dict.set_item("found_units", unit_list(py, result, found)?)?;
    dict.set_item("status_counts", status_dict(py, issue.status_counts())?)?;
    for (key, list) in [
        ("missing", &issue.missing),
        ("extra", &issue.extra),
        ("overlap", &issue.overlap),
    ] {
        dict.set_item(key, unit_list(py, result, list.iter().copied())?)?;
    }
    dict.set_item("ok", issue.is_ok())?;
    dict.set_item("parked", result.totals.parked)?;
    Ok(dict)
}

fn lens_dict<'py>(
    py: Python<'py>,
    result: &Reconciliation,
    issues: &[usize],
) -> PyResult<Bound<'py, PyDict>> {
    let rows = || issues.iter().filter_map(|&issue| result.issues.get(issue));
    let pairs = PyList::empty(py);
    let mut counts = [0; 3];
    let mut found = std::collections::BTreeMap::new();
    for row in rows() {
        for (unit, _) in &row.found {
            let value = result.units.get(*unit as usize).unwrap_or(&Value::Null);
            let pair = PyList::empty(py);
            pair.append(value_to(py, &row.id)?)?;
            pair.append(value_to(py, value)?)?;
            pairs.append(pair)?;
            // Units with results are texts.
            found.insert(value.as_text(), *unit);
        }
        for (sum, count) in counts.iter_mut().zip(row.status_counts()) {
            *sum += count;
        }
    }
    let dict = PyDict::new(py);
    dict.set_item("found_units", unit_list(py, result, found.into_values())?)?;
    dict.set_item("result_pairs", pairs)?;
    dict.set_item("status_counts", status_dict(py, counts)?)?;
    dict.set_item("parked", result.totals.parked)?;
    dict.set_item("ok", rows().all(IssueRow::is_ok))?;
    Ok(dict)
}

fn result_dict<'py>(py: Python<'py>, result: &Reconciliation) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("ok", result.is_ok)?;
    // The lines of the issues alone: the command writes the others around them.
    let shown = PyList::empty(py);
    for issue in &result.issues {
        shown.append(text_to(py, &issue_line(result, issue))?)?;
    }
    dict.set_item("lines", shown)?;
    let errors = PyList::empty(py);
    for fault in &result.faults {
        errors.append(text_to(py, &fault_line(fault))?)?;
    }
    dict.set_item("errors", errors)?;
    let totals = PyDict::new(py);
    for (name, count) in result.totals.named() {
        totals.set_item(name, count)?;
    }
    dict.set_item("totals", totals)?;
    let per_lens = PyDict::new(py);
    for lens in &result.lenses {
        per_lens.set_item(
            value_to(py, &lens.id)?,
            lens_dict(py, result, &lens.issues)?,
        )?;
    }
    dict.set_item("per_lens", per_lens)?;
    let per_issue = PyDict::new(py);
    for issue in &result.issues {
        per_issue.set_item(value_to(py, &issue.id)?, issue_dict(py, result, issue)?)?;
    }
    dict.set_item("per_issue", per_issue)?;
    for (key, list) in [
        ("reviewable_units", &result.reviewable_units),
        ("unreadable_units", &result.unreadable_units),
        ("parked_units", &result.parked_units),
    ] {
        dict.set_item(key, unit_list(py, result, list.iter().copied())?)?;
    }
    Ok(dict)
}
