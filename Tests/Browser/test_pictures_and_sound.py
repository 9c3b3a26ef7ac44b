"""Comics, pages of a fixed size and audiobooks in Chromium."""

import re
import unittest

from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

import books
from browser import SIZES, BrowserTest, wait

# The pages of a spread as they are drawn: a picture that is smaller than its element is somewhere inside.
LEAVES = """
return [...document.querySelectorAll('#spread .leaf')].map((e) => {
  let { left, top, width, height } = e.getBoundingClientRect()
  if (e.localName === 'img' && getComputedStyle(e).objectFit === 'contain' && e.naturalWidth > 0) {
    const scale = Math.min(width / e.naturalWidth, height / e.naturalHeight), [x, y] = getComputedStyle(e).objectPosition.split(' ').map(parseFloat)
    const [w, h] = [e.naturalWidth * scale, e.naturalHeight * scale]
    left += (width - w) * x / 100
    top += (height - h) * y / 100
    width = w
    height = h
  }
  return { index: +e.dataset.index, left, top, right: left + width, bottom: top + height, loaded: e.localName !== 'img' || e.naturalWidth > 0 }
})
"""


class SpreadTest(BrowserTest):
    def leaves(self, ratios: dict[int, float]) -> list[dict]:
        """The pages once they are loaded and have the shape they should have."""

        def drawn():
            leaves = self.driver.execute_script(LEAVES)
            shapes = [abs((leaf["right"] - leaf["left"]) / (leaf["bottom"] - leaf["top"]) - ratios[leaf["index"]]) < 0.01 for leaf in leaves]
            return leaves and all(shapes) and all(leaf["loaded"] for leaf in leaves) and leaves

        return wait(self.driver, drawn, "the pages are there, undistorted")

    def assert_spread(self, state: dict, ratios: dict[int, float], what: str) -> None:
        """The pages are as the page says, undistorted, whole, side by side, and large."""
        leaves = sorted(self.leaves(ratios), key=lambda leaf: leaf["left"])
        self.assertEqual([leaf["index"] for leaf in leaves], state["items"], what)
        stage = self.reader.stage_box("#stage")
        for leaf in leaves:
            self.assertTrue(
                leaf["left"] >= stage["left"] - 1 and leaf["top"] >= stage["top"] - 1 and leaf["right"] <= stage["right"] + 1 and leaf["bottom"] <= stage["bottom"] + 1,
                f"{what}: {leaf} is outside of {stage}")
        if len(leaves) == 2:
            self.assertLess(abs(leaves[1]["left"] - leaves[0]["right"]), 2, f"{what}: a gap")
            self.assertLess(abs(leaves[0]["top"] - leaves[1]["top"]), 2, what)
        width, height = leaves[-1]["right"] - leaves[0]["left"], leaves[0]["bottom"] - leaves[0]["top"]
        self.assertGreater(max(width / stage["width"], height / stage["height"]), 0.85, f"{what}: the pages could be larger")

    def walk(self, ratios: dict[int, float], key: str, what: str) -> list[list[int]]:
        """All spreads from the first to the last."""
        state, result = self.reader.state(), []
        while True:
            result.append(state["items"])
            self.assert_spread(state, ratios, f"{what}, {state['items']}")
            self.assert_tidy(f"{what}, {state['items']}")
            if len(ratios) - 1 in state["items"]:
                return result
            state = self.reader.turn(key)


class ComicTests(SpreadTest):
    book, name = staticmethod(books.comic), "comic.cbz"
    RATIOS = {number: (1_200 if number == books.WIDE_PAGE else 600) / 900 for number in range(books.COMIC_PAGES)}

    def test_a_comic_is_read_from_right_to_left_in_spreads(self):
        state = self.reader.open().start()
        self.assertEqual((state["kind"], state["items"]), ("pages", [0]), "the cover is by itself")
        self.reader.picture("comic-cover")
        spreads = self.walk(self.RATIOS, Keys.ARROW_LEFT, "spreads")
        self.assertEqual([index for spread in spreads for index in reversed(spread)], list(range(books.COMIC_PAGES)), "each page once, in order")
        self.assertIn([books.WIDE_PAGE], spreads, "a picture across two pages is by itself")
        self.assertIn([2, 1], spreads, "the first page of a spread is the right one")

    def test_the_keys_and_buttons_go_the_way_of_the_book(self):
        reader = self.reader
        reader.open().start()
        second = reader.next()
        self.assertIn(1, second["items"])
        reader.picture("comic-spread")
        self.assertIn(0, reader.turn(Keys.ARROW_RIGHT)["items"], "right is back")
        self.assertEqual(reader.turn(Keys.SPACE)["items"], second["items"], "space is forward in any book")
        self.assertEqual(reader.previous()["items"], [0])

    def test_a_phone_shows_one_page_at_a_time(self):
        self.reader.size("phone")
        self.reader.open().start()
        self.reader.picture("comic-phone")
        spreads = self.walk(self.RATIOS, Keys.ARROW_LEFT, "phone")
        self.assertEqual(spreads, [[number] for number in range(books.COMIC_PAGES)])

    def test_the_page_stays_when_the_window_changes_and_after_a_reload(self):
        reader = self.reader
        reader.open().start()
        reader.next()
        items = reader.next()["items"]
        for size in ("phone", "desk"):
            reader.size(size)
            reader.until(lambda s: s["ready"] and set(s["items"]) & set(items), f"one of {items} is shown")
        wait(self.driver, lambda: reader.state()["items"] == items, "the spread is as before")
        reader.open()
        if reader.state()["state"] == "title":
            reader.start()
        reader.until(lambda s: s["ready"] and s["items"] == items, "the spread is remembered")

    def test_the_place_counts_pages(self):
        self.assertRegex(self.reader.open().start()["place"], rf"^Page 1 of {books.COMIC_PAGES}$")


class FixedLayoutTests(SpreadTest):
    book, name = staticmethod(books.fixed), "fixed.epub"
    RATIOS = dict.fromkeys(range(6), 600 / 800)

    def test_pages_are_beside_each_other_as_the_book_says(self):
        state = self.reader.open().start()
        self.assertEqual((state["kind"], state["items"]), ("pages", [0]))
        self.reader.next()
        self.reader.picture("fixed-spread")
        self.reader.previous()
        self.assertEqual(self.walk(self.RATIOS, Keys.ARROW_RIGHT, "fixed"), [[0], [1, 2], [3, 4], [5]])

    def test_the_whole_page_is_seen_at_every_size(self):
        for size in SIZES:
            with self.subTest(size):
                self.reader.size(size)
                self.reader.open("#/EPUB/p1.xhtml").ready()
                leaf = next(leaf for leaf in self.leaves(self.RATIOS) if leaf["index"] == 1)
                with self.reader.frame("#spread .leaf[data-index='1']"):
                    places = self.driver.execute_script(
                        "const w = innerWidth, h = innerHeight; return ['top', 'bottom'].map((id) => { const r = document.getElementById(id).getBoundingClientRect();"
                        " return [r.left, r.top, r.right, r.bottom, w, h] })")
                for left, top, right, bottom, width, height in places:
                    self.assertTrue(left >= 0 and top >= 0 and right <= width + 1 and bottom <= height + 1, f"{places} of {leaf}")


class SoundTests(BrowserTest):
    book, name = staticmethod(books.sound), "sound.audiobook"

    def time(self) -> float:
        return self.driver.execute_script("return document.querySelector('#audio').currentTime")

    def seek(self, seconds: float) -> None:
        self.driver.execute_script(
            "const s = document.querySelector('#sound-seek'); s.value = arguments[0]; for (const n of ['input', 'change']) s.dispatchEvent(new Event(n, { bubbles: true }))",
            seconds)

    def play(self) -> None:
        if self.driver.execute_script("return document.querySelector('#audio').paused"):
            self.reader.find("#play").click()

    def assert_seeks(self, index: int) -> None:
        """Plays, seeks to where nothing was loaded, and goes on there, by a range."""
        far = books.SOUND_SECONDS * 0.9
        self.play()
        start = wait(self.driver, lambda: self.time(), "it plays")
        wait(self.driver, lambda: self.time() > start + 0.2, "it goes on")
        self.assertEqual(self.reader.find("#play").get_attribute("aria-pressed"), "true")
        self.reader.requests()
        self.seek(far)
        wait(self.driver, lambda: self.time() >= far + 0.2, "it plays from there")
        self.assertLess(self.time(), far + 30)
        parts = [r for r in self.reader.requests() if r.get("status") == 206 and r["url"].endswith(".wav")]
        starts = [int(re.match(r"bytes (\d+)-", r["headers"]["content-range"]).group(1)) for r in parts]
        self.assertTrue([s for s in starts if s > books.SOUND_SECONDS * books.SOUND_RATE * 0.6], f"no range there was asked for: {starts}")
        self.assertEqual(self.reader.state()["index"], index)

    def test_a_stored_sound_plays_and_seeks_by_ranges(self):
        state = self.reader.open().start()
        self.assertEqual((state["kind"], state["index"]), ("sound", 0))
        self.assert_tidy("sound")
        self.assert_seeks(0)
        self.reader.picture("sound")

    def test_a_sound_in_a_deflated_entry_plays_and_seeks_by_ranges(self):
        self.reader.open().start()
        self.reader.goto("Second part")
        self.reader.ready(index=1)
        self.assert_seeks(1)

    def test_contents_lead_to_a_second(self):
        self.reader.open().start()
        self.reader.goto("Half way")
        half = books.SOUND_SECONDS / 2
        wait(self.driver, lambda: half <= self.time() < half + 20, "the middle of the part")

    def test_speed_back_forward_and_pause(self):
        reader = self.reader
        reader.open().start()
        wait(self.driver, lambda: self.driver.execute_script("return document.querySelector('#audio').readyState") >= 1, "the sound is known")
        Select(reader.find("#speed")).select_by_value("1.5")
        self.assertEqual(self.driver.execute_script("return document.querySelector('#audio').playbackRate"), 1.5)
        self.play()
        self.reader.find("#play").click()
        wait(self.driver, lambda: self.driver.execute_script("return document.querySelector('#audio').paused"), "it pauses")
        self.assertEqual(reader.find("#play").get_attribute("aria-pressed"), "false")
        self.seek(300)
        wait(self.driver, lambda: self.time() == 300, "it is at 300 s")
        reader.find("#forward").click()
        ahead = wait(self.driver, lambda: (now := self.time()) > 304 and now, "forward")
        reader.find("#back").click()
        wait(self.driver, lambda: self.time() < ahead - 4, "back")

    def test_the_next_part_begins_by_itself(self):
        self.reader.open().start()
        self.play()
        self.seek(books.SOUND_SECONDS - 1)
        self.reader.ready("the second part", index=1)
        wait(self.driver, lambda: 0.2 < self.time() < 30, "it plays")

    def test_the_place_is_remembered(self):
        self.reader.open().start()
        self.play()
        self.seek(700)
        wait(self.driver, lambda: self.time() > 700.3, "it plays from there")
        self.reader.find("#play").click()
        self.reader.open()
        if self.reader.state()["state"] == "title":
            self.reader.start()
        wait(self.driver, lambda: 690 < self.time() < 720, "it is there again")

    def test_it_is_tidy_at_every_size(self):
        for size in SIZES:
            with self.subTest(size):
                self.reader.size(size)
                self.reader.open()
                if self.reader.state()["state"] == "title":
                    self.reader.start()
                self.assert_tidy(f"sound, {size}")
                self.reader.picture(f"sound-{size}")


class DocumentTests(BrowserTest):
    book, name = staticmethod(books.document), "lamps.pdf"
    # The viewer is a page of the browser's own.
    is_honest = False

    def test_a_pdf_is_a_link_to_the_browsers_own_viewer(self):
        state = self.reader.open().start()
        self.assertEqual(state["kind"], "document")
        link = self.reader.find("#document-link")
        self.assertTrue(link.is_displayed())
        self.assertEqual(link.get_attribute("rel"), "noopener noreferrer")
        self.driver.get(link.get_attribute("href"))
        self.assertEqual(self.driver.execute_script("return document.contentType"), "application/pdf", "not what the viewer shows")
        self.assertEqual([c for c in self.reader.complaints() if "Content Security Policy" in c], [])


if __name__ == "__main__":
    unittest.main()
