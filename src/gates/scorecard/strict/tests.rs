//! One row for every rule, the order of reasons, places, ids and the facts of an outcome.

use super::*;

const SOURCE: &str =
    "# Plan\n\nShip to all accounts on Monday. The old endpoint\nis removed in the same release.\n";

fn card(findings: &str) -> String {
    format!("---\npersona: rev\nrun_id: r1\nfindings:\n{findings}---\n\n## Summary\n\nProse.\n")
}

fn finding(replaced: &str) -> String {
    let field = replaced.split(':').next().unwrap();
    let mut text = String::new();
    for (at, line) in [
        "id: placeholder",
        "target: \"## Plan\"",
        "claim: It cannot be undone.",
        "evidence: The old endpoint is removed",
        "ask: Keep it for two releases.",
        "severity: major",
        "category: operability",
    ]
    .into_iter()
    .enumerate()
    {
        let line = if line.starts_with(&format!("{field}:")) {
            replaced
        } else {
            line
        };
        if line.ends_with(": -") {
            continue;
        }
        text += if at == 0 { "  - " } else { "    " };
        text += line;
        text += "\n";
    }
    text
}

fn judged(text: &str) -> Report {
    let phrases = Phrases::of_texts(["consider", "think about"]);
    let options = Options {
        phrases: Some(&phrases),
        maps_severity: false,
    };
    check(
        "rev-draft.md",
        text.as_bytes(),
        "INPUT.md",
        &Prepared::new(SOURCE).unwrap(),
        options,
    )
}

fn codes(report: &Report) -> Vec<&'static str> {
    report
        .findings
        .iter()
        .map(|finding| finding.rule.code)
        .collect()
}

#[track_caller]
fn broken(text: &str, code: &str, line: usize, message: &str) {
    let report = judged(text);
    assert_eq!(codes(&report), [code], "{text}\n{:?}", report.findings);
    let finding = report.findings.first().unwrap();
    assert_eq!(
        finding.at.start.map(|start| start.line),
        Some(line),
        "{finding:?}"
    );
    assert!(finding.message.contains(message), "{}", finding.message);
    assert!(!finding.remedy.is_empty());
}

#[test]
fn a_sound_scorecard_is_kept_and_stamped() {
    let report = judged(&card(&finding("id: placeholder")));
    assert_eq!(codes(&report), Vec::<&str>::new());
    let kept = report.kept.first().unwrap();
    assert_eq!(
        kept.id,
        finding_id(
            "rev",
            Some(&YamlValue::from_text("## Plan")),
            Some(&YamlValue::from_text("It cannot be undone."))
        )
        .unwrap()
    );
    assert_eq!(kept.severity, "major");
    // An empty placeholder, extra fields and a wrapped quotation do no harm.
    let more =
        finding("evidence: \"accounts on Monday. The old endpoint is removed\"") + "    note: 7\n";
    assert_eq!(codes(&judged(&card(&more))), Vec::<&str>::new());
    assert_eq!(
        codes(&judged(&card(&finding("id: ''")))),
        Vec::<&str>::new()
    );
}

#[test]
fn a_text_that_yaml_cuts_is_told_whether_or_not_it_stands_in_the_artifact() {
    for (field, words) in [
        (
            "claim: It cannot be undone #4711 behind",
            "`claim` stands without quotes, and YAML takes `#4711 behind` for a comment",
        ),
        ("ask: &name Say when.", "takes `&name` for an anchor"),
        (
            "claim: It cannot\n     be undone # never",
            "takes `# never` for a comment",
        ),
    ] {
        let report = judged(&card(&finding(field)));
        assert_eq!(codes(&report), ["GWS023"], "{field}");
        let found = report.findings.first().unwrap();
        assert!(found.message.contains(words), "{}", found.message);
    }
    // With nothing left of it, it is missing as well.
    let report = judged(&card(&finding("ask: # later")));
    assert_eq!(codes(&report), ["GWS023", "GWS007"]);
    for field in [
        "claim: 'It cannot be undone #4711'",
        "claim: \"R&D # x\"",
        "claim: R&D is#not cut",
        "claim: >-\n      It cannot # be undone",
    ] {
        assert_eq!(codes(&judged(&card(&finding(field)))), Vec::<&str>::new());
    }
}

#[test]
fn each_reason_has_its_rule_line_and_message() {
    for (field, code, line, message) in [
        (
            "ask: -",
            "GWS007",
            5,
            "dropped (missing_field): `ask` is missing",
        ),
        ("ask: ~", "GWS007", 9, "`ask` is missing"),
        ("claim: ' '", "GWS007", 7, "`claim` is blank"),
        (
            "target: 42:48",
            "GWS008",
            6,
            "dropped (field_not_text): `target` is a number (`2568`)",
        ),
        ("category: [a]", "GWS008", 11, "`category` is a list"),
        (
            "severity: high",
            "GWS009",
            10,
            "dropped (unknown_severity): severity is `high`",
        ),
        ("severity: Major", "GWS009", 10, "severity is `Major`"),
        ("severity: ''", "GWS009", 10, "severity is ``"),
        (
            "evidence: old one",
            "GWS010",
            8,
            "dropped (evidence_too_short)",
        ),
        ("evidence: '12:  a b c '", "GWS010", 8, "has 5 characters"),
        ("evidence: ''", "GWS010", 8, "has 0 characters"),
        (
            "evidence: The old endpoint was removed",
            "GWS011",
            8,
            "dropped (evidence_not_verbatim): evidence is near: line 4 has `is`, the quote has `was`",
        ),
        (
            "evidence: nothing of the kind at all",
            "GWS011",
            8,
            "evidence is absent",
        ),
        (
            "ask: CONSIDER two releases.",
            "GWS012",
            9,
            "dropped (banned_phrase_detected): ask holds the banned phrase `consider`",
        ),
        (
            "claim: Think about it.",
            "GWS012",
            7,
            "claim holds the banned phrase `think about`",
        ),
    ] {
        broken(&card(&finding(field)), code, line, message);
    }
    let listed = judged(&card("  - just words\n"));
    assert_eq!(codes(&listed), ["GWS006"]);
    assert_eq!(
        listed
            .dropped
            .first()
            .map(|dropped| (dropped.id.as_str(), dropped.reason)),
        Some(("finding-0", "not_a_mapping"))
    );
}

#[test]
fn evidence_may_hold_a_banned_phrase_and_only_whole_words_count() {
    let source = Prepared::new("Please consider the index.").unwrap();
    let phrases = Phrases::of_texts(["consider"]);
    let options = Options {
        phrases: Some(&phrases),
        maps_severity: false,
    };
    let text = card(&finding("evidence: consider the index").replace("undone", "reconsidered"));
    assert_eq!(
        check("a.md", text.as_bytes(), "INPUT.md", &source, options)
            .kept
            .len(),
        1
    );
}

#[test]
fn the_first_reason_counts_in_the_order_of_the_contract() {
    let all_wrong = finding("ask: -")
        .replace("severity: major", "severity: high")
        .replace("The old endpoint is removed", "nothing")
        .replace("It cannot be undone.", "Consider it.");
    let steps = [
        (
            "missing_field",
            "    category",
            "    ask: consider\n    category",
        ),
        ("unknown_severity", "severity: high", "severity: nit"),
        (
            "evidence_too_short",
            "evidence: nothing",
            "evidence: nothing like it here",
        ),
        (
            "evidence_not_verbatim",
            "evidence: nothing like it here",
            "evidence: The old endpoint is removed",
        ),
        ("banned_phrase_detected", "", ""),
    ];
    let mut text = card(&all_wrong);
    for (reason, from, to) in steps {
        let report = judged(&text);
        assert_eq!(
            report
                .dropped
                .iter()
                .map(|dropped| dropped.reason)
                .collect::<Vec<_>>(),
            [reason],
            "{text}"
        );
        text = text.replace(from, to);
    }
}

#[test]
fn the_shape_of_the_whole() {
    let sound = card(&finding("id: placeholder"));
    let two = |from: &str, to: &str| sound.replacen(from, to, 1);
    broken(
        &two("---\npersona", "--- # fence\npersona"),
        "GWS001",
        1,
        "expected a line of exactly `---`",
    );
    broken("---\npersona: rev\n", "GWS001", 1, "never closed");
    broken("plain prose", "GWS001", 1, "expected a line of exactly");
    for (opening, why) in [
        ("---\r\n", "end in CR LF"),
        ("\u{feff}---\n", "byte order mark"),
        ("\n --- \n", "stands indented"),
    ] {
        let line = 1 + usize::from(opening.starts_with('\n'));
        broken(&two("---\n", opening), "GWS001", line, why);
    }
    broken(
        &two("claim: It", "claim: a: b"),
        "GWS002",
        7,
        "no valid YAML",
    );
    broken("---\n- a\n---\n", "GWS002", 2, "the front matter is a list");
    broken(&two("run_id: r1\n", ""), "GWS003", 2, "`run_id` is missing");
    broken(
        &two("run_id: r1", "run_id: 2026-04-22"),
        "GWS003",
        3,
        "`run_id` is a date",
    );
    broken(
        &two("persona: rev", "persona: ../rev"),
        "GWS003",
        2,
        "path separator",
    );
    broken(
        "---\npersona: rev\nrun_id: r1\n---\nProse.\n",
        "GWS004",
        2,
        "`findings` is missing",
    );
    broken(
        "---\npersona: rev\nrun_id: r1\nfindings: none\n---\nProse.\n",
        "GWS004",
        4,
        "`findings` is text",
    );
    let empty = "---\npersona: rev\nrun_id: r1\nfindings: []\n---\n";
    for body in ["", "\n## Summary\n", "\n<!-- why -->\n", "\n---\n"] {
        broken(
            &format!("{empty}{body}"),
            "GWS005",
            4,
            "no prose in the body",
        );
    }
    assert_eq!(
        codes(&judged(&format!(
            "{empty}\n## Summary\n\nNothing to object to.\n"
        ))),
        Vec::<&str>::new()
    );
    let stub = "---\npersona: rev\nfindings: []\nfailure: validation_all_findings_dropped\n---\n\nProse.\n";
    broken(stub, "GWS013", 4, "dropped all findings");
}

#[test]
fn severities_are_mapped_when_asked_and_never_silently() {
    let text = card(&finding("severity: medium"));
    let options = Options {
        phrases: None,
        maps_severity: true,
    };
    let report = check(
        "rev.md",
        text.as_bytes(),
        "INPUT.md",
        &Prepared::new(SOURCE).unwrap(),
        options,
    );
    assert_eq!(codes(&report), ["GWS014"]);
    let kept = report.kept.first().unwrap();
    assert_eq!(
        (kept.severity, kept.mapped_from.as_deref()),
        ("minor", Some("medium"))
    );
    let outcome = outcome("rev.md", report, None);
    assert_eq!(
        (outcome.summary.as_str(), outcome.status()),
        (
            "1 kept, 0 dropped, severity mapped from medium to minor: 1",
            0
        )
    );
}

#[test]
fn a_json_document_has_the_same_findings() {
    let text = r#"{"findings": [
        {"id": "x", "target": "a.md:3", "claim": "c", "evidence": "The old endpoint is removed", "ask": "a", "severity": "nit", "category": "k"},
        {"id": "y", "target": "a.md:3", "claim": "c", "evidence": "The old endpoint is removed", "ask": "a", "severity": 3, "category": "k"}
    ]}"#;
    let report = judged(text);
    assert_eq!(report.kept.len(), 1);
    assert!(report.kept.first().unwrap().id.starts_with("deep-scan-"));
    let finding = report.findings.first().unwrap();
    assert_eq!(
        (finding.rule.code, finding.at.path.as_deref()),
        ("GWS008", Some("$.findings[1].severity"))
    );
    let start = finding.at.start.unwrap();
    assert_eq!((start.line, start.column), (3, 122));
    assert_eq!(
        codes(&judged(
            r#"{"findings": [], "summary": "Looked at all of it."}"#
        )),
        Vec::<&str>::new()
    );
    assert_eq!(codes(&judged(r#"{"findings": []}"#)), ["GWS005"]);
    assert_eq!(codes(&judged("{")), ["GWS002"]);
    let report = judged("[\n{\"claim\": 1}]");
    let finding = report.findings.first().unwrap();
    assert_eq!(
        (finding.rule.code, finding.at.path.as_deref()),
        ("GWS007", Some("$[0]"))
    );
    assert_eq!(finding.at.start.map(|start| start.line), Some(2));
}

#[test]
fn an_outcome_tells_what_was_kept_and_dropped() {
    let text =
        card(&(finding("id: one") + &finding("severity: high").replace("placeholder", "two")));
    let outcome = outcome("rev.md", judged(&text), Some(("INPUT.md", SOURCE)));
    assert_eq!(outcome.status(), 1);
    assert_eq!(outcome.facts.get("findings_kept"), Some(&json!(1)));
    assert_eq!(
        outcome.facts.get("dropped"),
        Some(&json!([{"index": 1, "id": "two", "reason": "unknown_severity", "phrase": null}]))
    );
    assert_eq!(outcome.details.len(), 1);
}

#[test]
fn the_artifact_place_of_near_evidence_is_related() {
    let report = judged(&card(&finding("evidence: The old endpoint was removed")));
    let finding = report.findings.first().unwrap();
    let place = finding.related.first().unwrap();
    assert_eq!(
        (place.source.as_str(), place.start.map(|start| start.line)),
        ("INPUT.md", Some(3))
    );
    assert_eq!(
        finding.remedy,
        "copy the passage at line 3 of the artifact, character for character"
    );
}
