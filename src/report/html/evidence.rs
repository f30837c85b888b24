//! Quotes in their sources for the page: the text cut into runs by the quotes that cover them, and
//! a card per quote.
//!
//! A long source is shown around its quotes only. Overlapping quotes share runs; a run has the
//! look of the worst grade that covers it.

use super::{OwnedPiece, owned};
use crate::detail::{Evidence, Quote, SourceText};
use crate::position::LineIndex;
use crate::report::pieces;
use crate::report::text::escaped;
use similar::{ChangeTag, TextDiff};

/// Sources up to this size are shown whole.
const WHOLE_BYTES: usize = 64 * 1024;
/// Lines shown before and after each quote of a longer source.
const CONTEXT_LINES: usize = 6;
/// Longest texts that are compared word by word.
const COMPARED_BYTES: usize = 4_000;

/// The grades from best to worst: name, class.
const GRADES: [(&str, &str); 6] = [
    ("identical", "exact"),
    ("reflowed", "exact"),
    ("typographic", "typographic"),
    ("elided", "elided"),
    ("near", "near"),
    ("absent", "absent"),
];

pub(super) struct EvidenceView<'a> {
    pub(super) grades: Vec<GradeView>,
    pub(super) sources: Vec<SourceView<'a>>,
}

pub(super) struct GradeView {
    pub(super) name: &'static str,
    pub(super) class: &'static str,
    pub(super) count: usize,
}

pub(super) struct SourceView<'a> {
    pub(super) name: String,
    pub(super) blocks: Vec<Block>,
    pub(super) cards: Vec<Card<'a>>,
    pub(super) dropped: usize,
}

/// Lines that stand together, after `omitted` lines that are not shown.
#[derive(Default)]
pub(super) struct Block {
    pub(super) omitted: usize,
    pub(super) lines: Vec<Line>,
}

pub(super) struct Line {
    pub(super) number: usize,
    pub(super) runs: Vec<Run>,
}

/// A stretch of one line that the same quotes cover.
pub(super) struct Run {
    pub(super) text: String,
    pub(super) class: &'static str,
    /// The quotes that begin here.
    pub(super) labels: Vec<Label>,
}

pub(super) struct Label {
    pub(super) id: String,
    pub(super) grade: String,
    pub(super) class: &'static str,
    pub(super) mark_id: String,
    pub(super) card_id: String,
}

#[expect(
    clippy::struct_field_names,
    reason = "the ids of a card and of its mark are told apart"
)]
pub(super) struct Card<'a> {
    pub(super) id: String,
    pub(super) grade: &'a str,
    pub(super) class: &'static str,
    pub(super) flags: &'a [String],
    pub(super) dropped: Option<&'a str>,
    pub(super) claim: String,
    pub(super) quote: String,
    pub(super) difference: Option<Vec<OwnedPiece>>,
    pub(super) changes: Vec<Change>,
    pub(super) place: Option<String>,
    pub(super) card_id: String,
    pub(super) mark_id: String,
}

pub(super) struct Change {
    pub(super) kind: ChangeKind,
    pub(super) text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChangeKind {
    Same,
    OnlyInQuote,
    OnlyInSource,
}

impl<'a> EvidenceView<'a> {
    pub(super) fn new(evidence: &'a Evidence, id: &str) -> Self {
        let mut sources: Vec<SourceView<'a>> = evidence
            .sources
            .iter()
            .enumerate()
            .map(|(index, source)| source_view(evidence, index, source, id))
            .collect();
        // A quote whose source is unknown is still shown.
        let lost = cards(evidence, id, |quote| {
            quote.source_index >= evidence.sources.len()
        });
        if !lost.is_empty() {
            sources.push(SourceView {
                name: "(no source)".to_owned(),
                blocks: Vec::new(),
                dropped: lost.iter().filter(|card| card.dropped.is_some()).count(),
                cards: lost,
            });
        }
        let grades = GRADES
            .iter()
            .map(|&(name, class)| GradeView {
                name,
                class,
                count: evidence
                    .quotes
                    .iter()
                    .filter(|quote| quote.grade == name)
                    .count(),
            })
            .filter(|grade| grade.count > 0)
            .collect();
        Self { grades, sources }
    }
}

fn rank(grade: &str) -> usize {
    GRADES
        .iter()
        .position(|(name, _)| *name == grade)
        .unwrap_or(GRADES.len() - 1)
}

fn class(grade: &str) -> &'static str {
    GRADES.get(rank(grade)).map_or("absent", |(_, class)| class)
}

/// A passage that lies in the text at character boundaries.
struct Passage<'a> {
    number: usize,
    quote: &'a Quote,
    start: usize,
    end: usize,
}

fn passage_of<'t>(quote: &Quote, text: &'t str) -> Option<&'t str> {
    let span = quote.span?;
    text.get(span.byte_start..span.byte_end)
}

fn source_view<'a>(
    evidence: &'a Evidence,
    index: usize,
    source: &'a SourceText,
    id: &str,
) -> SourceView<'a> {
    let text: &str = &source.text;
    let mut passages: Vec<Passage<'_>> = evidence
        .quotes
        .iter()
        .enumerate()
        .filter(|(_, quote)| quote.source_index == index)
        .filter_map(|(number, quote)| {
            let span = quote.span?;
            let is_real = text
                .get(span.byte_start..span.byte_end)
                .is_some_and(|passage| !passage.is_empty());
            is_real.then_some(Passage {
                number,
                quote,
                start: span.byte_start,
                end: span.byte_end,
            })
        })
        .collect();
    passages.sort_by_key(|passage| (passage.start, passage.end, passage.number));
    let cards = cards(evidence, id, |quote| quote.source_index == index);
    SourceView {
        name: escaped(&source.name),
        blocks: blocks(text, &passages, id),
        dropped: cards.iter().filter(|card| card.dropped.is_some()).count(),
        cards,
    }
}

fn cards<'a>(evidence: &'a Evidence, id: &str, belongs: impl Fn(&Quote) -> bool) -> Vec<Card<'a>> {
    evidence
        .quotes
        .iter()
        .enumerate()
        .filter(|(_, quote)| belongs(quote))
        .map(|(number, quote)| {
            let passage = evidence
                .sources
                .get(quote.source_index)
                .and_then(|source| passage_of(quote, &source.text));
            let is_strict = rank(&quote.grade) <= 1;
            Card {
                id: escaped(&quote.id),
                grade: &quote.grade,
                class: class(&quote.grade),
                flags: &quote.flags,
                dropped: quote.dropped.as_deref(),
                claim: visible(&quote.claim),
                quote: visible(&quote.quote),
                difference: quote
                    .difference
                    .as_deref()
                    .map(|words| pieces(&visible(words)).into_iter().map(owned).collect()),
                changes: match passage {
                    Some(passage) if !is_strict => changes(&quote.quote, passage),
                    _ => Vec::new(),
                },
                place: passage.filter(|passage| !passage.is_empty()).map(|_| {
                    let page = quote
                        .page
                        .map_or(String::new(), |page| format!("Page {page}, line"));
                    let head = if page.is_empty() { "Line" } else { &page };
                    match (quote.start, quote.end) {
                        (Some(start), Some(end)) => format!(
                            "{head} {}:{} to {}:{}",
                            start.line, start.column, end.line, end.column
                        ),
                        (Some(start), None) => format!("{head} {}:{}", start.line, start.column),
                        (None, _) => "Show the passage".to_owned(),
                    }
                }),
                card_id: format!("{id}c{number}"),
                mark_id: format!("{id}m{number}"),
            }
        })
        .collect()
}

/// What differs between the quote and the passage, word by word.
fn changes(quote: &str, passage: &str) -> Vec<Change> {
    if quote.len() > COMPARED_BYTES || passage.len() > COMPARED_BYTES {
        return Vec::new();
    }
    let diff = TextDiff::from_words(quote, passage);
    let mut changes: Vec<Change> = Vec::new();
    for change in diff.iter_all_changes() {
        let kind = match change.tag() {
            ChangeTag::Equal => ChangeKind::Same,
            ChangeTag::Delete => ChangeKind::OnlyInQuote,
            ChangeTag::Insert => ChangeKind::OnlyInSource,
        };
        let text = visible(change.value());
        match changes.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(&text),
            _ => changes.push(Change { kind, text }),
        }
    }
    changes
}

/// `text` with line ends and tabs kept and other control characters made visible, so that the
/// page shows what the bytes hold.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' | '\n' => out.push(character),
            '\r' => out.push('␍'),
            '\u{0}'..='\u{1F}' => {
                out.extend(char::from_u32(0x2400 + u32::from(character)));
            }
            _ => {
                let mut buffer = [0_u8; 4];
                out.push_str(&escaped(character.encode_utf8(&mut buffer)));
            }
        }
    }
    out
}

/// The lines to show, cut into runs.
fn blocks(text: &str, passages: &[Passage<'_>], id: &str) -> Vec<Block> {
    let index = LineIndex::new(text.as_bytes());
    let count = index.line_count();
    let line_of = |byte: usize| index.position(text.as_bytes(), byte).line;
    let shown: Vec<(usize, usize)> = if text.len() <= WHOLE_BYTES {
        vec![(1, count)]
    } else {
        passages
            .iter()
            .map(|passage| {
                (
                    line_of(passage.start).saturating_sub(CONTEXT_LINES).max(1),
                    (line_of(passage.end) + CONTEXT_LINES).min(count),
                )
            })
            .collect()
    };
    let mut blocks = Vec::new();
    let mut next = 1;
    let mut open: Vec<usize> = Vec::new();
    let mut waiting = 0;
    for (first, last) in shown {
        let first = first.max(next);
        if first > last {
            continue;
        }
        let mut block = Block {
            omitted: first - next,
            lines: Vec::new(),
        };
        for number in first..=last {
            let Some(span) = index.line_span(text.as_bytes(), number) else {
                continue;
            };
            open.retain(|&at| {
                passages
                    .get(at)
                    .is_some_and(|passage| passage.end > span.byte_start)
            });
            while let Some(passage) = passages.get(waiting)
                && passage.start <= span.byte_end
            {
                open.push(waiting);
                waiting += 1;
            }
            block.lines.push(Line {
                number,
                runs: runs(text, span.byte_start, span.byte_end, passages, &open, id),
            });
        }
        next = last + 1;
        // Adjoining windows read as one.
        match blocks.last_mut() {
            Some(Block { lines, .. }) if block.omitted == 0 => lines.append(&mut block.lines),
            _ => blocks.push(block),
        }
    }
    if next <= count {
        blocks.push(Block {
            omitted: count + 1 - next,
            lines: Vec::new(),
        });
    }
    blocks
}

fn runs(
    text: &str,
    line_start: usize,
    line_end: usize,
    passages: &[Passage<'_>],
    open: &[usize],
    id: &str,
) -> Vec<Run> {
    let here: Vec<&Passage<'_>> = open.iter().filter_map(|&at| passages.get(at)).collect();
    let mut edges = vec![line_start, line_end];
    for passage in &here {
        edges.push(passage.start.clamp(line_start, line_end));
        edges.push(passage.end.clamp(line_start, line_end));
    }
    edges.sort_unstable();
    edges.dedup();
    let mut runs = Vec::new();
    for (start, end) in edges.iter().zip(edges.iter().skip(1)) {
        let covering = here
            .iter()
            .filter(|passage| passage.start <= *start && passage.end >= *end);
        let worst = covering.map(|passage| rank(&passage.quote.grade)).max();
        runs.push(Run {
            text: visible(text.get(*start..*end).unwrap_or_default()),
            class: worst
                .and_then(|worst| GRADES.get(worst))
                .map_or("", |(_, class)| class),
            labels: here
                .iter()
                .filter(|passage| passage.start == *start)
                .map(|passage| label(passage, id))
                .collect(),
        });
    }
    // A passage that begins at the very end of a line (its first character is the line end).
    let ends: Vec<Label> = here
        .iter()
        .filter(|passage| passage.start == line_end)
        .map(|passage| label(passage, id))
        .collect();
    if !ends.is_empty() {
        runs.push(Run {
            text: String::new(),
            class: "",
            labels: ends,
        });
    }
    runs
}

fn label(passage: &Passage<'_>, id: &str) -> Label {
    Label {
        id: escaped(&passage.quote.id),
        grade: passage.quote.grade.clone(),
        class: class(&passage.quote.grade),
        mark_id: format!("{id}m{}", passage.number),
        card_id: format!("{id}c{}", passage.number),
    }
}
