"""Makes the books of the browser tests: everything that a test looks for is in here, and the same in every run.

    books.py FOLDER     writes novel.epub, comic.cbz, sound.audiobook, fixed.epub, other.epub
"""

import io
import json
import pathlib
import random
import struct
import sys
import wave
import zipfile
import zlib
from html import escape

CHAPTERS = 12
# In one paragraph in the middle of one chapter, and nowhere else.
RARE_WORD, RARE_CHAPTER = "zephyrine", 7
# In every chapter.
COMMON_WORD = "lantern"
FONT = "Carrel Blocks"
NOVEL = "The Round of the Lamps"
COMIC_PAGES, WIDE_PAGE = 9, 4
SOUND_SECONDS, SOUND_RATE = 1_200, 8_000
# The title of the book that a hostile one wants to read.
OTHER_MARK = "Other book ZQ-7431"

WORDS = """harbour window paper quiet copper evening ladder market ribbon garden silver winter corner bridge candle meadow
thunder pocket river wooden mirror island velvet kettle autumn feather stone drawer station violet marble orchard engine
basket shadow needle letter curtain pepper saddle timber valley wander gather carry follow listen wonder answer begin
remember between beyond without beneath toward behind under across""".split()
DATE = (2024, 1, 1, 0, 0, 0)


# ---- pictures, sounds and a font ---------------------------------------------------------------------------


def png(width: int, height: int, color: tuple[int, int, int]) -> bytes:
    """A picture of one colour with a dark frame, so that a picture which is cut off shows it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    dark, light, border = bytes((32, 32, 32)), bytes(color), 6
    edge = b"\0" + dark * width
    middle = b"\0" + dark * border + light * (width - 2 * border) + dark * border
    rows = edge * border + middle * (height - 2 * border) + edge * border
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


def wav(seconds: int, seed: int) -> bytes:
    """Quiet noise of 8 bits, which deflates to about three quarters."""
    noise = random.Random(seed).randbytes(seconds * SOUND_RATE).translate(bytes(96 + value % 64 for value in range(256)))
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(SOUND_RATE)
        sound.writeframes(noise)
    return file.getvalue()


def font() -> bytes:
    """A TrueType font in which every printable character of ASCII is the same block, twice as wide as it is high.

    Source: the OpenType specification, chapters on each table.
    """
    square = struct.pack(">hhhhh", 1, 100, 0, 1900, 900) + struct.pack(">HH", 3, 0) + bytes([1] * 4)
    square += struct.pack(">hhhh", 100, 1800, 0, -1800) + struct.pack(">hhhh", 0, 0, 900, 0)
    square += bytes(-len(square) % 4)
    characters, first, last = 95, 32, 126
    glyphs = characters + 1
    segments = struct.pack(">HHHHHHHH", 4, 32, 0, 4, 4, 1, 0, last) + struct.pack(">HHHH", 0xFFFF, 0, first, 0xFFFF)
    segments += struct.pack(">hhHH", 1 - first, 1, 0, 0)
    names = [(1, FONT), (2, "Regular"), (4, FONT), (6, FONT.replace(" ", ""))]
    texts = [text.encode("utf-16-be") for _, text in names]
    records, offset = b"", 0
    for (number, _), text in zip(names, texts):
        records += struct.pack(">HHHHHH", 3, 1, 0x409, number, len(text), offset)
        offset += len(text)
    tables = {
        b"OS/2": struct.pack(
            ">HhHHHhhhhhhhhhhh10sIIII4sHHHhhhHHII", 4, 2000, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0, bytes(10),
            1, 0, 0, 0, b"CARL", 0x40, first, last, 900, -100, 0, 900, 100, 1, 0) + struct.pack(">hhHHH", 500, 900, 0, 32, 1),
        b"cmap": struct.pack(">HHHHI", 0, 1, 3, 1, 12) + segments,
        b"glyf": square * glyphs,
        b"head": struct.pack(">IIIIHHqqhhhhHHhhh", 0x10000, 0x10000, 0, 0x5F0F3CF5, 11, 1000, 0, 0, 100, 0, 1900, 900, 0, 8, 2, 1, 0),
        b"hhea": struct.pack(">IhhhHhhhhhhhhhhhH", 0x10000, 900, -100, 0, 2000, 100, 100, 1900, 1, 0, 0, 0, 0, 0, 0, 0, glyphs),
        b"hmtx": struct.pack(">Hh", 2000, 100) * glyphs,
        b"loca": b"".join(struct.pack(">I", number * len(square)) for number in range(glyphs + 1)),
        b"maxp": struct.pack(">IHHHHHHHHHHHHHH", 0x10000, glyphs, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        b"name": struct.pack(">HHH", 0, len(names), 6 + len(records)) + records + b"".join(texts),
        b"post": struct.pack(">IIhhIIIII", 0x30000, 0, -100, 50, 0, 0, 0, 0, 0),
    }

    def checksum(data: bytes) -> int:
        data += bytes(-len(data) % 4)
        return sum(struct.unpack(f">{len(data) // 4}I", data)) & 0xFFFFFFFF

    def file() -> bytes:
        directory, body, start = b"", b"", 12 + 16 * len(tables)
        for tag, data in sorted(tables.items()):
            directory += tag + struct.pack(">III", checksum(data), start + len(body), len(data))
            body += data + bytes(-len(data) % 4)
        return struct.pack(">IHHHH", 0x10000, len(tables), 128, 3, len(tables) * 16 - 128) + directory + body

    adjustment = (0xB1B0AFBA - checksum(file())) & 0xFFFFFFFF
    tables[b"head"] = tables[b"head"][:8] + struct.pack(">I", adjustment) + tables[b"head"][12:]
    return file()


# ---- containers ----------------------------------------------------------------------------------------------


def pack(path: pathlib.Path, files: dict[str, bytes | str], stored: set[str] = frozenset()) -> pathlib.Path:
    """Writes an archive; the files in `stored` are not compressed."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, DATE)
            info.compress_type = zipfile.ZIP_STORED if name in stored or name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return path


def xhtml(title: str, body: str, head: str = "") -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" xml:lang="en" lang="en">
<head><title>{title}</title>{head}</head>
<body>{body}</body>
</html>
"""


def epub(
    path: pathlib.Path, title: str, chapters: list[tuple[str, str, str, str]], files: dict[str, tuple[str, bytes | str]],
    contents: str | None = None, metadata: str = "", stored: set[str] = frozenset(),
) -> pathlib.Path:
    """Writes an EPUB.

    chapters: name, title, properties of the reference in the spine, content. files: type and content by name. contents: the list of the
    navigation document; by default the chapters.
    """
    types = {"xhtml": "application/xhtml+xml", "svg": "image/svg+xml"}
    items = "".join(
        f'<item id="c{number}" href="{name}" media-type="{types[name.rsplit(".", 1)[1]]}"/>'
        for number, (name, *_) in enumerate(chapters))
    items += "".join(
        f'<item id="f{number}" href="{name}" media-type="{kind}"{" properties=" + chr(34) + "cover-image" + chr(34) if "cover" in name else ""}/>'
        for number, (name, (kind, _)) in enumerate(files.items()))
    spine = "".join(
        f'<itemref idref="c{number}"{f" properties={chr(34)}{properties}{chr(34)}" if properties else ""}/>'
        for number, (_, _, properties, _) in enumerate(chapters))
    if contents is None:
        contents = "".join(f'<li><a href="{name}">{escape(title)}</a></li>' for name, title, *_ in chapters)
    package = f"""<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:carrel:{escape(path.stem)}</dc:identifier>
<dc:title>{escape(title)}</dc:title><dc:language>en</dc:language><dc:creator>Carrel Press</dc:creator>
<dc:description>A book for tests.</dc:description><meta property="dcterms:modified">2024-01-01T00:00:00Z</meta>{metadata}</metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>{items}</manifest>
<spine>{spine}</spine></package>
"""
    everything: dict[str, bytes | str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "EPUB/package.opf": package,
        "EPUB/nav.xhtml": xhtml("Contents", f'<nav epub:type="toc"><ol>{contents}</ol></nav>'),
    }
    everything |= {f"EPUB/{name}": content for name, _, _, content in chapters}
    everything |= {f"EPUB/{name}": content for name, (_, content) in files.items()}
    return pack(path, everything, {f"EPUB/{name}" for name in stored})


# ---- the books -------------------------------------------------------------------------------------------------


def paragraphs(chapter: int, count: int) -> list[str]:
    numbers = random.Random(chapter)
    result = []
    for paragraph in range(count):
        sentences = []
        for _ in range(numbers.randint(3, 6)):
            words = [numbers.choice(WORDS) for _ in range(numbers.randint(7, 15))]
            sentences.append(" ".join(words).capitalize() + ".")
        if paragraph == count // 3:
            sentences.insert(1, f"A {COMMON_WORD} was lit.")
        if chapter == RARE_CHAPTER and paragraph == count // 2:
            sentences.insert(1, f"Then a {RARE_WORD} wind came up.")
        result.append(" ".join(sentences))
    return result


def novel(path: pathlib.Path, ballast: int = 0) -> pathlib.Path:
    """Twelve chapters with headings, pictures, a table, a style sheet and a font. Each paragraph has an id: c03-p17.

    ballast: bytes of a last file, behind all others, that nobody reads.
    """
    chapters, entries = [], []
    for number in range(1, CHAPTERS + 1):
        name, title = f"c{number:02}.xhtml", f"Chapter {number}"
        texts = [f'<p id="c{number:02}-p{index:02}">{text}</p>' for index, text in enumerate(paragraphs(number, 40))]
        texts.insert(8, f'<figure><img src="pictures/lamp{number % 3}.png" alt="A lamp" width="360" height="240"/><figcaption>Lamp {number}.</figcaption></figure>')
        texts.insert(20, f'<h2 id="second">Second half of {number}</h2>')
        if number == 2:
            texts.insert(12, "<table><tr><th>Lamp</th><th>Street</th></tr><tr><td>Third</td><td>Harbour</td></tr></table>")
        after = f'<p><a id="onward" href="c{number % CHAPTERS + 1:02}.xhtml">Onward</a></p>'
        body = f'<h1>{title}</h1><p class="blocks"><span id="blocks">mmmm</span></p>' + "".join(texts) + after
        chapters.append((name, title, "", xhtml(title, body, '<link rel="stylesheet" type="text/css" href="style.css"/>')))
        inner = f'<ol><li><a href="{name}#second">Second half of {number}</a></li></ol>'
        entries.append(f'<li><a href="{name}">{title}</a>{inner}</li>')
    style = f"""@font-face {{ font-family: "{FONT}"; src: url(fonts/blocks.ttf); }}
body {{ font-family: serif; }} h1, h2 {{ text-align: center; }} figure {{ margin: 1em 0; break-inside: avoid; }} img {{ max-width: 100%; }}
.blocks {{ font: 16px "{FONT}", monospace; }} td, th {{ border: 1px solid; padding: 0.2em; }}
"""
    files = {
        "style.css": ("text/css", style),
        "fonts/blocks.ttf": ("font/ttf", font()),
        "pictures/cover.png": ("image/png", png(600, 900, (70, 90, 150))),
    }
    files |= {f"pictures/lamp{number}.png": ("image/png", png(360, 240, (200, 150, 40 + 60 * number))) for number in range(3)}
    if ballast:
        files["ballast.bin"] = ("application/octet-stream", random.Random(0).randbytes(ballast))
    return epub(path, NOVEL, chapters, files, "".join(entries), stored={"ballast.bin"})


def comic(path: pathlib.Path) -> pathlib.Path:
    """A comic that is read from right to left; one of its pages is a picture across two."""
    wide = f'<Page Image="{WIDE_PAGE}" DoublePage="true" ImageWidth="1200" ImageHeight="900"/>'
    info = f'<?xml version="1.0"?><ComicInfo><Title>Lamps</Title><Manga>YesAndRightToLeft</Manga><Pages>{wide}</Pages></ComicInfo>'
    files: dict[str, bytes | str] = {"ComicInfo.xml": info}
    for number in range(COMIC_PAGES):
        width = 1_200 if number == WIDE_PAGE else 600
        files[f"page{number:02}.png"] = png(width, 900, (230 - 15 * number, 240, 120 + 12 * number))
    return pack(path, files, {name for name in files if name.endswith(".png")})


def sound(path: pathlib.Path, seconds: int = SOUND_SECONDS) -> pathlib.Path:
    """An audiobook of two parts: one stored, one in a deflated entry."""
    parts = {"one.wav": wav(seconds, 1), "two.wav": wav(seconds, 2)}
    manifest = {
        "@context": "https://readium.org/webpub-manifest/context.jsonld",
        "metadata": {
            "@type": "http://schema.org/Audiobook", "conformsTo": "https://readium.org/webpub-manifest/profiles/audiobook",
            "identifier": "urn:carrel:sound", "title": "Sounds of the Lamps", "author": "Carrel Press", "language": "en",
            "duration": 2 * seconds,
        },
        "links": [{"rel": "self", "href": "manifest.json", "type": "application/audiobook+json"}],
        "readingOrder": [
            {"href": name, "type": "audio/wav", "duration": seconds, "title": title} for name, title in zip(parts, ("First part", "Second part"))
        ],
        "toc": [
            {"href": "one.wav", "title": "First part", "children": [{"href": f"one.wav#t={seconds // 2}", "title": "Half way"}]},
            {"href": "two.wav", "title": "Second part"},
        ],
    }
    return pack(path, {"manifest.json": json.dumps(manifest)} | parts, {"one.wav"})


def fixed(path: pathlib.Path) -> pathlib.Path:
    """Six pages of a fixed size, 600 by 800; the first one is a right page by itself."""
    chapters = []
    for number in range(6):
        place = "page-spread-right" if number % 2 == 0 else "page-spread-left"
        body = f"""<div style="position:absolute;left:0;top:0;width:600px;height:800px;background:#e{number}d9c5;overflow:hidden">
<p id="top" style="position:absolute;left:40px;top:30px;margin:0;font:32px serif">Page {number}, top</p>
<p id="bottom" style="position:absolute;right:40px;bottom:30px;margin:0;font:32px serif">Page {number}, bottom</p></div>"""
        head = '<meta name="viewport" content="width=600, height=800"/><style>html,body{margin:0;padding:0}</style>'
        chapters.append((f"p{number}.xhtml", f"Page {number}", place, xhtml(f"Page {number}", body, head)))
    layout = '<meta property="rendition:layout">pre-paginated</meta><meta property="rendition:spread">auto</meta>'
    return epub(path, "A Fixed Book", chapters, {"cover.png": ("image/png", png(600, 800, (150, 60, 60)))}, metadata=layout)


def lengthy(path: pathlib.Path) -> pathlib.Path:
    """A short chapter, a long one that a server sends while it reads it, and a short one; a last file that nobody reads is behind them."""
    chapters = []
    for number, count in enumerate((20, 2_000, 20), 1):
        body = f"<h1>Chapter {number}</h1>" + "".join(f"<p>{text}</p>" for text in paragraphs(number, count))
        chapters.append((f"c{number}.xhtml", f"Chapter {number}", "", xhtml(f"Chapter {number}", body)))
    ballast = random.Random(0).randbytes(1 << 20)
    return epub(path, "A Long Book", chapters, {"ballast.bin": ("application/octet-stream", ballast)}, stored={"ballast.bin"})


def damage(path: pathlib.Path, name: str) -> pathlib.Path:
    """Spoils the middle of a file in an archive."""
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo(name)
    with path.open("r+b") as file:
        file.seek(entry.header_offset + entry.compress_size // 2)
        file.write(bytes(1_000))
    return path


def other(path: pathlib.Path) -> pathlib.Path:
    """The book that a hostile one wants to read."""
    chapter = xhtml(OTHER_MARK, f"<h1>{OTHER_MARK}</h1><p>Nothing for strangers.</p>")
    return epub(path, OTHER_MARK, [("c.xhtml", OTHER_MARK, "", chapter)], {"cover.png": ("image/png", png(60, 90, (0, 120, 0)))})


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    novel(folder / "novel.epub")
    comic(folder / "comic.cbz")
    sound(folder / "sound.audiobook")
    fixed(folder / "fixed.epub")
    other(folder / "other.epub")


if __name__ == "__main__":
    main()


def document(path: pathlib.Path) -> pathlib.Path:
    """A PDF file of one page."""
    text = b"BT /F1 24 Tf 40 150 Td (Lamps) Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text), b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    data, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 6\n0000000000 65535 f \n%strailer << /Root 1 0 R /Size 6 >>\nstartxref\n%d\n%%%%EOF\n" % (table, len(data))
    path.write_bytes(data)
    return path
