//! A YAML value as block style text.
//!
//! In: a value. Out: text in the style of `PyYAML`'s dumper (lists not indented, long texts folded
//! behind column 200, Unicode as it is). A text that YAML 1.1 or YAML 1.2 would read as another
//! type, or as other text, is quoted; several lines become a literal block where every reader
//! agrees on it.

use super::resolver::Tag;
use super::{YamlMap, YamlValue};
use crate::text::Text;
use crate::text::python::push_float_repr;
use std::fmt::Write as _;

/// Column behind which a text is folded at its next single blank.
const WIDTH: usize = 200;

/// Keys longer than this get a `?`: a plain key may have 1,024 characters at most.
const SIMPLE_KEY_LEN: usize = 128;

/// Write `map` as a block mapping, one line end at its end.
pub fn write_yaml(map: &YamlMap) -> String {
    let mut out = String::new();
    if map.is_empty() {
        out.push_str("{}\n");
    } else {
        write_members(&mut out, map, 0, false, true);
    }
    out
}

fn push_indent(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Members of a mapping; `inline` when the first stands behind a `- `. `last` when nothing follows
/// in the whole text, where a block's final line end could be cut.
fn write_members(out: &mut String, map: &YamlMap, indent: usize, inline: bool, last: bool) {
    let count = map.len();
    for (index, member) in map.iter().enumerate() {
        if index > 0 || !inline {
            push_indent(out, indent);
        }
        let key = scalar_text(&member.key);
        if key.len() > SIMPLE_KEY_LEN {
            let _ = writeln!(out, "? {key}");
            push_indent(out, indent);
        } else {
            out.push_str(&key);
        }
        out.push(':');
        write_member_value(out, &member.value, indent, last && index + 1 == count);
    }
}

fn write_member_value(out: &mut String, value: &YamlValue, indent: usize, last: bool) {
    match value {
        YamlValue::Map(map) if !map.is_empty() => {
            out.push('\n');
            write_members(out, map, indent + 2, false, last);
        }
        YamlValue::Set(map) if !map.is_empty() => {
            out.push_str(" !!set\n");
            write_members(out, map, indent + 2, false, last);
        }
        YamlValue::List(items) if !items.is_empty() => {
            out.push('\n');
            write_items(out, items.iter(), indent, false, last);
        }
        YamlValue::Pair(pair) => {
            out.push('\n');
            write_items(out, [&pair.0, &pair.1].into_iter(), indent, false, last);
        }
        YamlValue::Null
        | YamlValue::Bool(_)
        | YamlValue::Int(_)
        | YamlValue::BigInt(_)
        | YamlValue::Float(_)
        | YamlValue::Str(_)
        | YamlValue::Binary(_)
        | YamlValue::Timestamp(_)
        | YamlValue::List(_)
        | YamlValue::Set(_)
        | YamlValue::Map(_) => {
            out.push(' ');
            write_scalar(out, value, indent + 2, last);
        }
    }
}

fn write_items<'v>(
    out: &mut String,
    items: impl ExactSizeIterator<Item = &'v YamlValue>,
    indent: usize,
    inline: bool,
    last: bool,
) {
    let count = items.len();
    for (index, item) in items.enumerate() {
        if index > 0 || !inline {
            push_indent(out, indent);
        }
        out.push_str("- ");
        let last = last && index + 1 == count;
        match item {
            YamlValue::Map(map) if !map.is_empty() => {
                write_members(out, map, indent + 2, true, last);
            }
            YamlValue::Set(map) if !map.is_empty() => {
                out.push_str("!!set\n");
                write_members(out, map, indent + 2, false, last);
            }
            YamlValue::List(items) if !items.is_empty() => {
                write_items(out, items.iter(), indent + 2, true, last);
            }
            YamlValue::Pair(pair) => {
                write_items(out, [&pair.0, &pair.1].into_iter(), indent + 2, true, last);
            }
            YamlValue::Null
            | YamlValue::Bool(_)
            | YamlValue::Int(_)
            | YamlValue::BigInt(_)
            | YamlValue::Float(_)
            | YamlValue::Str(_)
            | YamlValue::Binary(_)
            | YamlValue::Timestamp(_)
            | YamlValue::List(_)
            | YamlValue::Set(_)
            | YamlValue::Map(_) => write_scalar(out, item, indent + 2, last),
        }
    }
}

/// A value without parts and the line end behind it.
fn write_scalar(out: &mut String, value: &YamlValue, indent: usize, last: bool) {
    if let YamlValue::Str(text) = value
        && let Some(text) = text.as_str()
        && fits_literal(text, last)
    {
        out.push_str(if text.ends_with('\n') { "|" } else { "|-" });
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            out.push('\n');
            if !line.is_empty() {
                push_indent(out, indent);
                out.push_str(line);
            }
        }
    } else {
        let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
        let scalar = scalar_text(value);
        fold(out, &scalar, column, indent);
    }
    out.push('\n');
}

/// One line for a value; a double-quoted text begins with its quote and is never folded.
fn scalar_text(value: &YamlValue) -> String {
    match value {
        YamlValue::Null => String::from("null"),
        YamlValue::Bool(flag) => flag.to_string(),
        YamlValue::Int(number) => number.to_string(),
        YamlValue::BigInt(number) => number.as_decimal().to_owned(),
        YamlValue::Float(number) => float_text(*number),
        YamlValue::Str(text) => quoted_text(text),
        YamlValue::Binary(bytes) => format!("!!binary \"{}\"", encode_base64(bytes)),
        YamlValue::Timestamp(timestamp) => timestamp.to_string(),
        YamlValue::List(_) => String::from("[]"),
        YamlValue::Set(_) => String::from("!!set {}"),
        YamlValue::Map(_) | YamlValue::Pair(_) => String::from("{}"),
    }
}

/// A float needs a dot, or YAML 1.1 takes it for a string.
fn float_text(number: f64) -> String {
    if number.is_nan() {
        return String::from(".nan");
    }
    if number.is_infinite() {
        return String::from(if number > 0.0 { ".inf" } else { "-.inf" });
    }
    let mut text = String::new();
    push_float_repr(&mut text, number);
    if text.contains('.') {
        text
    } else {
        text.replacen('e', ".0e", 1)
    }
}

/// Whether every reader sees the same text in a literal block.
fn fits_literal(text: &str, last: bool) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with(if last { "\n" } else { "\n\n" })
        && text
            .chars()
            .all(|character| character == '\n' || is_plain_character(character))
        && text
            .split('\n')
            .all(|line| line.is_empty() || !line.trim_matches(' ').is_empty())
}

/// Printable in both YAML versions and a line end in neither.
fn is_plain_character(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
        && !matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}')
}

fn quoted_text(text: &Text<'_>) -> String {
    if let Some(plain) = text.as_str()
        && plain.chars().all(is_plain_character)
    {
        if fits_plain(plain) {
            return plain.to_owned();
        }
        return format!("'{}'", plain.replace('\'', "''"));
    }
    let mut out = String::from("\"");
    for code_point in text.code_points() {
        match (code_point, char::from_u32(code_point)) {
            (0x00, _) => out.push_str("\\0"),
            (0x09, _) => out.push_str("\\t"),
            (0x0A, _) => out.push_str("\\n"),
            (0x0D, _) => out.push_str("\\r"),
            (0x22, _) => out.push_str("\\\""),
            (0x5C, _) => out.push_str("\\\\"),
            (_, Some(character)) if is_plain_character(character) => out.push(character),
            (0..=0xFF, _) => {
                let _ = write!(out, "\\x{code_point:02X}");
            }
            (0x100..=0xFFFF, _) => {
                let _ = write!(out, "\\u{code_point:04X}");
            }
            (0x1_0000.., _) => {
                let _ = write!(out, "\\U{code_point:08X}");
            }
        }
    }
    out.push('"');
    out
}

/// Whether a text of plain characters can stand without quotes and reads as a string everywhere.
fn fits_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    if text.starts_with("---")
        || text.starts_with("...")
        || text.starts_with(' ')
        || text.ends_with(' ')
    {
        return false;
    }
    if "#,[]{}&*!|>'\"%@`".contains(first) || text.ends_with(':') {
        return false;
    }
    if matches!(first, '-' | '?' | ':') && matches!(text.chars().nth(1), None | Some(' ')) {
        return false;
    }
    !text.contains(": ")
        && !text.contains(" #")
        && Tag::of_plain(&Text::borrowed(text)) == Tag::Str
        && !is_typed_elsewhere(text)
}

/// Spellings that `PyYAML` reads as strings and other readers of YAML 1.1 or 1.2 do not.
fn is_typed_elsewhere(text: &str) -> bool {
    if matches!(text, "y" | "Y" | "n" | "N") {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    if matches!(
        lower.as_str(),
        "yes" | "no" | "on" | "off" | "true" | "false" | "null"
    ) {
        return true;
    }
    // Numbers of YAML 1.2 need no dot before an exponent, and write octals as `0o17`.
    let unsigned = lower.trim_start_matches(['+', '-']);
    if unsigned.len() < lower.len() && unsigned.bytes().all(|byte| byte == b'_') {
        // ruamel.yaml takes `-_` for an integer and fails on it.
        return true;
    }
    let unsigned = unsigned.replace('_', "");
    if let Some(digits) = unsigned.strip_prefix("0o") {
        return digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    }
    unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.parse::<f64>().is_ok()
}

/// Append a text, breaking it at single blanks behind [`WIDTH`] where it may be folded.
fn fold(out: &mut String, text: &str, column: usize, indent: usize) {
    let foldable = !text.starts_with(['"', '!']);
    let mut column = column;
    let mut previous_empty = true;
    let mut first = true;
    for word in text.split(' ') {
        if !first {
            // A blank next to another one, or to a quote, would be lost at a line end.
            let single = !previous_empty && !word.is_empty() && word != "'" && !out.ends_with(" '");
            if foldable && single && column > WIDTH {
                out.push('\n');
                push_indent(out, indent);
                column = indent;
            } else {
                out.push(' ');
                column += 1;
            }
        }
        out.push_str(word);
        column += word.chars().count();
        previous_empty = word.is_empty();
        first = false;
    }
}

fn encode_base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let held = chunk
            .iter()
            .fold(0_u32, |held, byte| (held << 8) | u32::from(*byte));
        let held = held << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let six = usize::try_from((held >> (18 - 6 * place)) & 0x3F).unwrap_or(0);
            let character = ALPHABET.get(six).copied().unwrap_or(b'=');
            out.push(if place <= chunk.len() {
                char::from(character)
            } else {
                '='
            });
        }
    }
    out
}
