//! Many needles in one text, in time linear in the text and the needles together.
//!
//! In: a text and needles (bytes, not empty). Out: for each needle how often it occurs, places
//! that overlap counted each, and its first places. A few needles are searched one by one; many
//! are looked up by their first bytes in one pass. A text that begins too many needles at
//! too many places is left to one automaton of the needles whose strings it all holds.

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::nfa::contiguous::NFA;
use memchr::memmem;
use rustc_hash::FxHashMap;
use std::hash::Hash;

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

/// The different ones of `texts` in order of first appearance, and for each text its place there.
pub(super) fn distinct<T: Copy + Eq + Hash>(texts: &[T]) -> (Vec<T>, Vec<usize>) {
    let mut known: FxHashMap<T, usize> = FxHashMap::default();
    let mut distinct = Vec::with_capacity(texts.len());
    let places = texts
        .iter()
        .map(|&text| {
            *known.entry(text).or_insert_with(|| {
                distinct.push(text);
                distinct.len() - 1
            })
        })
        .collect();
    (distinct, places)
}

/// Finds every needle in `text`.
pub(super) fn find_all(text: &[u8], needles: &[&[u8]]) -> Vec<Hits> {
    if needles.len() < FEW_NEEDLES || text.len() < SHORT_TEXT_BYTES {
        return needles.iter().map(|needle| find(text, needle)).collect();
    }
    // Fragments repeat: the same needle is searched once.
    let (distinct, indices) = distinct(needles);
    let mut found = vec![Hits::default(); distinct.len()];
    for heads in [0, 1, HEAD_GRAMS] {
        let group: Vec<usize> = (0..distinct.len())
            .filter(|&index| {
                let len = distinct.get(index).map_or(0, |needle| needle.len());
                heads == head_grams(len)
            })
            .collect();
        let own: Vec<&[u8]> = group
            .iter()
            .filter_map(|&index| distinct.get(index).copied())
            .collect();
        for (index, hits) in group.into_iter().zip(find_group(text, &own, heads)) {
            if let Some(slot) = found.get_mut(index) {
                *slot = hits;
            }
        }
    }
    indices
        .into_iter()
        .map(|index| found.get(index).cloned().unwrap_or_default())
        .collect()
}

// Grams of eight bytes in the head by which a long needle is looked up.
const HEAD_GRAMS: usize = 3;

// Grams in the head of a needle of `len` bytes.
fn head_grams(len: usize) -> usize {
    match len / GRAM_BYTES {
        grams @ (0 | 1) => grams,
        2 => 1,
        _ => HEAD_GRAMS,
    }
}

// Needles that all have heads of so many grams.
fn find_group(text: &[u8], needles: &[&[u8]], heads: usize) -> Vec<Hits> {
    if needles.len() < FEW_NEEDLES {
        return needles.iter().map(|needle| find(text, needle)).collect();
    }
    if heads > 0
        && let Some(found) = find_by_heads(text, needles, heads)
    {
        return found;
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

// Needles by their heads, each place of the text against those that begin so. `None` when a needle
// is shorter than its head, or when that is more work than an automaton: bytes compared count.
fn find_by_heads(text: &[u8], needles: &[&[u8]], head_grams: usize) -> Option<Vec<Hits>> {
    let mut first_grams = Bits::new(needles.len());
    let mut whole_heads = Bits::new(needles.len());
    let mut heads: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    for (needle, index) in needles.iter().zip(0u32..) {
        let head = needle.get(..head_grams * GRAM_BYTES)?;
        first_grams.set(gram_value(head));
        whole_heads.set(head_value(head));
        heads.entry(head_value(head)).or_default().push(index);
    }
    let mut all = vec![Hits::default(); needles.len()];
    let mut budget = text.len();
    for (at, head) in text.windows(head_grams * GRAM_BYTES).enumerate() {
        if !first_grams.holds(gram_value(head)) {
            continue;
        }
        let head = head_value(head);
        if !whole_heads.holds(head) {
            continue;
        }
        let Some(same) = heads.get(&head) else {
            continue;
        };
        let rest = text.get(at..).unwrap_or(&[]);
        for &index in same {
            let index = index as usize;
            let Some(needle) = needles.get(index) else {
                continue;
            };
            let is_here = rest.starts_with(needle);
            let cost = GRAM_BYTES + if is_here { needle.len() } else { 0 };
            budget = budget.checked_sub(cost)?;
            if is_here && let Some(hits) = all.get_mut(index) {
                if hits.places.len() < PLACES_KEPT {
                    hits.places.push(at);
                }
                hits.total += 1;
            }
        }
    }
    Some(all)
}

// Longest needle that is searched without preparations as costly as reading a page.
const HEAD_BYTES: usize = 32;

// One needle: by its head while that stands in few places.
fn find(text: &[u8], needle: &[u8]) -> Hits {
    let mut hits = Hits::default();
    if needle.is_empty() {
        return hits;
    }
    let head = needle.get(..HEAD_BYTES).unwrap_or(needle);
    let finder = memmem::Finder::new(head);
    let mut budget = text.len();
    let mut from = 0;
    while let Some(next) = text.get(from..).and_then(|rest| finder.find(rest)) {
        let at = from + next;
        let is_here = text.get(at..).is_some_and(|rest| rest.starts_with(needle));
        let cost = if is_here { needle.len() } else { HEAD_BYTES };
        let Some(left) = budget.checked_sub(cost) else {
            return find_everywhere(text, needle);
        };
        budget = left;
        if is_here {
            if hits.places.len() < PLACES_KEPT {
                hits.places.push(at);
            }
            hits.total += 1;
        }
        from = at + 1;
    }
    hits
}

// One needle that may stand anywhere: Knuth-Morris-Pratt where places may overlap.
fn find_everywhere(text: &[u8], needle: &[u8]) -> Hits {
    let mut hits = Hits::default();
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

// The first eight bytes as a number.
fn gram_value(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk::<GRAM_BYTES>()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

// All grams of a head as a number; different heads may share one.
fn head_value(head: &[u8]) -> u64 {
    head.chunks_exact(GRAM_BYTES).fold(0u64, |value, gram| {
        (value.rotate_left(29) ^ gram_value(gram)).wrapping_mul(FACTOR)
    })
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

// A set of numbers as a bit table: no false "no".
struct Bits {
    words: Vec<u64>,
    shift: u32,
}

impl Bits {
    fn new(count: usize) -> Self {
        let width = (usize::BITS - count.leading_zeros() + 4).clamp(10, 24);
        Self {
            words: vec![0; 1 << (width - 6)],
            shift: 64 - width,
        }
    }

    fn slot(&self, value: u64) -> (usize, u64) {
        let hash = value.wrapping_mul(FACTOR) >> self.shift;
        (usize::try_from(hash >> 6).unwrap_or(0), 1 << (hash & 63))
    }

    fn set(&mut self, value: u64) {
        let (word, bit) = self.slot(value);
        if let Some(slot) = self.words.get_mut(word) {
            *slot |= bit;
        }
    }

    fn holds(&self, value: u64) -> bool {
        let (word, bit) = self.slot(value);
        self.words.get(word).is_some_and(|slot| slot & bit != 0)
    }
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
        let hash = gram_value(gram).wrapping_mul(FACTOR) >> self.shift;
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
            prop_assert_eq!(&bytes.iter().map(|needle| find_everywhere(text.as_bytes(), needle)).collect::<Vec<_>>(), &wanted);
            prop_assert_eq!(&find_together(text.as_bytes(), &bytes).unwrap(), &wanted);
            let doubled: Vec<Vec<u8>> = bytes.iter().map(|needle| needle.repeat(8)).collect();
            let doubled: Vec<&[u8]> = doubled.iter().map(Vec::as_slice).collect();
            let long = text.repeat(9);
            let wanted_long: Vec<Hits> = doubled.iter().map(|needle| naive(long.as_bytes(), needle)).collect();
            for heads in [1, HEAD_GRAMS] {
                if let Some(found) = find_by_heads(long.as_bytes(), &doubled, heads) {
                    prop_assert_eq!(&found, &wanted_long);
                }
            }
            let sieve = Sieve::new(text.as_bytes());
            for (needle, hits) in bytes.iter().zip(&wanted) {
                prop_assert!(hits.total == 0 || sieve.may_hold(needle));
            }
        }
    }
}
