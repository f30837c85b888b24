//! Visible text of a Word document.
//!
//! In: the bytes of a `.docx` file. Out: the main part in reading order, then footnotes, endnotes,
//! headers, footers and comments. A paragraph ends with a line end, a table cell with a tab; split
//! runs are joined. Deleted revisions, moved-away text and text that a run or its style hides are left
//! out, inserted text is kept, and a paragraph whose mark is deleted runs on into the next. Automatic
//! numbers are written out and, like struck text, told apart. Raised digits become superscripts.

use super::package::{Package, Visitor, attribute as value_of, main_part, walk};
use super::{Deadline, ExtractedText, Limits, Unreadable};
use crate::position::Span;
use quick_xml::events::BytesStart;
use std::collections::{BTreeMap, BTreeSet};

/// The text of body, notes, headers, footers and comments.
pub(super) fn text(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
    let mut package = Package::open(bytes, "docx", limits)?;
    let main = main_part(&mut package, "/officeDocument", deadline)?
        .unwrap_or_else(|| "word/document.xml".to_owned());
    let folder = main.rsplit_once('/').map_or("word", |(folder, _)| folder);
    let mut styles = Styles::default();
    if let Some(part) = package.part(&format!("{folder}/styles.xml"))? {
        walk(&part, "styles.xml", deadline, &mut styles)?;
    }
    let mut numbering = Numbering::default();
    if let Some(part) = package.part(&format!("{folder}/numbering.xml"))? {
        walk(&part, "numbering.xml", deadline, &mut numbering)?;
    }
    let mut place = Place::new(styles, numbering);
    let Some(part) = package.part(&main)? else {
        return Err(Unreadable::new(format!("docx package has no {main}")));
    };
    walk(&part, &main, deadline, &mut place)?;
    let rest: Vec<String> = ["footnotes", "endnotes", "header", "footer", "comments"]
        .into_iter()
        .flat_map(|kind| {
            let prefix = format!("{folder}/{kind}");
            package.names().into_iter().filter(move |name| {
                name.strip_prefix(&prefix)
                    .and_then(|rest| rest.strip_suffix(".xml"))
                    .is_some_and(|rest| rest.chars().all(|character| character.is_ascii_digit()))
            })
        })
        .collect();
    for name in rest {
        if let Some(part) = package.part(&name)? {
            place.reset();
            walk(&part, &name, deadline, &mut place)?;
        }
    }
    Ok(ExtractedText {
        markup: place.numbers,
        struck: place.struck,
        ..ExtractedText::flowing("docx", place.out)
    })
}

/// Styles that hide their text, and the list that a paragraph style belongs to.
#[derive(Default)]
struct Styles {
    hiding: BTreeSet<String>,
    lists: BTreeMap<String, (String, usize)>,
    id: String,
    level: usize,
    based_on: BTreeMap<String, String>,
}

impl Visitor for Styles {
    fn enter(&mut self, element: &BytesStart<'_>) {
        match element.local_name().as_ref() {
            "style" => {
                self.id = value_of(element, "styleId").unwrap_or_default();
                self.level = 0;
            }
            "basedOn" => {
                let base = value_of(element, "val").unwrap_or_default();
                self.based_on.insert(self.id.clone(), base);
            }
            "vanish" if !is_switched_off(element) => {
                self.hiding.insert(self.id.clone());
            }
            "ilvl" => self.level = number(element),
            "numId" => {
                let list = value_of(element, "val").unwrap_or_default();
                self.lists.insert(self.id.clone(), (list, self.level));
            }
            _ => {}
        }
    }
    fn leave(&mut self, _: &str) {}
    fn text(&mut self, _: &str) {}
}

impl Styles {
    /// The style and those that it is based on.
    fn line<'s>(&'s self, id: &'s str) -> impl Iterator<Item = &'s str> {
        const LONGEST: usize = 32;
        std::iter::successors(Some(id), |id| self.based_on.get(*id).map(String::as_str))
            .take(LONGEST)
    }

    fn hides(&self, id: &str) -> bool {
        self.line(id).any(|id| self.hiding.contains(id))
    }

    fn list(&self, id: &str) -> Option<(String, usize)> {
        self.line(id).find_map(|id| self.lists.get(id).cloned())
    }
}

fn number(element: &BytesStart<'_>) -> usize {
    value_of(element, "val")
        .and_then(|value| value.parse().ok())
        .unwrap_or(0)
}

/// How a level of a list is numbered.
#[derive(Clone, Default)]
struct Level {
    start: usize,
    format: String,
    text: String,
}

/// The lists of a document and how far they have come.
#[derive(Default)]
struct Numbering {
    /// Levels by list definition.
    levels: BTreeMap<String, BTreeMap<usize, Level>>,
    /// Definition by list.
    lists: BTreeMap<String, String>,
    counts: BTreeMap<String, Vec<usize>>,
    definition: String,
    list: String,
    level: usize,
}

impl Visitor for Numbering {
    fn enter(&mut self, element: &BytesStart<'_>) {
        match element.local_name().as_ref() {
            "abstractNum" => {
                self.definition = value_of(element, "abstractNumId").unwrap_or_default();
            }
            "num" => self.list = value_of(element, "numId").unwrap_or_default(),
            "abstractNumId" => {
                let definition = value_of(element, "val").unwrap_or_default();
                self.lists.insert(self.list.clone(), definition);
            }
            "lvl" if self.list.is_empty() => {
                self.level = value_of(element, "ilvl")
                    .and_then(|level| level.parse().ok())
                    .unwrap_or(0);
                self.own_level().start = 1;
            }
            "start" if self.list.is_empty() => self.own_level().start = number(element),
            "numFmt" if self.list.is_empty() => {
                self.own_level().format = value_of(element, "val").unwrap_or_default();
            }
            "lvlText" if self.list.is_empty() => {
                self.own_level().text = value_of(element, "val").unwrap_or_default();
            }
            _ => {}
        }
    }
    fn leave(&mut self, _: &str) {}
    fn text(&mut self, _: &str) {}
}

impl Numbering {
    fn own_level(&mut self) -> &mut Level {
        self.levels
            .entry(self.definition.clone())
            .or_default()
            .entry(self.level)
            .or_default()
    }

    /// The number of the next paragraph of a list, as it is shown.
    fn next(&mut self, list: &str, level: usize) -> Option<String> {
        const DEEPEST: usize = 9;
        let definition = self.lists.get(list)?.clone();
        let levels = self.levels.get(&definition)?;
        let own = levels.get(&level)?.clone();
        let level = level.min(DEEPEST);
        let counts = self.counts.entry(definition).or_default();
        while counts.len() <= level {
            let at = counts.len();
            let start = levels.get(&at).map_or(1, |level| level.start);
            // The levels above count as begun.
            counts.push(if at == level {
                start.saturating_sub(1)
            } else {
                start
            });
        }
        counts.truncate(level + 1);
        if let Some(count) = counts.last_mut() {
            *count += 1;
        }
        if own.format == "bullet" || own.format == "none" {
            return None;
        }
        let mut shown = own.text.clone();
        for (at, count) in counts.iter().enumerate() {
            let format = levels.get(&at).map_or("", |level| level.format.as_str());
            shown = shown.replace(&format!("%{}", at + 1), &counted(*count, format));
        }
        Some(shown)
    }
}

/// A count as a list shows it.
fn counted(count: usize, format: &str) -> String {
    let letters = || {
        let index = u8::try_from(count.saturating_sub(1) % 26).unwrap_or(0);
        char::from(b'a' + index)
            .to_string()
            .repeat(count.saturating_sub(1) / 26 + 1)
    };
    match format {
        "lowerLetter" => letters(),
        "upperLetter" => letters().to_uppercase(),
        "lowerRoman" => roman(count),
        "upperRoman" => roman(count).to_uppercase(),
        "decimalZero" => format!("{count:02}"),
        _ => count.to_string(),
    }
}

fn roman(mut count: usize) -> String {
    const STEPS: [(usize, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let mut out = String::new();
    if count >= 10_000 {
        return count.to_string();
    }
    for (value, letters) in STEPS {
        while count >= value {
            out.push_str(letters);
            count -= value;
        }
    }
    out
}

/// What the reader is inside of, and the text so far.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts about nested elements"
)]
struct Place {
    out: String,
    /// Automatic numbers.
    numbers: Vec<Span>,
    struck: Vec<Span>,
    styles: Styles,
    numbering: Numbering,
    /// Open elements of a subtree that is left out.
    skipped: usize,
    /// Open `w:t` elements.
    in_text: usize,
    in_paragraph_properties: bool,
    in_run_properties: bool,
    /// By the run itself, when it says so.
    run_is_hidden: Option<bool>,
    style_hides_run: bool,
    style_hides_paragraph: bool,
    run_is_raised: bool,
    run_is_struck: bool,
    paragraph_mark_is_deleted: bool,
    /// List and level of the paragraph.
    list: Option<(String, usize)>,
    own_level: usize,
}

impl Visitor for Place {
    fn enter(&mut self, element: &BytesStart<'_>) {
        self.open(element);
    }

    fn leave(&mut self, name: &str) {
        self.close(name);
    }

    fn text(&mut self, text: &str) {
        if !self.shows_text() {
            return;
        }
        let start = self.out.len();
        if self.run_is_raised {
            self.out.extend(text.chars().map(super::raised));
        } else {
            self.out.push_str(text);
        }
        if self.run_is_struck {
            self.struck.push(Span {
                byte_start: start,
                byte_end: self.out.len(),
            });
        }
    }
}

impl Place {
    fn new(styles: Styles, numbering: Numbering) -> Self {
        Self {
            styles,
            numbering,
            ..Self::default()
        }
    }

    /// For the next part.
    fn reset(&mut self) {
        (self.skipped, self.in_text) = (0, 0);
        if !self.out.ends_with('\n') && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn is_hidden(&self) -> bool {
        self.run_is_hidden
            .unwrap_or(self.style_hides_run || self.style_hides_paragraph)
    }

    fn shows_text(&self) -> bool {
        self.skipped == 0 && self.in_text > 0 && !self.is_hidden()
    }

    fn shows_run(&self) -> bool {
        self.skipped == 0
            && !self.is_hidden()
            && !self.in_paragraph_properties
            && !self.in_run_properties
    }

    fn begin_run(&mut self) {
        self.run_is_hidden = None;
        self.style_hides_run = false;
        self.run_is_raised = false;
        self.run_is_struck = false;
    }

    /// Writes the automatic number of a paragraph before its text.
    fn write_number(&mut self) {
        let Some((list, level)) = self.list.take() else {
            return;
        };
        if self.style_hides_paragraph {
            return;
        }
        if let Some(number) = self.numbering.next(&list, level) {
            let byte_start = self.out.len();
            self.out.push_str(&number);
            self.out.push(' ');
            self.numbers.push(Span {
                byte_start,
                byte_end: self.out.len(),
            });
        }
    }

    fn open(&mut self, element: &BytesStart<'_>) {
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        let is_of_run = self.in_run_properties && !self.in_paragraph_properties;
        match element.local_name().as_ref() {
            "pPr" => self.in_paragraph_properties = true,
            "rPr" => self.in_run_properties = true,
            "p" => {
                self.paragraph_mark_is_deleted = false;
                self.style_hides_paragraph = false;
                self.list = None;
                self.own_level = 0;
            }
            "pStyle" if self.in_paragraph_properties => {
                let id = value_of(element, "val").unwrap_or_default();
                self.style_hides_paragraph = self.styles.hides(&id);
                self.list = self.styles.list(&id);
            }
            "ilvl" if self.in_paragraph_properties => self.own_level = number(element),
            "numId" if self.in_paragraph_properties => {
                let list = value_of(element, "val").unwrap_or_default();
                // List 0 takes the number of the style away.
                self.list = (list != "0").then_some((list, self.own_level));
            }
            "r" => {
                if !self.in_paragraph_properties {
                    self.write_number();
                }
                self.begin_run();
            }
            "vanish" if is_of_run => self.run_is_hidden = Some(!is_switched_off(element)),
            "rStyle" if is_of_run => {
                let id = value_of(element, "val").unwrap_or_default();
                self.style_hides_run = self.styles.hides(&id);
            }
            "vertAlign" if is_of_run => {
                self.run_is_raised = value_of(element, "val").as_deref() == Some("superscript");
            }
            "strike" | "dstrike" if is_of_run => self.run_is_struck = !is_switched_off(element),
            "del" | "moveFrom" if self.in_paragraph_properties => {
                self.paragraph_mark_is_deleted = true;
            }
            // A choice and its fallback show the same text; Word shows the choice. Ruby text stands
            // above its base, not in the line.
            "del" | "moveFrom" | "Fallback" | "rt" => self.skipped = 1,
            "t" => self.in_text += 1,
            "tab" | "ptab" if self.shows_run() => self.out.push('\t'),
            "br" | "cr" if self.shows_run() => self.out.push('\n'),
            "noBreakHyphen" if self.shows_run() => self.out.push('-'),
            "sym" if self.shows_run() => self.out.extend(symbol(element)),
            "txbxContent" => self.out.push('\n'),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match name {
            "pPr" => self.in_paragraph_properties = false,
            "rPr" => self.in_run_properties = false,
            "r" => self.begin_run(),
            "t" => self.in_text = self.in_text.saturating_sub(1),
            "p" if !std::mem::take(&mut self.paragraph_mark_is_deleted) => self.out.push('\n'),
            "tc" => self.out.push('\t'),
            "tr" => self.out.push('\n'),
            _ => {}
        }
    }
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
    fn styles_hide_and_lists_count() {
        let styles = format!(
            "<w:styles {XMLNS}><w:style w:styleId=\"Secret\"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId=\"Child\"><w:basedOn w:val=\"Secret\"/></w:style></w:styles>"
        );
        let numbering = format!(
            "<w:numbering {XMLNS}><w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"%1.\"/></w:lvl><w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:numFmt w:val=\"lowerLetter\"/><w:lvlText w:val=\"%1(%2)\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>"
        );
        let item = |level: u8, text: &str| {
            format!(
                "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
            )
        };
        let body = format!(
            "<w:document {XMLNS}><w:p><w:pPr><w:pStyle w:val=\"Child\"/></w:pPr><w:r><w:t>no</w:t></w:r></w:p>{}{}{}{}<w:p><w:r><w:t>net of tax</w:t></w:r><w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:t>1</w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t> old</w:t></w:r></w:p></w:document>",
            item(0, "one"),
            item(1, "one a"),
            item(1, "one b"),
            item(0, "two")
        );
        let header = format!("<w:hdr {XMLNS}><w:p><w:r><w:t>Draft</w:t></w:r></w:p></w:hdr>");
        let file = package(&[
            ("word/document.xml", &body),
            ("word/styles.xml", &styles),
            ("word/numbering.xml", &numbering),
            ("word/header1.xml", &header),
        ]);
        let read = extract("a.docx", &file, Extractor::Pdfium).unwrap();
        assert_eq!(
            read.text,
            "\n1. one\n1(a) one a\n1(b) one b\n2. two\nnet of tax¹ old\nDraft\n"
        );
        let struck: Vec<&str> = read
            .struck
            .iter()
            .map(|span| read.text.get(span.byte_start..span.byte_end).unwrap())
            .collect();
        assert_eq!(struck, [" old"]);
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
            "word/document.xml declares a document type, which it may not (entities are never expanded)"
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
                super::super::package::OLE_MAGIC.to_vec(),
                "an encrypted or old binary Office file, not a docx package",
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
