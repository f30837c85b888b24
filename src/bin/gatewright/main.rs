//! The native `gatewright`: arguments in, both streams written, status out. Starts no Python.
//!
//! The command itself is [`gatewright::cli`], the same that `python -m gatewright` runs. This room
//! holds what the process does for it: streams, Ctrl-C (`interrupts`), Python's `re` for the schema
//! patterns that only it can decide (`patterns`), and Python itself for entry scripts (`script`).

mod interrupts;
mod patterns;
mod script;

use gatewright::cli;
use gatewright::dropin::{self, Completion};
use gatewright::interpreter;
use gatewright::text::patterns::PatternEngine;
use gatewright::workers;
use gatewright::world::{ProcessWorld, Terminal, World};
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

/// The process as the core sees it.
#[derive(Default)]
struct NativeWorld {
    patterns: patterns::PythonPatterns,
}

impl World for NativeWorld {
    fn variable(&self, name: &str) -> Option<OsString> {
        ProcessWorld.variable(name)
    }

    fn seconds_since_epoch(&self) -> i64 {
        ProcessWorld.seconds_since_epoch()
    }

    fn is_interrupted(&self) -> bool {
        interrupts::is_interrupted()
    }

    fn ends_process(&self) -> bool {
        true
    }

    fn pattern_engine(&self) -> &dyn PatternEngine {
        &self.patterns
    }
}

impl Terminal for NativeWorld {
    fn is_stdout_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    fn is_stderr_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }

    fn draw(&self, text: &str) {
        // A bar that cannot be drawn is no reason to fail.
        let _ = io::stderr().write_all(text.as_bytes());
    }
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|word| word == "run-script") && arguments.len() > 1 {
        return script::run(&arguments);
    }
    interrupts::watch();
    if let Some(minor) = interpreter::environment_minor_version() {
        gatewright::text::python::set_unicode_version(interpreter::unicode_version(minor));
    }
    // The one line on a failure inside is ours, not the panic hook's.
    std::panic::set_hook(Box::new(|_| {}));
    let world = NativeWorld::default();
    let completion =
        workers::with_stack(|| dropin::guarded("gatewright", || cli::run(&arguments, &world)));
    if interrupts::is_interrupted() {
        interrupts::end();
    }
    ExitCode::from(written(&completion))
}

/// Write both streams; the status that remains.
fn written(completion: &Completion) -> u8 {
    let mut status = completion.status;
    let mut stdout = io::stdout().lock();
    let sent = stdout
        .write_all(&completion.stdout)
        .and_then(|()| stdout.flush());
    let mut stderr = io::stderr().lock();
    if let Err(error) = sent
        // A closed pipe is a normal end: the reader has seen enough. Anything else is a failure.
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let reason = gatewright::text::python::os_error_words(&error);
        let line = format!("gatewright: cannot write standard output: {reason}\n");
        let _ = stderr.write_all(line.as_bytes());
        // A report cut short is none.
        status = 2;
    }
    // Nobody is left to tell when standard error itself fails.
    let _ = stderr.write_all(&completion.stderr);
    status
}
