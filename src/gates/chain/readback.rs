//! The read-back: what a framework asks, one row per item, for the person who wrote the checklist.
//!
//! In: a framework. Out: `{"approved", "framework_version", "items"}`, each row in the order of the
//! framework with the lines that a lawyer can check against the checklist.

use super::document::object;
use super::{Input, NULL, Stop, iterated};
use crate::text::python::Line;
use crate::value::{Object, Text, Value};

/// The read-back of `framework`, and its number of rows.
///
/// # Errors
/// Unusable where a schema of one's own let something pass that no row can be made of.
pub fn build<'a>(framework: &Value<'a>) -> Result<(Value<'a>, usize), Stop> {
    let root = members(framework, "$")?;
    let mut rows = Vec::new();
    let lenses = member(root, "$", "lenses")?;
    for (at, lens) in iterated(Input::Framework, "$.lenses", lenses)?
        .iter()
        .enumerate()
    {
        let place = format!("$.lenses[{at}]");
        let lens = members(lens, &place)?;
        let items = member(lens, &place, "items")?;
        for (index, item) in iterated(Input::Framework, &format!("{place}.items"), items)?
            .iter()
            .enumerate()
        {
            let item_place = format!("{place}.items[{index}]");
            let item_members = members(item, &item_place)?;
            let evidence_place = format!("{item_place}.evidence");
            let evidence = members(
                member(item_members, &item_place, "evidence")?,
                &evidence_place,
            )?;
            rows.push(Value::Object(object([
                (
                    "evidence_required",
                    member(evidence, &evidence_place, "required")?.clone(),
                ),
                ("hit_rule", Value::Str(hit_rule_line(item, &item_place)?)),
                (
                    "issue_id",
                    member(item_members, &item_place, "issue_id")?.clone(),
                ),
                ("lens", member(lens, &place, "name")?.clone()),
                (
                    "materiality",
                    Value::Str(materiality_line(item, &item_place)?),
                ),
                (
                    "question",
                    member(item_members, &item_place, "question")?.clone(),
                ),
            ])));
        }
    }
    let count = rows.len();
    let readback = object([
        ("approved", member(root, "$", "approved")?.clone()),
        (
            "framework_version",
            member(root, "$", "framework_version")?.clone(),
        ),
        ("items", Value::Array(rows)),
    ]);
    Ok((Value::Object(readback), count))
}

fn members<'v, 'a>(value: &'v Value<'a>, place: &str) -> Result<&'v Object<'a>, Stop> {
    value
        .as_object()
        .ok_or_else(|| Stop::odd_type(Input::Framework, place, value, "object"))
}

fn member<'v, 'a>(of: &'v Object<'a>, place: &str, key: &str) -> Result<&'v Value<'a>, Stop> {
    of.get(key)
        .ok_or_else(|| Stop::absent(Input::Framework, place, key))
}

/// `RULE does not count: X; Y`, or the rule alone without exclusions.
///
/// # Errors
/// Unusable when a rule or exclusion of `item` is missing or no text.
pub fn hit_rule_line(item: &Value<'_>, place: &str) -> Result<Text<'static>, Stop> {
    let of = members(item, place)?;
    let rule = member(of, place, "hit_rule")?;
    let exclusions = match of.get("exclusions") {
        Some(exclusions) if exclusions.is_truthy() => {
            iterated(Input::Framework, &format!("{place}.exclusions"), exclusions)?
        }
        Some(_) | None => &[],
    };
    let line = Line::new().str(rule);
    if exclusions.is_empty() {
        return Ok(line.done());
    }
    let texts = exclusions
        .iter()
        .enumerate()
        .map(|(index, exclusion)| {
            exclusion.as_text().ok_or_else(|| {
                Stop::odd_type(
                    Input::Framework,
                    format!("{place}.exclusions[{index}]"),
                    exclusion,
                    "string",
                )
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(line.plain(" does not count: ").joined(texts, "; ").done())
}

/// `not requested` without materiality, or when it is medium without bands; else
/// `default D; B1 when W1; …`. Takes an item, or its materiality.
///
/// # Errors
/// Unusable when a part of the materiality is missing.
pub fn materiality_line(item: &Value<'_>, place: &str) -> Result<Text<'static>, Stop> {
    let materiality = match item.get("materiality") {
        Some(materiality) => materiality,
        None if item.get("default").is_some() => item,
        None => NULL,
    };
    if !materiality.is_truthy() {
        return Ok(Text::borrowed("not requested"));
    }
    let place = format!("{place}.materiality");
    let of = members(materiality, &place)?;
    let default = member(of, &place, "default")?;
    let bands = match of.get("bands") {
        Some(bands) if bands.is_truthy() => {
            iterated(Input::Framework, &format!("{place}.bands"), bands)?
        }
        Some(_) | None => &[],
    };
    if bands.is_empty() && *default == Value::from("medium") {
        return Ok(Text::borrowed("not requested"));
    }
    let mut line = Line::new().plain("default ").str(default);
    for (index, band) in bands.iter().enumerate() {
        let place = format!("{place}.bands[{index}]");
        let band = members(band, &place)?;
        line = line
            .plain("; ")
            .str(member(band, &place, "band")?)
            .plain(" when ")
            .str(member(band, &place, "when")?);
    }
    Ok(line.done())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    #[test]
    fn lines_of_an_item() {
        for (item, rule, materiality) in [
            (r#"{"hit_rule": "R."}"#, "R.", "not requested"),
            (
                r#"{"hit_rule": "R.", "exclusions": ["X", "Y"], "materiality": {"default": "medium", "bands": []}}"#,
                "R. does not count: X; Y",
                "not requested",
            ),
            (
                r#"{"hit_rule": "R", "exclusions": [], "materiality": {"default": "low"}}"#,
                "R",
                "default low",
            ),
            (
                r#"{"hit_rule": "R", "materiality": {"default": "medium", "bands": [{"band": "high", "when": "big"}, {"band": "low", "when": "small"}]}}"#,
                "R",
                "default medium; high when big; low when small",
            ),
        ] {
            let item = parse(item).unwrap();
            assert_eq!(hit_rule_line(&item, "$").unwrap(), rule);
            assert_eq!(materiality_line(&item, "$").unwrap(), materiality);
        }
    }

    #[test]
    fn what_a_loose_schema_let_pass_is_named() {
        for (framework, place, reason) in [
            ("[]", "$", "expected object, got array"),
            (r#"{"lenses": [{}]}"#, "$.lenses[0]", "missing key 'items'"),
            (
                r#"{"lenses": [{"items": [{"evidence": 1}]}]}"#,
                "$.lenses[0].items[0].evidence",
                "expected object, got integer",
            ),
            (r#"{"lenses": []}"#, "$", "missing key 'approved'"),
        ] {
            let stop = build(&parse(framework).unwrap()).unwrap_err();
            assert_eq!(
                stop,
                Stop::Unusable {
                    input: Input::Framework,
                    place: place.into(),
                    reason: reason.into()
                }
            );
        }
    }
}
