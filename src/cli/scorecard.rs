//! `gatewright scorecard`: the strict gate over scorecards and run folders, and the template.
//!
//! In: scorecards (Markdown or JSON), run folders (INPUT.md with the scorecards of one review),
//! folders of run folders. Out: one outcome for each scorecard, in the order of the arguments and
//! of their names. Scorecards are checked in parallel; nothing is written.

use super::{Answer, Context};
use crate::error::Error;
use crate::evidence::Prepared;
use crate::finding::{Finding, Location, excerpt};
use crate::gates::scorecard::phrases::Phrases;
use crate::gates::scorecard::strict::rules::{NOT_CHECKED, OTHER_PERSONA, SOURCE_CHANGED};
use crate::gates::scorecard::strict::{Draft, Options, Report, outcome, template};
use crate::outcome::{Input, Outcome, Verdict};
use crate::report::Format;
use crate::source::sha256_hex;
use crate::value::Value;
use crate::value::front_matter::split_front_matter;
use crate::value::yaml::{YamlValue, parse_yaml};
use crate::workers;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Folder that holds persona-metadata/ or agents/; the nearest above a scorecard when not given.
    #[arg(long, value_name = "DIR")]
    personas: Option<PathBuf>,
    /// A phrase banned in claim and ask, instead of the persona's list; may be given several times.
    #[arg(long = "banned-phrase", value_name = "TEXT")]
    banned_phrases: Vec<String>,
    /// Take the severities high, medium, low for major, minor, nit.
    #[arg(long)]
    map_severity: bool,
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
    // The manifest's folder, for a whole run.
    run: Option<PathBuf>,
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
        personas: Mutex::new(BTreeMap::new()),
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
        return Err(Error::Usage("interrupted".to_owned()));
    }
    let is_alone = results.len() == 1;
    let mut outcomes = Vec::with_capacity(results.len());
    for result in results {
        match result {
            Ok(outcome) => outcomes.push(outcome),
            Err((_, error)) if is_alone => return Err(error),
            Err((name, error)) => outcomes.push(undecided(&name, &error)),
        }
    }
    Ok(outcomes)
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
        let beside = || path.parent().unwrap_or(Path::new("")).join(ARTIFACT);
        batches.push(Batch {
            source: source.map_or_else(beside, Path::to_owned),
            cards: vec![path.to_owned()],
            run: None,
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
    let cards: Vec<PathBuf> = entries(folder)?
        .into_iter()
        .filter(|entry| is_card(entry, &listed))
        .collect();
    if cards.is_empty() {
        return Err(Error::Unusable {
            name: folder.display().to_string(),
            path: String::new(),
            reason: "holds no scorecard".to_owned(),
        });
    }
    Ok(Batch {
        source: source.map_or_else(|| folder.join(ARTIFACT), Path::to_owned),
        cards,
        run: Some(folder.to_owned()),
    })
}

// A scorecard of a run folder: Markdown, not named in capitals as INPUT.md and a synthesis are. Where
// the manifest lists personas, prose of another name is no scorecard either.
fn is_card(path: &Path, listed: &[String]) -> bool {
    let is_markdown = path.extension().is_some_and(|ending| ending == "md");
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    if !is_markdown || !path.is_file() || !stem.chars().any(char::is_lowercase) {
        return false;
    }
    let persona = stem.strip_suffix(DRAFT_ENDING);
    persona.is_some()
        || listed.is_empty()
        || listed.contains(&stem)
        || crate::files::read(path).is_ok_and(|bytes| split_front_matter(&bytes).is_ok())
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
        reason: error.to_string(),
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
    crate::value::json::parse(text)
        .map_err(|error| unusable(error.message(text, crate::value::json::Dialect::default())))
}

fn listed_personas(path: &Path) -> Result<Vec<String>, Error> {
    let Some(bytes) = manifest(path)? else {
        return Ok(Vec::new());
    };
    let value = parsed_manifest(path, &bytes)?;
    let personas = value
        .get("personas_run")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let name =
        |persona: &Value<'_>| Some(persona.get("name")?.as_text()?.to_display().into_owned());
    Ok(personas.iter().filter_map(name).collect())
}

// What all threads share.
struct Session<'s> {
    check: &'s Check,
    context: &'s Context<'s>,
    explicit: Option<Arc<Phrases>>,
    personas: Mutex<BTreeMap<PathBuf, Arc<Phrases>>>,
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
                        reason: format!("{error}; name the artifact with --source FILE"),
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
            let result = self.card(card, &shown, &name, &source, &input, batch.run.is_some());
            self.advance();
            let mut outcome = result.map_err(|error| (shown, error))?;
            outcome.findings.extend(changed.clone());
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
        let Some(folder) = batch.run.as_ref().filter(|_| self.check.source.is_none()) else {
            return Ok(None);
        };
        let path = folder.join(MANIFEST);
        let Some(bytes) = manifest(&path)? else {
            return Ok(None);
        };
        let value = parsed_manifest(&path, &bytes)?;
        let recorded = value
            .get("sha256")
            .and_then(Value::as_text)
            .map(|digest| digest.to_display().into_owned());
        Ok(recorded
            .filter(|recorded| !recorded.is_empty() && *recorded != input.sha256)
            .map(|recorded| {
                let message = format!(
                    "{ARTIFACT} has the SHA-256 {}, the manifest records `{}`",
                    input.sha256,
                    excerpt(&recorded)
                );
                Finding::new(
                    &SOURCE_CHANGED,
                    Location::of_source(input.name.clone()),
                    message,
                )
            }))
    }

    fn card(
        &self,
        path: &Path,
        name: &str,
        source_name: &str,
        source: &Prepared<'_>,
        input: &Input,
        in_run: bool,
    ) -> Result<Outcome, Error> {
        let bytes =
            crate::files::read(path).map_err(|error| unreadable("scorecard", path, &error))?;
        let report = match Draft::read(name, &bytes) {
            Ok(draft) => self.report(&draft, path, source_name, source, in_run)?,
            Err(report) => *report,
        };
        let shows_quotes = self.context.format != Format::Text;
        let text = if self.context.format.shows_sources() {
            source.text()
        } else {
            ""
        };
        let mut outcome = outcome(name, report, shows_quotes.then_some((source_name, text)));
        outcome.inputs = vec![
            Input {
                role: "scorecard".into(),
                name: name.to_owned(),
                sha256: sha256_hex(&bytes),
                len_bytes: bytes.len() as u64,
            },
            input.clone(),
        ];
        Ok(outcome)
    }

    fn report(
        &self,
        draft: &Draft<'_>,
        path: &Path,
        source_name: &str,
        source: &Prepared<'_>,
        in_run: bool,
    ) -> Result<Report, Error> {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let of_file = stem.strip_suffix(DRAFT_ENDING).unwrap_or(&stem).to_owned();
        let named = draft.persona();
        let persona = if named.is_empty() { &of_file } else { &named };
        let phrases = match &self.explicit {
            Some(phrases) => Some(Arc::clone(phrases)),
            None => self.phrases(persona, path)?,
        };
        let options = Options {
            phrases: phrases.as_deref(),
            maps_severity: self.check.map_severity,
        };
        let mut report = draft.check(source_name, source, options);
        if in_run && !named.is_empty() && named != of_file {
            let message = format!(
                "the file is `{}`'s, its front matter names `{}`",
                excerpt(&of_file),
                excerpt(&named)
            );
            let at = Location::at_path(path.display().to_string(), "$.persona");
            report
                .findings
                .push(Finding::new(&OTHER_PERSONA, at, message));
        }
        Ok(report)
    }

    // The persona's phrases; nothing when there is no file of that persona.
    fn phrases(&self, persona: &str, card: &Path) -> Result<Option<Arc<Phrases>>, Error> {
        // A name from data never leads out of its folder.
        if persona.is_empty()
            || persona.contains(['/', '\\', '\0'])
            || persona == "."
            || persona == ".."
        {
            return Ok(None);
        }
        let Some(root) = self.check.personas.clone().or_else(|| root_above(card)) else {
            return Ok(None);
        };
        let sidecar = root.join("persona-metadata").join(format!("{persona}.yml"));
        let page = root.join("agents").join(format!("{persona}.md"));
        let Some(path) = [&sidecar, &page]
            .into_iter()
            .find(|path| path.is_file())
            .cloned()
        else {
            return Ok(None);
        };
        let mut known = self.personas.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(phrases) = known.get(&path) {
            return Ok(Some(Arc::clone(phrases)));
        }
        let phrases = Arc::new(read_phrases(&path, path == page)?);
        known.insert(path, Arc::clone(&phrases));
        Ok(Some(phrases))
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

fn bar(done: usize, total: usize) -> String {
    const CELLS: usize = 30;
    let filled = done.saturating_mul(CELLS) / total.max(1);
    let cells: String = (0..CELLS)
        .map(|cell| if cell < filled { '#' } else { '-' })
        .collect();
    format!("\r[{cells}] {done}/{total} scorecards\u{1b}[K")
}

// The nearest folder above a scorecard that holds personas.
fn root_above(card: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(card).ok()?;
    let found = absolute
        .ancestors()
        .skip(1)
        .find(|folder| folder.join("persona-metadata").is_dir() || folder.join("agents").is_dir());
    found.map(Path::to_owned)
}

// The list in a sidecar, or in the front matter of a persona's page.
fn read_phrases(path: &Path, is_page: bool) -> Result<Phrases, Error> {
    let unusable = |place: &str, reason: String| Error::Unusable {
        name: path.display().to_string(),
        path: place.to_owned(),
        reason,
    };
    let bytes = crate::files::read(path).map_err(|error| unreadable("persona", path, &error))?;
    let yaml = if is_page {
        let parts = split_front_matter(&bytes).map_err(|_| {
            unusable(
                "",
                "no front matter between two lines of exactly `---`".to_owned(),
            )
        })?;
        parts.yaml
    } else {
        bytes.as_slice()
    };
    let data = parse_yaml(yaml).map_err(|error| unusable("", format!("no valid YAML: {error}")))?;
    match data.as_map().and_then(|data| data.get("banned_phrases")) {
        Some(YamlValue::List(items)) if !items.is_empty() => Ok(Phrases::of_items(items)),
        _ => Err(unusable(
            "$.banned_phrases",
            "a list with at least one phrase is wanted".to_owned(),
        )),
    }
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
