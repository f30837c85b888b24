//! Many rows at once, as Arrow lays them out: the columns that gates read and write in batches.
//!
//! In: the buffers of Arrow columns. Out: buffers that Arrow takes as they are. A row that cannot be
//! judged becomes a row that says why. What an engine is or how it splits its data is not known here.

pub mod columns;
pub mod ground;
