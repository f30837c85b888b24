//! Evidence that differs from its artifact in typography alone, put right in the scorecard itself.
//!
//! In: the bytes of a scorecard and its artifact. Out: the bytes with the artifact's own words in the
//! place of such evidence, and a list of the changes. Only evidence of the typographic grade changes,
//! and only where the scorecard, read again, says the same as before in everything else; what cannot
//! be put right so is left as it is.

use super::document::Document;
use super::{FIELDS, text_in};
use crate::evidence::{Grade, Prepared, accepted};
use crate::gates::quotes::answers;
use crate::value::Text;
use crate::value::json::writer::push_string;
use crate::value::yaml::YamlValue;

/// A change of a scorecard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Position in `findings`, from 0.
    pub index: usize,
    /// The evidence as it was.
    pub from: String,
    /// The artifact's own words.
    pub to: String,
    /// Where they stand now, in bytes of the scorecard.
    pub byte_at: usize,
}

/// The scorecard with its typographic evidence put right, and what was changed.
pub fn repaired(bytes: &[u8], source: &Prepared<'_>) -> (Vec<u8>, Vec<Repair>) {
    let mut now = bytes.to_vec();
    let mut repairs = Vec::new();
    let Some(said) = fields(&now) else {
        return (now, repairs);
    };
    let cited: Vec<(usize, String)> = said
        .iter()
        .enumerate()
        .filter_map(|(index, fields)| Some((index, fields.get(EVIDENCE)?.clone()?)))
        .collect();
    let quotes: Vec<Text<'_>> = cited
        .iter()
        .map(|(_, quote)| Text::borrowed(quote))
        .collect();
    let found = answers(source, &quotes);
    for ((index, from), found) in cited.iter().zip(found) {
        let to = found.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if found.grade != Grade::Typographic || accepted(source, &[to.as_str()]) != [true] {
            continue;
        }
        if let Some((changed, byte_at)) = replaced(&now, *index, from, &to) {
            now = changed;
            repairs.push(Repair {
                index: *index,
                from: from.clone(),
                to,
                byte_at,
            });
        }
    }
    (now, repairs)
}

/// Place of the evidence among [`FIELDS`].
const EVIDENCE: usize = 3;

// What every finding says in each field; `None` for what is no scorecard.
fn fields(bytes: &[u8]) -> Option<Vec<Vec<Option<String>>>> {
    let document = Document::read(bytes).ok()?;
    let Some(YamlValue::List(findings)) = document.header.get("findings") else {
        return None;
    };
    let said = |finding: &YamlValue| {
        let text = |field: &&str| {
            let text = text_in(finding.as_map()?, field)?;
            Some(text.to_display().into_owned())
        };
        FIELDS.iter().map(text).collect()
    };
    Some(findings.iter().map(said).collect())
}

// The scorecard with `to` in the place of `from` as it is written there: plainly, or between quotes of
// either kind.
fn replaced(bytes: &[u8], index: usize, from: &str, to: &str) -> Option<(Vec<u8>, usize)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut wanted = fields(bytes)?;
    *wanted.get_mut(index)?.get_mut(EVIDENCE)? = Some(to.to_owned());
    let forms: [fn(&str) -> String; 3] = [str::to_owned, escaped, |text| text.replace('\'', "''")];
    for form in forms {
        let (old, new) = (form(from), form(to));
        for (at, _) in text.match_indices(&old) {
            let changed = [text.get(..at)?, &new, text.get(at + old.len()..)?].concat();
            if fields(changed.as_bytes()).as_ref() == Some(&wanted) {
                return Some((changed.into_bytes(), at));
            }
        }
    }
    None
}

// As between double quotes, in JSON and YAML alike.
fn escaped(text: &str) -> String {
    let mut whole = Vec::new();
    push_string(&mut whole, &Text::borrowed(text), false);
    let whole = String::from_utf8_lossy(&whole).into_owned();
    let inside = whole
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inside.unwrap_or(&whole).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "“Rent” means what it’s called.\nThe landlord is not liable.\n";

    fn mended(card: &str) -> (String, Vec<usize>) {
        let source = Prepared::new(SOURCE).unwrap();
        let (bytes, repairs) = repaired(card.as_bytes(), &source);
        let indices = repairs.iter().map(|repair| repair.index).collect();
        (String::from_utf8(bytes).unwrap(), indices)
    }

    #[test]
    fn evidence_of_the_typographic_grade_changes_and_nothing_else() {
        let card = "---\npersona: p\nfindings:\n- claim: what it's called\n  evidence: means what it's called\n- evidence: 'means what it''s called'\n- evidence: \"\\\"Rent\\\" means\"\n- evidence: The landlord is liable.\n---\nwhat it's called\n";
        let (text, indices) = mended(card);
        assert_eq!(indices, [0, 1, 2]);
        assert_eq!(
            text,
            "---\npersona: p\nfindings:\n- claim: what it's called\n  evidence: means what it’s called\n- evidence: 'means what it’s called'\n- evidence: \"“Rent” means\"\n- evidence: The landlord is liable.\n---\nwhat it's called\n"
        );
    }

    #[test]
    fn json_changes_in_its_place() {
        let card = r#"{"findings": [{"evidence": "\"Rent\" means"}]}"#;
        assert_eq!(
            mended(card),
            (
                r#"{"findings": [{"evidence": "“Rent” means"}]}"#.to_owned(),
                vec![0]
            )
        );
    }

    #[test]
    fn what_is_no_scorecard_stays() {
        assert_eq!(mended("prose"), ("prose".to_owned(), vec![]));
    }
}
