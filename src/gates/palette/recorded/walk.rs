//! The recorded recount over a whole document: what is observed under `screens`, what the palette
//! lists, and where each token was seen.
//!
//! In: values. Out: tokens with places, or why a value cannot be walked. The stream in
//! `stream.rs` takes the common document; this walk takes every document and explains refusals.

use super::{Unusable, colour};
use crate::value::json::locate::{Step, ValuePath};
use crate::value::{Object, Text, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A token: generalised UTF-8, so that byte order is code point order.
pub(super) type Token = Vec<u8>;

/// Members of a colour object, in the order they are tried.
const FORMS: [&str; 5] = ["canonical_hex8", "exact", "value", "color", "hex"];

/// Where a walk stands, as steps that borrow.
#[derive(Clone, Copy)]
pub(super) enum Place<'v> {
    Key(&'v Text<'v>),
    Index(usize),
}

/// What a walk does with a token and the place it was seen at.
pub(super) trait Sink {
    /// A string, whether it stands in colour context, and the steps to it.
    fn text(&mut self, text: &Text<'_>, in_colour: bool, steps: &[Place<'_>]);
}

/// Distinct tokens; a string that was seen before costs one look-up.
#[derive(Default)]
pub(super) struct Distinct {
    pub(super) tokens: BTreeSet<Token>,
    /// Strings already looked at, outside colour context and in it.
    known: [HashSet<Vec<u8>>; 2],
}

/// Strings remembered at most; beyond that each string is looked at again.
const KNOWN_LIMIT: usize = 1 << 16;

impl Sink for Distinct {
    fn text(&mut self, text: &Text<'_>, in_colour: bool, _: &[Place<'_>]) {
        let bytes = text.as_bytes();
        if !in_colour && memchr::memchr2(b'#', b'(', bytes).is_none() {
            return;
        }
        let [outside, inside] = &mut self.known;
        let known = if in_colour { inside } else { outside };
        if known.contains(bytes) {
            return;
        }
        tokens_of(bytes, in_colour, |token| {
            self.tokens.insert(token);
        });
        if known.len() < KNOWN_LIMIT {
            known.insert(bytes.to_vec());
        }
    }
}

/// Places of wanted tokens.
pub(super) struct Places<'w> {
    pub(super) wanted: &'w BTreeSet<Token>,
    pub(super) found: BTreeMap<Token, Vec<ValuePath>>,
}

impl Sink for Places<'_> {
    fn text(&mut self, text: &Text<'_>, in_colour: bool, steps: &[Place<'_>]) {
        let (wanted, found) = (self.wanted, &mut self.found);
        tokens_of(text.as_bytes(), in_colour, |token| {
            if wanted.contains(&token) {
                let places = found.entry(token).or_default();
                let path = path_of(steps);
                // One string may hold a colour twice, or be one and hold it.
                if places.last() != Some(&path) {
                    places.push(path);
                }
            }
        });
    }
}

pub(super) fn path_of(steps: &[Place<'_>]) -> ValuePath {
    ValuePath(
        steps
            .iter()
            .map(|step| match step {
                Place::Key(key) => Step::Key((*key).clone().into_owned()),
                Place::Index(index) => Step::Index(*index),
            })
            .collect(),
    )
}

/// Every token of one string.
pub(super) fn tokens_of(bytes: &[u8], in_colour: bool, mut see: impl FnMut(Token)) {
    if in_colour && let Some(token) = colour::canonical(bytes) {
        see(token);
    }
    colour::inside(bytes, see);
}

/// Walk `screens` as Python iterates it: items of a list, keys of an object, characters of a text.
pub(super) fn observe<S: Sink>(screens: &Value<'_>, sink: &mut S) -> Result<(), Unusable> {
    let screens_key = Text::borrowed("screens");
    let mut steps = vec![Place::Key(&screens_key)];
    if !screens.is_truthy() {
        return Ok(());
    }
    match screens {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                steps.push(Place::Index(index));
                walk(item, false, &mut steps, sink)?;
                steps.pop();
            }
            Ok(())
        }
        Value::Object(object) => {
            for (key, _) in object {
                sink.text(key, false, &steps);
            }
            Ok(())
        }
        // One character holds no colour.
        Value::Str(_) => Ok(()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
            Err(Unusable::not_iterable("$.screens", screens))
        }
    }
}

fn walk<'v, S: Sink>(
    value: &'v Value<'v>,
    in_colour: bool,
    steps: &mut Vec<Place<'v>>,
    sink: &mut S,
) -> Result<(), Unusable> {
    match value {
        Value::Object(object) => {
            if is_gap(object, || path_of(steps).to_string())? {
                return Ok(());
            }
            for (key, member) in object {
                let below = in_colour || colour::names_colour(key.as_bytes());
                steps.push(Place::Key(key));
                // A colour object's own canonical form is that of one of the strings below it,
                // which stand in colour context: the walk meets it there.
                walk(member, below, steps, sink)?;
                steps.pop();
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                steps.push(Place::Index(index));
                walk(item, in_colour, steps, sink)?;
                steps.pop();
            }
        }
        Value::Str(text) => sink.text(text, in_colour, steps),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {}
    }
    Ok(())
}

/// Whether an object says that nothing was observed. Python looks the status up in a set, which
/// a list or an object cannot be.
fn is_gap(object: &Object<'_>, place: impl FnOnce() -> String) -> Result<bool, Unusable> {
    match object.get("observation_status") {
        Some(Value::Str(status)) => Ok(*status == "not_observed" || *status == "blocked"),
        Some(status @ (Value::Array(_) | Value::Object(_))) => Err(Unusable {
            place: format!("{}.observation_status", place()),
            reason: format!(
                "observation_status is a {}, expected a text",
                json_type(status)
            ),
        }),
        Some(Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_))
        | None => Ok(false),
    }
}

/// Canonical form of a palette value.
fn canonical(value: &Value<'_>, place: &dyn Fn() -> String) -> Result<Option<Token>, Unusable> {
    match value {
        Value::Str(text) => Ok(colour::canonical(text.as_bytes())),
        Value::Object(object) => {
            if is_gap(object, place)? {
                return Ok(None);
            }
            for name in FORMS {
                if let Some(member) = object.get(name) {
                    let form = canonical(member, &|| format!("{}.{name}", place()))?;
                    if form.is_some() {
                        return Ok(form);
                    }
                }
            }
            Ok(None)
        }
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Array(_) => Ok(None),
    }
}

/// Every token that the design tokens list.
pub(super) fn palette(tokens: &Value<'_>) -> Result<BTreeSet<Token>, Unusable> {
    let mut listed = BTreeSet::new();
    if !tokens.is_truthy() {
        return Ok(listed);
    }
    let Value::Object(tokens) = tokens else {
        return Err(Unusable {
            place: String::from("$.design_tokens"),
            reason: format!(
                "design_tokens is a {}, expected an object",
                json_type(tokens)
            ),
        });
    };
    let mut collect = |value: Option<&Value<'_>>, place: &str| -> Result<(), Unusable> {
        each_entry(value, place, &mut |entry, place| {
            listed.extend(entry_form(entry, place)?);
            Ok(())
        })
    };
    collect(tokens.get("palette"), "$.design_tokens.palette")?;
    let variants = "$.design_tokens.theme_variants";
    each_entry(
        tokens.get("theme_variants"),
        variants,
        &mut |variant, place| {
            if let Value::Object(variant) = variant {
                for name in ["palette", "colors"] {
                    collect(variant.get(name), &format!("{}.{name}", place()))?;
                }
            }
            Ok(())
        },
    )?;
    let brand = ["document_brand", "brand"].into_iter().find_map(|name| {
        let brand = tokens.get(name).filter(|brand| brand.is_truthy())?;
        Some((name, brand))
    });
    match brand {
        Some((name, Value::Object(brand))) => collect(
            brand.get("colors"),
            &format!("$.design_tokens.{name}.colors"),
        )?,
        Some((name, brand @ Value::Array(_))) => {
            collect(Some(brand), &format!("$.design_tokens.{name}"))?;
        }
        Some((
            _,
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_),
        ))
        | None => {}
    }
    Ok(listed)
}

/// An object entry gives its canonical value, else its written value, else itself.
fn entry_form(entry: &Value<'_>, place: &dyn Fn() -> String) -> Result<Option<Token>, Unusable> {
    if let Value::Object(object) = entry {
        for name in ["canonical_hex8", "value"] {
            if let Some(member) = object.get(name) {
                let form = canonical(member, &|| format!("{}.{name}", place()))?;
                if form.is_some() {
                    return Ok(form);
                }
            }
        }
    }
    canonical(entry, place)
}

/// What an entry is handed to, with its place.
type Visit<'f> = &'f mut dyn FnMut(&Value<'_>, &dyn Fn() -> String) -> Result<(), Unusable>;

/// Visit what iterating in Python gives: elements, keys, characters.
fn each_entry(value: Option<&Value<'_>>, place: &str, visit: Visit<'_>) -> Result<(), Unusable> {
    let Some(value) = value.filter(|value| value.is_truthy()) else {
        return Ok(());
    };
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(item, &|| format!("{place}[{index}]"))?;
            }
        }
        Value::Object(object) => {
            for key in object.keys() {
                visit(&Value::Str(key.clone()), &|| place.to_owned())?;
            }
        }
        Value::Str(text) => {
            for code_point in text.code_points() {
                let character = Text::from_wtf8(Cow::Owned(colour::character(code_point)));
                visit(&Value::Str(character), &|| place.to_owned())?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
            return Err(Unusable::not_iterable(place, value));
        }
    }
    Ok(())
}

/// What JSON calls the type of a value.
pub(super) fn json_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => "number",
        Value::Str(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}
