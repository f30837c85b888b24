//! Keep or drop: the recorded command's judgement of a draft's findings.
//!
//! In: the draft's front matter, the artifact in comparable form, the banned phrases, the persona.
//! Out: [`Judgement`], the kept findings stamped with their ids and the drops with their reasons;
//! or a [`Fault`] where the recorded program broke off.

use super::ids::{draft_id, finding_id};
use super::normalise::normalise_quotation;
use super::phrases::{FoldedText, Phrases};
use crate::text::Text;
use crate::value::yaml::{YamlMap, YamlValue};
use std::fmt;

/// Code points that evidence must have at least, in comparable form.
pub const EVIDENCE_LEN_MIN: usize = 8;

/// Why a finding is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// Fewer than [`EVIDENCE_LEN_MIN`] code points.
    EvidenceTooShort,
    /// Not in the artifact.
    EvidenceNotVerbatim,
    /// A banned phrase in claim or ask.
    BannedPhraseDetected,
}

impl DropReason {
    /// The code that scorecard and manifest show.
    pub const fn code(self) -> &'static str {
        match self {
            Self::EvidenceTooShort => "evidence_too_short",
            Self::EvidenceNotVerbatim => "evidence_not_verbatim",
            Self::BannedPhraseDetected => "banned_phrase_detected",
        }
    }
}

/// A finding that does not pass.
#[derive(Clone, Debug)]
pub struct Drop {
    /// Its id in the draft, or `finding-N`.
    pub id: Text<'static>,
    /// Why.
    pub reason: DropReason,
    /// The phrase, spelled as it is listed.
    pub phrase: Option<Text<'static>>,
}

/// A finding that passes.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Its place in the draft's list, from 0.
    pub index: usize,
    /// All of its fields, and the stamped `id`.
    pub finding: YamlMap,
}

/// What became of a draft's findings.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// Findings that pass, in order.
    pub kept: Vec<Kept>,
    /// The others.
    pub dropped: Vec<Drop>,
}

impl Judgement {
    /// Whether the scorecard becomes a stub: something was dropped and nothing kept.
    pub fn is_stub(&self) -> bool {
        self.kept.is_empty() && !self.dropped.is_empty()
    }
}

/// A shape that cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where in the front matter, e.g. `findings[2].claim`; empty for the whole.
    pub place: String,
    /// What stands there and what is wanted.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            return out.write_str(&self.reason);
        }
        write!(out, "{}: {}", self.place, self.reason)
    }
}

fn wanted(place: impl Into<String>, wanted: &str, found: &YamlValue) -> Fault {
    Fault {
        place: place.into(),
        reason: format!("{wanted} is wanted, found {}", found.type_words()),
    }
}

/// The draft's mapping; whatever counts as nothing is an empty one.
///
/// # Errors
/// [`Fault`] for any other type.
pub fn front_matter_map(front_matter: YamlValue) -> Result<YamlMap, Fault> {
    if let YamlValue::Map(map) = front_matter {
        return Ok(map);
    }
    if front_matter.is_truthy() {
        return Err(wanted("front matter", "a mapping", &front_matter));
    }
    Ok(YamlMap::new())
}

/// Judge the findings of a draft, in order.
///
/// # Errors
/// [`Fault`] for `findings` that is no list, an entry that is no mapping, a claim or ask that must be
/// searched and is no text, a target or claim that cannot be hashed.
pub fn judge(
    draft: &YamlMap,
    artifact: &str,
    phrases: &Phrases,
    persona: &str,
) -> Result<Judgement, Fault> {
    let mut judgement = Judgement::default();
    let findings = match draft.get("findings") {
        Some(YamlValue::List(findings)) => findings.as_slice(),
        Some(other) if other.is_truthy() => return Err(wanted("findings", "a list", other)),
        Some(_) | None => &[],
    };
    for (index, finding) in findings.iter().enumerate() {
        let YamlValue::Map(finding) = finding else {
            return Err(wanted(format!("findings[{index}]"), "a mapping", finding));
        };
        if let Some((reason, phrase)) = drop_reason(finding, index, artifact, phrases)? {
            judgement.dropped.push(Drop {
                id: draft_id(finding.get("id"), index),
                reason,
                phrase,
            });
            continue;
        }
        let id =
            finding_id(persona, finding.get("target"), finding.get("claim")).map_err(|_| {
                Fault {
                    place: format!("findings[{index}]"),
                    reason: String::from(
                        "a lone surrogate in target or claim, which UTF-8 cannot carry",
                    ),
                }
            })?;
        let mut finding = finding.clone();
        finding.insert("id", YamlValue::from_text(&id));
        judgement.kept.push(Kept { index, finding });
    }
    Ok(judgement)
}

type Reason = (DropReason, Option<Text<'static>>);

fn drop_reason(
    finding: &YamlMap,
    index: usize,
    artifact: &str,
    phrases: &Phrases,
) -> Result<Option<Reason>, Fault> {
    let evidence = match finding.get("evidence") {
        None | Some(YamlValue::Null) => Text::borrowed(""),
        Some(evidence) => normalise_quotation(&evidence.to_printed()),
    };
    if evidence.len() < EVIDENCE_LEN_MIN {
        return Ok(Some((DropReason::EvidenceTooShort, None)));
    }
    // Bytes decide: both sides are UTF-8, and a lone surrogate stands in no artifact.
    if memchr::memmem::find(artifact.as_bytes(), evidence.as_bytes()).is_none() {
        return Ok(Some((DropReason::EvidenceNotVerbatim, None)));
    }
    // Each field is folded when it is first searched, and refused only then.
    let mut claim = None;
    let mut ask = None;
    for phrase in phrases {
        for (field, folded) in [("claim", &mut claim), ("ask", &mut ask)] {
            let text = match folded {
                Some(text) => text,
                None => folded.insert(searchable(finding, index, field)?),
            };
            if phrase.is_in(text) {
                return Ok(Some((
                    DropReason::BannedPhraseDetected,
                    Some(phrase.text.clone()),
                )));
            }
        }
    }
    Ok(None)
}

fn searchable(finding: &YamlMap, index: usize, field: &str) -> Result<FoldedText, Fault> {
    match finding.get(field) {
        Some(YamlValue::Str(text)) => Ok(FoldedText::of(text)),
        Some(other) if other.is_truthy() => {
            Err(wanted(format!("findings[{index}].{field}"), "text", other))
        }
        Some(_) | None => Ok(FoldedText::of(&Text::borrowed(""))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::normalise::normalise_artifact;
    use super::*;
    use crate::value::yaml::parse_yaml;

    type Row = (String, &'static str, Option<String>);

    fn judged(yaml: &str) -> Result<(usize, Vec<Row>), String> {
        let draft = front_matter_map(parse_yaml(yaml.as_bytes()).unwrap())
            .map_err(|fault| fault.to_string())?;
        let artifact = normalise_artifact("alpha beta gamma\n12: delta epsilon\n");
        let phrases = Phrases::of_texts(["consider", "be aware of"]);
        let judgement =
            judge(&draft, &artifact, &phrases, "rev").map_err(|fault| fault.to_string())?;
        let show = |text: &Text<'_>| text.to_display().into_owned();
        let dropped = judgement
            .dropped
            .iter()
            .map(|drop| {
                (
                    show(&drop.id),
                    drop.reason.code(),
                    drop.phrase.as_ref().map(show),
                )
            })
            .collect();
        Ok((judgement.kept.len(), dropped))
    }

    #[test]
    fn the_first_reason_that_fits_drops_a_finding() {
        let draft = "findings:\n\
            - {evidence: gamma delta, claim: 'ok'}\n\
            - {evidence: tiny, claim: consider, id: a}\n\
            - {evidence: alpha gamma, claim: consider}\n\
            - {evidence: alpha beta, claim: x, ask: Consider it}\n\
            - {evidence: alpha beta, claim: be aware of, ask: consider}\n\
            - {evidence: tiny, claim: 7}\n";
        let (kept, dropped) = judged(draft).unwrap();
        assert_eq!(kept, 1);
        let row = |id: &str, reason, phrase: Option<&str>| {
            (id.to_owned(), reason, phrase.map(str::to_owned))
        };
        assert_eq!(
            dropped,
            [
                row("a", "evidence_too_short", None),
                row("finding-2", "evidence_not_verbatim", None),
                row("finding-3", "banned_phrase_detected", Some("consider")),
                row("finding-4", "banned_phrase_detected", Some("consider")),
                row("finding-5", "evidence_too_short", None),
            ]
        );
    }

    #[test]
    fn shapes_that_cannot_be_judged_are_named() {
        let table = [
            ("[a]", "front matter: a mapping is wanted, found a list"),
            ("findings: x", "findings: a list is wanted, found text"),
            (
                "findings: [{}, x]",
                "findings[1]: a mapping is wanted, found text",
            ),
            (
                "findings: [{evidence: alpha beta, claim: yes}]",
                "findings[0].claim: text is wanted, found a boolean",
            ),
            (
                "findings: [{evidence: alpha beta, ask: [x]}]",
                "findings[0].ask: text is wanted, found a list",
            ),
            (
                "findings: [{evidence: alpha beta, target: \"\\ud800\"}]",
                "findings[0]: a lone surrogate in target or claim, which UTF-8 cannot carry",
            ),
        ];
        for (yaml, wanted) in table {
            assert_eq!(judged(yaml), Err(wanted.to_owned()), "{yaml}");
        }
        assert_eq!(
            judged("findings: [{evidence: alpha beta, claim: consider, ask: 7}]")
                .unwrap()
                .0,
            0
        );
        for nothing in [
            "",
            "# only a comment",
            "[]",
            "0",
            "false",
            "''",
            "findings: 0",
            "findings: {}",
        ] {
            assert_eq!(judged(nothing), Ok((0, vec![])), "{nothing}");
        }
    }
}
