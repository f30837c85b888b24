//! Silent gaps: what is neither observed nor explained.

use super::{cl2, cl3, rule};
use crate::gates::draft::place::in_blueprint;
use crate::gates::draft::reading::{
    is_empty, is_gap_status, is_reasoned_gap, is_text, quoted, reason,
};
use crate::gates::draft::screens::{CATEGORIES, Screen};
use crate::gates::draft::survey::{Silence, criterion_of_path};
use crate::gates::draft::{Context, Findings};
use crate::rule::Rule;
use crate::say;
use crate::value::{Object, Value};
use std::collections::BTreeMap;

macro_rules! silent {
    ($number:literal) => {
        rule!(
            concat!("CL", $number, "-SILENT"), concat!("silent-gap-cl", $number), Error, "12.2",
            checks: "Something that must be there is absent, empty or a gap without a reason: a category of a tree node, a required member of a section, or any object that says it was not observed.",
            why: "What was not observed must say so and say why; silence reads as \"nothing there\".",
            fails: "\"motion\": {\"observation_status\": \"not_observed\"}",
            repaired: "\"motion\": {\"kind\": \"observation_gap\", \"observation_status\": \"not_observed\", \"reason\": \"one static rendering\"}",
            remedy: "record the observation, or a gap with a reason",
        )
    };
}

/// The rules of this file, by checklist item from 2.
pub const RULES: &[Rule] = &[
    silent!("2"),
    silent!("3"),
    silent!("4"),
    silent!("5"),
    silent!("6"),
];

/// Whether findings of the rule count as silent gaps.
pub fn is_counted(code: &str) -> bool {
    RULES.iter().any(|rule| rule.code == code)
        || code == cl3::THEME.code
        || code == cl2::NOSCREENS.code
}

/// Required members that are facts: section, member inside it, members.
const REQUIRED: [(&str, Option<&str>, &[&str]); 5] = [
    (
        "content",
        None,
        &[
            "per_screen_verbatim_copy",
            "headings_outline",
            "cta_inventory",
            "meta_seo_og",
            "structured_data",
            "locales",
        ],
    ),
    (
        "tech_stack",
        Some("signals"),
        &[
            "meta_generator",
            "response_headers",
            "bundle_script_src_paths",
            "third_party_request_domains",
            "cookie_names",
        ],
    ),
    (
        "nonfunctional_baseline",
        None,
        &[
            "transfer_bytes_by_type",
            "request_count",
            "cache_policy",
            "compression",
            "image_formats",
            "security_headers",
            "observed_scope",
        ],
    ),
    (
        "cwv_field_sample",
        None,
        &["lcp", "cls", "inp", "ttfb", "scope_note"],
    ),
    (
        "design_tokens",
        None,
        &[
            "type_scale",
            "spacing_scale",
            "radius_scale",
            "shadow_elevation_scale",
            "breakpoints",
            "z_layers",
            "theme_variants",
        ],
    ),
];

/// Members of a category that say nothing about what was observed.
const LABELS: [&str; 9] = [
    "kind",
    "observation_status",
    "reason",
    "attempted_method",
    "budget_state",
    "provenance",
    "evidence_ref",
    "evidence_refs",
    "captured_at",
];

/// Apply them.
pub fn check(context: &Context<'_>, out: &mut Findings) {
    // No path is counted twice, whichever part of the rule meets it.
    let mut silent: BTreeMap<String, (Silence, String)> = context
        .survey
        .silent
        .iter()
        .map(|(path, silence)| (path.clone(), (*silence, String::new())))
        .collect();
    for screen in context.screens.iter().filter(|screen| screen.is_observed) {
        categories(screen, &mut silent);
    }
    sections(context, &mut silent);
    for (path, (silence, value)) in silent {
        let place = usize::from(criterion_of_path(&path)).saturating_sub(2);
        if let Some(rule) = RULES.get(place) {
            out.add(rule, in_blueprint(&path), told(context, silence, &value));
        }
    }
}

fn told(context: &Context<'_>, silence: Silence, value: &str) -> String {
    match silence {
        Silence::Absent => say!(
            context.lang,
            "要素が無く、理由付きの gap でもない (無言欠落)",
            "the member is absent and no reasoned gap stands for it"
        ),
        Silence::Empty => say!(
            context.lang,
            "値 {0} は空で、理由付きの gap でもない (無言欠落)",
            "the value {0} is empty and no reasoned gap",
            value,
        ),
        Silence::NoValue => say!(
            context.lang,
            "値 {0} は観測値も理由付きの gap も含まない (無言欠落)",
            "the value {0} holds neither an observation nor a reasoned gap",
            value,
        ),
        Silence::NoReason => say!(
            context.lang,
            "未観測 (`observation_status` が gap) だが `reason` が無い (無言欠落)",
            "`observation_status` says it was not observed, but there is no `reason`"
        ),
        Silence::NoStatus => say!(
            context.lang,
            "`kind: observation_gap` だが `observation_status` が not_observed / blocked でない",
            "`kind: observation_gap` without the status not_observed or blocked"
        ),
        Silence::UnknownStatus => say!(
            context.lang,
            "`observation_status` {0} が observed / not_observed / blocked でない",
            "`observation_status` {0} is none of observed, not_observed, blocked",
            value,
        ),
    }
}

fn categories(screen: &Screen<'_>, silent: &mut BTreeMap<String, (Silence, String)>) {
    for node in &screen.nodes {
        for name in CATEGORIES {
            let value = node.object.get(name);
            let found = match value {
                None => Some(Silence::Absent),
                Some(Value::Object(category)) if !category.is_empty() => category_silence(category),
                Some(value) => is_empty(value).then_some(Silence::Empty),
            };
            let Some(silence) = found else {
                continue;
            };
            let shown = match silence {
                Silence::UnknownStatus => {
                    quoted(value.and_then(|value| value.get("observation_status")))
                }
                Silence::Absent
                | Silence::Empty
                | Silence::NoValue
                | Silence::NoReason
                | Silence::NoStatus => quoted(value),
            };
            silent
                .entry(format!("{}.{name}", node.place.path(screen.index)))
                .or_insert((silence, shown));
        }
    }
}

fn category_silence(category: &Object<'_>) -> Option<Silence> {
    let status = category.get("observation_status");
    let is_gap = status.and_then(Value::as_text).is_some_and(is_gap_status);
    if is_gap {
        return reason(category).is_none().then_some(Silence::NoReason);
    }
    if is_text(category.get("kind"), "observation_gap") {
        return Some(Silence::NoStatus);
    }
    let is_known = match status {
        None | Some(Value::Null) => true,
        Some(status) => is_text(Some(status), "observed"),
    };
    if !is_known {
        return Some(Silence::UnknownStatus);
    }
    let is_label = |name: &crate::value::Text<'_>| LABELS.iter().any(|label| name == label);
    category
        .iter()
        .all(|(name, value)| is_label(name) || is_empty(value))
        .then_some(Silence::NoValue)
}

fn sections(context: &Context<'_>, silent: &mut BTreeMap<String, (Silence, String)>) {
    for (section, inner, members) in REQUIRED {
        let Some(outer) = context.member(section) else {
            continue;
        };
        let (part, path) = match inner {
            None => (Some(outer), section.to_owned()),
            Some(name) => (outer.get(name), format!("{section}.{name}")),
        };
        let Some(part) = part else {
            continue;
        };
        if is_reasoned_gap(outer) || is_reasoned_gap(part) {
            continue;
        }
        let Some(object) = part.as_object() else {
            continue;
        };
        for name in members {
            let value = object.get(name);
            // A generator that was looked for and not found is null.
            let is_looked_for = *name == "meta_generator" && matches!(value, Some(Value::Null));
            let must_hold = matches!(*name, "per_screen_verbatim_copy" | "headings_outline");
            let silence = match value {
                None => Some(Silence::Absent),
                Some(Value::Null) if is_looked_for => None,
                Some(Value::Null) => Some(Silence::Empty),
                Some(Value::Str(text)) => text.is_blank().then_some(Silence::Empty),
                Some(value) => (must_hold && is_empty(value)).then_some(Silence::Empty),
            };
            if let Some(silence) = silence {
                silent
                    .entry(format!("{path}.{name}"))
                    .or_insert((silence, quoted(value)));
            }
        }
    }
}
