//! The gates: pure functions from values to reports.

pub mod counts;
pub mod palette;
