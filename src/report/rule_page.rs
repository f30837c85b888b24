//! The page of a rule as Markdown: `explain` prints it, SARIF carries it as help, `docs/rules` holds it.
//!
//! In: a rule. Out: its page. Which rules there are is for `gates::rules`.

use crate::rule::{Rule, Severity};

/// The page of one rule, as Markdown: what `docs/rules` holds too.
pub fn page(rule: &Rule) -> String {
    format!(
        "# {} {}\n\nSeverity: {}\n\n## What it checks\n\n{}\n\n## Why\n\n{}\n\n## Fails\n\n```text\n{}\n```\n\n## Repaired\n\n```text\n{}\n```\n\n## Remedy\n\n{}\n\n## Source\n\n{}\n",
        rule.code,
        rule.name,
        match rule.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        rule.checks,
        rule.why,
        rule.fails,
        rule.repaired,
        rule.remedy,
        rule.source,
    )
}
