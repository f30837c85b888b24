//! What differs between a passage and a quote, in words a model can act on.
//!
//! In: the passage and the quote. Out: the changes, word by word, and sentences such as
//! "missing after `landlord is`: `not`". Words are compared folded and shown as written.

use super::characters::{is_invisible, is_unspaced};
use super::flags::numbers;
use super::view::{Mode, View};
use crate::finding::excerpt;
use crate::position::Span;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::fmt::Write as _;

// All of them, but for a quote that is another text.
const CHANGES_SHOWN: usize = 40;
const CONTEXT_WORDS: usize = 2;

/// One side of a comparison, cut into words.
pub(super) struct Words<'t> {
    text: &'t str,
    // Where the text begins in the whole source; zero for a quote.
    offset: usize,
    strip_prefixes: bool,
    view: View,
    // Key ranges of the words.
    ranges: Vec<(usize, usize)>,
}

impl<'t> Words<'t> {
    /// The words of `text`, which begins at `offset` of its source.
    pub(super) fn new(text: &'t str, offset: usize, strip_prefixes: bool, mid_line: bool) -> Self {
        let view = View::new(
            text,
            Mode {
                strip_prefixes,
                fold: true,
                mid_line,
                ..Mode::default()
            },
        );
        let mut words = Vec::new();
        let mut start = None;
        for (at, character) in view.key.char_indices() {
            // A script without spaces is compared character by character.
            let alone = is_unspaced(character);
            if character == ' ' || alone {
                words.extend(start.take().map(|start| (start, at)));
            }
            if alone {
                words.push((at, at + character.len_utf8()));
            } else if character != ' ' && start.is_none() {
                start = Some(at);
            }
        }
        words.extend(start.map(|start| (start, view.key.len())));
        Self {
            text,
            offset,
            strip_prefixes,
            view,
            ranges: words,
        }
    }

    /// The text itself.
    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    fn keys(&self) -> Vec<&str> {
        self.ranges
            .iter()
            .map(|&(start, end)| self.view.key.get(start..end).unwrap_or(""))
            .collect()
    }

    // The original bytes of the words `from..to`, within `text`.
    fn span(&self, from: usize, to: usize) -> Option<Span> {
        let start = self.ranges.get(from)?.0;
        let end = self.ranges.get(to.checked_sub(1)?)?.1;
        (start < end).then(|| self.view.original(start, end))
    }

    /// The words `from..to` as written, reflowed.
    pub(super) fn written(&self, from: usize, to: usize) -> String {
        let Some(span) = self.span(from, to) else {
            return String::new();
        };
        let text = self.text.get(span.byte_start..span.byte_end).unwrap_or("");
        let mode = Mode {
            strip_prefixes: self.strip_prefixes,
            mid_line: true,
            ..Mode::default()
        };
        View::new(text, mode).key
    }

    fn byte_at(&self, word: usize) -> usize {
        self.span(word, word + 1)
            .map_or(self.offset, |span| self.offset + span.byte_start)
    }

    /// The numbers and comparison signs of the text, without those in `left_out`.
    pub(super) fn numbers(&self, left_out: &[Span]) -> Vec<String> {
        let prefixes = self.view.prefixes.iter().map(|prefix| prefix.digits);
        let left_out: Vec<Span> = prefixes.chain(left_out.iter().copied()).collect();
        numbers(self.text, &left_out)
    }

    /// The text as written, reflowed.
    pub(super) fn all(&self) -> String {
        self.written(0, self.ranges.len())
    }

    fn slice(&self, word: usize) -> &str {
        self.span(word, word + 1)
            .and_then(|span| self.text.get(span.byte_start..span.byte_end))
            .unwrap_or("")
    }
}

/// One change between the passage and the quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// The passage has other words.
    Replaced {
        /// Byte offset of the words in the source.
        byte_start: usize,
        /// Words of the source.
        source: String,
        /// Words of the quote.
        quote: String,
    },
    /// The quote lacks words of the passage.
    Missing {
        /// The words before, or after when nothing stands before.
        context: Context,
        /// Words of the source.
        source: String,
    },
    /// The quote has words that the passage lacks.
    Added {
        /// The words before, or after when nothing stands before.
        context: Context,
        /// Words of the quote.
        quote: String,
    },
}

/// The words next to a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// The change follows these words.
    After(String),
    /// The change comes before these words.
    Before(String),
}

impl Change {
    /// Words of the source that the quote does not have.
    pub(super) fn source_words(&self) -> &str {
        match self {
            Self::Replaced { source, .. } | Self::Missing { source, .. } => source,
            Self::Added { .. } => "",
        }
    }

    /// Words of the quote that the source does not have.
    pub(super) fn quote_words(&self) -> &str {
        match self {
            Self::Replaced { quote, .. } | Self::Added { quote, .. } => quote,
            Self::Missing { .. } => "",
        }
    }
}

/// The changes from the passage to the quote; with `as_written` also words that only look different.
pub(super) fn changes(source: &Words<'_>, quote: &Words<'_>, as_written: bool) -> Vec<Change> {
    let mut found = Vec::new();
    for change in capture_diff_slices(Algorithm::Myers, &source.keys(), &quote.keys()) {
        match change {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => {
                if !as_written {
                    continue;
                }
                for step in 0..len {
                    let (old, new) = (old_index + step, new_index + step);
                    // Most words are written alike.
                    if source.slice(old) == quote.slice(new) {
                        continue;
                    }
                    let (in_source, in_quote) =
                        (source.written(old, old + 1), quote.written(new, new + 1));
                    if in_source != in_quote {
                        found.push(Change::Replaced {
                            byte_start: source.byte_at(old),
                            source: in_source,
                            quote: in_quote,
                        });
                    }
                }
            }
            DiffOp::Delete {
                old_index, old_len, ..
            } => found.push(Change::Missing {
                context: context(source, old_index, old_index + old_len),
                source: source.written(old_index, old_index + old_len),
            }),
            DiffOp::Insert {
                old_index,
                new_index,
                new_len,
            } => found.push(Change::Added {
                context: context(source, old_index, old_index),
                quote: quote.written(new_index, new_index + new_len),
            }),
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => found.push(Change::Replaced {
                byte_start: source.byte_at(old_index),
                source: source.written(old_index, old_index + old_len),
                quote: quote.written(new_index, new_index + new_len),
            }),
        }
    }
    found
}

fn context(source: &Words<'_>, from: usize, to: usize) -> Context {
    if from == 0 {
        return Context::Before(source.written(to, (to + CONTEXT_WORDS).min(source.ranges.len())));
    }
    Context::After(source.written(from.saturating_sub(CONTEXT_WORDS), from))
}

/// The changes as text; `line_of` gives the line of a byte offset of the source.
pub(super) fn describe(changes: &[Change], line_of: impl Fn(usize) -> usize) -> Option<String> {
    let mut text = String::new();
    for (index, change) in changes.iter().take(CHANGES_SHOWN).enumerate() {
        if index > 0 {
            text.push_str("; ");
        }
        let written = match change {
            Change::Replaced {
                byte_start,
                source,
                quote,
            } => write!(
                text,
                "line {} has `{}`, the quote has `{}`",
                line_of(*byte_start),
                shown(source),
                shown(quote)
            ),
            Change::Missing { context, source } => {
                write!(text, "missing {context}: `{}`", shown(source))
            }
            Change::Added { context, quote } => {
                write!(text, "not in the source {context}: `{}`", shown(quote))
            }
        };
        // Writing to a string cannot fail.
        written.ok()?;
    }
    if changes.len() > CHANGES_SHOWN {
        write!(text, "; and {} more", changes.len() - CHANGES_SHOWN).ok()?;
    }
    (!text.is_empty()).then_some(text)
}

impl std::fmt::Display for Context {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::After(words) => write!(out, "after `{}`", shown(words)),
            Self::Before(words) => write!(out, "before `{}`", shown(words)),
        }
    }
}

/// `text` for use between backticks: cut, control and invisible characters escaped.
pub(super) fn shown(text: &str) -> String {
    let mut visible = String::new();
    for character in text.chars() {
        if is_invisible(character) {
            visible.extend(character.escape_unicode());
        } else {
            visible.push(character);
        }
    }
    excerpt(&visible)
}

/// The first words of `text`, as context for what comes before.
pub(super) fn first_words(text: &str) -> String {
    const REACH: usize = 1024;
    let end = (0..=text.len().min(REACH)).rev();
    let end = end.into_iter().find(|&at| text.is_char_boundary(at));
    let text = end.and_then(|end| text.get(..end)).unwrap_or(text);
    let words = Words::new(text, 0, false, true);
    words.written(0, words.ranges.len().min(CONTEXT_WORDS))
}

/// The last words of `text`, as context for what follows.
pub(super) fn last_words(text: &str) -> String {
    // Two words stand in a few bytes, unless white space or characters without ink part them.
    const REACH: usize = 1024;
    let start = text.len().saturating_sub(REACH);
    let start = (start..=text.len()).find(|&at| text.is_char_boundary(at));
    let text = start.and_then(|start| text.get(start..)).unwrap_or(text);
    let words = Words::new(text, 0, false, true);
    let count = words.ranges.len();
    words.written(count.saturating_sub(CONTEXT_WORDS), count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(source: &str, quote: &str, as_written: bool) -> Option<String> {
        let (source, quote) = (
            Words::new(source, 0, false, true),
            Words::new(quote, 0, false, true),
        );
        describe(&changes(&source, &quote, as_written), |_| 42)
    }

    #[test]
    fn sentences() {
        for (source, quote, as_written, wanted) in [
            (
                "so it’s here",
                "so it's here",
                true,
                Some("line 42 has `it’s`, the quote has `it's`"),
            ),
            ("so it’s here", "so it's here", false, None),
            (
                "the landlord is not liable",
                "the landlord is liable",
                false,
                Some("missing after `landlord is`: `not`"),
            ),
            (
                "the landlord is liable",
                "the landlord is fully liable",
                false,
                Some("not in the source after `landlord is`: `fully`"),
            ),
            (
                "the rent is 5",
                "the rent is 6",
                false,
                Some("line 42 has `5`, the quote has `6`"),
            ),
            (
                "dear tenant",
                "my dear tenant",
                false,
                Some("not in the source before `dear tenant`: `my`"),
            ),
            (
                "land\u{ad}lord",
                "landlord",
                true,
                Some("line 42 has `land\\u{ad}lord`, the quote has `landlord`"),
            ),
            (
                "甲方不應支付",
                "甲方應支付",
                false,
                Some("missing after `甲方`: `不`"),
            ),
        ] {
            assert_eq!(told(source, quote, as_written).as_deref(), wanted);
        }
    }

    #[test]
    fn many_changes_are_counted() {
        let words = |odd: &str| format!("a {odd} ").repeat(CHANGES_SHOWN + 2);
        let told = told(&words("b"), &words("c"), false).unwrap();
        assert!(told.ends_with("; and 2 more"), "{told}");
    }
}
