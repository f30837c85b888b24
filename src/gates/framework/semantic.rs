//! What a schema cannot say: versions, approval, ids that must be unique or known.
//!
//! In: a framework as it was read, whatever its shape. Out: [`Problem`]s in document order.

use super::problem::{Problem, ProblemKind};
use crate::value::json::locate::ValuePath;
use crate::value::number::Number;
use crate::value::{Object, Text, Value};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// The semantic problems of `framework`.
pub fn semantic_problems<'v>(framework: &'v Value<'v>, allows_approved: bool) -> Vec<Problem<'v>> {
    let mut problems = Vec::new();
    let Some(root) = framework.as_object() else {
        return problems;
    };
    if let Some(version @ (Value::Int(_) | Value::BigInt(_))) = root.get("framework_version")
        && Number::of(version) < Some(Number::Int(1))
    {
        problems.push(Problem {
            path: ValuePath::root().key("framework_version"),
            kind: ProblemKind::Version { value: version },
        });
    }
    if !allows_approved && root.get("approved").is_some_and(Value::is_true) {
        problems.push(Problem {
            path: ValuePath::root().key("approved"),
            kind: ProblemKind::Approved,
        });
    }
    if let Some(lenses) = root.get("lenses").and_then(Value::as_array) {
        push_id_problems(lenses, &mut problems);
    }
    problems
}

/// Lenses that are objects, with their places.
fn objects<'v>(values: &'v [Value<'v>]) -> impl Iterator<Item = (usize, &'v Object<'v>)> {
    let places = values.iter().enumerate();
    places.filter_map(|(place, value)| Some((place, value.as_object()?)))
}

fn items<'v>(lens: &'v Object<'v>) -> impl Iterator<Item = (usize, &'v Object<'v>)> {
    objects(
        lens.get("items")
            .and_then(Value::as_array)
            .unwrap_or_default(),
    )
}

fn text_member<'v>(object: &'v Object<'v>, key: &str) -> Option<(&'v Value<'v>, &'v Text<'v>)> {
    let value = object.get(key)?;
    Some((value, value.as_text()?))
}

fn item_path(lens: usize, item: usize) -> ValuePath {
    lens_path(lens).key("items").index(item)
}

fn lens_path(lens: usize) -> ValuePath {
    ValuePath::root().key("lenses").index(lens)
}

/// Push repeated lens and issue ids, then owners that are no lens. One pass: the members of a large
/// framework are not in the cache any more, and fetching them is what this costs.
fn push_id_problems<'v>(lenses: &'v [Value<'v>], problems: &mut Vec<Problem<'v>>) {
    let mut first_lenses: HashMap<&[u8], usize> = HashMap::new();
    let mut first_issues: HashMap<&[u8], (usize, usize)> = HashMap::new();
    let mut owners = Vec::new();
    for (place, lens) in objects(lenses) {
        if let Some((id, text)) = text_member(lens, "lens_id") {
            match first_lenses.entry(text.as_bytes()) {
                Entry::Occupied(first) => problems.push(Problem {
                    path: lens_path(place).key("lens_id"),
                    kind: ProblemKind::DuplicateLens {
                        id,
                        first: *first.get(),
                    },
                }),
                Entry::Vacant(free) => {
                    free.insert(place);
                }
            }
        }
        for (item_place, item) in items(lens) {
            if let Some((id, text)) = text_member(item, "issue_id") {
                match first_issues.entry(text.as_bytes()) {
                    Entry::Occupied(first) => problems.push(Problem {
                        path: item_path(place, item_place).key("issue_id"),
                        kind: ProblemKind::DuplicateIssue {
                            id,
                            first: *first.get(),
                        },
                    }),
                    Entry::Vacant(free) => {
                        free.insert((place, item_place));
                    }
                }
            }
            if let Some((id, text)) = text_member(item, "overlap_owner") {
                owners.push((place, item_place, id, text));
            }
        }
    }
    for (place, item_place, id, text) in owners {
        if !first_lenses.contains_key(text.as_bytes()) {
            problems.push(Problem {
                path: item_path(place, item_place).key("overlap_owner"),
                kind: ProblemKind::UnknownOwner { id },
            });
        }
    }
}
