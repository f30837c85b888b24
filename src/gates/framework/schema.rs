//! A schema, prepared once for many values.
//!
//! In: the schema document. Out: a tree of `Node`s in which names are looked up, types are bit
//! sets and patterns are compiled. Preparing never fails: a part that cannot be used is kept as
//! [`Unusable`] and refuses only when a value reaches it, as the plain walk over the document would.

use super::pattern::Pattern;
use crate::text::push_code_point;
use crate::text::python::{repr, str_of};
use crate::value::number::Number;
use crate::value::{Text, Value};
use std::collections::HashMap;

/// The keywords that are enforced, in alphabetical order.
pub const HANDLED: [&str; 15] = [
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "type",
];

/// The keywords that describe and are skipped in silence, in alphabetical order.
pub const METADATA: [&str; 6] = [
    "$id",
    "$schema",
    "default",
    "description",
    "examples",
    "title",
];

/// The type names, in the order they are tried for a value.
pub const TYPE_NAMES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// Part of a schema that cannot be used: where it stands in the schema and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Path in the schema document, e.g. `$.properties.v.type`.
    pub place: String,
    /// Why, one clause.
    pub reason: String,
}

/// A prepared schema.
#[derive(Debug)]
pub struct Schema<'s> {
    pub(super) root: Node<'s>,
}

impl<'s> Schema<'s> {
    /// Prepare the schema in `document`.
    pub fn new(document: &'s Value<'s>) -> Self {
        Self {
            root: Node::new(document, "$"),
        }
    }

    /// Every part of the schema that cannot be used, in document order, whether or not a value
    /// reaches it.
    pub fn faults(&self) -> Vec<Unusable> {
        let mut faults = Vec::new();
        self.root.push_faults(&mut faults);
        faults
    }
}

/// One node of a schema.
#[derive(Debug)]
pub(super) enum Node<'s> {
    Unusable(Unusable),
    Keywords(Box<Keywords<'s>>),
}

impl<'s> Node<'s> {
    /// The values that the node's `enum` lists, as the schema holds them.
    pub(super) fn choices(&self) -> Option<&'s Value<'s>> {
        match self {
            Self::Keywords(keywords) => match &keywords.choices {
                Some(Ok(choices)) => Some(choices.listed),
                Some(Err(_)) | None => None,
            },
            Self::Unusable(_) => None,
        }
    }

    /// The members that the node's `required` names.
    pub(super) fn required(&self) -> Vec<Text<'static>> {
        match self {
            Self::Keywords(keywords) => match &keywords.required {
                Some(Ok(names)) => names.iter().map(|name| str_of(&name.value)).collect(),
                Some(Err(_)) | None => Vec::new(),
            },
            Self::Unusable(_) => Vec::new(),
        }
    }
}

/// The keywords of one node. A keyword that is absent is nothing.
#[derive(Debug, Default)]
pub(super) struct Keywords<'s> {
    pub(super) unknown: Vec<&'s Text<'s>>,
    pub(super) any_of: Option<Part<Vec<Node<'s>>>>,
    pub(super) types: Option<Types<'s>>,
    pub(super) choices: Option<Part<Choices<'s>>>,
    pub(super) constant: Option<&'s Value<'s>>,
    pub(super) pattern: Option<Part<Pattern<'s>>>,
    /// Path of the pattern in the schema, for a pattern found unusable at a search.
    pub(super) place: String,
    pub(super) min_length: Option<Part<Limit<'s>>>,
    pub(super) max_length: Option<Part<Limit<'s>>>,
    pub(super) minimum: Option<Part<Limit<'s>>>,
    pub(super) maximum: Option<Part<Limit<'s>>>,
    pub(super) min_items: Option<Part<Limit<'s>>>,
    pub(super) max_items: Option<Part<Limit<'s>>>,
    pub(super) items: Option<Node<'s>>,
    pub(super) required: Option<Part<Vec<Name<'s>>>>,
    /// Bits of the places in `properties` that `required` names, when it names nothing else.
    pub(super) required_places: Option<u64>,
    pub(super) properties: Properties<'s>,
    pub(super) additional: Additional<'s>,
}

/// A keyword's value, or why it cannot be used.
pub(super) type Part<T> = Result<T, Unusable>;

/// `type`: the names up to the first that is none, which is reached only when those before fail.
#[derive(Debug)]
pub(super) struct Types<'s> {
    pub(super) names: Vec<&'s Text<'s>>,
    pub(super) accepted: TypeSet,
    pub(super) then_unusable: Option<Unusable>,
}

/// A set of type names, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TypeSet(u8);

impl TypeSet {
    fn of_name(name: &str) -> Option<Self> {
        let at = TYPE_NAMES.iter().position(|known| *known == name)?;
        Some(Self(1 << at))
    }

    /// Whether a value of this set's types includes `value`.
    pub(super) fn accepts(self, value: &Value<'_>) -> bool {
        let names = match value {
            Value::Null => 1,
            Value::Bool(_) => 1 << 1,
            // An integer is a number too.
            Value::Int(_) | Value::BigInt(_) => 1 << 2 | 1 << 3,
            Value::Float(_) => 1 << 3,
            Value::Str(_) => 1 << 4,
            Value::Array(_) => 1 << 5,
            Value::Object(_) => 1 << 6,
        };
        self.0 & names != 0
    }
}

/// `enum`: the values to try and the document that lists them.
#[derive(Debug)]
pub(super) struct Choices<'s> {
    pub(super) listed: &'s Value<'s>,
    pub(super) values: Members<'s>,
}

/// What Python's `for` would hand out of a value.
#[derive(Debug)]
pub(super) enum Members<'s> {
    Items(&'s [Value<'s>]),
    /// The characters of a string or the keys of an object.
    Names(Vec<Value<'s>>),
}

impl<'s> Members<'s> {
    fn of(value: &'s Value<'s>) -> Option<Self> {
        match value {
            Value::Array(items) => Some(Self::Items(items)),
            Value::Str(text) => Some(Self::Names(
                text.code_points()
                    .map(|code_point| {
                        let mut character = Vec::new();
                        push_code_point(&mut character, code_point);
                        Value::Str(Text::from_wtf8(character.into()))
                    })
                    .collect(),
            )),
            Value::Object(object) => Some(Self::Names(
                object.keys().map(|key| Value::Str(key.clone())).collect(),
            )),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
                None
            }
        }
    }

    pub(super) fn as_slice(&self) -> &[Value<'s>] {
        match self {
            Self::Items(items) => items,
            Self::Names(names) => names,
        }
    }
}

/// A numeric limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit<'s> {
    pub(super) value: &'s Value<'s>,
    pub(super) number: Number<'s>,
}

/// One entry of `required`.
#[derive(Debug)]
pub(super) struct Name<'s> {
    /// The entry; a string in any sensible schema.
    pub(super) value: Value<'s>,
    /// An entry that Python cannot look up.
    pub(super) unusable: Option<Unusable>,
}

/// `properties`.
#[derive(Debug, Default)]
pub(super) enum Properties<'s> {
    #[default]
    Absent,
    Named(NamedNodes<'s>),
    /// Not an object: refuses for members Python would try to look up in it.
    Odd(&'s Value<'s>, Unusable),
}

/// The nodes of `properties` by name.
#[derive(Debug)]
pub(super) struct NamedNodes<'s> {
    nodes: Vec<(&'s Text<'s>, Node<'s>)>,
    /// Places by name where there are too many for a scan.
    places: Option<HashMap<&'s [u8], usize>>,
}

impl<'s> NamedNodes<'s> {
    const SCAN_LIMIT: usize = 24;

    fn new(nodes: Vec<(&'s Text<'s>, Node<'s>)>) -> Self {
        let places = (nodes.len() > Self::SCAN_LIMIT).then(|| {
            let named = nodes.iter().enumerate();
            named
                .map(|(place, (name, _))| (name.as_bytes(), place))
                .collect()
        });
        Self { nodes, places }
    }

    /// Place of `key`. Documents mostly list members in the schema's order: `hint` is tried first.
    pub(super) fn place(&self, key: &Text<'_>, hint: usize) -> Option<usize> {
        if let Some((name, _)) = self.nodes.get(hint)
            && *name == key
        {
            return Some(hint);
        }
        match &self.places {
            Some(places) => places.get(key.as_bytes()).copied(),
            None => self.nodes.iter().position(|(name, _)| *name == key),
        }
    }

    pub(super) fn node(&self, place: usize) -> Option<&Node<'s>> {
        self.nodes.get(place).map(|(_, node)| node)
    }
}

/// `additionalProperties`.
#[derive(Debug, Default)]
pub(super) enum Additional<'s> {
    /// Absent, true, or anything else that neither forbids nor describes.
    #[default]
    Allowed,
    Forbidden,
    Described(Node<'s>),
}

impl<'s> Node<'s> {
    fn new(document: &'s Value<'s>, place: &str) -> Self {
        let Value::Object(object) = document else {
            return Self::Unusable(Unusable {
                place: place.to_owned(),
                reason: format!("a schema must be an object, not {}", document.json_type()),
            });
        };
        let mut keywords = Keywords {
            place: place.to_owned(),
            ..Keywords::default()
        };
        for (key, value) in object {
            keywords.take(key, value, place);
        }
        keywords.link_required();
        Self::Keywords(Box::new(keywords))
    }

    fn push_faults(&self, faults: &mut Vec<Unusable>) {
        match self {
            Self::Unusable(fault) => faults.push(fault.clone()),
            Self::Keywords(keywords) => keywords.push_faults(faults),
        }
    }
}

impl<'s> Keywords<'s> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other types are one case"
    )]
    fn take(&mut self, key: &'s Text<'s>, value: &'s Value<'s>, place: &str) {
        let Some(name) = key.as_str() else {
            self.unknown.push(key);
            return;
        };
        let at = || format!("{place}.{name}");
        match name {
            "anyOf" => self.any_of = Some(branches(value, &at())),
            "type" => self.types = Some(Types::new(value, &at())),
            "enum" => {
                self.choices = Some(match Members::of(value) {
                    Some(values) => Ok(Choices {
                        listed: value,
                        values,
                    }),
                    None => Err(unusable(at(), "enum must be an array", value)),
                });
            }
            "const" => self.constant = Some(value),
            "pattern" => {
                self.pattern = Some(match value {
                    Value::Str(text) => Ok(Pattern::new(text)),
                    _ => Err(unusable(at(), "pattern must be a string", value)),
                });
            }
            "minLength" => self.min_length = Some(Limit::new(value, at())),
            "maxLength" => self.max_length = Some(Limit::new(value, at())),
            "minimum" => self.minimum = Some(Limit::new(value, at())),
            "maximum" => self.maximum = Some(Limit::new(value, at())),
            "minItems" => self.min_items = Some(Limit::new(value, at())),
            "maxItems" => self.max_items = Some(Limit::new(value, at())),
            "items" => self.items = Some(Node::new(value, &at())),
            "required" => self.required = Some(required(value, &at())),
            "properties" => self.properties = Properties::new(value, &at()),
            "additionalProperties" => {
                self.additional = match value {
                    Value::Bool(false) => Additional::Forbidden,
                    Value::Object(_) => Additional::Described(Node::new(value, &at())),
                    _ => Additional::Allowed,
                };
            }
            _ if METADATA.contains(&name) => {}
            _ => self.unknown.push(key),
        }
    }

    /// Note where the required names stand in `properties`, so that one pass over the members of a
    /// value settles both.
    fn link_required(&mut self) {
        let (Some(Ok(names)), Properties::Named(named)) = (&self.required, &self.properties) else {
            return;
        };
        self.required_places = names.iter().try_fold(0, |places, name| {
            let place = named.place(name.value.as_text()?, 0)?;
            Some(places | place_bit(place)?)
        });
    }

    fn push_faults(&self, faults: &mut Vec<Unusable>) {
        match &self.any_of {
            Some(Ok(branches)) => {
                for branch in branches {
                    branch.push_faults(faults);
                }
            }
            Some(Err(fault)) => faults.push(fault.clone()),
            None => {}
        }
        let types = self.types.as_ref();
        faults.extend(types.and_then(|types| types.then_unusable.clone()));
        faults.extend(part_fault(self.choices.as_ref()));
        faults.extend(part_fault(self.pattern.as_ref()));
        for limit in [
            &self.min_length,
            &self.max_length,
            &self.minimum,
            &self.maximum,
            &self.min_items,
            &self.max_items,
        ] {
            faults.extend(part_fault(limit.as_ref()));
        }
        if let Some(items) = &self.items {
            items.push_faults(faults);
        }
        match &self.required {
            Some(Ok(names)) => {
                faults.extend(names.iter().filter_map(|name| name.unusable.clone()));
            }
            Some(Err(fault)) => faults.push(fault.clone()),
            None => {}
        }
        match &self.properties {
            Properties::Absent => {}
            Properties::Named(named) => {
                for (_, node) in &named.nodes {
                    node.push_faults(faults);
                }
            }
            Properties::Odd(_, fault) => faults.push(fault.clone()),
        }
        match &self.additional {
            Additional::Allowed | Additional::Forbidden => {}
            Additional::Described(node) => node.push_faults(faults),
        }
    }
}

/// The bit of a place in `properties`; nothing beyond the first 64.
pub(super) fn place_bit(place: usize) -> Option<u64> {
    1_u64.checked_shl(u32::try_from(place).ok()?)
}

fn part_fault<T>(part: Option<&Part<T>>) -> Option<Unusable> {
    part.and_then(|part| part.as_ref().err().cloned())
}

fn unusable(place: String, rule: &str, found: &Value<'_>) -> Unusable {
    Unusable {
        place,
        reason: format!("{rule}, not {}", found.json_type()),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all other types are one case"
)]
fn branches<'s>(value: &'s Value<'s>, place: &str) -> Part<Vec<Node<'s>>> {
    let node =
        |index: usize, branch: &'s Value<'s>| Node::new(branch, &format!("{place}[{index}]"));
    match value {
        Value::Array(items) => Ok(items
            .iter()
            .enumerate()
            .map(|(index, branch)| node(index, branch))
            .collect()),
        // Python finds nothing to try in an empty string or object.
        Value::Str(text) if text.is_empty() => Ok(Vec::new()),
        Value::Object(object) if object.is_empty() => Ok(Vec::new()),
        _ => Err(unusable(
            place.to_owned(),
            "anyOf must be an array of schemas",
            value,
        )),
    }
}

fn required<'s>(value: &'s Value<'s>, place: &str) -> Part<Vec<Name<'s>>> {
    let Some(members) = Members::of(value) else {
        return Err(unusable(
            place.to_owned(),
            "required must be an array of names",
            value,
        ));
    };
    let names = members.as_slice().iter().enumerate();
    Ok(names
        .map(|(index, name)| Name {
            value: name.clone(),
            unusable: (!name.is_hashable()).then(|| {
                unusable(
                    format!("{place}[{index}]"),
                    "a required name must be a string",
                    name,
                )
            }),
        })
        .collect())
}

impl<'s> Types<'s> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other types are one case"
    )]
    fn new(value: &'s Value<'s>, place: &str) -> Self {
        let listed = match value {
            Value::Array(items) => items.as_slice(),
            _ => std::slice::from_ref(value),
        };
        let mut types = Self {
            names: Vec::new(),
            accepted: TypeSet::default(),
            then_unusable: None,
        };
        for name in listed {
            let known = name
                .as_text()
                .and_then(|text| Some((text, TypeSet::of_name(text.as_str()?)?)));
            let Some((text, set)) = known else {
                types.then_unusable = Some(Unusable {
                    place: place.to_owned(),
                    reason: format!(
                        "{} is not a type name (one of {})",
                        crate::finding::excerpt(&repr(name)),
                        TYPE_NAMES.join(", ")
                    ),
                });
                break;
            };
            types.names.push(text);
            types.accepted.0 |= set.0;
        }
        types
    }
}

impl<'s> Limit<'s> {
    fn new(value: &'s Value<'s>, place: String) -> Part<Self> {
        match Number::of(value) {
            Some(number) => Ok(Self { value, number }),
            None => Err(unusable(place, "a limit must be a number", value)),
        }
    }
}

impl<'s> Properties<'s> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other types are one case"
    )]
    fn new(value: &'s Value<'s>, place: &str) -> Self {
        match value {
            Value::Object(object) => {
                let nodes = object
                    .iter()
                    .map(|(key, node)| {
                        let place = format!("{place}.{}", key.to_display());
                        (key, Node::new(node, &place))
                    })
                    .collect();
                Self::Named(NamedNodes::new(nodes))
            }
            _ => Self::Odd(
                value,
                unusable(place.to_owned(), "properties must be an object", value),
            ),
        }
    }
}
