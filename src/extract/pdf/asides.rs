//! Lines of a page that stand beside its running text: heads, feet, page numbers and footnotes.
//!
//! In: the lines of all pages. Out: for every line, whether a sentence that runs on over the page
//! end passes it by. A line counts as one by its place at the edge of the page together with what
//! it says: a number that grows by one from page to page, words that come again on another page, or
//! a gap between it and the text at the same height on most pages. Rows of a table that differ in
//! their numbers alone are content.

use super::layout::Line;
use std::collections::BTreeMap;

/// Lines of one baseline.
struct Row {
    y: f32,
    size: f32,
    text: String,
    pieces: Vec<String>,
    begins_raised: bool,
    /// Indices of its lines on the page.
    lines: Vec<usize>,
}

/// Rows at each edge that may be heads or feet.
const EDGE_ROWS: usize = 3;
/// Longest head, in characters.
const LONGEST_HEAD: usize = 160;
/// Heights on two pages that count as the same, in points.
const SAME_HEIGHT: f32 = 3.0;
/// Footnotes are set smaller than this part of the text.
const NOTE_SIZE: f32 = 0.93;
/// A gap this many times the usual one parts a head from the text.
const PARTING_GAP: f32 = 1.35;

/// For every line of every page, whether it stands beside the running text.
pub(super) fn find(pages: &[Vec<Line>]) -> Vec<Vec<bool>> {
    let rows: Vec<Vec<Row>> = pages.iter().map(|lines| rows_of(lines)).collect();
    let book = Book::of(&rows);
    rows.iter()
        .zip(pages)
        .enumerate()
        .map(|(index, (rows, lines))| {
            let mut beside = vec![false; lines.len()];
            for row in book.beside(index, rows) {
                for line in &row.lines {
                    if let Some(slot) = beside.get_mut(*line) {
                        *slot = true;
                    }
                }
            }
            beside
        })
        .collect()
}

fn rows_of(lines: &[Line]) -> Vec<Row> {
    let turn = lines.first().map_or(0, Line::turn);
    let mut order: Vec<(usize, &Line)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.turn() == turn)
        .collect();
    order.sort_by(|(_, left), (_, right)| right.y().total_cmp(&left.y()));
    let mut rows: Vec<Row> = Vec::new();
    for (index, line) in order {
        let pieces = || line.pieces.iter().map(|piece| piece.text.clone());
        let begins_raised = line.pieces.first().is_some_and(|piece| piece.begins_raised);
        match rows.last_mut() {
            Some(row) if (row.y - line.y()).abs() < 0.4 * row.size.min(line.size()) => {
                row.lines.push(index);
                row.pieces.extend(pieces());
                row.text.push('\t');
                row.text.push_str(&line.text());
                row.size = row.size.max(line.size());
            }
            Some(_) | None => rows.push(Row {
                y: line.y(),
                size: line.size(),
                text: line.text(),
                pieces: pieces().collect(),
                begins_raised,
                lines: vec![index],
            }),
        }
    }
    rows
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    Head,
    Foot,
}

/// What the pages have in common.
struct Book {
    page_count: usize,
    /// Size of most of the text.
    size: f32,
    /// Usual distance between two lines.
    leading: f32,
    /// What page numbers are more than the index of their page, Arabic and Roman.
    offsets: Vec<(bool, i64)>,
    /// On how many pages an edge has a row with these words.
    words: BTreeMap<(Edge, String), usize>,
    /// Heights of parted rows, per edge, of every page.
    heights: BTreeMap<Edge, Vec<f32>>,
}

impl Book {
    fn of(pages: &[Vec<Row>]) -> Self {
        let mut sizes: BTreeMap<u32, usize> = BTreeMap::new();
        let mut gaps: Vec<f32> = Vec::new();
        for row in pages.iter().flatten() {
            *sizes.entry(half_points(row.size)).or_default() += row.text.len();
        }
        for rows in pages {
            gaps.extend(rows.windows(2).filter_map(|pair| match pair {
                [upper, lower] => Some(upper.y - lower.y),
                _ => None,
            }));
        }
        gaps.sort_by(f32::total_cmp);
        let size = sizes
            .iter()
            .max_by_key(|(_, count)| **count)
            .map_or(0.0, |(half_points, _)| {
                f32::from(u16::try_from(*half_points).unwrap_or(0)) / 2.0
            });
        let page_count = pages.iter().filter(|rows| !rows.is_empty()).count();
        let mut book = Self {
            page_count,
            size,
            leading: gaps.get(gaps.len() / 2).copied().unwrap_or(0.0),
            offsets: offsets(pages, page_count),
            words: BTreeMap::new(),
            heights: BTreeMap::new(),
        };
        for (index, rows) in pages.iter().enumerate() {
            for edge in [Edge::Head, Edge::Foot] {
                let mut seen = Vec::new();
                for (at, row) in edge_rows(rows, edge).enumerate() {
                    let words = book.words_of(row, index);
                    if !words.is_empty() && !seen.contains(&words) {
                        seen.push(words);
                    }
                    if book.is_parted(rows, edge, at) {
                        book.heights.entry(edge).or_default().push(row.y);
                    }
                }
                for words in seen {
                    *book.words.entry((edge, words)).or_default() += 1;
                }
            }
        }
        book
    }

    /// The rows of a page that stand beside its text.
    fn beside<'r>(&self, index: usize, rows: &'r [Row]) -> Vec<&'r Row> {
        let mut out: Vec<&Row> = Vec::new();
        let mut left = rows.len();
        for edge in [Edge::Head, Edge::Foot] {
            let mut pending = Vec::new();
            for (at, row) in edge_rows(rows, edge)
                .enumerate()
                .take(left.saturating_sub(1))
            {
                pending.push(row);
                if self.is_head(index, rows, edge, at, row) {
                    // What stands between a head and the edge belongs to it.
                    left -= pending.len();
                    out.append(&mut pending);
                } else if pending.len() > 1 || !self.is_parted(rows, edge, at) {
                    break;
                }
            }
        }
        let lowest_of_text = rows
            .iter()
            .rev()
            .skip_while(|row| out.iter().any(|beside| std::ptr::eq(*beside, *row)));
        out.extend(self.notes(lowest_of_text, rows.len()));
        out
    }

    /// Footnotes: the lowest rows, set smaller than the text, the first of which begins with a mark.
    fn notes<'r>(
        &self,
        from_below: impl Iterator<Item = &'r Row>,
        row_count: usize,
    ) -> Vec<&'r Row> {
        let small: Vec<&Row> = from_below
            .take_while(|row| row.size < NOTE_SIZE * self.size)
            .collect();
        let first = small.iter().rposition(|row| begins_note(row));
        match first {
            // A page that is small throughout has no text above its notes.
            Some(first) if small.len() < row_count => small.into_iter().take(first + 1).collect(),
            Some(_) | None => Vec::new(),
        }
    }

    fn is_head(&self, index: usize, rows: &[Row], edge: Edge, at: usize, row: &Row) -> bool {
        if row.text.chars().count() > LONGEST_HEAD {
            return false;
        }
        if self.is_page_number(row, index) {
            return true;
        }
        let is_parted = self.is_parted(rows, edge, at);
        let is_numbered = row.pieces.iter().any(|piece| self.has_number(piece, index));
        if is_numbered && (is_parted || self.shares_height(edge, row.y)) {
            return true;
        }
        let words = self.words_of(row, index);
        let repeats = self.words.get(&(edge, words.clone())).copied().unwrap_or(0);
        let has_letters = words.chars().any(char::is_alphabetic);
        if has_letters
            && repeats >= 2
            && (is_parted || repeats >= 3 && repeats * 3 >= self.page_count)
        {
            return true;
        }
        is_parted && self.shares_height(edge, row.y)
    }

    /// Whether a gap parts the row from the text.
    fn is_parted(&self, rows: &[Row], edge: Edge, at: usize) -> bool {
        let pair = match edge {
            Edge::Head => (rows.get(at), rows.get(at + 1)),
            Edge::Foot => {
                let last = rows.len().checked_sub(at + 1);
                (
                    last.and_then(|last| last.checked_sub(1))
                        .and_then(|above| rows.get(above)),
                    last.and_then(|last| rows.get(last)),
                )
            }
        };
        let (Some(upper), Some(lower)) = pair else {
            return false;
        };
        upper.y - lower.y > PARTING_GAP * self.leading
    }

    /// Whether parted rows stand at this height on half of the pages (or of the even or odd ones).
    fn shares_height(&self, edge: Edge, y: f32) -> bool {
        let count = self.heights.get(&edge).map_or(0, |heights| {
            heights
                .iter()
                .filter(|height| (*height - y).abs() <= SAME_HEIGHT)
                .count()
        });
        count >= 3 && count * 5 >= self.page_count * 2
    }

    /// The words of a row without its page number.
    fn words_of(&self, row: &Row, index: usize) -> String {
        let mut words: Vec<&str> = row.text.split_whitespace().collect();
        if words.last().is_some_and(|word| self.is_number(word, index)) {
            words.pop();
        }
        if words
            .first()
            .is_some_and(|word| self.is_number(word, index))
        {
            words.remove(0);
        }
        words.join(" ").to_lowercase()
    }

    /// Whether a piece begins or ends with the number of its page.
    fn has_number(&self, piece: &str, index: usize) -> bool {
        let words = || piece.split_whitespace();
        words()
            .next()
            .is_some_and(|word| self.is_number(word, index))
            || words()
                .next_back()
                .is_some_and(|word| self.is_number(word, index))
    }

    fn is_number(&self, word: &str, index: usize) -> bool {
        numbers(word).iter().any(|(is_roman, value)| {
            self.offsets
                .contains(&(*is_roman, value - i64::try_from(index).unwrap_or(0)))
        })
    }

    /// Nothing but the number of the page, as in `- 3 -` or `Page 3 of 9`.
    fn is_page_number(&self, row: &Row, index: usize) -> bool {
        let mut has_number = false;
        for word in row.text.split_whitespace() {
            if self.is_number(word, index) {
                has_number = true;
                continue;
            }
            let bare = word
                .trim_matches(|character: char| !character.is_alphanumeric())
                .to_lowercase();
            let is_filler = bare.is_empty()
                || bare.parse::<u32>().is_ok()
                || matches!(
                    bare.as_str(),
                    "page"
                        | "of"
                        | "p"
                        | "pg"
                        | "seite"
                        | "von"
                        | "sur"
                        | "de"
                        | "página"
                        | "pagina"
                        | "di"
                        | "стр"
                );
            if !is_filler {
                return false;
            }
        }
        has_number
    }
}

fn half_points(size: f32) -> u32 {
    // Sizes are positive and far below the limit.
    (0..2_000_u32)
        .find(|&half| f32::from(u16::try_from(half).unwrap_or(u16::MAX)) + 0.5 > size * 2.0)
        .unwrap_or(0)
}

fn edge_rows(rows: &[Row], edge: Edge) -> impl Iterator<Item = &Row> {
    (0..EDGE_ROWS.min(rows.len())).filter_map(move |at| match edge {
        Edge::Head => rows.get(at),
        Edge::Foot => rows.get(rows.len() - 1 - at),
    })
}

fn begins_note(row: &Row) -> bool {
    row.begins_raised
        || row.text.chars().next().is_some_and(|first| {
            first.is_numeric() || matches!(first, '*' | '†' | '‡' | '§' | '¶' | '∗')
        })
}

/// What page numbers are more than the index of their page: the differences that come again.
fn offsets(pages: &[Vec<Row>], page_count: usize) -> Vec<(bool, i64)> {
    let mut counts: BTreeMap<(bool, i64), usize> = BTreeMap::new();
    for (index, rows) in pages.iter().enumerate() {
        let mut seen: Vec<(bool, i64)> = Vec::new();
        for edge in [Edge::Head, Edge::Foot] {
            for row in edge_rows(rows, edge) {
                for piece in &row.pieces {
                    let words = || piece.split_whitespace();
                    for word in [words().next(), words().next_back()].into_iter().flatten() {
                        for (is_roman, value) in numbers(word) {
                            let offset = (is_roman, value - i64::try_from(index).unwrap_or(0));
                            if !seen.contains(&offset) {
                                seen.push(offset);
                            }
                        }
                    }
                }
            }
        }
        for offset in seen {
            *counts.entry(offset).or_default() += 1;
        }
    }
    let enough = match page_count {
        0..=2 => 2,
        3..=12 => 3.min(page_count - 1),
        _ => 4,
    };
    counts
        .into_iter()
        .filter(|(_, count)| *count >= enough)
        .map(|(offset, _)| offset)
        .collect()
}

/// The number that a word is, Arabic (also behind a chapter, `3-7`) or Roman.
fn numbers(word: &str) -> Vec<(bool, i64)> {
    let bare = word.trim_matches(|character: char| !character.is_alphanumeric());
    let mut out = Vec::new();
    if bare.len() <= 6
        && let Ok(value) = bare.parse::<i64>()
    {
        out.push((false, value));
    }
    if let Some(value) = roman(bare) {
        out.push((true, value));
    }
    out
}

fn roman(word: &str) -> Option<i64> {
    if word.is_empty() || word.len() > 8 {
        return None;
    }
    let mut sum = 0;
    let mut last = 0;
    for character in word.chars().rev() {
        let value = match character.to_ascii_lowercase() {
            'i' => 1,
            'v' => 5,
            'x' => 10,
            'l' => 50,
            'c' => 100,
            _ => return None,
        };
        if value < last {
            sum -= value;
        } else {
            sum += value;
            last = value;
        }
    }
    Some(sum)
}
