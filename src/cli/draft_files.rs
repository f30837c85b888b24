//! Every file of a draft with its digest, and the list of them that lies beside a receipt.
//!
//! The draft hash leaves screenshots, overlays, layouts, `design-tokens.json` and the request ledger
//! out; this list leaves nothing out. In: a draft directory, or a folder of receipts. Out: the list,
//! written by the verdict and held against the draft by the acceptance.

use crate::digest::sha256_hex;
use crate::error::{Error, Reason};
use crate::finding::excerpt;
use crate::gates::verdict::receipt::Refusal;
use crate::invariant::Invariant as _;
use crate::receipts;
use crate::value::json::repeated::first_ambiguous;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::Path;

/// Digests by path below the draft, `/` between its parts. What is no plain file has a word for what
/// it is in place of a digest.
pub(super) type Files = BTreeMap<String, String>;

const SCHEMA_VERSION: &str = "1.0.0";

/// What lies beside a receipt as `HASH.files.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bound {
    /// SHA-256 of `HASH.assessment.json`.
    assessment: String,
    /// The draft hash.
    draft_hash: String,
    /// All files of the draft.
    files: Files,
    /// SHA-256 of `HASH.verdict.json`.
    receipt: String,
    /// Version of this shape.
    schema_version: String,
}

impl Bound {
    pub(super) fn new(draft_hash: &str, files: Files, receipt: &[u8], assessment: &[u8]) -> Self {
        Self {
            assessment: sha256_hex(assessment),
            draft_hash: draft_hash.to_owned(),
            files,
            receipt: sha256_hex(receipt),
            schema_version: SCHEMA_VERSION.to_owned(),
        }
    }

    /// Its bytes: sorted, indented, with a final line end.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).holds("a list of texts is JSON");
        bytes.push(b'\n');
        bytes
    }

    /// The list beside the receipt of `draft_hash` in `folder`, and the assessment that it binds.
    ///
    /// # Errors
    /// The refusal of a draft that was never judged, or whose judgement does not hold together.
    pub(super) fn read(
        folder: &Path,
        draft_hash: &str,
        receipt: &[u8],
    ) -> Result<(Self, Vec<u8>), Refusal> {
        let name = receipts::list_name(draft_hash);
        let bytes = match crate::files::read(&folder.join(&name)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Refusal::NeverJudged);
            }
            Err(error) => {
                return Err(Refusal::Unbound(format!("{name}: {}", Reason::from(error))));
            }
        };
        let unbound = |why: String| Refusal::Unbound(format!("{name}: {why}"));
        let text = std::str::from_utf8(&bytes).map_err(|_| unbound("not UTF-8".to_owned()))?;
        if let Some(why) = first_ambiguous(text) {
            return Err(unbound(why));
        }
        let bound: Self =
            serde_json::from_str(text).map_err(|error| unbound(excerpt(&error.to_string())))?;
        if bound.schema_version != SCHEMA_VERSION || bound.draft_hash != draft_hash {
            return Err(unbound("it is for another draft hash".to_owned()));
        }
        if bound.receipt != sha256_hex(receipt) {
            return Err(unbound("the receipt is not the one it lists".to_owned()));
        }
        let assessment = receipts::assessment_name(draft_hash);
        let bytes = crate::files::read(&folder.join(&assessment))
            .map_err(|error| Refusal::Unbound(format!("{assessment}: {}", Reason::from(error))))?;
        if bound.assessment != sha256_hex(&bytes) {
            return Err(unbound(format!("{assessment} is not the one it lists")));
        }
        Ok((bound, bytes))
    }

    /// Hold the draft's files against the list.
    ///
    /// # Errors
    /// [`Refusal::FilesChanged`] that names the first difference.
    pub(super) fn hold(&self, files: &Files) -> Result<(), Refusal> {
        match difference(&self.files, files) {
            Some(difference) => Err(Refusal::FilesChanged(difference)),
            None => Ok(()),
        }
    }
}

/// The first difference between two lists and how many there are, in words; nothing when there is
/// none.
pub(super) fn difference(before: &Files, after: &Files) -> Option<String> {
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let mut changed = names.into_iter().filter_map(|name| {
        let what = match (before.get(name), after.get(name)) {
            (Some(before), Some(after)) if before == after => return None,
            (Some(_), Some(_)) => "has other bytes",
            (Some(_), None) => "is gone",
            (None, _) => "is new",
        };
        Some(format!("`{}` {what}", excerpt(name)))
    });
    let first = changed.next()?;
    Some(match changed.count() {
        0 => first,
        more => format!("{first}, and {more} more"),
    })
}

/// All files below `root`.
///
/// # Errors
/// When one cannot be read, or has a name that is not UTF-8.
pub(super) fn list(root: &Path) -> Result<Files, Error> {
    let mut files = Files::new();
    walk(root, "", &mut files)?;
    Ok(files)
}

fn walk(folder: &Path, prefix: &str, files: &mut Files) -> Result<(), Error> {
    let failed = |path: &Path, error: &io::Error| Error::Read {
        kind: "draft",
        name: path.display().to_string(),
        reason: error.into(),
    };
    for entry in std::fs::read_dir(folder).map_err(|error| failed(folder, &error))? {
        let entry = entry.map_err(|error| failed(folder, &error))?;
        let path = entry.path();
        let Ok(name) = entry.file_name().into_string() else {
            return Err(Error::Unusable {
                name: path.display().to_string(),
                path: String::new(),
                reason: "the name is not UTF-8; rename the file".to_owned(),
            });
        };
        let name = format!("{prefix}{name}");
        let kind = entry.file_type().map_err(|error| failed(&path, &error))?;
        if kind.is_dir() {
            walk(&path, &format!("{name}/"), files)?;
        } else if kind.is_file() {
            let digest = digest(&path).map_err(|error| failed(&path, &error))?;
            files.insert(name, digest);
        } else if kind.is_symlink() {
            let target = std::fs::read_link(&path).map_err(|error| failed(&path, &error))?;
            let words = format!("link:{}", target.display());
            files.insert(name, words);
        } else {
            files.insert(name, "no plain file".to_owned());
        }
    }
    Ok(())
}

fn digest(path: &Path) -> io::Result<String> {
    const PIECE: usize = 1 << 16;
    let mut file = std::fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(crate::digest::hex(&hash.finalize())),
            len => hash.update(piece.get(..len).unwrap_or_default()),
        }
    }
}
