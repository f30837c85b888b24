//! The scorecard file after the judgement.
//!
//! In: the draft's front matter and body, the judgement. Out: the bytes of `PERSONA.md`: the draft
//! with its kept findings, or the stub when all were dropped.

use super::judge::{Drop, Judgement};
use crate::value::yaml::{YamlMap, YamlValue, write_yaml};

/// What a stub says instead of the draft's own prose.
const STUB_BODY: &str = "
## Summary

All findings from this persona failed validator checks. This scorecard
is structurally dropped from synthesis. See MANIFEST.validation[] for
drop reasons per finding.
";

/// The mark of a stub.
const STUB_FAILURE: &str = "validation_all_findings_dropped";

/// The bytes of the scorecard of `persona`.
pub fn scorecard_bytes(
    persona: &str,
    draft: YamlMap,
    body: &[u8],
    judgement: &Judgement,
) -> Vec<u8> {
    if judgement.is_stub() {
        let mut stub = YamlMap::new();
        stub.insert("persona", YamlValue::from_text(persona));
        stub.insert("findings", YamlValue::List(Vec::new()));
        stub.insert("dropped_findings", dropped_list(judgement));
        stub.insert("failure", YamlValue::from_text(STUB_FAILURE));
        return with_fences(&stub, STUB_BODY.as_bytes());
    }
    let mut front_matter = draft;
    let kept = judgement
        .kept
        .iter()
        .map(|kept| YamlValue::Map(kept.finding.clone()))
        .collect();
    front_matter.insert("findings", YamlValue::List(kept));
    front_matter.insert("dropped_findings", dropped_list(judgement));
    with_fences(&front_matter, body)
}

fn dropped_list(judgement: &Judgement) -> YamlValue {
    YamlValue::List(judgement.dropped.iter().map(drop_map).collect())
}

fn drop_map(drop: &Drop) -> YamlValue {
    let mut map = YamlMap::new();
    map.insert("id", YamlValue::Str(drop.id.clone()));
    map.insert("reason", YamlValue::from_text(drop.reason.code()));
    map.insert(
        "phrase",
        drop.phrase.clone().map_or(YamlValue::Null, YamlValue::Str),
    );
    YamlValue::Map(map)
}

fn with_fences(front_matter: &YamlMap, body: &[u8]) -> Vec<u8> {
    let mut bytes = b"---\n".to_vec();
    bytes.extend_from_slice(write_yaml(front_matter).as_bytes());
    bytes.extend_from_slice(b"---\n");
    bytes.extend_from_slice(body);
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::judge::DropReason;
    use super::*;
    use crate::text::Text;

    fn dropped() -> Drop {
        Drop {
            id: Text::borrowed("a: b"),
            reason: DropReason::EvidenceTooShort,
            phrase: None,
        }
    }

    #[test]
    fn a_stub_is_fixed_text() {
        let judgement = Judgement {
            kept: vec![],
            dropped: vec![dropped()],
        };
        let bytes = scorecard_bytes("Night: #1", YamlMap::new(), b"prose", &judgement);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with(
            "---\npersona: 'Night: #1'\nfindings: []\ndropped_findings:\n- id: 'a: b'\n  reason: evidence_too_short\n  \
             phrase: null\nfailure: validation_all_findings_dropped\n---\n\n## Summary\n\nAll findings"
        ));
        assert!(text.ends_with("per finding.\n"));
    }

    #[test]
    fn a_body_is_copied_and_ends_with_a_line_end() {
        let judgement = Judgement::default();
        let card = |body: &[u8]| scorecard_bytes("p", YamlMap::new(), body, &judgement);
        let front = b"---\nfindings: []\ndropped_findings: []\n---\n".as_slice();
        assert_eq!(card(b""), front);
        assert_eq!(
            card(b"\xff\r\n---\nx"),
            [front, b"\xff\r\n---\nx\n"].concat()
        );
    }
}
