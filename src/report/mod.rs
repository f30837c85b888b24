//! Renderers: one file per format. Each reads outcomes and decides nothing.
//!
//! In: outcomes. Out: bytes. Text from inputs is untrusted: every renderer escapes for its format.

pub mod json;
pub mod legacy;
pub mod text;

use crate::outcome::Outcome;
use clap::ValueEnum;

/// Output formats of the umbrella commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs: versioned, the same keys always.
    Json,
}

/// Outcomes in one format. Colour applies to text alone.
pub fn render(outcomes: &[Outcome], format: Format, is_colored: bool) -> Vec<u8> {
    match format {
        Format::Text => text::render(outcomes, is_colored).into_bytes(),
        Format::Json => json::render(outcomes).into_bytes(),
    }
}
