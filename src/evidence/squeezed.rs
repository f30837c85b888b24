//! Line ends beside scripts without spaces, which count for nothing.
//!
//! In: a reflowed view. Out: its text without the white space that stands beside a character of a
//! script without spaces, and what stood at each place, so that two texts that are equal so can be
//! compared place by place: a line end is a space or nothing there, a space is a space. Documents
//! whose reader guesses all white space are not this room's work.

use super::characters::{is_line_end, is_space, is_unspaced};
use super::exact::find_all;
use super::view::View;
use super::{Flag, ROUNDS, Search, first_whole};

/// White space that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gap {
    key_at: usize,
    ends_line: bool,
}

/// A text without such white space; its view leads back to the key of the reflowed view.
#[derive(Debug, Default)]
pub(super) struct Squeezed {
    /// The text, and the way back to the reflowed key.
    pub view: View,
    gaps: Vec<Gap>,
}

impl Squeezed {
    /// `reflowed` is a view of `text`.
    pub(super) fn new(text: &str, reflowed: &View) -> Self {
        let key = reflowed.key.as_str();
        let mut out = Self::default();
        let mut copied = 0;
        for at in memchr::memchr_iter(b' ', key.as_bytes()) {
            let before = key.get(..at).and_then(|text| text.chars().next_back());
            let after = key.get(at + 1..).and_then(|text| text.chars().next());
            if !before.is_some_and(is_unspaced) && !after.is_some_and(is_unspaced) {
                continue;
            }
            out.view.copy(key, copied, at);
            copied = at + 1;
            let span = reflowed.original(at, at + 1);
            let gap = text.get(span.byte_start..span.byte_end).unwrap_or("");
            out.gaps.push(Gap {
                key_at: out.view.key.len(),
                ends_line: gap.contains(is_line_end),
            });
        }
        out.view.copy(key, copied, key.len());
        out
    }

    /// Whether `quote`, whose key stands at `start` of this one's, agrees at every place.
    pub(super) fn agrees(&self, start: usize, quote: &Self) -> bool {
        let len = quote.view.key.len();
        let first = self.gaps.partition_point(|gap| gap.key_at <= start);
        let mut own = self
            .gaps
            .iter()
            .skip(first)
            .take_while(|gap| gap.key_at < start + len)
            .map(|gap| Gap {
                key_at: gap.key_at - start,
                ..*gap
            })
            .peekable();
        let mut asked = quote.gaps.iter().copied().peekable();
        loop {
            let at = match (own.peek(), asked.peek()) {
                (None, None) => return true,
                (Some(gap), None) | (None, Some(gap)) => gap.key_at,
                (Some(left), Some(right)) => left.key_at.min(right.key_at),
            };
            let left = own.next_if(|gap| gap.key_at == at);
            let right = asked.next_if(|gap| gap.key_at == at);
            // A space that the other side does not have at all.
            let ((None, Some(gap)) | (Some(gap), None)) = (left, right) else {
                continue;
            };
            if !gap.ends_line {
                return false;
            }
        }
    }
}

impl Search<'_, '_, '_> {
    /// Equal but for line ends that count for nothing.
    pub(super) fn squeezed(&mut self) {
        for index in 0..ROUNDS {
            for strip_source in [false, true] {
                let mut chosen = self.chosen(index, strip_source, false);
                // What numbers a quote's own lines is compared at the grades before alone.
                chosen.retain(|&(asked, stripped)| {
                    let text = self.asked.get(asked).map_or("", |asked| asked.text);
                    !stripped.quote && has_unspaced(text)
                });
                if chosen.is_empty() {
                    continue;
                }
                let reflowed = self.source.reflowed(strip_source);
                let squeezed = self.source.squeezed(strip_source);
                let quotes: Vec<Squeezed> = chosen
                    .iter()
                    .filter_map(|&(asked, _)| {
                        let asked = self.asked.get(asked)?;
                        Some(Squeezed::new(asked.text, asked.form(false, false)))
                    })
                    .collect();
                let needles: Vec<&[u8]> = quotes
                    .iter()
                    .map(|quote| quote.view.key.as_bytes())
                    .collect();
                let all = find_all(squeezed.view.key.as_bytes(), &needles);
                for (((asked, stripped), quote), mut hits) in
                    chosen.into_iter().zip(&quotes).zip(all)
                {
                    let len = quote.view.key.len();
                    hits.places.retain(|&at| squeezed.agrees(at, quote));
                    hits.total = hits.places.len();
                    let key = |at: usize| squeezed.view.original(at, at + len);
                    let span = |at: usize| {
                        let key = key(at);
                        reflowed.original(key.byte_start, key.byte_end)
                    };
                    let Some((at, span)) = first_whole(self.source.text, &hits, span) else {
                        continue;
                    };
                    let key_at = key(at).byte_start;
                    let mut found = self
                        .equal_match(asked, false, stripped, reflowed, key_at, span, hits.total);
                    if squeezed.view.is_inside(at) || squeezed.view.is_inside(at + len) {
                        found.flag(Flag::CutsWord);
                    }
                    self.answer(asked, found);
                }
            }
        }
    }
}

/// Whether `text` has characters of a script without spaces.
pub(super) fn has_unspaced(text: &str) -> bool {
    !text.is_ascii()
        && text
            .chars()
            .any(|character| is_unspaced(character) && !is_space(character))
}

#[cfg(test)]
mod tests {
    use super::super::view::Mode;
    use super::*;

    #[test]
    fn line_ends_beside_a_script_without_spaces() {
        for (source, quote, wanted) in [
            ("人民币500\n万元整", "人民币500万元整", true),
            ("人民币\n500万元整", "人民币500万元整", true),
            ("人民币500万元整", "人民币\n500万元整", true),
            ("使用Python\n语言", "使用Python语言", true),
            ("使用Python\n语言", "使用Python 语言", true),
            ("使用Python 语言", "使用Python\n语言", true),
            ("使用Python 语言", "使用Python语言", false),
            ("第(一)\n条", "第(一)条", true),
            ("第【A】\n条", "第【A】条", true),
            ("ผู้เช่า 5\nวัน", "ผู้เช่า 5วัน", true),
            ("ผู้เช่า 5\nวัน", "ผู้เช่า5วัน", false),
            ("the ten\nant", "the tenant", false),
        ] {
            let squeezed = |text: &str| Squeezed::new(text, &View::new(text, Mode::default()));
            let (own, asked) = (squeezed(source), squeezed(quote));
            let at = own.view.key.find(&asked.view.key);
            let found = at.is_some_and(|at| own.agrees(at, &asked));
            assert_eq!(found, wanted, "{source:?} {quote:?}");
        }
    }
}
