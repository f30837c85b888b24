//! Near matches: the best passage by edit distance, similarity at least 0.80.
//!
//! In: the folded key of a source and of quotes. Out: for each quote the key range of the closest
//! passage. While the work is moderate every place that can hold a passage is compared
//! (`stretches`), so the answer is the best there is. A larger source is searched around shared
//! strings: the quote's rarest strings of 16 bytes, then of 6, propose places, and the best-voted
//! are compared. The caps below bound the work for each quote; they can cost a near match in a
//! text that repeats itself thousands of times, never a closer grade.

use super::characters::is_word;
use super::distance::{Closest, Pattern};
use super::stretches::{Stretches, Wanted, stretches};
use crate::workers;
use rayon::prelude::*;

/// Least similarity, in hundredths: one less the distance over the longer length.
pub(super) const LEAST_SIMILARITY_PERCENT: usize = 80;

/// Longest quote compared by edit distance, in code points.
pub(super) const LONGEST_QUOTE: usize = 8192;

// Steps (64 code points against one) that one quote may always take to be compared everywhere.
const STEPS_PER_QUOTE: usize = 1 << 16;

// Steps that all quotes of one call may take together to be compared everywhere.
const STEPS_PER_CALL: usize = 1 << 28;

/// Below so many quotes threads cost more than they save.
pub(super) const FEW_QUOTES: usize = 32;

// Quotes that share one pass of the filter; more would not fit the processor's cache.
const QUOTES_PER_PASS: usize = 512;

const GRAMS_TRIED: usize = 512;
const PLACES_TRIED: usize = 2048;
const RARE_PLACES: usize = 64;
const WINDOWS_TRIED: usize = 16;
const ENDS_TRIED: usize = 4;

// Steps at the windows of one quote, and for each of its bytes: all windows of a sentence, and few
// of a page, so that the work stays linear in the quotes.
const STEPS_AT_WINDOWS: usize = 1 << 14;
const STEPS_AT_WINDOWS_PER_BYTE: usize = 64;

/// The closest similar passage of `key` for each quote.
pub(super) fn search_all(key: &str, quotes: &[NearQuote<'_>]) -> Vec<Option<Passage>> {
    let steps = quotes
        .iter()
        .map(|quote| quote.steps(key))
        .fold(0, usize::saturating_add);
    let everywhere =
        |quote: &NearQuote<'_>| steps <= STEPS_PER_CALL || quote.steps(key) <= STEPS_PER_QUOTE;
    let chosen: Vec<&NearQuote<'_>> = quotes.iter().filter(|quote| everywhere(quote)).collect();
    let pass = |some: &[&NearQuote<'_>]| -> Vec<Option<Passage>> {
        let wanted: Vec<Wanted<'_>> = some.iter().map(|quote| quote.wanted()).collect();
        let steps = some.iter().map(|quote| quote.steps(key)).sum();
        let places = stretches(key, &wanted, steps);
        let search = |(quote, places): (&&NearQuote<'_>, Option<Stretches>)| match places {
            Some(places) => quote.search_stretches(key, &places),
            None => quote.search_whole(key),
        };
        if some.len() < FEW_QUOTES {
            some.iter().zip(places).map(search).collect()
        } else {
            workers::spread(|| some.par_iter().zip(places).map(search).collect())
        }
    };
    let compared: Vec<Option<Passage>> = if chosen.len() <= QUOTES_PER_PASS {
        pass(&chosen)
    } else {
        workers::spread(|| {
            let passes = chosen.par_chunks(QUOTES_PER_PASS);
            passes.flat_map_iter(pass).collect()
        })
    };
    let others: Vec<&NearQuote<'_>> = quotes.iter().filter(|quote| !everywhere(quote)).collect();
    let (mut compared, mut shared) = (
        compared.into_iter(),
        search_shared(key, &others).into_iter(),
    );
    quotes
        .iter()
        .map(|quote| {
            if everywhere(quote) {
                compared.next().flatten()
            } else {
                shared.next().flatten()
            }
        })
        .collect()
}

// The closest passages around strings that `key` and the quotes share.
fn search_shared(key: &str, quotes: &[&NearQuote<'_>]) -> Vec<Option<Passage>> {
    let mut found = vec![None; quotes.len()];
    for (len, stride, cap) in [(16, 4, RARE_PLACES), (6, 2, PLACES_TRIED)] {
        let open: Vec<usize> = (0..quotes.len())
            .filter(|&index| found.get(index).is_some_and(Option::is_none))
            .collect();
        let own: Vec<&NearQuote<'_>> = open
            .iter()
            .filter_map(|&index| quotes.get(index).copied())
            .collect();
        if own.is_empty() {
            continue;
        }
        let grams = Grams::new(key.as_bytes(), &own, len, stride);
        // In bytes, the furthest that one insertion can move what follows.
        let widest = if key.is_ascii() { 1 } else { 4 };
        let search = |quote: &&NearQuote<'_>| {
            quote.search_places(key, &grams.places(quote.key, cap), widest)
        };
        let passages: Vec<Option<Passage>> =
            workers::spread(|| own.par_iter().map(search).collect());
        for (index, passage) in open.into_iter().zip(passages) {
            if let Some(slot) = found.get_mut(index) {
                *slot = passage;
            }
        }
    }
    found
}

/// A passage of a key that is close to a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passage {
    /// First byte in the key.
    pub key_start: usize,
    /// One past the last byte in the key.
    pub key_end: usize,
    /// Edit distance in code points.
    pub distance: usize,
    // Longer length of the two, in code points.
    longer: usize,
}

impl Passage {
    fn is_similar(&self) -> bool {
        (self.longer - self.distance.min(self.longer)) * 100
            >= LEAST_SIMILARITY_PERCENT * self.longer
    }
}

/// A quote ready to be compared.
pub(super) struct NearQuote<'q> {
    key: &'q str,
    pattern: Pattern,
    bound: usize,
}

impl<'q> NearQuote<'q> {
    /// Ready `key`; `None` when it is too short to differ, or longer than [`LONGEST_QUOTE`].
    pub(super) fn new(key: &'q str) -> Option<Self> {
        let len = key.chars().take(LONGEST_QUOTE + 1).count();
        // A passage may be longer than the quote, so the distance may reach a quarter of the quote.
        let bound = len * (100 - LEAST_SIMILARITY_PERCENT) / LEAST_SIMILARITY_PERCENT;
        if bound == 0 || len > LONGEST_QUOTE {
            return None;
        }
        Some(Self {
            key,
            pattern: Pattern::new(key.chars()),
            bound,
        })
    }

    /// Steps a search of the whole of `key` takes.
    pub(super) fn steps(&self, key: &str) -> usize {
        key.len().saturating_mul(self.pattern.blocks())
    }

    /// The closest passage of all of `key`.
    pub(super) fn search_whole(&self, key: &str) -> Option<Passage> {
        let closest = self.pattern.closest(key, self.bound)?;
        self.located(key, 0, &closest).filter(Passage::is_similar)
    }

    /// The quote as the filter for places wants it.
    pub(super) fn wanted(&self) -> Wanted<'q> {
        Wanted {
            key: self.key,
            len: self.pattern.len(),
            bound: self.bound,
        }
    }

    /// The closest passage within `stretches` of `key`; the first of several.
    pub(super) fn search_stretches(&self, key: &str, stretches: &Stretches) -> Option<Passage> {
        let mut best: Option<(usize, Closest)> = None;
        for &(start, end) in stretches {
            let bound = match &best {
                Some((_, closest)) if closest.distance == 0 => break,
                Some((_, closest)) => closest.distance - 1,
                None => self.bound,
            };
            let window = key.get(start..end).unwrap_or("");
            if let Some(closest) = self.pattern.closest(window, bound) {
                best = Some((start, closest));
            }
        }
        let (start, closest) = best?;
        self.located(key, start, &closest)
            .filter(Passage::is_similar)
    }

    // `places`: where the quote would begin in the key, ascending; `widest`: bytes of the key's
    // widest code point.
    fn search_places(&self, key: &str, places: &[usize], widest: usize) -> Option<Passage> {
        // Insertions move later strings by up to the bound.
        let slack = widest * self.bound;
        let mut windows: Vec<(usize, usize, usize)> = Vec::new();
        for &place in places {
            match windows.last_mut() {
                Some((first, last, votes)) if place - *first <= slack.max(32) => {
                    *last = place;
                    *votes += 1;
                }
                _ => windows.push((place, place, 1)),
            }
        }
        windows.sort_by(|left, right| right.2.cmp(&left.2).then(left.0.cmp(&right.0)));
        // Only the closest window is worth finding the exact beginning in.
        let mut best: Option<(usize, Closest)> = None;
        let mut steps = STEPS_AT_WINDOWS + STEPS_AT_WINDOWS_PER_BYTE * self.key.len();
        for &(first, last, _) in windows.iter().take(WINDOWS_TRIED) {
            let start = floor_boundary(key, first.saturating_sub(slack));
            let end = floor_boundary(key, (last + self.key.len() + slack).min(key.len()));
            let bound = best.as_ref().map_or(self.bound, |(_, closest)| {
                closest.distance.saturating_sub(1)
            });
            let window = key.get(start..end).unwrap_or("");
            if let Some(closest) = self.pattern.closest(window, bound) {
                best = Some((start, closest));
            }
            steps = steps.saturating_sub((end - start).saturating_mul(self.pattern.blocks()));
            if steps == 0
                || best
                    .as_ref()
                    .is_some_and(|(_, closest)| closest.distance == 0)
            {
                break;
            }
        }
        let (start, closest) = best?;
        self.located(key, start, &closest)
            .filter(Passage::is_similar)
    }

    // The passage that ends at one of the ends of `closest`, in the window that begins at `start`.
    fn located(&self, key: &str, start: usize, closest: &Closest) -> Option<Passage> {
        let backwards = Pattern::new(self.key.chars().rev());
        let mut best: Option<(bool, Passage)> = None;
        let first = closest.ends.iter().take(1);
        let others = closest.ends.iter().skip(1);
        let at_word = others.filter(|&&end| !cuts_word_at(key, start + end));
        for end in first.chain(at_word).take(ENDS_TRIED) {
            let end = start + end;
            let before = key
                .get(start..end)?
                .chars()
                .rev()
                .take(self.pattern.len() + closest.distance);
            for (len_bytes, distance) in backwards.prefixes(before, closest.distance) {
                let passage_start = end - len_bytes;
                let characters = key
                    .get(passage_start..end)
                    .map_or(0, |text| text.chars().count());
                let longer = characters.max(self.pattern.len());
                let passage = Passage {
                    key_start: passage_start,
                    key_end: end,
                    distance,
                    longer,
                };
                let whole = is_whole(key, passage_start, end);
                let better = best.as_ref().is_none_or(|(best_whole, best)| {
                    self.rank(key, &passage, whole) < self.rank(key, best, *best_whole)
                });
                if better {
                    best = Some((whole, passage));
                }
            }
        }
        best.map(|(_, passage)| passage)
    }

    // Smaller is better: similar enough, on word boundaries, a word (or a stop) at each end as in
    // the quote, close in length to it.
    fn rank(&self, key: &str, passage: &Passage, whole: bool) -> (bool, bool, usize, usize, usize) {
        let text = key.get(passage.key_start..passage.key_end).unwrap_or("");
        let differ = |left: Option<char>, right: Option<char>| {
            usize::from(left.map(is_word) != right.map(is_word))
        };
        let ends = differ(text.chars().next(), self.key.chars().next())
            + differ(text.chars().next_back(), self.key.chars().next_back());
        (
            !passage.is_similar(),
            !whole,
            ends,
            text.len().abs_diff(self.key.len()),
            passage.key_start,
        )
    }
}

// Whether a word goes on across the byte offset `at`.
fn cuts_word_at(key: &str, at: usize) -> bool {
    let before = key.get(..at).and_then(|text| text.chars().next_back());
    let after = key.get(at..).and_then(|text| text.chars().next());
    before.is_some_and(is_word) && after.is_some_and(is_word)
}

// Whether the range begins and ends with ink and at word boundaries.
fn is_whole(key: &str, start: usize, end: usize) -> bool {
    let inside = key.get(start..end).unwrap_or("");
    let (first, last) = (inside.chars().next(), inside.chars().next_back());
    let before = key.get(..start).and_then(|text| text.chars().next_back());
    let after = key.get(end..).and_then(|text| text.chars().next());
    let joined = |left: Option<char>, right: Option<char>| {
        left.is_some_and(is_word) && right.is_some_and(is_word)
    };
    first != Some(' ') && last != Some(' ') && !joined(before, first) && !joined(last, after)
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

// Where the strings of some quotes stand in a key: every `stride`-th string of `len` bytes of the
// key that may be a quote's, by hash: places in one list, grouped.
#[derive(Debug)]
struct Grams {
    len: usize,
    shift: u32,
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Grams {
    fn new(key: &[u8], quotes: &[&NearQuote<'_>], len: usize, stride: usize) -> Self {
        let strings: usize = quotes.iter().map(|quote| quote.key.len()).sum();
        let wanted_width = (usize::BITS - strings.leading_zeros() + 3).clamp(12, 24);
        let mut wanted = vec![0u64; 1 << (wanted_width - 6)];
        let bit = |hash: u64| {
            let bit = hash >> (64 - wanted_width);
            (usize::try_from(bit >> 6).unwrap_or(0), 1u64 << (bit & 63))
        };
        for gram in quotes
            .iter()
            .flat_map(|quote| quote.key.as_bytes().windows(len))
        {
            let (word, bit) = bit(hashed(gram));
            if let Some(slot) = wanted.get_mut(word) {
                *slot |= bit;
            }
        }
        let mut hits: Vec<(u64, u32)> = Vec::new();
        for (gram, at) in key
            .windows(len)
            .step_by(stride)
            .zip((0u32..).step_by(stride))
        {
            let hash = hashed(gram);
            let (word, bit) = bit(hash);
            if wanted.get(word).is_some_and(|slot| slot & bit != 0) {
                hits.push((hash, at));
            }
        }
        let width = (usize::BITS - hits.len().leading_zeros()).clamp(8, 21);
        let shift = 64 - width;
        let mut starts = vec![0u32; (1 << width) + 1];
        for (hash, _) in &hits {
            if let Some(count) = starts.get_mut(bucket(*hash, shift) + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut places = vec![0u32; hits.len()];
        let mut next = starts.clone();
        for (hash, at) in hits {
            if let Some(slot) = next.get_mut(bucket(hash, shift)) {
                if let Some(place) = places.get_mut(*slot as usize) {
                    *place = at;
                }
                *slot += 1;
            }
        }
        Self {
            len,
            shift,
            starts,
            places,
        }
    }

    fn group(&self, hash: usize) -> &[u32] {
        let (Some(&start), Some(&end)) = (self.starts.get(hash), self.starts.get(hash + 1)) else {
            return &[];
        };
        self.places.get(start as usize..end as usize).unwrap_or(&[])
    }

    // Where the quote would begin if one of its strings stood where the key has it; the rarest
    // strings first, at most `cap` places, ascending.
    fn places(&self, quote: &str, cap: usize) -> Vec<usize> {
        let bytes = quote.as_bytes();
        let grams = bytes.len().saturating_sub(self.len - 1);
        let step = grams.div_ceil(GRAMS_TRIED).max(1);
        let mut groups: Vec<(usize, &[u32])> = bytes
            .windows(self.len)
            .enumerate()
            .step_by(step)
            .map(|(at, gram)| (at, self.group(bucket(hashed(gram), self.shift))))
            .filter(|(_, group)| !group.is_empty())
            .collect();
        groups.sort_by_key(|(at, group)| (group.len(), *at));
        let mut found = Vec::new();
        for (at, group) in groups {
            if found.len() >= cap {
                break;
            }
            found.extend(
                group
                    .iter()
                    .take(cap - found.len())
                    .map(|&place| (place as usize).saturating_sub(at)),
            );
        }
        found.sort_unstable();
        found
    }
}

fn hashed(gram: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = 0u64;
    for chunk in gram.chunks(8) {
        let value = chunk.first_chunk::<8>().map_or_else(
            || {
                chunk
                    .iter()
                    .fold(0, |value, &byte| value << 8 | u64::from(byte))
            },
            |bytes| u64::from_le_bytes(*bytes),
        );
        hash = (hash.rotate_left(29) ^ value).wrapping_mul(FACTOR);
    }
    hash
}

fn bucket(hash: u64, shift: u32) -> usize {
    usize::try_from(hash >> shift).unwrap_or(0)
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "tests slice text they know")]
mod tests {
    use super::*;

    fn whole(key: &str, quote: &str) -> Option<(String, usize)> {
        let found = NearQuote::new(quote)?.search_whole(key)?;
        Some((
            key[found.key_start..found.key_end].to_owned(),
            found.distance,
        ))
    }

    #[test]
    fn the_bound_is_a_fifth_of_the_longer_side() {
        assert_eq!(
            whole("xx abcdefghij yy", "abcdXfYhij"),
            Some(("abcdefghij".into(), 2))
        );
        assert_eq!(whole("xx abcdefghij yy", "abXdXfYhij"), None);
        // Two characters missing of ten: the passage is the longer side.
        assert_eq!(
            whole("xx abcdefghij yy", "abceghij"),
            Some(("abcdefghij".into(), 2))
        );
        assert_eq!(whole("abc", "abd"), None);
    }

    #[test]
    fn word_boundaries_are_preferred() {
        assert_eq!(
            whole("the tenant must pay rent.", "the tenant must pay rents"),
            Some(("the tenant must pay rent".into(), 1))
        );
        assert_eq!(
            whole("so Tenant must pay", "Xenant must pay"),
            Some(("Tenant must pay".into(), 1))
        );
    }

    #[test]
    fn shared_strings_lead_to_the_same_passage() {
        let mut key = String::new();
        for number in 0..20_000 {
            let (item, cost) = (number * 7, number * 13);
            key.extend([
                "entry ",
                &number.to_string(),
                " says that item ",
                &item.to_string(),
                " costs ",
                &cost.to_string(),
                " euros. ",
            ]);
        }
        let quote = "entry 17321 says that this item 121247 cost 225173 euros.";
        let ready = NearQuote::new(quote).unwrap();
        assert_eq!(search_shared(&key, &[&ready]), [ready.search_whole(&key)]);
        assert!(ready.search_whole(&key).is_some());
    }
}
