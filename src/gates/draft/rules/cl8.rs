//! CL-8: facts that may speak for real people.

use super::rule;
use crate::gates::draft::place::{Path, in_blueprint};
use crate::gates::draft::prompts::PROMPTS;
use crate::gates::draft::reading::filled_text;
use crate::gates::draft::survey::is_fact_section;
use crate::gates::draft::{Context, Findings};
use crate::invariant::Invariant as _;
use crate::rule::Rule;
use crate::say;
use crate::value::{Object, Value};
use regex::bytes::Regex;
use std::sync::LazyLock;

/// A fact speaks for a person.
pub const PERSONA: Rule = rule!(
    "CL8-PERSONA", "fact-speaks-for-person", Error, "12.9",
    checks: "A string in a fact part contains the name of a lens, and the nearest enclosing fact, if any, lacks source, locator, time or method.",
    why: "What a real person thinks is no observation of a page.",
    fails: "\"locales\": [\"ja-JP\", \"Kent Beck recommends simplicity\"]",
    repaired: "\"locales\": [\"ja-JP\"]",
    remedy: "remove the sentence, or give the fact it is quoted in its full provenance",
);
/// A fact names a person and may quote the page.
pub const NAME: Rule = rule!(
    "CL8-NAME", "fact-names-person", Warning, "12.9",
    checks: "A string in a fact part contains the name of a lens, and the nearest enclosing fact has source, locator, time and method.",
    why: "It may be a quotation from the page; a reader has to look.",
    fails: "{\"kind\": \"fact\", \"value\": \"Learning from Kent Beck\", \"source_url\": …, \"locator\": …, …}",
    repaired: "the same when the page really says so, confirmed by a reader",
    remedy: "check that the page says so",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[PERSONA, NAME];

static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    let names: Vec<String> = PROMPTS
        .iter()
        .flat_map(|prompt| prompt.lenses)
        .map(|name| regex::escape(name))
        .collect();
    Regex::new(&names.join("|")).holds("escaped names are a pattern")
});

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    let root = Path::ROOT;
    for (key, value) in context.draft.blueprint.as_object().into_iter().flatten() {
        let key = key.as_bytes();
        let path = root.key(key);
        if is_fact_section(key) {
            walk(context, value, &path, None, out);
        } else if key == b"tech_stack"
            && let Some(signals) = value.get("signals")
        {
            walk(context, signals, &path.key(b"signals"), None, out);
        }
    }
}

/// `is_sourced` tells whether the nearest enclosing fact has its provenance.
fn walk(
    context: &Context<'_>,
    value: &Value<'_>,
    path: &Path<'_>,
    is_sourced: Option<bool>,
    out: &mut Findings,
) {
    match value {
        Value::Str(text) => {
            let found = NAMES.find(text.as_bytes());
            let Some(found) = found else {
                return;
            };
            let name = String::from_utf8_lossy(found.as_bytes());
            if is_sourced == Some(true) {
                out.add(
                    &NAME,
                    in_blueprint(path),
                    say!(
                        context.lang,
                        "事実の欄に実名 `{0}` がある (出所は揃っている; 引用か要確認)",
                        "the fact names `{0}`; its provenance is whole, so it may be a quotation",
                        name,
                    ),
                );
            } else {
                out.add(
                    &PERSONA,
                    in_blueprint(path),
                    say!(
                        context.lang,
                        "事実の欄で実名 `{0}` を出所なしに語っている",
                        "a fact part speaks of `{0}` without provenance",
                        name,
                    ),
                );
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(context, item, &path.index(index), is_sourced, out);
            }
        }
        Value::Object(object) => {
            let is_sourced = sourced(object).or(is_sourced);
            for (key, member) in object {
                walk(context, member, &path.key(key.as_bytes()), is_sourced, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {}
    }
}

/// Whether a fact has its four members; nothing when the object is no fact.
fn sourced(object: &Object<'_>) -> Option<bool> {
    let is_fact = object
        .get("kind")
        .and_then(Value::as_text)
        .is_some_and(|kind| kind == "fact");
    is_fact.then(|| {
        ["source_url", "locator", "captured_at", "method"]
            .iter()
            .all(|name| filled_text(object.get(name)).is_some())
    })
}
