//! `gatewright shims`: write the thin entry scripts into a skill.
//!
//! The scripts are the files of `python/gatewright/shims`, embedded. A file that is not ours is not
//! overwritten without `--force`; ours is recognised by its first lines, so that an older version
//! is replaced.

use super::{Answer, Context};
use crate::dropin::validate_framework;
use crate::error::Error;
use crate::finding::excerpt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Name and content of each entry script, in listing order.
pub const SHIMS: &[(&str, &str)] = &[
    (
        "build_checker_plan.py",
        include_str!("../../python/gatewright/shims/build_checker_plan.py"),
    ),
    (
        "dc-validate-scorecard.sh",
        include_str!("../../python/gatewright/shims/dc-validate-scorecard.sh"),
    ),
    (
        "emit-verdict.py",
        include_str!("../../python/gatewright/shims/emit-verdict.py"),
    ),
    (
        "merge_checker_results.py",
        include_str!("../../python/gatewright/shims/merge_checker_results.py"),
    ),
    (
        "reconcile_counts.py",
        include_str!("../../python/gatewright/shims/reconcile_counts.py"),
    ),
    (
        "recount-palette-orphans.py",
        include_str!("../../python/gatewright/shims/recount-palette-orphans.py"),
    ),
    (
        "render_readback.py",
        include_str!("../../python/gatewright/shims/render_readback.py"),
    ),
    (
        "validate_framework.py",
        include_str!("../../python/gatewright/shims/validate_framework.py"),
    ),
    (
        "verify_finding_quotes.py",
        include_str!("../../python/gatewright/shims/verify_finding_quotes.py"),
    ),
];

/// What stands in every entry script that we wrote, in any version.
const MARK: &str = "Entry script of gatewright";

/// Whether the script `bytes` is one that we wrote, in any version.
pub fn is_ours(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, MARK.as_bytes()).is_some()
}

/// Write entry scripts.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder of the skill's scripts, made when it is not there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Scripts to write, with or without ending; all of them when none is named.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Overwrite files that gatewright did not write.
    #[arg(long)]
    force: bool,
}

/// Write the scripts and list them.
///
/// # Errors
/// When a name is unknown, a foreign file stands in the way, or a file cannot be written; nothing is
/// written in the first two cases.
pub fn run(arguments: &Arguments, _context: &Context<'_>) -> Result<Answer, Error> {
    let chosen = choose(&arguments.names)?;
    if !arguments.force {
        refuse_foreign(&arguments.folder, &chosen)?;
    }
    let failed = |path: &Path, fault: &std::io::Error| Error::Write {
        name: path.display().to_string(),
        reason: fault.to_string(),
    };
    std::fs::create_dir_all(&arguments.folder)
        .map_err(|fault| failed(&arguments.folder, &fault))?;
    let mut out = String::new();
    for (name, content) in chosen {
        let path = arguments.folder.join(name);
        let state = match crate::files::read(&path) {
            Ok(bytes) if bytes == content.as_bytes() => "unchanged",
            Ok(_) => "replaced",
            Err(_) => "written",
        };
        crate::files::write_executable(&path, content.as_bytes())
            .map_err(|fault| failed(&path, &fault))?;
        let _ = writeln!(out, "{state} {}", path.display());
    }
    Ok(Answer::Text {
        stdout: out,
        stderr: schema_note(&arguments.folder).unwrap_or_default(),
        status: 0,
    })
}

/// `validate_framework.py` fails in a skill without its own schema: better told now.
fn schema_note(folder: &Path) -> Option<String> {
    let script = folder.join(validate_framework::SPEC.script);
    let schema = validate_framework::sibling_schema(&script);
    (script.is_file() && !schema.is_file()).then(|| {
        format!(
            "note: {} reads {}, which is not there yet\n",
            script.display(),
            folder.join("../references/framework.schema.json").display()
        )
    })
}

fn choose(names: &[String]) -> Result<Vec<(&'static str, &'static str)>, Error> {
    if names.is_empty() {
        return Ok(SHIMS.to_vec());
    }
    names
        .iter()
        .map(|wanted| {
            let is_wanted = |name: &str| {
                name == wanted
                    || Path::new(name)
                        .file_stem()
                        .is_some_and(|stem| stem == wanted.as_str())
            };
            SHIMS
                .iter()
                .copied()
                .find(|(name, _)| is_wanted(name))
                .ok_or_else(|| {
                    let known: Vec<_> = SHIMS.iter().map(|(name, _)| *name).collect();
                    Error::Usage(format!(
                        "no entry script `{}`; there are: {}",
                        excerpt(wanted),
                        known.join(", ")
                    ))
                })
        })
        .collect()
}

fn refuse_foreign(folder: &Path, chosen: &[(&str, &str)]) -> Result<(), Error> {
    let foreign: Vec<_> = chosen
        .iter()
        .map(|(name, _)| folder.join(name))
        .filter(|path| {
            let is_there = std::fs::symlink_metadata(path).is_ok();
            let is_ours = crate::files::read(path).is_ok_and(|bytes| is_ours(&bytes));
            is_there && !is_ours
        })
        .map(|path| format!("`{}`", path.display()))
        .collect();
    if foreign.is_empty() {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "not written by gatewright, so not overwritten: {} (move them away, or pass --force to replace them)",
        foreign.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_script_carries_the_mark_and_its_own_name() {
        for (name, content) in SHIMS {
            assert!(content.contains(MARK), "{name}");
            assert!(content.contains(name), "{name}");
        }
    }
}
