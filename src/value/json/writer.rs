//! JSON written as Python's `json.dumps` writes it.

use crate::pytext::push_float_repr;
use crate::value::text::Text;
use crate::value::{Object, Value};

/// The `json.dumps` options in force.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// `ensure_ascii`: escape everything above U+007E.
    pub is_ascii: bool,
    /// `indent`: blanks per level; none writes one line.
    pub indent: Option<usize>,
    /// `sort_keys`: by code point.
    pub is_sorted: bool,
    /// `separators=(",", ":")` instead of Python's default with a blank.
    pub is_compact: bool,
}

impl Style {
    /// `json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True)`.
    pub const UNICODE_INDENTED: Self = Self {
        is_ascii: false,
        indent: Some(2),
        is_sorted: true,
        is_compact: false,
    };
    /// `json.dumps(value, indent=2, sort_keys=True)`.
    pub const ASCII_INDENTED: Self = Self {
        is_ascii: true,
        indent: Some(2),
        is_sorted: true,
        is_compact: false,
    };
    /// `json.dumps(value, ensure_ascii=False, sort_keys=True)`.
    pub const UNICODE_LINE: Self = Self {
        is_ascii: false,
        indent: None,
        is_sorted: true,
        is_compact: false,
    };
    /// `json.dumps(value, sort_keys=True, separators=(",", ":"))`, the form that digests cover.
    pub const ASCII_CANONICAL: Self = Self {
        is_ascii: true,
        indent: None,
        is_sorted: true,
        is_compact: true,
    };
}

/// The document as generalised UTF-8 (plain UTF-8 unless a lone surrogate stands in it and
/// `is_ascii` is off), without a final line end.
pub fn dump(value: &Value<'_>, style: Style) -> Vec<u8> {
    let mut out = Vec::new();
    dump_into(&mut out, value, style);
    out
}

/// [`dump`] into a buffer.
pub fn dump_into(out: &mut Vec<u8>, value: &Value<'_>, style: Style) {
    Writer { out, style }.value(value, 0);
}

/// [`dump_into`] as the value stands `level` levels deep in an indented document.
pub fn dump_at(out: &mut Vec<u8>, value: &Value<'_>, style: Style, level: usize) {
    Writer { out, style }.value(value, level);
}

/// Append `text` as a JSON string with its quotes.
pub fn push_string(out: &mut Vec<u8>, text: &Text<'_>, is_ascii: bool) {
    out.push(b'"');
    let bytes = text.as_bytes();
    let is_plain = |byte: u8| (0x20..0x7F).contains(&byte) && byte != b'"' && byte != b'\\';
    if bytes.iter().all(|&byte| is_plain(byte)) {
        out.extend_from_slice(bytes);
    } else {
        for code_point in text.code_points() {
            push_character(out, code_point, is_ascii);
        }
    }
    out.push(b'"');
}

fn push_character(out: &mut Vec<u8>, code_point: u32, is_ascii: bool) {
    match code_point {
        0x22 => out.extend_from_slice(b"\\\""),
        0x5C => out.extend_from_slice(b"\\\\"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0C => out.extend_from_slice(b"\\f"),
        0x0A => out.extend_from_slice(b"\\n"),
        0x0D => out.extend_from_slice(b"\\r"),
        0x09 => out.extend_from_slice(b"\\t"),
        0..0x20 => push_escape(out, code_point),
        // U+007F is ASCII, but Python escapes it here too.
        0x7F.. if is_ascii => {
            if let Some(above) = code_point.checked_sub(0x1_0000) {
                push_escape(out, 0xD800 + (above >> 10));
                push_escape(out, 0xDC00 + (above & 0x3FF));
            } else {
                push_escape(out, code_point);
            }
        }
        _ => crate::value::text::push_code_point(out, code_point),
    }
}

fn push_escape(out: &mut Vec<u8>, unit: u32) {
    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
}

struct Writer<'o> {
    out: &'o mut Vec<u8>,
    style: Style,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value<'_>, level: usize) {
        match value {
            Value::Null => self.out.extend_from_slice(b"null"),
            Value::Bool(true) => self.out.extend_from_slice(b"true"),
            Value::Bool(false) => self.out.extend_from_slice(b"false"),
            Value::Int(number) => self.out.extend_from_slice(number.to_string().as_bytes()),
            Value::BigInt(number) => self.out.extend_from_slice(number.as_decimal().as_bytes()),
            Value::Float(number) if number.is_nan() => self.out.extend_from_slice(b"NaN"),
            Value::Float(number) if number.is_infinite() => {
                let word: &[u8] = if *number > 0.0 {
                    b"Infinity"
                } else {
                    b"-Infinity"
                };
                self.out.extend_from_slice(word);
            }
            Value::Float(number) => {
                let mut text = String::new();
                push_float_repr(&mut text, *number);
                self.out.extend_from_slice(text.as_bytes());
            }
            Value::Str(text) => push_string(self.out, text, self.style.is_ascii),
            Value::Array(items) => self.array(items, level),
            Value::Object(object) => self.object(object, level),
        }
    }

    fn line_break(&mut self, level: usize) {
        if let Some(indent) = self.style.indent {
            self.out.push(b'\n');
            self.out.resize(self.out.len() + indent * level, b' ');
        }
    }

    /// The comma between members; with `indent` Python drops the blank behind it.
    fn separator(&mut self) {
        let is_blank_kept = self.style.indent.is_none() && !self.style.is_compact;
        self.out
            .extend_from_slice(if is_blank_kept { b", " } else { b"," });
    }

    fn array(&mut self, items: &[Value<'_>], level: usize) {
        self.out.push(b'[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.separator();
            }
            self.line_break(level + 1);
            self.value(item, level + 1);
        }
        if !items.is_empty() {
            self.line_break(level);
        }
        self.out.push(b']');
    }

    fn object(&mut self, object: &Object<'_>, level: usize) {
        self.out.push(b'{');
        let mut members: Vec<_> = object.iter().collect();
        if self.style.is_sorted {
            members.sort_by(|left, right| left.0.cmp(&right.0));
        }
        for (index, (key, value)) in members.iter().enumerate() {
            if index > 0 {
                self.separator();
            }
            self.line_break(level + 1);
            push_string(self.out, key, self.style.is_ascii);
            self.out
                .extend_from_slice(if self.style.is_compact { b":" } else { b": " });
            self.value(value, level + 1);
        }
        if !members.is_empty() {
            self.line_break(level);
        }
        self.out.push(b'}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    fn dumped(text: &str, style: Style) -> String {
        String::from_utf8(dump(&parse(text).unwrap(), style)).unwrap()
    }

    #[test]
    fn styles_are_those_of_json_dumps() {
        let text = "{\"b\":[1,{}],\"a\":[],\"é\":\"\\ud83d\\ude00\\u007f/\"}";
        assert_eq!(
            dumped(text, Style::ASCII_CANONICAL),
            "{\"a\":[],\"b\":[1,{}],\"\\u00e9\":\"\\ud83d\\ude00\\u007f/\"}"
        );
        assert_eq!(
            dumped(text, Style::UNICODE_LINE),
            "{\"a\": [], \"b\": [1, {}], \"é\": \"😀\u{7f}/\"}"
        );
        assert_eq!(
            dumped("{\"a\":[1,{\"b\":2}]}", Style::UNICODE_INDENTED),
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ]\n}"
        );
        assert_eq!(
            dumped(
                "[1e16, 1e-5, 100000.0, -0.0, NaN, -1e999]",
                Style::UNICODE_LINE
            ),
            "[1e+16, 1e-05, 100000.0, -0.0, NaN, -Infinity]"
        );
    }
}
