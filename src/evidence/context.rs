//! A quote with the words around it, which tell one of several equal passages from the others.
//!
//! In: a source, a quote, and the words before and behind it, as a `TextQuoteSelector` of the W3C's
//! Web Annotation Data Model gives them. Out: the answer for the quote at the place where those
//! words stand around it. The words around only choose; the grade is that of the quote alone.

use super::{Flag, Grade, Layers, Match, Prepared, flags, ground_extracted, normalised};
use crate::finding::excerpt;
use crate::invariant::Invariant as _;
use crate::position::Span;

/// The words before and behind a quote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around<'q> {
    /// The words that stand right before it.
    pub prefix: &'q str,
    /// The words that stand right behind it.
    pub suffix: &'q str,
}

impl Around<'_> {
    /// Whether nothing is asked for.
    pub fn is_blank(&self) -> bool {
        self.prefix.trim().is_empty() && self.suffix.trim().is_empty()
    }

    // The quote within its words. Those who copy them leave out the space between at times.
    fn wholes(&self, quote: &str) -> Vec<String> {
        let joints = |before: &str, behind: &str| {
            let is_joined = before.is_empty()
                || behind.is_empty()
                || before.ends_with(char::is_whitespace)
                || behind.starts_with(char::is_whitespace);
            if is_joined { vec![""] } else { vec!["", " "] }
        };
        let mut out = Vec::new();
        for first in joints(self.prefix, quote) {
            for second in joints(quote, self.suffix) {
                out.push([self.prefix, first, quote, second, self.suffix].concat());
            }
        }
        out
    }

    fn told(&self) -> String {
        match (self.prefix.trim(), self.suffix.trim()) {
            ("", suffix) => format!("before `{}`", excerpt(suffix)),
            (prefix, "") => format!("behind `{}`", excerpt(prefix)),
            (prefix, suffix) => {
                format!("between `{}` and `{}`", excerpt(prefix), excerpt(suffix))
            }
        }
    }
}

/// Grades `quote` where the words of `around` stand around it. A quote that stands in the source but
/// nowhere between them is absent, with the flag [`Flag::OtherContext`]; one that stands there at no
/// better grade than elided gets the answer that it gets without them.
pub fn ground_around(
    source: &Prepared<'_>,
    layers: Layers<'_>,
    quote: &str,
    around: Around<'_>,
) -> Match {
    let alone = first(ground_extracted(source, layers, &[quote]));
    if around.is_blank() || alone.grade > Grade::Typographic {
        return alone;
    }
    let wholes = around.wholes(quote);
    let wholes: Vec<&str> = wholes.iter().map(String::as_str).collect();
    let whole = ground_extracted(source, layers, &wholes)
        .into_iter()
        .find(|whole| whole.grade <= Grade::Typographic);
    let Some((whole, at)) = whole.and_then(|whole| Some((whole.occurrences, whole.at?))) else {
        return elsewhere(&alone, around);
    };
    match inside(source, layers, at.span, quote, around) {
        Some(mut found) => {
            found.occurrences = whole;
            found
        }
        None => elsewhere(&alone, around),
    }
}

fn first(found: Vec<Match>) -> Match {
    found.into_iter().next().holds("every quote has an answer")
}

fn elsewhere(alone: &Match, around: Around<'_>) -> Match {
    let line = alone.at.map_or(0, |at| at.start.line);
    let others = match alone.occurrences {
        0 | 1 => String::new(),
        2 => " and at one more place".to_owned(),
        more => format!(" and at {} more places", more - 1),
    };
    let mut out = Match::absent(format!(
        "the quote stands on line {line}{others}, but not {}",
        around.told()
    ));
    out.flag(Flag::OtherContext);
    out
}

// The quote in the passage that holds it with the words around: of its places there the one before
// which as many letters stand as the prefix has.
fn inside(
    source: &Prepared<'_>,
    layers: Layers<'_>,
    whole: Span,
    quote: &str,
    around: Around<'_>,
) -> Option<Match> {
    let letters = |text: &str| {
        normalised(text)
            .chars()
            .filter(|letter| letter.is_alphanumeric())
            .count()
    };
    let wanted = letters(around.prefix);
    let mut best: Option<(usize, Match, Span)> = None;
    let mut from = whole.byte_start;
    while let Some(part) = source.text.get(from..whole.byte_end) {
        let shifted = OwnedLayers::within(
            layers,
            Span {
                byte_start: from,
                byte_end: whole.byte_end,
            },
        );
        let Ok(prepared) = Prepared::new(part) else {
            break;
        };
        let found = first(ground_extracted(&prepared, shifted.as_layers(), &[quote]));
        let Some(at) = found.at.filter(|_| found.grade <= Grade::Typographic) else {
            break;
        };
        let span = Span {
            byte_start: from + at.span.byte_start,
            byte_end: from + at.span.byte_end,
        };
        let before = source
            .text
            .get(whole.byte_start..span.byte_start)
            .map_or(0, letters);
        let distance = before.abs_diff(wanted);
        let next = source
            .text
            .get(span.byte_start..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        from = span.byte_start + next;
        if best.as_ref().is_none_or(|(least, ..)| distance < *least) {
            best = Some((distance, found, span));
        }
        if distance == 0 || before > wanted {
            break;
        }
    }
    let (_, mut found, span) = best?;
    found.at = Some(source.place(span));
    source.slice(span).clone_into(&mut found.text);
    // These two depend on what stands around the passage.
    found
        .flags
        .retain(|flag| !matches!(flag, Flag::CutsWord | Flag::CrossesPage));
    if flags::cuts_word(source.text, span) {
        found.flag(Flag::CutsWord);
    }
    if source.crosses_page(span) {
        found.flag(Flag::CrossesPage);
    }
    Some(found)
}

/// The layers of a part of a text.
struct OwnedLayers {
    asides: Vec<Span>,
    markup: Vec<Span>,
    struck: Vec<Span>,
    is_spaced_by_place: bool,
}

impl OwnedLayers {
    fn within(layers: Layers<'_>, part: Span) -> Self {
        let cut = |spans: &[Span]| {
            spans
                .iter()
                .filter(|span| span.byte_start < part.byte_end && part.byte_start < span.byte_end)
                .map(|span| Span {
                    byte_start: span.byte_start.saturating_sub(part.byte_start),
                    byte_end: span.byte_end.min(part.byte_end) - part.byte_start,
                })
                .collect()
        };
        Self {
            asides: cut(layers.asides),
            markup: cut(layers.markup),
            struck: cut(layers.struck),
            is_spaced_by_place: layers.is_spaced_by_place,
        }
    }

    fn as_layers(&self) -> Layers<'_> {
        Layers {
            asides: &self.asides,
            markup: &self.markup,
            struck: &self.struck,
            is_spaced_by_place: self.is_spaced_by_place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The fee is 5 % of the rent.\nThe deposit is 5 % of the\n  price, and the fee\nis 5 % of the price.\n";

    fn answer(quote: &str, prefix: &str, suffix: &str) -> (Grade, Option<usize>, usize) {
        let source = Prepared::new(TEXT).unwrap();
        let found = ground_around(&source, Layers::default(), quote, Around { prefix, suffix });
        let at = found.at.map(|at| at.span.byte_start);
        (found.grade, at, found.occurrences)
    }

    #[test]
    fn the_words_around_choose_the_place() {
        let third = TEXT.rfind("5 %");
        for (prefix, suffix, want) in [
            ("", "", (Grade::Identical, Some(11), 3)),
            ("The deposit is ", "", (Grade::Identical, Some(43), 1)),
            ("deposit is", "", (Grade::Identical, Some(43), 1)),
            ("", "of the rent", (Grade::Identical, Some(11), 1)),
            // The one before a line end is a reflowed passage, the other an identical one.
            ("", " of the price", (Grade::Identical, third, 1)),
            ("the fee is ", " of the price", (Grade::Identical, third, 1)),
            ("the bail is ", "", (Grade::Absent, None, 0)),
        ] {
            assert_eq!(answer("5 %", prefix, suffix), want, "{prefix:?} {suffix:?}");
        }
    }

    #[test]
    fn a_quote_that_its_prefix_holds_too_is_found_behind_it() {
        let source = Prepared::new("is is is not").unwrap();
        let around = Around {
            prefix: "is is ",
            suffix: "",
        };
        let found = ground_around(&source, Layers::default(), "is", around);
        assert_eq!(found.at.map(|at| at.span.byte_start), Some(6));
    }

    #[test]
    fn a_quote_in_other_words_says_where_it_stands() {
        let source = Prepared::new(TEXT).unwrap();
        let around = Around {
            prefix: "bail is",
            suffix: "",
        };
        let found = ground_around(&source, Layers::default(), "5 %", around);
        assert_eq!(
            found.difference.as_deref(),
            Some("the quote stands on line 1 and at 2 more places, but not behind `bail is`")
        );
        assert!(found.has(Flag::OtherContext));
    }

    #[test]
    fn the_words_around_never_better_a_grade() {
        assert_eq!(answer("6 %", "The fee is ", "").0, Grade::Absent);
        assert_eq!(
            answer("The fee is 6 % of the rent.", "", "\nThe deposit").0,
            Grade::Near
        );
    }
}
