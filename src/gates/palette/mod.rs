//! The palette recount: colours that the screens show and the palette lacks.
//!
//! Two counts stand side by side. [`recorded`] counts as the drop-in always did and shares no colour
//! or traversal code with anything; [`corrected`] counts without its faults and decides for the umbrella.

#[cfg(test)]
mod cases;
pub mod corrected;
pub mod recorded;
pub mod rules;
