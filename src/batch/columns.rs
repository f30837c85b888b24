//! Arrow buffers of texts, lists and numbers: read without copying, built row by row.
//!
//! In and out: the layouts that Arrow calls large binary, large list, 64-bit integer, boolean, string
//! and list, little-endian. A buffer that is too short reads as rows without a value.

use std::ops::Range;

/// Offsets of a large binary or large list column: the place of each row in what it holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offsets<'a> {
    bytes: &'a [u8],
    base: i64,
}

impl<'a> Offsets<'a> {
    /// The offsets in `bytes`, one more than there are rows. The first row begins at place 0 of what
    /// the column holds, whatever its offset says.
    pub fn new(bytes: &'a [u8]) -> Self {
        let base = at(bytes, 0).unwrap_or(0);
        Self { bytes, base }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        (self.bytes.len() / 8).saturating_sub(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What `row` holds.
    pub fn range(&self, row: usize) -> Option<Range<usize>> {
        let place = |row| usize::try_from(at(self.bytes, row)? - self.base).ok();
        Some(place(row)?..place(row + 1)?)
    }
}

fn at(bytes: &[u8], row: usize) -> Option<i64> {
    let start = row.checked_mul(8)?;
    let eight = bytes.get(start..start.checked_add(8)?)?;
    Some(i64::from_le_bytes(eight.try_into().ok()?))
}

/// Which rows have a value: a byte for each row, or nothing when all have one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Valid<'a>(pub &'a [u8]);

impl Valid<'_> {
    /// Whether `row` has a value.
    pub fn has(&self, row: usize) -> bool {
        self.0.is_empty() || self.0.get(row).is_some_and(|&byte| byte != 0)
    }
}

/// A column of texts, as bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texts<'a> {
    /// Where each text stands.
    pub offsets: Offsets<'a>,
    /// All texts, one behind the other.
    pub data: &'a [u8],
    /// Which rows have one.
    pub valid: Valid<'a>,
}

impl<'a> Texts<'a> {
    /// The text of `row`.
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        if !self.valid.has(row) {
            return None;
        }
        self.data.get(self.offsets.range(row)?)
    }
}

/// A validity or boolean buffer under construction: one bit a row.
#[derive(Debug, Default)]
pub struct Bits {
    /// The buffer.
    pub bytes: Vec<u8>,
    len: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.len % 8);
        }
        self.len += 1;
    }
}

/// A column of integers or booleans under construction.
#[derive(Debug, Default)]
pub struct Integers {
    /// Which rows have one.
    pub valid: Bits,
    /// Eight bytes a row.
    pub data: Vec<u8>,
}

impl Integers {
    /// Add a row.
    pub fn push(&mut self, value: Option<usize>) {
        self.valid.push(value.is_some());
        let value = value.and_then(|value| i64::try_from(value).ok());
        self.data
            .extend_from_slice(&value.unwrap_or_default().to_le_bytes());
    }
}

/// A column of booleans under construction.
#[derive(Debug, Default)]
pub struct Flags {
    /// Which rows have one.
    pub valid: Bits,
    /// One bit a row.
    pub data: Bits,
}

impl Flags {
    /// Add a row.
    pub fn push(&mut self, value: Option<bool>) {
        self.valid.push(value.is_some());
        self.data.push(value == Some(true));
    }
}

/// Offsets of 32 bits under construction.
#[derive(Debug)]
pub struct Ends(pub Vec<u8>);

impl Default for Ends {
    fn default() -> Self {
        Self(vec![0; 4])
    }
}

/// A column of texts would be larger than 2 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl Ends {
    fn push(&mut self, end: usize) -> Result<(), TooLarge> {
        let end = i32::try_from(end).map_err(|_| TooLarge)?;
        self.0.extend_from_slice(&end.to_le_bytes());
        Ok(())
    }
}

/// A column of texts under construction.
#[derive(Debug, Default)]
pub struct Strings {
    /// Which rows have one.
    pub valid: Bits,
    /// Where each ends.
    pub ends: Ends,
    /// All of them.
    pub data: Vec<u8>,
}

impl Strings {
    /// Add a row.
    ///
    /// # Errors
    /// When the column outgrows its offsets.
    pub fn push(&mut self, value: Option<&str>) -> Result<(), TooLarge> {
        self.valid.push(value.is_some());
        self.data
            .extend_from_slice(value.unwrap_or_default().as_bytes());
        self.ends.push(self.data.len())
    }
}

/// A column of lists of texts under construction.
#[derive(Debug, Default)]
pub struct StringLists {
    /// Where each list ends.
    pub ends: Ends,
    /// The texts of all lists.
    pub items: Strings,
    len_items: usize,
}

impl StringLists {
    /// Add a row.
    ///
    /// # Errors
    /// When the column outgrows its offsets.
    pub fn push<'t>(&mut self, items: impl Iterator<Item = &'t str>) -> Result<(), TooLarge> {
        for item in items {
            self.items.push(Some(item))?;
            self.len_items += 1;
        }
        self.ends.push(self.len_items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(places: &[i64]) -> Vec<u8> {
        places
            .iter()
            .flat_map(|place| place.to_le_bytes())
            .collect()
    }

    #[test]
    fn slices_nulls_and_short_buffers_are_read() {
        let places = offsets(&[5, 7, 7, 10]);
        let texts = Texts {
            offsets: Offsets::new(&places),
            data: b"abcde",
            valid: Valid(&[1, 0, 1]),
        };
        let all: Vec<_> = (0..4).map(|row| texts.get(row)).collect();
        assert_eq!(all, [Some(&b"ab"[..]), None, Some(&b"cde"[..]), None]);
        assert_eq!(texts.offsets.len(), 3);
        let short = Texts {
            data: b"ab",
            ..texts
        };
        assert_eq!(short.get(2), None);
        assert!(Offsets::new(&[]).is_empty());
    }

    #[test]
    fn built_columns_have_the_layout_of_arrow() {
        let mut numbers = Integers::default();
        for number in [Some(1), None, Some(3)] {
            numbers.push(number);
        }
        assert_eq!(numbers.valid.bytes, [0b101]);
        assert_eq!(numbers.data, offsets(&[1, 0, 3]));
        let mut lists = StringLists::default();
        lists.push(["a", "bc"].into_iter()).unwrap();
        lists.push(std::iter::empty()).unwrap();
        assert_eq!(lists.ends.0, [0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(lists.items.data, b"abc");
    }
}
