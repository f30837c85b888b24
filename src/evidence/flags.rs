//! Flags: what a reader must see about a match besides its grade.
//!
//! In: the source and the place of a match, or the words that differ. Out: one yes or no each.
//! Number forms and page numbers live here, so that every gate means the same by them; the words
//! that negate are `negations`', the ends of words `boundaries`' work.

pub(super) use super::boundaries::cuts_word;
use super::characters::{digit_value, is_dash, is_invisible, is_line_end, is_space, is_unspaced};
use crate::position::Span;
use serde::Serialize;

/// What a reader must see about a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// The passage begins or ends inside a word, a compound or a number with its sign.
    CutsWord,
    /// Words that the quote leaves out hold a negation.
    OmitsNegation,
    /// Digits or comparison signs differ.
    NumberDiffers,
    /// A form feed or a page number lies inside the passage.
    CrossesPage,
    /// Only marks of Markdown or HTML differ.
    Markup,
    /// A hyphen at a line end, which may be the author's own, is left out or put in.
    JoinsHyphen,
    /// The passage holds text that is shown struck out, or runs on over it.
    StruckOut,
    /// The quote stands in the source, but not between the words that were asked for around it.
    OtherContext,
    /// Part of the document could not be read, so that the quote may stand there.
    Unread,
}

impl Flag {
    /// All, in their order.
    pub const ALL: [Self; 9] = [
        Self::CutsWord,
        Self::OmitsNegation,
        Self::NumberDiffers,
        Self::CrossesPage,
        Self::Markup,
        Self::JoinsHyphen,
        Self::StruckOut,
        Self::OtherContext,
        Self::Unread,
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
            Self::OtherContext => "other_context",
            Self::Unread => "unread",
        }
    }
}

/// The numbers and comparison signs of `text`, each in one spelling, without those in `left_out`.
/// Marks of quoting at a line's head and tags are no comparison.
pub(super) fn numbers(text: &str, left_out: &[Span]) -> Vec<String> {
    let bytes = text.as_bytes();
    let has_marks = memchr::memchr2(b'<', b'>', bytes).is_some();
    if has_marks || !left_out.is_empty() {
        let mut blanked = text.to_owned();
        let marks = if has_marks { marks(text) } else { Vec::new() };
        for span in left_out.iter().chain(&marks) {
            let blank = " ".repeat(span.byte_end.saturating_sub(span.byte_start));
            if blanked.get(span.byte_start..span.byte_end).is_some() {
                blanked.replace_range(span.byte_start..span.byte_end, &blank);
            }
        }
        return numbers_of(&blanked);
    }
    numbers_of(text)
}

// The marks of quoting at line heads and the tags of `text`.
fn marks(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut is_head = true;
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let next = at + character.len_utf8();
        if is_line_end(character) {
            is_head = true;
        } else if character == '>' && is_head {
            found.push(Span {
                byte_start: at,
                byte_end: next,
            });
        } else if character == '<'
            && let Some(byte_end) = tag_end(text, at)
        {
            found.push(Span {
                byte_start: at,
                byte_end,
            });
            at = byte_end;
            continue;
        } else if !is_space(character) {
            is_head = false;
        }
        at = next;
    }
    found
}

const LONGEST_TAG: usize = 512;

/// One past the end of the tag that begins at `at`: one of HTML's that stand in running text.
pub(super) fn tag_end(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix('<')?;
    let named = rest.strip_prefix('/').unwrap_or(rest);
    let name_len = named.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name = named.get(..name_len)?.to_ascii_lowercase();
    if TAGS.binary_search(&name.as_str()).is_err() {
        return None;
    }
    let behind = named.get(name_len..)?;
    let end = behind
        .bytes()
        .take(LONGEST_TAG)
        .position(|byte| matches!(byte, b'<' | b'>'))?;
    let is_tag = behind.as_bytes().get(end) == Some(&b'>')
        && behind
            .chars()
            .next()
            .is_some_and(|first| first == '>' || first == '/' || is_space(first));
    is_tag.then_some(at + 1 + (rest.len() - behind.len()) + end + 1)
}

#[rustfmt::skip]
const TAGS: [&str; 49] = [
    "a", "abbr", "b", "big", "blockquote", "body", "br", "center", "cite", "code", "dd", "del", "div", "dl", "dt", "em", "font",
    "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "small",
    "span", "strike", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "u", "ul",
];

fn numbers_of(text: &str) -> Vec<String> {
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
            ("> pay\n> the rent", "pay the rent", true),
            (">> pay 5\n > 6", "pay 5 6", true),
            ("<b>pay</b> <br/>5", "pay 5", true),
            ("<a href=\"x?p=7\">pay</a>", "pay", true),
            ("a < b and c > d", "a b and c d", false),
            ("a <7 and b> d", "a 7 and b d", false),
        ] {
            assert_eq!(
                numbers(left, &[]) == numbers(right, &[]),
                equal,
                "{left} {right}"
            );
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
