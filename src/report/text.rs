//! The text report for people: a line per finding with its place, then what to do, then a summary.
//!
//! `FILE:LINE:COLUMN: CODE message` so that editors can jump; the value's path and the remedy on
//! lines of their own; control characters of untrusted text are escaped.

use crate::finding::{Finding, Location};
use crate::outcome::{Outcome, Verdict};
use crate::rule::Severity;
use std::fmt::Write as _;

const RED: &str = "\u{1b}[31m";
const YELLOW: &str = "\u{1b}[33m";
const GREEN: &str = "\u{1b}[32m";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RESET: &str = "\u{1b}[0m";

/// The report of `outcomes`.
pub fn render(outcomes: &[Outcome], is_colored: bool) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        render_outcome(&mut out, outcome, is_colored);
    }
    if outcomes.len() > 1 {
        let _ = writeln!(
            out,
            "{}",
            painted(&super::headline(outcomes), BOLD, is_colored)
        );
    }
    out
}

/// `text` with control characters escaped, so that untrusted input cannot steer a terminal; the
/// marks that turn the direction of writing too, so that it cannot reorder what a reader sees.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let turns_direction = matches!(
            character,
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
        );
        if character.is_control() || turns_direction || matches!(character, '\u{2028}' | '\u{2029}')
        {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// `FILE:LINE:COLUMN`, as much of it as is known.
pub fn place(at: &Location) -> String {
    let source = escaped(&at.source);
    match at.start {
        Some(start) => format!("{source}:{}:{}", start.line, start.column),
        None => source,
    }
}

fn painted(text: &str, color: &str, is_colored: bool) -> String {
    if is_colored {
        format!("{color}{text}{RESET}")
    } else {
        text.to_owned()
    }
}

fn render_outcome(out: &mut String, outcome: &Outcome, is_colored: bool) {
    for finding in &outcome.findings {
        render_finding(out, finding, is_colored);
    }
    let (word, color) = match outcome.verdict {
        Verdict::Passed => ("passed", GREEN),
        Verdict::Failed => ("FAILED", RED),
        Verdict::Undecided => ("could not run", RED),
    };
    let summary = super::summary(outcome);
    let _ = writeln!(
        out,
        "{} {}: {summary}",
        painted(&outcome.title(), BOLD, is_colored),
        painted(word, color, is_colored)
    );
}

fn render_finding(out: &mut String, finding: &Finding, is_colored: bool) {
    let color = match finding.severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Note => DIM,
    };
    let _ = writeln!(
        out,
        "{}: {} {}",
        painted(&place(&finding.at), BOLD, is_colored),
        painted(finding.rule.code, color, is_colored),
        escaped(&finding.message)
    );
    if let Some(path) = &finding.at.path {
        let _ = writeln!(out, "    at {}", escaped(path));
    }
    for related in &finding.related {
        let path = related
            .path
            .as_deref()
            .map_or(String::new(), |path| format!(" {}", escaped(path)));
        let _ = writeln!(out, "    see {}{path}", place(related));
    }
    if !finding.remedy.is_empty() {
        let _ = writeln!(
            out,
            "    {} {}",
            painted("fix:", DIM, is_colored),
            escaped(&finding.remedy)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;

    static SAMPLE: Rule = Rule {
        code: "GWX001",
        name: "sample",
        severity: Severity::Error,
        checks: "",
        why: "",
        fails: "",
        repaired: "",
        remedy: "mend it",
        source: "",
    };

    #[test]
    fn a_finding_names_place_rule_and_remedy_and_cannot_steer_the_terminal() {
        let finding = Finding::new(
            &SAMPLE,
            Location::at_path("a\u{1b}[2J.json", "$.x"),
            "bad `\u{7}`",
        );
        let text = render(
            &[Outcome::from_findings("sample check", vec![finding])],
            false,
        );
        assert_eq!(
            text,
            "a\\u{1b}[2J.json: GWX001 bad `\\u{7}`\n    at $.x\n    fix: mend it\nsample check FAILED: 1 finding\n"
        );
    }
}
