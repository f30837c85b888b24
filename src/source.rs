//! Inputs: a [`Source`] is bytes read once, a [`Document`] is the JSON value in them or one made elsewhere.
//!
//! In: a path, or bytes or a value that somebody has. Out: text, value, digest, and the places of
//! findings, all from the same bytes: what a gate judged is what its outcome identifies, also when the
//! file has changed since or was a pipe. There is one reader with one wording; see [`crate::error`].

use crate::digest::{hex, sha256_hex};
use crate::error::{Error, Reason};
use crate::finding::{Finding, Location};
use crate::outcome::Input;
use crate::position::{Position, count_code_points};
use crate::value::json::locate;
use crate::value::json::locate::ValuePath;
use crate::value::json::repeated::first_ambiguous;
use crate::value::{Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::ops::Deref;
use std::path::Path;
use std::sync::OnceLock;

/// An input as it was read.
#[derive(Debug)]
pub struct Source {
    role: &'static str,
    name: String,
    bytes: Vec<u8>,
    sha256: OnceLock<String>,
}

impl Source {
    /// Read the file at `path`, a pipe to its end. `role` is what it is to the gate, e.g. `framework`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(role: &'static str, path: &Path) -> Result<Self, Error> {
        let name = display_name(path);
        match crate::files::read(path) {
            Ok(bytes) => Ok(Self::of_bytes(role, name, bytes)),
            Err(fault) => Err(Error::Read {
                kind: role,
                name,
                reason: fault.into(),
            }),
        }
    }

    /// The input called `name` that holds `bytes`.
    pub fn of_bytes(role: &'static str, name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self {
            role,
            name: name.into(),
            bytes,
            sha256: OnceLock::new(),
        }
    }

    /// What it is to the gate.
    pub fn role(&self) -> &'static str {
        self.role
    }

    /// Display name: the path as the caller gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, handed over.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// SHA-256 of the bytes, 64 lower-case hex digits, made once.
    pub fn digest(&self) -> &str {
        self.sha256.get_or_init(|| sha256_hex(&self.bytes))
    }

    /// What identifies the input in an outcome.
    pub fn input(&self) -> Input {
        Input {
            role: self.role.into(),
            name: self.name.clone(),
            sha256: self.digest().to_owned(),
            len_bytes: u64::try_from(self.bytes.len()).unwrap_or(u64::MAX),
        }
    }

    /// The error that the input cannot be read because of `reason`.
    pub fn unreadable(&self, reason: impl Into<Reason>) -> Error {
        Error::Read {
            kind: self.role,
            name: self.name.clone(),
            reason: reason.into(),
        }
    }

    /// The text.
    ///
    /// # Errors
    /// When the bytes are not UTF-8.
    pub fn text(&self) -> Result<&str, Error> {
        // The quick check first; the standard library tells where the fault is.
        simdutf8::basic::from_utf8(&self.bytes)
            .or_else(|_| std::str::from_utf8(&self.bytes))
            .map_err(|fault| self.unreadable(Reason::encoding(fault, &self.bytes)))
    }

    /// The JSON value.
    ///
    /// # Errors
    /// When the bytes are not UTF-8 or the text is not JSON.
    pub fn json(&self) -> Result<Value<'_>, Error> {
        let text = self.text()?;
        json::parse(text).map_err(|fault| self.unreadable(Reason::syntax(fault, text)))
    }

    /// The JSON value as a document.
    ///
    /// # Errors
    /// As [`Source::json`].
    pub fn document(&self) -> Result<Document<'_>, Error> {
        Ok(Document {
            role: self.role,
            name: &self.name,
            value: Cow::Owned(self.json()?),
            source: Some(self),
        })
    }

    /// The JSON value as a document in which no object has a member twice: a receipt or a count that two
    /// readers read differently decides nothing.
    ///
    /// # Errors
    /// As [`Source::json`], and when a member repeats.
    pub fn unambiguous(&self) -> Result<Document<'_>, Error> {
        let document = self.document()?;
        match first_ambiguous(self.text()?) {
            None => Ok(document),
            Some(reason) => Err(Error::Unusable {
                name: self.name.clone(),
                path: String::new(),
                reason,
            }),
        }
    }

    /// Give the findings in this input their lines and columns.
    pub fn locate(&self, findings: &mut [Finding]) {
        locate_findings(&self.name, &self.bytes, findings);
    }
}

/// How far the reading of an input has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bytes read.
    pub len_done: u64,
    /// Size of the file.
    pub len_total: u64,
}

/// An input that may be too large to hold: a plain file is read in pieces, anything else was read whole.
#[derive(Debug)]
pub enum Opened {
    /// What can be read only once was.
    Whole(Source),
    /// A plain file.
    Stream(Stream),
}

impl Opened {
    /// Open the file at `path`. `watch` hears how far a pipe has been read and says whether to go on.
    ///
    /// # Errors
    /// When it cannot be read, or `watch` says to stop.
    pub fn open(
        role: &'static str,
        path: &Path,
        watch: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Self, Error> {
        let name = display_name(path);
        let failed = |fault: io::Error| Error::Read {
            kind: role,
            name: name.clone(),
            reason: fault.into(),
        };
        let mut file = crate::files::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if !about.is_file() {
            let bytes = drain(&mut file, watch).map_err(failed)?;
            let bytes = bytes.ok_or(Error::Interrupted)?;
            return Ok(Self::Whole(Source::of_bytes(role, name, bytes)));
        }
        Ok(Self::Stream(Stream {
            role,
            name,
            file,
            len_total: about.len(),
            sha256: Sha256::new(),
            len_done: 0,
        }))
    }
}

/// Everything that comes out of a pipe; nothing when `watch` says to stop, also while it waits for
/// more: a signal ends the waiting.
pub(crate) fn drain(
    file: &mut File,
    watch: &mut dyn FnMut(Progress) -> bool,
) -> io::Result<Option<Vec<u8>>> {
    const CHUNK_BYTES: usize = 1 << 16;
    let mut bytes = Vec::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let len = match file.read(&mut chunk) {
            Ok(0) => return Ok(Some(bytes)),
            Ok(len) => len,
            Err(fault) if fault.kind() == io::ErrorKind::Interrupted => 0,
            Err(fault) => return Err(fault),
        };
        bytes.extend_from_slice(chunk.get(..len).unwrap_or(&chunk));
        let len_done = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let progress = Progress {
            len_done,
            len_total: len_done,
        };
        if !watch(progress) {
            return Ok(None);
        }
    }
}

/// A plain file that is read in pieces and identified as it goes.
#[derive(Debug)]
pub struct Stream {
    role: &'static str,
    name: String,
    file: File,
    len_total: u64,
    sha256: Sha256,
    len_done: u64,
}

impl Read for Stream {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let len = self.file.read(room)?;
        if let Some(read) = room.get(..len) {
            self.sha256.update(read);
        }
        self.len_done += u64::try_from(len).unwrap_or(u64::MAX);
        Ok(len)
    }
}

impl Stream {
    /// Display name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size of the file when it was opened.
    pub fn len_total(&self) -> u64 {
        self.len_total
    }

    /// The error that it cannot be read because of `fault`.
    pub fn unreadable(&self, fault: io::Error) -> Error {
        Error::Read {
            kind: self.role,
            name: self.name.clone(),
            reason: fault.into(),
        }
    }

    /// What identifies the bytes that were read.
    pub fn input(&self) -> Input {
        Input {
            role: self.role.into(),
            name: self.name.clone(),
            sha256: hex(&self.sha256.clone().finalize()),
            len_bytes: self.len_done,
        }
    }

    /// The whole file from its beginning.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn reread(&mut self) -> Result<Source, Error> {
        let mut bytes = Vec::new();
        let read = self
            .file
            .rewind()
            .and_then(|()| self.file.read_to_end(&mut bytes));
        match read {
            Ok(_) => Ok(Source::of_bytes(self.role, self.name.clone(), bytes)),
            Err(fault) => Err(self.unreadable(fault)),
        }
    }

    /// The whole file, which must be what was read before: findings point into it.
    ///
    /// # Errors
    /// When it cannot be read or has changed.
    pub fn reread_same(&mut self) -> Result<Source, Error> {
        let wanted = self.input().sha256;
        let source = self.reread()?;
        if source.digest() == wanted {
            Ok(source)
        } else {
            Err(source.unreadable("it changed while it was read; run again"))
        }
    }
}

/// The name under which messages show `path`: as the caller gave it.
pub fn display_name(path: &Path) -> String {
    crate::files::display(path.as_os_str())
        .to_display()
        .into_owned()
}

/// A JSON value that a gate judges, from a [`Source`] or loaded by the caller.
///
/// Gates see the value alone, so that both give the same findings; only the places differ: a loaded
/// value has paths and no lines.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// What it is to the gate.
    pub role: &'static str,
    /// Display name.
    pub name: &'a str,
    value: Cow<'a, Value<'a>>,
    source: Option<&'a Source>,
}

impl<'a> Document<'a> {
    /// A value that the caller made; its role is its name too.
    pub fn loaded(role: &'static str, value: &'a Value<'a>) -> Self {
        Self::made(role, role, value)
    }

    /// A value that was made and has no text: `name` is what findings call it.
    pub fn made(role: &'static str, name: &'a str, value: &'a Value<'a>) -> Self {
        Self {
            role,
            name,
            value: Cow::Borrowed(value),
            source: None,
        }
    }

    /// Where the values at `paths` stand, in their order; a loaded value has paths and no lines.
    pub fn places(&self, paths: &[ValuePath]) -> Vec<Location> {
        let mut places: Vec<_> = paths
            .iter()
            .map(|path| Location::at_path(self.name, path.to_string()))
            .collect();
        if let Some(source) = self.source
            && !paths.is_empty()
        {
            locate_in(&source.bytes, paths.iter().zip(&mut places).collect());
        }
        places
    }

    /// The text it was read from; none for a loaded value.
    pub fn text(&self) -> Option<&'a str> {
        // A document is only made of a source whose text was read.
        self.source.and_then(|source| source.text().ok())
    }

    /// What identifies it in an outcome; a loaded value has no bytes to identify.
    pub fn input(&self) -> Option<Input> {
        self.source.map(Source::input)
    }

    /// Give the findings in this document their lines and columns, if it has any.
    pub fn locate(&self, findings: &mut [Finding]) {
        if let Some(source) = self.source {
            source.locate(findings);
        }
    }
}

impl<'a> Deref for Document<'a> {
    type Target = Value<'a>;

    fn deref(&self) -> &Value<'a> {
        &self.value
    }
}

/// Fill in the places of the findings in the input `name` that holds `bytes`.
pub fn locate_findings(name: &str, bytes: &[u8], findings: &mut [Finding]) {
    let locations = findings
        .iter_mut()
        .flat_map(|finding| std::iter::once(&mut finding.at).chain(&mut finding.related));
    let here: Vec<(ValuePath, &mut Location)> = locations
        .filter(|location| location.source == name && location.span.is_none())
        .filter_map(|location| Some((ValuePath::of_plain(location.path.as_deref()?), location)))
        .collect();
    let (paths, locations): (Vec<ValuePath>, Vec<&mut Location>) = here.into_iter().unzip();
    if !paths.is_empty() {
        locate_in(bytes, paths.iter().zip(locations).collect());
    }
}

/// Fill in the places of `wanted` in a file that holds `bytes`.
pub fn locate_in(bytes: &[u8], wanted: Vec<(&ValuePath, &mut Location)>) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let paths: Vec<ValuePath> = wanted.iter().map(|(path, _)| (*path).clone()).collect();
    let spans = locate(text, &paths);
    let mut places: Vec<usize> = spans
        .iter()
        .flatten()
        .flat_map(|span| [span.byte_start, span.byte_end])
        .collect();
    places.sort_unstable();
    places.dedup();
    let positions = positions(bytes, &places);
    let position = |byte: usize| {
        let at = places.binary_search(&byte).ok()?;
        positions.get(at).copied()
    };
    for ((_, location), span) in wanted.into_iter().zip(spans) {
        if let Some(span) = span {
            location.span = Some(span);
            location.start = position(span.byte_start);
            location.end = position(span.byte_end);
        }
    }
}

/// Positions of the bytes `places`, which are sorted, in one walk: ledgers of one endless line with
/// faults all over are ordinary.
fn positions(bytes: &[u8], places: &[usize]) -> Vec<Position> {
    let mut at = 0;
    let mut now = Position { line: 1, column: 1 };
    places
        .iter()
        .map(|&place| {
            let passed = bytes.get(at..place).unwrap_or_default();
            at = place;
            let line = match memchr::memrchr(b'\n', passed) {
                None => passed,
                Some(end) => {
                    now.line += memchr::memchr_iter(b'\n', passed).count();
                    now.column = 1;
                    passed.get(end + 1..).unwrap_or_default()
                }
            };
            now.column += count_code_points(line);
            now
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_line_and_a_column() {
        let path = ValuePath::root().key("a").index(1);
        let mut location = Location::at_path("x.json", path.to_string());
        locate_in(b"{\"a\":\n [1,\n  22]}", vec![(&path, &mut location)]);
        let start = location.start.unwrap();
        assert_eq!((start.line, start.column), (3, 3));
        assert_eq!(location.end.unwrap().column, 5);
    }

    #[test]
    fn written_paths_are_found_in_their_own_file_only() {
        let rule = crate::gates::rules::find("GWD004").unwrap();
        let at = |source: &str| Location::at_path(source, "$.lenses[0].items[1].hit_rule");
        let mut findings =
            [Finding::new(rule, at("new.json"), "changed").with_related(at("old.json"))];
        let new = b"{\"lenses\": [\n{\"items\": [{}, {\n\"hit_rule\": \"x\"}]}]}";
        locate_findings("new.json", new, &mut findings);
        let [finding] = findings;
        let start = finding.at.start.unwrap();
        assert_eq!((start.line, start.column), (3, 13));
        assert!(
            finding
                .related
                .iter()
                .all(|location| location.start.is_none())
        );
    }

    #[test]
    fn one_walk_gives_what_a_line_index_gives() {
        let bytes = "aé\n\n日本\u{1f600}x\ny".as_bytes();
        let lines = crate::position::LineIndex::new(bytes);
        let places: Vec<usize> = (0..=bytes.len())
            .filter(|&at| std::str::from_utf8(&bytes[at..]).is_ok())
            .collect();
        let wanted: Vec<Position> = places.iter().map(|&at| lines.position(bytes, at)).collect();
        assert_eq!(positions(bytes, &places), wanted);
    }
}
