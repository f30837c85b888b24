//! Errors: why a gate could not run at all.
//!
//! An [`Error`] names the input or output at fault; its [`Reason`] says why in the words a person gets,
//! the same for every command. The drop-ins have Python's words instead, in [`crate::dropin`].

use crate::finding::{Location, excerpt};
use crate::position::{LineIndex, Position};
use crate::value::json::reader::SyntaxKind;
use crate::value::json::{Dialect, SyntaxError};
use std::sync::Arc;
use std::{fmt, io};

/// A gate could not tell: unusable input, unwritable output, wrong usage.
#[derive(Clone, Debug)]
pub enum Error {
    /// An input could not be read.
    Read {
        /// What the input is, e.g. `framework`.
        kind: &'static str,
        /// Display name.
        name: String,
        /// Why.
        reason: Reason,
    },
    /// An input was read and cannot be used.
    Unusable {
        /// Display name of the input.
        name: String,
        /// Place inside it, empty when it is the whole.
        path: String,
        /// Why.
        reason: String,
    },
    /// An output could not be written.
    Write {
        /// The target, never the temporary file.
        name: String,
        /// Why.
        reason: Reason,
    },
    /// The call itself is wrong.
    Usage(String),
    /// The caller asked to stop (Ctrl-C).
    Interrupted,
    /// What cannot happen did: a fault of this program, and nothing was decided.
    Internal(&'static str),
}

/// Why an input cannot be read or an output cannot be written.
#[derive(Clone, Debug)]
pub enum Reason {
    /// The operating system said so.
    System(Arc<io::Error>),
    /// The text is not UTF-8.
    Encoding {
        /// Where the first byte that is none stands, from 0.
        byte: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// The text is not JSON.
    Syntax(Box<NoJson>),
    /// What the gate itself has against it.
    Said(String),
}

/// Why a text is not JSON.
#[derive(Clone, Debug)]
pub struct NoJson {
    /// The fault.
    pub fault: SyntaxError,
    /// It in words.
    pub words: &'static str,
    /// Where.
    pub at: Position,
}

impl Reason {
    /// The text `text` is not JSON because of `fault`.
    pub fn syntax(fault: SyntaxError, text: &str) -> Self {
        let (words, byte) = fault.words(Dialect::TrailingComma);
        let at = LineIndex::new(text.as_bytes()).position(text.as_bytes(), byte);
        let words = if text.starts_with('\u{feff}') {
            "it begins with a byte order mark; save it as UTF-8 without one"
        } else if text.trim_start().starts_with("```") {
            "it begins with a Markdown code fence; leave away the lines of ``` around the JSON"
        } else if fault.kind == SyntaxKind::ExtraData && text.trim_end().ends_with("```") {
            "behind the JSON stands a Markdown code fence; leave away the line of ```"
        } else {
            words
        };
        Self::Syntax(Box::new(NoJson { fault, words, at }))
    }

    /// `bytes` are not UTF-8 because of `fault`.
    pub fn encoding(fault: std::str::Utf8Error, bytes: &[u8]) -> Self {
        let byte = fault.valid_up_to();
        let before = bytes.get(..byte).unwrap_or(bytes);
        Self::Encoding {
            byte,
            line: memchr::memchr_iter(b'\n', before).count() + 1,
        }
    }

    /// Where in the input, when it is one place.
    pub fn place(&self) -> Option<Position> {
        match self {
            Self::Syntax(why) => Some(why.at),
            Self::System(_) | Self::Encoding { .. } | Self::Said(_) => None,
        }
    }

    /// Whether a file is not there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::System(fault) if fault.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(fault) => {
                let kind = fault.kind();
                let known = [
                    (io::ErrorKind::NotFound, "no such file"),
                    (io::ErrorKind::IsADirectory, "it is a folder, not a file"),
                    (
                        io::ErrorKind::NotADirectory,
                        "no such file: a part of its path is no folder",
                    ),
                    (io::ErrorKind::PermissionDenied, "permission denied"),
                    (io::ErrorKind::StorageFull, "no space left on the device"),
                ];
                if let Some((_, words)) = known.iter().find(|(known, _)| *known == kind) {
                    return out.write_str(words);
                }
                let words = fault.to_string();
                let words = words.split(" (os error").next().unwrap_or(&words);
                out.write_str(words)
            }
            Self::Encoding { byte, line } => {
                write!(out, "it is not UTF-8: byte {byte} on line {line}")
            }
            Self::Syntax(why) => out.write_str(why.words),
            Self::Said(words) => out.write_str(words),
        }
    }
}

impl From<io::Error> for Reason {
    fn from(fault: io::Error) -> Self {
        Self::System(Arc::new(fault))
    }
}

impl From<&io::Error> for Reason {
    fn from(fault: &io::Error) -> Self {
        Self::from(match fault.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(fault.kind(), fault.to_string()),
        })
    }
}

impl From<serde_json::Error> for Reason {
    fn from(fault: serde_json::Error) -> Self {
        Self::Said(fault.to_string())
    }
}

impl From<ignore::Error> for Reason {
    fn from(fault: ignore::Error) -> Self {
        match fault.io_error() {
            Some(system) => system.into(),
            None => Self::Said(fault.to_string()),
        }
    }
}

impl From<String> for Reason {
    fn from(words: String) -> Self {
        Self::Said(words)
    }
}

impl From<&str> for Reason {
    fn from(words: &str) -> Self {
        Self::Said(words.to_owned())
    }
}

impl Error {
    /// Why, without the name of what is at fault.
    pub fn reason(&self) -> String {
        match self {
            Self::Read { reason, .. } | Self::Write { reason, .. } => reason.to_string(),
            Self::Unusable { reason, .. } => reason.clone(),
            Self::Usage(_) | Self::Interrupted | Self::Internal(_) => self.to_string(),
        }
    }

    /// Display name of the input or output that is at fault; empty when there is none.
    pub fn source_name(&self) -> &str {
        match self {
            Self::Read { name, .. } | Self::Unusable { name, .. } | Self::Write { name, .. } => {
                name
            }
            Self::Usage(_) | Self::Interrupted | Self::Internal(_) => "",
        }
    }

    /// The place that is at fault, as far as it is known.
    pub fn location(&self) -> Location {
        let mut at = Location::of_source(self.source_name());
        if let Self::Read { reason, .. } = self {
            at.start = reason.place();
        }
        at
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { kind, name, reason } => match reason.place() {
                Some(Position { line, column }) => {
                    write!(out, "cannot read {kind} `{name}:{line}:{column}`: {reason}")
                }
                None => write!(out, "cannot read {kind} `{name}`: {reason}"),
            },
            Self::Unusable { name, path, reason } if path.is_empty() => {
                write!(out, "cannot use `{name}`: {reason}")
            }
            Self::Unusable { name, path, reason } => {
                write!(out, "cannot use `{name}` at {}: {reason}", excerpt(path))
            }
            Self::Write { name, reason } => write!(out, "cannot write `{name}`: {reason}"),
            Self::Usage(text) => out.write_str(text),
            Self::Interrupted => out.write_str("interrupted"),
            Self::Internal(what) => write!(
                out,
                "internal failure, nothing was decided; please report it with the input: {what}"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { reason, .. } | Self::Write { reason, .. } => match reason {
                Reason::System(fault) => Some(fault.as_ref()),
                Reason::Syntax(why) => Some(&why.fault),
                Reason::Encoding { .. } | Reason::Said(_) => None,
            },
            Self::Unusable { .. } | Self::Usage(_) | Self::Interrupted | Self::Internal(_) => None,
        }
    }
}
