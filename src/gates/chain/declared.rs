//! Coverage by declaration: what manifest and ledger only say of the documents.
//!
//! In: manifest and ledger. Out: findings on what is parked without a reason, on a room in which
//! nothing was reviewed, and on counts that do not fit. Whether a document called unreadable can be
//! read, and whether it is the one that was meant, is for `ledger check`, which has the room.

use super::rules;
use crate::finding::{Finding, Location, counted, excerpt};
use crate::gates::reconcile::REVIEWABLE;
use crate::value::{Text, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What stands against the manifest and what `parked` of the ledger says, each with its display name.
pub fn check(manifest: (&str, &Value<'_>), ledger: (&str, Option<&Value<'_>>)) -> Vec<Finding> {
    let mut out = Vec::new();
    let documents = items(manifest.1.get("documents"));
    out.extend(counts(manifest.0, manifest.1, documents));
    let parked = items(ledger.1);
    let unreasoned: Vec<usize> = parked
        .iter()
        .enumerate()
        .filter(|(_, entry)| !entry.get("reason").is_some_and(is_said))
        .map(|(index, _)| index)
        .collect();
    for &index in &unreasoned {
        out.push(Finding::new(
            &rules::PARKED_WITHOUT_REASON,
            Location::at_path(ledger.0, format!("$.parked[{index}]")),
            "a document is parked and no reason is given",
        ));
    }
    let substantive: Vec<&Value<'_>> = documents
        .iter()
        .filter(|document| text(document, "review_role") != Some("runner-control"))
        .collect();
    if substantive.is_empty() {
        return out;
    }
    let parked: BTreeSet<&str> = parked
        .iter()
        .filter_map(|entry| text(entry, "doc_id"))
        .collect();
    let is_readable = |document: &&Value<'_>| is_reviewable(document);
    let is_parked =
        |document: &&Value<'_>| text(document, "id").is_some_and(|id| parked.contains(id));
    let readable = substantive.iter().copied().filter(is_readable).count();
    let reviewed = substantive
        .iter()
        .copied()
        .filter(|document| is_readable(document) && !is_parked(document))
        .count();
    if reviewed == 0 && (readable == 0 || !unreasoned.is_empty()) {
        out.push(Finding::new(
            &rules::NOTHING_REVIEWED,
            Location::at_path(manifest.0, "$.documents"),
            format!(
                "none of {} was reviewed: {} called unreadable, {} parked, {} of them without a reason",
                counted(substantive.len(), "document"),
                substantive.len() - readable,
                readable,
                unreasoned.len()
            ),
        ));
    }
    out
}

/// A document of the room as it was found.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// SHA-256 of its bytes; nothing when it is not there.
    pub sha256: Option<String>,
    /// It is called unreadable, and a text was read from it.
    pub has_text: bool,
}

/// What stands against the documents of the manifest `name`, by what was seen of each in the room.
pub fn documents(name: &str, entries: &[Value<'_>], seen: &[Seen]) -> Vec<Finding> {
    let mut out = Vec::new();
    let mut by_id: BTreeMap<&str, &str> = BTreeMap::new();
    for (index, (entry, seen)) in entries.iter().zip(seen).enumerate() {
        let at = |key: &str| Location::at_path(name, format!("$.documents[{index}].{key}"));
        let path = excerpt(text(entry, "path").unwrap_or_default());
        if seen.has_text {
            let word = excerpt(text(entry, "readability").unwrap_or_default());
            out.push(Finding::new(
                &rules::READABLE_DOCUMENT,
                at("readability"),
                format!("`{path}` is called `{word}`, and its text can be read"),
            ));
        }
        let Some(sha256) = seen.sha256.as_deref() else {
            continue;
        };
        let stated = text(entry, "sha256").map(|stated| stated.trim_start_matches("sha256:"));
        if stated.is_some_and(|stated| !stated.eq_ignore_ascii_case(sha256)) {
            out.push(Finding::new(
                &rules::ONE_ID_TWO_DOCUMENTS,
                at("sha256"),
                format!("`{path}` has another SHA-256 than the manifest says"),
            ));
        }
        if let Some(id) = text(entry, "id")
            && by_id
                .insert(id, sha256)
                .is_some_and(|first| first != sha256)
        {
            out.push(Finding::new(
                &rules::ONE_ID_TWO_DOCUMENTS,
                at("id"),
                format!("`{path}` has the id of an earlier document with other bytes"),
            ));
        }
    }
    out
}

/// Whether the manifest says that the document can be reviewed.
pub fn is_reviewable(document: &Value<'_>) -> bool {
    text(document, "readability").is_some_and(|word| REVIEWABLE.contains(&word))
}

/// Numbers of `counts` that can be told from the documents, and differ.
fn counts(name: &str, manifest: &Value<'_>, documents: &[Value<'_>]) -> Vec<Finding> {
    const READABILITIES: [&str; 4] = ["native", "scanned", "encrypted", "corrupt"];
    let stated = |key: &str| match manifest.get("counts").and_then(|counts| counts.get(key)) {
        Some(Value::Int(number)) => Some(*number),
        _ => None,
    };
    let of = |readability: &str| {
        let is_of = |document: &&Value<'_>| text(document, "readability") == Some(readability);
        documents.iter().filter(is_of).count()
    };
    let all = ["files", "documents", "total"].map(|key| (key, documents.len()));
    let each = READABILITIES.map(|readability| (readability, of(readability)));
    all.into_iter()
        .chain(each)
        .filter_map(|(key, counted_here)| {
            let stated = stated(key)?;
            (i64::try_from(counted_here) != Ok(stated)).then(|| {
                Finding::new(
                    &rules::COUNTS_DIFFER,
                    Location::at_path(name, format!("$.counts.{}", excerpt(key))),
                    format!("`counts` says {stated} {key}, the documents give {counted_here}"),
                )
            })
        })
        .collect()
}

fn items<'v, 'a>(value: Option<&'v Value<'a>>) -> &'v [Value<'a>] {
    value.and_then(Value::as_array).unwrap_or_default()
}

fn text<'v>(value: &'v Value<'_>, key: &str) -> Option<&'v str> {
    value
        .get(key)
        .and_then(Value::as_text)
        .and_then(Text::as_str)
}

fn is_said(value: &Value<'_>) -> bool {
    value.as_text().is_some_and(|text| !text.is_blank())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    fn told(manifest: &str, ledger: &str) -> Vec<String> {
        let manifest = parse(manifest).unwrap();
        let ledger = parse(ledger).unwrap();
        check(("m", &manifest), ("f", ledger.get("parked")))
            .iter()
            .map(|finding| {
                format!(
                    "{} {}",
                    finding.rule.code,
                    finding.at.path.as_deref().unwrap_or_default()
                )
            })
            .collect()
    }

    #[test]
    fn a_declaration_is_no_review() {
        let two = r#"{"documents": [{"id": "a", "readability": "native"}, {"id": "b", "readability": "scanned"}], "counts": {"files": 2, "native": 1}}"#;
        let fine: [String; 0] = [];
        assert_eq!(told(two, r#"{"findings": []}"#), fine);
        assert_eq!(
            told(two, r#"{"findings": [], "parked": [{"doc_id": "a"}]}"#),
            ["GWL118 $.parked[0]"]
        );
        assert_eq!(
            told(
                two,
                r#"{"findings": [], "parked": [{"doc_id": "a", "reason": "x"}, {"doc_id": "b", "reason": " "}]}"#
            ),
            ["GWL118 $.parked[1]", "GWL119 $.documents"]
        );
        assert_eq!(
            told(
                two,
                r#"{"findings": [], "parked": [{"doc_id": "a", "reason": "x"}, {"doc_id": "b", "reason": "y"}]}"#
            ),
            fine
        );
        let locked = r#"{"documents": [{"id": "a", "readability": "encrypted"}], "counts": {"native": 1, "encrypted": 1, "pages": 9, "files": 3}}"#;
        assert_eq!(
            told(locked, r#"{"findings": []}"#),
            [
                "GWL120 $.counts.files",
                "GWL120 $.counts.native",
                "GWL119 $.documents"
            ]
        );
        let control = r#"{"documents": [{"id": "a", "readability": "corrupt", "review_role": "runner-control"}], "counts": {}}"#;
        assert_eq!(told(control, r#"{"findings": []}"#), fine);
    }
}
