//! What the counting came to: totals, a row per issue and lens, unit lists, faults.
//!
//! In: a finished [`Tally`] and the head of the ledger. Out: a [`Reconciliation`]; unit lists are sorted
//! as Python sorts, and units that cannot be sorted or listed are refused.

use super::contract::Contract;
use super::frame::{Place, items_of};
use super::ids::Field;
use super::outcome::Noted;
use super::tally::{Status, Tally};
use super::{Fault, Refusal, RefusalKind, StrictFault};
use crate::invariant::Invariant as _;
use crate::text::python::str_of;
use crate::value::number::Number;
use crate::value::{Text, Value};
use std::cmp::Ordering;
use std::collections::HashMap;

const RANKED: &str = "every unit has a rank once there are ranks";
const FRAMED: &str = "every issue has a lens and a place";

/// The members of the ledger's root besides its findings.
#[derive(Clone, Debug, Default)]
pub struct LedgerHead<'v> {
    /// `framework_version`, when there is one.
    pub framework_version: Option<Value<'v>>,
    /// `parked`, when there is one.
    pub parked: Option<Value<'v>>,
}

/// Counts over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Entries of the manifest.
    pub corpus_files: usize,
    /// Distinct ids of control inputs.
    pub control_inputs: usize,
    /// Distinct ids of substantive documents.
    pub substantive_files: usize,
    /// Units.
    pub units: usize,
    /// Units with a readable document.
    pub reviewable: usize,
    /// The other units.
    pub unreadable: usize,
    /// Parked units.
    pub parked: usize,
    /// Reviewable units that are not parked.
    pub reviewed: usize,
    /// Issues.
    pub issues: usize,
    /// Issues times reviewed units.
    pub expected_results: usize,
    /// Accepted pairs.
    pub results: usize,
}

impl Totals {
    /// Each count with its name, in a fixed order.
    pub fn named(&self) -> [(&'static str, usize); 11] {
        [
            ("corpus_files", self.corpus_files),
            ("control_inputs", self.control_inputs),
            ("substantive_files", self.substantive_files),
            ("units", self.units),
            ("reviewable", self.reviewable),
            ("unreadable", self.unreadable),
            ("parked", self.parked),
            ("reviewed", self.reviewed),
            ("issues", self.issues),
            ("expected_results", self.expected_results),
            ("results", self.results),
        ]
    }
}

/// One issue.
#[derive(Clone, Debug)]
pub struct IssueRow {
    /// Its id.
    pub id: Value<'static>,
    /// Its lens, an index into the lens rows.
    pub lens: usize,
    /// Units with a result, sorted, as indices into [`Reconciliation::units`], with their status.
    pub found: Vec<(u32, Status)>,
    /// Where the framework lists it, as lens and item.
    pub place: (usize, usize),
    /// Units found or parked.
    pub covered: usize,
    /// Reviewable units without result, sorted.
    pub missing: Vec<u32>,
    /// Those of them that a finding speaks of which was refused, sorted; known when the run was held
    /// against the contract.
    pub refused: Vec<u32>,
    /// Covered units that are not reviewable, sorted.
    pub extra: Vec<u32>,
    /// Units both found and parked, sorted.
    pub overlap: Vec<u32>,
}

impl IssueRow {
    /// Whether coverage is exact.
    pub fn is_ok(&self) -> bool {
        self.missing.is_empty() && self.extra.is_empty() && self.overlap.is_empty()
    }

    /// Results per status, in the order of [`Status::ALL`].
    pub fn status_counts(&self) -> [usize; 3] {
        Status::ALL.map(|wanted| {
            self.found
                .iter()
                .filter(|(_, status)| *status == wanted)
                .count()
        })
    }
}

/// One lens.
#[derive(Clone, Debug)]
pub struct LensRow {
    /// Its id.
    pub id: Value<'static>,
    /// Its issues, sorted as their pairs sort, as indices into the issue rows.
    pub issues: Vec<usize>,
}

/// What the counting came to.
#[derive(Clone, Debug)]
pub struct Reconciliation {
    /// No fault, and every issue is covered exactly.
    pub is_ok: bool,
    /// Counts.
    pub totals: Totals,
    /// Every unit: those of the manifest first, then those only findings claim.
    pub units: Vec<Value<'static>>,
    /// Issues in framework order.
    pub issues: Vec<IssueRow>,
    /// Lenses in framework order.
    pub lenses: Vec<LensRow>,
    /// Faults in order.
    pub faults: Vec<Fault>,
    /// What only the umbrella command holds against the run, in order.
    pub strict: Vec<StrictFault>,
    /// What the written contract has against the findings, when the run was held against it.
    pub contract: Vec<Noted>,
    /// Confirmed quote and checker receipts, counted when the run was held against the contract.
    pub confirmed: [usize; 2],
    /// Paths of documents by id, when the run was held against the contract.
    pub paths: HashMap<String, String>,
    /// Reviewable units, sorted.
    pub reviewable_units: Vec<u32>,
    /// Unreadable units, sorted.
    pub unreadable_units: Vec<u32>,
    /// Parked units, sorted.
    pub parked_units: Vec<u32>,
}

/// Python's order between two values, where it has one.
fn order(left: &Value<'_>, right: &Value<'_>) -> Option<Ordering> {
    if let (Value::Str(left), Value::Str(right)) = (left, right) {
        return Some(left.cmp(right));
    }
    let (left, right) = (Number::of(left)?, Number::of(right)?);
    let is_nan = |number: Number<'_>| matches!(number, Number::Float(float) if float.is_nan());
    // Where Python's sort leaves NaN depends on its algorithm; last is as good.
    Some(
        left.partial_cmp(&right)
            .unwrap_or_else(|| is_nan(left).cmp(&is_nan(right))),
    )
}

/// The order of units, worked out once.
struct UnitOrder<'u> {
    units: &'u [Value<'static>],
    /// Place of each unit among all of them; empty when some pair has no order.
    ranks: Vec<u32>,
}

impl<'u> UnitOrder<'u> {
    fn new(units: &'u [Value<'static>]) -> Self {
        let is_all_text = units.iter().all(|unit| unit.as_text().is_some());
        let mut ranks = Vec::new();
        if is_all_text {
            let mut sorted: Vec<u32> = (0..).take(units.len()).collect();
            let text = |&index: &u32| units.get(index as usize).and_then(Value::as_text);
            sorted.sort_by(|left, right| text(left).cmp(&text(right)));
            ranks = vec![0; units.len()];
            for (rank, unit) in (0..).zip(&sorted) {
                if let Some(slot) = ranks.get_mut(*unit as usize) {
                    *slot = rank;
                }
            }
        }
        Self { units, ranks }
    }

    fn value(&self, unit: u32) -> &Value<'static> {
        const NULL: &Value<'static> = &Value::Null;
        self.units.get(unit as usize).unwrap_or(NULL)
    }

    fn sort(&self, list: &mut [u32]) -> Result<(), Refusal> {
        if list.len() < 2 {
            return Ok(());
        }
        if !self.ranks.is_empty() {
            let rank = |unit: &u32| self.ranks.get(*unit as usize).copied().holds(RANKED);
            if !list.is_sorted_by_key(rank) {
                list.sort_unstable_by_key(rank);
            }
            return Ok(());
        }
        let mut fault = None;
        let first = list.first().copied().unwrap_or(0);
        for &unit in list.iter() {
            if order(self.value(first), self.value(unit)).is_none() {
                fault = Some((first, unit));
            }
        }
        if let Some((left, right)) = fault {
            return Err(Place::root("manifest").key("documents").refuse(
                RefusalKind::Type,
                format!(
                    "units {} and {} cannot be sorted",
                    crate::text::python::repr(self.value(left)),
                    crate::text::python::repr(self.value(right))
                ),
            ));
        }
        list.sort_by(|&left, &right| {
            order(self.value(left), self.value(right)).unwrap_or(Ordering::Equal)
        });
        Ok(())
    }

    /// Refuse a list that is to be shown and holds a unit that is no text.
    fn check_shown(&self, list: &[u32]) -> Result<(), Refusal> {
        if !self.ranks.is_empty() {
            return Ok(());
        }
        for &unit in list {
            if self.value(unit).as_text().is_none() {
                return Err(Place::root("manifest").key("documents").refuse(
                    RefusalKind::Type,
                    format!(
                        "unit {} is no text and cannot be listed",
                        crate::text::python::repr(self.value(unit))
                    ),
                ));
            }
        }
        Ok(())
    }
}

/// A set of units that is emptied in one step.
struct Marks {
    turn: Vec<u32>,
    now: u32,
}

impl Marks {
    fn new(len: usize) -> Self {
        Self {
            turn: vec![0; len],
            now: 0,
        }
    }

    fn clear(&mut self) {
        if self.now == u32::MAX {
            self.turn.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }

    fn insert(&mut self, unit: u32) -> bool {
        let now = self.now;
        self.turn
            .get_mut(unit as usize)
            .is_some_and(|turn| std::mem::replace(turn, now) != now)
    }

    fn contains(&self, unit: u32) -> bool {
        self.turn.get(unit as usize) == Some(&self.now)
    }
}

/// What `parked` comes to.
#[derive(Default)]
struct Parked {
    units: Vec<u32>,
    faults: Vec<Fault>,
    strict: Vec<StrictFault>,
}

impl Tally<'_, '_> {
    /// The units that `parked` names, and the faults in it.
    fn parked(&self, head: &LedgerHead<'_>) -> Result<Parked, Refusal> {
        let frame = self.frame;
        let place = Place::root("findings").key("parked");
        let Some(listed) = &head.parked else {
            return Ok(Parked::default());
        };
        let mut marks = Marks::new(frame.unit_ids.len());
        marks.clear();
        let Parked {
            mut units,
            mut faults,
            mut strict,
        } = Parked::default();
        for (index, entry) in items_of(listed, || place.clone())?.iter().enumerate() {
            let place = || place.index(index);
            let object = place().object(entry, "a parked entry")?;
            let field = Field::of(object.get("doc_id"));
            let field = field.or_text("");
            let number = frame
                .document_ids
                .find(&field)
                .map_err(|odd| place().key("doc_id").no_id(odd))?;
            let shown = || field.to_shown();
            match number.and_then(|number| frame.documents.get(number)) {
                None => faults.push(Fault::ParkedUnknown {
                    index,
                    document: shown(),
                }),
                Some(document) => match document.unit {
                    None => faults.push(Fault::ParkedControl {
                        index,
                        document: shown(),
                    }),
                    Some(unit) => {
                        if frame.is_reviewable.get(unit) == Some(&false) {
                            strict.push(StrictFault::ParkedUnreadable {
                                index,
                                unit: str_of(document.unit_value),
                            });
                        }
                        let unit = u32::try_from(unit).unwrap_or(u32::MAX);
                        if marks.insert(unit) {
                            units.push(unit);
                        }
                    }
                },
            }
        }
        Ok(Parked {
            units,
            faults,
            strict,
        })
    }

    /// What it came to.
    ///
    /// # Errors
    /// [`Refusal`], the first one in the order in which the inputs are looked at.
    pub fn finish(mut self, head: &LedgerHead<'_>) -> Result<Reconciliation, Refusal> {
        let frame = self.frame;
        let mut faults = frame.faults.clone();
        let null = Value::Null;
        let version = head.framework_version.as_ref().unwrap_or(&null);
        if version != frame.version {
            faults.push(Fault::Versions {
                ledger: str_of(version),
                framework: str_of(frame.version),
            });
        }
        let Parked {
            units: mut parked,
            faults: parked_faults,
            strict: parked_strict,
        } = self.parked(head)?;
        faults.extend(parked_faults);
        let mut strict = frame.strict.clone();
        strict.extend(parked_strict);
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        faults.append(&mut self.faults);
        strict.append(&mut self.strict);

        let known = frame.unit_ids.len();
        let units: Vec<Value<'static>> = (0..known)
            .map(|unit| frame.unit_ids.value(unit).into_owned())
            .chain(
                (0..self.claimed_ids.len()).map(|unit| self.claimed_ids.value(unit).into_owned()),
            )
            .collect();
        let unit_order = UnitOrder::new(&units);
        let numbers = (0_u32..).zip(&frame.is_reviewable);
        let (mut reviewable, mut unreadable) = (Vec::new(), Vec::new());
        for (unit, &is_reviewable) in numbers {
            if is_reviewable {
                reviewable.push(unit);
            } else {
                unreadable.push(unit);
            }
        }
        unit_order.sort(&mut reviewable)?;
        unit_order.sort(&mut unreadable)?;
        unit_order.sort(&mut parked)?;
        let is_reviewable =
            |unit: u32| frame.is_reviewable.get(unit as usize).copied() == Some(true);

        let mut found_marks = Marks::new(units.len());
        let mut parked_marks = Marks::new(units.len());
        parked_marks.clear();
        for &unit in &parked {
            parked_marks.insert(unit);
        }
        let mut issues = Vec::with_capacity(self.results.len());
        let mut len_results = 0;
        for (issue, results) in self.results.iter_mut().enumerate() {
            len_results += results.len();
            sort_results(results, &unit_order);
            let found: Vec<u32> = results.iter().map(|(unit, _)| *unit).collect();
            found_marks.clear();
            for &unit in &found {
                found_marks.insert(unit);
            }
            let mut overlap: Vec<u32> = found
                .iter()
                .copied()
                .filter(|&unit| parked_marks.contains(unit))
                .collect();
            let mut extra: Vec<u32> = found
                .iter()
                .chain(parked.iter().filter(|&&unit| !found_marks.contains(unit)))
                .copied()
                .filter(|&unit| !is_reviewable(unit))
                .collect();
            let missing: Vec<u32> = reviewable
                .iter()
                .copied()
                .filter(|&unit| !found_marks.contains(unit) && !parked_marks.contains(unit))
                .collect();
            unit_order.sort(&mut extra)?;
            unit_order.sort(&mut overlap)?;
            for list in [&missing, &extra, &overlap] {
                unit_order.check_shown(list)?;
            }
            let is_refused = |unit: &u32| self.refused.contains(&(issue, *unit as usize));
            let refused = missing.iter().copied().filter(is_refused).collect();
            issues.push(IssueRow {
                id: frame.issue_ids.value(issue).into_owned(),
                lens: frame.issue_lens.get(issue).copied().holds(FRAMED),
                place: frame.issue_places.get(issue).copied().holds(FRAMED),
                covered: found.len() + parked.len() - overlap.len(),
                found: std::mem::take(results),
                missing,
                refused,
                extra,
                overlap,
            });
        }
        let lenses = lens_rows(frame, &issues)?;
        let reviewed = reviewable
            .iter()
            .filter(|&&unit| !parked_marks.contains(unit))
            .count();
        let control_inputs = frame
            .documents
            .iter()
            .filter(|document| document.is_control)
            .count();
        let totals = Totals {
            corpus_files: frame.len_manifest,
            control_inputs,
            substantive_files: frame.documents.len() - control_inputs,
            units: known,
            reviewable: reviewable.len(),
            unreadable: unreadable.len(),
            parked: parked.len(),
            reviewed,
            issues: issues.len(),
            expected_results: issues.len().saturating_mul(reviewed),
            results: len_results,
        };
        Ok(Reconciliation {
            is_ok: faults.is_empty() && issues.iter().all(IssueRow::is_ok),
            totals,
            issues,
            lenses,
            faults,
            strict,
            confirmed: self
                .contract
                .as_ref()
                .map_or([0; 2], |contract| contract.confirmed),
            paths: self
                .contract
                .as_ref()
                .map_or_else(HashMap::new, |contract| {
                    let owned = |(id, path): (&&str, &&str)| ((*id).to_owned(), (*path).to_owned());
                    contract.paths.iter().map(owned).collect()
                }),
            contract: self
                .contract
                .map(Contract::into_notes)
                .into_iter()
                .flatten()
                .collect(),
            reviewable_units: reviewable,
            unreadable_units: unreadable,
            parked_units: parked,
            units,
        })
    }
}

/// Sort by unit. Units with results are texts: they were claimed as texts.
fn sort_results(results: &mut Vec<(u32, Status)>, order: &UnitOrder<'_>) {
    /// From this share of all units on, walking all of them is quicker than sorting.
    const SHARE: usize = 8;
    let is_dense = results.len() >= order.units.len() / SHARE;
    if order.ranks.is_empty() {
        results.sort_by(|(left, _), (right, _)| {
            let text = |unit: u32| order.value(unit).as_text();
            text(*left).cmp(&text(*right))
        });
    } else if is_dense {
        let mut by_rank = vec![None; order.units.len()];
        for result in results.iter() {
            let rank = order.ranks.get(result.0 as usize).copied().holds(RANKED);
            if let Some(slot) = by_rank.get_mut(rank as usize) {
                *slot = Some(*result);
            }
        }
        // An issue has one result for a unit, so no slot was taken twice.
        results.clear();
        results.extend(by_rank.into_iter().flatten());
    } else {
        results.sort_unstable_by_key(|(unit, _)| order.ranks.get(*unit as usize).copied());
    }
}

fn lens_rows(
    frame: &super::frame::Frame<'_>,
    issues: &[IssueRow],
) -> Result<Vec<LensRow>, Refusal> {
    let mut lenses: Vec<LensRow> = (0..frame.lens_ids.len())
        .map(|lens| LensRow {
            id: frame.lens_ids.value(lens).into_owned(),
            issues: Vec::new(),
        })
        .collect();
    for (index, issue) in issues.iter().enumerate() {
        if let Some(lens) = lenses.get_mut(issue.lens) {
            lens.issues.push(index);
        }
    }
    for lens in &mut lenses {
        let id = |index: &usize| issues.get(*index).map(|issue| &issue.id);
        // Python sorts the pairs of the lens: issues without a pair take no part.
        let mut with_pairs = lens.issues.iter().filter(|&&index| {
            issues
                .get(index)
                .is_some_and(|issue| !issue.found.is_empty())
        });
        if let Some(first) = with_pairs.next() {
            for other in with_pairs {
                let ordered = id(first)
                    .zip(id(other))
                    .and_then(|(left, right)| order(left, right));
                if ordered.is_none() {
                    return Err(Place::root("framework").key("lenses").refuse(
                        RefusalKind::Type,
                        "issue ids of different types cannot be sorted",
                    ));
                }
            }
        }
        lens.issues
            .sort_by(|left, right| total_order(id(left), id(right)));
    }
    Ok(lenses)
}

/// [`order`] made total: null, numbers, texts. Where it matters, ids without an order were refused.
fn total_order(left: Option<&Value<'_>>, right: Option<&Value<'_>>) -> Ordering {
    let class = |value: Option<&Value<'_>>| match value {
        None | Some(Value::Null) => 0,
        Some(Value::Str(_)) => 2,
        Some(_) => 1,
    };
    left.zip(right)
        .and_then(|(left, right)| order(left, right))
        .unwrap_or_else(|| class(left).cmp(&class(right)))
}

/// Texts of `units`, for a message.
pub(crate) fn shown<'u>(
    units: &'u [Value<'static>],
    list: &'u [u32],
) -> impl Iterator<Item = &'u Text<'static>> {
    list.iter()
        .filter_map(|&unit| units.get(unit as usize))
        .filter_map(Value::as_text)
}
