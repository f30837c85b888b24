//! The recorded recount over the text of a document, without building it.
//!
//! In: JSON text. Out: the figures, or that the document is not of the common shape and the walk
//! over values must decide. A gap status may come after the members it silences, so what an object
//! gave is kept as a tail of one list and cut off when the status turns up.

use super::walk::{Token, palette, tokens_of};
use super::{Recount, colour};
use crate::text::Text;
use crate::value::Value;
use crate::value::json::reader::{Kind, RawText, Reader, SyntaxError};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Why the stream ended early.
pub(super) enum Stop {
    /// The text is not JSON.
    Syntax(SyntaxError),
    /// A shape that only the walk over values decides: repeated keys, a status that is no text,
    /// `screens` that is no list, a root that is no object, tokens that cannot be used.
    Uncommon,
    /// The caller asked to stop.
    Interrupted,
}

impl From<SyntaxError> for Stop {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}

/// Count over `text`, which must not begin with a byte order mark.
pub(super) fn count(text: &str, is_interrupted: &dyn Fn() -> bool) -> Result<Recount, Stop> {
    let mut stream = Stream::new(text, is_interrupted);
    stream.root()?;
    stream.finish()
}

/// Tokens of one string: a range of [`Strings::pool`].
#[derive(Clone, Copy)]
struct Given {
    start: u32,
    len: u32,
}

/// What strings give, remembered by their bytes.
struct Strings<'a> {
    names: Vec<Token>,
    numbers: HashMap<Token, u32>,
    pool: Vec<u32>,
    /// Direct-mapped: most strings of a large blueprint come from a small palette.
    recent: Vec<Option<(&'a [u8], bool, Given)>>,
    known: HashMap<(&'a [u8], bool), Given>,
}

/// Slots of the direct-mapped memory, a power of two.
const RECENT: usize = 1 << 12;
/// Strings remembered at most in the second memory.
const KNOWN_LIMIT: usize = 1 << 16;

impl<'a> Strings<'a> {
    fn new() -> Self {
        Self {
            names: Vec::new(),
            numbers: HashMap::new(),
            pool: Vec::new(),
            recent: vec![None; RECENT],
            known: HashMap::new(),
        }
    }

    /// What the plain string `bytes` gives.
    #[inline]
    fn plain(&mut self, bytes: &'a [u8], in_colour: bool) -> Given {
        let slot = fingerprint(bytes).wrapping_add(usize::from(in_colour)) % RECENT;
        if let Some(Some((known, context, given))) = self.recent.get(slot)
            && *context == in_colour
            && *known == bytes
        {
            return *given;
        }
        let given = if let Some(given) = self.known.get(&(bytes, in_colour)) {
            *given
        } else {
            let given = self.fresh(bytes, in_colour);
            if self.known.len() < KNOWN_LIMIT {
                self.known.insert((bytes, in_colour), given);
            }
            given
        };
        if let Some(place) = self.recent.get_mut(slot) {
            *place = Some((bytes, in_colour, given));
        }
        given
    }

    fn fresh(&mut self, bytes: &[u8], in_colour: bool) -> Given {
        let start = self.pool.len();
        let (names, numbers, pool) = (&mut self.names, &mut self.numbers, &mut self.pool);
        tokens_of(bytes, in_colour, |token| {
            let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(token).or_insert_with_key(|token| {
                names.push(token.clone());
                next
            });
            if !pool.get(start..).unwrap_or_default().contains(&number) {
                pool.push(number);
            }
        });
        let narrow = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        Given {
            start: narrow(start),
            len: narrow(self.pool.len() - start),
        }
    }

    fn tokens(&self, given: Given) -> &[u32] {
        let start = given.start as usize;
        self.pool
            .get(start..start + given.len as usize)
            .unwrap_or_default()
    }
}

/// A number that tells short byte strings apart well enough to choose a slot.
#[inline]
#[expect(
    clippy::same_functions_in_if_condition,
    reason = "the same call, at 8 bytes and at 4"
)]
fn fingerprint(bytes: &[u8]) -> usize {
    let byte = |at: usize| bytes.get(at).copied().map_or(0, u64::from);
    let (head, tail) = if let (Some(head), Some(tail)) = (bytes.first_chunk(), bytes.last_chunk()) {
        (u64::from_le_bytes(*head), u64::from_le_bytes(*tail))
    } else if let (Some(head), Some(tail)) = (bytes.first_chunk(), bytes.last_chunk()) {
        (
            u64::from(u32::from_le_bytes(*head)),
            u64::from(u32::from_le_bytes(*tail)),
        )
    } else {
        (byte(0) | byte(1) << 8, byte(2))
    };
    let mixed =
        (head ^ tail.rotate_left(29) ^ bytes.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    // The high bits depend on every byte read; 32 of them fit any usize that matters.
    (mixed >> 40) as usize
}

/// What a member name means to the walk.
#[derive(Clone, Copy)]
struct Name {
    /// Number of the name, by first appearance: equal names have equal numbers.
    number: u32,
    is_colour: bool,
    is_status: bool,
}

/// The member names of the document.
struct Names<'a> {
    /// Direct-mapped: objects of a blueprint repeat a few dozen names.
    recent: Vec<Option<(&'a [u8], Name)>>,
    known: HashMap<Text<'a>, Name>,
}

impl<'a> Names<'a> {
    fn new() -> Self {
        Self {
            recent: vec![None; NAMES],
            known: HashMap::new(),
        }
    }

    #[inline]
    fn of(&mut self, key: RawText<'a>) -> Name {
        if key.is_escaped {
            return self.intern(key.decode());
        }
        let slot = fingerprint(key.bytes) % NAMES;
        if let Some(Some((known, name))) = self.recent.get(slot)
            && *known == key.bytes
        {
            return *name;
        }
        let name = self.intern(key.decode());
        if let Some(place) = self.recent.get_mut(slot) {
            *place = Some((key.bytes, name));
        }
        name
    }

    fn intern(&mut self, key: Text<'a>) -> Name {
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        *self.known.entry(key).or_insert_with_key(|key| Name {
            number,
            is_colour: colour::names_colour(key.as_bytes()),
            is_status: *key == "observation_status",
        })
    }
}

/// The names that one open object has shown, to find a repeated one.
struct Shown {
    /// One bit for each of the document's first 64 names.
    first: u64,
    /// Where the object's other names begin in [`Stream::others`].
    base: usize,
    /// The other names once they are too many to scan.
    many: Option<HashSet<u32>>,
}

/// Names beyond the first 64 that are scanned before a set takes over.
const SCAN_LIMIT: usize = 48;

/// Slots of the memory of member names, a power of two.
const NAMES: usize = 256;
/// Screens between two looks at whether to stop.
const BETWEEN_LOOKS: usize = 256;

struct Stream<'a, 'i> {
    reader: Reader<'a>,
    bytes: &'a [u8],
    /// The next byte at or after the reader that is `#` or `(`, as far as known.
    mark: usize,
    strings: Strings<'a>,
    names: Names<'a>,
    /// Names beyond the first 64 of the objects that are open.
    others: Vec<u32>,
    /// Tokens of the screen being read that no gap has silenced.
    pending: Vec<u32>,
    observed: Vec<bool>,
    listed: BTreeSet<Token>,
    is_interrupted: &'i dyn Fn() -> bool,
}

impl<'a, 'i> Stream<'a, 'i> {
    fn new(text: &'a str, is_interrupted: &'i dyn Fn() -> bool) -> Self {
        Self {
            reader: Reader::new(text),
            bytes: text.as_bytes(),
            mark: 0,
            strings: Strings::new(),
            names: Names::new(),
            others: Vec::new(),
            pending: Vec::new(),
            observed: Vec::new(),
            listed: BTreeSet::new(),
            is_interrupted,
        }
    }

    fn root(&mut self) -> Result<(), Stop> {
        if self.reader.peek() != Kind::Object {
            return Err(Stop::Uncommon);
        }
        self.reader.begin_object()?;
        let (mut has_screens, mut has_tokens) = (false, false);
        while let Some(key) = self.reader.next_key()? {
            let key = key.decode();
            if key == "screens" {
                if std::mem::replace(&mut has_screens, true) {
                    return Err(Stop::Uncommon);
                }
                self.screens()?;
            } else if key == "design_tokens" {
                if std::mem::replace(&mut has_tokens, true) {
                    return Err(Stop::Uncommon);
                }
                let tokens = self.reader.value()?;
                self.listed = palette(&tokens).map_err(|_| Stop::Uncommon)?;
            } else {
                self.reader.skip()?;
            }
        }
        self.reader.end()?;
        Ok(())
    }

    fn screens(&mut self) -> Result<(), Stop> {
        match self.reader.peek() {
            Kind::Array => {}
            Kind::Scalar => {
                let value = self.reader.scalar()?;
                return if matches!(value, Value::Null) {
                    Ok(())
                } else {
                    Err(Stop::Uncommon)
                };
            }
            Kind::Object | Kind::String => return Err(Stop::Uncommon),
        }
        self.reader.begin_array()?;
        let mut count: usize = 0;
        while self.reader.next_item()? {
            self.value(false)?;
            for token in self.pending.drain(..) {
                let at = token as usize;
                if self.observed.len() <= at {
                    self.observed.resize(at + 1, false);
                }
                if let Some(flag) = self.observed.get_mut(at) {
                    *flag = true;
                }
            }
            count += 1;
            if count.is_multiple_of(BETWEEN_LOOKS) && (self.is_interrupted)() {
                return Err(Stop::Interrupted);
            }
        }
        Ok(())
    }

    fn value(&mut self, in_colour: bool) -> Result<(), Stop> {
        match self.reader.peek() {
            Kind::String => {
                let raw = self.reader.string()?;
                self.string(raw, in_colour);
            }
            Kind::Scalar => self.reader.skip()?,
            Kind::Object => self.object(in_colour)?,
            Kind::Array => {
                self.reader.begin_array()?;
                while self.reader.next_item()? {
                    self.value(in_colour)?;
                }
            }
        }
        Ok(())
    }

    fn object(&mut self, in_colour: bool) -> Result<(), Stop> {
        self.reader.begin_object()?;
        let before = self.pending.len();
        let mut shown = Shown {
            first: 0,
            base: self.others.len(),
            many: None,
        };
        let mut is_gap = false;
        while let Some(key) = self.reader.next_key()? {
            let name = self.names.of(key);
            if !self.is_new(&mut shown, name.number) {
                return Err(Stop::Uncommon);
            }
            if name.is_status {
                is_gap = self.status(in_colour)?;
            } else {
                self.value(in_colour || name.is_colour)?;
            }
        }
        self.others.truncate(shown.base);
        if is_gap {
            self.pending.truncate(before);
        }
        Ok(())
    }

    /// Note a name of an object; whether the object has not shown it before.
    #[inline]
    fn is_new(&mut self, shown: &mut Shown, number: u32) -> bool {
        if let Some(bit) = 1_u64.checked_shl(number) {
            let is_new = shown.first & bit == 0;
            shown.first |= bit;
            return is_new;
        }
        if let Some(many) = &mut shown.many {
            return many.insert(number);
        }
        let open = self.others.get(shown.base..).unwrap_or_default();
        if open.contains(&number) {
            return false;
        }
        if open.len() >= SCAN_LIMIT {
            let mut many: HashSet<u32> = open.iter().copied().collect();
            many.insert(number);
            shown.many = Some(many);
        } else {
            self.others.push(number);
        }
        true
    }

    /// Read an observation status; whether it says that nothing was observed.
    fn status(&mut self, in_colour: bool) -> Result<bool, Stop> {
        match self.reader.peek() {
            Kind::String => {
                let raw = self.reader.string()?;
                self.string(raw, in_colour);
                let status = raw.decode();
                Ok(status == "not_observed" || status == "blocked")
            }
            Kind::Scalar => {
                self.reader.skip()?;
                Ok(false)
            }
            Kind::Object | Kind::Array => Err(Stop::Uncommon),
        }
    }

    #[inline]
    fn string(&mut self, raw: RawText<'a>, in_colour: bool) {
        let given = if raw.is_escaped {
            self.strings.fresh(raw.decode().as_bytes(), in_colour)
        } else if in_colour || self.is_marked(raw.bytes.len()) {
            self.strings.plain(raw.bytes, in_colour)
        } else {
            return;
        };
        let tokens = self.strings.tokens(given);
        self.pending.extend_from_slice(tokens);
    }

    /// Whether a byte that could begin a colour stands in the string of `len` bytes whose closing
    /// quote was just read. The marks are found for the whole text at the speed of memory, so most
    /// strings are decided by one comparison.
    #[inline]
    fn is_marked(&mut self, len: usize) -> bool {
        let end = self.reader.byte();
        let start = end.saturating_sub(len + 1);
        if self.mark < start {
            let rest = self.bytes.get(start..).unwrap_or_default();
            self.mark = memchr::memchr2(b'#', b'(', rest).map_or(usize::MAX, |at| start + at);
        }
        self.mark < end
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the last step of a chain of fallible ones"
    )]
    fn finish(self) -> Result<Recount, Stop> {
        let names = self.strings.names;
        let observed: BTreeSet<Token> = names
            .into_iter()
            .zip(self.observed.into_iter().chain(std::iter::repeat(false)))
            .filter_map(|(name, is_observed)| is_observed.then_some(name))
            .collect();
        Ok(Recount::of(&observed, &self.listed))
    }
}
