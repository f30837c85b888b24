//! The outcomes of the verdict: an assessment decided or refused, a draft accepted or not.
//!
//! In: an assessment as a document, or what the acceptance found. Out: findings, facts, conditions.
//! Writing a receipt and looking for one is left to others.

use super::receipt::{self, Refusal, ShapeFault};
use super::{FindingCounts, Reason};
use crate::detail::{Condition, ConditionState, Conditions, Detail};
use crate::error::Error;
use crate::finding::{Finding, Location};
use crate::gates::draft::Lang;
use crate::gates::verdict;
use crate::outcome::{Input, Outcome};
use crate::source::Document;
use crate::value::json::locate::ValuePath;

/// What an assessment gives: reasons and counts, or the outcome that refuses it.
#[derive(Debug)]
pub enum Judged {
    /// Reasons against a PASS and counts of findings.
    Decided(Vec<Reason>, FindingCounts),
    /// A receipt on it would not be valid.
    Refused(Outcome),
}

/// Judge an assessment; strictly, one whose receipt would not be valid is refused.
///
/// # Errors
/// When its structure lets nothing be decided.
pub fn judge(assessment: &Document<'_>, is_strict: bool) -> Result<Judged, Error> {
    if is_strict {
        let faults = receipt::assessment_faults(assessment);
        if !faults.is_empty() {
            return Ok(Judged::Refused(refused(assessment, faults)));
        }
    }
    let reasons = verdict::decide(assessment).map_err(|fault| Error::Unusable {
        name: assessment.name.to_owned(),
        path: String::new(),
        reason: fault.english(),
    })?;
    let counts = FindingCounts::of(assessment).map_err(|at| Error::Unusable {
        name: assessment.name.to_owned(),
        path: format!("$.findings[{at}].severity"),
        reason: "the severity is a list or an object, expected high, medium or low".to_owned(),
    })?;
    Ok(Judged::Decided(reasons, counts))
}

/// Decide on `assessment` without writing a receipt.
///
/// # Errors
/// When its structure lets nothing be decided.
pub fn decide(assessment: &Document<'_>, is_strict: bool, lang: Lang) -> Result<Outcome, Error> {
    let mut outcome = match judge(assessment, is_strict)? {
        Judged::Refused(outcome) => outcome,
        Judged::Decided(reasons, counts) => {
            let mut outcome = decided(assessment, &reasons, counts, lang);
            verdict::word(&reasons).clone_into(&mut outcome.summary);
            outcome
        }
    };
    outcome.inputs = assessment.input().into_iter().collect();
    Ok(outcome)
}

/// The outcome of an assessment that was decided.
pub fn decided(
    assessment: &Document<'_>,
    reasons: &[Reason],
    counts: FindingCounts,
    lang: Lang,
) -> Outcome {
    let paths: Vec<_> = reasons.iter().map(path_of).collect();
    let findings = reasons
        .iter()
        .zip(assessment.places(&paths))
        .map(|(reason, at)| Finding::new(receipt::rule_of(reason), at, reason.words(lang)))
        .collect();
    let mut outcome = Outcome::from_findings("blueprint verdict", findings);
    let fail_reasons: Vec<_> = reasons.iter().map(|reason| reason.words(lang)).collect();
    for (fact, value) in [
        ("verdict", verdict::word(reasons).into()),
        ("fail_reasons", fail_reasons.into()),
        (
            "finding_counts",
            serde_json::json!({"high": counts.high, "medium": counts.medium, "low": counts.low}),
        ),
    ] {
        outcome.facts.insert(fact.to_owned(), value);
    }
    outcome
        .details
        .push(Detail::Conditions(conditions(reasons, lang)));
    outcome
}

fn refused(assessment: &Document<'_>, faults: Vec<ShapeFault>) -> Outcome {
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.clone()).collect();
    let count = faults.len();
    let findings = faults
        .into_iter()
        .zip(assessment.places(&paths))
        .map(|(fault, at)| Finding::new(fault.rule, at, fault.message))
        .collect();
    let mut outcome = Outcome::from_findings("blueprint verdict", findings);
    for fact in ["verdict", "receipt_path"] {
        outcome
            .facts
            .insert(fact.to_owned(), serde_json::Value::Null);
    }
    outcome.summary = format!(
        "refused, no receipt written: {count} value{} would make it invalid",
        if count == 1 { "" } else { "s" }
    );
    outcome
}

/// The outcome of a draft whose files do not give the hash that it binds: no verdict under such a hash.
pub fn unbound(mut stale: Finding) -> Outcome {
    stale.severity = crate::rule::Severity::Error;
    let mut outcome = Outcome::from_findings("blueprint verdict", vec![stale]);
    for fact in ["verdict", "receipt_path"] {
        outcome
            .facts
            .insert(fact.to_owned(), serde_json::Value::Null);
    }
    "refused, no receipt written: the files do not give the draft_hash"
        .clone_into(&mut outcome.summary);
    outcome
}

/// The note on a PASS whose hash nobody held against a draft.
pub fn on_trust(assessment: &Document<'_>) -> Finding {
    Finding::new(
        &receipt::HASH_ON_TRUST,
        Location::of_source(assessment.name),
        "hash and assessment are taken on trust: no draft was looked at",
    )
}

/// The outcome of an acceptance: the receipt that a draft is accepted on, or the refusal and the file
/// that it speaks of.
pub fn acceptance(judged: &Result<String, (Refusal, String)>, inputs: Vec<Input>) -> Outcome {
    let findings = match judged {
        Ok(_) => Vec::new(),
        Err((refusal, source)) => {
            let mut finding = Finding::new(
                refusal.rule(),
                Location::of_source(source),
                refusal.message(),
            );
            if let Refusal::ReceiptShape(faults) = refusal {
                finding.related = faults
                    .iter()
                    .map(|fault| Location::at_path(source, fault.path.to_string()))
                    .collect();
            }
            vec![finding]
        }
    };
    let mut outcome = Outcome::from_findings("blueprint accept", findings);
    outcome.summary = match judged {
        Ok(receipt) => format!("accepted on {receipt}"),
        Err(_) => "not accepted".to_owned(),
    };
    outcome
        .facts
        .insert("accepted".to_owned(), judged.is_ok().into());
    outcome.inputs = inputs;
    outcome
}

/// Path of the value that decides a reason.
fn path_of(reason: &Reason) -> ValuePath {
    let mut path = ValuePath::root();
    for key in reason.path().split('.').skip(1) {
        path = path.key(key);
    }
    path
}

/// Every condition of a PASS in the order it is decided: group, words, the rule against it.
pub(super) const CONDITIONS: [(&str, &str, &crate::rule::Rule); 13] = [
    (
        "gate_results",
        "the diagram gate passed",
        &receipt::DIAGRAM_GATE,
    ),
    (
        "gate_results",
        "the screen gate passed",
        &receipt::SCREEN_GATE,
    ),
    (
        "recount",
        "the recount found no palette orphan",
        &receipt::ORPHANS,
    ),
    (
        "recount",
        "the recount agrees with the screen gate",
        &receipt::DISAGREEMENT,
    ),
    (
        "findings",
        "no finding is of high severity",
        &receipt::HIGH_FINDINGS,
    ),
    (
        "observation_completeness",
        "no gap is silent",
        &receipt::SILENT_GAPS,
    ),
    (
        "observation_completeness",
        "every key screen was captured",
        &receipt::KEY_SCREEN_GAPS,
    ),
    (
        "load_policy_result",
        "requests and bytes are within the budget",
        &receipt::REQUEST_BUDGET,
    ),
    (
        "load_policy_result",
        "one request at a time",
        &receipt::CONCURRENCY,
    ),
    (
        "load_policy_result",
        "screenshots are within the budget",
        &receipt::SCREENSHOT_BUDGET,
    ),
    (
        "reconstruction",
        "no required top-level member is missing",
        &receipt::TOP_LEVEL_MISSING,
    ),
    (
        "reconstruction",
        "no question is open",
        &receipt::OPEN_QUESTIONS,
    ),
    (
        "reconstruction",
        "the scaffold follows without asking",
        &receipt::NOT_DERIVABLE,
    ),
];

/// Every condition of a PASS in the order it is decided, with the reason where it is not met.
pub fn conditions(reasons: &[Reason], lang: Lang) -> Conditions {
    let conditions = CONDITIONS
        .into_iter()
        .map(|(group, text, rule)| {
            let against = reasons
                .iter()
                .find(|reason| receipt::rule_of(reason).code == rule.code);
            Condition {
                group: group.to_owned(),
                text: text.to_owned(),
                state: if against.is_some() {
                    ConditionState::Unmet
                } else {
                    ConditionState::Met
                },
                note: against.map_or_else(String::new, |reason| reason.words(lang)),
            }
        })
        .collect();
    Conditions {
        title: "verdict".to_owned(),
        conditions,
    }
}
