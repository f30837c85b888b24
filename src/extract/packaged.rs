//! Text of PowerPoint and OpenDocument files and of EPUB books.
//!
//! In: the bytes of the package. Out: the text in reading order: slides with their notes, the body of
//! an OpenDocument text, sheet or presentation, the chapters of a book. Paragraphs end with a line
//! end, table cells with a tab; deleted text of tracked changes and hidden text are left out.

use super::package::{Package, Visitor, attribute, walk};
use super::{Deadline, ExtractedText, Limits, Unreadable, html};
use quick_xml::events::BytesStart;

/// The text of the slides, each followed by its notes and comments.
pub(super) fn pptx(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
    let mut package = Package::open(bytes, "pptx", limits)?;
    let names = package.names();
    let slides: Vec<&String> = names
        .iter()
        .filter(|name| is_part(name, "ppt/slides/slide"))
        .collect();
    if slides.is_empty() {
        return Err(Unreadable::new("pptx package has no slides"));
    }
    let mut out = String::new();
    let others = ["ppt/notesSlides/notesSlide", "ppt/comments/"];
    let rest = names
        .iter()
        .filter(|name| others.iter().any(|prefix| is_part(name, prefix)));
    for name in slides.into_iter().chain(rest) {
        if let Some(part) = package.part(name)? {
            let mut slide = Slide {
                out: &mut out,
                in_text: 0,
                skipped: 0,
            };
            walk(&part, name, deadline, &mut slide)?;
            out.push('\n');
        }
    }
    Ok(ExtractedText::flowing("pptx", out))
}

fn is_part(name: &str, prefix: &str) -> bool {
    name.starts_with(prefix)
        && std::path::Path::new(name)
            .extension()
            .is_some_and(|extension| extension == "xml")
}

struct Slide<'o> {
    out: &'o mut String,
    in_text: usize,
    skipped: usize,
}

impl Visitor for Slide<'_> {
    fn enter(&mut self, element: &BytesStart<'_>) {
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        match element.local_name().as_ref() {
            // A choice and its fallback show the same text.
            "Fallback" => self.skipped = 1,
            "t" | "text" => self.in_text += 1,
            "br" => self.out.push('\n'),
            "tab" => self.out.push('\t'),
            _ => {}
        }
    }

    fn leave(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match name {
            "t" => self.in_text = self.in_text.saturating_sub(1),
            "text" => {
                self.in_text = self.in_text.saturating_sub(1);
                self.out.push('\n');
            }
            "p" | "tr" => self.out.push('\n'),
            "tc" => self.out.push('\t'),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped == 0 && self.in_text > 0 {
            self.out.push_str(text);
        }
    }
}

/// The text of an OpenDocument file.
pub(super) fn odf(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
    let mut package = Package::open(bytes, "OpenDocument", limits)?;
    let name = "content.xml";
    let part = package
        .part(name)?
        .ok_or_else(|| Unreadable::new("OpenDocument package has no content.xml"))?;
    let mut body = Body::default();
    walk(&part, name, deadline, &mut body)?;
    // Headers and footers stand with the page styles.
    if let Some(part) = package.part("styles.xml")? {
        walk(&part, "styles.xml", deadline, &mut body)?;
    }
    let mut text = body.out;
    text.push_str(&body.notes);
    Ok(ExtractedText::flowing("OpenDocument", text))
}

#[derive(Default)]
struct Body {
    out: String,
    /// Notes, which follow the text that they interrupt.
    notes: String,
    skipped: usize,
    in_notes: usize,
    paragraphs: usize,
}

impl Body {
    fn out(&mut self) -> &mut String {
        if self.in_notes > 0 {
            &mut self.notes
        } else {
            &mut self.out
        }
    }
}

impl Visitor for Body {
    fn enter(&mut self, element: &BytesStart<'_>) {
        if self.skipped > 0 {
            self.skipped += 1;
            return;
        }
        if self.in_notes > 0 {
            self.in_notes += 1;
        }
        match element.local_name().as_ref() {
            "tracked-changes" | "hidden-text" | "hidden-paragraph" | "note-citation"
            | "deletion" => self.skipped = 1,
            "note-body" | "annotation" if self.in_notes == 0 => self.in_notes = 1,
            "p" | "h" => self.paragraphs += 1,
            "s" => {
                let count = attribute(element, "c").and_then(|count| count.parse().ok());
                let count: usize = count.unwrap_or(1);
                let spaces = " ".repeat(count.min(1000));
                self.out().push_str(&spaces);
            }
            "tab" => self.out().push('\t'),
            "line-break" => self.out().push('\n'),
            _ => {}
        }
    }

    fn leave(&mut self, name: &str) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        match name {
            "p" | "h" => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                self.out().push('\n');
            }
            "table-cell" => self.out().push('\t'),
            "table-row" => self.out().push('\n'),
            _ => {}
        }
        self.in_notes = self.in_notes.saturating_sub(1);
    }

    fn text(&mut self, text: &str) {
        if self.skipped == 0 && self.paragraphs > 0 {
            self.out().push_str(text);
        }
    }
}

/// The chapters of an EPUB book in the order of its spine.
pub(super) fn epub(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
    let mut package = Package::open(bytes, "EPUB", limits)?;
    let mut opf = Opf::default();
    if let Some(part) = package.part("META-INF/container.xml")? {
        walk(&part, "META-INF/container.xml", deadline, &mut opf)?;
    }
    let name = opf
        .root
        .clone()
        .ok_or_else(|| Unreadable::new("EPUB package names no book (META-INF/container.xml)"))?;
    let part = package
        .part(&name)?
        .ok_or_else(|| Unreadable::new(format!("EPUB package has no {name}")))?;
    walk(&part, &name, deadline, &mut opf)?;
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut out = ExtractedText::flowing("epub", String::new());
    for id in &opf.spine {
        let Some((_, href)) = opf.items.iter().find(|(item, _)| item == id) else {
            continue;
        };
        let path = joined(folder, href);
        let Some(part) = package.part(&path)? else {
            return Err(Unreadable::new(format!("EPUB package has no {path}")));
        };
        let chapter = html::read(&html::decode(&part), limits, deadline)?;
        out.append(&chapter);
    }
    Ok(out)
}

fn joined(folder: &str, href: &str) -> String {
    let href = href
        .split('#')
        .next()
        .unwrap_or_default()
        .replace("%20", " ");
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in href.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

#[derive(Default)]
struct Opf {
    root: Option<String>,
    items: Vec<(String, String)>,
    spine: Vec<String>,
}

impl Visitor for Opf {
    fn enter(&mut self, element: &BytesStart<'_>) {
        match element.local_name().as_ref() {
            "rootfile" if self.root.is_none() => self.root = attribute(element, "full-path"),
            "item" => self
                .items
                .extend(attribute(element, "id").zip(attribute(element, "href"))),
            "itemref" => self.spine.extend(attribute(element, "idref")),
            _ => {}
        }
    }
    fn leave(&mut self, _: &str) {}
    fn text(&mut self, _: &str) {}
}
