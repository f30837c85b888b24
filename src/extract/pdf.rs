//! Text of a PDF with the built-in reader.
//!
//! In: the bytes of a PDF. Out: the text of every page in reading order, each ended by a form
//! feed, ligatures written out. The reading library may panic or run long on hostile files, so it
//! works on a thread of its own whose failure is a reason like any other; what it would unpack,
//! repeat or nest without end is measured and refused before.

use super::layout::{Run, page_text};
use super::{Deadline, ExtractedText, Limits, Unreadable};
use memchr::memmem;
use pdf_extract::{
    Dictionary, Document, MediaBox, Object, ObjectId, OutputDev, OutputError, Transform, output_doc,
};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Once;
use std::sync::mpsc::{self, RecvTimeoutError};

const THREAD: &str = "gatewright-pdf";
/// Nested form drawings need stack in proportion to [`MAX_FORM_DEPTH`].
const STACK_BYTES: usize = 64 << 20;
/// Deepest nesting of form drawings; real files stay under ten.
const MAX_FORM_DEPTH: usize = 24;
/// Most form drawings on one page.
const MAX_FORM_USES: usize = 20_000;
/// Longest chain of page tree nodes above a page.
const MAX_TREE_DEPTH: usize = 200;
/// A gap wider than this many font sizes ends a run.
const RUN_GAP: f64 = 1.0;
/// A gap wider than this part of the font size is a space.
const SPACE_GAP: f64 = 0.15;

/// The text of all pages.
pub(super) fn text(bytes: &[u8], limits: &Limits) -> Result<ExtractedText, Unreadable> {
    if memmem::find(
        bytes.get(..bytes.len().min(1024)).unwrap_or_default(),
        b"%PDF-",
    )
    .is_none()
    {
        return Err(Unreadable::new("not a PDF (no %PDF- header)"));
    }
    let deadline = Deadline::start(limits);
    if is_encrypted(bytes) {
        return Err(encrypted());
    }
    measure_streams(bytes, limits, deadline)?;
    quiet_reader_panics();
    let (sender, receiver) = mpsc::channel();
    let (copy, bounds) = (bytes.to_vec(), *limits);
    let spawned = std::thread::Builder::new()
        .name(THREAD.into())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            // Nobody waits any more once the time is up.
            let _ = sender.send(read(&copy, &bounds, deadline));
        });
    if let Err(error) = spawned {
        return Err(Unreadable::new(format!(
            "no thread for the PDF reader: {error}"
        )));
    }
    match receiver.recv_timeout(limits.time) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => Err(deadline.exceeded()),
        Err(RecvTimeoutError::Disconnected) => Err(Unreadable::new(
            "the PDF is damaged or of a kind that the built-in reader does not know",
        )),
    }
}

fn encrypted() -> Unreadable {
    Unreadable::new("the PDF is encrypted")
}

/// Keeps the report of a panic on the reader's thread, which is an expected answer to a damaged
/// file, off the standard error stream. Other threads report as before.
fn quiet_reader_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if std::thread::current().name() != Some(THREAD) {
                report(panic);
            }
        }));
    });
}

/// An `/Encrypt` entry with a reference or dictionary, as a trailer holds it.
fn is_encrypted(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"/Encrypt").any(|at| {
        let rest = bytes.get(at + b"/Encrypt".len()..).unwrap_or_default();
        let value = rest
            .iter()
            .copied()
            .find(|byte| !byte.is_ascii_whitespace());
        matches!(value, Some(b'0'..=b'9' | b'<'))
    })
}

/// Refuses a file in which a stream unpacks to more than the limit, before the library, which
/// unpacks whole streams, sees it.
fn measure_streams(bytes: &[u8], limits: &Limits, deadline: Deadline) -> Result<(), Unreadable> {
    let mut object_stream_bytes = 0;
    let mut covered = 0;
    for at in memmem::find_iter(bytes, b"stream") {
        let head = bytes
            .get(at.saturating_sub(2048).max(covered)..at)
            .unwrap_or_default();
        if at < covered || head.ends_with(b"end") {
            continue;
        }
        deadline.check()?;
        let head = memmem::rfind(head, b"obj")
            .and_then(|from| head.get(from..))
            .unwrap_or(head);
        let data = bytes.get(at + b"stream".len()..).unwrap_or_default();
        let data = data.strip_prefix(b"\r").unwrap_or(data);
        let data = data.strip_prefix(b"\n").unwrap_or(data);
        let data = memmem::find(data, b"endstream")
            .and_then(|end| data.get(..end))
            .unwrap_or(data);
        let unpacked = unpacked_bytes(data, head, limits.unpacked_bytes)?;
        if memmem::find(head, b"/ObjStm").is_some() {
            object_stream_bytes += unpacked;
        }
        if unpacked > limits.unpacked_bytes || object_stream_bytes > limits.unpacked_bytes {
            return Err(too_large(limits));
        }
        covered = at + b"stream".len();
    }
    Ok(())
}

fn too_large(limits: &Limits) -> Unreadable {
    Unreadable::new(format!(
        "a stream of the PDF unpacks to more than the {} bytes that are read",
        limits.unpacked_bytes
    ))
}

/// Size of a stream after its filters, or a little more than `most`.
fn unpacked_bytes(data: &[u8], dictionary: &[u8], most: usize) -> Result<usize, Unreadable> {
    let uses = |name: &[u8]| memmem::find_iter(dictionary, name).count();
    let packings = uses(b"FlateDecode") + uses(b"LZWDecode") + uses(b"RunLengthDecode");
    if packings > 1 {
        return Err(Unreadable::new(
            "a stream of the PDF is packed more than once",
        ));
    }
    let unwrapped = if uses(b"ASCII85Decode") > 0 {
        ascii85(data)
    } else if uses(b"ASCIIHexDecode") > 0 {
        hexadecimal(data)
    } else {
        Vec::new()
    };
    let data = if unwrapped.is_empty() {
        data
    } else {
        &unwrapped
    };
    if uses(b"LZWDecode") > 0 {
        return Ok(lzw_bytes(data, most));
    }
    if uses(b"RunLengthDecode") > 0 {
        return Ok(data.len().saturating_mul(64));
    }
    // Also without a named filter, which may stand in another object.
    if data.first().is_some_and(|byte| byte & 0x0f == 8) {
        let mut left = most.saturating_add(1);
        let mut decoder = flate2::read::ZlibDecoder::new(data);
        let mut buffer = vec![0; 65_536];
        while left > 0 {
            match decoder.read(&mut buffer) {
                // A damaged end is the library's to judge.
                Ok(0) | Err(_) => break,
                Ok(count) => left = left.saturating_sub(count),
            }
        }
        return Ok(most.saturating_add(1) - left);
    }
    Ok(data.len())
}

fn lzw_bytes(mut data: &[u8], most: usize) -> usize {
    let mut decoder = weezl::decode::Decoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8);
    let mut buffer = vec![0; 65_536];
    let mut total = 0;
    while total <= most {
        let step = decoder.decode_bytes(data, &mut buffer);
        total += step.consumed_out;
        data = data.get(step.consumed_in..).unwrap_or_default();
        if !matches!(step.status, Ok(weezl::LzwStatus::Ok)) {
            break;
        }
    }
    total
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let (mut group, mut count) = (0_u64, 0_usize);
    for byte in data
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
    {
        match byte {
            b'z' if count == 0 => out.extend([0; 4]),
            b'!'..=b'u' => {
                group = group * 85 + u64::from(byte - b'!');
                count += 1;
                if count == 5 {
                    out.extend(group.to_be_bytes().get(4..).unwrap_or_default());
                    (group, count) = (0, 0);
                }
            }
            _ => break,
        }
    }
    if count > 1 {
        for _ in count..5 {
            group = group * 85 + 84;
        }
        out.extend(group.to_be_bytes().get(4..3 + count).unwrap_or_default());
    }
    out
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = data
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter_map(|byte| char::from(*byte).to_digit(16))
        .filter_map(|digit| u8::try_from(digit).ok())
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte * 16 + digit))
        .collect()
}

/// Loads, measures and reads the document; runs on the reader's thread.
fn read(bytes: &[u8], limits: &Limits, deadline: Deadline) -> Result<ExtractedText, Unreadable> {
    let document = Document::load_mem(bytes)
        .map_err(|error| Unreadable::new(format!("the PDF is damaged: {error}")))?;
    if document.is_encrypted() || document.was_encrypted() {
        return Err(encrypted());
    }
    let pages = document.get_pages();
    if pages.is_empty() {
        return Err(Unreadable::new("the PDF has no pages"));
    }
    if pages.len() > limits.pages {
        return Err(Unreadable::new(format!(
            "the PDF has {} pages, more than the {} that are read",
            pages.len(),
            limits.pages
        )));
    }
    let mut drawings = Drawings {
        document: &document,
        limits,
        sizes: BTreeMap::new(),
        forms: BTreeMap::new(),
    };
    for (number, id) in &pages {
        deadline.check()?;
        drawings.check_page(*number, *id)?;
    }
    let mut device = TextDevice {
        page: 0,
        runs: BTreeMap::new(),
        current: None,
        text: String::new(),
        limit: limits.unpacked_bytes,
        placed_bytes: 0,
        deadline,
        stopped: None,
    };
    if let Err(error) = output_doc(&document, &mut device) {
        return Err(device.stopped.unwrap_or_else(|| {
            Unreadable::new(format!(
                "page {} of the PDF is damaged: {error}",
                device.page
            ))
        }));
    }
    Ok(ExtractedText {
        text: device.text,
        pages: Some(pages.len()),
    })
}

/// The dictionary under `key`, itself or by reference.
fn dictionary<'d>(
    document: &'d Document,
    of: &'d Dictionary,
    key: &[u8],
) -> Option<&'d Dictionary> {
    document
        .dereference(of.get(key).ok()?)
        .ok()?
        .1
        .as_dict()
        .ok()
}

/// Sizes and nesting of what pages draw, measured before anything is drawn.
struct Drawings<'a> {
    document: &'a Document,
    limits: &'a Limits,
    sizes: BTreeMap<ObjectId, usize>,
    /// Uses and depth of a form drawing, itself included; `None` while it is being measured.
    forms: BTreeMap<ObjectId, Option<(usize, usize)>>,
}

impl Drawings<'_> {
    fn check_page(&mut self, number: u32, id: ObjectId) -> Result<(), Unreadable> {
        let document = self.document;
        let page = document.get_dictionary(id).map_err(|error| {
            Unreadable::new(format!("page {number} of the PDF is damaged: {error}"))
        })?;
        let mut resources = None;
        let mut node = page;
        for depth in 0.. {
            if depth > MAX_TREE_DEPTH {
                return Err(Unreadable::new(format!(
                    "page {number} of the PDF stands in an endless page tree"
                )));
            }
            resources = resources.or_else(|| dictionary(document, node, b"Resources"));
            match node
                .get(b"Parent")
                .and_then(Object::as_reference)
                .and_then(|up| document.get_dictionary(up))
            {
                Ok(parent) => node = parent,
                Err(_) => break,
            }
        }
        let mut bytes = 0_usize;
        let mut content = Vec::new();
        for stream in self.document.get_page_contents(id) {
            bytes = bytes.saturating_add(self.size(stream));
            if bytes > self.limits.page_bytes {
                return Err(Unreadable::new(format!(
                    "page {number} of the PDF has more than the {} bytes of drawing that are read",
                    self.limits.page_bytes
                )));
            }
            content.extend(self.content(stream));
            content.push(b'\n');
        }
        let (uses, _) = self.uses_in(&content, resources, 0)?;
        if uses > MAX_FORM_USES {
            return Err(too_many_forms());
        }
        Ok(())
    }

    fn content(&self, id: ObjectId) -> Vec<u8> {
        let Ok(stream) = self.document.get_object(id).and_then(Object::as_stream) else {
            return Vec::new();
        };
        stream
            .decompressed_content()
            .unwrap_or_else(|_| stream.content.clone())
    }

    fn size(&mut self, id: ObjectId) -> usize {
        if let Some(size) = self.sizes.get(&id) {
            return *size;
        }
        let size = self.content(id).len();
        self.sizes.insert(id, size);
        size
    }

    /// Form drawings used by `content`, repeated uses counted, and how deep they nest.
    fn uses_in(
        &mut self,
        content: &[u8],
        resources: Option<&Dictionary>,
        depth: usize,
    ) -> Result<(usize, usize), Unreadable> {
        let (mut uses, mut deepest) = (0_usize, depth);
        let Some(resources) = resources else {
            return Ok((uses, deepest));
        };
        let document = self.document;
        let Some(objects) = dictionary(document, resources, b"XObject") else {
            return Ok((uses, deepest));
        };
        for name in drawn_names(content) {
            let Ok(id) = objects.get(&name).and_then(Object::as_reference) else {
                continue;
            };
            let (inner_uses, inner_depth) = self.form(id, resources, depth)?;
            uses = uses.saturating_add(inner_uses);
            deepest = deepest.max(inner_depth);
        }
        Ok((uses, deepest))
    }

    fn form(
        &mut self,
        id: ObjectId,
        inherited: &Dictionary,
        depth: usize,
    ) -> Result<(usize, usize), Unreadable> {
        match self.forms.get(&id) {
            Some(Some((uses, height))) if depth + height <= MAX_FORM_DEPTH => {
                return Ok((*uses, depth + height));
            }
            None if depth < MAX_FORM_DEPTH => {}
            Some(_) | None => {
                return Err(Unreadable::new(
                    "drawings of the PDF contain themselves, or nest too deeply",
                ));
            }
        }
        let document = self.document;
        let Ok(stream) = document.get_object(id).and_then(Object::as_stream) else {
            return Ok((0, depth));
        };
        if self.size(id) > self.limits.page_bytes
            && stream
                .dict
                .get(b"Subtype")
                .and_then(Object::as_name)
                .is_ok_and(|kind| kind == b"Form")
        {
            return Err(Unreadable::new(format!(
                "a drawing of the PDF has more than the {} bytes that are read",
                self.limits.page_bytes
            )));
        }
        self.forms.insert(id, None);
        let content = self.content(id);
        let resources = dictionary(document, &stream.dict, b"Resources").unwrap_or(inherited);
        let (uses, deepest) = self.uses_in(&content, Some(resources), depth + 1)?;
        let uses = uses.saturating_add(1);
        if uses > MAX_FORM_USES {
            return Err(too_many_forms());
        }
        self.forms.insert(id, Some((uses, deepest - depth)));
        Ok((uses, deepest))
    }
}

fn too_many_forms() -> Unreadable {
    Unreadable::new(format!(
        "a page of the PDF repeats drawings more than {MAX_FORM_USES} times"
    ))
}

/// Names before a `Do` operator, in order, with `#` escapes resolved.
fn drawn_names(content: &[u8]) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    for at in memmem::find_iter(content, b"Do") {
        let before = content.get(..at).unwrap_or_default();
        // The name may be far back behind white space or a comment; the nearest slash begins it.
        let Some(slash) = memchr::memrchr(b'/', before) else {
            continue;
        };
        let name: Vec<u8> = before
            .get(slash + 1..)
            .unwrap_or_default()
            .iter()
            .copied()
            .take_while(|byte| !byte.is_ascii_whitespace() && !b"()<>[]{}/%\0".contains(byte))
            .collect();
        let mut plain = Vec::new();
        let mut rest = name.as_slice();
        while let [first, tail @ ..] = rest {
            rest = tail;
            match (first, tail) {
                (b'#', [high, low, after @ ..]) => {
                    plain.extend(hexadecimal(&[*high, *low]));
                    rest = after;
                }
                _ => plain.push(*first),
            }
        }
        names.push(plain);
    }
    names
}

/// Collects placed characters and turns each page into lines.
struct TextDevice {
    page: u32,
    /// Runs by direction of writing (quarter turns), so that turned pages read like others.
    runs: BTreeMap<u8, Vec<Run>>,
    current: Option<(u8, Run)>,
    text: String,
    limit: usize,
    placed_bytes: usize,
    deadline: Deadline,
    stopped: Option<Unreadable>,
}

impl TextDevice {
    fn stop(&mut self, why: Unreadable) -> OutputError {
        self.stopped = Some(why);
        OutputError::FormatError(std::fmt::Error)
    }

    fn end_run(&mut self) {
        let Some((turn, run)) = self.current.take() else {
            return;
        };
        if run.text.trim().is_empty() {
            return;
        }
        let runs = self.runs.entry(turn).or_default();
        // Bold is at times made by writing the same text twice, a hair apart.
        let repeats = runs.last().is_some_and(|last| {
            last.text == run.text
                && (last.x_start - run.x_start).abs() < 0.3 * run.size
                && (last.y - run.y).abs() < 0.3 * run.size
        });
        if !repeats {
            runs.push(run);
        }
    }
}

impl OutputDev for TextDevice {
    fn begin_page(
        &mut self,
        number: u32,
        _: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        self.page = number;
        self.placed_bytes = 0;
        self.deadline.check().map_err(|why| self.stop(why))
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        self.end_run();
        for runs in std::mem::take(&mut self.runs).into_values() {
            self.text.push_str(&page_text(runs));
        }
        self.text.push('\u{c}');
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _: f64,
        font_size: f64,
        shown: &str,
    ) -> Result<(), OutputError> {
        self.placed_bytes += shown.len();
        if self.text.len() + self.placed_bytes > self.limit {
            let why = format!("text is longer than the {} bytes that are read", self.limit);
            return Err(self.stop(Unreadable::new(why)));
        }
        let (turn, x, y) = if place.m11.abs() >= place.m12.abs() {
            if place.m11 >= 0.0 {
                (0, place.m31, place.m32)
            } else {
                (2, -place.m31, -place.m32)
            }
        } else if place.m12 > 0.0 {
            (1, place.m32, -place.m31)
        } else {
            (3, -place.m32, place.m31)
        };
        let size = (place.m11 * place.m22 - place.m12 * place.m21).abs().sqrt() * font_size.abs();
        let x_end = x + width * font_size.abs() * place.m11.hypot(place.m12);
        let blank = shown.chars().all(char::is_whitespace);
        let shown = without_ligatures(shown);
        if let Some((last_turn, run)) = &mut self.current {
            let gap = x - run.x_end;
            let same_line = *last_turn == turn && (run.y - y).abs() < 0.2 * size.max(run.size);
            if same_line && gap > -0.5 * size && gap < RUN_GAP * size.max(run.size) {
                if (blank || gap > SPACE_GAP * size) && !run.text.ends_with(' ') {
                    run.text.push(' ');
                }
                if !blank {
                    run.text.push_str(&shown);
                    // A blank leaves the end where it is, so that a row of them is a wide gap.
                    run.x_end = x_end.max(run.x_end);
                } else if gap < 0.5 * size {
                    run.x_end = x_end.max(run.x_end).min(run.x_end + 0.5 * size);
                }
                return Ok(());
            }
        }
        self.end_run();
        if self.placed_bytes.is_multiple_of(1024) {
            self.deadline.check().map_err(|why| self.stop(why))?;
        }
        if !blank {
            self.current = Some((
                turn,
                Run {
                    x_start: x,
                    x_end,
                    y,
                    size,
                    text: shown,
                },
            ));
        }
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        self.deadline.check().map_err(|why| self.stop(why))
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}

/// Latin ligatures written out, as the author typed them.
pub(super) fn without_ligatures(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{fb00}' => out.push_str("ff"),
            '\u{fb01}' => out.push_str("fi"),
            '\u{fb02}' => out.push_str("fl"),
            '\u{fb03}' => out.push_str("ffi"),
            '\u{fb04}' => out.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => out.push_str("st"),
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Extractor, extract, extract_within};
    use super::*;
    use std::fmt::Write as _;
    use std::io::Write as _;
    use std::time::Duration;

    /// A PDF with these objects from number 1 on; object 1 is the catalog.
    fn file(objects: &[Vec<u8>]) -> Vec<u8> {
        let mut out = b"%PDF-1.5\n".to_vec();
        let mut places = Vec::new();
        for (index, object) in objects.iter().enumerate() {
            places.push(out.len());
            out.extend(format!("{} 0 obj\n", index + 1).bytes());
            out.extend(object);
            out.extend(b"\nendobj\n");
        }
        let start = out.len();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
        for place in places {
            writeln!(table, "{place:010} 00000 n ").unwrap();
        }
        writeln!(
            table,
            "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF",
            objects.len() + 1
        )
        .unwrap();
        out.extend(table.bytes());
        out
    }

    fn stream(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let mut out = format!("<< {dictionary} /Length {} >>\nstream\n", data.len()).into_bytes();
        out.extend(data);
        out.extend(b"\nendstream");
        out
    }

    fn packed(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    /// Catalog, page tree, font with the fi ligature as code 1, then a page and content for each.
    fn pages(contents: &[&str]) -> Vec<u8> {
        let kids: Vec<String> = (0..contents.len())
            .map(|n| format!("{} 0 R ", 4 + 2 * n))
            .collect();
        let kids = kids.concat();
        let mut objects = vec![
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            format!(
                "<< /Type /Pages /Kids [{kids}] /Count {} /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> >>",
                contents.len()
            )
            .into_bytes(),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /fi] >> >>".to_vec(),
        ];
        for (index, content) in contents.iter().enumerate() {
            objects.push(
                format!(
                    "<< /Type /Page /Parent 2 0 R /Contents {} 0 R >>",
                    5 + 2 * index
                )
                .into_bytes(),
            );
            objects.push(stream("/Filter /FlateDecode", &packed(content.as_bytes())));
        }
        file(&objects)
    }

    fn shown(x: u32, y: u32, text: &str) -> String {
        format!("BT /F1 10 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")
    }

    fn read_text(bytes: &[u8]) -> Result<ExtractedText, Unreadable> {
        extract("a.pdf", bytes, Extractor::Stdlib)
    }

    #[test]
    fn pages_ligatures_and_divided_words() {
        let first = shown(72, 700, "The parties de\\001ne this agree-")
            + &shown(72, 688, "ment as final and")
            + &shown(300, 40, "1");
        let second = shown(72, 700, "binding on both.") + &shown(300, 40, "2");
        let read = read_text(&pages(&[&first, &second])).unwrap();
        assert_eq!(read.pages, Some(2));
        assert_eq!(
            read.text,
            "The parties define this agree-\nment as final and\n1\n\u{c}binding on both.\n2\n\u{c}"
        );
        let readings = read.readings();
        assert!(
            readings
                .iter()
                .any(|text| text.contains("this agreement as final and\nbinding on both.")),
            "{readings:?}"
        );
        assert!(
            readings
                .iter()
                .any(|text| text.contains("agree-ment as final")),
            "{readings:?}"
        );
    }

    #[test]
    fn two_columns_written_line_by_line() {
        let mut content = String::new();
        for (index, (left, right)) in [
            (
                "Neither party may assign this",
                "Notices are sent in writing and",
            ),
            (
                "agreement without the prior",
                "take effect on the day on which",
            ),
            (
                "written consent of the other.",
                "they are received by the other.",
            ),
        ]
        .into_iter()
        .enumerate()
        {
            let y = 700 - 12 * u32::try_from(index).unwrap();
            content += &shown(72, y, left);
            content += &shown(320, y, right);
        }
        assert_eq!(
            read_text(&pages(&[&content])).unwrap().text,
            "Neither party may assign this\nagreement without the prior\nwritten consent of the other.\n\
             Notices are sent in writing and\ntake effect on the day on which\nthey are received by the other.\n\u{c}"
        );
    }

    #[test]
    fn turned_pages_read_like_others() {
        let content = "BT /F1 10 Tf 0 1 -1 0 100 72 Tm (first line) Tj ET BT /F1 10 Tf 0 1 -1 0 112 72 Tm (second line) Tj ET";
        assert_eq!(
            read_text(&pages(&[content])).unwrap().text,
            "first line\nsecond line\n\u{c}"
        );
    }

    #[test]
    fn kerned_text_has_spaces_where_gaps_are() {
        let content = "BT /F1 10 Tf 72 700 Td [(Te) 60 (rm) -300 (and) -20 (s)] TJ ET";
        assert_eq!(
            read_text(&pages(&[content])).unwrap().text,
            "Term ands\n\u{c}"
        );
    }

    #[test]
    fn unreadable_files_say_why() {
        let whole = pages(&[&shown(72, 700, "text")]);
        let text = String::from_utf8_lossy(&whole).into_owned();
        let encrypted = whole
            .iter()
            .copied()
            .chain(*b"\n<< /Encrypt 9 0 R >>")
            .collect::<Vec<u8>>();
        for (bytes, want) in [
            (b"no".to_vec(), "not a PDF (no %PDF- header)"),
            (b"%PDF-1.4\nnothing here".to_vec(), "the PDF is damaged: "),
            (encrypted, "the PDF is encrypted"),
            (
                pages(&["0 0 m"]),
                "the PDF has no text layer (a scan needs OCR first)",
            ),
            (pages(&[]), "the PDF has no pages"),
            (
                text.replace("/MediaBox [0 0 612 792]", "/MediaBax [0 0 612 792]")
                    .into_bytes(),
                "the PDF is damaged",
            ),
        ] {
            let error = read_text(&bytes).unwrap_err();
            assert!(error.reason.starts_with(want), "{error}, want {want}");
        }
    }

    #[test]
    fn bombs_are_measured_before_they_are_read() {
        let limits = Limits {
            unpacked_bytes: 1 << 20,
            ..Limits::default()
        };
        let bomb = packed(&vec![b' '; 4 << 20]);
        let bombs = [
            file(&[b"<< >>".to_vec(), stream("/Filter /FlateDecode", &bomb)]),
            file(&[
                b"<< >>".to_vec(),
                stream("/Filter [/ASCIIHexDecode /FlateDecode]", &{
                    let mut hex = String::new();
                    for byte in &bomb {
                        write!(hex, "{byte:02x}").unwrap();
                    }
                    hex.into_bytes()
                }),
            ]),
        ];
        for bytes in bombs {
            assert_eq!(
                extract_within("a.pdf", &bytes, Extractor::Stdlib, &limits)
                    .unwrap_err()
                    .reason,
                "a stream of the PDF unpacks to more than the 1048576 bytes that are read"
            );
        }
        let twice = file(&[
            b"<< >>".to_vec(),
            stream("/Filter [/FlateDecode /FlateDecode]", &packed(&bomb)),
        ]);
        assert_eq!(
            read_text(&twice).unwrap_err().reason,
            "a stream of the PDF is packed more than once"
        );
    }

    #[test]
    fn lzw_is_measured() {
        let data = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
            .encode(&vec![7; 300_000])
            .unwrap();
        assert_eq!(lzw_bytes(&data, 1 << 20), 300_000);
        assert!(lzw_bytes(&data, 1000) > 1000);
        assert_eq!(ascii85(b"87cURD]i,\"Ebo80~>"), b"Hello World!");
    }

    #[test]
    fn drawings_that_contain_themselves_are_refused() {
        let form = |inner: &str, resources: &str| {
            stream(
                &format!("/Type /XObject /Subtype /Form /BBox [0 0 9 9] {resources}"),
                inner.as_bytes(),
            )
        };
        let own = |name: &str, number: u32| {
            format!("/Resources << /XObject << /{name} {number} 0 R >> >>")
        };
        let start = |resources: &str| {
            vec![
                b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 9 9] >>".to_vec(),
                format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R {resources} >>").into_bytes(),
            ]
        };
        let mut cycle = start(&own("A", 5));
        cycle.push(stream("", b"/A Do"));
        cycle.push(form("/#41 Do", &own("A", 5)));
        assert_eq!(
            read_text(&file(&cycle)).unwrap_err().reason,
            "drawings of the PDF contain themselves, or nest too deeply"
        );
        let mut laughs = start(&own("A", 5));
        laughs.push(stream("", b"/A Do"));
        for number in 6..12 {
            laughs.push(form(&"/A Do ".repeat(10), &own("A", number)));
        }
        laughs.push(form("", ""));
        assert_eq!(
            read_text(&file(&laughs)).unwrap_err().reason,
            "a page of the PDF repeats drawings more than 20000 times"
        );
    }

    #[test]
    fn limits_of_pages_and_time_are_named() {
        let line = shown(72, 700, "text");
        let many = pages(&[line.as_str(); 12]);
        let limits = Limits {
            pages: 11,
            ..Limits::default()
        };
        assert_eq!(
            extract_within("a.pdf", &many, Extractor::Stdlib, &limits)
                .unwrap_err()
                .reason,
            "the PDF has 12 pages, more than the 11 that are read"
        );
        let limits = Limits {
            time: Duration::ZERO,
            ..Limits::default()
        };
        assert_eq!(
            extract_within("a.pdf", &many, Extractor::Stdlib, &limits)
                .unwrap_err()
                .reason,
            "reading takes longer than 0 seconds"
        );
    }

    #[test]
    fn ten_thousand_pages_are_read() {
        let line = shown(72, 700, "a page of text");
        let read = read_text(&pages(&vec![line.as_str(); 10_000])).unwrap();
        assert_eq!(read.text.matches("a page of text\n\u{c}").count(), 10_000);
    }
}
