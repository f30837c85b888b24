//! `dc-validate-scorecard.sh PERSONA RUN_DIR [TRIGGER_REASON]`.
//!
//! In: a persona's draft, the artifact, the run's manifest, the persona's banned phrases. Out: the
//! scorecard, the manifest with one more entry, the draft gone; or one line and nothing changed.
//! Validators of one run wait for each other, and everything that can fail happens before the first
//! file changes: then the scorecard, the manifest, and the draft last.

use super::{Completion, one_line, parse_json};
use crate::files::{self, Lock};
use crate::gates::scorecard::card::scorecard_bytes;
use crate::gates::scorecard::judge::{self, Fault};
use crate::gates::scorecard::manifest::{
    Run, listed_findings, update_manifest, with_negative_zeros, write_manifest,
};
use crate::gates::scorecard::normalise::normalise_artifact;
use crate::gates::scorecard::phrases::Phrases;
use crate::value::Text;
use crate::value::front_matter::split_front_matter;
use crate::value::json::Dialect;
use crate::value::yaml::{YamlValue, parse_yaml};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Console name of the command.
pub const NAME: &str = "dc-validate-scorecard";

const USAGE: &str = "dc-validate-scorecard.sh <persona> <run-dir> [<trigger-reason>]

  <persona>          persona name (matches agents/<persona>.md and
                     <run-dir>/<persona>-draft.md)
  <run-dir>          run directory created by dc-prep.sh
  <trigger-reason>   optional; default \"core:always-on\"; stored verbatim
                     in MANIFEST.personas_run[].trigger_reason. Phase 6
                     bench personas pass values like \"signal:auth\".

Exit codes:
  0 — draft parseable, final file written (even with zero kept findings)
  1 — malformed input (missing files, unparseable YAML, persona not found,
      banned_phrases list missing)
  2 — usage error
";

/// Reason of a persona that runs on every review.
const DEFAULT_TRIGGER_REASON: &str = "core:always-on";

/// Status of every refusal.
const REFUSED: u8 = 1;

/// A path and how a message shows it: parts joined with `/`, nothing tidied.
#[derive(Clone, Debug)]
struct Named {
    path: PathBuf,
    shown: Text<'static>,
}

impl Named {
    fn joined(folder: &OsStr, rest: &str) -> Self {
        let mut path = folder.to_owned();
        path.push("/");
        path.push(rest);
        let shown = files::display(&path);
        Self {
            path: path.into(),
            shown,
        }
    }

    fn is_file(&self) -> bool {
        self.path.is_file()
    }

    fn read(&self) -> Result<Vec<u8>, Completion> {
        files::read(&self.path)
            .map_err(|error| refusal("cannot read ", &self.shown, &format!(": {error}")))
    }
}

/// The line of a refusal.
fn refusal(before: &str, shown: &Text<'_>, after: &str) -> Completion {
    let line = crate::text::python::Line::new()
        .plain(NAME)
        .plain(": ERROR: ")
        .plain(before)
        .text(shown)
        .plain(after);
    Completion::fail(REFUSED, &line.done())
}

/// The refusal of an input that the recorded program broke off on: one line whatever it holds.
fn cannot_use(file: &Named, fault: &Fault) -> Completion {
    let place = if fault.place.is_empty() {
        String::new()
    } else {
        format!(" at {}", fault.place)
    };
    let after = one_line(&Text::from(format!("{place}: {}", fault.reason)));
    refusal("cannot use ", &one_line(&file.shown), &after.to_display())
}

fn fault(reason: impl Into<String>) -> Fault {
    Fault {
        place: String::new(),
        reason: reason.into(),
    }
}

/// Where the personas are: the folder above the script's when it holds them, else the working
/// directory.
fn root(script: Option<&Path>) -> PathBuf {
    let working = std::env::current_dir().unwrap_or_default();
    let Some(script) = script else { return working };
    let script = working.join(script);
    let mut folders = Vec::new();
    for part in script.components() {
        // As `cd folder/.. && pwd` does it: by name, links not followed.
        if part == Component::ParentDir {
            folders.pop();
        } else if part != Component::CurDir {
            folders.push(part);
        }
    }
    folders.truncate(folders.len().saturating_sub(2));
    let above: PathBuf = folders.iter().collect();
    let holds_personas = above.join("agents").is_dir() || above.join("persona-metadata").is_dir();
    if holds_personas { above } else { working }
}

/// Run the command. `script` is the entry script's path.
pub fn run(arguments: &[OsString], script: Option<&Path>) -> Completion {
    let (persona, run_dir, reason) = match arguments {
        [persona, run_dir] => (persona, run_dir, None),
        [persona, run_dir, reason] => (persona, run_dir, Some(reason)),
        _ => {
            return Completion {
                status: 2,
                stdout: Vec::new(),
                stderr: USAGE.as_bytes().to_vec(),
            };
        }
    };
    validate(persona, run_dir, reason.map(OsString::as_os_str), script)
        .unwrap_or_else(|refused| refused)
}

fn validate(
    persona: &OsStr,
    run_dir: &OsStr,
    reason: Option<&OsStr>,
    script: Option<&Path>,
) -> Result<Completion, Completion> {
    let shown = files::display(persona);
    let persona = persona
        .to_str()
        .ok_or_else(|| refusal("a persona name must be UTF-8: ", &shown, ""))?;
    if persona.contains(std::path::is_separator) {
        return Err(refusal(
            "a persona name cannot hold a path separator: ",
            &shown,
            "",
        ));
    }
    let reason = reason
        .filter(|reason| !reason.is_empty())
        .map(OsStr::to_string_lossy);
    let trigger_reason = reason.as_deref().unwrap_or(DEFAULT_TRIGGER_REASON);

    if !Path::new(run_dir).is_dir() {
        return Err(refusal("run dir not found: ", &files::display(run_dir), ""));
    }
    let draft = Named::joined(run_dir, &format!("{persona}-draft.md"));
    let artifact = Named::joined(run_dir, "INPUT.md");
    let manifest = Named::joined(run_dir, "MANIFEST.json");
    let check_files = || {
        let table = [
            (&draft, "draft not found: "),
            (&artifact, "INPUT.md not found: "),
            (&manifest, "MANIFEST.json not found: "),
        ];
        match table.iter().find(|(file, _)| !file.is_file()) {
            Some((file, message)) => Err(refusal(message, &file.shown, "")),
            None => Ok(()),
        }
    };
    check_files()?;
    let cannot_lock = |error| {
        refusal(
            "cannot lock the folder of ",
            &manifest.shown,
            &format!(": {error}"),
        )
    };
    // Validators that share a manifest wait for each other, also where it is reached over a link.
    let record = fs::canonicalize(&manifest.path).map_err(cannot_lock)?;
    let _lock = Lock::of_folder(record.parent().unwrap_or(Path::new("/"))).map_err(cannot_lock)?;
    // Another validator of the same persona may have finished while this one waited.
    check_files()?;

    let phrases = banned_phrases(persona, &root(script))?;
    let draft_bytes = draft.read()?;
    let parts = split_front_matter(&draft_bytes).map_err(|_| {
        refusal(
            "draft frontmatter missing or no closing --- fence: ",
            &draft.shown,
            "",
        )
    })?;
    let front_matter = parse_yaml(parts.yaml)
        .map_err(|_| refusal("draft frontmatter is not valid YAML: ", &draft.shown, ""))?;
    let front_matter =
        judge::front_matter_map(front_matter).map_err(|fault| cannot_use(&draft, &fault))?;

    let artifact_bytes = artifact.read()?;
    let artifact_text = crate::text::python::decode_utf8(&artifact_bytes)
        .map_err(|words| cannot_use(&artifact, &fault(words)))?;
    let judgement = judge::judge(
        &front_matter,
        &normalise_artifact(artifact_text),
        &phrases,
        persona,
    )
    .map_err(|fault| cannot_use(&draft, &fault))?;
    let findings = listed_findings(&judgement).map_err(|fault| cannot_use(&draft, &fault))?;

    let manifest_bytes = manifest.read()?;
    let signed = with_negative_zeros(&manifest_bytes);
    let mut manifest_value = parse_json(&signed, Dialect::Classic)
        // Places in the words are those of the file itself.
        .or_else(|_| parse_json(&manifest_bytes, Dialect::Classic))
        .map_err(|unread| cannot_use(&manifest, &fault(unread.words())))?;
    let run = Run {
        persona,
        trigger_reason,
    };
    update_manifest(&mut manifest_value, run, &judgement, &findings)
        .map_err(|fault| cannot_use(&manifest, &fault))?;

    let (kept, dropped) = (judgement.kept.len(), judgement.dropped.len());
    let card = Named::joined(run_dir, &format!("{persona}.md"));
    let card_bytes = scorecard_bytes(persona, front_matter, parts.body, &judgement);
    let cannot_write = |file: &Named| {
        let shown = file.shown.clone();
        move |error: std::io::Error| refusal("cannot write ", &shown, &format!(": {error}"))
    };
    let staged_card =
        files::stage_in_place_of_link(&card.path, &card_bytes).map_err(cannot_write(&card))?;
    let new_manifest = write_manifest(&manifest_value);
    let staged_manifest =
        files::stage(&record, new_manifest.as_bytes()).map_err(cannot_write(&manifest))?;
    staged_card.commit().map_err(cannot_write(&card))?;
    staged_manifest.commit().map_err(cannot_write(&manifest))?;
    fs::remove_file(&draft.path).map_err(|error| {
        refusal(
            "recorded, but cannot remove ",
            &draft.shown,
            &format!(": {error}"),
        )
    })?;

    let mut done = Completion::default();
    done.push_stderr(&Text::from(format!(
        "{NAME}: {persona} — {kept} kept, {dropped} dropped"
    )));
    Ok(done)
}

/// The persona's phrases: from its sidecar if there is one, else from its own front matter.
fn banned_phrases(persona: &str, root: &Path) -> Result<Phrases, Completion> {
    let sidecar = Named::joined(root.as_os_str(), &format!("persona-metadata/{persona}.yml"));
    let in_root = Named::joined(root.as_os_str(), &format!("agents/{persona}.md"));
    let relative = format!("agents/{persona}.md");
    let working = Named {
        path: PathBuf::from(&relative),
        shown: Text::from(relative),
    };
    let persona_file = match (in_root.is_file(), working.is_file()) {
        (true, _) => &in_root,
        (false, true) => &working,
        (false, false) => return Err(refusal("persona file not found: ", &working.shown, "")),
    };
    let data = if sidecar.is_file() {
        parse_yaml(&sidecar.read()?)
            .map_err(|_| refusal("persona sidecar is not valid YAML: ", &sidecar.shown, ""))?
    } else {
        let bytes = persona_file.read()?;
        let parts = split_front_matter(&bytes).map_err(|_| {
            refusal(
                "persona frontmatter missing or no closing --- fence: ",
                &persona_file.shown,
                "",
            )
        })?;
        parse_yaml(parts.yaml).map_err(|_| {
            refusal(
                "persona frontmatter is not valid YAML: ",
                &persona_file.shown,
                "",
            )
        })?
    };
    match data.as_map().and_then(|data| data.get("banned_phrases")) {
        Some(YamlValue::List(items)) if !items.is_empty() => Ok(Phrases::of_items(items)),
        _ => {
            let line = crate::text::python::Line::new()
                .plain("persona '")
                .plain(persona)
                .plain("' has empty or missing banned_phrases list (checked ")
                .text(&sidecar.shown)
                .plain(" and ")
                .text(&persona_file.shown)
                .plain(" frontmatter)");
            Err(refusal("", &line.done(), ""))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plugin folder with one persona and one run.
    fn plugin(draft: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "agents", "persona-metadata", "run"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("agents/rev.md", "---\nname: rev\n---\n");
        write("persona-metadata/rev.yml", "banned_phrases: [consider]\n");
        write("run/INPUT.md", "alpha beta gamma\n");
        write("run/MANIFEST.json", "{}\n");
        write("run/rev-draft.md", draft);
        folder
    }

    const GOOD: &str =
        "---\nfindings:\n- {target: t, claim: bad, evidence: alpha beta}\n---\nbody\n";

    fn run_in(folder: &tempfile::TempDir, persona: &str) -> (u8, String) {
        let script = folder.path().join("bin/dc-validate-scorecard.sh");
        let run_dir = folder.path().join("run").into_os_string();
        let done = run(&[OsString::from(persona), run_dir], Some(&script));
        assert!(done.stdout.is_empty());
        let stderr = String::from_utf8(done.stderr).unwrap();
        (
            done.status,
            stderr.replace(folder.path().to_str().unwrap(), "ROOT"),
        )
    }

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder.path().join("run"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_good_draft_becomes_a_scorecard_and_an_entry() {
        let folder = plugin(GOOD);
        assert_eq!(
            run_in(&folder, "rev"),
            (
                0,
                String::from("dc-validate-scorecard: rev — 1 kept, 0 dropped\n")
            )
        );
        assert_eq!(names(&folder), ["INPUT.md", "MANIFEST.json", "rev.md"]);
        let card = fs::read_to_string(folder.path().join("run/rev.md")).unwrap();
        assert_eq!(
            card,
            "---\nfindings:\n- target: t\n  claim: bad\n  evidence: alpha beta\n  id: rev-719cae1a\ndropped_findings: []\n---\nbody\n"
        );
        let manifest = fs::read_to_string(folder.path().join("run/MANIFEST.json")).unwrap();
        assert!(
            manifest.starts_with("{\n  \"validation\": [\n    {\n      \"persona\": \"rev\",\n"),
            "{manifest}"
        );
        assert_eq!(
            run_in(&folder, "rev").1,
            "dc-validate-scorecard: ERROR: draft not found: ROOT/run/rev-draft.md\n"
        );
    }

    #[test]
    fn a_refusal_changes_nothing_and_names_file_and_place() {
        let table = [
            (
                "rev",
                GOOD,
                "[]",
                "cannot use ROOT/run/MANIFEST.json: an object is wanted, found a list",
            ),
            (
                "rev",
                GOOD,
                "",
                "cannot use ROOT/run/MANIFEST.json: Expecting value: line 1 column 1 (char 0)",
            ),
            (
                "rev",
                "---\nfindings:\n- {claim: a, evidence: alpha beta, severity: 2026-04-22}\n---\n",
                "{}",
                "cannot use ROOT/run/rev-draft.md at findings[0].severity: JSON cannot hold a date; put it in quotes",
            ),
            (
                "../rev",
                GOOD,
                "{}",
                "a persona name cannot hold a path separator: ../rev",
            ),
        ];
        for (persona, draft, manifest, message) in table {
            let folder = plugin(draft);
            fs::write(folder.path().join("run/MANIFEST.json"), manifest).unwrap();
            let wanted = (1, format!("dc-validate-scorecard: ERROR: {message}\n"));
            assert_eq!(run_in(&folder, persona), wanted);
            assert_eq!(
                names(&folder),
                ["INPUT.md", "MANIFEST.json", "rev-draft.md"]
            );
            assert_eq!(
                fs::read_to_string(folder.path().join("run/rev-draft.md")).unwrap(),
                draft
            );
            assert_eq!(
                fs::read_to_string(folder.path().join("run/MANIFEST.json")).unwrap(),
                manifest
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_and_modes_survive() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = plugin(GOOD);
        let path = |name: &str| folder.path().join(name);
        fs::rename(path("run/MANIFEST.json"), path("real.json")).unwrap();
        fs::set_permissions(path("real.json"), fs::Permissions::from_mode(0o600)).unwrap();
        symlink("../real.json", path("run/MANIFEST.json")).unwrap();
        fs::write(path("outside.md"), "outside").unwrap();
        symlink("../outside.md", path("run/rev.md")).unwrap();
        assert_eq!(run_in(&folder, "rev").0, 0);
        assert!(
            fs::symlink_metadata(path("run/MANIFEST.json"))
                .unwrap()
                .is_symlink()
        );
        assert!(
            fs::read_to_string(path("real.json"))
                .unwrap()
                .contains("validation")
        );
        assert_eq!(
            fs::metadata(path("real.json"))
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
        assert_eq!(fs::read_to_string(path("outside.md")).unwrap(), "outside");
        assert!(
            !fs::symlink_metadata(path("run/rev.md"))
                .unwrap()
                .is_symlink()
        );
    }

    #[test]
    fn a_folder_in_the_place_of_the_result_is_refused() {
        let folder = plugin(GOOD);
        fs::create_dir(folder.path().join("run/rev.md")).unwrap();
        let (status, stderr) = run_in(&folder, "rev");
        assert_eq!(status, 1);
        assert!(
            stderr.starts_with("dc-validate-scorecard: ERROR: cannot write ROOT/run/rev.md: "),
            "{stderr}"
        );
        assert_eq!(
            names(&folder),
            ["INPUT.md", "MANIFEST.json", "rev-draft.md", "rev.md"]
        );
        assert_eq!(
            fs::read_to_string(folder.path().join("run/MANIFEST.json")).unwrap(),
            "{}\n"
        );
    }
}
