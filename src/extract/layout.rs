//! Reading order of placed text, and other readings of paged text.
//!
//! In: runs of text with their places on a page. Out: lines in the order a person reads them, one
//! column after the other where a page has columns. Also: the text without running heads and page
//! numbers, and with words divided at a line end joined again.

use std::collections::BTreeMap;

/// Text on one baseline without a wide gap; `y` grows upwards.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) x_start: f64,
    pub(super) x_end: f64,
    pub(super) y: f64,
    pub(super) size: f64,
    pub(super) text: String,
}

/// Strips across a page in which the gap between columns is looked for.
const STRIPS: usize = 200;
/// A column holds at least this many lines.
const MIN_COLUMN_LINES: usize = 3;
/// Columns within columns.
const MAX_COLUMN_DEPTH: usize = 5;

/// The text of a page.
pub(super) fn page_text(runs: Vec<Run>) -> String {
    let mut out = String::new();
    write_block(lines_of(runs), MAX_COLUMN_DEPTH, &mut out);
    out
}

/// Runs that share a baseline, from left to right.
type Line = Vec<Run>;

fn lines_of(mut runs: Vec<Run>) -> Vec<Line> {
    runs.sort_by(|a, b| b.y.total_cmp(&a.y));
    let mut lines: Vec<Line> = Vec::new();
    for run in runs {
        match lines.last_mut() {
            Some(line)
                if line.first().is_some_and(|first| {
                    // Half a line height keeps superscripts on their line.
                    (first.y - run.y).abs() < 0.5 * first.size.min(run.size)
                }) =>
            {
                line.push(run);
            }
            Some(_) | None => lines.push(vec![run]),
        }
    }
    for line in &mut lines {
        line.sort_by(|a, b| a.x_start.total_cmp(&b.x_start));
    }
    lines
}

fn write_block(lines: Vec<Line>, depth: usize, out: &mut String) {
    let gutter = if depth == 0 { None } else { gutter_of(&lines) };
    let Some(gutter) = gutter else {
        for line in lines {
            write_line(&line, out);
        }
        return;
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for line in lines {
        if line
            .iter()
            .any(|run| run.x_start < gutter && run.x_end > gutter)
        {
            write_block(std::mem::take(&mut left), depth - 1, out);
            write_block(std::mem::take(&mut right), depth - 1, out);
            write_line(&line, out);
            continue;
        }
        let (before, after): (Line, Line) = line.into_iter().partition(|run| run.x_end <= gutter);
        if !before.is_empty() {
            left.push(before);
        }
        if !after.is_empty() {
            right.push(after);
        }
    }
    write_block(left, depth - 1, out);
    write_block(right, depth - 1, out);
}

fn write_line(line: &[Run], out: &mut String) {
    let mut end: Option<f64> = None;
    for run in line {
        if let Some(end) = end
            && run.x_start - end > 0.15 * run.size
            && !out.ends_with(char::is_whitespace)
        {
            out.push(' ');
        }
        out.push_str(&run.text);
        end = Some(end.map_or(run.x_end, |end| end.max(run.x_end)));
    }
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

/// The x of the gap between two columns of running text: few lines cross it, and on both sides
/// stand several lines that fill their column (labels beside values do not).
fn gutter_of(lines: &[Line]) -> Option<f64> {
    if lines.len() < MIN_COLUMN_LINES {
        return None;
    }
    let (mut left, mut right) = (f64::INFINITY, f64::NEG_INFINITY);
    for run in lines.iter().flatten() {
        left = left.min(run.x_start);
        right = right.max(run.x_end);
    }
    let width = right - left;
    if !width.is_finite() || width <= 0.0 {
        return None;
    }
    let strip_width = width / f64::from(u16::try_from(STRIPS).unwrap_or(u16::MAX));
    let strip_of = |x: f64| -> usize {
        let strip = ((x - left) / strip_width).floor().clamp(0.0, 199.0);
        (0..STRIPS)
            .find(|&index| f64::from(u16::try_from(index).unwrap_or(0)) >= strip)
            .unwrap_or(0)
    };
    // Lines that cross each strip; a line counts once however many runs it has.
    let mut crossing = [0_usize; STRIPS];
    for line in lines {
        let mut covered = [false; STRIPS];
        for run in line {
            for strip in covered
                .get_mut(strip_of(run.x_start)..=strip_of(run.x_end))
                .into_iter()
                .flatten()
            {
                *strip = true;
            }
        }
        for (count, covered) in crossing.iter_mut().zip(covered) {
            *count += usize::from(covered);
        }
    }
    let from = STRIPS / 5;
    let middle = crossing.get(from..STRIPS - from)?;
    let least = middle.iter().min().copied()?;
    if least * 4 > lines.len() {
        return None;
    }
    // The widest stretch with the fewest crossings, its middle.
    let (mut best, mut start) = ((0, 0), None);
    for (index, count) in middle.iter().chain([&usize::MAX]).enumerate() {
        match (start, *count == least) {
            (None, true) => start = Some(index),
            (Some(begin), false) => {
                if index - begin > best.1 - best.0 {
                    best = (begin, index);
                }
                start = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    let center = f64::from(u16::try_from(from * 2 + best.0 + best.1).ok()?) / 2.0;
    let gutter = left + center * strip_width;
    let is_column = |side: &dyn Fn(&Run) -> bool| {
        let mut widths = Vec::new();
        for line in lines {
            if line
                .iter()
                .any(|run| run.x_start < gutter && run.x_end > gutter)
            {
                continue;
            }
            let mut extent: Option<(f64, f64)> = None;
            for run in line.iter().filter(|run| side(run)) {
                let (start, end) = extent.unwrap_or((run.x_start, run.x_end));
                extent = Some((start.min(run.x_start), end.max(run.x_end)));
            }
            widths.extend(extent.map(|(start, end)| end - start));
        }
        widths.sort_by(f64::total_cmp);
        let (Some(median), Some(widest)) = (widths.get(widths.len() / 2), widths.last()) else {
            return false;
        };
        widths.len() >= MIN_COLUMN_LINES && *widest >= 0.2 * width && *median >= 0.6 * *widest
    };
    (is_column(&|run| run.x_end <= gutter) && is_column(&|run| run.x_start >= gutter))
        .then_some(gutter)
}

/// Joins words divided by a hyphen at a line end: `agree-\nment` becomes `agreement`, or
/// `agree-ment` when the hyphen is kept, since an author's own hyphen may stand there.
pub(super) fn join_divided(text: &str, keep_hyphen: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['-', '\u{2010}', '\u{ad}']) {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let mut characters = after.chars();
        let hyphen = characters.next().unwrap_or('-');
        let tail = characters.as_str();
        let next = tail.trim_start();
        let gap = tail.get(..tail.len() - next.len()).unwrap_or_default();
        let divides = gap.contains(['\n', '\u{c}'])
            && out.chars().next_back().is_some_and(char::is_alphabetic)
            && next.chars().next().is_some_and(char::is_lowercase);
        if divides {
            if keep_hyphen && hyphen != '\u{ad}' {
                out.push(hyphen);
            }
            rest = next;
        } else {
            out.push(hyphen);
            rest = tail;
        }
    }
    out.push_str(rest);
    out
}

/// The pages joined without running heads, running feet and page numbers: lines among the first
/// or last two of a page that are a page number, or that stand there on half of the pages.
pub(super) fn without_running_heads(text: &str) -> String {
    let pages: Vec<Vec<&str>> = text
        .split('\u{c}')
        .map(|page| page.lines().collect())
        .collect();
    let mut seen: BTreeMap<(bool, String), usize> = BTreeMap::new();
    for page in &pages {
        let mut keys: Vec<(bool, String)> = edge_lines(page)
            .filter_map(|(foot, index)| Some((foot, edge_key(page.get(index)?))))
            .collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            *seen.entry(key).or_default() += 1;
        }
    }
    let page_count = pages
        .iter()
        .filter(|page| page.iter().any(|line| !line.trim().is_empty()))
        .count();
    let mut out = String::with_capacity(text.len());
    for page in &pages {
        let dropped: Vec<usize> = edge_lines(page)
            .filter(|(foot, index)| {
                let key = page
                    .get(*index)
                    .map(|line| edge_key(line))
                    .unwrap_or_default();
                is_page_number(&key)
                    || seen
                        .get(&(*foot, key))
                        .is_some_and(|count| *count >= 2 && count * 2 >= page_count)
            })
            .map(|(_, index)| index)
            .collect();
        for (index, line) in page.iter().enumerate() {
            if !dropped.contains(&index) {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

/// Index of the first two and last two lines with text, and whether each is at the foot.
fn edge_lines<'a>(page: &'a [&str]) -> impl Iterator<Item = (bool, usize)> + 'a {
    let filled = || {
        page.iter()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty())
    };
    filled()
        .take(2)
        .map(|(index, _)| (false, index))
        .chain(filled().rev().take(2).map(|(index, _)| (true, index)))
}

/// The line with every number as `#`, so that a running head with a page number repeats.
fn edge_key(line: &str) -> String {
    let mut key = String::new();
    for character in line.trim().chars() {
        if !character.is_ascii_digit() {
            key.extend(character.to_lowercase());
        } else if !key.ends_with('#') {
            key.push('#');
        }
    }
    key
}

fn is_page_number(key: &str) -> bool {
    matches!(
        key.trim_matches(
            |c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '[' | ']' | '(' | ')')
        ),
        "#" | "page #"
            | "page # of #"
            | "# of #"
            | "#/#"
            | "# / #"
            | "p. #"
            | "seite #"
            | "seite # von #"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(x: f64, y: f64, text: &str) -> Run {
        let length = f64::from(u16::try_from(text.chars().count()).unwrap());
        Run {
            x_start: x,
            x_end: x + length * 5.0,
            y,
            size: 10.0,
            text: text.into(),
        }
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let mut runs = vec![run(
            72.0,
            700.0,
            "A heading that runs across both of the columns of the page",
        )];
        for (index, (left, right)) in [
            ("the left column begins here", "the right column begins now"),
            ("and goes on for some lines", "and goes on beside the left"),
            ("until it ends at this word", "until it ends at that place"),
        ]
        .into_iter()
        .enumerate()
        {
            let y = 680.0 - 12.0 * f64::from(u8::try_from(index).unwrap());
            runs.push(run(72.0, y, left));
            runs.push(run(230.0, y, right));
        }
        assert_eq!(
            page_text(runs),
            "A heading that runs across both of the columns of the page\n\
             the left column begins here\nand goes on for some lines\nuntil it ends at this word\n\
             the right column begins now\nand goes on beside the left\nuntil it ends at that place\n"
        );
    }

    #[test]
    fn labels_stay_beside_their_text() {
        let mut runs = Vec::new();
        for (index, label) in ["(a)", "(b)", "(c)", "(d)"].into_iter().enumerate() {
            let y = 680.0 - 12.0 * f64::from(u8::try_from(index).unwrap());
            runs.push(run(100.0, y, "the Company shall not assign this Agreement"));
            runs.push(run(72.0, y, label));
        }
        assert!(
            page_text(runs).starts_with("(a) the Company shall not assign this Agreement\n(b) the")
        );
    }

    #[test]
    fn divided_words_join() {
        assert_eq!(
            join_divided("agree-\nment non-\u{c}compete A-\nB 5-\n6 x-y-", false),
            "agreement noncompete A-\nB 5-\n6 x-y-"
        );
        assert_eq!(
            join_divided("non-\n  compete so\u{ad}\nft", true),
            "non-compete soft"
        );
    }

    #[test]
    fn running_heads_go() {
        let text = "Lease 2024\nOne sentence\nPage 1 of 2\u{c}Lease 2024\n\nruns on.\n- 2 -\n\u{c}";
        assert_eq!(without_running_heads(text), "One sentence\n\nruns on.\n");
        let single = "Title\nbody\nend\n";
        assert_eq!(without_running_heads(single), single);
    }
}
