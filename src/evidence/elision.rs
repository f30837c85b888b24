//! Quotes that leave words out: fragments around an ellipsis, in order, close together.
//!
//! In: the folded key of a quote and a view of the source. Out: the key ranges of the fragments.
//! The rarest fragment anchors the search; the others are looked for on both sides of it.

use super::exact::Hits;
use super::view::View;
use crate::position::count_code_points;
use memchr::memmem;

/// Most code points of the source between two fragments.
pub(super) const LONGEST_GAP: usize = 500;

const ANCHORS_TRIED: usize = 64;
const STEPS_KEPT: usize = 64;

// Places weighed for one quote, in all its layers together, and bytes searched that count as one;
// only a quote of many fragments that each stand everywhere uses them up.
const PLACES_WEIGHED: usize = 4096;
const BYTES_PER_PLACE: usize = 64;

/// The fragments of a folded quote, when it holds an ellipsis: `...` (three dots or more, also with
/// spaces between) alone or in square brackets. Empty when nothing but ellipses is there.
pub(super) fn fragments(key: &str) -> Option<Vec<&str>> {
    let bytes = key.as_bytes();
    let mut found = Vec::new();
    let mut from = 0;
    let mut any = false;
    while let Some((start, end)) = next_ellipsis(bytes, from) {
        any = true;
        found.extend(key.get(from..start));
        from = end;
    }
    found.extend(key.get(from..));
    any.then(|| {
        found
            .into_iter()
            .map(|part| part.trim_matches(' '))
            .filter(|part| !part.is_empty())
            .collect()
    })
}

fn next_ellipsis(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        at += memchr::memchr(b'.', bytes.get(at..)?)?;
        let mut end = at + 1;
        let mut dots = 1;
        loop {
            match bytes.get(end..)? {
                [b'.', ..] => end += 1,
                [b' ', b'.', ..] => end += 2,
                _ => break,
            }
            dots += 1;
        }
        if dots < 3 {
            at = end;
            continue;
        }
        let mut start = at;
        let blank_before = usize::from(start > from && bytes.get(start - 1) == Some(&b' '));
        let blank_after = usize::from(bytes.get(end) == Some(&b' '));
        let open = (start - blank_before)
            .checked_sub(1)
            .filter(|&open| open >= from);
        let is_open = open.is_some_and(|open| bytes.get(open) == Some(&b'['));
        if is_open && bytes.get(end + blank_after) == Some(&b']') {
            start = open.unwrap_or(start);
            end += blank_after + 1;
        }
        return Some((start, end));
    }
}

/// The fragments of one quote in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    /// Key ranges, in the order of the quote.
    pub parts: Vec<(usize, usize)>,
    /// How many such chains there are, none sharing a place with the one before.
    pub total: usize,
}

/// Finds the fragments in order; `hits` holds each fragment's places in the view's key.
pub(super) fn find(source: &str, view: &View, fragments: &[&str], hits: &[&Hits]) -> Option<Chain> {
    let anchor =
        (0..fragments.len()).min_by_key(|&index| hits.get(index).map_or(0, |hits| hits.total))?;
    let anchor_text = fragments.get(anchor)?;
    let mut chain: Option<Chain> = None;
    let mut budget = PLACES_WEIGHED;
    for &place in hits.get(anchor)?.places.iter().take(ANCHORS_TRIED) {
        let Some(parts) = around(
            source,
            view,
            fragments,
            anchor,
            (place, place + anchor_text.len()),
            &mut budget,
        ) else {
            if budget == 0 {
                break;
            }
            continue;
        };
        match chain.as_mut() {
            None => chain = Some(Chain { parts, total: 1 }),
            Some(chain) => {
                let last_end = chain.parts.last().map_or(0, |part| part.1);
                if chain.total == 1 && parts.first().is_some_and(|part| part.0 >= last_end)
                    || chain.total > 1
                {
                    chain.total += 1;
                }
            }
        }
    }
    chain
}

fn around(
    source: &str,
    view: &View,
    fragments: &[&str],
    anchor: usize,
    place: (usize, usize),
    budget: &mut usize,
) -> Option<Vec<(usize, usize)>> {
    let mut parts = side(
        source,
        view,
        fragments.get(..anchor)?.iter().rev(),
        place,
        false,
        budget,
    )?;
    parts.reverse();
    parts.push(place);
    parts.extend(side(
        source,
        view,
        fragments.get(anchor + 1..)?.iter(),
        place,
        true,
        budget,
    )?);
    Some(parts)
}

// One step towards the end of the quote (or its beginning): a range, and the step it came from.
#[derive(Clone, Copy)]
struct Step {
    range: (usize, usize),
    from: usize,
}

// The fragments on one side of a place, nearest first.
fn side<'f>(
    source: &str,
    view: &View,
    fragments: impl Iterator<Item = &'f &'f str>,
    place: (usize, usize),
    forwards: bool,
    budget: &mut usize,
) -> Option<Vec<(usize, usize)>> {
    let mut layers: Vec<Vec<Step>> = vec![vec![Step {
        range: place,
        from: 0,
    }]];
    for fragment in fragments {
        let layer = next_layer(source, view, fragment, layers.last()?, forwards, budget);
        if layer.is_empty() {
            return None;
        }
        layers.push(layer);
    }
    let mut found = Vec::new();
    let mut index = 0;
    for layer in layers.iter().skip(1).rev() {
        let step = layer.get(index)?;
        found.push(step.range);
        index = step.from;
    }
    found.reverse();
    Some(found)
}

// Places of `fragment` within the gap of some step, nearest first, each with its nearest step.
fn next_layer(
    source: &str,
    view: &View,
    fragment: &str,
    steps: &[Step],
    forwards: bool,
    budget: &mut usize,
) -> Vec<Step> {
    // A folded key is rarely longer than its text; four bytes a code point cover the gap.
    const REACH: usize = 4 * LONGEST_GAP;
    let mut layer = Vec::new();
    let key = view.key.as_bytes();
    let reach = REACH + fragment.len();
    // Steps stand in the order in which the places are met: ascending, or descending backwards.
    let (Some(nearest), Some(furthest)) = (steps.first(), steps.last()) else {
        return layer;
    };
    let (start, end) = if forwards {
        let end = furthest.range.1.saturating_add(reach);
        (nearest.range.1, end.min(key.len()))
    } else {
        let start = furthest.range.0.saturating_sub(reach);
        (start, nearest.range.0)
    };
    let window = key.get(start..end).unwrap_or(&[]);
    *budget = budget.saturating_sub(window.len() / BYTES_PER_PLACE);
    let gap_to = |range: (usize, usize), step: &Step| {
        if forwards {
            (step.range.1, range.0)
        } else {
            (range.1, step.range.0)
        }
    };
    let mut from = 0;
    let mut consider = |at: usize| {
        let range = (start + at, start + at + fragment.len());
        // The nearest step leaves the least out; when it is too far, all are.
        while steps.get(from + 1).is_some_and(|next| {
            let gap = gap_to(range, next);
            gap.0 <= gap.1
        }) {
            from += 1;
        }
        let fits = steps.get(from).is_some_and(|step| {
            let gap = gap_to(range, step);
            gap.0 <= gap.1 && gap_len(source, view, gap) <= LONGEST_GAP
        });
        if fits {
            layer.push(Step { range, from });
        }
        *budget = budget.saturating_sub(1);
        layer.len() < STEPS_KEPT && *budget > 0
    };
    if forwards {
        for at in memmem::find_iter(window, fragment) {
            if !consider(at) {
                break;
            }
        }
    } else {
        // Searching forwards is many times faster than backwards; overlapping places count, as the
        // nearest may overlap one before it.
        let finder = memmem::Finder::new(fragment);
        let mut places = Vec::new();
        let mut from = 0;
        while let Some(next) = window.get(from..).and_then(|rest| finder.find(rest)) {
            places.push(from + next);
            from += next + 1;
        }
        for at in places.into_iter().rev() {
            if !consider(at) {
                break;
            }
        }
    }
    layer
}

// Code points of the source between two key ranges.
fn gap_len(source: &str, view: &View, gap: (usize, usize)) -> usize {
    let start = view.original(gap.0.saturating_sub(1), gap.0).byte_end;
    let end = view.original_start(gap.1);
    // Beyond this many bytes the gap is too long whatever the characters are.
    if end.saturating_sub(start) > 4 * LONGEST_GAP {
        return usize::MAX;
    }
    source
        .as_bytes()
        .get(start..end)
        .map_or(0, count_code_points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_the_ellipsis() {
        for (key, wanted) in [
            ("a ... b", Some(vec!["a", "b"])),
            ("a [...] b [ ... ] c", Some(vec!["a", "b", "c"])),
            ("...a b....", Some(vec!["a b"])),
            ("a . . . b", Some(vec!["a", "b"])),
            ("a.. b. c", None),
            ("[...]", Some(vec![])),
            ("a [b... c]", Some(vec!["a [b", "c]"])),
        ] {
            assert_eq!(fragments(key), wanted, "{key}");
        }
    }
}
