//! Receipts on disk: their names, their bytes, and writing them whole or not at all.
//!
//! In: a receipt as a value. Out: `DIR/HASH.verdict.json`. The content is decided in
//! `gates::verdict` and judged in `gates::receipt`.

use crate::value::json::locate::ValuePath;
use crate::value::json::{Style, dump};
use crate::value::{Text, Value};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folder of receipts when neither an option nor the environment names one.
pub const DEFAULT_FOLDER: &str = ".esb-verdict";

/// Environment variable that names the folder of receipts for the umbrella commands.
pub const FOLDER_VARIABLE: &str = "ESB_VERDICT_DIR";

/// File name of the receipt for a draft hash.
pub fn file_name(draft_hash: &str) -> String {
    format!("{draft_hash}.verdict.json")
}

/// File name of the list of the draft's files, beside the receipt.
pub fn list_name(draft_hash: &str) -> String {
    format!("{draft_hash}.files.json")
}

/// File name of the assessment that the receipt was decided from, beside it.
pub fn assessment_name(draft_hash: &str) -> String {
    format!("{draft_hash}.assessment.json")
}

/// File name of the attestation of the verdict, beside the receipt.
pub fn attestation_name(draft_hash: &str) -> String {
    format!("{draft_hash}{}", crate::attestation::SUFFIX)
}

/// Bytes of a receipt: sorted, indented, with a final line end. Nothing when a lone surrogate
/// stands in it.
pub fn to_bytes(receipt: &Value<'_>) -> Option<Vec<u8>> {
    let mut bytes = dump(receipt, Style::UNICODE_INDENTED);
    bytes.push(b'\n');
    simdutf8::basic::from_utf8(&bytes).is_ok().then_some(bytes)
}

/// Place of the first text or key with a lone surrogate.
pub fn surrogate_place(value: &Value<'_>) -> String {
    first_surrogate(value, &ValuePath::root()).map_or_else(String::new, |path| path.to_string())
}

fn first_surrogate(value: &Value<'_>, path: &ValuePath) -> Option<ValuePath> {
    let is_broken = |text: &Text<'_>| text.as_str().is_none();
    match value {
        Value::Str(text) => is_broken(text).then(|| path.clone()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| first_surrogate(item, &path.index(index))),
        Value::Object(object) => object.iter().find_map(|(key, member)| {
            let path = path.key(key.clone().into_owned());
            if is_broken(key) {
                return Some(path);
            }
            first_surrogate(member, &path)
        }),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) => None,
    }
}

/// Write a receipt to `target` in `folder`, which is made when it is not there. On a failure the
/// folders that were made are removed again.
///
/// Nothing is synced to the disk: that takes longer than the whole run of the drop-in command. A
/// killed run leaves the old or the new receipt; a receipt that a power cut spoils is not accepted.
///
/// # Errors
/// Those of the operating system; the target is then as it was.
pub fn write(folder: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    in_folder(folder, || {
        crate::files::stage(target, bytes).and_then(crate::files::Staged::commit)
    })
}

/// [`write()`], synced to the disk.
///
/// # Errors
/// As [`write()`].
pub fn write_synced(folder: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    in_folder(folder, || crate::files::write_atomic(target, bytes))
}

fn in_folder(folder: &Path, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let made: Vec<PathBuf> = folder
        .ancestors()
        .filter(|part| !part.as_os_str().is_empty())
        .take_while(|part| fs::symlink_metadata(part).is_err())
        .map(Path::to_path_buf)
        .collect();
    let written = fs::create_dir_all(folder).and_then(|()| write());
    if written.is_err() {
        // Deepest first; a folder that someone else filled meanwhile stays.
        for part in made {
            let _ = fs::remove_dir(part);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    #[test]
    fn a_failed_write_leaves_no_folder_behind() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        let target = folder.join("r.json");
        write(&folder, &target, b"one\n").unwrap();
        write_synced(&folder, &target, b"two\n").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"two\n");
        let blocked = root.path().join("a/b/r.json/c/d");
        write(&blocked, &blocked.join("r.json"), b"x").unwrap_err();
        assert_eq!(fs::read(&target).unwrap(), b"two\n");
        // The folders can be made but a folder stands where the file should be.
        let fresh = root.path().join("x/y");
        fs::create_dir_all(root.path().join("x")).unwrap();
        write(&fresh, &root.path().join("a"), b"x").unwrap_err();
        assert!(!fresh.exists());
        assert!(root.path().join("x").exists());
    }

    #[test]
    fn a_lone_surrogate_is_located() {
        let value = parse("{\"a\": [\"x\", {\"\\ud800\": 1}]}").unwrap();
        assert!(to_bytes(&value).is_none());
        assert!(surrogate_place(&value).starts_with("$.a[1]."));
        assert_eq!(to_bytes(&parse("{}").unwrap()).unwrap(), b"{}\n");
    }
}
