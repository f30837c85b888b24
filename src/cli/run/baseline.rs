//! `gatewright baseline`: accept the findings that are there, so that only new ones fail.
//!
//! In: a configuration that names its `baseline`, or none, in which case the file is
//! `gatewright-baseline.json` beside it. Out: the file, and a line for what was added and dropped. A gate that
//! could not run stops it: what was not looked at cannot be accepted.

use super::choices::{self, read};
use super::{Opened, all};
use crate::cli::{Answer, Context};
use crate::error::Error;
use crate::files;
use crate::finding::counted;
use crate::outcome::Verdict;
use crate::policy::baseline::{Baseline, line};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Name of the file where the configuration gives none.
const NAME: &str = "gatewright-baseline.json";

/// Write the baseline: the findings that are known from now on.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; without it the nearest gatewright.toml or [tool.gatewright].
    #[arg(value_name = "CONFIG")]
    config: Option<PathBuf>,
    /// Only take off what is mended; accept nothing new.
    #[arg(long)]
    prune: bool,
    #[command(flatten)]
    trust: super::Trust,
}

/// Write the baseline.
///
/// # Errors
/// When the configuration or the old baseline cannot be used, a gate could not run, or the file cannot be
/// written.
pub fn run(arguments: &Arguments, context: &Context<'_>) -> Result<Answer, Error> {
    let opened = Opened::at(arguments.config.as_deref(), arguments.trust)?;
    let named = opened.config.baseline.as_ref();
    let target = opened
        .root
        .join(named.map_or(NAME, |name| name.get_ref().as_str()));
    let name = target.display().to_string();
    let nothing = || Error::Unusable {
        name: name.clone(),
        path: String::new(),
        reason: "it is not there".to_owned(),
    };
    // A file that is there must be one of ours: nothing else is written over.
    let old = if target.exists() || arguments.prune {
        read(&target, nothing)?
    } else {
        Baseline::default()
    };
    let choices = opened.choices(&choices::RuleOptions::without_baseline())?;
    let (jobs, _) = opened.jobs(&[])?;
    let (mut outcomes, _) = all(&jobs, None, None, false, context)?;
    if let Some(undecided) = outcomes
        .iter()
        .find(|outcome| outcome.verdict == Verdict::Undecided)
    {
        let reason = undecided
            .findings
            .first()
            .map_or(undecided.summary.as_str(), |finding| {
                finding.message.as_str()
            });
        return Err(Error::Usage(format!(
            "{} could not run, so nothing was accepted: {reason}",
            undecided.title()
        )));
    }
    let found = choices.baseline(&mut outcomes);
    let new = if arguments.prune {
        old.common(&found)
    } else {
        found
    };
    let bytes = new.to_bytes().map_err(|fault| Error::Write {
        name: name.clone(),
        reason: fault.into(),
    })?;
    files::write_atomic(&target, &bytes).map_err(|fault| Error::Write {
        name: name.clone(),
        reason: fault.into(),
    })?;
    Ok(Answer::text(told(&old, &new, &name, named.is_some())))
}

fn told(old: &Baseline, new: &Baseline, name: &str, is_named: bool) -> String {
    let kept = old.common(new).count();
    let dropped = old.without(new);
    let mut out = String::new();
    for known in dropped.mended() {
        let _ = writeln!(
            out,
            "mended: {}",
            crate::report::text::escaped(&line(known))
        );
    }
    let count = |count: u64| {
        counted(
            usize::try_from(count).unwrap_or(usize::MAX),
            "known finding",
        )
    };
    let _ = writeln!(
        out,
        "written {name}: {}, {} new, {} dropped",
        count(new.count()),
        new.count().saturating_sub(kept),
        old.count().saturating_sub(kept)
    );
    if !is_named {
        let _ = writeln!(
            out,
            "next: put `baseline = \"{NAME}\"` at the top of the configuration"
        );
    }
    out
}
