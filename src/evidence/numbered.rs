//! Whether a source is numbered line by line, so that `12: ` at a line's head is no part of it.
//!
//! In: a text. Out: yes or no. A number followed by a colon and white space heads nearly every line,
//! counting up by one from below 1000 (or from 1 again, as on the pages of a transcript). All else
//! is content: times, ratios, verses, years beside amounts.

use super::characters::{digit_value, is_space};
use super::view::prefix_at;

// A count that begins here or above is as well a year or an amount.
const FIRST_NUMBER_BELOW: u64 = 1000;

// Of so many numbered lines one may lack its number: a running head between pages.
const LINES_PER_UNNUMBERED: usize = 8;

// Lines of the shortest page behind which the count begins anew.
const SHORTEST_PAGE: u64 = 2;

/// Whether the lines of `text` are numbered.
pub(super) fn is_numbered(text: &str) -> bool {
    let mut first_number = None;
    let mut last: Option<u64> = None;
    let (mut numbered, mut unnumbered, mut since) = (0_usize, 0_usize, 0_u64);
    let mut is_first_unnumbered = false;
    let mut start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while start < text.len() {
        let end = text
            .as_bytes()
            .get(start..)
            .and_then(|rest| memchr::memchr(b'\n', rest))
            .map_or(text.len(), |len| start + len);
        let line = text.get(start..end).unwrap_or("");
        if line.chars().all(is_space) {
            since += 1;
        } else if let Some((digits, _)) = prefix_at(text, start, false) {
            let Some(number) = value(text.get(digits.byte_start..digits.byte_end).unwrap_or(""))
            else {
                return false;
            };
            let counts_up = match last {
                None => number < FIRST_NUMBER_BELOW,
                Some(last) => {
                    (number > last && number <= last + 1 + since)
                        || (number == 1 && last >= SHORTEST_PAGE)
                }
            };
            if !counts_up {
                return false;
            }
            first_number.get_or_insert(number);
            last = Some(number);
            numbered += 1;
            since = 0;
        } else {
            is_first_unnumbered |= numbered == 0 && unnumbered == 0;
            unnumbered += 1;
            since += 1;
            if unnumbered > 2
                && unnumbered * LINES_PER_UNNUMBERED > numbered + 2 * LINES_PER_UNNUMBERED
            {
                return false;
            }
        }
        start = end + 1;
    }
    // A text that begins inside line 1 goes on with line 2.
    let begins_inside = unnumbered == 1 && is_first_unnumbered && first_number == Some(2);
    numbered >= 2 && (begins_inside || unnumbered * LINES_PER_UNNUMBERED <= numbered)
}

/// The value of `digits` of any script; `None` beyond 18 of them.
pub(super) fn value(digits: &str) -> Option<u64> {
    let mut value = 0_u64;
    for (index, character) in digits.chars().enumerate() {
        if index >= 18 {
            return None;
        }
        value = value * 10 + u64::from(digit_value(character)?);
    }
    (!digits.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_line_by_line() {
        for text in [
            "1: a\n2: b",
            "85: All\n86: of it",
            "  9: a\n\n 10: b\n 11:\n 12: d\n",
            "\u{feff}1: a\n2: b",
            "begins inside\n2: b\n3: c",
            "1: a\n2: b\n1: c\n2: d",
            "٣: a\n٤: b",
        ] {
            assert!(is_numbered(text), "{text:?}");
        }
        let paged: String = (0..3)
            .map(|page| {
                let lines: Vec<String> = (1..=25).map(|line| format!("{line}: words")).collect();
                format!("Page {page}\n{}\n\u{c}", lines.join("\n"))
            })
            .collect::<Vec<_>>()
            .concat();
        assert!(is_numbered(&paged));
    }

    #[test]
    fn digits_and_a_colon_are_content() {
        for text in [
            "",
            "12: a",
            "12:30 lunch\n13:30 rest",
            "1:4 acid\n2:5 base",
            "Ratio\n1: 4 dilution",
            "2025: EUR 10\n2026: EUR 12",
            "30: a\n60: b\n90: c",
            "3: b\n2: a",
            "Payments\n1: rent\n2: deposit\nend",
            "a\nb\nc\n",
        ] {
            assert!(!is_numbered(text), "{text:?}");
        }
    }
}
