//! The cache of a run: outcomes kept under a key of everything that decides them.
//!
//! The key covers the version, the command line and the content of every file or folder it names.
//! An entry also names the inputs that the gate reported, and counts only while each still has
//! the digest it had. All entries of one configuration lie in one pack, in a folder outside of the
//! repository; each carries a MAC under the user's own key ([`secret`]), so that nobody who writes
//! the repository, or the folder, can write an outcome. What cannot be read or written is as good as none.

use super::secret::{self, Refusal};
use crate::digest::{hex, sha256_hex};
use crate::files;
use crate::finding::{Finding, Location};
use crate::gates::framework::DEFAULT_SCHEMA;
use crate::gates::rules;
use crate::outcome::{Input, Outcome};
use crate::rule::Severity;
use hmac::{Hmac, Mac as _};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

/// Part of every key: a change of the stored shape makes old entries strangers.
const SHAPE: &str = "3";

/// Runs that an entry may go unused before it is left out.
const MOST_UNUSED: u32 = 8;

/// Packs of configurations that were not run for so long are removed.
const OLDEST_PACK: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Ending of a pack's name; before it stand 64 digits.
const ENDING: &str = ".gatewright-pack";

/// A larger pack is not read: it would cost more than it saves.
const LARGEST_PACK: u64 = 1 << 30;

/// Digits of a digest.
const DIGITS: usize = 64;

/// The kept outcomes of one configuration.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    pack: PathBuf,
    secret: secret::Secret,
    /// The pack as it was read.
    bytes: Vec<u8>,
    known: FxHashMap<String, Kept>,
    made: Mutex<Made>,
}

/// Where an entry of the pack stands in its bytes.
#[derive(Clone, Debug)]
struct Kept {
    mac: Range<usize>,
    unused: u32,
    body: Range<usize>,
}

/// What this run adds and uses.
#[derive(Debug, Default)]
struct Made {
    /// Lines of new entries by key.
    lines: BTreeMap<String, Vec<u8>>,
    used: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    inputs: Vec<Input>,
    outcomes: Vec<Outcome>,
    /// The findings of each outcome.
    findings: Vec<Vec<KeptFinding>>,
}

/// A finding as it is kept: its rule by code.
#[derive(Serialize, Deserialize)]
struct KeptFinding {
    code: String,
    severity: Severity,
    message: String,
    at: Location,
    related: Vec<Location>,
    remedy: String,
}

impl KeptFinding {
    fn of(finding: &Finding) -> Self {
        Self {
            code: finding.rule.code.to_owned(),
            severity: finding.severity,
            message: finding.message.clone(),
            at: finding.at.clone(),
            related: finding.related.clone(),
            remedy: finding.remedy.clone(),
        }
    }

    /// The finding, while its rule is there.
    fn finding(self) -> Option<Finding> {
        Some(Finding {
            rule: rules::find(&self.code)?,
            severity: self.severity,
            message: self.message,
            at: self.at,
            related: self.related,
            remedy: self.remedy,
        })
    }
}

impl Entry {
    /// The outcomes with their findings; none when a finding is of no rule of this version.
    fn whole(self) -> Option<Vec<Outcome>> {
        if self.outcomes.len() != self.findings.len() {
            return None;
        }
        let mut outcomes = self.outcomes;
        for (outcome, kept) in outcomes.iter_mut().zip(self.findings) {
            outcome.findings = kept
                .into_iter()
                .map(KeptFinding::finding)
                .collect::<Option<_>>()?;
        }
        Some(outcomes)
    }
}

impl Cache {
    /// The cache of `configuration` in `folder`, or in the platform's folder for caches.
    ///
    /// # Errors
    /// Why there can be none.
    pub fn open(configuration: &Path, folder: Option<&Path>) -> Result<Self, Refusal> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => secret::cache_folder()?,
        };
        Self::with_secret(configuration, folder, secret::Secret::of_user()?)
    }

    fn with_secret(
        configuration: &Path,
        folder: PathBuf,
        secret: secret::Secret,
    ) -> Result<Self, Refusal> {
        secret::private_folder(&folder)?;
        // Neither version control nor backup programs want it. Nothing that is there is changed.
        for (name, content) in [
            (".gitignore", &b"*\n"[..]),
            (
                "CACHEDIR.TAG",
                b"Signature: 8a477f597d28d172789f06886806bc55\n# Outcomes that gatewright run keeps; may be deleted.\n",
            ),
        ] {
            files::write_new(&folder.join(name), content)
                .map_err(|fault| Refusal::of(&folder, &fault))?;
        }
        let whole = fs::canonicalize(configuration).unwrap_or_else(|_| configuration.to_owned());
        let name = sha256_hex(whole.as_os_str().as_encoded_bytes());
        let pack = folder.join(format!("{name}{ENDING}"));
        let bytes = read(&pack).unwrap_or_default();
        let known = index(&bytes);
        Ok(Self {
            folder,
            pack,
            secret,
            bytes,
            known,
            made: Mutex::default(),
        })
    }

    /// The folder it lies in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The outcomes of `gate` kept under `key`, if every input they name is still what it was.
    pub fn find(&self, key: &Done, gate: &str) -> Option<Vec<Outcome>> {
        let kept = self.known.get(&key.name)?;
        let body = self.bytes.get(kept.body.clone())?;
        let mac = unhex(self.bytes.get(kept.mac.clone())?)?;
        self.mac(&key.name, body).verify_slice(&mac).ok()?;
        let entry: Entry = serde_json::from_slice(body).ok()?;
        // A job that decided nothing was not run.
        let is_whole =
            !entry.outcomes.is_empty() && entry.outcomes.iter().all(|outcome| outcome.gate == gate);
        let is_current = is_whole && entry.inputs.iter().all(|input| key.is_as_it_was(input));
        if !is_current {
            return None;
        }
        let outcomes = entry.whole()?;
        self.made().used.push(key.name.clone());
        Some(outcomes)
    }

    /// Keep `outcomes` under `key`.
    pub fn keep(&self, key: &Done, outcomes: &[Outcome]) {
        // What ships with this version is no file to look at again: the key has the version.
        let bundled = sha256_hex(DEFAULT_SCHEMA.as_bytes());
        let entry = Entry {
            inputs: outcomes
                .iter()
                .flat_map(|outcome| outcome.inputs.iter().cloned())
                .filter(|input| input.sha256 != bundled)
                .collect(),
            findings: outcomes
                .iter()
                .map(|outcome| outcome.findings.iter().map(KeptFinding::of).collect())
                .collect(),
            outcomes: outcomes
                .iter()
                .map(|outcome| Outcome {
                    findings: Vec::new(),
                    ..outcome.clone()
                })
                .collect(),
        };
        if let Ok(body) = serde_json::to_vec(&entry) {
            let mac = hex(&self.mac(&key.name, &body).finalize().into_bytes());
            let line = line(&key.name, mac.as_bytes(), 0, &body);
            self.made().lines.insert(key.name.clone(), line);
        }
    }

    /// Write the pack: what this run made and used, and what it did not use, for some runs more.
    /// Packs that were not used for long go.
    pub fn save(self) {
        let Self {
            folder,
            pack,
            bytes,
            known,
            made,
            ..
        } = self;
        let Made { mut lines, used } = match made.into_inner() {
            Ok(made) => made,
            Err(poisoned) => poisoned.into_inner(),
        };
        if lines.is_empty() && used.len() == known.len() {
            touch(&pack);
        } else {
            let used: rustc_hash::FxHashSet<String> = used.into_iter().collect();
            let mut keys: Vec<(&String, &Kept)> = known.iter().collect();
            keys.sort_by_key(|(key, _)| *key);
            for (key, kept) in keys {
                let unused = if used.contains(key) {
                    0
                } else {
                    kept.unused + 1
                };
                if unused <= MOST_UNUSED
                    && !lines.contains_key(key)
                    && let (Some(mac), Some(body)) =
                        (bytes.get(kept.mac.clone()), bytes.get(kept.body.clone()))
                {
                    lines.insert(key.clone(), line(key, mac, unused, body));
                }
            }
            let lines: Vec<Vec<u8>> = lines.into_values().collect();
            // A full disk only costs the next run its time; so does a power cut, hence no sync.
            let _ = files::stage_beside(&pack, &lines.concat()).and_then(files::Staged::commit);
        }
        remove_old(&folder);
    }

    fn mac(&self, key: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.secret.mac();
        for part in [SHAPE.as_bytes(), key.as_bytes(), body] {
            mac.update(&length(part));
            mac.update(part);
        }
        mac
    }

    fn made(&self) -> std::sync::MutexGuard<'_, Made> {
        match self.made.lock() {
            Ok(made) => made,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

/// One entry: key, MAC, runs that it went unused, what it says.
fn line(key: &str, mac: &[u8], unused: u32, body: &[u8]) -> Vec<u8> {
    let unused = unused.to_string();
    let mut line = [key.as_bytes(), mac, unused.as_bytes(), body].join(&b' ');
    line.push(b'\n');
    line
}

/// The entries of a pack; what is no entry is left out.
fn index(bytes: &[u8]) -> FxHashMap<String, Kept> {
    let mut known = FxHashMap::default();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes) {
        if let Some((key, kept)) = bytes.get(start..end).and_then(|line| indexed(line, start)) {
            known.insert(key, kept);
        }
        start = end + 1;
    }
    known
}

fn indexed(line: &[u8], start: usize) -> Option<(String, Kept)> {
    let key = line.get(..DIGITS)?;
    let mac = DIGITS + 1..2 * DIGITS + 1;
    let rest = line.get(mac.end + 1..)?;
    let blank = memchr::memchr(b' ', rest)?;
    let unused = std::str::from_utf8(rest.get(..blank)?).ok()?.parse().ok()?;
    let body = start + mac.end + 1 + blank + 1;
    Some((
        String::from_utf8(key.to_vec()).ok()?,
        Kept {
            mac: start + mac.start..start + mac.end,
            unused,
            body: body..start + line.len(),
        },
    ))
}

/// The bytes of a pack: of a plain file, not too large, and not through a link.
fn read(pack: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let file = files::open_plain(pack)?;
    let mut bytes = Vec::new();
    if file.metadata()?.len() <= LARGEST_PACK {
        file.take(LARGEST_PACK).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Say that a pack was used.
fn touch(pack: &Path) {
    if let Ok(file) = files::open_plain(pack) {
        // One that cannot be touched is removed some day, and made again.
        let _ = file.set_modified(SystemTime::now());
    }
}

/// Remove packs that were not used for long: plain files with a pack's name alone.
fn remove_old(folder: &Path) {
    let Ok(listing) = fs::read_dir(folder) else {
        return;
    };
    for entry in listing
        .flatten()
        .filter(|entry| is_pack(&entry.file_name()))
    {
        let path = entry.path();
        let is_old = fs::symlink_metadata(&path).is_ok_and(|about| {
            let age = about.modified().ok().and_then(|at| at.elapsed().ok());
            about.is_file() && age.is_some_and(|age| age > OLDEST_PACK)
        });
        if is_old {
            // Another run may have removed it.
            let _ = fs::remove_file(path);
        }
    }
    files::remove_stale(folder);
}

fn is_pack(name: &OsStr) -> bool {
    name.to_str()
        .and_then(|name| name.strip_suffix(ENDING))
        .is_some_and(|digits| {
            digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
}

/// The bytes that hexadecimal digits say.
fn unhex(digits: &[u8]) -> Option<Vec<u8>> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    digits
        .chunks(2)
        .map(|pair| match *pair {
            [high, low] => u8::try_from(value(high)? * 16 + value(low)?).ok(),
            _ => None,
        })
        .collect()
}

fn length(bytes: &[u8]) -> [u8; 8] {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes()
}

/// Builds a key.
#[derive(Clone)]
pub struct Key {
    hash: Sha256,
    /// Files that were read for it, with their digests.
    seen: Vec<(PathBuf, String)>,
    /// The cache's own folder, which decides nothing.
    skipped: PathBuf,
}

/// A key, and the files that were read for it.
#[derive(Debug)]
pub struct Done {
    name: String,
    seen: Vec<(PathBuf, String)>,
}

impl Done {
    /// Whether the file that `input` names has the digest it had.
    fn is_as_it_was(&self, input: &Input) -> bool {
        let path = Path::new(&input.name);
        match self.seen.iter().find(|(seen, _)| seen == path) {
            Some((_, digest)) => *digest == input.sha256,
            None => {
                fs::metadata(path).is_ok_and(|about| about.is_file())
                    && fs::read(path).is_ok_and(|bytes| sha256_hex(&bytes) == input.sha256)
            }
        }
    }
}

impl Key {
    /// A key of this version and the words of a command line, for a cache in `folder`.
    pub fn new<'a>(folder: &Path, words: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut key = Self {
            hash: Sha256::new(),
            seen: Vec::new(),
            skipped: fs::canonicalize(folder).unwrap_or_default(),
        };
        key.part(SHAPE.as_bytes());
        key.part(env!("CARGO_PKG_VERSION").as_bytes());
        for word in words {
            key.part(word);
        }
        key
    }

    /// Add bytes, their length first so that no two lists of parts read the same.
    pub fn part(&mut self, bytes: &[u8]) {
        self.hash.update(length(bytes));
        self.hash.update(bytes);
    }

    /// Add what lies at `path`: a file's content, a folder's names and contents, or its absence.
    /// Nothing when it can be neither: then the gate must look itself, every time.
    pub fn path(&mut self, path: &Path) -> Option<()> {
        const DEEPEST: usize = 64;
        self.tree(path, DEEPEST)
    }

    fn tree(&mut self, path: &Path, levels: usize) -> Option<()> {
        // Links count as what they lead to, as the gates read them; a loop ends at `DEEPEST`.
        let levels = levels.checked_sub(1)?;
        match fs::metadata(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => self.part(b"absent"),
            Ok(about) if about.is_file() => {
                self.part(b"file");
                let digest = sha256_hex(&fs::read(path).ok()?);
                self.part(digest.as_bytes());
                self.seen.push((path.to_owned(), digest));
            }
            Ok(about) if about.is_dir() => {
                if fs::canonicalize(path).is_ok_and(|whole| whole == self.skipped) {
                    return Some(());
                }
                let mut names = Vec::new();
                for entry in fs::read_dir(path).ok()? {
                    names.push(entry.ok()?.file_name());
                }
                names.retain(|name| name != ".git");
                names.sort();
                self.part(b"folder");
                for name in names {
                    self.part(name.as_encoded_bytes());
                    self.tree(&path.join(&name), levels)?;
                }
                self.part(b"end");
            }
            Ok(_) | Err(_) => return None,
        }
        Some(())
    }

    /// The key.
    pub fn done(self) -> Done {
        Done {
            name: hex(&self.hash.finalize()),
            seen: self.seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(words: &[&str], path: &Path) -> String {
        let mut key = Key::new(
            Path::new("no-folder"),
            words.iter().map(|word| word.as_bytes()),
        );
        key.path(path).unwrap();
        key.done().name
    }

    fn done(name: &str) -> Done {
        Done {
            name: sha256_hex(name.as_bytes()),
            seen: Vec::new(),
        }
    }

    fn cache(folder: &Path) -> Cache {
        let secret = secret::Secret::from_bytes(&[7; 32]).unwrap();
        let place = folder.join("cache");
        Cache::with_secret(&folder.join("gatewright.toml"), place, secret).unwrap()
    }

    fn outcome(file: &Path) -> Outcome {
        let mut outcome = Outcome::from_findings("framework check", Vec::new());
        outcome
            .inputs
            .push(Input::new("framework", file.display().to_string(), b"1"));
        outcome
    }

    #[test]
    fn a_key_changes_with_words_content_names_and_absence() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        let absent = key(&["x"], &file);
        fs::write(&file, "1").unwrap();
        let one = key(&["x"], &file);
        assert_eq!(one, key(&["x"], &file));
        assert_ne!(one, absent);
        assert_ne!(one, key(&["x", ""], &file));
        assert_ne!(key(&["ab", "c"], &file), key(&["a", "bc"], &file));
        let tree = key(&["x"], folder.path());
        fs::write(folder.path().join("b.json"), "").unwrap();
        assert_ne!(tree, key(&["x"], folder.path()));
        fs::write(&file, "2").unwrap();
        assert_ne!(one, key(&["x"], &file));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_holds_itself_has_no_key() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(".", folder.path().join("loop")).unwrap();
        let mut key = Key::new(Path::new("no-folder"), []);
        assert!(key.path(folder.path()).is_none());
    }

    #[test]
    fn an_entry_counts_while_its_inputs_are_what_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        fs::write(&file, "1").unwrap();
        let outcome = outcome(&file);
        let gate = "framework check";
        let fresh = cache(folder.path());
        assert!(fresh.find(&done("k"), gate).is_none());
        fresh.keep(&done("k"), std::slice::from_ref(&outcome));
        let mut with_schema = outcome.clone();
        let schema = Input::new("schema", "no-file.json", DEFAULT_SCHEMA.as_bytes());
        with_schema.inputs.push(schema);
        fresh.keep(&done("s"), &[with_schema]);
        fresh.keep(&done("empty"), &[]);
        let mut with_finding = outcome.clone();
        let rule = rules::find("GWF003").unwrap();
        let finding = Finding::new(rule, Location::of_source("a.json"), "planted");
        with_finding.findings.push(finding);
        fresh.keep(&done("f"), &[with_finding]);
        fresh.save();
        let kept = cache(folder.path());
        assert_eq!(kept.find(&done("k"), gate).unwrap()[0].gate, gate);
        assert!(kept.find(&done("k"), "framework diff").is_none());
        assert!(kept.find(&done("s"), gate).is_some());
        assert!(kept.find(&done("empty"), gate).is_none());
        let found = kept.find(&done("f"), gate).unwrap();
        assert_eq!(found[0].findings[0].rule.code, "GWF003");
        assert_eq!(found[0].findings[0].message, "planted");
        fs::write(&file, "2").unwrap();
        assert!(kept.find(&done("k"), gate).is_none());
        assert!(kept.find(&done("s"), gate).is_none());
    }

    #[test]
    fn an_entry_that_was_changed_moved_or_made_with_another_key_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        fs::write(&file, "1").unwrap();
        let fresh = cache(folder.path());
        let pack = fresh.pack.clone();
        fresh.keep(&done("k"), &[outcome(&file)]);
        fresh.save();
        let whole = fs::read_to_string(&pack).unwrap();
        let is_known = |name: &str| {
            let kept = cache(folder.path());
            kept.find(&done(name), "framework check").is_some()
        };
        assert!(is_known("k"));
        fs::write(&pack, whole.replace("\"passed\"", "\"failed\"")).unwrap();
        assert!(!is_known("k"));
        let moved = whole.replace(&done("k").name, &done("other").name);
        fs::write(&pack, moved).unwrap();
        assert!(!is_known("other"));
        for cut in [0, 1, 70, 131, whole.len() - 2] {
            fs::write(&pack, whole.get(..cut).unwrap()).unwrap();
            assert!(!is_known("k"));
        }
        fs::write(&pack, &whole).unwrap();
        let mut other = cache(folder.path());
        other.secret = secret::Secret::from_bytes(&[8; 32]).unwrap();
        assert!(other.find(&done("k"), "framework check").is_none());
    }

    #[test]
    fn an_entry_that_no_run_uses_goes_after_some() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        fs::write(&file, "1").unwrap();
        let fresh = cache(folder.path());
        fresh.keep(&done("k"), &[outcome(&file)]);
        fresh.save();
        for run in 0..=MOST_UNUSED {
            let next = cache(folder.path());
            assert_eq!(next.known.len(), 1, "run {run}");
            next.save();
        }
        assert!(cache(folder.path()).known.is_empty());
    }

    #[test]
    fn only_packs_are_taken_for_packs() {
        let digits = "0".repeat(64);
        assert!(is_pack(format!("{digits}{ENDING}").as_ref()));
        for name in [
            format!("{digits}.json"),
            ENDING.to_owned(),
            format!("{digits}x{ENDING}"),
        ] {
            assert!(!is_pack(name.as_ref()), "{name}");
        }
    }
}
