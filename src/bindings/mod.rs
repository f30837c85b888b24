//! The Python extension module; the only room that names `PyO3`.

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use super::*;

    /// Version of the package.
    #[pyfunction]
    fn version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
