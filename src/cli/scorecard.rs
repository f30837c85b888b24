//! `gatewright scorecard`: the strict gate over scorecards and run folders, and the template.
//!
//! In: scorecards (Markdown or JSON), run folders (INPUT.md with the scorecards of one review),
//! folders of run folders. Out: one outcome for each scorecard, in the order of the arguments and
//! of their names. Scorecards are checked in parallel; nothing is written.

use super::personas::{self, List, Personas};
use super::{Answer, Context};
use crate::digest::sha256_hex;
use crate::error::Error;
use crate::evidence::Prepared;
use crate::finding::{Finding, Location, excerpt};
use crate::gates::scorecard::phrases::Phrases;
use crate::gates::scorecard::strict::rules::{
    LIST_IN_THE_WORK, LOOKS_LIKE_ONE, NO_SCORECARD, NOT_CHECKED, OTHER_PERSONA, REPAIRED,
    SOURCE_CHANGED, UNKNOWN_PERSONA,
};
use crate::gates::scorecard::strict::{
    Draft, Options, Repair, Report, looks_like_scorecard, outcome, repaired, template,
};
use crate::outcome::{Input, Outcome, Verdict};
use crate::position::LineIndex;
use crate::report::Format;
use crate::rule::Severity;
use crate::value::Value;
use crate::value::json::repeated::first_ambiguous;
use crate::workers;
use rayon::prelude::*;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Scorecards of reviewers.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check scorecards by the written contract: fields, severities, evidence, banned phrases.
    ///
    /// Exit status: 0 nothing dropped and nothing missing, 1 otherwise, 2 when it could not run.
    Check(Check),
    /// Print the canonical template of a scorecard.
    Template,
}

#[derive(Debug, clap::Args)]
struct Check {
    /// Scorecards, run folders (with an INPUT.md), or folders of run folders.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The artifact that evidence must stand in; the INPUT.md beside a scorecard when not given.
    #[arg(long, value_name = "FILE")]
    source: Option<PathBuf>,
    /// Folder that holds persona-metadata/ or agents/, with a list for every persona; when not given,
    /// the working directory and all folders above the run folder, never the run folder itself.
    #[arg(long, value_name = "DIR")]
    personas: Option<PathBuf>,
    /// A phrase banned in claim and ask, instead of the persona's list; may be given several times.
    #[arg(long = "banned-phrase", value_name = "TEXT")]
    banned_phrases: Vec<String>,
    /// Take the severities high, medium, low for major, minor, nit.
    #[arg(long)]
    map_severity: bool,
    /// Put the artifact's own words in the place of evidence that differs from it in typography alone
    /// (quotation marks, dashes, ligatures), in the scorecards themselves, and list each change.
    #[arg(long)]
    repair: bool,
}

impl Arguments {
    /// Whether the template is asked for, which is no report.
    pub(super) fn is_template(&self) -> bool {
        matches!(self.command, Command::Template)
    }
}

/// Run a command of the group.
///
/// # Errors
/// When a path holds no scorecards, or the only scorecard or what it needs cannot be read.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    match &arguments.command {
        Command::Template => Ok(Answer::text(template::TEMPLATE)),
        Command::Check(check) => check_all(check, context).map(Answer::Outcomes),
    }
}

const ARTIFACT: &str = "INPUT.md";
const MANIFEST: &str = "MANIFEST.json";
const DRAFT_ENDING: &str = "-draft";

// Scorecards that share an artifact.
struct Batch {
    source: PathBuf,
    cards: Vec<PathBuf>,
    // The folder that the scorecards lie in.
    folder: PathBuf,
    // Whether that folder is a run: an INPUT.md and what reviewers wrote about it.
    is_run: bool,
    // What is wrong with the run folder as a whole.
    findings: Vec<Finding>,
}

fn check_all(check: &Check, context: &Context<'_>) -> Result<Vec<Outcome>, Error> {
    let mut batches = Vec::new();
    for path in &check.paths {
        collect(path, check.source.as_deref(), &mut batches)?;
    }
    let total: usize = batches.iter().map(|batch| batch.cards.len()).sum();
    let session = Session {
        check,
        context,
        explicit: (!check.banned_phrases.is_empty()).then(|| {
            Arc::new(Phrases::of_texts(
                check.banned_phrases.iter().map(String::as_str),
            ))
        }),
        personas: Personas::new(check.personas.as_deref()),
        done: AtomicUsize::new(0),
        total,
        start: Instant::now(),
    };
    let results: Vec<Result<Outcome, (String, Error)>> = workers::spread(|| {
        let answers = batches.par_iter().flat_map(|batch| session.batch(batch));
        answers.collect()
    });
    session.wipe();
    if context.world.is_interrupted() {
        return Err(Error::Interrupted);
    }
    let is_alone = results.len() == 1;
    let mut outcomes = Vec::with_capacity(results.len());
    for batch in batches {
        if !batch.findings.is_empty() {
            outcomes.push(of_folder(&batch.folder, batch.findings));
        }
    }
    for result in results {
        match result {
            Ok(outcome) => outcomes.push(outcome),
            Err((_, error)) if is_alone => return Err(error),
            Err((name, error)) => outcomes.push(undecided(&name, &error)),
        }
    }
    Ok(outcomes)
}

// What is wrong with a run folder, beside its scorecards.
fn of_folder(folder: &Path, findings: Vec<Finding>) -> Outcome {
    let summary = crate::finding::counted(findings.len(), "finding about the run folder");
    let mut outcome = Outcome::from_findings("scorecard check", findings);
    outcome.subject = folder.display().to_string();
    outcome.summary = summary;
    outcome
}

fn undecided(name: &str, error: &Error) -> Outcome {
    let finding = Finding::new(&NOT_CHECKED, Location::of_source(name), error.to_string());
    let mut outcome = Outcome::from_findings("scorecard check", vec![finding]);
    name.clone_into(&mut outcome.subject);
    outcome.verdict = Verdict::Undecided;
    "could not run".clone_into(&mut outcome.summary);
    outcome
}

// The scorecards that `path` stands for.
fn collect(path: &Path, source: Option<&Path>, batches: &mut Vec<Batch>) -> Result<(), Error> {
    if !path.is_dir() {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            Some(_) | None => Path::new("."),
        };
        let beside = || path.parent().unwrap_or(Path::new("")).join(ARTIFACT);
        let is_run = beside().is_file();
        batches.push(Batch {
            source: source.map_or_else(beside, Path::to_owned),
            cards: vec![path.to_owned()],
            folder: folder.to_owned(),
            is_run,
            findings: if is_run {
                list_in_the_work(folder)
            } else {
                Vec::new()
            },
        });
        return Ok(());
    }
    if path.join(ARTIFACT).is_file() {
        batches.push(run_folder(path, source)?);
        return Ok(());
    }
    let before = batches.len();
    for entry in entries(path)? {
        if entry.is_dir() && entry.join(ARTIFACT).is_file() {
            batches.push(run_folder(&entry, source)?);
        }
    }
    if batches.len() == before {
        return Err(Error::Unusable {
            name: path.display().to_string(),
            path: String::new(),
            reason: format!("holds neither {ARTIFACT} nor run folders with one"),
        });
    }
    Ok(())
}

fn run_folder(folder: &Path, source: Option<&Path>) -> Result<Batch, Error> {
    let listed = listed_personas(&folder.join(MANIFEST))?;
    let names: Vec<&str> = listed.iter().filter_map(|name| name.as_deref()).collect();
    let mut cards = Vec::new();
    let mut findings = list_in_the_work(folder);
    for entry in entries(folder)? {
        if is_card(&entry, &names) {
            cards.push(entry);
        } else {
            tell_look_alikes(&entry, 0, &mut findings);
        }
    }
    if cards.is_empty() {
        return Err(Error::Unusable {
            name: folder.display().to_string(),
            path: String::new(),
            reason: "holds no scorecard".to_owned(),
        });
    }
    findings.extend(missing_cards(folder, &listed, &cards));
    Ok(Batch {
        source: source.map_or_else(|| folder.join(ARTIFACT), Path::to_owned),
        cards,
        folder: folder.to_owned(),
        is_run: true,
        findings,
    })
}

// A scorecard of a run folder: Markdown, not named in capitals as INPUT.md and a synthesis are; or
// whatever looks like one. Where the manifest lists personas, prose of another name is none.
fn is_card(path: &Path, listed: &[&str]) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    if name == ARTIFACT || name == MANIFEST || !path.is_file() {
        return false;
    }
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy())
        .unwrap_or_default();
    let is_readable_kind = ["md", "markdown", "json"]
        .iter()
        .any(|kind| ending.eq_ignore_ascii_case(kind));
    if !is_readable_kind || name.starts_with('.') {
        return false;
    }
    let stem = stem_of(path);
    if ending == "md" && stem.chars().any(char::is_lowercase) {
        let is_draft = stem.ends_with(DRAFT_ENDING);
        if is_draft || listed.is_empty() || listed.contains(&stem.as_str()) {
            return true;
        }
    }
    // One that cannot be read is for the gate to refuse, not to be passed over.
    crate::files::read(path).map_or(true, |bytes| looks_like_scorecard(&bytes))
}

fn stem_of(path: &Path) -> String {
    path.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

// The persona whose scorecard or draft a file of this name is.
fn persona_of(path: &Path) -> String {
    let stem = stem_of(path);
    stem.strip_suffix(DRAFT_ENDING).unwrap_or(&stem).to_owned()
}

// Folders in a run folder are looked into this deep.
const NESTING: usize = 4;

// Files at `path` or below that look like scorecards although nobody looks at them.
fn tell_look_alikes(path: &Path, depth: usize, findings: &mut Vec<Finding>) {
    if path.is_dir() {
        if depth < NESTING && !path.is_symlink() {
            for entry in entries(path).unwrap_or_default() {
                tell_look_alikes(&entry, depth + 1, findings);
            }
        }
        return;
    }
    let is_ours = |name: &OsStr| name == ARTIFACT || name == MANIFEST;
    if !path.is_file() || depth == 0 && path.file_name().is_some_and(is_ours) {
        return;
    }
    if crate::files::read(path).is_ok_and(|bytes| looks_like_scorecard(&bytes)) {
        findings.push(Finding::new(
            &LOOKS_LIKE_ONE,
            Location::of_source(path.display().to_string()),
            "this file looks like a scorecard and was not looked at",
        ));
    }
}

fn list_in_the_work(folder: &Path) -> Vec<Finding> {
    if !personas::holds_personas(folder) {
        return Vec::new();
    }
    vec![Finding::new(
        &LIST_IN_THE_WORK,
        Location::of_source(folder.display().to_string()),
        "the run folder holds personas of its own, which are not used",
    )]
}

// Personas of the manifest that have no scorecard in the folder.
fn missing_cards(folder: &Path, listed: &[Option<String>], cards: &[PathBuf]) -> Vec<Finding> {
    let present: Vec<String> = cards.iter().map(|card| persona_of(card)).collect();
    let manifest = folder.join(MANIFEST).display().to_string();
    let mut findings = Vec::new();
    for (index, name) in listed.iter().enumerate() {
        let message = match name {
            Some(name) if present.contains(name) => continue,
            Some(name) => format!(
                "persona `{}` has no scorecard in the run folder",
                excerpt(name)
            ),
            None => "the entry names no persona".to_owned(),
        };
        let at = Location::at_path(manifest.clone(), format!("$.personas_run[{index}]"));
        findings.push(Finding::new(&NO_SCORECARD, at, message));
    }
    findings
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |error: &std::io::Error| unreadable("folder", folder, error);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| failed(&error))? {
        found.push(entry.map_err(|error| failed(&error))?.path());
    }
    found.sort();
    Ok(found)
}

fn unreadable(kind: &'static str, path: &Path, error: &std::io::Error) -> Error {
    Error::Read {
        kind,
        name: path.display().to_string(),
        reason: error.into(),
    }
}

// The manifest, when there is one.
fn manifest(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    if !path.is_file() {
        return Ok(None);
    }
    crate::files::read(path)
        .map(Some)
        .map_err(|error| unreadable("manifest", path, &error))
}

fn parsed_manifest<'b>(path: &Path, bytes: &'b [u8]) -> Result<Value<'b>, Error> {
    let unusable = |reason: String| Error::Unusable {
        name: path.display().to_string(),
        path: String::new(),
        reason,
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        unusable(format!(
            "not UTF-8: invalid byte at offset {}",
            error.valid_up_to()
        ))
    })?;
    let value = crate::value::json::parse(text)
        .map_err(|error| unusable(error.message(text, crate::value::json::Dialect::default())))?;
    match first_ambiguous(text) {
        Some(reason) => Err(unusable(reason)),
        None => Ok(value),
    }
}

// The personas that the manifest lists; nothing for an entry that names none.
fn listed_personas(path: &Path) -> Result<Vec<Option<String>>, Error> {
    let Some(bytes) = manifest(path)? else {
        return Ok(Vec::new());
    };
    let value = parsed_manifest(path, &bytes)?;
    let unusable = |place: &str, reason: &str| Error::Unusable {
        name: path.display().to_string(),
        path: place.to_owned(),
        reason: reason.to_owned(),
    };
    if value.as_object().is_none() {
        return Err(unusable("$", "the manifest is no object"));
    }
    let personas = match value.get("personas_run") {
        None | Some(Value::Null | Value::Bool(false)) => return Ok(Vec::new()),
        Some(Value::Array(personas)) => personas,
        Some(_) => return Err(unusable("$.personas_run", "a list of personas is wanted")),
    };
    let name = |persona: &Value<'_>| {
        let name = persona.get("name").unwrap_or(persona).as_text()?;
        let name = name.to_display().into_owned();
        personas::is_name(&name).then_some(name)
    };
    Ok(personas.iter().map(name).collect())
}

// What all threads share.
struct Session<'s> {
    check: &'s Check,
    context: &'s Context<'s>,
    explicit: Option<Arc<Phrases>>,
    personas: Personas<'s>,
    done: AtomicUsize,
    total: usize,
    start: Instant,
}

// Work that is quicker is not reported.
const PATIENCE: Duration = Duration::from_secs(1);

impl Session<'_> {
    fn batch(&self, batch: &Batch) -> Vec<Result<Outcome, (String, Error)>> {
        let name = batch.source.display().to_string();
        let bytes = match crate::files::read(&batch.source) {
            Ok(bytes) => bytes,
            Err(error) => {
                return self.failed(batch, |card| match std::fs::metadata(card) {
                    Ok(_) if self.check.source.is_none() => Error::Read {
                        kind: "source",
                        name: name.clone(),
                        reason: format!("{error}; name the artifact with --source FILE").into(),
                    },
                    Ok(_) => unreadable("source", &batch.source, &error),
                    // A misspelt scorecard has no artifact beside it either.
                    Err(error) => unreadable("scorecard", card, &error),
                });
            }
        };
        let source = match Prepared::from_bytes(&bytes) {
            Ok(source) => source,
            Err(error) => {
                return self.failed(batch, |_| super::evidence::unusable_source(&name, error));
            }
        };
        let input = Input::new("source", name.clone(), &bytes);
        let changed = match self.changed(batch, &input) {
            Ok(changed) => changed,
            Err(error) => return self.failed(batch, |_| Error::Usage(error.to_string())),
        };
        let one = |card: &PathBuf| {
            let shown = card.display().to_string();
            let result = self.card(card, &shown, &name, &source, &input, batch);
            self.advance();
            let mut outcome = result.map_err(|error| (shown, error))?;
            if let Some(changed) = &changed {
                outcome.findings.push(changed.clone());
                outcome.verdict = Verdict::Failed;
            }
            Ok(outcome)
        };
        if batch.cards.len() == 1 {
            return batch.cards.iter().map(one).collect();
        }
        workers::spread(|| batch.cards.par_iter().map(one).collect())
    }

    fn failed(
        &self,
        batch: &Batch,
        error: impl Fn(&Path) -> Error,
    ) -> Vec<Result<Outcome, (String, Error)>> {
        batch
            .cards
            .iter()
            .map(|card| {
                self.advance();
                Err((card.display().to_string(), error(card)))
            })
            .collect()
    }

    // A finding when the run's manifest has another digest of the artifact.
    fn changed(&self, batch: &Batch, input: &Input) -> Result<Option<Finding>, Error> {
        if !batch.is_run || self.check.source.is_some() {
            return Ok(None);
        }
        let path = batch.folder.join(MANIFEST);
        let Some(bytes) = manifest(&path)? else {
            return Ok(None);
        };
        let value = parsed_manifest(&path, &bytes)?;
        let recorded = match value.get("sha256") {
            None | Some(Value::Null) => return Ok(None),
            Some(recorded) => recorded,
        };
        let shown = match recorded.as_text() {
            Some(digest) => digest.to_display().into_owned(),
            None => crate::text::python::repr(recorded),
        };
        let digest = shown.strip_prefix("sha256:").unwrap_or(&shown);
        if recorded.as_text().is_some() && digest.eq_ignore_ascii_case(&input.sha256) {
            return Ok(None);
        }
        let message = format!(
            "{ARTIFACT} has the SHA-256 {}, the manifest records `{}`",
            input.sha256,
            excerpt(&shown)
        );
        let at = Location::of_source(input.name.clone());
        Ok(Some(Finding::new(&SOURCE_CHANGED, at, message)))
    }

    fn card(
        &self,
        path: &Path,
        name: &str,
        source_name: &str,
        source: &Prepared<'_>,
        input: &Input,
        batch: &Batch,
    ) -> Result<Outcome, Error> {
        let mut bytes =
            crate::files::read(path).map_err(|error| unreadable("scorecard", path, &error))?;
        let mut repairs = Vec::new();
        if self.check.repair {
            let (mended, made) = repaired(&bytes, source);
            if !made.is_empty() {
                crate::files::write_atomic(path, &mended).map_err(|error| Error::Write {
                    name: name.to_owned(),
                    reason: (&error).into(),
                })?;
                repairs = changes(name, &mended, &made);
                bytes = mended;
            }
        }
        let (report, lists) = match Draft::read(name, &bytes) {
            Ok(draft) => self.report(&draft, path, source_name, source, batch)?,
            Err(report) => (*report, Vec::new()),
        };
        let shows_quotes = self.context.format != Format::Text;
        let text = if self.context.format.shows_sources() {
            source.text()
        } else {
            ""
        };
        let mut outcome = outcome(name, report, shows_quotes.then_some((source_name, text)));
        outcome.findings.extend(repairs);
        outcome.inputs = vec![
            Input {
                role: "scorecard".into(),
                name: name.to_owned(),
                sha256: sha256_hex(&bytes),
                len_bytes: bytes.len() as u64,
            },
            input.clone(),
        ];
        outcome.inputs.extend(lists);
        Ok(outcome)
    }

    // The report, and the lists of phrases that it used.
    fn report(
        &self,
        draft: &Draft<'_>,
        path: &Path,
        source_name: &str,
        source: &Prepared<'_>,
        batch: &Batch,
    ) -> Result<(Report, Vec<Input>), Error> {
        let of_file = persona_of(path);
        let named = draft.persona();
        let mut held = List::default();
        let mut is_known = false;
        if let Some(explicit) = &self.explicit {
            held.phrases = Some(Arc::clone(explicit));
        } else {
            // Whoever writes another name is held to both lists.
            let own = self.personas.list(&of_file, &batch.folder, batch.is_run);
            // Outside of a run a file may be called anything, also like a page without a list.
            let own = if batch.is_run || named == of_file {
                own?
            } else {
                own.unwrap_or_default()
            };
            is_known = own.phrases.is_some();
            held = own;
            if named != of_file && !named.is_empty() {
                let other = self.personas.list(&named, &batch.folder, batch.is_run)?;
                held.phrases = match (held.phrases, other.phrases) {
                    (Some(own), Some(other)) => Some(Arc::new(own.joined(&other))),
                    (own, other) => own.or(other),
                };
                held.inputs.extend(other.inputs);
            }
        }
        let options = Options {
            phrases: held.phrases.as_deref(),
            maps_severity: self.check.map_severity,
        };
        let mut report = draft.check(source_name, source, options);
        let at = Location::at_path(path.display().to_string(), "$.persona");
        if !named.is_empty() && named != of_file {
            let message = format!(
                "the file is `{}`'s, its front matter names `{}`",
                excerpt(&of_file),
                excerpt(&named)
            );
            let mut finding = Finding::new(&OTHER_PERSONA, at.clone(), message);
            let is_free = !batch.is_run && !is_known;
            if is_free {
                finding.severity = Severity::Warning;
            }
            // The name of a file beside no artifact says nothing unless a persona has it.
            if !is_free || self.personas.is_named() {
                report.findings.push(finding);
            }
        }
        if self.personas.is_named() && held.phrases.is_none() {
            let persona = if named.is_empty() { &of_file } else { &named };
            let message = format!(
                "the folder of personas has no list for `{}`",
                excerpt(persona)
            );
            report
                .findings
                .push(Finding::new(&UNKNOWN_PERSONA, at, message));
        }
        Ok((report, held.inputs))
    }

    fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let step = (self.total / 100).max(1);
        if done.is_multiple_of(step) && self.is_watched() {
            self.context.world.draw(&bar(done, self.total));
        }
    }

    fn wipe(&self) {
        if self.is_watched() {
            self.context.world.draw("\r\u{1b}[K");
        }
    }

    fn is_watched(&self) -> bool {
        self.start.elapsed() >= PATIENCE && self.context.world.is_stderr_terminal()
    }
}

// A finding for each change of a scorecard.
fn changes(name: &str, bytes: &[u8], repairs: &[Repair]) -> Vec<Finding> {
    let lines = LineIndex::new(bytes);
    let finding = |repair: &Repair| {
        let mut at = Location::at_path(name, format!("$.findings[{}].evidence", repair.index));
        at.start = Some(lines.position(bytes, repair.byte_at));
        let message = format!(
            "evidence `{}` is now `{}`, as the artifact has it",
            excerpt(&repair.from),
            excerpt(&repair.to)
        );
        Finding::new(&REPAIRED, at, message)
    };
    repairs.iter().map(finding).collect()
}

fn bar(done: usize, total: usize) -> String {
    const CELLS: usize = 30;
    let filled = done.saturating_mul(CELLS) / total.max(1);
    let cells: String = (0..CELLS)
        .map(|cell| if cell < filled { '#' } else { '-' })
        .collect();
    format!("\r[{cells}] {done}/{total} scorecards\u{1b}[K")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scorecards_of_a_run_folder() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        for name in [
            "INPUT.md",
            "SYNTHESIS.md",
            "notes.txt",
            "sre.md",
            "pm-draft.md",
            "broken.md",
            "essay.md",
        ] {
            write(name, "prose");
        }
        let names = |batch: Batch| -> Vec<String> {
            batch
                .cards
                .iter()
                .map(|card| card.file_name().unwrap().to_string_lossy().into_owned())
                .collect()
        };
        let all = names(run_folder(folder.path(), None).unwrap());
        assert_eq!(all, ["broken.md", "essay.md", "pm-draft.md", "sre.md"]);
        write(
            "MANIFEST.json",
            r#"{"personas_run": [{"name": "sre"}, {"name": "broken"}]}"#,
        );
        assert_eq!(
            names(run_folder(folder.path(), None).unwrap()),
            ["broken.md", "pm-draft.md", "sre.md"]
        );
    }

    #[test]
    fn the_bar_fills() {
        assert_eq!(
            bar(5, 10),
            "\r[###############---------------] 5/10 scorecards\u{1b}[K"
        );
    }
}
