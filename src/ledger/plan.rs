//! The checker plan: one independent job for every present finding.
//!
//! In: a ledger and its framework. Out: the plan, or every reason why the ledger is not ready for
//! its checkers. The plan carries digests of both, so that a changed ledger is noticed later.

use super::document::{artifact, canonical, object};
use super::{
    Input, Key, Ledger, NULL, Stop, is_blank_member, is_confirmed_receipt, is_present, iterated,
};
use crate::pytext::Line;
use crate::value::{Text, Value};
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};

/// The finished plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The file.
    pub bytes: Vec<u8>,
    /// Number of jobs.
    pub job_count: usize,
}

/// Lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes
        .iter()
        .fold(String::with_capacity(2 * bytes.len()), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}

/// SHA-256 over the canonical form of `value`, 64 hex digits.
pub fn canonical_digest(value: &Value<'_>) -> String {
    hex(&Sha256::digest(canonical(value)))
}

/// The first 16 hex digits of SHA-256 over `bytes`: ids of jobs and plans.
fn short_digest(bytes: &[u8]) -> String {
    let mut digest = hex(&Sha256::digest(bytes));
    digest.truncate(16);
    digest
}

/// The id of the job that checks the finding `finding_id`; nothing when the id holds a lone
/// surrogate, which has no bytes to hash.
pub fn job_id(finding_id: &Text<'_>) -> Option<String> {
    finding_id.as_str().map(|id| short_digest(id.as_bytes()))
}

/// The id of a plan, from the plan without its id.
pub fn plan_id(unsigned: &Value<'_>) -> String {
    short_digest(&canonical(unsigned))
}

/// The lens of every issue; an issue in two lenses belongs to the last.
fn lens_by_issue<'f, 'a>(
    framework: &'f Value<'a>,
) -> Result<HashMap<Key<'a>, &'f Value<'a>>, Stop> {
    let mut lenses = HashMap::new();
    let odd =
        |place: String, value: &Value<'_>| Stop::odd_type(Input::Framework, place, value, "object");
    for (at, lens) in iterated(
        Input::Framework,
        "$.lenses",
        framework.get("lenses").unwrap_or(NULL),
    )?
    .iter()
    .enumerate()
    {
        let place = format!("$.lenses[{at}]");
        let Value::Object(members) = lens else {
            return Err(odd(place, lens));
        };
        let Some(items) = members.get("items") else {
            continue;
        };
        for (index, item) in iterated(Input::Framework, &format!("{place}.items"), items)?
            .iter()
            .enumerate()
        {
            let item_place = format!("{place}.items[{index}]");
            let Value::Object(item_members) = item else {
                return Err(odd(item_place, item));
            };
            let Some(issue) = item_members.get("issue_id") else {
                return Err(Stop::absent(Input::Framework, item_place, "issue_id"));
            };
            let Some(lens_id) = members.get("lens_id") else {
                return Err(Stop::absent(Input::Framework, place, "lens_id"));
            };
            let Some(key) = Key::of(issue) else {
                return Err(Stop::odd_type(
                    Input::Framework,
                    format!("{item_place}.issue_id"),
                    issue,
                    "string",
                ));
            };
            lenses.insert(key, lens_id);
        }
    }
    Ok(lenses)
}

/// The plan for the ledger, whose keys and those of the framework are known to be there.
///
/// # Errors
/// All reasons joined when the ledger is not ready; unusable for a shape that cannot be decided.
pub fn build(ledger: &Ledger<'_>, framework: &Value<'_>) -> Result<Plan, Stop> {
    let lenses = lens_by_issue(framework)?;
    let mut errors: Vec<Text<'static>> = Vec::new();
    let mut seen = HashSet::new();
    let mut jobs: Vec<(String, Value<'_>)> = Vec::new();
    for (index, mut finding) in ledger.findings()?.enumerate() {
        let place = format!("$.findings[{index}]");
        if !is_present(&finding, &place)? {
            continue;
        }
        let id = match finding.get("finding_id") {
            Some(Value::Str(id)) if !id.is_empty() => id.clone(),
            Some(_) | None => {
                errors.push(Text::borrowed("present finding has no finding_id"));
                continue;
            }
        };
        if !seen.insert(id.clone()) {
            errors.push(
                Line::new()
                    .plain("present finding ID repeats: ")
                    .text(&id)
                    .done(),
            );
            continue;
        }
        let mut fault = |words: &str| {
            errors.push(
                Line::new()
                    .plain("present finding ")
                    .text(&id)
                    .plain(words)
                    .done(),
            );
        };
        let issue = finding.get("issue_id").unwrap_or(NULL);
        let Some(key) = Key::of(issue) else {
            return Err(Stop::odd_type(
                Input::Findings,
                format!("{place}.issue_id"),
                issue,
                "string",
            ));
        };
        let lens = lenses.get(&key).copied();
        if lens.unwrap_or(NULL) != finding.get("lens_id").unwrap_or(NULL) {
            fault(" names the wrong lens or issue");
        }
        if is_blank_member(&finding, "quote", &place)? {
            fault(" has no quote");
        }
        if is_blank_member(&finding, "section", &place)? {
            fault(" has no section locator");
        }
        if !is_confirmed_receipt(&finding, "quote_verification", &place)? {
            fault(" lacks a confirmed quote receipt");
        }
        let Some(job) = job_id(&id) else {
            return Err(Stop::Unusable {
                input: Input::Findings,
                place: format!("{place}.finding_id"),
                reason: "the id holds a lone surrogate, which UTF-8 cannot carry".to_owned(),
            });
        };
        let Value::Object(members) = &mut finding else {
            continue;
        };
        let mut taken = |key: &str| members.get_mut(key).map(std::mem::take).unwrap_or_default();
        let members = object([
            ("doc_id", taken("doc_id")),
            ("finding_id", Value::Str(id)),
            ("issue_id", taken("issue_id")),
            ("job_id", Value::from(job.clone())),
            ("lens_id", taken("lens_id")),
            ("result_file", Value::from(format!("{job}.json"))),
            ("unit_id", taken("unit_id")),
        ]);
        jobs.push((job, Value::Object(members)));
    }
    let version = ledger.get("framework_version").unwrap_or(NULL);
    if *version != *framework.get("framework_version").unwrap_or(NULL) {
        errors.push(Text::borrowed(
            "findings and framework versions do not match",
        ));
    }
    if !errors.is_empty() {
        return Err(Stop::faults(errors));
    }
    jobs.sort_by(|(left, _), (right, _)| left.cmp(right));
    let job_count = jobs.len();
    let mut plan = object([
        ("framework_digest", Value::from(canonical_digest(framework))),
        ("framework_version", version.clone()),
        (
            "jobs",
            Value::Array(jobs.into_iter().map(|(_, job)| job).collect()),
        ),
        (
            "selection_rule",
            Value::from("every-present-finding-in-approved-ledger"),
        ),
        ("source_findings_digest", Value::from(ledger.digest())),
        (
            "source_review_plan_id",
            ledger.get("review_plan_id").cloned().unwrap_or_default(),
        ),
        ("version", Value::Int(1)),
    ]);
    let unsigned = Value::Object(plan);
    let id = plan_id(&unsigned);
    let Value::Object(unsigned) = unsigned else {
        return Err(Stop::said("checker plan is no object"));
    };
    plan = unsigned;
    plan.insert("plan_id", Value::from(id));
    Ok(Plan {
        bytes: artifact(&Value::Object(plan)),
        job_count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    fn answer(findings: &str, framework: &str) -> String {
        let ledger = format!("{{\"framework_version\": 1, \"findings\": {findings}}}");
        let framework = format!("{{\"framework_version\": 1, \"lenses\": {framework}}}");
        match build(&Ledger::read(&ledger).unwrap(), &parse(&framework).unwrap()) {
            Ok(plan) => format!("{} job(s)", plan.job_count),
            Err(Stop::Said(text)) => text.to_display().into_owned(),
            Err(Stop::Faults(texts)) => Line::new()
                .joined(&texts, "; ")
                .done()
                .to_display()
                .into_owned(),
            Err(Stop::Unusable {
                input,
                place,
                reason,
            }) => format!("{} {place}: {reason}", input.label()),
        }
    }

    #[test]
    fn odd_shapes_are_decided_as_python_would_or_refused() {
        let lens = r#"[{"lens_id": 1, "items": [{"issue_id": 2}]}, {"items": []}, {}]"#;
        let odd =
            |members: &str| format!(r#"[{{"status": "present", "finding_id": "x"{members}}}]"#);
        let fine =
            r#", "quote": "q", "section": "s", "quote_verification": {"status": "confirmed"}"#;
        for (findings, framework, want) in [
            ("\"\"", "{}", "0 job(s)"),
            ("[{\"status\": [\"present\"]}]", "[]", "0 job(s)"),
            (
                "[5]",
                "[]",
                "findings $.findings[0]: expected object, got integer",
            ),
            (
                "{\"a\": 1}",
                "[]",
                "findings $.findings: expected array, got object",
            ),
            ("[]", "null", "framework $.lenses: expected array, got null"),
            (
                "[]",
                "[{\"lens_id\": 1, \"items\": [{}]}]",
                "framework $.lenses[0].items[0]: missing key 'issue_id'",
            ),
            (
                "[]",
                "[{\"items\": [{\"issue_id\": 1}]}]",
                "framework $.lenses[0]: missing key 'lens_id'",
            ),
            (
                &odd(&format!("{fine}, \"issue_id\": true, \"lens_id\": 1")),
                lens,
                "present finding x names the wrong lens or issue",
            ),
            (
                &odd(&format!("{fine}, \"issue_id\": 2.0, \"lens_id\": true")),
                lens,
                "1 job(s)",
            ),
            (
                &odd(", \"quote\": 5"),
                lens,
                "findings $.findings[0].quote: expected string, got integer",
            ),
            (
                &odd(", \"quote\": [], \"section\": false, \"quote_verification\": \"\""),
                "[]",
                "present finding x has no quote; present finding x has no section locator; present finding x lacks a confirmed quote receipt",
            ),
            (
                &odd(", \"quote_verification\": \"x\""),
                "[]",
                "findings $.findings[0].quote_verification: expected object, got string",
            ),
            (
                &odd(", \"issue_id\": []"),
                "[]",
                "findings $.findings[0].issue_id: expected string, got array",
            ),
            (
                &format!("[{{\"status\": \"present\", \"finding_id\": \"\\ud800\"{fine}}}]"),
                "[]",
                "findings $.findings[0].finding_id: the id holds a lone surrogate, which UTF-8 cannot carry",
            ),
        ] {
            assert_eq!(answer(findings, framework), want, "{findings} {framework}");
        }
    }
}
