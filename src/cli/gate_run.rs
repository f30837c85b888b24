//! Running the two gate programs of a draft.
//!
//! In: a program, its arguments, the draft as working directory, a time limit. Out: how it ended
//! and what it wrote. Output goes to files without a name, so that nothing a program starts can
//! keep us waiting; a program that runs too long or writes too much is ended with everything it
//! started. Nothing is written into the draft.

use crate::gates::draft::gates::End;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// More than this is no answer of a gate.
const OUTPUT_LIMIT: u64 = 64 << 20;

/// A program that was run.
#[derive(Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Run {
    fn not_started(reason: impl Into<String>) -> Self {
        Self {
            end: End::NotStarted(reason.into()),
            stdout: Vec::new(),
            stderr: Vec::new(),
        }
    }
}

/// Run `script` with `arguments` in `folder`; a `.py` file by `python`, anything else by itself.
pub fn run(
    script: &Path,
    arguments: &[&str],
    folder: &Path,
    python: &OsStr,
    limit: Duration,
    is_interrupted: &dyn Fn() -> bool,
) -> Run {
    let script = match std::fs::canonicalize(script) {
        Ok(script) if script.is_file() => script,
        Ok(_) => return Run::not_started("not a file"),
        Err(error) => return Run::not_started(error.kind().to_string()),
    };
    let Ok(draft) = std::fs::canonicalize(folder) else {
        return Run::not_started("the draft is gone");
    };
    // Only programs that the draft did not bring run.
    if script.starts_with(&draft) {
        return Run::not_started("the program lies inside the draft");
    }
    let search = search_path(&draft);
    let is_python = script
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("py"));
    let mut command = if is_python {
        let python = match program(python, &search) {
            Ok(python) => python,
            Err(reason) => return Run::not_started(reason),
        };
        let real = std::fs::canonicalize(&python).unwrap_or_else(|_| python.clone());
        if python.starts_with(&draft) || real.starts_with(&draft) {
            return Run::not_started("the Python lies inside the draft");
        }
        let mut command = Command::new(python);
        command.arg(&script);
        command
    } else {
        Command::new(&script)
    };
    let (stdout, stderr) = match (tempfile::tempfile(), tempfile::tempfile()) {
        (Ok(stdout), Ok(stderr)) => (stdout, stderr),
        (Err(error), _) | (_, Err(error)) => return Run::not_started(error.kind().to_string()),
    };
    let handles = (stdout.try_clone(), stderr.try_clone());
    let (Ok(own_stdout), Ok(own_stderr)) = handles else {
        return Run::not_started("no file handle left");
    };
    command
        .args(arguments)
        .current_dir(folder)
        // Nothing is imported or started from the working folder, which is the draft: no relative
        // entry stays in a search path, and Python leaves its own out. The script's folder takes the
        // place that it would have.
        .env("PATH", joined(&search))
        .env("PYTHONSAFEPATH", "1")
        .env("PYTHONPATH", joined(&python_path(&script, &draft)))
        .env_remove("PYTHONSTARTUP")
        .env("PYTHONUTF8", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .stdout(own_stdout)
        .stderr(own_stderr);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    let mut family = match spawn(&mut command) {
        Ok(child) => Family::of(child),
        Err(error) => return Run::not_started(error.kind().to_string()),
    };
    let end = wait(&mut family, limit, [&stdout, &stderr], is_interrupted);
    Run {
        end,
        stdout: content(stdout),
        stderr: content(stderr),
    }
}

/// The entries of a search path that are absolute and lie outside the draft.
fn outside(variable: &str, draft: &Path) -> Vec<PathBuf> {
    let value = std::env::var_os(variable).unwrap_or_default();
    std::env::split_paths(&value)
        .filter(|entry| entry.is_absolute())
        .filter(|entry| {
            let real = std::fs::canonicalize(entry).unwrap_or_else(|_| entry.clone());
            !entry.starts_with(draft) && !real.starts_with(draft)
        })
        .collect()
}

fn search_path(draft: &Path) -> Vec<PathBuf> {
    outside("PATH", draft)
}

fn python_path(script: &Path, draft: &Path) -> Vec<PathBuf> {
    let own = script.parent().map(Path::to_path_buf);
    own.into_iter()
        .chain(outside("PYTHONPATH", draft))
        .collect()
}

fn joined(entries: &[PathBuf]) -> OsString {
    // An entry that came out of a search path has no separator in it, and the script's folder may.
    std::env::join_paths(entries).unwrap_or_default()
}

/// Where `name` is, found before the working folder changes: a path starts from the folder that we
/// run in, a bare name is looked for in `search`.
fn program(name: &OsStr, search: &[PathBuf]) -> Result<PathBuf, String> {
    let path = Path::new(name);
    if path.components().count() > 1 || path.is_absolute() {
        // Links stay: the Python of a virtual environment is one.
        return std::path::absolute(path).map_err(|error| error.kind().to_string());
    }
    // Programs have their ending on Windows, where nobody types it.
    let ending = if cfg!(windows) && path.extension().is_none() {
        std::env::consts::EXE_SUFFIX
    } else {
        ""
    };
    let mut file = path.as_os_str().to_owned();
    file.push(ending);
    search
        .iter()
        .map(|folder| folder.join(&file))
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| format!("`{}` is not on the search path", path.display()))
}

fn wait(
    family: &mut Family,
    limit: Duration,
    outputs: [&File; 2],
    is_interrupted: &dyn Fn() -> bool,
) -> End {
    const FIRST_PAUSE: Duration = Duration::from_millis(1);
    const LONGEST_PAUSE: Duration = Duration::from_millis(50);
    let start = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match family.child.try_wait() {
            Ok(Some(status)) => {
                // What the program left running has nothing more to say.
                family.stop_others();
                return End::Exited(exit_code(status));
            }
            Ok(None) => {}
            Err(error) => {
                family.stop();
                return End::NotStarted(error.kind().to_string());
            }
        }
        if start.elapsed() >= limit || is_interrupted() {
            family.stop();
            return End::TimedOut {
                seconds: limit.as_secs(),
            };
        }
        let is_too_much = outputs.iter().any(|file| {
            file.metadata()
                .is_ok_and(|about| about.len() > OUTPUT_LIMIT)
        });
        if is_too_much {
            family.stop();
            return End::TooMuch;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// A program and everything that it started.
struct Family {
    child: Child,
    /// What it starts is in the job too, and ends with it; none when the system gives none.
    #[cfg(windows)]
    job: Option<win32job::Job>,
}

impl Family {
    #[cfg(not(windows))]
    fn of(child: Child) -> Self {
        Self { child }
    }

    #[cfg(windows)]
    fn of(child: Child) -> Self {
        use std::os::windows::io::AsRawHandle as _;
        let mut limits = win32job::ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = win32job::Job::create_with_limit_info(&limits).ok();
        let job = job.filter(|job| job.assign_process(child.as_raw_handle() as isize).is_ok());
        Self { child, job }
    }

    /// Ends the program and what it started.
    fn stop(&mut self) {
        self.stop_others();
        // The others are gone or the platform has none: end and reap the program itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    #[cfg(unix)]
    fn stop_others(&mut self) {
        if let Some(group) = i32::try_from(self.child.id())
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        {
            // No such group is the ordinary case after a program has ended.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }

    #[cfg(windows)]
    fn stop_others(&mut self) {
        // The job ends with its handle, and its processes with it.
        self.job = None;
    }

    #[cfg(not(any(unix, windows)))]
    fn stop_others(&mut self) {}
}

/// The exit status; a signal n is 128+n.
fn exit_code(status: ExitStatus) -> i64 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(signal) = status.signal() {
            return 128 + i64::from(signal);
        }
    }
    status.code().map_or(1, i64::from)
}

fn content(mut file: File) -> Vec<u8> {
    let mut bytes = Vec::new();
    // An output that cannot be read back is an answer that cannot be read.
    if file.seek(SeekFrom::Start(0)).is_err()
        || file.take(OUTPUT_LIMIT).read_to_end(&mut bytes).is_err()
    {
        return Vec::new();
    }
    bytes
}

/// Start `command`. A script that another process is just writing, or whose writer's descriptor a
/// fork elsewhere still holds, is busy for a moment: wait for it, half a second at most.
fn spawn(command: &mut Command) -> std::io::Result<Child> {
    const TRIES: u32 = 50;
    for _ in 0..TRIES {
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(Duration::from_millis(10));
            }
            result => return result,
        }
    }
    command.spawn()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn script(folder: &Path, body: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.join("gate.sh");
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn run_shell(body: &str, limit: Duration) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let path = script(folder.path(), body);
        let draft = tempfile::tempdir().unwrap();
        run(
            &path,
            &["--x"],
            draft.path(),
            "python3".as_ref(),
            limit,
            &|| false,
        )
    }

    #[test]
    fn ends_are_told_apart() {
        let minute = Duration::from_secs(60);
        let fine = run_shell("echo \"out $1\"; echo err >&2", minute);
        assert_eq!(fine.end, End::Exited(0));
        assert_eq!(
            (fine.stdout.as_slice(), fine.stderr.as_slice()),
            (&b"out --x\n"[..], &b"err\n"[..])
        );
        assert_eq!(run_shell("exit 2", minute).end, End::Exited(2));
        assert_eq!(run_shell("kill -SEGV $$", minute).end, End::Exited(139));
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none.py");
        let run = run(
            &missing,
            &[],
            folder.path(),
            "python3".as_ref(),
            minute,
            &|| false,
        );
        assert!(matches!(run.end, End::NotStarted(_)));
        let brought = script(folder.path(), "exit 0");
        let run = super::run(
            &brought,
            &[],
            folder.path(),
            "python3".as_ref(),
            minute,
            &|| false,
        );
        let reason = "the program lies inside the draft".to_owned();
        assert_eq!(run.end, End::NotStarted(reason));
    }

    #[test]
    fn a_program_that_does_not_end_is_stopped_with_its_children() {
        let start = Instant::now();
        let run = run_shell("sleep 60 & sleep 60", Duration::from_millis(300));
        assert_eq!(run.end, End::TimedOut { seconds: 0 });
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_child_left_behind_does_not_keep_us_waiting() {
        let start = Instant::now();
        let run = run_shell("sleep 60 & echo OK", Duration::from_secs(50));
        assert_eq!(
            (run.end, run.stdout.as_slice()),
            (End::Exited(0), &b"OK\n"[..])
        );
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
