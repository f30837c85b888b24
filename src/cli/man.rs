//! `gatewright man`: man pages from the command tree.

use super::{Answer, Context};
use crate::error::Error;
use crate::files;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Print the man page, or write one per command.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folder for a page per command, made when it is not there; without it the main page is
    /// printed.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Print or write the pages.
///
/// # Errors
/// When a page cannot be written.
pub fn run(arguments: &Arguments, _: &Context<'_>) -> Result<Answer, Error> {
    let mut tree = super::command();
    tree.build();
    let Some(folder) = &arguments.folder else {
        return Ok(Answer::text(page(tree, "gatewright")?));
    };
    std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut out = String::new();
    for (name, command) in pages(&tree, "gatewright") {
        let path = folder.join(format!("{name}.1"));
        files::write_atomic(&path, page(command, &name)?.as_bytes())
            .map_err(|error| unwritable(&path, &error))?;
        let _ = writeln!(out, "written {}", path.display());
    }
    Ok(Answer::text(out))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    let name = path.display().to_string();
    Error::Write {
        reason: error.into(),
        name,
    }
}

/// Every command below and including `command`, with the name of its page.
fn pages(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
    let mut found = vec![(name.to_owned(), command.clone())];
    for sub in command.get_subcommands() {
        if sub.get_name() != "help" && !sub.is_hide_set() {
            found.extend(pages(sub, &format!("{name}-{}", sub.get_name())));
        }
    }
    found
}

fn page(command: clap::Command, name: &str) -> Result<String, Error> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.name(name.to_owned()))
        .title(name)
        .render(&mut page)
        .map_err(|error| Error::Write {
            name: format!("{name}.1"),
            reason: error.into(),
        })?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
