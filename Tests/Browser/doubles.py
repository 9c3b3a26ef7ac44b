"""Servers that belong to the tests: a storage of books, a listener that must hear nothing, a reverse proxy, and a page without protection.

All of them listen on loopback, on free ports, and end with the `with` statement.
"""

import base64
import collections
import email.utils
import http.client
import http.server
import pathlib
import re
import socket
import threading
import time
import urllib.parse


def until(condition, timeout: float, watch: threading.Condition | None = None):
    """Waits for `condition` to be true and returns its value; after `timeout` seconds, returns what it is then."""
    watch = watch or threading.Condition()
    end = time.monotonic() + timeout
    with watch:
        while not (value := condition()) and (left := end - time.monotonic()) > 0:
            watch.wait(min(left, 0.05))
        return value


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    owner: "Double"

    def handle_error(self, request, address) -> None:
        """Clients that go away are what tests want."""


class Double:
    """A server in a thread. Subclasses answer requests in `answer`."""

    def __init__(self):
        self.changed = threading.Condition()
        double = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_) -> None:
                pass

            def setup(self) -> None:
                super().setup()
                double.connected()

            def __getattr__(self, name: str):
                if name.startswith("do_"):
                    return lambda: double.answer_unless_closed(self)
                raise AttributeError(name)

        self.is_closed = False
        self.server = _Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def connected(self) -> None:
        pass

    def answer_unless_closed(self, request: http.server.BaseHTTPRequestHandler) -> None:
        # Connections outlive the server's socket.
        if self.is_closed:
            request.close_connection = True
            request.connection.shutdown(socket.SHUT_RDWR)
        else:
            self.answer(request)

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        raise NotImplementedError

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self.is_closed = True
        self.server.shutdown()
        self.server.server_close()

    @staticmethod
    def send(request, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        request.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            request.send_header(name, value)
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(body)


class Transfer:
    """One request to the storage."""

    def __init__(self, method: str, path: str, range_: str | None):
        self.method, self.path, self.range = method, path, range_
        self.started, self.ended, self.sent = time.monotonic(), None, 0


class Storage(Double):
    """A web server with a folder of books, which counts: ranges, a login, a delay before each answer, bytes per second."""

    PIECE = 16 << 10

    def __init__(self, folder: pathlib.Path, login: tuple[str, str] | None = None, delay: float = 0, rate: float | None = None):
        self.folder, self.login, self.delay, self.rate = folder, login, delay, rate
        self.transfers: list[Transfer] = []
        super().__init__()

    def answer(self, request) -> None:
        transfer = Transfer(request.command, request.path, request.headers.get("Range"))
        with self.changed:
            self.transfers.append(transfer)
        try:
            self._pause(self.delay)
            self._answer(request, transfer)
        finally:
            with self.changed:
                transfer.ended = time.monotonic()
                self.changed.notify_all()

    def _pause(self, seconds: float) -> None:
        # A network is slow; a test is not waiting here.
        if seconds > 0:
            threading.Event().wait(seconds)

    def _answer(self, request, transfer: Transfer) -> None:
        if self.login:
            expected = "Basic " + base64.b64encode(":".join(self.login).encode()).decode()
            if request.headers.get("Authorization") != expected:
                return self.send(request, 401, {"WWW-Authenticate": 'Basic realm="books"'})
        file = self.folder / urllib.parse.unquote(request.path.split("?")[0]).lstrip("/")
        if request.command == "OPTIONS":
            return self.send(request, 200, {"Allow": "GET, HEAD, OPTIONS"})
        if request.command not in ("GET", "HEAD"):
            return self.send(request, 405, {"Allow": "GET, HEAD, OPTIONS"})
        if not file.is_file() or self.folder not in file.resolve().parents:
            return self.send(request, 404, {})
        stat = file.stat()
        headers = {
            "Accept-Ranges": "bytes", "ETag": f'"{stat.st_mtime_ns:x}-{stat.st_size:x}"', "Content-Type": "application/octet-stream",
            "Last-Modified": email.utils.formatdate(stat.st_mtime, usegmt=True),
        }
        start, end, status = 0, stat.st_size, 200
        if match := re.fullmatch(r"bytes=(\d*)-(\d*)", transfer.range or ""):
            first, last = match.groups()
            start = int(first) if first else max(0, end - int(last))
            end = min(end, int(last) + 1) if first and last else end
            if start >= end:
                return self.send(request, 416, {"Content-Range": f"bytes */{stat.st_size}"})
            status, headers["Content-Range"] = 206, f"bytes {start}-{end - 1}/{stat.st_size}"
        request.send_response(status)
        for name, value in (headers | {"Content-Length": str(end - start)}).items():
            request.send_header(name, value)
        request.end_headers()
        if request.command == "HEAD":
            return None
        with file.open("rb") as content:
            content.seek(start)
            while start < end and (piece := content.read(min(self.PIECE, end - start))):
                try:
                    request.wfile.write(piece)
                except OSError:
                    request.close_connection = True
                    return None
                start += len(piece)
                with self.changed:
                    transfer.sent += len(piece)
                    self.changed.notify_all()
                self._pause(len(piece) / self.rate if self.rate else 0)
        return None

    def running(self) -> list[Transfer]:
        with self.changed:
            return [transfer for transfer in self.transfers if transfer.ended is None]

    def mark(self) -> int:
        """What `since` counts from."""
        with self.changed:
            return len(self.transfers)

    def since(self, mark: int) -> list[Transfer]:
        with self.changed:
            return self.transfers[mark:]

    def bytes_since(self, mark: int) -> int:
        return sum(transfer.sent for transfer in self.since(mark))


class Listener(Double):
    """Hears what leaves a book: requests below /leak/, connections, and datagrams of STUN."""

    def __init__(self):
        self.heard: list[str] = []
        self.connections = 0
        self.datagrams = 0
        self.pages: dict[str, bytes] = {}
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.udp_port = self.udp.getsockname()[1]
        super().__init__()
        threading.Thread(target=self._datagrams, daemon=True).start()

    def _datagrams(self) -> None:
        while True:
            try:
                if not self.udp.recvfrom(2048)[0]:
                    return
            except OSError:
                return
            with self.changed:
                self.datagrams += 1
                self.changed.notify_all()

    def close(self) -> None:
        super().close()
        try:
            self.udp.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.udp.close()

    def connected(self) -> None:
        with self.changed:
            self.connections += 1
            self.changed.notify_all()

    def answer(self, request) -> None:
        path = request.path.split("?")[0]
        with self.changed:
            self.heard.append(path)
            self.changed.notify_all()
        if body := request.headers.get("Content-Length"):
            request.rfile.read(int(body))
        if path in self.pages:
            return self.send(request, 200, {"Content-Type": "text/html; charset=utf-8"}, self.pages[path])
        name = path.rsplit("/", 1)[1]
        kind = {"script": "text/javascript", "module": "text/javascript", "script-import": "text/javascript", "stylesheet": "text/css"}.get(name, "text/html")
        body = b"/* heard */" if kind != "text/html" else b"<!DOCTYPE html><title>heard</title>heard"
        return self.send(request, 200, {"Content-Type": kind, "Access-Control-Allow-Origin": "*", "Cache-Control": "no-store"}, body)

    def leaks(self) -> set[str]:
        """The names of the attempts that got through."""
        with self.changed:
            return {path.removeprefix("/leak/") for path in self.heard if path.startswith("/leak/")}

    def forget(self) -> None:
        with self.changed:
            self.heard.clear()
            self.datagrams = 0
            self.connections = 0


class Gate(Double):
    """A reverse proxy: several servers below one origin, each at a path of its own."""

    def __init__(self):
        self.backends: dict[str, int] = {}
        self.requests: collections.deque[tuple[str, str]] = collections.deque()
        super().__init__()

    def answer(self, request) -> None:
        with self.changed:
            self.requests.append((request.command, request.path))
            self.changed.notify_all()
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        port = self.backends.get(request.path.split("/")[1])
        if port is None:
            return self.send(request, 404, {})
        backend = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        backend.putrequest(request.command, request.path, skip_host=True, skip_accept_encoding=True)
        for name, value in request.headers.items():
            if name.lower() != "connection":
                backend.putheader(name, value)
        backend.endheaders(body or None)
        answer = backend.getresponse()
        content = answer.read()
        headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in ("transfer-encoding", "connection", "content-length")]
        request.send_response_only(answer.status)
        for name, value in headers:
            request.send_header(name, value)
        length = answer.getheader("Content-Length") if request.command == "HEAD" else str(len(content))
        if length and answer.status != 304:
            request.send_header("Content-Length", length)
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(content)
        backend.close()
        return None

    def asked(self, prefix: str) -> list[str]:
        with self.changed:
            return [path for _, path in self.requests if path.startswith(prefix)]


class Unprotected(Double):
    """A folder without any policy, and a page that frames its chapters as they are: what a careless reader would be."""

    TYPES = {".xhtml": "application/xhtml+xml", ".svg": "image/svg+xml", ".js": "text/javascript", ".png": "image/png", ".json": "application/json"}

    def __init__(self, files: dict[str, bytes]):
        self.files = files
        self.folder: pathlib.Path | None = None
        super().__init__()

    def answer(self, request) -> None:
        path = urllib.parse.unquote(request.path.split("?")[0])
        body = self.files.get(path)
        if body is None and self.folder and (file := self.folder / path.lstrip("/")).is_file():
            body = file.read_bytes()
        if body is None:
            return self.send(request, 404, {})
        kind = self.TYPES.get(pathlib.PurePath(path).suffix, "text/html; charset=utf-8")
        return self.send(request, 200, {"Content-Type": kind, "Cache-Control": "no-store"}, body)
