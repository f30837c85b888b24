//! One long list in the root object of a document, read in windows of a fixed size.
//!
//! In: bytes from a reader, and a [`ListDocument`] that takes the members of the root and the items of
//! the list one by one. Memory is that of a window and the longest value. Whatever is out of the
//! ordinary (a syntax fault, bad UTF-8, a byte order mark, a root that is no object) stops with
//! [`Stop::Unusual`]; the caller then reads the whole file and gets the exact words or value.

use super::reader::{Kind, Reader, SyntaxError};
use crate::value::{Text, Value};
use std::io::{self, Read};

/// Bytes asked for at once: large enough to hide the system calls, small enough for the caches.
const WINDOW_BYTES: usize = 1 << 18;

/// Why the stream ended before the end of the document.
#[derive(Debug)]
pub enum Stop {
    /// The document needs the exact way.
    Unusual,
    /// It could not be read.
    Io(io::Error),
    /// The caller asked to stop.
    Interrupted,
}

/// What takes a document apart.
pub trait ListDocument {
    /// Name of the list.
    const LIST: &'static str;
    /// An item as read, not yet taken.
    type Item<'t>;

    /// The list begins. A repeated key begins it again: the last value counts.
    ///
    /// # Errors
    /// [`Stop::Unusual`] when a repeated list needs the exact way.
    fn begin_list(&mut self) -> Result<(), Stop>;

    /// The value of the list's key is no list.
    ///
    /// # Errors
    /// [`Stop::Unusual`] when that needs the exact way.
    fn no_list(&mut self) -> Result<(), Stop>;

    /// Read one item.
    ///
    /// # Errors
    /// On a syntax fault; it may only mean that the window ends too early.
    fn read<'t>(reader: &mut Reader<'t>) -> Result<Self::Item<'t>, SyntaxError>;

    /// Take an item that was read whole.
    ///
    /// # Errors
    /// [`Stop::Unusual`] when it needs the exact way.
    fn take(&mut self, item: &Self::Item<'_>) -> Result<(), Stop>;

    /// Whether the value of another member of the root is wanted.
    fn wants(&self, key: &Text<'_>) -> bool;

    /// Take the value of another member of the root.
    fn member(&mut self, key: Text<'_>, value: Value<'_>);
}

/// Read a document to its end.
///
/// `progress` hears of every window's bytes and says whether to go on.
///
/// # Errors
/// [`Stop`].
pub fn read_list<D: ListDocument>(
    source: &mut dyn Read,
    document: &mut D,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<(), Stop> {
    read_list_in_windows(source, document, progress, WINDOW_BYTES)
}

/// [`read_list`] with windows of `len_window` bytes.
pub(crate) fn read_list_in_windows<D: ListDocument>(
    source: &mut dyn Read,
    document: &mut D,
    progress: &mut dyn FnMut(usize) -> bool,
    len_window: usize,
) -> Result<(), Stop> {
    let mut walk = Walk {
        document,
        phase: Phase::Start,
    };
    let mut window = Window {
        source,
        bytes: Vec::new(),
        len_filled: 0,
        len_valid: 0,
        is_end: false,
    };
    let mut state = Reader::new("");
    let mut len_used = 0;
    let mut len_wanted = len_window;
    loop {
        let len_read = window.refill(len_used, len_wanted)?;
        if !progress(len_read) {
            return Err(Stop::Interrupted);
        }
        let mut reader = state.rebase(window.text());
        let pass = walk.pass(&mut reader, window.is_end)?;
        len_used = reader.byte();
        match pass {
            Pass::Done => return Ok(()),
            Pass::More if window.is_end => return Err(Stop::Unusual),
            Pass::More => {}
        }
        state = reader.rebase(b"");
        // A value longer than the window: look at twice as much next time.
        len_wanted = if len_used == 0 {
            window.len_filled.max(len_window)
        } else {
            len_window
        };
    }
}

/// How far the reading of the document has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Start,
    Members,
    List,
    End,
}

/// What a pass over one window came to.
enum Pass {
    /// Everything up to the reader's place is done; more bytes are needed.
    More,
    /// The document is complete.
    Done,
}

struct Walk<'d, D> {
    document: &'d mut D,
    phase: Phase,
}

impl<D: ListDocument> Walk<'_, D> {
    /// Go through the text as far as whole values reach. On return the reader stands where the
    /// next pass must begin.
    fn pass(&mut self, reader: &mut Reader<'_>, is_end: bool) -> Result<Pass, Stop> {
        loop {
            let kind = reader.peek();
            if reader.is_at_end() && !is_end {
                return Ok(Pass::More);
            }
            // From here to the next turn everything is tried on a copy: a fault may only mean that
            // the window ends too early.
            let mut attempt = reader.clone();
            let step = match self.phase {
                Phase::Start if kind != Kind::Object => return Err(Stop::Unusual),
                Phase::Start => {
                    self.phase = Phase::Members;
                    attempt.begin_object().map_err(Halt::from)
                }
                Phase::Members => self.member(&mut attempt, is_end),
                Phase::List => self.items(reader, &mut attempt, is_end),
                // White space was skipped: something stands after the document.
                Phase::End if !reader.is_at_end() => return Err(Stop::Unusual),
                Phase::End => return Ok(Pass::Done),
            };
            match step {
                Ok(()) => *reader = attempt,
                Err(Halt::Stop(stop)) => return Err(stop),
                Err(Halt::Cut) if is_end => return Err(Stop::Unusual),
                Err(Halt::Cut) => return Ok(Pass::More),
            }
        }
    }

    /// One member of the root; the start of the list.
    fn member(&mut self, attempt: &mut Reader<'_>, is_end: bool) -> Result<(), Halt> {
        let Some(key) = attempt.next_key()? else {
            self.phase = Phase::End;
            return Ok(());
        };
        let key = key.decode();
        if key == *D::LIST && attempt.peek() == Kind::Array {
            attempt.begin_array()?;
            self.document.begin_list()?;
            self.phase = Phase::List;
        } else if key == *D::LIST {
            attempt.skip()?;
            whole(attempt, is_end)?;
            self.document.no_list()?;
        } else if self.document.wants(&key) {
            let value = attempt.value()?;
            whole(attempt, is_end)?;
            self.document.member(key, value);
        } else {
            attempt.skip()?;
            whole(attempt, is_end)?;
        }
        Ok(())
    }

    /// Items as far as they reach.
    fn items<'t>(
        &mut self,
        reader: &mut Reader<'t>,
        attempt: &mut Reader<'t>,
        is_end: bool,
    ) -> Result<(), Halt> {
        while attempt.next_item()? {
            let item = D::read(attempt)?;
            whole(attempt, is_end)?;
            self.document.take(&item)?;
            reader.clone_from(attempt);
        }
        self.phase = Phase::Members;
        Ok(())
    }
}

/// Why a step did not end.
enum Halt {
    /// The window may end before the value does.
    Cut,
    /// For good.
    Stop(Stop),
}

impl From<SyntaxError> for Halt {
    fn from(_: SyntaxError) -> Self {
        Self::Cut
    }
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// A number at the very end of the window may go on after it.
fn whole(attempt: &Reader<'_>, is_end: bool) -> Result<(), Halt> {
    if attempt.is_at_end() && !is_end {
        Err(Halt::Cut)
    } else {
        Ok(())
    }
}

/// Bytes read and not yet used up.
struct Window<'r> {
    source: &'r mut dyn Read,
    /// Grown and never shrunk, so that it is cleared only once.
    bytes: Vec<u8>,
    len_filled: usize,
    /// Bytes known to be UTF-8: whole characters.
    len_valid: usize,
    is_end: bool,
}

impl Window<'_> {
    fn text(&self) -> &[u8] {
        self.bytes.get(..self.len_valid).unwrap_or_default()
    }

    /// Drop `len_used` bytes and read until `len_wanted` more have come, or the end. Returns how many came.
    fn refill(&mut self, len_used: usize, len_wanted: usize) -> Result<usize, Stop> {
        let len_used = len_used.min(self.len_valid);
        self.bytes.copy_within(len_used..self.len_filled, 0);
        self.len_filled -= len_used;
        self.len_valid -= len_used;
        let len_before = self.len_filled;
        let wanted = len_before + len_wanted;
        if self.bytes.len() < wanted {
            self.bytes
                .try_reserve(wanted - self.bytes.len())
                .map_err(|_| Stop::Io(io::Error::from(io::ErrorKind::OutOfMemory)))?;
            self.bytes.resize(wanted, 0);
        }
        while let Some(room) = self.bytes.get_mut(self.len_filled..wanted)
            && !room.is_empty()
        {
            match self.source.read(room) {
                Ok(0) => {
                    self.is_end = true;
                    break;
                }
                Ok(len) => self.len_filled += len,
                Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
                Err(fault) => return Err(Stop::Io(fault)),
            }
        }
        let fresh = self
            .bytes
            .get(self.len_valid..self.len_filled)
            .unwrap_or_default();
        self.len_valid += match simdutf8::basic::from_utf8(fresh) {
            Ok(_) => fresh.len(),
            Err(_) => match std::str::from_utf8(fresh) {
                Ok(_) => fresh.len(),
                // A character cut by the end of the window; at the end of the file it is a fault.
                Err(fault) if fault.error_len().is_none() && !self.is_end => fault.valid_up_to(),
                Err(_) => return Err(Stop::Unusual),
            },
        };
        Ok(self.len_filled - len_before)
    }
}
