//! The type of a node: from its tag, or from how a plain value is spelled (YAML 1.1).
//!
//! In: a tag name or a plain text. Out: a [`Tag`]. The spellings are those of `PyYAML`'s resolver,
//! which is narrower than YAML 1.1 itself: `y` and `n` are strings, a float needs its dot.

use crate::text::Text;

/// What every standard type's full name begins with.
pub(super) const TAG_PREFIX: &str = "tag:yaml.org,2002:";

/// A type that a node can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    Bool,
    Int,
    Float,
    Str,
    Binary,
    Timestamp,
    Seq,
    Map,
    Set,
    Omap,
    Pairs,
    /// `<<`.
    Merge,
    /// `=`, which only a mapping key may be.
    Value,
    /// Anything a safe reader cannot build.
    Unknown,
}

impl Tag {
    pub(super) fn of_name(name: &str) -> Self {
        match name.strip_prefix(TAG_PREFIX) {
            Some("null") => Self::Null,
            Some("bool") => Self::Bool,
            Some("int") => Self::Int,
            Some("float") => Self::Float,
            Some("str") => Self::Str,
            Some("binary") => Self::Binary,
            Some("timestamp") => Self::Timestamp,
            Some("seq") => Self::Seq,
            Some("map") => Self::Map,
            Some("set") => Self::Set,
            Some("omap") => Self::Omap,
            Some("pairs") => Self::Pairs,
            Some("merge") => Self::Merge,
            Some("value") => Self::Value,
            Some(_) | None => Self::Unknown,
        }
    }

    /// The type of a plain value.
    pub(super) fn of_plain(text: &Text<'_>) -> Self {
        let bytes = text.as_bytes();
        let Some(&first) = bytes.first() else {
            return Self::Null;
        };
        match first {
            b'~' if bytes.len() == 1 => Self::Null,
            b'<' if bytes == b"<<" => Self::Merge,
            b'=' if bytes.len() == 1 => Self::Value,
            // Only reachable through `!`, since no plain value begins with these.
            b'!' | b'&' | b'*' if bytes.len() == 1 => Self::Unknown,
            b'0'..=b'9' | b'+' | b'-' | b'.' => of_number(bytes),
            b'a'..=b'z' | b'A'..=b'Z' => of_word(bytes),
            _ => Self::Str,
        }
    }
}

fn of_word(bytes: &[u8]) -> Tag {
    match bytes {
        b"null" | b"Null" | b"NULL" => Tag::Null,
        b"yes" | b"Yes" | b"YES" | b"no" | b"No" | b"NO" | b"true" | b"True" | b"TRUE"
        | b"false" | b"False" | b"FALSE" | b"on" | b"On" | b"ON" | b"off" | b"Off" | b"OFF" => {
            Tag::Bool
        }
        _ => Tag::Str,
    }
}

fn of_number(bytes: &[u8]) -> Tag {
    if is_float(bytes) {
        Tag::Float
    } else if is_int(bytes) {
        Tag::Int
    } else if super::timestamp::is_plain_timestamp(bytes) {
        Tag::Timestamp
    } else {
        Tag::Str
    }
}

fn without_sign(bytes: &[u8]) -> &[u8] {
    match bytes {
        [b'+' | b'-', rest @ ..] => rest,
        _ => bytes,
    }
}

/// Bytes after the longest beginning of `bytes` that `wanted` holds for.
fn skip(bytes: &[u8], wanted: impl Fn(u8) -> bool) -> &[u8] {
    let end = bytes
        .iter()
        .position(|&byte| !wanted(byte))
        .unwrap_or(bytes.len());
    bytes.get(end..).unwrap_or_default()
}

fn is_digit_or_underscore(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

/// Nothing, or `[eE][-+][0-9]+`.
fn is_exponent_or_empty(bytes: &[u8]) -> bool {
    match bytes {
        [] => true,
        [b'e' | b'E', b'-' | b'+', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// Bytes after `(?::[0-5]?[0-9])+`, or nothing when there is no such part.
///
/// Each part is one digit, or two of which the first is below 6; both readings are tried by taking
/// two digits wherever that can be followed by the rest of the pattern.
fn skip_base_sixty(bytes: &[u8]) -> Option<&[u8]> {
    let mut rest = bytes;
    let mut parts = 0;
    while let [b':', after @ ..] = rest {
        rest = match after {
            [b'0'..=b'5', b'0'..=b'9', more @ ..] | [b'0'..=b'9', more @ ..] => more,
            _ => return None,
        };
        parts += 1;
    }
    (parts > 0).then_some(rest)
}

fn is_float(bytes: &[u8]) -> bool {
    if let [b'.', first, rest @ ..] = bytes
        && first.is_ascii_digit()
    {
        return is_exponent_or_empty(skip(rest, is_digit_or_underscore));
    }
    if matches!(bytes, b".nan" | b".NaN" | b".NAN") {
        return true;
    }
    let unsigned = without_sign(bytes);
    if matches!(unsigned, b".inf" | b".Inf" | b".INF") {
        return true;
    }
    if !unsigned.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let rest = skip(unsigned, is_digit_or_underscore);
    if let [b'.', rest @ ..] = rest {
        return is_exponent_or_empty(skip(rest, is_digit_or_underscore));
    }
    match skip_base_sixty(rest) {
        Some([b'.', rest @ ..]) => rest.iter().all(|&byte| is_digit_or_underscore(byte)),
        Some(_) | None => false,
    }
}

fn is_int(bytes: &[u8]) -> bool {
    match without_sign(bytes) {
        [b'0'] => true,
        [b'0', b'b', bits @ ..] => {
            !bits.is_empty() && bits.iter().all(|byte| matches!(byte, b'0' | b'1' | b'_'))
        }
        [b'0', b'x', digits @ ..] => {
            !digits.is_empty()
                && digits
                    .iter()
                    .all(|&byte| byte.is_ascii_hexdigit() || byte == b'_')
        }
        [b'0', digits @ ..] => digits.iter().all(|byte| matches!(byte, b'0'..=b'7' | b'_')),
        [b'1'..=b'9', rest @ ..] => {
            let rest = skip(rest, is_digit_or_underscore);
            rest.is_empty() || skip_base_sixty(rest).is_some_and(<[u8]>::is_empty)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_values_have_the_types_of_yaml_1_1() {
        let table: &[(Tag, &[&str])] = &[
            (Tag::Null, &["", "~", "null", "Null", "NULL"]),
            (Tag::Bool, &["yes", "No", "ON", "off", "true", "FALSE"]),
            (
                Tag::Int,
                &[
                    "0",
                    "012",
                    "0x1F",
                    "0b101",
                    "1_000",
                    "+7",
                    "-3",
                    "12:30",
                    "42:48",
                    "0_",
                    "190:20:30",
                ],
            ),
            (
                Tag::Float,
                &[
                    "1.5", ".5", "1.", "1.5e+3", ".inf", "-.INF", ".NaN", "1:30.5", "1_0.0_",
                    "0:30.5",
                ],
            ),
            (
                Tag::Timestamp,
                &["2026-04-22", "2026-04-22 14:23:01", "2026-4-2t1:02:03.5Z"],
            ),
            (Tag::Merge, &["<<"]),
            (Tag::Value, &["="]),
            (
                Tag::Str,
                &[
                    "y", "n", "yEs", "nULL", "08", "0o17", "1e3", "0:30", "1:60", ".", "+.5", "-",
                    "+", "2026-4-2", "-.nan", "1.5e3", "1__x", "0b", "0x", "0b2", "1:", "~ ",
                    "12:30:", "é",
                ],
            ),
        ];
        for (tag, spellings) in table {
            for spelling in *spellings {
                assert_eq!(Tag::of_plain(&Text::borrowed(spelling)), *tag, "{spelling}");
            }
        }
    }
}
