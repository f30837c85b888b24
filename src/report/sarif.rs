//! The SARIF 2.1.0 report, for code scanning: one run, rule descriptors with help, relative URIs.
//!
//! Columns are Unicode code points and say so. Every message has `text`. Nothing depends on the
//! machine or the time, so equal outcomes give equal bytes.

use super::{text::escaped, uri};
use crate::finding::{Finding, Location};
use crate::outcome::{Outcome, Verdict};
use crate::rule::{Rule, Severity};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// The name carries the version of what is hashed: `Finding::identity`, which knows no lines.
const FINGERPRINT: &str = "gatewright/v2";
/// Address of the documentation, where the package states one.
const HOME: &str = env!("CARGO_PKG_HOMEPAGE");

/// The report of `outcomes`; file references start from the folder `base`. Results become values one
/// at a time: there may be a million of them.
///
/// # Errors
/// When a value cannot be written as JSON, which none of ours is.
pub fn render(outcomes: &[Outcome], base: &str) -> serde_json::Result<String> {
    let mut rules: Vec<&'static Rule> = Vec::new();
    for finding in outcomes.iter().flat_map(|outcome| &outcome.findings) {
        if !rules.iter().any(|rule| rule.code == finding.rule.code) {
            rules.push(finding.rule);
        }
    }
    let status = outcomes.iter().map(Outcome::status).max().unwrap_or(0);
    let mut driver = json!({
        "name": "gatewright",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
    });
    if !HOME.is_empty()
        && let Some(members) = driver.as_object_mut()
    {
        members.insert("informationUri".to_owned(), json!(HOME));
    }
    let notices: Vec<Value> = outcomes
        .iter()
        .filter(|outcome| outcome.verdict == Verdict::Undecided)
        .map(|outcome| {
            json!({
                "level": "error",
                "message": {"text": format!(
                    "{} could not run: {}", outcome.title(), super::summary(outcome))},
            })
        })
        .collect();
    let log = Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: json!({"driver": driver}),
            column_kind: "unicodeCodePoints",
            invocations: json!([{
                "executionSuccessful": notices.is_empty(),
                "exitCode": status,
                "toolExecutionNotifications": notices,
            }]),
            artifacts: artifacts(outcomes, base),
            results: Results {
                outcomes,
                rules: &rules,
                base,
            },
        }],
    };
    let mut text = serde_json::to_string_pretty(&log)?;
    text.push('\n');
    Ok(text)
}

/// The log, its members in the order of the format.
#[derive(Serialize)]
struct Log<'o> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'o>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'o> {
    tool: Value,
    column_kind: &'static str,
    invocations: Value,
    artifacts: Vec<Value>,
    results: Results<'o>,
}

/// The findings as results, made while they are written.
struct Results<'o> {
    outcomes: &'o [Outcome],
    rules: &'o [&'static Rule],
    base: &'o str,
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut seen = BTreeMap::new();
        let found = self.outcomes.iter().flat_map(|outcome| {
            outcome
                .findings
                .iter()
                .map(move |finding| (outcome, finding))
        });
        out.collect_seq(found.map(|(outcome, finding)| {
            let is_same = |rule: &&Rule| rule.code == finding.rule.code;
            let index = self.rules.iter().position(is_same);
            result(outcome, finding, index.unwrap_or(0), self.base, &mut seen)
        }))
    }
}

fn descriptor(rule: &Rule) -> Value {
    let mut described = json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": stated(rule.checks, rule.name)},
        "fullDescription": {"text": stated(rule.why, rule.checks)},
        "help": {
            "text": format!("{}\n\nWhy: {}\n\nRemedy: {}\n\nSource: {}",
                rule.checks, rule.why, rule.remedy, rule.source),
            "markdown": super::rule_page::page(rule),
        },
        "defaultConfiguration": {"level": level(rule.severity)},
    });
    if !HOME.is_empty()
        && let Some(members) = described.as_object_mut()
    {
        let page = format!("{}/rules/{}/", HOME.trim_end_matches('/'), rule.code);
        members.insert("helpUri".to_owned(), json!(page));
    }
    described
}

/// `text`, or `otherwise` where a rule leaves it empty: a SARIF message may not be empty.
fn stated<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn artifacts(outcomes: &[Outcome], base: &str) -> Vec<Value> {
    let mut seen = std::collections::BTreeSet::new();
    outcomes
        .iter()
        .flat_map(|outcome| &outcome.inputs)
        .map(|input| {
            json!({
                "location": {"uri": uri::of_name(&input.name, base)},
                "length": input.len_bytes,
                "hashes": {"sha-256": input.sha256},
            })
        })
        // The schema wants each artifact once, whatever the number of gates that read it.
        .filter(|artifact| seen.insert(artifact.to_string()))
        .collect()
}

fn result(
    outcome: &Outcome,
    finding: &Finding,
    index: usize,
    base: &str,
    seen: &mut BTreeMap<u128, u32>,
) -> Value {
    let mut text = escaped(&finding.message);
    if !finding.remedy.is_empty() {
        text.push_str(". Remedy: ");
        text.push_str(&escaped(&finding.remedy));
    }
    let place = uri::of_name(&finding.at.source, base);
    let print = super::numbered(finding.identity(&place), seen);
    json!({
        "ruleId": finding.rule.code,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": {"text": text},
        "locations": [location(&finding.at, base)],
        "relatedLocations": finding.related.iter().enumerate().map(|(id, at)| {
            let mut related = location(at, base);
            if let Some(members) = related.as_object_mut() {
                members.insert("id".to_owned(), json!(id));
                members.insert(
                    "message".to_owned(),
                    json!({"text": stated(&at.path.as_deref().map_or_else(|| "see also".to_owned(), escaped), "see also")}),
                );
            }
            related
        }).collect::<Vec<_>>(),
        "partialFingerprints": {FINGERPRINT: print},
        "properties": {"gate": outcome.gate},
    })
}

fn location(at: &Location, base: &str) -> Value {
    let mut members = Map::new();
    if !at.source.is_empty() {
        let mut physical = Map::new();
        physical.insert(
            "artifactLocation".to_owned(),
            json!({"uri": uri::of_name(&at.source, base)}),
        );
        let region = region(at);
        if !region.is_empty() {
            physical.insert("region".to_owned(), Value::Object(region));
        }
        members.insert("physicalLocation".to_owned(), Value::Object(physical));
    }
    if let Some(path) = &at.path {
        members.insert(
            "logicalLocations".to_owned(),
            json!([{"fullyQualifiedName": escaped(path)}]),
        );
    }
    Value::Object(members)
}

fn region(at: &Location) -> Map<String, Value> {
    let mut region = Map::new();
    if let Some(start) = at.start {
        region.insert("startLine".to_owned(), json!(start.line));
        region.insert("startColumn".to_owned(), json!(start.column));
        if let Some(end) = at.end {
            region.insert("endLine".to_owned(), json!(end.line));
            region.insert("endColumn".to_owned(), json!(end.column));
        }
    }
    if let Some(page) = at.page {
        region.insert("properties".to_owned(), json!({"page": page}));
    }
    if let Some(span) = at.span {
        region.insert("byteOffset".to_owned(), json!(span.byte_start));
        region.insert(
            "byteLength".to_owned(),
            json!(span.byte_end.saturating_sub(span.byte_start)),
        );
    }
    region
}
