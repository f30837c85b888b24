//! What is told about a draft besides the assessment: its hash, and what the caller judged.

use super::rule;
use crate::rule::Rule;

/// The bound hash does not fit the files.
pub const STALE: Rule = rule!(
    "CL0-STALE", "stale-draft-hash", Warning, "7.3",
    checks: "The hash that the files give is not the `draft_hash` of `sink-status.json`.",
    why: "A failed emission leaves an older `sink-status.json` beside a newer blueprint; the verdict is bound to the recorded hash all the same, so it is told apart from the assessment.",
    fails: "blueprint.json changed after sink-status.json was written",
    repaired: "the draft emitted again, both from one emission",
    remedy: "emit the draft again, so that the hash describes these files",
);
/// A finding of the caller.
pub const JUDGED: Rule = rule!(
    "CL0-JUDGED", "caller-finding", Error, "15",
    checks: "The caller handed over a finding of their own; its severity is the caller's.",
    why: "What needs a reader is added by a reader; it can only add to what the rules found.",
    fails: "{\"findings\": [{\"id\": \"R-1\", \"severity\": \"high\", …}]}",
    repaired: "the finding settled and left out of the file",
    remedy: "settle what the reader found",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[STALE, JUDGED];
