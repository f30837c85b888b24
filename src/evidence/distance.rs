//! Edit distance of a pattern to the passages of a text, bit-parallel (Myers 1999, in blocks of 64).
//!
//! In: a pattern and a text, compared by code points; every insertion, deletion and replacement
//! costs one. Out: the smallest distance within a bound and where passages of that distance end.
//! Blocks that cannot come below the bound are skipped (Ukkonen's cut-off).

use rustc_hash::FxHashMap;

/// A pattern made ready for searching.
pub(super) struct Pattern {
    len: usize,
    blocks: usize,
    ascii: [u16; 128],
    others: FxHashMap<char, u16>,
    // For each class of character and each block, the pattern positions it stands at.
    positions: Vec<u64>,
}

/// The closest passages found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Closest {
    /// Their distance.
    pub distance: usize,
    /// Byte offsets at which they end: the first, and others of the same distance shortly behind.
    pub ends: Vec<usize>,
}

const BLOCK: usize = 64;
const ENDS_KEPT: usize = 64;

struct Column {
    plus: u64,
    minus: u64,
    // Distance in the block's last row, and that row's bit.
    score: usize,
    last_row: u32,
}

// The difference along a row: one more, one less, or neither.
#[derive(Clone, Copy)]
struct Carry {
    plus: u64,
    minus: u64,
}

impl Pattern {
    /// A pattern of the given characters, fewer than 65,536.
    pub(super) fn new(characters: impl Iterator<Item = char> + Clone) -> Self {
        let len = characters.clone().count();
        let blocks = len.div_ceil(BLOCK).max(1);
        let mut pattern = Self {
            len,
            blocks,
            ascii: [0; 128],
            others: FxHashMap::default(),
            positions: vec![0; blocks],
        };
        let mut classes = 1u16;
        for (at, character) in characters.enumerate() {
            let known = pattern.class(character);
            let class = if known == 0 {
                let new = classes;
                classes = classes.saturating_add(1);
                match u8::try_from(character).ok().filter(u8::is_ascii) {
                    Some(byte) => {
                        if let Some(slot) = pattern.ascii.get_mut(usize::from(byte)) {
                            *slot = new;
                        }
                    }
                    None => {
                        pattern.others.insert(character, new);
                    }
                }
                pattern
                    .positions
                    .resize(pattern.positions.len() + blocks, 0);
                new
            } else {
                known
            };
            if let Some(bits) = pattern
                .positions
                .get_mut(usize::from(class) * blocks + at / BLOCK)
            {
                *bits |= 1 << (at % BLOCK);
            }
        }
        pattern
    }

    /// Length in code points.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Blocks of 64 code points; with the length of the text, the cost of a search.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    fn class(&self, character: char) -> u16 {
        match u8::try_from(character).ok().filter(u8::is_ascii) {
            Some(byte) => self.ascii.get(usize::from(byte)).copied().unwrap_or(0),
            None => self.others.get(&character).copied().unwrap_or(0),
        }
    }

    fn block_len(&self, block: usize) -> usize {
        (self.len - block * BLOCK).min(BLOCK)
    }

    // A block's first column, below a row of the distance `above`.
    fn column(&self, block: usize, above: usize) -> Column {
        let len = self.block_len(block);
        Column {
            plus: u64::MAX,
            minus: 0,
            score: above + len,
            last_row: u32::try_from(len - 1).unwrap_or(0),
        }
    }

    /// The closest passages of `text`, at most `bound` away.
    pub(super) fn closest(&self, text: &str, bound: usize) -> Option<Closest> {
        let mut best: Option<Closest> = None;
        let mut first_end = 0;
        self.scan(
            text.char_indices(),
            false,
            bound,
            |at, character, score, bound| {
                if score > *bound {
                    return;
                }
                let end = at + character.len_utf8();
                match best.as_mut() {
                    Some(found) if found.distance == score => {
                        // Ends far behind belong to another passage; the first one stands.
                        if found.ends.len() < ENDS_KEPT && end - first_end <= 4 * self.len {
                            found.ends.push(end);
                        }
                    }
                    _ => {
                        *bound = score;
                        first_end = end;
                        best = Some(Closest {
                            distance: score,
                            ends: vec![end],
                        });
                    }
                }
            },
        );
        best
    }

    /// Distances of the whole pattern to the prefixes of `text`: `(length in bytes, distance)` of
    /// every non-empty prefix within `bound`.
    pub(super) fn prefixes(
        &self,
        text: impl Iterator<Item = char>,
        bound: usize,
    ) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut len_bytes = 0;
        let text = text.map(|character| {
            let at = len_bytes;
            len_bytes += character.len_utf8();
            (at, character)
        });
        // Not every character is visited, so its place comes with it.
        self.scan(text, true, bound, |at, character, score, bound| {
            if score <= *bound {
                found.push((at + character.len_utf8(), score));
            }
        });
        found
    }

    // Runs the columns; `visit` sees the distance in the last row after each character.
    fn scan(
        &self,
        text: impl Iterator<Item = (usize, char)>,
        anchored: bool,
        mut bound: usize,
        mut visit: impl FnMut(usize, char, usize, &mut usize),
    ) {
        if self.len == 0 {
            return;
        }
        // Rows up to the bound can be within it in the first column.
        let mut last = (bound / BLOCK).min(self.blocks - 1);
        let mut columns: Vec<Column> = (0..self.blocks)
            .map(|block| self.column(block, block * BLOCK))
            .collect();
        let first_carry = Carry {
            plus: u64::from(anchored),
            minus: 0,
        };
        for (at, character) in text {
            let base = usize::from(self.class(character)) * self.blocks;
            let row = self
                .positions
                .get(base..base + self.blocks)
                .unwrap_or_default();
            let mut carry = first_carry;
            let mut score = 0;
            for (column, &bits) in columns.iter_mut().zip(row).take(last + 1) {
                carry = column.step(bits, carry);
                score = column.score;
            }
            if let Some(&next_bits) = row.get(last + 1)
                && let above = (score + usize::from(carry.minus == 1))
                    .saturating_sub(usize::from(carry.plus == 1))
                && above <= bound
                && (next_bits & 1 == 1 || carry.minus == 1)
            {
                last += 1;
                let mut column = self.column(last, above);
                column.step(next_bits, carry);
                if let Some(slot) = columns.get_mut(last) {
                    *slot = column;
                }
            } else {
                while last > 0
                    && columns
                        .get(last)
                        .is_some_and(|column| column.score >= bound + self.block_len(last))
                {
                    last -= 1;
                }
            }
            if last + 1 == self.blocks
                && let Some(column) = columns.last()
            {
                visit(at, character, column.score, &mut bound);
            }
        }
    }
}

impl Column {
    // One block of one column; `carry` is the difference along the row above, then along the last row.
    fn step(&mut self, bits: u64, carry: Carry) -> Carry {
        let vertical = bits | self.minus;
        let bits = bits | carry.minus;
        let diagonal = ((bits & self.plus).wrapping_add(self.plus) ^ self.plus) | bits;
        let plus = self.minus | !(diagonal | self.plus);
        let minus = self.plus & diagonal;
        let out = Carry {
            plus: plus >> self.last_row & 1,
            minus: minus >> self.last_row & 1,
        };
        let plus = plus << 1 | carry.plus;
        let minus = minus << 1 | carry.minus;
        self.plus = minus | !(vertical | plus);
        self.minus = plus & vertical;
        self.score =
            (self.score + usize::from(out.plus == 1)).saturating_sub(usize::from(out.minus == 1));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // Last row of the dynamic programme; `free` when a passage may start anywhere.
    fn rows(pattern: &[char], text: &[char], free: bool) -> Vec<usize> {
        let mut column: Vec<usize> = (0..=pattern.len()).collect();
        let mut last = Vec::new();
        for (at, character) in text.iter().enumerate() {
            let mut next = vec![if free { 0 } else { at + 1 }];
            for (row, other) in pattern.iter().enumerate() {
                let replaced = column[row] + usize::from(character != other);
                next.push(replaced.min(column[row + 1] + 1).min(next[row] + 1));
            }
            last.push(*next.last().unwrap());
            column = next;
        }
        last
    }

    fn check(pattern: &str, text: &str, bound: usize) {
        let (letters, characters): (Vec<char>, Vec<char>) =
            (pattern.chars().collect(), text.chars().collect());
        let wanted = rows(&letters, &characters, true);
        let best = wanted.iter().copied().min().filter(|&best| best <= bound);
        let ready = Pattern::new(pattern.chars());
        let found = ready.closest(text, bound);
        assert_eq!(
            found.as_ref().map(|found| found.distance),
            best,
            "{pattern:?} {text:?} {bound}"
        );
        if let (Some(found), Some(best)) = (found, best) {
            let first = wanted.iter().position(|&score| score == best).unwrap();
            let end: usize = characters[..=first]
                .iter()
                .map(|character| character.len_utf8())
                .sum();
            assert_eq!(found.ends[0], end);
        }
        let anchored = rows(&letters, &characters, false);
        let mut end = 0;
        let wanted: Vec<(usize, usize)> = characters
            .iter()
            .zip(anchored)
            .map(|(character, score)| {
                end += character.len_utf8();
                (end, score)
            })
            .filter(|&(_, score)| score <= bound)
            .collect();
        assert_eq!(ready.prefixes(text.chars(), bound), wanted);
    }

    #[test]
    fn a_word_in_a_sentence() {
        let found = Pattern::new("survey".chars())
            .closest("the surgery was", 3)
            .unwrap();
        assert_eq!(found.distance, 2);
        assert_eq!(found.ends[0], "the surge".len());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn agrees_with_the_dynamic_programme(pattern in "[abé漢]{1,12}", text in "[abé漢]{0,60}", bound in 0usize..8) {
            check(&pattern, &text, bound);
        }

        #[test]
        fn agrees_on_words_of_many_letters(pattern in "[a-z ]{60,400}", noise in prop::collection::vec((0usize..400, "[a-z]{0,2}"), 0..90), after in "[a-z ]{0,90}", slack in 0usize..9) {
            let mut letters: Vec<char> = pattern.chars().collect();
            for (at, by) in noise {
                if at < letters.len() {
                    letters.splice(at..=at, by.chars());
                }
            }
            let text = format!("{}{after}", letters.into_iter().collect::<String>());
            let distance = Pattern::new(pattern.chars()).closest(&text, pattern.len()).map_or(0, |found| found.distance);
            check(&pattern, &text, distance + slack);
        }

        #[test]
        fn agrees_over_several_blocks(pattern in "[ab]{60,200}", noise in prop::collection::vec((0usize..200, "[abc]{0,2}"), 0..30), before in "[abc]{0,90}", bound in 0usize..80) {
            let mut letters: Vec<char> = pattern.chars().collect();
            for (at, by) in noise {
                if at < letters.len() {
                    letters.splice(at..=at, by.chars());
                }
            }
            let changed: String = letters.into_iter().collect();
            check(&pattern, &format!("{before}{changed}{before}"), bound);
            // Anchored, a text that begins as the pattern does is the one that counts.
            check(&pattern, &format!("{changed}{before}"), bound);
        }
    }
}
