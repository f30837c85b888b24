//! CL-6: depth and breadth: security, topology, journeys, coverage.

use super::rule;
use crate::gates::draft::place::{Path, in_blueprint};
use crate::gates::draft::reading::{integer, quoted};
use crate::gates::draft::survey::each_text;
use crate::gates::draft::{Context, Findings, JsonFile};
use crate::invariant::Invariant as _;
use crate::rule::Rule;
use crate::say;
use crate::value::{Text, Value};
use regex::bytes::{Regex, RegexBuilder};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Active testing is mentioned.
pub const ACTIVE: Rule = rule!(
    "CL6-ACTIVE", "active-testing", Error, "12.7",
    checks: "A string in `security_design` mentions penetration testing, vulnerability scanning or breaking authentication; a denial counts too.",
    why: "The analysis is passive; the checklist asks for no mention at all.",
    fails: "\"claim\": \"a penetration test should follow\"",
    repaired: "\"claim\": \"two public forms: search and quantity\"",
    remedy: "describe what was observed and leave active tests out, even as a denial",
);
/// The topology rests on nothing.
pub const TOPOLOGY: Rule = rule!(
    "CL6-TOPOLOGY", "topology-without-headers", Error, "12.7",
    checks: "`delivery_topology` is an object and no inference record at or below it has a direct reference into the response headers or `nonfunctional_baseline`.",
    why: "Where a page comes from shows in headers and transfer facts, not in its words.",
    fails: "\"delivery_topology\": {\"evidence_refs\": [\"copy-home\"], …}",
    repaired: "… {\"evidence_refs\": [\"tech_stack.signals.response_headers.age\"], …}",
    remedy: "reference the header or baseline fact that shows the topology",
);
/// A journey goes nowhere.
pub const JOURNEY: Rule = rule!(
    "CL6-JOURNEY", "journey-without-screen", Warning, "12.7",
    checks: "A step's `screen_ref` is neither a `screen_id`, nor a `screen_ref` of the affordances, nor a discovered URL.",
    why: "A step on a screen nobody saw is invented.",
    fails: "{\"screen_ref\": \"checkout\", \"action\": \"pay\"}   (no such screen)",
    repaired: "{\"screen_ref\": \"item\", \"action\": \"add to cart\"}",
    remedy: "name a screen or URL that was discovered",
);
/// The declared coverage is not the counted one.
pub const COUNT: Rule = rule!(
    "CL6-COUNT", "coverage-count", Error, "12.7",
    checks: "`coverage.extracted` is not the number of discovered URLs in the extracted set, or `coverage.excluded` is not the number of discovered URLs that are excluded.",
    why: "The screen gate checks the sum of the numbers, not whether they are true.",
    fails: "\"coverage\": {\"discovered\": 4, \"extracted\": 3, \"pending\": 0, \"excluded\": 1}   (2 were extracted)",
    repaired: "\"coverage\": {\"discovered\": 4, \"extracted\": 2, \"pending\": 1, \"excluded\": 1}",
    remedy: "write the counted numbers and declare what is pending",
);
/// A page in scope vanished.
pub const VANISHED: Rule = rule!(
    "CL6-VANISHED", "vanished-page", Error, "12.7",
    checks: "An entry of `in_scope` is neither discovered nor extracted.",
    why: "A page that was promised must not drop out without a trace.",
    fails: "\"in_scope\": [\"https://shop.example/news\"]   (not in discovered_urls)",
    repaired: "the URL in `discovered_urls`, and pending, extracted or excluded with a reason",
    remedy: "list the page as discovered and say what became of it",
);
/// Complete is claimed and something is pending.
pub const FULL: Rule = rule!(
    "CL6-FULL", "false-completeness", Error, "12.7",
    checks: "Something is pending and `site_inventory` or its `coverage` says `complete`, `is_complete`, `full`, `fully_covered` or `coverage_complete`.",
    why: "A partial crawl is honest; one that calls itself complete is not.",
    fails: "\"coverage\": {\"complete\": true, …}   (one URL is pending)",
    repaired: "\"coverage\": {\"complete\": false, …}",
    remedy: "drop the claim, or extract what is pending",
);
/// The manifest differs.
pub const MANIFEST: Rule = rule!(
    "CL6-MANIFEST", "manifest-mismatch", Error, "12.7",
    checks: "`site-coverage-manifest.json` is missing or differs from what `site_inventory` gives (`notice` aside).",
    why: "The manifest is part of the draft hash and what readers of the coverage open first.",
    fails: "site-coverage-manifest.json with \"pending\": [] where one URL is pending",
    repaired: "the manifest derived from `site_inventory`",
    remedy: "emit the draft again",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[ACTIVE, TOPOLOGY, JOURNEY, COUNT, VANISHED, FULL, MANIFEST];

/// Words of active testing. Longer spellings come from the shorter ones.
static ACTIVE_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    RegexBuilder::new(
        "侵入テスト|侵入試験|ペネトレーション|脆弱性スキャン|脆弱性診断|認証突破|penetration test|pentest|pen test|pen-test|vulnerability scan",
    )
    .case_insensitive(true)
    .build()
    .holds("the pattern of this file compiles")
});

const COMPLETE_WORDS: [&str; 5] = [
    "complete",
    "is_complete",
    "full",
    "fully_covered",
    "coverage_complete",
];

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    active(context, out);
    topology(context, out);
    journeys(context, out);
    counts(context, out);
    vanished(context, out);
    full(context, out);
    manifest(context, out);
}

fn active(context: &Context<'_>, out: &mut Findings) {
    let Some(section) = context.member("security_design") else {
        return;
    };
    let root = Path::ROOT;
    each_text(section, &root.key(b"security_design"), &mut |text, path| {
        let found = ACTIVE_WORDS.find(text.as_bytes());
        if let Some(found) = found {
            out.add(
                &ACTIVE,
                in_blueprint(path),
                say!(
                    context.lang,
                    "能動的な試験を指す語 `{0}` がある",
                    "the text mentions active testing (`{0}`)",
                    String::from_utf8_lossy(found.as_bytes()),
                ),
            );
        }
    });
}

fn topology(context: &Context<'_>, out: &mut Findings) {
    let Some(section) = context.member("delivery_topology") else {
        return;
    };
    if section.as_object().is_none() {
        return;
    }
    let is_at_or_below = |path: &str| {
        path.strip_prefix("delivery_topology")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let is_founded = context
        .survey
        .records
        .iter()
        .zip(&context.evidence.resolved)
        .any(|(record, resolved)| is_at_or_below(&record.path) && resolved.has_header);
    if !is_founded {
        out.add(
            &TOPOLOGY,
            in_blueprint("delivery_topology"),
            say!(
                context.lang,
                "配信構成の根拠が応答ヘッダーにも非機能の観測にも直接結び付いていない (根拠 {0})",
                "the topology rests on no response header and no baseline fact (references {0})",
                quoted(section.get("evidence_refs")),
            ),
        );
    }
}

fn journeys(context: &Context<'_>, out: &mut Findings) {
    let affordances = context
        .inner("feature_map", "per_screen_affordances")
        .and_then(Value::as_array);
    let mut known: BTreeSet<&[u8]> = context
        .screens
        .iter()
        .filter_map(|screen| screen.object.get("screen_id")?.as_text())
        .chain(
            affordances
                .unwrap_or_default()
                .iter()
                .filter_map(|entry| entry.get("screen_ref")?.as_text()),
        )
        .map(Text::as_bytes)
        .collect();
    known.extend(
        context
            .inventory
            .discovered
            .iter()
            .map(|url| url.as_bytes()),
    );
    let journeys = context.member("user_journeys").and_then(Value::as_array);
    for (journey_index, journey) in journeys.unwrap_or_default().iter().enumerate() {
        let steps = journey.get("steps").and_then(Value::as_array);
        for (step_index, step) in steps.unwrap_or_default().iter().enumerate() {
            let Some(reference) = step.get("screen_ref").and_then(Value::as_text) else {
                continue;
            };
            if !known.contains(reference.as_bytes()) {
                out.add(
                    &JOURNEY,
                    in_blueprint(format!(
                        "user_journeys[{journey_index}].steps[{step_index}].screen_ref"
                    )),
                    say!(
                        context.lang,
                        "手順の画面 {0} が、画面にも操作の一覧にも発見済み URL にも無い",
                        "the step's screen {0} is no screen, no affordance and no discovered URL",
                        quoted(step.get("screen_ref")),
                    ),
                );
            }
        }
    }
}

fn counts(context: &Context<'_>, out: &mut Findings) {
    let inventory = &context.inventory;
    let coverage = inventory.member("coverage");
    let counted = |set: &BTreeSet<&Text<'_>>| {
        inventory
            .discovered
            .iter()
            .filter(|url| set.contains(*url))
            .count() as i128
    };
    for (name, set) in [
        ("extracted", &inventory.extracted),
        ("excluded", &inventory.excluded),
    ] {
        let Some(stated) = coverage.and_then(|coverage| coverage.get(name)) else {
            continue;
        };
        let counted = counted(set);
        if integer(stated) != Some(counted) {
            out.add(
                &COUNT,
                in_blueprint(format!("site_inventory.coverage.{name}")),
                say!(
                    context.lang,
                    "`{0}` は {1} とあるが、発見済み URL を数えると {2}",
                    "`{0}` is stated as {1}, counted {2} among the discovered URLs",
                    name,
                    quoted(Some(stated)),
                    counted,
                ),
            );
        }
    }
}

fn vanished(context: &Context<'_>, out: &mut Findings) {
    let inventory = &context.inventory;
    let discovered: BTreeSet<&Text<'_>> = inventory.discovered.iter().copied().collect();
    let scope = inventory.member("in_scope").and_then(Value::as_array);
    for (index, entry) in scope.unwrap_or_default().iter().enumerate() {
        let Some(url) = entry
            .as_text()
            .or_else(|| entry.get("url").and_then(Value::as_text))
        else {
            continue;
        };
        if !discovered.contains(url) && !inventory.extracted.contains(url) {
            out.add(
                &VANISHED,
                in_blueprint(format!("site_inventory.in_scope[{index}]")),
                say!(
                    context.lang,
                    "範囲内の {0} が発見済みにも取得済みにも無い",
                    "{0} is in scope but neither discovered nor extracted",
                    quoted(Some(entry)),
                ),
            );
        }
    }
}

fn full(context: &Context<'_>, out: &mut Findings) {
    let inventory = &context.inventory;
    let Some(first) = inventory.pending.first() else {
        return;
    };
    for (place, part) in [
        ("site_inventory", inventory.section),
        ("site_inventory.coverage", inventory.member("coverage")),
    ] {
        for word in COMPLETE_WORDS {
            if part
                .and_then(|part| part.get(word))
                .is_some_and(Value::is_true)
            {
                out.add(
                    &FULL,
                    in_blueprint(format!("{place}.{word}")),
                    say!(
                        context.lang,
                        "`{0}: true` とあるが未取得の URL が {1} 件ある (例 `{2}`)",
                        "`{0}: true`, but {1} discovered URLs are pending (e.g. `{2}`)",
                        word,
                        inventory.pending.len(),
                        crate::finding::excerpt(&first.to_display()),
                    ),
                );
            }
        }
    }
}

fn manifest(context: &Context<'_>, out: &mut Findings) {
    let reason = match &context.draft.manifest {
        JsonFile::Missing => say!(
            context.lang,
            "`site-coverage-manifest.json` が無い",
            "`site-coverage-manifest.json` is missing"
        ),
        JsonFile::Unreadable(reason) => say!(
            context.lang,
            "`site-coverage-manifest.json` を読めない: {0}",
            "`site-coverage-manifest.json` cannot be read: {0}",
            reason,
        ),
        JsonFile::Json(manifest) => match context.inventory.manifest_fault(manifest) {
            None => return,
            Some(member) => say!(
                context.lang,
                "`site-coverage-manifest.json` の `{0}` ({1}) が site_inventory から導いたものと異なる",
                "`{0}` of `site-coverage-manifest.json` ({1}) is not what site_inventory gives",
                member,
                quoted(manifest.get(member)),
            ),
        },
    };
    out.add(&MANIFEST, "site-coverage-manifest.json", reason);
}
