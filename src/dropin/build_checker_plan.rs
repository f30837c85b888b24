//! `build_checker_plan.py`: findings and framework in, the checker plan out.

use super::ledger_files::{parse, parse_ledger, read_text, stopped, write_out};
use super::{Call, Completion, Opt, Spec};
use crate::gates::chain::{Input, plan};

/// The command.
pub static SPEC: Spec = Spec {
    name: "build_checker_plan",
    script: "build_checker_plan.py",
    description: "Plan one independent checker job for every present finding.",
    options: &[
        Opt::required("--findings"),
        Opt::required("--framework"),
        Opt::required("--out"),
    ],
    help_status: 0,
    run: |call| run(call).unwrap_or_else(|refusal| refusal),
};

fn run(call: &Call<'_>) -> Result<Completion, Completion> {
    let findings = read_text(call, "--findings", Input::Findings)?;
    let ledger = parse_ledger(
        call,
        "--findings",
        &findings,
        &["framework_version", "findings"],
    )?;
    let framework = read_text(call, "--framework", Input::Framework)?;
    let framework = parse(
        call,
        "--framework",
        Input::Framework,
        &framework,
        &["framework_version", "lenses"],
    )?;
    let flags = [
        (Input::Findings, "--findings"),
        (Input::Framework, "--framework"),
    ];
    let plan = plan::build(&ledger, &framework).map_err(|stop| stopped(call, &stop, &flags))?;
    Ok(write_out(call, |sink| {
        plan.write(sink)?;
        Ok(format!("{} independent checker job(s)", plan.job_count()))
    }))
}
