//! Both sides of the evidence test in comparable form, by the recorded command's two rules.
//!
//! In: the artifact's text, or one quotation. Out: text without line-number prefixes in which white
//! space is single blanks. The two rules differ on purpose (contract, section 7): a no-break space
//! in the artifact stays, one in the quotation becomes a blank.

use crate::text::python::is_space;
use crate::text::{Text, push_code_point};
use unicode_general_category::{GeneralCategory, get_general_category};

/// White space that may stand around the number of a prefix in the artifact.
const fn surrounds_artifact_number(character: char) -> bool {
    matches!(
        character,
        '\t' | '\u{B}' | '\u{C}' | '\r' | ' ' | '\u{1680}' | '\u{2000}'..='\u{2006}' | '\u{2008}'..='\u{200A}'
            | '\u{2028}' | '\u{2029}' | '\u{205F}' | '\u{3000}'
    )
}

/// A line of the artifact behind its `12:` prefix, or the whole line when it has none.
fn without_artifact_prefix(line: &str) -> &str {
    let rest = line.trim_start_matches(surrounds_artifact_number);
    let behind = rest.trim_start_matches(|character: char| character.is_ascii_digit());
    match behind.strip_prefix(':') {
        Some(text) if behind.len() < rest.len() => {
            text.trim_start_matches(surrounds_artifact_number)
        }
        Some(_) | None => line,
    }
}

/// The artifact in comparable form: prefixes gone, runs of the six ASCII white space characters
/// one blank, none at the ends.
pub fn normalise_artifact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split('\n') {
        let words = without_artifact_prefix(line)
            .split(['\t', '\u{B}', '\u{C}', '\r', ' '])
            .filter(|word| !word.is_empty());
        for word in words {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    out
}

/// A decimal digit of any script.
fn is_digit(code_point: u32) -> bool {
    if code_point < 0x80 {
        return (0x30..=0x39).contains(&code_point);
    }
    char::from_u32(code_point)
        .is_some_and(|character| get_general_category(character) == GeneralCategory::DecimalNumber)
}

/// Code points of a quotation's line behind its prefix: blanks and tabs, digits, `:`, blanks and tabs.
fn without_quotation_prefix(line: &[u32]) -> &[u32] {
    let skip = |line: &[u32], wanted: fn(u32) -> bool| {
        line.iter()
            .position(|&code_point| !wanted(code_point))
            .unwrap_or(line.len())
    };
    let is_blank = |code_point| matches!(code_point, 0x20 | 0x09);
    let rest = line.get(skip(line, is_blank)..).unwrap_or_default();
    let digits = skip(rest, is_digit);
    match rest.get(digits..) {
        Some([colon, text @ ..]) if digits > 0 && *colon == u32::from(':') => {
            text.get(skip(text, is_blank)..).unwrap_or_default()
        }
        Some(_) | None => line,
    }
}

/// A quotation in comparable form: prefixes gone, runs of Unicode white space one blank, none at
/// the ends.
pub fn normalise_quotation(text: &Text<'_>) -> Text<'static> {
    let code_points: Vec<u32> = text.code_points().collect();
    let mut out = Vec::with_capacity(text.as_bytes().len());
    let mut blank_waits = false;
    for line in code_points.split(|&code_point| code_point == 0x0A) {
        for &code_point in without_quotation_prefix(line) {
            if is_space(code_point) {
                blank_waits = true;
                continue;
            }
            if blank_waits && !out.is_empty() {
                out.push(b' ');
            }
            blank_waits = false;
            push_code_point(&mut out, code_point);
        }
        blank_waits = true;
    }
    Text::from_wtf8(out.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_artifact_loses_one_prefix_for_each_line_and_ascii_white_space_only() {
        let table = [
            ("  a\t b\r\nc \n", "a b c"),
            ("12: one\n 13:two\n:x\nx 14: y", "one two :x x 14: y"),
            ("1: 2: x", "2: x"),
            ("10:30 queue stalls", "30 queue stalls"),
            ("\u{3000}22:\u{3000}page two", "page two"),
            ("\u{a0}22: x", "\u{a0}22: x"),
            ("a\u{a0}b\u{85}c\u{2028}d", "a\u{a0}b\u{85}c\u{2028}d"),
            ("٣: x", "٣: x"),
            ("12", "12"),
            ("\n\n", ""),
        ];
        for (text, wanted) in table {
            assert_eq!(normalise_artifact(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_quotation_loses_prefixes_of_any_script_and_all_white_space() {
        let table = [
            (" 12: one\n13:\ttwo  three\n", "one two three"),
            ("٣: x", "x"),
            ("\u{3000}22: x", "22: x"),
            ("a\u{a0}\u{2028}b\u{1c}\u{85}c", "a b c"),
            ("1:", ""),
            ("1: 2: x\n:y", "2: x :y"),
            ("a\u{200b}b", "a\u{200b}b"),
        ];
        for (text, wanted) in table {
            assert_eq!(
                normalise_quotation(&Text::borrowed(text)),
                wanted,
                "{text:?}"
            );
        }
    }
}
