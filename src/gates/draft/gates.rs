//! The answers of the two gate programs, as a caller must read them.
//!
//! In: how a program ended and what it wrote, or a result given as a file. Out: status, exit code,
//! violations. A gate that could not run or whose answer cannot be read has failed; it never
//! passes. Running the programs is left to the command line.

use super::{Lang, count, object, text};
use crate::say;
use crate::value::Value;
use crate::value::json::parse;

/// Which gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// `mermaid-validate.py`.
    Diagrams,
    /// `doc-emit.py --check-screens`.
    Screens,
}

impl Gate {
    /// The name that findings use as a place.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Diagrams => "mermaid-validate.py",
            Self::Screens => "doc-emit.py --check-screens",
        }
    }

    /// The script's file name.
    pub const fn script(self) -> &'static str {
        match self {
            Self::Diagrams => "mermaid-validate.py",
            Self::Screens => "doc-emit.py",
        }
    }

    /// Arguments of the script, the draft being the working directory.
    pub const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Diagrams => &["--docs-dir", "."],
            Self::Screens => &[
                "--check-screens",
                "--extraction",
                "blueprint.json",
                "--out-dir",
                ".",
            ],
        }
    }

    /// The gate of a name as callers type it.
    pub fn of_name(name: &str) -> Option<Self> {
        let plain: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        match plain.as_str() {
            "mermaidvalidate" | "mermaidvalidatepy" | "mermaid" | "diagrams" | "c10" => {
                Some(Self::Diagrams)
            }
            "docemit"
            | "docemitpy"
            | "docemitcheckscreens"
            | "docemitpycheckscreens"
            | "checkscreens"
            | "screens"
            | "c11" => Some(Self::Screens),
            _ => None,
        }
    }
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It exited; a signal n is 128+n.
    Exited(i64),
    /// It ran longer than allowed and was stopped.
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// It wrote more than a gate can have to say and was stopped.
    TooMuch,
    /// It could not be started; the reason names no path.
    NotStarted(String),
    /// Nobody said where it is.
    NotGiven,
    /// Its result was given as a file that cannot be read; the reason names no path.
    NoResult(String),
}

/// The answer of one gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateResult {
    /// Whether it passed.
    pub is_pass: bool,
    /// Its exit status.
    pub exit_code: i64,
    /// Its messages, or one of our own that says how it ended.
    pub violations: Vec<String>,
    /// Whether its answer could be read.
    pub is_readable: bool,
}

/// The answers of both gates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    /// The diagram gate.
    pub diagrams: GateResult,
    /// The screen gate.
    pub screens: GateResult,
}

/// Exit status of a program that could not be started, as shells have it.
const NOT_STARTED: i64 = 127;
/// Exit status of a program that was stopped: 128 and the number of the signal.
const STOPPED: i64 = 137;

impl GateResult {
    /// Read what a gate left behind.
    pub fn of_run(gate: Gate, end: &End, stdout: &[u8], stderr: &[u8], lang: Lang) -> Self {
        let exit_code = match end {
            End::Exited(status) => *status,
            End::TimedOut { .. } | End::TooMuch => STOPPED,
            End::NotStarted(_) | End::NotGiven | End::NoResult(_) => NOT_STARTED,
        };
        let has_ended = matches!(end, End::Exited(_));
        let (is_pass, violations) = match gate {
            Gate::Diagrams => {
                let said_ok = stdout
                    .split(|byte| *byte == b'\n')
                    .next()
                    .map(<[u8]>::trim_ascii)
                    == Some(b"OK");
                let lines = diagram_lines(stderr);
                let is_pass = has_ended && exit_code == 0 && said_ok;
                (is_pass, (is_pass || !lines.is_empty()).then_some(lines))
            }
            Gate::Screens => match screen_answer(stdout) {
                Some((status, violations)) => (
                    has_ended && exit_code == 0 && status == "pass" && violations.is_empty(),
                    Some(violations),
                ),
                None => (false, None),
            },
        };
        let is_readable = has_ended && violations.is_some();
        // A stopped program's partial answer is no answer.
        let violations = violations
            .filter(|_| has_ended)
            .unwrap_or_else(|| vec![own_words(gate, end, lang)]);
        Self {
            is_pass,
            exit_code,
            violations,
            is_readable,
        }
    }

    /// Read a result that was given as a file: an object with `status`, `exit_code` and
    /// `violations` (the gate's own answer or an earlier assessment's part), or the diagram gate's
    /// own lines.
    pub fn of_file(gate: Gate, bytes: &[u8], lang: Lang) -> Self {
        let unusable = |reason: String| Self::of_run(gate, &End::NoResult(reason), b"", b"", lang);
        let Ok(written) = std::str::from_utf8(bytes) else {
            return unusable(say!(lang, "UTF-8 でない", "it is not UTF-8"));
        };
        let value = match parse(written) {
            Ok(value) => value,
            Err(_) if gate == Gate::Diagrams => {
                let lines = diagram_lines(bytes);
                let status = i64::from(!lines.is_empty());
                return Self::of_run(gate, &End::Exited(status), bytes, bytes, lang);
            }
            Err(_) => return unusable(say!(lang, "JSON でない", "it is not JSON")),
        };
        let (Some(status), Some(violations)) = (
            value.get("status").and_then(Value::as_text),
            violation_list(&value),
        ) else {
            return unusable(say!(
                lang,
                "status と violations が揃っていない",
                "it lacks `status` or a list `violations`"
            ));
        };
        let is_pass_word = status == "pass";
        let exit_code = match value.get("exit_code") {
            None => i64::from(!is_pass_word),
            Some(Value::Int(code)) => *code,
            Some(_) => {
                return unusable(say!(
                    lang,
                    "exit_code が整数でない",
                    "its `exit_code` is not an integer"
                ));
            }
        };
        Self {
            is_pass: is_pass_word && exit_code == 0 && violations.is_empty(),
            exit_code,
            violations,
            is_readable: true,
        }
    }

    /// The part of the assessment.
    pub fn to_value(&self) -> Value<'static> {
        object([
            ("status", text(if self.is_pass { "pass" } else { "fail" })),
            ("exit_code", Value::Int(self.exit_code)),
            (
                "violations",
                Value::Array(self.violations.iter().map(|line| text(line)).collect()),
            ),
        ])
    }

    /// Whether the screen gate reported palette orphans.
    pub fn has_orphans(&self) -> bool {
        self.violations
            .iter()
            .any(|line| line.starts_with(PALETTE_MESSAGE))
    }
}

/// How the screen gate's palette message begins.
const PALETTE_MESSAGE: &str = "観測色が design-tokens.json の palette に不在 (palette 孤児 != 0): ";

fn diagram_lines(stderr: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(stderr)
        .lines()
        .filter(|line| {
            line.starts_with("MISSING DIAGRAM TYPE: ") || line.starts_with("SYNTAX VIOLATION: ")
        })
        .map(ToOwned::to_owned)
        .collect()
}

/// The status and the violations of the screen gate's answer.
fn screen_answer(stdout: &[u8]) -> Option<(String, Vec<String>)> {
    let value = parse(std::str::from_utf8(stdout).ok()?).ok()?;
    let status = value.get("status")?.as_text()?.to_display().into_owned();
    Some((status, violation_list(&value)?))
}

fn violation_list(value: &Value<'_>) -> Option<Vec<String>> {
    value
        .get("violations")?
        .as_array()?
        .iter()
        .map(|line| Some(line.as_text()?.to_display().into_owned()))
        .collect()
}

fn own_words(gate: Gate, end: &End, lang: Lang) -> String {
    let name = gate.name();
    match end {
        End::Exited(status @ 129..=192) => say!(
            lang,
            "{0}: シグナル {1} で終了し、読める答えが無い (exit {2})",
            "{0}: ended by signal {1} without a readable answer (exit {2})",
            name,
            status - 128,
            status,
        ),
        End::Exited(status) => say!(
            lang,
            "{0}: exit {1} で終了し、読める答えが無い",
            "{0}: ended with exit {1} without a readable answer",
            name,
            status,
        ),
        End::TimedOut { seconds } => say!(
            lang,
            "{0}: {1} 秒以内に終わらず停止させた",
            "{0}: did not end within {1} seconds and was stopped",
            name,
            seconds,
        ),
        End::TooMuch => say!(
            lang,
            "{0}: 出力が多すぎるため停止させた",
            "{0}: wrote too much and was stopped",
            name,
        ),
        End::NotStarted(reason) => say!(
            lang,
            "{0}: 起動できない: {1}",
            "{0}: could not be started: {1}",
            name,
            reason,
        ),
        End::NotGiven => say!(
            lang,
            "{0}: 実行されていない (--plugin-root、--gate、--gate-result のいずれも無い)",
            "{0}: was not run (none of --plugin-root, --gate, --gate-result names it)",
            name,
        ),
        End::NoResult(reason) => say!(
            lang,
            "{0}: 渡された結果を読めない: {1}",
            "{0}: the result given for it cannot be read: {1}",
            name,
            reason,
        ),
    }
}

/// The number of violations, for summaries.
pub fn violation_count(result: &GateResult) -> Value<'static> {
    count(result.violations.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screens(status: i64, stdout: &str) -> GateResult {
        GateResult::of_run(
            Gate::Screens,
            &End::Exited(status),
            stdout.as_bytes(),
            b"",
            Lang::En,
        )
    }

    #[test]
    fn the_screen_gate_passes_only_on_its_whole_answer() {
        assert!(
            screens(
                0,
                "{\"check\":\"screens\",\"status\":\"pass\",\"violations\":[]}\n"
            )
            .is_pass
        );
        for (status, stdout) in [
            (1, "{\"status\":\"pass\",\"violations\":[]}"),
            (0, "{\"status\":\"fail\",\"violations\":[]}"),
            (0, "{\"status\":\"pass\",\"violations\":[\"x\"]}"),
            (0, ""),
            (0, "[]"),
            (2, ""),
        ] {
            assert!(!screens(status, stdout).is_pass, "{status} {stdout}");
        }
        let crashed = screens(1, "");
        assert!(!crashed.is_readable);
        assert_eq!(
            crashed.violations,
            ["doc-emit.py --check-screens: ended with exit 1 without a readable answer"]
        );
    }

    #[test]
    fn the_diagram_gate_passes_only_on_ok() {
        let run = |status, stdout: &str, stderr: &str| {
            GateResult::of_run(
                Gate::Diagrams,
                &End::Exited(status),
                stdout.as_bytes(),
                stderr.as_bytes(),
                Lang::En,
            )
        };
        assert!(run(0, "OK\ndiagrams=5 required=5/5 []\n", "").is_pass);
        assert!(!run(1, "OK\n", "").is_pass);
        assert!(!run(0, "OKAY\n", "").is_pass);
        let failed = run(
            1,
            "",
            "MISSING DIAGRAM TYPE: x (slug=data-model)\nSYNTAX VIOLATION: a.md:3 y\n\n図=4\n",
        );
        assert_eq!(failed.violations.len(), 2);
        assert_eq!(
            run(139, "", "").violations,
            ["mermaid-validate.py: ended by signal 11 without a readable answer (exit 139)"]
        );
    }

    #[test]
    fn a_stopped_gate_has_failed_whatever_it_wrote() {
        let stopped = GateResult::of_run(
            Gate::Screens,
            &End::TimedOut { seconds: 3 },
            b"{\"status\":\"pass\",\"violations\":[]}",
            b"",
            Lang::En,
        );
        assert!(!stopped.is_pass && !stopped.is_readable);
        assert_eq!(stopped.exit_code, 137);
        assert_eq!(
            stopped.violations,
            ["doc-emit.py --check-screens: did not end within 3 seconds and was stopped"]
        );
    }

    #[test]
    fn results_given_as_files_are_read_as_strictly() {
        let read = |gate, text: &str| GateResult::of_file(gate, text.as_bytes(), Lang::En);
        assert!(read(Gate::Screens, "{\"status\":\"pass\",\"violations\":[]}").is_pass);
        assert!(read(Gate::Diagrams, "OK\ndiagrams=5\n").is_pass);
        assert!(!read(Gate::Diagrams, "").is_pass);
        assert!(!read(Gate::Screens, "OK\n").is_pass);
        assert!(
            !read(
                Gate::Screens,
                "{\"status\":\"pass\",\"exit_code\":1,\"violations\":[]}"
            )
            .is_pass
        );
        assert!(
            !read(
                Gate::Screens,
                "{\"status\":\"pass\",\"exit_code\":true,\"violations\":[]}"
            )
            .is_pass
        );
        assert!(!read(Gate::Screens, "{\"status\":\"pass\"}").is_pass);
    }
}
