//! From a draft directory to its assessment: reading files, running gates, counting colours.
//!
//! In: where the draft is and what the caller hands over. Out: the assessment, the bound hash,
//! whether it still fits, the other palette count. The draft is only read, and only below its own
//! root: links and `..` that leave it are not followed.

use super::draft_files;
use super::gate_run;
use crate::error::{Error, Reason};
use crate::files;
use crate::gates::draft::gates::{End, Gate, GateResult, Results};
use crate::gates::draft::judgement::Judgement;
use crate::gates::draft::outcome::Assessed;
use crate::gates::draft::prompts::PROMPTS;
use crate::gates::draft::{
    Draft, Groundwork, JsonFile, Lang, Limits, Orphan, Picture, Recount, TextFile, assess,
    document, fingerprint, reading, screens,
};
use crate::gates::palette::{Count, corrected, recorded};
use crate::gates::verdict;
use crate::say;
use crate::source::Source;
use crate::value::json::locate::{Step, ValuePath};
use crate::value::json::repeated::first_ambiguous;
use crate::value::json::{Dialect, parse};
use crate::value::{Text, Value};
use crate::workers;
use crate::world::World;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A result given instead of a run.
#[derive(Clone, Debug)]
pub enum Given {
    /// A file.
    File(PathBuf),
    /// Its bytes.
    Bytes(Vec<u8>),
}

/// The caller's judgement, as a file or already read.
#[derive(Clone, Debug)]
pub enum Judged {
    /// A file.
    File(PathBuf),
    /// Its value.
    Value(Value<'static>),
}

/// What to assess and with what.
#[derive(Clone, Debug)]
pub struct Request {
    /// The draft directory.
    pub draft_dir: PathBuf,
    /// The caller's findings.
    pub judged: Option<Judged>,
    /// The plugin that holds the gate scripts and the prompts.
    pub plugin_root: Option<PathBuf>,
    /// The directory of the five prompt files, when it is not the plugin's.
    pub prompts: Option<PathBuf>,
    /// Gate programs by gate, before those of the plugin.
    pub gates: Vec<(Gate, PathBuf)>,
    /// Results of gates given instead of runs.
    pub results: Vec<(Gate, Given)>,
    /// The budget file.
    pub budget: Option<PathBuf>,
    /// The count that decides.
    pub count: Count,
    /// Language of reasons.
    pub lang: Lang,
    /// Time limit of each gate.
    pub limit: Duration,
    /// The Python that runs gate scripts.
    pub python: OsString,
}

/// The time a gate may take unless told otherwise, in seconds.
pub const LIMIT_SECONDS: u64 = 120;

impl Request {
    /// The gates that nothing is given for: no program, no result, no plugin.
    fn missing_gates(&self) -> Vec<Gate> {
        [Gate::Diagrams, Gate::Screens]
            .into_iter()
            .filter(|gate| {
                self.plugin_root.is_none()
                    && !self.gates.iter().any(|(one, _)| one == gate)
                    && !self.results.iter().any(|(one, _)| one == gate)
            })
            .collect()
    }

    /// That a gate was not run is no answer of it.
    ///
    /// # Errors
    /// When nothing is given for one; `wrote_nothing` says what was not written then.
    pub(super) fn wants_gates(&self, wrote_nothing: &str) -> Result<(), Error> {
        let missing = self.missing_gates();
        if missing.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = missing.iter().map(|gate| gate.name()).collect();
        Err(Error::Usage(format!(
            "{} not run: give --plugin-root DIR (or --gate NAME=PATH, --gate-result NAME=FILE); {wrote_nothing}",
            names.join(" and ")
        )))
    }

    /// A request with everything optional left out.
    pub fn of(draft_dir: PathBuf) -> Self {
        Self {
            draft_dir,
            judged: None,
            plugin_root: None,
            prompts: None,
            gates: Vec::new(),
            results: Vec::new(),
            budget: None,
            count: Count::default(),
            lang: Lang::default(),
            limit: Duration::from_secs(LIMIT_SECONDS),
            python: OsString::from(crate::interpreter::common_name()),
        }
    }
}

/// Assess a draft directory.
///
/// # Errors
/// When the draft has no usable `blueprint.json` or `sink-status.json`, or what the caller hands
/// over cannot be used.
pub fn run(request: &Request, world: &dyn World) -> Result<Assessed, Error> {
    let root = Root::open(&request.draft_dir)?;
    let blueprint = root.source("blueprint", BLUEPRINT)?;
    let text = blueprint.text()?;
    let draft_hash = root.draft_hash()?;
    let judgement = judgement(request.judged.as_ref())?;
    let files = draft_files::list(&root.path)?;
    let approved_limits = match &request.budget {
        Some(path) => budget(path)?,
        None => None,
    };
    // Signals are seen on this thread alone; the gates run on others.
    let is_stopped = AtomicBool::new(false);
    let is_interrupted = || is_stopped.load(Ordering::Relaxed);
    let answers = std::thread::scope(|scope| {
        let diagrams = scope.spawn(|| gate(Gate::Diagrams, request, &root, &is_interrupted));
        let screens = scope.spawn(|| gate(Gate::Screens, request, &root, &is_interrupted));
        let prepared = prepare(&root, &blueprint, text, request.lang);
        while !(diagrams.is_finished() && screens.is_finished()) {
            if world.is_interrupted() {
                is_stopped.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // A thread that broke down has given no answer, which is a gate that did not pass.
        let answer = |gate, joined: std::thread::Result<Result<GateResult, Error>>| {
            joined.unwrap_or_else(|_| {
                let end = End::NotStarted(String::from("internal failure"));
                Ok(GateResult::of_run(gate, &end, b"", b"", request.lang))
            })
        };
        (
            answer(Gate::Diagrams, diagrams.join()),
            answer(Gate::Screens, screens.join()),
            prepared,
        )
    });
    let (diagrams, screens, prepared) = answers;
    let gates = Results {
        diagrams: diagrams?,
        screens: screens?,
    };
    let prepared = prepared?;
    let ((corrected, groundwork), recorded) = workers::join(
        || {
            workers::join(
                || corrected_count(&prepared.document.value, request.count),
                || Groundwork::of(&prepared.document.value),
            )
        },
        || recorded_count(text, &prepared.document.value, request.count),
    );
    let (corrected, undecided) = match corrected {
        Ok((recount, undecided)) => (Ok(recount), undecided),
        Err(fault) => (Err(fault), Vec::new()),
    };
    let (deciding, other) = match request.count {
        Count::Corrected => (corrected, recorded),
        Count::Recorded => (recorded, corrected),
    };
    let recount = deciding.map_err(|fault| Error::Unusable {
        name: blueprint.name().to_owned(),
        path: fault.place,
        reason: fault.reason,
    })?;
    let prompts = request
        .prompts
        .clone()
        .or_else(|| request.plugin_root.as_ref().map(|root| root.join("agents")));
    let draft = Draft {
        blueprint: &prepared.document.value,
        duplicates: prepared.document.duplicates.clone(),
        tokens: prepared.tokens,
        manifest: prepared.manifest,
        ledger: prepared.ledger,
        layouts: prepared.layouts,
        overlays: prepared.overlays,
        pictures: prepared.pictures,
        prompts: prompts.map(|folder| read_prompts(&folder, request.lang)),
        gates,
        recount,
        judgement,
        approved_limits,
        lang: request.lang,
    };
    let (assessment, stale) = workers::join(
        || assess(&draft, groundwork),
        || {
            let documents = (draft.tokens.value(), draft.manifest.value());
            stale(&root, draft.blueprint, documents, &draft_hash, request.lang)
        },
    );
    drop(draft);
    drop(prepared.document);
    // The list was made after the blueprint was read: it has to name the same bytes.
    if files
        .get(BLUEPRINT)
        .is_some_and(|listed| listed != blueprint.digest())
    {
        return Err(changed(request, BLUEPRINT));
    }
    if let Some(difference) = draft_files::difference(&files, &draft_files::list(&root.path)?) {
        return Err(changed(request, &difference));
    }
    Ok(Assessed {
        draft_dir: request.draft_dir.clone(),
        blueprint,
        files,
        assessment,
        draft_hash,
        stale,
        count: request.count,
        undecided,
        other: other.map_err(|fault| format!("{}: {}", fault.place, fault.reason)),
    })
}

/// What was judged is not what lies there now.
fn changed(request: &Request, difference: &str) -> Error {
    Error::Unusable {
        name: request.draft_dir.display().to_string(),
        path: String::new(),
        reason: format!(
            "the draft changed while it was judged ({difference}); a gate program must only read it"
        ),
    }
}

const BLUEPRINT: &str = "blueprint.json";
const SINK_STATUS: &str = "sink-status.json";

/// What is read from the draft besides the hash.
struct Prepared<'t> {
    document: document::Document<'t>,
    tokens: JsonFile,
    manifest: JsonFile,
    ledger: JsonFile,
    layouts: BTreeMap<String, JsonFile>,
    overlays: BTreeMap<String, TextFile>,
    pictures: BTreeMap<String, Picture>,
}

fn prepare<'t>(
    root: &Root,
    source: &Source,
    text: &'t str,
    lang: Lang,
) -> Result<Prepared<'t>, Error> {
    let document =
        document::parse(text).map_err(|fault| source.unreadable(Reason::syntax(fault, text)))?;
    if document.value.as_object().is_none() {
        return Err(Error::Unusable {
            name: source.name().to_owned(),
            path: String::new(),
            reason: String::from("the root is not an object"),
        });
    }
    let wanted = screens::wanted(&document.value);
    let each = |paths: Vec<String>| paths.into_iter().map(|path| (path.clone(), path));
    Ok(Prepared {
        tokens: root.json("design-tokens.json", lang),
        manifest: root.json("site-coverage-manifest.json", lang),
        ledger: root.json("request-ledger.json", lang),
        layouts: each(wanted.layouts)
            .map(|(key, path)| (key, root.json(&path, lang)))
            .collect(),
        overlays: each(wanted.overlays)
            .map(|(key, path)| (key, root.text_file(&path, lang)))
            .collect(),
        pictures: each(wanted.pictures)
            .filter_map(|(key, path)| Some((key, root.picture(&path)?)))
            .collect(),
        document,
    })
}

fn read_error(kind: &'static str, name: &str, reason: impl Into<Reason>) -> Error {
    Error::Read {
        kind,
        name: name.to_owned(),
        reason: reason.into(),
    }
}

/// The draft directory, links resolved.
struct Root {
    /// As the caller gave it, for messages.
    given: PathBuf,
    path: PathBuf,
}

/// Why a file of the draft has no content.
enum Absent {
    Missing,
    Unreadable(String),
}

impl Root {
    fn open(given: &Path) -> Result<Self, Error> {
        let name = || given.display().to_string();
        let path = fs::canonicalize(given).map_err(|error| read_error("draft", &name(), &error))?;
        if !path.is_dir() {
            return Err(read_error("draft", &name(), "not a directory"));
        }
        Ok(Self {
            given: given.to_owned(),
            path,
        })
    }

    fn display(&self, name: &str) -> String {
        self.given.join(name).display().to_string()
    }

    /// Open a plain file below the root; a link that leaves it, a pipe or a device is none.
    fn open_file(&self, name: &str) -> Result<fs::File, Absent> {
        let Some(path) = files::inside(&self.path, Path::new(name)) else {
            return Err(Absent::Unreadable(String::from(
                "it lies outside the draft",
            )));
        };
        match fs::metadata(&path) {
            Ok(about) if about.is_file() => {
                fs::File::open(&path).map_err(|error| Absent::Unreadable(system_words(&error)))
            }
            Ok(_) => Err(Absent::Unreadable(String::from("it is not a plain file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // A link whose target is gone is there, but cannot be read.
                if fs::symlink_metadata(&path).is_ok() {
                    Err(Absent::Unreadable(system_words(&error)))
                } else {
                    Err(Absent::Missing)
                }
            }
            Err(error) => Err(Absent::Unreadable(system_words(&error))),
        }
    }

    fn bytes(&self, name: &str) -> Result<Vec<u8>, Absent> {
        let mut file = self.open_file(name)?;
        let mut bytes = Vec::new();
        let size = file.metadata().map_or(0, |about| about.len());
        bytes
            .try_reserve_exact(
                usize::try_from(size)
                    .unwrap_or(usize::MAX)
                    .saturating_add(1),
            )
            .map_err(|_| Absent::Unreadable(String::from("it does not fit into memory")))?;
        file.read_to_end(&mut bytes)
            .map_err(|error| Absent::Unreadable(system_words(&error)))?;
        Ok(bytes)
    }

    /// A file that has to be there.
    fn source(&self, role: &'static str, name: &str) -> Result<Source, Error> {
        let shown = self.display(name);
        let reason = match self.bytes(name) {
            Ok(bytes) => return Ok(Source::of_bytes(role, shown, bytes)),
            Err(Absent::Missing) => Reason::from(io::Error::from(io::ErrorKind::NotFound)),
            Err(Absent::Unreadable(reason)) => reason.into(),
        };
        Err(Error::Read {
            kind: role,
            name: shown,
            reason,
        })
    }

    /// The text of a file, or why there is none.
    fn text(&self, name: &str) -> Result<String, String> {
        let bytes = self.bytes(name).map_err(|absent| match absent {
            Absent::Missing => String::from("no such file"),
            Absent::Unreadable(reason) => reason,
        })?;
        String::from_utf8(bytes)
            .map_err(|fault| Reason::encoding(fault.utf8_error(), fault.as_bytes()).to_string())
    }

    fn text_file(&self, name: &str, lang: Lang) -> TextFile {
        match self.bytes(name) {
            Err(Absent::Missing) => TextFile::Missing,
            Err(Absent::Unreadable(reason)) => TextFile::Unreadable(reason),
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => TextFile::Text(text),
                Err(_) => TextFile::Unreadable(not_utf8(lang)),
            },
        }
    }

    fn json(&self, name: &str, lang: Lang) -> JsonFile {
        match self.text_file(name, lang) {
            TextFile::Missing => JsonFile::Missing,
            TextFile::Unreadable(reason) => JsonFile::Unreadable(reason),
            TextFile::Text(text) => match parse(&text) {
                Ok(value) => match first_ambiguous(&text) {
                    None => JsonFile::Json(value.into_owned()),
                    Some(reason) => JsonFile::Unreadable(reason),
                },
                Err(fault) => JsonFile::Unreadable(fault.message(&text, Dialect::default())),
            },
        }
    }

    /// What kind of picture a file is, when it is there.
    fn picture(&self, name: &str) -> Option<Picture> {
        const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
        let file = self.open_file(name).ok()?;
        let mut start = Vec::new();
        file.take(8).read_to_end(&mut start).ok()?;
        Some(if start == SIGNATURE {
            Picture::Png
        } else {
            Picture::Other
        })
    }

    /// The bound hash.
    fn draft_hash(&self) -> Result<String, Error> {
        let source = self.source("sink status", SINK_STATUS)?;
        let value = source.unambiguous()?;
        let name = source.name().to_owned();
        if let Some(reason) = verdict::receipt::sink_fault(&value) {
            return Err(Error::Unusable {
                name,
                path: String::new(),
                reason,
            });
        }
        let hash = value.get("draft_hash").and_then(Value::as_text);
        match hash.and_then(Text::as_str) {
            Some(hash) if verdict::is_draft_hash(hash) => Ok(hash.to_owned()),
            Some(_) | None => Err(Error::Unusable {
                name,
                path: String::from("draft_hash"),
                reason: format!(
                    "{} is not 64 lower-case hex digits",
                    reading::quoted(value.get("draft_hash"))
                ),
            }),
        }
    }
}

/// The words of the operating system, without a path.
fn system_words(error: &io::Error) -> String {
    error.kind().to_string()
}

fn not_utf8(lang: Lang) -> String {
    say!(lang, "UTF-8 でない", "it is not UTF-8")
}

/// Why `draft_hash` does not fit the files of the draft, when it does not.
///
/// # Errors
/// When the draft cannot be read at all.
pub(super) fn misfit(draft_dir: &Path, draft_hash: &str) -> Result<Option<String>, Error> {
    let root = Root::open(draft_dir)?;
    let source = root.source("blueprint", BLUEPRINT);
    let blueprint = match source.as_ref().map(Source::json) {
        Ok(Ok(blueprint)) => blueprint,
        Ok(Err(fault)) => return Ok(Some(unread(&root.display(BLUEPRINT), &fault))),
        Err(fault) => return Ok(Some(unread(&root.display(BLUEPRINT), fault))),
    };
    let tokens = root.json("design-tokens.json", Lang::En);
    let manifest = root.json("site-coverage-manifest.json", Lang::En);
    let documents = (tokens.value(), manifest.value());
    Ok(stale(&root, &blueprint, documents, draft_hash, Lang::En))
}

fn unread(name: &str, fault: &Error) -> String {
    format!("{name} cannot be read: {}", fault.reason())
}

/// Why the bound hash does not fit the files, when it does not.
fn stale(
    root: &Root,
    blueprint: &Value<'_>,
    documents: (Option<&Value<'_>>, Option<&Value<'_>>),
    bound: &str,
    lang: Lang,
) -> Option<String> {
    let mut chapters = Vec::new();
    for name in fingerprint::CHAPTERS {
        match root.text(name) {
            Ok(text) => chapters.push(text),
            Err(reason) => {
                return Some(say!(
                    lang,
                    "章 `{0}` を読めない: {1}",
                    "the chapter `{0}` cannot be read: {1}",
                    name,
                    reason,
                ));
            }
        }
    }
    let chapters: Vec<&str> = chapters.iter().map(String::as_str).collect();
    let (Some(tokens), Some(manifest)) = documents else {
        return Some(say!(
            lang,
            "`design-tokens.json` または `site-coverage-manifest.json` を読めない",
            "`design-tokens.json` or `site-coverage-manifest.json` cannot be read"
        ));
    };
    let derived = fingerprint::derive(&chapters, blueprint, tokens, manifest);
    (derived != bound).then(|| {
        say!(
            lang,
            "束縛された hash は {0}、ファイルから導いた hash は {1}",
            "the bound hash is {0}, the files give {1}",
            bound,
            derived,
        )
    })
}

fn gate(
    gate: Gate,
    request: &Request,
    root: &Root,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<GateResult, Error> {
    let lang = request.lang;
    if let Some((_, given)) = request.results.iter().rev().find(|(one, _)| *one == gate) {
        let bytes = match given {
            Given::Bytes(bytes) => bytes.clone(),
            Given::File(path) => Source::read("gate result", path)?.into_bytes(),
        };
        // A result of text is no JSON, and holds no members.
        let ambiguous = std::str::from_utf8(&bytes).ok().and_then(first_ambiguous);
        if let Some(reason) = ambiguous {
            let name = match given {
                Given::Bytes(_) => String::from("gate result"),
                Given::File(path) => path.display().to_string(),
            };
            return Err(unambiguous(name, reason));
        }
        return Ok(GateResult::of_file(gate, &bytes, lang));
    }
    let given = request.gates.iter().rev().find(|(one, _)| *one == gate);
    let script = given.map(|(_, path)| path.clone()).or_else(|| {
        let plugin = request.plugin_root.as_ref()?;
        Some(plugin.join("scripts").join(gate.script()))
    });
    let Some(script) = script else {
        return Ok(GateResult::of_run(gate, &End::NotGiven, b"", b"", lang));
    };
    let run = gate_run::run(
        &script,
        gate.arguments(),
        &root.path,
        &request.python,
        request.limit,
        is_interrupted,
    );
    Ok(GateResult::of_run(
        gate,
        &run.end,
        &run.stdout,
        &run.stderr,
        lang,
    ))
}

fn judgement(judged: Option<&Judged>) -> Result<Judgement, Error> {
    let (name, read) = match judged {
        None => return Ok(Judgement::default()),
        Some(Judged::Value(value)) => (String::from("findings"), Judgement::of_value(value)),
        Some(Judged::File(path)) => {
            let name = path.display().to_string();
            let source = Source::read("findings", path)?;
            let value = source.unambiguous()?;
            let read = Judgement::of_value(&value);
            (name, read)
        }
    };
    read.map_err(|fault| Error::Unusable {
        name,
        path: fault.path,
        reason: fault.reason,
    })
}

fn unambiguous(name: String, reason: String) -> Error {
    Error::Unusable {
        name,
        path: String::new(),
        reason,
    }
}

/// The limits of a budget file, when it carries the approval.
fn budget(path: &Path) -> Result<Option<Limits>, Error> {
    let source = Source::read("budget", path)?;
    let value = source.unambiguous()?;
    Ok(crate::gates::draft::rules::cl10::approved_limits(&value))
}

fn read_prompts(folder: &Path, lang: Lang) -> BTreeMap<String, TextFile> {
    PROMPTS
        .iter()
        .map(|prompt| {
            let name = prompt.file_name();
            let path = folder.join(&name);
            let file = match fs::metadata(&path) {
                Ok(about) if !about.is_file() => {
                    TextFile::Unreadable(String::from("it is not a plain file"))
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => TextFile::Missing,
                Err(error) => TextFile::Unreadable(system_words(&error)),
                Ok(_) => match files::read(&path).map(String::from_utf8) {
                    Ok(Ok(text)) => TextFile::Text(text),
                    Ok(Err(_)) => TextFile::Unreadable(not_utf8(lang)),
                    Err(error) => TextFile::Unreadable(system_words(&error)),
                },
            };
            (name, file)
        })
        .collect()
}

/// The corrected count, and the values in a colour's place that it cannot read.
fn corrected_count(
    blueprint: &Value<'_>,
    deciding: Count,
) -> Result<(Recount, Vec<Orphan>), recorded::Unusable> {
    let counted = corrected::count(blueprint)?;
    // Places are told for the count that decides; there may be very many.
    let is_told = deciding == Count::Corrected;
    let mut told = if is_told {
        counted.orphans.clone()
    } else {
        Vec::new()
    };
    if is_told {
        told.extend(counted.undecided.iter().cloned());
    }
    let places = if told.is_empty() {
        BTreeMap::new()
    } else {
        corrected::places(blueprint, &told)?
    };
    let undecided = if is_told {
        placed(&counted.undecided, &places)
    } else {
        Vec::new()
    };
    let recount = recount(
        counted.observed_count,
        counted.palette_count,
        &counted.orphans,
        &places,
    );
    Ok((recount, undecided))
}

fn recorded_count(
    text: &str,
    blueprint: &Value<'_>,
    deciding: Count,
) -> Result<Recount, recorded::Unusable> {
    let counted = match recorded::count_text(text, &|| false) {
        Ok(counted) => counted,
        Err(recorded::Fault::Unusable(fault)) => return Err(fault),
        // The document has been parsed, so only its own contents can stand in the way.
        Err(recorded::Fault::Syntax(_) | recorded::Fault::Root | recorded::Fault::Interrupted) => {
            recorded::count(blueprint)?
        }
    };
    let places = if counted.orphans.is_empty() || deciding != Count::Recorded {
        BTreeMap::new()
    } else {
        recorded::places(blueprint, &counted.orphans)?
    };
    Ok(recount(
        counted.observed_count,
        counted.palette_count,
        &counted.orphans,
        &places,
    ))
}

fn recount(
    observed_count: usize,
    palette_count: usize,
    orphans: &[Text<'static>],
    places: &BTreeMap<Text<'static>, Vec<ValuePath>>,
) -> Recount {
    Recount {
        observed_count: observed_count as u64,
        palette_count: palette_count as u64,
        orphans: placed(orphans, places),
    }
}

/// Each colour with the first place where it is observed.
fn placed(
    colours: &[Text<'static>],
    places: &BTreeMap<Text<'static>, Vec<ValuePath>>,
) -> Vec<Orphan> {
    let first = |colour: &Text<'static>| {
        // The order of steps is that of sorted members and of list positions.
        places
            .get(colour)
            .and_then(|places| places.iter().min())
            .map_or_else(|| String::from("screens"), written)
    };
    colours
        .iter()
        .map(|colour| Orphan {
            colour: colour.to_display().into_owned(),
            place: first(colour),
        })
        .collect()
}

/// A path as findings name it.
fn written(path: &ValuePath) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    for step in &path.0 {
        match step {
            Step::Key(key) => {
                if !out.is_empty() {
                    out.push('.');
                }
                out.push_str(&key.to_display());
            }
            Step::Index(index) => {
                let _ = write!(out, "[{index}]");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::ProcessWorld;

    #[test]
    fn what_is_reported_is_what_was_judged() {
        let folder = tempfile::tempdir().unwrap();
        let blueprint = folder.path().join(BLUEPRINT);
        let judged = br#"{"screens": [], "design_tokens": {}}"#;
        fs::write(&blueprint, judged).unwrap();
        let sink = format!(r#"{{"draft_hash": "{}"}}"#, "0".repeat(64));
        fs::write(folder.path().join(SINK_STATUS), sink).unwrap();
        let request = Request::of(folder.path().to_owned());
        let assessed = run(&request, &ProcessWorld).unwrap();
        // Whoever writes now is too late.
        fs::write(&blueprint, "{}").unwrap();
        let outcome = assessed.outcome("blueprint assess", Lang::En);
        let [input] = outcome.inputs.as_slice() else {
            panic!("{:?}", outcome.inputs);
        };
        assert_eq!(input.sha256, crate::digest::sha256_hex(judged));
        fs::remove_file(&blueprint).unwrap();
        assert_eq!(
            assessed.outcome("blueprint assess", Lang::En).inputs.len(),
            1
        );
    }
}
