//! The Markdown report, for a pull-request comment: a table of gates, then the findings of each.
//!
//! Untrusted text can start no markup, mention nobody, link nowhere. A comment has a size limit,
//! so the findings beyond it are counted instead of shown.

use super::{
    Piece, headline, pieces, summary,
    text::{escaped, place},
};
use crate::finding::{Finding, counted};
use crate::outcome::{Outcome, Verdict};
use crate::rule::Severity;
use std::fmt::Write as _;

/// Largest report in bytes; the platform's limit is 65,536 characters.
const LIMIT: usize = 60_000;
/// Findings of one gate beyond this are folded away.
const OPEN_FINDINGS: usize = 20;

/// The report of `outcomes`.
pub fn render(outcomes: &[Outcome]) -> String {
    let sign = if outcomes.iter().all(|outcome| outcome.status() == 0) {
        "✅"
    } else {
        "❌"
    };
    let mut out = format!("## {sign} gatewright: {}\n", headline(outcomes));
    if !outcomes.is_empty() {
        out.push_str("\n| gate | verdict | findings | summary |\n| --- | --- | ---: | --- |\n");
    }
    let mut hidden_gates = 0_usize;
    for outcome in outcomes {
        let verdict = match outcome.verdict {
            Verdict::Passed => "✅ passed",
            Verdict::Failed => "❌ failed",
            Verdict::Undecided => "⛔ could not run",
        };
        let row = format!(
            "| {} | {verdict} | {} | {} |\n",
            escape(&escaped(&outcome.title())),
            outcome.findings.len(),
            inline(&summary(outcome))
        );
        if out.len() + row.len() > LIMIT / 2 {
            hidden_gates += 1;
        } else {
            out.push_str(&row);
        }
    }
    if hidden_gates > 0 {
        let _ = writeln!(out, "\n… and {}.", counted(hidden_gates, "more gate"));
    }
    let mut hidden = 0_usize;
    for outcome in outcomes {
        if outcome.findings.is_empty() {
            continue;
        }
        let is_folded = outcome.findings.len() > OPEN_FINDINGS;
        let mut block = format!("\n### {}\n\n", escape(&escaped(&outcome.title())));
        if is_folded {
            let _ = write!(
                block,
                "<details><summary>{}</summary>\n\n",
                counted(outcome.findings.len(), "finding")
            );
        }
        let mut shown = 0_usize;
        for finding in &outcome.findings {
            let line = item(finding);
            if out.len() + block.len() + line.len() > LIMIT {
                break;
            }
            block.push_str(&line);
            shown += 1;
        }
        hidden += outcome.findings.len() - shown;
        if shown > 0 {
            out.push_str(&block);
            if is_folded {
                out.push_str("\n</details>\n");
            }
        }
    }
    if hidden > 0 {
        let _ = writeln!(
            out,
            "\n… and {} that do not fit a comment.",
            counted(hidden, "more finding")
        );
    }
    out
}

fn item(finding: &Finding) -> String {
    let sign = match finding.severity {
        Severity::Error => "❌",
        Severity::Warning => "⚠️",
        Severity::Note => "ℹ️",
    };
    let mut out = format!(
        "- {sign} **{}** <code>{}</code>: {}\n",
        escape(finding.rule.code),
        escape(&place(&finding.at)),
        inline(&escaped(&finding.message))
    );
    if let Some(path) = &finding.at.path {
        let _ = writeln!(out, "  <br>at <code>{}</code>", escape(&escaped(path)));
    }
    if !finding.remedy.is_empty() {
        let _ = writeln!(out, "  <br>fix: {}", inline(&escaped(&finding.remedy)));
    }
    out
}

/// Untrusted one-line text, its backticked parts as code.
fn inline(text: &str) -> String {
    pieces(text)
        .into_iter()
        .map(|Piece { text, is_code }| {
            if is_code {
                format!("<code>{}</code>", escape(text))
            } else {
                escape(text)
            }
        })
        .collect()
}

/// Untrusted text that no longer means anything to Markdown, HTML or the platform.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A zero-width space ends what would mention a person or an issue; the mark itself
            // as a reference does not, since references are resolved before mentions are sought.
            '@' => out.push_str("@&#8203;"),
            '#' => out.push_str("#&#8203;"),
            // No bare address becomes a link, no name an emoji.
            ':' => out.push_str("&#58;"),
            '.' if out.ends_with("www") || out.ends_with("WWW") => out.push_str("&#46;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out
}
