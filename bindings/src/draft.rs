//! The assessment of a draft directory for Python.

use super::call::in_world;
use super::convert::{value_from, value_to};
use clap::ValueEnum as _;
use gatewright::cli::draft_run::{self, Given, Judged, Request};
use gatewright::error::Error;
use gatewright::gates::draft::Lang;
use gatewright::gates::draft::gates::Gate;
use gatewright::gates::palette::Count;
use gatewright::gates::verdict;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

fn gate_of(name: &str) -> Result<Gate, Error> {
    Gate::of_name(name).ok_or_else(|| {
        Error::Usage(format!(
            "no gate `{name}`; expected mermaid-validate or doc-emit"
        ))
    })
}

/// What the caller hands over, each by its keyword in `gatewright.assess`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    findings_path: Option<PathBuf>,
    plugin_root: Option<PathBuf>,
    prompts: Option<PathBuf>,
    gates: Vec<(String, PathBuf)>,
    gate_results: Vec<(String, Vec<u8>)>,
    budget: Option<PathBuf>,
    recount: String,
    lang: String,
    timeout: f64,
    python: OsString,
}

impl Options {
    fn request(self, draft_dir: PathBuf, judged: Option<Judged>) -> Result<Request, Error> {
        let usage = |what: &str, given: &str| Error::Usage(format!("unknown {what} `{given}`"));
        let mut request = Request::of(draft_dir);
        request.judged = judged.or_else(|| self.findings_path.map(Judged::File));
        request.plugin_root = self.plugin_root;
        request.prompts = self.prompts;
        for (name, path) in self.gates {
            request.gates.push((gate_of(&name)?, path));
        }
        for (name, bytes) in self.gate_results {
            request.results.push((gate_of(&name)?, Given::Bytes(bytes)));
        }
        request.budget = self.budget;
        request.count =
            Count::from_str(&self.recount, false).map_err(|_| usage("count", &self.recount))?;
        request.lang =
            Lang::from_str(&self.lang, false).map_err(|_| usage("language", &self.lang))?;
        request.limit = Duration::try_from_secs_f64(self.timeout)
            .map_err(|_| usage("time limit", &self.timeout.to_string()))?;
        request.python = self.python;
        Ok(request)
    }
}

/// Assess a draft directory: `{"assessment", "draft_hash", "stale", "verdict", "reasons",
/// "recount", "other_recount"}`.
#[pyfunction]
pub(crate) fn assess_draft<'py>(
    py: Python<'py>,
    draft_dir: PathBuf,
    findings: &Bound<'py, PyAny>,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let judged = if findings.is_none() {
        None
    } else {
        Some(Judged::Value(value_from(findings)?))
    };
    let (assessed, lang, value, reasons) = in_world(py, |world| {
        let request = options.request(draft_dir, judged)?;
        let lang = request.lang;
        let assessed = draft_run::run(&request, world)?;
        let value = assessed.assessment.to_value();
        let reasons = assessed.reasons();
        Ok((assessed, lang, value, reasons))
    })?;
    let out = PyDict::new(py);
    out.set_item("assessment", value_to(py, &value)?)?;
    out.set_item("draft_hash", assessed.draft_hash)?;
    out.set_item("stale", assessed.stale)?;
    out.set_item("verdict", verdict::word(&reasons))?;
    let words: Vec<String> = reasons.iter().map(|reason| reason.words(lang)).collect();
    out.set_item("reasons", words)?;
    out.set_item("recount", assessed.count.word())?;
    let other = PyDict::new(py);
    match assessed.other {
        Ok(other_count) => {
            let orphans: Vec<String> = other_count
                .orphans
                .into_iter()
                .map(|orphan| orphan.colour)
                .collect();
            other.set_item("observed_count", other_count.observed_count)?;
            other.set_item("palette_count", other_count.palette_count)?;
            other.set_item("orphans", orphans)?;
            other.set_item("fault", py.None())?;
        }
        Err(fault) => other.set_item("fault", fault)?,
    }
    out.set_item("other_recount", other)?;
    Ok(out)
}
