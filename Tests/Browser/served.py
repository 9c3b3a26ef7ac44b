"""`carrel book serve` and `carrel shelf serve` as processes."""

import json
import os
import pathlib
import select
import signal
import subprocess
import time

CARREL = os.environ.get("CARREL", "carrel")
# Not a measurement: what takes longer hangs.
PATIENCE = 30


def environment(home: pathlib.Path, extra: dict[str, str] | None = None) -> dict[str, str]:
    """What the command sees: no settings, proxies and state of the person who runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().endswith("_PROXY") and not name.startswith(("CARREL_", "XDG_"))}
    return kept | {"HOME": str(home)} | (extra or {})


def secret_file(path: pathlib.Path, text: str | bytes) -> pathlib.Path:
    """Writes a file that no other user can read."""
    path.touch(0o600)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def run(home: pathlib.Path, *arguments: str) -> subprocess.CompletedProcess:
    """Runs `carrel book serve` that is expected to end by itself."""
    return subprocess.run(
        [CARREL, "book", "serve", *arguments], env=environment(home), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)


class Served:
    """A book or a shelf that is being served, until the end of the `with` statement."""

    def __init__(
        self, home: pathlib.Path, location: str | pathlib.Path, *options: str, env: dict[str, str] | None = None,
        command: tuple[str, ...] = ("book", "serve"), cwd: pathlib.Path | None = None,
    ):
        home.mkdir(parents=True, exist_ok=True)
        # Files, not pipes: nobody would empty a pipe.
        self.log_file = home / f"serve-{time.monotonic_ns()}.log"
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [CARREL, *command, str(location), *options], env=environment(home, env), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log, cwd=cwd)
        self.first_line = self._first_line()
        self.url = json.loads(self.first_line)["url"] if "--json" in options else self.first_line
        self.port = int(self.url.split("/")[2].rsplit(":", 1)[1])
        self.key = self.url.rstrip("/").rsplit("/", 1)[1]

    def _first_line(self) -> str:
        line, end = b"", time.monotonic() + PATIENCE
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            if not piece:
                self.process.kill()
                self.process.wait()
                self.process.stdout.close()
                raise AssertionError(f"no address came, but {line!r} and {self.log()!r}")
            line += piece
        return line.decode().splitlines()[0]

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def stop(self, signal_number: int = signal.SIGTERM) -> int:
        """Ends the process and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError("the server did not end") from None
        self.process.stdout.close()
        return self.process.returncode

    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    def status(self, name: str) -> int:
        """A number of /proc/PID/status, such as Threads, or VmRSS in KiB."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        raise KeyError(name)

    def files(self) -> int:
        """How many file descriptors the process has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))
