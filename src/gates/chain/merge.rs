//! Checker results merged into the ledger.
//!
//! In: ledger, checker plan, the names found in the results folder and the value of each result.
//! Out: the checked ledger with its counts, or what stands against the merge. The plan must fit
//! this very ledger, and every planned result must be there, be well-formed and name its finding.

use super::document::{Edit, Raw, Sink, object};
use super::{Input, Key, Ledger, Listing, NULL, Record, Stop, is_present, odd_member};
use crate::text::python::Line;
use crate::value::{Text, Value};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeSet;
use std::io;

/// What a checker may say.
pub const VERDICTS: [&str; 3] = ["confirmed", "refuted", "unresolved"];
/// The members of a result, no more and no less.
pub const RESULT_KEYS: [&str; 4] = ["checker_plan_id", "finding_id", "objection", "verdict"];

/// Keys that the ledger must have.
pub const LEDGER_KEYS: [&str; 2] = ["framework_version", "findings"];
/// Keys that the plan must have.
pub const PLAN_KEYS: [&str; 4] = [
    "framework_version",
    "jobs",
    "plan_id",
    "source_findings_digest",
];

/// Checks that plan and ledger belong together: version, digest, the plan's own id.
///
/// # Errors
/// The recorded sentence of the first check that fails.
pub fn check_identity(ledger: &Ledger<'_>, plan: &Listing<'_>) -> Result<(), Stop> {
    let of_plan = |key: &str| plan.get(key).unwrap_or(NULL);
    if ledger.get("framework_version").unwrap_or(NULL) != of_plan("framework_version") {
        return Err(Stop::said("findings and checker plan versions differ"));
    }
    if Value::from(ledger.digest()) != *of_plan("source_findings_digest") {
        return Err(Stop::said("checker plan is stale for this findings ledger"));
    }
    let id = super::plan::plan_id(plan.digest_without("plan_id"));
    if Value::from(id) != *of_plan("plan_id") {
        return Err(Stop::said("checker plan ID does not match its contents"));
    }
    Ok(())
}

/// The planned jobs: result file and finding of each, in the order of the plan.
#[derive(Clone, Debug)]
pub struct Jobs<'a> {
    jobs: Vec<(Text<'a>, Text<'a>)>,
}

/// Of each finding its id as Python compares it, and whether it is present.
type Seen<'a> = Vec<Result<(Key<'a>, bool), Stop>>;

/// Of each job the finding and the result file, when they are texts; or what is no object.
type Planned<'a> = Vec<Result<(Option<Text<'a>>, Option<Text<'a>>), Stop>>;

/// Checks that the plan covers exactly the present findings, each once, with safe file names.
///
/// # Errors
/// The recorded sentence of the first check that fails; unusable for odd shapes.
pub fn check_coverage<'a>(ledger: &Ledger<'a>, plan: &Listing<'a>) -> Result<Jobs<'a>, Stop> {
    let parts = ledger.visit(|index, finding, seen: &mut Seen<'a>| {
        seen.push(is_present(finding, index).and_then(|is_present| {
            let key = Key::of(&finding.value_of("finding_id"));
            key.map(|key| (key, is_present))
                .ok_or_else(|| odd_member(finding, "finding_id", index, "string"))
        }));
    })?;
    let mut ids = HashSet::with_capacity(ledger.count()?);
    let mut repeats = false;
    let mut present = HashSet::new();
    let mut invalid_present = false;
    for seen in parts.into_iter().flatten() {
        let (key, is_present) = seen?;
        if is_present {
            match &key {
                Key::Text(text) if !text.is_empty() => {
                    present.insert(text.clone());
                }
                Key::Text(_) | Key::Number(_) | Key::Null => invalid_present = true,
            }
        }
        repeats |= !ids.insert(key);
    }
    if repeats {
        return Err(Stop::said("findings ledger repeats a finding_id"));
    }
    drop(ids);
    let parts = plan.visit(|index, job, planned: &mut Planned<'a>| {
        planned.push(if job.is_object() {
            Ok((job.named("finding_id"), job.named("result_file")))
        } else {
            let place = format!("$.jobs[{index}]");
            Err(Stop::odd_type(Input::Plan, place, &job.value(), "object"))
        });
    })?;
    let mut findings = Vec::with_capacity(plan.count()?);
    let mut files = Vec::with_capacity(plan.count()?);
    for planned in parts.into_iter().flatten() {
        let (finding, file) = planned?;
        match finding {
            Some(id) => findings.push(id),
            None => return Err(Stop::said("checker plan has an invalid finding ID")),
        }
        files.push(file);
    }
    if invalid_present {
        return Err(Stop::said("present finding has an invalid finding ID"));
    }
    let unique: HashSet<&Text<'_>> = findings.iter().collect();
    if unique.len() != findings.len() {
        return Err(Stop::said("checker plan repeats a finding ID"));
    }
    let Some(files) = files.into_iter().collect::<Option<Vec<_>>>() else {
        return Err(Stop::said("checker plan has an invalid result filename"));
    };
    if files.iter().any(|name| !is_safe_name(name)) {
        return Err(Stop::said("checker plan result filename is unsafe"));
    }
    if files.iter().collect::<HashSet<_>>().len() != files.len() {
        return Err(Stop::said("checker plan repeats a result filename"));
    }
    let is_covered =
        unique.len() == present.len() && findings.iter().all(|id| present.contains(id));
    drop(unique);
    if !is_covered {
        return Err(Stop::said(
            "checker plan does not cover every present finding",
        ));
    }
    Ok(Jobs {
        jobs: files.into_iter().zip(findings).collect(),
    })
}

/// A bare file name with the suffix `.json`; `.json` alone is a name without suffix.
fn is_safe_name(name: &Text<'_>) -> bool {
    let bytes = name.as_bytes();
    bytes != b".json" && bytes.ends_with(b".json") && !bytes.contains(&b'/')
}

/// What one checker said of one finding.
#[derive(Clone, Debug)]
pub struct Opinion {
    objection: Text<'static>,
    verdict: &'static str,
}

impl Opinion {
    /// The opinion in a result with nothing wrong in it; anything else is for [`Results::take`].
    pub fn of_clean(text: &str, plan_id: &Value<'_>, finding: &Text<'_>) -> Option<Self> {
        let result = Record::of(text)?;
        let text_of = |key: &str| result.get(key).and_then(Raw::text);
        if result.len() != RESULT_KEYS.len()
            || text_of("checker_plan_id").as_ref() != plan_id.as_text()
            || text_of("finding_id").as_ref() != Some(finding)
        {
            return None;
        }
        let said = text_of("verdict")?;
        let verdict = VERDICTS.into_iter().find(|verdict| said == **verdict)?;
        let objection = text_of("objection")?;
        (verdict == "confirmed" || !objection.is_blank()).then(|| Self {
            objection: objection.into_owned(),
            verdict,
        })
    }
}

/// The results as they come in, and what is wrong with them.
#[derive(Clone, Debug)]
pub struct Results<'a> {
    errors: Vec<Text<'static>>,
    opinions: HashMap<Text<'a>, Opinion>,
    /// Ids that results named, as Python compares them.
    seen: HashSet<Key<'a>>,
}

impl<'a> Jobs<'a> {
    /// Result file and finding of each job.
    pub fn iter(&self) -> impl Iterator<Item = (&Text<'a>, &Text<'a>)> {
        self.jobs.iter().map(|(file, finding)| (file, finding))
    }

    /// Compares the planned files with the names of the folder that end in `.json`.
    pub fn compare<T>(&self, found: &HashMap<Text<'_>, T>) -> Results<'a> {
        let planned: HashSet<&[u8]> = self.jobs.iter().map(|(file, _)| file.as_bytes()).collect();
        let mut errors = Vec::new();
        let missing: BTreeSet<&Text<'_>> = self
            .jobs
            .iter()
            .map(|(file, _)| file)
            .filter(|file| !found.contains_key(file.as_bytes()))
            .collect();
        if !missing.is_empty() {
            errors.push(
                Line::new()
                    .plain("missing result file(s): ")
                    .joined(missing, ", ")
                    .done(),
            );
        }
        let mut unexpected: Vec<&Text<'_>> = found
            .keys()
            .filter(|name| !planned.contains(name.as_bytes()))
            .collect();
        unexpected.sort();
        if !unexpected.is_empty() {
            errors.push(
                Line::new()
                    .plain("unexpected result file(s): ")
                    .joined(unexpected, ", ")
                    .done(),
            );
        }
        Results {
            errors,
            opinions: HashMap::new(),
            seen: HashSet::new(),
        }
    }
}

impl<'a> Results<'a> {
    /// Takes a result with nothing wrong in it.
    pub fn accept(&mut self, finding: &Text<'a>, opinion: Opinion) {
        if self.seen.insert(Key::Text(finding.clone())) {
            self.opinions.insert(finding.clone(), opinion);
        } else {
            self.repeats(finding);
        }
    }

    fn repeats(&mut self, finding: &Text<'_>) {
        let text = Line::new().plain("checker result repeats ").text(finding);
        self.errors.push(text.done());
    }

    /// Takes the result in `file`, which must be of the finding `finding` and the plan `plan_id`.
    pub fn take(
        &mut self,
        plan_id: &Value<'_>,
        file: &Text<'_>,
        finding: &Text<'_>,
        result: &Value<'_>,
    ) {
        let said = |words: &str| Line::new().text(file).plain(words).done();
        let Value::Object(members) = result else {
            self.errors.push(said(" has invalid keys"));
            return;
        };
        if members.len() != RESULT_KEYS.len()
            || !RESULT_KEYS.iter().all(|key| members.contains_key(key))
        {
            self.errors.push(said(" has invalid keys"));
            return;
        }
        let member = |key: &str| members.get(key).unwrap_or(NULL);
        if member("checker_plan_id") != plan_id {
            self.errors.push(said(" carries a stale checker plan ID"));
        }
        let named = member("finding_id");
        if *named != Value::Str(finding.clone()) {
            self.errors.push(said(" carries the wrong finding ID"));
        }
        let verdict = VERDICTS
            .iter()
            .find(|verdict| *member("verdict") == Value::from(**verdict));
        if verdict.is_none() {
            self.errors.push(
                Line::new()
                    .text(file)
                    .plain(" has invalid verdict ")
                    .repr(member("verdict"))
                    .done(),
            );
        }
        let objection = member("objection").as_text();
        if objection.is_none() {
            self.errors.push(said(" has a non-string objection"));
        }
        if verdict != Some(&"confirmed") && objection.is_none_or(Text::is_blank) {
            self.errors
                .push(said(" must explain a non-confirming verdict"));
        }
        // A list or an object is the wrong id, told above, and cannot be in a set.
        if let Some(key) = Key::of(named)
            && !self.seen.insert(key.into_owned())
        {
            self.repeats(&crate::text::python::str_of(named));
        }
        if let (Some(verdict), Some(objection)) = (verdict, objection) {
            self.opinions.insert(
                finding.clone().into_owned(),
                Opinion {
                    objection: objection.clone().into_owned(),
                    verdict,
                },
            );
        }
    }

    /// Whether nothing stands against the merge so far.
    pub fn is_clean(&self) -> bool {
        self.errors.is_empty()
    }

    /// Everything that stands against the merge, sorted and joined.
    ///
    /// # Errors
    /// When anything does.
    pub fn check(&mut self) -> Result<(), Stop> {
        if self.errors.is_empty() {
            return Ok(());
        }
        Err(Stop::faults(std::mem::take(&mut self.errors)))
    }

    /// Writes the ledger with a verification receipt in every planned finding; no faults may be
    /// left, see [`Results::check`].
    ///
    /// # Errors
    /// Those of `sink`.
    pub fn apply(&self, ledger: &Ledger<'_>, sink: &mut Sink<'_>) -> io::Result<Merged> {
        let change = |_, finding: &Record<'_>, counts: &mut Merged| {
            let id = finding.get("finding_id").and_then(Raw::text);
            let Some(opinion) = id.and_then(|id| self.opinions.get(id.as_bytes())) else {
                return Edit::Keep;
            };
            let receipt = object([
                ("checker", Value::from("independent")),
                ("objection", Value::Str(opinion.objection.clone())),
                ("status", Value::from(opinion.verdict)),
            ]);
            let receipt = ("verification", Some(Value::Object(receipt)));
            if opinion.verdict == "confirmed" {
                counts.confirmed_count += 1;
                return Edit::Change(vec![receipt]);
            }
            counts.changed_count += 1;
            Edit::Change(vec![("status", Some(Value::from("unresolved"))), receipt])
        };
        let parts: Vec<Merged> = ledger.rewrite(change, sink)?;
        Ok(Merged {
            confirmed_count: parts.iter().map(|part| part.confirmed_count).sum(),
            changed_count: parts.iter().map(|part| part.changed_count).sum(),
        })
    }
}

/// What became of the present findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Findings whose checker confirmed them.
    pub confirmed_count: usize,
    /// Findings that are unresolved now.
    pub changed_count: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::chain::plan;
    use crate::value::json::parse;

    const LEDGER: &str = r#"{"framework_version": 1, "findings": [
        {"finding_id": "a/1", "issue_id": "a", "lens_id": "l", "status": "present", "section": "1",
         "quote": "q", "quote_verification": {"status": "confirmed"}, "verification": 5},
        {"finding_id": "b/1", "status": "absent"}]}"#;
    const FRAMEWORK: &str =
        r#"{"framework_version": 1.0, "lenses": [{"lens_id": "l", "items": [{"issue_id": "a"}]}]}"#;

    fn planned(ledger: &Ledger<'_>) -> String {
        let framework = parse(FRAMEWORK).unwrap();
        let plan = plan::build(ledger, &framework).unwrap();
        let mut written = Vec::new();
        let mut sink = |bytes: &[u8]| {
            written.extend_from_slice(bytes);
            Ok(())
        };
        plan.write(&mut sink).unwrap();
        String::from_utf8(written).unwrap()
    }

    fn said(stop: &Stop) -> String {
        match stop {
            Stop::Said(text) => text.to_display().into_owned(),
            Stop::Faults(texts) => Line::new()
                .joined(texts, "; ")
                .done()
                .to_display()
                .into_owned(),
            Stop::Unusable { .. } => panic!("{stop:?}"),
        }
    }

    /// What the merge of one result says, or the merged ledger.
    fn merged(result: &str) -> Result<String, String> {
        let ledger = Ledger::read(LEDGER).unwrap();
        let text = planned(&ledger);
        let plan = Listing::read_plan(&text).unwrap();
        check_identity(&ledger, &plan).unwrap();
        let jobs = check_coverage(&ledger, &plan).unwrap();
        let (file, finding) = jobs.iter().next().unwrap();
        let mut results = jobs.compare(&HashMap::from([(file.clone().into_owned(), ())]));
        let id = plan
            .get("plan_id")
            .unwrap()
            .as_text()
            .unwrap()
            .to_display()
            .into_owned();
        let result = result.replace("PLAN", &id);
        let id = plan.get("plan_id").unwrap();
        results.take(id, file, finding, &parse(&result).unwrap());
        results
            .check()
            .map_err(|stop| said(&stop).replace(&*file.to_display(), "FILE"))?;
        let mut written = Vec::new();
        let mut sink = |bytes: &[u8]| {
            written.extend_from_slice(bytes);
            Ok(())
        };
        results.apply(&ledger, &mut sink).unwrap();
        Ok(String::from_utf8(written).unwrap())
    }

    #[test]
    fn a_refuted_finding_becomes_unresolved() {
        let text = merged(r#"{"checker_plan_id": "PLAN", "finding_id": "a/1", "verdict": "refuted", "objection": "no"}"#).unwrap();
        let value = parse(&text).unwrap();
        let finding = &value.get("findings").unwrap().as_array().unwrap()[0];
        assert_eq!(finding.get("status"), Some(&Value::from("unresolved")));
        assert_eq!(
            finding.get("verification"),
            Some(
                &parse(r#"{"checker": "independent", "objection": "no", "status": "refuted"}"#)
                    .unwrap()
            )
        );
    }

    #[test]
    fn every_fault_of_a_result_is_told() {
        for (result, want) in [
            ("[]", "FILE has invalid keys"),
            ("null", "FILE has invalid keys"),
            (
                r#"{"checker_plan_id": "PLAN", "finding_id": "a/1", "verdict": "confirmed"}"#,
                "FILE has invalid keys",
            ),
            (
                r#"{"checker_plan_id": 1, "finding_id": ["x"], "verdict": {}, "objection": null}"#,
                "FILE carries a stale checker plan ID; FILE carries the wrong finding ID; FILE has a non-string objection; \
                 FILE has invalid verdict {}; FILE must explain a non-confirming verdict",
            ),
        ] {
            assert_eq!(merged(result).unwrap_err(), want, "{result}");
        }
    }

    #[test]
    fn ids_repeat_as_python_compares_them() {
        for (ids, repeats) in [
            ("1, true", true),
            ("1, 1.0", true),
            ("0, -0.0", true),
            ("null, null", true),
            ("1, \"1\"", false),
            ("1.5, 2.5", false),
        ] {
            let findings: Vec<String> = ids
                .split(", ")
                .map(|id| format!("{{\"finding_id\": {id}}}"))
                .collect();
            let text = format!("{{\"findings\": [{}]}}", findings.join(","));
            let ledger = Ledger::read(&text).unwrap();
            let plan = Listing::read_plan("{\"jobs\": []}").unwrap();
            let answer = check_coverage(&ledger, &plan);
            assert_eq!(answer.is_err(), repeats, "{ids}");
        }
    }

    #[test]
    fn a_changed_plan_or_ledger_is_noticed() {
        let ledger = Ledger::read(LEDGER).unwrap();
        let text = planned(&ledger);
        for (from, to, want) in [
            (
                "\"framework_version\": 1",
                "\"framework_version\": 2",
                "findings and checker plan versions differ",
            ),
            (
                "\"source_review_plan_id\": null",
                "\"source_review_plan_id\": 1",
                "checker plan ID does not match its contents",
            ),
            (
                "\"source_findings_digest\": \"",
                "\"source_findings_digest\": \"x",
                "checker plan is stale for this findings ledger",
            ),
        ] {
            let changed = text.replace(from, to);
            let stop = check_identity(&ledger, &Listing::read_plan(&changed).unwrap()).unwrap_err();
            assert_eq!(said(&stop), want);
        }
    }
}
