//! `gatewright blueprint assess` and `explain`: a draft directory and what its assessment says.
//!
//! Reads the draft through [`draft_run`], shows the assessment as the verdict gate reads it, as
//! findings with their places, or on one screen for people. The draft is never written to.

use super::blueprint::{Language, conditions};
use super::draft_run::{self, Assessed, Count, Given, Judged, LIMIT_SECONDS, Request};
use super::{Answer, Context};
use crate::detail::{ConditionState, Detail, Palette, Swatch};
use crate::error::Error;
use crate::finding::{Finding, Location};
use crate::gates::draft::gates::{Gate, GateResult};
use crate::gates::draft::place::in_blueprint;
use crate::gates::draft::rules::{binding, cl1, cl2, silent};
use crate::gates::draft::targets::walk_path;
use crate::gates::draft::{Assessment, Lang, Level};
use crate::gates::verdict::{self, Reason};
use crate::outcome::{Input, Outcome, Verdict};
use crate::report::Format;
use crate::value::json::locate::ValuePath;
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
    #[arg(long, default_value = "python3", value_name = "PROGRAM")]
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
    lang: Option<Language>,
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
        let outcome = outcome(
            "blueprint assess",
            &assessed,
            &arguments.draft_dir,
            arguments.lang,
        );
        return Ok(Answer::Outcomes(vec![outcome]));
    }
    let reasons = reasons(&assessed.assessment);
    let status = u8::from(!reasons.is_empty());
    let mut stderr = assessed.stale.as_ref().map_or_else(String::new, |stale| {
        format!("{}: {}\n", binding::STALE.code, stale)
    });
    let explanation = if arguments.explain {
        explanation(&assessed)
    } else {
        String::new()
    };
    let stdout = if let Some(out) = &arguments.out {
        format!(
            "{explanation}{}, assessment {}\n",
            summary(&assessed, &reasons),
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
    let language = Language::of(arguments.lang, context);
    let request = arguments
        .options
        .request(&arguments.draft_dir, language.lang(), context)?;
    let assessed = draft_run::run(&request, context.world)?;
    if context.format != Format::Text {
        let outcome = outcome(
            "blueprint explain",
            &assessed,
            &arguments.draft_dir,
            language.lang(),
        );
        return Ok(Answer::Outcomes(vec![outcome]));
    }
    let reasons = reasons(&assessed.assessment);
    Ok(Answer::Text {
        stdout: screen(&assessed, &reasons, language, context.is_colored),
        stderr: String::new(),
        status: u8::from(!reasons.is_empty()),
    })
}

/// The reasons against a PASS. An assessment that was just built has the shape the gate wants.
fn reasons(assessment: &Assessment) -> Vec<Reason> {
    verdict::decide(&assessment.to_value()).unwrap_or_default()
}

fn summary(assessed: &Assessed, reasons: &[Reason]) -> String {
    let count = |level| {
        let ruled = assessed.assessment.findings.iter().map(|one| one.level);
        let judged = assessed.assessment.judged.iter().map(|one| one.level);
        ruled.chain(judged).filter(|one| *one == level).count()
    };
    format!(
        "{}: {} high, {} medium, {} low findings; {}",
        verdict::word(reasons),
        count(Level::High),
        count(Level::Medium),
        count(Level::Low),
        counts(assessed)
    )
}

/// Both palette counts, the deciding one first.
fn counts(assessed: &Assessed) -> String {
    let other = match assessed.count {
        Count::Corrected => Count::Recorded,
        Count::Recorded => Count::Corrected,
    };
    let beside = match &assessed.other {
        Ok(recount) => crate::finding::counted(recount.orphans.len(), "orphan"),
        Err(reason) => format!("cannot count: {}", crate::finding::excerpt(reason)),
    };
    format!(
        "{} count {} ({} count {beside})",
        assessed.count.word(),
        crate::finding::counted(assessed.assessment.recount.orphans.len(), "orphan"),
        other.word(),
    )
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
    number("recount", &counts(assessed), &[]);
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
fn screen(assessed: &Assessed, reasons: &[Reason], language: Language, is_colored: bool) -> String {
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
    for condition in conditions(reasons, language).conditions {
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
        counts(assessed),
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

/// The finding about a bound hash that does not fit.
pub fn stale_finding(assessed: &Assessed, draft_dir: &Path) -> Option<Finding> {
    let stale = assessed.stale.as_ref()?;
    let name = draft_dir.join("sink-status.json").display().to_string();
    Some(Finding::new(
        &binding::STALE,
        Location::at_path(name, "$.draft_hash"),
        stale.clone(),
    ))
}

/// The assessment as an outcome, findings with their places.
fn outcome(gate: &'static str, assessed: &Assessed, draft_dir: &Path, lang: Lang) -> Outcome {
    let assessment = &assessed.assessment;
    let reasons = reasons(assessment);
    let mut findings: Vec<Finding> = assessment
        .findings
        .iter()
        .map(|finding| {
            let at = location(draft_dir, &finding.loc);
            let mut told = Finding::new(finding.rule, at, finding.reason.clone());
            told.severity = finding.level.severity();
            told
        })
        .collect();
    findings.extend(assessment.judged.iter().map(|judged| {
        let at = location(draft_dir, &judged.loc);
        let message = format!("{} {}: {}", judged.id, judged.criterion, judged.reason);
        let mut told = Finding::new(&binding::JUDGED, at, message);
        told.severity = judged.level.severity();
        told
    }));
    findings.extend(stale_finding(assessed, draft_dir));
    let name = draft_dir.join("blueprint.json");
    let mut outcome = Outcome::from_findings(gate, Vec::new());
    // The verdict follows from the six parts, as the receipt's does.
    outcome.verdict = if reasons.is_empty() {
        Verdict::Passed
    } else {
        Verdict::Failed
    };
    if let Ok(bytes) = crate::files::read(&name) {
        let shown = name.display().to_string();
        outcome.inputs.push(Input::new("blueprint", shown, &bytes));
        add_places(&bytes, assessment, &mut findings);
    }
    outcome.findings = findings;
    outcome.summary = summary(assessed, &reasons);
    let value = assessment.to_value();
    let bytes = crate::value::json::dump(&value, crate::value::json::Style::UNICODE_LINE);
    if let Ok(data) = serde_json::from_slice(&bytes) {
        outcome.facts.insert("assessment".to_owned(), data);
    }
    outcome
        .facts
        .insert("verdict".to_owned(), verdict::word(&reasons).into());
    outcome
        .facts
        .insert("draft_hash".to_owned(), assessed.draft_hash.clone().into());
    outcome
        .facts
        .insert("stale".to_owned(), assessed.stale.clone().into());
    outcome
        .facts
        .insert("recount".to_owned(), counts(assessed).into());
    let language = match lang {
        Lang::Ja => Language::Ja,
        Lang::En => Language::En,
    };
    outcome
        .details
        .push(Detail::Conditions(conditions(&reasons, language)));
    if !assessment.recount.orphans.is_empty() {
        let swatches = assessment
            .recount
            .orphans
            .iter()
            .map(|orphan| Swatch {
                color: orphan.colour.clone(),
                is_in_palette: false,
                is_observed: true,
                places: vec![orphan.place.clone()],
            })
            .collect();
        outcome.details.push(Detail::Palette(Palette { swatches }));
    }
    outcome
}

/// A place of an assessment as a location.
fn location(draft_dir: &Path, loc: &str) -> Location {
    match loc.split_once('#') {
        Some((file, path)) if !file.starts_with("agents/") => {
            Location::at_path(draft_dir.join(file).display().to_string(), path)
        }
        Some((file, path)) => Location::at_path(file, path),
        None => Location::of_source(loc),
    }
}

/// Lines and columns for the findings in the blueprint.
fn add_places(bytes: &[u8], assessment: &Assessment, findings: &mut [Finding]) {
    let Some(blueprint) = std::str::from_utf8(bytes)
        .ok()
        .and_then(|text| crate::value::json::parse(text).ok())
    else {
        return;
    };
    let paths: Vec<Option<ValuePath>> = assessment
        .findings
        .iter()
        .map(|finding| {
            let path = finding.loc.strip_prefix("blueprint.json#")?;
            Some(value_path(&blueprint, path))
        })
        .collect();
    let wanted = paths
        .iter()
        .zip(findings)
        .filter_map(|(path, finding)| Some((path.as_ref()?, &mut finding.at)))
        .collect();
    crate::source::locate_in(bytes, wanted);
}

/// The steps of a written path, as far as the document has them.
fn value_path(blueprint: &crate::value::Value<'_>, path: &str) -> ValuePath {
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(found) = walk_path(blueprint, rest.as_bytes()) {
            return found.to_value_path();
        }
        rest = rest
            .rfind(['.', '['])
            .and_then(|end| rest.get(..end))
            .unwrap_or_default();
    }
    ValuePath::root()
}
