//! The JSON reader: Python's grammar, positions and words for faults.
//!
//! [`parse`] returns a whole [`Value`]; [`Reader`] hands out tokens so that a gate can stream
//! through large inputs and keep only what it needs. Both accept what `json.loads` accepts:
//! `NaN`, infinities, integers of any size, lone surrogates in escapes, repeated keys.

use crate::invariant::Invariant as _;
use crate::text::{Text, push_code_point};
use crate::value::number::BigInteger;
use crate::value::{Object, Value};
use std::borrow::Cow;
use std::fmt;

/// Deepest nesting that is read. Python's own limit is near this; gates recurse over values, so
/// the bound also keeps their stack use known.
pub const MAX_DEPTH: usize = 1000;

/// What is wrong with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxKind {
    /// The text begins with a byte order mark.
    ByteOrderMark,
    /// A value was expected.
    Value,
    /// A member name was expected.
    PropertyName,
    /// A colon was expected.
    Colon,
    /// A comma was expected.
    Comma,
    /// A string never ends; the place is its opening quote.
    UnterminatedString,
    /// A control character stands in a string.
    ControlCharacter,
    /// A backslash begins no known escape.
    Escape,
    /// `\u` is not followed by four hex digits.
    UnicodeEscape,
    /// Something stands after the document.
    ExtraData,
    /// A comma stands before the closing bracket of an array; the place is the bracket.
    TrailingArrayComma {
        /// Place of the comma.
        comma: usize,
    },
    /// A comma stands before the closing brace of an object; the place is the brace.
    TrailingObjectComma {
        /// Place of the comma.
        comma: usize,
    },
    /// Nesting is deeper than [`MAX_DEPTH`].
    TooDeep,
}

/// Which Python's words a fault is told in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Up to 3.12.
    #[default]
    Classic,
    /// 3.13 and newer, which name a trailing comma.
    TrailingComma,
}

/// A fault and the byte it stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: SyntaxKind,
    /// Byte in the document, from 0.
    pub byte: usize,
}

impl SyntaxError {
    /// Whether Python would have read the document and only our bound refuses it.
    pub fn is_refusal(&self) -> bool {
        self.kind == SyntaxKind::TooDeep
    }

    /// The words of `json.JSONDecodeError`: message, line, column and character.
    ///
    /// Positions are those of the text Python's `open` returns: CRLF and CR count as one LF.
    pub fn message(&self, text: &str, dialect: Dialect) -> String {
        let (words, byte) = self.words(dialect);
        let place = TextPlace::of(text, byte);
        format!(
            "{words}: line {} column {} (char {})",
            place.line, place.column, place.character
        )
    }

    /// The words alone, and the byte they speak of.
    pub fn words(&self, dialect: Dialect) -> (&'static str, usize) {
        let byte = self.byte;
        match (self.kind, dialect) {
            (SyntaxKind::ByteOrderMark, _) => {
                ("Unexpected UTF-8 BOM (decode using utf-8-sig)", byte)
            }
            (SyntaxKind::TrailingArrayComma { comma }, Dialect::TrailingComma) => {
                ("Illegal trailing comma before end of array", comma)
            }
            (SyntaxKind::TrailingObjectComma { comma }, Dialect::TrailingComma) => {
                ("Illegal trailing comma before end of object", comma)
            }
            (SyntaxKind::Value | SyntaxKind::TrailingArrayComma { .. }, _) => {
                ("Expecting value", byte)
            }
            (SyntaxKind::PropertyName | SyntaxKind::TrailingObjectComma { .. }, _) => {
                ("Expecting property name enclosed in double quotes", byte)
            }
            (SyntaxKind::Colon, _) => ("Expecting ':' delimiter", byte),
            (SyntaxKind::Comma, _) => ("Expecting ',' delimiter", byte),
            (SyntaxKind::UnterminatedString, _) => ("Unterminated string starting at", byte),
            (SyntaxKind::ControlCharacter, _) => ("Invalid control character at", byte),
            (SyntaxKind::Escape, _) => ("Invalid \\escape", byte),
            (SyntaxKind::UnicodeEscape, _) => ("Invalid \\uXXXX escape", byte),
            (SyntaxKind::ExtraData, _) => ("Extra data", byte),
            (SyntaxKind::TooDeep, _) => ("nested deeper than 1000 levels", byte),
        }
    }
}

impl std::error::Error for SyntaxError {}

impl fmt::Display for SyntaxError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.words(Dialect::Classic).0)
    }
}

/// A place as Python's `json` counts it in text read with universal newlines.
struct TextPlace {
    line: usize,
    column: usize,
    character: usize,
}

impl TextPlace {
    fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let mut place = Self {
            line: 1,
            column: 1,
            character: 0,
        };
        let mut after_cr = false;
        for character in before.chars() {
            let is_end = matches!(character, '\n' | '\r');
            if character == '\n' && after_cr {
                // The LF of a CRLF: already counted with its CR.
                after_cr = false;
                continue;
            }
            after_cr = character == '\r';
            place.character += 1;
            if is_end {
                place.line += 1;
                place.column = 1;
            } else {
                place.column += 1;
            }
        }
        place
    }
}

/// A string token: the bytes between its quotes, escapes not yet resolved.
#[derive(Clone, Copy, Debug)]
pub struct RawText<'a> {
    /// Bytes between the quotes.
    pub bytes: &'a [u8],
    /// Whether a backslash stands in it.
    pub is_escaped: bool,
}

impl<'a> RawText<'a> {
    /// The string, borrowed when it has no escapes.
    pub fn decode(self) -> Text<'a> {
        if self.is_escaped {
            Text::from_wtf8(Cow::Owned(unescape(self.bytes)))
        } else {
            Text::from_wtf8(Cow::Borrowed(self.bytes))
        }
    }
}

/// Resolve the escapes of a string whose syntax has been checked.
fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        let (&escape, mut after) = tail
            .get(1..)
            .and_then(<[u8]>::split_first)
            .unwrap_or((&b'\\', &[]));
        match escape {
            b'b' => out.push(0x08),
            b'f' => out.push(0x0C),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let (mut code_point, mut tail) = hex4(after).unwrap_or((0xFFFD, &[]));
                if (0xD800..0xDC00).contains(&code_point)
                    && let Some(low) = tail.strip_prefix(b"\\u").and_then(hex4)
                    && (0xDC00..0xE000).contains(&low.0)
                {
                    code_point = 0x1_0000 + ((code_point - 0xD800) << 10) + (low.0 - 0xDC00);
                    tail = low.1;
                }
                push_code_point(&mut out, code_point);
                after = tail;
            }
            other => out.push(other),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out
}

/// One of 64 bits for a key, equal for equal keys: a key whose bit is not set yet is new.
fn key_mark(key: &[u8]) -> u64 {
    let ends = |byte: Option<&u8>| u64::from(byte.copied().unwrap_or(0));
    let length = u64::try_from(key.len()).unwrap_or(0);
    let mixed = length
        .wrapping_mul(5)
        .wrapping_add(ends(key.first()).wrapping_mul(7))
        .wrapping_add(ends(key.last()).wrapping_mul(11));
    1 << (mixed & 63)
}

fn hex4(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, rest) = bytes.split_at_checked(4)?;
    let mut value = 0;
    for &digit in digits {
        value = value * 16 + char::from(digit).to_digit(16)?;
    }
    Some((value, rest))
}

/// First byte of a value, without consuming it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    String,
    /// Anything else: a number, a literal, or a fault.
    Scalar,
}

/// A token reader over one document.
///
/// Objects: [`Reader::begin_object`], then [`Reader::next_key`] until it returns nothing, reading or
/// skipping the value after each key. Arrays: [`Reader::begin_array`], then [`Reader::next_item`].
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// The next key or item is the first of its container: no comma stands before it.
    is_first: bool,
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            is_first: false,
        }
    }

    /// A reader at the first of some items of an array, the bracket before them not in `text`.
    pub fn inside_array(text: &'a str) -> Self {
        Self {
            depth: 1,
            is_first: true,
            ..Self::new(text)
        }
    }

    /// A reader in the same state at the start of `bytes`: for documents read window by window, where
    /// `bytes` begin at the byte this reader stands at. They must be UTF-8, checked by the caller.
    pub fn rebase<'t>(&self, bytes: &'t [u8]) -> Reader<'t> {
        Reader {
            bytes,
            at: 0,
            depth: self.depth,
            is_first: self.is_first,
        }
    }

    /// Whether nothing is left, not even white space.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Byte of the next token or of white space before it, from 0.
    pub fn byte(&self) -> usize {
        self.at
    }

    fn fault<T>(&self, kind: SyntaxKind) -> Result<T, SyntaxError> {
        Err(SyntaxError {
            kind,
            byte: self.at,
        })
    }

    #[inline]
    fn peek_byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        if self.peek_byte().is_none_or(|byte| byte <= b' ') {
            self.skip_blanks();
        }
    }

    fn skip_blanks(&mut self) {
        // Indented documents hold a line end and a run of blanks between most tokens: take sixteen at
        // a time.
        const BLANKS: u128 = u128::from_le_bytes([b' '; 16]);
        loop {
            match self.peek_byte() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                _ => return,
            }
            while let Some(chunk) = self
                .bytes
                .get(self.at..)
                .and_then(<[u8]>::first_chunk::<16>)
            {
                let different = u128::from_le_bytes(*chunk) ^ BLANKS;
                if different != 0 {
                    self.at += (different.trailing_zeros() / 8) as usize;
                    break;
                }
                self.at += 16;
            }
        }
    }

    /// Skip white space and tell what kind of value comes next.
    #[inline]
    pub fn peek(&mut self) -> Kind {
        self.skip_space();
        match self.peek_byte() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            _ => Kind::Scalar,
        }
    }

    fn descend(&mut self) -> Result<(), SyntaxError> {
        if self.depth >= MAX_DEPTH {
            return self.fault(SyntaxKind::TooDeep);
        }
        self.depth += 1;
        self.is_first = true;
        Ok(())
    }

    /// Enter an object.
    ///
    /// # Errors
    /// When no object begins here, or it is nested too deep.
    #[inline]
    pub fn begin_object(&mut self) -> Result<(), SyntaxError> {
        self.skip_space();
        if self.peek_byte() != Some(b'{') {
            return self.fault(SyntaxKind::Value);
        }
        self.descend()?;
        self.at += 1;
        Ok(())
    }

    /// The next key of the object, its colon consumed; nothing at the end, which is consumed.
    ///
    /// # Errors
    /// On a syntax fault.
    #[inline]
    pub fn next_key(&mut self) -> Result<Option<RawText<'a>>, SyntaxError> {
        self.skip_space();
        let is_first = std::mem::take(&mut self.is_first);
        let mut comma = None;
        if self.peek_byte() == Some(b'}') {
            self.at += 1;
            self.depth -= 1;
            return Ok(None);
        }
        if !is_first {
            if self.peek_byte() != Some(b',') {
                return self.fault(SyntaxKind::Comma);
            }
            comma = Some(self.at);
            self.at += 1;
            self.skip_space();
        }
        if self.peek_byte() != Some(b'"') {
            let kind = match comma {
                Some(comma) if self.peek_byte() == Some(b'}') => {
                    SyntaxKind::TrailingObjectComma { comma }
                }
                _ => SyntaxKind::PropertyName,
            };
            return self.fault(kind);
        }
        let key = self.string()?;
        self.skip_space();
        if self.peek_byte() != Some(b':') {
            return self.fault(SyntaxKind::Colon);
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// Enter an array.
    ///
    /// # Errors
    /// When no array begins here, or it is nested too deep.
    #[inline]
    pub fn begin_array(&mut self) -> Result<(), SyntaxError> {
        self.skip_space();
        if self.peek_byte() != Some(b'[') {
            return self.fault(SyntaxKind::Value);
        }
        self.descend()?;
        self.at += 1;
        Ok(())
    }

    /// Whether another item of the array follows; at the end the bracket is consumed.
    ///
    /// # Errors
    /// On a syntax fault.
    #[inline]
    pub fn next_item(&mut self) -> Result<bool, SyntaxError> {
        self.skip_space();
        let is_first = std::mem::take(&mut self.is_first);
        match self.peek_byte() {
            Some(b']') => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            _ if is_first => Ok(true),
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.skip_space();
                if self.peek_byte() == Some(b']') {
                    return self.fault(SyntaxKind::TrailingArrayComma { comma });
                }
                Ok(true)
            }
            _ => self.fault(SyntaxKind::Comma),
        }
    }

    /// Read a string value.
    ///
    /// # Errors
    /// When no string begins here, or on a fault in it.
    #[inline]
    pub fn string(&mut self) -> Result<RawText<'a>, SyntaxError> {
        self.skip_space();
        if self.peek_byte() != Some(b'"') {
            return self.fault(SyntaxKind::Value);
        }
        let quote = self.at;
        let mut at = quote + 1;
        let mut is_escaped = false;
        loop {
            at = plain_end(self.bytes, at);
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    let bytes = self.bytes.get(quote + 1..at).unwrap_or_default();
                    return Ok(RawText { bytes, is_escaped });
                }
                Some(b'\\') => {
                    is_escaped = true;
                    at = self.escape_end(quote, at)?;
                }
                Some(_) => {
                    return Err(SyntaxError {
                        kind: SyntaxKind::ControlCharacter,
                        byte: at,
                    });
                }
                None => {
                    return Err(SyntaxError {
                        kind: SyntaxKind::UnterminatedString,
                        byte: quote,
                    });
                }
            }
        }
    }

    /// One past the escape that begins at `at`.
    fn escape_end(&self, quote: usize, at: usize) -> Result<usize, SyntaxError> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => {
                // Python wants a character after the four digits before it looks at them.
                let digits = self.bytes.get(at + 2..).unwrap_or_default();
                if digits.len() < 5 || hex4(digits).is_none() {
                    return Err(SyntaxError {
                        kind: SyntaxKind::UnicodeEscape,
                        byte: at + 1,
                    });
                }
                Ok(at + 6)
            }
            Some(_) => Err(SyntaxError {
                kind: SyntaxKind::Escape,
                byte: at,
            }),
            None => Err(SyntaxError {
                kind: SyntaxKind::UnterminatedString,
                byte: quote,
            }),
        }
    }

    /// Skip one value of any kind, checking its syntax.
    ///
    /// # Errors
    /// On a syntax fault.
    pub fn skip(&mut self) -> Result<(), SyntaxError> {
        match self.peek() {
            Kind::String => self.string().map(drop),
            Kind::Scalar => self.scalar_end().map(drop),
            Kind::Object => {
                self.begin_object()?;
                while self.next_key()?.is_some() {
                    self.skip()?;
                }
                Ok(())
            }
            Kind::Array => {
                self.begin_array()?;
                while self.next_item()? {
                    self.skip()?;
                }
                Ok(())
            }
        }
    }

    /// Read one value of any kind.
    ///
    /// # Errors
    /// On a syntax fault.
    pub fn value(&mut self) -> Result<Value<'a>, SyntaxError> {
        match self.peek() {
            Kind::String => Ok(Value::Str(self.string()?.decode())),
            Kind::Scalar => self.scalar(),
            Kind::Object => {
                self.begin_object()?;
                let mut object = Object::new();
                let mut seen = 0;
                while let Some(key) = self.next_key()? {
                    let value = self.value()?;
                    let key = key.decode();
                    // Comparing every key with all before it was a fifth of the reading time.
                    let mark = key_mark(key.as_bytes());
                    if seen & mark == 0 {
                        object.push_new(key, value);
                    } else {
                        object.insert(key, value);
                    }
                    seen |= mark;
                }
                Ok(Value::Object(object))
            }
            Kind::Array => {
                self.begin_array()?;
                let mut items = Vec::new();
                while self.next_item()? {
                    items.push(self.value()?);
                }
                Ok(Value::Array(items))
            }
        }
    }

    /// Check that nothing but white space follows.
    ///
    /// # Errors
    /// When something does.
    pub fn end(&mut self) -> Result<(), SyntaxError> {
        self.skip_space();
        if self.at == self.bytes.len() {
            Ok(())
        } else {
            self.fault(SyntaxKind::ExtraData)
        }
    }

    /// Read `null`, a boolean or a number.
    ///
    /// # Errors
    /// When none begins here.
    pub fn scalar(&mut self) -> Result<Value<'a>, SyntaxError> {
        self.skip_space();
        let start = self.at;
        let scalar = self.scalar_end()?;
        let literal = self
            .bytes
            .get(start..self.at)
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .holds("a literal is ASCII");
        Ok(match scalar {
            Scalar::Null => Value::Null,
            Scalar::True => Value::Bool(true),
            Scalar::False => Value::Bool(false),
            Scalar::NotANumber => Value::Float(f64::NAN),
            Scalar::Infinity => Value::Float(f64::INFINITY),
            Scalar::NegativeInfinity => Value::Float(f64::NEG_INFINITY),
            Scalar::Float => {
                Value::Float(literal.parse().holds("a JSON number is a number in Rust"))
            }
            Scalar::Int => match literal.parse() {
                Ok(number) => Value::Int(number),
                Err(_) => Value::BigInt(Box::new(BigInteger::from_literal(literal))),
            },
        })
    }

    fn literal(&mut self, word: &[u8], scalar: Scalar) -> Option<Scalar> {
        self.bytes.get(self.at..)?.starts_with(word).then(|| {
            self.at += word.len();
            scalar
        })
    }

    fn scalar_end(&mut self) -> Result<Scalar, SyntaxError> {
        let found = match self.peek_byte() {
            Some(b'n') => self.literal(b"null", Scalar::Null),
            Some(b't') => self.literal(b"true", Scalar::True),
            Some(b'f') => self.literal(b"false", Scalar::False),
            Some(b'N') => self.literal(b"NaN", Scalar::NotANumber),
            Some(b'I') => self.literal(b"Infinity", Scalar::Infinity),
            Some(b'-') => self
                .literal(b"-Infinity", Scalar::NegativeInfinity)
                .or_else(|| self.number_end()),
            Some(b'0'..=b'9') => self.number_end(),
            _ => None,
        };
        found.map_or_else(|| self.fault(SyntaxKind::Value), Ok)
    }

    fn digits_end(&self, mut at: usize) -> usize {
        while matches!(self.bytes.get(at), Some(b'0'..=b'9')) {
            at += 1;
        }
        at
    }

    fn number_end(&mut self) -> Option<Scalar> {
        let mut at = self.at;
        if self.bytes.get(at) == Some(&b'-') {
            at += 1;
        }
        at = match self.bytes.get(at)? {
            b'0' => at + 1,
            b'1'..=b'9' => self.digits_end(at + 1),
            _ => return None,
        };
        let mut scalar = Scalar::Int;
        if self.bytes.get(at) == Some(&b'.') {
            let end = self.digits_end(at + 1);
            if end > at + 1 {
                scalar = Scalar::Float;
                at = end;
            }
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            let end = self.digits_end(at + 1 + sign);
            if end > at + 1 + sign {
                scalar = Scalar::Float;
                at = end;
            }
        }
        self.at = at;
        Some(scalar)
    }
}

#[derive(Clone, Copy)]
enum Scalar {
    Null,
    True,
    False,
    NotANumber,
    Infinity,
    NegativeInfinity,
    Int,
    Float,
}

/// A word whose high bits mark bytes below 0x20 and quotes and backslashes. Bits above the lowest
/// mark may be wrong (a borrow runs upwards), the lowest never is.
#[inline]
fn stops(chunk: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);
    const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
    const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
    let word = u64::from_le_bytes(chunk);
    let quotes = word ^ QUOTES;
    let backslashes = word ^ BACKSLASHES;
    ((word.wrapping_sub(ONES * 0x20) & !word)
        | (quotes.wrapping_sub(ONES) & !quotes)
        | (backslashes.wrapping_sub(ONES) & !backslashes))
        & HIGHS
}

/// First byte at or after `at` that is a quote, a backslash or a control character.
#[inline]
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    const STRIDE: usize = 32;
    // Most keys and ids end within one stride: a loop of one turn is one the processor guesses.
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<STRIDE>) {
        let (words, _) = chunk.as_chunks::<8>();
        let mut before = 0;
        let mut found = 0;
        for word in words.iter().rev() {
            let hits = stops(*word);
            let is_hit = hits != 0;
            found = if is_hit { hits } else { found };
            before = if is_hit { 0 } else { before + 8 };
        }
        if found != 0 {
            return at + before + (found.trailing_zeros() / 8) as usize;
        }
        at += STRIDE;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte < 0x20 || byte == b'"' || byte == b'\\' {
            break;
        }
        at += 1;
    }
    at
}

/// Read a whole document.
///
/// # Errors
/// On a syntax fault, at its byte; also when the text begins with a byte order mark.
pub fn parse(text: &str) -> Result<Value<'_>, SyntaxError> {
    if text.starts_with('\u{feff}') {
        return Err(SyntaxError {
            kind: SyntaxKind::ByteOrderMark,
            byte: 0,
        });
    }
    let mut reader = Reader::new(text);
    let value = reader.value()?;
    reader.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        parse(text).unwrap_err().message(text, Dialect::Classic)
    }

    #[test]
    fn faults_read_as_pythons() {
        for (text, words) in [
            ("", "Expecting value: line 1 column 1 (char 0)"),
            (
                "{\"a\":1,}",
                "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)",
            ),
            ("[1,]", "Expecting value: line 1 column 4 (char 3)"),
            (
                "[1\r\n 2]",
                "Expecting ',' delimiter: line 2 column 2 (char 4)",
            ),
            (
                "\"é\nb\"",
                "Invalid control character at: line 1 column 3 (char 2)",
            ),
            ("\"\\q\"", "Invalid \\escape: line 1 column 2 (char 1)"),
            (
                "\"\\uD800\\u12\"",
                "Invalid \\uXXXX escape: line 1 column 9 (char 8)",
            ),
            ("1.", "Extra data: line 1 column 2 (char 1)"),
            (
                "\u{feff}1",
                "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
            ),
        ] {
            assert_eq!(fault(text), words, "{text:?}");
        }
        let trailing = parse("[1 ,]").unwrap_err();
        assert_eq!(
            trailing.message("[1 ,]", Dialect::TrailingComma),
            "Illegal trailing comma before end of array: line 1 column 4 (char 3)"
        );
    }

    #[test]
    fn values_are_pythons() {
        assert_eq!(
            parse("[1, 1.0, true]").unwrap(),
            parse("[true, 1, 1.0]").unwrap()
        );
        assert!(matches!(parse("-0").unwrap(), Value::Int(0)));
        assert!(matches!(parse("1e400").unwrap(), Value::Float(number) if number.is_infinite()));
        assert!(matches!(parse("NaN").unwrap(), Value::Float(number) if number.is_nan()));
        assert!(matches!(
            parse("9223372036854775808").unwrap(),
            Value::BigInt(_)
        ));
        let pair = parse("\"\\ud83d\\ude00\\ud83d\"").unwrap();
        assert_eq!(pair.as_text().map(Text::len), Some(2));
        let object = parse("{\"a\":1,\"b\":2,\"a\":3}").unwrap();
        assert_eq!(object.get("a"), Some(&Value::Int(3)));
        assert_eq!(object.as_object().map(Object::len), Some(2));
    }

    #[test]
    fn deep_nesting_is_refused_and_several_hundred_levels_are_not() {
        let deep = "[".repeat(100_000);
        assert_eq!(parse(&deep).unwrap_err().kind, SyntaxKind::TooDeep);
        let fine = format!("{}{}", "[".repeat(900), "]".repeat(900));
        assert!(parse(&fine).is_ok());
        let mut reader = Reader::new(&deep);
        assert_eq!(reader.skip().unwrap_err().kind, SyntaxKind::TooDeep);
    }

    #[test]
    fn plain_end_finds_every_stop_at_every_offset() {
        for length in 0..40 {
            for stop in [b'"', b'\\', 0x1f, b'\n', 0] {
                let mut bytes = vec![b'x'; length];
                bytes.extend("é\u{7f} ".as_bytes());
                let end = bytes.len();
                bytes.push(stop);
                bytes.extend(b"tail of the string");
                assert_eq!(plain_end(&bytes, 0), end);
            }
        }
    }
}
