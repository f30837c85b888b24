//! Many needles in one text, in time linear in the text and the needles together.
//!
//! In: a text and needles (bytes, not empty). Out: for each needle how often it occurs, places
//! that overlap counted each, and its first places. A few needles are searched one by one; many
//! are first sieved by the eight-byte strings of the text and then run as one automaton.

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;
use memchr::memmem;
use rustc_hash::FxHashMap;

/// Places kept for each needle; more are only counted.
pub(super) const PLACES_KEPT: usize = 256;

/// Where a needle stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hits {
    /// Every place at which the needle begins, overlapping ones too.
    pub total: usize,
    /// The first [`PLACES_KEPT`] of them, ascending.
    pub places: Vec<usize>,
}

// Below these sizes building an automaton costs more than it saves.
const FEW_NEEDLES: usize = 8;
const SHORT_TEXT_BYTES: usize = 48 * 1024;

/// Finds every needle in `text`.
pub(super) fn find_all(text: &[u8], needles: &[&[u8]]) -> Vec<Hits> {
    if needles.len() < FEW_NEEDLES || text.len() < SHORT_TEXT_BYTES {
        return needles.iter().map(|needle| find(text, needle)).collect();
    }
    let sieve = Sieve::new(text);
    let passed: Vec<usize> = (0..needles.len())
        .filter(|&index| {
            needles
                .get(index)
                .is_some_and(|needle| sieve.may_hold(needle))
        })
        .collect();
    let chosen: Vec<&[u8]> = passed
        .iter()
        .filter_map(|&index| needles.get(index).copied())
        .collect();
    let found = if chosen.len() < FEW_NEEDLES {
        None
    } else {
        find_together(text, &chosen)
    };
    let found = found.unwrap_or_else(|| chosen.iter().map(|needle| find(text, needle)).collect());
    let mut all = vec![Hits::default(); needles.len()];
    for (index, hits) in passed.into_iter().zip(found) {
        if let Some(slot) = all.get_mut(index) {
            *slot = hits;
        }
    }
    all
}

// One needle: vectorised search, and Knuth-Morris-Pratt where places may overlap.
fn find(text: &[u8], needle: &[u8]) -> Hits {
    let mut hits = Hits::default();
    if needle.is_empty() {
        return hits;
    }
    let finder = memmem::Finder::new(needle);
    let Some(first) = finder.find(text) else {
        return hits;
    };
    let mut record = |at: usize| {
        if hits.places.len() < PLACES_KEPT {
            hits.places.push(at);
        }
        hits.total += 1;
    };
    let borders = border_lengths(needle);
    if borders.last().is_none_or(|&border| border == 0) {
        let rest = text.get(first..).unwrap_or(&[]);
        finder.find_iter(rest).for_each(|at| record(first + at));
        return hits;
    }
    let mut matched = 0usize;
    for (at, &byte) in text.iter().enumerate().skip(first) {
        while matched > 0 && needle.get(matched) != Some(&byte) {
            matched = matched
                .checked_sub(1)
                .and_then(|last| borders.get(last))
                .copied()
                .unwrap_or(0);
        }
        if needle.get(matched) == Some(&byte) {
            matched += 1;
        }
        if matched == needle.len() {
            record(at + 1 - needle.len());
            matched = borders.last().copied().unwrap_or(0);
        }
    }
    hits
}

// For each prefix of the needle, the length of its longest proper border.
fn border_lengths(needle: &[u8]) -> Vec<usize> {
    let mut borders = Vec::with_capacity(needle.len());
    borders.push(0usize);
    let mut border = 0usize;
    for byte in needle.iter().skip(1) {
        while border > 0 && needle.get(border) != Some(byte) {
            border = border
                .checked_sub(1)
                .and_then(|last| borders.get(last))
                .copied()
                .unwrap_or(0);
        }
        if needle.get(border) == Some(byte) {
            border += 1;
        }
        borders.push(border);
    }
    borders
}

// Which eight-byte strings a text holds, as a bit table: no false "no".
struct Sieve {
    bits: Vec<u64>,
    shift: u32,
}

const GRAM_BYTES: usize = 8;

impl Sieve {
    fn new(text: &[u8]) -> Self {
        let width = (usize::BITS - text.len().leading_zeros() + 3).clamp(16, 27);
        let mut sieve = Self {
            bits: vec![0; 1usize << (width - 6)],
            shift: 64 - width,
        };
        for gram in text.windows(GRAM_BYTES) {
            let (word, bit) = sieve.slot(gram);
            if let Some(slot) = sieve.bits.get_mut(word) {
                *slot |= bit;
            }
        }
        sieve
    }

    fn slot(&self, gram: &[u8]) -> (usize, u64) {
        let value = gram
            .first_chunk::<GRAM_BYTES>()
            .map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let hash = value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift;
        (usize::try_from(hash >> 6).unwrap_or(0), 1 << (hash & 63))
    }

    fn may_hold(&self, needle: &[u8]) -> bool {
        needle.windows(GRAM_BYTES).all(|gram| {
            let (word, bit) = self.slot(gram);
            self.bits.get(word).is_some_and(|slot| slot & bit != 0)
        })
    }
}

// The visits of one matching state of the automaton.
struct Visits {
    state: StateID,
    total: usize,
    ends: Vec<usize>,
}

// All needles in one pass. States are counted, not matches: a needle that ends in many states gets
// their sums afterwards, so nested needles in a repetitive text stay linear. `None` when the
// automaton would be too large.
fn find_together(text: &[u8], needles: &[&[u8]]) -> Option<Vec<Hits>> {
    let automaton = NFA::new(needles).ok()?;
    let mut state = automaton.start_state(Anchored::No).ok()?;
    let mut indices: FxHashMap<StateID, usize> = FxHashMap::default();
    let mut visited: Vec<Visits> = Vec::new();
    for (at, &byte) in text.iter().enumerate() {
        state = automaton.next_state(Anchored::No, state, byte);
        if automaton.is_match(state) {
            let index = *indices.entry(state).or_insert_with(|| {
                visited.push(Visits {
                    state,
                    total: 0,
                    ends: Vec::new(),
                });
                visited.len() - 1
            });
            if let Some(visits) = visited.get_mut(index) {
                visits.total += 1;
                if visits.ends.len() < PLACES_KEPT {
                    visits.ends.push(at + 1);
                }
            }
        }
    }
    let mut all = vec![Hits::default(); needles.len()];
    for visits in &visited {
        for index in 0..automaton.match_len(visits.state) {
            let pattern = automaton.match_pattern(visits.state, index).as_usize();
            if let (Some(hits), Some(needle)) = (all.get_mut(pattern), needles.get(pattern)) {
                hits.total += visits.total;
                hits.places
                    .extend(visits.ends.iter().map(|end| end - needle.len()));
                if hits.places.len() > 4 * PLACES_KEPT {
                    hits.places.sort_unstable();
                    hits.places.truncate(PLACES_KEPT);
                }
            }
        }
    }
    for hits in &mut all {
        hits.places.sort_unstable();
        hits.places.truncate(PLACES_KEPT);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(text: &[u8], needle: &[u8]) -> Hits {
        let places: Vec<usize> = (0..text.len())
            .filter(|&at| text.get(at..at + needle.len()) == Some(needle))
            .collect();
        Hits {
            total: places.len(),
            places: places.into_iter().take(PLACES_KEPT).collect(),
        }
    }

    #[test]
    fn overlapping_places_count_each() {
        assert_eq!(
            find(b"aaaa", b"aa"),
            Hits {
                total: 3,
                places: vec![0, 1, 2]
            }
        );
        assert_eq!(
            find(b"abcabc", b"abc"),
            Hits {
                total: 2,
                places: vec![0, 3]
            }
        );
        assert_eq!(find(b"abc", b""), Hits::default());
    }

    #[test]
    fn a_long_text_is_searched_with_all_needles_together() {
        let text = "the quick brown fox ".repeat(4000).into_bytes();
        let needles: Vec<Vec<u8>> = (1..40)
            .map(|len| text[len..len * 2].to_vec())
            .chain([b"not there at all".to_vec()])
            .collect();
        let needles: Vec<&[u8]> = needles.iter().map(Vec::as_slice).collect();
        let all = find_all(&text, &needles);
        for (needle, hits) in needles.iter().zip(&all) {
            assert_eq!(hits, &find(&text, needle));
        }
        assert_eq!(all.last().unwrap().total, 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn both_ways_agree_with_the_obvious_one(text in "[ab]{0,60}", needles in prop::collection::vec("[ab]{1,6}", 1..12)) {
            let bytes: Vec<&[u8]> = needles.iter().map(String::as_bytes).collect();
            let wanted: Vec<Hits> = bytes.iter().map(|needle| naive(text.as_bytes(), needle)).collect();
            prop_assert_eq!(&bytes.iter().map(|needle| find(text.as_bytes(), needle)).collect::<Vec<_>>(), &wanted);
            prop_assert_eq!(&find_together(text.as_bytes(), &bytes).unwrap(), &wanted);
            let sieve = Sieve::new(text.as_bytes());
            for (needle, hits) in bytes.iter().zip(&wanted) {
                prop_assert!(hits.total == 0 || sieve.may_hold(needle));
            }
        }
    }
}
