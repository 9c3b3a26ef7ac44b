// The reading page: what is on the stage, where the reader is, and what keys and buttons do.

import { ChapterView } from "./chapter.js";
import { Panels } from "./panels.js";
import { Places } from "./places.js";
import { Publication } from "./publication.js";
import { Settings, base } from "./settings.js";
import { SoundView } from "./sound.js";
import { SpreadView } from "./spreads.js";

const element = id => document.getElementById(id);
const page = document.documentElement;

// PDF and whatever else the browser shows by itself.
class DocumentView {
  name = "document";

  constructor(reader) { this.reader = reader; }

  open(index, target, hasFocus) {
    const item = this.reader.publication.items[index];
    this.index = index;
    const isPDF = item.type.startsWith("application/pdf");
    element("document").hidden = false;
    element("document-title").textContent = item.title || this.reader.publication.title;
    element("document-text").textContent = isPDF ? "This is a PDF document. The browser’s own viewer shows it." : "The browser shows this part by itself.";
    const fragment = /^page=[0-9]+$/.test(target.fragment || "") ? `#${target.fragment}` : "";
    element("document-link").href = item.address + fragment;
    if (hasFocus) element("document-link").focus();
    this.reader.moved({ index, progression: target.progression || 0, page: 0, pages: 1, atStart: true, atEnd: true });
  }

  turn(by) { this.reader.step(this.index, by); }
  go() {}
  update() {}
  mark() {}
  resize() {}
  close() { element("document").hidden = true; }
}

class Reader {
  stage = element("stage");
  settings = new Settings();
  view = null;
  place = { index: 0, progression: 0 };

  constructor(publication, places) {
    this.publication = publication;
    this.places = places;
    const text = new ChapterView(this);
    const pages = new SpreadView(this);
    this.views = { text, page: pages, image: pages, sound: new SoundView(this), document: new DocumentView(this) };
    this.panels = new Panels(this);
    this.settings.addEventListener("change", () => this.view && this.view.update());
    this.listen();
  }

  // Places

  // Shows an item of the reading order at "start", "end" or {progression}, {fragment}, {text}.
  open(index, target, { focus = true, goesOn = false } = {}) {
    const item = this.publication.items[index];
    if (!item) return;
    this.showReading();
    const view = this.views[item.kind];
    if (this.view && this.view !== view) this.view.close();
    this.view = view;
    page.dataset.kind = view.name;
    for (const [id, name] of [["previous", "Previous"], ["next", "Next"]]) element(id).setAttribute("aria-label", `${name} ${view.name === "sound" ? "part" : "page"}`);
    this.stage.dataset.index = index;
    this.stage.dataset.href = item.href;
    this.stage.dataset.ready = "false";
    this.unwarn();
    view.open(index, target, focus, goesOn);
  }

  // Goes to a place that the reader chose; the browser's Back returns from it.
  //
  // A screen may begin in one position and end in another; wanted is the one to name.
  jump({ index, ...target }, wanted = 0, options = {}) {
    this.wanted = wanted;
    if (page.dataset.state === "reading") history.replaceState({ place: this.place }, "");
    history.pushState({ place: { index, ...target } }, "");
    this.open(index, Object.keys(target).length ? target : "start", options);
  }

  // Follows a link of the contents or of a chapter. Only what the manifest lists is opened.
  follow(href, from) {
    const place = this.publication.locate(href, from);
    if (!place) this.warn("This link leads to nothing in the book.");
    else if (place.outside) this.panels.askToLeave(place.outside, true);
    else if (place.resource) this.panels.askToLeave(place.resource, false);
    else this.jump(place.fragment ? { index: place.index, fragment: place.fragment } : { index: place.index });
  }

  turn(by) {
    this.wanted = 0;
    if (this.view) this.view.turn(by);
  }

  focus() { this.stage.querySelector("#chapter, .spread-scroller")?.focus({ preventScroll: true }); }

  // From the edge of an item to the next one.
  step(index, by, goesOn = false) {
    const next = index + by;
    if (next < 0 || next >= this.publication.items.length) {
      this.say(by > 0 ? "This is the end of the book." : "This is the start of the book.");
      return;
    }
    this.open(next, by > 0 || this.views[this.publication.items[next].kind].name === "sound" ? "start" : "end", { focus: false, goesOn });
  }

  // A view says where it is.
  moved(facts) {
    const { index, progression, page: shown, pages } = facts;
    const item = this.publication.items[index];
    this.place = { index, href: item.href, progression };
    if (this.isStuck) this.unwarn();
    Object.assign(this.stage.dataset, { index, href: item.href, page: shown + 1, pages, ready: "true" });
    const last = facts.last === undefined ? index : facts.last;
    element("previous").setAttribute("aria-disabled", String(index === 0 && facts.atStart));
    element("next").setAttribute("aria-disabled", String(last === this.publication.items.length - 1 && facts.atEnd));
    const { total } = this.publication;
    const first = this.publication.position(index, progression);
    const isWanted = this.wanted > first && this.wanted <= this.publication.position(index, progression + 1 / pages - 0.002);
    const position = isWanted ? this.wanted : first;
    const slider = element("slider");
    slider.hidden = total < 2;
    slider.max = total;
    slider.value = position || 1;
    const end = last > index ? this.publication.position(last, 0) : position;
    const text = facts.text || (position ? `Page ${position}${end > position ? `–${end}` : ""} of ${total}` : `Part ${index + 1} of ${this.publication.items.length}`);
    slider.setAttribute("aria-valuetext", text);
    // The time of a recording changes each second; nobody wants to hear that.
    element("place").setAttribute("aria-live", this.view && this.view.name === "sound" ? "off" : "polite");
    if (element("place").textContent !== text) element("place").textContent = text;
    element("chapter-title").textContent = item.title || this.titleOf(index);
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), 400);
  }

  save() { if (page.dataset.state === "reading" && this.place.href) this.places.keep(this.place, element("chapter-title").textContent); }

  // The page may not come back.
  saveNow() {
    this.save();
    this.places.send();
  }

  // The place of an earlier visit, if the publication still has it.
  earlier() {
    const stored = this.places.stored();
    if (!stored || typeof stored.href !== "string" || !(stored.progression >= 0 && stored.progression <= 1)) return null;
    const index = this.publication.items[stored.index]?.href === stored.href ? stored.index : this.publication.items.findIndex(item => item.href === stored.href);
    return index < 0 ? null : { index, progression: stored.progression };
  }

  // A chapter's own title is not known before it is read; the contents have one, of the item or of one before it.
  titleOf(index) {
    for (let at = index; at >= 0; at -= 1) {
      const title = this.panels.contents.titleOf(at);
      if (title || this.publication.items[index].kind === "sound") return title;
    }
    return "";
  }

  hitsIn(index) { return this.panels.search.hitsIn(index); }
  mark() { if (this.view) this.view.mark(); }

  // Title page and reading

  showTitlePage() {
    this.save();
    if (this.view) this.view.close();
    this.view = null;
    this.unwarn();
    element("reading").hidden = true;
    element("start").hidden = false;
    this.panels.contents.moveTo("contents-place");
    const earlier = this.earlier();
    element("read").textContent = earlier ? "Continue reading" : this.publication.items[0]?.kind === "sound" ? "Start listening" : "Start reading";
    page.dataset.state = "title";
    element("read").focus({ preventScroll: true });
  }

  showReading() {
    if (page.dataset.state === "reading") return;
    element("start").hidden = true;
    element("reading").hidden = false;
    this.panels.contents.moveTo("contents-slot");
    if (!element("sound-cover").childElementCount && document.querySelector("#cover img")) {
      element("sound-cover").append(document.querySelector("#cover img").cloneNode());
    }
    page.dataset.state = "reading";
  }

  begin() {
    const earlier = this.earlier();
    if (earlier) this.open(earlier.index, { progression: earlier.progression });
    else this.open(0, "start");
  }

  // Says something to all, by the line that screen readers read.
  say(text) { element("place").textContent = text; }

  // stays: until something else is shown.
  warn(text, address, stays = false) {
    const notice = element("notice");
    notice.textContent = text;
    if (address) {
      const link = document.createElement("a");
      Object.assign(link, { href: address, target: "_blank", rel: "noopener noreferrer", textContent: "Open it by itself" });
      notice.append(" ", link);
    }
    notice.hidden = false;
    clearTimeout(this.warning);
    this.isStuck = stays;
    if (!stays) this.warning = setTimeout(() => this.unwarn(), 12000);
  }

  unwarn() {
    element("notice").hidden = true;
    this.isStuck = false;
  }

  // What a chapter passes on.
  hear(type, facts, from) {
    if (type === "link") this.follow(facts.href, from);
    else if (type === "key") this.key(facts.key, facts.shift);
    else if (type === "tap") {
      const side = { left: -1, middle: 0, right: 1 }[facts.x];
      if (side) this.turn(this.publication.isBackwards ? -side : side);
      else page.classList.toggle("bare");
    }
  }

  // Keys

  key(key, isShifted) {
    if (this.panels.isOpen) return false;
    if (!this.view) return false;
    if (this.view.key && this.view.key(key)) return true;
    const way = this.publication.isBackwards ? -1 : 1;
    const actions = {
      ArrowRight: () => this.turn(way), ArrowLeft: () => this.turn(-way), PageDown: () => this.turn(1), PageUp: () => this.turn(-1),
      " ": () => this.turn(isShifted ? -1 : 1), Home: () => this.view.go("start"), End: () => this.view.go("end"),
      Escape: () => page.classList.toggle("bare"), "?": () => this.panels.open("help"), "/": () => this.panels.open("search"),
      t: () => this.panels.open("contents"), s: () => this.panels.open("settings"), m: () => this.settings.nextTheme(),
      "+": () => this.settings.resize(10), "=": () => this.settings.resize(10), "-": () => this.settings.resize(-10), 0: () => this.settings.resize(0),
    };
    if (!Object.hasOwn(actions, key)) return false;
    actions[key]();
    return true;
  }

  listen() {
    element("read").addEventListener("click", () => this.begin());
    element("previous").addEventListener("click", () => this.turn(-1));
    element("next").addEventListener("click", () => this.turn(1));
    if (this.publication.isBackwards) page.classList.add("backwards");
    element("slider").addEventListener("input", event => { this.say(`Page ${event.target.value} of ${this.publication.total}`); });
    element("slider").addEventListener("change", event => {
      const position = Number(event.target.value);
      this.jump(this.publication.place(position), position, { focus: false });
    });
    addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const { target } = event;
      const isField = target.matches?.("input, select, textarea, audio");
      const isButton = target.matches?.("button, a, summary") && event.key === " ";
      if (isField || isButton) return;
      if (this.key(event.key, event.shiftKey)) event.preventDefault();
    });
    addEventListener("popstate", event => {
      const place = event.state && event.state.place;
      if (!place && page.dataset.state === "reading" && !location.hash) this.showTitlePage();
      if (!place || !Number.isInteger(place.index)) return;
      const { index, href: _, ...target } = place;
      this.open(index, Object.keys(target).length ? target : "start");
    });
    addEventListener("hashchange", () => this.openHash());
    addEventListener("pagehide", () => this.saveNow());
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.saveNow(); });
    new ResizeObserver(() => { if (this.view) this.view.resize(); }).observe(this.stage);
  }

  // An address that names a place, BASE/KEY/#/HREF#id. True if there is such a place.
  openHash() {
    if (!location.hash.startsWith("#/")) return false;
    const place = this.publication.locate(location.hash.slice(2));
    history.replaceState(null, "", base.pathname);
    if (!place || place.index === undefined) return false;
    this.open(place.index, place.fragment ? { fragment: place.fragment } : "start");
    return true;
  }
}

async function start() {
  page.classList.add("scripted");
  try {
    const places = new Places();
    const [publication] = await Promise.all([Publication.load(), places.ask()]);
    places.settle(publication);
    const reader = new Reader(publication, places);
    if (reader.openHash()) return;
    if (reader.earlier()) reader.begin();
    else reader.showTitlePage();
  } catch (error) {
    // The contents are on the page all the same, and their links open chapters by themselves.
    page.classList.remove("scripted");
    page.dataset.state = "failed";
    element("notice").textContent = `The book could not be opened (${error.message}). The links of the contents still work.`;
    element("notice").hidden = false;
  }
}

start();
