"""Books to be served, and 200 readers of them.

    serving.py books FOLDER MB COUNT     FOLDER/{book.epub,sound.audiobook,unpacked/,chapters}, and COUNT books FOLDER/many/N.epub
    serving.py read FOLDER PID URL...    200 clients read ten chapters each of the books at URL, 100 ms between chapters; prints what it took

Everything in the books is made from a seed: what arrives is compared with what was put in.
"""

import asyncio
import gzip
import hashlib
import json
import os
import random
import sys
import time
import urllib.parse
import zipfile

CHAPTERS, CLIENTS, PAUSE = 60, 200, 0.1
CONTAINER = """<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
NAVIGATION = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>C</title></head>
<body><nav epub:type="toc"><ol><li><a href="c0.xhtml">Start</a></li></ol></nav></body></html>"""


def chapter(book, number):
    """About 30 KB, of words in random order: it packs as prose does."""
    words = random.Random(book * 1000 + number)
    known = "the sea whale ship captain white night wind sail harpoon boat water deep long said and of in upon old man eye".split()
    paragraphs = "".join(f"<p>{' '.join(words.choice(known) + str(words.randrange(90)) * (words.random() < 0.1) for _ in range(90))}.</p>" for _ in range(60))
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{number}</title></head><body>{paragraphs}</body></html>'.encode()


def files(book):
    names = [f"c{i}.xhtml" for i in range(CHAPTERS)]
    items = "".join(f'<item id="f{i}" href="{name}" media-type="application/xhtml+xml"/>' for i, name in enumerate(names))
    spine = "".join(f'<itemref idref="f{i}"/>' for i in range(CHAPTERS))
    opf = f"""<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book {book}</dc:title><dc:language>en</dc:language><dc:identifier id="id">{book}</dc:identifier></metadata>
<manifest>{items}<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine>{spine}</spine></package>"""
    return {"META-INF/container.xml": CONTAINER.encode(), "book.opf": opf.encode(), "nav.xhtml": NAVIGATION.encode()} | {
        name: chapter(book, i) for i, name in enumerate(names)}


def write_epub(path, content):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        # So that the chapters are not among the first bytes, which are read when the book is opened.
        archive.writestr("front.jpg", os.urandom(300_000), zipfile.ZIP_STORED)
        for name, data in content.items():
            archive.writestr(name, data)


def make(folder, size, count):
    content = files(0)
    write_epub(f"{folder}/book.epub", content)
    os.makedirs(f"{folder}/unpacked/META-INF")
    for name, data in content.items():
        with open(f"{folder}/unpacked/{name}", "wb") as file:
            file.write(data)
    with open(f"{folder}/unpacked/sound.mp3", "wb") as file:
        for _ in range(size):
            file.write(os.urandom(1 << 20))
    manifest = {
        "@context": "https://readium.org/webpub-manifest/context.jsonld",
        "metadata": {"title": "Sound", "@type": "http://schema.org/Audiobook", "conformsTo": "https://readium.org/webpub-manifest/profiles/audiobook"},
        "readingOrder": [{"href": "sound.mp3", "type": "audio/mpeg", "duration": 3600}]}
    with zipfile.ZipFile(f"{folder}/sound.audiobook", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.write(f"{folder}/unpacked/sound.mp3", "sound.mp3")
    os.makedirs(f"{folder}/many")
    for book in range(1, count + 1):
        write_epub(f"{folder}/many/{book}.epub", files(book))


async def get(reader, writer, host, path):
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept-Encoding: gzip\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    if not head.startswith("http/1.1 200"):
        raise SystemExit(f"{path}: {head.splitlines()[0]}")
    body = await reader.readexactly(int(head.split("content-length:")[1].split("\r\n")[0]))
    return gzip.decompress(body) if "content-encoding: gzip" in head else body


async def client(number, urls, hashes, times):
    url = urllib.parse.urlsplit(urls[number % len(urls)])
    reader, writer = await asyncio.open_connection(url.hostname, url.port, limit=1 << 20)
    for step in range(10):
        index = (number // len(urls) * 7 + step) % CHAPTERS
        start = time.perf_counter()
        data = await get(reader, writer, url.netloc, f"{url.path}c{index}.xhtml")
        times.append(time.perf_counter() - start)
        if hashlib.sha256(data).digest() != hashes[number % len(urls), index]:
            raise SystemExit(f"{url.path}c{index}.xhtml is not what was put in")
        # The pause is the readers' own.
        await asyncio.sleep(PAUSE)
    writer.close()


async def read(pid, urls):
    hashes = {(b, i): hashlib.sha256(chapter(b + 1, i)).digest() for b in range(len(urls)) for i in range(CHAPTERS)}
    times = []
    await asyncio.gather(*(client(n, urls, hashes, times) for n in range(CLIENTS)))
    times.sort()
    with open(f"/proc/{pid}/status") as status:
        peak = next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))
    print(len(times), round(times[len(times) // 2], 3), round(times[int(len(times) * 0.99)], 3), peak)


if sys.argv[1] == "books":
    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    asyncio.run(read(int(sys.argv[3]), sys.argv[4:]))
