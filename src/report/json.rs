//! The JSON report: versioned, the same keys always, LF at the end.
//!
//! `{"version": 1, "tool": {"name", "version"}, "status", "outcomes": [{"gate", "subject", "verdict",
//! "summary", "inputs": [{"role", "name", "sha256", "len_bytes"}], "findings": [{"code", "name",
//! "severity", "message", "remedy", "at", "related": [at]}], "facts", "details": [{"kind",
//! ...}]}]}` (details as in [`crate::detail`], of sources only the names) with `at` =
//! `{"source", "path", "byte_start", "byte_end", "line", "column", "end_line", "end_column"}`;
//! unknown places are null. Bytes count from 0, lines and columns from 1, columns in code points.

use crate::detail::Detail;
use crate::finding::{Finding, Location};
use crate::outcome::{Input, Outcome, Verdict};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// Version of the report's shape.
pub const VERSION: u32 = 1;

/// The report of `outcomes`. Findings become values one at a time: there may be a million of them.
///
/// # Errors
/// When a value cannot be written as JSON, which none of ours is.
pub fn render(outcomes: &[Outcome]) -> serde_json::Result<String> {
    let report = Report {
        version: VERSION,
        tool: json!({"name": "gatewright", "version": env!("CARGO_PKG_VERSION")}),
        status: outcomes.iter().map(Outcome::status).max().unwrap_or(0),
        outcomes: outcomes.iter().map(Streamed::of).collect(),
    };
    let mut text = serde_json::to_string_pretty(&report)?;
    text.push('\n');
    Ok(text)
}

/// The report, its members in the order of the format.
#[derive(Serialize)]
struct Report<'o> {
    version: u32,
    tool: Value,
    status: u8,
    outcomes: Vec<Streamed<'o>>,
}

/// What [`outcome`] says, made while it is written.
#[derive(Serialize)]
struct Streamed<'o> {
    gate: &'o str,
    subject: &'o str,
    verdict: Verdict,
    summary: &'o str,
    inputs: &'o [Input],
    findings: Each<'o, Finding>,
    facts: &'o serde_json::Map<String, Value>,
    details: Each<'o, Detail>,
}

impl<'o> Streamed<'o> {
    fn of(outcome: &'o Outcome) -> Self {
        Self {
            gate: &outcome.gate,
            subject: &outcome.subject,
            verdict: outcome.verdict,
            summary: &outcome.summary,
            inputs: &outcome.inputs,
            findings: Each(&outcome.findings, finding),
            facts: &outcome.facts,
            details: Each(&outcome.details, detail),
        }
    }
}

/// Items that become values one after the other.
struct Each<'o, T>(&'o [T], fn(&T) -> Value);

impl<T> Serialize for Each<'_, T> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(self.0.iter().map(self.1))
    }
}

/// One outcome as a value, also what the Python API's `to_dict()` returns.
pub fn outcome(outcome: &Outcome) -> Value {
    json!({
        "gate": outcome.gate,
        "subject": outcome.subject,
        "verdict": outcome.verdict,
        "summary": outcome.summary,
        "inputs": outcome.inputs,
        "findings": outcome.findings.iter().map(finding).collect::<Vec<_>>(),
        "facts": outcome.facts,
        "details": outcome.details.iter().map(detail).collect::<Vec<_>>(),
    })
}

/// A detail without the texts of sources: whoever reads the report has the files.
fn detail(detail: &Detail) -> Value {
    match detail {
        Detail::Evidence(evidence) => json!({
            "kind": "evidence",
            "sources": evidence.sources.iter().map(|source| &source.name).collect::<Vec<_>>(),
            "quotes": evidence.quotes,
        }),
        Detail::Matrix(_) | Detail::Palette(_) | Detail::Conditions(_) => json!(detail),
    }
}

fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.rule.code,
        "name": finding.rule.name,
        "severity": finding.severity,
        "message": finding.message,
        "remedy": finding.remedy,
        "at": location(&finding.at),
        "related": finding.related.iter().map(location).collect::<Vec<_>>(),
    })
}

fn location(at: &Location) -> Value {
    json!({
        "source": at.source,
        "path": at.path,
        "byte_start": at.span.map(|span| span.byte_start),
        "byte_end": at.span.map(|span| span.byte_end),
        "line": at.start.map(|place| place.line),
        "column": at.start.map(|place| place.column),
        "end_line": at.end.map(|place| place.line),
        "end_column": at.end.map(|place| place.column),
        "page": at.page,
    })
}
