//! `verify_finding_quotes.py`: ledger, manifest and documents in, ledger with quote receipts out.

use super::ledger_files::{parse, parse_ledger, read_text, said, stopped, write_out};
use super::{Call, Completion, Opt, OptKind, Spec, room};
use crate::extract::Extractor;
use crate::gates::chain::{Input, Stop, quotes};
use crate::text::python::Line;
use std::collections::BTreeMap;

/// The command.
pub static SPEC: Spec = Spec {
    name: "verify_finding_quotes",
    script: "verify_finding_quotes.py",
    description: "Verify the quote of every present finding against its source document.",
    options: &[
        Opt::required("--findings"),
        Opt::required("--manifest"),
        Opt::required("--room-root"),
        Opt {
            flag: "--extractor",
            help: None,
            kind: OptKind::Choice(&["auto", "stdlib"]),
        },
        Opt::required("--out"),
    ],
    help_status: 0,
    run: |call| run(call).unwrap_or_else(|refusal| refusal),
};

fn run(call: &Call<'_>) -> Result<Completion, Completion> {
    let flags = [
        (Input::Findings, "--findings"),
        (Input::Manifest, "--manifest"),
    ];
    let findings = read_text(call, "--findings", Input::Findings)?;
    let ledger = parse_ledger(call, "--findings", &findings, &quotes::LEDGER_KEYS)?;
    let manifest = read_text(call, "--manifest", Input::Manifest)?;
    let manifest = parse(
        call,
        "--manifest",
        Input::Manifest,
        &manifest,
        &quotes::MANIFEST_KEYS,
    )?;
    let root = call.python_path("--room-root");
    let root = crate::files::expand_home(&root, call.world.variable("HOME"));
    let root = crate::files::resolve(&root);
    if !root.is_dir() {
        let shown = crate::files::display(root.as_os_str());
        return Err(said(
            call,
            &Line::new()
                .plain("room root is not a directory: ")
                .text(&shown)
                .done(),
        ));
    }
    // Both recorded choices mean the same reader.
    let extractor = Extractor::Pdfium;
    let documents =
        quotes::last_documents(&manifest).map_err(|stop| stopped(call, &stop, &flags))?;
    let how = room::How {
        extractor,
        is_told: false,
    };
    let checked = room::check(&root, &ledger, &documents, how, call.world)
        .map_err(|stop| stopped(call, &stop.into(), &flags))?;
    if !checked.unreadable.is_empty() {
        let texts = checked.unreadable.into_iter().map(|(_, text)| text);
        return Err(stopped(call, &Stop::faults(texts.collect()), &flags));
    }
    let standings = checked.standings();
    drop(checked);
    Ok(write_out(call, |sink| {
        let verified = quotes::apply(&ledger, &standings, &BTreeMap::new(), sink)?;
        Ok(format!(
            "{} confirmed, {} changed to unresolved",
            verified.confirmed_count, verified.rejected_count
        ))
    }))
}
