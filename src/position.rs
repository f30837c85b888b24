//! Places in a source: byte spans, and lines and columns for people.
//!
//! The only room that converts between the two. Spans are half-open byte ranges from 0;
//! lines and columns count from 1, columns in Unicode code points; empty input is 1:1.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A half-open byte range in one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// First byte, from 0.
    pub byte_start: usize,
    /// One past the last byte.
    pub byte_end: usize,
}

/// A line and a column, both from 1; the column counts code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1; lines end at LF.
    pub line: usize,
    /// Column in code points, from 1.
    pub column: usize,
}

/// Line starts of one text, so that many spans convert in logarithmic time each.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<usize>,
    // Code points before every block of `BLOCK_BYTES`, counted when a long line first needs them.
    blocks: OnceLock<Vec<usize>>,
}

const BLOCK_BYTES: usize = 4096;

impl LineIndex {
    /// Index the line starts of `text` (lines end at LF).
    pub fn new(text: &[u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|at| at + 1));
        Self {
            starts,
            blocks: OnceLock::new(),
        }
    }

    /// Position of the byte `at` in `text`, which must be the text that was indexed.
    pub fn position(&self, text: &[u8], at: usize) -> Position {
        let at = at.min(text.len());
        let line = self.line(at);
        let start = line
            .checked_sub(1)
            .and_then(|index| self.starts.get(index))
            .copied()
            .unwrap_or(0);
        let column = self.count_between(text, start, at) + 1;
        Position { line, column }
    }

    /// The line (from 1) of the byte `at`.
    pub fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at)
    }

    // Code points of `text[start..end]`, in bounded time however far apart the two are.
    fn count_between(&self, text: &[u8], start: usize, end: usize) -> usize {
        if end - start <= 2 * BLOCK_BYTES {
            return text.get(start..end).map_or(0, count_code_points);
        }
        let blocks = self.blocks.get_or_init(|| {
            let mut sum = 0;
            let mut blocks = vec![0];
            blocks.extend(text.chunks(BLOCK_BYTES).map(|block| {
                sum += count_code_points(block);
                sum
            }));
            blocks
        });
        let before = |at: usize| {
            let block = at / BLOCK_BYTES;
            let rest = text.get(block * BLOCK_BYTES..at);
            blocks.get(block).copied().unwrap_or(0) + rest.map_or(0, count_code_points)
        };
        before(end) - before(start)
    }

    /// Number of lines; at least 1.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Byte range of the line (from 1) in `text`, without its line end.
    pub fn line_span(&self, text: &[u8], line: usize) -> Option<Span> {
        let byte_start = *self.starts.get(line.checked_sub(1)?)?;
        let byte_end = self.starts.get(line).map_or(text.len(), |next| next - 1);
        Some(Span {
            byte_start,
            byte_end,
        })
    }
}

/// Code points in UTF-8 (or WTF-8) bytes: every byte that does not continue another.
pub fn count_code_points(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_code_points_from_one() {
        let text = "aé\nb".as_bytes();
        let index = LineIndex::new(text);
        assert_eq!(index.position(text, 0), Position { line: 1, column: 1 });
        assert_eq!(index.position(text, 3), Position { line: 1, column: 3 });
        assert_eq!(index.position(text, 4), Position { line: 2, column: 1 });
        assert_eq!(index.position(b"", 0), Position { line: 1, column: 1 });
        assert_eq!(
            index.line_span(text, 1),
            Some(Span {
                byte_start: 0,
                byte_end: 3
            })
        );
    }
    #[test]
    fn a_long_line_counts_as_a_short_one_does() {
        let text = format!("x\n{}", "aé漢".repeat(9000));
        let index = LineIndex::new(text.as_bytes());
        for at in [2, 3, 5, 4096, 8195, 20_003, 40_001, text.len()] {
            let start = text.as_bytes().get(2..at).unwrap();
            let wanted = Position {
                line: 2,
                column: count_code_points(start) + 1,
            };
            assert_eq!(index.position(text.as_bytes(), at), wanted, "{at}");
        }
    }
}
