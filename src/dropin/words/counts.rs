//! The lines that `reconcile_counts.py` prints.
//!
//! In: a [`Reconciliation`]. Out: its lines, in order, and the text of each fault.

use crate::gates::reconcile::{Fault, FindingFault, IssueRow, Reconciliation, shown};
use crate::text::python::{Line, str_of};
use crate::value::Text;

/// The text of a fault, without the `error: ` before it.
pub fn fault_line(fault: &Fault) -> Text<'static> {
    let line = Line::new();
    let line = match fault {
        Fault::FamilyWithControls {
            family, controls, ..
        } => line
            .plain("family ")
            .text(family)
            .plain(" contains runner-control document(s): ")
            .joined(controls, ", "),
        Fault::Versions { ledger, framework } => line
            .plain("findings carry framework_version ")
            .text(ledger)
            .plain(" but framework is version ")
            .text(framework),
        Fault::ParkedUnknown { document, .. } => line
            .plain("parked entry references doc ")
            .text(document)
            .plain(" absent from the manifest"),
        Fault::ParkedControl { document, .. } => line
            .plain("parked entry references runner-control document ")
            .text(document),
        Fault::Finding {
            finding_id, fault, ..
        } => finding_line(line, finding_id, fault),
    };
    line.done()
}

fn finding_line(line: Line, id: &Text<'_>, fault: &FindingFault) -> Line {
    let finding = |line: Line| line.plain("finding ").text(id);
    match fault {
        FindingFault::DuplicateId => line.plain("duplicate finding_id ").text(id),
        FindingFault::UnknownDocument { document } => finding(line)
            .plain(" references doc ")
            .text(document)
            .plain(" absent from the manifest"),
        FindingFault::ControlDocument { document } => finding(line)
            .plain(" references runner-control document ")
            .text(document),
        FindingFault::Status { shown } => {
            finding(line).plain(" has unsupported status ").plain(shown)
        }
        FindingFault::EmptyQuote => finding(line).plain(" has status present with an empty quote"),
        FindingFault::EmptySection => {
            finding(line).plain(" has status present with an empty section locator")
        }
        FindingFault::NoQuoteReceipt => {
            finding(line).plain(" lacks a confirmed deterministic quote receipt")
        }
        FindingFault::NoCheckerReceipt { .. } => {
            finding(line).plain(" lacks a confirmed independent checker receipt")
        }
        FindingFault::NoUnit => finding(line).plain(" has no unit_id"),
        FindingFault::OtherUnit {
            claimed,
            document,
            expected,
        } => finding(line)
            .plain(" claims unit ")
            .text(claimed)
            .plain(" but doc ")
            .text(document)
            .plain(" maps to ")
            .text(expected),
        FindingFault::UnknownLens { lens } => finding(line)
            .plain(" references unknown lens '")
            .text(lens)
            .plain("'"),
        FindingFault::UnknownIssue { issue } => finding(line)
            .plain(" references unknown issue '")
            .text(issue)
            .plain("'"),
        FindingFault::OtherLens {
            issue,
            lens,
            expected,
        } => finding(line)
            .plain(" places issue ")
            .text(issue)
            .plain(" in lens ")
            .text(lens)
            .plain("; expected ")
            .text(expected),
        FindingFault::DuplicateResult { issue, unit } => line
            .plain("duplicate issue/unit result for ")
            .text(issue)
            .plain(" and ")
            .text(unit),
    }
}

/// The line of an issue.
pub fn issue_line(result: &Reconciliation, issue: &IssueRow) -> Text<'static> {
    let mut line = Line::new()
        .plain("issue ")
        .text(&str_of(&issue.id))
        .plain(": ")
        .display(issue.found.len())
        .plain(" result units + ")
        .display(result.totals.parked)
        .plain(" parked = ")
        .display(issue.covered)
        .plain(" of ")
        .display(result.totals.reviewable)
        .plain(" reviewable units: ")
        .plain(if issue.is_ok() { "OK" } else { "FAIL" });
    for (words, list) in [
        (" (missing: ", &issue.missing),
        (" (not reviewable: ", &issue.extra),
        (" (both found and parked: ", &issue.overlap),
    ] {
        if !list.is_empty() {
            line = line
                .plain(words)
                .joined(shown(&result.units, list), ", ")
                .plain(")");
        }
    }
    line.done()
}

/// All lines, in order.
pub fn lines(result: &Reconciliation) -> Vec<Text<'static>> {
    let totals = &result.totals;
    let mut out = vec![
        Text::from(format!(
            "corpus: {} files, {} runner-control, {} substantive",
            totals.corpus_files, totals.control_inputs, totals.substantive_files
        )),
        Text::from(format!(
            "units: {} total, {} reviewable, {} unreadable",
            totals.units, totals.reviewable, totals.unreadable
        )),
        Text::from(format!(
            "equation: {} reviewed + {} parked + {} unreadable = {} manifest units",
            totals.reviewed, totals.parked, totals.unreadable, totals.units
        )),
        Text::from(format!(
            "matrix: {} issues x {} reviewed units = {} expected results; {} received",
            totals.issues, totals.reviewed, totals.expected_results, totals.results
        )),
    ];
    out.extend(result.issues.iter().map(|issue| issue_line(result, issue)));
    out.extend(
        result
            .faults
            .iter()
            .map(|fault| Line::new().plain("error: ").text(&fault_line(fault)).done()),
    );
    out.push(Text::borrowed(if result.is_ok {
        "RECONCILED"
    } else {
        "NOT RECONCILED"
    }));
    out
}
