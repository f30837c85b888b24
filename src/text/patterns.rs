//! Who decides the patterns that the core does not translate: Python's own `re`.
//!
//! In: a pattern in Python syntax and a string. Out: whether it is found. The extension module asks the
//! Python it runs in, the native program one in a child process; where there is neither, nothing is decided.

use super::Text;

/// Decides the patterns that are not translated.
pub trait PatternEngine: Sync {
    /// Whether Python's `re.search(pattern, subject)` finds a match.
    ///
    /// # Errors
    /// Why the pattern cannot be used, in the words of whoever decides.
    fn search(&self, pattern: &Text<'_>, subject: &Text<'_>) -> Result<bool, String>;
}

/// The engine where no Python is at hand: it refuses.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEngine;

impl PatternEngine for NoEngine {
    fn search(&self, _pattern: &Text<'_>, _subject: &Text<'_>) -> Result<bool, String> {
        Err("only Python's re can decide this pattern".to_owned())
    }
}
