//! Schema patterns with the meaning of Python's `re.search`.
//!
//! In: a pattern in Python syntax and a string. Out: whether it is found, or why it cannot be told.
//! A pattern is translated when this file knows that the translation accepts exactly the same
//! strings: to `regex` (linear time) where it is regular, to `fancy-regex` (bounded backtracking)
//! for look-around and back-references. Everything else, also syntax that Python may refuse, goes
//! to the [`PatternEngine`], which the Python binding backs with Python's own `re`.

use crate::text::patterns::PatternEngine;
use crate::value::Text;
use std::fmt::Write as _;

/// Steps `fancy-regex` may backtrack for one string before the engine is asked instead.
const BACKTRACK_LIMIT: usize = 200_000;

/// Counts above this are left to Python: compiled programs grow with them.
const LARGEST_COUNT: u32 = 1000;

/// Deepest group nesting that is translated.
const DEEPEST_GROUP: usize = 60;

/// A pattern, translated once.
#[derive(Debug)]
pub struct Pattern<'s> {
    text: &'s Text<'s>,
    compiled: Option<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    machine: Machine,
    subjects: Subjects,
}

#[derive(Debug)]
enum Machine {
    Regular(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// The strings for which a translation is known to agree with Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subjects {
    /// All.
    Any,
    /// Those of characters whose class is the same in every Unicode version since 13.0.
    Settled,
    /// ASCII.
    Ascii,
}

impl Subjects {
    fn includes(self, subject: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Ascii => subject.is_ascii(),
            Self::Settled => {
                subject.is_ascii()
                    || subject.chars().all(|character| {
                        matches!(
                            u32::from(character),
                            0..0x530 | 0x3040..0x3100 | 0x4E00..0x9FF0 | 0xAC00..0xD7A4
                        )
                    })
            }
        }
    }
}

impl<'s> Pattern<'s> {
    /// Prepare `text`, a pattern in Python syntax. Never fails: what cannot be translated is left
    /// to the engine at every search.
    pub fn new(text: &'s Text<'s>) -> Self {
        Self {
            text,
            compiled: text.as_str().and_then(compile),
        }
    }

    /// The pattern as written.
    pub fn text(&self) -> &'s Text<'s> {
        self.text
    }

    /// Whether every search for an ASCII string stays in Rust.
    pub fn is_translated(&self) -> bool {
        self.compiled.is_some()
    }

    /// Whether Python's `re.search` finds the pattern in `subject`.
    ///
    /// # Errors
    /// When the pattern cannot be used, in the engine's words.
    pub fn search(&self, subject: &Text<'_>, engine: &dyn PatternEngine) -> Result<bool, String> {
        if let Some(compiled) = &self.compiled
            && let Some(plain) = subject.as_str()
            && compiled.subjects.includes(plain)
        {
            match &compiled.machine {
                Machine::Regular(regex) => return Ok(regex.is_match(plain)),
                Machine::Backtracking(regex) => {
                    // An error means the backtracking limit: let Python try.
                    if let Ok(found) = regex.is_match(plain) {
                        return Ok(found);
                    }
                }
            }
        }
        engine.search(self.text, subject)
    }
}

fn compile(pattern: &str) -> Option<Compiled> {
    let translation = translate(pattern)?;
    let machine = if translation.is_regular {
        Machine::Regular(regex::Regex::new(&translation.source).ok()?)
    } else {
        let regex = fancy_regex::RegexBuilder::new(&translation.source)
            .backtrack_limit(BACKTRACK_LIMIT)
            .build()
            .ok()?;
        Machine::Backtracking(Box::new(regex))
    };
    Some(Compiled {
        machine,
        subjects: translation.subjects,
    })
}

/// A pattern in Rust syntax.
#[derive(Debug, PartialEq, Eq)]
struct Translation {
    source: String,
    is_regular: bool,
    subjects: Subjects,
}

/// Translate `pattern`; nothing when Python must decide.
fn translate(pattern: &str) -> Option<Translation> {
    let mut parser = Parser {
        rest: pattern.chars(),
        group_count: 0,
        closed: Vec::new(),
        names: Vec::new(),
        depth: 0,
        has_reference: false,
        has_volatile_group: false,
        subjects: Subjects::Any,
    };
    let flags = parser.leading_flags()?;
    let node = parser.alternatives(flags, Place::default())?;
    if parser.rest.next().is_some() || (parser.has_reference && parser.has_volatile_group) {
        return None;
    }
    let mut writer = Writer {
        out: String::new(),
        is_regular: true,
    };
    writer.node(&node, true);
    Some(Translation {
        source: writer.out,
        is_regular: writer.is_regular,
        subjects: parser.subjects,
    })
}

#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one field for each of Python's flag letters"
)]
struct Flags {
    ignores_case: bool,
    is_multiline: bool,
    dot_takes_all: bool,
    is_ascii: bool,
}

/// What encloses the part that is parsed.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// Inside look-behind: only parts of known width.
    is_behind: bool,
    /// Inside look-around.
    is_look: bool,
}

#[derive(Debug)]
enum Node {
    Literal(char, bool),
    /// A class in Rust syntax, and whether case is ignored.
    Class(String, bool),
    Dot(bool),
    LineStart(bool),
    LineEnd(bool),
    TextStart,
    TextEnd,
    WordEdge,
    Sequence(Vec<Node>),
    Alternatives(Vec<Node>),
    Group(Box<Node>, bool),
    Repeat {
        node: Box<Node>,
        least: u32,
        most: Option<u32>,
        is_lazy: bool,
    },
    Look {
        node: Box<Node>,
        is_behind: bool,
        is_negative: bool,
    },
    Reference(usize),
}

impl Node {
    /// Width in code points when it is the same for every match and easily known.
    fn width(&self) -> Option<usize> {
        match self {
            Self::Literal(..) | Self::Class(..) | Self::Dot(_) => Some(1),
            Self::Sequence(nodes) => nodes.iter().map(Self::width).sum(),
            Self::Alternatives(nodes) => {
                let mut widths = nodes.iter().map(Self::width);
                let first = widths.next()??;
                widths.all(|width| width == Some(first)).then_some(first)
            }
            Self::Group(node, _) => node.width(),
            Self::LineStart(_)
            | Self::LineEnd(_)
            | Self::TextStart
            | Self::TextEnd
            | Self::WordEdge
            | Self::Repeat { .. }
            | Self::Look { .. }
            | Self::Reference(_) => None,
        }
    }

    fn holds_group(&self) -> bool {
        match self {
            Self::Group(_, true) => true,
            Self::Group(node, false) | Self::Repeat { node, .. } | Self::Look { node, .. } => {
                node.holds_group()
            }
            Self::Sequence(nodes) | Self::Alternatives(nodes) => {
                nodes.iter().any(Self::holds_group)
            }
            Self::Literal(..)
            | Self::Class(..)
            | Self::Dot(_)
            | Self::LineStart(_)
            | Self::LineEnd(_)
            | Self::TextStart
            | Self::TextEnd
            | Self::WordEdge
            | Self::Reference(_) => false,
        }
    }
}

struct Parser<'p> {
    rest: std::str::Chars<'p>,
    group_count: usize,
    /// Groups that are closed and may be referred to.
    closed: Vec<usize>,
    names: Vec<(String, usize)>,
    depth: usize,
    has_reference: bool,
    /// A capturing group stands in a repeat or a look-around: what it holds afterwards depends on
    /// the machine, which matters to back-references only.
    has_volatile_group: bool,
    subjects: Subjects,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn accept(&mut self, word: &str) -> bool {
        let mut ahead = self.rest.clone();
        if word.chars().all(|wanted| ahead.next() == Some(wanted)) {
            self.rest = ahead;
            return true;
        }
        false
    }

    fn limit(&mut self, subjects: Subjects) {
        self.subjects = self.subjects.max(subjects);
    }

    /// `(?ims)` at the very start.
    fn leading_flags(&mut self) -> Option<Flags> {
        let start = self.rest.clone();
        if self.accept("(?") && matches!(self.peek(), Some('a'..='z')) {
            let (flags, end) = self.flags(Flags::default(), true)?;
            if end == ')' {
                return Some(flags);
            }
        }
        self.rest = start;
        Some(Flags::default())
    }

    /// Flag letters up to `)` or `:`, which is returned too. The letters that set the kind of the
    /// whole pattern are known at its start only.
    fn flags(&mut self, mut flags: Flags, is_leading: bool) -> Option<(Flags, char)> {
        let mut is_on = true;
        let mut seen = String::new();
        loop {
            let letter = self.rest.next()?;
            if seen.contains(letter) {
                return None;
            }
            seen.push(letter);
            match letter {
                'i' => flags.ignores_case = is_on,
                'm' => flags.is_multiline = is_on,
                's' => flags.dot_takes_all = is_on,
                'a' if is_on && is_leading && !seen.contains('u') => flags.is_ascii = true,
                'u' if is_on && is_leading && !seen.contains('a') => {}
                '-' if matches!(self.peek(), Some('i' | 'm' | 's')) => is_on = false,
                ')' if is_on => return Some((flags, letter)),
                ':' => return Some((flags, letter)),
                _ => return None,
            }
        }
    }

    fn alternatives(&mut self, flags: Flags, place: Place) -> Option<Node> {
        let mut branches = vec![self.sequence(flags, place)?];
        while self.accept("|") {
            branches.push(self.sequence(flags, place)?);
        }
        if branches.len() == 1 {
            branches.pop()
        } else {
            Some(Node::Alternatives(branches))
        }
    }

    fn sequence(&mut self, flags: Flags, place: Place) -> Option<Node> {
        let mut nodes = Vec::new();
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let atom = self.atom(flags, place)?;
            nodes.push(match atom {
                Some(atom) => self.repeated(atom, place)?,
                // A comment: a quantifier behind it would be on what stands before.
                None if matches!(self.peek(), Some('*' | '+' | '?' | '{')) => return None,
                None => continue,
            });
        }
        Some(Node::Sequence(nodes))
    }

    #[expect(
        clippy::option_option,
        reason = "outer: whether it can be translated; inner: whether it matches anything"
    )]
    fn atom(&mut self, flags: Flags, place: Place) -> Option<Option<Node>> {
        Some(Some(match self.rest.next()? {
            '.' => Node::Dot(flags.dot_takes_all),
            '^' => Node::LineStart(flags.is_multiline),
            '$' => Node::LineEnd(flags.is_multiline),
            '[' => self.class(flags)?,
            '(' => return self.group(flags, place),
            '\\' => self.escape(flags)?,
            // Nothing to repeat, which Python refuses.
            '*' | '+' | '?' => return None,
            '{' if self.is_count_ahead() => return None,
            other => self.literal(other, flags)?,
        }))
    }

    fn literal(&mut self, character: char, flags: Flags) -> Option<Node> {
        if flags.ignores_case {
            if !character.is_ascii() {
                return None;
            }
            self.limit(Subjects::Ascii);
        }
        Some(Node::Literal(character, flags.ignores_case))
    }

    /// `atom` with the quantifier that follows, if one does.
    fn repeated(&mut self, atom: Node, place: Place) -> Option<Node> {
        let (least, most) = if self.accept("*") {
            (0, None)
        } else if self.accept("+") {
            (1, None)
        } else if self.accept("?") {
            (0, Some(1))
        } else if self.peek() == Some('{')
            && let Some(counts) = self.counts()?
        {
            counts
        } else {
            return Some(atom);
        };
        if place.is_behind
            || matches!(
                atom,
                Node::LineStart(_)
                    | Node::LineEnd(_)
                    | Node::TextStart
                    | Node::TextEnd
                    | Node::WordEdge
                    | Node::Look { .. }
            )
        {
            return None;
        }
        self.has_volatile_group |= atom.holds_group();
        let is_lazy = self.accept("?");
        // `*+` is possessive or a fault, by version; `**` is a fault; `*{2}` too.
        let mut ahead = self.rest.clone();
        match ahead.next() {
            Some('*' | '+' | '?') => return None,
            Some('{') if matches!(ahead.next(), Some('0'..='9' | ',')) => return None,
            _ => {}
        }
        Some(Node::Repeat {
            node: Box::new(atom),
            least,
            most,
            is_lazy,
        })
    }

    /// `{m}`, `{m,}`, `{,n}` or `{m,n}`: the outer nothing when Python must decide, the inner one
    /// when the brace is no quantifier and stands for itself.
    #[expect(
        clippy::option_option,
        reason = "two kinds of nothing, told apart above"
    )]
    fn counts(&mut self) -> Option<Option<(u32, Option<u32>)>> {
        let start = self.rest.clone();
        self.rest.next();
        let low = self.digits();
        let (high, is_range) = if self.accept(",") {
            (self.digits(), true)
        } else {
            (low.clone(), false)
        };
        if (low.is_empty() && !is_range) || !self.accept("}") {
            self.rest = start;
            return Some(None);
        }
        let number = |digits: &str| {
            let number: u32 = digits.parse().ok()?;
            (number <= LARGEST_COUNT).then_some(number)
        };
        let least = if low.is_empty() { 0 } else { number(&low)? };
        let most = if high.is_empty() {
            None
        } else {
            Some(number(&high)?)
        };
        if most.is_some_and(|most| most < least) {
            return None;
        }
        Some(Some((least, most)))
    }

    /// Whether what follows an opening brace makes it a quantifier, or might.
    fn is_count_ahead(&self) -> bool {
        matches!(self.peek(), Some('0'..='9' | ','))
    }

    fn digits(&mut self) -> String {
        let mut out = String::new();
        while let Some(digit @ '0'..='9') = self.peek() {
            out.push(digit);
            self.rest.next();
        }
        out
    }

    #[expect(
        clippy::option_option,
        reason = "outer: whether it can be translated; inner: whether it matches anything"
    )]
    fn group(&mut self, flags: Flags, place: Place) -> Option<Option<Node>> {
        self.depth += 1;
        if self.depth > DEEPEST_GROUP {
            return None;
        }
        let node = self.group_body(flags, place)?;
        self.depth -= 1;
        Some(node)
    }

    #[expect(
        clippy::option_option,
        reason = "outer: whether it can be translated; inner: whether it matches anything"
    )]
    fn group_body(&mut self, flags: Flags, place: Place) -> Option<Option<Node>> {
        if !self.accept("?") {
            return self.capturing(None, flags, place).map(Some);
        }
        if matches!(self.peek(), Some('i' | 'm' | 's' | '-')) {
            let (inner, end) = self.flags(flags, false)?;
            return (end == ':')
                .then(|| self.plain_group(inner, place))?
                .map(Some);
        }
        let next = self.rest.next()?;
        let is_look = |is_behind| Place {
            is_behind,
            is_look: true,
        };
        match next {
            ':' => self.plain_group(flags, place).map(Some),
            '#' => {
                while self.rest.next()? != ')' {}
                Some(None)
            }
            '=' | '!' => {
                let node = self.alternatives(flags, is_look(place.is_behind))?;
                if place.is_behind || !self.accept(")") {
                    return None;
                }
                Some(Some(Node::Look {
                    node: Box::new(node),
                    is_behind: false,
                    is_negative: next == '!',
                }))
            }
            '<' => {
                let is_negative = match self.rest.next()? {
                    '=' => false,
                    '!' => true,
                    _ => return None,
                };
                let node = self.alternatives(flags, is_look(true))?;
                if place.is_behind || node.holds_group() || !self.accept(")") {
                    return None;
                }
                // Python wants one width for all alternatives.
                node.width()?;
                Some(Some(Node::Look {
                    node: Box::new(node),
                    is_behind: true,
                    is_negative,
                }))
            }
            'P' => match self.rest.next()? {
                '<' => {
                    let name = self.name('>')?;
                    if self.names.iter().any(|(known, _)| *known == name) {
                        return None;
                    }
                    self.capturing(Some(name), flags, place).map(Some)
                }
                '=' => {
                    let name = self.name(')')?;
                    let (_, number) = self.names.iter().find(|(known, _)| *known == name)?;
                    let number = *number;
                    self.reference(number, flags).map(Some)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn plain_group(&mut self, flags: Flags, place: Place) -> Option<Node> {
        let node = self.alternatives(flags, place)?;
        self.accept(")").then(|| Node::Group(Box::new(node), false))
    }

    fn capturing(&mut self, name: Option<String>, flags: Flags, place: Place) -> Option<Node> {
        self.group_count += 1;
        let number = self.group_count;
        if let Some(name) = name {
            self.names.push((name, number));
        }
        self.has_volatile_group |= place.is_look;
        let node = self.alternatives(flags, place)?;
        if !self.accept(")") {
            return None;
        }
        self.closed.push(number);
        Some(Node::Group(Box::new(node), true))
    }

    fn reference(&mut self, number: usize, flags: Flags) -> Option<Node> {
        if flags.ignores_case || !self.closed.contains(&number) {
            return None;
        }
        self.has_reference = true;
        Some(Node::Reference(number))
    }

    /// An ASCII identifier up to `end`, which is consumed.
    fn name(&mut self, end: char) -> Option<String> {
        let mut name = String::new();
        loop {
            let letter = self.rest.next()?;
            if letter == end {
                break;
            }
            if !(letter == '_'
                || letter.is_ascii_alphabetic()
                || (letter.is_ascii_digit() && !name.is_empty()))
            {
                return None;
            }
            name.push(letter);
        }
        (!name.is_empty()).then_some(name)
    }

    fn escape(&mut self, flags: Flags) -> Option<Node> {
        let letter = self.rest.next()?;
        match letter {
            'A' => Some(Node::TextStart),
            'Z' => Some(Node::TextEnd),
            'b' => {
                self.limit(Subjects::Ascii);
                Some(Node::WordEdge)
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                let class = self.category(letter, flags)?;
                Some(Node::Class(format!("[{class}]"), false))
            }
            '1'..='9' => {
                // Two digits may be an octal escape: Python's to decide.
                if matches!(self.peek(), Some('0'..='9')) {
                    return None;
                }
                let number = letter.to_digit(10)?;
                self.reference(usize::try_from(number).ok()?, flags)
            }
            _ => {
                let character = self.escaped_character(letter)?;
                self.literal(character, flags)
            }
        }
    }

    /// The character that `\letter` and what follows stand for, the same in and out of classes.
    fn escaped_character(&mut self, letter: char) -> Option<char> {
        match letter {
            'a' => Some('\u{7}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            'x' => self.hexadecimal(2),
            'u' => self.hexadecimal(4),
            'U' => self.hexadecimal(8),
            'A'..='Z' | 'a'..='z' | '0'..='9' => None,
            other => Some(other),
        }
    }

    fn hexadecimal(&mut self, count: usize) -> Option<char> {
        let mut value: u32 = 0;
        for _ in 0..count {
            value = value
                .checked_mul(16)?
                .checked_add(self.rest.next()?.to_digit(16)?)?;
        }
        char::from_u32(value)
    }

    /// The inside of a Rust class for Python's `\d`, `\s`, `\w` and their opposites.
    fn category(&mut self, letter: char, flags: Flags) -> Option<&'static str> {
        if flags.is_ascii {
            return Some(match letter {
                'd' => "0-9",
                'D' => "[^0-9]",
                's' => r"\t-\r\x20",
                'S' => r"[^\t-\r\x20]",
                'w' => "0-9A-Za-z_",
                'W' => "[^0-9A-Za-z_]",
                _ => return None,
            });
        }
        if !matches!(letter, 's' | 'S') {
            self.limit(Subjects::Settled);
        }
        Some(match letter {
            'd' => r"\p{Nd}",
            'D' => r"\P{Nd}",
            's' => {
                r"\t-\r\x1C-\x20\x85\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}"
            }
            'S' => {
                r"[^\t-\r\x1C-\x20\x85\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]"
            }
            'w' => r"\p{L}\p{N}_",
            'W' => r"[^\p{L}\p{N}_]",
            _ => return None,
        })
    }

    fn class(&mut self, flags: Flags) -> Option<Node> {
        let mut out = String::from("[");
        if self.accept("^") {
            out.push('^');
        }
        let mut is_first = true;
        loop {
            let next = self.rest.next()?;
            if next == ']' && !is_first {
                break;
            }
            is_first = false;
            let low = match self.class_member(next, flags)? {
                Member::Character(low) => low,
                Member::Category(class) => {
                    out.push_str(class);
                    // `[\w-a]` is a fault, `[\w-]` is not.
                    let mut ahead = self.rest.clone();
                    if ahead.next() == Some('-') && ahead.next() != Some(']') {
                        return None;
                    }
                    continue;
                }
            };
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && !matches!(ahead.next(), Some(']') | None) {
                self.rest.next();
                let high = self.rest.next()?;
                let Member::Character(high) = self.class_member(high, flags)? else {
                    return None;
                };
                if low > high {
                    return None;
                }
                push_literal(&mut out, low);
                out.push('-');
                push_literal(&mut out, high);
            } else {
                push_literal(&mut out, low);
            }
        }
        out.push(']');
        if flags.ignores_case {
            self.limit(Subjects::Ascii);
        }
        Some(Node::Class(out, flags.ignores_case))
    }

    fn class_member(&mut self, next: char, flags: Flags) -> Option<Member> {
        if next != '\\' {
            // Python warns of what may become set operations one day.
            let is_doubled = matches!(next, '-' | '&' | '~' | '|') && self.peek() == Some(next);
            if next == '[' || is_doubled || (flags.ignores_case && !next.is_ascii()) {
                return None;
            }
            return Some(Member::Character(next));
        }
        let letter = self.rest.next()?;
        match letter {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => self.category(letter, flags).map(Member::Category),
            'b' => Some(Member::Character('\u{8}')),
            _ => {
                let character = self.escaped_character(letter)?;
                (!flags.ignores_case || character.is_ascii())
                    .then_some(Member::Character(character))
            }
        }
    }
}

enum Member {
    Character(char),
    Category(&'static str),
}

fn push_literal(out: &mut String, character: char) {
    if character.is_ascii_alphanumeric() {
        out.push(character);
    } else {
        let _ = write!(out, "\\x{{{:X}}}", u32::from(character));
    }
}

struct Writer {
    out: String,
    is_regular: bool,
}

impl Writer {
    /// `is_last`: nothing of the pattern follows.
    fn node(&mut self, node: &Node, is_last: bool) {
        match node {
            Node::Literal(character, ignores_case) => {
                self.cased(*ignores_case, |out| push_literal(out, *character));
            }
            Node::Class(class, ignores_case) => {
                self.cased(*ignores_case, |out| out.push_str(class));
            }
            Node::Dot(takes_all) => self.out.push_str(if *takes_all { "(?s:.)" } else { "." }),
            Node::LineStart(false) | Node::TextStart => self.out.push_str("\\A"),
            Node::LineStart(true) => self.out.push_str("(?m:^)"),
            // At the end of a search the newline may as well be taken: no look-ahead needed.
            Node::LineEnd(false) if is_last => self.out.push_str("\\n?\\z"),
            Node::LineEnd(false) => {
                self.is_regular = false;
                self.out.push_str("(?=\\n?\\z)");
            }
            Node::LineEnd(true) => self.out.push_str("(?m:$)"),
            Node::TextEnd => self.out.push_str("\\z"),
            Node::WordEdge => self.out.push_str("\\b"),
            Node::Sequence(nodes) => {
                for (index, node) in nodes.iter().enumerate() {
                    self.node(node, is_last && index + 1 == nodes.len());
                }
            }
            Node::Alternatives(nodes) => {
                for (index, node) in nodes.iter().enumerate() {
                    if index > 0 {
                        self.out.push('|');
                    }
                    self.node(node, is_last);
                }
            }
            Node::Group(node, is_capturing) => {
                self.out.push_str(if *is_capturing { "(" } else { "(?:" });
                self.node(node, is_last);
                self.out.push(')');
            }
            Node::Repeat {
                node,
                least,
                most,
                is_lazy,
            } => {
                self.out.push_str("(?:");
                self.node(node, false);
                self.out.push(')');
                let _ = match (least, most) {
                    (0, None) => write!(self.out, "*"),
                    (1, None) => write!(self.out, "+"),
                    (least, None) => write!(self.out, "{{{least},}}"),
                    (least, Some(most)) => write!(self.out, "{{{least},{most}}}"),
                };
                if *is_lazy {
                    self.out.push('?');
                }
            }
            Node::Look {
                node,
                is_behind,
                is_negative,
            } => {
                self.is_regular = false;
                self.out.push_str(match (is_behind, is_negative) {
                    (false, false) => "(?=",
                    (false, true) => "(?!",
                    (true, false) => "(?<=",
                    (true, true) => "(?<!",
                });
                self.node(node, false);
                self.out.push(')');
            }
            Node::Reference(number) => {
                self.is_regular = false;
                // The group keeps a digit that follows out of the number.
                let _ = write!(self.out, "(?:\\{number})");
            }
        }
    }

    fn cased(&mut self, ignores_case: bool, write: impl FnOnce(&mut String)) {
        if ignores_case {
            self.out.push_str("(?i:");
            write(&mut self.out);
            self.out.push(')');
        } else {
            write(&mut self.out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, subject: &str) -> Result<bool, String> {
        let text = Text::borrowed(pattern);
        Pattern::new(&text).search(&Text::borrowed(subject), &crate::text::patterns::NoEngine)
    }

    #[test]
    fn translated_patterns_search_as_python_does() {
        for (pattern, subject, is_found) in [
            ("^[a-z0-9][a-z0-9-]*$", "change-of-control", true),
            ("^[a-z0-9][a-z0-9-]*$", "x\n", true),
            ("^[a-z0-9][a-z0-9-]*$", "x\n\n", false),
            ("^[a-z0-9][a-z0-9-]*$", "X", false),
            ("^[a-z0-9][a-z0-9-]*$", "café", false),
            ("abc", "xxabcxx", true),
            ("^(?!abc).*$", "abc", false),
            ("^(ab)\\1$", "abab", true),
            ("^(?P<k>\\w)=(?P<v>\\w)(?P=k)$", "k=vk", true),
            ("^\\w$", "é", true),
            ("\\w", "\u{ac}", false),
            ("^a\\sb\\sc$", "a\u{a0}b\u{1c}c", true),
            ("^\\S$", "\u{1f}", false),
            ("[^\\S\\n]", "\n", false),
            ("a$b", "ab", false),
            ("a$\\n", "a\n", true),
            ("(?m)a$\\n^b", "a\nb", true),
            ("a\\Z", "a\n", false),
            ("(?i)^ABC$", "abc", true),
            ("a(?i:B)c", "abc", true),
            ("a(?i:B)c", "abC", false),
            ("^.$", "\n", false),
            ("(?s)^.$", "\n", true),
            ("x{2,3}y", "xxy", true),
            ("x{,1}y", "y", true),
            ("x{y", "x{y", true),
            ("x{}", "x{}", true),
            ("[]a]+", "]", true),
            ("[a-]", "-", true),
            ("(?<=a)b", "ab", true),
            ("(?<!a)b", "ab", false),
            ("a(?#note)b", "ab", true),
            ("", "", true),
            ("(|a)+$", "aa", true),
            (
                "^(a+)+$",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
                false,
            ),
        ] {
            assert_eq!(
                found(pattern, subject),
                Ok(is_found),
                "{pattern:?} in {subject:?}"
            );
        }
    }

    #[test]
    fn what_python_may_see_otherwise_is_left_to_python() {
        for pattern in [
            "(",
            ")",
            "*a",
            "a**",
            "a*+",
            "a{2}{3}",
            "a{3,2}",
            "{2}",
            "^*",
            "(?x)a b",
            "\\z",
            "\\q",
            "\\N{DIGIT ONE}",
            "\\01",
            "\\12",
            "(a\\1)",
            "\\1",
            "(?P<1>a)",
            "(?P<a>x)(?P<a>y)",
            "(?<=a*)b",
            "(?<=a|bc)d",
            "a(?i)b",
            "(?L)a",
            "(?(1)a|b)",
            "(?>a)",
            "[b-a]",
            "[\\w-a]",
            "[[a]",
            "[a--b]",
            "[a",
            "(?i)é",
            "(?:(a)|b)*\\1",
            "\\B",
            "a{100000}",
            "(?=a)*",
            "(?i)(a)\\1",
            "a(?#x)*",
            "(?#",
            "(?ii)a",
        ] {
            let text = Text::borrowed(pattern);
            assert!(!Pattern::new(&text).is_translated(), "{pattern:?}");
        }
        assert!(found("(?i)k", "\u{212a}").is_err());
        assert!(found("\\d", "\u{663}").is_err());
    }

    #[test]
    fn the_patterns_of_the_framework_schema_are_regular() {
        let translation = translate("^[a-z0-9][a-z0-9-]*$").unwrap();
        assert!(translation.is_regular);
        assert_eq!(translation.subjects, Subjects::Any);
    }

    #[test]
    fn a_catastrophic_pattern_ends_at_the_engine() {
        let subject = format!("{}b", "a".repeat(60));
        assert!(found("^(?:(?=a)a+)+$", &subject).is_err());
    }

    #[test]
    fn deep_groups_are_left_to_python() {
        let pattern = format!("{}{}", "(".repeat(5000), ")".repeat(5000));
        assert!(translate(&pattern).is_none());
    }
}
