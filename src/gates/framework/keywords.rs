//! The walk of a value against a schema.
//!
//! In: a value and a prepared [`Schema`]. Out: [`Problem`]s in document order and the keywords that
//! were met and are not enforced. Paths and texts are built only where there is a problem.

use super::problem::{Problem, ProblemKind};
use super::schema::{
    Additional, Keywords, Limit, NamedNodes, Node, Part, Properties, Schema, Unusable, place_bit,
};
use crate::text::patterns::PatternEngine;
use crate::text::python::str_of;
use crate::value::json::locate::{Step, ValuePath};
use crate::value::number::{Number, truncated_decimal};
use crate::value::{Object, Text, Value};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Python's equality of JSON values, but a boolean equals only a boolean. Nested booleans compare
/// as the numbers they are.
pub fn json_equal(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Bool(_), _) | (_, Value::Bool(_)) => false,
        _ => left == right,
    }
}

/// What a walk found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found<'v> {
    /// Problems in document order.
    pub problems: Vec<Problem<'v>>,
    /// Keywords that were met and are not enforced, sorted.
    pub unknown: BTreeSet<Text<'static>>,
}

/// A node whose array was checked while it was read: the items that stand for it are not looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checked<'n, 's>(pub(super) &'n Node<'s>);

/// Check `value` against `schema`.
///
/// # Errors
/// When a value reaches a part of the schema that cannot be used.
pub fn check_schema<'v>(
    value: &'v Value<'v>,
    schema: &'v Schema<'v>,
    engine: &dyn PatternEngine,
) -> Result<Found<'v>, Unusable> {
    check_schema_with(value, schema, engine, None)
}

/// [`check_schema`], the items for one node left out.
pub(super) fn check_schema_with<'v>(
    value: &'v Value<'v>,
    schema: &'v Schema<'v>,
    engine: &dyn PatternEngine,
    checked: Option<Checked<'v, 'v>>,
) -> Result<Found<'v>, Unusable> {
    let mut walk = Walk::new(engine, checked);
    walk.node(value, &schema.root, &Trail::Root)?;
    let unknown = walk.unknown.into_iter();
    Ok(Found {
        problems: walk.problems,
        unknown: unknown.map(|name| name.clone().into_owned()).collect(),
    })
}

/// Whether `value` has no problem with `node`, all of whose keywords are enforced.
pub(super) fn check_node<'v>(
    value: &'v Value<'v>,
    node: &'v Node<'v>,
    engine: &dyn PatternEngine,
) -> bool {
    let mut walk = Walk::new(engine, None);
    walk.node(value, node, &Trail::Root).is_ok()
        && walk.problems.is_empty()
        && walk.unknown.is_empty()
}

/// The way to a value, on the stack.
enum Trail<'t, 'v> {
    Root,
    Key(&'t Trail<'t, 'v>, &'v Text<'v>),
    Index(&'t Trail<'t, 'v>, usize),
}

impl Trail<'_, '_> {
    fn path(&self) -> ValuePath {
        let mut steps = Vec::new();
        let mut at = self;
        loop {
            match at {
                Self::Root => break,
                Self::Key(before, key) => {
                    steps.push(Step::Key((*key).clone().into_owned()));
                    at = before;
                }
                Self::Index(before, index) => {
                    steps.push(Step::Index(*index));
                    at = before;
                }
            }
        }
        steps.reverse();
        ValuePath(steps)
    }
}

struct Walk<'e, 'v> {
    engine: &'e dyn PatternEngine,
    checked: Option<Checked<'v, 'v>>,
    unknown: BTreeSet<&'v Text<'v>>,
    /// Places in `properties` of the members of the objects that are open, innermost last.
    places: Vec<Option<usize>>,
    /// Only count problems: an `anyOf` branch is tried.
    is_probing: bool,
    count: usize,
    problems: Vec<Problem<'v>>,
}

impl<'e, 'v> Walk<'e, 'v> {
    fn new(engine: &'e dyn PatternEngine, checked: Option<Checked<'v, 'v>>) -> Self {
        Self {
            engine,
            checked,
            unknown: BTreeSet::new(),
            places: Vec::new(),
            is_probing: false,
            count: 0,
            problems: Vec::new(),
        }
    }

    fn report(&mut self, trail: &Trail<'_, 'v>, kind: impl FnOnce() -> ProblemKind<'v>) {
        self.count += 1;
        if !self.is_probing {
            self.problems.push(Problem {
                path: trail.path(),
                kind: kind(),
            });
        }
    }

    fn node(
        &mut self,
        value: &'v Value<'v>,
        node: &'v Node<'v>,
        trail: &Trail<'_, 'v>,
    ) -> Result<(), Unusable> {
        let keywords = match node {
            Node::Unusable(fault) => return Err(fault.clone()),
            Node::Keywords(keywords) => keywords,
        };
        self.unknown.extend(&keywords.unknown);
        if let Some(branches) = &keywords.any_of {
            self.any_of(value, usable(branches)?, trail)?;
        }
        if let Some(types) = &keywords.types
            && !types.accepted.accepts(value)
        {
            if let Some(fault) = &types.then_unusable {
                return Err(fault.clone());
            }
            self.report(trail, || ProblemKind::Type {
                expected: types.names.clone(),
                found: value.json_type(),
            });
            return Ok(());
        }
        if let Some(choices) = &keywords.choices {
            let choices = usable(choices)?;
            let mut values = choices.values.as_slice().iter();
            if !values.any(|choice| json_equal(value, choice)) {
                self.report(trail, || ProblemKind::NotChosen {
                    value,
                    choices: choices.listed,
                });
            }
        }
        if let Some(constant) = keywords.constant
            && !json_equal(value, constant)
        {
            self.report(trail, || ProblemKind::NotConstant { value, constant });
        }
        match value {
            Value::Str(text) => self.string(value, text, keywords, trail),
            Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
                self.number(value, keywords, trail)
            }
            Value::Array(items) => self.array(items, keywords, trail),
            Value::Object(object) => self.object(object, keywords, trail),
            Value::Null | Value::Bool(_) => Ok(()),
        }
    }

    /// Branches are counted first and told in full only when none is clean, so that a document
    /// that uses the second branch everywhere costs no text.
    fn any_of(
        &mut self,
        value: &'v Value<'v>,
        branches: &'v [Node<'v>],
        trail: &Trail<'_, 'v>,
    ) -> Result<(), Unusable> {
        let (count, was_probing) = (self.count, self.is_probing);
        self.is_probing = true;
        for branch in branches {
            self.count = 0;
            self.node(value, branch, trail)?;
            if self.count == 0 {
                (self.count, self.is_probing) = (count, was_probing);
                return Ok(());
            }
        }
        (self.count, self.is_probing) = (count, was_probing);
        if self.is_probing {
            self.count += 1;
            return Ok(());
        }
        let mut firsts = Vec::new();
        for branch in branches {
            let outer = std::mem::take(&mut self.problems);
            self.node(value, branch, trail)?;
            let own = std::mem::replace(&mut self.problems, outer);
            firsts.extend(own.into_iter().next());
        }
        self.count = count;
        self.report(trail, || ProblemKind::NoAlternative(firsts));
        Ok(())
    }

    fn string(
        &mut self,
        value: &'v Value<'v>,
        text: &'v Text<'v>,
        keywords: &'v Keywords<'v>,
        trail: &Trail<'_, 'v>,
    ) -> Result<(), Unusable> {
        if let Some(pattern) = &keywords.pattern {
            let pattern = usable(pattern)?;
            let found = pattern.search(text, self.engine).map_err(|reason| {
                let shown = crate::finding::excerpt(&pattern.text().to_display());
                Unusable {
                    place: format!("{}.pattern", keywords.place),
                    reason: format!("pattern {shown}: {reason}"),
                }
            })?;
            if !found {
                self.report(trail, || ProblemKind::Pattern {
                    value,
                    pattern: pattern.text(),
                });
            }
        }
        if let Some(limit) = &keywords.min_length {
            let limit = usable(limit)?;
            if text_length_order(text, limit) == Some(Ordering::Less) {
                let limit = whole(limit, keywords, "minLength")?;
                self.report(trail, || ProblemKind::TooShort { limit });
            }
        }
        if let Some(limit) = &keywords.max_length {
            let limit = usable(limit)?;
            if text_length_order(text, limit) == Some(Ordering::Greater) {
                let limit = whole(limit, keywords, "maxLength")?;
                self.report(trail, || ProblemKind::TooLong { limit });
            }
        }
        Ok(())
    }

    fn number(
        &mut self,
        value: &'v Value<'v>,
        keywords: &'v Keywords<'v>,
        trail: &Trail<'_, 'v>,
    ) -> Result<(), Unusable> {
        let number = Number::of(value);
        if let Some(limit) = &keywords.minimum {
            let limit = usable(limit)?;
            if number.partial_cmp(&Some(limit.number)) == Some(Ordering::Less) {
                let limit = limit.value;
                self.report(trail, || ProblemKind::BelowMinimum { value, limit });
            }
        }
        if let Some(limit) = &keywords.maximum {
            let limit = usable(limit)?;
            if number.partial_cmp(&Some(limit.number)) == Some(Ordering::Greater) {
                let limit = limit.value;
                self.report(trail, || ProblemKind::AboveMaximum { value, limit });
            }
        }
        Ok(())
    }

    fn array(
        &mut self,
        items: &'v [Value<'v>],
        keywords: &'v Keywords<'v>,
        trail: &Trail<'_, 'v>,
    ) -> Result<(), Unusable> {
        let count = items.len();
        if let Some(limit) = &keywords.min_items {
            let limit = usable(limit)?;
            if count_order(count, limit) == Some(Ordering::Less) {
                let limit = whole(limit, keywords, "minItems")?;
                let item = keywords.items.as_ref();
                let choices = item.and_then(Node::choices);
                self.report(trail, || ProblemKind::TooFewItems {
                    count,
                    limit,
                    choices,
                    members: item.map(Node::required).unwrap_or_default(),
                });
            }
        }
        if let Some(limit) = &keywords.max_items {
            let limit = usable(limit)?;
            if count_order(count, limit) == Some(Ordering::Greater) {
                let limit = whole(limit, keywords, "maxItems")?;
                self.report(trail, || ProblemKind::TooManyItems { count, limit });
            }
        }
        if let Some(node) = &keywords.items
            && !self
                .checked
                .is_some_and(|Checked(done)| std::ptr::eq(done, node))
        {
            for (index, item) in items.iter().enumerate() {
                self.node(item, node, &Trail::Index(trail, index))?;
            }
        }
        Ok(())
    }

    fn object(
        &mut self,
        object: &'v Object<'v>,
        keywords: &'v Keywords<'v>,
        trail: &Trail<'_, 'v>,
    ) -> Result<(), Unusable> {
        let first = self.places.len();
        let seen = self.look_up_members(object, &keywords.properties);
        let is_complete = keywords
            .required_places
            .is_some_and(|required| seen & required == required);
        if !is_complete {
            self.required(object, keywords, trail)?;
        }
        for (index, (key, value)) in object.iter().enumerate() {
            let node = match &keywords.properties {
                Properties::Named(named) => self.member_node(named, first + index),
                Properties::Odd(odd, fault) if python_finds(key, odd) => return Err(fault.clone()),
                Properties::Absent | Properties::Odd(..) => None,
            };
            match (node, &keywords.additional) {
                (Some(node), _) | (None, Additional::Described(node)) => {
                    self.node(value, node, &Trail::Key(trail, key))?;
                }
                (None, Additional::Forbidden) => {
                    self.report(trail, || ProblemKind::Unexpected { name: key });
                }
                (None, Additional::Allowed) => {}
            }
        }
        self.places.truncate(first);
        Ok(())
    }

    /// Push the place in `properties` of every member; returns the places' bits.
    fn look_up_members(&mut self, object: &Object<'_>, properties: &Properties<'_>) -> u64 {
        let mut seen = 0;
        if let Properties::Named(named) = properties {
            let mut hint = 0;
            for (key, _) in object {
                let place = named.place(key, hint);
                if let Some(place) = place {
                    hint = place + 1;
                    seen |= place_bit(place).unwrap_or(0);
                }
                self.places.push(place);
            }
        }
        seen
    }

    fn member_node(&self, named: &'v NamedNodes<'v>, at: usize) -> Option<&'v Node<'v>> {
        named.node(self.places.get(at).copied()??)
    }

    fn required(
        &mut self,
        object: &'v Object<'v>,
        keywords: &'v Keywords<'v>,
        trail: &Trail<'_, 'v>,
    ) -> Result<(), Unusable> {
        let Some(required) = &keywords.required else {
            return Ok(());
        };
        for name in usable(required)? {
            if let Some(fault) = &name.unusable {
                return Err(fault.clone());
            }
            let is_there = name
                .value
                .as_text()
                .is_some_and(|key| object.get_text(key).is_some());
            if !is_there {
                self.report(trail, || ProblemKind::Missing {
                    name: str_of(&name.value),
                });
            }
        }
        Ok(())
    }
}

fn usable<T>(part: &Part<T>) -> Result<&T, Unusable> {
    part.as_ref().map_err(Clone::clone)
}

/// Whether Python's `key in odd` is true, or raises.
fn python_finds(key: &Text<'_>, odd: &Value<'_>) -> bool {
    match odd {
        Value::Array(items) => items
            .iter()
            .any(|item| item.as_text().is_some_and(|text| text == key)),
        Value::Str(text) => memchr::memmem::find(text.as_bytes(), key.as_bytes()).is_some(),
        Value::Object(object) => object.get_text(key).is_some(),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => true,
    }
}

fn count_order(count: usize, limit: &Limit<'_>) -> Option<Ordering> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    Number::Int(count).partial_cmp(&limit.number)
}

/// Order of the text's length in code points against the limit.
fn text_length_order(text: &Text<'_>, limit: &Limit<'_>) -> Option<Ordering> {
    // A code point takes one to four bytes: most texts are decided by their bytes.
    let len_bytes = text.as_bytes().len();
    if count_order(len_bytes / 4, limit) == Some(Ordering::Greater) {
        return Some(Ordering::Greater);
    }
    count_order(text.len(), limit)
}

/// A limit as a whole number, cut towards zero as Python's `int` does.
fn whole(limit: &Limit<'_>, keywords: &Keywords<'_>, keyword: &str) -> Result<String, Unusable> {
    truncated_decimal(limit.number).ok_or_else(|| Unusable {
        place: format!("{}.{keyword}", keywords.place),
        reason: "a limit must be a finite number".to_owned(),
    })
}
