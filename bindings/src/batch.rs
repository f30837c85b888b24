//! Batches of rows for Python: Arrow buffers in as `bytes`, Arrow buffers out as `bytes`.
//!
//! `gatewright.batch` takes the buffers from pyarrow and gives them back to it; nothing of Arrow is
//! linked here.

use super::call::{detached, in_world};
use super::convert::value_from;
use super::outcome::{outcome_to, raised};
use gatewright::batch::columns::{
    Bits, Flags, Integers, Offsets, StringLists, Strings, Texts, Valid,
};
use gatewright::batch::ground::{self, Answers, Batch, Refusal};
use gatewright::error::Error;
use gatewright::gates::coverage::{Coverage, Fault, Given};
use gatewright::gates::reconcile::{Inputs, LedgerHead};
use gatewright::value::Value;
use gatewright::world::World as _;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyBytesMethods, PyDict};

/// A column of texts: offsets, data, one byte a row that says whether it has one.
type TextBuffers<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

fn texts<'a>((offsets, data, valid): &'a TextBuffers<'_>) -> Texts<'a> {
    Texts {
        offsets: Offsets::new(offsets.as_bytes()),
        data: data.as_bytes(),
        valid: Valid(valid.as_bytes()),
    }
}

/// Grade the quotes of a batch: `{column: buffers}`, as `gatewright.batch.ground` names them.
#[pyfunction]
#[expect(
    clippy::needless_pass_by_value,
    reason = "PyO3 hands arguments over by value"
)]
pub(crate) fn ground_batch<'py>(
    py: Python<'py>,
    documents: TextBuffers<'py>,
    lists: (Bound<'py, PyBytes>, Bound<'py, PyBytes>),
    quotes: TextBuffers<'py>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let batch = Batch {
        documents: texts(&documents),
        lists: Offsets::new(lists.0.as_bytes()),
        lists_valid: Valid(lists.1.as_bytes()),
        quotes: texts(&quotes),
    };
    let answers = in_world(py, |world| {
        ground::ground(&batch, threads, &mut || !world.is_interrupted()).map_err(|refusal| {
            match refusal {
                Refusal::Stopped => Error::Interrupted,
                Refusal::TooLarge => Error::Usage(String::from(
                    "the answers of this batch take more than 2 GiB: hand it over in smaller parts",
                )),
            }
        })
    })?;
    columns(py, &answers)
}

fn bits<'py>(py: Python<'py>, bits: &Bits) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &bits.bytes)
}

fn columns<'py>(py: Python<'py>, answers: &Answers) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let integers = |column: &Integers| (bits(py, &column.valid), PyBytes::new(py, &column.data));
    let flags = |column: &Flags| (bits(py, &column.valid), bits(py, &column.data));
    let strings = |column: &Strings| {
        (
            bits(py, &column.valid),
            PyBytes::new(py, &column.ends.0),
            PyBytes::new(py, &column.data),
        )
    };
    let lists = |column: &StringLists| (PyBytes::new(py, &column.ends.0), strings(&column.items));
    out.set_item("row", integers(&answers.row))?;
    out.set_item("index", integers(&answers.index))?;
    out.set_item("quote", strings(&answers.quote))?;
    out.set_item("grade", strings(&answers.grade))?;
    out.set_item("is_accepted", flags(&answers.is_accepted))?;
    out.set_item("flags", lists(&answers.flags))?;
    out.set_item("occurrences", integers(&answers.occurrences))?;
    let names = [
        "byte_start",
        "byte_end",
        "line",
        "column",
        "end_line",
        "end_column",
    ];
    for (name, column) in names.into_iter().zip(&answers.place) {
        out.set_item(name, integers(column))?;
    }
    out.set_item("difference", strings(&answers.difference))?;
    out.set_item("error", strings(&answers.error))?;
    Ok(out)
}

/// A text of a column. Arrow's texts are UTF-8; other bytes are no id of anything.
fn text(column: Option<Texts<'_>>, row: usize) -> Option<&str> {
    let bytes = column?.get(row)?;
    Some(std::str::from_utf8(bytes).unwrap_or("\u{fffd}"))
}

/// The reconcile gate in parts, under `gatewright.batch.Coverage`.
#[pyclass(name = "CoverageSummary", module = "gatewright._native")]
pub(crate) struct PyCoverage {
    summary: Coverage,
}

/// The columns of a batch of findings; one that is missing has no buffers.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Columns<'py> {
    len: usize,
    finding_id: Option<TextBuffers<'py>>,
    issue_id: Option<TextBuffers<'py>>,
    lens_id: Option<TextBuffers<'py>>,
    doc_id: Option<TextBuffers<'py>>,
    unit_id: Option<TextBuffers<'py>>,
    status: Option<TextBuffers<'py>>,
    quote: Option<TextBuffers<'py>>,
    section: Option<TextBuffers<'py>>,
    characterization: Option<TextBuffers<'py>>,
    quote_verification: (Option<TextBuffers<'py>>, Option<TextBuffers<'py>>),
    verification: (Option<TextBuffers<'py>>, Option<TextBuffers<'py>>),
    /// A byte a row: whether `current_position` is true, whether the bands are there.
    current_position: Bound<'py, PyBytes>,
    band: Bound<'py, PyBytes>,
    band_basis: Bound<'py, PyBytes>,
}

#[pymethods]
impl PyCoverage {
    /// With a framework the quotes that lenses share are kept.
    #[new]
    fn new(framework: &Bound<'_, PyAny>) -> PyResult<Self> {
        let framework = (!framework.is_none())
            .then(|| value_from(framework))
            .transpose()?;
        Ok(Self {
            summary: Coverage::new(framework.as_ref()),
        })
    }

    /// Findings seen.
    #[getter]
    fn len_findings(&self) -> u64 {
        self.summary.len_findings()
    }

    /// Take a batch of findings.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "PyO3 hands arguments over by value"
    )]
    fn update(&mut self, py: Python<'_>, columns: Columns<'_>) -> PyResult<()> {
        let [finding_id, issue_id, lens_id, doc_id, unit_id, status] = [
            &columns.finding_id,
            &columns.issue_id,
            &columns.lens_id,
            &columns.doc_id,
            &columns.unit_id,
            &columns.status,
        ]
        .map(|buffers| buffers.as_ref().map(texts));
        let [quote, section, characterization] =
            [&columns.quote, &columns.section, &columns.characterization]
                .map(|buffers| buffers.as_ref().map(texts));
        let receipts = [&columns.quote_verification, &columns.verification]
            .map(|(status, checker)| (status.as_ref().map(texts), checker.as_ref().map(texts)));
        let bytes = [
            &columns.current_position,
            &columns.band,
            &columns.band_basis,
        ]
        .map(PyBytesMethods::as_bytes);
        let len = columns.len;
        let summary = &mut self.summary;
        detached(py, || {
            for row in 0..len {
                let flag = |bytes: &[u8]| bytes.get(row).is_some_and(|&byte| byte != 0);
                let [current, band, band_basis] = bytes.map(flag);
                summary.add(&Given {
                    finding_id: text(finding_id, row),
                    issue_id: text(issue_id, row),
                    lens_id: text(lens_id, row),
                    doc_id: text(doc_id, row),
                    unit_id: text(unit_id, row),
                    status: text(status, row),
                    quote: text(quote, row),
                    section: text(section, row),
                    characterization: text(characterization, row),
                    receipts: receipts
                        .map(|(status, checker)| (text(status, row), text(checker, row))),
                    is_current: current,
                    has_bands: [band, band_basis],
                });
            }
        })
    }

    /// Take everything that another one has seen.
    fn merge(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        let (summary, other) = (&mut self.summary, &other.summary);
        detached(py, || summary.merge(other))?.map_err(|fault| unusable(py, fault))
    }

    /// The outcome for all findings seen.
    fn outcome<'py>(
        &self,
        manifest: &Bound<'py, PyAny>,
        framework: &Bound<'py, PyAny>,
        families: &Bound<'py, PyAny>,
        framework_version: &Bound<'py, PyAny>,
        parked: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = manifest.py();
        let [manifest, framework, families, framework_version, parked] =
            [manifest, framework, families, framework_version, parked].map(value_from);
        let (manifest, framework, families) = (manifest?, framework?, families?);
        let head = LedgerHead {
            framework_version: Some(framework_version?),
            parked: Some(parked?),
        };
        let inputs = Inputs {
            manifest: &manifest,
            framework: &framework,
            families: (families != Value::Null).then_some(&families),
        };
        let outcome = in_world(py, |_| self.summary.outcome(inputs, &head).map_err(error))?;
        outcome_to(py, outcome)
    }

    /// The summary as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.summary.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The summary that `to_bytes` wrote.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let summary = detached(py, || Coverage::from_bytes(data))?;
        let summary = summary.map_err(|_| {
            PyValueError::new_err("these bytes are no Coverage of this version of gatewright")
        })?;
        Ok(Self { summary })
    }
}

fn error(fault: Fault) -> Error {
    match fault {
        Fault::Refused(refusal) => Error::Unusable {
            name: refusal.input.to_owned(),
            path: refusal.path,
            reason: refusal.reason,
        },
        Fault::NoQuotes => Error::Usage(String::from(
            "the framework has overlap owners, and their quotes were not kept: make every part with Coverage(framework)",
        )),
        Fault::OtherFramework => Error::Usage(String::from(
            "the parts were made with different frameworks: make every part with the same Coverage(framework)",
        )),
    }
}

fn unusable(py: Python<'_>, fault: Fault) -> PyErr {
    raised(py, &error(fault))
}
