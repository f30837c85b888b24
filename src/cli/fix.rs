//! `--fix`: mends in a findings ledger what is mechanical, and says so.
//!
//! In: the file. Out: the file written whole, everything else in it byte for byte, and a line for each change.
//! Mended are ids that are not `issue_id/doc_id` or are missing, members that stand twice with equal values, and
//! findings that stand twice alike. What decides is left: an id to which a checker receipt was given, an id that
//! another finding has, a member that stands twice with two values.

use super::kinds::{Kind, kind};
use crate::error::{Error, Reason};
use crate::files;
use crate::finding::excerpt;
use crate::position::{LineIndex, Span};
use crate::value::json::Reader;
use crate::value::json::locate::{Step, ValuePath, locate};
use crate::value::json::repeated::repeated_members;
use crate::value::json::writer::push_string;
use crate::value::{Text, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// A piece of the text and what takes its place.
struct Edit {
    span: Span,
    text: Vec<u8>,
}

/// What can be done about a text.
#[derive(Default)]
struct Plan {
    edits: Vec<Edit>,
    /// Lines that say what was changed and what was left, with the byte they speak of.
    told: Vec<(usize, String)>,
}

/// Mend the file when it is a findings ledger; lines of what was done.
///
/// # Errors
/// When it cannot be read or written.
pub(super) fn file(path: &Path) -> Result<Vec<String>, Error> {
    let bytes = read(path)?;
    match kind(path, &bytes) {
        Some(Kind::Ledger) => mended(path, &bytes),
        Some(Kind::Framework { .. } | Kind::Blueprint | Kind::Assessment | Kind::Scorecard)
        | None => Ok(vec![format!(
            "{}: nothing here is mended by --fix",
            path.display()
        )]),
    }
}

/// Mend the ledger at `path`; lines of what was done.
///
/// # Errors
/// When it cannot be read or written.
pub(super) fn ledger(path: &Path) -> Result<Vec<String>, Error> {
    mended(path, &read(path)?)
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    files::read(path).map_err(|fault| Error::Read {
        kind: "findings",
        name: path.display().to_string(),
        reason: fault.into(),
    })
}

fn mended(path: &Path, bytes: &[u8]) -> Result<Vec<String>, Error> {
    let name = path.display().to_string();
    let unreadable = |reason: Reason| Error::Read {
        kind: "findings",
        name: name.clone(),
        reason,
    };
    let text =
        std::str::from_utf8(bytes).map_err(|fault| unreadable(Reason::encoding(fault, bytes)))?;
    let plan = Plan::of(text).map_err(|fault| unreadable(Reason::syntax(fault, text)))?;
    if !plan.edits.is_empty() {
        let new = plan.applied(bytes);
        let failed = |reason: Reason| Error::Write {
            name: name.clone(),
            reason,
        };
        // Somebody else may have written it meanwhile.
        if files::read(path).map_err(|fault| failed(fault.into()))? != bytes {
            return Err(failed(
                "it has changed meanwhile; nothing was mended".into(),
            ));
        }
        files::write_atomic(path, &new).map_err(|fault| failed(fault.into()))?;
    }
    let lines = LineIndex::new(bytes);
    let mut told = plan.told;
    told.sort();
    Ok(if told.is_empty() {
        vec![format!("{name}: nothing to mend")]
    } else {
        told.into_iter()
            .map(|(byte, words)| {
                let at = lines.position(bytes, byte);
                format!("{name}:{}:{}: {words}", at.line, at.column)
            })
            .collect()
    })
}

fn text_of<'v>(finding: &'v Value<'_>, key: &str) -> Option<&'v str> {
    finding
        .get(key)?
        .as_text()?
        .as_str()
        .filter(|text| !text.trim().is_empty())
}

impl Plan {
    fn of(text: &str) -> Result<Self, json::SyntaxError> {
        let value = json::parse(text)?;
        let mut plan = Self::default();
        let Some(findings) = value.get("findings").and_then(Value::as_array) else {
            return Ok(plan);
        };
        let copies = copies(findings);
        plan.drop_copies(text, findings, &copies);
        plan.drop_members(text, &value, &copies)?;
        plan.name(text, findings, &copies);
        Ok(plan)
    }

    /// `bytes` with every edit made; none reaches into another.
    fn applied(&self, bytes: &[u8]) -> Vec<u8> {
        let mut edits: Vec<&Edit> = self.edits.iter().collect();
        edits.sort_by_key(|edit| edit.span.byte_start);
        let mut out = Vec::with_capacity(bytes.len());
        let mut done = 0;
        for edit in edits {
            out.extend_from_slice(bytes.get(done..edit.span.byte_start).unwrap_or_default());
            out.extend_from_slice(&edit.text);
            done = done.max(edit.span.byte_end);
        }
        out.extend_from_slice(bytes.get(done..).unwrap_or_default());
        out
    }

    /// Take off the text of `span` with the comma before it.
    fn cut(&mut self, text: &str, span: Span) {
        let before = text.get(..span.byte_start).unwrap_or_default();
        let kept = before.trim_end_matches([' ', '\t', '\r', '\n']);
        let byte_start = kept.strip_suffix(',').map_or(span.byte_start, str::len);
        self.edits.push(Edit {
            span: Span { byte_start, ..span },
            text: Vec::new(),
        });
    }

    /// Findings that are the same as an earlier one in everything.
    fn drop_copies(&mut self, text: &str, findings: &[Value<'_>], copies: &BTreeMap<usize, usize>) {
        let paths: Vec<ValuePath> = copies
            .keys()
            .map(|index| ValuePath::root().key("findings").index(*index))
            .collect();
        for ((index, first), span) in copies.iter().zip(locate(text, &paths)) {
            if let (Some(span), Some(finding)) = (span, findings.get(*index)) {
                self.cut(text, span);
                let id = text_of(finding, "finding_id").unwrap_or("<no id>");
                self.told.push((
                    span.byte_start,
                    format!("dropped `{}`, a copy of $.findings[{first}]", excerpt(id)),
                ));
            }
        }
    }

    /// Members of findings that stand twice with equal values.
    fn drop_members(
        &mut self,
        text: &str,
        value: &Value<'_>,
        copies: &BTreeMap<usize, usize>,
    ) -> Result<(), json::SyntaxError> {
        let repeated: Vec<_> = repeated_members(text)?
            .into_iter()
            .filter(|member| finding_of(&member.path).is_some_and(|at| !copies.contains_key(&at)))
            .collect();
        if repeated.is_empty() {
            return Ok(());
        }
        let spans: Vec<Span> = repeated
            .iter()
            .map(|member| {
                let start = member.span.byte_end;
                let mut reader = Reader::new(text.get(start..).unwrap_or_default());
                reader.skip()?;
                Ok(Span {
                    byte_start: member.span.byte_start,
                    byte_end: start + reader.byte(),
                })
            })
            .collect::<Result<_, json::SyntaxError>>()?;
        // Without the later ones the first counts: where that gives the same finding, they were equal.
        let mut without = Self::default();
        for span in &spans {
            // One inside another goes with it.
            let is_inside = spans.iter().any(|other| {
                other != span
                    && other.byte_start <= span.byte_start
                    && span.byte_end <= other.byte_end
            });
            if !is_inside {
                without.cut(text, *span);
            }
        }
        let bytes = without.applied(text.as_bytes());
        let Some(Ok(first)) = std::str::from_utf8(&bytes).ok().map(json::parse) else {
            return Ok(());
        };
        let at = |value: &Value<'_>, index: usize| -> Option<Value<'static>> {
            let finding = value.get("findings")?.as_array()?.get(index)?;
            Some(finding.clone().into_owned())
        };
        for (member, span) in repeated.iter().zip(spans) {
            let Some(index) = finding_of(&member.path) else {
                continue;
            };
            let name = excerpt(&member.name);
            let words = if at(value, index) == at(&first, index) {
                self.cut(text, span);
                format!("dropped `{name}`, which stands twice alike")
            } else {
                format!("left `{name}`, which stands twice with two values: leave the right one")
            };
            self.told.push((span.byte_start, words));
        }
        Ok(())
    }

    /// Ids of the form `issue_id/doc_id`.
    fn name(&mut self, text: &str, findings: &[Value<'_>], copies: &BTreeMap<usize, usize>) {
        let mut holders: HashMap<String, usize> = HashMap::new();
        let mut wanted = Vec::new();
        for (index, finding) in findings.iter().enumerate() {
            if copies.contains_key(&index) {
                continue;
            }
            let id = text_of(finding, "finding_id");
            let form = text_of(finding, "issue_id")
                .zip(text_of(finding, "doc_id"))
                .map(|(issue, document)| format!("{issue}/{document}"));
            // An id that is no text is for a person to look at.
            let is_odd = id.is_none()
                && finding
                    .get("finding_id")
                    .is_some_and(|value| value.is_truthy() && value.as_text().is_none());
            let mut ids: BTreeSet<String> = BTreeSet::new();
            ids.extend(id.map(str::to_owned));
            ids.extend(form.clone());
            for id in ids {
                *holders.entry(id).or_default() += 1;
            }
            if let Some(form) = form.filter(|form| id != Some(form.as_str()) && !is_odd) {
                wanted.push((index, form));
            }
        }
        let paths: Vec<ValuePath> = wanted
            .iter()
            .map(|(index, _)| {
                let path = ValuePath::root().key("findings").index(*index);
                let has_id = findings
                    .get(*index)
                    .is_some_and(|finding| finding.get("finding_id").is_some());
                if has_id { path.key("finding_id") } else { path }
            })
            .collect();
        for ((index, form), span) in wanted.into_iter().zip(locate(text, &paths)) {
            let (Some(span), Some(finding)) = (span, findings.get(index)) else {
                continue;
            };
            let id = text_of(finding, "finding_id");
            let shown = format!("`{}`", excerpt(id.unwrap_or("<no id>")));
            let words = if finding.get("verification").is_some_and(Value::is_truthy) {
                format!("left the id {shown}: a checker receipt was given to it")
            } else if holders.get(&form).is_some_and(|count| *count > 1) {
                format!(
                    "left the id {shown}: another finding has or gets `{}`",
                    excerpt(&form)
                )
            } else {
                let mut new = Vec::new();
                push_string(&mut new, &Text::from(form.as_str()), false);
                if finding.get("finding_id").is_some() {
                    self.edits.push(Edit { span, text: new });
                } else {
                    // Behind the brace that opens the finding.
                    let at = span.byte_start + 1;
                    let insert = [b"\"finding_id\": ".as_slice(), &new, b", "].concat();
                    self.edits.push(Edit {
                        span: Span {
                            byte_start: at,
                            byte_end: at,
                        },
                        text: insert,
                    });
                }
                format!("id {shown} is now `{}`", excerpt(&form))
            };
            self.told.push((span.byte_start, words));
        }
    }
}

/// The finding that holds `path`, below which it lies.
fn finding_of(path: &ValuePath) -> Option<usize> {
    match path.0.as_slice() {
        [Step::Key(key), Step::Index(index), _, ..] if *key == *"findings" => Some(*index),
        _ => None,
    }
}

/// Findings equal to an earlier one of the same id, and which that is.
fn copies(findings: &[Value<'_>]) -> BTreeMap<usize, usize> {
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut out = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        let Some(id) = text_of(finding, "finding_id") else {
            continue;
        };
        let known = by_id.entry(id).or_default();
        let same = known
            .iter()
            .find(|first| findings.get(**first) == Some(finding));
        match same {
            Some(first) => {
                out.insert(index, *first);
            }
            None => known.push(index),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(text: &str) -> (String, Vec<String>) {
        let plan = Plan::of(text).unwrap();
        let new = String::from_utf8(plan.applied(text.as_bytes())).unwrap();
        json::parse(&new).unwrap();
        (new, plan.told.into_iter().map(|(_, words)| words).collect())
    }

    #[test]
    fn ids_get_their_form_and_everything_else_stays_as_it_is() {
        let (new, told) = fixed(
            r#"{"findings": [ {"finding_id":  "x" , "issue_id": "i", "doc_id": "d"},
                {"issue_id": "i", "doc_id": "é"}, {"finding_id": null, "issue_id": "j", "doc_id": "d"} ], "more": 1e0}"#,
        );
        assert_eq!(
            new,
            r#"{"findings": [ {"finding_id":  "i/d" , "issue_id": "i", "doc_id": "d"},
                {"finding_id": "i/é", "issue_id": "i", "doc_id": "é"}, {"finding_id": "j/d", "issue_id": "j", "doc_id": "d"} ], "more": 1e0}"#
        );
        assert_eq!(told.len(), 3);
    }

    #[test]
    fn what_decides_is_left() {
        for text in [
            r#"{"findings": [{"finding_id": "x", "issue_id": "i", "doc_id": "d", "verification": {"status": "confirmed"}}]}"#,
            r#"{"findings": [{"finding_id": "x", "issue_id": "i", "doc_id": "d"}, {"finding_id": "i/d"}]}"#,
            r#"{"findings": [{"finding_id": "x", "issue_id": "i", "doc_id": "d"}, {"finding_id": "y", "issue_id": "i", "doc_id": "d"}]}"#,
            r#"{"findings": [{"verification": {"status": "refuted"}, "verification": {"status": "confirmed"}}]}"#,
            r#"{"findings": [{"finding_id": "x", "status": "present"}, {"finding_id": "x", "status": "absent"}]}"#,
            r#"{"findings": [{"finding_id": 7, "issue_id": "i", "doc_id": "d"}]}"#,
            r#"{"findings": {}, "findings": {}}"#,
            "[]",
        ] {
            assert_eq!(fixed(text).0, text);
        }
    }

    #[test]
    fn what_stands_twice_alike_goes() {
        for (text, expected) in [
            (
                r#"{"findings": [{"verification": {"a": [1]}, "x": 1, "verification" : {"a": [1]}}]}"#,
                r#"{"findings": [{"verification": {"a": [1]}, "x": 1}]}"#,
            ),
            (
                r#"{"findings": [{"a": {"status": 1, "status": 1}, "a": {"status": 1, "status": 1}}]}"#,
                r#"{"findings": [{"a": {"status": 1}}]}"#,
            ),
            (
                "{\"findings\": [\n {\"finding_id\": \"a\"},\n {\"finding_id\": \"a\"},\n {\"finding_id\": \"b\"}\n]}",
                "{\"findings\": [\n {\"finding_id\": \"a\"},\n {\"finding_id\": \"b\"}\n]}",
            ),
            (
                r#"{"findings": [{"a": 1, "a": 1, "b": 1, "b": 2}, {"a": 1, "a": 1}]}"#,
                r#"{"findings": [{"a": 1, "a": 1, "b": 1, "b": 2}, {"a": 1}]}"#,
            ),
        ] {
            assert_eq!(fixed(text).0, expected, "{text}");
        }
    }
}
