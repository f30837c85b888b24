//! Text of a mail message.
//!
//! In: the bytes of an `.eml` file. Out: every header decoded and unfolded, one per line, then the
//! text of every `text/*` part in order (HTML as its visible text), parts separated by an empty
//! line. Both versions of an alternative are kept, since a quote may come from either. Attached
//! messages are read the same way; other attachments are not text and are left out.

use super::{Deadline, Limits, Unreadable, html};
use mail_parser::parsers::MessageStream;
use mail_parser::{HeaderValue, Message, MessageParser, PartType};

/// The headers and texts of a message.
pub(super) fn text(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<String, Unreadable> {
    let nested = memchr::memmem::find_iter(&bytes.to_ascii_lowercase(), b"message/rfc822").count();
    if nested > limits.depth {
        return Err(Unreadable::new(format!(
            "mail holds more than {} attached messages",
            limits.depth
        )));
    }
    let message = MessageParser::new()
        .parse(bytes)
        .ok_or_else(|| Unreadable::new("not a mail message"))?;
    if message.headers().is_empty() {
        return Err(Unreadable::new("not a mail message (no headers)"));
    }
    let mut out = String::new();
    // Without recursion: attached messages can nest as deeply as the file is long.
    let mut waiting = vec![&message];
    while let Some(message) = waiting.pop() {
        write_message(message, &mut waiting, &mut out, limits, deadline)?;
    }
    Ok(out)
}

fn write_message<'m, 'x>(
    message: &'m Message<'x>,
    waiting: &mut Vec<&'m Message<'x>>,
    out: &mut String,
    limits: &Limits,
    deadline: Deadline,
) -> Result<(), Unreadable> {
    for (name, value) in message.headers_raw() {
        out.push_str(name);
        out.push_str(": ");
        out.push_str(&decoded_header(value));
        out.push('\n');
    }
    let mut attached = Vec::new();
    for (index, part) in message.parts.iter().enumerate() {
        deadline.check()?;
        match &part.body {
            PartType::Text(_) | PartType::Html(_) if part.is_encoding_problem => {
                return Err(Unreadable::new(format!(
                    "text part {} of the mail has a broken encoding",
                    index + 1
                )));
            }
            PartType::Text(text) => {
                out.push('\n');
                out.push_str(text);
            }
            PartType::Html(markup) => {
                out.push('\n');
                out.push_str(&html::visible_text(markup, limits, deadline)?);
            }
            PartType::Message(message) => attached.push(message),
            PartType::Binary(_) | PartType::InlineBinary(_) | PartType::Multipart(_) => {}
        }
        if out.len() > limits.unpacked_bytes {
            return Err(Unreadable::new(format!(
                "text is longer than the {} bytes that are read",
                limits.unpacked_bytes
            )));
        }
        if !out.ends_with('\n') {
            out.push('\n');
        }
    }
    if !attached.is_empty() {
        out.push('\n');
    }
    waiting.extend(attached.into_iter().rev());
    Ok(())
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
