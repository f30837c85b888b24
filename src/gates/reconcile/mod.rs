//! The reconcile gate: does every issue have exactly one result for every reviewable unit.
//!
//! In: manifest, framework and family map as values, the ledger as a value or as a stream of bytes.
//! Out: a [`Reconciliation`] (totals, rows, faults as data) or a [`Refusal`] at a value that cannot be
//! used. Renderers make the drop-in's lines and the umbrella's findings of it.

mod check;
pub(super) mod contract;
mod frame;
mod ids;
mod outcome;
mod result;
mod rules;
mod stream;
mod tally;

pub use crate::value::json::stream::Stop;
pub(crate) use check::add_word;
pub use check::{Against, check, check_stream};
pub(crate) use contract::document_paths;
pub use contract::{Contract, Details, ReceiptWords};
pub use frame::{Frame, Inputs};
pub use ids::{Field, IdTable, Unhashable};
pub use outcome::{Noted, Spot};
pub(crate) use result::shown;
pub use result::{IssueRow, LedgerHead, LensRow, Reconciliation, Totals};
pub use rules::RULES;
pub use stream::read_ledger;
pub use tally::{FindingView, Passage, Receipt, Status, Tally};

use crate::value::{Text, Value};

/// Readabilities that make a unit reviewable.
pub const REVIEWABLE: [&str; 2] = ["native", "scanned"];

/// How Python code would have failed at a value that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// A member is missing: `KeyError`.
    Key,
    /// A value of the wrong type: `TypeError`.
    Type,
    /// A value without the members or methods that are asked of it: `AttributeError`.
    Attribute,
    /// A value out of bounds: `ValueError`.
    Value,
}

/// A value that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The input: `manifest`, `findings`, `framework` or `families`.
    pub input: &'static str,
    /// Place in it, e.g. `$.findings[3].finding_id`.
    pub path: String,
    /// Why, one line.
    pub reason: String,
    /// How Python code would have failed.
    pub kind: RefusalKind,
}

/// What is wrong with one finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingFault {
    /// An earlier finding has the same id.
    DuplicateId,
    /// The document is not in the manifest.
    UnknownDocument {
        /// As the finding names it.
        document: Text<'static>,
    },
    /// The document is a control input.
    ControlDocument {
        /// As the finding names it.
        document: Text<'static>,
    },
    /// The status is none of the three.
    Status {
        /// Its Python `repr`.
        shown: String,
    },
    /// Present without a quote.
    EmptyQuote,
    /// Present without a section.
    EmptySection,
    /// Present without a confirmed quote receipt.
    NoQuoteReceipt,
    /// Present without a confirmed checker receipt.
    NoCheckerReceipt {
        /// What the checker said against it, where the written contract is held against the ledger.
        objection: Option<Text<'static>>,
    },
    /// No unit.
    NoUnit,
    /// Another unit than the document's.
    OtherUnit {
        /// The unit it claims.
        claimed: Text<'static>,
        /// Its document.
        document: Text<'static>,
        /// The document's unit.
        expected: Text<'static>,
    },
    /// The lens is not in the framework.
    UnknownLens {
        /// As the finding names it.
        lens: Text<'static>,
    },
    /// The issue is not in the framework.
    UnknownIssue {
        /// As the finding names it.
        issue: Text<'static>,
    },
    /// The issue belongs to another lens.
    OtherLens {
        /// The issue.
        issue: Text<'static>,
        /// The lens it was put in.
        lens: Text<'static>,
        /// The lens it belongs to.
        expected: Text<'static>,
    },
    /// The issue has a result for the unit already.
    DuplicateResult {
        /// The issue.
        issue: Text<'static>,
        /// The unit.
        unit: Text<'static>,
    },
}

/// One fault, in the order in which they are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A family lists control documents.
    FamilyWithControls {
        /// Place in `families`.
        index: usize,
        /// Its id as `str`.
        family: Text<'static>,
        /// The control documents, sorted, as often as they are listed.
        controls: Vec<Text<'static>>,
    },
    /// Ledger and framework are of different versions.
    Versions {
        /// The ledger's as `str`.
        ledger: Text<'static>,
        /// The framework's as `str`.
        framework: Text<'static>,
    },
    /// A parked document is not in the manifest.
    ParkedUnknown {
        /// Place in `parked`.
        index: usize,
        /// The document as `str`.
        document: Text<'static>,
    },
    /// A parked document is a control input.
    ParkedControl {
        /// Place in `parked`.
        index: usize,
        /// The document as `str`.
        document: Text<'static>,
    },
    /// A finding is wrong.
    Finding {
        /// Place in `findings`.
        index: usize,
        /// Its id as `str`, `<no id>` without one.
        finding_id: Text<'static>,
        /// What is wrong.
        fault: FindingFault,
    },
}

/// What only the umbrella command holds against a run; the drop-in passes over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StrictFault {
    /// The framework has no issues or the manifest no units.
    NothingToReconcile {
        /// Number of issues.
        issues: usize,
        /// Number of units.
        units: usize,
    },
    /// The manifest lists an id again.
    RepeatedDocument {
        /// Place in `documents` of the later entry.
        index: usize,
        /// Place of the first one.
        first: usize,
        /// The id as `str`.
        document: Text<'static>,
    },
    /// A family lists a document that the manifest does not have.
    UnknownMember {
        /// Place in `families`.
        family: usize,
        /// Place in its `members`.
        member: usize,
        /// The id as `str`.
        document: Text<'static>,
    },
    /// A family lists a document that an earlier family has.
    SecondFamily {
        /// Place in `families`.
        family: usize,
        /// Place in its `members`.
        member: usize,
        /// Place of the earlier family.
        first: usize,
        /// The id as `str`.
        document: Text<'static>,
    },
    /// A parked document's unit cannot be read anyway.
    ParkedUnreadable {
        /// Place in `parked`.
        index: usize,
        /// The unit as `str`.
        unit: Text<'static>,
    },
    /// A finding has no id.
    FindingWithoutId {
        /// Place in `findings`.
        index: usize,
    },
}

/// The ledger as a value: its head, its findings judged.
///
/// # Errors
/// [`Refusal`], the first one in the order in which Python code would meet it.
pub fn reconcile<'v>(inputs: Inputs<'v>, ledger: &'v Value<'v>) -> Result<Reconciliation, Refusal> {
    let frame = Frame::new(inputs)?;
    let mut tally = Tally::new(&frame);
    let place = frame::Place::root("findings");
    let root = place.object(ledger, "the ledger")?;
    let head = LedgerHead {
        framework_version: root.get("framework_version").cloned(),
        parked: root.get("parked").cloned(),
    };
    let listed = place.member(root, "findings")?;
    for finding in frame::items_of(listed, || place.key("findings"))? {
        tally.judge(&FindingView::of(finding));
    }
    tally.finish(&head)
}
