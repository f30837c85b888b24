//! A findings ledger read without holding its findings.
//!
//! In: the text of `findings.json`. Out: its members, the findings one at a time, its digest and
//! its bytes as the chain writes them. A ledger of a million findings is several times its size
//! when every finding is a value at once; here only one is.

use super::{Input, Stop, python_contains};
use crate::value::json::reader::{Kind, Reader, SyntaxError};
use crate::value::json::writer::{Style, dump_at, push_string};
use crate::value::{Object, Text, Value};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::ops::Range;

/// Bytes gathered before they are hashed.
const HASHED_AT_ONCE: usize = 1 << 16;

/// A ledger whose syntax has been checked.
#[derive(Clone, Debug)]
pub struct Ledger<'a> {
    text: &'a str,
    root: Root<'a>,
}

#[derive(Clone, Debug)]
enum Root<'a> {
    /// Members by key; code point order, as every artifact is written.
    Object(BTreeMap<Text<'a>, Member<'a>>),
    Other(Value<'a>),
}

#[derive(Clone, Debug)]
enum Member<'a> {
    Value(Value<'a>),
    /// The array of findings: its bytes in the text.
    Findings(Range<usize>),
}

impl<'a> Ledger<'a> {
    /// Read `text`, checking its syntax to the end.
    ///
    /// # Errors
    /// As for any JSON document.
    pub fn read(text: &'a str) -> Result<Self, SyntaxError> {
        let mut reader = Reader::new(text);
        if text.starts_with('\u{feff}') || reader.peek() != Kind::Object {
            return Ok(Self {
                text,
                root: Root::Other(crate::value::json::parse(text)?),
            });
        }
        let mut members = BTreeMap::new();
        reader.begin_object()?;
        while let Some(key) = reader.next_key()? {
            let key = key.decode();
            let is_findings = key == "findings" && reader.peek() == Kind::Array;
            let member = if is_findings {
                let start = reader.byte();
                reader.skip()?;
                Member::Findings(start..reader.byte())
            } else {
                Member::Value(reader.value()?)
            };
            // A repeated key takes the last value.
            members.insert(key, member);
        }
        reader.end()?;
        Ok(Self {
            text,
            root: Root::Object(members),
        })
    }

    /// Checks that the root has `keys`, as [`super::require_keys`].
    ///
    /// # Errors
    /// As there.
    pub fn require_keys(&self, keys: &[&str]) -> Result<(), Stop> {
        match &self.root {
            Root::Object(members) => match keys
                .iter()
                .find(|key| !members.contains_key(key.as_bytes()))
            {
                Some(key) => Err(Stop::said(format!(
                    "{} missing key '{key}'",
                    Input::Findings.label()
                ))),
                None => Ok(()),
            },
            Root::Other(value) => super::require_keys(Input::Findings, value, keys),
        }
    }

    /// Member `key`, except an array of findings.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        match &self.root {
            Root::Object(members) => match members.get(key.as_bytes())? {
                Member::Value(value) => Some(value),
                Member::Findings(_) => None,
            },
            Root::Other(_) => None,
        }
    }

    /// Whether there is a member `key`, as Python's `in` sees it.
    pub fn contains_key(&self, key: &str) -> bool {
        match &self.root {
            Root::Object(members) => members.contains_key(key.as_bytes()),
            Root::Other(value) => python_contains(value, key).unwrap_or(false),
        }
    }

    /// The findings in order.
    ///
    /// # Errors
    /// Unusable when they are neither an array nor an empty object or text.
    pub fn findings(&self) -> Result<Findings<'a>, Stop> {
        let Root::Object(members) = &self.root else {
            return Err(Stop::absent(Input::Findings, "$", "findings"));
        };
        match members.get("findings".as_bytes()) {
            Some(Member::Findings(range)) => {
                let mut reader = Reader::new(self.text.get(range.clone()).unwrap_or_default());
                let is_open = reader.begin_array().is_ok();
                Ok(Findings { reader, is_open })
            }
            Some(Member::Value(value)) => {
                super::iterated(Input::Findings, "$.findings", value)?;
                Ok(Findings {
                    reader: Reader::new(""),
                    is_open: false,
                })
            }
            None => Err(Stop::absent(Input::Findings, "$", "findings")),
        }
    }

    /// SHA-256 of the canonical form, 64 hex digits.
    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        let mut buffer = Vec::with_capacity(2 * HASHED_AT_ONCE);
        self.write(
            Style::ASCII_CANONICAL,
            &mut buffer,
            |_, finding| Ok::<_, ()>(finding),
            |buffer| {
                if buffer.len() >= HASHED_AT_ONCE {
                    hasher.update(&buffer);
                    buffer.clear();
                }
            },
        )
        .ok();
        hasher.update(&buffer);
        super::plan::hex(&hasher.finalize())
    }

    /// The ledger as the chain writes it (indented, sorted, ASCII, one final line end), every
    /// finding changed by `change`, which also gets its index.
    ///
    /// # Errors
    /// The first of `change`.
    pub fn rewritten<E>(
        &self,
        change: impl FnMut(usize, Value<'a>) -> Result<Value<'a>, E>,
    ) -> Result<Vec<u8>, E> {
        let mut out = Vec::with_capacity(self.text.len() + self.text.len() / 8);
        self.write(Style::ASCII_INDENTED, &mut out, change, |_| {})?;
        out.push(b'\n');
        Ok(out)
    }

    fn write<E>(
        &self,
        style: Style,
        out: &mut Vec<u8>,
        mut change: impl FnMut(usize, Value<'a>) -> Result<Value<'a>, E>,
        mut drain: impl FnMut(&mut Vec<u8>),
    ) -> Result<(), E> {
        let members = match &self.root {
            Root::Object(members) => members,
            Root::Other(value) => {
                dump_at(out, value, style, 0);
                return Ok(());
            }
        };
        let line_break = |out: &mut Vec<u8>, level: usize| {
            if let Some(indent) = style.indent {
                out.push(b'\n');
                out.resize(out.len() + indent * level, b' ');
            }
        };
        out.push(b'{');
        for (at, (key, member)) in members.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            line_break(out, 1);
            push_string(out, key, style.is_ascii);
            out.extend_from_slice(if style.is_compact { b":" } else { b": " });
            match member {
                Member::Value(value) => dump_at(out, value, style, 1),
                Member::Findings(range) => {
                    let mut reader = Reader::new(self.text.get(range.clone()).unwrap_or_default());
                    let is_open = reader.begin_array().is_ok();
                    out.push(b'[');
                    let mut is_empty = true;
                    for (index, finding) in (Findings { reader, is_open }).enumerate() {
                        if !is_empty {
                            out.push(b',');
                        }
                        is_empty = false;
                        line_break(out, 2);
                        dump_at(out, &change(index, finding)?, style, 2);
                        drain(out);
                    }
                    if !is_empty {
                        line_break(out, 1);
                    }
                    out.push(b']');
                }
            }
        }
        if !members.is_empty() {
            line_break(out, 0);
        }
        out.push(b'}');
        Ok(())
    }
}

/// The findings of a ledger, one at a time.
#[derive(Clone, Debug)]
pub struct Findings<'a> {
    reader: Reader<'a>,
    is_open: bool,
}

impl<'a> Iterator for Findings<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        // The syntax was checked when the ledger was read: a fault cannot come up any more.
        if self.is_open && self.reader.next_item().unwrap_or(false) {
            return self.reader.value().ok();
        }
        self.is_open = false;
        None
    }
}

/// The canonical form of `value`: the bytes that digests cover.
pub fn canonical(value: &Value<'_>) -> Vec<u8> {
    crate::value::json::dump(value, Style::ASCII_CANONICAL)
}

/// `value` as the chain writes it, with one final line end.
pub fn artifact(value: &Value<'_>) -> Vec<u8> {
    let mut out = crate::value::json::dump(value, Style::ASCII_INDENTED);
    out.push(b'\n');
    out
}

/// An object of these members.
pub(crate) fn object<'a, const N: usize>(members: [(&'static str, Value<'a>); N]) -> Object<'a> {
    members
        .into_iter()
        .map(|(key, value)| (Text::borrowed(key), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    const TEXTS: [&str; 9] = [
        "{\"findings\": [{\"b\": 1, \"a\": [1.0, {}]}, 3], \"z\": {\"y\": []}, \"é\": NaN}",
        "{\"findings\": [], \"a\": 1}",
        "{\"findings\": [1], \"findings\": {\"x\": 1}}",
        "{\"findings\": 1, \"findings\": [2, 3]}",
        "{}",
        "[1, 2]",
        "\"findings\"",
        " {\"a\": {\"findings\": [1]}, \"findings\": [ 1 , \"\\ud800\" ] } ",
        "null",
    ];

    #[test]
    fn reads_and_writes_as_the_whole_value_would() {
        for text in TEXTS {
            let (ledger, value) = (Ledger::read(text).unwrap(), parse(text).unwrap());
            assert_eq!(
                String::from_utf8(ledger.rewritten(|_, finding| Ok::<_, ()>(finding)).unwrap()),
                String::from_utf8(artifact(&value)),
                "{text}"
            );
            assert_eq!(
                ledger.digest(),
                crate::ledger::plan::canonical_digest(&value),
                "{text}"
            );
        }
    }

    #[test]
    fn faults_are_those_of_the_whole_document() {
        for text in [
            "{\"findings\": [1,]}",
            "{\"findings\": [01]}",
            "{\"findings\": [\"\\x\"]}",
            "{} x",
            "\u{feff}{}",
            "",
        ] {
            assert_eq!(
                Ledger::read(text).unwrap_err(),
                parse(text).unwrap_err(),
                "{text}"
            );
        }
        let deep = format!("{{\"findings\": {}1{}}}", "[".repeat(998), "]".repeat(998));
        assert_eq!(Ledger::read(&deep).is_err(), parse(&deep).is_err());
        let deeper = format!("{{\"findings\": {}", "[".repeat(100_000));
        assert_eq!(
            Ledger::read(&deeper).unwrap_err(),
            parse(&deeper).unwrap_err()
        );
    }

    #[test]
    fn findings_that_cannot_be_walked_are_unusable() {
        assert_eq!(
            Ledger::read("{\"findings\": \"\"}")
                .unwrap()
                .findings()
                .unwrap()
                .count(),
            0
        );
        assert_eq!(
            Ledger::read("{\"findings\": null}")
                .unwrap()
                .findings()
                .unwrap_err(),
            Stop::Unusable {
                input: Input::Findings,
                place: "$.findings".into(),
                reason: "expected array, got null".into()
            }
        );
    }
}
