//! Quote matching for Python: `ground` and its answers.

use super::call::detached;
use super::convert::{text_from, text_to};
use super::document::PyDocument;
use gatewright::evidence::{Flag, Grade, Layers, Match, Part, Place, Prepared, SourceError};
use gatewright::gates::quotes::{Wanted, answers_in, answers_of};
use gatewright::position::{Position, Span};
use gatewright::value::Text;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::hash::BuildHasher as _;

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
    /// From 1; `None` in a source without pages.
    #[pyo3(get)]
    page: Option<usize>,
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
            page: place.page,
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
        dict.set_item("page", self.page)?;
        Ok(dict)
    }

    /// Pickling and copying: the numbers, in the order of [`place_from`].
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, PlaceState)> {
        Ok((native(py, "place_from")?, self.state()))
    }

    fn __repr__(&self) -> String {
        let page = self
            .page
            .map_or_else(|| "None".to_owned(), |page| page.to_string());
        format!(
            "Place(byte_start={}, byte_end={}, line={}, column={}, end_line={}, end_column={}, page={page})",
            self.byte_start, self.byte_end, self.line, self.column, self.end_line, self.end_column
        )
    }
}

/// The numbers of a place: bytes, then line, column, end line, end column, page.
type PlaceState = (usize, usize, usize, usize, usize, usize, Option<usize>);

impl PyPlace {
    fn state(&self) -> PlaceState {
        (
            self.byte_start,
            self.byte_end,
            self.line,
            self.column,
            self.end_line,
            self.end_column,
            self.page,
        )
    }
}

/// The place of these numbers.
const fn place_of(state: PlaceState) -> Place {
    let (byte_start, byte_end, line, column, end_line, end_column, page) = state;
    Place {
        span: Span {
            byte_start,
            byte_end,
        },
        start: Position { line, column },
        end: Position {
            line: end_line,
            column: end_column,
        },
        page,
    }
}

/// The place that `Place.__reduce__` took apart.
#[pyfunction]
#[pyo3(signature = (byte_start, byte_end, line, column, end_line, end_column, page = None))]
pub(crate) fn place_from(
    byte_start: usize,
    byte_end: usize,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
    page: Option<usize>,
) -> PyPlace {
    PyPlace {
        byte_start,
        byte_end,
        line,
        column,
        end_line,
        end_column,
        page,
    }
}

/// A match taken apart: quote, grade, flags, occurrences, place, difference, bytes left out, the
/// source's words, parts.
type MatchState<'py> = (
    Bound<'py, PyString>,
    String,
    Vec<String>,
    usize,
    Option<PlaceState>,
    Option<String>,
    Vec<(usize, usize)>,
    String,
    Vec<(String, PlaceState)>,
);

/// The match that `Match.__reduce__` took apart.
///
/// # Errors
/// `ValueError` for a grade or a flag that this version does not know.
#[pyfunction]
pub(crate) fn match_from(state: MatchState<'_>) -> PyResult<PyMatch> {
    let (quote, grade, flags, occurrences, at, difference, omitted, text, parts) = state;
    let unknown = |name: &str| PyValueError::new_err(format!("no grade or flag {name:?}"));
    let grade_of = |name: &str| Grade::ALL.into_iter().find(|grade| grade.name() == name);
    let flag_of = |name: &str| Flag::ALL.into_iter().find(|flag| flag.name() == name);
    let flags = flags
        .iter()
        .map(|name| flag_of(name).ok_or_else(|| unknown(name)));
    Ok(PyMatch {
        quote: text_from(&quote)?,
        found: Match {
            grade: grade_of(&grade).ok_or_else(|| unknown(&grade))?,
            flags: flags.collect::<PyResult<_>>()?,
            occurrences,
            at: at.map(place_of),
            difference,
            omitted: omitted
                .into_iter()
                .map(|(byte_start, byte_end)| Span {
                    byte_start,
                    byte_end,
                })
                .collect(),
            text,
            parts: parts
                .into_iter()
                .map(|(quote, at)| Part {
                    quote,
                    at: place_of(at),
                })
                .collect(),
        },
    })
}

/// A function of the native module, for `__reduce__`.
fn native<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("gatewright._native")?.getattr(name)
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

    /// The source's own words at the place, or `None` when the quote is absent.
    #[getter]
    fn text(&self) -> Option<&str> {
        self.found.at.map(|_| self.found.text.as_str())
    }

    /// The page on which the passage begins, from 1; `None` in a source without pages.
    #[getter]
    fn page(&self) -> Option<usize> {
        self.found.at.and_then(|at| at.page)
    }

    /// Of an absent quote the longest stretches of three words or more that stand in the source: a
    /// tuple of pairs, the stretch and its `Place`.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = self.found.parts.iter();
        PyTuple::new(
            py,
            parts
                .map(|part| (part.quote.as_str(), PyPlace::from(part.at)))
                .collect::<Vec<_>>(),
        )
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
        dict.set_item("text", self.text())?;
        let parts = self.found.parts.iter().map(|part| {
            let dict = PyDict::new(py);
            dict.set_item("quote", part.quote.as_str())?;
            dict.set_item("at", PyPlace::from(part.at).to_dict(py)?)?;
            Ok(dict)
        });
        dict.set_item("parts", parts.collect::<PyResult<Vec<_>>>()?)?;
        Ok(dict)
    }

    /// Pickling and copying.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (MatchState<'py>,))> {
        // Taken apart by name, so that a new member cannot be forgotten here.
        let Match {
            grade,
            flags,
            occurrences,
            at,
            difference,
            omitted,
            text,
            parts,
        } = &self.found;
        let state = (
            self.quote(py)?,
            grade.name().to_owned(),
            flags.iter().map(|flag| flag.name().to_owned()).collect(),
            *occurrences,
            at.map(|at| PyPlace::from(at).state()),
            difference.clone(),
            omitted
                .iter()
                .map(|span| (span.byte_start, span.byte_end))
                .collect(),
            text.clone(),
            parts
                .iter()
                .map(|part| (part.quote.clone(), PyPlace::from(part.at).state()))
                .collect(),
        );
        Ok((native(py, "match_from")?, (state,)))
    }

    /// Equal matches have equal hashes; what tells two matches apart is mostly quote and place.
    fn __hash__(&self) -> u64 {
        let place = self.found.at.map(|at| at.span);
        rustc_hash::FxBuildHasher.hash_one((self.quote.as_bytes(), self.found.grade.name(), place))
    }

    /// The match in a notebook.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("gatewright._notebook")?;
        module.getattr("match_html")?.call1((slf,))
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

/// Grade `quotes` against the UTF-8 text `source`; `prefix` and `suffix` stand around each of them.
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
    prefix: &str,
    suffix: &str,
) -> PyResult<Vec<PyMatch>> {
    let wanted = wanted_of(&quotes, prefix, suffix)?;
    let bytes = source.as_bytes();
    let found = detached(py, || {
        Prepared::from_bytes(bytes).map(|source| answers_of(&source, Layers::default(), &wanted))
    })?;
    matches_of(py, wanted, found, name)
}

/// Grade `quotes` against a document; `prefix` and `suffix` stand around each of them.
///
/// # Errors
/// `GatewrightError` when its text is too large.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn ground_document(
    py: Python<'_>,
    quotes: Vec<Bound<'_, PyString>>,
    document: &Bound<'_, PyDocument>,
    prefix: &str,
    suffix: &str,
) -> PyResult<Vec<PyMatch>> {
    let wanted = wanted_of(&quotes, prefix, suffix)?;
    let document = document.get();
    let found = detached(py, || answers_in(&document.read, &wanted))?;
    matches_of(py, wanted, found, document.name())
}

fn wanted_of(
    quotes: &[Bound<'_, PyString>],
    prefix: &str,
    suffix: &str,
) -> PyResult<Vec<Wanted<'static>>> {
    quotes
        .iter()
        .map(|quote| {
            Ok(Wanted {
                quote: text_from(quote)?,
                prefix: prefix.to_owned(),
                suffix: suffix.to_owned(),
            })
        })
        .collect()
}

fn matches_of(
    py: Python<'_>,
    wanted: Vec<Wanted<'static>>,
    found: Result<Vec<Match>, SourceError>,
    name: &str,
) -> PyResult<Vec<PyMatch>> {
    let found = found.map_err(|error| unusable(py, &error.to_string(), name))?;
    Ok(wanted
        .into_iter()
        .zip(found)
        .map(|(wanted, found)| PyMatch {
            quote: wanted.quote,
            found,
        })
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
