//! The strict scorecard gate: the written contract, all of it.
//!
//! In: a scorecard, its artifact, the persona's banned phrases. Out: a [`Report`]: findings kept
//! with their stamped ids, findings dropped with a reason code, place and remedy. For each finding
//! the first reason that fits counts: missing and mistyped fields, severity, evidence, phrases.

mod document;
mod repair;
pub mod rules;
pub mod template;

pub use document::looks_like_scorecard;
pub use repair::{Repair, repaired};
pub use rules::RULES;

use self::document::Document;
use self::rules::{
    BANNED_PHRASE, CUT_TEXT, EVIDENCE_NOT_VERBATIM, EVIDENCE_TOO_SHORT, FIELD_NOT_TEXT,
    HEADER_FIELD, MISSING_FIELD, NO_FINDINGS_LIST, NO_PHRASES, NO_SUMMARY, NOT_A_MAPPING,
    REPEATED_MEMBER, STUB, UNKNOWN_SEVERITY,
};
use super::disguise::{Looks, Seen, shows_letter, shows_prose, visible_characters};
use super::ids::{draft_id, finding_id};
use super::judge::EVIDENCE_LEN_MIN;
use super::phrases::{FoldedText, Phrases};
use crate::detail::{Detail, Evidence, Quote, SourceText};
use crate::evidence::{Match, Prepared, reflowed_len};
use crate::finding::{Finding, Location, excerpt};
use crate::gates::quotes::{FLAGGED, answers, flag_names, location};
use crate::outcome::Outcome;
use crate::rule::Rule;
use crate::value::Text;
use crate::value::json::locate::ValuePath;
use crate::value::yaml::{YamlMap, YamlValue};
use serde_json::json;

/// Members of the front matter, in the template's order.
pub const HEADER: [&str; 3] = ["persona", "run_id", "findings"];

/// Fields of a finding, in the template's order.
pub const FIELDS: [&str; 7] = [
    "id", "target", "claim", "evidence", "ask", "severity", "category",
];

/// Severities, gravest first.
pub const SEVERITIES: [&str; 4] = ["blocker", "major", "minor", "nit"];

/// Severities of other reviewers and what they become when mapping is asked for.
pub const MAPPED_SEVERITIES: [(&str, &str); 3] =
    [("high", "major"), ("medium", "minor"), ("low", "nit")];

/// Persona of a JSON document that names none.
const UNNAMED_PERSONA: &str = "deep-scan";

/// How a scorecard is judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'p> {
    /// The persona's banned phrases; `None` when no list is known, which is worth a warning.
    pub phrases: Option<&'p Phrases>,
    /// Take high, medium and low for major, minor and nit.
    pub maps_severity: bool,
}

/// A finding that passes.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Position in `findings`, from 0.
    pub index: usize,
    /// The stamped id.
    pub id: String,
    /// The severity, mapped if need be.
    pub severity: &'static str,
    /// The severity as written, when it was mapped.
    pub mapped_from: Option<String>,
}

/// A finding that does not pass.
#[derive(Clone, Debug)]
pub struct Dropped {
    /// Position in `findings`, from 0.
    pub index: usize,
    /// Its id in the draft, or `finding-N`.
    pub id: String,
    /// Reason code.
    pub reason: &'static str,
    /// The banned phrase, as listed.
    pub phrase: Option<String>,
}

/// What became of one scorecard.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The persona as written; empty when there is none.
    pub persona: String,
    /// Findings that pass.
    pub kept: Vec<Kept>,
    /// Findings that do not.
    pub dropped: Vec<Dropped>,
    /// What is wrong, in order.
    pub findings: Vec<Finding>,
    /// The evidence of all findings that have some, with what became of it.
    pub quotes: Vec<Quote>,
}

// A reason to drop a finding.
struct Reason {
    code: &'static str,
    rule: &'static Rule,
    field: Option<&'static str>,
    message: String,
    remedy: Option<String>,
    phrase: Option<String>,
}

impl Reason {
    fn new(
        code: &'static str,
        rule: &'static Rule,
        field: Option<&'static str>,
        message: String,
    ) -> Self {
        Self {
            code,
            rule,
            field,
            message,
            remedy: None,
            phrase: None,
        }
    }
}

// What is wrong, before its place is known.
struct Noted {
    rule: &'static Rule,
    path: ValuePath,
    line: usize,
    message: String,
    remedy: Option<String>,
    related: Option<Location>,
}

// A finding whose fields and severity are sound.
struct Sound<'d> {
    index: usize,
    fields: &'d YamlMap,
    evidence: &'d Text<'static>,
    severity: &'static str,
    mapped_from: Option<String>,
}

// A finding that was dropped before its evidence was looked up.
struct Unsound<'d> {
    fields: &'d YamlMap,
    evidence: &'d Text<'static>,
    reason: &'static str,
}

impl<'d> Unsound<'d> {
    // Nothing when it has no evidence to show.
    fn new(fields: Option<&'d YamlMap>, reason: &Reason) -> Option<Self> {
        let fields = fields?;
        let evidence = text_in(fields, "evidence").filter(|evidence| !evidence.is_blank())?;
        Some(Self {
            fields,
            evidence,
            reason: reason.code,
        })
    }

    fn quote(&self, found: &Match) -> Quote {
        Quote {
            dropped: Some(self.reason.to_owned()),
            claim: text_of(self.fields.get("claim")),
            ..Quote::answered(text_of(self.fields.get("id")), self.evidence, found)
        }
    }
}

/// A scorecard that has been read and not yet judged.
#[derive(Debug)]
pub struct Draft<'b> {
    name: &'b str,
    document: Document<'b>,
}

impl<'b> Draft<'b> {
    /// Read the scorecard `name` that holds `bytes`.
    ///
    /// # Errors
    /// The whole report, when there is nothing to judge: no fences, no YAML, no JSON.
    pub fn read(name: &'b str, bytes: &'b [u8]) -> Result<Self, Box<Report>> {
        match Document::read(bytes) {
            Ok(document) => Ok(Self { name, document }),
            Err(unread) => {
                let mut at = Location::of_source(name);
                at.start = Some(unread.at);
                let findings = vec![Finding::new(unread.rule, at, unread.message)];
                Err(Box::new(Report {
                    findings,
                    ..Report::default()
                }))
            }
        }
    }

    /// The persona it names; empty when it names none.
    pub fn persona(&self) -> String {
        text_of(self.document.header.get("persona"))
    }

    /// Judge it by its artifact.
    pub fn check(&self, source_name: &str, source: &Prepared<'_>, options: Options<'_>) -> Report {
        let mut check = Check {
            name: self.name,
            source_name,
            source,
            options,
            document: &self.document,
            looks: options.phrases.map(Looks::of).unwrap_or_default(),
            report: Report::default(),
            noted: Vec::new(),
        };
        check.repeated();
        check.run();
        check.placed()
    }
}

/// Read and judge a scorecard.
pub fn check(
    name: &str,
    bytes: &[u8],
    source_name: &str,
    source: &Prepared<'_>,
    options: Options<'_>,
) -> Report {
    match Draft::read(name, bytes) {
        Ok(draft) => draft.check(source_name, source, options),
        Err(report) => *report,
    }
}

struct Check<'c> {
    name: &'c str,
    source_name: &'c str,
    source: &'c Prepared<'c>,
    options: Options<'c>,
    document: &'c Document<'c>,
    // The phrases as a reader sees them.
    looks: Looks,
    report: Report,
    noted: Vec<Noted>,
}

impl Check<'_> {
    // Members that stand twice: what one reader takes, another does not.
    fn repeated(&mut self) {
        for (path, line, name) in self.document.repeated() {
            let message = format!("`{}` stands twice in one mapping", excerpt(&name));
            self.note(&REPEATED_MEMBER, path, line, message);
        }
    }

    fn run(&mut self) {
        let document = self.document;
        let header = &document.header;
        if header.get("failure").is_some_and(YamlValue::is_truthy) {
            self.report.persona = text_of(header.get("persona"));
            self.note(
                &STUB,
                ValuePath::root().key("failure"),
                line_of(header, "failure"),
                "validation dropped all findings of this persona",
            );
            return;
        }
        let persona = self.header();
        let path = ValuePath::root().key("findings");
        let findings = match header.get("findings") {
            Some(YamlValue::List(findings)) => findings.as_slice(),
            None => {
                return self.note(
                    &NO_FINDINGS_LIST,
                    ValuePath::root(),
                    1,
                    "`findings` is missing",
                );
            }
            Some(other) => {
                let message = format!("`findings` is {}, expected a list", other.type_words());
                return self.note(
                    &NO_FINDINGS_LIST,
                    path,
                    line_of(header, "findings"),
                    message,
                );
            }
        };
        let says_why = if document.is_json {
            shows_letter(&document.body)
        } else {
            shows_prose(&document.body)
        };
        if findings.is_empty() && !says_why {
            let message = "`findings` is empty and no prose in the body says why";
            self.note(
                &NO_SUMMARY,
                path.clone(),
                line_of(header, "findings"),
                message,
            );
        }
        if self.options.phrases.is_none() && !findings.is_empty() {
            let message = format!(
                "no banned phrases are known for persona `{}`, so none were searched",
                excerpt(&persona)
            );
            self.note(
                &NO_PHRASES,
                ValuePath::root().key("persona"),
                line_of(header, "persona"),
                message,
            );
        }
        let mut sound = Vec::new();
        let mut unsound = Vec::new();
        for (index, finding) in findings.iter().enumerate() {
            self.cut(index, finding);
            match self.sound(index, finding) {
                Ok(finding) => sound.push(finding),
                Err(reason) => {
                    unsound.extend(Unsound::new(finding.as_map(), &reason));
                    self.drop(index, finding.as_map(), reason);
                }
            }
        }
        let of_sound = sound.iter().map(|finding| finding.evidence);
        let quotes: Vec<Text<'_>> = of_sound
            .chain(unsound.iter().map(|finding| finding.evidence))
            .map(|evidence| Text::from_wtf8(evidence.as_bytes().into()))
            .collect();
        let mut found = answers(self.source, &quotes).into_iter();
        for (finding, found) in sound.into_iter().zip(found.by_ref()) {
            self.judge(&persona, finding, found);
        }
        // What was dropped for another reason is shown with its evidence too.
        for (finding, found) in unsound.into_iter().zip(found) {
            self.report.quotes.push(finding.quote(&found));
        }
        self.report.dropped.sort_by_key(|dropped| dropped.index);
    }

    // Texts without quotes of which YAML takes a part away.
    fn cut(&mut self, index: usize, finding: &YamlValue) {
        let document = self.document;
        let Some(fields) = finding.as_map() else {
            return;
        };
        for field in FIELDS {
            if document.is_json {
                return;
            }
            let line = line_of(fields, field);
            if let Some((words, kind)) = document.cut(field, line) {
                let path = ValuePath::root().key("findings").index(index).key(field);
                let message = format!(
                    "`{field}` stands without quotes, and YAML takes `{}` for {kind}",
                    excerpt(&words)
                );
                self.note(&CUT_TEXT, path, line, message);
            }
        }
    }

    // `persona` and `run_id`; answers the persona that ids are made of.
    fn header(&mut self) -> String {
        let header = &self.document.header;
        for field in ["persona", "run_id"] {
            let path = ValuePath::root().key(field);
            let line = line_of(header, field).max(1);
            match header.get(field) {
                Some(YamlValue::Str(text)) if !text.is_blank() => {
                    if field == "persona"
                        && (text
                            .as_bytes()
                            .iter()
                            .any(|byte| matches!(byte, b'/' | b'\\' | 0))
                            || *text == "."
                            || *text == ".."
                            || text.strip().as_bytes() != text.as_bytes())
                    {
                        let message = format!(
                            "`persona` is `{}`, expected a name without path separators and blanks around it",
                            excerpt(&text.to_display())
                        );
                        let remedy =
                            "name the persona as its files are named, without `/` and `\\`";
                        self.note_with(
                            &HEADER_FIELD,
                            path,
                            line,
                            message,
                            Some(remedy.to_owned()),
                            None,
                        );
                    }
                }
                None if self.document.is_json => {}
                None | Some(YamlValue::Null) => {
                    self.note(&HEADER_FIELD, path, line, format!("`{field}` is missing"));
                }
                Some(YamlValue::Str(_)) => {
                    self.note(&HEADER_FIELD, path, line, format!("`{field}` is blank"));
                }
                Some(other) => {
                    let message = format!("`{field}` is {}, expected a text", other.type_words());
                    let remedy = format!("put the value of `{field}` in double quotes");
                    self.note_with(&HEADER_FIELD, path, line, message, Some(remedy), None);
                }
            }
        }
        self.report.persona = text_of(header.get("persona"));
        if self.report.persona.is_empty() && self.document.is_json {
            return UNNAMED_PERSONA.to_owned();
        }
        self.report.persona.clone()
    }

    // Fields, severity and length of evidence.
    fn sound<'d>(&self, index: usize, finding: &'d YamlValue) -> Result<Sound<'d>, Reason> {
        let YamlValue::Map(fields) = finding else {
            let message = format!("the entry is {}, expected a mapping", finding.type_words());
            return Err(Reason::new("not_a_mapping", &NOT_A_MAPPING, None, message));
        };
        for field in FIELDS {
            if matches!(fields.get(field), None | Some(YamlValue::Null)) {
                let message = format!("`{field}` is missing");
                let mut reason = Reason::new("missing_field", &MISSING_FIELD, Some(field), message);
                reason.remedy = Some(format!("add `{field}` as a text"));
                return Err(reason);
            }
        }
        for field in FIELDS {
            if let Some(value) = fields.get(field).filter(|value| value.as_text().is_none()) {
                let printed = excerpt(&value.to_printed().to_display());
                let message = format!(
                    "`{field}` is {} (`{printed}`), expected a text",
                    value.type_words()
                );
                let mut reason =
                    Reason::new("field_not_text", &FIELD_NOT_TEXT, Some(field), message);
                reason.remedy = Some(format!("put the value of `{field}` in double quotes"));
                return Err(reason);
            }
        }
        // An id is only a placeholder, evidence and severity have reasons of their own.
        for field in ["target", "claim", "ask", "category"] {
            if fields
                .get(field)
                .and_then(YamlValue::as_text)
                .is_some_and(Text::is_blank)
            {
                let mut reason = Reason::new(
                    "missing_field",
                    &MISSING_FIELD,
                    Some(field),
                    format!("`{field}` is blank"),
                );
                reason.remedy = Some(format!("fill in `{field}`"));
                return Err(reason);
            }
        }
        let (severity, mapped_from) = self.severity(&text_of(fields.get("severity")))?;
        let (Some(evidence), Some(_)) = (text_in(fields, "evidence"), text_in(fields, "claim"))
        else {
            return Err(Reason::new(
                "missing_field",
                &MISSING_FIELD,
                Some("evidence"),
                "`evidence` is missing".to_owned(),
            ));
        };
        let seen = visible_characters(&evidence.to_display());
        // Eight dashes stand in any artifact.
        let len = if seen.chars().any(char::is_alphanumeric) {
            reflowed_len(&seen)
        } else {
            0
        };
        if len < EVIDENCE_LEN_MIN {
            let message = format!(
                "evidence `{}` has {len} characters, expected at least {EVIDENCE_LEN_MIN} with a letter or digit among them",
                excerpt(&evidence.to_display())
            );
            return Err(Reason::new(
                "evidence_too_short",
                &EVIDENCE_TOO_SHORT,
                Some("evidence"),
                message,
            ));
        }
        Ok(Sound {
            index,
            fields,
            evidence,
            severity,
            mapped_from,
        })
    }

    fn severity(&self, written: &str) -> Result<(&'static str, Option<String>), Reason> {
        if let Some(severity) = SEVERITIES.into_iter().find(|severity| *severity == written) {
            return Ok((severity, None));
        }
        let mapped = MAPPED_SEVERITIES
            .into_iter()
            .find(|(from, _)| *from == written);
        if let (Some((_, severity)), true) = (mapped, self.options.maps_severity) {
            return Ok((severity, Some(written.to_owned())));
        }
        let message = format!(
            "severity is `{}`, expected blocker, major, minor or nit",
            excerpt(written)
        );
        let mut reason = Reason::new(
            "unknown_severity",
            &UNKNOWN_SEVERITY,
            Some("severity"),
            message,
        );
        reason.remedy =
            mapped.map(|(from, to)| format!("write `{to}`, or map `{from}` with `--map-severity`"));
        Err(reason)
    }

    // Evidence in place, then phrases.
    #[expect(clippy::needless_pass_by_value, reason = "the match is used up here")]
    fn judge(&mut self, persona: &str, finding: Sound<'_>, found: Match) {
        let reason = if found.grade.is_accepted() {
            self.phrase(finding.fields)
        } else {
            Some(not_verbatim(&found))
        };
        let id = match finding_id(
            persona,
            finding.fields.get("target"),
            finding.fields.get("claim"),
        ) {
            Ok(id) => id,
            Err(_) => draft_id(None, finding.index).to_display().into_owned(),
        };
        let shown_id = if reason.is_some() {
            text_of(finding.fields.get("id"))
        } else {
            id.clone()
        };
        self.report.quotes.push(Quote {
            dropped: reason.as_ref().map(|reason| reason.code.to_owned()),
            claim: text_of(finding.fields.get("claim")),
            ..Quote::answered(shown_id, finding.evidence, &found)
        });
        let stands = found.at.map(|_| location(self.source_name, &found));
        if let Some(reason) = reason {
            let related = if reason.rule.code == EVIDENCE_NOT_VERBATIM.code {
                stands
            } else {
                None
            };
            return self.drop_with(finding.index, Some(finding.fields), reason, related);
        }
        if !found.flags.is_empty() {
            let message = format!(
                "evidence is {} ({})",
                found.grade.name(),
                flag_names(&found)
            );
            let path = ValuePath::root()
                .key("findings")
                .index(finding.index)
                .key("evidence");
            self.note_with(
                &FLAGGED,
                path,
                line_of(finding.fields, "evidence"),
                message,
                None,
                stands,
            );
        }
        self.report.kept.push(Kept {
            index: finding.index,
            id,
            severity: finding.severity,
            mapped_from: finding.mapped_from,
        });
    }

    fn phrase(&self, fields: &YamlMap) -> Option<Reason> {
        let phrases = self.options.phrases.filter(|phrases| !phrases.is_empty())?;
        let text =
            |field: &str| text_in(fields, field).map_or_else(|| Text::borrowed(""), Clone::clone);
        let texts = [text("claim"), text("ask")];
        let plain = texts.each_ref().map(FoldedText::of);
        let seen = texts.each_ref().map(Seen::of);
        let index = (0..phrases.len()).find(|&index| {
            phrases
                .get(index)
                .is_some_and(|phrase| plain.iter().any(|text| phrase.is_in(text)))
                || seen.iter().any(|text| self.looks.is_in(index, text))
        })?;
        let phrase = phrases.get(index)?;
        let [plain_claim, plain_ask] = &plain;
        let [seen_claim, _] = &seen;
        let is_in_claim = phrase.is_in(plain_claim) || self.looks.is_in(index, seen_claim);
        let field = if is_in_claim { "claim" } else { "ask" };
        let is_disguised = !phrase.is_in(if is_in_claim { plain_claim } else { plain_ask });
        let shown = phrase.text.to_display().into_owned();
        let mut message = format!("{field} holds the banned phrase `{}`", excerpt(&shown));
        if is_disguised {
            message += " as a reader sees it, written with other characters";
        }
        let mut reason = Reason::new(
            "banned_phrase_detected",
            &BANNED_PHRASE,
            Some(field),
            message,
        );
        reason.remedy = Some(format!(
            "say what is wrong and what to do without `{}`",
            excerpt(&shown)
        ));
        reason.phrase = Some(shown);
        Some(reason)
    }

    fn drop(&mut self, index: usize, fields: Option<&YamlMap>, reason: Reason) {
        self.drop_with(index, fields, reason, None);
    }

    fn drop_with(
        &mut self,
        index: usize,
        fields: Option<&YamlMap>,
        reason: Reason,
        related: Option<Location>,
    ) {
        let id = draft_id(fields.and_then(|fields| fields.get("id")), index)
            .to_display()
            .into_owned();
        let mut path = ValuePath::root().key("findings").index(index);
        let mut line = fields.map_or(0, |fields| {
            fields.iter().next().map_or(0, |member| member.line)
        });
        if let (Some(field), Some(fields)) = (reason.field, fields)
            && fields.get(field).is_some()
        {
            path = path.key(field);
            line = line_of(fields, field);
        }
        if line == 0 {
            line = line_of(&self.document.header, "findings");
        }
        let message = format!(
            "finding `{}` dropped ({}): {}",
            excerpt(&id),
            reason.code,
            reason.message
        );
        self.note_with(reason.rule, path, line, message, reason.remedy, related);
        self.report.dropped.push(Dropped {
            index,
            id,
            reason: reason.code,
            phrase: reason.phrase,
        });
    }

    fn note(
        &mut self,
        rule: &'static Rule,
        path: ValuePath,
        line: usize,
        message: impl Into<String>,
    ) {
        self.note_with(rule, path, line, message.into(), None, None);
    }

    fn note_with(
        &mut self,
        rule: &'static Rule,
        path: ValuePath,
        line: usize,
        message: String,
        remedy: Option<String>,
        related: Option<Location>,
    ) {
        self.noted.push(Noted {
            rule,
            path,
            line,
            message,
            remedy,
            related,
        });
    }

    // The report, with every place filled in.
    fn placed(mut self) -> Report {
        let document = self.document;
        for noted in &mut self.noted {
            noted.path = document.path(std::mem::take(&mut noted.path));
        }
        self.noted.sort_by(|left, right| left.path.cmp(&right.path));
        let wanted: Vec<(ValuePath, usize)> = self
            .noted
            .iter()
            .map(|noted| (noted.path.clone(), noted.line))
            .collect();
        let places = if wanted.is_empty() {
            Vec::new()
        } else {
            self.document.places(&wanted)
        };
        for (noted, (span, start, end)) in self.noted.into_iter().zip(places) {
            let mut at = Location::at_path(self.name, noted.path.to_string());
            (at.span, at.start, at.end) = (span, start, end);
            let mut finding = Finding::new(noted.rule, at, noted.message);
            finding.remedy = noted.remedy.unwrap_or(finding.remedy);
            finding.related.extend(noted.related);
            self.report.findings.push(finding);
        }
        self.report
    }
}

fn not_verbatim(found: &Match) -> Reason {
    let difference = found.difference.as_deref().unwrap_or_default();
    let flags = if found.flags.is_empty() {
        String::new()
    } else {
        format!(" ({})", flag_names(found))
    };
    let message = format!("evidence is {}{flags}: {difference}", found.grade.name());
    let mut reason = Reason::new(
        "evidence_not_verbatim",
        &EVIDENCE_NOT_VERBATIM,
        Some("evidence"),
        message,
    );
    if let Some(at) = found.at {
        reason.remedy = Some(format!(
            "copy the passage at line {} of the artifact, character for character",
            at.start.line
        ));
    }
    reason
}

fn text_in<'d>(fields: &'d YamlMap, field: &str) -> Option<&'d Text<'static>> {
    fields.get(field).and_then(YamlValue::as_text)
}

fn text_of(value: Option<&YamlValue>) -> String {
    value
        .and_then(YamlValue::as_text)
        .map_or(String::new(), |text| text.to_display().into_owned())
}

fn line_of(map: &YamlMap, key: &str) -> usize {
    map.member(key).map_or(0, |member| member.line)
}

/// The outcome of one scorecard; `source` is given when reports are to show quotes in context.
pub fn outcome(name: &str, report: Report, source: Option<(&str, &str)>) -> Outcome {
    let Report {
        persona,
        kept,
        dropped,
        findings,
        quotes,
    } = report;
    let mut outcome = Outcome::from_findings("scorecard check", findings);
    name.clone_into(&mut outcome.subject);
    let kept_facts: Vec<_> = kept
        .iter()
        .map(|kept| json!({"index": kept.index, "id": kept.id, "severity": kept.severity, "mapped_from": kept.mapped_from}))
        .collect();
    let dropped_facts: Vec<_> = dropped
        .iter()
        .map(|dropped| json!({"index": dropped.index, "id": dropped.id, "reason": dropped.reason, "phrase": dropped.phrase}))
        .collect();
    outcome.summary = format!("{} kept, {} dropped", kept.len(), dropped.len());
    for (from, to) in MAPPED_SEVERITIES {
        let count = kept
            .iter()
            .filter(|kept| kept.mapped_from.as_deref() == Some(from))
            .count();
        if count > 0 {
            let count = count.to_string();
            outcome
                .summary
                .extend([", severity mapped from ", from, " to ", to, ": ", &count]);
        }
    }
    let facts = [
        ("persona", json!(persona)),
        ("findings_kept", json!(kept.len())),
        ("findings_dropped", json!(dropped.len())),
        ("kept", json!(kept_facts)),
        ("dropped", json!(dropped_facts)),
    ];
    outcome.facts.extend(
        facts
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value)),
    );
    if let Some((source_name, text)) = source.filter(|_| !quotes.is_empty()) {
        outcome.details.push(Detail::Evidence(Evidence {
            sources: vec![SourceText {
                name: source_name.to_owned(),
                text: text.into(),
            }],
            quotes,
        }));
    }
    outcome
}

#[cfg(test)]
mod tests;
