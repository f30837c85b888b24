//! One walk over the whole blueprint: gaps, facts and inference records.
//!
//! In: the document. Out: gaps without a reason, gaps with one, inference records, faults of
//! facts. The skipped parts are never entered. What a finding about each of them says is left to
//! the rules.

use super::place::Path;
use super::reading::{filled_text, is_empty, is_gap_status, reason};
use crate::value::{Object, Value};
use std::collections::BTreeMap;

/// Top-level members never searched for records, gaps or evidence.
pub const SKIPPED_PARTS: [&str; 6] = [
    "request_ledger",
    "notice",
    "redaction_applied",
    "mermaid_refs",
    "unknowns",
    "default_assumptions",
];

/// Members of a fact that say where it comes from.
pub const PROVENANCE: [&str; 5] = [
    "source_url",
    "locator",
    "captured_at",
    "method",
    "snapshot_id",
];

/// Reasons that excuse a draft without screens.
pub const BROWSERLESS: [&str; 2] = ["browser-unavailable", "static-analysis-only"];

/// Whether the walk leaves out `key` below a path of `depth` steps whose first is `top`.
pub fn is_skipped(depth: usize, top: &[u8], key: &[u8]) -> bool {
    match depth {
        0 => SKIPPED_PARTS.iter().any(|part| part.as_bytes() == key),
        1 => top == b"metadata" && key == b"prompt_contract",
        _ => false,
    }
}

/// Number of the checklist item a top-level member belongs to.
pub fn section_criterion(top: &[u8]) -> u8 {
    match top {
        b"content" | b"essence" => 4,
        b"tech_stack" | b"nonfunctional_baseline" => 5,
        b"feature_map"
        | b"user_journeys"
        | b"security_design"
        | b"delivery_topology"
        | b"cwv_field_sample"
        | b"compliance_surfaces"
        | b"site_inventory" => 6,
        b"design_tokens" | b"metadata" => 3,
        _ => 2,
    }
}

/// The same for inference records, which are judged as prompts outside their own sections.
fn record_criterion(top: &[u8]) -> u8 {
    match section_criterion(top) {
        known @ 4..=6 => known,
        _ => 7,
    }
}

/// The fact parts: six sections and the signals.
pub fn is_fact_section(top: &[u8]) -> bool {
    matches!(
        top,
        b"content"
            | b"nonfunctional_baseline"
            | b"feature_map"
            | b"cwv_field_sample"
            | b"compliance_surfaces"
            | b"site_inventory"
    )
}

/// Why something is a silent gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The member is absent.
    Absent,
    /// Null, blank or empty.
    Empty,
    /// An object that says nothing about what was observed.
    NoValue,
    /// A gap without a reason.
    NoReason,
    /// `kind: observation_gap` with another status.
    NoStatus,
    /// A status that is none of the three.
    UnknownStatus,
}

/// An inference record.
#[derive(Clone, Debug)]
pub struct Record<'d> {
    /// The value that holds it.
    pub value: &'d Value<'d>,
    /// Its path.
    pub path: String,
    /// Number of the checklist item.
    pub criterion: u8,
}

/// A fault of a fact.
#[derive(Clone, Debug)]
pub struct FactFault {
    /// Path of the object.
    pub path: String,
    /// Number of the checklist item.
    pub criterion: u8,
    /// What is wrong.
    pub kind: FactFaultKind,
}

/// What is wrong with a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactFaultKind {
    /// It holds a member that belongs to an inference.
    Lane(&'static str),
    /// It lacks these members of [`PROVENANCE`].
    Provenance {
        /// The members.
        missing: Vec<&'static str>,
        /// Neither it nor an enclosing object has any of the five.
        is_bare: bool,
    },
    /// It has its provenance and nothing else.
    NoValue,
}

/// What the walk found.
#[derive(Debug, Default)]
pub struct Survey<'d> {
    /// Gaps without a reason by path.
    pub silent: BTreeMap<String, Silence>,
    /// Paths of the gaps with a reason, in document order.
    pub reasoned: Vec<String>,
    /// Whether a reasoned gap says that there was no browser.
    pub is_browserless: bool,
    /// Inference records, in document order.
    pub records: Vec<Record<'d>>,
    /// Faults of facts, in document order.
    pub fact_faults: Vec<FactFault>,
}

/// What the walk knows on its way down.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent marks that the walk copies from level to level"
)]
#[derive(Clone, Copy)]
struct Scope<'p> {
    top: &'p [u8],
    depth: usize,
    is_fact_part: bool,
    is_in_screens: bool,
    is_in_gap: bool,
    /// The item of a list whose items are always records.
    is_record: bool,
    /// Bits of [`PROVENANCE`] that enclosing objects have.
    provenance: u8,
}

impl<'d> Survey<'d> {
    /// Walk over the document.
    pub fn of(blueprint: &'d Value<'d>) -> Self {
        let mut survey = Self::default();
        let snapshot_id = blueprint
            .get("snapshot")
            .and_then(|snapshot| snapshot.get("observation_snapshot_id"))
            .is_some_and(|id| !is_empty(id));
        let mut walk = Walk {
            survey: &mut survey,
            has_snapshot_id: snapshot_id,
        };
        walk.value(
            blueprint,
            &Path::ROOT,
            Scope {
                top: b"",
                depth: 0,
                is_fact_part: false,
                is_in_screens: false,
                is_in_gap: false,
                is_record: false,
                provenance: 0,
            },
        );
        survey
    }
}

struct Walk<'s, 'd> {
    survey: &'s mut Survey<'d>,
    has_snapshot_id: bool,
}

/// The members of one object that the walk looks at.
#[derive(Default)]
struct Marks<'o> {
    kind: Option<&'o [u8]>,
    lane: Option<&'o [u8]>,
    status: Option<&'o Value<'o>>,
    has_refs: bool,
    has_confidence: bool,
    inference_member: Option<&'static str>,
    provenance: u8,
}

impl<'o> Marks<'o> {
    fn of(object: &'o Object<'o>) -> Self {
        let mut marks = Self::default();
        for (key, value) in object {
            let foreign = match key.as_bytes() {
                b"kind" => {
                    marks.kind = value.as_text().map(crate::value::Text::as_bytes);
                    continue;
                }
                b"lane" => {
                    marks.lane = value.as_text().map(crate::value::Text::as_bytes);
                    continue;
                }
                b"observation_status" => {
                    marks.status = Some(value);
                    continue;
                }
                b"evidence_refs" => {
                    marks.has_refs = true;
                    "evidence_refs"
                }
                b"confidence" => {
                    marks.has_confidence = true;
                    "confidence"
                }
                b"claim" => "claim",
                b"lens" => "lens",
                b"source_observation" => "source_observation",
                b"source_url" => {
                    marks.provenance |= provenance_bit(0, value);
                    continue;
                }
                b"locator" => {
                    marks.provenance |= provenance_bit(1, value);
                    continue;
                }
                b"captured_at" => {
                    marks.provenance |= provenance_bit(2, value);
                    continue;
                }
                b"method" => {
                    marks.provenance |= provenance_bit(3, value);
                    continue;
                }
                b"snapshot_id" => {
                    marks.provenance |= provenance_bit(4, value);
                    continue;
                }
                _ => continue,
            };
            marks.inference_member.get_or_insert(foreign);
        }
        marks
    }
}

fn provenance_bit(place: u8, value: &Value<'_>) -> u8 {
    if is_empty(value) { 0 } else { 1 << place }
}

impl<'d> Walk<'_, 'd> {
    fn value(&mut self, value: &'d Value<'d>, path: &Path<'_>, scope: Scope<'d>) {
        match value {
            Value::Object(object) => self.object(value, object, path, scope),
            Value::Array(items) => {
                let item_scope = Scope {
                    depth: scope.depth + 1,
                    is_record: false,
                    ..scope
                };
                for (index, item) in items.iter().enumerate() {
                    if matches!(item, Value::Object(_) | Value::Array(_)) {
                        self.value(item, &path.index(index), item_scope);
                    }
                }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_) => {}
        }
    }

    fn object(
        &mut self,
        value: &'d Value<'d>,
        object: &'d Object<'d>,
        path: &Path<'_>,
        mut scope: Scope<'d>,
    ) {
        let marks = Marks::of(object);
        if scope.depth > 0 {
            if !scope.is_in_gap {
                scope.is_in_gap = self.gap(object, &marks, path);
            }
            let is_inference = marks.kind == Some(b"inference") || marks.lane == Some(b"inference");
            if !scope.is_in_screens
                && (is_inference || scope.is_record || (marks.has_refs && marks.has_confidence))
            {
                self.survey.records.push(Record {
                    value,
                    path: path.to_string(),
                    criterion: record_criterion(scope.top),
                });
            }
            self.fact(object, &marks, path, scope);
            scope.provenance |= marks.provenance;
        }
        for (key, member) in object {
            if !matches!(member, Value::Object(_) | Value::Array(_)) {
                continue;
            }
            let key = key.as_bytes();
            if scope.depth < 2 && is_skipped(scope.depth, scope.top, key) {
                continue;
            }
            let mut inner = Scope {
                depth: scope.depth + 1,
                is_record: false,
                ..scope
            };
            if scope.depth == 0 {
                inner.top = key;
                inner.is_fact_part = is_fact_section(key);
                inner.is_in_screens = key == b"screens";
            } else if scope.depth == 1 && scope.top == b"tech_stack" && key == b"signals" {
                inner.is_fact_part = true;
            }
            if is_record_list(scope, key)
                && let Value::Array(items) = member
            {
                let path = path.key(key);
                for (index, item) in items.iter().enumerate() {
                    let item_scope = Scope {
                        depth: inner.depth + 1,
                        is_record: true,
                        ..inner
                    };
                    self.value(item, &path.index(index), item_scope);
                }
                continue;
            }
            self.value(member, &path.key(key), inner);
        }
    }

    /// Note a gap; returns whether the object is one, so that it is not looked into.
    fn gap(&mut self, object: &'d Object<'d>, marks: &Marks<'_>, path: &Path<'_>) -> bool {
        let is_gap = marks
            .status
            .and_then(Value::as_text)
            .is_some_and(is_gap_status);
        if is_gap {
            if let Some(reason) = reason(object) {
                self.survey.reasoned.push(path.to_string());
                self.survey.is_browserless |= BROWSERLESS
                    .iter()
                    .any(|word| memchr::memmem::find(reason.as_bytes(), word.as_bytes()).is_some());
            } else {
                self.survey
                    .silent
                    .insert(path.to_string(), Silence::NoReason);
            }
            return true;
        }
        if marks.kind == Some(b"observation_gap") {
            self.survey
                .silent
                .insert(path.to_string(), Silence::NoStatus);
            return true;
        }
        false
    }

    fn fact(&mut self, object: &Object<'_>, marks: &Marks<'_>, path: &Path<'_>, scope: Scope<'_>) {
        let is_fact = marks.kind == Some(b"fact");
        if !is_fact && !scope.is_fact_part {
            return;
        }
        let mut note = |kind| {
            self.survey.fact_faults.push(FactFault {
                path: path.to_string(),
                criterion: section_criterion(scope.top),
                kind,
            });
        };
        if let Some(member) = marks.inference_member {
            note(FactFaultKind::Lane(member));
        }
        if !is_fact {
            return;
        }
        let own = marks.provenance | scope.provenance;
        let known = own | if self.has_snapshot_id { 1 << 4 } else { 0 };
        let missing: Vec<&'static str> = PROVENANCE
            .iter()
            .enumerate()
            .filter(|(place, _)| known & (1 << place) == 0)
            .map(|(_, name)| *name)
            .collect();
        if !missing.is_empty() {
            note(FactFaultKind::Provenance {
                missing,
                is_bare: own == 0,
            });
        } else if !object.keys().any(|key| is_content(key.as_bytes())) {
            note(FactFaultKind::NoValue);
        }
    }
}

/// Items of these lists are inference records whatever they hold.
fn is_record_list(scope: Scope<'_>, key: &[u8]) -> bool {
    (scope.depth == 0 && key == b"user_journeys")
        || (scope.depth == 1 && scope.top == b"tech_stack" && key == b"identified")
}

/// Whether a member of a fact is more than label, identifier or provenance.
fn is_content(key: &[u8]) -> bool {
    !matches!(
        key,
        b"kind" | b"lane" | b"record_id" | b"id" | b"anchor" | b"ref" | b"screen_ref"
    ) && !PROVENANCE.iter().any(|name| name.as_bytes() == key)
}

/// Criterion of a path that the walk wrote down.
pub fn criterion_of_path(path: &str) -> u8 {
    let end = path.find(['.', '[']).unwrap_or(path.len());
    section_criterion(path.get(..end).unwrap_or(path).as_bytes())
}

/// Every string at or below `value`, with its path. Skipped parts are the caller's business.
pub fn each_text<'d>(
    value: &'d Value<'d>,
    path: &Path<'_>,
    visit: &mut dyn FnMut(&'d crate::value::Text<'d>, &Path<'_>),
) {
    match value {
        Value::Str(text) => visit(text, path),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                each_text(item, &path.index(index), visit);
            }
        }
        Value::Object(object) => {
            for (key, member) in object {
                each_text(member, &path.key(key.as_bytes()), visit);
            }
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {}
    }
}

/// The member `name` of an object, when it is a string that is not blank.
pub fn filled<'o>(object: &'o Object<'_>, name: &str) -> Option<&'o crate::value::Text<'o>> {
    filled_text(object.get(name))
}
