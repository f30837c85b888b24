//! Renderers: one file per format. Each reads outcomes and decides nothing.
//!
//! In: outcomes. Out: bytes. Text from inputs is untrusted: every renderer escapes for its format.
//! The status of a command comes from the outcomes, never from here.

pub mod compact;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod rule_page;
pub mod sarif;
pub mod text;
pub mod uri;

#[cfg(test)]
mod samples;

use crate::error::Error;
use crate::finding::counted;
use crate::outcome::{Outcome, Verdict};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Output formats of the umbrella commands.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For models: one line a finding, equal ones folded.
    Compact,
    /// For programs: versioned, the same keys always.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// `JUnit` XML, for CI test reports.
    #[value(help = "JUnit XML, for CI test reports")]
    Junit,
    /// Annotations of a GitHub workflow.
    Github,
    /// Code quality report of a GitLab merge request.
    #[value(help = "Code quality report of a GitLab merge request")]
    Gitlab,
    /// For a pull-request comment.
    Markdown,
    /// One self-contained page.
    Html,
}

impl Format {
    /// Whether the format shows source texts, so that a gate need not carry them otherwise.
    pub fn shows_sources(self) -> bool {
        match self {
            Self::Html => true,
            Self::Text
            | Self::Compact
            | Self::Json
            | Self::Sarif
            | Self::Junit
            | Self::Github
            | Self::Gitlab
            | Self::Markdown => false,
        }
    }
}

/// What a renderer may know besides the outcomes.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// Whether text may hold colour.
    pub is_colored: bool,
    /// Whether text leaves out what passed.
    pub is_quiet: bool,
    /// Whether text counts findings by rule instead of listing them.
    pub is_statistics: bool,
    /// Findings of one rule of one gate that text and compact show; all when nothing is set.
    pub most_per_rule: Option<usize>,
    /// The folder that relative file references start from: the current one. Empty when unknown.
    pub base: String,
}

/// Outcomes in one format.
///
/// # Errors
/// When the page template fails.
///
/// # Examples
/// ```
/// use gatewright::outcome::Outcome;
/// use gatewright::report::{Format, Style, render};
///
/// let outcome = Outcome::from_findings("framework check", Vec::new());
/// let json = render(&[outcome], Format::Json, &Style::default())?;
/// let json: serde_json::Value = serde_json::from_slice(&json).unwrap_or_default();
/// assert_eq!(json["outcomes"][0]["verdict"], "passed");
/// # Ok::<(), gatewright::error::Error>(())
/// ```
pub fn render(outcomes: &[Outcome], format: Format, style: &Style) -> Result<Vec<u8>, Error> {
    let text = match format {
        Format::Text if style.is_statistics => text::statistics(outcomes, style),
        Format::Text => text::render(outcomes, style),
        Format::Compact => compact::render(outcomes, style),
        Format::Json => json::render(outcomes).map_err(|fault| unwritten("JSON report", &fault))?,
        Format::Sarif => sarif::render(outcomes, &style.base)
            .map_err(|fault| unwritten("SARIF report", &fault))?,
        Format::Junit => junit::render(outcomes),
        Format::Github => github::render(outcomes, &style.base),
        Format::Gitlab => gitlab::render(outcomes, &style.base),
        Format::Markdown => markdown::render(outcomes),
        Format::Html => html::render(outcomes).map_err(|fault| unwritten("HTML report", &fault))?,
    };
    Ok(text.into_bytes())
}

fn unwritten(name: &str, fault: &dyn std::fmt::Display) -> Error {
    Error::Write {
        name: name.to_owned(),
        reason: fault.to_string().into(),
    }
}

/// A stretch of a message: plain, or code that stood in backticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The text, without backticks.
    pub text: &'a str,
    /// Whether it stood in backticks.
    pub is_code: bool,
}

/// `message` cut at its backticks; one plain piece when they do not pair up.
pub fn pieces(message: &str) -> Vec<Piece<'_>> {
    let is_paired = message.matches('`').count().is_multiple_of(2);
    if !is_paired {
        return vec![Piece {
            text: message,
            is_code: false,
        }];
    }
    message
        .split('`')
        .enumerate()
        .map(|(index, text)| Piece {
            text,
            is_code: index % 2 == 1,
        })
        .filter(|piece| !piece.text.is_empty())
        .collect()
}

/// `identity` for its first bearer; for each later one of a report a digest with its number.
pub(crate) fn numbered(
    identity: String,
    seen: &mut std::collections::BTreeMap<u128, u32>,
) -> String {
    // Half of the digest tells findings apart; there may be a million of them.
    let half = identity.get(..32).unwrap_or(&identity);
    let half = u128::from_str_radix(half, 16).unwrap_or_default();
    let count = seen.entry(half).or_default();
    *count += 1;
    if *count == 1 {
        identity
    } else {
        crate::digest::sha256_hex(format!("{identity} {count}").as_bytes())
    }
}

/// All outcomes in one line, e.g. `1 of 3 gates failed`, `2 of 3 gates failed, 1 could not run`.
pub fn headline(outcomes: &[Outcome]) -> String {
    let count = |wanted| {
        outcomes
            .iter()
            .filter(|outcome| outcome.verdict == wanted)
            .count()
    };
    let gates = counted(outcomes.len(), "gate");
    match (count(Verdict::Failed), count(Verdict::Undecided)) {
        (0, 0) => format!("{gates} passed"),
        (failed, 0) => format!("{failed} of {gates} failed"),
        (0, undecided) => format!("{undecided} of {gates} could not run"),
        (failed, undecided) => format!("{failed} of {gates} failed, {undecided} could not run"),
    }
}

/// The outcome's own summary, or the number of its findings.
///
/// What a configuration or a baseline set aside is said behind it.
pub fn summary(outcome: &Outcome) -> String {
    let said = if outcome.summary.is_empty() {
        counted(outcome.findings.len(), "finding")
    } else {
        text::escaped(&outcome.summary)
    };
    let aside = crate::policy::set_aside(outcome);
    if aside.is_empty() {
        said
    } else {
        format!("{said} ({aside})")
    }
}
