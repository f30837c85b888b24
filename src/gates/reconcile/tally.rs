//! Findings judged one by one against a [`Frame`].
//!
//! In: a [`FindingView`] per finding, from a value or from a stream. Out: the accepted pairs of issue
//! and unit, and the faults in order. The first value that cannot be used stops the judging; what
//! follows is then only read.

use super::contract::{Contract, Details};
use super::frame::{Frame, Place, type_word};
use super::ids::{Field, IdTable, Unhashable};
use super::{Fault, FindingFault, Refusal, RefusalKind, StrictFault};
use crate::invariant::Invariant as _;
use crate::text::python::str_of;
use crate::value::{Text, Value};
use std::collections::BTreeSet;

/// A quote or a section, as far as the gate looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Passage {
    /// Missing, null, empty or white space.
    #[default]
    Blank,
    /// A text with something in it.
    Filled,
    /// Something else, by its Python type.
    Unusable(&'static str),
}

impl Passage {
    pub(super) fn of(value: Option<&Value<'_>>) -> Self {
        match value {
            Some(Value::Str(text)) if !text.is_blank() => Self::Filled,
            Some(Value::Str(_)) | None => Self::Blank,
            Some(other) if other.is_truthy() => Self::Unusable(other.python_type()),
            Some(_) => Self::Blank,
        }
    }
}

/// A receipt, as far as the gate looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Receipt {
    /// Missing, empty, or with another status.
    #[default]
    Unconfirmed,
    /// With the status `confirmed`.
    Confirmed,
    /// No object, by its Python type.
    Unusable(&'static str),
}

pub(super) const CONFIRMED: &str = "confirmed";

impl Receipt {
    pub(super) fn of(value: Option<&Value<'_>>) -> Self {
        match value {
            Some(Value::Object(object)) => {
                let status = object.get("status").and_then(Value::as_text);
                if status.is_some_and(|text| *text == *CONFIRMED) {
                    Self::Confirmed
                } else {
                    Self::Unconfirmed
                }
            }
            Some(other) if other.is_truthy() => Self::Unusable(other.python_type()),
            Some(_) | None => Self::Unconfirmed,
        }
    }
}

/// What the gate looks at in one finding.
#[derive(Clone, Debug, Default)]
pub struct FindingView<'v> {
    /// Python type of an item that is no object.
    pub not_an_object: Option<&'static str>,
    /// `finding_id`.
    pub finding_id: Field<'v>,
    /// `doc_id`.
    pub doc_id: Field<'v>,
    /// `unit_id`.
    pub unit_id: Field<'v>,
    /// `lens_id`.
    pub lens_id: Field<'v>,
    /// `issue_id`.
    pub issue_id: Field<'v>,
    /// `status`.
    pub status: Field<'v>,
    /// `quote`.
    pub quote: Passage,
    /// `section`.
    pub section: Passage,
    /// `quote_verification`.
    pub quote_verification: Receipt,
    /// `verification`.
    pub verification: Receipt,
    /// What only the written contract looks at; empty where it is not asked for.
    pub details: Details<'v>,
}

impl<'v> FindingView<'v> {
    /// The view of `value`.
    pub fn of(value: &'v Value<'v>) -> Self {
        let Some(object) = value.as_object() else {
            return Self {
                not_an_object: Some(value.python_type()),
                ..Self::default()
            };
        };
        Self {
            not_an_object: None,
            finding_id: Field::of(object.get("finding_id")),
            doc_id: Field::of(object.get("doc_id")),
            unit_id: Field::of(object.get("unit_id")),
            lens_id: Field::of(object.get("lens_id")),
            issue_id: Field::of(object.get("issue_id")),
            status: Field::of(object.get("status")),
            quote: Passage::of(object.get("quote")),
            section: Passage::of(object.get("section")),
            quote_verification: Receipt::of(object.get("quote_verification")),
            verification: Receipt::of(object.get("verification")),
            details: Details::default(),
        }
    }

    /// The view of `value` with what the written contract looks at.
    pub fn with_details(value: &'v Value<'v>) -> Self {
        Self {
            details: Details::of(value),
            ..Self::of(value)
        }
    }
}

/// What a finding says about its issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The clause is there.
    Present,
    /// It is not.
    Absent,
    /// It could not be told.
    Unresolved,
}

impl Status {
    /// All, in the order of `status_counts`.
    pub const ALL: [Self; 3] = [Self::Present, Self::Absent, Self::Unresolved];

    /// As written in a ledger.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Absent => "absent",
            Self::Unresolved => "unresolved",
        }
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str().as_bytes() == bytes)
    }
}

/// A set of pairs of small numbers: one bit per pair where the table is small, else a tree.
#[derive(Debug, Default)]
struct PairSet {
    columns: usize,
    bits: Vec<u64>,
    far: BTreeSet<(usize, usize)>,
}

impl PairSet {
    /// Most bits that are laid out flat: 32 MiB.
    const FLAT_LIMIT: usize = 1 << 28;

    fn new(rows: usize, columns: usize) -> Self {
        let bits = rows
            .checked_mul(columns)
            .filter(|&bits| bits <= Self::FLAT_LIMIT);
        Self {
            columns: if bits.is_some() { columns } else { 0 },
            bits: vec![0; bits.unwrap_or(0).div_ceil(64)],
            far: BTreeSet::new(),
        }
    }

    /// Add a pair; whether it is new.
    fn insert(&mut self, row: usize, column: usize) -> bool {
        if column < self.columns {
            let bit = row * self.columns + column;
            if let Some(word) = self.bits.get_mut(bit / 64) {
                let mask = 1 << (bit % 64);
                let is_new = *word & mask == 0;
                *word |= mask;
                return is_new;
            }
        }
        self.far.insert((row, column))
    }
}

/// The state of the judging.
#[derive(Debug)]
pub struct Tally<'f, 'v> {
    pub(super) frame: &'f Frame<'v>,
    /// Findings seen.
    pub(super) len_findings: usize,
    /// Units that findings claim and the manifest does not know, numbered after the known ones.
    pub(super) claimed_ids: IdTable,
    /// Per issue: units with a result, in order of arrival, and the status of each.
    pub(super) results: Vec<Vec<(u32, Status)>>,
    pub(super) faults: Vec<Fault>,
    pub(super) strict: Vec<StrictFault>,
    pub(super) refusal: Option<Refusal>,
    pairs: PairSet,
    /// Finding ids of the form `issue/document`, and all others.
    seen_pairs: PairSet,
    seen_others: IdTable,
    last_document: usize,
    last_issue: usize,
    /// The written contract, when the run is held against it.
    pub(super) contract: Option<Contract<'v>>,
    /// Pairs of issue and unit whose finding was refused, when the contract is held against the run:
    /// they have no result, and what to mend is that finding.
    pub(super) refused: BTreeSet<(usize, usize)>,
    /// Whether they are noted.
    notes_refused: bool,
}

impl<'f, 'v> Tally<'f, 'v> {
    /// Nothing judged yet.
    pub fn new(frame: &'f Frame<'v>) -> Self {
        let issues = frame.issue_ids.len();
        Self {
            frame,
            len_findings: 0,
            claimed_ids: IdTable::new(),
            results: vec![Vec::new(); issues],
            faults: Vec::new(),
            strict: Vec::new(),
            refusal: None,
            pairs: PairSet::new(issues, frame.unit_ids.len()),
            seen_pairs: PairSet::new(issues, frame.documents.len()),
            seen_others: IdTable::new(),
            last_document: 0,
            last_issue: 0,
            contract: None,
            refused: BTreeSet::new(),
            notes_refused: false,
        }
    }

    /// Note that a finding on `unit` was refused.
    fn refuse_result(&mut self, finding: &FindingView<'_>, unit: usize) {
        if !self.notes_refused {
            return;
        }
        // An issue that is none covers nothing anyway.
        if let Ok(Some(issue)) = self.find_issue(&finding.issue_id.or_text("")) {
            self.refused.insert((issue, unit));
        }
    }

    /// The same, and findings are held against `contract` too.
    #[must_use]
    pub fn with_contract(mut self, contract: Contract<'v>) -> Self {
        self.contract = Some(contract);
        self.noting_refused()
    }

    /// The same, and a unit whose finding was refused is not told as one without a result, for a
    /// caller that holds findings against the written contract by itself.
    #[must_use]
    pub fn noting_refused(mut self) -> Self {
        self.notes_refused = true;
        self
    }

    /// Forget everything judged so far.
    pub fn restart(&mut self) {
        let mut contract = self.contract.take();
        if let Some(contract) = &mut contract {
            contract.restart();
        }
        let notes_refused = self.notes_refused;
        *self = Self::new(self.frame);
        self.contract = contract;
        self.notes_refused = notes_refused;
    }

    /// Judge the next finding.
    pub fn judge(&mut self, finding: &FindingView<'_>) {
        let index = self.len_findings;
        self.len_findings += 1;
        if let Some(contract) = &mut self.contract {
            contract.judge(index, finding);
        }
        if self.refusal.is_none()
            && let Err(refusal) = self.judge_at(index, finding)
        {
            self.refusal = Some(refusal);
        }
    }

    fn find_document(&mut self, field: &Field<'_>) -> Result<Option<usize>, Unhashable> {
        let ids = &self.frame.document_ids;
        let found = match field {
            // Findings of one document mostly stand together.
            Field::Text(text) if ids.is_text(self.last_document, text.as_bytes()) => {
                Some(self.last_document)
            }
            Field::Missing => ids.find_text(b""),
            Field::Text(_) | Field::Other(_) => ids.find(field)?,
        };
        if let Some(number) = found {
            self.last_document = number;
        }
        Ok(found)
    }

    fn find_issue(&mut self, field: &Field<'_>) -> Result<Option<usize>, Unhashable> {
        let ids = &self.frame.issue_ids;
        let found = match field {
            // Issues mostly come in framework order.
            Field::Text(text) => {
                let bytes = text.as_bytes();
                let next = self.last_issue + 1;
                [next, 0]
                    .into_iter()
                    .find(|&number| ids.is_text(number, bytes))
                    .or_else(|| ids.find_text(bytes))
            }
            Field::Missing => ids.find_text(b""),
            Field::Other(_) => ids.find(field)?,
        };
        if let Some(number) = found {
            self.last_issue = number;
        }
        Ok(found)
    }

    /// Note a finding id; whether it is new.
    ///
    /// A text that reads `issue/document` with a known issue and a known document is kept as one
    /// bit; which texts are kept so depends on the text alone, so the two stores never overlap.
    fn note_id(&mut self, id: &Field<'_>) -> Result<bool, Unhashable> {
        if let Field::Text(text) = id {
            let bytes = text.as_bytes();
            if let Some(slash) = memchr::memchr(b'/', bytes)
                && let Some((issue, rest)) = bytes.split_at_checked(slash)
                && let Some(document) = rest.get(1..)
            {
                let issue = self.find_issue(&Field::Text(Text::from_wtf8(issue.into())))?;
                if let Some(issue) = issue {
                    let document =
                        self.find_document(&Field::Text(Text::from_wtf8(document.into())))?;
                    if let Some(document) = document {
                        return Ok(self.seen_pairs.insert(issue, document));
                    }
                }
            }
        }
        Ok(self.seen_others.insert(id)?.1)
    }

    fn judge_at(&mut self, index: usize, finding: &FindingView<'_>) -> Result<(), Refusal> {
        let place = || Place::root("findings").key("findings").index(index);
        if let Some(python_type) = finding.not_an_object {
            return Err(place().refuse(
                RefusalKind::Attribute,
                format!(
                    "{} stands where a finding must be an object",
                    type_word(python_type)
                ),
            ));
        }
        let frame = self.frame;
        let shown_id = || finding.finding_id.or_text("<no id>").to_shown();
        let fault = |fault| Fault::Finding {
            index,
            finding_id: shown_id(),
            fault,
        };

        let is_new = match &finding.finding_id {
            Field::Missing => {
                self.strict.push(StrictFault::FindingWithoutId { index });
                Ok(self.seen_others.insert_text(b"<no id>").1)
            }
            given @ (Field::Text(_) | Field::Other(_)) => self.note_id(given),
        };
        if !is_new.map_err(|odd| place().key("finding_id").no_id(odd))? {
            self.faults.push(fault(FindingFault::DuplicateId));
        }

        let shown_document = || finding.doc_id.or_text("").to_shown();
        let document = self
            .find_document(&finding.doc_id)
            .map_err(|odd| place().key("doc_id").no_id(odd))?;
        let Some(document) = document.and_then(|number| frame.documents.get(number)) else {
            self.faults.push(fault(FindingFault::UnknownDocument {
                document: shown_document(),
            }));
            return Ok(());
        };
        let Some(document_unit) = document.unit else {
            self.faults.push(fault(FindingFault::ControlDocument {
                document: shown_document(),
            }));
            return Ok(());
        };

        let status = match &finding.status {
            Field::Text(text) => Status::of(text.as_bytes()),
            Field::Other(value) if !value.is_hashable() => {
                return Err(place().key("status").refuse(
                    RefusalKind::Type,
                    format!("{} cannot be a status", type_word(value.python_type())),
                ));
            }
            Field::Missing | Field::Other(_) => None,
        };
        let Some(status) = status else {
            self.faults.push(fault(FindingFault::Status {
                shown: finding.status.or_text("").to_repr(),
            }));
            self.refuse_result(finding, document_unit);
            return Ok(());
        };
        if status == Status::Present {
            for (passage, key, blank) in [
                (finding.quote, "quote", FindingFault::EmptyQuote),
                (finding.section, "section", FindingFault::EmptySection),
            ] {
                match passage {
                    Passage::Filled => {}
                    Passage::Blank => self.faults.push(fault(blank)),
                    Passage::Unusable(python_type) => {
                        return Err(place().key(key).refuse(
                            RefusalKind::Attribute,
                            format!("{} cannot be a {key}", type_word(python_type)),
                        ));
                    }
                }
            }
            for (receipt, key, lacking) in [
                (
                    finding.quote_verification,
                    "quote_verification",
                    FindingFault::NoQuoteReceipt,
                ),
                (
                    finding.verification,
                    "verification",
                    FindingFault::NoCheckerReceipt {
                        objection: finding.details.receipt.refuted(),
                    },
                ),
            ] {
                match receipt {
                    Receipt::Confirmed => {}
                    Receipt::Unconfirmed => self.faults.push(fault(lacking)),
                    Receipt::Unusable(python_type) => {
                        return Err(place().key(key).refuse(
                            RefusalKind::Attribute,
                            format!(
                                "{} stands where a receipt must be an object",
                                type_word(python_type)
                            ),
                        ));
                    }
                }
            }
        }

        let claimed = match &finding.unit_id {
            Field::Text(text) if !text.is_empty() => text,
            Field::Missing | Field::Text(_) | Field::Other(_) => {
                self.faults.push(fault(FindingFault::NoUnit));
                self.refuse_result(finding, document_unit);
                return Ok(());
            }
        };
        let unit = if frame.unit_ids.is_text(document_unit, claimed.as_bytes()) {
            document_unit
        } else {
            self.faults.push(fault(FindingFault::OtherUnit {
                claimed: claimed.clone().into_owned(),
                document: shown_document(),
                expected: str_of(document.unit_value),
            }));
            self.refuse_result(finding, document_unit);
            match frame.unit_ids.find_text(claimed.as_bytes()) {
                Some(known) => known,
                None => frame.unit_ids.len() + self.claimed_ids.insert_text(claimed.as_bytes()).0,
            }
        };

        let lens_field = finding.lens_id.or_text("");
        // The lens of the issue that the finding id spoke of is nearly always the right one.
        let likely = frame.issue_lens.get(self.last_issue).copied();
        let lens = match (&lens_field, likely) {
            (Field::Text(text), Some(likely))
                if frame.lens_ids.is_text(likely, text.as_bytes()) =>
            {
                Some(likely)
            }
            (Field::Missing | Field::Text(_) | Field::Other(_), _) => frame
                .lens_ids
                .find(&lens_field)
                .map_err(|odd| place().key("lens_id").no_id(odd))?,
        };
        let Some(lens) = lens else {
            self.faults.push(fault(FindingFault::UnknownLens {
                lens: lens_field.to_shown(),
            }));
            self.refuse_result(finding, document_unit);
            return Ok(());
        };
        let issue_field = finding.issue_id.or_text("");
        let issue = match &issue_field {
            Field::Text(text) if frame.issue_ids.is_text(self.last_issue, text.as_bytes()) => {
                Some(self.last_issue)
            }
            other @ (Field::Missing | Field::Text(_) | Field::Other(_)) => {
                self.find_issue(other)
                    .map_err(|odd| place().key("issue_id").no_id(odd))?
            }
        };
        let Some(issue) = issue else {
            self.faults.push(fault(FindingFault::UnknownIssue {
                issue: issue_field.to_shown(),
            }));
            return Ok(());
        };
        let expected = frame
            .issue_lens
            .get(issue)
            .copied()
            .holds("every issue has a lens");
        // NaN is found by identity and still differs from itself.
        let is_nan = matches!(frame.lens_ids.odd(lens), Some(Value::Float(id)) if id.is_nan());
        if lens != expected || is_nan {
            self.faults.push(fault(FindingFault::OtherLens {
                issue: issue_field.to_shown(),
                lens: lens_field.to_shown(),
                expected: frame
                    .issue_lens_value
                    .get(issue)
                    .map_or_else(|| lens_field.to_shown(), |value| str_of(value)),
            }));
            self.refuse_result(finding, document_unit);
            return Ok(());
        }
        if !self.pairs.insert(issue, unit) {
            self.faults.push(fault(FindingFault::DuplicateResult {
                issue: issue_field.to_shown(),
                unit: claimed.clone().into_owned(),
            }));
            return Ok(());
        }
        let unit = u32::try_from(unit).map_err(|_| {
            place().refuse(
                RefusalKind::Value,
                "there are more than 2^32 units to count",
            )
        })?;
        if let Some(results) = self.results.get_mut(issue) {
            results.push((unit, status));
        }
        Ok(())
    }
}
