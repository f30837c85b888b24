//! What values mean in a draft: gap statuses, blank and empty values, integers, quotations.
//!
//! In: values. Out: yes, no, or text for a reason. Nothing here knows a rule.

use crate::finding::excerpt;
use crate::value::json::{Style, dump};
use crate::value::{Object, Text, Value};

/// The two statuses of something that was not observed.
pub const GAP_STATUSES: [&str; 2] = ["not_observed", "blocked"];

/// Whether `object` says that it was not observed.
pub fn is_gap(object: &Object<'_>) -> bool {
    object
        .get("observation_status")
        .and_then(Value::as_text)
        .is_some_and(is_gap_status)
}

/// Whether `status` is one of [`GAP_STATUSES`].
pub fn is_gap_status(status: &Text<'_>) -> bool {
    GAP_STATUSES.iter().any(|gap| status == gap)
}

/// Whether `value` is an object that says it was not observed.
pub fn is_gap_value(value: &Value<'_>) -> bool {
    value.as_object().is_some_and(is_gap)
}

/// The non-blank reason of an object.
pub fn reason<'o>(object: &'o Object<'_>) -> Option<&'o Text<'o>> {
    filled_text(object.get("reason"))
}

/// A gap with its reason.
pub fn is_reasoned_gap(value: &Value<'_>) -> bool {
    value
        .as_object()
        .is_some_and(|object| is_gap(object) && reason(object).is_some())
}

/// The text of a value, when it is a string that is not blank.
pub fn filled_text<'o>(value: Option<&'o Value<'_>>) -> Option<&'o Text<'o>> {
    value
        .and_then(Value::as_text)
        .filter(|text| !text.is_blank())
}

/// Null, a blank string, an empty list or an empty object.
pub fn is_empty(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::Str(text) => text.is_blank(),
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => false,
    }
}

/// Whether `value` is the string `text`.
pub fn is_text(value: Option<&Value<'_>>, text: &str) -> bool {
    value
        .and_then(Value::as_text)
        .is_some_and(|known| known == text)
}

/// An integer as a schema counts it: `1` and `1.0`, not `true`. Larger than 128 bits saturates.
pub fn integer(value: &Value<'_>) -> Option<i128> {
    match value {
        Value::Int(number) => Some(i128::from(*number)),
        Value::BigInt(number) => Some(number.as_decimal().parse().unwrap_or(
            if number.is_negative() {
                i128::MIN
            } else {
                i128::MAX
            },
        )),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a float without fraction saturates as an integer should"
        )]
        Value::Float(number) if number.is_finite() && number.fract() == 0.0 => {
            Some(*number as i128)
        }
        Value::Float(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Str(_)
        | Value::Array(_)
        | Value::Object(_) => None,
    }
}

/// The strings among the items of a list.
pub fn texts<'o>(value: Option<&'o Value<'_>>) -> impl Iterator<Item = (usize, &'o Text<'o>)> {
    value
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter_map(|(index, item)| item.as_text().map(|text| (index, text)))
}

/// `value` in backticks as JSON on one line, cut where a reason would get too long.
pub fn quoted(value: Option<&Value<'_>>) -> String {
    let Some(value) = value else {
        return String::from("`(absent)`");
    };
    let bytes = match value {
        // Nobody reads a long list inside a sentence: show its size.
        Value::Array(items) if items.len() > 8 => return format!("`[… {} …]`", items.len()),
        Value::Object(object) if object.len() > 8 => return format!("`{{… {} …}}`", object.len()),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Array(_)
        | Value::Object(_) => dump(value, Style::UNICODE_LINE),
    };
    format!("`{}`", excerpt(&String::from_utf8_lossy(&bytes)))
}

/// Equal as JSON: numbers by value, booleans apart from 0 and 1, objects regardless of order.
pub fn is_same_json(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Bool(_), _) | (_, Value::Bool(_)) => false,
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| is_same_json(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| {
                    right
                        .get_text(key)
                        .is_some_and(|right| is_same_json(left, right))
                })
        }
        (Value::Float(left), Value::Float(right)) if left.is_nan() && right.is_nan() => true,
        (left, right) => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    #[test]
    fn integers_are_those_of_a_schema() {
        for (text, expected) in [
            ("1", Some(1)),
            ("1.0", Some(1)),
            ("-2", Some(-2)),
            ("1.5", None),
            ("true", None),
            ("NaN", None),
            ("\"1\"", None),
            ("1e300", Some(i128::MAX)),
        ] {
            assert_eq!(integer(&parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn json_equality_keeps_booleans_apart() {
        let same = |left, right| is_same_json(&parse(left).unwrap(), &parse(right).unwrap());
        assert!(same("{\"a\":1,\"b\":[2.0]}", "{\"b\":[2],\"a\":1.0}"));
        assert!(!same("{\"a\":1}", "{\"a\":true}"));
        assert!(!same("{\"a\":1}", "{\"a\":1,\"b\":null}"));
        assert!(same("[NaN]", "[NaN]"));
    }
}
