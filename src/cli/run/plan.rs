//! From a configuration to jobs: globs to inputs, options to command lines, each checked against
//! the command tree before anything runs.

use super::config::{Config, Entry, OptionValue, Place};
use crate::error::Error;
use crate::files;
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use toml::Spanned;

/// Folders that are never searched besides hidden ones.
const SKIPPED: [&str; 2] = ["node_modules", "target"];

/// Options that a configuration cannot give: a run does not change what it judges.
const NOT_CONFIGURED: [&str; 2] = ["help", "fix"];

/// Options that name a program to start, or a folder of programs.
pub(super) const PROGRAMS: [&str; 3] = ["gate", "plugin-root", "python"];

/// Options that name a file or folder to write.
pub(super) const WRITTEN: [&str; 5] = ["into", "out", "out-dir", "verdict-dir", "write"];

/// Options whose values are `NAME=PATH`.
const NAMED_PATHS: [&str; 2] = ["gate", "gate-result"];

/// Whether a configuration may start programs and write outside of its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// The command line or the user's own settings said so, or nothing is run.
    Given,
    /// Nobody said so.
    Missing,
}

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

/// The jobs of `config`, whose paths are relative to `root`, and what the globs left out; `on_empty` says
/// what a gate without inputs means.
///
/// # Errors
/// With the place in the configuration: an unknown gate or option, a glob that is none or that
/// matches nothing, an option value of the wrong kind, a program without permission.
pub fn jobs(
    config: &Config,
    place: &Place<'_>,
    root: &Path,
    on_empty: OnEmpty,
    permission: Permission,
) -> Result<(Vec<Job>, LeftOut), Error> {
    let tree = crate::cli::command();
    let mut jobs = Vec::new();
    let mut planner = Planner {
        place,
        root: Root {
            folder: root,
            respects_gitignore: config.respect_gitignore.unwrap_or(true),
        },
        on_empty,
        permission,
        left_out: LeftOut::default(),
    };
    for spanned in &config.gate {
        let entry = spanned.get_ref();
        let leaf = leaf(&tree, entry, place)?;
        jobs.extend(planner.entry_jobs(&leaf, entry)?);
    }
    Ok((jobs, planner.left_out))
}

/// What holds for every entry of a configuration, and what its globs left out.
struct Planner<'p> {
    place: &'p Place<'p>,
    root: Root<'p>,
    on_empty: OnEmpty,
    permission: Permission,
    left_out: LeftOut,
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

impl Planner<'_> {
    fn entry_jobs(&mut self, leaf: &Command, entry: &Entry) -> Result<Vec<Job>, Error> {
        let place = self.place;
        let inputs = self.matched(&entry.inputs, &entry.exclude)?;
        if inputs.is_empty() && !entry.inputs.is_empty() {
            if entry.may_be_empty || self.on_empty == OnEmpty::Skip {
                return Ok(Vec::new());
            }
            let span = entry.inputs.first().map_or(0..0, Spanned::span);
            let left_out = match self.left_out.told() {
                Some(told) => format!(" ({told})"),
                None => String::new(),
            };
            let reason = if self.left_out.0.contains_key(&Unseen::Ignored) {
                "`inputs` matches only what .gitignore names; set respect-gitignore = false at the top, or name the files without wildcards"
            } else {
                "no file matches `inputs`; set may-be-empty = true if that is fine"
            };
            return Err(place.fault(span, format!("{reason}{left_out}")));
        }
        let depends: Vec<PathBuf> = self
            .matched(&entry.depends, &[])?
            .iter()
            .map(|path| joined(self.root.folder, path))
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
            .map(|inputs| self.job(leaf, entry, &inputs, is_fanned, &depends))
            .collect()
    }

    /// A program, or an output elsewhere, needs somebody's permission besides the configuration's.
    fn permitted(&self, key: &Spanned<String>, does: &str) -> Result<(), Error> {
        if self.permission == Permission::Given {
            return Ok(());
        }
        let settings = super::secret::settings_path().map_or_else(String::new, |path| {
            format!(", or list its folder under `trusted` in {}", path.display())
        });
        Err(self.place.fault(
            key.span(),
            format!(
                "`{}` {does}, which a configuration alone may not: look at it, then give --allow-programs{settings}",
                key.get_ref()
            ),
        ))
    }

    fn job(
        &self,
        leaf: &Command,
        entry: &Entry,
        inputs: &[String],
        is_fanned: bool,
        depends: &[PathBuf],
    ) -> Result<Job, Error> {
        let (place, root) = (self.place, self.root.folder);
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
            if PROGRAMS.contains(&name) {
                self.permitted(key, "starts programs")?;
            }
            let is_path = is_path(arg);
            let mut push = |text: &str| {
                let filled = filled(text, inputs.first().map_or("", String::as_str));
                let value = if is_path {
                    let path = joined(root, &filled);
                    if WRITTEN.contains(&name) && !is_within(root, &path) {
                        self.permitted(key, "writes outside the configuration's folder")?;
                    }
                    paths.push(path.clone());
                    path.into_os_string()
                } else if let Some((before, path)) = filled
                    .split_once('=')
                    .filter(|_| NAMED_PATHS.contains(&name))
                {
                    let mut value = OsString::from(format!("{before}="));
                    value.push(joined(root, path));
                    value
                } else if name == "python" && filled.contains(std::path::is_separator) {
                    // A bare name is looked for on the search path.
                    joined(root, &filled).into_os_string()
                } else {
                    OsString::from(filled)
                };
                // One word, so that a value with a leading dash stays a value.
                let mut word = OsString::from(format!("--{name}="));
                word.push(value);
                words.push(word);
                Ok::<(), Error>(())
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
                (OptionValue::Number(number), false) => push(&number.to_string())?,
                (OptionValue::Text(text), false) => push(text)?,
                (OptionValue::Many(texts), false) => {
                    texts.iter().try_for_each(|text| push(text))?;
                }
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
}

/// Whether `path` comes to lie below `root`, links resolved.
fn is_within(root: &Path, path: &Path) -> bool {
    files::resolve(path).starts_with(files::resolve(root))
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

impl Planner<'_> {
    /// Paths under the root that match a glob of `wanted` and none of `unwanted`, sorted, each once.
    /// A pattern without wildcards is taken as it is, whether or not it exists, so that the gate says
    /// what is wrong with it.
    fn matched(
        &mut self,
        wanted: &[Spanned<String>],
        unwanted: &[Spanned<String>],
    ) -> Result<Vec<String>, Error> {
        let place = self.place;
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
            let above = above(files.iter().chain(&folders).copied(), place)?;
            let files = globs(files.into_iter(), place)?;
            let folders = globs(folders.into_iter(), place)?;
            let might_match = |relative: &str, is_folder: bool| {
                let set = if is_folder { &folders } else { &files };
                (set.is_match(relative) || is_folder && above.is_match(relative))
                    && !unwanted.is_match(relative)
            };
            let left_out = &mut self.left_out;
            walk(
                self.root,
                &mut |relative, is_folder| {
                    let set = if is_folder { &folders } else { &files };
                    if set.is_match(relative) {
                        found.push(relative.to_owned());
                    }
                },
                &mut |why, relative, is_folder| {
                    if might_match(&relative.to_string_lossy(), is_folder) {
                        left_out.add(why, relative);
                    }
                },
            )?;
            if self.root.respects_gitignore {
                // Whoever writes the work may write a .gitignore, too.
                let known: BTreeSet<&String> = found.iter().collect();
                let everything = Root {
                    respects_gitignore: false,
                    ..self.root
                };
                walk(
                    everything,
                    &mut |relative, is_folder| {
                        let set = if is_folder { &folders } else { &files };
                        if set.is_match(relative)
                            && !unwanted.is_match(relative)
                            && !known.contains(&relative.to_owned())
                        {
                            left_out.add(Unseen::Ignored, Path::new(relative));
                        }
                    },
                    &mut |_, _, _| {},
                )?;
            }
        }
        found.retain(|path| !unwanted.is_match(path));
        found.sort();
        found.dedup();
        Ok(found)
    }
}

/// Globs of the folders in which files of `patterns` may lie.
fn above<'a>(
    patterns: impl Iterator<Item = &'a Spanned<String>>,
    place: &Place<'_>,
) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let mut upper = checked(pattern, place)?.trim_end_matches('/');
        while let Some((rest, _)) = upper.rsplit_once('/') {
            upper = rest;
            // What a slash within braces cuts is no glob, and says nothing.
            if let Ok(glob) = GlobBuilder::new(upper).literal_separator(true).build() {
                set.add(glob);
            }
        }
    }
    too_large(set.build(), place)
}

/// Why a glob does not see a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unseen {
    /// Its name begins with a dot.
    Hidden,
    /// It is a folder of `SKIPPED`, or a virtual environment.
    Skipped,
    /// Git ignores it.
    Ignored,
    /// It is a link to a folder.
    Linked,
    /// Its name is no UTF-8.
    Undecodable,
}

impl Unseen {
    const fn word(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::Skipped => "in node_modules, target or a virtual environment",
            Self::Ignored => "that Git ignores",
            Self::Linked => "behind links to folders",
            Self::Undecodable => "with names that are not UTF-8",
        }
    }
}

/// What globs might have matched and did not look at.
#[derive(Debug, Default)]
pub struct LeftOut(BTreeMap<Unseen, BTreeSet<PathBuf>>);

impl LeftOut {
    fn add(&mut self, why: Unseen, relative: &Path) {
        self.0.entry(why).or_default().insert(relative.to_owned());
    }

    /// One line, with an example of each kind; nothing when nothing was left out.
    pub fn told(&self) -> Option<String> {
        let kinds: Vec<String> = self
            .0
            .iter()
            .filter_map(|(why, paths)| {
                let example = paths.first()?.to_string_lossy();
                Some(format!(
                    "{} {} ({}{})",
                    paths.len(),
                    why.word(),
                    crate::report::text::escaped(&crate::finding::excerpt(&example)),
                    if paths.len() > 1 { ", ..." } else { "" }
                ))
            })
            .collect();
        (!kinds.is_empty()).then(|| format!("left out by the globs: {}", kinds.join(", ")))
    }
}

/// Files under `root` that a configuration's globs may match, sorted, relative, with `/`.
///
/// # Errors
/// When a folder cannot be read.
pub fn searched(root: Root<'_>) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    walk(
        root,
        &mut |relative, is_folder| {
            if !is_folder {
                found.push(relative.to_owned());
            }
        },
        &mut |_, _, _| {},
    )?;
    found.sort();
    Ok(found)
}

/// Tell every file and folder under `root`; hidden and skipped ones, virtual environments, and what lies
/// behind links, are told apart. What Git ignores is passed over where that is asked. Links are told and
/// not followed, so that none leads round in a circle.
fn walk(
    root: Root<'_>,
    tell: &mut dyn FnMut(&str, bool),
    tell_unseen: &mut dyn FnMut(Unseen, &Path, bool),
) -> Result<(), Error> {
    let start = if root.folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        root.folder
    };
    // The walk wants a filter that outlives it, so what it turns away is noted, and told afterwards.
    let unseen: Arc<Mutex<Vec<(Unseen, PathBuf, bool)>>> = Arc::default();
    let noted = Arc::clone(&unseen);
    let walk = ignore::WalkBuilder::new(start)
        .standard_filters(false)
        .hidden(false)
        .git_ignore(root.respects_gitignore)
        .git_exclude(root.respects_gitignore)
        // A tree that is no repository yet has rules of its own folders, not those of folders above.
        .parents(root.respects_gitignore && is_in_repository(start))
        .require_git(false)
        .follow_links(false)
        .filter_entry(move |entry| {
            let Some(why) = unseen_by_name(entry) else {
                return true;
            };
            // The history of versions is no work.
            if entry.file_name() != ".git"
                && let Ok(mut noted) = noted.lock()
            {
                noted.push((why, entry.path().to_owned(), entry.path().is_dir()));
            }
            false
        })
        .build();
    for entry in walk {
        let entry = entry.map_err(|error| Error::Read {
            kind: "folder",
            name: start.display().to_string(),
            reason: error.into(),
        })?;
        let Ok(below) = entry.path().strip_prefix(start) else {
            continue;
        };
        if below.as_os_str().is_empty() {
            continue;
        }
        let is_folder = entry.path().is_dir();
        // A name that is no UTF-8 cannot be matched by a pattern.
        let Some(relative) = below.to_str() else {
            tell_unseen(Unseen::Undecodable, below, is_folder);
            continue;
        };
        let relative = if cfg!(windows) {
            relative.replace('\\', "/")
        } else {
            relative.to_owned()
        };
        if is_folder && entry.path_is_symlink() {
            tell_unseen(Unseen::Linked, below, true);
        }
        tell(&relative, is_folder);
    }
    if let Ok(unseen) = unseen.lock() {
        for (why, path, is_folder) in unseen.iter() {
            if let Ok(below) = path.strip_prefix(start) {
                tell_unseen(*why, below, *is_folder);
            }
        }
    }
    Ok(())
}

/// Why the walk turns an entry away by its name, if it does.
fn unseen_by_name(entry: &ignore::DirEntry) -> Option<Unseen> {
    if entry.depth() == 0 {
        return None;
    }
    let name = entry.file_name();
    if name.as_encoded_bytes().first() == Some(&b'.') {
        Some(Unseen::Hidden)
    } else if SKIPPED.iter().any(|skipped| name == *skipped) || is_virtual_environment(entry) {
        Some(Unseen::Skipped)
    } else {
        None
    }
}

/// Whether `entry` is the folder of a Python virtual environment, whatever its name.
fn is_virtual_environment(entry: &ignore::DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir()) && entry.path().join("pyvenv.cfg").is_file()
}

fn is_in_repository(folder: &Path) -> bool {
    let whole = PathBuf::from(files::current_folder()).join(folder);
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
    too_large(set.build(), place)
}

fn too_large(set: Result<GlobSet, globset::Error>, place: &Place<'_>) -> Result<GlobSet, Error> {
    set.map_err(|error| Error::Unusable {
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
