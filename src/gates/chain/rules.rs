//! The rules of the chain from framework to report.
//!
//! In: nothing. Out: registry entries. `GWL101` to `GWL108` belong to the stages, `GWL111` and above
//! to the strict checks of `ledger reconcile`, which the drop-in passes over.

use crate::rule::{Rule, Severity};

/// A present finding's quote does not stand in the document it cites at one of the two strict grades, identical or reflowed, or is empty.
pub(crate) const QUOTE_NOT_IN_SOURCE: Rule = Rule {
    code: "GWL101",
    name: "quote-not-in-source",
    severity: Severity::Error,
    checks: "A present finding's quote does not stand in the document it cites at one of the two strict grades, identical or reflowed, or is empty.",
    why: "A finding whose quote is not in the document claims what nobody can read there.",
    fails: "findings.json: {\"status\": \"present\", \"quote\": \"Landlord shall assign\"}; room/lease.txt: Landlord shall not assign",
    repaired: "findings.json: {\"status\": \"present\", \"quote\": \"Landlord shall not assign\"}",
    remedy: "copy the quote from the document letter by letter, or withdraw the finding",
    source: "ledger contract, verify_finding_quotes.py",
};

/// A document of the manifest is missing, has other bytes than its id says, or would be read from outside the room; or a finding cites a document that the manifest does not have.
pub(crate) const DOCUMENT_DIFFERS: Rule = Rule {
    code: "GWL102",
    name: "document-differs-from-manifest",
    severity: Severity::Error,
    checks: "A document of the manifest is missing, has other bytes than its id says, or would be read from outside the room; or a finding cites a document that the manifest does not have.",
    why: "Quotes checked against another document prove nothing about the one that was reviewed.",
    fails: "manifest.json: {\"id\": \"sha256:000000000000\", \"path\": \"lease.txt\"} beside other bytes in lease.txt",
    repaired: "manifest.json with the id of the bytes that lie in the room",
    remedy: "put the reviewed document back, or review the new one and write a new manifest",
    source: "ledger contract, verify_finding_quotes.py",
};

/// The text of a document that a present finding cites cannot be had.
pub(crate) const UNREADABLE_DOCUMENT: Rule = Rule {
    code: "GWL103",
    name: "unreadable-document",
    severity: Severity::Error,
    checks: "The text of a document that a present finding cites cannot be had.",
    why: "A quote that could not be looked for is neither confirmed nor missing.",
    fails: "a finding that cites an encrypted PDF",
    repaired: "the same finding on a copy that can be read, or parked as unreadable",
    remedy: "provide a readable copy, or park the document",
    source: "ledger contract, verify_finding_quotes.py",
};

/// A present finding lacks an id, quote, section or confirmed quote receipt, names the wrong lens, repeats an id, or the versions of ledger and framework differ.
pub(crate) const LEDGER_NOT_READY: Rule = Rule {
    code: "GWL104",
    name: "ledger-not-ready-for-checkers",
    severity: Severity::Error,
    checks: "A present finding lacks an id, quote, section or confirmed quote receipt, names the wrong lens, repeats an id, or the versions of ledger and framework differ.",
    why: "A checker's time is spent on findings that a machine could already have refused.",
    fails: "findings.json: {\"status\": \"present\", \"finding_id\": \"a/1\", \"quote\": \"\"}",
    repaired: "findings.json: {\"status\": \"present\", \"finding_id\": \"a/1\", \"quote\": \"…\", \"section\": \"9\", \"quote_verification\": {\"status\": \"confirmed\"}}",
    remedy: "mend the finding and run `gatewright ledger quotes` again",
    source: "ledger contract, build_checker_plan.py",
};

/// The checker plan was made for another ledger, was changed, or does not cover exactly the present findings with safe file names.
pub(crate) const PLAN_DOES_NOT_FIT: Rule = Rule {
    code: "GWL105",
    name: "checker-plan-does-not-fit",
    severity: Severity::Error,
    checks: "The checker plan was made for another ledger, was changed, or does not cover exactly the present findings with safe file names.",
    why: "Verdicts on another ledger say nothing about this one.",
    fails: "a plan, and a ledger edited after the plan was written",
    repaired: "the plan written again by `gatewright ledger plan`",
    remedy: "write the plan again with `gatewright ledger plan` and have it checked again",
    source: "ledger contract, merge_checker_results.py",
};

/// A checker result is missing, unexpected, unreadable, lies outside the results folder, or is not the answer to its job.
pub(crate) const CHECKER_RESULT_FAULT: Rule = Rule {
    code: "GWL106",
    name: "checker-result-fault",
    severity: Severity::Error,
    checks: "A checker result is missing, unexpected, unreadable, lies outside the results folder, or is not the answer to its job.",
    why: "A verdict that cannot be tied to one finding would be counted for another.",
    fails: "results/0123456789abcdef.json: {\"verdict\": \"refuted\", \"objection\": \"\"}",
    repaired: "results/0123456789abcdef.json: {\"checker_plan_id\": \"…\", \"finding_id\": \"a/1\", \"verdict\": \"refuted\", \"objection\": \"the clause was amended\"}",
    remedy: "have the checker of the named job answer again",
    source: "ledger contract, merge_checker_results.py",
};

/// A file of the run is not what its receipt says, or the receipt's inputs do not give this file again.
pub(crate) const CHAIN_BROKEN: Rule = Rule {
    code: "GWL107",
    name: "chain-broken",
    severity: Severity::Error,
    checks: "A file of the run is not what its receipt says, or the receipt's inputs do not give this file again.",
    why: "A run is proved only when every file follows from the ones before it.",
    fails: "findings.checked.json edited after `gatewright ledger merge` wrote it",
    repaired: "findings.checked.json as `gatewright ledger merge` wrote it",
    remedy: "run the named stage again from unchanged inputs",
    source: "gatewright documentation, The ledger chain: Strict checks",
};

/// Two findings of the ledger have one id.
pub(crate) const FINDING_ID_REPEATS: Rule = Rule {
    code: "GWL108",
    name: "finding-id-repeats",
    severity: Severity::Error,
    checks: "Two findings of the ledger have one id.",
    why: "Receipts and verdicts are kept by id: what is said of one finding would be counted for the other.",
    fails: "findings.json: {\"finding_id\": \"a/1\"}, {\"finding_id\": \"a/1\"}",
    repaired: "findings.json: {\"finding_id\": \"a/1\"}, {\"finding_id\": \"a/2\"}",
    remedy: "give each finding an id of its own, or take the copy out",
    source: "ledger contract, merge_checker_results.py",
};

/// A `finding_id` is not `issue_id/doc_id`.
pub(crate) const FINDING_ID_FORM: Rule = Rule {
    code: "GWL111",
    name: "finding-id-form",
    severity: Severity::Error,
    checks: "A finding_id is not `issue_id/doc_id`.",
    why: "Later stages and people find the issue and the document by the id.",
    fails: "findings.json: {\"finding_id\": \"f1\", \"issue_id\": \"a\", \"doc_id\": \"sha256:1\"}",
    repaired: "findings.json: {\"finding_id\": \"a/sha256:1\", \"issue_id\": \"a\", \"doc_id\": \"sha256:1\"}",
    remedy: "write finding_id as issue_id, a slash and doc_id",
    source: "ledger contract, head of the page",
};

/// A characterization has more words than the item's `characterization_max_words`.
pub(crate) const CHARACTERIZATION_TOO_LONG: Rule = Rule {
    code: "GWL112",
    name: "characterization-too-long",
    severity: Severity::Error,
    checks: "A characterization has more words than the item's characterization_max_words.",
    why: "The word limit keeps a finding a statement of the clause and not an opinion on it.",
    fails: "framework.json: \"characterization_max_words\": 5; findings.json: \"characterization\": \"one two three four five six\"",
    repaired: "findings.json: \"characterization\": \"one two three four five\"",
    remedy: "shorten the characterization to the limit",
    source: "ledger contract, head of the page",
};

/// A finding has a band or `band_basis` although its item asks for no materiality.
pub(crate) const BAND_WITHOUT_MATERIALITY: Rule = Rule {
    code: "GWL113",
    name: "band-without-materiality",
    severity: Severity::Error,
    checks: "A finding has a band or band_basis although its item asks for no materiality.",
    why: "A band that nobody defined cannot be compared.",
    fails: "framework.json item without materiality; findings.json: {\"band\": \"high\"}",
    repaired: "findings.json without band and band_basis",
    remedy: "remove band and band_basis, or define materiality in the framework",
    source: "ledger contract, head of the page",
};

/// A present finding in a family of several documents does not say `current_position`: true.
pub(crate) const POSITION_NOT_CURRENT: Rule = Rule {
    code: "GWL114",
    name: "position-not-current",
    severity: Severity::Error,
    checks: "A present finding in a family of several documents does not say current_position: true.",
    why: "In a family the newest document decides; a finding on a superseded one misleads.",
    fails: "findings.json: {\"status\": \"present\", \"doc_id\": \"sha256:1\"} in a family of two",
    repaired: "findings.json: {\"status\": \"present\", \"doc_id\": \"sha256:1\", \"current_position\": true}",
    remedy: "confirm that the family's current position has the clause and say so, or withdraw the finding",
    source: "ledger contract, head of the page",
};

/// A confirmed quote receipt names another checker than deterministic-text-match.
pub(crate) const QUOTE_RECEIPT_CHECKER: Rule = Rule {
    code: "GWL115",
    name: "quote-receipt-checker",
    severity: Severity::Error,
    checks: "A confirmed quote receipt names another checker than deterministic-text-match.",
    why: "Only the text match confirms quotes; anything else is a claim.",
    fails: "findings.json: \"quote_verification\": {\"status\": \"confirmed\", \"checker\": \"me\"}",
    repaired: "findings.json: \"quote_verification\": {\"status\": \"confirmed\", \"checker\": \"deterministic-text-match\"}",
    remedy: "run `gatewright ledger quotes`, which writes the receipt",
    source: "ledger contract, head of the page",
};

/// A confirmed verification receipt names another checker than independent.
pub(crate) const VERIFICATION_CHECKER: Rule = Rule {
    code: "GWL116",
    name: "verification-checker",
    severity: Severity::Error,
    checks: "A confirmed verification receipt names another checker than independent.",
    why: "A finding confirmed by its own author is not verified.",
    fails: "findings.json: \"verification\": {\"status\": \"confirmed\", \"checker\": \"self\"}",
    repaired: "findings.json: \"verification\": {\"status\": \"confirmed\", \"checker\": \"independent\"}",
    remedy: "have an independent checker answer and merge its result",
    source: "ledger contract, head of the page",
};

/// A finding of the lens that an item names as `overlap_owner` quotes the same passage of the same unit as a finding of that item.
pub(crate) const OVERLAPPING_QUOTE: Rule = Rule {
    code: "GWL117",
    name: "overlapping-quote",
    severity: Severity::Warning,
    checks: "A finding of the lens that an item names as overlap_owner quotes the same passage of the same unit as a finding of that item.",
    why: "The same clause would be reported twice, once under each lens.",
    fails: "item a with \"overlap_owner\": \"term\"; findings of a and of a term issue quote the same sentence of one unit",
    repaired: "only the owner's finding is reported",
    remedy: "suppress the finding outside the owning lens when reporting",
    source: "gatewright documentation, The ledger chain: Strict checks",
};

/// All of them, in listing order.
pub const RULES: &[Rule] = &[
    QUOTE_NOT_IN_SOURCE,
    DOCUMENT_DIFFERS,
    UNREADABLE_DOCUMENT,
    LEDGER_NOT_READY,
    PLAN_DOES_NOT_FIT,
    CHECKER_RESULT_FAULT,
    CHAIN_BROKEN,
    FINDING_ID_REPEATS,
    FINDING_ID_FORM,
    CHARACTERIZATION_TOO_LONG,
    BAND_WITHOUT_MATERIALITY,
    POSITION_NOT_CURRENT,
    QUOTE_RECEIPT_CHECKER,
    VERIFICATION_CHECKER,
    OVERLAPPING_QUOTE,
];
