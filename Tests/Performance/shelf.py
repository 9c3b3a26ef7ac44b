"""Books for the benchmark of shelves.

    shelf.py make FOLDER COUNT     COUNT books in folders of 100, each with a cover of 60 kB and ten chapters
    shelf.py change FOLDER COUNT ALL   gives COUNT of ALL another title
    shelf.py search URL COUNT      asks a catalogue for COUNT words and pairs of words: milliseconds for half and for 99 of 100 of them
    shelf.py feeds COUNT URL URL   asks for two feeds of 50 books in turn: the median of milliseconds for each
    shelf.py requests FILE         shows which requests the lines of a server's log have beyond one listing for each folder
"""

import collections
import itertools
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
import zlib

SYLLABLES = "am ber ba sin ce dar del ta em fjo gro ha ven in let jet ty kno led mea north or chard prai quar ri spru tun".split()
# As in a language: 4,000 words, of which the first is in almost every book, and most are in a few (Zipf's law).
WORDS = [a + b + c for a in SYLLABLES for b in SYLLABLES for c in ("", *SYLLABLES)]
random.Random(0).shuffle(WORDS)
del WORDS[4_000:]
WEIGHTS = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(WORDS))))
TEXT = "The road went on between the fields, and nobody on it was in a hurry. "
CONTAINER = """<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""


def picture(seed):
    """A JPEG of 600 by 900 pixels with noise in it, by the command in $CARREL."""
    numbers = random.Random(seed)
    rows = bytearray()
    for _ in range(225):
        row = bytes(value for _ in range(150) for value in (numbers.randbytes(3)) * 4)
        rows += (b"\0" + row) * 4
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 600, 900, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(rows), 1)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks)
    with tempfile.TemporaryDirectory() as folder:
        source, result = pathlib.Path(folder, "cover.png"), pathlib.Path(folder, "cover.jpg")
        source.write_bytes(data)
        subprocess.run([os.environ["CARREL"], "thumb", "--size", "900", source, result], check=True, stdout=subprocess.DEVNULL)
        return result.read_bytes()


def words(numbers, count):
    return numbers.choices(WORDS, cum_weights=WEIGHTS, k=count)


def title(number, numbers):
    return f"{' '.join(words(numbers, 3)).title()} {number}"


def book(path, number, pictures, edition=""):
    numbers = random.Random(number)
    name = title(number, numbers) + edition
    authors = "".join(f"<dc:creator>{numbers.choice(WORDS).title()} {numbers.choice(WORDS).title()}{numbers.randrange(200)}</dc:creator>" for _ in range(1 + number % 2))
    items = "".join(f'<item id="c{i}" href="c{i}.xhtml" media-type="application/xhtml+xml"/>' for i in range(10))
    spine = "".join(f'<itemref idref="c{i}"/>' for i in range(10))
    package = f"""<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:isbn:{9780000000000 + number}</dc:identifier><dc:title>{name}</dc:title>{authors}
<dc:language>{'en de fr'.split()[number % 3]}</dc:language><dc:subject>{WORDS[numbers.randrange(100)]}</dc:subject><meta property="dcterms:modified">2026-01-01T00:00:00Z</meta>
<dc:description>{' '.join(words(numbers, 30))}.</dc:description><meta property="belongs-to-collection" id="s">Series {number % 500}</meta>
<meta refines="#s" property="collection-type">series</meta><meta refines="#s" property="group-position">{number // 500}</meta></metadata><manifest>
<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="cover" href="cover.jpg" media-type="image/jpeg"
properties="cover-image"/>{items}</manifest><spine>{spine}</spine></package>"""
    links = "".join(f'<li><a href="c{i}.xhtml">Chapter {i + 1}</a></li>' for i in range(10))
    page = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>{}</title></head><body>{}</body></html>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in (
            ("META-INF/container.xml", CONTAINER),
            ("OEBPS/package.opf", package),
            ("OEBPS/nav.xhtml", page.format("Contents", f'<nav epub:type="toc"><ol>{links}</ol></nav>')),
        ):
            archive.writestr(name, text, zipfile.ZIP_DEFLATED, 1)
        archive.writestr("OEBPS/cover.jpg", pictures[number % len(pictures)], zipfile.ZIP_STORED)
        for i in range(10):
            text = "".join(f"<p>{TEXT}{' '.join(words(numbers, 12))}.</p>" for _ in range(30))
            archive.writestr(f"OEBPS/c{i}.xhtml", page.format(f"Chapter {i + 1}", text), zipfile.ZIP_DEFLATED, 1)


def extra_requests(lines):
    """The number of requests by method, and a line for each one beyond a PROPFIND of each folder.

    The log has no Depth: of several answers for one folder, the largest is its listing.
    """
    entries = [line.rstrip("\n").split("\t")[:5] for line in lines]
    listings = {}
    for number, (method, path, status, _, sent) in enumerate(entries):
        folder = path.rstrip("/")
        if method == "PROPFIND" and status == "207" and not folder.endswith(".epub"):
            listings[folder] = max(listings.get(folder, (-1, 0)), (int(sent), number))
    known = {number for _, number in listings.values()}
    others = [
        f"{method} {path}: {status}, {sent} bytes" for number, (method, path, status, _, sent) in enumerate(entries) if number not in known
    ]
    return collections.Counter(entry[0] for entry in entries), others


def requests(file):
    with open(file, encoding="utf-8", errors="replace") as log:
        methods, others = extra_requests(log)
    print("  by method: " + ", ".join(f"{count} {method}" for method, count in methods.most_common()))
    for line in others[:10]:
        print("  beyond a listing for each folder: " + line)
    if len(others) > 10:
        print(f"  … and {len(others) - 10} more")


def timed(url):
    """Milliseconds for an answer, and its bytes."""
    begin = time.monotonic()
    with urllib.request.urlopen(url, timeout=60) as answer:
        body = answer.read()
    return (time.monotonic() - begin) * 1000, body


def search(url, count):
    """What people look for: one or two words of titles, or a number; the last word as far as they have typed it."""
    numbers, times = random.Random(1), []
    for _ in range(count):
        *whole, last = words(numbers, numbers.randint(1, 2)) if numbers.random() < 0.8 else [str(numbers.randrange(10_000))]
        taken, body = timed(f"{url}opds/2.0/books?query={'+'.join([*whole, last[: numbers.randint(3, 9)]])}")
        assert b'"numberOfItems"' in body, body[:200]
        times.append(taken)
    times.sort()
    print(f"{times[len(times) // 2]:.1f} {times[len(times) * 99 // 100]:.1f}")


def feeds(count, urls):
    times = {url: [] for url in urls}
    for number in range(count + 1):
        for url in urls:
            taken, body = timed(url)
            assert body.count(b"<entry") == 50, (url, body.count(b"<entry"))
            # The first one warms up.
            if number:
                times[url].append(taken)
    print(*(f"{statistics.median(times[url]):.1f}" for url in urls))


def main():
    if sys.argv[1] == "search":
        return search(sys.argv[2], int(sys.argv[3]))
    if sys.argv[1] == "feeds":
        return feeds(int(sys.argv[2]), sys.argv[3:])
    if sys.argv[1] == "requests":
        return requests(sys.argv[2])
    verb, folder, count = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    pictures = [picture(seed) for seed in range(20)]
    for number in range(count):
        place = number if verb == "make" else number * (int(sys.argv[4]) // count)
        path = folder / f"{place // 100:03}" / f"{place}.epub"
        path.parent.mkdir(parents=True, exist_ok=True)
        book(path, place, pictures, "" if verb == "make" else ", revised")


if __name__ == "__main__":
    main()
