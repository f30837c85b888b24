"""How many true passages of real documents are found, and how many false ones are accepted.

    documents.py gather FOLDER            install a corpus that others made, by apt and pip
    documents.py sample FOLDER            draw passages with other readers, and falsify them
    documents.py measure FOLDER           what gatewright says of them, by kind of passage

``gather`` needs apt-get, dpkg and pip, and beside pip the packages that build others: setuptools,
wheel, hatchling, hatch-vcs, poetry-core, flit-core, setuptools-scm. ``sample`` needs pdftotext and the packages pypdfium2, pypdf,
pdfminer.six, rapidfuzz, python-docx, docx2python, lxml, markdown-it-py, openpyxl, python-pptx, odfpy,
ebooklib and striprtf; ``measure`` needs gatewright alone. What is gathered is never committed.

A passage has 6 to 40 words, as a person copies them from one of the readers. It is *clean* when its
letters and digits stand in a row in every other reader too. A false passage differs from a true one
by a word, a number, a ``not`` more or less, or two words swapped, and stands in no reader's text.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median

#: Debian packages of which the documentation holds PDF and HTML files.
DEBIAN = [
    "r-doc-pdf",
    "gnuplot-doc",
    "groff",
    "nasm",
    "developers-reference-de",
    "developers-reference-fr",
    "developers-reference",
    "debian-reference-en",
    "debian-policy",
    "aptitude-doc-fr",
    "debian-faq",
    "debian-faq-de",
    "apt-doc",
    "bash-doc",
    "bibtool",
    "postgresql-doc-15",
    "maint-guide",
    "texlive-humanities-doc",
    "texlive-lang-german",
    "texlive-lang-italian",
    "texlive-lang-polish",
    "texlive-lang-spanish",
]
#: Packages of which the source distribution holds test files.
SOURCES = [
    "python-docx",
    "docx2python",
    "docxtpl",
    "mammoth",
    "docxcompose",
    "mail-parser",
    "eml-parser",
    "extract-msg",
    "html2text",
    "trafilatura",
    "readability-lxml",
    "reportlab",
    "weasyprint",
    "tabula-py",
    "pdfquery",
    "pdfminer.six",
    "python-pptx",
    "openpyxl",
    "odfpy",
    "ebooklib",
    "striprtf",
    "pdfplumber",
]
KINDS = {
    "pdf": "pdf", "docx": "docx", "html": "html", "htm": "html", "eml": "eml", "txt": "txt",
    "md": "md", "xlsx": "xlsx", "pptx": "pptx", "odt": "odt", "epub": "epub", "rtf": "rtf",
    "msg": "msg", "csv": "csv",
}  # fmt: skip
LARGEST = 12 << 20
#: Pages of a PDF from which passages are drawn.
PAGES = 8
#: PDF files with more pages are read and timed, and not sampled: other readers take minutes.
MOST_PAGES = 300


# ---- gather


def gather(folder: Path, most_pdf: int, most_other: int) -> None:
    """Installs packages into the folder and keeps their documents by kind."""
    for place in ("deb", "sdist", "unpacked", "files"):
        (folder / place).mkdir(parents=True, exist_ok=True)
    for name in DEBIAN:
        if not list((folder / "deb").glob(f"{name}_*.deb")):
            attempt(["apt-get", "download", "-qq", name], folder / "deb")
    for name in SOURCES:
        stem = name.replace("-", "[-_.]")
        if not list((folder / "sdist").glob(f"{stem}-*")):
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
            # Only the files are wanted: what builds them need not be installed for each anew.
            command += ["--no-build-isolation", "--no-binary", ":all:", name]
            attempt(command, folder / "sdist")
    for package in sorted((folder / "deb").glob("*.deb")):
        attempt(["dpkg", "-x", str(package), str(folder / "unpacked" / package.stem)], folder)
    for package in sorted((folder / "sdist").iterdir()):
        unpack(package, folder / "unpacked" / package.name)
    keep(folder, most_pdf, most_other)


def attempt(command: list[str], cwd: Path) -> None:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        print("took too long:", *command, file=sys.stderr)
        return
    if done.returncode:
        print("failed:", *command, done.stderr[-200:], file=sys.stderr)


def unpack(package: Path, target: Path) -> None:
    if package.suffix == ".zip":
        with zipfile.ZipFile(package) as archive:
            archive.extractall(target)
    elif package.suffixes[-2:] == [".tar", ".gz"]:
        with tarfile.open(package) as archive:
            for member in archive:
                safe = member.isfile() and ".." not in member.name.split("/")
                if safe and not member.name.startswith("/"):
                    archive.extract(member, target, set_attrs=False)


def keep(folder: Path, most_pdf: int, most_other: int) -> None:
    seen: set[str] = set()
    kept: Counter[str] = Counter()
    found = [path for path in (folder / "unpacked").rglob("*") if path.is_file()]
    # By digest, so that no package comes first.
    digests = {}
    for path in found:
        kind = KINDS.get(path.suffix.lower().lstrip("."))
        if path.suffix == ".gz" and path.with_suffix("").suffix == ".pdf":
            path = opened(path)
            kind = "pdf"
        if kind and not path.is_symlink() and 0 < path.stat().st_size <= LARGEST:
            digests[path] = hashlib.sha256(path.read_bytes()).hexdigest()
    for path, digest in sorted(digests.items(), key=lambda item: item[1]):
        kind = KINDS[path.suffix.lower().lstrip(".")]
        most = most_pdf if kind == "pdf" else most_other
        if digest in seen or kept[kind] >= most or is_listing(kind, path):
            continue
        seen.add(digest)
        kept[kind] += 1
        target = folder / "files" / kind
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target / f"{digest[:12]}-{path.name}")
    print(dict(kept))


def opened(packed: Path) -> Path:
    """A packed document, unpacked beside itself."""
    whole = packed.with_suffix("")
    if not whole.exists():
        whole.write_bytes(gzip.decompress(packed.read_bytes()))
    return whole


def is_listing(kind: str, path: Path) -> bool:
    """Files of package tools, which nobody cites."""
    named = {"requires.txt", "sources.txt", "top_level.txt", "entry_points.txt"}
    return kind == "txt" and path.name.lower() in named


# ---- readers: each gives the pages of a document; a format without pages has one


def pdfium(path: Path, wanted: list[int] | None) -> dict[int, str]:
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    pages = range(len(document)) if wanted is None else wanted
    return {page: document[page].get_textpage().get_text_bounded() for page in pages}


def pdftotext(path: Path, wanted: list[int] | None, *options: str) -> dict[int, str]:
    command = ["pdftotext", *options, "-enc", "UTF-8", str(path), "-"]
    done = subprocess.run(command, capture_output=True, timeout=120)
    pages = done.stdout.decode("utf-8", "replace").split("\f")
    return {at: page for at, page in enumerate(pages) if wanted is None or at in wanted}


def pypdf(path: Path, wanted: list[int] | None) -> dict[int, str]:
    from pypdf import PdfReader

    document = PdfReader(path)
    return {page: document.pages[page].extract_text() for page in wanted or []}


def pdfminer(path: Path, wanted: list[int] | None) -> dict[int, str]:
    from pdfminer.high_level import extract_text

    return {page: extract_text(path, page_numbers=[page]) for page in wanted or []}


def docx_python(path: Path) -> str:
    import docx

    document = docx.Document(str(path))
    parts = [paragraph.text for paragraph in document.paragraphs]
    for table in document.tables:
        parts += ["\t".join(cell.text for cell in row.cells) for row in table.rows]
    for section in document.sections:
        for edge in (section.header, section.footer):
            parts += [paragraph.text for paragraph in edge.paragraphs]
    comments = zipped(path, "word/comments.xml")
    return "\n".join([*parts, *paragraphs(comments)])


def zipped(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name) if name in archive.namelist() else b""


def paragraphs(part: bytes) -> list[str]:
    from lxml import etree

    if not part:
        return []
    space = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
    out = []
    for paragraph in etree.fromstring(part).iter(f"{space}p"):
        pieces = []
        for item in paragraph.iter(
            f"{space}t", f"{space}tab", f"{space}br", f"{space}noBreakHyphen"
        ):
            named = item.tag.removeprefix(space)
            pieces.append({"t": item.text or "", "noBreakHyphen": "-"}.get(named, " "))
        out.append("".join(pieces))
    return out


def docx_parts(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if re.fullmatch(r"word/\w+\.xml", name)]
        wanted = r"word/(document|header\d*|footer\d*|comments|footnotes|endnotes)\.xml"
        parts = [archive.read(name) for name in names if re.fullmatch(wanted, name)]
    return "\n".join(line for part in parts for line in paragraphs(part))


def docx_docx2python(path: Path) -> str:
    from docx2python import docx2python

    with docx2python(path) as document:
        comments = "\n".join(paragraphs(zipped(path, "word/comments.xml")))
        return re.sub(r"----(foot|end)note\d+----|<[^>]{1,80}>", "", document.text) + comments


BLOCKS = {
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "body",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
    "title",
    "caption",
    "legend",
    "textarea",
    "button",
    "select",
}


def html_lxml(content: bytes) -> str:
    from lxml import html

    try:
        content.decode()
        parser = html.HTMLParser(encoding="utf-8")
    except UnicodeDecodeError:
        parser = html.HTMLParser()
    root = html.fromstring(content, parser=parser)
    for dropped in root.xpath("//script|//style|//head|//template|//noscript|//comment()"):
        if dropped.getparent() is not None:
            dropped.drop_tree()
    out: list[str] = []

    def walk(element) -> None:
        is_block = element.tag in BLOCKS
        out.append("\n" if is_block else "")
        out.append(element.text or "")
        for child in element:
            walk(child)
            out.append(child.tail or "")
        out.append("\n" if is_block else "")

    walk(root)
    # A page shows one space for many, and ends lines only where elements do.
    return "".join(out) if root.xpath("//pre") else re.sub(r"[ \t\r\f]+", " ", "".join(out))


def html_w3m(content: bytes) -> str:
    if not shutil.which("w3m"):
        return ""
    command = ["w3m", "-dump", "-T", "text/html", "-cols", "80", "-I", "utf-8", "-O", "utf-8"]
    return subprocess.run(command, input=content, capture_output=True).stdout.decode(
        "utf-8", "replace"
    )


def html_parser(content: bytes) -> str:
    from html.parser import HTMLParser

    class Shown(HTMLParser):
        def __init__(self) -> None:
            super().__init__(convert_charrefs=True)
            self.out: list[str] = []
            self.dropped = 0

        def handle_starttag(self, tag, attrs) -> None:
            self.dropped += tag in ("script", "style", "title", "template", "noscript")
            self.out.append("\n" if tag in BLOCKS else "")

        def handle_endtag(self, tag) -> None:
            self.dropped -= tag in ("script", "style", "title", "template", "noscript")
            self.out.append("\n" if tag in BLOCKS else "")

        def handle_data(self, data) -> None:
            if self.dropped <= 0:
                self.out.append(data)

    shown = Shown()
    shown.feed(content.decode("utf-8", "replace"))
    return "".join(shown.out)


def mail(path: Path) -> str:
    import email
    from email import policy

    with path.open("rb") as file:
        message = email.message_from_binary_file(file, policy=policy.default)
    parts = [str(message.get(name, "")) for name in ("subject",)]
    for part in message.walk():
        if part.get_content_type() == "text/plain" and not part.is_attachment():
            parts.append(part.get_content())
        elif part.get_content_type() == "text/html" and not part.is_attachment():
            parts.append(html_lxml(part.get_content().encode()))
    return "\n".join(parts)


def decoded(path: Path) -> str:
    content = path.read_bytes()
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return ""


def markdown(path: Path) -> str:
    from markdown_it import MarkdownIt

    return html_lxml(MarkdownIt("gfm-like", {"linkify": False}).render(decoded(path)).encode())


def xlsx(path: Path) -> str:
    from openpyxl import load_workbook

    book = load_workbook(path, data_only=True, read_only=True)
    rows = []
    for sheet in book.worksheets:
        for row in sheet.iter_rows(values_only=True):
            # Numbers and dates have many spellings.
            rows.append("\t".join(cell for cell in row if isinstance(cell, str)))
    return "\n".join(rows)


def pptx(path: Path) -> str:
    from pptx import Presentation

    out = []
    for slide in Presentation(str(path)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                out += [paragraph.text for paragraph in shape.text_frame.paragraphs]
            if getattr(shape, "has_table", False) and shape.has_table:
                out += ["\t".join(cell.text for cell in row.cells) for row in shape.table.rows]
    return "\n".join(out)


def odt(path: Path) -> str:
    from odf import teletype, text
    from odf.opendocument import load

    document = load(str(path))
    found = document.getElementsByType(text.H) + document.getElementsByType(text.P)
    return "\n".join(teletype.extractText(item) for item in found)


def epub(path: Path) -> str:
    import ebooklib
    from ebooklib import epub as books

    book = books.read_epub(str(path), {"ignore_ncx": True})
    pages = book.get_items_of_type(ebooklib.ITEM_DOCUMENT)
    return "\n".join(html_lxml(page.get_content()) for page in pages)


def rtf(path: Path) -> str:
    from striprtf.striprtf import rtf_to_text

    return rtf_to_text(path.read_text("latin-1"), errors="ignore")


FLOWING: dict[str, dict[str, Callable[[Path], str]]] = {
    "docx": {"python-docx": docx_python, "docx2python": docx_docx2python, "parts": docx_parts},
    "html": {
        "lxml": lambda path: html_lxml(path.read_bytes()),
        "w3m": lambda path: html_w3m(path.read_bytes()),
        "html.parser": lambda path: html_parser(path.read_bytes()),
    },
    "eml": {"email": mail},
    "txt": {"decoded": decoded},
    "md": {"markdown-it": markdown},
    "csv": {"decoded": decoded},
    "xlsx": {"openpyxl": xlsx},
    "pptx": {"python-pptx": pptx},
    "odt": {"odfpy": odt},
    "epub": {"ebooklib": epub},
    "rtf": {"striprtf": rtf},
}


# ---- sample


def squeezed(text: str) -> str:
    """Letters and digits in a row, ligatures written out."""
    import unicodedata

    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


def sample(folder: Path, per_document: int, seed: int, most: int | None) -> None:
    """Draws passages from every document and writes ``sample.json``."""
    out = []
    for path in sorted((folder / "files").glob("*/*"))[:most]:
        kind = path.parent.name
        # One generator for each document: the others draw alike when one is put in or left out.
        dice = random.Random(f"{seed}/{path.name}")
        try:
            drawn = (
                of_pdf(path, per_document, dice)
                if kind == "pdf"
                else of_flow(path, kind, per_document, dice)
            )
        except Exception as error:  # a reader's own faults say nothing about ours
            print(f"{path.name}: {type(error).__name__}: {error}", file=sys.stderr)
            drawn = []
        out += [{"file": f"{kind}/{path.name}", "kind": kind, **passage} for passage in drawn]
    (folder / "sample.json").write_text(json.dumps(out, ensure_ascii=False), encoding="utf-8")
    true = [passage for passage in out if passage["is_true"]]
    print(
        len(true), "true", sum(p["is_clean"] for p in true), "clean", len(out) - len(true), "false"
    )


def of_pdf(path: Path, count: int, dice: random.Random) -> list[dict]:
    whole = {"pdfium": pdfium(path, None), "pdftotext": pdftotext(path, None)}
    page_count = len(whole["pdfium"])
    if page_count > MOST_PAGES:
        return []
    starts = list(range(page_count))
    dice.shuffle(starts)
    wanted = sorted({page for start in starts[: PAGES // 2] for page in (start, start + 1)})
    wanted = [page for page in wanted if page < page_count]
    readers = {
        "pdfium": {page: whole["pdfium"].get(page, "") for page in wanted},
        "pdftotext": {page: whole["pdftotext"].get(page, "") for page in wanted},
        "pypdf": pypdf(path, wanted),
        "pdfminer": pdfminer(path, wanted),
    }
    layout = pdftotext(path, wanted, "-layout")
    columns = {page for page, text in layout.items() if has_columns(text)}
    heads = repeated(whole["pdftotext"])
    everything = [squeezed("".join(pages.values())) for pages in whole.values()]
    everything += [squeezed("".join(pages.values())) for pages in readers.values()]
    words = [word for text in readers["pdfium"].values() for word in text.split()]
    out = []
    for turn in range(count):
        reader = list(readers)[turn % len(readers)]
        page = dice.choice(wanted)
        kinds = ["line", "line end", "divided word", "page end"]
        kind = kinds[turn // len(readers) % len(kinds)]
        drawn = (
            over_page(readers[reader], page, heads, dice)
            if kind == "page end"
            else within(readers[reader].get(page, ""), kind, dice)
        )
        if drawn is None:
            continue
        quote, halves = drawn
        others = [pages for name, pages in readers.items() if name != reader]
        is_clean = all(
            all(
                squeezed(half) in squeezed(pages.get(page + at, ""))
                for at, half in enumerate(halves)
            )
            for pages in others
        )
        if page in columns and kind != "page end":
            kind = "two columns"
        near = "\n".join(whole["pdftotext"].get(at, "") for at in (page - 1, page, page + 1))
        true = {"passage": kind, "quote": quote, "is_true": True, "is_clean": is_clean}
        out.append({**true, "page": page + 1, "reader": reader, **baselines(quote, near)})
        out += falsified(quote, kind, words, everything, near, dice)
    return out


def of_flow(path: Path, kind: str, count: int, dice: random.Random) -> list[dict]:
    if kind not in FLOWING:
        return []
    readers = {}
    for name, reader in FLOWING[kind].items():
        try:
            text = reader(path)
        except Exception as error:  # the others go on
            print(f"{path.name}: {name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        if text.strip():
            readers[name] = text
    everything = [squeezed(text) for text in readers.values()]
    out = []
    for turn in range(count if readers else 0):
        name = list(readers)[turn % len(readers)]
        passage = ["line", "line end"][turn // len(readers) % 2]
        drawn = within(readers[name], passage, dice)
        if drawn is None:
            continue
        quote, _ = drawn
        is_clean = all(squeezed(quote) in text for text in everything)
        true = {"passage": passage, "quote": quote, "is_true": True, "is_clean": is_clean}
        near = readers[name] if len(readers[name]) < 200_000 else ""
        out.append({**true, "reader": name, **baselines(quote, near)})
        out += falsified(quote, passage, readers[name].split(), everything, near, dice)
    return out


def has_columns(layout: str) -> bool:
    lines = [line for line in layout.splitlines() if len(line.split()) > 3]
    wide = [line for line in lines if re.search(r"\S.{18,}\S {3,}\S.{18,}", line)]
    return len(lines) > 10 and 2 * len(wide) > len(lines)


def plainly(line: str) -> str:
    return re.sub(r"\d+|\b[ivxlc]+\b", "#", " ".join(line.split()))


def repeated(pages: dict[int, str]) -> set[str]:
    """Heads and feet: lines at an edge of a page that come again on others, numbers aside."""
    seen: Counter[str] = Counter()
    for text in pages.values():
        lines = [plainly(line) for line in text.splitlines() if line.strip()]
        seen.update(set(lines[:3] + lines[-3:]))
    return {line for line, count in seen.items() if count > 1}


def pieces(text: str, is_divided: bool) -> str:
    """The text as a person pastes it: one space for each line end, divided words joined."""
    if is_divided:
        text = re.sub(r"(?<=[a-zà-ÿ])[-\u00ad\u0002\ufffe]\s*\n\s*(?=[a-zà-ÿ])", "", text)
    return " ".join(text.replace("\u00ad", "").split())


def is_words(quote: str) -> bool:
    """Words for the most part: not music, formulas, or the lines that w3m draws around a table."""
    letters = sum(map(str.isalnum, quote))
    drawn = re.search("[\u2022\u2500-\u25ff\u2501]|\\[\\*\\]|[\\x03-\\x08\\x0e-\\x1f]", quote)
    return letters >= 20 and 2 * letters > len(quote) and not drawn


def within(text: str, kind: str, dice: random.Random) -> tuple[str, list[str]] | None:
    lines = [line for line in text.splitlines() if line.strip()]
    for _ in range(20):
        if not lines:
            return None
        at = dice.randrange(len(lines))
        words = lines[at].split()
        if kind == "line":
            if len(words) < 6:
                continue
            first = dice.randrange(len(words) - 5)
            quote = " ".join(words[first : first + dice.randint(6, 40)])
            if is_words(quote):
                return quote, [quote]
            continue
        divides = words[-1].endswith(("-", "\u00ad")) and words[-1][:-1].isalpha()
        behind = lines[at + 1 : at + 4]
        if not behind or (kind == "divided word") != divides or len(words) < 3:
            continue
        begin = dice.randrange(max(1, len(words) - 4))
        block = " ".join(words[begin:]) + "\n" + "\n".join(behind)
        quote = pieces(block, True)
        ends_early = quote.split()[: dice.randint(8, 40)]
        if len(ends_early) < 6 or len(ends_early) <= len(words) - begin:
            continue
        quote = " ".join(ends_early)
        if not is_words(quote) or (kind != "divided word" and re.search(r"\w-\s", quote)):
            continue
        return quote, [quote]
    return None


def over_page(
    pages: dict[int, str], page: int, heads: set[str], dice: random.Random
) -> tuple[str, list[str]] | None:
    def body(text: str) -> list[str]:
        lines = [line for line in text.splitlines() if line.strip()]
        while lines and (plainly(lines[0]) in heads or len(plainly(lines[0])) < 4):
            lines = lines[1:]
        while lines and (plainly(lines[-1]) in heads or len(plainly(lines[-1])) < 4):
            lines = lines[:-1]
        return lines

    before, behind = body(pages.get(page, "")), body(pages.get(page + 1, ""))
    if len(before) < 8 or len(behind) < 3:
        return None
    last, first = before[-1].split(), behind[0].split()
    # A sentence that runs on, not a figure, a note or a heading.
    runs_on = re.search(r"[a-zà-ÿ,]$", before[-1].strip()) and re.match(r"[a-zà-ÿ]", first[0])
    if not runs_on or len(last) < 4 or len(first) < 4 or re.match(r"[\d*†(\[]", last[0]):
        return None
    left = last[-dice.randint(3, 12) :]
    right = first[: dice.randint(3, 12)]
    return " ".join(left + right), [" ".join(left), " ".join(right)]


NOT = {"not", "nicht", "pas", "non", "no", "nie", "kein", "keine"}


def falsified(
    quote: str,
    kind: str,
    others: list[str],
    everything: list[str],
    near: str,
    dice: random.Random,
) -> list[dict]:
    words = quote.split()
    out = []

    def word(forms: list[str]) -> list[str]:
        at = dice.randrange(1, len(words) - 1)
        return [*forms[:at], dice.choice(others), *forms[at + 1 :]]

    def dropped(forms: list[str]) -> list[str]:
        at = dice.randrange(1, len(words) - 1)
        return [*forms[:at], *forms[at + 1 :]]

    def negation(forms: list[str]) -> list[str]:
        places = [at for at, form in enumerate(forms) if form.lower() in NOT]
        if places:
            return [*forms[: places[0]], *forms[places[0] + 1 :]]
        at = dice.randrange(1, len(words))
        return [*forms[:at], "not", *forms[at:]]

    def number(forms: list[str]) -> list[str]:
        places = [at for at, form in enumerate(forms) if re.search(r"\d", form)]
        if not places:
            return forms
        at = dice.choice(places)
        digits = [m.start() for m in re.finditer(r"[0-9]", forms[at])]
        if not digits:
            return forms
        spot = dice.choice(digits)
        other = str((int(forms[at][spot]) + dice.randint(1, 9)) % 10)
        return [*forms[:at], forms[at][:spot] + other + forms[at][spot + 1 :], *forms[at + 1 :]]

    def swapped(forms: list[str]) -> list[str]:
        at = dice.randrange(len(words) - 1)
        return [*forms[:at], forms[at + 1], forms[at], *forms[at + 2 :]]

    for change in (word, dropped, negation, number, swapped):
        text = " ".join(change(words))
        letters = squeezed(text)
        if letters == squeezed(quote) or any(letters in have for have in everything):
            continue
        false = {"passage": kind, "quote": text, "is_true": False, "is_clean": False}
        out.append({**false, "change": change.__name__, "from": quote, **baselines(text, near)})
    return out


def baselines(quote: str, text: str) -> dict[str, bool]:
    from rapidfuzz.fuzz import partial_ratio

    text = " ".join(text.split())
    return {
        "by_search": quote in text,
        "by_ratio": bool(text) and partial_ratio(quote, text, score_cutoff=95) >= 95,
    }


# ---- measure


def measure(folder: Path, only: str | None, misses: Path | None) -> int:
    """Prints the table; the exit status is 1 when a false passage was accepted."""
    import gatewright

    passages = json.loads((folder / "sample.json").read_text(encoding="utf-8"))
    by_file = defaultdict(list)
    for passage in passages:
        if only is None or passage["kind"] == only:
            by_file[passage["file"]].append(passage)
    files = [
        f"{path.parent.name}/{path.name}"
        for path in sorted((folder / "files").glob("*/*"))
        if only in (None, path.parent.name)
    ]
    times: dict[str, list[tuple[float, str]]] = defaultdict(list)
    refused: Counter[tuple[str, str]] = Counter()
    peak = 0
    told = []
    for name in files:
        kind = name.split("/")[0]
        begin = time.perf_counter()
        try:
            document = gatewright.read(folder / "files" / name)
        except gatewright.GatewrightError as error:
            refused[kind, error.message] += 1
            told += [{**passage, "is_refused": True} for passage in by_file[name]]
            continue
        finally:
            times[kind].append((time.perf_counter() - begin, name))
            peak = max(peak, peak_kib())
        found = gatewright.ground([passage["quote"] for passage in by_file[name]], document)
        for passage, match in zip(by_file[name], found):
            is_found = match.is_accepted
            told.append(
                {**passage, "is_found": is_found, "flags": match.flags, "why": match.difference}
            )
    print_table(told)
    for kind, taken in sorted(times.items()):
        seconds = [second for second, _ in taken]
        slowest = max(taken)
        line = f"{kind:5} {len(taken):4} documents, median {median(seconds):.3f} s"
        print(f"{line}, worst {slowest[0]:.2f} s ({slowest[1]})")
    print(f"peak memory of a process: {peak / 1024:.0f} MB")
    for (kind, reason), count in sorted(refused.items()):
        print(f"refused {kind} x {count}: {reason}")
    accepted = [passage for passage in told if passage.get("is_found") and not passage["is_true"]]
    for passage in accepted:
        print("FALSE ACCEPTED", json.dumps(passage, ensure_ascii=False))
    if misses:
        missed = [p for p in told if p["is_true"] and p["is_clean"] and not p.get("is_found")]
        lines = [json.dumps(passage, ensure_ascii=False) for passage in missed]
        misses.write_text("\n".join(lines), encoding="utf-8")
    return 1 if accepted else 0


def peak_kib() -> int:
    """Most memory of this process or one of its children so far, where the system tells."""
    most = 0
    own = Path("/proc/self")
    if not own.exists():
        return 0
    pid = own.resolve().name
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(
                line.split(":", 1) for line in status.read_text().splitlines() if ":" in line
            )
        except OSError:
            continue
        if pid in (status.parent.name, fields.get("PPid", "").strip()):
            most = max(most, int(fields.get("VmHWM", "0 kB").split()[0]))
    return most


def print_table(told: list[dict]) -> None:
    groups = defaultdict(list)
    for passage in told:
        groups[passage["kind"], passage["passage"]].append(passage)
        groups[passage["kind"], "all"].append(passage)
    print(
        "                       clean             search  ratio |   all          | false  search  ratio"
    )
    for (kind, name), group in sorted(groups.items()):
        true = [passage for passage in group if passage["is_true"]]
        clean = [passage for passage in true if passage["is_clean"]]
        false = [passage for passage in group if not passage["is_true"]]

        def share(passages: list[dict], key: str) -> str:
            return f"{100 * sum(bool(p.get(key)) for p in passages) / max(1, len(passages)):5.1f} %"

        def count(passages: list[dict], key: str) -> int:
            return sum(bool(passage.get(key)) for passage in passages)

        print(
            f"{kind:5} {name:13} {len(clean):5} {share(clean, 'is_found')} "
            f"{share(clean, 'by_search')} {share(clean, 'by_ratio')} | "
            f"{len(true):5} {share(true, 'is_found')} | {len(false):6} {count(false, 'is_found'):3} "
            f"{count(false, 'by_search'):5} {count(false, 'by_ratio'):5}"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("step", choices=["gather", "sample", "measure"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pdf", type=int, default=120, help="most PDF files (gather)")
    parser.add_argument("--other", type=int, default=40, help="most files of another kind (gather)")
    parser.add_argument("--per-document", type=int, default=24, help="passages drawn (sample)")
    parser.add_argument("--seed", type=int, default=1, help="of the drawing (sample)")
    parser.add_argument("--most", type=int, help="first documents alone (sample)")
    parser.add_argument("--only", help="one kind of document (measure)")
    parser.add_argument("--misses", type=Path, help="file for missed clean passages (measure)")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    if arguments.step == "gather":
        gather(folder, arguments.pdf, arguments.other)
    elif arguments.step == "sample":
        sample(folder, arguments.per_document, arguments.seed, arguments.most)
    else:
        return measure(folder, arguments.only, arguments.misses)
    return 0


if __name__ == "__main__":
    sys.exit(main())
