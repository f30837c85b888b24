//! The screens of a draft and the nodes of their trees.
//!
//! In: the document. Out: for each screen its status, references and flattened tree nodes. What is
//! wrong with them is left to the rules.

use super::place::Path;
use super::reading::{filled_text, is_gap, reason};
use crate::value::{Object, Text, Value};

/// The thirteen categories that every node of an observed screen must have.
pub const CATEGORIES: [&str; 13] = [
    "identity",
    "geometry",
    "layout",
    "paint",
    "typography",
    "media",
    "effects",
    "pseudo_elements",
    "state",
    "motion",
    "responsive",
    "a11y",
    "tokens",
];

/// Members of a screen that name a file.
pub const ASSET_MEMBERS: [&str; 4] = [
    "screenshot_ref",
    "annotated_screenshot_ref",
    "layout_overlay_ref",
    "layout_ref",
];

/// One screen.
#[derive(Debug)]
pub struct Screen<'d> {
    /// Position in `screens`.
    pub index: usize,
    /// The screen itself.
    pub object: &'d Object<'d>,
    /// Whether it has no gap status.
    pub is_observed: bool,
    /// The nodes of its tree, root first.
    pub nodes: Vec<Node<'d>>,
}

/// One node of a tree.
#[derive(Debug)]
pub struct Node<'d> {
    /// The node.
    pub object: &'d Object<'d>,
    /// Its path.
    pub place: NodePlace,
}

/// Positions in the `children` lists from the root of the tree.
#[derive(Clone, Debug, Default)]
pub struct NodePlace(Vec<usize>);

impl NodePlace {
    /// The path of the node in screen `screen`.
    pub fn path(&self, screen: usize) -> String {
        use std::fmt::Write as _;
        let mut out = format!("screens[{screen}].visual_formation_tree");
        for index in &self.0 {
            let _ = write!(out, ".children[{index}]");
        }
        out
    }
}

/// The screens that are objects, in order.
pub fn read<'d>(blueprint: &'d Value<'d>) -> Vec<Screen<'d>> {
    blueprint
        .get("screens")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter_map(|(index, screen)| {
            let object = screen.as_object()?;
            let mut nodes = Vec::new();
            if let Some(Value::Object(tree)) = object.get("visual_formation_tree")
                && !tree.is_empty()
            {
                flatten(tree, &mut Vec::new(), &mut nodes);
            }
            Some(Screen {
                index,
                object,
                is_observed: !is_gap(object),
                nodes,
            })
        })
        .collect()
}

fn flatten<'d>(object: &'d Object<'d>, place: &mut Vec<usize>, nodes: &mut Vec<Node<'d>>) {
    nodes.push(Node {
        object,
        place: NodePlace(place.clone()),
    });
    let children = object.get("children").and_then(Value::as_array);
    for (index, child) in children.unwrap_or_default().iter().enumerate() {
        if let Value::Object(child) = child {
            place.push(index);
            flatten(child, place, nodes);
            place.pop();
        }
    }
}

impl<'d> Screen<'d> {
    /// The path of the screen's member `name`.
    pub fn member_path(&self, name: &str) -> String {
        format!("screens[{}].{name}", self.index)
    }

    /// A member that is a string and not blank.
    pub fn text(&self, name: &str) -> Option<&'d Text<'d>> {
        filled_text(self.object.get(name))
    }

    /// Whether it is a gap with a reason.
    pub fn is_reasoned_gap(&self) -> bool {
        !self.is_observed && reason(self.object).is_some()
    }

    /// Path of the layout file in the draft.
    pub fn layout_path(&self) -> String {
        self.file("layout_ref", "layout/", ".layout.json")
    }

    /// Path of the overlay in the draft.
    pub fn overlay_path(&self) -> String {
        self.file("layout_overlay_ref", "overlays/", ".layout-overlay.svg")
    }

    /// The file a member names, or the one the emitter would have written.
    fn file(&self, member: &str, folder: &str, ending: &str) -> String {
        self.text(member)
            .and_then(Text::as_str)
            .filter(|name| !leaves_draft(name))
            .map_or_else(
                || format!("{folder}{}{ending}", self.slug()),
                ToOwned::to_owned,
            )
    }

    /// The screen's name in file names.
    fn slug(&self) -> String {
        let id = self
            .text("screen_id")
            .map(Text::to_display)
            .unwrap_or_default();
        let mut slug = String::new();
        for character in id.chars() {
            if character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-') {
                slug.push(character);
            } else if !slug.ends_with('\u{0}') {
                slug.push('\u{0}');
            }
        }
        let slug = slug.replace('\u{0}', "-");
        let slug = slug.trim_matches('-');
        if slug.is_empty() {
            String::from("screen")
        } else {
            slug.to_owned()
        }
    }
}

impl<'d> Node<'d> {
    /// The node's element id.
    pub fn id(&self) -> Option<&'d Text<'d>> {
        let identity = self.object.get("identity").and_then(Value::as_object);
        filled_text(identity.and_then(|identity| identity.get("element_id")))
            .or_else(|| filled_text(self.object.get("element_id")))
    }

    /// Whether the node has a box of four numbers.
    pub fn has_box(&self) -> bool {
        let is_number =
            |value: &Value<'_>| matches!(value, Value::Int(_) | Value::BigInt(_) | Value::Float(_));
        match self
            .object
            .get("geometry")
            .and_then(|geometry| geometry.get("bounding_box_px"))
        {
            Some(Value::Object(sides)) => ["x", "y", "width", "height"]
                .iter()
                .all(|side| sides.get(side).is_some_and(is_number)),
            Some(Value::Array(sides)) => sides.len() == 4 && sides.iter().all(is_number),
            _ => false,
        }
    }
}

/// Whether a reference is absolute or has a `..` segment.
pub fn leaves_draft(reference: &str) -> bool {
    let mut characters = reference.chars();
    let has_drive = matches!(
        (characters.next(), characters.next()),
        (Some(letter), Some(':')) if letter.is_ascii_alphabetic()
    );
    let is_file_url = reference
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    has_drive
        || is_file_url
        || reference.starts_with(['/', '\\'])
        || reference.split(['/', '\\']).any(|part| part == "..")
}

/// Files of the draft that the rules about screens want to see.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Layout files.
    pub layouts: Vec<String>,
    /// Overlays.
    pub overlays: Vec<String>,
    /// Pictures.
    pub pictures: Vec<String>,
}

/// The files that the screens of a document name, each inside the draft.
pub fn wanted(blueprint: &Value<'_>) -> Wanted {
    let mut wanted = Wanted::default();
    for screen in read(blueprint) {
        if screen.is_observed {
            wanted.layouts.push(screen.layout_path());
            wanted.overlays.push(screen.overlay_path());
        }
        for member in ["screenshot_ref", "annotated_screenshot_ref"] {
            if let Some(name) = screen.text(member).and_then(Text::as_str)
                && !leaves_draft(name)
            {
                wanted.pictures.push(name.to_owned());
            }
        }
    }
    wanted
}

/// The path of a screen.
pub fn screen_path(index: usize) -> String {
    Path::ROOT.key(b"screens").index(index).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json::parse;

    #[test]
    fn names_of_files_follow_the_screen_id() {
        for (id, slug) in [
            ("home", "home"),
            ("a/b  c", "a-b-c"),
            ("-x-", "x"),
            ("商品", "screen"),
            ("a-/b", "a--b"),
        ] {
            let text = format!("{{\"screens\":[{{\"screen_id\":\"{id}\"}}]}}");
            let value = parse(&text).unwrap();
            assert_eq!(read(&value)[0].slug(), slug, "{id}");
        }
    }

    #[test]
    fn references_that_leave_are_known() {
        for bad in [
            "/a",
            "..",
            "a/../b",
            "a\\..\\b",
            "C:\\x",
            "\\\\host\\x",
            "FILE:///x",
        ] {
            assert!(leaves_draft(bad), "{bad}");
        }
        for fine in ["a/b.png", "..a/b", "a..b", "./a"] {
            assert!(!leaves_draft(fine), "{fine}");
        }
    }
}
