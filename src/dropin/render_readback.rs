//! `render_readback.py`: framework in, read-back out.

use super::validate_framework::{fatal, problem_lines, read_schema};
use super::{Call, Completion, Opt, Spec};
use crate::files::Staged;
use crate::gates::chain::document::artifact;
use crate::gates::chain::{Stop, readback};
use crate::gates::framework::{self, Schema, Unusable};
use crate::text::python::Line;

/// The command.
pub static SPEC: Spec = Spec {
    name: "render_readback",
    script: "render_readback.py",
    description: "Render the read-back table of a valid framework.",
    options: &[Opt::required("--framework"), Opt::required("--out")],
    help_status: 0,
    run: |call| run(call).unwrap_or_else(|refusal| refusal),
};

/// Status of an invalid framework.
const INVALID: u8 = 1;
/// Status of input that cannot be used and output that cannot be written.
const FATAL: u8 = 2;

fn run(call: &Call<'_>) -> Result<Completion, Completion> {
    let shown = call.text("--framework");
    let bytes = super::read_bytes(call.path("--framework"), &shown)
        .map_err(|fault| fatal("framework", &shown, &fault))?;
    let framework = super::parse_json(&bytes, call.dialect)
        .map_err(|fault| fatal("framework", &shown, &fault))?;
    let (schema_shown, schema_bytes) = read_schema(call)?;
    let document = super::parse_json(&schema_bytes, call.dialect)
        .map_err(|fault| fatal("schema", &schema_shown, &fault))?;
    let schema = Schema::new(&document);
    let report = framework::validate(&framework, &schema, true, call.world.pattern_engine())
        .map_err(|Unusable { place, reason }| call.refuse(FATAL, &schema_shown, &place, &reason))?;
    let mut done = Completion::default();
    if !report.unknown.is_empty() {
        let note = Line::new()
            .plain("note: schema uses keyword(s) the validator does not enforce: ")
            .joined(&report.unknown, ", ");
        done.push_stderr(&note.done());
    }
    if !report.problems.is_empty() {
        let head = Line::new()
            .plain("REFUSED: ")
            .text(&shown)
            .plain(" is not a valid framework (")
            .display(report.problems.len())
            .plain(" error(s)); no read-back written");
        done.push_stderr(&head.done());
        for line in problem_lines(&report) {
            done.push_stderr(&line);
        }
        done.status = INVALID;
        return Ok(done);
    }
    let (readback, count) = readback::build(&framework).map_err(|stop| match stop {
        Stop::Unusable { place, reason, .. } => call.refuse(FATAL, &shown, &place, &reason),
        Stop::Said(text) => Completion::fail(FATAL, &text),
        Stop::Faults(texts) => Completion::fail(FATAL, &Line::new().joined(&texts, "; ").done()),
    })?;
    let out = call.text("--out");
    let line = Line::new()
        .plain("wrote ")
        .text(&out)
        .plain(": ")
        .display(count)
        .plain(" item(s)");
    if done.push_stdout(&line.done()).is_err() {
        return Err(call.refuse(
            FATAL,
            &out,
            "",
            "the name is not UTF-8 and cannot be reported",
        ));
    }
    // Not synced to the disk: it can be derived again.
    let path = call.python_path("--out");
    let staged = crate::files::stage(&path, &artifact(&readback));
    staged.and_then(Staged::commit).map_err(|error| {
        let shown = crate::files::display(path.as_os_str());
        let words = crate::text::python::os_error(&error, &shown);
        let line = Line::new()
            .plain("FATAL: cannot write ")
            .text(&out)
            .plain(": ")
            .plain(&words);
        Completion::fail(FATAL, &line.done())
    })?;
    Ok(done)
}
