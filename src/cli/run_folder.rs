//! The folder of a run: its files, known by what is in them and not by their names.
//!
//! In: the folder. Out: framework, manifest, families, plans and ledgers with what each ledger holds;
//! where the room is; which files were derived from other bytes than now lie there.

use super::chain::{in_chain_order, shown};
use crate::dropin::room::source_path;
use crate::error::{Error, Reason};
use crate::gates::chain::receipt::{self, Receipt};
use crate::gates::chain::{Ledger, quotes};
use crate::invariant::Invariant as _;
use crate::outcome::Input;
use crate::source::Source;
use crate::value::{Text, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Files of a run folder that are looked into.
const MAX_FILES: usize = 1_000;

/// A file of the run and its text.
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// The files of a run by what is in them.
#[derive(Default)]
pub(super) struct Files {
    pub(super) framework: Option<Found>,
    pub(super) manifest: Option<Found>,
    pub(super) families: Option<Found>,
    pub(super) readbacks: Vec<Found>,
    pub(super) plans: Vec<Found>,
    /// The one that has come furthest is the last.
    pub(super) ledgers: Vec<(Found, Counts)>,
    /// Files that were derived from other bytes than now lie there: the file, and what changed.
    pub(super) stale: Vec<(PathBuf, String)>,
    /// JSON files that cannot be read as such, and why.
    pub(super) broken: Vec<(PathBuf, String)>,
    /// Rooms that receipts of the run name.
    rooms: Vec<PathBuf>,
}

impl Files {
    /// The file called `name`, with or without more words before its ending, that cannot be read, and why.
    pub(super) fn broken(&self, name: &str) -> Option<(&Path, &str)> {
        let is_called = |path: &Path| {
            let found = path.file_name().map(|found| found.to_string_lossy());
            found.is_some_and(|found| found.split('.').next() == Some(name))
        };
        let mut broken = self.broken.iter();
        broken
            .find(|(path, _)| is_called(path))
            .map(|(path, why)| (path.as_path(), why.as_str()))
    }

    /// Whether the folder holds nothing of a run.
    pub(super) fn is_empty(&self) -> bool {
        self.framework.is_none()
            && self.manifest.is_none()
            && self.families.is_none()
            && self.readbacks.is_empty()
            && self.plans.is_empty()
            && self.ledgers.is_empty()
            && self.stale.is_empty()
    }
}

/// What a ledger holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) findings: usize,
    pub(super) present: usize,
    pub(super) quotes_confirmed: usize,
    pub(super) quotes_rejected: usize,
    pub(super) verified: usize,
    pub(super) checked: usize,
    pub(super) by_issue: BTreeMap<String, BTreeMap<String, usize>>,
}

/// Reads the JSON files of the folder itself; what is no JSON object is passed over, what is no JSON at
/// all is kept as broken.
///
/// # Errors
/// When the folder cannot be listed, or holds more files than one run has.
pub(super) fn look(run: &Path) -> Result<(Files, Vec<Input>), Error> {
    let failed = |error: &std::io::Error| Error::Read {
        kind: "run",
        name: shown(run),
        reason: error.into(),
    };
    let mut paths = BTreeSet::new();
    let mut receipts = Vec::new();
    for entry in std::fs::read_dir(run).map_err(|error| failed(&error))? {
        let path = entry.map_err(|error| failed(&error))?.path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let is_json = path
            .extension()
            .is_some_and(|extension| extension == "json");
        if !is_json || !path.is_file() {
            continue;
        }
        if name.ends_with(receipt::SUFFIX) {
            // One that cannot be followed is for `ledger verify` to name.
            let read = crate::files::read(&path).ok();
            if let Some(Ok(read)) = read.map(|bytes| Receipt::parse(&bytes)) {
                receipts.push((path, read));
            }
        } else {
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
    let mut digests = BTreeMap::new();
    for path in paths {
        let source = match Source::read("file of the run", &path) {
            Ok(source) => source,
            Err(fault) => {
                files.broken.push((path, fault.reason()));
                continue;
            }
        };
        let text = match source.text() {
            Ok(text) => text.to_owned(),
            Err(fault) => {
                files.broken.push((path, fault.reason()));
                continue;
            }
        };
        let ledger = match Ledger::read(&text) {
            Ok(ledger) => ledger,
            Err(fault) => {
                let reason = Reason::syntax(fault, &text).to_string();
                files.broken.push((path, reason));
                continue;
            }
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
        } else if has(&["approved", "framework_version", "items"]) {
            "readback"
        } else {
            continue;
        };
        let input = Input::new(role, shown(&path), text.as_bytes());
        if let Ok(whole) = path.canonicalize() {
            digests.insert(whole, input.sha256.clone());
        }
        inputs.push(input);
        let counts = count(&ledger);
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
            "readback" => {
                files.readbacks.push(found);
                continue;
            }
            _ => {
                files.ledgers.push((found, counts));
                continue;
            }
        };
        // Frozen versions lie beside the framework in use, which has the plain name.
        if slot.is_none() || is_plain_name {
            *slot = Some(found);
        }
    }
    let written: BTreeSet<PathBuf> = receipts
        .iter()
        .filter_map(|(path, receipt)| {
            let folder = path.parent().unwrap_or(Path::new("."));
            folder.join(&receipt.output.name).canonicalize().ok()
        })
        .collect();
    pass_over_stale(&mut files, receipts, &digests);
    // Stages add receipts and take none of an earlier stage away: the last ledger has the most. Of
    // two that claim the same, the one that a stage wrote.
    files.ledgers.sort_by_key(|(found, counts)| {
        let is_written = found
            .path
            .canonicalize()
            .is_ok_and(|path| written.contains(&path));
        (
            counts.quotes_confirmed + counts.quotes_rejected,
            counts.checked,
            is_written,
            counts.findings,
        )
    });
    Ok((files, inputs))
}

/// Takes out ledgers and plans that were derived from other bytes than now lie there, and what was
/// derived from those; keeps the rooms that receipts name.
fn pass_over_stale(
    files: &mut Files,
    receipts: Vec<(PathBuf, Receipt)>,
    digests: &BTreeMap<PathBuf, String>,
) {
    let mut stale: BTreeMap<PathBuf, String> = BTreeMap::new();
    for (path, receipt) in in_chain_order(receipts) {
        let folder = path.parent().unwrap_or(Path::new("."));
        let place = |name: &str| folder.join(name).canonicalize().ok();
        let changed = receipt.inputs.iter().find(|item| {
            place(&item.name).is_some_and(|input| {
                let is_other = digests
                    .get(&input)
                    .is_some_and(|sha256| *sha256 != item.sha256);
                is_other || stale.contains_key(&input)
            })
        });
        if let (Some(item), Some(output)) = (changed, place(&receipt.output.name)) {
            stale.insert(output, item.name.clone());
        }
        // Also of a stale one: the room stays where it was when a finding is mended.
        if let Some(room) = receipt.input("room") {
            files.rooms.push(folder.join(&room.name));
        }
    }
    let mut is_kept = |found: &Found| match found
        .path
        .canonicalize()
        .ok()
        .and_then(|path| stale.get(&path))
    {
        Some(changed) => {
            files.stale.push((found.path.clone(), changed.clone()));
            false
        }
        None => true,
    };
    files.plans.retain(|found| is_kept(found));
    files.ledgers.retain(|(found, _)| is_kept(found));
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

/// The room of a run: the folder in which every document of the manifest lies.
pub(super) enum Room {
    /// There it is.
    At(PathBuf),
    /// It cannot be told; why.
    Unknown(String),
}

/// Finds the room: `given`, or else what receipts name, what the manifest calls `root_label`, the
/// run folder, the folders in it, the folder around it and those beside it.
pub(super) fn room(run: &Path, files: &Files, manifest: &Found, given: Option<&Path>) -> Room {
    let value = crate::value::json::parse(&manifest.text)
        .holds("the text was read as JSON when the folder was looked into");
    let Ok(documents) = quotes::documents(&value) else {
        return Room::Unknown(format!(
            "{} lists no documents with id and path",
            shown(&manifest.path)
        ));
    };
    let is_in = |folder: &Path, document: &quotes::Document<'_>| {
        source_path(folder, &document.path).is_ok_and(|path| path.is_file())
    };
    let all = documents.len();
    if let Some(given) = given {
        let mut missing = documents.iter().filter(|document| !is_in(given, document));
        let Some(first) = missing.next() else {
            return Room::At(given.to_path_buf());
        };
        return Room::Unknown(format!(
            "{} of the {all} documents of {} are not in {}, e.g. {}",
            1 + missing.count(),
            shown(&manifest.path),
            shown(given),
            first.path.to_display()
        ));
    }
    let label = value
        .get("root_label")
        .and_then(Value::as_text)
        .and_then(Text::as_str)
        // A label is a name: one that would lead elsewhere is none.
        .filter(|label| !label.is_empty() && !label.contains(['/', '\\']) && *label != "..");
    let around = run
        .canonicalize()
        .is_ok_and(|whole| whole.parent().is_some())
        .then(|| {
            let parent = run.parent().filter(|parent| !parent.as_os_str().is_empty());
            match (parent, run.file_name()) {
                (Some(parent), Some(_)) => parent.to_path_buf(),
                (None, Some(_)) => PathBuf::from("."),
                (_, None) => run.join(".."),
            }
        });
    let mut candidates = files.rooms.clone();
    candidates.extend(label.map(|label| run.join(label)));
    candidates.push(run.to_path_buf());
    candidates.extend(folders_in(run));
    if let Some(around) = around {
        candidates.extend(label.map(|label| around.join(label)));
        candidates.push(around.clone());
        candidates.extend(folders_in(&around));
    }
    let has_all = |folder: &PathBuf| {
        folder.is_dir() && documents.iter().all(|document| is_in(folder, document))
    };
    match candidates.into_iter().find(has_all) {
        Some(folder) => Room::At(folder),
        None => Room::Unknown(format!(
            "no folder in or around {} has all {all} documents of {}",
            shown(run),
            shown(&manifest.path)
        )),
    }
}

/// The folders in `run`, by name.
pub(super) fn folders_in(run: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(run).into_iter().flatten();
    let mut folders: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}
