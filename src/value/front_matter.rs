//! YAML front matter between two `---` lines at the top of a Markdown file.
//!
//! In: the bytes of a file. Out: the YAML text, the body, and the line the YAML begins on. A fence is
//! a line that is exactly `---`; only blank lines may stand before the first. The body may be any
//! bytes.

/// A file in its two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrontMatter<'a> {
    /// The YAML text, at most one line end at its end.
    pub yaml: &'a [u8],
    /// Line of the file on which the YAML text begins, from 1.
    pub yaml_line: usize,
    /// Everything behind the closing fence's line.
    pub body: &'a [u8],
}

/// Why a file has no front matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFrontMatter {
    /// The first line that is not blank is not exactly `---`; its number, from 1.
    NoOpeningFence {
        /// Line, from 1.
        line: usize,
    },
    /// No later line is exactly `---`.
    NoClosingFence {
        /// Line of the opening fence, from 1.
        line: usize,
    },
}

const FENCE: &[u8] = b"---";

/// Split `bytes` at their fences.
///
/// # Errors
/// [`NoFrontMatter`] when a fence is missing.
pub fn split_front_matter(bytes: &[u8]) -> Result<FrontMatter<'_>, NoFrontMatter> {
    let mut rest = bytes;
    let mut line = 1;
    loop {
        let (first, after) = next_line(rest);
        if first == FENCE {
            rest = after;
            break;
        }
        if after.is_empty() || !first.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
            return Err(NoFrontMatter::NoOpeningFence { line });
        }
        rest = after;
        line += 1;
    }
    let text = rest;
    let mut len_bytes = 0;
    while !rest.is_empty() {
        let (next, after) = next_line(rest);
        if next == FENCE {
            let yaml = text.get(..len_bytes).unwrap_or_default();
            // Line ends behind the last text go, but for one: a kept block text must not grow.
            let end = yaml
                .iter()
                .rposition(|&byte| byte != b'\n')
                .map_or(0, |last| last + 2);
            let yaml = yaml.get(..end.min(yaml.len())).unwrap_or_default();
            return Ok(FrontMatter {
                yaml,
                yaml_line: line + 1,
                body: after,
            });
        }
        len_bytes += rest.len() - after.len();
        rest = after;
    }
    Err(NoFrontMatter::NoClosingFence { line })
}

/// The first line without its LF, and what follows it.
fn next_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'\n', bytes) {
        Some(end) => (
            bytes.get(..end).unwrap_or_default(),
            bytes.get(end + 1..).unwrap_or_default(),
        ),
        None => (bytes, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Result<(&str, usize, &str), NoFrontMatter> {
        let split = split_front_matter(text.as_bytes())?;
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        Ok((text(split.yaml), split.yaml_line, text(split.body)))
    }

    #[test]
    fn fences_are_lines_of_exactly_three_dashes() {
        let none = |line| Err(NoFrontMatter::NoOpeningFence { line });
        let open = |line| Err(NoFrontMatter::NoClosingFence { line });
        let table = [
            (
                "---\na: 1\n---\nbody\n---\n",
                Ok(("a: 1\n", 2, "body\n---\n")),
            ),
            ("\n \t\n---\na: 1\n---", Ok(("a: 1\n", 4, ""))),
            ("---\n---\n", Ok(("", 2, ""))),
            ("---\na: |+\n  x\n\n\n---\n", Ok(("a: |+\n  x\n", 2, ""))),
            ("---\n\n\n---\nb", Ok(("", 2, "b"))),
            ("---\na: |\n  ---\n---\n", Ok(("a: |\n  ---\n", 2, ""))),
            ("--- \na\n---\n", none(1)),
            ("\u{feff}---\na\n---\n", none(1)),
            ("---\r\na\r\n---\r\n", none(1)),
            ("\n----\n", none(2)),
            ("", none(1)),
            ("\n\n", none(2)),
            ("---\na: 1\n--- \n", open(1)),
            ("---", open(1)),
        ];
        for (text, wanted) in table {
            assert_eq!(parts(text), wanted, "{text:?}");
        }
    }
}
