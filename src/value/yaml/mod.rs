//! YAML 1.1 as `PyYAML`'s safe loader reads it, and back.
//!
//! In: bytes. Out: an owned [`YamlValue`], or a [`YamlError`] with a reason and a place; `PyYAML`'s
//! answer to the same bytes in both directions. Writing is block style that YAML 1.1 and 1.2
//! readers agree on. Deliberately refused although `PyYAML` reads it: a node that holds itself, and
//! aliases that unfold to far more than the text is long.

mod composer;
mod constructor;
mod printed;
mod resolver;
mod scanner;
mod timestamp;
mod writer;

use crate::text::Text;
use crate::value::number::BigInteger;
use indexmap::IndexMap;
use std::fmt;

pub use timestamp::{Time, Timestamp};
pub use writer::write_yaml;

/// A place in a YAML text; both count from 1, the column in code points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
}

/// Why a text is not YAML that a safe loader can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// What is wrong, for a person.
    pub reason: &'static str,
    /// Where.
    pub mark: Mark,
}

impl YamlError {
    fn new(reason: &'static str, mark: Mark) -> Self {
        Self { reason, mark }
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "line {}, column {}: {}",
            self.mark.line, self.mark.column, self.reason
        )
    }
}

impl std::error::Error for YamlError {}

/// A value as Python would hold it.
#[derive(Clone, Debug)]
pub enum YamlValue {
    /// `None`.
    Null,
    /// `True`, `False`.
    Bool(bool),
    /// An `int` of 64 bits.
    Int(i64),
    /// An `int` beyond them.
    BigInt(Box<BigInteger>),
    /// A `float`.
    Float(f64),
    /// A `str`.
    Str(Text<'static>),
    /// `bytes`, from `!!binary`.
    Binary(Vec<u8>),
    /// A `date` or `datetime`.
    Timestamp(Timestamp),
    /// A `list`.
    List(Vec<YamlValue>),
    /// A `tuple` of two, as the items of `!!omap` and `!!pairs` are.
    Pair(Box<(YamlValue, YamlValue)>),
    /// A `set`, in the order of its members in the text.
    Set(YamlMap),
    /// A `dict`.
    Map(YamlMap),
}

impl YamlValue {
    /// A string.
    pub fn from_text(text: &str) -> Self {
        Self::Str(Text::from(text.to_owned()))
    }

    /// The mapping, if it is one.
    pub fn as_map(&self) -> Option<&YamlMap> {
        if let Self::Map(map) = self {
            Some(map)
        } else {
            None
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&[YamlValue]> {
        if let Self::List(items) = self {
            Some(items)
        } else {
            None
        }
    }

    /// The string, if it is one.
    pub fn as_text(&self) -> Option<&Text<'static>> {
        if let Self::Str(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// Whether it is `None`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// One member of a mapping.
#[derive(Clone, Debug)]
pub struct YamlMember {
    /// The key.
    pub key: YamlValue,
    /// Its value.
    pub value: YamlValue,
    /// Line of the key in the YAML text, from 1; 0 for a member that was not read.
    pub line: usize,
}

/// A `dict`: keys of any hashable type, in order, a repeated key keeping its first place and its
/// last value. Keys are equal as in Python (`1`, `1.0` and `true` are one key).
#[derive(Clone, Debug, Default)]
pub struct YamlMap {
    members: IndexMap<Vec<u8>, YamlMember>,
}

impl YamlMap {
    /// An empty mapping.
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

    /// The member with the string key `key`.
    pub fn member(&self, key: &str) -> Option<&YamlMember> {
        self.members.get(&text_identity(key.as_bytes()))
    }

    /// The value of the string key `key`.
    pub fn get(&self, key: &str) -> Option<&YamlValue> {
        self.member(key).map(|member| &member.value)
    }

    /// Set the string key `key`; an existing one keeps its place.
    pub fn insert(&mut self, key: &str, value: YamlValue) {
        let line = 0;
        let identity = text_identity(key.as_bytes());
        if let Some(member) = self.members.get_mut(&identity) {
            member.value = value;
        } else {
            let key = YamlValue::from_text(key);
            self.members
                .insert(identity, YamlMember { key, value, line });
        }
    }

    /// Set a key of any type; false when it is not hashable.
    fn insert_member(&mut self, member: YamlMember) -> bool {
        let Some(identity) = identity(&member.key, self.members.len()) else {
            return false;
        };
        match self.members.get_mut(&identity) {
            // Python keeps the first key object and takes the last value.
            Some(known) => known.value = member.value,
            None => {
                self.members.insert(identity, member);
            }
        }
        true
    }

    /// Members in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &YamlMember> {
        self.members.values()
    }
}

fn text_identity(text: &[u8]) -> Vec<u8> {
    let mut identity = Vec::with_capacity(text.len() + 1);
    identity.push(b's');
    identity.extend_from_slice(text);
    identity
}

/// Bytes that two keys share exactly when Python finds them equal; nothing for unhashable types.
/// `serial` keeps a NaN apart from every other key.
fn identity(key: &YamlValue, serial: usize) -> Option<Vec<u8>> {
    let identity = match key {
        YamlValue::Null => b"n".to_vec(),
        YamlValue::Bool(flag) => format!("i{}", i32::from(*flag)).into_bytes(),
        YamlValue::Int(number) => format!("i{number}").into_bytes(),
        YamlValue::BigInt(number) => format!("i{}", number.as_decimal()).into_bytes(),
        YamlValue::Float(number) if number.is_nan() => format!("f{serial}").into_bytes(),
        // A whole float's decimal digits are exact in Rust, so they can equal an integer's.
        YamlValue::Float(number) if number.is_finite() && number.fract() == 0.0 => {
            format!("i{:.0}", number + 0.0).into_bytes()
        }
        YamlValue::Float(number) => format!("d{number:e}").into_bytes(),
        YamlValue::Str(text) => text_identity(text.as_bytes()),
        YamlValue::Binary(bytes) => [b"b", bytes.as_slice()].concat(),
        YamlValue::Timestamp(timestamp) => match timestamp.instant() {
            Some(instant) => format!("z{instant}").into_bytes(),
            None => format!("t{timestamp}").into_bytes(),
        },
        YamlValue::Pair(pair) => {
            let (first, second) = (identity(&pair.0, serial)?, identity(&pair.1, serial)?);
            [
                b"p",
                format!("{}:", first.len()).as_bytes(),
                &first,
                &second,
            ]
            .concat()
        }
        YamlValue::List(_) | YamlValue::Set(_) | YamlValue::Map(_) => return None,
    };
    Some(identity)
}

/// Read `bytes` as `yaml.safe_load` does. An empty text is null.
///
/// # Errors
/// Whatever a safe loader refuses: bytes that are not UTF-8, characters YAML does not allow, faulty
/// syntax, unknown types, values that are not what their type says, a second document.
pub fn parse_yaml(bytes: &[u8]) -> Result<YamlValue, YamlError> {
    let text = simdutf8::basic::from_utf8(bytes).map_err(|_| {
        let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        YamlError::new("a byte that is not UTF-8", mark_of(bytes, valid))
    })?;
    if let Some((at, _)) = text
        .char_indices()
        .find(|&(_, character)| !is_allowed(character))
    {
        return Err(YamlError::new(
            "a character that YAML does not allow",
            mark_of(bytes, at),
        ));
    }
    let (graph, root) = composer::compose(text)?;
    match root {
        Some(root) => constructor::construct(graph, root, bytes.len()),
        None => Ok(YamlValue::Null),
    }
}

/// Keys that stand a second time (or more often) in one mapping of `bytes`, as they are written,
/// with their places. A key that overrides one of a merged mapping is no repetition. Nothing when
/// `bytes` is no YAML, which [`parse_yaml`] tells.
pub fn repeated_keys(bytes: &[u8]) -> Vec<(String, Mark)> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Vec::new();
    };
    let Ok((graph, _)) = composer::compose(text) else {
        return Vec::new();
    };
    let mut repeated = graph.repeated_keys();
    repeated.sort_by_key(|(_, mark)| (mark.line, mark.column));
    repeated
}

fn mark_of(bytes: &[u8], at: usize) -> Mark {
    let position = crate::position::LineIndex::new(bytes).position(bytes, at);
    Mark {
        line: position.line,
        column: position.column,
    }
}

/// Characters that may stand in a YAML text.
fn is_allowed(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}'
            | '\u{10000}'..
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;
    use crate::value::json;
    use std::fmt::Write as _;

    /// Texts with what `repr(yaml.safe_load(text))` gave under `PyYAML` 6.0.3, null where it raised.
    fn recorded() -> Vec<(Text<'static>, Option<Text<'static>>)> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/yaml.jsonl");
        let lines = std::fs::read_to_string(path).unwrap();
        let mut rows = Vec::new();
        for line in lines.lines() {
            let row: Value<'_> = json::parse(line).unwrap();
            let text = |key| {
                row.get(key)
                    .and_then(Value::as_text)
                    .cloned()
                    .map(Text::into_owned)
            };
            rows.push((text("text").unwrap(), text("repr")));
        }
        rows
    }

    #[test]
    fn texts_read_as_pyyaml_reads_them() {
        let rows = recorded();
        assert!(rows.len() >= 600);
        for (text, repr) in rows {
            let got = parse_yaml(text.as_bytes()).ok().map(|value| {
                let listed = YamlValue::List(vec![value])
                    .to_printed()
                    .to_display()
                    .into_owned();
                listed.get(1..listed.len() - 1).unwrap().to_owned()
            });
            assert_eq!(
                got,
                repr.map(|repr| repr.to_display().into_owned()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn written_values_read_back_as_themselves() {
        for (text, _) in recorded() {
            let Ok(value) = parse_yaml(text.as_bytes()) else {
                continue;
            };
            let mut map = YamlMap::new();
            map.insert("before", value.clone());
            map.insert("last", value.clone());
            let written = write_yaml(&map);
            let again = parse_yaml(written.as_bytes()).unwrap();
            let printed =
                |value: &YamlValue| value.to_printed().to_display().replace(['(', ')'], "");
            // A pair is written as a list of two, as PyYAML writes a tuple.
            let wanted = YamlValue::Map(map);
            let (got, wanted) = (printed(&again), printed(&wanted));
            if !text.to_display().contains("pairs") && !text.to_display().contains("omap") {
                assert_eq!(got, wanted, "{written}");
            }
            // Without the last line end, as a reader that splits at fences may see it.
            let cut = parse_yaml(written.trim_end_matches('\n').as_bytes()).unwrap();
            assert_eq!(printed(&cut), got, "{written}");
        }
    }

    #[test]
    fn aliases_are_bounded() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            writeln!(bomb, "a{level}: &a{level} [{below}]").unwrap();
        }
        let error = parse_yaml(bomb.as_bytes()).unwrap_err();
        assert_eq!(
            error.reason,
            "the aliases unfold to far more than the text is long"
        );
        let mut merges = String::from("a0: &a0 {k: 1}\n");
        for level in 1..40 {
            writeln!(
                merges,
                "a{level}: &a{level} {{<<: [*a{0}, *a{0}]}}",
                level - 1
            )
            .unwrap();
        }
        assert!(parse_yaml(merges.as_bytes()).is_err());
    }

    #[test]
    fn deep_nesting_and_self_reference_are_refused_with_a_place() {
        let deep = "[".repeat(100_000);
        assert_eq!(
            parse_yaml(deep.as_bytes()).unwrap_err().reason,
            "nested too deeply"
        );
        let fits = format!("{}{}", "[".repeat(400), "]".repeat(400));
        assert!(parse_yaml(fits.as_bytes()).is_ok());
        let error = parse_yaml(b"a: 1\nb: &x [*x]\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2, column 8: this alias stands inside its own anchor"
        );
        let error = parse_yaml(b"a: b: c\n").unwrap_err();
        assert_eq!(error.mark, Mark { line: 1, column: 5 });
    }

    #[test]
    fn bytes_and_characters_are_checked_first() {
        assert_eq!(
            parse_yaml(b"a: \xff").unwrap_err().mark,
            Mark { line: 1, column: 4 }
        );
        assert_eq!(
            parse_yaml("é\n\u{7}".as_bytes()).unwrap_err().to_string(),
            "line 2, column 1: a character that YAML does not allow"
        );
        assert!(parse_yaml("\u{feff}a: 1".as_bytes()).is_ok());
    }

    #[test]
    fn long_lines_fold_and_lookalikes_are_quoted() {
        let words = "word ".repeat(60).trim_end().to_owned();
        let mut map = YamlMap::new();
        map.insert("long", YamlValue::from_text(&words));
        for (index, text) in [
            "y",
            "NO",
            "1e3",
            "0o17",
            "12:30",
            "2026-04-22",
            "-.nan",
            "~",
            "",
            "a: b",
            "x #y",
            "= ",
        ]
        .iter()
        .enumerate()
        {
            map.insert(&format!("k{index}"), YamlValue::from_text(text));
        }
        map.insert("lines", YamlValue::from_text("one\n\ntwo # x\n"));
        map.insert("tab", YamlValue::from_text("a\tb"));
        let written = write_yaml(&map);
        let mut lines = written.lines();
        assert!(lines.all(|line| line.len() < 210), "{written}");
        assert!(written.contains("\n  word word"), "{written}");
        for wanted in [
            "k0: 'y'\n",
            "k2: '1e3'\n",
            "k3: '0o17'\n",
            "k7: '~'\n",
            "k8: ''\n",
            "k9: 'a: b'\n",
            "k11: '= '\n",
        ] {
            assert!(written.contains(wanted), "{wanted} in {written}");
        }
        assert!(
            written.contains("lines: |\n  one\n\n  two # x\ntab: \"a\\tb\"\n"),
            "{written}"
        );
    }
}
