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
