//! What a repository accepts: which rules count, how much they weigh, which findings are known.
//!
//! In: outcomes as the gates decided them and the choices of a configuration. Out: the same outcomes with
//! findings set aside or weighed anew, and the verdict that follows. Nothing here reads files, and a gate
//! that could not run stays undecided whatever is chosen.

pub mod baseline;

use crate::gates::rules;
use crate::outcome::{Outcome, Verdict};
use crate::rule::{Rule, Severity};
use baseline::{Baseline, Remainder};
use globset::GlobMatcher;

/// A rule by its code or name, or several by the beginning of their codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(String);

impl Selector {
    /// The selector that `text` writes; nothing when no rule has such a code, name or beginning.
    pub fn parse(text: &str) -> Option<Self> {
        let selector = Self(text.to_ascii_uppercase());
        let is_known = text == ALL || rules::all().any(|rule| selector.weight(rule).is_some());
        (is_known && !text.is_empty()).then_some(selector)
    }

    /// How closely the selector means `rule`; nothing when it does not.
    fn weight(&self, rule: &Rule) -> Option<usize> {
        if rule.code.eq_ignore_ascii_case(&self.0) || rule.name.eq_ignore_ascii_case(&self.0) {
            return Some(usize::MAX);
        }
        if self.0 == ALL {
            return Some(0);
        }
        rule.code.starts_with(&self.0).then_some(self.0.len())
    }
}

/// The selector that means every rule.
const ALL: &str = "ALL";

/// The closest meaning that any of `selectors` has for `rule`.
fn closest(selectors: &[Selector], rule: &Rule) -> Option<usize> {
    selectors
        .iter()
        .filter_map(|selector| selector.weight(rule))
        .max()
}

/// The choices of a configuration and a command line.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Rules that count; all when empty.
    pub select: Vec<Selector>,
    /// Rules that do not. Of `select` and `ignore` the closer one decides, `ignore` when both are as close.
    pub ignore: Vec<Selector>,
    /// Rules that do not count in inputs whose name, seen from the configuration, matches.
    pub per_path_ignores: Vec<(GlobMatcher, Vec<Selector>)>,
    /// Severities by rule; the closest selector decides.
    pub severity: Vec<(Selector, Severity)>,
    /// Whether warnings decide.
    pub warnings_as_errors: bool,
}

impl Policy {
    /// Whether a finding of `rule` in the input called `source` counts.
    fn counts(&self, rule: &Rule, source: &str) -> bool {
        let selected = closest(&self.select, rule);
        let ignored = closest(&self.ignore, rule);
        let is_selected = match (selected, ignored) {
            (Some(selected), Some(ignored)) => selected > ignored,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => self.select.is_empty(),
        };
        is_selected
            && !self.per_path_ignores.iter().any(|(glob, selectors)| {
                glob.is_match(source) && closest(selectors, rule).is_some()
            })
    }

    fn severity_of(&self, rule: &Rule, severity: Severity) -> Severity {
        let chosen = self
            .severity
            .iter()
            .filter_map(|(selector, severity)| Some((selector.weight(rule)?, *severity)))
            .max_by_key(|(weight, _)| *weight)
            .map_or(severity, |(_, chosen)| chosen);
        match chosen {
            Severity::Warning if self.warnings_as_errors => Severity::Error,
            Severity::Error | Severity::Warning | Severity::Note => chosen,
        }
    }

    /// Apply the choices to `outcomes`; `name_of` gives an input's name as seen from the configuration.
    /// Findings that `known` holds are set aside. Returns what of `known` was not found again.
    pub fn apply(
        &self,
        outcomes: &mut [Outcome],
        known: Option<&Baseline>,
        name_of: &dyn Fn(&str) -> String,
    ) -> Remainder {
        let mut remainder = known.map(Baseline::remainder).unwrap_or_default();
        for outcome in outcomes {
            if outcome.verdict != Verdict::Undecided {
                self.apply_one(outcome, &mut remainder, name_of);
            }
        }
        remainder
    }

    fn apply_one(
        &self,
        outcome: &mut Outcome,
        remainder: &mut Remainder,
        name_of: &dyn Fn(&str) -> String,
    ) {
        let decides = |outcome: &Outcome| {
            outcome
                .findings
                .iter()
                .any(|finding| finding.severity == Severity::Error)
        };
        let did_decide = decides(outcome);
        let (mut ignored, mut known) = (0_u64, 0_u64);
        outcome.findings.retain_mut(|finding| {
            let source = name_of(&finding.at.source);
            if !self.counts(finding.rule, &source) {
                ignored += 1;
                return false;
            }
            if remainder.take(&finding.identity(&source)) {
                known += 1;
                return false;
            }
            finding.severity = self.severity_of(finding.rule, finding.severity);
            true
        });
        outcome.verdict = match (did_decide, decides(outcome)) {
            (_, true) => Verdict::Failed,
            (true, false) => Verdict::Passed,
            // A gate may fail without a finding; that is not ours to forgive.
            (false, false) => outcome.verdict,
        };
        for (key, count) in [(IGNORED, ignored), (KNOWN, known)] {
            if count > 0 {
                outcome.facts.insert(key.to_owned(), count.into());
            }
        }
    }
}

/// Fact of an outcome: findings that the configuration leaves out.
pub const IGNORED: &str = "ignored_findings";
/// Fact of an outcome: findings that the baseline knows.
pub const KNOWN: &str = "known_findings";

/// What was set aside, for people: `2 known, 3 ignored`; empty when nothing was.
pub fn set_aside(outcome: &Outcome) -> String {
    let count = |key: &str| outcome.facts.get(key).and_then(serde_json::Value::as_u64);
    let known = count(KNOWN).map(|count| format!("{count} known"));
    let ignored = count(IGNORED).map(|count| format!("{count} ignored"));
    let parts: Vec<String> = known.into_iter().chain(ignored).collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Finding, Location};
    use globset::Glob;

    fn selectors(texts: &[&str]) -> Vec<Selector> {
        texts
            .iter()
            .map(|text| Selector::parse(text).unwrap())
            .collect()
    }

    /// An error in `a/x.json` and a warning in `b/y.json`.
    fn outcome() -> Outcome {
        let finding = |code: &str, source: &str, message: &str| {
            Finding::new(
                rules::find(code).unwrap(),
                Location::of_source(source),
                message,
            )
        };
        Outcome::from_findings(
            "framework check",
            vec![
                finding("GWF003", "a/x.json", "bad `1`"),
                finding("GWF019", "b/y.json", "odd `2`"),
            ],
        )
    }

    fn applied(policy: &Policy, known: Option<&Baseline>) -> (Outcome, Remainder) {
        let mut outcomes = [outcome()];
        let remainder = policy.apply(&mut outcomes, known, &str::to_owned);
        let [outcome] = outcomes;
        (outcome, remainder)
    }

    fn codes(outcome: &Outcome) -> Vec<&str> {
        outcome
            .findings
            .iter()
            .map(|finding| finding.rule.code)
            .collect()
    }

    #[test]
    fn the_closer_selector_decides() {
        for (select, ignore, expected) in [
            (&[][..], &[][..], &["GWF003", "GWF019"][..]),
            (&["GWF003"], &[], &["GWF003"]),
            (&["gwf"], &["GWF019"], &["GWF003"]),
            (&["GWF019"], &["GWF"], &["GWF019"]),
            (&["GWF"], &["GWF"], &[]),
            (&["GWC"], &[], &[]),
            (&[], &["ALL"], &[]),
            (&["not-listed"], &["GWF0"], &["GWF003"]),
        ] {
            let policy = Policy {
                select: selectors(select),
                ignore: selectors(ignore),
                ..Policy::default()
            };
            let (outcome, _) = applied(&policy, None);
            assert_eq!(codes(&outcome), expected, "{select:?} {ignore:?}");
        }
        assert_eq!(Selector::parse("GWZ"), None);
        assert_eq!(Selector::parse(""), None);
    }

    #[test]
    fn the_verdict_follows_what_is_left() {
        let ignoring = |texts: &[&str]| Policy {
            ignore: selectors(texts),
            ..Policy::default()
        };
        let (outcome, _) = applied(&ignoring(&["GWF019"]), None);
        assert_eq!(outcome.verdict, Verdict::Failed);
        let (outcome, _) = applied(&ignoring(&["GWF003"]), None);
        assert_eq!(outcome.verdict, Verdict::Passed);
        assert_eq!(set_aside(&outcome), "1 ignored");
        let strict = Policy {
            warnings_as_errors: true,
            ..ignoring(&["GWF003"])
        };
        assert_eq!(applied(&strict, None).0.verdict, Verdict::Failed);
        let lenient = Policy {
            severity: vec![
                (Selector::parse("GWF").unwrap(), Severity::Error),
                (Selector::parse("GWF003").unwrap(), Severity::Note),
                (Selector::parse("GWF019").unwrap(), Severity::Note),
            ],
            ..Policy::default()
        };
        let (outcome, _) = applied(&lenient, None);
        assert_eq!(outcome.verdict, Verdict::Passed);
        assert_eq!(codes(&outcome), ["GWF003", "GWF019"]);
    }

    #[test]
    fn a_path_may_have_rules_of_its_own() {
        let policy = Policy {
            per_path_ignores: vec![(
                Glob::new("a/**").unwrap().compile_matcher(),
                selectors(&["GWF"]),
            )],
            ..Policy::default()
        };
        assert_eq!(codes(&applied(&policy, None).0), ["GWF019"]);
    }

    #[test]
    fn what_could_not_run_and_what_failed_without_a_finding_stay() {
        let policy = Policy {
            ignore: selectors(&["ALL"]),
            ..Policy::default()
        };
        let mut undecided = outcome();
        undecided.verdict = Verdict::Undecided;
        let mut bare = Outcome::from_findings("x", Vec::new());
        bare.verdict = Verdict::Failed;
        let mut outcomes = [undecided, bare];
        policy.apply(&mut outcomes, None, &str::to_owned);
        let [undecided, bare] = outcomes;
        assert_eq!(undecided.verdict, Verdict::Undecided);
        assert_eq!(undecided.findings.len(), 2);
        assert_eq!(bare.verdict, Verdict::Failed);
    }

    #[test]
    fn a_known_finding_is_set_aside_as_often_as_it_is_known() {
        let known = Baseline::of(&[outcome()], &str::to_owned);
        let (passed, remainder) = applied(&Policy::default(), Some(&known));
        assert_eq!(
            (passed.verdict, set_aside(&passed).as_str()),
            (Verdict::Passed, "2 known")
        );
        assert_eq!(remainder.mended(), Vec::<&baseline::Known>::new());
        let mut twice = [outcome(), outcome()];
        Policy::default().apply(&mut twice, Some(&known), &str::to_owned);
        let [first, second] = twice;
        assert_eq!(first.verdict, Verdict::Passed);
        assert_eq!(second.verdict, Verdict::Failed);
    }
}
