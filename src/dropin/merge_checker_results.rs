//! `merge_checker_results.py`: ledger, checker plan and a folder of results in, checked ledger out.

use super::ledger_files::{parse, parse_ledger, read_text, refused, said, stopped, write_out};
use super::{Call, Completion, Opt, OptKind, ReadFault, Spec, parse_json, read_bytes};
use crate::ledger::{Input, merge};
use crate::pytext::Line;
use crate::value::Text;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// The command.
pub static SPEC: Spec = Spec {
    name: "merge_checker_results",
    script: "merge_checker_results.py",
    description: "Merge independent checker results into the findings ledger.",
    options: &[
        Opt {
            flag: "--findings",
            help: None,
            kind: OptKind::Required,
        },
        Opt {
            flag: "--checker-plan",
            help: None,
            kind: OptKind::Required,
        },
        Opt {
            flag: "--results-dir",
            help: None,
            kind: OptKind::Required,
        },
        Opt {
            flag: "--out",
            help: None,
            kind: OptKind::Required,
        },
    ],
    help_status: 0,
    run: |call| run(call).unwrap_or_else(|refusal| refusal),
};

fn run(call: &Call<'_>) -> Result<Completion, Completion> {
    let findings = read_text(call, "--findings", Input::Findings)?;
    let ledger = parse_ledger(call, "--findings", &findings, &merge::LEDGER_KEYS)?;
    let plan_text = read_text(call, "--checker-plan", Input::Plan)?;
    let plan = parse(
        call,
        "--checker-plan",
        Input::Plan,
        &plan_text,
        &merge::PLAN_KEYS,
    )?;
    let flags = [
        (Input::Findings, "--findings"),
        (Input::Plan, "--checker-plan"),
    ];
    merge::check_identity(&ledger, &plan).map_err(|stop| stopped(call, &stop, &flags))?;
    let folder = call.path("--results-dir");
    if !folder.is_dir() {
        let text = Line::new()
            .plain("results directory not found: ")
            .text(&call.text("--results-dir"))
            .done();
        return Err(said(call, &text));
    }
    let jobs =
        merge::check_coverage(&ledger, &plan).map_err(|stop| stopped(call, &stop, &flags))?;
    let found = result_names(folder).map_err(|error| {
        refused(
            call,
            "--results-dir",
            &crate::pytext::os_error(&error, &call.text("--results-dir").to_display()),
        )
    })?;
    let mut results = jobs.compare(&found);
    let present: Vec<_> = jobs
        .iter()
        .filter(|(file, _)| found.contains(*file))
        .collect();
    // In parts, so that a stop request is seen and the bytes of all results never stand at once.
    for part in present.chunks(4096) {
        if call.world.is_interrupted() {
            return Err(refused(call, "--results-dir", "interrupted"));
        }
        let read: Vec<_> = part
            .par_iter()
            .map(|(file, _)| read_result(call, folder, file))
            .collect();
        for ((file, finding), bytes) in part.iter().zip(read) {
            let bytes = bytes?;
            let value =
                parse_json(&bytes, call.dialect).map_err(|fault| unreadable(call, file, &fault))?;
            results.take(&plan, file, finding, &value);
        }
    }
    let merged = results
        .apply(&ledger)
        .map_err(|stop| stopped(call, &stop, &flags))?;
    let counts = format!(
        "{} confirmed, {} changed to unresolved",
        merged.confirmed_count, merged.changed_count
    );
    Ok(write_out(call, &merged.bytes, &counts))
}

/// Names of the entries that end in `.json`, folders and dangling links included.
pub(crate) fn result_names(folder: &Path) -> std::io::Result<BTreeSet<Text<'static>>> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        if name.as_encoded_bytes().ends_with(b".json") {
            names.insert(crate::files::display(&name));
        }
    }
    Ok(names)
}

fn read_result(call: &Call<'_>, folder: &Path, file: &Text<'_>) -> Result<Vec<u8>, Completion> {
    let name = file.to_display();
    let shown = Text::from(folder.join(&*name).to_string_lossy().into_owned());
    let Some(path) = crate::files::inside(folder, Path::new(&*name)) else {
        return Err(unreadable(
            call,
            file,
            &ReadFault::Refused("it is a link out of the results folder".into()),
        ));
    };
    read_bytes(&path, &shown).map_err(|fault| unreadable(call, file, &fault))
}

fn unreadable(call: &Call<'_>, file: &Text<'_>, fault: &ReadFault) -> Completion {
    let words = Text::from(fault.words().to_owned());
    said(
        call,
        &Line::new()
            .plain("cannot read checker result ")
            .text(file)
            .plain(": ")
            .text(&words)
            .done(),
    )
}
