//! CL-1: schema parity and reconstruction.

use super::rule;
use crate::gates::draft::place::in_blueprint;
use crate::gates::draft::reading::{filled_text, is_empty, is_gap_value, quoted};
use crate::gates::draft::schema::{self, Keyword, RENDERINGS, REQUIRED};
use crate::gates::draft::{Context, Findings, Lang};
use crate::rule::Rule;
use crate::say;
use crate::value::Value;

/// A required top-level member is not there.
pub const MISSING: Rule = rule!(
    "CL1-MISSING", "missing-section", Error, "12.1",
    checks: "A required top-level member of `blueprint.json` is absent or null.",
    why: "Whoever builds from the blueprint finds nothing where the schema promises a section.",
    fails: "{\"content\": {…}}   (no \"snapshot\")",
    repaired: "{\"content\": {…}, \"snapshot\": {…}, …}",
    remedy: "add the section, with a reasoned gap inside where nothing was observed",
);
/// Any other violation of the schema.
pub const SCHEMA: Rule = rule!(
    "CL1-SCHEMA", "schema-violation", Error, "12.1 and 3.2",
    checks: "A value breaks the published schema: required member of a section, unknown member of a closed object, type, enum, pattern, constant, minimum, length. One finding per path and keyword.",
    why: "The reference validator applies the schema only where an optional package is installed, so a violation can reach a finished draft.",
    fails: "\"pages\": {}",
    repaired: "\"pages\": []",
    remedy: "give the value the shape that the schema states for its path",
);
/// A member name occurs twice.
pub const DUPKEY: Rule = rule!(
    "CL1-DUPKEY", "duplicate-member", Error, "12.1",
    checks: "A member name occurs twice in one object of `blueprint.json`.",
    why: "Both gates silently take the last value; a reader may take the first.",
    fails: "{\"pages\": [1], \"pages\": []}",
    repaired: "{\"pages\": []}",
    remedy: "keep one of the two members",
);
/// A question is open.
pub const QUESTION: Rule = rule!(
    "CL1-QUESTION", "open-question", Error, "12.1",
    checks: "An object in `unknowns` has neither `blocking: false`, nor a non-blank `default_assumption`, nor an `id` that a `default_assumptions` entry with a non-blank `assumption` answers.",
    why: "The scaffold cannot follow without asking somebody.",
    fails: "\"unknowns\": [{\"id\": \"u-1\", \"question\": \"payment?\", \"blocking\": true}]",
    repaired: "the same with \"default_assumptions\": [{\"unknown_id\": \"u-1\", \"assumption\": \"external page\"}]",
    remedy: "answer the question, state a default assumption, or mark it as not blocking",
);
/// A question is bare text.
pub const UNLINKED: Rule = rule!(
    "CL1-UNLINKED", "unlinked-question", Note, "12.1",
    checks: "An entry of `unknowns` is not an object.",
    why: "Nothing can be linked to it, so nobody can tell whether it is answered.",
    fails: "\"unknowns\": [\"payment?\"]",
    repaired: "\"unknowns\": [{\"id\": \"u-1\", \"question\": \"payment?\", \"blocking\": false}]",
    remedy: "write the entry as an object with an id",
);
/// An element of the scaffold is missing.
pub const SCAFFOLD: Rule = rule!(
    "CL1-SCAFFOLD", "missing-scaffold", Error, "12.1",
    checks: "An element that the scaffold is derived from is missing: the canonical URL, pages in scope or screens, the palette, headings, copy, affordances, or a known rendering mode.",
    why: "A skeleton of the site cannot be built from the rest.",
    fails: "\"content\": {\"headings_outline\": [], …}",
    repaired: "\"content\": {\"headings_outline\": [{…}], …}",
    remedy: "fill the element from what was observed",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[MISSING, SCHEMA, DUPKEY, QUESTION, UNLINKED, SCAFFOLD];

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    missing(context, out);
    schema(context, out);
    for path in &context.draft.duplicates {
        out.add(
            &DUPKEY,
            in_blueprint(path),
            say!(
                context.lang,
                "同じ object に `{0}` が二度現れる",
                "`{0}` occurs twice in one object",
                path,
            ),
        );
    }
    questions(context, out);
    scaffold(context, out);
}

fn missing(context: &Context<'_>, out: &mut Findings) {
    for name in REQUIRED {
        let value = context.member(name);
        if value.is_none_or(|value| matches!(value, Value::Null)) {
            out.add(
                &MISSING,
                in_blueprint(name),
                say!(
                    context.lang,
                    "必須のトップレベル要素 `{0}` が無い (値 {1})",
                    "the required top-level member `{0}` is missing (value {1})",
                    name,
                    quoted(value),
                ),
            );
        }
    }
}

fn schema(context: &Context<'_>, out: &mut Findings) {
    for violation in schema::violations(context.draft.blueprint) {
        let reason = told(&violation.keyword, violation.value, context.lang);
        out.add(&SCHEMA, in_blueprint(&violation.path), reason);
    }
}

fn told(keyword: &Keyword, value: &Value<'_>, lang: Lang) -> String {
    let value = quoted(Some(value));
    match keyword {
        Keyword::Required(names) => say!(
            lang,
            "schema の必須要素が無い: {0}",
            "required by the schema and missing: {0}",
            names.join(", "),
        ),
        Keyword::Unknown(names) => say!(
            lang,
            "schema が認めない要素がある: {0}",
            "unknown to the schema: {0}",
            crate::finding::excerpt(&names.join(", ")),
        ),
        Keyword::Type(types) => say!(
            lang,
            "{0} は型が違う (期待: {1})",
            "{0} has another type than expected ({1})",
            value,
            types.join(" | "),
        ),
        Keyword::Choice(choices) => say!(
            lang,
            "{0} は許された値でない (期待: {1})",
            "{0} is none of the allowed values ({1})",
            value,
            choices.join(" | "),
        ),
        Keyword::Constant(constant) => say!(
            lang,
            "{0} は定数 `{1}` でない",
            "{0} is not the constant `{1}`",
            value,
            constant,
        ),
        Keyword::Hex8 => say!(
            lang,
            "{0} は `#` と 16 進 8 桁でない",
            "{0} is not `#` and eight hex digits",
            value,
        ),
        Keyword::Minimum => say!(lang, "{0} は 0 以上でない", "{0} is below 0", value,),
        Keyword::MinItems(least) => say!(
            lang,
            "{0} の要素数が {1} に満たない",
            "{0} has fewer than {1} items",
            value,
            least,
        ),
        Keyword::MinLength(least) => say!(
            lang,
            "{0} の長さが {1} に満たない",
            "{0} is shorter than {1}",
            value,
            least,
        ),
    }
}

fn questions(context: &Context<'_>, out: &mut Findings) {
    let list = |name: &str| {
        context
            .member(name)
            .and_then(Value::as_array)
            .unwrap_or_default()
    };
    let answered: Vec<&Value<'_>> = list("default_assumptions")
        .iter()
        .filter(|entry| filled_text(entry.get("assumption")).is_some())
        .filter_map(|entry| entry.get("unknown_id"))
        .filter(|id| !matches!(id, Value::Null))
        .collect();
    for (index, entry) in list("unknowns").iter().enumerate() {
        let loc = in_blueprint(format!("unknowns[{index}]"));
        let Some(object) = entry.as_object() else {
            out.add(
                &UNLINKED,
                loc,
                say!(
                    context.lang,
                    "未確定事項 {0} が object でないため仮定と結び付けられない",
                    "the unknown {0} is not an object, so no assumption can be linked to it",
                    quoted(Some(entry)),
                ),
            );
            continue;
        };
        let is_harmless = matches!(object.get("blocking"), Some(Value::Bool(false)));
        let has_default = filled_text(object.get("default_assumption")).is_some();
        let is_answered = object.get("id").is_some_and(|id| answered.contains(&id));
        if !is_harmless && !has_default && !is_answered {
            out.add(
                &QUESTION,
                loc,
                say!(
                    context.lang,
                    "未回答の質問 {0}: `blocking: false` も既定の仮定も無い",
                    "open question {0}: neither `blocking: false` nor a default assumption",
                    quoted(object.get("question").or(Some(entry))),
                ),
            );
        }
    }
}

fn scaffold(context: &Context<'_>, out: &mut Findings) {
    let mut lacks = |path: &str, value: Option<&Value<'_>>| {
        out.add(
            &SCAFFOLD,
            in_blueprint(path),
            say!(
                context.lang,
                "骨子に要る `{0}` が得られない (値 {1})",
                "the scaffold needs `{0}`, which is not usable (value {1})",
                path,
                quoted(value),
            ),
        );
    };
    let url = context.inner("metadata", "canonical_url");
    if filled_text(url).is_none() {
        lacks("metadata.canonical_url", url);
    }
    let scope = context.inner("site_inventory", "in_scope");
    let is_filled = |value: Option<&Value<'_>>| value.is_some_and(|value| !is_empty(value));
    if !is_filled(scope) && !is_filled(context.member("screens")) {
        lacks("site_inventory.in_scope", scope);
    }
    for (section, name) in [
        ("design_tokens", "palette"),
        ("content", "headings_outline"),
        ("content", "per_screen_verbatim_copy"),
        ("feature_map", "per_screen_affordances"),
    ] {
        let value = context.inner(section, name);
        if !is_filled(value) || value.is_some_and(is_gap_value) {
            lacks(&format!("{section}.{name}"), value);
        }
    }
    let rendering = context.inner("delivery_topology", "rendering");
    let is_known = rendering
        .and_then(Value::as_text)
        .is_some_and(|text| RENDERINGS.iter().any(|known| text == known));
    if !is_known {
        lacks("delivery_topology.rendering", rendering);
    }
}
