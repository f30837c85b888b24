//! What a file is, known by its content rather than by its name.
//!
//! In: a file's name and bytes. Out: its [`Kind`], or nothing. `init` lists files by it, `check` picks the gate.

use crate::value::front_matter::split_front_matter;
use crate::value::{Value, json};
use std::path::Path;

/// Kinds of files that a gate judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A checklist framework.
    Framework {
        /// Whether it is approved.
        is_approved: bool,
    },
    /// A findings ledger; by name too, since the chain writes other files of its shape.
    Ledger,
    /// A site blueprint.
    Blueprint,
    /// The assessment of a draft.
    Assessment,
    /// A reviewer's scorecard.
    Scorecard,
}

/// The kind of the file called `name` that holds `bytes`.
pub fn kind(name: &Path, bytes: &[u8]) -> Option<Kind> {
    let has_ending = |ending: &str| {
        name.extension()
            .is_some_and(|found| found.eq_ignore_ascii_case(ending))
    };
    if has_ending("md") {
        return is_scorecard(bytes).then_some(Kind::Scorecard);
    }
    // A name without an ending may be anything, e.g. standard input.
    if !has_ending("json") && name.extension().is_some() {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let Ok(Value::Object(object)) = json::parse(text) else {
        let may_be_card = name.extension().is_none() && is_scorecard(bytes);
        return may_be_card.then_some(Kind::Scorecard);
    };
    let has = |key: &str| object.get(key).is_some();
    if has("lenses") && has("framework_version") {
        Some(Kind::Framework {
            is_approved: matches!(object.get("approved"), Some(Value::Bool(true))),
        })
    } else if has("screens") && has("design_tokens") {
        Some(Kind::Blueprint)
    } else if has("gate_results") && has("recount") && has("observation_completeness") {
        Some(Kind::Assessment)
    } else if has("findings")
        && has("framework_version")
        && name.file_name().is_some_and(|name| name == "findings.json")
    {
        Some(Kind::Ledger)
    } else {
        None
    }
}

/// Whether a Markdown file opens with front matter that names a persona, a run and findings. Its
/// YAML may be broken: the gate says so better.
fn is_scorecard(bytes: &[u8]) -> bool {
    let Ok(parts) = split_front_matter(bytes) else {
        return false;
    };
    let head = String::from_utf8_lossy(parts.yaml);
    ["persona:", "run_id:", "findings:"]
        .iter()
        .all(|key| head.lines().any(|line| line.starts_with(key)))
}
