//! Visible text of documents: text, Markdown, HTML, mail, Office files, books and PDF.
//!
//! In: the name of a document (its extension names the format) and its bytes. Out: the text a
//! reader sees, or [`Unreadable`] with the reason. A document that cannot be read is never an
//! empty text, so that no quote is called missing from a document nobody looked at.
//! Every format is bounded by [`Limits`]: sizes, pages, nesting and time.

mod css;
mod docx;
mod html;
mod mail;
mod markdown;
mod outlook;
mod package;
mod packaged;
pub mod pdf;
mod plain;
mod poppler;
mod rtf;
mod sheet;

use crate::evidence::{Layers, Prepared, SourceError};
use crate::position::Span;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::{Duration, Instant};

/// How a PDF is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extractor {
    /// pdfium, on every machine the same; the recorded spellings `auto` and `stdlib` both mean it.
    Pdfium,
    /// The program `pdftotext`, only when asked for.
    Pdftotext,
}

impl Extractor {
    /// The choice with this name, as typed after `--extractor`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "auto" | "stdlib" => Some(Self::Pdfium),
            "pdftotext" => Some(Self::Pdftotext),
            _ => None,
        }
    }
}

/// What bounds one extraction.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest document, in bytes.
    pub file_bytes: usize,
    /// Most bytes that a compressed document may unpack to, and that its text may have.
    pub unpacked_bytes: usize,
    /// Most pages.
    pub pages: usize,
    /// Deepest nesting of elements or messages.
    pub depth: usize,
    /// Longest time.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 256 << 20,
            unpacked_bytes: 256 << 20,
            pages: 20_000,
            depth: 2_000,
            time: Duration::from_secs(60),
        }
    }
}

/// The text of a document, and what of it is not running text. Spans are bytes of the text,
/// ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractedText {
    /// The text; pages end with a form feed, paragraphs and table cells with white space.
    pub text: String,
    /// Number of pages, for formats that have pages.
    pub pages: Option<usize>,
    /// What read it, with its version where that decides what is read, such as `pdfium 1.2.3.4`.
    pub reader: String,
    /// Pages (from 1) that show something of which no text is known, such as a scan.
    pub unread_pages: Vec<usize>,
    /// Characters that nobody sees and that are left out.
    pub hidden_count: usize,
    /// Heads, feet, page numbers and footnotes, which running text passes by.
    pub asides: Vec<Span>,
    /// Marks that are not shown, such as those of Markdown.
    pub markup: Vec<Span>,
    /// Text that is shown struck out.
    pub struck: Vec<Span>,
    /// Whether white space is made of places on a page or ends of elements, so that readers differ.
    pub is_spaced_by_place: bool,
}

impl ExtractedText {
    /// The text of a format without pages.
    fn plain(reader: impl Into<String>, text: String) -> Self {
        Self {
            text,
            reader: reader.into(),
            ..Self::default()
        }
    }

    /// The text of a format in which elements, not characters, say where words end.
    fn flowing(reader: impl Into<String>, text: String) -> Self {
        Self {
            is_spaced_by_place: true,
            ..Self::plain(reader, text)
        }
    }

    /// Puts another text behind this one.
    fn append(&mut self, other: &Self) {
        let from = self.text.len();
        let moved = |span: &Span| Span {
            byte_start: span.byte_start + from,
            byte_end: span.byte_end + from,
        };
        self.text.push_str(&other.text);
        self.struck.extend(other.struck.iter().map(moved));
        self.markup.extend(other.markup.iter().map(moved));
    }

    /// The value as JSON, from which [`ExtractedText::from_json`] makes it again.
    ///
    /// # Errors
    /// None that is known; those of the encoder are handed on.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }

    /// The value that [`ExtractedText::to_json`] wrote.
    ///
    /// # Errors
    /// When it is the JSON of something else.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// What quotes are compared with.
    pub fn layers(&self) -> Layers<'_> {
        Layers {
            asides: &self.asides,
            markup: &self.markup,
            struck: &self.struck,
            is_spaced_by_place: self.is_spaced_by_place,
        }
    }

    /// The text as quotes are looked up in it.
    ///
    /// # Errors
    /// When it is more than can be searched.
    pub fn prepared(&self) -> Result<Prepared<'_>, SourceError> {
        let source = Prepared::new(&self.text)?;
        Ok(if self.pages.is_some() {
            source.paged()
        } else {
            source
        })
    }

    /// The page (from 1) on which the byte at `at` of the text stands, for formats with pages.
    pub fn page_at(&self, at: usize) -> Option<usize> {
        let before = self.text.as_bytes().get(..at)?;
        self.pages
            .map(|_| memchr::memchr_iter(0x0c, before).count() + 1)
    }

    /// Why a quote that is not in the text may still be in the document.
    pub fn unread(&self) -> Option<String> {
        let (first, rest) = self.unread_pages.split_first()?;
        let mut pages = format!("page {first}");
        if !rest.is_empty() {
            pages.insert(4, 's');
            for (index, page) in rest.iter().enumerate() {
                let joint = if index + 1 == rest.len() {
                    " and "
                } else {
                    ", "
                };
                pages.push_str(joint);
                pages.push_str(&page.to_string());
            }
        }
        Some(format!(
            "{pages} could not be read (no text; a scan needs OCR first)"
        ))
    }
}

/// A digit as a raised mark is written, so that no number grows by it; other characters stay.
fn raised(character: char) -> char {
    match character {
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        other => other,
    }
}

/// Why the text of a document could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// One line, lower-case first letter, without the document's name.
    pub reason: String,
}

impl Unreadable {
    fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.reason)
    }
}

impl std::error::Error for Unreadable {}

/// Time allowed for one document, asked between steps.
#[derive(Clone, Copy, Debug)]
struct Deadline {
    end: Instant,
    allowed: Duration,
}

impl Deadline {
    fn start(limits: &Limits) -> Self {
        Self {
            end: Instant::now() + limits.time,
            allowed: limits.time,
        }
    }

    fn check(&self) -> Result<(), Unreadable> {
        if Instant::now() > self.end {
            Err(self.exceeded())
        } else {
            Ok(())
        }
    }

    fn exceeded(&self) -> Unreadable {
        Unreadable::new(format!(
            "reading takes longer than {} seconds",
            self.allowed.as_secs()
        ))
    }
}

/// The visible text of the document `name`, whose extension names the format.
///
/// # Errors
/// [`Unreadable`] for an unknown format, a broken or encrypted document, one without a text
/// layer, and one that goes beyond the default [`Limits`].
pub fn extract(
    name: &str,
    bytes: &[u8],
    extractor: Extractor,
) -> Result<ExtractedText, Unreadable> {
    extract_within(name, bytes, extractor, &Limits::default())
}

/// [`extract`] within limits of the caller's.
///
/// # Errors
/// As for [`extract`].
pub fn extract_within(
    name: &str,
    bytes: &[u8],
    extractor: Extractor,
    limits: &Limits,
) -> Result<ExtractedText, Unreadable> {
    if bytes.len() > limits.file_bytes {
        return Err(Unreadable::new(format!(
            "file has {} bytes, more than the {} that are read",
            bytes.len(),
            limits.file_bytes
        )));
    }
    let extension = extension_of(name);
    let deadline = Deadline::start(limits);
    match extension.as_str() {
        "txt" | "text" | "log" => plain::text(bytes),
        "md" | "markdown" => markdown::text(bytes),
        "csv" | "tsv" => sheet::csv(bytes),
        "html" | "htm" | "xhtml" => html::page(bytes, limits, deadline),
        "eml" => mail::text(bytes, limits, deadline),
        "mbox" => mail::mailbox(bytes, limits, deadline),
        "msg" => outlook::text(bytes, limits, deadline),
        "docx" | "docm" | "dotx" | "dotm" => docx::text(bytes, limits, deadline),
        "pptx" | "pptm" | "ppsx" => packaged::pptx(bytes, limits, deadline),
        "odt" | "odp" | "ott" => packaged::odf(bytes, limits, deadline),
        "epub" => packaged::epub(bytes, limits, deadline),
        "xlsx" | "xlsm" | "xlsb" | "xls" | "ods" => sheet::workbook(bytes, limits.unpacked_bytes),
        "rtf" => rtf::text(bytes, limits),
        "pdf" => pdf_text(bytes, extractor, limits),
        "" => Err(Unreadable::new(
            "file name has no extension that names a format",
        )),
        other => Err(Unreadable::new(format!(
            "format `{}` is not read ({FORMATS} are)",
            crate::finding::excerpt(other)
        ))),
    }
}

/// The formats that are read, as told in refusals.
const FORMATS: &str =
    "txt, md, csv, html, eml, mbox, msg, docx, xlsx, pptx, odt, ods, odp, epub, rtf, pdf";

/// The reader of `extractor` with its version, for receipts.
///
/// # Errors
/// When it is not there.
pub fn pdf_reader(extractor: Extractor) -> Result<String, Unreadable> {
    match extractor {
        Extractor::Pdfium => pdf::reader(),
        Extractor::Pdftotext => poppler::reader(),
    }
}

/// The text of a source that somebody names: a document as [`extract`] reads it; what is UTF-8 and
/// has the name of a text file or of no document, as it is, so that places are those of its bytes.
///
/// # Errors
/// As for [`extract`].
pub fn read_source(
    name: &str,
    bytes: &[u8],
    extractor: Extractor,
) -> Result<ExtractedText, Unreadable> {
    let limits = Limits::default();
    let is_document = DOCUMENTS.contains(&extension_of(name).as_str());
    if !is_document && bytes.len() <= limits.file_bytes {
        match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => return Ok(ExtractedText::plain("utf-8 text", text.to_owned())),
            Err(error) if !TEXTS.contains(&extension_of(name).as_str()) => {
                return Err(Unreadable::new(format!(
                    "not UTF-8: invalid byte at offset {}",
                    error.valid_up_to()
                )));
            }
            Err(_) => {}
        }
    }
    extract_within(name, bytes, extractor, &limits)
}

fn extension_of(name: &str) -> String {
    name.rsplit(['/', '\\'])
        .next()
        .and_then(|file| file.rsplit_once('.'))
        .map_or(String::new(), |(_, extension)| {
            extension.to_ascii_lowercase()
        })
}

/// Extensions of text that is compared as it is written.
const TEXTS: &[&str] = &["txt", "text", "log"];
/// Extensions of what is read as a document.
const DOCUMENTS: &[&str] = &[
    "md", "markdown", "csv", "tsv", "html", "htm", "xhtml", "eml", "mbox", "msg", "docx", "docm",
    "dotx", "dotm", "pptx", "pptm", "ppsx", "odt", "odp", "ott", "epub", "xlsx", "xlsm", "xlsb",
    "xls", "ods", "rtf", "pdf",
];

fn pdf_text(
    bytes: &[u8],
    extractor: Extractor,
    limits: &Limits,
) -> Result<ExtractedText, Unreadable> {
    let read = match extractor {
        Extractor::Pdfium => pdf::text(bytes, limits),
        Extractor::Pdftotext => poppler::text(bytes, limits),
    }?;
    if read.text.chars().all(char::is_whitespace) {
        return Err(Unreadable::new(
            "the PDF has no text layer (a scan needs OCR first)",
        ));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_formats_are_unreadable() {
        for (name, want) in [
            ("a.xyz", format!("format `xyz` is not read ({FORMATS} are)")),
            (
                "a",
                "file name has no extension that names a format".to_owned(),
            ),
            (
                "a.b/c",
                "file name has no extension that names a format".to_owned(),
            ),
        ] {
            assert_eq!(
                extract(name, b"", Extractor::Pdfium).unwrap_err().reason,
                want,
                "{name}"
            );
        }
    }

    #[test]
    fn a_large_file_names_the_limit() {
        let limits = Limits {
            file_bytes: 3,
            ..Limits::default()
        };
        let error = extract_within("a.txt", b"abcd", Extractor::Pdfium, &limits).unwrap_err();
        assert_eq!(
            error.reason,
            "file has 4 bytes, more than the 3 that are read"
        );
    }

    #[test]
    fn pages_are_counted_and_named() {
        let read = ExtractedText {
            text: "one\n\u{c}two\n\u{c}".into(),
            pages: Some(4),
            unread_pages: vec![3, 4],
            ..ExtractedText::default()
        };
        assert_eq!(read.page_at(0), Some(1));
        assert_eq!(read.page_at(5), Some(2));
        assert_eq!(
            read.unread().unwrap(),
            "pages 3 and 4 could not be read (no text; a scan needs OCR first)"
        );
        assert_eq!(ExtractedText::default().unread(), None);
    }
}
