//! The gates: pure functions from values to outcomes.
//!
//! One room a gate. What reads files, prints or names Python does not belong here.

pub mod chain;
pub mod coverage;
pub mod draft;
pub mod framework;
pub mod palette;
pub mod quotes;
pub mod reconcile;
pub mod rules;
pub mod scorecard;
pub mod verdict;
