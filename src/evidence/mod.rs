//! Quote matching with graded answers: does a quote stand in a source, and how.
//!
//! In: a source ([`Prepared`]) and quotes. Out: one [`Match`] for each quote: its grade, flags,
//! place in the original bytes, number of occurrences and the difference in words. Pure: no
//! files, no clock. What cannot be read is an error of the caller, never [`Grade::Absent`].
//!
//! Grades are tried in order, cheapest and closest first; the source's normalised views
//! (`view`) are built when a quote first needs them and serve all later quotes.

mod boundaries;
mod characters;
mod context;
mod difference;
mod distance;
mod elision;
mod exact;
mod extracted;
mod flags;
mod near;
mod negations;
mod numbered;
mod parts;
mod squeezed;
mod stretches;
mod view;

pub use context::{Around, ground_around};
pub use extracted::{Layers, accepted_extracted, ground_extracted};
pub use flags::Flag;

use crate::invariant::Invariant as _;
use crate::position::{LineIndex, Position, Span};
use crate::workers;
use difference::{Change, Words, changes, describe, last_words, shown};
use exact::{Hits, find_all};
pub(crate) use extracted::ligature;
use flags::cuts_word;
use near::{NearQuote, Passage};
use rayon::prelude::*;
use serde::Serialize;
use squeezed::Squeezed;
use std::fmt;
use std::sync::OnceLock;
use view::{Joint, JointKind, Mode, View};

/// How a quote stands in a source; the first that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// The quote stands in the source as it is, byte for byte.
    Identical,
    /// Equal but for the line numbers of a numbered source, white space, and line ends beside scripts
    /// without spaces.
    Reflowed,
    /// Equal when typographic variants are folded too; letter case never is.
    Typographic,
    /// Its fragments stand in order, at most 500 characters apart.
    Elided,
    /// A passage is at least 0.80 similar, or differs in letter case or in marks of Markdown and
    /// HTML alone.
    Near,
    /// None of these.
    Absent,
}

impl Grade {
    /// All, the strictest first.
    pub const ALL: [Self; 6] = [
        Self::Identical,
        Self::Reflowed,
        Self::Typographic,
        Self::Elided,
        Self::Near,
        Self::Absent,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Reflowed => "reflowed",
            Self::Typographic => "typographic",
            Self::Elided => "elided",
            Self::Near => "near",
            Self::Absent => "absent",
        }
    }

    /// Whether gates take the quote as found: identical and reflowed alone.
    pub fn is_accepted(self) -> bool {
        matches!(self, Self::Identical | Self::Reflowed)
    }
}

/// Where a match stands in the original source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Bytes in the original.
    pub span: Span,
    /// Position of the first byte.
    pub start: Position,
    /// Position one past the last byte.
    pub end: Position,
    /// The page of the first byte, from 1, in a document with pages.
    pub page: Option<usize>,
}

/// A stretch of a quote that stands in the source while the whole does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The stretch, of three words or more, as the quote has it.
    pub quote: String,
    /// Where it stands.
    pub at: Place,
}

/// The answer for one quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// How the quote stands in the source.
    pub grade: Grade,
    /// What a reader must see, in the order of [`Flag`].
    pub flags: Vec<Flag>,
    /// Places that answer at this grade, overlapping ones counted each; for a near passage 1, for
    /// an absent one 0. A quote of fragments counts chains around the first 64 places of its
    /// rarest fragment.
    pub occurrences: usize,
    /// The first place, or the first that cuts no word when there is one among the first 256.
    pub at: Option<Place>,
    /// What differs, in words to act on; `None` when nothing does that a gate would mind.
    pub difference: Option<String>,
    /// The stretches of the source that an elided quote leaves out.
    pub omitted: Vec<Span>,
    /// The source's own words at [`Match::at`]; empty without a place.
    pub text: String,
    /// Of an absent quote the longest stretches that stand in the source, in its order.
    pub parts: Vec<Part>,
}

impl Match {
    /// The answer for a quote that no source can hold.
    pub fn absent(difference: impl Into<String>) -> Self {
        Self {
            grade: Grade::Absent,
            flags: Vec::new(),
            occurrences: 0,
            at: None,
            difference: Some(difference.into()),
            omitted: Vec::new(),
            text: String::new(),
            parts: Vec::new(),
        }
    }

    /// Sets a flag.
    pub fn flag(&mut self, flag: Flag) {
        self.flags.push(flag);
        self.flags.sort_unstable();
        self.flags.dedup();
    }

    /// Whether a flag is set.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }
}

/// Why a source cannot be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceError {
    /// The bytes are not UTF-8.
    NotUtf8 {
        /// Offset of the first byte that does not belong, from 0.
        byte_at: usize,
    },
    /// More than 256 MiB.
    TooLarge {
        /// Its size.
        len_bytes: usize,
    },
}

impl fmt::Display for SourceError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 { byte_at } => write!(out, "not UTF-8: invalid byte at offset {byte_at}"),
            Self::TooLarge { len_bytes } => {
                write!(
                    out,
                    "too large: {len_bytes} bytes, at most {} can be searched",
                    view::LONGEST_TEXT_BYTES
                )
            }
        }
    }
}

impl std::error::Error for SourceError {}

/// A source and its normalised views, built when first needed; shared between threads.
#[derive(Debug)]
pub struct Prepared<'s> {
    text: &'s str,
    // Form feeds end pages.
    is_paged: bool,
    // Line numbers as the recorded scripts know them.
    is_recorded: bool,
    lines: OnceLock<LineIndex>,
    has_numbers: OnceLock<bool>,
    form_feeds: OnceLock<Vec<usize>>,
    // Indexed by whether prefixes are stripped.
    reflowed: [OnceLock<View>; 2],
    folded: [OnceLock<Folded>; 2],
    squeezed: [OnceLock<Squeezed>; 2],
    unmarked: OnceLock<View>,
    has_marks: OnceLock<bool>,
    pages: OnceLock<flags::Pages>,
}

// A passage that takes this many bytes more than sixteen for each of its quote is white space or
// characters without ink for the most part; it is compared reflowed.
const SPREAD_BYTES: usize = 4096;

#[derive(Debug)]
struct Folded {
    view: View,
    hyphenless: OnceLock<(View, Vec<Joint>)>,
}

impl<'s> Prepared<'s> {
    /// A source from its bytes.
    ///
    /// # Errors
    /// When the bytes are not UTF-8 or more than 256 MiB.
    pub fn from_bytes(bytes: &'s [u8]) -> Result<Self, SourceError> {
        let text = simdutf8::compat::from_utf8(bytes).map_err(|error| SourceError::NotUtf8 {
            byte_at: error.valid_up_to(),
        })?;
        Self::new(text)
    }

    /// A source from its text.
    ///
    /// # Errors
    /// When it is more than 256 MiB.
    pub fn new(text: &'s str) -> Result<Self, SourceError> {
        if text.len() > view::LONGEST_TEXT_BYTES {
            return Err(SourceError::TooLarge {
                len_bytes: text.len(),
            });
        }
        Ok(Self {
            text,
            is_paged: false,
            is_recorded: false,
            lines: OnceLock::new(),
            has_numbers: OnceLock::new(),
            form_feeds: OnceLock::new(),
            reflowed: [OnceLock::new(), OnceLock::new()],
            folded: [OnceLock::new(), OnceLock::new()],
            squeezed: [OnceLock::new(), OnceLock::new()],
            unmarked: OnceLock::new(),
            has_marks: OnceLock::new(),
            pages: OnceLock::new(),
        })
    }

    /// The text of a document with pages, which end with form feeds: places name their page.
    #[must_use]
    pub fn paged(mut self) -> Self {
        self.is_paged = true;
        self
    }

    /// With line numbers as the recorded scripts know them: digits and a colon at the head of any
    /// line, in the quote too.
    #[must_use]
    pub fn with_recorded_line_numbers(mut self) -> Self {
        self.is_recorded = true;
        self
    }

    /// The source text.
    pub fn text(&self) -> &'s str {
        self.text
    }

    /// Line starts of the source.
    pub fn lines(&self) -> &LineIndex {
        self.lines
            .get_or_init(|| LineIndex::new(self.text.as_bytes()))
    }

    // Whether line numbers stand at the heads of its lines.
    fn has_numbers(&self) -> bool {
        *self.has_numbers.get_or_init(|| {
            if self.is_recorded {
                view::has_prefix(self.text, true)
            } else {
                numbered::is_numbered(self.text)
            }
        })
    }

    // The page of the byte `at`, when there are pages.
    fn page(&self, at: usize) -> Option<usize> {
        let feeds = || memchr::memchr_iter(b'\x0c', self.text.as_bytes()).collect();
        self.is_paged.then(|| {
            let feeds = self.form_feeds.get_or_init(feeds);
            feeds.partition_point(|&feed| feed < at) + 1
        })
    }

    fn squeezed(&self, strip_prefixes: bool) -> &Squeezed {
        let [kept, stripped] = &self.squeezed;
        let slot = if strip_prefixes { stripped } else { kept };
        slot.get_or_init(|| Squeezed::new(self.text, self.reflowed(strip_prefixes)))
    }

    fn has_marks(&self) -> bool {
        *self.has_marks.get_or_init(|| has_marks(self.text))
    }

    fn crosses_page(&self, span: Span) -> bool {
        if span.byte_end - span.byte_start <= 2 * SPREAD_BYTES {
            return flags::crosses_page(self.slice(span));
        }
        self.pages
            .get_or_init(|| flags::Pages::new(self.text))
            .crosses(span)
    }

    fn reflowed(&self, strip_prefixes: bool) -> &View {
        let [kept, stripped] = &self.reflowed;
        let slot = if strip_prefixes { stripped } else { kept };
        slot.get_or_init(|| {
            View::new(
                self.text,
                Mode {
                    strip_prefixes,
                    recorded: self.is_recorded,
                    ..Mode::default()
                },
            )
        })
    }

    fn folded(&self, strip_prefixes: bool) -> &Folded {
        let [kept, stripped] = &self.folded;
        let slot = if strip_prefixes { stripped } else { kept };
        slot.get_or_init(|| Folded {
            view: View::new(
                self.text,
                Mode {
                    strip_prefixes,
                    recorded: self.is_recorded,
                    fold: true,
                    ..Mode::default()
                },
            ),
            hyphenless: OnceLock::new(),
        })
    }

    fn unmarked(&self) -> &View {
        self.unmarked.get_or_init(|| {
            View::new(
                self.text,
                Mode {
                    strip_prefixes: self.has_numbers(),
                    fold: true,
                    markup: true,
                    ..Mode::default()
                },
            )
        })
    }

    fn place(&self, span: Span) -> Place {
        let bytes = self.text.as_bytes();
        let lines = self.lines();
        Place {
            span,
            start: lines.position(bytes, span.byte_start),
            end: lines.position(bytes, span.byte_end),
            page: self.page(span.byte_start),
        }
    }

    fn line_of(&self, at: usize) -> usize {
        self.lines().line(at)
    }

    fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.byte_start..span.byte_end).unwrap_or("")
    }
}

/// `text` as quotes are compared at [`Grade::Typographic`]: white space reflowed, line-number
/// prefixes dropped, typographic variants folded, letter case kept.
pub fn normalised(text: &str) -> String {
    let mode = Mode {
        strip_prefixes: true,
        fold: true,
        ..Mode::default()
    };
    View::new(text, mode).key
}

/// Code points of `quote` once reflowed, line-number prefixes dropped.
pub fn reflowed_len(quote: &str) -> usize {
    let mode = Mode {
        strip_prefixes: true,
        ..Mode::default()
    };
    View::new(quote, mode).key.chars().count()
}

// A quote and its normalised forms.
struct Asked<'q> {
    text: &'q str,
    is_recorded: bool,
    has_prefix: bool,
    reflowed: [OnceLock<View>; 2],
    folded: [OnceLock<View>; 2],
}

impl<'q> Asked<'q> {
    fn new(text: &'q str, is_recorded: bool) -> Self {
        Self {
            text,
            is_recorded,
            has_prefix: view::has_prefix(text, is_recorded),
            reflowed: [OnceLock::new(), OnceLock::new()],
            folded: [OnceLock::new(), OnceLock::new()],
        }
    }

    fn form(&self, fold: bool, strip_prefixes: bool) -> &View {
        let [kept, stripped] = if fold { &self.folded } else { &self.reflowed };
        let slot = if strip_prefixes { stripped } else { kept };
        slot.get_or_init(|| {
            View::new(
                self.text,
                Mode {
                    strip_prefixes,
                    recorded: self.is_recorded,
                    fold,
                    ..Mode::default()
                },
            )
        })
    }
}

// Which side drops its line-number prefixes. A quote that matches with all of them kept is a log
// line that begins with a time, not a numbered one, so that comes first. A quote drops its own
// alone where the source has none, and then they must be the true numbers of the source's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stripped {
    source: bool,
    quote: bool,
}

const ROUNDS: usize = 4;

fn round(index: usize, source_has: bool, quote_has: bool) -> Option<Stripped> {
    let stripped = match index {
        0 => Stripped {
            source: false,
            quote: false,
        },
        1 => Stripped {
            source: true,
            quote: true,
        },
        2 => Stripped {
            source: true,
            quote: false,
        },
        _ => Stripped {
            source: false,
            quote: true,
        },
    };
    ((!stripped.source || source_has) && (!stripped.quote || quote_has)).then_some(stripped)
}

/// Grades every quote against the source; answers in the order of the quotes.
///
/// A blank quote is absent. The same quote gets the same answer in every call, but for near
/// passages in a large source, which are searched whole only while the call's work is moderate
/// (see `near`).
///
/// # Examples
/// ```
/// use gatewright::evidence::{Grade, Prepared, ground};
/// let source = Prepared::new("The tenant shall\n  not sublet the whole premises.").unwrap();
/// let quotes = ["shall not sublet", "The tenant shall sublet the whole premises."];
/// let answers = ground(&source, &quotes);
/// assert_eq!(answers[0].grade, Grade::Reflowed);
/// assert_eq!(answers[1].grade, Grade::Near);
/// assert_eq!(answers[1].difference.as_deref(), Some("missing after `tenant shall`: `not`"));
/// ```
pub fn ground(source: &Prepared<'_>, quotes: &[&str]) -> Vec<Match> {
    let (distinct, indices) = exact::distinct(quotes);
    let answers = ground_distinct(source, &distinct);
    if distinct.len() == quotes.len() {
        return answers;
    }
    indices
        .into_iter()
        .filter_map(|index| answers.get(index).cloned())
        .collect()
}

fn ground_distinct(source: &Prepared<'_>, quotes: &[&str]) -> Vec<Match> {
    let mut search = Search::new(source, quotes);
    search.refuse_blank();
    search.identical();
    search.equal(false);
    search.squeezed();
    search.equal(true);
    search.divided();
    search.elided();
    search.unmarked();
    search.near();
    search.parts();
    search.finish()
}

/// Whether gates take each quote as found ([`Grade::is_accepted`]), in order. Agrees with [`ground`]
/// and leaves out the search for what else an open quote may stand for, which is most of the work.
pub fn accepted(source: &Prepared<'_>, quotes: &[&str]) -> Vec<bool> {
    let mut search = Search::new(source, quotes);
    search.refuse_blank();
    search.identical();
    search.equal(false);
    search.squeezed();
    // Neither accepted nor left for the stage after it.
    search.equal(true);
    search.divided();
    let is_accepted = |found: &Option<Match>| {
        found
            .as_ref()
            .is_some_and(|found| found.grade.is_accepted())
    };
    search.answers.iter().map(is_accepted).collect()
}

struct Search<'a, 's, 'q> {
    source: &'a Prepared<'s>,
    asked: Vec<Asked<'q>>,
    answers: Vec<Option<Match>>,
    // Why an elided quote failed, for the answer if nothing else fits.
    lost_parts: Vec<Option<String>>,
}

impl<'a, 's, 'q> Search<'a, 's, 'q> {
    fn new(source: &'a Prepared<'s>, quotes: &[&'q str]) -> Self {
        Self {
            source,
            asked: quotes
                .iter()
                .map(|quote| Asked::new(quote, source.is_recorded))
                .collect(),
            answers: vec![None; quotes.len()],
            lost_parts: vec![None; quotes.len()],
        }
    }

    fn open(&self) -> Vec<usize> {
        (0..self.asked.len())
            .filter(|&index| self.answers.get(index).is_some_and(Option::is_none))
            .collect()
    }

    fn answer(&mut self, index: usize, found: Match) {
        if let Some(slot) = self.answers.get_mut(index) {
            *slot = Some(found);
        }
    }

    fn refuse_blank(&mut self) {
        for index in self.open() {
            let Some(asked) = self.asked.get(index) else {
                continue;
            };
            if asked.text.chars().all(characters::is_space) {
                let why = if asked.text.is_empty() {
                    "the quote is empty"
                } else {
                    "the quote is blank"
                };
                self.answer(index, Match::absent(why));
            }
        }
    }

    fn identical(&mut self) {
        let open = self.open();
        let needles: Vec<&[u8]> = open
            .iter()
            .filter_map(|&index| self.asked.get(index))
            .map(|asked| asked.text.as_bytes())
            .collect();
        let lens: Vec<usize> = needles.iter().map(|needle| needle.len()).collect();
        let all = find_all(self.source.text.as_bytes(), &needles);
        for ((index, hits), len) in open.into_iter().zip(all).zip(lens) {
            let span = |at: usize| Span {
                byte_start: at,
                byte_end: at + len,
            };
            let Some((_, span)) = first_whole(self.source.text, &hits, span) else {
                continue;
            };
            let found = self.matched(Grade::Identical, span, hits.total, Vec::new(), None);
            self.answer(index, found);
        }
    }

    // Equal after reflow, or after folding too.
    fn equal(&mut self, fold: bool) {
        for index in 0..ROUNDS {
            for strip_source in [false, true] {
                let chosen = self.chosen(index, strip_source, fold);
                if chosen.is_empty() {
                    continue;
                }
                let view = if fold {
                    &self.source.folded(strip_source).view
                } else {
                    self.source.reflowed(strip_source)
                };
                let needles: Vec<&[u8]> = chosen
                    .iter()
                    .map(|&(asked, stripped)| self.key(asked, fold, stripped))
                    .collect();
                let lens: Vec<usize> = needles.iter().map(|needle| needle.len()).collect();
                let all = find_all(view.key.as_bytes(), &needles);
                for (((asked, stripped), hits), len) in chosen.into_iter().zip(all).zip(lens) {
                    let span = |at: usize| view.original(at, at + len);
                    let mut hits = hits;
                    if stripped.quote && !self.source.is_recorded {
                        let agree =
                            |at: &usize| self.line_numbers_agree(asked, fold, stripped, view, *at);
                        hits.places.retain(agree);
                        hits.total = hits.places.len();
                    }
                    let Some((at, span)) = first_whole(self.source.text, &hits, span) else {
                        continue;
                    };
                    let mut found =
                        self.equal_match(asked, fold, stripped, view, at, span, hits.total);
                    if view.is_inside(at) || view.is_inside(at + len) {
                        found.flag(Flag::CutsWord);
                    }
                    self.answer(asked, found);
                }
            }
        }
    }

    // The open quotes whose round strips the source as asked.
    fn chosen(&self, index: usize, strip_source: bool, fold: bool) -> Vec<(usize, Stripped)> {
        let mut chosen = Vec::new();
        for open in self.open() {
            let Some(asked) = self.asked.get(open) else {
                continue;
            };
            // Asking the source costs a pass over it, so it comes last.
            if index > 0 && !asked.has_prefix && index != 2 {
                continue;
            }
            let source_has = index > 0 && self.source.has_numbers();
            let counts_own = source_has && !self.source.is_recorded;
            if let Some(stripped) = round(index, source_has, asked.has_prefix)
                && stripped.source == strip_source
                && !(counts_own && stripped.quote && !stripped.source)
                && !asked.form(fold, stripped.quote).key.is_empty()
            {
                chosen.push((open, stripped));
            }
        }
        chosen
    }

    fn key(&self, asked: usize, fold: bool, stripped: Stripped) -> &[u8] {
        self.asked
            .get(asked)
            .map_or(&[], |asked| asked.form(fold, stripped.quote).key.as_bytes())
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one call site each for reflowed and divided; a struct would only rename them"
    )]
    fn equal_match(
        &self,
        asked: usize,
        fold: bool,
        stripped: Stripped,
        view: &View,
        key_at: usize,
        span: Span,
        total: usize,
    ) -> Match {
        let asked = self
            .asked
            .get(asked)
            .holds("a hit belongs to a quote that was asked for");
        let quote_view = asked.form(fold, stripped.quote);
        let mut told = None;
        let mut flags = Vec::new();
        if fold {
            let key = (key_at, key_at + quote_view.key.len());
            let source_words = self.words_of(asked, view, key, span, stripped.source);
            let quote_words = Words::new(asked.text, 0, stripped.quote, false);
            if source_words.numbers(&[]) != quote_words.numbers(&[]) {
                flags.push(Flag::NumberDiffers);
            }
            let changed = describe(&changes(&source_words, &quote_words, true), |at| {
                self.source.line_of(at)
            });
            told = changed;
            told.get_or_insert_with(|| {
                "only characters without ink differ, such as soft hyphens".to_owned()
            });
        }
        let grade = if fold {
            Grade::Typographic
        } else {
            Grade::Reflowed
        };
        self.matched(grade, span, total, flags, told)
    }

    // Whether the line numbers that the quote drops are those of the source's lines: those that stand
    // there, or by count where none do.
    fn line_numbers_agree(
        &self,
        asked: usize,
        fold: bool,
        stripped: Stripped,
        view: &View,
        key_at: usize,
    ) -> bool {
        if !stripped.quote || self.source.is_recorded {
            return true;
        }
        let Some(asked) = self.asked.get(asked) else {
            return false;
        };
        asked.form(fold, true).prefixes.iter().all(|prefix| {
            let digits = (prefix.digits.byte_start, prefix.digits.byte_end);
            let in_quote = asked.text.get(digits.0..digits.1).and_then(numbered::value);
            let at = view.original_start(key_at + prefix.key_at);
            in_quote.is_some() && in_quote == self.line_number(at, stripped.source)
        })
    }

    // The number of the line that begins with the byte `at`: the one that stands at its head, or by
    // count. `None` inside a line, where a number says nothing of the words before.
    fn line_number(&self, at: usize, stands: bool) -> Option<u64> {
        let before = self.source.text.get(..at)?;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let start = if start == 0 && before.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            start
        };
        if !stands {
            let head = self.source.text.get(start..at)?;
            let is_head = head.chars().all(characters::is_space);
            return is_head.then(|| u64::try_from(self.source.line_of(at)).ok())?;
        }
        let (digits, end) = view::prefix_at(self.source.text, start, false)?;
        (end == at).then(|| numbered::value(self.source.slice(digits)))?
    }

    // The words of the passage at `span`, which `view` has at `key`.
    fn words_of<'v>(
        &'v self,
        asked: &Asked<'_>,
        view: &'v View,
        key: (usize, usize),
        span: Span,
        strip_prefixes: bool,
    ) -> Words<'v> {
        let limit = SPREAD_BYTES + 16 * asked.text.len();
        if span.byte_end - span.byte_start <= limit {
            return self.words(span, strip_prefixes);
        }
        let reflowed = self.source.reflowed(strip_prefixes);
        let ends = (
            reflowed.key_at(span.byte_start),
            reflowed.key_at(span.byte_end),
        );
        let text = reflowed
            .key
            .get(ends.0..ends.1)
            .filter(|text| text.len() <= limit);
        let text = text.or_else(|| view.key.get(key.0..key.1)).unwrap_or("");
        Words::new(text, span.byte_start, false, true)
    }

    fn words(&self, span: Span, strip_prefixes: bool) -> Words<'_> {
        Words::new(
            self.source.slice(span),
            span.byte_start,
            strip_prefixes,
            true,
        )
    }

    // Words divided at a line end, on one side or both, whose hyphen may be the author's own.
    fn divided(&mut self) {
        for index in 0..ROUNDS {
            for strip_source in [false, true] {
                let mut chosen = self.chosen(index, strip_source, true);
                if chosen.is_empty() {
                    continue;
                }
                let source_divides = !self.source.folded(strip_source).view.divided.is_empty();
                chosen.retain(|&(asked, stripped)| {
                    self.asked.get(asked).is_some_and(|asked| {
                        let form = asked.form(true, stripped.quote);
                        !form.divided.is_empty() || (source_divides && form.key.contains('-'))
                    })
                });
                if chosen.is_empty() {
                    continue;
                }
                let folded = self.source.folded(strip_source);
                let (view, joints) = folded
                    .hyphenless
                    .get_or_init(|| folded.view.without_hyphens());
                let quotes: Vec<(View, Vec<Joint>)> = chosen
                    .iter()
                    .filter_map(|&(asked, stripped)| {
                        Some(
                            self.asked
                                .get(asked)?
                                .form(true, stripped.quote)
                                .without_hyphens(),
                        )
                    })
                    .collect();
                let needles: Vec<&[u8]> = quotes
                    .iter()
                    .map(|(quote, _)| quote.key.as_bytes())
                    .collect();
                let all = find_all(view.key.as_bytes(), &needles);
                for (((asked, stripped), (quote, quote_joints)), mut hits) in
                    chosen.into_iter().zip(&quotes).zip(all)
                {
                    let candidates = hits.places.len();
                    hits.places
                        .retain(|&at| joints_agree(joints, at, at + quote.key.len(), quote_joints));
                    if hits.places.len() < candidates {
                        hits.total = hits.places.len();
                    }
                    let span = |at: usize| {
                        let key = view.original(at, at + quote.key.len());
                        folded.view.original(key.byte_start, key.byte_end)
                    };
                    let Some((at, span)) = first_whole(self.source.text, &hits, span) else {
                        continue;
                    };
                    let key_at = view.original_start(at);
                    if !self.line_numbers_agree(asked, true, stripped, &folded.view, key_at) {
                        continue;
                    }
                    let found = self.equal_match(
                        asked,
                        true,
                        stripped,
                        &folded.view,
                        key_at,
                        span,
                        hits.total,
                    );
                    self.answer(asked, found);
                }
            }
        }
    }

    fn elided(&mut self) {
        for index in 0..ROUNDS {
            for strip_source in [false, true] {
                let chosen = self.chosen(index, strip_source, true);
                let with_parts: Vec<(usize, Stripped, Vec<&str>)> = chosen
                    .into_iter()
                    .filter_map(|(asked, stripped)| {
                        let key = &self.asked.get(asked)?.form(true, stripped.quote).key;
                        Some((asked, stripped, elision::fragments(key)?))
                    })
                    .collect();
                if with_parts.is_empty() {
                    continue;
                }
                let view = &self.source.folded(strip_source).view;
                let needles: Vec<&[u8]> = with_parts
                    .iter()
                    .flat_map(|(_, _, parts)| parts)
                    .map(|part| part.as_bytes())
                    .collect();
                let all = find_all(view.key.as_bytes(), &needles);
                let mut rest = all.as_slice();
                let mut hits: Vec<Vec<&Hits>> = Vec::with_capacity(with_parts.len());
                for (_, _, parts) in &with_parts {
                    let (own, others) = rest.split_at_checked(parts.len()).unwrap_or((rest, &[]));
                    rest = others;
                    hits.push(own.iter().collect());
                }
                let decide = |(with_parts, own): (&(usize, Stripped, Vec<&str>), &Vec<&Hits>)| {
                    let (asked, _, parts) = with_parts;
                    let lost = parts.iter().zip(own).find(|(_, hits)| hits.total == 0);
                    let outcome = if parts.is_empty() {
                        Err("the quote is an ellipsis alone".to_owned())
                    } else if let Some((part, _)) = lost {
                        Err(format!("not in the source: `{}`", shown(part)))
                    } else {
                        elision::find(self.source.text, view, parts, own).map_or_else(
                            || Err(format!("its parts do not stand in this order within {} characters of each other", elision::LONGEST_GAP)),
                            |chain| Ok(self.elided_match(view, strip_source, &chain)),
                        )
                    };
                    (*asked, outcome)
                };
                let decided: Vec<(usize, Result<Match, String>)> =
                    workers::spread(|| with_parts.par_iter().zip(&hits).map(decide).collect());
                for (asked, outcome) in decided {
                    match outcome {
                        Ok(found) => self.answer(asked, found),
                        Err(why) => {
                            if let Some(slot) = self.lost_parts.get_mut(asked) {
                                slot.get_or_insert(why);
                            }
                        }
                    }
                }
            }
        }
    }

    fn elided_match(&self, view: &View, strip_source: bool, chain: &elision::Chain) -> Match {
        let spans: Vec<Span> = chain
            .parts
            .iter()
            .map(|&(start, end)| view.original(start, end))
            .collect();
        let whole = Span {
            byte_start: spans.first().map_or(0, |span| span.byte_start),
            byte_end: spans.last().map_or(0, |span| span.byte_end),
        };
        let mut omitted = Vec::new();
        let mut told = Vec::new();
        let mut negations = 0;
        for (before, after) in spans.iter().zip(spans.iter().skip(1)) {
            let gap = Span {
                byte_start: before.byte_end,
                byte_end: after.byte_start,
            };
            let words = self.words(gap, strip_source).all();
            let words = words.trim();
            // The source's own ellipsis is not left out.
            if words.is_empty() || elision::fragments(words).is_some_and(|parts| parts.is_empty()) {
                continue;
            }
            negations += negations::count(words);
            told.push(format!(
                "omitted after `{}`: `{}`",
                shown(&last_words(self.source.slice(*before))),
                shown(words)
            ));
            omitted.push(gap);
        }
        let mut flags = Vec::new();
        if negations > 0 {
            flags.push(Flag::OmitsNegation);
        }
        if spans.iter().any(|&span| cuts_word(self.source.text, span)) {
            flags.push(Flag::CutsWord);
        }
        let difference = if told.is_empty() {
            "the quote has an ellipsis, the source leaves nothing out".to_owned()
        } else {
            told.join("; ")
        };
        let mut found = self.matched(Grade::Elided, whole, chain.total, flags, Some(difference));
        found.omitted = omitted;
        found
    }

    // Equal when Markdown marks are dropped on both sides.
    fn unmarked(&mut self) {
        let open = self.open();
        if open.is_empty() {
            return;
        }
        let forms: Vec<(usize, View)> = open
            .into_iter()
            .filter_map(|index| {
                let text = self.asked.get(index)?.text;
                if !self.source.has_marks() && !has_marks(text) {
                    return None;
                }
                let form = View::new(
                    text,
                    Mode {
                        strip_prefixes: self.source.has_numbers(),
                        fold: true,
                        markup: true,
                        ..Mode::default()
                    },
                );
                (!form.key.is_empty()).then_some((index, form))
            })
            .collect();
        if forms.is_empty() {
            return;
        }
        let view = self.source.unmarked();
        let needles: Vec<&[u8]> = forms.iter().map(|(_, form)| form.key.as_bytes()).collect();
        let all = find_all(view.key.as_bytes(), &needles);
        for ((index, form), hits) in forms.iter().zip(all) {
            let span = |at: usize| self.with_marks(view.original(at, at + form.key.len()));
            let Some((at, span)) = first_whole(self.source.text, &hits, span) else {
                continue;
            };
            let key = (at, at + form.key.len());
            let found = self.changed_match(*index, view, key, span, hits.total);
            self.answer(*index, found);
        }
    }

    // Marks that open directly before the span and close directly behind it belong to it.
    fn with_marks(&self, span: Span) -> Span {
        let is_mark = |byte: &u8| matches!(byte, b'*' | b'_' | b'~' | b'`');
        let bytes = self.source.text.as_bytes();
        let before = bytes.get(..span.byte_start).map_or(0, |bytes| {
            bytes.iter().rev().take_while(|byte| is_mark(byte)).count()
        });
        let after = bytes.get(span.byte_end..).map_or(0, |bytes| {
            bytes.iter().take_while(|byte| is_mark(byte)).count()
        });
        // A mark inside without its partner: the partner stands at an edge. `a **b**` quoted as
        // `b` keeps its own.
        let inside = self.source.slice(span).as_bytes();
        let runs = inside.chunk_by(|left, right| is_mark(left) == is_mark(right));
        let is_unpaired = runs.filter(|run| run.iter().any(is_mark)).count() % 2 == 1;
        let (before, after) = match (is_unpaired, before > 0) {
            (false, _) => (0, 0),
            (true, true) => (before, 0),
            (true, false) => (0, after),
        };
        Span {
            byte_start: span.byte_start - before,
            byte_end: span.byte_end + after,
        }
    }

    fn near(&mut self) {
        let open = self.open();
        if open.is_empty() {
            return;
        }
        let source_has = self.source.has_numbers();
        let mut best: Vec<Option<(Passage, Span, Stripped)>> = vec![None; open.len()];
        // Line numbers dropped on both sides, and kept on both where that is something else.
        for strip in [true, false] {
            if strip && !source_has {
                continue;
            }
            let source_strip = strip;
            let mut slots = Vec::new();
            let mut quotes = Vec::new();
            for (slot, asked) in open
                .iter()
                .filter_map(|&index| self.asked.get(index))
                .enumerate()
            {
                let stripped = Stripped {
                    source: source_strip,
                    quote: strip && asked.has_prefix,
                };
                // A quote without a digit has no words in common with a line number.
                let differs = asked.text.chars().any(char::is_numeric);
                if !strip && source_has && !differs {
                    continue;
                }
                if let Some(quote) = NearQuote::new(&asked.form(true, stripped.quote).key) {
                    slots.push((slot, stripped));
                    quotes.push(quote);
                }
            }
            if quotes.is_empty() {
                continue;
            }
            let view = &self.source.folded(source_strip).view;
            let passages = near::search_all(&view.key, &quotes);
            for ((slot, stripped), passage) in slots.into_iter().zip(passages) {
                if let Some(passage) = passage
                    && let Some(best) = best.get_mut(slot)
                    && best
                        .as_ref()
                        .is_none_or(|(best, _, _)| passage.distance < best.distance)
                {
                    let span = view.original(passage.key_start, passage.key_end);
                    *best = Some((passage, span, stripped));
                }
            }
        }
        let tell = |(&index, best): (&usize, Option<(Passage, Span, Stripped)>)| {
            let (passage, span, stripped) = best?;
            let asked = self.asked.get(index)?;
            let view = &self.source.folded(stripped.source).view;
            let key = (passage.key_start, passage.key_end);
            let span = self.whole_passage(asked, span);
            let words = self.words_of(asked, view, key, span, stripped.source);
            let mut found = self.changed_match_of(asked, &words, span, stripped, false, 1);
            if stripped.quote
                && !self.line_numbers_agree(index, true, stripped, view, passage.key_start)
            {
                found.flag(Flag::NumberDiffers);
                let told = found.difference.take().filter(|_| passage.distance > 0);
                let told = told.map_or(String::new(), |told| format!("{told}; "));
                found.difference = Some(format!(
                    "{told}the quote's line numbers are not those of the source"
                ));
            }
            Some((index, found))
        };
        let told: Vec<(usize, Match)> = if open.len() < near::FEW_QUOTES {
            open.iter().zip(best).filter_map(tell).collect()
        } else {
            workers::spread(|| open.par_iter().zip(best).filter_map(tell).collect())
        };
        for (index, found) in told {
            self.answer(index, found);
        }
    }

    // A near passage with whole words at its ends, and with the word of the source in the place of
    // the quote's first or last when that word alone has no counterpart: what stands there decides.
    fn whole_passage(&self, asked: &Asked<'_>, span: Span) -> Span {
        let source = self.source.text;
        let mut span = boundaries::widened(source, span);
        let text = self.source.slice(span);
        let first = |text: &'_ str| {
            text.split(characters::is_space)
                .find(|word| !word.is_empty())
                .map(str::to_owned)
        };
        let last = |text: &'_ str| {
            text.rsplit(characters::is_space)
                .find(|word| !word.is_empty())
                .map(str::to_owned)
        };
        let quote_words: Vec<&str> = asked.text.split_whitespace().collect();
        if let ([own, second, ..], Some(begins)) = (quote_words.as_slice(), first(text))
            && begins != *own
            && begins == *second
        {
            let before = source.get(..span.byte_start).unwrap_or("");
            let bare = before.trim_end_matches(characters::is_space);
            let gap = before.get(bare.len()..).unwrap_or("");
            if let Some(word) = last(
                bare.get(boundary(bare, bare.len().saturating_sub(LONGEST_WORD))..)
                    .unwrap_or(""),
            ) && is_counterpart(&word, own, gap)
            {
                span.byte_start = bare.len() - word.len();
            }
        }
        if let ([.., second, own], Some(ends)) = (quote_words.as_slice(), last(text))
            && ends != *own
            && ends == *second
        {
            let behind = source.get(span.byte_end..).unwrap_or("");
            let bare = behind.trim_start_matches(characters::is_space);
            let gap = behind.get(..behind.len() - bare.len()).unwrap_or("");
            let reach = boundary(bare, LONGEST_WORD);
            if let Some(word) = first(bare.get(..reach).unwrap_or(""))
                && !ends.ends_with(['.', ';', ':', '!', '?', '。'])
                && is_counterpart(&word, own, gap)
            {
                span.byte_end += gap.len() + word.len();
            }
        }
        let span = boundaries::widened(source, span);
        boundaries::closed(source, span, asked.text)
    }

    // Marks of Markdown or HTML alone differ.
    fn changed_match(
        &self,
        index: usize,
        view: &View,
        key: (usize, usize),
        span: Span,
        total: usize,
    ) -> Match {
        let asked = self
            .asked
            .get(index)
            .holds("a hit belongs to a quote that was asked for");
        let strips = self.source.has_numbers();
        let stripped = Stripped {
            source: strips,
            quote: strips,
        };
        let source_words = self.words_of(asked, view, key, span, stripped.source);
        self.changed_match_of(asked, &source_words, span, stripped, true, total)
    }

    fn changed_match_of(
        &self,
        asked: &Asked<'_>,
        source_words: &Words<'_>,
        span: Span,
        stripped: Stripped,
        markup: bool,
        total: usize,
    ) -> Match {
        let quote_words = Words::new(asked.text, 0, stripped.quote, false);
        let changed = changes(source_words, &quote_words, true);
        let mut flags = Vec::new();
        let mut only_case = false;
        if markup {
            flags.push(Flag::Markup);
        } else {
            if omits_negation(&changed, source_words.text(), asked.text) {
                flags.push(Flag::OmitsNegation);
            }
            // A page number between the lines is no number of the text.
            let pages = flags::page_numbers(source_words.text());
            if source_words.numbers(&pages) != quote_words.numbers(&[]) {
                flags.push(Flag::NumberDiffers);
            }
            only_case = !changed.is_empty() && changed.iter().all(differs_in_case);
        }
        let told = describe(&changed, |at| self.source.line_of(at));
        let told = if only_case {
            told.map(|told| format!("only the case differs: {told}"))
        } else {
            told
        };
        let told = told.unwrap_or_else(|| "spaces stand in other places".to_owned());
        self.matched(Grade::Near, span, total, flags, Some(told))
    }

    fn matched(
        &self,
        grade: Grade,
        span: Span,
        occurrences: usize,
        mut flags: Vec<Flag>,
        difference: Option<String>,
    ) -> Match {
        if cuts_word(self.source.text, span) {
            flags.push(Flag::CutsWord);
        }
        if self.source.crosses_page(span) {
            flags.push(Flag::CrossesPage);
        }
        flags.sort_unstable();
        flags.dedup();
        Match {
            grade,
            flags,
            occurrences,
            at: Some(self.source.place(span)),
            difference,
            omitted: Vec::new(),
            text: self.source.slice(span).to_owned(),
            parts: Vec::new(),
        }
    }

    fn finish(self) -> Vec<Match> {
        let Self {
            source,
            asked,
            answers,
            lost_parts,
        } = self;
        let is_blank = source.text.chars().all(characters::is_space);
        answers
            .into_iter()
            .zip(asked)
            .zip(lost_parts)
            .map(|((answer, asked), lost)| {
                answer.unwrap_or_else(|| {
                    Match::absent(lost.unwrap_or_else(|| {
                        if is_blank {
                            "the source is empty".to_owned()
                        } else if asked.text.chars().count() > near::LONGEST_QUOTE {
                            format!("not in the source as it is, and longer than the {} characters that are compared for near passages", near::LONGEST_QUOTE)
                        } else {
                            format!("no passage of the source is {} % similar", near::LEAST_SIMILARITY_PERCENT)
                        }
                    }))
                })
            })
            .collect()
    }
}

// Whether a mark of Markdown or HTML may stand in `text`.
fn has_marks(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3(b'*', b'_', b'`', bytes).is_some()
        || memchr::memchr3(b'~', b'|', b'>', bytes).is_some()
        || memchr::memchr3(b'[', b'&', b'#', bytes).is_some()
}

// Whether the words left out or changed hold more negations than those put in; in a script without
// spaces the texts as wholes, since changes may begin inside a word there.
fn omits_negation(changed: &[Change], source: &str, quote: &str) -> bool {
    let count = |words: fn(&Change) -> &str| -> usize {
        changed
            .iter()
            .map(|change| negations::count(words(change)))
            .sum()
    };
    count(Change::source_words) > count(Change::quote_words)
        || changed.iter().any(|change| {
            negations::count_prefixed(change.source_words(), change.quote_words()) > 0
        })
        || squeezed::has_unspaced(quote) && negations::count(source) > negations::count(quote)
}

// Most bytes of a word that stands in another's place.
const LONGEST_WORD: usize = 64;

// The character boundary at `at` or before.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

// Whether `word` of the source stands where the quote has `own`: it negates, or is no further from it
// than from nothing.
fn is_counterpart(word: &str, own: &str, gap: &str) -> bool {
    let is_word = word.chars().all(|character| {
        characters::is_word(character) || character == '\'' || characters::is_dash(character)
    });
    let own_len = own.chars().count();
    is_word
        && !gap.contains("\n\n")
        && (negations::count(word) > 0 || word.chars().count() <= own_len + 1)
}

// Whether a change is one of letter case alone.
fn differs_in_case(change: &Change) -> bool {
    let (source, quote) = (change.source_words(), change.quote_words());
    !quote.is_empty() && source != quote && parts::is_same_but_case(source, quote)
}

// The first place that cuts no word, else the first, and its span.
fn first_whole(source: &str, hits: &Hits, span: impl Fn(usize) -> Span) -> Option<(usize, Span)> {
    let whole = hits.places.iter().find(|&&at| !cuts_word(source, span(at)));
    let at = *whole.or_else(|| hits.places.first())?;
    Some((at, span(at)))
}

// Whether the source's joints inside the key range agree with the quote's.
fn joints_agree(source: &[Joint], start: usize, end: usize, quote: &[Joint]) -> bool {
    let first = source.partition_point(|joint| joint.key_at <= start);
    let mut inside = source
        .iter()
        .skip(first)
        .take_while(|joint| joint.key_at < end)
        .peekable();
    let mut asked = quote.iter().peekable();
    loop {
        match (inside.peek(), asked.peek()) {
            (None, None) => return true,
            (Some(left), Some(right)) if left.key_at - start == right.key_at => {
                if left.kind != right.kind
                    && left.kind != JointKind::Divided
                    && right.kind != JointKind::Divided
                {
                    return false;
                }
                inside.next();
                asked.next();
            }
            (Some(left), right) if right.is_none_or(|right| left.key_at - start < right.key_at) => {
                if left.kind != JointKind::Divided {
                    return false;
                }
                inside.next();
            }
            (_, Some(right)) => {
                if right.kind != JointKind::Divided {
                    return false;
                }
                asked.next();
            }
            (Some(_), None) => return false,
        }
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "tests slice text they know")]
mod tests;
