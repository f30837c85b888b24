//! `gatewright ledger`: the gates of the findings ledger.
//!
//! In: paths of manifest, ledger, framework, family map. Out: outcomes. Stricter than the drop-ins: see
//! the rules that name no check of theirs.

use super::progress::ProgressBar;
use super::{Answer, Context, chain, ledger_check, places, status};
use crate::dropin::coverage::{self, Failure, Named, Paths, Progress, Terms};
use crate::error::Error;
use crate::files;
use crate::finding::{Location, counted};
use crate::gates::chain::{Ledger, declared, strict};
use crate::gates::reconcile::{Noted, Refusal};
use crate::outcome::{Outcome, Verdict};
use crate::rule::Severity;
use crate::value::Value;
use crate::value::json::Dialect;
use crate::value::json::locate::ValuePath;
use std::path::{Path, PathBuf};

/// The findings ledger: coverage, quotes, checkers, and the chain from framework to report.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check that every issue has exactly one result for every reviewable unit.
    Reconcile(ReconcileArguments),
    /// Look for the quote of every present finding in the document it cites.
    Quotes(chain::QuotesArguments),
    /// Plan one independent checker job for every present finding.
    Plan(chain::PlanArguments),
    /// Merge the checker results into the ledger.
    Merge(chain::MergeArguments),
    /// Derive a whole run again: framework, coverage, quotes in their documents, checker results.
    Check(ledger_check::CheckArguments),
    /// Show where a run stands, what blocks it, and the command to run next.
    Status(status::StatusArguments),
    /// Derive every file of a run again from its receipts and name the first that does not fit.
    Verify(chain::VerifyArguments),
}

/// Files of a review run.
#[derive(Debug, clap::Args)]
struct ReconcileArguments {
    /// The manifest of the corpus.
    #[arg(long, value_name = "FILE")]
    manifest: PathBuf,
    /// The findings ledger.
    #[arg(long, value_name = "FILE")]
    findings: PathBuf,
    /// The approved framework.
    #[arg(long, value_name = "FILE")]
    framework: PathBuf,
    /// The map of document families, when documents belong together.
    #[arg(long, value_name = "FILE")]
    families: Option<PathBuf>,
}

/// Run a command of the group.
///
/// # Errors
/// When an input cannot be read or used.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    match &arguments.command {
        Command::Quotes(arguments) => chain::quotes(arguments, context),
        Command::Plan(arguments) => chain::plan(arguments, context),
        Command::Merge(arguments) => chain::merge(arguments, context),
        Command::Check(arguments) => ledger_check::run(arguments, context),
        Command::Status(arguments) => status::run(arguments, context),
        Command::Verify(arguments) => chain::verify(arguments, context),
        Command::Reconcile(arguments) => {
            let mut bar = ProgressBar::new(context.world, &arguments.findings.to_string_lossy());
            let mut watch = |progress: Progress| {
                bar.advance(progress.len_done, progress.len_total);
                !context.world.is_interrupted()
            };
            let outcome = reconcile(
                [
                    &arguments.manifest,
                    &arguments.findings,
                    &arguments.framework,
                ],
                arguments.families.as_deref(),
                &mut watch,
            );
            bar.finish();
            Ok(Answer::Outcomes(vec![outcome?]))
        }
    }
}

/// Reconcile the files `manifest`, `findings`, `framework` and, when given, `families`.
///
/// # Errors
/// When one of them cannot be read or used, or `watch` says to stop.
pub fn reconcile(
    [manifest, findings, framework]: [&Path; 3],
    families: Option<&Path>,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> Result<Outcome, Error> {
    let named = |path| Named {
        path,
        shown: files::display(Path::as_os_str(path)),
    };
    let paths = Paths {
        manifest: named(manifest),
        findings: named(findings),
        framework: named(framework),
        families: families.map(named),
    };
    let mut terms = Terms {
        dialect: Dialect::TrailingComma,
        is_digested: true,
        watch,
    };
    let found = coverage::run(&paths, &mut terms).map_err(|failure| error(&paths, failure))?;
    let notes = found.result.notes();
    let mut outcome = found.result.outcome(&notes, |input| name(&paths, input));
    outcome.inputs = found.inputs;
    add_places(&paths, &notes, &mut outcome);
    add_strict(&paths, &mut outcome);
    Ok(outcome)
}

fn file<'p>(paths: &'p Paths<'p>, input: &str) -> &'p Named<'p> {
    match (input, &paths.families) {
        ("families", Some(families)) => families,
        ("manifest", _) => &paths.manifest,
        ("framework", _) => &paths.framework,
        _ => &paths.findings,
    }
}

fn name(paths: &Paths<'_>, input: &str) -> String {
    file(paths, input).shown.to_display().into_owned()
}

/// The contract rules that the recorded command does not enforce.
fn add_strict(paths: &Paths<'_>, outcome: &mut Outcome) {
    // A FIFO was read to its end before; what the gate refused never comes here.
    let read = |named: &Named<'_>| {
        named
            .path
            .is_file()
            .then(|| files::read(named.path).ok())
            .flatten()
    };
    let (Some(findings), Some(framework)) = (read(&paths.findings), read(&paths.framework)) else {
        return;
    };
    let families = paths.families.as_ref().and_then(read);
    let parse = |bytes| crate::dropin::parse_json(bytes, Dialect::TrailingComma).ok();
    let Some(ledger) = std::str::from_utf8(&findings)
        .ok()
        .and_then(|text| Ledger::read(text).ok())
    else {
        return;
    };
    let Some(framework) = parse(&framework) else {
        return;
    };
    let families = families.as_deref().and_then(parse);
    let name = paths.findings.shown.to_display();
    let mut found = strict::check(&name, &ledger, &framework, families.as_ref());
    let manifest = read(&paths.manifest);
    if let Some(manifest) = manifest.as_deref().and_then(parse) {
        let manifest_name = paths.manifest.shown.to_display();
        found.extend(declared::check(
            (&manifest_name, &manifest),
            (&name, &ledger),
        ));
    }
    add_trust(&ledger, outcome);
    if found
        .iter()
        .any(|finding| finding.severity == Severity::Error)
    {
        outcome.verdict = Verdict::Failed;
    }
    outcome.findings.extend(found);
}

/// Says which receipts were taken as the ledger has them.
fn add_trust(ledger: &Ledger<'_>, outcome: &mut Outcome) {
    let is_confirmed = |finding: &Value<'_>, key: &str| {
        let status = finding.get(key).and_then(|receipt| receipt.get("status"));
        usize::from(status.is_some_and(|status| *status == Value::from("confirmed")))
    };
    let (mut quotes, mut checkers) = (0, 0);
    for finding in ledger.findings().into_iter().flatten() {
        quotes += is_confirmed(&finding, "quote_verification");
        checkers += is_confirmed(&finding, "verification");
    }
    let trusted = serde_json::json!({"quote": quotes, "checker": checkers});
    outcome
        .facts
        .insert("receipts_on_trust".to_owned(), trusted);
    if quotes + checkers > 0 {
        let said = format!(
            "; on trust: {} and {}",
            counted(quotes, "quote receipt"),
            counted(checkers, "checker receipt")
        );
        outcome.summary.push_str(&said);
    }
}

fn add_places(paths: &Paths<'_>, notes: &[Noted], outcome: &mut Outcome) {
    for input in ["manifest", "findings", "framework", "families"] {
        let mut wanted: Vec<(&ValuePath, &mut Location)> = Vec::new();
        for (note, finding) in notes.iter().zip(&mut outcome.findings) {
            let spots = std::iter::once(&note.at).chain(&note.related);
            let locations = std::iter::once(&mut finding.at).chain(&mut finding.related);
            wanted.extend(
                spots
                    .zip(locations)
                    .filter(|(spot, _)| spot.input == input)
                    .map(|(spot, location)| (&spot.path, location)),
            );
        }
        let path = file(paths, input).path;
        // A FIFO was read to its end before: there is nothing to find in it now.
        if !wanted.is_empty()
            && path.is_file()
            && let Ok(bytes) = files::read(path)
        {
            places::locate_in(&bytes, wanted);
        }
    }
}

fn error(paths: &Paths<'_>, failure: Failure) -> Error {
    match failure {
        Failure::Read { input, fault } => Error::Read {
            kind: input,
            name: name(paths, input),
            reason: fault.words().to_owned(),
        },
        Failure::MissingKey { input, key } => Error::Unusable {
            name: name(paths, input),
            path: String::from("$"),
            reason: format!("the {input} has no `{key}`"),
        },
        Failure::Unusable(Refusal {
            input,
            path,
            reason,
            ..
        }) => Error::Unusable {
            name: name(paths, input),
            path,
            reason,
        },
        Failure::Interrupted => Error::Usage(String::from("interrupted")),
    }
}
