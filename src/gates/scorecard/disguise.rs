//! Banned phrases behind a disguise: what a reader sees, not what the bytes are.
//!
//! In: a phrase, or a claim or ask. Out: both as a reader sees them: Markdown, HTML and entities
//! rendered, compatibility forms decomposed, invisible characters and combining marks gone, look-alike
//! letters (Unicode's confusables) as the letters they look like, any white space as one blank. The
//! recorded command knows none of this; only the strict gate asks here, after the plain search.

use super::phrases::Phrases;
use crate::extract::{Extractor, extract};
use crate::invariant::Invariant as _;
use crate::text::Text;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::decompose_compatible;
use unicode_script::{Script, UnicodeScript};
use unicode_security::confusable_detection::skeleton;

/// Which letters are taken for what they look like before letter case goes: none, those beyond ASCII,
/// or all.
///
/// Case and looks do not commute: a Greek capital nu looks like `N` and its small letter like `v`; a
/// capital `I` may stand for itself or for `l`. A phrase counts when it is found under any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    None,
    Foreign,
    All,
}

const ORDERS: [Order; 3] = [Order::None, Order::Foreign, Order::All];

/// Letters without ink that are drawn as a gap by one font and not at all by another.
const FILLERS: [char; 4] = ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'];

/// A text as it looks, ready to be searched, and which of its bytes belong to words.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Look {
    text: String,
    is_word: Vec<bool>,
}

impl Look {
    fn of(text: &str, order: Order, fillers_are_gaps: bool) -> Self {
        let mut look = Self::default();
        let mut is_gap = false;
        for character in text.chars() {
            let is_blank = is_blank(character) || fillers_are_gaps && FILLERS.contains(&character);
            if is_blank {
                is_gap = true;
                continue;
            }
            if is_invisible(character) {
                continue;
            }
            let mut parts = Vec::new();
            decompose_compatible(enclosed_letter(character), |part| parts.push(part));
            for part in parts {
                if is_blank_or_gap(part, &mut is_gap) || is_stripped_mark(part) {
                    continue;
                }
                if is_gap && !look.text.is_empty() {
                    look.push(' ', false);
                }
                is_gap = false;
                for letter in letters(part, order) {
                    look.push(letter, part.is_alphanumeric());
                }
            }
        }
        look
    }

    fn push(&mut self, character: char, is_alphanumeric: bool) {
        // The recorded rule about neighbours: only what looks like an ASCII letter or digit is one.
        let is_word = character == '_' || character.is_ascii_alphanumeric() && is_alphanumeric;
        self.text.push(character);
        self.is_word
            .extend(std::iter::repeat_n(is_word, character.len_utf8()));
    }

    fn holds(&self, phrase: &str) -> bool {
        let finder = memchr::memmem::Finder::new(phrase.as_bytes());
        let bytes = self.text.as_bytes();
        let is_word = |at: Option<usize>| {
            at.and_then(|at| self.is_word.get(at))
                .copied()
                .unwrap_or(false)
        };
        let mut from = 0;
        while let Some(found) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
            let start = from + found;
            if !is_word(start.checked_sub(1)) && !is_word(start.checked_add(phrase.len())) {
                return true;
            }
            // The next one can only start behind something that is no part of a word.
            let rest = self.is_word.get(start..).unwrap_or_default();
            match rest.iter().position(|is_word| !is_word) {
                Some(boundary) => from = start + boundary + 1,
                None => return false,
            }
        }
        false
    }
}

/// A gap when `part` is white space that came out of a compatibility form.
fn is_blank_or_gap(part: char, is_gap: &mut bool) -> bool {
    let is_blank = is_blank(part);
    *is_gap |= is_blank;
    is_blank
}

fn is_blank(character: char) -> bool {
    crate::text::python::is_space(u32::from(character)) || character == '\u{2800}'
}

/// Whether no ink is drawn for `character`: control and format characters, and what Unicode lets a
/// program ignore (soft hyphen, joiners, variation selectors, tags, fillers).
fn is_invisible(character: char) -> bool {
    static INVISIBLE: OnceLock<Regex> = OnceLock::new();
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let mut buffer = [0; 4];
    INVISIBLE
        .get_or_init(|| {
            Regex::new(r"^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]$")
                .holds("the pattern of this file compiles")
        })
        .is_match(character.encode_utf8(&mut buffer))
}

/// A combining mark that a letter of any script may carry. Marks that make other letters (Japanese
/// voicing, vowel signs of a script's own) stay.
fn is_stripped_mark(character: char) -> bool {
    !character.is_ascii()
        && matches!(
            get_general_category(character),
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
        )
        && matches!(character.script(), Script::Inherited | Script::Common)
        && !matches!(character, '\u{3099}' | '\u{309a}')
}

/// The letter in a black circle, in a black square, or of a flag, which have no compatibility form;
/// and the small capitals that Unicode's confusables leave out.
fn enclosed_letter(character: char) -> char {
    const SMALL_CAPITALS: &str = "ᴀaʙbᴄcᴅdᴇeꜰfɢgʜhɪiᴊjᴋkʟlᴍmɴnᴏoᴘpꞯqʀrꜱsᴛtᴜuᴠvᴡwʏyᴢz";
    let code_point = u32::from(character);
    for first in [0x1F150, 0x1F170, 0x1F1E6] {
        let index = code_point.wrapping_sub(first);
        if index < 26 {
            return char::from_u32(u32::from('a') + index).unwrap_or(character);
        }
    }
    if character.is_ascii() {
        return character;
    }
    let mut pairs = SMALL_CAPITALS.chars();
    while let (Some(small), Some(letter)) = (pairs.next(), pairs.next()) {
        if small == character {
            return letter;
        }
    }
    character
}

/// What `character` looks like, small.
fn letters(character: char, order: Order) -> Vec<char> {
    let first = match order {
        Order::None => vec![character],
        Order::Foreign if character.is_ascii() => vec![character],
        // Unicode gives `l` for all that looks like a capital i.
        Order::Foreign if character.is_uppercase() && prototype(character) == ['l'] => {
            vec!['I']
        }
        Order::Foreign | Order::All => prototype(character),
    };
    let small: Vec<char> = first.into_iter().flat_map(char::to_lowercase).collect();
    let looks = small.into_iter().flat_map(prototype);
    let small_looks: Vec<char> = looks.flat_map(char::to_lowercase).collect();
    small_looks
        .into_iter()
        .filter(|letter| !is_stripped_mark(*letter))
        .collect()
}

/// The letter that Unicode's confusables give for `character`; ASCII marks stay themselves, so that
/// they go on to be boundaries.
fn prototype(character: char) -> Vec<char> {
    if character.is_ascii() && !character.is_ascii_alphanumeric() {
        return vec![character];
    }
    let mut buffer = [0; 4];
    skeleton(character.encode_utf8(&mut buffer)).collect()
}

/// What a reader sees of a claim or an ask: each way in which it may be shown.
#[derive(Clone, Debug)]
pub struct Seen {
    looks: [BTreeSet<Look>; 3],
}

impl Seen {
    /// The looks of `text`, as it is and rendered.
    pub fn of(text: &Text<'_>) -> Self {
        let plain = joined(text);
        let mut shown = BTreeSet::from([plain.clone()]);
        shown.extend(rendered(&plain));
        let looks = ORDERS.map(|order| {
            let mut looks = BTreeSet::new();
            for text in &shown {
                looks.insert(Look::of(text, order, false));
                if text.contains(FILLERS) {
                    looks.insert(Look::of(text, order, true));
                }
            }
            looks
        });
        Self { looks }
    }
}

/// `text` with escaped surrogates (`"\ud835\udc1c"` in YAML) as the characters they make in pairs.
fn joined(text: &Text<'_>) -> String {
    let units = text.code_points().flat_map(|code_point| {
        let mut units = [0; 2];
        let pair = match char::from_u32(code_point) {
            Some(character) => character.encode_utf16(&mut units).to_vec(),
            None => vec![u16::try_from(code_point).unwrap_or(0xFFFD)],
        };
        pair.into_iter()
    });
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// `text` as Markdown and as HTML show it; nothing when it holds no markup.
fn rendered(text: &str) -> Vec<String> {
    if !text.contains(['*', '_', '~', '`', '&', '<', '[', '\\']) {
        return Vec::new();
    }
    // One paragraph: blank lines and indentation cannot turn a part of it into code, and the letter
    // in front keeps its start from being a heading, a list or a fence.
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = format!("x {}", words.join(" "));
    let options = pulldown_cmark::Options::ENABLE_STRIKETHROUGH;
    let events: Vec<Event<'_>> = Parser::new_ext(&line, options).collect();
    // Without tags, for markup that is too deep to be rendered.
    let mut bare = String::new();
    for event in &events {
        match event {
            Event::Text(text) | Event::Code(text) => bare.push_str(text),
            Event::SoftBreak | Event::HardBreak => bare.push(' '),
            Event::Start(_)
            | Event::End(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events.into_iter());
    [html, line]
        .iter()
        .filter_map(|html| visible(html))
        .chain([bare])
        .filter_map(|text| {
            text.trim_start()
                .strip_prefix('x')
                .map(|rest| rest.trim_start().to_owned())
        })
        .collect()
}

/// The text that a browser shows of `html`.
fn visible(html: &str) -> Option<String> {
    let extracted = extract("claim.html", html.as_bytes(), Extractor::Pdfium).ok()?;
    Some(extracted.text)
}

/// Whether `body`, which is Markdown, shows prose: a letter outside headings, comments and tags.
pub fn shows_prose(body: &str) -> bool {
    let mut in_heading = false;
    let mut html = String::new();
    for event in Parser::new(body) {
        match event {
            Event::Start(Tag::Heading { .. }) => in_heading = true,
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Text(text) | Event::Code(text) if !in_heading => {
                if shows_letter(&text) {
                    return true;
                }
            }
            Event::Html(tag) | Event::InlineHtml(tag) => html.push_str(&tag),
            Event::Start(_)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    // A block of HTML may hold prose of its own.
    !html.is_empty() && visible(&html).is_some_and(|text| shows_letter(&text))
}

/// Whether `text` has a letter that is seen.
pub fn shows_letter(text: &str) -> bool {
    text.chars()
        .any(|character| character.is_alphabetic() && !is_invisible(character))
}

/// `text` without what no ink is drawn for.
pub fn visible_characters(text: &str) -> String {
    text.chars()
        .filter(|character| is_blank(*character) || !is_invisible(*character))
        .collect()
}

/// Whether two names look the same to a reader, letter case apart.
pub fn looks_alike(left: &str, right: &str) -> bool {
    ORDERS
        .iter()
        .any(|order| Look::of(left, *order, false).text == Look::of(right, *order, false).text)
}

/// The phrases of a list as they look.
#[derive(Clone, Debug, Default)]
pub struct Looks(Vec<[String; 3]>);

impl Looks {
    /// The looks of `phrases`, in their order.
    pub fn of(phrases: &Phrases) -> Self {
        let look = |phrase: &super::phrases::Phrase| {
            ORDERS.map(|order| Look::of(&phrase.text.to_display(), order, false).text)
        };
        Self(phrases.iter().map(look).collect())
    }

    /// Whether the phrase at `index` is seen in `text`.
    pub fn is_in(&self, index: usize, text: &Seen) -> bool {
        self.0.get(index).is_some_and(|looks| is_seen(looks, text))
    }
}

fn is_seen(phrase: &[String; 3], text: &Seen) -> bool {
    phrase
        .iter()
        .zip(&text.looks)
        .any(|(phrase, looks)| !phrase.is_empty() && looks.iter().any(|look| look.holds(phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrase: &str, text: &str) -> bool {
        Looks::of(&Phrases::of_texts([phrase])).is_in(0, &Seen::of(&Text::borrowed(text)))
    }

    #[test]
    fn a_disguised_phrase_is_seen() {
        for text in [
            "con\u{ad}sider it",
            "con\u{200b}sider it",
            "con\u{2060}sider it",
            "con\u{fe0f}sider it",
            "con\u{301}sider it",
            "con\u{3164}sider it",
            "con\u{e0061}sider it",
            "ｃｏｎｓｉｄｅｒ it",
            "𝐜𝐨𝐧𝐬𝐢𝐝𝐞𝐫 it",
            "ⅽonsider it",
            "cоnsider it",
            "СОΝSІDЕR it",
            "consid℮r it",
            "c0nsider it",
            "ⓒⓞⓝⓢⓘⓓⓔⓡ it",
            "🅒🅞🅝🅢🅘🅓🅔🅡 it",
            "ᴄᴏɴꜱɪᴅᴇʀ it",
            "c&#111;nsider it",
            "con&shy;sider it",
            "con&#x200b;sider it",
            "con**sider** it",
            "_consider_ it",
            "con<b>sider</b> it",
            "con<!-- x -->sider it",
            "con<span hidden>x</span>sider it",
            "[con](x)sider it",
            "~~consider~~ it",
            "```c&#111;nsider",
            "    c&#111;nsider it",
            "please,\u{200b}consider\u{200b}it: c\u{f8}nsider",
        ] {
            assert!(found("consider", text), "{text:?}");
        }
        for text in [
            "think  about it",
            "think\u{a0}about it",
            "think\nabout it",
            "think\u{2028}about it",
            "think\u{3164}about it",
            "think\u{2800}about it",
            "think&nbsp;about it",
            "think<br>about it",
            "*think* about it",
        ] {
            assert!(found("think about", text), "{text:?}");
        }
        assert!(found("Évaluer", "e\u{301}valuer"));
        assert!(found("рассмотрите", "РАССМОТРИТЕ это"));
        assert!(found("all", "aIl of it"));
    }

    #[test]
    fn other_words_are_not_seen() {
        for (phrase, text) in [
            ("consider", "reconsider it"),
            ("consider", "a considerable delay"),
            ("consider", "con sider"),
            ("consider", "con-sider"),
            ("maybe", "it may be lost"),
            ("fall", "they fail"),
            ("never", "vener"),
            ("がん", "かん"),
            ("consider", ""),
            ("\u{200b}", "x"),
        ] {
            assert!(!found(phrase, text), "{phrase:?} in {text:?}");
        }
    }

    #[test]
    fn prose_is_what_a_reader_sees() {
        for body in ["Nothing found.", "# x\n\nchecked", "`ok`", "<p>checked</p>"] {
            assert!(shows_prose(body), "{body:?}");
        }
        for body in [
            "",
            "# Summary",
            "Summary\n===",
            "<!-- checked -->",
            "\u{115f}\u{3164}",
            "&zwnj;&shy;",
            "[x]: http://e.example",
            "---\n...",
            "<br>",
            "<p hidden>checked</p>",
        ] {
            assert!(!shows_prose(body), "{body:?}");
        }
    }

    #[test]
    fn a_text_of_one_letter_is_searched_in_linear_time() {
        let text = "a".repeat(1_000_000);
        assert!(!found(&"a".repeat(500_000), &text));
    }
}
