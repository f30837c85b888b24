//! The gates: pure functions from values to reports.

pub mod counts;
pub mod evidence;
pub mod framework;
pub mod palette;
#[cfg(test)]
mod palette_cases;
pub mod palette_corrected;
pub mod palette_rules;
pub mod receipt;
pub mod scorecard;
pub mod verdict;
