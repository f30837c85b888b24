//! The gates: pure functions from values to reports.
