//! The rules of the strict scorecard gate.
//!
//! Each reason for which a finding is dropped has one rule; the others are about the whole scorecard.

use crate::rule::{Rule, Severity};

const SHAPE: &str = "scorecard contract, section 15: front matter and body";
const FIELD: &str = "scorecard contract, section 15: fields of a finding";

/// No front matter between two fences.
pub const NO_FRONT_MATTER: Rule = Rule {
    code: "GWS001",
    name: "no-front-matter",
    severity: Severity::Error,
    checks: "A scorecard does not begin with front matter between two lines that are exactly `---`.",
    why: "Without front matter no finding can be read, and the review would count as silent.",
    fails: "--- # scorecard\npersona: rev",
    repaired: "---\npersona: rev\nrun_id: r1\nfindings: []\n---\n\nNothing found: the plan has no rollout.",
    remedy: "begin the file with a line of exactly `---` and close the front matter with another",
    source: SHAPE,
};

/// Front matter or JSON that cannot be read.
pub const UNREADABLE: Rule = Rule {
    code: "GWS002",
    name: "unreadable-front-matter",
    severity: Severity::Error,
    checks: "The front matter is no valid YAML mapping, or the document no valid JSON.",
    why: "What cannot be read cannot be judged.",
    fails: "---\nclaim: one: two\n---",
    repaired: "---\nclaim: \"one: two\"\n---",
    remedy: "mend the syntax at the place shown; quote texts that hold `: `, `#` or begin with a mark",
    source: SHAPE,
};

/// `persona` or `run_id` missing or unusable.
pub const HEADER_FIELD: Rule = Rule {
    code: "GWS003",
    name: "header-field",
    severity: Severity::Error,
    checks: "`persona` or `run_id` is missing, blank or no text, or `persona` is no name: it holds a path separator or blanks around it, or is `.` or `..`.",
    why: "Ids are derived from the persona, and the run id ties the scorecard to its artifact.",
    fails: "persona: rev\nfindings: []",
    repaired: "persona: rev\nrun_id: 20260301T101500Z-export\nfindings: []",
    remedy: "give `persona` and `run_id` as texts in the front matter",
    source: SHAPE,
};

/// `findings` missing or no list.
pub const NO_FINDINGS_LIST: Rule = Rule {
    code: "GWS004",
    name: "no-findings-list",
    severity: Severity::Error,
    checks: "`findings` is missing or is no list.",
    why: "A missing list could be mistaken for a review that found nothing.",
    fails: "persona: rev\nrun_id: r1",
    repaired: "persona: rev\nrun_id: r1\nfindings: []",
    remedy: "give `findings` as a list; `[]` with a prose summary when there are none",
    source: SHAPE,
};

/// No findings and no word about why.
pub const NO_SUMMARY: Rule = Rule {
    code: "GWS005",
    name: "no-summary",
    severity: Severity::Error,
    checks: "`findings` is empty and the body shows no prose that explains why; headings, comments and invisible characters are none.",
    why: "Silence cannot be told from a reviewer that did not look.",
    fails: "findings: []\n---\n\n## Summary",
    repaired: "findings: []\n---\n\n## Summary\n\nEvery step has a rollback; nothing to object to.",
    remedy: "say in the body, in a sentence, what was looked at and why nothing was found",
    source: SHAPE,
};

/// An entry of `findings` that is no mapping.
pub const NOT_A_MAPPING: Rule = Rule {
    code: "GWS006",
    name: "finding-not-a-mapping",
    severity: Severity::Error,
    checks: "An entry of `findings` is no mapping.",
    why: "A bare text has no evidence and no severity.",
    fails: "findings:\n  - The export can run twice.",
    repaired: "findings:\n  - claim: The export can run twice.\n    # and the six other fields",
    remedy: "write the entry as a mapping with id, target, claim, evidence, ask, severity, category",
    source: FIELD,
};

/// A required field is missing, null or blank.
pub const MISSING_FIELD: Rule = Rule {
    code: "GWS007",
    name: "missing-field",
    severity: Severity::Error,
    checks: "A finding lacks one of id, target, claim, evidence, ask, severity, category, or it is null or blank.",
    why: "A finding without a target or an ask cannot be acted on.",
    fails: "- claim: c\n  evidence: copied words\n  severity: nit",
    repaired: "- id: placeholder\n  target: a.md:3\n  claim: c\n  evidence: copied words\n  ask: mend it\n  severity: nit\n  category: style",
    remedy: "add the field named, as a text",
    source: FIELD,
};

/// A required field that is no text.
pub const FIELD_NOT_TEXT: Rule = Rule {
    code: "GWS008",
    name: "field-not-text",
    severity: Severity::Error,
    checks: "A required field of a finding is a number, a boolean, a date, a list or a mapping.",
    why: "YAML reads `yes`, `12:30` and `2026-04-22` as other types, so the words of the reviewer are lost.",
    fails: "target: 42:48",
    repaired: "target: \"42:48\"",
    remedy: "put the value in double quotes",
    source: FIELD,
};

/// A severity that is none of the four.
pub const UNKNOWN_SEVERITY: Rule = Rule {
    code: "GWS009",
    name: "unknown-severity",
    severity: Severity::Error,
    checks: "Severity is not exactly blocker, major, minor or nit.",
    why: "Synthesis orders findings by these four; any other is silently last.",
    fails: "severity: high",
    repaired: "severity: major",
    remedy: "use blocker, major, minor or nit; `--map-severity` takes high, medium, low for major, minor, nit",
    source: FIELD,
};

/// Too little evidence.
pub const EVIDENCE_TOO_SHORT: Rule = Rule {
    code: "GWS010",
    name: "evidence-too-short",
    severity: Severity::Error,
    checks: "Evidence has fewer than 8 visible characters after normalisation, or no letter and no digit.",
    why: "A word or two stand in any artifact and prove nothing.",
    fails: "evidence: \"the row\"",
    repaired: "evidence: \"inserts a row and returns 202\"",
    remedy: "quote at least 8 characters of the artifact, better a whole sentence",
    source: FIELD,
};

/// Evidence that is not in the artifact.
pub const EVIDENCE_NOT_VERBATIM: Rule = Rule {
    code: "GWS011",
    name: "evidence-not-verbatim",
    severity: Severity::Error,
    checks: "Evidence is neither identical to a passage of the artifact nor the same but for white space and line numbers.",
    why: "Evidence in other words cannot be told from an invention.",
    fails: "artifact: Ship to all accounts on Monday.\nevidence: Ship to every account on Monday.",
    repaired: "artifact: Ship to all accounts on Monday.\nevidence: Ship to all accounts on Monday.",
    remedy: "copy the passage from the artifact, character for character",
    source: FIELD,
};

/// A banned phrase in claim or ask.
pub const BANNED_PHRASE: Rule = Rule {
    code: "GWS012",
    name: "banned-phrase",
    severity: Severity::Error,
    checks: "Claim or ask holds a phrase that the persona bans, in any letter case, as whole words; as it is written, and as a reader sees it: Markdown, HTML and entities rendered, invisible characters and combining marks gone, look-alike letters taken for what they look like, any white space as one blank.",
    why: "`consider` and its like hand the decision back to the author.",
    fails: "ask: Consider adding an index.",
    repaired: "ask: Add an index on export_job.state.",
    remedy: "say what is wrong and what to do without the phrase",
    source: "scorecard contract, section 15: banned phrases",
};

/// A scorecard that validation has emptied.
pub const STUB: Rule = Rule {
    code: "GWS013",
    name: "stub",
    severity: Severity::Warning,
    checks: "The scorecard is a stub: validation dropped all of its findings.",
    why: "The persona's view is missing from the synthesis.",
    fails: "findings: []\nfailure: validation_all_findings_dropped",
    repaired: "findings:\n  - claim: c # and the six other fields",
    remedy: "have the persona review again, with the drop reasons at hand",
    source: "scorecard contract, section 10",
};

/// Phrases were not checked.
pub const NO_PHRASES: Rule = Rule {
    code: "GWS014",
    name: "no-banned-phrases",
    severity: Severity::Warning,
    checks: "No list of banned phrases is known for the persona, so claim and ask were not searched.",
    why: "Every persona declares a list; without it the check is weaker than it looks.",
    fails: "tier: core",
    repaired: "tier: core\nbanned_phrases: [consider, think about, be aware of]",
    remedy: "declare `banned_phrases` in persona-metadata/PERSONA.yml, or name the folder with `--personas`",
    source: "scorecard contract, sections 5 and 15",
};

/// The file is another persona's.
pub const OTHER_PERSONA: Rule = Rule {
    code: "GWS015",
    name: "other-persona",
    severity: Severity::Error,
    checks: "The file name and the front matter name different personas. A warning for a scorecard outside a run folder whose file name no list of banned phrases knows.",
    why: "A reviewer who writes another name would be held to that persona's phrases, or to none, and its findings counted for the wrong reviewer.",
    fails: "sre-draft.md: persona: product-manager",
    repaired: "sre-draft.md: persona: sre",
    remedy: "let the file name and `persona` agree",
    source: SHAPE,
};

/// INPUT.md is not what the run began with.
pub const SOURCE_CHANGED: Rule = Rule {
    code: "GWS016",
    name: "source-changed",
    severity: Severity::Error,
    checks: "The SHA-256 of INPUT.md differs from the one in MANIFEST.json, or what stands there is no SHA-256.",
    why: "Evidence must stand in the snapshot that was reviewed, not in a later one.",
    fails: "MANIFEST.json: \"sha256\": \"9d9b…\" beside an INPUT.md that was edited",
    repaired: "the INPUT.md of the run, as it was recorded",
    remedy: "restore INPUT.md, or start a new run for the changed artifact",
    source: "scorecard contract, section 15: INPUT.md is the snapshot",
};

/// A scorecard of many could not be looked at.
pub const NOT_CHECKED: Rule = Rule {
    code: "GWS017",
    name: "not-checked",
    severity: Severity::Error,
    checks: "A scorecard, its artifact or its persona cannot be read, so nothing is known about it.",
    why: "What was not looked at must not count as passed.",
    fails: "a run folder without INPUT.md",
    repaired: "the run folder with its INPUT.md",
    remedy: "make the file named readable, or leave the scorecard out",
    source: "gatewright documentation, Quotes and their grades: Scorecards",
};

/// A member that stands twice.
pub const REPEATED_MEMBER: Rule = Rule {
    code: "GWS018",
    name: "repeated-member",
    severity: Severity::Error,
    checks: "A name stands twice in one mapping of a scorecard.",
    why: "One reader takes the first, another the last; a critical severity behind a minor one passes here and counts elsewhere.",
    fails: "severity: critical\nseverity: minor",
    repaired: "severity: minor",
    remedy: "leave one of the two",
    source: "gatewright documentation, What rests on whose word: Scorecards",
};

/// A persona of the manifest has no scorecard.
pub const NO_SCORECARD: Rule = Rule {
    code: "GWS019",
    name: "no-scorecard",
    severity: Severity::Error,
    checks: "MANIFEST.json lists a persona whose scorecard is not in the run folder, or what it lists is no persona.",
    why: "A deleted scorecard would take its findings out of the review without a word.",
    fails: "\"personas_run\": [{\"name\": \"sre\"}] and no sre.md",
    repaired: "\"personas_run\": [{\"name\": \"sre\"}] beside sre.md",
    remedy: "restore the scorecard, or start a new run without the persona",
    source: "scorecard contract, section 11: personas_run",
};

/// A file that looks like a scorecard and is not looked at.
pub const LOOKS_LIKE_ONE: Rule = Rule {
    code: "GWS020",
    name: "looks-like-a-scorecard",
    severity: Severity::Warning,
    checks: "A file of a run folder has what a scorecard has and is not looked at, because of its name or its place.",
    why: "Whoever reads the folder may take it for a scorecard that was checked.",
    fails: "run/old/sre.md",
    repaired: "run/sre.md",
    remedy: "name it PERSONA.md in the run folder, or take it away",
    source: "gatewright documentation, What rests on whose word: Scorecards",
};

/// A folder of personas inside the work.
pub const LIST_IN_THE_WORK: Rule = Rule {
    code: "GWS021",
    name: "list-in-the-work",
    severity: Severity::Warning,
    checks: "A run folder holds a folder of personas; it is not used.",
    why: "Whoever writes scorecards could write the list of banned phrases for them as well.",
    fails: "run/persona-metadata/sre.yml",
    repaired: "persona-metadata/sre.yml beside the run folders",
    remedy: "keep persona-metadata/ above the run folders, or name its folder with `--personas`",
    source: "scorecard contract, section 1: files",
};

/// A persona that the named folder does not know.
pub const UNKNOWN_PERSONA: Rule = Rule {
    code: "GWS022",
    name: "unknown-persona",
    severity: Severity::Error,
    checks: "The folder named with `--personas` holds no list for the persona of a scorecard.",
    why: "Whoever names the folder says that every reviewer is in it; a name that is not there is held to no list at all.",
    fails: "persona: someone-else",
    repaired: "persona: sre",
    remedy: "use the name of a persona in that folder, or add persona-metadata/PERSONA.yml there",
    source: "scorecard contract, section 15: a persona declares `banned_phrases`",
};

/// A text that YAML cuts.
pub const CUT_TEXT: Rule = Rule {
    code: "GWS023",
    name: "text-cut-by-yaml",
    severity: Severity::Warning,
    checks: "A text of a finding stands without quotes and holds ` #`, or begins with `#` or `&name`.",
    why: "YAML takes what follows ` #` for a comment and `&name` for an anchor, so the gate judges less than the reviewer wrote.",
    fails: "evidence: closes ticket #4711 and notifies the owner",
    repaired: "evidence: \"closes ticket #4711 and notifies the owner\"",
    remedy: "put the value in double quotes",
    source: FIELD,
};

/// Evidence was replaced by the artifact's own words.
pub const REPAIRED: Rule = Rule {
    code: "GWS024",
    name: "evidence-repaired",
    severity: Severity::Note,
    checks: "`--repair` replaced evidence that differed from the artifact in typography alone (quotation marks, dashes, ligatures, invisible characters) by the artifact's own words.",
    why: "Each change to a scorecard is to be seen by whoever answers for it.",
    fails: "evidence: \"it's due\", artifact: it\u{2019}s due",
    repaired: "evidence: \"it\u{2019}s due\"",
    remedy: "nothing, unless the change is not wanted: run without `--repair` then",
    source: "gatewright documentation, Scorecards",
};

/// The rules of this gate.
pub const RULES: &[Rule] = &[
    NO_FRONT_MATTER,
    UNREADABLE,
    HEADER_FIELD,
    NO_FINDINGS_LIST,
    NO_SUMMARY,
    NOT_A_MAPPING,
    MISSING_FIELD,
    FIELD_NOT_TEXT,
    UNKNOWN_SEVERITY,
    EVIDENCE_TOO_SHORT,
    EVIDENCE_NOT_VERBATIM,
    BANNED_PHRASE,
    STUB,
    NO_PHRASES,
    OTHER_PERSONA,
    SOURCE_CHANGED,
    NOT_CHECKED,
    REPEATED_MEMBER,
    NO_SCORECARD,
    LOOKS_LIKE_ONE,
    LIST_IN_THE_WORK,
    UNKNOWN_PERSONA,
    CUT_TEXT,
    REPAIRED,
];
