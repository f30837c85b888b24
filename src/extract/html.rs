//! Visible text of HTML.
//!
//! In: decoded markup. Out: the text a browser would show: no head, script, style, template,
//! nothing hidden by the `hidden` attribute or by `display: none` / `visibility: hidden` (inline,
//! or through plain tag, class and id selectors of a `<style>` element). White space collapses as
//! in a browser, `pre` keeps it; blocks and `<br>` end a line, table cells end with a tab.

use super::{Deadline, Limits, Unreadable};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, ExpandedName, LocalName, Namespace, QualName, parse_document};
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

/// Markup is fed in pieces of this many bytes, with the limits asked between pieces: the parser
/// itself needs time in proportion to the depth for every tag.
const PIECE_BYTES: usize = 4096;
/// Most nodes of a tree; unclosed formatting tags can make many nodes out of little text.
const MAX_NODES: usize = 4_000_000;

/// The markup as text: by byte-order mark, as UTF-8 when it is UTF-8, by the declared charset,
/// else windows-1252 as browsers do.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, length)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding
            .decode_without_bom_handling(bytes.get(length..).unwrap_or_default())
            .0;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    declared_charset(bytes)
        .unwrap_or(encoding_rs::WINDOWS_1252)
        .decode_without_bom_handling(bytes)
        .0
}

fn declared_charset(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = bytes.get(..bytes.len().min(4096))?.to_ascii_lowercase();
    let at = memchr::memmem::find(&head, b"charset=")? + b"charset=".len();
    let label: Vec<u8> = head
        .get(at..)?
        .iter()
        .copied()
        .skip_while(|byte| matches!(byte, b'"' | b'\'' | b' '))
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':'))
        .collect();
    encoding_rs::Encoding::for_label(&label)
}

/// The visible text of `markup`.
pub(super) fn visible_text(
    markup: &str,
    limits: &Limits,
    deadline: Deadline,
) -> Result<String, Unreadable> {
    let mut parser = parse_document(Tree::default(), html5ever::ParseOpts::default());
    let mut rest = markup;
    while !rest.is_empty() {
        let mut end = rest.len().min(PIECE_BYTES);
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, tail) = rest.split_at(end);
        parser.process(StrTendril::from(piece));
        rest = tail;
        deadline.check()?;
        parser.tokenizer.sink.sink.check(limits)?;
    }
    let nodes = parser.finish();
    let hidden = HiddenSelectors::of(&nodes);
    Renderer {
        nodes: &nodes,
        hidden,
        out: String::new(),
        gap: Gap::None,
        pre: 0,
    }
    .run(limits)
}

/// A node as the parser holds it.
#[derive(Clone)]
struct Handle {
    id: usize,
    name: Rc<QualName>,
}

#[derive(Default)]
struct Node {
    parent: Option<usize>,
    children: Vec<usize>,
    content: Content,
    depth: usize,
}

#[derive(Default)]
enum Content {
    #[default]
    Other,
    Text(String),
    Element {
        name: Option<Rc<QualName>>,
        attributes: Vec<Attribute>,
    },
}

/// The tree under construction; node 0 is the document.
struct Tree {
    nodes: RefCell<Vec<Node>>,
    none: Rc<QualName>,
}

impl Default for Tree {
    fn default() -> Self {
        Self {
            nodes: RefCell::new(vec![Node::default()]),
            none: Rc::new(QualName::new(
                None,
                Namespace::from(""),
                LocalName::from(""),
            )),
        }
    }
}

impl Tree {
    fn check(&self, limits: &Limits) -> Result<(), Unreadable> {
        let nodes = self.nodes.borrow();
        if nodes.len() > MAX_NODES {
            return Err(Unreadable::new(format!(
                "HTML has more than {MAX_NODES} nodes"
            )));
        }
        if nodes
            .iter()
            .rev()
            .take(2 * PIECE_BYTES)
            .any(|node| node.depth > limits.depth)
        {
            return Err(Unreadable::new(format!(
                "HTML is nested deeper than {} elements",
                limits.depth
            )));
        }
        Ok(())
    }

    fn add(&self, content: Content, name: Rc<QualName>) -> Handle {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Node {
            content,
            ..Node::default()
        });
        Handle {
            id: nodes.len() - 1,
            name,
        }
    }

    /// Puts `child` at `index` among the children of `parent` (at the end for `None`), joining
    /// neighbouring texts.
    fn insert(&self, parent: usize, index: Option<usize>, child: NodeOrText<Handle>) {
        let id = match child {
            NodeOrText::AppendNode(handle) => {
                self.detach(handle.id);
                handle.id
            }
            NodeOrText::AppendText(text) => {
                let mut nodes = self.nodes.borrow_mut();
                let before = nodes.get(parent).and_then(|node| match index {
                    Some(index) => index
                        .checked_sub(1)
                        .and_then(|index| node.children.get(index)),
                    None => node.children.last(),
                });
                if let Some(&before) = before
                    && let Some(Node {
                        content: Content::Text(previous),
                        ..
                    }) = nodes.get_mut(before)
                {
                    previous.push_str(&text);
                    return;
                }
                nodes.push(Node {
                    content: Content::Text(text.to_string()),
                    ..Node::default()
                });
                nodes.len() - 1
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        let mut depth = 0;
        if let Some(node) = nodes.get_mut(parent) {
            depth = node.depth + 1;
            match index {
                Some(index) if index <= node.children.len() => node.children.insert(index, id),
                Some(_) | None => node.children.push(id),
            }
        }
        if let Some(node) = nodes.get_mut(id) {
            node.parent = Some(parent);
            node.depth = depth;
        }
    }

    fn detach(&self, id: usize) {
        let mut nodes = self.nodes.borrow_mut();
        let Some(parent) = nodes.get_mut(id).and_then(|node| node.parent.take()) else {
            return;
        };
        if let Some(node) = nodes.get_mut(parent)
            && let Some(at) = node.children.iter().rposition(|&child| child == id)
        {
            node.children.remove(at);
        }
    }
}

impl TreeSink for Tree {
    type Handle = Handle;
    type Output = Vec<Node>;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Vec<Node> {
        self.nodes.into_inner()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle {
            id: 0,
            name: Rc::clone(&self.none),
        }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        _: ElementFlags,
    ) -> Handle {
        let name = Rc::new(name);
        self.add(
            Content::Element {
                name: Some(Rc::clone(&name)),
                attributes,
            },
            name,
        )
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.add(Content::Other, Rc::clone(&self.none))
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.add(Content::Other, Rc::clone(&self.none))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.id, None, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let has_parent = self
            .nodes
            .borrow()
            .get(element.id)
            .is_some_and(|node| node.parent.is_some());
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    // Template contents are never shown, so they hang under the template itself.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(handle) = &child {
            self.detach(handle.id);
        }
        let place = {
            let nodes = self.nodes.borrow();
            nodes
                .get(sibling.id)
                .and_then(|node| node.parent)
                .and_then(|parent| {
                    let children = &nodes.get(parent)?.children;
                    Some((parent, children.iter().rposition(|&id| id == sibling.id)?))
                })
        };
        if let Some((parent, index)) = place {
            self.insert(parent, Some(index), child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        if let Some(Node {
            content: Content::Element { attributes, .. },
            ..
        }) = self.nodes.borrow_mut().get_mut(target.id)
        {
            for attribute in more {
                if !attributes.iter().any(|known| known.name == attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut nodes = self.nodes.borrow_mut();
        let moved = nodes
            .get_mut(node.id)
            .map(|node| std::mem::take(&mut node.children))
            .unwrap_or_default();
        for &child in &moved {
            if let Some(node) = nodes.get_mut(child) {
                node.parent = Some(new_parent.id);
            }
        }
        if let Some(parent) = nodes.get_mut(new_parent.id) {
            parent.children.extend(moved);
        }
    }
}

/// One plain selector of a rule that hides: all its parts must fit.
struct Selector {
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

/// The selectors of style sheets that hide what they select.
struct HiddenSelectors(Vec<Selector>);

impl HiddenSelectors {
    fn of(nodes: &[Node]) -> Self {
        let mut sheets = String::new();
        for node in nodes {
            if let Content::Element {
                name: Some(name), ..
            } = &node.content
                && &*name.local == "style"
            {
                for child in &node.children {
                    if let Some(Node {
                        content: Content::Text(text),
                        ..
                    }) = nodes.get(*child)
                    {
                        sheets.push_str(text);
                        sheets.push('\n');
                    }
                }
            }
        }
        Self(hiding_selectors(&sheets))
    }

    fn hides(&self, tag: &str, attributes: &[Attribute]) -> bool {
        let id = attribute(attributes, "id");
        let classes = attribute(attributes, "class").unwrap_or_default();
        self.0.iter().any(|selector| {
            selector.tag.as_deref().is_none_or(|wanted| wanted == tag)
                && selector
                    .id
                    .as_deref()
                    .is_none_or(|wanted| id == Some(wanted))
                && selector.classes.iter().all(|wanted| {
                    classes
                        .split_ascii_whitespace()
                        .any(|class| class == wanted)
                })
        })
    }
}

/// Plain selectors of top-level rules; at-rules (print, narrow screens) do not apply to reading.
fn hiding_selectors(sheet: &str) -> Vec<Selector> {
    let mut bare = String::new();
    let mut rest = sheet;
    while let Some((before, after)) = rest.split_once("/*") {
        bare.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    bare.push_str(rest);
    let mut out = Vec::new();
    let mut rest = bare.as_str();
    while let Some((prelude, after)) = rest.split_once('{') {
        let prelude = prelude.trim();
        if prelude.starts_with('@') {
            let mut depth = 1_usize;
            let end = after.char_indices().find_map(|(at, character)| {
                match character {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                (depth == 0).then_some(at + 1)
            });
            rest = end.and_then(|end| after.get(end..)).unwrap_or_default();
            continue;
        }
        let (body, after) = after.split_once('}').unwrap_or((after, ""));
        rest = after;
        if declares_hidden(body) {
            out.extend(
                prelude
                    .split(',')
                    .filter_map(|text| parse_selector(text.trim())),
            );
        }
    }
    out
}

fn parse_selector(text: &str) -> Option<Selector> {
    if text.is_empty()
        || !text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '#' | '-' | '_'))
    {
        return None;
    }
    let mut selector = Selector {
        tag: None,
        id: None,
        classes: Vec::new(),
    };
    let mut kind = ' ';
    let mut part = String::new();
    for character in text.chars().chain(['.']) {
        if matches!(character, '.' | '#') {
            let done = std::mem::take(&mut part);
            match kind {
                ' ' if done.is_empty() => {}
                ' ' => selector.tag = Some(done.to_ascii_lowercase()),
                '#' => selector.id = Some(done),
                _ => selector.classes.push(done),
            }
            kind = character;
        } else {
            part.push(character);
        }
    }
    Some(selector)
}

fn declares_hidden(declarations: &str) -> bool {
    declarations.split(';').any(|declaration| {
        let Some((name, value)) = declaration.split_once(':') else {
            return false;
        };
        let value = value
            .split('!')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        match name.trim().to_ascii_lowercase().as_str() {
            "display" => value == "none",
            "visibility" => value == "hidden" || value == "collapse",
            _ => false,
        }
    })
}

fn attribute<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a str> {
    attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name)
        .map(|attribute| &*attribute.value)
}

/// White space owed before the next text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Tab,
    Line,
}

struct Renderer<'a> {
    nodes: &'a [Node],
    hidden: HiddenSelectors,
    out: String,
    gap: Gap,
    pre: usize,
}

enum Step {
    Enter(usize),
    Leave { gap: Gap, pre: bool },
}

impl Renderer<'_> {
    /// Walks the tree without recursion.
    fn run(mut self, limits: &Limits) -> Result<String, Unreadable> {
        let mut steps = vec![Step::Enter(0)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave { gap, pre } => {
                    self.gap = self.gap.max(gap);
                    self.pre -= usize::from(pre);
                }
                Step::Enter(id) => {
                    let Some(node) = self.nodes.get(id) else {
                        continue;
                    };
                    let mut leave = Step::Leave {
                        gap: Gap::None,
                        pre: false,
                    };
                    match &node.content {
                        Content::Text(text) => self.write(text),
                        Content::Other => {}
                        Content::Element { name, attributes } => {
                            let tag = name.as_ref().map_or("", |name| &*name.local);
                            if is_unseen(tag, attributes) || self.hidden.hides(tag, attributes) {
                                continue;
                            }
                            let gap = gap_of(tag);
                            if gap == Gap::Line {
                                self.gap = Gap::Line;
                            }
                            let pre = matches!(tag, "pre" | "textarea" | "listing");
                            self.pre += usize::from(pre);
                            leave = Step::Leave { gap, pre };
                        }
                    }
                    steps.push(leave);
                    steps.extend(node.children.iter().rev().map(|&child| Step::Enter(child)));
                }
            }
            if self.out.len() > limits.unpacked_bytes {
                return Err(Unreadable::new(format!(
                    "text is longer than the {} bytes that are read",
                    limits.unpacked_bytes
                )));
            }
        }
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        Ok(self.out)
    }

    fn write(&mut self, text: &str) {
        if self.pre > 0 {
            if text.is_empty() {
                return;
            }
            self.pay_gap();
            self.out.push_str(text);
            return;
        }
        for (index, word) in text.split(is_html_space).enumerate() {
            if index > 0 {
                self.gap = self.gap.max(Gap::Space);
            }
            if !word.is_empty() {
                self.pay_gap();
                self.out.push_str(word);
            }
        }
    }

    fn pay_gap(&mut self) {
        let gap = std::mem::replace(&mut self.gap, Gap::None);
        if self.out.is_empty() || self.out.ends_with('\n') {
            return;
        }
        match gap {
            Gap::None => {}
            Gap::Space => self.out.push(' '),
            Gap::Tab => self.out.push('\t'),
            Gap::Line => self.out.push('\n'),
        }
    }
}

fn is_html_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

fn is_unseen(tag: &str, attributes: &[Attribute]) -> bool {
    matches!(
        tag,
        "head"
            | "script"
            | "style"
            | "template"
            | "noscript"
            | "title"
            | "meta"
            | "link"
            | "base"
            | "iframe"
            | "object"
            | "embed"
            | "noembed"
            | "noframes"
            | "audio"
            | "video"
            | "canvas"
            | "datalist"
            | "rp"
            | "rt"
            | "defs"
            | "desc"
            | "metadata"
    ) || attribute(attributes, "hidden").is_some()
        || (tag == "dialog" && attribute(attributes, "open").is_none())
        || attribute(attributes, "style").is_some_and(declares_hidden)
}

/// The white space that ends an element, and begins it when it is a line end.
fn gap_of(tag: &str) -> Gap {
    match tag {
        "td" | "th" => Gap::Tab,
        "address" | "article" | "aside" | "blockquote" | "body" | "br" | "button" | "caption"
        | "center" | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset"
        | "figcaption" | "figure" | "footer" | "form" | "frameset" | "h1" | "h2" | "h3" | "h4"
        | "h5" | "h6" | "header" | "hgroup" | "hr" | "html" | "legend" | "li" | "listing"
        | "main" | "menu" | "nav" | "ol" | "optgroup" | "option" | "p" | "plaintext" | "pre"
        | "search" | "section" | "select" | "summary" | "table" | "tbody" | "textarea"
        | "tfoot" | "thead" | "tr" | "ul" | "xmp" => Gap::Line,
        _ => Gap::None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Extractor, extract};

    fn text(markup: &str) -> String {
        extract("a.html", markup.as_bytes(), Extractor::Pdfium)
            .unwrap()
            .text
    }

    #[test]
    fn shows_what_a_browser_shows() {
        for (markup, want) in [
            (
                "<p>One <b>b</b>old\n word</p><p>Two",
                "One bold word\nTwo\n",
            ),
            (
                "<title>T</title><script>s</script><style>p{}</style><p>x",
                "x\n",
            ),
            ("<p hidden>no<p>yes", "yes\n"),
            (
                "<div style='Display : NONE !important'>no<p>no</div>yes",
                "yes\n",
            ),
            ("a<span style='visibility:hidden'>no</span>b", "ab\n"),
            ("<template>no</template><noscript>no</noscript>yes", "yes\n"),
            ("<table><tr><td>a<td>b<tr><td>c</table>", "a\tb\nc\n"),
            ("a<br>b<hr>c", "a\nb\nc\n"),
            ("<pre>a  b\n c</pre>d  e", "a  b\n c\nd e\n"),
            ("a&nbsp;&amp;&#8220;b", "a\u{a0}&\u{201c}b\n"),
            (
                "<style>/* x */ .x, p.y { color: red; display:none } @media print { .z { display:none } }</style>\
              <p class='a x'>no<p class=y>no<div class=y>yes</div><p class=z>yes",
                "yes\nyes\n",
            ),
            ("<ul><li>a<li>b</ul>", "a\nb\n"),
            ("<select><option>a<option>b</select>", "a\nb\n"),
            ("<table>foster<tr><td>cell</table>", "foster\ncell\n"),
            ("", ""),
        ] {
            assert_eq!(text(markup), want, "{markup}");
        }
    }

    #[test]
    fn declared_charsets_decode() {
        let markup = b"<meta charset='iso-8859-2'><p>\xb3\xf3d\xbc";
        assert_eq!(
            extract("a.htm", markup, Extractor::Pdfium).unwrap().text,
            "łódź\n"
        );
        assert_eq!(
            extract("a.htm", b"<p>caf\xe9", Extractor::Pdfium)
                .unwrap()
                .text,
            "café\n"
        );
    }

    #[test]
    fn deep_nesting_is_named() {
        let markup = "<div>".repeat(200_000) + "x";
        let error = extract("a.html", markup.as_bytes(), Extractor::Pdfium).unwrap_err();
        assert_eq!(error.reason, "HTML is nested deeper than 2000 elements");
    }

    #[test]
    fn multiplying_tags_are_bounded() {
        let many = (0..1500)
            .map(|n| format!("<b id={n}>"))
            .collect::<Vec<_>>()
            .concat();
        let markup = format!("<p>{many}</p>{}", "<p>x</p>".repeat(100_000));
        let error = extract("a.html", markup.as_bytes(), Extractor::Pdfium).unwrap_err();
        assert_eq!(error.reason, "HTML has more than 4000000 nodes");
    }
}
