//! Which Python belongs to this program.
//!
//! What only Python can decide (a schema pattern for `re`) is asked of an interpreter that has this
//! package. In: the interpreter that runs this code, if one does; the variable
//! [`VARIABLE`]; the place of this executable. Out: the path of an interpreter. Starting it is left
//! to whoever asks.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The environment variable that names the interpreter for programs that none runs.
pub const VARIABLE: &str = "GATEWRIGHT_PYTHON";

/// File names of an interpreter, best first.
#[cfg(windows)]
const NAMES: [&str; 2] = ["python.exe", "python3.exe"];
/// File names of an interpreter, best first.
#[cfg(not(windows))]
const NAMES: [&str; 2] = ["python3", "python"];

static RUNNING: OnceLock<PathBuf> = OnceLock::new();

/// Name the interpreter that runs this code. The first one stays.
pub fn set_running(path: PathBuf) {
    // A process has one interpreter: a second name is of the same one.
    let _ = RUNNING.set(path);
}

/// The interpreter to ask: the one that runs this code; the one that [`VARIABLE`] names; the one of
/// the environment in which this executable lies; the first on the search path.
pub fn find() -> Option<PathBuf> {
    if let Some(path) = RUNNING.get() {
        return Some(path.clone());
    }
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Some(PathBuf::from(path));
    }
    beside().or_else(on_search_path)
}

/// A program name that starts Python for scripts that name none: `python3`, on Windows `python`.
pub const fn common_name() -> &'static str {
    if cfg!(windows) { "python" } else { "python3" }
}

/// The folder of this executable with links resolved: tool installers link commands elsewhere.
fn own_folder() -> Option<PathBuf> {
    let program = std::fs::canonicalize(std::env::current_exe().ok()?).ok()?;
    program.parent().map(Path::to_path_buf)
}

/// The interpreter beside this executable, or one folder up where Windows keeps that of an
/// installation whose scripts lie in `Scripts`.
fn beside() -> Option<PathBuf> {
    let folder = own_folder()?;
    let above = if cfg!(windows) { folder.parent() } else { None };
    [Some(folder.as_path()), above]
        .into_iter()
        .flatten()
        .find_map(interpreter_in)
}

fn on_search_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    // An empty entry means the current folder, whose files are not trusted.
    std::env::split_paths(&path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .find_map(|folder| interpreter_in(&folder))
}

fn interpreter_in(folder: &Path) -> Option<PathBuf> {
    NAMES
        .iter()
        .map(|name| folder.join(name))
        .find(|path| path.is_file())
}

/// The Unicode version, ten times major plus minor, that Python 3.`minor` knows.
pub const fn unicode_version(minor: u8) -> u8 {
    match minor {
        0..=10 => 130,
        11 => 140,
        12 => 150,
        13 => 151,
        _ => 160,
    }
}

/// The minor version of the virtual environment in which this executable lies, from its
/// `pyvenv.cfg`.
pub fn environment_minor_version() -> Option<u8> {
    let folder = own_folder()?;
    let settings = std::fs::read_to_string(folder.parent()?.join("pyvenv.cfg")).ok()?;
    minor_version(&settings)
}

/// `version = 3.11.4` as venv writes it, `version_info = 3.11.4.final.0` as virtualenv and uv do.
fn minor_version(settings: &str) -> Option<u8> {
    settings.lines().find_map(|line| {
        let (key, version) = line.split_once('=')?;
        if !matches!(key.trim(), "version" | "version_info") {
            return None;
        }
        version
            .trim()
            .strip_prefix("3.")?
            .split('.')
            .next()?
            .parse()
            .ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minor_version_is_read_from_each_tools_settings() {
        for (settings, minor) in [
            ("home = /usr/bin\nversion = 3.11.4\n", Some(11)),
            ("uv = 0.13\nversion_info = 3.9.19\r\n", Some(9)),
            ("version_info = 3.13.0.final.0", Some(13)),
            ("home = /usr/bin\n", None),
            ("version = 2.7.1\n", None),
        ] {
            assert_eq!(minor_version(settings), minor, "{settings:?}");
        }
    }
}
