//! The gates: pure functions from values to reports.

pub mod counts;
pub mod framework;
pub mod palette;
pub mod palette_corrected;
pub mod scorecard;
pub mod verdict;
