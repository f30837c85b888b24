//! The rule registry: code, name, severity, what a rule checks, why, an example, its source.
//!
//! Each gate keeps its rules in a `RULES` slice beside the code that applies them and is listed
//! once in [`groups`]; `explain`, SARIF rule help and the rule pages read the registry.

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

/// Every rule slice, in the order the rules are listed to people.
pub fn groups() -> &'static [(&'static str, &'static [Rule])] {
    use crate::gates::draft::rules as draft;
    &[
        ("framework", crate::gates::framework::RULES),
        ("reconcile", crate::gates::reconcile::RULES),
        ("evidence", crate::gates::quotes::RULES),
        ("scorecard", crate::gates::scorecard::strict::RULES),
        ("ledger", crate::gates::chain::rules::RULES),
        ("calibration", crate::gates::chain::calibration_rules::RULES),
        ("blueprint recount", crate::gates::palette::rules::RULES),
        ("blueprint verdict", crate::gates::verdict::receipt::RULES),
        ("draft: reconstruction (CL-1)", draft::cl1::RULES),
        ("draft: screens (CL-2)", draft::cl2::RULES),
        ("draft: palette (CL-3)", draft::cl3::RULES),
        ("draft: technology (CL-5)", draft::cl5::RULES),
        ("draft: depth and breadth (CL-6)", draft::cl6::RULES),
        ("draft: prompts (CL-7)", draft::cl7::RULES),
        ("draft: persons (CL-8)", draft::cl8::RULES),
        ("draft: gates (CL-9)", draft::cl9::RULES),
        ("draft: request ledger (CL-10)", draft::cl10::RULES),
        ("draft: hash and caller", draft::binding::RULES),
        ("draft: silent gaps", draft::silent::RULES),
        ("draft: evidence", draft::evidence::RULES),
        ("draft: facts", draft::facts::RULES),
        ("run", crate::cli::run::RULES),
    ]
}

/// All rules, in listing order.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    groups().iter().flat_map(|(_, rules)| rules.iter())
}

/// The rule with this code or name, ignoring ASCII case.
pub fn find(code: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.code.eq_ignore_ascii_case(code) || rule.name.eq_ignore_ascii_case(code))
}
