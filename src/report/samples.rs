//! Sample outcomes that every renderer is tested with, hostile text included, and their snapshots.
//!
//! The snapshots lie in `tests/snapshots/report`; the Python suite validates the same files against
//! the SARIF schema, the `JUnit` schema and a browser. `GATEWRIGHT_UPDATE=1` rewrites them.

use super::{Format, Style, render};
use crate::detail::{
    CellNote, Condition, ConditionState, Conditions, Detail, Evidence, Matrix, MatrixState,
    Palette, Quote, SourceText, Swatch,
};
use crate::finding::{Finding, Location};
use crate::outcome::{Input, Outcome};
use crate::position::{LineIndex, Span};
use crate::rule::{Rule, Severity};
use std::path::PathBuf;

/// Text that means something to every format there is.
const HOSTILE: &str = "</script><script>alert(1)</script> <img src=x onerror=alert(1)> ]]> &amp; \" ' ` | @everyone #1 www.example.org https://example.org [x](javascript:alert(1)) %0A::error::x \u{1b}[31m \u{202e}abc\u{0}\r\n::error file=x::y ${{ x }} {{ y }} {% z %} \u{FFFE}";

static COUNT: Rule = Rule {
    code: "GWX001",
    name: "count-mismatch",
    severity: Severity::Error,
    checks: "A stated count differs from the number of entries.",
    why: "A reader who trusts the count misses what it hides.",
    fails: "{\"total\": 3, \"items\": [1, 2]}",
    repaired: "{\"total\": 2, \"items\": [1, 2]}",
    remedy: "state the number that is counted",
    source: "The sample contract, section 1",
};
static STYLE: Rule = Rule {
    code: "GWX002",
    name: "long-title",
    severity: Severity::Warning,
    checks: "A title is longer than 80 code points <b>, & \"so\" on.",
    why: "It wraps.",
    fails: "<title>…</title>",
    repaired: "t",
    remedy: "shorten it",
    source: "The sample contract, section 2",
};
static NOTE: Rule = Rule {
    code: "GWX003",
    name: "remark",
    severity: Severity::Note,
    checks: "Something is worth knowing.",
    why: "It may explain a surprise.",
    fails: "",
    repaired: "",
    remedy: "",
    source: "",
};

const LEASE: &str = "LEASE AGREEMENT\n\nThe landlord is not liable for damage\ncaused by water.\nThe tenant’s deposit is 2,000 euro.\nPayment is due on the first of each month; <b>late</b> payment costs 5 % & more.\n";

fn located(text: &str, source: &str, words: &str, path: &str) -> Location {
    let start = text.find(words).unwrap();
    let index = LineIndex::new(text.as_bytes());
    let end = start + words.len();
    Location {
        source: source.to_owned(),
        path: Some(path.to_owned()),
        span: Some(Span {
            byte_start: start,
            byte_end: end,
        }),
        start: Some(index.position(text.as_bytes(), start)),
        end: Some(index.position(text.as_bytes(), end)),
        page: None,
    }
}

fn quote(id: &str, quote: &str, grade: &str, passage: Option<&str>) -> Quote {
    let at = passage.map(|words| located(LEASE, "lease.txt", words, "$"));
    Quote {
        id: id.to_owned(),
        quote: quote.to_owned(),
        source_index: 0,
        grade: grade.to_owned(),
        span: at.as_ref().and_then(|at| at.span),
        start: at.as_ref().and_then(|at| at.start),
        end: at.as_ref().and_then(|at| at.end),
        ..Quote::default()
    }
}

/// The samples.
pub(super) fn outcomes() -> Vec<Outcome> {
    let json = "{\"total\": 3,\n \"ítems\": [1, 2]}\n";
    let mut counts = Outcome::from_findings(
        "counts check",
        vec![
            Finding::new(
                &COUNT,
                located(json, "data/a b.json", "3", "$.total"),
                "`total` is stated as 3, counted 2",
            )
            .with_related(located(json, "data/a b.json", "[1, 2]", "$.ítems")),
            Finding::new(
                &STYLE,
                Location::of_source("data/a b.json"),
                "title has 93 code points, expected at most 80",
            ),
            Finding::new(&NOTE, Location::default(), "nothing was stated twice"),
        ],
    );
    counts.inputs = vec![
        Input::new("counts", "data/a b.json", json.as_bytes()),
        Input::new("counts", "data/clean.json", b"{}"),
    ];
    counts.facts.insert("stated".to_owned(), 3.into());
    counts.facts.insert("counted".to_owned(), 2.into());
    counts.details.push(Detail::Matrix(Matrix {
        row_kind: "issue".to_owned(),
        column_kind: "unit".to_owned(),
        rows: vec![
            "liability".to_owned(),
            "deposit".to_owned(),
            HOSTILE.to_owned(),
        ],
        columns: ["clause-1", "clause-2", "clause-3", "clause-4", "</script>"]
            .map(ToOwned::to_owned)
            .to_vec(),
        states: vec![
            MatrixState {
                name: "present".to_owned(),
                is_fault: false,
            },
            MatrixState {
                name: "absent".to_owned(),
                is_fault: false,
            },
            MatrixState {
                name: "missing".to_owned(),
                is_fault: true,
            },
        ],
        cells: vec![
            vec![0, 1, 1, 1, 1],
            vec![1, 0, 2, 1, 1],
            vec![0, 0, 0, 0, 2],
        ],
        notes: vec![CellNote {
            row: 0,
            column: 0,
            text: "liability/clause-1: “not liable for damage”".to_owned(),
        }],
    }));

    let mut quotes = Outcome::from_findings(
        "evidence find",
        vec![
            Finding::new(
                &COUNT,
                located(LEASE, "lease.txt", "2,000", "$[2]"),
                HOSTILE,
            )
            .with_remedy(HOSTILE),
        ],
    );
    quotes.summary = "2 of 5 quotes stand".to_owned();
    quotes.inputs = vec![Input::new("source", "lease.txt", LEASE.as_bytes())];
    let mut near = quote(
        "F3",
        "The landlord is liable for damage",
        "near",
        Some("The landlord is not liable for damage"),
    );
    near.flags = vec!["omits_negation".to_owned()];
    near.difference = Some("missing after `landlord is`: `not`".to_owned());
    near.dropped = Some("evidence-not-found".to_owned());
    near.claim = "The landlord pays.".to_owned();
    let mut absent = quote("F4", HOSTILE, "absent", None);
    absent.dropped = Some("evidence-not-found".to_owned());
    absent.claim = HOSTILE.to_owned();
    let mut typographic = quote(
        "F2",
        "tenant's deposit",
        "typographic",
        Some("tenant’s deposit"),
    );
    typographic.difference = Some("line 5 has `tenant’s`, the quote has `tenant's`".to_owned());
    quotes.details.push(Detail::Evidence(Evidence {
        sources: vec![SourceText {
            name: "lease.txt".to_owned(),
            text: LEASE.into(),
        }],
        quotes: vec![
            quote(
                "F1",
                "damage caused by water",
                "reflowed",
                Some("damage\ncaused by water"),
            ),
            typographic,
            near,
            absent,
            quote(
                "F5",
                "<b>late</b> payment",
                "identical",
                Some("<b>late</b> payment"),
            ),
        ],
    }));

    let mut palette = Outcome::from_findings("blueprint palette", Vec::new());
    palette.details.push(Detail::Palette(Palette {
        swatches: vec![
            Swatch {
                color: "#1a73e8ff".to_owned(),
                is_in_palette: true,
                is_observed: true,
                places: Vec::new(),
            },
            Swatch {
                color: "#ff000080".to_owned(),
                is_in_palette: false,
                is_observed: true,
                places: vec!["$.screens[0].background_color".to_owned()],
            },
            Swatch {
                color: "#fff\" onload=\"alert(1)".to_owned(),
                is_in_palette: false,
                is_observed: true,
                places: vec![HOSTILE.to_owned()],
            },
            Swatch {
                color: "var(--accent)".to_owned(),
                is_in_palette: true,
                is_observed: false,
                places: Vec::new(),
            },
        ],
    }));
    palette.details.push(Detail::Conditions(Conditions {
        title: "verdict".to_owned(),
        conditions: vec![
            Condition {
                group: "gate_results".to_owned(),
                text: "mermaid-validate passed".to_owned(),
                state: ConditionState::Met,
                note: String::new(),
            },
            Condition {
                group: "recount".to_owned(),
                text: "no colour is outside the palette".to_owned(),
                state: ConditionState::Unmet,
                note: HOSTILE.to_owned(),
            },
            Condition {
                group: "recount".to_owned(),
                text: "the recount agrees with the gate".to_owned(),
                state: ConditionState::NotChecked,
                note: "the gate left no result".to_owned(),
            },
        ],
    }));
    vec![counts, quotes, palette]
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/report")
}

fn assert_snapshot(name: &str, bytes: &[u8]) {
    let path = folder().join(name);
    if std::env::var_os("GATEWRIGHT_UPDATE").is_some() {
        std::fs::create_dir_all(folder()).unwrap();
        std::fs::write(&path, bytes).unwrap();
    }
    let expected = std::fs::read(&path).unwrap_or_default();
    let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(
        shown(bytes),
        shown(&expected),
        "{} differs; GATEWRIGHT_UPDATE=1 rewrites it",
        path.display()
    );
}

const FILES: [(Format, &str); 9] = [
    (Format::Text, "sample.txt"),
    (Format::Compact, "sample.compact"),
    (Format::Json, "sample.json"),
    (Format::Sarif, "sample.sarif"),
    (Format::Junit, "sample.xml"),
    (Format::Github, "sample.github"),
    (Format::Gitlab, "sample.gitlab"),
    (Format::Markdown, "sample.md"),
    (Format::Html, "sample.html"),
];

#[test]
fn every_format_renders_the_samples_as_recorded() {
    for (format, name) in FILES {
        assert_snapshot(
            name,
            &render(&outcomes(), format, &Style::default()).unwrap(),
        );
    }
}

#[test]
fn every_format_renders_no_outcome_and_a_passed_one() {
    for (format, name) in FILES {
        let style = Style::default();
        assert!(render(&[], format, &style).is_ok());
        let passed = Outcome::from_findings("counts check", Vec::new());
        assert_snapshot(
            &name.replace("sample", "passed"),
            &render(&[passed], format, &style).unwrap(),
        );
    }
}

#[test]
fn no_format_lets_a_line_of_untrusted_text_begin_a_workflow_command() {
    let text = render(&outcomes(), Format::Github, &Style::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let commands: Vec<&str> = text.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(commands.len(), 4);
    assert!(commands.iter().all(|line| !line.contains('\u{1b}')));
}

#[test]
fn markdown_keeps_within_a_comment_and_counts_what_it_leaves_out() {
    let finding = Finding::new(&COUNT, Location::of_source("a.json"), "x".repeat(300));
    let many = Outcome::from_findings("counts check", vec![finding; 5_000]);
    let text = render(&[many], Format::Markdown, &Style::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.len() < 65_536);
    assert!(text.contains("more findings that do not fit a comment"));
    let bullets = text.matches("\n- ").count();
    assert!(text.contains(&format!("… and {} more", 5_000 - bullets)));
}

#[test]
fn a_cached_outcome_reads_back_as_it_was_written() {
    let mut palette = outcomes();
    for outcome in &mut palette {
        outcome.findings.clear();
    }
    let text = serde_json::to_string(&palette).unwrap();
    let back: Vec<Outcome> = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    assert_eq!(back[1].details, palette[1].details);
}

#[test]
fn the_page_names_its_only_style_and_script_by_hash_and_loads_nothing() {
    let page =
        String::from_utf8(render(&outcomes(), Format::Html, &Style::default()).unwrap()).unwrap();
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(
        page.contains("default-src &#39;none&#39;")
            || page.contains("default-src &#x27;none&#x27;")
    );
    for loader in [
        "@import",
        "url(",
        "<link",
        "<iframe",
        "<base",
        "<img",
        "<script src",
    ] {
        assert!(!page.contains(loader), "{loader}");
    }
}
