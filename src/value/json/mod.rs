//! JSON with the semantics of Python's `json` module.
//!
//! [`reader`] parses (whole documents or as a stream of tokens), [`stream`] goes through a long list in
//! windows, [`writer`] writes as
//! `json.dumps` does, [`mod@locate`] finds the bytes of a value by its path, [`repeated`] the members that
//! stand twice.

pub mod locate;
pub mod reader;
pub mod repeated;
pub mod stream;
pub mod writer;

pub use locate::locate;
pub use reader::{Dialect, RawText, Reader, SyntaxError, SyntaxKind, parse};
pub use writer::{Style, dump};
