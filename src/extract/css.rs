//! What a style sheet hides.
//!
//! In: the text of the `<style>` elements of a page, and elements with their parents. Out: whether an
//! element is shown, as the cascade decides it: more important, more closely named and later rules
//! win, for each property on its own. Selectors of tags, classes and ids are known, alone and below
//! one another; others, and at-rules (print, narrow screens), do not apply to reading.

/// An element as selectors see it.
pub(super) trait Element {
    /// Its tag.
    fn tag(&self) -> &str;
    /// An attribute.
    fn attribute(&self, name: &str) -> Option<&str>;
}

/// Properties that can hide: display, visibility, opacity, size of letters, place.
const PROPERTIES: usize = 5;
/// Longest selector that is looked at, in elements.
const LONGEST_SELECTOR: usize = 16;
/// Farthest to the left or top that anything still shows, in pixels.
const FAR_OFF: f32 = -900.0;

/// For each property whether it hides and whether that is important; nothing where it is not set.
pub(super) type Declared = [Option<(bool, bool)>; PROPERTIES];

/// A chain of elements, the last one first, each the child of the next.
type Chain = Vec<Compound>;

struct Compound {
    tag: Option<String>,
    ids: Vec<String>,
    classes: Vec<String>,
}

struct Rule {
    /// Chains, the last one first, each somewhere below the next.
    chains: Vec<Chain>,
    weight: (usize, usize, usize),
    declared: Declared,
}

/// The rules of all style sheets of a page, in order.
#[derive(Default)]
pub(super) struct Rules(Vec<Rule>);

impl Rules {
    /// The rules of `sheet` that say something about being shown.
    pub(super) fn parse(sheet: &str) -> Self {
        let mut bare = String::new();
        let mut rest = sheet;
        while let Some((before, after)) = rest.split_once("/*") {
            bare.push_str(before);
            rest = after.split_once("*/").map_or("", |(_, after)| after);
        }
        bare.push_str(rest);
        let mut rules = Self::default();
        rules.add(&bare, 0);
        rules
    }

    fn add(&mut self, sheet: &str, depth: usize) {
        let mut rest = sheet;
        while let Some((prelude, after)) = rest.split_once('{') {
            // A statement such as @import ends before the next rule.
            let prelude = prelude.rsplit(';').next().unwrap_or_default().trim();
            if let Some(at_rule) = prelude.strip_prefix('@') {
                let end = block_end(after);
                let block = after.get(..end).unwrap_or_default();
                let is_for_reading = at_rule
                    .strip_prefix("media")
                    .map(|query| query.trim().to_ascii_lowercase())
                    .is_some_and(|query| matches!(query.as_str(), "all" | "screen"));
                if is_for_reading && depth == 0 {
                    self.add(block, depth + 1);
                }
                rest = after.get(end + 1..).unwrap_or_default();
                continue;
            }
            let (body, after) = after.split_once('}').unwrap_or((after, ""));
            rest = after;
            let declared = declarations(body);
            if declared.iter().all(Option::is_none) {
                continue;
            }
            self.0.extend(prelude.split(',').filter_map(|selector| {
                let (chains, weight) = selector_of(selector.trim())?;
                Some(Rule {
                    chains,
                    weight,
                    declared,
                })
            }));
        }
    }

    /// Whether the first of `line` is hidden; its parents follow it. `own` is what it declares itself.
    pub(super) fn hides<E: Element>(&self, line: &[E], own: Declared) -> bool {
        let is_unseen = line
            .first()
            .is_some_and(|element| element.attribute("hidden").is_some());
        // Whether it hides, and what that weighs.
        let mut decided = [(false, (false, false, (0, 0, 0))); PROPERTIES];
        if let Some((hides, _)) = decided.first_mut() {
            *hides = is_unseen;
        }
        let mut decide = |declared: &Declared, is_own: bool, weight| {
            for (slot, said) in decided.iter_mut().zip(declared) {
                if let Some((hides, is_important)) = said {
                    let rank = (*is_important, is_own, weight);
                    if rank >= slot.1 {
                        *slot = (*hides, rank);
                    }
                }
            }
        };
        for rule in &self.0 {
            if fits(&rule.chains, line) {
                decide(&rule.declared, false, rule.weight);
            }
        }
        decide(&own, true, (0, 0, 0));
        decided.iter().any(|(hides, _)| *hides)
    }
}

fn block_end(text: &str) -> usize {
    let mut depth = 1_usize;
    text.char_indices()
        .find_map(|(at, character)| {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(at)
        })
        .unwrap_or(text.len())
}

// The nearest element at which a chain fits is as good as any other.
fn fits<E: Element>(chains: &[Chain], line: &[E]) -> bool {
    let Some((last, above)) = chains.split_first() else {
        return false;
    };
    if !chain_fits(last, line) {
        return false;
    }
    let mut from = last.len();
    for chain in above {
        let Some(at) = (from..line.len())
            .find(|at| line.get(*at..).is_some_and(|line| chain_fits(chain, line)))
        else {
            return false;
        };
        from = at + chain.len();
    }
    true
}

fn chain_fits<E: Element>(chain: &[Compound], line: &[E]) -> bool {
    chain.len() <= line.len()
        && chain.iter().zip(line).all(|(compound, element)| {
            compound
                .tag
                .as_deref()
                .is_none_or(|tag| tag == element.tag())
                && compound
                    .ids
                    .iter()
                    .all(|id| element.attribute("id") == Some(id))
                && compound.classes.iter().all(|wanted| {
                    element
                        .attribute("class")
                        .unwrap_or_default()
                        .split_ascii_whitespace()
                        .any(|class| class == wanted)
                })
        })
}

fn selector_of(text: &str) -> Option<(Vec<Chain>, (usize, usize, usize))> {
    let spaced = text.replace('>', " > ");
    let mut chains: Vec<Chain> = vec![Vec::new()];
    let mut weight = (0, 0, 0);
    let mut is_child = true;
    let mut count = 0;
    for word in spaced.split_ascii_whitespace() {
        if word == ">" {
            is_child = true;
            continue;
        }
        let compound = compound_of(word)?;
        weight.0 += compound.ids.len();
        weight.1 += compound.classes.len();
        weight.2 += usize::from(compound.tag.is_some());
        count += 1;
        if !is_child {
            chains.insert(0, Vec::new());
        }
        is_child = false;
        chains.first_mut()?.insert(0, compound);
    }
    (count > 0 && count <= LONGEST_SELECTOR).then_some((chains, weight))
}

fn compound_of(text: &str) -> Option<Compound> {
    let mut compound = Compound {
        tag: None,
        ids: Vec::new(),
        classes: Vec::new(),
    };
    let mut kind = ' ';
    let mut part = String::new();
    for character in text.chars().chain(['.']) {
        match character {
            '.' | '#' => {
                let done = std::mem::take(&mut part);
                match kind {
                    ' ' if done.is_empty() || done == "*" => {}
                    ' ' => compound.tag = Some(done.to_ascii_lowercase()),
                    _ if done.is_empty() => return None,
                    '#' => compound.ids.push(done),
                    _ => compound.classes.push(done),
                }
                kind = character;
            }
            '*' if kind == ' ' && part.is_empty() => part.push('*'),
            other if other.is_alphanumeric() || matches!(other, '-' | '_') => part.push(other),
            _ => return None,
        }
    }
    Some(compound)
}

/// What the declarations of a rule or of a `style` attribute say about being shown.
pub(super) fn declarations(text: &str) -> Declared {
    let [mut display, mut visibility, mut opacity, mut size] = [None; 4];
    let (mut is_placed, mut is_far, mut is_clipped) = (None, None, None);
    for declaration in text.split(';') {
        let Some((name, value)) = declaration.split_once(':') else {
            continue;
        };
        let value = value.trim().to_ascii_lowercase();
        let (value, is_important) = match value.split_once('!') {
            Some((value, mark)) => (value.trim().to_owned(), mark.trim() == "important"),
            None => (value, false),
        };
        let said = |hides: bool| Some((hides, is_important));
        match name.trim().to_ascii_lowercase().as_str() {
            "display" => display = said(value == "none"),
            "visibility" => visibility = said(value == "hidden" || value == "collapse"),
            "opacity" => opacity = said(length(&value).is_some_and(|value| value <= 0.0)),
            "font-size" => size = said(length(&value).is_some_and(|value| value <= 0.0)),
            "position" => is_placed = said(value == "absolute" || value == "fixed"),
            "left" | "top" | "right" | "margin-left"
                if is_far.is_none_or(|(far, _): (bool, bool)| !far) =>
            {
                is_far = said(length(&value).is_some_and(|value| value <= FAR_OFF));
            }
            "text-indent" => {
                is_clipped = said(length(&value).is_some_and(|value| value <= FAR_OFF));
            }
            _ => {}
        }
    }
    let place = match (is_placed, is_far, is_clipped) {
        (_, _, Some((true, is_important))) | (Some((true, is_important)), Some((true, _)), _) => {
            Some((true, is_important))
        }
        (Some((_, is_important)), _, _) => Some((false, is_important)),
        (None, _, _) => None,
    };
    [display, visibility, opacity, size, place]
}

// The number before a unit; nothing for words.
fn length(value: &str) -> Option<f32> {
    let digits: String = value
        .chars()
        .take_while(|character| character.is_ascii_digit() || matches!(character, '-' | '.' | '+'))
        .collect();
    digits.parse().ok()
}
