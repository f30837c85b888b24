//! The evaluation of a draft directory: from its parsed files to the six-part assessment.
//!
//! In: a [`Draft`], everything already read and parsed, the gates already run, the palette already
//! counted. Out: an [`Assessment`]: findings in their order, counters, flags, gate results. Pure:
//! the same draft gives the same assessment, byte for byte. Reading files and running gates is
//! left to the command line, deciding the verdict to the verdict gate.
//!
//! [`survey`] walks the document once, [`screens`] reads the trees, [`inventory`] the coverage,
//! [`targets`] resolves evidence, [`schema`] holds the constraints; the rules stand in [`rules`],
//! one file per checklist item or group.

pub mod document;
pub mod fingerprint;
pub mod gates;
pub mod inventory;
pub mod judgement;
pub mod outcome;
pub mod place;
pub mod prompts;
pub mod reading;
pub mod rules;
pub mod schema;
pub mod screens;
pub mod survey;
pub mod targets;

use crate::rule::{Rule, Severity};
use crate::value::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Weight of a finding in a draft: only `high` decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Informs.
    Low,
    /// Informs.
    Medium,
    /// Decides.
    High,
}

impl Level {
    /// The word that assessments use.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The level of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "low" => Some(Self::Low),
            "medium" => Some(Self::Medium),
            "high" => Some(Self::High),
            _ => None,
        }
    }

    /// The level a rule's own severity stands for.
    pub const fn of_severity(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::High,
            Severity::Warning => Self::Medium,
            Severity::Note => Self::Low,
        }
    }

    /// The severity that reports use.
    pub const fn severity(self) -> Severity {
        match self {
            Self::High => Severity::Error,
            Self::Medium => Severity::Warning,
            Self::Low => Severity::Note,
        }
    }
}

/// The language of reasons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Lang {
    /// Japanese, the language of receipts.
    #[default]
    Ja,
    /// English.
    En,
}

/// Choose between a Japanese and an English sentence; both take the same positional arguments.
#[macro_export]
#[doc(hidden)]
macro_rules! say {
    ($lang:expr, $ja:literal, $en:literal $(, $argument:expr)* $(,)?) => {
        match $lang {
            $crate::gates::draft::Lang::Ja => format!($ja $(, $argument)*),
            $crate::gates::draft::Lang::En => format!($en $(, $argument)*),
        }
    };
}

/// A JSON file of the draft.
#[derive(Clone, Debug, Default)]
pub enum JsonFile {
    /// There is none.
    #[default]
    Missing,
    /// It cannot be read, or is not JSON; the reason names no path.
    Unreadable(String),
    /// Its content.
    Json(Value<'static>),
}

impl JsonFile {
    /// The content, if there is any.
    pub fn value(&self) -> Option<&Value<'static>> {
        match self {
            Self::Json(value) => Some(value),
            Self::Missing | Self::Unreadable(_) => None,
        }
    }
}

/// A text file of the draft.
#[derive(Clone, Debug, Default)]
pub enum TextFile {
    /// There is none.
    #[default]
    Missing,
    /// It cannot be read, or is not UTF-8.
    Unreadable(String),
    /// Its content.
    Text(String),
}

/// A picture that a screen names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Begins with the PNG signature.
    Png,
    /// Begins with something else.
    Other,
}

/// One orphan of the palette count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// The colour as the count names it.
    pub colour: String,
    /// First place it is observed, as a path inside the blueprint.
    pub place: String,
}

/// What a palette count says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recount {
    /// Distinct colours observed.
    pub observed_count: u64,
    /// Distinct colours of the palette.
    pub palette_count: u64,
    /// Observed colours that the palette lacks, sorted.
    pub orphans: Vec<Orphan>,
}

/// Page, byte and request limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests.
    pub requests: i128,
    /// Bytes.
    pub bytes: i128,
    /// Pages.
    pub pages: i128,
}

/// Everything known about one draft.
#[derive(Debug)]
pub struct Draft<'d> {
    /// The parsed `blueprint.json`.
    pub blueprint: &'d Value<'d>,
    /// Paths of member names that occur twice in one object of `blueprint.json`.
    pub duplicates: BTreeSet<String>,
    /// `design-tokens.json`.
    pub tokens: JsonFile,
    /// `site-coverage-manifest.json`.
    pub manifest: JsonFile,
    /// `request-ledger.json`.
    pub ledger: JsonFile,
    /// Layout files by their path in the draft.
    pub layouts: BTreeMap<String, JsonFile>,
    /// Overlay files by their path in the draft.
    pub overlays: BTreeMap<String, TextFile>,
    /// Pictures that exist, by the reference that names them.
    pub pictures: BTreeMap<String, Picture>,
    /// The five prompt files by file name, when the caller named their directory.
    pub prompts: Option<BTreeMap<String, TextFile>>,
    /// Answers of the two gates.
    pub gates: gates::Results,
    /// The palette count that decides.
    pub recount: Recount,
    /// The caller's own findings and counts.
    pub judgement: judgement::Judgement,
    /// Limits of the budget file in `full_site` and `single` mode, when it carries the approval.
    pub approved_limits: Option<Limits>,
    /// The language of reasons.
    pub lang: Lang,
}

/// One finding of a rule.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Its weight here.
    pub level: Level,
    /// Where, as assessments name places.
    pub loc: String,
    /// Why, one sentence in the language asked for.
    pub reason: String,
    /// Order among findings of one rule at one place.
    rank: u8,
}

impl Finding {
    /// Number of the checklist item, from the rule's code.
    pub fn criterion(&self) -> u8 {
        criterion_of_code(self.rule.code)
    }
}

/// The number between `CL` and `-`.
fn criterion_of_code(code: &str) -> u8 {
    code.strip_prefix("CL")
        .and_then(|rest| rest.split('-').next())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

/// Findings while they are collected.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    /// A finding with the rule's own severity.
    pub fn add(&mut self, rule: &'static Rule, loc: impl Into<String>, reason: String) {
        self.add_as(rule, Level::of_severity(rule.severity), loc, reason);
    }

    /// A finding that weighs differently here.
    pub fn add_as(
        &mut self,
        rule: &'static Rule,
        level: Level,
        loc: impl Into<String>,
        reason: String,
    ) {
        self.add_ranked(rule, level, loc, reason, 0);
    }

    /// A finding with its order among those of the same rule and place.
    pub fn add_ranked(
        &mut self,
        rule: &'static Rule,
        level: Level,
        loc: impl Into<String>,
        reason: String,
        rank: u8,
    ) {
        self.list.push(Finding {
            rule,
            level,
            loc: loc.into(),
            reason,
            rank,
        });
    }

    /// The findings by criterion, rule code, place; equal places by rank, then as found.
    fn into_ordered(mut self) -> Vec<Finding> {
        self.list.sort_by(|left, right| {
            (left.criterion(), left.rule.code, &left.loc, left.rank).cmp(&(
                right.criterion(),
                right.rule.code,
                &right.loc,
                right.rank,
            ))
        });
        self.list
    }
}

/// What is known of the document alone, before gates and counts: the costly part.
#[derive(Debug)]
pub struct Groundwork<'d> {
    /// The walk over the document.
    pub survey: survey::Survey<'d>,
    /// The screens and their trees.
    pub screens: Vec<screens::Screen<'d>>,
    /// The coverage of the site.
    pub inventory: inventory::Inventory<'d>,
    /// Evidence of the inference records, resolved.
    pub evidence: targets::Evidence<'d>,
}

impl<'d> Groundwork<'d> {
    /// Look at the document from every side the rules need.
    pub fn of(blueprint: &'d Value<'d>) -> Self {
        let survey = survey::Survey::of(blueprint);
        Self {
            evidence: targets::Evidence::resolve(blueprint, &survey.records),
            screens: screens::read(blueprint),
            inventory: inventory::Inventory::of(blueprint),
            survey,
        }
    }
}

/// What the rules look at.
#[derive(Debug)]
pub struct Context<'d> {
    /// The draft.
    pub draft: &'d Draft<'d>,
    /// The walk over the document.
    pub survey: survey::Survey<'d>,
    /// The screens and their trees.
    pub screens: Vec<screens::Screen<'d>>,
    /// The coverage of the site.
    pub inventory: inventory::Inventory<'d>,
    /// Evidence of the inference records, resolved.
    pub evidence: targets::Evidence<'d>,
    /// The request ledger in force and where it stands.
    pub ledger: rules::cl10::Source<'d>,
    /// The language of reasons.
    pub lang: Lang,
}

impl<'d> Context<'d> {
    /// Everything the rules look at.
    pub fn new(draft: &'d Draft<'d>, groundwork: Groundwork<'d>) -> Self {
        let Groundwork {
            survey,
            screens,
            inventory,
            evidence,
        } = groundwork;
        Self {
            draft,
            survey,
            screens,
            inventory,
            evidence,
            ledger: rules::cl10::Source::of(draft),
            lang: draft.lang,
        }
    }

    /// Top-level member of the blueprint.
    pub fn member(&self, name: &str) -> Option<&'d Value<'d>> {
        self.draft.blueprint.get(name)
    }

    /// Member of a top-level member.
    pub fn inner(&self, section: &str, name: &str) -> Option<&'d Value<'d>> {
        self.member(section)?.get(name)
    }
}

/// The flags and the line about the load put on the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadPolicy {
    /// Requests, bytes and pages stayed within the limits.
    pub within_budget: bool,
    /// Nothing says that more than one request ran at a time.
    pub concurrency_ok: bool,
    /// Rendered pages stayed within the limit; absent when nothing was rendered.
    pub screenshot_budget_ok: Option<bool>,
    /// The figures used.
    pub notes: String,
}

/// The assessment in six parts, and where each number comes from.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// Findings of the rules, in order.
    pub findings: Vec<Finding>,
    /// Identifiers of the findings, in the same order.
    pub ids: Vec<String>,
    /// Findings of the caller, as given.
    pub judged: Vec<judgement::Judged>,
    /// Things neither observed nor explained.
    pub silent_gaps: u64,
    /// Key screens neither captured nor excused.
    pub key_screen_gaps: u64,
    /// Gaps with a reason.
    pub reasoned_gaps: u64,
    /// Paths of the gaps with a reason.
    pub reasoned_places: Vec<String>,
    /// Load put on the site.
    pub load_policy: LoadPolicy,
    /// Answers of the two gates.
    pub gates: gates::Results,
    /// The palette count that decides.
    pub recount: Recount,
    /// Whether the count and the screen gate agree.
    pub agrees_with_gate: bool,
    /// Required top-level members that are not there.
    pub top_level_missing: u64,
    /// Questions without an answer, the caller's included.
    pub open_questions: u64,
    /// How many of the open questions the caller counted.
    pub judged_questions: u64,
    /// Whether the scaffold follows without asking.
    pub scaffold_derivable: bool,
}

/// Assess a draft: every rule of the contract's section 12 in its order.
pub fn assess<'d>(draft: &'d Draft<'d>, groundwork: Groundwork<'d>) -> Assessment {
    let context = Context::new(draft, groundwork);
    let mut findings = Findings::default();
    for check in rules::CHECKS {
        check(&context, &mut findings);
    }
    let load_policy = rules::cl10::examine(&context, &mut findings);
    let findings = findings.into_ordered();
    let ids = numbered(&findings);
    let count = |holds: fn(&str) -> bool| {
        findings
            .iter()
            .filter(|finding| holds(finding.rule.code))
            .count() as u64
    };
    let judgement = &draft.judgement;
    let open = count(|code| code == rules::cl1::QUESTION.code);
    let is_scaffold_whole = count(|code| code == rules::cl1::SCAFFOLD.code) == 0;
    let agrees_with_gate = count(|code| code == rules::cl9::DISAGREE.code) == 0;
    Assessment {
        silent_gaps: count(rules::silent::is_counted),
        key_screen_gaps: count(|code| code == rules::cl2::KEYSCREEN.code),
        reasoned_gaps: context.survey.reasoned.len() as u64,
        reasoned_places: context.survey.reasoned.clone(),
        load_policy,
        gates: draft.gates.clone(),
        recount: draft.recount.clone(),
        agrees_with_gate,
        top_level_missing: count(|code| code == rules::cl1::MISSING.code),
        open_questions: open.saturating_add(judgement.open_questions),
        judged_questions: judgement.open_questions,
        scaffold_derivable: is_scaffold_whole && judgement.scaffold_derivable != Some(false),
        ids,
        findings,
        judged: judgement.findings.clone(),
    }
}

/// Rule code, `#`, position among the findings of that rule.
fn numbered(findings: &[Finding]) -> Vec<String> {
    let mut ids = Vec::with_capacity(findings.len());
    let mut position = 0_usize;
    let mut last = "";
    for finding in findings {
        position = if finding.rule.code == last {
            position + 1
        } else {
            1
        };
        last = finding.rule.code;
        ids.push(format!("{last}#{position}"));
    }
    ids
}

impl Assessment {
    /// The assessment as the value that the verdict gate reads: six members, nothing else.
    pub fn to_value(&self) -> Value<'static> {
        let ruled = self.findings.iter().zip(&self.ids).map(|(finding, id)| {
            object([
                ("id", text(id)),
                ("severity", text(finding.level.word())),
                ("loc", text(&finding.loc)),
                ("reason", text(&finding.reason)),
                ("criterion", text(&format!("CL-{}", finding.criterion()))),
            ])
        });
        let judged = self.judged.iter().map(|finding| {
            object([
                ("id", text(&finding.id)),
                ("severity", text(finding.level.word())),
                ("loc", text(&finding.loc)),
                ("reason", text(&finding.reason)),
                ("criterion", text(&finding.criterion)),
            ])
        });
        let mut load = vec![
            ("within_budget", Value::Bool(self.load_policy.within_budget)),
            (
                "concurrency_ok",
                Value::Bool(self.load_policy.concurrency_ok),
            ),
            ("notes", text(&self.load_policy.notes)),
        ];
        if let Some(flag) = self.load_policy.screenshot_budget_ok {
            load.push(("screenshot_budget_ok", Value::Bool(flag)));
        }
        object([
            ("findings", Value::Array(ruled.chain(judged).collect())),
            (
                "observation_completeness",
                object([
                    ("silent_gaps", count(self.silent_gaps)),
                    ("key_screen_gaps", count(self.key_screen_gaps)),
                    ("reasoned_gaps", count(self.reasoned_gaps)),
                ]),
            ),
            ("load_policy_result", object(load)),
            (
                "gate_results",
                object([
                    ("mermaid_validate", self.gates.diagrams.to_value()),
                    ("doc_emit_check_screens", self.gates.screens.to_value()),
                ]),
            ),
            (
                "recount",
                object([
                    ("orphan_count", count(self.recount.orphans.len() as u64)),
                    ("agrees_with_gate", Value::Bool(self.agrees_with_gate)),
                    ("observed_count", count(self.recount.observed_count)),
                    ("palette_count", count(self.recount.palette_count)),
                ]),
            ),
            (
                "reconstruction",
                object([
                    ("top_level_missing", count(self.top_level_missing)),
                    ("open_questions", count(self.open_questions)),
                    ("scaffold_derivable", Value::Bool(self.scaffold_derivable)),
                ]),
            ),
        ])
    }

    /// The assessment as a file: indented JSON, members sorted, one trailing newline.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = crate::value::json::dump(
            &self.to_value(),
            crate::value::json::Style::UNICODE_INDENTED,
        );
        bytes.push(b'\n');
        bytes
    }
}

pub(crate) fn text(text: &str) -> Value<'static> {
    Value::Str(crate::value::Text::from(text.to_owned()))
}

pub(crate) fn count(number: u64) -> Value<'static> {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

pub(crate) fn object(
    members: impl IntoIterator<Item = (&'static str, Value<'static>)>,
) -> Value<'static> {
    let members: Object<'static> = members
        .into_iter()
        .map(|(key, value)| (crate::value::Text::borrowed(key), value))
        .collect();
    Value::Object(members)
}
