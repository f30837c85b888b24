//! Data read from inputs: JSON with Python's meanings, YAML 1.1, front matter, paths into a value.
//!
//! [`Value`] is a JSON document as Python's `json.loads` would return it. It borrows from the
//! input where it can. Equality and truth are Python's.

pub mod front_matter;
pub mod json;
pub mod number;

pub mod yaml;

use hashbrown::DefaultHashBuilder;
use std::collections::HashMap;

pub use crate::text::Text;
pub use number::BigInteger;

/// A JSON value with Python's meanings.
#[derive(Clone, Debug, Default)]
pub enum Value<'a> {
    /// `None`.
    #[default]
    Null,
    /// `True`, `False`.
    Bool(bool),
    /// An `int` that fits 64 bits.
    Int(i64),
    /// An `int` that does not.
    BigInt(Box<BigInteger>),
    /// A `float`, NaN and infinities included.
    Float(f64),
    /// A `str`.
    Str(Text<'a>),
    /// A `list`.
    Array(Vec<Value<'a>>),
    /// A `dict` with `str` keys.
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object<'a>> {
        if let Self::Object(object) = self {
            Some(object)
        } else {
            None
        }
    }

    /// The list, if it is one.
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        if let Self::Array(items) = self {
            Some(items)
        } else {
            None
        }
    }

    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&Text<'a>> {
        if let Self::Str(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// Member `key` of an object; nothing for other types or when absent.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object()?.get(key)
    }

    /// Python's truth: not `None`, `False`, 0, 0.0, or empty.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Int(number) => *number != 0,
            Self::BigInt(_) => true,
            Self::Float(number) => *number != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::Array(items) => !items.is_empty(),
            Self::Object(object) => !object.is_empty(),
        }
    }

    /// Whether Python could use the value as a dictionary key or set member.
    pub fn is_hashable(&self) -> bool {
        !matches!(self, Self::Array(_) | Self::Object(_))
    }

    /// Name of the Python type: `NoneType`, `bool`, `int`, `float`, `str`, `list`, `dict`.
    pub fn python_type(&self) -> &'static str {
        match self {
            Self::Null => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::BigInt(_) => "int",
            Self::Float(_) => "float",
            Self::Str(_) => "str",
            Self::Array(_) => "list",
            Self::Object(_) => "dict",
        }
    }

    /// Name of the JSON type, whole numbers apart: `null`, `boolean`, `integer`, `number`, `string`,
    /// `array`, `object`.
    pub fn json_type(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) | Self::BigInt(_) => "integer",
            Self::Float(_) => "number",
            Self::Str(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// Python's `is True` / `== True` apart: exactly the boolean true.
    pub fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    /// The same value, owning all of its text.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(flag),
            Self::Int(number) => Value::Int(number),
            Self::BigInt(number) => Value::BigInt(number),
            Self::Float(number) => Value::Float(number),
            Self::Str(text) => Value::Str(text.into_owned()),
            Self::Array(items) => Value::Array(items.into_iter().map(Value::into_owned).collect()),
            Self::Object(object) => Value::Object(
                object
                    .into_iter()
                    .map(|(key, value)| (key.into_owned(), value.into_owned()))
                    .collect(),
            ),
        }
    }
}

/// How Python compares what containers hold: identity comes before equality, and every `NaN` that
/// `json` reads is one object.
fn is_same_or_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Float(left), Value::Float(right)) if left.is_nan() && right.is_nan() => true,
        _ => left == right,
    }
}

/// Python's `==`: `1 == 1.0 == True`, objects regardless of key order, NaN unequal to itself
/// (but equal as a member of a list or object).
impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Str(left), Self::Str(right)) => left == right,
            (Self::Array(left), Self::Array(right)) => {
                left.len() == right.len()
                    && left
                        .iter()
                        .zip(right)
                        .all(|(left, right)| is_same_or_equal(left, right))
            }
            (Self::Object(left), Self::Object(right)) => {
                left.len() == right.len()
                    && left.iter().all(|(key, value)| {
                        right
                            .get_text(key)
                            .is_some_and(|other| is_same_or_equal(value, other))
                    })
            }
            (left, right) => match (number::Number::of(left), number::Number::of(right)) {
                (Some(left), Some(right)) => left == right,
                _ => false,
            },
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Str(Text::borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Str(Text::from(text))
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

impl From<usize> for Value<'_> {
    fn from(count: usize) -> Self {
        i64::try_from(count).map_or(Self::Float(f64::INFINITY), Self::Int)
    }
}

impl<'a> From<Vec<Value<'a>>> for Value<'a> {
    fn from(items: Vec<Value<'a>>) -> Self {
        Self::Array(items)
    }
}

/// A `dict`: insertion order, a repeated key keeps its first place and takes the last value.
#[derive(Clone, Debug, Default)]
pub struct Object<'a> {
    members: Vec<(Text<'a>, Value<'a>)>,
    /// Places by key, kept only for objects with more than [`Object::SCAN_LIMIT`] members: below
    /// that a scan is faster than hashing and most objects stay there.
    #[expect(
        clippy::box_collection,
        reason = "most objects have none: one word, not six, in each"
    )]
    places: Option<Box<HashMap<Text<'a>, usize, DefaultHashBuilder>>>,
}

impl<'a> Object<'a> {
    const SCAN_LIMIT: usize = 24;

    /// An empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn place(&self, key: &[u8]) -> Option<usize> {
        match &self.places {
            Some(places) => places.get(key).copied(),
            None => self
                .members
                .iter()
                .position(|(known, _)| known.as_bytes() == key),
        }
    }

    /// Member `key`.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.members
            .get(self.place(key.as_bytes())?)
            .map(|(_, value)| value)
    }

    /// Member `key`, for keys that may hold lone surrogates.
    pub fn get_text(&self, key: &Text<'_>) -> Option<&Value<'a>> {
        self.members
            .get(self.place(key.as_bytes())?)
            .map(|(_, value)| value)
    }

    /// Member `key`, mutable.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value<'a>> {
        let place = self.place(key.as_bytes())?;
        self.members.get_mut(place).map(|(_, value)| value)
    }

    /// Whether there is a member `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key.as_bytes()).is_some()
    }

    /// Set member `key`: an existing one keeps its place. Returns the old value.
    pub fn insert(
        &mut self,
        key: impl Into<Text<'a>>,
        value: impl Into<Value<'a>>,
    ) -> Option<Value<'a>> {
        let key = key.into();
        let value = value.into();
        if let Some(place) = self.place(key.as_bytes()) {
            return self
                .members
                .get_mut(place)
                .map(|(_, old)| std::mem::replace(old, value));
        }
        self.push_new(key, value);
        None
    }

    /// Append member `key`, which the caller knows is not there yet.
    pub(crate) fn push_new(&mut self, key: Text<'a>, value: Value<'a>) {
        let place = self.members.len();
        if let Some(places) = &mut self.places {
            places.insert(key.clone(), place);
        } else if place == Self::SCAN_LIMIT {
            let mut places: HashMap<_, _, _> = self
                .members
                .iter()
                .enumerate()
                .map(|(at, (known, _))| (known.clone(), at))
                .collect();
            places.insert(key.clone(), place);
            self.places = Some(Box::new(places));
        }
        self.members.push((key, value));
    }

    /// Remove member `key`; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value<'a>> {
        let place = self.place(key.as_bytes())?;
        let (_, value) = self.members.remove(place);
        if self.places.is_some() {
            let members = std::mem::take(&mut self.members);
            *self = members.into_iter().collect();
        }
        Some(value)
    }

    /// Members in order.
    pub fn iter(&self) -> std::slice::Iter<'_, (Text<'a>, Value<'a>)> {
        self.members.iter()
    }

    /// Keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &Text<'a>> {
        self.members.iter().map(|(key, _)| key)
    }

    /// Values in order.
    pub fn values(&self) -> impl Iterator<Item = &Value<'a>> {
        self.members.iter().map(|(_, value)| value)
    }
}

impl<'a> FromIterator<(Text<'a>, Value<'a>)> for Object<'a> {
    fn from_iter<I: IntoIterator<Item = (Text<'a>, Value<'a>)>>(members: I) -> Self {
        let mut object = Self::new();
        for (key, value) in members {
            object.insert(key, value);
        }
        object
    }
}

impl<'a> IntoIterator for Object<'a> {
    type Item = (Text<'a>, Value<'a>);
    type IntoIter = std::vec::IntoIter<(Text<'a>, Value<'a>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.into_iter()
    }
}

impl<'o, 'a> IntoIterator for &'o Object<'a> {
    type Item = &'o (Text<'a>, Value<'a>);
    type IntoIter = std::slice::Iter<'o, (Text<'a>, Value<'a>)>;

    fn into_iter(self) -> Self::IntoIter {
        self.members.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_key_keeps_its_place_and_takes_the_last_value() {
        let mut object = Object::new();
        for index in 0..40 {
            object.insert(format!("k{index}"), Value::Int(index));
        }
        assert_eq!(
            object.insert(String::from("k1"), Value::Bool(true)),
            Some(Value::Int(1))
        );
        assert_eq!(
            object.iter().nth(1).map(|(key, _)| key.clone()),
            Some(Text::borrowed("k1"))
        );
        assert_eq!(object.get("k1"), Some(&Value::Bool(true)));
        assert_eq!(object.remove("k0"), Some(Value::Int(0)));
        assert_eq!(object.get("k39"), Some(&Value::Int(39)));
        assert_eq!(object.len(), 39);
    }

    #[test]
    fn equality_is_pythons() {
        assert_eq!(Value::Int(1), Value::Bool(true));
        assert_eq!(Value::Int(1), Value::Float(1.0));
        assert_ne!(Value::Float(f64::NAN), Value::Float(f64::NAN));
        assert_eq!(
            Value::Array(vec![Value::Float(f64::NAN)]),
            Value::Array(vec![Value::Float(f64::NAN)])
        );
        assert_ne!(Value::Null, Value::Bool(false));
        assert_ne!(
            Value::Int(9_007_199_254_740_993),
            Value::Float(9_007_199_254_740_992.0)
        );
    }
}
