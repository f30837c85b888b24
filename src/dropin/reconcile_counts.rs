//! `reconcile_counts.py`: coverage of a findings ledger, reconciled against the manifest.
//!
//! In: the paths of manifest, findings, framework and, optionally, families. Out: the report on standard
//! output, status 0 when reconciled and 1 otherwise; what cannot be read or used is one line on
//! standard error.

use super::coverage::{self, Failure, Named, Paths, Terms};
use super::{Call, Completion, Opt, OptKind, ReadFault, Spec};
use crate::dropin::words::counts::lines;
use crate::source::Progress;
use crate::text::python::Line;

/// The command.
pub static SPEC: Spec = Spec {
    name: "reconcile_counts",
    script: "reconcile_counts.py",
    description: "Reconcile findings coverage against the manifest.",
    options: &[
        Opt::required("--manifest"),
        Opt::required("--findings"),
        Opt::required("--framework"),
        Opt {
            flag: "--families",
            help: None,
            kind: OptKind::Optional { default: None },
        },
    ],
    help_status: 0,
    run,
};

/// Status of everything that is not reconciled.
const NOT_RECONCILED: u8 = 1;

fn run(call: &Call<'_>) -> Completion {
    let named = |flag: &str| Named {
        path: call.path(flag),
        shown: call.text(flag),
    };
    let paths = Paths {
        manifest: named("--manifest"),
        findings: named("--findings"),
        framework: named("--framework"),
        // An empty path is no path, as in Python's truth.
        families: call
            .value("--families")
            .filter(|path| !path.is_empty())
            .map(|_| named("--families")),
    };
    let mut watch = |_: Progress| !call.world.is_interrupted();
    let mut terms = Terms {
        dialect: call.dialect,
        watch: &mut watch,
    };
    match coverage::run(&paths, &mut terms) {
        Ok(result) => report(call, &result),
        Err(failure) => refuse(call, &failure),
    }
}

fn report(call: &Call<'_>, result: &crate::gates::reconcile::Reconciliation) -> Completion {
    let mut completion = Completion {
        status: if result.is_ok { 0 } else { NOT_RECONCILED },
        ..Completion::default()
    };
    for line in lines(result) {
        if completion.push_stdout(&line).is_err() {
            return call.refuse(
                NOT_RECONCILED,
                &call.text("--findings"),
                "",
                "a line of the report holds a lone surrogate, which cannot be printed",
            );
        }
    }
    completion
}

fn refuse(call: &Call<'_>, failure: &Failure) -> Completion {
    let shown = |input: &str| call.text(&format!("--{input}"));
    match failure {
        Failure::Read {
            input,
            fault: ReadFault::Decode(words) | ReadFault::Refused(words),
        } => call.refuse(NOT_RECONCILED, &shown(input), "", words),
        Failure::Read {
            input,
            fault: fault @ (ReadFault::Os { .. } | ReadFault::Syntax(_)),
        } => Completion::fail(
            NOT_RECONCILED,
            &Line::new()
                .plain("reconcile_counts: cannot read ")
                .plain(input)
                .plain(" at ")
                .text(&shown(input))
                .plain(": ")
                .plain(fault.words())
                .done(),
        ),
        Failure::MissingKey { input, key } => Completion::fail(
            NOT_RECONCILED,
            &Line::new()
                .plain("reconcile_counts: ")
                .plain(input)
                .plain(" missing key '")
                .plain(key)
                .plain("'")
                .done(),
        ),
        Failure::Unusable(refusal) => call.refuse(
            NOT_RECONCILED,
            &shown(refusal.input),
            &refusal.path,
            &refusal.reason,
        ),
        Failure::Interrupted => Completion::interrupted(),
    }
}
