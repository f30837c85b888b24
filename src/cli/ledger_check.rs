//! `ledger check`: a whole run derived again in one command, whatever its ledger says of itself.
//!
//! In: the run folder and the room. Out: one outcome: framework valid and approved, coverage, every
//! quote found again in its document, every checker receipt given by plan and results, and, where the
//! stages left receipts, the chain from them. Nothing is taken from the receipts inside the ledger.

use super::chain::{self, ExtractorChoice, shown};
use super::run_folder::{self, Counts, Files, Found, Room};
use super::{Answer, Context, ledger as ledger_command};
use crate::digest::sha256_hex;
use crate::dropin::room::{self, RoomStop, source_path};
use crate::error::Error;
use crate::extract::{Extractor, extract};
use crate::finding::{Finding, Location, counted, excerpt};
use crate::gates::chain::{Input as Role, Ledger, Listing, Stop, custody, declared, merge, plan};
use crate::gates::chain::{quotes, rules};
use crate::gates::framework;
use crate::outcome::{Input, Outcome};
use crate::source::Source;
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Arguments of `ledger check`.
#[derive(Debug, clap::Args)]
pub struct CheckArguments {
    /// Folder of the run.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Folder that the manifest's paths start from, when it is neither in the run folder nor beside it.
    #[arg(long, value_name = "DIR")]
    room: Option<PathBuf>,
    /// Folder of the checker results, when it is not in the run folder.
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// How PDF files are read.
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    extractor: ExtractorChoice,
}

/// The files that a run must have.
struct Parts<'f> {
    framework: &'f Found,
    manifest: &'f Found,
    ledger: &'f Found,
    counts: &'f Counts,
}

/// Run the command.
///
/// # Errors
/// When a file of the run is missing or cannot be used, or the room cannot be told.
pub fn run(arguments: &CheckArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let run = arguments.run.as_path();
    let (files, _) = run_folder::look(run)?;
    let parts = parts(run, &files)?;
    let mut outcome = coverage(&parts, &files, context)?;
    let mut findings = of_framework(parts.framework, context)?;
    findings.append(&mut outcome.findings);
    let room = match run_folder::room(run, &files, parts.manifest, arguments.room.as_deref()) {
        Room::At(room) => room,
        Room::Unknown(why) => {
            return Err(Error::Unusable {
                name: shown(run),
                path: String::new(),
                reason: format!("{why}; --room DIR names it"),
            });
        }
    };
    let looked = in_room(&parts, &room, run, arguments.extractor.extractor(), context)?;
    findings.extend(looked.findings);
    findings.extend(bound(&parts, &files, arguments, context)?);
    let mut whole = "no receipt files, so the chain was derived from the files alone".to_owned();
    if !chain::receipts_in(run)?.is_empty() {
        let proof = chain::proof(run, &files, context.world)?;
        whole = counted(proof.receipt_count, "receipt file");
        whole.push_str(" followed");
        findings.extend(proof.findings);
    }
    let trusted = parts.counts.findings - parts.counts.present;
    outcome
        .facts
        .insert("quotes_found".to_owned(), looked.found.into());
    outcome
        .facts
        .insert("present".to_owned(), parts.counts.present.into());
    outcome
        .facts
        .insert("results_on_trust".to_owned(), trusted.into());
    let mut checked = Outcome::from_findings("ledger check", findings);
    for found in [parts.framework, parts.manifest, parts.ledger] {
        crate::source::locate_findings(
            &shown(&found.path),
            found.text.as_bytes(),
            &mut checked.findings,
        );
    }
    checked.facts = outcome.facts;
    checked.details = outcome.details;
    checked.details.extend(looked.details);
    checked.inputs = outcome.inputs;
    checked.inputs.push(looked.input);
    checked.summary = format!(
        "{} of {} found again in {}; {whole}; on trust: {} without a quote, and that the checkers looked",
        looked.found,
        counted(parts.counts.present, "quote"),
        shown(&room),
        counted(trusted, "result")
    );
    Ok(Answer::Outcomes(vec![checked]))
}

/// Whether the run in the folder `run` can be checked as it lies there; otherwise why not.
///
/// # Errors
/// What is missing, in words.
pub(super) fn is_checkable(run: &Path) -> Result<(), String> {
    let words = |error: Error| match error {
        Error::Unusable { reason, .. } => reason,
        Error::Read { reason, .. } => reason.to_string(),
        Error::Write { .. } | Error::Usage(_) | Error::Interrupted | Error::Internal(_) => {
            error.to_string()
        }
    };
    let (files, _) = run_folder::look(run).map_err(words)?;
    let parts = parts(run, &files).map_err(words)?;
    match run_folder::room(run, &files, parts.manifest, None) {
        Room::At(_) => Ok(()),
        Room::Unknown(why) => Err(why),
    }
}

fn parts<'f>(run: &Path, files: &'f Files) -> Result<Parts<'f>, Error> {
    let missing = |what: &str| Error::Unusable {
        name: shown(run),
        path: String::new(),
        reason: format!("no {what} in the folder; gatewright ledger status shows what a run needs"),
    };
    let last = files.ledgers.last();
    // What was derived from other bytes than now lie there is still what the run says it found.
    let (ledger, counts) = last.ok_or_else(|| match files.stale.first() {
        Some((path, changed)) => Error::Unusable {
            name: shown(path),
            path: String::new(),
            reason: format!("it was derived from another {changed} than lies there now"),
        },
        None => missing("findings ledger"),
    })?;
    Ok(Parts {
        framework: files
            .framework
            .as_ref()
            .ok_or_else(|| missing("framework"))?,
        manifest: files.manifest.as_ref().ok_or_else(|| missing("manifest"))?,
        ledger,
        counts,
    })
}

fn of_framework(found: &Found, context: &Context<'_>) -> Result<Vec<Finding>, Error> {
    let name = shown(&found.path);
    let schema = framework::strict::own_schema();
    let source = Source::of_bytes("framework", name.as_str(), found.text.as_bytes().to_vec());
    let document = source.document()?;
    let is_approved = document.get("approved").is_some_and(Value::is_true);
    let engine = context.world.pattern_engine();
    let outcome = framework::strict::check(&document, &schema.document()?, true, engine)?;
    let mut findings = outcome.findings;
    if !is_approved {
        findings.push(Finding::new(
            &rules::FRAMEWORK_NOT_APPROVED,
            Location::at_path(name.as_str(), "$.approved"),
            "the run answers a framework that is not approved",
        ));
    }
    Ok(findings)
}

fn coverage(parts: &Parts<'_>, files: &Files, context: &Context<'_>) -> Result<Outcome, Error> {
    ledger_command::reconcile(
        [
            &parts.manifest.path,
            &parts.ledger.path,
            &parts.framework.path,
        ],
        files.families.as_ref().map(|found| found.path.as_path()),
        &mut |_| !context.world.is_interrupted(),
    )
}

/// What the room gave.
struct Looked {
    findings: Vec<Finding>,
    details: Vec<crate::detail::Detail>,
    found: usize,
    input: Input,
}

/// Every document, and every quote in the document that it is said to stand in.
fn in_room(
    parts: &Parts<'_>,
    room: &Path,
    run: &Path,
    extractor: Extractor,
    context: &Context<'_>,
) -> Result<Looked, Error> {
    let manifest_path = parts.manifest.path.as_path();
    let ledger_path = parts.ledger.path.as_path();
    let paths = [
        (Role::Findings, ledger_path),
        (Role::Manifest, manifest_path),
    ];
    let ledger = chain::ledger(ledger_path, &parts.ledger.text, &quotes::LEDGER_KEYS)?;
    let manifest = chain::value(
        Role::Manifest,
        manifest_path,
        &parts.manifest.text,
        &quotes::MANIFEST_KEYS,
    )?;
    let documents = quotes::documents(&manifest).map_err(|stop| chain::unusable(stop, &paths))?;
    let root = room.canonicalize().unwrap_or_else(|_| room.to_path_buf());
    let how = room::How {
        extractor,
        is_told: true,
    };
    let mut findings = Vec::new();
    let mut looked = Looked {
        findings: Vec::new(),
        details: Vec::new(),
        found: 0,
        input: Input {
            role: "room".into(),
            name: shown(room),
            sha256: String::new(),
            len_bytes: 0,
        },
    };
    match room::check(&root, &ledger, &documents, how, context.world) {
        Ok(checked) => {
            looked.found = checked
                .standings()
                .into_iter()
                .flatten()
                .filter(|standing| *standing == quotes::Standing::Found)
                .count();
            looked.input.sha256.clone_from(&checked.sha256);
            looked.input.len_bytes = checked.len_bytes;
            let (found, details) =
                chain::quote_findings(ledger_path, room, &documents, &checked, &BTreeMap::new());
            looked.details = details;
            findings.extend(found);
        }
        Err(RoomStop::Changed(changed)) => {
            findings.extend(chain::changed_documents(manifest_path, &changed));
        }
        Err(RoomStop::Ledger(Stop::Said(text))) => {
            findings.push(Finding::new(
                &rules::DOCUMENT_DIFFERS,
                Location::of_source(shown(ledger_path)),
                excerpt(&text.to_display()),
            ));
        }
        Err(RoomStop::Ledger(stop)) => return Err(chain::unusable(stop, &paths)),
    }
    let entries = manifest
        .get("documents")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let read = identities(room, entries, &documents, extractor, context)?;
    findings.extend(declared::documents(&shown(manifest_path), entries, &read));
    // A room that holds the run as well has files that are no documents.
    let whole_run = run.canonicalize().unwrap_or_else(|_| run.to_path_buf());
    if !whole_run.starts_with(&root) {
        findings.extend(outside(room, &shown(manifest_path), entries, &read)?);
    }
    looked.findings = findings;
    Ok(looked)
}

/// Of each document its full digest, and whether one that is called unreadable has a text after all.
fn identities(
    room: &Path,
    entries: &[Value<'_>],
    documents: &[quotes::Document<'_>],
    extractor: Extractor,
    context: &Context<'_>,
) -> Result<Vec<declared::Seen>, Error> {
    let mut out = Vec::new();
    for (document, entry) in documents.iter().zip(entries) {
        if context.world.is_interrupted() {
            return Err(Error::Usage("interrupted".to_owned()));
        }
        // What cannot be found or read is told already.
        let bytes = source_path(room, &document.path)
            .ok()
            .filter(|path| path.is_file())
            .and_then(|path| crate::files::read(&path).ok());
        let has_text = bytes.as_deref().is_some_and(|bytes| {
            !declared::is_reviewable(entry)
                && extract(&document.path.to_display(), bytes, extractor)
                    .is_ok_and(|text| !text.text.trim().is_empty())
        });
        out.push(declared::Seen {
            sha256: bytes.as_deref().map(sha256_hex),
            has_text,
        });
    }
    Ok(out)
}

/// Documents that have the id of another: among those of the manifest, against the full digests that it
/// may give, and among all files of the room.
pub(super) fn twins(
    room: &Path,
    path: &Path,
    manifest: &Value<'_>,
    digests: &[String],
) -> Result<Vec<Finding>, Error> {
    let entries = manifest
        .get("documents")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let seen: Vec<declared::Seen> = digests
        .iter()
        .map(|sha256| declared::Seen {
            sha256: Some(sha256.clone()),
            has_text: false,
        })
        .collect();
    let name = shown(path);
    let mut found = declared::documents(&name, entries, &seen);
    found.extend(outside(room, &name, entries, &seen)?);
    found.retain(|finding| finding.rule.code == rules::ONE_ID_TWO_DOCUMENTS.code);
    Ok(found)
}

/// Files of the room that the manifest does not list.
fn outside(
    room: &Path,
    manifest: &str,
    entries: &[Value<'_>],
    read: &[declared::Seen],
) -> Result<Vec<Finding>, Error> {
    let listed: BTreeSet<PathBuf> = entries
        .iter()
        .filter_map(|entry| entry.get("path")?.as_text()?.as_str())
        .filter_map(|path| room.join(path).canonicalize().ok())
        .collect();
    let by_id: BTreeMap<String, &str> = read
        .iter()
        .filter_map(|seen| seen.sha256.as_deref())
        .map(|sha256| (quotes::hash_id(sha256), sha256))
        .collect();
    let mut out = Vec::new();
    let mut waiting = vec![room.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let failed = |error: &std::io::Error| Error::Read {
            kind: "room",
            name: shown(&folder),
            reason: error.into(),
        };
        let mut paths = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(|error| failed(&error))? {
            let entry = entry.map_err(|error| failed(&error))?;
            let kind = entry.file_type().map_err(|error| failed(&error))?;
            if kind.is_dir() {
                waiting.push(entry.path());
            } else {
                paths.push(entry.path());
            }
        }
        for path in paths {
            if path.canonicalize().is_ok_and(|path| listed.contains(&path)) {
                continue;
            }
            let shown_path = shown(path.strip_prefix(room).unwrap_or(&path));
            let bytes = path
                .is_file()
                .then(|| crate::files::read(&path).ok())
                .flatten();
            let sha256 = bytes.as_deref().map(sha256_hex).unwrap_or_default();
            let id = quotes::hash_id(&sha256);
            let finding = if by_id.get(&id).is_some_and(|other| *other != sha256) {
                Finding::new(
                    &rules::ONE_ID_TWO_DOCUMENTS,
                    Location::at_path(manifest, "$.documents"),
                    format!(
                        "`{}` has the id {id} of a document with other bytes",
                        excerpt(&shown_path)
                    ),
                )
            } else {
                Finding::new(
                    &rules::DOCUMENT_OUTSIDE_MANIFEST,
                    Location::at_path(manifest, "$.documents"),
                    format!(
                        "`{}` lies in the room and is not listed",
                        excerpt(&shown_path)
                    ),
                )
            };
            out.push(finding);
        }
    }
    out.sort_by(|left, right| left.message.cmp(&right.message));
    Ok(out)
}

/// Whether plan, an earlier ledger and results give the ledger's checker receipts.
fn bound(
    parts: &Parts<'_>,
    files: &Files,
    arguments: &CheckArguments,
    context: &Context<'_>,
) -> Result<Vec<Finding>, Error> {
    let name = shown(&parts.ledger.path);
    let ledger = chain::ledger(&parts.ledger.path, &parts.ledger.text, &merge::LEDGER_KEYS)?;
    if parts.counts.checked == 0 {
        return Ok(Vec::new());
    }
    let framework = chain::value(
        Role::Framework,
        &parts.framework.path,
        &parts.framework.text,
        &["framework_version", "lenses"],
    )?;
    let digest = plan::canonical_digest(&framework);
    let mut folders = run_folder::folders_in(&arguments.run);
    folders.splice(0..0, arguments.results.clone());
    let mut why = "no plan in the folder was made for a ledger beside it".to_owned();
    let mut nearest: Option<Vec<Finding>> = None;
    for found in &files.plans {
        let Ok(plan) = Listing::read_plan(&found.text) else {
            continue;
        };
        let is_same = plan.get("framework_digest") == Some(&Value::from(digest.as_str()));
        if !is_same {
            why = format!("{} was made for another framework", shown(&found.path));
            continue;
        }
        for (earlier, _) in &files.ledgers {
            let Ok(source) = Ledger::read(&earlier.text) else {
                continue;
            };
            let fits = merge::check_identity(&source, &plan)
                .and_then(|()| merge::check_coverage(&source, &plan));
            let Ok(jobs) = fits else { continue };
            let has_results = |folder: &PathBuf| {
                let mut names = jobs.iter().map(|(file, _)| file.to_display());
                arguments.results.as_ref() == Some(folder)
                    || names.any(|file| folder.join(&*file).is_file())
            };
            let given: Vec<&PathBuf> = folders
                .iter()
                .filter(|folder| has_results(folder))
                .collect();
            if given.is_empty() {
                why = format!("no folder holds results for {}", shown(&found.path));
            }
            for folder in given {
                let inputs = [
                    earlier.path.as_path(),
                    found.path.as_path(),
                    folder.as_path(),
                ];
                match chain::merged(inputs, context.world) {
                    Err(reason) => why = excerpt(&reason),
                    Ok(bytes) => {
                        let text = String::from_utf8_lossy(&bytes);
                        let Ok(derived) = Ledger::read(&text) else {
                            continue;
                        };
                        let differences = custody::differences(&name, &ledger, &derived);
                        if differences.is_empty() {
                            return Ok(differences);
                        }
                        if nearest
                            .as_ref()
                            .is_none_or(|nearest| differences.len() < nearest.len())
                        {
                            nearest = Some(differences);
                        }
                    }
                }
            }
        }
    }
    Ok(nearest.unwrap_or_else(|| vec![custody::unbound(&name, parts.counts.checked, &why)]))
}
