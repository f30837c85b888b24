//! Rules: code, name, severity, what a rule checks, why, an example, its source.
//!
//! Types only. Each gate keeps its rules in a `RULES` slice beside the code that applies them; all of
//! them together are listed in `gates::rules`.

use serde::{Deserialize, Serialize};

/// How much a finding of a rule weighs.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; never decides.
    Note,
    /// Informs; does not decide.
    Warning,
    /// Decides: the gate does not pass.
    Error,
}

/// One rule of one gate. All texts are English, one sentence or a short paragraph each.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rule {
    /// Stable code, never reused, e.g. `GWF001` or `CL6-COUNT`.
    pub code: &'static str,
    /// Kebab-case name, e.g. `duplicate-lens-id`.
    pub name: &'static str,
    /// Severity of a finding of this rule.
    pub severity: Severity,
    /// What is checked, as a condition that makes the finding.
    pub checks: &'static str,
    /// Why it matters to the reader of the work.
    pub why: &'static str,
    /// The smallest input that fails.
    pub fails: &'static str,
    /// The same input, repaired.
    pub repaired: &'static str,
    /// What to do about it, one line, imperative.
    pub remedy: &'static str,
    /// The page and section the rule follows.
    pub source: &'static str,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Rule {}
