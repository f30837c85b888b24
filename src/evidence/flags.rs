//! Flags: what a reader must see about a match besides its grade.
//!
//! In: the source and the place of a match, or the words that differ. Out: one yes or no each.
//! Word lists and number forms live here, so that every gate means the same by them.

use super::characters::{
    digit_value, is_apostrophe, is_dash, is_hyphen, is_invisible, is_mark, is_space, is_unspaced,
    is_word,
};
use crate::position::Span;
use serde::Serialize;

/// What a reader must see about a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// The passage begins or ends inside a word (or a number).
    CutsWord,
    /// Words that the quote leaves out hold a negation.
    OmitsNegation,
    /// Digits or comparison signs differ.
    NumberDiffers,
    /// A form feed or a page number lies inside the passage.
    CrossesPage,
    /// Only Markdown emphasis or table marks differ.
    Markup,
    /// A hyphen at a line end, which may be the author's own, is left out or put in.
    JoinsHyphen,
    /// The passage holds text that is shown struck out, or runs on over it.
    StruckOut,
}

impl Flag {
    /// All, in their order.
    pub const ALL: [Self; 5] = [
        Self::CutsWord,
        Self::OmitsNegation,
        Self::NumberDiffers,
        Self::CrossesPage,
        Self::Markup,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::CutsWord => "cuts_word",
            Self::OmitsNegation => "omits_negation",
            Self::NumberDiffers => "number_differs",
            Self::CrossesPage => "crosses_page",
            Self::Markup => "markup",
            Self::JoinsHyphen => "joins_hyphen",
            Self::StruckOut => "struck_out",
        }
    }
}

/// Whether `span` begins or ends inside a word of `source`.
pub(super) fn cuts_word(source: &str, span: Span) -> bool {
    is_inside_word(source, span.byte_start) || is_inside_word(source, span.byte_end)
}

// Most bytes that are looked at on each side of a place to see what word it belongs to; a longer
// run of marks, invisible characters or white space belongs to none.
const WORD_REACH: usize = 1024;

// Whether a word goes on across the byte offset `at`.
fn is_inside_word(source: &str, at: usize) -> bool {
    let is_boundary = |at: &usize| source.is_char_boundary(*at);
    let start = (at.saturating_sub(WORD_REACH)..=at).find(is_boundary);
    let end = (at..=at.saturating_add(WORD_REACH).min(source.len())).rfind(is_boundary);
    let (Some(before), Some(after)) = (
        start.and_then(|start| source.get(start..at)),
        end.and_then(|end| source.get(at..end)),
    ) else {
        return false;
    };
    let mut left = before
        .chars()
        .rev()
        .filter(|&character| !is_invisible(character));
    let mut right = after.chars().filter(|&character| !is_invisible(character));
    let Some(mut last) = left.next() else {
        return false;
    };
    let Some(first) = right.next() else {
        return false;
    };
    if is_mark(first) && !is_space(last) {
        return true;
    }
    while is_mark(last) {
        match left.next() {
            Some(character) => last = character,
            None => return false,
        }
    }
    if is_word(last) && is_word(first) {
        // Every place in a script without spaces would be inside a word.
        return !is_unspaced(last) && !is_unspaced(first);
    }
    let spaced_word = |character: Option<char>| {
        character.is_some_and(|character| is_word(character) && !is_unspaced(character))
    };
    if is_apostrophe(first) && spaced_word(Some(last)) {
        return spaced_word(right.next());
    }
    if is_apostrophe(last) && spaced_word(Some(first)) {
        return spaced_word(left.next());
    }
    let separator = |character: char| matches!(character, '.' | ',');
    let digit = |character: Option<char>| character.is_some_and(char::is_numeric);
    if separator(first) && last.is_numeric() {
        return digit(right.next());
    }
    if separator(last) && first.is_numeric() {
        return digit(left.next());
    }
    divides_word(before, after)
}

// Whether a word is divided at a line end around the place: `land-` here, `lord` there.
fn divides_word(before: &str, after: &str) -> bool {
    let whole_gap_before = before.trim_end_matches(is_space);
    let whole_gap_after = after.trim_start_matches(is_space);
    let gap = (before.len() - whole_gap_before.len()) + (after.len() - whole_gap_after.len());
    let line_end = before
        .get(whole_gap_before.len()..)
        .is_some_and(|gap| gap.contains('\n'))
        || after
            .get(..after.len() - whole_gap_after.len())
            .is_some_and(|gap| gap.contains('\n'));
    let hyphen_before = |character: char| is_hyphen(character) || character == '\u{ad}';
    let mut left = whole_gap_before.chars().rev();
    let mut right = whole_gap_after.chars();
    let (Some(last), Some(first)) = (left.next(), right.next()) else {
        return false;
    };
    if gap > 0 {
        return line_end
            && hyphen_before(last)
            && first.is_alphabetic()
            && left.next().is_some_and(char::is_alphabetic);
    }
    // Directly before the hyphen that stands at the line end.
    if !hyphen_before(first) || !last.is_alphabetic() {
        return false;
    }
    let rest = right.as_str();
    let next = rest.trim_start_matches(is_space);
    rest.get(..rest.len() - next.len())
        .is_some_and(|gap| gap.contains('\n'))
        && next.chars().next().is_some_and(char::is_alphabetic)
}

const NEGATIONS: &[&str] = &[
    // English
    "not",
    "no",
    "never",
    "without",
    "unless",
    "except",
    "excepting",
    "excluding",
    "cannot",
    "none",
    "nor",
    "neither",
    "nobody",
    "nothing",
    "nowhere",
    "non",
    // German
    "nicht",
    "nichts",
    "kein",
    "keine",
    "keinen",
    "keinem",
    "keiner",
    "keines",
    "nie",
    "niemals",
    "niemand",
    "ohne",
    "weder",
    // French, Spanish, Italian
    "ne",
    "pas",
    "jamais",
    "sans",
    "sauf",
    "aucun",
    "aucune",
    "nunca",
    "ningún",
    "ninguna",
    "senza",
    "nessun",
    "nessuno",
];

/// How many negations the words of `text` hold.
pub(super) fn count_negations(text: &str) -> usize {
    let lowered: String = text
        .chars()
        .filter(|&character| !is_invisible(character))
        .map(|character| {
            if is_apostrophe(character) {
                '\''
            } else {
                character
            }
        })
        .flat_map(char::to_lowercase)
        .collect();
    let words = lowered
        .split(|character: char| !is_word(character) && character != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| NEGATIONS.contains(word) || word.ends_with("n't"))
        .count();
    let signs = lowered
        .chars()
        .filter(|character| matches!(character, '不' | '没' | '沒' | '無' | '无' | '未' | '勿'))
        .count();
    words + signs
}

/// The numbers and comparison signs of `text`, each in one spelling.
pub(super) fn numbers(text: &str) -> Vec<String> {
    let characters: Vec<char> = text
        .chars()
        .filter(|&character| !is_invisible(character))
        .collect();
    let at = |index: usize| characters.get(index).copied();
    let mut found = Vec::new();
    let mut index = 0;
    while let Some(character) = at(index) {
        let before = index.checked_sub(1).and_then(at);
        if character.is_numeric() && is_number_part(character) {
            let mut number = String::new();
            let sign = before.is_some_and(is_dash)
                && index
                    .checked_sub(2)
                    .and_then(at)
                    .is_none_or(|character| is_space(character) || character == '(');
            if sign {
                number.push('-');
            }
            while let Some(character) = at(index) {
                let separated =
                    matches!(character, '.' | ',') && at(index + 1).is_some_and(is_number_part);
                if let Some(value) = digit_value(character) {
                    number.extend(char::from_digit(value, 10));
                } else if is_number_part(character) || separated {
                    // Superscripts and fractions stay themselves: 10² is not 102.
                    number.push(character);
                } else {
                    break;
                }
                index += 1;
            }
            found.push(number);
            continue;
        }
        let follows = at(index + 1);
        let (sign, len) = match (character, follows) {
            ('<' | '\u{ff1c}', Some('=' | '\u{ff1d}')) | ('=', Some('<')) => (Some("≤"), 2),
            ('>' | '\u{ff1e}', Some('=' | '\u{ff1d}')) => (Some("≥"), 2),
            ('!', Some('=')) | ('<', Some('>')) => (Some("≠"), 2),
            ('=', Some('=')) => (Some("="), 2),
            ('≤' | '≦' | '⩽', _) => (Some("≤"), 1),
            ('≥' | '≧' | '⩾', _) => (Some("≥"), 1),
            ('≠', _) => (Some("≠"), 1),
            ('≈', _) => (Some("≈"), 1),
            ('±', _) => (Some("±"), 1),
            ('<' | '\u{ff1c}', _) => (Some("<"), 1),
            // An arrow is no comparison.
            ('>' | '\u{ff1e}', _)
                if !before.is_some_and(|before| is_dash(before) || before == '=') =>
            {
                (Some(">"), 1)
            }
            ('=' | '\u{ff1d}', next) if next != Some('>') => (Some("="), 1),
            _ => (None, 1),
        };
        found.extend(sign.map(str::to_owned));
        index += len;
    }
    found
}

// Digits, superscripts and fractions; not the ideographs that also have a numeric value.
fn is_number_part(character: char) -> bool {
    character.is_numeric() && !is_unspaced(character)
}

/// The lines of `text` that hold a page number alone, as byte ranges; the first and the last line
/// are not inside the text and never count.
pub(super) fn page_numbers(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut byte_start = 0;
    let lines: Vec<&str> = text.split('\n').collect();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 && index + 1 < lines.len() && is_page_number(line) {
            found.push(Span {
                byte_start,
                byte_end: byte_start + line.len(),
            });
        }
        byte_start += line.len() + 1;
    }
    found
}

// With its words and blanks, in bytes.
const LONGEST_PAGE_NUMBER: usize = 64;

// `12`, `- 12 -`, `[12]`, `Page 12`, `p. 12`, `12 / 40`, `page 12 of 40`, `iv`.
fn is_page_number(line: &str) -> bool {
    let decoration = |character: char| {
        is_space(character) || is_dash(character) || matches!(character, '[' | ']' | '|' | '*')
    };
    let trimmed = line.trim_matches(decoration);
    if !(1..=LONGEST_PAGE_NUMBER).contains(&trimmed.len()) {
        return false;
    }
    let lowered = trimmed.to_lowercase();
    let named = ["page", "seite", "pg.", "pg", "p.", "s."]
        .iter()
        .find_map(|name| lowered.strip_prefix(name));
    let number = named.unwrap_or(&lowered).trim();
    let is_digits = |part: &str| {
        (1..=5).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_roman = |part: &str| {
        (1..=6).contains(&part.len()) && part.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x'))
    };
    if is_digits(number) || (is_roman(number) && line.trim() == line.trim().to_lowercase()) {
        return true;
    }
    ["/", " of ", " von "]
        .iter()
        .filter_map(|between| number.split_once(between))
        .any(|(page, pages)| is_digits(page.trim()) && is_digits(pages.trim()))
}

/// Whether a form feed or a page number lies inside `passage`.
pub(super) fn crosses_page(passage: &str) -> bool {
    memchr::memchr(b'\x0c', passage.as_bytes()).is_some() || !page_numbers(passage).is_empty()
}

/// The form feeds and page numbers of a whole source, for passages too long to be read again for
/// every quote.
#[derive(Debug)]
pub(super) struct Pages {
    form_feeds: Vec<usize>,
    numbers: Vec<Span>,
}

impl Pages {
    /// Those of `source`.
    pub(super) fn new(source: &str) -> Self {
        Self {
            form_feeds: memchr::memchr_iter(b'\x0c', source.as_bytes()).collect(),
            numbers: page_numbers(source),
        }
    }

    /// What [`crosses_page`] says of the passage at `span`.
    pub(super) fn crosses(&self, span: Span) -> bool {
        let feed = self.form_feeds.partition_point(|&at| at < span.byte_start);
        let number = self
            .numbers
            .partition_point(|number| number.byte_start <= span.byte_start);
        self.form_feeds
            .get(feed)
            .is_some_and(|&at| at < span.byte_end)
            || self
                .numbers
                .get(number)
                .is_some_and(|number| number.byte_end < span.byte_end)
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "tests slice text they know")]
mod tests {
    use super::*;

    fn cuts(source: &str, quote: &str) -> bool {
        let byte_start = source.find(quote).unwrap();
        cuts_word(
            source,
            Span {
                byte_start,
                byte_end: byte_start + quote.len(),
            },
        )
    }

    #[test]
    fn words_that_are_cut() {
        for (source, quote) in [
            ("the landlord pays", "lord pays"),
            ("the landlord pays", "the land"),
            ("we don't pay", "we don"),
            ("we don’t pay", "we don"),
            ("we don't pay", "we don'"),
            ("we don't pay", "t pay"),
            ("l’État paie", "État paie"),
            ("cafe\u{301} noir", "cafe"),
            ("foo_bar", "bar"),
            ("costs 3.50 euros", "costs 3"),
            ("costs 3.50 euros", "50 euros"),
            ("land\u{ad}lord pays", "lord pays"),
            ("the land-\nlord pays", "lord pays"),
            ("the land-\nlord pays", "the land"),
            ("the land-\nlord pays", "the land-"),
            ("12345", "234"),
        ] {
            assert!(cuts(source, quote), "{source:?} {quote:?}");
        }
    }

    #[test]
    fn words_that_are_whole() {
        for (source, quote) in [
            ("the landlord pays", "landlord"),
            ("we don't pay", "don't"),
            ("the tenants' rights", "tenants"),
            ("he said 'pay' twice", "pay"),
            ("a well-known fact", "known fact"),
            ("甲方應支付租金", "方應支付"),
            ("ABC公司", "公司"),
            ("costs 3. Then", "costs 3"),
            ("the rent -\nlord pays", "lord pays"),
            ("x", "x"),
        ] {
            assert!(!cuts(source, quote), "{source:?} {quote:?}");
        }
    }

    #[test]
    fn negations() {
        for (text, count) in [
            ("not", 1),
            ("Not at all, NEVER", 2),
            ("isn't", 1),
            ("isn’t", 1),
            ("without", 1),
            ("non-refundable", 1),
            ("knot notice nobly", 0),
            ("'not'", 1),
            ("unless and except", 2),
            ("不得", 1),
            ("", 0),
        ] {
            assert_eq!(count_negations(text), count, "{text}");
        }
    }

    #[test]
    fn numbers_in_one_spelling() {
        for (left, right, equal) in [
            ("5 days", "５ days", true),
            ("≤ 5", "<= 5", true),
            ("< 5", "> 5", false),
            ("10²", "102", false),
            ("1.5", "15", false),
            ("10–20", "10-20", true),
            ("is -5", "is 5", false),
            ("a -> b", "a b", true),
            ("x != 3", "x ≠ 3", true),
            ("三日", "二日", true),
        ] {
            assert_eq!(numbers(left) == numbers(right), equal, "{left} {right}");
        }
    }

    #[test]
    fn page_numbers_stand_alone_on_a_line() {
        for inside in ["12", "- 12 -", "Page 3 of 9", "p. 7", "iv", "[4]", "3/9"] {
            assert!(crosses_page(&format!("a\n{inside}\nb")), "{inside}");
        }
        for inside in ["12 men", "", "1234567", "IV. Rent", "12."] {
            assert!(!crosses_page(&format!("a\n{inside}\nb")), "{inside}");
        }
        let text = "7\na\n12\nb\u{c}c\n9";
        for byte_start in 0..text.len() {
            for byte_end in byte_start..text.len() {
                let span = Span {
                    byte_start,
                    byte_end,
                };
                assert_eq!(
                    Pages::new(text).crosses(span),
                    crosses_page(&text[byte_start..byte_end]),
                    "{span:?}"
                );
            }
        }
        assert!(crosses_page("a\u{c}b"));
        assert!(!crosses_page("12\na"));
    }
}
