//! Words that shells complete and that are no closed list: rule codes, entry scripts, gates.
//!
//! In: the words. Out: a parser of arguments that offers them to completion and takes any other text too; the
//! command itself says what is wrong with one.

use crate::rule::Rule;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use std::ffi::OsStr;

/// A parser of texts of which some are known.
#[derive(Clone, Copy, Debug)]
pub struct Offered(fn() -> Vec<PossibleValue>);

/// Codes of rules.
pub fn rule_codes() -> Offered {
    Offered(|| {
        let offered = |rule: &Rule| PossibleValue::new(rule.code).help(rule.name);
        crate::gates::rules::all().map(offered).collect()
    })
}

/// Entry scripts.
pub fn script_names() -> Offered {
    Offered(|| {
        let names = super::shims::SHIMS.iter().map(|(name, _)| *name);
        names.map(PossibleValue::new).collect()
    })
}

/// Gates that a configuration may name.
pub fn gate_names() -> Offered {
    Offered(|| super::run::gate_names().map(PossibleValue::new).collect())
}

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter()))
    }
}
