//! JSON with the semantics of Python's `json` module.
