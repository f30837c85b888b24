//! Markdown as it is written and as a page shows it.
//!
//! In: the text of a Markdown file. Out: the same text with the places of everything that a page does
//! not show: marks of emphasis and headings, addresses of links, fences, comments. A quote may be
//! copied from either.

use super::{ExtractedText, Unreadable, plain};
use crate::position::Span;
use pulldown_cmark::{Event, Options, Parser};

/// The text and its markup.
pub(super) fn text(bytes: &[u8]) -> Result<ExtractedText, Unreadable> {
    let (text, reader) = plain::decode(bytes)?;
    let markup = markup(&text);
    Ok(ExtractedText {
        markup,
        ..ExtractedText::plain(reader.replace("text", "markdown"), text)
    })
}

// White space stays, so that words do not run together.
fn markup(text: &str) -> Vec<Span> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut shown = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            // A character reference shows what it stands for.
            Event::Text(said) if said.len() <= range.len() => shown.push(range),
            Event::Code(said) => {
                let whole = text.get(range.clone()).unwrap_or_default();
                if let Some(at) = whole.find(said.trim()) {
                    shown.push(range.start + at..range.start + at + said.trim().len());
                }
            }
            Event::Text(_)
            | Event::Start(_)
            | Event::End(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    shown.sort_by_key(|range| (range.start, range.end));
    let mut spans = Vec::new();
    let mut end = 0;
    for range in shown
        .into_iter()
        .chain(std::iter::once(text.len()..text.len()))
    {
        if range.start > end {
            spans.push(Span {
                byte_start: end,
                byte_end: range.start,
            });
        }
        end = end.max(range.end);
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::super::{Extractor, extract};
    use crate::evidence::{Prepared, accepted_extracted};

    #[test]
    fn quotes_come_from_the_page_or_from_the_file() {
        let written = "# Lease\n\nThe tenant shall **not** assign [this lease](https://example.com/l) to `any one`.\n\n- first\n- second ~~or third~~\n\n| a | b |\n|---|---|\n| c | d |\n";
        let read = extract("a.md", written.as_bytes(), Extractor::Pdfium).unwrap();
        let source = Prepared::new(&read.text).unwrap();
        for (quote, want) in [
            ("The tenant shall not assign this lease to any one.", true),
            (
                "shall **not** assign [this lease](https://example.com/l) to",
                true,
            ),
            ("Lease The tenant shall", true),
            ("first second or third", true),
            ("a b c d", true),
            ("The tenant shall assign this lease", false),
        ] {
            assert_eq!(
                accepted_extracted(&source, read.layers(), &[quote]),
                [want],
                "{quote}"
            );
        }
    }
}
