//! Plain Python objects to values and back: `None`, `bool`, `int` of any size, `float`, `str` with
//! lone surrogates, `list`, `tuple`, `dict` with text keys.

use gatewright::value::number::BigInteger;
use gatewright::value::{Object, Text, Value};
use pyo3::exceptions::{PyRecursionError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::borrow::Cow;

/// A Python `str` as a text.
pub(crate) fn text_from(object: &Bound<'_, PyString>) -> PyResult<Text<'static>> {
    if let Ok(text) = object.to_cow() {
        return Ok(Text::from(text.into_owned()));
    }
    let bytes = object.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let bytes = bytes.cast_into::<PyBytes>()?;
    Ok(Text::from_wtf8(Cow::Owned(bytes.as_bytes().to_vec())))
}

/// A text as a Python `str`.
pub(crate) fn text_to<'py>(py: Python<'py>, text: &Text<'_>) -> PyResult<Bound<'py, PyString>> {
    if let Some(text) = text.as_str() {
        return Ok(PyString::new(py, text));
    }
    let bytes = PyBytes::new(py, text.as_bytes());
    Ok(bytes
        .call_method1("decode", ("utf-8", "surrogatepass"))?
        .cast_into()?)
}

/// A plain Python object as a value.
///
/// # Errors
/// `TypeError` for anything JSON has no place for, naming the path; `RecursionError` when nested
/// deeper than documents may be.
pub(crate) fn value_from(object: &Bound<'_, PyAny>) -> PyResult<Value<'static>> {
    convert(object, 0, "$", Kinds::Alike)
}

/// A plain Python object as a value, for the functions of scripts, which do the recorded steps in
/// Python wherever a value is not just what `json` gives: a tuple, an object of a subclass.
///
/// # Errors
/// As [`value_from`].
pub(crate) fn json_from(object: &Bound<'_, PyAny>) -> PyResult<Value<'static>> {
    convert(object, 0, "$", Kinds::Exact)
}

/// Which Python types stand for the types of JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kinds {
    /// Those that `json` gives.
    Exact,
    /// Their subclasses and tuples as well.
    Alike,
}

fn is_exact(object: &Bound<'_, PyAny>) -> bool {
    object.is_none()
        || object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyDict>()
        || object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<PyFloat>()
}

fn convert(
    object: &Bound<'_, PyAny>,
    depth: usize,
    path: &str,
    kinds: Kinds,
) -> PyResult<Value<'static>> {
    if depth > gatewright::value::json::reader::MAX_DEPTH {
        return Err(PyRecursionError::new_err(
            "value is nested deeper than 1000 levels",
        ));
    }
    if kinds == Kinds::Exact && !is_exact(object) {
        return Err(no_json(object, path));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Str(text_from(text)?));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(number) = object.cast::<PyInt>() {
        return integer(number);
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Ok(Value::Float(number.value()));
    }
    if let Ok(members) = object.cast::<PyDict>() {
        let mut converted = Object::new();
        for (key, value) in members.iter() {
            if kinds == Kinds::Exact && !is_exact(&key) {
                return Err(no_json(&key, path));
            }
            let key = key.cast_into::<PyString>().map_err(|fault| {
                PyTypeError::new_err(format!(
                    "{path}: a key is a {}, expected str",
                    type_name(&fault.into_inner())
                ))
            })?;
            let key = text_from(&key)?;
            let value = convert(&value, depth + 1, path, kinds)?;
            converted.insert(key, value);
        }
        return Ok(Value::Object(converted));
    }
    if let Ok(items) = object.cast::<PyList>() {
        return items
            .iter()
            .map(|item| convert(&item, depth + 1, path, kinds))
            .collect::<PyResult<_>>()
            .map(Value::Array);
    }
    if let Ok(items) = object.cast::<PyTuple>() {
        return items
            .iter()
            .map(|item| convert(&item, depth + 1, path, kinds))
            .collect::<PyResult<_>>()
            .map(Value::Array);
    }
    Err(no_json(object, path))
}

fn no_json(object: &Bound<'_, PyAny>, path: &str) -> PyErr {
    PyTypeError::new_err(format!("{path}: a {} is no JSON value", type_name(object)))
}

fn type_name(object: &Bound<'_, PyAny>) -> String {
    object
        .get_type()
        .name()
        .map_or_else(|_| "object".to_owned(), |name| name.to_string())
}

fn integer(number: &Bound<'_, PyInt>) -> PyResult<Value<'static>> {
    if let Ok(small) = number.extract::<i64>() {
        return Ok(Value::Int(small));
    }
    // `str` of a huge integer is refused by newer Pythons; hexadecimal never is.
    let hex: String = number.call_method1("__format__", ("x",))?.extract()?;
    let exact = num_bigint::BigInt::parse_bytes(hex.as_bytes(), 16);
    let decimal = exact.map_or_else(|| "0".to_owned(), |exact| exact.to_string());
    Ok(Value::BigInt(Box::new(BigInteger::from_literal(decimal))))
}

/// A value as a plain Python object.
pub(crate) fn value_to<'py>(py: Python<'py>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Int(number) => number.into_pyobject(py)?.into_any(),
        Value::BigInt(number) => {
            let exact = num_bigint::BigInt::parse_bytes(number.as_decimal().as_bytes(), 10)
                .unwrap_or_default();
            py.get_type::<PyInt>().call1((exact.to_str_radix(16), 16))?
        }
        Value::Float(number) => PyFloat::new(py, *number).into_any(),
        Value::Str(text) => text_to(py, text)?.into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(value_to(py, item)?)?;
            }
            list.into_any()
        }
        Value::Object(object) => {
            let dict = PyDict::new(py);
            for (key, member) in object {
                dict.set_item(text_to(py, key)?, value_to(py, member)?)?;
            }
            dict.into_any()
        }
    })
}
