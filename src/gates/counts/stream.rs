//! The ledger as a stream: findings judged while the file is read, in windows of a fixed size.
//!
//! In: bytes from a reader. Out: the findings in a [`Tally`], the head of the ledger. Whatever is out of
//! the ordinary (a syntax fault, bad UTF-8, a byte order mark, a root that is no object) stops with
//! [`Stop::Unusual`]; the caller then reads the whole file and gets the exact words or value.

use super::ids::Field;
use super::result::LedgerHead;
use super::tally::{CONFIRMED, FindingView, Passage, Receipt, Tally};
use crate::value::json::reader::Kind;
use crate::value::json::{RawText, Reader, SyntaxError};

use std::borrow::Cow;
use std::io::{self, Read};

/// Bytes asked for at once: large enough to hide the system calls, small enough for the caches.
const WINDOW_BYTES: usize = 1 << 18;

/// Why the stream ended before the end of the document.
#[derive(Debug)]
pub enum Stop {
    /// The document needs the exact way.
    Unusual,
    /// It could not be read.
    Io(io::Error),
    /// The caller asked to stop.
    Interrupted,
}

/// How far the reading of the document has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    Members,
    Findings,
    End,
}

/// What a pass over one window came to.
enum Pass {
    /// Everything up to the reader's place is done; more bytes are needed.
    More,
    /// The document is complete.
    Done,
}

/// Bytes read and not yet used up.
struct Window<'r> {
    source: &'r mut dyn Read,
    /// Grown and never shrunk, so that it is cleared only once.
    bytes: Vec<u8>,
    len_filled: usize,
    /// Bytes known to be UTF-8: whole characters.
    len_valid: usize,
    is_end: bool,
}

impl Window<'_> {
    fn text(&self) -> &[u8] {
        self.bytes.get(..self.len_valid).unwrap_or_default()
    }

    /// Drop `len_used` bytes and read until `len_wanted` more have come, or the end. Returns how many came.
    fn refill(&mut self, len_used: usize, len_wanted: usize) -> Result<usize, Stop> {
        let len_used = len_used.min(self.len_valid);
        self.bytes.copy_within(len_used..self.len_filled, 0);
        self.len_filled -= len_used;
        self.len_valid -= len_used;
        let len_before = self.len_filled;
        let wanted = len_before + len_wanted;
        if self.bytes.len() < wanted {
            self.bytes
                .try_reserve(wanted - self.bytes.len())
                .map_err(|_| Stop::Io(io::Error::from(io::ErrorKind::OutOfMemory)))?;
            self.bytes.resize(wanted, 0);
        }
        while let Some(room) = self.bytes.get_mut(self.len_filled..wanted)
            && !room.is_empty()
        {
            match self.source.read(room) {
                Ok(0) => {
                    self.is_end = true;
                    break;
                }
                Ok(len) => self.len_filled += len,
                Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
                Err(fault) => return Err(Stop::Io(fault)),
            }
        }
        let fresh = self
            .bytes
            .get(self.len_valid..self.len_filled)
            .unwrap_or_default();
        self.len_valid += match simdutf8::basic::from_utf8(fresh) {
            Ok(_) => fresh.len(),
            Err(_) => match std::str::from_utf8(fresh) {
                Ok(_) => fresh.len(),
                // A character cut by the end of the window; at the end of the file it is a fault.
                Err(fault) if fault.error_len().is_none() && !self.is_end => fault.valid_up_to(),
                Err(_) => return Err(Stop::Unusual),
            },
        };
        Ok(self.len_filled - len_before)
    }
}

/// Read a ledger and judge its findings.
///
/// `progress` hears of every window's bytes and says whether to go on.
///
/// # Errors
/// [`Stop`].
pub fn read_ledger(
    source: &mut dyn Read,
    tally: &mut Tally<'_, '_>,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<LedgerHead<'static>, Stop> {
    read_in_windows(source, tally, progress, WINDOW_BYTES)
}

fn read_in_windows(
    source: &mut dyn Read,
    tally: &mut Tally<'_, '_>,
    progress: &mut dyn FnMut(usize) -> bool,
    len_window: usize,
) -> Result<LedgerHead<'static>, Stop> {
    let mut ledger = Ledger {
        phase: Phase::Start,
        head: LedgerHead::default(),
        has_findings: false,
    };
    let mut window = Window {
        source,
        bytes: Vec::new(),
        len_filled: 0,
        len_valid: 0,
        is_end: false,
    };
    let mut state = Reader::new("");
    let mut len_used = 0;
    let mut len_wanted = len_window;
    loop {
        let len_read = window.refill(len_used, len_wanted)?;
        if !progress(len_read) {
            return Err(Stop::Interrupted);
        }
        let mut reader = state.rebase(window.text());
        let pass = ledger.pass(&mut reader, tally, window.is_end)?;
        len_used = reader.byte();
        match pass {
            Pass::Done if ledger.has_findings => return Ok(ledger.head),
            Pass::Done => return Err(Stop::Unusual),
            Pass::More if window.is_end => return Err(Stop::Unusual),
            Pass::More => {}
        }
        state = reader.rebase(b"");
        // A value longer than the window: look at twice as much next time.
        len_wanted = if len_used == 0 {
            window.len_filled.max(len_window)
        } else {
            len_window
        };
    }
}

struct Ledger {
    phase: Phase,
    head: LedgerHead<'static>,
    has_findings: bool,
}

impl Ledger {
    /// Go through the text as far as whole values reach. On return the reader stands where the
    /// next pass must begin.
    fn pass(
        &mut self,
        reader: &mut Reader<'_>,
        tally: &mut Tally<'_, '_>,
        is_end: bool,
    ) -> Result<Pass, Stop> {
        loop {
            let kind = reader.peek();
            if reader.is_at_end() && !is_end {
                return Ok(Pass::More);
            }
            // From here to the next turn everything is tried on a copy: a fault may only mean that
            // the window ends too early.
            let mut attempt = reader.clone();
            let step = match self.phase {
                Phase::Start if kind != Kind::Object => return Err(Stop::Unusual),
                Phase::Start => {
                    self.phase = Phase::Members;
                    attempt.begin_object().map_err(Cut::from)
                }
                Phase::Members => self.member(&mut attempt, tally, is_end),
                Phase::Findings => {
                    Self::findings(reader, &mut attempt, tally, is_end).map(|is_done| {
                        if is_done {
                            self.phase = Phase::Members;
                        }
                    })
                }
                // White space was skipped: something stands after the document.
                Phase::End if !reader.is_at_end() => return Err(Stop::Unusual),
                Phase::End => return Ok(Pass::Done),
            };
            match step {
                Ok(()) => *reader = attempt,
                Err(_) if is_end => return Err(Stop::Unusual),
                Err(_) => return Ok(Pass::More),
            }
        }
    }

    /// One member of the root; the start of the findings.
    fn member(
        &mut self,
        attempt: &mut Reader<'_>,
        tally: &mut Tally<'_, '_>,
        is_end: bool,
    ) -> Result<(), Cut> {
        let Some(key) = attempt.next_key()? else {
            self.phase = Phase::End;
            return Ok(());
        };
        let key = key.decode();
        if key == *"findings" {
            if attempt.peek() == Kind::Array {
                attempt.begin_array()?;
                // A repeated key: the last value counts.
                tally.restart();
                self.has_findings = true;
                self.phase = Phase::Findings;
                return Ok(());
            }
            // No list: whatever it is, the exact way deals with it.
            attempt.skip()?;
            whole(attempt, is_end)?;
            self.has_findings = false;
        } else if key == *"framework_version" {
            let value = attempt.value()?;
            whole(attempt, is_end)?;
            self.head.framework_version = Some(value.into_owned());
        } else if key == *"parked" {
            let value = attempt.value()?;
            whole(attempt, is_end)?;
            self.head.parked = Some(value.into_owned());
        } else {
            attempt.skip()?;
            whole(attempt, is_end)?;
        }
        Ok(())
    }

    /// Findings as far as they reach; whether the list has ended.
    fn findings<'t>(
        reader: &mut Reader<'t>,
        attempt: &mut Reader<'t>,
        tally: &mut Tally<'_, '_>,
        is_end: bool,
    ) -> Result<bool, Cut> {
        while attempt.next_item()? {
            let view = read_finding(attempt)?;
            whole(attempt, is_end)?;
            tally.judge(&view);
            reader.clone_from(attempt);
        }
        Ok(true)
    }
}

/// The window may end before the value does.
struct Cut;

impl From<SyntaxError> for Cut {
    fn from(_: SyntaxError) -> Self {
        Self
    }
}

/// A number at the very end of the window may go on after it.
fn whole(attempt: &Reader<'_>, is_end: bool) -> Result<(), Cut> {
    if attempt.is_at_end() && !is_end {
        Err(Cut)
    } else {
        Ok(())
    }
}

fn read_finding<'t>(reader: &mut Reader<'t>) -> Result<FindingView<'t>, SyntaxError> {
    let mut view = FindingView::default();
    if reader.peek() != Kind::Object {
        view.not_an_object = Some(reader.value()?.python_type());
        return Ok(view);
    }
    reader.begin_object()?;
    while let Some(key) = reader.next_key()? {
        let decoded;
        let name = if key.is_escaped {
            decoded = key.decode();
            decoded.as_bytes()
        } else {
            key.bytes
        };
        match name {
            b"finding_id" => view.finding_id = read_field(reader)?,
            b"doc_id" => view.doc_id = read_field(reader)?,
            b"unit_id" => view.unit_id = read_field(reader)?,
            b"lens_id" => view.lens_id = read_field(reader)?,
            b"issue_id" => view.issue_id = read_field(reader)?,
            b"status" => view.status = read_field(reader)?,
            b"quote" => view.quote = read_passage(reader)?,
            b"section" => view.section = read_passage(reader)?,
            b"quote_verification" => view.quote_verification = read_receipt(reader)?,
            b"verification" => view.verification = read_receipt(reader)?,
            _ => reader.skip()?,
        }
    }
    Ok(view)
}

fn read_field<'t>(reader: &mut Reader<'t>) -> Result<Field<'t>, SyntaxError> {
    Ok(match reader.peek() {
        Kind::String => Field::Text(reader.string()?.decode()),
        Kind::Object | Kind::Array | Kind::Scalar => Field::Other(Cow::Owned(reader.value()?)),
    })
}

/// Whether a text is blank, mostly told by its first character.
fn is_blank(raw: RawText<'_>) -> bool {
    match raw.bytes.first() {
        None => true,
        Some(first) if first.is_ascii_graphic() && *first != b'\\' => false,
        Some(_) => raw.decode().is_blank(),
    }
}

fn read_passage(reader: &mut Reader<'_>) -> Result<Passage, SyntaxError> {
    if reader.peek() != Kind::String {
        return Ok(Passage::of(Some(&reader.value()?)));
    }
    Ok(if is_blank(reader.string()?) {
        Passage::Blank
    } else {
        Passage::Filled
    })
}

fn read_receipt(reader: &mut Reader<'_>) -> Result<Receipt, SyntaxError> {
    if reader.peek() != Kind::Object {
        return Ok(Receipt::of(Some(&reader.value()?)));
    }
    let mut receipt = Receipt::Unconfirmed;
    reader.begin_object()?;
    while let Some(key) = reader.next_key()? {
        if key.decode() != *"status" {
            reader.skip()?;
            continue;
        }
        let is_confirmed = match reader.peek() {
            Kind::String => reader.string()?.decode() == *CONFIRMED,
            Kind::Object | Kind::Array | Kind::Scalar => {
                reader.skip()?;
                false
            }
        };
        receipt = if is_confirmed {
            Receipt::Confirmed
        } else {
            Receipt::Unconfirmed
        };
    }
    Ok(receipt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::counts::{Frame, Inputs, Reconciliation, Refusal, reconcile};
    use crate::value::json::parse;

    const MANIFEST: &str = r#"{"documents": [{"id": "a", "readability": "native"},
        {"id": "b\u00e9", "readability": "scanned"}, {"id": 7}], "counts": null}"#;
    const FRAMEWORK: &str = r#"{"framework_version": 12, "lenses": [{"lens_id": "l",
        "items": [{"issue_id": "i"}, {"issue_id": "j"}]}]}"#;
    const LEDGER: &str = r#" {"notes": [1, -2.5e3, {"k": "\"\\"}], "findings" : [
        {"finding_id": "i/a", "issue_id": "i", "lens_id": "l", "doc_id": "a", "unit_id": "a",
         "status": "present", "quote": "\u00a0x", "section": " 1", "quote_verification":
         {"status": "no", "status": "confirmed"}, "verification": {"x": [], "status": "confirmed"}},
        {"finding_id": "i/b\u00e9", "issue_id": "i", "l\u0065ns_id": "l", "doc_id": "bé",
         "unit_id": "bé", "status": "absent", "quote": 5} , {"finding_id": 1}, {"finding_id": true},
        {"doc_id": "a", "status": null, "more": {"deep": [[[{}]]]}}, {"doc_id": "a", "status": "absent"},
        {"finding_id": "q", "doc_id": "a", "status": "present", "quote": "\u2003", "unit_id": "z",
         "lens_id": "l", "issue_id": "j", "verification": null}
        ], "parked": [{"doc_id": "nope"}, {}], "framework_version": 12}  "#;

    fn with_frame<T>(work: impl FnOnce(Inputs<'_>, &Frame<'_>) -> T) -> T {
        let (manifest, framework) = (parse(MANIFEST).unwrap(), parse(FRAMEWORK).unwrap());
        let inputs = Inputs {
            manifest: &manifest,
            framework: &framework,
            families: None,
        };
        work(inputs, &Frame::new(inputs).unwrap())
    }

    fn shown(result: &Result<Reconciliation, Refusal>) -> String {
        format!("{result:?}")
    }

    fn streamed(frame: &Frame<'_>, text: &[u8], len_window: usize) -> Result<String, Stop> {
        let mut tally = Tally::new(frame);
        let head = read_in_windows(&mut &text[..], &mut tally, &mut |_| true, len_window)?;
        Ok(shown(&tally.finish(&head)))
    }

    #[test]
    fn windows_of_any_size_give_what_the_whole_document_gives() {
        // The odd unit 7 cannot be listed as missing; without it there is a result.
        let odd = LEDGER.replace("\"doc_id\": \"nope\"", "\"doc_id\": 7");
        for (text, is_result) in [(LEDGER, true), (&odd, false)] {
            let ledger = parse(text).unwrap();
            with_frame(|inputs, frame| {
                let whole = reconcile(inputs, &ledger);
                assert_eq!(whole.is_ok(), is_result);
                for len_window in 1..300 {
                    let got = streamed(frame, text.as_bytes(), len_window).unwrap();
                    assert_eq!(got, shown(&whole), "window of {len_window}");
                }
            });
        }
    }

    #[test]
    fn every_cut_and_every_odd_document_takes_the_exact_way() {
        with_frame(|_, frame| {
            for end in 0..LEDGER.trim_end().len() {
                let got = streamed(frame, &LEDGER.as_bytes()[..end], 64);
                assert!(matches!(got, Err(Stop::Unusual)), "cut at {end}");
            }
            for odd in [
                "",
                "[]",
                "\"findings\"",
                "\u{feff}{\"findings\": []}",
                "{}",
                "{\"findings\": {}}",
                "{\"findings\": []} ]",
                "{\"findings\": [],}",
            ] {
                let got = streamed(frame, odd.as_bytes(), 64);
                assert!(matches!(got, Err(Stop::Unusual)), "{odd}");
            }
        });
    }

    #[test]
    fn bad_utf8_is_found_at_every_place() {
        with_frame(|_, frame| {
            for at in 0..LEDGER.len() {
                for byte in [0xFF, 0xC3] {
                    let mut bytes = LEDGER.as_bytes().to_vec();
                    bytes.insert(at, byte);
                    if std::str::from_utf8(&bytes).is_ok() {
                        continue;
                    }
                    for len_window in [3, 64, 4096] {
                        let got = streamed(frame, &bytes, len_window);
                        assert!(matches!(got, Err(Stop::Unusual)), "{byte} at {at}");
                    }
                }
            }
        });
    }

    #[test]
    fn the_caller_can_stop_it() {
        with_frame(|_, frame| {
            let mut tally = Tally::new(frame);
            let mut turns = 0;
            let mut progress = |_| {
                turns += 1;
                turns < 3
            };
            let got = read_in_windows(&mut LEDGER.as_bytes(), &mut tally, &mut progress, 50);
            assert!(matches!(got, Err(Stop::Interrupted)));
            assert_eq!(turns, 3);
        });
    }
}
