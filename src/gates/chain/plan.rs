//! The checker plan: one independent job for every present finding.
//!
//! In: a ledger and its framework. Out: the plan, or every reason why the ledger is not ready for
//! its checkers. The plan carries digests of both, so that a changed ledger is noticed later.

use super::document::{Copy, Raw, Sink, canonical};
use super::{
    Input, Key, Ledger, NULL, Record, Stop, is_blank_member, is_confirmed_receipt, is_present,
    iterated, odd_member,
};
use crate::text::python::Line;
use crate::value::json::writer::{Style, dump_at};
use crate::value::{Text, Value};
use hashbrown::{HashMap, HashSet};
use sha2::{Digest as _, Sha256};
use std::io;

/// Bytes gathered before they are handed on.
const HANDED_ON_BYTES: usize = 1 << 18;

/// The finished plan. Jobs stay text of the ledger: a large plan takes little more than its file.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    jobs: Vec<Job<'a>>,
    framework_digest: String,
    framework_version: Value<'a>,
    source_findings_digest: String,
    source_review_plan_id: Value<'a>,
}

/// The job that checks one finding: what its row in the plan is made of.
#[derive(Clone, Debug)]
struct Job<'a> {
    id: [u8; 8],
    doc_id: Raw<'a>,
    finding_id: Raw<'a>,
    issue_id: Raw<'a>,
    lens_id: Raw<'a>,
    unit_id: Raw<'a>,
}

/// A present finding on its way to a job: its id, and what stands against it after that.
struct Draft<'a> {
    id: Text<'a>,
    job: Result<Job<'a>, Refused>,
}

enum Refused {
    Faults(Vec<Text<'static>>),
    Stop(Stop),
}

/// What the findings of one part of the ledger came to, in order; nothing for one without an id.
type Drafts<'a> = Vec<Result<Option<Draft<'a>>, Stop>>;

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

/// The first bytes of the SHA-256 of a finding's id; nothing when the id holds a lone surrogate,
/// which has no bytes to hash.
fn job_digest(finding_id: &Text<'_>) -> Option<[u8; 8]> {
    let digest = Sha256::digest(finding_id.as_str()?.as_bytes());
    digest.first_chunk::<8>().copied()
}

/// The id of the job that checks the finding `finding_id`; nothing when the id holds a lone
/// surrogate.
pub fn job_id(finding_id: &Text<'_>) -> Option<String> {
    job_digest(finding_id).map(|digest| hex(&digest))
}

/// The id of a plan, from the digest of the plan without its id.
pub(super) fn plan_id(mut digest: String) -> String {
    digest.truncate(16);
    digest
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
            // What has no id can be named by no finding.
            let (Some(issue), Some(lens_id)) =
                (item_members.get("issue_id"), members.get("lens_id"))
            else {
                continue;
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
pub fn build<'a>(ledger: &Ledger<'a>, framework: &Value<'a>) -> Result<Plan<'a>, Stop> {
    let lenses = lens_by_issue(framework)?;
    let parts = ledger.visit(|index, finding, drafts: &mut Drafts<'a>| {
        match is_present(finding, index) {
            Ok(false) => {}
            Ok(true) => drafts.push(Ok(draft(finding, index, &lenses))),
            Err(stop) => drafts.push(Err(stop)),
        }
    })?;
    let mut errors: Vec<Text<'static>> = Vec::new();
    let mut seen = HashSet::new();
    let mut jobs = Vec::new();
    for drafted in parts.into_iter().flatten() {
        let Some(Draft { id, job }) = drafted? else {
            errors.push(Text::borrowed("present finding has no finding_id"));
            continue;
        };
        if seen.contains(&id) {
            errors.push(
                Line::new()
                    .plain("present finding ID repeats: ")
                    .text(&id)
                    .done(),
            );
            continue;
        }
        seen.insert(id);
        match job {
            Ok(job) => jobs.push(job),
            Err(Refused::Faults(faults)) => errors.extend(faults),
            Err(Refused::Stop(stop)) => return Err(stop),
        }
    }
    drop(seen);
    let version = framework.get("framework_version").unwrap_or(NULL);
    if *version != *ledger.get("framework_version").unwrap_or(NULL) {
        errors.push(Text::borrowed(
            "findings and framework versions do not match",
        ));
    }
    if !errors.is_empty() {
        return Err(Stop::faults(errors));
    }
    jobs.sort_by_key(|job| job.id);
    Ok(Plan {
        jobs,
        framework_digest: canonical_digest(framework),
        framework_version: version.clone(),
        source_findings_digest: ledger.digest(),
        source_review_plan_id: ledger.get("review_plan_id").cloned().unwrap_or_default(),
    })
}

/// A present finding held against the framework.
fn draft<'a>(
    finding: &Record<'a>,
    index: usize,
    lenses: &HashMap<Key<'_>, &Value<'_>>,
) -> Option<Draft<'a>> {
    let id = finding.named("finding_id")?;
    let job = job(finding, &id, index, lenses);
    Some(Draft { id, job })
}

fn job<'a>(
    finding: &Record<'a>,
    id: &Text<'a>,
    index: usize,
    lenses: &HashMap<Key<'_>, &Value<'_>>,
) -> Result<Job<'a>, Refused> {
    let mut faults = Vec::new();
    let mut fault = |words: &str| {
        faults.push(
            Line::new()
                .plain("present finding ")
                .text(id)
                .plain(words)
                .done(),
        );
    };
    let issue = finding.value_of("issue_id");
    let Some(key) = Key::of(&issue) else {
        let stop = odd_member(finding, "issue_id", index, "string");
        return Err(Refused::Stop(stop));
    };
    let lens = lenses.get(&key).copied();
    if *lens.unwrap_or(NULL) != finding.value_of("lens_id") {
        fault(" names the wrong lens or issue");
    }
    if is_blank_member(finding, "quote") {
        fault(" has no quote");
    }
    if is_blank_member(finding, "section") {
        fault(" has no section locator");
    }
    if !is_confirmed_receipt(finding, "quote_verification", index).map_err(Refused::Stop)? {
        fault(" lacks a confirmed quote receipt");
    }
    let Some(digest) = job_digest(id) else {
        return Err(Refused::Stop(Stop::Unusable {
            input: Input::Findings,
            place: format!("$.findings[{index}].finding_id"),
            reason: "the id holds a lone surrogate, which UTF-8 cannot carry".to_owned(),
        }));
    };
    if !faults.is_empty() {
        return Err(Refused::Faults(faults));
    }
    let raw = |key: &str| finding.get(key).unwrap_or(Raw::NULL);
    Ok(Job {
        id: digest,
        doc_id: raw("doc_id"),
        finding_id: raw("finding_id"),
        issue_id: raw("issue_id"),
        lens_id: raw("lens_id"),
        unit_id: raw("unit_id"),
    })
}

impl Plan<'_> {
    /// Number of jobs.
    pub fn job_count(&self) -> usize {
        self.jobs.len()
    }

    /// Writes the file.
    ///
    /// # Errors
    /// Those of `sink`.
    pub fn write(&self, sink: &mut Sink<'_>) -> io::Result<()> {
        let mut hasher = Sha256::new();
        self.write_in(Style::ASCII_CANONICAL, None, &mut |bytes: &[u8]| {
            hasher.update(bytes);
            Ok(())
        })?;
        let id = plan_id(hex(&hasher.finalize()));
        self.write_in(Style::ASCII_INDENTED, Some(id), sink)?;
        sink(b"\n")
    }

    fn write_in(
        &self,
        style: Style,
        plan_id: Option<String>,
        sink: &mut Sink<'_>,
    ) -> io::Result<()> {
        let mut out = Vec::with_capacity(2 * HANDED_ON_BYTES);
        let mut is_first = true;
        let mut member = |out: &mut Vec<u8>, key: &str, value: Option<&Value<'_>>| {
            let mut copy = Copy { out, style };
            copy.comma(std::mem::take(&mut is_first));
            copy.line_break(1);
            copy.key(key);
            if let Some(value) = value {
                dump_at(copy.out, value, style, 1);
            }
        };
        let text = |text: &str| Value::from(text.to_owned());
        out.push(b'{');
        member(
            &mut out,
            "framework_digest",
            Some(&text(&self.framework_digest)),
        );
        member(&mut out, "framework_version", Some(&self.framework_version));
        member(&mut out, "jobs", None);
        out.push(b'[');
        for (index, job) in self.jobs.iter().enumerate() {
            let mut copy = Copy {
                out: &mut out,
                style,
            };
            copy.comma(index == 0);
            copy.line_break(2);
            job.write(&mut copy);
            if out.len() >= HANDED_ON_BYTES {
                sink(&out)?;
                out.clear();
            }
        }
        if !self.jobs.is_empty() {
            Copy {
                out: &mut out,
                style,
            }
            .line_break(1);
        }
        out.push(b']');
        if let Some(id) = plan_id {
            member(&mut out, "plan_id", Some(&Value::from(id)));
        }
        let rule = "every-present-finding-in-approved-ledger";
        member(&mut out, "selection_rule", Some(&text(rule)));
        let digest = text(&self.source_findings_digest);
        member(&mut out, "source_findings_digest", Some(&digest));
        let review = &self.source_review_plan_id;
        member(&mut out, "source_review_plan_id", Some(review));
        member(&mut out, "version", Some(&Value::Int(1)));
        Copy {
            out: &mut out,
            style,
        }
        .line_break(0);
        out.push(b'}');
        sink(&out)
    }
}

impl Job<'_> {
    /// The row of the job, two levels deep in the plan.
    fn write(&self, copy: &mut Copy<'_>) {
        let id = hex(&self.id);
        copy.out.push(b'{');
        let members = [
            ("doc_id", Ok(self.doc_id)),
            ("finding_id", Ok(self.finding_id)),
            ("issue_id", Ok(self.issue_id)),
            ("job_id", Err("")),
            ("lens_id", Ok(self.lens_id)),
            ("result_file", Err(".json")),
            ("unit_id", Ok(self.unit_id)),
        ];
        for (index, (key, value)) in members.into_iter().enumerate() {
            copy.comma(index == 0);
            copy.line_break(3);
            copy.key(key);
            match value {
                Ok(raw) => copy.raw(raw, 3),
                Err(ending) => {
                    for part in ["\"", &id, ending, "\""] {
                        copy.out.extend_from_slice(part.as_bytes());
                    }
                }
            }
        }
        copy.line_break(2);
        copy.out.push(b'}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    fn answer(findings: &str, framework: &str) -> String {
        let ledger = format!("{{\"framework_version\": 1, \"findings\": {findings}}}");
        let framework = format!("{{\"framework_version\": 1, \"lenses\": {framework}}}");
        match build(&Ledger::read(&ledger).unwrap(), &parse(&framework).unwrap()) {
            Ok(plan) => format!("{} job(s)", plan.job_count()),
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
            ("[]", "[{\"lens_id\": 1, \"items\": [{}]}]", "0 job(s)"),
            ("[]", "[{\"items\": [{\"issue_id\": 1}]}]", "0 job(s)"),
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
                &odd(", \"quote\": 5, \"section\": [false]"),
                "[]",
                "present finding x lacks a confirmed quote receipt",
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
