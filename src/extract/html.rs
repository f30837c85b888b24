//! Visible text of HTML.
//!
//! In: decoded markup. Out: the text a browser would show: no head, script, style, template,
//! nothing hidden by the `hidden` attribute or by a style (`css`). Struck text is told apart, raised
//! digits become superscripts. White space collapses as in a browser, `pre` keeps it; blocks and
//! `<br>` end a line, table cells end with a tab.

use super::{Deadline, ExtractedText, Limits, Unreadable, css};
use crate::position::Span;
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

/// The text of a page; one that shows none is not read, since a script may write it.
pub(super) fn page(
    bytes: &[u8],
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
    let read = read(&decode(bytes), limits, deadline)?;
    if read.text.chars().all(char::is_whitespace) {
        return Err(Unreadable::new(
            "the page shows no text (a script may write it; save the page as it is shown)",
        ));
    }
    Ok(read)
}

/// The visible text of `markup`.
pub(super) fn visible_text(
    markup: &str,
    limits: &Limits,
    deadline: Deadline,
) -> Result<String, Unreadable> {
    read(markup, limits, deadline).map(|read| read.text)
}

/// The visible text of `markup`, which may be empty, and what of it is struck out.
pub(super) fn read(
    markup: &str,
    limits: &Limits,
    deadline: Deadline,
) -> Result<ExtractedText, Unreadable> {
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
    Renderer {
        nodes: &nodes,
        rules: css::Rules::parse(&style_sheets(&nodes)),
        open: Vec::new(),
        out: String::new(),
        gap: Gap::None,
        pre: 0,
        raised: 0,
        struck: 0,
        struck_spans: Vec::new(),
    }
    .run(limits, deadline)
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

/// The text of all `<style>` elements.
fn style_sheets(nodes: &[Node]) -> String {
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
    sheets
}

impl css::Element for &Node {
    fn tag(&self) -> &str {
        match &self.content {
            Content::Element {
                name: Some(name), ..
            } => &name.local,
            Content::Element { name: None, .. } | Content::Text(_) | Content::Other => "",
        }
    }

    fn attribute(&self, name: &str) -> Option<&str> {
        match &self.content {
            Content::Element { attributes, .. } => attribute(attributes, name),
            Content::Text(_) | Content::Other => None,
        }
    }
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
    rules: css::Rules,
    /// The elements that are open, from the outermost.
    open: Vec<&'a Node>,
    out: String,
    gap: Gap,
    pre: usize,
    raised: usize,
    struck: usize,
    struck_spans: Vec<Span>,
}

enum Step {
    Enter(usize),
    Leave {
        gap: Gap,
        pre: bool,
        raised: bool,
        struck: bool,
    },
}

impl<'a> Renderer<'a> {
    /// Walks the tree without recursion.
    fn run(mut self, limits: &Limits, deadline: Deadline) -> Result<ExtractedText, Unreadable> {
        let mut steps = vec![Step::Enter(0)];
        let mut count = 0_u64;
        while let Some(step) = steps.pop() {
            count += 1;
            if count.is_multiple_of(4096) {
                deadline.check()?;
            }
            match step {
                Step::Leave {
                    gap,
                    pre,
                    raised,
                    struck,
                } => {
                    self.open.pop();
                    self.gap = self.gap.max(gap);
                    self.pre -= usize::from(pre);
                    self.raised -= usize::from(raised);
                    if struck {
                        self.struck -= 1;
                        // What is struck never runs together with what stands in its place.
                        self.gap = self.gap.max(Gap::Space);
                    }
                }
                Step::Enter(id) => {
                    let Some(node) = self.nodes.get(id) else {
                        continue;
                    };
                    let mut leave = Step::Leave {
                        gap: Gap::None,
                        pre: false,
                        raised: false,
                        struck: false,
                    };
                    self.open.push(node);
                    match &node.content {
                        Content::Text(text) => self.write(text),
                        Content::Other => {}
                        Content::Element { name, attributes } => {
                            let tag = name.as_ref().map_or("", |name| &*name.local);
                            if is_unseen(tag, attributes) || self.is_hidden(attributes) {
                                self.open.pop();
                                continue;
                            }
                            let gap = gap_of(tag);
                            if gap == Gap::Line {
                                self.gap = Gap::Line;
                            }
                            let pre = matches!(tag, "pre" | "textarea" | "listing");
                            self.pre += usize::from(pre);
                            let raised = tag == "sup";
                            self.raised += usize::from(raised);
                            let struck = matches!(tag, "del" | "s" | "strike");
                            if struck {
                                self.struck += 1;
                                self.gap = self.gap.max(Gap::Space);
                            }
                            leave = Step::Leave {
                                gap,
                                pre,
                                raised,
                                struck,
                            };
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
        Ok(ExtractedText {
            struck: self.struck_spans,
            ..ExtractedText::flowing("html", self.out)
        })
    }

    /// Whether the innermost open element is hidden.
    fn is_hidden(&self, attributes: &[Attribute]) -> bool {
        let own = attribute(attributes, "style").map_or([None; 5], css::declarations);
        let line: Vec<&'a Node> = self.open.iter().rev().copied().collect();
        self.rules.hides(&line, own)
    }

    fn push(&mut self, text: &str) {
        self.pay_gap();
        let byte_start = self.out.len();
        if self.raised > 0 {
            self.out.extend(text.chars().map(super::raised));
        } else {
            self.out.push_str(text);
        }
        if self.struck > 0 {
            self.struck_spans.push(Span {
                byte_start,
                byte_end: self.out.len(),
            });
        }
    }

    fn write(&mut self, text: &str) {
        if self.pre > 0 {
            if text.is_empty() {
                return;
            }
            self.push(text);
            return;
        }
        for (index, word) in text.split(is_html_space).enumerate() {
            if index > 0 {
                self.gap = self.gap.max(Gap::Space);
            }
            if !word.is_empty() {
                self.push(word);
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
    ) || (tag == "dialog" && attribute(attributes, "open").is_none())
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
            (
                "<style>.tab{display:none} .tab.active{display:block} @media print{p{display:none}}</style><p class='tab active'>yes<p class=tab>no",
                "yes\n",
            ),
            (
                "<style>.x .y, #a>b{display:none}</style><div class=x><i><u class=y>no</u></i></div><p id=a><b>no</b><i><b>yes</b></i>",
                "yes\n",
            ),
            (
                "<p style='position:absolute;left:-9999px'>no<p style='font-size:0'>no<p style='opacity:0'>no<p style='opacity:.5'>yes",
                "yes\n",
            ),
            ("10<sup>2</sup> and 10<sup>th</sup>", "10² and 10th\n"),
            ("is <del>5</del><ins>6</ins> %", "is 5 6 %\n"),
        ] {
            assert_eq!(text(markup), want, "{markup}");
        }
    }

    #[test]
    fn a_page_without_text_is_unreadable() {
        for markup in ["", "<div id=app></div><script>write()</script>"] {
            let error = extract("a.html", markup.as_bytes(), Extractor::Pdfium).unwrap_err();
            assert!(
                error.reason.starts_with("the page shows no text"),
                "{error}"
            );
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
