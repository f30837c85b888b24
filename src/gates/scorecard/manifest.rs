//! The run's record, `MANIFEST.json`, after one more scorecard, in the recorded command's spelling.
//!
//! In: the old object, who was judged, the judgement. Out: the new object, and its bytes as jq 1.6
//! prints them (integers keep their digits, which jq loses above 2^53). Nothing but four members is
//! touched.

use super::judge::{Drop, Fault, Judgement};
use crate::invariant::Invariant as _;
use crate::text::Text;
use crate::value::number::BigInteger;
use crate::value::yaml::{YamlMap, YamlValue};
use crate::value::{Object, Value};
use num_bigint::BigInt;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Fields of a kept finding that the manifest lists, in order.
const LISTED_FIELDS: [&str; 5] = ["id", "target", "claim", "severity", "category"];

/// Who was judged, and why that persona ran.
#[derive(Clone, Copy, Debug)]
pub struct Run<'r> {
    /// The persona.
    pub persona: &'r str,
    /// What the run gave as its reason.
    pub trigger_reason: &'r str,
}

fn fault(place: impl Into<String>, reason: impl Into<String>) -> Fault {
    Fault {
        place: place.into(),
        reason: reason.into(),
    }
}

/// The kept findings as the manifest lists them.
///
/// # Errors
/// [`Fault`] for a field that JSON cannot hold: a date, a set, binary data.
pub fn listed_findings(judgement: &Judgement) -> Result<Value<'static>, Fault> {
    let mut listed = Vec::with_capacity(judgement.kept.len());
    for kept in &judgement.kept {
        let mut object = Object::new();
        for field in LISTED_FIELDS {
            let value = match kept.finding.get(field) {
                Some(value) => json_of(value)
                    .map_err(|reason| fault(format!("findings[{}].{field}", kept.index), reason))?,
                None => Value::from(""),
            };
            object.insert(field, value);
        }
        listed.push(Value::Object(object));
    }
    Ok(Value::Array(listed))
}

/// A YAML value as `json.dumps` takes it.
fn json_of(value: &YamlValue) -> Result<Value<'static>, String> {
    Ok(match value {
        YamlValue::Null => Value::Null,
        YamlValue::Bool(flag) => Value::Bool(*flag),
        YamlValue::Int(number) => Value::Int(*number),
        YamlValue::BigInt(number) => Value::BigInt(number.clone()),
        YamlValue::Float(number) => Value::Float(*number),
        YamlValue::Str(text) => Value::Str(text.clone()),
        YamlValue::List(items) => {
            Value::Array(items.iter().map(json_of).collect::<Result<_, _>>()?)
        }
        YamlValue::Pair(pair) => Value::Array(vec![json_of(&pair.0)?, json_of(&pair.1)?]),
        YamlValue::Map(map) => Value::Object(json_object_of(map)?),
        YamlValue::Timestamp(_) | YamlValue::Binary(_) | YamlValue::Set(_) => {
            return Err(format!(
                "JSON cannot hold {}; put it in quotes",
                value.type_words()
            ));
        }
    })
}

fn json_object_of(map: &YamlMap) -> Result<Object<'static>, String> {
    let mut object = Object::new();
    for member in map.iter() {
        let key = match &member.key {
            YamlValue::Str(text) => text.clone(),
            YamlValue::Null => Text::borrowed("null"),
            YamlValue::Bool(true) => Text::borrowed("true"),
            YamlValue::Bool(false) => Text::borrowed("false"),
            YamlValue::Float(number) if number.is_nan() => Text::borrowed("NaN"),
            YamlValue::Float(number) if number.is_infinite() => Text::borrowed(if *number > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            }),
            YamlValue::Int(_) | YamlValue::BigInt(_) | YamlValue::Float(_) => {
                member.key.to_printed()
            }
            YamlValue::Timestamp(_)
            | YamlValue::Binary(_)
            | YamlValue::List(_)
            | YamlValue::Pair(_)
            | YamlValue::Set(_)
            | YamlValue::Map(_) => {
                return Err(format!(
                    "{} cannot be a key in JSON",
                    member.key.type_words()
                ));
            }
        };
        object.insert(key, json_of(&member.value)?);
    }
    Ok(object)
}

/// Record `judgement` in `manifest`.
///
/// # Errors
/// [`Fault`] when the manifest is no object, or a member that must change has the wrong type. The
/// manifest is then as it was.
pub fn update_manifest(
    manifest: &mut Value<'_>,
    run: Run<'_>,
    judgement: &Judgement,
    findings: &Value<'static>,
) -> Result<(), Fault> {
    let Value::Object(manifest) = manifest else {
        return Err(fault(
            "",
            format!("an object is wanted, found a {}", manifest.python_type()),
        ));
    };
    // All four are taken before any is set, so that a fault changes nothing.
    let mut validation = list_member(manifest, "validation")?;
    let kept = counter_member(manifest, "findings_kept", judgement.kept.len())?;
    let dropped = counter_member(manifest, "findings_dropped", judgement.dropped.len())?;
    let mut personas = list_member(manifest, "personas_run")?;

    let mut entry = Object::new();
    entry.insert("persona", run.persona.to_owned());
    entry.insert("findings_kept", judgement.kept.len());
    entry.insert("findings_dropped", judgement.dropped.len());
    entry.insert(
        "drop_reasons",
        Value::Array(judgement.dropped.iter().map(drop_object).collect()),
    );
    if judgement.is_stub() {
        entry.insert("dropped_from_synthesis", true);
    }
    validation.push(Value::Object(entry));

    let outcome = if judgement.is_stub() {
        "dropped_from_synthesis"
    } else {
        "success"
    };
    let mut known = false;
    for persona in &mut personas {
        if let Value::Object(persona) = persona
            && persona
                .get("name")
                .and_then(Value::as_text)
                .is_some_and(|name| *name == run.persona)
        {
            persona.insert("findings", findings.clone());
            persona.insert("outcome", outcome);
            known = true;
        }
    }
    if !known {
        let mut persona = Object::new();
        persona.insert("name", run.persona.to_owned());
        persona.insert("trigger_reason", run.trigger_reason.to_owned());
        persona.insert("findings", findings.clone());
        persona.insert("outcome", outcome);
        personas.push(Value::Object(persona));
    }

    manifest.insert("validation", validation);
    manifest.insert("findings_kept", kept);
    manifest.insert("findings_dropped", dropped);
    manifest.insert("personas_run", personas);
    Ok(())
}

fn drop_object(drop: &Drop) -> Value<'static> {
    let mut object = Object::new();
    object.insert("id", Value::Str(drop.id.clone()));
    object.insert("reason", drop.reason.code());
    object.insert(
        "phrase",
        drop.phrase.clone().map_or(Value::Null, Value::Str),
    );
    Value::Object(object)
}

fn list_member<'a>(manifest: &Object<'a>, name: &str) -> Result<Vec<Value<'a>>, Fault> {
    match manifest.get(name) {
        None | Some(Value::Null | Value::Bool(false)) => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items.clone()),
        Some(other) => Err(fault(
            name,
            format!("a list is wanted, found a {}", other.python_type()),
        )),
    }
}

fn counter_member(manifest: &Object<'_>, name: &str, more: usize) -> Result<Value<'static>, Fault> {
    let exact = |number: BigInt| match i64::try_from(&number) {
        Ok(number) => Value::Int(number),
        Err(_) => Value::BigInt(Box::new(BigInteger::from_literal(number.to_string()))),
    };
    match manifest.get(name) {
        None | Some(Value::Null | Value::Bool(false)) => Ok(Value::from(more)),
        Some(Value::Int(number)) => Ok(exact(BigInt::from(*number) + more)),
        Some(Value::BigInt(number)) => match number.as_decimal().parse::<BigInt>() {
            Ok(number) => Ok(exact(number + more)),
            Err(_) => Err(fault(name, "a number is wanted")),
        },
        Some(Value::Float(number)) => {
            // A count of findings is far below the integers that a float cannot tell apart.
            let more = u32::try_from(more).map_or(f64::INFINITY, f64::from);
            Ok(Value::Float(number + more))
        }
        Some(other) => Err(fault(
            name,
            format!("a number is wanted, found a {}", other.python_type()),
        )),
    }
}

/// `manifest` with every whole number `-0` as `-0.0`: jq keeps the sign, where Python's reader has an
/// integer without one. Nothing else changes.
pub fn with_negative_zeros(manifest: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Vec::new();
    let (mut is_text, mut is_escaped, mut copied) = (false, false, 0);
    for (at, &byte) in manifest.iter().enumerate() {
        if is_text {
            is_text = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        is_text = byte == b'"';
        let before = at.checked_sub(1).and_then(|at| manifest.get(at));
        let rest = manifest.get(at..).unwrap_or_default();
        let goes_on = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E');
        if rest.starts_with(b"-0")
            && !rest.get(2).is_some_and(goes_on)
            && !before.is_some_and(|byte| matches!(byte, b'e' | b'E'))
        {
            out.extend_from_slice(manifest.get(copied..at + 2).unwrap_or_default());
            out.extend_from_slice(b".0");
            copied = at + 2;
        }
    }
    if out.is_empty() {
        return Cow::Borrowed(manifest);
    }
    out.extend_from_slice(manifest.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// The bytes of a manifest: two-space indentation, one line end at the end.
pub fn write_manifest(manifest: &Value<'_>) -> String {
    let mut out = String::new();
    push_value(&mut out, manifest, 0);
    out.push('\n');
    out
}

fn push_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn push_value(out: &mut String, value: &Value<'_>, depth: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => {
            let _ = write!(out, "{number}");
        }
        Value::BigInt(number) => out.push_str(number.as_decimal()),
        Value::Float(number) => push_float(out, *number),
        Value::Str(text) => push_text(out, text),
        Value::Array(items) if items.is_empty() => out.push_str("[]"),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_line(out, depth + 1);
                push_value(out, item, depth + 1);
            }
            push_line(out, depth);
            out.push(']');
        }
        Value::Object(object) if object.is_empty() => out.push_str("{}"),
        Value::Object(object) => {
            out.push('{');
            for (index, (key, value)) in object.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_line(out, depth + 1);
                push_text(out, key);
                out.push_str(": ");
                push_value(out, value, depth + 1);
            }
            push_line(out, depth);
            out.push('}');
        }
    }
}

/// The shortest digits that read back; an exponent below 1e-4 and where more than fifteen zeros
/// would stand behind the digits. JSON has no NaN and no infinity: null, and the largest number.
fn push_float(out: &mut String, number: f64) {
    const FILL_MAX: i32 = 15;
    const POINT_MIN: i32 = -4;
    if number.is_nan() {
        out.push_str("null");
        return;
    }
    let number = number.clamp(f64::MIN, f64::MAX);
    if number.is_sign_negative() {
        out.push('-');
    }
    if number == 0.0 {
        out.push('0');
        return;
    }
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let len = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // The value is 0.DIGITS times ten to the power of `point`.
    let point = exponent.parse::<i32>().holds("an exponent is a number") + 1;
    if point <= POINT_MIN || point > len + FILL_MAX {
        let sign = if point > 0 { '+' } else { '-' };
        let _ = write!(out, "{mantissa}e{sign}{:02}", (point - 1).abs());
    } else if point <= 0 {
        out.push_str("0.");
        out.extend(std::iter::repeat_n(
            '0',
            usize::try_from(-point).unwrap_or(0),
        ));
        out.push_str(&digits);
    } else {
        let whole = usize::try_from(point).unwrap_or(0);
        match digits.split_at_checked(whole) {
            Some((whole, "")) => out.push_str(whole),
            Some((whole, fraction)) => {
                let _ = write!(out, "{whole}.{fraction}");
            }
            None => {
                out.push_str(&digits);
                out.extend(std::iter::repeat_n('0', whole - digits.len()));
            }
        }
    }
}

/// A string with jq's escapes. Two surrogates that YAML escapes left side by side are one character,
/// since the recorded program handed them over as JSON; a lone one, which UTF-8 cannot carry, is
/// U+FFFD as in jq.
fn push_text(out: &mut String, text: &Text<'_>) {
    out.push('"');
    let mut code_points = text.code_points().peekable();
    while let Some(code_point) = code_points.next() {
        let low = code_points
            .peek()
            .copied()
            .filter(|low| matches!(code_point, 0xD800..=0xDBFF) && matches!(low, 0xDC00..=0xDFFF));
        if let Some(low) = low {
            code_points.next();
            let pair = 0x1_0000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
            out.push(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
            continue;
        }
        match code_point {
            0x22 => out.push_str("\\\""),
            0x5C => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            0x0A => out.push_str("\\n"),
            0x0D => out.push_str("\\r"),
            0x09 => out.push_str("\\t"),
            0..=0x1F | 0x7F => {
                let _ = write!(out, "\\u{code_point:04x}");
            }
            _ => out.push(char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn updated(manifest: &str) -> Result<String, String> {
        let mut value = json::parse(manifest).unwrap();
        let run = Run {
            persona: "rev",
            trigger_reason: "t",
        };
        let findings = Value::Array(Vec::new());
        update_manifest(&mut value, run, &Judgement::default(), &findings)
            .map_err(|fault| fault.to_string())?;
        Ok(write_manifest(&value).split_whitespace().collect())
    }

    #[test]
    fn numbers_are_spelled_as_jq_spells_them() {
        let table = [
            ("0.08", "0.08"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1.25e300", "1.25e+300"),
            ("9007199254740991", "9007199254740991"),
            ("2.50", "2.5"),
            ("1.0", "1"),
            ("1e3", "1000"),
            ("1e15", "1000000000000000"),
            ("1e16", "1e+16"),
            ("1.5e16", "15000000000000000"),
            ("-0.0", "-0"),
            ("NaN", "null"),
            ("-Infinity", "-1.7976931348623157e+308"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("12345678901234567890", "12345678901234567890"),
            ("123.456", "123.456"),
        ];
        for (text, wanted) in table {
            assert_eq!(
                write_manifest(&json::parse(text).unwrap()),
                format!("{wanted}\n"),
                "{text}"
            );
        }
    }

    #[test]
    fn members_keep_their_place_and_absent_ones_follow_in_order() {
        assert_eq!(
            updated("{\"findings_kept\": 2.5, \"x\": [], \"personas_run\": [\"rev\", {\"name\": \"rev\", \"outcome\": 1}]}").unwrap(),
            "{\"findings_kept\":2.5,\"x\":[],\"personas_run\":[\"rev\",{\"name\":\"rev\",\"outcome\":\"success\",\"findings\":[]}],\
             \"validation\":[{\"persona\":\"rev\",\"findings_kept\":0,\"findings_dropped\":0,\"drop_reasons\":[]}],\"findings_dropped\":0}"
        );
        assert!(updated("{\"validation\": false, \"findings_kept\": null}").is_ok());
    }

    #[test]
    fn members_of_another_type_are_refused() {
        let table = [
            ("[]", "an object is wanted, found a list"),
            (
                "{\"validation\": {}}",
                "validation: a list is wanted, found a dict",
            ),
            (
                "{\"personas_run\": true}",
                "personas_run: a list is wanted, found a bool",
            ),
            (
                "{\"findings_kept\": \"3\"}",
                "findings_kept: a number is wanted, found a str",
            ),
            (
                "{\"findings_dropped\": true}",
                "findings_dropped: a number is wanted, found a bool",
            ),
        ];
        for (manifest, wanted) in table {
            assert_eq!(updated(manifest), Err(wanted.to_owned()), "{manifest}");
        }
    }

    #[test]
    fn whole_zeros_keep_their_sign() {
        for (text, wanted) in [
            ("[-0,-0 , -0]", "[-0.0,-0.0 , -0.0]"),
            (r#"{"-0":"a\"-0","b":-0}"#, r#"{"-0":"a\"-0","b":-0.0}"#),
            ("-0", "-0.0"),
            ("[-0.0,-0e1,1e-0,-01,0,-10]", "[-0.0,-0e1,1e-0,-01,0,-10]"),
        ] {
            let got = with_negative_zeros(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&got), wanted);
        }
    }

    #[test]
    fn strings_are_escaped_as_jq_escapes_them() {
        let text = "\"\\\u{8}\u{c}\n\r\t\u{7}\u{7f}/<\u{2028}é";
        assert_eq!(
            write_manifest(&Value::from(text)),
            "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0007\\u007f/<\u{2028}é\"\n"
        );
        assert_eq!(
            write_manifest(&json::parse("\"\\ud800\"").unwrap()),
            "\"\u{fffd}\"\n"
        );
        let mut apart = Vec::new();
        for code_point in [0xD83D, 0xDE00, 0xDE00, 0xD83D, 0x61] {
            crate::text::push_code_point(&mut apart, code_point);
        }
        assert_eq!(
            write_manifest(&Value::Str(Text::from_wtf8(apart.into()))),
            "\"😀\u{fffd}\u{fffd}a\"\n"
        );
    }
}
