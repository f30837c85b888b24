//! Calls into the core from a Python process that goes on afterwards.
//!
//! Every call that releases the interpreter goes through here: a panic of the core becomes a
//! `GatewrightError`, since what failed inside has decided nothing, and an exception of a signal handler
//! (Ctrl-C, an alarm) ends the work and is raised as it is. The panic hook stays the process's own: a
//! command, whose one line on a failure is ours, sets it aside for as long as it takes.

use super::framework::PythonPatterns;
use super::outcome::raised;
use gatewright::dropin::{self, Completion};
use gatewright::error::Error;
use gatewright::text::patterns::PatternEngine;
use gatewright::workers;
use gatewright::world::{ProcessWorld, Terminal, World};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The process as the core sees it; asks Python for pending signals.
#[derive(Default)]
pub(crate) struct PythonWorld {
    is_interrupted: AtomicBool,
    stop: Mutex<Option<PyErr>>,
    patterns: PythonPatterns,
    ends_process: bool,
}

impl PythonWorld {
    /// The world of a process that ends with the call.
    pub(crate) fn of_script() -> Self {
        Self {
            ends_process: true,
            ..Self::default()
        }
    }

    /// What a signal handler raised while the core asked, if it did.
    pub(crate) fn take_stop(&self) -> Option<PyErr> {
        let asked = match self.stop.lock() {
            Ok(mut stop) => stop.take(),
            Err(poisoned) => poisoned.into_inner().take(),
        };
        IS_STOPPED.store(false, Ordering::Relaxed);
        let waiting = match WAITING_STOP.lock() {
            Ok(mut stop) => stop.take(),
            Err(poisoned) => poisoned.into_inner().take(),
        };
        asked.or_else(|| self.patterns.take_stop()).or(waiting)
    }
}

/// Whether a signal handler has raised since the last call ended: whoever waits for a pipe gives up.
static IS_STOPPED: AtomicBool = AtomicBool::new(false);
/// What it raised while somebody waited for a pipe.
static WAITING_STOP: Mutex<Option<PyErr>> = Mutex::new(None);

/// Asked while a pipe or a device is waited for: no signal ends the waiting by itself, since Python's
/// handler returns to it.
pub(crate) fn is_stopped() -> bool {
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method's lifetime is not general enough for attach"
    )]
    if !IS_STOPPED.load(Ordering::Relaxed)
        && let Err(raised) = Python::attach(|py| py.check_signals())
    {
        IS_STOPPED.store(true, Ordering::Relaxed);
        match WAITING_STOP.lock() {
            Ok(mut stop) => *stop = Some(raised),
            Err(poisoned) => *poisoned.into_inner() = Some(raised),
        }
    }
    IS_STOPPED.load(Ordering::Relaxed)
}

impl World for PythonWorld {
    fn variable(&self, name: &str) -> Option<OsString> {
        ProcessWorld.variable(name)
    }

    fn seconds_since_epoch(&self) -> i64 {
        ProcessWorld.seconds_since_epoch()
    }

    fn is_interrupted(&self) -> bool {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method's lifetime is not general enough for attach"
        )]
        if !self.is_interrupted.load(Ordering::Relaxed)
            && let Err(raised) = Python::attach(|py| py.check_signals())
        {
            self.is_interrupted.store(true, Ordering::Relaxed);
            IS_STOPPED.store(true, Ordering::Relaxed);
            match self.stop.lock() {
                Ok(mut stop) => *stop = Some(raised),
                Err(poisoned) => *poisoned.into_inner() = Some(raised),
            }
        }
        self.is_interrupted.load(Ordering::Relaxed)
    }

    fn ends_process(&self) -> bool {
        self.ends_process
    }

    fn pattern_engine(&self) -> &dyn PatternEngine {
        &self.patterns
    }
}

impl Terminal for PythonWorld {
    fn is_stdout_terminal(&self) -> bool {
        use std::io::IsTerminal as _;
        std::io::stdout().is_terminal()
    }

    fn is_stderr_terminal(&self) -> bool {
        use std::io::IsTerminal as _;
        std::io::stderr().is_terminal()
    }

    fn draw(&self, text: &str) {
        use std::io::Write as _;
        // A bar that cannot be drawn is no reason to fail.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// Run `work` without the interpreter.
///
/// # Errors
/// `GatewrightError` when it panics.
pub(crate) fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(|| workers::with_stack(work))))
        .map_err(|_| raised(py, &Error::Internal("a call of the API panicked")))
}

/// Run `work` without the interpreter, in a world that hears of signals.
///
/// # Errors
/// What a signal handler raised; else `GatewrightError` for an error of the core, or when it panics.
pub(crate) fn in_world<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&PythonWorld) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let world = PythonWorld::default();
    let done = detached(py, || work(&world));
    match world.take_stop() {
        Some(stop) => Err(stop),
        None => done?.map_err(|error| raised(py, &error)),
    }
}

/// Run the command `name` without the interpreter; should it panic, its one line says so with status 2.
pub(crate) fn completed(
    py: Python<'_>,
    name: &str,
    work: impl FnOnce() -> Completion + Send,
) -> Completion {
    let _silence = Silence::begin();
    py.detach(|| workers::with_stack(|| dropin::guarded(name, work)))
}

/// Run `work` where the stack is large enough for the deepest document; this thread waits without the
/// interpreter, which `work` asks for again.
///
/// # Errors
/// `GatewrightError` when it panics.
pub(crate) fn with_stack<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(Python<'_>) -> T + Send,
) -> PyResult<T> {
    detached(py, || Python::attach(work))
}

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

/// How many commands run, and the hook that comes back after the last of them.
static SET_ASIDE: Mutex<(usize, Option<Hook>)> = Mutex::new((0, None));

/// While it lives, a panic prints nothing of its own.
struct Silence;

impl Silence {
    fn begin() -> Self {
        let mut set_aside = match SET_ASIDE.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        };
        if set_aside.0 == 0 {
            set_aside.1 = Some(take_hook());
            set_hook(Box::new(|_| {}));
        }
        set_aside.0 += 1;
        Self
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        let mut set_aside = match SET_ASIDE.lock() {
            Ok(guard) => guard,
            Err(poisoned) => poisoned.into_inner(),
        };
        set_aside.0 = set_aside.0.saturating_sub(1);
        if set_aside.0 == 0
            && let Some(hook) = set_aside.1.take()
        {
            set_hook(hook);
        }
    }
}
