//! Visible text of documents: plain text, Markdown, HTML, mail, docx and PDF.
//!
//! In: the name of a document (its extension names the format) and its bytes. Out: the text a
//! reader sees, or [`Unreadable`] with the reason. A document that cannot be read is never an
//! empty text, so that no quote is called missing from a document nobody looked at.
//! Every format is bounded by [`Limits`]: sizes, pages, nesting and time.

mod docx;
mod html;
mod layout;
mod mail;
mod pdf;
mod poppler;

use std::fmt;
use std::time::{Duration, Instant};

/// How a PDF is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extractor {
    /// `pdftotext` when it is installed, else the built-in reader.
    Auto,
    /// The built-in reader only, so that every machine gives the same text.
    Stdlib,
}

impl Extractor {
    /// The choice with this name, as typed after `--extractor`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "stdlib" => Some(Self::Stdlib),
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
    /// Most bytes of drawing instructions on one PDF page.
    pub page_bytes: usize,
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
            page_bytes: 16 << 20,
            pages: 20_000,
            depth: 2_000,
            time: Duration::from_secs(60),
        }
    }
}

/// The text of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtractedText {
    /// The text; pages end with a form feed, paragraphs and table cells with white space.
    pub text: String,
    /// Number of pages, for formats that have pages.
    pub pages: Option<usize>,
}

impl ExtractedText {
    /// The text of a format without pages.
    fn without_pages(text: String) -> Self {
        Self { text, pages: None }
    }

    /// Other readings of a paged document: running heads and page numbers dropped, so that a
    /// sentence runs on over the page end, and words divided at a line end joined, with and
    /// without their hyphen. Empty for formats without pages.
    pub fn readings(&self) -> Vec<String> {
        if self.pages.is_none() {
            return Vec::new();
        }
        let mut out = Vec::new();
        let bare = layout::without_running_heads(&self.text);
        for text in [self.text.as_str(), bare.as_str()] {
            for reading in [
                text.to_owned(),
                layout::join_divided(text, false),
                layout::join_divided(text, true),
            ] {
                if reading != self.text && !out.contains(&reading) {
                    out.push(reading);
                }
            }
        }
        out
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
    let extension = name
        .rsplit(['/', '\\'])
        .next()
        .and_then(|file| file.rsplit_once('.'))
        .map_or(String::new(), |(_, extension)| {
            extension.to_ascii_lowercase()
        });
    let deadline = Deadline::start(limits);
    match extension.as_str() {
        "txt" | "text" | "md" | "markdown" => plain(bytes).map(ExtractedText::without_pages),
        "html" | "htm" | "xhtml" => html::visible_text(&html::decode(bytes), limits, deadline)
            .map(ExtractedText::without_pages),
        "eml" => mail::text(bytes, limits, deadline).map(ExtractedText::without_pages),
        "docx" | "docm" => docx::text(bytes, limits, deadline).map(ExtractedText::without_pages),
        "pdf" => pdf_text(bytes, extractor, limits),
        "" => Err(Unreadable::new(
            "file name has no extension that names a format",
        )),
        other => Err(Unreadable::new(format!(
            "format `{}` is not read (txt, md, html, eml, docx, pdf are)",
            crate::finding::excerpt(other)
        ))),
    }
}

fn pdf_text(
    bytes: &[u8],
    extractor: Extractor,
    limits: &Limits,
) -> Result<ExtractedText, Unreadable> {
    let read = match extractor {
        Extractor::Auto => match poppler::text(bytes, limits) {
            Some(result) => result,
            None => pdf::text(bytes, limits),
        },
        Extractor::Stdlib => pdf::text(bytes, limits),
    }?;
    if read.text.chars().all(char::is_whitespace) {
        return Err(Unreadable::new(
            "the PDF has no text layer (a scan needs OCR first)",
        ));
    }
    Ok(read)
}

/// UTF-8 text, without a byte-order mark.
fn plain(bytes: &[u8]) -> Result<String, Unreadable> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()),
        Err(error) => Err(Unreadable::new(format!(
            "text is not UTF-8 (invalid byte at offset {})",
            error.valid_up_to()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_loses_only_its_byte_order_mark() {
        let read = extract("a/b.TXT", "\u{feff}one\r\ntwo".as_bytes(), Extractor::Auto).unwrap();
        assert_eq!(
            read,
            ExtractedText {
                text: "one\r\ntwo".into(),
                pages: None
            }
        );
    }

    #[test]
    fn invalid_utf8_is_unreadable() {
        let error = extract("a.md", b"ab\xff", Extractor::Auto).unwrap_err();
        assert_eq!(error.reason, "text is not UTF-8 (invalid byte at offset 2)");
    }

    #[test]
    fn unknown_formats_are_unreadable() {
        for (name, want) in [
            (
                "a.xlsx",
                "format `xlsx` is not read (txt, md, html, eml, docx, pdf are)",
            ),
            ("a", "file name has no extension that names a format"),
            ("a.b/c", "file name has no extension that names a format"),
        ] {
            assert_eq!(
                extract(name, b"", Extractor::Auto).unwrap_err().reason,
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
        let error = extract_within("a.txt", b"abcd", Extractor::Auto, &limits).unwrap_err();
        assert_eq!(
            error.reason,
            "file has 4 bytes, more than the 3 that are read"
        );
    }
}
