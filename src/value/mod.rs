//! Data read from inputs: JSON with Python's meanings, YAML 1.1, front matter, paths into a value.
pub mod json;
