//! `gatewright explain`: the rule registry for people.

use super::{Answer, Context};
use crate::error::Error;
use crate::report::Format;
use crate::rule::{self, Rule};
use std::fmt::Write as _;

/// Explain a rule.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Code or name of a rule, e.g. GWF001; without it all rules are listed.
    code: Option<String>,
}

/// Print one rule, or list all.
///
/// # Errors
/// When there is no such rule.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    let form = Form::of(context.format)?;
    let Some(code) = &arguments.code else {
        return Ok(Answer::text(list(form)));
    };
    let rule = rule::find(code).ok_or_else(|| {
        let near = nearest(code).map_or(String::new(), |rule| {
            format!("; did you mean `{}`?", rule.code)
        });
        Error::Usage(format!(
            "no rule `{}`{near} (gatewright explain lists them all)",
            crate::finding::excerpt(code)
        ))
    })?;
    Ok(Answer::text(match form {
        Form::Json => json(&serde_json::json!({"version": 1, "rule": rule})),
        Form::Page => page(rule),
    }))
}

fn json(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// The formats that rules are explained in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Markdown, which reads as text too.
    Page,
    /// The registry's entries.
    Json,
}

impl Form {
    fn of(format: Format) -> Result<Self, Error> {
        match format {
            Format::Text | Format::Markdown => Ok(Self::Page),
            Format::Json => Ok(Self::Json),
            Format::Sarif | Format::Junit | Format::Github | Format::Html => Err(Error::Usage(
                "rules are explained as text, markdown or json".to_owned(),
            )),
        }
    }
}

fn list(form: Form) -> String {
    if form == Form::Json {
        return json(&serde_json::json!({"version": 1, "rules": rule::all().collect::<Vec<_>>()}));
    }
    let width = rule::all().map(|rule| rule.code.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (title, rules) in rule::groups() {
        let _ = writeln!(out, "{title}");
        for rule in *rules {
            let _ = writeln!(out, "  {:width$}  {}", rule.code, rule.name);
        }
    }
    out
}

/// The rule whose code shares the longest beginning with `code`.
fn nearest(code: &str) -> Option<&'static Rule> {
    let shared = |rule: &Rule| {
        rule.code
            .chars()
            .zip(code.chars())
            .take_while(|(left, right)| left.eq_ignore_ascii_case(right))
            .count()
    };
    rule::all()
        .max_by_key(|rule| shared(rule))
        .filter(|rule| shared(rule) >= 3)
}

/// The page of one rule, as Markdown: what `docs/rules` holds too.
pub fn page(rule: &Rule) -> String {
    format!(
        "# {} {}\n\nSeverity: {}\n\n## What it checks\n\n{}\n\n## Why\n\n{}\n\n## Fails\n\n```text\n{}\n```\n\n## Repaired\n\n```text\n{}\n```\n\n## Remedy\n\n{}\n\n## Source\n\n{}\n",
        rule.code,
        rule.name,
        match rule.severity {
            rule::Severity::Error => "error",
            rule::Severity::Warning => "warning",
            rule::Severity::Note => "note",
        },
        rule.checks,
        rule.why,
        rule.fails,
        rule.repaired,
        rule.remedy,
        rule.source,
    )
}
