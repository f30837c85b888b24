//! The HTML report: one self-contained page that asks the network for nothing.
//!
//! In: outcomes. Out: a page with its own style and script, both named by hash in a policy that
//! allows nothing else. The template escapes every text; the two places that do not are our own
//! files and JSON whose `<` is escaped. Without script the page still shows everything but grids.

mod evidence;
mod matrix;

use super::text::{escaped, place};
use super::{Piece, pieces};
use crate::detail::{Condition, ConditionState, Conditions, Detail, Palette, Swatch};
use crate::finding::Finding;
use crate::outcome::{Outcome, Verdict};
use crate::rule::{Rule, Severity};
use askama::Template;
use base64::Engine as _;
use evidence::{ChangeKind, EvidenceView};
use matrix::MatrixView;
use sha2::{Digest as _, Sha256};

const CSS: &str = include_str!("report.css");
const JS: &str = include_str!("report.js");

/// The page for `outcomes`.
///
/// # Errors
/// When the template cannot be written, which a text in memory always can.
pub fn render(outcomes: &[Outcome]) -> Result<String, askama::Error> {
    let severities = || {
        outcomes
            .iter()
            .flat_map(|outcome| &outcome.findings)
            .map(|finding| finding.severity)
    };
    let count = |wanted| severities().filter(|&severity| severity == wanted).count();
    let headline = super::headline(outcomes);
    Page {
        policy: format!(
            "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
            source_hash(CSS),
            source_hash(JS)
        ),
        css: CSS,
        js: JS,
        title: format!("gatewright: {headline}"),
        is_failed: outcomes.iter().any(|outcome| outcome.status() > 0),
        headline,
        error_count: count(Severity::Error),
        warning_count: count(Severity::Warning),
        note_count: count(Severity::Note),
        finding_count: severities().count(),
        gates: outcomes.iter().enumerate().map(gate_view).collect(),
        rules: rules_of(outcomes),
        version: env!("CARGO_PKG_VERSION"),
    }
    .render()
}

/// `sha256-...` as a content security policy names an inline style or script.
fn source_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    format!(
        "sha256-{}",
        base64::engine::general_purpose::STANDARD.encode(digest)
    )
}

/// The rules of all findings, each once, in order of first use.
fn rules_of(outcomes: &[Outcome]) -> Vec<RuleView> {
    let mut seen = std::collections::BTreeSet::new();
    outcomes
        .iter()
        .flat_map(|outcome| &outcome.findings)
        .map(|finding| finding.rule)
        .filter(|rule| seen.insert(rule.code))
        .map(rule_view)
        .collect()
}

struct RuleView {
    code: &'static str,
    name: &'static str,
    checks: Vec<OwnedPiece>,
    why: Vec<OwnedPiece>,
    fails: &'static str,
    repaired: &'static str,
    remedy: Vec<OwnedPiece>,
    source: &'static str,
}

fn rule_view(rule: &'static Rule) -> RuleView {
    RuleView {
        code: rule.code,
        name: rule.name,
        checks: owned_pieces(rule.checks),
        why: owned_pieces(rule.why),
        fails: rule.fails,
        repaired: rule.repaired,
        remedy: owned_pieces(rule.remedy),
        source: rule.source,
    }
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    policy: String,
    css: &'static str,
    js: &'static str,
    title: String,
    is_failed: bool,
    headline: String,
    error_count: usize,
    warning_count: usize,
    note_count: usize,
    finding_count: usize,
    gates: Vec<GateView<'a>>,
    rules: Vec<RuleView>,
    version: &'static str,
}

struct GateView<'a> {
    outcome: &'a Outcome,
    title: String,
    is_failed: bool,
    word: &'static str,
    summary: String,
    findings: Vec<FindingView>,
    details: Vec<DetailView<'a>>,
    facts: Vec<(&'a str, String)>,
}

fn gate_view((index, outcome): (usize, &Outcome)) -> GateView<'_> {
    GateView {
        outcome,
        title: escaped(&outcome.title()),
        is_failed: outcome.status() > 0,
        word: match outcome.verdict {
            Verdict::Passed => "Passed",
            Verdict::Failed => "Failed",
            Verdict::Undecided => "Could not run",
        },
        summary: super::summary(outcome),
        findings: outcome.findings.iter().map(finding_view).collect(),
        details: outcome
            .details
            .iter()
            .enumerate()
            .map(|(at, detail)| detail_view(detail, &format!("g{index}d{at}")))
            .collect(),
        facts: outcome
            .facts
            .iter()
            .map(|(name, value)| {
                let shown = value
                    .as_str()
                    .map_or_else(|| value.to_string(), ToOwned::to_owned);
                (name.as_str(), escaped(&shown))
            })
            .collect(),
    }
}

/// A piece of text that owns itself.
struct OwnedPiece {
    text: String,
    is_code: bool,
}

fn owned(Piece { text, is_code }: Piece<'_>) -> OwnedPiece {
    OwnedPiece {
        text: text.to_owned(),
        is_code,
    }
}

fn owned_pieces(text: &str) -> Vec<OwnedPiece> {
    pieces(&escaped(text)).into_iter().map(owned).collect()
}

struct FindingView {
    severity: &'static str,
    code: &'static str,
    name: &'static str,
    message: Vec<OwnedPiece>,
    remedy: Vec<OwnedPiece>,
    place: String,
    path: Option<String>,
    related: Vec<String>,
}

fn finding_view(finding: &Finding) -> FindingView {
    FindingView {
        severity: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        code: finding.rule.code,
        name: finding.rule.name,
        message: owned_pieces(&finding.message),
        remedy: owned_pieces(&finding.remedy),
        place: place(&finding.at),
        path: finding.at.path.as_deref().map(escaped),
        related: finding
            .related
            .iter()
            .map(|at| match &at.path {
                Some(path) => format!("{} {}", place(at), escaped(path)),
                None => place(at),
            })
            .collect(),
    }
}

enum DetailView<'a> {
    Evidence(EvidenceView<'a>),
    Matrix(MatrixView<'a>),
    Palette(PaletteView<'a>),
    Conditions(ConditionsView<'a>),
}

fn detail_view<'a>(detail: &'a Detail, id: &str) -> DetailView<'a> {
    match detail {
        Detail::Evidence(evidence) => DetailView::Evidence(EvidenceView::new(evidence, id)),
        Detail::Matrix(matrix) => DetailView::Matrix(MatrixView::new(matrix, id)),
        Detail::Palette(palette) => DetailView::Palette(PaletteView::new(palette)),
        Detail::Conditions(conditions) => DetailView::Conditions(ConditionsView::new(conditions)),
    }
}

struct PaletteView<'a> {
    groups: Vec<SwatchGroup<'a>>,
}

struct SwatchGroup<'a> {
    title: &'static str,
    is_fault: bool,
    swatches: Vec<SwatchView<'a>>,
}

struct SwatchView<'a> {
    color: String,
    fill: Option<&'a str>,
    places: &'a [String],
}

impl<'a> PaletteView<'a> {
    fn new(palette: &'a Palette) -> Self {
        let group = |title, is_fault, belongs: fn(&Swatch) -> bool| SwatchGroup {
            title,
            is_fault,
            swatches: palette
                .swatches
                .iter()
                .filter(|swatch| belongs(swatch))
                .map(|swatch| SwatchView {
                    color: escaped(&swatch.color),
                    fill: is_hex(&swatch.color).then_some(swatch.color.as_str()),
                    places: &swatch.places,
                })
                .collect(),
        };
        let mut groups = vec![
            group("Orphans: observed, not in the palette", true, |swatch| {
                swatch.is_observed && !swatch.is_in_palette
            }),
            group("Observed and in the palette", false, |swatch| {
                swatch.is_observed && swatch.is_in_palette
            }),
            group("In the palette, not observed", false, |swatch| {
                !swatch.is_observed && swatch.is_in_palette
            }),
        ];
        groups.retain(|group| !group.swatches.is_empty());
        Self { groups }
    }
}

/// Whether `color` may fill a swatch: `#` and 3 to 8 hex digits, nothing else.
fn is_hex(color: &str) -> bool {
    color.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

struct ConditionsView<'a> {
    title: &'a str,
    met: usize,
    total: usize,
    groups: Vec<ConditionGroup<'a>>,
}

struct ConditionGroup<'a> {
    title: &'a str,
    conditions: Vec<ConditionView<'a>>,
}

struct ConditionView<'a> {
    class: &'static str,
    sign: &'static str,
    word: &'static str,
    text: Vec<OwnedPiece>,
    note: Vec<OwnedPiece>,
    group: &'a str,
}

impl<'a> ConditionsView<'a> {
    fn new(conditions: &'a Conditions) -> Self {
        let mut groups: Vec<ConditionGroup<'a>> = Vec::new();
        for condition in &conditions.conditions {
            let view = condition_view(condition);
            match groups.last_mut() {
                Some(group) if group.title == view.group => group.conditions.push(view),
                _ => groups.push(ConditionGroup {
                    title: view.group,
                    conditions: vec![view],
                }),
            }
        }
        Self {
            title: &conditions.title,
            met: conditions
                .conditions
                .iter()
                .filter(|condition| condition.state == ConditionState::Met)
                .count(),
            total: conditions.conditions.len(),
            groups,
        }
    }
}

fn condition_view(condition: &Condition) -> ConditionView<'_> {
    let (class, sign, word) = match condition.state {
        ConditionState::Met => ("met", "✓", "met"),
        ConditionState::Unmet => ("unmet", "✗", "not met"),
        ConditionState::NotChecked => ("unchecked", "–", "not checked"),
    };
    ConditionView {
        class,
        sign,
        word,
        text: owned_pieces(&condition.text),
        note: owned_pieces(&condition.note),
        group: &condition.group,
    }
}
