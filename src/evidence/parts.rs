//! The parts of a quote that stand in a source which does not hold the whole.
//!
//! In: folded keys of a source and of quotes. Out: for each quote its longest stretches of three
//! words or more that stand there word for word, or the place where only the letter case differs.
//! One pass over the source looks up every three words of it among those of the quotes.

use super::characters::{is_unspaced, is_word};
use super::difference::{first_words, last_words, shown};
use super::view::View;
use super::{Flag, Match, Part, Search, Stripped, negations};
use crate::position::Span;
use rustc_hash::FxHashMap;

/// Least words of a part.
const WORDS: usize = 3;

/// Places kept of three words that stand together; those of common words are of no use.
const PLACES_KEPT: usize = 16;

// Seeds of one quote that are tried for the whole quote in another letter case.
const TRIED_FOR_CASE: usize = 8;

/// A stretch of a quote's key that stands in the source's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Range in the quote's key.
    pub quote: (usize, usize),
    /// Range in the source's key.
    pub source: (usize, usize),
}

/// What stands of a quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// All of it, in another letter case, at this range of the source's key.
    OtherCase((usize, usize)),
    /// These stretches, in the order of the quote.
    Parts(Vec<Stretch>),
}

struct Word {
    start: usize,
    end: usize,
    hash: u64,
}

/// What stands of each of `quotes` in `source`, all of them folded keys.
pub(super) fn search(source: &str, quotes: &[&str]) -> Vec<Standing> {
    let words: Vec<Vec<Word>> = quotes.iter().map(|quote| words_of(quote)).collect();
    let mut places = Places::new(words.iter().map(Vec::len).sum());
    for words in &words {
        let size = words.len().min(WORDS);
        for gram in words.windows(size.max(1)) {
            places.want(size, gram_hash(gram.iter().map(|word| word.hash)));
        }
    }
    places.gather(source);
    quotes
        .iter()
        .zip(&words)
        .map(|(quote, words)| {
            let seeds: Vec<Seed<'_>> = words
                .windows(words.len().clamp(1, WORDS))
                .filter_map(|gram| {
                    let hash = gram_hash(gram.iter().map(|word| word.hash));
                    let slot = places.slots.get(&hash)?;
                    Some(Seed {
                        start: gram.first()?.start,
                        end: gram.last()?.end,
                        places: &slot.places,
                        is_common: slot.total > PLACES_KEPT,
                    })
                })
                .filter(|seed| !seed.places.is_empty())
                .collect();
            standing(source, quote, words.len(), &seeds)
        })
        .collect()
}

// Three words of a quote and where they stand in the source, whatever parts them.
struct Seed<'p> {
    start: usize,
    end: usize,
    places: &'p [u32],
    is_common: bool,
}

fn standing(source: &str, quote: &str, word_count: usize, seeds: &[Seed<'_>]) -> Standing {
    for seed in seeds.iter().take(TRIED_FOR_CASE) {
        for &place in seed.places {
            if let Some(range) = other_case(source, quote, seed.start, place as usize) {
                return Standing::OtherCase(range);
            }
        }
    }
    let mut found: Vec<Stretch> = Vec::new();
    if word_count < WORDS {
        return Standing::Parts(found);
    }
    for common in [false, true] {
        for seed in seeds.iter().filter(|seed| seed.is_common == common) {
            let is_covered =
                |stretch: &Stretch| seed.start < stretch.quote.1 && stretch.quote.0 < seed.end;
            if found.iter().rev().take(8).any(is_covered) || found.iter().any(is_covered) {
                continue;
            }
            let before = found
                .iter()
                .filter(|stretch| stretch.quote.1 <= seed.start)
                .max_by_key(|stretch| stretch.quote.1)
                .copied();
            let after = found
                .iter()
                .filter(|stretch| stretch.quote.0 >= seed.end)
                .map(|stretch| stretch.quote.0)
                .min();
            let limits = (
                before.map_or(0, |stretch| stretch.quote.1),
                after.unwrap_or(quote.len()),
            );
            let earlier = before.map_or(0, |stretch| stretch.source.1);
            let stretches = seed
                .places
                .iter()
                .filter_map(|&place| stretch_at(source, quote, seed, place as usize, limits));
            // The longest; of several the first behind the part before.
            let best = stretches.min_by_key(|stretch| {
                let len = stretch.quote.1 - stretch.quote.0;
                (
                    usize::MAX - len,
                    stretch.source.0 < earlier,
                    stretch.source.0,
                )
            });
            found.extend(best);
            if found.len() >= MOST_PARTS {
                break;
            }
        }
    }
    found.sort_by_key(|stretch| stretch.quote.0);
    Standing::Parts(found)
}

/// Most parts of one quote that are told.
const MOST_PARTS: usize = 64;

// The longest stretch around three words, within the quote's range `limits`.
fn stretch_at(
    source: &str,
    quote: &str,
    seed: &Seed<'_>,
    place: usize,
    limits: (usize, usize),
) -> Option<Stretch> {
    let middle = quote.get(seed.start..seed.end)?;
    if !source.get(place..)?.starts_with(middle) {
        return None;
    }
    let place_end = place + middle.len();
    let behind = (quote.get(seed.end..limits.1)?, source.get(place_end..)?);
    let same = |left: char, right: char| left == right;
    let mut right: usize = behind
        .0
        .chars()
        .zip(behind.1.chars())
        .take_while(|(left, right)| same(*left, *right))
        .map(|(left, _)| left.len_utf8())
        .sum();
    let before = (quote.get(limits.0..seed.start)?, source.get(..place)?);
    let mut left: usize = before
        .0
        .chars()
        .rev()
        .zip(before.1.chars().rev())
        .take_while(|(left, right)| same(*left, *right))
        .map(|(left, _)| left.len_utf8())
        .sum();
    // Back to where a word ends on both sides.
    while right > 0
        && (cuts(quote, seed.end + right)
            || cuts(source, place_end + right)
            || is_blank(quote, seed.end + right - 1))
    {
        right -= last_len(quote, seed.end + right);
    }
    while left > 0
        && (cuts(quote, seed.start - left)
            || cuts(source, place - left)
            || opens_badly(quote, seed.start - left))
    {
        left -= first_len(quote, seed.start - left);
    }
    Some(Stretch {
        quote: (seed.start - left, seed.end + right),
        source: (place - left, place_end + right),
    })
}

fn is_blank(text: &str, at: usize) -> bool {
    text.as_bytes().get(at) == Some(&b' ')
}

// Whether a part would begin with a blank or with what ends the words before.
fn opens_badly(text: &str, at: usize) -> bool {
    let closers = [b' ', b'.', b',', b';', b':', b'!', b'?', b')', b']'];
    text.as_bytes()
        .get(at)
        .is_some_and(|byte| closers.contains(byte))
}

fn last_len(text: &str, end: usize) -> usize {
    text.get(..end)
        .and_then(|text| text.chars().next_back())
        .map_or(1, char::len_utf8)
}

fn first_len(text: &str, start: usize) -> usize {
    text.get(start..)
        .and_then(|text| text.chars().next())
        .map_or(1, char::len_utf8)
}

// Whether a word goes on across `at`.
fn cuts(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(at..).and_then(|text| text.chars().next());
    before.is_some_and(|character| is_word(character) && !is_unspaced(character))
        && after.is_some_and(|character| is_word(character) && !is_unspaced(character))
}

/// Whether two texts are equal but for letter case.
pub(super) fn is_same_but_case(one: &str, other: &str) -> bool {
    one.chars()
        .flat_map(caseless)
        .eq(other.chars().flat_map(caseless))
}

/// The letters that a character is without its case: `ẞ` and `ß` are `ss`, a dotted capital I is `i`.
fn caseless(character: char) -> impl DoubleEndedIterator<Item = char> + Clone {
    let mut folded = ['\0'; 3];
    let mut len = 0;
    let mut push = |character: char| {
        if let Some(slot) = folded.get_mut(len) {
            *slot = character;
            len += 1;
        }
    };
    match character {
        'ß' | 'ẞ' => {
            push('s');
            push('s');
        }
        'ς' => push('σ'),
        'İ' => push('i'),
        _ => character.to_lowercase().for_each(&mut push),
    }
    folded.into_iter().take(len)
}

// The range of the source that is the quote but for case, when its byte `quote_at` stands at `place`.
fn other_case(source: &str, quote: &str, quote_at: usize, place: usize) -> Option<(usize, usize)> {
    let end = place + matched_len(source.get(place..)?.chars(), quote.get(quote_at..)?.chars())?;
    let start = place
        - matched_len(
            source.get(..place)?.chars().rev(),
            quote.get(..quote_at)?.chars().rev(),
        )?;
    (!cuts(source, start) && !cuts(source, end)).then_some((start, end))
}

// Bytes of `source` that are all of `quote` but for case; `None` when it is not all there. Characters
// that become several are compared by all of them, in the order of the iterator's characters.
fn matched_len(
    mut source: impl Iterator<Item = char>,
    quote: impl Iterator<Item = char>,
) -> Option<usize> {
    let mut len = 0;
    let mut rest: Vec<char> = Vec::new();
    for wanted in quote.flat_map(caseless) {
        if rest.is_empty() {
            let next = source.next()?;
            len += next.len_utf8();
            rest.extend(caseless(next));
            rest.reverse();
        }
        if rest.pop() != Some(wanted) {
            return None;
        }
    }
    rest.is_empty().then_some(len)
}

// Furthest that two parts of a quote may stand apart for what lies between to be told.
const LONGEST_BETWEEN_BYTES: usize = 4000;

impl Search<'_, '_, '_> {
    /// What stands of the quotes that are open still.
    pub(super) fn parts(&mut self) {
        let strip = self.source.has_numbers();
        let open: Vec<usize> = self.open();
        if open.is_empty() {
            return;
        }
        let view = &self.source.folded(strip).view;
        if view.key.is_empty() {
            return;
        }
        let quotes: Vec<&str> = open
            .iter()
            .filter_map(|&index| self.asked.get(index))
            .map(|asked| asked.form(true, false).key.as_str())
            .collect();
        let all = search(&view.key, &quotes);
        for (index, standing) in open.into_iter().zip(all) {
            let found = match standing {
                Standing::OtherCase(key) => self.other_case(index, view, key, strip),
                Standing::Parts(stretches) if stretches.is_empty() => None,
                Standing::Parts(stretches) => self.in_parts(index, view, &stretches, strip),
            };
            if let Some(found) = found {
                self.answer(index, found);
            }
        }
    }

    fn other_case(
        &self,
        index: usize,
        view: &View,
        key: (usize, usize),
        strip: bool,
    ) -> Option<Match> {
        let asked = self.asked.get(index)?;
        let span = view.original(key.0, key.1);
        let stripped = Stripped {
            source: strip,
            quote: false,
        };
        let words = self.words_of(asked, view, key, span, strip);
        Some(self.changed_match_of(asked, &words, span, stripped, false, 1))
    }

    fn in_parts(
        &self,
        index: usize,
        view: &View,
        stretches: &[Stretch],
        strip: bool,
    ) -> Option<Match> {
        let asked = self.asked.get(index)?;
        let form = asked.form(true, false);
        let parts: Vec<Part> = stretches
            .iter()
            .map(|stretch| {
                let quote = form.original(stretch.quote.0, stretch.quote.1);
                let source = view.original(stretch.source.0, stretch.source.1);
                let text = asked.text.get(quote.byte_start..quote.byte_end);
                Part {
                    quote: text.unwrap_or("").to_owned(),
                    at: self.source.place(source),
                }
            })
            .collect();
        let mut told = Vec::new();
        told.extend(self.lost_parts.get(index).cloned().flatten());
        let whole = |part: &Part| format!("`{}` (line {})", shown(&part.quote), part.at.start.line);
        told.push(if let [only] = parts.as_slice() {
            format!("only this part stands in the source: {}", whole(only))
        } else {
            let listed: Vec<String> = parts.iter().map(whole).collect();
            format!("it stands in {} parts: {}", parts.len(), listed.join(", "))
        });
        let (mut lost, mut gained) = (0, 0);
        let key = form.key.as_str();
        let between =
            |start: usize, end: usize| key.get(start..end).unwrap_or("").trim().to_owned();
        let head = between(0, stretches.first()?.quote.0);
        if !head.is_empty() {
            told.push(format!(
                "not in the source before the first part: `{}`",
                shown(&head)
            ));
        }
        for (pair, spoken) in stretches.windows(2).zip(parts.windows(2)) {
            let ([one, other], [before, after]) = (pair, spoken) else {
                continue;
            };
            let in_quote = between(one.quote.1, other.quote.0);
            let context = format!(
                "between `{}` and `{}`",
                shown(&last_words(&before.quote)),
                shown(&first_words(&after.quote))
            );
            let gap = Span {
                byte_start: before.at.span.byte_end,
                byte_end: after.at.span.byte_start.max(before.at.span.byte_end),
            };
            let follows = other.source.0 >= one.source.1
                && gap.byte_end - gap.byte_start <= LONGEST_BETWEEN_BYTES;
            if !follows {
                told.push(format!(
                    "{context}: they do not stand together in the source"
                ));
                gained += negations::count(&in_quote);
                continue;
            }
            let in_source = self.words(gap, strip).all();
            lost += negations::count(&in_source);
            gained += negations::count(&in_quote);
            let kind = kind_of(self.source.slice(gap), self.source.crosses_page(gap));
            let has = if in_source.is_empty() {
                "nothing".to_owned()
            } else {
                format!("`{}`", shown(&in_source))
            };
            told.push(if in_quote.is_empty() {
                format!("{context} the source has {has}{kind}")
            } else {
                format!(
                    "{context} the source has {has}{kind}, the quote has `{}`",
                    shown(&in_quote)
                )
            });
        }
        let tail = between(stretches.last()?.quote.1, key.len());
        if !tail.is_empty() {
            told.push(format!(
                "not in the source behind the last part: `{}`",
                shown(&tail)
            ));
        }
        let mut found = Match::absent(told.join("; "));
        found.parts = parts;
        if lost > gained {
            found.flag(Flag::OmitsNegation);
        }
        Some(found)
    }
}

// What kind of thing lies between two parts, where its form tells.
fn kind_of(gap: &str, crosses_page: bool) -> &'static str {
    let has_redaction =
        gap.contains(['█', '▇', '■']) || gap.to_ascii_lowercase().contains("[redact");
    if crosses_page {
        " (a page ends there)"
    } else if gap.contains("](") || gap.contains("://") {
        " (a link)"
    } else if has_redaction {
        " (a redaction)"
    } else {
        ""
    }
}

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

// Words that stand together, one to three, as a number.
fn gram_hash(words: impl Iterator<Item = u64>) -> u64 {
    words
        .fold(0u64, |hash, word| hash.rotate_left(21) ^ word)
        .wrapping_mul(FACTOR)
}

// Which words stand together in the quotes, and where they do in the source.
struct Places {
    bits: Vec<u64>,
    shift: u32,
    slots: FxHashMap<u64, Slot>,
    // Whether a quote has so many words, or as many as a part at least.
    sizes: [bool; WORDS],
}

#[derive(Default)]
struct Slot {
    total: usize,
    places: Vec<u32>,
}

impl Places {
    fn new(count: usize) -> Self {
        let width = (usize::BITS - count.leading_zeros() + 4).clamp(10, 24);
        Self {
            bits: vec![0; 1 << (width - 6)],
            shift: 64 - width,
            slots: FxHashMap::default(),
            sizes: [false; WORDS],
        }
    }

    fn bit(&self, hash: u64) -> (usize, u64) {
        let bit = hash >> self.shift;
        (usize::try_from(bit >> 6).unwrap_or(0), 1 << (bit & 63))
    }

    fn want(&mut self, size: usize, hash: u64) {
        if let Some(is_wanted) = size
            .checked_sub(1)
            .and_then(|size| self.sizes.get_mut(size))
        {
            *is_wanted = true;
        }
        let (word, bit) = self.bit(hash);
        if let Some(slot) = self.bits.get_mut(word) {
            *slot |= bit;
        }
        self.slots.entry(hash).or_default();
    }

    fn gather(&mut self, source: &str) {
        if self.slots.is_empty() {
            return;
        }
        let sizes = self.sizes;
        // The last words: start and hash.
        let mut last = [(0_usize, 0_u64); WORDS];
        let mut seen = 0_usize;
        each_word(source, |start, _, hash| {
            let [_, first, second] = last;
            last = [first, second, (start, hash)];
            seen += 1;
            for (size, _) in (1..).zip(sizes).filter(|(_, is_wanted)| *is_wanted) {
                if let Some(words) = last.get(WORDS - size..)
                    && seen >= size
                {
                    self.note(words);
                }
            }
        });
    }

    // Words of the source that stand together.
    fn note(&mut self, words: &[(usize, u64)]) {
        let gram = gram_hash(words.iter().map(|(_, hash)| *hash));
        let (word, bit) = self.bit(gram);
        if self.bits.get(word).is_some_and(|slot| slot & bit != 0)
            && let Some(slot) = self.slots.get_mut(&gram)
        {
            slot.total += 1;
            if slot.places.len() < PLACES_KEPT
                && let Some(place) = words
                    .first()
                    .and_then(|(start, _)| u32::try_from(*start).ok())
            {
                slot.places.push(place);
            }
        }
    }
}

fn words_of(key: &str) -> Vec<Word> {
    let mut words = Vec::new();
    each_word(key, |start, end, hash| {
        words.push(Word { start, end, hash });
    });
    words
}

// Every word of `key`: start, end, a hash without its case. Characters of scripts without spaces are
// words of their own.
fn each_word(key: &str, mut word: impl FnMut(usize, usize, u64)) {
    const SEED: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let mix = |hash: u64, code: u32| (hash ^ u64::from(code)).wrapping_mul(PRIME);
    let bytes = key.as_bytes();
    let mut open: Option<usize> = None;
    let mut hash = SEED;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                open.get_or_insert(at);
                hash = mix(hash, u32::from(byte | 0x20));
            } else if let Some(start) = open.take() {
                word(start, at, hash);
                hash = SEED;
            }
            at += 1;
            continue;
        }
        let Some(character) = key.get(at..).and_then(|rest| rest.chars().next()) else {
            break;
        };
        let next = at + character.len_utf8();
        let is_alone = is_unspaced(character);
        if is_alone || !is_word(character) {
            if let Some(start) = open.take() {
                word(start, at, hash);
                hash = SEED;
            }
            if is_alone && is_word(character) {
                word(at, next, mix(SEED, u32::from(character)));
            }
        } else {
            open.get_or_insert(at);
            for folded in caseless(character) {
                let code = u32::from(folded);
                hash = mix(hash, if folded.is_ascii() { code | 0x20 } else { code });
            }
        }
        at = next;
    }
    if let Some(start) = open {
        word(start, key.len(), hash);
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "tests slice text they know")]
mod tests {
    use super::*;

    fn parts<'q>(source: &str, quote: &'q str) -> Vec<&'q str> {
        match search(source, &[quote]).remove(0) {
            Standing::Parts(parts) => parts
                .into_iter()
                .map(|part| {
                    let text = &quote[part.quote.0..part.quote.1];
                    assert_eq!(&source[part.source.0..part.source.1], text);
                    text
                })
                .collect(),
            Standing::OtherCase(_) => vec!["case"],
        }
    }

    #[test]
    fn stretches_of_three_words() {
        for (source, quote, wanted) in [
            (
                "on 60 days' notice, provided that so. The Tenant may not assign.",
                "on 60 days' notice. The Tenant may not assign.",
                vec!["on 60 days' notice", "The Tenant may not assign."],
            ),
            ("a b c d", "x a b c y", vec!["a b c"]),
            ("a b, c d", "a b c d", vec![]),
            ("承租人不得转租", "承租人得转租", vec!["承租人", "得转租"]),
            ("the tenant shall", "THE TENANT SHALL", vec!["case"]),
            ("DIE GROẞE STRAẞE", "Die große Straße", vec!["case"]),
            ("DIE STRASSE", "die Straße", vec!["case"]),
            ("The Rent", "the rent", vec!["case"]),
            ("The Rents", "the rent", vec![]),
            ("İZMİR limanı", "izmir limanı", vec!["case"]),
        ] {
            assert_eq!(parts(source, quote), wanted, "{source} | {quote}");
        }
    }

    #[test]
    fn the_nearest_place_of_a_repeated_part_is_taken() {
        let source = "b c d e; a b c; x y z; b c d e";
        let found = search(source, &["x y z now b c d e"]).remove(0);
        let Standing::Parts(parts) = found else {
            panic!("{found:?}");
        };
        assert_eq!(parts[1].source.0, source.rfind("b c d e").unwrap());
    }
}
