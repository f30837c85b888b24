//! The attestation of a verdict on a draft: what it says of which files, and where one disagrees.
//!
//! In: the draft's files with digests, receipt and assessment as bytes, reasons and counts. Out: a
//! statement, or findings against one that is held to the draft and to the verdict on it.

use super::outcome::CONDITIONS;
use super::receipt::{ATTESTATION_DISAGREES, rule_of};
use super::{FindingCounts, Reason, is_draft_hash, word};
use crate::attestation::{Disagreement, Resource, Said, Statement};
use crate::digest::sha256_hex;
use crate::finding::{Finding, Location, excerpt};
use crate::outcome::{Outcome, Verdict};
use crate::receipts;
use std::collections::BTreeMap;

/// Digests by path below the draft; what has no bytes has a word for what it is.
pub type Files = BTreeMap<String, String>;

/// A verdict on a draft and what it was written on.
#[derive(Clone, Copy, Debug)]
pub struct Judgement<'j> {
    /// The draft hash.
    pub draft_hash: &'j str,
    /// All files of the draft.
    pub files: &'j Files,
    /// The receipt's bytes.
    pub receipt: &'j [u8],
    /// The bytes of the assessment beside it.
    pub assessment: &'j [u8],
    /// Reasons against a PASS.
    pub reasons: &'j [Reason],
    /// Findings of the assessment.
    pub counts: FindingCounts,
}

/// A file of the draft that cannot be attested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoBytes {
    /// Its path below the draft.
    pub file: String,
    /// What it is.
    pub reason: String,
}

/// The attestation of a verdict.
///
/// # Errors
/// The first file that has no bytes to attest.
pub fn statement(judgement: &Judgement<'_>) -> Result<Statement, NoBytes> {
    let rules = CONDITIONS.iter().map(|(_, _, rule)| {
        let mut against = judgement.reasons.iter().map(rule_of);
        (rule.code, against.all(|broken| broken.code != rule.code))
    });
    let counts = judgement.counts;
    let counts = [
        ("high", counts.high),
        ("medium", counts.medium),
        ("low", counts.low),
    ];
    let counts = counts.map(|(severity, count)| {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        (severity.to_owned(), count)
    });
    let said = Said {
        gate: "blueprint verdict",
        verdict: word(judgement.reasons).to_owned(),
        rules: rules.collect(),
        finding_counts: BTreeMap::from(counts),
        draft_hash: Some(judgement.draft_hash.to_owned()),
    };
    let beside = vec![
        Resource::file(
            receipts::file_name(judgement.draft_hash),
            sha256_hex(judgement.receipt),
        ),
        Resource::file(
            receipts::assessment_name(judgement.draft_hash),
            sha256_hex(judgement.assessment),
        ),
    ];
    Ok(Statement::new(subject(judgement.files)?, said, beside))
}

/// The files of a draft as the subject of an attestation.
fn subject(files: &Files) -> Result<Vec<Resource>, NoBytes> {
    let resources = files.iter().map(|(name, digest)| {
        // Digest and draft hash have the same form.
        if is_draft_hash(digest) {
            return Ok(Resource::file(name, digest));
        }
        let what = if digest.starts_with("link:") {
            "a link"
        } else {
            "no plain file"
        };
        Err(NoBytes {
            file: name.clone(),
            reason: format!("it is {what}, which has no bytes to attest; replace it with the file"),
        })
    });
    resources.collect()
}

/// Where the attestation `given`, called `name`, disagrees with the draft's `files` and, when the draft
/// is accepted, with the judgement on it.
pub fn disagreements(
    name: &str,
    given: &Statement,
    files: &Files,
    accepted: Option<&Judgement<'_>>,
) -> Vec<Finding> {
    let mut found = match subject(files) {
        Ok(files) => given.subject_disagreements(&files),
        Err(NoBytes { file, reason }) => vec![Disagreement {
            path: "$.subject".to_owned(),
            message: format!("`{}` of the draft: {reason}", excerpt(&file)),
        }],
    };
    if let Some(Ok(expected)) = accepted.map(statement) {
        found.extend(given.predicate_disagreements(&expected));
    }
    let findings = found.into_iter().map(|one| {
        let at = Location::at_path(name, one.path);
        Finding::new(&ATTESTATION_DISAGREES, at, one.message)
    });
    findings.collect()
}

/// The outcome of an acceptance that is held to the attestation called `name` as well.
pub fn held(mut acceptance: Outcome, name: &str, disagreements: Vec<Finding>) -> Outcome {
    if !disagreements.is_empty() {
        acceptance.verdict = Verdict::Failed;
        "not accepted".clone_into(&mut acceptance.summary);
        acceptance.facts.insert("accepted".to_owned(), false.into());
        acceptance.findings.extend(disagreements);
    } else if acceptance.verdict == Verdict::Passed {
        acceptance.summary = format!(
            "{}, with which {name} agrees (who signed it is not looked at)",
            acceptance.summary
        );
    }
    acceptance
}
