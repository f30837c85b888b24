//! File-system effects: reading, whole-file writes and locks.
//!
//! A file is written whole or not at all: a temporary file in the target's own folder, fsync,
//! rename. Errors name the target, never the temporary file. Two processes that update one file
//! take [`Lock`] on its folder first.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Read a whole file. FIFOs and devices are read to their end, as Python's `open` would.
///
/// # Errors
/// Those of the operating system; a directory gives `EISDIR`.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Small files come by the hundred thousand: what fits here needs no question for the size.
    const SMALL_BYTES: usize = 1 << 14;
    let mut file = File::open(path)?;
    let mut start = [0; SMALL_BYTES];
    let mut len = 0;
    while let Some(free) = start.get_mut(len..).filter(|free| !free.is_empty()) {
        match file.read(free) {
            Ok(0) => return Ok(start.get(..len).unwrap_or_default().to_vec()),
            Ok(read) => len += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let size = file.metadata().map_or(0, |about| about.len());
    let mut bytes = Vec::new();
    // One allocation for ordinary files; a size that does not fit is an out-of-memory error.
    let wanted = usize::try_from(size).map_or(0, |size| size.saturating_add(1));
    bytes
        .try_reserve_exact(wanted.max(SMALL_BYTES))
        .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    bytes.extend_from_slice(&start);
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Write `bytes` to `path` whole or not at all, replacing an older file (or link) of that name.
/// The mode of an older plain file is kept; a new one gets the process's default mode.
///
/// # Errors
/// Those of the operating system; the target is then as it was and no other file is left behind.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    stage(path, bytes)?.commit_synced()
}

/// The first half of [`write_atomic`]: everything but the rename. When several files change
/// together, each is staged before the first is committed, so that a full disk changes none.
///
/// Nothing is synced to the disk unless [`SYNC_VARIABLE`] is set: a killed process leaves old or new
/// files, a power cut may cost the last seconds. A sync takes milliseconds, more than the whole run
/// of a small gate.
///
/// # Errors
/// As [`write_atomic`].
pub fn stage(path: &Path, bytes: &[u8]) -> io::Result<Staged> {
    let mut staging = Staging::begin(path)?;
    staging.write(bytes)?;
    staging.finish()
}

/// A file that [`stage`] would write, as it comes: a large one never stands whole in memory.
#[derive(Debug)]
pub struct Staging {
    temporary: tempfile::NamedTempFile,
    target: PathBuf,
}

impl Staging {
    /// Begin the file that will lie at `path`.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn begin(path: &Path) -> io::Result<Self> {
        if path.is_dir() {
            return Err(io::Error::from_raw_os_error(libc_codes::EISDIR));
        }
        Ok(Self {
            temporary: new_temporary(folder_of(path))?,
            target: path.to_owned(),
        })
    }

    /// Append `bytes`.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.temporary.write_all(bytes)
    }

    /// The whole file.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn finish(self) -> io::Result<Staged> {
        if let Ok(about) = fs::symlink_metadata(&self.target)
            && about.is_file()
        {
            self.temporary
                .as_file()
                .set_permissions(about.permissions())?;
        }
        Ok(Staged {
            temporary: self.temporary,
            target: self.target,
        })
    }
}

/// A file that is written but not yet in its place; dropped, it is gone.
#[derive(Debug)]
pub struct Staged {
    temporary: tempfile::NamedTempFile,
    target: PathBuf,
}

/// Environment variable that, when not empty, has every file synced to the disk before it takes its
/// place, whoever writes it.
pub const SYNC_VARIABLE: &str = "GATEWRIGHT_SYNC";

impl Staged {
    /// Put the file in its place; synced before when [`SYNC_VARIABLE`] asks for it.
    ///
    /// # Errors
    /// Those of the operating system; the target is then as it was.
    pub fn commit(self) -> io::Result<()> {
        if std::env::var_os(SYNC_VARIABLE).is_some_and(|value| !value.is_empty()) {
            self.commit_synced()
        } else {
            self.persist()
        }
    }

    /// Sync the file to the disk, put it in its place, and sync the folder that names it.
    ///
    /// # Errors
    /// As [`Staged::commit`].
    pub fn commit_synced(self) -> io::Result<()> {
        self.temporary.as_file().sync_all()?;
        let target = self.target.clone();
        self.persist()?;
        sync_folder(folder_of(&target));
        Ok(())
    }

    fn persist(self) -> io::Result<()> {
        self.temporary
            .persist(&self.target)
            .map_err(|failure| failure.error)?;
        Ok(())
    }
}

/// [`write_atomic`], but through a link: the file that the link names is replaced, the link stays.
///
/// # Errors
/// As [`write_atomic`]; also when the link leads nowhere.
pub fn write_atomic_through_links(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => write_atomic(&fs::canonicalize(path)?, bytes),
        _ => write_atomic(path, bytes),
    }
}

/// Write `bytes` to `path` only if nothing of that name exists. Returns whether it was written.
///
/// # Errors
/// Those of the operating system other than "exists".
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let folder = folder_of(path);
    let mut temporary = new_temporary(folder)?;
    temporary.write_all(bytes)?;
    temporary.as_file().sync_all()?;
    match temporary.persist_noclobber(path) {
        Ok(_) => {
            sync_folder(folder);
            Ok(true)
        }
        Err(failure) if failure.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(failure) => Err(failure.error),
    }
}

/// [`write_atomic`] of a file that can be executed (mode 755 less the umask's share).
///
/// # Errors
/// As [`write_atomic`].
pub fn write_executable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_atomic(path, bytes)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Everyone who may read may execute, as `chmod +x` does under the umask.
        let mode = fs::metadata(path)?.permissions().mode();
        fs::set_permissions(
            path,
            fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)),
        )?;
    }
    Ok(())
}

/// The folder that holds `path`; `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn new_temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    // tempfile wraps a failure in one that names the temporary path and hides the code: keep the
    // code of the last attempt beside it.
    let code = std::cell::Cell::new(None);
    tempfile::Builder::new()
        .prefix(".gatewright-")
        .suffix(".tmp")
        .make_in(folder, |path| {
            // The process's default mode (0o666 less the umask), as files that Python creates have.
            File::options()
                .write(true)
                .create_new(true)
                .open(path)
                .inspect_err(|error| code.set(error.raw_os_error()))
        })
        .map_err(|error| code.get().map_or(error, io::Error::from_raw_os_error))
}

/// Make the rename itself durable. Not every file system lets a folder be synced; the file's own
/// content is safe by then, so a refusal here is no failure of the write.
fn sync_folder(folder: &Path) {
    if let Ok(handle) = File::open(folder) {
        let _ = handle.sync_all();
    }
}

mod libc_codes {
    /// "Is a directory", the same number on Linux, macOS and the BSDs.
    pub(super) const EISDIR: i32 = 21;
}

/// An exclusive lock on a folder, held until dropped. It is taken on the folder itself, so no lock
/// file is left behind and a rename inside the folder cannot invalidate it.
#[derive(Debug)]
pub struct Lock {
    _handle: File,
}

impl Lock {
    /// Wait for the lock on `folder`.
    ///
    /// # Errors
    /// Those of the operating system, e.g. on a file system without locks.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        let handle = File::open(folder)?;
        handle.lock()?;
        Ok(Self { _handle: handle })
    }
}

/// The current folder as text; empty when it is gone or no UTF-8.
pub fn current_folder() -> String {
    std::env::current_dir()
        .ok()
        .and_then(|folder| folder.into_os_string().into_string().ok())
        .unwrap_or_default()
}

/// `child` under `root`, or nothing when it would leave it: absolute, with `..`, or through a link.
pub fn inside(root: &Path, child: &Path) -> Option<PathBuf> {
    use std::path::Component;
    let is_plain = child
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_plain || child.as_os_str().is_empty() {
        return None;
    }
    let joined = root.join(child);
    match (fs::canonicalize(root), fs::canonicalize(&joined)) {
        (Ok(root), Ok(target)) if !target.starts_with(&root) => None,
        _ => Some(joined),
    }
}

/// A path as Python's `pathlib` writes it: single slashes, no `.` parts, no slash at the end, `..`
/// kept; the empty path is `.`.
pub fn python_path(path: &OsStr) -> PathBuf {
    let bytes = path.as_encoded_bytes();
    let is_absolute = bytes.first() == Some(&b'/');
    let mut out = PathBuf::new();
    // Two slashes, and no more, are a root of their own in POSIX, and pathlib keeps them.
    if bytes.starts_with(b"//") && !bytes.starts_with(b"///") {
        out.push("//");
    } else if is_absolute {
        out.push("/");
    }
    for part in Path::new(path).components() {
        match part {
            std::path::Component::Normal(_) | std::path::Component::ParentDir => out.push(part),
            std::path::Component::Prefix(_)
            | std::path::Component::RootDir
            | std::path::Component::CurDir => {}
        }
    }
    if out.as_os_str().is_empty() {
        out.push(".");
    }
    out
}

/// A path as Python's `str` would show it: bytes that are not UTF-8 become the surrogates that
/// `os.fsdecode` makes of them.
pub fn display(path: &OsStr) -> crate::value::Text<'static> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let mut out = Vec::new();
        for chunk in path.as_bytes().utf8_chunks() {
            out.extend_from_slice(chunk.valid().as_bytes());
            for &byte in chunk.invalid() {
                crate::text::push_code_point(&mut out, 0xDC00 + u32::from(byte));
            }
        }
        crate::value::Text::from_wtf8(std::borrow::Cow::Owned(out))
    }
    #[cfg(not(unix))]
    {
        crate::value::Text::from(path.to_string_lossy().into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_replaces_or_leaves_everything() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.json");
        write_atomic(&target, b"one").unwrap();
        write_atomic(&target, b"two").unwrap();
        assert_eq!(read(&target).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let missing = folder.path().join("no/out.json");
        let error = write_atomic(&missing, b"x").unwrap_err();
        assert_eq!(
            crate::text::python::os_error(&error, "no/out.json"),
            "[Errno 2] No such file or directory: 'no/out.json'"
        );
        let error = write_atomic(folder.path(), b"x").unwrap_err();
        assert_eq!(error.raw_os_error(), Some(21));
        assert!(!write_new(&target, b"three").unwrap());
        assert_eq!(read(&target).unwrap(), b"two");
    }

    #[cfg(unix)]
    #[test]
    fn paths_do_not_leave_their_root() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
        fs::write(root.join("fine"), "x").unwrap();
        assert!(inside(&root, Path::new("fine")).is_some());
        assert!(inside(&root, Path::new("missing")).is_some());
        for bad in ["link", "../secret", "/etc/passwd", "a/../../secret", ""] {
            assert!(inside(&root, Path::new(bad)).is_none(), "{bad}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn paths_read_as_pathlib_writes_them() {
        for (given, shown) in [
            ("./v//x/../y/", "v/x/../y"),
            ("", "."),
            (".", "."),
            ("./.", "."),
            ("..", ".."),
            ("/", "/"),
            ("//a//b/.", "//a/b"),
            ("///a", "/a"),
            ("a/./b", "a/b"),
        ] {
            let path = python_path(OsStr::new(given));
            assert_eq!(path.to_str(), Some(shown), "{given:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_replaced_or_followed_as_asked() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_atomic_through_links(&link, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        write_atomic(&link, b"own").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert!(!fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
