//! Evidence of inference records: references, confidence, grounds.

use super::rule;
use crate::gates::draft::place::in_blueprint;
use crate::gates::draft::reading::{filled_text, quoted};
use crate::gates::draft::survey::Record;
use crate::gates::draft::targets::{Class, Resolved};
use crate::gates::draft::{Context, Findings};
use crate::rule::Rule;
use crate::say;
use crate::value::Value;

macro_rules! family {
    ($number:literal) => {
        [
            rule!(
                concat!("CL", $number, "-NOREFS"), concat!("no-references-cl", $number), Error, "12.4",
                checks: "`evidence_refs` of an inference record is not a list with at least one non-blank string.",
                why: "An inference without evidence is an opinion.",
                fails: "{\"kind\": \"inference\", \"claim\": \"…\", \"evidence_refs\": []}",
                repaired: "{\"kind\": \"inference\", \"claim\": \"…\", \"evidence_refs\": [\"copy-home\"], …}",
                remedy: "reference what the claim rests on, or drop the claim",
            ),
            rule!(
                concat!("CL", $number, "-NOCONF"), concat!("no-confidence-cl", $number), Error, "12.4",
                checks: "`confidence` of an inference record is not an object with a `level` of high, medium or low and a non-blank `rationale`.",
                why: "Readers weigh a claim by its stated confidence.",
                fails: "{\"kind\": \"inference\", \"evidence_refs\": [\"copy-home\"], \"confidence\": \"low\"}",
                repaired: "… \"confidence\": {\"level\": \"low\", \"rationale\": \"one heading only\"}",
                remedy: "state level and rationale",
            ),
            rule!(
                concat!("CL", $number, "-UNGROUNDED"), concat!("ungrounded-cl", $number), Error, "12.4",
                checks: "No reference of an inference record leads to an observation, directly or through another grounded record that does not use it.",
                why: "Claims that hold each other up hold nothing.",
                fails: "\"tone_voice\": {…, \"evidence_refs\": [\"brand-guide\"]}   (nothing is called brand-guide)",
                repaired: "\"tone_voice\": {…, \"evidence_refs\": [\"copy-home\"]}",
                remedy: "reference an observation of this draft by its id or path",
            ),
            rule!(
                concat!("CL", $number, "-REF"), concat!("dead-reference-cl", $number), Warning, "12.4",
                checks: "A reference of a grounded record leads nowhere or to a gap.",
                why: "The record stands, but a reader who follows this reference finds nothing.",
                fails: "\"evidence_refs\": [\"copy-home\", \"brand-guide\"]   (nothing is called brand-guide)",
                repaired: "\"evidence_refs\": [\"copy-home\"]",
                remedy: "correct or remove the reference",
            ),
            rule!(
                concat!("CL", $number, "-HIGH"), concat!("high-without-two-cl", $number), Error, "12.4",
                checks: "The confidence is `high` with fewer than two distinct direct targets.",
                why: "The gate counts strings; two names of one thing are one piece of evidence.",
                fails: "\"evidence_refs\": [\"copy-home\", \"copy-home\"], \"confidence\": {\"level\": \"high\", …}",
                repaired: "\"evidence_refs\": [\"copy-home\", \"home-cta-browse\"], …",
                remedy: "add a second direct observation, or lower the confidence",
            ),
        ]
    };
}

const FAMILIES: [[Rule; 5]; 4] = [family!("4"), family!("5"), family!("6"), family!("7")];

/// The rules of this file, by checklist item.
pub const RULES: &[Rule] = &{
    let [
        [a0, a1, a2, a3, a4],
        [b0, b1, b2, b3, b4],
        [c0, c1, c2, c3, c4],
        [d0, d1, d2, d3, d4],
    ] = FAMILIES;
    [
        a0, a1, a2, a3, a4, b0, b1, b2, b3, b4, c0, c1, c2, c3, c4, d0, d1, d2, d3, d4,
    ]
};

/// The rules of one checklist item.
struct Family {
    no_references: &'static Rule,
    no_confidence: &'static Rule,
    ungrounded: &'static Rule,
    dead: &'static Rule,
    high: &'static Rule,
}

impl Family {
    fn of(criterion: u8) -> Option<Self> {
        let place = usize::from(criterion).checked_sub(4)? * 5;
        let [no_references, no_confidence, ungrounded, dead, high] = RULES.get(place..place + 5)?
        else {
            return None;
        };
        Some(Self {
            no_references,
            no_confidence,
            ungrounded,
            dead,
            high,
        })
    }
}

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    for (record, resolved) in context
        .survey
        .records
        .iter()
        .zip(&context.evidence.resolved)
    {
        if let Some(family) = Family::of(record.criterion) {
            one(context, record, resolved, &family, out);
        }
    }
}

fn one(
    context: &Context<'_>,
    record: &Record<'_>,
    resolved: &Resolved<'_>,
    family: &Family,
    out: &mut Findings,
) {
    let loc = in_blueprint(&record.path);
    let references = record.value.get("evidence_refs");
    if !resolved.has_references {
        out.add(
            family.no_references,
            loc,
            say!(
                context.lang,
                "推測に根拠参照が無い (evidence_refs {0})",
                "the inference has no references (evidence_refs {0})",
                quoted(references),
            ),
        );
        return;
    }
    let confidence = record.value.get("confidence");
    let level = confidence
        .and_then(|confidence| confidence.get("level"))
        .and_then(Value::as_text)
        .filter(|level| {
            ["high", "medium", "low"]
                .iter()
                .any(|known| *level == known)
        });
    let has_rationale =
        filled_text(confidence.and_then(|confidence| confidence.get("rationale"))).is_some();
    if level.is_none() || !has_rationale {
        out.add(
            family.no_confidence,
            loc.clone(),
            say!(
                context.lang,
                "確度 {0} に level (high, medium, low) と rationale が揃っていない",
                "the confidence {0} lacks a level (high, medium, low) or a rationale",
                quoted(confidence),
            ),
        );
    }
    if resolved.is_grounded {
        for (index, reference) in resolved.references.iter().enumerate() {
            let is_gap = match reference.class {
                Class::Nothing => false,
                Class::Gap => true,
                Class::Direct | Class::Coarse | Class::Inference => continue,
            };
            let value = quoted(Some(reference.value));
            let reason = if is_gap {
                say!(
                    context.lang,
                    "根拠 {0} は未観測 (gap) を指す",
                    "the reference {0} leads to a gap",
                    value,
                )
            } else {
                say!(
                    context.lang,
                    "根拠 {0} の指す先が draft に無い",
                    "the reference {0} leads to nothing in the draft",
                    value,
                )
            };
            out.add(family.dead, format!("{loc}.evidence_refs[{index}]"), reason);
        }
    } else {
        out.add(
            family.ungrounded,
            loc.clone(),
            say!(
                context.lang,
                "根拠 {0} が観測に辿り着かない",
                "the references {0} lead to no observation",
                quoted(references),
            ),
        );
    }
    if level.is_some_and(|level| level == "high") && resolved.direct_target_count < 2 {
        out.add(
            family.high,
            loc,
            say!(
                context.lang,
                "確度 high だが直接の根拠が {0} 件 (根拠 {1}; 2 件必要)",
                "confidence high with {0} direct targets (references {1}; two are needed)",
                resolved.direct_target_count,
                quoted(references),
            ),
        );
    }
}
