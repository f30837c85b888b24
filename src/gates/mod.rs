//! The gates: pure functions from values to reports.

pub mod palette;
