//! The palette recount: colours that the screens show and the palette lacks.
//!
//! Two counts stand side by side. [`recorded`] counts as the drop-in always did and shares no colour
//! or traversal code with anything; [`corrected`] counts without its faults and decides for the umbrella.

#[cfg(test)]
mod cases;
pub mod corrected;
mod outcome;
pub mod recorded;
pub mod rules;

pub use outcome::{recount, undecided_message};

use clap::ValueEnum;

/// Which palette count decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Count {
    /// Everything below a member named after colour is a colour, as recount-palette-orphans.py counts.
    Recorded,
    /// Only what a screen paints with is a colour.
    #[default]
    Corrected,
}

impl Count {
    /// The word on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Corrected => "corrected",
        }
    }

    /// The count beside it.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Recorded => Self::Corrected,
            Self::Corrected => Self::Recorded,
        }
    }
}
