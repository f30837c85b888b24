//! The personas' lists of banned phrases, from where the run's owner put them.
//!
//! In: the folder named with `--personas`, or the places above a run folder. Out: the phrases that a
//! persona is held to, and which files they came from. A folder of personas inside the run folder is
//! the work's own and never read; the caller tells that it is there.

use crate::error::Error;
use crate::finding::excerpt;
use crate::gates::scorecard::disguise::looks_alike;
use crate::gates::scorecard::phrases::Phrases;
use crate::outcome::Input;
use crate::value::front_matter::split_front_matter;
use crate::value::yaml::{YamlValue, parse_yaml, repeated_keys};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Folders that hold personas, and the ending of their files.
const FOLDERS: [(&str, &str); 2] = [("persona-metadata", "yml"), ("agents", "md")];

/// What one persona is held to.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    /// The phrases; nothing when no file gives any.
    pub(super) phrases: Option<Arc<Phrases>>,
    /// The files that they came from.
    pub(super) inputs: Vec<Input>,
}

/// The lists read so far.
pub(super) struct Personas<'p> {
    // The folder named by the caller, which alone counts then.
    named: Option<&'p Path>,
    known: Mutex<BTreeMap<(PathBuf, String), Result<List, Error>>>,
}

impl<'p> Personas<'p> {
    pub(super) fn new(named: Option<&'p Path>) -> Self {
        Self {
            named,
            known: Mutex::new(BTreeMap::new()),
        }
    }

    /// Whether the caller said where the lists are.
    pub(super) fn is_named(&self) -> bool {
        self.named.is_some()
    }

    /// What `persona` is held to in the run folder `run`; `is_work` when that folder belongs to
    /// those whose work is judged.
    ///
    /// Every list counts that stands above the run folder or in the working directory: one that is
    /// nearer to the work can add phrases and take none away.
    ///
    /// # Errors
    /// When a file of the persona cannot be read, or none of them gives a list.
    pub(super) fn list(&self, persona: &str, run: &Path, is_work: bool) -> Result<List, Error> {
        // A name from data never leads out of its folder.
        if !is_name(persona) {
            return Ok(List::default());
        }
        let key = (run.to_owned(), persona.to_owned());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = known.get(&key) {
            return list.clone();
        }
        let list = read_all(&self.roots(run, is_work), persona);
        known.insert(key, list.clone());
        list
    }

    fn roots(&self, run: &Path, is_work: bool) -> Vec<PathBuf> {
        if let Some(named) = self.named {
            return vec![named.to_owned()];
        }
        let Ok(run) = std::path::absolute(run) else {
            return Vec::new();
        };
        let here = std::path::absolute(".").ok();
        let here = here.filter(|here| !is_work || !here.starts_with(&run));
        let mut roots: Vec<PathBuf> = here.into_iter().collect();
        for folder in run.ancestors().skip(usize::from(is_work)) {
            if !roots.iter().any(|root| root == folder) {
                roots.push(folder.to_owned());
            }
            // What lies outside of the repository is somebody else's.
            if folder.join(".git").exists() {
                break;
            }
        }
        roots.retain(|root| holds_personas(root));
        roots
    }
}

/// Whether `persona` can be the name of a file.
pub(super) fn is_name(persona: &str) -> bool {
    !persona.is_empty() && !persona.contains(['/', '\\', '\0']) && persona != "." && persona != ".."
}

/// Whether `folder` holds a folder of personas.
pub(super) fn holds_personas(folder: &Path) -> bool {
    FOLDERS.iter().any(|(name, _)| folder.join(name).is_dir())
}

fn read_all(roots: &[PathBuf], persona: &str) -> Result<List, Error> {
    let mut list = List::default();
    let mut without: Option<Error> = None;
    for root in roots {
        // With a sidecar only the sidecar counts.
        let found = FOLDERS.iter().find_map(|(folder, ending)| {
            let files = files_of(&root.join(folder), ending, persona);
            (!files.is_empty()).then_some((files, *ending == "md"))
        });
        let Some((files, is_page)) = found else {
            continue;
        };
        for path in files {
            let bytes = crate::files::read(&path).map_err(|error| Error::Read {
                kind: "persona",
                name: path.display().to_string(),
                reason: error.into(),
            })?;
            match phrases_in(&path, &bytes, is_page)? {
                Ok(phrases) => {
                    let all = match &list.phrases {
                        Some(known) => known.joined(&phrases),
                        None => phrases,
                    };
                    list.phrases = Some(Arc::new(all));
                    list.inputs
                        .push(Input::new("persona", path.display().to_string(), &bytes));
                }
                Err(error) => without = without.or(Some(error)),
            }
        }
    }
    match without {
        Some(error) if list.phrases.is_none() => Err(error),
        Some(_) | None => Ok(list),
    }
}

/// The persona's files in `folder`: the one of its name, and those whose name looks the same, so
/// that `Rev` and `rеv` are held to the list of `rev`.
fn files_of(folder: &Path, ending: &str, persona: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension().is_some_and(|found| found == ending)
                && path
                    .file_stem()
                    .and_then(|stem| stem.to_str())
                    .is_some_and(|stem| stem == persona || looks_alike(stem, persona))
                && path.is_file()
        })
        .collect();
    files.sort();
    files
}

/// The list in a sidecar, or in the front matter of a persona's page; the inner error when there is
/// none.
fn phrases_in(path: &Path, bytes: &[u8], is_page: bool) -> Result<Result<Phrases, Error>, Error> {
    let unusable = |place: &str, reason: String| Error::Unusable {
        name: path.display().to_string(),
        path: place.to_owned(),
        reason,
    };
    let yaml = if is_page {
        let parts = split_front_matter(bytes);
        let Ok(parts) = parts else {
            let reason = "no front matter between two lines of exactly `---`".to_owned();
            return Ok(Err(unusable("", reason)));
        };
        parts.yaml
    } else {
        bytes
    };
    let data = parse_yaml(yaml).map_err(|error| unusable("", format!("no valid YAML: {error}")))?;
    if let Some((name, mark)) = repeated_keys(yaml).into_iter().next() {
        let reason = format!(
            "`{}` stands twice in one mapping (line {} of the YAML); leave one",
            excerpt(&name),
            mark.line
        );
        return Err(unusable("", reason));
    }
    Ok(
        match data.as_map().and_then(|data| data.get("banned_phrases")) {
            // Blank phrases ban nothing.
            Some(YamlValue::List(items)) if !Phrases::of_items(items).is_empty() => {
                Ok(Phrases::of_items(items))
            }
            _ => Err(unusable(
                "$.banned_phrases",
                "a list with at least one phrase is wanted".to_owned(),
            )),
        },
    )
}
