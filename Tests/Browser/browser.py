"""Chromium without a window, and the reading page as people use it. All waiting is for conditions."""

import contextlib
import itertools
import json
import os
import pathlib
import tempfile
import unittest

from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException, WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

import books
from served import Served

PATIENCE = 15
ARTIFACTS = pathlib.Path(os.environ.get("BROWSER_ARTIFACTS") or tempfile.gettempdir()) / "browser"
# Width, height and pixels per CSS pixel.
SIZES = {"desk": (1280, 800, 1), "tablet": (820, 1180, 1), "phone": (390, 844, 2)}

# The boxes of a document's text that are in its window, line by line: [text, left, top, right, bottom, id of the element around].
TEXT_BOXES = """
const boxes = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange()
while (walker.nextNode()) {
  const node = walker.currentNode, style = getComputedStyle(node.parentElement)
  if (!node.data.trim() || style.visibility === 'hidden' || +style.opacity === 0) continue
  range.selectNodeContents(node)
  for (const r of range.getClientRects())
    if (r.width >= 1 && r.height >= 1 && r.right > 0.5 && r.bottom > 0.5 && r.left < innerWidth - 0.5 && r.top < innerHeight - 0.5)
      boxes.push([node.data.trim().slice(0, 40), r.left, r.top, r.right, r.bottom, node.parentElement.closest('[id]')?.id ?? ''])
}
return { boxes, width: innerWidth, height: innerHeight }
"""
# The words that are in a document's window, in their order. arguments[0]: a selector of elements to look into.
WORDS_SEEN = """
const words = [], range = document.createRange()
for (const element of document.querySelectorAll(arguments[0])) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) for (const match of walker.currentNode.data.matchAll(/\\S+/g)) {
    range.setStart(walker.currentNode, match.index)
    range.setEnd(walker.currentNode, match.index + match[0].length)
    const r = range.getBoundingClientRect(), x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2
    if (x > 0 && y > 0 && x < innerWidth && y < innerHeight) words.push(match[0])
  }
}
return words
"""
# Where a text is in a document: its box, or null.
TEXT_PLACE = """
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange()
while (walker.nextNode()) {
  const at = walker.currentNode.data.indexOf(arguments[0])
  if (at < 0) continue
  range.setStart(walker.currentNode, at)
  range.setEnd(walker.currentNode, at + arguments[0].length)
  const r = range.getBoundingClientRect()
  return { left: r.left, top: r.top, right: r.right, bottom: r.bottom, width: innerWidth, height: innerHeight }
}
return null
"""
# What of the page can be operated or read, as it is seen: [name, left, top, right, bottom]. Elements in one another are one.
CONTROLS = """
const root = document.querySelector('dialog[open]') ?? document.body, found = []
for (const e of root.querySelectorAll('button, input, select, a[href], [role=status], #chapter-title, #sound-time, h1, h2, label')) {
  const r = e.getBoundingClientRect(), style = getComputedStyle(e)
  if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || r.width < 2 || r.height < 2 || style.clipPath !== 'none') continue
  if (e.closest('[inert], [hidden]') || found.some((f) => f.element.contains(e))) continue
  for (let i = found.length - 1; i >= 0; i--) if (e.contains(found[i].element)) found.splice(i, 1)
  found.push({ element: e, kind: e.localName, box: [e.id || e.getAttribute('name') || e.textContent.trim().slice(0, 30), r.left, r.top, r.right, r.bottom] })
}
return { controls: found.map((f) => [f.kind, ...f.box]), width: innerWidth, height: innerHeight, scrolls: document.scrollingElement.scrollWidth }
"""
STATE = """
const html = document.documentElement, stage = document.querySelector('#stage'), spread = document.querySelector('#spread')
return { state: html.dataset.state, theme: html.dataset.theme, kind: html.dataset.kind, href: stage?.dataset.href,
  index: stage?.dataset.index === undefined ? null : +stage.dataset.index, ready: stage?.dataset.ready === 'true',
  page: stage?.dataset.page ? +stage.dataset.page : null, pages: stage?.dataset.pages ? +stage.dataset.pages : null,
  place: document.querySelector('#place')?.textContent.trim(),
  items: spread?.dataset.items === undefined ? null : spread.dataset.items.split(',').map(Number) }
"""


def chromium(*arguments: str) -> webdriver.Chrome:
    options = Options()
    options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--mute-audio", "--hide-scrollbars", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
        "--autoplay-policy=no-user-gesture-required", "--window-size=1280,800", "--lang=en", "--no-proxy-server", "--force-color-profile=srgb",
        *arguments,
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")))
    driver.set_page_load_timeout(30)
    driver.set_script_timeout(30)
    return driver


def wait(driver, condition, what: str, patience: float = PATIENCE):
    """Waits until `condition` returns something true, and returns it."""

    def asked(_):
        try:
            return condition()
        except WebDriverException as error:
            # Between two documents there may be no element, and no frame.
            if type(error) is WebDriverException and "disconnected" in str(error):
                raise
            return False

    return WebDriverWait(driver, patience, poll_frequency=0.03).until(asked, f"this did not happen: {what}")


class Reader:
    """The reading page in a browser."""

    def __init__(self, driver: webdriver.Chrome, url: str):
        self.driver, self.url = driver, url

    # ---- the window

    def size(self, name: str) -> None:
        width, height, scale = SIZES[name]
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": name == "phone"})
        # A document that says nothing of viewports is laid out for wider screens.
        fits = f"return innerWidth === {width} || !document.querySelector('meta[name=viewport]')"
        wait(self.driver, lambda: self.driver.execute_script(fits), f"the window became {width} wide")

    def prefers(self, scheme: str, motion: str = "no-preference") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def picture(self, name: str) -> None:
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(ARTIFACTS / f"{name}.png"))

    # ---- state

    def state(self) -> dict:
        return self.driver.execute_script(STATE)

    def until(self, condition, what: str, patience: float = PATIENCE) -> dict:
        """Waits until the condition holds for the state of the page, laid out, and returns it."""

        def held():
            state = self.state()
            return state if condition(state) else None

        try:
            return wait(self.driver, held, what, patience)
        except Exception as error:
            raise AssertionError(f"this did not happen: {what}; the page says {self.state()}, and {self.notice()!r}") from error

    def notice(self) -> str:
        return self.driver.execute_script("return document.querySelector('#notice')?.textContent.trim() ?? ''")

    def ready(self, what: str = "the page is laid out", **expected) -> dict:
        return self.until(
            lambda s: s["state"] == "reading" and s["ready"] and all(s[name] == value for name, value in expected.items()), f"{what} {expected or ''}")

    # ---- doing

    def open(self, rest: str = "") -> "Reader":
        self.driver.get("about:blank")
        self.driver.get(self.url + rest)
        wait(self.driver, lambda: self.find("html.scripted"), "the page's script runs")
        self.until(lambda s: s["state"] in ("title", "reading"), "the title page is there")
        return self

    def start(self, **expected) -> dict:
        """From the title page into the book; a page that remembers a place is there already."""
        if self.state()["state"] == "title":
            wait(self.driver, lambda: self.find("#read").is_displayed(), "there is a button to begin")
            self.find("#read").click()
        return self.ready("reading begins", **expected)

    def forget(self) -> None:
        """Leaves the page; the next one begins with an empty storage. The page that is left may still write into it."""
        self.driver.get("about:blank")
        begin = "if (window === top && location.protocol.startsWith('http')) localStorage.clear()"
        script = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": begin})["identifier"]
        try:
            self.open()
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
        assert self.state()["state"] == "title", "a page without a memory begins with the title page"

    def find(self, selector: str):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def press(self, *keys: str) -> None:
        """Presses keys where the focus is."""
        for key in keys:
            webdriver.ActionChains(self.driver, duration=0).send_keys(key).perform()

    def focused(self) -> dict:
        return self.driver.execute_script(
            "const e = document.activeElement; return { id: e.id, name: e.localName, text: e.textContent.trim().slice(0, 600),"
            " panel: e.closest('dialog')?.id ?? null, outlined: getComputedStyle(e).outlineStyle !== 'none' || getComputedStyle(e).boxShadow !== 'none' }")

    def _turned(self, act, what: str) -> dict:
        def place(state: dict) -> tuple:
            return state["index"], state["page"], state["items"]

        before = place(self.state())
        act()
        return self.until(lambda s: s["ready"] and place(s) != before, what)

    def next(self) -> dict:
        return self._turned(lambda: self._turn("#next", 0.95), "the next page came")

    def previous(self) -> dict:
        return self._turned(lambda: self._turn("#previous", 0.05), "the page before came")

    def _turn(self, button: str, part: float) -> None:
        """By the button; where a narrow window has none, by a finger at this part of its width."""
        if self.find(button).is_displayed():
            return self.find(button).click()
        stage = self.stage_box("#stage")
        return self.touch(stage["left"] + part * stage["width"], stage["top"] + 0.6 * stage["height"])

    def turn(self, key: str) -> dict:
        return self._turned(lambda: self.press(key), f"the page turned by {key!r}")

    def open_panel(self, name: str) -> None:
        if not self.all(f"#{name}-panel[open]"):
            self.find(f"#open-{name}").click()
            wait(self.driver, lambda: self.all(f"#{name}-panel[open]"), f"the panel {name} opened")

    def close_panels(self) -> None:
        for button in self.all("dialog[open] button.close"):
            button.click()
        wait(self.driver, lambda: not self.all("dialog[open]"), "the panels closed")

    def goto(self, title: str) -> None:
        """Follows a link of the table of contents."""
        self.open_panel("contents")
        link = wait(self.driver, lambda: self.driver.find_element(By.XPATH, f"//nav[@id='contents']//a[normalize-space()='{title}']"), f"the contents show {title}")
        self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", link)
        link.click()

    def set(self, **values: str) -> dict:
        """Chooses settings by their names."""
        self.open_panel("settings")
        for name, value in values.items():
            controls = self.all(f"#settings [name={name}]")
            assert controls, f"no setting {name}"
            kind = controls[0].get_attribute("type")
            if controls[0].tag_name == "select":
                Select(controls[0]).select_by_value(value)
            elif kind == "radio":
                self.driver.execute_script("arguments[0].click()", next(c for c in controls if c.get_attribute("value") == value))
            else:
                self.driver.execute_script(
                    "arguments[0].value = arguments[1]; for (const n of ['input', 'change']) arguments[0].dispatchEvent(new Event(n, { bubbles: true }))",
                    controls[0], value)
        self.close_panels()
        return self.ready()

    def search(self, text: str) -> list:
        """Searches and returns the links of the hits."""
        self.open_panel("search")
        query = self.find("#query")
        query.clear()
        query.send_keys(text, Keys.ENTER)
        return wait(self.driver, lambda: self.all("#hits > li > a"), f"there are hits for {text!r}")

    def touch(self, x: float, y: float) -> None:
        """Taps with a finger."""
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})

    # ---- what is in the chapter

    @contextlib.contextmanager
    def frame(self, selector: str = "#chapter"):
        """Scripts run inside the chapter, for the time of the `with` statement."""
        self.driver.switch_to.frame(self.find(selector))
        try:
            yield self.driver
        finally:
            self.driver.switch_to.default_content()

    def in_chapter(self, script: str, *arguments):
        with self.frame():
            return self.driver.execute_script(script, *arguments)

    def text_boxes(self) -> dict:
        return self.in_chapter(TEXT_BOXES)

    def paragraphs(self) -> list[str]:
        """The ids of the paragraphs that are seen, in their order."""
        return [name for name, _ in itertools.groupby(box[5] for box in self.text_boxes()["boxes"]) if "-p" in name]

    def words(self, selector: str = "body") -> list[str]:
        return self.in_chapter(WORDS_SEEN, selector)

    def shows(self, text: str) -> bool:
        """Whether a text of the chapter is inside its window."""
        place = self.in_chapter(TEXT_PLACE, text)
        return bool(place) and place["left"] >= -1 and place["top"] >= -1 and place["right"] <= place["width"] + 1 and place["bottom"] <= place["height"] + 1

    def stage_box(self, selector: str) -> dict:
        return self.driver.execute_script("return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()", selector)

    # ---- what the browser saw

    def requests(self) -> list[dict]:
        """Requests and answers since the last call: {url, method} or {url, status, headers}."""
        result = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            parameters = message["params"]
            if message["method"] == "Network.requestWillBeSent":
                result.append({"url": parameters["request"]["url"], "method": parameters["request"]["method"]})
            elif message["method"] == "Network.responseReceived":
                response = parameters["response"]
                headers = {name.lower(): value for name, value in response["headers"].items()}
                result.append({"url": response["url"], "status": response["status"], "headers": headers})
        return result

    def complaints(self) -> list[str]:
        """What the browser's console says of faults, and refusals of policies, since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


class BrowserTest(unittest.TestCase):
    """Tests of one book in one browser. `book` makes it; every test begins with an empty storage of the page."""

    book = staticmethod(books.novel)
    name = "novel.epub"
    options: tuple[str, ...] = ()
    # Whether honest books have to go without a complaint of the browser.
    is_honest = True

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="carrel-browser.")))
        path = cls.book(cls.folder / cls.name)
        cls.served = cls.enterClassContext(Served(cls.folder / "home", path, *cls.options))
        cls.driver = chromium()
        cls.addClassCleanup(cls.driver.quit)

    def setUp(self) -> None:
        self.reader = Reader(self.driver, self.served.url)
        self.reader.size("desk")
        self.reader.prefers("light")
        self.reader.forget()
        self.driver.get("about:blank")
        self.reader.requests()
        self.reader.complaints()

    def tearDown(self) -> None:
        with contextlib.suppress(NoAlertPresentException):
            self.driver.switch_to.alert.dismiss()
        if self.failed():
            self.reader.picture(f"failed-{self.id().rsplit('.', 1)[1]}")
        elif self.is_honest:
            # Pages that have no positions are asked for them.
            self.assertEqual([c for c in self.reader.complaints() if "~readium/" not in c], [], "the browser complains")
            foreign = {r["url"] for r in self.reader.requests() if not r["url"].startswith((self.served.url, "about:", "data:", "blob:", "chrome"))}
            self.assertEqual(foreign, set(), "the page asks others")

    def failed(self) -> bool:
        result = self._outcome.result
        return any(test is self for test, _ in [*result.failures, *result.errors])

    def assert_tidy(self, what: str, scrolls: bool = False) -> None:
        """Each control is inside the window, large enough to hit, and covers no other. `scrolls`: what is below may be scrolled to."""
        seen = self.driver.execute_script(CONTROLS)
        self.assertLessEqual(seen["scrolls"], seen["width"] + 1, f"{what}: the page is wider than the window")
        controls = seen["controls"]
        self.assertTrue(controls, f"{what}: no controls")
        for kind, name, left, top, right, bottom in controls:
            inside = left >= -1 and top >= -1 and right <= seen["width"] + 1 and (scrolls or bottom <= seen["height"] + 1)
            self.assertTrue(inside, f"{what}: {kind} {name!r} at {left, top, right, bottom} is outside of {seen['width']}×{seen['height']}")
            if kind in ("button", "select"):
                # Source: WCAG 2.2, 2.5.8.
                self.assertGreaterEqual(min(right - left, bottom - top), 24, f"{what}: {kind} {name!r} is too small to hit")
        for first, second in itertools.combinations(controls, 2):
            self.assertFalse(overlap(first[2:], second[2:]), f"{what}: {first[:2]} and {second[:2]} overlap: {first[2:]}, {second[2:]}")

    def assert_page_is_whole(self, what: str) -> None:
        """Each line of text of the page is inside the chapter's window, and no control covers it."""
        seen = self.reader.text_boxes()
        self.assertTrue(seen["boxes"], f"{what}: the page is empty")
        for text, left, top, right, bottom, _ in seen["boxes"]:
            inside = left >= -1 and top >= -1 and right <= seen["width"] + 1 and bottom <= seen["height"] + 1
            self.assertTrue(inside, f"{what}: {text!r} at {left, top, right, bottom} is cut by the window of {seen['width']}×{seen['height']}")
        frame = self.reader.stage_box("#chapter")
        controls = self.driver.execute_script(CONTROLS)["controls"]
        for text, left, top, right, bottom, _ in seen["boxes"]:
            box = [left + frame["left"], top + frame["top"], right + frame["left"], bottom + frame["top"]]
            for kind, name, *control in controls:
                self.assertFalse(overlap(box, control), f"{what}: {kind} {name!r} covers {text!r}")


def overlap(first: list[float], second: list[float]) -> bool:
    """Whether two boxes have more than a hair in common."""
    return min(first[2], second[2]) - max(first[0], second[0]) > 1 and min(first[3], second[3]) - max(first[1], second[1]) > 1
