"""Small documents of every format that is read, built from their text.

In: the text. Out: the bytes of a file that other programs open as well.
"""

from __future__ import annotations

import io
import zipfile
import zlib

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def docx(body: str) -> bytes:
    """A Word document with this markup as its body."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "word/document.xml",
            f"<w:document xmlns:w='{WORD}'><w:body>{body}</w:body></w:document>",
        )
    return out.getvalue()


def shown(x: int, y: int, text: str) -> str:
    """One line of text at a place of a PDF page; code 1 is the fi ligature."""
    return f"BT /F1 10 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n"


def pdf(pages: list[str]) -> bytes:
    """A PDF whose pages have these contents."""
    kids = " ".join(f"{4 + 2 * page} 0 R" for page in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} /MediaBox [0 0 612 792] "
        "/Resources << /Font << /F1 3 0 R >> >> >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding "
        b"<< /BaseEncoding /WinAnsiEncoding /Differences [1 /fi] >> >>",
    ]
    for number, content in enumerate(pages):
        packed = zlib.compress(content.encode("latin-1"))
        objects.append(f"<< /Type /Page /Parent 2 0 R /Contents {5 + 2 * number} 0 R >>".encode())
        objects.append(
            f"<< /Filter /FlateDecode /Length {len(packed)} >>\nstream\n".encode()
            + packed
            + b"\nendstream"
        )
    out = b"%PDF-1.5\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n"
    return out + (head + table + trailer).encode()


EML = (
    b"From: tenant@example.org\r\nTo: landlord@example.org\r\nSubject: Notice\r\n"
    b"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Transfer-Encoding: quoted-printable\r\n\r\n"
    b"We give notice =E2=80=93 effective on the last day of =\r\nthe month.\r\n"
)


def packed(parts: dict[str, str | bytes]) -> bytes:
    """An archive of these parts, the first one stored as it is, as OpenDocument and EPUB want."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, part) in enumerate(parts.items()):
            archive.writestr(name, part, None if number else zipfile.ZIP_STORED)
    return out.getvalue()


PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _types(overrides: dict[str, str]) -> str:
    rows = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in overrides.items()
    )
    return (
        f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{rows}</Types>'
    )


def _relations(rows: dict[str, tuple[str, str]]) -> str:
    items = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for name, (kind, target) in rows.items()
    )
    return f'<Relationships xmlns="{PACKAGE}/relationships">{items}</Relationships>'


def xlsx(rows: list[list[str | float]]) -> bytes:
    """A workbook with one sheet: texts shared, numbers with two decimals."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    texts = [cell for row in rows for cell in row if isinstance(cell, str)]
    cells = []
    for line, row in enumerate(rows, 1):
        shown = "".join(
            f'<c r="{chr(65 + at)}{line}" t="s"><v>{texts.index(cell)}</v></c>'
            if isinstance(cell, str)
            else f'<c r="{chr(65 + at)}{line}"><v>{cell}</v></c>'
            for at, cell in enumerate(row)
        )
        cells.append(f'<row r="{line}">{shown}</row>')
    sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    shared = "".join(f"<si><t>{text}</t></si>" for text in texts)
    return packed(
        {
            "[Content_Types].xml": _types(
                {
                    "xl/workbook.xml": f"{sheet}.sheet.main+xml",
                    "xl/worksheets/sheet1.xml": f"{sheet}.worksheet+xml",
                    "xl/sharedStrings.xml": f"{sheet}.sharedStrings+xml",
                }
            ),
            "_rels/.rels": _relations({"r1": ("officeDocument", "xl/workbook.xml")}),
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{OFFICE}"><sheets>'
            '<sheet name="Rents" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _relations(
                {
                    "r1": ("worksheet", "worksheets/sheet1.xml"),
                    "r2": ("sharedStrings", "sharedStrings.xml"),
                }
            ),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>'
            f"{''.join(cells)}</sheetData></worksheet>",
            "xl/sharedStrings.xml": f'<sst xmlns="{main}">{shared}</sst>',
        }
    )


def pptx(slides: list[str]) -> bytes:
    """A presentation with a text on each slide; its parts are numbered against their order."""
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/main"
    main = "http://schemas.openxmlformats.org/presentationml/2006/main"
    count = len(slides)
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": _types({}),
        "_rels/.rels": _relations({"r1": ("officeDocument", "ppt/presentation.xml")}),
        "ppt/presentation.xml": f'<p:presentation xmlns:p="{main}" xmlns:r="{OFFICE}"><p:sldIdLst>'
        + "".join(f'<p:sldId id="{256 + at}" r:id="r{at}"/>' for at in range(count))
        + "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": _relations(
            {f"r{at}": ("slide", f"slides/slide{count - at}.xml") for at in range(count)}
        ),
    }
    for at, text in enumerate(slides):
        parts[f"ppt/slides/slide{count - at}.xml"] = (
            f'<p:sld xmlns:p="{main}" xmlns:a="{drawing}"><p:cSld><p:spTree><p:sp><p:txBody>'
            f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        )
    return packed(parts)


def odt(paragraphs: list[str]) -> bytes:
    """An OpenDocument text."""
    space = "urn:oasis:names:tc:opendocument:xmlns"
    body = "".join(f"<text:p>{text}</text:p>" for text in paragraphs)
    return packed(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f'<office:document-content xmlns:office="{space}:office:1.0" '
            f'xmlns:text="{space}:text:1.0"><office:body><office:text>{body}</office:text>'
            "</office:body></office:document-content>",
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{space}:manifest:1.0"/>',
        }
    )


def epub(chapters: list[str]) -> bytes:
    """A book whose files are named against the order in which they are read."""
    names = [f"c{len(chapters) - at}.xhtml" for at in range(len(chapters))]
    items = "".join(
        f'<item id="i{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names
    )
    spine = "".join(f'<itemref idref="i{name}"/>' for name in names)
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
        ' version="1.0"><rootfiles><rootfile full-path="book/content.opf" '
        'media-type="application/oebps-package+xml"/></rootfiles></container>',
        "book/content.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
    }
    for name, chapter in zip(names, chapters):
        parts[f"book/{name}"] = (
            f'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{chapter}</p></body></html>'
        )
    return packed(parts)


RTF = (
    rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}\f0 The rent is \b 1,200\b0  EUR, caf\'e9 "
    rb"included\par \u8220?Rent\u8221? is due{\*\generator Nobody}\par}"
)
MBOX = (
    b"From a@example.org Mon Jan  1 00:00:00 2024\nFrom: a@example.org\nSubject: First\n\n"
    b"The rent is due.\n>From today on it is 5 EUR.\n\n"
    b"From b@example.org Tue Jan  2 00:00:00 2024\nFrom: b@example.org\nSubject: Second\n\n"
    b"The deposit is paid back.\n"
)
