//! Prompt files: their headings and the text below them.
//!
//! In: the text of a prompt. Out: ATX headings outside fenced code, each with whether anything
//! stands below it. What must be there is left to the rules.

/// A prompt file that must exist.
#[derive(Clone, Copy, Debug)]
pub struct Prompt {
    /// File name without its ending; also the key in a contract map.
    pub name: &'static str,
    /// The component id, the other key.
    pub component: &'static str,
    /// Names of its lenses.
    pub lenses: &'static [&'static str],
}

/// The five prompts.
pub const PROMPTS: [Prompt; 5] = [
    Prompt {
        name: "frontend-surface-analyzer",
        component: "C03",
        lenses: &["Dan Abramov", "Evan You"],
    },
    Prompt {
        name: "backend-inference-analyzer",
        component: "C04",
        lenses: &["Martin Kleppmann", "Werner Vogels", "OWASP"],
    },
    Prompt {
        name: "uiux-rationale-analyzer",
        component: "C05",
        lenses: &["Josh Comeau", "Sarah Drasner"],
    },
    Prompt {
        name: "content-intent-analyzer",
        component: "C13",
        lenses: &[
            "Kinneret Yifrah",
            "Nielsen Norman Group",
            "Marty Cagan",
            "Teresa Torres",
        ],
    },
    Prompt {
        name: "architecture-essence-synthesizer",
        component: "C06",
        lenses: &["Martin Fowler", "Kent Beck"],
    },
];

impl Prompt {
    /// The file's name.
    pub fn file_name(&self) -> String {
        format!("{}.md", self.name)
    }

    /// The place of the file in assessments.
    pub fn loc(&self) -> String {
        format!("agents/{}.md", self.name)
    }
}

/// A heading of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its text, trimmed.
    pub text: String,
    /// Whether a line that is not blank stands before the next heading.
    pub has_content: bool,
}

/// The ATX headings of a Markdown text, fenced code left out.
pub fn headings(text: &str) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    for line in text.lines() {
        let found = if fence.is_none() { heading(line) } else { None };
        if let Some(text) = found {
            headings.push(Heading {
                text: text.to_owned(),
                has_content: false,
            });
            continue;
        }
        if !line.trim().is_empty()
            && let Some(last) = headings.last_mut()
        {
            last.has_content = true;
        }
        fence = match (fence, fence_of(line)) {
            (None, Some((mark, length, _))) => Some((mark, length)),
            (Some((open, least)), Some((mark, length, rest)))
                if open == mark && length >= least && rest.trim().is_empty() =>
            {
                None
            }
            (known, _) => known,
        };
    }
    headings
}

/// A line without its indentation, when that is at most three blanks.
fn unindented(line: &str) -> Option<&str> {
    let body = line.trim_start_matches(' ');
    (line.len() - body.len() <= 3).then_some(body)
}

fn heading(line: &str) -> Option<&str> {
    let body = unindented(line)?;
    let rest = body.trim_start_matches('#');
    let level = body.len() - rest.len();
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let text = rest.trim();
    let open = text.trim_end_matches('#');
    Some(if open.is_empty() || open.ends_with([' ', '\t']) {
        open.trim_end()
    } else {
        text
    })
}

/// The mark, length and rest of a fence line.
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let body = unindented(line)?;
    let mark = body
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = body.trim_start_matches(mark);
    let length = body.len() - rest.len();
    // An information string of a backtick fence holds no backtick.
    (length >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, length, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_stand_outside_fences() {
        let text = "# A\n\n```md\n# not\n```\n####   B  ##\n \n#no\n####### seven\n    # code\n## C\n~~~\n```\n# x\n~~~\n# D";
        let found: Vec<_> = headings(text)
            .into_iter()
            .map(|heading| (heading.text, heading.has_content))
            .collect();
        assert_eq!(
            found,
            [
                (String::from("A"), true),
                (String::from("B"), true),
                (String::from("C"), true),
                (String::from("D"), false)
            ]
        );
        assert!(!headings("# A\n \n# B\nx")[0].has_content);
    }
}
