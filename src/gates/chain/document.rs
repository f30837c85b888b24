//! A findings ledger, or a checker plan, read without holding its findings or jobs.
//!
//! In: the text of the file. Out: its members, the items of its one long array as [`Record`]s whose
//! members stay text until they are asked for, its digest and its bytes as the chain writes them. A
//! ledger of a million findings is several times its size when every finding is a value at once, and
//! most findings go from file to file unchanged: their tokens are copied, not built.

use super::{Input, Stop, python_contains};
use crate::invariant::Invariant as _;
use crate::value::json::reader::{Kind, RawText, Reader, SyntaxError};
use crate::value::json::writer::{Style, dump_at, is_string_written_alike, push_string};
use crate::value::{Object, Text, Value};
use crate::workers;
use hashbrown::HashSet;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io;

/// Items that one thread takes at a time: about a megabyte of findings.
const CHUNK_ITEMS: usize = 4096;

/// Takes the bytes of a file as they come.
pub type Sink<'s> = dyn FnMut(&[u8]) -> io::Result<()> + Send + 's;

/// A findings ledger.
pub type Ledger<'a> = Listing<'a>;

/// An object with one long array, its syntax checked.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    text: &'a str,
    input: Input,
    /// Name of the array.
    key: &'static str,
    root: Root<'a>,
}

#[derive(Clone, Debug)]
enum Root<'a> {
    /// Members by key; code point order, as every artifact is written.
    Object(BTreeMap<Text<'a>, Member<'a>>),
    Other(Value<'a>),
}

#[derive(Clone, Debug)]
enum Member<'a> {
    Value(Value<'a>),
    /// The long array: where each of its items begins in the text.
    Items(Vec<usize>),
}

impl<'a> Listing<'a> {
    /// Read a findings ledger, checking its syntax to the end.
    ///
    /// # Errors
    /// As for any JSON document.
    pub fn read(text: &'a str) -> Result<Self, SyntaxError> {
        Self::read_as(text, Input::Findings, "findings")
    }

    /// Read a checker plan, checking its syntax to the end.
    ///
    /// # Errors
    /// As for any JSON document.
    pub fn read_plan(text: &'a str) -> Result<Self, SyntaxError> {
        Self::read_as(text, Input::Plan, "jobs")
    }

    fn read_as(text: &'a str, input: Input, array: &'static str) -> Result<Self, SyntaxError> {
        let mut reader = Reader::new(text);
        let of = |root| Self {
            text,
            input,
            key: array,
            root,
        };
        if text.starts_with('\u{feff}') || reader.peek() != Kind::Object {
            return Ok(of(Root::Other(crate::value::json::parse(text)?)));
        }
        let mut members = BTreeMap::new();
        reader.begin_object()?;
        while let Some(key) = reader.next_key()? {
            let key = key.decode();
            let member = if key == array && reader.peek() == Kind::Array {
                let mut starts = Vec::new();
                reader.begin_array()?;
                while reader.next_item()? {
                    reader.peek();
                    starts.push(reader.byte());
                    reader.skip()?;
                }
                Member::Items(starts)
            } else {
                Member::Value(reader.value()?)
            };
            // A repeated key takes the last value.
            members.insert(key, member);
        }
        reader.end()?;
        Ok(of(Root::Object(members)))
    }

    /// Checks that the root has `keys`, as [`super::require_keys`].
    ///
    /// # Errors
    /// As there.
    pub fn require_keys(&self, keys: &[&str]) -> Result<(), Stop> {
        match &self.root {
            Root::Object(members) => match keys
                .iter()
                .find(|key| !members.contains_key(key.as_bytes()))
            {
                Some(key) => Err(Stop::said(format!(
                    "{} missing key '{key}'",
                    self.input.label()
                ))),
                None => Ok(()),
            },
            Root::Other(value) => super::require_keys(self.input, value, keys),
        }
    }

    /// Member `key`, except the long array.
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        match &self.root {
            Root::Object(members) => match members.get(key.as_bytes())? {
                Member::Value(value) => Some(value),
                Member::Items(_) => None,
            },
            Root::Other(_) => None,
        }
    }

    /// Whether there is a member `key`, as Python's `in` sees it.
    pub fn contains_key(&self, key: &str) -> bool {
        match &self.root {
            Root::Object(members) => members.contains_key(key.as_bytes()),
            Root::Other(value) => python_contains(value, key).unwrap_or(false),
        }
    }

    /// Where each item begins.
    ///
    /// # Errors
    /// Unusable when the items are neither an array nor an empty object or text.
    fn starts(&self) -> Result<&[usize], Stop> {
        let Root::Object(members) = &self.root else {
            return Err(Stop::absent(self.input, "$", self.key));
        };
        match members.get(self.key.as_bytes()) {
            Some(Member::Items(starts)) => Ok(starts),
            Some(Member::Value(value)) => {
                super::iterated(self.input, &format!("$.{}", self.key), value)?;
                Ok(&[])
            }
            None => Err(Stop::absent(self.input, "$", self.key)),
        }
    }

    /// Number of items.
    ///
    /// # Errors
    /// As for [`Listing::findings`].
    pub fn count(&self) -> Result<usize, Stop> {
        Ok(self.starts()?.len())
    }

    /// The items in order, as values.
    ///
    /// # Errors
    /// Unusable when they are neither an array nor an empty object or text.
    pub fn findings(&self) -> Result<impl Iterator<Item = Value<'a>> + use<'a, '_>, Stop> {
        let text = self.text;
        Ok(self.starts()?.iter().map(move |&start| {
            let mut reader = Reader::inside_array(text.get(start..).holds(STARTS));
            reader.value().holds(CHECKED)
        }))
    }

    /// Shows every item and its index to `visit`, several at a time; what each part of them came
    /// to, in order.
    ///
    /// # Errors
    /// As for [`Listing::findings`].
    pub fn visit<T: Default + Send>(
        &self,
        visit: impl Fn(usize, &Record<'a>, &mut T) + Sync,
    ) -> Result<Vec<T>, Stop> {
        let work = |(part, starts): (usize, &[usize])| {
            let mut seen = T::default();
            self.each(part, starts, |index, record| {
                visit(index, record, &mut seen);
            });
            seen
        };
        let starts = self.starts()?;
        Ok(if starts.len() <= CHUNK_ITEMS {
            // Starting threads takes longer than a small ledger.
            starts.chunks(CHUNK_ITEMS).enumerate().map(work).collect()
        } else {
            let parts: Vec<_> = starts.chunks(CHUNK_ITEMS).enumerate().collect();
            workers::spread(|| parts.into_par_iter().map(work).collect())
        })
    }

    fn each(&self, part: usize, starts: &[usize], mut take: impl FnMut(usize, &Record<'a>)) {
        let mut record = Record::default();
        for (index, &start) in starts.iter().enumerate() {
            record.refill(self.text.get(start..).holds(STARTS));
            take(part * CHUNK_ITEMS + index, &record);
        }
    }

    /// Indices of items whose member `key` is a text that an earlier item has too.
    ///
    /// # Errors
    /// As for [`Listing::findings`].
    pub fn repeated(&self, key: &str) -> Result<Vec<usize>, Stop> {
        let parts = self.visit(|index, record, texts: &mut Vec<(usize, Text<'a>)>| {
            texts.extend(
                record
                    .get(key)
                    .and_then(Raw::text)
                    .map(|text| (index, text)),
            );
        })?;
        let mut seen = HashSet::with_capacity(self.count()?);
        let texts = parts.into_iter().flatten();
        Ok(texts
            .filter_map(|(index, text)| (!seen.insert(text)).then_some(index))
            .collect())
    }

    /// SHA-256 of the canonical form, 64 hex digits.
    pub fn digest(&self) -> String {
        self.digest_less(None)
    }

    /// SHA-256 of the canonical form without the member `omitted`.
    pub(super) fn digest_without(&self, omitted: &str) -> String {
        self.digest_less(Some(omitted))
    }

    fn digest_less(&self, omitted: Option<&str>) -> String {
        let mut hasher = Sha256::new();
        let mut sink = |bytes: &[u8]| {
            hasher.update(bytes);
            Ok(())
        };
        let copy_all = |out: &mut Vec<u8>, part: usize, starts: &[usize]| {
            for (index, &start) in starts.iter().enumerate() {
                let mut copy = Copy {
                    out,
                    style: Style::ASCII_CANONICAL,
                };
                copy.comma(part == 0 && index == 0);
                copy.first_value(self.text.get(start..).holds(STARTS), 2);
            }
        };
        self.write(Style::ASCII_CANONICAL, omitted, copy_all, &mut sink)
            .holds("a digest takes every byte");
        super::plan::hex(&hasher.finalize())
    }

    /// The file as the chain writes it (indented, sorted, ASCII, one final line end) into `sink`,
    /// every item changed as `change` says, which also gets its index and counts into a `T`. Every
    /// part's counts, in order.
    ///
    /// # Errors
    /// Those of `sink`.
    pub fn rewrite<T: Default + Send>(
        &self,
        change: impl Fn(usize, &Record<'a>, &mut T) -> Edit + Sync,
        sink: &mut Sink<'_>,
    ) -> io::Result<Vec<T>> {
        let style = Style::ASCII_INDENTED;
        let change_all = |out: &mut Vec<u8>, part: usize, starts: &[usize]| {
            let mut counts = T::default();
            self.each(part, starts, |index, record| {
                let edit = change(index, record, &mut counts);
                let mut copy = Copy { out, style };
                copy.comma(index == 0);
                copy.line_break(2);
                copy.record(record, edit, 2);
            });
            counts
        };
        let counts = self.write(style, None, change_all, sink)?;
        sink(b"\n")?;
        Ok(counts)
    }

    /// Writes everything; `copy` writes the items of one part and what stands between and before
    /// them.
    fn write<T: Send>(
        &self,
        style: Style,
        omitted: Option<&str>,
        copy: impl Fn(&mut Vec<u8>, usize, &[usize]) -> T + Sync,
        sink: &mut Sink<'_>,
    ) -> io::Result<Vec<T>> {
        let mut out = Vec::new();
        let members = match &self.root {
            Root::Object(members) => members,
            Root::Other(value) => {
                dump_at(&mut out, value, style, 0);
                sink(&out)?;
                return Ok(Vec::new());
            }
        };
        let mut counts = Vec::new();
        out.push(b'{');
        let mut is_first = true;
        for (key, member) in members
            .iter()
            .filter(|(key, _)| omitted.is_none_or(|omitted| **key != *omitted))
        {
            let mut frame = Copy {
                out: &mut out,
                style,
            };
            frame.comma(std::mem::take(&mut is_first));
            frame.line_break(1);
            push_string(frame.out, key, style.is_ascii);
            frame.colon();
            match member {
                Member::Value(value) => dump_at(&mut out, value, style, 1),
                Member::Items(starts) => {
                    out.push(b'[');
                    counts = write_items(starts, &copy, &mut out, sink)?;
                    if !starts.is_empty() {
                        Copy {
                            out: &mut out,
                            style,
                        }
                        .line_break(1);
                    }
                    out.push(b']');
                }
            }
        }
        if !is_first {
            Copy {
                out: &mut out,
                style,
            }
            .line_break(0);
        }
        out.push(b'}');
        sink(&out)?;
        Ok(counts)
    }
}

/// Writes `before` and then the items to `sink`; leaves in `before` what is not written yet.
fn write_items<T: Send>(
    starts: &[usize],
    copy: &(impl Fn(&mut Vec<u8>, usize, &[usize]) -> T + Sync),
    before: &mut Vec<u8>,
    sink: &mut Sink<'_>,
) -> io::Result<Vec<T>> {
    let parts: Vec<_> = starts.chunks(CHUNK_ITEMS).enumerate().collect();
    if let [(part, starts)] = parts.as_slice() {
        return Ok(vec![copy(before, *part, starts)]);
    }
    let work = |&(part, starts): &(usize, &[usize])| {
        let len = starts.first().zip(starts.last());
        let len = len.map_or(0, |(first, last)| last - first);
        let mut out = Vec::with_capacity(len + len / 4);
        let counts = copy(&mut out, part, starts);
        (out, counts)
    };
    let mut counts = Vec::with_capacity(parts.len());
    // While some parts are made the ones before them are written.
    let mut made = vec![std::mem::take(before)];
    for group in parts.chunks(2 * workers::count()) {
        let (written, next) = workers::join(
            || made.iter().try_for_each(|bytes| sink(bytes)),
            || group.par_iter().map(work).collect::<Vec<_>>(),
        );
        written?;
        made.clear();
        for (out, count) in next {
            made.push(out);
            counts.push(count);
        }
    }
    made.iter().try_for_each(|bytes| sink(bytes))?;
    Ok(counts)
}

/// What becomes of an item when its file is written anew.
#[derive(Clone, Debug)]
pub enum Edit {
    /// It stays.
    Keep,
    /// These members are set, or taken out; sorted by key.
    Change(Vec<(&'static str, Option<Value<'static>>)>),
}

/// The syntax of a listing is checked when it is read, before any of its items is looked at.
const CHECKED: &str = "the syntax was checked when the listing was read";
const STARTS: &str = "an item begins inside the text";

/// One item whose members are text until they are asked for.
#[derive(Clone, Debug, Default)]
pub struct Record<'a> {
    whole: &'a str,
    is_object: bool,
    /// Keys have no escapes and ascend, each once.
    is_ordered: bool,
    members: Vec<(RawText<'a>, Raw<'a>)>,
}

impl<'a> Record<'a> {
    /// The object that `text` holds and nothing else; nothing when its syntax is not so, or a key
    /// repeats or has escapes.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let mut record = Self {
            whole: text,
            is_object: true,
            ..Self::default()
        };
        let mut reader = Reader::new(text);
        record.read_members(&mut reader, text).ok()?;
        reader.end().ok()?;
        let mut keys = record.members.iter().map(|(key, _)| key);
        let is_plain = keys.all(|key| !key.is_escaped);
        let repeats = |(at, (key, _)): (usize, &(RawText<'_>, Raw<'_>))| {
            let before = record.members.iter().take(at);
            before
                .into_iter()
                .any(|(other, _)| other.bytes == key.bytes)
        };
        let is_clean = is_plain && !record.members.iter().enumerate().any(repeats);
        is_clean.then_some(record)
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Take the value that begins `text`, whose syntax has been checked.
    fn refill(&mut self, text: &'a str) {
        self.members.clear();
        let mut reader = Reader::inside_array(text);
        self.is_object = reader.peek() == Kind::Object;
        self.is_ordered = true;
        if self.is_object {
            self.read_members(&mut reader, text).holds(CHECKED);
        } else {
            reader.skip().holds(CHECKED);
        }
        self.whole = text.get(..reader.byte()).holds(CHECKED);
    }

    fn read_members(&mut self, reader: &mut Reader<'a>, text: &'a str) -> Result<(), SyntaxError> {
        reader.begin_object()?;
        let mut last: Option<&[u8]> = None;
        while let Some(key) = reader.next_key()? {
            reader.peek();
            let start = reader.byte();
            reader.skip()?;
            let raw = text.get(start..reader.byte()).holds(CHECKED);
            self.is_ordered &= !key.is_escaped && last.is_none_or(|last| last < key.bytes);
            last = Some(key.bytes);
            self.members.push((key, Raw(raw)));
        }
        Ok(())
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.is_object
    }

    /// The item as a value.
    pub fn value(&self) -> Value<'a> {
        Raw(self.whole).value()
    }

    /// Member `key`: of a repeated key the last, as in Python.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        let is_key = |found: &RawText<'_>| {
            if found.is_escaped {
                found.decode() == *key
            } else {
                found.bytes == key.as_bytes()
            }
        };
        self.members
            .iter()
            .rev()
            .find(|(found, _)| is_key(found))
            .map(|(_, raw)| *raw)
    }

    /// Member `key` as a value; null when there is none.
    pub fn value_of(&self, key: &str) -> Value<'a> {
        self.get(key).map(Raw::value).unwrap_or_default()
    }

    /// Member `key` when it is a text that is not empty.
    pub fn named(&self, key: &str) -> Option<Text<'a>> {
        self.get(key)
            .and_then(Raw::text)
            .filter(|text| !text.is_empty())
    }
}

/// The text of a value whose syntax has been checked.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// `null`, for a member that is not there.
    pub const NULL: Raw<'static> = Raw("null");

    /// The value.
    pub fn value(self) -> Value<'a> {
        Reader::new(self.0).value().holds(CHECKED)
    }

    /// The text, when it is one.
    pub fn text(self) -> Option<Text<'a>> {
        if !self.0.starts_with('"') {
            return None;
        }
        Some(Reader::new(self.0).string().holds(CHECKED).decode())
    }

    /// Whether it is the text `word`.
    pub fn is(self, word: &str) -> bool {
        let inner = self
            .0
            .strip_prefix('"')
            .and_then(|raw| raw.strip_suffix('"'));
        inner.is_some_and(|inner| {
            inner == word || inner.contains('\\') && self.text().is_some_and(|text| text == *word)
        })
    }
}

/// Copies values from text to text in another style, without building them where their members are
/// in order.
pub(super) struct Copy<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) style: Style,
}

impl Copy<'_> {
    pub(super) fn comma(&mut self, is_first: bool) {
        if !is_first {
            let is_blank_kept = self.style.indent.is_none() && !self.style.is_compact;
            self.out
                .extend_from_slice(if is_blank_kept { b", " } else { b"," });
        }
    }

    pub(super) fn colon(&mut self) {
        self.out
            .extend_from_slice(if self.style.is_compact { b":" } else { b": " });
    }

    pub(super) fn line_break(&mut self, level: usize) {
        const BREAK: &[u8; 32] = b"\n                               ";
        if let Some(indent) = self.style.indent {
            let len = indent * level;
            if let Some(line_break) = BREAK.get(..=len) {
                self.out.extend_from_slice(line_break);
            } else {
                self.out.push(b'\n');
                self.out.resize(self.out.len() + len, b' ');
            }
        }
    }

    /// A key of this tool, which needs no escapes, and its colon.
    pub(super) fn key(&mut self, key: &str) {
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.push(b'"');
        self.colon();
    }

    fn text(&mut self, raw: RawText<'_>) {
        if is_string_written_alike(raw.bytes) {
            self.out.push(b'"');
            self.out.extend_from_slice(raw.bytes);
            self.out.push(b'"');
        } else {
            push_string(self.out, &raw.decode(), self.style.is_ascii);
        }
    }

    /// Copies a member of a record.
    pub(super) fn raw(&mut self, raw: Raw<'_>, level: usize) {
        let text = raw
            .0
            .strip_prefix('"')
            .and_then(|raw| raw.strip_suffix('"'));
        match text.map(str::as_bytes) {
            // Where a member's text begins and ends is known.
            Some(inner) if is_string_written_alike(inner) => {
                self.out.extend_from_slice(raw.0.as_bytes());
            }
            Some(_) | None => self.first_value(raw.0, level),
        }
    }

    /// Copies the value that begins `text`.
    fn first_value(&mut self, text: &str, level: usize) {
        self.value(&mut Reader::new(text), text, level)
            .holds(CHECKED);
    }

    fn value<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        text: &'a str,
        level: usize,
    ) -> Result<(), SyntaxError> {
        match reader.peek() {
            Kind::String => {
                let raw = reader.string()?;
                self.text(raw);
            }
            Kind::Scalar => {
                let start = reader.byte();
                reader.skip()?;
                let literal = text.get(start..reader.byte()).holds(CHECKED);
                if is_written_alike(literal) {
                    self.out.extend_from_slice(literal.as_bytes());
                } else {
                    dump_at(self.out, &Raw(literal).value(), self.style, level);
                }
            }
            Kind::Array => {
                self.out.push(b'[');
                reader.begin_array()?;
                let mut is_first = true;
                while reader.next_item()? {
                    self.comma(std::mem::take(&mut is_first));
                    self.line_break(level + 1);
                    self.value(reader, text, level + 1)?;
                }
                if !is_first {
                    self.line_break(level);
                }
                self.out.push(b']');
            }
            Kind::Object => {
                let (start, len_before) = (reader.clone(), self.out.len());
                if !self.ordered_object(reader, text, level)? {
                    self.out.truncate(len_before);
                    *reader = start;
                    let value = reader.value()?;
                    dump_at(self.out, &value, self.style, level);
                }
            }
        }
        Ok(())
    }

    /// Copies an object; false as soon as its keys turn out to be in another order than they are
    /// written in.
    fn ordered_object<'a>(
        &mut self,
        reader: &mut Reader<'a>,
        text: &'a str,
        level: usize,
    ) -> Result<bool, SyntaxError> {
        self.out.push(b'{');
        reader.begin_object()?;
        let mut last: Option<&[u8]> = None;
        while let Some(key) = reader.next_key()? {
            if key.is_escaped || last.is_some_and(|last| last >= key.bytes) {
                return Ok(false);
            }
            self.comma(last.is_none());
            last = Some(key.bytes);
            self.line_break(level + 1);
            self.text(key);
            self.colon();
            self.value(reader, text, level + 1)?;
        }
        if last.is_some() {
            self.line_break(level);
        }
        self.out.push(b'}');
        Ok(true)
    }

    /// Copies a record with its changes.
    fn record(&mut self, record: &Record<'_>, edit: Edit, level: usize) {
        let changes = match edit {
            Edit::Keep => Vec::new(),
            Edit::Change(changes) => changes,
        };
        if !record.is_object || !record.is_ordered {
            let mut value = record.value();
            if let Value::Object(members) = &mut value {
                for (key, change) in changes {
                    match change {
                        Some(member) => members.insert(key, member),
                        None => members.remove(key),
                    };
                }
            }
            dump_at(self.out, &value, self.style, level);
            return;
        }
        self.out.push(b'{');
        let mut is_first = true;
        let mut changes = changes.into_iter().peekable();
        for (key, raw) in &record.members {
            let mut is_replaced = false;
            while let Some((name, change)) =
                changes.next_if(|(name, _)| name.as_bytes() <= key.bytes)
            {
                is_replaced |= name.as_bytes() == key.bytes;
                self.set(name, change, &mut is_first, level + 1);
            }
            if !is_replaced {
                self.comma(std::mem::take(&mut is_first));
                self.line_break(level + 1);
                self.text(*key);
                self.colon();
                self.raw(*raw, level + 1);
            }
        }
        for (name, change) in changes {
            self.set(name, change, &mut is_first, level + 1);
        }
        if !is_first {
            self.line_break(level);
        }
        self.out.push(b'}');
    }

    fn set(
        &mut self,
        key: &'static str,
        change: Option<Value<'static>>,
        is_first: &mut bool,
        level: usize,
    ) {
        if let Some(value) = change {
            self.comma(std::mem::take(is_first));
            self.line_break(level);
            self.key(key);
            dump_at(self.out, &value, self.style, level);
        }
    }
}

/// Whether Python writes the value of this literal with the same characters.
fn is_written_alike(literal: &str) -> bool {
    // More digits than these may be a number that is held in another way.
    const MAX_DIGITS: usize = 18;
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    matches!(literal, "null" | "true" | "false")
        || literal != "-0"
            && digits.len() <= MAX_DIGITS
            && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The canonical form of `value`: the bytes that digests cover.
pub fn canonical(value: &Value<'_>) -> Vec<u8> {
    crate::value::json::dump(value, Style::ASCII_CANONICAL)
}

/// `value` as the chain writes it, with one final line end.
pub fn artifact(value: &Value<'_>) -> Vec<u8> {
    let mut out = crate::value::json::dump(value, Style::ASCII_INDENTED);
    out.push(b'\n');
    out
}

/// An object of these members.
pub(crate) fn object<'a, const N: usize>(members: [(&'static str, Value<'a>); N]) -> Object<'a> {
    members
        .into_iter()
        .map(|(key, value)| (Text::borrowed(key), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    const TEXTS: [&str; 9] = [
        "{\"findings\": [{\"b\": 1, \"a\": [1.0, {}]}, 3], \"z\": {\"y\": []}, \"é\": NaN}",
        "{\"findings\": [], \"a\": 1}",
        "{\"findings\": [1], \"findings\": {\"x\": 1}}",
        "{\"findings\": 1, \"findings\": [2, 3]}",
        "{}",
        "[1, 2]",
        "\"findings\"",
        " {\"a\": {\"findings\": [1]}, \"findings\": [ 1 , \"\\ud800\" ] } ",
        "null",
    ];

    fn rewritten(ledger: &Ledger<'_>, edit: &Edit) -> String {
        let mut written = Vec::new();
        let mut sink = |bytes: &[u8]| {
            written.extend_from_slice(bytes);
            Ok(())
        };
        ledger
            .rewrite(|_, _, (): &mut ()| edit.clone(), &mut sink)
            .unwrap();
        String::from_utf8(written).unwrap()
    }

    fn dumped(value: &Value<'_>) -> String {
        String::from_utf8(artifact(value)).unwrap()
    }

    #[test]
    fn items_are_written_as_their_values_would_be() {
        let edit = Edit::Change(vec![
            ("b", Some(Value::from("new"))),
            ("c", None),
            ("z", Some(Value::Int(1))),
        ]);
        for item in [
            "{}",
            "{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": {\"x\": [], \"y\": [1, {\"k\": null}]}}",
            "{\"d\": {\"y\": 1, \"x\": 2}, \"a\": {\"k\": 1, \"k\": 2}}",
            "{\"c\": 1, \"b\": 1, \"c\": 2}",
            "{\"\\u0062\": 1, \"c\": 2}",
            "{\"a\": -0, \"e\": -0.0, \"f\": 1E2, \"g\": 123456789012345678901, \"h\": -17}",
            "{\"a\": \"\\u00e9\\/\\ud800\", \"é\": \"\u{7f}é\u{1f600}\\n\", \"ü\": NaN}",
            "{\"a\":true,\"z\":[-Infinity,false]}",
            "[1, 2]",
            "\"text\"",
        ] {
            let text = format!("{{\"findings\": [{item}, {item}]}}");
            let (ledger, mut value) = (Ledger::read(&text).unwrap(), parse(&text).unwrap());
            assert_eq!(rewritten(&ledger, &Edit::Keep), dumped(&value), "{item}");
            let digest = crate::gates::chain::plan::canonical_digest(&value);
            assert_eq!(ledger.digest(), digest, "{item}");
            let Value::Object(root) = &mut value else {
                panic!()
            };
            let Some(Value::Array(items)) = root.get_mut("findings") else {
                panic!()
            };
            for item in items {
                if let Value::Object(members) = item {
                    members.insert("b", Value::from("new"));
                    members.remove("c");
                    members.insert("z", Value::Int(1));
                }
            }
            assert_eq!(rewritten(&ledger, &edit), dumped(&value), "{item}");
        }
    }

    #[test]
    fn many_items_stay_in_order() {
        let items: Vec<String> = (0..3 * CHUNK_ITEMS + 7)
            .map(|n| format!("{{\"n\": {n}}}"))
            .collect();
        let text = format!(
            "{{\"a\": 0, \"findings\": [{}], \"z\": 1}}",
            items.join(",")
        );
        let (ledger, value) = (Ledger::read(&text).unwrap(), parse(&text).unwrap());
        assert_eq!(rewritten(&ledger, &Edit::Keep), dumped(&value));
        assert_eq!(
            ledger.digest(),
            crate::gates::chain::plan::canonical_digest(&value)
        );
        let parts = ledger
            .visit(|index, item, seen: &mut Vec<bool>| {
                seen.push(item.value_of("n") == Value::from(index));
            })
            .unwrap();
        let seen = parts.concat();
        assert_eq!((seen.len(), seen.iter().all(|&is| is)), (items.len(), true));
        assert!(
            ledger.findings().unwrap().eq(value
                .get("findings")
                .unwrap()
                .as_array()
                .unwrap()
                .iter()
                .cloned())
        );
    }

    #[test]
    fn reads_and_writes_as_the_whole_value_would() {
        for text in TEXTS {
            let (ledger, value) = (Ledger::read(text).unwrap(), parse(text).unwrap());
            assert_eq!(rewritten(&ledger, &Edit::Keep), dumped(&value), "{text}");
            assert_eq!(
                ledger.digest(),
                crate::gates::chain::plan::canonical_digest(&value),
                "{text}"
            );
        }
    }

    #[test]
    fn faults_are_those_of_the_whole_document() {
        for text in [
            "{\"findings\": [1,]}",
            "{\"findings\": [01]}",
            "{\"findings\": [\"\\x\"]}",
            "{} x",
            "\u{feff}{}",
            "",
        ] {
            assert_eq!(
                Ledger::read(text).unwrap_err(),
                parse(text).unwrap_err(),
                "{text}"
            );
        }
        let deep = format!("{{\"findings\": {}1{}}}", "[".repeat(998), "]".repeat(998));
        assert_eq!(Ledger::read(&deep).is_err(), parse(&deep).is_err());
        let deeper = format!("{{\"findings\": {}", "[".repeat(100_000));
        assert_eq!(
            Ledger::read(&deeper).unwrap_err(),
            parse(&deeper).unwrap_err()
        );
    }

    #[test]
    fn findings_that_cannot_be_walked_are_unusable() {
        assert_eq!(
            Ledger::read("{\"findings\": \"\"}")
                .unwrap()
                .findings()
                .unwrap()
                .count(),
            0
        );
        assert_eq!(
            Ledger::read("{\"findings\": null}")
                .unwrap()
                .count()
                .unwrap_err(),
            Stop::Unusable {
                input: Input::Findings,
                place: "$.findings".into(),
                reason: "expected array, got null".into()
            }
        );
    }
}
