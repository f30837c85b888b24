//! The world around a command: environment, clock, terminal, and whether to stop.
//!
//! One trait, so that a test can give its own and no room asks the process directly. Interruption has
//! one spelling everywhere: [`World::is_interrupted`], which long work asks now and then; gates that
//! know no world take it as `&dyn Fn() -> bool`. Files are read in [`crate::files`].

use crate::text::patterns::{NoEngine, PatternEngine};
use std::ffi::OsString;

/// What a command sees besides its arguments.
pub trait World: Sync {
    /// Environment variable `name`.
    fn variable(&self, name: &str) -> Option<OsString>;
    /// Seconds since 1970-01-01T00:00:00Z.
    fn seconds_since_epoch(&self) -> i64;
    /// Whether the run should stop (Ctrl-C). Long loops ask now and then.
    fn is_interrupted(&self) -> bool {
        false
    }
    /// Whether the process ends with the call, so that memory need not be given back piece by piece.
    fn ends_process(&self) -> bool {
        false
    }
    /// Who decides the schema patterns that the core does not translate.
    fn pattern_engine(&self) -> &dyn PatternEngine {
        &NoEngine
    }
}

/// The terminal side of the world; tests give their own.
pub trait Terminal: World {
    /// Whether standard output is a terminal.
    fn is_stdout_terminal(&self) -> bool;
    /// Whether standard error is a terminal, so that a progress bar may be drawn there.
    fn is_stderr_terminal(&self) -> bool;
    /// Everything that standard input holds.
    ///
    /// # Errors
    /// Those of the operating system.
    fn standard_input(&self) -> std::io::Result<Vec<u8>> {
        crate::files::waiting(|is_given_up| {
            crate::files::read_until(&mut std::io::stdin().lock(), is_given_up)
        })
    }
    /// Write to both streams now, while the run goes on.
    ///
    /// # Errors
    /// When standard output cannot be written.
    fn show(&self, stdout: &[u8], stderr: &[u8]) -> std::io::Result<()> {
        use std::io::Write as _;
        let mut out = std::io::stdout().lock();
        out.write_all(stdout)?;
        out.flush()?;
        // Nobody is left to tell when standard error itself fails.
        let _ = std::io::stderr().write_all(stderr);
        Ok(())
    }
    /// Draw on the terminal that standard error is; called only when it is one.
    fn draw(&self, text: &str) {
        let _ = text;
    }
}

/// The real environment and clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessWorld;

impl World for ProcessWorld {
    fn variable(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }

    fn seconds_since_epoch(&self) -> i64 {
        let epoch = std::time::UNIX_EPOCH;
        let seconds = |time: std::time::Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        match std::time::SystemTime::now().duration_since(epoch) {
            Ok(since) => seconds(since),
            // A clock before 1970 is wrong and still a clock.
            Err(before) => -seconds(before.duration()),
        }
    }
}
