//! Text of a PDF through pdfium in a child process.
//!
//! In: the bytes of a PDF. Out: the text of every page in reading order, each ended by a form feed,
//! with the places of heads, feet and footnotes; or the reason why there is none. Workers (`worker`)
//! are started when needed, kept for the next document, and ended when one takes too long; the
//! library of the Python package `pypdfium2` does the reading, so that every machine reads alike.

mod asides;
mod glyphs;
mod layout;
pub mod worker;

use super::{ExtractedText, Limits, Unreadable};
use crate::interpreter::{self, VARIABLE};
use memchr::memmem;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use worker::{Greeting, Request, Response};

/// Python, told to read PDF files as they come; the working folder is no place to import from.
const PROGRAM: &str = "import sys; sys.path[:] = [p for p in sys.path if p]; from gatewright._pdf import main; main()";
/// Longest a worker may take to start, on a loaded machine too.
const START_TIME: Duration = Duration::from_secs(60);
/// Idle workers kept for the next document.
const MOST_IDLE: usize = 4;
static IDLE: Mutex<Vec<Worker>> = Mutex::new(Vec::new());

/// The text of all pages.
pub(super) fn text(bytes: &[u8], limits: &Limits) -> Result<ExtractedText, Unreadable> {
    if memmem::find(
        bytes.get(..bytes.len().min(1024)).unwrap_or_default(),
        b"%PDF-",
    )
    .is_none()
    {
        return Err(Unreadable::new("not a PDF (no %PDF- header)"));
    }
    let mut worker = match idle() {
        Some(worker) => worker,
        None => Worker::start()?,
    };
    let response = worker.ask(bytes, limits)?;
    if let Ok(mut workers) = IDLE.lock()
        && workers.len() < MOST_IDLE
    {
        workers.push(worker);
    }
    match response {
        Response::Read(read) => Ok(read),
        Response::Unreadable(reason) => Err(Unreadable::new(reason)),
    }
}

/// Name and version of the reader, which starts a worker when none is there.
pub(super) fn reader() -> Result<String, Unreadable> {
    let worker = match idle() {
        Some(worker) => worker,
        None => Worker::start()?,
    };
    let reader = worker.reader.clone();
    if let Ok(mut workers) = IDLE.lock() {
        workers.push(worker);
    }
    Ok(reader)
}

fn idle() -> Option<Worker> {
    let own = std::process::id();
    let mut workers = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    while let Some(worker) = workers.pop() {
        // After a fork both processes would talk to the same worker.
        if worker.owner == own {
            return Some(worker);
        }
        worker.forget();
    }
    None
}

/// A running worker.
struct Worker {
    child: Child,
    input: Option<ChildStdin>,
    /// Lines that the worker writes, or why there are no more.
    output: Receiver<std::io::Result<String>>,
    reader: String,
    owner: u32,
}

impl Worker {
    fn start() -> Result<Self, Unreadable> {
        let Some(python) = interpreter::find() else {
            return Err(Unreadable::new(format!(
                "no Python interpreter for the PDF reader (set {VARIABLE} to the one that gatewright is installed for)"
            )));
        };
        let mut command = Command::new(&python);
        command.args([OsString::from("-c"), OsString::from(PROGRAM)]);
        Self::begin(command)
    }

    fn begin(mut command: Command) -> Result<Self, Unreadable> {
        let program = command.get_program().to_owned();
        let failed = |error: &dyn std::fmt::Display| {
            Unreadable::new(format!(
                "the PDF reader could not be started with {}: {error}",
                program.display()
            ))
        };
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&"it has no standard streams"));
        };
        let (sender, receiver) = mpsc::sync_channel(1);
        std::thread::Builder::new()
            .name("gatewright-pdf".into())
            .spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let mut line = String::new();
                    let read = output.read_line(&mut line).map(|_| line);
                    let is_last = !matches!(&read, Ok(line) if line.ends_with('\n'));
                    if sender.send(read).is_err() || is_last {
                        return;
                    }
                }
            })
            .map_err(|error| failed(&error))?;
        let mut worker = Self {
            child,
            input: Some(input),
            output: receiver,
            reader: String::new(),
            owner: std::process::id(),
        };
        let greeting = worker.line(START_TIME);
        let greeting = greeting.map_err(|lost| match lost {
            Lost::Late => failed(&"it does not answer"),
            Lost::Ended => failed(&"it ended at once (is the package pypdfium2 installed there?)"),
        })?;
        match serde_json::from_str(&greeting) {
            Ok(Greeting::Reader(reader)) => {
                worker.reader = reader;
                Ok(worker)
            }
            Ok(Greeting::Failed(why)) => Err(failed(&why)),
            Err(error) => Err(failed(&error)),
        }
    }

    fn ask(&mut self, bytes: &[u8], limits: &Limits) -> Result<Response, Unreadable> {
        let request = Request {
            len_bytes: bytes.len(),
            max_pages: limits.pages,
            max_text_bytes: limits.unpacked_bytes,
        };
        let end = Instant::now() + limits.time;
        let line = serde_json::to_string(&request)
            .map_err(|error| Unreadable::new(format!("the PDF reader was not asked: {error}")))?;
        let sent = self.input.as_mut().map_or(Ok(()), |input| {
            writeln!(input, "{line}")?;
            input.write_all(bytes)?;
            input.flush()
        });
        // A worker that ended says so when its answer is read.
        let _ = sent;
        let answer = self.line(end.saturating_duration_since(Instant::now()));
        match answer {
            Ok(line) => serde_json::from_str(&line).map_err(|error| {
                Unreadable::new(format!("the PDF reader gave no answer: {error}"))
            }),
            Err(Lost::Late) => Err(Unreadable::new(format!(
                "reading takes longer than {} seconds",
                limits.time.as_secs()
            ))),
            Err(Lost::Ended) => {
                let status = self.child.wait().map(|status| status.to_string());
                Err(Unreadable::new(format!(
                    "the PDF is damaged, or takes more than {} MB to read: the reader failed on it ({})",
                    worker::MAX_MEMORY_BYTES >> 20,
                    status.unwrap_or_else(|error| error.to_string())
                )))
            }
        }
    }

    fn line(&mut self, time: Duration) -> Result<String, Lost> {
        match self.output.recv_timeout(time) {
            Ok(Ok(line)) if line.ends_with('\n') => Ok(line),
            Ok(Ok(_) | Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(Lost::Ended),
            Err(RecvTimeoutError::Timeout) => Err(Lost::Late),
        }
    }

    /// Leaves the worker to the process that started it.
    fn forget(mut self) {
        self.owner = 0;
        std::mem::forget(self.input.take());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.owner != std::process::id() {
            return;
        }
        self.input.take();
        // One that has ended already is no fault.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

enum Lost {
    Late,
    Ended,
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    // A worker that greets and then does this with what it is asked.
    fn stand_in(does: &str) -> Worker {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            &format!("echo '{{\"reader\":\"stand-in 1\"}}'; read asked; {does}"),
        ]);
        Worker::begin(command).unwrap()
    }

    fn refusal(does: &str, limits: &Limits) -> String {
        stand_in(does).ask(b"%PDF-1.4", limits).unwrap_err().reason
    }

    #[test]
    fn a_crash_of_the_reader_is_one_line() {
        let told = refusal("kill -SEGV $$", &Limits::default());
        assert!(
            told.starts_with("the PDF is damaged, or takes more than 500 MB to read: the reader failed on it (signal: 11"),
            "{told}"
        );
        assert!(!told.contains('\n'));
        let told = refusal("exit 3", &Limits::default());
        assert!(told.ends_with("(exit status: 3)"), "{told}");
    }

    #[test]
    fn a_reader_that_hangs_is_ended() {
        let limits = Limits {
            time: Duration::ZERO,
            ..Limits::default()
        };
        let mut worker = stand_in("read never");
        let told = worker.ask(b"", &limits).unwrap_err().reason;
        assert_eq!(told, "reading takes longer than 0 seconds");
        let process = worker.child.id();
        drop(worker);
        // A process that was waited for is nobody's child any more.
        let path = std::path::PathBuf::from(format!("/proc/{process}"));
        assert!(!path.exists());
    }

    #[test]
    fn an_answer_cut_short_or_of_another_kind_is_told() {
        let told = refusal("printf '{\"read\"'", &Limits::default());
        assert!(told.contains("the reader failed on it"), "{told}");
        let told = refusal("echo '[]'; read never", &Limits::default());
        assert!(told.starts_with("the PDF reader gave no answer:"), "{told}");
    }

    #[test]
    fn a_reader_that_does_not_start_says_so() {
        let told = |does: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", does]);
            Worker::begin(command).err().unwrap().reason
        };
        assert_eq!(
            told("exit 1"),
            "the PDF reader could not be started with sh: it ended at once (is the package pypdfium2 installed there?)"
        );
        assert_eq!(
            told("echo '{\"failed\":\"no library\"}'"),
            "the PDF reader could not be started with sh: no library"
        );
    }
}
