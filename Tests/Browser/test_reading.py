"""Reading a book of text in Chromium: opening, turning, contents, search, settings, keyboard, layout, failures."""

import pathlib
import re
import tempfile
import unittest
import urllib.parse
import zipfile

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import books
from browser import SIZES, BrowserTest, Reader, chromium, wait
from doubles import Storage
from served import Served

# How much a text has to stand out. Source: WCAG 2.2, 1.4.3.
CONTRAST = 4.5
COLORS = """
const parts = (color) => color.match(/[\\d.]+/g).map(Number)
const light = (color) => { const [r, g, b] = parts(color).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
const behind = (e) => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return getComputedStyle(e).backgroundColor } return arguments[1] }
return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility() && e.textContent.trim()).map((e) => {
  const a = light(getComputedStyle(e).color), b = light(behind(e))
  return [e.textContent.trim().slice(0, 30), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)]
})
"""
# The first colour that is not transparent, from the stage outward.
BACKGROUND = """
for (let e = document.querySelector('#stage'); e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/^rgba.*, 0\\)$/.test(c)) return c }
return 'rgb(255, 255, 255)'
"""


def chapter_words(number: int) -> list[str]:
    return " ".join(books.paragraphs(number, 40)).split()


class OpeningTests(BrowserTest):
    def test_the_title_page_names_the_book_and_has_focusable_contents(self):
        reader = self.reader.open()
        self.assertEqual(reader.find("h1#title").text, books.NOVEL)
        self.assertIn("Carrel Press", reader.find("#authors").text)
        self.assertEqual(reader.find("#cover img").get_property("naturalWidth"), 600)
        self.assertEqual(len(reader.all("nav#contents a")), 2 * books.CHAPTERS)
        self.assertEqual(self.driver.title.count(books.NOVEL), 1)
        self.assertEqual(reader.find("html").get_attribute("lang"), "en")

    def test_reading_begins_with_the_first_page_of_the_first_chapter(self):
        state = self.reader.open().start()
        self.assertEqual((state["index"], state["page"], state["kind"]), (0, 1, "text"))
        self.assertEqual(state["href"], "EPUB/c01.xhtml")
        self.assertGreater(state["pages"], 2)
        self.assertRegex(state["place"], r"^Page 1 of \d+$")
        self.assertTrue(self.reader.shows("Chapter 1"))

    def test_style_sheet_picture_and_font_of_the_book_are_there(self):
        self.reader.open().start()
        centred = self.reader.in_chapter("return getComputedStyle(document.querySelector('h1')).textAlign")
        self.assertEqual(centred, "center")
        # Four blocks, each twice as wide as the font is high; those of any other font are narrower.
        compare = """
        const text = document.querySelector('#blocks'), ruler = document.createElement('span')
        ruler.style.cssText = 'display: inline-block; width: 8em; height: 1px'
        text.after(ruler)
        const result = text.getBoundingClientRect().width / ruler.getBoundingClientRect().width
        ruler.remove()
        return result
        """
        wait(self.driver, lambda: abs(self.reader.in_chapter(compare) - 1) < 0.02, "the font of the book is used")
        wait(self.driver, lambda: self.reader.in_chapter("return document.querySelector('img').naturalWidth") == 360, "the picture is loaded")

    def test_a_link_into_the_book_opens_there(self):
        self.reader.open("#/EPUB/c04.xhtml#second").ready(index=3)
        self.assertTrue(self.reader.shows("Second half of 4"))

    def test_a_link_to_nothing_leaves_a_page_that_can_be_used(self):
        reader = self.reader
        reader.driver.get(reader.url + "#/EPUB/none.xhtml")
        reader.until(lambda s: s["state"] in ("title", "reading", "failed"), "the page says something")
        self.driver.get("about:blank")
        reader.complaints()
        reader.open().start()

    def test_few_requests_show_the_first_chapter(self):
        self.reader.open().start()
        asked = [r["url"].removeprefix(self.served.url).split("?")[0] for r in self.reader.requests() if "method" in r]
        chapters = [name for name in asked if re.search(r"c\d\d\.xhtml$", name)]
        self.assertLessEqual(len(set(chapters)), 3, f"chapters that nobody reads yet are loaded: {chapters}")
        self.assertEqual([name for name in set(asked) if asked.count(name) > 2], [], "something is loaded again and again")


class TurningTests(BrowserTest):
    def test_all_text_of_a_chapter_is_on_its_pages_once_and_in_order(self):
        state = self.reader.open().start()
        expected, seen, pages = chapter_words(1), [], []
        while state["index"] == 0:
            pages.append(state["page"])
            seen += self.reader.words("p[id]:not(#onward)")
            self.assert_page_is_whole(f"page {state['page']}")
            state = self.reader.next()
        self.assertEqual(pages, list(range(1, len(pages) + 1)))
        self.assertEqual(seen, expected)

    def test_pages_turn_forth_and_back_over_the_border_of_chapters(self):
        self.reader.open().start()
        last = self.reader.turn(Keys.END)
        self.assertEqual((last["index"], last["page"]), (0, last["pages"]))
        words = self.reader.words()
        state = self.reader.next()
        self.assertEqual((state["index"], state["page"]), (1, 1))
        self.assertTrue(self.reader.shows("Chapter 2"))
        state = self.reader.previous()
        self.assertEqual((state["index"], state["page"]), (0, state["pages"]), "back is the last page of the chapter before")
        self.assertEqual(self.reader.words(), words)

    def test_nothing_is_before_the_first_page_and_nothing_after_the_last(self):
        before = self.reader.open().start()
        if self.reader.find("#previous").is_enabled():
            self.reader.find("#previous").click()
        self.reader.press(Keys.ARROW_LEFT)
        self.assertEqual(self.reader.next()["page"], before["page"] + 1)
        self.reader.goto(f"Chapter {books.CHAPTERS}")
        self.reader.ready(index=books.CHAPTERS - 1)
        last = self.reader.turn(Keys.END)
        self.reader.press(Keys.ARROW_RIGHT)
        self.assertEqual(self.reader.previous()["page"], last["pages"] - 1)
        self.assertEqual(self.reader.complaints(), [])

    def test_the_numbers_of_pages_grow_to_the_end_of_the_book(self):
        self.reader.open().start()
        numbers = []
        for chapter in (1, 5, books.CHAPTERS):
            self.reader.goto(f"Chapter {chapter}")
            place = self.reader.ready(index=chapter - 1)["place"]
            numbers.append(tuple(map(int, re.fullmatch(r"Page (\d+) of (\d+)", place).groups())))
        self.assertEqual(len({total for _, total in numbers}), 1)
        self.assertEqual([page for page, _ in numbers], sorted({page for page, _ in numbers}))
        self.assertLessEqual(numbers[-1][0], numbers[-1][1])

    def test_the_slider_leads_through_the_book(self):
        self.reader.open().start()
        slider = self.reader.find("#slider")
        self.driver.execute_script(
            "const s = arguments[0]; s.value = s.min - -(s.max - s.min) / 2; for (const n of ['input', 'change']) s.dispatchEvent(new Event(n, { bubbles: true }))", slider)
        state = self.reader.until(lambda s: s["ready"] and s["index"] in (5, 6), "the middle of the book is shown")
        self.assertIn("Page", state["place"])

    def test_a_tap_at_the_side_turns(self):
        before = self.reader.open().start()
        frame = self.reader.stage_box("#chapter")
        for x, page in ((frame["right"] - 20, before["page"] + 1), (frame["left"] + 20, before["page"])):
            self.reader.touch(x, frame["top"] + frame["height"] * 0.7)
            self.reader.ready("a tap turned", page=page)

    def test_a_link_of_the_chapter_leads_to_another_and_the_browser_back(self):
        self.reader.open().start()
        self.reader.turn(Keys.END)
        with self.reader.frame():
            self.driver.find_element(By.ID, "onward").click()
        self.reader.ready("the link was followed", index=1)
        self.driver.back()
        self.reader.ready("back", index=0)


class ScrollingTests(BrowserTest):
    def test_a_chapter_scrolls_to_its_end_and_goes_on_in_the_next(self):
        reader = self.reader
        reader.open().start()
        reader.set(flow="scrolled")
        tall = reader.in_chapter("return document.scrollingElement.scrollHeight > 2 * innerHeight")
        wide = reader.in_chapter("return document.scrollingElement.scrollWidth <= innerWidth + 1")
        self.assertTrue(tall and wide, "the chapter is one column below the window")
        first = reader.words()
        reader.press(Keys.SPACE)
        wait(self.driver, lambda: reader.words()[:5] != first[:5], "the text moved")
        reader.press(Keys.END)
        wait(self.driver, lambda: reader.shows("Onward"), "the end is shown")
        reader.find("#next").click()
        reader.ready(index=1)
        self.assertTrue(reader.shows("Chapter 2"))
        reader.find("#previous").click()
        reader.ready(index=0)
        wait(self.driver, lambda: reader.shows("Onward"), "back is the end of the chapter before")

    def test_the_place_stays_from_pages_to_scrolling_and_back(self):
        reader = self.reader
        reader.open("#/EPUB/c03.xhtml#second").ready(index=2)
        for flow in ("scrolled", "paginated"):
            reader.set(flow=flow)
            wait(self.driver, lambda: reader.shows("Second half of 3"), f"the place is shown, {flow}")


class FindingTests(BrowserTest):
    def test_the_contents_lead_to_chapters_and_into_them(self):
        reader = self.reader
        reader.open().start()
        reader.goto("Chapter 6")
        self.assertEqual(reader.ready(index=5)["page"], 1)
        wait(self.driver, lambda: not reader.all("dialog[open]"), "the contents closed")
        reader.goto("Second half of 9")
        reader.until(lambda s: s["ready"] and s["index"] == 8 and s["page"] > 1, "a later page of the chapter is shown")
        wait(self.driver, lambda: reader.shows("Second half of 9"), "the heading is shown")

    def test_contents_on_the_title_page_lead_into_the_book(self):
        reader = self.reader.open()
        reader.driver.find_element(By.LINK_TEXT, "Chapter 3").click()
        reader.ready(index=2)
        self.assertTrue(self.driver.current_url.startswith(self.served.url), "the page is still the reading page")
        self.assertTrue(reader.shows("Chapter 3"))

    def test_a_hit_of_the_search_is_shown_in_its_context_and_then_in_the_book(self):
        reader = self.reader
        reader.open().start()
        hits = reader.search(books.RARE_WORD)
        self.assertEqual(len(hits), 1)
        self.assertIn(f"a {books.RARE_WORD} wind", hits[0].text)
        self.assertRegex(reader.find("#search-status").text, r"\b(1|one)\b")
        hits[0].click()
        reader.ready(index=books.RARE_CHAPTER - 1)
        wait(self.driver, lambda: reader.shows(books.RARE_WORD), "the hit is shown")
        self.assertTrue(reader.in_chapter("return CSS.highlights.size > 0 || document.querySelector('mark') !== null"), "the hit is marked")
        reader.picture("search-hit")

    def test_a_search_finds_every_chapter_and_says_so_when_there_is_nothing(self):
        reader = self.reader
        reader.open().start()
        reader.search(books.COMMON_WORD)
        wait(self.driver, lambda: len(reader.all("#hits > li > a")) == books.CHAPTERS, "there is a hit in each chapter")
        query = reader.find("#query")
        query.clear()
        query.send_keys("xylophonist", Keys.ENTER)
        wait(self.driver, lambda: not reader.all("#hits > li > a") and re.search(r"\bno(thing|t|ne)?\b", reader.find("#search-status").text, re.I), "nothing was found")

    def test_text_of_a_search_is_no_markup(self):
        reader = self.reader
        reader.open().start()
        reader.open_panel("search")
        query = reader.find("#query")
        query.send_keys("<img src=x onerror=document.documentElement.dataset.owned=1>&\"'", Keys.ENTER)
        wait(self.driver, lambda: reader.find("#search-status").text, "the search answered")
        self.assertEqual(reader.all("#search-panel img"), [])

    def test_a_page_can_be_chosen_by_its_number(self):
        reader = self.reader
        reader.open().start()
        reader.open_panel("contents")
        page = reader.find("#go-page")
        page.clear()
        page.send_keys("12", Keys.ENTER)
        # A page on the screen may hold parts of two.
        first = int(reader.until(lambda s: s["ready"] and s["index"] > 0, "page 12 is shown")["place"].split()[1])
        self.assertLessEqual(first, 12)
        self.assertGreaterEqual(int(reader.next()["place"].split()[1]), 12)


class SettingsTests(BrowserTest):
    def test_the_same_text_stays_when_the_window_changes(self):
        reader = self.reader
        reader.open("#/EPUB/c05.xhtml#second").ready(index=4)
        reader.next()
        first = next(iter(reader.paragraphs()))
        for size in ("phone", "tablet", "desk"):
            reader.size(size)
            wait(self.driver, lambda: reader.ready()["index"] == 4 and first in reader.paragraphs(), f"{first} is on the page, {size}")
            self.assert_page_is_whole(size)

    def test_the_same_text_stays_when_the_letters_grow(self):
        reader = self.reader
        pages = reader.open("#/EPUB/c05.xhtml#second").ready(index=4)["pages"]
        reader.next()
        first = next(iter(reader.paragraphs()))
        # The letters themselves: a page may be enlarged in several ways.
        letters = "const r = document.createRange(), t = document.querySelector('p[id]').firstChild; r.setStart(t, 0); r.setEnd(t, 5); return r.getBoundingClientRect().height"
        size = reader.in_chapter(letters)
        reader.press("+", "+", "+")
        wait(self.driver, lambda: reader.ready()["pages"] > pages and first in reader.paragraphs(), f"{first} is on the page")
        self.assertGreater(reader.in_chapter(letters), size)
        reader.press("0")
        wait(self.driver, lambda: reader.ready()["pages"] == pages, "the letters are as before")

    def test_each_theme_reaches_page_and_chapter_and_can_be_read(self):
        reader = self.reader
        reader.open().start()
        backgrounds = set()
        for theme in ("light", "sepia", "dark"):
            reader.set(theme=theme)
            self.assertEqual(reader.state()["theme"], theme)
            page = self.driver.execute_script(BACKGROUND)
            backgrounds.add(page)
            wait(self.driver, lambda: all(c >= CONTRAST for _, c in reader.in_chapter(COLORS, "p[id], h1", page)), f"the chapter can be read in {theme}")
            for text, contrast in self.driver.execute_script(COLORS, "#place, #chapter-title, button", page):
                self.assertGreaterEqual(contrast, CONTRAST, f"{text!r} in {theme}")
        self.assertEqual(len(backgrounds), 3)

    def test_the_theme_follows_the_system_unless_chosen(self):
        reader = self.reader
        reader.prefers("dark")
        reader.open().start()
        self.assertEqual(reader.state()["theme"], "dark")
        reader.prefers("light")
        reader.until(lambda s: s["theme"] == "light", "the theme follows the system")
        reader.set(theme="sepia")
        reader.prefers("dark")
        self.assertEqual(reader.open().state()["theme"], "sepia")

    def test_line_height_margin_font_and_columns_change_the_chapter(self):
        reader = self.reader
        reader.open().start()
        look = "const s = getComputedStyle(document.querySelector('p[id]')); return [s.lineHeight, s.fontFamily, document.querySelector('p[id]').getClientRects()[0].width]"
        reader.set(columns="1")
        before = reader.in_chapter(look)
        choices = {name: reader.find(f"#settings [name={name}]") for name in ("lineHeight", "margin")}
        for name, control in choices.items():
            if control.tag_name == "select":
                last = control.find_elements(By.TAG_NAME, "option")[-1].get_attribute("value")
            else:
                last = control.get_attribute("max") or reader.all(f"#settings [name={name}]")[-1].get_attribute("value")
            reader.set(**{name: last})
        reader.set(fontFamily="sans")
        wait(self.driver, lambda: all(new != old for new, old in zip(reader.in_chapter(look), before)), "all three look different")
        reader.set(columns="2")

        def sides() -> set[str]:
            seen = reader.text_boxes()
            return {"left" if box[3] < seen["width"] / 2 else "right" if box[1] > seen["width"] / 2 else "both" for box in seen["boxes"]}

        wait(self.driver, lambda: sides() == {"left", "right"}, "two columns are beside each other")
        self.assert_page_is_whole("two columns")

    def test_place_and_settings_outlive_a_reload(self):
        reader = self.reader
        reader.open().start()
        reader.set(theme="sepia")
        reader.goto("Second half of 8")
        reader.ready(index=7)
        reader.next()
        page = reader.state()["page"]
        first = next(iter(reader.paragraphs()))
        self.driver.refresh()
        state = reader.until(lambda s: s["state"] in ("title", "reading"), "the page is there again")
        if state["state"] == "title":
            self.assertIn("Continue", reader.find("#read").text)
            reader.start()
        state = reader.ready(index=7)
        self.assertEqual((state["page"], state["theme"]), (page, "sepia"))
        self.assertIn(first, reader.paragraphs())

    def test_the_title_page_offers_to_continue(self):
        reader = self.reader
        reader.open().start()
        reader.goto("Chapter 5")
        reader.ready(index=4)
        reader.next()
        reader.open()
        if reader.state()["state"] == "title":
            self.assertIn("Continue", reader.find("#read").text)
            reader.find("#read").click()
        self.assertEqual(reader.ready()["index"], 4)

    def test_a_damaged_storage_of_the_page_harms_nothing(self):
        reader = self.reader.open()
        self.driver.execute_script(
            "localStorage.setItem('carrel:settings', '{\"fontSize\": \"x\", \"theme\": 7'); localStorage.setItem('carrel:place:' + new URL(location).pathname, '[]')")
        reader.open().start(index=0)

    def test_moves_are_off_when_the_system_asks_for_less_motion(self):
        reader = self.reader
        reader.prefers("light", motion="reduce")
        reader.open().start()
        reader.next()
        running = "return document.getAnimations().filter((a) => a.playState === 'running' && a.effect.getComputedTiming().duration > 10).length"
        self.assertEqual(self.driver.execute_script(running), 0)
        self.assertEqual(reader.in_chapter(running), 0)


class KeyboardTests(BrowserTest):
    def tab_to(self, condition, what: str) -> dict:
        for _ in range(80):
            self.reader.press(Keys.TAB)
            focused = self.reader.focused()
            if condition(focused):
                self.assertTrue(focused["outlined"], f"it is not seen that {what} has the focus")
                return focused
        raise AssertionError(f"the tabulator does not reach {what}")

    def test_a_book_is_read_by_the_keyboard_alone(self):
        reader = self.reader.open()
        self.tab_to(lambda f: f["id"] == "read", "the button that begins")
        reader.press(Keys.ENTER)
        first = reader.ready()
        for key, page in ((Keys.ARROW_RIGHT, 2), (Keys.PAGE_DOWN, 3), (Keys.SPACE, 4), (Keys.ARROW_LEFT, 3), (Keys.PAGE_UP, 2), (Keys.HOME, 1), (Keys.END, first["pages"])):
            if reader.state()["page"] != page:
                reader.press(key)
            reader.ready(f"the page after {key!r}", index=0, page=page)

    def test_shift_and_space_turn_back(self):
        reader = self.reader
        reader.open().start()
        reader.turn(Keys.ARROW_RIGHT)
        webdriver.ActionChains(self.driver, duration=0).key_down(Keys.SHIFT).send_keys(Keys.SPACE).key_up(Keys.SHIFT).perform()
        reader.ready(page=1)

    def test_keys_work_while_the_focus_is_in_the_chapter(self):
        reader = self.reader
        reader.open().start()
        with reader.frame():
            self.driver.find_element(By.TAG_NAME, "h1").click()
        state = reader.ready()
        with reader.frame():
            self.driver.execute_script("window.focus()")
        self.assertEqual(reader.turn(Keys.ARROW_RIGHT)["page"], state["page"] + 1)

    def test_contents_search_settings_and_help_open_and_close_and_give_the_focus_back(self):
        reader = self.reader
        reader.open().start()
        for key, panel in (("t", "contents"), ("/", "search"), ("s", "settings"), ("?", "help")):
            with self.subTest(panel):
                reader.press(key)
                wait(self.driver, lambda: reader.all(f"#{panel}-panel[open]"), f"{key} opens {panel}")
                self.assertEqual(reader.focused()["panel"], f"{panel}-panel", "the focus is in the panel")
                page = reader.state()["page"]
                reader.press(Keys.ESCAPE)
                wait(self.driver, lambda: not reader.all("dialog[open]"), "escape closes it")
                self.assertEqual(reader.state()["page"], page)
                self.assertEqual(reader.turn(Keys.ARROW_RIGHT)["page"], page + 1, "keys turn pages again")

    def test_contents_and_search_lead_by_the_keyboard(self):
        reader = self.reader
        reader.open().start()
        reader.press("t")
        wait(self.driver, lambda: reader.all("#contents-panel[open]"), "the contents open")
        self.tab_to(lambda f: f["text"] == "Chapter 4", "a chapter in the contents")
        reader.press(Keys.ENTER)
        reader.ready(index=3)
        reader.press("/")
        wait(self.driver, lambda: reader.focused()["id"] == "query", "the search has the focus")
        reader.press(books.RARE_WORD, Keys.ENTER)
        wait(self.driver, lambda: reader.all("#hits > li > a"), "there is a hit")
        self.tab_to(lambda f: books.RARE_WORD in f["text"] and f["name"] == "a", "the hit")
        reader.press(Keys.ENTER)
        reader.ready(index=books.RARE_CHAPTER - 1)
        wait(self.driver, lambda: reader.shows(books.RARE_WORD), "the hit is shown")

    def test_letters_in_a_field_are_letters(self):
        reader = self.reader
        reader.open().start()
        reader.open_panel("search")
        reader.find("#query").send_keys("test ?/ms+0")
        self.assertEqual(reader.find("#query").get_property("value"), "test ?/ms+0")
        self.assertEqual(len(reader.all("dialog[open]")), 1)


class StructureTests(BrowserTest):
    NAMELESS = """
    const named = (e) => e.getAttribute('aria-label')?.trim() || e.getAttribute('title')?.trim() || e.textContent.trim() || e.labels?.[0]?.textContent.trim()
      || (e.getAttribute('aria-labelledby') && document.getElementById(e.getAttribute('aria-labelledby'))?.textContent.trim())
    return [...document.querySelectorAll('button, input, select, a, iframe, dialog, nav')].filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 120))
    """

    def test_everything_has_a_name_and_every_id_is_there_once(self):
        reader = self.reader
        reader.open().start()
        self.assertEqual(self.driver.execute_script(self.NAMELESS), [])
        twice = "const ids = [...document.querySelectorAll('[id]')].map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i)"
        self.assertEqual(self.driver.execute_script(twice), [])

    def test_landmarks_and_status_are_there(self):
        reader = self.reader.open()
        self.assertEqual(len([e for e in reader.all("main") if e.is_displayed()]), 1)
        reader.start()
        self.assertEqual(len([e for e in reader.all("main") if e.is_displayed()]), 1)
        self.assertEqual(reader.find("#place").get_attribute("role"), "status")
        self.assertTrue(reader.find("iframe#chapter").get_attribute("title"))
        self.assertEqual(reader.find("iframe#chapter").get_attribute("sandbox"), "allow-scripts")
        self.assertEqual(reader.find("nav#contents").get_attribute("aria-label"), "Contents")


class LayoutTests(BrowserTest):
    def test_title_page_and_text_are_tidy_at_every_size(self):
        for size in SIZES:
            for theme in ("light", "dark"):
                with self.subTest(f"{size}, {theme}"):
                    reader = Reader(self.driver, self.served.url)
                    reader.size(size)
                    reader.prefers(theme)
                    reader.forget()
                    reader.picture(f"title-{size}-{theme}")
                    self.assert_tidy(f"title page, {size}", scrolls=True)
                    reader.start()
                    reader.next()
                    reader.picture(f"text-{size}-{theme}")
                    self.assert_tidy(f"text, {size}")
                    self.assert_page_is_whole(f"text, {size}")

    def test_panels_are_tidy_at_every_size(self):
        for size in SIZES:
            reader = self.reader
            reader.size(size)
            reader.open().start()
            for panel in ("contents", "search", "settings", "help"):
                with self.subTest(f"{panel}, {size}"):
                    reader.open_panel(panel)
                    reader.picture(f"{panel}-{size}")
                    box = reader.stage_box(f"#{panel}-panel")
                    width, height, _ = SIZES[size]
                    self.assertTrue(box["left"] >= -1 and box["top"] >= -1 and box["right"] <= width + 1 and box["bottom"] <= height + 1, f"{box}")
                    reader.close_panels()

    def test_a_line_is_neither_too_long_nor_too_short_to_read(self):
        reader = self.reader
        for size in SIZES:
            with self.subTest(size):
                reader.size(size)
                reader.open("#/EPUB/c02.xhtml").ready(index=1)
                width, letter = reader.in_chapter(
                    "const p = document.querySelector('p[id]'), r = document.createRange(); r.setStart(p.firstChild, 0); r.setEnd(p.firstChild, 30);"
                    " return [p.getClientRects()[0].width, [...r.getClientRects()].reduce((sum, b) => sum + b.width, 0) / 30]")
                self.assertGreaterEqual(width / letter, 30)
                self.assertLessEqual(width / letter, 95)


class FailureTests(unittest.TestCase):
    """Chapters that do not come, or not at once. The time of the page runs faster, so that its patience ends soon."""

    FASTER = 4
    CLOCK = f"if (window === top) {{ const later = setTimeout; window.setTimeout = (act, time, ...rest) => later(act, time / {FASTER}, ...rest) }}"
    # Remembers whether the page has complained.
    WATCH = """
    const notice = document.querySelector('#notice')
    new MutationObserver(() => { window.hasWarned ||= !notice.hidden }).observe(notice, { attributes: true, childList: true })
    """

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-browser.")))
        (cls.folder / "books").mkdir()
        cls.book = books.lengthy(cls.folder / "books" / "long.epub")
        cls.driver = chromium()
        cls.addClassCleanup(cls.driver.quit)
        cls.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": cls.CLOCK})

    def serve(self, location: str | pathlib.Path) -> Reader:
        served = self.enterContext(Served(self.folder / "home", location, "--retries", "0", "--timeout", "5"))
        reader = Reader(self.driver, served.url)
        reader.forget()
        return reader

    def serve_from_storage(self) -> Reader:
        self.storage = self.enterContext(Storage(self.folder / "books"))
        return self.serve(f"http://127.0.0.1:{self.storage.port}/{self.book.name}")

    def lose_book(self) -> None:
        self.hidden = self.book.rename(self.folder / "lost.epub")
        self.addCleanup(self.find_book)

    def find_book(self) -> None:
        if self.hidden.exists():
            self.hidden.rename(self.book)

    def is_warned(self, reader: Reader) -> bool:
        return reader.find("#notice").is_displayed() and "This chapter cannot be shown here" in reader.notice()

    def assert_warns(self, reader: Reader, index: int) -> None:
        reader.until(lambda s: s["index"] == index and self.is_warned(reader), f"the page says that chapter {index + 1} does not come")

    def assert_reads(self, reader: Reader, index: int) -> None:
        state = reader.ready(index=index)
        wait(self.driver, lambda: reader.shows(f"Chapter {index + 1}"), "the chapter is shown")
        self.assertFalse(reader.find("#notice").is_displayed())
        self.assertEqual(reader.turn(Keys.ARROW_RIGHT)["page"], state["page"] + 1)

    def test_a_long_chapter_that_does_not_come_is_said_so_and_comes_later(self):
        reader = self.serve_from_storage()
        reader.start(index=0)
        reader.press(Keys.END)
        reader.until(lambda s: s["ready"] and s["page"] == s["pages"], "the end of the first chapter is shown")
        self.lose_book()
        reader.press(Keys.PAGE_DOWN)
        self.assert_warns(reader, 1)
        self.find_book()
        reader.press(Keys.PAGE_UP)
        reader.ready(index=0)
        self.assertFalse(reader.find("#notice").is_displayed())
        reader.press(Keys.PAGE_DOWN)
        self.assert_reads(reader, 1)

    def test_a_long_chapter_that_breaks_off_is_said_so_and_can_be_left(self):
        reader = self.serve(books.damage(books.lengthy(self.folder / "damaged.epub"), "EPUB/c2.xhtml"))
        reader.open("#/EPUB/c2.xhtml")
        self.assert_warns(reader, 1)
        reader.press(Keys.ARROW_RIGHT)
        self.assert_reads(reader, 2)

    def test_a_long_chapter_that_comes_slowly_is_waited_for(self):
        reader = self.serve_from_storage()
        reader.start(index=0)
        self.driver.execute_script(self.WATCH)
        # Three times as long as it takes until the page asks.
        self.storage.rate = zipfile.ZipFile(self.book).getinfo("EPUB/c2.xhtml").compress_size / (3 * 4 / self.FASTER)
        reader.requests()
        reader.goto("Chapter 2")
        self.assert_reads(reader, 1)
        asked = [r["url"] for r in reader.requests() if "method" in r and r["url"].endswith("c2.xhtml?~frame")]
        self.assertEqual(len(asked), 2, "the chapter came too soon to prove anything")
        self.assertFalse(self.driver.execute_script("return Boolean(window.hasWarned)"), "the page has given up too early")

    def open_refused_chapter(self) -> Reader:
        reader = self.serve(books.damage(books.lengthy(self.folder / "refused.epub"), "EPUB/c1.xhtml"))
        reader.find("#read").click()
        self.assert_warns(reader, 0)
        return reader

    def test_keys_lead_on_from_a_chapter_that_is_refused(self):
        reader = self.open_refused_chapter()
        reader.press(Keys.PAGE_DOWN)
        self.assert_reads(reader, 1)

    def test_the_notice_stays_while_nothing_else_is_shown(self):
        reader = self.open_refused_chapter()
        # Longer than any other notice.
        self.driver.execute_async_script("setTimeout(arguments[0], 13000)")
        self.assertTrue(self.is_warned(reader), "the notice is gone, and nothing is shown")
        # A click into the empty chapter takes the keys from nobody, and the contents lead to it again.
        reader.find("#stage").click()
        reader.goto("Chapter 1")
        self.assert_warns(reader, 0)
        reader.press("t")
        wait(self.driver, lambda: reader.all("#contents-panel[open]"), "a key opens the contents")
        self.driver.find_element(By.ID, "to-title").click()
        self.assertFalse(reader.find("#notice").is_displayed())


class WithoutScriptTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-browser.")))
        cls.served = cls.enterClassContext(Served(folder / "home", books.novel(folder / "novel.epub")))
        cls.driver = chromium("--blink-settings=scriptEnabled=false")
        cls.addClassCleanup(cls.driver.quit)

    def test_contents_and_plain_chapters_work(self):
        reader = Reader(self.driver, self.served.url)
        self.driver.get(self.served.url)
        self.assertEqual(reader.all("html.scripted"), [], "scripts run in this browser, so it shows nothing")
        self.assertTrue(reader.find("h1#title").is_displayed())
        links = [link for link in reader.all("nav#contents a") if link.is_displayed()]
        self.assertEqual(len(links), 2 * books.CHAPTERS)
        # What needs a script is not there to be tried in vain.
        for selector in ("#read", "#open-search", "#open-settings", "#slider", "#next"):
            self.assertFalse(any(e.is_displayed() for e in reader.all(selector)), selector)
        reader.picture("without-script")
        reader.requests()
        next(link for link in links if link.text == "Chapter 2").click()
        wait(self.driver, lambda: self.driver.current_url.endswith("c02.xhtml"), "the chapter is shown")
        self.assertEqual(reader.find("h1").text, "Chapter 2")
        self.assertIn(" ".join(chapter_words(2)[:5]), reader.find("body").text)
        reader.picture("without-script-chapter")
        loaded = {urllib.parse.urlsplit(r["url"]).path.rsplit("/", 1)[1]: r["status"] for r in reader.requests() if "status" in r}
        self.assertEqual({name: loaded.get(name) for name in ("style.css", "blocks.ttf", "lamp2.png")}, dict.fromkeys(("style.css", "blocks.ttf", "lamp2.png"), 200))
        reader.find("#onward").click()
        wait(self.driver, lambda: self.driver.current_url.endswith("c03.xhtml"), "a link of the chapter leads on")


if __name__ == "__main__":
    unittest.main()
