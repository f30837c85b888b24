//! The cache of a run: outcomes kept under a key of everything that decides them.
//!
//! The key covers the version, the command line and the content of every file or folder it names.
//! An entry also names the inputs that the gate reported, and counts only while each still has
//! the digest it had. Entries are written whole under their key, so two runs at once can only
//! write the same thing. An entry that cannot be read or written is as good as none.

use crate::digest::{hex, sha256_hex};
use crate::files;
use crate::finding::{Finding, Location};
use crate::gates::framework::DEFAULT_SCHEMA;
use crate::gates::rules;
use crate::outcome::{Input, Outcome};
use crate::rule::Severity;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the cache's folder, beside the configuration.
pub const FOLDER: &str = ".gatewright-cache";

/// Entries kept at most; the oldest go first.
const MOST_ENTRIES: usize = 20_000;

/// Part of every key: a change of the stored shape makes old entries strangers.
const SHAPE: &str = "2";

/// A cache in one folder.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    inputs: Vec<Input>,
    outcomes: Vec<Outcome>,
    /// The findings of each outcome.
    findings: Vec<Vec<Kept>>,
}

/// A finding as it is kept: its rule by code.
#[derive(Serialize, Deserialize)]
struct Kept {
    code: String,
    severity: Severity,
    message: String,
    at: Location,
    related: Vec<Location>,
    remedy: String,
}

impl Kept {
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
            outcome.findings = kept.into_iter().map(Kept::finding).collect::<Option<_>>()?;
        }
        Some(outcomes)
    }
}

impl Cache {
    /// The cache beside a configuration in `root`, its folder made when needed.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn open(root: &Path) -> std::io::Result<Self> {
        let folder = root.join(FOLDER);
        fs::create_dir_all(&folder)?;
        // Neither version control nor backup programs want it.
        files::write_new(&folder.join(".gitignore"), b"*\n")?;
        files::write_new(
            &folder.join("CACHEDIR.TAG"),
            b"Signature: 8a477f597d28d172789f06886806bc55\n# Outcomes that gatewright run keeps; may be deleted.\n",
        )?;
        Ok(Self { folder })
    }

    /// The outcomes kept under `key`, if every input they name is still what it was.
    pub fn find(&self, key: &str) -> Option<Vec<Outcome>> {
        let bytes = fs::read(self.entry(key)).ok()?;
        let entry: Entry = serde_json::from_slice(&bytes).ok()?;
        let is_current = entry.inputs.iter().all(|input| {
            fs::read(&input.name).is_ok_and(|bytes| sha256_hex(&bytes) == input.sha256)
        });
        if is_current { entry.whole() } else { None }
    }

    /// Keep `outcomes` under `key`.
    pub fn keep(&self, key: &str, outcomes: &[Outcome]) {
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
                .map(|outcome| outcome.findings.iter().map(Kept::of).collect())
                .collect(),
            outcomes: outcomes
                .iter()
                .map(|outcome| Outcome {
                    findings: Vec::new(),
                    ..outcome.clone()
                })
                .collect(),
        };
        if let Ok(text) = serde_json::to_vec(&entry) {
            // A full disk only costs the next run its time.
            let _ = files::write_atomic(&self.entry(key), &text);
        }
    }

    /// Remove the oldest entries beyond the most that are kept.
    pub fn prune(&self) {
        let Ok(listing) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut entries: Vec<_> = listing
            .flatten()
            .filter(|entry| {
                entry
                    .path()
                    .extension()
                    .is_some_and(|ending| ending == "json")
            })
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        if entries.len() > MOST_ENTRIES {
            entries.sort();
            for (_, path) in entries.iter().take(entries.len() - MOST_ENTRIES) {
                // Another run may have removed it.
                let _ = fs::remove_file(path);
            }
        }
    }

    fn entry(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

/// Builds a key.
#[derive(Clone)]
pub struct Key(Sha256);

impl Key {
    /// A key of this version and the words of a command line.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut key = Self(Sha256::new());
        key.part(SHAPE.as_bytes());
        key.part(env!("CARGO_PKG_VERSION").as_bytes());
        for word in words {
            key.part(word);
        }
        key
    }

    /// Add bytes, their length first so that no two lists of parts read the same.
    pub fn part(&mut self, bytes: &[u8]) {
        self.0
            .update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(bytes);
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
                self.part(sha256_hex(&fs::read(path).ok()?).as_bytes());
            }
            Ok(about) if about.is_dir() => {
                let mut names = Vec::new();
                for entry in fs::read_dir(path).ok()? {
                    names.push(entry.ok()?.file_name());
                }
                names.retain(|name| name != FOLDER && name != ".git");
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

    /// The key as a file name.
    pub fn done(self) -> String {
        hex(&self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(words: &[&str], path: &Path) -> String {
        let mut key = Key::new(words.iter().map(|word| word.as_bytes()));
        key.path(path).unwrap();
        key.done()
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
        let mut key = Key::new([]);
        assert!(key.path(folder.path()).is_none());
    }

    #[test]
    fn an_entry_counts_while_its_inputs_are_what_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.json");
        fs::write(&file, "1").unwrap();
        let cache = Cache::open(folder.path()).unwrap();
        let mut outcome = Outcome::from_findings("framework check", Vec::new());
        outcome
            .inputs
            .push(Input::new("framework", file.display().to_string(), b"1"));
        assert!(cache.find("k").is_none());
        cache.keep("k", std::slice::from_ref(&outcome));
        assert_eq!(cache.find("k").unwrap()[0].gate, "framework check");
        let mut with_finding = outcome.clone();
        let rule = rules::find("GWF003").unwrap();
        let finding = Finding::new(rule, Location::of_source("a.json"), "planted");
        with_finding.findings.push(finding);
        cache.keep("f", &[with_finding]);
        let found = cache.find("f").unwrap();
        assert_eq!(found[0].findings[0].rule.code, "GWF003");
        assert_eq!(found[0].findings[0].message, "planted");
        let entry = folder.path().join(FOLDER).join("f.json");
        let renamed = fs::read_to_string(&entry).unwrap();
        fs::write(&entry, renamed.replace("GWF003", "GWF000")).unwrap();
        assert!(cache.find("f").is_none());
        let schema = Input::new("schema", "no-file.json", DEFAULT_SCHEMA.as_bytes());
        let mut with_schema = outcome.clone();
        with_schema.inputs.push(schema);
        cache.keep("s", &[with_schema]);
        assert!(cache.find("s").is_some());
        fs::write(&file, "2").unwrap();
        assert!(cache.find("k").is_none());
        assert!(cache.find("s").is_none());
        fs::write(folder.path().join(FOLDER).join("k.json"), "{").unwrap();
        assert!(cache.find("k").is_none());
    }
}
