//! The drop-in commands: arguments in, the recorded texts, files and statuses out.
//!
//! Each command is a [`Spec`] in a file of its own. The common, well-formed call is parsed here;
//! every other call (help, usage errors, abbreviations) goes to Python's own `argparse`, built from
//! the same [`Spec`] by `gatewright._argparse`, which is exact for free. A command never prints:
//! it returns a [`Completion`].

pub mod build_checker_plan;
pub mod coverage;
pub mod emit_verdict;
mod ledger_files;
pub mod merge_checker_results;
pub mod reconcile_counts;
pub mod recount;
pub mod render_readback;
pub mod room;
pub mod scorecard;
pub mod validate_framework;
pub mod verify_finding_quotes;
pub mod words;

pub use room::source_path;

use crate::value::Text;
use crate::value::json::Dialect;
use crate::world::World;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What a command did: exit status and the bytes for the two streams.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Exit status.
    pub status: u8,
    /// Standard output, UTF-8.
    pub stdout: Vec<u8>,
    /// Standard error, UTF-8.
    pub stderr: Vec<u8>,
}

impl Completion {
    /// Nothing said, with the status that shells show for a process that Ctrl-C ended.
    pub fn interrupted() -> Self {
        Self {
            status: 130,
            ..Self::default()
        }
    }

    /// A completion that only says one line on standard error.
    pub fn fail(status: u8, line: &Text<'_>) -> Self {
        let mut stderr = crate::text::python::backslash_replaced(line);
        stderr.push(b'\n');
        Self {
            status,
            stdout: Vec::new(),
            stderr,
        }
    }

    /// Append a line to standard error; lone surrogates as Python's standard error shows them.
    pub fn push_stderr(&mut self, line: &Text<'_>) {
        self.stderr
            .extend_from_slice(&crate::text::python::backslash_replaced(line));
        self.stderr.push(b'\n');
    }

    /// Append a line to standard output; bytes of a path that are not UTF-8 as they were.
    ///
    /// # Errors
    /// [`LoneSurrogate`] when the line cannot be written as UTF-8.
    pub fn push_stdout(&mut self, line: &Text<'_>) -> Result<(), LoneSurrogate> {
        let line = crate::text::python::surrogate_escaped(line).ok_or(LoneSurrogate)?;
        self.stdout.extend_from_slice(&line);
        self.stdout.push(b'\n');
        Ok(())
    }
}

/// A text that should be printed or written holds a lone surrogate, which UTF-8 cannot carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoneSurrogate;

/// One option of a drop-in command.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// The flag with its dashes, e.g. `--draft-hash`.
    pub flag: &'static str,
    /// What `--help` says; none for options without help text.
    pub help: Option<&'static str>,
    /// How it takes its value.
    pub kind: OptKind,
}

impl Opt {
    /// An option that must be given and that help lists without a word.
    pub const fn required(flag: &'static str) -> Self {
        Self {
            flag,
            help: None,
            kind: OptKind::Required,
        }
    }
}

/// How an option takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptKind {
    /// Must be given, with a value.
    Required,
    /// May be given, with a value; `default` is the text used otherwise.
    Optional {
        /// Value when the option is absent; none leaves it unset.
        default: Option<&'static str>,
    },
    /// May be given, with one of these values; the first is the default.
    Choice(&'static [&'static str]),
    /// A flag without value.
    Switch,
}

/// A drop-in command.
pub struct Spec {
    /// Console name, e.g. `emit-verdict`.
    pub name: &'static str,
    /// Script file name, e.g. `emit-verdict.py`: the `prog` of usage lines.
    pub script: &'static str,
    /// The description that `--help` shows.
    pub description: &'static str,
    /// Options in the order `--help` lists them.
    pub options: &'static [Opt],
    /// Exit status of `--help`: 2 for commands that return it, else 0.
    pub help_status: u8,
    /// The command.
    pub run: fn(&Call<'_>) -> Completion,
}

impl std::fmt::Debug for Spec {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Spec({})", self.name)
    }
}

/// One parsed call.
pub struct Call<'w> {
    /// The command.
    pub spec: &'static Spec,
    /// Values in the order of `spec.options`; a switch that is on holds an empty value.
    pub values: Vec<Option<OsString>>,
    /// The entry script, when one was run; the console command and the package have none.
    pub script: Option<PathBuf>,
    /// Which Python's words JSON faults are told in.
    pub dialect: Dialect,
    /// Environment, clock, interruption.
    pub world: &'w dyn World,
}

impl Call<'_> {
    /// The value of `flag` as given; nothing when absent without default.
    pub fn value(&self, flag: &str) -> Option<&OsStr> {
        let at = self
            .spec
            .options
            .iter()
            .position(|option| option.flag == flag)?;
        self.values.get(at)?.as_deref()
    }

    /// The value of `flag` as a path; empty when absent.
    pub fn path(&self, flag: &str) -> &Path {
        Path::new(self.value(flag).unwrap_or_default())
    }

    /// The value of `flag` as Python's `str` shows it; empty when absent.
    pub fn text(&self, flag: &str) -> Text<'static> {
        crate::files::display(self.value(flag).unwrap_or_default())
    }

    /// The value of `flag` as the path that Python's `pathlib` makes of it; `.` when absent.
    pub fn python_path(&self, flag: &str) -> PathBuf {
        crate::files::python_path(self.value(flag).unwrap_or_default())
    }

    /// Whether a switch is on.
    pub fn is_on(&self, flag: &str) -> bool {
        self.value(flag).is_some()
    }

    /// The folder of the entry script.
    pub fn script_folder(&self) -> Option<&Path> {
        self.script.as_deref().and_then(Path::parent)
    }

    /// The refusal of an input the recorded program crashed on: one line that names the script,
    /// the file, the place inside it (empty for the whole) and why.
    pub fn refuse(&self, status: u8, file: &Text<'_>, place: &str, reason: &str) -> Completion {
        let mut line = crate::text::python::Line::new()
            .plain(self.spec.script)
            .plain(": cannot use ")
            .text(file);
        if !place.is_empty() {
            line = line.plain(" at ").plain(place);
        }
        Completion::fail(status, &one_line(&line.plain(": ").plain(reason).done()))
    }
}

/// Run `work`; should it panic, say so in one line with status 2: a gate that failed inside has
/// decided nothing and must not pass.
pub fn guarded(name: &str, work: impl FnOnce() -> Completion) -> Completion {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|cause| {
        let words = cause.downcast_ref::<&str>().copied();
        let words = words.or_else(|| cause.downcast_ref::<String>().map(String::as_str));
        let words = words.map(|words| format!(": {words}")).unwrap_or_default();
        let line = format!(
            "{name}: internal failure, nothing was decided; please report it with the input{words}"
        );
        Completion::fail(2, &one_line(&Text::from(line)))
    })
}

/// `text` with its line ends escaped, so that a refusal stays one line whatever the input holds.
pub fn one_line(text: &Text<'_>) -> Text<'static> {
    let mut out = Vec::with_capacity(text.as_bytes().len());
    for code_point in text.code_points() {
        match code_point {
            0x0A => out.extend_from_slice(b"\\n"),
            0x0D => out.extend_from_slice(b"\\r"),
            0x0B | 0x0C | 0x1C..=0x1E | 0x85 | 0x2028 | 0x2029 => {
                out.extend_from_slice(format!("\\u{code_point:04x}").as_bytes());
            }
            _ => crate::text::push_code_point(&mut out, code_point),
        }
    }
    Text::from_wtf8(std::borrow::Cow::Owned(out))
}

/// Every drop-in command with options. The scorecard command takes positional arguments and has an
/// entry of its own.
pub fn specs() -> &'static [&'static Spec] {
    static SPECS: &[&Spec] = &[
        &build_checker_plan::SPEC,
        &emit_verdict::SPEC,
        &merge_checker_results::SPEC,
        &reconcile_counts::SPEC,
        &recount::SPEC,
        &render_readback::SPEC,
        &validate_framework::SPEC,
        &verify_finding_quotes::SPEC,
    ];
    SPECS
}

/// The command called `name`, which may end in `.py`.
pub fn find(name: &str) -> Option<&'static Spec> {
    specs()
        .iter()
        .copied()
        .find(|spec| spec.name == name || spec.script == name)
}

/// Values of `arguments` when the call is of the common shape: full option names, each with a
/// value that does not begin with a dash, all required ones there. Nothing means `argparse` must
/// look at it.
pub fn parse_common(spec: &Spec, arguments: &[OsString]) -> Option<Vec<Option<OsString>>> {
    let mut values: Vec<Option<OsString>> = spec
        .options
        .iter()
        .map(|option| match option.kind {
            OptKind::Optional { default } => default.map(OsString::from),
            OptKind::Choice(choices) => choices.first().map(OsString::from),
            OptKind::Required | OptKind::Switch => None,
        })
        .collect();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let argument = argument.to_str()?;
        let (flag, inline) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(OsString::from(value))),
            None => (argument, None),
        };
        let at = spec.options.iter().position(|option| option.flag == flag)?;
        let option = spec.options.get(at)?;
        let value = match (option.kind, inline) {
            (OptKind::Switch, None) => OsString::new(),
            (OptKind::Switch, Some(_)) => return None,
            (_, Some(value)) => value,
            (_, None) => {
                let value = rest.next()?;
                // A leading dash is an option, a negative number or a fault: argparse knows.
                if value.as_encoded_bytes().first() == Some(&b'-') {
                    return None;
                }
                value.clone()
            }
        };
        if let OptKind::Choice(choices) = option.kind
            && !choices.iter().any(|choice| value == *choice)
        {
            return None;
        }
        *values.get_mut(at)? = Some(value);
    }
    let is_complete = spec
        .options
        .iter()
        .zip(&values)
        .all(|(option, value)| option.kind != OptKind::Required || value.is_some());
    is_complete.then_some(values)
}

/// Why an input could not be read, in Python's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadFault {
    /// The file could not be opened or read: `[Errno 2] No such file or directory: 'x'`.
    Os {
        /// The words.
        words: String,
        /// Whether the file does not exist.
        is_missing: bool,
    },
    /// The bytes are not UTF-8.
    Decode(String),
    /// The text is not JSON, in `json.JSONDecodeError`'s words.
    Syntax(String),
    /// Python would read it, but it is beyond our bounds (nesting).
    Refused(String),
}

impl ReadFault {
    /// Whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::Os {
                is_missing: true,
                ..
            }
        )
    }

    /// The words alone.
    pub fn words(&self) -> &str {
        match self {
            Self::Os { words, .. }
            | Self::Decode(words)
            | Self::Syntax(words)
            | Self::Refused(words) => words,
        }
    }
}

/// The bytes of a file.
///
/// # Errors
/// [`ReadFault::Os`].
pub fn read_bytes(path: &Path, shown: &Text<'_>) -> Result<Vec<u8>, ReadFault> {
    crate::files::read(path).map_err(|error| ReadFault::Os {
        words: crate::text::python::os_error(&error, shown),
        is_missing: error.kind() == std::io::ErrorKind::NotFound,
    })
}

/// The JSON value in `bytes`.
///
/// # Errors
/// [`ReadFault`] for bytes that are not UTF-8 and text that is not JSON.
pub fn parse_json(bytes: &[u8], dialect: Dialect) -> Result<crate::value::Value<'_>, ReadFault> {
    let text = crate::text::python::decode_utf8(bytes).map_err(ReadFault::Decode)?;
    crate::value::json::parse(text).map_err(|fault| {
        let words = fault.message(text, dialect);
        if fault.is_refusal() {
            ReadFault::Refused(words)
        } else {
            ReadFault::Syntax(words)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    static SAMPLE: Spec = Spec {
        name: "sample",
        script: "sample.py",
        description: "",
        options: &[
            Opt::required("--in"),
            Opt {
                flag: "--out",
                help: None,
                kind: OptKind::Optional { default: Some("d") },
            },
            Opt {
                flag: "--on",
                help: None,
                kind: OptKind::Switch,
            },
            Opt {
                flag: "--pick",
                help: None,
                kind: OptKind::Choice(&["auto", "plain"]),
            },
        ],
        help_status: 0,
        run: |_| Completion::default(),
    };

    fn parsed(arguments: &[&str]) -> Option<Vec<Option<String>>> {
        let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
        let values = parse_common(&SAMPLE, &arguments)?;
        Some(
            values
                .into_iter()
                .map(|value| value.map(|value| value.into_string().unwrap()))
                .collect(),
        )
    }

    #[test]
    fn the_common_shape_is_parsed_and_everything_else_is_left_to_argparse() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            parsed(&["--in", "a", "--in=b=c", "--on"]),
            Some(vec![some("b=c"), some("d"), some(""), some("auto")])
        );
        for odd in [
            &["--out", "x"][..],
            &["--in"],
            &["--in", "-x"],
            &["--i", "x"],
            &["-h"],
            &["--in", "x", "stray"],
            &["--in", "x", "--on=1"],
            &["--in", "x", "--pick", "other"],
            &["--in", "x", "--"],
        ] {
            assert_eq!(parsed(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn a_panic_ends_as_one_line_and_status_2() {
        let completion = guarded("sample.py", || panic!("stray"));
        assert_eq!(completion.status, 2);
        assert!(completion.stdout.is_empty());
        let said = String::from_utf8_lossy(&completion.stderr).into_owned();
        assert!(said.starts_with("sample.py: internal failure"), "{said}");
        assert!(said.ends_with(": stray\n"), "{said}");
        // Words on more lines stay on one.
        let completion = guarded("sample.py", || panic!("a\n{}", 'b'));
        assert!(completion.stderr.ends_with(b": a\\nb\n"));
        assert_eq!(memchr::memchr_iter(b'\n', &completion.stderr).count(), 1);
    }

    #[test]
    fn refusals_are_one_line() {
        let text = one_line(&Text::borrowed("a\nb\u{2028}c\r"));
        assert_eq!(text, "a\\nb\\u2028c\\r");
    }
}
