//! Banned phrases, found as Python's `re.IGNORECASE` finds literal text.
//!
//! In: a persona's list, a claim or ask. Out: whether a phrase stands in it. Letters compare one to
//! one (`ß` is not `ss`), and no ASCII letter, digit or `_` may touch the phrase; every other
//! character is a boundary.

use crate::text::{Text, push_code_point};
use crate::value::yaml::YamlValue;

/// The letter that stands for all letters `re.IGNORECASE` takes for the same.
///
/// Python lowers a character by itself, then knows groups that lowering does not bring together.
fn folded(code_point: u32) -> u32 {
    if code_point < 0x80 {
        return match code_point {
            0x41..=0x5A => code_point + 0x20,
            _ => code_point,
        };
    }
    let Some(character) = char::from_u32(code_point) else {
        return code_point;
    };
    let lower = character
        .to_lowercase()
        .next()
        .map_or(code_point, u32::from);
    match lower {
        0x131 => 0x69,
        0x17F => 0x73,
        0xB5 => 0x3BC,
        0x345 | 0x1FBE => 0x3B9,
        0x1FD3 => 0x390,
        0x1FE3 => 0x3B0,
        0x3D0 => 0x3B2,
        0x3F5 => 0x3B5,
        0x3D1 => 0x3B8,
        0x3F0 => 0x3BA,
        0x3D6 => 0x3C0,
        0x3F1 => 0x3C1,
        0x3C2 => 0x3C3,
        0x3D5 => 0x3C6,
        0x1C80 => 0x432,
        0x1C81 => 0x434,
        0x1C82 => 0x43E,
        0x1C83 => 0x441,
        0x1C84 | 0x1C85 => 0x442,
        0x1C86 => 0x44A,
        0x1C87 => 0x463,
        0x1C88 => 0xA64B,
        0x1E9B => 0x1E61,
        0xFB05 => 0xFB06,
        _ => lower,
    }
}

/// A text ready to be searched.
#[derive(Clone, Debug)]
pub struct FoldedText(Vec<u8>);

impl FoldedText {
    /// Fold `text`, once for all phrases.
    pub fn of(text: &Text<'_>) -> Self {
        let mut bytes = Vec::with_capacity(text.as_bytes().len());
        for code_point in text.code_points() {
            push_code_point(&mut bytes, folded(code_point));
        }
        Self(bytes)
    }
}

/// One phrase that a persona may not use.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// As it is listed, blanks at its ends cut.
    pub text: Text<'static>,
    folded: FoldedText,
}

impl Phrase {
    /// A phrase; nothing when it is blank.
    pub fn of(text: &Text<'_>) -> Option<Self> {
        let text = text.strip().into_owned();
        if text.is_empty() {
            return None;
        }
        let folded = FoldedText::of(&text);
        Some(Self { text, folded })
    }

    /// Whether the phrase stands in `text` with no word character before or behind it.
    pub fn is_in(&self, text: &FoldedText) -> bool {
        let phrase = self.folded.0.as_slice();
        let text = text.0.as_slice();
        let finder = memchr::memmem::Finder::new(phrase);
        let mut from = 0;
        while let Some(found) = text.get(from..).and_then(|rest| finder.find(rest)) {
            let start = from + found;
            let before = start.checked_sub(1).and_then(|at| text.get(at));
            let behind = text.get(start + phrase.len());
            if !before.is_some_and(|&byte| is_word(byte))
                && !behind.is_some_and(|&byte| is_word(byte))
            {
                return true;
            }
            // Only behind a character that is no word character can the next one start; a text of
            // one letter repeated would otherwise be searched once for each letter.
            let rest = text.get(start..).unwrap_or_default();
            match rest.iter().position(|&byte| !is_word(byte)) {
                Some(boundary) => from = start + boundary + 1,
                None => return false,
            }
        }
        false
    }
}

/// Folding brings the four letters beyond ASCII that count (`İ ı ſ K`) into ASCII.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A persona's phrases in the order of its list.
#[derive(Clone, Debug, Default)]
pub struct Phrases(Vec<Phrase>);

impl Phrases {
    /// The phrases of a `banned_phrases` list: each item counts by its printed form, each of its
    /// lines for itself, blank ones not at all.
    pub fn of_items(items: &[YamlValue]) -> Self {
        let mut phrases = Vec::with_capacity(items.len());
        for item in items {
            let printed = item.to_printed();
            for line in printed.as_bytes().split(|&byte| byte == b'\n') {
                phrases.extend(Phrase::of(&Text::from_wtf8(line.into())));
            }
        }
        Self(phrases)
    }

    /// The phrases in `texts`; blank ones do not count.
    pub fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        Self(
            texts
                .into_iter()
                .filter_map(|text| Phrase::of(&Text::borrowed(text)))
                .collect(),
        )
    }

    /// Whether nothing is banned.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of phrases.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The phrase at `index`.
    pub fn get(&self, index: usize) -> Option<&Phrase> {
        self.0.get(index)
    }

    /// The phrases of both lists, those of `other` behind these.
    #[must_use]
    pub fn joined(&self, other: &Self) -> Self {
        Self(self.0.iter().chain(&other.0).cloned().collect())
    }

    /// Phrases in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Phrase> {
        self.0.iter()
    }

    /// The first phrase that stands in any of `texts`.
    pub fn first_in(&self, texts: &[FoldedText]) -> Option<&Phrase> {
        self.iter()
            .find(|phrase| texts.iter().any(|text| phrase.is_in(text)))
    }
}

impl<'p> IntoIterator for &'p Phrases {
    type Item = &'p Phrase;
    type IntoIter = std::slice::Iter<'p, Phrase>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrase: &str, text: &str) -> bool {
        Phrase::of(&Text::borrowed(phrase))
            .unwrap()
            .is_in(&FoldedText::of(&Text::borrowed(text)))
    }

    #[test]
    fn phrases_are_found_as_whole_words_in_any_case() {
        let table = [
            ("consider", "Consider it", true),
            ("consider", "re-consider", true),
            ("consider", "éconsider", true),
            ("consider", "reconsider", false),
            ("consider", "consider_x consider2 Xconsider", false),
            ("consider", "reconsider, consider", true),
            ("consider", "con\u{17f}\u{131}der", true),
            ("think about", "think  about", false),
            ("think about", "think\nabout", false),
            ("c++", "use c+++ here", true),
            ("n/a", "on/a", false),
            ("mask", "mas\u{212a}", true),
            ("mass", "maß", false),
            ("straße", "STRA\u{1e9e}E", true),
            ("ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ", true),
            ("aa", "aaa aa", true),
            ("aa", "aaaa", false),
            ("a a", "a a ab", true),
            ("a a", "ba a a", true),
            ("a a", "ba a ab", false),
            ("-x-", "-x-x-", false),
            ("--", "a---", true),
            ("x", "\u{212a}x x\u{130}", false),
            ("ab", "ab1 ab", true),
        ];
        for (phrase, text, wanted) in table {
            assert_eq!(found(phrase, text), wanted, "{phrase:?} in {text:?}");
        }
    }

    #[test]
    fn items_count_by_their_printed_lines() {
        let list =
            crate::value::yaml::parse_yaml(b"[no, ~, ' x ', \"two\\n\\n lines\", '']").unwrap();
        let phrases = Phrases::of_items(list.as_list().unwrap());
        let texts: Vec<_> = phrases
            .iter()
            .map(|phrase| phrase.text.to_display().into_owned())
            .collect();
        assert_eq!(texts, ["False", "None", "x", "two", "lines"]);
        assert!(Phrases::of_texts([" ", "\n"]).is_empty());
    }

    #[test]
    fn a_text_of_one_letter_is_searched_in_linear_time() {
        let text = FoldedText::of(&Text::from("a".repeat(2_000_000)));
        let phrase = Phrase::of(&Text::from("a".repeat(1_000_000))).unwrap();
        assert!(!phrase.is_in(&text));
    }
}
