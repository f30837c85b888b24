//! CL-3: palette, themes, scales.
//!
//! The only colour code here compares a palette entry with its own canonical value; orphans come
//! from the palette count, which shares nothing with it.

use super::rule;
use crate::gates::draft::place::{Path, in_blueprint};
use crate::gates::draft::reading::{is_empty, is_reasoned_gap, is_same_json, quoted};
use crate::gates::draft::schema::is_hex8;
use crate::gates::draft::{Context, Findings, JsonFile, Level};
use crate::rule::Rule;
use crate::say;
use crate::value::{Object, Text, Value};

/// An observed colour is not in the palette.
pub const ORPHAN: Rule = rule!(
    "CL3-ORPHAN", "palette-orphan", Error, "12.3",
    checks: "A colour observed in a screen is not in the palette; one finding per colour, at the first place it is observed.",
    why: "A palette that lacks colours in use misleads whoever builds from it.",
    fails: "\"hover\": {\"background_color\": \"#0b5e57\"}   (the palette lacks #0b5e57ff)",
    repaired: "a palette entry with \"canonical_hex8\": \"#0b5e57ff\"",
    remedy: "add the colour to the palette, or correct the observation",
);
/// A declared theme has no colours.
pub const THEME: Rule = rule!(
    "CL3-THEME", "theme-without-colours", Error, "12.3",
    checks: "`color_scheme_support` names both light and dark, and `theme_variants` has for one of them neither an entry with colours nor a reasoned gap.",
    why: "The site says it has that theme; the blueprint says nothing about it.",
    fails: "\"color_scheme_support\": [\"light\", \"dark\"], \"theme_variants\": [{\"theme\": \"light\", \"palette\": [{…}]}]",
    repaired: "… [{\"theme\": \"dark\", \"observation_status\": \"not_observed\", \"reason\": \"only light was rendered\"}]",
    remedy: "record the theme's colours, or a gap with a reason",
);
/// A colour has no canonical value, or another one.
pub const CANON: Rule = rule!(
    "CL3-CANON", "colour-not-canonical", Warning, "12.3",
    checks: "A colour of a theme has no `canonical_hex8` of eight hex digits; or a palette entry's hex or rgb `value` normalises to another colour than its `canonical_hex8`.",
    why: "Colours are compared by their canonical value.",
    fails: "{\"value\": \"#0f766e\", \"canonical_hex8\": \"#0f766fff\"}",
    repaired: "{\"value\": \"#0f766e\", \"canonical_hex8\": \"#0f766eff\"}",
    remedy: "write the canonical value that the colour has",
);
/// A colour of a theme has no gamut.
pub const GAMUT: Rule = rule!(
    "CL3-GAMUT", "colour-without-gamut", Note, "12.3",
    checks: "A colour of a theme has a canonical value and no `gamut`.",
    why: "Eight hex digits mean different colours in different gamuts.",
    fails: "\"theme_variants\": [{\"theme\": \"dark\", \"palette\": [{\"canonical_hex8\": \"#111827ff\"}]}]",
    repaired: "… [{\"canonical_hex8\": \"#111827ff\", \"gamut\": \"srgb\"}]",
    remedy: "add the gamut the value is written in",
);
/// A scale is empty.
pub const SCALE: Rule = rule!(
    "CL3-SCALE", "empty-scale", Warning, "12.3",
    checks: "One of the six scales of `design_tokens` is an empty list or object.",
    why: "An empty scale says neither that there is none nor that it was not observed.",
    fails: "\"z_layers\": []",
    repaired: "\"z_layers\": {\"kind\": \"observation_gap\", \"observation_status\": \"not_observed\", \"reason\": \"…\"}",
    remedy: "fill the scale, or record a gap with a reason",
);
/// The token file differs.
pub const FILE: Rule = rule!(
    "CL3-FILE", "token-file-mismatch", Error, "12.3",
    checks: "`design-tokens.json` is missing, or differs from `design_tokens` of the blueprint; `notice` is left out of both.",
    why: "The copy is what tools read, and it is outside the draft hash.",
    fails: "design-tokens.json with one colour less than the blueprint",
    repaired: "both with the same tokens",
    remedy: "emit the draft again",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[ORPHAN, THEME, CANON, GAMUT, SCALE, FILE];

const SCALES: [&str; 6] = [
    "type_scale",
    "spacing_scale",
    "radius_scale",
    "shadow_elevation_scale",
    "breakpoints",
    "z_layers",
];

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    for orphan in &context.draft.recount.orphans {
        out.add(
            &ORPHAN,
            in_blueprint(&orphan.place),
            say!(
                context.lang,
                "観測色 `{0}` が palette に無い",
                "the observed colour `{0}` is not in the palette",
                orphan.colour,
            ),
        );
    }
    themes(context, out);
    if let Some(tokens) = context.member("design_tokens").and_then(Value::as_object) {
        entries(context, tokens, out);
        for name in SCALES {
            let value = tokens.get(name);
            let is_collection = matches!(value, Some(Value::Array(_) | Value::Object(_)));
            if is_collection && value.is_some_and(is_empty) {
                out.add(
                    &SCALE,
                    in_blueprint(format!("design_tokens.{name}")),
                    say!(
                        context.lang,
                        "尺度 `{0}` が空 ({1})",
                        "the scale `{0}` is empty ({1})",
                        name,
                        quoted(value),
                    ),
                );
            }
        }
    }
    token_file(context, out);
}

/// The themes a value names: items of a list, or words of a string.
fn names_theme(value: Option<&Value<'_>>, theme: &str) -> bool {
    let is_theme = |word: &str| word.trim().eq_ignore_ascii_case(theme);
    match value {
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(Value::as_text)
            .any(|item| is_theme(&item.to_display())),
        Some(Value::Str(text)) => text
            .to_display()
            .split(|character: char| !character.is_alphanumeric() && character != '-')
            .any(is_theme),
        _ => false,
    }
}

fn themes(context: &Context<'_>, out: &mut Findings) {
    let support = context
        .inner("metadata", "document_brand")
        .and_then(|brand| brand.get("color_scheme_support"));
    if !(names_theme(support, "light") && names_theme(support, "dark")) {
        return;
    }
    let variants = context.inner("design_tokens", "theme_variants");
    if variants.is_some_and(is_reasoned_gap) {
        return;
    }
    for (rank, theme) in ["dark", "light"].into_iter().enumerate() {
        let is_told = |entry: &Value<'_>| {
            is_reasoned_gap(entry)
                || ["palette", "colors"].iter().any(|name| {
                    entry.get(name).is_some_and(|colours| {
                        matches!(colours, Value::Array(_) | Value::Object(_)) && !is_empty(colours)
                    })
                })
        };
        let is_covered = match variants {
            Some(Value::Array(entries)) => entries.iter().any(|entry| {
                entry
                    .get("theme")
                    .and_then(Value::as_text)
                    .is_some_and(|name| name == theme)
                    && is_told(entry)
            }),
            Some(Value::Object(entries)) => entries.get(theme).is_some_and(is_told),
            _ => false,
        };
        if !is_covered {
            out.add_ranked(
                &THEME,
                Level::High,
                in_blueprint("design_tokens.theme_variants"),
                say!(
                    context.lang,
                    "`color_scheme_support` は `{0}` を挙げるが、その色も理由付きの gap も無い",
                    "`color_scheme_support` names `{0}`, which has neither colours nor a reasoned gap",
                    theme,
                ),
                u8::try_from(rank).unwrap_or(u8::MAX),
            );
        }
    }
}

fn entries(context: &Context<'_>, tokens: &Object<'_>, out: &mut Findings) {
    let root = Path::ROOT;
    let root = root.key(b"design_tokens");
    let variants_path = root.key(b"theme_variants");
    let mut theme = |entry: &Value<'_>, path: &Path<'_>| {
        for list in ["palette", "colors"] {
            let path = path.key(list.as_bytes());
            match entry.get(list) {
                Some(Value::Array(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        theme_entry(context, item, &path.index(index), out);
                    }
                }
                Some(Value::Object(members)) if !crate::gates::draft::reading::is_gap(members) => {
                    for (key, item) in members {
                        theme_entry(context, item, &path.key(key.as_bytes()), out);
                    }
                }
                _ => {}
            }
        }
    };
    match tokens.get("theme_variants") {
        Some(Value::Array(variants)) => {
            for (index, entry) in variants.iter().enumerate() {
                theme(entry, &variants_path.index(index));
            }
        }
        Some(Value::Object(variants)) => {
            for (key, entry) in variants {
                theme(entry, &variants_path.key(key.as_bytes()));
            }
        }
        _ => {}
    }
    let palette_path = root.key(b"palette");
    let palette = tokens.get("palette").and_then(Value::as_array);
    for (index, entry) in palette.unwrap_or_default().iter().enumerate() {
        let (Some(written), Some(canonical)) = (
            entry.get("value").and_then(Value::as_text),
            entry.get("canonical_hex8").and_then(Value::as_text),
        ) else {
            continue;
        };
        if let Some(normal) = written.as_str().and_then(canonical_of)
            && !canonical.to_display().eq_ignore_ascii_case(&normal)
        {
            out.add(
                &CANON,
                in_blueprint(palette_path.index(index)),
                say!(
                    context.lang,
                    "{0} の正規形は `{1}` だが `canonical_hex8` は {2}",
                    "{0} normalises to `{1}`, but `canonical_hex8` is {2}",
                    quoted(entry.get("value")),
                    normal,
                    quoted(entry.get("canonical_hex8")),
                ),
            );
        }
    }
}

fn theme_entry(context: &Context<'_>, entry: &Value<'_>, path: &Path<'_>, out: &mut Findings) {
    if is_reasoned_gap(entry) {
        return;
    }
    let canonical = entry.get("canonical_hex8");
    let is_canonical = canonical
        .and_then(Value::as_text)
        .is_some_and(|text| is_hex8(text.as_bytes()));
    if !is_canonical {
        out.add(
            &CANON,
            in_blueprint(path),
            say!(
                context.lang,
                "テーマの色 {0} に 16 進 8 桁の `canonical_hex8` が無い ({1})",
                "the theme's colour {0} has no `canonical_hex8` of eight hex digits ({1})",
                quoted(Some(entry)),
                quoted(canonical),
            ),
        );
    } else if crate::gates::draft::reading::filled_text(entry.get("gamut")).is_none() {
        out.add(
            &GAMUT,
            in_blueprint(path),
            say!(
                context.lang,
                "テーマの色 {0} に `gamut` が無い",
                "the theme's colour {0} has no `gamut`",
                quoted(canonical),
            ),
        );
    }
}

fn token_file(context: &Context<'_>, out: &mut Findings) {
    let reason = match &context.draft.tokens {
        JsonFile::Missing => say!(
            context.lang,
            "`design-tokens.json` が無い",
            "`design-tokens.json` is missing"
        ),
        JsonFile::Unreadable(reason) => say!(
            context.lang,
            "`design-tokens.json` を読めない: {0}",
            "`design-tokens.json` cannot be read: {0}",
            reason,
        ),
        JsonFile::Json(file) => match token_difference(file, context.member("design_tokens")) {
            None => return,
            Some(member) => say!(
                context.lang,
                "`design-tokens.json` が blueprint の `design_tokens` と異なる (`{0}`)",
                "`design-tokens.json` differs from `design_tokens` of the blueprint (`{0}`)",
                member,
            ),
        },
    };
    out.add(&FILE, "design-tokens.json", reason);
}

/// The first member that differs between the file and the section.
fn token_difference(file: &Value<'_>, section: Option<&Value<'_>>) -> Option<String> {
    let (Some(file), Some(section)) = (file.as_object(), section.and_then(Value::as_object)) else {
        return Some(String::from("(root)"));
    };
    let differs = |key: &Text<'_>, value: &Value<'_>, other: &Object<'_>| {
        key != "notice"
            && other
                .get_text(key)
                .is_none_or(|known| !is_same_json(value, known))
    };
    file.iter()
        .find(|(key, value)| differs(key, value, section))
        .or_else(|| {
            section
                .iter()
                .find(|(key, value)| differs(key, value, file))
        })
        .map(|(key, _)| key.to_display().into_owned())
}

/// The canonical form of a hex or rgb colour that is the whole text.
fn canonical_of(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix('#') {
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let full: String = match digits.len() {
            3 | 4 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
            6 | 8 => digits.to_owned(),
            _ => return None,
        };
        let alpha = if full.len() == 6 { "ff" } else { "" };
        return Some(format!("#{full}{alpha}"));
    }
    let inner = text
        .strip_prefix("rgba")
        .or_else(|| text.strip_prefix("rgb"))?
        .trim_start()
        .strip_prefix('(')?
        .strip_suffix(')')?;
    let parts: Vec<&str> = inner
        .split(|character: char| character == ',' || character == '/' || character.is_whitespace())
        .filter(|part| !part.is_empty())
        .collect();
    let (red, green, blue, alpha) = match parts.as_slice() {
        [red, green, blue] => (*red, *green, *blue, "1"),
        [red, green, blue, alpha] => (*red, *green, *blue, *alpha),
        _ => return None,
    };
    let channel = |part: &str, whole: f64| -> Option<u8> {
        let (number, whole) = match part.strip_suffix('%') {
            Some(number) => (number, 100.0),
            None => (part, whole),
        };
        let number: f64 = number.parse().ok()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to one byte just before"
        )]
        number
            .is_finite()
            .then(|| ((number * 255.0 / whole).clamp(0.0, 255.0) + 0.5).floor() as u8)
    };
    Some(format!(
        "#{:02x}{:02x}{:02x}{:02x}",
        channel(red, 255.0)?,
        channel(green, 255.0)?,
        channel(blue, 255.0)?,
        channel(alpha, 1.0)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_colours_have_their_canonical_form() {
        for (text, canonical) in [
            ("#0F766E", Some("#0f766eff")),
            ("#abc", Some("#aabbccff")),
            ("#abcd", Some("#aabbccdd")),
            ("rgba(0, 0, 0, 0.2)", Some("#00000033")),
            ("rgb(15 118 110 / 50%)", Some("#0f766e80")),
            ("rgb(300,0,-5)", Some("#ff0000ff")),
            ("rgb(100%, 0%, 0%)", Some("#ff0000ff")),
            ("#12345", None),
            ("hsl(1 2% 3%)", None),
            ("rgb(1,2)", None),
            ("rgb(inf,0,0)", None),
            ("red", None),
        ] {
            assert_eq!(canonical_of(text).as_deref(), canonical, "{text}");
        }
    }
}
