//! The `JUnit` XML report, for CI test reports: a suite per gate, a case per finding and per input
//! without a deciding finding.
//!
//! Names say what a case is about, never its line, and are numbered where they would repeat: a report can
//! then be held against the one before it. Times are those of the gates.
//!
//! A deciding finding is a failure; a warning or note passes and says its text as output. Text is
//! escaped twice over: control characters visibly, then XML's own; what XML 1.0 cannot hold at all
//! becomes U+FFFD.

use super::text::{escaped, place};
use crate::finding::Finding;
use crate::outcome::{Outcome, Verdict};
use crate::rule::Severity;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// The report of `outcomes`.
pub fn render(outcomes: &[Outcome]) -> String {
    let mut names = BTreeMap::new();
    let suites: Vec<Suite> = outcomes
        .iter()
        .map(|outcome| suite(outcome, &mut names))
        .collect();
    let elapsed: Duration = outcomes.iter().filter_map(|outcome| outcome.elapsed).sum();
    let tests: usize = suites.iter().map(|suite| suite.tests).sum();
    let failures: usize = suites.iter().map(|suite| suite.failures).sum();
    let errors: usize = suites.iter().map(|suite| suite.errors).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites name=\"gatewright\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{}\">",
        seconds(elapsed)
    );
    for suite in suites {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{}\">\n{}  </testsuite>",
            suite.name,
            suite.tests,
            suite.failures,
            suite.errors,
            seconds(suite.elapsed),
            suite.cases
        );
    }
    out.push_str("</testsuites>\n");
    out
}

#[derive(Default)]
struct Suite {
    name: String,
    tests: usize,
    failures: usize,
    errors: usize,
    elapsed: Duration,
    cases: String,
    /// How often a name was given.
    names: BTreeMap<String, usize>,
}

impl Suite {
    fn push(&mut self, name: &str, body: &str) {
        self.tests += 1;
        // A gate decides all at once: its time is the first case's.
        let elapsed = if self.tests == 1 {
            self.elapsed
        } else {
            Duration::ZERO
        };
        let name = unique(name.to_owned(), &mut self.names);
        let opening = format!(
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
            self.name,
            xml(&name),
            seconds(elapsed)
        );
        self.cases.push_str(&opening);
        if body.is_empty() {
            self.cases.push_str("/>\n");
        } else {
            let _ = write!(self.cases, ">\n{body}    </testcase>\n");
        }
    }

    fn push_failure(&mut self, name: &str, kind: &str, message: &str, text: &str) {
        self.failures += 1;
        self.push_fault("failure", name, kind, message, text);
    }

    fn push_fault(&mut self, element: &str, name: &str, kind: &str, message: &str, text: &str) {
        let body = format!(
            "      <{element} type=\"{}\" message=\"{}\">{}</{element}>\n",
            xml(kind),
            xml(message),
            xml(text)
        );
        self.push(name, &body);
    }
}

/// Seconds as the schema wants them: digits and a point.
fn seconds(elapsed: Duration) -> String {
    if elapsed.is_zero() {
        "0".to_owned()
    } else {
        format!("{:.3}", elapsed.as_secs_f64())
    }
}

/// `name`, with a number when it was given before.
fn unique(name: String, names: &mut BTreeMap<String, usize>) -> String {
    let count = names.entry(name.clone()).or_default();
    *count += 1;
    if *count == 1 {
        name
    } else {
        format!("{name} #{count}")
    }
}

/// What a finding is about: its rule, file and message, without lines and list positions, which move.
fn case_name(finding: &Finding) -> String {
    let about = format!("{} {}", finding.rule.code, escaped(&finding.at.source));
    let message = crate::finding::without_positions(&finding.message);
    format!(
        "{}: {}",
        about.trim_end(),
        escaped(&crate::finding::excerpt(&message))
    )
}

fn suite(outcome: &Outcome, names: &mut BTreeMap<String, usize>) -> Suite {
    let mut suite = Suite {
        name: xml(&unique(escaped(&outcome.title()), names)),
        elapsed: outcome.elapsed.unwrap_or_default(),
        ..Suite::default()
    };
    for finding in &outcome.findings {
        let name = case_name(finding);
        let message = escaped(&finding.message);
        match finding.severity {
            Severity::Error if outcome.verdict == Verdict::Undecided => {
                suite.errors += 1;
                suite.push_fault(
                    "error",
                    &name,
                    finding.rule.code,
                    &message,
                    &explained(finding),
                );
            }
            Severity::Error => {
                suite.push_failure(&name, finding.rule.code, &message, &explained(finding));
            }
            Severity::Warning | Severity::Note => {
                let body = format!(
                    "      <system-out>{}</system-out>\n",
                    xml(&format!("{message}\n{}", explained(finding)))
                );
                suite.push(&name, &body);
            }
        }
    }
    for input in &outcome.inputs {
        let is_faulty = outcome
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Error && finding.at.source == input.name);
        if !is_faulty {
            suite.push(&format!("{} {}", input.role, escaped(&input.name)), "");
        }
    }
    // A suite that agrees with the verdict even when nothing above does.
    match outcome.verdict {
        Verdict::Failed if suite.failures == 0 => {
            let summary = super::summary(outcome);
            suite.push_failure("verdict", "verdict", &summary, &summary);
        }
        Verdict::Passed if suite.tests == 0 => suite.push("verdict", ""),
        Verdict::Undecided if suite.errors == 0 => {
            let summary = super::summary(outcome);
            suite.errors += 1;
            suite.push_fault("error", "verdict", "verdict", &summary, &summary);
        }
        Verdict::Passed | Verdict::Failed | Verdict::Undecided => {}
    }
    suite
}

fn explained(finding: &Finding) -> String {
    let mut lines = vec![place(&finding.at)];
    if let Some(path) = &finding.at.path {
        lines.push(format!("at {}", escaped(path)));
    }
    for related in &finding.related {
        let path = related.path.as_deref().map(escaped).unwrap_or_default();
        lines.push(
            format!("see {} {path}", place(related))
                .trim_end()
                .to_owned(),
        );
    }
    if !finding.remedy.is_empty() {
        lines.push(format!("fix: {}", escaped(&finding.remedy)));
    }
    lines.join("\n")
}

/// `text` for an attribute or an element of XML 1.0.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(character),
            '\u{0}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            _ => out.push(character),
        }
    }
    out
}
