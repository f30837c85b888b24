//! `merge_checker_results.py`: ledger, checker plan and a folder of results in, checked ledger out.

use super::ledger_files::{parse_ledger, parse_plan, read_text, refused, said, stopped, write_out};
use super::{Call, Completion, Opt, ReadFault, Spec, parse_json, read_bytes};
use crate::digest::sha256_hex;
use crate::gates::chain::{Input, Listing, NULL, merge};
use crate::text::python::Line;
use crate::value::json::Dialect;
use crate::value::{Text, Value};
use crate::workers;
use crate::world::World;
use hashbrown::HashMap;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// The command.
pub static SPEC: Spec = Spec {
    name: "merge_checker_results",
    script: "merge_checker_results.py",
    description: "Merge independent checker results into the findings ledger.",
    options: &[
        Opt::required("--findings"),
        Opt::required("--checker-plan"),
        Opt::required("--results-dir"),
        Opt::required("--out"),
    ],
    help_status: 0,
    run: |call| run(call).unwrap_or_else(|refusal| refusal),
};

fn run(call: &Call<'_>) -> Result<Completion, Completion> {
    let findings = read_text(call, "--findings", Input::Findings)?;
    let ledger = parse_ledger(call, "--findings", &findings, &merge::LEDGER_KEYS)?;
    let plan_text = read_text(call, "--checker-plan", Input::Plan)?;
    let plan = parse_plan(call, "--checker-plan", &plan_text, &merge::PLAN_KEYS)?;
    let flags = [
        (Input::Findings, "--findings"),
        (Input::Plan, "--checker-plan"),
    ];
    merge::check_identity(&ledger, &plan).map_err(|stop| stopped(call, &stop, &flags))?;
    let folder = call.python_path("--results-dir");
    if !folder.is_dir() {
        let text = Line::new()
            .plain("results directory not found: ")
            .text(&crate::files::display(folder.as_os_str()))
            .done();
        return Err(said(call, &text));
    }
    let jobs =
        merge::check_coverage(&ledger, &plan).map_err(|stop| stopped(call, &stop, &flags))?;
    let terms = Terms {
        dialect: call.dialect,
        is_digested: false,
        is_listed: false,
        world: call.world,
    };
    let gathered = gather(&folder, &jobs, &plan, &terms).map_err(|fault| match fault {
        ResultFault::Folder(error) => {
            let shown = call.text("--results-dir");
            refused(
                call,
                "--results-dir",
                &crate::text::python::os_error(&error, &shown),
            )
        }
        ResultFault::Interrupted => refused(call, "--results-dir", "interrupted"),
        ResultFault::Unreadable { file, words } => said(call, &unreadable(&file, &words)),
    })?;
    let mut results = gathered.results;
    results
        .check()
        .map_err(|stop| stopped(call, &stop, &flags))?;
    Ok(write_out(call, |sink| {
        let merged = results.apply(&ledger, sink)?;
        Ok(format!(
            "{} confirmed, {} changed to unresolved",
            merged.confirmed_count, merged.changed_count
        ))
    }))
}

/// Why the results could not be gathered.
pub(crate) enum ResultFault {
    /// The folder could not be listed.
    Folder(std::io::Error),
    /// One result could not be read.
    Unreadable { file: Text<'static>, words: String },
    /// A stop was asked for.
    Interrupted,
}

/// What gathering takes besides the folder and what is planned for it.
pub(crate) struct Terms<'t> {
    /// Which Python's words JSON faults are told in.
    pub(crate) dialect: Dialect,
    /// Whether the results are to be identified by digest.
    pub(crate) is_digested: bool,
    /// Whether each of them is to be listed with its digest.
    pub(crate) is_listed: bool,
    /// The world to ask whether to stop.
    pub(crate) world: &'t dyn World,
}

/// The results of a folder.
pub(crate) struct Gathered<'a> {
    /// What they say, and what is wrong with them.
    pub(crate) results: merge::Results<'a>,
    /// SHA-256 over a line `SHA-256 NAME` for every planned result, in the order of the plan, when
    /// that was asked for.
    pub(crate) sha256: String,
    /// Name and SHA-256 of each, when that was asked for.
    pub(crate) listed: Vec<(String, String)>,
    /// Bytes of all of them.
    pub(crate) len_bytes: u64,
}

/// Reads every planned result that the folder has.
pub(crate) fn gather<'a>(
    folder: &Path,
    jobs: &merge::Jobs<'a>,
    plan: &Listing<'_>,
    terms: &Terms<'_>,
) -> Result<Gathered<'a>, ResultFault> {
    let plan_id = plan.get("plan_id").unwrap_or(NULL);
    let found = result_names(folder).map_err(ResultFault::Folder)?;
    let mut results = jobs.compare(&found);
    let mut lines = Sha256::new();
    let mut len_bytes = 0_u64;
    let mut passed_over = None;
    let mut listed = Vec::new();
    let present: Vec<_> = jobs
        .iter()
        .filter_map(|(file, finding)| Some((file, finding, *found.get(file.as_bytes())?)))
        .collect();
    // In parts, so that a stop request is seen and the bytes of all results never stand at once.
    for part in present.chunks(4096) {
        if terms.world.is_interrupted() {
            return Err(ResultFault::Interrupted);
        }
        let (dialect, is_digested) = (terms.dialect, terms.is_digested);
        let look = |(file, finding, entry): &(&Text<'_>, &Text<'_>, Entry)| {
            let bytes = read_result(folder, file, *entry)?;
            let said = Said::of(&bytes, plan_id, finding, dialect)?;
            Ok((said, is_digested.then(|| sha256_hex(&bytes)), bytes.len()))
        };
        let read: Vec<_> = workers::spread(|| part.par_iter().map(look).collect());
        for ((file, finding, entry), read) in part.iter().zip(read) {
            let unreadable = |fault: ReadFault| ResultFault::Unreadable {
                file: (*file).clone().into_owned(),
                words: fault.words().to_owned(),
            };
            let (said, sha256, len) = match read {
                Ok(read) => read,
                Err(fault) if *entry == Entry::Other && !is_file(folder, file) => {
                    passed_over.get_or_insert_with(|| unreadable(fault));
                    continue;
                }
                Err(fault) => return Err(unreadable(fault)),
            };
            match said {
                Said::Clean(opinion) => results.accept(finding, opinion),
                Said::Other(value) => results.take(plan_id, file, finding, &value),
            }
            if let Some(sha256) = sha256 {
                lines.update(format!("{sha256} {}\n", file.to_display()));
                if terms.is_listed {
                    listed.push((file.to_display().into_owned(), sha256));
                }
            }
            len_bytes = len_bytes.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
        }
    }
    // What stands in a result's place and is no file is passed over while there are other faults.
    if let Some(fault) = passed_over
        && results.is_clean()
    {
        return Err(fault);
    }
    Ok(Gathered {
        results,
        sha256: crate::digest::hex(&lines.finalize()),
        listed,
        len_bytes,
    })
}

/// What a directory says of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A plain file, which cannot lead out of its folder.
    File,
    /// A link, a folder or anything else.
    Other,
}

/// The entries whose names end in `.json`, folders and dangling links included.
fn result_names(folder: &Path) -> std::io::Result<HashMap<Text<'static>, Entry>> {
    let mut names = HashMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.as_encoded_bytes().ends_with(b".json") {
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let kind = if is_file { Entry::File } else { Entry::Other };
            names.insert(crate::files::display(&name), kind);
        }
    }
    Ok(names)
}

/// What one result says.
enum Said {
    /// An opinion with nothing wrong in it.
    Clean(merge::Opinion),
    /// A value that has to be told what is wrong with it.
    Other(Value<'static>),
}

impl Said {
    fn of(
        bytes: &[u8],
        plan_id: &Value<'_>,
        finding: &Text<'_>,
        dialect: Dialect,
    ) -> Result<Self, ReadFault> {
        let clean = std::str::from_utf8(bytes)
            .ok()
            .and_then(|text| merge::Opinion::of_clean(text, plan_id, finding));
        match clean {
            Some(opinion) => Ok(Self::Clean(opinion)),
            None => Ok(Self::Other(parse_json(bytes, dialect)?.into_owned())),
        }
    }
}

fn is_file(folder: &Path, file: &Text<'_>) -> bool {
    crate::files::path_of(file).is_some_and(|name| folder.join(name).is_file())
}

fn read_result(folder: &Path, file: &Text<'_>, entry: Entry) -> Result<Vec<u8>, ReadFault> {
    let name = crate::files::path_of(file)
        .ok_or_else(|| ReadFault::Refused("the name holds a lone surrogate".into()))?;
    let path = match entry {
        Entry::File => folder.join(name),
        Entry::Other => crate::files::inside(folder, &name)
            .ok_or_else(|| ReadFault::Refused("it is a link out of the results folder".into()))?,
    };
    // The name for a message is made only when there is one.
    crate::files::read(&path)
        .or_else(|_| read_bytes(&path, &crate::files::display(path.as_os_str())))
}

/// The recorded sentence for a result that cannot be read.
pub(crate) fn unreadable(file: &Text<'_>, words: &str) -> Text<'static> {
    Line::new()
        .plain("cannot read checker result ")
        .text(file)
        .plain(": ")
        .plain(words)
        .done()
}
