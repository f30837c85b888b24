//! Quotes of many documents: a batch of rows with a document and its quotes each.
//!
//! In: a column of documents and a column of lists of quotes. Out: a row per quote, as columns. Rows
//! that follow one another with the same document share its preparation. A document or a quote that
//! cannot be read is a row with an error.

use super::columns::{Flags, Integers, Offsets, StringLists, Strings, Texts, TooLarge, Valid};
use crate::evidence::{Match, Prepared};
use crate::gates::quotes::answers;
use crate::value::Text;
use crate::workers;
use rayon::prelude::*;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Batch<'a> {
    /// The documents.
    pub documents: Texts<'a>,
    /// Which quotes belong to each row.
    pub lists: Offsets<'a>,
    /// Which rows have a list.
    pub lists_valid: Valid<'a>,
    /// The quotes of all rows.
    pub quotes: Texts<'a>,
}

/// The answers, a row per quote.
#[derive(Debug, Default)]
pub struct Answers {
    /// Row of the batch, from 0.
    pub row: Integers,
    /// Place among the quotes of the row, from 0.
    pub index: Integers,
    /// The quote.
    pub quote: Strings,
    /// Its grade.
    pub grade: Strings,
    /// Whether gates take it as found.
    pub is_accepted: Flags,
    /// Its flags.
    pub flags: StringLists,
    /// Places that answer at this grade.
    pub occurrences: Integers,
    /// Bytes from and to, line, column, end line, end column.
    pub place: [Integers; 6],
    /// What differs.
    pub difference: Strings,
    /// Why there is no answer.
    pub error: Strings,
}

/// Why a batch has no answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A column of the answers would be larger than 2 GiB.
    TooLarge,
    /// The caller said to stop.
    Stopped,
}

impl From<TooLarge> for Refusal {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

/// Documents between two looks at whether to stop, for each thread.
const STEP: usize = 64;

/// Grade every quote of `batch` on `threads` threads. `goes_on` is asked now and then.
///
/// # Errors
/// [`Refusal`].
///
/// # Examples
/// ```
/// use gatewright::batch::columns::{Offsets, Texts, Valid};
/// use gatewright::batch::ground::{Batch, ground};
///
/// let offsets = |places: [i64; 2]| places.map(i64::to_le_bytes).concat();
/// let (documents, lists, quotes) = (offsets([0, 16]), offsets([0, 1]), offsets([0, 6]));
/// let texts = |offsets, data| Texts { offsets: Offsets::new(offsets), data, valid: Valid::default() };
/// let batch = Batch {
///     documents: texts(&documents, b"a term of a year"),
///     lists: Offsets::new(&lists),
///     lists_valid: Valid::default(),
///     quotes: texts(&quotes, b"a term"),
/// };
/// let answers = ground(&batch, 1, &mut || true).map_err(|_| "stopped, or too large")?;
/// assert_eq!(answers.is_accepted.data.bytes, [1]);
/// # Ok::<(), &str>(())
/// ```
pub fn ground(
    batch: &Batch<'_>,
    threads: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Answers, Refusal> {
    let mut out = Answers::default();
    let groups = groups(batch);
    let crew = workers::Crew::new(threads);
    for step in groups.chunks(STEP.saturating_mul(threads.max(1))) {
        if !goes_on() {
            return Err(Refusal::Stopped);
        }
        let answered: Vec<Vec<Row<'_>>> = crew.run(|| {
            let rows = step.par_iter().map(|rows| group(batch, rows.clone()));
            rows.collect()
        });
        for row in answered.iter().flatten() {
            out.push(row)?;
        }
    }
    Ok(out)
}

/// Rows that follow one another with the same document.
fn groups(batch: &Batch<'_>) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for row in 0..batch.lists.len() {
        match groups.last_mut() {
            Some(last) if batch.documents.get(last.start) == batch.documents.get(row) => {
                last.end = row + 1;
            }
            _ => groups.push(row..row + 1),
        }
    }
    groups
}

/// One row of the answers.
struct Row<'a> {
    number: usize,
    index: Option<usize>,
    quote: Option<&'a str>,
    answer: Result<Match, String>,
}

fn group<'a>(batch: &Batch<'a>, rows: Range<usize>) -> Vec<Row<'a>> {
    let document = batch.documents.get(rows.start);
    let prepared = document
        .ok_or_else(|| String::from("the document is null"))
        .and_then(|bytes| Prepared::from_bytes(bytes).map_err(|error| error.to_string()));
    let mut out = Vec::new();
    for row in rows {
        let listed = batch
            .lists
            .range(row)
            .filter(|_| batch.lists_valid.has(row));
        let Some(listed) = listed else {
            out.push(Row {
                number: row,
                index: None,
                quote: None,
                answer: Err(String::from("the quotes are null")),
            });
            continue;
        };
        let mut asked = Vec::with_capacity(listed.len());
        for (index, place) in listed.enumerate() {
            let quote = match batch.quotes.get(place).map(std::str::from_utf8) {
                None => Err(String::from("the quote is null")),
                Some(Err(error)) => Err(format!(
                    "the quote is not UTF-8: byte {} does not belong",
                    error.valid_up_to()
                )),
                Some(Ok(quote)) => Ok(quote),
            };
            asked.push((index, quote));
        }
        let readable: Vec<Text<'a>> = asked
            .iter()
            .filter_map(|(_, quote)| quote.as_ref().ok().copied().map(Text::borrowed))
            .collect();
        // One row that breaks the core must not end a job of a million.
        let found = prepared.as_ref().map_err(String::clone).and_then(|source| {
            catch_unwind(AssertUnwindSafe(|| answers(source, &readable)))
                .map_err(|_| String::from("internal failure"))
        });
        let mut found = found.map(Vec::into_iter);
        out.extend(asked.into_iter().map(|(index, quote)| {
            let (quote, answer) = match (quote, &mut found) {
                (Err(why), _) => (None, Err(why)),
                (Ok(quote), Err(why)) => (Some(quote), Err(why.clone())),
                (Ok(quote), Ok(found)) => {
                    let answer = found.next();
                    let answer = answer.ok_or_else(|| String::from("internal failure"));
                    (Some(quote), answer)
                }
            };
            Row {
                number: row,
                index: Some(index),
                quote,
                answer,
            }
        }));
    }
    out
}

impl Answers {
    fn push(&mut self, row: &Row<'_>) -> Result<(), TooLarge> {
        let found = row.answer.as_ref().ok();
        self.row.push(Some(row.number));
        self.index.push(row.index);
        self.quote.push(row.quote)?;
        self.grade.push(found.map(|found| found.grade.name()))?;
        self.is_accepted
            .push(found.map(|found| found.grade.is_accepted()));
        let flags = found.map_or(&[][..], |found| found.flags.as_slice());
        self.flags.push(flags.iter().map(|flag| flag.name()))?;
        self.occurrences.push(found.map(|found| found.occurrences));
        let at = found.and_then(|found| found.at).map(|at| {
            [
                at.span.byte_start,
                at.span.byte_end,
                at.start.line,
                at.start.column,
                at.end.line,
                at.end.column,
            ]
        });
        for (number, column) in self.place.iter_mut().enumerate() {
            column.push(at.and_then(|at| at.get(number).copied()));
        }
        let difference = found.and_then(|found| found.difference.as_deref());
        self.difference.push(difference)?;
        self.error
            .push(row.answer.as_ref().err().map(String::as_str))
    }
}
