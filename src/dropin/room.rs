//! The documents of a room: found where the manifest says, unchanged, read as text.

use crate::digest::sha256_hex;
use crate::extract::{Extractor, extract};
use crate::finding::excerpt;
use crate::gates::chain::quotes::{self, Answer, Citation, Citations, Document, Standing};
use crate::gates::chain::{Ledger, Stop};
use crate::text::python::{Line, str_of};
use crate::value::{Text, Value};
use crate::workers;
use crate::world::World;
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// Where a manifest path leads, or the recorded sentence why it must not be followed.
///
/// # Errors
/// That sentence.
pub fn source_path(root: &Path, relative: &Text<'_>) -> Result<PathBuf, Text<'static>> {
    let fault = |words: &str| Line::new().plain(words).text(relative).done();
    let Some(path) = crate::files::path_of(relative) else {
        return Err(unencodable(root, relative));
    };
    let path = crate::files::python_path(path.as_os_str());
    if path.has_root()
        || path
            .components()
            .any(|part| matches!(part, Component::ParentDir | Component::Prefix(_)))
    {
        return Err(fault("unsafe manifest path: "));
    }
    let joined = root.join(path);
    if joined.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(Text::borrowed("embedded null byte"));
    }
    let Ok(whole) = root.canonicalize() else {
        return Ok(joined);
    };
    if is_outside(root, &whole, &joined) {
        return Err(fault("manifest path escapes room root: "));
    }
    Ok(joined)
}

/// Python's sentence for a path with a surrogate that stands for no byte.
fn unencodable(root: &Path, relative: &Text<'_>) -> Text<'static> {
    let before = crate::files::display(root.as_os_str()).len() + 1;
    let bad = relative
        .code_points()
        .zip(before..)
        .find(|(code_point, _)| (0xD800..0xE000).contains(code_point));
    let (code_point, at) = bad.unwrap_or_default();
    Text::from(format!(
        "'utf-8' codec can't encode character '\\u{code_point:04x}' in position {at}: surrogates not allowed"
    ))
}

/// Whether `joined` lies outside `root`, which is `whole` without links: the deepest part that exists
/// decides where the rest would lie.
fn is_outside(root: &Path, whole: &Path, joined: &Path) -> bool {
    joined
        .ancestors()
        .take_while(|part| part.starts_with(root))
        .find_map(|part| part.canonicalize().ok())
        .is_some_and(|target| !target.starts_with(whole))
}

/// How documents are read and searched.
#[derive(Clone, Copy)]
pub struct How {
    /// How text is taken from documents.
    pub extractor: Extractor,
    /// Whether to tell what stands in the place of a quote that is not found.
    pub is_told: bool,
}

/// What the room said.
pub struct Checked<'a> {
    /// The quotes and where they are cited.
    pub citations: Citations<'a>,
    /// For each document with citations, its index and the answers in their order.
    pub answers: Vec<(usize, Vec<Answer>)>,
    /// SHA-256 over a line `SHA-256 PATH` for every document of the manifest, in its order.
    pub sha256: String,
    /// SHA-256 of each document of the manifest.
    pub digests: Vec<String>,
    /// Bytes of all of them.
    pub len_bytes: u64,
    /// What read the documents with citations, sorted.
    pub readers: BTreeSet<String>,
    /// Documents with citations whose text cannot be had, by index, and why.
    pub unreadable: Vec<(usize, Text<'static>)>,
}

impl Checked<'_> {
    /// For findings whose quotes differ from their documents in typography alone, by index, the
    /// documents' own words.
    pub fn own_words(&self) -> BTreeMap<usize, String> {
        let mut out = BTreeMap::new();
        for (document, answers) in &self.answers {
            let cited = self.citations.by_document.get(*document);
            for (citation, answer) in cited.into_iter().flatten().zip(answers) {
                if let Some(words) = &answer.own_words {
                    out.insert(citation.finding_index, words.clone());
                }
            }
        }
        out
    }

    /// How each finding's quote stands; nothing where none was looked for.
    pub fn standings(&self) -> Vec<Option<Standing>> {
        let mut out = vec![None; self.citations.finding_count];
        let cited = |document: usize| {
            let cited = self.citations.by_document.get(document);
            cited.into_iter().flatten()
        };
        for (document, answers) in &self.answers {
            for (citation, answer) in cited(*document).zip(answers) {
                if let Some(slot) = out.get_mut(citation.finding_index) {
                    *slot = Some(Standing::of(answer));
                }
            }
        }
        for (document, why) in &self.unreadable {
            for citation in cited(*document) {
                if let Some(slot) = out.get_mut(citation.finding_index) {
                    *slot = Some(Standing::Unread(why.to_display().into_owned()));
                }
            }
        }
        out
    }
}

/// Checks every document of the manifest and looks for every quote in the document that it cites.
///
/// # Errors
/// All faults of documents first; then a finding that cites none of them.
pub fn check<'a>(
    root: &Path,
    ledger: &Ledger<'a>,
    documents: &[Document<'_>],
    how: How,
    world: &dyn World,
) -> Result<Checked<'a>, RoomStop> {
    let (citations, unknown) = match quotes::collect(ledger, documents) {
        Ok(citations) => (citations, None),
        Err(stop) => (Citations::default(), Some(stop)),
    };
    let mut faults: Vec<Changed> = Vec::new();
    let mut unreadable: Vec<(usize, Text<'static>)> = Vec::new();
    let mut readers = BTreeSet::new();
    let mut answers = Vec::new();
    let mut lines = Sha256::new();
    let mut digests = Vec::new();
    let mut len_bytes = 0_u64;
    // In parts, so that a stop request is seen.
    for part in (0..documents.len()).collect::<Vec<_>>().chunks(256) {
        if world.is_interrupted() {
            return Err(RoomStop::Ledger(Stop::Said(Text::borrowed("interrupted"))));
        }
        let one = |&index: &usize| {
            let cited = citations
                .by_document
                .get(index)
                .map_or(&[][..], Vec::as_slice);
            let looked = look(root, documents.get(index)?, cited, how);
            Some(looked.map_or_else(
                |Fault { recorded, told }| {
                    Looked::Changed(Changed {
                        index,
                        recorded,
                        told,
                    })
                },
                |seen| Looked::Seen(index, seen),
            ))
        };
        let looked: Vec<Looked> = workers::spread(|| part.par_iter().filter_map(one).collect());
        for one in looked {
            match one {
                Looked::Seen(
                    index,
                    Seen {
                        sha256,
                        len,
                        answers: found,
                    },
                ) => {
                    let found = match found {
                        Ok((reader, found)) => {
                            readers.extend(reader);
                            found
                        }
                        Err(why) => {
                            unreadable.push((index, why));
                            Vec::new()
                        }
                    };
                    let path = documents
                        .get(index)
                        .map(|document| document.path.to_display());
                    lines.update(format!("{sha256} {}\n", path.unwrap_or_default()));
                    digests.push(sha256);
                    len_bytes = len_bytes.saturating_add(u64::try_from(len).unwrap_or(u64::MAX));
                    if !found.is_empty() {
                        answers.push((index, found));
                    }
                }
                Looked::Changed(changed) => faults.push(changed),
            }
        }
    }
    if !faults.is_empty() {
        return Err(RoomStop::Changed(faults));
    }
    if let Some(stop) = unknown {
        return Err(RoomStop::Ledger(stop));
    }
    Ok(Checked {
        citations,
        answers,
        sha256: crate::digest::hex(&lines.finalize()),
        digests,
        len_bytes,
        readers,
        unreadable,
    })
}

/// A document that is not what the manifest says.
pub struct Changed {
    /// Its place in the manifest.
    pub index: usize,
    /// The recorded words.
    pub recorded: Text<'static>,
    /// Words that say more, where the recorded ones say little.
    pub told: Option<String>,
}

/// Why the room did not answer.
pub enum RoomStop {
    /// Documents that are not what the manifest says.
    Changed(Vec<Changed>),
    /// The ledger cites what the manifest does not have, or cannot be used.
    Ledger(Stop),
}

impl From<RoomStop> for Stop {
    fn from(stop: RoomStop) -> Self {
        match stop {
            RoomStop::Changed(changed) => Self::faults(
                changed
                    .into_iter()
                    .map(|changed| changed.recorded)
                    .collect(),
            ),
            RoomStop::Ledger(stop) => stop,
        }
    }
}

/// One document as it was found.
struct Seen {
    sha256: String,
    len: usize,
    /// The reader and the answers, or why there are none.
    answers: Result<(Option<String>, Vec<Answer>), Text<'static>>,
}

enum Looked {
    Seen(usize, Seen),
    Changed(Changed),
}

/// Why a document cannot be taken for the one of the manifest.
struct Fault {
    recorded: Text<'static>,
    told: Option<String>,
}

impl From<Text<'static>> for Fault {
    fn from(recorded: Text<'static>) -> Self {
        Self {
            recorded,
            told: None,
        }
    }
}

/// Too many links.
#[cfg(target_os = "linux")]
const ELOOP: i32 = 40;
#[cfg(not(target_os = "linux"))]
const ELOOP: i32 = 62;

/// Whether Python's `is_file` answers "no" where the system gives this error; others it raises.
fn is_absence(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    ) || error.raw_os_error() == Some(ELOOP)
}

fn look(
    root: &Path,
    document: &Document<'_>,
    cited: &[Citation<'_>],
    how: How,
) -> Result<Seen, Fault> {
    let path = source_path(root, &document.path)?;
    let fault = |words: &str| Fault::from(Line::new().plain(words).text(&document.path).done());
    match path.metadata() {
        Ok(about) if about.is_file() => {}
        Err(error) if !is_absence(&error) => {
            let shown = crate::files::display(crate::files::resolve(&path).as_os_str());
            let words = crate::text::python::os_error(&error, &shown);
            return Err(Fault::from(Text::from(words)));
        }
        Ok(_) | Err(_) => return Err(fault("source document does not exist: ")),
    }
    let unreadable = |reason: &str| {
        Line::new()
            .plain("cannot read source document ")
            .text(&document.path)
            .plain(": ")
            .plain(reason)
            .done()
    };
    let bytes = crate::files::read(&path).map_err(|error| {
        let words = crate::text::python::os_error(&error, &document.path);
        Fault::from(unreadable(&words))
    })?;
    let (sha256, len) = (sha256_hex(&bytes), bytes.len());
    let id = quotes::hash_id(&sha256);
    if Value::from(id.as_str()) != document.id {
        return Err(Fault {
            told: Some(format!(
                "`{}` has the id `{id}`, the manifest says `{}`",
                excerpt(&document.path.to_display()),
                excerpt(&str_of(&document.id).to_display())
            )),
            ..fault("manifest identity changed for ")
        });
    }
    let answers = if cited.is_empty() {
        Ok((None, Vec::new()))
    } else {
        let quotes: Vec<Text<'_>> = cited
            .iter()
            .map(|citation| citation.quote.clone())
            .collect();
        search(&document.path, &bytes, &quotes, how)
            .map(|(reader, answers)| (Some(reader), answers))
            .map_err(|why| unreadable(&why))
    };
    Ok(Seen {
        sha256,
        len,
        answers,
    })
}

/// What read the document with these bytes, which lies at `path` in its room, and how each quote
/// stands in it.
///
/// # Errors
/// Why its text cannot be had or searched.
pub fn search(
    path: &Text<'_>,
    bytes: &[u8],
    quotes: &[Text<'_>],
    how: How,
) -> Result<(String, Vec<Answer>), String> {
    let path = crate::files::path_of(path).unwrap_or_default();
    let path = crate::files::python_path(path.as_os_str());
    let name = path.to_string_lossy();
    let text = extract(&name, bytes, how.extractor).map_err(|why| why.reason)?;
    let answers = quotes::answers(&text, quotes, how.is_told)?;
    Ok((text.reader, answers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn manifest_paths_stay_in_the_room() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("room");
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::create_dir(folder.path().join("out")).unwrap();
        std::os::unix::fs::symlink("../out", root.join("link")).unwrap();
        for (path, want) in [
            ("a/b.txt", None),
            ("./a/../a", Some("unsafe manifest path: ./a/../a")),
            ("/etc/passwd", Some("unsafe manifest path: /etc/passwd")),
            (
                "link/x.txt",
                Some("manifest path escapes room root: link/x.txt"),
            ),
            ("link", Some("manifest path escapes room root: link")),
            ("missing/deep/x", None),
        ] {
            let got = source_path(&root, &Text::borrowed(path)).err();
            assert_eq!(got, want.map(Text::borrowed), "{path}");
        }
    }
}
