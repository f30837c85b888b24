//! Scorecards: what one reviewer found in one artifact, and which of it may pass.
//!
//! [`normalise`] makes quotations comparable, [`phrases`] finds banned phrases, [`disguise`] those behind a disguise, [`ids`] stamps
//! findings, [`judge`] keeps or drops them as the recorded command does, [`card`] and [`manifest`]
//! say what its two files hold afterwards. [`strict`] judges by the whole written contract. All of it is pure; files are the business of `dropin`.

pub mod card;
pub mod disguise;
pub mod ids;
pub mod judge;
pub mod manifest;
pub mod normalise;
pub mod phrases;
pub mod strict;
