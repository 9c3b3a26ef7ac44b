#!/usr/bin/env python3
"""A double of a cloud's HTTP API, in the manner of Dropbox's API v2, for tests: one account, in memory, on 127.0.0.1.

Written from the public documentation (https://www.dropbox.com/developers/documentation/http/documentation). It serves
all hosts of that API on one port, and refuses what the documentation says is refused: other methods and content types,
unknown fields, malformed paths, stale revisions and cursors, wrong offsets. What it does not model it refuses, too.

Prints the base URL once it listens. `--with-parent` ends it with the process that started it. Three further routes
serve tests: `/double/script` has a route refuse requests, or lose its answers after it did what was asked;
`/double/reset` invalidates all cursors; `/double/requests` returns how often each route was called since the last time.
"""

import argparse
import base64
import binascii
import collections
import dataclasses
import datetime
import hashlib
import itertools
import json
import os
import re
import secrets
import struct
import sys
import threading
import time
import unicodedata
import urllib.parse
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BLOCK = 4 << 20
MAX_REQUEST = 150 << 20
MAX_ARGUMENT = 1 << 20
TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
UNSYNCED_NAMES = {".dropbox", ".dropbox.attr", ".dropbox.cache", ".ds_store", "desktop.ini", "icon\r", "thumbs.db"}
THUMBNAIL_SIZES = {
    "w32h32", "w64h64", "w128h128", "w256h256", "w480h320", "w640h480", "w960h640", "w1024h768", "w2048h1536",
}
THUMBNAIL_TYPES = {"jpg", "jpeg", "png", "tiff", "tif", "gif", "webp", "ppm", "bmp"}


class Refusal(Exception):
    """An answer that is an error: its status, and a text or a JSON value."""

    def __init__(self, status, body, headers=None):
        super().__init__(status, body)
        self.status, self.body, self.headers = status, body, headers or {}


class Conflict(Refusal):
    """An endpoint's own error: 409 with a union, such as `path`, `conflict`, `file`."""

    def __init__(self, *tags, **fields):
        self.tags = tags
        error = {".tag": tags[-1], **fields}
        for tag in reversed(tags[:-1]):
            error = {".tag": tag, tag: error}
        super().__init__(409, {"error_summary": "/".join(tags) + "/..", "error": error})


def bad(text):
    return Refusal(400, text)


def content_hash(data):
    """SHA-256 of the SHA-256 digests of all blocks of 4 MiB."""
    blocks = (data[start : start + BLOCK] for start in range(0, len(data), BLOCK))
    return hashlib.sha256(b"".join(hashlib.sha256(block).digest() for block in blocks)).hexdigest()


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime(TIME_FORMAT)


def key_of(path):
    """What two spellings of one path have in common: names differ neither by case nor by normalization."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).lower())


def parent_of(path):
    return path.rpartition("/")[0]


def check_names(path, *error):
    """Refuses what is no path: an empty name, a dot, a backslash, a blank at the end, more than 255 characters."""
    for name in path.split("/")[1:]:
        malformed = name in ("", ".", "..") or "\\" in name or "\x7f" in name or "\0" in name
        surrogates = any(0xD800 <= ord(character) < 0xE000 for character in name)
        if malformed or surrogates or name.endswith(" ") or len(name.encode("utf-16-le", "replace")) > 510:
            raise Conflict(*error, "malformed_path")


@dataclasses.dataclass
class Item:
    path: str
    id: str
    # The rest is a file's.
    data: bytes | None = None
    rev: str = ""
    client_modified: str = ""
    server_modified: str = ""
    hash: str = ""

    @property
    def name(self):
        return self.path.rpartition("/")[2]

    @property
    def is_folder(self):
        return self.data is None

    def metadata(self, media=False):
        told = {"name": self.name, "path_lower": key_of(self.path), "path_display": self.path, "id": self.id}
        if self.is_folder:
            return {".tag": "folder", **told}
        told |= {"client_modified": self.client_modified, "server_modified": self.server_modified, "rev": self.rev}
        told |= {"size": len(self.data), "is_downloadable": True, "content_hash": self.hash}
        if media and (size := png_size(self.data)):
            photo = {".tag": "photo", "dimensions": {"width": size[0], "height": size[1]}}
            told["media_info"] = {".tag": "metadata", "metadata": photo}
        return {".tag": "file", **told}


class Account:
    """The items, their changes, and the requests that wait for changes. Every method is called with `lock` held."""

    def __init__(self, page, quota):
        self.page, self.quota = page, quota
        self.lock = threading.Condition()
        self.items = {}
        # Key and path of everything that changed, the latest last.
        self.journal = []
        self.sessions = {}
        self.links = {}
        self.generation = 0
        self.numbers = itertools.count(1)

    # Looking

    def find(self, path, *error):
        """The item at a path, or with an identifier or a revision."""
        if path.startswith(("id:", "rev:")):
            kind, _, value = path.partition(":")
            found = (
                item
                for item in self.items.values()
                if (item.id == path if kind == "id" else not item.is_folder and item.rev == value)
            )
            item = next(found, None)
        else:
            check_names(path, *error)
            item = self.items.get(key_of(path))
        if not item:
            raise Conflict(*error, "not_found")
        return item

    def find_file(self, path, *error):
        item = self.find(path, *error)
        if item.is_folder:
            raise Conflict(*error, "not_file")
        return item

    def find_folder(self, path):
        """The key of a folder; the root's is empty."""
        if path == "":
            return ""
        item = self.find(path, "path")
        if not item.is_folder:
            raise Conflict("path", "not_folder")
        return key_of(item.path)

    def below(self, key):
        """The items below a folder, a folder before what it holds."""
        return sorted((other, item) for other, item in self.items.items() if other.startswith(key + "/"))

    def used(self):
        return sum(len(item.data) for item in self.items.values() if not item.is_folder)

    # Changing

    def note(self, path):
        self.journal.append((key_of(path), path))
        self.lock.notify_all()

    def new_rev(self):
        return f"{0x5F00000000000 + next(self.numbers):x}"

    def new_id(self):
        return "id:" + base64.urlsafe_b64encode(hashlib.md5(f"{next(self.numbers)}".encode()).digest()).decode()[:22]

    def spelled(self, path):
        """The path with its folders spelled as they are."""
        folder = self.items.get(key_of(parent_of(path)))
        return (folder.path if folder else parent_of(path)) + "/" + path.rpartition("/")[2]

    def make_parents(self, path, *error):
        """Makes the folders above a path that are missing."""
        missing = []
        folder = parent_of(path)
        while folder:
            item = self.items.get(key_of(folder))
            if item and not item.is_folder:
                raise Conflict(*error, "conflict", "file_ancestor")
            if item:
                break
            missing.append(folder)
            folder = parent_of(folder)
        for folder in reversed(missing):
            self.put(Item(self.spelled(folder), self.new_id()))

    def put(self, item):
        self.items[key_of(item.path)] = item
        self.note(item.path)

    def check_free(self, path, *error):
        there = self.items.get(key_of(path))
        if there:
            raise Conflict(*error, "conflict", "folder" if there.is_folder else "file")

    def writable(self, path, *error):
        check_names(path, *error)
        if path.rpartition("/")[2].lower() in UNSYNCED_NAMES:
            raise Conflict(*error, "disallowed_name")

    def free_path(self, path):
        stem, dot, extension = path.rpartition(".")
        if not dot or "/" in extension:
            stem, dot, extension = path, "", ""
        candidates = (f"{stem} ({number}){dot}{extension}" for number in itertools.count(1))
        return next(candidate for candidate in candidates if key_of(candidate) not in self.items)

    def commit(self, data, info):
        """Makes a file of bytes, by the rules of `WriteMode`."""
        path, mode = info["path"], info.get("mode", "add")
        mode, rev = (mode[".tag"], mode.get("update")) if isinstance(mode, dict) else (mode, None)
        if mode not in ("add", "overwrite", "update") or (mode == "update") != (rev is not None):
            raise bad("mode: not a WriteMode")
        self.writable(path, "path")
        there = self.items.get(key_of(path))
        date, strict = info.get("client_modified"), info.get("strict_conflict", False)
        if there and there.is_folder:
            clash = "folder"
        elif there:
            same = there.data == data and date in (None, there.client_modified)
            if same and not strict:
                return there
            clash = "file" if mode == "add" or (mode == "update" and there.rev != rev) else None
        else:
            clash = "file" if mode == "update" and strict else None
        if clash and info.get("autorename"):
            path, there, clash = self.free_path(path), None, None
        if clash:
            raise Conflict("path", "conflict", clash)
        if self.used() + len(data) - (len(there.data) if there else 0) > self.quota:
            raise Conflict("path", "insufficient_space")
        self.make_parents(path, "path")
        moment = now()
        # The first spelling of a name stays.
        item = Item(there.path if there else self.spelled(path), there.id if there else self.new_id(), data)
        item.rev, item.hash = self.new_rev(), content_hash(data)
        item.client_modified, item.server_modified = date or moment, moment
        self.put(item)
        return item

    def remove(self, item):
        gone = [(key_of(item.path), item), *self.below(key_of(item.path))]
        for key, each in gone:
            del self.items[key]
            self.note(each.path)

    def relocate(self, source, target, is_move, autorename):
        item = self.find(source, "from_lookup")
        self.writable(target, "to")
        key = key_of(item.path)
        if key_of(target).startswith(key + "/"):
            raise Conflict("cant_move_folder_into_itself")
        if autorename and key_of(target) in self.items:
            target = self.free_path(target)
        self.check_free(target, "to")
        moved = [(key, item), *self.below(key)]
        if len(moved) > 10_000:
            raise Conflict("too_many_files")
        copied = sum(len(each.data or b"") for _, each in moved)
        if not is_move and self.used() + copied > self.quota:
            raise Conflict("to", "insufficient_space")
        self.make_parents(target, "to")
        target = self.spelled(target)
        if is_move:
            self.remove(item)
        for _, each in moved:
            changed = {"path": target + each.path[len(item.path) :]}
            if not is_move:
                changed |= {"id": self.new_id()}
            if not each.is_folder:
                changed |= {"rev": self.new_rev(), "server_modified": now()}
            self.put(dataclasses.replace(each, **changed))
        return self.items[key_of(target)]

    # Cursors: where a listing is, and after it where the journal was when the listing began.

    def cursor(self, **state):
        state["generation"] = self.generation
        return base64.urlsafe_b64encode(json.dumps(state, sort_keys=True).encode()).decode()

    def read_cursor(self, text):
        try:
            state = json.loads(base64.urlsafe_b64decode(text.encode()))
            generation = state["generation"]
        except (ValueError, KeyError, TypeError, binascii.Error):
            raise bad('Invalid "cursor" parameter') from None
        if generation != self.generation:
            raise Conflict("reset")
        return state

    def in_scope(self, key, folder, recursive):
        """Whether a cursor reports an item; a recursive one reports the folder itself, too."""
        if recursive:
            return key == folder or key.startswith(folder + "/")
        return key != folder and parent_of(key) == folder

    def changes(self, state):
        """Keys and paths that changed since the cursor, each once, by its last change, and where the journal is."""
        latest = {}
        for number in range(state["since"], len(self.journal)):
            key, path = self.journal[number]
            if self.in_scope(key, state["folder"], state["recursive"]):
                latest[key] = (number, key, path)
        return sorted(latest.values())

    def list_page(self, state):
        if state["folder"] and state["folder"] not in self.items:
            raise Conflict("path", "not_found")
        state = {key: value for key, value in state.items() if key != "generation"}
        limit, media = state["limit"], state["media"]
        if state["after"] is not None:
            listed = sorted(
                (key, item)
                for key, item in self.items.items()
                if key > state["after"] and self.in_scope(key, state["folder"], state["recursive"])
            )
            entries = [item.metadata(media) for _, item in listed[:limit]]
            has_more = len(listed) > limit
            state["after"] = listed[limit - 1][0] if has_more else None
            return {"entries": entries, "cursor": self.cursor(**state), "has_more": has_more}
        changed = self.changes(state)
        entries = []
        for _, key, path in changed[:limit]:
            item = self.items.get(key)
            name = path.rpartition("/")[2]
            gone = {".tag": "deleted", "name": name, "path_lower": key, "path_display": path}
            entries.append(item.metadata(media) if item else gone)
        has_more = len(changed) > limit
        # What changes twice has its later place: nothing before the page's last place is left.
        state["since"] = changed[limit - 1][0] + 1 if has_more else len(self.journal)
        return {"entries": entries, "cursor": self.cursor(**state), "has_more": has_more}


# Pictures


def png_size(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n" or len(data) < 24:
        return None
    return struct.unpack(">II", data[16:24])


def png_rows(data):
    """Width, bytes of a pixel, colour type and unfiltered rows of a plain PNG of 8 bits a channel."""
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    pixel = {0: 1, 2: 3, 4: 2, 6: 4}.get(colour)
    if depth != 8 or interlace or not pixel or not 0 < width * height <= 1 << 22:
        raise Conflict("unsupported_image")
    packed, place = b"", 8
    while place + 8 <= len(data):
        length, kind = struct.unpack(">I4s", data[place : place + 8])
        if kind == b"IDAT":
            packed += data[place + 8 : place + 8 + length]
        place += 12 + length
    stride = width * pixel
    raw = zlib.decompressobj().decompress(packed, height * (stride + 1))
    if len(raw) < height * (stride + 1):
        raise Conflict("unsupported_image")
    rows, above = [], bytes(stride)
    for number in range(height):
        line = raw[number * (stride + 1) : (number + 1) * (stride + 1)]
        row = bytearray(line[1:])
        for place in range(stride):
            left = row[place - pixel] if place >= pixel else 0
            corner = above[place - pixel] if place >= pixel else 0
            up = above[place]
            nearest = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
            row[place] = row[place] + (0, left, up, (left + up) // 2, nearest)[min(line[0], 4)] & 0xFF
        rows.append(bytes(row))
        above = row
    return width, pixel, colour, rows


def png(width, height, colour, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packed = zlib.compress(b"".join(b"\0" + row for row in rows))
    head = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def thumbnail(data, box, fits_transpose):
    """A smaller PNG that fits into a box."""
    try:
        width, pixel, colour, rows = png_rows(data)
    except (struct.error, zlib.error):
        raise Conflict("conversion_error") from None
    height = len(rows)
    if fits_transpose and height > width:
        box = (box[1], box[0])
    scale = min(1, box[0] / width, box[1] / height)
    wide, high = max(1, int(width * scale)), max(1, int(height * scale))
    columns = [x * width // wide * pixel for x in range(wide)]
    lines = (rows[y * height // high] for y in range(high))
    small = [b"".join(row[column : column + pixel] for column in columns) for row in lines]
    return png(wide, high, colour, small)


# Routes


@dataclasses.dataclass
class Route:
    handler: object
    style: str
    fields: dict
    required: set
    needs_login: bool


ROUTES = {}


def route(name, style="rpc", needs_login=True, required=(), **fields):
    """Registers what answers `/2/name`; fields are those of its argument, with their types."""

    def register(handler):
        ROUTES[name] = Route(handler, style, fields, set(required), needs_login)
        return handler

    return register


def folder_path(value):
    if value == "/":
        raise bad('path: Specify the root folder as an empty string rather than as "/".')
    if not isinstance(value, str) or (value and not value.startswith("/")):
        raise bad(f"path: {value!r} did not match pattern '(/(.|[\\r\\n])*)?|id:.*|(ns:[0-9]+(/.*)?)'")
    return value


def write_path(value):
    if not folder_path(value):
        raise bad("path: '' did not match pattern '(/(.|[\\r\\n])*)|(ns:[0-9]+(/.*)?)|(id:.*)'")
    return value


def read_path(value):
    return value if isinstance(value, str) and re.match("id:|rev:[0-9a-f]{9,}$", value) else write_path(value)


def text(value):
    if not isinstance(value, str):
        raise bad(f"expected string, got {value!r}")
    return value


def flag(value):
    if not isinstance(value, bool):
        raise bad(f"expected boolean, got {value!r}")
    return value


def number(low, high):
    def check(value):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise bad(f"expected an integer from {low} to {high}, got {value!r}")
        return value

    return check


def timestamp(value):
    try:
        return datetime.datetime.strptime(text(value), TIME_FORMAT).strftime(TIME_FORMAT)
    except ValueError:
        raise bad(f"client_modified: time data {value!r} does not match format '{TIME_FORMAT}'") from None


def choice(*tags):
    def check(value):
        tag = value.get(".tag") if isinstance(value, dict) else value
        if tag not in tags:
            raise bad(f"unknown tag {tag!r}; expected one of {', '.join(sorted(tags))}")
        return tag

    return check


def structure(required=(), **fields):
    def check(value):
        if not isinstance(value, dict):
            raise bad(f"expected object, got {value!r}")
        for name in value:
            if name not in fields:
                raise bad(f"unknown field '{name}'")
        for name in required:
            if name not in value:
                raise bad(f"missing required field '{name}'")
        return {name: fields[name](each) for name, each in value.items()}

    return check


def write_mode(value):
    if isinstance(value, str) and value in ("add", "overwrite"):
        return value
    if not isinstance(value, dict) or value.get(".tag") not in ("add", "overwrite", "update"):
        raise bad(f"mode: {value!r} is no WriteMode")
    if value[".tag"] == "update" and not re.fullmatch("[0-9a-f]{9,}", str(value.get("update"))):
        raise bad("mode: update: expected a revision of at least 9 hexadecimal digits")
    return value


COMMIT = {
    "path": write_path, "mode": write_mode, "autorename": flag, "client_modified": timestamp, "mute": flag,
    "strict_conflict": flag,
}
SESSION = structure(["session_id", "offset"], session_id=text, offset=number(0, 1 << 62))
RELOCATION = {
    "from_path": write_path, "to_path": write_path, "allow_shared_folder": flag, "autorename": flag,
    "allow_ownership_transfer": flag,
}
LISTING = {
    "path": folder_path, "recursive": flag, "include_media_info": flag, "include_mounted_folders": flag,
    "include_non_downloadable_files": flag, "limit": number(1, 2000),
}


@route("check/user", query=text)
def check_user(account, argument, request):
    return {"result": argument.get("query", "")}


@route("users/get_space_usage")
def get_space_usage(account, argument, request):
    return {"used": account.used(), "allocation": {".tag": "individual", "allocated": account.quota}}


@route("files/get_metadata", required=["path"], path=lambda value: value, include_media_info=flag)
def get_metadata(account, argument, request):
    if argument["path"] == "":
        raise bad("request body: path: The root folder is unsupported.")
    return account.find(read_path(argument["path"]), "path").metadata(argument.get("include_media_info", False))


def listing(account, argument, **state):
    return {
        "folder": account.find_folder(argument["path"]), "recursive": argument.get("recursive", False),
        "media": argument.get("include_media_info", False), "limit": min(argument.get("limit", 2000), account.page),
        "since": len(account.journal), **state,
    }


@route("files/list_folder", required=["path"], **LISTING)
def list_folder(account, argument, request):
    return account.list_page(listing(account, argument, after=""))


@route("files/list_folder/get_latest_cursor", required=["path"], **LISTING)
def get_latest_cursor(account, argument, request):
    return {"cursor": account.cursor(**listing(account, argument, after=None))}


@route("files/list_folder/continue", required=["cursor"], cursor=text)
def list_folder_continue(account, argument, request):
    return account.list_page(account.read_cursor(argument["cursor"]))


@route("files/list_folder/longpoll", required=["cursor"], needs_login=False, cursor=text, timeout=number(30, 480))
def longpoll(account, argument, request):
    state = account.read_cursor(argument["cursor"])
    end = time.monotonic() + argument.get("timeout", 30)
    while time.monotonic() < end:
        if state["after"] is not None or account.changes(state):
            return {"changes": True}
        if state["folder"] and state["folder"] not in account.items:
            return {"changes": True}
        if request.is_abandoned():
            break
        account.lock.wait(min(1, max(0, end - time.monotonic())))
        account.read_cursor(argument["cursor"])
    return {"changes": False}


@route("files/create_folder_v2", required=["path"], path=write_path, autorename=flag)
def create_folder(account, argument, request):
    path = argument["path"]
    account.writable(path, "path")
    if argument.get("autorename") and key_of(path) in account.items:
        path = account.free_path(path)
    account.check_free(path, "path")
    account.make_parents(path, "path")
    item = Item(account.spelled(path), account.new_id())
    account.put(item)
    return {"metadata": untagged(item.metadata())}


@route("files/delete_v2", required=["path"], path=write_path, parent_rev=text)
def delete(account, argument, request):
    item = account.find(argument["path"], "path_lookup")
    if "parent_rev" in argument and (item.is_folder or item.rev != argument["parent_rev"]):
        raise Conflict("path_write", "conflict", "folder" if item.is_folder else "file")
    metadata = item.metadata()
    account.remove(item)
    return {"metadata": metadata}


@route("files/move_v2", required=["from_path", "to_path"], **RELOCATION)
def move(account, argument, request):
    item = account.relocate(argument["from_path"], argument["to_path"], True, argument.get("autorename"))
    return {"metadata": item.metadata()}


@route("files/copy_v2", required=["from_path", "to_path"], **RELOCATION)
def copy(account, argument, request):
    item = account.relocate(argument["from_path"], argument["to_path"], False, argument.get("autorename"))
    return {"metadata": item.metadata()}


SEARCH_OPTIONS = structure(
    path=folder_path, max_results=number(1, 1000), filename_only=flag, file_status=choice("active"),
    file_extensions=lambda value: [text(each) for each in value],
)


def words(name):
    return re.findall(r"\w+", unicodedata.normalize("NFC", name).lower())


def search_page(account, state):
    options = state["options"]
    folder = account.find_folder(options.get("path", ""))
    wanted, extensions = words(state["query"]), options.get("file_extensions")
    matches = []
    for _, item in account.below(folder):
        has = words(item.name)
        extension = item.name.rpartition(".")[2].lower()
        if wanted and set(wanted[:-1]) <= set(has) and any(word.startswith(wanted[-1]) for word in has):
            if extensions is None or (not item.is_folder and extension in extensions):
                matches.append({"metadata": {".tag": "metadata", "metadata": item.metadata()}})
    end = state["start"] + min(options.get("max_results", 100), account.page)
    page = {"matches": matches[state["start"] : end], "has_more": end < len(matches)}
    if page["has_more"]:
        page["cursor"] = account.cursor(**{**state, "start": end})
    return page


@route("files/search_v2", required=["query"], query=text, options=SEARCH_OPTIONS)
def search(account, argument, request):
    if len(argument["query"]) > 1000:
        raise bad("query: must be at most 1000 characters")
    return search_page(account, {"query": argument["query"], "options": argument.get("options", {}), "start": 0})


@route("files/search/continue_v2", required=["cursor"], cursor=text)
def search_continue(account, argument, request):
    state = account.read_cursor(argument["cursor"])
    state.pop("generation")
    return search_page(account, state)


@route("files/download", "download", required=["path"], path=read_path)
def download(account, argument, request):
    item = account.find_file(argument["path"], "path")
    return untagged(item.metadata()), item.data, f'W/"{item.rev}"', "application/octet-stream"


RESOURCE = structure([".tag"], **{".tag": choice("path"), "path": read_path})


@route(
    "files/get_thumbnail_v2", "download", required=["resource"], resource=RESOURCE,
    format=choice("jpeg", "png", "webp"), size=choice(*THUMBNAIL_SIZES), mode=choice("strict", "bestfit"),
)
def get_thumbnail(account, argument, request):
    item = account.find_file(argument["resource"]["path"], "path")
    if item.name.rpartition(".")[2].lower() not in THUMBNAIL_TYPES:
        raise Conflict("unsupported_extension")
    # This double reads and draws PNG alone.
    if len(item.data) > 20 << 20 or not png_size(item.data) or argument.get("format", "jpeg") != "png":
        raise Conflict("unsupported_image")
    box = tuple(int(side) for side in re.findall(r"\d+", argument.get("size", "w64h64")))
    small = thumbnail(item.data, box, argument.get("mode") == "bestfit")
    return {"file_metadata": untagged(item.metadata())}, small, f'W/"{item.rev}-{box}"', "image/png"


@route("files/upload", "upload", required=["path"], content_hash=text, **COMMIT)
def upload(account, argument, request):
    check_hash(argument, request.content)
    try:
        return untagged(account.commit(request.content, argument).metadata())
    except Conflict as conflict:
        if conflict.tags[0] == "path":
            reason = conflict.body["error"].pop("path")
            session = "pid_upload_session:" + secrets.token_hex(8)
            conflict.body["error"] |= {"reason": reason, "upload_session_id": session}
        raise


@route("files/upload_session/start", "upload", close=flag, session_type=choice("sequential"), content_hash=text)
def session_start(account, argument, request):
    check_hash(argument, request.content)
    name = "pid_upload_session:" + secrets.token_hex(12)
    account.sessions[name] = {"data": bytearray(request.content), "closed": argument.get("close", False)}
    return {"session_id": name}


def session_of(account, cursor, *error):
    session = account.sessions.get(cursor["session_id"])
    if not session:
        raise Conflict(*error, "not_found")
    return session


def extend(session, offset, content, *error):
    if offset != len(session["data"]):
        raise Conflict(*error, "incorrect_offset", correct_offset=len(session["data"]))
    session["data"] += content


@route(
    "files/upload_session/append_v2", "upload", required=["cursor"], cursor=SESSION, close=flag, content_hash=text)
def session_append(account, argument, request):
    check_hash(argument, request.content)
    session = session_of(account, argument["cursor"])
    if session["closed"]:
        raise Conflict("closed")
    extend(session, argument["cursor"]["offset"], request.content)
    session["closed"] = argument.get("close", False)


@route(
    "files/upload_session/finish", "upload", required=["cursor", "commit"], cursor=SESSION, content_hash=text,
    commit=structure(["path"], **COMMIT),
)
def session_finish(account, argument, request):
    check_hash(argument, request.content)
    session = session_of(account, argument["cursor"], "lookup_failed")
    extend(session, argument["cursor"]["offset"], request.content, "lookup_failed")
    item = account.commit(bytes(session["data"]), argument["commit"])
    del account.sessions[argument["cursor"]["session_id"]]
    return untagged(item.metadata())


def check_hash(argument, content):
    if argument.get("content_hash", content_hash(content)) != content_hash(content):
        raise Conflict("content_hash_mismatch")


def link_metadata(account, item, request):
    url = f"{request.origin}/scl/fi/{account.links[item.id]}/{urllib.parse.quote(item.name)}?dl=0"
    kind = "folder" if item.is_folder else "file"
    return {".tag": kind, "url": url, "id": item.id, "name": item.name, "path_lower": key_of(item.path)}


@route("sharing/create_shared_link_with_settings", required=["path"], path=read_path, settings=structure())
def create_shared_link(account, argument, request):
    item = account.find(argument["path"], "path")
    if item.id in account.links:
        raise Conflict("shared_link_already_exists")
    account.links[item.id] = secrets.token_hex(12)
    return link_metadata(account, item, request)


@route("sharing/list_shared_links", path=read_path, direct_only=flag, cursor=text)
def list_shared_links(account, argument, request):
    items = [account.find(argument["path"], "path")] if "path" in argument else list(account.items.values())
    links = [link_metadata(account, item, request) for item in items if item.id in account.links]
    return {"links": links, "has_more": False}


def untagged(metadata):
    return {name: value for name, value in metadata.items() if name != ".tag"}


# The server


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    content = b""
    loses_answer = False

    @property
    def account(self):
        return self.server.account

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def log_message(self, *arguments):
        pass

    def is_abandoned(self):
        """Whether the client has closed the connection."""
        self.connection.setblocking(False)
        try:
            return self.connection.recv(1, 2) == b""  # MSG_PEEK
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self.connection.setblocking(True)

    def do_GET(self):
        self.serve()

    def do_POST(self):
        self.serve()

    def do_PUT(self):
        self.serve()

    do_DELETE = do_HEAD = do_OPTIONS = do_PROPFIND = do_PUT

    def serve(self):
        target = urllib.parse.urlsplit(self.path)
        try:
            self.content = self.read_body()
            if target.path.startswith("/double/"):
                return self.reply(200, self.control(target.path[len("/double/") :]))
            if target.path.startswith("/scl/"):
                return self.serve_link(target.path.split("/")[3])
            name = target.path.removeprefix("/2/")
            self.server.count(name)
            if name not in ROUTES or not target.path.startswith("/2/"):
                raise Refusal(404, f"Unknown API function: {name!r}.")
            script = self.server.scripted(name)
            self.loses_answer = script.get("loses_answer", False)
            if "status" in script:
                raise ordered(script)
            self.call(name, ROUTES[name], urllib.parse.parse_qs(target.query))
        except Conflict as refusal:
            self.reply(refusal.status, refusal.body)
        except Refusal as refusal:
            body = refusal.body
            if isinstance(body, str) and refusal.status == 400:
                body = f'Error in call to API function "{target.path.removeprefix("/2/")}": {body}'
            self.reply(refusal.status, body, refusal.headers)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def call(self, name, route, query):
        if self.command not in (("GET", "POST") if route.style == "download" else ("POST",)):
            raise Refusal(405, f"{self.command} is not allowed here.", {"Allow": "POST"})
        if route.needs_login:
            self.check_login()
        argument = self.argument(route, query)
        with self.account.lock:
            answer = route.handler(self.account, argument, self)
        if route.style == "download":
            self.reply_with_file(*answer)
        else:
            self.reply(200, answer)

    def check_login(self):
        given = self.headers.get("Authorization")
        if given is None:
            raise bad('Must provide HTTP header "Authorization" or URL parameter "authorization".')
        if not secrets.compare_digest(given.encode("utf-8", "replace"), f"Bearer {self.server.token}".encode()):
            error = {"error_summary": "invalid_access_token/..", "error": {".tag": "invalid_access_token"}}
            raise Refusal(401, error, {"WWW-Authenticate": 'Bearer error="invalid_token"'})

    def argument(self, route, query):
        kind = self.headers.get("Content-Type")
        where = 'HTTP header "Dropbox-API-Arg"'
        allowed = {
            "rpc": ("application/json", "application/json; charset=utf-8"), "upload": ("application/octet-stream",),
            "download": (None, "", "text/plain", "text/plain; charset=utf-8", "application/octet-stream"),
        }[route.style]
        if self.command == "POST" and kind not in allowed and (route.fields or kind is not None):
            expected = ", ".join(f'"{each}"' for each in allowed if each)
            raise bad(f'Bad HTTP "Content-Type" header: "{kind}". Expecting one of {expected}.')
        if route.style == "rpc":
            where, given = "request body", self.content
            if not given and route.fields:
                raise bad("request body: could not decode input as JSON")
        else:
            given = self.headers.get("Dropbox-API-Arg") or query.get("arg", [None])[0]
            if given is None:
                raise bad('Must provide HTTP header "Dropbox-API-Arg" or URL parameter "arg".')
            if "arg" not in query and not given.isascii():
                raise bad(f"{where}: not safe for a header; escape what is not ASCII")
            if len(given) > MAX_ARGUMENT or (route.style == "download" and self.content):
                raise bad("the argument is too long, or there is a body")
        try:
            value = json.loads(given or b"null")
        except (ValueError, RecursionError):
            raise bad(f"{where}: could not decode input as JSON") from None
        if not route.fields and value is None:
            return {}
        try:
            return structure(route.required, **route.fields)(value)
        except Refusal as refusal:
            if refusal.status == 400 and not refusal.body.startswith("request body"):
                refusal.body = f"{where}: {refusal.body}"
            raise

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            return self.read_chunks()
        try:
            length = int(self.headers.get("Content-Length") or 0)
        except ValueError:
            length = -1
        if length < 0:
            self.close_connection = True
            raise Refusal(400, "Bad Content-Length.")
        self.refuse_long(length)
        body = self.rfile.read(length) if length else b""
        if len(body) < length:
            raise ConnectionResetError
        return body

    def read_chunks(self):
        body = bytearray()
        while True:
            line = self.rfile.readline(64).split(b";")[0].strip()
            if not re.fullmatch(b"[0-9a-fA-F]{1,8}", line):
                # The client has gone, or does not speak HTTP.
                raise ConnectionResetError
            size = int(line, 16)
            if not size:
                break
            self.refuse_long(len(body) + size)
            body += self.rfile.read(size)
            self.rfile.readline(8)
        while self.rfile.readline(1024).strip():
            pass
        return bytes(body)

    def refuse_long(self, length):
        if length > MAX_REQUEST:
            self.close_connection = True
            raise Refusal(413, "The request is larger than 150 MiB.")

    def reply(self, status, value, headers=None):
        is_text = isinstance(value, str)
        body = value.encode("utf-8", "replace") if is_text else json.dumps(value).encode()
        kind = "text/plain; charset=utf-8" if is_text else "application/json"
        self.send(status, body, {"Content-Type": kind, **(headers or {})})

    def reply_with_file(self, result, data, tag, kind):
        result = json.dumps(result).replace("\x7f", "\\u007f")
        headers = {"Dropbox-API-Result": result, "ETag": tag, "Accept-Ranges": "bytes", "Content-Type": kind}
        if tag in self.headers.get("If-None-Match", "").split(", "):
            return self.send(304, b"", headers)
        match = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not match or match.groups() == ("", ""):
            return self.send(200, data, headers)
        first, last = match.groups()
        start = int(first) if first else max(0, len(data) - int(last))
        end = min(int(last) + 1 if first and last else len(data), len(data))
        if start >= end:
            headers |= {"Content-Range": f"bytes */{len(data)}", "Content-Type": "text/plain; charset=utf-8"}
            return self.send(416, b"Range Not Satisfiable", headers)
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(data)}"
        self.send(206, data[start:end], headers)

    def serve_link(self, token):
        with self.account.lock:
            found = [item for item in self.account.items.values() if self.account.links.get(item.id) == token]
        if not found or found[0].is_folder:
            raise Refusal(404, "There is nothing here.")
        self.send(200, found[0].data, {"Content-Type": "application/octet-stream"})

    def send(self, status, body, headers):
        if self.loses_answer:
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()

    def control(self, name):
        value = json.loads(self.content or b"null")
        if name == "script":
            self.server.scripts[value["route"]].extend([value] * value.get("times", 1))
        elif name == "reset":
            with self.account.lock:
                self.account.generation += 1
                self.account.lock.notify_all()
        elif name == "requests":
            with self.server.counting:
                counted, self.server.requests = self.server.requests, collections.Counter()
            return counted
        else:
            raise Refusal(404, "Unknown control.")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port=0, token="token", page=500, quota=2 << 30):
        super().__init__(("127.0.0.1", port), Handler)
        self.token = token
        self.account = Account(page, quota)
        self.counting = threading.Lock()
        self.requests = collections.Counter()
        self.scripts = collections.defaultdict(collections.deque)

    def handle_error(self, request, client_address):
        # A client that goes is no error of the server's.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def count(self, name):
        with self.counting:
            self.requests[name] += 1

    def scripted(self, name):
        """What a test has ordered for this route."""
        try:
            return self.scripts[name].popleft()
        except IndexError:
            return {}


def ordered(script):
    """The refusal that a test has ordered."""
    if script["status"] != 429:
        return Refusal(script["status"], "As ordered.")
    pause = script.get("retry_after", 1)
    error = {"error": {"reason": {".tag": "too_many_requests"}, "retry_after": pause}}
    return Refusal(429, {"error_summary": "too_many_requests/..", **error}, {"Retry-After": str(pause)})


def end_with_parent():
    """Ends the process when standard input ends, or the parent is another."""
    parent = os.getppid()

    def wait_for_end_of_input():
        while sys.stdin.buffer.read(4096):
            pass
        os._exit(0)

    threading.Thread(target=wait_for_end_of_input, daemon=True).start()

    def wait_for_parent():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(0)

    threading.Thread(target=wait_for_parent, daemon=True).start()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--token", default=os.environ.get("CLOUD_TOKEN", "token"), help="the only bearer token taken")
    parser.add_argument("--page", type=int, default=500, help="the most entries of one page")
    parser.add_argument("--quota", type=int, default=2 << 30, help="bytes")
    parser.add_argument("--with-parent", action="store_true", help="end with the process that started this one")
    options = parser.parse_args()
    if options.with_parent:
        end_with_parent()
    server = Server(options.port, options.token, options.page, options.quota)
    print(f"http://127.0.0.1:{server.server_address[1]}/2/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
