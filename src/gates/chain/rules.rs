//! The rules of the chain from framework to report.
//!
//! In: nothing. Out: registry entries. `GWL101` to `GWL110` belong to the stages and `ledger check`,
//! `GWL111` and above to the strict checks of `ledger reconcile`, which the drop-in passes over.

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

/// A ledger holds checker receipts, and no plan, earlier ledger and folder of results in the run give it.
pub(crate) const CHECKER_RECEIPT_UNBOUND: Rule = Rule {
    code: "GWL109",
    name: "checker-receipt-unbound",
    severity: Severity::Error,
    checks: "A ledger holds checker receipts, and no plan, earlier ledger and folder of results in the run give it.",
    why: "A receipt that is typed into the ledger by hand says that a checker looked where none did.",
    fails: "findings.checked.json: {\"verification\": {\"checker\": \"independent\", \"status\": \"confirmed\"}} with no result file for it",
    repaired: "findings.checked.json as `gatewright ledger merge` writes it from plan and results",
    remedy: "plan, check and merge again (gatewright ledger plan, gatewright ledger merge)",
    source: "gatewright documentation, The ledger chain: ledger check",
};

/// The manifest calls a document unreadable, and its text can be read.
pub(crate) const READABLE_DOCUMENT: Rule = Rule {
    code: "GWL110",
    name: "document-called-unreadable",
    severity: Severity::Error,
    checks: "The manifest calls a document unreadable, and its text can be read.",
    why: "A document that is called encrypted or corrupt is left out of the review without anybody noticing.",
    fails: "manifest.json: {\"path\": \"lease.txt\", \"readability\": \"encrypted\"} beside a lease.txt with text",
    repaired: "manifest.json: {\"path\": \"lease.txt\", \"readability\": \"native\"}",
    remedy: "call the document native and review it, or park it with a reason",
    source: "gatewright documentation, The ledger chain: ledger check",
};

/// An entry of `parked` gives no reason.
pub(crate) const PARKED_WITHOUT_REASON: Rule = Rule {
    code: "GWL118",
    name: "parked-without-reason",
    severity: Severity::Warning,
    checks: "An entry of `parked` gives no reason.",
    why: "Parking takes a document out of the review; whoever reads the report must be able to tell why.",
    fails: "findings.json: {\"parked\": [{\"doc_id\": \"sha256:3df38dfb9256\"}]}",
    repaired: "findings.json: {\"parked\": [{\"doc_id\": \"sha256:3df38dfb9256\", \"reason\": \"superseded by the amendment\"}]}",
    remedy: "give the entry a `reason`",
    source: "gatewright documentation, The ledger chain: Coverage by declaration",
};

/// No document was reviewed: every one is called unreadable, or parked and some without a reason.
pub(crate) const NOTHING_REVIEWED: Rule = Rule {
    code: "GWL119",
    name: "nothing-reviewed",
    severity: Severity::Error,
    checks: "No document was reviewed: every one is called unreadable, or parked and some without a reason.",
    why: "A declaration is no review: with it every issue is covered and nobody has read anything.",
    fails: "manifest.json: every document {\"readability\": \"encrypted\"}",
    repaired: "manifest.json: {\"readability\": \"native\"} for what can be read",
    remedy: "review the documents, or give the reason why each is parked",
    source: "gatewright documentation, The ledger chain: Coverage by declaration",
};

/// A number in the manifest's `counts` is not what its `documents` give.
pub(crate) const COUNTS_DIFFER: Rule = Rule {
    code: "GWL120",
    name: "counts-differ",
    severity: Severity::Error,
    checks: "A number in the manifest's `counts` is not what its `documents` give.",
    why: "A manifest that was shortened or changed after it was counted no longer lists the room.",
    fails: "manifest.json: {\"documents\": [], \"counts\": {\"files\": 4}}",
    repaired: "manifest.json: {\"documents\": [], \"counts\": {\"files\": 0}}",
    remedy: "write the manifest again from the room",
    source: "ledger contract, The files: manifest.json",
};

/// Two documents with different bytes have one id, or a document has another SHA-256 than the manifest's `sha256` says.
pub(crate) const ONE_ID_TWO_DOCUMENTS: Rule = Rule {
    code: "GWL121",
    name: "one-id-for-two-documents",
    severity: Severity::Error,
    checks: "Two documents with different bytes have one id, or a document has another SHA-256 than the manifest's `sha256` says.",
    why: "An id holds 48 bits of a digest: somebody who wants to can make a second document with the same one.",
    fails: "room/a.txt and room/b.txt with different bytes and the id \"sha256:17318df9bcc1\"",
    repaired: "room/a.txt alone, and manifest.json: {\"sha256\": (64 digits)} for it",
    remedy: "take the other document out of the room; keep the full `sha256` in the manifest",
    source: "gatewright documentation, The ledger chain: ledger check",
};

/// A file of the room is not in the manifest.
pub(crate) const DOCUMENT_OUTSIDE_MANIFEST: Rule = Rule {
    code: "GWL122",
    name: "document-outside-manifest",
    severity: Severity::Warning,
    checks: "A file of the room is not in the manifest.",
    why: "What the manifest does not list is never reviewed and never missed.",
    fails: "room/side-letter.pdf with no entry in manifest.json",
    repaired: "manifest.json: {\"path\": \"side-letter.pdf\", ...}",
    remedy: "list the file in the manifest, or take it out of the room",
    source: "gatewright documentation, The ledger chain: ledger check",
};

/// The framework of the run is not approved.
pub(crate) const FRAMEWORK_NOT_APPROVED: Rule = Rule {
    code: "GWL123",
    name: "framework-not-approved",
    severity: Severity::Error,
    checks: "The framework of the run is not approved.",
    why: "Findings answer a checklist; one that nobody approved is not the one that was asked for.",
    fails: "framework.json: {\"approved\": false}",
    repaired: "framework.json: {\"approved\": true}",
    remedy: "have the framework read back and approved first",
    source: "validate_framework.py contract",
};

/// A unit has more quotes under one lens than are compared for overlaps; equal ones are still found.
pub(crate) const QUOTES_NOT_COMPARED: Rule = Rule {
    code: "GWL124",
    name: "quotes-not-compared",
    severity: Severity::Note,
    checks: "A unit has more quotes under one lens than are compared for overlaps; equal ones are still found.",
    why: "What was not compared is not known to be free of overlaps.",
    fails: "more than 200 findings of the owning lens for one unit",
    repaired: "the overlaps of these findings looked at by a reader",
    remedy: "look at these quotes by hand",
    source: "gatewright documentation, The ledger chain: Strict checks",
};

/// A quote that differed from its document in typography alone was replaced by the document's own words.
pub(crate) const QUOTE_REPAIRED: Rule = Rule {
    code: "GWL125",
    name: "quote-repaired",
    severity: Severity::Note,
    checks: "`--repair` replaced a quote that differed from its document in typography alone (quotation marks, dashes, ligatures, invisible characters) by the document's own words.",
    why: "Each change to a ledger is to be seen by whoever answers for it.",
    fails: "findings.json: {\"status\": \"present\", \"quote\": \"it's due\"}; room/lease.txt: it\u{2019}s due",
    repaired: "findings.json: {\"status\": \"present\", \"quote\": \"it\u{2019}s due\"}",
    remedy: "nothing, unless the change is not wanted: run without `--repair` then",
    source: "gatewright documentation, The ledger chain: Quotes",
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
    CHECKER_RECEIPT_UNBOUND,
    READABLE_DOCUMENT,
    FINDING_ID_FORM,
    CHARACTERIZATION_TOO_LONG,
    BAND_WITHOUT_MATERIALITY,
    POSITION_NOT_CURRENT,
    QUOTE_RECEIPT_CHECKER,
    VERIFICATION_CHECKER,
    OVERLAPPING_QUOTE,
    PARKED_WITHOUT_REASON,
    NOTHING_REVIEWED,
    COUNTS_DIFFER,
    ONE_ID_TWO_DOCUMENTS,
    DOCUMENT_OUTSIDE_MANIFEST,
    FRAMEWORK_NOT_APPROVED,
    QUOTES_NOT_COMPARED,
    QUOTE_REPAIRED,
];
