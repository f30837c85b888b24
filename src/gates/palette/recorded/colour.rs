//! Colour tokens of the recorded recount: canonical forms of texts and the colours inside them.
//!
//! In: a string's code points as generalised UTF-8. Out: tokens such as `#rrggbbaa`, or the text
//! itself. Written for the recount alone: nothing here is shared with another palette check, so
//! that a fault in one cannot hide in the other.

use crate::text::python::is_space;
use crate::text::{Text, push_code_point};
use std::borrow::Cow;
use unicode_general_category::{GeneralCategory, get_general_category};

/// Texts that name no colour.
const NOTHING: [&[u8]; 8] = [
    b"",
    b"transparent",
    b"none",
    b"currentcolor",
    b"inherit",
    b"initial",
    b"unset",
    b"auto",
];

/// The canonical form of a text: nothing, a hex form, an rgb form, or the trimmed lower-case text.
pub(super) fn canonical(text: &[u8]) -> Option<Vec<u8>> {
    let lowered = lower(strip(text));
    if NOTHING.contains(&lowered.as_slice()) {
        return None;
    }
    Some(
        hex_form(&lowered)
            .or_else(|| rgb_form(&lowered))
            .unwrap_or(lowered),
    )
}

/// Every colour that stands inside `text`: hex runs that end at a word boundary, and rgb calls up
/// to their first closing parenthesis.
pub(super) fn inside(text: &[u8], mut see: impl FnMut(Vec<u8>)) {
    let mut from = 0;
    while let Some(at) = find(text, from, b'#') {
        let digits = text.get(at + 1..).unwrap_or_default();
        let count = digits
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        let rest = digits.get(count..).unwrap_or_default();
        // A longer run has no boundary after its eighth digit, a shorter one none before its end.
        if (3..=8).contains(&count)
            && !begins_with_word_character(rest)
            && let Some(form) = text.get(at..=at + count).and_then(hex_form)
        {
            see(form);
        }
        from = at + 1 + count;
    }
    let mut from = 0;
    while let Some(open) = find(text, from, b'(') {
        from = open + 1;
        let before = text.get(..open).unwrap_or_default();
        let name = ["rgba", "rgb"]
            .into_iter()
            .find(|name| ends_with_ignoring_case(before, name.as_bytes()));
        let Some(name) = name else { continue };
        let Some(close) = find(text, from, b')') else {
            return;
        };
        if let Some(form) = text.get(open - name.len()..=close).and_then(rgb_form) {
            see(form);
        }
        from = close + 1;
    }
}

fn find(text: &[u8], from: usize, byte: u8) -> Option<usize> {
    Some(from + memchr::memchr(byte, text.get(from..)?)?)
}

fn ends_with_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.len()
        .checked_sub(word.len())
        .and_then(|start| text.get(start..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(word))
}

/// `#rrggbbaa` of `#` and 3, 4, 6 or 8 hex digits of either case.
fn hex_form(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.strip_prefix(b"#")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let mut form = Vec::with_capacity(9);
    form.push(b'#');
    match digits.len() {
        3 | 4 => form.extend(digits.iter().flat_map(|&digit| [digit, digit])),
        6 | 8 => form.extend_from_slice(digits),
        _ => return None,
    }
    if form.len() == 7 {
        form.extend_from_slice(b"ff");
    }
    form.make_ascii_lowercase();
    Some(form)
}

/// `#rrggbbaa` of a whole rgb or rgba call.
fn rgb_form(text: &[u8]) -> Option<Vec<u8>> {
    let name = text
        .split_at_checked(3)
        .filter(|(name, _)| name.eq_ignore_ascii_case(b"rgb"));
    let mut rest = name?.1;
    if let Some((b'a' | b'A', tail)) = rest.split_first() {
        rest = tail;
    }
    let inner = rest.strip_prefix(b"(")?.strip_suffix(b")")?;
    if inner.contains(&b')') {
        return None;
    }
    let parts: Vec<&[u8]> = inner
        .split(|byte| matches!(byte, b',' | b'/'))
        .map(strip)
        .filter(|part| !part.is_empty())
        .collect();
    let (channels, rest) = parts.split_at_checked(3)?;
    let mut form = String::from("#");
    for part in channels {
        push_byte(&mut form, channel(number(without_percents(part))?)?);
    }
    push_byte(
        &mut form,
        match rest.first() {
            None => 255,
            Some(part) => alpha(part)?,
        },
    );
    Some(form.into_bytes())
}

fn push_byte(form: &mut String, byte: u8) {
    form.push_str(&crate::digest::hex(&[byte]));
}

/// A channel: half to even, then modulo 256 as Python's `%` gives it.
fn channel(number: f64) -> Option<u8> {
    if !number.is_finite() {
        return None;
    }
    // 0 to 255 after the modulo, so the conversion is exact.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the modulo leaves a whole number below 256"
    )]
    Some(number.round_ties_even().rem_euclid(256.0) as u8)
}

/// An alpha part: 0 to 1, or a percentage; rounded half to even and clamped.
fn alpha(part: &[u8]) -> Option<u8> {
    let share = if part.ends_with(b"%") {
        number(without_percents(part))? / 100.0
    } else {
        number(part)?
    };
    let scaled = share * 255.0;
    if !scaled.is_finite() {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the clamp leaves a whole number below 256"
    )]
    Some(scaled.round_ties_even().clamp(0.0, 255.0) as u8)
}

fn without_percents(part: &[u8]) -> &[u8] {
    let end = part
        .iter()
        .rposition(|&byte| byte != b'%')
        .map_or(0, |at| at + 1);
    part.get(..end).unwrap_or_default()
}

/// The number that Python's `float` reads: white space around it, decimal digits of any script,
/// underscores between digits, `inf` and `nan` of either case.
fn number(text: &[u8]) -> Option<f64> {
    let ascii = if text.is_ascii() {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(
            Text::from_wtf8(Cow::Borrowed(text))
                .code_points()
                .map(ascii_of)
                .collect(),
        )
    };
    let trimmed = ascii.trim_ascii_start();
    // `trim_ascii` leaves the vertical tab, which C's `isspace` takes.
    let is_blank = |byte: &u8| matches!(byte, b' ' | 0x09..=0x0D);
    let start = trimmed.iter().position(|byte| !is_blank(byte))?;
    let end = trimmed.iter().rposition(|byte| !is_blank(byte))? + 1;
    let literal = trimmed.get(start..end)?;
    let mut plain = String::with_capacity(literal.len());
    let mut before = b' ';
    for (at, &byte) in literal.iter().enumerate() {
        if byte == b'_' {
            let after = literal.get(at + 1).copied().unwrap_or_default();
            if !before.is_ascii_digit() || !after.is_ascii_digit() {
                return None;
            }
        } else {
            plain.push(char::from(byte));
        }
        before = byte;
    }
    plain.parse().ok()
}

/// What Python's `float` makes of a code point before it looks for a number.
fn ascii_of(code_point: u32) -> u8 {
    match u8::try_from(code_point) {
        Ok(byte) if byte.is_ascii() => byte,
        _ if is_space(code_point) => b' ',
        _ => decimal_digit(code_point).map_or(b'?', |digit| b'0' + digit),
    }
}

/// The value of a decimal digit of any script: they stand in runs of ten that begin with a zero.
fn decimal_digit(code_point: u32) -> Option<u8> {
    let is_digit = |code_point: u32| {
        char::from_u32(code_point).is_some_and(|character| {
            get_general_category(character) == GeneralCategory::DecimalNumber
        })
    };
    if !is_digit(code_point) {
        return None;
    }
    let mut before = 0;
    while is_digit(code_point - before - 1) {
        before += 1;
    }
    u8::try_from(before % 10).ok()
}

/// Whether the text begins with what Python's `\w` takes: letters, numbers, underscore.
fn begins_with_word_character(text: &[u8]) -> bool {
    let Some(&first) = text.first() else {
        return false;
    };
    if first.is_ascii() {
        return first.is_ascii_alphanumeric() || first == b'_';
    }
    let next = Text::from_wtf8(Cow::Borrowed(text)).code_points().next();
    next.and_then(char::from_u32).is_some_and(|character| {
        use GeneralCategory as Category;
        matches!(
            get_general_category(character),
            Category::UppercaseLetter
                | Category::LowercaseLetter
                | Category::TitlecaseLetter
                | Category::ModifierLetter
                | Category::OtherLetter
                | Category::DecimalNumber
                | Category::LetterNumber
                | Category::OtherNumber
        )
    })
}

/// Python's `str.strip()`.
fn strip(text: &[u8]) -> &[u8] {
    let (Some(&first), Some(&last)) = (text.first(), text.last()) else {
        return text;
    };
    if first > 0x20 && first < 0x80 && last > 0x20 && last < 0x80 {
        return text;
    }
    let mut rest = text;
    while let Some(code_point) = Text::from_wtf8(Cow::Borrowed(rest)).code_points().next()
        && is_space(code_point)
    {
        rest = rest
            .get(crate::text::encoded_len(code_point)..)
            .unwrap_or_default();
    }
    loop {
        let start = rest
            .iter()
            .rposition(|byte| byte & 0xC0 != 0x80)
            .unwrap_or(0);
        let (head, tail) = rest.split_at_checked(start).unwrap_or((&[], rest));
        match Text::from_wtf8(Cow::Borrowed(tail)).code_points().next() {
            Some(code_point) if is_space(code_point) => rest = head,
            _ => return rest,
        }
    }
}

/// Python's `str.lower()`: full case mapping, final sigma included.
fn lower(text: &[u8]) -> Vec<u8> {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = Vec::with_capacity(text.len());
    // A lone surrogate is neither cased nor ignored, so a sigma before one is final: lowering the
    // pieces between surrogates is lowering the whole.
    for chunk in text.utf8_chunks() {
        out.extend_from_slice(chunk.valid().to_lowercase().as_bytes());
        out.extend_from_slice(chunk.invalid());
    }
    out
}

/// Whether a member name puts what is below it into colour context.
pub(super) fn names_colour(key: &[u8]) -> bool {
    key.windows(5)
        .any(|window| window.eq_ignore_ascii_case(b"color"))
}

/// One code point as a text of its own.
pub(super) fn character(code_point: u32) -> Vec<u8> {
    let mut out = Vec::new();
    push_code_point(&mut out, code_point);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<String> {
        canonical(text.as_bytes()).map(|form| String::from_utf8(form).unwrap())
    }

    fn found(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        inside(text.as_bytes(), |form| {
            all.push(String::from_utf8(form).unwrap());
        });
        all
    }

    #[test]
    fn texts_have_canonical_forms() {
        for (text, form) in [
            ("#Abc", Some("#aabbccff")),
            ("#abcd", Some("#aabbccdd")),
            ("#12345", Some("#12345")),
            ("#٣٣٣", Some("#٣٣٣")),
            ("\u{1c}#FFF\u{a0}", Some("#ffffffff")),
            ("\u{feff}#FFF", Some("\u{feff}#fff")),
            (" Transparent ", None),
            ("\u{2003}", None),
            ("İÉΣ", Some("i̇éς")),
            ("RED", Some("red")),
        ] {
            assert_eq!(shown(text).as_deref(), form, "{text:?}");
        }
    }

    #[test]
    fn rgb_reads_numbers_as_python_does() {
        for (text, form) in [
            ("rgb(0.5,1.5,2.5)", "#000202ff"),
            ("rgb(-1,256,511)", "#ff00ffff"),
            ("RGBA(0, 0, 0 / 50%)", "#00000080"),
            ("rgb(1%%,2,3)", "#010203ff"),
            ("rgb(1_0,١,3,,)", "#0a0103ff"),
            ("rgb(1 %,2,3)", "#010203ff"),
            ("rgba(0,0,0,.999,junk)", "#000000ff"),
            ("rgba(0,0,0,-5)", "#00000000"),
            ("rgba(1e300,1e20,0,5%%)", "#0000000d"),
            ("rgb(1\u{b},2\u{85},3)", "#010203ff"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(form), "{text:?}");
        }
        for text in [
            "rgb(nan,0,0)",
            "rgb(inf,0,0)",
            "rgba(0,0,0,1e308)",
            "rgb(1__0,2,3)",
            "rgb(_1,2,3)",
            "rgb(1_,2,3)",
            "rgb(0x1,2,3)",
            "rgb(1\u{1c}%,2,3)",
            "rgb(1 2 3)",
            "rgb (1,2,3)",
            "rgb(1,2,3);",
            "rgb(calc(1),2,3)",
            "rgb(1,2,3",
        ] {
            assert_eq!(shown(text).as_deref(), Some(text), "{text:?}");
        }
    }

    #[test]
    fn colours_inside_a_text_end_at_boundaries() {
        for (text, forms) in [
            ("#fff-a #12345 #123456789 #fffx #fff_", &["#ffffffff"][..]),
            ("色は#0f766eです", &[]),
            ("x#ABC;", &["#aabbccff"]),
            ("#abc\u{301}", &["#aabbccff"]),
            ("#abc²", &[]),
            ("##abc", &["#aabbccff"]),
            ("xrgb(1,2,3) RGBA(4,5,6,0)", &["#010203ff", "#04050600"]),
            ("rgb(rgb(1,2,3) rgb(4,5,6)", &["#040506ff"]),
            ("rgb(1,2,3", &[]),
        ] {
            assert_eq!(found(text), forms, "{text:?}");
        }
        let mut bytes = b"#abc".to_vec();
        push_code_point(&mut bytes, 0xD800);
        let mut count = 0;
        inside(&bytes, |_| count += 1);
        assert_eq!(count, 1, "a lone surrogate is no word character");
    }
}
