//! The framework gate: is a checklist framework well formed, and do its ids agree?
//!
//! In: the framework and its schema as values. Out: [`Report`]: problems in document order, schema
//! keywords that are not enforced, counts. Reading files and writing texts is left to others.

pub mod keywords;
pub mod pattern;
pub mod problem;
mod rules;
pub mod schema;
pub mod semantic;
mod stream;
pub mod strict;

pub use keywords::{Found, check_schema, json_equal};
pub use problem::{Problem, ProblemKind};
pub use rules::RULES;
pub use schema::{HANDLED, METADATA, Schema, TYPE_NAMES, Unusable};
pub use semantic::semantic_problems;
pub use stream::{Accepted, accept};
pub use strict::StrictKind;

use crate::text::patterns::PatternEngine;
use crate::value::{Text, Value};
use std::collections::BTreeSet;

/// The framework schema that ships with the package.
pub const DEFAULT_SCHEMA: &str =
    include_str!("../../../python/gatewright/references/framework.schema.json");

/// What the gate found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report<'v> {
    /// Schema problems, then semantic problems, each in document order.
    pub problems: Vec<Problem<'v>>,
    /// Schema keywords that were met and are not enforced, sorted.
    pub unknown: BTreeSet<Text<'static>>,
}

/// Check `framework` against `schema` and against itself.
///
/// # Errors
/// When a value reaches a part of the schema that cannot be used.
///
/// # Examples
/// ```
/// use gatewright::gates::framework::{DEFAULT_SCHEMA, Schema, validate};
/// use gatewright::text::patterns::NoEngine;
/// use gatewright::value::json::parse;
///
/// let document = parse(DEFAULT_SCHEMA).map_err(|_| "no JSON")?;
/// let schema = Schema::new(&document);
/// let framework = parse(r#"{"framework_version": 0}"#).map_err(|_| "no JSON")?;
/// let report = validate(&framework, &schema, false, &NoEngine).map_err(|_| "no schema")?;
/// assert!(!report.problems.is_empty());
/// # Ok::<(), &str>(())
/// ```
pub fn validate<'v>(
    framework: &'v Value<'v>,
    schema: &'v Schema<'v>,
    allows_approved: bool,
    engine: &dyn PatternEngine,
) -> Result<Report<'v>, Unusable> {
    let Found {
        mut problems,
        unknown,
    } = check_schema(framework, schema, engine)?;
    problems.extend(semantic_problems(framework, allows_approved));
    Ok(Report { problems, unknown })
}
