//! Documents for Python: what was read of a file, and the worker that reads PDF files.

use super::call::detached;
use super::evidence::unusable;
use gatewright::extract::{ExtractedText, Extractor, Unreadable, read_source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::hash::BuildHasher as _;
use std::path::PathBuf;

/// The text of a document as a reader sees it, and what read it.
#[pyclass(frozen, eq, name = "Document", module = "gatewright")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PyDocument {
    name: String,
    pub(crate) read: ExtractedText,
}

impl PyDocument {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

#[pymethods]
impl PyDocument {
    /// The path as it was given.
    #[getter]
    fn path(&self) -> &str {
        &self.name
    }

    /// The text; each page ends with a form feed.
    #[getter]
    fn text(&self) -> &str {
        &self.read.text
    }

    /// Number of pages; `None` for a format without pages.
    #[getter]
    fn pages(&self) -> Option<usize> {
        self.read.pages
    }

    /// What read it, with its version, such as `pdfium 151.0.7891.0`.
    #[getter]
    fn reader(&self) -> &str {
        &self.read.reader
    }

    /// Pages (from 1) of which no text is known, such as scans; a tuple.
    #[getter]
    fn unread_pages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.read.unread_pages)
    }

    /// Characters that nobody sees, which are left out.
    #[getter]
    fn hidden_count(&self) -> usize {
        self.read.hidden_count
    }

    /// The text of one page (from 1); `IndexError` for a page that is not there.
    fn page_text(&self, page: usize) -> PyResult<&str> {
        let absent = || {
            pyo3::exceptions::PyIndexError::new_err(match self.read.pages {
                Some(pages) => format!("page {page} of a document with {pages} pages"),
                None => "the document has no pages".to_owned(),
            })
        };
        let pages = self.read.pages.ok_or_else(absent)?;
        let index = page.checked_sub(1).filter(|index| *index < pages);
        index
            .and_then(|index| self.read.text.split('\u{c}').nth(index))
            .ok_or_else(absent)
    }

    /// Pickling and copying: path and what was read, as JSON.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&str, String))> {
        let state = self
            .read
            .to_json()
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let rebuilt = py.import("gatewright._native")?.getattr("document_from")?;
        Ok((rebuilt, (&self.name, state)))
    }

    fn __hash__(&self) -> u64 {
        rustc_hash::FxBuildHasher.hash_one((&self.name, &self.read.text))
    }

    fn __repr__(&self) -> String {
        let pages = self
            .read
            .pages
            .map_or_else(|| "None".to_owned(), |pages| pages.to_string());
        format!(
            "Document(path={:?}, pages={pages}, reader={:?})",
            self.name, self.read.reader
        )
    }
}

/// The document that `Document.__reduce__` took apart.
///
/// # Errors
/// `ValueError` for a state of another version.
#[pyfunction]
pub(crate) fn document_from(name: String, state: &str) -> PyResult<PyDocument> {
    let read = ExtractedText::from_json(state)
        .map_err(|error| PyValueError::new_err(format!("no document: {error}")))?;
    Ok(PyDocument { name, read })
}

/// The document with these bytes; the extension of `name` says of which format.
///
/// # Errors
/// `GatewrightError` when it cannot be read, `ValueError` for an unknown `extractor`.
#[pyfunction]
pub(crate) fn read_document(
    py: Python<'_>,
    name: String,
    content: &Bound<'_, PyBytes>,
    extractor: &str,
) -> PyResult<PyDocument> {
    let extractor = Extractor::parse(extractor)
        .ok_or_else(|| PyValueError::new_err(format!("no reader is called {extractor:?}")))?;
    let bytes = content.as_bytes();
    let read: Result<ExtractedText, Unreadable> =
        detached(py, || read_source(&name, bytes, extractor))?;
    match read {
        Ok(read) => Ok(PyDocument { name, read }),
        Err(error) => Err(unusable(py, &error.to_string(), &name)),
    }
}

/// Read PDF files from standard input until it ends; `library_folder` holds pdfium. For the child
/// processes that this package starts.
///
/// # Errors
/// `OSError` of the standard streams.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn read_pdfs(py: Python<'_>, library_folder: PathBuf) -> PyResult<()> {
    detached(py, || {
        gatewright::extract::pdf::worker::run(&library_folder)
    })??;
    Ok(())
}
