//! Python's own `re`, asked in a child process, for the schema patterns that the core leaves.
//!
//! In: a pattern and a string. Out: whether it is found, in the words of the same Python function
//! that `python -m gatewright` calls (`gatewright._patterns.search`). The interpreter is started at
//! the first question and serves until this process ends; questions and answers are lines of JSON.

use gatewright::interpreter;
use gatewright::text::patterns::PatternEngine;
use gatewright::value::Text;
use gatewright::value::json::writer::push_string;
use serde::Deserialize;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

/// Takes the current folder off the search path first: a file there named like a module of Python
/// would run.
const PROGRAM: &str = "import sys; sys.path[:] = [p for p in sys.path if p]; \
                       from gatewright._patterns import serve; serve()";

/// [`PatternEngine`] by a Python in a child process.
#[derive(Default)]
pub(crate) struct PythonPatterns {
    worker: Mutex<Option<Result<Worker, String>>>,
}

impl PatternEngine for PythonPatterns {
    fn search(&self, pattern: &Text<'_>, subject: &Text<'_>) -> Result<bool, String> {
        let mut worker = self
            .worker
            .lock()
            .map_err(|_| "an earlier question to Python failed".to_owned())?;
        match worker.get_or_insert_with(Worker::start) {
            Ok(worker) => worker.ask(pattern, subject),
            Err(reason) => Err(reason.clone()),
        }
    }
}

struct Worker {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    name: String,
}

/// What the worker says first.
#[derive(Deserialize)]
struct Greeting {
    version: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Found(bool),
    Error(String),
}

impl Worker {
    fn start() -> Result<Self, String> {
        let python = interpreter::find().ok_or_else(|| {
            format!(
                "only Python's re can decide this pattern, and no Python was found: set {} to the \
                 interpreter that has gatewright",
                interpreter::VARIABLE
            )
        })?;
        let name = python.display().to_string();
        Self::of(&python, &name).map_err(|reason| {
            format!(
                "only Python's re can decide this pattern, and {name} {reason}: set {} to the \
                 interpreter that has gatewright",
                interpreter::VARIABLE
            )
        })
    }

    fn of(python: &Path, name: &str) -> Result<Self, String> {
        let mut child = Command::new(python)
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("does not start ({error})"))?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("has no standard streams".to_owned());
        };
        let mut worker = Self {
            child,
            questions,
            answers: BufReader::new(answers),
            name: name.to_owned(),
        };
        let Some(Greeting { version }) = worker
            .line()
            .and_then(|line| serde_json::from_str(&line).ok())
        else {
            return Err("has no gatewright that answers".to_owned());
        };
        if version == env!("CARGO_PKG_VERSION") {
            Ok(worker)
        } else {
            Err(format!("has gatewright {version}"))
        }
    }

    fn ask(&mut self, pattern: &Text<'_>, subject: &Text<'_>) -> Result<bool, String> {
        let mut question = b"[".to_vec();
        push_string(&mut question, pattern, true);
        question.push(b',');
        push_string(&mut question, subject, true);
        question.extend_from_slice(b"]\n");
        // A worker that ended is noticed when its answer is read.
        let _ = self
            .questions
            .write_all(&question)
            .and_then(|()| self.questions.flush());
        let answer = self
            .line()
            .and_then(|line| serde_json::from_str(&line).ok());
        match answer {
            Some(Answer::Found(is_found)) => Ok(is_found),
            Some(Answer::Error(words)) => Err(words),
            None => Err(format!("{} stopped answering", self.name)),
        }
    }

    /// The next line; nothing at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        line.ends_with('\n').then_some(line)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It waits for a question, and none will come.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
