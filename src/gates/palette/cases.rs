//! Where the two palette counts differ and where they agree: one blueprint per case of the draft
//! directory page, section 14, with what each count says of it.

use super::{corrected, recorded};
use crate::value::Text;
use crate::value::json::parse;

/// Number of the case, what it is about, blueprint, orphans and figures (observed, palette) of the
/// recorded count or nothing where it refuses, orphans of the corrected count or nothing where it
/// refuses, values the corrected count leaves undecided.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    Option<(&'static [&'static str], usize, usize)>,
    Option<&'static [&'static str]>,
    &'static [&'static str],
);

const CASES: &[Case] = &[
    (
        "A1",
        "a colour held as an object with a gamut",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": {"canonical_hex8": "#0a7d5cff", "gamut": "srgb"}}}}]}"##,
        Some((&["srgb"], 2, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A2",
        "the same with the written form the plan asks to keep",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": {"exact": "#0a7d5c", "canonical_hex8": "#0a7d5cff", "gamut": "srgb", "original_notation": "var(--main)"}}}}]}"##,
        Some((&["srgb", "var(--main)"], 3, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A3",
        "a colour that carries its provenance",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": {"kind": "fact", "value": "#0a7d5c", "source_url": "https://store.example/", "locator": "button.buy", "captured_at": "2026-05-06T07:08:09Z", "method": "browser-render", "snapshot_id": "snapshot-7"}}}}]}"##,
        Some((
            &[
                "2026-05-06t07:08:09z",
                "browser-render",
                "button.buy",
                "fact",
                "https://store.example/",
                "snapshot-7",
            ],
            7,
            1,
        )),
        Some(&[]),
        &[],
    ),
    (
        "A4",
        "a colour that says it was observed",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"caret_color": {"observation_status": "observed", "value": "#0a7d5c"}}}}]}"##,
        Some((&["observed"], 2, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A5",
        "the border shape the screen gate itself understands",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"border_width_style_color": {"width": "1px", "style": "solid", "color": "#0a7d5c"}}}}]}"##,
        Some((&["1px", "solid"], 3, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A6",
        "`viewport.color_scheme`, which the schema requires on every screen",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}}, "viewport": {"color_scheme": "light"}}]}"##,
        Some((&["light"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A6b",
        "the same, null",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}}, "viewport": {"color_scheme": null}}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A6c",
        "the same, `auto`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}}, "viewport": {"color_scheme": "auto"}}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A7",
        "other member names that merely contain \"color\"",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "media": {"color_profile": "display-p3", "color_interpolation": "sRGB"}, "state": {"forced_colors": "active", "print_color_adjust": "economy"}}}]}"##,
        Some((&["active", "display-p3", "economy", "srgb"], 4, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A8",
        "a contrast ratio",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "a11y": {"color_contrast_ratio": "7.1:1"}}}]}"##,
        Some((&["7.1:1"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A9",
        "a length",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"text_decoration_color_offset": "12px"}}}]}"##,
        Some((&["12px"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A10",
        "a URL fragment made of hex digits",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "media": {"src": "https://store.example/faq#face"}}}]}"##,
        Some((&["#ffaaccee"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A11",
        "an id selector cut at a hyphen",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1", "locator": "#add-to-basket"}}}]}"##,
        Some((&["#aaddddff"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A12",
        "id selectors in a locator",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1", "locator": "#faded .x, #feed, #a11y, #faq"}}}]}"##,
        Some((&["#ffeeeedd"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A13",
        "order numbers in visible text",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1", "accessible_name": "受付番号 #456789 と #200"}}}]}"##,
        Some((&["#220000ff", "#456789ff"], 2, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A14",
        "HTML character references",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1", "accessible_name": "Ann&#039;s &#8217;"}}}]}"##,
        Some((&["#003399ff", "#88221177"], 2, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A15",
        "an issue number in a note",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "effects": {"observation_status": "observed", "note": "compare ticket #4321"}}}]}"##,
        Some((&["#44332211"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A16",
        "role names",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "tokens": {"color_roles": ["accent", "body"]}}}]}"##,
        Some((&["accent", "body"], 2, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A17",
        "a file path",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"color_source": "/static/main.css"}}}]}"##,
        Some((&["/static/main.css"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A18",
        "a reasoned gap under a colour name",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"scrollbar_color": {"observation_status": "not_observed", "reason": "#123456 not loaded"}}}}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A19",
        "a number",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"color_count": 3}}}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A20",
        "`rgb()` in prose",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1", "accessible_name": "rgb(1,2,3) の例"}}}]}"##,
        Some((&["#010203ff"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A21",
        "an asset reference with a fragment",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}}, "screenshot_ref": "screens/top.png#abc"}]}"##,
        Some((&["#aabbccff"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "A22",
        "a declared custom property nothing paints with",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "tokens": {"css_custom_properties": {"--brand": "#0a7d5c", "--unused": "#123456"}}}}]}"##,
        Some((&["#123456ff"], 2, 1)),
        Some(&[]),
        &[],
    ),
    (
        "B1",
        "gradient stops",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_image": "linear-gradient(90deg, #1b2430, rgba(0,0,0,.5))"}}}]}"##,
        Some((&["#00000080", "#1b2430ff"], 2, 1)),
        Some(&["#00000080", "#1b2430ff"]),
        &[],
    ),
    (
        "B2",
        "state colours",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "state": {"hover": {"background_color": "#1b2430"}}}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "B3",
        "pseudo elements",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "pseudo_elements": {"before": {"background_color": "#1b2430"}}}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "B4",
        "selection and scrollbar colours",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"selection_color": "#1b2430", "scrollbar_color": "#43536a"}}}]}"##,
        Some((&["#1b2430ff", "#43536aff"], 2, 1)),
        Some(&["#1b2430ff", "#43536aff"]),
        &[],
    ),
    (
        "B5",
        "one side of a border",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"border_top_color": "#1b2430"}}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "B6",
        "a shadow kept as CSS text",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"box_shadow": "0 1px 2px rgba(0, 0, 0, 0.2)"}}}]}"##,
        Some((&["#00000033"], 1, 1)),
        Some(&["#00000033"]),
        &[],
    ),
    (
        "B7",
        "SVG fill and stroke",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "media": {"svg": {"fill": "#1b2430", "stroke": "#43536a"}}}}]}"##,
        Some((&["#1b2430ff", "#43536aff"], 2, 1)),
        Some(&["#1b2430ff", "#43536aff"]),
        &[],
    ),
    (
        "B8",
        "a node without identity",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "children": [{"paint": {"background_color": "#1b2430"}}]}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "B9",
        "`paint.color`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"color": "#1b2430"}}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "B10",
        "an object keyed `hex`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": {"hex": "#1b2430"}}}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "B11",
        "a filter",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"filter": "drop-shadow(0 0 4px #1b2430)"}}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "B12",
        "keyframes",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "motion": {"keyframes": [{"at": "50%", "background_color": "#1b2430"}]}}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "D27",
        "a list under a colour name",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": ["#1b2430", "#0a7d5c"]}}}]}"##,
        Some((&["#1b2430ff"], 2, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "C1",
        "a gap that carries a colour",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"observation_status": "not_observed", "reason": "r", "background_color": "#1b2430"}}}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
    (
        "C2",
        "children below a gap node",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "observation_status": "blocked", "reason": "r", "children": [{"identity": {"element_id": "e2"}, "paint": {"background_color": "#1b2430"}}]}}]}"##,
        Some((&[], 0, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "C3",
        "the computed default `auto`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"accent_color": "auto"}}}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
    (
        "C4",
        "a theme entry keyed `hex`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}], "theme_variants": [{"theme": "dark", "colors": [{"role": "brand", "hex": "#3ec9b0"}]}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#3ec9b0"}}}]}"##,
        Some((&[], 1, 2)),
        Some(&[]),
        &[],
    ),
    (
        "C5",
        "a theme with both `palette` and `colors`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}], "theme_variants": [{"theme": "dark", "palette": [{"canonical_hex8": "#0a7d5cff"}], "colors": ["#3ec9b0"]}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#3ec9b0"}}}]}"##,
        Some((&[], 1, 2)),
        Some(&[]),
        &[],
    ),
    (
        "C6",
        "brand colours inside `design_tokens`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}], "document_brand": {"colors": ["#3ec9b0"]}}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#3ec9b0"}}}]}"##,
        Some((&[], 1, 2)),
        Some(&[]),
        &[],
    ),
    (
        "C7",
        "a palette entry keyed `color`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}, {"role": "x", "color": "#3ec9b0"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#3ec9b0"}}}]}"##,
        Some((&[], 1, 2)),
        Some(&[]),
        &[],
    ),
    (
        "D1",
        "a named colour the palette lists",
        r##"{"design_tokens": {"palette": [{"role": "brand", "value": "darkslateblue", "canonical_hex8": "#483d8bff", "gamut": "srgb", "usage_count": 1}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "darkslateblue"}}}]}"##,
        Some((&["darkslateblue"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D2",
        "hsl the palette lists",
        r##"{"design_tokens": {"palette": [{"role": "brand", "value": "hsl(163, 85%, 26%)", "canonical_hex8": "#0a7d5cff", "gamut": "srgb", "usage_count": 1}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "hsl(163, 85%, 26%)"}}}]}"##,
        Some((&["hsl(163, 85%, 26%)"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D3",
        "oklch the palette lists",
        r##"{"design_tokens": {"palette": [{"role": "brand", "value": "oklch(0.52 0.11 165)", "canonical_hex8": "#0a7d5cff", "gamut": "oklch", "usage_count": 1}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "oklch(0.52 0.11 165)"}}}]}"##,
        Some((&["oklch(0.52 0.11 165)"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D4",
        "display-p3 the palette lists",
        r##"{"design_tokens": {"palette": [{"role": "brand", "value": "color(display-p3 0.2 0.48 0.37)", "canonical_hex8": "#0a7d5cff", "gamut": "display-p3", "usage_count": 1}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "color(display-p3 0.2 0.48 0.37)"}}}]}"##,
        Some((&["color(display-p3 0.2 0.48 0.37)"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D5",
        "color-mix over a palette colour",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "color-mix(in srgb, #0a7d5c 80%, white)"}}}]}"##,
        Some((&["color-mix(in srgb, #0a7d5c 80%, white)"], 2, 1)),
        Some(&[]),
        &["color-mix(in srgb, #0a7d5c 80%, white)"],
    ),
    (
        "D6",
        "space separated rgb",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "rgb(10 125 92)"}}}]}"##,
        Some((&["rgb(10 125 92)"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D6b",
        "the same with alpha",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "rgb(10 125 92 / 50%)"}}}]}"##,
        Some((&["rgb(10 125 92 / 50%)"], 1, 1)),
        Some(&["#0a7d5c80"]),
        &[],
    ),
    (
        "D7",
        "percentages",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "rgb(100%, 0%, 0%)"}}}]}"##,
        Some((&["#640000ff"], 1, 1)),
        Some(&["#ff0000ff"]),
        &[],
    ),
    (
        "D8",
        "a channel above 255",
        r##"{"design_tokens": {"palette": [{"role": "x", "value": "#2c0000"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "rgb(300, 0, 0)"}}}]}"##,
        Some((&[], 1, 1)),
        Some(&["#ff0000ff"]),
        &[],
    ),
    (
        "D9",
        "five and seven digits",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#12345", "foreground_color": "#1234567"}}}]}"##,
        Some((&["#12345", "#1234567"], 2, 1)),
        Some(&[]),
        &["#12345", "#1234567"],
    ),
    (
        "D9b",
        "the same away from a colour name",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "media": {"svg_fill": "#12345"}}}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D10",
        "theme variants as a map (the shape the synthesis prompt describes)",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}], "theme_variants": {"dark": {"palette": ["#3ec9b0"]}}}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#3ec9b0"}}}]}"##,
        Some((&["#3ec9b0ff"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D11",
        "a variable reference",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "var(--main)"}}}]}"##,
        Some((&["var(--main)"], 1, 1)),
        Some(&[]),
        &["var(--main)"],
    ),
    (
        "D12",
        "light-dark()",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "light-dark(#0a7d5c, #3ec9b0)"}}}]}"##,
        Some((&["#3ec9b0ff", "light-dark(#0a7d5c, #3ec9b0)"], 3, 1)),
        Some(&["#3ec9b0ff"]),
        &[],
    ),
    (
        "D13",
        "a system colour",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"foreground_color": "CanvasText"}}}]}"##,
        Some((&["canvastext"], 1, 1)),
        Some(&[]),
        &["canvastext"],
    ),
    (
        "D14",
        "an `!important` suffix",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#0a7d5c !important"}}}]}"##,
        Some((&["#0a7d5c !important"], 2, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D15",
        "`revert`",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "revert"}}}]}"##,
        Some((&["revert"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D19",
        "alpha rounding",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "rgba(0,0,0,0.3)", "foreground_color": "rgba(0,0,0,.5)", "outline_color": "rgba(0,0,0,.1)"}}}]}"##,
        Some((&["#0000001a", "#0000004c", "#00000080"], 3, 1)),
        Some(&["#0000001a", "#0000004d", "#00000080"]),
        &[],
    ),
    (
        "D21",
        "fully transparent",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "rgba(0, 0, 0, 0)"}}}]}"##,
        Some((&["#00000000"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D22",
        "an infinite channel",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "rgb(inf,0,0)"}}}]}"##,
        Some((&["rgb(inf,0,0)"], 1, 1)),
        Some(&[]),
        &["rgb(inf,0,0)"],
    ),
    (
        "D23",
        "a broken canonical value beside a good written value",
        r##"{"design_tokens": {"palette": [{"role": "x", "canonical_hex8": "navy", "value": "#0a7d5c"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#0a7d5c"}}}]}"##,
        Some((&["#0a7d5cff"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D24",
        "an empty canonical value",
        r##"{"design_tokens": {"palette": [{"role": "x", "canonical_hex8": "", "value": "#0a7d5c"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#0a7d5c"}}}]}"##,
        Some((&[], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D25",
        "the palette as a map",
        r##"{"design_tokens": {"palette": {"brand": "#0a7d5c"}}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#0a7d5c"}}}]}"##,
        Some((&["#0a7d5cff"], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D30",
        "theme colours as a map",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}], "theme_variants": [{"theme": "dark", "colors": {"bg": "#3ec9b0"}}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#3ec9b0"}}}]}"##,
        Some((&["#3ec9b0ff"], 1, 2)),
        Some(&[]),
        &[],
    ),
    (
        "D28",
        "`design_tokens` is not an object",
        r##"{"design_tokens": "x", "screens": [{"screen_id": "s", "visual_formation_tree": {"identity": {"element_id": "e"}, "paint": {"background_color": "#1b2430"}}}]}"##,
        None,
        None,
        &[],
    ),
    (
        "B13",
        "a screen without an id",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#1b2430"}}}]}"##,
        Some((&["#1b2430ff"], 1, 1)),
        Some(&["#1b2430ff"]),
        &[],
    ),
    (
        "D16",
        "no screens",
        r#"{"design_tokens": {"palette": []}, "screens": []}"#,
        Some((&[], 0, 0)),
        Some(&[]),
        &[],
    ),
    (
        "D17",
        "`screens` is an object",
        r##"{"design_tokens": {"palette": []}, "screens": {"visual_formation_tree": {"paint": {"background_color": "#1b2430"}}}}"##,
        Some((&[], 0, 0)),
        Some(&[]),
        &[],
    ),
    (
        "D18",
        "colours outside `screens`",
        r##"{"metadata": {"document_brand": {"theme_color_meta": "#1b2430"}}, "ui_tokens": {"brand": "#43536a"}, "design_tokens": {"palette": []}, "screens": []}"##,
        Some((&[], 0, 0)),
        Some(&[]),
        &[],
    ),
    (
        "D20",
        "eight against six digits",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#0A7D5CFF"}}}]}"##,
        Some((&[], 1, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D26",
        "hex glued to Japanese text",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_image": "地の色は#0a7d5cです"}}}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
    (
        "D29",
        "a screen that is a gap",
        r##"{"design_tokens": {"palette": [{"canonical_hex8": "#0a7d5cff"}]}, "screens": [{"screen_id": "s1", "visual_formation_tree": {"identity": {"element_id": "e1"}, "paint": {"background_color": "#1b2430"}}, "observation_status": "blocked", "reason": "r"}]}"##,
        Some((&[], 0, 1)),
        Some(&[]),
        &[],
    ),
];

fn shown(texts: &[Text<'_>]) -> Vec<String> {
    texts
        .iter()
        .map(|text| text.to_display().into_owned())
        .collect()
}

#[test]
fn the_recorded_count_says_what_is_recorded() {
    for (case, why, text, expected, _, _) in CASES {
        let streamed = recorded::count_text(text, &|| false).ok();
        let walked = recorded::count(&parse(text).unwrap()).ok();
        assert_eq!(streamed, walked, "{case}: {why}");
        let found = walked.map(|count| {
            let orphans = shown(&count.orphans);
            (orphans, count.observed_count, count.palette_count)
        });
        let expected = expected.map(|(orphans, observed, palette)| {
            let orphans = orphans.iter().map(|&orphan| orphan.to_owned()).collect();
            (orphans, observed, palette)
        });
        assert_eq!(found, expected, "{case}: {why}");
    }
}

#[test]
fn the_corrected_count_says_what_it_should() {
    for (case, why, text, _, expected, undecided) in CASES {
        let counted = corrected::count(&parse(text).unwrap()).ok();
        let orphans = counted.as_ref().map(|count| shown(&count.orphans));
        let expected: Option<Vec<String>> =
            expected.map(|orphans| orphans.iter().map(|&orphan| orphan.to_owned()).collect());
        assert_eq!(orphans, expected, "{case}: {why}");
        if let Some(count) = counted {
            assert_eq!(shown(&count.undecided), *undecided, "{case}: {why}");
        }
    }
}

#[test]
fn every_orphan_has_its_places_in_either_count() {
    for (case, _, text, _, _, _) in CASES {
        let blueprint = parse(text).unwrap();
        if let Ok(count) = recorded::count(&blueprint) {
            let places = recorded::places(&blueprint, &count.orphans).unwrap();
            assert_eq!(places.len(), count.orphans.len(), "{case}");
        }
        if let Ok(count) = corrected::count(&blueprint) {
            let mut wanted = count.orphans.clone();
            wanted.extend(count.undecided);
            let places = corrected::places(&blueprint, &wanted).unwrap();
            assert_eq!(places.len(), wanted.len(), "{case}");
            for path in places.values().flatten() {
                assert!(path.to_string().starts_with("$.screens[0]"), "{case}");
            }
        }
    }
}

#[test]
fn near_misses_of_the_corrected_count_stay_silent_or_speak() {
    let orphans = |member: &str| {
        let text = format!("{{\"screens\": [{{\"node\": {{{member}}}}}]}}");
        shown(&corrected::count(&parse(&text).unwrap()).unwrap().orphans)
    };
    let none: [&str; 0] = [];
    for (member, expected) in [
        ("\"screenshot_ref\": \"a.png #abc\"", &none[..]),
        ("\"reference\": \"a.png #abc\"", &["#aabbccff"]),
        ("\"reason\": \"#abc\"", &none),
        ("\"reasons\": \"#abc\"", &["#aabbccff"]),
        ("\"fill\": \"red\"", &none),
        ("\"fill_color\": \"Red !IMPORTANT\"", &["red"]),
        ("\"fill_color\": \"reddish\"", &none),
        ("\"fill\": \"x(#abc)\"", &["#aabbccff"]),
        (
            "\"fill\": \"x#abc &#abc; /#abc ##abc #abc- #abcx #abc_\"",
            &none,
        ),
        (
            "\"fill\": \"rgb(1 2 3/40%) RGBA(4,5,6,.5)\"",
            &["#01020366", "#04050680"],
        ),
        ("\"fill\": \"rgb(1, 2)\"", &none),
        ("\"fill\": \"rgb(1deg 2 3)\"", &none),
        ("\"fill\": \"rgb(1 2 3 4 5)\"", &none),
        ("\"fill\": \"rgb(-9 999 1e1)\"", &["#00ff0aff"]),
        ("\"fill\": \"#abc0\"", &none),
        (
            "\"color\": \"color-mix(in srgb, red, blue)\"",
            &["color-mix(in srgb, red, blue)"],
        ),
        ("\"color\": [[{\"deep\": \"tan\"}]]", &["tan"]),
        (
            "\"observation_status\": \"blocked\", \"children\": [{\"fill\": \"#abc\"}]",
            &["#aabbccff"],
        ),
        (
            "\"color\": {\"value\": \"var(--x)\", \"canonical_hex8\": \"#abcdefff\"}",
            &["#abcdefff"],
        ),
    ] {
        assert_eq!(orphans(member), expected, "{member}");
    }
}
