//! Facts: what belongs to an inference, and where they come from.

use super::rule;
use crate::gates::draft::place::in_blueprint;
use crate::gates::draft::survey::FactFaultKind;
use crate::gates::draft::{Context, Findings, Level};
use crate::rule::Rule;
use crate::say;

macro_rules! lane {
    ($number:literal) => {
        rule!(
            concat!("CL", $number, "-FACTLANE"), concat!("inference-in-fact-cl", $number), Error, "12.4",
            checks: "An object in a fact part, or any object with `kind: fact`, has a member `claim`, `evidence_refs`, `confidence`, `lens` or `source_observation`.",
            why: "It is an inference without the label; the screen gate sees only `kind` and `lane`.",
            fails: "\"meta_seo_og\": {\"kind\": \"fact\", \"confidence\": {\"level\": \"low\", …}, …}",
            repaired: "\"meta_seo_og\": {\"kind\": \"fact\", …}   (the inference in a part of its own)",
            remedy: "move the inference to an inference part and leave the fact bare",
        )
    };
}

macro_rules! provenance {
    ($number:literal) => {
        rule!(
            concat!("CL", $number, "-PROVENANCE"), concat!("fact-without-source-cl", $number), Error, "12.4",
            checks: "An object with `kind: fact` lacks source_url, locator, captured_at, method or snapshot_id (enclosing objects count), or holds nothing besides. High when it has none of the five, else medium.",
            why: "A fact that cannot be traced cannot be checked.",
            fails: "{\"kind\": \"fact\", \"value\": \"ja-JP\"}",
            repaired: "{\"kind\": \"fact\", \"value\": \"ja-JP\", \"source_url\": …, \"locator\": …, \"captured_at\": …, \"method\": …, \"snapshot_id\": …}",
            remedy: "record where, when and how it was observed",
        )
    };
}

/// The rules of this file, by checklist item.
pub const RULES: &[Rule] = &[
    lane!("2"),
    lane!("3"),
    lane!("4"),
    lane!("5"),
    lane!("6"),
    provenance!("2"),
    provenance!("3"),
    provenance!("4"),
    provenance!("5"),
    provenance!("6"),
];

fn find(criterion: u8, ending: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| {
        rule.code
            .strip_prefix("CL")
            .and_then(|rest| rest.strip_prefix(char::from(b'0' + criterion.min(9))))
            == Some(ending)
    })
}

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    for fault in &context.survey.fact_faults {
        let ending = match fault.kind {
            FactFaultKind::Lane(_) => "-FACTLANE",
            FactFaultKind::Provenance { .. } | FactFaultKind::NoValue => "-PROVENANCE",
        };
        let Some(rule) = find(fault.criterion, ending) else {
            continue;
        };
        let (level, reason) = match &fault.kind {
            FactFaultKind::Lane(member) => (
                Level::High,
                say!(
                    context.lang,
                    "事実に推測の要素 `{0}` がある",
                    "the fact has `{0}`, which belongs to an inference",
                    member,
                ),
            ),
            FactFaultKind::Provenance { missing, is_bare } => (
                if *is_bare { Level::High } else { Level::Medium },
                say!(
                    context.lang,
                    "事実に出所の要素が無い: {0}",
                    "the fact lacks its provenance: {0}",
                    missing.join(", "),
                ),
            ),
            FactFaultKind::NoValue => (
                Level::Medium,
                say!(
                    context.lang,
                    "事実が出所だけで値を持たない",
                    "the fact has its provenance and no value"
                ),
            ),
        };
        out.add_as(rule, level, in_blueprint(&fault.path), reason);
    }
}
