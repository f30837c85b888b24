//! Renderers: one file per format, each reads an outcome.
