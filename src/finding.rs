//! Findings: what is wrong with the work a gate looked at.
//!
//! A finding is data: the rule, the place, a message without place or advice. Renderers add both.

use crate::position::{Position, Span};
use crate::rule::{Rule, Severity};
use serde::{Deserialize, Serialize, Serializer};

/// A place in one input.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Display name of the input (the path as the caller gave it).
    pub source: String,
    /// Path of the value inside the input, e.g. `$.lenses[0].lens_id`.
    pub path: Option<String>,
    /// Bytes in the input.
    pub span: Option<Span>,
    /// Start of the span.
    pub start: Option<Position>,
    /// End of the span, exclusive.
    pub end: Option<Position>,
    /// Page of the first byte, from 1, in a document with pages.
    #[serde(default)]
    pub page: Option<usize>,
}

impl Location {
    /// A place known only by its input.
    pub fn of_source(source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            ..Self::default()
        }
    }

    /// A place known by its input and the path of a value.
    pub fn at_path(source: impl Into<String>, path: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            path: Some(path.into()),
            ..Self::default()
        }
    }
}

/// One finding of one rule.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The rule; serialised as its code.
    #[serde(serialize_with = "write_code")]
    pub rule: &'static Rule,
    /// The rule's severity unless the finding says otherwise.
    pub severity: Severity,
    /// One line, lower-case first letter, no final stop, no place, no advice.
    pub message: String,
    /// Where.
    pub at: Location,
    /// Other places that belong to it, e.g. the first use of a repeated id.
    pub related: Vec<Location>,
    /// What to do, one line; the rule's own when the finding knows no better.
    pub remedy: String,
}

impl Finding {
    /// A finding with the rule's own severity and remedy.
    pub fn new(rule: &'static Rule, at: Location, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            message: message.into(),
            at,
            related: Vec::new(),
            remedy: rule.remedy.to_owned(),
        }
    }

    /// The same finding with a remedy of its own.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    /// What the finding is, whatever line it stands on: code, input, path and message with positions
    /// (`[3]`, `line 7`, `7:12`) left out, as 64 hex digits. Equal findings are told apart by their number.
    pub fn identity(&self, source: &str) -> String {
        let path = self.at.path.as_deref().unwrap_or_default();
        let parts = [
            self.rule.code,
            source,
            &without_positions(path),
            &without_positions(&self.message),
        ];
        crate::digest::sha256_hex(parts.join("\n").as_bytes())
    }

    /// The same finding with one more related place.
    #[must_use]
    pub fn with_related(mut self, place: Location) -> Self {
        self.related.push(place);
        self
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands fields over by reference"
)]
fn write_code<S: Serializer>(rule: &&'static Rule, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(rule.code)
}

/// `text` without what changes when lines or items are put before it: indices, lines, columns.
pub fn without_positions(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let is_position = ["[", "line ", "column ", "lines "]
            .iter()
            .any(|before| out.ends_with(before));
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if is_position && digits > 0 {
            let (_, after) = rest.split_at(digits);
            out.push('#');
            rest = after;
        } else {
            out.push(character);
            rest = rest.strip_prefix(character).unwrap_or_default();
        }
    }
    out
}

/// `2 findings`, `1 finding`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `text` cut at 120 code points with control characters escaped, for use inside a message.
pub fn excerpt(text: &str) -> String {
    const LIMIT: usize = 120;
    let mut out = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == LIMIT {
            out.push('…');
            break;
        }
        if character.is_control() {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}
