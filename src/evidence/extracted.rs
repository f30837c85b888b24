//! Quotes in text that was taken out of a document: PDF, Word, web page, mail.
//!
//! In: the text with its layers ([`Layers`]) and quotes. Out: the place of every quote whose letters
//! stand there in a row, as a reader of the page sees them: white space does not count (but between
//! digits, where it makes another number), ligatures are written out, a hyphen at a line end is kept
//! or joins, and a sentence runs on over heads, feet and notes. Everything else is compared exactly:
//! letter case, digits, signs and quotation marks. What was decided on the way is told as flags.

use super::characters::{is_invisible, is_mark, is_space};
use super::{Flag, Grade, Match, Prepared, accepted, exact, flags, ground, negations};
use crate::position::Span;
use unicode_normalization::char::compose;

/// What an extracted text consists of besides its words; spans are bytes of the text, ascending.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layers<'d> {
    /// Heads, feet, page numbers and notes, which running text passes by.
    pub asides: &'d [Span],
    /// Characters that only mark up the text, and are not shown.
    pub markup: &'d [Span],
    /// Text that is shown struck out.
    pub struck: &'d [Span],
    /// Whether white space is what the reader made of places on a page.
    pub is_spaced_by_place: bool,
}

impl Layers<'_> {
    fn is_plain(&self) -> bool {
        self.asides.is_empty()
            && self.markup.is_empty()
            && self.struck.is_empty()
            && !self.is_spaced_by_place
    }
}

/// Grades every quote against an extracted text, in order: as [`ground`] does, and beyond that
/// accepted ([`Grade::Reflowed`]) where it stands there as a reader of the document sees it.
pub fn ground_extracted(source: &Prepared<'_>, layers: Layers<'_>, quotes: &[&str]) -> Vec<Match> {
    let seen = find_open(source, layers, quotes);
    let asked: Vec<&str> = quotes
        .iter()
        .zip(&seen)
        .filter(|(_, seen)| seen.is_none())
        .map(|(quote, _)| *quote)
        .collect();
    let mut rest = ground(source, &asked).into_iter();
    let mut out: Vec<Match> = seen
        .into_iter()
        .filter_map(|seen| seen.or_else(|| rest.next()))
        .collect();
    for found in &mut out {
        flag_struck(found, layers);
    }
    out
}

/// Whether gates take each quote as found, in order; agrees with [`ground_extracted`].
pub fn accepted_extracted(source: &Prepared<'_>, layers: Layers<'_>, quotes: &[&str]) -> Vec<bool> {
    let mut out = accepted(source, quotes);
    let open: Vec<&str> = quotes
        .iter()
        .zip(&out)
        .filter(|(_, is_found)| !**is_found)
        .map(|(quote, _)| *quote)
        .collect();
    let mut seen = find(source, layers, &open).into_iter();
    for is_found in out.iter_mut().filter(|is_found| !**is_found) {
        *is_found = seen.next().flatten().is_some();
    }
    out
}

// The answers for quotes that are not accepted as the text stands.
fn find_open(source: &Prepared<'_>, layers: Layers<'_>, quotes: &[&str]) -> Vec<Option<Match>> {
    let plainly = accepted(source, quotes);
    let open: Vec<&str> = quotes
        .iter()
        .zip(&plainly)
        .filter(|(_, is_found)| !**is_found)
        .map(|(quote, _)| *quote)
        .collect();
    let mut seen = find(source, layers, &open).into_iter();
    plainly
        .into_iter()
        .map(|is_found| {
            if is_found {
                None
            } else {
                seen.next().flatten()
            }
        })
        .collect()
}

fn flag_struck(found: &mut Match, layers: Layers<'_>) {
    let is_struck = found.at.is_some_and(|at| {
        layers.struck.iter().any(|struck| {
            struck.byte_start < at.span.byte_end && at.span.byte_start < struck.byte_end
        })
    });
    if is_struck && !found.has(Flag::StruckOut) {
        found.flags.push(Flag::StruckOut);
        found.flags.sort_unstable();
    }
}

/// What a reading passes by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passes {
    /// Nothing.
    Nothing,
    /// Asides, markup and struck text.
    Asides,
    /// Those and raised marks.
    Marks,
}

// The quotes that stand in the text as a reader sees it.
fn find(source: &Prepared<'_>, layers: Layers<'_>, quotes: &[&str]) -> Vec<Option<Match>> {
    let mut out = vec![None; quotes.len()];
    if quotes.is_empty() || layers.is_plain() {
        return out;
    }
    let asked: Vec<Letters> = quotes
        .iter()
        .map(|quote| Letters::new(quote, &[], Passes::Nothing))
        .collect();
    for passes in [Passes::Nothing, Passes::Asides, Passes::Marks] {
        let open: Vec<usize> = (0..quotes.len())
            .filter(|&index| {
                out.get(index).is_some_and(Option::is_none)
                    && asked.get(index).is_some_and(|asked| !asked.key.is_empty())
            })
            .collect();
        if open.is_empty() {
            break;
        }
        let skipped = match passes {
            Passes::Nothing => Vec::new(),
            Passes::Asides | Passes::Marks => merged(layers),
        };
        if passes == Passes::Asides && skipped.is_empty() {
            continue;
        }
        let letters = Letters::new(source.text, &skipped, passes);
        if passes == Passes::Marks && !letters.drops_marks {
            continue;
        }
        let needles: Vec<&[u8]> = open
            .iter()
            .filter_map(|&index| asked.get(index))
            .map(|asked| asked.key.as_bytes())
            .collect();
        let all = exact::find_all(letters.key.as_bytes(), &needles);
        for (index, hits) in open.into_iter().zip(all) {
            let Some(quote) = asked.get(index) else {
                continue;
            };
            let passages: Vec<Passage> = hits
                .places
                .iter()
                .filter_map(|&at| letters.passage(source.text, at, quote, quotes.get(index)?))
                .collect();
            let best = passages
                .iter()
                .find(|passage| !flags::cuts_word(source.text, passage.span))
                .or_else(|| passages.first());
            if let (Some(best), Some(slot)) = (best, out.get_mut(index)) {
                *slot = Some(matched(source, best, passages.len()));
            }
        }
    }
    out
}

fn matched(source: &Prepared<'_>, passage: &Passage, occurrences: usize) -> Match {
    let mut found = Match::absent("");
    found.grade = Grade::Reflowed;
    found.occurrences = occurrences;
    found.at = Some(source.place(passage.span));
    source.slice(passage.span).clone_into(&mut found.text);
    found.difference = None;
    if flags::cuts_word(source.text, passage.span) {
        found.flags.push(Flag::CutsWord);
    }
    if source.crosses_page(passage.span) {
        found.flags.push(Flag::CrossesPage);
    }
    if passage.joins_hyphen {
        found.flags.push(Flag::JoinsHyphen);
    }
    found.flags.sort_unstable();
    found
}

// Everything that running text passes by, ascending.
fn merged(layers: Layers<'_>) -> Vec<Span> {
    let mut spans: Vec<Span> = [layers.asides, layers.markup, layers.struck]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    spans.sort_by_key(|span| (span.byte_start, span.byte_end));
    spans
}

struct Passage {
    span: Span,
    joins_hyphen: bool,
}

/// Hyphens between two letters of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hyphens {
    /// Letters before them, in bytes of the key.
    key_at: usize,
    written: String,
    /// A line ends behind them.
    ends_line: bool,
    /// White space stands behind them.
    has_space: bool,
}

/// The letters of a text in a row, without white space and hyphens, and the way back.
struct Letters {
    key: String,
    /// For every byte of the key, the offset of its character in the text.
    origins: Vec<u32>,
    hyphens: Vec<Hyphens>,
    /// Places of the key where white space parts a number from a digit, or where a raised digit
    /// begins or ends.
    parted_digits: Vec<usize>,
    /// Whether raised marks were left out.
    drops_marks: bool,
}

/// Characters that stand between the digits of a number.
fn is_inside_number(character: char) -> bool {
    matches!(character, '.' | ',' | ':' | '/' | '\'' | '’' | '%' | '·')
}

fn raised_digit(character: char) -> Option<char> {
    Some(match character {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴' => '4',
        '⁵' => '5',
        '⁶' => '6',
        '⁷' => '7',
        '⁸' => '8',
        '⁹' => '9',
        _ => return None,
    })
}

/// The letters that a ligature stands for.
pub(crate) fn ligature(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}

fn is_hyphen(character: char) -> bool {
    matches!(character, '-' | '\u{2010}' | '\u{2011}') || is_line_end_hyphen(character)
}

// What pdfium writes, and so whoever copies through it, for the hyphen of a word divided at a line end.
fn is_line_end_hyphen(character: char) -> bool {
    matches!(character, '\u{2}' | '\u{fffe}')
}

impl Letters {
    fn new(text: &str, skipped: &[Span], passes: Passes) -> Self {
        let mut letters = Self {
            key: String::with_capacity(text.len()),
            origins: Vec::with_capacity(text.len()),
            hyphens: Vec::new(),
            parted_digits: Vec::new(),
            drops_marks: false,
        };
        let mut spans = skipped.iter().peekable();
        let mut behind_space = false;
        let mut behind_line_end = false;
        // The last two letters, and whether the last was raised.
        let mut last: [Option<char>; 2] = [None, None];
        let mut was_raised = false;
        for (at, character) in text.char_indices() {
            while spans.next_if(|span| span.byte_end <= at).is_some() {}
            if spans.peek().is_some_and(|span| span.byte_start <= at) {
                behind_space |= is_space(character);
                behind_line_end |= matches!(character, '\n' | '\u{c}');
                continue;
            }
            if is_space(character) {
                behind_space = true;
                behind_line_end |= matches!(character, '\n' | '\u{c}');
                continue;
            }
            if is_invisible(character) {
                continue;
            }
            if is_hyphen(character) {
                letters.settle(behind_space, behind_line_end);
                match letters.hyphens.last_mut() {
                    Some(hyphens) if hyphens.key_at == letters.key.len() => {
                        hyphens.written.push(character);
                        hyphens.ends_line = is_line_end_hyphen(character);
                        hyphens.has_space = false;
                    }
                    Some(_) | None => letters.hyphens.push(Hyphens {
                        key_at: letters.key.len(),
                        written: character.to_string(),
                        ends_line: is_line_end_hyphen(character),
                        has_space: false,
                    }),
                }
                (behind_space, behind_line_end) = (false, false);
                continue;
            }
            let raised = raised_digit(character);
            if raised.is_some() && passes == Passes::Marks && is_note_mark(&letters.key, last) {
                letters.drops_marks = true;
                continue;
            }
            letters.settle(behind_space, behind_line_end);
            let letter = raised.unwrap_or(character);
            let is_digit = letter.is_numeric();
            let behind_number = match last {
                [_, Some(one)] if one.is_numeric() => true,
                [Some(two), Some(one)] => two.is_numeric() && is_inside_number(one),
                _ => false,
            };
            // A hyphen between two numbers parts them by itself.
            let has_hyphen = letters
                .hyphens
                .last()
                .is_some_and(|hyphens| hyphens.key_at == letters.key.len());
            let is_parted = behind_space && !has_hyphen || raised.is_some() != was_raised;
            if is_digit && behind_number && is_parted {
                letters.parted_digits.push(letters.key.len());
            }
            (behind_space, behind_line_end) = (false, false);
            was_raised = raised.is_some();
            if is_mark(letter)
                && let Some(base) = letters.key.chars().next_back()
                && let Some(whole) = compose(base, letter)
            {
                letters.key.pop();
                letters.origins.truncate(letters.key.len());
                letters.push(whole, at);
                last = [last[0], Some(whole)];
                continue;
            }
            match ligature(letter) {
                Some(parts) => {
                    for part in parts.chars() {
                        letters.push(part, at);
                    }
                }
                None => letters.push(letter, at),
            }
            last = [last[1], Some(letter)];
        }
        letters.settle(behind_space, behind_line_end);
        letters
    }

    fn push(&mut self, letter: char, at: usize) {
        self.key.push(letter);
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        self.origins.resize(self.key.len(), at);
    }

    // White space behind hyphens that were just read.
    fn settle(&mut self, has_space: bool, ends_line: bool) {
        let len = self.key.len();
        if let Some(hyphens) = self.hyphens.last_mut()
            && hyphens.key_at == len
        {
            hyphens.has_space |= has_space;
            hyphens.ends_line |= ends_line;
        }
    }

    // The passage at `at` of the key, when hyphens, numbers and negations agree with the quote.
    fn passage(&self, text: &str, at: usize, quote: &Letters, asked: &str) -> Option<Passage> {
        let end = at + quote.key.len();
        if !self.digits_agree(at, end, quote) {
            return None;
        }
        let joins_hyphen = self.hyphens_agree(at, end, quote)?;
        let byte_start = *self.origins.get(at)? as usize;
        let last = *self.origins.get(end.checked_sub(1)?)? as usize;
        let mut byte_end = last + text.get(last..)?.chars().next()?.len_utf8();
        if quote.ends_with_hyphen() {
            let behind = text.get(byte_end..)?;
            let hyphen = behind.find(is_hyphen)?;
            byte_end += hyphen + behind.get(hyphen..)?.chars().next()?.len_utf8();
        }
        let span = Span {
            byte_start,
            byte_end,
        };
        let passage = text.get(byte_start..byte_end)?;
        negations_agree(passage, asked, joins_hyphen).then_some(Passage { span, joins_hyphen })
    }

    fn ends_with_hyphen(&self) -> bool {
        self.hyphens
            .last()
            .is_some_and(|hyphens| hyphens.key_at == self.key.len())
    }

    fn digits_agree(&self, start: usize, end: usize, quote: &Letters) -> bool {
        let first = self.parted_digits.partition_point(|at| *at <= start);
        let own = self
            .parted_digits
            .iter()
            .skip(first)
            .take_while(|at| **at < end)
            .map(|at| at - start);
        own.eq(quote.parted_digits.iter().copied())
    }

    // Whether the hyphens of the passage are those of the quote, and whether one joins.
    fn hyphens_agree(&self, start: usize, end: usize, quote: &Letters) -> Option<bool> {
        let first = self
            .hyphens
            .partition_point(|hyphens| hyphens.key_at < start);
        let mut own = self
            .hyphens
            .iter()
            .skip(first)
            .take_while(|hyphens| hyphens.key_at <= end)
            .peekable();
        let mut asked = quote.hyphens.iter().peekable();
        let mut joins = false;
        loop {
            match (own.peek(), asked.peek()) {
                (None, None) => return Some(joins),
                (Some(left), Some(right)) if left.key_at - start == right.key_at => {
                    let agrees = left.written == right.written
                        || (left.ends_line || right.ends_line)
                            && left.written.chars().count() == right.written.chars().count();
                    if !agrees {
                        return None;
                    }
                    own.next();
                    asked.next();
                }
                (Some(left), right)
                    if right.is_none_or(|right| left.key_at - start < right.key_at) =>
                {
                    let is_edge = left.key_at == start || left.key_at == end;
                    if !is_edge {
                        if !(left.ends_line && left.joins(&self.key)) {
                            return None;
                        }
                        joins = true;
                    }
                    own.next();
                }
                (_, Some(right)) => {
                    if !(right.ends_line || right.has_space) || !right.joins(&quote.key) {
                        return None;
                    }
                    joins = true;
                    asked.next();
                }
                (Some(_), None) => return None,
            }
        }
    }
}

impl Hyphens {
    // Whether a divided word may go on without the hyphen: never before a digit or a capital.
    fn joins(&self, key: &str) -> bool {
        let before = key
            .get(..self.key_at)
            .and_then(|key| key.chars().next_back());
        let after = key.get(self.key_at..).and_then(|key| key.chars().next());
        self.written.chars().count() == 1
            && before.is_some_and(char::is_alphabetic)
            && after.is_some_and(|after| after.is_alphabetic() && !after.is_uppercase())
    }
}

// Whether a raised digit behind these letters marks a note: behind a word or a closing sign, not
// behind a number or a unit, where it is part of what is said.
fn is_note_mark(key: &str, last: [Option<char>; 2]) -> bool {
    let Some(one) = last[1] else {
        return false;
    };
    if one.is_alphabetic() {
        const LONGEST_UNIT: usize = 3;
        return key
            .chars()
            .rev()
            .take(LONGEST_UNIT + 1)
            .filter(|letter| letter.is_alphabetic())
            .count()
            > LONGEST_UNIT;
    }
    matches!(
        one,
        '.' | ',' | ';' | ':' | ')' | ']' | '"' | '”' | '’' | '»' | '!' | '?'
    )
}

// A space more or less can make a negation (`notable`, `not able`); where hardly a space differs,
// that counts.
fn negations_agree(passage: &str, quote: &str, joins_hyphen: bool) -> bool {
    const FEW: usize = 2;
    let words = |text: &str| text.split_whitespace().count();
    let wanted = negations::count(quote);
    words(passage).abs_diff(words(quote)) > FEW
        || negations::count(passage) == wanted
        // The rest of a divided word is no word: `saran-`, `no`.
        || joins_hyphen && negations::count(&undivided(passage)) == wanted
        || words(passage) == words(quote)
}

// The text with the words that are divided at line ends put together.
fn undivided(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive(['\n', '\u{c}']) {
        let shown = line.trim_end();
        match shown.strip_suffix(is_hyphen) {
            Some(divided) if shown.len() < line.len() => out.push_str(divided),
            Some(_) | None => out.push_str(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, layers: Layers<'_>, quote: &str) -> Option<Vec<Flag>> {
        let source = Prepared::new(text).unwrap();
        let found = ground_extracted(&source, layers, &[quote]).remove(0);
        assert_eq!(
            accepted_extracted(&source, layers, &[quote]),
            [found.grade.is_accepted()]
        );
        found.grade.is_accepted().then_some(found.flags)
    }

    const PAGED: Layers<'static> = Layers {
        asides: &[],
        markup: &[],
        struck: &[],
        is_spaced_by_place: true,
    };

    #[test]
    fn white_space_and_ligatures_do_not_count() {
        for quote in [
            "shall not sublet",
            "shallnot sub let",
            "the o\u{fb03}ce",
            "the office",
        ] {
            assert_eq!(
                found("He shall not\nsublet the o\u{fb03}ce.", PAGED, quote),
                Some(vec![]),
                "{quote}"
            );
        }
        for quote in ["shall sublet", "Shall not sublet", "the “office"] {
            assert_eq!(
                found("He shall not\nsublet the office.", PAGED, quote),
                None,
                "{quote}"
            );
        }
    }

    #[test]
    fn numbers_never_grow_together() {
        for (text, quote) in [
            ("Chair 5 200 EUR", "Chair 5200 EUR"),
            ("pay $320¹ now", "pay $3201 now"),
            ("10² units", "102 units"),
            ("10² units", "10 units"),
            ("5 m² of", "5 m of"),
            ("at 5. 3 of", "at 5.3 of"),
        ] {
            assert_eq!(found(text, PAGED, quote), None, "{text} / {quote}");
        }
        for (text, quote) in [
            ("pay $320¹ now", "pay $320¹ now"),
            ("pay $320¹ now", "pay $320 1 now"),
            ("free of tax¹ and due", "free of tax1 and due"),
            ("net of taxes¹ and due", "net of taxes and due"),
            ("the end.² Then", "the end. Then"),
        ] {
            assert!(found(text, PAGED, quote).is_some(), "{text} / {quote}");
        }
    }

    #[test]
    fn each_hyphen_at_a_line_end_is_decided() {
        let joined = Some(vec![Flag::JoinsHyphen]);
        for (text, quote, want) in [
            ("may re-\nsign it", "may resign it", joined.clone()),
            ("may re-\nsign it", "may re-sign it", Some(vec![])),
            (
                "a non-\nprofit agree-\nment",
                "a non-profit agreement",
                joined.clone(),
            ),
            ("2024-\n2025", "2024-2025", Some(vec![])),
            ("in 2024-\n2025", "in 20242025", None),
            ("USD 1-\n2 million", "USD 12 million", None),
            ("the Co-\nOwner", "the CoOwner", None),
            ("the Co-\nOwner", "the Co-Owner", Some(vec![])),
            ("a well-known man", "a wellknown man", None),
            ("an agreement", "an agree-\nment", joined.clone()),
            // As pdfium marks it, and the rest of a word that is a negation by itself.
            ("an agree-\nment", "an agree\u{2}ment", Some(vec![])),
            ("a non-\nprofit", "a non\u{2}profit", Some(vec![])),
            (
                "documenti saran-\nno eseguiti",
                "documenti saranno eseguiti",
                joined,
            ),
            ("in 2024-\n2025", "in 2024\u{2}2025", Some(vec![])),
            ("loss of -5 EUR", "loss of 5 EUR", None),
        ] {
            assert_eq!(found(text, PAGED, quote), want, "{text:?} / {quote:?}");
        }
    }

    #[test]
    fn sentences_run_on_over_heads_and_notes() {
        let text = "claims that have been¹\n¹ See 9.\n1\n\u{c}Head 2\nacknowledged by it.\n\u{c}";
        let aside = |part: &str| {
            let byte_start = text.find(part).unwrap();
            Span {
                byte_start,
                byte_end: byte_start + part.len(),
            }
        };
        let asides = [aside("¹ See 9.\n1\n"), aside("Head 2\n")];
        let layers = Layers {
            asides: &asides,
            ..PAGED
        };
        for quote in [
            "have been1 acknowledged by it",
            "have been acknowledged by it",
        ] {
            assert_eq!(
                found(text, layers, quote),
                Some(vec![Flag::CrossesPage]),
                "{quote}"
            );
        }
        assert_eq!(found(text, layers, "See 9. 1"), Some(vec![]));
        assert_eq!(found(text, layers, "Head 2 acknowledged"), Some(vec![]));
    }

    #[test]
    fn a_space_never_makes_a_negation() {
        assert_eq!(
            found("He is not able here", PAGED, "He is notable here"),
            None
        );
        assert_eq!(
            found("He is notable here", PAGED, "He is not able here"),
            None
        );
        assert!(
            found(
                "Hemaynotassignthelease",
                PAGED,
                "He may not assign the lease"
            )
            .is_some()
        );
    }

    #[test]
    fn struck_text_is_flagged() {
        let text = "The fee is 5 6 %.";
        let struck = [Span {
            byte_start: 11,
            byte_end: 13,
        }];
        let layers = Layers {
            struck: &struck,
            ..Layers::default()
        };
        assert_eq!(
            found(text, layers, "fee is 6 %"),
            Some(vec![Flag::StruckOut])
        );
        assert_eq!(found(text, layers, "fee is 5"), Some(vec![Flag::StruckOut]));
        assert_eq!(found(text, layers, "6 %"), Some(vec![]));
    }
}
