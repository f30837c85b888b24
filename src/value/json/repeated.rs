//! Members that stand twice in one object of a JSON text.
//!
//! In: the text. Out: path, name and place of every repetition. Python's `json` takes the last of
//! them in silence, other readers the first, so a text that decides something must not hold any.

use super::locate::{Step, ValuePath};
use super::reader::{Kind, Reader, SyntaxError};
use crate::position::{LineIndex, Span};
use crate::text::Text;
use std::collections::BTreeSet;

/// One member whose name stands a second time (or more often) in its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The member.
    pub path: ValuePath,
    /// Its name, for people.
    pub name: String,
    /// The repeated key with its quotes and its colon.
    pub span: Span,
}

/// Every repetition in `text`, in order.
///
/// # Errors
/// A syntax fault in `text`.
pub fn repeated_members(text: &str) -> Result<Vec<Repeated>, SyntaxError> {
    let mut search = Search::new(text);
    search.value()?;
    Ok(search.repeated)
}

/// One line about the first thing in `text` that two readers may take differently: a repetition, or a
/// number other than zero that a 64-bit float holds as zero or infinity. Nothing when there is none
/// or `text` is no JSON, which its reader tells.
pub fn first_ambiguous(text: &str) -> Option<String> {
    let mut search = Search::new(text);
    search.value().ok()?;
    let repeated = search
        .repeated
        .first()
        .map(|first| (first.span.byte_start, &first.path));
    let vanished = search.vanished.as_ref().map(|(byte, path)| (*byte, path));
    let (byte, path) = repeated.or(vanished)?;
    let at = LineIndex::new(text.as_bytes()).position(text.as_bytes(), byte);
    let path: String = path.to_string().escape_debug().take(120).collect();
    let what = if repeated.is_some() {
        "stands twice in one object; one reader takes the first, another the last: leave one"
    } else {
        "is a number that a 64-bit float cannot hold: write a plain one"
    };
    Some(format!(
        "`{path}` (line {}, column {}) {what}",
        at.line, at.column
    ))
}

struct Search<'t> {
    reader: Reader<'t>,
    // The way to the value at hand; a path is made of it only for what is told.
    way: Vec<Way<'t>>,
    repeated: Vec<Repeated>,
    text: &'t str,
    // The first number that is lost in a float.
    vanished: Option<(usize, ValuePath)>,
}

enum Way<'t> {
    Key(Text<'t>),
    Index(usize),
}

impl<'t> Search<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            reader: Reader::new(text),
            way: Vec::new(),
            repeated: Vec::new(),
            text,
            vanished: None,
        }
    }

    fn path(&self) -> ValuePath {
        let steps = self.way.iter().map(|step| match step {
            Way::Key(key) => Step::Key(key.clone().into_owned()),
            Way::Index(index) => Step::Index(*index),
        });
        ValuePath(steps.collect())
    }

    fn value(&mut self) -> Result<(), SyntaxError> {
        match self.reader.peek() {
            Kind::Object => {
                let mut seen = BTreeSet::new();
                self.reader.begin_object()?;
                while let Some(raw) = self.reader.next_key()? {
                    let byte_end = self.reader.byte();
                    // White space may stand before the colon.
                    let key_end = self.text.get(..byte_end).map_or(byte_end, |before| {
                        before.trim_end_matches(':').trim_end().len()
                    });
                    let byte_start = key_end.saturating_sub(raw.bytes.len() + 2);
                    let key = raw.decode();
                    self.way.push(Way::Key(key.clone()));
                    if seen.contains(&key) {
                        self.tell(
                            &key,
                            Span {
                                byte_start,
                                byte_end,
                            },
                        );
                    } else {
                        seen.insert(key);
                    }
                    self.value()?;
                    self.way.pop();
                }
                Ok(())
            }
            Kind::Array => {
                self.reader.begin_array()?;
                let mut index = 0;
                while self.reader.next_item()? {
                    self.way.push(Way::Index(index));
                    self.value()?;
                    self.way.pop();
                    index += 1;
                }
                Ok(())
            }
            Kind::String => self.reader.skip(),
            Kind::Scalar => {
                let byte_start = self.reader.byte();
                self.reader.skip()?;
                let literal = self.text.get(byte_start..self.reader.byte());
                if self.vanished.is_none() && literal.is_some_and(is_lost) {
                    self.vanished = Some((byte_start, self.path()));
                }
                Ok(())
            }
        }
    }

    fn tell(&mut self, name: &Text<'_>, span: Span) {
        let path = self.path();
        self.repeated.push(Repeated {
            path,
            name: name.to_display().into_owned(),
            span,
        });
    }
}

/// Whether a number's literal says something else than its float.
fn is_lost(literal: &str) -> bool {
    let literal = literal.trim();
    let (mantissa, has_exponent) = match literal.split_once(['e', 'E']) {
        Some((mantissa, _)) => (mantissa, true),
        None => (literal, false),
    };
    let Ok(number) = literal.parse::<f64>() else {
        return false;
    };
    // Plain integers keep every digit.
    (has_exponent || mantissa.contains('.'))
        && (number == 0.0 && mantissa.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
            || number.is_infinite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_found_at_any_depth_and_in_any_spelling() {
        let text = "{\"a\": 1, \"b\": [{\"c\": 1, \"\\u0063\": 2}],\n \"a\": 3}";
        let found: Vec<String> = repeated_members(text)
            .unwrap()
            .into_iter()
            .map(|repeated| repeated.path.to_string())
            .collect();
        assert_eq!(found, ["$.b[0].c", "$.a"]);
        assert_eq!(repeated_members("{\"a\": {\"a\": 1}}"), Ok(Vec::new()));
        let said = first_ambiguous("{\"a\": 1,\n\"a\": 2}").unwrap();
        assert!(said.contains("line 2, column 1"), "{said}");
        assert!(first_ambiguous("[1e-400]").unwrap().contains("$[0]"));
        assert!(first_ambiguous("[0.0, 1e-5, 0e9, 12345678901234567890]").is_none());
        assert!(first_ambiguous("{").is_none());
    }
}
