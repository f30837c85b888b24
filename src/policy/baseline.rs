//! The baseline: findings that a repository knows and has accepted for now.
//!
//! In: outcomes, or the bytes of a baseline file. Out: known findings with their number, keyed by
//! [`crate::finding::Finding::identity`]: by content, so that lines and items put before a finding do not make it new. The file
//! is JSON, sorted, a finding an entry, made to be read in a review.

use crate::finding::excerpt;
use crate::outcome::{Outcome, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of the file's shape.
const VERSION: u32 = 1;

/// A finding that is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The input, as seen from the configuration.
    pub source: String,
    /// Code of the rule.
    pub code: String,
    /// The message when it was accepted, for readers; the identity decides.
    pub message: String,
    /// `Finding::identity`, 64 hex digits.
    pub identity: String,
    /// How often it was found.
    pub count: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    findings: Vec<Known>,
}

/// Known findings by identity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline(BTreeMap<String, Known>);

impl Baseline {
    /// Every finding of `outcomes` that were decided; `name_of` gives an input's name as seen from the
    /// configuration.
    pub fn of(outcomes: &[Outcome], name_of: &dyn Fn(&str) -> String) -> Self {
        let mut known = BTreeMap::new();
        let decided = outcomes
            .iter()
            .filter(|outcome| outcome.verdict != Verdict::Undecided);
        for finding in decided.flat_map(|outcome| &outcome.findings) {
            let source = name_of(&finding.at.source);
            let identity = finding.identity(&source);
            known
                .entry(identity.clone())
                .or_insert_with(|| Known {
                    source,
                    code: finding.rule.code.to_owned(),
                    message: excerpt(&finding.message),
                    identity,
                    count: 0,
                })
                .count += 1;
        }
        Self(known)
    }

    /// The baseline in `bytes`.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file: File = serde_json::from_slice(bytes).map_err(|fault| fault.to_string())?;
        if file.version != VERSION {
            return Err(format!(
                "its version is {}, this gatewright reads version {VERSION}",
                file.version
            ));
        }
        let entries = file.findings.into_iter();
        Ok(Self(
            entries
                .map(|known| (known.identity.clone(), known))
                .collect(),
        ))
    }

    /// The file's bytes, the same for the same findings.
    ///
    /// # Errors
    /// When the findings cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut findings: Vec<Known> = self.0.values().cloned().collect();
        findings.sort();
        let file = File {
            version: VERSION,
            findings,
        };
        let mut bytes = serde_json::to_vec_pretty(&file)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Findings that are known, counted as often as they are.
    pub fn count(&self) -> u64 {
        self.0.values().map(|known| known.count).sum()
    }

    /// All of it, to take from.
    pub fn remainder(&self) -> Remainder {
        Remainder(self.0.clone())
    }

    /// What `self` holds more often than `other`.
    pub fn without(&self, other: &Self) -> Remainder {
        let mut remainder = self.remainder();
        for known in other.0.values() {
            for _ in 0..known.count {
                remainder.take(&known.identity);
            }
        }
        remainder
    }

    /// What both hold, as often as both hold it.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        let pairs = self.0.iter().filter_map(|(identity, known)| {
            let count = known.count.min(other.0.get(identity)?.count);
            Some((
                identity.clone(),
                Known {
                    count,
                    ..known.clone()
                },
            ))
        });
        Self(pairs.collect())
    }
}

/// What of a baseline has not been found again yet.
#[derive(Clone, Debug, Default)]
pub struct Remainder(BTreeMap<String, Known>);

impl Remainder {
    /// Whether a finding of this identity was still to be found; it counts as found then.
    pub fn take(&mut self, identity: &str) -> bool {
        match self.0.get_mut(identity) {
            Some(known) if known.count > 0 => {
                known.count -= 1;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Known findings that were not found again, by file.
    pub fn mended(&self) -> Vec<&Known> {
        let mut mended: Vec<&Known> = self.0.values().filter(|known| known.count > 0).collect();
        mended.sort();
        mended
    }
}

/// One line for a known finding that is mended.
pub fn line(known: &Known) -> String {
    format!("{}: {} {}", known.source, known.code, known.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, Location};

    fn outcome(lines: &[&str]) -> Outcome {
        let rule = crate::gates::rules::find("GWF003").unwrap();
        let findings = lines
            .iter()
            .enumerate()
            .map(|(at, message)| {
                Finding::new(
                    rule,
                    Location::at_path("./f.json", format!("$.lenses[{at}]")),
                    *message,
                )
            })
            .collect();
        Outcome::from_findings("framework check", findings)
    }

    #[test]
    fn a_baseline_reads_back_as_written_and_ignores_positions() {
        let named = |name: &str| name.trim_start_matches("./").to_owned();
        let baseline = Baseline::of(&[outcome(&["bad `a`", "bad `b`", "bad `a`"])], &named);
        assert_eq!(baseline.count(), 3);
        let bytes = baseline.to_bytes().unwrap();
        assert_eq!(Baseline::parse(&bytes).unwrap(), baseline);
        let moved = Baseline::of(&[outcome(&["bad `b`", "bad `a`", "bad `a`"])], &named);
        assert_eq!(moved.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn only_what_both_hold_is_common() {
        let of = |lines: &[&str]| Baseline::of(&[outcome(lines)], &str::to_owned);
        let common = of(&["bad `a`", "bad `a`", "bad `b`"]).common(&of(&["bad `a`", "new `c`"]));
        assert_eq!(common.count(), 1);
    }

    #[test]
    fn another_version_or_shape_is_refused() {
        for (bytes, words) in [
            (&b"{\"version\": 2, \"findings\": []}"[..], "version is 2"),
            (b"[]", "invalid"),
            (b"{", "EOF"),
            (
                b"{\"version\": 1, \"findings\": [], \"x\": 1}",
                "unknown field",
            ),
        ] {
            let reason = Baseline::parse(bytes).unwrap_err();
            assert!(reason.contains(words), "{reason}");
        }
    }
}
