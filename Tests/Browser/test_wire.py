"""The publication server as it is on the wire: requests byte by byte, without a browser."""

import base64
import gzip
import hashlib
import http.client
import json
import pathlib
import re
import resource
import select
import signal
import socket
import struct
import tempfile
import time
import unittest
import urllib.parse
import zipfile

import books
from doubles import Listener, Storage, until
from served import PATIENCE, Served, run, secret_file

TOKEN = "correct horse+battery&staple=42%é"
CHAPTER = "EPUB/c02.xhtml"
# The server's limits: ServerConfiguration.Limits.
HEADER_BYTES = 16 << 10
IDLE_TIME = 30
MIB = 1 << 20


class Answer:
    """What came back for one request."""

    def __init__(self, response: http.client.HTTPResponse, method: str):
        self.status = response.status
        self.fields = [(name.lower(), value) for name, value in response.getheaders()]
        self.headers = dict(self.fields)
        self.body = b"" if method == "HEAD" else response.read()
        self.closes = response.will_close

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


class Connection:
    """A connection on which a test writes bytes."""

    def __init__(self, port: int, host: str = "127.0.0.1"):
        self.port = port
        self.socket = socket.create_connection((host, port), PATIENCE)

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def request(self, target: str, method: str = "GET", body: bytes = b"", host: str | None = None, **headers: str) -> Answer:
        """Header names have _ in place of -."""
        fields = {"Host": host if host is not None else f"127.0.0.1:{self.port}"} | {name.replace("_", "-"): value for name, value in headers.items()}
        if body:
            fields["Content-Length"] = str(len(body))
        head = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        self.send(head.encode("latin-1") + body)
        return self.answer(method)

    def answer(self, method: str = "GET") -> Answer:
        response = http.client.HTTPResponse(self.socket, method=method)
        response.begin()
        return Answer(response, method)

    def is_closed_within(self, seconds: float) -> bool:
        """Whether the server ends the connection; bytes that come before are dropped."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.socket], [], [], left)[0]:
                return False
            try:
                if not self.socket.recv(65_536):
                    return True
            except ConnectionError:
                return True
        return False

    def vanish(self) -> None:
        """Goes away without a goodbye: the other side gets a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class WireTest(unittest.TestCase):
    """Tests of one book that is served."""

    options: tuple[str, ...] = ()

    @classmethod
    def make_book(cls, folder: pathlib.Path) -> pathlib.Path | str:
        return books.novel(folder / "novel.epub")

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-wire.")))
        cls.book = cls.make_book(cls.folder)
        cls.served = cls.enterClassContext(Served(cls.folder / "home", cls.book, *cls.options))
        cls.base = f"/{cls.served.key}/"

    def get(self, target: str, method: str = "GET", **more) -> Answer:
        """One request on a connection by itself; targets that don't begin with a slash are below the publication."""
        with Connection(self.served.port) as connection:
            return connection.request(target if target.startswith(("/", "http:", "*")) else self.base + target, method, **more)

    def inside(self, name: str) -> bytes:
        """A file of the book."""
        with zipfile.ZipFile(self.book) as archive:
            return archive.read(name)


class StartTests(WireTest):
    def test_the_first_line_is_an_address_that_nobody_guesses(self):
        self.assertRegex(self.served.url, r"^http://127\.0\.0\.1:\d+/[A-Za-z0-9_-]{22}/$")
        self.assertEqual(self.get("/").status, 404)
        self.assertEqual(self.get("/" + "A" * 22 + "/").status, 404)

    def test_with_json_the_first_line_is_an_object(self):
        with Served(self.folder / "json", self.book, "--json") as served:
            line = json.loads(served.first_line)
            self.assertEqual(line["manifest"], line["url"] + "manifest.json")

    def test_it_listens_on_loopback_alone(self):
        with open(f"/proc/{self.served.process.pid}/net/tcp") as table:
            addresses = {row.split()[1] for row in table.readlines()[1:] if row.split()[3] == "0A" and row.split()[1].endswith(f":{self.served.port:04X}")}
        self.assertEqual(addresses, {f"0100007F:{self.served.port:04X}"})

    def test_the_address_without_its_slash_leads_to_it(self):
        answer = self.get(self.base.rstrip("/"))
        self.assertIn(answer.status, (301, 307, 308))
        self.assertEqual(answer.headers["location"], self.base)

    def test_a_signal_ends_it(self):
        served = Served(self.folder / "ends", self.book)
        self.assertEqual(served.stop(signal.SIGTERM), 130)
        served = Served(self.folder / "ends", self.book)
        self.assertEqual(served.stop(signal.SIGINT), 130)

    def test_a_port_that_is_taken_is_an_error_with_a_sentence(self):
        result = run(self.folder / "home", str(self.book), "--port", str(self.served.port))
        self.assertNotIn(result.returncode, (0, 130))
        self.assertIn(str(self.served.port), result.stderr)

    def test_beyond_loopback_needs_a_token(self):
        for address in ("0.0.0.0", "::", "192.0.2.1"):
            with self.subTest(address):
                result = run(self.folder / "home", str(self.book), "--bind", address)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn("token", result.stderr)

    def test_a_token_that_is_too_short_or_that_others_can_read_is_refused(self):
        short = secret_file(self.folder / "short", "abc\n")
        self.assertEqual(run(self.folder / "home", str(self.book), "--token-file", str(short)).returncode, 2)
        readable = secret_file(self.folder / "readable", TOKEN)
        readable.chmod(0o644)
        result = run(self.folder / "home", str(self.book), "--token-file", str(readable))
        self.assertIn(result.returncode, (2, 4))
        self.assertNotIn(TOKEN, result.stderr)

    def test_after_kill_9_the_address_works_again_with_the_same_key(self):
        key = self.folder / "key"
        served = Served(self.folder / "again", self.book, "--key-file", str(key))
        url, port = served.url, served.port
        with Connection(port) as connection:
            self.assertEqual(connection.request(f"/{served.key}/{CHAPTER}").status, 200)
            served.stop(signal.SIGKILL)
        self.assertEqual(key.stat().st_mode & 0o077, 0, "others can read the key")
        with Served(self.folder / "again", self.book, "--key-file", str(key), "--port", str(port)) as again:
            self.assertEqual(again.url, url)
            with Connection(port) as connection:
                self.assertEqual(connection.request(f"/{again.key}/{CHAPTER}").status, 200)
        with Served(self.folder / "again", self.book, "--key-file", str(self.folder / "another")) as other:
            self.assertNotEqual(other.key, again.key)


    def test_a_book_has_one_address_however_its_location_is_written(self):
        folders = [self.folder / name for name in ("one", "two")]
        for folder in folders:
            folder.mkdir()
        paths = [books.novel(folder / "same.epub") for folder in folders]
        keys = set()
        for path in (paths[0], f"{folders[0]}//same.epub", paths[0].as_uri(), folders[0] / ".." / "one" / "same.epub"):
            with Served(self.folder / "again", path) as served:
                keys.add(served.key)
        self.assertEqual(len(keys), 1)
        home = self.folder / "again"
        for folder in folders:
            with Served(home, "same.epub", cwd=folder) as served:
                keys.add(served.key)
        self.assertEqual(len(keys), 2, "another book has the same address")


class HostTests(WireTest):
    def test_names_that_are_not_the_servers_are_refused(self):
        port = self.served.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "10.1.2.3", "127.0.0.1@evil.example", "[::2]", "127.0.0.1, evil.example", ""):
            with self.subTest(host):
                answer = self.get("", host=host)
                self.assertIn(answer.status, (400, 421))
                self.assertNotIn(books.NOVEL, answer.text)

    def test_names_of_this_machine_are_taken_with_any_port(self):
        for host in ("127.0.0.1", f"127.0.0.1:{self.served.port}", "localhost", "localhost:1", "LOCALHOST"):
            with self.subTest(host):
                self.assertEqual(self.get("", host=host).status, 200)

    def test_no_host_and_two_hosts_are_refused(self):
        for fields in ("", f"Host: 127.0.0.1:{self.served.port}\r\nHost: evil.example\r\n"):
            with self.subTest(fields), Connection(self.served.port) as connection:
                connection.send(f"GET {self.base} HTTP/1.1\r\n{fields}\r\n".encode())
                try:
                    answer = connection.answer()
                except (http.client.HTTPException, ConnectionError):
                    continue
                self.assertIn(answer.status, (400, 421))
                self.assertNotIn(books.NOVEL, answer.text)


class PathTests(WireTest):
    @classmethod
    def make_book(cls, folder):
        (folder / "secret.txt").write_text("what is beside the book")
        (folder / "home").mkdir()
        return super().make_book(folder)

    def test_no_path_leads_out_of_the_publication(self):
        with Listener() as listener:
            remote = base64.urlsafe_b64encode(f"{listener.origin}/leak/x".encode()).decode().rstrip("=")
            targets = [
                "../secret.txt", "../../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "%2e%2e%2fsecret.txt", "EPUB/../../secret.txt", "EPUB/%2e%2e/%2e%2e/secret.txt",
                "..%5csecret.txt", "..\\secret.txt", "EPUB/..;/secret.txt", "%252e%252e%252fsecret.txt", "..%c0%afsecret.txt", "%c0%ae%c0%ae/secret.txt",
                "/etc/passwd", "//etc/passwd", "%2fetc%2fpasswd", "../" * 12 + "etc/passwd", "%2e%2e%2f" * 12 + "etc/passwd",
                "file:///etc/passwd", "file:%2f%2f%2fetc%2fpasswd", urllib.parse.quote(str(self.folder / "secret.txt"), safe=""),
                "%00", "EPUB/c02.xhtml%00", "EPUB/c02.xhtml%00.png", "EPUB%00/c02.xhtml", "%", "%zz", "%2", "EPUB/c99.xhtml", "EPUB/", "EPUB",
                f"{listener.origin}/leak/y", urllib.parse.quote(f"{listener.origin}/leak/z", safe=""), f"~carrel/remote/{remote}", "~carrel/remote/", "~carrel/remote/%2e%2e%2f",
                "~carrel/", "~carrel/../manifest.json/x", "~carrel/%2e%2e%2fpage.html", "~carrel/frame.swift", "~readium/", "~readium/none", "~readium/%2e%2e/x",
            ]
            for target in targets:
                with self.subTest(target):
                    with Connection(self.served.port) as connection:
                        answer = connection.request(self.base + target)
                    self.assertIn(answer.status, (400, 404), answer.text[:200])
                    self.assertNotIn("what is beside the book", answer.text)
                    self.assertNotIn("root:", answer.text)
                    self.assertNotIn(str(self.folder), answer.text)
            self.assertEqual(listener.connections, 0, "the server fetched an address that is no resource")

    def test_a_raw_nul_and_other_bytes_that_no_target_has_are_refused(self):
        for target in (b"EPUB/c02.xhtml\0", b"EPUB/c02.xhtml\x01", b"EPUB/c 02.xhtml", b"EPUB/\xff\xfe"):
            with self.subTest(target), Connection(self.served.port) as connection:
                connection.send(b"GET " + self.base.encode() + target + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                try:
                    self.assertIn(connection.answer().status, (400, 404))
                except (http.client.HTTPException, ConnectionError):
                    self.assertTrue(connection.is_closed_within(PATIENCE))

    def test_the_absolute_form_names_this_server_or_nothing(self):
        own = self.get(f"http://127.0.0.1:{self.served.port}{self.base}{CHAPTER}")
        # Source: RFC 9112, 3.2.2, has servers accept it.
        self.assertIn(own.status, (200, 400, 404, 421))
        if own.status == 200:
            self.assertEqual(own.body, self.inside(CHAPTER))
        with Listener() as listener:
            for target in (f"{listener.origin}/leak/proxy", f"http://evil.example{self.base}"):
                with self.subTest(target):
                    answer = self.get(target)
                    # The path alone counts, for a client that names this server in Host.
                    self.assertIn(answer.status, (200, 400, 404, 421))
                    if answer.status == 200:
                        self.assertEqual(answer.body, self.get(self.base).body)
            self.assertEqual(listener.connections, 0, "the server is a proxy")

    def test_other_methods_are_refused_and_change_nothing(self):
        for method in ("POST", "PUT", "DELETE", "PATCH", "PROPFIND"):
            with self.subTest(method):
                answer = self.get(CHAPTER, method, body=b"x")
                self.assertEqual(answer.status, 405)
                self.assertLessEqual({"GET", "HEAD"}, set(re.split(r",\s*", answer.headers["allow"])))
        for method in ("TRACE", "CONNECT", "NONSENSE"):
            with self.subTest(method):
                self.assertGreaterEqual(self.get(CHAPTER, method).status, 400)

    def test_the_same_file_has_one_address_however_it_is_encoded(self):
        self.assertEqual(self.get("EPUB/%63%30%32.xhtml").body, self.get(CHAPTER).body)
        self.assertEqual(self.get(CHAPTER + "?x=1").status, 200)

    def test_headers_beyond_the_limit_are_refused(self):
        self.assertEqual(self.get(CHAPTER, X_Large="x" * (HEADER_BYTES // 2)).status, 200)
        for what, fields in (("one", {"X_Large": "x" * (HEADER_BYTES + 4_096)}), ("many", {f"X_{number}": "y" * 600 for number in range(60)}), ("count", {f"X_{number}": "y" for number in range(500)})):
            with self.subTest(what), Connection(self.served.port) as connection:
                try:
                    answer = connection.request(self.base + CHAPTER, **fields)
                    self.assertIn(answer.status, (400, 413, 431))
                except (http.client.HTTPException, ConnectionError):
                    pass
                self.assertTrue(connection.is_closed_within(PATIENCE), "the connection stays open")
        with Connection(self.served.port) as connection:
            try:
                connection.send(b"GET /" + b"a" * 1_000_000)
                connection.send(b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                self.assertIn(connection.answer().status, (400, 404, 414, 431))
            except (http.client.HTTPException, ConnectionError):
                pass
        self.assertEqual(self.get(CHAPTER).status, 200)

    def test_requests_that_mean_two_things_are_refused(self):
        for head in ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: gzip, identity\r\n"):
            with self.subTest(head), Connection(self.served.port) as connection:
                connection.send(f"POST {self.base} HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n".encode() + b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                try:
                    self.assertGreaterEqual(connection.answer("POST").status, 400)
                except (http.client.HTTPException, ConnectionError):
                    pass

    def test_several_requests_on_one_connection_are_answered_in_order(self):
        names = [f"EPUB/c{number:02}.xhtml" for number in range(1, 13)]
        with Connection(self.served.port) as connection:
            connection.send("".join(f"GET {self.base}{name} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" for name in names).encode())
            # One reader for all: a reader may take more from the socket than its answer has.
            stream = connection.socket.makefile("rb")
            for name in names:
                status = stream.readline()
                self.assertTrue(status.startswith(b"HTTP/1.1 200"), status)
                headers = http.client.parse_headers(stream)
                self.assertEqual(stream.read(int(headers["Content-Length"])), self.inside(name))


class AnswerTests(WireTest):
    NAMES = ["", "manifest.json", "~readium/positions", "~readium/search?query=" + books.RARE_WORD, "~carrel/page.css", "~carrel/page.js", CHAPTER, CHAPTER + "?~frame", "EPUB/style.css",
             "EPUB/fonts/blocks.ttf", "EPUB/pictures/cover.png", "EPUB/none.xhtml"]

    def test_head_says_what_get_says(self):
        for name in self.NAMES:
            for coding in ("identity", "gzip"):
                with self.subTest(name, coding=coding):
                    left_out = ("date", "transfer-encoding", "connection", "keep-alive")
                    get, head = self.get(name, Accept_Encoding=coding), self.get(name, "HEAD", Accept_Encoding=coding)
                    # What would have to be made for it is left out (RFC 9110, section 9.3.2).
                    if name.startswith("~readium/") or name.endswith("?~frame"):
                        left_out += ("content-length", "etag")
                    self.assertEqual(head.status, get.status)
                    fields = [[(field, value) for field, value in answer.fields if field not in left_out] for answer in (get, head)]
                    self.assertEqual(sorted(fields[1]), sorted(fields[0]))
                    if "content-length" in get.headers:
                        self.assertEqual(int(get.headers["content-length"]), len(get.body))

    def test_head_sends_no_body(self):
        with Connection(self.served.port) as connection:
            connection.request(self.base + CHAPTER, "HEAD")
            # If a body had come, this answer would begin with it.
            self.assertEqual(connection.request(self.base + CHAPTER).body, self.inside(CHAPTER))

    def test_every_answer_has_its_policy(self):
        for name in self.NAMES:
            with self.subTest(name):
                answer = self.get(name)
                self.assertEqual(answer.headers["x-content-type-options"], "nosniff")
                self.assertEqual(answer.headers["referrer-policy"], "no-referrer")
                self.assertNotIn("set-cookie", answer.headers)
                self.assertNotIn("access-control-allow-origin", answer.headers)
                self.assertIn("content-security-policy", answer.headers)
                self.assertEqual(len(answer.fields), len(answer.headers), f"a field is there twice: {answer.fields}")
        page, chapter, frame = (self.get(name).headers["content-security-policy"] for name in ("", CHAPTER, CHAPTER + "?~frame"))
        self.assertIn("default-src 'none'", page)
        self.assertIn("frame-ancestors 'none'", page)
        self.assertNotIn("unsafe", page)
        for policy in (chapter, frame):
            self.assertIn("default-src 'none'", policy)
            self.assertIn("form-action 'none'", policy)
            self.assertIn("base-uri 'none'", policy)
        self.assertRegex(chapter, r"(^|; ?)sandbox( ?;|$)")
        self.assertNotIn("script-src", chapter)
        self.assertRegex(frame, r"script-src 'sha256-[A-Za-z0-9+/=]{44}'(;|$)")
        self.assertNotIn("allow-same-origin", chapter + frame)

    def test_media_types_are_right(self):
        types = {
            "": "text/html; charset=utf-8", "manifest.json": "application/webpub+json", CHAPTER: "application/xhtml+xml", "EPUB/style.css": "text/css", "EPUB/pictures/cover.png": "image/png",
            "~carrel/page.js": "text/javascript", "~carrel/page.css": "text/css",
        }
        for name, kind in types.items():
            with self.subTest(name):
                self.assertEqual(self.get(name).headers["content-type"].split(";")[0], kind.split(";")[0])

    def test_the_manifest_leads_to_everything(self):
        manifest = json.loads(self.get("manifest.json").body)
        self.assertEqual([link["href"] for link in manifest["links"] if "self" in link.get("rel", "")], [self.served.url + "manifest.json"])
        for link in manifest["readingOrder"] + manifest["resources"]:
            with self.subTest(link["href"]):
                answer = self.get(link["href"], "HEAD")
                self.assertEqual(answer.status, 200)
                self.assertEqual(answer.headers["content-type"].split(";")[0], link["type"])
        self.assertEqual(self.get(manifest["readingOrder"][1]["href"]).body, self.inside(CHAPTER))

    def test_positions_and_search_answer(self):
        positions = json.loads(self.get("~readium/positions").body)
        self.assertEqual(len(positions["positions"]), positions["total"])
        found = json.loads(self.get(f"~readium/search?query={books.RARE_WORD}").body)
        self.assertEqual([locator["href"] for locator in found["locators"]], [f"EPUB/c{books.RARE_CHAPTER:02}.xhtml"])

    def test_origins_get_nothing_but_a_sandboxed_chapter_its_font(self):
        for origin in ("https://evil.example", "null", self.served.url.rstrip("/")):
            for name in ("", "manifest.json", CHAPTER, "EPUB/pictures/cover.png", "EPUB/fonts/blocks.ttf"):
                with self.subTest(name, origin=origin):
                    if name.endswith(".ttf") and origin == "null":
                        # Over plain HTTP to another machine, browsers leave Sec-Fetch-Dest out.
                        self.assertEqual(self.get(name, Origin=origin).headers["access-control-allow-origin"], "null")
                        continue
                    self.assertNotIn("access-control-allow-origin", self.get(name, Origin=origin).headers)
        font = {"Origin": "null", "Sec_Fetch_Dest": "font", "Sec_Fetch_Mode": "cors"}
        self.assertEqual(self.get("EPUB/fonts/blocks.ttf", **font).headers.get("access-control-allow-origin"), "null")
        self.assertNotIn("access-control-allow-origin", self.get("manifest.json", **font).headers)
        self.assertNotIn("access-control-allow-origin", self.get(CHAPTER, **font).headers)

    def test_the_script_in_a_frame_is_the_one_of_the_policy(self):
        answer = self.get(CHAPTER + "?~frame")
        script = re.search(r"<script[^>]*>(.*?)</script>", answer.text, re.S).group(1)
        for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
            script = script.replace(entity, character)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self.assertIn(f"'sha256-{digest}'", answer.headers["content-security-policy"])


class CodingTests(WireTest):
    def test_a_deflated_entry_passes_through_as_gzip(self):
        answer = self.get(CHAPTER, Accept_Encoding="gzip, deflate, br, zstd")
        self.assertEqual(answer.headers["content-encoding"], "gzip")
        self.assertEqual(gzip.decompress(answer.body), self.inside(CHAPTER))
        with zipfile.ZipFile(self.book) as archive:
            info = archive.getinfo(CHAPTER)
            archive.fp.seek(info.header_offset)
            name, extra = struct.unpack("<26xHH", archive.fp.read(30))
            archive.fp.seek(info.header_offset + 30 + name + extra)
            raw = archive.fp.read(info.compress_size)
        self.assertEqual(answer.body[-8 - len(raw) : -8], raw, "the bytes are not those of the archive")
        self.assertEqual(int(answer.headers["content-length"]), len(answer.body))

    def test_the_client_chooses_the_coding(self):
        cases = {
            "gzip": True, "GZIP": True, "x-gzip, gzip;q=0.5": True, "*": True, "identity;q=0, gzip": True, "gzip;q=0.001": True, "br;q=1, gzip;q=0.2": True,
            "identity": False, "": False, "gzip;q=0": False, "gzip;q=0.000, *": False, "br, zstd": False, "*;q=0, identity": False,
        }
        for accepted, is_gzip in cases.items():
            with self.subTest(accepted):
                answer = self.get(CHAPTER, Accept_Encoding=accepted)
                self.assertEqual(answer.headers.get("content-encoding") == "gzip", is_gzip)
                self.assertEqual(gzip.decompress(answer.body) if is_gzip else answer.body, self.inside(CHAPTER))
                self.assertIn("accept-encoding", answer.headers["vary"].lower())
        self.assertNotIn("content-encoding", self.get(CHAPTER).headers)

    def test_pictures_are_never_compressed_again(self):
        self.assertNotIn("content-encoding", self.get("EPUB/pictures/cover.png", Accept_Encoding="gzip").headers)

    def test_each_coding_has_a_strong_tag_and_is_not_sent_twice(self):
        tags = {}
        for coding in ("gzip", "identity"):
            answer = self.get(CHAPTER, Accept_Encoding=coding)
            tags[coding] = answer.headers["etag"]
            self.assertRegex(tags[coding], r'^"[^"]+"$')
            again = self.get(CHAPTER, Accept_Encoding=coding, If_None_Match=f'"other", {tags[coding]}')
            self.assertEqual((again.status, again.body), (304, b""))
            for field in ("etag", "vary", "cache-control"):
                self.assertEqual(again.headers[field], answer.headers[field])
            self.assertNotIn("content-type", again.headers)
        self.assertNotEqual(tags["gzip"], tags["identity"])
        self.assertEqual(self.get(CHAPTER, Accept_Encoding="identity", If_None_Match=tags["gzip"]).status, 200)
        self.assertEqual(self.get(CHAPTER, If_None_Match="W/" + tags["identity"]).status, 304)
        self.assertEqual(self.get(CHAPTER, If_None_Match="*").status, 304)
        self.assertEqual(self.get(CHAPTER, If_Match='"other"').status, 412)
        self.assertEqual(self.get(CHAPTER, If_Match=tags["identity"]).status, 200)
        self.assertNotEqual(self.get("EPUB/c03.xhtml").headers["etag"], tags["identity"])
        self.assertNotEqual(self.get(CHAPTER + "?~frame").headers.get("etag"), tags["identity"], "with the page's script it is another text")

    def test_page_and_manifest_are_checked_again_and_not_stored_for_others(self):
        for name in ("", "manifest.json", CHAPTER, "~carrel/page.js"):
            with self.subTest(name):
                control = self.get(name).headers["cache-control"]
                self.assertTrue("no-cache" in control or "no-store" in control, control)
                self.assertNotIn("public", control)


class RangeTests(WireTest):
    """Ranges of sounds, one stored and one in a deflated entry."""

    @classmethod
    def make_book(cls, folder):
        return books.sound(folder / "sound.audiobook", 240)

    def test_ranges_are_the_bytes_of_the_sound(self):
        for name in ("one.wav", "two.wav"):
            whole = self.inside(name)
            size = len(whole)
            tag = self.get(name, "HEAD").headers["etag"]
            ranges = {
                "bytes=0-0": (0, 1), "bytes=0-99": (0, 100), f"bytes={size // 2}-{size // 2 + 4_095}": (size // 2, size // 2 + 4_096), f"bytes={size - 5}-": (size - 5, size), "bytes=-7": (size - 7, size),
                f"bytes=-{size * 2}": (0, size), f"bytes={size - 1}-{size * 9}": (size - 1, size), "bytes=0-": (0, size), "Bytes=3-4": (3, 5), "bytes= 3-4": (3, 5),
            }
            for header, expected in ranges.items():
                with self.subTest(name, range=header):
                    answer = self.get(name, Range=header)
                    if not header.startswith("bytes=") or " " in header and answer.status == 200:
                        # A server may overlook any range, but not invent one.
                        self.assertIn(answer.body, (whole, whole[slice(*expected)]))
                        continue
                    first, end = expected
                    self.assertEqual(answer.status, 206)
                    self.assertEqual(answer.headers["content-range"], f"bytes {first}-{end - 1}/{size}")
                    self.assertEqual(answer.body, whole[first:end])
                    self.assertEqual(answer.headers["etag"], tag)
                    self.assertEqual(answer.headers["accept-ranges"], "bytes")
                    self.assertNotIn("content-encoding", answer.headers)

    def test_what_cannot_be_is_416_and_what_is_no_range_is_everything(self):
        size = len(self.inside("one.wav"))
        for header in (f"bytes={size}-", f"bytes={size + 5}-{size + 9}", "bytes=-0", "bytes=99999999999999999999-"):
            with self.subTest(header):
                answer = self.get("one.wav", Range=header)
                if header.endswith("99999-") and answer.status == 200:
                    continue
                self.assertEqual((answer.status, answer.headers["content-range"]), (416, f"bytes */{size}"))
        for header in ("bytes=0-1,5-6", "bytes=0-0, -1", "bytes=5-2", "bytes=a-b", "bytes=", "bytes", "seconds=0-1", "bytes=1-2-3", "bytes=--5"):
            with self.subTest(header):
                answer = self.get("one.wav", Range=header)
                self.assertEqual((answer.status, len(answer.body)), (200, size))

    def test_if_range_wants_the_very_same_version(self):
        tag = self.get("one.wav", "HEAD").headers["etag"]
        cases = {tag: 206, '"other"': 200, "W/" + tag: 200, "Thu, 01 Jan 1970 00:00:00 GMT": 200, "nonsense": 200}
        for condition, status in cases.items():
            with self.subTest(condition):
                self.assertEqual(self.get("one.wav", Range="bytes=10-19", If_Range=condition).status, status)
        self.assertEqual(self.get("one.wav", Range="bytes=10-19", If_None_Match=tag).status, 304)

    def test_sounds_are_never_compressed(self):
        for name in ("one.wav", "two.wav"):
            answer = self.get(name, "HEAD", Accept_Encoding="gzip")
            self.assertNotIn("content-encoding", answer.headers)
            self.assertEqual(answer.headers["content-type"].split(";")[0], "audio/wav")


class TokenTests(WireTest):
    options = ("--verbose",)

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-wire.")))
        cls.book = books.novel(cls.folder / "novel.epub")
        cls.token_file = secret_file(cls.folder / "token", TOKEN + "\n")

    def setUp(self) -> None:
        # Wrong tokens are counted by the server, so each test has one.
        self.served = self.enterContext(Served(self.folder / "home", self.book, "--token-file", str(self.token_file), *self.options))
        self.base = f"/{self.served.key}/"

    def post(self, token: str, **headers) -> Answer:
        form = urllib.parse.urlencode({"token": token}).encode()
        return self.get("", "POST", body=form, Content_Type="application/x-www-form-urlencoded", **headers)

    def test_the_form_leads_to_the_book_and_the_token_is_nowhere(self):
        form = self.get("")
        self.assertEqual(form.status, 200)
        self.assertIn("<form", form.text)
        self.assertNotIn(books.NOVEL, form.text)
        self.assertIn("no-store", form.headers["cache-control"])
        self.assertIn("form-action 'self'", form.headers["content-security-policy"])
        for name in ("manifest.json", CHAPTER, "~readium/positions", "~carrel/page.js", "EPUB/pictures/cover.png"):
            self.assertEqual(self.get(name).status, 404, name)
        wrong = self.post("wrong-but-as-long-as-a-token")
        self.assertEqual(wrong.status, 403)
        self.assertNotIn("location", wrong.headers)
        right = self.post(TOKEN)
        self.assertEqual(right.status, 303)
        self.assertNotIn("set-cookie", right.headers)
        grant = urllib.parse.urlsplit(right.headers["location"]).path
        self.assertRegex(grant, r"^/[A-Za-z0-9_-]{22,}/$")
        self.assertNotEqual(grant, self.base)
        answers = [form, wrong, right] + [self.get(grant + name) for name in ("", "manifest.json", CHAPTER, CHAPTER + "?~frame", "~readium/positions")]
        self.assertEqual([answer.status for answer in answers[3:]], [200] * 5)
        self.served.stop()
        log = self.served.log()
        self.assertIn("manifest.json", log, "nothing was logged, so nothing is shown")
        forms = {TOKEN, urllib.parse.quote(TOKEN), urllib.parse.quote_plus(TOKEN), TOKEN.split("&")[0], "wrong-but-as-long"}
        for secret in forms:
            for answer in answers:
                self.assertNotIn(secret, answer.text + repr(answer.fields))
            self.assertNotIn(secret, log)
            self.assertNotIn(secret, self.served.first_line)
        for segment in (self.served.key, grant.strip("/")):
            self.assertNotIn(segment, log, "an address that opens the book is in the log")

    def test_guessing_ends_after_some_attempts(self):
        statuses = [self.post(f"wrong-token-number-{number}").status for number in range(100)]
        self.assertEqual(statuses[0], 403)
        self.assertIn(429, statuses)
        first = statuses.index(429)
        self.assertEqual(set(statuses[:first]), {403})
        self.assertEqual(set(statuses[first:]), {429})
        self.assertEqual(self.post(TOKEN).status, 429, "a right guess is no help then")

    def test_a_grant_holds_for_its_token_alone(self):
        key = self.folder / "grant.key"
        paths = []
        for token in (TOKEN, TOKEN + "2"):
            file = secret_file(self.folder / "token2", token)
            with Served(self.folder / "home", self.book, "--token-file", str(file), "--key-file", str(key)) as self.served:
                self.base = f"/{self.served.key}/"
                paths.append((self.served.key, urllib.parse.urlsplit(self.post(token).headers["location"]).path))
        self.assertEqual(paths[0][0], paths[1][0])
        self.assertNotEqual(paths[0][1], paths[1][1])

    def test_forms_that_are_too_large_or_are_none_are_refused(self):
        self.assertEqual(self.post("x" * 10_000).status, 413)
        self.assertEqual(self.get("", "POST", body=b"token").status, 403)
        self.assertEqual(self.get("", "POST", body=b"\xff\xfe=&&&token=%zz").status, 403)
        self.assertEqual(self.get("", "POST").status, 403)


class EndTests(WireTest):
    """How answers and connections end."""

    options = ("--idle-timeout", "3")

    def test_a_body_that_waits_for_100_is_asked_for(self):
        head = f"POST {self.base} HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: "
        with Connection(self.served.port) as connection:
            connection.send(f"{head}3\r\n\r\n".encode())
            self.assertEqual(connection.socket.recv(4_096), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.send(b"a=b")
            self.assertEqual(connection.answer().status, 405)
        with Connection(self.served.port) as connection:
            connection.send(f"{head}999999999999\r\n\r\n".encode())
            self.assertEqual(connection.answer().status, 413)

    def test_head_sends_nothing_after_the_fields(self):
        for name in (f"{CHAPTER}?~frame", "~readium/search", "~readium/positions", ""):
            with self.subTest(name), Connection(self.served.port) as connection:
                connection.send(f"HEAD {self.base}{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
                answer = b""
                while piece := connection.socket.recv(65_536):
                    answer += piece
                self.assertTrue(answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"\r\n\r\n"), answer)
                self.assertEqual(answer.count(b"\r\n\r\n"), 1, answer)

    def test_a_client_that_goes_on_sending_after_413_is_disconnected(self):
        with Connection(self.served.port) as connection:
            connection.send(f"POST {self.base} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999999\r\n\r\n".encode())
            self.assertEqual(connection.answer().status, 413)

            def goes_on() -> bool:
                try:
                    connection.send(b"x")
                except ConnectionError:
                    return False
                return True

            self.assertTrue(until(lambda: not goes_on(), 10), "it keeps its place for ever")

    def test_a_damaged_file_is_never_complete(self):
        for stored in (set(), {"large.css"}):
            path = books.epub(self.folder / "damaged.epub", "Damaged", [("c.xhtml", "One", "", books.xhtml("One", "<p>One</p>"))], {
                "large.css": ("text/css", bytes(range(256)) * 2_000)})
            with zipfile.ZipFile(path) as archive:
                name = next(name for name in archive.namelist() if name.endswith("large.css"))
                files = {entry: archive.read(entry) for entry in archive.namelist()}
            books.pack(path, files, {name} if stored else set())
            with zipfile.ZipFile(path) as archive:
                entry = archive.getinfo(name)
            with path.open("r+b") as file:
                # The checksum that header and directory claim: the data itself unpacks.
                data = file.read()
                file.seek(0)
                file.write(data.replace(struct.pack("<I", entry.CRC), struct.pack("<I", entry.CRC ^ 1)))
            with self.subTest(stored=bool(stored)), Served(self.folder / "home", path) as served, Connection(served.port) as connection:
                with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
                    connection.request(f"/{served.key}/{name}")

    def test_a_file_that_is_overwritten_never_follows_itself(self):
        size = 48 * MIB
        path = books.epub(self.folder / "changed.epub", "Changed", [("c.xhtml", "One", "", books.xhtml("One", "<p>One</p>"))], {
            "large.bin": ("application/octet-stream", b"A" * size)})
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if name.endswith("large.bin"))
            files = {entry: archive.read(entry) for entry in archive.namelist()}
        books.pack(path, files, {name})
        with Served(self.folder / "home", path) as served, socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
            client.settimeout(PATIENCE)
            client.connect(("127.0.0.1", served.port))
            client.sendall(f"GET /{served.key}/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=0-{size - 2}\r\n\r\n".encode())
            answer = client.recv(65_536)
            self.assertIn(b" 206 ", answer)
            with path.open("r+b") as file:
                data = file.read()
                file.seek(0)
                file.write(data.replace(b"A" * size, b"B" * size))
            body, foreign = len(answer.split(b"\r\n\r\n", 1)[1]), answer.split(b"\r\n\r\n", 1)[1].count(b"B")
            try:
                while piece := client.recv(1 << 20):
                    body, foreign = body + len(piece), foreign + piece.count(b"B")
            except ConnectionError:
                pass
            self.assertEqual(foreign, 0, "bytes of two versions in one answer")
            self.assertLess(body, size - 1, "the answer is complete")
            with Connection(served.port) as connection:
                self.assertGreaterEqual(connection.request(f"/{served.key}/{name}", Range="bytes=40000000-40000099").status, 500)

    def test_what_a_book_has_on_the_web_is_read_through_the_proxy(self):
        manifest = self.folder / "far" / "manifest.json"
        manifest.parent.mkdir()
        href = "http://books.example/leak/one.html"
        manifest.write_text(json.dumps({
            "metadata": {"title": "Far"}, "readingOrder": [{"href": href, "type": "text/html"}],
            "links": [{"rel": "self", "href": "http://books.example/manifest.json", "type": "application/webpub+json"}]}))
        remote = base64.urlsafe_b64encode(href.encode()).decode().rstrip("=")
        with Listener() as proxy, Served(self.folder / "home", manifest, "--proxy", proxy.origin, "--retries", "0") as served:
            with Connection(served.port) as connection:
                self.assertIn("heard", connection.request(f"/{served.key}/~carrel/remote/{remote}").text)
            self.assertGreater(proxy.connections, 0)

    def test_a_link_beside_a_manifest_leads_nowhere(self):
        folder = self.folder / "linked"
        (folder / "inner").mkdir(parents=True)
        (self.folder / "outside.html").write_text("secret")
        (folder / "plain.html").write_text("plain")
        (folder / "inner" / "plain.html").write_text("plain")
        (folder / "link.html").symlink_to("../outside.html")
        (folder / "out").symlink_to("..")
        found = {"plain.html": 200, "inner/plain.html": 200, "link.html": 404, "out/outside.html": 404}
        (folder / "manifest.json").write_text(json.dumps({
            "metadata": {"title": "Linked"}, "readingOrder": [{"href": href, "type": "text/html"} for href in found],
            "links": [{"rel": "self", "href": "manifest.json", "type": "application/webpub+json"}]}))
        with Served(self.folder / "home", folder / "manifest.json") as served:
            for href, status in found.items():
                with self.subTest(href), Connection(served.port) as connection:
                    self.assertEqual(connection.request(f"/{served.key}/{href}").status, status)

    def test_a_manifest_reaches_no_private_host(self):
        (self.folder / "elsewhere").mkdir()
        (self.folder / "elsewhere" / "secret.html").write_text("secret")
        with Storage(self.folder / "elsewhere") as storage:
            manifest = self.folder / "alone" / "manifest.json"
            manifest.parent.mkdir()
            manifest.write_text(json.dumps({
                "metadata": {"title": "Alone"}, "readingOrder": [{"href": "secret.html", "type": "text/html"}],
                "links": [{"rel": "self", "href": f"http://127.0.0.1:{storage.port}/manifest.json", "type": "application/webpub+json"}]}))
            with Served(self.folder / "home", manifest) as served, Connection(served.port) as connection:
                self.assertEqual(connection.request(f"/{served.key}/secret.html").status, 403)
            self.assertEqual(storage.since(0), [])


class StorageTests(WireTest):
    """A book on a web server that counts: what is asked of it, and when it is left in peace."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-wire.")))
        (cls.folder / "books").mkdir()
        books.novel(cls.folder / "books" / "novel.epub", ballast=2 * MIB)
        books.sound(cls.folder / "books" / "sound.audiobook", 4_800)

    def test_the_first_chapter_costs_few_requests(self):
        with Storage(self.folder / "books", login=("reader", "password"), delay=0.02) as storage:
            location = f"http://reader@127.0.0.1:{storage.port}/novel.epub"
            with Served(self.folder / "home", location, env={"CARREL_PASSWORD": "password"}) as self.served:
                self.base = f"/{self.served.key}/"
                mark = storage.mark()
                for name in ("", "~carrel/page.css", "~carrel/page.js", "manifest.json", "EPUB/pictures/cover.png", "~readium/positions", "EPUB/c01.xhtml?~frame"):
                    self.assertEqual(self.get(name, Accept_Encoding="gzip").status, 200, name)
                asked = [(transfer.method, transfer.range) for transfer in storage.since(mark)]
                self.assertLessEqual(len(asked), 6, asked)
                mark = storage.mark()
                tag = self.get(CHAPTER, "HEAD").headers["etag"]
                self.assertEqual(self.get(CHAPTER, If_None_Match=tag).status, 304)
                self.assertEqual(storage.since(mark), [], "what the archive's directory knows is asked for again")

    def test_a_range_in_a_deflated_sound_fetches_little_once_indexed(self):
        whole = zipfile.ZipFile(self.folder / "books" / "sound.audiobook").read("two.wav")
        with Storage(self.folder / "books") as storage, Served(self.folder / "home", f"http://127.0.0.1:{storage.port}/sound.audiobook") as self.served:
            self.base = f"/{self.served.key}/"
            self.assertEqual(self.get("two.wav").body, whole)
            for part in (0.8, 0.3, 0.55):
                mark, start = storage.mark(), int(len(whole) * part)
                answer = self.get("two.wav", Range=f"bytes={start}-{start + 4_095}")
                self.assertEqual(answer.body, whole[start : start + 4_096])
                self.assertLessEqual(storage.bytes_since(mark), 1.1 * MIB)

    def test_a_client_that_goes_away_ends_the_transfer_within_a_second(self):
        for name, way in (("one.wav", "reset"), ("one.wav", "close"), ("two.wav", "reset")):
            with self.subTest(name, way=way), Storage(self.folder / "books", rate=2 * MIB) as storage:
                with Served(self.folder / "home", f"http://127.0.0.1:{storage.port}/sound.audiobook") as self.served:
                    connection = Connection(self.served.port)
                    mark = storage.mark()
                    connection.send(f"GET /{self.served.key}/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                    taken = 0
                    while taken < MIB:
                        taken += len(connection.socket.recv(65_536))
                    if way == "reset":
                        connection.vanish()
                    else:
                        connection.socket.close()
                    left = time.monotonic()
                    self.assertTrue(until(lambda: not storage.running(), 1, storage.changed) is True, "the transfer goes on")
                    # Nor does another one begin: that a range ended is no end.
                    until(lambda: storage.since(mark)[-1].started > left + 1, 2, storage.changed)
                    self.assertLessEqual(storage.since(mark)[-1].started, left + 1, "the storage was asked again")
                    self.assertLess(storage.bytes_since(mark), 10 * MIB)

    def test_a_client_that_takes_nothing_is_not_read_ahead_for(self):
        # At the speed of a network: for a peer that sends as fast as memory is copied, the kernel's own buffers grow up to 32 MiB (tcp(7)).
        with Storage(self.folder / "books", rate=16 * MIB) as storage, Served(self.folder / "home", f"http://127.0.0.1:{storage.port}/sound.audiobook") as self.served:
            mark = storage.mark()
            with socket.socket() as slow:
                slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                slow.connect(("127.0.0.1", self.served.port))
                slow.sendall(f"GET /{self.served.key}/one.wav HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                self.assertTrue(slow.recv(1_024))
                # Three seconds would be enough for more.
                until(lambda: storage.bytes_since(mark) > 20 * MIB, 3, storage.changed)
                self.assertLess(storage.bytes_since(mark), 20 * MIB, "the storage is read faster than the client")

    def test_a_storage_slower_than_the_idle_limit_is_waited_for(self):
        with Storage(self.folder / "books") as storage:
            location = f"http://127.0.0.1:{storage.port}/novel.epub"
            with Served(self.folder / "home", location, "--idle-timeout", "1") as self.served:
                self.base, self.book = f"/{self.served.key}/", self.folder / "books" / "novel.epub"
                storage.delay = 2.5
                # One answer is read before it is sent; the other waits for the storage after its head.
                for name in (CHAPTER, "EPUB/ballast.bin"):
                    with self.subTest(name):
                        mark, begin = storage.mark(), time.monotonic()
                        answer = self.get(name)
                        self.assertEqual((answer.status, answer.body), (200, self.inside(name)))
                        self.assertNotEqual(storage.since(mark), [], "the storage was not asked")
                        self.assertGreaterEqual(time.monotonic() - begin, 2.5)

    def test_the_idle_limit_ends_half_a_request(self):
        with Served(self.folder / "home", self.folder / "books" / "novel.epub", "--idle-timeout", "1") as served:
            head = f"POST /{served.key}/ HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
            for half in (b"", head[:10], head, head + b"Content-Length: 100\r\n\r\ntoken="):
                with self.subTest(half), Connection(served.port) as connection:
                    begin = time.monotonic()
                    connection.send(half)
                    self.assertTrue(connection.is_closed_within(10), "half a request stays open")
                    self.assertGreater(time.monotonic() - begin, 0.9, "nobody could have finished the request")

    def test_an_idle_limit_that_is_none_is_refused(self):
        for limit in ("0", "-1", "nan", "inf", "soon"):
            with self.subTest(limit):
                result = run(self.folder / "home", str(self.folder / "books" / "novel.epub"), f"--idle-timeout={limit}")
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn("--idle-timeout", result.stderr)

    def test_a_storage_that_fails_is_said_so_without_its_address(self):
        with Storage(self.folder / "books") as storage:
            served = self.enterContext(Served(self.folder / "home", f"http://127.0.0.1:{storage.port}/sound.audiobook", "--retries", "0", "--timeout", "5"))
        self.served, self.base = served, f"/{served.key}/"
        answer = self.get("one.wav", Range="bytes=5000000-5004095")
        self.assertIn(answer.status, (500, 502, 503, 504))
        self.assertNotIn(str(storage.port), answer.text)
        self.assertNotIn("sound.audiobook", answer.text)


class SiegeTests(WireTest):
    """Clients that send half of a request, and clients that take nothing: no thread each, and an end."""

    HALF_OPEN, DRIPPING, SLOW = 380, 20, 100
    options = ("--quiet",)

    @classmethod
    def make_book(cls, folder):
        return books.sound(folder / "sound.audiobook", 1_200)

    @classmethod
    def setUpClass(cls) -> None:
        files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(files, min(most, 4_096)), most))
        super().setUpClass()

    def open(self, receive: int | None = None) -> socket.socket:
        client = socket.socket()
        if receive:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        client.settimeout(PATIENCE)
        client.connect(("127.0.0.1", self.served.port))
        client.setblocking(False)
        return client

    def test_half_open_connections_and_slow_readers_cost_no_thread_and_end(self):
        for _ in range(8):
            self.assertEqual(self.get("one.wav", Range="bytes=0-99999").status, 206)
        threads, files = self.served.status("Threads"), self.served.files()
        begin = time.monotonic()
        head = f"GET {self.base}one.wav HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
        half = [self.open() for _ in range(self.HALF_OPEN)]
        for number, client in enumerate(half):
            # A third says nothing at all, a third is in the first line, a third in a header.
            client.send((b"", head[:10], head + b"X-Half: ")[number % 3] or b"")
        dripping = [self.open() for _ in range(self.DRIPPING)]
        for client in dripping:
            client.send(head)
        slow = [self.open(4_096) for _ in range(self.SLOW)]
        for client in slow:
            client.send(head + b"\r\n")
        self.addCleanup(lambda: [client.close() for client in half + dripping + slow])
        # Others are answered meanwhile.
        for _ in range(4):
            self.assertEqual(self.get("manifest.json").status, 200)
        # Connections of the questions before may have ended by now.
        self.assertTrue(until(lambda: self.served.files() >= files + 490, PATIENCE), "the connections are not there")
        self.assertLessEqual(self.served.status("Threads") - threads, 8, "connections cost threads")
        self.assertLess(self.served.status("VmRSS"), 256 << 10)

        # Those that send nothing are ended by the time limit; those that drip are not saved by it.
        open_ = set(half + dripping)
        end = begin + 2 * IDLE_TIME + 15
        while open_ and time.monotonic() < end:
            readable, _, _ = select.select(list(open_), [], [], 1)
            for client in readable:
                try:
                    if not client.recv(4_096):
                        open_.discard(client)
                except BlockingIOError:
                    continue
                except ConnectionError:
                    open_.discard(client)
            for client in open_.intersection(dripping):
                try:
                    client.send(b"x")
                except OSError:
                    open_.discard(client)
        self.assertEqual(len(open_.intersection(half)), 0, "half-open connections stay open")
        self.assertGreater(time.monotonic() - begin, 5, "they were ended before anyone could have finished a request")
        self.assertEqual(len(open_.intersection(dripping)), 0, "requests that come a byte at a time stay open")
        # The slow ones have not read, so they can't see an end: the server's files tell.
        self.assertTrue(until(lambda: self.served.files() <= files + 5, max(1, end - time.monotonic())), f"{self.served.files() - files} connections are left")
        self.assertEqual(self.get("manifest.json").status, 200)


if __name__ == "__main__":
    unittest.main()
