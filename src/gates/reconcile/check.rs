//! The gate of `gatewright ledger reconcile`: the counting and the written contract in one pass.
//!
//! In: the documents, from files or loaded, and the ledger as a document or as a stream of bytes. Out: an
//! [`Outcome`]; the same findings either way, with lines and columns where there are bytes.

use super::contract::Contract;
use super::frame::{self, Frame, Inputs, Place};
use super::result::{LedgerHead, Reconciliation};
use super::tally::{FindingView, Tally};
use super::{Refusal, RefusalKind, read_ledger};
use crate::error::Error;
use crate::finding::{Finding, counted};
use crate::gates::chain::declared;
use crate::outcome::{Input, Outcome, Verdict};
use crate::rule::Severity;
use crate::source::Document;
use crate::value::Value;
use crate::value::json::stream::Stop;
use std::io::Read;

/// What a ledger is held against.
#[derive(Clone, Debug)]
pub struct Against<'d> {
    /// `manifest.json`.
    pub manifest: Document<'d>,
    /// `framework.json`.
    pub framework: Document<'d>,
    /// `families.json`, when given.
    pub families: Option<Document<'d>>,
}

impl<'d> Against<'d> {
    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            manifest: &self.manifest,
            framework: &self.framework,
            families: self.families.as_deref(),
        }
    }

    fn documents(&self) -> impl Iterator<Item = &Document<'d>> {
        [&self.manifest, &self.framework]
            .into_iter()
            .chain(&self.families)
    }

    /// The members that every input must have, read or not.
    fn require(&self) -> Result<(), Refusal> {
        require(&self.manifest, "manifest", &["documents", "counts"])?;
        require(
            &self.framework,
            "framework",
            &["framework_version", "lenses"],
        )?;
        match &self.families {
            Some(families) => require(families, "families", &["families"]),
            None => Ok(()),
        }
    }

    /// The display name of an input.
    fn name(&self, input: &str, ledger: &str) -> String {
        let given = self.documents().find(|document| document.role == input);
        given.map_or(ledger, |document| document.name).to_owned()
    }

    fn outcome(
        &self,
        result: &Reconciliation,
        ledger_name: &str,
        ledger: Option<Input>,
        head: &LedgerHead<'_>,
    ) -> Outcome {
        let mut outcome = result.outcome(&result.notes(), |input| self.name(input, ledger_name));
        add_word(
            result,
            (self.manifest.name, &self.manifest),
            (ledger_name, head.parked.as_ref()),
            &mut outcome,
        );
        for document in self.documents() {
            document.locate(&mut outcome.findings);
        }
        let families = self.families.as_ref().and_then(Document::input);
        outcome.inputs = [
            self.manifest.input(),
            ledger,
            self.framework.input(),
            families,
        ]
        .into_iter()
        .flatten()
        .collect();
        outcome
    }

    fn error(&self, refusal: Refusal, ledger: &str) -> Error {
        Error::Unusable {
            name: self.name(refusal.input, ledger),
            path: refusal.path,
            reason: refusal.reason,
        }
    }
}

/// Adds to `outcome` what rests on the word of whoever wrote the inputs: what manifest and parked entries
/// declare, each with its display name, and the receipts that were taken as the ledger has them.
pub(crate) fn add_word(
    result: &Reconciliation,
    manifest: (&str, &Value<'_>),
    parked: (&str, Option<&Value<'_>>),
    outcome: &mut Outcome,
) {
    let declared = declared::check(manifest, parked);
    let is_failing = |finding: &Finding| finding.severity == Severity::Error;
    if declared.iter().any(is_failing) {
        outcome.verdict = Verdict::Failed;
    }
    outcome.findings.extend(declared);
    add_trust(result, outcome);
}

/// Says which receipts were taken as the ledger has them.
fn add_trust(result: &Reconciliation, outcome: &mut Outcome) {
    let [quotes, checkers] = result.confirmed;
    let trusted = serde_json::json!({"quote": quotes, "checker": checkers});
    outcome
        .facts
        .insert("receipts_on_trust".to_owned(), trusted);
    if quotes + checkers > 0 {
        let said = format!(
            "; on trust: {} and {}",
            counted(quotes, "quote receipt"),
            counted(checkers, "checker receipt")
        );
        outcome.summary.push_str(&said);
    }
}

fn require(value: &Value<'_>, input: &'static str, keys: &[&str]) -> Result<(), Refusal> {
    let place = Place::root(input);
    let what = format!("the {input}");
    let root = place.object(value, &what)?;
    match keys.iter().find(|key| !root.contains_key(key)) {
        Some(key) => Err(place.refuse(RefusalKind::Key, format!("the {input} has no `{key}`"))),
        None => Ok(()),
    }
}

/// Hold `ledger` against the documents.
///
/// # Errors
/// At a value that cannot be used.
pub fn check(against: &Against<'_>, ledger: &Document<'_>) -> Result<Outcome, Error> {
    let head = LedgerHead {
        framework_version: ledger.get("framework_version").cloned(),
        parked: ledger.get("parked").cloned(),
    };
    let result =
        judged(against, ledger, &head).map_err(|refusal| against.error(refusal, ledger.name))?;
    let mut outcome = against.outcome(&result, ledger.name, ledger.input(), &head);
    ledger.locate(&mut outcome.findings);
    Ok(outcome)
}

fn judged(
    against: &Against<'_>,
    ledger: &Value<'_>,
    head: &LedgerHead<'_>,
) -> Result<Reconciliation, Refusal> {
    against.require()?;
    require(ledger, "findings", &["findings"])?;
    let inputs = against.inputs();
    let frame = Frame::new(inputs)?;
    let mut tally = Tally::new(&frame).with_contract(Contract::new(inputs));
    let place = Place::root("findings");
    let root = place.object(ledger, "the ledger")?;
    let listed = place.member(root, "findings")?;
    for finding in frame::items_of(listed, || place.key("findings"))? {
        tally.judge(&FindingView::with_details(finding));
    }
    tally.finish(head)
}

/// Hold the ledger `name` that comes out of `bytes` against the documents. The outcome does not identify
/// it yet and its findings in it have no lines.
///
/// # Errors
/// At a value that cannot be used. [`Stop`] in the inner result when the bytes are out of the ordinary,
/// cannot be read, or `progress` says to stop.
pub fn check_stream(
    against: &Against<'_>,
    name: &str,
    bytes: &mut dyn Read,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<Result<Outcome, Stop>, Error> {
    let refused = |refusal| against.error(refusal, name);
    against.require().map_err(refused)?;
    let inputs = against.inputs();
    let frame = Frame::new(inputs).map_err(refused)?;
    let mut tally = Tally::new(&frame).with_contract(Contract::new(inputs));
    let head = match read_ledger(bytes, &mut tally, progress) {
        Ok(head) => head,
        Err(stop) => return Ok(Err(stop)),
    };
    let result = tally.finish(&head).map_err(refused)?;
    Ok(Ok(against.outcome(&result, name, None, &head)))
}
