//! The framework gate on plain Python objects, and Python's `re` for the patterns the core leaves.

use super::call::{detached, in_world};
use super::convert::{json_from, text_from, text_to, value_from};
use super::outcome::outcome_to;
use gatewright::dropin::words::framework::line;
use gatewright::error::Error;
use gatewright::gates::framework::{self, Problem, Schema, Unusable};
use gatewright::source::{Document, Source};
use gatewright::text::patterns::PatternEngine;
use gatewright::value::{Text, Value};
use gatewright::world::World as _;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PySet, PyString, PyTuple};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;

/// Python's `re` behind the core's [`PatternEngine`].
#[derive(Default)]
pub(crate) struct PythonPatterns {
    /// What ended a search other than the pattern: an interrupt.
    stop: Mutex<Option<PyErr>>,
}

impl PythonPatterns {
    /// The exception that ended a search and is the caller's to raise.
    pub(crate) fn take_stop(&self) -> Option<PyErr> {
        self.stop.lock().ok()?.take()
    }
}

impl PatternEngine for PythonPatterns {
    fn search(&self, pattern: &Text<'_>, subject: &Text<'_>) -> Result<bool, String> {
        Python::attach(|py| {
            let found = || -> PyResult<bool> {
                py.import("gatewright._patterns")?
                    .call_method1("search", (text_to(py, pattern)?, text_to(py, subject)?))?
                    .extract()
            };
            found().map_err(|fault| {
                let words = fault.value(py).to_string();
                if !fault.is_instance_of::<PyException>(py)
                    && let Ok(mut stop) = self.stop.lock()
                {
                    *stop = Some(fault);
                }
                words
            })
        })
    }
}

/// The schema's name for the type of a plain Python object; Python's own for other objects.
#[pyfunction]
pub(crate) fn framework_type_name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let name = if value.is_none() {
        "null"
    } else if value.is_instance_of::<PyBool>() {
        "boolean"
    } else if value.is_instance_of::<PyInt>() {
        "integer"
    } else if value.is_instance_of::<PyFloat>() {
        "number"
    } else if value.is_instance_of::<PyString>() {
        "string"
    } else if value.is_instance_of::<PyList>() {
        "array"
    } else if value.is_instance_of::<PyDict>() {
        "object"
    } else {
        return Ok(value.get_type().name()?.to_string());
    };
    Ok(name.to_owned())
}

/// `{"type_names": [...], "handled": [...], "metadata": [...]}`: the names the gate knows.
#[pyfunction]
pub(crate) fn framework_names(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let names = PyDict::new(py);
    names.set_item("type_names", framework::TYPE_NAMES)?;
    names.set_item("handled", framework::HANDLED)?;
    names.set_item("metadata", framework::METADATA)?;
    Ok(names)
}

/// Check `value` against `schema`: the error lines, the root written as `path`, and the keywords
/// that are not enforced.
#[pyfunction]
pub(crate) fn framework_check_schema<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    schema: &Bound<'py, PyAny>,
    path: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyTuple>> {
    let (value, document) = (json_from(value)?, json_from(schema)?);
    let schema = Schema::new(&document);
    let patterns = PythonPatterns::default();
    let found = detached(py, || framework::check_schema(&value, &schema, &patterns))?;
    let found = found.map_err(|fault| unusable(py, &patterns, &fault))?;
    let lines = lines(py, &found.problems, &text_from(path)?)?;
    PyTuple::new(
        py,
        [lines.into_any(), names(py, &found.unknown)?.into_any()],
    )
}

/// The error lines of the semantic checks.
#[pyfunction]
#[pyo3(signature = (value, allow_approved=false))]
pub(crate) fn framework_semantic_errors<'py>(
    py: Python<'py>,
    value: &Bound<'py, PyAny>,
    allow_approved: bool,
) -> PyResult<Bound<'py, PyList>> {
    let value = json_from(value)?;
    let problems = framework::semantic_problems(&value, allow_approved);
    lines(py, &problems, &Text::borrowed("$"))
}

/// Absolute path of the schema that belongs to the entry script `script`.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn framework_sibling_schema(script: PathBuf) -> OsString {
    gatewright::dropin::validate_framework::sibling_schema(&script).into_os_string()
}

/// A document given to [`framework_check`].
enum Given {
    File(PathBuf),
    Loaded(Value<'static>),
}

impl Given {
    /// A path is a file, anything else a loaded document.
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !object.is_instance_of::<PyString>() && !object.hasattr("__fspath__")? {
            return Ok(Self::Loaded(value_from(object)?));
        }
        object.extract().map(Self::File)
    }

    fn source(&self, role: &'static str) -> Result<Option<Source>, Error> {
        match self {
            Self::File(path) => Source::read(role, path).map(Some),
            Self::Loaded(_) => Ok(None),
        }
    }

    fn document<'d>(
        &'d self,
        role: &'static str,
        source: Option<&'d Source>,
    ) -> Result<Document<'d>, Error> {
        match (self, source) {
            (_, Some(source)) => source.document(),
            (Self::Loaded(value), None) => Ok(Document::loaded(role, value)),
            (Self::File(_), None) => Err(Error::Internal("a file was not read")),
        }
    }
}

/// The outcome of the strict gate for a path or a loaded document.
#[pyfunction]
#[pyo3(signature = (framework, schema=None, allow_approved=false))]
pub(crate) fn framework_check<'py>(
    py: Python<'py>,
    framework: &Bound<'py, PyAny>,
    schema: Option<&Bound<'py, PyAny>>,
    allow_approved: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let framework = Given::of(framework)?;
    let schema = schema.map(Given::of).transpose()?;
    let outcome = in_world(py, |world| {
        let source = framework.source("framework")?;
        let framework = framework.document("framework", source.as_ref())?;
        let schema_source = match &schema {
            Some(schema) => schema.source("schema")?,
            None => Some(framework::strict::own_schema()),
        };
        let schema = match &schema {
            Some(schema) => schema.document("schema", schema_source.as_ref())?,
            None => match &schema_source {
                Some(source) => source.document()?,
                None => return Err(Error::Internal("the schema that ships was not read")),
            },
        };
        framework::strict::check(&framework, &schema, allow_approved, world.pattern_engine())
    });
    outcome_to(py, outcome?)
}

fn lines<'py>(
    py: Python<'py>,
    problems: &[Problem<'_>],
    root: &Text<'_>,
) -> PyResult<Bound<'py, PyList>> {
    let lines = PyList::empty(py);
    for problem in problems {
        lines.append(text_to(py, &line(problem, root))?)?;
    }
    Ok(lines)
}

fn names<'py>(
    py: Python<'py>,
    unknown: &std::collections::BTreeSet<Text<'static>>,
) -> PyResult<Bound<'py, PySet>> {
    let names = PySet::empty(py)?;
    for name in unknown {
        names.add(text_to(py, name)?)?;
    }
    Ok(names)
}

/// The exception for a schema that cannot be used; an interrupt of a search goes first.
fn unusable(py: Python<'_>, patterns: &PythonPatterns, fault: &Unusable) -> PyErr {
    patterns.take_stop().unwrap_or_else(|| {
        let raised = py
            .import("gatewright.errors")
            .and_then(|errors| errors.getattr("GatewrightError"))
            .and_then(|class| class.call1((&fault.reason, "schema", &fault.place)));
        match raised {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    })
}
