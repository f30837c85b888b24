//! The blueprint gates on plain Python objects: palette recount and verdict.

use super::call::{detached, in_world};
use super::convert::{text_to, value_from, value_to};
use super::outcome::outcome_to;
use gatewright::cli::blueprint;
use gatewright::gates::draft::Lang;
use gatewright::gates::palette::recorded::Unusable;
use gatewright::gates::palette::{self, Count, recorded};
use gatewright::gates::verdict;
use gatewright::source::Document;
use gatewright::value::Text;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::path::PathBuf;

fn unusable(fault: &Unusable) -> PyErr {
    PyTypeError::new_err(format!("{}: {}", fault.place, fault.reason))
}

fn list_of<'py>(py: Python<'py>, texts: &[Text<'_>]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for text in texts {
        list.append(text_to(py, text)?)?;
    }
    Ok(list)
}

/// Colours observed in `screens` by the recorded count, by code point.
#[pyfunction]
pub(crate) fn observed_colors<'py>(screens: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let (py, value) = (screens.py(), value_from(screens)?);
    let colours = detached(py, || recorded::observed(&value))?;
    list_of(py, &colours.map_err(|fault| unusable(&fault))?)
}

/// Colours that `design_tokens` lists by the recorded count, by code point.
#[pyfunction]
pub(crate) fn palette_colors<'py>(tokens: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let (py, value) = (tokens.py(), value_from(tokens)?);
    let colours = detached(py, || recorded::palette(&value))?;
    list_of(py, &colours.map_err(|fault| unusable(&fault))?)
}

/// What `recount` of the recorded command returns for a blueprint.
#[pyfunction]
pub(crate) fn recount_recorded<'py>(blueprint: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, value) = (blueprint.py(), value_from(blueprint)?);
    if value.as_object().is_none() {
        return Err(PyTypeError::new_err("$: the blueprint is no dict"));
    }
    let counted = detached(py, || recorded::count(&value))?;
    let counted = counted.map_err(|fault| unusable(&fault))?;
    value_to(py, &gatewright::dropin::recount::figures(&counted))
}

/// The outcome of `gatewright blueprint recount` on a path or a loaded blueprint. `count` is
/// `recorded` or `corrected`.
#[pyfunction]
pub(crate) fn blueprint_recount<'py>(
    blueprint: &Bound<'py, PyAny>,
    count: &str,
    why: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = blueprint.py();
    let count = match count {
        "recorded" => Count::Recorded,
        "corrected" => Count::Corrected,
        _ => {
            return Err(PyValueError::new_err(format!(
                "no count {count:?}, expected recorded or corrected"
            )));
        }
    };
    if let Some(path) = path_from(blueprint)? {
        let outcome = in_world(py, |_| blueprint::recount_file(&path, count, why));
        return outcome_to(py, outcome?);
    }
    let value = value_from(blueprint)?;
    let outcome = in_world(py, |_| {
        palette::recount(&Document::loaded("blueprint", &value), count, why)
    });
    outcome_to(py, outcome?)
}

/// The path that an object is, if it is one.
fn path_from(object: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    if object.is_instance_of::<PyString>() || object.hasattr("__fspath__")? {
        return object.extract().map(Some);
    }
    Ok(None)
}

/// The outcome of `gatewright blueprint verdict` on a loaded assessment; no receipt is written.
/// `language` is `ja` or `en`.
#[pyfunction]
pub(crate) fn blueprint_decide<'py>(
    assessment: &Bound<'py, PyAny>,
    strict: bool,
    language: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, value) = (assessment.py(), value_from(assessment)?);
    let lang = match language {
        "ja" => Lang::Ja,
        "en" => Lang::En,
        _ => {
            return Err(PyValueError::new_err(format!(
                "no language {language:?}, expected ja or en"
            )));
        }
    };
    let outcome = in_world(py, |_| {
        let assessment = Document::loaded("assessment", &value);
        verdict::outcome::decide(&assessment, strict, lang)
    });
    outcome_to(py, outcome?)
}

/// The outcome of `gatewright blueprint accept`, with `--attestation` when there is one.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn blueprint_accept(
    py: Python<'_>,
    draft: PathBuf,
    verdict_dir: PathBuf,
    attestation: Option<PathBuf>,
) -> PyResult<Bound<'_, PyAny>> {
    let outcome = in_world(py, |_| {
        blueprint::accept_draft(&draft, &verdict_dir, attestation.as_deref())
    });
    outcome_to(py, outcome?)
}
