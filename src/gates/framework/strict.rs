//! The framework gate of the umbrella command: every problem as a finding with its place, and the
//! checks that the drop-in, bound to recorded behaviour, passes over.
//!
//! In: the documents' texts and names. Out: an [`Outcome`]. Places are looked up once, after the
//! checks, and only when there is a finding.

use super::rules::{rule_of, strict_rule_of};
use super::{Problem, ProblemKind, Schema, Unusable, validate};
use crate::error::Error;
use crate::finding::{Finding, Location, counted, excerpt};
use crate::invariant::Invariant as _;
use crate::outcome::Outcome;
use crate::position::{LineIndex, Span};
use crate::source::{Document, Source};
use crate::text::patterns::PatternEngine;
use crate::text::python::repr;
use crate::value::json::locate::ValuePath;
use crate::value::json::reader::Kind;
use crate::value::json::repeated::{Repeated, repeated_members};
use crate::value::json::{Reader, SyntaxError, locate};
use crate::value::{Object, Value};
use std::collections::HashSet;

/// The gate's name.
pub const GATE: &str = "framework check";

/// The schema that ships with the package, under the name that stands where a file's would.
pub fn own_schema() -> Source {
    const NAME: &str = "framework.schema.json";
    Source::of_bytes("schema", NAME, super::DEFAULT_SCHEMA.as_bytes().to_vec())
}

/// What only the umbrella command finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrictKind {
    /// A schema keyword that is not enforced.
    UnenforcedKeyword {
        /// The keyword.
        keyword: String,
    },
    /// A member name that stands twice in one object.
    RepeatedMember {
        /// The name.
        name: String,
    },
    /// An id that ends with a line end.
    IdWithLineEnd,
    /// A text of white space.
    BlankText,
    /// A status that stands twice.
    RepeatedStatus {
        /// The status.
        status: String,
    },
}

impl StrictKind {
    fn message(&self) -> String {
        match self {
            Self::UnenforcedKeyword { keyword } => {
                format!("the schema keyword `{}` is not enforced", excerpt(keyword))
            }
            Self::RepeatedMember { name } => {
                format!("`{}` stands twice in one object", excerpt(name))
            }
            Self::IdWithLineEnd => "the id ends with a line end".to_owned(),
            Self::BlankText => "the text is blank, expected words".to_owned(),
            Self::RepeatedStatus { status } => {
                format!(
                    "`{}` is listed twice, expected each status once",
                    excerpt(status)
                )
            }
        }
    }
}

/// Check `framework` against `schema`, strictly.
///
/// # Errors
/// When any part of the schema cannot be used, whether or not a value reaches it, or the framework
/// is no object although the schema allows it.
pub fn check(
    framework: &Document<'_>,
    schema: &Document<'_>,
    allows_approved: bool,
    engine: &dyn PatternEngine,
) -> Result<Outcome, Error> {
    let unusable = |fault: Unusable| Error::Unusable {
        name: schema.name.to_owned(),
        path: fault.place,
        reason: fault.reason,
    };
    let prepared = Schema::new(schema);
    if let Some(fault) = prepared.faults().into_iter().next() {
        return Err(unusable(fault));
    }
    let report = validate(framework, &prepared, allows_approved, engine).map_err(unusable)?;
    let mut places = Places::default();
    for problem in &report.problems {
        if !is_told_twice(problem, &report.problems) {
            places.push_problem(problem);
        }
    }
    places.strict(framework);
    let mut findings = places.findings(framework);
    findings.extend(report.unknown.iter().map(|keyword| {
        let kind = StrictKind::UnenforcedKeyword {
            keyword: keyword.to_display().into_owned(),
        };
        let at = Location::of_source(schema.name);
        Finding::new(strict_rule_of(&kind), at, kind.message())
    }));
    Ok(outcome(framework, schema, findings))
}

fn outcome(framework: &Document<'_>, schema: &Document<'_>, findings: Vec<Finding>) -> Outcome {
    let (lens_count, item_count) = counts(framework);
    let version = framework.get("framework_version");
    let version = version.map_or_else(|| "None".to_owned(), |value| excerpt(&repr(value)));
    let mut outcome = Outcome::from_findings(GATE, findings);
    outcome.facts.insert("lenses".to_owned(), lens_count.into());
    outcome.facts.insert("items".to_owned(), item_count.into());
    outcome
        .facts
        .insert("framework_version".to_owned(), version.clone().into());
    outcome.summary = format!(
        "{}: {}, {}, {}, version {version}",
        framework.name,
        counted(outcome.findings.len(), "finding"),
        if lens_count == 1 {
            "1 lens".to_owned()
        } else {
            format!("{lens_count} lenses")
        },
        counted(item_count, "item"),
    );
    outcome.inputs = [framework.input(), schema.input()]
        .into_iter()
        .flatten()
        .collect();
    outcome
}

/// Lenses and items that are there, whatever else is wrong.
fn counts(framework: &Value<'_>) -> (usize, usize) {
    let lenses = framework.get("lenses").and_then(Value::as_array);
    let lenses = lenses.unwrap_or_default();
    let items = lenses
        .iter()
        .filter_map(|lens| lens.get("items")?.as_array());
    (lenses.len(), items.map(<[Value<'_>]>::len).sum())
}

/// The semantic check of the version repeats what a schema with a minimum has said already.
fn is_told_twice(problem: &Problem<'_>, all: &[Problem<'_>]) -> bool {
    matches!(problem.kind, ProblemKind::Version { .. })
        && all.iter().any(|other| {
            other.path == problem.path && matches!(other.kind, ProblemKind::BelowMinimum { .. })
        })
}

/// Findings in the making, and the paths whose places are still to be found.
#[derive(Default)]
struct Places {
    findings: Vec<Finding>,
    /// For each finding, its own path and that of the place it refers to.
    paths: Vec<(ValuePath, Option<ValuePath>)>,
    /// For findings of the text rather than the value: where they stand.
    spans: Vec<Option<Span>>,
}

impl Places {
    fn push(&mut self, finding: Finding, path: ValuePath, related: Option<ValuePath>) {
        self.findings.push(finding);
        self.paths.push((path, related));
        self.spans.push(None);
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "only repeated ids have a first use"
    )]
    fn push_problem(&mut self, problem: &Problem<'_>) {
        let lens = |index| ValuePath::root().key("lenses").index(index);
        let related = match &problem.kind {
            ProblemKind::DuplicateLens { first, .. } => Some(lens(*first).key("lens_id")),
            ProblemKind::DuplicateIssue {
                first: (first, item),
                ..
            } => Some(lens(*first).key("items").index(*item).key("issue_id")),
            _ => None,
        };
        let rule = rule_of(&problem.kind);
        let finding = Finding::new(rule, Location::default(), message(&problem.kind));
        self.push(finding, problem.path.clone(), related);
    }

    fn push_strict(&mut self, kind: &StrictKind, path: ValuePath) {
        let rule = strict_rule_of(kind);
        let finding = Finding::new(rule, Location::default(), kind.message());
        self.push(finding, path, None);
    }

    /// The checks that the drop-in passes over.
    fn strict(&mut self, framework: &Document<'_>) {
        let root = ValuePath::root();
        let Some(object) = framework.as_object() else {
            return;
        };
        for (index, input) in members_of(object, "source_inputs") {
            let path = root.key("source_inputs").index(index);
            self.texts(input, &path, &["label"]);
        }
        for (index, lens) in members_of(object, "lenses") {
            let path = root.key("lenses").index(index);
            self.ids(lens, &path, &["lens_id"]);
            self.texts(lens, &path, &["name"]);
            for (index, item) in members_of(lens, "items") {
                self.item(item, &path.key("items").index(index));
            }
        }
        if let Some(text) = framework.text() {
            let repeated = if count_names(&mut Reader::new(text)) == Ok(count_members(framework)) {
                Vec::new()
            } else {
                repeated_members(text).holds("the text was read before")
            };
            for Repeated { path, name, span } in repeated {
                self.push_strict(&StrictKind::RepeatedMember { name }, path);
                if let Some(slot) = self.spans.last_mut() {
                    *slot = Some(span);
                }
            }
        }
    }

    fn item(&mut self, item: &Object<'_>, path: &ValuePath) {
        self.ids(item, path, &["issue_id", "overlap_owner"]);
        self.texts(item, path, &["question", "hit_rule"]);
        let exclusions = item.get("exclusions").and_then(Value::as_array);
        for (index, text) in exclusions.unwrap_or_default().iter().enumerate() {
            self.text(Some(text), || path.key("exclusions").index(index));
        }
        if let Some(evidence) = item.get("evidence").and_then(Value::as_object) {
            self.texts(evidence, &path.key("evidence"), &["unresolved_when"]);
        }
        if let Some(materiality) = item.get("materiality").and_then(Value::as_object) {
            for (index, band) in members_of(materiality, "bands") {
                let path = path.key("materiality").key("bands").index(index);
                self.texts(band, &path, &["when"]);
            }
        }
        if let Some(shape) = item.get("answer_shape").and_then(Value::as_object) {
            let path = path.key("answer_shape");
            self.texts(shape, &path, &["template"]);
            let statuses = shape.get("statuses").and_then(Value::as_array);
            let mut seen = HashSet::new();
            for (index, status) in statuses.unwrap_or_default().iter().enumerate() {
                if let Some(text) = status.as_text()
                    && !seen.insert(text.as_bytes())
                {
                    let status = text.to_display().into_owned();
                    let kind = StrictKind::RepeatedStatus { status };
                    self.push_strict(&kind, path.key("statuses").index(index));
                }
            }
        }
    }

    fn ids(&mut self, object: &Object<'_>, path: &ValuePath, keys: &[&'static str]) {
        for key in keys {
            let text = object.get(key).and_then(Value::as_text);
            if text.is_some_and(|text| text.as_bytes().ends_with(b"\n")) {
                self.push_strict(&StrictKind::IdWithLineEnd, path.key(*key));
            }
        }
    }

    fn texts(&mut self, object: &Object<'_>, path: &ValuePath, keys: &[&'static str]) {
        for key in keys {
            self.text(object.get(key), || path.key(*key));
        }
    }

    fn text(&mut self, value: Option<&Value<'_>>, path: impl FnOnce() -> ValuePath) {
        let text = value.and_then(Value::as_text);
        // An empty one is the schema's to report.
        if text.is_some_and(|text| !text.is_empty() && text.is_blank()) {
            self.push_strict(&StrictKind::BlankText, path());
        }
    }

    /// The findings with their places, by place in the document.
    fn findings(self, framework: &Document<'_>) -> Vec<Finding> {
        if self.findings.is_empty() {
            return self.findings;
        }
        let mut wanted: Vec<ValuePath> = Vec::new();
        for (path, related) in &self.paths {
            wanted.push(path.clone());
            wanted.extend(related.clone());
        }
        let spans = framework
            .text()
            .map_or_else(|| vec![None; wanted.len()], |text| locate(text, &wanted));
        let lines = framework.text().map(|text| LineIndex::new(text.as_bytes()));
        let location = |path: &ValuePath, span: Option<Span>| {
            let mut at = Location::at_path(framework.name, path.to_string());
            if let (Some(span), Some(text), Some(lines)) = (span, framework.text(), &lines) {
                at.span = Some(span);
                at.start = Some(lines.position(text.as_bytes(), span.byte_start));
                at.end = Some(lines.position(text.as_bytes(), span.byte_end));
            }
            at
        };
        let mut spans = spans.into_iter();
        let known = self.findings.into_iter().zip(self.paths).zip(self.spans);
        let mut findings: Vec<Finding> = known
            .map(|((mut finding, (path, related)), own)| {
                let found = spans.next().flatten();
                finding.at = location(&path, own.or(found));
                if let Some(related) = related {
                    let place = location(&related, spans.next().flatten());
                    finding.related.push(place);
                }
                finding
            })
            .collect();
        // Stable: findings of one place keep the order of the checks.
        findings.sort_by_key(|finding| finding.at.span.map(|span| span.byte_start));
        findings
    }
}

/// Items of the list `key` that are objects.
fn members_of<'v>(
    object: &'v Object<'v>,
    key: &str,
) -> impl Iterator<Item = (usize, &'v Object<'v>)> + use<'v> {
    let items = object.get(key).and_then(Value::as_array);
    let items = items.unwrap_or_default().iter().enumerate();
    items.filter_map(|(index, item)| Some((index, item.as_object()?)))
}

/// Members of all objects in `value`.
fn count_members(value: &Value<'_>) -> usize {
    match value {
        Value::Object(object) => object.len() + object.values().map(count_members).sum::<usize>(),
        Value::Array(items) => items.iter().map(count_members).sum(),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Str(_) => 0,
    }
}

/// Member names in a text, repeated ones each time: more than [`count_members`] finds when one
/// stands twice, which is rare enough to be looked for only then.
fn count_names(reader: &mut Reader<'_>) -> Result<usize, SyntaxError> {
    let mut count = 0;
    match reader.peek() {
        Kind::Object => {
            reader.begin_object()?;
            while reader.next_key()?.is_some() {
                count += 1 + count_names(reader)?;
            }
        }
        Kind::Array => {
            reader.begin_array()?;
            while reader.next_item()? {
                count += count_names(reader)?;
            }
        }
        Kind::String | Kind::Scalar => reader.skip()?,
    }
    Ok(count)
}

/// One line about a problem: what was found, then what was expected.
fn message(kind: &ProblemKind<'_>) -> String {
    let shown = |value: &Value<'_>| format!("`{}`", excerpt(&repr(value)));
    match kind {
        ProblemKind::NoAlternative(firsts) => {
            let firsts: Vec<_> = firsts.iter().map(|first| message(&first.kind)).collect();
            format!("no alternative fits ({})", firsts.join("; or "))
        }
        ProblemKind::Type { expected, found } => {
            let expected: Vec<_> = expected.iter().map(|name| name.to_display()).collect();
            format!("found type {found}, expected {}", expected.join(" or "))
        }
        ProblemKind::NotChosen { value, choices } => {
            format!(
                "{} is not listed, expected one of {}",
                shown(value),
                shown(choices)
            )
        }
        ProblemKind::NotConstant { value, constant } => {
            format!(
                "{} is not allowed, expected {}",
                shown(value),
                shown(constant)
            )
        }
        ProblemKind::Pattern { value, pattern } => format!(
            "{} does not match, expected pattern `{}`",
            shown(value),
            excerpt(&pattern.to_display())
        ),
        ProblemKind::TooShort { limit } => {
            format!("the text is too short, expected at least {limit} characters")
        }
        ProblemKind::TooLong { limit } => {
            format!("the text is too long, expected at most {limit} characters")
        }
        ProblemKind::BelowMinimum { value, limit } => {
            format!(
                "{} is too small, expected at least {}",
                shown(value),
                shown(limit)
            )
        }
        ProblemKind::AboveMaximum { value, limit } => {
            format!(
                "{} is too large, expected at most {}",
                shown(value),
                shown(limit)
            )
        }
        ProblemKind::TooFewItems {
            count,
            limit,
            choices,
            members,
        } => {
            let items = counted(*count, "item");
            let names: Vec<String> = members
                .iter()
                .map(|name| format!("`{}`", excerpt(&name.to_display())))
                .collect();
            let of = match choices {
                Some(choices) => format!(" of {}", shown(choices)),
                None if names.is_empty() => String::new(),
                None => format!(", each an object with {}", names.join(", ")),
            };
            format!("the list has {items}, expected at least {limit}{of}")
        }
        ProblemKind::TooManyItems { count, limit } => {
            let items = counted(*count, "item");
            format!("the list has {items}, expected at most {limit}")
        }
        ProblemKind::Missing { name } => {
            format!("`{}` is missing", excerpt(&name.to_display()))
        }
        ProblemKind::Unexpected { name } => {
            format!("`{}` is not known here", excerpt(&name.to_display()))
        }
        ProblemKind::Version { value } => {
            format!("{} is no version, expected 1 or more", shown(value))
        }
        ProblemKind::Approved => "`approved` is true, expected false before Gate 2".to_owned(),
        ProblemKind::DuplicateLens { id, .. } => {
            format!("the lens_id {} is used twice", shown(id))
        }
        ProblemKind::DuplicateIssue { id, .. } => {
            format!("the issue_id {} is used twice", shown(id))
        }
        ProblemKind::UnknownOwner { id } => {
            format!(
                "the overlap_owner {} is no lens_id of this framework",
                shown(id)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::DEFAULT_SCHEMA;
    use super::*;
    use crate::text::patterns::NoEngine;

    const SOUND: &str = r#"{"framework_version": 1, "approved": false,
 "source_inputs": [{"kind": "rfp", "label": "x"}],
 "lenses": [{"lens_id": "a", "name": "A", "items": [{
  "issue_id": "a-1", "question": "q", "hit_rule": "h", "exclusions": [],
  "evidence": {"required": "verbatim quote plus section reference", "unresolved_when": "u"},
  "answer_shape": {"statuses": ["present", "absent", "unresolved"], "characterization_max_words": 30, "template": "t"},
  "disposition": "report", "overlap_owner": null}]}]}"#;

    fn checked(text: &str, schema: &str) -> Result<Outcome, Error> {
        let framework = Source::of_bytes("framework", "f.json", text.into());
        let schema = Source::of_bytes("schema", "s.json", schema.into());
        check(
            &framework.document()?,
            &schema.document()?,
            false,
            &NoEngine,
        )
    }

    fn found(text: &str) -> Vec<(&'static str, String, String, usize, usize)> {
        let outcome = checked(text, DEFAULT_SCHEMA).unwrap();
        outcome
            .findings
            .into_iter()
            .map(|finding| {
                let start = finding.at.start.unwrap();
                let path = finding.at.path.unwrap();
                (
                    finding.rule.code,
                    path,
                    finding.message,
                    start.line,
                    start.column,
                )
            })
            .collect()
    }

    #[test]
    fn a_sound_framework_passes() {
        let outcome = checked(SOUND, DEFAULT_SCHEMA).unwrap();
        assert!(outcome.findings.is_empty());
        assert_eq!(
            outcome.summary,
            "f.json: 0 findings, 1 lens, 1 item, version 1"
        );
        assert_eq!(outcome.status(), 0);
    }

    #[test]
    fn findings_tell_rule_path_place_and_expectation() {
        let text = SOUND
            .replace("\"approved\": false", "\"approved\": true")
            .replace("\"report\"", "\"maybe\"")
            .replace("\"hit_rule\": \"h\", ", "");
        let item = "$.lenses[0].items[0]".to_owned();
        assert_eq!(
            found(&text),
            [
                (
                    "GWF015",
                    "$.approved".to_owned(),
                    "`approved` is true, expected false before Gate 2".to_owned(),
                    1,
                    38
                ),
                (
                    "GWF012",
                    item.clone(),
                    "`hit_rule` is missing".to_owned(),
                    3,
                    53
                ),
                (
                    "GWF003",
                    format!("{item}.disposition"),
                    "`'maybe'` is not listed, expected one of `['report', 'register', 'queue']`"
                        .to_owned(),
                    7,
                    18
                ),
            ]
        );
    }

    #[test]
    fn what_the_drop_in_passes_over_is_found() {
        let text = SOUND
            .replace("\"lens_id\": \"a\"", "\"lens_id\": \"a\\n\"")
            .replace("\"question\": \"q\"", "\"question\": \" \\u00a0\"")
            .replace("[\"present\", \"absent\"", "[\"present\", \"present\"")
            .replace("\"name\": \"A\"", "\"name\": \"A\", \"name\": \"B\"");
        let codes: Vec<_> = found(&text)
            .into_iter()
            .map(|(code, path, _, line, column)| (code, path, line, column))
            .collect();
        let item = "$.lenses[0].items[0]";
        assert_eq!(
            codes,
            [
                ("GWF021", "$.lenses[0].lens_id".to_owned(), 3, 25),
                ("GWF020", "$.lenses[0].name".to_owned(), 3, 45),
                ("GWF022", format!("{item}.question"), 4, 34),
                ("GWF023", format!("{item}.answer_shape.statuses[1]"), 6, 44),
            ]
        );
    }

    #[test]
    fn a_version_below_one_is_told_once() {
        let text = SOUND.replace("\"framework_version\": 1", "\"framework_version\": 0");
        let codes: Vec<_> = found(&text).into_iter().map(|finding| finding.0).collect();
        assert_eq!(codes, ["GWF008"]);
    }

    #[test]
    fn the_first_use_of_a_repeated_id_is_shown() {
        let text = r#"{"lenses": [{"lens_id": "a"}, {"lens_id": "a"}]}"#;
        let outcome = checked(text, "{}").unwrap();
        let [finding] = outcome.findings.as_slice() else {
            panic!("{:?}", outcome.findings)
        };
        assert_eq!(finding.rule.code, "GWF016");
        let [related] = finding.related.as_slice() else {
            panic!("{:?}", finding.related)
        };
        assert_eq!(related.path.as_deref(), Some("$.lenses[0].lens_id"));
        assert_eq!(related.start.map(|start| start.column), Some(25));
    }

    #[test]
    fn an_unusable_part_of_the_schema_stops_the_gate_even_when_no_value_reaches_it() {
        let error = checked("{}", r#"{"properties": {"v": {"type": "decimal"}}}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot use `s.json` at $.properties.v.type: 'decimal' is not a type name (one of null, boolean, integer, number, string, array, object)"
        );
    }

    #[test]
    fn an_unenforced_keyword_warns_and_does_not_decide() {
        let outcome = checked("{}", r#"{"oneOf": []}"#).unwrap();
        assert_eq!(outcome.findings.len(), 1);
        assert_eq!(outcome.findings[0].rule.code, "GWF019");
        assert_eq!(outcome.status(), 0);
    }
}
