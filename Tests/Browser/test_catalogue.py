"""The catalogue of `carrel shelf serve` over HTTP: every link of both versions of OPDS, and each document by its rules."""

import json
import pathlib
import tempfile
import unittest

import books
from catalogue import Client, Schemas, Walk, default_rules, default_schemas, has_validator
from doubles import until
from served import PATIENCE, Served

# Enough for two pages.
BOOKS = 54


class CatalogueTest(unittest.TestCase):
    """A shelf of small books and one comic."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-catalogue.")))
        shelf = cls.folder / "books"
        shelf.mkdir()
        for number in range(1, BOOKS):
            text = books.xhtml("One", f"<p>A book about {books.WORDS[number % len(books.WORDS)]}.</p>")
            cover = {"cover.png": ("image/png", books.png(60, 90, (number, 90, 150)))} if number % 3 == 0 else {}
            subjects = f"<dc:subject>{'Light' if number % 2 else 'Rooms &amp; halls'}</dc:subject>"
            books.epub(shelf / f"book {number}.epub", f"A book <{number}>", [("c.xhtml", "One", "", text)], cover, metadata=subjects)
        books.comic(shelf / "comic.cbz")
        cls.served = cls.enterClassContext(Served(cls.folder / "home", shelf, "--port", "0", command=("shelf", "serve")))
        cls.client = Client(cls.served.url)
        cls.addClassCleanup(cls.client.close)
        # Pictures lead nowhere until it is known which books have none.
        if not until(lambda: cls.count() == BOOKS and cls.pictures() == (BOOKS - 1) // 3 + 1, PATIENCE):
            raise AssertionError(f"{cls.count()} books, {cls.pictures()} with pictures: {cls.served.log()}")

    @classmethod
    def feed(cls, path: str) -> dict:
        return json.loads(cls.client.get(cls.served.url + path)[2])

    @classmethod
    def count(cls) -> int:
        return cls.feed("opds/2.0/books")["metadata"]["numberOfItems"]

    @classmethod
    def publications(cls) -> list[list[dict]]:
        """Those of each page."""
        pages, url = [], cls.served.url + "opds/2.0/books"
        while url:
            feed = json.loads(cls.client.get(url)[2])
            pages.append(feed.get("publications", []))
            url = next((link["href"] for link in feed["links"] if link.get("rel") == "next"), None)
        return pages

    @classmethod
    def pictures(cls) -> int:
        return sum(1 for page in cls.publications() for book in page if book.get("images"))


class WalkTests(CatalogueTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        schemas = default_schemas()
        cls.has_schemas = schemas is not None
        cls.walk = Walk(cls.served.url, cls.client, Schemas(schemas) if schemas else None).run()

    def test_every_link_leads_to_what_it_says(self):
        self.assertEqual(self.walk.problems, [])
        kinds = self.walk.kinds
        self.assertEqual(kinds["application/epub+zip"], BOOKS - 1)
        self.assertEqual(kinds["application/opds-publication+json"], BOOKS)
        self.assertEqual(kinds["application/atom+xml;type=entry;profile=opds-catalog"], BOOKS)
        self.assertGreaterEqual(kinds["image/jpeg"], (BOOKS // 3) * 2)
        self.assertEqual(sum(1 for files in self.walk.files.values() if files), BOOKS)

    def test_feeds_of_2_0_follow_the_schemas(self):
        if not self.has_schemas:
            self.skipTest("the schemas are not here")
        self.assertEqual([line for line in self.walk.violations if "/opds/1.2/" not in line], [])

    def test_feeds_of_1_2_follow_the_rules(self):
        if not has_validator():
            self.skipTest("neither jing nor xmllint is here")
        before = len(self.walk.violations)
        self.walk.check_rules(default_rules())
        self.assertEqual(self.walk.violations[before:], [])


class PageTests(CatalogueTest):
    def test_both_pages_have_all_books(self):
        pages = self.publications()
        titles = [json.dumps(book["metadata"]["title"]) for page in pages for book in page]
        self.assertEqual((len(pages), len(titles), len(set(titles))), (2, BOOKS, BOOKS))

    def test_a_feed_that_is_kept_is_not_sent_again(self):
        for version in ("1.2", "2.0"):
            url = f"{self.served.url}opds/{version}/books"
            tag = self.client.get(url)[1]["etag"]
            status, _, body = self.client.get(url, If_None_Match=tag)
            self.assertEqual((status, body), (304, b""))

    def test_a_search_finds_by_any_form_of_its_words(self):
        for words in ("LAMPS", "lamp", "l%C3%A1mps"):
            with self.subTest(words):
                found = self.feed(f"opds/2.0/books?query={words}")
                self.assertEqual([book["metadata"]["title"] for book in found["publications"]], ["Lamps"])


if __name__ == "__main__":
    unittest.main()
