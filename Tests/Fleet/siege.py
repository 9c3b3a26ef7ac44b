"""A siege of a fleet: workers that are killed, a database that is restarted and cut off, and people who go on all the while.

    CARREL=FILE siege.py [--kills 6] [--restarts 2] [--cuts 2] [--freezes 1] [--pairs 12] [--workers 3] [--seconds S] [--seed N]

Starts a PostgreSQL of its own, with a relay in front of it that cuts connections, and workers (`carrel fleet run`), and changes files on
both sides of each pair. The pairs are folders of this machine and, if the variables of Tests/Servers/servers.sh are set, folders on
Apache (WebDAV) and OpenSSH (SFTP). Then the changes stop, and once nothing is left to be done, this must hold:

- both sides of each pair are the same, and every file has a content that somebody wrote: nothing is half of one;
- no content is lost but what was removed or replaced by somebody, and did not come back;
- each lease of a pair had a higher fence than the one before, and only the holder of a lease published a state;
- the states' storage has one state for each pair, the one that its row names;
- no worker ended by itself, and the queue has no faults.

Exit code 0 if all of it holds; else 1, and the folder with logs and trees stays.
"""

import argparse
import asyncio
import collections
import ctypes
import errno
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

SCHEMA = "carrel_fleet"
PROGRAMS = next(iter(sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
# Exit code of a worker that found no database when it began: its service manager starts it again.
UNREACHABLE = 6
TRASHES = (".carrel-trash", "carrel-trash")
# What Apache keeps beside files, and never lists.
HIDDEN = (".DAV",)


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def is_part(name):
    """Whether a file is a part that a killed writer left: its name says so, and it is swept after a day."""
    return name.endswith(".carrel-part") and not is_aside(name)


def is_aside(name):
    """Whether a file is somebody's own, out of its place because a writer was killed: it is kept, and never swept."""
    return name.endswith("-a.carrel-part")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Postgres:
    """A PostgreSQL of our own, run by an ordinary user."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.data, self.log = folder / "data", folder / "log"
        folder.mkdir()
        self.user = {}
        if os.geteuid() == 0:
            names = {entry.pw_name: entry for entry in pwd.getpwall()}
            entry = next(names[name] for name in ("postgres", "www-data", "nobody") if name in names)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
            self.user = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.run("initdb", "-D", self.data, "-U", "carrel", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with open(self.data / "postgresql.conf", "a") as settings:
            # A killed server loses nothing that this machine's memory has; a power failure is not part of the siege.
            settings.write(f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{folder}'\nfsync = off\n")
        self.start()
        self.psql("CREATE DATABASE carrel", database="postgres")

    def run(self, program, *arguments):
        with open(self.folder.parent / "postgresql.out", "a") as out:
            subprocess.run([PROGRAMS / program, *arguments], check=True, stdout=out, stderr=out, cwd="/", **self.user)

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-l", self.log, "-w", "-t", "60", "start")

    def stop(self, mode):
        self.run("pg_ctl", "-D", self.data, "-w", "-t", "60", "-m", mode, "stop")

    def psql(self, sql, database="carrel"):
        """The rows as lists of texts."""
        done = subprocess.run(
            ["psql", "-X", "-A", "-t", "-q", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p", str(self.port), "-U", "carrel", database],
            input=sql, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"psql: {done.stderr.strip()}")
        return [line.split("\t") for line in done.stdout.splitlines() if line]


class Relay(threading.Thread):
    """Connections to the database lead through here, and are cut."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.target, self.port = target, None
        self.loop, self.ready = asyncio.new_event_loop(), threading.Event()
        self.transports, self.refuses, self.is_silent = set(), False, False

    def run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.listen())
        self.ready.set()
        self.loop.run_forever()

    async def listen(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        if self.refuses:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer.transport, far_writer.transport}
        self.transports |= ends
        try:
            await asyncio.gather(self.carry(reader, far_writer), self.carry(far_reader, writer))
        except OSError:
            pass
        finally:
            self.transports -= ends
            for transport in ends:
                transport.abort()

    async def carry(self, reader, writer):
        while data := await reader.read(1 << 16):
            while self.is_silent:
                await asyncio.sleep(0.05)
            writer.write(data)
            await writer.drain()
        writer.close()

    def cut(self, kind, seconds):
        """Ends all connections: at once, after a silence, or with none accepted for a while."""
        def abort():
            for transport in list(self.transports):
                transport.abort()

        if kind == "silence":
            self.is_silent = True
            time.sleep(seconds)
        self.refuses = kind == "refusal"
        self.loop.call_soon_threadsafe(abort)
        if kind == "refusal":
            time.sleep(seconds)
        self.is_silent = self.refuses = False


class Side:
    """One folder of a pair, as people who work in it see it."""

    def __init__(self, top, url):
        self.tree, self.attic, self.url = top / "tree", top / "attic", url
        for folder in (self.tree, self.attic):
            folder.mkdir(parents=True)
            os.chmod(folder, 0o777)
        os.chmod(top, 0o777)
        self.count = 0

    def aside(self):
        self.count += 1
        return self.attic / str(self.count)

    def files(self, top=None, with_trash=False):
        """Files by path, with their content. What goes while this looks is left out."""
        found, top = {}, top or self.tree
        if top.is_file():
            return {"": top.read_bytes()}
        for folder, names, files in os.walk(top):
            names[:] = [name for name in names if name not in HIDDEN and (with_trash or name not in TRASHES)]
            for name in files:
                if is_part(name) or is_aside(name) and not with_trash:
                    continue
                path = pathlib.Path(folder, name)
                try:
                    found[str(path.relative_to(top))] = path.read_bytes()
                except FileNotFoundError:
                    pass
        return found


LIBC = ctypes.CDLL(None, use_errno=True)


def rename(source, target):
    """Renames, and replaces nothing (renameat2(2))."""
    if LIBC.renameat2(-100, os.fsencode(source), -100, os.fsencode(target), 1) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(source))


class People(threading.Thread):
    """They write, replace, remove, move, throw away and bring back, and remember each content."""

    def __init__(self, pairs, seed, rate):
        super().__init__(daemon=True)
        self.pairs, self.numbers, self.pause = pairs, random.Random(seed), 1 / rate
        self.over = threading.Event()
        self.done, self.error = collections.Counter(), None
        self.written, self.destroyed = set(), collections.Counter()
        self.thrown = []

    def run(self):
        try:
            while not self.over.wait(self.numbers.expovariate(1 / self.pause)):
                self.act(self.numbers.choice(self.numbers.choice(self.pairs).sides))
        except Exception as error:  # shown by the main thread
            self.error = error

    def path(self, side):
        name = f"f{self.numbers.randrange(6)}"
        folder = ("", f"d{self.numbers.randrange(3)}/", f"d{self.numbers.randrange(3)}/e/")[self.numbers.randrange(3)]
        return side.tree / (folder + name)

    def act(self, side):
        action = self.numbers.choices(
            ("write", "replace", "remove", "remove folder", "move", "move folder", "throw", "bring back"), (6, 4, 2, 1, 3, 1, 2, 3))[0]
        try:
            getattr(self, action.replace(" ", "_"))(side)
            self.done[action] += 1
        except OSError as error:
            # The item is gone, something is in the way, or it is a folder by now.
            if error.errno not in (errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY, errno.EINVAL):
                raise

    def file(self, side):
        return side.tree / self.numbers.choice(sorted(side.files()) or ["f0"])

    def folder(self, side):
        return side.tree / f"d{self.numbers.randrange(3)}"

    def content(self):
        size = self.numbers.choice((0, 10, 100, 5_000, 200_000))
        head = f"content {len(self.written)} "
        return head.encode() + self.numbers.randbytes(size // 2).hex().encode()

    def destroy(self, side, path):
        """First out of the way: what a run puts there meanwhile is not what was removed."""
        aside = side.aside()
        rename(path, aside)
        texts = list(side.files(aside).values())
        self.destroyed.update(texts)
        return aside, texts

    def put(self, side, path, content):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = side.aside()
        aside.write_bytes(content)
        os.chmod(aside, 0o666)
        try:
            rename(aside, path)
        except OSError:
            aside.unlink()
            raise
        self.written.add(content)

    def write(self, side):
        self.put(side, self.path(side), self.content())

    def replace(self, side):
        path = self.file(side)
        self.destroy(side, path)
        self.put(side, path, self.content())

    def remove(self, side):
        self.destroy(side, self.file(side))

    def remove_folder(self, side):
        self.destroy(side, self.folder(side))

    def move(self, side):
        source, target = self.file(side), self.path(side)
        target.parent.mkdir(parents=True, exist_ok=True)
        rename(source, target)

    def move_folder(self, side):
        rename(self.folder(side), side.tree / f"d{self.numbers.randrange(6)}")

    def throw(self, side):
        path = self.file(side)
        self.thrown.append((side, path, *self.destroy(side, path)))

    def bring_back(self, side):
        mine = [item for item in self.thrown if item[0] is side]
        if not mine:
            return
        item = self.numbers.choice(mine)
        _, path, aside, texts = item
        path.parent.mkdir(parents=True, exist_ok=True)
        rename(aside, path)
        self.thrown.remove(item)
        self.destroyed.subtract(texts)


class Pair:
    def __init__(self, number, name, kind, sides, credential):
        self.number, self.name, self.kind, self.sides, self.credential = number, name, kind, sides, credential

    def line(self):
        options = {"direction": "twoWay"} if self.number % 3 else {"direction": "mirror", "deletes": True}
        options |= {"removalLimit": "100%", "comparesContent": True}
        pair = {"name": self.name, "owner": f"owner{self.number % 4}", "source": self.sides[0].url, "destination": self.sides[1].url,
                "options": options, "every": "1s"}
        if self.credential:
            pair["destinationCredential"] = self.credential
        return json.dumps(pair)


class Worker:
    """A worker, and what it prints."""

    def __init__(self, number, siege):
        self.number, self.siege = number, siege
        # Two of three share a machine, and so a cache.
        self.cache = siege.work / f"cache{number % max(1, siege.arguments.workers * 2 // 3)}"
        self.errors = siege.work / f"worker{number}.log"
        self.start()

    def start(self):
        with open(self.errors, "a") as errors:
            self.process = subprocess.Popen(
                [self.siege.carrel, "fleet", "run", "--json", "--states", self.siege.states, "--cache", self.cache, "--runs", "4",
                 "--lease", str(self.siege.arguments.lease), "--grace", "5", "--credentials", self.siege.credentials, *self.siege.flags],
                stdout=subprocess.PIPE, stderr=errors, text=True, env=self.siege.environment)
        threading.Thread(target=self.read, args=(self.process.stdout,), daemon=True).start()

    def read(self, lines):
        for text in lines:
            try:
                line = json.loads(text)
            except ValueError:
                if not text.endswith("\n"):
                    continue  # It was killed in the middle of a line.
                self.siege.faults.append(f"worker {self.number} printed what is no JSON: {text.strip()}")
                continue
            if "outcome" in line:
                self.siege.outcomes[line["outcome"]] += 1

    def look(self):
        """Starts the worker again if it ended."""
        code = self.process.poll()
        if code is None:
            return
        if code != UNREACHABLE:
            tail = self.errors.read_text(errors="replace").splitlines()[-3:]
            self.siege.faults.append(f"worker {self.number} ended by itself with {code}: {' / '.join(tail)}")
        time.sleep(0.3)
        self.start()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.start()

    def freeze(self, seconds):
        """A worker that stands still until its leases are others', and then goes on."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None


# What the leases and published states went through. Its rows are part of the same transactions.
LOG = f"""
CREATE TABLE public.siege (at bigint GENERATED ALWAYS AS IDENTITY, what text, pair bigint, fence bigint, worker text);
CREATE FUNCTION public.siege_lease() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO public.siege (what, pair, fence, worker) VALUES ('taken', NEW.pair, NEW.fence, NEW.worker);
    ELSE
        INSERT INTO public.siege (what, pair, fence, worker) VALUES ('ended', OLD.pair, OLD.fence, OLD.worker);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER siege AFTER INSERT OR DELETE ON {SCHEMA}.lease FOR EACH ROW EXECUTE FUNCTION public.siege_lease();
CREATE FUNCTION public.siege_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.siege (what, pair, fence)
    SELECT CASE WHEN EXISTS (SELECT FROM {SCHEMA}.lease WHERE lease.pair = NEW.id AND NEW.state_name LIKE NEW.id || '/' || lease.fence || '-%')
        THEN 'published' ELSE 'published without the lease: ' || coalesce(NEW.state_name, 'none') END, NEW.id, NEW.fence;
    RETURN NULL;
END $$;
CREATE TRIGGER siege AFTER UPDATE OF state_name ON {SCHEMA}.pair FOR EACH ROW
WHEN (OLD.state_name IS DISTINCT FROM NEW.state_name) EXECUTE FUNCTION public.siege_state();
"""


class Siege:
    def __init__(self, arguments):
        self.arguments, self.numbers = arguments, random.Random(arguments.seed)
        self.carrel = os.environ.get("CARREL") or sys.exit("siege.py: $CARREL has to name the program")
        if PROGRAMS is None:
            sys.exit("siege.py: PostgreSQL's programs are not installed (Debian: postgresql)")
        self.faults, self.outcomes, self.events = [], collections.Counter(), collections.Counter()
        os.umask(0)
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="carrel-siege."))
        os.chmod(self.work, 0o755)
        self.states, self.credentials = self.work / "states", self.work / "credentials"
        self.credentials.mkdir(mode=0o700)
        self.flags, self.workers, self.served = [], [], []
        self.database = None

    def prepare(self):
        self.database = Postgres(self.work / "postgresql")
        self.relay = Relay(self.database.port)
        self.relay.start()
        self.relay.ready.wait()
        self.environment = {name: value for name, value in os.environ.items() if name not in ("CARREL_PASSWORD", "CARREL_TOKEN")}
        self.environment["CARREL_FLEET_DATABASE"] = f"postgresql://carrel@127.0.0.1:{self.relay.port}/carrel?sslmode=disable"
        self.fleet("init")
        self.database.psql(LOG)
        self.pairs = [self.pair(number) for number in range(self.arguments.pairs)]
        lines = self.work / "pairs"
        lines.write_text("".join(pair.line() + "\n" for pair in self.pairs))
        self.fleet("add", "--from", str(lines))
        self.people = People(self.pairs, self.arguments.seed, self.arguments.rate)
        self.workers = [Worker(number, self) for number in range(self.arguments.workers)]

    def fleet(self, *words):
        subprocess.run([self.carrel, "fleet", *words], check=True, env=self.environment, stdout=subprocess.DEVNULL)

    def pair(self, number):
        kinds = ["local"]
        if "CARREL_TEST_APACHE_URL" in os.environ:
            kinds.append("webdav")
        if "CARREL_SFTP_OPENSSH" in os.environ:
            kinds.append("sftp")
        kind, name = kinds[number % len(kinds)], f"pair{number:03}"
        here = self.side(self.work / name / "here")
        if kind == "local":
            return Pair(number, name, kind, [here, self.side(self.work / name / "there")], None)
        variable, url = {"webdav": ("APACHE", "CARREL_TEST_APACHE_URL"), "sftp": ("OPENSSH", "CARREL_SFTP_OPENSSH")}[kind]
        data = pathlib.Path(os.environ["CARREL_TEST_APACHE_DATA" if kind == "webdav" else "CARREL_SFTP_OPENSSH_DATA"])
        top = data / self.work.name / name
        self.served.append(data / self.work.name)
        user = os.environ["CARREL_TEST_USER"]
        url = os.environ[url].rstrip("/")
        if kind == "webdav":
            url = url.replace("://", f"://{urllib.parse.quote(user)}@")
            self.secret(kind, f"{user}:{os.environ['CARREL_TEST_PASSWORD']}\n")
        else:
            self.secret(kind, pathlib.Path(os.environ["CARREL_SSH_KEY_ED25519"]).read_text())
            if "--known-hosts" not in self.flags:
                self.flags += ["--known-hosts", os.environ["CARREL_SSH_KNOWN_HOSTS"]]
        there = Side(top, f"{url}/{self.work.name}/{name}/tree")
        os.chmod(data / self.work.name, 0o777)
        return Pair(number, name, kind, [here, there], kind)

    def secret(self, name, text):
        file = self.credentials / name
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(text)

    @staticmethod
    def side(top):
        return Side(top, (top / "tree").as_uri())

    # ---- what happens meanwhile -----------------------------------------------------------------

    def besiege(self):
        arguments = self.arguments
        events = (["kill"] * arguments.kills + ["fast", "immediate"] * (arguments.restarts // 2) + ["immediate"] * (arguments.restarts % 2)
                  + ["cut"] * arguments.cuts + ["freeze"] * arguments.freezes)
        self.numbers.shuffle(events)
        pause = arguments.seconds / max(1, len(events))
        self.people.start()
        begun = time.monotonic()
        for number, event in enumerate(events):
            # Not on a beat: what a worker does has none either.
            until = begun + (number + self.numbers.random()) * pause
            while time.monotonic() < until:
                time.sleep(max(0, min(0.2, until - time.monotonic())))
                self.look()
            self.strike(event)
        while time.monotonic() < begun + arguments.seconds:
            time.sleep(0.2)
            self.look()
        self.people.over.set()
        self.people.join()

    def look(self):
        for worker in self.workers:
            worker.look()
        if self.people.error:
            raise self.people.error

    def strike(self, event):
        self.events[event] += 1
        worker = self.numbers.choice(self.workers)
        if event == "kill":
            worker.look()
            worker.kill()
        elif event == "freeze":
            worker.freeze(self.arguments.lease * 1.7)
        elif event == "cut":
            kind = self.numbers.choice(("reset", "silence", "refusal"))
            self.relay.cut(kind, self.numbers.uniform(0.2, self.arguments.lease))
        else:
            self.database.stop(event)
            time.sleep(self.numbers.uniform(0, 1))
            self.database.start()

    # ---- what must have come of it --------------------------------------------------------------

    def settle(self):
        """Writes one more file into each pair, so that each publishes a state and sweeps the former ones, and waits until two runs in a
        row have nothing to do."""
        for pair in self.pairs:
            self.people.put(pair.sides[0], pair.sides[0].tree / "last", self.people.content() + pair.name.encode())
        quiet, seen, limit = {}, {}, time.monotonic() + self.arguments.patience
        while len(quiet) < len(self.pairs):
            if time.monotonic() > limit:
                late = sorted({pair.name for pair in self.pairs} - set(quiet))
                rows = self.database.psql(f"SELECT name, runs, failures, last_outcome, last_error FROM {SCHEMA}.pair ORDER BY name")
                self.faults += [f"not quiet after {self.arguments.patience} s: {' '.join(row)}" for row in rows if row[0] in late]
                return
            rows = self.database.psql(
                f"SELECT name, runs, changes, failures, (state_name IS NOT NULL), coalesce(last_outcome, '') FROM {SCHEMA}.pair")
            for name, runs, changes, failures, has_state, outcome in rows:
                before = seen.setdefault(name, (int(runs), changes))
                if before[1] != changes or failures != "0":
                    seen[name] = (int(runs), changes)
                elif int(runs) >= before[0] + 3 and outcome == "success" and has_state == "t":
                    quiet[name] = True
            # Back-offs are long; people who want a pair now ask for it.
            self.database.psql(f"SELECT {SCHEMA}.run_now(name) FROM {SCHEMA}.pair WHERE NOT running AND due > now() + interval '1 second'")
            time.sleep(0.3)
            self.look()

    def stop(self):
        for worker in self.workers:
            code = worker.stop()
            if code not in (0, 130, 143, -signal.SIGTERM):
                self.faults.append(f"worker {worker.number} did not stop in order: {code}")

    def judge(self):
        people = self.people
        for pair in self.pairs:
            one, other = (side.files() for side in pair.sides)
            for path in sorted(one.keys() | other.keys()):
                if one.get(path) != other.get(path):
                    self.faults.append(f"{pair.name} ({pair.kind}) is not in step: {path}: {self.shown(one, path)} and {self.shown(other, path)}")
        everything = set()
        for pair in self.pairs:
            for side in pair.sides:
                for path, content in side.files(with_trash=True).items():
                    everything.add(content)
                    if content not in people.written:
                        self.faults.append(f"{pair.name} ({pair.kind}): nobody wrote this: {side.tree / path}, {len(content)} bytes")
                everything |= set(side.files(side.attic).values())
        lost = [content for content in people.written - everything if people.destroyed[content] <= 0]
        self.faults += [f"lost: {content[:40]!r}" for content in lost]
        self.judge_queue()
        self.judge_states()

    @staticmethod
    def shown(tree, path):
        return f"{tree[path][:20]!r}" if path in tree else "nothing"

    def judge_queue(self):
        self.faults += [f"the queue: {row[0]}" for row in self.database.psql(f"SELECT {SCHEMA}.faults()")]
        self.faults += [f"pair {pair}: {what} (fence {fence})" for what, pair, fence in
                        self.database.psql("SELECT what, pair, fence FROM public.siege WHERE what LIKE 'published without%'")]
        overlaps = self.database.psql("""
            SELECT pair, fence, before, last FROM (
                SELECT what, pair, fence, lag(what) OVER w AS before, lag(fence) OVER w AS last FROM public.siege
                WHERE what IN ('taken', 'ended') WINDOW w AS (PARTITION BY pair ORDER BY at)) AS steps
            WHERE what = 'taken' AND before IS NOT NULL AND (before <> 'ended' OR fence <= last)""")
        self.faults += [f"pair {pair} was taken with fence {fence} after {before} with {last}" for pair, fence, before, last in overlaps]
        self.claims = int(self.database.psql("SELECT count(*) FROM public.siege WHERE what = 'taken'")[0][0])
        self.published = int(self.database.psql("SELECT count(*) FROM public.siege WHERE what = 'published'")[0][0])

    def judge_states(self):
        named = {row[0] for row in self.database.psql(f"SELECT state_name FROM {SCHEMA}.pair WHERE state_name IS NOT NULL")}
        there = {str(path.relative_to(self.states)) for path in self.states.rglob("*") if path.is_file()}
        self.parts = sum(is_part(name.rsplit("/", 1)[-1]) for name in there)
        there = {name for name in there if not is_part(name.rsplit("/", 1)[-1])}
        self.faults += [f"a state is missing: {name}" for name in sorted(named - there)]
        self.faults += [f"a state is left over: {name}" for name in sorted(there - named)]

    def finish(self):
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.process.kill()
                worker.process.wait()
        if self.database and (self.database.data / "postmaster.pid").exists():
            self.database.stop("immediate")
        if not self.faults:
            for folder in {self.work, *self.served}:
                shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description="A siege of a fleet.")
    for name, value in (("kills", 6), ("restarts", 2), ("cuts", 2), ("freezes", 1), ("pairs", 12), ("workers", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--seconds", type=float, help="how long it lasts; 2 s for each event unless given")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--rate", type=float, default=20, help="changes a second")
    parser.add_argument("--lease", type=float, default=3, help="seconds")
    parser.add_argument("--patience", type=float, default=120, help="seconds until all has to be quiet at the end")
    arguments = parser.parse_args()
    count = arguments.kills + arguments.restarts + arguments.cuts + arguments.freezes
    arguments.seconds = arguments.seconds or 2 * count
    siege = Siege(arguments)
    say(f"{arguments.pairs} pairs, {arguments.workers} workers, {count} strikes in {arguments.seconds:.0f} s, seed {arguments.seed}, in {siege.work}")
    begun = time.monotonic()
    finished = False
    try:
        siege.prepare()
        siege.besiege()
        say(f"{dict(siege.events)}; people: {dict(siege.people.done)}")
        siege.settle()
        siege.stop()
        siege.judge()
        finished = True
    finally:
        if not finished:
            siege.faults.append("the siege did not come to its end")
        siege.finish()
    say(f"{siege.claims} claims, {siege.published} states published, runs: {dict(siege.outcomes)}, "
        f"{len(siege.people.written)} contents, {siege.parts} parts left, {time.monotonic() - begun:.0f} s")
    for fault in siege.faults[:40]:
        print(f"siege.py: {fault}")
    if len(siege.faults) > 40:
        print(f"siege.py: … and {len(siege.faults) - 40} more")
    if siege.faults:
        print(f"siege.py: seed {arguments.seed}; logs and trees are in {siege.work}")
        sys.exit(1)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
