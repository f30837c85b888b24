//! The blueprint gates on plain Python objects: palette recount and verdict.

use super::convert::{text_to, value_from, value_to};
use crate::gates::palette::Unusable;
use crate::gates::{palette, palette_corrected, verdict};
use crate::value::{Object, Text, Value};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

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
    let colours = py.detach(|| palette::observed(&value));
    list_of(py, &colours.map_err(|fault| unusable(&fault))?)
}

/// Colours that `design_tokens` lists by the recorded count, by code point.
#[pyfunction]
pub(crate) fn palette_colors<'py>(tokens: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let (py, value) = (tokens.py(), value_from(tokens)?);
    let colours = py.detach(|| palette::palette(&value));
    list_of(py, &colours.map_err(|fault| unusable(&fault))?)
}

/// Count a blueprint: `{"observed_count", "palette_count", "orphan_count", "orphans",
/// "undecided"}`. `count` is `recorded` or `corrected`.
#[pyfunction]
pub(crate) fn recount_blueprint<'py>(
    blueprint: &Bound<'py, PyAny>,
    count: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, value) = (blueprint.py(), value_from(blueprint)?);
    if value.as_object().is_none() {
        return Err(PyTypeError::new_err("$: the blueprint is no dict"));
    }
    let counted = py.detach(|| match count {
        "recorded" => Some(palette::count(&value).map(|counted| (counted, Vec::new()))),
        "corrected" => Some(palette_corrected::count(&value).map(|counted| {
            let figures = palette::Recount {
                observed_count: counted.observed_count,
                palette_count: counted.palette_count,
                orphans: counted.orphans,
            };
            (figures, counted.undecided)
        })),
        _ => None,
    });
    let counted = counted.ok_or_else(|| {
        PyValueError::new_err(format!(
            "no count {count:?}, expected recorded or corrected"
        ))
    })?;
    let (figures, undecided) = counted.map_err(|fault| unusable(&fault))?;
    let undecided = Value::Array(undecided.into_iter().map(Value::Str).collect());
    let mut figures = match crate::dropin::recount::figures(&figures) {
        Value::Object(figures) => figures,
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Array(_) => Object::new(),
    };
    figures.insert("undecided", undecided);
    value_to(py, &Value::Object(figures))
}

/// Decide on an assessment: `("PASS" | "FAIL", reasons)`, or `(None, [fault])` when its structure
/// is wrong.
#[pyfunction]
pub(crate) fn decide_assessment<'py>(
    assessment: &Bound<'py, PyAny>,
) -> PyResult<(Option<&'static str>, Bound<'py, PyList>)> {
    let (py, value) = (assessment.py(), value_from(assessment)?);
    match py.detach(|| verdict::decide(&value)) {
        Ok(reasons) => {
            let texts: Vec<_> = reasons.iter().map(verdict::Reason::japanese).collect();
            Ok((Some(verdict::word(&reasons)), list_of(py, &texts)?))
        }
        Err(fault) => Ok((None, list_of(py, &[Text::from(fault.japanese())])?)),
    }
}
