//! Documents for Python: the worker that reads PDF files.

use pyo3::prelude::*;
use std::path::PathBuf;

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
    py.detach(|| gatewright::extract::pdf::worker::run(&library_folder))?;
    Ok(())
}
