//! JSON written as Python's `json.dumps` writes it.

use crate::text::python::push_float_repr;
use crate::text::{CodePoints, Text};
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
    let is_plain = |byte: u8| (0x20..0x7F).contains(&byte) && byte != b'"' && byte != b'\\';
    let mut rest = text.as_bytes();
    loop {
        let plain = rest.iter().position(|&byte| !is_plain(byte));
        let (run, tail) = rest.split_at(plain.unwrap_or(rest.len()));
        out.extend_from_slice(run);
        let mut code_points = CodePoints::new(tail);
        let Some(code_point) = code_points.next() else {
            break;
        };
        push_character(out, code_point, is_ascii);
        rest = code_points.rest();
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
        _ => crate::text::push_code_point(out, code_point),
    }
}

fn push_escape(out: &mut Vec<u8>, unit: u32) {
    out.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        let digit = char::from_digit((unit >> shift) & 0xF, 16).unwrap_or('0');
        out.push(u8::try_from(digit).unwrap_or(b'0'));
    }
}

/// Whether Python writes the string between these quotes, whose syntax has been checked, with the
/// same characters: ASCII, and each escape the one that Python takes for its character.
pub fn is_string_written_alike(raw: &[u8]) -> bool {
    // The high bit of a byte or of the one after it is set from U+007F on; a loop without exit takes
    // many bytes at once.
    let mut high = 0;
    for &byte in raw {
        high |= byte | byte.wrapping_add(1);
    }
    if high >= 0x80 {
        return false;
    }
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let tail = rest.get(at + 1..).unwrap_or_default();
        rest = match tail {
            [b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', after @ ..] => after,
            [b'u', digits @ ..] => {
                let (digits, after) = digits.split_at_checked(4).unwrap_or((digits, &[]));
                if !is_escape_of_python(digits) {
                    return false;
                }
                after
            }
            _ => return false,
        };
    }
    true
}

/// Whether these are the lower-case digits of a character that has no shorter form.
fn is_escape_of_python(digits: &[u8]) -> bool {
    let value = digits.iter().try_fold(0, |value: u32, &digit| {
        let number = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(value * 16 + u32::from(number))
    });
    value.is_some_and(|unit| {
        unit >= 0x7F || unit < 0x20 && !matches!(unit, 0x08 | 0x09 | 0x0A | 0x0C | 0x0D)
    })
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
    fn strings_are_copied_only_when_they_would_be_written_alike() {
        for (raw, is_alike) in [
            ("", true),
            ("plain ~ text", true),
            (r#"a \" \\ \b \f \n \r \t"#, true),
            (r"\u0000\u001f\u007f\u00e9\ud83d\ude00\ud800", true),
            (r"\\u00E9", true),
            (r"\/", false),
            (r"\u00E9", false),
            (r"\u0041", false),
            (r"\u000a", false),
            ("\u{7f}", false),
            ("é", false),
        ] {
            assert_eq!(is_string_written_alike(raw.as_bytes()), is_alike, "{raw}");
            let text = format!("\"{raw}\"");
            let is_same = dumped(&text, Style::ASCII_INDENTED) == text;
            assert_eq!(is_same, is_alike, "{raw}");
        }
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
