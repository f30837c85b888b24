//! Text exactly as Python writes it: `repr`, `str`, `float.__repr__`, `str.strip`, error texts.
//!
//! In: values, bytes, operating-system errors. Out: the characters Python would show. JSON text
//! is the business of `value::json`.

mod unicode_ages;

use crate::invariant::Invariant as _;
use crate::text::Text;
use crate::value::{Object, Value};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io;
use std::sync::atomic::{AtomicU8, Ordering};
use unicode_general_category::{GeneralCategory, get_general_category};

/// Whether Python's `str.isspace` and `str.strip` take the code point for white space.
pub const fn is_space(code_point: u32) -> bool {
    matches!(
        code_point,
        0x09..=0x0D | 0x1C..=0x20 | 0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x3000
    )
}

/// The Unicode version of the Python whose texts are written: ten times major, plus minor.
static UNICODE_VERSION: AtomicU8 = AtomicU8::new(u8::MAX);

/// Write texts as a Python with this Unicode version does (151 is 15.1). The process has one
/// Python, so the setting is the process's; without it every known character is shown.
pub fn set_unicode_version(version: u8) {
    UNICODE_VERSION.store(version, Ordering::Relaxed);
}

/// Whether `repr` shows the code point as itself (`str.isprintable`).
pub fn is_printable(code_point: u32) -> bool {
    if (0x20..0x7F).contains(&code_point) {
        return true;
    }
    char::from_u32(code_point).is_some_and(|character| {
        !matches!(
            get_general_category(character),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::Surrogate
                | GeneralCategory::PrivateUse
                | GeneralCategory::Unassigned
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::SpaceSeparator
        )
    }) && unicode_ages::age(code_point) <= UNICODE_VERSION.load(Ordering::Relaxed)
}

/// Append `repr` of a float: shortest digits that read back, `.0` on whole numbers, an exponent
/// below 1e-4 and from 1e16.
pub fn push_float_repr(out: &mut String, number: f64) {
    const FIXED_EXPONENTS: std::ops::Range<i32> = -4..16;
    if number.is_nan() {
        out.push_str("nan");
        return;
    }
    if number.is_sign_negative() {
        out.push('-');
    }
    if number.is_infinite() {
        out.push_str("inf");
        return;
    }
    let (digits, exponent) = shortest_digits(number.abs());
    if !FIXED_EXPONENTS.contains(&exponent) {
        let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
        out.push_str(first);
        if !rest.is_empty() {
            let _ = write!(out, ".{rest}");
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
        return;
    }
    // A number below 1 has no digit before the point.
    let before_point = usize::try_from(exponent + 1).unwrap_or(0);
    if before_point == 0 {
        out.push_str("0.");
        let zeros = usize::try_from(-exponent - 1).unwrap_or(0);
        out.extend(std::iter::repeat_n('0', zeros));
        out.push_str(&digits);
    } else if let Some((whole, fraction)) = digits.split_at_checked(before_point)
        && !fraction.is_empty()
    {
        let _ = write!(out, "{whole}.{fraction}");
    } else {
        out.push_str(&digits);
        out.extend(std::iter::repeat_n('0', before_point - digits.len()));
        out.push_str(".0");
    }
}

/// The shortest digits that read back as `number` (finite, not negative), without leading or
/// trailing zeros, and the power of ten of the first. Of two that are equally near, the one with
/// the even last digit, as Python chooses; the standard library takes the larger.
fn shortest_digits(number: f64) -> (String, i32) {
    let mut buffer = ryu::Buffer::new();
    let text = buffer.format_finite(number);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let length = |text: &str| i32::try_from(text.len()).holds("a double has few digits");
    let power = exponent.parse::<i32>().holds("an exponent is a number") + length(whole) - 1;
    match digits.trim_end_matches('0') {
        "" => ("0".to_owned(), 0),
        significant => (
            significant.to_owned(),
            power - (length(&all) - length(digits)),
        ),
    }
}

/// Append `repr` of a string: single quotes unless it holds one and no double quote.
pub fn push_text_repr(out: &mut String, text: &Text<'_>) {
    let bytes = text.as_bytes();
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    out.push(quote);
    for code_point in text.code_points() {
        match (code_point, char::from_u32(code_point)) {
            (0x09, _) => out.push_str("\\t"),
            (0x0A, _) => out.push_str("\\n"),
            (0x0D, _) => out.push_str("\\r"),
            (0x5C, _) => out.push_str("\\\\"),
            (_, Some(character)) if character == quote => {
                out.push('\\');
                out.push(character);
            }
            (_, Some(character)) if is_printable(code_point) => out.push(character),
            (0..=0xFF, _) => {
                let _ = write!(out, "\\x{code_point:02x}");
            }
            (0x100..=0xFFFF, _) => {
                let _ = write!(out, "\\u{code_point:04x}");
            }
            (0x1_0000.., _) => {
                let _ = write!(out, "\\U{code_point:08x}");
            }
        }
    }
    out.push(quote);
}

/// Append `repr` of a value; always valid UTF-8, since `repr` escapes surrogates.
pub fn push_repr(out: &mut String, value: &Value<'_>) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Int(number) => {
            let _ = write!(out, "{number}");
        }
        Value::BigInt(number) => out.push_str(number.as_decimal()),
        Value::Float(number) => push_float_repr(out, *number),
        Value::Str(text) => push_text_repr(out, text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                push_repr(out, item);
            }
            out.push(']');
        }
        Value::Object(object) => push_object_repr(out, object),
    }
}

fn push_object_repr(out: &mut String, object: &Object<'_>) {
    out.push('{');
    for (index, (key, value)) in object.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        push_text_repr(out, key);
        out.push_str(": ");
        push_repr(out, value);
    }
    out.push('}');
}

/// `repr(value)`.
pub fn repr(value: &Value<'_>) -> String {
    let mut out = String::new();
    push_repr(&mut out, value);
    out
}

/// `repr(text)` of a string.
pub fn text_repr(text: &Text<'_>) -> String {
    let mut out = String::new();
    push_text_repr(&mut out, text);
    out
}

/// `str(value)`: a string as it is, everything else as `repr`.
pub fn str_of(value: &Value<'_>) -> Text<'static> {
    match value {
        Value::Str(text) => text.clone().into_owned(),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Array(_)
        | Value::Object(_) => Text::from(repr(value)),
    }
}

/// A text under construction that may hold lone surrogates: `write!` for plain parts, methods for
/// texts and values.
#[derive(Clone, Debug, Default)]
pub struct Line(Vec<u8>);

impl Line {
    /// An empty line.
    pub fn new() -> Self {
        Self::default()
    }

    /// Append plain text.
    #[must_use]
    pub fn plain(mut self, text: &str) -> Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Append a Python string as it is.
    #[must_use]
    pub fn text(mut self, text: &Text<'_>) -> Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Append `repr(value)`.
    #[must_use]
    pub fn repr(mut self, value: &Value<'_>) -> Self {
        self.0.extend_from_slice(repr(value).as_bytes());
        self
    }

    /// Append `str(value)`.
    #[must_use]
    pub fn str(mut self, value: &Value<'_>) -> Self {
        self.0.extend_from_slice(str_of(value).as_bytes());
        self
    }

    /// Append anything that displays.
    #[must_use]
    pub fn display(mut self, shown: impl fmt::Display) -> Self {
        self.0.extend_from_slice(shown.to_string().as_bytes());
        self
    }

    /// Append texts with `separator` between them.
    #[must_use]
    pub fn joined<'t, 'a: 't>(
        mut self,
        texts: impl IntoIterator<Item = &'t Text<'a>>,
        separator: &str,
    ) -> Self {
        for (index, text) in texts.into_iter().enumerate() {
            if index > 0 {
                self.0.extend_from_slice(separator.as_bytes());
            }
            self.0.extend_from_slice(text.as_bytes());
        }
        self
    }

    /// The finished text.
    pub fn done(self) -> Text<'static> {
        Text::from_wtf8(Cow::Owned(self.0))
    }
}

/// Bytes of `text` as Python's standard error stream writes them: lone surrogates as `\udXXX`.
pub fn backslash_replaced(text: &Text<'_>) -> Vec<u8> {
    if text.as_str().is_some() {
        return text.as_bytes().to_vec();
    }
    let mut out = Vec::with_capacity(text.as_bytes().len());
    for code_point in text.code_points() {
        if char::from_u32(code_point).is_some() {
            crate::text::push_code_point(&mut out, code_point);
        } else {
            out.extend_from_slice(format!("\\u{code_point:04x}").as_bytes());
        }
    }
    out
}

/// The bytes of `text` as Python encodes it with `surrogateescape`: surrogates that stand for bytes
/// which are not UTF-8 become these bytes. Nothing when there is any other lone surrogate.
pub fn surrogate_escaped<'t>(text: &'t Text<'_>) -> Option<Cow<'t, [u8]>> {
    if text.as_str().is_some() {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    let mut out = Vec::with_capacity(text.as_bytes().len());
    for code_point in text.code_points() {
        match (char::from_u32(code_point), code_point) {
            (Some(_), _) => crate::text::push_code_point(&mut out, code_point),
            (None, 0xDC80..=0xDCFF) => out.push(u8::try_from(code_point - 0xDC00).ok()?),
            (None, _) => return None,
        }
    }
    Some(Cow::Owned(out))
}

/// Python's words for bytes that are not UTF-8, e.g. `'utf-8' codec can't decode byte 0xff in
/// position 0: invalid start byte`.
///
/// # Errors
/// The words, when `bytes` are not UTF-8.
pub fn decode_utf8(bytes: &[u8]) -> Result<&str, String> {
    // simdutf8's fast check first; the standard library tells where and how far the fault reaches.
    if let Ok(text) = simdutf8::basic::from_utf8(bytes) {
        return Ok(text);
    }
    std::str::from_utf8(bytes).map_err(|fault| {
        let start = fault.valid_up_to();
        let first = bytes.get(start).copied().unwrap_or_default();
        let (end, reason) = match fault.error_len() {
            None => (bytes.len(), "unexpected end of data"),
            Some(_) if !matches!(first, 0xC2..=0xF4) => (start + 1, "invalid start byte"),
            Some(length) => (start + length, "invalid continuation byte"),
        };
        if end - start == 1 {
            format!("'utf-8' codec can't decode byte 0x{first:02x} in position {start}: {reason}")
        } else {
            format!(
                "'utf-8' codec can't decode bytes in position {start}-{}: {reason}",
                end - 1
            )
        }
    })
}

/// `str` of the `OSError` that Python raises for `error` on `path`, e.g.
/// `[Errno 2] No such file or directory: 'x.json'`.
pub fn os_error(error: &io::Error, path: &Text<'_>) -> String {
    let words = os_error_words(error);
    match error.raw_os_error() {
        Some(_) => format!("{words}: {}", text_repr(path)),
        None => words,
    }
}

/// `str` of the `OSError` that Python raises for `error` where no path is involved, e.g.
/// `[Errno 28] No space left on device`.
pub fn os_error_words(error: &io::Error) -> String {
    let words = error.to_string();
    match error.raw_os_error() {
        Some(number) if cfg!(windows) => match errno_of_windows(number) {
            Some((errno, words)) => format!("[Errno {errno}] {words}"),
            None => format!("[WinError {number}] {words}"),
        },
        Some(number) => {
            let suffix = format!(" (os error {number})");
            let words = words.strip_suffix(&suffix).unwrap_or(&words);
            format!("[Errno {number}] {words}")
        }
        None => words,
    }
}

/// The number and the words that Python's `open` gives for an error code of Windows: those of the C
/// library, whatever language the system speaks. Nothing for codes that it has no number of its own for.
fn errno_of_windows(code: i32) -> Option<(i32, &'static str)> {
    Some(match code {
        // File, path, drive, share, name: not found, bad or too long.
        2 | 3 | 15 | 18 | 53 | 67 | 161 | 206 => (2, "No such file or directory"),
        6 => (9, "Bad file descriptor"),
        8 | 14 => (12, "Not enough space"),
        // Denied, in use, locked, write-protected, not ready, going away.
        5 | 16 | 19..=33 | 65 | 82 | 83 | 108 | 158 | 167 | 303 => (13, "Permission denied"),
        80 | 183 => (17, "File exists"),
        17 => (18, "Improper link"),
        267 => (20, "Not a directory"),
        1 | 87 | 123 | 131 => (22, "Invalid argument"),
        4 => (24, "Too many open files"),
        112 => (28, "No space left on device"),
        109 | 232 => (32, "Broken pipe"),
        145 => (41, "Directory not empty"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    #[test]
    fn codes_of_windows_have_the_numbers_that_open_gives() {
        for (code, errno) in [
            (2, 2),
            (3, 2),
            (5, 13),
            (32, 13),
            (80, 17),
            (112, 28),
            (123, 22),
        ] {
            assert_eq!(errno_of_windows(code).map(|(errno, _)| errno), Some(errno));
        }
        assert_eq!(errno_of_windows(9999), None);
    }

    #[test]
    fn floats_read_as_repr_shows_them() {
        for (number, shown) in [
            (1e16, "1e+16"),
            (1e-5, "1e-05"),
            (0.0001, "0.0001"),
            (100_000.0, "100000.0"),
            (-0.0, "-0.0"),
            (1.5, "1.5"),
            (123_456_789_012_345.68, "123456789012345.69"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1.25e300, "1.25e+300"),
            (5e-324, "5e-324"),
            // Halfway between two shortest texts: the even digit.
            (1_318_493_410_093_018.3, "1318493410093018.2"),
            (2f64.powi(-44), "5.684341886080802e-14"),
            (0.0, "0.0"),
            (10.0, "10.0"),
            (0.001, "0.001"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            let mut out = String::new();
            push_float_repr(&mut out, number);
            assert_eq!(out, shown);
        }
    }

    #[test]
    fn reprs_are_pythons() {
        let shown = |text: &str| repr(&parse(text).unwrap());
        assert_eq!(
            shown("[null, true, {\"a\": 1.0}]"),
            "[None, True, {'a': 1.0}]"
        );
        assert_eq!(shown("\"it's\""), "\"it's\"");
        assert_eq!(shown("\"it's \\\"x\\\"\""), "'it\\'s \"x\"'");
        assert_eq!(
            shown("\"\\u0000\\u200b\\u00a0\\u00ad\\n\\ud800\\ue000\""),
            "'\\x00\\u200b\\xa0\\xad\\n\\ud800\\ue000'"
        );
        assert_eq!(shown("\"é日\\udbff\\udfff\""), "'é日\\U0010ffff'");
    }

    #[test]
    fn decoding_faults_are_pythons() {
        for (bytes, words) in [
            (
                &b"\xff"[..],
                "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
            ),
            (
                b"a\xe2\x82A",
                "'utf-8' codec can't decode bytes in position 1-2: invalid continuation byte",
            ),
            (
                b"a\xe2A",
                "'utf-8' codec can't decode byte 0xe2 in position 1: invalid continuation byte",
            ),
            (
                b"\xe2\x82",
                "'utf-8' codec can't decode bytes in position 0-1: unexpected end of data",
            ),
            (
                b"\xed\xa0\x80",
                "'utf-8' codec can't decode byte 0xed in position 0: invalid continuation byte",
            ),
            (
                b"\xc0\x80",
                "'utf-8' codec can't decode byte 0xc0 in position 0: invalid start byte",
            ),
        ] {
            assert_eq!(decode_utf8(bytes).unwrap_err(), words);
        }
    }
}
