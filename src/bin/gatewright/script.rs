//! `gatewright run-script SCRIPT ARGS`: an entry script whose own interpreter lacks the package.
//!
//! In: the words behind `run-script`. Out: this process becomes, or waits for, the Python that has the package,
//! which runs the drop-in command of the script's name: its options and its words for faults are Python's.

use gatewright::interpreter;
use std::ffi::OsString;
use std::io::Write as _;
use std::process::{Command, ExitCode};

/// Takes the current folder off the search path first: a file there named like a module of Python
/// would run.
const PROGRAM: &str = "\
import sys
sys.path[:] = [p for p in sys.path if p]
try:
    from gatewright.__main__ import main
except ImportError as fault:
    sys.stderr.write(f'gatewright: error: {sys.executable} has no gatewright that answers ({fault}): '
                     'set GATEWRIGHT_PYTHON to the interpreter that has it\\n')
    sys.exit(2)
sys.exit(main())
";

/// Hand `arguments`, which begin with `run-script`, to Python.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let Some(python) = interpreter::find() else {
        return failed(&format!(
            "entry scripts need Python, and none was found: set {} to the interpreter that has gatewright",
            interpreter::VARIABLE
        ));
    };
    let mut command = Command::new(&python);
    command.args(["-c", PROGRAM]).args(arguments);
    let fault = match started(&mut command) {
        Ok(status) => return status,
        Err(fault) => fault,
    };
    failed(&format!(
        "{} does not start ({fault}): set {} to the interpreter that has gatewright",
        python.display(),
        interpreter::VARIABLE
    ))
}

/// Become the other program; comes back only when that fails.
#[cfg(unix)]
fn started(command: &mut Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

/// Wait for the other program.
#[cfg(not(unix))]
fn started(command: &mut Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code();
    Ok(ExitCode::from(
        code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2),
    ))
}

fn failed(words: &str) -> ExitCode {
    let _ = std::io::stderr().write_all(format!("gatewright: error: {words}\n").as_bytes());
    ExitCode::from(2)
}
