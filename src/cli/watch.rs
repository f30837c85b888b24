//! `--watch`: a command again and again, whenever something that decides has changed.
//!
//! In: the command, and which files decide. Out: each answer on the streams as it comes; the last status when
//! the caller is interrupted. Files are polled, which works on every file system; what counts is their content,
//! so that a gate which writes the same bytes again does not set itself off.

use super::Context;
use crate::digest::sha256_hex;
use crate::dropin::Completion;
use crate::finding::counted;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Shortest pause between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// Longest one, where a look takes long.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How soon Ctrl-C is noticed.
const STEP: Duration = Duration::from_millis(20);

/// What decides.
#[derive(Debug, Default)]
pub struct Watched {
    /// Names that globs choose from: what matters is which there are.
    pub names: Vec<String>,
    /// Files and folders whose content matters, there or not.
    pub paths: Vec<PathBuf>,
}

/// What is compared.
#[derive(Debug, PartialEq, Eq)]
struct State {
    names: Vec<String>,
    digests: BTreeMap<PathBuf, Option<String>>,
}

/// When a file was last written, and how long it is.
type Stamp = (SystemTime, u64);

/// Digests of files as they were last read.
#[derive(Debug, Default)]
struct Digests(HashMap<PathBuf, (Stamp, String)>);

impl Digests {
    fn state(&mut self, watched: Watched) -> State {
        let files: Vec<PathBuf> = watched.paths.iter().flat_map(|path| files(path)).collect();
        State {
            digests: files
                .into_iter()
                .map(|path| {
                    let digest = self.digest(&path);
                    (path, digest)
                })
                .collect(),
            names: watched.names,
        }
    }

    /// Nothing when the file cannot be read.
    fn digest(&mut self, path: &Path) -> Option<String> {
        let about = path.metadata().ok()?;
        let stamp = (about.modified().ok()?, about.len());
        if let Some((known, digest)) = self.0.get(path)
            && *known == stamp
            // A file written twice within the clock's step looks the same: look again for a while.
            && stamp.0.elapsed().is_ok_and(|age| age > LONGEST_PAUSE)
        {
            return Some(digest.clone());
        }
        let digest = sha256_hex(&crate::files::read(path).ok()?);
        self.0.insert(path.to_owned(), (stamp, digest.clone()));
        Some(digest)
    }
}

/// The files in `path`, or `path` itself. Pipes are not read: reading would take what is in them.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        let is_other = path.exists() && !path.is_file();
        return if is_other {
            Vec::new()
        } else {
            vec![path.to_owned()]
        };
    }
    ignore::WalkBuilder::new(path)
        .standard_filters(false)
        .hidden(true)
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_file())
        .map(ignore::DirEntry::into_path)
        .collect()
}

/// Call `once` now and after every change of what `watched` names, until the caller is interrupted.
pub fn run(
    context: &Context<'_>,
    watched: &dyn Fn() -> Watched,
    once: &dyn Fn() -> Completion,
) -> Completion {
    let mut digests = Digests::default();
    loop {
        // Before the run, so that a change while it runs is noticed.
        let before = digests.state(watched());
        let done = once();
        let ended = Completion {
            status: done.status,
            stdout: Vec::new(),
            stderr: Vec::new(),
        };
        if context.world.is_interrupted() {
            return ended;
        }
        let mut stdout = Vec::new();
        if context.world.is_stdout_terminal() {
            // A clean screen for each answer.
            stdout.extend_from_slice(b"\x1b[2J\x1b[3J\x1b[H");
        }
        stdout.extend_from_slice(&done.stdout);
        let mut stderr = done.stderr;
        let count = counted(before.digests.len(), "file");
        stderr.extend_from_slice(format!("watching {count}; Ctrl-C ends\n").as_bytes());
        if context.world.show(&stdout, &stderr).is_err() {
            // Nobody reads any more.
            return ended;
        }
        let mut pause = PAUSE;
        loop {
            if is_interrupted_within(pause, context) {
                return ended;
            }
            let start = Instant::now();
            if digests.state(watched()) != before {
                break;
            }
            // Looking takes a tenth of the time at most.
            pause = (start.elapsed() * 10).clamp(PAUSE, LONGEST_PAUSE);
        }
    }
}

fn is_interrupted_within(pause: Duration, context: &Context<'_>) -> bool {
    let start = Instant::now();
    while start.elapsed() < pause {
        if context.world.is_interrupted() {
            return true;
        }
        std::thread::sleep(STEP);
    }
    context.world.is_interrupted()
}
