//! What is the user's own: the key of the cache, the folders of cache and settings, and what they trust.
//!
//! In: the platform's folders of the user who runs this. Out: a key that is made once, readable by its
//! owner alone; the folder for caches; the configurations that the user's settings let run programs.
//! Nothing here is read from the repository.

use crate::error::Error;
use crate::files;
use etcetera::BaseStrategy as _;
use hmac::{Hmac, KeyInit as _};
use serde::Deserialize;
use sha2::Sha256;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Our folder in each of the platform's.
const OWN: &str = "gatewright";

/// Name of the key's file.
const KEY: &str = "cache.key";

/// Name of the user's settings.
const SETTINGS: &str = "settings.toml";

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// Why there is no cache: what a user is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Refusal {
    /// A fault of the system at `path`.
    pub fn of(path: &Path, fault: &io::Error) -> Self {
        Self::at(path, &crate::text::python::os_error_words(fault))
    }

    fn at(path: &Path, reason: &str) -> Self {
        Self(format!("`{}`: {reason}", path.display()))
    }
}

/// The key that proves entries of the cache.
#[derive(Clone)]
pub struct Secret(Hmac<Sha256>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret")
    }
}

impl Secret {
    /// The user's key, made when there is none.
    ///
    /// # Errors
    /// When it can be neither read nor made, or others may read it.
    pub fn of_user() -> Result<Self, Refusal> {
        let folder = state_folder()?;
        private_folder(&folder)?;
        let path = folder.join(KEY);
        match files::open_plain(&path) {
            Ok(file) => Self::read(&path, file),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {
                make(&folder, &path).map_err(|fault| Refusal::of(&path, &fault))?;
                // Another process may have made it meanwhile: its key counts.
                let file = files::open_plain(&path).map_err(|fault| Refusal::of(&path, &fault))?;
                Self::read(&path, file)
            }
            Err(fault) => Err(Refusal::of(&path, &fault)),
        }
    }

    fn read(path: &Path, file: fs::File) -> Result<Self, Refusal> {
        let about = file.metadata().map_err(|fault| Refusal::of(path, &fault))?;
        if !files::is_own(&about) {
            return Err(Refusal::at(path, "it belongs to another user"));
        }
        if is_open_to_others(&about) {
            return Err(Refusal::at(
                path,
                "others may read it, so it proves nothing: remove it",
            ));
        }
        let mut bytes = Vec::new();
        file.take(1024)
            .read_to_end(&mut bytes)
            .map_err(|fault| Refusal::of(path, &fault))?;
        Self::from_bytes(&bytes).ok_or_else(|| Refusal::at(path, "it is no key: remove it"))
    }

    /// The key of these bytes, if they are one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != KEY_BYTES {
            return None;
        }
        Hmac::new_from_slice(bytes).ok().map(Self)
    }

    /// A MAC that nothing was added to.
    pub fn mac(&self) -> Hmac<Sha256> {
        self.0.clone()
    }
}

/// Write a new key, unless there is one by now.
fn make(folder: &Path, path: &Path) -> io::Result<()> {
    let mut key = [0; KEY_BYTES];
    getrandom::fill(&mut key).map_err(io::Error::other)?;
    // Made for its owner alone (mode 0600), and whole before it has its name.
    let mut temporary = files::private_temporary(folder)?;
    temporary.as_file_mut().write_all(&key)?;
    temporary.as_file().sync_all()?;
    match temporary.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(failure) if failure.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(failure) => Err(failure.error),
    }
}

/// The folder for caches of this user.
///
/// # Errors
/// When the platform names none.
pub fn cache_folder() -> Result<PathBuf, Refusal> {
    Ok(folders()?.cache_dir().join(OWN))
}

fn state_folder() -> Result<PathBuf, Refusal> {
    let folders = folders()?;
    let state = folders.state_dir().unwrap_or_else(|| folders.config_dir());
    Ok(state.join(OWN))
}

fn folders() -> Result<impl etcetera::BaseStrategy, Refusal> {
    etcetera::base_strategy::choose_native_strategy()
        .map_err(|_| Refusal("this user has no home folder".to_owned()))
}

/// Make `folder` for its owner alone, or see that it is one: a link, or what others own, is not used.
///
/// # Errors
/// Why it is not used.
pub fn private_folder(folder: &Path) -> Result<(), Refusal> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    match fs::symlink_metadata(folder) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => builder
            .create(folder)
            .map_err(|fault| Refusal::of(folder, &fault)),
        Err(fault) => Err(Refusal::of(folder, &fault)),
        Ok(about) if about.is_symlink() => Err(Refusal::at(folder, "it is a link")),
        Ok(about) if !about.is_dir() => Err(Refusal::at(folder, "it is no folder")),
        Ok(about) if !files::is_own(&about) => {
            Err(Refusal::at(folder, "it belongs to another user"))
        }
        Ok(_) => Ok(()),
    }
}

#[cfg(unix)]
fn is_open_to_others(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    about.mode() & 0o077 != 0
}

#[cfg(not(unix))]
const fn is_open_to_others(_: &fs::Metadata) -> bool {
    // The profile folder is its owner's by the system's own rules.
    false
}

/// What the user's own settings say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    /// Configurations, or folders of them, that may run programs, whoever owns them.
    #[serde(default)]
    trusted: Vec<PathBuf>,
}

/// Where the user's settings lie, for messages; nothing when the user has no home.
pub fn settings_path() -> Option<PathBuf> {
    let folders = folders().ok()?;
    Some(folders.config_dir().join(OWN).join(SETTINGS))
}

/// Whether the user's settings trust `configuration`: by its name, or by a folder above it.
///
/// # Errors
/// When there are settings that cannot be read or used.
pub fn is_trusted(configuration: &Path) -> Result<bool, Error> {
    let Some(path) = settings_path() else {
        return Ok(false);
    };
    let name = path.display().to_string();
    let unusable = |reason: String| Error::Unusable {
        name: name.clone(),
        path: String::new(),
        reason,
    };
    let mut file = match fs::File::open(&path) {
        Ok(file) => file,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(fault) => {
            return Err(Error::Read {
                kind: "settings",
                name,
                reason: (&fault).into(),
            });
        }
    };
    let is_own = file.metadata().is_ok_and(|about| files::is_own(&about));
    if !is_own {
        return Err(unusable("it belongs to another user".to_owned()));
    }
    let mut text = String::new();
    file.read_to_string(&mut text)
        .map_err(|fault| unusable(fault.to_string()))?;
    let settings: Settings =
        toml::from_str(&text).map_err(|fault| unusable(fault.message().replace('\n', ", ")))?;
    let trusted: Vec<PathBuf> = settings
        .trusted
        .iter()
        .map(|path| files::expand_home(path, std::env::var_os("HOME")))
        .collect();
    if let Some(relative) = trusted.iter().find(|path| !path.is_absolute()) {
        return Err(unusable(format!(
            "`trusted` holds `{}`, which is no absolute path",
            relative.display()
        )));
    }
    let whole = fs::canonicalize(configuration).unwrap_or_else(|_| configuration.to_owned());
    Ok(trusted.iter().any(|trusted| {
        let trusted = fs::canonicalize(trusted).unwrap_or_else(|_| trusted.clone());
        whole.starts_with(trusted)
    }))
}
