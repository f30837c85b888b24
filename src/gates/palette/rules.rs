//! The rules of the palette counts.
//!
//! In: nothing. Out: registry entries; the counts themselves know no rules.

use crate::rule::{Rule, Severity};

/// Every rule of the palette counts.
pub const RULES: &[Rule] = &[ORPHAN, UNDECIDED, OTHER_COUNT, NOTHING_OBSERVED];

/// A colour observed under `screens` is in no palette of `design_tokens`.
pub const ORPHAN: Rule = Rule {
    code: "GWP001",
    name: "palette-orphan",
    severity: Severity::Error,
    checks: "A colour observed under `screens` is in no palette of `design_tokens`.",
    why: "A colour that no token carries is lost when the site is rebuilt from tokens; an independent count catches what the screen gate does not read.",
    fails: "screens: [{\"paint\": {\"background_color\": \"#111827\"}}], design_tokens: {\"palette\": []}",
    repaired: "screens: [{\"paint\": {\"background_color\": \"#111827\"}}], design_tokens: {\"palette\": [{\"canonical_hex8\": \"#111827ff\"}]}",
    remedy: "add the colour to the palette or to a theme, or correct the record that shows it",
    source: "recount-palette-orphans.py contract, and draft directory contract, section 14.1",
};

/// A value in a colour's place depends on what its text does not hold: a variable, a system colour, a mixture.
pub const UNDECIDED: Rule = Rule {
    code: "GWP002",
    name: "color-undecided",
    severity: Severity::Warning,
    checks: "A value in a colour's place depends on what its text does not hold: a variable, a system colour, a mixture.",
    why: "No program can tell whether the palette has it; it is shown so that a reader can.",
    fails: "\"background_color\": \"var(--brand)\"",
    repaired: "\"background_color\": {\"canonical_hex8\": \"#0f766eff\", \"original_notation\": \"var(--brand)\"}",
    remedy: "record the computed colour beside the written form, e.g. as canonical_hex8",
    source: "draft directory contract, section 14.5, cases D5, D11 and D13",
};

/// The count that does not decide reports an orphan that the deciding count does not.
pub const OTHER_COUNT: Rule = Rule {
    code: "GWP003",
    name: "orphan-of-the-other-count",
    severity: Severity::Note,
    checks: "The count that does not decide reports an orphan that the deciding count does not.",
    why: "The recorded count takes every text below a member named after colour for a colour; the difference shows which of the two is mistaken.",
    fails: "\"viewport\": {\"color_scheme\": \"light\"} with --recount corrected --why",
    repaired: "\"viewport\": {\"color_scheme\": \"auto\"}",
    remedy: "nothing to mend when it is no colour; otherwise report the case, since one of the counts is wrong",
    source: "draft directory contract, section 14",
};

/// No colour at all was observed under `screens`.
pub const NOTHING_OBSERVED: Rule = Rule {
    code: "GWP004",
    name: "no-color-observed",
    severity: Severity::Warning,
    checks: "No colour at all was observed under `screens`.",
    why: "Zero orphans of zero observed colours prove nothing about the palette.",
    fails: "\"screens\": []",
    repaired: "\"screens\": [{\"paint\": {\"background_color\": \"#0f766e\"}}]",
    remedy: "check that the screens were captured; a draft without screens should say so",
    source: "draft directory contract, section 14.6, case D16",
};
