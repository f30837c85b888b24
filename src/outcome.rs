//! Outcomes: what a gate decided, as data that every renderer reads.
//!
//! What a report shows beyond findings and facts (quotes in context, a coverage matrix, swatches,
//! conditions) is typed data in [`crate::detail`]: gates push a [`Detail`] onto `details`.
//! Outcomes serialise so that a run can keep them in its cache.

use crate::detail::Detail;
use crate::digest::sha256_hex;
use crate::finding::{Finding, excerpt};
use crate::rule::Severity;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One input of a gate and what identifies its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// What the input is to the gate, e.g. `framework`, `source`.
    pub role: Cow<'static, str>,
    /// Display name (the path as the caller gave it).
    pub name: String,
    /// SHA-256 of the bytes, 64 lower-case hex digits.
    pub sha256: String,
    /// Size in bytes.
    pub len_bytes: u64,
}

impl Input {
    /// The input called `name` that holds `bytes`.
    pub fn new(role: impl Into<Cow<'static, str>>, name: impl Into<String>, bytes: &[u8]) -> Self {
        Self {
            role: role.into(),
            name: name.into(),
            sha256: sha256_hex(bytes),
            len_bytes: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        }
    }
}

/// The decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No finding that decides.
    Passed,
    /// At least one finding that decides.
    Failed,
    /// The gate could not run, so nothing is known about the work.
    Undecided,
}

/// What one gate run found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Gate name as typed on the command line, e.g. `framework check`.
    pub gate: Cow<'static, str>,
    /// What it was run on, for people, when several runs of one gate are shown together; else empty.
    pub subject: String,
    /// The decision.
    pub verdict: Verdict,
    /// Inputs in the order they were given.
    pub inputs: Vec<Input>,
    /// Findings in input order. They are not read back with the rest: a finding stands on its rule, and
    /// who has kept one has to look that up.
    #[serde(skip_deserializing)]
    pub findings: Vec<Finding>,
    /// Measured facts of the gate (counts, totals), in a fixed order.
    pub facts: serde_json::Map<String, serde_json::Value>,
    /// One-line summary for people, e.g. `4 issues x 4 units: 16 of 16 results`.
    pub summary: String,
    /// What reports show besides: quotes in context, a matrix, swatches, conditions.
    pub details: Vec<Detail>,
    /// How long the gate took, where it was measured; nothing decides by it.
    #[serde(skip)]
    pub elapsed: Option<std::time::Duration>,
}

impl Outcome {
    /// An outcome whose verdict follows from the findings.
    pub fn from_findings(gate: impl Into<Cow<'static, str>>, findings: Vec<Finding>) -> Self {
        let failed = findings
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        Self {
            gate: gate.into(),
            subject: String::new(),
            verdict: if failed {
                Verdict::Failed
            } else {
                Verdict::Passed
            },
            inputs: Vec::new(),
            findings,
            facts: serde_json::Map::new(),
            summary: String::new(),
            details: Vec::new(),
            elapsed: None,
        }
    }

    /// Gate and subject, for people.
    pub fn title(&self) -> Cow<'_, str> {
        if self.subject.is_empty() {
            Cow::Borrowed(self.gate.as_ref())
        } else {
            Cow::Owned(format!("{} {}", self.gate, excerpt(&self.subject)))
        }
    }

    /// Exit status of an umbrella command: 0 passed, 1 findings, 2 could not run.
    pub fn status(&self) -> u8 {
        match self.verdict {
            Verdict::Passed => 0,
            Verdict::Failed => 1,
            Verdict::Undecided => 2,
        }
    }
}
