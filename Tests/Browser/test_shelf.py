"""`carrel shelf serve`: its web pages in Chromium (grids, filters, search, a book and the way back, places, hostile books, layout, login), and its
cache, proxies and wrong logins without a browser."""

import base64
import contextlib
import http.client
import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request
from html import escape

from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.keys import Keys

import books
import test_reading
from browser import SIZES, BrowserTest, Reader, chromium, wait
from doubles import until
from served import CARREL, PATIENCE, Served, environment, secret_file
from test_reading import COLORS, CONTRAST

# Small books beside the novel and the comic: more than a page of the grid has.
SMALL = 52
PAGE = 48
AUTHORS = ["Ada Reader", "Bo Écrivain", "Cy & Co", "Di <Writer>"]
COMIC = "Lamps"
HOSTILE = "</title><script>document.documentElement.dataset.owned = 1</script>\"'>"
ATTACK = "<img src=x onerror=\"document.documentElement.dataset.owned = 2\">"


def titled(number: int) -> str:
    return f"{books.WORDS[number].capitalize()} {number}"


def small(folder: pathlib.Path, number: int) -> None:
    """A book with one of four authors, a subject, every fourth in a series, every third with a cover."""
    metadata = f"<dc:creator>{escape(AUTHORS[number % 4])}</dc:creator><dc:subject>{'Light' if number % 2 else 'Rooms &amp; halls'}</dc:subject>"
    if number % 4 == 0:
        metadata += (
            '<meta property="belongs-to-collection" id="s">The Fours</meta><meta refines="#s" property="collection-type">series</meta>'
            f'<meta refines="#s" property="group-position">{number // 4}</meta>')
    cover = {"cover.png": ("image/png", books.png(120, 180, (number * 4, 90, 150)))} if number % 3 == 0 else {}
    text = books.xhtml("One", f"<p>A book about {titled(number)}.</p>")
    books.epub(folder / f"{number}.epub", titled(number), [("c.xhtml", "One", "", text)], cover, metadata=metadata)


def honest(folder: pathlib.Path) -> int:
    for number in range(1, SMALL + 1):
        small(folder, number)
    books.novel(folder / "novel.epub")
    books.comic(folder / "comic.cbz")
    return SMALL + 2


def hostile(folder: pathlib.Path) -> int:
    attack = escape(ATTACK)
    metadata = f"<dc:creator>{attack}</dc:creator><dc:subject>{attack}</dc:subject><dc:publisher>{attack}</dc:publisher><dc:description>{attack}</dc:description>"
    text = books.xhtml("One", "<p>Text</p>")
    for number in (1, 2):
        books.epub(folder / f"{number} '\"><img src=x>.epub", HOSTILE, [("c.xhtml", "One", "", text)], {}, metadata=metadata)
    return 2


def served_shelf(home: pathlib.Path, location: pathlib.Path, *options: str) -> Served:
    return Served(home, location, "--folder", str(home / "shelf"), "--port", "0", *options, command=("shelf", "serve"))


class ShelfTest(BrowserTest):
    """Tests of one shelf in one browser, with all books and covers there from the beginning."""

    make = staticmethod(honest)
    arguments: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-shelf.")))
        location = cls.folder / "books"
        location.mkdir()
        cls.count = cls.make(location)
        cls.served = cls.enterClassContext(served_shelf(cls.folder / "home", location))
        if not until(cls.is_complete, 2 * PATIENCE):
            raise AssertionError(f"the shelf was not read: {cls.served.log()}")
        cls.driver = chromium(*cls.arguments)
        cls.addClassCleanup(cls.driver.quit)

    @classmethod
    def html(cls, path: str = "") -> str:
        with urllib.request.urlopen(cls.served.url + path, timeout=PATIENCE) as answer:
            return answer.read().decode()

    @classmethod
    def is_complete(cls) -> bool:
        """Whether all books are there, and of each one it is known whether it has a cover: no picture lies on a made cover."""
        pages = [cls.html(f"books?page={page}") for page in range(1, 2 + (cls.count - 1) // PAGE)] if f">{cls.count} books<" in cls.html("books") else []
        return bool(pages) and not any("</span></span><img" in page for page in pages)

    def setUp(self) -> None:
        self.reader = Reader(self.driver, self.served.url)
        self.reader.size("desk")
        self.reader.prefers("light")
        self.driver.get("about:blank")
        self.reader.requests()
        self.reader.complaints()

    # ---- doing

    def open(self, path: str = "") -> Reader:
        self.driver.get(self.served.url + path)
        return self.reader

    def follow(self, link) -> None:
        """Clicks on a link and waits for its page."""
        address = link.get_attribute("href")
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", link)
        link.click()
        wait(self.driver, lambda: self.driver.current_url == address and self.is_loaded(), f"the link leads to {address}")

    def is_loaded(self) -> bool:
        return self.driver.execute_script("return document.readyState === 'complete'")

    def titles(self, where: str = "main") -> list[str]:
        return [e.get_property("textContent") for e in self.reader.all(f"{where} .grid .title")]

    def heading(self) -> str:
        return self.reader.find("main h1").get_property("textContent")

    def link(self, text: str, where: str = "main"):
        """The first link of which a line is `text`, shown or not."""
        script = "return [...document.querySelectorAll(arguments[0] + ' a')].find((a) => a.innerText.split('\\n').some((line) => line.trim() === arguments[1]) || a.textContent.trim() === arguments[1]) ?? null"
        link = self.driver.execute_script(script, where, text)
        self.assertIsNotNone(link, f"there is no link {text!r}")
        return link

    def filter(self, name: str, value: str) -> None:
        """Chooses a value of a filter."""
        summary = next(e for e in self.reader.all(".filters summary") if e.text.strip() == name)
        summary.click()
        wait(self.driver, lambda: self.reader.find(".filters details[open] .values").is_displayed(), f"the filter {name} opened")
        self.follow(next(e for e in self.reader.all(".filters details[open] a") if e.get_property("textContent").startswith(value)))

    def search(self, text: str) -> None:
        query = self.reader.find("#query")
        query.clear()
        query.send_keys(text, Keys.ENTER)
        wait(self.driver, lambda: "query=" in self.driver.current_url and self.is_loaded(), f"{text!r} was searched for")


class GridTests(ShelfTest):
    def test_the_first_page_has_covers_that_lead_to_books(self):
        reader = self.open()
        self.assertEqual(len(self.titles("section[aria-labelledby=newest]")), 12)
        self.assertEqual(len(self.titles("section[aria-labelledby=all]")), 24)
        for picture in reader.all(".cover img"):
            self.driver.execute_script("arguments[0].scrollIntoView()", picture)
            wait(self.driver, lambda: picture.get_property("naturalWidth") > 0, "the cover is loaded")
        for made in reader.all(".book .made"):
            self.assertGreater(made.size["height"], 100)
        first = self.titles("section[aria-labelledby=all]")[0]
        self.follow(self.link(first))
        self.assertEqual(self.heading(), first)

    def test_pages_of_the_grid_have_each_book_once(self):
        self.open("books")
        self.assertEqual(self.reader.find(".count").text, f"{self.count} books")
        titles = self.titles()
        self.assertEqual(len(titles), PAGE)
        self.follow(self.link("Next", ".pages"))
        titles += self.titles()
        self.assertEqual(len(set(titles)), self.count)
        self.assertTrue({titled(number) for number in range(1, SMALL + 1)} | {books.NOVEL, COMIC} <= set(titles))

    def test_books_are_found_by_beginnings_of_words(self):
        self.open()
        self.search("ROUND lam")
        self.assertEqual(self.titles(), [books.NOVEL])
        self.assertEqual(self.reader.find("#query").get_property("value"), "ROUND lam")
        self.search("zebra")
        self.assertEqual(self.titles(), [])
        self.follow(self.link("Show all books"))
        self.assertEqual(len(self.titles()), PAGE)

    def test_filters_narrow_and_are_given_up_again(self):
        self.open("books")
        self.filter("Subject", "Light")
        self.assertEqual(self.reader.find(".count").text, f"{SMALL // 2} books")
        self.filter("Author", AUTHORS[3])
        expected = {titled(number) for number in range(1, SMALL + 1) if number % 4 == 3}
        self.assertEqual(set(self.titles()), expected)
        self.assertEqual(self.heading(), f"{AUTHORS[3]}, Light")
        self.filter("Order: Title", "Newest first")
        self.assertEqual(set(self.titles()), expected)
        self.follow(next(e for e in self.reader.all(".chosen a") if "Light" in e.text))
        self.assertEqual(set(self.titles()), expected)
        self.assertEqual(self.heading(), AUTHORS[3])

    def test_filters_say_how_many_books_they_leave(self):
        reader = self.open("books")
        next(e for e in reader.all(".filters summary") if e.text.strip() == "Format").click()
        values = wait(self.driver, lambda: reader.all(".filters details[open] a"), "the filter opened")
        self.assertEqual([e.get_property("textContent").split() for e in values], [["CBZ", "1", "book"], ["EPUB", str(SMALL + 1), "books"]])

    def test_lists_lead_to_the_books_of_a_name(self):
        self.open()
        self.follow(self.link("Authors", "#lists"))
        self.assertEqual(self.reader.find("#lists [aria-current=page]").text, "Authors")
        self.follow(next(e for e in self.reader.all(".names a") if AUTHORS[3] in e.text))
        self.assertEqual(self.heading(), AUTHORS[3])
        self.assertEqual(len(self.titles()), SMALL // 4)
        self.follow(self.link("Series", "#lists"))
        self.follow(next(e for e in self.reader.all(".names a") if "The Fours" in e.text))
        self.assertEqual(self.titles(), [titled(4 * number) for number in range(1, SMALL // 4 + 1)])

    def test_a_book_is_opened_and_left_again(self):
        self.open("books")
        self.search("ROUND lam")
        self.follow(self.link(books.NOVEL))
        details = self.driver.current_url
        self.assertIn("Carrel Press", self.reader.find(".authors").text)
        self.assertGreater(self.reader.find(".jacket-cover img").get_property("naturalWidth"), 240)
        address = self.reader.find("#read").get_attribute("href")
        self.reader.find("#read").click()
        book = Reader(self.driver, address)
        book.until(lambda s: s["state"] in ("title", "reading"), "the reading page is there")
        book.start()
        self.assertTrue(book.shows("Chapter 1"))
        next(e for e in book.all("a.home") if e.is_displayed()).click()
        wait(self.driver, lambda: self.driver.current_url == details and self.is_loaded(), "the way back leads to the book's page")
        self.assertEqual(self.heading(), books.NOVEL)

    def test_the_file_is_offered_under_a_name(self):
        self.open("books?query=round+lam")
        self.follow(self.link(books.NOVEL))
        address = self.reader.find("#download").get_attribute("href")
        self.assertTrue(address.endswith(".epub"), address)
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            self.assertEqual(answer.read(), (self.folder / "books" / "novel.epub").read_bytes())


class PlaceTests(ShelfTest):
    def progress(self) -> int:
        """The progress of the book on the first page, in percent; 0 for none."""
        found = re.search(r'<progress max="100" value="(\d+)"', self.html())
        return int(found[1]) if found else 0

    def test_reading_goes_on_where_it_was_left(self):
        self.open("books?query=round+lam")
        self.follow(self.link(books.NOVEL))
        self.reader.find("#read").click()
        book = Reader(self.driver, self.driver.current_url)
        book.until(lambda s: s["state"] in ("title", "reading"), "the reading page is there")
        book.start()
        book.goto("Chapter 5")
        book.ready(index=4)
        book.turn(Keys.END)
        # Who leaves the page has the place kept. The fifth of twelve chapters ends at 42 %.
        self.driver.get("about:blank")
        self.assertTrue(until(lambda: self.progress() > 36, PATIENCE), f"the place is not kept: {self.progress()} %")
        self.open()
        # What the browser itself remembers must not be needed.
        self.driver.execute_script("localStorage.clear()")
        card = self.reader.find("section[aria-labelledby=reading] .book a")
        self.assertIn(books.NOVEL, card.text)
        self.assertLess(self.progress(), 45)
        self.reader.picture("shelf-reading")
        card.click()
        book.until(lambda s: s["state"] in ("title", "reading"), "the reading page is there")
        resumed = book.start(index=4)
        self.assertGreater(resumed["page"], 1)


class KeyTests(ShelfTest):
    def active(self) -> dict:
        return self.driver.execute_script(
            "const e = document.activeElement, s = getComputedStyle(e); return { id: e.id, name: e.localName, class: e.className,"
            " text: e.textContent.trim(), outlined: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0, width: e.getBoundingClientRect().width }")

    def test_the_first_stop_skips_the_bar(self):
        self.open("books")
        self.reader.press(Keys.TAB)
        first = self.active()
        self.assertEqual(first["class"], "skip")
        self.assertTrue(first["outlined"] and first["width"] > 50, first)
        self.reader.press(Keys.ENTER)
        wait(self.driver, lambda: self.active()["id"] == "content", "the content has the focus")

    def test_each_stop_is_seen(self):
        self.open("books")
        for _ in range(25):
            self.reader.press(Keys.TAB)
            stop = self.active()
            self.assertTrue(stop["outlined"], stop)

    def test_a_slash_searches_and_suggestions_are_chosen_by_arrows(self):
        self.open()
        wait(self.driver, lambda: self.reader.find("html.scripted"), "the page's script runs")
        self.reader.press("/")
        self.assertEqual(self.active()["id"], "query")
        self.reader.press(*"round")
        wait(self.driver, lambda: self.reader.find("#suggestions a").is_displayed(), "there are suggestions")
        self.assertIn("suggestion", self.reader.find("#suggestions-status").get_property("textContent"))
        self.reader.press(Keys.ARROW_DOWN)
        self.assertTrue(self.active()["text"].startswith(books.NOVEL))
        self.reader.press(Keys.ENTER)
        wait(self.driver, lambda: self.heading() == books.NOVEL, "the suggestion leads to the book")

    def test_escape_closes_suggestions_and_filters(self):
        self.open("books")
        wait(self.driver, lambda: self.reader.find("html.scripted"), "the page's script runs")
        self.reader.press("/", *"round")
        wait(self.driver, lambda: self.reader.find("#suggestions a").is_displayed(), "there are suggestions")
        self.reader.press(Keys.ESCAPE)
        wait(self.driver, lambda: not self.reader.all("#suggestions a"), "the suggestions closed")
        summary = self.reader.find(".filters summary")
        summary.click()
        wait(self.driver, lambda: self.reader.all(".filters details[open]"), "the filter opened")
        self.reader.press(Keys.ESCAPE)
        wait(self.driver, lambda: not self.reader.all(".filters details[open]"), "the filter closed")
        self.assertEqual(self.active()["name"], "summary")

    def test_arrows_lead_from_book_to_book(self):
        self.open("books")
        wait(self.driver, lambda: self.reader.find("html.scripted"), "the page's script runs")
        titles = self.titles()
        self.driver.execute_script("document.querySelector('.grid a').focus()")
        self.reader.press(Keys.ARROW_RIGHT)
        self.assertTrue(self.active()["text"].startswith(titles[1]))
        self.reader.press(Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ARROW_LEFT)
        self.assertTrue(self.active()["text"].startswith(titles[0]))


class LayoutTests(ShelfTest):
    PAPERS = {"light": "rgb(253, 252, 250)", "dark": "rgb(23, 25, 28)"}

    def paths(self) -> dict[str, str]:
        number = re.search(r"book/(\d+)", self.html("books?query=round+lam"))[1]
        return {"home": "", "books": "books?query=a", "authors": "authors", "book": f"book/{number}", "nothing": "books?query=zebra"}

    def test_pages_are_tidy_and_can_be_read_at_every_size(self):
        for name, path in self.paths().items():
            for size in SIZES:
                for scheme, paper in self.PAPERS.items():
                    with self.subTest(f"{name}, {size}, {scheme}"):
                        self.reader.size(size)
                        self.reader.prefers(scheme, "reduce")
                        self.open(path)
                        self.reader.picture(f"shelf-{name}-{size}-{scheme}")
                        self.assert_tidy(f"{name}, {size}", scrolls=True)
                        self.assertEqual(self.driver.execute_script("return getComputedStyle(document.documentElement).backgroundColor"), paper)
                        contrasts = self.driver.execute_script(COLORS, "main a, main h1, main h2, main p, main dt, main dd, main span:not(.label), header a, summary", paper)
                        self.assertTrue(contrasts)
                        self.assertEqual([c for c in contrasts if c[1] < CONTRAST], [], "text hardly stands out")

    def test_open_filters_stay_inside_the_window(self):
        for size in SIZES:
            self.reader.size(size)
            self.reader.prefers("light", "reduce")
            self.open("books")
            for number in range(len(self.reader.all(".filters summary"))):
                with self.subTest(f"{size}, {number}"):
                    self.reader.all(".filters summary")[number].click()
                    wait(self.driver, lambda: len(self.reader.all(".filters details[open]")) == 1, "one filter is open")
                    box = self.reader.stage_box(".filters details[open] .values")
                    width, _, _ = SIZES[size]
                    self.assertTrue(box["left"] >= -1 and box["right"] <= width + 1, f"{box}")
                    self.assertLessEqual(self.driver.execute_script("return document.scrollingElement.scrollWidth"), width + 1)
            self.reader.picture(f"shelf-filter-{size}")

    def test_everything_has_a_name_and_every_id_is_there_once(self):
        for name, path in self.paths().items():
            with self.subTest(name):
                reader = self.open(path)
                self.assertEqual(self.driver.execute_script(test_reading.StructureTests.NAMELESS), [])
                twice = "const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i)"
                self.assertEqual(self.driver.execute_script(twice), [])
                self.assertEqual([len(reader.all(landmark)) for landmark in ("main", "body > header", "[role=search]", "nav#lists")], [1, 1, 1, 1])
                self.assertEqual(len(reader.all("h1")), 1)
                self.assertEqual(reader.all("img:not([alt])"), [])


class HostileTests(ShelfTest):
    make = staticmethod(hostile)

    def assert_unharmed(self, what: str) -> None:
        with contextlib.suppress(NoAlertPresentException):
            self.driver.switch_to.alert.dismiss()
            self.fail(f"{what}: a script opened a window")
        self.assertIsNone(self.driver.execute_script("return document.documentElement.dataset.owned ?? null"), f"{what}: a script ran")
        self.assertEqual(self.reader.all("main script, main iframe, img[src='x'], [onerror], [style]"), [], what)

    def test_titles_and_names_stay_text(self):
        number = re.search(r"book/(\d+)", self.html("books"))[1]
        query = urllib.parse.quote(ATTACK)
        for path in ("", "books", "authors", "subjects", f"book/{number}", f"books?query={query}", f"books?author={query}"):
            with self.subTest(path):
                self.open(path)
                wait(self.driver, lambda: self.reader.find("html.scripted"), "the page's own script runs")
                self.assert_unharmed(path)
        self.open(f"book/{number}")
        self.assertEqual(self.heading(), HOSTILE)
        self.assertIn(ATTACK, self.reader.find(".authors").text)
        self.assertTrue(self.driver.title.startswith(HOSTILE), self.driver.title)
        self.follow(next(e for e in self.reader.all(".facts a") if "onerror" in e.text))
        self.assertEqual(len(self.titles()), 2)

    def test_suggestions_stay_text(self):
        self.open()
        self.reader.find("#query").send_keys("title")
        wait(self.driver, lambda: self.reader.find("#suggestions a").is_displayed(), "there are suggestions")
        self.assertIn(HOSTILE, self.reader.find("#suggestions a").text)
        self.assert_unharmed("suggestions")
        self.assertEqual(self.reader.all("#suggestions img, #suggestions script"), [])


class WithoutScriptTests(ShelfTest):
    arguments = ("--blink-settings=scriptEnabled=false",)

    def test_grid_filters_and_search_work(self):
        reader = self.open("books")
        self.assertEqual(reader.all("html.scripted"), [], "scripts run in this browser, so it shows nothing")
        next(e for e in reader.all(".filters summary") if e.text.strip() == "Subject").click()
        wait(self.driver, lambda: reader.find(".filters details[open] .values").is_displayed(), "the filter opened")
        next(e for e in reader.all(".filters details[open] a") if e.text.startswith("Light")).click()
        wait(self.driver, lambda: reader.find(".count").text == f"{SMALL // 2} books", "the filter holds")
        reader.find("#query").send_keys("round lam", Keys.ENTER)
        wait(self.driver, lambda: reader.find(".count").text == "1 book", "the search found a book")
        reader.find(".grid .book a").click()
        wait(self.driver, lambda: reader.find("h1#title").text == books.NOVEL, "the book is shown")
        reader.picture("shelf-without-script")
        reader.find("#read").click()
        wait(self.driver, lambda: "/read/" in self.driver.current_url and reader.find("nav#contents a"), "the reading page has contents")


class CacheTests(unittest.TestCase):
    """What is read of books is kept, if a cache was asked for."""

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="carrel-shelf.")))
        self.cache = self.folder / "cache"
        self.book = self.folder / "books" / "novel.epub"
        self.book.parent.mkdir()
        books.novel(self.book)

    def kept(self) -> list[pathlib.Path]:
        return [path for path in self.cache.rglob("*") if path.is_file()]

    def download(self, served: Served) -> bytes:
        def page() -> str:
            with urllib.request.urlopen(served.url + "books", timeout=PATIENCE) as answer:
                return answer.read().decode()

        self.assertTrue(until(lambda: re.search(r"book/\d+", page()), PATIENCE), served.log())
        number = re.search(r"book/(\d+)", page())[1]
        with urllib.request.urlopen(f"{served.url}book/{number}/file/novel.epub", timeout=PATIENCE) as answer:
            return answer.read()

    def test_nothing_is_kept_unless_it_was_asked_for(self):
        with served_shelf(self.folder / "home", self.book.parent) as served:
            self.assertEqual(self.download(served), self.book.read_bytes())
        self.assertEqual(self.kept(), [])

    def test_what_was_read_outlives_the_server_and_is_not_sent_once_the_file_is_gone(self):
        options = ("--cache", str(self.cache), "--cache-size", "64M")
        for _ in range(2):
            with served_shelf(self.folder / "home", self.book.parent, *options) as served:
                self.assertEqual(self.download(served), self.book.read_bytes())
            kept = self.kept()
            self.assertGreaterEqual(sum(path.stat().st_size for path in kept), self.book.stat().st_size)
            self.assertEqual([path for path in kept if path.stat().st_mode & 0o077], [])
        with served_shelf(self.folder / "home", self.book.parent, *options) as served:
            self.download(served)
            self.book.unlink()
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"{served.url}book/1/file/novel.epub", timeout=PATIENCE)
            self.assertEqual(refused.exception.code, 404)
            refused.exception.close()

    def test_a_cache_among_the_books_is_refused(self):
        run = subprocess.run(
            [CARREL, "shelf", "serve", str(self.book.parent), "--folder", str(self.folder / "shelf"), "--cache", str(self.book.parent / "cache")],
            env=environment(self.folder), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("cachesFiles: ", run.stderr)
        self.assertFalse((self.book.parent / "cache").exists())


def add_person(home: pathlib.Path, name: str, password: str) -> None:
    """Adds a person to the shelf of `served_shelf`, before it is served."""
    home.mkdir(parents=True, exist_ok=True)
    file = secret_file(home / "password", password + "\n")
    subprocess.run(
        [CARREL, "shelf", "user", "add", name, "--folder", str(home / "shelf"), "--password-file", str(file)], env=environment(home),
        stdin=subprocess.DEVNULL, check=True, capture_output=True, timeout=PATIENCE)


class ProxyTests(unittest.TestCase):
    """A shelf behind a proxy, which is the test."""

    NAME, PASSWORD = "ann", "quiet copper ladder"

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-shelf.")))
        (cls.folder / "books").mkdir()
        small(cls.folder / "books", 1)
        home = cls.folder / "home"
        add_person(home, cls.NAME, cls.PASSWORD)
        settings = cls.folder / "shelf.json"
        settings.write_text(json.dumps({
            "access": "users", "trustedProxies": ["127.0.0.1"], "hosts": ["books.example"], "loginLimits": {"perAddress": 6, "perName": 3},
        }))
        cls.served = cls.enterClassContext(served_shelf(home, cls.folder / "books", "--config", str(settings)))

    def ask(self, path: str, client: str = "198.51.100.1", prefix: str | None = None, login: tuple[str, str] | None = None) -> tuple[int, dict[str, str], str]:
        """Status, fields by names in lower case, and body; redirections are not followed."""
        fields = {"Host": "127.0.0.1", "X-Forwarded-For": client, "X-Forwarded-Proto": "https", "X-Forwarded-Host": "books.example"}
        if prefix is not None:
            fields["X-Forwarded-Prefix"] = prefix
        if login is not None:
            fields["Authorization"] = "Basic " + base64.b64encode(":".join(login).encode()).decode()
        connection = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers=fields)
            response = connection.getresponse()
            return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read().decode()
        finally:
            connection.close()

    def test_every_address_is_below_the_path_that_the_proxy_removed(self):
        status, fields, _ = self.ask("/books", prefix="/shelf")
        self.assertEqual((status, fields["location"]), (303, "/shelf/login?next=books"))
        status, fields, page = self.ask("/login", prefix="/shelf")
        self.assertEqual(status, 200)
        self.assertRegex(fields["set-cookie"], r"; Path=/shelf/;.*; Secure$")
        addresses = re.findall(r'(?:href|src|action)="([^"#][^"]*)"', page)
        self.assertTrue(addresses)
        self.assertEqual([address for address in addresses if not address.startswith("/shelf/")], [])
        status, _, feed = self.ask("/opds/1.2/", prefix="/shelf", login=(self.NAME, self.PASSWORD))
        self.assertEqual(status, 200)
        addresses = re.findall(r'href="([^"]*)"', feed)
        self.assertTrue(addresses)
        self.assertEqual([address for address in addresses if not address.startswith("https://books.example/shelf/")], [])

    def test_a_path_that_leads_elsewhere_is_not_believed(self):
        for prefix in ("//evil.example", "https://evil.example", "/a/../..", "/%2e%2e", "/a;b", ""):
            with self.subTest(prefix):
                status, fields, _ = self.ask("/books", prefix=prefix)
                self.assertEqual((status, fields["location"]), (303, "/login?next=books"))

    def test_wrong_logins_of_a_stranger_shut_out_the_stranger_alone(self):
        for _ in range(3):
            self.assertEqual(self.ask("/opds/2.0/", "203.0.113.9", login=(self.NAME, "a wrong guess"))[0], 401)
        status, fields, _ = self.ask("/opds/2.0/", "203.0.113.9", login=(self.NAME, "another wrong guess"))
        self.assertEqual((status, fields["retry-after"]), (429, "300"))
        self.assertEqual(self.ask("/opds/2.0/", "203.0.113.77", login=(self.NAME, self.PASSWORD))[0], 200)


class LoginTests(unittest.TestCase):
    NAME, PASSWORD = "Ada <Reader>", "quiet copper ladder"

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-shelf.")))
        (cls.folder / "books").mkdir()
        small(cls.folder / "books", 1)
        home = cls.folder / "home"
        add_person(home, cls.NAME, cls.PASSWORD)
        settings = cls.folder / "shelf.json"
        settings.write_text('{"access": "users"}')
        cls.served = cls.enterClassContext(served_shelf(home, cls.folder / "books", "--config", str(settings)))
        cls.driver = chromium()
        cls.addClassCleanup(cls.driver.quit)

    def log_in(self, reader: Reader, password: str) -> None:
        name = reader.find("#name")
        name.clear()
        name.send_keys(self.NAME)
        reader.find("#password").send_keys(password)
        reader.find(".card button").click()

    def test_who_is_logged_in_sees_the_shelf_and_nobody_else(self):
        reader = Reader(self.driver, self.served.url)
        reader.size("phone")
        self.driver.get(self.served.url + "books?sort=added")
        self.assertIn("/login", self.driver.current_url)
        self.assertEqual(reader.all("#search, .book"), [])
        self.log_in(reader, "wrong")
        wait(self.driver, lambda: reader.find("[role=alert]").is_displayed(), "a wrong password is refused")
        self.assertEqual(reader.find("#name").get_property("value"), self.NAME)
        reader.picture("shelf-login-phone")
        self.log_in(reader, self.PASSWORD)
        wait(self.driver, lambda: self.driver.current_url.endswith("books?sort=added"), "the login leads to where its reader wanted to go")
        self.assertEqual(reader.find("#person-name").text, self.NAME)
        cookie = next(c for c in self.driver.get_cookies() if c["name"] == "carrel-shelf")
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual(cookie["sameSite"], "Lax")
        reader.find("#person button").click()
        wait(self.driver, lambda: reader.find("#password").is_displayed(), "who logs out has to log in again")
        self.driver.get(self.served.url)
        self.assertIn("/login", self.driver.current_url)


if __name__ == "__main__":
    unittest.main()
