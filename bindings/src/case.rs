//! Case files of the pytest plugin: YAML as plain Python objects, so that no YAML package is needed.

use super::convert::text_to;
use gatewright::value::yaml::{YamlValue, parse_yaml};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList};

/// The YAML document in `data` as plain objects: `None`, `bool`, `int`, `float`, `str`, `list`,
/// `dict`.
///
/// # Errors
/// `ValueError` for faulty YAML and for values that are no plain objects (dates, binary data).
#[pyfunction]
pub(crate) fn yaml_value<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let value = parse_yaml(data).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    plain(py, &value)
}

fn plain<'py>(py: Python<'py>, value: &YamlValue) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        YamlValue::Null => py.None().into_bound(py),
        YamlValue::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        YamlValue::Int(number) => number.into_pyobject(py)?.into_any(),
        YamlValue::BigInt(number) => py.get_type::<PyInt>().call1((number.as_decimal(),))?,
        YamlValue::Float(number) => PyFloat::new(py, *number).into_any(),
        YamlValue::Str(text) => text_to(py, text)?.into_any(),
        YamlValue::List(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(plain(py, item)?)?;
            }
            list.into_any()
        }
        YamlValue::Map(map) => {
            let dict = PyDict::new(py);
            for member in map.iter() {
                dict.set_item(plain(py, &member.key)?, plain(py, &member.value)?)?;
            }
            dict.into_any()
        }
        YamlValue::Binary(_) | YamlValue::Timestamp(_) | YamlValue::Pair(_) | YamlValue::Set(_) => {
            return Err(PyValueError::new_err(
                "a date, binary data, a pair or a set is no plain value; put it in quotes",
            ));
        }
    })
}
