//! The strict scorecard gate for Python: `check_scorecard`.

use super::call::detached;
use super::evidence::unusable;
use super::outcome::outcome_to;
use gatewright::evidence::Prepared;
use gatewright::gates::scorecard::phrases::Phrases;
use gatewright::gates::scorecard::strict::{Options, check, outcome};
use gatewright::outcome::Input;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Check one scorecard; the outcome as `gatewright.Outcome`.
///
/// # Errors
/// `GatewrightError` when the source is not UTF-8 or too large.
#[pyfunction]
pub(crate) fn check_scorecard<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyBytes>,
    text_name: &str,
    source: &Bound<'py, PyBytes>,
    source_name: &str,
    banned_phrases: Option<Vec<String>>,
    map_severity: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (bytes, source_bytes) = (text.as_bytes(), source.as_bytes());
    let done = detached(py, || {
        let prepared = Prepared::from_bytes(source_bytes)?;
        let phrases = banned_phrases.map(|list| Phrases::of_texts(list.iter().map(String::as_str)));
        let options = Options {
            phrases: phrases.as_ref(),
            maps_severity: map_severity,
        };
        let report = check(text_name, bytes, source_name, &prepared, options);
        let mut outcome = outcome(text_name, report, Some((source_name, "")));
        outcome.inputs = vec![
            Input::new("scorecard", text_name.to_owned(), bytes),
            Input::new("source", source_name.to_owned(), source_bytes),
        ];
        Ok::<_, gatewright::evidence::SourceError>(outcome)
    });
    outcome_to(
        py,
        done?.map_err(|error| unusable(py, &error.to_string(), source_name))?,
    )
}
