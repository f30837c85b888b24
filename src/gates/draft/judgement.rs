//! What a reader adds: findings of their own, open questions, key screens, a denied scaffold.
//!
//! In: the caller's file. Out: its content with its shape checked. It can only add: ids that look
//! like a rule's are refused, and nothing here takes a rule's finding away.

use super::Level;
use crate::value::{Object, Value};

/// A finding of the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Identifier, not that of a rule.
    pub id: String,
    /// Weight.
    pub level: Level,
    /// Where.
    pub loc: String,
    /// Why.
    pub reason: String,
    /// `CL-<n>`.
    pub criterion: String,
}

/// The caller's contribution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Findings, in the order given.
    pub findings: Vec<Judged>,
    /// Open questions besides those of the document.
    pub open_questions: u64,
    /// `false` denies that the scaffold follows; `true` changes nothing.
    pub scaffold_derivable: Option<bool>,
    /// Further key screens.
    pub key_screens: Vec<String>,
}

/// What is wrong with the caller's file: the place in it and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path, `$` for the whole.
    pub path: String,
    /// Why, one line.
    pub reason: String,
}

fn fault<T>(path: impl Into<String>, reason: impl Into<String>) -> Result<T, Fault> {
    Err(Fault {
        path: path.into(),
        reason: reason.into(),
    })
}

impl Judgement {
    /// Read the caller's file.
    ///
    /// # Errors
    /// When its shape is not the documented one.
    pub fn of_value(value: &Value<'_>) -> Result<Self, Fault> {
        let object = match value {
            Value::Array(items) => {
                return Ok(Self {
                    findings: findings(items, "$")?,
                    ..Self::default()
                });
            }
            Value::Object(object) => object,
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_) => {
                return fault("$", "expected an object or a list of findings");
            }
        };
        let mut judgement = Self::default();
        for (key, value) in object {
            match (key.to_display().as_ref(), value) {
                ("findings", Value::Array(items)) => {
                    judgement.findings = findings(items, "$.findings")?;
                }
                ("findings", _) => return fault("$.findings", "expected a list"),
                ("open_questions", value) => {
                    let count = match value {
                        Value::Int(number) => u64::try_from(*number).ok(),
                        Value::Null
                        | Value::Bool(_)
                        | Value::BigInt(_)
                        | Value::Float(_)
                        | Value::Str(_)
                        | Value::Array(_)
                        | Value::Object(_) => None,
                    };
                    let Some(count) = count else {
                        return fault("$.open_questions", "expected an integer of at least 0");
                    };
                    judgement.open_questions = count;
                }
                ("scaffold_derivable", Value::Bool(flag)) => {
                    judgement.scaffold_derivable = Some(*flag);
                }
                ("scaffold_derivable", _) => {
                    return fault("$.scaffold_derivable", "expected true or false");
                }
                ("key_screens", value) => {
                    let Some(items) = value.as_array() else {
                        return fault("$.key_screens", "expected a list of strings");
                    };
                    for (index, item) in items.iter().enumerate() {
                        let Some(name) = item.as_text().filter(|name| !name.is_blank()) else {
                            return fault(
                                format!("$.key_screens[{index}]"),
                                "expected a string that is not blank",
                            );
                        };
                        judgement.key_screens.push(name.to_display().into_owned());
                    }
                }
                (other, _) => {
                    return fault(
                        format!("$.{other}"),
                        "unknown member; expected findings, open_questions, scaffold_derivable or key_screens",
                    );
                }
            }
        }
        Ok(judgement)
    }
}

const MEMBERS: [&str; 5] = ["id", "severity", "loc", "reason", "criterion"];

fn findings(items: &[Value<'_>], path: &str) -> Result<Vec<Judged>, Fault> {
    items
        .iter()
        .enumerate()
        .map(|(index, item)| finding(item, &format!("{path}[{index}]")))
        .collect()
}

fn finding(item: &Value<'_>, path: &str) -> Result<Judged, Fault> {
    let Some(object) = item.as_object() else {
        return fault(
            path,
            "expected a finding with id, severity, loc, reason, criterion",
        );
    };
    if let Some(key) = object
        .keys()
        .find(|key| !MEMBERS.iter().any(|name| *key == name))
    {
        return fault(
            format!("{path}.{}", key.to_display()),
            "unknown member; a finding has exactly id, severity, loc, reason, criterion",
        );
    }
    let id = member(object, "id", path)?;
    if id
        .get(..2)
        .is_some_and(|start| start.eq_ignore_ascii_case("CL"))
        && id.chars().nth(2).is_some_and(|next| next.is_ascii_digit())
    {
        return fault(
            format!("{path}.id"),
            format!(
                "`{id}` looks like a rule's id; the caller's ids must not begin with CL and a digit"
            ),
        );
    }
    let severity = member(object, "severity", path)?;
    let Some(level) = Level::of_word(&severity) else {
        return fault(
            format!("{path}.severity"),
            format!("`{severity}` is none of high, medium, low"),
        );
    };
    let criterion = member(object, "criterion", path)?;
    let is_criterion = criterion.strip_prefix("CL-").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    });
    if !is_criterion {
        return fault(
            format!("{path}.criterion"),
            format!("`{criterion}` is not of the form CL-<number>"),
        );
    }
    Ok(Judged {
        id,
        level,
        loc: member(object, "loc", path)?,
        reason: member(object, "reason", path)?,
        criterion,
    })
}

fn member(object: &Object<'_>, name: &str, path: &str) -> Result<String, Fault> {
    match object.get(name).and_then(Value::as_text) {
        Some(text) if !text.is_blank() => match text.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => fault(
                format!("{path}.{name}"),
                "a lone surrogate cannot be written down",
            ),
        },
        Some(_) => fault(format!("{path}.{name}"), "must not be blank"),
        None => fault(format!("{path}.{name}"), "expected a string"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    fn read(text: &str) -> Result<Judgement, Fault> {
        Judgement::of_value(&parse(text).unwrap())
    }

    #[test]
    fn both_forms_are_read() {
        let finding = r#"{"id":"R-1","severity":"low","loc":"x","reason":"r","criterion":"CL-4"}"#;
        let list = read(&format!("[{finding}]")).unwrap();
        assert_eq!(list.findings[0].level, Level::Low);
        let whole = read(&format!(
            r#"{{"findings":[{finding}],"open_questions":2,"scaffold_derivable":false,"key_screens":["cart"]}}"#
        ))
        .unwrap();
        assert_eq!(
            (whole.open_questions, whole.scaffold_derivable),
            (2, Some(false))
        );
        assert_eq!(whole.findings, list.findings);
    }

    #[test]
    fn shapes_are_checked_with_their_place() {
        for (text, path) in [
            ("3", "$"),
            (r#"{"finding":[]}"#, "$.finding"),
            (r#"{"open_questions":-1}"#, "$.open_questions"),
            (r#"{"open_questions":true}"#, "$.open_questions"),
            (r#"{"scaffold_derivable":1}"#, "$.scaffold_derivable"),
            (r#"{"key_screens":[""]}"#, "$.key_screens[0]"),
            (
                r#"[{"id":"CL4-X","severity":"low","loc":"x","reason":"r","criterion":"CL-4"}]"#,
                "$[0].id",
            ),
            (
                r#"[{"id":"R","severity":"worst","loc":"x","reason":"r","criterion":"CL-4"}]"#,
                "$[0].severity",
            ),
            (
                r#"[{"id":"R","severity":"low","loc":"x","reason":" ","criterion":"CL-4"}]"#,
                "$[0].reason",
            ),
            (
                r#"[{"id":"R","severity":"low","loc":"x","reason":"r","criterion":"CL4"}]"#,
                "$[0].criterion",
            ),
            (
                r#"[{"id":"R","severity":"low","loc":"x","reason":"r","criterion":"CL-4","x":1}]"#,
                "$[0].x",
            ),
            (
                r#"[{"id":"R","severity":"low","loc":"x","criterion":"CL-4"}]"#,
                "$[0].reason",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().path, path, "{text}");
        }
        assert!(
            read(r#"[{"id":"CLEAR","severity":"low","loc":"x","reason":"r","criterion":"CL-4"}]"#)
                .is_ok()
        );
    }
}
