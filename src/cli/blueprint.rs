//! `gatewright blueprint`: palette recount, verdict and acceptance of site blueprints.
//!
//! Reads the files named, calls the pure gates, places findings in the text. A receipt is the only
//! thing written.

use super::draft_files::{self, Bound, Files};
use super::progress::{Stages, staged};
use super::{Answer, Context, blueprint_assess, draft_run};
use crate::attestation::Statement;
use crate::error::Error;
use crate::gates::draft::Lang;
use crate::gates::palette::{self, Count};
use crate::gates::verdict;
use crate::gates::verdict::FindingCounts;
use crate::gates::verdict::attestation::{self, Judgement};
use crate::gates::verdict::outcome::{self, Judged};
use crate::gates::verdict::receipt::{self, Refusal};
use crate::invariant::Invariant as _;
use crate::outcome::{Input, Outcome, Verdict};
use crate::source::{Document, Source};
use crate::value::{Text, Value};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Check a blueprint's palette, issue the verdict on a draft, accept a draft.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Count the observed colours that the palette lacks, by a path of its own.
    Recount(RecountArguments),
    /// Decide on a draft from its assessment and write the receipt.
    Verdict(VerdictArguments),
    /// Accept a draft only on a valid receipt that says PASS for exactly its hash.
    Accept(AcceptArguments),
    /// Assess a draft directory: everything computable is computed, the caller adds judgement.
    Assess(blueprint_assess::AssessArguments),
    /// Show on one screen what a draft's verdict is, why, and what to fix first.
    Explain(blueprint_assess::ExplainArguments),
}

/// The language asked for, else that of the locale.
pub(super) fn language(asked: Option<Lang>, context: &Context<'_>) -> Lang {
    asked.unwrap_or_else(|| {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .filter_map(|name| context.world.variable(name))
            .find(|value| !value.is_empty());
        match locale {
            Some(locale) if locale.as_encoded_bytes().starts_with(b"ja") => Lang::Ja,
            _ => Lang::En,
        }
    })
}

/// Arguments of `blueprint recount`.
#[derive(Debug, clap::Args)]
pub struct RecountArguments {
    /// The blueprint, as JSON.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The count that decides; the other is shown beside it.
    #[arg(long, value_enum, default_value_t, value_name = "COUNT")]
    recount: Count,
    /// List for each orphan every place it was observed, in both counts.
    #[arg(long)]
    why: bool,
}

/// Arguments of `blueprint verdict`.
#[derive(Debug, clap::Args)]
pub struct VerdictArguments {
    /// The assessment, as JSON; or a draft directory, which is assessed first.
    #[arg(value_name = "FILE_OR_DRAFT_DIR")]
    input: PathBuf,
    /// Hash of the evaluated draft, from its sink-status.json: 64 hex digits. A draft directory
    /// brings its own.
    #[arg(long, value_name = "HEX")]
    draft_hash: Option<OsString>,
    #[command(flatten)]
    draft: blueprint_assess::DraftOptions,
    /// Refuse an assessment whose receipt would not be valid (the default).
    #[arg(long, overrides_with = "no_strict")]
    strict: bool,
    /// Write the receipt whatever the assessment's parts hold, as emit-verdict.py does.
    #[arg(long, overrides_with = "strict")]
    no_strict: bool,
    #[command(flatten)]
    folder: FolderArgument,
    /// Time of the evaluation, written as given; now in +09:00 when absent.
    #[arg(long, value_name = "TEXT")]
    evaluated_at: Option<OsString>,
    /// Language of the reasons; that of the locale when absent.
    #[arg(long, value_enum, value_name = "LANG")]
    lang: Option<Lang>,
    /// Write HASH.intoto.json beside the receipt: an unsigned in-toto statement of the verdict on the
    /// draft's files, for a signer.
    #[arg(long)]
    attest: bool,
}

/// Where receipts lie.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct FolderArgument {
    /// Folder of the receipts; `$ESB_VERDICT_DIR` when absent, else .esb-verdict.
    #[arg(long, value_name = "DIR")]
    verdict_dir: Option<PathBuf>,
}

impl FolderArgument {
    fn folder(&self, context: &Context<'_>) -> PathBuf {
        let named = self.verdict_dir.clone().map(PathBuf::into_os_string);
        let named = named
            .or_else(|| context.world.variable(crate::receipts::FOLDER_VARIABLE))
            .filter(|folder| !folder.is_empty());
        let folder = named.unwrap_or_else(|| crate::receipts::DEFAULT_FOLDER.into());
        crate::files::python_path(&folder)
    }
}

/// Arguments of `blueprint accept`.
#[derive(Debug, clap::Args)]
pub struct AcceptArguments {
    /// The draft directory.
    #[arg(value_name = "DRAFT_DIR")]
    draft: PathBuf,
    #[command(flatten)]
    folder: FolderArgument,
    /// An in-toto statement, or a signer's envelope around it, that must agree with draft and receipt;
    /// signatures are not checked.
    #[arg(long, value_name = "FILE")]
    attestation: Option<PathBuf>,
}

/// Run a command of the group.
///
/// # Errors
/// When an input cannot be read or used, or the receipt cannot be written.
pub fn run(command: &Command, context: &Context<'_>) -> Result<Answer, Error> {
    let outcome = match command {
        Command::Recount(arguments) => recount(arguments, context)?,
        Command::Verdict(arguments) => verdict(arguments, context)?,
        Command::Accept(arguments) => accept(arguments, context)?,
        Command::Assess(arguments) => return blueprint_assess::assess(arguments, context),
        Command::Explain(arguments) => return blueprint_assess::explain(arguments, context),
    };
    Ok(Answer::Outcomes(vec![outcome]))
}

fn recount(arguments: &RecountArguments, context: &Context<'_>) -> Result<Outcome, Error> {
    let outcome = staged(
        context.world,
        &arguments.file.display().to_string(),
        &["reading", "parsing", "counting"],
        1,
        |stages| counted_file(&arguments.file, arguments.recount, arguments.why, stages),
    )?;
    if context.world.is_interrupted() {
        return Err(Error::Interrupted);
    }
    Ok(outcome)
}

const BLUEPRINT: &str = "blueprint";
const ASSESSMENT: &str = "assessment";

/// Count a blueprint file.
///
/// # Errors
/// When it cannot be read or counted.
pub fn recount_file(path: &Path, count: Count, is_why: bool) -> Result<Outcome, Error> {
    counted_file(path, count, is_why, &Stages::default())
}

fn counted_file(
    path: &Path,
    count: Count,
    is_why: bool,
    stages: &Stages,
) -> Result<Outcome, Error> {
    let source = Source::read(BLUEPRINT, path)?;
    stages.advance();
    let blueprint = source.unambiguous()?;
    stages.advance();
    let outcome = palette::recount(&blueprint, count, is_why)?;
    stages.advance();
    Ok(outcome)
}

fn verdict(arguments: &VerdictArguments, context: &Context<'_>) -> Result<Outcome, Error> {
    if arguments.input.is_dir() {
        return verdict_on_draft(arguments, context);
    }
    if arguments.attest {
        return Err(Error::Usage(
            "--attest needs the draft directory: an assessment alone has no files to attest"
                .to_owned(),
        ));
    }
    let Some(given) = &arguments.draft_hash else {
        return Err(Error::Usage(
            "--draft-hash is missing: take draft_hash from the draft's sink-status.json, or give the draft directory".to_owned(),
        ));
    };
    let given = crate::files::display(given);
    let Some(draft_hash) = verdict::draft_hash(&given) else {
        return Err(Error::Usage(format!(
            "--draft-hash is `{}`, expected 64 hex digits: take draft_hash from the draft's sink-status.json",
            crate::finding::excerpt(&given.to_display())
        )));
    };
    let source = Source::read(ASSESSMENT, &arguments.input)?;
    let assessment = source.unambiguous()?;
    let plan = Issue {
        draft_hash,
        folder: arguments.folder.folder(context),
        evaluated_at: arguments
            .evaluated_at
            .as_deref()
            .map(crate::files::display)
            .filter(|text| !text.is_empty()),
        is_strict: !arguments.no_strict,
        is_attested: arguments.attest,
        lang: language(arguments.lang, context),
    };
    let mut outcome = issue(&assessment, &plan, None, context)?;
    if outcome.verdict == Verdict::Passed {
        outcome.findings.push(outcome::on_trust(&assessment));
    }
    Ok(outcome)
}

/// Assess the draft, then decide and write the receipt. The bound hash is that of the draft.
fn verdict_on_draft(arguments: &VerdictArguments, context: &Context<'_>) -> Result<Outcome, Error> {
    let folder = arguments.folder.folder(context);
    blueprint_assess::refuse_inside(&arguments.input, &folder.join("receipt"))?;
    if let Some(output) = &context.output {
        blueprint_assess::refuse_inside(&arguments.input, output)?;
    }
    let request = arguments.draft.request(
        &arguments.input,
        arguments.lang.unwrap_or_default(),
        context,
    )?;
    request.wants_gates("no receipt written")?;
    let assessed = draft_run::run(&request, context.world)?;
    if let Some(given) = &arguments.draft_hash {
        let given = crate::files::display(given);
        if verdict::draft_hash(&given).as_deref() != Some(&assessed.draft_hash) {
            return Err(Error::Usage(format!(
                "--draft-hash is `{}`, but sink-status.json of the draft binds `{}`",
                crate::finding::excerpt(&given.to_display()),
                assessed.draft_hash
            )));
        }
    }
    let plan = Issue {
        draft_hash: assessed.draft_hash.clone(),
        folder,
        evaluated_at: arguments
            .evaluated_at
            .as_deref()
            .map(crate::files::display)
            .filter(|text| !text.is_empty()),
        is_strict: !arguments.no_strict,
        is_attested: arguments.attest,
        lang: language(arguments.lang, context),
    };
    let name = arguments.input.display().to_string();
    // No verdict under a hash that the files do not give.
    if let Some(stale) = assessed.stale_finding() {
        return Ok(outcome::unbound(stale));
    }
    let bytes = assessed.assessment.to_bytes();
    let beside = Beside {
        files: &assessed.files,
        assessment: &bytes,
    };
    let assessment = assessed.assessment.to_value();
    let assessment = Document::made(ASSESSMENT, &name, &assessment);
    let mut outcome = issue(&assessment, &plan, Some(&beside), context)?;
    outcome.findings.extend(assessed.undecided_findings());
    Ok(outcome)
}

/// How a receipt is issued.
pub struct Issue {
    /// 64 lower-case hex digits.
    pub draft_hash: String,
    /// Folder of the receipts.
    pub folder: PathBuf,
    /// As given; nothing means now.
    pub evaluated_at: Option<Text<'static>>,
    /// Whether an assessment whose receipt would not be valid is refused.
    pub is_strict: bool,
    /// Whether an in-toto statement goes beside the receipt of a draft that was looked at.
    pub is_attested: bool,
    /// Language of the reasons.
    pub lang: Lang,
}

/// What lies beside the receipt of a draft that was looked at.
pub(super) struct Beside<'a> {
    files: &'a Files,
    assessment: &'a [u8],
}

/// Decide on `assessment` and write its receipt. An assessment that is refused is a finding; nothing is written then.
///
/// # Errors
/// When nothing can be decided, or the receipt cannot be written.
pub(super) fn issue(
    assessment: &Document<'_>,
    plan: &Issue,
    beside: Option<&Beside<'_>>,
    context: &Context<'_>,
) -> Result<Outcome, Error> {
    let inputs: Vec<Input> = assessment.input().into_iter().collect();
    let (reasons, counts) = match outcome::judge(assessment, plan.is_strict)? {
        Judged::Refused(mut outcome) => {
            outcome.inputs = inputs;
            return Ok(outcome);
        }
        Judged::Decided(reasons, counts) => (reasons, counts),
    };
    let evaluated_at = plan
        .evaluated_at
        .clone()
        .unwrap_or_else(|| Text::from(verdict::japan_time(context.world.seconds_since_epoch())));
    let word = verdict::word(&reasons);
    let receipt = verdict::receipt(assessment, &plan.draft_hash, evaluated_at, word);
    let Some(bytes) = crate::receipts::to_bytes(&receipt) else {
        return Err(Error::Unusable {
            name: assessment.name.to_owned(),
            path: crate::receipts::surrogate_place(&receipt),
            reason: "the text holds a lone surrogate, which UTF-8 cannot carry".to_owned(),
        });
    };
    let file = plan
        .folder
        .join(crate::receipts::file_name(&plan.draft_hash));
    let target = crate::files::python_path(file.as_os_str());
    let shown = target.display().to_string();
    // The receipt comes last: with an older list beside it, it would not be accepted.
    let mut written = Vec::new();
    let mut attested = None;
    if let Some(beside) = beside {
        let bound = Bound::new(
            &plan.draft_hash,
            beside.files.clone(),
            &bytes,
            beside.assessment,
        );
        let list = bound.to_bytes();
        let hash = &plan.draft_hash;
        if plan.is_attested {
            let statement = attestation::statement(&Judgement {
                draft_hash: hash,
                files: beside.files,
                receipt: &bytes,
                assessment: beside.assessment,
                reasons: &reasons,
                counts,
            });
            let statement = statement.map_err(|fault| Error::Unusable {
                name: format!("{}/{}", assessment.name, fault.file),
                path: String::new(),
                reason: fault.reason,
            })?;
            let name = crate::receipts::attestation_name(hash);
            attested = Some(crate::files::python_path(
                plan.folder.join(&name).as_os_str(),
            ));
            written.push((name, statement.to_bytes()));
        }
        written.push((
            crate::receipts::assessment_name(hash),
            beside.assessment.to_vec(),
        ));
        written.push((crate::receipts::list_name(hash), list));
    }
    written.push((crate::receipts::file_name(&plan.draft_hash), bytes));
    for (name, bytes) in written {
        let target = crate::files::python_path(plan.folder.join(name).as_os_str());
        let shown = target.display().to_string();
        crate::receipts::write_synced(&plan.folder, &target, &bytes).map_err(|error| {
            Error::Write {
                reason: error.into(),
                name: shown,
            }
        })?;
    }

    let mut outcome = outcome::decided(assessment, &reasons, counts, plan.lang);
    for (fact, value) in [
        ("draft_hash", plan.draft_hash.clone()),
        ("receipt_path", shown.clone()),
    ] {
        outcome.facts.insert(fact.to_owned(), value.into());
    }
    outcome.inputs = inputs;
    outcome.summary = format!("{word}, receipt {shown}");
    if let Some(file) = attested {
        let shown = file.display().to_string();
        outcome.summary = format!("{}, attestation {shown}", outcome.summary);
        outcome
            .facts
            .insert("attestation_path".to_owned(), shown.into());
    }
    Ok(outcome)
}

fn accept(arguments: &AcceptArguments, context: &Context<'_>) -> Result<Outcome, Error> {
    accept_draft(
        &arguments.draft,
        &arguments.folder.folder(context),
        arguments.attestation.as_deref(),
    )
}

/// Accept the draft in the directory `draft` on the receipts in `folder`, or say why not. With an
/// attestation both must agree with it.
///
/// # Errors
/// When there is no such directory, or the attestation cannot be read.
pub fn accept_draft(
    draft: &Path,
    folder: &Path,
    attested: Option<&Path>,
) -> Result<Outcome, Error> {
    if !draft.is_dir() {
        return Err(Error::Read {
            kind: "draft directory",
            name: draft.display().to_string(),
            reason: "there is no such directory".into(),
        });
    }
    let mut inputs = Vec::new();
    let given = attested
        .map(|path| read_attestation(path, &mut inputs))
        .transpose()?;
    let (judged, accepted) = match judge(draft, folder, &mut inputs)? {
        Ok(accepted) => (Ok(accepted.receipt.clone()), Some(accepted)),
        Err(refusal) => (Err(refusal), None),
    };
    let outcome = outcome::acceptance(&judged, inputs);
    let Some((name, given)) = given else {
        return Ok(outcome);
    };
    let found = match &accepted {
        Some(accepted) => {
            let judgement = accepted.judgement();
            attestation::disagreements(&name, &given, &accepted.files, Some(&judgement))
        }
        None => attestation::disagreements(&name, &given, &draft_files::list(draft)?, None),
    };
    Ok(attestation::held(outcome, &name, found))
}

/// Name and statement of an attestation that the caller names.
fn read_attestation(path: &Path, inputs: &mut Vec<Input>) -> Result<(String, Statement), Error> {
    let source = Source::read("attestation", path)?;
    inputs.push(source.input());
    match Statement::read(source.bytes()) {
        Ok(statement) => Ok((source.name().to_owned(), statement)),
        Err(reason) => Err(source.unreadable(reason)),
    }
}

/// A draft that is accepted.
struct Accepted {
    /// Path of its receipt.
    receipt: String,
    draft_hash: String,
    receipt_bytes: Vec<u8>,
    assessment: Vec<u8>,
    counts: FindingCounts,
    files: Files,
}

impl Accepted {
    /// The verdict on it: a PASS, against which nothing speaks.
    fn judgement(&self) -> Judgement<'_> {
        Judgement {
            draft_hash: &self.draft_hash,
            files: &self.files,
            receipt: &self.receipt_bytes,
            assessment: &self.assessment,
            reasons: &[],
            counts: self.counts,
        }
    }
}

/// The draft as it is accepted, or the refusal and the file it speaks of.
fn judge(
    draft: &Path,
    folder: &Path,
    inputs: &mut Vec<Input>,
) -> Result<Result<Accepted, (Refusal, String)>, Error> {
    let (receipt, draft_hash, bytes) = match judge_receipt(draft, folder, inputs) {
        Ok(receipt) => receipt,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let name = draft.display().to_string();
    if let Some(why) = draft_run::misfit(draft, &draft_hash)? {
        return Ok(Err((Refusal::DraftChanged(why), name)));
    }
    let held = Bound::read(folder, &draft_hash, &bytes)
        .and_then(|(bound, assessment)| {
            let assessment = Source::of_bytes(ASSESSMENT, ASSESSMENT, assessment);
            let parts = Source::of_bytes("receipt", &receipt, bytes);
            let (read, decided) = (parsed(&parts)?, parsed(&assessment)?);
            receipt::same_parts(&read, &decided)?;
            let counts = FindingCounts::of(&decided).holds("every severity was found to be a text");
            drop((read, decided));
            Ok((bound, parts.into_bytes(), assessment.into_bytes(), counts))
        })
        .map_err(|refusal| (refusal, receipt.clone()));
    let (bound, receipt_bytes, assessment, counts) = match held {
        Ok(held) => held,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let files = draft_files::list(draft)?;
    Ok(match bound.hold(&files) {
        Ok(()) => Ok(Accepted {
            receipt,
            draft_hash,
            receipt_bytes,
            assessment,
            counts,
            files,
        }),
        Err(refusal) => Err((refusal, name)),
    })
}

/// Path, draft hash and bytes of the receipt that says PASS for the draft.
fn judge_receipt(
    draft: &Path,
    folder: &Path,
    inputs: &mut Vec<Input>,
) -> Result<(String, String, Vec<u8>), (Refusal, String)> {
    let sink = draft.join("sink-status.json");
    let name = sink.display().to_string();
    let draft_hash = read_draft_hash(&sink, inputs).map_err(|refusal| (refusal, name.clone()))?;
    let path = folder.join(crate::receipts::file_name(&draft_hash));
    let path = crate::files::python_path(path.as_os_str());
    let name = path.display().to_string();
    let refuse = |refusal| (refusal, name.clone());
    let source = match Source::read("receipt", &path) {
        Ok(source) => source,
        Err(Error::Read { reason, .. }) if reason.is_missing() => {
            return Err(refuse(Refusal::ReceiptMissing));
        }
        Err(fault) => return Err(refuse(Refusal::ReceiptUnreadable(fault.reason()))),
    };
    inputs.push(source.input());
    let receipt = source
        .unambiguous()
        .map_err(|fault| refuse(Refusal::ReceiptUnreadable(fault.reason())))?;
    receipt::accept(&receipt, &draft_hash).map_err(refuse)?;
    drop(receipt);
    Ok((name, draft_hash, source.into_bytes()))
}

fn parsed(source: &Source) -> Result<Document<'_>, Refusal> {
    let unbound = |fault: Error| Refusal::Unbound(fault.reason());
    source.unambiguous().map_err(unbound)
}

/// The draft hash in a `sink-status.json`.
///
/// # Errors
/// [`Refusal::SinkUnreadable`] or [`Refusal::SinkHash`].
fn read_draft_hash(sink: &Path, inputs: &mut Vec<Input>) -> Result<String, Refusal> {
    let unreadable = |fault: Error| Refusal::SinkUnreadable(fault.reason());
    let source = Source::read("sink-status", sink).map_err(unreadable)?;
    inputs.push(source.input());
    let status = source.unambiguous().map_err(unreadable)?;
    let Some(object) = status.as_object() else {
        return Err(Refusal::SinkUnreadable("the root is no object".to_owned()));
    };
    if let Some(fault) = receipt::sink_fault(&status) {
        return Err(Refusal::SinkUnreadable(fault));
    }
    match object.get("draft_hash") {
        Some(Value::Str(hash)) => match hash.as_str() {
            Some(hash) if verdict::is_draft_hash(hash) => Ok(hash.to_owned()),
            _ => Err(Refusal::SinkHash(format!(
                "`{}`",
                crate::finding::excerpt(&hash.to_display())
            ))),
        },
        None => Err(Refusal::SinkHash("missing".to_owned())),
        Some(other) => Err(Refusal::SinkHash(format!("a {}", other.python_type()))),
    }
}
