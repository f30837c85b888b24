//! Text of spreadsheets and of tables with separators.
//!
//! In: the bytes of an XLSX, XLS, XLSB or ODS file, or of a CSV file. Out: rows as lines, cells parted
//! by tabs, numbers and dates as the sheet holds them. Hidden sheets are left out.

use super::{ExtractedText, Unreadable, plain};
use crate::position::Span;
use calamine::{Data, Reader, SheetVisible, open_workbook_auto_from_rs};
use std::fmt::Write as _;
use std::io::Cursor;

/// The cells of all visible sheets.
pub(super) fn workbook(bytes: &[u8], limit: usize) -> Result<ExtractedText, Unreadable> {
    let fault = |error: &dyn std::fmt::Display| {
        Unreadable::new(format!("not a workbook that can be read: {error}"))
    };
    let mut book = open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(|error| fault(&error))?;
    let sheets: Vec<String> = book
        .sheets_metadata()
        .iter()
        .filter(|sheet| sheet.visible == SheetVisible::Visible)
        .map(|sheet| sheet.name.clone())
        .collect();
    let mut out = String::new();
    for name in sheets {
        let range = book.worksheet_range(&name).map_err(|error| fault(&error))?;
        out.push_str(&name);
        out.push('\n');
        for row in range.rows() {
            for (index, cell) in row.iter().enumerate() {
                if index > 0 {
                    out.push('\t');
                }
                write_cell(cell, &mut out);
            }
            out.truncate(out.trim_end_matches('\t').len());
            out.push('\n');
            if out.len() > limit {
                return Err(Unreadable::new(format!(
                    "text is longer than the {limit} bytes that are read"
                )));
            }
        }
    }
    Ok(ExtractedText::flowing("workbook", out))
}

fn write_cell(cell: &Data, out: &mut String) {
    if let Data::DateTime(date) = cell
        && date.is_datetime()
    {
        let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
        // Writing to a string does not fail.
        let _ = write!(out, "{year:04}-{month:02}-{day:02}");
        if (hour, minute, second) != (0, 0, 0) {
            let _ = write!(out, " {hour:02}:{minute:02}:{second:02}");
        }
        return;
    }
    let _ = write!(out, "{cell}");
}

/// The fields of a table with separators, as they are shown, without their quotation marks.
pub(super) fn csv(bytes: &[u8]) -> Result<ExtractedText, Unreadable> {
    let (text, _) = plain::decode(bytes)?;
    // Marks around a field and doubled ones in it are how it is written, not what it says.
    let mut markup = Vec::new();
    let mut is_quoted = false;
    let mut at_field = true;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let mark = Span {
            byte_start: at,
            byte_end: at + character.len_utf8(),
        };
        match (character, is_quoted) {
            ('"', false) if at_field => {
                is_quoted = true;
                markup.push(mark);
            }
            ('"', true) => {
                if characters.next_if(|(_, next)| *next == '"').is_none() {
                    is_quoted = false;
                }
                markup.push(mark);
            }
            (',' | ';' | '\t', false) => markup.push(mark),
            _ => {}
        }
        at_field = !is_quoted && matches!(character, ',' | ';' | '\t' | '\n' | '\r');
    }
    Ok(ExtractedText {
        markup,
        is_spaced_by_place: true,
        ..ExtractedText::plain("csv", text)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Extractor, extract};

    #[test]
    fn cells_read_as_they_are_shown() {
        let read = extract(
            "a.csv",
            b"Item,Price\n\"Desk, \"\"oak\"\"\",200\n",
            Extractor::Pdfium,
        )
        .unwrap();
        let quotes = ["Desk, \"oak\" 200", "\"Desk, \"\"oak\"\"\",200", "Desk 200"];
        let source = crate::evidence::Prepared::new(&read.text).unwrap();
        assert_eq!(
            crate::evidence::accepted_extracted(&source, read.layers(), &quotes),
            [true, true, false]
        );
    }

    #[test]
    fn what_is_no_workbook_is_unreadable() {
        let error = extract("a.xlsx", b"some bytes", Extractor::Pdfium).unwrap_err();
        assert!(
            error
                .reason
                .starts_with("not a workbook that can be read: "),
            "{error}"
        );
    }
}
