//! The rules of a draft, one file per checklist item or group of like rules.
//!
//! Each file holds its `RULES` and the `check` that applies them; [`CHECKS`] lists the checks. To
//! add a rule, add it to the slice and the check of one file.

pub mod binding;
pub mod cl1;
pub mod cl10;
pub mod cl2;
pub mod cl3;
pub mod cl5;
pub mod cl6;
pub mod cl7;
pub mod cl8;
pub mod cl9;
pub mod evidence;
pub mod facts;
pub mod silent;

use super::{Context, Findings};

/// Every check but that of the ledger, which also gives flags.
pub const CHECKS: &[fn(&Context<'_>, &mut Findings)] = &[
    cl1::check,
    cl2::check,
    cl3::check,
    cl5::check,
    cl6::check,
    cl7::check,
    cl8::check,
    cl9::check,
    evidence::check,
    facts::check,
    silent::check,
];

/// One rule: code, name, severity, section of the contract, then its texts.
macro_rules! rule {
    (
        $code:expr, $name:expr, $severity:ident, $section:literal,
        checks: $checks:expr, why: $why:expr, fails: $fails:expr,
        repaired: $repaired:expr, remedy: $remedy:expr $(,)?
    ) => {
        $crate::rule::Rule {
            code: $code,
            name: $name,
            severity: $crate::rule::Severity::$severity,
            checks: $checks,
            why: $why,
            fails: $fails,
            repaired: $repaired,
            remedy: $remedy,
            source: concat!("draft directory contract, section ", $section),
        }
    };
}
pub(crate) use rule;
