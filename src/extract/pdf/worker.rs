//! The child process that reads PDF files with pdfium.
//!
//! In, on standard input, one after the other: a line of JSON (`Request`), then the bytes of the
//! document. Out, on standard output: a line of JSON that names the reader (`Greeting`), then one
//! for each document (`Response`). Memory is bounded by the system; time by the parent, which ends
//! the process. A crash of the library ends this process and nothing else.

use super::layout::{self, Line};
use super::{asides, glyphs};
use crate::extract::ExtractedText;
use crate::position::Span;
use pdfium_render::prelude::{PdfDocument, PdfPage, Pdfium, PdfiumError, PdfiumInternalError};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;

/// Most memory of the process that it writes to, in bytes.
pub(super) const MAX_MEMORY_BYTES: u64 = 500 << 20;
/// Most address space of the process, in bytes: allocators reserve more than they use.
#[cfg(target_os = "linux")]
const MAX_ADDRESS_BYTES: u64 = 4 << 30;
/// A page of which more than this part of the characters are unknown is not read.
const MOST_UNMAPPED: f32 = 0.3;

/// First line of a worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Greeting {
    /// Name and version of the reader.
    Reader(String),
    /// Why there is none.
    Failed(String),
}

/// What the parent asks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// Bytes of the document, which follow.
    pub(super) len_bytes: usize,
    /// Most pages.
    pub(super) max_pages: usize,
    /// Most bytes of text.
    pub(super) max_text_bytes: usize,
}

/// What became of a document.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Response {
    /// Its text.
    Read(ExtractedText),
    /// Why there is none.
    Unreadable(String),
}

/// Reads documents from standard input until it ends; `library_folder` holds pdfium and its version.
///
/// # Errors
/// Those of the standard streams.
pub fn run(library_folder: &Path) -> io::Result<()> {
    limit_memory();
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let library = Pdfium::pdfium_platform_library_name_at_path(library_folder);
    let bound = Pdfium::bind_to_library(&library).map(Pdfium::new);
    let pdfium = match bound {
        Ok(pdfium) => pdfium,
        Err(error) => {
            let why = format!("cannot load {}: {error:?}", library.display());
            return write_line(&mut output, &Greeting::Failed(why));
        }
    };
    let reader = format!("pdfium {}", version(library_folder));
    write_line(&mut output, &Greeting::Reader(reader.clone()))?;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let request: Request = serde_json::from_str(&line)?;
        let mut bytes = Vec::new();
        let wanted = u64::try_from(request.len_bytes).unwrap_or(u64::MAX);
        (&mut input).take(wanted).read_to_end(&mut bytes)?;
        let response = match read(&pdfium, &bytes, request, &reader) {
            Ok(read) => Response::Read(read),
            Err(reason) => Response::Unreadable(reason),
        };
        write_line(&mut output, &response)?;
    }
}

fn write_line(output: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    output.write_all(b"\n")?;
    output.flush()
}

#[cfg(target_os = "linux")]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    for (resource, most) in [
        (Resource::Data, MAX_MEMORY_BYTES),
        (Resource::As, MAX_ADDRESS_BYTES),
    ] {
        let own = getrlimit(resource);
        let current = own.current.map_or(most, |own| own.min(most));
        // Without the limit the parent's other bounds still hold.
        let _ = setrlimit(
            resource,
            Rlimit {
                current: Some(current),
                maximum: own.maximum,
            },
        );
    }
    // A crash leaves no file behind.
    let _ = setrlimit(
        Resource::Core,
        Rlimit {
            current: Some(0),
            maximum: Some(0),
        },
    );
}

#[cfg(not(target_os = "linux"))]
fn limit_memory() {}

/// The version that stands beside the library.
fn version(folder: &Path) -> String {
    #[derive(Deserialize)]
    struct Version {
        major: u64,
        minor: u64,
        build: u64,
        patch: u64,
    }
    std::fs::read(folder.join("version.json"))
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Version>(&bytes).ok())
        .map_or_else(
            || "of unknown version".to_owned(),
            |version| {
                format!(
                    "{}.{}.{}.{}",
                    version.major, version.minor, version.build, version.patch
                )
            },
        )
}

fn read(
    pdfium: &Pdfium,
    bytes: &[u8],
    request: Request,
    reader: &str,
) -> Result<ExtractedText, String> {
    let document = pdfium
        .load_pdf_from_byte_slice(bytes, None)
        .map_err(|error| refusal(&error))?;
    let page_count = usize::try_from(document.pages().len()).unwrap_or(0);
    if page_count == 0 {
        return Err("the PDF has no pages".to_owned());
    }
    if page_count > request.max_pages {
        return Err(format!(
            "the PDF has {page_count} pages, more than the {} that are read",
            request.max_pages
        ));
    }
    let mut pages = Vec::with_capacity(page_count);
    let mut unread_pages = Vec::new();
    let mut hidden_count = 0;
    let mut len_bytes = 0;
    for (index, number) in (0..document.pages().len()).zip(1..) {
        let Ok(page) = page_of(&document, index) else {
            unread_pages.push(number);
            pages.push(Vec::new());
            continue;
        };
        let shown = glyphs::read(&page)
            .map_err(|error| format!("page {number} of the PDF is damaged: {error:?}"))?;
        let lines = layout::lines(&shown.glyphs);
        hidden_count += shown.hidden_count;
        let glyph_count = ratio(shown.glyphs.len());
        if lines.is_empty() && shown.shows_pictures
            || glyph_count > 0.0 && ratio(shown.unmapped_count) / glyph_count > MOST_UNMAPPED
        {
            unread_pages.push(number);
        }
        len_bytes += lines
            .iter()
            .map(|line| line.text().len() + 1)
            .sum::<usize>();
        if len_bytes > request.max_text_bytes {
            return Err(format!(
                "text is longer than the {} bytes that are read",
                request.max_text_bytes
            ));
        }
        pages.push(lines);
    }
    let mut out = ExtractedText {
        pages: Some(page_count),
        reader: reader.to_owned(),
        unread_pages,
        hidden_count,
        is_spaced_by_place: true,
        ..ExtractedText::default()
    };
    write_pages(&pages, &mut out);
    Ok(out)
}

fn ratio(count: usize) -> f32 {
    f32::from(u16::try_from(count.min(65_535)).unwrap_or(u16::MAX))
}

fn page_of<'d>(document: &'d PdfDocument<'_>, index: i32) -> Result<PdfPage<'d>, PdfiumError> {
    let mut page = document.pages().get(index)?;
    if glyphs::has_own_text(&page) {
        // What cannot be drawn into the page stays unread, as before.
        let _ = page.flatten();
    }
    Ok(page)
}

fn refusal(error: &PdfiumError) -> String {
    let PdfiumError::PdfiumLibraryInternalError(why) = error else {
        return format!("the PDF is damaged: {error:?}");
    };
    match why {
        PdfiumInternalError::PasswordError => "the PDF is encrypted and needs a password",
        PdfiumInternalError::SecurityError => "the PDF is encrypted in a way that is not known",
        PdfiumInternalError::FileError
        | PdfiumInternalError::FormatError
        | PdfiumInternalError::PageError
        | PdfiumInternalError::Unknown => "the PDF is damaged",
    }
    .to_owned()
}

/// The text of all pages, each ended by a form feed, and where it is not running text.
fn write_pages(pages: &[Vec<Line>], out: &mut ExtractedText) {
    for (lines, beside) in pages.iter().zip(asides::find(pages)) {
        for (line, is_beside) in lines.iter().zip(beside) {
            let byte_start = out.text.len();
            out.text.push_str(&line.text());
            out.text.push('\n');
            if is_beside {
                let byte_end = out.text.len();
                match out.asides.last_mut() {
                    Some(last) if last.byte_end == byte_start => last.byte_end = byte_end,
                    Some(_) | None => out.asides.push(Span {
                        byte_start,
                        byte_end,
                    }),
                }
            }
        }
        out.text.push('\u{c}');
    }
}
