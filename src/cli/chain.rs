//! The stages of the findings ledger: `ledger quotes`, `plan`, `merge`, and `verify`.
//!
//! In: paths. Out: outcomes; a stage that passes also writes its file and the receipt beside it. A
//! stage is derived in memory first, so that `verify` can derive it again and compare.

use super::run_folder::{Files, Found};
use super::{Answer, Context};
use crate::attestation::{self, Resource, Said, Statement};
use crate::detail::{Detail, Evidence, Quote};
use crate::digest::{hex, sha256_hex};
use crate::dropin::merge_checker_results::{ResultFault, Terms, gather, unreadable};
use crate::dropin::parse_json;
use crate::dropin::room::{self, RoomStop};
use crate::error::{Error, Reason};
use crate::extract::Extractor;
use crate::files::display;
use crate::files::{Staging, folder_of};
use crate::finding::{Finding, Location, counted, excerpt};
use crate::gates::chain::document::Sink;
use crate::gates::chain::receipt::{self, Item, Receipt, Tool};
use crate::gates::chain::{
    Input as Role, Ledger, Listing, Stop, custody, merge, plan, quotes, require_keys, rules,
};
use crate::gates::quotes::{FLAGGED, flag_names};
use crate::invariant::Invariant as _;
use crate::outcome::{Input, Outcome};
use crate::rule::Rule;
use crate::source::Source;
use crate::value::json::Dialect;
use crate::value::json::reader::SyntaxError;
use crate::value::{Text, Value};
use crate::world::World;
use clap::ValueEnum;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How a PDF is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ExtractorChoice {
    /// pdfium, the same on every machine.
    #[default]
    Auto,
    /// The same as `auto`; the recorded spelling.
    Stdlib,
    /// The program `pdftotext`, where it is installed.
    Pdftotext,
}

impl ExtractorChoice {
    const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Stdlib => "stdlib",
            Self::Pdftotext => "pdftotext",
        }
    }

    pub(super) const fn extractor(self) -> Extractor {
        match self {
            Self::Auto | Self::Stdlib => Extractor::Pdfium,
            Self::Pdftotext => Extractor::Pdftotext,
        }
    }
}

/// Arguments of `ledger quotes`.
#[derive(Debug, clap::Args)]
pub struct QuotesArguments {
    /// The findings ledger.
    #[arg(long, value_name = "FILE")]
    findings: PathBuf,
    /// The manifest of the documents.
    #[arg(long, value_name = "FILE")]
    manifest: PathBuf,
    /// Folder that the manifest's paths start from.
    #[arg(long, value_name = "DIR")]
    room_root: PathBuf,
    /// How PDF files are read.
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    extractor: ExtractorChoice,
    /// Put the document's own words in the place of quotes that differ from it in typography alone
    /// (quotation marks, dashes, ligatures), and list each change.
    #[arg(long)]
    repair: bool,
    /// Ledger to write; its receipt goes beside it.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Arguments of `ledger plan`.
#[derive(Debug, clap::Args)]
pub struct PlanArguments {
    /// The findings ledger with quote receipts.
    #[arg(long, value_name = "FILE")]
    findings: PathBuf,
    /// The approved framework.
    #[arg(long, value_name = "FILE")]
    framework: PathBuf,
    /// Checker plan to write; its receipt goes beside it.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Arguments of `ledger merge`.
#[derive(Debug, clap::Args)]
pub struct MergeArguments {
    /// The findings ledger that the plan was made for.
    #[arg(long, value_name = "FILE")]
    findings: PathBuf,
    /// The checker plan.
    #[arg(long, value_name = "FILE")]
    checker_plan: PathBuf,
    /// Folder of the checker results.
    #[arg(long, value_name = "DIR")]
    results_dir: PathBuf,
    /// Ledger to write; its receipt goes beside it.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Arguments of `ledger verify`.
#[derive(Debug, clap::Args)]
pub struct VerifyArguments {
    /// Folder of the run.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Write LEDGER.intoto.json beside the receipt of the ledger: an unsigned in-toto statement of the
    /// outcome for the run's files, for a signer.
    #[arg(long)]
    attest: bool,
}

/// The option of a receipt that names what read the documents.
const READERS: &str = "readers";
/// The option of a receipt that says which quotes were replaced by their documents' own words.
const REPAIR: &str = "repair";

/// A stage and its inputs.
#[derive(Clone, Debug)]
enum Stage {
    Quotes {
        findings: PathBuf,
        manifest: PathBuf,
        room: PathBuf,
        extractor: ExtractorChoice,
        repairs: bool,
    },
    Plan {
        findings: PathBuf,
        framework: PathBuf,
    },
    Merge {
        findings: PathBuf,
        plan: PathBuf,
        results: PathBuf,
    },
}

impl Stage {
    const fn command(&self) -> &'static str {
        match self {
            Self::Quotes { .. } => "ledger quotes",
            Self::Plan { .. } => "ledger plan",
            Self::Merge { .. } => "ledger merge",
        }
    }

    fn options(&self) -> BTreeMap<String, String> {
        match self {
            Self::Quotes {
                extractor, repairs, ..
            } => {
                let mut options =
                    BTreeMap::from([("extractor".to_owned(), extractor.name().to_owned())]);
                if *repairs {
                    options.insert(REPAIR.to_owned(), "typographic".to_owned());
                }
                options
            }
            Self::Plan { .. } | Self::Merge { .. } => BTreeMap::new(),
        }
    }
}

/// Where a stage's file goes as it is derived: always hashed, and written when there is a path. The
/// file is in its place only when the stage ends well.
struct Output<'p> {
    path: Option<&'p Path>,
    staging: Option<Staging>,
    /// The bytes themselves, when they are asked for.
    kept: Option<Vec<u8>>,
    /// The files of folders that were read, with their SHA-256, when they are asked for.
    listed: Option<Vec<(PathBuf, String)>>,
    hasher: Sha256,
    len_bytes: u64,
}

impl<'p> Output<'p> {
    fn new(path: Option<&'p Path>) -> Self {
        Self {
            path,
            staging: None,
            kept: None,
            listed: None,
            hasher: Sha256::new(),
            len_bytes: 0,
        }
    }

    /// The file begins with its first bytes, so that a stage that stops before leaves no trace.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.hasher.update(bytes);
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(bytes);
        }
        self.len_bytes += u64::try_from(bytes.len()).unwrap_or(0);
        if let (Some(path), None) = (self.path, &self.staging) {
            std::fs::create_dir_all(folder_of(path))?;
            self.staging = Some(Staging::begin(path)?);
        }
        match &mut self.staging {
            Some(staging) => staging.write(bytes),
            None => Ok(()),
        }
    }

    /// What `fill` gives goes here.
    fn take<T>(
        &mut self,
        fill: impl FnOnce(&mut Sink<'_>) -> std::io::Result<T>,
    ) -> Result<T, Error> {
        let shown_path = self.path.map_or(String::new(), shown);
        fill(&mut |bytes| self.write(bytes)).map_err(|error| Error::Write {
            reason: (&error).into(),
            name: shown_path,
        })
    }
}

/// What a stage gives beside its file.
struct Derived {
    inputs: Vec<(Input, PathBuf)>,
    findings: Vec<Finding>,
    facts: Vec<(&'static str, usize)>,
    summary: String,
    details: Vec<Detail>,
    /// What read the documents, with versions.
    readers: Option<String>,
}

/// Why a stage gives nothing.
enum Halt {
    Error(Error),
    Findings(Vec<(Input, PathBuf)>, Vec<Finding>),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

/// Run `ledger quotes`.
///
/// # Errors
/// When an input cannot be read or used, or the file cannot be written.
pub fn quotes(arguments: &QuotesArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let stage = Stage::Quotes {
        findings: arguments.findings.clone(),
        manifest: arguments.manifest.clone(),
        room: arguments.room_root.clone(),
        extractor: arguments.extractor,
        repairs: arguments.repair,
    };
    run_stage(&stage, &arguments.out, context)
}

/// Run `ledger plan`.
///
/// # Errors
/// When an input cannot be read or used, or the file cannot be written.
pub fn plan(arguments: &PlanArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let stage = Stage::Plan {
        findings: arguments.findings.clone(),
        framework: arguments.framework.clone(),
    };
    run_stage(&stage, &arguments.out, context)
}

/// Run `ledger merge`.
///
/// # Errors
/// When an input cannot be read or used, or the file cannot be written.
pub fn merge(arguments: &MergeArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let stage = Stage::Merge {
        findings: arguments.findings.clone(),
        plan: arguments.checker_plan.clone(),
        results: arguments.results_dir.clone(),
    };
    run_stage(&stage, &arguments.out, context)
}

fn run_stage(stage: &Stage, out: &Path, context: &Context<'_>) -> Result<Answer, Error> {
    let mut output = Output::new(Some(out));
    let (inputs, mut outcome) = match derive(stage, context.world, &mut output) {
        Ok(derived) => {
            write(stage, out, output, &derived)?;
            let mut outcome = Outcome::from_findings(stage.command(), derived.findings);
            outcome.summary = format!("wrote {}: {}", shown(out), derived.summary);
            outcome.details = derived.details;
            for (fact, count) in derived.facts {
                outcome.facts.insert(fact.to_owned(), count.into());
            }
            (derived.inputs, outcome)
        }
        Err(Halt::Error(error)) => return Err(error),
        Err(Halt::Findings(inputs, findings)) => {
            let mut outcome = Outcome::from_findings(stage.command(), findings);
            outcome.summary = format!(
                "{}, nothing written",
                counted(outcome.findings.len(), "fault")
            );
            (inputs, outcome)
        }
    };
    for (input, path) in &inputs {
        let is_pointed_at = |finding: &Finding| finding.at.source == input.name;
        if outcome.findings.iter().any(is_pointed_at)
            && let Ok(bytes) = crate::files::read(path)
            // Lines of what was judged, not of what the file has become since.
            && sha256_hex(&bytes) == input.sha256
        {
            crate::source::locate_findings(&input.name, &bytes, &mut outcome.findings);
        }
    }
    outcome.inputs = inputs.into_iter().map(|(input, _)| input).collect();
    Ok(Answer::Outcomes(vec![outcome]))
}

fn write(stage: &Stage, out: &Path, written: Output<'_>, derived: &Derived) -> Result<(), Error> {
    let failed = |path: &Path, error: &std::io::Error| Error::Write {
        name: shown(path),
        reason: error.into(),
    };
    let home = folder_of(out)
        .canonicalize()
        .map_err(|error| failed(out, &error))?;
    let item = |role: &str, path: &Path, sha256: &str, len_bytes: u64| {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        Item {
            len_bytes,
            name: receipt::relative(&home, &target),
            role: role.to_owned(),
            sha256: sha256.to_owned(),
        }
    };
    let inputs: Vec<Item> = derived
        .inputs
        .iter()
        .map(|(input, path)| item(&input.role, path, &input.sha256, input.len_bytes))
        .collect();
    let name = out
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let output = Item {
        len_bytes: written.len_bytes,
        name,
        role: "output".to_owned(),
        sha256: hex(&written.hasher.finalize()),
    };
    let mut options = stage.options();
    if let Some(readers) = &derived.readers {
        options.insert(READERS.to_owned(), readers.clone());
    }
    let receipt = Receipt {
        command: stage.command().to_owned(),
        inputs,
        options,
        output,
        tool: Tool::this(),
        version: receipt::VERSION,
    };
    // Both are whole before one is in its place, so that a full disk leaves neither. What is no file
    // (a device, a FIFO, a descriptor) will not be there to be compared with a receipt.
    let receipt_path = crate::files::is_lasting(out).then(|| receipt::path_of(out));
    let staged = match &receipt_path {
        Some(path) => {
            let staged = crate::files::stage(path, &receipt.to_bytes());
            Some((path, staged.map_err(|error| failed(path, &error))?))
        }
        None => None,
    };
    written
        .staging
        .map_or(Ok(()), |staging| staging.finish()?.commit())
        .map_err(|error| failed(out, &error))?;
    staged.map_or(Ok(()), |(path, staged)| {
        staged.commit().map_err(|error| failed(path, &error))
    })
}

fn derive(stage: &Stage, world: &dyn World, output: &mut Output<'_>) -> Result<Derived, Halt> {
    match stage {
        Stage::Quotes {
            findings,
            manifest,
            room,
            extractor,
            repairs,
        } => derive_quotes(
            [findings, manifest, room],
            extractor.extractor(),
            *repairs,
            world,
            output,
        ),
        Stage::Plan {
            findings,
            framework,
        } => derive_plan(findings, framework, output),
        Stage::Merge {
            findings,
            plan,
            results,
        } => derive_merge([findings, plan, results], world, output),
    }
}

fn derive_quotes(
    [findings, manifest, room]: [&Path; 3],
    extractor: Extractor,
    repairs: bool,
    world: &dyn World,
    output: &mut Output<'_>,
) -> Result<Derived, Halt> {
    let ledger_text = read(Role::Findings, findings)?;
    let ledger = ledger(findings, &ledger_text, &quotes::LEDGER_KEYS)?;
    let manifest_text = read(Role::Manifest, manifest)?;
    let manifest_value = value(
        Role::Manifest,
        manifest,
        &manifest_text,
        &quotes::MANIFEST_KEYS,
    )?;
    let mut inputs = vec![
        (
            Input::new("findings", shown(findings), ledger_text.as_bytes()),
            findings.to_path_buf(),
        ),
        (
            Input::new("manifest", shown(manifest), manifest_text.as_bytes()),
            manifest.to_path_buf(),
        ),
    ];
    refuse_repeats(&ledger, findings, &inputs)?;
    if !room.is_dir() {
        return Err(Error::Read {
            kind: "room",
            name: shown(room),
            reason: "it is not a folder".into(),
        }
        .into());
    }
    let root = room.canonicalize().unwrap_or_else(|_| room.to_path_buf());
    let paths = [(Role::Findings, findings), (Role::Manifest, manifest)];
    let documents = quotes::documents(&manifest_value).map_err(|stop| unusable(stop, &paths))?;
    let how = room::How {
        extractor,
        is_told: true,
    };
    let checked = match room::check(&root, &ledger, &documents, how, world) {
        Ok(checked) => checked,
        Err(RoomStop::Changed(changed)) => {
            let found = changed_documents(manifest, &changed);
            return Err(Halt::Findings(inputs, found));
        }
        Err(RoomStop::Ledger(Stop::Said(text))) => {
            return Err(faults(inputs, &rules::DOCUMENT_DIFFERS, findings, &[text]));
        }
        Err(RoomStop::Ledger(stop)) => return Err(unusable(stop, &paths).into()),
    };
    let twins = super::ledger_check::twins(room, manifest, &manifest_value, &checked.digests)?;
    if !twins.is_empty() {
        return Err(Halt::Findings(inputs, twins));
    }
    if let Some(listed) = &mut output.listed {
        let read = documents.iter().zip(&checked.digests);
        listed.extend(read.filter_map(|(document, sha256)| {
            let path = crate::files::path_of(&document.path)?;
            Some((room.join(path), sha256.clone()))
        }));
    }
    let mut standings = checked.standings();
    let own_words = if repairs {
        checked.own_words()
    } else {
        BTreeMap::new()
    };
    for index in own_words.keys() {
        if let Some(slot) = standings.get_mut(*index) {
            *slot = Some(quotes::Standing::Found);
        }
    }
    let verified = output.take(|sink| quotes::apply(&ledger, &standings, &own_words, sink))?;
    inputs.push((
        Input {
            role: "room".into(),
            name: shown(room),
            sha256: checked.sha256.clone(),
            len_bytes: checked.len_bytes,
        },
        room.to_path_buf(),
    ));
    let (found, details) = quote_findings(findings, room, &documents, &checked, &own_words);
    Ok(Derived {
        inputs,
        findings: found,
        facts: vec![
            ("confirmed", verified.confirmed_count),
            ("rejected", verified.rejected_count),
        ],
        summary: format!(
            "{} confirmed, {} changed to unresolved",
            counted(verified.confirmed_count, "quote"),
            verified.rejected_count
        ),
        details,
        readers: Some(checked.readers.into_iter().collect::<Vec<_>>().join(", ")),
    })
}

/// A finding for every quote that was not found, and the quotes with their grades.
pub(super) fn quote_findings(
    findings: &Path,
    room: &Path,
    documents: &[quotes::Document<'_>],
    checked: &room::Checked<'_>,
    own_words: &BTreeMap<usize, String>,
) -> (Vec<Finding>, Vec<Detail>) {
    let name = shown(findings);
    let at = |index: usize| Location::at_path(name.clone(), format!("$.findings[{index}].quote"));
    let mut found: Vec<(usize, Finding)> = checked
        .citations
        .empty
        .iter()
        .map(|&index| {
            (
                index,
                Finding::new(&rules::QUOTE_NOT_IN_SOURCE, at(index), "the quote is empty"),
            )
        })
        .collect();
    let mut evidence = Evidence::default();
    for (document, answers) in &checked.answers {
        let path = documents
            .get(*document)
            .map(|document| document.path.to_display())
            .unwrap_or_default();
        let cited = checked
            .citations
            .by_document
            .get(*document)
            .into_iter()
            .flatten();
        for (citation, answer) in cited.zip(answers) {
            let unread = &answer.unread;
            let (is_found, as_recorded) = (answer.is_found, answer.is_found_as_recorded);
            let Some(answer) = &answer.told else {
                continue;
            };
            let quote = citation.quote.to_display();
            let mut difference = answer
                .difference
                .as_deref()
                .map_or(String::new(), |text| format!(": {text}"));
            if as_recorded {
                difference += "; verify_finding_quotes.py takes it, since it drops digits and a colon at the head of any line";
            }
            let flags = if answer.flags.is_empty() {
                String::new()
            } else {
                format!(" ({})", flag_names(answer))
            };
            let place = answer.at.map_or(String::new(), |at| {
                let page = at
                    .page
                    .map_or(String::new(), |page| format!("page {page}, "));
                format!(
                    " at {page}line {}, column {}",
                    at.start.line, at.start.column
                )
            });
            let (rule, message) = match unread {
                Some(why) => (
                    &rules::UNREADABLE_DOCUMENT,
                    format!(
                        "`{}` is not in what can be read of `{}`: {why}",
                        excerpt(&quote),
                        excerpt(&path)
                    ),
                ),
                None => (
                    &rules::QUOTE_NOT_IN_SOURCE,
                    format!(
                        "`{}` is {}{flags} in `{}`{place}{difference}",
                        excerpt(&quote),
                        answer.grade.name(),
                        excerpt(&path)
                    ),
                ),
            };
            let source = || {
                let mut source = Location::of_source(shown(&room.join(&*path)));
                if let Some(at) = answer.at {
                    (source.start, source.end) = (Some(at.start), Some(at.end));
                    source.page = at.page;
                }
                source
            };
            if let Some(words) = own_words.get(&citation.finding_index) {
                let message = format!(
                    "`{}` is now `{}`, as `{}` has it{place}{difference}",
                    excerpt(&quote),
                    excerpt(words),
                    excerpt(&path)
                );
                let finding =
                    Finding::new(&rules::QUOTE_REPAIRED, at(citation.finding_index), message)
                        .with_related(source());
                found.push((citation.finding_index, finding));
            } else if is_found {
                let finding = Finding::new(&FLAGGED, at(citation.finding_index), message)
                    .with_related(source());
                found.push((citation.finding_index, finding));
            } else {
                let finding =
                    Finding::new(rule, at(citation.finding_index), message).with_related(source());
                found.push((citation.finding_index, finding));
            }
            evidence.quotes.push(Quote {
                id: format!("$.findings[{}]", citation.finding_index),
                quote: quote.into_owned(),
                grade: answer.grade.name().to_owned(),
                flags: answer
                    .flags
                    .iter()
                    .map(|flag| flag.name().to_owned())
                    .collect(),
                start: answer.at.map(|at| at.start),
                end: answer.at.map(|at| at.end),
                page: answer.at.and_then(|at| at.page),
                difference: answer.difference.clone(),
                ..Quote::default()
            });
        }
    }
    for (document, why) in &checked.unreadable {
        let cited = checked.citations.by_document.get(*document);
        for citation in cited.into_iter().flatten() {
            let index = citation.finding_index;
            let finding = Finding::new(
                &rules::UNREADABLE_DOCUMENT,
                at(index),
                why.to_display().as_ref(),
            );
            found.push((index, finding));
        }
    }
    found.sort_by_key(|(index, _)| *index);
    let details = if evidence.quotes.is_empty() {
        Vec::new()
    } else {
        vec![Detail::Evidence(evidence)]
    };
    (
        found.into_iter().map(|(_, finding)| finding).collect(),
        details,
    )
}

fn derive_plan(
    findings: &Path,
    framework: &Path,
    output: &mut Output<'_>,
) -> Result<Derived, Halt> {
    let ledger_text = read(Role::Findings, findings)?;
    let ledger = ledger(findings, &ledger_text, &merge::LEDGER_KEYS)?;
    let framework_text = read(Role::Framework, framework)?;
    let framework_value = value(
        Role::Framework,
        framework,
        &framework_text,
        &["framework_version", "lenses"],
    )?;
    let inputs = vec![
        (
            Input::new("findings", shown(findings), ledger_text.as_bytes()),
            findings.to_path_buf(),
        ),
        (
            Input::new("framework", shown(framework), framework_text.as_bytes()),
            framework.to_path_buf(),
        ),
    ];
    let paths = [(Role::Findings, findings), (Role::Framework, framework)];
    refuse_repeats(&ledger, findings, &inputs)?;
    let plan = match plan::build(&ledger, &framework_value) {
        Ok(plan) => plan,
        Err(Stop::Faults(texts)) => {
            return Err(faults(inputs, &rules::LEDGER_NOT_READY, findings, &texts));
        }
        Err(stop) => return Err(unusable(stop, &paths).into()),
    };
    output.take(|sink| plan.write(sink))?;
    Ok(Derived {
        inputs,
        findings: Vec::new(),
        facts: vec![("jobs", plan.job_count())],
        summary: counted(plan.job_count(), "independent checker job"),
        details: Vec::new(),
        readers: None,
    })
}

fn derive_merge(
    [findings, plan, results]: [&Path; 3],
    world: &dyn World,
    output: &mut Output<'_>,
) -> Result<Derived, Halt> {
    let ledger_text = read(Role::Findings, findings)?;
    let ledger = ledger(findings, &ledger_text, &merge::LEDGER_KEYS)?;
    let plan_text = read(Role::Plan, plan)?;
    let read = Listing::read_plan(&plan_text);
    let plan_listing = listing(Role::Plan, plan, &plan_text, read, &merge::PLAN_KEYS)?;
    let mut inputs = vec![
        (
            Input::new("findings", shown(findings), ledger_text.as_bytes()),
            findings.to_path_buf(),
        ),
        (
            Input::new("checker_plan", shown(plan), plan_text.as_bytes()),
            plan.to_path_buf(),
        ),
    ];
    let paths = [(Role::Findings, findings), (Role::Plan, plan)];
    refuse_repeats(&ledger, findings, &inputs)?;
    if !results.is_dir() {
        return Err(Error::Read {
            kind: "results",
            name: shown(results),
            reason: "it is not a folder".into(),
        }
        .into());
    }
    let checked = merge::check_identity(&ledger, &plan_listing)
        .and_then(|()| merge::check_coverage(&ledger, &plan_listing));
    let jobs = match checked {
        Ok(jobs) => jobs,
        Err(Stop::Said(text)) => {
            return Err(faults(inputs, &rules::PLAN_DOES_NOT_FIT, plan, &[text]));
        }
        Err(stop) => return Err(unusable(stop, &paths).into()),
    };
    let terms = Terms {
        dialect: Dialect::TrailingComma,
        is_digested: true,
        is_listed: output.listed.is_some(),
        world,
    };
    let mut gathered = match gather(results, &jobs, &plan_listing, &terms) {
        Ok(gathered) => gathered,
        Err(ResultFault::Folder(error)) => {
            return Err(Error::Read {
                kind: "results",
                name: shown(results),
                reason: error.into(),
            }
            .into());
        }
        Err(ResultFault::Interrupted) => return Err(Error::Interrupted.into()),
        Err(ResultFault::Unreadable { file, words }) => {
            return Err(faults(
                inputs,
                &rules::CHECKER_RESULT_FAULT,
                results,
                &[unreadable(&file, &words)],
            ));
        }
    };
    inputs.push((
        Input {
            role: "results".into(),
            name: shown(results),
            sha256: gathered.sha256.clone(),
            len_bytes: gathered.len_bytes,
        },
        results.to_path_buf(),
    ));
    if let Some(listed) = &mut output.listed {
        let read = std::mem::take(&mut gathered.listed).into_iter();
        listed.extend(read.map(|(name, sha256)| (results.join(name), sha256)));
    }
    match gathered.results.check() {
        Ok(()) => {}
        Err(Stop::Faults(texts)) => {
            return Err(faults(
                inputs,
                &rules::CHECKER_RESULT_FAULT,
                results,
                &texts,
            ));
        }
        Err(stop) => return Err(unusable(stop, &paths).into()),
    }
    let merged = output.take(|sink| gathered.results.apply(&ledger, sink))?;
    Ok(Derived {
        inputs,
        findings: Vec::new(),
        facts: vec![
            ("confirmed", merged.confirmed_count),
            ("changed", merged.changed_count),
        ],
        summary: format!(
            "{} confirmed, {} changed to unresolved",
            counted(merged.confirmed_count, "finding"),
            merged.changed_count
        ),
        details: Vec::new(),
        readers: None,
    })
}

/// Refuses a ledger in which two findings have one id; the drop-ins only notice some of them.
fn refuse_repeats(
    ledger: &Ledger<'_>,
    findings: &Path,
    inputs: &[(Input, PathBuf)],
) -> Result<(), Halt> {
    let paths = [(Role::Findings, findings)];
    let repeated = ledger
        .repeated("finding_id")
        .map_err(|stop| unusable(stop, &paths))?;
    if repeated.is_empty() {
        return Ok(());
    }
    let name = shown(findings);
    let mut repeated = repeated.into_iter().peekable();
    let mut found = Vec::new();
    let items = ledger.findings().map_err(|stop| unusable(stop, &paths))?;
    for (index, finding) in items.enumerate() {
        if repeated.next_if_eq(&index).is_some() {
            let id = crate::text::python::str_of(finding.get("finding_id").unwrap_or(&Value::Null));
            found.push(Finding::new(
                &rules::FINDING_ID_REPEATS,
                Location::at_path(name.clone(), format!("$.findings[{index}].finding_id")),
                format!(
                    "`{}` is the id of an earlier finding too",
                    excerpt(&id.to_display())
                ),
            ));
        }
    }
    Err(Halt::Findings(inputs.to_vec(), found))
}

/// `text` without the end of a list of thousands of names.
fn shortened(text: &str) -> String {
    const SHOWN_CHARS: usize = 1_000;
    let Some((at, _)) = text.char_indices().nth(SHOWN_CHARS) else {
        return text.to_owned();
    };
    let (start, _) = text.split_at(at);
    let start = start.rsplit_once(", ").map_or(start, |(start, _)| start);
    let rest = text.get(start.len()..).unwrap_or_default();
    format!("{start} and {} more", rest.matches(", ").count())
}

/// Documents that are not what the manifest says, each at its place there.
pub(super) fn changed_documents(manifest: &Path, changed: &[room::Changed]) -> Vec<Finding> {
    let at = |index: usize| Location::at_path(shown(manifest), format!("$.documents[{index}]"));
    changed
        .iter()
        .map(|changed| {
            let message = changed.told.clone();
            let message = message.unwrap_or_else(|| shortened(&changed.recorded.to_display()));
            Finding::new(&rules::DOCUMENT_DIFFERS, at(changed.index), message)
        })
        .collect()
}

fn faults(
    inputs: Vec<(Input, PathBuf)>,
    rule: &'static Rule,
    at: &Path,
    texts: &[Text<'_>],
) -> Halt {
    let findings = texts
        .iter()
        .map(|text| {
            Finding::new(
                rule,
                Location::of_source(shown(at)),
                shortened(&text.to_display()),
            )
        })
        .collect();
    Halt::Findings(inputs, findings)
}

pub(super) fn unusable(stop: Stop, paths: &[(Role, &Path)]) -> Error {
    match stop {
        Stop::Unusable {
            input,
            place,
            reason,
        } => {
            let path = paths
                .iter()
                .find(|(role, _)| *role == input)
                .map_or(String::new(), |(_, path)| shown(path));
            Error::Unusable {
                name: path,
                path: place,
                reason,
            }
        }
        Stop::Said(text) => Error::Usage(text.to_display().into_owned()),
        Stop::Faults(texts) => {
            let texts: Vec<_> = texts.iter().map(Text::to_display).collect();
            Error::Usage(texts.join("; "))
        }
    }
}

pub(super) fn shown(path: &Path) -> String {
    display(path.as_os_str()).to_display().into_owned()
}

fn unreadable_input(role: Role, path: &Path, reason: impl Into<Reason>) -> Error {
    Error::Read {
        kind: role.label(),
        name: shown(path),
        reason: reason.into(),
    }
}

pub(super) fn read(role: Role, path: &Path) -> Result<String, Error> {
    let source = Source::read(role.label(), path)?;
    source.text()?;
    String::from_utf8(source.into_bytes())
        .map_err(|fault| unreadable_input(role, path, fault.to_string()))
}

pub(super) fn ledger<'t>(path: &Path, text: &'t str, keys: &[&str]) -> Result<Ledger<'t>, Error> {
    listing(Role::Findings, path, text, Ledger::read(text), keys)
}

fn listing<'t>(
    role: Role,
    path: &Path,
    text: &str,
    read: Result<Listing<'t>, SyntaxError>,
    keys: &[&str],
) -> Result<Listing<'t>, Error> {
    let listing =
        read.map_err(|fault| unreadable_input(role, path, Reason::syntax(fault, text)))?;
    listing
        .require_keys(keys)
        .map_err(|stop| missing(stop, role, path))?;
    Ok(listing)
}

pub(super) fn value<'t>(
    role: Role,
    path: &Path,
    text: &'t str,
    keys: &[&str],
) -> Result<Value<'t>, Error> {
    let value = parse_json(text.as_bytes(), Dialect::TrailingComma)
        .map_err(|fault| unreadable_input(role, path, fault.words()))?;
    require_keys(role, &value, keys).map_err(|stop| missing(stop, role, path))?;
    Ok(value)
}

fn missing(stop: Stop, role: Role, path: &Path) -> Error {
    match &stop {
        Stop::Said(text) => Error::Unusable {
            name: shown(path),
            path: "$".to_owned(),
            reason: text.to_display().into_owned(),
        },
        Stop::Faults(_) | Stop::Unusable { .. } => unusable(stop, &[(role, path)]),
    }
}

/// The ledger that plan and results give, or why they give none.
pub(super) fn merged(
    [findings, plan, results]: [&Path; 3],
    world: &dyn World,
) -> Result<Vec<u8>, String> {
    let mut output = Output::new(None);
    output.kept = Some(Vec::new());
    match derive_merge([findings, plan, results], world, &mut output) {
        Ok(_) => Ok(output.kept.holds("the output is kept in memory")),
        Err(Halt::Error(error)) => Err(error.to_string()),
        Err(Halt::Findings(_, findings)) => Err(findings
            .into_iter()
            .map(|finding| finding.message)
            .collect::<Vec<_>>()
            .join("; ")),
    }
}

/// Run `ledger verify`: every receipt of the run against its file, its inputs, and the file derived
/// again; then that the ledger which `status` names follows from the documents. The first that does
/// not fit ends the run.
///
/// # Errors
/// When the folder cannot be read or holds no receipt.
pub fn verify(arguments: &VerifyArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let run = &arguments.run;
    if receipts_in(run)?.is_empty() {
        return Err(Error::Unusable {
            name: shown(run),
            path: String::new(),
            reason: format!(
                "no receipt in it (files *{}, which the ledger commands write)",
                receipt::SUFFIX
            ),
        });
    }
    let (files, _) = super::run_folder::look(run)?;
    let mut listed = arguments.attest.then(BTreeMap::new);
    let proof = followed(run, &files, context.world, listed.as_mut())?;
    let attested = match listed {
        Some(listed) => Some(attest(run, &files, &proof, listed)?),
        None => None,
    };
    let mut outcome = Outcome::from_findings("ledger verify", proof.findings);
    let said = match outcome.findings.first() {
        Some(finding) => format!("the chain breaks at {}", finding.at.source),
        None => format!(
            "{} derived again from their inputs, all the same, from the documents to {}",
            counted(proof.receipt_count, "file"),
            files
                .ledgers
                .last()
                .map_or(String::new(), |(found, _)| shown(&found.path))
        ),
    };
    outcome.summary = [vec![said], proof.told].concat().join("; ");
    if let Some(path) = attested {
        outcome.summary = format!("{}; attestation {path}", outcome.summary);
        outcome
            .facts
            .insert("attestation_path".to_owned(), path.into());
    }
    outcome
        .facts
        .insert("receipts".to_owned(), proof.receipt_count.into());
    outcome.inputs = proof.inputs;
    Ok(Answer::Outcomes(vec![outcome]))
}

/// Writes the attestation of `proof` beside the receipt of the ledger that has come furthest, and gives
/// its path.
fn attest(
    run: &Path,
    files: &Files,
    proof: &Proof,
    listed: BTreeMap<PathBuf, String>,
) -> Result<String, Error> {
    let home = run.canonicalize().unwrap_or_else(|_| run.to_path_buf());
    let name_of = |path: &Path| {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        receipt::relative(&home, &target)
    };
    let subject: BTreeMap<String, String> = listed
        .into_iter()
        .map(|(path, sha256)| (name_of(&path), sha256))
        .collect();
    let receipts = receipts_in(run)?;
    let ledger = files.ledgers.last().map(|(found, _)| &found.path);
    let beside = ledger
        .filter(|path| receipt::path_of(path).is_file())
        .map(|path| receipt::path_of(path))
        .or_else(|| receipts.last().map(|(path, _)| path.clone()))
        .unwrap_or_else(|| run.join(receipt::SUFFIX));
    let stem = beside
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem = stem.strip_suffix(receipt::SUFFIX).unwrap_or(&stem);
    let target = beside.with_file_name(format!("{stem}{}", attestation::SUFFIX));
    let is_whole = proof.findings.is_empty();
    let count = u64::try_from(proof.findings.len()).unwrap_or(u64::MAX);
    let said = Said {
        gate: "ledger verify",
        verdict: if is_whole { "passed" } else { "failed" }.to_owned(),
        rules: vec![(rules::CHAIN_BROKEN.code, is_whole)],
        finding_counts: BTreeMap::from([("error".to_owned(), count)]),
        draft_hash: None,
    };
    let followed = proof
        .inputs
        .iter()
        .map(|input| Resource::file(name_of(Path::new(&input.name)), &input.sha256));
    let subject = subject
        .into_iter()
        .map(|(name, sha256)| Resource::file(name, sha256));
    let statement = Statement::new(subject.collect(), said, followed.collect());
    crate::files::stage_in_place_of_link(&target, &statement.to_bytes())
        .and_then(crate::files::Staged::commit_synced)
        .map_err(|error| Error::Write {
            name: shown(&target),
            reason: (&error).into(),
        })?;
    Ok(shown(&target))
}

/// What the receipts of a run prove.
pub(super) struct Proof {
    pub(super) receipt_count: usize,
    /// The first thing that does not fit.
    pub(super) findings: Vec<Finding>,
    /// What is worth knowing of files that fit.
    pub(super) told: Vec<String>,
    inputs: Vec<Input>,
}

/// Follows every receipt of the run.
pub(super) fn proof(run: &Path, files: &Files, world: &dyn World) -> Result<Proof, Error> {
    followed(run, files, world, None)
}

/// [`proof`] that lists the files it looked into with their SHA-256, when that is asked for.
fn followed(
    run: &Path,
    files: &Files,
    world: &dyn World,
    mut listed: Option<&mut BTreeMap<PathBuf, String>>,
) -> Result<Proof, Error> {
    let mut inputs = Vec::new();
    let mut receipts = Vec::new();
    let mut findings = Vec::new();
    let mut held = Vec::new();
    for (path, is_plain) in receipts_in(run)? {
        let bytes = if is_plain {
            crate::files::read(&path)
                .map_err(|error| crate::text::python::os_error(&error, &Text::from(shown(&path))))
        } else {
            Err("it is a link, so anybody can exchange what it says".to_owned())
        };
        if let Ok(bytes) = &bytes {
            inputs.push(Input::new("receipt", shown(&path), bytes));
        }
        match bytes.and_then(|bytes| Receipt::parse(&bytes)) {
            Ok(receipt) => {
                held.push(custody::Held {
                    is_plain,
                    output: resolved(&path, &receipt.output),
                    inputs: receipt
                        .inputs
                        .iter()
                        .map(|item| resolved(&path, item))
                        .collect(),
                    receipt: receipt.clone(),
                    path: path.clone(),
                });
                receipts.push((path, receipt));
            }
            Err(reason) => {
                findings.push(broken(
                    &path,
                    format!("no receipt that can be followed: {reason}"),
                ));
            }
        }
    }
    let mut told = Vec::new();
    if findings.is_empty() {
        for (path, receipt) in in_chain_order(receipts) {
            if world.is_interrupted() {
                return Err(Error::Usage("interrupted".to_owned()));
            }
            match check_receipt(&path, &receipt, world, listed.as_deref_mut()) {
                Fit::Same(said) => told.extend(said),
                Fit::Broken(finding) => {
                    findings.push(finding);
                    break;
                }
            }
        }
    }
    if findings.is_empty()
        && let Some((path, said)) = custody::first_break(&held, &held_by(files))
    {
        findings.push(broken(&path, said));
    }
    findings.truncate(1);
    Ok(Proof {
        receipt_count: held.len(),
        findings,
        told,
        inputs,
    })
}

/// What the run holds, as the chain of custody asks for it.
fn held_by(files: &Files) -> custody::Run {
    let digest = |found: &Option<Found>| {
        found
            .as_ref()
            .map(|found| sha256_hex(found.text.as_bytes()))
    };
    custody::Run {
        ledgers: files
            .ledgers
            .iter()
            .map(|(found, counts)| custody::Claim {
                path: found
                    .path
                    .canonicalize()
                    .unwrap_or_else(|_| found.path.clone()),
                has_quotes: counts.quotes_confirmed + counts.quotes_rejected > 0,
                has_checkers: counts.checked > 0,
            })
            .collect(),
        framework: digest(&files.framework),
        manifest: digest(&files.manifest),
    }
}

pub(super) fn broken(path: &Path, message: String) -> Finding {
    Finding::new(
        &rules::CHAIN_BROKEN,
        Location::of_source(shown(path)),
        message,
    )
}

/// Everything in the folder and the folders in it that is called a receipt, sorted, and whether it is a
/// plain file. Links to folders are not followed.
pub(super) fn receipts_in(run: &Path) -> Result<Vec<(PathBuf, bool)>, Error> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![run.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let failed = |error: &std::io::Error| Error::Read {
            kind: "run",
            name: shown(&folder),
            reason: error.into(),
        };
        for entry in std::fs::read_dir(&folder).map_err(|error| failed(&error))? {
            let entry = entry.map_err(|error| failed(&error))?;
            let kind = entry.file_type().map_err(|error| failed(&error))?;
            let name = entry.file_name().to_string_lossy().to_lowercase();
            if kind.is_dir() {
                waiting.push(entry.path());
            } else if name.ends_with(receipt::SUFFIX) {
                found.insert(entry.path(), kind.is_file());
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Receipts such that a file comes after those it was derived from.
pub(super) fn in_chain_order(mut waiting: Vec<(PathBuf, Receipt)>) -> Vec<(PathBuf, Receipt)> {
    let mut ordered = Vec::new();
    while !waiting.is_empty() {
        let outputs: BTreeSet<PathBuf> = waiting
            .iter()
            .map(|(path, receipt)| resolved(path, &receipt.output))
            .collect();
        let (ready, later): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(path, receipt)| {
            !receipt
                .inputs
                .iter()
                .any(|item| outputs.contains(&resolved(path, item)))
        });
        if ready.is_empty() {
            // A circle: none of them can be first, so any order shows the fault.
            ordered.extend(later);
            break;
        }
        ordered.extend(ready);
        waiting = later;
    }
    ordered
}

/// Where an item of the receipt at `path` lies.
fn resolved(path: &Path, item: &Item) -> PathBuf {
    let joined = path.parent().unwrap_or(Path::new(".")).join(&item.name);
    joined.canonicalize().unwrap_or(joined)
}

/// How a receipt fits what it names.
enum Fit {
    /// It does; with a word on other readers.
    Same(Option<String>),
    Broken(Finding),
}

fn check_receipt(
    path: &Path,
    receipt: &Receipt,
    world: &dyn World,
    mut listed: Option<&mut BTreeMap<PathBuf, String>>,
) -> Fit {
    let by = if receipt.tool == Tool::this() {
        String::new()
    } else {
        format!(
            " (it was written by {} {})",
            receipt.tool.name, receipt.tool.version
        )
    };
    for item in receipt.inputs.iter().chain([&receipt.output]) {
        if matches!(item.role.as_str(), "room" | "results") {
            continue;
        }
        let file = resolved(path, item);
        let read = crate::files::read(&file).map(|bytes| sha256_hex(&bytes));
        if let (Some(listed), Ok(sha256)) = (listed.as_deref_mut(), &read) {
            listed.insert(file.clone(), sha256.clone());
        }
        let said = match read {
            Ok(sha256) if sha256 == item.sha256 => continue,
            Ok(_) => format!(
                "other bytes than the receipt of `{}` says",
                excerpt(&receipt.output.name)
            ),
            Err(error) => format!(
                "named by the receipt of `{}` and cannot be read: {}",
                excerpt(&receipt.output.name),
                crate::text::python::os_error(&error, &Text::borrowed(&item.name))
            ),
        };
        return Fit::Broken(broken(&file, said));
    }
    let input = |role: &str| receipt.input(role).map(|item| resolved(path, item));
    let stage = match (receipt.command.as_str(), input("findings")) {
        ("ledger quotes", Some(findings)) => {
            input("manifest")
                .zip(input("room"))
                .map(|(manifest, room)| {
                    let extractor = match receipt.options.get("extractor").map(String::as_str) {
                        Some("stdlib") => ExtractorChoice::Stdlib,
                        Some("pdftotext") => ExtractorChoice::Pdftotext,
                        Some(_) | None => ExtractorChoice::Auto,
                    };
                    Stage::Quotes {
                        findings,
                        manifest,
                        room,
                        extractor,
                        repairs: receipt.options.contains_key(REPAIR),
                    }
                })
        }
        ("ledger plan", Some(findings)) => input("framework").map(|framework| Stage::Plan {
            findings,
            framework,
        }),
        ("ledger merge", Some(findings)) => {
            input("checker_plan")
                .zip(input("results"))
                .map(|(plan, results)| Stage::Merge {
                    findings,
                    plan,
                    results,
                })
        }
        _ => None,
    };
    let Some(stage) = stage else {
        let command = excerpt(&receipt.command);
        return Fit::Broken(broken(
            path,
            format!("names no stage that can be derived again: `{command}`"),
        ));
    };
    let output = resolved(path, &receipt.output);
    let mut derived_output = Output::new(None);
    derived_output.listed = listed.is_some().then(Vec::new);
    let derived = derive(&stage, world, &mut derived_output);
    if let Some(listed) = listed {
        listed.extend(derived_output.listed.take().unwrap_or_default());
    }
    match derived {
        Ok(derived) => {
            for (input, place) in &derived.inputs {
                let is_other = receipt
                    .input(&input.role)
                    .is_some_and(|item| item.sha256 != input.sha256);
                if is_other {
                    let said = format!(
                        "other files than the receipt of `{}` says",
                        excerpt(&receipt.output.name)
                    );
                    return Fit::Broken(broken(place, said));
                }
            }
            let told = receipt.options.get(READERS).cloned();
            let other_reader = told
                .filter(|told| derived.readers.as_ref().is_some_and(|here| here != told))
                .map(|told| {
                    let here = derived.readers.unwrap_or_default();
                    format!("its documents were read by {told}, here by {here}")
                });
            if hex(&derived_output.hasher.finalize()) != receipt.output.sha256 {
                let why = other_reader.map_or(String::new(), |why| format!(": {why}"));
                return Fit::Broken(broken(
                    &output,
                    format!("does not follow from its inputs{why}{by}"),
                ));
            }
            Fit::Same(other_reader.map(|why| format!("{}: {why}", shown(&output))))
        }
        Err(Halt::Findings(_, findings)) => {
            let why = findings
                .first()
                .map_or(String::new(), |finding| finding.message.clone());
            Fit::Broken(broken(
                &output,
                format!("its inputs do not give it: {why}{by}"),
            ))
        }
        Err(Halt::Error(error)) => Fit::Broken(broken(
            &output,
            format!("its inputs do not give it: {error}{by}"),
        )),
    }
}
