//! From a configuration to jobs: globs to inputs, options to command lines, each checked against
//! the command tree before anything runs.

use super::config::{Config, Entry, OptionValue, Place};
use crate::error::Error;
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Folders that are never searched besides hidden ones.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

/// Options that a configuration cannot give: a run does not change what it judges.
const NOT_CONFIGURED: [&str; 2] = ["help", "fix"];

/// One call of one gate.
#[derive(Debug)]
pub struct Job {
    /// The gate, e.g. `framework check`.
    pub gate: String,
    /// The name that the configuration gives the gate.
    pub name: Option<String>,
    /// What it is run on, for people.
    pub subject: String,
    /// The command line after `gatewright`.
    pub words: Vec<OsString>,
    /// Files and folders whose content decides.
    pub paths: Vec<PathBuf>,
}

/// The jobs of `config`, whose paths are relative to `root`; `on_empty` says what a gate without inputs means.
///
/// # Errors
/// With the place in the configuration: an unknown gate or option, a glob that is none or that
/// matches nothing, an option value of the wrong kind.
pub fn jobs(
    config: &Config,
    place: &Place<'_>,
    root: &Path,
    on_empty: OnEmpty,
) -> Result<Vec<Job>, Error> {
    let tree = crate::cli::command();
    let mut jobs = Vec::new();
    for spanned in &config.gate {
        let entry = spanned.get_ref();
        let leaf = leaf(&tree, entry, place)?;
        let root = Root {
            folder: root,
            respects_gitignore: config.respect_gitignore.unwrap_or(true),
        };
        jobs.extend(entry_jobs(&leaf, entry, place, root, on_empty)?);
    }
    Ok(jobs)
}

/// Where globs start, and whether they pass over what Git ignores.
#[derive(Clone, Copy, Debug)]
pub struct Root<'r> {
    /// The folder; empty for the current one.
    pub folder: &'r Path,
    /// Whether `.gitignore` is respected.
    pub respects_gitignore: bool,
}

/// What it means that no file matches the inputs of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnEmpty {
    /// A fault, unless the configuration says that it is fine: the gate would look at nothing.
    Fault,
    /// The gate has nothing to do yet: only some files are asked about.
    Skip,
}

/// The command that the gate's words name.
fn leaf(tree: &Command, entry: &Entry, place: &Place<'_>) -> Result<Command, Error> {
    let wanted = entry.gate.get_ref().as_str();
    if !super::gate_names().any(|name| name == wanted) {
        return Err(place.fault(
            entry.gate.span(),
            format!(
                "no gate `{}`{}; gates are: {}",
                crate::finding::excerpt(wanted),
                nearest(wanted, super::gate_names()),
                super::gate_names().collect::<Vec<_>>().join(", ")
            ),
        ));
    }
    let mut command = tree;
    for word in wanted.split(' ') {
        command = command
            .find_subcommand(word)
            .ok_or_else(|| place.fault(entry.gate.span(), "no such gate"))?;
    }
    Ok(command.clone())
}

/// `; did you mean ...?` for the candidate closest to `wanted`, if one is close.
pub(super) fn nearest<'a>(wanted: &str, candidates: impl Iterator<Item = &'a str>) -> String {
    candidates
        .map(|candidate| {
            let ratio = similar::TextDiff::from_chars(wanted, candidate).ratio();
            (ratio, candidate)
        })
        .filter(|(ratio, _)| *ratio >= 0.6)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map_or_else(String::new, |(_, candidate)| {
            format!(", did you mean `{candidate}`?")
        })
}

fn entry_jobs(
    leaf: &Command,
    entry: &Entry,
    place: &Place<'_>,
    root: Root<'_>,
    on_empty: OnEmpty,
) -> Result<Vec<Job>, Error> {
    let inputs = matched(&entry.inputs, &entry.exclude, place, root)?;
    if inputs.is_empty() && !entry.inputs.is_empty() {
        if entry.may_be_empty || on_empty == OnEmpty::Skip {
            return Ok(Vec::new());
        }
        let span = entry.inputs.first().map_or(0..0, Spanned::span);
        let everything = Root {
            respects_gitignore: false,
            ..root
        };
        let is_ignored = root.respects_gitignore
            && !matched(&entry.inputs, &entry.exclude, place, everything)?.is_empty();
        let reason = if is_ignored {
            "`inputs` matches only what .gitignore names; set respect-gitignore = false at the top, or name the files without wildcards"
        } else {
            "no file matches `inputs`; set may-be-empty = true if that is fine"
        };
        return Err(place.fault(span, reason));
    }
    let depends: Vec<PathBuf> = matched(&entry.depends, &[], place, root)?
        .iter()
        .map(|path| joined(root.folder, path))
        .collect();
    let is_fanned = entry
        .options
        .values()
        .any(|value| has_placeholder(value.get_ref()));
    let has_positional = leaf.get_positionals().next().is_some();
    if !inputs.is_empty() && !is_fanned && !has_positional {
        return Err(place.fault(
            entry.gate.span(),
            format!(
                "`{}` takes no inputs by position; use {{input}} in one of its options",
                entry.gate.get_ref()
            ),
        ));
    }
    let calls: Vec<Vec<String>> = if inputs.is_empty() {
        vec![Vec::new()]
    } else if entry.together && !is_fanned {
        vec![inputs]
    } else {
        inputs.into_iter().map(|input| vec![input]).collect()
    };
    calls
        .into_iter()
        .map(|inputs| {
            job(
                leaf,
                entry,
                place,
                root.folder,
                &inputs,
                is_fanned,
                &depends,
            )
        })
        .collect()
}

fn job(
    leaf: &Command,
    entry: &Entry,
    place: &Place<'_>,
    root: &Path,
    inputs: &[String],
    is_fanned: bool,
    depends: &[PathBuf],
) -> Result<Job, Error> {
    let gate = entry.gate.get_ref();
    let mut words: Vec<OsString> = gate.split(' ').map(OsString::from).collect();
    let mut paths: Vec<PathBuf> = depends.to_vec();
    for (key, value) in &entry.options {
        let name = key.get_ref().as_str();
        let arg = leaf
            .get_arguments()
            .find(|arg| {
                arg.get_long() == Some(name)
                    && !arg.is_global_set()
                    && !NOT_CONFIGURED.contains(&name)
            })
            .ok_or_else(|| {
                let known = leaf
                    .get_arguments()
                    .filter(|arg| !arg.is_global_set())
                    .filter_map(Arg::get_long)
                    .filter(|long| !NOT_CONFIGURED.contains(long));
                place.fault(
                    key.span(),
                    format!(
                        "`{gate}` has no option `{}`{}",
                        crate::finding::excerpt(name),
                        nearest(name, known)
                    ),
                )
            })?;
        let is_path = is_path(arg);
        let mut push = |text: &str| {
            let filled = filled(text, inputs.first().map_or("", String::as_str));
            let value = if is_path {
                let path = joined(root, &filled);
                paths.push(path.clone());
                path.into_os_string()
            } else {
                OsString::from(filled)
            };
            // One word, so that a value with a leading dash stays a value.
            let mut word = OsString::from(format!("--{name}="));
            word.push(value);
            words.push(word);
        };
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        match (value.get_ref(), is_switch) {
            (OptionValue::Flag(true), true) => words.push(OsString::from(format!("--{name}"))),
            (OptionValue::Flag(false), true) => {}
            (_, true) => {
                return Err(place.fault(
                    value.span(),
                    format!("`{name}` is a switch, expected true or false"),
                ));
            }
            (OptionValue::Flag(_), false) => {
                return Err(place.fault(
                    value.span(),
                    format!("`{name}` takes a value, not a switch"),
                ));
            }
            (OptionValue::Number(number), false) => push(&number.to_string()),
            (OptionValue::Text(text), false) => push(text),
            (OptionValue::Many(texts), false) => texts.iter().for_each(|text| push(text)),
        }
    }
    paths.extend(inputs.iter().map(|input| joined(root, input)));
    if !is_fanned && !inputs.is_empty() {
        words.push(OsString::from("--"));
        words.extend(
            inputs
                .iter()
                .map(|input| joined(root, input).into_os_string()),
        );
    }
    crate::cli::is_callable(&words).map_err(|reason| place.fault(entry.gate.span(), reason))?;
    let shown = match inputs {
        [] => String::new(),
        [one] => joined(root, one).display().to_string(),
        many => format!("{} inputs", many.len()),
    };
    let name = entry.name.as_ref().map(|name| name.get_ref().as_str());
    Ok(Job {
        gate: gate.clone(),
        name: name.map(str::to_owned),
        subject: match (name, shown.is_empty()) {
            (Some(name), true) => name.to_owned(),
            (Some(name), false) => format!("{name} {shown}"),
            (None, _) => shown,
        },
        words,
        paths,
    })
}

/// Whether the values of `arg` are paths.
fn is_path(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == ValueParser::path_buf().type_id()
}

/// `path` under `root`, without a leading `./`.
fn joined(root: &Path, path: &str) -> PathBuf {
    if root.as_os_str().is_empty() || root == Path::new(".") {
        PathBuf::from(path)
    } else {
        root.join(path)
    }
}

fn has_placeholder(value: &OptionValue) -> bool {
    let has = |text: &str| {
        ["{input}", "{dir}", "{name}", "{stem}"]
            .iter()
            .any(|holder| text.contains(holder))
    };
    match value {
        OptionValue::Text(text) => has(text),
        OptionValue::Many(texts) => texts.iter().any(|text| has(text)),
        OptionValue::Flag(_) | OptionValue::Number(_) => false,
    }
}

/// `text` with its placeholders filled from `input`. Each is filled once: what an input's name
/// holds is not looked at again.
fn filled(text: &str, input: &str) -> String {
    let trimmed = input.trim_end_matches('/');
    let (dir, name) = trimmed.rsplit_once('/').unwrap_or((".", trimmed));
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        out.push_str(before);
        let filled = [
            ("{input}", trimmed),
            ("{dir}", dir),
            ("{name}", name),
            ("{stem}", stem),
        ]
        .iter()
        .find_map(|(holder, value)| Some((after.strip_prefix(holder)?, *value)));
        if let Some((tail, value)) = filled {
            out.push_str(value);
            rest = tail;
        } else {
            out.push('{');
            rest = after.strip_prefix('{').unwrap_or_default();
        }
    }
    out.push_str(rest);
    out
}

/// Paths under `root` that match a glob of `wanted` and none of `unwanted`, sorted, each once.
/// A pattern without wildcards is taken as it is, whether or not it exists, so that the gate says
/// what is wrong with it.
fn matched(
    wanted: &[Spanned<String>],
    unwanted: &[Spanned<String>],
    place: &Place<'_>,
    root: Root<'_>,
) -> Result<Vec<String>, Error> {
    let mut found: Vec<String> = Vec::new();
    let mut files = Vec::new();
    let mut folders = Vec::new();
    for pattern in wanted {
        let text = checked(pattern, place)?;
        if !text.contains(['*', '?', '[', '{']) {
            found.push(text.trim_end_matches('/').to_owned());
        } else if text.ends_with('/') {
            folders.push(pattern);
        } else {
            files.push(pattern);
        }
    }
    let unwanted = globs(unwanted.iter(), place)?;
    if !files.is_empty() || !folders.is_empty() {
        let files = globs(files.into_iter(), place)?;
        let folders = globs(folders.into_iter(), place)?;
        walk(root, &mut |relative, is_folder| {
            let set = if is_folder { &folders } else { &files };
            if set.is_match(relative) {
                found.push(relative.to_owned());
            }
        })?;
    }
    found.retain(|path| !unwanted.is_match(path));
    found.sort();
    found.dedup();
    Ok(found)
}

/// Files under `root` that a configuration's globs may match, sorted, relative, with `/`.
///
/// # Errors
/// When a folder cannot be read.
pub fn searched(root: Root<'_>) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    walk(root, &mut |relative, is_folder| {
        if !is_folder {
            found.push(relative.to_owned());
        }
    })?;
    found.sort();
    Ok(found)
}

/// Tell every file and folder under `root` but hidden and skipped ones, virtual environments and, where
/// asked, what Git ignores. Links are told and not followed, so that none leads round in a circle.
fn walk(root: Root<'_>, tell: &mut dyn FnMut(&str, bool)) -> Result<(), Error> {
    let start = if root.folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        root.folder
    };
    let walk = ignore::WalkBuilder::new(start)
        .standard_filters(false)
        .hidden(true)
        .git_ignore(root.respects_gitignore)
        .git_exclude(root.respects_gitignore)
        // A tree that is no repository yet has rules of its own folders, not those of folders above.
        .parents(root.respects_gitignore && is_in_repository(start))
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| {
            entry.depth() == 0
                || !(SKIPPED.iter().any(|name| entry.file_name() == *name)
                    || is_virtual_environment(entry))
        })
        .build();
    for entry in walk {
        let entry = entry.map_err(|error| Error::Read {
            kind: "folder",
            name: start.display().to_string(),
            reason: error.into(),
        })?;
        let Ok(relative) = entry.path().strip_prefix(start) else {
            continue;
        };
        // A name that is no UTF-8 cannot be matched by a pattern.
        let Some(relative) = relative.to_str().filter(|text| !text.is_empty()) else {
            continue;
        };
        let relative = if cfg!(windows) {
            relative.replace('\\', "/")
        } else {
            relative.to_owned()
        };
        tell(&relative, entry.path().is_dir());
    }
    Ok(())
}

/// Whether `entry` is the folder of a Python virtual environment, whatever its name.
fn is_virtual_environment(entry: &ignore::DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir()) && entry.path().join("pyvenv.cfg").is_file()
}

fn is_in_repository(folder: &Path) -> bool {
    let whole = PathBuf::from(crate::files::current_folder()).join(folder);
    whole.ancestors().any(|folder| folder.join(".git").exists())
}

/// The pattern's text, which may not leave the configuration's folder.
fn checked<'a>(pattern: &'a Spanned<String>, place: &Place<'_>) -> Result<&'a str, Error> {
    let text = pattern.get_ref().as_str();
    let text = text.strip_prefix("./").unwrap_or(text);
    if text.is_empty() {
        return Err(place.fault(pattern.span(), "a glob is empty"));
    }
    if Path::new(text).is_absolute() || text.split('/').any(|part| part == "..") {
        return Err(place.fault(
            pattern.span(),
            "a glob is relative to the configuration and stays below it",
        ));
    }
    Ok(text)
}

fn globs<'a>(
    patterns: impl Iterator<Item = &'a Spanned<String>>,
    place: &Place<'_>,
) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let text = checked(pattern, place)?.trim_end_matches('/');
        let glob = GlobBuilder::new(text)
            .literal_separator(true)
            .build()
            .map_err(|error| {
                place.fault(pattern.span(), format!("not a glob: {}", error.kind()))
            })?;
        set.add(glob);
    }
    set.build().map_err(|error| Error::Unusable {
        name: place.name.to_owned(),
        path: String::new(),
        reason: format!("the globs together are too large: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        for (text, input, expected) in [
            ("{dir}/source.md", "a/b/card.md", "a/b/source.md"),
            (
                "{stem}.txt of {name}",
                "a/{dir}.md",
                "{dir}.txt of {dir}.md",
            ),
            ("{input}", "a/b/", "a/b"),
            ("{dir}", "x.md", "."),
            ("{other} {", "x.md", "{other} {"),
            ("{stem}", ".hidden", ".hidden"),
        ] {
            assert_eq!(filled(text, input), expected, "{text}");
        }
    }
}
