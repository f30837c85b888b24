//! The value layer laid open for the tests that compare it with Python itself.
//!
//! Private: names begin with an underscore and may change with any version.

use super::convert::{text_from, text_to, value_from, value_to};
use super::process::dialect;
use gatewright::dropin::{ReadFault, parse_json};
use gatewright::gates::framework::pattern::Pattern;
use gatewright::text::patterns::NoEngine;
use gatewright::text::python;
use gatewright::value::json::{Style, dump};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

fn style(is_ascii: bool, indent: Option<usize>, is_sorted: bool, is_compact: bool) -> Style {
    Style {
        is_ascii,
        indent,
        is_sorted,
        is_compact,
    }
}

/// The JSON document in `data` read and written again.
#[pyfunction]
#[pyo3(signature = (data, *, ensure_ascii, indent, sort_keys, compact))]
pub(crate) fn _json_roundtrip<'py>(
    py: Python<'py>,
    data: &[u8],
    ensure_ascii: bool,
    indent: Option<usize>,
    sort_keys: bool,
    compact: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let value = parse_json(data, dialect(py))
        .map_err(|fault| PyValueError::new_err(fault.words().to_owned()))?;
    let style = style(ensure_ascii, indent, sort_keys, compact);
    Ok(PyBytes::new(py, &dump(&value, style)))
}

/// `json.dumps(value, ...)` as generalised UTF-8.
#[pyfunction]
#[pyo3(signature = (value, *, ensure_ascii, indent, sort_keys, compact))]
pub(crate) fn _json_dump<'py>(
    value: &Bound<'py, PyAny>,
    ensure_ascii: bool,
    indent: Option<usize>,
    sort_keys: bool,
    compact: bool,
) -> PyResult<Bound<'py, PyBytes>> {
    let style = style(ensure_ascii, indent, sort_keys, compact);
    let bytes = dump(&value_from(value)?, style);
    Ok(PyBytes::new(value.py(), &bytes))
}

/// `("value", repr)`, `("syntax", words)`, `("decode", words)` or `("refused", words)` of a document.
#[pyfunction]
pub(crate) fn _json_report(py: Python<'_>, data: &[u8]) -> (&'static str, String) {
    match parse_json(data, dialect(py)) {
        Ok(value) => ("value", python::repr(&value)),
        Err(ReadFault::Os { words, .. }) => ("os", words),
        Err(ReadFault::Decode(words)) => ("decode", words),
        Err(ReadFault::Syntax(words)) => ("syntax", words),
        Err(ReadFault::Refused(words)) => ("refused", words),
    }
}

/// The JSON document in `data` as plain Python objects.
#[pyfunction]
pub(crate) fn _json_value<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let value = parse_json(data, dialect(py))
        .map_err(|fault| PyValueError::new_err(fault.words().to_owned()))?;
    value_to(py, &value)
}

/// `repr(value)`.
#[pyfunction]
pub(crate) fn _repr(value: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(python::repr(&value_from(value)?))
}

/// `str(value)`.
#[pyfunction]
pub(crate) fn _str<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    text_to(value.py(), &python::str_of(&value_from(value)?))
}

/// `left == right`.
#[pyfunction]
pub(crate) fn _equal(left: &Bound<'_, PyAny>, right: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value_from(left)? == value_from(right)?)
}

/// `text.strip()`.
#[pyfunction]
pub(crate) fn _strip<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    text_to(text.py(), &text_from(text)?.strip())
}

/// `len(text)`.
#[pyfunction]
pub(crate) fn _len(text: &Bound<'_, PyString>) -> PyResult<usize> {
    Ok(text_from(text)?.len())
}

/// Whether a translated `pattern` is found in `subject`; none when the core leaves it to Python.
#[pyfunction]
pub(crate) fn _pattern_search(
    pattern: &Bound<'_, PyString>,
    subject: &Bound<'_, PyString>,
) -> PyResult<Option<bool>> {
    let text = text_from(pattern)?;
    Ok(Pattern::new(&text)
        .search(&text_from(subject)?, &NoEngine)
        .ok())
}
