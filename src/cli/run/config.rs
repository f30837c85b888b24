//! The configuration of a run: `gatewright.toml`, or `[tool.gatewright]` in `pyproject.toml`.
//!
//! In: the text of the file. Out: the gates it lists, every value with its place in the file, so
//! that each fault names line and column. The JSON Schema that is published comes from these types.

use crate::error::Error;
use crate::position::LineIndex;
use crate::rule::Severity;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// The gates that `gatewright run` runs.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "gatewright.toml")]
pub struct Config {
    /// The gates, run in parallel and reported in this order.
    #[serde(default)]
    #[schemars(with = "Vec<Entry>")]
    pub gate: Vec<Spanned<Entry>>,
    /// Rules that count, by code, name or beginning of a code (`GWF`, `ALL`); all when empty.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub select: Vec<Spanned<String>>,
    /// Rules that do not count. The closer of `select` and `ignore` decides.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub ignore: Vec<Spanned<String>>,
    /// Rules that do not count in inputs that a glob, relative to this file, matches.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Vec<String>>")]
    pub per_path_ignores: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    /// Severity by code, name or beginning of a code: only `error` decides.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Severity>")]
    pub severity: BTreeMap<Spanned<String>, Severity>,
    /// Whether warnings decide.
    #[serde(default)]
    pub warnings_as_errors: bool,
    /// The file of known findings, relative to this file; `gatewright baseline` writes it. Findings
    /// that it holds are counted and do not decide.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub baseline: Option<Spanned<String>>,
    /// Whether globs pass over what `.gitignore` names, true when absent; a path without wildcards is
    /// taken anyway.
    #[serde(default)]
    pub respect_gitignore: Option<bool>,
}

/// One gate and what it is run on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Entry {
    /// The gate as typed on the command line after `gatewright`, e.g. `framework check`.
    #[schemars(with = "String", extend("enum" = super::gate_names().collect::<Vec<_>>()))]
    pub gate: Spanned<String>,
    /// A name of your own, shown in reports.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub name: Option<Spanned<String>>,
    /// Globs of the inputs, relative to this file; one that ends in `/` matches folders. `**`
    /// crosses folders. Hidden folders, `node_modules`, `target`, virtual environments and what
    /// `.gitignore` names are not searched; links to folders are not followed.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub inputs: Vec<Spanned<String>>,
    /// Globs of inputs to leave out.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub exclude: Vec<Spanned<String>>,
    /// The gate's options without their dashes, e.g. `{ strict = true }`. A text may hold
    /// `{input}`, `{dir}` (its folder), `{name}` and `{stem}` (file name without and with its
    /// last ending removed); the gate is then run once per input and the input itself is not
    /// passed by position. Paths are relative to this file.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, OptionValue>")]
    pub options: BTreeMap<Spanned<String>, Spanned<OptionValue>>,
    /// Run the gate once on all inputs together instead of once per input.
    #[serde(default)]
    pub together: bool,
    /// Whether finding no input is fine. Otherwise it is an error, since a gate that looks at
    /// nothing passes everything.
    #[serde(default)]
    pub may_be_empty: bool,
    /// Globs of further files that decide, for the cache: a change in one of them runs the gate
    /// again. Inputs, paths in options and whatever the gate reports as read count anyway.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub depends: Vec<Spanned<String>>,
}

/// A value of an option.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OptionValue {
    /// A switch.
    Flag(bool),
    /// A number.
    Number(i64),
    /// A text or a path.
    Text(String),
    /// An option given several times.
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct Project {
    tool: Option<Tools>,
}

#[derive(Deserialize)]
struct Tools {
    gatewright: Option<Config>,
}

/// Where a configuration stands, for messages.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    /// Display name of the file.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

impl Place<'_> {
    /// A fault at the bytes `span` of the file.
    pub fn fault(&self, span: Range<usize>, reason: impl Into<String>) -> Error {
        let bytes = self.text.as_bytes();
        let at = LineIndex::new(bytes).position(bytes, span.start);
        Error::Unusable {
            name: self.name.to_owned(),
            path: format!("line {} column {}", at.line, at.column),
            reason: reason.into(),
        }
    }
}

/// The configuration in `gatewright.toml`.
///
/// # Errors
/// With line and column when the text is not TOML or not a configuration.
pub fn parse(place: &Place<'_>) -> Result<Config, Error> {
    toml::from_str(place.text).map_err(|fault| syntax(place, &fault))
}

/// The configuration in `pyproject.toml`; nothing when it has no `[tool.gatewright]`.
///
/// # Errors
/// As [`parse`].
pub fn parse_project(place: &Place<'_>) -> Result<Option<Config>, Error> {
    let project: Project = toml::from_str(place.text).map_err(|fault| syntax(place, &fault))?;
    Ok(project.tool.and_then(|tools| tools.gatewright))
}

fn syntax(place: &Place<'_>, fault: &toml::de::Error) -> Error {
    let reason = fault.message().replace('\n', ", ");
    place.fault(fault.span().unwrap_or(0..0), reason)
}

/// The JSON Schema of the configuration, as published.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Config);
    format!("{:#}\n", schema.to_value())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place<'_> {
        Place {
            name: "gatewright.toml",
            text,
        }
    }

    #[test]
    fn faults_name_line_and_column() {
        for (text, expected) in [
            (
                "[[gate]]\ngate = \"framework check\"\ninput = [\"x\"]\n",
                "cannot use `gatewright.toml` at line 3 column 1: unknown field `input`",
            ),
            (
                "[[gate]]\ngate = 3\n",
                "cannot use `gatewright.toml` at line 2 column 8: invalid type: integer `3`, expected a string",
            ),
            (
                "[[gate]]\ngate = \"framework check\"\ninputs = [\n",
                "cannot use `gatewright.toml` at line 3 column 11: ",
            ),
            (
                "[[gate]]\n",
                "cannot use `gatewright.toml` at line 1 column 1: missing field `gate`",
            ),
        ] {
            let message = parse(&place(text)).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn a_project_file_may_hold_the_gates_or_nothing() {
        let text = "[project]\nname = \"x\"\n[tool.other]\ny = 1\n";
        assert!(parse_project(&place(text)).unwrap().is_none());
        let text =
            format!("{text}[[tool.gatewright.gate]]\ngate = \"a b\"\ninputs = [\"*.json\"]\n");
        let config = parse_project(&place(&text)).unwrap().unwrap();
        assert_eq!(config.gate.len(), 1);
    }

    #[test]
    fn the_published_schema_is_the_one_of_these_types() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("python/gatewright/references/gatewright.schema.json");
        if std::env::var_os("GATEWRIGHT_UPDATE").is_some() {
            std::fs::write(&path, schema()).unwrap();
        }
        assert_eq!(
            schema(),
            std::fs::read_to_string(&path).unwrap_or_default(),
            "GATEWRIGHT_UPDATE=1 rewrites {}",
            path.display()
        );
    }
}
