"""A device plug-in for calibre that speaks the reader-application protocol over a folder of this machine.

    calibre-debug -e reader_device.py -- STAGING STEPS.json

STEPS.json holds what to do, one object a step; what came of it is printed as JSON, one object a line. It is an independent driver for
tests of the application's side: messages are made and read by calibre's own libraries, not by ours.
"""

import base64
import hashlib
import io
import json
import os
import shutil
import sqlite3
import sys
import time

from calibre.devices.errors import TimeoutError
from calibre.devices.interface import BookList, DevicePlugin
from calibre.ebooks.metadata.book.base import Metadata
from calibre.ebooks.metadata.meta import get_metadata, set_metadata
from lxml import etree


class Books(BookList):
    """The books on the device; what is asked of it, it does without any I/O."""

    def __init__(self):
        list.__init__(self)

    def supports_collections(self):
        return True

    def add_book(self, book, replace_metadata):
        self.remove_book(book)
        self.append(book)

    def remove_book(self, book):
        self[:] = [known for known in self if known.uuid != book.uuid]


class ReaderDevice(DevicePlugin):
    name = "Reader application"
    gui_name = "Reader application"
    description = "Reader applications behind a staging folder"
    supported_platforms = ["linux"]
    FORMATS = ["epub"]
    CAN_SET_METADATA = ["title", "authors", "collections"]
    VENDOR_ID = PRODUCT_ID = BCD = None
    ACKNOWLEDGE_SECONDS = 15
    STALL_SECONDS = 15

    def __init__(self, plugin_path, staging):
        DevicePlugin.__init__(self, plugin_path)
        self.staging = staging
        self.listing = Books()
        self.progress = []

    # Connection

    def connection(self):
        with open(os.path.join(self.staging, "connected.xml"), "rb") as stream:
            return etree.fromstring(stream.read())

    def can_handle(self, device_info=None, debug=False):
        try:
            return self.connection().find("state").text == "online"
        except OSError:
            return False

    def open(self, connected_device=None, library_uuid=None):
        self.root = self.connection()
        self.documents = os.path.join(self.staging, self.root.get("documents", ""))

    def get_device_information(self, end_session=True):
        return (self.root.get("application"), self.root.get("device", ""), self.root.get("system", ""), "")

    def card_prefix(self, end_session=True):
        return (None, None)

    def eject(self):
        self.root = None

    # Books

    def books(self, oncard=None, end_session=True):
        found = Books()
        if oncard:
            return found
        copy = os.path.join(self.staging, self.root.get("snapshot"))
        database = sqlite3.connect(f"file:{copy}?mode=ro&immutable=1", uri=True)
        database.row_factory = sqlite3.Row

        def names(book, table):
            return [row[0] for row in database.execute(f"SELECT name FROM {table} WHERE book = ? ORDER BY place", (book,))]

        for row in database.execute("SELECT * FROM books ORDER BY title"):
            book = Metadata(row["title"], names(row["id"], "authors"))
            book.uuid, book.path, book.size = row["uuid"], row["filename"], row["size"]
            book.series, book.series_index = row["series"], row["series_index"]
            book.publisher, book.tags, book.comments = row["publisher"], names(row["id"], "subjects"), row["description"]
            joined = "(SELECT book, place, name FROM book_collections JOIN collections ON collections.id = collection)"
            book.device_collections, book.cover_hash = names(row["id"], joined), row["cover_hash"]
            found.append(book)
        database.close()
        self.listing = found
        return found

    def upload_books(self, files, names, on_card=None, end_session=True, metadata=None):
        root = self.command("uploadbooks", overwrite="yes")
        manifest = etree.SubElement(root, "manifest")
        for path, book in zip(files, metadata):
            staged = book.uuid + ".epub"
            with open(path, "rb") as stream:
                copy = io.BytesIO(stream.read())
            set_metadata(copy, book, "epub")
            with open(os.path.join(self.documents, staged), "wb") as target:
                target.write(copy.getvalue())
            entry = etree.SubElement(manifest, "book", filename=staged, coverhash=self.cover_hash(book))
            self.add_collections(entry, book.device_collections)
        status = self.carry_out("upload_books", root)
        return status, [(name, None) for name in names]

    def add_books_to_metadata(self, locations, metadata, booklists):
        for book in metadata:
            booklists[0].add_book(book, True)

    def delete_books(self, paths, end_session=True):
        root = self.command("deletebooks")
        manifest = etree.SubElement(root, "manifest")
        for book in self.listing:
            if book.path in paths:
                self.add_reference(manifest, book)
        return self.carry_out("delete_books", root)

    def remove_books_from_metadata(self, paths, booklists):
        for book in [book for book in booklists[0] if book.path in paths]:
            booklists[0].remove_book(book)

    def sync_booklists(self, booklists, end_session=True):
        root = self.command("updatemetadata", cleanupcollections="yes")
        manifest = etree.SubElement(root, "manifest")
        for book in booklists[0]:
            entry = self.add_reference(manifest, book)
            entry.set("authorsort", book.author_sort or "")
            entry.set("titlesort", book.title_sort or "")
            entry.set("publisher", book.publisher or "")
            entry.set("series", book.series or "")
            entry.set("seriesindex", str(book.series_index or ""))
            if book.pubdate:
                entry.set("pubdate", book.pubdate.strftime("%Y-%m-%d"))
            etree.SubElement(entry, "description").text = book.comments or ""
            self.add_collections(entry, book.device_collections)
            subjects = etree.SubElement(entry, "subjects")
            for tag in book.tags or []:
                etree.SubElement(subjects, "subject").text = tag
            if book.cover_data and book.cover_data[1]:
                cover = etree.SubElement(entry, "cover", hash=self.cover_hash(book), encoding="base64")
                cover.text = base64.encodebytes(book.cover_data[1]).decode("ascii")
        return self.carry_out("update_metadata", root)

    def rebuild_collections(self, books):
        root = self.command("rebuildcollections")
        manifest = etree.SubElement(root, "manifest")
        for book in books:
            self.add_collections(self.add_reference(manifest, book), book.device_collections)
        return self.carry_out("rebuild_collections", root)

    def get_file(self, path, outfile, end_session=True):
        name = "get.epub"
        root = self.command("command", type="ExportBooks")
        manifest = etree.SubElement(root, "manifest")
        for book in self.listing:
            if book.path == path:
                self.add_reference(manifest, book)
        parameters = etree.SubElement(root, "parameters")
        etree.SubElement(parameters, "parameter", name="name").text = name
        status = self.carry_out("command", root)
        staged = os.path.join(self.documents, "0-" + name)
        with open(staged, "rb") as stream:
            shutil.copyfileobj(stream, outfile)
        os.remove(staged)
        return status

    # Commands

    def command(self, root, **attributes):
        return etree.Element(root, timestamp=f"{time.time():.1f}", **attributes)

    def add_reference(self, manifest, book):
        return etree.SubElement(
            manifest, "book", author=", ".join(book.authors), filename=book.path, title=book.title, uuid=book.uuid or "")

    def add_collections(self, entry, names):
        collections = etree.SubElement(entry, "collections")
        for name in names or []:
            etree.SubElement(collections, "collection").text = name

    def cover_hash(self, book):
        return hashlib.md5(book.cover_data[1]).hexdigest() if book.cover_data and book.cover_data[1] else "0"

    def carry_out(self, name, root):
        status_file = os.path.join(self.staging, "status.xml")
        if os.path.exists(status_file):
            os.remove(status_file)
        temporary = os.path.join(self.staging, name + ".tmp")
        with open(temporary, "wb") as stream:
            stream.write(etree.tostring(root, xml_declaration=True, encoding="utf-8"))
        os.rename(temporary, os.path.join(self.staging, name + ".xml"))
        seen, deadline = None, time.monotonic() + self.ACKNOWLEDGE_SECONDS
        while time.monotonic() < deadline:
            time.sleep(0.02)
            try:
                with open(status_file, "rb") as stream:
                    status = etree.fromstring(stream.read())
            except (OSError, etree.XMLSyntaxError):
                continue
            if status.get("timestamp") != seen:
                seen, deadline = status.get("timestamp"), time.monotonic() + self.STALL_SECONDS
                self.progress.append(float(status.find("progress").text))
            if status.get("code") != "-1":
                os.remove(status_file)
                messages = [message.text for message in status.find("messages")]
                return {"code": int(status.get("code")), "messages": messages}
        raise TimeoutError(f"{name}: no status for too long")


def edited(book, changes):
    for key, value in changes.items():
        if key == "cover":
            with open(value, "rb") as stream:
                book.cover_data = ("jpg", stream.read())
        else:
            setattr(book, key, value)
    return book


def shown(book):
    return {
        "title": book.title, "authors": book.authors, "uuid": book.uuid, "path": book.path, "size": book.size, "series": book.series,
        "seriesIndex": book.series_index, "publisher": book.publisher, "tags": sorted(book.tags or []), "comments": book.comments,
        "collections": sorted(book.device_collections or []), "coverHash": book.cover_hash,
    }


def perform(device, step):
    action = step["do"]
    if action == "upload":
        metadata = []
        for path, changes in zip(step["files"], step["metadata"]):
            with open(path, "rb") as stream:
                book = get_metadata(stream, "epub")
            book.device_collections = []
            metadata.append(edited(book, changes))
        status, locations = device.upload_books(step["files"], [os.path.basename(path) for path in step["files"]], metadata=metadata)
        device.add_books_to_metadata(locations, metadata, (device.listing, Books(), Books()))
        return status
    chosen = [book for book in device.listing if book.uuid in step["books"]]
    if action == "update":
        changed = Books()
        changed.extend(edited(book, step["changes"]) for book in chosen)
        return device.sync_booklists((changed, Books(), Books()))
    if action == "collections":
        return device.rebuild_collections([edited(book, {"device_collections": step["collections"]}) for book in chosen])
    if action == "delete":
        status = device.delete_books([book.path for book in chosen])
        device.remove_books_from_metadata([book.path for book in chosen], (device.listing, Books(), Books()))
        return status
    if action == "get":
        with open(step["to"], "wb") as stream:
            return device.get_file(chosen[0].path, stream)
    raise ValueError(action)


def main():
    staging, steps = sys.argv[-2:]
    device = ReaderDevice(None, staging)
    deadline = time.monotonic() + 15
    while not device.can_handle():
        if time.monotonic() > deadline:
            raise TimeoutError("the application is not online")
        time.sleep(0.05)
    device.open()
    device.books()
    with open(steps, "rb") as stream:
        for step in json.load(stream):
            status = perform(device, step)
            print(json.dumps({"do": step["do"], "status": status, "books": [shown(book) for book in device.books()]}), flush=True)
    device.eject()


main()
