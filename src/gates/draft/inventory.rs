//! The coverage of the site: which URLs were discovered, extracted, excluded, left pending.
//!
//! In: the document. Out: the sets, and whether a manifest is the one that follows from them.

use super::reading::{is_same_json, texts};
use crate::value::{Text, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The four numbers of a coverage.
pub const COUNTS: [&str; 4] = ["discovered", "extracted", "pending", "excluded"];

/// What `site_inventory` says.
#[derive(Debug, Default)]
pub struct Inventory<'d> {
    /// The section, when it is an object.
    pub section: Option<&'d Value<'d>>,
    /// `discovered_urls`, in order.
    pub discovered: Vec<&'d Text<'d>>,
    /// The extracted set.
    pub extracted: BTreeSet<&'d Text<'d>>,
    /// URLs of the excluded entries.
    pub excluded: BTreeSet<&'d Text<'d>>,
    /// Discovered, neither extracted nor excluded.
    pub pending: Vec<&'d Text<'d>>,
}

impl<'d> Inventory<'d> {
    /// Read the coverage of a document.
    pub fn of(blueprint: &'d Value<'d>) -> Self {
        let section = blueprint
            .get("site_inventory")
            .filter(|section| section.as_object().is_some());
        let list = |name: &str| section.and_then(|section| section.get(name));
        let discovered: Vec<_> = texts(list("discovered_urls")).map(|(_, url)| url).collect();
        let mut extracted: BTreeSet<_> = texts(list("extracted")).map(|(_, url)| url).collect();
        if extracted.is_empty() {
            extracted = blueprint
                .get("screens")
                .and_then(Value::as_array)
                .unwrap_or_default()
                .iter()
                .filter_map(|screen| screen.get("source_url")?.as_text())
                .filter(|url| !url.is_empty())
                .collect();
        }
        let excluded: BTreeSet<_> = list("excluded")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .filter_map(|entry| entry.get("url")?.as_text())
            .collect();
        let pending = discovered
            .iter()
            .copied()
            .filter(|url| !extracted.contains(url) && !excluded.contains(url))
            .collect();
        Self {
            section,
            discovered,
            extracted,
            excluded,
            pending,
        }
    }

    /// A member of the section.
    pub fn member(&self, name: &str) -> Option<&'d Value<'d>> {
        self.section?.get(name)
    }

    /// The crawl mode, `single` when none is given.
    pub fn crawl_mode(&self) -> &'d [u8] {
        self.member("crawl_mode")
            .and_then(Value::as_text)
            .map_or(b"single", Text::as_bytes)
    }

    /// The first member of a manifest that does not follow from the section; `notice` is free.
    pub fn manifest_fault(&self, manifest: &Value<'_>) -> Option<&'static str> {
        let Some(object) = manifest.as_object() else {
            return Some("(root)");
        };
        let mode = object.get("crawl_mode").and_then(Value::as_text);
        if mode.map(Text::as_bytes) != Some(self.crawl_mode()) {
            return Some("crawl_mode");
        }
        let extracted: Vec<_> = self.extracted.iter().copied().collect();
        let lists = [
            ("discovered", &self.discovered),
            ("extracted", &extracted),
            ("pending", &self.pending),
        ];
        for (name, expected) in lists {
            if !object
                .get(name)
                .is_some_and(|list| is_sorted_list(list, expected))
            {
                return Some(name);
            }
        }
        if !object
            .get("excluded")
            .is_some_and(|list| self.is_excluded_list(list))
        {
            return Some("excluded");
        }
        if !object
            .get("counts")
            .is_some_and(|counts| is_counted(counts, object))
        {
            return Some("counts");
        }
        if !object
            .get("declared_counts")
            .is_some_and(|declared| self.is_declared(declared))
        {
            return Some("declared_counts");
        }
        let is_known = |key: &Text<'_>| {
            ["crawl_mode", "counts", "declared_counts", "notice"]
                .iter()
                .chain(&COUNTS)
                .any(|name| key == name)
        };
        if object.keys().any(|key| !is_known(key)) {
            return Some("(unknown member)");
        }
        None
    }

    fn is_excluded_list(&self, list: &Value<'_>) -> bool {
        let mut expected: Vec<&Value<'_>> = self
            .member("excluded")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .collect();
        // Stable, so entries of one URL keep their order.
        expected.sort_by_key(|entry| entry.get("url").and_then(Value::as_text));
        let Some(items) = list.as_array() else {
            return false;
        };
        items.len() == expected.len()
            && items.iter().zip(expected).all(|(item, entry)| {
                is_same_json(item, entry)
                    || (["url", "reason"]
                        .iter()
                        .all(|name| item.get(name) == entry.get(name))
                        && item.as_object().is_some_and(|object| object.len() <= 2))
            })
    }

    fn is_declared(&self, declared: &Value<'_>) -> bool {
        let coverage = self.member("coverage").and_then(Value::as_object);
        match (coverage, declared) {
            (None, Value::Null) => true,
            (Some(coverage), Value::Null) => COUNTS.iter().any(|name| !coverage.contains_key(name)),
            (coverage, Value::Object(declared)) => COUNTS.iter().all(|name| {
                let stated = coverage.and_then(|coverage| coverage.get(name));
                match (stated, declared.get(name)) {
                    (Some(stated), Some(declared)) => is_same_json(stated, declared),
                    (None, declared) => declared.is_none_or(|value| matches!(value, Value::Null)),
                    (Some(_), None) => false,
                }
            }),
            _ => false,
        }
    }
}

/// Whether `list` is `expected` in code point order, repeated entries kept or dropped.
fn is_sorted_list(list: &Value<'_>, expected: &[&Text<'_>]) -> bool {
    let Some(items) = list.as_array() else {
        return false;
    };
    let mut sorted: Vec<&[u8]> = expected.iter().map(|url| url.as_bytes()).collect();
    sorted.sort_unstable();
    let is_same = |sorted: &[&[u8]]| {
        items.len() == sorted.len()
            && items
                .iter()
                .zip(sorted)
                .all(|(item, url)| item.as_text().is_some_and(|text| text.as_bytes() == *url))
    };
    if is_same(&sorted) {
        return true;
    }
    sorted.dedup();
    is_same(&sorted)
}

/// Whether the counts are the lengths of the manifest's own lists.
fn is_counted(counts: &Value<'_>, manifest: &crate::value::Object<'_>) -> bool {
    let lengths: BTreeMap<&str, usize> = COUNTS
        .iter()
        .filter_map(|name| Some((*name, manifest.get(name)?.as_array()?.len())))
        .collect();
    counts.as_object().is_some_and(|counts| {
        counts.len() == COUNTS.len()
            && lengths.iter().all(|(name, length)| {
                counts
                    .get(name)
                    .and_then(super::reading::integer)
                    .is_some_and(|stated| Ok(stated) == i128::try_from(*length))
            })
    })
}
