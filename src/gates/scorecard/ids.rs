//! The stable name of a finding.
//!
//! In: persona, target and claim. Out: `persona-1234abcd`, the same for texts that differ only in
//! case and white space. Evidence, ask and severity do not count.

use crate::text::Text;
use crate::text::python::is_space;
use crate::value::yaml::YamlValue;
use sha2::{Digest, Sha256};

/// Hexadecimal digits of the hash that an id shows.
const SHOWN_DIGITS: usize = 8;

/// A text that UTF-8 cannot carry cannot be hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoneSurrogate;

/// The canonical form of a text: trimmed, lowered as `str.lower` does, white space runs one blank.
fn canonical(text: &str) -> String {
    let is_space = |character: char| is_space(u32::from(character));
    let mut out = String::with_capacity(text.len());
    // Lowering looks around a sigma, so it comes before the blanks are touched.
    for word in text
        .trim_matches(is_space)
        .to_lowercase()
        .split(is_space)
        .filter(|word| !word.is_empty())
    {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The canonical form of a field: absent and null are empty, everything else its printed form.
fn canonical_field(value: Option<&YamlValue>) -> Result<String, LoneSurrogate> {
    match value {
        None | Some(YamlValue::Null) => Ok(String::new()),
        Some(value) => Ok(canonical(value.to_printed().as_str().ok_or(LoneSurrogate)?)),
    }
}

/// The id of a finding.
///
/// # Errors
/// [`LoneSurrogate`] when target or claim holds one.
pub fn finding_id(
    persona: &str,
    target: Option<&YamlValue>,
    claim: Option<&YamlValue>,
) -> Result<String, LoneSurrogate> {
    let persona = canonical(persona);
    let text = format!(
        "{persona}|{}|{}",
        canonical_field(target)?,
        canonical_field(claim)?
    );
    let digest = Sha256::digest(text.as_bytes());
    let mut id = persona;
    id.push('-');
    id.extend(
        digest
            .iter()
            .flat_map(|byte| [byte >> 4, byte & 0x0F])
            .take(SHOWN_DIGITS)
            .filter_map(|digit| char::from_digit(u32::from(digit), 16)),
    );
    Ok(id)
}

/// The id that a draft gave a finding, in its printed form, else `finding-N` by its place from 0.
pub fn draft_id(id: Option<&YamlValue>, index: usize) -> Text<'static> {
    match id {
        Some(id) if id.is_truthy() => id.to_printed(),
        Some(_) | None => Text::from(format!("finding-{index}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(persona: &str, target: &str, claim: &str) -> String {
        let text = |text: &str| YamlValue::from_text(text);
        finding_id(persona, Some(&text(target)), Some(&text(claim))).unwrap()
    }

    #[test]
    fn the_contract_example() {
        assert_eq!(id("rev", "t", "bad"), "rev-719cae1a");
    }

    #[test]
    fn case_and_white_space_do_not_count() {
        let wanted = id("rev", "## a b", "one two");
        assert_eq!(
            id("Rev", " ## A\u{a0}\n b", "\u{2028}ONE\t two\u{1c}"),
            wanted
        );
        assert_ne!(id("rev", "## a b", "one\u{200b}two"), wanted);
    }

    #[test]
    fn falsy_values_are_hashed_and_null_is_empty() {
        let empty = finding_id("rev", None, Some(&YamlValue::Null)).unwrap();
        assert_eq!(empty, id("rev", "", ""));
        assert_eq!(
            finding_id("rev", Some(&YamlValue::Int(0)), None).unwrap(),
            id("rev", "0", "")
        );
        assert_eq!(
            finding_id("rev", Some(&YamlValue::List(vec![])), None).unwrap(),
            id("rev", "[]", "")
        );
    }

    #[test]
    fn a_draft_id_is_used_when_it_says_something() {
        assert_eq!(draft_id(Some(&YamlValue::Int(7)), 0), "7");
        assert_eq!(draft_id(Some(&YamlValue::Bool(false)), 3), "finding-3");
        assert_eq!(draft_id(None, 1), "finding-1");
    }
}
