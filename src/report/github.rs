//! Annotations of a GitHub workflow: one command per finding, then a line per gate.
//!
//! `%`, CR and LF are encoded in messages, `:` and `,` in properties as well, so that untrusted
//! text can neither end a command nor begin one.

use super::{summary, text::escaped, uri};
use crate::finding::Finding;
use crate::outcome::{Outcome, Verdict};
use crate::rule::Severity;
use std::fmt::Write as _;

/// The report of `outcomes`; file names start from the folder `base`.
pub fn render(outcomes: &[Outcome], base: &str) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        for finding in &outcome.findings {
            annotation(&mut out, finding, base);
        }
        let word = match outcome.verdict {
            Verdict::Passed => "passed",
            Verdict::Failed => "FAILED",
            Verdict::Undecided => "could not run",
        };
        let _ = writeln!(
            out,
            "{}",
            data(&format!(
                "gatewright {} {word}: {}",
                outcome.gate,
                summary(outcome)
            ))
        );
    }
    out
}

fn annotation(out: &mut String, finding: &Finding, base: &str) {
    let command = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if !finding.at.source.is_empty() {
        properties.push(format!(
            "file={}",
            property(&uri::relative(&finding.at.source, base))
        ));
    }
    if let Some(start) = finding.at.start {
        properties.push(format!("line={}", start.line));
        properties.push(format!("col={}", start.column));
        if let Some(end) = finding.at.end {
            properties.push(format!("endLine={}", end.line));
            // The end column is read as the last one shown, and only on the same line.
            if end.line == start.line {
                properties.push(format!(
                    "endColumn={}",
                    end.column.max(start.column + 1) - 1
                ));
            }
        }
    }
    properties.push(format!(
        "title={}",
        property(&format!("{} {}", finding.rule.code, finding.rule.name))
    ));
    let mut message = escaped(&finding.message);
    if let Some(page) = finding.at.page {
        let _ = write!(message, " (page {page})");
    }
    if let Some(path) = &finding.at.path {
        message.push_str("\nat ");
        message.push_str(&escaped(path));
    }
    if !finding.remedy.is_empty() {
        message.push_str("\nfix: ");
        message.push_str(&escaped(&finding.remedy));
    }
    let _ = writeln!(
        out,
        "::{command} {}::{}",
        properties.join(","),
        data(&message)
    );
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
