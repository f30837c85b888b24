//! Documents that are a zip archive of parts: Word, PowerPoint, OpenDocument, EPUB.
//!
//! In: the bytes of the archive. Out: parts by name, all together within the limit of unpacked bytes,
//! and the events of XML parts. A document type declaration is refused, so no entity is ever expanded.

use super::{Deadline, Limits, Unreadable};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::io::{Cursor, Read};

/// Entries of a package; a document has a few dozen.
const MAX_ENTRIES: usize = 100_000;
/// An encrypted or old binary Office file begins with this.
pub(super) const OLE_MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// An open archive.
pub(super) struct Package<'b> {
    archive: zip::ZipArchive<Cursor<&'b [u8]>>,
    left: usize,
    limit: usize,
}

impl<'b> Package<'b> {
    /// Opens `bytes`, which should be a package of this kind (as in `docx`).
    pub(super) fn open(bytes: &'b [u8], kind: &str, limits: &Limits) -> Result<Self, Unreadable> {
        if bytes.starts_with(OLE_MAGIC) {
            return Err(Unreadable::new(format!(
                "an encrypted or old binary Office file, not a {kind} package"
            )));
        }
        let archive = zip::ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| Unreadable::new(format!("not a {kind} package: {error}")))?;
        if archive.len() > MAX_ENTRIES {
            return Err(Unreadable::new(format!(
                "package has more than {MAX_ENTRIES} entries"
            )));
        }
        Ok(Self {
            archive,
            left: limits.unpacked_bytes,
            limit: limits.unpacked_bytes,
        })
    }

    /// The names of all parts, sorted; numbers in them count as numbers.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .archive
            .file_names()
            .filter_map(Result::ok)
            .map(std::borrow::Cow::into_owned)
            .collect();
        names.sort_by_key(|name| (number_in(name), name.clone()));
        names
    }

    /// A part, or nothing when the package has none of this name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, Unreadable> {
        if self.archive.index_for_name(name).is_none() {
            return Ok(None);
        }
        let fault = |error: &dyn std::fmt::Display| Unreadable::new(format!("{name}: {error}"));
        let entry = self.archive.by_name(name).map_err(|error| fault(&error))?;
        let mut part = Vec::new();
        entry
            .take(
                u64::try_from(self.left)
                    .unwrap_or(u64::MAX)
                    .saturating_add(1),
            )
            .read_to_end(&mut part)
            .map_err(|error| fault(&error))?;
        if part.len() > self.left {
            return Err(Unreadable::new(format!(
                "{name} unpacks to more than the {} bytes that are read",
                self.limit
            )));
        }
        self.left -= part.len();
        Ok(Some(part))
    }
}

fn number_in(name: &str) -> usize {
    let digits: String = name
        .chars()
        .skip_while(|character| !character.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(0)
}

/// What sees the events of an XML part.
pub(super) trait Visitor {
    /// An element begins.
    fn enter(&mut self, element: &BytesStart<'_>);
    /// The element with this local name ends.
    fn leave(&mut self, name: &str);
    /// Text of the innermost element.
    fn text(&mut self, text: &str);
}

/// Shows the events of the XML `part` called `name` to `visitor`.
pub(super) fn walk(
    part: &[u8],
    name: &str,
    deadline: Deadline,
    visitor: &mut impl Visitor,
) -> Result<(), Unreadable> {
    let decoded = super::html::decode(part);
    let mut reader = Reader::from_str(&decoded);
    let fault = |reader: &Reader<&[u8]>, reason: &dyn std::fmt::Display| {
        Unreadable::new(format!(
            "{name} is not well-formed at byte {}: {reason}",
            reader.buffer_position()
        ))
    };
    let mut open = 0_usize;
    for count in 0_u64.. {
        if count.is_multiple_of(65_536) {
            deadline.check()?;
        }
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(fault(&reader, &error)),
        };
        match event {
            Event::Start(element) => {
                open += 1;
                visitor.enter(&element);
            }
            Event::Empty(element) => {
                visitor.enter(&element);
                visitor.leave(element.local_name().as_ref());
            }
            Event::End(element) => {
                open = open.saturating_sub(1);
                visitor.leave(element.local_name().as_ref());
            }
            Event::Text(text) => visitor.text(&text),
            Event::CData(text) => visitor.text(&text),
            Event::GeneralRef(reference) => {
                let resolved = match reference.resolve_char_ref() {
                    Ok(Some(character)) => Some(character),
                    Ok(None) => match reference.as_ref() {
                        "amp" => Some('&'),
                        "lt" => Some('<'),
                        "gt" => Some('>'),
                        "quot" => Some('"'),
                        "apos" => Some('\''),
                        _ => None,
                    },
                    Err(error) => return Err(fault(&reader, &error)),
                };
                match resolved {
                    Some(character) => visitor.text(character.encode_utf8(&mut [0; 4])),
                    None => return Err(fault(&reader, &"an entity that XML does not define")),
                }
            }
            Event::DocType(_) => {
                return Err(Unreadable::new(format!(
                    "{name} declares a document type, which it may not (entities are never expanded)"
                )));
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
    }
    if open > 0 {
        return Err(fault(&reader, &"the file ends inside an element"));
    }
    Ok(())
}

/// The value of an attribute by its local name.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    element
        .attributes()
        .filter_map(Result::ok)
        .find(|attribute| attribute.key.local_name().as_ref() == name)
        .map(|attribute| {
            let raw = attribute.value.into_owned();
            quick_xml::escape::unescape(&raw)
                .map(std::borrow::Cow::into_owned)
                .unwrap_or(raw)
        })
}

/// The part that the package begins with: the target of the relationship of this kind, by the end of
/// its type.
pub(super) fn main_part(
    package: &mut Package<'_>,
    kind: &str,
    deadline: Deadline,
) -> Result<Option<String>, Unreadable> {
    struct Relations<'k> {
        kind: &'k str,
        target: Option<String>,
    }
    impl Visitor for Relations<'_> {
        fn enter(&mut self, element: &BytesStart<'_>) {
            let is_wanted = element.local_name().as_ref() == "Relationship"
                && attribute(element, "Type").is_some_and(|kind| kind.ends_with(self.kind));
            if is_wanted && self.target.is_none() {
                self.target = attribute(element, "Target");
            }
        }
        fn leave(&mut self, _: &str) {}
        fn text(&mut self, _: &str) {}
    }
    let name = "_rels/.rels";
    let Some(part) = package.part(name)? else {
        return Ok(None);
    };
    let mut relations = Relations { kind, target: None };
    walk(&part, name, deadline, &mut relations)?;
    Ok(relations
        .target
        .map(|target| target.trim_start_matches('/').to_owned()))
}
