// Runs inside each chapter, in a sandboxed frame. Cuts the text into pages and talks to the reading page by messages. It is
// put inline: it must stay small and contain no end tag of a script.
(() => {
"use strict";
const host = window.parent;
if (host === window) return;
const send = (type, facts) => host.postMessage({ carrel: 1, type, ...facts }, "*");
const root = document.documentElement;
const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

let settings = null;
let isParsed = false;
// Where to be after a layout: what the page asked for, until the chapter is loaded or a page is turned; then the text that
// was at the top.
let goal = "start";
let anchor = null;
let hits = [];
let view = { paged: true, pages: 1, width: 1, margin: 0 };

const box = () => document.scrollingElement || root;
const across = () => view.paged || view.vertical;
const offset = () => Math.abs(across() ? box().scrollLeft : box().scrollTop);
const extent = () => across() ? box().scrollWidth : box().scrollHeight;
const visible = () => across() ? innerWidth : innerHeight;
const bottom = () => Math.max(0, extent() - visible());
const pageIndex = () => Math.min(view.pages - 1, Math.round(offset() / view.width));

function measure() {
  const style = getComputedStyle(document.body);
  const vertical = /^(vertical|sideways)/.test(style.writingMode);
  const paged = settings.paged && !vertical && !settings.fixed;
  const width = innerWidth;
  const columns = !paged ? 1 : settings.columns === "auto" ? (width >= 1000 && width > innerHeight ? 2 : 1) : Number(settings.columns);
  const share = width / columns;
  const least = Math.max(12, share * [0.03, 0.06, 0.12][settings.margin]);
  const margin = Math.floor(Math.max(least, (share - 16 * settings.size * [44, 36, 29][settings.margin]) / 2));
  const rtl = style.direction === "rtl";
  return { paged, vertical, rtl, width, margin, columns, pages: 1, back: paged ? rtl : vertical && style.writingMode !== "vertical-lr" };
}

// The rules are the page's; custom properties tell them of the chapter.
function rules() {
  const kind = settings.fixed ? "fixed" : view.paged ? "paged" : view.vertical ? "vertical" : "scrolled";
  return `html{--c-size:${settings.size};--c-top:${Math.min(36, Math.round(innerHeight * 0.04))}px;--c-height:${innerHeight}px;
    --c-margin:${view.margin}px;--c-columns:${view.columns};--c-direction:${view.rtl ? "rtl" : "ltr"}}` + settings.css.all + settings.css[kind];
}

function layOut() {
  if (!settings || !isParsed) return;
  view = measure();
  sheet.replaceSync(rules());
  if (settings.fixed) return;
  if (view.paged) {
    // Fractions where the browser is zoomed.
    view.width = root.getBoundingClientRect().width;
    const columns = Math.max(1, Math.ceil((extent() - 2) / view.width * view.columns));
    view.pages = Math.ceil(columns / view.columns);
    // The last page may be half empty: something has to be at its end, or it could not be scrolled to.
    sheet.insertRule(`html::after{content:"";position:absolute;top:0;${view.rtl ? "right" : "left"}:${view.pages * view.width - 1}px;width:1px;height:1px}`,
      sheet.cssRules.length);
  }
  if (goal !== null) go(goal);
  else if (anchor) show(anchor);
  else moved();
}

let own = 0;
function scrollTo(value) {
  const to = Math.max(0, value);
  if (across()) box().scrollLeft = view.back ? -to : to;
  else box().scrollTop = to;
  own = offset();
}

function goToPage(index) { scrollTo(Math.min(view.pages - 1, Math.max(0, index)) * view.width); }

function show(range) {
  const rect = [...range.getClientRects()].find(r => r.width + r.height > 0) || range.getBoundingClientRect();
  const start = view.back ? view.width - rect.right : rect.left;
  if (view.paged) goToPage(Math.floor((start + offset() + 1) / view.width));
  else scrollTo(offset() + (view.vertical ? start - 24 : rect.top - innerHeight * 0.12));
  moved();
}

// Keeps the first text on the screen there when the layout changes.
function settle() {
  goal = anchor = null;
  if (offset() < 1) return;
  const x = view.back || view.rtl ? innerWidth - view.margin - 4 : view.margin + 4;
  for (let y = 8; y < innerHeight && !anchor; y += 20) {
    const caret = document.caretPositionFromPoint?.(x, y) || document.caretRangeFromPoint?.(x, y);
    const node = caret && (caret.offsetNode || caret.startContainer);
    if (node?.nodeType !== 3 || !node.data.trim()) continue;
    const at = Math.min(caret.offset ?? caret.startOffset, node.length - 1);
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + 1);
    const rect = range.getBoundingClientRect();
    if (rect.left > -2 && rect.right < innerWidth + 2 && rect.bottom > 0) anchor = range;
  }
  if (!anchor) goal = { progression: progression() };
}

const progression = () => view.paged ? pageIndex() / view.pages : Math.min(1, offset() / Math.max(1, extent()));

let reported = "";
function moved() {
  const screen = visible() * 0.9;
  const page = view.paged ? pageIndex() : Math.floor(offset() / screen + 0.01);
  const pages = view.paged ? view.pages : Math.max(page + 1, Math.ceil(bottom() / screen) + 1);
  const facts = { progression: progression(), page, pages, atStart: offset() < 2, atEnd: view.paged ? page >= pages - 1 : offset() >= bottom() - 2 };
  const text = JSON.stringify(facts);
  if (text !== reported) send("moved", facts);
  reported = text;
}

function turn(by) {
  const page = pageIndex() + by;
  const isEdge = settings.fixed || (view.paged ? page < 0 || page >= view.pages : by > 0 ? offset() >= bottom() - 2 : offset() < 2);
  if (isEdge) return send("turned", { edge: by > 0 ? "end" : "start" });
  if (view.paged) goToPage(page);
  else scrollTo(Math.min(bottom(), offset() + by * visible() * 0.9));
  settle();
  moved();
}

function go(to) {
  goal = to;
  if (!isParsed || settings.fixed) return;
  const range = to.text ? find(to.text, to.progression || 0, letters()) : to.fragment ? byID(to.fragment) : null;
  if (range) return show(range);
  if (to === "end") scrollTo(view.paged ? (view.pages - 1) * view.width : bottom());
  else if (view.paged) goToPage(Math.floor((to.progression || 0) * view.pages + 0.001));
  else scrollTo((to.progression || 0) * extent());
  moved();
}

function byID(fragment) {
  let id = fragment;
  try { id = decodeURIComponent(fragment); } catch { /* a stray percent sign is part of the name */ }
  const element = document.getElementById(id) || document.getElementsByName(id)[0];
  if (!element) return null;
  const range = document.createRange();
  range.selectNode(element);
  return range;
}

// The text without white space, with its nodes. Hits are compared so: programs differ in the spaces between blocks.
const bare = text => String(text || "").replace(/[\s\u00ad\u200b]+/g, "");

function letters() {
  const walker = document.createTreeWalker(document.body, 4, node => /^(script|style|template|noscript)$/i.test(node.parentNode.localName) ? 2 : 1);
  const parts = [];
  let text = "";
  while (walker.nextNode()) {
    parts.push({ node: walker.currentNode, start: text.length });
    text += bare(walker.currentNode.data);
  }
  return { parts, text };
}

function find({ before, highlight, after }, near, { parts, text }) {
  const [left, found, right] = [bare(before), bare(highlight), bare(after)];
  if (!found) return null;
  let best = -1;
  for (const length of [200, 16, 0]) {
    const prefix = length ? left.slice(-length) : "";
    const wanted = prefix + found + right.slice(0, length);
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
      const gap = index => Math.abs(index - near * text.length);
      if (best < 0 || gap(at + prefix.length) < gap(best)) best = at + prefix.length;
    }
    if (best >= 0) break;
  }
  if (best < 0) return null;
  const place = index => {
    const { node, start } = parts.findLast(part => part.start <= index);
    let [left, at] = [index - start, 0];
    while (at < node.length - 1 && (!bare(node.data[at]) || left-- > 0)) at += 1;
    return [node, at];
  };
  const range = document.createRange();
  range.setStart(...place(best));
  const [node, at] = place(best + found.length - 1);
  range.setEnd(node, at + 1);
  return range;
}

function showHits() {
  if (!window.Highlight) return;
  const all = hits.length ? letters() : null;
  CSS.highlights.set("carrel", new Highlight(...hits.map(hit => find(hit.text, hit.progression, all)).filter(Boolean)));
}

addEventListener("message", event => {
  const message = event.data;
  if (event.source !== host || !message || message.carrel !== 1) return;
  if (message.type === "ask") send("here");
  else if (message.type === "settings") {
    settings = message.settings;
    layOut();
  } else if (!settings) return;
  else if (message.type === "go") {
    reported = "";
    go(message.to);
  }
  else if (message.type === "turn") turn(message.by);
  else if (message.type === "highlight") {
    hits = message.hits;
    if (isParsed) showHits();
  }
});

const isIn = (event, selector) => Boolean(event.target.closest?.(selector));
const fields = "input,select,textarea,button,summary,audio,video,[contenteditable]";

addEventListener("click", event => {
  const link = event.target.closest?.("a,area");
  const href = link && (link.getAttribute("href") || link.getAttributeNS("http://www.w3.org/1999/xlink", "href"));
  if (!href) return;
  event.preventDefault();
  try { send("link", { href: new URL(href, document.baseURI).href }); } catch { /* no address */ }
}, true);

const keys = / |^(Arrow(Left|Right)|Page(Up|Down)|Home|End|Escape|[?/tsm+=0-])$/;
addEventListener("keydown", event => {
  const { key, shiftKey: shift } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !keys.test(key) || isIn(event, fields)) return;
  event.preventDefault();
  send("key", { key, shift });
});

let touch = null;
addEventListener("pointerdown", event => { touch = event.isPrimary && event.pointerType !== "mouse" ? event : null; });
addEventListener("pointercancel", () => { touch = null; });
addEventListener("pointerup", event => {
  const start = touch;
  touch = null;
  if (!start || !settings || isIn(event, fields) || visualViewport.scale > 1.05) return;
  const [dx, dy] = [event.clientX - start.clientX, event.clientY - start.clientY];
  if (Math.abs(dx) > 40 && Math.abs(dx) > 1.5 * Math.abs(dy)) {
    if (!view.paged && !settings.fixed) return;
    turn(dx < 0 === !(settings.fixed ? settings.rtl : view.rtl) ? 1 : -1);
  } else if (Math.hypot(dx, dy) < 10 && event.timeStamp - start.timeStamp < 500 && getSelection().isCollapsed && !isIn(event, "a,area")) {
    const x = event.clientX / innerWidth;
    send("tap", { x: x < 0.28 ? "left" : x > 0.72 ? "right" : "middle" });
  }
});

let wheel = 0;
addEventListener("wheel", event => {
  if (!settings || event.ctrlKey || !(view.paged || settings.fixed)) return;
  const way = Math.abs(event.deltaY) >= Math.abs(event.deltaX) ? event.deltaY : event.deltaX * (view.rtl ? -1 : 1);
  if (Math.abs(way) < 8 || event.timeStamp - wheel < 350) return;
  wheel = event.timeStamp;
  turn(way > 0 ? 1 : -1);
}, { passive: true });

// Focus, the browser's search and assistive technology scroll, too, even to between two pages.
let timer = 0;
addEventListener("scroll", () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (!settings || settings.fixed || !isParsed || Math.abs(offset() - own) < 2) return;
    own = offset();
    if (view.paged) goToPage(pageIndex());
    settle();
    moved();
  }, 80);
}, { passive: true });

addEventListener("resize", layOut);
addEventListener("load", () => document.fonts.ready.then(() => {
  layOut();
  if (settings && !settings.fixed) settle();
}));

function parsed() {
  if (!document.body) return;
  isParsed = true;
  send("here");
  const meta = document.querySelector("meta[name=viewport]");
  const side = name => Number((new RegExp(name + "\\s*=\\s*([0-9.]+)").exec(meta?.content) || [])[1]);
  if (side("width") > 0 && side("height") > 0) send("size", { width: side("width"), height: side("height") });
  layOut();
  showHits();
}

send("ready");
if (document.readyState === "loading") addEventListener("DOMContentLoaded", parsed);
else parsed();
})();
