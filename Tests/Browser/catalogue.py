"""Walks a catalogue as a reader with much patience would: follows every link of both versions of OPDS, and checks each document.

    catalogue.py URL [--login FILE] [--schemas FOLDER] [--rules FILE]

URL: the server's address. FILE of --login: NAME:PASSWORD. FOLDER: the JSON schemas of OPDS 2.0 and of Readium's manifest, by default those of
$CARREL_CORPUS. FILE of --rules: RELAX NG for Atom, which jing checks, or else xmllint; by default those of the package's own tests. Without them, documents
are not validated.
"""

import argparse
import base64
import collections
import dataclasses
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import urllib.parse
import xml.etree.ElementTree as ElementTree

ATOM = "{http://www.w3.org/2005/Atom}"
OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
ACQUISITION = "http://opds-spec.org/acquisition"
OPDS = "https://drafts.opds.io/schema/"
ROOTS = {
    "1.2": "application/atom+xml;profile=opds-catalog;kind=navigation",
    "2.0": "application/opds+json",
}
# What templates are filled in with. The search is for a word of every book.
VALUES = {"{pageNumber}": "0", "{maxWidth}": "120", "{?query}": "?query=a", "{searchTerms}": "a", "{startPage?}": "1"}
# Feeds are followed in which so many choices were made; each further one multiplies them.
MAX_CHOICES = 1
PATIENCE = 60


@dataclasses.dataclass
class Link:
    href: str
    type: str | None = None
    rels: tuple[str, ...] = ()
    length: int | None = None
    source: str = ""


class Client:
    """One connection, opened again when the server ends it."""

    def __init__(self, address: str, login: str | None = None):
        parts = urllib.parse.urlsplit(address)
        self.host, self.port, self.scheme = parts.hostname, parts.port, parts.scheme
        self.fields = {"Authorization": "Basic " + base64.b64encode(login.encode()).decode()} if login else {}
        self.connection = None

    def get(self, url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Header names have _ in place of -."""
        parts = urllib.parse.urlsplit(url)
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        fields = self.fields | {name.replace("_", "-"): value for name, value in headers.items()}
        for attempt in range(2):
            if self.connection is None:
                kind = http.client.HTTPSConnection if self.scheme == "https" else http.client.HTTPConnection
                self.connection = kind(self.host, self.port, timeout=PATIENCE)
            try:
                self.connection.request("GET", target, headers=fields)
                answer = self.connection.getresponse()
                return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
            except (http.client.RemoteDisconnected, ConnectionError):
                self.close()
                if attempt:
                    raise
        raise AssertionError("not reached")

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Schemas:
    """JSON schemas by their addresses, of draft 7."""

    def __init__(self, folder: pathlib.Path):
        import jsonschema
        import referencing
        import referencing.jsonschema

        # The schemas name groups of patterns as ECMAScript does.
        texts = [re.sub(r"\(\?<(?=[A-Za-z])", "(?P<", file.read_text()) for file in sorted(folder.rglob("*.json"))]
        documents = [json.loads(text) for text in texts]
        resources = [(document["$id"], referencing.jsonschema.DRAFT7.create_resource(document)) for document in documents if "$id" in document]
        registry = referencing.Registry().with_resources(resources)
        self.validators = {
            name: jsonschema.Draft7Validator(
                {"$ref": f"{OPDS}{name}.schema.json"}, registry=registry, format_checker=jsonschema.Draft7Validator.FORMAT_CHECKER)
            for name in ("feed", "publication", "authentication")
        }

    def violations(self, name: str, document) -> list[str]:
        return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in self.validators[name].iter_errors(document)]


def shortest(url: str) -> str:
    """The address as a document calls itself: the first page needs no number."""
    return re.sub(r"&page=1$", "", url)


class Walk:
    """Everything that the links of one server's catalogue lead to."""

    def __init__(self, address: str, client: Client, schemas: Schemas | None = None):
        self.address = address if address.endswith("/") else address + "/"
        self.client, self.schemas = client, schemas
        self.problems: list[str] = []
        # What the schemas and the rules don't allow.
        self.violations: list[str] = []
        # The numbers of documents by media type.
        self.kinds: collections.Counter = collections.Counter()
        # Atom documents by address, for the rules.
        self.atom: dict[str, bytes] = {}
        # The files of entries by id.
        self.files: dict[str, set[str]] = collections.defaultdict(set)
        self.visited: set[str] = set()
        self.queue: collections.deque[Link] = collections.deque()

    def run(self) -> "Walk":
        self.follow([Link(f"{self.address}opds/{version}/", kind) for version, kind in ROOTS.items()])
        while self.queue:
            self.visit(self.queue.popleft())
        for name, files in self.files.items():
            if len(files) > 1:
                self.problems.append(f"the id {name} is that of several books: {sorted(files)}")
        return self

    # ---- following

    def follow(self, links: list[Link]) -> None:
        for link in links:
            href = link.href
            for name, value in VALUES.items():
                href = href.replace(name, value)
            if not href.startswith(self.address):
                self.problems.append(f"{link.source}: {href} is elsewhere")
            elif re.search(r"[{}<>\"\s]", href):
                self.problems.append(f"{link.source}: {href} is no address")
            elif href not in self.visited and self.choices(href) <= MAX_CHOICES:
                self.visited.add(href)
                self.queue.append(dataclasses.replace(link, href=href))

    def choices(self, href: str) -> int:
        if "/opds/" not in href:
            return 0
        return sum(1 for name, _ in urllib.parse.parse_qsl(urllib.parse.urlsplit(href).query) if name != "page")

    def visit(self, link: Link) -> None:
        if link.rels and any(rel == ACQUISITION or rel.startswith(ACQUISITION + "/") for rel in link.rels):
            return self.acquire(link)
        status, fields, body = self.client.get(link.href)
        if status != 200:
            self.problems.append(f"{link.href}: {status}, linked by {link.source}")
            return
        kind = fields.get("content-type", "")
        self.kinds[kind] += 1
        if link.type and not self.matches(kind, link.type):
            self.problems.append(f"{link.href}: {kind} instead of {link.type}")
        if fields.get("x-content-type-options") != "nosniff":
            self.problems.append(f"{link.href}: the type may be guessed")
        if "json" in kind:
            self.read_json(link.href, kind, body)
        elif "xml" in kind:
            self.read_xml(link.href, kind, body)

    @staticmethod
    def matches(kind: str, wanted: str) -> bool:
        # A picture may be of another format than most.
        return kind.startswith("image/") if wanted.startswith("image/") else kind.startswith(wanted)

    def acquire(self, link: Link) -> None:
        """Asks for the first bytes of a file."""
        status, fields, body = self.client.get(link.href, Range="bytes=0-99")
        self.kinds[fields.get("content-type", "")] += 1
        total = fields.get("content-range", "").rpartition("/")[2]
        if status != 206 or not body:
            self.problems.append(f"{link.href}: {status} for a part of the file")
        elif link.length is not None and total != str(link.length):
            self.problems.append(f"{link.href}: {total} bytes instead of {link.length}")
        if link.type and not fields.get("content-type", "").startswith(link.type):
            self.problems.append(f"{link.href}: {fields.get('content-type')} instead of {link.type}")

    # ---- OPDS 2.0

    def read_json(self, url: str, kind: str, body: bytes) -> None:
        document = json.loads(body)
        if "authentication" in kind:
            name = "authentication"
        elif "publication" in kind:
            name = "publication"
        else:
            name = "feed"
        if self.schemas:
            self.violations += [f"{url}: {violation}" for violation in self.schemas.violations(name, document)]
        if name != "authentication" and self.own_address(document.get("links", [])) != shortest(url):
            self.problems.append(f"{url}: it calls itself {self.own_address(document.get('links', []))}")
        self.follow(list(self.json_links(document, url)))

    @staticmethod
    def own_address(links: list[dict]) -> str | None:
        for link in links:
            rels = link.get("rel", [])
            if "self" in ([rels] if isinstance(rels, str) else rels):
                return link["href"]
        return None

    def json_links(self, value, url: str):
        """Every link object, wherever it is."""
        if isinstance(value, list):
            for element in value:
                yield from self.json_links(element, url)
        elif isinstance(value, dict):
            if isinstance(value.get("href"), str):
                rels = value.get("rel", [])
                yield Link(value["href"], value.get("type"), (rels,) if isinstance(rels, str) else tuple(rels), value.get("size"), url)
            for member in value.values():
                yield from self.json_links(member, url)

    # ---- OPDS 1.2

    def read_xml(self, url: str, kind: str, body: bytes) -> None:
        root = ElementTree.fromstring(body)
        if root.tag == f"{OPENSEARCH}OpenSearchDescription":
            templates = [Link(element.get("template", ""), element.get("type"), source=url) for element in root.iter(f"{OPENSEARCH}Url")]
            if not templates:
                self.problems.append(f"{url}: it has no template")
            return self.follow(templates)
        if not root.tag.startswith(ATOM):
            return
        self.atom[url] = body
        own = [link.get("href") for link in root.findall(f"{ATOM}link") if link.get("rel") == "self"]
        if own != [shortest(url)]:
            self.problems.append(f"{url}: it calls itself {own}")
        entries = [root] if root.tag == f"{ATOM}entry" else root.findall(f"{ATOM}entry")
        names = [entry.findtext(f"{ATOM}id") for entry in entries]
        if len(set(names)) != len(names):
            self.problems.append(f"{url}: two entries have one id")
        for name, entry in zip(names, entries):
            files = [link.get("href") for link in entry.findall(f"{ATOM}link") if link.get("rel", "").startswith(ACQUISITION)]
            self.files[name].update(files)
        self.follow([self.atom_link(element, url) for element in root.iter(f"{ATOM}link")])

    @staticmethod
    def atom_link(element, url: str) -> Link:
        length = element.get("length")
        return Link(element.get("href"), element.get("type"), (element.get("rel", "alternate"),), int(length) if length else None, url)

    # ---- rules

    def check_rules(self, rules: str) -> None:
        """Validates all Atom documents in one run of the validator."""
        with tempfile.TemporaryDirectory(prefix="carrel-atom.") as folder:
            schema, names = pathlib.Path(folder) / "atom.rng", {}
            schema.write_text(rules)
            for number, (url, body) in enumerate(self.atom.items()):
                path = pathlib.Path(folder) / f"{number}.xml"
                path.write_bytes(body)
                names[str(path)] = url
            command = ["jing", str(schema)] if shutil.which("jing") else ["xmllint", "--nonet", "--noout", "--relaxng", str(schema)]
            result = subprocess.run([*command, *names], capture_output=True, text=True)
            if result.returncode == 0:
                return
            lines = [line for line in (result.stdout + result.stderr).splitlines() if not line.endswith(" validates")]
            for line in lines or [f"{command[0]} ended with {result.returncode}"]:
                path, colon, message = line.partition(":")
                self.violations.append(f"{names[path]}: {message}" if colon and path in names else line)


def default_schemas() -> pathlib.Path | None:
    """The folder of schemas in the corpus, if it is there."""
    usual = pathlib.Path(__file__).resolve().parents[3] / "shared" / "corpus"
    folder = pathlib.Path(os.environ.get("CARREL_CORPUS", usual)) / "schema"
    return folder if (folder / "opds" / "feed.schema.json").is_file() else None


def default_rules() -> str | None:
    """The rules for Atom, which the tests in Swift have as a text."""
    file = pathlib.Path(__file__).resolve().parents[1] / "OPDSTests" / "AtomSchema.swift"
    found = re.search(r'#"""\n(.*?)\n *"""#', file.read_text(), re.S) if file.is_file() else None
    # An XML declaration has no space in front.
    return textwrap.dedent(found[1]) if found else None


def has_validator() -> bool:
    return any(shutil.which(name) for name in ("jing", "xmllint"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("--login", type=pathlib.Path)
    parser.add_argument("--schemas", type=pathlib.Path, default=default_schemas())
    parser.add_argument("--rules", type=pathlib.Path)
    options = parser.parse_args()
    client = Client(options.url, options.login.read_text().strip() if options.login else None)
    walk = Walk(options.url, client, Schemas(options.schemas) if options.schemas else None).run()
    client.close()
    rules = options.rules.read_text() if options.rules else default_rules()
    if rules and has_validator():
        walk.check_rules(rules)
    for kind, count in sorted(walk.kinds.items()):
        print(f"{count:6} {kind}")
    for problem in walk.problems + walk.violations:
        print(problem, file=sys.stderr)
    print(f"{len(walk.visited)} addresses, {len(walk.problems)} problems, {len(walk.violations)} violations of schemas and rules")
    return 1 if walk.problems or walk.violations else 0


if __name__ == "__main__":
    sys.exit(main())
