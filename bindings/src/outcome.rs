//! Outcomes and errors of the core as `gatewright.Outcome` and `gatewright.GatewrightError`.

use gatewright::error::Error;
use gatewright::outcome::Outcome;
use gatewright::report::json;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

/// An outcome as a `gatewright.Outcome`.
///
/// # Errors
/// Those of Python.
#[expect(clippy::needless_pass_by_value, reason = "the outcome is used up")]
pub(crate) fn outcome_to(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyAny>> {
    let data = pythonize::pythonize(py, &json::outcome(&outcome))?;
    py.import("gatewright.outcome")?
        .getattr("Outcome")?
        .call_method1("from_dict", (data,))
}

/// An error of the core as a `GatewrightError` with message, source and path.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let (message, source, path) = match error {
        Error::Read { kind, name, reason } => {
            (format!("cannot read {kind}: {reason}"), name.as_str(), "")
        }
        Error::Unusable { name, path, reason } => (reason.clone(), name.as_str(), path.as_str()),
        Error::Write { name, reason } => (format!("cannot write: {reason}"), name.as_str(), ""),
        Error::Usage(_) | Error::Interrupted | Error::Internal(_) => (error.to_string(), "", ""),
    };
    let made = py
        .import("gatewright.errors")
        .and_then(|module| module.getattr("GatewrightError"))
        .and_then(|class| class.call1((&message, source, path)));
    match made {
        Ok(made) => PyErr::from_value(made),
        Err(_) => PyException::new_err(message),
    }
}
