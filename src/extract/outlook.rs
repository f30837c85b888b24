//! Text of an Outlook message.
//!
//! In: the bytes of a `.msg` file. Out: sender, receivers and subject, one per line, then the text, or
//! that of the HTML body. Attachments are not read.

use super::{Deadline, ExtractedText, Limits, Unreadable, html};
use std::io::{Cursor, Read};

/// Properties that are shown, with the words before them.
const SHOWN: [(&str, &str); 5] = [
    ("0C1A", "From: "),
    ("0E04", "To: "),
    ("0E03", "Cc: "),
    ("0037", "Subject: "),
    ("1000", "\n"),
];

/// Headers and body.
pub(super) fn text(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
    let mut file = cfb::CompoundFile::open(Cursor::new(bytes))
        .map_err(|error| Unreadable::new(format!("not an Outlook message: {error}")))?;
    let mut stream = |name: &str| -> Option<Vec<u8>> {
        let stream = file.open_stream(format!("/__substg1.0_{name}")).ok()?;
        let mut bytes = Vec::new();
        let most = u64::try_from(limits.unpacked_bytes).unwrap_or(u64::MAX);
        stream.take(most).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    let mut out = String::new();
    let mut has_body = false;
    for (property, before) in SHOWN {
        let wide = stream(&format!("{property}001F"));
        let text = match wide {
            Some(bytes) => encoding_rs::UTF_16LE
                .decode_without_bom_handling(&bytes)
                .0
                .into_owned(),
            None => match stream(&format!("{property}001E")) {
                Some(bytes) => html::decode(&bytes).into_owned(),
                None => continue,
            },
        };
        out.push_str(before);
        out.push_str(text.trim_end_matches('\0'));
        out.push('\n');
        has_body |= property == "1000" && !text.trim().is_empty();
    }
    if let Some(markup) = stream("10130102").filter(|_| !has_body) {
        out.push('\n');
        out.push_str(&html::visible_text(
            &html::decode(&markup),
            limits,
            deadline,
        )?);
        has_body = true;
    }
    if !has_body {
        return Err(Unreadable::new(
            "the Outlook message has no plain or HTML body",
        ));
    }
    Ok(ExtractedText::flowing("msg", out))
}

#[cfg(test)]
mod tests {
    use super::super::{Extractor, extract};
    use std::io::{Cursor, Write};

    #[test]
    fn headers_and_body() {
        let mut file = cfb::CompoundFile::create(Cursor::new(Vec::new())).unwrap();
        for (name, text) in [
            ("0037001F", "Rent"),
            ("0C1A001F", "Ann"),
            ("1000001F", "Due on 1 May."),
        ] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let mut stream = file.create_stream(format!("/__substg1.0_{name}")).unwrap();
            stream.write_all(&bytes).unwrap();
        }
        file.flush().unwrap();
        let bytes = file.into_inner().into_inner();
        let read = extract("a.msg", &bytes, Extractor::Pdfium).unwrap();
        assert_eq!(read.text, "From: Ann\nSubject: Rent\n\nDue on 1 May.\n");
        let error = extract("a.msg", b"some bytes", Extractor::Pdfium).unwrap_err();
        assert!(
            error.reason.starts_with("not an Outlook message: "),
            "{error}"
        );
    }
}
