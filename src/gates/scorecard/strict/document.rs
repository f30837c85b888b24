//! A scorecard as read: its header, its findings, its prose, and where each of them stands.
//!
//! In: the bytes of Markdown with YAML front matter, or of a JSON document with a `findings` list.
//! Out: a [`Document`], or the rule that its shape breaks.

use super::rules::{NO_FRONT_MATTER, UNREADABLE};
use crate::invariant::Invariant as _;
use crate::position::{LineIndex, Position, Span};
use crate::rule::Rule;
use crate::value::Value;
use crate::value::front_matter::{NoFrontMatter, split_front_matter};
use crate::value::json::locate::{Step, ValuePath, locate};
use crate::value::json::repeated::repeated_members;
use crate::value::json::{Dialect, parse};
use crate::value::yaml::{YamlMap, YamlValue, parse_yaml, repeated_keys};
use std::borrow::Cow;

/// A scorecard as read.
#[derive(Debug)]
pub(super) struct Document<'b> {
    /// The front matter, or the JSON object.
    pub(super) header: YamlMap,
    /// Whether it is a JSON document, which needs neither `persona` nor `run_id`.
    pub(super) is_json: bool,
    /// The prose: the body behind the front matter, or `summary` of a JSON document.
    pub(super) body: Cow<'b, str>,
    // Whether the document is the list of findings itself.
    is_list: bool,
    // Lines before the YAML text; the JSON text, to look places up in.
    lines_before: usize,
    text: &'b str,
    yaml: &'b [u8],
}

/// Why there is no document.
#[derive(Clone, Debug)]
pub(super) struct Unread {
    /// The rule broken.
    pub(super) rule: &'static Rule,
    /// What is wrong.
    pub(super) message: String,
    /// Where.
    pub(super) at: Position,
}

fn unread(rule: &'static Rule, line: usize, column: usize, message: impl Into<String>) -> Unread {
    Unread {
        rule,
        message: message.into(),
        at: Position { line, column },
    }
}

impl<'b> Document<'b> {
    /// Read a scorecard; one that begins with `{` or `[` is JSON.
    ///
    /// # Errors
    /// [`Unread`] when fences, syntax or types are not those of a scorecard.
    pub(super) fn read(bytes: &'b [u8]) -> Result<Self, Unread> {
        let content = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        match content.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => Self::read_json(content),
            _ => Self::read_markdown(bytes),
        }
    }

    fn read_markdown(bytes: &'b [u8]) -> Result<Self, Unread> {
        let parts = split_front_matter(bytes).map_err(|fault| match fault {
            NoFrontMatter::NoOpeningFence { line } => {
                let found = bytes.split(|&byte| byte == b'\n').nth(line - 1);
                let why = found.and_then(beside_a_fence).unwrap_or_default();
                let message =
                    format!("expected a line of exactly `---` that opens the front matter{why}");
                unread(&NO_FRONT_MATTER, line, 1, message)
            }
            NoFrontMatter::NoClosingFence { line } => unread(
                &NO_FRONT_MATTER,
                line,
                1,
                "the front matter opened here is never closed by a line of exactly `---`",
            ),
        })?;
        let lines_before = parts.yaml_line - 1;
        let header = match parse_yaml(parts.yaml) {
            Ok(YamlValue::Map(header)) => header,
            Ok(YamlValue::Null) => YamlMap::new(),
            Ok(other) => {
                let message = format!(
                    "the front matter is {}, expected a mapping",
                    other.type_words()
                );
                return Err(unread(&UNREADABLE, parts.yaml_line, 1, message));
            }
            Err(error) => {
                let line = lines_before + error.mark.line;
                let message = format!("the front matter is no valid YAML: {}", error.reason);
                return Err(unread(&UNREADABLE, line, error.mark.column, message));
            }
        };
        let body = String::from_utf8_lossy(parts.body);
        Ok(Self {
            header,
            is_json: false,
            is_list: false,
            body,
            lines_before,
            text: "",
            yaml: parts.yaml,
        })
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other types are one case"
    )]
    fn read_json(bytes: &'b [u8]) -> Result<Self, Unread> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = LineIndex::new(bytes).position(bytes, error.valid_up_to());
            unread(&UNREADABLE, at.line, at.column, "a byte that is not UTF-8")
        })?;
        let value = parse(text).map_err(|error| {
            let at = LineIndex::new(bytes).position(bytes, error.byte);
            let message = format!("no valid JSON: {}", error.message(text, Dialect::default()));
            unread(&UNREADABLE, at.line, at.column, message)
        })?;
        let (header, is_list) = match yaml_of(value) {
            YamlValue::Map(header) => (header, false),
            // A bare list is taken for the findings.
            list => {
                let mut header = YamlMap::new();
                header.insert("findings", list);
                (header, true)
            }
        };
        let summary = header.get("summary").and_then(YamlValue::as_text);
        let body = summary.map_or(Cow::Borrowed(""), |summary| {
            Cow::Owned(summary.to_display().into_owned())
        });
        Ok(Self {
            header,
            is_json: true,
            is_list,
            body,
            lines_before: 0,
            text,
            yaml: b"",
        })
    }

    /// Members that stand twice in one mapping: path, line in the YAML text (0 for JSON), name.
    pub(super) fn repeated(&self) -> Vec<(ValuePath, usize, String)> {
        if self.is_json {
            // The text was read before: a fault cannot come up now.
            let repeated = repeated_members(self.text).holds("the text was read before");
            return repeated
                .into_iter()
                .map(|member| (member.path, 0, member.name))
                .collect();
        }
        repeated_keys(self.yaml)
            .into_iter()
            .map(|(name, mark)| (ValuePath::root(), mark.line, name))
            .collect()
    }

    /// What YAML takes away from the text of `key`, whose line in the YAML text is `line`: the words cut
    /// off, and what YAML takes them for.
    pub(super) fn cut(&self, key: &str, line: usize) -> Option<(String, &'static str)> {
        let mut lines = self
            .yaml
            .split(|&byte| byte == b'\n')
            .skip(line.checked_sub(1)?)
            .map(String::from_utf8_lossy);
        let first = lines.next()?;
        let (before, text) = first.split_once(&format!("{key}:"))?;
        // Behind its key a list item or a mapping has nothing but dashes and blanks before it.
        if !before.chars().all(|character| " -\t".contains(character)) {
            return None;
        }
        let text = text.trim();
        if text.starts_with(['"', '\'', '|', '>', '[', '{', '*', '!']) {
            return None;
        }
        if text.starts_with('&') {
            let name = text.split_whitespace().next().unwrap_or(text);
            return Some((name.to_owned(), "an anchor"));
        }
        let continued = lines.take_while(|line| {
            let indent = line.len() - line.trim_start().len();
            indent > before.len() && !line.trim().is_empty()
        });
        std::iter::once(Cow::Borrowed(text))
            .chain(continued)
            .find_map(|line| {
                let line = line.trim_end();
                let comment = [" #", "\t#"]
                    .iter()
                    .filter_map(|mark| line.find(mark))
                    .min();
                let at = match comment {
                    Some(at) => at + 1,
                    None if line.starts_with('#') => 0,
                    None => return None,
                };
                let (_, comment) = line.split_at_checked(at)?;
                Some((comment.to_owned(), "a comment"))
            })
    }

    /// A path as the document has it: a bare list has no member `findings`.
    pub(super) fn path(&self, path: ValuePath) -> ValuePath {
        match path.0.split_first() {
            Some((Step::Key(key), rest)) if self.is_list && *key == "findings" => {
                ValuePath(rest.to_vec())
            }
            Some(_) | None => path,
        }
    }

    /// Positions of values: for JSON from the text, for YAML the line of the key.
    pub(super) fn places(
        &self,
        wanted: &[(ValuePath, usize)],
    ) -> Vec<(Option<Span>, Option<Position>, Option<Position>)> {
        if !self.is_json {
            let place = |&(_, line): &(ValuePath, usize)| {
                let start = (line > 0).then(|| Position {
                    line: self.lines_before + line,
                    column: 1,
                });
                (None, start, None)
            };
            return wanted.iter().map(place).collect();
        }
        let paths: Vec<ValuePath> = wanted.iter().map(|(path, _)| path.clone()).collect();
        let bytes = self.text.as_bytes();
        let lines = LineIndex::new(bytes);
        locate(self.text, &paths)
            .into_iter()
            .map(|span| {
                let at = |offset: fn(Span) -> usize| {
                    span.map(|span| lines.position(bytes, offset(span)))
                };
                (span, at(|span| span.byte_start), at(|span| span.byte_end))
            })
            .collect()
    }
}

/// Whether a file has what a scorecard has, whatever it is called and however its fences are broken.
pub fn looks_like_scorecard(bytes: &[u8]) -> bool {
    const LINES: usize = 12;
    let content = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if let Some(b'{' | b'[') = content.iter().find(|byte| !byte.is_ascii_whitespace()) {
        return looks_like_json_scorecard(content);
    }
    let (mut has_findings, mut has_name) = (false, false);
    let lines = content.split(|byte| matches!(byte, b'\n' | b'\r'));
    for line in lines
        .filter(|line| !line.trim_ascii().is_empty())
        .take(LINES)
    {
        let line = String::from_utf8_lossy(line.get(..line.len().min(80)).unwrap_or(line));
        let key = line.trim_start().trim_start_matches(['"', '\'', '?', ' ']);
        let is = |name: &str| {
            key.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        has_findings |= is("findings");
        has_name |= is("persona") || is("run_id");
    }
    has_findings && has_name
}

fn looks_like_json_scorecard(content: &[u8]) -> bool {
    let is_finding =
        |value: &Value<'_>| value.get("claim").is_some() && value.get("evidence").is_some();
    let Some(value) = std::str::from_utf8(content)
        .ok()
        .and_then(|text| parse(text).ok())
    else {
        let has = |name: &[u8]| memchr::memmem::find(content, name).is_some();
        return has(b"\"findings\"") && has(b"\"evidence\"") && has(b"\"claim\"");
    };
    let findings = value.get("findings").unwrap_or(&value);
    findings
        .as_array()
        .is_some_and(|findings| findings.iter().any(is_finding))
        || value.get("findings").is_some() && value.get("persona").is_some()
}

// What keeps a line that looks like a fence from being one; it cannot be seen in most editors.
fn beside_a_fence(line: &[u8]) -> Option<&'static str> {
    let bare = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    if !bare.trim_ascii().starts_with(b"---") {
        return None;
    }
    if bare.len() < line.len() {
        return Some("; a byte order mark stands before it: save the file without one");
    }
    if line == b"---\r" {
        return Some("; its lines end in CR LF: save the file with LF alone");
    }
    Some("; this one has more on it, or stands indented")
}

// A JSON value in the terms of YAML, so that both are judged by the same code.
fn yaml_of(value: Value<'_>) -> YamlValue {
    match value {
        Value::Null => YamlValue::Null,
        Value::Bool(flag) => YamlValue::Bool(flag),
        Value::Int(number) => YamlValue::Int(number),
        Value::BigInt(number) => YamlValue::BigInt(number),
        Value::Float(number) => YamlValue::Float(number),
        Value::Str(text) => YamlValue::Str(text.into_owned()),
        Value::Array(items) => YamlValue::List(items.into_iter().map(yaml_of).collect()),
        Value::Object(object) => {
            let mut map = YamlMap::new();
            for (key, value) in object {
                map.insert(&key.to_display(), yaml_of(value));
            }
            YamlValue::Map(map)
        }
    }
}
