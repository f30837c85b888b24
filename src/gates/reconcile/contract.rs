//! Rules of the written contract that the recorded command does not enforce, judged finding by finding.
//!
//! In: framework and family map; each finding's [`Details`] as it comes, from a value or from a stream.
//! Out: notes in ledger order, the overlaps last. What has an odd type is left to the gate itself.

use super::Inputs;
use super::ids::Field;
use super::outcome::{Noted, Spot, at_finding};
use super::tally::{FindingView, Receipt};
use crate::finding::excerpt;
use crate::gates::chain::{quotes::CHECKER, rules};
use crate::rule::Rule;
use crate::text::python::{repr, str_of};
use crate::value::{Text, Value};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Quotes of one unit and lens that are compared for containment; equal ones are always found.
const COMPARED_QUOTES: usize = 200;

/// What the contract looks at in one finding besides what is counted.
#[derive(Clone, Debug, Default)]
pub struct Details<'v> {
    /// `characterization`.
    pub characterization: Field<'v>,
    /// `quote`.
    pub quote: Field<'v>,
    /// Whether there is a `band`.
    pub has_band: bool,
    /// Whether there is a `band_basis`.
    pub has_band_basis: bool,
    /// Whether `current_position` is true.
    pub is_current: bool,
    /// Of `quote_verification`.
    pub quote_receipt: ReceiptWords<'v>,
    /// Of `verification`.
    pub receipt: ReceiptWords<'v>,
}

/// Id and path of each document of a manifest that has both.
pub(crate) fn document_paths<'v>(
    manifest: &'v Value<'v>,
) -> impl Iterator<Item = (&'v str, &'v str)> {
    let documents = list(manifest.get("documents")).iter();
    documents
        .filter_map(|document| Some((text_member(document, "id")?, text_member(document, "path")?)))
}

/// What the contract looks at in a receipt.
#[derive(Clone, Debug, Default)]
pub struct ReceiptWords<'v> {
    /// `checker`.
    pub checker: Field<'v>,
    /// `status`.
    pub status: Field<'v>,
    /// `objection`.
    pub objection: Field<'v>,
}

impl<'v> ReceiptWords<'v> {
    fn of(receipt: Option<&'v Value<'v>>) -> Self {
        let field = |key: &str| Field::of(receipt.and_then(|receipt| receipt.get(key)));
        Self {
            checker: field("checker"),
            status: field("status"),
            objection: field("objection"),
        }
    }

    /// The objection of a checker that did not confirm, where there is one.
    pub(super) fn refuted(&self) -> Option<Text<'static>> {
        let objection = match &self.objection {
            Field::Text(text) if !text.is_blank() => text,
            Field::Missing | Field::Text(_) | Field::Other(_) => return None,
        };
        matches!(text_of(&self.status), Some("refuted" | "unresolved"))
            .then(|| objection.clone().into_owned())
    }
}

impl<'v> Details<'v> {
    /// The details of the finding `value`.
    pub fn of(value: &'v Value<'v>) -> Self {
        Self {
            characterization: Field::of(value.get("characterization")),
            quote: Field::of(value.get("quote")),
            has_band: value.get("band").is_some(),
            has_band_basis: value.get("band_basis").is_some(),
            is_current: value.get("current_position").is_some_and(Value::is_true),
            quote_receipt: ReceiptWords::of(value.get("quote_verification")),
            receipt: ReceiptWords::of(value.get("verification")),
        }
    }
}

/// What the framework says of an issue.
#[derive(Clone, Copy, Debug)]
pub(in crate::gates) struct Item<'f> {
    pub(in crate::gates) max_words: Option<usize>,
    pub(in crate::gates) has_materiality: bool,
    /// The lens that owns the passages of an issue of another lens.
    pub(in crate::gates) owner: Option<&'f str>,
}

/// A document in a family of several.
#[derive(Clone, Debug)]
struct Membership {
    family: String,
    len_family: usize,
}

/// The contract as it stands against a ledger.
#[derive(Debug)]
pub struct Contract<'f> {
    items: HashMap<&'f str, Item<'f>>,
    in_family: HashMap<String, Membership>,
    owners: HashSet<&'f str>,
    noted: Vec<Noted>,
    overlaps: Overlaps,
    /// Confirmed quote and checker receipts.
    pub(super) confirmed: [usize; 2],
    /// Path of each document of the manifest.
    pub(super) paths: HashMap<&'f str, &'f str>,
}

fn text_of<'t>(field: &'t Field<'_>) -> Option<&'t str> {
    match field {
        Field::Text(text) => text.as_str(),
        Field::Missing | Field::Other(_) => None,
    }
}

impl<'f> Contract<'f> {
    /// The contract of the framework and the families in `inputs`.
    pub fn new(inputs: Inputs<'f>) -> Self {
        let items = items(inputs.framework);
        Self {
            owners: items.values().filter_map(|item| item.owner).collect(),
            in_family: documents_in_families(inputs.families),
            items,
            noted: Vec::new(),
            overlaps: Overlaps::default(),
            confirmed: [0; 2],
            paths: document_paths(inputs.manifest).collect(),
        }
    }

    /// Forget every finding.
    pub fn restart(&mut self) {
        self.noted.clear();
        self.overlaps = Overlaps::default();
        self.confirmed = [0; 2];
    }

    fn note(&mut self, rule: &'static Rule, at: Spot, message: String) {
        self.noted.push(Noted {
            rule,
            message,
            at,
            related: Vec::new(),
            remedy: None,
        });
    }

    /// Hold finding `index` against the contract.
    pub fn judge(&mut self, index: usize, finding: &FindingView<'_>) {
        let details = &finding.details;
        let receipts = [finding.quote_verification, finding.verification];
        // Receipts say something of present findings alone.
        let is_present =
            matches!(&finding.status, Field::Text(text) if text.as_bytes() == b"present");
        for (count, receipt) in self.confirmed.iter_mut().zip(receipts) {
            *count += usize::from(is_present && receipt == Receipt::Confirmed);
        }
        let spot = |keys: &[&'static str]| {
            let path = keys
                .iter()
                .fold(at_finding(index), |path, key| path.key(*key));
            Spot::new("findings", path)
        };
        let issue = text_of(&finding.issue_id);
        let document = text_of(&finding.doc_id);
        if let (Some(id), Some(issue), Some(document)) =
            (text_of(&finding.finding_id), issue, document)
            && id
                .strip_prefix(issue)
                .and_then(|rest| rest.strip_prefix('/'))
                != Some(document)
        {
            self.note(
                &rules::FINDING_ID_FORM,
                spot(&["finding_id"]),
                format!(
                    "`{}` is not `{}/{}`",
                    excerpt(id),
                    excerpt(issue),
                    excerpt(document)
                ),
            );
        }
        let item = issue.and_then(|issue| self.items.get(issue)).copied();
        if let (Some(limit), Some(text)) = (
            item.and_then(|item| item.max_words),
            text_of(&details.characterization),
        )
            // A word and the space behind it take two bytes: most texts need no counting.
            && text.len().div_ceil(2) > limit
        {
            let words = word_count(text);
            if words > limit {
                self.note(
                    &rules::CHARACTERIZATION_TOO_LONG,
                    spot(&["characterization"]),
                    format!("characterization has {words} words, the item allows {limit}"),
                );
            }
        }
        for (key, is_there) in [
            ("band", details.has_band),
            ("band_basis", details.has_band_basis),
        ] {
            if is_there
                && let (Some(issue), Some(item)) = (issue, item)
                && !item.has_materiality
            {
                self.note(
                    &rules::BAND_WITHOUT_MATERIALITY,
                    spot(&[key]),
                    format!(
                        "`{key}` stands in a finding of `{}`, which has no materiality",
                        excerpt(issue)
                    ),
                );
            }
        }
        if text_of(&finding.status) != Some("present") {
            return;
        }
        if let Some(member) = document.and_then(|id| self.in_family.get(id))
            && !details.is_current
        {
            let message = format!(
                "family `{}` has {} documents and the finding does not say `current_position: true`",
                excerpt(&member.family),
                member.len_family
            );
            self.note(
                &rules::POSITION_NOT_CURRENT,
                spot(&["current_position"]),
                message,
            );
        }
        for (key, receipt, checker, wanted, rule) in [
            (
                "quote_verification",
                finding.quote_verification,
                &details.quote_receipt.checker,
                CHECKER,
                &rules::QUOTE_RECEIPT_CHECKER,
            ),
            (
                "verification",
                finding.verification,
                &details.receipt.checker,
                "independent",
                &rules::VERIFICATION_CHECKER,
            ),
        ] {
            if receipt == Receipt::Confirmed && text_of(checker) != Some(wanted) {
                let shown = match checker {
                    Field::Missing => String::from("None"),
                    Field::Text(text) => repr(&Value::Str(text.clone())),
                    Field::Other(value) => repr(value),
                };
                self.note(
                    rule,
                    spot(&[key, "checker"]),
                    format!(
                        "checker of a confirmed receipt is `{}`, expected `{wanted}`",
                        excerpt(&shown)
                    ),
                );
            }
        }
        if let (Some(lens), Some(unit), Some(quote)) = (
            text_of(&finding.lens_id),
            text_of(&finding.unit_id),
            text_of(&details.quote),
        ) {
            let owner = item
                .and_then(|item| item.owner)
                .filter(|owner| *owner != lens);
            if owner.is_some() || self.owners.contains(lens) {
                let quote = quote.split_whitespace().collect::<Vec<_>>().join(" ");
                let id = text_of(&finding.finding_id);
                let id = id.map_or_else(|| at_finding(index).to_string(), str::to_owned);
                self.overlaps
                    .add(unit, lens, owner, Quoted { index, id, quote });
            }
        }
    }

    /// What was found.
    pub fn into_notes(self) -> Vec<Noted> {
        let mut noted = self.noted;
        noted.extend(self.overlaps.notes());
        noted
    }
}

/// Words as `str.split()` counts them.
pub(in crate::gates) fn word_count(text: &str) -> usize {
    text.split(|character| crate::text::python::is_space(u32::from(character)))
        .filter(|word| !word.is_empty())
        .count()
}

fn text_member<'f>(value: &'f Value<'_>, key: &str) -> Option<&'f str> {
    value
        .get(key)
        .and_then(Value::as_text)
        .and_then(Text::as_str)
}

/// Items of a list; none of what is no list, which the gate refuses where it needs one.
fn list<'f>(value: Option<&'f Value<'_>>) -> &'f [Value<'f>] {
    match value.and_then(Value::as_array) {
        Some(items) => items,
        None => &[],
    }
}

/// The issues of a framework by id.
pub(in crate::gates) fn items<'f>(framework: &'f Value<'_>) -> HashMap<&'f str, Item<'f>> {
    let mut items = HashMap::new();
    for lens in list(framework.get("lenses")) {
        for item in list(lens.get("items")) {
            let Some(issue) = text_member(item, "issue_id") else {
                continue;
            };
            let limit = item
                .get("answer_shape")
                .and_then(|shape| shape.get("characterization_max_words"));
            let max_words = match limit {
                // A limit below 0 allows no more than one of 0.
                Some(Value::Int(limit)) => Some(usize::try_from(*limit).unwrap_or(0)),
                Some(_) | None => None,
            };
            items.insert(
                issue,
                Item {
                    max_words,
                    has_materiality: item.get("materiality").is_some_and(Value::is_truthy),
                    owner: text_member(item, "overlap_owner"),
                },
            );
        }
    }
    items
}

/// Family and its size for every document in a family of several.
fn documents_in_families(families: Option<&Value<'_>>) -> HashMap<String, Membership> {
    let mut documents = HashMap::new();
    for family in list(families.and_then(|families| families.get("families"))) {
        let name = match family.get("family_id") {
            Some(id) => str_of(id).to_display().into_owned(),
            None => String::new(),
        };
        let members = list(family.get("members"));
        let mut ids: Vec<&str> = members
            .iter()
            .filter_map(|member| text_member(member, "id"))
            .collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() > 1 {
            for id in &ids {
                let member = Membership {
                    family: name.clone(),
                    len_family: ids.len(),
                };
                documents.insert((*id).to_owned(), member);
            }
        }
    }
    documents
}

/// A quote with its white space evened out.
#[derive(Clone, Debug)]
struct Quoted {
    index: usize,
    /// The finding's id, or its place when it has none.
    id: String,
    quote: String,
}

/// Quotes by unit: those of the lenses that own overlaps, and those that yield to an owner.
#[derive(Debug, Default)]
struct Overlaps {
    by_lens: BTreeMap<(String, String), Vec<Quoted>>,
    yielding: BTreeMap<(String, String), Vec<Quoted>>,
}

impl Overlaps {
    fn add(&mut self, unit: &str, lens: &str, owner: Option<&str>, passage: Quoted) {
        if let Some(owner) = owner {
            self.yielding
                .entry((unit.to_owned(), owner.to_owned()))
                .or_default()
                .push(passage.clone());
        }
        self.by_lens
            .entry((unit.to_owned(), lens.to_owned()))
            .or_default()
            .push(passage);
    }

    fn notes(&self) -> Vec<Noted> {
        let mut out = Vec::new();
        let at = |passage: &Quoted| Spot::new("findings", at_finding(passage.index).key("quote"));
        for (key, passages) in &self.yielding {
            let Some(owned) = self.by_lens.get(key) else {
                continue;
            };
            if let Some(first) = owned.get(COMPARED_QUOTES) {
                let message = format!(
                    "lens `{}` has {} quotes in unit `{}`, of which {COMPARED_QUOTES} are compared",
                    excerpt(&key.1),
                    owned.len(),
                    excerpt(&key.0)
                );
                out.push(Noted {
                    rule: &rules::QUOTES_NOT_COMPARED,
                    message,
                    at: at(first),
                    related: Vec::new(),
                    remedy: None,
                });
            }
            let mut exact: HashMap<&str, &Quoted> = HashMap::new();
            for own in owned {
                exact.entry(&own.quote).or_insert(own);
            }
            for passage in passages.iter().filter(|passage| !passage.quote.is_empty()) {
                let is_part = |own: &&Quoted| {
                    !own.quote.is_empty()
                        && (own.quote.contains(&passage.quote)
                            || passage.quote.contains(&own.quote))
                };
                let same = exact
                    .get(passage.quote.as_str())
                    .copied()
                    .or_else(|| owned.iter().take(COMPARED_QUOTES).find(is_part));
                if let Some(own) = same.filter(|own| own.index != passage.index) {
                    let message = format!(
                        "`{}` quotes the passage of `{}`, whose lens `{}` owns the overlap in unit `{}`",
                        excerpt(&passage.id),
                        excerpt(&own.id),
                        excerpt(&key.1),
                        excerpt(&key.0)
                    );
                    out.push(Noted {
                        rule: &rules::OVERLAPPING_QUOTE,
                        message,
                        at: at(passage),
                        related: vec![at(own)],
                        remedy: None,
                    });
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    const FRAMEWORK: &str = r#"{"lenses": [
        {"lens_id": "control", "items": [{"issue_id": "coc", "overlap_owner": "term", "answer_shape": {"characterization_max_words": 3}}]},
        {"lens_id": "term", "items": [{"issue_id": "exp", "materiality": {"default": "low", "bands": []}, "overlap_owner": null}]}]}"#;

    fn told(findings: &str, families: Option<&str>) -> Vec<String> {
        let findings = parse(&format!("[{findings}]")).unwrap().into_owned();
        let (manifest, framework) = (parse("{}").unwrap(), parse(FRAMEWORK).unwrap());
        let families = families.map(|text| parse(text).unwrap());
        let mut contract = Contract::new(Inputs {
            manifest: &manifest,
            framework: &framework,
            families: families.as_ref(),
        });
        for (index, finding) in findings.as_array().unwrap().iter().enumerate() {
            contract.judge(index, &FindingView::with_details(finding));
        }
        contract
            .into_notes()
            .iter()
            .map(|note| format!("{} {}: {}", note.rule.code, note.at.path, note.message))
            .collect()
    }

    #[test]
    fn each_rule_has_a_finding_that_breaks_it_and_one_that_keeps_it() {
        let kept = r#"{"finding_id": "coc/d", "issue_id": "coc", "doc_id": "d", "characterization": "one two three"},
            {"finding_id": "exp/d", "issue_id": "exp", "doc_id": "d", "band": "low", "status": "present", "current_position": true,
             "quote_verification": {"status": "confirmed", "checker": "deterministic-text-match"},
             "verification": {"status": "confirmed", "checker": "independent"}}"#;
        let family = r#"{"families": [{"family_id": "F", "members": [{"id": "d"}, {"id": "e"}]}, {"members": [{"id": "x"}]}]}"#;
        assert_eq!(told(kept, Some(family)), Vec::<String>::new());
        let broken = r#"{"finding_id": "coc/e", "issue_id": "coc", "doc_id": "d", "characterization": "one two  three four", "band": "low", "band_basis": null},
            {"status": "present", "doc_id": "d", "current_position": 1,
             "quote_verification": {"status": "confirmed"}, "verification": {"status": "confirmed", "checker": "me"}}"#;
        assert_eq!(
            told(broken, Some(family)),
            [
                "GWL111 $.findings[0].finding_id: `coc/e` is not `coc/d`",
                "GWL112 $.findings[0].characterization: characterization has 4 words, the item allows 3",
                "GWL113 $.findings[0].band: `band` stands in a finding of `coc`, which has no materiality",
                "GWL113 $.findings[0].band_basis: `band_basis` stands in a finding of `coc`, which has no materiality",
                "GWL114 $.findings[1].current_position: family `F` has 2 documents and the finding does not say `current_position: true`",
                "GWL115 $.findings[1].quote_verification.checker: checker of a confirmed receipt is `None`, expected `deterministic-text-match`",
                "GWL116 $.findings[1].verification.checker: checker of a confirmed receipt is `'me'`, expected `independent`",
            ]
        );
    }

    #[test]
    fn overlaps_name_both_findings() {
        let finding = |id: &str, issue: &str, lens: &str, unit: &str, quote: &str| {
            format!(
                r#"{{"status": "present", "finding_id": "{id}", "issue_id": "{issue}", "lens_id": "{lens}", "unit_id": "{unit}", "quote": "{quote}"}}"#
            )
        };
        let ledger = [
            finding("a", "coc", "control", "u", "may not  assign"),
            finding("b", "exp", "term", "u", "Tenant may not assign."),
            finding("c", "exp", "term", "v", "may not assign"),
            finding("d", "coc", "control", "v", "something else"),
        ]
        .join(",");
        assert_eq!(
            told(&ledger, None),
            [
                "GWL117 $.findings[0].quote: `a` quotes the passage of `b`, whose lens `term` owns the overlap in unit `u`"
            ]
        );
    }

    #[test]
    fn odd_types_are_left_to_other_gates() {
        assert_eq!(
            told(
                r#"5, null, {"finding_id": 1, "issue_id": [], "status": "present", "verification": "x"}"#,
                Some("[]")
            ),
            Vec::<String>::new()
        );
    }
}
