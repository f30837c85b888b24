//! What single characters mean to quote matching: white space, word parts, dashes, folds.
//!
//! In: one character. Out: its class, or the character it folds to. No text is walked here;
//! `view` and `flags` do that. Tables list code points so that a reader can check them.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, is_nfkc_quick};
use unicode_script::{Script, UnicodeScript};

/// White space of any kind: Unicode's, and the four separators Python adds (U+001C to U+001F).
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// A line end of any kind, form feed and vertical tab included.
pub(super) fn is_line_end(character: char) -> bool {
    matches!(
        character,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Characters without ink that a copy may gain or lose: soft hyphen, zero-width spaces and
/// joiners, direction marks, variation selectors.
pub(super) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Dashes and hyphens of every width, the minus sign too.
pub(super) fn is_dash(character: char) -> bool {
    matches!(
        character,
        '-' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2043}'
                | '\u{207b}'
                | '\u{208b}'
                | '\u{2212}'
                | '\u{2e3a}'
                | '\u{2e3b}'
                | '\u{fe31}'
                | '\u{fe32}'
                | '\u{fe58}'
                | '\u{fe63}'
                | '\u{ff0d}'
    )
}

/// The dashes that divide a word at a line end.
pub(super) fn is_hyphen(character: char) -> bool {
    matches!(
        character,
        '-' | '\u{2010}' | '\u{2011}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Apostrophes, which belong to words when letters stand on both sides.
pub(super) fn is_apostrophe(character: char) -> bool {
    matches!(
        character,
        '\'' | '\u{2019}'
            | '\u{2018}'
            | '\u{201b}'
            | '\u{2bc}'
            | '\u{2032}'
            | '\u{ff07}'
            | '\u{55a}'
    )
}

/// The plain character a typographic variant folds to, before and beside Unicode's own forms.
pub(super) fn fold(character: char) -> Option<char> {
    if is_dash(character) {
        return Some('-');
    }
    match character {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{2035}'
        | '\u{2039}' | '\u{203a}' | '\u{b4}' | '\u{2b9}' | '\u{2bb}' | '\u{2bc}' | '\u{2bd}'
        | '\u{55a}' | '\u{275b}' | '\u{275c}' | '\u{ff07}' => Some('\''),
        '\u{ab}'
        | '\u{bb}'
        | '\u{201c}'
        | '\u{201d}'
        | '\u{201e}'
        | '\u{201f}'
        | '\u{2033}'
        | '\u{2036}'
        | '\u{2ba}'
        | '\u{2dd}'
        | '\u{275d}'
        | '\u{275e}'
        | '\u{300c}'..='\u{300f}'
        | '\u{301d}'..='\u{301f}'
        | '\u{2e42}'
        | '\u{ff02}'
        | '\u{ff62}'
        | '\u{ff63}' => Some('"'),
        '\u{2044}' | '\u{2215}' => Some('/'),
        '\u{2236}' => Some(':'),
        _ => None,
    }
}

/// The text an ellipsis character folds to.
pub(super) fn fold_ellipsis(character: char) -> Option<&'static str> {
    matches!(character, '\u{2026}' | '\u{22ef}' | '\u{fe19}').then_some("...")
}

/// Whether normalisation (NFKC) can start anew at this character, whatever stands before it.
pub(super) fn starts_segment(character: char) -> bool {
    if character.is_ascii() {
        return true;
    }
    if canonical_combining_class(character) != 0 {
        return false;
    }
    match is_nfkc_quick(std::iter::once(character)) {
        IsNormalized::Yes => true,
        IsNormalized::Maybe => false,
        IsNormalized::No => {
            // Half-width voiced marks (U+FF9E) are starters that decompose to a combining mark.
            let mut first = None;
            decompose_compatible(character, |part| {
                first.get_or_insert(part);
            });
            first.is_none_or(|part| {
                canonical_combining_class(part) == 0
                    && is_nfkc_quick(std::iter::once(part)) != IsNormalized::Maybe
            })
        }
    }
}

/// Whether the character is its own NFKC form when it stands alone.
pub(super) fn is_stable(character: char) -> bool {
    character.is_ascii() || is_nfkc_quick(std::iter::once(character)) == IsNormalized::Yes
}

/// Scripts written without spaces between words, their punctuation included.
pub(super) fn is_unspaced(character: char) -> bool {
    if character < '\u{e00}' {
        return false;
    }
    if matches!(character, '\u{3000}'..='\u{303f}' | '\u{30fb}' | '\u{30fc}')
        || matches!(character, '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
        || matches!(character, '\u{fe30}'..='\u{fe4f}')
    {
        return true;
    }
    let scripts = character.script_extension();
    if scripts.is_common() || scripts.is_inherited() {
        return false;
    }
    UNSPACED
        .iter()
        .any(|&script| scripts.contains_script(script))
}

const UNSPACED: [Script; 17] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Bopomofo,
    Script::Yi,
    Script::Tangut,
    Script::Nushu,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
    Script::Tibetan,
    Script::Tai_Le,
    Script::New_Tai_Lue,
    Script::Tai_Tham,
    Script::Tai_Viet,
    Script::Javanese,
];

/// A combining mark, which belongs to the character before it.
pub(super) fn is_mark(character: char) -> bool {
    !character.is_ascii()
        && matches!(
            get_general_category(character),
            GeneralCategory::NonspacingMark
                | GeneralCategory::SpacingMark
                | GeneralCategory::EnclosingMark
        )
}

/// Part of a word on its own: letters, digits, marks, the underscore.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || is_mark(character)
}

/// The value of a decimal digit of any script.
pub(super) fn digit_value(character: char) -> Option<u32> {
    if character.is_ascii() {
        return character.to_digit(10);
    }
    if get_general_category(character) != GeneralCategory::DecimalNumber {
        return None;
    }
    // Each script's ten digits stand side by side and in order, so the count of digits directly
    // before, modulo ten, is the value; the mathematical digits are five such rows in one block.
    if let code @ 0x1d7ce..=0x1d7ff = u32::from(character) {
        return Some((code - 0x1d7ce) % 10);
    }
    let mut value = 0;
    let mut code = u32::from(character);
    while value < 10 {
        code = code.checked_sub(1)?;
        match char::from_u32(code) {
            Some(before) if get_general_category(before) == GeneralCategory::DecimalNumber => {
                value += 1;
            }
            _ => break,
        }
    }
    Some(value % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_any_script_have_values() {
        assert_eq!(digit_value('7'), Some(7));
        assert_eq!(digit_value('٣'), Some(3));
        assert_eq!(digit_value('９'), Some(9));
        assert_eq!(digit_value('𝟘'), Some(0));
        assert_eq!(digit_value('²'), None);
        assert_eq!(digit_value('x'), None);
    }

    #[test]
    fn scripts_without_spaces() {
        for character in ['漢', 'か', 'ア', '、', '。', '（', 'ก', 'ー'] {
            assert!(is_unspaced(character), "{character}");
        }
        for character in ['a', '한', 'é', '”', '…', 'Ａ'] {
            assert!(!is_unspaced(character), "{character}");
        }
    }

    #[test]
    fn marks_continue_a_segment() {
        assert!(!starts_segment('\u{301}'));
        assert!(!starts_segment('\u{ff9e}'));
        assert!(!starts_segment('\u{1161}'));
        assert!(starts_segment('ﬁ'));
        assert!(starts_segment('é'));
    }
}
