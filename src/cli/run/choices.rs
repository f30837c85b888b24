//! The choices of a run: which rules count, how much, and the findings that are known.
//!
//! In: a configuration and the options of a command line. Out: a [`Policy`] and a baseline, with names seen
//! from the configuration's folder; each fault names its place. What they do is [`crate::policy`]'s to say.

use super::config::{Config, Place};
use super::plan;
use crate::cli::completed::rule_codes;
use crate::error::Error;
use crate::files;
use crate::finding::{counted, excerpt};
use crate::outcome::Outcome;
use crate::policy::baseline::{Baseline, Remainder, line};
use crate::policy::{Policy, Selector};
use crate::report::uri;
use globset::GlobBuilder;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// Mended findings that are named; the rest is counted.
const MENDED_SHOWN: usize = 10;

/// Which rules count, instead of or besides what the configuration says.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct RuleOptions {
    /// Count only these rules: codes, names or beginnings of codes; replaces `select` of the
    /// configuration.
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        value_parser = rule_codes(),
        hide_possible_values = true
    )]
    select: Vec<String>,
    /// Leave these rules out, besides those of the configuration.
    #[arg(
        long,
        value_name = "RULE",
        value_delimiter = ',',
        value_parser = rule_codes(),
        hide_possible_values = true
    )]
    ignore: Vec<String>,
    /// Let warnings decide.
    #[arg(long)]
    warnings_as_errors: bool,
    /// Count known findings like new ones.
    #[arg(long)]
    no_baseline: bool,
}

impl RuleOptions {
    /// No option but that nothing is known.
    pub fn without_baseline() -> Self {
        Self {
            no_baseline: true,
            ..Self::default()
        }
    }
}

/// A policy and what is known.
#[derive(Debug)]
pub struct Choices {
    policy: Policy,
    known: Option<Baseline>,
    /// The folder that names start from, absolute.
    root: String,
}

impl Choices {
    /// The choices of `config`, whose paths start at `root`, and of `arguments`.
    ///
    /// # Errors
    /// With the place in the configuration, or the option.
    pub fn new(
        config: &Config,
        place: &Place<'_>,
        root: &Path,
        arguments: &RuleOptions,
    ) -> Result<Self, Error> {
        let listed = |spanned: &[Spanned<String>]| {
            spanned
                .iter()
                .map(|text| selector(text, place))
                .collect::<Result<Vec<_>, _>>()
        };
        let given = |texts: &[String]| {
            texts
                .iter()
                .map(|text| Selector::parse(text).ok_or_else(|| Error::Usage(unknown(text))))
                .collect::<Result<Vec<_>, _>>()
        };
        let mut policy = Policy {
            select: listed(&config.select)?,
            ignore: listed(&config.ignore)?,
            warnings_as_errors: config.warnings_as_errors || arguments.warnings_as_errors,
            ..Policy::default()
        };
        if !arguments.select.is_empty() {
            policy.select = given(&arguments.select)?;
        }
        policy.ignore.extend(given(&arguments.ignore)?);
        for (glob, rules) in &config.per_path_ignores {
            let matcher = GlobBuilder::new(glob.get_ref().trim_start_matches("./"))
                .literal_separator(true)
                .build()
                .map_err(|fault| place.fault(glob.span(), format!("not a glob: {}", fault.kind())))?
                .compile_matcher();
            policy.per_path_ignores.push((matcher, listed(rules)?));
        }
        for (rule, severity) in &config.severity {
            policy.severity.push((selector(rule, place)?, *severity));
        }
        let known = match &config.baseline {
            Some(name) if !arguments.no_baseline => Some(read(&root.join(name.get_ref()), || {
                place.fault(
                    name.span(),
                    format!(
                        "the baseline `{}` is not there; gatewright baseline writes it",
                        excerpt(name.get_ref())
                    ),
                )
            })?),
            Some(_) | None => None,
        };
        Ok(Self {
            policy,
            known,
            root: absolute(root),
        })
    }

    /// The choices of `arguments` alone; names are seen from the current folder.
    ///
    /// # Errors
    /// When a selector means no rule.
    pub fn of_options(arguments: &RuleOptions) -> Result<Self, Error> {
        let place = Place { name: "", text: "" };
        Self::new(&Config::default(), &place, Path::new(""), arguments)
    }

    /// The name of an input as seen from the configuration.
    pub fn name_of(&self, source: &str) -> String {
        if source.is_empty() {
            return String::new();
        }
        let path = PathBuf::from(files::current_folder()).join(source);
        uri::relative(&path.to_string_lossy(), &self.root)
    }

    /// Apply them to `outcomes`. Returns what of the baseline was not found.
    pub fn apply(&self, outcomes: &mut [Outcome]) -> Remainder {
        self.policy.apply(outcomes, self.known.as_ref(), &|source| {
            self.name_of(source)
        })
    }

    /// The findings of `outcomes` that count, as a baseline.
    pub fn baseline(&self, outcomes: &mut [Outcome]) -> Baseline {
        self.policy
            .apply(outcomes, None, &|source| self.name_of(source));
        Baseline::of(outcomes, &|source| self.name_of(source))
    }

    /// Lines about known findings that are mended.
    pub fn told(&self, remainder: &Remainder) -> Vec<String> {
        let mended = remainder.mended();
        let count: u64 = mended.iter().map(|known| known.count).sum();
        if count == 0 {
            return Vec::new();
        }
        let mut lines = vec![format!(
            "{} mended; `gatewright baseline --prune` takes them off:",
            counted(
                usize::try_from(count).unwrap_or(usize::MAX),
                "known finding"
            )
        )];
        lines.extend(
            mended
                .iter()
                .take(MENDED_SHOWN)
                .map(|known| format!("  {}", crate::report::text::escaped(&line(known)))),
        );
        if mended.len() > MENDED_SHOWN {
            lines.push(format!("  and {} more", mended.len() - MENDED_SHOWN));
        }
        lines
    }
}

/// The baseline at `path`; `missing` is the error when there is none.
pub(super) fn read(path: &Path, missing: impl FnOnce() -> Error) -> Result<Baseline, Error> {
    let name = path.display().to_string();
    let bytes = match files::read(path) {
        Ok(bytes) => bytes,
        Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => return Err(missing()),
        Err(fault) => {
            return Err(Error::Read {
                kind: "baseline",
                reason: fault.into(),
                name,
            });
        }
    };
    Baseline::parse(&bytes).map_err(|reason| Error::Unusable {
        name,
        path: String::new(),
        reason: format!("{reason}; gatewright baseline writes it anew"),
    })
}

fn absolute(root: &Path) -> String {
    let path = PathBuf::from(files::current_folder()).join(root);
    let text = path.to_string_lossy();
    text.trim_end_matches('/').to_owned()
}

fn selector(text: &Spanned<String>, place: &Place<'_>) -> Result<Selector, Error> {
    Selector::parse(text.get_ref()).ok_or_else(|| place.fault(text.span(), unknown(text.get_ref())))
}

fn unknown(text: &str) -> String {
    let codes = crate::gates::rules::all().map(|rule| rule.code);
    let names = crate::gates::rules::all().map(|rule| rule.name);
    format!(
        "no rule has the code or name `{}`, and no code begins so{}",
        excerpt(text),
        plan::nearest(text, codes.chain(names))
    )
}
