//! Text of mail messages.
//!
//! In: the bytes of an `.eml` or `.mbox` file. Out: every header decoded and unfolded, one per line,
//! then the text of every `text/*` part in order (HTML as its visible text), parts separated by an
//! empty line. Both versions of an alternative are kept, since a quote may come from either. Attached
//! messages are read the same way; other attachments are not text and are left out. The marks of
//! quoted lines and the quotation marks of names are told apart, so that quotes may leave them out.

use super::{Deadline, ExtractedText, Limits, Unreadable, html};
use crate::position::Span;
use mail_parser::parsers::MessageStream;
use mail_parser::{HeaderValue, Message, MessageParser, MimeHeaders, PartType};
use std::borrow::Cow;

/// Headers that name people.
const NAMES: [&str; 6] = ["from", "to", "cc", "bcc", "sender", "reply-to"];

/// The headers and texts of a message.
pub(super) fn text(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
    let mut out = ExtractedText::flowing("mail", String::new());
    read(bytes, &mut out, limits, deadline)?;
    Ok(out)
}

/// The messages of a mailbox, one after the other.
pub(super) fn mailbox(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
    if !bytes.starts_with(b"From ") {
        return Err(Unreadable::new(
            "not a mailbox (it does not begin with `From `)",
        ));
    }
    let mut out = ExtractedText::flowing("mbox", String::new());
    let messages = mail_parser::mailbox::mbox::MessageIterator::new(bytes);
    for (index, message) in messages.enumerate() {
        deadline.check()?;
        let number = index + 1;
        let message =
            message.map_err(|error| Unreadable::new(format!("message {number}: {error:?}")))?;
        read(message.contents(), &mut out, limits, deadline)
            .map_err(|why| Unreadable::new(format!("message {number}: {why}")))?;
        out.text.push('\n');
    }
    Ok(out)
}

fn read(
    bytes: &[u8],
    out: &mut ExtractedText,
    limits: &Limits,
    deadline: Deadline,
) -> Result<(), Unreadable> {
    let nested = memchr::memmem::find_iter(&bytes.to_ascii_lowercase(), b"message/rfc822").count();
    if nested > limits.depth {
        return Err(Unreadable::new(format!(
            "mail holds more than {} attached messages",
            limits.depth
        )));
    }
    let bytes = with_last_boundaries(bytes);
    let message = MessageParser::new()
        .parse(&*bytes)
        .ok_or_else(|| Unreadable::new("not a mail message"))?;
    if message.headers().is_empty() {
        return Err(Unreadable::new("not a mail message (no headers)"));
    }
    // Without recursion: attached messages can nest as deeply as the file is long.
    let mut waiting = vec![&message];
    while let Some(message) = waiting.pop() {
        write_message(message, &mut waiting, out, limits, deadline)?;
    }
    Ok(())
}

/// The message with the last boundary of every part that is cut off at the end.
fn with_last_boundaries(bytes: &[u8]) -> Cow<'_, [u8]> {
    const MOST: usize = 64;
    let lower = bytes.to_ascii_lowercase();
    let mut missing: Vec<&[u8]> = Vec::new();
    for at in memchr::memmem::find_iter(&lower, b"boundary=").take(MOST) {
        let value = bytes.get(at + b"boundary=".len()..).unwrap_or_default();
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let len = value
            .iter()
            .take_while(|byte| !matches!(byte, b'"' | b';' | b'\r' | b'\n' | b' '))
            .count();
        let boundary = value.get(..len).unwrap_or_default();
        let last = [b"--", boundary, b"--"].concat();
        if !boundary.is_empty() && memchr::memmem::find(bytes, &last).is_none() {
            missing.push(boundary);
        }
    }
    if missing.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut whole = bytes.to_vec();
    for boundary in missing.into_iter().rev() {
        whole.extend([b"\r\n--", boundary, b"--\r\n"].concat());
    }
    Cow::Owned(whole)
}

fn write_message<'m, 'x>(
    message: &'m Message<'x>,
    waiting: &mut Vec<&'m Message<'x>>,
    out: &mut ExtractedText,
    limits: &Limits,
    deadline: Deadline,
) -> Result<(), Unreadable> {
    for (name, value) in message.headers_raw() {
        out.text.push_str(name);
        out.text.push_str(": ");
        let from = out.text.len();
        out.text.push_str(&decoded_header(value));
        if NAMES.contains(&name.to_ascii_lowercase().as_str()) {
            mark(out, from, |character| character == '"');
        }
        out.text.push('\n');
    }
    let mut attached = Vec::new();
    for (index, part) in message.parts.iter().enumerate() {
        deadline.check()?;
        let kind = part.content_type();
        match &part.body {
            PartType::Text(_) | PartType::Html(_) if part.is_encoding_problem => {
                return Err(Unreadable::new(format!(
                    "text part {} of the mail has a broken encoding",
                    index + 1
                )));
            }
            PartType::Text(text) => {
                out.text.push('\n');
                let joins = kind.is_some_and(|kind| {
                    kind.attribute("delsp")
                        .is_some_and(|value| value.eq_ignore_ascii_case("yes"))
                });
                write_lines(text, joins, out);
            }
            PartType::Html(markup) => {
                out.text.push('\n');
                out.append(&html::read(markup, limits, deadline)?);
            }
            PartType::Message(message) => attached.push(message),
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => {
                // Reports on delivery are text of a kind of their own.
                if kind.is_some_and(|kind| kind.ctype().eq_ignore_ascii_case("message")) {
                    out.text.push('\n');
                    out.text.push_str(&String::from_utf8_lossy(bytes));
                }
            }
            PartType::Multipart(_) => {}
        }
        if out.text.len() > limits.unpacked_bytes {
            return Err(Unreadable::new(format!(
                "text is longer than the {} bytes that are read",
                limits.unpacked_bytes
            )));
        }
        if !out.text.ends_with('\n') {
            out.text.push('\n');
        }
    }
    if !attached.is_empty() {
        out.text.push('\n');
    }
    waiting.extend(attached.into_iter().rev());
    Ok(())
}

/// Writes the lines of a plain text, those that flow without a space (`joins`) as one.
fn write_lines(text: &str, joins: bool, out: &mut ExtractedText) {
    for line in text.split_inclusive('\n') {
        let from = out.text.len();
        let bare = line.trim_end_matches(['\r', '\n']);
        // A line `-- ` begins a signature.
        match bare.strip_suffix(' ') {
            Some(words) if joins && bare != "-- " => out.text.push_str(words),
            Some(_) | None => out.text.push_str(line),
        }
        let quoted = bare.len() - bare.trim_start_matches(['>', ' ']).len();
        if bare.starts_with('>') {
            out.markup.push(Span {
                byte_start: from,
                byte_end: from + quoted.min(out.text.len() - from),
            });
        }
    }
}

/// Marks the characters from `from` on that are no part of what is said.
fn mark(out: &mut ExtractedText, from: usize, is_mark: impl Fn(char) -> bool) {
    let written = out.text.get(from..).unwrap_or_default();
    let marks = written
        .char_indices()
        .filter(|(_, character)| is_mark(*character))
        .map(|(at, character)| Span {
            byte_start: from + at,
            byte_end: from + at + character.len_utf8(),
        });
    out.markup.extend(marks);
}

/// A header value unfolded, its encoded words decoded.
fn decoded_header(raw: &str) -> String {
    let mut line = raw.trim().to_owned();
    line.push('\n');
    let value = MessageStream::new(line.as_bytes()).parse_unstructured();
    if let HeaderValue::Text(text) = value {
        text.into_owned()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Extractor, Limits, extract, extract_within};

    const MAIL: &str = "From: =?utf-8?q?J=C3=BCrgen?= <j@example.com>\r\n\
Subject: Long\r\n subject =?iso-8859-1?B?6Q==?=\r\n\
MIME-Version: 1.0\r\n\
Content-Type: multipart/mixed; boundary=XX\r\n\r\n\
preamble\r\n--XX\r\n\
Content-Type: multipart/alternative; boundary=YY\r\n\r\n\
--YY\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
The fee is =A310 and the te=\r\nrm is 5 years.\r\n\
--YY\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n\
PHA+SFRNTCA8Yj5ib2R5PC9iPjwvcD48cCBoaWRkZW4+bm88L3A+\r\n\
--YY--\r\n\
--XX\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename=a.pdf\r\n\
Content-Transfer-Encoding: base64\r\n\r\nUERGVEVYVA==\r\n\
--XX\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=n.txt\r\n\r\nAttached note.\r\n\
--XX\r\nContent-Type: message/rfc822\r\n\r\n\
Subject: Inner\r\n\r\nInner body.\r\n\
--XX--\r\n";

    #[test]
    fn headers_and_text_parts_in_order() {
        let text = extract("a.eml", MAIL.as_bytes(), Extractor::Pdfium)
            .unwrap()
            .text;
        for want in [
            "From: Jürgen <j@example.com>\n",
            "Subject: Long subject é\n",
            "The fee is £10 and the term is 5 years.",
            "HTML body\n",
            "Attached note.",
            "Subject: Inner\n",
            "Inner body.",
        ] {
            assert!(text.contains(want), "{want:?} in {text:?}");
        }
        for unwanted in ["PDFTEXT", "UERG", "preamble", "\nno\n", "=A3"] {
            assert!(!text.contains(unwanted), "{unwanted:?} in {text:?}");
        }
        assert!(text.find("The fee").unwrap() < text.find("HTML body").unwrap());
    }

    #[test]
    fn cut_off_flowed_and_quoted_mails_are_read() {
        let head = "From: \"Example, Ann\" <ann@example.com>\r\nMIME-Version: 1.0\r\n";
        for (rest, quote) in [
            (
                "Content-Type: multipart/mixed; boundary=XX\r\n\r\n--XX\r\nContent-Type: text/plain\r\n\r\nRent is due.\r\n",
                "Rent is due.",
            ),
            (
                "Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\nPay the re \r\nnt on time.\r\n",
                "Pay the rent on time.",
            ),
            (
                "Content-Type: text/plain\r\n\r\n> pay the\r\n> rent\r\n",
                "pay the rent",
            ),
            (
                "Content-Type: text/plain\r\n\r\n> pay the\r\n> rent\r\n",
                "> pay the > rent",
            ),
            ("\r\nx\r\n", "Example, Ann <ann@example.com>"),
        ] {
            let mail = format!("{head}{rest}");
            let read = extract("a.eml", mail.as_bytes(), Extractor::Pdfium).unwrap();
            let source = crate::evidence::Prepared::new(&read.text).unwrap();
            assert_eq!(
                crate::evidence::accepted_extracted(&source, read.layers(), &[quote]),
                [true],
                "{quote} in {}",
                read.text
            );
        }
    }

    #[test]
    fn mailboxes_hold_messages() {
        let mailbox = b"From a@b Mon Jan  1 00:00:00 2024\nSubject: One\n\nfirst\n\nFrom a@b Mon Jan  1 00:00:00 2024\nSubject: Two\n\nsecond\n";
        let read = extract("a.mbox", mailbox, Extractor::Pdfium).unwrap();
        for part in ["Subject: One\n", "first", "Subject: Two\n", "second"] {
            assert!(read.text.contains(part), "{part} in {}", read.text);
        }
        let error = extract("a.mbox", b"some bytes", Extractor::Pdfium).unwrap_err();
        assert!(error.reason.starts_with("not a mailbox"), "{error}");
    }

    #[test]
    fn what_is_no_mail_is_unreadable() {
        assert_eq!(
            extract("a.eml", b"", Extractor::Pdfium).unwrap_err().reason,
            "not a mail message"
        );
    }

    #[test]
    fn attached_messages_are_bounded() {
        let mail = "Content-Type: message/rfc822\r\n\r\n".repeat(5_000);
        let limits = Limits {
            depth: 100,
            ..Limits::default()
        };
        let error =
            extract_within("a.eml", mail.as_bytes(), Extractor::Pdfium, &limits).unwrap_err();
        assert_eq!(error.reason, "mail holds more than 100 attached messages");
        let shallow = "Content-Type: message/rfc822\r\n\r\n".repeat(90) + "Subject: last\r\n\r\nx";
        let read = extract_within("a.eml", shallow.as_bytes(), Extractor::Pdfium, &limits).unwrap();
        assert!(read.text.contains("Subject: last"), "{}", read.text);
    }
}
