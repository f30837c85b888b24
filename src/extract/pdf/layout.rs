//! Glyphs of a page put together to lines, in the order a person reads them.
//!
//! In: the glyphs in the order in which the file draws them, which is the reading order of nearly
//! every writer of PDF. Out: lines of pieces, a piece being text without a wide gap. Only where a
//! file draws two columns line by line are they told apart by their places and put one after the
//! other. Raised digits become superscript characters, so that no number grows by a footnote mark;
//! ligatures are written out and accents drawn beside their letter are joined with it.

use super::super::raised;
use super::glyphs::Glyph;
use crate::evidence::ligature;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::compose;

/// Text without a wide gap; `y` grows upwards.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub(super) x_start: f32,
    pub(super) x_end: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) turn: u8,
    pub(super) text: String,
    /// Whether the first glyph is a raised mark, as footnotes begin with one.
    pub(super) begins_raised: bool,
}

/// Pieces beside each other on one baseline, from left to right.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) pieces: Vec<Piece>,
}

impl Line {
    pub(super) fn y(&self) -> f32 {
        self.pieces.first().map_or(0.0, |piece| piece.y)
    }

    pub(super) fn turn(&self) -> u8 {
        self.pieces.first().map_or(0, |piece| piece.turn)
    }

    /// The size of most of its text.
    pub(super) fn size(&self) -> f32 {
        self.pieces
            .iter()
            .max_by_key(|piece| piece.text.len())
            .map_or(0.0, |piece| piece.size)
    }

    pub(super) fn x_start(&self) -> f32 {
        self.pieces
            .iter()
            .map(|piece| piece.x_start)
            .fold(f32::INFINITY, f32::min)
    }

    pub(super) fn x_end(&self) -> f32 {
        self.pieces
            .iter()
            .map(|piece| piece.x_end)
            .fold(f32::NEG_INFINITY, f32::max)
    }

    /// The text, pieces parted by a tab.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            if !out.is_empty() {
                out.push('\t');
            }
            out.push_str(&piece.text);
        }
        out
    }
}

/// A gap wider than this many font sizes ends a piece.
const WIDE_GAP: f32 = 1.3;
/// A gap wider than this part of the font size is a space, if the file has none there.
const SPACE_GAP: f32 = 0.3;
/// Letters smaller than this part of their line may be raised or lowered marks.
const MARK_SIZE: f32 = 0.85;

/// The lines of a page.
pub(super) fn lines(glyphs: &[Glyph]) -> Vec<Line> {
    let mut lines = lines_as_drawn(pieces(glyphs));
    // Most pages run from left to right; what is turned against that follows.
    let main = main_turn(&lines);
    lines.sort_by_key(|line| (line.turn() + 4 - main) % 4);
    let turned = lines
        .iter()
        .position(|line| line.turn() != main)
        .unwrap_or(lines.len());
    let rest = lines.split_off(turned);
    let mut out = if is_drawn_across_columns(&lines) {
        let mut out = Vec::new();
        write_block(rows(lines), MAX_COLUMN_DEPTH, &mut out);
        out
    } else {
        lines
    };
    out.extend(rest);
    out
}

fn main_turn(lines: &[Line]) -> u8 {
    let mut counts = [0_usize; 4];
    for line in lines {
        if let Some(count) = counts.get_mut(usize::from(line.turn())) {
            *count += line
                .pieces
                .iter()
                .map(|piece| piece.text.len())
                .sum::<usize>();
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    let turn = counts.iter().position(|count| *count == most).unwrap_or(0);
    u8::try_from(turn).unwrap_or(0)
}

/// A piece that is being put together.
struct Builder {
    pieces: Vec<Piece>,
    piece: Piece,
    has_space: bool,
    /// Where the last character of the piece was drawn, and whether it is an accent of its own.
    last: Option<(f32, f32, char)>,
}

fn pieces(glyphs: &[Glyph]) -> Vec<Piece> {
    let mut builder = Builder {
        pieces: Vec::new(),
        piece: Piece::default(),
        has_space: false,
        last: None,
    };
    for glyph in glyphs {
        if glyph.character.is_whitespace() {
            builder.has_space = true;
            continue;
        }
        builder.add(glyph);
    }
    builder.end();
    builder.pieces
}

impl Builder {
    fn add(&mut self, glyph: &Glyph) {
        let shift = if self.piece.text.is_empty() {
            Shift::Begin
        } else {
            shift_of(&self.piece, glyph)
        };
        let is_mark = match shift {
            Shift::Begin | Shift::Elsewhere => {
                if !self.piece.text.is_empty() {
                    self.end();
                }
                self.piece = Piece {
                    x_start: glyph.x_start,
                    x_end: glyph.x_end,
                    y: glyph.y,
                    size: glyph.size,
                    turn: glyph.turn,
                    text: String::new(),
                    begins_raised: false,
                };
                self.has_space = false;
                false
            }
            Shift::Same => false,
            Shift::Mark => true,
            Shift::BehindMark => {
                // The line began with its mark: the letters behind it say what its line is.
                self.piece.begins_raised = true;
                self.piece.text = self.piece.text.chars().map(raised).collect();
                self.piece.y = glyph.y;
                self.piece.size = glyph.size;
                false
            }
        };
        let gap = glyph.x_start - self.piece.x_end;
        let accented = self
            .last
            .and_then(|(start, end, last)| accent_joined(start, end, last, glyph));
        if let Some(letter) = accented {
            self.piece.text.pop();
            self.push(letter, glyph);
            return;
        }
        if (self.has_space || gap > SPACE_GAP * self.piece.size) && !self.piece.text.is_empty() {
            self.piece.text.push(' ');
        }
        self.has_space = false;
        let character = if is_mark {
            raised(glyph.character)
        } else {
            glyph.character
        };
        match ligature(character) {
            Some(letters) => {
                self.piece.text.push_str(letters);
                self.last = None;
                self.widen(glyph);
            }
            None => self.push(character, glyph),
        }
    }

    fn push(&mut self, character: char, glyph: &Glyph) {
        self.piece.text.push(character);
        self.last = Some((glyph.x_start, glyph.x_end, character));
        self.widen(glyph);
    }

    fn widen(&mut self, glyph: &Glyph) {
        self.piece.x_start = self.piece.x_start.min(glyph.x_start);
        self.piece.x_end = self.piece.x_end.max(glyph.x_end);
    }

    fn end(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        if !piece.text.is_empty() {
            self.pieces.push(piece);
        }
        self.has_space = false;
        self.last = None;
    }
}

enum Shift {
    Begin,
    /// On the baseline of the piece.
    Same,
    /// A raised or lowered mark of the piece.
    Mark,
    /// The piece so far is a mark before this letter.
    BehindMark,
    Elsewhere,
}

fn shift_of(piece: &Piece, glyph: &Glyph) -> Shift {
    let large = piece.size.max(glyph.size);
    let gap = glyph.x_start - piece.x_end;
    if piece.turn != glyph.turn || gap > WIDE_GAP * large || gap < -1.5 * large {
        return Shift::Elsewhere;
    }
    let rise = glyph.y - piece.y;
    if rise.abs() <= 0.12 * large {
        return Shift::Same;
    }
    if glyph.size <= MARK_SIZE * piece.size && (-0.4..0.75).contains(&(rise / piece.size)) {
        return Shift::Mark;
    }
    if piece.size <= MARK_SIZE * glyph.size
        && piece.text.chars().count() <= 4
        && (-0.75..0.0).contains(&(rise / glyph.size))
    {
        return Shift::BehindMark;
    }
    // A line that is not quite straight, or letters of another font.
    if rise.abs() <= 0.25 * large && gap.abs() < large {
        return Shift::Same;
    }
    Shift::Elsewhere
}

/// The letter with its accent, when one of the two is an accent drawn over the other.
fn accent_joined(start: f32, end: f32, last: char, glyph: &Glyph) -> Option<char> {
    let (accent, letter) = match (combining(last), combining(glyph.character)) {
        (Some(accent), None) => (accent, glyph.character),
        (None, Some(accent)) => (accent, last),
        (Some(_), Some(_)) | (None, None) => return None,
    };
    let letter = match letter {
        'ı' => 'i',
        'ȷ' => 'j',
        other => other,
    };
    let center = f32::midpoint(start, end);
    let is_over = center >= glyph.x_start && center <= glyph.x_end;
    if !is_over || !letter.is_alphabetic() {
        return None;
    }
    compose(letter, accent).or_else(|| {
        let mut both = [letter, accent].into_iter().nfc();
        both.next().filter(|_| both.next().is_none())
    })
}

fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '`' => '\u{300}',
        '´' => '\u{301}',
        'ˆ' | '^' => '\u{302}',
        '˜' => '\u{303}',
        '¯' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        '\u{300}'..='\u{36f}' => accent,
        _ => return None,
    })
}

/// Pieces that follow each other on one baseline, as lines.
fn lines_as_drawn(pieces: Vec<Piece>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line)
                if line.pieces.last().is_some_and(|last| {
                    last.turn == piece.turn
                        && is_one_baseline(last, &piece)
                        && piece.x_start >= last.x_end - 0.5 * last.size
                }) =>
            {
                line.pieces.push(piece);
            }
            Some(_) | None => lines.push(Line {
                pieces: vec![piece],
            }),
        }
    }
    lines
}

fn is_one_baseline(left: &Piece, right: &Piece) -> bool {
    // Half a line height keeps raised marks on their line.
    (left.y - right.y).abs() < 0.4 * left.size.min(right.size)
}

/// All pieces that share a baseline, wherever they were drawn, from left to right.
fn rows(lines: Vec<Line>) -> Vec<Line> {
    let mut pieces: Vec<Piece> = lines.into_iter().flat_map(|line| line.pieces).collect();
    pieces.sort_by(|left, right| right.y.total_cmp(&left.y));
    let mut rows: Vec<Line> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some(row)
                if row
                    .pieces
                    .first()
                    .is_some_and(|first| is_one_baseline(first, &piece)) =>
            {
                row.pieces.push(piece);
            }
            Some(_) | None => rows.push(Line {
                pieces: vec![piece],
            }),
        }
    }
    for row in &mut rows {
        row.pieces
            .sort_by(|left, right| left.x_start.total_cmp(&right.x_start));
    }
    rows
}

/// A column holds at least this many lines.
const MIN_COLUMN_LINES: usize = 3;
/// Columns within columns.
const MAX_COLUMN_DEPTH: usize = 5;
/// Strips across a page in which the gap between columns is looked for.
const STRIPS: usize = 200;

/// Whether lines of two columns were drawn in one go: left, right, left, right.
fn is_drawn_across_columns(lines: &[Line]) -> bool {
    let crossing: Vec<&Line> = lines.iter().filter(|line| line.pieces.len() > 1).collect();
    if crossing.len() < 2 {
        return false;
    }
    let mut blocks = Vec::new();
    find_gutters(rows(lines.to_vec()), MAX_COLUMN_DEPTH, &mut blocks);
    blocks.iter().any(|(gutter, top, bottom)| {
        let across = crossing.iter().filter(|line| {
            (*bottom..=*top).contains(&line.y())
                && line.pieces.iter().any(|piece| piece.x_end <= *gutter)
                && line.pieces.iter().any(|piece| piece.x_start >= *gutter)
        });
        across.count() >= 2
    })
}

/// Every gutter with the top and bottom of the block that it divides.
fn find_gutters(rows: Vec<Line>, depth: usize, out: &mut Vec<(f32, f32, f32)>) {
    if depth == 0 {
        return;
    }
    let Some(gutter) = gutter_of(&rows) else {
        return;
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut extent: Option<(f32, f32)> = None;
    for row in rows {
        if crosses(&row, gutter) {
            out.extend(extent.take().map(|(top, bottom)| (gutter, top, bottom)));
            find_gutters(std::mem::take(&mut left), depth - 1, out);
            find_gutters(std::mem::take(&mut right), depth - 1, out);
            continue;
        }
        extent = Some(extent.map_or((row.y(), row.y()), |(top, _)| (top, row.y())));
        split(row, gutter, &mut left, &mut right);
    }
    out.extend(extent.map(|(top, bottom)| (gutter, top, bottom)));
    find_gutters(left, depth - 1, out);
    find_gutters(right, depth - 1, out);
}

fn crosses(row: &Line, gutter: f32) -> bool {
    row.pieces
        .iter()
        .any(|piece| piece.x_start < gutter && piece.x_end > gutter)
}

fn split(row: Line, gutter: f32, left: &mut Vec<Line>, right: &mut Vec<Line>) {
    let (before, after): (Vec<Piece>, Vec<Piece>) = row
        .pieces
        .into_iter()
        .partition(|piece| piece.x_end <= gutter);
    if !before.is_empty() {
        left.push(Line { pieces: before });
    }
    if !after.is_empty() {
        right.push(Line { pieces: after });
    }
}

fn write_block(rows: Vec<Line>, depth: usize, out: &mut Vec<Line>) {
    let gutter = if depth == 0 { None } else { gutter_of(&rows) };
    let Some(gutter) = gutter else {
        out.extend(rows);
        return;
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for row in rows {
        if crosses(&row, gutter) {
            write_block(std::mem::take(&mut left), depth - 1, out);
            write_block(std::mem::take(&mut right), depth - 1, out);
            out.push(row);
            continue;
        }
        split(row, gutter, &mut left, &mut right);
    }
    write_block(left, depth - 1, out);
    write_block(right, depth - 1, out);
}

/// The x of the gap between two columns of running text: few lines cross it, and on both sides
/// stand several lines that fill their column, or one side is prose that runs on from line to line
/// (cells of a table do neither).
fn gutter_of(rows: &[Line]) -> Option<f32> {
    if rows.len() < MIN_COLUMN_LINES {
        return None;
    }
    let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
    for row in rows {
        left = left.min(row.x_start());
        right = right.max(row.x_end());
    }
    let width = right - left;
    if !width.is_finite() || width <= 0.0 {
        return None;
    }
    let strip_width = width / f32::from(u16::try_from(STRIPS).unwrap_or(u16::MAX));
    let edge = |strip: usize| left + f32::from(u16::try_from(strip).unwrap_or(0)) * strip_width;
    // Rows that cross each strip; a row counts once however many pieces it has.
    let mut crossing = [0_usize; STRIPS];
    for row in rows {
        for (strip, count) in crossing.iter_mut().enumerate() {
            let (start, end) = (edge(strip), edge(strip + 1));
            let is_covered = row
                .pieces
                .iter()
                .any(|piece| piece.x_start < end && piece.x_end > start);
            *count += usize::from(is_covered);
        }
    }
    let from = STRIPS / 5;
    let middle = crossing.get(from..STRIPS - from)?;
    let least = middle.iter().min().copied()?;
    if least * 4 > rows.len() {
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
    let gutter = f32::midpoint(edge(from + best.0), edge(from + best.1));
    let sides: [Vec<(f32, String)>; 2] = [true, false].map(|is_left| {
        rows.iter()
            .filter(|row| !crosses(row, gutter))
            .filter_map(|row| side(row, gutter, is_left))
            .collect()
    });
    let [left_side, right_side] = &sides;
    if left_side.len() < MIN_COLUMN_LINES || right_side.len() < MIN_COLUMN_LINES {
        return None;
    }
    let fills = |side: &[(f32, String)]| {
        let mut widths: Vec<f32> = side.iter().map(|(width, _)| *width).collect();
        widths.sort_by(f32::total_cmp);
        let (Some(median), Some(widest)) = (widths.get(widths.len() / 2), widths.last()) else {
            return false;
        };
        *widest >= 0.2 * width && *median >= 0.6 * *widest
    };
    let is_columns = (fills(left_side) && fills(right_side))
        || runs_on(left_side)
        || (runs_on(right_side) && fills(right_side) && fills(left_side));
    is_columns.then_some(gutter)
}

/// The width and text of what stands on one side of the gutter.
fn side(row: &Line, gutter: f32, is_left: bool) -> Option<(f32, String)> {
    let mut extent: Option<(f32, f32)> = None;
    let mut text = String::new();
    for piece in row
        .pieces
        .iter()
        .filter(|piece| (piece.x_end <= gutter) == is_left)
    {
        let (start, end) = extent.unwrap_or((piece.x_start, piece.x_end));
        extent = Some((start.min(piece.x_start), end.max(piece.x_end)));
        text.push_str(&piece.text);
        text.push(' ');
    }
    extent.map(|(start, end)| (end - start, text.trim_end().to_owned()))
}

/// Whether most lines go on in the next one.
fn runs_on(side: &[(f32, String)]) -> bool {
    let goes_on = side
        .windows(2)
        .filter(|pair| {
            let [(_, line), (_, next)] = pair else {
                return false;
            };
            line.contains(' ')
                && !line.ends_with(['.', ':', ';', '!', '?'])
                && next.starts_with(char::is_lowercase)
        })
        .count();
    goes_on >= 2 && goes_on * 2 >= side.len()
}
