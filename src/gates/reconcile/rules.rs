//! The rules of the reconcile gate, and which rule each fault belongs to.
//!
//! In: faults as data. Out: registry entries. Codes `GWC022` and above belong to the umbrella command
//! alone: the drop-in passes over them.

use super::{Fault, FindingFault, StrictFault};
use crate::rule::{Rule, Severity};

/// `GWC001`.
pub(crate) const FAMILY_HOLDS_CONTROL_DOCUMENT: Rule = Rule {
    code: "GWC001",
    name: "family-holds-control-document",
    severity: Severity::Error,
    checks: "A family of documents lists a runner-control input among its members.",
    why: "Control inputs steer the run and are not evidence; a family that holds one would let it answer for a contract.",
    fails: "families.json: {\"family_id\": \"F1\", \"members\": [{\"id\": \"doc-a\"}, {\"id\": \"control\"}]}",
    repaired: "families.json: {\"family_id\": \"F1\", \"members\": [{\"id\": \"doc-a\"}]}",
    remedy: "take the control input out of the family, or give it another review_role in the manifest",
    source: "reconcile_counts.py contract, Check 1",
};

/// `GWC002`.
pub(crate) const FRAMEWORK_VERSION_MISMATCH: Rule = Rule {
    code: "GWC002",
    name: "framework-version-mismatch",
    severity: Severity::Error,
    checks: "The ledger's framework_version differs from the framework's.",
    why: "Results found under another version answer other questions.",
    fails: "findings.json: {\"framework_version\": 1}; framework.json: {\"framework_version\": 2}",
    repaired: "findings.json: {\"framework_version\": 2}; framework.json: {\"framework_version\": 2}",
    remedy: "run the review again under this framework, or give the framework the ledger was made for",
    source: "reconcile_counts.py contract, Check 2",
};

/// `GWC003`.
pub(crate) const PARKED_UNKNOWN_DOCUMENT: Rule = Rule {
    code: "GWC003",
    name: "parked-unknown-document",
    severity: Severity::Error,
    checks: "An entry of `parked` names a document that the manifest does not list.",
    why: "A parked entry excuses a unit from review; it can only excuse one that exists.",
    fails: "findings.json: {\"parked\": [{\"doc_id\": \"doc-x\"}]} with no doc-x in the manifest",
    repaired: "findings.json: {\"parked\": [{\"doc_id\": \"doc-a\"}]}",
    remedy: "name a document of the manifest, or drop the entry",
    source: "reconcile_counts.py contract, Check 3",
};

/// `GWC004`.
pub(crate) const PARKED_CONTROL_DOCUMENT: Rule = Rule {
    code: "GWC004",
    name: "parked-control-document",
    severity: Severity::Error,
    checks: "An entry of `parked` names a runner-control input.",
    why: "Control inputs are never reviewed, so there is nothing to park.",
    fails: "findings.json: {\"parked\": [{\"doc_id\": \"control\"}]}",
    repaired: "findings.json: {\"parked\": []}",
    remedy: "drop the entry",
    source: "reconcile_counts.py contract, Check 3",
};

/// `GWC005`.
pub(crate) const DUPLICATE_FINDING_ID: Rule = Rule {
    code: "GWC005",
    name: "duplicate-finding-id",
    severity: Severity::Error,
    checks: "Two findings carry the same finding_id.",
    why: "Receipts and checker verdicts are attached by id; with two findings of one id they could vouch for the wrong one.",
    fails: "findings.json: two findings with \"finding_id\": \"iss-1/doc-a\"",
    repaired: "findings.json: \"iss-1/doc-a\" and \"iss-2/doc-a\"",
    remedy: "give every finding its own id, issue_id/doc_id, or drop the copy",
    source: "reconcile_counts.py contract, Check 4a",
};

/// `GWC006`.
pub(crate) const FINDING_UNKNOWN_DOCUMENT: Rule = Rule {
    code: "GWC006",
    name: "finding-unknown-document",
    severity: Severity::Error,
    checks: "A finding names a document that the manifest does not list.",
    why: "A finding about a document outside the corpus proves nothing about the corpus.",
    fails: "findings.json: {\"doc_id\": \"doc-x\"} with no doc-x in the manifest",
    repaired: "findings.json: {\"doc_id\": \"doc-a\"}",
    remedy: "name a document of the manifest, or add the document and review it",
    source: "reconcile_counts.py contract, Check 4b",
};

/// `GWC007`.
pub(crate) const FINDING_CONTROL_DOCUMENT: Rule = Rule {
    code: "GWC007",
    name: "finding-control-document",
    severity: Severity::Error,
    checks: "A finding names a runner-control input.",
    why: "Control inputs are instructions to the run, not evidence.",
    fails: "findings.json: {\"doc_id\": \"control\"}",
    repaired: "findings.json: {\"doc_id\": \"doc-a\"}",
    remedy: "drop the finding, or give the document another review_role in the manifest",
    source: "reconcile_counts.py contract, Check 4c",
};

/// `GWC008`.
pub(crate) const UNSUPPORTED_STATUS: Rule = Rule {
    code: "GWC008",
    name: "unsupported-status",
    severity: Severity::Error,
    checks: "The status of a finding is none of present, absent, unresolved.",
    why: "Every pair of issue and unit is decided in one of three ways; any other word hides that it was not.",
    fails: "findings.json: {\"status\": \"refuted\"}",
    repaired: "findings.json: {\"status\": \"unresolved\"}",
    remedy: "use present, absent or unresolved",
    source: "reconcile_counts.py contract, Check 4d",
};

/// `GWC009`.
pub(crate) const EMPTY_QUOTE: Rule = Rule {
    code: "GWC009",
    name: "empty-quote",
    severity: Severity::Error,
    checks: "A finding with status present has no quote, or a blank one.",
    why: "A clause is only present where its words can be shown.",
    fails: "findings.json: {\"status\": \"present\", \"quote\": \" \"}",
    repaired: "findings.json: {\"status\": \"present\", \"quote\": \"neither party may assign\"}",
    remedy: "quote the clause word for word, or change the status",
    source: "reconcile_counts.py contract, Check 4e",
};

/// `GWC010`.
pub(crate) const EMPTY_SECTION: Rule = Rule {
    code: "GWC010",
    name: "empty-section",
    severity: Severity::Error,
    checks: "A finding with status present has no section, or a blank one.",
    why: "A reader must be able to find the quoted words in the document.",
    fails: "findings.json: {\"status\": \"present\", \"section\": \"\"}",
    repaired: "findings.json: {\"status\": \"present\", \"section\": \"9.2\"}",
    remedy: "say where the quoted words stand",
    source: "reconcile_counts.py contract, Check 4e",
};

/// `GWC011`.
pub(crate) const MISSING_QUOTE_RECEIPT: Rule = Rule {
    code: "GWC011",
    name: "missing-quote-receipt",
    severity: Severity::Error,
    checks: "A finding with status present has no quote_verification with status confirmed.",
    why: "Until its words were matched against the document, a quote is a claim.",
    fails: "findings.json: {\"status\": \"present\", \"quote_verification\": {\"status\": \"rejected\"}}",
    repaired: "findings.json: {\"status\": \"present\", \"quote_verification\": {\"status\": \"confirmed\"}}",
    remedy: "run the quote check (gatewright ledger quotes) and mend the quotes it rejects",
    source: "reconcile_counts.py contract, Check 4e",
};

/// `GWC012`.
pub(crate) const MISSING_CHECKER_RECEIPT: Rule = Rule {
    code: "GWC012",
    name: "missing-checker-receipt",
    severity: Severity::Error,
    checks: "A finding with status present has no verification with status confirmed.",
    why: "A finding counts only after an independent checker agreed with it.",
    fails: "findings.json: {\"status\": \"present\", \"verification\": null}",
    repaired: "findings.json: {\"status\": \"present\", \"verification\": {\"status\": \"confirmed\"}}",
    remedy: "run the independent check and merge its results (gatewright ledger merge)",
    source: "reconcile_counts.py contract, Check 4e",
};

/// `GWC013`.
pub(crate) const MISSING_UNIT: Rule = Rule {
    code: "GWC013",
    name: "missing-unit",
    severity: Severity::Error,
    checks: "The unit_id of a finding is missing, empty, or no text.",
    why: "Coverage is counted in units; a result without one covers nothing.",
    fails: "findings.json: {\"unit_id\": null}",
    repaired: "findings.json: {\"unit_id\": \"doc-a\"}",
    remedy: "give the unit of the document: its family's id, or its own id",
    source: "reconcile_counts.py contract, Check 4f",
};

/// `GWC014`.
pub(crate) const WRONG_UNIT: Rule = Rule {
    code: "GWC014",
    name: "wrong-unit",
    severity: Severity::Error,
    checks: "A finding claims another unit than the one its document belongs to.",
    why: "A result booked under a wrong unit covers what was not read and leaves open what was.",
    fails: "findings.json: {\"doc_id\": \"doc-a\", \"unit_id\": \"doc-b\"}",
    repaired: "findings.json: {\"doc_id\": \"doc-a\", \"unit_id\": \"doc-a\"}",
    remedy: "claim the document's own unit, or mend the family map",
    source: "reconcile_counts.py contract, Check 4g",
};

/// `GWC015`.
pub(crate) const UNKNOWN_LENS: Rule = Rule {
    code: "GWC015",
    name: "unknown-lens",
    severity: Severity::Error,
    checks: "A finding names a lens that the framework does not have.",
    why: "Work under an unknown lens answers no question that was asked.",
    fails: "findings.json: {\"lens_id\": \"lens-x\"}",
    repaired: "findings.json: {\"lens_id\": \"lens-1\"}",
    remedy: "name a lens of the framework",
    source: "reconcile_counts.py contract, Check 4h",
};

/// `GWC016`.
pub(crate) const UNKNOWN_ISSUE: Rule = Rule {
    code: "GWC016",
    name: "unknown-issue",
    severity: Severity::Error,
    checks: "A finding names an issue that the framework does not have.",
    why: "Work under an unknown issue answers no question that was asked.",
    fails: "findings.json: {\"issue_id\": \"iss-x\"}",
    repaired: "findings.json: {\"issue_id\": \"iss-1\"}",
    remedy: "name an issue of the framework",
    source: "reconcile_counts.py contract, Check 4i",
};

/// `GWC017`.
pub(crate) const WRONG_LENS: Rule = Rule {
    code: "GWC017",
    name: "wrong-lens",
    severity: Severity::Error,
    checks: "A finding puts an issue into another lens than the framework does.",
    why: "Reports are read by lens; a misplaced result is missing where it is looked for.",
    fails: "findings.json: {\"issue_id\": \"iss-1\", \"lens_id\": \"lens-2\"}",
    repaired: "findings.json: {\"issue_id\": \"iss-1\", \"lens_id\": \"lens-1\"}",
    remedy: "use the lens that lists the issue",
    source: "reconcile_counts.py contract, Check 4j",
};

/// `GWC018`.
pub(crate) const DUPLICATE_RESULT: Rule = Rule {
    code: "GWC018",
    name: "duplicate-result",
    severity: Severity::Error,
    checks: "Two findings give a result for the same issue and unit.",
    why: "With two results the ledger does not say which one holds.",
    fails: "findings.json: two findings for issue iss-1 and unit doc-a",
    repaired: "findings.json: one finding for issue iss-1 and unit doc-a",
    remedy: "keep one result per issue and unit",
    source: "reconcile_counts.py contract, Check 4k",
};

/// `GWC019`.
pub(crate) const UNCOVERED_UNIT: Rule = Rule {
    code: "GWC019",
    name: "uncovered-unit",
    severity: Severity::Error,
    checks: "A reviewable unit has no result for an issue and is not parked.",
    why: "An unanswered question reads like a clean one in the report.",
    fails: "findings.json: no finding for issue iss-1 and unit doc-b",
    repaired: "findings.json: {\"issue_id\": \"iss-1\", \"unit_id\": \"doc-b\", \"status\": \"absent\"}",
    remedy: "review the missing units for this issue, or park them with a reason",
    source: "reconcile_counts.py contract, Report, issue lines",
};

/// `GWC020`.
pub(crate) const RESULT_FOR_UNREADABLE_UNIT: Rule = Rule {
    code: "GWC020",
    name: "result-for-unreadable-unit",
    severity: Severity::Error,
    checks: "An issue has a result for a unit that is not reviewable: none of its documents is readable, or no document of the manifest belongs to it.",
    why: "Nobody can have read it; the result cannot come from the corpus.",
    fails: "manifest.json: doc-c is encrypted; findings.json: {\"unit_id\": \"doc-c\"}",
    repaired: "findings.json: no finding for doc-c",
    remedy: "drop the result, or supply a readable copy and list it in the manifest",
    source: "reconcile_counts.py contract, Report, issue lines",
};

/// `GWC021`.
pub(crate) const FOUND_AND_PARKED: Rule = Rule {
    code: "GWC021",
    name: "found-and-parked",
    severity: Severity::Error,
    checks: "A unit has a result for an issue although it is parked.",
    why: "Parking says the unit was set aside; a result says it was reviewed. One of the two is wrong.",
    fails: "findings.json: {\"parked\": [{\"doc_id\": \"doc-a\"}]} and a finding for doc-a",
    repaired: "findings.json: {\"parked\": []} and a finding for doc-a",
    remedy: "take the unit out of parked, or drop its results",
    source: "reconcile_counts.py contract, Report, issue lines",
};

/// `GWC022`.
pub(crate) const FINDING_WITHOUT_ID: Rule = Rule {
    code: "GWC022",
    name: "finding-without-id",
    severity: Severity::Error,
    checks: "A finding has no finding_id.",
    why: "Receipts and checker verdicts are attached by id.",
    fails: "findings.json: {\"issue_id\": \"iss-1\", \"doc_id\": \"doc-a\"}",
    repaired: "findings.json: {\"finding_id\": \"iss-1/doc-a\", \"issue_id\": \"iss-1\", \"doc_id\": \"doc-a\"}",
    remedy: "give the finding its id, issue_id/doc_id",
    source: "ledger contract, The files",
};

/// `GWC023`.
pub(crate) const PARKED_UNREADABLE_UNIT: Rule = Rule {
    code: "GWC023",
    name: "parked-unreadable-unit",
    severity: Severity::Error,
    checks: "A parked unit has no readable document.",
    why: "It is counted as unreadable already; parked as well it is counted twice and the equation of the report does not add up.",
    fails: "manifest.json: doc-c is encrypted; findings.json: {\"parked\": [{\"doc_id\": \"doc-c\"}]}",
    repaired: "findings.json: {\"parked\": []}",
    remedy: "take the unit out of parked: unreadable units need no excuse",
    source: "reconcile_counts.py contract, Report, equation line",
};

/// `GWC024`.
pub(crate) const REPEATED_DOCUMENT: Rule = Rule {
    code: "GWC024",
    name: "repeated-document",
    severity: Severity::Error,
    checks: "The manifest lists a document id twice.",
    why: "The corpus line then counts more files than there are documents.",
    fails: "manifest.json: two documents with \"id\": \"doc-a\"",
    repaired: "manifest.json: \"doc-a\" and \"doc-b\"",
    remedy: "list every document once",
    source: "ledger contract, The files",
};

/// `GWC025`.
pub(crate) const FAMILY_UNKNOWN_MEMBER: Rule = Rule {
    code: "GWC025",
    name: "family-unknown-member",
    severity: Severity::Error,
    checks: "A family lists a document that the manifest does not have.",
    why: "The family may have been made for another corpus.",
    fails: "families.json: {\"members\": [{\"id\": \"doc-x\"}]} with no doc-x in the manifest",
    repaired: "families.json: {\"members\": [{\"id\": \"doc-a\"}]}",
    remedy: "take the member out, or add the document to the manifest",
    source: "reconcile_counts.py contract, Units",
};

/// `GWC026`.
pub(crate) const DOCUMENT_IN_TWO_FAMILIES: Rule = Rule {
    code: "GWC026",
    name: "document-in-two-families",
    severity: Severity::Error,
    checks: "Two families list the same document.",
    why: "The later family decides silently to which unit the document's findings belong.",
    fails: "families.json: F1 and F2 both list doc-a",
    repaired: "families.json: only F1 lists doc-a",
    remedy: "list the document in one family",
    source: "reconcile_counts.py contract, Units",
};

/// `GWC027`.
pub(crate) const NOTHING_TO_RECONCILE: Rule = Rule {
    code: "GWC027",
    name: "nothing-to-reconcile",
    severity: Severity::Error,
    checks: "The framework has no issues, or the manifest no units.",
    why: "A run over nothing passes every check and shows nothing.",
    fails: "framework.json: {\"lenses\": []}",
    repaired: "framework.json: {\"lenses\": [{\"lens_id\": \"lens-1\", \"items\": [{\"issue_id\": \"iss-1\"}]}]}",
    remedy: "give the approved framework and the manifest of the corpus",
    source: "reconcile_counts.py contract, Report, matrix line",
};

/// Every rule of the gate.
pub const RULES: &[Rule] = &[
    FAMILY_HOLDS_CONTROL_DOCUMENT,
    FRAMEWORK_VERSION_MISMATCH,
    PARKED_UNKNOWN_DOCUMENT,
    PARKED_CONTROL_DOCUMENT,
    DUPLICATE_FINDING_ID,
    FINDING_UNKNOWN_DOCUMENT,
    FINDING_CONTROL_DOCUMENT,
    UNSUPPORTED_STATUS,
    EMPTY_QUOTE,
    EMPTY_SECTION,
    MISSING_QUOTE_RECEIPT,
    MISSING_CHECKER_RECEIPT,
    MISSING_UNIT,
    WRONG_UNIT,
    UNKNOWN_LENS,
    UNKNOWN_ISSUE,
    WRONG_LENS,
    DUPLICATE_RESULT,
    UNCOVERED_UNIT,
    RESULT_FOR_UNREADABLE_UNIT,
    FOUND_AND_PARKED,
    FINDING_WITHOUT_ID,
    PARKED_UNREADABLE_UNIT,
    REPEATED_DOCUMENT,
    FAMILY_UNKNOWN_MEMBER,
    DOCUMENT_IN_TWO_FAMILIES,
    NOTHING_TO_RECONCILE,
];

/// The rule that a fault breaks.
pub(crate) fn rule_of(fault: &Fault) -> &'static Rule {
    match fault {
        Fault::FamilyWithControls { .. } => &FAMILY_HOLDS_CONTROL_DOCUMENT,
        Fault::Versions { .. } => &FRAMEWORK_VERSION_MISMATCH,
        Fault::ParkedUnknown { .. } => &PARKED_UNKNOWN_DOCUMENT,
        Fault::ParkedControl { .. } => &PARKED_CONTROL_DOCUMENT,
        Fault::Finding { fault, .. } => match fault {
            FindingFault::DuplicateId => &DUPLICATE_FINDING_ID,
            FindingFault::UnknownDocument { .. } => &FINDING_UNKNOWN_DOCUMENT,
            FindingFault::ControlDocument { .. } => &FINDING_CONTROL_DOCUMENT,
            FindingFault::Status { .. } => &UNSUPPORTED_STATUS,
            FindingFault::EmptyQuote => &EMPTY_QUOTE,
            FindingFault::EmptySection => &EMPTY_SECTION,
            FindingFault::NoQuoteReceipt => &MISSING_QUOTE_RECEIPT,
            FindingFault::NoCheckerReceipt { .. } => &MISSING_CHECKER_RECEIPT,
            FindingFault::NoUnit => &MISSING_UNIT,
            FindingFault::OtherUnit { .. } => &WRONG_UNIT,
            FindingFault::UnknownLens { .. } => &UNKNOWN_LENS,
            FindingFault::UnknownIssue { .. } => &UNKNOWN_ISSUE,
            FindingFault::OtherLens { .. } => &WRONG_LENS,
            FindingFault::DuplicateResult { .. } => &DUPLICATE_RESULT,
        },
    }
}

/// The rule that a fault of the umbrella command alone breaks.
pub(crate) fn strict_rule_of(fault: &StrictFault) -> &'static Rule {
    match fault {
        StrictFault::NothingToReconcile { .. } => &NOTHING_TO_RECONCILE,
        StrictFault::RepeatedDocument { .. } => &REPEATED_DOCUMENT,
        StrictFault::UnknownMember { .. } => &FAMILY_UNKNOWN_MEMBER,
        StrictFault::SecondFamily { .. } => &DOCUMENT_IN_TWO_FAMILIES,
        StrictFault::ParkedUnreadable { .. } => &PARKED_UNREADABLE_UNIT,
        StrictFault::FindingWithoutId { .. } => &FINDING_WITHOUT_ID,
    }
}
