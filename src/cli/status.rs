//! `ledger status`: where a run stands, what blocks the next step, and the command to run next.
//!
//! In: the folder of a run. Its files are known by what is in them, not by their names. Out: a table
//! for people; in other formats an outcome with the same rows as conditions. A status is no gate: it
//! passes whatever it says.

use super::chain::shown;
use super::{Answer, Context};
use crate::detail::{Condition, ConditionState, Conditions, Detail};
use crate::dropin::parse_json;
use crate::error::Error;
use crate::gates::framework::{self, Schema};
use crate::ledger::{Ledger, merge};
use crate::outcome::{Input, Outcome};
use crate::report::Format;
use crate::value::json::Dialect;
use crate::value::{Text, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Files of a run folder that are looked into.
const MAX_FILES: usize = 1_000;

/// Arguments of `ledger status`.
#[derive(Debug, clap::Args)]
pub struct StatusArguments {
    /// Folder of the run.
    #[arg(value_name = "RUN")]
    run: PathBuf,
}

/// A file of the run and its text.
struct Found {
    path: PathBuf,
    text: String,
}

/// The files of a run by what is in them.
#[derive(Default)]
struct Files {
    framework: Option<Found>,
    manifest: Option<Found>,
    families: Option<Found>,
    plans: Vec<Found>,
    ledgers: Vec<(Found, Counts)>,
}

/// What a ledger holds.
#[derive(Clone, Debug, Default)]
struct Counts {
    findings: usize,
    present: usize,
    quotes_confirmed: usize,
    quotes_rejected: usize,
    verified: usize,
    checked: usize,
    by_issue: BTreeMap<String, BTreeMap<String, usize>>,
}

/// One line of the table.
struct Row {
    step: &'static str,
    text: String,
    state: ConditionState,
    note: String,
}

/// Run the command.
///
/// # Errors
/// When the folder cannot be read.
pub fn run(arguments: &StatusArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let (files, inputs) = look(&arguments.run)?;
    let (rows, next) = rows(&arguments.run, &files, context);
    let blocks: Vec<&Row> = rows
        .iter()
        .filter(|row| row.state == ConditionState::Unmet)
        .collect();
    let issues = files
        .ledgers
        .last()
        .map(|(_, counts)| counts.by_issue.clone())
        .unwrap_or_default();
    if context.format == Format::Text {
        return Ok(Answer::text(table(&rows, &issues, next.as_deref())));
    }
    let mut outcome = Outcome::from_findings("ledger status", Vec::new());
    outcome.summary = match (blocks.first(), &next) {
        (Some(row), _) => format!("{}: {}", row.text, row.note),
        (None, Some(next)) => format!("next: {next}"),
        (None, None) => "the run is complete".to_owned(),
    };
    outcome.inputs = inputs;
    outcome
        .facts
        .insert("next".to_owned(), serde_json::json!(next));
    outcome
        .facts
        .insert("results_by_issue".to_owned(), serde_json::json!(issues));
    let blocked: Vec<String> = blocks
        .iter()
        .map(|row| format!("{}: {}", row.text, row.note))
        .collect();
    outcome
        .facts
        .insert("blocks".to_owned(), serde_json::json!(blocked));
    let conditions = rows
        .into_iter()
        .map(|row| Condition {
            group: row.step.to_owned(),
            text: row.text,
            state: row.state,
            note: row.note,
        })
        .collect();
    outcome.details.push(Detail::Conditions(Conditions {
        title: "status".to_owned(),
        conditions,
    }));
    Ok(Answer::Outcomes(vec![outcome]))
}

/// Reads the JSON files of the folder itself; receipts and what is no JSON object are passed over.
fn look(run: &Path) -> Result<(Files, Vec<Input>), Error> {
    let failed = |error: &std::io::Error| Error::Read {
        kind: "run",
        name: shown(run),
        reason: crate::pytext::os_error(error, &shown(run)),
    };
    let mut paths = BTreeSet::new();
    for entry in std::fs::read_dir(run).map_err(|error| failed(&error))? {
        let path = entry.map_err(|error| failed(&error))?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if path.is_file()
            && path
                .extension()
                .is_some_and(|extension| extension == "json")
            && !name.ends_with(crate::ledger::receipt::SUFFIX)
        {
            paths.insert(path);
        }
        if paths.len() > MAX_FILES {
            return Err(Error::Unusable {
                name: shown(run),
                path: String::new(),
                reason: format!(
                    "more than {MAX_FILES} JSON files in it; name the folder of one run"
                ),
            });
        }
    }
    let mut files = Files::default();
    let mut inputs = Vec::new();
    for path in paths {
        let Ok(bytes) = crate::files::read(&path) else {
            continue;
        };
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        let Ok(ledger) = Ledger::read(&text) else {
            continue;
        };
        let has = |keys: &[&str]| keys.iter().all(|key| ledger.contains_key(key));
        let role = if has(&["lenses", "framework_version"]) {
            "framework"
        } else if has(&["documents", "counts"]) {
            "manifest"
        } else if has(&["jobs", "plan_id"]) {
            "checker_plan"
        } else if has(&["findings", "framework_version"]) {
            "findings"
        } else if has(&["families"]) {
            "families"
        } else {
            continue;
        };
        inputs.push(Input::new(role, shown(&path), text.as_bytes()));
        let counts = (role == "findings").then(|| count(&ledger));
        let is_plain_name = path
            .file_name()
            .is_some_and(|name| name == format!("{role}.json").as_str());
        let found = Found { path, text };
        let slot = match role {
            "framework" => &mut files.framework,
            "manifest" => &mut files.manifest,
            "families" => &mut files.families,
            "checker_plan" => {
                files.plans.push(found);
                continue;
            }
            _ => {
                files.ledgers.push((found, counts.unwrap_or_default()));
                continue;
            }
        };
        // Frozen versions lie beside the framework in use, which has the plain name.
        if slot.is_none() || is_plain_name {
            *slot = Some(found);
        }
    }
    // Stages add receipts and take none of an earlier stage away: the last ledger has the most.
    files.ledgers.sort_by_key(|(_, counts)| {
        (
            counts.quotes_confirmed + counts.quotes_rejected,
            counts.checked,
            counts.findings,
        )
    });
    Ok((files, inputs))
}

fn count(ledger: &Ledger<'_>) -> Counts {
    let mut counts = Counts::default();
    let Ok(findings) = ledger.findings() else {
        return counts;
    };
    for finding in findings {
        counts.findings += 1;
        let text = |value: Option<&Value<'_>>| {
            value
                .and_then(Value::as_text)
                .map(|text| text.to_display().into_owned())
        };
        let status = text(finding.get("status")).unwrap_or_default();
        let receipt = |key: &str| text(finding.get(key).and_then(|receipt| receipt.get("status")));
        let quote = receipt("quote_verification");
        let verification = receipt("verification");
        counts.quotes_rejected += usize::from(quote.as_deref() == Some("rejected"));
        counts.checked += usize::from(verification.is_some());
        if status == "present" {
            counts.present += 1;
            counts.quotes_confirmed += usize::from(quote.as_deref() == Some("confirmed"));
            counts.verified += usize::from(verification.as_deref() == Some("confirmed"));
        }
        let issue = text(finding.get("issue_id")).unwrap_or_default();
        *counts
            .by_issue
            .entry(issue)
            .or_default()
            .entry(status)
            .or_default() += 1;
    }
    counts
}

fn quoted(path: &Path) -> String {
    let text = shown(path);
    if text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c))
    {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The table and the command to run next.
fn rows(run: &Path, files: &Files, context: &Context<'_>) -> (Vec<Row>, Option<String>) {
    use ConditionState::{Met, NotChecked, Unmet};
    let mut rows = Vec::new();
    let mut next = None;
    let mut row = |step, text: &str, state, note: String| {
        rows.push(Row {
            step,
            text: text.to_owned(),
            state,
            note,
        });
    };
    match &files.framework {
        Some(found) => framework_rows(found, context, &mut row, &mut next),
        None => row(
            "framework",
            "framework is there",
            Unmet,
            "no framework in the folder".to_owned(),
        ),
    }
    match &files.manifest {
        Some(found) => row("units", "manifest is there", Met, shown(&found.path)),
        None => row(
            "units",
            "manifest is there",
            Unmet,
            "no manifest in the folder".to_owned(),
        ),
    }
    let Some((ledger_file, counts)) = files.ledgers.last() else {
        row(
            "results",
            "ledger is there",
            Unmet,
            "no findings ledger in the folder".to_owned(),
        );
        return (rows, next);
    };
    row(
        "results",
        "ledger is there",
        Met,
        format!(
            "{}: {} result(s), {} present",
            shown(&ledger_file.path),
            counts.findings,
            counts.present
        ),
    );
    let (Some(framework), Some(manifest)) = (&files.framework, &files.manifest) else {
        return (rows, next);
    };
    let families = files.families.as_ref().map(|found| found.path.as_path());
    let reconciled = super::ledger::reconcile(
        [&manifest.path, &ledger_file.path, &framework.path],
        families,
        &mut |_| !context.world.is_interrupted(),
    );
    let fact = |name: &str| {
        reconciled
            .as_ref()
            .ok()
            .and_then(|outcome| outcome.facts.get(name))
            .and_then(serde_json::Value::as_u64)
    };
    match (&reconciled, fact("results"), fact("expected_results")) {
        (Ok(outcome), Some(results), Some(expected)) => row(
            "results",
            "every issue has a result for every unit",
            if results >= expected { Met } else { Unmet },
            outcome.summary.clone(),
        ),
        (Ok(outcome), _, _) => row(
            "results",
            "every issue has a result for every unit",
            NotChecked,
            outcome.summary.clone(),
        ),
        (Err(error), _, _) => row(
            "results",
            "every issue has a result for every unit",
            Unmet,
            error.to_string(),
        ),
    }
    let open_quotes = counts.present - counts.quotes_confirmed;
    row(
        "quotes",
        "quotes are confirmed",
        if open_quotes == 0 { Met } else { Unmet },
        format!(
            "{} of {} present, {} rejected",
            counts.quotes_confirmed, counts.present, counts.quotes_rejected
        ),
    );
    if open_quotes > 0 {
        next = next.or_else(|| {
            Some(format!(
                "gatewright ledger quotes --findings {} --manifest {} --room-root ROOM --out {}",
                quoted(&ledger_file.path),
                quoted(&manifest.path),
                quoted(&run.join("findings.quoted.json"))
            ))
        });
        return (rows, next);
    }
    let open_checks = counts.present - counts.verified;
    if open_checks > 0 {
        plan_rows(run, files, ledger_file, framework, &mut row, &mut next);
    }
    row(
        "checkers",
        "present findings are verified",
        if open_checks == 0 { Met } else { Unmet },
        format!(
            "{} of {} verified, {} checked",
            counts.verified, counts.present, counts.checked
        ),
    );
    if let Ok(outcome) = &reconciled {
        let passed = outcome.status() == 0;
        row(
            "report",
            "ledger reconciles",
            if passed { Met } else { Unmet },
            format!("{} finding(s)", outcome.findings.len()),
        );
        // Before the checkers have returned there is nothing to run, only to wait for.
        if !passed && open_checks == 0 {
            next = next.or_else(|| {
                let families = families.map_or(String::new(), |path| format!(" --families {}", quoted(path)));
                Some(format!(
                    "gatewright ledger reconcile --manifest {} --findings {} --framework {}{families}",
                    quoted(&manifest.path),
                    quoted(&ledger_file.path),
                    quoted(&framework.path)
                ))
            });
        }
    }
    (rows, next)
}

fn framework_rows(
    found: &Found,
    context: &Context<'_>,
    row: &mut impl FnMut(&'static str, &str, ConditionState, String),
    next: &mut Option<String>,
) {
    use ConditionState::{Met, Unmet};
    let value = parse_json(found.text.as_bytes(), Dialect::TrailingComma).unwrap_or_default();
    let schema_value = parse_json(framework::DEFAULT_SCHEMA.as_bytes(), Dialect::TrailingComma)
        .unwrap_or_default();
    let schema = Schema::new(&schema_value);
    let name = shown(&found.path);
    let problems = framework::validate(&value, &schema, true, context.world.pattern_engine())
        .map_or(1, |report| report.problems.len());
    if problems == 0 {
        row("framework", "framework is valid", Met, name);
    } else {
        row(
            "framework",
            "framework is valid",
            Unmet,
            format!("{name}: {problems} problem(s)"),
        );
        *next = Some(format!(
            "gatewright framework check --allow-approved {}",
            quoted(&found.path)
        ));
    }
    let version = crate::pytext::str_of(value.get("framework_version").unwrap_or(&Value::Null));
    let is_approved = value.get("approved").is_some_and(Value::is_true);
    let note = format!("version {}", version.to_display());
    row(
        "framework",
        "framework is approved",
        if is_approved { Met } else { Unmet },
        note,
    );
}

/// Plan and results for a ledger whose findings are not verified yet.
fn plan_rows(
    run: &Path,
    files: &Files,
    ledger_file: &Found,
    framework: &Found,
    row: &mut impl FnMut(&'static str, &str, ConditionState, String),
    next: &mut Option<String>,
) {
    use ConditionState::{Met, Unmet};
    let Ok(ledger) = Ledger::read(&ledger_file.text) else {
        return;
    };
    let fitting = files.plans.iter().find_map(|found| {
        let plan = parse_json(found.text.as_bytes(), Dialect::TrailingComma).ok()?;
        merge::check_identity(&ledger, &plan).ok()?;
        let jobs = merge::check_coverage(&ledger, &plan).ok()?;
        Some((found, jobs))
    });
    let Some((plan, jobs)) = fitting else {
        let note = format!(
            "{} plan(s) in the folder, none for this ledger",
            files.plans.len()
        );
        row("checkers", "checker plan fits the ledger", Unmet, note);
        *next = next.take().or_else(|| {
            Some(format!(
                "gatewright ledger plan --findings {} --framework {} --out {}",
                quoted(&ledger_file.path),
                quoted(&framework.path),
                quoted(&run.join("checker-plan.json"))
            ))
        });
        return;
    };
    row(
        "checkers",
        "checker plan fits the ledger",
        Met,
        shown(&plan.path),
    );
    let planned: Vec<&Text<'_>> = jobs.iter().map(|(file, _)| file).collect();
    let folder = results_folder(run, &planned);
    let returned = folder.as_ref().map_or(0, |folder| {
        planned
            .iter()
            .filter(|file| folder.join(&*file.to_display()).is_file())
            .count()
    });
    row(
        "checkers",
        "every checker has returned",
        if returned == planned.len() {
            Met
        } else {
            Unmet
        },
        format!("{returned} of {}", planned.len()),
    );
    if returned == planned.len() {
        let folder = folder.unwrap_or_else(|| run.join("checker-results"));
        *next = next.take().or_else(|| {
            Some(format!(
                "gatewright ledger merge --findings {} --checker-plan {} --results-dir {} --out {}",
                quoted(&ledger_file.path),
                quoted(&plan.path),
                quoted(&folder),
                quoted(&run.join("findings.checked.json"))
            ))
        });
    }
}

/// The folder in the run that holds a planned result.
fn results_folder(run: &Path, planned: &[&Text<'_>]) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(run)
        .ok()?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders.into_iter().find(|folder| {
        planned
            .iter()
            .any(|file| folder.join(&*file.to_display()).is_file())
    })
}

fn table(
    rows: &[Row],
    issues: &BTreeMap<String, BTreeMap<String, usize>>,
    next: Option<&str>,
) -> String {
    let width = |of: fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let (step, text) = (
        width(|row| row.step.len()),
        width(|row| row.text.chars().count()),
    );
    let mut out = String::new();
    for row in rows {
        let mark = match row.state {
            ConditionState::Met => "yes",
            ConditionState::Unmet => "NO",
            ConditionState::NotChecked => "?",
        };
        let note = crate::report::text::escaped(&row.note);
        let _ = writeln!(
            out,
            "{:step$}  {:text$}  {mark:3}  {note}",
            row.step, row.text
        );
    }
    if !issues.is_empty() {
        let name = issues
            .keys()
            .map(|issue| issue.chars().count())
            .max()
            .unwrap_or(0)
            .max(5);
        let _ = writeln!(out, "\n{:name$}  present  absent  unresolved", "issue");
        for (issue, statuses) in issues {
            let of = |status: &str| statuses.get(status).copied().unwrap_or(0);
            let issue = crate::report::text::escaped(issue);
            let _ = writeln!(
                out,
                "{issue:name$}  {:7}  {:6}  {:10}",
                of("present"),
                of("absent"),
                of("unresolved")
            );
        }
    }
    let blocks: Vec<&Row> = rows
        .iter()
        .filter(|row| row.state == ConditionState::Unmet)
        .collect();
    out.push('\n');
    if let Some(row) = blocks.first() {
        let _ = writeln!(
            out,
            "blocked: not so: {} ({})",
            row.text,
            crate::report::text::escaped(&row.note)
        );
    }
    match next {
        Some(next) => {
            let _ = writeln!(out, "next: {}", crate::report::text::escaped(next));
        }
        None if blocks.is_empty() => out.push_str("the run is complete\n"),
        None => {}
    }
    out
}
