//! Ids as Python's dictionaries and sets hold them, numbered in order of first appearance.
//!
//! In: fields of the inputs. Out: small numbers. Texts are told apart by their bytes, numbers by
//! their value (`1`, `1.0` and `True` are one id), lists and objects are no ids. Texts live in one
//! arena and the table compares them byte for byte: a hash alone never decides.

use crate::value::number::Number;
use crate::value::{Text, Value};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// One field of a record.
#[derive(Clone, Debug, Default)]
pub enum Field<'v> {
    /// The record has no such member.
    #[default]
    Missing,
    /// A text.
    Text(Text<'v>),
    /// Anything else.
    Other(Cow<'v, Value<'v>>),
}

impl<'v> Field<'v> {
    /// The field that `value` is.
    pub fn of(value: Option<&'v Value<'v>>) -> Self {
        match value {
            None => Self::Missing,
            Some(Value::Str(text)) => Self::Text(Text::from_wtf8(Cow::Borrowed(text.as_bytes()))),
            Some(other) => Self::Other(Cow::Borrowed(other)),
        }
    }

    /// The same field with `text` in place of a missing one.
    pub fn or_text(&self, text: &'static str) -> Field<'_> {
        match self {
            Self::Missing => Field::Text(Text::borrowed(text)),
            Self::Text(text) => Field::Text(Text::from_wtf8(Cow::Borrowed(text.as_bytes()))),
            Self::Other(value) => Field::Other(Cow::Borrowed(value.as_ref())),
        }
    }

    /// Python's `str` of the field; a missing one shows as `None`.
    pub fn to_shown(&self) -> Text<'static> {
        match self {
            Self::Missing => Text::borrowed("None"),
            Self::Text(text) => text.clone().into_owned(),
            Self::Other(value) => crate::text::python::str_of(value),
        }
    }

    /// Python's `repr` of the field; a missing one shows as `None`.
    pub fn to_repr(&self) -> String {
        match self {
            Self::Missing => String::from("None"),
            Self::Text(text) => crate::text::python::text_repr(text),
            Self::Other(value) => crate::text::python::repr(value),
        }
    }

    /// Name of the Python type.
    pub fn python_type(&self) -> &'static str {
        match self {
            Self::Missing => "NoneType",
            Self::Text(_) => "str",
            Self::Other(value) => value.python_type(),
        }
    }
}

/// The value cannot be a dictionary key or a set member: a list or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unhashable {
    /// Name of its Python type.
    pub python_type: &'static str,
}

/// Numbered ids.
#[derive(Debug, Default)]
pub struct IdTable {
    arena: Vec<u8>,
    /// End of each id's text in the arena; an id that is no text takes no bytes.
    ends: Vec<usize>,
    places: HashTable<usize>,
    hasher: DefaultHashBuilder,
    /// Ids that are no texts, by what Python tells them apart by.
    odd_places: BTreeMap<String, usize>,
    /// The same by number, as first met.
    odd_values: BTreeMap<usize, Value<'static>>,
}

fn odd_key(value: &Value<'_>) -> Result<String, Unhashable> {
    match Number::of(value) {
        Some(number) => Ok(number.dictionary_key()),
        None if value.is_hashable() => Ok(String::from("None")),
        None => Err(Unhashable {
            python_type: value.python_type(),
        }),
    }
}

impl IdTable {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of ids.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether some id is no text.
    pub fn has_odd(&self) -> bool {
        !self.odd_values.is_empty()
    }

    /// Bytes of the text of id `number`; empty for one that is no text.
    pub fn bytes(&self, number: usize) -> &[u8] {
        let start = number
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        let end = self.ends.get(number).copied().unwrap_or(start);
        self.arena.get(start..end).unwrap_or_default()
    }

    /// Id `number` if it is no text.
    pub fn odd(&self, number: usize) -> Option<&Value<'static>> {
        self.odd_values.get(&number)
    }

    /// Whether id `number` is exactly this text.
    #[inline]
    pub fn is_text(&self, number: usize, bytes: &[u8]) -> bool {
        self.bytes(number) == bytes
            && number < self.len()
            && (!bytes.is_empty() || self.odd(number).is_none())
    }

    /// Id `number` as a value.
    pub fn value(&self, number: usize) -> Value<'_> {
        match self.odd(number) {
            Some(value) => value.clone(),
            None => Value::Str(Text::from_wtf8(Cow::Borrowed(self.bytes(number)))),
        }
    }

    fn text_place(&self, bytes: &[u8]) -> Option<usize> {
        let hash = self.hasher.hash_one(bytes);
        self.places
            .find(hash, |&number| self.bytes(number) == bytes)
            .copied()
    }

    /// The number of the text `bytes`, if it is known.
    pub fn find_text(&self, bytes: &[u8]) -> Option<usize> {
        self.text_place(bytes)
    }

    /// The number of `field`, if it is known. A missing field is `None`.
    ///
    /// # Errors
    /// [`Unhashable`] for lists and objects.
    pub fn find(&self, field: &Field<'_>) -> Result<Option<usize>, Unhashable> {
        match field {
            Field::Text(text) => Ok(self.text_place(text.as_bytes())),
            Field::Missing => Ok(self.odd_places.get("None").copied()),
            Field::Other(value) => Ok(self.odd_places.get(&odd_key(value)?).copied()),
        }
    }

    /// The number of the text `bytes`, and whether it is new.
    pub fn insert_text(&mut self, bytes: &[u8]) -> (usize, bool) {
        if let Some(known) = self.text_place(bytes) {
            return (known, false);
        }
        let number = self.ends.len();
        self.arena.extend_from_slice(bytes);
        self.ends.push(self.arena.len());
        let hash = self.hasher.hash_one(bytes);
        let Self {
            arena,
            ends,
            places,
            hasher,
            ..
        } = self;
        places.insert_unique(hash, number, |&other| {
            let start = other
                .checked_sub(1)
                .and_then(|before| ends.get(before))
                .copied()
                .unwrap_or(0);
            let end = ends.get(other).copied().unwrap_or(start);
            hasher.hash_one(arena.get(start..end).unwrap_or_default())
        });
        (number, true)
    }

    /// The number of `field`, and whether it is new. A missing field is `None`.
    ///
    /// # Errors
    /// [`Unhashable`] for lists and objects.
    pub fn insert(&mut self, field: &Field<'_>) -> Result<(usize, bool), Unhashable> {
        let null = Value::Null;
        let value = match field {
            Field::Text(text) => return Ok(self.insert_text(text.as_bytes())),
            Field::Missing => &null,
            Field::Other(value) => value.as_ref(),
        };
        let key = odd_key(value)?;
        if let Some(&known) = self.odd_places.get(&key) {
            return Ok((known, false));
        }
        let number = self.ends.len();
        self.ends.push(self.arena.len());
        self.odd_places.insert(key, number);
        self.odd_values.insert(number, value.clone().into_owned());
        Ok((number, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_apart_as_python_does() {
        let mut table = IdTable::new();
        let values = [
            Value::from("1"),
            Value::Int(1),
            Value::Bool(true),
            Value::Float(1.0),
            Value::Null,
            Value::from(""),
            Value::from("None"),
            Value::Float(f64::NAN),
            Value::Float(f64::NAN),
        ];
        let numbers: Vec<_> = values
            .iter()
            .map(|value| table.insert(&Field::of(Some(value))).unwrap().0)
            .collect();
        assert_eq!(numbers, [0, 1, 1, 1, 2, 3, 4, 5, 5]);
        assert_eq!(table.find(&Field::Missing), Ok(Some(2)));
        assert!(table.is_text(3, b"") && !table.is_text(2, b"") && !table.is_text(9, b""));
        assert_eq!(table.value(1), Value::Int(1));
        let list = Value::Array(Vec::new());
        assert_eq!(
            table.insert(&Field::of(Some(&list))),
            Err(Unhashable {
                python_type: "list"
            })
        );
    }

    #[test]
    fn many_texts_are_found_again() {
        let mut table = IdTable::new();
        for turn in 0..2 {
            for index in 0..10_000_usize {
                let (number, is_new) = table.insert_text(format!("id-{index}").as_bytes());
                assert_eq!((number, is_new), (index, turn == 0));
            }
        }
        assert_eq!(table.find_text(b"id-77"), Some(77));
        assert_eq!(table.find_text(b"id-10000"), None);
    }
}
