//! Members that stand twice in one object of a JSON text.
//!
//! In: the text. Out: path, name and place of every repetition. Python's `json` takes the last of
//! them in silence, other readers the first, so a text that decides something must not hold any.

use super::locate::{Step, ValuePath};
use super::reader::{Kind, Reader, SyntaxError};
use crate::position::Span;
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
    let mut search = Search {
        reader: Reader::new(text),
        way: Vec::new(),
        repeated: Vec::new(),
    };
    search.value()?;
    Ok(search.repeated)
}

/// One line about the first repetition in `text`; nothing when there is none or `text` is no JSON,
/// which its reader tells.
pub fn first_repeated(text: &str) -> Option<String> {
    let first = repeated_members(text).ok()?.into_iter().next()?;
    let lines = crate::position::LineIndex::new(text.as_bytes());
    let at = lines.position(text.as_bytes(), first.span.byte_start);
    Some(format!(
        "`{}` stands twice in one object (line {}, column {}): one reader takes the first, another the last; leave one",
        crate::finding::excerpt(&first.path.to_string()),
        at.line,
        at.column
    ))
}

struct Search<'t> {
    reader: Reader<'t>,
    // The way to the value at hand; a path is made of it only for what is told.
    way: Vec<Way<'t>>,
    repeated: Vec<Repeated>,
}

enum Way<'t> {
    Key(Text<'t>),
    Index(usize),
}

impl Search<'_> {
    fn value(&mut self) -> Result<(), SyntaxError> {
        match self.reader.peek() {
            Kind::Object => {
                let mut seen = BTreeSet::new();
                self.reader.begin_object()?;
                while let Some(raw) = self.reader.next_key()? {
                    let byte_end = self.reader.byte();
                    let byte_start = byte_end.saturating_sub(raw.bytes.len() + 3);
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
            Kind::String | Kind::Scalar => self.reader.skip(),
        }
    }

    fn tell(&mut self, name: &Text<'_>, span: Span) {
        let steps = self.way.iter().map(|step| match step {
            Way::Key(key) => Step::Key(key.clone().into_owned()),
            Way::Index(index) => Step::Index(*index),
        });
        self.repeated.push(Repeated {
            path: ValuePath(steps.collect()),
            name: name.to_display().into_owned(),
            span,
        });
    }
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
        assert!(
            first_repeated("{\"a\": 1,\n\"a\": 2}")
                .unwrap()
                .contains("line 2, column 1")
        );
        assert!(first_repeated("{").is_none());
    }
}
