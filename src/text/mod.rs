//! Strings as Python holds them: code points that may include lone surrogates.
//!
//! Stored as generalised UTF-8 ("WTF-8") bytes, borrowed from the input where it has no escapes.
//! Byte order is code point order, so sorting and equality work on the bytes.

pub mod patterns;
pub mod python;

use crate::position::count_code_points;
use std::borrow::{Borrow, Cow};
use std::fmt;
use std::hash::{Hash, Hasher};

/// A Python string: generalised UTF-8, borrowed or owned.
#[derive(Clone, Eq, PartialOrd, Ord, Default)]
pub struct Text<'a>(Cow<'a, [u8]>);

impl<'a> Text<'a> {
    /// A text that borrows `text`.
    pub const fn borrowed(text: &'a str) -> Self {
        Self(Cow::Borrowed(text.as_bytes()))
    }

    /// A text from bytes that are generalised UTF-8: UTF-8 in which lone surrogates may stand.
    pub const fn from_wtf8(bytes: Cow<'a, [u8]>) -> Self {
        Self(bytes)
    }

    /// The bytes, generalised UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text as UTF-8, or nothing when a lone surrogate stands in it.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text for a message: lone surrogates become U+FFFD.
    pub fn to_display(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Number of code points (a lone surrogate is one).
    pub fn len(&self) -> usize {
        count_code_points(&self.0)
    }

    /// Whether there is no code point at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Code points, lone surrogates included.
    pub fn code_points(&self) -> CodePoints<'_> {
        CodePoints { bytes: &self.0 }
    }

    /// Empty after Python's `str.strip()`.
    pub fn is_blank(&self) -> bool {
        self.code_points().all(python::is_space)
    }

    /// The text after Python's `str.strip()`.
    pub fn strip(&self) -> Text<'_> {
        let mut start = 0;
        let mut end = 0;
        let mut at = 0;
        let mut seen = false;
        for code_point in self.code_points() {
            let len = encoded_len(code_point);
            if !python::is_space(code_point) {
                if !seen {
                    start = at;
                    seen = true;
                }
                end = at + len;
            }
            at += len;
        }
        Text(Cow::Borrowed(self.0.get(start..end).unwrap_or_default()))
    }

    /// The same text, owning its bytes.
    pub fn into_owned(self) -> Text<'static> {
        Text(Cow::Owned(self.0.into_owned()))
    }
}

/// Code points of generalised UTF-8 bytes.
#[derive(Clone, Debug)]
pub struct CodePoints<'a> {
    bytes: &'a [u8],
}

impl<'a> CodePoints<'a> {
    /// The code points of `bytes`, generalised UTF-8.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The bytes that are not taken yet.
    pub const fn rest(&self) -> &'a [u8] {
        self.bytes
    }
}

impl Iterator for CodePoints<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let (&first, rest) = self.bytes.split_first()?;
        let (tail, initial) = match first {
            0..0xC0 => (0, u32::from(first)),
            0xC0..0xE0 => (1, u32::from(first & 0x1F)),
            0xE0..0xF0 => (2, u32::from(first & 0x0F)),
            0xF0.. => (3, u32::from(first & 0x07)),
        };
        let (continuation, rest) = rest.split_at_checked(tail).unwrap_or((rest, &[]));
        self.bytes = rest;
        Some(continuation.iter().fold(initial, |value, &byte| {
            (value << 6) | u32::from(byte & 0x3F)
        }))
    }
}

/// Bytes that `code_point` takes in generalised UTF-8.
pub const fn encoded_len(code_point: u32) -> usize {
    match code_point {
        0..0x80 => 1,
        0x80..0x800 => 2,
        0x800..0x1_0000 => 3,
        _ => 4,
    }
}

/// Append `code_point` (which may be a surrogate) as generalised UTF-8.
pub fn push_code_point(out: &mut Vec<u8>, code_point: u32) {
    if let Some(character) = char::from_u32(code_point) {
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        // A surrogate: the three-byte form that `surrogatepass` writes.
        let byte = |shift: u32, mark: u32| {
            u8::try_from(mark | ((code_point >> shift) & 0x3F)).unwrap_or(b'?')
        };
        out.extend_from_slice(&[0xE0 | (byte(12, 0) & 0x0F), byte(6, 0x80), byte(0, 0x80)]);
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl Borrow<[u8]> for Text<'_> {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.to_display())
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::borrowed(text)
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text.into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surrogates_keep_code_point_order_and_length() {
        let mut bytes = Vec::new();
        push_code_point(&mut bytes, 0xD83D);
        assert_eq!(bytes, [0xED, 0xA0, 0xBD]);
        let lone = Text::from_wtf8(Cow::Owned(bytes));
        assert_eq!(lone.len(), 1);
        assert_eq!(lone.as_str(), None);
        assert_eq!(lone.code_points().collect::<Vec<_>>(), [0xD83D]);
        assert!(Text::borrowed("\u{D7FF}") < lone && lone < Text::borrowed("\u{E000}"));
    }

    #[test]
    fn strip_takes_python_white_space() {
        assert_eq!(Text::borrowed("\u{1c}\u{a0} é b\u{85}\n").strip(), "é b");
        assert!(Text::borrowed(" \u{2028}\u{1f}").is_blank());
        assert!(!Text::borrowed("\u{200b}").is_blank());
    }
}
