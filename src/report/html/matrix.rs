//! A coverage matrix for the page: totals for everyone, compact data for the grid's script.

use crate::detail::{CellNote, Matrix, MatrixState};
use crate::report::text::escaped;
use serde_json::json;

/// One character per state; the script has the same alphabet.
const ALPHABET: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

pub(super) struct MatrixView<'a> {
    pub(super) id: String,
    pub(super) row_kind: &'a str,
    pub(super) column_kind: &'a str,
    pub(super) states: &'a [MatrixState],
    pub(super) totals: Vec<TotalRow>,
    pub(super) data: String,
}

pub(super) struct TotalRow {
    pub(super) name: String,
    pub(super) cells: Vec<TotalCell>,
}

pub(super) struct TotalCell {
    pub(super) count: usize,
    pub(super) is_fault: bool,
}

impl<'a> MatrixView<'a> {
    pub(super) fn new(matrix: &'a Matrix, id: &str) -> Self {
        // The table stands beside the grid for those who cannot use it; beyond some rows it
        // would only repeat the grid.
        const MOST_TOTALS: usize = 500;
        let totals = matrix
            .rows
            .iter()
            .zip(&matrix.cells)
            .take(MOST_TOTALS)
            .map(|(name, cells)| TotalRow {
                name: escaped(name),
                cells: totals(matrix, cells),
            })
            .collect();
        Self {
            id: id.to_owned(),
            row_kind: &matrix.row_kind,
            column_kind: &matrix.column_kind,
            states: &matrix.states,
            totals,
            data: data(matrix),
        }
    }
}

fn totals(matrix: &Matrix, cells: &[u8]) -> Vec<TotalCell> {
    let mut counts = vec![0_usize; matrix.states.len()];
    for &cell in cells {
        if let Some(count) = counts.get_mut(usize::from(cell)) {
            *count += 1;
        }
    }
    matrix
        .states
        .iter()
        .zip(counts)
        .map(|(state, count)| TotalCell {
            count,
            is_fault: state.is_fault && count > 0,
        })
        .collect()
}

/// The matrix as JSON that may stand inside a script element: no `<` is left in it.
fn data(matrix: &Matrix) -> String {
    let width = matrix.columns.len();
    let cells: Vec<String> = (0..matrix.rows.len())
        .map(|row| {
            (0..width)
                .map(|column| {
                    matrix
                        .cells
                        .get(row)
                        .and_then(|cells| cells.get(column))
                        .and_then(|&state| ALPHABET.get(usize::from(state)))
                        .map_or('?', |&letter| char::from(letter))
                })
                .collect()
        })
        .collect();
    json!({
        "row_kind": matrix.row_kind,
        "column_kind": matrix.column_kind,
        "rows": matrix.rows.iter().map(|name| escaped(name)).collect::<Vec<_>>(),
        "columns": matrix.columns.iter().map(|name| escaped(name)).collect::<Vec<_>>(),
        "states": matrix.states,
        "cells": cells,
        "notes": matrix
            .notes
            .iter()
            .map(|note| CellNote {
                text: escaped(&note.text),
                ..*note
            })
            .collect::<Vec<_>>(),
    })
    .to_string()
    .replace('<', "\\u003c")
}
