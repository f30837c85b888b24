//! CL-7: the prompt files and the contract about them.

use super::rule;
use crate::gates::draft::place::{Path, in_blueprint};
use crate::gates::draft::prompts::{Heading, PROMPTS, Prompt, headings};
use crate::gates::draft::reading::texts;
use crate::gates::draft::{Context, Findings, Level, TextFile};
use crate::invariant::Invariant as _;
use crate::rule::Rule;
use crate::say;
use crate::value::{Object, Value};
use regex::{Regex, RegexBuilder};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A prompt file is missing.
pub const FILE: Rule = rule!(
    "CL7-FILE", "missing-prompt", Error, "12.8",
    checks: "One of the five prompt files is missing or unreadable.",
    why: "Without the prompt nobody can tell which lens shaped a claim.",
    fails: "no agents/uiux-rationale-analyzer.md",
    repaired: "agents/uiux-rationale-analyzer.md with its sections",
    remedy: "restore the prompt file",
);
/// A required section is missing.
pub const HEADING: Rule = rule!(
    "CL7-HEADING", "missing-prompt-section", Error, "12.8",
    checks: "A required section other than the lenses (Observations, Cross-lens conflicts, Neutral synthesis, Confidence and gaps) is not a heading of the prompt.",
    why: "The sections keep observation, conflict and synthesis apart.",
    fails: "a prompt without the heading `#### Neutral synthesis`",
    repaired: "#### Neutral synthesis\\n…",
    remedy: "add the section as a heading",
);
/// A lens is missing.
pub const LENS: Rule = rule!(
    "CL7-LENS", "missing-lens", Error, "12.8",
    checks: "An expected lens is not a heading: those of the prompt's contract, or the documented names.",
    why: "A named lens that the prompt does not hold cannot have been used.",
    fails: "a prompt without `#### Lens — Kent Beck: simple design and feedback`",
    repaired: "#### Lens — Kent Beck: simple design and feedback\\n…",
    remedy: "add the lens as a heading, spelled as in the contract",
);
/// A section is empty.
pub const EMPTY: Rule = rule!(
    "CL7-EMPTY", "empty-prompt-section", Error, "12.8",
    checks: "A required section or lens heading has no non-blank line before the next heading.",
    why: "A heading without text instructs nobody.",
    fails: "#### Observations\\n\\n#### Lens — …",
    repaired: "#### Observations\\nList what was seen.\\n\\n#### Lens — …",
    remedy: "write the section",
);
/// The sections stand in another order.
pub const ORDER: Rule = rule!(
    "CL7-ORDER", "prompt-section-order", Warning, "12.8",
    checks: "All sections are present but not in the order Observations, lenses, Cross-lens conflicts, Neutral synthesis, Confidence and gaps.",
    why: "A synthesis before its lenses invites conclusions first.",
    fails: "#### Neutral synthesis … #### Observations …",
    repaired: "#### Observations … #### Neutral synthesis …",
    remedy: "put the sections in the stated order",
);
/// A guard is missing.
pub const GUARD: Rule = rule!(
    "CL7-GUARD", "missing-guard", Error, "12.8",
    checks: "No line of the prompt forbids imitating the person's manner, or no line forbids claiming their endorsement; one finding for each.",
    why: "Lenses name real people; the guards keep the draft from speaking for them.",
    fails: "a prompt without a line such as `- never claim that the person reviewed this`",
    repaired: "- 口調をまねない\\n- 本人が査読・承認・推薦したとは書かない",
    remedy: "add the guard as a line of its own",
);
/// The contract lacks a prompt.
pub const CONTRACT: Rule = rule!(
    "CL7-CONTRACT", "missing-contract-entry", Warning, "12.8",
    checks: "The map form of `metadata.prompt_contract` has no entry for one of the five prompts, under its file name or its component id.",
    why: "The screen gate checks the entries that are there, not whether one is missing.",
    fails: "\"prompt_contract\": {\"frontend-surface-analyzer\": {…}}   (four are missing)",
    repaired: "one entry for each of the five prompts",
    remedy: "add the prompt's contract to the map",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[FILE, HEADING, LENS, EMPTY, ORDER, GUARD, CONTRACT];

const FIRST: &str = "Observations";
const AFTER_LENSES: [&str; 3] = [
    "Cross-lens conflicts",
    "Neutral synthesis",
    "Confidence and gaps",
];

static IMITATION: LazyLock<Regex> = LazyLock::new(|| {
    guard(
        "(?:模倣|口調|まね|真似).{0,12}(?:しない|せず|ない|ず|禁止)|(?:not|never|without)\\b.{0,40}(?:imitat|mimic)",
    )
});
static ENDORSEMENT: LazyLock<Regex> = LazyLock::new(|| {
    guard(
        "(?:レビュー|査読|承認|推薦).{0,20}(?:主張しない|主張せず|書かない|装わない|禁止)|(?:not|never)\\b.{0,60}(?:endors|approv|review)",
    )
});

fn guard(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .build()
        .holds("the patterns of this file compile")
}

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    let contract = contract_map(context);
    if let Some(contract) = contract {
        for prompt in &PROMPTS {
            if entry(contract, prompt).is_none() {
                let root = Path::ROOT;
                let path = root.key(b"metadata");
                let path = path.key(b"prompt_contract");
                out.add(
                    &CONTRACT,
                    in_blueprint(path.key(prompt.name.as_bytes())),
                    say!(
                        context.lang,
                        "prompt 契約に `{0}` ({1}) の項目が無い",
                        "the prompt contract has no entry for `{0}` ({1})",
                        prompt.name,
                        prompt.component,
                    ),
                );
            }
        }
    }
    let Some(files) = &context.draft.prompts else {
        return;
    };
    for prompt in &PROMPTS {
        match files.get(&prompt.file_name()) {
            Some(TextFile::Text(text)) => {
                let lenses = expected_lenses(contract, prompt);
                file(context, prompt, text, &lenses, out);
            }
            None | Some(TextFile::Missing) => out.add(
                &FILE,
                prompt.loc(),
                say!(
                    context.lang,
                    "prompt ファイル `{0}` が無い",
                    "the prompt file `{0}` is missing",
                    prompt.file_name(),
                ),
            ),
            Some(TextFile::Unreadable(reason)) => out.add(
                &FILE,
                prompt.loc(),
                say!(
                    context.lang,
                    "prompt ファイル `{0}` を読めない: {1}",
                    "the prompt file `{0}` cannot be read: {1}",
                    prompt.file_name(),
                    reason,
                ),
            ),
        }
    }
}

/// The contract in its map form: every value a contract, not one contract itself.
fn contract_map<'c>(context: &'c Context<'_>) -> Option<&'c Object<'c>> {
    let contract = context
        .inner("metadata", "prompt_contract")
        .and_then(Value::as_object)?;
    let is_single = [
        "names_must_appear_in_prompt",
        "required_sections",
        "guard_rules",
    ]
    .iter()
    .any(|name| contract.contains_key(name));
    (!is_single).then_some(contract)
}

fn entry<'c>(contract: &'c Object<'c>, prompt: &Prompt) -> Option<&'c Value<'c>> {
    contract
        .get(prompt.name)
        .or_else(|| contract.get(prompt.component))
}

/// A lens that must be a heading.
enum Lens {
    /// Spelled exactly so.
    Exact(String),
    /// Alone or followed by `:`.
    Named(String),
}

impl Lens {
    fn text(&self) -> &str {
        match self {
            Self::Exact(text) | Self::Named(text) => text,
        }
    }

    fn fits(&self, heading: &str) -> bool {
        match self {
            Self::Exact(text) => heading == text.trim(),
            Self::Named(text) => heading
                .strip_prefix(text.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(':')),
        }
    }
}

fn expected_lenses(contract: Option<&Object<'_>>, prompt: &Prompt) -> Vec<Lens> {
    let stated: Vec<Lens> = contract
        .and_then(|contract| entry(contract, prompt))
        .map(|entry| {
            texts(entry.get("required_sections"))
                .map(|(_, section)| section.to_display().into_owned())
                .filter(|section| section.starts_with("Lens — "))
                .map(Lens::Exact)
                .collect()
        })
        .unwrap_or_default();
    if !stated.is_empty() {
        return stated;
    }
    prompt
        .lenses
        .iter()
        .map(|name| Lens::Named(format!("Lens — {name}")))
        .collect()
}

fn file(context: &Context<'_>, prompt: &Prompt, text: &str, lenses: &[Lens], out: &mut Findings) {
    let found = headings(text);
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, heading) in found.iter().enumerate() {
        first.entry(&heading.text).or_insert(place);
    }
    let mut is_whole = true;
    let mut places: Vec<usize> = Vec::new();
    let section = |name: &str, out: &mut Findings| {
        if let Some(place) = first.get(name) {
            empty(context, prompt, found.get(*place), out);
            Some(*place)
        } else {
            out.add(
                &HEADING,
                format!("{}#{name}", prompt.loc()),
                say!(
                    context.lang,
                    "必須の見出し `{0}` が無い",
                    "the required heading `{0}` is missing",
                    name,
                ),
            );
            None
        }
    };
    let mut sections: Vec<Option<usize>> = vec![section(FIRST, out)];
    let after: Vec<Option<usize>> = AFTER_LENSES.iter().map(|name| section(name, out)).collect();
    let mut lens_places = Vec::new();
    for lens in lenses {
        if let Some(place) = found.iter().position(|heading| lens.fits(&heading.text)) {
            empty(context, prompt, found.get(place), out);
            lens_places.push(place);
        } else {
            is_whole = false;
            out.add(
                &LENS,
                format!("{}#{}", prompt.loc(), lens.text()),
                say!(
                    context.lang,
                    "レンズの見出し `{0}` が無い",
                    "the lens heading `{0}` is missing",
                    lens.text(),
                ),
            );
        }
    }
    // Lenses may stand in any order among themselves.
    lens_places.sort_unstable();
    sections.extend(lens_places.into_iter().map(Some));
    sections.extend(after);
    for place in sections {
        match place {
            Some(place) => places.push(place),
            None => is_whole = false,
        }
    }
    if is_whole && !places.is_sorted() {
        out.add(
            &ORDER,
            prompt.loc(),
            say!(
                context.lang,
                "見出しが Observations、レンズ、Cross-lens conflicts、Neutral synthesis、Confidence and gaps の順でない",
                "the headings are not in the order Observations, lenses, Cross-lens conflicts, Neutral synthesis, Confidence and gaps"
            ),
        );
    }
    let forbids = |words: &Regex| text.lines().any(|line| words.is_match(line));
    if !forbids(&ENDORSEMENT) {
        out.add_ranked(
            &GUARD,
            Level::High,
            prompt.loc(),
            say!(
                context.lang,
                "本人の査読・承認・推薦を主張しないと定める行が無い",
                "no line forbids claiming the person's review, approval or recommendation"
            ),
            0,
        );
    }
    if !forbids(&IMITATION) {
        out.add_ranked(
            &GUARD,
            Level::High,
            prompt.loc(),
            say!(
                context.lang,
                "人物の模倣を禁じる行が無い",
                "no line forbids imitating the person"
            ),
            1,
        );
    }
}

fn empty(context: &Context<'_>, prompt: &Prompt, heading: Option<&Heading>, out: &mut Findings) {
    if let Some(heading) = heading
        && !heading.has_content
    {
        out.add(
            &EMPTY,
            format!("{}#{}", prompt.loc(), heading.text),
            say!(
                context.lang,
                "見出し `{0}` の下に本文が無い",
                "nothing stands below the heading `{0}`",
                heading.text,
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_are_told_by_their_words() {
        let imitation = |line: &str| IMITATION.is_match(line);
        let endorsement = |line: &str| ENDORSEMENT.is_match(line);
        for line in [
            "- 人物や組織の口調をまねない",
            "模倣は禁止",
            "Do not imitate the person",
            "never MIMIC a voice",
        ] {
            assert!(imitation(line), "{line}");
        }
        for line in [
            "口調を参考にする",
            "imitate the person",
            "口調の例を下の表に並べて示すので書く前に見ること、禁止",
        ] {
            assert!(!imitation(line), "{line}");
        }
        for line in [
            "- 本人が査読・承認・推薦したとは書かない",
            "レビュー済みと主張しない",
            "never claim they approved this",
        ] {
            assert!(endorsement(line), "{line}");
        }
        for line in ["承認を得る", "reviewed by the team, not by us"] {
            assert!(!endorsement(line), "{line}");
        }
    }
}
