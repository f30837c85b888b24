//! The chain of custody: which files may stand in a run, by their receipts or by what gives them.
//!
//! In: receipts with their paths resolved and what the run holds; or a ledger and what plan and
//! results give. Out: what breaks the chain. Nothing here touches a file: whether a file is what its
//! receipt says, and follows from its inputs, is derived before.

use super::receipt::{self, Receipt};
use super::{Ledger, NULL, rules};
use crate::finding::{Finding, Location, counted, excerpt};
use crate::text::python::repr;
use crate::value::Value;
use std::path::{Path, PathBuf};

/// A receipt as it lies in the run.
#[derive(Clone, Debug)]
pub struct Held {
    /// Where it lies.
    pub path: PathBuf,
    /// Whether it is a plain file, and no link.
    pub is_plain: bool,
    /// What it says.
    pub receipt: Receipt,
    /// Where its output lies.
    pub output: PathBuf,
    /// Where each input lies, in the receipt's order.
    pub inputs: Vec<PathBuf>,
}

impl Held {
    fn input(&self, role: &str) -> Option<(&Path, &str)> {
        let items = self.receipt.inputs.iter().zip(&self.inputs);
        items
            .into_iter()
            .find(|(item, _)| item.role == role)
            .map(|(item, path)| (path.as_path(), item.sha256.as_str()))
    }
}

/// A ledger of the run.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Where it lies.
    pub path: PathBuf,
    /// Whether it holds quote receipts.
    pub has_quotes: bool,
    /// Whether it holds checker receipts.
    pub has_checkers: bool,
}

/// What a run holds besides receipts.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Its ledgers; the one that has come furthest is the last.
    pub ledgers: Vec<Claim>,
    /// SHA-256 of its framework.
    pub framework: Option<String>,
    /// SHA-256 of its manifest.
    pub manifest: Option<String>,
}

/// What breaks the chain: the file and why.
pub type Break = (PathBuf, String);

/// The first thing that keeps the run's last ledger from following from its documents, merge from
/// plan from quotes; nothing when all of it does.
pub fn first_break(held: &[Held], run: &Run) -> Option<Break> {
    held.iter()
        .find_map(misplaced)
        .or_else(|| run.ledgers.iter().find_map(|claim| unproved(held, claim)))
        .or_else(|| broken_chain(held, run))
}

/// A receipt that does not lie beside the file it is named after.
fn misplaced(held: &Held) -> Option<Break> {
    let tell = |said: String| Some((held.path.clone(), said));
    if !held.is_plain {
        return tell("the receipt is a link, so anybody can exchange what it says".to_owned());
    }
    let place = receipt::path_of(&held.output);
    if held.receipt.output.name.contains('/') || held.path.file_name() != place.file_name() {
        return tell(format!(
            "it names `{}` as its output; the receipt of that file is `{}` beside it",
            excerpt(&held.receipt.output.name),
            excerpt(
                &place
                    .file_name()
                    .map(|name| name.to_string_lossy())
                    .unwrap_or_default()
            )
        ));
    }
    None
}

fn writer<'h>(held: &'h [Held], path: &Path, commands: &[&str]) -> Option<&'h Held> {
    held.iter()
        .find(|held| held.output == path && commands.contains(&held.receipt.command.as_str()))
}

/// A ledger that holds receipts of a stage and is no file that such a stage wrote. What the workers
/// wrote is known by the quotes stage that read it, and drops what they claim.
fn unproved(held: &[Held], claim: &Claim) -> Option<Break> {
    let is_source = held.iter().any(|held| {
        held.receipt.command == "ledger quotes"
            && held
                .input("findings")
                .is_some_and(|(path, _)| path == claim.path)
    });
    let commands: &[&str] = if claim.has_checkers {
        &["ledger merge"]
    } else {
        &["ledger quotes", "ledger merge"]
    };
    let is_claiming = claim.has_checkers || claim.has_quotes;
    if !is_claiming || is_source || writer(held, &claim.path, commands).is_some() {
        return None;
    }
    let what = if claim.has_checkers {
        "checker"
    } else {
        "quote"
    };
    Some((claim.path.clone(), no_receipt(&claim.path, what)))
}

fn no_receipt(path: &Path, what: &str) -> String {
    let place = receipt::path_of(path);
    let name = place
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    format!(
        "it holds {what} receipts, and no `{}` beside it says that a stage wrote it",
        excerpt(&name)
    )
}

fn broken_chain(held: &[Held], run: &Run) -> Option<Break> {
    let last = run.ledgers.last()?;
    let tell = |path: &Path, said: &str| Some((path.to_path_buf(), said.to_owned()));
    let Some(merge) = writer(held, &last.path, &["ledger merge"]) else {
        return tell(
            &last.path,
            "the chain ends before `gatewright ledger merge`: no checker is proved to have looked at it",
        );
    };
    let Some((quoted, quoted_sha256)) = merge.input("findings") else {
        return tell(&merge.path, "it names no ledger that was merged");
    };
    let Some(quotes) = writer(held, quoted, &["ledger quotes"]) else {
        return tell(
            quoted,
            "the chain does not start at the documents: no receipt says that `gatewright ledger quotes` wrote this ledger",
        );
    };
    if let (Some(manifest), Some((path, sha256))) = (&run.manifest, quotes.input("manifest"))
        && manifest != sha256
    {
        return tell(
            path,
            "quotes were looked for by another manifest than the run's",
        );
    }
    let Some(plan) = merge
        .input("checker_plan")
        .and_then(|(path, _)| writer(held, path, &["ledger plan"]))
    else {
        return tell(
            &merge.path,
            "no receipt says that `gatewright ledger plan` wrote the plan that was merged",
        );
    };
    if plan.input("findings") != Some((quoted, quoted_sha256)) {
        return tell(
            &plan.output,
            "the plan was made for another ledger than the one that was merged",
        );
    }
    if let (Some(framework), Some((path, sha256))) = (&run.framework, plan.input("framework"))
        && framework != sha256
    {
        return tell(
            path,
            "the plan was made for another framework than the run's",
        );
    }
    None
}

/// What a ledger says otherwise than plan and results give it, finding by finding.
pub fn differences(name: &str, ledger: &Ledger<'_>, derived: &Ledger<'_>) -> Vec<Finding> {
    if ledger.digest() == derived.digest() {
        return Vec::new();
    }
    let unbound = |path: String, said: String| {
        Finding::new(
            &rules::CHECKER_RECEIPT_UNBOUND,
            Location::at_path(name, path),
            said,
        )
    };
    let mut out = Vec::new();
    if let (Ok(found), Ok(given)) = (ledger.findings(), derived.findings()) {
        for (index, (found, given)) in found.zip(given).enumerate() {
            if found == given {
                continue;
            }
            let keys = [
                "verification",
                "quote_verification",
                "status",
                "quote",
                "finding_id",
            ];
            let key = keys
                .into_iter()
                .find(|key| found.get(key) != given.get(key));
            let of = |value: &Value<'_>| {
                excerpt(&repr(
                    key.map_or(value, |key| value.get(key).unwrap_or(NULL)),
                ))
            };
            out.push(unbound(
                format!(
                    "$.findings[{index}]{}",
                    key.map_or(String::new(), |key| format!(".{key}"))
                ),
                format!(
                    "the finding is not what plan and results give: {}, they give {}",
                    of(&found),
                    of(&given)
                ),
            ));
        }
    }
    if let (Ok(found), Ok(given)) = (ledger.count(), derived.count())
        && found != given
    {
        out.push(unbound(
            "$.findings".to_owned(),
            format!(
                "{}, plan and results give {given}",
                counted(found, "finding")
            ),
        ));
    }
    if out.is_empty() {
        out.push(unbound(
            "$".to_owned(),
            "the ledger's own members are not those that plan and results give".to_owned(),
        ));
    }
    out
}

/// A ledger with receipts that nothing in the run gives, and why.
pub fn unbound(name: &str, receipts: usize, why: &str) -> Finding {
    Finding::new(
        &rules::CHECKER_RECEIPT_UNBOUND,
        Location::at_path(name, "$.findings"),
        format!(
            "{} in the ledger, and nothing in the run gives them: {why}",
            counted(receipts, "checker receipt")
        ),
    )
}
