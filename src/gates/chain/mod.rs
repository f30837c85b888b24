//! The findings ledger: read-back, quotes, checker plan, merge, status.
//!
//! In: values read from framework, ledger, manifest, checker plan and checker results. Out: the
//! artifacts of the chain and what stands against them, as data. Nothing here touches a file.

pub mod calibration;
pub mod calibration_rules;
pub mod custody;
pub mod declared;
pub mod document;
pub mod merge;
pub mod plan;
pub mod quotes;
pub mod readback;
pub mod receipt;
pub mod rules;

pub use document::{Ledger, Listing, Record};

use crate::value::{Text, Value};

/// What `get` finds where nothing is, as Python's `dict.get`.
pub(crate) const NULL: &Value<'static> = &Value::Null;

/// Which input of a command is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    /// The findings ledger.
    Findings,
    /// The framework.
    Framework,
    /// The manifest of the documents.
    Manifest,
    /// The checker plan.
    Plan,
}

impl Input {
    /// How the recorded messages call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Findings => "findings",
            Self::Framework => "framework",
            Self::Manifest => "manifest",
            Self::Plan => "checker plan",
        }
    }
}

/// Why a stage of the chain ends without an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The work does not hold: the recorded sentence, without the name of the command.
    Said(Text<'static>),
    /// The work does not hold for all of these reasons, sorted.
    Faults(Vec<Text<'static>>),
    /// An input has a shape in which nothing can be decided.
    Unusable {
        /// Which input.
        input: Input,
        /// Path of the value.
        place: String,
        /// Why, one line.
        reason: String,
    },
}

impl Stop {
    fn said(text: impl Into<String>) -> Self {
        Self::Said(Text::from(text.into()))
    }

    /// All of these reasons, in the order in which the recorded commands join them.
    pub(crate) fn faults(mut texts: Vec<Text<'static>>) -> Self {
        texts.sort();
        Self::Faults(texts)
    }

    /// A value of a type that cannot stand where it stands.
    fn odd_type(input: Input, place: impl Into<String>, value: &Value<'_>, wanted: &str) -> Self {
        Self::Unusable {
            input,
            place: place.into(),
            reason: format!("expected {wanted}, got {}", value.json_type()),
        }
    }

    /// A required member that is absent.
    fn absent(input: Input, place: impl Into<String>, key: &str) -> Self {
        Self::Unusable {
            input,
            place: place.into(),
            reason: format!("missing key '{key}'"),
        }
    }
}

/// Python's `key in value`; nothing for a type that has no `in`.
pub fn python_contains(value: &Value<'_>, key: &str) -> Option<bool> {
    match value {
        Value::Object(object) => Some(object.contains_key(key)),
        Value::Array(items) => Some(items.contains(&Value::from(key))),
        Value::Str(text) => Some(memchr::memmem::find(text.as_bytes(), key.as_bytes()).is_some()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => None,
    }
}

/// Checks that `root` has `keys` as Python's `in` sees them, and is an object after all.
///
/// # Errors
/// The recorded sentence for the first missing key; unusable for any other root.
pub fn require_keys(input: Input, root: &Value<'_>, keys: &[&str]) -> Result<(), Stop> {
    for key in keys {
        match python_contains(root, key) {
            Some(true) => {}
            Some(false) => {
                return Err(Stop::said(format!("{} missing key '{key}'", input.label())));
            }
            None => return Err(Stop::odd_type(input, "", root, "object")),
        }
    }
    if root.as_object().is_none() {
        return Err(Stop::odd_type(input, "", root, "object"));
    }
    Ok(())
}

/// What Python's `for item in value` would walk: the items of an array; nothing for an empty
/// object or text, whose items would be texts.
///
/// # Errors
/// Unusable for everything else.
pub(crate) fn iterated<'v, 'a>(
    input: Input,
    place: &str,
    value: &'v Value<'a>,
) -> Result<&'v [Value<'a>], Stop> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(object) if object.is_empty() => Ok(&[]),
        Value::Str(text) if text.is_empty() => Ok(&[]),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Object(_) => Err(Stop::odd_type(input, place, value, "array")),
    }
}

/// `str(finding.get(key) or "").strip()` is empty: of all truthy values only a text can be blank.
pub(crate) fn is_blank_member(finding: &Record<'_>, key: &str) -> bool {
    let value = finding.value_of(key);
    value.as_text().map_or(!value.is_truthy(), Text::is_blank)
}

/// `(finding.get(key) or {}).get("status") == "confirmed"`.
///
/// # Errors
/// Unusable for a receipt that is neither falsy nor an object.
pub(crate) fn is_confirmed_receipt(
    finding: &Record<'_>,
    key: &str,
    index: usize,
) -> Result<bool, Stop> {
    let receipt = finding.value_of(key);
    if receipt.as_object().is_none() && receipt.is_truthy() {
        return Err(odd_member(finding, key, index, "object"));
    }
    Ok(receipt
        .get("status")
        .is_some_and(|status| *status == Value::from("confirmed")))
}

/// A member of a finding whose type cannot stand there.
pub(crate) fn odd_member(finding: &Record<'_>, key: &str, index: usize, wanted: &str) -> Stop {
    Stop::odd_type(
        Input::Findings,
        format!("$.findings[{index}].{key}"),
        &finding.value_of(key),
        wanted,
    )
}

/// `finding.get("status") == "present"`.
///
/// # Errors
/// Unusable for a finding that is no object.
pub(crate) fn is_present(finding: &Record<'_>, index: usize) -> Result<bool, Stop> {
    if !finding.is_object() {
        let place = format!("$.findings[{index}]");
        return Err(Stop::odd_type(
            Input::Findings,
            place,
            &finding.value(),
            "object",
        ));
    }
    Ok(finding
        .get("status")
        .is_some_and(|status| status.is("present")))
}

/// A set member as Python hashes it: equal numbers are one whatever their type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key<'a> {
    Text(Text<'a>),
    Number(String),
    Null,
}

impl<'a> Key<'a> {
    /// The same with a text of its own.
    pub(crate) fn into_owned(self) -> Key<'static> {
        match self {
            Self::Text(text) => Key::Text(text.into_owned()),
            Self::Number(number) => Key::Number(number),
            Self::Null => Key::Null,
        }
    }

    /// The key of `value`; nothing for one that Python cannot hash.
    pub(crate) fn of(value: &Value<'a>) -> Option<Self> {
        Some(match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Number(u8::from(*flag).to_string()),
            Value::Int(number) => Self::Number(number.to_string()),
            Value::BigInt(number) => Self::Number(number.as_decimal().to_owned()),
            // `{:.0}` of a whole float is its exact decimal; `-0.0` equals 0.
            Value::Float(number) if *number == 0.0 => Self::Number("0".to_owned()),
            Value::Float(number) if number.fract() == 0.0 => Self::Number(format!("{number:.0}")),
            Value::Float(number) => Self::Number(format!("f{number:?}")),
            Value::Str(text) => Self::Text(text.clone()),
            Value::Array(_) | Value::Object(_) => return None,
        })
    }
}
