//! Outcomes: what a gate decided, as data that every renderer reads.

use crate::finding::Finding;
use crate::rule::Severity;
use serde::Serialize;

/// One input of a gate and what identifies its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Input {
    /// What the input is to the gate, e.g. `framework`, `source`.
    pub role: &'static str,
    /// Display name (the path as the caller gave it).
    pub name: String,
    /// SHA-256 of the bytes, 64 lower-case hex digits.
    pub sha256: String,
    /// Size in bytes.
    pub len_bytes: u64,
}

/// The decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No finding that decides.
    Passed,
    /// At least one finding that decides.
    Failed,
}

/// What one gate run found.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Gate name as typed on the command line, e.g. `framework check`.
    pub gate: &'static str,
    /// The decision.
    pub verdict: Verdict,
    /// Inputs in the order they were given.
    pub inputs: Vec<Input>,
    /// Findings in input order.
    pub findings: Vec<Finding>,
    /// Measured facts of the gate (counts, totals), in a fixed order.
    pub facts: serde_json::Map<String, serde_json::Value>,
    /// One-line summary for people, e.g. `4 issues x 4 units: 16 of 16 results`.
    pub summary: String,
    /// Further data of the gate that reports show (a matrix, quotes in context, swatches); see `report`.
    pub details: serde_json::Value,
}

impl Outcome {
    /// An outcome whose verdict follows from the findings.
    pub fn from_findings(gate: &'static str, findings: Vec<Finding>) -> Self {
        let failed = findings
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        Self {
            gate,
            verdict: if failed {
                Verdict::Failed
            } else {
                Verdict::Passed
            },
            inputs: Vec::new(),
            findings,
            facts: serde_json::Map::new(),
            summary: String::new(),
            details: serde_json::Value::Null,
        }
    }

    /// Exit status of an umbrella command: 0 passed, 1 findings.
    pub fn status(&self) -> u8 {
        match self.verdict {
            Verdict::Passed => 0,
            Verdict::Failed => 1,
        }
    }
}
