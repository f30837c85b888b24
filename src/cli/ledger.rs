//! `gatewright ledger`: the gates of the findings ledger.
//!
//! In: paths of manifest, ledger, framework, family map. Out: outcomes. Stricter than the drop-ins: see
//! the rules that name no check of theirs.

use super::progress::ProgressBar;
use super::{Answer, Context, chain, fix, ledger_check, status};
use crate::error::Error;
use crate::finding::Finding;
use crate::gates::reconcile::{self, Against, Stop};
use crate::outcome::Outcome;
use crate::source::{Opened, Progress, Source};
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
    /// First mend what is mechanical in the ledger: the form of `finding_id`, members and findings that
    /// stand twice alike. Tells what it changed; touches nothing that decides.
    #[arg(long)]
    fix: bool,
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
            let notes = if arguments.fix {
                fix::ledger(&arguments.findings)?
            } else {
                Vec::new()
            };
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
            Ok(Answer::Run {
                outcomes: vec![outcome?],
                note: (!notes.is_empty()).then(|| notes.join("\n")),
            })
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
    let manifest = Source::read("manifest", manifest)?;
    let manifest = manifest.document()?;
    // In the order in which a script would feed pipes.
    let opened = Opened::open("findings", findings, watch)?;
    let framework = Source::read("framework", framework)?;
    let families = families
        .map(|path| Source::read("families", path))
        .transpose()?;
    let against = Against {
        manifest,
        framework: framework.document()?,
        families: families.as_ref().map(Source::document).transpose()?,
    };
    let mut stream = match opened {
        Opened::Whole(ledger) => return reconcile::check(&against, &ledger.document()?),
        Opened::Stream(stream) => stream,
    };
    let mut progress = Progress {
        len_done: 0,
        len_total: stream.len_total(),
    };
    let mut step = |len: usize| {
        progress.len_done += u64::try_from(len).unwrap_or(0);
        watch(progress)
    };
    let name = stream.name().to_owned();
    match reconcile::check_stream(&against, &name, &mut stream, &mut step)? {
        Ok(mut outcome) => {
            // What was judged, whatever the file has become since.
            outcome.inputs.insert(1, stream.input());
            let is_pointed_at = |finding: &Finding| {
                std::iter::once(&finding.at)
                    .chain(&finding.related)
                    .any(|place| place.source == name && place.span.is_none())
            };
            if outcome.findings.iter().any(is_pointed_at) {
                stream.reread_same()?.locate(&mut outcome.findings);
            }
            Ok(outcome)
        }
        Err(Stop::Interrupted) => Err(Error::Interrupted),
        Err(Stop::Io(fault)) => Err(stream.unreadable(fault)),
        Err(Stop::Unusual) => reconcile::check(&against, &stream.reread()?.document()?),
    }
}
