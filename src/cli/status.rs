//! `ledger status`: where a run stands, what blocks the next step, and the command to run next.
//!
//! In: the folder of a run. Its files are known by what is in them, not by their names. Out: a table
//! for people; in other formats an outcome with the same rows as conditions. A status is no gate: it
//! passes whatever it says, except over a folder that holds nothing of a run.

use super::chain::shown;
use super::run_folder::{self, Counts, Files, Found, Room};
use super::{Answer, Context};
use crate::detail::{Condition, ConditionState, Conditions, Detail};
use crate::dropin::parse_json;
use crate::error::Error;
use crate::finding::counted;
use crate::gates::chain::{Ledger, Listing, merge, readback};
use crate::gates::framework::{self, Schema};
use crate::invariant::Invariant as _;
use crate::outcome::{Outcome, Verdict};
use crate::report::Format;
use crate::value::json::Dialect;
use crate::value::{Text, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `ledger status`.
#[derive(Debug, clap::Args)]
pub struct StatusArguments {
    /// Folder of the run.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Folder that the manifest's paths start from, when it is neither in the run folder nor beside it.
    #[arg(long, value_name = "DIR")]
    room: Option<PathBuf>,
}

/// One line of the table.
struct Row {
    step: &'static str,
    text: String,
    state: ConditionState,
    note: String,
}

/// Where a run stands.
#[derive(Default)]
struct Standing {
    rows: Vec<Row>,
    /// The command to run next.
    next: Option<String>,
    /// What only people or agents can bring before there is a command to run.
    needed: Option<String>,
}

impl Standing {
    fn row(&mut self, step: &'static str, text: &str, is_met: bool, note: impl Into<String>) {
        let state = if is_met {
            ConditionState::Met
        } else {
            ConditionState::Unmet
        };
        self.rows.push(Row {
            step,
            text: text.to_owned(),
            state,
            note: note.into(),
        });
    }

    /// The first thing that blocks decides what comes next.
    fn then(&mut self, command: String) {
        if self.next.is_none() && self.needed.is_none() {
            self.next = Some(command);
        }
    }

    fn wait_for(&mut self, what: String) {
        if self.next.is_none() && self.needed.is_none() {
            self.needed = Some(what);
        }
    }

    fn blocks(&self) -> impl Iterator<Item = &Row> {
        self.rows
            .iter()
            .filter(|row| row.state == ConditionState::Unmet)
    }
}

/// Run the command.
///
/// # Errors
/// When the folder cannot be read.
pub fn run(arguments: &StatusArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let (files, inputs) = run_folder::look(&arguments.run)?;
    let standing = standing(arguments, &files, context);
    let issues = files
        .ledgers
        .last()
        .map(|(_, counts)| counts.by_issue.clone())
        .unwrap_or_default();
    if context.format == Format::Text {
        return Ok(Answer::Text {
            stdout: table(&arguments.run, &standing, &issues),
            stderr: String::new(),
            // A folder that holds nothing of a run is most likely the wrong one.
            status: u8::from(files.is_empty()),
        });
    }
    let mut outcome = Outcome::from_findings("ledger status", Vec::new());
    if files.is_empty() {
        outcome.verdict = Verdict::Failed;
    }
    outcome.summary = match (standing.blocks().next(), &standing.next) {
        (Some(row), _) => format!("{}: {}", row.text, row.note),
        (None, Some(next)) => format!("next: {next}"),
        (None, None) => "every step is there as the ledger has it, and nothing was derived again: gatewright ledger check decides".to_owned(),
    };
    outcome.inputs = inputs;
    let blocked: Vec<String> = standing
        .blocks()
        .map(|row| format!("{}: {}", row.text, row.note))
        .collect();
    for (fact, value) in [
        ("next", serde_json::json!(standing.next)),
        ("needed", serde_json::json!(standing.needed)),
        ("results_by_issue", serde_json::json!(issues)),
        ("blocks", serde_json::json!(blocked)),
    ] {
        outcome.facts.insert(fact.to_owned(), value);
    }
    let conditions = standing
        .rows
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

/// A path as a word for a shell.
pub(super) fn quoted(path: &Path) -> String {
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

/// The rows and what comes next.
fn standing(arguments: &StatusArguments, files: &Files, context: &Context<'_>) -> Standing {
    let run = arguments.run.as_path();
    let mut standing = Standing::default();
    if let Some(found) = &files.framework {
        framework_rows(run, found, files, context, &mut standing);
    } else if !broken(
        files,
        "framework",
        "framework is there",
        "framework",
        &mut standing,
    ) {
        let path = run.join("framework.json");
        standing.row(
            "framework",
            "framework is there",
            false,
            "no framework in the folder",
        );
        standing.wait_for(format!(
            "{}, the framework compiled from the checklist; try it with: gatewright framework check {}",
            shown(&path),
            quoted(&path)
        ));
    }
    if let Some(found) = &files.manifest {
        standing.row("units", "manifest is there", true, shown(&found.path));
    } else if !broken(
        files,
        "units",
        "manifest is there",
        "manifest",
        &mut standing,
    ) {
        standing.row(
            "units",
            "manifest is there",
            false,
            "no manifest in the folder",
        );
        standing.wait_for(format!(
            "{}, the manifest of the room: `documents`, each with id, path and readability, and `counts` with files",
            shown(&run.join("manifest.json"))
        ));
    }
    for (path, changed) in &files.stale {
        standing.row(
            "results",
            "derived files are up to date",
            false,
            format!("{} was derived from another {changed}", shown(path)),
        );
    }
    let Some((ledger_file, counts)) = files.ledgers.last() else {
        if broken(
            files,
            "results",
            "ledger is there",
            "findings",
            &mut standing,
        ) {
            return standing;
        }
        standing.row(
            "results",
            "ledger is there",
            false,
            "no findings ledger in the folder",
        );
        standing.wait_for(format!(
            "{}, the findings of the workers: one result for every issue and reviewable unit",
            shown(&run.join("findings.json"))
        ));
        return standing;
    };
    standing.row(
        "results",
        "ledger is there",
        true,
        format!(
            "{}: {}, {} present",
            shown(&ledger_file.path),
            counted(counts.findings, "result"),
            counts.present
        ),
    );
    if let (Some(framework), Some(manifest)) = (&files.framework, &files.manifest) {
        let input = Stage {
            arguments,
            files,
            ledger_file,
            counts,
            framework,
            manifest,
        };
        ledger_rows(&input, context, &mut standing);
    }
    standing
}

/// The row for a file called `name` that is there and cannot be read; nothing when there is none.
fn broken(
    files: &Files,
    step: &'static str,
    text: &str,
    name: &str,
    standing: &mut Standing,
) -> bool {
    let Some((path, why)) = files.broken(name) else {
        return false;
    };
    let path = shown(path);
    standing.row(step, text, false, format!("{path} cannot be read: {why}"));
    standing.wait_for(format!("{path} whole again: {why}"));
    true
}

/// A ledger and what belongs to it.
struct Stage<'s> {
    arguments: &'s StatusArguments,
    files: &'s Files,
    ledger_file: &'s Found,
    counts: &'s Counts,
    framework: &'s Found,
    manifest: &'s Found,
}

/// Coverage, quotes, checkers and report of the ledger that has come furthest.
fn ledger_rows(stage: &Stage<'_>, context: &Context<'_>, standing: &mut Standing) {
    let Stage {
        arguments,
        files,
        ledger_file,
        counts,
        framework,
        manifest,
    } = *stage;
    let families = files.families.as_ref().map(|found| found.path.as_path());
    let reconciled = super::ledger::reconcile(
        [&manifest.path, &ledger_file.path, &framework.path],
        families,
        &mut |_| !context.world.is_interrupted(),
    );
    let reconcile = format!(
        "gatewright ledger reconcile --manifest {} --findings {} --framework {}{}",
        quoted(&manifest.path),
        quoted(&ledger_file.path),
        quoted(&framework.path),
        families.map_or(String::new(), |path| format!(
            " --families {}",
            quoted(path)
        ))
    );
    let covered = "every issue has a result for every unit";
    match &reconciled {
        Ok(outcome) => {
            let fact = |name: &str| outcome.facts.get(name).and_then(serde_json::Value::as_u64);
            let is_covered = fact("results") >= fact("expected_results");
            standing.row("results", covered, is_covered, outcome.summary.clone());
            if !is_covered {
                standing.then(reconcile.clone());
            }
        }
        Err(error) => {
            standing.row("results", covered, false, error.to_string());
            standing.then(reconcile.clone());
        }
    }
    let open_quotes = counts.present - counts.quotes_confirmed;
    standing.row(
        "quotes",
        "quotes are confirmed",
        open_quotes == 0,
        format!(
            "{} of {} present, {} rejected",
            counts.quotes_confirmed, counts.present, counts.quotes_rejected
        ),
    );
    if open_quotes > 0 {
        quotes_next(stage, standing);
        return;
    }
    let open_checks = counts.present - counts.verified;
    if open_checks > 0 {
        plan_rows(&arguments.run, files, ledger_file, framework, standing);
    }
    standing.row(
        "checkers",
        "present findings are verified",
        open_checks == 0,
        format!(
            "{} of {} verified, {} checked",
            counts.verified, counts.present, counts.checked
        ),
    );
    if let Ok(outcome) = &reconciled {
        let is_passed = outcome.verdict == Verdict::Passed;
        let note = counted(outcome.findings.len(), "finding");
        standing.row("report", "ledger reconciles", is_passed, note);
        if !is_passed {
            standing.then(reconcile);
        }
    }
}

/// The command that looks for the quotes, when the room can be told.
fn quotes_next(stage: &Stage<'_>, standing: &mut Standing) {
    let run = stage.arguments.run.as_path();
    let given = stage.arguments.room.as_deref();
    match run_folder::room(run, stage.files, stage.manifest, given) {
        Room::At(room) => {
            standing.row("quotes", "room is there", true, shown(&room));
            standing.then(format!(
                "gatewright ledger quotes --findings {} --manifest {} --room-root {} --out {}",
                quoted(&stage.ledger_file.path),
                quoted(&stage.manifest.path),
                quoted(&room),
                quoted(&run.join("findings.quoted.json"))
            ));
        }
        Room::Unknown(why) => {
            standing.row("quotes", "room is there", false, why);
            standing.wait_for(format!(
                "the room, the folder that the manifest's paths start from; name it with: gatewright ledger status {} --room DIR",
                quoted(run)
            ));
        }
    }
}

fn framework_rows(
    run: &Path,
    found: &Found,
    files: &Files,
    context: &Context<'_>,
    standing: &mut Standing,
) {
    let value = crate::value::json::parse(&found.text)
        .holds("the text was read as JSON when the folder was looked into");
    let schema_value =
        crate::value::json::parse(framework::DEFAULT_SCHEMA).holds("the schema that ships is JSON");
    let schema = Schema::new(&schema_value);
    let name = shown(&found.path);
    let problems = framework::validate(&value, &schema, true, context.world.pattern_engine())
        .map_or(1, |report| report.problems.len());
    if problems == 0 {
        standing.row("framework", "framework is valid", true, name.clone());
    } else {
        standing.row(
            "framework",
            "framework is valid",
            false,
            format!("{name}: {}", counted(problems, "problem")),
        );
        standing.then(format!(
            "gatewright framework check --allow-approved {}",
            quoted(&found.path)
        ));
    }
    let version =
        crate::text::python::str_of(value.get("framework_version").unwrap_or(&Value::Null));
    let is_approved = value.get("approved").is_some_and(Value::is_true);
    let note = format!("version {}", version.to_display());
    standing.row("framework", "framework is approved", is_approved, note);
    if is_approved || problems > 0 {
        return;
    }
    let rows = readback::build(&value).ok().map(|(readback, _)| readback);
    let of =
        |value: &Value<'_>, key: &str| value.get(key).cloned().unwrap_or_default().into_owned();
    let fitting = files.readbacks.iter().find(|file| {
        parse_json(file.text.as_bytes(), Dialect::TrailingComma).is_ok_and(|file| {
            rows.as_ref().is_some_and(|rows| {
                ["framework_version", "items"]
                    .iter()
                    .all(|key| of(rows, key) == of(&file, key))
            })
        })
    });
    match fitting {
        Some(readback) => standing.wait_for(format!(
            "approval: whoever wrote the checklist reads {} and `approved` becomes true in {name}",
            shown(&readback.path)
        )),
        None => standing.then(format!(
            "render_readback --framework {} --out {}",
            quoted(&found.path),
            quoted(&run.join("readback.json"))
        )),
    }
}

/// Plan and results for a ledger whose findings are not verified yet.
fn plan_rows(
    run: &Path,
    files: &Files,
    ledger_file: &Found,
    framework: &Found,
    standing: &mut Standing,
) {
    let Ok(ledger) = Ledger::read(&ledger_file.text) else {
        return;
    };
    let fitting = files.plans.iter().find_map(|found| {
        let plan = Listing::read_plan(&found.text).ok()?;
        merge::check_identity(&ledger, &plan).ok()?;
        let jobs = merge::check_coverage(&ledger, &plan).ok()?;
        Some((found, plan, jobs))
    });
    let Some((found, plan, jobs)) = fitting else {
        let note = format!(
            "{} in the folder, none for this ledger",
            counted(files.plans.len(), "plan")
        );
        standing.row("checkers", "checker plan fits the ledger", false, note);
        standing.then(format!(
            "gatewright ledger plan --findings {} --framework {} --out {}",
            quoted(&ledger_file.path),
            quoted(&framework.path),
            quoted(&run.join("checker-plan.json"))
        ));
        return;
    };
    standing.row(
        "checkers",
        "checker plan fits the ledger",
        true,
        shown(&found.path),
    );
    let planned: Vec<&Text<'_>> = jobs.iter().map(|(file, _)| file).collect();
    let folder = run_folder::folders_in(run)
        .into_iter()
        .find(|folder| {
            planned
                .iter()
                .any(|file| folder.join(&*file.to_display()).is_file())
        })
        .unwrap_or_else(|| run.join("checker-results"));
    let plan_id = plan.get("plan_id");
    let (mut returned, mut earlier, mut first_open) = (0, 0, None);
    for file in &planned {
        let name = file.to_display();
        let bytes = crate::files::read(&folder.join(&*name)).ok();
        let result = bytes
            .as_deref()
            .and_then(|bytes| parse_json(bytes, Dialect::TrailingComma).ok());
        // What is no result at all is for `ledger merge` to name.
        let is_earlier = result
            .as_ref()
            .and_then(|result| result.get("checker_plan_id"))
            .is_some_and(|id| Some(id) != plan_id);
        if bytes.is_some() && !is_earlier {
            returned += 1;
        } else {
            earlier += usize::from(is_earlier);
            first_open.get_or_insert_with(|| name.into_owned());
        }
    }
    let mut note = format!("{returned} of {}", planned.len());
    if earlier > 0 {
        let _ = write!(note, ", {earlier} for an earlier plan");
    }
    standing.row(
        "checkers",
        "every checker has returned",
        first_open.is_none(),
        note,
    );
    match first_open {
        Some(first) => standing.wait_for(format!(
            "the answers of the checkers in {}, e.g. {first}: one file for each job of {}, with checker_plan_id, finding_id, verdict ({}) and objection",
            shown(&folder),
            shown(&found.path),
            merge::VERDICTS.join(", ")
        )),
        None => standing.then(format!(
            "gatewright ledger merge --findings {} --checker-plan {} --results-dir {} --out {}",
            quoted(&ledger_file.path),
            quoted(&found.path),
            quoted(&folder),
            quoted(&run.join("findings.checked.json"))
        )),
    }
}

fn table(
    run: &Path,
    standing: &Standing,
    issues: &BTreeMap<String, BTreeMap<String, usize>>,
) -> String {
    let rows = &standing.rows;
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
    out.push('\n');
    let escaped = crate::report::text::escaped;
    let block = standing.blocks().next();
    if let Some(row) = block {
        let _ = writeln!(
            out,
            "blocked: not so: {} ({})",
            row.text,
            escaped(&row.note)
        );
    }
    if let Some(needed) = &standing.needed {
        let _ = writeln!(out, "needed: {}", escaped(needed));
    }
    if let Some(next) = &standing.next {
        let _ = writeln!(out, "next: {}", escaped(next));
    }
    if block.is_none() {
        let _ = writeln!(
            out,
            "every step is there as the ledger has it; whether it is true: gatewright ledger check {}",
            escaped(&quoted(run))
        );
    }
    out
}
