//! `gatewright blueprint assess` and `explain`: a draft directory and what its assessment says.
//!
//! Reads the draft through [`draft_run`], shows the assessment as the verdict gate reads it, as
//! findings with their places, or on one screen for people. The draft is never written to.

use super::blueprint::language;
use super::draft_run::{self, Given, Judged, LIMIT_SECONDS, Request};
use super::{Answer, Context};
use crate::detail::ConditionState;
use crate::error::Error;
use crate::gates::draft::gates::{Gate, GateResult};
use crate::gates::draft::outcome::Assessed;
use crate::gates::draft::place::in_blueprint;
use crate::gates::draft::rules::{binding, cl1, cl2, silent};
use crate::gates::draft::{Assessment, Lang, Level};
use crate::gates::palette::Count;
use crate::gates::verdict::outcome::conditions;
use crate::gates::verdict::{self, Reason};
use crate::report::Format;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a draft is assessed with.
#[derive(Clone, Debug, clap::Args)]
pub struct DraftOptions {
    /// The reader's findings, as JSON: a list, or an object with findings, `open_questions`,
    /// `scaffold_derivable`, `key_screens`.
    #[arg(long, value_name = "FILE")]
    findings: Option<PathBuf>,
    /// The plugin whose scripts/ hold the gate programs and whose agents/ hold the prompts; when not
    /// given, `$PLUGIN_ROOT`, then `$CLAUDE_PLUGIN_ROOT`.
    #[arg(long, value_name = "DIR")]
    plugin_root: Option<PathBuf>,
    /// The directory of the five prompt files, when it is not the plugin's.
    #[arg(long, value_name = "DIR")]
    prompts: Option<PathBuf>,
    /// A gate program: mermaid-validate=PATH or doc-emit=PATH.
    #[arg(long, value_name = "NAME=PATH")]
    gate: Vec<OsString>,
    /// A gate's result instead of a run: mermaid-validate=FILE or doc-emit=FILE.
    #[arg(long, value_name = "NAME=FILE")]
    gate_result: Vec<OsString>,
    /// The budget file; its limits count only with the approval note.
    #[arg(long, value_name = "FILE")]
    budget: Option<PathBuf>,
    /// The palette count that decides; the other is shown beside it.
    #[arg(long, value_enum, default_value_t, value_name = "COUNT")]
    recount: Count,
    /// Seconds that each gate may take.
    #[arg(long, default_value_t = LIMIT_SECONDS, value_name = "SECONDS")]
    gate_timeout: u64,
    /// The Python that runs gate scripts.
    #[arg(long, default_value = crate::interpreter::common_name(), value_name = "PROGRAM")]
    python: OsString,
}

impl DraftOptions {
    /// The request for the draft at `draft_dir`.
    ///
    /// # Errors
    /// When an option names no gate.
    pub fn request(
        &self,
        draft_dir: &Path,
        lang: Lang,
        context: &Context<'_>,
    ) -> Result<Request, Error> {
        let mut request = Request::of(draft_dir.to_owned());
        request.judged = self.findings.clone().map(Judged::File);
        let variable = |name| {
            let value = context.world.variable(name);
            value.filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        request.plugin_root = self
            .plugin_root
            .clone()
            .or_else(|| variable("PLUGIN_ROOT"))
            .or_else(|| variable("CLAUDE_PLUGIN_ROOT"));
        request.prompts.clone_from(&self.prompts);
        for word in &self.gate {
            request.gates.push(named_gate("--gate", word)?);
        }
        for word in &self.gate_result {
            let (gate, path) = named_gate("--gate-result", word)?;
            request.results.push((gate, Given::File(path)));
        }
        request.budget.clone_from(&self.budget);
        request.count = self.recount;
        request.limit = Duration::from_secs(self.gate_timeout);
        request.python.clone_from(&self.python);
        request.lang = lang;
        Ok(request)
    }
}

/// `NAME=PATH` as a gate and a path.
fn named_gate(option: &str, word: &OsString) -> Result<(Gate, PathBuf), Error> {
    let shown = word.to_string_lossy();
    let found = shown.split_once('=').and_then(|(name, path)| {
        let gate = Gate::of_name(name)?;
        (!path.is_empty()).then(|| (gate, PathBuf::from(path)))
    });
    found.ok_or_else(|| {
        Error::Usage(format!(
            "{option} is `{}`, expected mermaid-validate=PATH or doc-emit=PATH",
            crate::finding::excerpt(&shown)
        ))
    })
}

/// Arguments of `blueprint assess`.
#[derive(Debug, clap::Args)]
pub struct AssessArguments {
    /// The draft directory; it is only read.
    #[arg(value_name = "DRAFT_DIR")]
    draft_dir: PathBuf,
    #[command(flatten)]
    options: DraftOptions,
    /// Write the assessment here instead of to standard output; not inside the draft.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Show where each number comes from: on standard output with --out, else on standard error.
    #[arg(long)]
    explain: bool,
    /// Language of the reasons.
    #[arg(long, value_enum, default_value_t, value_name = "LANG")]
    lang: Lang,
}

/// Arguments of `blueprint explain`.
#[derive(Debug, clap::Args)]
pub struct ExplainArguments {
    /// The draft directory; it is only read.
    #[arg(value_name = "DRAFT_DIR")]
    draft_dir: PathBuf,
    #[command(flatten)]
    options: DraftOptions,
    /// Language of the reasons; that of the locale when absent.
    #[arg(long, value_enum, value_name = "LANG")]
    lang: Option<Lang>,
}

/// Refuse to write `target` when it lies inside the draft.
///
/// # Errors
/// When it does.
pub fn refuse_inside(draft_dir: &Path, target: &Path) -> Result<(), Error> {
    let Ok(root) = std::fs::canonicalize(draft_dir) else {
        return Ok(());
    };
    // The nearest folder that exists is where the file would come to lie.
    let nearest = target.ancestors().skip(1).find_map(|parent| {
        let parent = if parent.as_os_str().is_empty() {
            Path::new(".")
        } else {
            parent
        };
        std::fs::canonicalize(parent).ok()
    });
    if nearest.is_some_and(|parent| parent.starts_with(&root)) {
        return Err(Error::Usage(format!(
            "`{}` lies inside the draft, which is only read: name a place elsewhere",
            target.display()
        )));
    }
    Ok(())
}

/// Run `blueprint assess`.
///
/// # Errors
/// When the draft or what is handed over cannot be used, or the assessment cannot be written.
pub fn assess(arguments: &AssessArguments, context: &Context<'_>) -> Result<Answer, Error> {
    if let Some(out) = &arguments.out {
        refuse_inside(&arguments.draft_dir, out)?;
    }
    let request = arguments
        .options
        .request(&arguments.draft_dir, arguments.lang, context)?;
    request.wants_gates("no assessment written")?;
    let assessed = draft_run::run(&request, context.world)?;
    let bytes = assessed.assessment.to_bytes();
    if let Some(out) = &arguments.out {
        crate::files::write_atomic(out, &bytes).map_err(|error| {
            let name = out.display().to_string();
            Error::Write {
                reason: (&error).into(),
                name,
            }
        })?;
    }
    if context.format != Format::Text {
        let outcome = assessed.outcome("blueprint assess", arguments.lang);
        return Ok(Answer::Outcomes(vec![outcome]));
    }
    let reasons = assessed.reasons();
    let status = u8::from(!reasons.is_empty());
    let mut stderr = assessed.stale.as_ref().map_or_else(String::new, |stale| {
        format!("{}: {}\n", binding::STALE.code, stale)
    });
    for finding in assessed.undecided_findings() {
        let place = finding.at.path.as_deref().unwrap_or_default();
        let _ = writeln!(
            stderr,
            "{}: {} (at {})",
            finding.rule.code,
            crate::report::text::escaped(&finding.message),
            crate::report::text::escaped(place)
        );
    }
    let explanation = if arguments.explain {
        explanation(&assessed)
    } else {
        String::new()
    };
    let stdout = if let Some(out) = &arguments.out {
        format!(
            "{explanation}{}, assessment {}\n",
            assessed.summary(&reasons),
            out.display()
        )
    } else {
        stderr.push_str(&explanation);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Answer::Text {
        stdout,
        stderr,
        status,
    })
}

/// Run `blueprint explain`.
///
/// # Errors
/// When the draft or what is handed over cannot be used.
pub fn explain(arguments: &ExplainArguments, context: &Context<'_>) -> Result<Answer, Error> {
    let lang = language(arguments.lang, context);
    let request = arguments
        .options
        .request(&arguments.draft_dir, lang, context)?;
    let assessed = draft_run::run(&request, context.world)?;
    if context.format != Format::Text {
        let outcome = assessed.outcome("blueprint explain", lang);
        return Ok(Answer::Outcomes(vec![outcome]));
    }
    let reasons = assessed.reasons();
    Ok(Answer::Text {
        stdout: screen(&assessed, &reasons, lang, context.is_colored),
        stderr: String::new(),
        status: u8::from(!reasons.is_empty()),
    })
}

/// Places of the findings of the rules that `holds` names.
fn locs<'a>(assessment: &'a Assessment, holds: &dyn Fn(&str) -> bool) -> Vec<&'a str> {
    assessment
        .findings
        .iter()
        .filter(|finding| holds(finding.rule.code))
        .map(|finding| finding.loc.as_str())
        .collect()
}

/// Each number and where it comes from.
fn explanation(assessed: &Assessed) -> String {
    let assessment = &assessed.assessment;
    let mut out = String::new();
    let mut number = |name: &str, value: &dyn std::fmt::Display, places: &[String]| {
        let _ = writeln!(out, "{name}: {value}");
        for place in places {
            let _ = writeln!(out, "  {}", crate::report::text::escaped(place));
        }
    };
    let owned =
        |places: Vec<&str>| -> Vec<String> { places.into_iter().map(ToOwned::to_owned).collect() };
    number(
        "silent_gaps",
        &assessment.silent_gaps,
        &owned(locs(assessment, &silent::is_counted)),
    );
    number(
        "key_screen_gaps",
        &assessment.key_screen_gaps,
        &owned(locs(assessment, &|code| code == cl2::KEYSCREEN.code)),
    );
    let reasoned: Vec<String> = assessment
        .reasoned_places
        .iter()
        .map(in_blueprint)
        .collect();
    number("reasoned_gaps", &assessment.reasoned_gaps, &reasoned);
    let load = &assessment.load_policy;
    let ledger = owned(locs(assessment, &|code| code.starts_with("CL10-")));
    number("within_budget", &load.within_budget, &ledger);
    number(
        "concurrency_ok",
        &load.concurrency_ok,
        std::slice::from_ref(&load.notes),
    );
    for (gate, result) in gates(assessment) {
        let verdict = if result.is_pass { "pass" } else { "fail" };
        let told = format!("{verdict}, exit {}", result.exit_code);
        number(gate.name(), &told, &result.violations);
    }
    let orphans: Vec<String> = assessment
        .recount
        .orphans
        .iter()
        .map(|orphan| format!("{} {}", orphan.colour, in_blueprint(&orphan.place)))
        .collect();
    number("orphan_count", &assessment.recount.orphans.len(), &orphans);
    number("recount", &assessed.counts(), &[]);
    number(
        "top_level_missing",
        &assessment.top_level_missing,
        &owned(locs(assessment, &|code| code == cl1::MISSING.code)),
    );
    let mut questions = owned(locs(assessment, &|code| code == cl1::QUESTION.code));
    if assessment.judged_questions > 0 {
        questions.push(format!(
            "{} counted by the caller",
            assessment.judged_questions
        ));
    }
    number("open_questions", &assessment.open_questions, &questions);
    number(
        "scaffold_derivable",
        &assessment.scaffold_derivable,
        &owned(locs(assessment, &|code| code == cl1::SCAFFOLD.code)),
    );
    out
}

fn gates(assessment: &Assessment) -> [(Gate, &GateResult); 2] {
    [
        (Gate::Diagrams, &assessment.gates.diagrams),
        (Gate::Screens, &assessment.gates.screens),
    ]
}

/// One screen for people.
fn screen(assessed: &Assessed, reasons: &[Reason], lang: Lang, is_colored: bool) -> String {
    const SHOWN: usize = 5;
    const GREEN: &str = "\u{1b}[32m";
    const RED: &str = "\u{1b}[31m";
    const RESET: &str = "\u{1b}[0m";
    let escaped = crate::report::text::escaped;
    let painted = |text: &str, color: &str| {
        if is_colored {
            format!("{color}{text}{RESET}")
        } else {
            text.to_owned()
        }
    };
    let assessment = &assessed.assessment;
    let mut out = String::new();
    let word = verdict::word(reasons);
    let color = if reasons.is_empty() { GREEN } else { RED };
    let _ = writeln!(
        out,
        "{}  draft {}",
        painted(word, color),
        assessed.draft_hash
    );
    if let Some(stale) = &assessed.stale {
        let _ = writeln!(out, "{}: {}", binding::STALE.code, escaped(stale));
    }
    out.push('\n');
    for condition in conditions(reasons, lang).conditions {
        let (mark, color) = match condition.state {
            ConditionState::Met => ("ok ", GREEN),
            ConditionState::Unmet => ("NO ", RED),
            ConditionState::NotChecked => ("-- ", RESET),
        };
        let _ = write!(out, "{} {}", painted(mark, color), condition.text);
        if !condition.note.is_empty() {
            let _ = write!(out, ": {}", crate::finding::excerpt(&condition.note));
        }
        out.push('\n');
        if condition.state == ConditionState::Unmet {
            let places = condition_places(assessment, &condition.text);
            for place in places.iter().take(1) {
                let more = places.len() - 1;
                let more = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                let _ = writeln!(out, "      at {}{more}", escaped(place));
            }
        }
    }
    let _ = writeln!(
        out,
        "\n{} reasoned gaps; {}; {}",
        assessment.reasoned_gaps,
        assessed.counts(),
        assessment.load_policy.notes
    );
    for orphan in assessment.recount.orphans.iter().take(SHOWN) {
        let swatch = if is_colored {
            swatch(&orphan.colour)
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "  {swatch}{} {}",
            escaped(&orphan.colour),
            escaped(&in_blueprint(&orphan.place))
        );
    }
    let first: Vec<_> = assessment
        .findings
        .iter()
        .zip(&assessment.ids)
        .filter(|(finding, _)| finding.level == Level::High)
        .take(SHOWN)
        .collect();
    if !first.is_empty() {
        out.push_str("\nfix first:\n");
    }
    for (finding, id) in first {
        let _ = writeln!(
            out,
            "  {id} {}\n      {}\n      {}",
            escaped(&finding.loc),
            escaped(&crate::finding::excerpt(&finding.reason)),
            finding.rule.remedy
        );
    }
    out
}

/// Places behind a condition that does not hold.
fn condition_places(assessment: &Assessment, condition: &str) -> Vec<String> {
    let codes = |holds: &dyn Fn(&str) -> bool| {
        locs(assessment, holds)
            .into_iter()
            .map(ToOwned::to_owned)
            .collect()
    };
    match condition {
        "the diagram gate passed" => assessment.gates.diagrams.violations.clone(),
        "the screen gate passed" => assessment.gates.screens.violations.clone(),
        "the recount found no palette orphan" => codes(&|code| code == "CL3-ORPHAN"),
        "the recount agrees with the screen gate" => codes(&|code| code == "CL9-DISAGREE"),
        "no finding is of high severity" => assessment
            .findings
            .iter()
            .filter(|finding| finding.level == Level::High)
            .map(|finding| finding.loc.clone())
            .collect(),
        "no gap is silent" => codes(&silent::is_counted),
        "every key screen was captured" => codes(&|code| code == cl2::KEYSCREEN.code),
        "requests and bytes are within the budget" => codes(&|code| {
            [
                "CL10-BUDGET",
                "CL10-MISSING",
                "CL10-RESET",
                "CL10-UNREADABLE",
            ]
            .contains(&code)
        }),
        "one request at a time" => {
            codes(&|code| ["CL10-LEVER", "CL10-MISSING", "CL10-UNREADABLE"].contains(&code))
        }
        "screenshots are within the budget" => codes(&|code| code == "CL10-RENDER"),
        "no required top-level member is missing" => codes(&|code| code == cl1::MISSING.code),
        "no question is open" => codes(&|code| code == cl1::QUESTION.code),
        _ => codes(&|code| code == cl1::SCAFFOLD.code),
    }
}

/// Two cells of a colour that is `#rrggbbaa`.
fn swatch(colour: &str) -> String {
    let byte = |at: usize| {
        colour
            .get(at..at + 2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
    };
    match (colour.starts_with('#'), byte(1), byte(3), byte(5)) {
        (true, Some(red), Some(green), Some(blue)) => {
            format!("\u{1b}[48;2;{red};{green};{blue}m  \u{1b}[0m ")
        }
        _ => String::new(),
    }
}
