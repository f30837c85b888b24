//! Receipts: what a written file of the chain was derived from.
//!
//! In: command, options, inputs and output of a stage. Out: the bytes of `NAME.receipt.json`, and
//! back. A receipt stands beside the file, never inside it, holds no time and no absolute path, and
//! is enough to derive the file again.

use crate::invariant::Invariant as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// Version of the format.
pub const VERSION: u32 = 1;
/// How receipts are called.
pub const SUFFIX: &str = ".receipt.json";

/// One file of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Size in bytes.
    pub len_bytes: u64,
    /// Path from the receipt's folder, with forward slashes.
    pub name: String,
    /// What it is to the stage, e.g. `findings`.
    pub role: String,
    /// SHA-256 of the bytes; for a folder over a line `SHA-256 NAME` for each file read in it.
    pub sha256: String,
}

/// A receipt. Members stand in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The command, e.g. `ledger quotes`.
    pub command: String,
    /// What the file was derived from.
    pub inputs: Vec<Item>,
    /// Options that decide.
    pub options: BTreeMap<String, String>,
    /// The file.
    pub output: Item,
    /// The tool.
    pub tool: Tool,
    /// Version of this format.
    pub version: u32,
}

/// The tool that wrote a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Tool {
    /// This tool.
    pub fn this() -> Self {
        Self {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl Receipt {
    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).holds("a receipt is texts and numbers");
        bytes.push(b'\n');
        bytes
    }

    /// A receipt from its file.
    ///
    /// # Errors
    /// Why the bytes are no receipt that can be followed.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let receipt: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if receipt.version != VERSION {
            return Err(format!(
                "receipt has version {}, this tool knows {VERSION}",
                receipt.version
            ));
        }
        for item in receipt.inputs.iter().chain([&receipt.output]) {
            if Path::new(&item.name).has_root() || item.name.is_empty() {
                return Err(format!("`{}` is no relative path", item.name));
            }
        }
        Ok(receipt)
    }

    /// The input of this role.
    pub fn input(&self, role: &str) -> Option<&Item> {
        self.inputs.iter().find(|item| item.role == role)
    }
}

/// Where the receipt of `output` stands: `a.json` has `a.receipt.json`.
pub fn path_of(output: &Path) -> PathBuf {
    let name = output
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let stem = name.strip_suffix(".json").unwrap_or(&name);
    output.with_file_name(format!("{stem}{SUFFIX}"))
}

/// `target` as seen from `folder`, both absolute and plain.
pub fn relative(folder: &Path, target: &Path) -> String {
    let plain = |path: &Path| -> Vec<String> {
        path.components()
            .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let (from, to) = (plain(folder), plain(target));
    let shared = from
        .iter()
        .zip(&to)
        .take_while(|(left, right)| left == right)
        .count();
    let up = from.iter().skip(shared).map(|_| "..");
    let down = to.iter().skip(shared).map(String::as_str);
    let path = up.chain(down).collect::<Vec<_>>().join("/");
    if path.is_empty() {
        ".".to_owned()
    } else {
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_reads_back_and_refuses_what_it_cannot_follow() {
        let item = |name: &str| Item {
            len_bytes: 1,
            name: name.into(),
            role: "findings".into(),
            sha256: "0".into(),
        };
        let receipt = Receipt {
            command: "ledger plan".into(),
            inputs: vec![item("../a.json")],
            options: BTreeMap::new(),
            output: item("b.json"),
            tool: Tool::this(),
            version: VERSION,
        };
        assert_eq!(Receipt::parse(&receipt.to_bytes()), Ok(receipt.clone()));
        let absolute = Receipt {
            output: item("/etc/passwd"),
            ..receipt.clone()
        };
        assert_eq!(
            Receipt::parse(&absolute.to_bytes()).unwrap_err(),
            "`/etc/passwd` is no relative path"
        );
        let newer = Receipt {
            version: 2,
            ..receipt
        };
        assert_eq!(
            Receipt::parse(&newer.to_bytes()).unwrap_err(),
            "receipt has version 2, this tool knows 1"
        );
    }

    #[test]
    fn names_are_seen_from_the_receipt() {
        for (folder, target, want) in [
            ("/run", "/run/a.json", "a.json"),
            ("/run/out", "/run/room/x", "../room/x"),
            ("/run", "/run", "."),
        ] {
            assert_eq!(relative(Path::new(folder), Path::new(target)), want);
        }
        assert_eq!(
            path_of(Path::new("x/findings.checked.json")),
            Path::new("x/findings.checked.receipt.json")
        );
        assert_eq!(
            path_of(Path::new("ledger")),
            Path::new("ledger.receipt.json")
        );
    }
}
