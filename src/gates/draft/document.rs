//! Reading `blueprint.json` with an eye on repeated member names.
//!
//! In: the text. Out: the value as Python would return it (the last of a repeated name wins), and
//! the paths of the names that occur twice in one object.

use super::place::Path;
use crate::value::json::SyntaxError;
use crate::value::json::reader::{Kind, Reader, SyntaxKind};
use crate::value::{Object, Value};
use std::collections::BTreeSet;

/// A parsed document and its repeated names.
#[derive(Debug)]
pub struct Document<'t> {
    /// The document.
    pub value: Value<'t>,
    /// Paths of member names that occur twice in one object.
    pub duplicates: BTreeSet<String>,
}

/// Parse a document.
///
/// # Errors
/// On a syntax fault, as [`crate::value::json::parse`].
pub fn parse(text: &str) -> Result<Document<'_>, SyntaxError> {
    if text.starts_with('\u{feff}') {
        return Err(SyntaxError {
            kind: SyntaxKind::ByteOrderMark,
            byte: 0,
        });
    }
    let mut reader = Reader::new(text);
    let mut duplicates = BTreeSet::new();
    let value = value(&mut reader, &Path::ROOT, &mut duplicates)?;
    reader.end()?;
    Ok(Document { value, duplicates })
}

fn value<'t>(
    reader: &mut Reader<'t>,
    path: &Path<'_>,
    duplicates: &mut BTreeSet<String>,
) -> Result<Value<'t>, SyntaxError> {
    match reader.peek() {
        Kind::String | Kind::Scalar => reader.value(),
        Kind::Object => {
            reader.begin_object()?;
            let mut object = Object::new();
            while let Some(key) = reader.next_key()? {
                let key = key.decode();
                let member = value(reader, &path.key(key.as_bytes()), duplicates)?;
                let length = object.len();
                let name = key.clone();
                object.insert(key, member);
                if object.len() == length {
                    duplicates.insert(path.key(name.as_bytes()).to_string());
                }
            }
            Ok(Value::Object(object))
        }
        Kind::Array => {
            reader.begin_array()?;
            let mut items = Vec::new();
            while reader.next_item()? {
                items.push(value(reader, &path.index(items.len()), duplicates)?);
            }
            Ok(Value::Array(items))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_told_once_with_their_path() {
        let document =
            parse(r#"{"a":{"x":1,"x":2,"x":3},"b":[{"y":1,"y":{}}],"x":1,"\u0061":2}"#).unwrap();
        assert!(document.duplicates.iter().eq(["a", "a.x", "b[0].y"]));
        assert_eq!(document.value.get("a"), Some(&Value::Int(2)));
        assert!(
            parse(r#"{"a":{"x":1},"b":{"x":1}}"#)
                .unwrap()
                .duplicates
                .is_empty()
        );
    }
}
