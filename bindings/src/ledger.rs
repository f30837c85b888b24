//! The ledger's importable functions on plain Python objects.

use super::call::detached;
use super::convert::text_from;
use gatewright::dropin::room::{self, How};
use gatewright::dropin::source_path;
use gatewright::extract::Extractor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::path::PathBuf;

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
    let searched = detached(py, || room::search(&relative, &bytes, &[quote], how))?;
    let (_, answers) = searched.map_err(|reason| {
        let shown = relative.to_display();
        PyValueError::new_err(format!("cannot read source document {shown}: {reason}"))
    })?;
    Ok(answers.first().is_some_and(|answer| answer.is_found))
}
