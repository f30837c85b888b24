//! The text report for people: a line per finding with its place, then what to do, then a summary.
//!
//! `FILE:LINE:COLUMN: SEVERITY CODE message` so that editors can jump; the value's path and the remedy
//! on lines of their own; control characters of untrusted text are escaped. Of one rule only so many
//! findings are shown; the rest is counted in one line.

use super::Style;
use crate::finding::{Finding, Location, counted};
use crate::outcome::{Outcome, Verdict};
use crate::rule::Severity;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const RED: &str = "\u{1b}[31m";
const YELLOW: &str = "\u{1b}[33m";
const GREEN: &str = "\u{1b}[32m";
const BOLD: &str = "\u{1b}[1m";
const DIM: &str = "\u{1b}[2m";
const RESET: &str = "\u{1b}[0m";

/// The report of `outcomes`.
pub fn render(outcomes: &[Outcome], style: &Style) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        render_outcome(&mut out, outcome, style);
    }
    if outcomes.len() > 1 && !(style.is_quiet && all_passed(outcomes)) {
        let _ = writeln!(
            out,
            "{}",
            painted(&super::headline(outcomes), BOLD, style.is_colored)
        );
    }
    out
}

fn all_passed(outcomes: &[Outcome]) -> bool {
    outcomes
        .iter()
        .all(|outcome| outcome.verdict == Verdict::Passed)
}

/// The number of findings by rule instead of the findings, the commonest first.
pub fn statistics(outcomes: &[Outcome], style: &Style) -> String {
    let mut counts: BTreeMap<&str, (usize, &Finding)> = BTreeMap::new();
    for finding in outcomes.iter().flat_map(|outcome| &outcome.findings) {
        counts.entry(finding.rule.code).or_insert((0, finding)).0 += 1;
    }
    let mut rows: Vec<(usize, &Finding)> = counts.into_values().collect();
    // A stable sort: rules with as many findings stay in the order of their codes.
    rows.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let width = rows.first().map_or(0, |(count, _)| count.to_string().len());
    let mut out = String::new();
    for (count, finding) in rows {
        let _ = writeln!(
            out,
            "{count:>width$}  {} {} {}",
            painted(
                finding.rule.code,
                color_of(finding.severity),
                style.is_colored
            ),
            finding.rule.name,
            painted(word_of(finding.severity), DIM, style.is_colored),
        );
    }
    let _ = writeln!(
        out,
        "{}",
        painted(&super::headline(outcomes), BOLD, style.is_colored)
    );
    out
}

/// The severity as a word: colour alone tells nothing to who cannot see it.
pub fn word_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn color_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Note => DIM,
    }
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

/// `FILE:LINE:COLUMN (page PAGE)`, as much of it as is known.
pub fn place(at: &Location) -> String {
    let mut place = escaped(&at.source);
    if let Some(start) = at.start {
        let _ = write!(place, ":{}:{}", start.line, start.column);
    }
    if let Some(page) = at.page {
        let _ = write!(place, " (page {page})");
    }
    place
}

/// The place with the colon behind it; nothing where no place is known.
pub fn headed(at: &Location) -> String {
    let place = place(at);
    if place.is_empty() {
        place
    } else {
        format!("{place}: ")
    }
}

fn painted(text: &str, color: &str, is_colored: bool) -> String {
    if is_colored {
        format!("{color}{text}{RESET}")
    } else {
        text.to_owned()
    }
}

fn render_outcome(out: &mut String, outcome: &Outcome, style: &Style) {
    let is_colored = style.is_colored;
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in &outcome.findings {
        let count = shown.entry(finding.rule.code).or_default();
        *count += 1;
        if style.most_per_rule.is_none_or(|most| *count <= most) {
            render_finding(out, finding, is_colored);
        }
    }
    for (code, count) in shown {
        let hidden = count.saturating_sub(style.most_per_rule.unwrap_or(count));
        if hidden > 0 {
            let _ = writeln!(
                out,
                "{code}: {} more, not shown (--max-findings 0 shows all)",
                counted(hidden, "finding")
            );
        }
    }
    let (word, color) = match outcome.verdict {
        Verdict::Passed if style.is_quiet => return,
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
    let color = color_of(finding.severity);
    let _ = writeln!(
        out,
        "{}{} {} {}",
        painted(&headed(&finding.at), BOLD, is_colored),
        painted(word_of(finding.severity), color, is_colored),
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
            &Style::default(),
        );
        assert_eq!(
            text,
            "a\\u{1b}[2J.json: error GWX001 bad `\\u{7}`\n    at $.x\n    fix: mend it\nsample check FAILED: 1 finding\n"
        );
    }

    #[test]
    fn what_is_too_much_of_one_rule_is_counted_and_quiet_shows_no_pass() {
        let finding = || Finding::new(&SAMPLE, Location::of_source("a.json"), "bad");
        let failed = Outcome::from_findings("x check", (0..5).map(|_| finding()).collect());
        let style = Style {
            most_per_rule: Some(2),
            is_quiet: true,
            ..Style::default()
        };
        let passed = Outcome::from_findings("y check", Vec::new());
        let text = render(&[failed.clone(), passed.clone()], &style);
        assert_eq!(text.matches("error GWX001 bad").count(), 2);
        assert!(text.contains("GWX001: 3 findings more, not shown (--max-findings 0 shows all)\n"));
        assert!(!text.contains("y check"));
        assert!(text.ends_with("1 of 2 gates failed\n"));
        assert_eq!(render(&[passed.clone(), passed], &style), "");
        assert_eq!(
            statistics(&[failed], &style),
            "5  GWX001 sample error\n1 of 1 gate failed\n"
        );
    }
}
