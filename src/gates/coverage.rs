//! The reconcile gate as a summary that can be made in parts: findings in any partition and order.
//!
//! In: findings, batch by batch; other summaries. Out: a [`Coverage`], small enough to be sent between
//! processes, and from it the outcome that the reconcile gate gives for all of them. A finding in
//! order is a cell of the matrix of issues and documents: a few bits that say what it is. Only what
//! is out of order is kept whole, so that the size follows issues, documents and faults, not findings.
//! The outcome is made by the reconcile gate itself, from the findings that the cells stand for.

use crate::finding::{Finding, Location};
use crate::gates::chain::{quotes, rules};
use crate::gates::reconcile::contract::{self, Item};
use crate::gates::reconcile::{
    Contract, Field, FindingView, Frame, IdTable, Inputs, LedgerHead, Noted, Passage, Receipt,
    Refusal, Tally, document_paths,
};
use crate::invariant::Invariant as _;
use crate::outcome::Outcome;
use crate::value::json::parse;
use crate::value::{Text, Value};
use serde_json::json;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Checker of a confirmed verification.
const INDEPENDENT: &str = "independent";
/// First byte of a summary's bytes.
const VERSION: u8 = 1;

/// One finding of a batch, as far as the gate looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Given<'a> {
    /// `finding_id`.
    pub finding_id: Option<&'a str>,
    /// `issue_id`.
    pub issue_id: Option<&'a str>,
    /// `lens_id`.
    pub lens_id: Option<&'a str>,
    /// `doc_id`.
    pub doc_id: Option<&'a str>,
    /// `unit_id`.
    pub unit_id: Option<&'a str>,
    /// `status`.
    pub status: Option<&'a str>,
    /// `quote`.
    pub quote: Option<&'a str>,
    /// `section`.
    pub section: Option<&'a str>,
    /// `characterization`.
    pub characterization: Option<&'a str>,
    /// `quote_verification` and `verification`: status and checker.
    pub receipts: [(Option<&'a str>, Option<&'a str>); 2],
    /// Whether `current_position` is true.
    pub is_current: bool,
    /// Whether `band` and `band_basis` are there.
    pub has_bands: [bool; 2],
}

/// What a finding is besides its ids: equal for most findings, so that a number stands for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Kind {
    status: Option<Cow<'static, str>>,
    has_quote: bool,
    has_section: bool,
    is_confirmed: [bool; 2],
    checkers: [Option<String>; 2],
    is_current: bool,
    has_bands: [bool; 2],
    words: Option<u64>,
}

/// Issue and lens, or document and unit, or all ids of a finding, packed into bytes.
#[derive(Default)]
struct Packer {
    bytes: Vec<u8>,
}

impl Packer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes
                .push(u8::try_from(number & 0x7f).holds("seven bits fit") | 0x80);
            number >>= 7;
        }
        self.bytes
            .push(u8::try_from(number).holds("seven bits fit"));
    }

    fn size(&mut self, size: usize) {
        self.number(u64::try_from(size).holds("a size fits into 64 bits"));
    }

    fn slice(&mut self, bytes: &[u8]) {
        self.size(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    fn text(&mut self, text: Option<&str>) {
        match text {
            None => self.number(0),
            Some(text) => {
                self.size(text.len() + 1);
                self.bytes.extend_from_slice(text.as_bytes());
            }
        }
    }
}

struct Unpacker<'b> {
    bytes: &'b [u8],
}

impl<'b> Unpacker<'b> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }

    fn slice(&mut self) -> Option<&'b [u8]> {
        let len = self.size()?;
        self.take(len)
    }

    /// A text that may be missing; the outer option is a fault of the bytes.
    #[expect(clippy::option_option, reason = "a missing text is no fault")]
    fn text(&mut self) -> Option<Option<&'b str>> {
        match self.size()? {
            0 => Some(None),
            len => Some(Some(std::str::from_utf8(self.take(len - 1)?).ok()?)),
        }
    }
}

impl Kind {
    fn of(given: &Given<'_>, packer: &mut Packer) {
        let is_present = given.status == Some("present");
        let filled = |text: Option<&str>| is_present && text.is_some_and(is_filled);
        let confirmed = given
            .receipts
            .map(|(status, _)| is_present && status == Some("confirmed"));
        let flags = [
            filled(given.quote),
            filled(given.section),
            confirmed.first() == Some(&true),
            confirmed.last() == Some(&true),
            given.is_current && is_present,
            given.has_bands.first() == Some(&true),
            given.has_bands.last() == Some(&true),
        ];
        let byte = flags
            .iter()
            .enumerate()
            .fold(0, |byte, (bit, &flag)| byte | u64::from(flag) << bit);
        packer.text(given.status);
        packer.number(byte);
        let words = given.characterization.map(contract::word_count);
        packer.size(words.map_or(0, |words| words + 1));
        for ((_, checker), is_confirmed) in given.receipts.into_iter().zip(confirmed) {
            packer.text(checker.filter(|_| is_confirmed));
        }
    }

    fn unpack(unpacker: &mut Unpacker<'_>) -> Option<Self> {
        let status = unpacker.text()?.map(|status| Cow::Owned(status.to_owned()));
        let byte = unpacker.number()?;
        let flag = |bit: u32| byte >> bit & 1 == 1;
        Some(Self {
            status,
            has_quote: flag(0),
            has_section: flag(1),
            is_confirmed: [flag(2), flag(3)],
            is_current: flag(4),
            has_bands: [flag(5), flag(6)],
            words: unpacker.number()?.checked_sub(1),
            checkers: [
                unpacker.text()?.map(str::to_owned),
                unpacker.text()?.map(str::to_owned),
            ],
        })
    }

    fn is_present(&self) -> bool {
        self.status.as_deref() == Some("present")
    }
}

/// Whether Python's `strip` leaves something.
fn is_filled(text: &str) -> bool {
    !Text::borrowed(text).is_blank()
}

/// The ids of a finding.
#[derive(Clone, Copy, Debug, Default)]
struct Ids<'a> {
    finding: Option<&'a str>,
    issue: Option<&'a str>,
    lens: Option<&'a str>,
    document: Option<&'a str>,
    unit: Option<&'a str>,
}

impl<'a> Ids<'a> {
    fn pack(&self, packer: &mut Packer) {
        for text in [
            self.finding,
            self.issue,
            self.lens,
            self.document,
            self.unit,
        ] {
            packer.text(text);
        }
    }

    fn unpack(unpacker: &mut Unpacker<'a>) -> Option<Self> {
        Some(Self {
            finding: unpacker.text()?,
            issue: unpacker.text()?,
            lens: unpacker.text()?,
            document: unpacker.text()?,
            unit: unpacker.text()?,
        })
    }
}

/// The cells of one issue: per document the number of a kind, from 1; 0 without a finding.
#[derive(Clone, Debug)]
enum Cells {
    Few(BTreeMap<usize, u16>),
    Many(Vec<u16>),
}

impl Default for Cells {
    fn default() -> Self {
        Self::Few(BTreeMap::new())
    }
}

impl Cells {
    /// Up to here a tree is no burden.
    const FEW: usize = 64;

    fn get(&self, column: usize) -> u16 {
        match self {
            Self::Few(cells) => cells.get(&column).copied().unwrap_or(0),
            Self::Many(cells) => cells.get(column).copied().unwrap_or(0),
        }
    }

    fn set(&mut self, column: usize, kind: u16) {
        match self {
            Self::Few(cells) => {
                cells.insert(column, kind);
                let last = cells.keys().next_back().copied().unwrap_or(0);
                if cells.len() > Self::FEW && cells.len().saturating_mul(16) > last {
                    let mut many = vec![0; last + 1];
                    for (&column, &kind) in &*cells {
                        if let Some(cell) = many.get_mut(column) {
                            *cell = kind;
                        }
                    }
                    *self = Self::Many(many);
                }
            }
            Self::Many(cells) => {
                if column >= cells.len() {
                    cells.resize(column + 1, 0);
                }
                if let Some(cell) = cells.get_mut(column) {
                    *cell = kind;
                }
            }
        }
    }

    /// Columns with a finding, ascending, and the number of its kind.
    fn filled(&self) -> Vec<(usize, u16)> {
        match self {
            Self::Few(cells) => cells
                .iter()
                .map(|(&column, &kind)| (column, kind))
                .collect(),
            Self::Many(cells) => {
                let cells = cells.iter().copied().enumerate();
                cells.filter(|&(_, kind)| kind != 0).collect()
            }
        }
    }
}

/// Issues and lenses that share passages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Owners {
    /// Issues whose passages another lens owns, and that lens.
    yielding: BTreeMap<String, String>,
}

impl Owners {
    fn of(framework: &Value<'_>) -> Self {
        let items = contract::items(framework).into_iter();
        Self {
            yielding: items
                .filter_map(|(issue, item)| Some((issue.to_owned(), item.owner?.to_owned())))
                .collect(),
        }
    }

    fn concerns(&self, issue: &str, lens: &str) -> bool {
        let owner = self.yielding.get(issue);
        owner.is_some_and(|owner| owner != lens)
            || self.yielding.values().any(|owner| owner == lens)
    }
}

/// Why there is no outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A value of manifest, framework, family map or ledger head cannot be used.
    Refused(Refusal),
    /// The framework has overlap owners, and the quotes of their lenses were not kept.
    NoQuotes,
    /// The quotes were kept for another framework, or the parts for different ones.
    OtherFramework,
}

/// Bytes that are no summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSummary;

/// The summary.
#[derive(Debug, Default)]
pub struct Coverage {
    /// Issues with their lenses, documents with their units, kinds; each packed.
    rows: IdTable,
    columns: IdTable,
    kinds: IdTable,
    cells: Vec<Cells>,
    /// Findings that no cell holds, packed whole, and how often each.
    others: BTreeMap<Vec<u8>, u64>,
    /// Quotes of lenses that share passages, each with its ids, when they are kept.
    passages: BTreeMap<Vec<u8>, u64>,
    owners: Option<Owners>,
    len_findings: u64,
}

impl Coverage {
    /// No finding yet. With a framework the quotes that rule GWL117 compares are kept.
    pub fn new(framework: Option<&Value<'_>>) -> Self {
        Self {
            owners: framework.map(Owners::of),
            ..Self::default()
        }
    }

    /// Findings seen.
    pub fn len_findings(&self) -> u64 {
        self.len_findings
    }

    /// Take one finding.
    pub fn add(&mut self, given: &Given<'_>) {
        self.len_findings += 1;
        if let (Some(owners), Some("present"), Some(issue), Some(lens), Some(_), Some(quote)) = (
            &self.owners,
            given.status,
            given.issue_id,
            given.lens_id,
            given.unit_id,
            given.quote,
        ) && owners.concerns(issue, lens)
        {
            let mut packer = Packer::default();
            ids(given).pack(&mut packer);
            packer.text(Some(quote));
            *self.passages.entry(packer.bytes).or_default() += 1;
        }
        let mut kind = Packer::default();
        Kind::of(given, &mut kind);
        self.put(&ids(given), &kind.bytes, 1);
    }

    fn put(&mut self, ids: &Ids<'_>, kind: &[u8], count: u64) {
        let mut count = count;
        let mut loser: Option<Vec<u8>> = None;
        if let Some((row, column)) = self.cell_of(ids) {
            let number = self.kinds.insert_text(kind).0;
            // With more kinds than this the others are kept whole.
            if let Ok(number) = u16::try_from(number + 1) {
                if row >= self.cells.len() {
                    self.cells.resize_with(row + 1, Cells::default);
                }
                if let Some(cells) = self.cells.get_mut(row) {
                    let former = cells.get(column);
                    let former_kind = usize::from(former)
                        .checked_sub(1)
                        .map(|former| self.kinds.bytes(former));
                    match former_kind {
                        None => {
                            cells.set(column, number);
                            count -= 1;
                        }
                        // Of equal ids the cell holds the least, so that no order shows.
                        Some(former_kind) if kind < former_kind => {
                            loser = Some(former_kind.to_vec());
                            cells.set(column, number);
                            count -= 1;
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        let mut keep = |kind: &[u8], count: u64| {
            if count > 0 {
                let mut packer = Packer::default();
                ids.pack(&mut packer);
                packer.bytes.extend_from_slice(kind);
                *self.others.entry(packer.bytes).or_default() += count;
            }
        };
        keep(kind, count);
        if let Some(loser) = loser {
            keep(&loser, 1);
        }
    }

    /// The cell of a finding whose ids are in order.
    fn cell_of(&mut self, ids: &Ids<'_>) -> Option<(usize, usize)> {
        let (issue, document, unit) = (ids.issue?, ids.document?, ids.unit?);
        let rest = ids.finding?.strip_prefix(issue)?;
        if rest.strip_prefix('/')? != document || unit.is_empty() {
            return None;
        }
        let mut packer = Packer::default();
        packer.text(Some(issue));
        packer.text(Some(ids.lens?));
        let row = self.rows.insert_text(&packer.bytes).0;
        packer.bytes.clear();
        packer.text(Some(document));
        packer.text(Some(unit));
        let column = self.columns.insert_text(&packer.bytes).0;
        Some((row, column))
    }

    /// Take everything that `other` has seen.
    ///
    /// # Errors
    /// When the two keep quotes for different frameworks.
    pub fn merge(&mut self, other: &Self) -> Result<(), Fault> {
        if self.len_findings == 0 && self.owners.is_none() {
            self.owners.clone_from(&other.owners);
        }
        if self.owners != other.owners && other.len_findings > 0 {
            return Err(Fault::OtherFramework);
        }
        self.len_findings += other.len_findings;
        let mut finding = String::new();
        for (row, cells) in other.cells.iter().enumerate() {
            for (column, kind) in cells.filled() {
                let Some(ids) = other.ids_of(row, column, &mut finding) else {
                    continue;
                };
                self.put(&ids, other.kinds.bytes(usize::from(kind) - 1), 1);
            }
        }
        for (packed, count) in &other.others {
            let mut unpacker = Unpacker { bytes: packed };
            if let Some(ids) = Ids::unpack(&mut unpacker) {
                self.put(&ids, unpacker.bytes, *count);
            }
        }
        for (packed, count) in &other.passages {
            *self.passages.entry(packed.clone()).or_default() += count;
        }
        Ok(())
    }

    /// The ids of a cell; the finding's own is written into `finding`.
    fn ids_of<'a>(&'a self, row: usize, column: usize, finding: &'a mut String) -> Option<Ids<'a>> {
        let mut row = Unpacker {
            bytes: self.rows.bytes(row),
        };
        let mut column = Unpacker {
            bytes: self.columns.bytes(column),
        };
        let (issue, lens) = (row.text()?, row.text()?);
        let (document, unit) = (column.text()?, column.text()?);
        finding.clear();
        finding.push_str(issue?);
        finding.push('/');
        finding.push_str(document?);
        Some(Ids {
            finding: Some(finding),
            issue,
            lens,
            document,
            unit,
        })
    }

    /// Every finding in an order that depends on the findings alone: cells by issue and document,
    /// then the others.
    fn each(&self, mut visit: impl FnMut(&Ids<'_>, &Kind)) {
        let kinds: Vec<Option<Kind>> = (0..self.kinds.len())
            .map(|number| {
                Kind::unpack(&mut Unpacker {
                    bytes: self.kinds.bytes(number),
                })
            })
            .collect();
        let ranks = |table: &IdTable| {
            let mut order: Vec<usize> = (0..table.len()).collect();
            order.sort_unstable_by_key(|&number| table.bytes(number));
            order
        };
        let mut column_ranks = vec![0; self.columns.len()];
        for (rank, column) in ranks(&self.columns).into_iter().enumerate() {
            if let Some(slot) = column_ranks.get_mut(column) {
                *slot = rank;
            }
        }
        let mut finding = String::new();
        for row in ranks(&self.rows) {
            let mut filled = self.cells.get(row).map(Cells::filled).unwrap_or_default();
            filled.sort_unstable_by_key(|(column, _)| column_ranks.get(*column).copied());
            for (column, kind) in filled {
                let kind = usize::from(kind).checked_sub(1);
                let kind = kind.and_then(|kind| kinds.get(kind)?.as_ref());
                if let (Some(kind), Some(ids)) = (kind, self.ids_of(row, column, &mut finding)) {
                    visit(&ids, kind);
                }
            }
        }
        for (packed, &count) in &self.others {
            let mut unpacker = Unpacker { bytes: packed };
            if let Some(ids) = Ids::unpack(&mut unpacker)
                && let Some(kind) = Kind::unpack(&mut unpacker)
            {
                for _ in 0..count {
                    visit(&ids, &kind);
                }
            }
        }
    }

    /// The outcome of the reconcile gate for all findings seen. A summary has no places: findings
    /// stand in the ledger as a whole. Where several findings have one cell or one id, the gate
    /// tells of all but the first; first is here the least by document, not the first in a file.
    ///
    /// # Errors
    /// [`Fault`].
    pub fn outcome(&self, inputs: Inputs<'_>, head: &LedgerHead<'_>) -> Result<Outcome, Fault> {
        let owners = Owners::of(inputs.framework);
        if self.owners.as_ref().is_some_and(|kept| *kept != owners) {
            return Err(Fault::OtherFramework);
        }
        let items = contract::items(inputs.framework);
        let frame = Frame::new(inputs).map_err(Fault::Refused)?;
        let mut tally = Tally::new(&frame).noting_refused();
        let mut doubtful = Vec::new();
        let (mut has_yielding, mut has_owned) = (false, false);
        let mut confirmed = [0_usize; 2];
        self.each(|ids, kind| {
            for (count, is_confirmed) in confirmed.iter_mut().zip(kind.is_confirmed) {
                *count += usize::from(is_confirmed);
            }
            tally.judge(&view(ids, kind));
            let item = ids.issue.and_then(|issue| items.get(issue));
            if is_doubtful(ids, kind, item, inputs.families.is_some()) {
                doubtful.push(whole(ids, kind));
            }
            if let (true, Some(lens)) = (kind.is_present(), ids.lens) {
                has_owned |= owners.yielding.values().any(|owner| owner == lens);
                let owner = ids.issue.and_then(|issue| owners.yielding.get(issue));
                has_yielding |= owner.is_some_and(|owner| owner != lens);
            }
        });
        if self.owners.is_none() && has_owned && has_yielding {
            return Err(Fault::NoQuotes);
        }
        let mut result = tally.finish(head).map_err(Fault::Refused)?;
        result.confirmed = confirmed;
        result.paths = document_paths(inputs.manifest)
            .map(|(id, path)| (id.to_owned(), path.to_owned()))
            .collect();
        let mut notes = result.notes();
        let told = |items: Vec<serde_json::Value>| {
            let text = serde_json::Value::Array(items).to_string();
            let findings = parse(&text).holds("what was just written is JSON");
            let mut contract = Contract::new(inputs);
            for (index, finding) in findings.as_array().into_iter().flatten().enumerate() {
                contract.judge(index, &FindingView::with_details(finding));
            }
            contract.into_notes().into_iter()
        };
        let is_overlap = |note: &Noted| note.rule.code == rules::OVERLAPPING_QUOTE.code;
        notes.extend(told(doubtful).filter(|note| !is_overlap(note)));
        let mut passages = Vec::new();
        for (packed, &count) in &self.passages {
            for _ in 0..count {
                passages.extend(passage(packed));
            }
        }
        notes.extend(told(passages).filter(is_overlap));
        let mut outcome = result.outcome(&notes, str::to_owned);
        crate::gates::reconcile::add_word(
            &result,
            ("manifest", inputs.manifest),
            ("findings", head.parked.as_ref()),
            &mut outcome,
        );
        for finding in &mut outcome.findings {
            without_place(finding);
        }
        Ok(outcome)
    }

    /// The summary as bytes, for [`Coverage::from_bytes`] of the same version.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Packer {
            bytes: vec![VERSION],
        };
        out.number(self.len_findings);
        match &self.owners {
            None => out.number(0),
            Some(owners) => {
                out.size(owners.yielding.len() + 1);
                for (issue, owner) in &owners.yielding {
                    out.text(Some(issue));
                    out.text(Some(owner));
                }
            }
        }
        for table in [&self.rows, &self.columns, &self.kinds] {
            out.size(table.len());
            for number in 0..table.len() {
                out.slice(table.bytes(number));
            }
        }
        let width = bits_of(self.kinds.len());
        out.size(self.cells.len());
        for cells in &self.cells {
            let filled = cells.filled();
            let len = filled.last().map_or(0, |(column, _)| column + 1);
            let len_bytes = (len * width).div_ceil(8);
            let mut few = Packer::default();
            let mut before = 0;
            for &(column, kind) in &filled {
                few.size(column - before);
                few.number(u64::from(kind));
                before = column;
            }
            if few.bytes.len() < len_bytes {
                out.number(0);
                out.size(filled.len());
                out.bytes.extend_from_slice(&few.bytes);
            } else {
                out.size(len + 1);
                let mut bits = vec![0_u8; len_bytes];
                for (column, kind) in filled {
                    for bit in (0..width).filter(|bit| kind >> bit & 1 == 1) {
                        let at = column * width + bit;
                        if let Some(byte) = bits.get_mut(at / 8) {
                            *byte |= 1 << (at % 8);
                        }
                    }
                }
                out.bytes.extend_from_slice(&bits);
            }
        }
        out.size(self.others.len());
        for (packed, count) in &self.others {
            out.slice(packed);
            out.number(*count);
        }
        out.size(self.passages.len());
        for (packed, count) in &self.passages {
            out.slice(packed);
            out.number(*count);
        }
        out.bytes
    }

    /// The summary that [`Coverage::to_bytes`] wrote.
    ///
    /// # Errors
    /// For anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NoSummary> {
        Self::unpacked(bytes).ok_or(NoSummary)
    }

    fn unpacked(bytes: &[u8]) -> Option<Self> {
        let (&VERSION, bytes) = bytes.split_first()? else {
            return None;
        };
        let mut from = Unpacker { bytes };
        let mut summary = Self {
            len_findings: from.number()?,
            ..Self::default()
        };
        if let Some(len) = from.size()?.checked_sub(1) {
            let mut owners = Owners::default();
            for _ in 0..len {
                let (issue, owner) = (from.text()??, from.text()??);
                owners.yielding.insert(issue.to_owned(), owner.to_owned());
            }
            summary.owners = Some(owners);
        }
        for table in [&mut summary.rows, &mut summary.columns, &mut summary.kinds] {
            for _ in 0..from.size()? {
                table.insert_text(from.slice()?);
            }
        }
        let width = bits_of(summary.kinds.len());
        let is_known = |column: usize, kind: u64| {
            column < summary.columns.len()
                && usize::try_from(kind).is_ok_and(|kind| kind <= summary.kinds.len())
        };
        for _ in 0..from.size()? {
            let mut cells = Cells::default();
            if let Some(len) = from.size()?.checked_sub(1) {
                let bits = from.take(len.checked_mul(width)?.div_ceil(8))?;
                for column in 0..len {
                    let mut kind = 0_u16;
                    for bit in 0..width {
                        let at = column * width + bit;
                        kind |= u16::from(bits.get(at / 8)? >> (at % 8) & 1) << bit;
                    }
                    if kind != 0 {
                        is_known(column, u64::from(kind)).then_some(())?;
                        cells.set(column, kind);
                    }
                }
            } else {
                let mut column = 0_usize;
                for _ in 0..from.size()? {
                    column = column.checked_add(from.size()?)?;
                    let kind = from.number()?;
                    (kind != 0 && is_known(column, kind)).then_some(())?;
                    cells.set(column, u16::try_from(kind).ok()?);
                }
            }
            summary.cells.push(cells);
        }
        (summary.cells.len() <= summary.rows.len()).then_some(())?;
        for _ in 0..from.size()? {
            let packed = from.slice()?.to_vec();
            summary.others.insert(packed, from.number()?);
        }
        for _ in 0..from.size()? {
            let packed = from.slice()?.to_vec();
            summary.passages.insert(packed, from.number()?);
        }
        from.bytes.is_empty().then_some(summary)
    }
}

/// Bits that a number from 0 to `most` takes.
fn bits_of(most: usize) -> usize {
    usize::try_from(usize::BITS - most.leading_zeros())
        .unwrap_or(0)
        .min(16)
}

fn ids<'a>(given: &Given<'a>) -> Ids<'a> {
    Ids {
        finding: given.finding_id,
        issue: given.issue_id,
        lens: given.lens_id,
        document: given.doc_id,
        unit: given.unit_id,
    }
}

/// A finding as the reconcile gate looks at it.
fn view<'a>(ids: &Ids<'a>, kind: &'a Kind) -> FindingView<'a> {
    let field = |text: Option<&'a str>| {
        text.map_or(Field::Missing, |text| Field::Text(Text::borrowed(text)))
    };
    let passage = |is_filled| {
        if is_filled {
            Passage::Filled
        } else {
            Passage::Blank
        }
    };
    let receipt = |is_confirmed| {
        if is_confirmed {
            Receipt::Confirmed
        } else {
            Receipt::Unconfirmed
        }
    };
    let [quote_verification, verification] = kind.is_confirmed;
    FindingView {
        not_an_object: None,
        finding_id: field(ids.finding),
        doc_id: field(ids.document),
        unit_id: field(ids.unit),
        lens_id: field(ids.lens),
        issue_id: field(ids.issue),
        status: field(kind.status.as_deref()),
        quote: passage(kind.has_quote),
        section: passage(kind.has_section),
        quote_verification: receipt(quote_verification),
        verification: receipt(verification),
        ..FindingView::default()
    }
}

/// Whether a rule of the written form might say something. What is in order for sure is most.
fn is_doubtful(ids: &Ids<'_>, kind: &Kind, item: Option<&Item<'_>>, has_families: bool) -> bool {
    let is_named = match (ids.finding, ids.issue, ids.document) {
        (Some(id), Some(issue), Some(document)) => {
            let rest = id.strip_prefix(issue);
            rest.and_then(|rest| rest.strip_prefix('/')) == Some(document)
        }
        _ => true,
    };
    let is_long = item
        .and_then(|item| item.max_words)
        .zip(kind.words)
        .is_some_and(|(limit, words)| usize::try_from(words).map_or(true, |words| words > limit));
    let has_band = kind.has_bands.contains(&true) && item.is_some_and(|item| !item.has_materiality);
    let wanted = [quotes::CHECKER, INDEPENDENT];
    let is_misread = kind
        .is_confirmed
        .iter()
        .zip(&kind.checkers)
        .zip(wanted)
        .any(|((is_confirmed, checker), wanted)| {
            *is_confirmed && checker.as_deref() != Some(wanted)
        });
    !is_named
        || is_long
        || has_band
        || kind.is_present() && (is_misread || has_families && !kind.is_current)
}

/// A finding written out, as far as the rules of the written form look.
fn whole(ids: &Ids<'_>, kind: &Kind) -> serde_json::Value {
    let mut members = serde_json::Map::new();
    let mut set = |key: &str, text: Option<&str>| {
        if let Some(text) = text {
            members.insert(key.to_owned(), text.into());
        }
    };
    set("finding_id", ids.finding);
    set("issue_id", ids.issue);
    set("lens_id", ids.lens);
    set("doc_id", ids.document);
    set("unit_id", ids.unit);
    set("status", kind.status.as_deref());
    if let Some(words) = kind.words.and_then(|words| usize::try_from(words).ok()) {
        set("characterization", Some(&"w ".repeat(words)));
    }
    for (key, has) in ["band", "band_basis"].into_iter().zip(kind.has_bands) {
        set(key, has.then_some(""));
    }
    let receipts = kind.is_confirmed.iter().zip(&kind.checkers);
    for (key, (is_confirmed, checker)) in ["quote_verification", "verification"]
        .into_iter()
        .zip(receipts)
    {
        if *is_confirmed {
            let receipt = json!({ "status": "confirmed", "checker": checker });
            members.insert(key.to_owned(), receipt);
        }
    }
    members.insert("current_position".to_owned(), kind.is_current.into());
    members.into()
}

fn passage(packed: &[u8]) -> Option<serde_json::Value> {
    let mut unpacker = Unpacker { bytes: packed };
    let ids = Ids::unpack(&mut unpacker)?;
    let quote = unpacker.text()??;
    let mut finding = whole(&ids, &Kind::default());
    let members = finding.as_object_mut()?;
    members.insert("status".to_owned(), "present".into());
    members.insert("quote".to_owned(), quote.into());
    // A place in this list is nobody's, so what has no id is called nothing.
    members.entry("finding_id").or_insert_with(|| "".into());
    Some(finding)
}

/// The places that the order of the summary gave are nobody's.
fn without_place(finding: &mut Finding) {
    let places = std::iter::once(&mut finding.at).chain(&mut finding.related);
    for place in places {
        let path = place.path.as_deref().unwrap_or_default();
        if path.starts_with("$.findings[") {
            *place = Location::of_source(std::mem::take(&mut place.source));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"{"documents": [{"id": "a", "readability": "native"},
        {"id": "b", "readability": "scanned"}]}"#;
    const FRAMEWORK: &str = r#"{"framework_version": 1, "lenses": [{"lens_id": "l",
        "items": [{"issue_id": "i", "answer_shape": {"characterization_max_words": 2}}]}]}"#;

    fn finding<'a>(id: &'a str, document: &'a str, status: &'a str) -> Given<'a> {
        Given {
            finding_id: Some(id),
            issue_id: Some("i"),
            lens_id: Some("l"),
            doc_id: Some(document),
            unit_id: Some(document),
            status: Some(status),
            ..Given::default()
        }
    }

    fn codes(coverage: &Coverage) -> Vec<&'static str> {
        let (manifest, framework) = (parse(MANIFEST).unwrap(), parse(FRAMEWORK).unwrap());
        let inputs = Inputs {
            manifest: &manifest,
            framework: &framework,
            families: None,
        };
        let head = LedgerHead {
            framework_version: Some(Value::Int(1)),
            parked: None,
        };
        let outcome = coverage.outcome(inputs, &head).unwrap();
        let codes = outcome.findings.iter().map(|finding| finding.rule.code);
        codes.collect()
    }

    #[test]
    fn parts_say_the_same_in_any_order_and_through_bytes() {
        let all = [
            finding("i/a", "a", "absent"),
            finding("i/a", "a", "unresolved"),
            finding("odd", "b", "absent"),
            finding("i/b", "b", "never"),
            Given {
                characterization: Some("one two three"),
                ..finding("i/b", "b", "absent")
            },
        ];
        let mut answers = Vec::new();
        for split in 0..=all.len() {
            let (first, second) = all.split_at(split);
            for order in [[first, second], [second, first]] {
                let mut total = Coverage::new(None);
                for part in order {
                    let mut one = Coverage::new(None);
                    for given in part {
                        one.add(given);
                    }
                    total
                        .merge(&Coverage::from_bytes(&one.to_bytes()).unwrap())
                        .unwrap();
                }
                answers.push((total.len_findings(), codes(&total)));
            }
        }
        let (len, told) = answers.first().unwrap();
        assert_eq!(*len, 5);
        for code in ["GWL111", "GWL112"] {
            assert!(told.contains(&code), "{told:?}");
        }
        assert!(answers.iter().all(|answer| answer == &answers[0]));
    }

    #[test]
    fn a_finding_in_order_is_a_cell_and_nothing_else() {
        let mut coverage = Coverage::new(None);
        coverage.add(&finding("i/a", "a", "absent"));
        coverage.add(&finding("i/b", "b", "unresolved"));
        assert!(coverage.others.is_empty());
        assert_eq!(codes(&coverage), Vec::<&str>::new());
    }
}
