//! The corrected palette count: colours that screens paint with and the palette lacks.
//!
//! In: a blueprint as a value or text. Out: [`Corrected`], and on request every place of a colour.
//! It differs from the recorded count by the cases of the draft page, section 14: names, lengths,
//! provenance, anchors and order numbers are no colours here, and a palette entry covers every form
//! it lists. It shares no colour or traversal code with the recorded count, nor with any other
//! palette check.

use crate::gates::palette::recorded::{Fault, Unusable};
use crate::value::json::locate::{Step, ValuePath};
use crate::value::{Object, Text, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

/// The figures of one count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Corrected {
    /// Distinct colours observed.
    pub observed_count: usize,
    /// Distinct colours the palette covers.
    pub palette_count: usize,
    /// Observed colours that the palette lacks, by code point.
    pub orphans: Vec<Text<'static>>,
    /// Values in a colour's place that no program can decide from their text, by code point:
    /// references to variables, system colours, mixtures. They are no orphans.
    pub undecided: Vec<Text<'static>>,
}

/// Members that describe or identify and never paint.
const SILENT_MEMBERS: [&str; 15] = [
    "identity",
    "a11y",
    "reason",
    "note",
    "locator",
    "source_url",
    "url",
    "href",
    "src",
    "srcset",
    "title",
    "accessible_name",
    "evidence_refs",
    "captured_at",
    "css_custom_properties",
];

/// Functions whose whole text is a colour of its own.
const FUNCTIONS: [&str; 10] = [
    "hsl",
    "hsla",
    "hwb",
    "lab",
    "lch",
    "oklab",
    "oklch",
    "color",
    "color-mix",
    "light-dark",
];

/// Forms that a palette entry may list.
const ENTRY_FORMS: [&str; 6] = [
    "canonical_hex8",
    "value",
    "exact",
    "original_notation",
    "hex",
    "color",
];

/// Count over the text of a blueprint.
///
/// # Errors
/// [`Fault`]: not JSON, no object, or nothing that can be counted.
///
/// # Examples
/// ```
/// use gatewright::gates::palette::corrected::count_text;
///
/// let blueprint = r##"{"design_tokens": {"palette": [{"value": "#112233"}]},
///     "screens": [{"background_color": "#112233", "color": "#445566"}]}"##;
/// let counted = count_text(blueprint).map_err(|_| "cannot be counted")?;
/// let orphans: Vec<_> = counted.orphans.iter().map(|orphan| orphan.to_display()).collect();
/// assert_eq!(orphans, ["#445566ff"]);
/// # Ok::<(), &str>(())
/// ```
pub fn count_text(text: &str) -> Result<Corrected, Fault> {
    let blueprint = crate::value::json::parse(text).map_err(Fault::Syntax)?;
    if blueprint.as_object().is_none() {
        return Err(Fault::Root);
    }
    count(&blueprint).map_err(Fault::Unusable)
}

/// Count over a blueprint.
///
/// # Errors
/// [`Unusable`]: `screens` or `design_tokens` is of a type that holds no screens or tokens.
pub fn count(blueprint: &Value<'_>) -> Result<Corrected, Unusable> {
    let mut observer = Observer::default();
    observe(blueprint, &mut observer)?;
    let observed: BTreeSet<&str> = observer.colours.iter().map(String::as_str).collect();
    let tokens = blueprint.get("design_tokens").unwrap_or(&Value::Null);
    let Covered { listed, named } = palette_colours(tokens)?;
    let orphans = observed
        .iter()
        .filter(|colour| !listed.contains(**colour))
        .map(|colour| Text::from((*colour).to_owned()))
        .collect();
    let undecided = observer
        .undecided
        .into_iter()
        .filter(|text| !named.contains(text))
        .map(Text::from)
        .collect();
    Ok(Corrected {
        observed_count: observed.len(),
        palette_count: listed.len(),
        orphans,
        undecided,
    })
}

/// Colours that the palette covers, by code point.
///
/// # Errors
/// [`Unusable`].
pub fn palette(design_tokens: &Value<'_>) -> Result<Vec<Text<'static>>, Unusable> {
    let Covered { listed, .. } = palette_colours(design_tokens)?;
    Ok(listed.into_iter().map(Text::from).collect())
}

/// Colours observed in the screens of `blueprint`, by code point.
///
/// # Errors
/// [`Unusable`].
pub fn observed(blueprint: &Value<'_>) -> Result<Vec<Text<'static>>, Unusable> {
    let mut observer = Observer::default();
    observe(blueprint, &mut observer)?;
    Ok(observer.colours.into_iter().map(Text::from).collect())
}

/// Every place of each of `wanted` (colours or undecided values) in `blueprint`, members taken in
/// sorted order.
///
/// # Errors
/// [`Unusable`].
pub fn places(
    blueprint: &Value<'_>,
    wanted: &[Text<'_>],
) -> Result<BTreeMap<Text<'static>, Vec<ValuePath>>, Unusable> {
    let mut observer = Observer {
        wanted: wanted
            .iter()
            .filter_map(|text| text.as_str().map(str::to_owned))
            .collect(),
        ..Observer::default()
    };
    observe(blueprint, &mut observer)?;
    Ok(observer
        .places
        .into_iter()
        .map(|(colour, places)| (Text::from(colour), places))
        .collect())
}

/// What one string gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Reading {
    colours: Vec<String>,
    undecided: Option<String>,
}

/// What the walk over screens gathers.
#[derive(Default)]
struct Observer {
    colours: BTreeSet<String>,
    undecided: BTreeSet<String>,
    /// Strings read before: elsewhere, below a colour's member, in a colour's own place.
    known: [HashMap<Vec<u8>, Reading>; 3],
    /// Why the count must stop.
    fault: Option<Unusable>,
    /// Colours whose places are wanted; empty when only the figures are.
    wanted: BTreeSet<String>,
    places: BTreeMap<String, Vec<ValuePath>>,
}

/// Strings remembered at most.
const KNOWN_LIMIT: usize = 1 << 16;

impl Observer {
    /// Take a string; `is_settled` when a sibling already says which colour is meant.
    fn string(&mut self, text: &Text<'_>, place: Place, is_settled: bool, trail: &Trail<'_>) {
        let bytes = text.as_bytes();
        if place == Place::Elsewhere && memchr::memchr2(b'#', b'(', bytes).is_none() {
            return;
        }
        let [elsewhere, below, own] = &mut self.known;
        let known = match place {
            Place::Elsewhere => elsewhere,
            Place::Below => below,
            Place::Own => own,
        };
        let fresh;
        let reading = if let Some(reading) = known.get(bytes) {
            if self.wanted.is_empty() {
                return self.undecided_of(bytes, place, is_settled);
            }
            reading
        } else {
            let read = text
                .as_str()
                .map_or_else(|| read(&text.to_display(), place), |text| read(text, place));
            if known.len() < KNOWN_LIMIT {
                known.entry(bytes.to_vec()).or_insert(read)
            } else {
                fresh = read;
                &fresh
            }
        };
        self.colours.extend(reading.colours.iter().cloned());
        let undecided = reading.undecided.as_ref().filter(|_| !is_settled);
        self.undecided.extend(undecided.cloned());
        let path = || trail.to_path();
        for name in reading.colours.iter().chain(undecided) {
            if self.wanted.contains(name) {
                let places = self.places.entry(name.clone()).or_default();
                let path = path();
                if places.last() != Some(&path) {
                    places.push(path);
                }
            }
        }
    }

    /// A string seen before gives no new colour, but may be undecided here and settled there.
    fn undecided_of(&mut self, bytes: &[u8], place: Place, is_settled: bool) {
        let [_, below, own] = &self.known;
        let known = match place {
            Place::Elsewhere => return,
            Place::Below => below,
            Place::Own => own,
        };
        if !is_settled
            && let Some(text) = known.get(bytes).and_then(|known| known.undecided.as_ref())
            && !self.undecided.contains(text)
        {
            let text = text.clone();
            self.undecided.insert(text);
        }
    }
}

impl Observer {
    /// Take what stands in a colour's own place and is no text.
    fn unread(&mut self, value: &Value<'_>, trail: &Trail<'_>) {
        const SHOWN: usize = 120;
        let json = crate::value::json::dump(value, crate::value::json::Style::UNICODE_LINE);
        let shown: String = String::from_utf8_lossy(&json).chars().take(SHOWN).collect();
        if self.wanted.contains(&shown) {
            let places = self.places.entry(shown.clone()).or_default();
            places.push(trail.to_path());
        }
        self.undecided.insert(shown);
    }

    /// The status of an object decides what is counted, so it must be a text.
    fn status(&mut self, object: &Object<'_>, trail: &Trail<'_>) {
        let status = object.get("observation_status");
        if let Some(status) = status
            && !matches!(status, Value::Null | Value::Str(_))
            && self.fault.is_none()
        {
            self.fault = Some(Unusable {
                place: trail.to_path().key("observation_status").to_string(),
                reason: "observation_status is no text, expected observed, not_observed or blocked"
                    .to_owned(),
            });
        }
    }
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nowhere near a colour.
    Elsewhere,
    /// Below a member whose name contains "color", as `color_scheme` and the parts of a colour are.
    Below,
    /// The value of a member whose name ends in "color": what stands here is a colour or unread.
    Own,
}

/// The way from the root to a value, innermost first.
struct Trail<'t> {
    above: Option<&'t Trail<'t>>,
    step: TrailStep<'t>,
}

enum TrailStep<'t> {
    Member(&'t Text<'t>),
    Item(usize),
}

impl Trail<'_> {
    fn to_path(&self) -> ValuePath {
        let mut steps = Vec::new();
        let mut next = Some(self);
        while let Some(trail) = next {
            steps.push(match trail.step {
                TrailStep::Member(key) => Step::Key(key.clone().into_owned()),
                TrailStep::Item(index) => Step::Index(index),
            });
            next = trail.above;
        }
        steps.reverse();
        ValuePath(steps)
    }
}

#[expect(
    clippy::match_same_arms,
    reason = "nothing to see, and nothing to see for the screen gate"
)]
fn observe(blueprint: &Value<'_>, observer: &mut Observer) -> Result<(), Unusable> {
    let name = Text::borrowed("screens");
    let root = Trail {
        above: None,
        step: TrailStep::Member(&name),
    };
    match blueprint.get("screens") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Array(screens)) => {
            for (index, screen) in screens.iter().enumerate() {
                let trail = Trail {
                    above: Some(&root),
                    step: TrailStep::Item(index),
                };
                look(screen, Place::Elsewhere, false, &trail, observer);
            }
            observer.fault.take().map_or(Ok(()), Err)
        }
        // The screen gate takes an object for no screens at all.
        Some(Value::Object(_)) => Ok(()),
        Some(
            Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Str(_),
        ) => Err(Unusable {
            place: "$.screens".to_owned(),
            reason: "screens is no list, expected a list of screens".to_owned(),
        }),
    }
}

fn look(
    value: &Value<'_>,
    place: Place,
    is_settled: bool,
    trail: &Trail<'_>,
    observer: &mut Observer,
) {
    match value {
        Value::Str(text) => observer.string(text, place, is_settled, trail),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let trail = Trail {
                    above: Some(trail),
                    step: TrailStep::Item(index),
                };
                look(item, place, is_settled, &trail, observer);
            }
        }
        Value::Object(object) => {
            if place == Place::Own && is_unread(object) {
                observer.unread(value, trail);
            }
            look_at_object(object, place, trail, observer);
        }
        Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_)
            if place == Place::Own && !is_settled =>
        {
            observer.unread(value, trail);
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {}
    }
}

fn look_at_object(object: &Object<'_>, place: Place, trail: &Trail<'_>, observer: &mut Observer) {
    observer.status(object, trail);
    let status = object.get("observation_status").and_then(Value::as_text);
    let is_gap = status.is_some_and(|status| *status == "not_observed" || *status == "blocked");
    let is_settled = place != Place::Elsewhere && is_decided(object);
    let mut members: Vec<_> = object.iter().collect();
    if !observer.wanted.is_empty() {
        members.sort_by(|left, right| left.0.cmp(&right.0));
    }
    for (key, member) in members {
        let is_looked_at = if is_gap {
            *key == "children"
        } else {
            !is_silent(key)
        };
        if is_looked_at {
            let trail = Trail {
                above: Some(trail),
                step: TrailStep::Member(key),
            };
            let place = place_of(key, place);
            look(member, place, is_settled, &trail, observer);
        }
    }
}

/// The place of the member `key` of an object that stands in `place`.
fn place_of(key: &Text<'_>, place: Place) -> Place {
    const NAMES: [&[u8]; 2] = [b"color", b"colour"];
    let ends_in_colour = NAMES.iter().any(|name| {
        let bytes = key.as_bytes();
        bytes
            .get(bytes.len().saturating_sub(name.len())..)
            .is_some_and(|end| end.eq_ignore_ascii_case(name))
    });
    let is_form = place == Place::Own && ENTRY_FORMS.iter().any(|form| key == form);
    if ends_in_colour || is_form {
        Place::Own
    } else if place != Place::Elsewhere || says_colour(key) {
        Place::Below
    } else {
        Place::Elsewhere
    }
}

/// Whether an object in a colour's place gives its colour in no form that is read, as a design token
/// with components does. A gap gives none on purpose.
fn is_unread(object: &Object<'_>) -> bool {
    let gives = |(key, value): &(Text<'_>, Value<'_>)| {
        place_of(key, Place::Own) == Place::Own
            || value
                .as_text()
                .and_then(Text::as_str)
                .is_some_and(|text| !read(text, Place::Below).colours.is_empty())
    };
    !object.is_empty() && object.get("observation_status").is_none() && !object.iter().any(gives)
}

/// Whether a colour object names its colour in a decided form.
fn is_decided(object: &Object<'_>) -> bool {
    ENTRY_FORMS.iter().any(|form| {
        let text = object.get(form).and_then(Value::as_text);
        text.and_then(Text::as_str)
            .is_some_and(|text| single(declared(text)).is_some())
    })
}

fn is_silent(key: &Text<'_>) -> bool {
    SILENT_MEMBERS.iter().any(|member| key == member) || key.as_bytes().ends_with(b"_ref")
}

fn says_colour(key: &Text<'_>) -> bool {
    let bytes = key.as_bytes();
    (0..bytes.len()).any(|at| {
        bytes
            .get(at..at + 5)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"color"))
    })
}

/// A declared value without blanks around it and without `!important`.
fn declared(text: &str) -> &str {
    let text = text.trim();
    match text.rsplit_once('!') {
        Some((value, word)) if word.trim().eq_ignore_ascii_case("important") => value.trim_end(),
        _ => text,
    }
}

/// What a string gives where it stands.
fn read(text: &str, place: Place) -> Reading {
    let value = declared(text);
    if let Some(colour) = single(value) {
        return Reading {
            colours: colour.shown().into_iter().collect(),
            undecided: None,
        };
    }
    let within = colours_within(text);
    if place == Place::Elsewhere {
        let colours = within.into_iter().filter_map(Rgba::shown).collect();
        return Reading {
            colours,
            undecided: None,
        };
    }
    let lowered = value.to_ascii_lowercase();
    let is_own = within.is_empty() && (is_name(&lowered) || is_function(&lowered));
    if is_own {
        return Reading {
            colours: vec![lowered],
            undecided: None,
        };
    }
    let is_unread = place == Place::Own && within.is_empty() && !is_nothing(&lowered);
    Reading {
        colours: within.into_iter().filter_map(Rgba::shown).collect(),
        undecided: (is_unread || is_undecidable(&lowered)).then_some(lowered),
    }
}

/// Whether `lowered` is a colour function of its own: one that CSS Color 4 can read, or one whose
/// colour only a browser knows.
fn is_function(lowered: &str) -> bool {
    const TAKEN_AS_WRITTEN: [&str; 3] = ["color", "color-mix", "light-dark"];
    let name = lowered.split_once('(').map_or("", |(name, _)| name);
    lowered.ends_with(')')
        && FUNCTIONS.contains(&name)
        && (TAKEN_AS_WRITTEN.contains(&name) || css_colour(lowered).is_some())
}

/// The colour that CSS Color 4 reads in `text`. No colour is written in so many bytes that the parser's
/// own way through nested functions could matter.
fn css_colour(text: &str) -> Option<csscolorparser::Color> {
    const LONGEST: usize = 512;
    if text.len() > LONGEST {
        return None;
    }
    csscolorparser::parse(text).ok()
}

/// Words in a colour's place that stand for no colour of their own.
fn is_nothing(lowered: &str) -> bool {
    matches!(
        lowered,
        "" | "transparent"
            | "none"
            | "currentcolor"
            | "inherit"
            | "initial"
            | "unset"
            | "revert"
            | "revert-layer"
            | "auto"
    ) || css_colour(lowered).is_some_and(|colour| colour.a <= 0.0)
}

/// The 8-bit colour of any notation that CSS Color 4 defines by itself.
fn in_any_notation(text: &str) -> Option<[u8; 4]> {
    let value = declared(text).to_ascii_lowercase();
    let is_css = value.starts_with('#') || is_name(&value) || value.ends_with(')');
    if !is_css || value.starts_with("hsv") || value.starts_with("hwba") {
        return None;
    }
    css_colour(&value).map(|colour| colour.to_rgba8())
}

/// The palette entry that is the same colour as `colour` in another notation, e.g. `palette[3]`.
pub fn equal_entry(design_tokens: &Value<'_>, colour: &Text<'_>) -> Option<String> {
    let wanted = in_any_notation(colour.as_str()?)?;
    let is_same = |entry: &Value<'_>| {
        let forms = ENTRY_FORMS.iter().filter_map(|form| entry.get(form));
        forms
            .chain([entry])
            .filter_map(|form| form.as_text().and_then(Text::as_str))
            .any(|form| in_any_notation(form) == Some(wanted))
    };
    let position = |list: Option<&Value<'_>>| values_of(list).into_iter().position(is_same);
    if let Some(index) = position(design_tokens.get("palette")) {
        return Some(format!("palette[{index}]"));
    }
    let themes = values_of(design_tokens.get("theme_variants"));
    themes.into_iter().enumerate().find_map(|(theme, variant)| {
        ["palette", "colors"].into_iter().find_map(|member| {
            let index = position(variant.get(member))?;
            Some(format!("theme_variants[{theme}].{member}[{index}]"))
        })
    })
}

/// Whether a value in a colour's place depends on what its text does not hold.
fn is_undecidable(lowered: &str) -> bool {
    let name = lowered.split_once('(').map_or("", |(name, _)| name);
    matches!(name, "var" | "env" | "color-mix" | "attr") && lowered.ends_with(')')
        || SYSTEM_COLOURS.binary_search(&lowered).is_ok()
}

/// A colour with 8-bit channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rgba {
    red: u8,
    green: u8,
    blue: u8,
    alpha: u8,
}

impl Rgba {
    /// `#rrggbbaa`; nothing for a colour that is not seen.
    fn shown(self) -> Option<String> {
        let Self {
            red,
            green,
            blue,
            alpha,
        } = self;
        (alpha > 0).then(|| format!("#{red:02x}{green:02x}{blue:02x}{alpha:02x}"))
    }
}

/// The colour that the whole of `text` is.
fn single(text: &str) -> Option<Rgba> {
    if let Some(digits) = text.strip_prefix('#') {
        return from_hex(digits);
    }
    let open = text.find('(')?;
    let (name, rest) = text.split_at_checked(open)?;
    if !name.eq_ignore_ascii_case("rgb") && !name.eq_ignore_ascii_case("rgba") {
        return None;
    }
    from_arguments(rest.strip_prefix('(')?.strip_suffix(')')?)
}

fn from_hex(digits: &str) -> Option<Rgba> {
    let values: Vec<u8> = digits
        .chars()
        .map(|digit| {
            digit
                .to_digit(16)
                .and_then(|value| u8::try_from(value).ok())
        })
        .collect::<Option<_>>()?;
    let channels: Vec<u8> = match values.len() {
        3 | 4 => values.iter().map(|digit| digit * 17).collect(),
        6 | 8 => values
            .chunks_exact(2)
            .map(|pair| pair.iter().fold(0, |high, low| high * 16 + low))
            .collect(),
        _ => return None,
    };
    let (&[red, green, blue], alpha) = channels.split_first_chunk()?;
    let alpha = alpha.first().copied().unwrap_or(255);
    Some(Rgba {
        red,
        green,
        blue,
        alpha,
    })
}

/// The colour in the parentheses of `rgb()`: three channels and perhaps an alpha, with commas,
/// blanks or a slash between them.
fn from_arguments(inner: &str) -> Option<Rgba> {
    let arguments: Vec<&str> = inner
        .split(|character: char| matches!(character, ',' | '/') || character.is_whitespace())
        .filter(|argument| !argument.is_empty())
        .collect();
    let (&[red, green, blue], alpha) = arguments.split_first_chunk::<3>()?;
    let alpha = match *alpha {
        [] => 255,
        [alpha] => scaled(alpha, 1.0)?,
        _ => return None,
    };
    Some(Rgba {
        red: scaled(red, 255.0)?,
        green: scaled(green, 255.0)?,
        blue: scaled(blue, 255.0)?,
        alpha,
    })
}

/// A number of which `full` is the most, or a percentage, as 0 to 255: clamped, halves upwards as
/// browsers round.
fn scaled(argument: &str, full: f64) -> Option<u8> {
    let share = match argument.strip_suffix('%') {
        Some(percent) => css_number(percent)? / 100.0,
        None => css_number(argument)? / full,
    };
    let value = (share * 255.0 + 0.5).floor().clamp(0.0, 255.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the clamp leaves a whole number below 256"
    )]
    Some(value as u8)
}

/// A number as CSS writes one: sign, digits, point, exponent, all ASCII; neither `inf` nor `nan`.
fn css_number(text: &str) -> Option<f64> {
    let is_plain = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'+' | b'-' | b'e' | b'E'));
    if !is_plain || text.ends_with('.') {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Hex and rgb colours that stand inside a longer text.
fn colours_within(text: &str) -> Vec<Rgba> {
    let mut found = Vec::new();
    let mut before = None;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let taken = match character {
            '#' => hex_at(before, rest),
            'r' | 'R' => call_at(rest),
            _ => None,
        };
        let len = match taken {
            Some((colour, len)) => {
                found.push(colour);
                len
            }
            None => character.len_utf8(),
        };
        let (head, tail) = rest.split_at_checked(len).unwrap_or((rest, ""));
        before = head.chars().next_back();
        rest = tail;
    }
    found
}

/// The hex colour that `rest` begins with. Anchors, references, paths and selectors are none: they
/// touch a word, `&`, `/`, `#` or `-`.
fn hex_at(before: Option<char>, rest: &str) -> Option<(Rgba, usize)> {
    if before.is_some_and(|before| is_word(before) || matches!(before, '&' | '/' | '#')) {
        return None;
    }
    let digits = rest.strip_prefix('#')?;
    let len = digits
        .find(|character: char| !character.is_ascii_hexdigit())
        .unwrap_or(digits.len());
    let (digits, after) = digits.split_at_checked(len)?;
    let next = after.chars().next();
    if next.is_some_and(|next| is_word(next) || next == '-') {
        return None;
    }
    Some((from_hex(digits)?, len + 1))
}

/// The `rgb()` colour that `rest` begins with. No argument holds a parenthesis, so that the next one
/// decides: a text of many openings is read once.
fn call_at(rest: &str) -> Option<(Rgba, usize)> {
    let open = ["rgb(", "rgba("].iter().find_map(|name| {
        let start = rest.get(..name.len())?;
        start.eq_ignore_ascii_case(name).then_some(name.len())
    })?;
    let inner = rest.get(open..)?;
    let len = inner.find(['(', ')'])?;
    let (inner, after) = inner.split_at_checked(len)?;
    after.strip_prefix(')')?;
    Some((from_arguments(inner)?, open + len + 1))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// What a palette covers.
#[derive(Default)]
struct Covered {
    /// Colours.
    listed: BTreeSet<String>,
    /// Written forms that no program can decide, which entries give beside a colour.
    named: BTreeSet<String>,
}

impl Covered {
    /// Take one form of an entry.
    fn form(&mut self, text: &Text<'_>) {
        let Some(value) = text.as_str().map(declared) else {
            return;
        };
        if let Some(colour) = single(value) {
            self.listed.extend(colour.shown());
            return;
        }
        let lowered = value.to_ascii_lowercase();
        if is_name(&lowered) || is_function(&lowered) {
            self.listed.insert(lowered);
        } else {
            self.named.insert(lowered);
        }
    }
}

fn palette_colours(design_tokens: &Value<'_>) -> Result<Covered, Unusable> {
    let mut covered = Covered::default();
    let tokens = match design_tokens {
        Value::Null => return Ok(covered),
        Value::Object(tokens) => tokens,
        Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Array(_) => {
            return Err(Unusable {
                place: "$.design_tokens".to_owned(),
                reason: "design_tokens is no object, expected an object with a palette".to_owned(),
            });
        }
    };
    cover(tokens.get("palette"), &mut covered);
    for variant in values_of(tokens.get("theme_variants")) {
        cover(variant.get("palette"), &mut covered);
        cover(variant.get("colors"), &mut covered);
    }
    // Whether brand colours belong to the palette is open (case C6); as recorded, they do.
    let brand = ["document_brand", "brand"]
        .into_iter()
        .filter_map(|name| tokens.get(name))
        .find(|brand| brand.is_truthy());
    match brand {
        Some(Value::Object(brand)) => cover(brand.get("colors"), &mut covered),
        Some(brand @ Value::Array(_)) => cover(Some(brand), &mut covered),
        Some(
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_),
        )
        | None => {}
    }
    Ok(covered)
}

/// Items of a list or member values of a map.
fn values_of<'o, 'a>(value: Option<&'o Value<'a>>) -> Vec<&'o Value<'a>> {
    match value {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::Object(members)) => members.values().collect(),
        Some(
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_),
        )
        | None => Vec::new(),
    }
}

fn cover(entries: Option<&Value<'_>>, covered: &mut Covered) {
    for entry in values_of(entries) {
        match entry {
            Value::Str(text) => covered.form(text),
            Value::Object(entry) => {
                let forms = ENTRY_FORMS.iter().filter_map(|form| entry.get(form));
                forms
                    .filter_map(Value::as_text)
                    .for_each(|form| covered.form(form));
            }
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Array(_) => {}
        }
    }
}

fn is_name(lowered: &str) -> bool {
    static SORTED: OnceLock<Vec<&'static str>> = OnceLock::new();
    let names = SORTED.get_or_init(|| {
        let mut names: Vec<_> = NAMES.split_ascii_whitespace().collect();
        names.sort_unstable();
        names
    });
    names.binary_search(&lowered).is_ok()
}

/// The colour names of CSS.
const NAMES: &str = "
aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown
burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan
darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid
darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet
deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro
ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki
lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow
lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray
lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine
mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise
mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab
orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru
pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown
seagreen seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan
teal thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen
";

/// Names that stand for a colour the visitor's system chooses, sorted.
const SYSTEM_COLOURS: [&str; 19] = [
    "accentcolor",
    "accentcolortext",
    "activetext",
    "buttonborder",
    "buttonface",
    "buttontext",
    "canvas",
    "canvastext",
    "field",
    "fieldtext",
    "graytext",
    "highlight",
    "highlighttext",
    "linktext",
    "mark",
    "marktext",
    "selecteditem",
    "selecteditemtext",
    "visitedtext",
];
