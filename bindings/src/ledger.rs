//! The ledger's importable functions on plain Python objects.

use super::convert::{text_from, text_to, value_from, value_to};
use gatewright::dropin::room::{self, How};
use gatewright::dropin::source_path;
use gatewright::extract::Extractor;
use gatewright::gates::chain::{Stop, readback};
use gatewright::value::Text;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::path::PathBuf;

/// The read-back of a framework as a plain dict.
#[pyfunction]
pub(crate) fn ledger_readback<'py>(
    py: Python<'py>,
    framework: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let framework = value_from(framework)?;
    let (readback, _) = readback::build(&framework).map_err(|stop| unusable(py, &stop))?;
    value_to(py, &readback)
}

/// The hit rule of an item with its exclusions.
#[pyfunction]
pub(crate) fn ledger_hit_rule_line<'py>(
    py: Python<'py>,
    item: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyString>> {
    let line =
        readback::hit_rule_line(&value_from(item)?, "$").map_err(|stop| unusable(py, &stop))?;
    text_to(py, &line)
}

/// The materiality of an item in one line.
#[pyfunction]
pub(crate) fn ledger_materiality_line<'py>(
    py: Python<'py>,
    item: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyString>> {
    let line =
        readback::materiality_line(&value_from(item)?, "$").map_err(|stop| unusable(py, &stop))?;
    text_to(py, &line)
}

/// Where a manifest path leads.
///
/// # Errors
/// `ValueError` with the recorded sentence when it must not be followed.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn ledger_source_path(
    root: PathBuf,
    relative: &Bound<'_, PyString>,
) -> PyResult<PathBuf> {
    source_path(&root, &text_from(relative)?)
        .map_err(|words| PyValueError::new_err(words.to_display().into_owned()))
}

/// Whether a quote stands at a strict grade in the document at `path`; its name in the room, `relative`,
/// tells what kind of file it is.
///
/// # Errors
/// `OSError` when the file cannot be read, `ValueError` when its text cannot be had.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn ledger_quote_is_found(
    py: Python<'_>,
    path: PathBuf,
    relative: &Bound<'_, PyString>,
    quote: &Bound<'_, PyString>,
    extractor: &str,
) -> PyResult<bool> {
    let (relative, quote) = (text_from(relative)?, text_from(quote)?);
    let extractor = Extractor::parse(extractor)
        .ok_or_else(|| PyValueError::new_err(format!("no extractor is called {extractor}")))?;
    let how = How {
        extractor,
        is_told: false,
    };
    let bytes = gatewright::files::read(&path)?;
    let (_, answers) = py
        .detach(|| room::search(&relative, &bytes, &[quote], how))
        .map_err(|reason| {
            let shown = relative.to_display();
            PyValueError::new_err(format!("cannot read source document {shown}: {reason}"))
        })?;
    Ok(answers.first().is_some_and(|answer| answer.is_found))
}

fn unusable(py: Python<'_>, stop: &Stop) -> PyErr {
    let (place, reason) = match stop {
        Stop::Unusable { place, reason, .. } => (place.as_str(), reason.clone()),
        Stop::Said(text) => ("", text.to_display().into_owned()),
        Stop::Faults(texts) => {
            let texts: Vec<_> = texts.iter().map(Text::to_display).collect();
            ("", texts.join("; "))
        }
    };
    let raised = py
        .import("gatewright.errors")
        .and_then(|errors| errors.getattr("GatewrightError"))
        .and_then(|class| class.call1((reason, "framework", place)));
    match raised {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
