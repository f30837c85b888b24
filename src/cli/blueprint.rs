//! `gatewright blueprint`: palette recount, verdict and acceptance of site blueprints.
//!
//! Reads the files named, calls the pure gates, places findings in the text. A receipt is the only
//! thing written.

use super::draft_files::{self, Bound, Files};
use super::progress::{Stages, staged};
use super::{Answer, Context, blueprint_assess, draft_run};
use crate::detail::{Condition, ConditionState, Conditions, Detail, Palette, Swatch};
use crate::error::Error;
use crate::finding::{Finding, Location};
use crate::gates::draft::Lang;
use crate::gates::palette::recorded::{self, Unusable};
use crate::gates::palette::{corrected, rules as palette_rules};
use crate::gates::verdict::receipt::{self, Refusal, ShapeFault};
use crate::gates::verdict::{self, FindingCounts, Reason};
use crate::outcome::{Input, Outcome, Verdict};
use crate::value::json::locate::ValuePath;
use crate::value::json::repeated::first_ambiguous;
use crate::value::{Text, Value};
use clap::ValueEnum;
use std::collections::{BTreeMap, BTreeSet};
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

/// Which palette count decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Count {
    /// Everything below a member named after colour is a colour, as recount-palette-orphans.py counts.
    Recorded,
    /// Only what a screen paints with is a colour.
    #[default]
    Corrected,
}

impl Count {
    const fn word(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Corrected => "corrected",
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Recorded => Self::Corrected,
            Self::Corrected => Self::Recorded,
        }
    }
}

/// Language of the reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// Japanese, as `emit-verdict.py` words them.
    Ja,
    /// English.
    En,
}

impl Language {
    /// The language of a draft's reasons.
    pub(super) const fn lang(self) -> Lang {
        match self {
            Self::Ja => Lang::Ja,
            Self::En => Lang::En,
        }
    }

    /// The one asked for, else that of the locale.
    pub(super) fn of(asked: Option<Self>, context: &Context<'_>) -> Self {
        asked.unwrap_or_else(|| {
            let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
                .into_iter()
                .filter_map(|name| context.world.variable(name))
                .find(|value| !value.is_empty());
            match locale {
                Some(locale) if locale.as_encoded_bytes().starts_with(b"ja") => Self::Ja,
                _ => Self::En,
            }
        })
    }

    fn word(self, reason: &Reason) -> String {
        match self {
            Self::Ja => reason.japanese().to_display().into_owned(),
            Self::En => reason.english(),
        }
    }
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
    lang: Option<Language>,
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

/// A document that was read: display name, bytes, text.
struct Document {
    name: String,
    bytes: Vec<u8>,
}

impl Document {
    fn read(kind: &'static str, path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        match crate::files::read(path) {
            Ok(bytes) => Ok(Self { name, bytes }),
            Err(error) => Err(Error::Read {
                kind,
                reason: (&error).into(),
                name,
            }),
        }
    }

    fn text(&self, kind: &'static str) -> Result<&str, Error> {
        crate::text::python::decode_utf8(&self.bytes).map_err(|reason| Error::Read {
            kind,
            name: self.name.clone(),
            reason: reason.into(),
        })
    }

    fn value<'d>(&self, kind: &'static str, text: &'d str) -> Result<Value<'d>, Error> {
        let value = crate::value::json::parse(text).map_err(|fault| Error::Read {
            kind,
            name: self.name.clone(),
            reason: crate::error::Reason::syntax(fault, text),
        })?;
        match first_ambiguous(text) {
            Some(reason) => Err(Error::Unusable {
                name: self.name.clone(),
                path: String::new(),
                reason,
            }),
            None => Ok(value),
        }
    }
}

/// One count, whichever it was.
struct Counted {
    observed: BTreeSet<Text<'static>>,
    listed: BTreeSet<Text<'static>>,
    orphans: Vec<Text<'static>>,
    undecided: Vec<Text<'static>>,
}

impl Counted {
    fn of(blueprint: &Value<'_>, count: Count) -> Result<Self, Unusable> {
        let screens = blueprint.get("screens").unwrap_or(&Value::Null);
        let tokens = blueprint.get("design_tokens").unwrap_or(&Value::Null);
        Ok(match count {
            Count::Recorded => Self {
                observed: recorded::observed(screens)?.into_iter().collect(),
                listed: recorded::palette(tokens)?.into_iter().collect(),
                orphans: recorded::count(blueprint)?.orphans,
                undecided: Vec::new(),
            },
            Count::Corrected => {
                let counted = corrected::count(blueprint)?;
                Self {
                    observed: corrected::observed(blueprint)?.into_iter().collect(),
                    listed: corrected::palette(tokens)?.into_iter().collect(),
                    orphans: counted.orphans,
                    undecided: counted.undecided,
                }
            }
        })
    }

    fn figures(&self, count: Count) -> serde_json::Value {
        let shown = |texts: &[Text<'_>]| -> Vec<String> {
            texts
                .iter()
                .map(|text| text.to_display().into_owned())
                .collect()
        };
        serde_json::json!({
            "count": count.word(),
            "observed_count": self.observed.len(),
            "palette_count": self.listed.len(),
            "orphan_count": self.orphans.len(),
            "orphans": shown(&self.orphans),
            "undecided": shown(&self.undecided),
        })
    }
}

fn places_of(
    blueprint: &Value<'_>,
    count: Count,
    wanted: &[Text<'static>],
) -> Result<BTreeMap<Text<'static>, Vec<ValuePath>>, Unusable> {
    match count {
        Count::Recorded => recorded::places(blueprint, wanted),
        Count::Corrected => corrected::places(blueprint, wanted),
    }
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
    let document = Document::read(BLUEPRINT, path)?;
    stages.advance();
    let text = document.text(BLUEPRINT)?;
    let blueprint = document.value(BLUEPRINT, text)?;
    stages.advance();
    let mut outcome = recount_value(&blueprint, &document.name, Some(text), count, is_why)?;
    stages.advance();
    outcome.inputs = vec![Input::new(BLUEPRINT, &document.name, &document.bytes)];
    Ok(outcome)
}

/// Count a blueprint that is called `name` and whose JSON text is `text`, where it has one.
///
/// # Errors
/// When it cannot be counted.
pub fn recount_value(
    blueprint: &Value<'_>,
    name: &str,
    text: Option<&str>,
    count: Count,
    is_why: bool,
) -> Result<Outcome, Error> {
    if blueprint.as_object().is_none() {
        return Err(Error::Unusable {
            name: name.to_owned(),
            path: String::new(),
            reason: "the root is no object".to_owned(),
        });
    }
    let unusable = |fault: Unusable| Error::Unusable {
        name: name.to_owned(),
        path: fault.place,
        reason: fault.reason,
    };
    let counted = Counted::of(blueprint, count).map_err(unusable)?;
    // The other count never keeps this one from deciding.
    let beside = Counted::of(blueprint, count.other());
    let shown_beside = beside.as_ref().ok().filter(|_| is_why);
    let source = Source { name, text };
    let findings =
        palette_findings(source, blueprint, count, &counted, shown_beside).map_err(unusable)?;
    let swatches = swatches(&counted, &findings);
    let mut outcome = Outcome::from_findings("blueprint recount", findings);
    let other = match &beside {
        Ok(beside) => beside.figures(count.other()),
        Err(fault) => serde_json::json!({
            "count": count.other().word(),
            "unusable": format!("{}: {}", fault.place, fault.reason),
        }),
    };
    outcome
        .facts
        .insert("deciding".to_owned(), counted.figures(count));
    outcome.facts.insert("beside".to_owned(), other);
    outcome.summary = format!(
        "{} count: {} of {} observed, palette {} ({})",
        count.word(),
        crate::finding::counted(counted.orphans.len(), "orphan"),
        counted.observed.len(),
        counted.listed.len(),
        match &beside {
            Ok(beside) => format!(
                "{} count: {} of {}, palette {}",
                count.other().word(),
                beside.orphans.len(),
                beside.observed.len(),
                beside.listed.len()
            ),
            Err(_) => format!("{} count: cannot use the blueprint", count.other().word()),
        }
    );
    outcome.details.push(Detail::Palette(Palette { swatches }));
    Ok(outcome)
}

/// The name of a document and its text, where it has one.
#[derive(Clone, Copy)]
struct Source<'s> {
    name: &'s str,
    text: Option<&'s str>,
}

impl Source<'_> {
    /// Places of `paths`, in their order.
    fn places(self, paths: &[ValuePath]) -> Vec<Location> {
        let mut places: Vec<_> = paths
            .iter()
            .map(|path| Location::at_path(self.name, path.to_string()))
            .collect();
        if let Some(text) = self.text
            && !paths.is_empty()
        {
            crate::source::locate_in(text.as_bytes(), paths.iter().zip(&mut places).collect());
        }
        places
    }
}

/// Findings of the deciding count; with `beside` every place, and what only that count reports.
fn palette_findings(
    source: Source<'_>,
    blueprint: &Value<'_>,
    count: Count,
    counted: &Counted,
    beside: Option<&Counted>,
) -> Result<Vec<Finding>, Unusable> {
    let mut wanted = counted.orphans.clone();
    wanted.extend(counted.undecided.iter().cloned());
    let here = places_of(blueprint, count, &wanted)?;
    let only_beside: Vec<_> = beside
        .map(|beside| {
            let orphans = beside.orphans.iter();
            orphans
                .filter(|orphan| !counted.orphans.contains(orphan))
                .cloned()
                .collect()
        })
        .unwrap_or_default();
    let there = match beside {
        Some(_) => {
            let mut wanted = counted.orphans.clone();
            wanted.extend(only_beside.iter().cloned());
            places_of(blueprint, count.other(), &wanted)?
        }
        None => BTreeMap::new(),
    };

    let mut drafts: Vec<(&'static crate::rule::Rule, String, Vec<ValuePath>)> = Vec::new();
    let none = Vec::new();
    for orphan in &counted.orphans {
        let (own, others) = (
            here.get(orphan).unwrap_or(&none),
            there.get(orphan).unwrap_or(&none),
        );
        let shown = crate::finding::excerpt(&orphan.to_display());
        let mut message = format!("`{shown}` is observed and no palette lists it");
        let tokens = blueprint.get("design_tokens").unwrap_or(&Value::Null);
        if let Some(entry) = corrected::equal_entry(tokens, orphan) {
            message = format!("{message} in this notation; it equals {entry}");
        }
        let mut paths: Vec<_> = own.iter().take(1).cloned().collect();
        if beside.is_some() {
            message = format!(
                "{message}; {} places in the {} count, {} in the {} count",
                own.len(),
                count.word(),
                others.len(),
                count.other().word()
            );
            paths.clone_from(own);
            paths.extend(others.iter().filter(|path| !own.contains(path)).cloned());
        }
        drafts.push((&palette_rules::ORPHAN, message, paths));
    }
    for value in &counted.undecided {
        let shown = crate::finding::excerpt(&value.to_display());
        let message =
            format!("`{shown}` stands in a colour's place and cannot be decided from its text");
        let places = here.get(value).cloned().unwrap_or_default();
        drafts.push((&palette_rules::UNDECIDED, message, places));
    }
    for orphan in &only_beside {
        let shown = crate::finding::excerpt(&orphan.to_display());
        let places = there.get(orphan).cloned().unwrap_or_default();
        let message = format!(
            "`{shown}` is an orphan of the {} count only, at {} places",
            count.other().word(),
            places.len()
        );
        drafts.push((&palette_rules::OTHER_COUNT, message, places));
    }

    let all: Vec<_> = drafts
        .iter()
        .flat_map(|(_, _, paths)| paths.clone())
        .collect();
    let mut located = source.places(&all).into_iter();
    let mut findings: Vec<_> = drafts
        .into_iter()
        .map(|(rule, message, paths)| {
            let mut places = located.by_ref().take(paths.len());
            let at = places
                .next()
                .unwrap_or_else(|| Location::of_source(source.name));
            let mut finding = Finding::new(rule, at, message);
            finding.related = places.collect();
            finding
        })
        .collect();
    if counted.observed.is_empty() {
        let at = Location::at_path(source.name, "$.screens");
        let message = "no colour is observed under `screens`, so zero orphans prove nothing";
        findings.push(Finding::new(&palette_rules::NOTHING_OBSERVED, at, message));
    }
    Ok(findings)
}

fn swatches(counted: &Counted, findings: &[Finding]) -> Vec<Swatch> {
    let all: BTreeSet<_> = counted.observed.union(&counted.listed).collect();
    let orphans: BTreeMap<_, _> = counted.orphans.iter().zip(findings).collect();
    all.into_iter()
        .map(|color| Swatch {
            color: color.to_display().into_owned(),
            is_in_palette: counted.listed.contains(color),
            is_observed: counted.observed.contains(color),
            places: orphans
                .get(color)
                .and_then(|finding| finding.at.path.clone())
                .into_iter()
                .collect(),
        })
        .collect()
}

fn verdict(arguments: &VerdictArguments, context: &Context<'_>) -> Result<Outcome, Error> {
    const KIND: &str = "assessment";
    if arguments.input.is_dir() {
        return verdict_on_draft(arguments, context);
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
    let document = Document::read(KIND, &arguments.input)?;
    let text = document.text(KIND)?;
    let assessment = document.value(KIND, text)?;
    let plan = Issue {
        draft_hash,
        folder: arguments.folder.folder(context),
        evaluated_at: arguments
            .evaluated_at
            .as_deref()
            .map(crate::files::display)
            .filter(|text| !text.is_empty()),
        is_strict: !arguments.no_strict,
        language: Language::of(arguments.lang, context),
    };
    let mut outcome = issue(
        &assessment,
        &document.name,
        Some(text),
        &plan,
        None,
        context,
    )?;
    if outcome.verdict == Verdict::Passed {
        outcome.findings.push(Finding::new(
            &receipt::HASH_ON_TRUST,
            Location::of_source(document.name.clone()),
            "hash and assessment are taken on trust: no draft was looked at",
        ));
    }
    outcome.inputs = vec![Input::new(KIND, &document.name, &document.bytes)];
    Ok(outcome)
}

/// Assess the draft, then decide and write the receipt. The bound hash is that of the draft.
fn verdict_on_draft(arguments: &VerdictArguments, context: &Context<'_>) -> Result<Outcome, Error> {
    let language = arguments.lang.map_or(Lang::Ja, Language::lang);
    let folder = arguments.folder.folder(context);
    blueprint_assess::refuse_inside(&arguments.input, &folder.join("receipt"))?;
    if let Some(output) = &context.output {
        blueprint_assess::refuse_inside(&arguments.input, output)?;
    }
    let request = arguments
        .draft
        .request(&arguments.input, language, context)?;
    let missing = request.missing_gates();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|gate| gate.name()).collect();
        return Err(Error::Usage(format!(
            "{} not run: give --plugin-root DIR (or --gate NAME=PATH, --gate-result NAME=FILE); no receipt written",
            names.join(" and ")
        )));
    }
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
        language: Language::of(arguments.lang, context),
    };
    let name = arguments.input.display().to_string();
    // No verdict under a hash that the files do not give.
    if let Some(mut stale) = blueprint_assess::stale_finding(&assessed, &arguments.input) {
        stale.severity = crate::rule::Severity::Error;
        let mut outcome = Outcome::from_findings("blueprint verdict", vec![stale]);
        for fact in ["verdict", "receipt_path"] {
            outcome
                .facts
                .insert(fact.to_owned(), serde_json::Value::Null);
        }
        "refused, no receipt written: the files do not give the draft_hash"
            .clone_into(&mut outcome.summary);
        return Ok(outcome);
    }
    let bytes = assessed.assessment.to_bytes();
    let beside = Beside {
        files: &assessed.files,
        assessment: &bytes,
    };
    let assessment = assessed.assessment.to_value();
    issue(&assessment, &name, None, &plan, Some(&beside), context)
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
    /// Language of the reasons.
    pub language: Language,
}

/// What lies beside the receipt of a draft that was looked at.
pub(super) struct Beside<'a> {
    files: &'a Files,
    assessment: &'a [u8],
}

/// What an assessment gives: reasons and counts, or the outcome that refuses it.
enum Judged {
    Decided(Vec<Reason>, FindingCounts),
    Refused(Outcome),
}

fn judge_assessment(
    assessment: &Value<'_>,
    source: Source<'_>,
    is_strict: bool,
) -> Result<Judged, Error> {
    if is_strict {
        let faults = receipt::assessment_faults(assessment);
        if !faults.is_empty() {
            return Ok(Judged::Refused(refused(source, faults)));
        }
    }
    let reasons = verdict::decide(assessment).map_err(|fault| Error::Unusable {
        name: source.name.to_owned(),
        path: String::new(),
        reason: fault.english(),
    })?;
    let counts = FindingCounts::of(assessment).map_err(|at| Error::Unusable {
        name: source.name.to_owned(),
        path: format!("$.findings[{at}].severity"),
        reason: "the severity is a list or an object, expected high, medium or low".to_owned(),
    })?;
    Ok(Judged::Decided(reasons, counts))
}

/// Decide on `assessment` without writing a receipt.
///
/// # Errors
/// When its structure lets nothing be decided.
pub fn decide(
    assessment: &Value<'_>,
    name: &str,
    is_strict: bool,
    language: Language,
) -> Result<Outcome, Error> {
    let source = Source { name, text: None };
    Ok(match judge_assessment(assessment, source, is_strict)? {
        Judged::Refused(outcome) => outcome,
        Judged::Decided(reasons, counts) => {
            let mut outcome = decided(source, &reasons, counts, language);
            verdict::word(&reasons).clone_into(&mut outcome.summary);
            outcome
        }
    })
}

fn decided(
    source: Source<'_>,
    reasons: &[Reason],
    counts: FindingCounts,
    language: Language,
) -> Outcome {
    let paths: Vec<_> = reasons.iter().map(path_of).collect();
    let findings = reasons
        .iter()
        .zip(source.places(&paths))
        .map(|(reason, at)| Finding::new(receipt::rule_of(reason), at, language.word(reason)))
        .collect();
    let mut outcome = Outcome::from_findings("blueprint verdict", findings);
    let fail_reasons: Vec<_> = reasons.iter().map(|reason| language.word(reason)).collect();
    for (fact, value) in [
        ("verdict", verdict::word(reasons).into()),
        ("fail_reasons", fail_reasons.into()),
        (
            "finding_counts",
            serde_json::json!({"high": counts.high, "medium": counts.medium, "low": counts.low}),
        ),
    ] {
        outcome.facts.insert(fact.to_owned(), value);
    }
    outcome
        .details
        .push(Detail::Conditions(conditions(reasons, language)));
    outcome
}

/// Decide on `assessment` (called `name`, its JSON text `text` where it has one) and write its
/// receipt. An assessment that is refused is a finding; nothing is written then.
///
/// # Errors
/// When nothing can be decided, or the receipt cannot be written.
pub(super) fn issue(
    assessment: &Value<'_>,
    name: &str,
    text: Option<&str>,
    plan: &Issue,
    beside: Option<&Beside<'_>>,
    context: &Context<'_>,
) -> Result<Outcome, Error> {
    let source = Source { name, text };
    let (reasons, counts) = match judge_assessment(assessment, source, plan.is_strict)? {
        Judged::Refused(outcome) => return Ok(outcome),
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
            name: name.to_owned(),
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
    if let Some(beside) = beside {
        let bound = Bound::new(
            &plan.draft_hash,
            beside.files.clone(),
            &bytes,
            beside.assessment,
        );
        let list = bound.to_bytes().map_err(|error| Error::Unusable {
            name: name.to_owned(),
            path: String::new(),
            reason: error.to_string(),
        })?;
        let hash = &plan.draft_hash;
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

    let mut outcome = decided(source, &reasons, counts, plan.language);
    for (fact, value) in [
        ("draft_hash", plan.draft_hash.clone()),
        ("receipt_path", shown.clone()),
    ] {
        outcome.facts.insert(fact.to_owned(), value.into());
    }
    outcome.summary = format!("{word}, receipt {shown}");
    Ok(outcome)
}

fn refused(source: Source<'_>, faults: Vec<ShapeFault>) -> Outcome {
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.clone()).collect();
    let count = faults.len();
    let findings = faults
        .into_iter()
        .zip(source.places(&paths))
        .map(|(fault, at)| Finding::new(fault.rule, at, fault.message))
        .collect();
    let mut outcome = Outcome::from_findings("blueprint verdict", findings);
    for fact in ["verdict", "receipt_path"] {
        outcome
            .facts
            .insert(fact.to_owned(), serde_json::Value::Null);
    }
    outcome.summary = format!(
        "refused, no receipt written: {count} value{} would make it invalid",
        if count == 1 { "" } else { "s" }
    );
    outcome
}

/// Path of the value that decides a reason.
fn path_of(reason: &Reason) -> ValuePath {
    let mut path = ValuePath::root();
    for key in reason.path().split('.').skip(1) {
        path = path.key(key);
    }
    path
}

/// Every condition of a PASS in the order it is decided, with the reason where it is not met.
pub(super) fn conditions(reasons: &[Reason], language: Language) -> Conditions {
    const ALL: [(&str, &str, &crate::rule::Rule); 13] = [
        (
            "gate_results",
            "the diagram gate passed",
            &receipt::DIAGRAM_GATE,
        ),
        (
            "gate_results",
            "the screen gate passed",
            &receipt::SCREEN_GATE,
        ),
        (
            "recount",
            "the recount found no palette orphan",
            &receipt::ORPHANS,
        ),
        (
            "recount",
            "the recount agrees with the screen gate",
            &receipt::DISAGREEMENT,
        ),
        (
            "findings",
            "no finding is of high severity",
            &receipt::HIGH_FINDINGS,
        ),
        (
            "observation_completeness",
            "no gap is silent",
            &receipt::SILENT_GAPS,
        ),
        (
            "observation_completeness",
            "every key screen was captured",
            &receipt::KEY_SCREEN_GAPS,
        ),
        (
            "load_policy_result",
            "requests and bytes are within the budget",
            &receipt::REQUEST_BUDGET,
        ),
        (
            "load_policy_result",
            "one request at a time",
            &receipt::CONCURRENCY,
        ),
        (
            "load_policy_result",
            "screenshots are within the budget",
            &receipt::SCREENSHOT_BUDGET,
        ),
        (
            "reconstruction",
            "no required top-level member is missing",
            &receipt::TOP_LEVEL_MISSING,
        ),
        (
            "reconstruction",
            "no question is open",
            &receipt::OPEN_QUESTIONS,
        ),
        (
            "reconstruction",
            "the scaffold follows without asking",
            &receipt::NOT_DERIVABLE,
        ),
    ];
    let conditions = ALL
        .into_iter()
        .map(|(group, text, rule)| {
            let against = reasons
                .iter()
                .find(|reason| receipt::rule_of(reason).code == rule.code);
            Condition {
                group: group.to_owned(),
                text: text.to_owned(),
                state: if against.is_some() {
                    ConditionState::Unmet
                } else {
                    ConditionState::Met
                },
                note: against.map_or_else(String::new, |reason| language.word(reason)),
            }
        })
        .collect();
    Conditions {
        title: "verdict".to_owned(),
        conditions,
    }
}

fn accept(arguments: &AcceptArguments, context: &Context<'_>) -> Result<Outcome, Error> {
    accept_draft(&arguments.draft, &arguments.folder.folder(context))
}

/// Accept the draft in the directory `draft` on the receipts in `folder`, or say why not.
///
/// # Errors
/// When there is no such directory.
pub fn accept_draft(draft: &Path, folder: &Path) -> Result<Outcome, Error> {
    if !draft.is_dir() {
        return Err(Error::Read {
            kind: "draft directory",
            name: draft.display().to_string(),
            reason: "there is no such directory".into(),
        });
    }
    let mut inputs = Vec::new();
    let judged = judge(draft, folder, &mut inputs)?;
    let findings = match &judged {
        Ok(_) => Vec::new(),
        Err((refusal, source)) => {
            let mut finding = Finding::new(
                refusal.rule(),
                Location::of_source(source),
                refusal.message(),
            );
            if let Refusal::ReceiptShape(faults) = refusal {
                finding.related = faults
                    .iter()
                    .map(|fault| Location::at_path(source, fault.path.to_string()))
                    .collect();
            }
            vec![finding]
        }
    };
    let mut outcome = Outcome::from_findings("blueprint accept", findings);
    outcome.summary = match &judged {
        Ok(receipt) => format!("accepted on {receipt}"),
        Err(_) => "not accepted".to_owned(),
    };
    outcome
        .facts
        .insert("accepted".to_owned(), judged.is_ok().into());
    outcome.inputs = inputs;
    Ok(outcome)
}

/// Path of the receipt that the draft is accepted on, or the refusal and the file it speaks of.
fn judge(
    draft: &Path,
    folder: &Path,
    inputs: &mut Vec<Input>,
) -> Result<Result<String, (Refusal, String)>, Error> {
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
            let assessment = parsed(&assessment).map_err(Refusal::Unbound)?;
            let parts = parsed(&bytes).map_err(Refusal::Unbound)?;
            receipt::same_parts(&parts, &assessment)?;
            Ok(bound)
        })
        .map_err(|refusal| (refusal, receipt.clone()));
    let bound = match held {
        Ok(bound) => bound,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let files = draft_files::list(draft)?;
    Ok(match bound.hold(&files) {
        Ok(()) => Ok(receipt),
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
    let draft_hash =
        read_draft_hash(&sink, &name, inputs).map_err(|refusal| (refusal, name.clone()))?;
    let path = folder.join(crate::receipts::file_name(&draft_hash));
    let path = crate::files::python_path(path.as_os_str());
    let name = path.display().to_string();
    let refuse = |refusal| (refusal, name.clone());
    let bytes = match crate::files::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(refuse(Refusal::ReceiptMissing));
        }
        Err(error) => {
            let why = crate::text::python::os_error(&error, &name);
            return Err(refuse(Refusal::ReceiptUnreadable(why)));
        }
    };
    inputs.push(Input::new("receipt", &name, &bytes));
    let receipt = parsed(&bytes).map_err(|why| refuse(Refusal::ReceiptUnreadable(why)))?;
    receipt::accept(&receipt, &draft_hash).map_err(refuse)?;
    drop(receipt);
    Ok((name, draft_hash, bytes))
}

fn parsed(bytes: &[u8]) -> Result<Value<'_>, String> {
    let text = crate::text::python::decode_utf8(bytes)?;
    let value = crate::value::json::parse(text)
        .map_err(|fault| fault.message(text, crate::value::json::Dialect::default()))?;
    match first_ambiguous(text) {
        Some(why) => Err(why),
        None => Ok(value),
    }
}

/// The draft hash in a `sink-status.json`.
///
/// # Errors
/// [`Refusal::SinkUnreadable`] or [`Refusal::SinkHash`].
pub fn read_draft_hash(
    sink: &Path,
    name: &str,
    inputs: &mut Vec<Input>,
) -> Result<String, Refusal> {
    let bytes = crate::files::read(sink)
        .map_err(|error| Refusal::SinkUnreadable(crate::text::python::os_error(&error, name)))?;
    inputs.push(Input::new("sink-status", name, &bytes));
    let status = parsed(&bytes).map_err(Refusal::SinkUnreadable)?;
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
