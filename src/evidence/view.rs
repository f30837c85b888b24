//! Normalised views of a text, with the way back to the original bytes.
//!
//! In: a text and a [`Mode`]. Out: a [`View`]: the normalised text (its key) and, for every
//! range of the key, the range of original bytes it came from. Reflow collapses white space;
//! folding adds typographic equality; markup drops Markdown marks. Searching is `exact`'s work.

use super::characters::{
    fold, fold_ellipsis, is_dash, is_hyphen, is_invisible, is_line_end, is_mark, is_space,
    is_stable, is_unspaced, is_word, starts_segment,
};
use super::flags::tag_end;
use crate::position::Span;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

/// What a view ignores. White space is always reflowed.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches, all named where they are set"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mode {
    /// Drop a line-number prefix (digits, a colon, white space) at the start of every line.
    pub strip_prefixes: bool,
    /// A line-number prefix needs no white space behind its colon, as the recorded scripts have it.
    pub recorded: bool,
    /// Fold typographic variants.
    pub fold: bool,
    /// Drop Markdown emphasis and table marks; only with `fold`.
    pub markup: bool,
    /// The text begins in the middle of a line, so its first line has no prefix.
    pub mid_line: bool,
}

/// A line-number prefix that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    /// Where in the key the rest of the line begins.
    pub key_at: usize,
    /// The digits, in the original.
    pub digits: Span,
}

/// How a place in a hyphen-free key was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JointKind {
    /// A hyphen inside a word.
    Hyphen,
    /// A word divided at a line end: with or without a hyphen of its own.
    Divided,
    /// A hyphen and a space, as a reflowed copy of a divided word has it.
    Spaced,
}

/// A place in a hyphen-free key where the text had a hyphen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Joint {
    /// Offset in the key.
    pub key_at: usize,
    /// How it was written.
    pub kind: JointKind,
}

/// One stretch of the key and its original bytes.
#[derive(Clone, Copy, Debug)]
struct Piece {
    key_start: u32,
    start: u32,
    // Length of the original, or LINEAR for a stretch copied byte by byte.
    len: u32,
}

const LINEAR: u32 = u32::MAX;

/// Longest text that can be viewed; offsets are kept in 32 bits and NFKC can grow a text elevenfold.
pub(super) const LONGEST_TEXT_BYTES: usize = 256 * 1024 * 1024;

/// A normalised text with the way back.
#[derive(Debug, Default)]
pub(super) struct View {
    /// The normalised text.
    pub key: String,
    /// Dropped line-number prefixes, in order.
    pub prefixes: Vec<Prefix>,
    /// Key offsets at which a divided word was joined and its hyphen dropped, in order.
    pub divided: Vec<usize>,
    pieces: Vec<Piece>,
}

impl View {
    /// The view of `text` under `mode`.
    pub(super) fn new(text: &str, mode: Mode) -> Self {
        let mut builder = Builder::new(text, mode);
        builder.run();
        builder.view
    }

    /// The original bytes of the key range `key_start..key_end` (not empty).
    pub(super) fn original(&self, key_start: usize, key_end: usize) -> Span {
        Span {
            byte_start: self.original_start(key_start),
            byte_end: self.original_end(key_end.max(key_start + 1)),
        }
    }

    /// Where in the original the key byte at `key_at` comes from.
    pub(super) fn original_start(&self, key_at: usize) -> usize {
        self.piece_at(key_at).map_or(0, |piece| {
            if piece.len == LINEAR {
                piece.start as usize + (key_at - piece.key_start as usize)
            } else {
                piece.start as usize
            }
        })
    }

    // One past the original of the key byte before `key_end`.
    fn original_end(&self, key_end: usize) -> usize {
        self.piece_at(key_end.saturating_sub(1)).map_or(0, |piece| {
            if piece.len == LINEAR {
                piece.start as usize + (key_end - piece.key_start as usize)
            } else {
                piece.start as usize + piece.len as usize
            }
        })
    }

    /// Where in the key the original byte at `at` went, or what stands behind it when it was dropped.
    pub(super) fn key_at(&self, at: usize) -> usize {
        let after = self
            .pieces
            .partition_point(|piece| piece.start as usize <= at);
        let next = self
            .pieces
            .get(after)
            .map_or(self.key.len(), |piece| piece.key_start as usize);
        let Some(piece) = after.checked_sub(1).and_then(|last| self.pieces.get(last)) else {
            return 0;
        };
        let into = at - piece.start as usize;
        if piece.len == LINEAR || into == 0 {
            return (piece.key_start as usize + into).min(next);
        }
        next
    }

    /// Whether the key byte at `key_at` is not the first of what its original became, such as the
    /// `i` of a ligature.
    pub(super) fn is_inside(&self, key_at: usize) -> bool {
        self.piece_at(key_at)
            .is_some_and(|piece| piece.len != LINEAR && piece.key_start as usize != key_at)
    }

    fn piece_at(&self, key_at: usize) -> Option<&Piece> {
        let after = self
            .pieces
            .partition_point(|piece| piece.key_start as usize <= key_at);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// This view's key without the hyphens inside words, the joints they leave, and a view
    /// whose "original" is this view's key.
    pub(super) fn without_hyphens(&self) -> (View, Vec<Joint>) {
        let key = self.key.as_str();
        let mut view = View::default();
        let mut joints = Vec::new();
        let mut divided = self.divided.iter().copied().peekable();
        let mut copied = 0;
        let mut hyphens = memchr::memchr_iter(b'-', key.as_bytes()).peekable();
        loop {
            let hyphen = hyphens.peek().copied();
            let division = divided.peek().copied();
            let division_first = match (division, hyphen) {
                (Some(division), Some(hyphen)) => division <= hyphen,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            if division_first {
                divided.next();
                let at = division.unwrap_or(0);
                view.copy(key, copied, at);
                copied = at;
                joints.push(Joint {
                    key_at: view.key.len(),
                    kind: JointKind::Divided,
                });
                continue;
            }
            hyphens.next();
            let at = hyphen.unwrap_or(0);
            let Some((skipped, kind)) = joint_at(key, at) else {
                continue;
            };
            view.copy(key, copied, at);
            copied = at + skipped;
            joints.push(Joint {
                key_at: view.key.len(),
                kind,
            });
        }
        view.copy(key, copied, key.len());
        (view, joints)
    }

    /// Appends the bytes `start..end` of `text`, the original.
    pub(super) fn copy(&mut self, text: &str, start: usize, end: usize) {
        if let Some(part) = text.get(start..end).filter(|part| !part.is_empty()) {
            self.pieces.push(Piece {
                key_start: to_u32(self.key.len()),
                start: to_u32(start),
                len: LINEAR,
            });
            self.key.push_str(part);
        }
    }
}

// The hyphen at `at` in a folded key, when it joins two word characters: bytes it takes, and its kind.
fn joint_at(key: &str, at: usize) -> Option<(usize, JointKind)> {
    let before = key.get(..at)?.chars().next_back()?;
    let mut after = key.get(at + 1..)?.chars();
    let next = after.next()?;
    if !is_word(before) {
        return None;
    }
    if is_word(next) {
        return Some((1, JointKind::Hyphen));
    }
    (next == ' ' && after.next().is_some_and(is_word)).then_some((2, JointKind::Spaced))
}

// Offsets fit: callers refuse texts above `LONGEST_TEXT_BYTES`.
fn to_u32(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(LINEAR - 1)
}

// Goes on from `at` by eight bytes at a time while they are printable ASCII other than a hyphen, with
// no two spaces together and none at the end.
fn skip_letters(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGH: u64 = ONES << 7;
    // High bits of the bytes that are zero; a byte above a zero one may be counted too.
    let zeros = |value: u64| value.wrapping_sub(ONES) & !value & HIGH;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let value = u64::from_le_bytes(*chunk);
        let spaces = zeros(value ^ (ONES * 0x20));
        let controls = value.wrapping_sub(ONES * 0x20) & !value & HIGH;
        let hyphens = zeros(value ^ (ONES * 0x2d));
        if (value & HIGH) | controls | hyphens | (spaces & spaces << 8) != 0 {
            break;
        }
        if spaces >> 63 == 1 {
            return at + 7;
        }
        at += 8;
    }
    at
}

/// The line-number prefix that starts at `at`, the beginning of a line: its digits and where the
/// rest of the line begins. White space or the line's end follows its colon, unless `recorded`.
pub(super) fn prefix_at(text: &str, at: usize, recorded: bool) -> Option<(Span, usize)> {
    let rest = text.get(at..)?;
    // Most lines begin with a letter.
    let first = *rest.as_bytes().first()?;
    if first.is_ascii() && !first.is_ascii_digit() && !is_space(char::from(first)) {
        return None;
    }
    let inside = |character: &char| *character != '\n' && is_space(*character);
    let blank: usize = rest.chars().take_while(inside).map(char::len_utf8).sum();
    let digits: usize = rest
        .get(blank..)?
        .chars()
        .take_while(|&character| {
            character.is_ascii_digit()
                || (!character.is_ascii()
                    && get_general_category(character) == GeneralCategory::DecimalNumber)
        })
        .map(char::len_utf8)
        .sum();
    let colon = blank + digits;
    if digits == 0 || rest.as_bytes().get(colon) != Some(&b':') {
        return None;
    }
    let behind: usize = rest
        .get(colon + 1..)?
        .chars()
        .take_while(inside)
        .map(char::len_utf8)
        .sum();
    let is_line_end = matches!(rest.as_bytes().get(colon + 1), None | Some(b'\n'));
    if !recorded && behind == 0 && !is_line_end {
        return None;
    }
    let span = Span {
        byte_start: at + blank,
        byte_end: at + colon,
    };
    Some((span, at + colon + 1 + behind))
}

/// Whether any line of `text` begins with a line-number prefix.
pub(super) fn has_prefix(text: &str, recorded: bool) -> bool {
    prefix_at(text, first_line_start(text), recorded).is_some()
        || memchr::memchr_iter(b'\n', text.as_bytes())
            .any(|end| prefix_at(text, end + 1, recorded).is_some())
}

// A byte order mark is no part of the first line.
fn first_line_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    }
}

// A run of white space that has not been written yet.
#[derive(Clone, Copy)]
struct Gap {
    start: usize,
    end: usize,
    line_end: bool,
}

struct Builder<'t> {
    text: &'t str,
    mode: Mode,
    view: View,
    gap: Option<Gap>,
    prefix: Option<Span>,
    // Key length right after a single hyphen, or where a soft hyphen was dropped.
    hyphen: Option<usize>,
    soft_hyphen: Option<usize>,
    // Bits of `MEANINGS` that stop a plain run.
    stops: u8,
}

const SPACE: u8 = 1;
const HYPHEN: u8 = 2;
const MARK: u8 = 4;
const NOT_ASCII: u8 = 8;

// What a byte may mean besides itself.
const MEANINGS: [u8; 256] = {
    let mut meanings = [NOT_ASCII; 256];
    let mut rest: &mut [u8] = &mut meanings;
    let mut byte = 0u8;
    while byte < 128
        && let Some((meaning, others)) = rest.split_first_mut()
    {
        *meaning = match byte {
            b'\t'..=b'\r' | 0x1c..=0x1f | b' ' => SPACE,
            b'-' => HYPHEN,
            b'*' | b'_' | b'~' | b'`' | b'|' | b'[' | b'!' | b']' | b'<' | b'&' => MARK,
            _ => 0,
        };
        rest = others;
        byte += 1;
    }
    meanings
};

impl<'t> Builder<'t> {
    fn new(text: &'t str, mode: Mode) -> Self {
        let mut stops = SPACE | NOT_ASCII;
        if mode.fold {
            stops |= HYPHEN;
        }
        if mode.markup {
            stops |= MARK;
        }
        let mut view = View::default();
        view.key.reserve(text.len());
        Self {
            text,
            mode,
            view,
            gap: None,
            prefix: None,
            hyphen: None,
            soft_hyphen: None,
            stops,
        }
    }

    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        let mut at = 0;
        if !self.mode.mid_line {
            let start = first_line_start(self.text);
            if !self.mode.fold && start > 0 {
                self.copy('\u{feff}', 0, start);
            }
            at = self.line_start(start);
        }
        while let Some(&byte) = bytes.get(at) {
            at = if self.is_plain(byte) {
                self.plain_run(at)
            } else {
                let Some(character) = self.text.get(at..).and_then(|rest| rest.chars().next())
                else {
                    break;
                };
                self.character(character, at)
            };
        }
    }

    fn is_plain(&self, byte: u8) -> bool {
        MEANINGS
            .get(usize::from(byte))
            .is_some_and(|meaning| meaning & self.stops == 0)
    }

    // Copies ASCII that stands for itself, single spaces between words included.
    fn plain_run(&mut self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut end = start;
        loop {
            if !self.mode.markup {
                end = skip_letters(bytes, end);
            }
            let Some(&byte) = bytes.get(end) else {
                break;
            };
            let single_space =
                byte == b' ' && bytes.get(end + 1).is_some_and(|&next| self.is_plain(next));
            if !single_space && !self.is_plain(byte) {
                break;
            }
            end += 1;
        }
        if self.mode.fold
            && bytes.get(end).is_some_and(|byte| !byte.is_ascii())
            && self.marks_len(end) > 0
        {
            // The last letter belongs to the combining mark behind it.
            end -= 1;
            if bytes.get(end.wrapping_sub(1)) == Some(&b' ') && end > start {
                end -= 1;
            }
            if end == start {
                return self.segment(start);
            }
        }
        let first = bytes.get(start).copied().map_or(' ', char::from);
        self.copy(first, start, end);
        end
    }

    // Bytes from `at` that combine with the character before; invisible characters between the
    // marks are no hindrance.
    fn marks_len(&self, at: usize) -> usize {
        let mut len = 0;
        let mut seen = 0;
        for character in self.text.get(at..).unwrap_or("").chars() {
            seen += character.len_utf8();
            if is_invisible(character) {
                continue;
            }
            if starts_segment(character) {
                break;
            }
            len = seen;
        }
        len
    }

    // Handles one character that is not plain ASCII; answers where to go on.
    fn character(&mut self, character: char, at: usize) -> usize {
        let next = at + character.len_utf8();
        if is_space(character) {
            self.space(at, next, is_line_end(character));
            return if character == '\n' {
                self.line_start(next)
            } else {
                next
            };
        }
        if !self.mode.fold {
            self.copy(character, at, next);
            return next;
        }
        if is_invisible(character) {
            if character == '\u{ad}' && self.gap.is_none() {
                self.soft_hyphen = Some(self.view.key.len());
            }
            return next;
        }
        if is_dash(character) {
            return self.dashes(character, at);
        }
        if self.mode.markup
            && let Some(end) = self.mark(character, at)
        {
            return end;
        }
        if let Some(dots) = fold_ellipsis(character) {
            self.replace(dots, at, next);
            return next;
        }
        if let Some(plain) = fold(character) {
            self.replace(plain.encode_utf8(&mut [0; 4]), at, next);
            return next;
        }
        self.segment(at)
    }

    // A line begins at `at`: drops its prefix or, with markup, the rule line of a table.
    fn line_start(&mut self, at: usize) -> usize {
        if self.mode.strip_prefixes
            && let Some((digits, end)) = prefix_at(self.text, at, self.mode.recorded)
        {
            self.prefix = Some(digits);
            if let Some(gap) = self.gap.as_mut() {
                gap.end = end;
            }
            return end;
        }
        if self.mode.markup {
            let rest = self.text.get(at..).unwrap_or("");
            let head = line_head(rest);
            if head > 0 {
                self.space(at, at + head, false);
                return at + head;
            }
            let line = rest.split('\n').next().unwrap_or("");
            if is_table_rule(line) {
                self.space(at, at + line.len(), false);
                return at + line.len();
            }
        }
        at
    }

    fn space(&mut self, start: usize, end: usize, line_end: bool) {
        match self.gap.as_mut() {
            Some(gap) => {
                gap.end = end;
                gap.line_end |= line_end;
            }
            None => {
                self.gap = Some(Gap {
                    start,
                    end,
                    line_end,
                });
            }
        }
    }

    // Several dashes in a row stand for one, as `--` is typed for an en dash.
    fn dashes(&mut self, first: char, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or("");
        let mut len = 0;
        let mut seen = 0;
        for character in rest
            .chars()
            .take_while(|&character| is_dash(character) || is_invisible(character))
        {
            seen += character.len_utf8();
            if is_dash(character) {
                len = seen;
            }
        }
        if rest.get(..len) == Some("-") {
            self.copy('-', start, start + len);
        } else {
            self.replace("-", start, start + len);
        }
        if is_hyphen(first) && len == first.len_utf8() {
            self.hyphen = Some(self.view.key.len());
        }
        start + len
    }

    // A Markdown mark: dropped, or taken as space; `None` when the character means itself.
    fn mark(&mut self, character: char, start: usize) -> Option<usize> {
        match character {
            '<' => {
                let end = tag_end(self.text, start)?;
                if parts_words(self.text.get(start..end).unwrap_or("")) {
                    self.space(start, end, false);
                }
                return Some(end);
            }
            '&' => {
                let (meant, end) = character_reference(self.text, start)?;
                if is_space(meant) {
                    self.space(start, end, false);
                } else {
                    let plain = fold(meant).unwrap_or(meant);
                    self.replace(plain.encode_utf8(&mut [0; 4]), start, end);
                }
                return Some(end);
            }
            '[' => return link_text(self.text, start).map(|_| start + 1),
            '!' => {
                let is_image = link_text(self.text, start + 1).is_some();
                return is_image.then_some(start + 2);
            }
            ']' => return link_target_end(self.text, start),
            '*' | '_' | '~' | '`' | '|' => {}
            _ => return None,
        }
        if character == '|' {
            self.space(start, start + 1, false);
            return Some(start + 1);
        }
        let rest = self.text.get(start..)?;
        let len = rest
            .bytes()
            .take_while(|&byte| char::from(byte) == character)
            .count();
        let before = self.text.get(..start)?.chars().next_back();
        let after = self.text.get(start + len..)?.chars().next();
        let both = |test: fn(char) -> bool| before.is_none_or(test) && after.is_none_or(test);
        let means_itself = match character {
            '*' => both(is_space) || both(char::is_numeric),
            '_' => both(is_space) || (before.is_some_and(is_word) && after.is_some_and(is_word)),
            '~' => len < 2,
            _ => false,
        };
        if means_itself {
            self.copy(character, start, start + len);
        }
        Some(start + len)
    }

    // One character and the marks that combine with it, in NFKC.
    fn segment(&mut self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or("");
        let Some(first) = rest.chars().next() else {
            return self.text.len();
        };
        let len = first.len_utf8() + self.marks_len(start + first.len_utf8());
        let end = start + len;
        let original = rest.get(..len).unwrap_or("");
        if len == first.len_utf8() && is_stable(first) {
            self.copy(first, start, end);
            return end;
        }
        let mut folded = String::new();
        for character in original
            .chars()
            .filter(|&character| !is_invisible(character))
            .nfkc()
        {
            let plain = if is_space(character) {
                ' '
            } else {
                fold(character).unwrap_or(character)
            };
            folded.push(plain);
        }
        let after_space =
            self.gap.is_some() || self.view.key.is_empty() || self.view.key.ends_with(' ');
        let folded = if after_space {
            folded.trim_start_matches(' ')
        } else {
            folded.as_str()
        };
        if folded == original {
            self.copy(first, start, end);
        } else if !folded.is_empty() {
            self.replace(folded, start, end);
        }
        end
    }

    fn copy(&mut self, first: char, start: usize, end: usize) {
        self.settle(first);
        let key_len = self.view.key.len();
        let continues = self.view.pieces.last().is_some_and(|piece| {
            piece.len == LINEAR
                && piece.start as usize + (key_len - piece.key_start as usize) == start
        });
        if !continues {
            self.view.pieces.push(Piece {
                key_start: to_u32(key_len),
                start: to_u32(start),
                len: LINEAR,
            });
        }
        self.view
            .key
            .push_str(self.text.get(start..end).unwrap_or(""));
    }

    fn replace(&mut self, by: &str, start: usize, end: usize) {
        self.settle(by.chars().next().unwrap_or(' '));
        let piece = Piece {
            key_start: to_u32(self.view.key.len()),
            start: to_u32(start),
            len: to_u32(end - start),
        };
        self.view.pieces.push(piece);
        self.view.key.push_str(by);
    }

    // Writes what the white space before `first` comes to: a space, or nothing.
    fn settle(&mut self, first: char) {
        if let Some(gap) = self.gap.take() {
            let nothing = self.view.key.is_empty() || (gap.line_end && self.joins(first));
            if !nothing {
                let key_start = to_u32(self.view.key.len());
                let is_plain = self.text.get(gap.start..gap.end) == Some(" ");
                let len = if is_plain {
                    LINEAR
                } else {
                    to_u32(gap.end - gap.start)
                };
                self.view.pieces.push(Piece {
                    key_start,
                    start: to_u32(gap.start),
                    len,
                });
                self.view.key.push(' ');
            }
        }
        if let Some(digits) = self.prefix.take() {
            self.view.prefixes.push(Prefix {
                key_at: self.view.key.len(),
                digits,
            });
        }
    }

    // Whether a line end before `first` joins it to the character before the line end.
    fn joins(&mut self, first: char) -> bool {
        let key_len = self.view.key.len();
        if self.hyphen == Some(key_len) {
            let before = last_base(self.view.key.get(..key_len.saturating_sub(1)).unwrap_or(""));
            if before.is_some_and(char::is_alphabetic) && divides_before(first) {
                self.view.key.pop();
                let key_len = self.view.key.len();
                while self
                    .view
                    .pieces
                    .last()
                    .is_some_and(|piece| piece.key_start as usize >= key_len)
                {
                    self.view.pieces.pop();
                }
                self.view.divided.push(key_len);
                return true;
            }
            // Digits would make another number without the hyphen, capitals another name: it stays.
            return before.is_some_and(is_word) && is_word(first);
        }
        let before = last_base(&self.view.key);
        if self.soft_hyphen == Some(key_len)
            && before.is_some_and(char::is_alphabetic)
            && divides_before(first)
        {
            self.view.divided.push(key_len);
            return true;
        }
        is_unspaced(first) && before.is_some_and(is_unspaced)
    }
}

// The last character that is no combining mark and has ink.
fn last_base(text: &str) -> Option<char> {
    text.chars()
        .rev()
        .take(32)
        .find(|&character| !is_mark(character) && !is_invisible(character))
}

// Whether a tag stands between words: those of blocks and line ends do, those of emphasis do not.
fn parts_words(tag: &str) -> bool {
    let name = tag.trim_start_matches(['<', '/']);
    let len = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let name = name.get(..len).unwrap_or("").to_ascii_lowercase();
    !matches!(
        name.as_str(),
        "a" | "abbr"
            | "b"
            | "big"
            | "cite"
            | "code"
            | "del"
            | "em"
            | "font"
            | "i"
            | "ins"
            | "kbd"
            | "mark"
            | "q"
            | "s"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "u"
    )
}

// Bytes of what marks the head of a Markdown line: quoting and headings.
fn line_head(line: &str) -> usize {
    let blank = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    let mut at = blank(line);
    let quoting = at;
    while line.as_bytes().get(at) == Some(&b'>') {
        at += 1;
        at += blank(line.get(at..).unwrap_or(""));
    }
    let hashes = line.get(at..).map_or(0, |rest| {
        rest.bytes().take_while(|&byte| byte == b'#').count()
    });
    let is_heading = (1..=6).contains(&hashes) && line.as_bytes().get(at + hashes) == Some(&b' ');
    if is_heading {
        return at + hashes;
    }
    if at == quoting { 0 } else { at }
}

const LONGEST_LINK: usize = 4096;

// Where the text of the Markdown link that begins at `start` ends: at `](` or `][`.
fn link_text(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?.strip_prefix('[')?;
    let reach = rest.len().min(LONGEST_LINK);
    let end = rest
        .bytes()
        .take(reach)
        .position(|byte| matches!(byte, b']' | b'['))?;
    let close = start + 1 + end;
    link_target_end(text, close).map(|_| close)
}

// One past the target of the link whose text ends with the bracket at `start`.
fn link_target_end(text: &str, start: usize) -> Option<usize> {
    let rest = text.get(start..)?.strip_prefix(']')?;
    let close = match rest.as_bytes().first()? {
        b'(' => b')',
        _ => return None,
    };
    let end = rest
        .bytes()
        .take(LONGEST_LINK)
        .position(|byte| byte == close || byte == b'\n')?;
    (rest.as_bytes().get(end) == Some(&close)).then_some(start + 1 + end + 1)
}

// The character that the reference at `start` (`&amp;`, `&#39;`, `&#x2019;`) means, and its end.
fn character_reference(text: &str, start: usize) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    let rest = text.get(start..)?.strip_prefix('&')?;
    let len = rest.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = rest.get(..len)?;
    let end = start + 1 + len + 1;
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code)
            .filter(|character| !character.is_control())
            .map(|character| (character, end));
    }
    let found = REFERENCES.iter().find(|(known, _)| *known == name)?;
    Some((found.1, end))
}

// The named references that stand in running text.
const REFERENCES: [(&str, char); 24] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("thinsp", '\u{2009}'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("sect", '§'),
    ("para", '¶'),
    ("copy", '©'),
    ("reg", '®'),
    ("deg", '°'),
    ("euro", '€'),
    ("pound", '£'),
];

/// Whether a word may be divided before this letter: never before a capital or a digit.
fn divides_before(first: char) -> bool {
    first.is_alphabetic() && !first.is_uppercase()
}

/// Whether `line` is the rule between the head and the body of a Markdown table.
fn is_table_rule(line: &str) -> bool {
    line.contains('|')
        && line.contains('-')
        && line
            .bytes()
            .all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t' | b'\r'))
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "tests slice text they know")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REFLOW: Mode = Mode {
        strip_prefixes: true,
        recorded: true,
        fold: false,
        markup: false,
        mid_line: false,
    };
    const KEEP: Mode = Mode {
        strip_prefixes: false,
        ..REFLOW
    };
    const FOLD: Mode = Mode {
        fold: true,
        ..REFLOW
    };
    const MARKUP: Mode = Mode {
        markup: true,
        ..FOLD
    };

    fn key(text: &str, mode: Mode) -> String {
        View::new(text, mode).key
    }

    #[test]
    fn places_are_found_in_the_key() {
        let text = "a  b\n 7: c\u{a0}d";
        let view = View::new(text, REFLOW);
        assert_eq!(view.key, "a b c d");
        for (at, wanted) in [
            (0, 0),
            (1, 1),
            (2, 2),
            (3, 2),
            (6, 4),
            (9, 4),
            (12, 6),
            (text.len(), 7),
        ] {
            assert_eq!(view.key_at(at), wanted, "{at}");
        }
    }

    #[test]
    fn meanings_are_those_of_the_characters() {
        for byte in 0u8..=u8::MAX {
            let meaning = MEANINGS[usize::from(byte)];
            assert_eq!(meaning == NOT_ASCII, !byte.is_ascii(), "{byte}");
            assert_eq!(
                meaning == SPACE,
                byte.is_ascii() && is_space(char::from(byte)),
                "{byte}"
            );
        }
    }

    #[test]
    fn letters_are_skipped_up_to_what_has_a_meaning() {
        for (text, at) in [
            ("abcdefgh", 8),
            ("abcdefg", 0),
            ("ab cd efgh ijklm", 16),
            ("abcdefg hijklmno", 7),
            ("ab  defghijklmno", 0),
            ("abcdefghij-lmnop", 8),
            ("abcdefghij\nlmnop", 8),
            ("abcdefghijklé no", 8),
        ] {
            assert_eq!(skip_letters(text.as_bytes(), 0), at, "{text:?}");
        }
    }

    #[test]
    fn reflow_table() {
        for (text, wanted) in [
            ("  a\t\u{a0}b\r\n\u{c}c  ", "a b c"),
            ("12: a\n 13:b\n14 c", "a b 14 c"),
            ("漢字\n漢字", "漢字漢字"),
            ("漢字、\r\n　漢字", "漢字、漢字"),
            ("漢字 漢字", "漢字 漢字"),
            ("漢字\nabc", "漢字 abc"),
            ("한국\n어", "한국 어"),
            ("1: 漢\n2: 字", "漢字"),
            ("葛\u{e0100}\n城", "葛\u{e0100}城"),
            ("a-\nb", "a- b"),
            ("it’s", "it’s"),
            ("\u{feff}1: a", "\u{feff}a"),
            ("", ""),
            (" \n ", ""),
        ] {
            assert_eq!(key(text, REFLOW), wanted, "{text:?}");
        }
        assert_eq!(key("12: a\n13: b", KEEP), "12: a 13: b");
    }

    #[test]
    fn fold_table() {
        for (text, wanted) in [
            ("it’s “so” – «x»", "it's \"so\" - \"x\""),
            ("ﬁnd ＡＢ １２", "find AB 12"),
            ("wait… [⋯]", "wait... [...]"),
            ("land\u{ad}lord \u{200b} x\u{200d}y", "landlord xy"),
            ("land-\nlord", "landlord"),
            ("land\u{2010}\n  3: lord", "landlord"),
            ("land\u{ad}\nlord", "landlord"),
            ("COVID-\n19", "COVID-19"),
            ("Co-\nOwner", "Co-Owner"),
            ("e\u{301}te\u{301}", "été"),
            ("x e\u{301}", "x é"),
            ("ｶﾞ", "ガ"),
            ("a--b — c", "a-b - c"),
            ("Straße K", "Straße K"),
            ("- \n- x", "- - x"),
            ("\u{feff}1: a", "a"),
        ] {
            assert_eq!(key(text, FOLD), wanted, "{text:?}");
        }
    }

    #[test]
    fn markup_table() {
        for (text, wanted) in [
            (
                "the **tenant** must _not_ `pay` ~~now~~",
                "the tenant must not pay now",
            ),
            ("| a | b |\n|---|:-:|\n| c | d |", "a b c d"),
            ("snake_case 2*3 a * b", "snake_case 2*3 a * b"),
            ("> The rent\n> > is due", "The rent is due"),
            ("# Rent\n## Due", "Rent Due"),
            (
                "see [the clause](https://a.b/c#4) of [4]",
                "see the clause of [4]",
            ),
            ("![plan](a.png) x!", "plan x!"),
            (
                "Smith &amp; Sons shall&nbsp;pay &#8220;5&#x20;&unknown; a&b",
                "Smith & Sons shall pay \"5 &unknown; a&b",
            ),
            ("<p>a <b>b</b><br/>c</p> 3 < 4", "a b c 3 < 4"),
        ] {
            assert_eq!(key(text, MARKUP), wanted, "{text:?}");
        }
    }

    #[test]
    fn the_way_back() {
        let text = "x “land-\n 7: lord” ﬁn";
        let view = View::new(text, FOLD);
        assert_eq!(view.key, "x \"landlord\" fin");
        let at = view.key.find("landlord").unwrap();
        let span = view.original(at, at + 8);
        assert_eq!(&text[span.byte_start..span.byte_end], "land-\n 7: lord");
        let at = view.key.find("in").unwrap();
        let span = view.original(at, at + 2);
        assert_eq!(&text[span.byte_start..span.byte_end], "ﬁn");
        assert_eq!(view.prefixes.len(), 1);
        assert_eq!(view.divided, vec![7]);
    }

    #[test]
    fn joints() {
        let (view, joints) = View::new("well-known land-\nlord a- b -c", FOLD).without_hyphens();
        assert_eq!(view.key, "wellknown landlord ab -c");
        let kinds: Vec<_> = joints
            .iter()
            .map(|joint| (joint.key_at, joint.kind))
            .collect();
        assert_eq!(
            kinds,
            vec![
                (4, JointKind::Hyphen),
                (14, JointKind::Divided),
                (20, JointKind::Spaced)
            ]
        );
    }

    fn texts() -> impl Strategy<Value = String> {
        let parts = prop::sample::select(vec![
            "a",
            "b",
            "Z",
            "9",
            " ",
            "  ",
            "\n",
            "\r\n",
            "\t",
            "\u{c}",
            "\u{a0}",
            "1: ",
            "12:",
            ":",
            "-",
            "-\n",
            "–",
            "—",
            "’",
            "'",
            "“",
            "\"",
            "ﬁ",
            "…",
            "...",
            "[…]",
            "\u{ad}",
            "\u{200b}",
            "\u{301}",
            "e\u{301}",
            "é",
            "漢",
            "字",
            "、",
            "한",
            "\u{1100}\u{1161}",
            "ｶﾞ",
            "Ａ",
            "½",
            "²",
            "*",
            "**",
            "_",
            "|",
            "|-|",
            "`",
            "~~",
            "\u{feff}",
            "😀",
            "\u{fe0f}",
            "´",
            "¨",
            "ﷺ",
            "\u{2028}",
            "\u{1c}",
            "not",
            "word",
        ]);
        prop::collection::vec(parts, 0..24).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_key_range_maps_to_character_boundaries(text in texts(), strip in any::<bool>(), fold in any::<bool>(), markup in any::<bool>()) {
            let mode = Mode { strip_prefixes: strip, fold, markup: fold && markup, ..Mode::default() };
            let view = View::new(&text, mode);
            prop_assert!(!view.key.starts_with(' ') && !view.key.ends_with(' ') && !view.key.contains("  "), "{:?}", view.key);
            let mut last = 0;
            for (at, character) in view.key.char_indices() {
                let span = view.original(at, at + character.len_utf8());
                prop_assert!(span.byte_start < span.byte_end && span.byte_end <= text.len());
                prop_assert!(text.is_char_boundary(span.byte_start) && text.is_char_boundary(span.byte_end));
                prop_assert!(span.byte_start >= last);
                last = span.byte_start;
            }
        }

        #[test]
        fn a_slice_of_the_original_normalises_to_its_key_range(text in texts(), fold in any::<bool>(), start in 0usize..40, len in 1usize..20) {
            let mode = Mode { fold, mid_line: true, ..Mode::default() };
            let view = View::new(&text, mode);
            let bounds: Vec<usize> = view.key.char_indices().map(|(at, _)| at).chain([view.key.len()]).collect();
            let (Some(&from), Some(&to)) = (bounds.get(start), bounds.get(start + len)) else { return Ok(()) };
            let span = view.original(from, to);
            let again = View::new(&text[span.byte_start..span.byte_end], mode).key;
            // A range may begin inside a character that folds to several, so the slice may hold more;
            // a slice that begins at a hyphen no longer shows that it divides a word.
            let bare = |text: &str| text.replace([' ', '-'], "");
            prop_assert!(bare(&again).contains(&bare(&view.key[from..to])), "{:?} {:?}", again, &view.key[from..to]);
        }

        #[test]
        fn folding_is_stable(text in texts()) {
            let once = key(&text, Mode { fold: true, ..KEEP });
            prop_assert_eq!(key(&once, Mode { fold: true, ..KEEP }), once);
        }
    }
}
