//! The verdict on a draft, decided from its assessment alone, and the receipt that binds it.
//!
//! In: an assessment as a value. Out: the reasons against a PASS, in their fixed order, and the
//! receipt. No reason means PASS. Python's meanings hold: any truthy count counts, `0.0` is no
//! orphan, only `True` itself is true.

pub mod attestation;
pub mod outcome;
pub mod receipt;

use crate::gates::draft::Lang;
use crate::invariant::Invariant as _;
use crate::text::python::{Line, str_of};
use crate::value::{Object, Text, Value};

/// The parts of an assessment, in the order a missing one is named.
pub const PARTS: [&str; 6] = [
    "findings",
    "observation_completeness",
    "load_policy_result",
    "gate_results",
    "recount",
    "reconstruction",
];

/// `schema_version` of a receipt.
pub const SCHEMA_VERSION: &str = "1.0.0";

/// `evaluator` of a receipt.
pub const EVALUATOR: &str = "assign-blueprint-fidelity-evaluator";

/// Digits of a draft hash.
pub const HASH_DIGITS: usize = 64;

/// One reason against a PASS. Counts are kept as Python's `str` shows them, since any value may
/// stand in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The diagram gate did not pass; its status.
    DiagramGate(Text<'static>),
    /// The screen gate did not pass; its status.
    ScreenGate(Text<'static>),
    /// The recount found orphans.
    Orphans(Text<'static>),
    /// The recount and the screen gate disagree.
    Disagreement,
    /// Findings of high severity.
    HighFindings {
        /// How many.
        count: usize,
        /// Their ids, each the first of `id`, `criterion`, `?` that says something.
        ids: Vec<Text<'static>>,
    },
    /// Gaps without status or reason.
    SilentGaps(Text<'static>),
    /// Key screens that were not captured.
    KeyScreenGaps(Text<'static>),
    /// Requests or bytes beyond the budget.
    RequestBudget,
    /// More than one request at a time.
    Concurrency,
    /// Screenshots beyond the budget.
    ScreenshotBudget,
    /// Required top-level members are missing.
    TopLevelMissing(Text<'static>),
    /// Questions without answer.
    OpenQuestions(Text<'static>),
    /// The scaffold cannot be derived.
    NotDerivable,
}

impl Reason {
    /// The reason as the receipt's command prints it.
    pub fn japanese(&self) -> Text<'static> {
        let line = Line::new();
        match self {
            Self::DiagramGate(status) => line
                .plain("C10 mermaid-validate が pass でない (status=")
                .text(status)
                .plain(")"),
            Self::ScreenGate(status) => line
                .plain("C11 doc-emit --check-screens が pass でない (status=")
                .text(status)
                .plain(")"),
            Self::Orphans(count) => line
                .plain("非共有再計数で palette 孤児 ")
                .text(count)
                .plain(" 件検出"),
            Self::Disagreement => {
                line.plain("非共有再計数が C11 判定と不一致 (common-mode 誤りの疑い)")
            }
            Self::HighFindings { count, ids } => line
                .plain("high severity finding ")
                .display(count)
                .plain(" 件 (")
                .joined(ids, ", ")
                .plain(")"),
            Self::SilentGaps(count) => line
                .plain("無言欠落 ")
                .text(count)
                .plain(" 件 (not_observed+reason でない未取得 field)"),
            Self::KeyScreenGaps(count) => line.plain("鍵画面 gap ").text(count).plain(" 件"),
            Self::RequestBudget => line.plain("低負荷 policy 違反: request/byte budget 未充足"),
            Self::Concurrency => line.plain("低負荷 policy 違反: 対象 origin 並列 1 未充足"),
            Self::ScreenshotBudget => line.plain("低負荷 policy 違反: screenshot budget 未充足"),
            Self::TopLevelMissing(count) => line
                .plain("最小スカフォールド逆テスト: top-level 必須欠落 ")
                .text(count)
                .plain(" 件"),
            Self::OpenQuestions(count) => line
                .plain("最小スカフォールド逆テスト: 未回答質問 ")
                .text(count)
                .plain(" 件"),
            Self::NotDerivable => {
                line.plain("最小スカフォールド骨子を追加ヒアリングなしで導出できない")
            }
        }
        .done()
    }

    /// The reason in English, for people.
    pub fn english(&self) -> String {
        match self {
            Self::DiagramGate(status) => format!(
                "the diagram gate (mermaid-validate) did not pass: status `{}`",
                status.to_display()
            ),
            Self::ScreenGate(status) => format!(
                "the screen gate (doc-emit --check-screens) did not pass: status `{}`",
                status.to_display()
            ),
            Self::Orphans(count) => {
                let orphans = plural(count, "palette orphan", "palette orphans");
                format!("the recount found {orphans}")
            }
            Self::Disagreement => {
                "the recount and the screen gate disagree: one of them may be wrong".to_owned()
            }
            Self::HighFindings { count, ids } => {
                let ids: Vec<_> = ids.iter().map(Text::to_display).collect();
                let noun = if *count == 1 { "finding" } else { "findings" };
                format!("{count} {noun} of high severity: {}", ids.join(", "))
            }
            Self::SilentGaps(count) => {
                let gaps = plural(count, "silent gap", "silent gaps");
                format!("{gaps}: not captured, without status or reason")
            }
            Self::KeyScreenGaps(count) => {
                let screens = plural(count, "key screen was", "key screens were");
                format!("{screens} not captured")
            }
            Self::RequestBudget => "load policy: requests or bytes beyond the budget".to_owned(),
            Self::Concurrency => "load policy: more than one request at a time".to_owned(),
            Self::ScreenshotBudget => "load policy: screenshots beyond the budget".to_owned(),
            Self::TopLevelMissing(count) => {
                let members = plural(
                    count,
                    "required top-level member",
                    "required top-level members",
                );
                format!("reconstruction: {members} missing")
            }
            Self::OpenQuestions(count) => {
                let questions = plural(count, "open question", "open questions");
                format!("reconstruction: {questions}")
            }
            Self::NotDerivable => {
                "reconstruction: the scaffold cannot be derived without asking".to_owned()
            }
        }
    }

    /// The reason in `lang`.
    pub fn words(&self, lang: Lang) -> String {
        match lang {
            Lang::Ja => self.japanese().to_display().into_owned(),
            Lang::En => self.english(),
        }
    }

    /// Place in the assessment that decides it.
    pub const fn path(&self) -> &'static str {
        match self {
            Self::DiagramGate(_) => "$.gate_results.mermaid_validate.status",
            Self::ScreenGate(_) => "$.gate_results.doc_emit_check_screens.status",
            Self::Orphans(_) => "$.recount.orphan_count",
            Self::Disagreement => "$.recount.agrees_with_gate",
            Self::HighFindings { .. } => "$.findings",
            Self::SilentGaps(_) => "$.observation_completeness.silent_gaps",
            Self::KeyScreenGaps(_) => "$.observation_completeness.key_screen_gaps",
            Self::RequestBudget => "$.load_policy_result.within_budget",
            Self::Concurrency => "$.load_policy_result.concurrency_ok",
            Self::ScreenshotBudget => "$.load_policy_result.screenshot_budget_ok",
            Self::TopLevelMissing(_) => "$.reconstruction.top_level_missing",
            Self::OpenQuestions(_) => "$.reconstruction.open_questions",
            Self::NotDerivable => "$.reconstruction.scaffold_derivable",
        }
    }
}

/// A count of the assessment, which may be any text, and what it counts.
fn plural(count: &Text<'_>, one: &str, many: &str) -> String {
    let count = count.to_display();
    format!("`{count}` {}", if count == "1" { one } else { many })
}

/// An assessment from which nothing can be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// The assessment or one of its parts is no object.
    NotObject(&'static str),
    /// Required members are missing.
    Missing {
        /// The part, or `assessment`.
        part: &'static str,
        /// The members, in their fixed order.
        keys: Vec<&'static str>,
    },
    /// `findings` is no list.
    FindingsNotList,
}

impl Structure {
    /// The fault as the receipt's command prints it.
    pub fn japanese(&self) -> String {
        match self {
            Self::NotObject(part) => format!("{part} が object でない"),
            Self::Missing { part, keys } => {
                format!("{part} に必須キーが欠落: {}", keys.join(", "))
            }
            Self::FindingsNotList => "findings が配列でない".to_owned(),
        }
    }

    /// The fault in English.
    pub fn english(&self) -> String {
        match self {
            Self::NotObject(part) => format!("`{part}` is no object"),
            Self::Missing { part, keys } => {
                format!("`{part}` lacks required members: {}", keys.join(", "))
            }
            Self::FindingsNotList => "`findings` is no list".to_owned(),
        }
    }
}

impl std::fmt::Display for Structure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.english())
    }
}

impl std::error::Error for Structure {}

/// Decide: the reasons against a PASS, in their fixed order.
///
/// # Errors
/// [`Structure`] for the first part of the wrong shape, in the order the parts are looked at.
///
/// # Examples
/// ```
/// use gatewright::gates::verdict::{Structure, decide, word};
/// use gatewright::value::json::parse;
///
/// let text = include_str!("../../../python/gatewright/examples/assessment.json");
/// let assessment = parse(text).map_err(|_| "no JSON")?;
/// let reasons = decide(&assessment).map_err(|_| "no assessment")?;
/// assert_eq!(word(&reasons), "FAIL");
/// assert_eq!(reasons[0].english(), "the recount found `1` palette orphan");
/// let nothing = parse("{}").map_err(|_| "no JSON")?;
/// assert!(matches!(decide(&nothing), Err(Structure::Missing { .. } | Structure::NotObject(_))));
/// # Ok::<(), &str>(())
/// ```
pub fn decide(assessment: &Value<'_>) -> Result<Vec<Reason>, Structure> {
    let assessment = assessment
        .as_object()
        .ok_or(Structure::NotObject("assessment"))?;
    require(assessment, "assessment", &PARTS)?;
    let mut reasons = Vec::new();

    let gates = part(
        assessment,
        "gate_results",
        &["mermaid_validate", "doc_emit_check_screens"],
    )?;
    let status = |gate: &str| {
        let status = gates.get(gate).and_then(|gate| gate.get("status"));
        let status = status.unwrap_or(&Value::Null);
        (status != &Value::from("pass")).then(|| str_of(status))
    };
    reasons.extend(status("mermaid_validate").map(Reason::DiagramGate));
    reasons.extend(status("doc_emit_check_screens").map(Reason::ScreenGate));

    let recount = part(assessment, "recount", &["orphan_count", "agrees_with_gate"])?;
    let orphans = member(recount, "orphan_count");
    if orphans != &Value::Int(0) {
        reasons.push(Reason::Orphans(str_of(orphans)));
    }
    if !member(recount, "agrees_with_gate").is_true() {
        reasons.push(Reason::Disagreement);
    }

    let findings = member(assessment, "findings")
        .as_array()
        .ok_or(Structure::FindingsNotList)?;
    let ids: Vec<_> = findings
        .iter()
        .filter(|finding| finding.get("severity") == Some(&Value::from("high")))
        .map(|finding| {
            let named = ["id", "criterion"]
                .into_iter()
                .find_map(|key| finding.get(key).filter(|value| value.is_truthy()));
            named.map_or(Text::borrowed("?"), str_of)
        })
        .collect();
    if !ids.is_empty() {
        reasons.push(Reason::HighFindings {
            count: ids.len(),
            ids,
        });
    }

    let observation = part(
        assessment,
        "observation_completeness",
        &["silent_gaps", "key_screen_gaps"],
    )?;
    reasons.extend(counted(observation, "silent_gaps").map(Reason::SilentGaps));
    reasons.extend(counted(observation, "key_screen_gaps").map(Reason::KeyScreenGaps));

    let load = part(
        assessment,
        "load_policy_result",
        &["within_budget", "concurrency_ok"],
    )?;
    if !member(load, "within_budget").is_true() {
        reasons.push(Reason::RequestBudget);
    }
    if !member(load, "concurrency_ok").is_true() {
        reasons.push(Reason::Concurrency);
    }
    if matches!(load.get("screenshot_budget_ok"), Some(Value::Bool(false))) {
        reasons.push(Reason::ScreenshotBudget);
    }

    let reconstruction = part(
        assessment,
        "reconstruction",
        &["top_level_missing", "open_questions", "scaffold_derivable"],
    )?;
    reasons.extend(counted(reconstruction, "top_level_missing").map(Reason::TopLevelMissing));
    reasons.extend(counted(reconstruction, "open_questions").map(Reason::OpenQuestions));
    if !member(reconstruction, "scaffold_derivable").is_true() {
        reasons.push(Reason::NotDerivable);
    }
    Ok(reasons)
}

fn require(
    object: &Object<'_>,
    part: &'static str,
    keys: &[&'static str],
) -> Result<(), Structure> {
    let missing: Vec<_> = keys
        .iter()
        .copied()
        .filter(|key| !object.contains_key(key))
        .collect();
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Structure::Missing {
            part,
            keys: missing,
        })
    }
}

fn part<'o, 'a>(
    assessment: &'o Object<'a>,
    name: &'static str,
    keys: &[&'static str],
) -> Result<&'o Object<'a>, Structure> {
    let part = member(assessment, name)
        .as_object()
        .ok_or(Structure::NotObject(name))?;
    require(part, name, keys)?;
    Ok(part)
}

fn member<'o, 'a>(object: &'o Object<'a>, key: &str) -> &'o Value<'a> {
    object.get(key).unwrap_or(&Value::Null)
}

/// A count that is anything but nothing, as `str` shows it.
fn counted(object: &Object<'_>, key: &str) -> Option<Text<'static>> {
    let count = member(object, key);
    count.is_truthy().then(|| str_of(count))
}

/// `PASS` or `FAIL`.
pub const fn word(reasons: &[Reason]) -> &'static str {
    if reasons.is_empty() { "PASS" } else { "FAIL" }
}

/// The receipt that binds the verdict to a draft hash: the parts stand in it exactly as read.
pub fn receipt<'a>(
    assessment: &Value<'a>,
    draft_hash: &str,
    evaluated_at: Text<'a>,
    verdict: &'static str,
) -> Value<'a> {
    let mut receipt = Object::new();
    receipt.insert("schema_version", SCHEMA_VERSION);
    receipt.insert("verdict", verdict);
    receipt.insert("draft_hash", draft_hash.to_owned());
    receipt.insert("evaluated_at", Value::Str(evaluated_at));
    receipt.insert("evaluator", EVALUATOR);
    for part in PARTS {
        receipt.insert(
            part,
            assessment
                .get(part)
                .cloned()
                .holds("what was decided has every part"),
        );
    }
    Value::Object(receipt)
}

/// How many findings of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FindingCounts {
    /// Severity `high`.
    pub high: usize,
    /// Severity `medium`.
    pub medium: usize,
    /// Severity `low`.
    pub low: usize,
}

impl FindingCounts {
    /// Count the findings of an assessment; other severities are not counted.
    ///
    /// # Errors
    /// The number of a finding whose severity is a list or an object, which Python cannot look up.
    pub fn of(assessment: &Value<'_>) -> Result<Self, usize> {
        let findings = assessment.get("findings").and_then(Value::as_array);
        let mut counts = Self::default();
        for (at, finding) in findings.unwrap_or_default().iter().enumerate() {
            let Some(severity) = finding.get("severity") else {
                continue;
            };
            if !severity.is_hashable() {
                return Err(at);
            }
            match severity.as_text().and_then(Text::as_str) {
                Some("high") => counts.high += 1,
                Some("medium") => counts.medium += 1,
                Some("low") => counts.low += 1,
                _ => {}
            }
        }
        Ok(counts)
    }
}

/// The draft hash in `given`: trimmed and lower-cased, 64 of `0-9a-f`.
pub fn draft_hash(given: &Text<'_>) -> Option<String> {
    let hash = given.strip().as_str()?.to_lowercase();
    is_draft_hash(&hash).then_some(hash)
}

/// Whether `hash` is 64 of `0-9a-f`.
pub fn is_draft_hash(hash: &str) -> bool {
    hash.len() == HASH_DIGITS
        && hash
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Time of the run in +09:00, to the second, e.g. `2026-07-11T09:00:00+09:00`.
pub fn japan_time(seconds_since_epoch: i64) -> String {
    const DAY: i64 = 86_400;
    const OFFSET: i64 = 9 * 3_600;
    let local = seconds_since_epoch.saturating_add(OFFSET);
    let (days, second) = (local.div_euclid(DAY), local.rem_euclid(DAY));
    // Days to a date in the proleptic Gregorian calendar, by eras of 400 years from 1 March.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}+09:00",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    /// An assessment that passes.
    pub(crate) const PASSING: &str = r#"{"findings": [], "observation_completeness": {"silent_gaps": 0, "key_screen_gaps": 0, "reasoned_gaps": 3}, "load_policy_result": {"within_budget": true, "concurrency_ok": true, "notes": "ok"}, "gate_results": {"mermaid_validate": {"status": "pass", "exit_code": 0}, "doc_emit_check_screens": {"status": "pass", "exit_code": 0}}, "recount": {"orphan_count": 0, "agrees_with_gate": true, "observed_count": 5, "palette_count": 5}, "reconstruction": {"top_level_missing": 0, "open_questions": 0, "scaffold_derivable": true}}"#;

    fn reasons(text: &str) -> Vec<String> {
        decide(&parse(text).unwrap())
            .unwrap()
            .iter()
            .map(|reason| reason.japanese().to_display().into_owned())
            .collect()
    }

    #[test]
    fn nothing_against_it_is_a_pass() {
        assert_eq!(reasons(PASSING), Vec::<String>::new());
        let equal = PASSING.replace("\"orphan_count\": 0", "\"orphan_count\": false");
        assert_eq!(reasons(&equal), Vec::<String>::new());
    }

    #[test]
    fn every_condition_has_its_reason() {
        for (from, to, reason) in [
            (
                "\"mermaid_validate\": {\"status\": \"pass\"",
                "\"mermaid_validate\": {\"status\": [1]",
                "C10 mermaid-validate が pass でない (status=[1])",
            ),
            (
                "\"doc_emit_check_screens\": {\"status\": \"pass\", \"exit_code\": 0}",
                "\"doc_emit_check_screens\": 5",
                "C11 doc-emit --check-screens が pass でない (status=None)",
            ),
            (
                "\"orphan_count\": 0",
                "\"orphan_count\": 2",
                "非共有再計数で palette 孤児 2 件検出",
            ),
            (
                "\"agrees_with_gate\": true",
                "\"agrees_with_gate\": 1",
                "非共有再計数が C11 判定と不一致 (common-mode 誤りの疑い)",
            ),
            (
                "\"findings\": []",
                "\"findings\": [{\"severity\": \"high\", \"id\": 0, \"criterion\": \"CL-2\"}, {\"severity\": \"high\"}, 5]",
                "high severity finding 2 件 (CL-2, ?)",
            ),
            (
                "\"silent_gaps\": 0",
                "\"silent_gaps\": \"x\"",
                "無言欠落 x 件 (not_observed+reason でない未取得 field)",
            ),
            (
                "\"key_screen_gaps\": 0",
                "\"key_screen_gaps\": true",
                "鍵画面 gap True 件",
            ),
            (
                "\"within_budget\": true",
                "\"within_budget\": null",
                "低負荷 policy 違反: request/byte budget 未充足",
            ),
            (
                "\"concurrency_ok\": true",
                "\"concurrency_ok\": 1.0",
                "低負荷 policy 違反: 対象 origin 並列 1 未充足",
            ),
            (
                "\"concurrency_ok\": true",
                "\"concurrency_ok\": true, \"screenshot_budget_ok\": false",
                "低負荷 policy 違反: screenshot budget 未充足",
            ),
            (
                "\"top_level_missing\": 0",
                "\"top_level_missing\": 1.5",
                "最小スカフォールド逆テスト: top-level 必須欠落 1.5 件",
            ),
            (
                "\"open_questions\": 0",
                "\"open_questions\": {\"a\": 1}",
                "最小スカフォールド逆テスト: 未回答質問 {'a': 1} 件",
            ),
            (
                "\"scaffold_derivable\": true",
                "\"scaffold_derivable\": false",
                "最小スカフォールド骨子を追加ヒアリングなしで導出できない",
            ),
        ] {
            let changed = PASSING.replace(from, to);
            assert_ne!(changed, PASSING, "{from}");
            assert_eq!(reasons(&changed), [reason]);
        }
    }

    #[test]
    fn structure_is_looked_at_part_by_part() {
        let fault = |text: &str| decide(&parse(text).unwrap()).unwrap_err().japanese();
        assert_eq!(fault("[]"), "assessment が object でない");
        assert_eq!(
            fault("{\"recount\": 1, \"gate_results\": 1}"),
            "assessment に必須キーが欠落: findings, observation_completeness, load_policy_result, reconstruction"
        );
        let both = PASSING
            .replace("\"findings\": []", "\"findings\": {}")
            .replace("\"orphan_count\": 0, ", "");
        assert_eq!(fault(&both), "recount に必須キーが欠落: orphan_count");
        let list = PASSING.replace("\"findings\": []", "\"findings\": {}");
        assert_eq!(fault(&list), "findings が配列でない");
    }

    #[test]
    fn severities_are_counted_unless_one_cannot_be() {
        let counts = |findings: &str| {
            FindingCounts::of(&parse(&format!("{{\"findings\": {findings}}}")).unwrap())
        };
        assert_eq!(
            counts(
                "[{\"severity\":\"high\"},{\"severity\":\"low\"},{\"severity\":null},7,{\"severity\":\"HIGH\"}]"
            ),
            Ok(FindingCounts {
                high: 1,
                medium: 0,
                low: 1
            })
        );
        assert_eq!(counts("[{}, {\"severity\": []}]"), Err(1));
    }

    #[test]
    fn hashes_and_times_are_exact() {
        let upper = format!(" {}\n", "AB".repeat(32));
        assert_eq!(draft_hash(&Text::from(upper)), Some("ab".repeat(32)));
        assert_eq!(draft_hash(&Text::from("１".repeat(64))), None);
        assert_eq!(draft_hash(&Text::from("a".repeat(65))), None);
        assert_eq!(japan_time(0), "1970-01-01T09:00:00+09:00");
        assert_eq!(japan_time(951_836_399), "2000-02-29T23:59:59+09:00");
        assert_eq!(japan_time(1_772_290_800), "2026-03-01T00:00:00+09:00");
        assert_eq!(japan_time(-1_000_000_000), "1938-04-25T07:13:20+09:00");
    }
}
