//! Quotes of present findings, looked for in the documents they cite.
//!
//! In: ledger and manifest; the text of each cited document from whoever reads files. Out: which
//! quotes each document must answer for, how each is found, and the ledger with quote receipts.
//! A quote is confirmed when it is found at one of the two strict grades, identical or reflowed; in
//! a document with pages also in a reading that runs on over page ends and divided words.

use super::document::{Edit, Raw, Sink, object};
use super::{Input, Key, Ledger, NULL, Record, Stop, is_present, iterated, odd_member};
use crate::evidence::{Grade, Match, accepted_extracted, ground_extracted};
use crate::extract::ExtractedText;
use crate::text::python::Line;
use crate::value::{Text, Value};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::io;

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
        .map(|(index, entry)| document(index, entry))
        .collect()
}

/// The documents of a manifest as the recorded command looks at them: of an id listed several times
/// the last entry alone, in the place of the first.
///
/// # Errors
/// As [`documents`], but for a path only where it is looked at.
pub fn last_documents<'a>(manifest: &Value<'a>) -> Result<Vec<Document<'a>>, Stop> {
    let entries = iterated(
        Input::Manifest,
        "$.documents",
        manifest.get("documents").unwrap_or(NULL),
    )?;
    let mut order = Vec::with_capacity(entries.len());
    let mut last = HashMap::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let place = format!("$.documents[{index}]");
        let id = id_of(entry, &place)?;
        let key = Key::of(id)
            .ok_or_else(|| Stop::odd_type(Input::Manifest, format!("{place}.id"), id, "string"))?;
        if last.insert(key.clone(), index).is_none() {
            order.push(key);
        }
    }
    order
        .iter()
        .filter_map(|key| last.get(key).copied())
        .filter_map(|index| Some((index, entries.get(index)?)))
        .map(|(index, entry)| document(index, entry))
        .collect()
}

fn id_of<'v, 'a>(entry: &'v Value<'a>, place: &str) -> Result<&'v Value<'a>, Stop> {
    let Value::Object(members) = entry else {
        return Err(Stop::odd_type(Input::Manifest, place, entry, "object"));
    };
    members
        .get("id")
        .ok_or_else(|| Stop::absent(Input::Manifest, place, "id"))
}

fn document<'a>(index: usize, entry: &Value<'a>) -> Result<Document<'a>, Stop> {
    let place = format!("$.documents[{index}]");
    let id = id_of(entry, &place)?.clone();
    let path = entry
        .get("path")
        .ok_or_else(|| Stop::absent(Input::Manifest, place.clone(), "path"))?;
    let path = path
        .as_text()
        .cloned()
        .ok_or_else(|| Stop::odd_type(Input::Manifest, format!("{place}.path"), path, "string"))?;
    Ok(Document { id, path })
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

/// Of a present finding its index, then its document and its quote unless that is blank.
type Cited<'a> = (usize, Result<(usize, Option<Text<'a>>), Stop>);

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
    let parts = ledger.visit(|index, finding, cited: &mut Vec<Cited<'a>>| {
        match is_present(finding, index) {
            Ok(false) => {}
            Ok(true) => cited.push((index, citation(finding, index, &places))),
            Err(stop) => cited.push((index, Err(stop))),
        }
    })?;
    let mut citations = Citations {
        by_document: vec![Vec::new(); documents.len()],
        empty: Vec::new(),
        finding_count: ledger.count()?,
    };
    for (finding_index, cited) in parts.into_iter().flatten() {
        let (document, quote) = cited?;
        match quote {
            Some(quote) => {
                if let Some(cited) = citations.by_document.get_mut(document) {
                    cited.push(Citation {
                        finding_index,
                        quote,
                    });
                }
            }
            None => citations.empty.push(finding_index),
        }
    }
    Ok(citations)
}

/// The place in the manifest of the document that a present finding cites, and its quote.
fn citation<'a>(
    finding: &Record<'a>,
    index: usize,
    places: &HashMap<Key<'_>, usize>,
) -> Result<(usize, Option<Text<'a>>), Stop> {
    let id = finding.value_of("doc_id");
    let Some(key) = Key::of(&id) else {
        return Err(odd_member(finding, "doc_id", index, "string"));
    };
    let Some(&document) = places.get(&key) else {
        return Err(Stop::Said(
            Line::new()
                .plain("finding ")
                .str(
                    &finding
                        .get("finding_id")
                        .map_or(Value::from("<no id>"), Raw::value),
                )
                .plain(" cites unknown document ")
                .str(&id)
                .done(),
        ));
    };
    // What is no text stands in no document: `apply` gives it its receipt.
    let quote = finding.named("quote").filter(|quote| !quote.is_blank());
    Ok((document, quote))
}

/// How a quote stands in a document.
#[derive(Clone, Debug)]
pub struct Answer {
    /// It is there at a strict grade.
    pub is_found: bool,
    /// Why it may be there all the same: pages without text.
    pub unread: Option<String>,
    /// What stands in its place, when that was asked for and it is not there, or is with flags.
    pub told: Option<Match>,
    /// The recorded program takes it, since it drops digits and a colon at the head of any line.
    pub is_found_as_recorded: bool,
    /// The document's own words for a quote that differs from them in typography alone.
    pub own_words: Option<String>,
}

/// How each quote stands in the document's text, in order. A quote that is not found at a strict
/// grade is looked for in the other readings of a document with pages; what is told of it is the
/// answer in the text itself.
///
/// # Errors
/// Why the text cannot be searched.
pub fn answers(
    text: &ExtractedText,
    quotes: &[Text<'_>],
    is_told: bool,
) -> Result<Vec<Answer>, String> {
    // A lone surrogate stands in no document: what it was decoded from was UTF-8.
    let asked: Vec<_> = quotes.iter().map(Text::to_display).collect();
    let prepared = || text.prepared().map_err(|error| error.to_string());
    // The recorded program keeps its line numbers; who asks for more gets the stricter answer.
    let recorded = prepared()?.with_recorded_line_numbers();
    let source = if is_told { prepared()? } else { recorded };
    let layers = text.layers();
    let asked_quotes: Vec<&str> = asked.iter().map(|quote| &**quote).collect();
    let mut told = if is_told {
        ground_extracted(&source, layers, &asked_quotes)
    } else {
        Vec::new()
    };
    let mut found: Vec<bool> = if is_told {
        told.iter().map(|told| told.grade.is_accepted()).collect()
    } else {
        accepted_extracted(&source, layers, &asked_quotes)
    };
    for (is_found, quote) in found.iter_mut().zip(quotes) {
        *is_found &= quote.as_str().is_some();
    }
    let places: Vec<usize> = found
        .iter()
        .enumerate()
        .filter(|(_, is_found)| !**is_found)
        .map(|(at, _)| at)
        .collect();
    let open: Vec<&str> = places
        .iter()
        .filter_map(|&at| asked_quotes.get(at).copied())
        .collect();
    let as_recorded = if is_told && !open.is_empty() {
        let recorded = prepared()?.with_recorded_line_numbers();
        accepted_extracted(&recorded, layers, &open)
    } else {
        vec![false; open.len()]
    };
    // Only what would be taken is offered.
    let own_words: Vec<Option<String>> = told
        .iter()
        .map(|told| {
            let words = told.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let is_taken = told.grade == Grade::Typographic
                && accepted_extracted(&source, layers, &[words.as_str()]) == [true];
            is_taken.then_some(words)
        })
        .collect();
    let mut own_words = own_words.into_iter();
    let mut as_recorded = places.iter().copied().zip(as_recorded).peekable();
    let mut told = told.drain(..);
    let unread = text.unread();
    let answers = found.iter().zip(quotes).enumerate();
    Ok(answers
        .map(|(at, (&is_found, quote))| {
            let told = told.next();
            let own_words = own_words.next().flatten();
            let told = if is_told && quote.as_str().is_none() {
                Some(Match::absent(
                    "the quote holds a lone surrogate, which no text can hold",
                ))
            } else {
                told.filter(|told| !is_found || !told.flags.is_empty())
            };
            let as_recorded = as_recorded.next_if(|(place, _)| *place == at);
            Answer {
                is_found,
                unread: unread.clone().filter(|_| !is_found),
                told,
                is_found_as_recorded: as_recorded.is_some_and(|(_, is_found)| is_found),
                own_words,
            }
        })
        .collect())
}

/// What became of the quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Findings whose quote was found.
    pub confirmed_count: usize,
    /// Findings that are unresolved now.
    pub rejected_count: usize,
}

/// Whether something stands in the place of the quote that is no text.
fn is_odd_quote(finding: &Record<'_>) -> bool {
    let quote = finding.value_of("quote");
    quote.as_text().is_none() && quote.is_truthy()
}

/// What a receipt says of a quote that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is there at a strict grade.
    Found,
    /// It is not there.
    Missing,
    /// The document, or part of it, could not be read: why, in one line.
    Unread(String),
}

impl Standing {
    /// What an answer comes to.
    pub fn of(answer: &Answer) -> Self {
        match (&answer.unread, answer.is_found) {
            (_, true) => Self::Found,
            (Some(why), false) => Self::Unread(why.clone()),
            (None, false) => Self::Missing,
        }
    }
}

/// Writes the ledger with a quote receipt in every present finding. `standings` holds an answer for
/// every finding whose quote was looked for, by index; `repairs` holds the words to put in the place
/// of some quotes.
///
/// # Errors
/// Those of `sink`.
pub fn apply(
    ledger: &Ledger<'_>,
    standings: &[Option<Standing>],
    repairs: &BTreeMap<usize, String>,
    sink: &mut Sink<'_>,
) -> io::Result<Verified> {
    let change = |index: usize, finding: &Record<'_>, counts: &mut Verified| {
        // What is no object has been refused when the quotes were collected.
        if !is_present(finding, index).unwrap_or(false) {
            return Edit::Keep;
        }
        let rejected = |reason: &str| {
            object([
                ("reason", Value::Str(Text::from(reason.to_owned()))),
                ("status", Value::from("rejected")),
            ])
        };
        let answer = standings.get(index).and_then(Option::as_ref);
        let receipt = match answer {
            Some(Standing::Found) => object([
                ("checker", Value::from(CHECKER)),
                ("status", Value::from("confirmed")),
            ]),
            Some(Standing::Missing) => rejected("quote not found in source text"),
            None if is_odd_quote(finding) => rejected("quote not found in source text"),
            Some(Standing::Unread(why)) => rejected(why),
            None => rejected("empty quote"),
        };
        let mut changes = vec![("quote_verification", Some(Value::Object(receipt)))];
        if answer == Some(&Standing::Found) {
            counts.confirmed_count += 1;
        } else {
            counts.rejected_count += 1;
            changes.push(("status", Some(Value::from("unresolved"))));
        }
        changes.push(("verification", None));
        if let Some(words) = repairs.get(&index) {
            changes.push(("quote", Some(Value::Str(Text::from(words.clone())))));
        }
        Edit::Change(changes)
    };
    let parts: Vec<Verified> = ledger.rewrite(change, sink)?;
    Ok(Verified {
        confirmed_count: parts.iter().map(|part| part.confirmed_count).sum(),
        rejected_count: parts.iter().map(|part| part.rejected_count).sum(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::{Extractor, extract};
    use crate::position::Span;
    use crate::value::json::parse;

    fn found(name: &str, text: &str, quotes: &[&str]) -> Vec<bool> {
        let text = extract(name, text.as_bytes(), Extractor::Pdfium).unwrap();
        let quotes: Vec<Text<'_>> = quotes.iter().map(|quote| Text::borrowed(quote)).collect();
        answers(&text, &quotes, false)
            .unwrap()
            .iter()
            .map(|answer| answer.is_found)
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
        let content = "Lease\nThe parties agree that this agree-\nment binds their\nPage 1\n\u{c}Lease\nsuccessors and non-\nprofit assigns.\nPage 2\n\u{c}";
        let aside = |from: usize, part: &str| {
            let byte_start = from + content.get(from..).unwrap().find(part).unwrap();
            Span {
                byte_start,
                byte_end: byte_start + part.len(),
            }
        };
        let text = ExtractedText {
            text: content.into(),
            pages: Some(2),
            asides: vec![aside(0, "Page 1\n"), aside(50, "Lease\n")],
            unread_pages: vec![3],
            is_spaced_by_place: true,
            ..ExtractedText::default()
        };
        let quotes = [
            "this agreement binds their successors",
            "successors and non-profit assigns",
            "binds his successors",
        ]
        .map(Text::borrowed);
        let answers = answers(&text, &quotes, true).unwrap();
        let found: Vec<bool> = answers.iter().map(|answer| answer.is_found).collect();
        assert_eq!(found, [true, true, false]);
        let told: Vec<bool> = answers.iter().map(|answer| answer.told.is_some()).collect();
        // What is found with flags is told too.
        assert_eq!(told, [true, false, true]);
        assert_eq!(
            Standing::of(&answers[2]),
            Standing::Unread(
                "page 3 could not be read (no text; a scan needs OCR first)".to_owned()
            )
        );
    }

    #[test]
    fn receipts_replace_older_ones() {
        let ledger = Ledger::read(
            r#"{"findings": [{"status": "present", "verification": 1, "quote_verification": 2}, {"status": "present"}, {"status": "absent", "verification": 3}, {"status": "present"}]}"#,
        )
        .unwrap();
        let mut written = Vec::new();
        let verified = apply(
            &ledger,
            &[Some(Standing::Found), Some(Standing::Missing), None, None],
            &BTreeMap::new(),
            &mut |bytes| {
                written.extend_from_slice(bytes);
                Ok(())
            },
        )
        .unwrap();
        assert_eq!((verified.confirmed_count, verified.rejected_count), (1, 2));
        assert_eq!(
            parse(std::str::from_utf8(&written).unwrap()).unwrap(),
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
            ("\"x\": 1", "finding <no id> cites unknown document None"),
        ] {
            let text = format!("{{\"findings\": [{{\"status\": \"present\", {finding}}}]}}");
            let stop = collect(&Ledger::read(&text).unwrap(), &documents).unwrap_err();
            assert_eq!(stop, Stop::said(want));
        }
    }
}
