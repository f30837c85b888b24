//! Plain text in the encodings that people save it in.
//!
//! In: the bytes of a text file. Out: its text, and in the name of the reader how it was decoded:
//! UTF-8, UTF-16 with a byte-order mark, else windows-1252 when every byte is a letter or sign there.

use super::{ExtractedText, Unreadable};
use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The text, without a byte-order mark.
pub(super) fn text(bytes: &[u8]) -> Result<ExtractedText, Unreadable> {
    let (text, reader) = decode(bytes)?;
    Ok(ExtractedText::plain(reader, text))
}

/// The text and the name of its encoding.
pub(super) fn decode(bytes: &[u8]) -> Result<(String, &'static str), Unreadable> {
    for (mark, encoding, name) in [
        (&b"\xff\xfe"[..], UTF_16LE, "utf-16le text"),
        (b"\xfe\xff", UTF_16BE, "utf-16be text"),
    ] {
        if let Some(rest) = bytes.strip_prefix(mark) {
            let text = encoding.decode_without_bom_handling_and_without_replacement(rest);
            return text.map_or_else(
                || Err(Unreadable::new("text is not whole UTF-16")),
                |text| Ok((text.into_owned(), name)),
            );
        }
    }
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => {
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            return Ok((text.to_owned(), "utf-8 text"));
        }
        Err(error) => error,
    };
    // Controls stand in no text; five codes mean nothing in windows-1252.
    let is_text = bytes.iter().all(|byte| {
        !matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f | 0x81 | 0x8d | 0x8f | 0x90 | 0x9d)
    });
    if !is_text {
        return Err(Unreadable::new(format!(
            "text is neither UTF-8 nor windows-1252 (invalid byte at offset {})",
            error.valid_up_to()
        )));
    }
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Ok((text.into_owned(), "windows-1252 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_told() {
        for (bytes, want) in [
            (&b"\xef\xbb\xbfone\r\ntwo"[..], ("one\r\ntwo", "utf-8 text")),
            (b"\xff\xfea\0b\0", ("ab", "utf-16le text")),
            (b"\xfe\xff\0a\0b", ("ab", "utf-16be text")),
            (b"caf\xe9 \x80 5", ("café € 5", "windows-1252 text")),
        ] {
            assert_eq!(decode(bytes).unwrap(), (want.0.to_owned(), want.1));
        }
    }

    #[test]
    fn what_is_no_text_is_unreadable() {
        assert_eq!(
            text(b"ab\0\xff").unwrap_err().reason,
            "text is neither UTF-8 nor windows-1252 (invalid byte at offset 3)"
        );
        assert_eq!(
            text(b"\xff\xfea").unwrap_err().reason,
            "text is not whole UTF-16"
        );
    }
}
