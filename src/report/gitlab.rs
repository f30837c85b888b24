//! The code quality report that GitLab shows in a merge request: a JSON list, one entry a finding.
//!
//! Fingerprints go by content, so that a finding that moved is the same one; equal findings are numbered. A
//! gate that could not run is a blocker of its own, so that an empty list means that all was checked.

use super::{summary, text::escaped, uri};
use crate::digest::sha256_hex;
use crate::finding::Finding;
use crate::outcome::{Outcome, Verdict};
use crate::rule::Severity;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The report of `outcomes`; file names start from the folder `base`.
pub fn render(outcomes: &[Outcome], base: &str) -> String {
    format!("{:#}\n", document(outcomes, base))
}

fn document(outcomes: &[Outcome], base: &str) -> Value {
    let mut seen = BTreeMap::new();
    let mut entries = Vec::new();
    for outcome in outcomes {
        for finding in &outcome.findings {
            entries.push(entry(outcome, finding, base, &mut seen));
        }
        if outcome.verdict == Verdict::Undecided && outcome.findings.is_empty() {
            let text = format!("{} could not run: {}", outcome.title(), summary(outcome));
            let path = outcome
                .inputs
                .first()
                .map_or_else(String::new, |input| uri::relative(&input.name, base));
            entries.push(json!({
                "description": text,
                "check_name": "gate-could-not-run",
                "fingerprint": sha256_hex(text.as_bytes()),
                "severity": "blocker",
                "location": {"path": path, "lines": {"begin": 1}},
            }));
        }
    }
    Value::Array(entries)
}

fn entry(
    outcome: &Outcome,
    finding: &Finding,
    base: &str,
    seen: &mut BTreeMap<u128, u32>,
) -> Value {
    let path = uri::relative(&finding.at.source, base);
    let mut text = format!("{}: {}", finding.rule.code, escaped(&finding.message));
    if !finding.remedy.is_empty() {
        text.push_str(". Fix: ");
        text.push_str(&escaped(&finding.remedy));
    }
    let severity = match finding.severity {
        Severity::Error if outcome.verdict == Verdict::Undecided => "blocker",
        Severity::Error => "major",
        Severity::Warning => "minor",
        Severity::Note => "info",
    };
    json!({
        "description": text,
        "check_name": format!("{} {}", finding.rule.code, finding.rule.name),
        "fingerprint": super::numbered(finding.identity(&path), seen),
        "severity": severity,
        "location": {
            "path": path,
            // A place without a line is shown at the head of its file.
            "lines": {"begin": finding.at.start.map_or(1, |start| start.line)},
        },
    })
}
