//! The recorded palette recount: colours observed under `screens` that the palette lacks.
//!
//! In: a blueprint, as text or as a value. Out: [`Recount`], or why the blueprint cannot be used.
//! Its only purpose is to catch a fault that another palette check would have, so it shares no
//! colour or traversal code with any: [`super::corrected`] is a second path, written apart.

mod colour;
mod stream;
mod walk;

use crate::text::Text;
use crate::value::Value;
use crate::value::json::locate::ValuePath;
use crate::value::json::reader::{SyntaxError, SyntaxKind};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use walk::{Distinct, Places, Token};

/// The figures of one count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recount {
    /// Distinct colours observed under `screens`.
    pub observed_count: usize,
    /// Distinct colours the palette lists.
    pub palette_count: usize,
    /// Observed colours that the palette lacks, by code point.
    pub orphans: Vec<Text<'static>>,
}

impl Recount {
    fn of(observed: &BTreeSet<Token>, listed: &BTreeSet<Token>) -> Self {
        Self {
            observed_count: observed.len(),
            palette_count: listed.len(),
            orphans: observed
                .difference(listed)
                .map(|token| text_of(token))
                .collect(),
        }
    }
}

fn text_of(token: &[u8]) -> Text<'static> {
    Text::from_wtf8(Cow::Owned(token.to_vec()))
}

/// Why a blueprint cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Where, e.g. `$.screens[0].observation_status`.
    pub place: String,
    /// Why, one line.
    pub reason: String,
}

impl Unusable {
    fn not_iterable(place: &str, value: &Value<'_>) -> Self {
        Self {
            place: place.to_owned(),
            reason: format!(
                "a {} stands where entries are expected",
                walk::json_type(value)
            ),
        }
    }
}

/// Why a text gave no count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It is not JSON.
    Syntax(SyntaxError),
    /// Its root is no object.
    Root,
    /// It holds something that cannot be counted.
    Unusable(Unusable),
    /// The caller asked to stop.
    Interrupted,
}

/// Count over the text of a blueprint. Common documents are streamed in one pass.
///
/// # Errors
/// [`Fault`].
pub fn count_text(text: &str, is_interrupted: &dyn Fn() -> bool) -> Result<Recount, Fault> {
    if text.starts_with('\u{feff}') {
        return Err(Fault::Syntax(SyntaxError {
            kind: SyntaxKind::ByteOrderMark,
            byte: 0,
        }));
    }
    match stream::count(text, is_interrupted) {
        Ok(recount) => Ok(recount),
        Err(stream::Stop::Syntax(error)) => Err(Fault::Syntax(error)),
        Err(stream::Stop::Interrupted) => Err(Fault::Interrupted),
        Err(stream::Stop::Uncommon) => {
            let value = crate::value::json::parse(text).map_err(Fault::Syntax)?;
            if value.as_object().is_none() {
                return Err(Fault::Root);
            }
            count(&value).map_err(Fault::Unusable)
        }
    }
}

/// Count over a blueprint, which should be an object.
///
/// # Errors
/// [`Unusable`].
pub fn count(blueprint: &Value<'_>) -> Result<Recount, Unusable> {
    let observed = observed_tokens(blueprint.get("screens").unwrap_or(&Value::Null))?;
    let listed = walk::palette(blueprint.get("design_tokens").unwrap_or(&Value::Null))?;
    Ok(Recount::of(&observed, &listed))
}

fn observed_tokens(screens: &Value<'_>) -> Result<BTreeSet<Token>, Unusable> {
    let mut sink = Distinct::default();
    walk::observe(screens, &mut sink)?;
    Ok(sink.tokens)
}

/// Distinct colours observed in `screens`, by code point.
///
/// # Errors
/// [`Unusable`].
pub fn observed(screens: &Value<'_>) -> Result<Vec<Text<'static>>, Unusable> {
    Ok(observed_tokens(screens)?
        .iter()
        .map(|token| text_of(token))
        .collect())
}

/// Distinct colours that `design_tokens` lists, by code point.
///
/// # Errors
/// [`Unusable`].
pub fn palette(design_tokens: &Value<'_>) -> Result<Vec<Text<'static>>, Unusable> {
    Ok(walk::palette(design_tokens)?
        .iter()
        .map(|token| text_of(token))
        .collect())
}

/// Every place of each of `wanted` in `blueprint`, in document order.
///
/// # Errors
/// [`Unusable`].
pub fn places(
    blueprint: &Value<'_>,
    wanted: &[Text<'_>],
) -> Result<BTreeMap<Text<'static>, Vec<ValuePath>>, Unusable> {
    let wanted: BTreeSet<Token> = wanted.iter().map(|text| text.as_bytes().to_vec()).collect();
    let mut sink = Places {
        wanted: &wanted,
        found: BTreeMap::new(),
    };
    walk::observe(blueprint.get("screens").unwrap_or(&Value::Null), &mut sink)?;
    Ok(sink
        .found
        .into_iter()
        .map(|(token, places)| (text_of(&token), places))
        .collect())
}
