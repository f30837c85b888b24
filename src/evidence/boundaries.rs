//! Where words, compounds and numbers begin and end.
//!
//! In: a text and a byte offset. Out: whether a word, a compound, a number with its sign, or what a
//! reader takes for one character goes on across it. A match whose place is cut says less than it
//! seems to: `exclusive` of `non-exclusive`, `5 million` of `-5 million`.

use super::characters::{
    is_apostrophe, is_dash, is_hyphen, is_invisible, is_line_end, is_mark, is_space, is_unspaced,
    is_word,
};
use crate::position::Span;
use unicode_segmentation::GraphemeCursor;

/// Whether `span` begins or ends inside a word of `source`.
pub(super) fn cuts_word(source: &str, span: Span) -> bool {
    is_inside_word(source, span.byte_start) || is_inside_word(source, span.byte_end)
}

/// `span` made wider until it begins and ends with whole words, and without blanks at its ends.
pub(super) fn widened(source: &str, span: Span) -> Span {
    let Span {
        mut byte_start,
        mut byte_end,
    } = span;
    let before = |at: usize| source.get(..at).and_then(|text| text.chars().next_back());
    let after = |at: usize| source.get(at..).and_then(|text| text.chars().next());
    let blank = |character: &char| is_space(*character);
    for _ in 0..WIDEST {
        if !is_joined(source, byte_start, true) {
            break;
        }
        // Blanks between a number and its mark go with the mark.
        while let Some(space) = before(byte_start).filter(blank) {
            byte_start -= space.len_utf8();
        }
        byte_start -= before(byte_start).map_or(0, char::len_utf8);
    }
    for _ in 0..WIDEST {
        if !is_joined(source, byte_end, true) {
            break;
        }
        while let Some(space) = after(byte_end).filter(blank) {
            byte_end += space.len_utf8();
        }
        byte_end += after(byte_end).map_or(0, char::len_utf8);
    }
    while let Some(space) = after(byte_start)
        .filter(blank)
        .filter(|_| byte_start < byte_end)
    {
        byte_start += space.len_utf8();
    }
    while let Some(space) = before(byte_end)
        .filter(blank)
        .filter(|_| byte_start < byte_end)
    {
        byte_end -= space.len_utf8();
    }
    Span {
        byte_start,
        byte_end,
    }
}

/// `span` taken on to the punctuation around it where a script without spaces goes on and the quote
/// ends with other characters: the end of a verb is where such scripts negate.
pub(super) fn closed(source: &str, span: Span, quote: &str) -> Span {
    let inside = source.get(span.byte_start..span.byte_end).unwrap_or("");
    let is_end = |character: &char| !is_unspaced(*character) || is_punctuation(*character);
    let is_open = |own: Option<char>, asked: Option<char>| {
        own != asked && own.is_some_and(|own| !is_end(&own))
    };
    let mut closed = span;
    let quote = quote.trim();
    if is_open(inside.chars().next_back(), quote.chars().next_back()) {
        let rest = source.get(span.byte_end..).unwrap_or("");
        let mut len = rest
            .chars()
            .take(LONGEST_TAIL)
            .take_while(|character| !is_end(character))
            .map(char::len_utf8)
            .sum();
        // The stop belongs to it when the quote has one.
        let stop = rest.get(len..).and_then(|rest| rest.chars().next());
        if let Some(stop) = stop.filter(|_| quote.chars().next_back().is_some_and(is_punctuation))
            && is_punctuation(stop)
        {
            len += stop.len_utf8();
        }
        closed.byte_end += len;
    }
    if is_open(inside.chars().next(), quote.chars().next()) {
        let len: usize = source
            .get(..span.byte_start)
            .unwrap_or("")
            .chars()
            .rev()
            .take(LONGEST_TAIL)
            .take_while(|character| !is_end(character))
            .map(char::len_utf8)
            .sum();
        closed.byte_start -= len;
    }
    closed
}

// Most characters that a passage in a script without spaces is taken on by.
const LONGEST_TAIL: usize = 12;

fn is_punctuation(character: char) -> bool {
    !character.is_alphanumeric() && !is_mark(character)
}

// Most characters that a place is made wider by on each side.
const WIDEST: usize = 256;

// Most bytes that are looked at on each side of a place to see what word it belongs to; a longer
// run of marks, invisible characters or white space belongs to none.
const WORD_REACH: usize = 1024;

/// Whether a word goes on across the byte offset `at`.
pub(super) fn is_inside_word(source: &str, at: usize) -> bool {
    is_joined(source, at, false)
}

// `wide`: tags and any text written without blanks around a sign are one word too.
fn is_joined(source: &str, at: usize, wide: bool) -> bool {
    // Nearly all places have a blank of ASCII and no number next to them.
    let bytes = source.as_bytes();
    let neighbours = (
        at.checked_sub(1).and_then(|before| bytes.get(before)),
        bytes.get(at),
    );
    let (Some(&byte_before), Some(&byte_after)) = neighbours else {
        return false;
    };
    let is_plain_blank = |byte: u8| byte == b' ';
    if is_plain_blank(byte_before) && byte_after.is_ascii_alphabetic()
        || byte_before.is_ascii_alphanumeric() && is_plain_blank(byte_after)
    {
        return false;
    }
    let is_boundary = |at: &usize| source.is_char_boundary(*at);
    let start = (at.saturating_sub(WORD_REACH)..=at).find(is_boundary);
    let end = (at..=at.saturating_add(WORD_REACH).min(source.len())).rfind(is_boundary);
    let (Some(before), Some(after)) = (
        start.and_then(|start| source.get(start..at)),
        end.and_then(|end| source.get(at..end)),
    ) else {
        return false;
    };
    is_joined_between(before, after, wide)
}

fn is_joined_between(before: &str, after: &str, wide: bool) -> bool {
    let visible = |character: &char| !is_invisible(*character);
    let mut left = before.chars().rev().filter(visible);
    let mut right = after.chars().filter(visible);
    let (Some(mut last), Some(first)) = (left.next(), right.next()) else {
        return false;
    };
    if is_mark(first) && !is_space(last) || is_inside_grapheme(before, after) {
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
    let (previous, next) = (left.next(), right.next());
    is_joined_by_sign(last, previous, first, next, wide)
        || is_number_parted(before, last, previous, first, next)
        || divides_word(before, after)
}

// Whether a character as readers see it goes on, such as an emoji of several.
fn is_inside_grapheme(before: &str, after: &str) -> bool {
    let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii);
    if is_plain(before.as_bytes().last()) && is_plain(after.as_bytes().first()) {
        return before.ends_with('\r') && after.starts_with('\n');
    }
    // Few characters decide; the rule for flags counts back a pair at a time.
    let reach = |text: &str, at: usize| (0..=at).rev().find(|&at| text.is_char_boundary(at));
    let from =
        (before.len().saturating_sub(64)..=before.len()).find(|&at| before.is_char_boundary(at));
    let to = reach(after, after.len().min(32));
    let (Some(left), Some(right)) = (
        from.and_then(|from| before.get(from..)),
        to.and_then(|to| after.get(..to)),
    ) else {
        return false;
    };
    let both = [left, right].concat();
    GraphemeCursor::new(left.len(), both.len(), true)
        .is_boundary(&both, 0)
        .is_ok_and(|is_boundary| !is_boundary)
}

/// A dash that joins what stands on both sides; an em dash parts.
fn is_joining_dash(character: char) -> bool {
    is_dash(character)
        && !matches!(
            character,
            '\u{2014}' | '\u{2015}' | '\u{2e3a}' | '\u{2e3b}' | '\u{fe31}' | '\u{fe58}'
        )
}

/// A mark of comparison, of approximation, or of a sign that is no dash.
fn is_number_mark(character: char) -> bool {
    matches!(
        character,
        '<' | '>'
            | '='
            | '±'
            | '∓'
            | '+'
            | '~'
            | '≈'
            | '≃'
            | '≅'
            | '∼'
            | '≠'
            | '≤'
            | '≥'
            | '≦'
            | '≧'
            | '⩽'
            | '⩾'
            | '≪'
            | '≫'
            | '＜'
            | '＞'
            | '＝'
            | '＋'
            | '～'
    )
}

fn is_slash(character: char) -> bool {
    matches!(character, '/' | '\u{2044}' | '\u{2215}' | '\u{ff0f}' | '\\')
}

fn is_colon(character: char) -> bool {
    matches!(character, ':' | '\u{2236}' | '\u{ff1a}')
}

// A letter or digit of a script with spaces.
fn is_lettered(character: char) -> bool {
    (character.is_alphanumeric() || character == '_') && !is_unspaced(character)
}

// `previous`, `last` | `first`, `next`: the characters around the place.
fn is_joined_by_sign(
    last: char,
    previous: Option<char>,
    first: char,
    next: Option<char>,
    wide: bool,
) -> bool {
    let lettered = |character: Option<char>| character.is_some_and(is_lettered);
    let digit = |character: Option<char>| character.is_some_and(char::is_numeric);
    if is_apostrophe(first) && is_lettered(last) && lettered(next)
        || is_apostrophe(last) && is_lettered(first) && lettered(previous)
    {
        return true;
    }
    if is_lettered(first) {
        let is_glued = previous.is_none_or(|character| !is_space(character));
        if is_joining_dash(last) && (first.is_numeric() || lettered(previous) || wide && is_glued) {
            return true;
        }
        if is_number_mark(last)
            && (first.is_numeric()
                || wide && is_glued
                || lettered(previous) && !matches!(last, '<' | '>' | '~'))
        {
            return true;
        }
        if is_slash(last) && (lettered(previous) || wide && is_glued) {
            return true;
        }
        if is_colon(last) && (digit(previous) && first.is_numeric() || wide && is_glued) {
            return true;
        }
    }
    if is_lettered(last) {
        if (is_joining_dash(first) || is_slash(first)) && lettered(next) {
            return true;
        }
        if is_number_mark(first)
            && lettered(next)
            && (wide || digit(next) || !matches!(first, '<' | '>' | '~'))
        {
            return true;
        }
        if is_colon(first) && lettered(next) && (wide || last.is_numeric() && digit(next)) {
            return true;
        }
    }
    // A sign of two characters, such as `>=`.
    is_number_mark(last) && (is_number_mark(first) || first == '=')
}

// Marks inside numbers, and a comparison that a blank parts from its number.
fn is_number_parted(
    before: &str,
    last: char,
    previous: Option<char>,
    first: char,
    next: Option<char>,
) -> bool {
    let digit = |character: Option<char>| character.is_some_and(char::is_numeric);
    let mark = |character: char| {
        matches!(
            character,
            '.' | ','
                | '·'
                | '٫'
                | '٬'
                | '\u{ff0e}'
                | '\u{ff0c}'
                | '\u{a0}'
                | '\u{2007}'
                | '\u{2009}'
                | '\u{200a}'
                | '\u{202f}'
        )
    };
    if mark(first) && last.is_numeric() && digit(next) {
        return true;
    }
    if first.is_numeric() {
        if mark(last) && digit(previous) {
            return true;
        }
        // `.5`, of which `5` is not what is said.
        if last == '.' && previous.is_none_or(|character| is_space(character) || character == '(') {
            return true;
        }
        if is_space(last) && !is_line_end(last) {
            let rest = before.trim_end_matches(is_space);
            let Some(sign) = rest
                .chars()
                .next_back()
                .filter(|&sign| is_number_mark(sign))
            else {
                return false;
            };
            // Marks at a line's head quote the line.
            let line = rest.rsplit(is_line_end).next().unwrap_or(rest);
            let is_quoting = sign == '>'
                && line
                    .chars()
                    .all(|character| character == '>' || is_space(character));
            return sign != '+' && !is_quoting;
        }
    }
    false
}

// Whether a word is divided at a line end around the place: `land-` here, `lord` there.
fn divides_word(before: &str, after: &str) -> bool {
    let whole_gap_before = before.trim_end_matches(is_space);
    let whole_gap_after = after.trim_start_matches(is_space);
    let gap = (before.len() - whole_gap_before.len()) + (after.len() - whole_gap_after.len());
    let line_end = before
        .get(whole_gap_before.len()..)
        .is_some_and(|gap| gap.contains(is_line_end))
        || after
            .get(..after.len() - whole_gap_after.len())
            .is_some_and(|gap| gap.contains(is_line_end));
    let hyphen_before = |character: char| is_hyphen(character) || character == '\u{ad}';
    let mut left = whole_gap_before.chars().rev();
    let mut right = whole_gap_after.chars();
    let (Some(last), Some(first)) = (left.next(), right.next()) else {
        return false;
    };
    if gap > 0 {
        return line_end
            && hyphen_before(last)
            && first.is_alphanumeric()
            && left.next().is_some_and(char::is_alphanumeric);
    }
    // Directly before the hyphen that stands at the line end.
    if !hyphen_before(first) || !last.is_alphanumeric() {
        return false;
    }
    let rest = right.as_str();
    let next = rest.trim_start_matches(is_space);
    rest.get(..rest.len() - next.len())
        .is_some_and(|gap| gap.contains(is_line_end))
        && next.chars().next().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "tests slice text they know")]
mod tests {
    use super::*;

    fn span(source: &str, quote: &str) -> Span {
        let byte_start = source.find(quote).unwrap();
        Span {
            byte_start,
            byte_end: byte_start + quote.len(),
        }
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
            ("a well-known fact", "known fact"),
            ("a well\u{2010}known fact", "a well"),
            ("paid 1/2 of it", "paid 1"),
            ("tenant and/or guarantor", "or guarantor"),
            ("at 10:30 sharp", "30 sharp"),
            ("a loss of −5 million", "5 million"),
            ("a loss of -5 million", "5 million"),
            ("±0.5 mm", "0.5 mm"),
            ("keep >= 2 bar", "2 bar"),
            ("keep ≥2 bar", "2 bar"),
            ("keep ≥\u{a0}2 bar", "2 bar"),
            ("x=5 here", "5 here"),
            ("pages 10–20", "pages 10"),
            ("of .5 mm", "5 mm"),
            ("1’200 francs", "200 francs"),
            ("24\u{202f}317 euros", "317 euros"),
            ("٣٫٥ يوم", "٥ يوم"),
            ("ends 2024-\n2025", "2025"),
            ("the Co-\nOwner", "Owner"),
            ("👩\u{200d}🚒 here", "🚒 here"),
            ("🇩🇪 here", "🇪 here"),
            ("👍🏽 yes", "🏽 yes"),
            ("กำลัง", "ำลัง"),
        ] {
            assert!(
                cuts_word(source, span(source, quote)),
                "{source:?} {quote:?}"
            );
        }
    }

    #[test]
    fn words_that_are_whole() {
        for (source, quote) in [
            ("the landlord pays", "landlord"),
            ("we don't pay", "don't"),
            ("the tenants' rights", "tenants"),
            ("he said 'pay' twice", "pay"),
            ("a well-known fact", "well-known fact"),
            ("甲方應支付租金", "方應支付"),
            ("ABC公司", "公司"),
            ("costs 3. Then", "costs 3"),
            ("the rent -\nlord pays", "lord pays"),
            ("> 5 days later\n> then", "5 days later"),
            ("the rent—if due—is", "if due"),
            ("pre- and postpaid", "and postpaid"),
            ("- 5 items", "5 items"),
            ("Clause: text", "text"),
            ("<b>bold</b> text", "bold"),
            ("10% of sales", "10"),
            ("the (net) rent", "net"),
            ("x", "x"),
        ] {
            assert!(
                !cuts_word(source, span(source, quote)),
                "{source:?} {quote:?}"
            );
        }
    }

    #[test]
    fn a_script_without_spaces_is_taken_on_to_its_punctuation() {
        for (source, inside, quote, wanted) in [
            (
                "本契約を譲渡してはならない。次",
                "本契約を譲渡してはな",
                "本契約を譲渡してはなる。",
                "本契約を譲渡してはならない。",
            ),
            (
                "承租人未经同意将房屋转租",
                "同意将房屋转租",
                "承租人将房屋转租",
                "承租人未经同意将房屋转租",
            ),
            ("the rent is due", "rent", "the rent", "rent"),
        ] {
            let grown = closed(source, span(source, inside), quote);
            assert_eq!(
                &source[grown.byte_start..grown.byte_end],
                wanted,
                "{source:?}"
            );
        }
    }

    #[test]
    fn places_grow_to_whole_words() {
        for (source, inside, wanted) in [
            ("Neither party may", "either party", "Neither party"),
            (
                "a Non-exclusive licence",
                "exclusive licence",
                "Non-exclusive licence",
            ),
            ("keep >= 2 bar now", "2 bar", ">= 2 bar"),
            ("so 1,250.75 is", "250", "1,250.75"),
            ("the  rent  is", " rent ", "rent"),
            ("<b>bold</b> text", "bold", "<b>bold"),
        ] {
            let grown = widened(source, span(source, inside));
            assert_eq!(
                &source[grown.byte_start..grown.byte_end],
                wanted,
                "{source:?}"
            );
        }
    }
}
