//! The rules of the framework gate, and which rule each problem belongs to.
//!
//! In: problems as data. Out: registry entries. Codes `GWF019` and above belong to the umbrella
//! command alone: the drop-in passes over them.

use super::{ProblemKind, StrictKind};
use crate::rule::{Rule, Severity};

const PAGE: &str = "validate_framework.py contract, Schema keywords";
const SEMANTIC: &str = "validate_framework.py contract, Semantic checks";
const STRICT: &str = "gatewright documentation, Differences";

/// A value fits none of the schema's anyOf branches.
const NO_ALTERNATIVE: Rule = Rule {
    code: "GWF001",
    name: "no-alternative",
    severity: Severity::Error,
    checks: "A value fits none of the schema's anyOf branches.",
    why: "Each branch is a shape the pipeline can handle; a value outside all of them has no meaning there.",
    fails: "\"overlap_owner\": 7",
    repaired: "\"overlap_owner\": null",
    remedy: "give the value one of the shapes the message lists",
    source: PAGE,
};

/// A value has another JSON type than the schema asks for; 1.0 and true are no integers.
const WRONG_TYPE: Rule = Rule {
    code: "GWF002",
    name: "wrong-type",
    severity: Severity::Error,
    checks: "A value has another JSON type than the schema asks for; 1.0 and true are no integers.",
    why: "Later steps read the value as the type the schema promises.",
    fails: "\"framework_version\": \"1\"",
    repaired: "\"framework_version\": 1",
    remedy: "write the value as the type the message asks for",
    source: PAGE,
};

/// A value is not one of the values the schema lists.
const NOT_LISTED: Rule = Rule {
    code: "GWF003",
    name: "not-listed",
    severity: Severity::Error,
    checks: "A value is not one of the values the schema lists.",
    why: "Each listed value has a handling of its own; any other has none.",
    fails: "\"disposition\": \"maybe\"",
    repaired: "\"disposition\": \"report\"",
    remedy: "use one of the listed values",
    source: PAGE,
};

/// A value differs from the one value the schema allows.
const NOT_THE_CONSTANT: Rule = Rule {
    code: "GWF004",
    name: "not-the-constant",
    severity: Severity::Error,
    checks: "A value differs from the one value the schema allows.",
    why: "The value is a promise that the reviewers rely on word for word.",
    fails: "\"required\": \"a quote\"",
    repaired: "\"required\": \"verbatim quote plus section reference\"",
    remedy: "write exactly the value the message gives",
    source: PAGE,
};

/// A string does not match the schema's pattern.
const PATTERN_MISMATCH: Rule = Rule {
    code: "GWF005",
    name: "pattern-mismatch",
    severity: Severity::Error,
    checks: "A string does not match the schema's pattern.",
    why: "Ids go into file names and keys; other characters break them.",
    fails: "\"lens_id\": \"Change of control\"",
    repaired: "\"lens_id\": \"change-of-control\"",
    remedy: "rewrite the string so that it matches: for ids lower-case letters, digits and hyphens",
    source: PAGE,
};

/// A string has fewer characters than the schema asks for.
const TEXT_TOO_SHORT: Rule = Rule {
    code: "GWF006",
    name: "text-too-short",
    severity: Severity::Error,
    checks: "A string has fewer characters than the schema asks for.",
    why: "An empty text leaves the reviewer without the instruction it should hold.",
    fails: "\"question\": \"\"",
    repaired: "\"question\": \"Does the agreement restrict assignment?\"",
    remedy: "write the missing text",
    source: PAGE,
};

/// A string has more characters than the schema allows.
const TEXT_TOO_LONG: Rule = Rule {
    code: "GWF007",
    name: "text-too-long",
    severity: Severity::Error,
    checks: "A string has more characters than the schema allows.",
    why: "The text would not fit where it is shown.",
    fails: "\"label\": \"…\" with maxLength 3",
    repaired: "\"label\": \"rfp\"",
    remedy: "shorten the text",
    source: PAGE,
};

/// A number is below the schema's minimum.
const NUMBER_TOO_SMALL: Rule = Rule {
    code: "GWF008",
    name: "number-too-small",
    severity: Severity::Error,
    checks: "A number is below the schema's minimum.",
    why: "Values below it have no sensible reading.",
    fails: "\"characterization_max_words\": 4",
    repaired: "\"characterization_max_words\": 30",
    remedy: "raise the number to the minimum or above",
    source: PAGE,
};

/// A number is above the schema's maximum.
const NUMBER_TOO_LARGE: Rule = Rule {
    code: "GWF009",
    name: "number-too-large",
    severity: Severity::Error,
    checks: "A number is above the schema's maximum.",
    why: "Values above it defeat the limit's purpose.",
    fails: "\"characterization_max_words\": 500",
    repaired: "\"characterization_max_words\": 60",
    remedy: "lower the number to the maximum or below",
    source: PAGE,
};

/// A list has fewer items than the schema asks for.
const TOO_FEW_ITEMS: Rule = Rule {
    code: "GWF010",
    name: "too-few-items",
    severity: Severity::Error,
    checks: "A list has fewer items than the schema asks for.",
    why: "A lens without items, or a framework without lenses, reviews nothing and would pass as done.",
    fails: "\"lenses\": []",
    repaired: "\"lenses\": [{\"lens_id\": \"term\", \"name\": \"Term\", \"items\": [ … ]}]",
    remedy: "add the missing items",
    source: PAGE,
};

/// A list has more items than the schema allows.
const TOO_MANY_ITEMS: Rule = Rule {
    code: "GWF011",
    name: "too-many-items",
    severity: Severity::Error,
    checks: "A list has more items than the schema allows.",
    why: "The surplus has no place in the tables made from the list.",
    fails: "\"statuses\": [\"present\", \"absent\", \"unresolved\", \"maybe\"]",
    repaired: "\"statuses\": [\"present\", \"absent\", \"unresolved\"]",
    remedy: "drop the surplus items",
    source: PAGE,
};

/// An object lacks a member that the schema requires.
const MISSING_MEMBER: Rule = Rule {
    code: "GWF012",
    name: "missing-member",
    severity: Severity::Error,
    checks: "An object lacks a member that the schema requires.",
    why: "Every required member is read by a later step.",
    fails: "{\"lens_id\": \"term\", \"items\": [ … ]}",
    repaired: "{\"lens_id\": \"term\", \"name\": \"Term\", \"items\": [ … ]}",
    remedy: "add the member the message names",
    source: PAGE,
};

/// An object has a member that the schema does not know.
const UNEXPECTED_MEMBER: Rule = Rule {
    code: "GWF013",
    name: "unexpected-member",
    severity: Severity::Error,
    checks: "An object has a member that the schema does not know.",
    why: "Nothing reads it: whoever wrote it believes in an effect that it does not have.",
    fails: "{\"lens_id\": \"term\", \"severity\": \"high\", … }",
    repaired: "{\"lens_id\": \"term\", … }",
    remedy: "drop the member, or spell it as the schema does",
    source: PAGE,
};

/// `framework_version` is an integer below 1.
const VERSION_BELOW_ONE: Rule = Rule {
    code: "GWF014",
    name: "version-below-one",
    severity: Severity::Error,
    checks: "framework_version is an integer below 1.",
    why: "Versions count from 1; results name the version they were found under.",
    fails: "\"framework_version\": 0",
    repaired: "\"framework_version\": 1",
    remedy: "count framework_version from 1",
    source: SEMANTIC,
};

/// approved is true without --allow-approved.
const APPROVED_EARLY: Rule = Rule {
    code: "GWF015",
    name: "approved-early",
    severity: Severity::Error,
    checks: "approved is true without --allow-approved.",
    why: "Approval is a person's decision at Gate 2; a framework that arrives approved has skipped it.",
    fails: "\"approved\": true",
    repaired: "\"approved\": false",
    remedy: "set approved to false, or pass --allow-approved after Gate 2",
    source: SEMANTIC,
};

/// Two lenses have the same `lens_id`.
const DUPLICATE_LENS_ID: Rule = Rule {
    code: "GWF016",
    name: "duplicate-lens-id",
    severity: Severity::Error,
    checks: "Two lenses have the same lens_id.",
    why: "Results and owners refer to lenses by id; a second one of the same id is lost.",
    fails: "\"lenses\": [{\"lens_id\": \"term\", … }, {\"lens_id\": \"term\", … }]",
    repaired: "\"lenses\": [{\"lens_id\": \"term\", … }, {\"lens_id\": \"renewal\", … }]",
    remedy: "rename one of the two lenses",
    source: SEMANTIC,
};

/// Two items, in whichever lenses, have the same `issue_id`.
const DUPLICATE_ISSUE_ID: Rule = Rule {
    code: "GWF017",
    name: "duplicate-issue-id",
    severity: Severity::Error,
    checks: "Two items, in whichever lenses, have the same issue_id.",
    why: "Results are counted by issue_id; two items of one id count as one.",
    fails: "\"items\": [{\"issue_id\": \"coc-01\", … }, {\"issue_id\": \"coc-01\", … }]",
    repaired: "\"items\": [{\"issue_id\": \"coc-01\", … }, {\"issue_id\": \"coc-02\", … }]",
    remedy: "rename one of the two items",
    source: SEMANTIC,
};

/// `overlap_owner` names no lens of the framework.
const UNKNOWN_OVERLAP_OWNER: Rule = Rule {
    code: "GWF018",
    name: "unknown-overlap-owner",
    severity: Severity::Error,
    checks: "overlap_owner names no lens of the framework.",
    why: "The owner answers for the overlap; nobody does when it does not exist.",
    fails: "\"overlap_owner\": \"nobody\"",
    repaired: "\"overlap_owner\": \"term\"",
    remedy: "name a lens_id of this framework, or null",
    source: SEMANTIC,
};

/// The schema uses a keyword that the gate does not enforce.
const UNENFORCED_KEYWORD: Rule = Rule {
    code: "GWF019",
    name: "unenforced-keyword",
    severity: Severity::Warning,
    checks: "The schema uses a keyword that the gate does not enforce.",
    why: "Whoever wrote the keyword believes that it is checked.",
    fails: "{\"type\": \"string\", \"format\": \"date\"}",
    repaired: "{\"type\": \"string\", \"pattern\": \"^[0-9]{4}-[0-9]{2}-[0-9]{2}$\"}",
    remedy: "express the constraint with an enforced keyword, or drop it",
    source: STRICT,
};

/// An object has two members of the same name.
const REPEATED_MEMBER: Rule = Rule {
    code: "GWF020",
    name: "repeated-member",
    severity: Severity::Error,
    checks: "An object has two members of the same name.",
    why: "Readers keep the last and drop the first in silence: what a person reads is not what is checked.",
    fails: "{\"approved\": false, \"approved\": true}",
    repaired: "{\"approved\": false}",
    remedy: "keep one of the members",
    source: STRICT,
};

/// An id ends with a line end, which the pattern's $ lets through.
const ID_WITH_LINE_END: Rule = Rule {
    code: "GWF021",
    name: "id-with-line-end",
    severity: Severity::Error,
    checks: "An id ends with a line end, which the pattern's $ lets through.",
    why: "It prints like the id without it and equals no id anywhere.",
    fails: "\"lens_id\": \"term\\n\"",
    repaired: "\"lens_id\": \"term\"",
    remedy: "drop the line end",
    source: STRICT,
};

/// A text that must not be empty holds white space only.
const BLANK_TEXT: Rule = Rule {
    code: "GWF022",
    name: "blank-text",
    severity: Severity::Error,
    checks: "A text that must not be empty holds white space only.",
    why: "It fills the place of an instruction without giving one.",
    fails: "\"question\": \"  \"",
    repaired: "\"question\": \"Does the agreement restrict assignment?\"",
    remedy: "write the missing text",
    source: STRICT,
};

/// `answer_shape.statuses` lists a status twice, so that another is missing.
const REPEATED_STATUS: Rule = Rule {
    code: "GWF023",
    name: "repeated-status",
    severity: Severity::Error,
    checks: "answer_shape.statuses lists a status twice, so that another is missing.",
    why: "A reviewer could not answer with the missing status.",
    fails: "\"statuses\": [\"present\", \"present\", \"absent\"]",
    repaired: "\"statuses\": [\"present\", \"absent\", \"unresolved\"]",
    remedy: "list present, absent and unresolved once each",
    source: STRICT,
};

/// Every rule of the gate, by code.
pub const RULES: &[Rule] = &[
    NO_ALTERNATIVE,
    WRONG_TYPE,
    NOT_LISTED,
    NOT_THE_CONSTANT,
    PATTERN_MISMATCH,
    TEXT_TOO_SHORT,
    TEXT_TOO_LONG,
    NUMBER_TOO_SMALL,
    NUMBER_TOO_LARGE,
    TOO_FEW_ITEMS,
    TOO_MANY_ITEMS,
    MISSING_MEMBER,
    UNEXPECTED_MEMBER,
    VERSION_BELOW_ONE,
    APPROVED_EARLY,
    DUPLICATE_LENS_ID,
    DUPLICATE_ISSUE_ID,
    UNKNOWN_OVERLAP_OWNER,
    UNENFORCED_KEYWORD,
    REPEATED_MEMBER,
    ID_WITH_LINE_END,
    BLANK_TEXT,
    REPEATED_STATUS,
];

/// The rule that `kind` belongs to.
pub(super) fn rule_of(kind: &ProblemKind<'_>) -> &'static Rule {
    match kind {
        ProblemKind::NoAlternative(_) => &NO_ALTERNATIVE,
        ProblemKind::Type { .. } => &WRONG_TYPE,
        ProblemKind::NotChosen { .. } => &NOT_LISTED,
        ProblemKind::NotConstant { .. } => &NOT_THE_CONSTANT,
        ProblemKind::Pattern { .. } => &PATTERN_MISMATCH,
        ProblemKind::TooShort { .. } => &TEXT_TOO_SHORT,
        ProblemKind::TooLong { .. } => &TEXT_TOO_LONG,
        ProblemKind::BelowMinimum { .. } => &NUMBER_TOO_SMALL,
        ProblemKind::AboveMaximum { .. } => &NUMBER_TOO_LARGE,
        ProblemKind::TooFewItems { .. } => &TOO_FEW_ITEMS,
        ProblemKind::TooManyItems { .. } => &TOO_MANY_ITEMS,
        ProblemKind::Missing { .. } => &MISSING_MEMBER,
        ProblemKind::Unexpected { .. } => &UNEXPECTED_MEMBER,
        ProblemKind::Version { .. } => &VERSION_BELOW_ONE,
        ProblemKind::Approved => &APPROVED_EARLY,
        ProblemKind::DuplicateLens { .. } => &DUPLICATE_LENS_ID,
        ProblemKind::DuplicateIssue { .. } => &DUPLICATE_ISSUE_ID,
        ProblemKind::UnknownOwner { .. } => &UNKNOWN_OVERLAP_OWNER,
    }
}

/// The rule that a strict problem belongs to.
pub(super) fn strict_rule_of(kind: &StrictKind) -> &'static Rule {
    match kind {
        StrictKind::UnenforcedKeyword { .. } => &UNENFORCED_KEYWORD,
        StrictKind::RepeatedMember { .. } => &REPEATED_MEMBER,
        StrictKind::IdWithLineEnd => &ID_WITH_LINE_END,
        StrictKind::BlankText => &BLANK_TEXT,
        StrictKind::RepeatedStatus { .. } => &REPEATED_STATUS,
    }
}
