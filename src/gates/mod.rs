//! The gates: pure functions from values to outcomes.
//!
//! One room a gate. What reads files, prints or names Python does not belong here.

pub mod chain;
pub mod coverage;
pub mod draft;
pub mod framework;
pub mod palette;
pub mod quotes;
pub mod reconcile;
pub mod rules;
pub mod scorecard;
pub mod verdict;

/// The gates that a configuration may name, and whether a run may keep what they decide.
///
/// Kept is only what follows from the command line, the files it names and the locale. Gates that
/// write, that run other programs, or that look at files which nobody named (`scorecard check` finds
/// personas by itself) always run. What is listed in neither table fails a test.
pub const GATES: [(&str, Keeping); 15] = [
    ("blueprint accept", Keeping::Never),
    ("blueprint assess", Keeping::Never),
    ("blueprint recount", Keeping::Kept),
    ("blueprint verdict", Keeping::Never),
    ("evidence find", Keeping::Kept),
    ("framework check", Keeping::Kept),
    ("framework diff", Keeping::Kept),
    ("framework freeze", Keeping::Never),
    ("ledger check", Keeping::Never),
    ("ledger merge", Keeping::Never),
    ("ledger plan", Keeping::Never),
    ("ledger quotes", Keeping::Never),
    ("ledger reconcile", Keeping::Kept),
    ("ledger verify", Keeping::Never),
    ("scorecard check", Keeping::Never),
];

/// Whether a run may keep what a gate decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// While nothing that decides has changed.
    Kept,
    /// The gate runs every time.
    Never,
}
