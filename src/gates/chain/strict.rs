//! Contract rules of a finding that the recorded commands do not enforce.
//!
//! In: ledger, framework, and the family map when there is one. Out: findings, in ledger order, the
//! overlaps last. What has an odd type is left to the gates that refuse it.

use super::rules;
use super::{Ledger, NULL};
use crate::finding::{Finding, Location, excerpt};
use crate::value::{Text, Value};
use std::collections::{BTreeMap, HashMap};

/// Quotes of one unit and lens that are compared for containment; equal ones are always found.
const COMPARED_QUOTES: usize = 200;

/// What the framework says of an issue.
pub(crate) struct Item<'f> {
    pub(crate) max_words: Option<i64>,
    pub(crate) has_materiality: bool,
    /// The lens that owns the passages of an issue of another lens.
    pub(crate) owner: Option<&'f str>,
}

/// What stands against the ledger `name`.
pub fn check(
    name: &str,
    ledger: &Ledger<'_>,
    framework: &Value<'_>,
    families: Option<&Value<'_>>,
) -> Vec<Finding> {
    let items = items(framework);
    let in_family = documents_in_families(families);
    let owners: Vec<&str> = items.values().filter_map(|item| item.owner).collect();
    let mut overlaps = Overlaps::default();
    let mut out = Vec::new();
    let Ok(findings) = ledger.findings() else {
        return out;
    };
    for (index, finding) in findings.enumerate() {
        let text = |key: &str| {
            finding
                .get(key)
                .and_then(Value::as_text)
                .and_then(Text::as_str)
        };
        let at = |key: &str| Location::at_path(name, format!("$.findings[{index}].{key}"));
        let is_present = text("status") == Some("present");
        let issue = text("issue_id");
        if let (Some(id), Some(issue), Some(document)) = (text("finding_id"), issue, text("doc_id"))
            && id
                .strip_prefix(issue)
                .and_then(|rest| rest.strip_prefix('/'))
                != Some(document)
        {
            out.push(Finding::new(
                &rules::FINDING_ID_FORM,
                at("finding_id"),
                format!(
                    "`{}` is not `{}/{}`",
                    excerpt(id),
                    excerpt(issue),
                    excerpt(document)
                ),
            ));
        }
        let item = issue.and_then(|issue| items.get(issue));
        if let (Some(limit), Some(words)) = (
            item.and_then(|item| item.max_words),
            text("characterization")
                .map(|text| i64::try_from(word_count(text)).unwrap_or(i64::MAX)),
        ) && words > limit
        {
            out.push(Finding::new(
                &rules::CHARACTERIZATION_TOO_LONG,
                at("characterization"),
                format!("characterization has {words} words, the item allows {limit}"),
            ));
        }
        for key in ["band", "band_basis"] {
            if finding.get(key).is_some() && item.is_some_and(|item| !item.has_materiality) {
                out.push(Finding::new(
                    &rules::BAND_WITHOUT_MATERIALITY,
                    at(key),
                    format!(
                        "`{key}` stands in a finding of `{}`, which has no materiality",
                        excerpt(issue.unwrap_or_default())
                    ),
                ));
            }
        }
        if !is_present {
            continue;
        }
        if let Some((family, size)) = text("doc_id").and_then(|id| in_family.get(id))
            && !finding.get("current_position").is_some_and(Value::is_true)
        {
            out.push(Finding::new(
                &rules::POSITION_NOT_CURRENT,
                at("current_position"),
                format!("family `{}` has {size} documents and the finding does not say `current_position: true`", excerpt(family)),
            ));
        }
        for (key, wanted, rule) in [
            (
                "quote_verification",
                super::quotes::CHECKER,
                &rules::QUOTE_RECEIPT_CHECKER,
            ),
            ("verification", "independent", &rules::VERIFICATION_CHECKER),
        ] {
            let receipt = finding.get(key).unwrap_or(NULL);
            let is_confirmed = receipt
                .get("status")
                .is_some_and(|status| *status == Value::from("confirmed"));
            let checker = receipt.get("checker").unwrap_or(NULL);
            if is_confirmed && *checker != Value::from(wanted) {
                let shown = crate::text::python::repr(checker);
                out.push(Finding::new(
                    rule,
                    at(&format!("{key}.checker")),
                    format!(
                        "checker of a confirmed receipt is `{}`, expected `{wanted}`",
                        excerpt(&shown)
                    ),
                ));
            }
        }
        if let (Some(lens), Some(unit), Some(quote)) =
            (text("lens_id"), text("unit_id"), text("quote"))
        {
            let owner = item
                .and_then(|item| item.owner)
                .filter(|owner| *owner != lens);
            if owner.is_some() || owners.contains(&lens) {
                let passage = Passage {
                    index,
                    id: text("finding_id").unwrap_or_default().to_owned(),
                    quote: quote.split_whitespace().collect::<Vec<_>>().join(" "),
                };
                overlaps.add(unit, lens, owner, passage);
            }
        }
    }
    out.extend(overlaps.findings(name));
    out
}

/// Words as `str.split()` counts them.
pub(crate) fn word_count(text: &str) -> usize {
    text.split(|character| crate::text::python::is_space(u32::from(character)))
        .filter(|word| !word.is_empty())
        .count()
}

/// The issues of a framework by id.
pub(crate) fn items<'f>(framework: &'f Value<'_>) -> HashMap<&'f str, Item<'f>> {
    let mut items = HashMap::new();
    let walk = |value: Option<&'f Value<'_>>| value.and_then(Value::as_array).unwrap_or_default();
    for lens in walk(framework.get("lenses")) {
        for item in walk(lens.get("items")) {
            let Some(issue) = item
                .get("issue_id")
                .and_then(Value::as_text)
                .and_then(Text::as_str)
            else {
                continue;
            };
            let max_words = item.get("answer_shape").and_then(|shape| {
                match shape.get("characterization_max_words") {
                    Some(Value::Int(limit)) => Some(*limit),
                    _ => None,
                }
            });
            items.insert(
                issue,
                Item {
                    max_words,
                    has_materiality: item.get("materiality").is_some_and(Value::is_truthy),
                    owner: item
                        .get("overlap_owner")
                        .and_then(Value::as_text)
                        .and_then(Text::as_str),
                },
            );
        }
    }
    items
}

/// Family and its size for every document in a family of several.
fn documents_in_families(families: Option<&Value<'_>>) -> HashMap<String, (String, usize)> {
    let mut documents = HashMap::new();
    let list = families
        .and_then(|families| families.get("families"))
        .and_then(Value::as_array);
    for family in list.unwrap_or_default() {
        let name = family
            .get("family_id")
            .map(crate::text::python::str_of)
            .unwrap_or_default();
        let mut ids: Vec<&str> = family
            .get("members")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .filter_map(|member| {
                member
                    .get("id")
                    .and_then(Value::as_text)
                    .and_then(Text::as_str)
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() > 1 {
            for id in &ids {
                documents.insert(
                    (*id).to_owned(),
                    (name.to_display().into_owned(), ids.len()),
                );
            }
        }
    }
    documents
}

/// A quote with its white space evened out.
#[derive(Clone)]
struct Passage {
    index: usize,
    id: String,
    quote: String,
}

/// Quotes by unit: those of the lenses that own overlaps, and those that yield to an owner.
#[derive(Default)]
struct Overlaps {
    by_lens: BTreeMap<(String, String), Vec<Passage>>,
    yielding: BTreeMap<(String, String), Vec<Passage>>,
}

impl Overlaps {
    fn add(&mut self, unit: &str, lens: &str, owner: Option<&str>, passage: Passage) {
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

    fn findings(&self, name: &str) -> Vec<Finding> {
        let mut out = Vec::new();
        let at = |passage: &Passage| {
            Location::at_path(name, format!("$.findings[{}].quote", passage.index))
        };
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
                out.push(Finding::new(
                    &rules::QUOTES_NOT_COMPARED,
                    at(first),
                    message,
                ));
            }
            let mut exact: HashMap<&str, &Passage> = HashMap::new();
            for own in owned {
                exact.entry(&own.quote).or_insert(own);
            }
            for passage in passages {
                let same = exact.get(passage.quote.as_str()).copied().or_else(|| {
                    owned.iter().take(COMPARED_QUOTES).find(|own| {
                        !own.quote.is_empty()
                            && !passage.quote.is_empty()
                            && (own.quote.contains(&passage.quote)
                                || passage.quote.contains(&own.quote))
                    })
                });
                if let Some(own) =
                    same.filter(|own| own.index != passage.index && !passage.quote.is_empty())
                {
                    let message = format!(
                        "`{}` quotes the passage of `{}`, whose lens `{}` owns the overlap in unit `{}`",
                        excerpt(&passage.id),
                        excerpt(&own.id),
                        excerpt(&key.1),
                        excerpt(&key.0)
                    );
                    out.push(
                        Finding::new(&rules::OVERLAPPING_QUOTE, at(passage), message)
                            .with_related(at(own)),
                    );
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
        let text = format!("{{\"findings\": [{findings}]}}");
        let families = families.map(|text| parse(text).unwrap());
        check(
            "f.json",
            &Ledger::read(&text).unwrap(),
            &parse(FRAMEWORK).unwrap(),
            families.as_ref(),
        )
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
