//! The ledger as a stream: findings judged while the file is read.
//!
//! In: bytes from a reader. Out: the findings in a [`Tally`], the head of the ledger. Whatever is out of
//! the ordinary stops with [`Stop::Unusual`]; the caller then reads the whole file and gets the exact
//! words or value.

use super::contract::ReceiptWords;
use super::ids::Field;
use super::result::LedgerHead;
use super::tally::{CONFIRMED, FindingView, Passage, Receipt, Tally};
use crate::value::json::reader::Kind;
use crate::value::json::stream::{ListDocument, Stop, read_list};
use crate::value::json::{RawText, Reader, SyntaxError};
use crate::value::{Text, Value};
use std::borrow::Cow;
use std::io::Read;

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
    // Two readers, so that the recorded command does not pay for what only the contract looks at.
    if tally.contract.is_some() {
        let mut ledger = Ledger::<'_, '_, '_, true>::new(tally);
        read_list(source, &mut ledger, progress)?;
        ledger.into_head()
    } else {
        let mut ledger = Ledger::<'_, '_, '_, false>::new(tally);
        read_list(source, &mut ledger, progress)?;
        ledger.into_head()
    }
}

struct Ledger<'t, 'f, 'v, const DETAILED: bool> {
    tally: &'t mut Tally<'f, 'v>,
    head: LedgerHead<'static>,
    has_findings: bool,
}

impl<'t, 'f, 'v, const DETAILED: bool> Ledger<'t, 'f, 'v, DETAILED> {
    fn new(tally: &'t mut Tally<'f, 'v>) -> Self {
        Self {
            tally,
            head: LedgerHead::default(),
            has_findings: false,
        }
    }

    fn into_head(self) -> Result<LedgerHead<'static>, Stop> {
        if self.has_findings {
            Ok(self.head)
        } else {
            Err(Stop::Unusual)
        }
    }
}

impl<const DETAILED: bool> ListDocument for Ledger<'_, '_, '_, DETAILED> {
    const LIST: &'static str = "findings";
    type Item<'t> = FindingView<'t>;

    fn begin_list(&mut self) -> Result<(), Stop> {
        self.tally.restart();
        self.has_findings = true;
        Ok(())
    }

    fn no_list(&mut self) -> Result<(), Stop> {
        self.has_findings = false;
        Ok(())
    }

    fn read<'t>(reader: &mut Reader<'t>) -> Result<FindingView<'t>, SyntaxError> {
        read_finding::<DETAILED>(reader)
    }

    fn take(&mut self, finding: &FindingView<'_>) -> Result<(), Stop> {
        self.tally.judge(finding);
        Ok(())
    }

    fn wants(&self, key: &Text<'_>) -> bool {
        *key == *"framework_version" || *key == *"parked"
    }

    fn member(&mut self, key: Text<'_>, value: Value<'_>) {
        let value = Some(value.into_owned());
        if key == *"parked" {
            self.head.parked = value;
        } else {
            self.head.framework_version = value;
        }
    }
}

fn read_finding<'t, const DETAILED: bool>(
    reader: &mut Reader<'t>,
) -> Result<FindingView<'t>, SyntaxError> {
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
            b"quote" if DETAILED => {
                let field = read_field(reader)?;
                view.quote = match &field {
                    Field::Missing => Passage::Blank,
                    Field::Text(text) if text.is_blank() => Passage::Blank,
                    Field::Text(_) => Passage::Filled,
                    Field::Other(value) => Passage::of(Some(value)),
                };
                view.details.quote = field;
            }
            b"characterization" if DETAILED => {
                view.details.characterization = read_field(reader)?;
            }
            b"band" if DETAILED => {
                view.details.has_band = true;
                reader.skip()?;
            }
            b"band_basis" if DETAILED => {
                view.details.has_band_basis = true;
                reader.skip()?;
            }
            b"current_position" if DETAILED => {
                view.details.is_current = reader.value()?.is_true();
            }
            b"quote" => view.quote = read_passage(reader)?,
            b"section" => view.section = read_passage(reader)?,
            b"quote_verification" => {
                let words = DETAILED.then_some(&mut view.details.quote_receipt);
                view.quote_verification = read_receipt(reader, words)?;
            }
            b"verification" => {
                let words = DETAILED.then_some(&mut view.details.receipt);
                view.verification = read_receipt(reader, words)?;
            }
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

/// A receipt; its words too when there is a place for them.
fn read_receipt<'t>(
    reader: &mut Reader<'t>,
    mut words: Option<&mut ReceiptWords<'t>>,
) -> Result<Receipt, SyntaxError> {
    if let Some(words) = &mut words {
        **words = ReceiptWords::default();
    }
    if reader.peek() != Kind::Object {
        return Ok(Receipt::of(Some(&reader.value()?)));
    }
    let mut receipt = Receipt::Unconfirmed;
    reader.begin_object()?;
    while let Some(key) = reader.next_key()? {
        let key = key.decode();
        if key == *"status" {
            let is_confirmed = match reader.peek() {
                Kind::String => {
                    let status = reader.string()?.decode();
                    let is_confirmed = status == *CONFIRMED;
                    if let Some(words) = &mut words {
                        words.status = Field::Text(status);
                    }
                    is_confirmed
                }
                Kind::Object | Kind::Array | Kind::Scalar => {
                    reader.skip()?;
                    if let Some(words) = &mut words {
                        words.status = Field::Missing;
                    }
                    false
                }
            };
            receipt = if is_confirmed {
                Receipt::Confirmed
            } else {
                Receipt::Unconfirmed
            };
            continue;
        }
        match &mut words {
            Some(words) if key == *"checker" => words.checker = read_field(reader)?,
            Some(words) if key == *"objection" => words.objection = read_field(reader)?,
            Some(_) | None => reader.skip()?,
        }
    }
    Ok(receipt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::reconcile::{Frame, Inputs, Reconciliation, Refusal, reconcile};
    use crate::value::json::parse;
    use crate::value::json::stream::read_list_in_windows;

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
        let mut ledger = Ledger::<'_, '_, '_, false>::new(&mut tally);
        read_list_in_windows(&mut &text[..], &mut ledger, &mut |_| true, len_window)?;
        let head = ledger.into_head()?;
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
            let mut ledger = Ledger::<'_, '_, '_, false>::new(&mut tally);
            let got = read_list_in_windows(&mut LEDGER.as_bytes(), &mut ledger, &mut progress, 50);
            assert!(matches!(got, Err(Stop::Interrupted)));
            assert_eq!(turns, 3);
        });
    }
}
