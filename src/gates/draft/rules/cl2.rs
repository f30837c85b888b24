//! CL-2: screens, key screens, coverage of the trees, files that screens name.

use super::rule;
use crate::gates::draft::place::in_blueprint;
use crate::gates::draft::reading::{integer, is_gap_value, quoted, texts};
use crate::gates::draft::screens::{ASSET_MEMBERS, CATEGORIES, Screen, leaves_draft};
use crate::gates::draft::{Context, Findings, JsonFile, Level, Picture, TextFile};
use crate::rule::Rule;
use crate::say;
use crate::value::{Text, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A key screen was not captured.
pub const KEYSCREEN: Rule = rule!(
    "CL2-KEYSCREEN", "missing-key-screen", Error, "12.2",
    checks: "A key screen has no observed screen with a tree, and is not excused: by a reasoned gap with a static observation, or by a reasoned absence of a browser. A rendered URL is never excused.",
    why: "The screens that matter most are the ones a blueprint may not leave out silently.",
    fails: "\"pages\": [{\"url\": \"https://shop.example/cart\", \"key_screen\": true}]   (no screen with that source_url)",
    repaired: "a screen with \"source_url\": \"https://shop.example/cart\" and its tree",
    remedy: "capture the screen, or record it as a gap with a reason and observe its page statically",
);
/// No screens and no reason for it.
pub const NOSCREENS: Rule = rule!(
    "CL2-NOSCREENS", "no-screens", Error, "12.2",
    checks: "`screens` is absent or empty, nothing was rendered, and no reasoned gap says `browser-unavailable` or `static-analysis-only`.",
    why: "A draft without any screen must say why.",
    fails: "\"screens\": []",
    repaired: "\"screens\": [] and a gap with \"reason\": \"browser-unavailable: …\"",
    remedy: "capture screens, or record why no browser was used",
);
/// The coverage of a screen does not fit its tree.
pub const COVERAGE: Rule = rule!(
    "CL2-COVERAGE", "screen-coverage", Error, "12.2",
    checks: "In an observed screen `elements_extracted` is not the number of tree nodes, `fields_not_observed` is not the number of categories with a gap status, or more was extracted than there is. High when it claims more than there is, else medium.",
    why: "Hand-written counts are where wishful thinking enters.",
    fails: "\"coverage\": {\"elements_extracted\": 9, …}   (the tree has 5 nodes)",
    repaired: "\"coverage\": {\"elements_extracted\": 5, …}",
    remedy: "count the tree again and write the counted number",
);
/// A reference leaves the draft.
pub const ESCAPE: Rule = rule!(
    "CL2-ESCAPE", "reference-leaves-draft", Error, "12.2",
    checks: "A reference of a screen to a file is absolute or has a `..` segment.",
    why: "The draft must be whole in itself; the screen gate accepts any existing file.",
    fails: "\"screenshot_ref\": \"screens/../screens/home.png\"",
    repaired: "\"screenshot_ref\": \"screens/home.png\"",
    remedy: "name the file relative to the draft, without `..`",
);
/// A screenshot is no picture.
pub const RASTER: Rule = rule!(
    "CL2-RASTER", "screenshot-not-png", Warning, "12.2",
    checks: "A referenced screenshot exists and does not begin with the PNG signature.",
    why: "The screen gate looks at the existence of the file alone.",
    fails: "screens/home.png holding HTML",
    repaired: "screens/home.png holding a PNG",
    remedy: "render the screenshot again as PNG",
);
/// Annotations do not fit the tree.
pub const ANNOTATION: Rule = rule!(
    "CL2-ANNOTATION", "annotation-mismatch", Warning, "12.2",
    checks: "The layout file of an observed screen is missing, its element ids are not exactly the tree's, or its numbers are not 1 to N; or the overlay's ids are not exactly those of the nodes with a box.",
    why: "The numbers on the picture would point at other elements than the tree describes.",
    fails: "layout/home.layout.json without the element `home-hero`",
    repaired: "layout/home.layout.json with every element of the tree, numbered 1 to N",
    remedy: "emit the draft again so that layout and overlay follow the tree",
);

/// The rules of this file.
pub const RULES: &[Rule] = &[KEYSCREEN, NOSCREENS, COVERAGE, ESCAPE, RASTER, ANNOTATION];

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    key_screens(context, out);
    no_screens(context, out);
    for screen in &context.screens {
        escapes(context, screen, out);
        if screen.is_observed {
            coverage(context, screen, out);
            annotations(context, screen, out);
        }
    }
    for (name, picture) in &context.draft.pictures {
        if *picture == Picture::Other {
            out.add(
                &RASTER,
                name.clone(),
                say!(
                    context.lang,
                    "`{0}` は PNG の署名で始まらない",
                    "`{0}` does not begin with the PNG signature",
                    name,
                ),
            );
        }
    }
}

/// Where a key screen is named.
struct Named<'n> {
    name: &'n [u8],
    loc: String,
    is_rendered: bool,
}

fn key_screens(context: &Context<'_>, out: &mut Findings) {
    let captures = Captures::of(context);
    let mut settled: BTreeSet<&[u8]> = BTreeSet::new();
    let named = named(context);
    for key in &named {
        if settled.contains(key.name) || captures.holds(context, key) {
            continue;
        }
        settled.insert(key.name);
        out.add(
            &KEYSCREEN,
            key.loc.clone(),
            say!(
                context.lang,
                "鍵画面 `{0}` が捕捉されておらず、理由付きの免除にも当たらない",
                "the key screen `{0}` is neither captured nor excused",
                crate::finding::excerpt(&String::from_utf8_lossy(key.name)),
            ),
        );
    }
}

fn named<'n>(context: &'n Context<'_>) -> Vec<Named<'n>> {
    let mut named = Vec::new();
    for (index, name) in texts(context.member("key_screens")) {
        named.push(Named {
            name: name.as_bytes(),
            loc: in_blueprint(format!("key_screens[{index}]")),
            is_rendered: false,
        });
    }
    let pages = context
        .inner("site_inventory", "layout_template_dedup")
        .and_then(|dedup| dedup.get("pages"))
        .and_then(Value::as_array);
    for (index, page) in pages.unwrap_or_default().iter().enumerate() {
        if page.get("key_screen").is_some_and(Value::is_true)
            && let Some(url) = page.get("url").and_then(Value::as_text)
        {
            named.push(Named {
                name: url.as_bytes(),
                loc: in_blueprint(format!(
                    "site_inventory.layout_template_dedup.pages[{index}]"
                )),
                is_rendered: false,
            });
        }
    }
    for (index, url) in context.ledger.rendered() {
        named.push(Named {
            name: url.as_bytes(),
            loc: context.ledger.member(&format!("browser_render[{index}]")),
            is_rendered: true,
        });
    }
    for (index, name) in context.draft.judgement.key_screens.iter().enumerate() {
        named.push(Named {
            name: name.as_bytes(),
            loc: format!("findings#key_screens[{index}]"),
            is_rendered: false,
        });
    }
    named
}

/// The screens by what names them.
struct Captures<'c> {
    by_url: BTreeMap<&'c [u8], Vec<&'c Screen<'c>>>,
    by_id: BTreeMap<&'c [u8], Vec<&'c Screen<'c>>>,
    copied: BTreeSet<&'c [u8]>,
}

impl<'c> Captures<'c> {
    fn of(context: &'c Context<'_>) -> Self {
        let mut by_url: BTreeMap<&[u8], Vec<&Screen<'_>>> = BTreeMap::new();
        let mut by_id: BTreeMap<&[u8], Vec<&Screen<'_>>> = BTreeMap::new();
        for screen in &context.screens {
            if let Some(url) = screen.text("source_url") {
                by_url.entry(url.as_bytes()).or_default().push(screen);
            }
            if let Some(id) = screen.text("screen_id") {
                by_id.entry(id.as_bytes()).or_default().push(screen);
            }
        }
        let copied = context
            .inner("content", "per_screen_verbatim_copy")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .filter_map(|copy| copy.get("screen_ref")?.as_text())
            .map(Text::as_bytes)
            .collect();
        Self {
            by_url,
            by_id,
            copied,
        }
    }

    /// Whether the key screen is captured or excused.
    fn holds(&self, context: &Context<'_>, key: &Named<'_>) -> bool {
        let by_url = self.by_url.get(key.name).into_iter().flatten();
        let is_captured = |screen: &Screen<'_>| screen.is_observed && !screen.nodes.is_empty();
        if key.is_rendered {
            return by_url.clone().any(|screen| is_captured(screen));
        }
        let mut screens = by_url
            .chain(self.by_id.get(key.name).into_iter().flatten())
            .peekable();
        let is_extracted = |name: &[u8]| {
            context
                .inventory
                .extracted
                .contains(&Text::from_wtf8(std::borrow::Cow::Borrowed(name)))
        };
        if screens.peek().is_none() {
            return context.survey.is_browserless && is_extracted(key.name);
        }
        screens.any(|screen| {
            let is_static = || {
                screen
                    .text("source_url")
                    .is_some_and(|url| is_extracted(url.as_bytes()))
                    || screen
                        .text("screen_id")
                        .is_some_and(|id| self.copied.contains(id.as_bytes()))
            };
            is_captured(screen) || (screen.is_reasoned_gap() && is_static())
        })
    }
}

fn no_screens(context: &Context<'_>, out: &mut Findings) {
    let screens = context.member("screens");
    let is_empty = screens.is_none_or(crate::gates::draft::reading::is_empty);
    if is_empty && context.ledger.rendered().next().is_none() && !context.survey.is_browserless {
        out.add(
            &NOSCREENS,
            in_blueprint("screens"),
            say!(
                context.lang,
                "画面が一つも無く ({0})、描画の記録も `browser-unavailable` / `static-analysis-only` の理由も無い",
                "there is no screen ({0}), no record of a rendering, and no reason `browser-unavailable` or `static-analysis-only`",
                quoted(screens),
            ),
        );
    }
}

fn coverage(context: &Context<'_>, screen: &Screen<'_>, out: &mut Findings) {
    let Some(stated) = screen.object.get("coverage").and_then(Value::as_object) else {
        return;
    };
    let number = |name: &str| stated.get(name).and_then(integer);
    let nodes = screen.nodes.len() as i128;
    let gaps = screen
        .nodes
        .iter()
        .flat_map(|node| CATEGORIES.iter().filter_map(|name| node.object.get(name)))
        .filter(|category| is_gap_value(category))
        .count() as i128;
    let mut note = |name: &str, level, stated: i128, counted: i128| {
        out.add_as(
            &COVERAGE,
            level,
            in_blueprint(screen.member_path(&format!("coverage.{name}"))),
            say!(
                context.lang,
                "`{0}` は {1} とあるが、数えると {2}",
                "`{0}` is stated as {1}, counted {2}",
                name,
                stated,
                counted,
            ),
        );
    };
    let higher = |is_more| if is_more { Level::High } else { Level::Medium };
    if let Some(stated) = number("elements_extracted")
        && stated != nodes
    {
        note("elements_extracted", higher(stated > nodes), stated, nodes);
    }
    if let Some(stated) = number("fields_not_observed")
        && stated != gaps
    {
        note("fields_not_observed", higher(stated < gaps), stated, gaps);
    }
    for (part, whole, place) in [
        (
            "regions_extracted",
            "screen_regions_total",
            "regions_extracted",
        ),
        (
            "elements_extracted",
            "elements_targeted",
            "elements_targeted",
        ),
    ] {
        if let (Some(taken), Some(total)) = (number(part), number(whole))
            && taken > total
        {
            out.add(
                &COVERAGE,
                in_blueprint(screen.member_path(&format!("coverage.{place}"))),
                say!(
                    context.lang,
                    "`{0}` {1} が `{2}` {3} を超える",
                    "`{0}` {1} is more than `{2}` {3}",
                    part,
                    taken,
                    whole,
                    total,
                ),
            );
        }
    }
}

fn escapes(context: &Context<'_>, screen: &Screen<'_>, out: &mut Findings) {
    for member in ASSET_MEMBERS {
        let Some(reference) = screen.text(member) else {
            continue;
        };
        if leaves_draft(&reference.to_display()) {
            out.add(
                &ESCAPE,
                in_blueprint(screen.member_path(member)),
                say!(
                    context.lang,
                    "参照 {0} が絶対パスか `..` を含む",
                    "the reference {0} is absolute or has a `..` segment",
                    quoted(screen.object.get(member)),
                ),
            );
        }
    }
}

fn annotations(context: &Context<'_>, screen: &Screen<'_>, out: &mut Findings) {
    let mut note = |loc: String, reason| out.add(&ANNOTATION, loc, reason);
    let layout = screen.layout_path();
    match context.draft.layouts.get(&layout) {
        None | Some(JsonFile::Missing) => note(
            layout.clone(),
            say!(
                context.lang,
                "画面の layout ファイル `{0}` が無い",
                "the layout file `{0}` of the screen is missing",
                layout,
            ),
        ),
        Some(JsonFile::Unreadable(reason)) => note(
            layout.clone(),
            say!(
                context.lang,
                "layout ファイル `{0}` を読めない: {1}",
                "the layout file `{0}` cannot be read: {1}",
                layout,
                reason,
            ),
        ),
        Some(JsonFile::Json(value)) => {
            if let Some(fault) = layout_fault(context, screen, value) {
                note(layout, fault);
            }
        }
    }
    let overlay = screen.overlay_path();
    // A missing overlay is the screen gate's to report.
    if let Some(TextFile::Text(text)) = context.draft.overlays.get(&overlay) {
        let mut drawn: Vec<String> = overlay_ids(text);
        let mut boxed: Vec<String> = screen
            .nodes
            .iter()
            .filter(|node| node.has_box())
            .filter_map(|node| Some(node.id()?.to_display().into_owned()))
            .collect();
        drawn.sort();
        boxed.sort();
        if let Some(odd) = first_difference(&boxed, &drawn) {
            note(
                overlay,
                say!(
                    context.lang,
                    "overlay の要素が箱を持つ node と一致しない (例 `{0}`)",
                    "the overlay's elements are not those of the nodes with a box (e.g. `{0}`)",
                    odd,
                ),
            );
        }
    } else if let Some(TextFile::Unreadable(reason)) = context.draft.overlays.get(&overlay) {
        note(
            overlay.clone(),
            say!(
                context.lang,
                "overlay `{0}` を読めない: {1}",
                "the overlay `{0}` cannot be read: {1}",
                overlay,
                reason,
            ),
        );
    }
}

fn layout_fault(context: &Context<'_>, screen: &Screen<'_>, layout: &Value<'_>) -> Option<String> {
    let elements = layout.get("elements").and_then(Value::as_array);
    let elements = elements.unwrap_or_default();
    let mut listed: Vec<String> = elements
        .iter()
        .map(
            |element| match element.get("element_id").and_then(Value::as_text) {
                Some(id) => id.to_display().into_owned(),
                None => String::new(),
            },
        )
        .collect();
    let mut known: Vec<String> = screen
        .nodes
        .iter()
        .filter_map(|node| Some(node.id()?.to_display().into_owned()))
        .collect();
    listed.sort();
    known.sort();
    if let Some(odd) = first_difference(&known, &listed) {
        return Some(say!(
            context.lang,
            "layout の要素が画面の木と一致しない (例 `{0}`)",
            "the layout's elements are not those of the tree (e.g. `{0}`)",
            odd,
        ));
    }
    let mut numbers: Vec<Option<i128>> = elements
        .iter()
        .map(|element| element.get("annotation_number").and_then(integer))
        .collect();
    numbers.sort();
    let is_counted = numbers
        .iter()
        .zip(1_i128..)
        .all(|(number, place)| *number == Some(place));
    (!is_counted).then(|| {
        say!(
            context.lang,
            "注釈番号が 1..{0} でない",
            "the annotation numbers are not 1 to {0}",
            elements.len(),
        )
    })
}

/// The first entry that only one of two sorted lists has.
fn first_difference(left: &[String], right: &[String]) -> Option<String> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (None, None) => return None,
            (Some(one), Some(other)) if one == other => {
                left.next();
                right.next();
            }
            (Some(one), Some(other)) => return Some((*one.min(other)).clone()),
            (Some(one), None) | (None, Some(one)) => return Some((*one).clone()),
        }
    }
}

/// The values of `data-element-id` in an overlay, XML entities resolved.
fn overlay_ids(text: &str) -> Vec<String> {
    const ATTRIBUTE: &str = "data-element-id=";
    let mut ids = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(ATTRIBUTE) {
        rest = after;
        let Some(quote) = after
            .chars()
            .next()
            .filter(|mark| matches!(mark, '"' | '\''))
        else {
            continue;
        };
        if let Some((id, after)) = after.get(1..).and_then(|body| body.split_once(quote)) {
            ids.push(
                id.replace("&quot;", "\"")
                    .replace("&#x27;", "'")
                    .replace("&#39;", "'")
                    .replace("&apos;", "'")
                    .replace("&lt;", "<")
                    .replace("&gt;", ">")
                    .replace("&amp;", "&"),
            );
            rest = after;
        }
    }
    ids
}
