//! `validate_framework.py`: a checklist framework against its schema and against itself.
//!
//! In: `--framework`, `--schema`, `--allow-approved`. Out: `OK: …` with status 0, `INVALID: …` and a
//! line per problem with status 1, `FATAL: …` with status 2.

use super::{Call, Completion, LoneSurrogate, Opt, OptKind, ReadFault, Spec};
use crate::dropin::words::framework::line;
use crate::gates::framework::{self, Report, Schema, Unusable};
use crate::text::python::{Line, str_of};
use crate::value::{Object, Text, Value};
use std::path::{Component, Path, PathBuf};

/// The command.
pub static SPEC: Spec = Spec {
    name: "validate_framework",
    script: "validate_framework.py",
    description: "Validate framework.json against framework.schema.json.",
    options: &[
        Opt {
            flag: "--framework",
            help: Some("framework.json to validate."),
            kind: OptKind::Required,
        },
        Opt {
            flag: "--schema",
            help: Some("Schema file (default: {schema})."),
            kind: OptKind::Optional { default: None },
        },
        Opt {
            flag: "--allow-approved",
            help: Some("Accept approved: true (post-Gate 2 use)."),
            kind: OptKind::Switch,
        },
    ],
    help_status: 0,
    run,
};

/// Frameworks from this size on are told valid while they are read, without being held in memory.
const LARGE_BYTES: u64 = 1 << 20;

/// Status of a framework with problems.
const INVALID: u8 = 1;
/// Status of input that cannot be used.
const FATAL: u8 = 2;

fn run(call: &Call<'_>) -> Completion {
    let shown = call.text("--framework");
    // Read once: a schema may come through a pipe. Its faults are told after the framework's.
    let early_schema = is_large(call.path("--framework")).then(|| read_schema(call));
    if let Some(Ok((_, schema_bytes))) = &early_schema
        && let Some(completion) = accept_large(call, &shown, schema_bytes)
    {
        return completion;
    }
    let bytes = match super::read_bytes(call.path("--framework"), &shown) {
        Ok(bytes) => bytes,
        Err(fault) => return fatal("framework", &shown, &fault),
    };
    let framework = match super::parse_json(&bytes, call.dialect) {
        Ok(framework) => framework,
        Err(fault) => return fatal("framework", &shown, &fault),
    };
    let schema = early_schema.unwrap_or_else(|| read_schema(call));
    let (schema_shown, schema_bytes) = match schema {
        Ok(schema) => schema,
        Err(completion) => return completion,
    };
    let schema_document = match super::parse_json(&schema_bytes, call.dialect) {
        Ok(document) => document,
        Err(fault) => return fatal("schema", &schema_shown, &fault),
    };
    let schema = Schema::new(&schema_document);
    let allows_approved = call.is_on("--allow-approved");
    let engine = call.world.pattern_engine();
    let completion = match framework::validate(&framework, &schema, allows_approved, engine) {
        Ok(report) => conclude(call, &shown, &framework, &report),
        Err(Unusable { place, reason }) => call.refuse(FATAL, &schema_shown, &place, &reason),
    };
    if call.world.ends_process() {
        std::mem::forget(framework);
    }
    completion
}

/// Whether a framework is worth a pass of its own, and can be read a second time.
fn is_large(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() >= LARGE_BYTES)
}

/// The answer to a large and plainly valid framework; nothing when that takes the exact way, which
/// reads the file again and finds the words for whatever is wrong.
fn accept_large(call: &Call<'_>, shown: &Text<'_>, schema_bytes: &[u8]) -> Option<Completion> {
    let schema_document = super::parse_json(schema_bytes, call.dialect).ok()?;
    let schema = Schema::new(&schema_document);
    let mut source = crate::files::open(call.path("--framework")).ok()?;
    let allows_approved = call.is_on("--allow-approved");
    let engine = call.world.pattern_engine();
    let mut progress = |_| !call.world.is_interrupted();
    let accepted = framework::accept(&mut source, &schema, allows_approved, engine, &mut progress);
    if accepted.is_none() && call.world.is_interrupted() {
        return Some(Completion::interrupted());
    }
    let accepted = accepted?;
    let counts = (accepted.lens_count, accepted.item_count);
    let mut completion = Completion::default();
    let line = ok_line(shown, counts, &accepted.head);
    completion.push_stdout(&line).ok()?;
    Some(completion)
}

pub(super) fn fatal(kind: &str, shown: &Text<'_>, fault: &ReadFault) -> Completion {
    let start = Line::new().plain("FATAL: ");
    let line = match fault {
        ReadFault::Decode(words) => start.plain(words),
        ReadFault::Os { words, .. } | ReadFault::Syntax(words) | ReadFault::Refused(words) => start
            .plain("cannot read ")
            .plain(kind)
            .plain(" at ")
            .text(shown)
            .plain(": ")
            .plain(words),
    };
    Completion::fail(FATAL, &line.done())
}

/// The schema's name and bytes: the one asked for, the one beside an entry script's folder, or the
/// package's own for the console command.
pub(super) fn read_schema(call: &Call<'_>) -> Result<(Text<'static>, Vec<u8>), Completion> {
    let path = match (call.value("--schema"), &call.script) {
        (Some(path), _) => PathBuf::from(path),
        (None, Some(script)) => sibling_schema(script),
        (None, None) => {
            let own = framework::DEFAULT_SCHEMA.as_bytes().to_vec();
            return Ok((Text::borrowed("framework.schema.json"), own));
        }
    };
    let shown = crate::files::display(path.as_os_str());
    match super::read_bytes(&path, &shown) {
        Ok(bytes) => Ok((shown, bytes)),
        Err(fault) => Err(fatal("schema", &shown, &fault)),
    }
}

/// `../references/framework.schema.json` from the folder of `script`, absolute.
pub fn sibling_schema(script: &Path) -> PathBuf {
    let absolute = std::path::absolute(script).unwrap_or_else(|_| script.to_path_buf());
    // As os.path.abspath: `..` is resolved in the text, not through links.
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain.pop();
    plain.pop();
    plain.join("references").join("framework.schema.json")
}

fn conclude(
    call: &Call<'_>,
    shown: &Text<'_>,
    framework: &Value<'_>,
    report: &Report<'_>,
) -> Completion {
    let mut completion = Completion::default();
    if !report.unknown.is_empty() {
        let note = Line::new()
            .plain("note: schema uses keyword(s) this checker does not enforce: ")
            .joined(&report.unknown, ", ");
        completion.push_stderr(&note.done());
    }
    let printed = if report.problems.is_empty() {
        match root_counts(framework) {
            Ok((root, counts)) => completion.push_stdout(&ok_line(shown, counts, root)),
            Err((place, reason)) => return call.refuse(FATAL, shown, &place, reason),
        }
    } else {
        completion.status = INVALID;
        push_problems(&mut completion, shown, report)
    };
    match printed {
        Ok(()) => completion,
        Err(LoneSurrogate) => call.refuse(
            FATAL,
            shown,
            "",
            "the answer holds a lone surrogate, which UTF-8 cannot carry",
        ),
    }
}

fn push_problems(
    completion: &mut Completion,
    shown: &Text<'_>,
    report: &Report<'_>,
) -> Result<(), LoneSurrogate> {
    let head = Line::new()
        .plain("INVALID: ")
        .text(shown)
        .plain(" (")
        .display(report.problems.len())
        .plain(" error(s))");
    completion.push_stdout(&head.done())?;
    for line in problem_lines(report) {
        completion.push_stdout(&line)?;
    }
    Ok(())
}

/// A line for each problem, after two spaces.
pub(crate) fn problem_lines(report: &Report<'_>) -> impl Iterator<Item = Text<'static>> {
    let root = Text::borrowed("$");
    let indented = move |problem| Line::new().plain("  ").text(&line(problem, &root)).done();
    report.problems.iter().map(indented)
}

/// Why the counts of the last line cannot be taken: place and reason.
type Uncountable = (String, &'static str);

fn root_counts<'f, 'v>(
    framework: &'f Value<'v>,
) -> Result<(&'f Object<'v>, (usize, usize)), Uncountable> {
    let Some(root) = framework.as_object() else {
        return Err((
            String::new(),
            "a framework must be an object, whatever the schema allows",
        ));
    };
    Ok((root, counts(root)?))
}

fn ok_line(
    shown: &Text<'_>,
    (lens_count, item_count): (usize, usize),
    root: &Object<'_>,
) -> Text<'static> {
    let version = root.get("framework_version").unwrap_or(&Value::Null);
    Line::new()
        .plain("OK: ")
        .text(shown)
        .plain(" is valid (")
        .display(lens_count)
        .plain(" lens(es), ")
        .display(item_count)
        .plain(" item(s), version ")
        .text(&str_of(version))
        .plain(")")
        .done()
}

/// Lenses and items as Python's `len` counts them; a schema of one's own may allow odd ones.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other types are one case"
)]
fn counts(root: &Object<'_>) -> Result<(usize, usize), Uncountable> {
    let Some(lenses) = root.get("lenses") else {
        return Ok((0, 0));
    };
    let uncountable = |place: String| (place, "lenses and their items cannot be counted");
    match lenses {
        Value::Array(lenses) => {
            let mut item_count = 0;
            for (index, lens) in lenses.iter().enumerate() {
                let place = || format!("$.lenses[{index}]");
                let lens = lens.as_object().ok_or_else(|| uncountable(place()))?;
                if let Some(items) = lens.get("items") {
                    let len = python_len(items);
                    item_count += len.ok_or_else(|| uncountable(place() + ".items"))?;
                }
            }
            Ok((lenses.len(), item_count))
        }
        // Python walks an empty text or object without looking at a lens.
        _ if python_len(lenses) == Some(0) => Ok((0, 0)),
        _ => Err(uncountable("$.lenses".to_owned())),
    }
}

fn python_len(value: &Value<'_>) -> Option<usize> {
    match value {
        Value::Str(text) => Some(text.len()),
        Value::Array(items) => Some(items.len()),
        Value::Object(object) => Some(object.len()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sibling_schema_is_found_in_the_text_of_the_path() {
        assert_eq!(
            sibling_schema(Path::new("/skill/x/../scripts/validate_framework.py")),
            Path::new("/skill/references/framework.schema.json")
        );
    }

    #[test]
    fn counting_follows_len_and_refuses_what_has_none() {
        let counted = |text: &str| {
            let value = crate::value::json::parse(text).unwrap();
            counts(value.as_object().unwrap()).map_err(|(place, _)| place)
        };
        assert_eq!(counted("{}"), Ok((0, 0)));
        assert_eq!(counted(r#"{"lenses": [{}, {"items": "abc"}]}"#), Ok((2, 3)));
        assert_eq!(counted(r#"{"lenses": ""}"#), Ok((0, 0)));
        assert_eq!(counted(r#"{"lenses": null}"#), Err("$.lenses".to_owned()));
        assert_eq!(counted(r#"{"lenses": [1]}"#), Err("$.lenses[0]".to_owned()));
        assert_eq!(
            counted(r#"{"lenses": [{"items": 1}]}"#),
            Err("$.lenses[0].items".to_owned())
        );
    }
}
