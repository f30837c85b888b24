//! A framework that is plainly valid, told while it is read lens by lens.
//!
//! In: bytes from a reader, the prepared schema. Out: [`Accepted`], or nothing where the exact way must
//! speak: every problem, every unusual schema or document. Most frameworks are valid, and a large
//! one costs more in memory that it fills than in the checks themselves; here a lens is gone before
//! the next one is read.

use super::keywords::{Checked, check_node, check_schema_with};
use super::schema::{Keywords, Node, Properties, Schema};
use super::semantic::semantic_problems;
use crate::text::patterns::PatternEngine;
use crate::value::json::stream::{ListDocument, Stop, read_list};
use crate::value::json::{Reader, SyntaxError};
use crate::value::{Object, Text, Value};
use hashbrown::HashSet;
use std::io::Read;

/// What a valid framework holds.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Number of lenses.
    pub lens_count: usize,
    /// Number of items in all lenses.
    pub item_count: usize,
    /// The members of the root but for `lenses`.
    pub head: Object<'static>,
}

/// Whether the framework in `source` is valid; nothing when that takes the exact way to tell.
///
/// `progress` hears of every window's bytes and says whether to go on; when not, there is nothing.
pub fn accept(
    source: &mut dyn Read,
    schema: &Schema<'_>,
    allows_approved: bool,
    engine: &dyn PatternEngine,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Option<Accepted> {
    let mut framework = Framework {
        lens: lens_node(schema)?,
        engine,
        lens_ids: HashSet::new(),
        issue_ids: HashSet::new(),
        owners: HashSet::new(),
        accepted: Accepted {
            lens_count: 0,
            item_count: 0,
            head: Object::new(),
        },
        has_lenses: false,
    };
    read_list(source, &mut framework, progress).ok()?;
    framework.conclude(schema, allows_approved)
}

/// The node that every lens is checked against, in a schema that asks nothing of the root and of
/// `lenses` that takes all lenses at once to tell.
fn lens_node<'n, 's>(schema: &'n Schema<'s>) -> Option<&'n Node<'s>> {
    let Properties::Named(named) = &plain(&schema.root)?.properties else {
        return None;
    };
    let lenses = named.node(named.place(&Text::borrowed(LENSES), 0)?)?;
    plain(lenses)?.items.as_ref()
}

fn plain<'n, 's>(node: &'n Node<'s>) -> Option<&'n Keywords<'s>> {
    match node {
        Node::Keywords(keywords)
            if keywords.any_of.is_none()
                && keywords.choices.is_none()
                && keywords.constant.is_none() =>
        {
            Some(keywords)
        }
        Node::Keywords(_) | Node::Unusable(_) => None,
    }
}

const LENSES: &str = "lenses";

struct Framework<'n, 's> {
    lens: &'n Node<'s>,
    engine: &'n dyn PatternEngine,
    lens_ids: HashSet<Box<[u8]>>,
    issue_ids: HashSet<Box<[u8]>>,
    owners: HashSet<Box<[u8]>>,
    accepted: Accepted,
    has_lenses: bool,
}

impl Framework<'_, '_> {
    /// The rest, once the last lens is read.
    fn conclude(self, schema: &Schema<'_>, allows_approved: bool) -> Option<Accepted> {
        if !self.has_lenses || !self.owners.is_subset(&self.lens_ids) {
            return None;
        }
        let mut root = self.accepted.head.clone();
        let lenses = vec![Value::Null; self.accepted.lens_count];
        root.insert(LENSES, lenses);
        let root = Value::Object(root);
        let checked = Checked(self.lens);
        let found = check_schema_with(&root, schema, self.engine, Some(checked)).ok()?;
        let is_clean = found.problems.is_empty()
            && found.unknown.is_empty()
            && semantic_problems(&root, allows_approved).is_empty();
        is_clean.then_some(self.accepted)
    }

    /// Count a lens and note its ids; nothing when one is there already.
    fn note(&mut self, lens: &Object<'_>) -> Option<()> {
        if let Some(id) = text_member(lens, "lens_id") {
            self.lens_ids.insert(id.into()).then_some(())?;
        }
        self.accepted.lens_count += 1;
        let Some(items) = lens.get("items") else {
            return Some(());
        };
        let items = items.as_array()?;
        self.accepted.item_count += items.len();
        for item in items.iter().filter_map(Value::as_object) {
            if let Some(id) = text_member(item, "issue_id") {
                self.issue_ids.insert(id.into()).then_some(())?;
            }
            if let Some(owner) = text_member(item, "overlap_owner")
                && !self.owners.contains(owner)
            {
                self.owners.insert(owner.into());
            }
        }
        Some(())
    }
}

fn text_member<'o>(object: &'o Object<'_>, key: &str) -> Option<&'o [u8]> {
    Some(object.get(key)?.as_text()?.as_bytes())
}

impl ListDocument for Framework<'_, '_> {
    const LIST: &'static str = LENSES;
    type Item<'t> = Value<'t>;

    fn begin_list(&mut self) -> Result<(), Stop> {
        if self.has_lenses {
            return Err(Stop::Unusual);
        }
        self.has_lenses = true;
        // Where the member stands decides the order of problems, not whether there are any.
        Ok(())
    }

    fn no_list(&mut self) -> Result<(), Stop> {
        Err(Stop::Unusual)
    }

    fn read<'t>(reader: &mut Reader<'t>) -> Result<Value<'t>, SyntaxError> {
        reader.value()
    }

    fn take(&mut self, lens: &Value<'_>) -> Result<(), Stop> {
        let object = lens.as_object().ok_or(Stop::Unusual)?;
        if !check_node(lens, self.lens, self.engine) {
            return Err(Stop::Unusual);
        }
        self.note(object).ok_or(Stop::Unusual)
    }

    fn wants(&self, _key: &Text<'_>) -> bool {
        true
    }

    fn member(&mut self, key: Text<'_>, value: Value<'_>) {
        self.accepted
            .head
            .insert(key.into_owned(), value.into_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::framework::{DEFAULT_SCHEMA, validate};
    use crate::text::patterns::NoEngine;
    use crate::value::json::{Style, dump, parse};

    const FRAMEWORK: &str = r#"{"framework_version": 3, "approved": false,
        "source_inputs": [{"kind": "checklist", "label": "l"}], "lenses": [
        {"lens_id": "a", "name": "A", "items": [ITEM1, ITEM2]},
        {"lens_id": "b", "name": "B", "items": [ITEM3]}]}"#;
    const ITEM: &str = r#"{"issue_id": "ID", "question": "q", "hit_rule": "h", "exclusions": [],
        "evidence": {"required": "verbatim quote plus section reference", "unresolved_when": "u"},
        "answer_shape": {"statuses": ["present", "absent", "unresolved"],
        "characterization_max_words": 30, "template": "t"},
        "disposition": "report", "overlap_owner": OWNER}"#;

    fn framework() -> String {
        let item = |id: &str, owner: &str| ITEM.replace("ID", id).replace("OWNER", owner);
        FRAMEWORK
            .replace("ITEM1", &item("i1", "\"b\""))
            .replace("ITEM2", &item("i2", "null"))
            .replace("ITEM3", &item("i3", "\"a\""))
    }

    fn is_accepted(text: &str, schema: &str, allows_approved: bool) -> Option<(usize, usize)> {
        let document = parse(schema).unwrap();
        let schema = Schema::new(&document);
        let source = &mut text.as_bytes();
        let accepted = accept(source, &schema, allows_approved, &NoEngine, &mut |_| true)?;
        Some((accepted.lens_count, accepted.item_count))
    }

    fn is_valid(text: &str, schema: &str, allows_approved: bool) -> bool {
        let (value, document) = (parse(text).unwrap(), parse(schema).unwrap());
        let schema = Schema::new(&document);
        validate(&value, &schema, allows_approved, &NoEngine)
            .is_ok_and(|report| report.problems.is_empty() && report.unknown.is_empty())
    }

    /// Every document that differs from `value` in one place below it.
    fn changed(value: &Value<'static>) -> Vec<Value<'static>> {
        let mut all: Vec<Value<'static>> =
            ["null", "true", "1", "0.5", "\"a\"", "\"\"", "[]", "{}"]
                .iter()
                .map(|text| parse(text).unwrap().into_owned())
                .collect();
        match value {
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    for other in changed(item) {
                        let mut items = items.clone();
                        items[at] = other;
                        all.push(Value::Array(items));
                    }
                    let mut twice = items.clone();
                    twice.push(item.clone());
                    all.push(Value::Array(twice));
                }
            }
            Value::Object(object) => {
                for (key, member) in object {
                    for other in changed(member) {
                        let mut object = object.clone();
                        object.insert(key.clone(), other);
                        all.push(Value::Object(object));
                    }
                    let mut object = object.clone();
                    object.remove(key.as_str().unwrap());
                    object.insert("more", member.clone());
                    all.push(Value::Object(object));
                }
            }
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_) => {}
        }
        all
    }

    #[test]
    fn what_is_accepted_is_what_the_exact_way_finds_valid() {
        let text = framework();
        assert_eq!(is_accepted(&text, DEFAULT_SCHEMA, false), Some((2, 3)));
        let value = parse(&text).unwrap().into_owned();
        let documents = changed(&value);
        assert!(documents.len() > 500);
        for allows_approved in [false, true] {
            let mut accepted_count = 0;
            for document in &documents {
                let text = String::from_utf8(dump(document, Style::UNICODE_LINE)).unwrap();
                let accepted = is_accepted(&text, DEFAULT_SCHEMA, allows_approved).is_some();
                let valid = is_valid(&text, DEFAULT_SCHEMA, allows_approved);
                assert_eq!(accepted, valid, "{text}");
                accepted_count += usize::from(accepted);
            }
            assert!(accepted_count > 20);
        }
    }

    #[test]
    fn limits_on_all_lenses_count_and_odd_schemas_take_the_exact_way() {
        let text = framework();
        let lenses = |keywords: &str| {
            format!(
                r#"{{"properties": {{"lenses": {{{keywords} "items": {{"type": "object"}}}}}}}}"#
            )
        };
        assert_eq!(
            is_accepted(&text, &lenses(r#""maxItems": 2,"#), false),
            Some((2, 3))
        );
        for schema in [
            lenses(r#""maxItems": 1,"#),
            lenses(r#""minItems": 3,"#),
            lenses(r#""type": "string","#),
            lenses(r#""const": [null, null],"#),
            lenses(r#""enum": [[null, null]],"#),
            lenses(r#""uniqueItems": true,"#),
            r#"{"properties": {"lenses": {"items": {"contains": 1}}}}"#.to_owned(),
            r#"{"properties": {"lenses": {"items": {"type": "odd"}}}}"#.to_owned(),
            r#"{"anyOf": [{}], "properties": {"lenses": {"items": {}}}}"#.to_owned(),
            "{}".to_owned(),
            "[]".to_owned(),
        ] {
            assert_eq!(is_accepted(&text, &schema, false), None, "{schema}");
        }
    }

    #[test]
    fn the_caller_can_stop_it() {
        let (text, document) = (framework(), parse(DEFAULT_SCHEMA).unwrap());
        let schema = Schema::new(&document);
        let source = &mut text.as_bytes();
        assert!(accept(source, &schema, false, &NoEngine, &mut |_| false).is_none());
    }

    #[test]
    fn odd_documents_take_the_exact_way() {
        let text = framework();
        for odd in [
            text.replace("\"approved\"", "\"lenses\": [], \"approved\""),
            text.replace("}]}", "}]} x"),
            format!("\u{feff}{text}"),
            String::new(),
        ] {
            assert_eq!(is_accepted(&odd, DEFAULT_SCHEMA, false), None, "{odd}");
        }
        let twice_in_a_lens = text.replacen("\"A\"", "\"A\", \"items\": 1", 1);
        assert_eq!(
            is_accepted(&twice_in_a_lens, DEFAULT_SCHEMA, false),
            Some((2, 3))
        );
    }
}
