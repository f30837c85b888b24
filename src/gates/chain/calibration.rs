//! Calibration: what changed between two versions of a framework, and which findings it unsettles.
//!
//! In: two frameworks, and a ledger when there is one. Out: findings, changes first, in the order of
//! the frameworks; the knobs are those that decide what counts as a finding.

use super::calibration_rules as rules;
use super::{Ledger, NULL};
use crate::finding::{Finding, Location, excerpt};
use crate::value::{Text, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Statuses of findings that a changed knob can unsettle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unsettles {
    Everything,
    Present,
    Nothing,
}

/// The knobs of an item: name, where it stands, and what a change of it unsettles.
const KNOBS: [(&str, &[&str], Unsettles); 9] = [
    ("question", &["question"], Unsettles::Everything),
    ("hit_rule", &["hit_rule"], Unsettles::Everything),
    ("exclusions", &["exclusions"], Unsettles::Everything),
    ("materiality", &["materiality"], Unsettles::Present),
    (
        "unresolved_when",
        &["evidence", "unresolved_when"],
        Unsettles::Everything,
    ),
    (
        "evidence_required",
        &["evidence", "required"],
        Unsettles::Present,
    ),
    ("answer_shape", &["answer_shape"], Unsettles::Present),
    ("disposition", &["disposition"], Unsettles::Nothing),
    ("overlap_owner", &["overlap_owner"], Unsettles::Nothing),
];

/// A framework and its display name.
#[derive(Clone, Copy, Debug)]
pub struct Version<'v, 'a> {
    /// Display name of the file.
    pub name: &'v str,
    /// The framework.
    pub value: &'v Value<'a>,
}

/// What the comparison found.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Findings: version, lenses and issues, knobs, then findings in doubt.
    pub findings: Vec<Finding>,
    /// Number of knobs that changed.
    pub knob_count: usize,
    /// Ids of the findings in doubt, in ledger order.
    pub in_doubt: Vec<String>,
}

/// An item and where it stands.
struct Item<'v, 'a> {
    lens: String,
    path: String,
    value: &'v Value<'a>,
}

fn shown(value: &Value<'_>) -> String {
    crate::text::python::str_of(value).to_display().into_owned()
}

fn walk<'v, 'a>(value: Option<&'v Value<'a>>) -> &'v [Value<'a>] {
    value.and_then(Value::as_array).unwrap_or_default()
}

/// Lens names by id, and items by issue in framework order; an issue in two lenses is the last one.
fn read<'v, 'a>(
    framework: &'v Value<'a>,
) -> (
    BTreeMap<String, String>,
    Vec<String>,
    BTreeMap<String, Item<'v, 'a>>,
) {
    let (mut lenses, mut order, mut items) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
    for (at, lens) in walk(framework.get("lenses")).iter().enumerate() {
        let id = shown(lens.get("lens_id").unwrap_or(NULL));
        lenses.insert(id.clone(), shown(lens.get("name").unwrap_or(NULL)));
        for (index, item) in walk(lens.get("items")).iter().enumerate() {
            let issue = shown(item.get("issue_id").unwrap_or(NULL));
            let path = format!("$.lenses[{at}].items[{index}]");
            if items
                .insert(
                    issue.clone(),
                    Item {
                        lens: id.clone(),
                        path,
                        value: item,
                    },
                )
                .is_none()
            {
                order.push(issue);
            }
        }
    }
    (lenses, order, items)
}

/// Compares two versions. `ledger` is a ledger with its display name.
pub fn compare(
    old: Version<'_, '_>,
    new: Version<'_, '_>,
    ledger: Option<(&str, &Ledger<'_>)>,
) -> Comparison {
    let mut found = Comparison::default();
    let (old_lenses, old_order, old_items) = read(old.value);
    let (new_lenses, new_order, new_items) = read(new.value);
    let in_new = |path: &str| Location::at_path(new.name, path);
    let in_old = |path: &str| Location::at_path(old.name, path);

    compare_lenses(
        &old_lenses,
        &new_lenses,
        (old.name, new.name),
        &mut found.findings,
    );
    for issue in &old_order {
        let Some(before) = old_items.get(issue) else {
            continue;
        };
        match new_items.get(issue) {
            None => found.findings.push(Finding::new(
                &rules::ISSUE_VANISHED,
                in_old(&before.path),
                format!(
                    "issue `{}` of lens `{}` is gone",
                    excerpt(issue),
                    excerpt(&before.lens)
                ),
            )),
            Some(after) if after.lens != before.lens => found.findings.push(
                Finding::new(
                    &rules::ISSUE_MOVED,
                    in_new(&after.path),
                    format!(
                        "issue `{}` moved from lens `{}` to `{}`",
                        excerpt(issue),
                        excerpt(&before.lens),
                        excerpt(&after.lens)
                    ),
                )
                .with_related(in_old(&before.path)),
            ),
            Some(_) => {}
        }
    }
    let mut unsettled: BTreeMap<&str, Vec<(&str, Unsettles)>> = BTreeMap::new();
    for issue in &new_order {
        let Some(after) = new_items.get(issue) else {
            continue;
        };
        let Some(before) = old_items.get(issue) else {
            found.findings.push(Finding::new(
                &rules::LENS_OR_ISSUE_CHANGED,
                in_new(&after.path),
                format!(
                    "issue `{}` of lens `{}` is new",
                    excerpt(issue),
                    excerpt(&after.lens)
                ),
            ));
            continue;
        };
        for (knob, steps, unsettles) in KNOBS {
            let at = |item: &Value<'_>| -> Option<Value<'static>> {
                let mut value = item;
                for step in steps {
                    value = value.get(step)?;
                }
                Some(value.clone().into_owned())
            };
            let (was, is) = (at(before.value), at(after.value));
            if was == is {
                continue;
            }
            found.knob_count += 1;
            let words = knob_words(knob, was.as_ref(), is.as_ref());
            found.findings.push(
                Finding::new(
                    &rules::KNOB_CHANGED,
                    in_new(&format!("{}.{}", after.path, steps.join("."))),
                    format!("issue `{}`: {words}", excerpt(issue)),
                )
                .with_related(in_old(&format!(
                    "{}.{}",
                    before.path,
                    steps.join(".")
                ))),
            );
            if unsettles != Unsettles::Nothing {
                unsettled
                    .entry(issue.as_str())
                    .or_default()
                    .push((knob, unsettles));
            }
        }
    }
    let is_other = old.value != new.value;
    let version = |value: &Value<'_>| {
        value
            .get("framework_version")
            .unwrap_or(NULL)
            .clone()
            .into_owned()
    };
    let (was, is) = (version(old.value), version(new.value));
    if is_other && !is_higher(&is, &was) {
        found.findings.insert(
            0,
            Finding::new(
                &rules::VERSION_DID_NOT_INCREASE,
                in_new("$.framework_version"),
                format!(
                    "framework_version is `{}`, it was `{}`, and the framework changed",
                    excerpt(&shown(&is)),
                    excerpt(&shown(&was))
                ),
            )
            .with_related(in_old("$.framework_version")),
        );
    }
    if let Some((name, ledger)) = ledger {
        doubt(name, ledger, &old_items, &new_items, &unsettled, &mut found);
    }
    found
}

fn is_higher(new: &Value<'_>, old: &Value<'_>) -> bool {
    match (new, old) {
        (Value::Int(new), Value::Int(old)) => new > old,
        _ => false,
    }
}

fn compare_lenses(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    (old_name, new_name): (&str, &str),
    out: &mut Vec<Finding>,
) {
    let ids: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for id in ids {
        let (source, words) = match (old.get(id), new.get(id)) {
            (Some(_), None) => (old_name, format!("lens `{}` is gone", excerpt(id))),
            (None, Some(_)) => (new_name, format!("lens `{}` is new", excerpt(id))),
            (Some(was), Some(is)) if was != is => (
                new_name,
                format!(
                    "lens `{}` is called `{}`, it was `{}`",
                    excerpt(id),
                    excerpt(is),
                    excerpt(was)
                ),
            ),
            (Some(_) | None, Some(_) | None) => continue,
        };
        out.push(Finding::new(
            &rules::LENS_OR_ISSUE_CHANGED,
            Location::at_path(source, "$.lenses"),
            words,
        ));
    }
}

/// A changed knob in plain words; lists by what came and went.
fn knob_words(knob: &str, was: Option<&Value<'_>>, is: Option<&Value<'_>>) -> String {
    let (was, is) = (was.unwrap_or(NULL), is.unwrap_or(NULL));
    if let (Value::Array(was), Value::Array(is)) = (was, is) {
        let came: Vec<String> = is
            .iter()
            .filter(|item| !was.contains(item))
            .map(|item| format!("`{}`", excerpt(&shown(item))))
            .collect();
        let went: Vec<String> = was
            .iter()
            .filter(|item| !is.contains(item))
            .map(|item| format!("`{}`", excerpt(&shown(item))))
            .collect();
        let mut parts = Vec::new();
        if !came.is_empty() {
            parts.push(format!("now also {}", came.join(", ")));
        }
        if !went.is_empty() {
            parts.push(format!("no longer {}", went.join(", ")));
        }
        if parts.is_empty() {
            parts.push("same entries in another order or number".to_owned());
        }
        return format!("{knob}: {}", parts.join("; "));
    }
    if let (Value::Object(was), Value::Object(is)) = (was, is) {
        let keys: BTreeSet<&Text<'_>> = was.keys().chain(is.keys()).collect();
        let parts: Vec<String> = keys
            .into_iter()
            .filter(|key| was.get_text(key) != is.get_text(key))
            .map(|key| knob_words(&key.to_display(), was.get_text(key), is.get_text(key)))
            .collect();
        return format!("{knob}: {}", parts.join(", "));
    }
    match (was, is) {
        (Value::Null, is) => format!("{knob} is `{}`, there was none", excerpt(&shown(is))),
        (was, Value::Null) => format!("{knob} is gone, it was `{}`", excerpt(&shown(was))),
        (was, is) => format!(
            "{knob} is `{}`, it was `{}`",
            excerpt(&shown(is)),
            excerpt(&shown(was))
        ),
    }
}

/// Findings of the ledger whose issue vanished, moved, or has another knob.
fn doubt(
    name: &str,
    ledger: &Ledger<'_>,
    old: &BTreeMap<String, Item<'_, '_>>,
    new: &BTreeMap<String, Item<'_, '_>>,
    unsettled: &BTreeMap<&str, Vec<(&str, Unsettles)>>,
    found: &mut Comparison,
) {
    let Ok(findings) = ledger.findings() else {
        return;
    };
    for (index, finding) in findings.enumerate() {
        let issue = shown(finding.get("issue_id").unwrap_or(NULL));
        let is_present = finding
            .get("status")
            .is_some_and(|status| *status == Value::from("present"));
        let why = match (old.get(&issue), new.get(&issue)) {
            (Some(_), None) => "its issue is gone".to_owned(),
            (Some(before), Some(after)) if before.lens != after.lens => {
                "its issue moved to another lens".to_owned()
            }
            _ => {
                let knobs: Vec<&str> = unsettled
                    .get(issue.as_str())
                    .into_iter()
                    .flatten()
                    .filter(|(_, unsettles)| *unsettles == Unsettles::Everything || is_present)
                    .map(|(knob, _)| *knob)
                    .collect();
                if knobs.is_empty() {
                    continue;
                }
                format!("{} of its issue changed", knobs.join(", "))
            }
        };
        let id = shown(finding.get("finding_id").unwrap_or(NULL));
        found.findings.push(Finding::new(
            &rules::FINDING_IN_DOUBT,
            Location::at_path(name, format!("$.findings[{index}]")),
            format!("`{}` is in doubt: {why}", excerpt(&id)),
        ));
        found.in_doubt.push(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    const OLD: &str = r#"{"framework_version": 1, "lenses": [
        {"lens_id": "a", "name": "A", "items": [
            {"issue_id": "a-1", "hit_rule": "consent", "exclusions": ["x", "y"], "evidence": {"unresolved_when": "u"}, "disposition": "report", "overlap_owner": null},
            {"issue_id": "a-2", "materiality": {"default": "low", "bands": []}, "answer_shape": {"characterization_max_words": 30}},
            {"issue_id": "a-3"}]},
        {"lens_id": "b", "name": "B", "items": [{"issue_id": "b-1"}]}]}"#;

    fn told(new: &str, ledger: Option<&str>) -> Vec<String> {
        let (old, new) = (parse(OLD).unwrap(), parse(new).unwrap());
        let ledger = ledger.map(|text| Ledger::read(text).unwrap());
        compare(
            Version {
                name: "old",
                value: &old,
            },
            Version {
                name: "new",
                value: &new,
            },
            ledger.as_ref().map(|ledger| ("f", ledger)),
        )
        .findings
        .iter()
        .map(|finding| {
            format!(
                "{} {}: {}",
                finding.rule.code,
                finding.at.path.as_deref().unwrap_or_default(),
                finding.message
            )
        })
        .collect()
    }

    #[test]
    fn the_same_framework_has_no_difference() {
        assert_eq!(told(OLD, None), Vec::<String>::new());
    }

    #[test]
    fn every_kind_of_change_is_told_in_plain_words() {
        let new = r#"{"framework_version": 1, "lenses": [
            {"lens_id": "a", "name": "Alpha", "items": [
                {"issue_id": "a-1", "hit_rule": "consent or notice", "exclusions": ["y", "z"], "evidence": {"unresolved_when": "u"}, "disposition": "queue", "overlap_owner": "b"},
                {"issue_id": "a-2", "answer_shape": {"characterization_max_words": 20}},
                {"issue_id": "b-1"}]},
            {"lens_id": "c", "name": "C", "items": [{"issue_id": "c-1"}]}]}"#;
        let ledger = r#"{"findings": [
            {"finding_id": "a-1/d", "issue_id": "a-1", "status": "absent"},
            {"finding_id": "a-2/d", "issue_id": "a-2", "status": "absent"},
            {"finding_id": "a-2/e", "issue_id": "a-2", "status": "present"},
            {"finding_id": "a-3/d", "issue_id": "a-3"},
            {"finding_id": "b-1/d", "issue_id": "b-1"}]}"#;
        assert_eq!(
            told(new, Some(ledger)),
            [
                "GWD001 $.framework_version: framework_version is `1`, it was `1`, and the framework changed",
                "GWD005 $.lenses: lens `a` is called `Alpha`, it was `A`",
                "GWD005 $.lenses: lens `b` is gone",
                "GWD005 $.lenses: lens `c` is new",
                "GWD002 $.lenses[0].items[2]: issue `a-3` of lens `a` is gone",
                "GWD003 $.lenses[0].items[2]: issue `b-1` moved from lens `b` to `a`",
                "GWD004 $.lenses[0].items[0].hit_rule: issue `a-1`: hit_rule is `consent or notice`, it was `consent`",
                "GWD004 $.lenses[0].items[0].exclusions: issue `a-1`: exclusions: now also `z`; no longer `x`",
                "GWD004 $.lenses[0].items[0].disposition: issue `a-1`: disposition is `queue`, it was `report`",
                "GWD004 $.lenses[0].items[0].overlap_owner: issue `a-1`: overlap_owner is `b`, there was none",
                "GWD004 $.lenses[0].items[1].materiality: issue `a-2`: materiality is gone, it was `{'default': 'low', 'bands': []}`",
                "GWD004 $.lenses[0].items[1].answer_shape: issue `a-2`: answer_shape: characterization_max_words is `20`, it was `30`",
                "GWD005 $.lenses[1].items[0]: issue `c-1` of lens `c` is new",
                "GWD006 $.findings[0]: `a-1/d` is in doubt: hit_rule, exclusions of its issue changed",
                "GWD006 $.findings[2]: `a-2/e` is in doubt: materiality, answer_shape of its issue changed",
                "GWD006 $.findings[3]: `a-3/d` is in doubt: its issue is gone",
                "GWD006 $.findings[4]: `b-1/d` is in doubt: its issue moved to another lens",
            ]
        );
    }

    #[test]
    fn a_higher_version_is_in_order() {
        let new = OLD.replace("\"framework_version\": 1", "\"framework_version\": 2");
        assert_eq!(told(&new, None), Vec::<String>::new());
    }
}
