//! `recount-palette-orphans.py`: the independent palette recount of a blueprint.
//!
//! In: `--blueprint`. Out: one line of figures, orphans again on standard error; 0 none, 1 some,
//! 2 unusable. `GATEWRIGHT_RECOUNT=corrected` in the environment asks for the corrected count.

use super::{Call, Completion, Opt, OptKind, Spec, read_bytes};
use crate::gates::palette::corrected;
use crate::gates::palette::recorded::{self, Fault, Recount, Unusable};
use crate::text::python::{Line, decode_utf8};
use crate::value::json::{Style, dump};
use crate::value::{Object, Text, Value};

/// The command.
pub static SPEC: Spec = Spec {
    name: "recount-palette-orphans",
    script: "recount-palette-orphans.py",
    description: "観測色 palette 孤児を C11 と独立経路で再計数する common-mode 破り検査",
    options: &[Opt {
        flag: "--blueprint",
        help: Some("C01 draft の blueprint.json"),
        kind: OptKind::Required,
    }],
    help_status: 2,
    run,
};

/// Environment variable by which a skill opts in to the corrected count.
pub const VARIABLE: &str = "GATEWRIGHT_RECOUNT";

const UNUSABLE: u8 = 2;
/// Orphans named on standard error at most.
const NAMED_ORPHANS: usize = 20;

fn run(call: &Call<'_>) -> Completion {
    let path = call.python_path("--blueprint");
    let shown = crate::files::display(path.as_os_str());
    let bytes = match read_bytes(&path, &shown) {
        Ok(bytes) => bytes,
        Err(fault) if fault.is_missing() => {
            return fail(Line::new().plain("blueprint が存在しない: ").text(&shown));
        }
        Err(fault) => return unreadable(&shown, fault.words()),
    };
    let text = match decode_utf8(&bytes) {
        Ok(text) => text,
        Err(words) => return call.refuse(UNUSABLE, &shown, "", &words),
    };
    let is_corrected = match call.world.variable(VARIABLE) {
        None => false,
        Some(value) if value.is_empty() || value == "recorded" => false,
        Some(value) if value == "corrected" => true,
        Some(value) => {
            return fail(
                Line::new()
                    .plain(call.spec.script)
                    .plain(": ")
                    .plain(VARIABLE)
                    .plain(" is `")
                    .text(&super::one_line(&crate::files::display(&value)))
                    .plain("`, expected recorded or corrected"),
            );
        }
    };
    let counted = if is_corrected {
        corrected::count_text(text).map(|counted| Recount {
            observed_count: counted.observed_count,
            palette_count: counted.palette_count,
            orphans: counted.orphans,
        })
    } else {
        recorded::count_text(text, &|| call.world.is_interrupted())
    };
    match counted {
        Ok(recount) => completion(call, &recount, &shown),
        Err(Fault::Syntax(error)) if error.is_refusal() => {
            call.refuse(UNUSABLE, &shown, "", &error.message(text, call.dialect))
        }
        Err(Fault::Syntax(error)) => unreadable(&shown, &error.message(text, call.dialect)),
        Err(Fault::Root) => fail(Line::new().plain("blueprint のルートが object でない")),
        Err(Fault::Unusable(Unusable { place, reason })) => {
            call.refuse(UNUSABLE, &shown, &place, &reason)
        }
        Err(Fault::Interrupted) => Completion {
            status: UNUSABLE,
            ..Completion::default()
        },
    }
}

fn fail(line: Line) -> Completion {
    Completion::fail(UNUSABLE, &line.done())
}

fn unreadable(shown: &Text<'_>, words: &str) -> Completion {
    fail(
        Line::new()
            .plain("blueprint を読めない: ")
            .text(shown)
            .plain(": ")
            .plain(words),
    )
}

fn completion(call: &Call<'_>, recount: &Recount, shown: &Text<'_>) -> Completion {
    let orphans = &recount.orphans;
    let line = Text::from_wtf8(dump(&figures(recount), Style::UNICODE_LINE).into());
    let mut out = Completion {
        status: u8::from(!orphans.is_empty()),
        ..Completion::default()
    };
    if out.push_stdout(&line).is_err() {
        let reason = "an orphan holds a lone surrogate, which UTF-8 cannot carry";
        return call.refuse(UNUSABLE, shown, "$.screens", reason);
    }
    if !orphans.is_empty() {
        let mut line = Line::new()
            .plain("観測色が palette に不在 (非共有再計数で孤児検出): ")
            .joined(orphans.iter().take(NAMED_ORPHANS), ", ");
        if orphans.len() > NAMED_ORPHANS {
            line = line.plain(" ...");
        }
        out.push_stderr(&line.done());
    }
    out
}

/// The figures as the command prints them and `recount` returns them.
pub fn figures(recount: &Recount) -> Value<'static> {
    let mut figures = Object::new();
    figures.insert("observed_count", recount.observed_count);
    figures.insert("palette_count", recount.palette_count);
    figures.insert("orphan_count", recount.orphans.len());
    let orphans = recount.orphans.iter().cloned().map(Value::Str).collect();
    figures.insert("orphans", Value::Array(orphans));
    Value::Object(figures)
}
