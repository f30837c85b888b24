//! `gatewright schema`: the JSON Schemas of files that people write, for editors and other validators.
//!
//! In: a name. Out: the schema as the package ships it.

use super::Answer;
use clap::ValueEnum;

/// Files with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Name {
    /// A checklist framework (`framework.json`), draft-07.
    #[value(help = "A checklist framework (framework.json), draft-07")]
    Framework,
    /// A configuration (`gatewright.toml`), 2020-12.
    #[value(help = "A configuration (gatewright.toml), 2020-12")]
    Config,
}

/// Print the JSON Schema of a file.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The file.
    #[arg(value_enum)]
    name: Name,
}

/// Print the schema.
pub fn run(arguments: &Arguments) -> Answer {
    Answer::text(match arguments.name {
        Name::Framework => crate::gates::framework::DEFAULT_SCHEMA.to_owned(),
        Name::Config => super::run::config::schema(),
    })
}
