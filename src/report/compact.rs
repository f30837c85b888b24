//! The compact report for models: one line a finding, nothing twice.
//!
//! `FILE:LINE:COLUMN: CODE message; fix: remedy`. Findings that differ in place alone share a line with
//! the other places behind it; a remedy is said once for a rule. A gate that did not pass ends with a line of
//! its own, one that passed says so only when nothing is asked to be quiet.

use super::Style;
use super::text::{escaped, headed, place};
use crate::finding::{Finding, counted};
use crate::outcome::{Outcome, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Further places that are named; the rest is counted.
const PLACES_SHOWN: usize = 5;

/// The report of `outcomes`.
pub fn render(outcomes: &[Outcome], style: &Style) -> String {
    let mut out = String::new();
    let mut said = BTreeSet::new();
    for outcome in outcomes {
        findings(&mut out, outcome, style, &mut said);
        let word = match outcome.verdict {
            Verdict::Passed if style.is_quiet => continue,
            Verdict::Passed => "passed",
            Verdict::Failed => "FAILED",
            Verdict::Undecided => "could not run",
        };
        let _ = writeln!(
            out,
            "{} {word}: {}",
            outcome.title(),
            super::summary(outcome)
        );
    }
    out
}

fn findings<'o>(
    out: &mut String,
    outcome: &'o Outcome,
    style: &Style,
    said: &mut BTreeSet<(&'static str, &'o str)>,
) {
    let mut groups: Vec<Vec<&'o Finding>> = Vec::new();
    let mut index: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
    for finding in &outcome.findings {
        let key = (
            finding.rule.code,
            finding.message.as_str(),
            finding.remedy.as_str(),
        );
        let at = *index.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for group in groups {
        let Some((first, others)) = group.split_first() else {
            continue;
        };
        let count = shown.entry(first.rule.code).or_default();
        *count += 1;
        if style.most_per_rule.is_some_and(|most| *count > most) {
            continue;
        }
        line(out, first, others);
        if !first.remedy.is_empty() && said.insert((first.rule.code, first.remedy.as_str())) {
            let _ = write!(out, "; fix: {}", escaped(&first.remedy));
        }
        out.push('\n');
    }
    for (code, count) in shown {
        let hidden = count.saturating_sub(style.most_per_rule.unwrap_or(count));
        if hidden > 0 {
            let _ = writeln!(out, "{code}: {hidden} more not shown");
        }
    }
}

/// The line of equal findings, without remedy and line end.
fn line(out: &mut String, first: &Finding, others: &[&Finding]) {
    // Where there is no line to jump to, the value's path is the place.
    let path = first
        .at
        .path
        .as_deref()
        .filter(|_| first.at.start.is_none());
    match path {
        Some(path) => {
            let _ = write!(out, "{} {}: ", place(&first.at), escaped(path));
        }
        None => out.push_str(&headed(&first.at)),
    }
    let _ = write!(out, "{} {}", first.rule.code, escaped(&first.message));
    if !others.is_empty() {
        let places: Vec<String> = others
            .iter()
            .take(PLACES_SHOWN)
            .map(|finding| elsewhere(first, finding))
            .collect();
        let rest = if others.len() > PLACES_SHOWN {
            ", …"
        } else {
            ""
        };
        let _ = write!(
            out,
            " (and {}: {}{rest})",
            counted(others.len(), "more place"),
            places.join(", ")
        );
    }
    for related in &first.related {
        let _ = write!(out, "; see {}", place(related));
    }
}

/// The place of `other`, without the file that `first` has named.
fn elsewhere(first: &Finding, other: &Finding) -> String {
    match other.at.start {
        Some(start) if other.at.source == first.at.source => {
            format!("{}:{}", start.line, start.column)
        }
        _ => other
            .at
            .path
            .as_deref()
            .filter(|_| other.at.source == first.at.source)
            .map_or_else(|| place(&other.at), escaped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Location;
    use crate::rule::{Rule, Severity};

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
    fn equal_findings_are_one_line_and_a_remedy_is_said_once() {
        let at = |path: &str| Location::at_path("a.json", path);
        let outcome = Outcome::from_findings(
            "sample check",
            vec![
                Finding::new(&SAMPLE, at("$.x"), "bad `1`"),
                Finding::new(&SAMPLE, at("$.y"), "bad `1`"),
                Finding::new(&SAMPLE, at("$.z"), "bad `2`"),
            ],
        );
        assert_eq!(
            render(std::slice::from_ref(&outcome), &Style::default()),
            "a.json $.x: GWX001 bad `1` (and 1 more place: $.y); fix: mend it\n\
             a.json $.z: GWX001 bad `2`\n\
             sample check FAILED: 3 findings\n"
        );
        let style = Style {
            most_per_rule: Some(1),
            ..Style::default()
        };
        assert!(render(&[outcome], &style).contains("\nGWX001: 1 more not shown\n"));
        let passed = Outcome::from_findings("sample check", Vec::new());
        let style = Style {
            is_quiet: true,
            ..Style::default()
        };
        assert_eq!(render(&[passed], &style), "");
    }
}
