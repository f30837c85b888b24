//! The rules of calibration: what changed between two frameworks.
//!
//! In: nothing. Out: registry entries.

use crate::rule::{Rule, Severity};

/// The new framework differs from the old one and its `framework_version` is not higher.
pub(crate) const VERSION_DID_NOT_INCREASE: Rule = Rule {
    code: "GWD001",
    name: "version-did-not-increase",
    severity: Severity::Error,
    checks: "The new framework differs from the old one and its framework_version is not higher.",
    why: "Findings carry the version they answer; two frameworks of one version cannot be told apart.",
    fails: "old: {\"framework_version\": 2}; new: {\"framework_version\": 2} with another hit_rule",
    repaired: "new: {\"framework_version\": 3}",
    remedy: "raise framework_version in the new framework",
    source: "gatewright documentation, The ledger chain: Comparing framework versions",
};

/// An issue of the old framework is not in the new one.
pub(crate) const ISSUE_VANISHED: Rule = Rule {
    code: "GWD002",
    name: "issue-vanished",
    severity: Severity::Error,
    checks: "An issue of the old framework is not in the new one.",
    why: "Its findings answer a question that nobody asks any more.",
    fails: "old: issue coc-01; new: without it",
    repaired: "new: issue coc-01 kept",
    remedy: "keep the issue, or withdraw its findings",
    source: "gatewright documentation, The ledger chain: Comparing framework versions",
};

/// An issue stands in another lens than before.
pub(crate) const ISSUE_MOVED: Rule = Rule {
    code: "GWD003",
    name: "issue-moved",
    severity: Severity::Error,
    checks: "An issue stands in another lens than before.",
    why: "Its findings name the old lens and are refused by the ledger gates.",
    fails: "old: coc-01 in lens control; new: coc-01 in lens term",
    repaired: "new: coc-01 in lens control",
    remedy: "move the issue back, or rewrite the lens of its findings",
    source: "gatewright documentation, The ledger chain: Comparing framework versions",
};

/// An item's question, hit rule, exclusions, materiality, `unresolved_when`, answer shape, disposition or overlap owner changed.
pub(crate) const KNOB_CHANGED: Rule = Rule {
    code: "GWD004",
    name: "knob-changed",
    severity: Severity::Note,
    checks: "An item's question, hit rule, exclusions, materiality, unresolved_when, answer shape, disposition or overlap owner changed.",
    why: "A changed knob changes what counts as a finding.",
    fails: "old: \"hit_rule\": \"consent required\"; new: \"hit_rule\": \"consent or notice required\"",
    repaired: "the same text in both",
    remedy: "look at the findings that the change puts in doubt",
    source: "gatewright documentation, The ledger chain: Comparing framework versions",
};

/// A lens or an issue is new, a lens vanished, or a lens has another name.
pub(crate) const LENS_OR_ISSUE_CHANGED: Rule = Rule {
    code: "GWD005",
    name: "lens-or-issue-changed",
    severity: Severity::Note,
    checks: "A lens or an issue is new, a lens vanished, or a lens has another name.",
    why: "The read-back and the coverage matrix change with it.",
    fails: "new: an issue that the old framework lacks",
    repaired: "the same lenses and issues in both",
    remedy: "review the units for the new issues",
    source: "gatewright documentation, The ledger chain: Comparing framework versions",
};

/// A finding of the given ledger was reached under a knob that changed.
pub(crate) const FINDING_IN_DOUBT: Rule = Rule {
    code: "GWD006",
    name: "finding-in-doubt",
    severity: Severity::Warning,
    checks: "A finding of the given ledger was reached under a knob that changed.",
    why: "It may not hold under the new framework.",
    fails: "a present finding of an issue whose hit_rule changed",
    repaired: "the finding reviewed under the new framework",
    remedy: "review the finding again under the new framework",
    source: "gatewright documentation, The ledger chain: Comparing framework versions",
};

/// A framework cannot be frozen: it is invalid, or another framework of its version is frozen already.
pub(crate) const FRAMEWORK_NOT_FROZEN: Rule = Rule {
    code: "GWD007",
    name: "framework-not-frozen",
    severity: Severity::Error,
    checks: "A framework cannot be frozen: it is invalid, or another framework of its version is frozen already.",
    why: "A frozen version is what findings were reached under; it never changes.",
    fails: "framework.v2.json with other content than framework.json of version 2",
    repaired: "framework.json with framework_version 3",
    remedy: "mend the framework, or raise framework_version",
    source: "gatewright documentation, The ledger chain: Comparing framework versions",
};

/// All of them, in listing order.
pub const RULES: &[Rule] = &[
    VERSION_DID_NOT_INCREASE,
    ISSUE_VANISHED,
    ISSUE_MOVED,
    KNOB_CHANGED,
    LENS_OR_ISSUE_CHANGED,
    FINDING_IN_DOUBT,
    FRAMEWORK_NOT_FROZEN,
];
