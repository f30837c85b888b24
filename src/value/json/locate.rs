//! Find the bytes of a value by its path, so that documents need not carry positions.
//!
//! Gates work on values without places; only when there is a finding does a renderer ask here
//! where the value stands. One pass serves any number of paths.

use super::reader::{Kind, Reader, SyntaxError};
use crate::position::Span;
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A member.
    Key(Text<'static>),
    /// A list position, from 0.
    Index(usize),
}

/// A path from the root of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValuePath(pub Vec<Step>);

impl ValuePath {
    /// The root.
    pub fn root() -> Self {
        Self::default()
    }

    /// The steps of a path that was written from plain names: no key of it holds a dot or a bracket.
    pub fn of_plain(written: &str) -> Self {
        let mut path = Self::root();
        let parts = written.trim_start_matches('$').split(['.', '[']);
        for part in parts.filter(|part| !part.is_empty()) {
            path = match part.strip_suffix(']').map(str::parse) {
                Some(Ok(index)) => path.index(index),
                Some(Err(_)) | None => path.key(part.to_owned()),
            };
        }
        path
    }

    /// The path of member `key`.
    #[must_use]
    pub fn key(&self, key: impl Into<Text<'static>>) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.into()));
        Self(steps)
    }

    /// The path of item `index`.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Self(steps)
    }
}

impl fmt::Display for ValuePath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("$")?;
        for step in &self.0 {
            match step {
                Step::Key(key) => write!(out, ".{}", key.to_display())?,
                Step::Index(index) => write!(out, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// Spans of the values at `paths` in the document `text`, in the order of `paths`.
///
/// A path that does not exist gives the span of the deepest value on the way to it, so that a
/// missing member points at the object that lacks it. A repeated key points at its last value.
pub fn locate(text: &str, paths: &[ValuePath]) -> Vec<Option<Span>> {
    let mut found = vec![None; paths.len()];
    let active: Vec<(usize, &[Step])> = paths
        .iter()
        .enumerate()
        .map(|(at, path)| (at, path.0.as_slice()))
        .collect();
    // A syntax fault ends the search; what was found before it stands.
    let _ = visit(&mut Reader::new(text), &active, &mut found);
    found
}

fn visit(
    reader: &mut Reader<'_>,
    active: &[(usize, &[Step])],
    found: &mut [Option<Span>],
) -> Result<(), SyntaxError> {
    let kind = reader.peek();
    let byte_start = reader.byte();
    let mut next: BTreeMap<&Step, Vec<(usize, &[Step])>> = BTreeMap::new();
    for &(at, steps) in active {
        if let Some((first, rest)) = steps.split_first() {
            next.entry(first).or_default().push((at, rest));
        }
    }
    match kind {
        Kind::Object if !next.is_empty() => {
            // The last value of a repeated key counts: the first is looked into at once, of all
            // others only the last, so that many repetitions cost no more than one.
            let mut again: BTreeMap<&Step, Reader<'_>> = BTreeMap::new();
            let mut seen: BTreeSet<&Step> = BTreeSet::new();
            reader.begin_object()?;
            while let Some(key) = reader.next_key()? {
                let step = Step::Key(key.decode().into_owned());
                let Some((step, active)) = next.get_key_value(&step) else {
                    reader.skip()?;
                    continue;
                };
                if seen.insert(step) {
                    descend(reader, Some(active), found)?;
                } else {
                    again.insert(step, reader.clone());
                    reader.skip()?;
                }
            }
            for (step, mut last) in again {
                descend(&mut last, next.get(step), found)?;
            }
        }
        Kind::Array if !next.is_empty() => {
            reader.begin_array()?;
            let mut index = 0;
            while reader.next_item()? {
                descend(reader, next.get(&Step::Index(index)), found)?;
                index += 1;
            }
        }
        Kind::Object | Kind::Array | Kind::String | Kind::Scalar => reader.skip()?,
    }
    let span = Span {
        byte_start,
        byte_end: reader.byte(),
    };
    for &(at, steps) in active {
        if let Some(slot) = found.get_mut(at)
            && (steps.is_empty() || slot.is_none())
        {
            *slot = Some(span);
        }
    }
    Ok(())
}

fn descend(
    reader: &mut Reader<'_>,
    active: Option<&Vec<(usize, &[Step])>>,
    found: &mut [Option<Span>],
) -> Result<(), SyntaxError> {
    let Some(active) = active else {
        return reader.skip();
    };
    // A repeated key: forget what its earlier value gave.
    for &(at, _) in active {
        if let Some(slot) = found.get_mut(at) {
            *slot = None;
        }
    }
    visit(reader, active, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_path() {
        let text = "{\"a\": [1, {\"b\": \"x\"}], \"c\": 2, \"c\": 33}";
        let root = ValuePath::root();
        let paths = [
            root.key("a").index(1).key("b"),
            root.key("c"),
            root.key("a").index(1).key("missing"),
            root.clone(),
        ];
        let found: Vec<_> = locate(text, &paths)
            .into_iter()
            .map(|span| span.and_then(|span| text.get(span.byte_start..span.byte_end)))
            .collect();
        assert_eq!(
            found,
            [
                Some("\"x\""),
                Some("33"),
                Some("{\"b\": \"x\"}"),
                Some(text)
            ]
        );
        assert_eq!(paths[0].to_string(), "$.a[1].b");
    }
}
