//! `gatewright shims`: write the thin entry scripts into a skill.
//!
//! The scripts are the files of `python/gatewright/shims`, embedded. Ours is what equals a text that
//! some version wrote, apart from a header of comments that a user put above it, which is kept. A
//! file that is not ours is overwritten with `--force` alone, and one that offers options or functions
//! which ours lacks with `--replace-different`. All files are checked before the first is written.

use super::completed::script_names;
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

/// SHA-256 of every text that some version wrote as an entry script, today's included.
const WRITTEN: &[&str] = &[
    "0d334e45629eab736e21778db3c673dd2972640838c869a5f0794a4994fcdd69",
    "1b009559a7de06aa574007e2679c1faf792d8674d19c8a183497fe416e0d4e4d",
    "1edc2d3a89069c432ec2c436f8cbae610590bd44b2f01a3d62b1cbf303d408bc",
    "2037c5be06bdf2a46445b56c95dcb48254f805598d2f2bc04ad62f229485f8f8",
    "23a49bf162f951c065f7e1f952779bc5afc8043e2a02c831325a0fe55076e510",
    "250af780e0c9b79844b7f2c3867285eadef4930cc29fd40efcda7d89d9a2456f",
    "30edbc2476b26e115c83314e12fbb9740e278b5ea4d44e328dadbc5b67e4c35e",
    "31ccf9a282d6873c256c4cf0577ad5bb2ce60a8ec5aadf778d566cb2b73cfeb8",
    "45437ccce1a057a2eaa6011cd31c0de8fc1596a88721b4559061c93d175bb6db",
    "4870ef68593ea29c6b0c65ac0437ff6755af8e2ea875191a28d213214baf7ddd",
    "4f15359c121306502669707e53d7d025475605b0e9f542a4d6cb0b65bcb610da",
    "5f258d2be1b5a23972afe793f8c49511a3a0532066edf99124ba2f6d36479c13",
    "6389e84f8c34f1400e2c37086ef29afee6f58430f7d9833d5718b6105b09a320",
    "72c4c35167e0b578e8f5facf83d5362b20e92f3f7372e53172f17365e298fd03",
    "742b924053acc1a6436773268782e4e4f67db429448bfff98a8ca2aeecd52f21",
    "74c0c65d82b416d3e51e4b9723938816823925d80b454b4b1f8802f95cd78c9e",
    "8c955bf1371483c809502bdea71cb253112559dcedbc31309a1187324a4e2a4f",
    "94270cfb3b4654c869d52457e7197087290fe934371950d4e56df5dc8fa1d408",
    "94d509780363c4942d0c0b493a99ab072f0b4779f42be1106cef2f1f22fd10dd",
    "968fc0c6b8377ca34aaf6c08d3a0c99ffa9d7df9fec3513972a724426c198ed8",
    "98ff56eafa2d544b1999454571d04a640418e2d69f79cd74221d2fccf8ddee23",
    "a8dfb4d1276401350674304dc4108e9fb1f9da8c0fe2391d29b64a9ce31cb405",
    "ab24d3a16d0d39c65edd58ee5e07e27764e6969354f40eb75a9bbc6d13783d0a",
    "c1473d0ce06e5c884272c852e3dc7ad2815083aefd4b9994e03b2879eda94e73",
    "d7e679c8e19f9f56ea3fe24a813dfdf388308482f7f06a2b8eff1ab4f2f85272",
    "e5ce2390a180ef8c890b5fc1b1cb9d0c5fcafa5efa6a280550bea7d769738847",
    "e5f7929a63cfa245545b1abcd2a028346a67707f6d36205b098d1bf3b5631604",
    "f9b52baaef07b00d8a3208d34c74981046b1fdd993b2b87475af7ec256350606",
];

/// Lines of a header that are looked at; a longer one makes a file somebody else's.
const MAX_HEADER_LINES: usize = 60;

/// Whether the script `bytes` is one that we wrote, in any version, with or without a header of
/// comments that somebody put above it.
pub fn is_ours(bytes: &[u8]) -> bool {
    header_of(bytes).is_some()
}

/// The header that somebody put into one of our texts, empty when there is none; nothing when the
/// text is not ours.
fn header_of(bytes: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let is_comment = |line: &&&[u8]| {
        let text = line.trim_ascii();
        text.is_empty() || text.starts_with(b"#")
    };
    let count = lines.iter().take_while(is_comment).count();
    if count > MAX_HEADER_LINES {
        return None;
    }
    // Most files have no header: the empty one comes first.
    for len in 0..=count {
        for start in usize::from(len > 0)..=count.saturating_sub(len) {
            let (before, rest) = lines.split_at_checked(start)?;
            let (header, after) = rest.split_at_checked(len)?;
            if is_written([before.concat(), after.concat()].concat().as_slice()) {
                return Some(header.concat());
            }
            if len == 0 {
                break;
            }
        }
    }
    None
}

fn is_written(bytes: &[u8]) -> bool {
    SHIMS.iter().any(|(_, content)| content.as_bytes() == bytes)
        || WRITTEN.contains(&crate::digest::sha256_hex(bytes).as_str())
}

/// Write entry scripts.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub struct Arguments {
    /// Folder of the skill's scripts, made when it is not there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Scripts to write, with or without ending; all of them when none is named.
    #[arg(value_name = "NAME", value_parser = script_names(), hide_possible_values = true)]
    names: Vec<String>,
    /// Overwrite files that gatewright did not write.
    #[arg(long)]
    force: bool,
    /// With --force, overwrite also scripts with options or functions that ours lack.
    #[arg(long, requires = "force")]
    replace_different: bool,
    /// Say what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Write only the scripts that are there.
    #[arg(long)]
    existing: bool,
}

/// One script and what becomes of it.
struct Step {
    path: PathBuf,
    content: Vec<u8>,
    state: &'static str,
}

/// Write the scripts and list them.
///
/// # Errors
/// When a name is unknown, a foreign file, a different script or a folder stands in the way, or a
/// file cannot be written; nothing is written in all cases but the last.
pub fn run(arguments: &Arguments, _context: &Context<'_>) -> Result<Answer, Error> {
    let steps = plan(arguments)?;
    let failed = |path: &Path, fault: &std::io::Error| Error::Write {
        name: path.display().to_string(),
        reason: fault.into(),
    };
    if !arguments.dry_run && !steps.is_empty() {
        std::fs::create_dir_all(&arguments.folder)
            .map_err(|fault| failed(&arguments.folder, &fault))?;
    }
    let mut out = String::new();
    for step in &steps {
        if !arguments.dry_run {
            let written = match step.state {
                "unchanged" => Ok(()),
                "written" => crate::files::write_executable(&step.path, &step.content),
                _ => crate::files::write_atomic(&step.path, &step.content),
            };
            written.map_err(|fault| failed(&step.path, &fault))?;
        }
        let would = if arguments.dry_run { "would be " } else { "" };
        let _ = writeln!(out, "{would}{} {}", step.state, step.path.display());
    }
    Ok(Answer::Text {
        stdout: out,
        stderr: schema_note(&arguments.folder).unwrap_or_default(),
        status: 0,
    })
}

/// What would be written; every file is looked at.
fn plan(arguments: &Arguments) -> Result<Vec<Step>, Error> {
    let mut steps = Vec::new();
    let (mut foreign, mut different, mut blocked) = (Vec::new(), Vec::new(), Vec::new());
    for (name, content) in choose(&arguments.names)? {
        let path = arguments.folder.join(name);
        let shown = format!("`{}`", path.display());
        if std::fs::symlink_metadata(&path).is_err() {
            if !arguments.existing {
                let content = content.as_bytes().to_vec();
                let state = "written";
                steps.push(Step {
                    path,
                    content,
                    state,
                });
            }
            continue;
        }
        let is_plain = std::fs::metadata(&path).is_ok_and(|about| about.is_file());
        let Some(old) = is_plain.then(|| crate::files::read(&path).ok()).flatten() else {
            blocked.push(shown);
            continue;
        };
        let header = header_of(&old);
        if header.is_none() {
            let lacking = lacking(name, content, &old);
            if !arguments.force {
                foreign.push(shown);
            } else if !lacking.is_empty() && !arguments.replace_different {
                different.push(format!("{shown} has {}", lacking.join(", ")));
            }
        }
        let content = with_header(content, &header.unwrap_or_default());
        let state = if content == old {
            "unchanged"
        } else {
            "replaced"
        };
        steps.push(Step {
            path,
            content,
            state,
        });
    }
    if !blocked.is_empty() {
        return Err(Error::Usage(format!(
            "no plain file that can be read, so not overwritten: {} (move them away)",
            blocked.join(", ")
        )));
    }
    if !foreign.is_empty() {
        return Err(Error::Usage(format!(
            "not written by gatewright, so not overwritten: {} (move them away, or pass --force to replace them)",
            foreign.join(", ")
        )));
    }
    if !different.is_empty() {
        return Err(Error::Usage(format!(
            "another script of the same name, with what ours lacks: {} (keep it, or pass --replace-different as well)",
            different.join("; ")
        )));
    }
    Ok(steps)
}

/// `content` with `header` after its first line.
fn with_header(content: &str, header: &[u8]) -> Vec<u8> {
    let (first, rest) = content.split_at(content.find('\n').map_or(0, |at| at + 1));
    [first.as_bytes(), header, rest.as_bytes()].concat()
}

/// Options and public functions of the script `old` that ours, called `name`, does not have.
fn lacking(name: &str, content: &str, old: &[u8]) -> Vec<String> {
    let Some(spec) = crate::dropin::find(name) else {
        return Vec::new();
    };
    let old = String::from_utf8_lossy(old);
    let mut out = Vec::new();
    // An option is a string literal that is nothing but its name.
    for literal in old.split(['"', '\'']) {
        let is_name = literal.len() > 2
            && literal.strip_prefix("--").is_some_and(|rest| {
                rest.bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
            });
        if is_name && literal != "--help" && spec.options.iter().all(|ours| ours.flag != literal) {
            out.push(format!("option `{literal}`"));
        }
    }
    for line in old.lines() {
        let defined = line
            .strip_prefix("def ")
            .or_else(|| line.strip_prefix("async def "));
        let Some((function, _)) = defined.and_then(|rest| rest.split_once('(')) else {
            continue;
        };
        let function = function.trim();
        let is_offered = content.contains(&format!(" import {function} as {function}\n"))
            || content.contains(&format!("    {function} as {function},\n"));
        if !function.starts_with('_') && !is_offered {
            out.push(format!("function `{function}`"));
        }
    }
    out.sort();
    out.dedup();
    out
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_is_what_some_version_wrote_with_or_without_a_header() {
        for (name, content) in SHIMS {
            assert_eq!(header_of(content.as_bytes()), Some(Vec::new()), "{name}");
            let header = b"# Copyright somebody\n#\n";
            let headed = with_header(content, header);
            assert_eq!(header_of(&headed).as_deref(), Some(&header[..]), "{name}");
            let changed = format!("{content}print(1)\n");
            assert!(!is_ours(changed.as_bytes()), "{name}");
        }
        assert!(!is_ours(b"# Entry script of gatewright\nprint('mine')\n"));
    }

    #[test]
    fn what_ours_lacks_is_named() {
        let content = SHIMS[4].1;
        let old = b"def reconcile(a):\ndef tally(b):\ndef _own():\nadd(\"--manifest\")\nadd('--clusters')\n";
        assert_eq!(
            lacking("reconcile_counts.py", content, old),
            ["function `tally`", "option `--clusters`"]
        );
    }
}
