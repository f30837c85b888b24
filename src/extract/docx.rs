//! Visible text of a Word document.
//!
//! In: the bytes of a `.docx` file. Out: `word/document.xml` in reading order, then footnotes and
//! endnotes. A paragraph ends with a line end, a table cell with a tab; split runs are joined.
//! Deleted revisions, moved-away text and hidden runs are left out, inserted text is kept, and a
//! paragraph whose mark is deleted runs on into the next. Headers, footers and comments are not
//! part of the text. A document type declaration is refused, so no entity is ever expanded.

use super::{Deadline, Limits, Unreadable};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::io::{Cursor, Read};

/// Entries of a package; a Word document has a few dozen.
const MAX_ENTRIES: usize = 100_000;
/// An encrypted or old binary Word file begins with this.
const OLE_MAGIC: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// Parts in reading order; only the first must exist.
const PARTS: [&str; 3] = [
    "word/document.xml",
    "word/footnotes.xml",
    "word/endnotes.xml",
];

/// The text of body, footnotes and endnotes.
pub(super) fn text(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<String, Unreadable> {
    if bytes.starts_with(OLE_MAGIC) {
        return Err(Unreadable::new(
            "an encrypted or old binary Word file, not a docx package",
        ));
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| Unreadable::new(format!("not a docx package: {error}")))?;
    if archive.len() > MAX_ENTRIES {
        return Err(Unreadable::new(format!(
            "package has more than {MAX_ENTRIES} entries"
        )));
    }
    let mut left = limits.unpacked_bytes;
    let mut out = String::new();
    for (index, name) in PARTS.iter().enumerate() {
        if archive.index_for_name(name).is_none() {
            if index == 0 {
                return Err(Unreadable::new("docx package has no word/document.xml"));
            }
            continue;
        }
        let entry = archive
            .by_name(name)
            .map_err(|error| Unreadable::new(format!("{name}: {error}")))?;
        let mut part = Vec::new();
        entry
            .take(u64::try_from(left).unwrap_or(u64::MAX).saturating_add(1))
            .read_to_end(&mut part)
            .map_err(|error| Unreadable::new(format!("{name}: {error}")))?;
        if part.len() > left {
            return Err(Unreadable::new(format!(
                "{name} unpacks to more than the {} bytes that are read",
                limits.unpacked_bytes
            )));
        }
        left -= part.len();
        deadline.check()?;
        write_part(&part, name, &mut out, deadline)?;
    }
    Ok(out)
}

/// What the reader is inside of.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about nested elements"
)]
struct Place {
    /// Open elements of a subtree that is left out.
    skipped: usize,
    /// Open `w:t` elements.
    in_text: usize,
    in_paragraph_properties: bool,
    in_run_properties: bool,
    run_is_hidden: bool,
    paragraph_mark_is_deleted: bool,
}

fn write_part(
    part: &[u8],
    name: &str,
    out: &mut String,
    deadline: Deadline,
) -> Result<(), Unreadable> {
    let decoded = super::html::decode(part);
    let mut reader = Reader::from_str(&decoded);
    let fault = |reader: &Reader<&[u8]>, reason: &dyn std::fmt::Display| {
        Unreadable::new(format!(
            "{name} is not well-formed at byte {}: {reason}",
            reader.buffer_position()
        ))
    };
    let mut place = Place::default();
    let mut open = 0_usize;
    for count in 0_u64.. {
        if count % 65_536 == 0 {
            deadline.check()?;
        }
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => return Err(fault(&reader, &error)),
        };
        match event {
            Event::Start(element) => {
                open += 1;
                place.enter(&element, out);
            }
            Event::Empty(element) => {
                place.enter(&element, out);
                place.leave(element.local_name().as_ref(), out);
            }
            Event::End(element) => {
                open = open.saturating_sub(1);
                place.leave(element.local_name().as_ref(), out);
            }
            Event::Text(text) => {
                if place.shows_text() {
                    out.push_str(&text);
                }
            }
            Event::CData(text) => {
                if place.shows_text() {
                    out.push_str(&text);
                }
            }
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
                    Some(character) if place.shows_text() => out.push(character),
                    Some(_) => {}
                    None => return Err(fault(&reader, &"an entity that XML does not define")),
                }
            }
            Event::DocType(_) => {
                return Err(Unreadable::new(format!(
                    "{name} declares a document type, which a docx may not (entities are never expanded)"
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

impl Place {
    fn shows_text(&self) -> bool {
        self.skipped == 0 && self.in_text > 0 && !self.run_is_hidden
    }

    fn shows_run(&self) -> bool {
        self.skipped == 0
            && !self.run_is_hidden
            && !self.in_paragraph_properties
            && !self.in_run_properties
    }

    fn enter(&mut self, element: &BytesStart<'_>, out: &mut String) {
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        match element.local_name().as_ref() {
            "pPr" => self.in_paragraph_properties = true,
            "rPr" => self.in_run_properties = true,
            "p" => self.paragraph_mark_is_deleted = false,
            "r" => self.run_is_hidden = false,
            "vanish" if self.in_run_properties && !self.in_paragraph_properties => {
                self.run_is_hidden = !is_switched_off(element);
            }
            "del" | "moveFrom" if self.in_paragraph_properties => {
                self.paragraph_mark_is_deleted = true;
            }
            // A choice and its fallback show the same text; Word shows the choice. Ruby text stands
            // above its base, not in the line.
            "del" | "moveFrom" | "Fallback" | "rt" => self.skipped = 1,
            "t" => self.in_text += 1,
            "tab" | "ptab" if self.shows_run() => out.push('\t'),
            "br" | "cr" if self.shows_run() => out.push('\n'),
            "noBreakHyphen" if self.shows_run() => out.push('-'),
            "sym" if self.shows_run() => out.extend(symbol(element)),
            "txbxContent" => out.push('\n'),
            _ => {}
        }
    }

    fn leave(&mut self, name: &str, out: &mut String) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match name {
            "pPr" => self.in_paragraph_properties = false,
            "rPr" => self.in_run_properties = false,
            "r" => self.run_is_hidden = false,
            "t" => self.in_text = self.in_text.saturating_sub(1),
            "p" if !std::mem::take(&mut self.paragraph_mark_is_deleted) => out.push('\n'),
            "tc" => out.push('\t'),
            "tr" => out.push('\n'),
            _ => {}
        }
    }
}

fn value_of(element: &BytesStart<'_>, name: &str) -> Option<String> {
    element
        .attributes()
        .filter_map(Result::ok)
        .find(|attribute| attribute.key.local_name().as_ref() == name)
        .map(|attribute| attribute.value.into_owned())
}

fn is_switched_off(element: &BytesStart<'_>) -> bool {
    value_of(element, "val").is_some_and(|value| matches!(value.as_str(), "0" | "false" | "off"))
}

/// A symbol outside the private use area, whose meaning hangs on its font.
fn symbol(element: &BytesStart<'_>) -> Option<char> {
    let value = value_of(element, "char")?;
    let code = u32::from_str_radix(&value, 16).ok()?;
    char::from_u32(code).filter(|symbol| !('\u{e000}'..='\u{f8ff}').contains(symbol))
}

#[cfg(test)]
mod tests {
    use super::super::{Extractor, Limits, extract, extract_within};
    use std::io::{Cursor, Write};
    use zip::write::SimpleFileOptions;

    const XMLNS: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";

    fn package(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in parts {
            archive
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    fn body(inner: &str) -> String {
        let xml = format!(
            "<?xml version=\"1.0\"?><w:document {XMLNS}><w:body>{inner}</w:body></w:document>"
        );
        extract(
            "a.docx",
            &package(&[("word/document.xml", &xml)]),
            Extractor::Pdfium,
        )
        .unwrap()
        .text
    }

    #[test]
    fn reading_order_and_revisions() {
        for (inner, want) in [
            (
                "<w:p><w:r><w:t>The ten</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">ant </w:t></w:r><w:r><w:t>pays</w:t></w:r></w:p><w:p/>",
                "The tenant pays\n\n",
            ),
            (
                "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText><w:t>old</w:t></w:r></w:del></w:p>",
                "new\n",
            ),
            (
                "<w:p><w:moveFrom><w:r><w:t>old</w:t></w:r></w:moveFrom><w:moveTo><w:r><w:t>new</w:t></w:r></w:moveTo></w:p>",
                "new\n",
            ),
            (
                "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>one </w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>",
                "one two\n",
            ),
            (
                "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>",
                "a\n\tb\n\t\n",
            ),
            (
                "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>",
                "a\tb\nc-d\n",
            ),
            (
                "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r><w:r><w:rPr><w:vanish w:val=\"0\"/></w:rPr><w:t>yes</w:t></w:r></w:p>",
                "yes\n",
            ),
            (
                "<w:p><w:r><w:instrText>PAGE</w:instrText><w:t>a &lt;&#x20AC;&amp; b</w:t></w:r></w:p>",
                "a <€& b\n",
            ),
            (
                "<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>",
                "box\n",
            ),
        ] {
            assert_eq!(body(inner), want, "{inner}");
        }
    }

    #[test]
    fn notes_follow_the_body() {
        let body = format!(
            "<w:document {XMLNS}><w:p><w:r><w:t>Rent</w:t><w:footnoteReference w:id=\"1\"/><w:t> is due</w:t></w:r></w:p></w:document>"
        );
        let notes = format!(
            "<w:footnotes {XMLNS}><w:footnote><w:p><w:r><w:t>Net of tax</w:t></w:r></w:p></w:footnote></w:footnotes>"
        );
        let ends = format!(
            "<w:endnotes {XMLNS}><w:endnote><w:p><w:r><w:t>End</w:t></w:r></w:p></w:endnote></w:endnotes>"
        );
        let file = package(&[
            ("word/endnotes.xml", &ends),
            ("word/document.xml", &body),
            ("word/footnotes.xml", &notes),
        ]);
        assert_eq!(
            extract("a.docx", &file, Extractor::Pdfium).unwrap().text,
            "Rent is due\nNet of tax\nEnd\n"
        );
    }

    #[test]
    fn bombs_are_refused() {
        let bomb = format!(
            "<w:document {XMLNS}><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:document>",
            "a".repeat(3_000_000)
        );
        let limits = Limits {
            unpacked_bytes: 1_000_000,
            ..Limits::default()
        };
        let file = package(&[("word/document.xml", &bomb)]);
        assert!(file.len() < 20_000);
        assert_eq!(
            extract_within("a.docx", &file, Extractor::Pdfium, &limits)
                .unwrap_err()
                .reason,
            "word/document.xml unpacks to more than the 1000000 bytes that are read"
        );
        let entities = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><x>&b;</x>";
        assert_eq!(
            extract(
                "a.docx",
                &package(&[("word/document.xml", entities)]),
                Extractor::Pdfium
            )
            .unwrap_err()
            .reason,
            "word/document.xml declares a document type, which a docx may not (entities are never expanded)"
        );
    }

    #[test]
    fn broken_packages_are_named() {
        for (file, want) in [
            (b"PK".to_vec(), "not a docx package: "),
            (
                package(&[("word/other.xml", "<x/>")]),
                "docx package has no word/document.xml",
            ),
            (
                package(&[("word/document.xml", "<x><y></x>")]),
                "word/document.xml is not well-formed at byte ",
            ),
            (
                package(&[("word/document.xml", "<x><y>")]),
                "word/document.xml is not well-formed at byte 6: the file ends inside an element",
            ),
            (
                package(&[("word/document.xml", "<x>&nbsp;</x>")]),
                "word/document.xml is not well-formed at byte 9: an entity that XML does not define",
            ),
            (
                super::OLE_MAGIC.to_vec(),
                "an encrypted or old binary Word file, not a docx package",
            ),
        ] {
            let error = extract("a.docx", &file, Extractor::Pdfium).unwrap_err();
            assert!(error.reason.starts_with(want), "{error}");
        }
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let inner = "<w:sdt>".repeat(300_000)
            + "<w:p><w:r><w:t>x</w:t></w:r></w:p>"
            + &"</w:sdt>".repeat(300_000);
        assert_eq!(body(&inner), "x\n");
    }
}
