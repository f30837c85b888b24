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
use crate::outcome::Outcome;
use serde_json::{Value, json};

/// Version of the report's shape.
pub const VERSION: u32 = 1;

/// The report of `outcomes`.
pub fn render(outcomes: &[Outcome]) -> String {
    format!("{:#}\n", document(outcomes))
}

/// The report as a value.
pub fn document(outcomes: &[Outcome]) -> Value {
    json!({
        "version": VERSION,
        "tool": {"name": "gatewright", "version": env!("CARGO_PKG_VERSION")},
        "status": outcomes.iter().map(Outcome::status).max().unwrap_or(0),
        "outcomes": outcomes.iter().map(outcome).collect::<Vec<_>>(),
    })
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
