//! What the framework gate finds wrong, as data: the place and what was expected there.

use crate::value::json::locate::ValuePath;
use crate::value::{Text, Value};

/// One thing that is wrong with a framework.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem<'v> {
    /// The value it is about, from the value the check began at.
    pub path: ValuePath,
    /// What is wrong with it.
    pub kind: ProblemKind<'v>,
}

/// What is wrong with a value. Limits are those of the schema.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemKind<'v> {
    /// No `anyOf` branch is clean; the first problem of each.
    NoAlternative(Vec<Problem<'v>>),
    /// Another type than `type` asks for.
    Type {
        /// The accepted names.
        expected: Vec<&'v Text<'v>>,
        /// The name of the type found.
        found: &'static str,
    },
    /// Not in `enum`.
    NotChosen {
        /// The value.
        value: &'v Value<'v>,
        /// The choices.
        choices: &'v Value<'v>,
    },
    /// Not the `const`.
    NotConstant {
        /// The value.
        value: &'v Value<'v>,
        /// What it must be.
        constant: &'v Value<'v>,
    },
    /// `pattern` is not found in the string.
    Pattern {
        /// The string.
        value: &'v Value<'v>,
        /// The pattern.
        pattern: &'v Text<'v>,
    },
    /// Shorter than `minLength`, a whole number in decimal digits.
    TooShort {
        /// The limit.
        limit: String,
    },
    /// Longer than `maxLength`.
    TooLong {
        /// The limit.
        limit: String,
    },
    /// Below `minimum`.
    BelowMinimum {
        /// The value.
        value: &'v Value<'v>,
        /// The limit.
        limit: &'v Value<'v>,
    },
    /// Above `maximum`.
    AboveMaximum {
        /// The value.
        value: &'v Value<'v>,
        /// The limit.
        limit: &'v Value<'v>,
    },
    /// Fewer items than `minItems`.
    TooFewItems {
        /// Items found.
        count: usize,
        /// The limit.
        limit: String,
        /// What an item may be, where the schema lists it.
        choices: Option<&'v Value<'v>>,
        /// What an item must have, where it is an object.
        members: Vec<Text<'static>>,
    },
    /// More items than `maxItems`.
    TooManyItems {
        /// Items found.
        count: usize,
        /// The limit.
        limit: String,
    },
    /// A `required` member is not there.
    Missing {
        /// The name, as Python's `str` shows it.
        name: Text<'static>,
    },
    /// A member that `additionalProperties: false` forbids; the path is that of the object.
    Unexpected {
        /// The name.
        name: &'v Text<'v>,
    },
    /// `framework_version` below 1.
    Version {
        /// The version.
        value: &'v Value<'v>,
    },
    /// `approved` is true before its time.
    Approved,
    /// A `lens_id` is used twice.
    DuplicateLens {
        /// The id.
        id: &'v Value<'v>,
        /// The lens that used it first.
        first: usize,
    },
    /// An `issue_id` is used twice.
    DuplicateIssue {
        /// The id.
        id: &'v Value<'v>,
        /// The lens and the item that used it first.
        first: (usize, usize),
    },
    /// `overlap_owner` is no `lens_id`.
    UnknownOwner {
        /// The id.
        id: &'v Value<'v>,
    },
}
