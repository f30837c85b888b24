//! Quotes of present findings, looked for in the documents they cite.
//!
//! In: ledger and manifest; the text of each cited document from whoever reads files. Out: which
//! quotes each document must answer for, how each is found, and the ledger with quote receipts.
//! A quote is confirmed when it is found at one of the two strict grades, identical or reflowed; in
//! a document with pages also in a reading that runs on over page ends and divided words.

use super::document::object;
use super::{Input, Key, Ledger, NULL, Stop, is_present, iterated};
use crate::evidence::{Match, Prepared, ground};
use crate::extract::ExtractedText;
use crate::pytext::Line;
use crate::value::{Text, Value};
use std::collections::HashMap;

/// Keys that the ledger must have.
pub const LEDGER_KEYS: [&str; 1] = ["findings"];
/// Keys that the manifest must have.
pub const MANIFEST_KEYS: [&str; 2] = ["documents", "counts"];

/// Checker named in a receipt that confirms.
pub const CHECKER: &str = "deterministic-text-match";

/// One entry of the manifest.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// Its id as the manifest gives it.
    pub id: Value<'a>,
    /// Its path under the room.
    pub path: Text<'a>,
}

/// The documents of a manifest, in order.
///
/// # Errors
/// Unusable when an entry is no object, or lacks its id or a path that is a text.
pub fn documents<'a>(manifest: &Value<'a>) -> Result<Vec<Document<'a>>, Stop> {
    let entries = iterated(
        Input::Manifest,
        "$.documents",
        manifest.get("documents").unwrap_or(NULL),
    )?;
    entries
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let place = format!("$.documents[{index}]");
            let Value::Object(members) = entry else {
                return Err(Stop::odd_type(Input::Manifest, place, entry, "object"));
            };
            let member = |key: &str| {
                members
                    .get(key)
                    .ok_or_else(|| Stop::absent(Input::Manifest, place.clone(), key))
            };
            let path = member("path")?;
            let path = path.as_text().cloned().ok_or_else(|| {
                Stop::odd_type(Input::Manifest, format!("{place}.path"), path, "string")
            })?;
            Ok(Document {
                id: member("id")?.clone(),
                path,
            })
        })
        .collect()
}

/// The id of a document with these bytes.
pub fn hash_id(sha256_hex: &str) -> String {
    format!("sha256:{}", sha256_hex.get(..12).unwrap_or(sha256_hex))
}

/// A quote that a document must answer for.
#[derive(Clone, Debug)]
pub struct Citation<'a> {
    /// Index of the finding in the ledger.
    pub finding_index: usize,
    /// The quote.
    pub quote: Text<'a>,
}

/// The quotes of a ledger by the document that they cite.
#[derive(Clone, Debug, Default)]
pub struct Citations<'a> {
    /// For each document of the manifest, its quotes in the order of the ledger.
    pub by_document: Vec<Vec<Citation<'a>>>,
    /// Findings whose quote is empty.
    pub empty: Vec<usize>,
    /// Number of findings.
    pub finding_count: usize,
}

/// Sorts the quotes of present findings by document.
///
/// # Errors
/// The recorded sentence for the first finding that cites a document outside the manifest;
/// unusable for a quote that is no text.
pub fn collect<'a>(ledger: &Ledger<'a>, documents: &[Document<'_>]) -> Result<Citations<'a>, Stop> {
    // The last entry of an id counts, as in a Python dictionary.
    let places: HashMap<Key<'_>, usize> = documents
        .iter()
        .enumerate()
        .filter_map(|(index, document)| Some((Key::of(&document.id)?, index)))
        .collect();
    let mut citations = Citations {
        by_document: vec![Vec::new(); documents.len()],
        ..Citations::default()
    };
    for (index, finding) in ledger.findings()?.enumerate() {
        citations.finding_count = index + 1;
        let place = format!("$.findings[{index}]");
        if !is_present(&finding, &place)? {
            continue;
        }
        let id = finding.get("doc_id").unwrap_or(NULL);
        let Some(key) = Key::of(id) else {
            return Err(Stop::odd_type(
                Input::Findings,
                format!("{place}.doc_id"),
                id,
                "string",
            ));
        };
        let Some(cited) = places
            .get(&key)
            .and_then(|at| citations.by_document.get_mut(*at))
        else {
            return Err(Stop::Said(
                Line::new()
                    .plain("finding ")
                    .str(finding.get("finding_id").unwrap_or(NULL))
                    .plain(" cites unknown document ")
                    .str(id)
                    .done(),
            ));
        };
        let quote = finding.get("quote").unwrap_or(NULL);
        match quote.as_text() {
            Some(text) if !text.is_blank() => {
                cited.push(Citation {
                    finding_index: index,
                    quote: text.clone(),
                });
            }
            None if quote.is_truthy() => {
                return Err(Stop::odd_type(
                    Input::Findings,
                    format!("{place}.quote"),
                    quote,
                    "string",
                ));
            }
            Some(_) | None => citations.empty.push(index),
        }
    }
    Ok(citations)
}

/// How each quote stands in the document's text, in order. A quote that is not found at a strict
/// grade is looked for in the other readings of a document with pages; the answer in the text
/// itself stays when they do not have it either.
///
/// # Errors
/// Why the text cannot be searched.
pub fn answers(text: &ExtractedText, quotes: &[Text<'_>]) -> Result<Vec<Match>, String> {
    // A lone surrogate stands in no document: what it was decoded from was UTF-8.
    let asked: Vec<_> = quotes.iter().map(Text::to_display).collect();
    let asked: Vec<&str> = asked.iter().map(|quote| &**quote).collect();
    let source = Prepared::new(&text.text).map_err(|error| error.to_string())?;
    let mut found = ground(&source, &asked);
    for (answer, quote) in found.iter_mut().zip(quotes) {
        if quote.as_str().is_none() {
            *answer = Match::absent("the quote holds a lone surrogate, which no text can hold");
        }
    }
    let is_open = |(answer, quote): (&Match, &Text<'_>)| {
        !answer.grade.is_accepted() && quote.as_str().is_some()
    };
    if !found.iter().zip(quotes).any(is_open) {
        return Ok(found);
    }
    for reading in text.readings() {
        let source = Prepared::new(&reading).map_err(|error| error.to_string())?;
        let open: Vec<usize> = (0..found.len())
            .filter(|&at| found.get(at).zip(quotes.get(at)).is_some_and(is_open))
            .collect();
        let again: Vec<&str> = open
            .iter()
            .filter_map(|&at| asked.get(at).copied())
            .collect();
        for (at, answer) in open.into_iter().zip(ground(&source, &again)) {
            if answer.grade.is_accepted()
                && let Some(slot) = found.get_mut(at)
            {
                // The place is one in the reading, not in the document's text.
                *slot = Match { at: None, ..answer };
            }
        }
    }
    Ok(found)
}

/// The checked ledger.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The file.
    pub bytes: Vec<u8>,
    /// Findings whose quote was found.
    pub confirmed_count: usize,
    /// Findings that are unresolved now.
    pub rejected_count: usize,
}

/// The ledger with a quote receipt in every present finding. `is_found` holds an answer for every
/// finding whose quote was looked for, by index.
///
/// # Errors
/// Unusable for a finding that is no object.
pub fn apply(ledger: &Ledger<'_>, is_found: &[Option<bool>]) -> Result<Verified, Stop> {
    let (mut confirmed_count, mut rejected_count) = (0, 0);
    let bytes = ledger.rewritten(|index, mut finding| {
        if !is_present(&finding, "$.findings[]")? {
            return Ok::<_, Stop>(finding);
        }
        if let Value::Object(members) = &mut finding {
            members.remove("verification");
            let rejected = |reason: &'static str| {
                object([
                    ("reason", Value::from(reason)),
                    ("status", Value::from("rejected")),
                ])
            };
            let receipt = match is_found.get(index).copied().flatten() {
                Some(true) => {
                    confirmed_count += 1;
                    object([
                        ("checker", Value::from(CHECKER)),
                        ("status", Value::from("confirmed")),
                    ])
                }
                Some(false) => rejected("quote not found in source text"),
                None => rejected("empty quote"),
            };
            if is_found.get(index).copied().flatten() != Some(true) {
                rejected_count += 1;
                members.insert("status", "unresolved");
            }
            members.insert("quote_verification", Value::Object(receipt));
        }
        Ok(finding)
    })?;
    Ok(Verified {
        bytes,
        confirmed_count,
        rejected_count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Extractor, extract};
    use crate::value::json::parse;

    fn found(name: &str, text: &str, quotes: &[&str]) -> Vec<bool> {
        let text = extract(name, text.as_bytes(), Extractor::Stdlib).unwrap();
        let quotes: Vec<Text<'_>> = quotes.iter().map(|quote| Text::borrowed(quote)).collect();
        answers(&text, &quotes)
            .unwrap()
            .iter()
            .map(|answer| answer.grade.is_accepted())
            .collect()
    }

    #[test]
    fn only_strict_grades_confirm() {
        let text = "12: The tenant shall not\n13: assign this Agreement.\n“Rent” is due.";
        assert_eq!(
            found(
                "a.txt",
                text,
                &[
                    "The tenant shall not assign",
                    "The tenant shall assign",
                    "\"Rent\" is due",
                    "“Rent” is\n due",
                    "the tenant"
                ]
            ),
            [true, false, false, true, false]
        );
    }

    #[test]
    fn quotes_run_over_page_ends_and_divided_words() {
        let text = ExtractedText {
            text: "Lease\nThe parties agree that this agree-\nment binds their\nPage 1\n\u{c}Lease\nsuccessors and non-\nprofit assigns.\nPage 2\n\u{c}".into(),
            pages: Some(2),
        };
        let quotes = [
            "this agreement binds their successors",
            "successors and non-profit assigns",
            "binds his successors",
        ]
        .map(Text::borrowed);
        let answers = answers(&text, &quotes).unwrap();
        let accepted: Vec<bool> = answers
            .iter()
            .map(|answer| answer.grade.is_accepted())
            .collect();
        assert_eq!(accepted, [true, true, false]);
        let without_pages = ExtractedText {
            pages: None,
            ..text
        };
        assert!(
            !super::answers(&without_pages, &quotes).unwrap()[0]
                .grade
                .is_accepted()
        );
    }

    #[test]
    fn receipts_replace_older_ones() {
        let ledger = Ledger::read(
            r#"{"findings": [{"status": "present", "verification": 1, "quote_verification": 2}, {"status": "present"}, {"status": "absent", "verification": 3}, {"status": "present"}]}"#,
        )
        .unwrap();
        let verified = apply(&ledger, &[Some(true), Some(false), None, None]).unwrap();
        assert_eq!((verified.confirmed_count, verified.rejected_count), (1, 2));
        assert_eq!(
            parse(std::str::from_utf8(&verified.bytes).unwrap()).unwrap(),
            parse(
                r#"{"findings": [
                {"status": "present", "quote_verification": {"checker": "deterministic-text-match", "status": "confirmed"}},
                {"status": "unresolved", "quote_verification": {"reason": "quote not found in source text", "status": "rejected"}},
                {"status": "absent", "verification": 3},
                {"status": "unresolved", "quote_verification": {"reason": "empty quote", "status": "rejected"}}]}"#
            )
            .unwrap()
        );
    }

    #[test]
    fn a_document_outside_the_manifest_ends_the_run() {
        let manifest = parse(r#"{"documents": [{"id": "sha256:1", "path": "a.txt"}]}"#).unwrap();
        let documents = documents(&manifest).unwrap();
        for (finding, want) in [
            (
                r#""finding_id": "f", "doc_id": "sha256:2""#,
                "finding f cites unknown document sha256:2",
            ),
            ("\"x\": 1", "finding None cites unknown document None"),
        ] {
            let text = format!("{{\"findings\": [{{\"status\": \"present\", {finding}}}]}}");
            let stop = collect(&Ledger::read(&text).unwrap(), &documents).unwrap_err();
            assert_eq!(stop, Stop::said(want));
        }
    }
}
