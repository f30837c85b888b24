//! `gatewright hook`: the gates as a hook of a coding agent.
//!
//! In: the hook's JSON on standard input (event, tool input, working folder). After a file was written, the gates
//! of the nearest configuration that concern this file are run; before the agent stops, all of them. Out: nothing
//! and status 0 when they pass, else status 2 and the findings on standard error in the compact form: that
//! status is the one that hands them to the agent. Nothing can be decided: status 2 as well, in one line.

use super::check::{all_passed, concerned};
use super::run::{self, Opened, choices};
use super::{Answer, Context};
use crate::error::Error;
use crate::files;
use crate::report::{self, Style};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Tools of the agent that write files.
const MATCHER: &str = "Write|Edit|MultiEdit|NotebookEdit";
/// The command of the settings entry.
const COMMAND: &str = "gatewright hook";
/// Settings of a project, from its folder.
const SETTINGS: &str = ".claude/settings.json";
/// Status that shows standard error to the agent.
const SHOWN_TO_AGENT: u8 = 2;

/// Run the gates that concern the file an agent has just written.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Show the settings entry that calls this command after every write, and put it into the
    /// settings of the project.
    #[arg(long)]
    install: bool,
    /// Only show the settings entry.
    #[arg(long, conflicts_with = "install")]
    print: bool,
    /// The settings file.
    #[arg(long, value_name = "FILE", default_value = SETTINGS, requires = "install")]
    settings: PathBuf,
    #[command(flatten)]
    trust: run::Trust,
}

/// Run the hook, or install it.
///
/// # Errors
/// When standard input is no hook's JSON, a configuration is faulty, or the settings cannot be changed.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    if arguments.print {
        return Ok(Answer::text(format!("{:#}\n", settings_entry())));
    }
    if arguments.install {
        return install(&arguments.settings);
    }
    let bytes = context
        .world
        .standard_input()
        .map_err(|fault| Error::Read {
            kind: "hook input",
            name: "standard input".to_owned(),
            reason: fault.into(),
        })?;
    let event = Event::parse(&bytes)?;
    let (jobs, opened) = match &event.file {
        Some(file) => {
            let file = event.folder.join(file);
            let Some(opened) = nearest(file.parent().unwrap_or(&event.folder), arguments.trust)?
            else {
                return Ok(silent());
            };
            (concerned(&opened, &[&file])?.jobs, opened)
        }
        None if event.is_stop => {
            let Some(opened) = nearest(&event.folder, arguments.trust)? else {
                return Ok(silent());
            };
            (opened.jobs_so_far()?, opened)
        }
        None => return Ok(silent()),
    };
    let choices = opened.choices(&choices::RuleOptions::default())?;
    let (mut outcomes, _) = run::all(&jobs, None, None, false, context)?;
    choices.apply(&mut outcomes);
    if all_passed(&outcomes) {
        return Ok(silent());
    }
    let style = Style {
        is_quiet: true,
        most_per_rule: Some(context.shown.max_findings).filter(|most| *most > 0),
        base: files::current_folder(),
        ..Style::default()
    };
    Ok(Answer::Text {
        stdout: String::new(),
        stderr: report::compact::render(&outcomes, &style),
        // An agent that was stopped once by this hook and stops again would never end otherwise.
        status: if event.was_stopped_before {
            1
        } else {
            SHOWN_TO_AGENT
        },
    })
}

fn silent() -> Answer {
    Answer::text(String::new())
}

/// The configuration in `folder` or above; nothing when there is none.
fn nearest(folder: &Path, trust: run::Trust) -> Result<Option<Opened>, Error> {
    match run::discovered(folder) {
        Ok(path) => Opened::at(Some(&path), trust).map(Some),
        Err(_) => Ok(None),
    }
}

/// What the agent says.
#[derive(Debug, PartialEq, Eq)]
struct Event {
    /// Working folder of the agent; the current one when it does not say.
    folder: PathBuf,
    /// The file that a tool has written.
    file: Option<PathBuf>,
    /// Whether the agent is about to stop.
    is_stop: bool,
    /// Whether a hook has kept it from stopping already.
    was_stopped_before: bool,
}

impl Event {
    fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let unusable = |reason: String| Error::Unusable {
            name: "standard input".to_owned(),
            path: String::new(),
            reason,
        };
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|fault| unusable(format!("it is not the JSON of a hook: {fault}")))?;
        let Value::Object(members) = value else {
            return Err(unusable("the JSON of a hook is an object".to_owned()));
        };
        let text = |members: &Map<String, Value>, key: &str| {
            members
                .get(key)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
                .map(PathBuf::from)
        };
        let tool_input = members.get("tool_input").and_then(Value::as_object);
        let file = tool_input
            .and_then(|input| {
                ["file_path", "notebook_path", "path"]
                    .iter()
                    .find_map(|key| text(input, key))
            })
            .or_else(|| text(&members, "file_path"));
        let event = members
            .get("hook_event_name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let is_stop = matches!(event, "Stop" | "SubagentStop");
        Ok(Self {
            folder: text(&members, "cwd").unwrap_or_else(|| PathBuf::from(files::current_folder())),
            file: file.filter(|_| !is_stop),
            is_stop,
            was_stopped_before: is_stop
                && members.get("stop_hook_active").and_then(Value::as_bool) == Some(true),
        })
    }
}

/// The entry that calls this command after every write.
fn settings_entry() -> Value {
    json!({"hooks": {"PostToolUse": [hook_group()]}})
}

fn hook_group() -> Value {
    json!({"matcher": MATCHER, "hooks": [{"type": "command", "command": COMMAND}]})
}

/// Put the entry into the settings at `path`; everything else stays.
fn install(path: &Path) -> Result<Answer, Error> {
    let name = path.display().to_string();
    let unusable = |place: &str, reason: String| Error::Unusable {
        name: name.clone(),
        path: place.to_owned(),
        reason,
    };
    let mut settings = match files::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map_err(|fault| unusable("", format!("it is not JSON: {fault}")))?,
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => Value::Object(Map::new()),
        Err(fault) => {
            return Err(Error::Read {
                kind: "settings",
                reason: fault.into(),
                name,
            });
        }
    };
    let entry = format!("{:#}\n", settings_entry());
    let root = settings
        .as_object_mut()
        .ok_or_else(|| unusable("$", "settings are an object".to_owned()))?;
    let hooks = root
        .entry("hooks")
        .or_insert_with(|| json!({}))
        .as_object_mut()
        .ok_or_else(|| unusable("$.hooks", "hooks are an object".to_owned()))?;
    let groups = hooks
        .entry("PostToolUse")
        .or_insert_with(|| json!([]))
        .as_array_mut()
        .ok_or_else(|| unusable("$.hooks.PostToolUse", "it is a list of hooks".to_owned()))?;
    if groups.iter().any(calls_us) {
        return Ok(Answer::text(format!(
            "{entry}{name} calls `{COMMAND}` already; nothing was changed\n"
        )));
    }
    groups.push(hook_group());
    let failed = |fault: &std::io::Error| Error::Write {
        name: name.clone(),
        reason: fault.into(),
    };
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder).map_err(|fault| failed(&fault))?;
    }
    files::write_atomic(path, format!("{settings:#}\n").as_bytes())
        .map_err(|fault| failed(&fault))?;
    Ok(Answer::text(format!("{entry}added to {name}\n")))
}

/// Whether a group of hooks calls this command, by whatever path.
fn calls_us(group: &Value) -> bool {
    group
        .get("hooks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|hook| hook.get("command")?.as_str())
        .any(|command| command.trim_end().ends_with(COMMAND))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_names_its_file_whatever_the_tool() {
        for (text, file, is_stop) in [
            (
                r#"{"cwd": "/r", "tool_name": "Write", "tool_input": {"file_path": "/r/a.json"}}"#,
                Some("/r/a.json"),
                false,
            ),
            (
                r#"{"cwd": "/r", "tool_input": {"notebook_path": "n.ipynb"}}"#,
                Some("n.ipynb"),
                false,
            ),
            (r#"{"file_path": "x", "edits": []}"#, Some("x"), false),
            (
                r#"{"tool_name": "Bash", "tool_input": {"command": "ls"}}"#,
                None,
                false,
            ),
            (r#"{"hook_event_name": "Stop", "cwd": "/r"}"#, None, true),
        ] {
            let event = Event::parse(text.as_bytes()).unwrap();
            assert_eq!(
                (event.file.as_deref(), event.is_stop),
                (file.map(Path::new), is_stop),
                "{text}"
            );
        }
        for text in ["", "[]", "{", "\"x\""] {
            Event::parse(text.as_bytes()).unwrap_err();
        }
    }
}
