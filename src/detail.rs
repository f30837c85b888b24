//! Details of an outcome: what reports show beyond findings, as typed data.
//!
//! A gate pushes what it has onto `Outcome.details`; order is the order of display and several of
//! one kind are fine. The JSON report gives each as `{"kind": "evidence" | "matrix" | "palette" |
//! "conditions", ...}` with the fields below, source texts left out (the caller has the files);
//! the HTML report draws them. All texts are untrusted and plain: the renderers escape.
//!
//! Who fills what: quote gates (evidence, scorecard, ledger quotes) [`Evidence`]; coverage gates
//! (counts, ledger) [`Matrix`]; the palette gates [`Palette`]; verdict and draft assessment
//! [`Conditions`].

use crate::evidence::Match;
use crate::position::{Position, Span};
use crate::value::Text;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One thing to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Detail {
    /// Quotes and the texts they were looked up in.
    Evidence(Evidence),
    /// Issue x unit coverage.
    Matrix(Matrix),
    /// Colours: palette, observed, orphans.
    Palette(Palette),
    /// Conditions of a verdict, met or not.
    Conditions(Conditions),
}

/// Quotes and the texts they were looked up in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The texts, each once.
    pub sources: Vec<SourceText>,
    /// The quotes, in input order, dropped ones included.
    pub quotes: Vec<Quote>,
}

/// A text that quotes were looked up in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Display name, as in the findings' `source`.
    pub name: String,
    /// The text. Spans of quotes are bytes of it.
    pub text: Arc<str>,
}

/// One quote and how it stands in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Id of the finding that cites it, or its number in the input from 1.
    pub id: String,
    /// The quote as cited.
    pub quote: String,
    /// Index into [`Evidence::sources`].
    pub source_index: usize,
    /// `identical`, `reflowed`, `typographic`, `elided`, `near` or `absent`.
    pub grade: String,
    /// Flags such as `omits_negation`.
    pub flags: Vec<String>,
    /// Bytes of the passage in the source's text; absent when there is none.
    pub span: Option<Span>,
    /// Start of the passage.
    pub start: Option<Position>,
    /// End of the passage, exclusive.
    pub end: Option<Position>,
    /// Page of the passage, from 1, in a document with pages.
    #[serde(default)]
    pub page: Option<usize>,
    /// The difference in words, e.g. "missing after `landlord is`: `not`".
    pub difference: Option<String>,
    /// Reason code when the finding was dropped because of it.
    pub dropped: Option<String>,
    /// What the finding claims, for the reader; may be empty.
    pub claim: String,
}

impl Quote {
    /// `quote` as cited by `id`, with the answer that matching gave for it in the first source.
    pub fn answered(id: String, quote: &Text<'_>, answer: &Match) -> Self {
        Self {
            id,
            quote: quote.to_display().into_owned(),
            source_index: 0,
            grade: answer.grade.name().to_owned(),
            flags: answer
                .flags
                .iter()
                .map(|flag| flag.name().to_owned())
                .collect(),
            span: answer.at.map(|at| at.span),
            start: answer.at.map(|at| at.start),
            end: answer.at.map(|at| at.end),
            page: answer.at.and_then(|at| at.page),
            difference: answer.difference.clone(),
            dropped: None,
            claim: String::new(),
        }
    }
}

/// Issue x unit coverage. Compact on purpose: 10,000 units are ordinary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// What a row is, e.g. `issue`.
    pub row_kind: String,
    /// What a column is, e.g. `unit`.
    pub column_kind: String,
    /// Row names.
    pub rows: Vec<String>,
    /// Column names.
    pub columns: Vec<String>,
    /// The states a cell can have; at most 60.
    pub states: Vec<MatrixState>,
    /// `cells[row][column]` is an index into `states`.
    pub cells: Vec<Vec<u8>>,
    /// Cells with something to say.
    pub notes: Vec<CellNote>,
}

/// A state of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixState {
    /// e.g. `present`, `absent`, `unresolved`, `missing`, `repeated`.
    pub name: String,
    /// Whether a cell of this state is a fault, so that it stands out.
    pub is_fault: bool,
}

/// A remark on one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellNote {
    /// Row index.
    pub row: usize,
    /// Column index.
    pub column: usize,
    /// The remark, e.g. the finding's id or its quote.
    pub text: String,
}

/// Colours: palette, observed, orphans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Palette {
    /// Every colour once, sorted by code point. An orphan is observed and not in the palette.
    pub swatches: Vec<Swatch>,
}

/// One colour token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swatch {
    /// Canonical form: `#rrggbbaa`, or a token such as `red`.
    pub color: String,
    /// Whether the palette has it.
    pub is_in_palette: bool,
    /// Whether a screen shows it.
    pub is_observed: bool,
    /// Where it was seen, e.g. `$.screens[0].background_color`; a few suffice, may be empty.
    pub places: Vec<String>,
}

/// Conditions of a verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// What they decide, e.g. `verdict`.
    pub title: String,
    /// The conditions in the order they are decided.
    pub conditions: Vec<Condition>,
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Group heading, e.g. `gate_results`; may be empty.
    pub group: String,
    /// The condition as a sentence that should hold.
    pub text: String,
    /// Whether it holds.
    pub state: ConditionState,
    /// The measured value or reason; may be empty.
    pub note: String,
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionState {
    /// It holds.
    Met,
    /// It does not.
    Unmet,
    /// It was not looked at; the note says why.
    NotChecked,
}
