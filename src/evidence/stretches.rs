//! Where a near passage can stand: a filter that never refuses one.
//!
//! In: the folded key of a source and quotes. Out: for each quote the stretches of the key that
//! may hold a passage at least 0.80 similar. An edit breaks at most `q` of a quote's strings of
//! `q` characters, so a similar passage keeps a known number of them, all shifted by no more than
//! the edit distance. One pass over the key counts the kept strings of all quotes, by shift.

use super::near::LEAST_SIMILARITY_PERCENT;

/// The stretches of the key that may hold a near passage, in byte ranges, ascending and apart.
pub(super) type Stretches = Vec<(usize, usize)>;

/// A quote as the filter sees it.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'q> {
    /// The folded quote.
    pub key: &'q str,
    /// Its length in code points.
    pub len: usize,
    /// Largest edit distance of a near passage.
    pub bound: usize,
}

// From these lengths on, strings of three and of four characters are rare enough to tell.
const LEN_FOR_TRIPLES: usize = 16;
const LEN_FOR_QUADRUPLES: usize = 64;

// Narrower bands tell little more and take more memory.
const NARROWEST_BAND: usize = 16;

impl Wanted<'_> {
    fn gram_len(self) -> usize {
        match self.len {
            0..LEN_FOR_TRIPLES => 2,
            LEN_FOR_TRIPLES..LEN_FOR_QUADRUPLES => 3,
            _ => 4,
        }
    }

    // Strings of the quote that every similar passage keeps. Up to a fifth of the quote's length
    // an edit breaks `q` of its `len - q + 1` strings. A larger distance is similar only when the
    // passage is longer, by insertions, and those break `q - 1` each: at most `q - 1` more in all.
    fn kept(self) -> usize {
        let edits = self.len * (100 - LEAST_SIMILARITY_PERCENT) / 100;
        let q = self.gram_len();
        (self.len + 1).saturating_sub(q + q * edits + (q - 1))
    }

    // Shifts of one passage differ by at most the bound, so two neighbouring bands hold them all.
    fn band_width(self) -> usize {
        (self.bound + 1).next_power_of_two().max(NARROWEST_BAND)
    }
}

// A string of a quote: where it stands in the quote, and its hash against chance.
#[derive(Clone, Copy, Default)]
struct Entry {
    hash: u32,
    quote: u32,
    at: u32,
}

/// The stretches for each quote. `None` for a quote that must look everywhere: too short to keep a
/// string, or the key and the quotes repeat themselves so much that counting would cost more than
/// `budget` steps.
pub(super) fn stretches(key: &str, quotes: &[Wanted<'_>], budget: usize) -> Vec<Option<Stretches>> {
    let mut found = vec![None; quotes.len()];
    let mut budget = budget;
    for gram_len in 2..=4 {
        let chosen: Vec<usize> = (0..quotes.len())
            .filter(|&index| {
                quotes
                    .get(index)
                    .is_some_and(|quote| quote.gram_len() == gram_len && quote.kept() > 0)
            })
            .collect();
        if chosen.is_empty() {
            continue;
        }
        let own: Vec<Wanted<'_>> = chosen
            .iter()
            .filter_map(|&index| quotes.get(index).copied())
            .collect();
        let Some(all) = counted(key, &own, gram_len, &mut budget) else {
            continue;
        };
        for (index, stretches) in chosen.into_iter().zip(all) {
            if let Some(slot) = found.get_mut(index) {
                *slot = Some(stretches);
            }
        }
    }
    found
}

fn counted(
    key: &str,
    quotes: &[Wanted<'_>],
    gram_len: usize,
    budget: &mut usize,
) -> Option<Vec<Stretches>> {
    let table = Table::new(quotes, gram_len);
    let places = Places::new(key);
    // Shifts begin below zero; adding the quote's length makes them offsets.
    let mut bands: Vec<Bands> = quotes
        .iter()
        .map(|quote| Bands::new(*quote, places.len))
        .collect();
    let mut window = Window::new(gram_len);
    let mut count = |index: usize, hash: u64| -> Option<()> {
        // The first strings are not whole yet.
        let Some(start) = (index + 1).checked_sub(gram_len) else {
            return Some(());
        };
        let entries = table.entries(hash);
        *budget = budget.checked_sub(entries.len())?;
        for entry in entries {
            if entry.hash == low_half(hash)
                && let Some(bands) = bands.get_mut(entry.quote as usize)
            {
                bands.count(start, entry.at as usize);
            }
        }
        Some(())
    };
    if places.is_ascii() {
        for (index, &byte) in key.as_bytes().iter().enumerate() {
            let hash = window.push(u32::from(byte));
            if table.may_hold(hash) {
                count(index, hash)?;
            }
        }
    } else {
        for (index, character) in key.chars().enumerate() {
            let hash = window.push(u32::from(character));
            if table.may_hold(hash) {
                count(index, hash)?;
            }
        }
    }
    Some(
        quotes
            .iter()
            .zip(&bands)
            .map(|(quote, bands)| bands.stretches(*quote, &places))
            .collect(),
    )
}

// The last characters read, as a hash; 16 bits of each, so that characters far apart may collide,
// which costs a comparison and never a passage.
struct Window {
    value: u64,
    mask: u64,
}

impl Window {
    fn new(gram_len: usize) -> Self {
        Self {
            value: 0,
            mask: u64::MAX >> (64 - 16 * gram_len),
        }
    }

    fn push(&mut self, code: u32) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        self.value = (self.value << 16 | u64::from(code & 0xffff)) & self.mask;
        self.value.wrapping_mul(FACTOR)
    }
}

fn low_half(hash: u64) -> u32 {
    u32::try_from(hash & u64::from(u32::MAX)).unwrap_or(0)
}

// The strings of all quotes: a bit table to pass over most of the key, and lists by hash.
struct Table {
    bits: Vec<u64>,
    bits_shift: u32,
    starts: Vec<u32>,
    starts_shift: u32,
    entries: Vec<Entry>,
}

impl Table {
    fn new(quotes: &[Wanted<'_>], gram_len: usize) -> Self {
        let count: usize = quotes.iter().map(|quote| quote.len).sum();
        let width = usize::BITS - count.leading_zeros();
        let bits_width = (width + 7).clamp(10, 24);
        let starts_width = (width + 2).clamp(8, 22);
        let mut table = Self {
            bits: vec![0; 1 << (bits_width - 6)],
            bits_shift: 64 - bits_width,
            starts: vec![0; (1 << starts_width) + 1],
            starts_shift: 64 - starts_width,
            entries: Vec::new(),
        };
        let mut hashes: Vec<(u64, Entry)> = Vec::with_capacity(count);
        for (quote, index) in quotes.iter().zip(0u32..) {
            let mut window = Window::new(gram_len);
            let grams = quote
                .key
                .chars()
                .map(|character| window.push(u32::from(character)))
                .skip(gram_len - 1);
            hashes.extend(grams.zip(0u32..).map(|(hash, at)| {
                let entry = Entry {
                    hash: low_half(hash),
                    quote: index,
                    at,
                };
                (hash, entry)
            }));
        }
        for (hash, _) in &hashes {
            let (word, bit) = table.bit(*hash);
            if let Some(slot) = table.bits.get_mut(word) {
                *slot |= bit;
            }
            let list = table.list(*hash);
            if let Some(slot) = table.starts.get_mut(list + 1) {
                *slot += 1;
            }
        }
        let mut sum = 0;
        for start in &mut table.starts {
            sum += *start;
            *start = sum;
        }
        let mut next = table.starts.clone();
        table.entries = vec![Entry::default(); hashes.len()];
        for (hash, entry) in hashes {
            if let Some(slot) = next.get_mut(table.list(hash)) {
                if let Some(place) = table.entries.get_mut(*slot as usize) {
                    *place = entry;
                }
                *slot += 1;
            }
        }
        table
    }

    fn bit(&self, hash: u64) -> (usize, u64) {
        let bit = hash >> self.bits_shift;
        (usize::try_from(bit >> 6).unwrap_or(0), 1 << (bit & 63))
    }

    fn list(&self, hash: u64) -> usize {
        usize::try_from(hash >> self.starts_shift).unwrap_or(0)
    }

    fn may_hold(&self, hash: u64) -> bool {
        let (word, bit) = self.bit(hash);
        self.bits.get(word).is_some_and(|word| word & bit != 0)
    }

    fn entries(&self, hash: u64) -> &[Entry] {
        let list = self.list(hash);
        let (Some(&start), Some(&end)) = (self.starts.get(list), self.starts.get(list + 1)) else {
            return &[];
        };
        self.entries
            .get(start as usize..end as usize)
            .unwrap_or(&[])
    }
}

// How many strings of one quote stand in the key with about the same shift.
struct Bands {
    counts: Vec<u16>,
    width_log: u32,
    offset: usize,
}

impl Bands {
    fn new(quote: Wanted<'_>, key_len: usize) -> Self {
        let width_log = quote.band_width().trailing_zeros();
        Self {
            counts: vec![0; ((key_len + quote.len) >> width_log) + 2],
            width_log,
            offset: quote.len,
        }
    }

    fn count(&mut self, in_key: usize, in_quote: usize) {
        let band = (in_key + self.offset - in_quote) >> self.width_log;
        if let Some(count) = self.counts.get_mut(band) {
            *count = count.saturating_add(1);
        }
    }

    fn stretches(&self, quote: Wanted<'_>, places: &Places) -> Stretches {
        let kept = quote.kept();
        let mut found: Stretches = Vec::new();
        for (band, pair) in self.counts.windows(2).enumerate() {
            let sum: usize = pair.iter().map(|&count| usize::from(count)).sum();
            if sum < kept {
                continue;
            }
            let first = (band << self.width_log).saturating_sub(self.offset + quote.bound);
            let last = ((band + 2) << self.width_log) + quote.bound;
            // A similar passage is at most the bound longer than the quote.
            let last = (last + quote.len + quote.bound).saturating_sub(self.offset);
            let (start, end) = (places.floor(first), places.ceiling(last));
            match found.last_mut() {
                // Passages of one distance this close together are weighed against each other.
                Some((_, before)) if start <= *before + 4 * quote.len => *before = end.max(*before),
                _ => found.push((start, end)),
            }
        }
        found
    }
}

// Byte offsets of the key's code points, every so many.
struct Places {
    len: usize,
    len_bytes: usize,
    // Empty when every code point is one byte.
    offsets: Vec<u32>,
}

const PLACE_STRIDE: usize = 64;

impl Places {
    fn new(key: &str) -> Self {
        if key.is_ascii() {
            return Self {
                len: key.len(),
                len_bytes: key.len(),
                offsets: Vec::new(),
            };
        }
        let mut len = 0;
        let mut offsets = Vec::new();
        for (at, _) in key.char_indices() {
            if len % PLACE_STRIDE == 0 {
                offsets.push(u32::try_from(at).unwrap_or(u32::MAX));
            }
            len += 1;
        }
        Self {
            len,
            len_bytes: key.len(),
            offsets,
        }
    }

    fn is_ascii(&self) -> bool {
        self.offsets.is_empty()
    }

    // A code point's byte offset or a little less.
    fn floor(&self, code_point: usize) -> usize {
        if self.is_ascii() {
            return code_point.min(self.len_bytes);
        }
        self.offsets
            .get(code_point / PLACE_STRIDE)
            .map_or(self.len_bytes, |&at| at as usize)
    }

    // A code point's byte offset or a little more.
    fn ceiling(&self, code_point: usize) -> usize {
        if self.is_ascii() {
            return code_point.min(self.len_bytes);
        }
        self.floor(code_point + PLACE_STRIDE - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::near::NearQuote;
    use proptest::prelude::*;

    #[test]
    fn most_of_a_text_is_passed_over() {
        // Words of letters that no other line has.
        let word = |number: u64| -> String {
            let letter = |shift: u32| {
                number
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(shift)
                    % 26
            };
            (1..8)
                .filter_map(|step| char::from_u32(97 + u32::try_from(letter(step * 9)).unwrap()))
                .collect()
        };
        let key: String = (0..10_000).map(|number| word(number) + " ").collect();
        let ready = |quote: &str| {
            let quote = NearQuote::new(quote).unwrap();
            stretches(&key, &[quote.wanted()], usize::MAX).remove(0)
        };
        assert_eq!(
            ready(
                &(20_000..20_012)
                    .map(|number| word(number) + " ")
                    .collect::<String>()
            ),
            Some(vec![])
        );
        let quote: String = (5000..5012)
            .filter(|number| *number != 5004)
            .map(|number| word(number) + " ")
            .collect();
        let found = ready(&quote).unwrap();
        let [(start, end)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert!(
            (30_000..=40_000).contains(start) && end - start < 400,
            "{start} {end}"
        );
        assert!(*start <= 5000 * 8 && 5012 * 8 <= *end);
    }

    #[test]
    fn a_text_that_repeats_itself_is_left_to_the_whole_search() {
        let key = "ab".repeat(1000);
        let quote = "ab".repeat(100);
        let ready = NearQuote::new(&quote).unwrap();
        assert_eq!(stretches(&key, &[ready.wanted()], 10_000), [None]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // What the whole search finds, the filter has not thrown away.
        #[test]
        fn the_whole_search_finds_no_more(
            before in "[a-eé漢 ]{0,150}", quote in "[a-eé漢 ]{5,100}", after in "[a-eé漢 ]{0,150}",
            edits in prop::collection::vec((0usize..100, "[a-eé漢]{0,3}"), 0..12),
        ) {
            let mut letters: Vec<char> = quote.chars().collect();
            for (at, by) in edits {
                if at < letters.len() {
                    letters.splice(at..=at, by.chars());
                }
            }
            let key = format!("{before}{}{after}", letters.into_iter().collect::<String>());
            let ready = NearQuote::new(&quote).unwrap();
            if let Some(stretches) = stretches(&key, &[ready.wanted()], usize::MAX).remove(0) {
                let whole = ready.search_whole(&key);
                let filtered = ready.search_stretches(&key, &stretches);
                match whole {
                    Some(whole) if whole.distance * 5 <= quote.chars().count() => prop_assert_eq!(filtered, Some(whole)),
                    Some(_) => prop_assert!(filtered.is_some()),
                    None => {}
                }
            }
        }
    }
}
