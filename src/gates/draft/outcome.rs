//! The outcome of an assessment: findings with their places in the blueprint that was judged.
//!
//! In: a draft as it was read and assessed. Out: an [`Outcome`], a line that sums it up. Nothing is read
//! here: what lies in the directory by now is not what was judged.

use super::place::in_blueprint;
use super::rules::binding;
use super::targets::walk_path;
use super::{Assessment, Lang, Level, Orphan, Recount};
use crate::detail::{Detail, Palette, Swatch};
use crate::finding::{Finding, Location};
use crate::gates::palette::Count;
use crate::gates::palette::rules::UNDECIDED;
use crate::gates::palette::undecided_message;
use crate::gates::verdict::outcome::conditions;
use crate::gates::verdict::{self, Reason};
use crate::invariant::Invariant as _;
use crate::outcome::{Outcome, Verdict};
use crate::source::Source;
use crate::value::json::locate::ValuePath;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A draft that was assessed.
#[derive(Debug)]
pub struct Assessed {
    /// The assessment.
    pub assessment: Assessment,
    /// The hash that `sink-status.json` binds.
    pub draft_hash: String,
    /// Why that hash does not fit the files, when it does not.
    pub stale: Option<String>,
    /// The count that decided.
    pub count: Count,
    /// What the other count says, or why it says nothing.
    pub other: Result<Recount, String>,
    /// Values in a colour's place that the corrected count, where it decides, cannot read.
    pub undecided: Vec<Orphan>,
    /// The draft directory as the caller gave it.
    pub draft_dir: PathBuf,
    /// `blueprint.json` as it was judged.
    pub blueprint: Source,
    /// Every file of the draft as it was judged: digests by path below the draft.
    pub files: BTreeMap<String, String>,
}

impl Assessed {
    /// The reasons against a PASS.
    pub fn reasons(&self) -> Vec<Reason> {
        verdict::decide(&self.assessment.to_value())
            .holds("an assessment that was just built has the shape that is decided on")
    }

    /// Verdict and counts in one line.
    pub fn summary(&self, reasons: &[Reason]) -> String {
        let count = |level| {
            let ruled = self.assessment.findings.iter().map(|one| one.level);
            let judged = self.assessment.judged.iter().map(|one| one.level);
            ruled.chain(judged).filter(|one| *one == level).count()
        };
        format!(
            "{}: {} high, {} medium, {} low findings; {}",
            verdict::word(reasons),
            count(Level::High),
            count(Level::Medium),
            count(Level::Low),
            self.counts()
        )
    }

    /// Both palette counts, the deciding one first.
    pub fn counts(&self) -> String {
        let other = match self.count {
            Count::Corrected => Count::Recorded,
            Count::Recorded => Count::Corrected,
        };
        let beside = match &self.other {
            Ok(recount) => crate::finding::counted(recount.orphans.len(), "orphan"),
            Err(reason) => format!("cannot count: {}", crate::finding::excerpt(reason)),
        };
        format!(
            "{} count {} ({} count {beside})",
            self.count.word(),
            crate::finding::counted(self.assessment.recount.orphans.len(), "orphan"),
            other.word(),
        )
    }

    /// The finding about a bound hash that does not fit.
    pub fn stale_finding(&self) -> Option<Finding> {
        let stale = self.stale.as_ref()?;
        let name = self
            .draft_dir
            .join("sink-status.json")
            .display()
            .to_string();
        Some(Finding::new(
            &binding::STALE,
            Location::at_path(name, "$.draft_hash"),
            stale.clone(),
        ))
    }

    /// What `blueprint recount` says of values in a colour's place that no count can read. No member of
    /// the assessment: its rules are the contract's.
    pub fn undecided_findings(&self) -> Vec<Finding> {
        let finding = |value: &Orphan| {
            let at = location(&self.draft_dir, &in_blueprint(&value.place));
            Finding::new(&UNDECIDED, at, undecided_message(&value.colour))
        };
        self.undecided.iter().map(finding).collect()
    }

    /// The assessment as an outcome, findings with their places.
    pub fn outcome(&self, gate: &'static str, lang: Lang) -> Outcome {
        let assessment = &self.assessment;
        let draft_dir = self.draft_dir.as_path();
        let reasons = self.reasons();
        let mut findings: Vec<Finding> = assessment
            .findings
            .iter()
            .map(|finding| {
                let at = location(draft_dir, &finding.loc);
                let mut told = Finding::new(finding.rule, at, finding.reason.clone());
                told.severity = finding.level.severity();
                told
            })
            .collect();
        findings.extend(assessment.judged.iter().map(|judged| {
            let at = location(draft_dir, &judged.loc);
            let message = format!("{} {}: {}", judged.id, judged.criterion, judged.reason);
            let mut told = Finding::new(&binding::JUDGED, at, message);
            told.severity = judged.level.severity();
            told
        }));
        findings.extend(self.stale_finding());
        findings.extend(self.undecided_findings());
        let mut outcome = Outcome::from_findings(gate, Vec::new());
        // The verdict follows from the six parts, as the receipt's does.
        outcome.verdict = if reasons.is_empty() {
            Verdict::Passed
        } else {
            Verdict::Failed
        };
        outcome.inputs.push(self.blueprint.input());
        add_places(&self.blueprint, assessment, &mut findings);
        outcome.findings = findings;
        outcome.summary = self.summary(&reasons);
        let value = assessment.to_value();
        let bytes = crate::value::json::dump(&value, crate::value::json::Style::UNICODE_LINE);
        let data = serde_json::from_slice(&bytes).holds("an assessment is JSON");
        outcome.facts.insert("assessment".to_owned(), data);
        outcome
            .facts
            .insert("verdict".to_owned(), verdict::word(&reasons).into());
        outcome
            .facts
            .insert("draft_hash".to_owned(), self.draft_hash.clone().into());
        outcome
            .facts
            .insert("stale".to_owned(), self.stale.clone().into());
        outcome
            .facts
            .insert("recount".to_owned(), self.counts().into());
        outcome
            .details
            .push(Detail::Conditions(conditions(&reasons, lang)));
        if !assessment.recount.orphans.is_empty() {
            let swatches = assessment
                .recount
                .orphans
                .iter()
                .map(|orphan| Swatch {
                    color: orphan.colour.clone(),
                    is_in_palette: false,
                    is_observed: true,
                    places: vec![orphan.place.clone()],
                })
                .collect();
            outcome.details.push(Detail::Palette(Palette { swatches }));
        }
        outcome
    }
}

/// A place of an assessment as a location.
fn location(draft_dir: &Path, loc: &str) -> Location {
    match loc.split_once('#') {
        Some((file, path)) if !file.starts_with("agents/") => {
            Location::at_path(draft_dir.join(file).display().to_string(), path)
        }
        Some((file, path)) => Location::at_path(file, path),
        None => Location::of_source(loc),
    }
}

/// Lines and columns for the findings in the blueprint.
fn add_places(source: &Source, assessment: &Assessment, findings: &mut [Finding]) {
    let blueprint = source.json().holds("the blueprint was read as JSON");
    let paths: Vec<Option<ValuePath>> = assessment
        .findings
        .iter()
        .map(|finding| {
            let path = finding.loc.strip_prefix("blueprint.json#")?;
            Some(value_path(&blueprint, path))
        })
        .collect();
    let wanted = paths
        .iter()
        .zip(findings)
        .filter_map(|(path, finding)| Some((path.as_ref()?, &mut finding.at)))
        .collect();
    crate::source::locate_in(source.bytes(), wanted);
}

/// The steps of a written path, as far as the document has them.
fn value_path(blueprint: &crate::value::Value<'_>, path: &str) -> ValuePath {
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(found) = walk_path(blueprint, rest.as_bytes()) {
            return found.to_value_path();
        }
        rest = rest
            .rfind(['.', '['])
            .and_then(|end| rest.get(..end))
            .unwrap_or_default();
    }
    ValuePath::root()
}
