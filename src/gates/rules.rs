//! The rule registry: the rules of every gate, and the one for a gate that could not run.
//!
//! `explain`, SARIF rule help, selectors and the rule pages read it. A gate's rules stand beside the code
//! that applies them and are listed here once.

use crate::rule::{Rule, Severity};

/// A gate of a run could not run.
pub const COULD_NOT_RUN: Rule = Rule {
    code: "GWR001",
    name: "gate-could-not-run",
    severity: Severity::Error,
    checks: "A gate of the configuration could not run: an input cannot be read, has no usable shape, or an output cannot be written.",
    why: "A gate that did not run has not passed: the work is unchecked.",
    fails: "[[gate]]\ngate = \"framework check\"\ninputs = [\"moved-away.json\"]",
    repaired: "[[gate]]\ngate = \"framework check\"\ninputs = [\"framework.json\"]",
    remedy: "mend what the message names, then run again",
    source: "gatewright documentation, Run all gates",
};

/// The rules that are no gate's own.
const RUN: &[Rule] = &[COULD_NOT_RUN];

/// Every rule slice, in the order the rules are listed to people.
pub fn groups() -> &'static [(&'static str, &'static [Rule])] {
    use super::draft::rules as draft;
    &[
        ("framework", super::framework::RULES),
        ("reconcile", super::reconcile::RULES),
        ("evidence", super::quotes::RULES),
        ("scorecard", super::scorecard::strict::RULES),
        ("ledger", super::chain::rules::RULES),
        ("calibration", super::chain::calibration_rules::RULES),
        ("blueprint recount", super::palette::rules::RULES),
        ("blueprint verdict", super::verdict::receipt::RULES),
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
        ("run", RUN),
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
