//! Places inside a draft: a path that costs nothing until it is written down.
//!
//! In: steps taken while walking a value. Out: text as findings name it, members joined by `.`,
//! list positions as `[i]`. Lone surrogates of member names become U+FFFD.

use std::fmt::{self, Write as _};

/// One step into a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'p> {
    /// The root itself.
    Root,
    /// A member.
    Key(&'p [u8]),
    /// A list position.
    Index(usize),
}

/// A path from the root, linked through the stack of the walk that takes it.
#[derive(Clone, Copy, Debug)]
pub struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    step: Step<'p>,
}

impl<'p> Path<'p> {
    /// The root.
    pub const ROOT: Path<'static> = Path {
        parent: None,
        step: Step::Root,
    };

    /// The path of member `key`.
    #[must_use]
    pub fn key(&'p self, key: &'p [u8]) -> Path<'p> {
        Path {
            parent: Some(self),
            step: Step::Key(key),
        }
    }

    /// The path of item `index`.
    #[must_use]
    pub fn index(&'p self, index: usize) -> Path<'p> {
        Path {
            parent: Some(self),
            step: Step::Index(index),
        }
    }

    /// Steps from the root, the root itself left out.
    pub fn steps(&self) -> Vec<Step<'_>> {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(path) = at {
            if path.step != Step::Root {
                steps.push(path.step);
            }
            at = path.parent;
        }
        steps.reverse();
        steps
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut is_first = true;
        for step in self.steps() {
            match step {
                Step::Root => {}
                Step::Key(key) => {
                    if !is_first {
                        out.write_char('.')?;
                    }
                    out.write_str(&String::from_utf8_lossy(key))?;
                }
                Step::Index(index) => write!(out, "[{index}]")?,
            }
            is_first = false;
        }
        Ok(())
    }
}

/// The location of `path` inside `blueprint.json`.
pub fn in_blueprint(path: impl fmt::Display) -> String {
    format!("blueprint.json#{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_as_findings_name_them() {
        let root = Path::ROOT;
        let screens = root.key(b"screens");
        let first = screens.index(0);
        let tree = first.key(b"tree");
        assert_eq!(tree.to_string(), "screens[0].tree");
        assert_eq!(root.to_string(), "");
        assert_eq!(in_blueprint(tree), "blueprint.json#screens[0].tree");
    }
}
