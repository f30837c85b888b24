//! File-system effects: reading, whole-file writes and locks.
//!
//! A plain file is written whole or not at all: a temporary file in the target's own folder, fsync,
//! rename. What is no plain file, or has other names, is opened and written as it stands, see
//! [`Staging`]. Errors name the target, never the temporary file. Two processes that update one file
//! take [`Lock`] on its folder first.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Read a whole file. FIFOs and devices are read to their end, as Python's `open` would.
///
/// # Errors
/// Those of the operating system; a directory gives `EISDIR`.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Small files come by the hundred thousand: what fits here needs no question for the size.
    const SMALL_BYTES: usize = 1 << 14;
    if is_endless(path) {
        let path = path.to_owned();
        return waiting(move |is_given_up| read_until(&mut File::open(path)?, is_given_up));
    }
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

/// Open a file to read, also one whose other end is not there yet.
///
/// # Errors
/// Those of the operating system.
pub fn open(path: &Path) -> io::Result<File> {
    if is_endless(path) {
        let path = path.to_owned();
        return waiting(move |_| File::open(path));
    }
    File::open(path)
}

static IS_STOPPED: OnceLock<fn() -> bool> = OnceLock::new();

/// Name who is asked, while a pipe or a device is waited for, whether to go on: a process in which no
/// signal ends the waiting by itself. The first one stays.
pub fn ask_while_waiting(is_stopped: fn() -> bool) {
    let _ = IS_STOPPED.set(is_stopped);
}

/// Whether reading may wait, or never end: neither a plain file nor a folder.
fn is_endless(path: &Path) -> bool {
    IS_STOPPED.get().is_some()
        && fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// Do `work`, which may wait for ever, on a thread of its own, and ask meanwhile whether to go on.
///
/// # Errors
/// Those of `work`; [`io::ErrorKind::Interrupted`] when it was given up.
pub fn waiting<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    const PAUSE: Duration = Duration::from_millis(50);
    let is_given_up = Arc::new(AtomicBool::new(false));
    let Some(is_stopped) = IS_STOPPED.get() else {
        return work(&is_given_up);
    };
    let (sender, receiver) = mpsc::channel();
    let seen = Arc::clone(&is_given_up);
    std::thread::Builder::new()
        .name("gatewright-waiting".into())
        .spawn(move || {
            // Nobody listens any more once it was given up.
            let _ = sender.send(work(&seen));
        })?;
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("reading broke down"));
            }
            Err(RecvTimeoutError::Timeout) if is_stopped() => {
                is_given_up.store(true, Ordering::Relaxed);
                return Err(io::ErrorKind::Interrupted.into());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Everything that comes, until somebody gives up.
///
/// # Errors
/// Those of the operating system.
pub fn read_until(from: &mut impl Read, is_given_up: &AtomicBool) -> io::Result<Vec<u8>> {
    const CHUNK_BYTES: u64 = 1 << 20;
    let mut bytes = Vec::new();
    while !is_given_up.load(Ordering::Relaxed) {
        if from.by_ref().take(CHUNK_BYTES).read_to_end(&mut bytes)? == 0 {
            break;
        }
    }
    Ok(bytes)
}

/// Write `bytes` to `path`: a plain file whole or not at all, everything else as it stands, see
/// [`Staging`]. The mode of an older plain file is kept; a new one gets the process's default mode.
///
/// # Errors
/// Those of the operating system; a plain target is then as it was and no other file is left behind.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    stage(path, bytes)?.commit_synced()
}

/// The first half of [`write_atomic`]: everything but the last step. When several files change
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

/// [`stage`] for a file that takes the place of a link at `path`, whose target stays as it is: what lies in
/// a run folder must not decide where else is written.
///
/// # Errors
/// Those of the operating system.
pub fn stage_in_place_of_link(path: &Path, bytes: &[u8]) -> io::Result<Staged> {
    if !fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink()) {
        return stage(path, bytes);
    }
    stage_beside(path, bytes)
}

/// [`stage`] for a file that takes the place of whatever lies at `path`, except a folder.
///
/// # Errors
/// Those of the operating system.
pub fn stage_beside(path: &Path, bytes: &[u8]) -> io::Result<Staged> {
    let mut temporary = new_temporary(folder_of(path))?;
    temporary.as_file_mut().write_all(bytes)?;
    Ok(Staged {
        content: Content::Beside(temporary),
        target: path.to_owned(),
    })
}

/// A file that [`stage`] would write, as it comes: a large one never stands whole in memory.
///
/// What is written goes where Python's `open(path, "w")` would put it. A plain file of one name is
/// replaced whole, through links, so that the links stay. What must stay the file that it is (a
/// device, a FIFO, a file with other names, an open descriptor under `/dev` or `/proc`, a writable
/// file in a folder that is not) is opened and written, after everything that could fail before.
#[derive(Debug)]
pub struct Staging {
    content: Content,
    target: PathBuf,
    /// Mode of the plain file that is replaced.
    permissions: Option<fs::Permissions>,
}

/// Where the bytes wait for the last step.
#[derive(Debug)]
enum Content {
    /// In a temporary file beside the target, which takes its place.
    Beside(tempfile::NamedTempFile),
    /// In memory or, when there is much of it, in a nameless file: the target is written in place.
    Apart(tempfile::SpooledTempFile),
}

/// Content of this size and less waits in memory.
const SPOOLED_BYTES: usize = 1 << 20;

impl Staging {
    /// Begin the file that will lie at `path`.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let in_place = |target: PathBuf| Self {
            content: Content::Apart(tempfile::SpooledTempFile::new(SPOOLED_BYTES)),
            target,
            permissions: None,
        };
        let about = match fs::metadata(path) {
            Ok(about) if about.is_dir() => {
                return Err(io::Error::from_raw_os_error(libc_codes::EISDIR));
            }
            Ok(about) if !about.is_file() || has_other_names(&about) => {
                return Ok(in_place(path.to_owned()));
            }
            Ok(about) => Some(about),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let Some(target) = end_of_links(path) else {
            return Ok(in_place(path.to_owned()));
        };
        if about.is_some() {
            // What may not be written is not replaced either, whoever owns the folder.
            File::options().write(true).open(&target)?;
        }
        let temporary = match new_temporary(folder_of(&target)) {
            Ok(temporary) => temporary,
            Err(error) if about.is_some() && is_locked_folder(&error) => {
                return Ok(in_place(target));
            }
            Err(error) => return Err(error),
        };
        Ok(Self {
            content: Content::Beside(temporary),
            target,
            permissions: about.map(|about| about.permissions()),
        })
    }

    /// Append `bytes`.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.content {
            // Its own way to write puts the temporary path into the error.
            Content::Beside(temporary) => temporary.as_file_mut().write_all(bytes),
            Content::Apart(spooled) => spooled.write_all(bytes),
        }
    }

    /// The whole file.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn finish(self) -> io::Result<Staged> {
        if let (Content::Beside(temporary), Some(permissions)) = (&self.content, self.permissions) {
            temporary.as_file().set_permissions(permissions)?;
        }
        Ok(Staged {
            content: self.content,
            target: self.target,
        })
    }
}

/// Whether the file has hard links besides the name it was found under.
fn has_other_names(about: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        about.nlink() > 1
    }
    #[cfg(not(unix))]
    {
        let _ = about;
        false
    }
}

/// The path at the end of the links that `path` begins, whether there is a file or not; nothing when
/// they lead through `/dev` or `/proc`, where a path is a descriptor that somebody has open.
fn end_of_links(path: &Path) -> Option<PathBuf> {
    /// As many as the kernel follows.
    const MAX_LINKS: usize = 40;
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&at) else {
            return Some(at);
        };
        if at.starts_with("/dev") || at.starts_with("/proc") {
            return None;
        }
        at = folder_of(&at).join(next);
    }
    None
}

/// Whether what is written to `path` can be read there again: it is a plain file or will be one, and
/// not somebody's open descriptor.
pub fn is_lasting(path: &Path) -> bool {
    let Some(end) = end_of_links(path) else {
        return false;
    };
    let is_descriptor = end.starts_with("/dev") || end.starts_with("/proc");
    !is_descriptor && fs::metadata(path).map_or(true, |about| about.is_file())
}

/// Whether a file could not be made or renamed because of the folder it lies in, which says nothing
/// of the file itself. A file that something is mounted on is busy.
fn is_locked_folder(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::ResourceBusy
            | io::ErrorKind::CrossesDevices
    )
}

/// A file that is written but not yet in its place; dropped, it is gone.
#[derive(Debug)]
pub struct Staged {
    content: Content,
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
        let is_synced = std::env::var_os(SYNC_VARIABLE).is_some_and(|value| !value.is_empty());
        self.settle(is_synced)
    }

    /// Sync the file to the disk, put it in its place, and sync the folder that names it.
    ///
    /// # Errors
    /// As [`Staged::commit`].
    pub fn commit_synced(self) -> io::Result<()> {
        self.settle(true)
    }

    fn settle(self, is_synced: bool) -> io::Result<()> {
        let temporary = match self.content {
            Content::Beside(temporary) => temporary,
            Content::Apart(mut spooled) => {
                return write_in_place(&self.target, &mut spooled, is_synced);
            }
        };
        if is_synced {
            temporary.as_file().sync_all()?;
        }
        match temporary.persist(&self.target) {
            Ok(_) => {}
            Err(failure) if is_locked_folder(&failure.error) && self.target.is_file() => {
                let mut written = failure.file.reopen()?;
                return write_in_place(&self.target, &mut written, is_synced);
            }
            Err(failure) => return Err(failure.error),
        }
        if is_synced {
            sync_folder(folder_of(&self.target));
        }
        Ok(())
    }
}

/// Open `target` as Python's `open(target, "w")` does and write `content` from its beginning.
fn write_in_place(
    target: &Path,
    content: &mut (impl Read + io::Seek),
    is_synced: bool,
) -> io::Result<()> {
    content.rewind()?;
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .open(target)?;
    io::copy(content, &mut file)?;
    // A device or a FIFO cannot be synced, and need not be.
    if is_synced && file.metadata()?.is_file() {
        file.sync_all()?;
    }
    Ok(())
}

/// Write `bytes` to `path` only if nothing of that name exists. Returns whether it was written.
///
/// # Errors
/// Those of the operating system other than "exists".
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let folder = folder_of(path);
    let mut temporary = new_temporary(folder)?;
    temporary.as_file_mut().write_all(bytes)?;
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

/// Beginning and ending of the names of our temporary files; between them stand random letters.
const TEMPORARY: (&str, &str) = (".gatewright-", ".tmp");

fn new_temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    /// Times that another process may take a new file for a stale one before we give up.
    const TRIES: usize = 8;
    remove_stale(folder);
    let mut temporary = made_temporary(folder)?;
    for _ in 0..TRIES {
        if is_held(&temporary) {
            break;
        }
        temporary = made_temporary(folder)?;
    }
    Ok(temporary)
}

fn made_temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    // tempfile wraps a failure in one that names the temporary path and hides the code: keep the
    // code of the last attempt beside it.
    let code = std::cell::Cell::new(None);
    tempfile::Builder::new()
        .prefix(TEMPORARY.0)
        .suffix(TEMPORARY.1)
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

/// A temporary file in `folder` that its owner alone may read.
///
/// # Errors
/// Those of the operating system.
pub fn private_temporary(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new()
        .prefix(TEMPORARY.0)
        .suffix(TEMPORARY.1)
        .tempfile_in(folder)
}

/// Hold the lock that tells a temporary file in use from one that a killed process left; false when
/// somebody has just removed it as such. Where there are no locks nothing is ever removed either.
#[cfg(unix)]
fn is_held(temporary: &tempfile::NamedTempFile) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let file = temporary.as_file();
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => false,
        Err(fs::TryLockError::Error(_)) => true,
        Ok(()) => file.metadata().is_ok_and(|about| about.nlink() > 0),
    }
}

#[cfg(not(unix))]
const fn is_held(_: &tempfile::NamedTempFile) -> bool {
    true
}

/// Remove the temporary files that killed processes of this user left in `folder`. Only the first
/// entries of a large folder are looked at: writing one file must not cost more with every file there.
#[cfg(unix)]
pub fn remove_stale(folder: &Path) {
    const MOST_ENTRIES: usize = 1000;
    let Ok(listing) = fs::read_dir(folder) else {
        return;
    };
    for entry in listing.take(MOST_ENTRIES).flatten() {
        if !is_temporary_name(&entry.file_name()) {
            continue;
        }
        let path = entry.path();
        let Ok(file) = open_plain(&path) else {
            continue;
        };
        let is_ours = file.metadata().is_ok_and(|about| is_own(&about));
        // Whoever writes it holds the lock; the lock is ours until the file is gone.
        if is_ours && file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Nothing is removed where an open file cannot be told from one that is left.
#[cfg(not(unix))]
pub const fn remove_stale(_: &Path) {}

#[cfg(unix)]
fn is_temporary_name(name: &OsStr) -> bool {
    name.as_encoded_bytes()
        .strip_prefix(TEMPORARY.0.as_bytes())
        .and_then(|rest| rest.strip_suffix(TEMPORARY.1.as_bytes()))
        .is_some_and(|middle| middle.len() == 6 && middle.iter().all(u8::is_ascii_alphanumeric))
}

/// Open a plain file to read: not through a link, and without waiting for a FIFO's other end.
///
/// # Errors
/// Those of the operating system; what is no plain file is invalid input.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is no plain file",
        ))
    }
}

/// Whether what `about` describes belongs to the user of this process.
#[cfg(unix)]
pub fn is_own(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    about.uid() == rustix::process::geteuid().as_raw()
}

/// Whether what `about` describes belongs to the user of this process: not to be seen here.
#[cfg(not(unix))]
pub const fn is_own(_: &fs::Metadata) -> bool {
    true
}

/// Whether `path`, or what it leads to, belongs to another user; the system's own (root's) files do not.
#[cfg(unix)]
pub fn is_foreign(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    [fs::symlink_metadata(path), fs::metadata(path)]
        .into_iter()
        .flatten()
        .any(|about| about.uid() != own && about.uid() != 0)
}

/// Whether `path`, or what it leads to, belongs to another user: not to be seen here.
#[cfg(not(unix))]
pub const fn is_foreign(_: &Path) -> bool {
    false
}

/// Make the rename itself durable. Not every file system lets a folder be synced; the file's own
/// content is safe by then, so a refusal here is no failure of the write.
fn sync_folder(folder: &Path) {
    if let Ok(handle) = File::open(folder) {
        let _ = handle.sync_all();
    }
}

mod libc_codes {
    /// "Is a directory", the same number on Linux, macOS and the BSDs; on Windows what opening one
    /// gives, "Access is denied".
    pub(super) const EISDIR: i32 = if cfg!(windows) { 5 } else { 21 };
}

/// An exclusive lock on a folder, held until dropped. It is taken on the folder itself, so no lock
/// file is left behind and a rename inside the folder cannot invalidate it. Windows locks no folders:
/// there it is a file in it that one process at a time can open, and that goes with its handle.
#[derive(Debug)]
pub struct Lock {
    _handle: File,
}

impl Lock {
    /// Wait for the lock on `folder`.
    ///
    /// # Errors
    /// Those of the operating system, e.g. on a file system without locks.
    #[cfg(not(windows))]
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        let handle = File::open(folder)?;
        handle.lock()?;
        Ok(Self { _handle: handle })
    }

    /// Wait for the lock on `folder`.
    ///
    /// # Errors
    /// Those of the operating system, e.g. on a folder in which nothing can be written.
    #[cfg(windows)]
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        use std::os::windows::fs::OpenOptionsExt as _;
        use std::time::Duration;
        const DELETE_ON_CLOSE: u32 = 0x0400_0000;
        const ACCESS_DENIED: i32 = 5;
        const SHARING_VIOLATION: i32 = 32;
        const DELETE_PENDING: i32 = 303;
        const PAUSE: Duration = Duration::from_millis(5);
        // A file that is just going away refuses like a folder that is not writable: not for long.
        const MAX_DENIED: u32 = 400;
        let file = folder.join(".gatewright.lock");
        let mut denied = 0;
        loop {
            let opened = File::options()
                .write(true)
                .create(true)
                .truncate(false)
                .share_mode(0)
                .custom_flags(DELETE_ON_CLOSE)
                .open(&file);
            match opened.map_err(|error| (error.raw_os_error(), error)) {
                Ok(handle) => return Ok(Self { _handle: handle }),
                Err((Some(SHARING_VIOLATION), _)) => {}
                Err((Some(ACCESS_DENIED | DELETE_PENDING), _)) if denied < MAX_DENIED => {
                    denied += 1
                }
                Err((_, error)) => return Err(error),
            }
            std::thread::sleep(PAUSE);
        }
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
    if cfg!(windows) {
        // The parts say it: see below.
    } else if bytes.starts_with(b"//") && !bytes.starts_with(b"///") {
        out.push("//");
    } else if is_absolute {
        out.push("/");
    }
    for part in Path::new(path).components() {
        match part {
            std::path::Component::Normal(_) | std::path::Component::ParentDir => out.push(part),
            // A drive and its root (`Z:\\x`), a share, the root of the current drive.
            std::path::Component::Prefix(_) | std::path::Component::RootDir if cfg!(windows) => {
                out.push(part);
            }
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

/// The path that Python opens for a text; nothing when it holds a surrogate that stands for no byte.
pub fn path_of(text: &crate::value::Text<'_>) -> Option<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let bytes = crate::text::python::surrogate_escaped(text)?;
        Some(PathBuf::from(OsStr::from_bytes(&bytes)))
    }
    #[cfg(not(unix))]
    {
        text.as_str().map(PathBuf::from)
    }
}

/// `path` with a leading `~` as the home folder, as `pathlib`'s `expanduser` does: `home` is the
/// variable `HOME`, without it the system's entry for the user. Other users' homes come from the
/// system's list of users; a name that is not there stays as it is.
pub fn expand_home(path: &Path, home: Option<std::ffi::OsString>) -> PathBuf {
    let mut parts = path.components();
    let Some(std::path::Component::Normal(first)) = parts.next() else {
        return path.to_owned();
    };
    let home = match first.as_encoded_bytes().strip_prefix(b"~") {
        Some(b"") => home.map(PathBuf::from).or_else(std::env::home_dir),
        Some(user) => home_of(user),
        None => None,
    };
    match home {
        Some(home) => python_path(home.join(parts.as_path()).as_os_str()),
        None => path.to_owned(),
    }
}

fn home_of(user: &[u8]) -> Option<PathBuf> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let line = users
        .lines()
        .map(|line| line.split(':'))
        .find_map(|mut fields| (fields.next()?.as_bytes() == user).then_some(fields))?;
    // Of name, password, uid, gid, comment, home, shell the name is taken.
    line.into_iter().nth(4).map(PathBuf::from)
}

/// `path` absolute and without links, as `pathlib`'s `resolve` makes it: parts that do not exist stay,
/// and `..` after one of them takes it away.
pub fn resolve(path: &Path) -> PathBuf {
    /// As many as the kernel follows.
    const MAX_LINKS: usize = 40;
    use std::path::Component;
    let mut rest: Vec<std::ffi::OsString> = Vec::new();
    let push = |rest: &mut Vec<std::ffi::OsString>, path: &Path| {
        let parts: Vec<_> = path.components().collect();
        rest.extend(parts.iter().rev().map(|part| part.as_os_str().to_owned()));
    };
    push(&mut rest, path);
    push(&mut rest, &std::env::current_dir().unwrap_or_default());
    let mut out = PathBuf::new();
    let mut links = 0;
    while let Some(part) = rest.pop() {
        match Path::new(&part).components().next() {
            Some(Component::RootDir | Component::Prefix(_)) => out = PathBuf::from(&part),
            Some(Component::ParentDir) => {
                out.pop();
            }
            Some(Component::Normal(name)) => {
                out.push(name);
                if links < MAX_LINKS
                    && let Ok(target) = fs::read_link(&out)
                {
                    links += 1;
                    out.pop();
                    push(&mut rest, &target);
                }
            }
            Some(Component::CurDir) | None => {}
        }
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
            crate::text::python::os_error(&error, &crate::value::Text::borrowed("no/out.json")),
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

    #[cfg(windows)]
    #[test]
    fn drives_and_shares_stay() {
        for (given, shown) in [
            (r"Z:\x", r"Z:\x"),
            (r"Z:\.\x\", r"Z:\x"),
            (r"Z:x", r"Z:x"),
            (r"\x", r"\x"),
            (r"\\server\share\x", r"\\server\share\x"),
            ("a/./b", r"a\b"),
            ("", "."),
        ] {
            let path = python_path(OsStr::new(given));
            assert_eq!(path.to_str(), Some(shown), "{given:?}");
        }
    }

    #[test]
    fn a_folder_has_one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let counter = folder.path().join("n");
        fs::write(&counter, "0").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _lock = Lock::of_folder(folder.path()).unwrap();
                    let count: u32 = fs::read_to_string(&counter).unwrap().parse().unwrap();
                    fs::write(&counter, (count + 1).to_string()).unwrap();
                });
            }
        });
        assert_eq!(fs::read_to_string(&counter).unwrap(), "8");
        // No lock file is left behind.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        Lock::of_folder(&folder.path().join("none")).unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn links_and_other_names_stay() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("target"), "old").unwrap();
        std::os::unix::fs::symlink("target", at("link")).unwrap();
        std::os::unix::fs::symlink("link", at("second")).unwrap();
        write_atomic(&at("second"), b"new").unwrap();
        assert_eq!(fs::read(at("target")).unwrap(), b"new");
        assert!(fs::symlink_metadata(at("second")).unwrap().is_symlink());
        assert!(fs::symlink_metadata(at("link")).unwrap().is_symlink());
        std::os::unix::fs::symlink("made", at("dangling")).unwrap();
        write_atomic(&at("dangling"), b"made").unwrap();
        assert_eq!(fs::read(at("made")).unwrap(), b"made");
        fs::hard_link(at("target"), at("twin")).unwrap();
        let inode = fs::metadata(at("twin")).unwrap().ino();
        write_atomic(&at("twin"), b"3").unwrap();
        assert_eq!(fs::read(at("target")).unwrap(), b"3");
        assert_eq!(fs::metadata(at("target")).unwrap().ino(), inode);
        std::os::unix::fs::symlink("round", at("round")).unwrap();
        write_atomic(&at("round"), b"x").unwrap_err();
        let names = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 7, "nothing else is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_written_to_and_not_replaced() {
        write_atomic(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!is_lasting(Path::new("/dev/null")));
        assert!(is_lasting(Path::new("no-such-file")));
        let about = fs::metadata("/dev/null").unwrap();
        assert!(!about.is_file() && !about.is_dir());
    }
}
