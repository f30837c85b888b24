//! Quote matching for Python: `ground` and its answers.

use super::convert::{text_from, text_to};
use crate::evidence::{Match, Place, Prepared};
use crate::gates::quotes::answers;
use crate::value::Text;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

/// Where a match stands in the source. Bytes count from 0 in its UTF-8 form, lines and columns
/// from 1, columns in code points; ends are exclusive.
#[pyclass(frozen, eq, hash, name = "Place", module = "gatewright")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PyPlace {
    #[pyo3(get)]
    byte_start: usize,
    #[pyo3(get)]
    byte_end: usize,
    #[pyo3(get)]
    line: usize,
    #[pyo3(get)]
    column: usize,
    #[pyo3(get)]
    end_line: usize,
    #[pyo3(get)]
    end_column: usize,
}

impl From<Place> for PyPlace {
    fn from(place: Place) -> Self {
        Self {
            byte_start: place.span.byte_start,
            byte_end: place.span.byte_end,
            line: place.start.line,
            column: place.start.column,
            end_line: place.end.line,
            end_column: place.end.column,
        }
    }
}

#[pymethods]
impl PyPlace {
    /// The place as a dict with the keys of the JSON report.
    #[expect(clippy::wrong_self_convention, reason = "Python methods borrow")]
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("byte_start", self.byte_start)?;
        dict.set_item("byte_end", self.byte_end)?;
        dict.set_item("line", self.line)?;
        dict.set_item("column", self.column)?;
        dict.set_item("end_line", self.end_line)?;
        dict.set_item("end_column", self.end_column)?;
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        format!(
            "Place(byte_start={}, byte_end={}, line={}, column={}, end_line={}, end_column={})",
            self.byte_start, self.byte_end, self.line, self.column, self.end_line, self.end_column
        )
    }
}

/// How one quote stands in the source.
#[pyclass(frozen, eq, name = "Match", module = "gatewright")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PyMatch {
    quote: Text<'static>,
    found: Match,
}

#[pymethods]
impl PyMatch {
    /// The quote as it was asked for.
    #[getter]
    fn quote<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text_to(py, &self.quote)
    }

    /// `identical`, `reflowed`, `typographic`, `elided`, `near` or `absent`.
    #[getter]
    fn grade<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::intern(py, self.found.grade.name())
    }

    /// What a reader must see, such as `cuts_word`; a tuple, sorted by importance.
    #[getter]
    fn flags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.found.flags.iter().map(|flag| flag.name()))
    }

    /// Number of places that answer at this grade.
    #[getter]
    fn occurrences(&self) -> usize {
        self.found.occurrences
    }

    /// The place, or `None` when the quote is absent.
    #[getter]
    fn at(&self) -> Option<PyPlace> {
        self.found.at.map(PyPlace::from)
    }

    /// What differs, in words to act on, or `None`.
    #[getter]
    fn difference(&self) -> Option<&str> {
        self.found.difference.as_deref()
    }

    /// Whether gates take the quote as found: identical or reflowed.
    #[getter]
    fn is_accepted(&self) -> bool {
        self.found.grade.is_accepted()
    }

    /// The match as a dict with the keys of the JSON report.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("quote", self.quote(py)?)?;
        dict.set_item("grade", self.grade(py))?;
        dict.set_item(
            "flags",
            self.found
                .flags
                .iter()
                .map(|flag| flag.name())
                .collect::<Vec<_>>(),
        )?;
        dict.set_item("occurrences", self.found.occurrences)?;
        dict.set_item("at", self.at().map(|at| at.to_dict(py)).transpose()?)?;
        dict.set_item("difference", self.difference())?;
        Ok(dict)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let quote = self.quote(py)?.repr()?;
        let at = self.at().map_or_else(
            || "None".to_owned(),
            |at| format!("{}:{}", at.line, at.column),
        );
        Ok(format!(
            "Match(quote={quote}, grade='{}', at={at})",
            self.found.grade.name()
        ))
    }
}

/// Grade `quotes` against `source`.
///
/// # Errors
/// `GatewrightError` when the source is not UTF-8 or too large.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn ground(
    py: Python<'_>,
    quotes: Vec<Bound<'_, PyString>>,
    source: &Bound<'_, PyBytes>,
    name: &str,
) -> PyResult<Vec<PyMatch>> {
    let quotes: Vec<Text<'static>> = quotes.iter().map(text_from).collect::<PyResult<_>>()?;
    let bytes = source.as_bytes();
    let found = py.detach(|| Prepared::from_bytes(bytes).map(|source| answers(&source, &quotes)));
    let found = found.map_err(|error| unusable(py, &error.to_string(), name))?;
    Ok(quotes
        .into_iter()
        .zip(found)
        .map(|(quote, found)| PyMatch { quote, found })
        .collect())
}

/// The exception for an input that cannot be used.
pub(crate) fn unusable(py: Python<'_>, message: &str, name: &str) -> PyErr {
    let raised = py
        .import("gatewright.errors")
        .and_then(|errors| errors.getattr("GatewrightError"))
        .and_then(|class| class.call1((message, name)));
    match raised {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}
