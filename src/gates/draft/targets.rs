//! Evidence: what the references of inference records lead to, and which records stand on ground.
//!
//! In: the document and its inference records. Out: for each record the class of every reference,
//! its distinct direct targets and whether it is grounded without using itself.
//!
//! One walk serves all references: only anchors that some record asks for are kept. Groundedness
//! spreads backwards from records with a direct target, so the cost follows the number of records
//! and references, not their square.

use super::place::Step;
use super::reading::is_gap_value;
use super::survey::{Record, is_skipped};
use crate::value::json::locate::ValuePath;
use crate::value::{Object, Text, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// What a reference leads to, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Something observed.
    Direct,
    /// A whole top-level part of observations.
    Coarse,
    /// Another inference.
    Inference,
    /// Something not observed.
    Gap,
    /// Nothing.
    Nothing,
}

/// One reference of a record.
#[derive(Clone, Debug)]
pub struct Reference<'d> {
    /// The item of `evidence_refs`.
    pub value: &'d Value<'d>,
    /// What it leads to.
    pub class: Class,
}

/// The evidence of one record, in the order of the records.
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent answers, each asked for by another rule"
)]
#[derive(Clone, Debug, Default)]
pub struct Resolved<'d> {
    /// The references, in order; empty when `evidence_refs` holds no usable one.
    pub references: Vec<Reference<'d>>,
    /// Whether `evidence_refs` is a list with at least one string that is not blank.
    pub has_references: bool,
    /// Whether the record stands on something observed.
    pub is_grounded: bool,
    /// Distinct direct targets, counted up to two.
    pub direct_target_count: usize,
    /// A direct target lies in `tech_stack.signals` or `nonfunctional_baseline`.
    pub has_signal: bool,
    /// A direct target lies in the response headers or `nonfunctional_baseline`.
    pub has_header: bool,
}

/// Evidence of all records.
#[derive(Debug, Default)]
pub struct Evidence<'d> {
    /// One for each record.
    pub resolved: Vec<Resolved<'d>>,
}

/// Members whose value names the object that holds them.
const ANCHORS: [&[u8]; 7] = [
    b"anchor",
    b"id",
    b"screen_id",
    b"element_id",
    b"record_id",
    b"ref",
    b"locator",
];

/// The parts that hold inferences.
fn is_inference_part(top: &[u8], second: Option<&[u8]>) -> bool {
    match top {
        b"essence" | b"security_design" | b"delivery_topology" | b"user_journeys"
        | b"inferred_services" | b"data_model" | b"auth" => true,
        b"tech_stack" => second == Some(b"identified"),
        _ => false,
    }
}

/// Where a target lies, as far as the rules ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Region {
    is_signal: bool,
    is_header: bool,
    is_inference: bool,
}

impl Region {
    fn of(steps: &[&[u8]]) -> Self {
        let mut steps = steps.iter().copied();
        let (top, second, third) = (steps.next(), steps.next(), steps.next());
        let Some(top) = top else {
            return Self::default();
        };
        let is_baseline = top == b"nonfunctional_baseline";
        let is_signals = top == b"tech_stack" && second == Some(b"signals");
        Self {
            is_signal: is_baseline || is_signals,
            is_header: is_baseline || (is_signals && third == Some(b"response_headers")),
            is_inference: is_inference_part(top, second),
        }
    }

    fn class(self, value: &Value<'_>) -> Class {
        if is_gap_value(value) {
            Class::Gap
        } else if self.is_inference
            || value
                .get("kind")
                .and_then(Value::as_text)
                .is_some_and(|kind| kind == "inference")
        {
            Class::Inference
        } else {
            Class::Direct
        }
    }
}

/// Something a reference may lead to.
#[derive(Clone, Debug)]
struct Candidate {
    /// Address of the value: the same value is one target however it is named.
    target: usize,
    class: Class,
    region: Region,
    /// Records that hold it, itself included.
    hosts: Vec<usize>,
}

/// The candidates of one reference text.
#[derive(Clone, Debug, Default)]
struct Pool {
    /// Direct targets outside every record; two are enough to know.
    open: Vec<Candidate>,
    has_open_inference: bool,
    has_open_gap: bool,
    /// Candidates inside records.
    hosted: Vec<Candidate>,
    /// The reference is a top-level member: coarse, or an inference part.
    coarse: Option<Candidate>,
}

impl Pool {
    fn add(&mut self, candidate: Candidate) {
        if !candidate.hosts.is_empty() {
            if self
                .hosted
                .last()
                .is_none_or(|last| last.target != candidate.target)
            {
                self.hosted.push(candidate);
            }
            return;
        }
        match candidate.class {
            Class::Inference => self.has_open_inference = true,
            Class::Gap => self.has_open_gap = true,
            Class::Direct | Class::Coarse | Class::Nothing => {
                if let Some(known) = self
                    .open
                    .iter_mut()
                    .find(|known| known.target == candidate.target)
                {
                    known.region = candidate.region;
                } else if self.open.len() < 2 {
                    self.open.push(candidate);
                } else if let Some(last) = self.open.last_mut() {
                    // Two stand for "many"; where any of them lies still counts.
                    last.region.is_signal |= candidate.region.is_signal;
                    last.region.is_header |= candidate.region.is_header;
                }
            }
        }
    }
}

fn address(value: &Value<'_>) -> usize {
    std::ptr::from_ref(value).cast::<u8>().addr()
}

/// `text` without the document's own name in front.
fn bare(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"blueprint.json#").unwrap_or(text)
}

fn lower(text: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(text) {
        Ok(text) => text.to_lowercase().into_bytes(),
        Err(_) => text.to_ascii_lowercase(),
    }
}

impl<'d> Evidence<'d> {
    /// Resolve every reference of `records`.
    pub fn resolve(blueprint: &'d Value<'d>, records: &[Record<'d>]) -> Self {
        let places: HashMap<usize, usize> = records
            .iter()
            .enumerate()
            .map(|(place, record)| (address(record.value), place))
            .collect();
        let mut pools: HashMap<&'d [u8], Pool> = HashMap::new();
        for text in records
            .iter()
            .flat_map(|record| reference_texts(record.value))
        {
            pools.entry(text.as_bytes()).or_default();
        }
        if !pools.is_empty() {
            let mut search = Search {
                places: &places,
                pools: &mut pools,
                hosts: Vec::new(),
                steps: Vec::new(),
            };
            search.value(blueprint, true);
        }
        // Sorted, so that nothing depends on the order of a hash map.
        let mut texts: Vec<&'d [u8]> = pools.keys().copied().collect();
        texts.sort_unstable();
        let headers = header_names(blueprint);
        for text in texts {
            if let Some(pool) = pools.get_mut(text) {
                named(blueprint, text, &headers, &places, pool);
            }
        }
        let mut graph = Graph::new(records.len());
        let mut resolved: Vec<Resolved<'d>> = records
            .iter()
            .enumerate()
            .map(|(place, record)| one(place, record, &pools, &mut graph))
            .collect();
        let grounded = graph.grounded();
        for (record, is_grounded) in resolved.iter_mut().zip(grounded) {
            record.is_grounded = is_grounded;
        }
        Self { resolved }
    }
}

/// The usable strings of a record's `evidence_refs`.
fn reference_texts<'d>(record: &'d Value<'d>) -> impl Iterator<Item = &'d Text<'d>> {
    record
        .get("evidence_refs")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_text)
        .filter(|text| !text.is_blank())
}

fn header_names<'d>(blueprint: &'d Value<'d>) -> HashMap<Vec<u8>, &'d Value<'d>> {
    blueprint
        .get("tech_stack")
        .and_then(|part| part.get("signals"))
        .and_then(|part| part.get("response_headers"))
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (lower(name.as_bytes()), value))
        .collect()
}

/// Candidates by path, header name and top-level name.
fn named<'d>(
    blueprint: &'d Value<'d>,
    text: &[u8],
    headers: &HashMap<Vec<u8>, &'d Value<'d>>,
    places: &HashMap<usize, usize>,
    pool: &mut Pool,
) {
    let host = |value: &Value<'_>| places.get(&address(value)).copied();
    let path = bare(text);
    if let Some(found) = walk_path(blueprint, path)
        && found.steps.len() >= 2
        && !matches!(found.value, Value::Null)
        && !found.is_skipped()
    {
        let keys: Vec<&[u8]> = found.keys();
        let region = Region::of(&keys);
        pool.add(Candidate {
            target: address(found.value),
            class: region.class(found.value),
            region,
            hosts: found.chain.iter().filter_map(|value| host(value)).collect(),
        });
    }
    if let Some(value) = headers.get(&lower(text)) {
        let region = Region::of(&[b"tech_stack", b"signals", b"response_headers"]);
        let above = ["tech_stack", "signals", "response_headers"]
            .iter()
            .scan(blueprint, |at, name| {
                *at = at.get(name)?;
                Some(*at)
            })
            .filter_map(host);
        pool.add(Candidate {
            target: address(value),
            class: region.class(value),
            region,
            hosts: above.chain(host(value)).collect(),
        });
    }
    let member = Text::from_wtf8(Cow::Borrowed(path));
    if let Some(value) = blueprint
        .as_object()
        .and_then(|object| object.get_text(&member))
        && !matches!(value, Value::Null)
        && !is_skipped(0, b"", path)
    {
        pool.coarse = Some(Candidate {
            target: address(value),
            class: if is_inference_part(path, None) {
                Class::Inference
            } else {
                Class::Coarse
            },
            region: Region::default(),
            hosts: host(value).into_iter().collect(),
        });
    }
}

/// The walk that finds anchored objects.
struct Search<'s, 'd> {
    places: &'s HashMap<usize, usize>,
    pools: &'s mut HashMap<&'d [u8], Pool>,
    /// Records around the value, outermost first.
    hosts: Vec<usize>,
    /// Member names from the root; three are enough for a region.
    steps: Vec<&'d [u8]>,
}

impl<'d> Search<'_, 'd> {
    fn value(&mut self, value: &'d Value<'d>, may_be_record: bool) {
        match value {
            Value::Array(items) => {
                for item in items {
                    if matches!(item, Value::Object(_) | Value::Array(_)) {
                        self.value(item, may_be_record);
                    }
                }
            }
            Value::Object(object) => self.object(value, object, may_be_record),
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::BigInt(_)
            | Value::Float(_)
            | Value::Str(_) => {}
        }
    }

    fn object(&mut self, value: &'d Value<'d>, object: &'d Object<'d>, may_be_record: bool) {
        let host = if may_be_record {
            self.places.get(&address(value)).copied()
        } else {
            None
        };
        self.hosts.extend(host);
        let depth = self.steps.len();
        let top = self.steps.first().copied().unwrap_or_default();
        for (key, member) in object {
            let key = key.as_bytes();
            match member {
                Value::Str(text) if depth > 0 && ANCHORS.contains(&key) => {
                    if let Some(pool) = self.pools.get_mut(text.as_bytes()) {
                        let region = Region::of(&self.steps);
                        pool.add(Candidate {
                            target: address(value),
                            class: region.class(value),
                            region,
                            hosts: self.hosts.clone(),
                        });
                    }
                }
                Value::Object(_) | Value::Array(_) => {
                    if depth < 2 && is_skipped(depth, top, key) {
                        continue;
                    }
                    let is_kept = depth < 3;
                    if is_kept {
                        self.steps.push(key);
                    }
                    let is_in_screens = depth == 0 && key == b"screens";
                    self.value(member, may_be_record && !is_in_screens);
                    if is_kept {
                        self.steps.pop();
                    }
                }
                Value::Str(_)
                | Value::Null
                | Value::Bool(_)
                | Value::Int(_)
                | Value::BigInt(_)
                | Value::Float(_) => {}
            }
        }
        if host.is_some() {
            self.hosts.pop();
        }
    }
}

/// Resolve the references of one record and note what it stands on.
fn one<'d>(
    place: usize,
    record: &Record<'d>,
    pools: &HashMap<&'d [u8], Pool>,
    graph: &mut Graph,
) -> Resolved<'d> {
    let mut resolved = Resolved {
        has_references: reference_texts(record.value).next().is_some(),
        ..Resolved::default()
    };
    if !resolved.has_references {
        return resolved;
    }
    let mut targets: Vec<usize> = Vec::new();
    for value in record
        .value
        .get("evidence_refs")
        .and_then(Value::as_array)
        .unwrap_or_default()
    {
        let pool = value.as_text().and_then(|text| pools.get(text.as_bytes()));
        let class = pool.map_or(Class::Nothing, |pool| best(place, pool));
        resolved.references.push(Reference { value, class });
        let Some(pool) = pool else {
            continue;
        };
        let hosted = pool
            .hosted
            .iter()
            .filter(|candidate| !candidate.hosts.contains(&place));
        match class {
            Class::Direct => {
                let direct = hosted.filter(|candidate| candidate.class == Class::Direct);
                for candidate in pool.open.iter().chain(direct) {
                    resolved.has_signal |= candidate.region.is_signal;
                    resolved.has_header |= candidate.region.is_header;
                    if targets.len() < 2 && !targets.contains(&candidate.target) {
                        targets.push(candidate.target);
                    }
                    graph.stands_on(place, &candidate.hosts);
                }
            }
            Class::Coarse => graph.stands_on(place, &[]),
            Class::Inference => {
                let inner = hosted.filter(|candidate| candidate.class == Class::Inference);
                for host in inner
                    .chain(pool.coarse.as_ref())
                    .flat_map(|candidate| &candidate.hosts)
                {
                    graph.leans_on(place, *host);
                }
            }
            Class::Gap | Class::Nothing => {}
        }
    }
    resolved.direct_target_count = targets.len();
    resolved
}

/// The best class among the candidates outside the record.
fn best(place: usize, pool: &Pool) -> Class {
    let open = if !pool.open.is_empty() {
        Some(Class::Direct)
    } else if pool.has_open_inference {
        Some(Class::Inference)
    } else if pool.has_open_gap {
        Some(Class::Gap)
    } else {
        None
    };
    let hosted = pool
        .hosted
        .iter()
        .filter(|candidate| !candidate.hosts.contains(&place))
        .map(|candidate| candidate.class)
        .min();
    let coarse = || {
        pool.coarse
            .as_ref()
            .filter(|candidate| !candidate.hosts.contains(&place))
            .map(|candidate| candidate.class)
    };
    open.into_iter()
        .chain(hosted)
        .min()
        .or_else(coarse)
        .unwrap_or(Class::Nothing)
}

/// Which records lean on which, and which stand on something observed.
struct Graph {
    /// For each record those that lean on it.
    leaning: Vec<Vec<usize>>,
    /// Stands on something observed that no record holds.
    is_firm: Vec<bool>,
    /// Stands on something observed inside other records: host lists -> records.
    hosted: BTreeMap<Vec<usize>, Vec<usize>>,
}

impl Graph {
    fn new(size: usize) -> Self {
        Self {
            leaning: vec![Vec::new(); size],
            is_firm: vec![false; size],
            hosted: BTreeMap::new(),
        }
    }

    fn stands_on(&mut self, record: usize, hosts: &[usize]) {
        if !hosts.is_empty() {
            self.hosted.entry(hosts.to_vec()).or_default().push(record);
        } else if let Some(firm) = self.is_firm.get_mut(record) {
            *firm = true;
        }
    }

    fn leans_on(&mut self, record: usize, other: usize) {
        if record != other
            && let Some(leaning) = self.leaning.get_mut(other)
            && leaning.last() != Some(&record)
        {
            leaning.push(record);
        }
    }

    /// Spread backwards from `seeds`; records in `avoided` or already in `is_done` stop it.
    fn spread(&self, seeds: &[usize], avoided: &[usize], is_done: &[bool]) -> Vec<usize> {
        let mut seen = vec![false; self.leaning.len()];
        let mut queue = Vec::new();
        let mut reached = Vec::new();
        queue.extend_from_slice(seeds);
        while let Some(record) = queue.pop() {
            if is_done.get(record).copied().unwrap_or(true) || avoided.contains(&record) {
                continue;
            }
            if let Some(mark) = seen.get_mut(record) {
                if std::mem::replace(mark, true) {
                    continue;
                }
                reached.push(record);
                queue.extend(self.leaning.get(record).into_iter().flatten());
            }
        }
        reached
    }

    /// Whether each record is grounded without using itself.
    fn grounded(&self) -> Vec<bool> {
        let size = self.leaning.len();
        let mut is_grounded = vec![false; size];
        let seeds: Vec<usize> = (0..size)
            .filter(|place| self.is_firm.get(*place).copied().unwrap_or(false))
            .collect();
        for record in self.spread(&seeds, &[], &vec![false; size]) {
            if let Some(mark) = is_grounded.get_mut(record) {
                *mark = true;
            }
        }
        // A target inside a record serves every chain that does not pass through that record.
        let firm = is_grounded.clone();
        for (hosts, seeds) in &self.hosted {
            if seeds
                .iter()
                .all(|record| firm.get(*record).copied().unwrap_or(true))
            {
                continue;
            }
            for record in self.spread(seeds, hosts, &firm) {
                if let Some(mark) = is_grounded.get_mut(record) {
                    *mark = true;
                }
            }
        }
        is_grounded
    }
}

/// A value found by its path.
#[derive(Debug)]
pub struct Found<'d> {
    /// The value.
    pub value: &'d Value<'d>,
    /// Steps from the root.
    pub steps: Vec<Step<'d>>,
    /// Values on the way, the last being the value itself.
    pub chain: Vec<&'d Value<'d>>,
}

impl<'d> Found<'d> {
    /// The steps as a path that places in a text are looked up by.
    pub fn to_value_path(&self) -> ValuePath {
        self.steps
            .iter()
            .fold(ValuePath::root(), |path, step| match step {
                Step::Root => path,
                Step::Key(key) => path.key(Text::from_wtf8(Cow::Owned(key.to_vec()))),
                Step::Index(index) => path.index(*index),
            })
    }

    fn keys(&self) -> Vec<&'d [u8]> {
        self.steps
            .iter()
            .filter_map(|step| match step {
                Step::Key(key) => Some(*key),
                Step::Root | Step::Index(_) => None,
            })
            .collect()
    }

    fn is_skipped(&self) -> bool {
        let keys = self.keys();
        let top = keys.first().copied().unwrap_or_default();
        is_skipped(0, b"", top) || keys.get(1).is_some_and(|key| is_skipped(1, top, key))
    }
}

/// The value at a written path: members joined by `.`, positions `[i]`. A member name may hold dots
/// itself: the longest name that leads on wins.
pub fn walk_path<'d>(root: &'d Value<'d>, path: &[u8]) -> Option<Found<'d>> {
    let mut walk = PathWalk {
        steps: Vec::new(),
        chain: Vec::new(),
    };
    let value = walk.member(root, path)?;
    Some(Found {
        value,
        steps: walk.steps,
        chain: walk.chain,
    })
}

struct PathWalk<'d> {
    steps: Vec<Step<'d>>,
    chain: Vec<&'d Value<'d>>,
}

impl<'d> PathWalk<'d> {
    fn take(&mut self, step: Step<'d>, value: &'d Value<'d>, rest: &[u8]) -> Option<&'d Value<'d>> {
        self.steps.push(step);
        self.chain.push(value);
        let found = match rest.split_first() {
            None => Some(value),
            Some((b'.', name)) => self.member(value, name),
            Some((b'[', position)) => self.item(value, position),
            Some(_) => None,
        };
        if found.is_none() {
            self.steps.pop();
            self.chain.pop();
        }
        found
    }

    fn item(&mut self, value: &'d Value<'d>, rest: &[u8]) -> Option<&'d Value<'d>> {
        let items = value.as_array()?;
        let end = memchr::memchr(b']', rest)?;
        let digits = rest.get(..end)?;
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let index: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
        self.take(Step::Index(index), items.get(index)?, rest.get(end + 1..)?)
    }

    fn member(&mut self, value: &'d Value<'d>, rest: &[u8]) -> Option<&'d Value<'d>> {
        let object = value.as_object()?;
        let mut ends: Vec<usize> = memchr::memchr2_iter(b'.', b'[', rest).collect();
        ends.push(rest.len());
        if ends.len() > object.len() {
            // A long reference: the member names are the shorter list.
            ends = object
                .keys()
                .filter(|key| rest.starts_with(key.as_bytes()))
                .map(|key| key.as_bytes().len())
                .filter(|end| matches!(rest.get(*end), None | Some(b'.' | b'[')))
                .collect();
            ends.sort_unstable();
        }
        for end in ends.into_iter().rev() {
            let name = rest.get(..end)?;
            let known = object
                .get_text(&Text::from_wtf8(Cow::Borrowed(name)))
                .and_then(|member| {
                    let (key, _) = object.iter().find(|(key, _)| key.as_bytes() == name)?;
                    Some((key.as_bytes(), member))
                });
            if let Some((key, member)) = known
                && let Some(found) = self.take(Step::Key(key), member, rest.get(end..)?)
            {
                return Some(found);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::survey::Survey;
    use super::*;
    use crate::value::json::parse;

    /// Grounded flags of all records, by path.
    fn grounded(text: &str) -> Vec<(String, bool, Vec<Class>)> {
        let value = parse(text).unwrap();
        let survey = Survey::of(&value);
        let evidence = Evidence::resolve(&value, &survey.records);
        survey
            .records
            .iter()
            .zip(&evidence.resolved)
            .map(|(record, resolved)| {
                (
                    record.path.clone(),
                    resolved.is_grounded,
                    resolved.references.iter().map(|one| one.class).collect(),
                )
            })
            .collect()
    }

    #[test]
    fn paths_take_the_longest_name_that_leads_on() {
        let value =
            parse(r#"{"a":{"b":{"c":1},"b.c":{"d":[5,{"e":6}]}},"x.y":{"z":2},"k[0]":{"m":3}}"#)
                .unwrap();
        let at = |path: &str| walk_path(&value, path.as_bytes()).map(|found| found.value.clone());
        assert_eq!(at("a.b.c"), parse(r#"{"d":[5,{"e":6}]}"#).ok());
        assert_eq!(at("a.b.c.d[1].e"), Some(Value::Int(6)));
        assert_eq!(at("x.y.z"), Some(Value::Int(2)));
        assert_eq!(at("k[0].m"), Some(Value::Int(3)));
        assert_eq!(at("a.b.c.d[2]"), None);
        assert_eq!(at("a.b.c.d[ 1]"), None);
        assert_eq!(at("a..b"), None);
    }

    #[test]
    fn a_circle_of_inferences_is_not_grounded_and_a_chain_to_a_fact_is() {
        let found = grounded(
            r#"{"content":{"x":[{"record_id":"copy"}]},
            "essence":{"a":{"kind":"inference","evidence_refs":["essence.b"]},
                       "b":{"kind":"inference","evidence_refs":["essence.a"]},
                       "c":{"kind":"inference","evidence_refs":["essence.d"]},
                       "d":{"kind":"inference","evidence_refs":["copy"]},
                       "e":{"kind":"inference","evidence_refs":["essence.e"]}}}"#,
        );
        let flags: Vec<bool> = found.iter().map(|one| one.1).collect();
        assert_eq!(flags, [false, false, true, true, false]);
        assert_eq!(found[4].2, [Class::Nothing]);
    }

    #[test]
    fn what_lies_below_a_record_serves_others_but_not_a_chain_back_to_it() {
        let found = grounded(
            r#"{"content":{"r":{"kind":"inference","evidence_refs":["essence.s"],"inner":{"id":"below"}}},
            "essence":{"s":{"kind":"inference","evidence_refs":["below"]}}}"#,
        );
        assert_eq!(
            found
                .iter()
                .map(|one| (one.0.as_str(), one.1))
                .collect::<Vec<_>>(),
            [("content.r", false), ("essence.s", true)]
        );
    }

    #[test]
    fn gaps_headers_and_whole_parts_have_their_classes() {
        let found = grounded(
            r#"{"design_tokens":{"b":{"observation_status":"blocked","reason":"r"}},
            "tech_stack":{"signals":{"response_headers":{"X-Powered-By":"E"}}},
            "content":{}, "unknowns":[{"id":"u"}],
            "essence":{"a":{"kind":"inference","evidence_refs":
              ["design_tokens.b","x-powered-by","content","essence","unknowns","u",3," "]}}}"#,
        );
        assert_eq!(
            found[0].2,
            [
                Class::Gap,
                Class::Direct,
                Class::Coarse,
                Class::Inference,
                Class::Nothing,
                Class::Nothing,
                Class::Nothing,
                Class::Nothing
            ]
        );
    }

    #[test]
    fn many_records_in_circles_are_settled_in_one_spread() {
        let mut text = String::from(r#"{"content":{"x":{"id":"t"}},"inferred_services":["#);
        for index in 0..20_000 {
            use std::fmt::Write as _;
            let next = (index + 1) % 20_000;
            let _ = write!(
                text,
                r#"{}{{"kind":"inference","evidence_refs":["inferred_services[{next}]"{}]}}"#,
                if index == 0 { "" } else { "," },
                if index == 7 { r#","t""# } else { "" },
            );
        }
        text.push_str("]}");
        assert!(grounded(&text).iter().all(|one| one.1));
    }
}
