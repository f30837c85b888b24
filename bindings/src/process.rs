//! Running commands for a Python process: arguments in, streams written, status out.
//!
//! Streams are written through Python's own `sys.stdout.buffer`, so that capture works. A panic of
//! the core ends as one line and status 2. Ctrl-C ends the process as a signal would.

use super::call::{PythonWorld, completed, in_world, with_stack};
use gatewright::cli;
use gatewright::dropin::{self, Call, Completion, OptKind};
use gatewright::value::json::Dialect;
use gatewright::workers;
use pyo3::exceptions::{
    PyBlockingIOError, PyBrokenPipeError, PyKeyboardInterrupt, PyOSError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMemoryView, PySlice, PyTuple};
use std::ffi::OsString;
use std::path::PathBuf;

/// Name of the umbrella command, which refuses where a script says nothing: on a closed stream.
const UMBRELLA: &str = "gatewright";

/// Which words the running Python has for JSON faults.
pub(crate) fn dialect(py: Python<'_>) -> Dialect {
    if py.version_info() >= (3, 13) {
        Dialect::TrailingComma
    } else {
        Dialect::Classic
    }
}

/// Run the drop-in command `name` when this process was started for the calling script alone, then
/// leave at once unless something waits for the interpreter's own shutdown. Nothing (and nothing is
/// done) when somebody else runs the script: the script then goes on as a plain Python module does.
#[pyfunction]
#[pyo3(signature = (name, arguments, script=None))]
pub(crate) fn run_script(
    py: Python<'_>,
    name: &str,
    arguments: Vec<OsString>,
    script: Option<PathBuf>,
) -> PyResult<Option<i32>> {
    if !is_called_by_program(py)? {
        return Ok(None);
    }
    let world = PythonWorld::of_script();
    let status = run(py, name, arguments, script, &world)?;
    leave(py, status)?;
    Ok(Some(status))
}

/// Whether the caller is the program itself: the bottom frame, whose globals are those of `__main__`,
/// and no prompt follows. `runpy`, `exec`, coverage and debuggers stand below the scripts they run.
fn is_called_by_program(py: Python<'_>) -> PyResult<bool> {
    let sys = py.import("sys")?;
    let flags = sys.getattr("flags")?;
    if flags.getattr("inspect")?.is_truthy()? || flags.getattr("interactive")?.is_truthy()? {
        return Ok(false);
    }
    let frame = sys.call_method0("_getframe")?;
    let program = sys.getattr("modules")?.get_item("__main__")?;
    Ok(frame.getattr("f_back")?.is_none()
        && frame
            .getattr("f_globals")?
            .is(&program.getattr("__dict__")?))
}

/// End the process now: tearing the interpreter down costs more than a whole gate run. Not when
/// exit handlers are registered, when a tracer or profiler watches, or when `threading` may have
/// threads to wait for.
fn leave(py: Python<'_>, status: i32) -> PyResult<()> {
    let sys = py.import("sys")?;
    let is_watched =
        !sys.call_method0("gettrace")?.is_none() || !sys.call_method0("getprofile")?.is_none();
    let has_threads = sys.getattr("modules")?.contains("threading")?;
    let handlers: usize = py
        .import("atexit")?
        .call_method0("_ncallbacks")?
        .extract()?;
    if !is_watched && !has_threads && handlers == 0 {
        for stream in ["stdout", "stderr"] {
            let stream = sys.getattr(stream)?;
            if !stream.is_none() && stream.call_method0("flush").is_err() {
                return Ok(());
            }
        }
        #[expect(
            clippy::exit,
            reason = "both streams are flushed and nothing else waits"
        )]
        std::process::exit(status);
    }
    Ok(())
}

/// Run the drop-in command `name` as a script would: parse `arguments`, write both streams, return
/// the exit status. `script` is the entry script's path, absent for the console command.
#[pyfunction]
#[pyo3(signature = (name, arguments, script=None))]
pub(crate) fn run_command(
    py: Python<'_>,
    name: &str,
    arguments: Vec<OsString>,
    script: Option<PathBuf>,
) -> PyResult<i32> {
    run(py, name, arguments, script, &PythonWorld::default())
}

/// As [`run_command`], for a `main` that ends in Python: a refusal of status 1 that is all there is to
/// say is returned as text instead of being written, so that it can be the code of a `SystemExit`.
#[pyfunction]
#[pyo3(signature = (name, arguments, script=None))]
pub(crate) fn run_main(
    py: Python<'_>,
    name: &str,
    arguments: Vec<OsString>,
    script: Option<PathBuf>,
) -> PyResult<(i32, Option<String>)> {
    let world = PythonWorld::default();
    match complete(py, name, arguments, script, &world)? {
        Done::Parsed(status) => Ok((status, None)),
        Done::Run(label, completion) => {
            if completion.status == 1 && completion.stdout.is_empty() {
                let text = String::from_utf8_lossy(&completion.stderr);
                let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
                return Ok((1, Some(text)));
            }
            Ok((finish(py, &world, label, &completion)?, None))
        }
    }
}

/// What came of a call.
enum Done {
    /// `argparse` has said everything; the status.
    Parsed(i32),
    /// The command ran under this name.
    Run(&'static str, Completion),
}

fn run(
    py: Python<'_>,
    name: &str,
    arguments: Vec<OsString>,
    script: Option<PathBuf>,
    world: &PythonWorld,
) -> PyResult<i32> {
    match complete(py, name, arguments, script, world)? {
        Done::Parsed(status) => Ok(status),
        Done::Run(label, completion) => finish(py, world, label, &completion),
    }
}

fn complete(
    py: Python<'_>,
    name: &str,
    arguments: Vec<OsString>,
    script: Option<PathBuf>,
    world: &PythonWorld,
) -> PyResult<Done> {
    if name == dropin::scorecard::NAME {
        let completion = completed(py, name, || {
            dropin::scorecard::run(&arguments, script.as_deref())
        });
        return Ok(Done::Run(dropin::scorecard::NAME, completion));
    }
    let spec =
        dropin::find(name).ok_or_else(|| PyValueError::new_err(format!("no command {name:?}")))?;
    let values = if let Some(values) = dropin::parse_common(spec, &arguments) {
        values
    } else {
        let parsed = py
            .import("gatewright._argparse")?
            .call_method1("parse", (name, arguments, script.clone()))?;
        if let Ok(status) = parsed.extract::<i32>() {
            return Ok(Done::Parsed(status));
        }
        parsed.extract::<Vec<Option<OsString>>>()?
    };
    let call = Call {
        spec,
        values,
        script,
        dialect: dialect(py),
        world,
    };
    let completion = completed(py, spec.script, || (spec.run)(&call));
    Ok(Done::Run(spec.script, completion))
}

/// Run `gatewright` with `arguments`, write both streams, return the exit status.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn run_cli(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<i32> {
    let world = PythonWorld::default();
    let completion = completed(py, UMBRELLA, || cli::run(&arguments, &world));
    finish(py, &world, UMBRELLA, &completion)
}

/// Call `function` where the stack is large enough for the deepest document: on this thread, or,
/// when its stack is small, on one beside it while this one waits without the interpreter.
#[pyfunction]
#[pyo3(signature = (function, arguments, keywords))]
pub(crate) fn call_with_stack<'py>(
    function: &Bound<'py, PyAny>,
    arguments: Bound<'py, PyTuple>,
    keywords: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    if !workers::is_stack_small() {
        return function.call(arguments, Some(keywords));
    }
    let (function, arguments, keywords) = (
        function.clone().unbind(),
        arguments.unbind(),
        keywords.clone().unbind(),
    );
    let call = |py: Python<'_>| {
        let keywords = keywords.bind(py);
        let answer = function.bind(py).call(arguments.bind(py), Some(keywords));
        answer.map(Bound::unbind)
    };
    let answer = with_stack(py, call)?;
    answer.map(|answer| answer.into_bound(py))
}

/// Run `gatewright` with `arguments` and return `(status, stdout, stderr)` instead of writing. With
/// `alike` every gate gives the same report, also one with a form of its own.
#[pyfunction]
#[pyo3(signature = (arguments, *, alike=false))]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn cli_output(
    py: Python<'_>,
    arguments: Vec<OsString>,
    alike: bool,
) -> PyResult<(u8, Bound<'_, PyBytes>, Bound<'_, PyBytes>)> {
    // The process goes on afterwards: its panic hook is not ours to change.
    let completion = in_world(py, |world| {
        Ok(if alike {
            cli::run_alike(&arguments, world)
        } else {
            cli::run(&arguments, world)
        })
    })?;
    Ok((
        completion.status,
        PyBytes::new(py, &completion.stdout),
        PyBytes::new(py, &completion.stderr),
    ))
}

fn finish(
    py: Python<'_>,
    world: &PythonWorld,
    name: &str,
    completion: &Completion,
) -> PyResult<i32> {
    if let Some(raised) = world.take_stop() {
        stopped(py, raised)?;
    }
    let mut status = i32::from(completion.status);
    let sent = if name != UMBRELLA && py.import("sys")?.getattr("stdout")?.is_none() {
        // As Python's `print` does it: what nobody listens to is not said.
        Ok(())
    } else {
        write_stream(py, "stdout", &completion.stdout)
    };
    if let Err(error) = sent {
        // What a signal handler raised meanwhile is no failure of the stream.
        if !error.is_instance_of::<PyOSError>(py) && !error.is_instance_of::<PyValueError>(py) {
            return stopped(py, error).map(|()| i32::from(completion.status));
        }
        // A closed pipe is a normal end: the reader has seen enough. Anything else is a failure.
        py.import("gatewright._process")?
            .call_method0("silence_stdout")?;
        if !error.is_instance_of::<PyBrokenPipeError>(py) {
            let line = format!(
                "{name}: cannot write standard output: {}\n",
                error.value(py)
            );
            write_stream(py, "stderr", line.as_bytes()).ok();
            // A report cut short is none; the scripts keep the status that they decided.
            if status == 0 || name == UMBRELLA {
                status = 2;
            }
        }
    }
    // Nobody is left to tell when standard error itself fails.
    write_stream(py, "stderr", &completion.stderr).ok();
    Ok(status)
}

/// End as what a signal handler raised asks for: Ctrl-C ends the process, anything else is raised.
fn stopped(py: Python<'_>, raised: PyErr) -> PyResult<()> {
    if !raised.is_instance_of::<PyKeyboardInterrupt>(py) {
        return Err(raised);
    }
    py.import("gatewright._process")?
        .call_method0("end_by_interrupt")?;
    Ok(())
}

/// Write `bytes` to `sys.stdout` or `sys.stderr` and flush it.
fn write_stream(py: Python<'_>, stream: &str, bytes: &[u8]) -> PyResult<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let stream = py.import("sys")?.getattr(stream)?;
    if stream.is_none() {
        return Err(PyOSError::new_err("the stream is closed"));
    }
    if let Ok(buffer) = stream.getattr("buffer") {
        stream.call_method0("flush")?;
        write_whole(&buffer, bytes)?;
        buffer.call_method0("flush")?;
    } else {
        // A stream replaced by one that takes text alone, as capture tools do.
        stream.call_method1("write", (String::from_utf8_lossy(bytes),))?;
        stream.call_method0("flush")?;
    }
    Ok(())
}

/// Write `bytes` to `buffer`, which may be unbuffered (`python -u`) and then takes as much as it likes.
fn write_whole(buffer: &Bound<'_, PyAny>, bytes: &[u8]) -> PyResult<()> {
    let py = buffer.py();
    let given = PyBytes::new(py, bytes);
    let mut done = 0;
    while done < bytes.len() {
        // The bytes themselves first: a stand-in may know nothing else.
        let rest = if done == 0 {
            given.clone().into_any()
        } else {
            let (start, end) = (isize::try_from(done)?, isize::try_from(bytes.len())?);
            PyMemoryView::from(given.as_any())?.get_item(PySlice::new(py, start, end, 1))?
        };
        let taken = buffer.call_method1("write", (rest,))?;
        if taken.is_none() {
            let raw = py.import("io")?.getattr("RawIOBase")?;
            if buffer.is_instance(&raw)? {
                return Err(PyBlockingIOError::new_err("the reader is too slow"));
            }
            // A stand-in that does not count took everything.
            return Ok(());
        }
        match taken.extract::<usize>()? {
            0 => return Err(PyOSError::new_err("nothing more is taken")),
            taken => done += taken,
        }
    }
    Ok(())
}

/// The command `name` as data for `gatewright._argparse`: `{"script", "description",
/// "help_status", "options": [{"flag", "help", "kind", "default", "choices"}]}` with kind
/// `required`, `optional`, `choice` or `switch`.
#[pyfunction]
pub(crate) fn dropin_spec<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let spec =
        dropin::find(name).ok_or_else(|| PyValueError::new_err(format!("no command {name:?}")))?;
    let options = PyList::empty(py);
    for option in spec.options {
        let entry = PyDict::new(py);
        entry.set_item("flag", option.flag)?;
        entry.set_item("help", option.help)?;
        let (kind, default, choices) = match option.kind {
            OptKind::Required => ("required", None, None),
            OptKind::Optional { default } => ("optional", default, None),
            OptKind::Choice(choices) => ("choice", choices.first().copied(), Some(choices)),
            OptKind::Switch => ("switch", None, None),
        };
        entry.set_item("kind", kind)?;
        entry.set_item("default", default)?;
        entry.set_item("choices", choices)?;
        options.append(entry)?;
    }
    let out = PyDict::new(py);
    out.set_item("script", spec.script)?;
    out.set_item("description", spec.description)?;
    out.set_item("help_status", spec.help_status)?;
    out.set_item("options", options)?;
    Ok(out)
}
