"""The part of make-vectors.sh that pads, deflates and sorts. Runs in its folder of certificates; prints Swift."""

import base64
import json
import re
import subprocess
import textwrap
import zlib

PASSPHRASE = "White whale"
IDENTIFIER = "urn:uuid:0f1c2d3e-4b5a-4678-9abc-def012345678"
CONTENT_KEY = bytes(range(0x40, 0x60))
PLAIN = "Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my purse"[:100]
LINE = "The sea, the sea. A whale, a white whale, and the sea again.\n"


def run(*arguments, data=b""):
    return subprocess.run(["openssl", *arguments], input=data, stdout=subprocess.PIPE, check=True).stdout


def encrypted(plain, key, first):
    """Cipher text, vector first. The padding of XML Encryption 1.1, section 5.2: only the last byte says something."""
    vector = bytes((first + 7 * index) % 256 for index in range(16))
    count = 16 - len(plain) % 16
    padded = plain + bytes(0xA0 + index for index in range(count - 1)) + bytes([count])
    return vector + run("enc", "-aes-256-cbc", "-nopad", "-K", key.hex(), "-iv", vector.hex(), data=padded)


def base(data):
    return base64.b64encode(data).decode()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def pair(der):
    """r||s of 32 bytes each, as XML Signature 1.1, section 6.4.3, has it, from an ASN.1 sequence."""
    numbers, place = [], 2
    for _ in range(2):
        count = der[place + 1]
        numbers.append(int.from_bytes(der[place + 2 : place + 2 + count], "big").to_bytes(32, "big"))
        place += 2 + count
    return b"".join(numbers)


user_key = run("dgst", "-sha256", "-binary", data=PASSPHRASE.encode())


def sign(provider, message):
    return run("dgst", "-sha256", "-sign", provider + ".key", data=message)


def license(provider, algorithm, issued, convert=lambda signature: signature):
    document = {
        "provider": "https://books.example.org",
        "id": IDENTIFIER,
        "issued": issued,
        "encryption": {
            "profile": "http://readium.org/lcp/basic-profile",
            "content_key": {
                "encrypted_value": base(encrypted(CONTENT_KEY, user_key, 0x10)),
                "algorithm": "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
            },
            "user_key": {
                "text_hint": "Which animal? “Farbe” first, 🐋 second",
                "algorithm": "http://www.w3.org/2001/04/xmlenc#sha256",
                "key_check": base(encrypted(IDENTIFIER.encode(), user_key, 0x60)),
            },
        },
        "links": [
            {"rel": "hint", "href": "https://books.example.org/hint", "type": "text/html"},
            {
                "rel": "publication",
                "href": "https://books.example.org/moby-dick.epub",
                "type": "application/epub+zip",
                "title": "Moby-Dick; or, \"The Whale\"",
            },
        ],
        "user": {"id": "ishmael", "name": "Ishmaël / \\ Ishmael\t\u00a0", "encrypted": []},
        "rights": {"print": 10, "copy": 2048},
    }
    signature = convert(sign(provider, canonical(document)))
    der = run("x509", "-in", provider + ".pem", "-outform", "DER")
    document["signature"] = {
        "algorithm": "http://www.w3.org/2001/04/xmldsig-more#" + algorithm,
        "certificate": base(der),
        "value": base(signature),
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def indented(text):
    return textwrap.indent(text.rstrip("\n"), " " * 8)


def text(name, comment, value):
    return f'    /// {comment}\n    public static let {name} = #"""\n{indented(value)}\n        """#\n'


def data(name, comment, value):
    if len(value) <= 48:
        return f'    /// {comment}\n    public static let {name} = data("{base(value)}")\n'
    lines = "\n".join(textwrap.wrap(base(value), 100))
    return f'    /// {comment}\n    public static let {name} = data(\n        """\n{indented(lines)}\n        """)\n'


def plain(name, comment, line, count=1):
    literal = json.dumps(line)
    if count > 1:
        literal = f"String(repeating: {literal}, count: {count})"
    return f"    /// {comment}\n    public static let {name} = Data(\n        {literal}.utf8)\n"


def pem(name):
    with open(name) as file:
        return re.sub(r"\A.*?(?=-----BEGIN)", "", file.read(), flags=re.S)


def deflated(plain):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(plain) + packer.flush()


certificates = [
    ("root", "A root, valid from 2020 to 2050."),
    ("shortRoot", "The same root with the same key, valid until 2021."),
    ("strangerRoot", "Another root."),
    ("rsa", "A provider under the root, RSA with 2048 bits, valid from 2020 to 2050."),
    ("ecdsa", "A provider under the root, P-256, valid from 2020 to 2050."),
    ("expired", "A provider under the root, P-256, valid from 2020 to 2021."),
    ("revoked", "A provider under the root, P-256, which the revocation list has."),
    ("stranger", "A provider under the other root, P-256."),
    ("intermediate", "An authority under the root, P-256."),
    ("below", "A provider under the intermediate authority, P-256."),
    ("forged", "A provider whose certificate ``ecdsaCertificatePEM`` signed, which is no authority."),
]
providers = ["rsa", "ecdsa", "expired", "revoked", "stranger"]
lists = [
    ("revocationList", "The root's list with ``revokedCertificatePEM``, of 2026-01-01, valid until 2050."),
    ("oldRevocationList", "The root's list of 2021-01-01, valid until 2022, without a certificate."),
    ("strangerRevocationList", "The other root's list of 2026-01-01, without a certificate."),
    ("intermediateRevocationList", "A list by ``intermediateCertificatePEM``, whose key is not one for lists."),
    ("unknownRevocationList", "A list by the root with a critical extension without a meaning."),
]
licenses = [
    ("rsaLicense", "A licence with an RSA signature.", license("rsa", "rsa-sha256", "2025-06-01T12:00:00Z")),
    (
        "ecdsaLicense",
        "A licence with an ECDSA signature, as the two numbers.",
        license("ecdsa", "ecdsa-sha256", "2025-06-01T12:00:00Z", pair),
    ),
    (
        "ecdsaDERLicense",
        "A licence with an ECDSA signature in DER.",
        license("ecdsa", "ecdsa-sha256", "2025-06-01T12:00:00Z"),
    ),
    (
        "licenseBeforeExpiry",
        "A licence of 2020-06-01 by the provider whose certificate ended in 2021.",
        license("expired", "ecdsa-sha256", "2020-06-01T12:00:00Z", pair),
    ),
    (
        "licenseAfterExpiry",
        "A licence of 2025-06-01 by the same provider.",
        license("expired", "ecdsa-sha256", "2025-06-01T12:00:00Z", pair),
    ),
    (
        "revokedLicense",
        "A licence by the provider whose certificate was revoked.",
        license("revoked", "ecdsa-sha256", "2025-06-01T12:00:00Z", pair),
    ),
    (
        "strangerLicense",
        "A licence by the provider under the other root.",
        license("stranger", "ecdsa-sha256", "2025-06-01T12:00:00Z", pair),
    ),
]

ecdsa = sign("ecdsa", PLAIN.encode())
parts = [
    "// Written by make-vectors.sh; change that and run it again.\npublic import Foundation\n",
    "/// Licences of the basic profile (LCP 1.0, section 6.3), certificates and cipher text, made by the openssl tool.\n"
    "public enum LCPVectors {",
    f'    /// Opens all licences.\n    public static let passphrase = "{PASSPHRASE}"\n',
    f'    /// The `id` of all licences.\n    public static let identifier = "{IDENTIFIER}"\n',
    data("userKey", "The SHA-256 of ``passphrase``.", user_key),
    data("contentKey", "The key of the resources.", CONTENT_KEY),
    data(
        "encryptedContentKey", "``contentKey``, encrypted with ``userKey``, vector first.",
        encrypted(CONTENT_KEY, user_key, 0x10)),
    data(
        "keyCheck", "``identifier``, encrypted with ``userKey``, vector first.",
        encrypted(IDENTIFIER.encode(), user_key, 0x60)),
    plain("resource", "A resource of 100 bytes.", PLAIN),
    data("encryptedResource", "``resource``, encrypted.", encrypted(PLAIN.encode(), CONTENT_KEY, 0x30)),
    plain("largerResource", f"A resource of {len(LINE) * 20} bytes.", LINE, 20),
    data(
        "deflatedResource", "``largerResource``, deflated (RFC 1951), then encrypted.",
        encrypted(deflated(LINE.encode() * 20), CONTENT_KEY, 0x90)),
    data(
        "rsaSignature", "The signature of ``resource`` by the key of ``rsaCertificatePEM``.",
        sign("rsa", PLAIN.encode())),
    data(
        "ecdsaSignature", "The signature of ``resource`` by the key of ``ecdsaCertificatePEM``, as two numbers.",
        pair(ecdsa)),
    data("ecdsaDERSignature", "``ecdsaSignature`` in DER.", ecdsa),
]
parts += [text(name + "CertificatePEM", comment, pem(name + ".pem")) for name, comment in certificates]
parts += [
    text(name + "KeyPEM", f"The private key of ``{name}CertificatePEM``, for tests only.", pem(name + ".key"))
    for name in providers
]
parts += [text(name + "PEM", comment, pem(name + ".pem")) for name, comment in lists]
parts += [text(*licence) for licence in licenses]
parts += [
    "    private static func data(_ text: String) -> Data {\n"
    "        Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data()\n    }\n}"
]
print("\n".join(parts))
