"""Makes books that Readium LCP protects, with the openssl tool as the only cipher, and their plain twins.

    protected.py FOLDER VECTORS MB    FOLDER/{root.pem,passphrase,key,iv}, sound.{lcpa,bin}, book.epub, plain.epub, scans.lcpdf

VECTORS is Tests/Fixtures/LCP/LCPVectors.swift, whose licence has the key of the content. sound.bin is the encrypted sound without its first block.
"""

import base64
import json
import os
import re
import subprocess
import sys
import zipfile

folder, vectors, size = sys.argv[1], open(sys.argv[2], encoding="utf-8").read(), int(sys.argv[3]) << 20
scheme = "http://readium.org/2014/01/lcp"
algorithm = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"


def text(name):
    return re.search(rf'{name} = #"""\n(.*?)\n *"""#', vectors, re.S).group(1)


def outdented(name):
    lines = text(name).split("\n")
    indent = min(len(line) - len(line.lstrip()) for line in lines if line)
    return "\n".join(line[indent:] for line in lines)


key = base64.b64decode(re.search(r'contentKey = data\("(.*?)"\)', vectors).group(1)).hex()
license = outdented("rsaLicense")
iv = "000102030405060708090a0b0c0d0e0f"


def write(name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def encrypted(data):
    padding = 16 - len(data) % 16
    padded = data + bytes(padding - 1) + bytes([padding])
    command = ["openssl", "enc", "-aes-256-cbc", "-nopad", "-K", key, "-iv", iv]
    return bytes.fromhex(iv) + subprocess.run(command, input=padded, capture_output=True, check=True).stdout


def encryption(length):
    return {"scheme": scheme, "profile": "http://readium.org/lcp/basic-profile", "algorithm": algorithm, "originalLength": length}


def package(name, profile, href, kind, content):
    manifest = {
        "@context": "https://readium.org/webpub-manifest/context.jsonld",
        "metadata": {"title": name, "conformsTo": f"https://readium.org/webpub-manifest/profiles/{profile}"},
        "readingOrder": [{"href": href, "type": kind, "properties": {"encrypted": encryption(len(content))}}],
    }
    cipher = encrypted(content)
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.writestr("license.lcpl", license)
        archive.writestr(href, cipher)
    return cipher


CONTAINER = """<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
NAVIGATION = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>C</title></head>
<body><nav epub:type="toc"><ol><li><a href="c0.xhtml">Start</a></li></ol></nav></body></html>"""


def epub(name, protects):
    """100 MB: 60 chapters, and 200 pictures behind them."""
    chapter = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>C</title></head><body>%s</body></html>'
    files = [(f"c{i}.xhtml", (chapter % (f"<p>Chapter {i}: the sea, the sea.</p>" * 600)).encode()) for i in range(60)]
    files += [(f"p{i}.jpg", os.urandom(500_000)) for i in range(200)]
    items = "".join(
        f'<item id="f{i}" href="{path}" media-type="{"image/jpeg" if path.endswith("jpg") else "application/xhtml+xml"}"/>'
        for i, (path, _) in enumerate(files))
    spine = "".join(f'<itemref idref="f{i}"/>' for i in range(60))
    opf = f"""<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>B</dc:title><dc:language>en</dc:language><dc:identifier id="id">b</dc:identifier></metadata>
<manifest>{items}<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine>{spine}</spine></package>"""
    data = "".join(
        f"""<enc:EncryptedData><enc:EncryptionMethod Algorithm="{algorithm}"/><ds:KeyInfo><ds:RetrievalMethod
 URI="license.lcpl#/encryption/content_key" Type="{scheme}#EncryptedContentKey"/></ds:KeyInfo><enc:CipherData><enc:CipherReference
 URI="{path}"/></enc:CipherData><enc:EncryptionProperties><enc:EncryptionProperty><ns:Compression
 xmlns:ns="http://www.idpf.org/2016/encryption#compression" Method="0" OriginalLength="{len(content)}"/></enc:EncryptionProperty>
</enc:EncryptionProperties></enc:EncryptedData>""" for path, content in files)
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for path, content in (("META-INF/container.xml", CONTAINER), ("book.opf", opf), ("nav.xhtml", NAVIGATION)):
            archive.writestr(path, content, zipfile.ZIP_DEFLATED)
        if protects:
            archive.writestr("META-INF/license.lcpl", license)
            archive.writestr(
                "META-INF/encryption.xml", f'<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
                f'xmlns:enc="http://www.w3.org/2001/04/xmlenc#" xmlns:ds="http://www.w3.org/2000/09/xmldsig#">{data}</encryption>',
                zipfile.ZIP_DEFLATED)
        for path, content in files:
            if protects:
                archive.writestr(path, encrypted(content))
            else:
                archive.writestr(path, content, zipfile.ZIP_DEFLATED if path.endswith("xhtml") else zipfile.ZIP_STORED)


def pdf():
    """180 MB: 300 pages, each with a line of text and a picture of 600 kB."""
    objects, count = [], 300
    objects.append(b"<< /Type /Catalog /Pages 2 0 R >>")
    kids = " ".join(f"{4 + 3 * i} 0 R" for i in range(count))
    objects.append(f"<< /Type /Pages /Count {count} /Kids [{kids}] /MediaBox [0 0 595 842] >>".encode())
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for i in range(count):
        line = f"q 500 0 0 500 40 40 cm /I Do Q BT /F 12 Tf 72 780 Td (Page {i + 1} of the scans) Tj ET".encode()
        picture = os.urandom(600_000)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /Contents {5 + 3 * i} 0 R /Resources << /Font << /F 3 0 R >> /XObject << /I {6 + 3 * i} 0 R >> >> >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(line), line))
        objects.append(
            b"<< /Type /XObject /Subtype /Image /Width 750 /Height 800 /BitsPerComponent 8 /ColorSpace /DeviceGray /Length %d >>\nstream\n%s\nendstream"
            % (len(picture), picture))
    result, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(result))
        result += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(result)
    result += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        result += b"%010d 00000 n \n" % offset
    result += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(result)


write("root.pem", outdented("rootCertificatePEM").encode())
write("passphrase", re.search(r'passphrase = "(.*?)"', vectors).group(1).encode() + b"\n")
os.chmod(os.path.join(folder, "passphrase"), 0o600)
write("key", key.encode())
write("iv", iv.encode())
write("sound.bin", package("sound.lcpa", "audiobook", "sound.mp3", "audio/mpeg", os.urandom(1 << 20) * (size >> 20))[16:])
epub("book.epub", True)
epub("plain.epub", False)
package("scans.lcpdf", "pdf", "scans.pdf", "application/pdf", pdf())
