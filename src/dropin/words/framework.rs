//! The sentences of `validate_framework.py`.
//!
//! In: problems of the framework gate. Out: its recorded lines, lone surrogates kept.

use crate::gates::framework::{Problem, ProblemKind};
use crate::text::python::Line;
use crate::value::Text;
use crate::value::json::locate::{Step, ValuePath};

/// The line of `problem`; `root` is the path the check began at, `$` for a whole framework.
pub fn line(problem: &Problem<'_>, root: &Text<'_>) -> Text<'static> {
    let start = path(Line::new().text(root), &problem.path);
    sentence(start, &problem.kind, root).done()
}

/// `line` with the steps of `path` behind it.
fn path(mut line: Line, path: &ValuePath) -> Line {
    for step in &path.0 {
        line = match step {
            Step::Key(key) => line.plain(".").text(key),
            Step::Index(index) => line.plain("[").display(index).plain("]"),
        };
    }
    line
}

fn sentence(line: Line, kind: &ProblemKind<'_>, root: &Text<'_>) -> Line {
    match kind {
        ProblemKind::NoAlternative(firsts) => {
            let firsts: Vec<_> = firsts.iter().map(|first| self::line(first, root)).collect();
            line.plain(": no anyOf alternative matched (")
                .joined(&firsts, " | ")
                .plain(")")
        }
        ProblemKind::Type { expected, found } => line
            .plain(": expected type ")
            .joined(expected.iter().copied(), "/")
            .plain(", got ")
            .plain(found),
        ProblemKind::NotChosen { value, choices } => line
            .plain(": ")
            .repr(value)
            .plain(" is not one of ")
            .str(choices),
        ProblemKind::NotConstant { value, constant } => line
            .plain(": must be exactly ")
            .repr(constant)
            .plain(", got ")
            .repr(value),
        ProblemKind::Pattern { value, pattern } => line
            .plain(": ")
            .repr(value)
            .plain(" does not match pattern ")
            .text(pattern),
        ProblemKind::TooShort { limit } => line
            .plain(": string shorter than minLength ")
            .plain(limit),
        ProblemKind::TooLong { limit } => {
            line.plain(": string longer than maxLength ").plain(limit)
        }
        ProblemKind::BelowMinimum { value, limit } => line
            .plain(": ")
            .repr(value)
            .plain(" is below minimum ")
            .repr(limit),
        ProblemKind::AboveMaximum { value, limit } => line
            .plain(": ")
            .repr(value)
            .plain(" is above maximum ")
            .repr(limit),
        ProblemKind::TooFewItems { count, limit, .. } => line
            .plain(": array has ")
            .display(count)
            .plain(" item(s), minItems is ")
            .plain(limit),
        ProblemKind::TooManyItems { count, limit } => line
            .plain(": array has ")
            .display(count)
            .plain(" item(s), maxItems is ")
            .plain(limit),
        ProblemKind::Missing { name } => line
            .plain(": missing required property '")
            .text(name)
            .plain("'"),
        ProblemKind::Unexpected { name } => {
            line.plain(": unexpected property '").text(name).plain("'")
        }
        ProblemKind::Version { value } => line.plain(": must be >= 1, got ").repr(value),
        ProblemKind::Approved => line.plain(
            ": must be false before Gate 2 approval (pass --allow-approved to accept an approved framework)",
        ),
        ProblemKind::DuplicateLens { id, first } => line
            .plain(": duplicate lens_id ")
            .repr(id)
            .plain(" (first used at $.lenses[")
            .display(first)
            .plain("])"),
        ProblemKind::DuplicateIssue {
            id,
            first: (lens, item),
        } => line
            .plain(": duplicate issue_id ")
            .repr(id)
            .plain(" (first used at $.lenses[")
            .display(lens)
            .plain("].items[")
            .display(item)
            .plain("]); issue_id must be unique across all lenses"),
        ProblemKind::UnknownOwner { id } => line
            .plain(": ")
            .repr(id)
            .plain(" is not a lens_id defined in this framework"),
    }
}
