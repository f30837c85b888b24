//! gatewright: deterministic gates for work written by agents.
//!
//! Data flows one way: `bytes -> Source -> Value -> gate -> Outcome -> renderer -> bytes`.
//! A gate is a pure function without I/O; a renderer reads an outcome and decides nothing.
//! Files, clock, environment and streams are touched only in [`files`], [`interpreter`], [`cli`] and
//! by the two programs around this crate: the native command (`src/bin/gatewright`) and the Python
//! extension module (`bindings`), which alone names `PyO3`.
//!
//! # Examples
//!
//! A gate over bytes, its outcome as a report:
//!
//! ```
//! use gatewright::gates::reconcile::{self, Against};
//! use gatewright::report::{self, Format, Style};
//! use gatewright::source::Source;
//!
//! let read = |role, text: &str| Source::of_bytes(role, format!("{role}.json"), text.into());
//! let manifest = read("manifest", r#"{"documents": [{"id": "a", "path": "a.txt",
//!     "readability": "native"}], "counts": {"files": 1}}"#);
//! let framework = read("framework", r#"{"framework_version": 1, "lenses": [{"lens_id": "l",
//!     "items": [{"issue_id": "i"}]}]}"#);
//! let ledger = read("findings", r#"{"framework_version": 1, "findings": []}"#);
//! let against = Against {
//!     manifest: manifest.document()?,
//!     framework: framework.document()?,
//!     families: None,
//! };
//! let outcome = reconcile::check(&against, &ledger.document()?)?;
//! assert_eq!(outcome.status(), 1);
//! let page = report::render(&[outcome], Format::Text, &Style::default())?;
//! assert!(String::from_utf8_lossy(&page).contains("issue `i` has no result for 1 of 1"));
//! # Ok::<(), gatewright::error::Error>(())
//! ```
//!
//! Where to start: [`gates::framework::validate`], [`gates::reconcile::check`], [`evidence::ground`],
//! [`gates::palette::corrected::count_text`], [`gates::verdict::decide`], [`attestation::Statement`],
//! [`batch::ground`], [`report::render`].

pub mod attestation;
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
