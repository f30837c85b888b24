//! `gatewright demo`: every gate on a bundled example, as a user would type it.
//!
//! Writes the example into a fresh folder, runs each command there and compares what the gates found
//! with the faults planted in it. Status 0 only when they found exactly those. As text every step is
//! shown as typed; in the other formats one report of all gates.

use super::{Answer, Context, Terminal};
use crate::error::Error;
use crate::invariant::Invariant as _;
use crate::report::{Format, Style};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

macro_rules! example {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../python/gatewright/examples/", $name)),
        )
    };
}

/// The example's files.
const FILES: &[(&str, &str)] = &[
    example!("framework.json"),
    example!("manifest.json"),
    example!("findings.json"),
    example!("blueprint.json"),
    example!("assessment.json"),
    example!("lease.txt"),
    example!("quotes.json"),
    example!("invented/framework.json"),
    example!("invented/manifest.json"),
    example!("invented/findings.json"),
    example!("invented/plan.json"),
    example!("invented/checked.json"),
    example!("invented/results/2738140ae67e559d.json"),
    example!("invented/results/86c822b5a03cb938.json"),
    example!("invented/room/lease.txt"),
];

/// Stands for the hash that a draft's sink status would carry.
const DRAFT_HASH: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";

/// One command of the demo and what it must find.
struct Step {
    /// What the reader is told before it.
    about: &'static str,
    /// The arguments after `gatewright`.
    words: &'static [&'static str],
    /// Exit status.
    status: u8,
    /// Codes of the findings (for `evidence find`: the grades), in order.
    found: &'static [&'static str],
}

/// Folder of the receipts, beside the files.
const VERDICTS: &str = "verdicts";

impl Step {
    /// The arguments with the files where they are: the folder that we are in stays the caller's.
    fn words_in(&self, folder: &Path) -> Vec<OsString> {
        // A file of the example, or a folder of it.
        let is_path = |word: &str| {
            let is_of = |name: &str| {
                name.strip_prefix(word)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            word == VERDICTS || FILES.iter().any(|(name, _)| is_of(name))
        };
        let words = self.words.iter();
        words
            .map(|word| {
                if is_path(word) {
                    folder.join(word).into_os_string()
                } else {
                    OsString::from(word)
                }
            })
            .collect()
    }
}

/// What a command printed, with the files named as the reader sees them typed.
fn as_typed(printed: &[u8], folder: &Path) -> String {
    let printed = String::from_utf8_lossy(printed);
    let before = folder.join("").display().to_string();
    let in_json = serde_json::Value::from(before.as_str()).to_string();
    printed
        .replace(&before, "")
        .replace(in_json.trim_matches('"'), "")
}

const STEPS: &[Step] = &[
    Step {
        about: "The checklist framework is valid:",
        words: &["framework", "check", "framework.json"],
        status: 0,
        found: &[],
    },
    Step {
        about: "Two faults are planted in the ledger: a result is missing, and a checker refuted a finding:",
        words: &[
            "ledger",
            "reconcile",
            "--manifest",
            "manifest.json",
            "--findings",
            "findings.json",
            "--framework",
            "framework.json",
        ],
        status: 1,
        found: LEDGER_FAULTS,
    },
    Step {
        about: "In another run a quote was invented and its receipt typed by hand; the documents tell:",
        words: &["ledger", "check", "invented"],
        status: 1,
        found: INVENTED_QUOTE,
    },
    Step {
        about: "One of three quotes stands in the lease; one differs in an apostrophe, one drops a `not`:",
        words: &[
            "evidence",
            "find",
            "--source",
            "lease.txt",
            "--quotes",
            "quotes.json",
        ],
        status: 1,
        found: &["reflowed", "typographic", "near"],
    },
    Step {
        about: "One colour was observed that the palette lacks:",
        words: &["blueprint", "recount", "blueprint.json"],
        status: 1,
        found: PALETTE_FAULTS,
    },
    Step {
        about: "So the draft fails, and the receipt says so for exactly this hash:",
        words: &[
            "blueprint",
            "verdict",
            "assessment.json",
            "--draft-hash",
            DRAFT_HASH,
            "--verdict-dir",
            VERDICTS,
        ],
        status: 1,
        found: VERDICT_FAULTS,
    },
];

const LEDGER_FAULTS: &[&str] = &["GWC012", "GWC019"];
const INVENTED_QUOTE: &[&str] = &["GWL101"];
const PALETTE_FAULTS: &[&str] = &["GWP001"];
const VERDICT_FAULTS: &[&str] = &["GWV023", "GWV024"];

/// Run the demo.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder for the example's files, which must not be there or be empty; a fresh temporary folder
    /// when none is named.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Write the example, run the gates on it, compare.
///
/// # Errors
/// When the folder cannot be made or is not empty, or a file cannot be written.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    let folder = match &arguments.folder {
        Some(folder) => empty_folder(folder)?,
        None => tempfile::Builder::new()
            .prefix("gatewright-demo-")
            .tempdir()
            .map_err(|fault| failed(&std::env::temp_dir(), &fault))?
            .keep(),
    };
    for (name, content) in FILES {
        let path = folder.join(name);
        let parent = crate::files::folder_of(&path);
        std::fs::create_dir_all(parent).map_err(|fault| failed(parent, &fault))?;
        crate::files::write_atomic(&path, content.as_bytes())
            .map_err(|fault| failed(&path, &fault))?;
    }
    let (text, missed) = run_steps(&folder, context);
    let report = report(&folder, context);
    let mut out = match report? {
        Some(report) => report,
        None => format!("$ cd {}\n\n{text}", folder.display()),
    };
    let mut stderr = String::new();
    let status = if missed.is_empty() {
        if context.format == Format::Text {
            out.push_str("The gates found exactly the planted faults.\n");
        }
        0
    } else {
        for line in missed {
            let _ = writeln!(stderr, "gatewright: error: demo: {line}");
        }
        1
    };
    Ok(Answer::Text {
        stdout: out,
        stderr,
        status,
    })
}

/// What the gates found, in the format asked for; nothing for text, which shows every step.
fn report(folder: &Path, context: &Context<'_>) -> Result<Option<String>, Error> {
    if context.format == Format::Text {
        return Ok(None);
    }
    let mut outcomes = Vec::new();
    for step in STEPS {
        match super::call(&step.words_in(folder), context)? {
            Answer::Outcomes(found)
            | Answer::Run {
                outcomes: found, ..
            }
            | Answer::Own {
                outcomes: found, ..
            } => outcomes.extend(found),
            Answer::Text { .. } => {}
        }
    }
    let style = Style {
        base: crate::files::display(folder.as_os_str())
            .to_display()
            .into_owned(),
        ..Style::default()
    };
    let bytes = crate::report::render(&outcomes, context.format, &style)?;
    Ok(Some(as_typed(&bytes, folder)))
}

fn failed(path: &Path, fault: &std::io::Error) -> Error {
    Error::Write {
        name: path.display().to_string(),
        reason: fault.into(),
    }
}

fn empty_folder(folder: &Path) -> Result<PathBuf, Error> {
    std::fs::create_dir_all(folder).map_err(|fault| failed(folder, &fault))?;
    let mut entries = std::fs::read_dir(folder).map_err(|fault| failed(folder, &fault))?;
    if entries.next().is_some() {
        return Err(Error::Usage(format!(
            "`{}` is not empty (name a folder that does not exist yet)",
            folder.display()
        )));
    }
    std::fs::canonicalize(folder).map_err(|fault| failed(folder, &fault))
}

/// What the steps printed, and what was not as planted.
fn run_steps(folder: &Path, context: &Context<'_>) -> (String, Vec<String>) {
    let mut out = String::new();
    let mut missed = Vec::new();
    for step in STEPS {
        let typed = format!("gatewright {}", step.words.join(" "));
        let shown = call(step, folder, Format::Text, context);
        let _ = writeln!(out, "{}\n$ {typed}", step.about);
        out.push_str(&as_typed(&shown.stdout, folder));
        out.push_str(&as_typed(&shown.stderr, folder));
        let _ = writeln!(out, "[exit {}]\n", shown.status);
        let found = found(&call(step, folder, Format::Json, context).stdout);
        if shown.status != step.status || found != step.found {
            missed.push(format!(
                "`{typed}` gave status {} and {found:?}, planted were status {} and {:?}",
                shown.status, step.status, step.found
            ));
        }
    }
    (out, missed)
}

fn call(
    step: &Step,
    folder: &Path,
    format: Format,
    context: &Context<'_>,
) -> crate::dropin::Completion {
    let color = if context.is_colored && format == Format::Text {
        "always"
    } else {
        "never"
    };
    let mut words = step.words_in(folder);
    let name = if format == Format::Json {
        "json"
    } else {
        "text"
    };
    words.extend(["--format", name, "--color", color].map(OsString::from));
    let world: &dyn Terminal = context.world;
    super::run(&words, world)
}

/// Codes of the findings in a JSON report, or the grades in an evidence report.
fn found(report: &[u8]) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_slice(report).holds("a JSON report is JSON");
    let text_at = |value: &serde_json::Value, key: &str| {
        value
            .get(key)
            .and_then(serde_json::Value::as_str)
            .map(str::to_owned)
    };
    let list = |value: &serde_json::Value, key: &str| {
        value
            .get(key)
            .and_then(serde_json::Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let grades = list(&report, "results")
        .iter()
        .filter_map(|result| text_at(result, "grade"))
        .collect::<Vec<_>>();
    let codes = list(&report, "outcomes")
        .iter()
        .flat_map(|outcome| list(outcome, "findings"))
        .filter_map(|finding| text_at(&finding, "code"))
        .collect::<Vec<_>>();
    [grades, codes].concat()
}
