//! A reconciliation as findings: the faults of the gate and what the umbrella command adds.
//!
//! In: a [`Reconciliation`]. Out: [`Noted`] findings (rule, message, where in which input) and an
//! [`Outcome`] without places in files; whoever has the files adds lines and columns.

use super::result::{IssueRow, Reconciliation};
use super::rules::{
    FOUND_AND_PARKED, RESULT_FOR_UNREADABLE_UNIT, UNCOVERED_UNIT, rule_of, strict_rule_of,
};
use super::tally::Status;
use super::{Fault, FindingFault, StrictFault};
use crate::detail::{Detail, Matrix, MatrixState};
use crate::finding::{Finding, Location, counted, excerpt};
use crate::outcome::Outcome;
use crate::rule::Rule;
use crate::text::python::str_of;
use crate::value::Text;
use crate::value::json::locate::ValuePath;
use std::collections::{BTreeSet, HashMap};

/// A place in one of the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// `manifest`, `findings`, `framework` or `families`.
    pub input: &'static str,
    /// The value.
    pub path: ValuePath,
}

impl Spot {
    pub(super) fn new(input: &'static str, path: ValuePath) -> Self {
        Self { input, path }
    }

    /// The place in the input that the caller calls `name`.
    pub fn location(&self, name: &str) -> Location {
        Location::at_path(name, self.path.to_string())
    }
}

/// A finding and where it stands.
#[derive(Clone, Debug)]
pub struct Noted {
    /// The rule.
    pub rule: &'static Rule,
    /// One line.
    pub message: String,
    /// Where.
    pub at: Spot,
    /// Other places that belong to it.
    pub related: Vec<Spot>,
    /// What to do, where the rule's own remedy does not fit.
    pub remedy: Option<&'static str>,
}

/// Units named in a message before the rest is counted.
const SHOWN_UNITS: usize = 10;
/// Cells of a matrix that reports still can show.
const MATRIX_LIMIT: usize = 1 << 22;

/// What to do about a checker that did not confirm: asking it again gives the same answer.
const MEND_REFUTED: &str = "change the finding so that the objection no longer holds, then plan, check and merge again; \
     or give it the status absent or unresolved: merging the same result again changes nothing";

fn ticked(text: &Text<'_>) -> String {
    format!("`{}`", excerpt(&text.to_display()))
}

/// Ids of documents and units, with the path that people know a document by.
#[derive(Clone, Copy)]
struct Names<'r>(&'r HashMap<String, String>);

impl<'r> Names<'r> {
    fn path(self, id: &Text<'_>) -> Option<&'r str> {
        let path = self.0.get(id.as_str()?)?;
        (!path.is_empty() && Some(path.as_str()) != id.as_str()).then_some(path.as_str())
    }

    fn named(self, id: &Text<'_>) -> String {
        match self.path(id) {
            Some(path) => format!("`{}` ({})", excerpt(path), excerpt(&id.to_display())),
            None => ticked(id),
        }
    }

    fn list(self, ids: &[Text<'_>]) -> String {
        let mut shown: Vec<String> = ids
            .iter()
            .take(SHOWN_UNITS)
            .map(|id| self.named(id))
            .collect();
        if ids.len() > SHOWN_UNITS {
            shown.push(format!("and {} more", ids.len() - SHOWN_UNITS));
        }
        shown.join(", ")
    }
}

pub(super) fn at_finding(index: usize) -> ValuePath {
    ValuePath::root().key("findings").index(index)
}

fn fault_note(fault: &Fault, names: Names<'_>) -> Noted {
    let root = ValuePath::root();
    let (message, at) = match fault {
        Fault::FamilyWithControls {
            index,
            family,
            controls,
        } => (
            format!(
                "family {} lists runner-control documents: {}",
                ticked(family),
                names.list(controls)
            ),
            Spot::new(
                "families",
                root.key("families").index(*index).key("members"),
            ),
        ),
        Fault::Versions { ledger, framework } => (
            format!(
                "ledger carries framework_version {}, the framework is version {}",
                ticked(ledger),
                ticked(framework)
            ),
            Spot::new("findings", root.key("framework_version")),
        ),
        Fault::ParkedUnknown { index, document } => (
            format!(
                "parked document {} is not in the manifest",
                names.named(document)
            ),
            Spot::new("findings", root.key("parked").index(*index).key("doc_id")),
        ),
        Fault::ParkedControl { index, document } => (
            format!(
                "parked document {} is a runner-control input",
                names.named(document)
            ),
            Spot::new("findings", root.key("parked").index(*index).key("doc_id")),
        ),
        Fault::Finding {
            index,
            finding_id,
            fault,
        } => {
            let (key, words) = finding_words(fault, names);
            (
                format!("finding {} {words}", ticked(finding_id)),
                Spot::new("findings", at_finding(*index).key(key)),
            )
        }
    };
    let is_refuted = matches!(
        fault,
        Fault::Finding {
            fault: FindingFault::NoCheckerReceipt { objection: Some(_) },
            ..
        }
    );
    Noted {
        rule: rule_of(fault),
        message,
        at,
        related: Vec::new(),
        remedy: is_refuted.then_some(MEND_REFUTED),
    }
}

/// The member that a fault stands at, and what is said of the finding.
fn finding_words(fault: &FindingFault, names: Names<'_>) -> (&'static str, String) {
    match fault {
        FindingFault::DuplicateId => (
            "finding_id",
            String::from("has the id of an earlier finding"),
        ),
        FindingFault::UnknownDocument { document } => (
            "doc_id",
            format!("names document {}, not in the manifest", ticked(document)),
        ),
        FindingFault::ControlDocument { document } => (
            "doc_id",
            format!("names runner-control input {}", names.named(document)),
        ),
        FindingFault::Status { shown } => (
            "status",
            format!(
                "has status `{}`, expected present, absent or unresolved",
                excerpt(shown)
            ),
        ),
        FindingFault::EmptyQuote => ("quote", String::from("is present without a quote")),
        FindingFault::EmptySection => ("section", String::from("is present without a section")),
        FindingFault::NoQuoteReceipt => (
            "quote_verification",
            String::from("is present without a confirmed quote receipt"),
        ),
        FindingFault::NoCheckerReceipt { objection: None } => (
            "verification",
            String::from("is present without a confirmed checker receipt"),
        ),
        FindingFault::NoCheckerReceipt {
            objection: Some(objection),
        } => (
            "verification",
            format!(
                "is present although its checker objects: {}",
                ticked(objection)
            ),
        ),
        FindingFault::NoUnit => ("unit_id", String::from("names no unit")),
        FindingFault::OtherUnit {
            claimed,
            document,
            expected,
        } => (
            "unit_id",
            format!(
                "claims unit {}, document {} belongs to unit {}",
                names.named(claimed),
                names.named(document),
                names.named(expected)
            ),
        ),
        FindingFault::UnknownLens { lens } => (
            "lens_id",
            format!("names lens {}, not in the framework", ticked(lens)),
        ),
        FindingFault::UnknownIssue { issue } => (
            "issue_id",
            format!("names issue {}, not in the framework", ticked(issue)),
        ),
        FindingFault::OtherLens {
            issue,
            lens,
            expected,
        } => (
            "lens_id",
            format!(
                "puts issue {} into lens {}, expected lens {}",
                ticked(issue),
                ticked(lens),
                ticked(expected)
            ),
        ),
        FindingFault::DuplicateResult { issue, unit } => (
            "unit_id",
            format!(
                "gives a second result for issue {} and unit {}",
                ticked(issue),
                names.named(unit)
            ),
        ),
    }
}

fn strict_note(fault: &StrictFault, names: Names<'_>) -> Noted {
    let root = ValuePath::root();
    let member = |family: &usize, member: &usize| {
        let members = root.key("families").index(*family).key("members");
        Spot::new("families", members.index(*member).key("id"))
    };
    let mut related = Vec::new();
    let (message, at) = match fault {
        StrictFault::NothingToReconcile { issues, units } => (
            format!("there is nothing to reconcile: {issues} issues and {units} units"),
            if *issues == 0 {
                Spot::new("framework", root.key("lenses"))
            } else {
                Spot::new("manifest", root.key("documents"))
            },
        ),
        StrictFault::RepeatedDocument {
            index,
            first,
            document,
        } => {
            let place =
                |index: usize| Spot::new("manifest", root.key("documents").index(index).key("id"));
            related.push(place(*first));
            (
                format!("document {} is listed again", ticked(document)),
                place(*index),
            )
        }
        StrictFault::UnknownMember {
            family,
            member: at,
            document,
        } => (
            format!(
                "family member {} is not in the manifest",
                names.named(document)
            ),
            member(family, at),
        ),
        StrictFault::SecondFamily {
            family,
            member: at,
            first,
            document,
        } => {
            related.push(Spot::new(
                "families",
                root.key("families").index(*first).key("members"),
            ));
            (
                format!(
                    "document {} is in an earlier family too",
                    names.named(document)
                ),
                member(family, at),
            )
        }
        StrictFault::ParkedUnreadable { index, unit } => (
            format!(
                "parked unit {} has no readable document and is counted twice",
                names.named(unit)
            ),
            Spot::new("findings", root.key("parked").index(*index).key("doc_id")),
        ),
        StrictFault::FindingWithoutId { index } => (
            String::from("the finding has no finding_id"),
            Spot::new("findings", at_finding(*index)),
        ),
    };
    Noted {
        rule: strict_rule_of(fault),
        message,
        at,
        related,
        remedy: None,
    }
}

impl Reconciliation {
    fn texts(&self, units: &[u32]) -> Vec<Text<'static>> {
        units
            .iter()
            .filter_map(|&unit| self.units.get(unit as usize))
            .map(str_of)
            .collect()
    }

    fn names(&self) -> Names<'_> {
        Names(&self.paths)
    }

    fn issue_notes(&self, issue: &IssueRow, out: &mut Vec<Noted>) {
        let (lens, item) = issue.place;
        let items = ValuePath::root().key("lenses").index(lens).key("items");
        let at = Spot::new("framework", items.index(item).key("issue_id"));
        let id = ticked(&str_of(&issue.id));
        let mut note = |rule, message| {
            out.push(Noted {
                rule,
                message,
                at: at.clone(),
                related: Vec::new(),
                remedy: None,
            });
        };
        // Where a finding was refused, that finding is to be mended, and is told already.
        let refused: BTreeSet<u32> = issue.refused.iter().copied().collect();
        let unanswered: Vec<u32> = issue
            .missing
            .iter()
            .copied()
            .filter(|unit| !refused.contains(unit))
            .collect();
        if !unanswered.is_empty() {
            note(
                &UNCOVERED_UNIT,
                format!(
                    "issue {id} has no result for {} of {} reviewable units: {}",
                    unanswered.len(),
                    self.totals.reviewable,
                    self.names().list(&self.texts(&unanswered))
                ),
            );
        }
        // Parked units that cannot be read have a rule of their own.
        let found: BTreeSet<u32> = issue.found.iter().map(|(unit, _)| *unit).collect();
        let extra: Vec<u32> = issue
            .extra
            .iter()
            .copied()
            .filter(|unit| found.contains(unit))
            .collect();
        if !extra.is_empty() {
            note(
                &RESULT_FOR_UNREADABLE_UNIT,
                format!(
                    "issue {id} has results for units that are not reviewable: {}",
                    self.names().list(&self.texts(&extra))
                ),
            );
        }
        if !issue.overlap.is_empty() {
            note(
                &FOUND_AND_PARKED,
                format!(
                    "issue {id} has results for parked units: {}",
                    self.names().list(&self.texts(&issue.overlap))
                ),
            );
        }
    }

    /// Every finding: faults in order, then what only the umbrella command looks at, then issues.
    pub fn notes(&self) -> Vec<Noted> {
        let names = self.names();
        let faults = self.faults.iter().map(|fault| fault_note(fault, names));
        let mut out: Vec<Noted> = faults.collect();
        out.extend(self.strict.iter().map(|fault| strict_note(fault, names)));
        for issue in &self.issues {
            self.issue_notes(issue, &mut out);
        }
        out.extend(self.contract.iter().cloned());
        out
    }

    /// Coverage cell by cell, unless there are too many cells to show.
    fn matrix(&self) -> Option<Matrix> {
        const STATES: [(&str, bool); 8] = [
            ("present", false),
            ("absent", false),
            ("unresolved", false),
            ("missing", true),
            ("parked", false),
            ("unreadable", false),
            ("found though unreadable", true),
            ("found though parked", true),
        ];
        // Places in STATES.
        const MISSING: u8 = 3;
        const PARKED: u8 = 4;
        const UNREADABLE: u8 = 5;
        const FOUND_UNREADABLE: u8 = 6;
        const FOUND_PARKED: u8 = 7;
        let columns = self.units.len();
        if columns.saturating_mul(self.issues.len()) > MATRIX_LIMIT {
            return None;
        }
        // Without a result: units that only findings claim read as unreadable, as they are counted.
        let mut without = vec![UNREADABLE; columns];
        let mut set = |units: &[u32], state: u8| {
            for &unit in units {
                if let Some(cell) = without.get_mut(unit as usize) {
                    *cell = state;
                }
            }
        };
        set(&self.reviewable_units, MISSING);
        set(&self.parked_units, PARKED);
        let cells = self
            .issues
            .iter()
            .map(|issue| {
                let mut row = without.clone();
                for (unit, status) in &issue.found {
                    if let Some(cell) = row.get_mut(*unit as usize) {
                        *cell = match *cell {
                            PARKED => FOUND_PARKED,
                            UNREADABLE => FOUND_UNREADABLE,
                            _ => match status {
                                Status::Present => 0,
                                Status::Absent => 1,
                                Status::Unresolved => 2,
                            },
                        };
                    }
                }
                row
            })
            .collect();
        let name = |value| str_of(value).to_display().into_owned();
        let unit_name = |value| {
            let id = str_of(value);
            let path = self.names().path(&id).map(str::to_owned);
            path.unwrap_or_else(|| id.to_display().into_owned())
        };
        Some(Matrix {
            row_kind: String::from("issue"),
            column_kind: String::from("unit"),
            rows: self.issues.iter().map(|issue| name(&issue.id)).collect(),
            columns: self.units.iter().map(unit_name).collect(),
            states: STATES
                .iter()
                .map(|&(name, is_fault)| MatrixState {
                    name: name.to_owned(),
                    is_fault,
                })
                .collect(),
            cells,
            notes: Vec::new(),
        })
    }

    /// The outcome of the umbrella command. `name` gives the display name of an input.
    pub fn outcome(&self, notes: &[Noted], name: impl Fn(&str) -> String) -> Outcome {
        let findings = notes
            .iter()
            .map(|note| {
                let place = |spot: &Spot| spot.location(&name(spot.input));
                let mut finding = Finding::new(note.rule, place(&note.at), note.message.clone());
                if let Some(remedy) = note.remedy {
                    finding = finding.with_remedy(remedy);
                }
                note.related
                    .iter()
                    .fold(finding, |finding, spot| finding.with_related(place(spot)))
            })
            .collect();
        let mut outcome = Outcome::from_findings("ledger reconcile", findings);
        let totals = &self.totals;
        for (fact, count) in totals.named() {
            outcome.facts.insert(fact.to_owned(), count.into());
        }
        let failing = self.issues.iter().filter(|issue| !issue.is_ok()).count();
        outcome.summary = format!(
            "{} reviewed + {} parked + {} unreadable = {}; {} x {} = {}, {} received; {} not covered exactly",
            totals.reviewed,
            totals.parked,
            totals.unreadable,
            counted(totals.units, "unit"),
            counted(totals.issues, "issue"),
            counted(totals.reviewed, "reviewed unit"),
            counted(totals.expected_results, "expected result"),
            totals.results,
            counted(failing, "issue"),
        );
        outcome.details.extend(self.matrix().map(Detail::Matrix));
        outcome
    }
}
