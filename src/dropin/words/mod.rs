//! The drop-ins' own texts: one file per command, word for word what existing callers read.

pub mod counts;
pub mod framework;
