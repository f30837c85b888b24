//! The Python extension module; the only room that names `PyO3`.
//!
//! A function here converts arguments, releases the interpreter, calls the core and converts the
//! result. Nothing is decided here. `process` runs commands, `convert` carries plain Python
//! objects to values and back; each gate's functions have a file of their own.

mod batch;
mod blueprint;
mod call;
mod case;
pub(crate) mod convert;
mod counts;
mod document;
mod draft;
mod evidence;
mod framework;
mod ledger;
pub(crate) mod outcome;
mod process;
mod scorecard;
mod value;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::batch::{PyCoverage, ground_batch};
    #[pymodule_export]
    use super::blueprint::{
        blueprint_accept, blueprint_decide, blueprint_recount, observed_colors, palette_colors,
        recount_recorded,
    };
    #[pymodule_export]
    use super::case::yaml_value;
    #[pymodule_export]
    use super::counts::{
        counts_reconcile, counts_reviewable, ledger_reconcile_files, ledger_reconcile_values,
    };
    #[pymodule_export]
    use super::document::{PyDocument, document_from, read_document, read_pdfs};
    #[pymodule_export]
    use super::draft::assess_draft;
    #[pymodule_export]
    use super::evidence::{PyMatch, PyPlace, ground, ground_document, match_from, place_from};
    #[pymodule_export]
    use super::framework::{
        framework_check, framework_check_schema, framework_names, framework_semantic_errors,
        framework_sibling_schema, framework_type_name,
    };
    #[pymodule_export]
    use super::ledger::{ledger_quote_is_found, ledger_source_path};
    #[pymodule_export]
    use super::process::{
        call_with_stack, cli_output, dropin_spec, run_cli, run_command, run_main, run_script,
    };

    #[pymodule_export]
    use super::scorecard::check_scorecard;
    #[pymodule_export]
    use super::value::{
        _equal, _json_dump, _json_report, _json_roundtrip, _json_value, _len, _pattern_search,
        _repr, _str, _strip,
    };

    use pyo3::prelude::{Bound, PyAnyMethods as _, PyModule, PyModuleMethods as _, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let minor = module.py().version_info().minor;
        gatewright::text::python::set_unicode_version(gatewright::interpreter::unicode_version(
            minor,
        ));
        gatewright::files::ask_while_waiting(super::call::is_stopped);
        // An embedded interpreter may have no program of its own.
        if let Ok(python) = module
            .py()
            .import("sys")
            .and_then(|sys| sys.getattr("executable"))
            .and_then(|path| path.extract::<std::path::PathBuf>())
            && !python.as_os_str().is_empty()
        {
            gatewright::interpreter::set_running(python);
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
