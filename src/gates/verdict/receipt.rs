//! What makes a receipt valid and a draft acceptable: shapes, the decision taken again, rules.
//!
//! In: an assessment or a receipt as a value. Out: faults with places. `emit-verdict.py` lets
//! through more than this; `gatewright blueprint verdict` and `accept` do not.

use super::{PARTS, Reason};
use crate::gates::verdict;
use crate::rule::{Rule, Severity};
use crate::value::json::locate::ValuePath;
use crate::value::{Object, Text, Value};

/// What a value should be.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Text,
    Criterion,
    DraftHash,
    Count,
    Integer,
    Flag,
    OneOf(&'static [&'static str]),
    Texts,
    Findings,
    Members(&'static Members),
}

/// An object that has exactly these members.
#[derive(Debug)]
struct Members {
    required: &'static [(&'static str, Shape)],
    optional: &'static [(&'static str, Shape)],
}

static FINDING: Members = Members {
    required: &[
        ("id", Shape::Text),
        ("severity", Shape::OneOf(&["high", "medium", "low"])),
        ("loc", Shape::Text),
        ("reason", Shape::Text),
        ("criterion", Shape::Criterion),
    ],
    optional: &[],
};

static OBSERVATION: Members = Members {
    required: &[
        ("silent_gaps", Shape::Count),
        ("key_screen_gaps", Shape::Count),
        ("reasoned_gaps", Shape::Count),
    ],
    optional: &[],
};

static LOAD: Members = Members {
    required: &[
        ("within_budget", Shape::Flag),
        ("concurrency_ok", Shape::Flag),
        ("notes", Shape::Text),
    ],
    optional: &[("screenshot_budget_ok", Shape::Flag)],
};

static GATE: Members = Members {
    required: &[
        ("status", Shape::OneOf(&["pass", "fail"])),
        ("exit_code", Shape::Integer),
    ],
    optional: &[("violations", Shape::Texts)],
};

static GATES: Members = Members {
    required: &[
        ("mermaid_validate", Shape::Members(&GATE)),
        ("doc_emit_check_screens", Shape::Members(&GATE)),
    ],
    optional: &[],
};

static RECOUNT: Members = Members {
    required: &[
        ("orphan_count", Shape::Count),
        ("agrees_with_gate", Shape::Flag),
        ("observed_count", Shape::Count),
        ("palette_count", Shape::Count),
    ],
    optional: &[],
};

static RECONSTRUCTION: Members = Members {
    required: &[
        ("top_level_missing", Shape::Count),
        ("open_questions", Shape::Count),
        ("scaffold_derivable", Shape::Flag),
    ],
    optional: &[],
};

/// The shape of each part of an assessment.
const PART_SHAPES: [(&str, Shape); PARTS.len()] = [
    ("findings", Shape::Findings),
    ("observation_completeness", Shape::Members(&OBSERVATION)),
    ("load_policy_result", Shape::Members(&LOAD)),
    ("gate_results", Shape::Members(&GATES)),
    ("recount", Shape::Members(&RECOUNT)),
    ("reconstruction", Shape::Members(&RECONSTRUCTION)),
];

static RECEIPT: Members = Members {
    required: &[
        ("schema_version", Shape::OneOf(&[verdict::SCHEMA_VERSION])),
        ("verdict", Shape::OneOf(&["PASS", "FAIL"])),
        ("draft_hash", Shape::DraftHash),
        ("evaluated_at", Shape::Text),
        ("evaluator", Shape::OneOf(&[verdict::EVALUATOR])),
        ("findings", Shape::Findings),
        ("observation_completeness", Shape::Members(&OBSERVATION)),
        ("load_policy_result", Shape::Members(&LOAD)),
        ("gate_results", Shape::Members(&GATES)),
        ("recount", Shape::Members(&RECOUNT)),
        ("reconstruction", Shape::Members(&RECONSTRUCTION)),
    ],
    optional: &[],
};

/// One thing that makes a receipt invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeFault {
    /// The rule: [`MEMBER_MISSING`], [`MEMBER_UNKNOWN`], [`WRONG_TYPE`] or [`WRONG_VALUE`].
    pub rule: &'static Rule,
    /// Where.
    pub path: ValuePath,
    /// What is wrong.
    pub message: String,
}

/// Faults of an assessment that would make its receipt invalid. Further members of the assessment
/// are not copied into the receipt and are no fault.
pub fn assessment_faults(assessment: &Value<'_>) -> Vec<ShapeFault> {
    let root = ValuePath::root();
    let mut faults = Vec::new();
    let Some(object) = assessment.as_object() else {
        wrong_type(&root, assessment, "an object", &mut faults);
        return faults;
    };
    for (name, shape) in PART_SHAPES {
        member(object, name, shape, &root, &mut faults);
    }
    contradictions(assessment, &mut faults);
    faults
}

/// Parts that cannot both be true: a gate that passed with a failing exit status or with violations,
/// a count of orphans that the two other counts rule out.
fn contradictions(value: &Value<'_>, faults: &mut Vec<ShapeFault>) {
    let mut tell = |path: ValuePath, message: String| {
        faults.push(ShapeFault {
            rule: &PARTS_CONTRADICT,
            path,
            message,
        });
    };
    for name in ["mermaid_validate", "doc_emit_check_screens"] {
        let Some(gate) = value.get("gate_results").and_then(|gates| gates.get(name)) else {
            continue;
        };
        let path = ValuePath::root().key("gate_results").key(name);
        let is_pass = gate
            .get("status")
            .and_then(Value::as_text)
            .is_some_and(|status| *status == "pass");
        if !is_pass {
            continue;
        }
        if let Some(code) = gate.get("exit_code")
            && is_integer(code)
            && !is_zero(code)
        {
            let message = format!("the gate passed, yet its exit status is {}", shown(code));
            tell(path.key("exit_code"), message);
        }
        let violations = gate.get("violations").and_then(Value::as_array);
        if let Some([first, ..]) = violations {
            let message = format!("the gate passed, yet it lists violations: {}", shown(first));
            tell(path.key("violations"), message);
        }
    }
    let count = |name: &str| match value.get("recount").and_then(|recount| recount.get(name)) {
        Some(Value::Int(number)) => Some(*number),
        Some(_) | None => None,
    };
    if let (Some(orphans), Some(observed), Some(palette)) = (
        count("orphan_count"),
        count("observed_count"),
        count("palette_count"),
    ) && (orphans > observed || orphans < observed.saturating_sub(palette))
    {
        let message = format!(
            "`{orphans}` orphans cannot be: {observed} colours are observed and {palette} in the palette"
        );
        tell(
            ValuePath::root().key("recount").key("orphan_count"),
            message,
        );
    }
}

fn is_zero(value: &Value<'_>) -> bool {
    match value {
        Value::Int(number) => *number == 0,
        Value::Float(number) => *number == 0.0,
        Value::Null
        | Value::Bool(_)
        | Value::BigInt(_)
        | Value::Str(_)
        | Value::Array(_)
        | Value::Object(_) => false,
    }
}

/// Faults of a receipt.
pub fn receipt_faults(receipt: &Value<'_>) -> Vec<ShapeFault> {
    let mut faults = Vec::new();
    members(receipt, &RECEIPT, &ValuePath::root(), &mut faults);
    contradictions(receipt, &mut faults);
    faults
}

fn member(
    object: &Object<'_>,
    name: &'static str,
    shape: Shape,
    path: &ValuePath,
    faults: &mut Vec<ShapeFault>,
) {
    match object.get(name) {
        Some(value) => judge(value, shape, &path.key(name), faults),
        None => faults.push(ShapeFault {
            rule: &MEMBER_MISSING,
            path: path.key(name),
            message: format!("`{name}` is missing, expected {}", expected(shape)),
        }),
    }
}

fn members(value: &Value<'_>, shape: &Members, path: &ValuePath, faults: &mut Vec<ShapeFault>) {
    let Some(object) = value.as_object() else {
        wrong_type(path, value, "an object", faults);
        return;
    };
    for &(name, shape) in shape.required {
        member(object, name, shape, path, faults);
    }
    for (key, value) in object {
        let known = shape.optional.iter().find(|(name, _)| key == name);
        if let Some(&(name, shape)) = known {
            judge(value, shape, &path.key(name), faults);
        } else if !shape.required.iter().any(|(name, _)| key == name) {
            let names: Vec<_> = shape
                .required
                .iter()
                .chain(shape.optional)
                .map(|(name, _)| *name)
                .collect();
            faults.push(ShapeFault {
                rule: &MEMBER_UNKNOWN,
                path: path.key(key.clone().into_owned()),
                message: format!(
                    "`{}` has no place here, expected only {}",
                    crate::finding::excerpt(&key.to_display()),
                    names.join(", ")
                ),
            });
        }
    }
}

fn expected(shape: Shape) -> String {
    match shape {
        Shape::Text => "a text".to_owned(),
        Shape::Criterion => "a criterion such as CL-3".to_owned(),
        Shape::DraftHash => "64 lower-case hex digits".to_owned(),
        Shape::Count => "a whole number from 0".to_owned(),
        Shape::Integer => "a whole number".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::OneOf([only]) => format!("`{only}`"),
        Shape::OneOf(words) => format!("one of {}", words.join(", ")),
        Shape::Texts => "a list of texts".to_owned(),
        Shape::Findings => "a list of findings".to_owned(),
        Shape::Members(_) => "an object".to_owned(),
    }
}

fn judge(value: &Value<'_>, shape: Shape, path: &ValuePath, faults: &mut Vec<ShapeFault>) {
    let text = value.as_text();
    let is_right_type = match shape {
        Shape::Text | Shape::Criterion | Shape::DraftHash | Shape::OneOf(_) => text.is_some(),
        Shape::Count | Shape::Integer => is_integer(value),
        Shape::Flag => matches!(value, Value::Bool(_)),
        Shape::Texts | Shape::Findings => value.as_array().is_some(),
        Shape::Members(shape) => return members(value, shape, path, faults),
    };
    if !is_right_type {
        wrong_type(path, value, &expected(shape), faults);
        return;
    }
    let items = value.as_array().unwrap_or_default().iter().enumerate();
    let is_right = match shape {
        Shape::Criterion => text.is_some_and(is_criterion),
        Shape::DraftHash => text
            .and_then(Text::as_str)
            .is_some_and(verdict::is_draft_hash),
        Shape::OneOf(words) => text.is_some_and(|text| words.iter().any(|word| text == word)),
        Shape::Count => !is_negative(value),
        Shape::Texts => {
            items.for_each(|(at, item)| judge(item, Shape::Text, &path.index(at), faults));
            true
        }
        Shape::Findings => {
            items.for_each(|(at, item)| members(item, &FINDING, &path.index(at), faults));
            true
        }
        Shape::Text | Shape::Integer | Shape::Flag | Shape::Members(_) => true,
    };
    if !is_right {
        faults.push(ShapeFault {
            rule: &WRONG_VALUE,
            path: path.clone(),
            message: format!("{} stands here, expected {}", shown(value), expected(shape)),
        });
    }
}

fn wrong_type(path: &ValuePath, value: &Value<'_>, wanted: &str, faults: &mut Vec<ShapeFault>) {
    faults.push(ShapeFault {
        rule: &WRONG_TYPE,
        path: path.clone(),
        message: format!("{} stands here, expected {wanted}", shown(value)),
    });
}

fn shown(value: &Value<'_>) -> String {
    let json = crate::value::json::dump(value, crate::value::json::Style::UNICODE_LINE);
    format!(
        "`{}`",
        crate::finding::excerpt(&String::from_utf8_lossy(&json))
    )
}

/// A whole number as JSON Schema counts it: `1.0` is one, `true` is none.
fn is_integer(value: &Value<'_>) -> bool {
    match value {
        Value::Int(_) | Value::BigInt(_) => true,
        Value::Float(number) => number.is_finite() && number.fract() == 0.0,
        Value::Null | Value::Bool(_) | Value::Str(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

fn is_negative(value: &Value<'_>) -> bool {
    match value {
        Value::Int(number) => *number < 0,
        Value::BigInt(number) => number.is_negative(),
        Value::Float(number) => *number < 0.0,
        Value::Null | Value::Bool(_) | Value::Str(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// `^CL-[0-9]+$` as Python searches it: one final line end may follow.
fn is_criterion(text: &Text<'_>) -> bool {
    let bytes = text.as_bytes();
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes
        .strip_prefix(b"CL-")
        .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// Why a draft is not accepted. Exactly one reason is given, the first in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `sink-status.json` is missing or cannot be read; why.
    SinkUnreadable(String),
    /// `sink-status.json` holds no draft hash; what stands there.
    SinkHash(String),
    /// No receipt of that name exists.
    ReceiptMissing,
    /// The receipt cannot be read; why.
    ReceiptUnreadable(String),
    /// The receipt is not of the receipt's shape.
    ReceiptShape(Vec<ShapeFault>),
    /// The receipt is for another hash.
    OtherHash(String),
    /// The receipt says FAIL, and its parts say so too.
    SaysFail(Vec<Reason>),
    /// The receipt says one thing and its parts another.
    Contradiction {
        /// What it says.
        stated: String,
        /// The reasons that its parts give.
        decided: Vec<Reason>,
    },
    /// The files do not give the recorded hash; why.
    DraftChanged(String),
    /// No list of files lies beside the receipt.
    NeverJudged,
    /// The list, the receipt and the assessment do not belong together; why.
    Unbound(String),
    /// A file of the draft is not as it was judged; which.
    FilesChanged(String),
}

impl Refusal {
    /// The rule of the refusal.
    pub const fn rule(&self) -> &'static Rule {
        match self {
            Self::SinkUnreadable(_) => &SINK_UNREADABLE,
            Self::SinkHash(_) => &SINK_HASH,
            Self::ReceiptMissing => &RECEIPT_MISSING,
            Self::ReceiptUnreadable(_) => &RECEIPT_UNREADABLE,
            Self::ReceiptShape(_) => &RECEIPT_SHAPE,
            Self::OtherHash(_) => &OTHER_HASH,
            Self::SaysFail(_) => &SAYS_FAIL,
            Self::Contradiction { .. } => &CONTRADICTION,
            Self::DraftChanged(_) => &DRAFT_CHANGED,
            Self::NeverJudged => &NEVER_JUDGED,
            Self::Unbound(_) => &UNBOUND,
            Self::FilesChanged(_) => &FILES_CHANGED,
        }
    }

    /// The refusal in one line.
    pub fn message(&self) -> String {
        match self {
            Self::SinkUnreadable(why) => {
                format!("the draft's sink-status.json cannot be read: {why}")
            }
            Self::SinkHash(found) => {
                format!("draft_hash is {found}, expected 64 lower-case hex digits")
            }
            Self::ReceiptMissing => "no receipt exists for the draft's hash".to_owned(),
            Self::ReceiptUnreadable(why) => format!("the receipt cannot be read: {why}"),
            Self::ReceiptShape(faults) => match faults.as_slice() {
                [] => "the receipt is not valid".to_owned(),
                [only] => format!(
                    "the receipt is not valid: {} at {}",
                    only.message, only.path
                ),
                [first, rest @ ..] => format!(
                    "the receipt is not valid: {} at {}, and {} more",
                    first.message,
                    first.path,
                    rest.len()
                ),
            },
            Self::OtherHash(found) => format!(
                "the receipt is for draft hash `{}`, not for this draft",
                crate::finding::excerpt(found)
            ),
            Self::SaysFail(reasons) => format!("the receipt says FAIL: {}", english(reasons)),
            Self::DraftChanged(why) => {
                format!("the draft's files do not give its draft_hash: {why}")
            }
            Self::NeverJudged => {
                "no list of the draft's files lies beside the receipt: `gatewright blueprint verdict` never judged this draft".to_owned()
            }
            Self::Unbound(why) => format!("receipt, assessment and list do not fit: {why}"),
            Self::FilesChanged(which) => {
                format!("the draft is not the one that was judged: {which}")
            }
            Self::Contradiction { stated, decided } if decided.is_empty() => {
                format!("the receipt says {stated}, but its own parts decide PASS")
            }
            Self::Contradiction { stated, decided } => format!(
                "the receipt says {stated}, but its own parts decide FAIL: {}",
                english(decided)
            ),
        }
    }
}

fn english(reasons: &[Reason]) -> String {
    let reasons: Vec<_> = reasons.iter().map(Reason::english).collect();
    reasons.join("; ")
}

/// Decide again from the assessment that a receipt is bound to: the receipt's parts are its parts.
///
/// # Errors
/// [`Refusal::Unbound`] when they are not, or when the assessment gives no PASS.
pub fn same_parts(receipt: &Value<'_>, assessment: &Value<'_>) -> Result<(), Refusal> {
    let faults = assessment_faults(assessment);
    if let Some(first) = faults.first() {
        let why = format!(
            "the assessment is not valid: {} at {}",
            first.message, first.path
        );
        return Err(Refusal::Unbound(why));
    }
    if let Some((part, _)) = PART_SHAPES
        .iter()
        .find(|(part, _)| receipt.get(part) != assessment.get(part))
    {
        let why = format!("`{part}` of the receipt is not that of the assessment");
        return Err(Refusal::Unbound(why));
    }
    match verdict::decide(assessment) {
        Ok(reasons) if reasons.is_empty() => Ok(()),
        Ok(reasons) => Err(Refusal::Unbound(format!(
            "the assessment decides FAIL: {}",
            english(&reasons)
        ))),
        Err(fault) => Err(Refusal::Unbound(fault.english())),
    }
}

/// What `sink-status.json` says against its own draft; nothing when it says success or nothing.
pub fn sink_fault(status: &Value<'_>) -> Option<String> {
    let sinks = status.get("sinks")?;
    let Some(sinks) = sinks.as_object() else {
        return Some(format!("sinks is {}, expected an object", shown(sinks)));
    };
    sinks.iter().find_map(|(name, state)| {
        let is_success = state.as_text().is_some_and(|state| *state == "success");
        (!is_success).then(|| {
            format!(
                "sink `{}` is {}, expected `success`",
                crate::finding::excerpt(&name.to_display()),
                shown(state)
            )
        })
    })
}

/// Judge a receipt for the draft with this hash: shape, hash, verdict decided again.
///
/// # Errors
/// The first [`Refusal`] that applies.
pub fn accept(receipt: &Value<'_>, draft_hash: &str) -> Result<(), Refusal> {
    let faults = receipt_faults(receipt);
    if !faults.is_empty() {
        return Err(Refusal::ReceiptShape(faults));
    }
    let text = |key: &str| {
        let text = receipt.get(key).and_then(Value::as_text);
        text.map_or_else(String::new, |text| text.to_display().into_owned())
    };
    let bound = text("draft_hash");
    if bound != draft_hash {
        return Err(Refusal::OtherHash(bound));
    }
    let stated = text("verdict");
    // A receipt of the right shape has every part, so the decision cannot fail on its structure.
    let decided =
        verdict::decide(receipt).map_err(|fault| Refusal::ReceiptUnreadable(fault.english()))?;
    match (stated.as_str(), decided.is_empty()) {
        ("PASS", true) => Ok(()),
        ("FAIL", false) => Err(Refusal::SaysFail(decided)),
        _ => Err(Refusal::Contradiction { stated, decided }),
    }
}

/// The rule of a reason against a PASS.
pub const fn rule_of(reason: &Reason) -> &'static Rule {
    match reason {
        Reason::DiagramGate(_) => &DIAGRAM_GATE,
        Reason::ScreenGate(_) => &SCREEN_GATE,
        Reason::Orphans(_) => &ORPHANS,
        Reason::Disagreement => &DISAGREEMENT,
        Reason::HighFindings { .. } => &HIGH_FINDINGS,
        Reason::SilentGaps(_) => &SILENT_GAPS,
        Reason::KeyScreenGaps(_) => &KEY_SCREEN_GAPS,
        Reason::RequestBudget => &REQUEST_BUDGET,
        Reason::Concurrency => &CONCURRENCY,
        Reason::ScreenshotBudget => &SCREENSHOT_BUDGET,
        Reason::TopLevelMissing(_) => &TOP_LEVEL_MISSING,
        Reason::OpenQuestions(_) => &OPEN_QUESTIONS,
        Reason::NotDerivable => &NOT_DERIVABLE,
    }
}

/// Every rule of the verdict and of receipts.
pub const RULES: &[Rule] = &[
    MEMBER_MISSING,
    MEMBER_UNKNOWN,
    WRONG_TYPE,
    WRONG_VALUE,
    DIAGRAM_GATE,
    SCREEN_GATE,
    ORPHANS,
    DISAGREEMENT,
    HIGH_FINDINGS,
    SILENT_GAPS,
    KEY_SCREEN_GAPS,
    REQUEST_BUDGET,
    CONCURRENCY,
    SCREENSHOT_BUDGET,
    TOP_LEVEL_MISSING,
    OPEN_QUESTIONS,
    NOT_DERIVABLE,
    SINK_UNREADABLE,
    SINK_HASH,
    RECEIPT_MISSING,
    RECEIPT_UNREADABLE,
    RECEIPT_SHAPE,
    OTHER_HASH,
    SAYS_FAIL,
    CONTRADICTION,
    PARTS_CONTRADICT,
    DRAFT_CHANGED,
    NEVER_JUDGED,
    UNBOUND,
    FILES_CHANGED,
    HASH_ON_TRUST,
    ATTESTATION_DISAGREES,
];

/// Two parts of an assessment or a receipt cannot both be true.
pub const PARTS_CONTRADICT: Rule = Rule {
    code: "GWV005",
    name: "parts-contradict",
    severity: Severity::Error,
    checks: "A gate has status `pass` beside an exit status other than 0 or beside violations; or more orphans than observed colours, or fewer than observed colours minus palette colours.",
    why: "One of the two values is wrong, and the verdict would be decided by whichever is looked at.",
    fails: "\"mermaid_validate\": {\"status\": \"pass\", \"exit_code\": 1}",
    repaired: "\"mermaid_validate\": {\"status\": \"fail\", \"exit_code\": 1}",
    remedy: "measure again with `gatewright blueprint assess`",
    source: "gatewright documentation, What rests on whose word: Drafts and verdicts",
};

/// The files of a draft do not give its draft hash.
pub const DRAFT_CHANGED: Rule = Rule {
    code: "GWV049",
    name: "draft-changed",
    severity: Severity::Error,
    checks: "The draft hash that its files give is not the one in sink-status.json.",
    why: "A draft that changed after its hash was recorded, or that borrows another draft's hash, was not judged under it.",
    fails: "sink-status.json copied from another draft",
    repaired: "the draft as it was emitted, with its own sink-status.json",
    remedy: "emit the draft again, then `gatewright blueprint verdict DRAFT`",
    source: "draft directory contract, section 7.2",
};

/// A receipt without a list of the files that were judged.
pub const NEVER_JUDGED: Rule = Rule {
    code: "GWV050",
    name: "never-judged",
    severity: Severity::Error,
    checks: "No HASH.files.json lies beside the receipt of a draft.",
    why: "Only `gatewright blueprint verdict DRAFT` derives a verdict from the draft's files; a receipt alone could be typed by hand.",
    fails: "HASH.verdict.json alone",
    repaired: "HASH.verdict.json, HASH.assessment.json and HASH.files.json, as `blueprint verdict DRAFT` writes them",
    remedy: "judge the draft with `gatewright blueprint verdict DRAFT`",
    source: "gatewright documentation, What rests on whose word: Drafts and verdicts",
};

/// Receipt, assessment and list are not of one verdict.
pub const UNBOUND: Rule = Rule {
    code: "GWV051",
    name: "verdict-not-bound",
    severity: Severity::Error,
    checks: "The receipt or the assessment has not the digest that HASH.files.json lists, the receipt's parts are not the assessment's, or one of them cannot be read.",
    why: "A receipt that was changed after the verdict says what nobody measured.",
    fails: "a receipt edited by hand",
    repaired: "the three files as one `blueprint verdict DRAFT` wrote them",
    remedy: "judge the draft again with `gatewright blueprint verdict DRAFT`",
    source: "gatewright documentation, What rests on whose word: Drafts and verdicts",
};

/// A file of the draft is not as it was judged.
pub const FILES_CHANGED: Rule = Rule {
    code: "GWV052",
    name: "files-changed",
    severity: Severity::Error,
    checks: "A file of the draft has other bytes than HASH.files.json lists, is gone, or is new.",
    why: "The draft hash leaves screenshots, overlays, layouts, design-tokens.json and request-ledger.json out; they can change without changing it.",
    fails: "screens/home.png replaced after the verdict",
    repaired: "the draft as it was judged",
    remedy: "restore the file, or judge the draft again with `gatewright blueprint verdict DRAFT`",
    source: "draft directory contract, section 7.2",
};

/// A verdict on an assessment without its draft.
pub const HASH_ON_TRUST: Rule = Rule {
    code: "GWV053",
    name: "hash-on-trust",
    severity: Severity::Warning,
    checks: "A verdict was decided from an assessment file, without the draft that it is about.",
    why: "Neither the assessment nor the hash was derived in this run; `blueprint accept` does not accept such a receipt.",
    fails: "gatewright blueprint verdict assessment.json --draft-hash HASH",
    repaired: "gatewright blueprint verdict DRAFT",
    remedy: "give the draft directory instead of the assessment",
    source: "gatewright documentation, What rests on whose word: Drafts and verdicts",
};

/// An attestation says another thing than draft and receipt.
pub const ATTESTATION_DISAGREES: Rule = Rule {
    code: "GWV054",
    name: "attestation-disagrees",
    severity: Severity::Error,
    checks: "The attestation given to `blueprint accept --attestation` names other files or digests than the draft has, or another verdict, count of findings or receipt than the one beside the draft.",
    why: "A signature vouches for the statement alone; only when the statement is about these files and this receipt does it vouch for the draft.",
    fails: "an attestation written for the draft before its last change",
    repaired: "the attestation that `gatewright blueprint verdict DRAFT --attest` wrote with the receipt",
    remedy: "run `gatewright blueprint verdict DRAFT --attest` again and sign what it writes",
    source: "in-toto attestation framework, Statement v1 and predicate test-result v0.1",
};

/// A member that a receipt must have is absent.
pub const MEMBER_MISSING: Rule = Rule {
    code: "GWV001",
    name: "receipt-member-missing",
    severity: Severity::Error,
    checks: "A member that a receipt must have is absent.",
    why: "A consumer reads every part of a receipt; a missing one cannot be told from one that was never measured.",
    fails: "recount: {\"orphan_count\": 0, \"agrees_with_gate\": true}",
    repaired: "recount: {\"orphan_count\": 0, \"agrees_with_gate\": true, \"observed_count\": 5, \"palette_count\": 5}",
    remedy: "add the member with the value that was measured",
    source: "emit-verdict.py contract, Strictness that the receipt's schema asks for",
};

/// A member stands where the receipt's shape has none.
pub const MEMBER_UNKNOWN: Rule = Rule {
    code: "GWV002",
    name: "receipt-member-unknown",
    severity: Severity::Error,
    checks: "A member stands where the receipt's shape has none.",
    why: "What no consumer reads can hide a condition that nobody checks.",
    fails: "recount: {..., \"orphans\": [\"#ffffffff\"]}",
    repaired: "recount: {\"orphan_count\": 1, \"agrees_with_gate\": true, \"observed_count\": 5, \"palette_count\": 5}",
    remedy: "remove the member; put remarks into a finding or into load_policy_result.notes",
    source: "emit-verdict.py contract, Strictness that the receipt's schema asks for",
};

/// A value of a receipt is of the wrong type: a count that is no whole number, a flag that is neither true nor false, a text that is none.
pub const WRONG_TYPE: Rule = Rule {
    code: "GWV003",
    name: "receipt-wrong-type",
    severity: Severity::Error,
    checks: "A value of a receipt is of the wrong type: a count that is no whole number, a flag that is neither true nor false, a text that is none.",
    why: "The verdict takes any truthy count and only true itself for true; a value of another type decides by accident.",
    fails: "\"silent_gaps\": \"0\"",
    repaired: "\"silent_gaps\": 0",
    remedy: "write the value in the type that is expected",
    source: "emit-verdict.py contract, Strictness that the receipt's schema asks for",
};

/// A value of a receipt is of the right type and not one of the allowed values: status, severity, criterion, verdict, hash, schema version, evaluator, or a count below 0.
pub const WRONG_VALUE: Rule = Rule {
    code: "GWV004",
    name: "receipt-wrong-value",
    severity: Severity::Error,
    checks: "A value of a receipt is of the right type and not one of the allowed values: status, severity, criterion, verdict, hash, schema version, evaluator, or a count below 0.",
    why: "A severity or status that nobody knows is counted nowhere, so a finding could vanish from the decision.",
    fails: "\"severity\": \"critical\"",
    repaired: "\"severity\": \"high\"",
    remedy: "use one of the values that are expected",
    source: "emit-verdict.py contract, Strictness that the receipt's schema asks for",
};

/// `gate_results.mermaid_validate.status` is anything but `pass`.
pub const DIAGRAM_GATE: Rule = Rule {
    code: "GWV021",
    name: "diagram-gate-not-passed",
    severity: Severity::Error,
    checks: "`gate_results.mermaid_validate.status` is anything but `pass`.",
    why: "Diagrams that do not parse cannot be read by whoever rebuilds the site.",
    fails: "\"mermaid_validate\": {\"status\": \"fail\", \"exit_code\": 1}",
    repaired: "\"mermaid_validate\": {\"status\": \"pass\", \"exit_code\": 0}",
    remedy: "mend the chapters until mermaid-validate exits 0, then assess again",
    source: "emit-verdict.py contract, Deciding",
};

/// `gate_results.doc_emit_check_screens.status` is anything but `pass`.
pub const SCREEN_GATE: Rule = Rule {
    code: "GWV022",
    name: "screen-gate-not-passed",
    severity: Severity::Error,
    checks: "`gate_results.doc_emit_check_screens.status` is anything but `pass`.",
    why: "The screen gate holds the draft's screens to what was observed.",
    fails: "\"doc_emit_check_screens\": {\"status\": \"fail\", \"exit_code\": 1}",
    repaired: "\"doc_emit_check_screens\": {\"status\": \"pass\", \"exit_code\": 0}",
    remedy: "mend what doc-emit --check-screens lists, then assess again",
    source: "emit-verdict.py contract, Deciding",
};

/// `recount.orphan_count` is not 0.
pub const ORPHANS: Rule = Rule {
    code: "GWV023",
    name: "palette-orphans",
    severity: Severity::Error,
    checks: "`recount.orphan_count` is not 0.",
    why: "An observed colour that the palette lacks is lost when the site is rebuilt from tokens.",
    fails: "\"orphan_count\": 2",
    repaired: "\"orphan_count\": 0",
    remedy: "find the colours with `gatewright blueprint recount --why` and add them to the palette or correct the record",
    source: "emit-verdict.py contract, Deciding",
};

/// `recount.agrees_with_gate` is anything but true.
pub const DISAGREEMENT: Rule = Rule {
    code: "GWV024",
    name: "recount-disagrees-with-gate",
    severity: Severity::Error,
    checks: "`recount.agrees_with_gate` is anything but true.",
    why: "Two independent counts that differ mean that one of them is wrong.",
    fails: "\"agrees_with_gate\": false",
    repaired: "\"agrees_with_gate\": true",
    remedy: "compare the orphans of the recount with the palette line of the screen gate, and mend the one that is wrong",
    source: "emit-verdict.py contract, Deciding",
};

/// A finding has severity `high`.
pub const HIGH_FINDINGS: Rule = Rule {
    code: "GWV025",
    name: "high-severity-finding",
    severity: Severity::Error,
    checks: "A finding has severity `high`.",
    why: "A high finding is by definition one that the draft must not pass with.",
    fails: "\"findings\": [{\"id\": \"F1\", \"severity\": \"high\", ...}]",
    repaired: "\"findings\": []",
    remedy: "resolve the findings that are named, then assess again",
    source: "emit-verdict.py contract, Deciding",
};

/// `observation_completeness.silent_gaps` is anything but nothing.
pub const SILENT_GAPS: Rule = Rule {
    code: "GWV026",
    name: "silent-gaps",
    severity: Severity::Error,
    checks: "`observation_completeness.silent_gaps` is anything but nothing.",
    why: "A field that is absent without a status and a reason cannot be told from one that was forgotten.",
    fails: "\"silent_gaps\": 3",
    repaired: "\"silent_gaps\": 0",
    remedy: "give each field its value, or an observation_status with a reason",
    source: "emit-verdict.py contract, Deciding",
};

/// `observation_completeness.key_screen_gaps` is anything but nothing.
pub const KEY_SCREEN_GAPS: Rule = Rule {
    code: "GWV027",
    name: "key-screen-gaps",
    severity: Severity::Error,
    checks: "`observation_completeness.key_screen_gaps` is anything but nothing.",
    why: "A key screen carries the site's purpose; a draft without it describes another site.",
    fails: "\"key_screen_gaps\": 1",
    repaired: "\"key_screen_gaps\": 0",
    remedy: "capture the key screens that are missing",
    source: "emit-verdict.py contract, Deciding",
};

/// `load_policy_result.within_budget` is anything but true.
pub const REQUEST_BUDGET: Rule = Rule {
    code: "GWV028",
    name: "request-budget-exceeded",
    severity: Severity::Error,
    checks: "`load_policy_result.within_budget` is anything but true.",
    why: "The observed site agreed to no more load than the budget.",
    fails: "\"within_budget\": false",
    repaired: "\"within_budget\": true",
    remedy: "observe again within the budget of requests and bytes",
    source: "emit-verdict.py contract, Deciding",
};

/// `load_policy_result.concurrency_ok` is anything but true.
pub const CONCURRENCY: Rule = Rule {
    code: "GWV029",
    name: "concurrent-requests",
    severity: Severity::Error,
    checks: "`load_policy_result.concurrency_ok` is anything but true.",
    why: "One request at a time is the promise made to the observed origin.",
    fails: "\"concurrency_ok\": false",
    repaired: "\"concurrency_ok\": true",
    remedy: "observe again with one request at a time",
    source: "emit-verdict.py contract, Deciding",
};

/// `load_policy_result.screenshot_budget_ok` is present and false.
pub const SCREENSHOT_BUDGET: Rule = Rule {
    code: "GWV030",
    name: "screenshot-budget-exceeded",
    severity: Severity::Error,
    checks: "`load_policy_result.screenshot_budget_ok` is present and false.",
    why: "Screenshots load whole pages and have a budget of their own.",
    fails: "\"screenshot_budget_ok\": false",
    repaired: "\"screenshot_budget_ok\": true",
    remedy: "take no more screenshots than the budget allows",
    source: "emit-verdict.py contract, Deciding",
};

/// `reconstruction.top_level_missing` is anything but nothing.
pub const TOP_LEVEL_MISSING: Rule = Rule {
    code: "GWV031",
    name: "top-level-missing",
    severity: Severity::Error,
    checks: "`reconstruction.top_level_missing` is anything but nothing.",
    why: "The scaffold of the rebuilt site starts from these members.",
    fails: "\"top_level_missing\": 1",
    repaired: "\"top_level_missing\": 0",
    remedy: "add the top-level members that the blueprint's schema requires",
    source: "emit-verdict.py contract, Deciding",
};

/// `reconstruction.open_questions` is anything but nothing.
pub const OPEN_QUESTIONS: Rule = Rule {
    code: "GWV032",
    name: "open-questions",
    severity: Severity::Error,
    checks: "`reconstruction.open_questions` is anything but nothing.",
    why: "A question that blocks and has no answer stops whoever rebuilds the site.",
    fails: "\"open_questions\": 2",
    repaired: "\"open_questions\": 0",
    remedy: "answer each question, or state the assumption that replaces the answer",
    source: "emit-verdict.py contract, Deciding",
};

/// `reconstruction.scaffold_derivable` is anything but true.
pub const NOT_DERIVABLE: Rule = Rule {
    code: "GWV033",
    name: "scaffold-not-derivable",
    severity: Severity::Error,
    checks: "`reconstruction.scaffold_derivable` is anything but true.",
    why: "The draft exists so that the scaffold follows from it without asking.",
    fails: "\"scaffold_derivable\": false",
    repaired: "\"scaffold_derivable\": true",
    remedy: "add what is missing to derive the scaffold",
    source: "emit-verdict.py contract, Deciding",
};

/// `sink-status.json` of the draft is missing, no JSON or no object.
pub const SINK_UNREADABLE: Rule = Rule {
    code: "GWV041",
    name: "sink-status-unreadable",
    severity: Severity::Error,
    checks: "`sink-status.json` of the draft is missing, no JSON or no object.",
    why: "The hash that binds a receipt to a draft stands there and nowhere else.",
    fails: "draft without sink-status.json",
    repaired: "sink-status.json: {\"draft_hash\": \"<64 hex digits>\", ...}",
    remedy: "emit the draft again; a draft that never reached its sink has no hash",
    source: "draft directory contract, section 7.4",
};

/// `draft_hash` in `sink-status.json` is not 64 lower-case hex digits.
pub const SINK_HASH: Rule = Rule {
    code: "GWV042",
    name: "draft-hash-malformed",
    severity: Severity::Error,
    checks: "`draft_hash` in `sink-status.json` is not 64 lower-case hex digits.",
    why: "A receipt is found by this hash; a malformed one can bind nothing.",
    fails: "\"draft_hash\": \"ABC\"",
    repaired: "\"draft_hash\": \"<64 lower-case hex digits>\"",
    remedy: "emit the draft again and do not edit sink-status.json",
    source: "draft directory contract, section 7.4",
};

/// The verdict folder holds no `HASH.verdict.json` for the draft's hash.
pub const RECEIPT_MISSING: Rule = Rule {
    code: "GWV043",
    name: "receipt-missing",
    severity: Severity::Error,
    checks: "The verdict folder holds no `HASH.verdict.json` for the draft's hash.",
    why: "A draft that nobody evaluated, or that changed since, has no receipt.",
    fails: ".esb-verdict without HASH.verdict.json",
    repaired: ".esb-verdict/HASH.verdict.json",
    remedy: "evaluate the draft with `gatewright blueprint verdict`, or name the folder with --verdict-dir",
    source: "draft directory contract, section 7.4",
};

/// The receipt cannot be read as JSON.
pub const RECEIPT_UNREADABLE: Rule = Rule {
    code: "GWV044",
    name: "receipt-unreadable",
    severity: Severity::Error,
    checks: "The receipt cannot be read as JSON.",
    why: "A torn or foreign file proves nothing.",
    fails: "HASH.verdict.json: {\"verdict\": ",
    repaired: "HASH.verdict.json: {\"verdict\": \"PASS\", ...}",
    remedy: "evaluate the draft again, which replaces the receipt",
    source: "draft directory contract, section 7.4",
};

/// The receipt lacks members, has unknown ones, or holds values of the wrong type.
pub const RECEIPT_SHAPE: Rule = Rule {
    code: "GWV045",
    name: "receipt-invalid",
    severity: Severity::Error,
    checks: "The receipt lacks members, has unknown ones, or holds values of the wrong type.",
    why: "The verdict cannot be decided again from a receipt that is not whole.",
    fails: "\"recount\": {\"orphan_count\": 0, \"agrees_with_gate\": true}",
    repaired: "\"recount\": {\"orphan_count\": 0, \"agrees_with_gate\": true, \"observed_count\": 5, \"palette_count\": 5}",
    remedy: "evaluate the draft again with `gatewright blueprint verdict`, which writes valid receipts only",
    source: "draft directory contract, section 7.4",
};

/// The receipt's `draft_hash` is not the hash of its file name and of the draft.
pub const OTHER_HASH: Rule = Rule {
    code: "GWV046",
    name: "receipt-for-another-draft",
    severity: Severity::Error,
    checks: "The receipt's `draft_hash` is not the hash of its file name and of the draft.",
    why: "A receipt that was copied or renamed vouches for another draft.",
    fails: "HASH.verdict.json: {\"draft_hash\": \"OTHER\", ...}",
    repaired: "HASH.verdict.json: {\"draft_hash\": \"HASH\", ...}",
    remedy: "evaluate this draft; never rename a receipt",
    source: "draft directory contract, section 7.4",
};

/// The receipt's verdict is FAIL, and its parts decide so too.
pub const SAYS_FAIL: Rule = Rule {
    code: "GWV047",
    name: "receipt-says-fail",
    severity: Severity::Error,
    checks: "The receipt's verdict is FAIL, and its parts decide so too.",
    why: "The draft was evaluated and did not pass.",
    fails: "\"verdict\": \"FAIL\"",
    repaired: "\"verdict\": \"PASS\"",
    remedy: "resolve the reasons that are named, emit the draft again and evaluate it",
    source: "draft directory contract, section 7.4",
};

/// The receipt's verdict is not the one that follows from its own parts.
pub const CONTRADICTION: Rule = Rule {
    code: "GWV048",
    name: "receipt-contradicts-itself",
    severity: Severity::Error,
    checks: "The receipt's verdict is not the one that follows from its own parts.",
    why: "A verdict that was edited, or taken by another rule, is no verdict.",
    fails: "\"verdict\": \"PASS\", \"recount\": {\"orphan_count\": 3, ...}",
    repaired: "\"verdict\": \"FAIL\", \"recount\": {\"orphan_count\": 3, ...}",
    remedy: "evaluate the draft again and do not edit receipts",
    source: "draft directory contract, section 7.4",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    const PASSING: &str = r#"{"schema_version": "1.0.0", "verdict": "PASS", "draft_hash": "HASH", "evaluated_at": "2026-01-02T03:04:05+09:00", "evaluator": "assign-blueprint-fidelity-evaluator", "findings": [{"id": "F1", "severity": "low", "loc": "l", "reason": "r", "criterion": "CL-3"}], "observation_completeness": {"silent_gaps": 0, "key_screen_gaps": 0, "reasoned_gaps": 3}, "load_policy_result": {"within_budget": true, "concurrency_ok": true, "notes": "ok"}, "gate_results": {"mermaid_validate": {"status": "pass", "exit_code": 0, "violations": []}, "doc_emit_check_screens": {"status": "pass", "exit_code": 0}}, "recount": {"orphan_count": 0, "agrees_with_gate": true, "observed_count": 5, "palette_count": 5.0}, "reconstruction": {"top_level_missing": 0, "open_questions": 0, "scaffold_derivable": true}}"#;

    fn hash() -> String {
        "ab".repeat(32)
    }

    fn receipt() -> String {
        PASSING.replace("HASH", &hash())
    }

    fn faults(from: &str, to: &str) -> Vec<(String, String)> {
        let text = receipt();
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let value = parse(&changed).unwrap();
        let found = receipt_faults(&value)
            .into_iter()
            .map(|fault| (fault.rule.code.to_owned(), fault.path.to_string()))
            .collect();
        let of_assessment = assessment_faults(&value).len();
        let is_in_parts = !["schema_version", "verdict\"", "draft_hash", "evaluat"]
            .iter()
            .any(|word| from.contains(word));
        assert_eq!(of_assessment > 0, is_in_parts, "{from}");
        found
    }

    #[test]
    fn a_receipt_of_the_right_shape_has_no_fault() {
        assert_eq!(receipt_faults(&parse(&receipt()).unwrap()), []);
        assert_eq!(assessment_faults(&parse(&receipt()).unwrap()), []);
        // Python's `$` lets one final line end stand.
        let text = receipt().replace("CL-3", "CL-3\\n");
        assert_eq!(receipt_faults(&parse(&text).unwrap()), []);
    }

    #[test]
    fn every_shape_rule_has_a_fault_and_its_place() {
        let one = |code: &str, path: &str| vec![(code.to_owned(), path.to_owned())];
        for (from, to, code, path) in [
            ("\"loc\": \"l\", ", "", "GWV001", "$.findings[0].loc"),
            (
                "\"loc\": \"l\"",
                "\"loc\": \"l\", \"x\": 1",
                "GWV002",
                "$.findings[0].x",
            ),
            (
                "\"loc\": \"l\"",
                "\"loc\": null",
                "GWV003",
                "$.findings[0].loc",
            ),
            ("\"low\"", "\"info\"", "GWV004", "$.findings[0].severity"),
            ("CL-3", "CL-", "GWV004", "$.findings[0].criterion"),
            ("CL-3", "xCL-3", "GWV004", "$.findings[0].criterion"),
            (
                "\"silent_gaps\": 0",
                "\"silent_gaps\": -1",
                "GWV004",
                "$.observation_completeness.silent_gaps",
            ),
            (
                "\"silent_gaps\": 0",
                "\"silent_gaps\": true",
                "GWV003",
                "$.observation_completeness.silent_gaps",
            ),
            (
                "\"silent_gaps\": 0",
                "\"silent_gaps\": 0.5",
                "GWV003",
                "$.observation_completeness.silent_gaps",
            ),
            (
                ", \"reasoned_gaps\": 3",
                "",
                "GWV001",
                "$.observation_completeness.reasoned_gaps",
            ),
            (
                ", \"notes\": \"ok\"",
                "",
                "GWV001",
                "$.load_policy_result.notes",
            ),
            (
                "\"within_budget\": true",
                "\"within_budget\": 1",
                "GWV003",
                "$.load_policy_result.within_budget",
            ),
            (
                "\"notes\": \"ok\"",
                "\"notes\": \"ok\", \"screenshot_budget_ok\": 0",
                "GWV003",
                "$.load_policy_result.screenshot_budget_ok",
            ),
            (
                "\"status\": \"pass\"",
                "\"status\": \"PASS\"",
                "GWV004",
                "$.gate_results.mermaid_validate.status",
            ),
            (
                "\"violations\": []",
                "\"violations\": [1]",
                "GWV003",
                "$.gate_results.mermaid_validate.violations[0]",
            ),
            (
                "\"exit_code\": 0",
                "\"exit_code\": \"0\"",
                "GWV003",
                "$.gate_results.mermaid_validate.exit_code",
            ),
            (
                ", \"observed_count\": 5",
                "",
                "GWV001",
                "$.recount.observed_count",
            ),
            (
                "\"orphan_count\": 0",
                "\"orphan_count\": 0, \"orphans\": []",
                "GWV002",
                "$.recount.orphans",
            ),
            (
                "\"scaffold_derivable\": true",
                "\"scaffold_derivable\": null",
                "GWV003",
                "$.reconstruction.scaffold_derivable",
            ),
            (
                "\"schema_version\": \"1.0.0\"",
                "\"schema_version\": \"2\"",
                "GWV004",
                "$.schema_version",
            ),
            (
                "\"verdict\": \"PASS\"",
                "\"verdict\": \"pass\"",
                "GWV004",
                "$.verdict",
            ),
            (
                "\"evaluated_at\": \"2026-01-02T03:04:05+09:00\"",
                "\"evaluated_at\": 5",
                "GWV003",
                "$.evaluated_at",
            ),
            (
                "\"evaluator\": \"assign-blueprint-fidelity-evaluator\"",
                "\"evaluator\": \"me\"",
                "GWV004",
                "$.evaluator",
            ),
        ] {
            // A gate that passed with violations contradicts itself besides (GWV005).
            let mut found = faults(from, to);
            found.retain(|(found, _)| *found != "GWV005" || code == "GWV005");
            assert_eq!(found, one(code, path), "{from} -> {to}");
        }
        let upper = receipt().replace(&hash(), &hash().to_uppercase());
        assert_eq!(receipt_faults(&parse(&upper).unwrap()).len(), 1);
        assert_eq!(receipt_faults(&parse("[]").unwrap()).len(), 1);
    }

    #[test]
    fn a_receipt_is_accepted_only_when_it_follows_from_its_parts() {
        let judged = |text: &str| {
            accept(&parse(text).unwrap(), &hash()).map_err(|refusal| refusal.rule().code)
        };
        assert_eq!(judged(&receipt()), Ok(()));
        let orphan = receipt().replace("\"orphan_count\": 0", "\"orphan_count\": 1");
        assert_eq!(judged(&orphan), Err("GWV048"));
        assert_eq!(
            judged(&orphan.replace("\"PASS\"", "\"FAIL\"")),
            Err("GWV047")
        );
        assert_eq!(
            judged(&receipt().replace("\"PASS\"", "\"FAIL\"")),
            Err("GWV048")
        );
        assert_eq!(
            judged(&receipt().replace(&hash(), &"cd".repeat(32))),
            Err("GWV046")
        );
        assert_eq!(judged("{}"), Err("GWV045"));
    }

    #[test]
    fn every_rule_is_complete_and_listed_once() {
        let mut codes: Vec<_> = RULES.iter().map(|rule| rule.code).collect();
        codes.dedup();
        assert_eq!(codes.len(), RULES.len());
        for rule in RULES {
            for text in [
                rule.name,
                rule.checks,
                rule.why,
                rule.fails,
                rule.repaired,
                rule.remedy,
                rule.source,
            ] {
                assert!(!text.is_empty(), "{}", rule.code);
            }
            assert_ne!(rule.fails, rule.repaired, "{}", rule.code);
        }
    }
}
