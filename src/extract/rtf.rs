//! Text of Rich Text Format.
//!
//! In: the bytes of an `.rtf` file. Out: the text that is shown: paragraphs as lines, cells parted by
//! tabs, hidden and deleted text left out, struck text told apart, raised digits as superscripts.
//! Tables of fonts, colours and styles, pictures and what a reader need not know are passed over.

use super::{ExtractedText, Limits, Unreadable};
use crate::position::Span;
use encoding_rs::{Encoding, WINDOWS_1252};

/// What a group changes and gives back at its end.
#[derive(Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent properties of letters"
)]
struct State {
    is_skipped: bool,
    is_hidden: bool,
    is_raised: bool,
    is_struck: bool,
    /// Characters that stand in for one in Unicode.
    fallback_len: usize,
}

/// The text.
pub(super) fn text(bytes: &[u8], limits: &Limits) -> Result<ExtractedText, Unreadable> {
    if !bytes.starts_with(b"{\\rtf") {
        return Err(Unreadable::new("not Rich Text Format (no {\\rtf header)"));
    }
    let mut reader = Reader {
        out: String::new(),
        struck: Vec::new(),
        state: State {
            fallback_len: 1,
            ..State::default()
        },
        stack: Vec::new(),
        encoding: WINDOWS_1252,
        pending: Vec::new(),
        fallbacks_left: 0,
        high_surrogate: None,
    };
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'{' => {
                reader.flush();
                if reader.stack.len() > limits.depth {
                    return Err(Unreadable::new(format!(
                        "RTF is nested deeper than {} groups",
                        limits.depth
                    )));
                }
                reader.stack.push(reader.state);
            }
            b'}' => {
                reader.flush();
                match reader.stack.pop() {
                    Some(state) => reader.state = state,
                    None => break,
                }
            }
            b'\\' => rest = reader.control(after),
            b'\r' | b'\n' => {}
            other => reader.byte(other),
        }
        if reader.out.len() > limits.unpacked_bytes {
            return Err(Unreadable::new(format!(
                "text is longer than the {} bytes that are read",
                limits.unpacked_bytes
            )));
        }
    }
    reader.flush();
    Ok(ExtractedText {
        struck: reader.struck,
        ..ExtractedText::flowing("rtf", reader.out)
    })
}

struct Reader {
    out: String,
    struck: Vec<Span>,
    state: State,
    stack: Vec<State>,
    encoding: &'static Encoding,
    /// Bytes that are not decoded yet.
    pending: Vec<u8>,
    fallbacks_left: usize,
    high_surrogate: Option<u32>,
}

impl Reader {
    fn byte(&mut self, byte: u8) {
        if self.fallbacks_left > 0 {
            self.fallbacks_left -= 1;
            return;
        }
        self.pending.push(byte);
    }

    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        let (text, _) = self.encoding.decode_without_bom_handling(&pending);
        self.write(&text);
    }

    fn write(&mut self, text: &str) {
        if self.state.is_skipped || self.state.is_hidden {
            return;
        }
        let byte_start = self.out.len();
        if self.state.is_raised {
            self.out.extend(text.chars().map(super::raised));
        } else {
            self.out.push_str(text);
        }
        if self.state.is_struck {
            self.struck.push(Span {
                byte_start,
                byte_end: self.out.len(),
            });
        }
    }

    /// Reads what follows a backslash; answers what is left.
    fn control<'b>(&mut self, rest: &'b [u8]) -> &'b [u8] {
        let Some((&first, after)) = rest.split_first() else {
            return rest;
        };
        if !first.is_ascii_alphabetic() {
            match first {
                b'\'' => {
                    let digits = after
                        .get(..2)
                        .and_then(|digits| std::str::from_utf8(digits).ok());
                    if let Some(byte) =
                        digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())
                    {
                        self.byte(byte);
                        return after.get(2..).unwrap_or_default();
                    }
                }
                b'*' => {
                    self.flush();
                    self.state.is_skipped = true;
                }
                b'~' => self.say("\u{a0}"),
                b'-' => self.say("\u{ad}"),
                b'_' => self.say("\u{2011}"),
                b'\r' | b'\n' => self.say("\n"),
                b'\\' | b'{' | b'}' => self.byte(first),
                _ => {}
            }
            return after;
        }
        let len = rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let (word, after) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        let sign = usize::from(after.first() == Some(&b'-'));
        let digits = after
            .iter()
            .skip(sign)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let len = if digits == 0 { 0 } else { sign + digits };
        let (value, after) = after.split_at_checked(len).unwrap_or((after, &[]));
        let value = std::str::from_utf8(value)
            .ok()
            .and_then(|value| value.parse::<i64>().ok());
        let mut after = after.strip_prefix(b" ").unwrap_or(after);
        if word == b"bin" {
            let len = value.and_then(|len| usize::try_from(len).ok()).unwrap_or(0);
            after = after.get(len..).unwrap_or_default();
        } else {
            self.word(word, value);
        }
        after
    }

    fn say(&mut self, text: &str) {
        if self.fallbacks_left > 0 {
            self.fallbacks_left -= 1;
            return;
        }
        self.flush();
        self.write(text);
    }

    fn word(&mut self, word: &[u8], value: Option<i64>) {
        let is_on = value != Some(0);
        match word {
            b"u" => {
                self.flush();
                let code = value.unwrap_or(0).rem_euclid(0x1_0000);
                let code = u32::try_from(code).unwrap_or(0);
                self.unicode(code);
                self.fallbacks_left = self.state.fallback_len;
            }
            b"uc" => {
                self.state.fallback_len = value
                    .and_then(|value| usize::try_from(value).ok())
                    .unwrap_or(1);
            }
            b"ansicpg" => {
                let label = format!("windows-{}", value.unwrap_or(1252));
                self.encoding = Encoding::for_label(label.as_bytes()).unwrap_or(WINDOWS_1252);
            }
            b"fonttbl" | b"colortbl" | b"stylesheet" | b"info" | b"pict" | b"object"
            | b"themedata" | b"listtable" | b"listoverridetable" | b"revtbl" | b"rsidtbl"
            | b"generator" | b"filetbl" | b"fldinst" | b"datastore" | b"xmlnstbl"
            | b"latentstyles" => {
                self.flush();
                self.state.is_skipped = true;
            }
            b"v" | b"deleted" => {
                self.flush();
                self.state.is_hidden = is_on;
            }
            b"strike" | b"striked" => {
                self.flush();
                self.state.is_struck = is_on;
            }
            b"super" => {
                self.flush();
                self.state.is_raised = is_on;
            }
            b"nosupersub" => {
                self.flush();
                self.state.is_raised = false;
            }
            b"plain" => {
                self.flush();
                self.state.is_hidden = false;
                self.state.is_raised = false;
                self.state.is_struck = false;
            }
            b"par" | b"line" | b"row" | b"sect" | b"page" => self.say("\n"),
            b"tab" | b"cell" => self.say("\t"),
            b"emdash" => self.say("—"),
            b"endash" => self.say("–"),
            b"lquote" => self.say("‘"),
            b"rquote" => self.say("’"),
            b"ldblquote" => self.say("“"),
            b"rdblquote" => self.say("”"),
            b"bullet" => self.say("•"),
            b"emspace" | b"enspace" => self.say(" "),
            _ => {}
        }
    }

    fn unicode(&mut self, code: u32) {
        let code = match (self.high_surrogate.take(), code) {
            (_, 0xd800..0xdc00) => {
                self.high_surrogate = Some(code);
                return;
            }
            (Some(high), 0xdc00..0xe000) => 0x1_0000 + ((high - 0xd800) << 10) + (code - 0xdc00),
            (_, code) => code,
        };
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.write(character.encode_utf8(&mut [0; 4]));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Extractor, extract};

    #[test]
    fn shows_what_is_shown() {
        for (written, want) in [
            (
                r"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator x;}One \b bold\b0  word.\par Two\tab x}",
                "One bold word.\nTwo\tx",
            ),
            (r"{\rtf1\ansicpg1250 \'b3\'f3d\'9f}", "łódź"),
            (
                r"{\rtf1 caf\u233?, \u-10179?\u-8704? and {\uc0\u8364}5}",
                "café, 😀 and €5",
            ),
            (r"{\rtf1 a{\v hidden}b{\deleted gone}c\{d\}}", "abc{d}"),
            (
                r"{\rtf1 non\_profit a\~b land\-lord tax{\super 1}}",
                "non\u{2011}profit a\u{a0}b land\u{ad}lord tax¹",
            ),
        ] {
            let read = extract("a.rtf", written.as_bytes(), Extractor::Pdfium).unwrap();
            assert_eq!(read.text, want, "{written}");
        }
    }

    #[test]
    fn other_bytes_are_unreadable() {
        let error = extract("a.rtf", b"some bytes", Extractor::Pdfium).unwrap_err();
        assert_eq!(error.reason, "not Rich Text Format (no {\\rtf header)");
    }
}
