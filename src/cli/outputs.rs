//! Where results may not go: over an input of the same call, or into a draft or a room.
//!
//! In: a parsed command line, or outcomes with the inputs that they name. Out: the error that names the
//! output, before anything is written. What a command writes on purpose (receipts in a run folder) is its own.

use crate::error::Error;
use crate::files;
use crate::outcome::Outcome;
use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Command};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options whose file or folder is written.
const WRITTEN: [&str; 5] = ["output_file", "out", "into", "verdict_dir", "settings"];

/// Folders that are only ever read, by the option or argument that names them.
const ONLY_READ: [&str; 10] = [
    "draft",
    "draft_dir",
    "input",
    "personas",
    "plugin_root",
    "prompts",
    "results",
    "results_dir",
    "room",
    "room_root",
];

/// Refuse a call whose output is one of its inputs, or lies in a folder that is only read.
///
/// # Errors
/// When it does.
pub(super) fn refuse(command: &Command, matches: &ArgMatches) -> Result<(), Error> {
    let mut given = Vec::new();
    collect(command, matches, &mut given);
    let (written, read): (Vec<_>, Vec<_>) = given
        .into_iter()
        .partition(|(id, _)| WRITTEN.contains(&id.as_str()));
    for (_, target) in &written {
        for (id, path) in &read {
            if is_same_file(target, path) {
                return Err(over_input(target));
            }
            if ONLY_READ.contains(&id.as_str()) && path.is_dir() && is_below(target, path) {
                return Err(Error::Usage(format!(
                    "`{}` lies inside `{}`, which is only read: name a place elsewhere",
                    target.display(),
                    path.display()
                )));
            }
        }
    }
    Ok(())
}

/// Refuse to write `target` over an input that `outcomes` name.
///
/// # Errors
/// When it is one.
pub(super) fn refuse_inputs(target: &Path, outcomes: &[Outcome]) -> Result<(), Error> {
    // Most targets are new files.
    if !target.is_file() {
        return Ok(());
    }
    let is_input = outcomes
        .iter()
        .flat_map(|outcome| &outcome.inputs)
        .any(|input| is_same_file(target, Path::new(&input.name)));
    if is_input {
        return Err(over_input(target));
    }
    Ok(())
}

fn over_input(target: &Path) -> Error {
    Error::Usage(format!(
        "`{}` is an input, which would be lost: name another file for the output",
        target.display()
    ))
}

/// The paths that a command line gives, with the argument that each belongs to.
fn collect(command: &Command, matches: &ArgMatches, given: &mut Vec<(String, PathBuf)>) {
    for arg in command.get_arguments().filter(|arg| is_path(arg)) {
        let id = arg.get_id().as_str();
        let Ok(Some(values)) = matches.try_get_raw(id) else {
            continue;
        };
        for value in values {
            given.push((id.to_owned(), PathBuf::from(value)));
            // NAME=PATH
            if let Some((_, path)) = value.to_str().and_then(|text| text.split_once('=')) {
                given.push((id.to_owned(), PathBuf::from(OsString::from(path))));
            }
        }
    }
    if let Some((name, below)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        collect(command, below, given);
        // Options that every command has stand in the innermost matches.
        if let Ok(Some(values)) = below.try_get_raw("output_file") {
            given.extend(values.map(|value| ("output_file".to_owned(), PathBuf::from(value))));
        }
    }
}

fn is_path(arg: &Arg) -> bool {
    let kind = arg.get_value_parser().type_id();
    kind == ValueParser::path_buf().type_id() || kind == ValueParser::os_string().type_id()
}

/// Whether both are one plain file, under whatever names.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let (Ok(first), Ok(second)) = (one.metadata(), other.metadata()) else {
        return false;
    };
    // A terminal may well be read and written.
    if !first.is_file() || !second.is_file() {
        return false;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        first.dev() == second.dev() && first.ino() == second.ino()
    }
    #[cfg(not(unix))]
    {
        files::resolve(one) == files::resolve(other)
    }
}

fn is_below(target: &Path, folder: &Path) -> bool {
    files::resolve(target).starts_with(files::resolve(folder))
}
