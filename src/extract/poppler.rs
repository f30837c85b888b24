//! Text of a PDF through `pdftotext`, when that is asked for.
//!
//! In: the bytes of a PDF. Out: its text, or the reason why there is none, as without `pdftotext` on
//! the search path. The program reads a temporary copy and is stopped when it writes
//! too much or runs too long.

use super::{ExtractedText, Limits, Unreadable};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{OnceLock, mpsc};

fn installed() -> Option<PathBuf> {
    let name = format!("pdftotext{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

pub(super) fn text(bytes: &[u8], limits: &Limits) -> Result<ExtractedText, Unreadable> {
    let program = installed().ok_or_else(missing)?;
    let mut read = run(&program, bytes, limits)?;
    read.reader = reader()?;
    Ok(read)
}

fn missing() -> Unreadable {
    Unreadable::new("pdftotext is not installed; leave out `--extractor pdftotext`")
}

/// Name and version, as the program tells them.
pub(super) fn reader() -> Result<String, Unreadable> {
    static VERSION: OnceLock<String> = OnceLock::new();
    if let Some(version) = VERSION.get() {
        return Ok(version.clone());
    }
    let program = installed().ok_or_else(missing)?;
    let told = Command::new(program)
        .arg("-v")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Unreadable::new(format!("pdftotext could not be run: {error}")))?;
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    let version = told
        .lines()
        .next()
        .and_then(|line| line.rsplit(' ').next())
        .unwrap_or("of unknown version");
    Ok(VERSION
        .get_or_init(|| format!("pdftotext {version}"))
        .clone())
}

fn run(program: &Path, bytes: &[u8], limits: &Limits) -> Result<ExtractedText, Unreadable> {
    let failed =
        |error: std::io::Error| Unreadable::new(format!("pdftotext could not be run: {error}"));
    let mut copy = tempfile::Builder::new()
        .suffix(".pdf")
        .tempfile()
        .map_err(failed)?;
    copy.write_all(bytes)
        .and_then(|()| copy.flush())
        .map_err(failed)?;
    let mut child = Command::new(program)
        .args(["-q", "-enc", "UTF-8"])
        .arg(copy.path())
        .arg("-")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let Some(stdout) = child.stdout.take() else {
        return Err(Unreadable::new("pdftotext could not be run: no output"));
    };
    let most = u64::try_from(limits.unpacked_bytes).unwrap_or(u64::MAX);
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::Builder::new()
        .name("gatewright-pdftotext".into())
        .spawn(move || {
            let mut text = Vec::new();
            let read = stdout
                .take(most.saturating_add(1))
                .read_to_end(&mut text)
                .map(|_| text);
            // Nobody waits any more once the time is up.
            let _ = sender.send(read);
        });
    let read = reader
        .map_err(failed)
        .map(|_| receiver.recv_timeout(limits.time));
    let over = match &read {
        Ok(Ok(Ok(text))) => text.len() > limits.unpacked_bytes,
        Ok(Ok(Err(_)) | Err(_)) | Err(_) => true,
    };
    if over {
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    let text = match read? {
        Ok(text) => text.map_err(failed)?,
        Err(_) => {
            return Err(Unreadable::new(format!(
                "reading takes longer than {} seconds",
                limits.time.as_secs()
            )));
        }
    };
    if text.len() > limits.unpacked_bytes {
        return Err(Unreadable::new(format!(
            "text is longer than the {} bytes that are read",
            limits.unpacked_bytes
        )));
    }
    match status.code() {
        Some(0) => {}
        Some(3) => return Err(Unreadable::new("the PDF is encrypted against reading")),
        Some(code) => {
            return Err(Unreadable::new(format!(
                "pdftotext could not read it (exit status {code})"
            )));
        }
        None => return Err(Unreadable::new("pdftotext was stopped by a signal")),
    }
    let text = String::from_utf8(text)
        .map_err(|_| Unreadable::new("pdftotext wrote text that is not UTF-8"))?;
    let pages = text.matches('\u{c}').count();
    if pages > limits.pages {
        return Err(Unreadable::new(format!(
            "the PDF has {pages} pages, more than the {} that are read",
            limits.pages
        )));
    }
    Ok(ExtractedText {
        text,
        pages: Some(pages),
        is_spaced_by_place: true,
        ..ExtractedText::default()
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    fn stand_in(script: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pdftotext");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        (folder, path)
    }

    #[test]
    fn output_is_the_text() {
        let (_folder, program) = stand_in("cat \"$4\"; printf '\\f'");
        let read = run(&program, b"define", &Limits::default()).unwrap();
        assert_eq!((read.text.as_str(), read.pages), ("define\u{c}", Some(1)));
    }

    #[test]
    fn failures_are_reasons() {
        let limits = Limits {
            unpacked_bytes: 1000,
            time: Duration::from_secs(1),
            ..Limits::default()
        };
        for (script, want) in [
            ("exit 1", "pdftotext could not read it (exit status 1)"),
            ("exit 3", "the PDF is encrypted against reading"),
            ("yes", "text is longer than the 1000 bytes that are read"),
            ("exec sleep 600", "reading takes longer than 1 seconds"),
            ("printf '\\377'", "pdftotext wrote text that is not UTF-8"),
        ] {
            let (_folder, program) = stand_in(script);
            assert_eq!(
                run(&program, b"", &limits).unwrap_err().reason,
                want,
                "{script}"
            );
        }
    }
}
