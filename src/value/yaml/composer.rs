//! Tokens to a node graph: nesting, anchors and aliases, tags.
//!
//! In: the scanner's tokens. Out: an arena of nodes in which an alias is simply a second reference.
//! The grammar is `PyYAML`'s parser; one document is allowed, and a node may not hold itself.

use super::resolver::Tag;
use super::scanner::{Lexeme, Scanner};
use super::{Mark, YamlError};
use crate::text::Text;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Levels of nesting, about what `PyYAML` manages before Python's recursion limit of 1,000.
pub(super) const NESTING_LIMIT: usize = 490;

/// Index of a node in its [`Graph`].
pub(super) type NodeId = usize;

/// One node: where it begins, what type its tag names, what it holds.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) tag: Tag,
    pub(super) content: Content<'a>,
    pub(super) mark: Mark,
}

#[derive(Clone, Debug)]
pub(super) enum Content<'a> {
    Scalar(Text<'a>),
    Sequence(Vec<NodeId>),
    Mapping(Vec<(NodeId, NodeId)>),
}

/// All nodes of one document.
#[derive(Debug, Default)]
pub(super) struct Graph<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

impl Graph<'_> {
    /// Keys that are written a second time in one mapping, as they are written.
    pub(super) fn repeated_keys(&self) -> Vec<(String, Mark)> {
        let mut repeated = Vec::new();
        for node in &self.nodes {
            let Content::Mapping(pairs) = &node.content else {
                continue;
            };
            let mut seen: BTreeSet<&[u8]> = BTreeSet::new();
            for (key, _) in pairs {
                if let Some(key) = self.nodes.get(*key)
                    && let Content::Scalar(text) = &key.content
                    && !seen.insert(text.as_bytes())
                {
                    repeated.push((text.to_display().into_owned(), key.mark));
                }
            }
        }
        repeated
    }
}

/// An anchor's node, nothing while the node is still being read.
type Anchored = Option<NodeId>;

/// Which kinds of node the grammar allows at a place.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Inside brackets.
    Flow,
    /// In a block.
    Block,
    /// A key or value of a block mapping, where a list may stand without indentation.
    BlockOrIndentless,
}

struct Composer<'a> {
    scanner: Scanner<'a>,
    graph: Graph<'a>,
    anchors: IndexMap<&'a str, Anchored>,
    handles: Vec<(String, String)>,
    depth: usize,
}

/// Read the only document of `text`; nothing when there is none.
pub(super) fn compose(text: &str) -> Result<(Graph<'_>, Option<NodeId>), YamlError> {
    let mut composer = Composer {
        scanner: Scanner::new(text),
        graph: Graph::default(),
        anchors: IndexMap::new(),
        handles: default_handles(),
        depth: 0,
    };
    let root = composer.compose_stream()?;
    Ok((composer.graph, root))
}

fn default_handles() -> Vec<(String, String)> {
    vec![
        (String::from("!"), String::from("!")),
        (
            String::from("!!"),
            String::from(super::resolver::TAG_PREFIX),
        ),
    ]
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the grammar names the tokens it takes; every other one is the same fault"
)]
impl<'a> Composer<'a> {
    fn compose_stream(&mut self) -> Result<Option<NodeId>, YamlError> {
        let root = match self.scanner.peek()?.lexeme {
            Lexeme::StreamEnd => return Ok(None),
            Lexeme::VersionDirective { .. }
            | Lexeme::TagDirective { .. }
            | Lexeme::OtherDirective
            | Lexeme::DocumentStart => self.compose_explicit_document()?,
            _ => Some(self.compose_node(Place::Block)?),
        };
        self.skip_document_ends()?;
        if self.is_next(|lexeme| *lexeme == Lexeme::StreamEnd)? {
            return Ok(root);
        }
        let mark = self.scanner.peek()?.mark;
        Err(YamlError::new(
            "a second document, or text behind the end of the first",
            mark,
        ))
    }

    fn compose_explicit_document(&mut self) -> Result<Option<NodeId>, YamlError> {
        let mut handles: Vec<(String, String)> = Vec::new();
        let mut versioned = false;
        loop {
            let token = self.scanner.take()?;
            match token.lexeme {
                Lexeme::VersionDirective { major } => {
                    if versioned || major != 1 {
                        return Err(YamlError::new(
                            "the YAML version must be 1.x, once",
                            token.mark,
                        ));
                    }
                    versioned = true;
                }
                Lexeme::TagDirective { handle, prefix } => {
                    if handles.iter().any(|(known, _)| *known == handle) {
                        return Err(YamlError::new("this tag handle is set twice", token.mark));
                    }
                    handles.push((handle, prefix));
                }
                Lexeme::OtherDirective => {}
                Lexeme::DocumentStart => break,
                _ => {
                    return Err(YamlError::new(
                        "`---` must follow the directives",
                        token.mark,
                    ));
                }
            }
        }
        handles.extend(default_handles());
        self.handles = handles;
        let empty = self.is_next(|lexeme| {
            matches!(
                lexeme,
                Lexeme::VersionDirective { .. }
                    | Lexeme::TagDirective { .. }
                    | Lexeme::OtherDirective
                    | Lexeme::DocumentStart
                    | Lexeme::DocumentEnd
                    | Lexeme::StreamEnd
            )
        })?;
        if empty {
            self.add_empty().map(Some)
        } else {
            self.compose_node(Place::Block).map(Some)
        }
    }

    /// `...` lines; a document after them counts as the second one.
    fn skip_document_ends(&mut self) -> Result<(), YamlError> {
        while self.is_next(|lexeme| *lexeme == Lexeme::DocumentEnd)? {
            self.scanner.take()?;
        }
        Ok(())
    }

    fn is_next(&mut self, wanted: impl Fn(&Lexeme<'a>) -> bool) -> Result<bool, YamlError> {
        Ok(wanted(&self.scanner.peek()?.lexeme))
    }

    fn add(&mut self, node: Node<'a>) -> NodeId {
        self.graph.nodes.push(node);
        self.graph.nodes.len() - 1
    }

    /// The null that stands where nothing is written.
    fn add_empty(&mut self) -> Result<NodeId, YamlError> {
        let mark = self.scanner.peek()?.mark;
        let content = Content::Scalar(Text::borrowed(""));
        Ok(self.add(Node {
            tag: Tag::Null,
            content,
            mark,
        }))
    }

    fn compose_node(&mut self, place: Place) -> Result<NodeId, YamlError> {
        self.depth += 1;
        let mark = self.scanner.peek()?.mark;
        if self.depth > NESTING_LIMIT {
            return Err(YamlError::new("nested too deeply", mark));
        }
        let node = self.compose_node_inside(place, mark)?;
        self.depth -= 1;
        Ok(node)
    }

    fn compose_node_inside(&mut self, place: Place, mark: Mark) -> Result<NodeId, YamlError> {
        if let Lexeme::Alias(name) = self.scanner.peek()?.lexeme {
            self.scanner.take()?;
            return match self.anchors.get(name) {
                Some(Some(node)) => Ok(*node),
                Some(None) => Err(YamlError::new(
                    "this alias stands inside its own anchor",
                    mark,
                )),
                None => Err(YamlError::new("there is no anchor for this alias", mark)),
            };
        }
        let mut anchor = None;
        let mut tag = None;
        // One of each, in either order.
        loop {
            match &self.scanner.peek()?.lexeme {
                Lexeme::Anchor(name) if anchor.is_none() => {
                    anchor = Some(*name);
                }
                Lexeme::Tag { handle, suffix } if tag.is_none() => {
                    let (handle, suffix) = (handle.clone(), suffix.clone());
                    tag = Some(self.full_tag(handle.as_deref(), suffix)?);
                }
                _ => break,
            }
            self.scanner.take()?;
        }
        if let Some(name) = anchor
            && self.anchors.insert(name, None).is_some()
        {
            return Err(YamlError::new("this anchor is set twice", mark));
        }
        let bare = anchor.is_none() && tag.is_none();
        let node = self.compose_content(place, tag.as_deref(), bare, mark)?;
        if let Some(name) = anchor {
            self.anchors.insert(name, Some(node));
        }
        Ok(node)
    }

    fn full_tag(&mut self, handle: Option<&str>, suffix: String) -> Result<String, YamlError> {
        let Some(handle) = handle else {
            return Ok(suffix);
        };
        if let Some((_, prefix)) = self.handles.iter().find(|(known, _)| known == handle) {
            return Ok(format!("{prefix}{suffix}"));
        }
        let mark = self.scanner.peek()?.mark;
        Err(YamlError::new("this tag handle is not defined", mark))
    }

    fn compose_content(
        &mut self,
        place: Place,
        tag: Option<&str>,
        bare: bool,
        mark: Mark,
    ) -> Result<NodeId, YamlError> {
        // `!` alone means: decide as if there were no tag.
        let decided = tag.filter(|tag| *tag != "!").map(Tag::of_name);
        let in_block = place != Place::Flow;
        let token = self.scanner.peek()?;
        match &token.lexeme {
            Lexeme::BlockEntry if place == Place::BlockOrIndentless => {
                let items = self.compose_indentless_entries()?;
                let content = Content::Sequence(items);
                Ok(self.add(Node {
                    tag: decided.unwrap_or(Tag::Seq),
                    content,
                    mark,
                }))
            }
            Lexeme::Scalar { text, plain } => {
                // A quoted text is a string, unless `!` asks to look at it as if it were plain.
                let implicit = *plain || tag.is_some();
                let found = if implicit {
                    Tag::of_plain(text)
                } else {
                    Tag::Str
                };
                let content = Content::Scalar(text.clone());
                self.scanner.take()?;
                Ok(self.add(Node {
                    tag: decided.unwrap_or(found),
                    content,
                    mark,
                }))
            }
            Lexeme::FlowSequenceStart => {
                let content = Content::Sequence(self.compose_flow_sequence()?);
                Ok(self.add(Node {
                    tag: decided.unwrap_or(Tag::Seq),
                    content,
                    mark,
                }))
            }
            Lexeme::FlowMappingStart => {
                let content = Content::Mapping(self.compose_flow_mapping()?);
                Ok(self.add(Node {
                    tag: decided.unwrap_or(Tag::Map),
                    content,
                    mark,
                }))
            }
            Lexeme::BlockSequenceStart if in_block => {
                let content = Content::Sequence(self.compose_block_sequence()?);
                Ok(self.add(Node {
                    tag: decided.unwrap_or(Tag::Seq),
                    content,
                    mark,
                }))
            }
            Lexeme::BlockMappingStart if in_block => {
                let content = Content::Mapping(self.compose_block_mapping()?);
                Ok(self.add(Node {
                    tag: decided.unwrap_or(Tag::Map),
                    content,
                    mark,
                }))
            }
            _ if !bare => {
                let content = Content::Scalar(Text::borrowed(""));
                // Unless a type was named, nothing is null even behind an anchor.
                Ok(self.add(Node {
                    tag: decided.unwrap_or(Tag::Null),
                    content,
                    mark,
                }))
            }
            _ => Err(YamlError::new(
                "a value is missing here, or something stands in its place",
                token.mark,
            )),
        }
    }

    fn compose_block_sequence(&mut self) -> Result<Vec<NodeId>, YamlError> {
        self.scanner.take()?;
        let mut items = Vec::new();
        while self.is_next(|lexeme| *lexeme == Lexeme::BlockEntry)? {
            self.scanner.take()?;
            let empty =
                self.is_next(|lexeme| matches!(lexeme, Lexeme::BlockEntry | Lexeme::BlockEnd))?;
            items.push(if empty {
                self.add_empty()?
            } else {
                self.compose_node(Place::Block)?
            });
        }
        self.take_block_end()?;
        Ok(items)
    }

    fn compose_indentless_entries(&mut self) -> Result<Vec<NodeId>, YamlError> {
        let mut items = Vec::new();
        while self.is_next(|lexeme| *lexeme == Lexeme::BlockEntry)? {
            self.scanner.take()?;
            let empty = self.is_next(|lexeme| {
                matches!(
                    lexeme,
                    Lexeme::BlockEntry | Lexeme::Key | Lexeme::Value | Lexeme::BlockEnd
                )
            })?;
            items.push(if empty {
                self.add_empty()?
            } else {
                self.compose_node(Place::Block)?
            });
        }
        Ok(items)
    }

    fn take_block_end(&mut self) -> Result<(), YamlError> {
        let token = self.scanner.take()?;
        if token.lexeme == Lexeme::BlockEnd {
            return Ok(());
        }
        Err(YamlError::new(
            "this does not fit the list or mapping around it; check the indentation",
            token.mark,
        ))
    }

    fn compose_block_mapping(&mut self) -> Result<Vec<(NodeId, NodeId)>, YamlError> {
        self.scanner.take()?;
        let mut pairs = Vec::new();
        let ends_half =
            |lexeme: &Lexeme<'_>| matches!(lexeme, Lexeme::Key | Lexeme::Value | Lexeme::BlockEnd);
        while self.is_next(|lexeme| *lexeme == Lexeme::Key)? {
            self.scanner.take()?;
            let key = if self.is_next(ends_half)? {
                self.add_empty()?
            } else {
                self.compose_node(Place::BlockOrIndentless)?
            };
            let mut value = None;
            if self.is_next(|lexeme| *lexeme == Lexeme::Value)? {
                self.scanner.take()?;
                if !self.is_next(ends_half)? {
                    value = Some(self.compose_node(Place::BlockOrIndentless)?);
                }
            }
            let value = match value {
                Some(value) => value,
                None => self.add_empty()?,
            };
            pairs.push((key, value));
        }
        self.take_block_end()?;
        Ok(pairs)
    }

    fn compose_flow_sequence(&mut self) -> Result<Vec<NodeId>, YamlError> {
        self.scanner.take()?;
        let mut items = Vec::new();
        let ends = |lexeme: &Lexeme<'_>| *lexeme == Lexeme::FlowSequenceEnd;
        while !self.is_next(ends)? {
            if !items.is_empty() {
                self.take_comma("a `,` or `]` is missing here")?;
            }
            if self.is_next(|lexeme| *lexeme == Lexeme::Key)? {
                items.push(self.compose_flow_pair()?);
            } else if !self.is_next(ends)? {
                items.push(self.compose_node(Place::Flow)?);
            }
        }
        self.scanner.take()?;
        Ok(items)
    }

    /// `[a: b]` holds a mapping of one pair.
    fn compose_flow_pair(&mut self) -> Result<NodeId, YamlError> {
        let ends_half =
            |lexeme: &Lexeme<'_>| matches!(lexeme, Lexeme::FlowEntry | Lexeme::FlowSequenceEnd);
        let mark = self.scanner.take()?.mark;
        let no_key = self.is_next(|lexeme| *lexeme == Lexeme::Value || ends_half(lexeme))?;
        let key = if no_key {
            self.add_empty()?
        } else {
            self.compose_node(Place::Flow)?
        };
        let value = self.compose_flow_value(ends_half)?;
        let content = Content::Mapping(vec![(key, value)]);
        Ok(self.add(Node {
            tag: Tag::Map,
            content,
            mark,
        }))
    }

    fn compose_flow_value(
        &mut self,
        ends: impl Fn(&Lexeme<'_>) -> bool,
    ) -> Result<NodeId, YamlError> {
        if self.is_next(|lexeme| *lexeme == Lexeme::Value)? {
            self.scanner.take()?;
            if !self.is_next(|lexeme| ends(lexeme))? {
                return self.compose_node(Place::Flow);
            }
        }
        self.add_empty()
    }

    fn compose_flow_mapping(&mut self) -> Result<Vec<(NodeId, NodeId)>, YamlError> {
        self.scanner.take()?;
        let mut pairs = Vec::new();
        let ends = |lexeme: &Lexeme<'_>| *lexeme == Lexeme::FlowMappingEnd;
        let ends_half =
            |lexeme: &Lexeme<'_>| matches!(lexeme, Lexeme::FlowEntry | Lexeme::FlowMappingEnd);
        while !self.is_next(ends)? {
            if !pairs.is_empty() {
                self.take_comma("a `,` or `}` is missing here")?;
            }
            if self.is_next(|lexeme| *lexeme == Lexeme::Key)? {
                self.scanner.take()?;
                let no_key =
                    self.is_next(|lexeme| *lexeme == Lexeme::Value || ends_half(lexeme))?;
                let key = if no_key {
                    self.add_empty()?
                } else {
                    self.compose_node(Place::Flow)?
                };
                let value = self.compose_flow_value(ends_half)?;
                pairs.push((key, value));
            } else if !self.is_next(ends)? {
                let key = self.compose_node(Place::Flow)?;
                let value = self.add_empty()?;
                pairs.push((key, value));
            }
        }
        self.scanner.take()?;
        Ok(pairs)
    }

    fn take_comma(&mut self, reason: &'static str) -> Result<(), YamlError> {
        let token = self.scanner.take()?;
        if token.lexeme == Lexeme::FlowEntry {
            Ok(())
        } else {
            Err(YamlError::new(reason, token.mark))
        }
    }
}
