//! Nodes to values.
//!
//! In: the composer's graph. Out: an owned [`YamlValue`] with aliases unfolded and `<<` merged. What
//! a value's type cannot build is an error, as it is an exception in `PyYAML`.

use super::composer::{Content, Graph, Node, NodeId};
use super::resolver::Tag;
use super::timestamp::Timestamp;
use super::{Mark, YamlError, YamlMap, YamlMember, YamlValue};
use crate::text::Text;
use crate::value::number::BigInteger;
use num_bigint::{BigInt, BigUint};

/// What a document may unfold to before it counts as an attack: this, plus a multiple of its size.
/// Each value costs one, and its text its length in bytes.
const UNFOLD_ALLOWANCE: usize = 4 << 20;
const UNFOLD_FACTOR: usize = 16;

/// Python converts no decimal text of more digits than this to an integer.
const INTEGER_DIGITS: usize = 4300;

struct Constructor<'a> {
    graph: Graph<'a>,
    allowance: usize,
}

pub(super) fn construct(
    graph: Graph<'_>,
    root: NodeId,
    len_bytes: usize,
) -> Result<YamlValue, YamlError> {
    let allowance = UNFOLD_ALLOWANCE.saturating_add(len_bytes.saturating_mul(UNFOLD_FACTOR));
    Constructor { graph, allowance }.construct(root)
}

const NO_NODE: YamlError = YamlError {
    reason: "a node is missing",
    mark: Mark { line: 1, column: 1 },
};

impl<'a> Constructor<'a> {
    fn node(&self, id: NodeId) -> Result<&Node<'a>, YamlError> {
        self.graph.nodes.get(id).ok_or(NO_NODE)
    }

    fn mark(&self, id: NodeId) -> Mark {
        self.graph
            .nodes
            .get(id)
            .map_or(NO_NODE.mark, |node| node.mark)
    }

    fn error(&self, id: NodeId, reason: &'static str) -> YamlError {
        YamlError::new(reason, self.mark(id))
    }

    fn charge(&mut self, id: NodeId, cost: usize) -> Result<(), YamlError> {
        match self.allowance.checked_sub(cost) {
            Some(left) => {
                self.allowance = left;
                Ok(())
            }
            None => Err(self.error(id, "the aliases unfold to far more than the text is long")),
        }
    }

    fn construct(&mut self, id: NodeId) -> Result<YamlValue, YamlError> {
        let node = self.node(id)?;
        let cost = match &node.content {
            Content::Scalar(text) => text.as_bytes().len() + 1,
            Content::Sequence(_) | Content::Mapping(_) => 1,
        };
        let tag = node.tag;
        self.charge(id, cost)?;
        match tag {
            Tag::Seq => self.construct_list(id),
            Tag::Map => self.construct_map(id).map(YamlValue::Map),
            Tag::Set => {
                let mut members = YamlMap::new();
                for member in self.construct_map(id)?.members.into_values() {
                    members.insert_member(YamlMember {
                        value: YamlValue::Null,
                        ..member
                    });
                }
                Ok(YamlValue::Set(members))
            }
            Tag::Omap | Tag::Pairs => self.construct_pairs(id),
            Tag::Merge | Tag::Value | Tag::Unknown => {
                Err(self.error(id, "a type that a safe loader cannot build"))
            }
            Tag::Null
            | Tag::Bool
            | Tag::Int
            | Tag::Float
            | Tag::Str
            | Tag::Binary
            | Tag::Timestamp => {
                let text = self.scalar_text(id)?;
                build_scalar(tag, text).map_err(|reason| self.error(id, reason))
            }
        }
    }

    /// The text of a scalar; a mapping with the key `=` stands for the value of that key.
    fn scalar_text(&self, id: NodeId) -> Result<&Text<'a>, YamlError> {
        let mut at = id;
        // A node cannot hold itself, so this ends.
        loop {
            match &self.node(at)?.content {
                Content::Scalar(text) => return Ok(text),
                Content::Mapping(pairs) => {
                    let value = pairs
                        .iter()
                        .find(|(key, _)| self.node(*key).is_ok_and(|key| key.tag == Tag::Value));
                    match value {
                        Some((_, value)) => at = *value,
                        None => {
                            return Err(
                                self.error(id, "a simple value is wanted here, not a mapping")
                            );
                        }
                    }
                }
                Content::Sequence(_) => {
                    return Err(self.error(id, "a simple value is wanted here, not a list"));
                }
            }
        }
    }

    fn construct_list(&mut self, id: NodeId) -> Result<YamlValue, YamlError> {
        let items = match &self.node(id)?.content {
            Content::Sequence(items) => items.clone(),
            Content::Scalar(_) | Content::Mapping(_) => {
                return Err(self.error(id, "a list is wanted here"));
            }
        };
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            list.push(self.construct(item)?);
        }
        Ok(YamlValue::List(list))
    }

    fn construct_pairs(&mut self, id: NodeId) -> Result<YamlValue, YamlError> {
        let items = match &self.node(id)?.content {
            Content::Sequence(items) => items.clone(),
            Content::Scalar(_) | Content::Mapping(_) => {
                return Err(self.error(id, "a list is wanted here"));
            }
        };
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let pair = match &self.node(item)?.content {
                Content::Mapping(pairs) => match pairs.as_slice() {
                    [pair] => *pair,
                    _ => return Err(self.error(item, "a mapping of one member is wanted here")),
                },
                Content::Scalar(_) | Content::Sequence(_) => {
                    return Err(self.error(item, "a mapping of one member is wanted here"));
                }
            };
            let key = self.construct(pair.0)?;
            let value = self.construct(pair.1)?;
            list.push(YamlValue::Pair(Box::new((key, value))));
        }
        Ok(YamlValue::List(list))
    }

    fn construct_map(&mut self, id: NodeId) -> Result<YamlMap, YamlError> {
        let pairs = self.merged_pairs(id)?;
        let mut map = YamlMap::new();
        for (key_id, value_id) in pairs {
            let line = self.mark(key_id).line;
            let key = self.construct(key_id)?;
            if !key.is_hashable() {
                return Err(self.error(key_id, "a list or mapping cannot be a key"));
            }
            let value = self.construct(value_id)?;
            map.insert_member(YamlMember { key, value, line });
        }
        Ok(map)
    }

    /// The pairs of a mapping with `<<` replaced by what it names, which goes first and so yields
    /// to the mapping's own keys. The graph keeps the result, so every alias pays only once.
    fn merged_pairs(&mut self, id: NodeId) -> Result<Vec<(NodeId, NodeId)>, YamlError> {
        let pairs = match &self.node(id)?.content {
            Content::Mapping(pairs) => pairs.clone(),
            Content::Scalar(_) | Content::Sequence(_) => {
                return Err(self.error(id, "a mapping is wanted here"));
            }
        };
        let mut merged = Vec::new();
        let mut own = Vec::with_capacity(pairs.len());
        let mut changed = false;
        for (key, value) in pairs {
            match self.node(key)?.tag {
                Tag::Merge => {
                    changed = true;
                    self.collect_merge(value, &mut merged)?;
                    self.charge(id, merged.len())?;
                }
                Tag::Value => {
                    if let Some(node) = self.graph.nodes.get_mut(key) {
                        node.tag = Tag::Str;
                    }
                    own.push((key, value));
                }
                Tag::Null
                | Tag::Bool
                | Tag::Int
                | Tag::Float
                | Tag::Str
                | Tag::Binary
                | Tag::Timestamp
                | Tag::Seq
                | Tag::Map
                | Tag::Set
                | Tag::Omap
                | Tag::Pairs
                | Tag::Unknown => own.push((key, value)),
            }
        }
        if !changed {
            return Ok(own);
        }
        merged.append(&mut own);
        if let Some(node) = self.graph.nodes.get_mut(id) {
            node.content = Content::Mapping(merged.clone());
        }
        Ok(merged)
    }

    fn collect_merge(
        &mut self,
        value: NodeId,
        merged: &mut Vec<(NodeId, NodeId)>,
    ) -> Result<(), YamlError> {
        let sources = match &self.node(value)?.content {
            Content::Mapping(_) => vec![value],
            // Earlier mappings of a list win over later ones, so they are merged last.
            Content::Sequence(items) => items.iter().rev().copied().collect(),
            Content::Scalar(_) => {
                return Err(self.error(value, "`<<` takes a mapping or a list of mappings"));
            }
        };
        for source in sources {
            if !matches!(self.node(source)?.content, Content::Mapping(_)) {
                return Err(self.error(source, "`<<` takes a mapping or a list of mappings"));
            }
            merged.extend(self.merged_pairs(source)?);
            self.charge(value, merged.len())?;
        }
        Ok(())
    }
}

/// The value of one scalar, or why there is none.
fn build_scalar(tag: Tag, text: &Text<'_>) -> Result<YamlValue, &'static str> {
    match tag {
        Tag::Null => Ok(YamlValue::Null),
        Tag::Bool => {
            let word = text.to_display().to_lowercase();
            match word.as_str() {
                "yes" | "true" | "on" => Ok(YamlValue::Bool(true)),
                "no" | "false" | "off" => Ok(YamlValue::Bool(false)),
                _ => Err("not a boolean"),
            }
        }
        Tag::Int => build_int(text).ok_or("not an integer that Python can hold"),
        Tag::Float => build_float(text)
            .map(YamlValue::Float)
            .ok_or("not a number"),
        Tag::Binary => decode_base64(text.as_bytes())
            .map(YamlValue::Binary)
            .ok_or("not base64"),
        Tag::Timestamp => Timestamp::parse(text.as_bytes())
            .map(YamlValue::Timestamp)
            .ok_or("shaped like a date, but there is no such day or time; put it in quotes"),
        Tag::Str
        | Tag::Seq
        | Tag::Map
        | Tag::Set
        | Tag::Omap
        | Tag::Pairs
        | Tag::Merge
        | Tag::Value
        | Tag::Unknown => Ok(YamlValue::Str(text.clone().into_owned())),
    }
}

fn without_underscores(text: &Text<'_>) -> Option<String> {
    Some(text.as_str()?.replace('_', ""))
}

/// Python's `int(text, radix)` for text without underscores.
fn python_int(text: &str, radix: u32) -> Option<BigInt> {
    let text =
        text.trim_matches(|character: char| crate::text::python::is_space(u32::from(character)));
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefix = match radix {
        2 => "0b",
        8 => "0o",
        16 => "0x",
        _ => "",
    };
    let digits = match digits.split_at_checked(2) {
        Some((start, rest)) if !prefix.is_empty() && start.eq_ignore_ascii_case(prefix) => rest,
        _ => digits,
    };
    if digits.is_empty()
        || digits.len() > INTEGER_DIGITS
        || !digits.chars().all(|digit| digit.is_digit(radix))
    {
        return None;
    }
    let magnitude = BigInt::parse_bytes(digits.as_bytes(), radix)?;
    Some(if negative { -magnitude } else { magnitude })
}

fn build_int(text: &Text<'_>) -> Option<YamlValue> {
    let text = without_underscores(text)?;
    let first = text.chars().next()?;
    let unsigned = if matches!(first, '+' | '-') {
        text.get(1..)?
    } else {
        text.as_str()
    };
    let magnitude = if unsigned == "0" {
        BigInt::ZERO
    } else if let Some(bits) = unsigned.strip_prefix("0b") {
        python_int(bits, 2)?
    } else if let Some(digits) = unsigned.strip_prefix("0x") {
        python_int(digits, 16)?
    } else if unsigned.starts_with('0') {
        python_int(unsigned, 8)?
    } else if unsigned.contains(':') {
        if unsigned.len() > INTEGER_DIGITS {
            return None;
        }
        let mut value = BigInt::ZERO;
        for part in unsigned.split(':') {
            value = value * 60 + python_int(part, 10)?;
        }
        value
    } else {
        python_int(unsigned, 10)?
    };
    let number = if first == '-' { -magnitude } else { magnitude };
    Some(match i64::try_from(&number) {
        Ok(number) => YamlValue::Int(number),
        Err(_) => YamlValue::BigInt(Box::new(BigInteger::from_literal(number.to_string()))),
    })
}

/// Python's `float(text)` for text without underscores.
fn python_float(text: &str) -> Option<f64> {
    text.trim_matches(|character: char| crate::text::python::is_space(u32::from(character)))
        .parse()
        .ok()
}

fn build_float(text: &Text<'_>) -> Option<f64> {
    let text = without_underscores(text)?.to_lowercase();
    let first = text.chars().next()?;
    let unsigned = if matches!(first, '+' | '-') {
        text.get(1..)?
    } else {
        text.as_str()
    };
    let sign = if first == '-' { -1.0 } else { 1.0 };
    if unsigned == ".inf" {
        return Some(sign * f64::INFINITY);
    }
    if unsigned == ".nan" {
        return Some(f64::NAN);
    }
    if !unsigned.contains(':') {
        return python_float(unsigned).map(|number| sign * number);
    }
    let mut value = 0.0;
    let mut base = BigUint::from(1_u8);
    for part in unsigned.rsplit(':') {
        // Python multiplies by the integer rounded once, and cannot once that is too large.
        let factor: f64 = base.to_string().parse().ok()?;
        if factor.is_infinite() {
            return None;
        }
        value += python_float(part)? * factor;
        base *= 60_u8;
    }
    Some(sign * value)
}

/// Python's `base64.decodebytes`: other characters are skipped, padding must be right.
fn decode_base64(bytes: &[u8]) -> Option<Vec<u8>> {
    if !bytes.is_ascii() {
        return None;
    }
    let mut decoded = Vec::new();
    let mut held: u32 = 0;
    let mut count = 0_u8;
    let mut pads = 0_u8;
    for &byte in bytes {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                if count >= 2 {
                    pads = pads.saturating_add(1);
                    if count.saturating_add(pads) >= 4 {
                        return Some(decoded);
                    }
                }
                continue;
            }
            _ => continue,
        };
        pads = 0;
        held = (held << 6) | u32::from(six);
        count += 1;
        // Each further character completes one byte.
        if count >= 2 {
            let shift = 2 * (4 - u32::from(count));
            decoded.push(u8::try_from((held >> shift) & 0xFF).unwrap_or_default());
        }
        if count == 4 {
            count = 0;
            held = 0;
        }
    }
    (count == 0).then_some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_follows_python() {
        let decode = |text: &str| decode_base64(text.as_bytes());
        assert_eq!(decode("aGVsbG8=").as_deref(), Some(b"hello".as_slice()));
        assert_eq!(
            decode(" aGV\nsbG8= tail").as_deref(),
            Some(b"hello".as_slice())
        );
        assert_eq!(decode("aGVsbG8"), None);
        assert_eq!(decode("a"), None);
        assert_eq!(decode("").as_deref(), Some(b"".as_slice()));
    }

    #[test]
    fn python_refuses_a_plain_integer_of_more_than_4300_digits() {
        let digits = "7".repeat(4300);
        assert!(build_int(&Text::borrowed(&digits)).is_some());
        assert!(build_int(&Text::borrowed(&format!("{digits}7"))).is_none());
    }
}
