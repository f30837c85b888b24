//! The outcome of a palette recount: the count that decides, the other beside it.
//!
//! In: a blueprint as a document, which count decides. Out: findings with their places, figures of both
//! counts, swatches. Neither count shares code with the other; here they only stand side by side.

use super::recorded::{self, Unusable};
use super::{Count, corrected, rules as palette_rules};
use crate::detail::{Detail, Palette, Swatch};
use crate::error::Error;
use crate::finding::{Finding, Location};
use crate::outcome::Outcome;
use crate::source::Document;
use crate::value::json::locate::ValuePath;
use crate::value::{Text, Value};
use std::collections::{BTreeMap, BTreeSet};

/// One count, whichever it was.
struct Counted {
    observed: BTreeSet<Text<'static>>,
    listed: BTreeSet<Text<'static>>,
    orphans: Vec<Text<'static>>,
    undecided: Vec<Text<'static>>,
}

impl Counted {
    fn of(blueprint: &Value<'_>, count: Count) -> Result<Self, Unusable> {
        let screens = blueprint.get("screens").unwrap_or(&Value::Null);
        let tokens = blueprint.get("design_tokens").unwrap_or(&Value::Null);
        Ok(match count {
            Count::Recorded => Self {
                observed: recorded::observed(screens)?.into_iter().collect(),
                listed: recorded::palette(tokens)?.into_iter().collect(),
                orphans: recorded::count(blueprint)?.orphans,
                undecided: Vec::new(),
            },
            Count::Corrected => {
                let counted = corrected::count(blueprint)?;
                Self {
                    observed: corrected::observed(blueprint)?.into_iter().collect(),
                    listed: corrected::palette(tokens)?.into_iter().collect(),
                    orphans: counted.orphans,
                    undecided: counted.undecided,
                }
            }
        })
    }

    fn figures(&self, count: Count) -> serde_json::Value {
        let shown = |texts: &[Text<'_>]| -> Vec<String> {
            texts
                .iter()
                .map(|text| text.to_display().into_owned())
                .collect()
        };
        serde_json::json!({
            "count": count.word(),
            "observed_count": self.observed.len(),
            "palette_count": self.listed.len(),
            "orphan_count": self.orphans.len(),
            "orphans": shown(&self.orphans),
            "undecided": shown(&self.undecided),
        })
    }
}

fn places_of(
    blueprint: &Value<'_>,
    count: Count,
    wanted: &[Text<'static>],
) -> Result<BTreeMap<Text<'static>, Vec<ValuePath>>, Unusable> {
    match count {
        Count::Recorded => recorded::places(blueprint, wanted),
        Count::Corrected => corrected::places(blueprint, wanted),
    }
}

/// The outcome of counting a blueprint; with `is_why` every place in both counts.
///
/// # Errors
/// When it cannot be counted.
pub fn recount(blueprint: &Document<'_>, count: Count, is_why: bool) -> Result<Outcome, Error> {
    if blueprint.as_object().is_none() {
        return Err(Error::Unusable {
            name: blueprint.name.to_owned(),
            path: String::new(),
            reason: "the root is no object".to_owned(),
        });
    }
    let unusable = |fault: Unusable| Error::Unusable {
        name: blueprint.name.to_owned(),
        path: fault.place,
        reason: fault.reason,
    };
    let counted = Counted::of(blueprint, count).map_err(unusable)?;
    // The other count never keeps this one from deciding.
    let beside = Counted::of(blueprint, count.other());
    let shown_beside = beside.as_ref().ok().filter(|_| is_why);
    let findings = palette_findings(blueprint, count, &counted, shown_beside).map_err(unusable)?;
    let swatches = swatches(&counted, &findings);
    let mut outcome = Outcome::from_findings("blueprint recount", findings);
    let other = match &beside {
        Ok(beside) => beside.figures(count.other()),
        Err(fault) => serde_json::json!({
            "count": count.other().word(),
            "unusable": format!("{}: {}", fault.place, fault.reason),
        }),
    };
    outcome
        .facts
        .insert("deciding".to_owned(), counted.figures(count));
    outcome.facts.insert("beside".to_owned(), other);
    outcome.summary = format!(
        "{} count: {} of {} observed, palette {} ({})",
        count.word(),
        crate::finding::counted(counted.orphans.len(), "orphan"),
        counted.observed.len(),
        counted.listed.len(),
        match &beside {
            Ok(beside) => format!(
                "{} count: {} of {}, palette {}",
                count.other().word(),
                beside.orphans.len(),
                beside.observed.len(),
                beside.listed.len()
            ),
            Err(_) => format!("{} count: cannot use the blueprint", count.other().word()),
        }
    );
    outcome.details.push(Detail::Palette(Palette { swatches }));
    outcome.inputs = blueprint.input().into_iter().collect();
    Ok(outcome)
}

/// The message about a value in a colour's place, as every command words it.
pub fn undecided_message(value: &str) -> String {
    let shown = crate::finding::excerpt(value);
    format!("`{shown}` stands in a colour's place and cannot be decided from its text")
}

/// Findings of the deciding count; with `beside` every place, and what only that count reports.
fn palette_findings(
    blueprint: &Document<'_>,
    count: Count,
    counted: &Counted,
    beside: Option<&Counted>,
) -> Result<Vec<Finding>, Unusable> {
    let mut wanted = counted.orphans.clone();
    wanted.extend(counted.undecided.iter().cloned());
    let here = places_of(blueprint, count, &wanted)?;
    let only_beside: Vec<_> = beside
        .map(|beside| {
            let orphans = beside.orphans.iter();
            orphans
                .filter(|orphan| !counted.orphans.contains(orphan))
                .cloned()
                .collect()
        })
        .unwrap_or_default();
    let there = match beside {
        Some(_) => {
            let mut wanted = counted.orphans.clone();
            wanted.extend(only_beside.iter().cloned());
            places_of(blueprint, count.other(), &wanted)?
        }
        None => BTreeMap::new(),
    };

    let mut drafts: Vec<(&'static crate::rule::Rule, String, Vec<ValuePath>)> = Vec::new();
    let none = Vec::new();
    for orphan in &counted.orphans {
        let (own, others) = (
            here.get(orphan).unwrap_or(&none),
            there.get(orphan).unwrap_or(&none),
        );
        let shown = crate::finding::excerpt(&orphan.to_display());
        let mut message = format!("`{shown}` is observed and no palette lists it");
        let tokens = blueprint.get("design_tokens").unwrap_or(&Value::Null);
        if let Some(entry) = corrected::equal_entry(tokens, orphan) {
            message = format!("{message} in this notation; it equals {entry}");
        }
        let mut paths: Vec<_> = own.iter().take(1).cloned().collect();
        if beside.is_some() {
            message = format!(
                "{message}; {} places in the {} count, {} in the {} count",
                own.len(),
                count.word(),
                others.len(),
                count.other().word()
            );
            paths.clone_from(own);
            paths.extend(others.iter().filter(|path| !own.contains(path)).cloned());
        }
        drafts.push((&palette_rules::ORPHAN, message, paths));
    }
    for value in &counted.undecided {
        let message = undecided_message(&value.to_display());
        let places = here.get(value).cloned().unwrap_or_default();
        drafts.push((&palette_rules::UNDECIDED, message, places));
    }
    for orphan in &only_beside {
        let shown = crate::finding::excerpt(&orphan.to_display());
        let places = there.get(orphan).cloned().unwrap_or_default();
        let message = format!(
            "`{shown}` is an orphan of the {} count only, at {} places",
            count.other().word(),
            places.len()
        );
        drafts.push((&palette_rules::OTHER_COUNT, message, places));
    }

    let all: Vec<_> = drafts
        .iter()
        .flat_map(|(_, _, paths)| paths.clone())
        .collect();
    let mut located = blueprint.places(&all).into_iter();
    let mut findings: Vec<_> = drafts
        .into_iter()
        .map(|(rule, message, paths)| {
            let mut places = located.by_ref().take(paths.len());
            let at = places
                .next()
                .unwrap_or_else(|| Location::of_source(blueprint.name));
            let mut finding = Finding::new(rule, at, message);
            finding.related = places.collect();
            finding
        })
        .collect();
    if counted.observed.is_empty() {
        let at = Location::at_path(blueprint.name, "$.screens");
        let message = "no colour is observed under `screens`, so zero orphans prove nothing";
        findings.push(Finding::new(&palette_rules::NOTHING_OBSERVED, at, message));
    }
    Ok(findings)
}

fn swatches(counted: &Counted, findings: &[Finding]) -> Vec<Swatch> {
    let all: BTreeSet<_> = counted.observed.union(&counted.listed).collect();
    let orphans: BTreeMap<_, _> = counted.orphans.iter().zip(findings).collect();
    all.into_iter()
        .map(|color| Swatch {
            color: color.to_display().into_owned(),
            is_in_palette: counted.listed.contains(color),
            is_observed: counted.observed.contains(color),
            places: orphans
                .get(color)
                .and_then(|finding| finding.at.path.clone())
                .into_iter()
                .collect(),
        })
        .collect()
}
