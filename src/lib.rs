//! gatewright: deterministic gates for work written by agents.
//!
//! Data flows one way: `bytes -> Source -> Value -> gate -> Outcome -> renderer -> bytes`.
//! A gate is a pure function without I/O; a renderer reads an outcome and decides nothing.
//! Files, clock, environment and streams are touched only in [`files`], [`interpreter`], [`cli`] and
//! by the two programs around this crate: the native command (`src/bin/gatewright`) and the Python
//! extension module (`bindings`), which alone names `PyO3`.

pub mod batch;
pub mod cli;
pub mod detail;
pub mod digest;
pub mod dropin;
pub mod error;
pub mod evidence;
pub mod extract;
pub mod files;
pub mod finding;
pub mod gates;
pub mod interpreter;
pub mod invariant;
pub mod outcome;
pub mod policy;
pub mod position;
pub mod receipts;
pub mod report;
pub mod rule;
pub mod source;
pub mod text;
pub mod value;
pub mod workers;
pub mod world;
