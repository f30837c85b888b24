//! `gatewright explain`: the rule registry for people.
//!
//! In: a code, or the folder of the rule pages. Out: a rule's page, the list of all, or every page as
//! a file: `docs/rules` is written so, and a test compares it with the registry.

use super::completed::rule_codes;
use super::{Answer, Context};
use crate::error::Error;
use crate::gates::rules;
use crate::report::Format;
use crate::report::rule_page::page;
use crate::rule::Rule;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Explain a rule.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Codes or names of rules, or the beginning of codes, e.g. GWF001 or GWC; without one all
    /// rules are listed.
    #[arg(value_name = "RULE", value_parser = rule_codes(), hide_possible_values = true)]
    codes: Vec<String>,
    /// Write the page of every rule, and an index of them, into this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "codes")]
    pages: Option<PathBuf>,
}

/// Print one rule, list all, or write the pages of all.
///
/// # Errors
/// When there is no such rule, or a page cannot be written.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    if let Some(folder) = &arguments.pages {
        return write_pages(folder);
    }
    let form = Form::of(context.format)?;
    if arguments.codes.is_empty() {
        return Ok(Answer::text(list(form)));
    }
    let mut rules: Vec<&'static Rule> = Vec::new();
    for code in &arguments.codes {
        for rule in meant(code)? {
            if !rules.iter().any(|known| known.code == rule.code) {
                rules.push(rule);
            }
        }
    }
    Ok(Answer::text(match (form, rules.as_slice()) {
        (Form::Json, [rule]) => json(&serde_json::json!({"version": 1, "rule": rule})),
        (Form::Json, rules) => json(&serde_json::json!({"version": 1, "rules": rules})),
        (Form::Page, rules) => {
            let pages: Vec<String> = rules.iter().map(|rule| page(rule)).collect();
            pages.join("\n")
        }
    }))
}

/// The rule called `code`, or every rule whose code begins so.
fn meant(code: &str) -> Result<Vec<&'static Rule>, Error> {
    if let Some(rule) = rules::find(code) {
        return Ok(vec![rule]);
    }
    let beginning = code.to_ascii_uppercase();
    let rules: Vec<&'static Rule> = rules::all()
        .filter(|rule| !beginning.is_empty() && rule.code.starts_with(&beginning))
        .collect();
    if rules.is_empty() {
        let near = nearest(code).map_or(String::new(), |rule| {
            format!("; did you mean `{}`?", rule.code)
        });
        return Err(Error::Usage(format!(
            "no rule `{}`{near} (gatewright explain lists them all)",
            crate::finding::excerpt(code)
        )));
    }
    Ok(rules)
}

/// Write `CODE.md` for every rule, and `index.md`.
fn write_pages(folder: &Path) -> Result<Answer, Error> {
    let failed = |path: &Path, error: &std::io::Error| {
        let name = path.display().to_string();
        Error::Write {
            reason: error.into(),
            name,
        }
    };
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let pages = rules::all().map(|rule| (format!("{}.md", rule.code), page(rule)));
    let mut count = 0;
    for (name, text) in pages.chain([("index.md".to_owned(), index())]) {
        let path = folder.join(name);
        crate::files::write_atomic(&path, text.as_bytes())
            .map_err(|error| failed(&path, &error))?;
        count += 1;
    }
    Ok(Answer::text(format!(
        "written {} to {}\n",
        crate::finding::counted(count, "page"),
        folder.display()
    )))
}

/// The list of all rules, as Markdown with links to their pages.
fn index() -> String {
    let mut out = "# Rules\n\n`gatewright explain CODE` prints the same pages.\n".to_owned();
    for (title, group) in rules::groups() {
        let _ = write!(out, "\n## {title}\n\n");
        for rule in *group {
            let _ = writeln!(
                out,
                "- [{0} {1}]({0}.md): {2}",
                rule.code, rule.name, rule.checks
            );
        }
    }
    out
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
            Format::Text | Format::Compact | Format::Markdown => Ok(Self::Page),
            Format::Json => Ok(Self::Json),
            Format::Sarif | Format::Junit | Format::Github | Format::Gitlab | Format::Html => Err(
                Error::Usage("rules are explained as text, markdown or json".to_owned()),
            ),
        }
    }
}

fn list(form: Form) -> String {
    if form == Form::Json {
        return json(&serde_json::json!({"version": 1, "rules": rules::all().collect::<Vec<_>>()}));
    }
    let width = rules::all().map(|rule| rule.code.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (title, group) in rules::groups() {
        let _ = writeln!(out, "{title}");
        for rule in *group {
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
    rules::all()
        .max_by_key(|rule| shared(rule))
        .filter(|rule| shared(rule) >= 3)
}
