"""Small documents made by code, one for each way in which a reader goes wrong.

``CASES`` holds (what is tried, file name, bytes, {quote: whether it must be confirmed}); ``None`` means that
either answer can be defended. The file with an empty password lies beside this one: no code here encrypts.
"""

import base64
import io
import zipfile
from pathlib import Path


# ---------- plain PDF writer (no library): pages of raw content streams, given fonts
def pdf(contents, fonts=None, extra=None, trailer="", page_extra=""):
    fonts = fonts or {
        "F1": b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    }
    objs = [b"<< /Type /Catalog /Pages 2 0 R >>", None]
    fnum = {}
    for k, v in fonts.items():
        objs.append(v)
        fnum[k] = len(objs)
    for e in extra or []:
        objs.append(e)
    kids = []
    fr = " ".join(f"/{k} {n} 0 R" for k, n in fnum.items())
    for c in contents:
        objs.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << {fr} >> >> /Contents {len(objs) + 2} 0 R {page_extra} >>".encode()
        )
        kids.append(len(objs))
        c = c.encode("latin-1") if isinstance(c, str) else c
        objs.append(b"<< /Length %d >>\nstream\n" % len(c) + c + b"\nendstream")
    objs[1] = (
        "<< /Type /Pages /Kids [" + " ".join(f"{k} 0 R" for k in kids) + f"] /Count {len(kids)} >>"
    ).encode()
    out = b"%PDF-1.5\n"
    at = []
    for i, o in enumerate(objs, 1):
        at.append(len(out))
        out += b"%d 0 obj\n" % i + o + b"\nendobj\n"
    x = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objs) + 1) + b"".join(
        b"%010d 00000 n \n" % a for a in at
    )
    return (
        out
        + f"trailer\n<< /Size {len(objs) + 1} /Root 1 0 R {trailer} >>\nstartxref\n{x}\n%%EOF\n".encode()
    )


def tx(x, y, s, size=10, font="F1"):
    s = s.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({s}) Tj ET\n"


def lines(ls, x=72, y=700, size=10, lead=13):
    return "".join(tx(x, y - lead * i, line, size) for i, line in enumerate(ls))


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body, parts=None, main="word/document.xml"):
    b = io.BytesIO()
    z = zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED)
    z.writestr(
        "[Content_Types].xml",
        f'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/{main}" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    )
    z.writestr(
        "_rels/.rels",
        f'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="{main}"/></Relationships>',
    )
    z.writestr(
        main,
        f'<?xml version="1.0" encoding="UTF-8"?><w:document {W}><w:body>{body}</w:body></w:document>',
    )
    for n, t in (parts or {}).items():
        z.writestr(n, t)
    z.close()
    return b.getvalue()


def P(t):
    return f'<w:p><w:r><w:t xml:space="preserve">{t}</w:t></w:r></w:p>'


CASES = []


def add(name, fname, data, quotes):
    CASES.append((name, fname, data if isinstance(data, bytes) else data.encode("utf-8"), quotes))


# ===== quotes
add(
    "line-number prefix: another number",
    "rent.txt",
    "Annual rent:\n2024: EUR 10,000 payable quarterly\n2025: EUR 12,000 payable quarterly\n",
    {
        "2025: EUR 12,000 payable quarterly": True,
        "2026: EUR 12,000 payable quarterly": False,
        "2019: Annual rent:": False,
    },
)
add(
    "line-number prefix: docx paragraph",
    "a.docx",
    docx(P("2009: The conference took place in Amsterdam.")),
    {"2029: The conference took place in Amsterdam.": False},
)
# ===== PDF
LIG = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /fi 2 /fl] >> >>"
add(
    "PDF ligature kept in the quote",
    "lig.pdf",
    pdf(
        [
            "BT /F1 10 Tf 1 0 0 1 72 700 Tm (The parties \\001nally con\\001rm the \\002oor rent as de\\001ned below.) Tj ET"
        ],
        {"F1": LIG},
    ),
    {
        "The parties finally confirm the floor rent": True,
        "The parties \ufb01nally con\ufb01rm the \ufb02oor rent": True,
    },
)
sup = (
    tx(72, 700, "Notice is due by the 10")
    + tx(173.72, 703.6, "th", 6.5)
    + tx(179.14, 700, " and the 25")
    + tx(229.18, 703.6, "th", 6.5)
    + tx(234.6, 700, " of each month.")
    + tx(72, 687, "A second line of text stands here.")
)
add(
    "PDF ordinal in superscript",
    "sup.pdf",
    pdf([sup]),
    {"Notice is due by the 10th and the 25th of each month.": True},
)
add(
    "PDF footnote mark in superscript",
    "fn.pdf",
    pdf(
        [
            tx(72, 700, "The rent is net of tax")
            + tx(163.16, 703.6, "1", 6.5)
            + tx(166.8, 700, " and is due monthly in advance.")
        ]
    ),
    {
        "The rent is net of tax1 and is due monthly in advance.": None,
        "The rent is net of tax and is due monthly in advance.": None,
        "The rent is net of tax 1 and is due monthly in advance.": None,
    },
)
# ToUnicode with a range whose target has three characters (pdflatex with glyphtounicode writes it)
cmap = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n1 begincodespacerange <00> <FF> endcodespacerange\n1 beginbfrange <03> <03> <006600660069> endbfrange\n1 beginbfchar <41> <0041> endbfchar\nendcmap end end"
tu = b"<< /Length %d >>\nstream\n" % len(cmap) + cmap + b"\nendstream"
add(
    "PDF ToUnicode range of three characters",
    "sphinx.pdf",
    pdf(
        [tx(72, 700, "The tenant shall pay the rent on time.")],
        {
            "F1": b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            "F2": b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 5 0 R >>",
        },
        [tu],
    ).replace(b"ET\n", b"ET\n"),
    {"The tenant shall pay the rent on time.": True},
)
CASES[-1] = (
    CASES[-1][0],
    "sphinx.pdf",
    pdf(
        [tx(72, 700, "The tenant shall pay the rent on time.") + tx(72, 650, "A", font="F2")],
        {
            "F1": b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            "F2": b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 5 0 R >>",
        },
        [tu],
    ),
    CASES[-1][3],
)


# CID font whose widths stand in the range form "first last width" (Google Docs, Chrome and Skia write it)
def cid(text, DW, W, advance):
    codes = {c: i + 1 for i, c in enumerate(sorted(set(text)))}
    cm = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n1 begincodespacerange <0000> <FFFF> endcodespacerange\n%d beginbfchar\n"
        % len(codes)
        + "".join(f"<{i:04X}> <{ord(c):04X}>\n" for c, i in codes.items())
        + "endbfchar\nendcmap end end"
    )
    t = b"<< /Length %d >>\nstream\n" % len(cm) + cm.encode() + b"\nendstream"
    font = b"<< /Type /Font /Subtype /Type0 /BaseFont /Arial /Encoding /Identity-H /ToUnicode 4 0 R /DescendantFonts [5 0 R] >>"
    desc = f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Arial /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /CIDToGIDMap /Identity /DW {DW} /W [{W}] /FontDescriptor 6 0 R >>".encode()
    fd = b"<< /Type /FontDescriptor /FontName /Arial /Flags 32 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>"
    body = (
        "BT /F1 10 Tf 1 0 0 1 72 700 Tm "
        + " ".join(f"{advance if i else 0} 0 Td <{codes[c]:04X}> Tj" for i, c in enumerate(text))
        + " ET"
    )
    return pdf([body], {"F1": font}, [t, desc, fd])


add(
    "PDF widths in range form, default width 0 (Google Docs)",
    "gdoc.pdf",
    cid("The tenant shall pay the rent on time.", 0, "1 60 556", 5.56),
    {"The tenant shall pay the rent on time.": True},
)
# OT1 fonts of LaTeX: the dots of a letter are a glyph of their own, drawn before it
ot1 = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /BaseEncoding /WinAnsiEncoding /Differences [1 /dieresis] >> >>"
add(
    "PDF accent drawn as its own glyph (LaTeX OT1)",
    "ot1.pdf",
    pdf(
        [
            "BT /F1 10 Tf 1 0 0 1 72 700 Tm (Der Mieter tr) Tj [-111 (\\001) 444 (a)] TJ (gt die Kosten der Universit) Tj [-111 (\\001) 444 (a)] TJ (t.) Tj ET"
        ],
        {"F1": ot1},
    ),
    {"Der Mieter tr\u00e4gt die Kosten der Universit\u00e4t.": True},
)


# running heads that change with the chapter
def book(n=12):
    out = []
    for i in range(n):
        head = tx(
            72, 750, f"Chapter {i // 3 + 1}: " + ["Rent", "Repairs", "Notices", "Law"][i // 3 % 4]
        ) + tx(500, 750, str(i + 1))
        body = [
            f"Clause {i}.{k} is left as it was agreed between both of the parties."
            for k in range(1, 30)
        ]
        if i == 4:
            body[-1] = "The landlord shall within ten days after the receipt of notice"
        if i == 5:
            body[0] = "repair the roof of the building at its own cost and expense."
        out.append(head + lines(body, y=720))
    return out


add(
    "PDF page end under chapter heads",
    "book.pdf",
    pdf(book()),
    {"within ten days after the receipt of notice repair the roof of the building": True},
)
add(
    "PDF page end, same head on all pages",
    "book2.pdf",
    pdf(
        [
            c.replace("Repairs", "Rent").replace("Notices", "Rent").replace("Law", "Rent")
            for c in book()
        ]
    ),
    {"within ten days after the receipt of notice repair the roof of the building": True},
)
foot = [
    lines(["The buyer may set off any claim that has been"], y=120)
    + tx(72, 80, "1", 6)
    + tx(76, 77, " See clause 9 of the general terms.", 8)
    + tx(300, 40, "1"),
    lines(["acknowledged by the seller in writing.", "Further text follows here."])
    + tx(300, 40, "2"),
]
add(
    "PDF sentence over a page end with a footnote between",
    "note.pdf",
    pdf(foot),
    {"set off any claim that has been acknowledged by the seller in writing.": True},
)
two = "".join(
    tx(72, 700 - 13 * i, l) + tx(330, 700 - 13 * i, r)
    for i, (l, r) in enumerate(
        [
            ("The landlord shall insure the", "The tenant shall not be liable"),
            ("building against fire and water", "for wear and tear which comes"),
            ("damage at its own expense and", "from the contractual use of the"),
            ("shall show proof upon request.", "premises by the tenant or guests."),
        ]
    )
)
add(
    "PDF two columns",
    "cols.pdf",
    pdf([two]),
    {
        "insure the building against fire": True,
        "liable for wear and tear": True,
        "The landlord shall insure the The tenant shall not be liable": False,
    },
)
tab = "".join(
    tx(72, 700 - 16 * i, a) + tx(250, 700 - 16 * i, b) + tx(430, 700 - 16 * i, c)
    for i, (a, b, c) in enumerate(
        [
            ("Item", "Unit price", "Total"),
            ("Desk, oak", "EUR 200.00", "EUR 800.00"),
            ("Chair", "EUR 90.00", "EUR 540.00"),
            ("Lamp", "EUR 35.00", "EUR 70.00"),
            ("Delivery", "EUR 60.00", "EUR 60.00"),
        ]
    )
)
add(
    "PDF table row",
    "table.pdf",
    pdf([tab]),
    {
        "Desk, oak EUR 200.00 EUR 800.00": True,
        "Chair EUR 90.00 EUR 540.00": True,
        "Chair EUR 35.00 EUR 70.00": False,
    },
)
field = b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ms Example of Example Ltd) /DA (/F1 10 Tf 0 g) /Rect [72 600 400 620] /F 4 /AP << /N 5 0 R >> >>"
ap = b"<< /Type /XObject /Subtype /Form /BBox [0 0 328 20] /Resources << /Font << /F1 3 0 R >> >> /Length 66 >>\nstream\n/Tx BMC BT /F1 10 Tf 2 6 Td (Ms Example of Example Ltd) Tj ET EMC  \nendstream"
add(
    "PDF form field value",
    "form.pdf",
    pdf(
        [tx(72, 700, "The tenant named below signs this lease.")],
        None,
        [field, ap],
        "",
        "/Annots [4 0 R]",
    ).replace(
        b"/Type /Catalog",
        b"/Type /Catalog /AcroForm << /Fields [4 0 R] /DR << /Font << /F1 3 0 R >> >> >>",
        1,
    )
    if False
    else pdf(
        [tx(72, 700, "The tenant named below signs this lease.")],
        None,
        [field, ap],
        "",
        "/Annots [4 0 R]",
    ),
    {"The tenant named below signs this lease.": True, "Ms Example of Example Ltd": True},
)
free = b"<< /Type /Annot /Subtype /FreeText /Contents (Struck out by agreement of 3 May) /DA (/F1 10 Tf 0 g) /Rect [72 600 400 620] /F 4 >>"
note = b"<< /Type /Annot /Subtype /Text /Contents (Reviewer: is this cap still right?) /Rect [72 560 90 580] /F 4 >>"
add(
    "PDF comment and free text annotation",
    "annot.pdf",
    pdf(
        [tx(72, 700, "The cap is EUR 5,000 for each claim.")],
        None,
        [free, note],
        "",
        "/Annots [4 0 R 5 0 R]",
    ),
    {
        "The cap is EUR 5,000 for each claim.": True,
        "Struck out by agreement of 3 May": None,
        "Reviewer: is this cap still right?": None,
    },
)
add(
    "PDF hidden text",
    "hidden.pdf",
    pdf(
        [
            tx(72, 700, "The cap is EUR 5,000 for each claim.")
            + "BT 3 Tr /F1 10 Tf 1 0 0 1 72 680 Tm (Invisible words of render mode three) Tj 0 Tr ET\n1 g "
            + tx(72, 660, "White words upon a white page stand here")
            + "0 g "
            + tx(72, 2000, "Words far above the page are never seen")
            + tx(72, 620, "Words in half a point are never read", 0.5)
            + tx(72, 600, "Words under a black box are redacted")
            + "0 g 60 590 400 20 re f\n"
        ]
    ),
    {
        "The cap is EUR 5,000 for each claim.": True,
        "Invisible words of render mode three": None,
        "White words upon a white page stand here": None,
        "Words far above the page are never seen": False,
        "Words in half a point are never read": None,
        "Words under a black box are redacted": None,
    },
)
nou = b"<< /Type /Font /Subtype /Type0 /BaseFont /Arial /Encoding /Identity-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Arial /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 556 /FontDescriptor 4 0 R >>] >>"
add(
    "PDF font without ToUnicode",
    "nou.pdf",
    pdf(
        ["BT /F1 10 Tf 1 0 0 1 72 700 Tm <0037004B00480003005700480051004400510057> Tj ET"],
        {"F1": nou},
        [
            b"<< /Type /FontDescriptor /FontName /Arial /Flags 32 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>"
        ],
    ),
    {"The tenant": None},
)
img = b"<< /Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 4 >>\nstream\n\x00\xff\xff\x00\nendstream"
mixed = pdf(
    [tx(72, 700, "The lease begins on 1 May."), "q 400 0 0 500 100 100 cm /Im1 Do Q"], None, [img]
).replace(b"/Font << /F1 3 0 R >> >>", b"/Font << /F1 3 0 R >> /XObject << /Im1 4 0 R >> >>")


# offsets in the table no longer fit after the replacement: write the table anew
def retable(b):
    import re

    body = b[: b.rindex(b"xref\n0 ")]
    at = {int(m.group(1)): m.start() for m in re.finditer(rb"(?m)^(\d+) 0 obj", body)}
    n = max(at) + 1
    x = len(body)
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n" % n
        + b"".join(b"%010d 00000 n \n" % at[i] for i in range(1, n))
        + f"trailer\n<< /Size {n} /Root 1 0 R >>\nstartxref\n{x}\n%%EOF\n".encode()
    )


add(
    "PDF with one page of text and one scanned page (quote of the scan)",
    "mixed.pdf",
    retable(mixed),
    {"The lease begins on 1 May.": True, "Signed by the tenant on the second page": None},
)

# ===== DOCX
add(
    "docx main part under another name (Office 365 in the browser)",
    "a.docx",
    docx(P("The tenant shall pay the rent."), main="word/document2.xml"),
    {"The tenant shall pay the rent.": True},
)
NUM = '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>The tenant shall pay the rent.</w:t></w:r></w:p>'
numbering = f'<w:numbering {W}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>'
add(
    "docx automatic number",
    "a.docx",
    docx(NUM, {"word/numbering.xml": numbering}),
    {"The tenant shall pay the rent.": True, "1. The tenant shall pay the rent.": None},
)
hdr = f"<w:hdr {W}>" + P("Draft 3 of 12 May, not binding") + "</w:hdr>"
com = (
    f'<w:comments {W}><w:comment w:id="1">'
    + P("Client asks to lower this cap.")
    + "</w:comment></w:comments>"
)
add(
    "docx header, comment",
    "a.docx",
    docx(P("The cap is EUR 5,000."), {"word/header1.xml": hdr, "word/comments.xml": com}),
    {"Draft 3 of 12 May, not binding": None, "Client asks to lower this cap.": None},
)
add(
    "docx tracked changes",
    "a.docx",
    docx(
        '<w:p><w:r><w:t xml:space="preserve">The cap is </w:t></w:r><w:del><w:r><w:delText>EUR 5,000</w:delText></w:r></w:del><w:ins><w:r><w:t>EUR 9,000</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> for each claim.</w:t></w:r></w:p>'
    ),
    {
        "The cap is EUR 9,000 for each claim.": True,
        "The cap is EUR 5,000 for each claim.": False,
        "The cap is EUR 5,000EUR 9,000 for each claim.": False,
    },
)
styles = f'<w:styles {W}><w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style><w:style w:type="paragraph" w:styleId="SecretP"><w:name w:val="SecretP"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
add(
    "docx text hidden by a style",
    "a.docx",
    docx(
        '<w:p><w:r><w:rPr><w:rStyle w:val="Secret"/></w:rPr><w:t>The landlord waives the rent.</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val="SecretP"/></w:pPr><w:r><w:t>The lease has no end.</w:t></w:r></w:p><w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Hidden by the run itself.</w:t></w:r></w:p>',
        {"word/styles.xml": styles},
    ),
    {
        "The landlord waives the rent.": False,
        "The lease has no end.": False,
        "Hidden by the run itself.": False,
    },
)
add(
    "docx soft and non-breaking hyphen, no-break space",
    "a.docx",
    docx(
        '<w:p><w:r><w:t>Die Daten</w:t><w:softHyphen/><w:t>schutz</w:t><w:softHyphen/><w:t xml:space="preserve">erklärung gilt. A non</w:t><w:noBreakHyphen/><w:t>exclusive licence for EUR\u00a05,000.</w:t></w:r></w:p>'
    ),
    {
        "Die Datenschutzerklärung gilt.": True,
        "A non-exclusive licence": True,
        "A non\u2011exclusive licence": None,
        "licence for EUR 5,000": True,
    },
)
add(
    "docx soft hyphen as a character",
    "a.docx",
    docx(P("Die Daten\u00adschutz\u00aderklärung gilt auch für Dritte.")),
    {"Die Datenschutzerklärung gilt auch für Dritte.": True},
)
add(
    "docx text box, footnote, field, content control",
    "a.docx",
    docx(
        '<w:p><w:r><w:t xml:space="preserve">See clause </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF _x \\r</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>12.3</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> for the fee.</w:t></w:r></w:p><w:sdt><w:sdtContent>'
        + P("The buyer is Example Ltd of Exampletown.")
        + "</w:sdtContent></w:sdt>"
    ),
    {"See clause 12.3 for the fee.": True, "The buyer is Example Ltd of Exampletown.": True},
)
add(
    "docx checkbox as a symbol",
    "a.docx",
    docx(
        '<w:p><w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r><w:r><w:t xml:space="preserve"> The tenant agrees.</w:t></w:r></w:p><w:p><w:r><w:sym w:font="Wingdings" w:char="F0A8"/></w:r><w:r><w:t xml:space="preserve"> The tenant objects.</w:t></w:r></w:p>'
    ),
    {"The tenant agrees.": True, "\u2612 The tenant agrees.": None},
)
# ===== HTML
add(
    "html shown again by a later rule (tabs, menus)",
    "a.html",
    '<style>.tab{display:none} .tab.active{display:block}</style><div class="tab active"><p>The tenant shall pay the rent on time.</p></div><div class=tab>Hidden tab text stands in here</div>',
    {"The tenant shall pay the rent on time.": True, "Hidden tab text stands in here": False},
)
add(
    "html all text hidden by such a rule",
    "b.html",
    '<style>div.page{display:none} div.page{display:block}</style><div class="page"><p>The tenant shall pay the rent on time.</p></div>',
    {"The tenant shall pay the rent on time.": True},
)
add(
    "html hidden in ways beyond plain selectors",
    "c.html",
    '<style>.x .y{display:none} #a>b{display:none}</style><div class=x><p class=y>Hidden by a descendant selector here</div><p style="position:absolute;left:-9999px">Moved far off the screen it stands</p><p style="font-size:0">Of size zero these words are</p><p style="opacity:0">Fully transparent words stand here</p><p style="color:#fff;background:#fff">White on white these words are</p><details><summary>More</summary><p>Folded details are shown on a click</p></details>',
    {
        "Hidden by a descendant selector here": False,
        "Moved far off the screen it stands": False,
        "Of size zero these words are": False,
        "Fully transparent words stand here": False,
        "White on white these words are": None,
        "Folded details are shown on a click": None,
    },
)
add(
    "html soft hyphens, no-break space, break opportunity",
    "d.html",
    "<meta charset=utf-8><p>Die Daten&shy;schutz&shy;erkl&auml;rung gilt f&uuml;r EUR&nbsp;5.000 und <wbr>mehr; Rechts<wbr>anwalt.</p>",
    {
        "Die Datenschutzerklärung gilt": True,
        "gilt für EUR 5.000 und mehr": True,
        "Rechtsanwalt": True,
    },
)
add(
    "html list, table, alt, input, title",
    "e.html",
    '<title>Lease of Example House</title><h1>Lease</h1><ol><li>First the rent is due in May.</li></ol><table><tr><td>Desk</td><td>EUR 200</td></tr></table><img alt="Seal of the Example Court"><input value="Ms Example"><textarea>Typed by the tenant</textarea>',
    {
        "First the rent is due in May.": True,
        "Desk EUR 200": True,
        "Lease of Example House": None,
        "Seal of the Example Court": None,
        "Ms Example": None,
        "Typed by the tenant": None,
    },
)
# ===== EML
H = 'From: "Example, Ann" <ann@example.com>\r\nTo: bob@example.com\r\nSubject: Rent\r\nMIME-Version: 1.0\r\n'
add(
    "eml without the last boundary",
    "a.eml",
    H
    + "Content-Type: multipart/alternative; boundary=XX\r\n\r\n--XX\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nThe tenant shall pay the rent on time.\r\n--XX\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>The tenant shall pay the rent on time.</p>\r\n",
    {"The tenant shall pay the rent on time.": True},
)
add(
    "eml quoted lines",
    "b.eml",
    H
    + "Content-Type: text/plain; charset=utf-8\r\n\r\nI agree.\r\n> The tenant shall pay the\r\n> rent on the first day of each\r\n> month.\r\n",
    {
        "The tenant shall pay the rent on the first day of each month.": None,
        "The tenant shall pay the > rent on the first day": None,
    },
)
add(
    "eml flowed",
    "c.eml",
    H
    + "Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\r\n\r\nThe tenant shall pay the re \r\nnt on time and in full.\r\n",
    {"The tenant shall pay the rent on time and in full.": True},
)
add(
    "eml sender",
    "d.eml",
    H + "Content-Type: text/plain\r\n\r\nHello there.\r\n",
    {
        '"Example, Ann" <ann@example.com>': True,
        "Example, Ann <ann@example.com>": None,
        "Subject: Rent": True,
    },
)
add(
    "eml odd charsets",
    "e.eml",
    (
        H
        + "Content-Type: text/plain; charset=windows-1252\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nThe fee is =80 5,000 =96 no more =93ever=94.\r\n"
    ),
    {"The fee is \u20ac 5,000 \u2013 no more \u201cever\u201d.": True},
)
add(
    "eml utf-16 body in base64",
    "f.eml",
    H
    + "Content-Type: text/plain; charset=utf-16\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    + base64.b64encode("The tenant shall pay.".encode("utf-16")).decode()
    + "\r\n",
    {"The tenant shall pay.": True},
)
add(
    "eml attached docx",
    "g.eml",
    H
    + "Content-Type: multipart/mixed; boundary=XX\r\n\r\n--XX\r\nContent-Type: text/plain\r\n\r\nSee attached.\r\n--XX\r\nContent-Type: application/vnd.openxmlformats-officedocument.wordprocessingml.document; name=a.docx\r\nContent-Disposition: attachment; filename=a.docx\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    + base64.b64encode(docx(P("The cap is EUR 5,000."))).decode()
    + "\r\n--XX--\r\n",
    {"See attached.": True, "The cap is EUR 5,000.": None},
)
# ===== text
add(
    "txt in UTF-16 with byte-order mark (Notepad)",
    "a.txt",
    "The tenant shall pay.".encode("utf-16"),
    {"The tenant shall pay.": True},
)
add(
    "txt in windows-1252",
    "b.txt",
    "The fee is \u20ac 5,000 for the caf\u00e9.".encode("cp1252"),
    {"The fee is \u20ac 5,000 for the caf\u00e9.": None},
)
add(
    "md as a page shows it",
    "a.md",
    "The tenant shall **not** assign [this lease](https://example.com/lease) to anyone.\n",
    {
        "The tenant shall **not** assign [this lease](https://example.com/lease) to anyone.": True,
        "The tenant shall not assign this lease to anyone.": None,
    },
)
for ext in (
    "xlsx",
    "pptx",
    "rtf",
    "odt",
    "epub",
    "msg",
    "doc",
    "mbox",
    "png",
    "csv",
    "json",
    "xml",
    "log",
    "pages",
    "ics",
    "mht",
    "dotx",
    "zip",
):
    add("other format " + ext, "a." + ext, b"some bytes here", {"some bytes here": None})


def schedule():
    n = 0
    out = []
    for p in range(3):
        ls = []
        for k in range(40):
            n += 1
            ls.append(f"Instalment {n} of EUR {1000 + n} falls due on day {n} of the term.")
        out.append(lines(ls, y=740, lead=15))
    return out


add(
    "PDF rows that differ in numbers alone stand at the page edges",
    "rows.pdf",
    pdf(schedule()),
    {
        "Instalment 40 of EUR 1040 falls due on day 40 of the term. Instalment 41 of EUR 1041 falls due on day 41 of the term.": True,
        "Instalment 38 of EUR 1038 falls due on day 38 of the term. Instalment 43 of EUR 1043 falls due on day 43 of the term.": False,
    },
)
add(
    "PDF word divided at a hyphen of its own",
    "re.pdf",
    pdf([lines(["The employee may re-", "sign the contract in May."])]),
    {
        "The employee may re-sign the contract in May.": True,
        "The employee may resign the contract in May.": None,
    },
)
add(
    "html struck-out text",
    "f.html",
    "<p>The fee is <del>5</del><ins>6</ins> % of the rent; <s>no notice is needed</s>.</p>",
    {"The fee is 56 % of the rent": None, "no notice is needed": None},
)
colsb = "".join(
    tx(72, 700 - 13 * i, l)
    for i, l in enumerate(
        [
            "The landlord waives no claim unless",
            "it says so in a letter that is signed",
            "by a director. The tenant keeps the",
            "premises in good repair and returns",
            "them broom-clean at the end of the",
            "term, fair wear and tear excepted.",
        ]
    )
) + "".join(
    tx(330, 700 - 13 * i, r)
    for i, r in enumerate(
        [
            "The tenant is liable for the following costs",
            "water,",
            "heating,",
            "the rent is",
            "waste,",
            "light.",
        ]
    )
)
add(
    "PDF two columns, the right one of short lines",
    "cols2.pdf",
    pdf([colsb]),
    {
        "it says so in a letter that is signed by a director": True,
        "premises in good repair and returns the rent is": False,
        "The tenant keeps the heating,": False,
    },
)

add(
    "PDF locked against changes, empty password to open",
    "enc.pdf",
    (Path(__file__).parent / "empty-password.pdf").read_bytes(),
    {"The tenant shall pay the rent on time.": True},
)
