//! Errors: why a gate could not run at all.

use crate::finding::excerpt;
use std::fmt;

/// A gate could not tell: unusable input, unwritable output, wrong usage.
#[derive(Clone, Debug)]
pub enum Error {
    /// An input could not be read.
    Read {
        /// What the input is, e.g. `framework`.
        kind: &'static str,
        /// Display name.
        name: String,
        /// Why, in the words of Python's `open` or `json` where a drop-in prints them.
        reason: String,
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
        reason: String,
    },
    /// The call itself is wrong.
    Usage(String),
}

impl Error {
    /// Display name of the input or output that is at fault; empty when there is none.
    pub fn source_name(&self) -> &str {
        match self {
            Self::Read { name, .. } | Self::Unusable { name, .. } | Self::Write { name, .. } => {
                name
            }
            Self::Usage(_) => "",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { kind, name, reason } => {
                write!(out, "cannot read {kind} `{name}`: {reason}")
            }
            Self::Unusable { name, path, reason } if path.is_empty() => {
                write!(out, "cannot use `{name}`: {reason}")
            }
            Self::Unusable { name, path, reason } => {
                write!(out, "cannot use `{name}` at {}: {reason}", excerpt(path))
            }
            Self::Write { name, reason } => write!(out, "cannot write `{name}`: {reason}"),
            Self::Usage(text) => out.write_str(text),
        }
    }
}

impl std::error::Error for Error {}
