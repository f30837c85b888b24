//! What findings are held against: the documents and their units, the families, the framework.
//!
//! In: the values of manifest, framework and families. Out: a [`Frame`] of numbered documents, units,
//! issues and lenses, with the faults that stand before any finding is looked at. Accesses follow what
//! Python code would touch, so that an odd value is refused exactly where it is reached.

use super::ids::{Field, IdTable, Unhashable};
use super::{Fault, REVIEWABLE, Refusal, RefusalKind, StrictFault};
use crate::text::python::str_of;
use crate::value::{Object, Text, Value};

/// The four inputs as values.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'v> {
    /// `manifest.json`.
    pub manifest: &'v Value<'v>,
    /// `framework.json`.
    pub framework: &'v Value<'v>,
    /// `families.json`, when given.
    pub families: Option<&'v Value<'v>>,
}

/// One document id of the manifest.
#[derive(Debug)]
pub(super) struct Document<'v> {
    /// Some entry of the id is a runner-control input.
    pub(super) is_control: bool,
    /// The unit of a substantive document.
    pub(super) unit: Option<usize>,
    /// The unit as the manifest or the family map writes it.
    pub(super) unit_value: &'v Value<'v>,
    /// The family that gave the unit.
    pub(super) family: Option<usize>,
    /// Place of its first entry.
    first: usize,
}

/// Documents, units, issues and lenses, numbered in order of first appearance.
#[derive(Debug)]
pub struct Frame<'v> {
    pub(super) len_manifest: usize,
    pub(super) documents: Vec<Document<'v>>,
    pub(super) document_ids: IdTable,
    pub(super) unit_ids: IdTable,
    /// Per unit of the manifest: some document of it can be read.
    pub(super) is_reviewable: Vec<bool>,
    pub(super) issue_ids: IdTable,
    /// Per issue: its lens, the last one that lists it.
    pub(super) issue_lens: Vec<usize>,
    /// The same as that lens writes its id.
    pub(super) issue_lens_value: Vec<&'v Value<'v>>,
    pub(super) lens_ids: IdTable,
    pub(super) version: &'v Value<'v>,
    /// Per issue: where the framework lists it last, as lens and item.
    pub(super) issue_places: Vec<(usize, usize)>,
    pub(super) faults: Vec<Fault>,
    pub(super) strict: Vec<StrictFault>,
}

/// A path under construction in one input.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) input: &'static str,
    pub(super) path: String,
}

impl Place {
    pub(super) fn root(input: &'static str) -> Self {
        Self {
            input,
            path: String::from("$"),
        }
    }

    pub(super) fn key(&self, key: &str) -> Self {
        Self {
            input: self.input,
            path: format!("{}.{key}", self.path),
        }
    }

    pub(super) fn index(&self, index: usize) -> Self {
        Self {
            input: self.input,
            path: format!("{}[{index}]", self.path),
        }
    }

    pub(super) fn refuse(&self, kind: RefusalKind, reason: impl Into<String>) -> Refusal {
        Refusal {
            input: self.input,
            path: self.path.clone(),
            reason: reason.into(),
            kind,
        }
    }
}

/// What people call the type of `value`.
pub(super) fn type_word(python_type: &str) -> &'static str {
    match python_type {
        "NoneType" => "null",
        "bool" => "a boolean",
        "int" | "float" => "a number",
        "str" => "a text",
        "list" => "a list",
        _ => "an object",
    }
}

impl Place {
    pub(super) fn no_id(&self, odd: Unhashable) -> Refusal {
        self.refuse(
            RefusalKind::Type,
            format!("{} cannot be an id", type_word(odd.python_type)),
        )
    }

    pub(super) fn object<'v>(
        &self,
        value: &'v Value<'v>,
        what: &str,
    ) -> Result<&'v Object<'v>, Refusal> {
        value.as_object().ok_or_else(|| {
            self.refuse(
                RefusalKind::Attribute,
                format!(
                    "{} stands where {what} must be an object",
                    type_word(value.python_type())
                ),
            )
        })
    }

    pub(super) fn member<'v>(
        &self,
        object: &'v Object<'v>,
        key: &str,
    ) -> Result<&'v Value<'v>, Refusal> {
        object
            .get(key)
            .ok_or_else(|| self.refuse(RefusalKind::Key, format!("`{key}` is missing")))
    }
}

/// Items of what must be a list. An empty object or text has no items, as in Python; the items of
/// others (keys, characters) are texts, which no caller can use.
pub(super) fn items_of<'v>(
    value: &'v Value<'v>,
    place: impl FnOnce() -> Place,
) -> Result<&'v [Value<'v>], Refusal> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(object) if object.is_empty() => Ok(&[]),
        Value::Str(text) if text.is_empty() => Ok(&[]),
        Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::Object(_) => Err(place().refuse(
            RefusalKind::Type,
            format!("{} is not a list", type_word(value.python_type())),
        )),
    }
}

/// One member of one family.
#[derive(Clone, Copy)]
struct Member<'v> {
    /// Place of the family.
    family: usize,
    object: &'v Object<'v>,
    /// Place in the family.
    at: usize,
    /// The document, when the manifest has it.
    number: Option<usize>,
    id: &'v Value<'v>,
}

const CONTROL_ROLE: &str = "runner-control";
static EMPTY_TEXT: Value<'static> = Value::Str(Text::borrowed(""));

impl<'v> Frame<'v> {
    /// The frame of `inputs`.
    ///
    /// # Errors
    /// [`Refusal`] at the first value that cannot be used.
    pub fn new(inputs: Inputs<'v>) -> Result<Self, Refusal> {
        let manifest = Place::root("manifest");
        let root = manifest.object(inputs.manifest, "the manifest")?;
        let listed = manifest.key("documents");
        let entries = items_of(manifest.member(root, "documents")?, || listed.clone())?;
        let mut frame = Self {
            len_manifest: entries.len(),
            documents: Vec::new(),
            document_ids: IdTable::new(),
            unit_ids: IdTable::new(),
            is_reviewable: Vec::new(),
            issue_ids: IdTable::new(),
            issue_lens: Vec::new(),
            issue_lens_value: Vec::new(),
            lens_ids: IdTable::new(),
            version: &Value::Null,
            issue_places: Vec::new(),
            faults: Vec::new(),
            strict: Vec::new(),
        };
        let numbers = frame.add_documents(entries, &listed)?;
        if let Some(families) = inputs.families {
            frame.add_families(families)?;
        }
        frame.number_units()?;
        frame.mark_reviewable(entries, &numbers, &listed)?;
        if let Some(families) = inputs.families {
            frame.fault_families(families)?;
        }
        frame.add_framework(inputs.framework)?;
        let (issues, units) = (frame.issue_ids.len(), frame.unit_ids.len());
        if issues == 0 || units == 0 {
            frame
                .strict
                .insert(0, StrictFault::NothingToReconcile { issues, units });
        }
        Ok(frame)
    }

    /// Number of the document that each entry is.
    fn add_documents(
        &mut self,
        entries: &'v [Value<'v>],
        listed: &Place,
    ) -> Result<Vec<usize>, Refusal> {
        let mut numbers = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let place = || listed.index(index);
            let object = place().object(entry, "a document")?;
            let id = place().member(object, "id")?;
            let (number, is_new) = self
                .document_ids
                .insert(&Field::of(Some(id)))
                .map_err(|odd| place().key("id").no_id(odd))?;
            if is_new {
                self.documents.push(Document {
                    is_control: false,
                    unit: None,
                    unit_value: id,
                    family: None,
                    first: index,
                });
            } else if let Some(first) = self.documents.get(number).map(|document| document.first) {
                self.strict.push(StrictFault::RepeatedDocument {
                    index,
                    first,
                    document: str_of(id),
                });
            }
            if let Some(document) = self.documents.get_mut(number) {
                document.is_control |= object
                    .get("review_role")
                    .and_then(Value::as_text)
                    .is_some_and(|role| *role == *CONTROL_ROLE);
                document.unit_value = id;
            }
            numbers.push(number);
        }
        Ok(numbers)
    }

    fn each_member(
        &self,
        families: &'v Value<'v>,
        mut visit: impl FnMut(Member<'v>),
    ) -> Result<(), Refusal> {
        let place = Place::root("families");
        let root = place.object(families, "the family map")?;
        let listed = place.key("families");
        let entries = items_of(place.member(root, "families")?, || listed.clone())?;
        for (index, family) in entries.iter().enumerate() {
            let place = listed.index(index);
            let object = place.object(family, "a family")?;
            let Some(members) = object.get("members") else {
                continue;
            };
            for (at, member) in items_of(members, || place.key("members"))?
                .iter()
                .enumerate()
            {
                let place = || place.key("members").index(at);
                let id = place().member(place().object(member, "a member")?, "id")?;
                let number = self
                    .document_ids
                    .find(&Field::of(Some(id)))
                    .map_err(|odd| place().key("id").no_id(odd))?;
                visit(Member {
                    family: index,
                    object,
                    at,
                    number,
                    id,
                });
            }
        }
        Ok(())
    }

    fn add_families(&mut self, families: &'v Value<'v>) -> Result<(), Refusal> {
        let mut units = Vec::new();
        self.each_member(families, |member| units.push(member))?;
        for member in units {
            let Some(document) = member
                .number
                .and_then(|number| self.documents.get_mut(number))
            else {
                self.strict.push(StrictFault::UnknownMember {
                    family: member.family,
                    member: member.at,
                    document: str_of(member.id),
                });
                continue;
            };
            if document.is_control {
                continue;
            }
            if let Some(first) = document.family
                && first != member.family
            {
                self.strict.push(StrictFault::SecondFamily {
                    family: member.family,
                    member: member.at,
                    first,
                    document: str_of(member.id),
                });
            }
            document.unit_value = member.object.get("family_id").unwrap_or(&EMPTY_TEXT);
            document.family = Some(member.family);
        }
        Ok(())
    }

    fn number_units(&mut self) -> Result<(), Refusal> {
        for document in &mut self.documents {
            if document.is_control {
                continue;
            }
            let (unit, is_new) = self
                .unit_ids
                .insert(&Field::of(Some(document.unit_value)))
                .map_err(|odd| {
                    // Ids of documents were looked at before: only a family can bring it.
                    Place::root("families")
                        .key("families")
                        .index(document.family.unwrap_or(0))
                        .key("family_id")
                        .no_id(odd)
                })?;
            if is_new {
                self.is_reviewable.push(false);
            }
            document.unit = Some(unit);
        }
        Ok(())
    }

    fn mark_reviewable(
        &mut self,
        entries: &'v [Value<'v>],
        numbers: &[usize],
        listed: &Place,
    ) -> Result<(), Refusal> {
        // Of an id listed several times the last entry decides.
        let mut last = vec![0; self.documents.len()];
        for (index, &number) in numbers.iter().enumerate() {
            if let Some(slot) = last.get_mut(number) {
                *slot = index;
            }
        }
        for (index, (entry, number)) in entries.iter().zip(numbers).enumerate() {
            if last.get(*number) != Some(&index) {
                continue;
            }
            let Some(unit) = self
                .documents
                .get(*number)
                .and_then(|document| document.unit)
            else {
                continue;
            };
            let readability = entry.get("readability").unwrap_or(&Value::Null);
            if !readability.is_hashable() {
                return Err(listed.index(index).key("readability").refuse(
                    RefusalKind::Type,
                    format!(
                        "{} cannot be a readability",
                        type_word(readability.python_type())
                    ),
                ));
            }
            let is_readable = readability
                .as_text()
                .is_some_and(|text| REVIEWABLE.iter().any(|known| *text == **known));
            if let Some(slot) = self.is_reviewable.get_mut(unit) {
                *slot |= is_readable;
            }
        }
        Ok(())
    }

    fn fault_families(&mut self, families: &'v Value<'v>) -> Result<(), Refusal> {
        let mut controls: Vec<(usize, &'v Object<'v>, Vec<&'v Value<'v>>)> = Vec::new();
        self.each_member(families, |member| {
            let is_control = member
                .number
                .and_then(|number| self.documents.get(number))
                .is_some_and(|document| document.is_control);
            if is_control {
                match controls.last_mut() {
                    Some((last, _, ids)) if *last == member.family => ids.push(member.id),
                    _ => controls.push((member.family, member.object, vec![member.id])),
                }
            }
        })?;
        for (index, family, ids) in controls {
            let place = Place::root("families").key("families").index(index);
            let mut texts = Vec::with_capacity(ids.len());
            for id in ids {
                let text = id.as_text().ok_or_else(|| {
                    place.key("members").refuse(
                        RefusalKind::Type,
                        format!(
                            "{} as the id of a runner-control document cannot be listed",
                            type_word(id.python_type())
                        ),
                    )
                })?;
                texts.push(text.clone().into_owned());
            }
            texts.sort();
            self.faults.push(Fault::FamilyWithControls {
                index,
                family: str_of(family.get("family_id").unwrap_or(&EMPTY_TEXT)),
                controls: texts,
            });
        }
        Ok(())
    }

    fn add_framework(&mut self, framework: &'v Value<'v>) -> Result<(), Refusal> {
        let place = Place::root("framework");
        let root = place.object(framework, "the framework")?;
        self.version = place.member(root, "framework_version")?;
        let listed = place.key("lenses");
        let lenses = items_of(place.member(root, "lenses")?, || listed.clone())?;
        for (index, lens) in lenses.iter().enumerate() {
            let place = listed.index(index);
            let object = place.object(lens, "a lens")?;
            let lens_value = place.member(object, "lens_id")?;
            let (lens, _) = self
                .lens_ids
                .insert(&Field::of(Some(lens_value)))
                .map_err(|odd| place.key("lens_id").no_id(odd))?;
            let Some(items) = object.get("items") else {
                continue;
            };
            for (at, item) in items_of(items, || place.key("items"))?.iter().enumerate() {
                let place = || place.key("items").index(at);
                let object = place().object(item, "an item")?;
                let (issue, is_new) = self
                    .issue_ids
                    .insert(&Field::of(Some(place().member(object, "issue_id")?)))
                    .map_err(|odd| place().key("issue_id").no_id(odd))?;
                if is_new {
                    self.issue_lens.push(lens);
                    self.issue_lens_value.push(lens_value);
                    self.issue_places.push((index, at));
                } else if let (Some(slot), Some(value), Some(place)) = (
                    self.issue_lens.get_mut(issue),
                    self.issue_lens_value.get_mut(issue),
                    self.issue_places.get_mut(issue),
                ) {
                    *slot = lens;
                    *value = lens_value;
                    *place = (index, at);
                }
            }
        }
        Ok(())
    }
}
