//! Characters to tokens, by the rules of `PyYAML`'s own scanner.
//!
//! In: UTF-8 text whose characters were checked. Out: one token at a time. `PyYAML` is stricter and
//! laxer than libyaml in places that drafts really hit (a tab is never separation, `?` always ends
//! a plain value inside brackets, an escape may name a lone surrogate), so the rules are its own.
//! Nesting and anchors are left to the composer.

use super::{Mark, YamlError};
use crate::text::{Text, push_code_point};
use std::borrow::Cow;
use std::collections::VecDeque;

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lexeme<'a> {
    StreamEnd,
    VersionDirective {
        major: u64,
    },
    TagDirective {
        handle: String,
        prefix: String,
    },
    OtherDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowMappingStart,
    FlowSequenceEnd,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    /// A tag: without a handle the suffix is the whole tag.
    Tag {
        handle: Option<String>,
        suffix: String,
    },
    Scalar {
        text: Text<'a>,
        plain: bool,
    },
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) lexeme: Lexeme<'a>,
    pub(super) mark: Mark,
}

/// A place where a key without `?` may have begun.
#[derive(Clone, Copy, Debug)]
struct SimpleKey {
    token_number: usize,
    required: bool,
    index: usize,
    column: usize,
    mark: Mark,
}

/// What a block scalar does with its last line ends.
#[derive(Clone, Copy, PartialEq)]
enum Chomping {
    Clip,
    Strip,
    Keep,
}

/// Code points a key may be long, as in `PyYAML` and libyaml.
const SIMPLE_KEY_LIMIT: usize = 1024;

pub(super) struct Scanner<'a> {
    text: &'a str,
    /// Byte position.
    at: usize,
    /// Code points before `at`.
    index: usize,
    line: usize,
    /// Code points since the line's start, byte order marks not counted.
    column: usize,
    flow_level: usize,
    /// Column of the current block collection; -1 outside of any.
    indent: isize,
    indents: Vec<isize>,
    simple_key_allowed: bool,
    /// At most one possible key for each flow level.
    simple_keys: Vec<Option<SimpleKey>>,
    tokens: VecDeque<Token<'a>>,
    tokens_taken: usize,
    done: bool,
}

/// `ch in '\0 \t\r\n\x85\u2028\u2029'`: nothing stands for the end of the text.
fn is_blank_or_end(character: Option<char>) -> bool {
    matches!(character, None | Some(' ' | '\t')) || is_break(character)
}

/// `ch in '\0 \r\n\x85\u2028\u2029'`: the same without the tab.
fn is_space_or_end(character: Option<char>) -> bool {
    matches!(character, None | Some(' ')) || is_break(character)
}

/// `ch in '\r\n\x85\u2028\u2029'`.
fn is_break(character: Option<char>) -> bool {
    matches!(
        character,
        Some('\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
    )
}

fn is_break_or_end(character: Option<char>) -> bool {
    character.is_none() || is_break(character)
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '-' | '_')
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            index: 0,
            line: 0,
            column: 0,
            flow_level: 0,
            indent: -1,
            indents: Vec::new(),
            simple_key_allowed: true,
            simple_keys: vec![None],
            tokens: VecDeque::new(),
            tokens_taken: 0,
            done: false,
        }
    }

    /// The next token, left in place. After the end of the stream it stays the end.
    pub(super) fn peek(&mut self) -> Result<&Token<'a>, YamlError> {
        while self.needs_more_tokens()? {
            self.fetch_token()?;
        }
        let mark = self.mark();
        if self.tokens.is_empty() {
            self.tokens.push_back(Token {
                lexeme: Lexeme::StreamEnd,
                mark,
            });
        }
        self.tokens
            .front()
            .ok_or_else(|| YamlError::new("the text ends too early", mark))
    }

    /// The next token.
    pub(super) fn take(&mut self) -> Result<Token<'a>, YamlError> {
        self.peek()?;
        let mark = self.mark();
        self.tokens_taken += 1;
        self.tokens
            .pop_front()
            .ok_or_else(|| YamlError::new("the text ends too early", mark))
    }

    fn mark(&self) -> Mark {
        Mark {
            line: self.line + 1,
            column: self.column + 1,
        }
    }

    fn error(&self, reason: &'static str) -> YamlError {
        YamlError::new(reason, self.mark())
    }

    // Reading characters.

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn here(&self) -> Option<char> {
        let bytes = self.text.as_bytes();
        match bytes.get(self.at) {
            Some(&byte) if byte < 0x80 => Some(char::from(byte)),
            _ => self.rest().chars().next(),
        }
    }

    /// The character behind the current one, which must be one byte long.
    fn next(&self) -> Option<char> {
        self.text
            .get(self.at + 1..)
            .and_then(|rest| rest.chars().next())
    }

    fn starts_document_marker(&self) -> bool {
        let rest = self.rest();
        (rest.starts_with("---") || rest.starts_with("..."))
            && is_blank_or_end(rest.get(3..).and_then(|rest| rest.chars().next()))
    }

    /// Step over one character that is not a line end.
    fn step(&mut self) {
        if let Some(character) = self.here() {
            self.at += character.len_utf8();
            self.index += 1;
            if character != '\u{FEFF}' {
                self.column += 1;
            }
        }
    }

    /// Step over characters while `wanted` holds, none of which may be a line end.
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let start = self.at;
        while let Some(character) = self.here() {
            if !wanted(character) {
                break;
            }
            self.step();
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn skip_spaces(&mut self) {
        self.take_while(|character| character == ' ');
    }

    fn skip_comment(&mut self) {
        if self.here() == Some('#') {
            self.take_while(|character| !is_break(Some(character)));
        }
    }

    /// Step over one line end, if there is one: CR LF, CR, LF and NEL read as LF, the two Unicode
    /// separators as themselves.
    fn take_break(&mut self) -> Option<char> {
        let character = self.here()?;
        if !is_break(Some(character)) {
            return None;
        }
        self.at += character.len_utf8();
        self.index += 1;
        if character == '\r' && self.here() == Some('\n') {
            self.at += 1;
            self.index += 1;
        }
        self.line += 1;
        self.column = 0;
        Some(if matches!(character, '\u{2028}' | '\u{2029}') {
            character
        } else {
            '\n'
        })
    }

    // Simple keys.

    fn needs_more_tokens(&mut self) -> Result<bool, YamlError> {
        if self.done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        // The first token may turn out to begin a key, and then a KEY token goes before it.
        self.drop_stale_keys()?;
        let nearest = self
            .simple_keys
            .iter()
            .flatten()
            .map(|key| key.token_number)
            .min();
        Ok(nearest == Some(self.tokens_taken))
    }

    /// A key must end on its line and within 1024 characters.
    fn drop_stale_keys(&mut self) -> Result<(), YamlError> {
        let (line, index) = (self.line + 1, self.index);
        for place in &mut self.simple_keys {
            let Some(key) = *place else { continue };
            if key.mark.line != line || index.saturating_sub(key.index) > SIMPLE_KEY_LIMIT {
                if key.required {
                    return Err(YamlError::new("a `:` is missing after this key", key.mark));
                }
                *place = None;
            }
        }
        Ok(())
    }

    fn save_key(&mut self) -> Result<(), YamlError> {
        let required = self.flow_level == 0 && isize::try_from(self.column) == Ok(self.indent);
        if self.simple_key_allowed {
            self.forget_key()?;
            let key = SimpleKey {
                token_number: self.tokens_taken + self.tokens.len(),
                required,
                index: self.index,
                column: self.column,
                mark: self.mark(),
            };
            if let Some(place) = self.simple_keys.get_mut(self.flow_level) {
                *place = Some(key);
            }
        }
        Ok(())
    }

    fn forget_key(&mut self) -> Result<(), YamlError> {
        if let Some(key) = self
            .simple_keys
            .get_mut(self.flow_level)
            .and_then(Option::take)
            && key.required
        {
            return Err(YamlError::new("a `:` is missing after this key", key.mark));
        }
        Ok(())
    }

    // Indentation.

    fn unwind_indent(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.push(Lexeme::BlockEnd);
        }
    }

    fn add_indent(&mut self, column: usize) -> bool {
        let column = isize::try_from(column).unwrap_or(isize::MAX);
        if self.indent < column {
            self.indents.push(self.indent);
            self.indent = column;
            return true;
        }
        false
    }

    fn push(&mut self, lexeme: Lexeme<'a>) {
        let mark = self.mark();
        self.tokens.push_back(Token { lexeme, mark });
    }

    // One token.

    fn fetch_token(&mut self) -> Result<(), YamlError> {
        self.skip_to_token();
        self.drop_stale_keys()?;
        self.unwind_indent(isize::try_from(self.column).unwrap_or(isize::MAX));
        let Some(character) = self.here() else {
            return self.fetch_stream_end();
        };
        if self.column == 0 {
            if character == '%' {
                return self.fetch_directive();
            }
            if matches!(character, '-' | '.') && self.starts_document_marker() {
                return self.fetch_document_marker(character);
            }
        }
        let in_flow = self.flow_level > 0;
        match character {
            '[' => self.fetch_flow_start(Lexeme::FlowSequenceStart),
            '{' => self.fetch_flow_start(Lexeme::FlowMappingStart),
            ']' => self.fetch_flow_end(Lexeme::FlowSequenceEnd),
            '}' => self.fetch_flow_end(Lexeme::FlowMappingEnd),
            ',' => self.fetch_flow_entry(),
            '-' if is_blank_or_end(self.next()) => self.fetch_block_entry(),
            '?' if in_flow || is_blank_or_end(self.next()) => self.fetch_key(),
            ':' if in_flow || is_blank_or_end(self.next()) => self.fetch_value(),
            '*' | '&' => self.fetch_anchor(),
            '!' => self.fetch_tag(),
            '|' | '>' if !in_flow => self.fetch_block_scalar(),
            '\'' | '"' => self.fetch_quoted(),
            '\t' => Err(self.error("a tab cannot stand here; indent and separate with spaces")),
            '#' | '|' | '>' | '%' | '@' | '`' => {
                Err(self.error("this character cannot begin a value; put the text in quotes"))
            }
            // `?` and `:` that reach this line have a character behind them and no bracket around.
            _ => self.fetch_plain(),
        }
    }

    fn skip_to_token(&mut self) {
        if self.index == 0 && self.here() == Some('\u{FEFF}') {
            self.step();
        }
        loop {
            self.skip_spaces();
            self.skip_comment();
            if self.take_break().is_none() {
                return;
            }
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    fn fetch_stream_end(&mut self) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.forget_key()?;
        self.simple_key_allowed = false;
        self.simple_keys.clear();
        self.push(Lexeme::StreamEnd);
        self.done = true;
        Ok(())
    }

    fn fetch_document_marker(&mut self, character: char) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.forget_key()?;
        // A block collection cannot begin on the line of the marker.
        self.simple_key_allowed = false;
        self.push(if character == '-' {
            Lexeme::DocumentStart
        } else {
            Lexeme::DocumentEnd
        });
        for _ in 0..3 {
            self.step();
        }
        Ok(())
    }

    fn fetch_flow_start(&mut self, lexeme: Lexeme<'a>) -> Result<(), YamlError> {
        self.save_key()?;
        self.flow_level += 1;
        if self.simple_keys.len() <= self.flow_level {
            self.simple_keys.push(None);
        }
        self.simple_key_allowed = true;
        self.push(lexeme);
        self.step();
        Ok(())
    }

    fn fetch_flow_end(&mut self, lexeme: Lexeme<'a>) -> Result<(), YamlError> {
        self.forget_key()?;
        // PyYAML goes on below zero here, and its parser then refuses the bracket in any place.
        self.flow_level = self
            .flow_level
            .checked_sub(1)
            .ok_or_else(|| self.error("a closing bracket without an opening one"))?;
        self.simple_key_allowed = false;
        self.push(lexeme);
        self.step();
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), YamlError> {
        self.simple_key_allowed = true;
        self.forget_key()?;
        self.push(Lexeme::FlowEntry);
        self.step();
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), YamlError> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.error("a list entry cannot begin here"));
            }
            if self.add_indent(self.column) {
                self.push(Lexeme::BlockSequenceStart);
            }
        }
        self.simple_key_allowed = true;
        self.forget_key()?;
        self.push(Lexeme::BlockEntry);
        self.step();
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), YamlError> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.error("a mapping key cannot begin here"));
            }
            if self.add_indent(self.column) {
                self.push(Lexeme::BlockMappingStart);
            }
        }
        self.simple_key_allowed = self.flow_level == 0;
        self.forget_key()?;
        self.push(Lexeme::Key);
        self.step();
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), YamlError> {
        if let Some(key) = self
            .simple_keys
            .get_mut(self.flow_level)
            .and_then(Option::take)
        {
            let place = key
                .token_number
                .saturating_sub(self.tokens_taken)
                .min(self.tokens.len());
            self.tokens.insert(
                place,
                Token {
                    lexeme: Lexeme::Key,
                    mark: key.mark,
                },
            );
            if self.flow_level == 0 && self.add_indent(key.column) {
                let start = Token {
                    lexeme: Lexeme::BlockMappingStart,
                    mark: key.mark,
                };
                self.tokens.insert(place, start);
            }
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return Err(self.error(
                        "a mapping value cannot stand here; put a text that holds `: ` in quotes",
                    ));
                }
                if self.add_indent(self.column) {
                    self.push(Lexeme::BlockMappingStart);
                }
            }
            self.simple_key_allowed = self.flow_level == 0;
            self.forget_key()?;
        }
        self.push(Lexeme::Value);
        self.step();
        Ok(())
    }

    fn fetch_anchor(&mut self) -> Result<(), YamlError> {
        self.save_key()?;
        self.simple_key_allowed = false;
        let mark = self.mark();
        let is_alias = self.here() == Some('*');
        self.step();
        let name = self.take_while(is_word);
        let ends = is_blank_or_end(self.here())
            || matches!(
                self.here(),
                Some('?' | ':' | ',' | ']' | '}' | '%' | '@' | '`')
            );
        if name.is_empty() || !ends {
            return Err(self.error("the name of an anchor is letters, digits, `-` and `_`"));
        }
        let lexeme = if is_alias {
            Lexeme::Alias(name)
        } else {
            Lexeme::Anchor(name)
        };
        self.tokens.push_back(Token { lexeme, mark });
        Ok(())
    }

    fn fetch_quoted(&mut self) -> Result<(), YamlError> {
        self.save_key()?;
        self.simple_key_allowed = false;
        let mark = self.mark();
        let text = self.scan_quoted()?;
        self.tokens.push_back(Token {
            lexeme: Lexeme::Scalar { text, plain: false },
            mark,
        });
        Ok(())
    }

    fn fetch_plain(&mut self) -> Result<(), YamlError> {
        self.save_key()?;
        self.simple_key_allowed = false;
        let mark = self.mark();
        let text = self.scan_plain();
        self.tokens.push_back(Token {
            lexeme: Lexeme::Scalar { text, plain: true },
            mark,
        });
        Ok(())
    }

    // Directives and tags.

    fn fetch_directive(&mut self) -> Result<(), YamlError> {
        self.unwind_indent(-1);
        self.forget_key()?;
        self.simple_key_allowed = false;
        let mark = self.mark();
        self.step();
        let name = self.take_while(is_word);
        if name.is_empty() || !is_space_or_end(self.here()) {
            return Err(self.error("the name of a directive is letters, digits, `-` and `_`"));
        }
        let lexeme = match name {
            "YAML" => {
                self.skip_spaces();
                let major = self.scan_version_number()?;
                if self.here() != Some('.') {
                    return Err(self.error("the YAML version is two numbers with a dot between"));
                }
                self.step();
                self.scan_version_number()?;
                if !is_space_or_end(self.here()) {
                    return Err(self.error("the YAML version is two numbers with a dot between"));
                }
                Lexeme::VersionDirective { major }
            }
            "TAG" => {
                self.skip_spaces();
                let handle = self.scan_tag_handle()?;
                if self.here() != Some(' ') {
                    return Err(self.error("a space belongs behind the handle of a tag directive"));
                }
                self.skip_spaces();
                let prefix = self.scan_tag_uri()?;
                if !is_space_or_end(self.here()) {
                    return Err(self.error("a tag ends with a space or the line"));
                }
                Lexeme::TagDirective { handle, prefix }
            }
            _ => {
                self.take_while(|character| !is_break(Some(character)));
                Lexeme::OtherDirective
            }
        };
        self.finish_line("only a comment may stand behind a directive")?;
        self.tokens.push_back(Token { lexeme, mark });
        Ok(())
    }

    fn scan_version_number(&mut self) -> Result<u64, YamlError> {
        let digits = self.take_while(|character| character.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.error("the YAML version is two numbers with a dot between"));
        }
        // Only 1 is accepted later, so a number too large for the type may read as any other.
        Ok(digits.parse().unwrap_or(u64::MAX))
    }

    /// Blanks, a comment and the line end behind a directive or a block scalar's header.
    fn finish_line(&mut self, reason: &'static str) -> Result<(), YamlError> {
        self.skip_spaces();
        self.skip_comment();
        if !is_break_or_end(self.here()) {
            return Err(self.error(reason));
        }
        self.take_break();
        Ok(())
    }

    fn fetch_tag(&mut self) -> Result<(), YamlError> {
        self.save_key()?;
        self.simple_key_allowed = false;
        let mark = self.mark();
        let (handle, suffix) = if self.next() == Some('<') {
            self.step();
            self.step();
            let suffix = self.scan_tag_uri()?;
            if self.here() != Some('>') {
                return Err(self.error("a `>` is missing behind the tag"));
            }
            self.step();
            (None, suffix)
        } else if is_blank_or_end(self.next()) {
            self.step();
            (None, String::from("!"))
        } else {
            let word = self
                .rest()
                .chars()
                .skip(1)
                .take_while(|&c| !is_space_or_end(Some(c)));
            let handle = if word.into_iter().any(|character| character == '!') {
                self.scan_tag_handle()?
            } else {
                self.step();
                String::from("!")
            };
            (Some(handle), self.scan_tag_uri()?)
        };
        if !is_space_or_end(self.here()) {
            return Err(self.error("a tag ends with a space or the line"));
        }
        self.tokens.push_back(Token {
            lexeme: Lexeme::Tag { handle, suffix },
            mark,
        });
        Ok(())
    }

    fn scan_tag_handle(&mut self) -> Result<String, YamlError> {
        let start = self.at;
        if self.here() != Some('!') {
            return Err(self.error("the handle of a tag begins with `!`"));
        }
        self.step();
        if self.here() != Some(' ') {
            self.take_while(is_word);
            if self.here() != Some('!') {
                return Err(self.error("the handle of a tag ends with `!`"));
            }
            self.step();
        }
        Ok(self.text.get(start..self.at).unwrap_or_default().to_owned())
    }

    fn scan_tag_uri(&mut self) -> Result<String, YamlError> {
        let mut uri = Vec::new();
        loop {
            uri.extend_from_slice(
                self.take_while(|c| {
                    c.is_ascii_alphanumeric() || "-;/?:@&=+$,_.!~*'()[]".contains(c)
                })
                .as_bytes(),
            );
            if self.here() != Some('%') {
                break;
            }
            self.step();
            uri.push(u8::try_from(self.scan_hex(2)?).unwrap_or_default());
        }
        if uri.is_empty() {
            return Err(self.error("a tag has at least one letter"));
        }
        String::from_utf8(uri).map_err(|_| self.error("the escapes in this tag are not UTF-8"))
    }

    fn scan_hex(&mut self, digits: usize) -> Result<u32, YamlError> {
        let mut code_point: u32 = 0;
        for _ in 0..digits {
            let digit = self.here().and_then(|character| character.to_digit(16));
            let digit =
                digit.ok_or_else(|| self.error("this escape needs more hexadecimal digits"))?;
            code_point = (code_point << 4) | digit;
            self.step();
        }
        Ok(code_point)
    }

    // Scalars.

    fn fetch_block_scalar(&mut self) -> Result<(), YamlError> {
        self.simple_key_allowed = true;
        self.forget_key()?;
        let mark = self.mark();
        let text = self.scan_block_scalar()?;
        self.tokens.push_back(Token {
            lexeme: Lexeme::Scalar { text, plain: false },
            mark,
        });
        Ok(())
    }

    fn scan_block_scalar(&mut self) -> Result<Text<'a>, YamlError> {
        let folded = self.here() == Some('>');
        self.step();
        let (chomping, increment) = self.scan_block_header()?;
        self.finish_line("only a comment may stand behind the header of a block text")?;
        let least = usize::try_from(self.indent + 1).unwrap_or(0).max(1);
        let mut breaks = String::new();
        let indent = if let Some(increment) = increment {
            let indent = least + increment - 1;
            self.scan_block_breaks(indent, &mut breaks);
            indent
        } else {
            least.max(self.scan_block_indentation(&mut breaks))
        };
        let mut text = String::new();
        let mut line_break = None;
        while self.column == indent && self.here().is_some() {
            text.push_str(&breaks);
            let starts_blank = matches!(self.here(), Some(' ' | '\t'));
            text.push_str(self.take_while(|character| !is_break(Some(character))));
            line_break = self.take_break();
            breaks.clear();
            self.scan_block_breaks(indent, &mut breaks);
            if self.column != indent || self.here().is_none() {
                break;
            }
            let joins = folded
                && line_break == Some('\n')
                && !starts_blank
                && !matches!(self.here(), Some(' ' | '\t'));
            if !joins {
                text.extend(line_break);
            } else if breaks.is_empty() {
                text.push(' ');
            }
        }
        if chomping != Chomping::Strip {
            text.extend(line_break);
        }
        if chomping == Chomping::Keep {
            text.push_str(&breaks);
        }
        Ok(Text::from(text))
    }

    fn scan_block_header(&mut self) -> Result<(Chomping, Option<usize>), YamlError> {
        let mut chomping = None;
        let mut increment = None;
        // One of each at most, in either order.
        for _ in 0..2 {
            match self.here() {
                Some('+') if chomping.is_none() => chomping = Some(Chomping::Keep),
                Some('-') if chomping.is_none() => chomping = Some(Chomping::Strip),
                Some('0') if increment.is_none() => {
                    return Err(self.error("the indentation of a block text is 1 to 9"));
                }
                Some(digit @ '1'..='9') if increment.is_none() => {
                    increment = digit
                        .to_digit(10)
                        .and_then(|digit| usize::try_from(digit).ok());
                }
                _ => break,
            }
            self.step();
        }
        if !is_space_or_end(self.here()) {
            return Err(self.error("only `+`, `-` and a digit may follow `|` or `>`"));
        }
        Ok((chomping.unwrap_or(Chomping::Clip), increment))
    }

    /// Skip blank lines; the deepest indentation seen is the text's.
    fn scan_block_indentation(&mut self, breaks: &mut String) -> usize {
        let mut deepest = 0;
        loop {
            if self.here() == Some(' ') {
                self.step();
                deepest = deepest.max(self.column);
            } else if let Some(line_break) = self.take_break() {
                breaks.push(line_break);
            } else {
                return deepest;
            }
        }
    }

    fn scan_block_breaks(&mut self, indent: usize, breaks: &mut String) {
        loop {
            while self.column < indent && self.here() == Some(' ') {
                self.step();
            }
            let Some(line_break) = self.take_break() else {
                return;
            };
            breaks.push(line_break);
        }
    }

    fn scan_quoted(&mut self) -> Result<Text<'a>, YamlError> {
        let start = self.mark();
        let double = self.here() == Some('"');
        let quote = if double { '"' } else { '\'' };
        self.step();
        let first = self.take_quoted_run(double);
        // Most quoted values are one run without an escape, and borrow from the input.
        if self.here() == Some(quote) && (double || self.next() != Some('\'')) {
            self.step();
            return Ok(Text::borrowed(first));
        }
        let mut text = first.as_bytes().to_vec();
        loop {
            self.scan_quoted_characters(double, &mut text)?;
            if self.here() == Some(quote) {
                self.step();
                return Ok(Text::from_wtf8(Cow::Owned(text)));
            }
            self.scan_quoted_blanks(start, &mut text)?;
        }
    }

    /// Characters that stand for themselves, blanks only between others.
    fn take_quoted_run(&mut self, double: bool) -> &'a str {
        let start = self.at;
        let mut end = self.at;
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(end) {
            let stop = match byte {
                b'"' | b'\\' => double,
                b'\'' => !double,
                b'\n' | b'\r' => true,
                // NEL begins with C2 85, the separators with E2 80.
                0xC2 => bytes.get(end + 1) == Some(&0x85),
                0xE2 => is_break(self.text.get(end..).and_then(|rest| rest.chars().next())),
                _ => false,
            };
            if stop {
                break;
            }
            end += 1;
        }
        let run = self.text.get(start..end).unwrap_or_default();
        // Blanks before a line end fold away, so they are left to the slow path.
        let run = if is_break_or_end(run_follower(self.text, end)) {
            run.trim_end_matches([' ', '\t'])
        } else {
            run
        };
        self.at = start + run.len();
        let count = run.chars().count();
        self.index += count;
        self.column += count - run.matches('\u{FEFF}').count();
        run
    }

    fn scan_quoted_characters(
        &mut self,
        double: bool,
        text: &mut Vec<u8>,
    ) -> Result<(), YamlError> {
        loop {
            let run = self.take_while(|character| {
                !is_blank_or_end(Some(character)) && !matches!(character, '\'' | '"' | '\\')
            });
            text.extend_from_slice(run.as_bytes());
            match self.here() {
                Some('\'') if !double && self.next() == Some('\'') => {
                    text.push(b'\'');
                    self.step();
                    self.step();
                }
                Some('\'') if double => {
                    text.push(b'\'');
                    self.step();
                }
                Some(character @ ('"' | '\\')) if !double => {
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    self.step();
                }
                Some('\\') => {
                    self.step();
                    self.scan_escape(text)?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn scan_escape(&mut self, text: &mut Vec<u8>) -> Result<(), YamlError> {
        let Some(character) = self.here() else {
            return Err(self.error("the text ends inside an escape"));
        };
        if is_break(Some(character)) {
            self.take_break();
            let mut breaks = String::new();
            self.scan_quoted_breaks(&mut breaks)?;
            text.extend_from_slice(breaks.as_bytes());
            return Ok(());
        }
        let code_point = match character {
            '0' => 0,
            'a' => 0x07,
            'b' => 0x08,
            't' | '\t' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            'e' => 0x1B,
            ' ' | '"' | '\\' | '/' => u32::from(character),
            'N' => 0x85,
            '_' => 0xA0,
            'L' => 0x2028,
            'P' => 0x2029,
            'x' | 'u' | 'U' => {
                self.step();
                let digits = match character {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let code_point = self.scan_hex(digits)?;
                if code_point > u32::from(char::MAX) {
                    return Err(self.error("this escape is beyond U+10FFFF"));
                }
                push_code_point(text, code_point);
                return Ok(());
            }
            _ => {
                return Err(self.error(
                    "an unknown escape; write `\\\\` for a backslash or use single quotes",
                ));
            }
        };
        push_code_point(text, code_point);
        self.step();
        Ok(())
    }

    fn scan_quoted_blanks(&mut self, start: Mark, text: &mut Vec<u8>) -> Result<(), YamlError> {
        let blanks = self.take_while(|character| matches!(character, ' ' | '\t'));
        if self.here().is_none() {
            return Err(YamlError::new("a quoted text that is never closed", start));
        }
        let Some(line_break) = self.take_break() else {
            text.extend_from_slice(blanks.as_bytes());
            return Ok(());
        };
        let mut folded = String::new();
        self.scan_quoted_breaks(&mut folded)?;
        if line_break != '\n' {
            folded.insert(0, line_break);
        } else if folded.is_empty() {
            folded.push(' ');
        }
        text.extend_from_slice(folded.as_bytes());
        Ok(())
    }

    fn scan_quoted_breaks(&mut self, breaks: &mut String) -> Result<(), YamlError> {
        loop {
            if self.starts_document_marker() {
                return Err(self.error("a document marker inside a quoted text"));
            }
            self.take_while(|character| matches!(character, ' ' | '\t'));
            let Some(line_break) = self.take_break() else {
                return Ok(());
            };
            breaks.push(line_break);
        }
    }

    fn scan_plain(&mut self) -> Text<'a> {
        let indent = self.indent + 1;
        let mut text = Cow::Borrowed("");
        let mut spaces: Cow<'a, str> = Cow::Borrowed("");
        loop {
            if self.here() == Some('#') {
                break;
            }
            let run = self.take_plain_run();
            if run.is_empty() {
                break;
            }
            self.simple_key_allowed = false;
            if text.is_empty() {
                text = Cow::Borrowed(run);
            } else {
                let text = text.to_mut();
                text.push_str(&spaces);
                text.push_str(run);
            }
            spaces = self.scan_plain_blanks();
            let outdented =
                self.flow_level == 0 && isize::try_from(self.column).unwrap_or(isize::MAX) < indent;
            if spaces.is_empty() || self.here() == Some('#') || outdented {
                break;
            }
        }
        match text {
            Cow::Borrowed(text) => Text::borrowed(text),
            Cow::Owned(text) => Text::from(text),
        }
    }

    /// Characters up to a blank, a `:` that ends a key, or an indicator inside brackets.
    fn take_plain_run(&mut self) -> &'a str {
        let start = self.at;
        let in_flow = self.flow_level > 0;
        while let Some(character) = self.here() {
            let ends = match character {
                ' ' | '\t' => true,
                ':' => {
                    let next = self.next();
                    is_blank_or_end(next)
                        || in_flow && matches!(next, Some(',' | '[' | ']' | '{' | '}'))
                }
                ',' | '?' | '[' | ']' | '{' | '}' => in_flow,
                _ => is_break(Some(character)),
            };
            if ends {
                break;
            }
            self.step();
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Blanks and folded line ends between two runs; empty where the value must end.
    fn scan_plain_blanks(&mut self) -> Cow<'a, str> {
        let blanks = self.take_while(|character| character == ' ');
        let Some(line_break) = self.take_break() else {
            return Cow::Borrowed(blanks);
        };
        self.simple_key_allowed = true;
        if self.starts_document_marker() {
            return Cow::Borrowed("");
        }
        let mut folded = String::new();
        loop {
            if self.here() == Some(' ') {
                self.step();
            } else if let Some(more) = self.take_break() {
                folded.push(more);
                if self.starts_document_marker() {
                    return Cow::Borrowed("");
                }
            } else {
                break;
            }
        }
        if line_break != '\n' {
            folded.insert(0, line_break);
        } else if folded.is_empty() {
            folded.push(' ');
        }
        Cow::Owned(folded)
    }
}

/// The character at byte `at`, skipping nothing.
fn run_follower(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
}
