//! How Python shows and weighs a loaded YAML value: `str`, `repr`, truth, hashability.
//!
//! In: a value. Out: text for messages, hashes and phrase lists, which count by this printed form.

use super::{YamlMap, YamlValue};
use crate::text::Text;
use crate::text::python::{push_float_repr, push_text_repr};
use std::fmt::Write as _;

impl YamlValue {
    /// Python's `str(value)`: a string as it is, everything else in Python notation.
    pub fn to_printed(&self) -> Text<'static> {
        match self {
            Self::Str(text) => text.clone(),
            Self::Timestamp(timestamp) => Text::from(timestamp.to_string()),
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::BigInt(_)
            | Self::Float(_)
            | Self::Binary(_)
            | Self::List(_)
            | Self::Pair(_)
            | Self::Set(_)
            | Self::Map(_) => {
                let mut out = String::new();
                self.push_repr(&mut out);
                Text::from(out)
            }
        }
    }

    /// Append Python's `repr(value)`.
    fn push_repr(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("None"),
            Self::Bool(flag) => out.push_str(if *flag { "True" } else { "False" }),
            Self::Int(number) => {
                let _ = write!(out, "{number}");
            }
            Self::BigInt(number) => out.push_str(number.as_decimal()),
            Self::Float(number) => push_float_repr(out, *number),
            Self::Str(text) => push_text_repr(out, text),
            Self::Binary(bytes) => push_bytes_repr(out, bytes),
            Self::Timestamp(timestamp) => out.push_str(&timestamp.to_repr()),
            Self::List(items) => {
                out.push('[');
                push_joined(out, items.iter(), Self::push_repr);
                out.push(']');
            }
            Self::Pair(pair) => {
                out.push('(');
                push_joined(out, [&pair.0, &pair.1].into_iter(), Self::push_repr);
                out.push(')');
            }
            Self::Set(members) if members.is_empty() => out.push_str("set()"),
            Self::Set(members) => {
                out.push('{');
                push_joined(out, members.iter(), |member, out| member.key.push_repr(out));
                out.push('}');
            }
            Self::Map(members) => push_map_repr(out, members),
        }
    }

    /// Python's truth: not `None`, `False`, zero or empty.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Int(number) => *number != 0,
            Self::BigInt(_) | Self::Timestamp(_) | Self::Pair(_) => true,
            Self::Float(number) => *number != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::Binary(bytes) => !bytes.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Set(members) | Self::Map(members) => !members.is_empty(),
        }
    }

    /// Whether Python could use the value as a key.
    pub fn is_hashable(&self) -> bool {
        match self {
            Self::List(_) | Self::Set(_) | Self::Map(_) => false,
            Self::Pair(pair) => pair.0.is_hashable() && pair.1.is_hashable(),
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::BigInt(_)
            | Self::Float(_)
            | Self::Str(_)
            | Self::Binary(_)
            | Self::Timestamp(_) => true,
        }
    }

    /// What the type is called in a message: `text`, `a list`, `a number`, …
    pub fn type_words(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::BigInt(_) | Self::Float(_) => "a number",
            Self::Str(_) => "text",
            Self::Binary(_) => "binary data",
            Self::Timestamp(_) => "a date",
            Self::List(_) => "a list",
            Self::Pair(_) => "a pair",
            Self::Set(_) => "a set",
            Self::Map(_) => "a mapping",
        }
    }
}

fn push_joined<T>(out: &mut String, items: impl Iterator<Item = T>, push: impl Fn(T, &mut String)) {
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        push(item, out);
    }
}

fn push_map_repr(out: &mut String, members: &YamlMap) {
    out.push('{');
    push_joined(out, members.iter(), |member, out| {
        member.key.push_repr(out);
        out.push_str(": ");
        member.value.push_repr(out);
    });
    out.push('}');
}

fn push_bytes_repr(out: &mut String, bytes: &[u8]) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    out.push('b');
    out.push(quote);
    for &byte in bytes {
        match byte {
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\\' => out.push_str("\\\\"),
            b'\'' if quote == '\'' => out.push_str("\\'"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::super::parse_yaml;

    #[test]
    fn values_print_as_python_prints_them() {
        let table = [
            ("yes", "True"),
            ("~", "None"),
            ("012", "10"),
            ("1.0e+16", "1e+16"),
            ("[a, 1, ~]", "['a', 1, None]"),
            ("{k: 'it''s', 2: [x]}", "{'k': \"it's\", 2: ['x']}"),
            ("2026-04-22", "2026-04-22"),
            ("[2026-04-22]", "[datetime.date(2026, 4, 22)]"),
            (
                "[2026-04-22 14:23:00 +05:30]",
                "[datetime.datetime(2026, 4, 22, 14, 23, tzinfo=datetime.timezone(datetime.timedelta(seconds=19800)))]",
            ),
            ("!!binary aGkA", "b'hi\\x00'"),
            ("!!set {a, b}", "{'a', 'b'}"),
            ("!!set {}", "set()"),
            ("!!omap [a: 1]", "[('a', 1)]"),
            ("\"\\ud83d\"", "\u{fffd}\u{fffd}\u{fffd}"),
        ];
        for (text, printed) in table {
            let value = parse_yaml(text.as_bytes()).unwrap();
            assert_eq!(value.to_printed().to_display(), printed, "{text}");
        }
    }
}
