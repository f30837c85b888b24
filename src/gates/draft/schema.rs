//! The constraints on `blueprint.json` that its published schema states, as data.
//!
//! In: the document. Out: one violation per path and keyword. Paths are those of the value that
//! breaks the keyword, as JSON Schema reports them: a missing or unknown member is reported at the
//! object that lacks or holds it, and the names are in the violation. Absent required members of
//! the root are another rule's.

use super::place::Path;
use super::reading::integer;
use crate::value::Value;

/// What a value must be. [`ANY`] constrains nothing.
#[derive(Debug)]
struct Node {
    types: &'static [Type],
    required: &'static [&'static str],
    properties: &'static [(&'static str, &'static Node)],
    is_closed: bool,
    items: Option<&'static Node>,
    min_items: usize,
    min_length: usize,
    choices: &'static [&'static str],
    constant: Option<&'static str>,
    is_hex8: bool,
    is_counted: bool,
}

/// JSON types as a schema names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Object,
    Array,
    String,
    Number,
    Integer,
    Boolean,
}

impl Type {
    const fn word(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
        }
    }

    fn admits(self, value: &Value<'_>) -> bool {
        match self {
            Self::Object => matches!(value, Value::Object(_)),
            Self::Array => matches!(value, Value::Array(_)),
            Self::String => matches!(value, Value::Str(_)),
            Self::Number => matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_)),
            Self::Integer => integer(value).is_some(),
            Self::Boolean => matches!(value, Value::Bool(_)),
        }
    }
}

const ANY: Node = Node {
    types: &[],
    required: &[],
    properties: &[],
    is_closed: false,
    items: None,
    min_items: 0,
    min_length: 0,
    choices: &[],
    constant: None,
    is_hex8: false,
    is_counted: false,
};

static FREE: Node = ANY;
static STRING: Node = Node {
    types: &[Type::String],
    ..ANY
};
static BOOLEAN: Node = Node {
    types: &[Type::Boolean],
    ..ANY
};
static NUMBER: Node = Node {
    types: &[Type::Number],
    ..ANY
};
static COUNT: Node = Node {
    types: &[Type::Integer],
    is_counted: true,
    ..ANY
};
static OBJECT: Node = Node {
    types: &[Type::Object],
    ..ANY
};
static LIST: Node = Node {
    types: &[Type::Array],
    ..ANY
};
static LIST_OR_OBJECT: Node = Node {
    types: &[Type::Array, Type::Object],
    ..ANY
};
static STRINGS: Node = Node {
    types: &[Type::Array],
    items: Some(&STRING),
    ..ANY
};
static REFERENCES: Node = Node {
    types: &[Type::Array],
    items: Some(&STRING),
    min_items: 1,
    ..ANY
};
static CONFIDENCE: Node = Node {
    types: &[Type::Object],
    required: &["level", "rationale"],
    properties: &[
        (
            "level",
            &Node {
                choices: &["high", "medium", "low"],
                ..ANY
            },
        ),
        ("rationale", &STRING),
    ],
    is_closed: true,
    ..ANY
};

static REDACTION: Node = Node {
    types: &[Type::Object],
    required: &["text_hits", "emitter", "targets"],
    properties: &[
        ("text_hits", &COUNT),
        (
            "emitter",
            &Node {
                constant: Some("doc-emit.py"),
                ..ANY
            },
        ),
        ("targets", &STRINGS),
    ],
    is_closed: true,
    ..ANY
};

static METADATA: Node = Node {
    types: &[Type::Object],
    required: &["document_brand", "prompt_contract"],
    properties: &[("document_brand", &OBJECT), ("prompt_contract", &OBJECT)],
    ..ANY
};

static OBJECTS: Node = Node {
    types: &[Type::Array],
    items: Some(&OBJECT),
    ..ANY
};

static DESIGN_TOKENS: Node = Node {
    types: &[Type::Object],
    required: &[
        "palette",
        "type_scale",
        "spacing_scale",
        "radius_scale",
        "shadow_elevation_scale",
        "breakpoints",
        "z_layers",
        "theme_variants",
    ],
    properties: &[(
        "palette",
        &Node {
            types: &[Type::Array],
            items: Some(&Node {
                types: &[Type::Object],
                required: &["role", "value", "canonical_hex8", "gamut", "usage_count"],
                properties: &[
                    ("role", &STRING),
                    ("value", &STRING),
                    (
                        "canonical_hex8",
                        &Node {
                            types: &[Type::String],
                            is_hex8: true,
                            ..ANY
                        },
                    ),
                    (
                        "gamut",
                        &Node {
                            choices: &["srgb", "display-p3", "oklch"],
                            ..ANY
                        },
                    ),
                    ("usage_count", &COUNT),
                ],
                ..ANY
            }),
            ..ANY
        },
    )],
    ..ANY
};

static CONTENT: Node = Node {
    types: &[Type::Object],
    required: &[
        "per_screen_verbatim_copy",
        "headings_outline",
        "cta_inventory",
        "meta_seo_og",
        "structured_data",
        "locales",
    ],
    ..ANY
};

static TECH_STACK: Node = Node {
    types: &[Type::Object],
    required: &["signals", "identified"],
    properties: &[
        (
            "signals",
            &Node {
                types: &[Type::Object],
                required: &[
                    "meta_generator",
                    "response_headers",
                    "bundle_script_src_paths",
                    "third_party_request_domains",
                    "cookie_names",
                ],
                ..ANY
            },
        ),
        (
            "identified",
            &Node {
                types: &[Type::Array],
                items: Some(&Node {
                    types: &[Type::Object],
                    required: &["name", "category", "evidence_refs", "confidence"],
                    properties: &[
                        ("name", &STRING),
                        (
                            "category",
                            &Node {
                                choices: &["framework", "hosting", "cdn", "analytics", "saas"],
                                ..ANY
                            },
                        ),
                        ("evidence_refs", &REFERENCES),
                        ("confidence", &CONFIDENCE),
                    ],
                    is_closed: true,
                    ..ANY
                }),
                ..ANY
            },
        ),
    ],
    is_closed: true,
    ..ANY
};

static BASELINE: Node = Node {
    types: &[Type::Object],
    required: &[
        "transfer_bytes_by_type",
        "request_count",
        "cache_policy",
        "compression",
        "image_formats",
        "security_headers",
        "observed_scope",
    ],
    properties: &[("security_headers", &OBJECT)],
    ..ANY
};

static FEATURE_MAP: Node = Node {
    types: &[Type::Object],
    required: &["per_screen_affordances"],
    properties: &[("per_screen_affordances", &LIST_OR_OBJECT)],
    ..ANY
};

static JOURNEYS: Node = Node {
    types: &[Type::Array],
    items: Some(&Node {
        types: &[Type::Object],
        required: &["task", "steps", "evidence_refs", "confidence"],
        properties: &[
            ("task", &STRING),
            (
                "steps",
                &Node {
                    types: &[Type::Array],
                    items: Some(&Node {
                        types: &[Type::Object],
                        required: &["screen_ref", "action"],
                        properties: &[("screen_ref", &STRING), ("action", &STRING)],
                        ..ANY
                    }),
                    ..ANY
                },
            ),
            ("evidence_refs", &REFERENCES),
            ("confidence", &CONFIDENCE),
        ],
        is_closed: true,
        ..ANY
    }),
    ..ANY
};

static SECURITY: Node = Node {
    types: &[Type::Object],
    required: &[
        "auth_method",
        "session_mgmt",
        "csrf_xss",
        "csp_eval",
        "attack_surface",
        "adopt_avoid_practices",
    ],
    ..ANY
};

/// The values that `delivery_topology.rendering` may have.
pub const RENDERINGS: [&str; 3] = ["static", "ssr", "isr"];

static TOPOLOGY: Node = Node {
    types: &[Type::Object],
    required: &["cdn_edge_origin", "rendering", "cache_tiers"],
    properties: &[(
        "rendering",
        &Node {
            types: &[Type::String],
            choices: &RENDERINGS,
            ..ANY
        },
    )],
    ..ANY
};

static CWV: Node = Node {
    types: &[Type::Object],
    required: &["lcp", "cls", "inp", "ttfb", "scope_note"],
    properties: &[("scope_note", &STRING)],
    ..ANY
};

static SURFACE: Node = Node {
    types: &[Type::Object],
    required: &["present", "url", "structure_summary"],
    properties: &[
        ("present", &BOOLEAN),
        ("url", &STRING),
        (
            "structure_summary",
            &Node {
                types: &[Type::String],
                min_length: 1,
                ..ANY
            },
        ),
    ],
    is_closed: true,
    ..ANY
};

static COMPLIANCE: Node = Node {
    types: &[Type::Object],
    required: &["privacy_policy", "terms", "tokushoho", "cookie_banner_cmp"],
    properties: &[
        ("privacy_policy", &SURFACE),
        ("terms", &SURFACE),
        ("tokushoho", &SURFACE),
        ("cookie_banner_cmp", &SURFACE),
    ],
    ..ANY
};

static INVENTORY: Node = Node {
    types: &[Type::Object],
    required: &[
        "discovered_urls",
        "in_scope",
        "excluded",
        "coverage",
        "crawl_mode",
        "layout_template_dedup",
    ],
    properties: &[
        ("discovered_urls", &LIST),
        ("in_scope", &LIST),
        (
            "excluded",
            &Node {
                types: &[Type::Array],
                items: Some(&Node {
                    types: &[Type::Object],
                    required: &["url", "reason"],
                    properties: &[("url", &STRING), ("reason", &STRING)],
                    ..ANY
                }),
                ..ANY
            },
        ),
        (
            "coverage",
            &Node {
                types: &[Type::Object],
                required: &["discovered", "extracted", "pending", "excluded"],
                ..ANY
            },
        ),
        (
            "crawl_mode",
            &Node {
                choices: &["single", "full_site"],
                ..ANY
            },
        ),
    ],
    ..ANY
};

static ESSENCE: Node = Node {
    types: &[Type::Object],
    required: &[
        "core_problem_jtbd",
        "target_audience",
        "value_proposition",
        "key_messages",
        "tone_voice",
        "positioning_differentiation",
    ],
    properties: &[
        ("core_problem_jtbd", &FREE),
        ("target_audience", &FREE),
        ("value_proposition", &FREE),
        ("key_messages", &FREE),
        ("tone_voice", &FREE),
        ("positioning_differentiation", &FREE),
    ],
    is_closed: true,
    ..ANY
};

static TREE: Node = Node {
    types: &[Type::Object],
    required: &["identity"],
    properties: &[
        (
            "identity",
            &Node {
                types: &[Type::Object],
                required: &["element_id"],
                properties: &[("element_id", &STRING)],
                ..ANY
            },
        ),
        (
            "children",
            &Node {
                types: &[Type::Array],
                items: Some(&TREE),
                ..ANY
            },
        ),
    ],
    ..ANY
};

static SCREENS: Node = Node {
    types: &[Type::Array],
    items: Some(&Node {
        types: &[Type::Object],
        required: &[
            "screen_id",
            "screenshot_ref",
            "annotated_screenshot_ref",
            "layout_overlay_ref",
            "viewport",
            "captured_at",
            "coverage",
            "visual_formation_tree",
        ],
        properties: &[
            ("screen_id", &STRING),
            ("screenshot_ref", &STRING),
            ("annotated_screenshot_ref", &STRING),
            ("layout_overlay_ref", &STRING),
            (
                "viewport",
                &Node {
                    types: &[Type::Object],
                    required: &[
                        "width",
                        "height",
                        "dpr",
                        "scroll_x",
                        "scroll_y",
                        "color_scheme",
                        "reduced_motion",
                        "locale",
                    ],
                    properties: &[
                        ("width", &NUMBER),
                        ("height", &NUMBER),
                        ("dpr", &NUMBER),
                        ("scroll_x", &NUMBER),
                        ("scroll_y", &NUMBER),
                    ],
                    ..ANY
                },
            ),
            ("captured_at", &STRING),
            (
                "coverage",
                &Node {
                    types: &[Type::Object],
                    required: &[
                        "screen_regions_total",
                        "regions_extracted",
                        "elements_targeted",
                        "elements_extracted",
                        "fields_not_observed",
                    ],
                    properties: &[
                        ("screen_regions_total", &COUNT),
                        ("regions_extracted", &COUNT),
                        ("elements_targeted", &COUNT),
                        ("elements_extracted", &COUNT),
                        ("fields_not_observed", &COUNT),
                    ],
                    ..ANY
                },
            ),
            ("visual_formation_tree", &TREE),
        ],
        ..ANY
    }),
    ..ANY
};

/// The required top-level members.
pub const REQUIRED: [&str; 17] = [
    "metadata",
    "source",
    "snapshot",
    "design_tokens",
    "content",
    "tech_stack",
    "nonfunctional_baseline",
    "feature_map",
    "user_journeys",
    "security_design",
    "delivery_topology",
    "cwv_field_sample",
    "compliance_surfaces",
    "site_inventory",
    "essence",
    "mermaid_refs",
    "request_ledger",
];

static ROOT: Node = Node {
    properties: &[
        ("metadata", &METADATA),
        ("source", &OBJECT),
        ("snapshot", &OBJECT),
        ("design_tokens", &DESIGN_TOKENS),
        ("content", &CONTENT),
        ("tech_stack", &TECH_STACK),
        ("nonfunctional_baseline", &BASELINE),
        ("feature_map", &FEATURE_MAP),
        ("user_journeys", &JOURNEYS),
        ("security_design", &SECURITY),
        ("delivery_topology", &TOPOLOGY),
        ("cwv_field_sample", &CWV),
        ("compliance_surfaces", &COMPLIANCE),
        ("site_inventory", &INVENTORY),
        ("essence", &ESSENCE),
        ("mermaid_refs", &LIST_OR_OBJECT),
        ("request_ledger", &OBJECT),
        ("notice", &STRING),
        ("redaction_applied", &REDACTION),
        ("text_verbatim", &FREE),
        ("schema_version", &STRING),
        ("pages", &OBJECTS),
        ("routes", &LIST),
        ("states", &LIST),
        ("interactions", &LIST),
        ("observed_requests", &LIST),
        ("inferred_services", &LIST),
        ("data_model", &OBJECT),
        ("auth", &OBJECT),
        ("ui_tokens", &OBJECT),
        ("screens", &SCREENS),
        ("unknowns", &LIST),
        ("default_assumptions", &LIST),
    ],
    is_closed: true,
    ..ANY
};

/// What a violation is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// Members are missing.
    Required(Vec<&'static str>),
    /// Members are unknown.
    Unknown(Vec<String>),
    /// The type is another.
    Type(Vec<&'static str>),
    /// The value is none of these.
    Choice(&'static [&'static str]),
    /// The value is not this one.
    Constant(&'static str),
    /// The text is no eight-digit hex colour.
    Hex8,
    /// The number is below 0.
    Minimum,
    /// The list is too short.
    MinItems(usize),
    /// The text is too short.
    MinLength(usize),
}

/// One violation.
#[derive(Clone, Debug)]
pub struct Violation<'d> {
    /// Path of the value.
    pub path: String,
    /// What is violated.
    pub keyword: Keyword,
    /// The value.
    pub value: &'d Value<'d>,
}

/// Violations of the whole document. Required members of the root that are absent or null are left
/// out.
pub fn violations<'d>(blueprint: &'d Value<'d>) -> Vec<Violation<'d>> {
    let mut found = Vec::new();
    check(blueprint, &ROOT, &Path::ROOT, &mut found);
    found.retain(|violation| {
        !(matches!(violation.value, Value::Null) && REQUIRED.contains(&violation.path.as_str()))
    });
    found
}

/// Whether `text` is `#` and eight hex digits; like Python's `$`, before one final line feed too.
pub fn is_hex8(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.len() == 9
        && text
            .strip_prefix(b"#")
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

fn check<'d>(
    value: &'d Value<'d>,
    node: &'static Node,
    path: &Path<'_>,
    found: &mut Vec<Violation<'d>>,
) {
    let mut note = |keyword| {
        found.push(Violation {
            path: path.to_string(),
            keyword,
            value,
        });
    };
    if !node.types.is_empty() && !node.types.iter().any(|one| one.admits(value)) {
        note(Keyword::Type(
            node.types.iter().map(|one| one.word()).collect(),
        ));
        // The other keywords of this value speak about the type it should have had.
        if node.choices.is_empty() {
            return;
        }
    }
    let is_choice = |choices: &[&str]| {
        value
            .as_text()
            .is_some_and(|text| choices.iter().any(|choice| text == choice))
    };
    if !node.choices.is_empty() && !is_choice(node.choices) {
        note(Keyword::Choice(node.choices));
    }
    if let Some(constant) = node.constant
        && !is_choice(&[constant])
    {
        note(Keyword::Constant(constant));
    }
    match value {
        Value::Str(text) => {
            if node.is_hex8 && !is_hex8(text.as_bytes()) {
                note(Keyword::Hex8);
            }
            if node.min_length > 0 && text.len() < node.min_length {
                note(Keyword::MinLength(node.min_length));
            }
        }
        Value::Int(_) | Value::BigInt(_) | Value::Float(_) => {
            if node.is_counted && integer(value).is_some_and(|number| number < 0) {
                note(Keyword::Minimum);
            }
        }
        Value::Array(items) => {
            if items.len() < node.min_items {
                note(Keyword::MinItems(node.min_items));
            }
            if let Some(inner) = node.items {
                for (index, item) in items.iter().enumerate() {
                    check(item, inner, &path.index(index), found);
                }
            }
        }
        Value::Object(object) => {
            let missing: Vec<&'static str> = node
                .required
                .iter()
                .copied()
                .filter(|name| !object.contains_key(name))
                .collect();
            if !missing.is_empty() {
                note(Keyword::Required(missing));
            }
            if node.is_closed {
                let unknown: Vec<String> = object
                    .keys()
                    .filter(|key| !node.properties.iter().any(|(name, _)| *key == name))
                    .map(|key| key.to_display().into_owned())
                    .collect();
                if !unknown.is_empty() {
                    note(Keyword::Unknown(unknown));
                }
            }
            for (name, inner) in node.properties {
                if let Some(member) = object.get(name) {
                    check(member, inner, &path.key(name.as_bytes()), found);
                }
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    fn found(text: &str) -> Vec<(String, Keyword)> {
        let value = parse(text).unwrap();
        violations(&value)
            .into_iter()
            .map(|violation| (violation.path, violation.keyword))
            .collect()
    }

    #[test]
    fn each_keyword_is_reported_at_its_path() {
        use Keyword as K;
        for (text, path, keyword) in [
            (r#"{"pages":{}}"#, "pages", K::Type(vec!["array"])),
            (r#"{"pages":[1]}"#, "pages[0]", K::Type(vec!["object"])),
            (r#"{"extra":1}"#, "", K::Unknown(vec!["extra".into()])),
            (
                r#"{"metadata":{"document_brand":{}}}"#,
                "metadata",
                K::Required(vec!["prompt_contract"]),
            ),
            (
                r#"{"compliance_surfaces":{"privacy_policy":{"present":true,"url":"","structure_summary":""},
                "terms":{"present":true,"url":"","structure_summary":"s"},"tokushoho":{"present":true,"url":"","structure_summary":"s"},
                "cookie_banner_cmp":{"present":true,"url":"","structure_summary":"s"}}}"#,
                "compliance_surfaces.privacy_policy.structure_summary",
                K::MinLength(1),
            ),
            (
                r#"{"redaction_applied":{"text_hits":-1.0,"emitter":"doc-emit.py","targets":[]}}"#,
                "redaction_applied.text_hits",
                K::Minimum,
            ),
            (
                r#"{"redaction_applied":{"text_hits":1.0,"emitter":"x","targets":[]}}"#,
                "redaction_applied.emitter",
                K::Constant("doc-emit.py"),
            ),
            (
                r#"{"redaction_applied":{"text_hits":true,"emitter":"doc-emit.py","targets":[]}}"#,
                "redaction_applied.text_hits",
                K::Type(vec!["integer"]),
            ),
            (
                r#"{"user_journeys":[{"task":"t","steps":[],"evidence_refs":[],"confidence":{"level":"low","rationale":"r"}}]}"#,
                "user_journeys[0].evidence_refs",
                K::MinItems(1),
            ),
            (
                r#"{"user_journeys":[{"task":"t","steps":[],"evidence_refs":["x"],"confidence":{"level":"lowest","rationale":"r"}}]}"#,
                "user_journeys[0].confidence.level",
                K::Choice(&["high", "medium", "low"]),
            ),
        ] {
            assert_eq!(found(text), [(path.to_owned(), keyword)], "{text}");
        }
    }

    #[test]
    fn palette_entries_and_tree_nodes_are_reached() {
        let palette = r##"{"design_tokens":{"palette":[{"role":"r","value":"v","canonical_hex8":"#12","gamut":"srgb","usage_count":0}],
        "type_scale":0,"spacing_scale":0,"radius_scale":0,"shadow_elevation_scale":0,"breakpoints":0,"z_layers":0,"theme_variants":0}}"##;
        assert_eq!(
            found(palette),
            [(
                "design_tokens.palette[0].canonical_hex8".to_owned(),
                Keyword::Hex8
            )]
        );
        let tree = r#"{"screens":[{"screen_id":"","screenshot_ref":"","annotated_screenshot_ref":"","layout_overlay_ref":"",
        "captured_at":"","viewport":{"width":1,"height":1.5,"dpr":1,"scroll_x":0,"scroll_y":0,"color_scheme":null,"reduced_motion":1,"locale":[]},
        "coverage":{"screen_regions_total":0,"regions_extracted":0,"elements_targeted":0,"elements_extracted":0,"fields_not_observed":0},
        "visual_formation_tree":{"identity":{"element_id":"a"},"children":[{"identity":{}}]}}]}"#;
        assert_eq!(
            found(tree),
            [(
                "screens[0].visual_formation_tree.children[0].identity".to_owned(),
                Keyword::Required(vec!["element_id"])
            )]
        );
    }

    #[test]
    fn a_null_required_member_is_another_rules() {
        assert!(found(r#"{"content":null}"#).is_empty());
        assert_eq!(found(r#"{"pages":null}"#).len(), 1);
    }
}
