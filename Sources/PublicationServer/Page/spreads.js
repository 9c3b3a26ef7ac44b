// Comics and books of fixed layout: one page or two side by side.

import { Frame } from "./frames.js";
import { watchTouch } from "./touch.js";

// Groups the items of a run into spreads, each a list of indexes and nulls (empty sides) from left to right.
export function group(items, { isDouble, isBackwards }) {
  if (!isDouble) return items.map(item => [item.index]);
  const [first, second] = isBackwards ? ["right", "left"] : ["left", "right"];
  const spreads = [];
  let waiting = null;
  // In reading order; an undeclared page takes the side that is free.
  const flush = () => {
    if (waiting) spreads.push(waiting.isDeclared ? [waiting.index, null] : [waiting.index]);
    waiting = null;
  };
  items.forEach((item, at) => {
    const isAlone = item.side === "center" || item.spread === "none" || (!item.side && (item.isWide || (at === 0 && items.length > 2)));
    if (isAlone) {
      flush();
      spreads.push([item.index]);
    } else if (item.side === first || (!item.side && !waiting)) {
      flush();
      waiting = { index: item.index, isDeclared: item.side === first };
    } else {
      spreads.push([waiting ? waiting.index : null, item.index]);
      waiting = null;
    }
  });
  flush();
  return isBackwards ? spreads.map(spread => spread.reverse()) : spreads;
}

export class SpreadView {
  name = "pages";

  constructor(reader) {
    this.reader = reader;
    this.zoom = 1;
    this.leaves = [];
  }

  open(index, target, hasFocus) {
    const { items } = this.reader.publication;
    const isFixed = item => item.kind === "image" || item.kind === "page";
    let [low, high] = [index, index];
    while (low > 0 && isFixed(items[low - 1])) low -= 1;
    while (high + 1 < items.length && isFixed(items[high + 1])) high += 1;
    this.run = items.slice(low, high + 1);
    if (!this.box) {
      this.scroller = document.createElement("div");
      this.scroller.className = "spread-scroller";
      this.scroller.tabIndex = -1;
      this.box = document.createElement("div");
      this.box.id = "spread";
      this.scroller.append(this.box);
      this.reader.stage.append(this.scroller);
      watchTouch(this.scroller, {
        swipe: way => { if (!this.canScroll()) this.reader.turn(way === "left" === !this.reader.publication.isBackwards ? 1 : -1); },
        tap: x => this.reader.hear("tap", { x }),
      });
    }
    this.regroup();
    this.showSpread(this.spreads.findIndex(spread => spread.includes(index)), target);
    if (hasFocus) this.scroller.focus();
  }

  regroup() {
    const { stage, publication } = this.reader;
    const isLandscape = stage.clientWidth > stage.clientHeight;
    const spread = publication.presentation.spread;
    const isDouble = !this.isStrip && (spread === "both" || (spread !== "none" && isLandscape && stage.clientWidth >= 640));
    this.spreads = group(this.run, { isDouble, isBackwards: publication.isBackwards });
  }

  // Whether the pages are parts of a long strip, each as wide as the screen.
  get isStrip() { return this.reader.publication.presentation.overflow === "scrolled"; }

  get indexes() { return this.spreads[this.at].filter(index => index !== null); }

  showSpread(at, target) {
    const { reader } = this;
    for (const leaf of this.leaves) if (leaf.frame) leaf.frame.remove();
    this.at = at;
    const spread = this.spreads[at];
    this.leaves = [];
    this.box.replaceChildren();
    this.box.dataset.items = this.indexes.join(",");
    this.box.dataset.sides = spread.length;
    spread.forEach((index, side) => {
      const half = document.createElement("div");
      half.className = `half ${spread.length === 1 ? "only" : side === 0 ? "left" : "right"}`;
      this.box.append(half);
      if (index !== null) this.leaves.push(this.leaf(index, half));
    });
    this.scroller.scrollTop = target === "end" ? this.scroller.scrollHeight : 0;
    this.arrange();
    this.preload();
    const shown = this.indexes;
    reader.moved({
      index: Math.min(...shown), last: Math.max(...shown), progression: 0, page: 0, pages: 1, atStart: at === 0, atEnd: at === this.spreads.length - 1,
    });
  }

  leaf(index, half) {
    const { reader } = this;
    const item = reader.publication.items[index];
    const name = item.title || reader.titleOf(index) || `Page ${index + 1}`;
    if (item.kind === "page") return this.framedLeaf(item, name, half);
    if (item.type.startsWith("image/svg")) return this.drawnLeaf(item, name, half);
    const image = document.createElement("img");
    image.className = "leaf";
    image.dataset.index = index;
    image.alt = name;
    image.decoding = "async";
    image.draggable = false;
    image.addEventListener("load", () => this.learn(item, image));
    image.addEventListener("error", () => reader.warn(`“${name}” could not be shown.`, item.address));
    image.src = item.address;
    half.append(image);
    return { half };
  }

  framedLeaf(item, name, half) {
    const { reader } = this;
    const leaf = { half, width: 0, height: 0 };
    leaf.frame = new Frame(half, item.address, name, (type, facts) => {
      if (type === "ready") leaf.frame.send("settings", { settings: this.frameSettings() });
      else if (type === "size") {
        Object.assign(leaf, facts);
        this.arrange();
      } else if (type === "turned") reader.turn(facts.edge === "end" ? 1 : -1);
      else if (type !== "moved") reader.hear(type, facts, item.address);
    }, () => reader.warn("This page cannot be shown here.", item.address));
    leaf.element = leaf.frame.element;
    leaf.element.className = "leaf";
    leaf.element.dataset.index = item.index;
    return leaf;
  }

  // A drawing may show other files of the book, which browsers load in a frame but not in an img. Nothing in it runs, and
  // it gets no clicks.
  drawnLeaf(item, name, half) {
    const leaf = { half, element: document.createElement("iframe"), width: 0, height: 0 };
    leaf.element.setAttribute("sandbox", "");
    Object.assign(leaf.element, { className: "leaf still", title: name, tabIndex: -1, src: item.address });
    leaf.element.dataset.index = item.index;
    half.append(leaf.element);
    fetch(item.address, { credentials: "omit" }).then(answer => answer.text()).then(text => {
      const root = (/<svg\s[^>]*>/.exec(text.slice(0, 65536)) || [""])[0];
      const value = name => (new RegExp(`\\s${name}\\s*=\\s*["']\\s*([^"']*)`).exec(root) || ["", ""])[1];
      const box = value("viewBox").split(/[\s,]+/);
      const side = (name, at) => Number((/^[0-9.]+(?=(px)?$)/.exec(value(name)) || [box[at]])[0]) || 0;
      Object.assign(leaf, { width: side("width", 2), height: side("height", 3) });
      this.arrange();
    }).catch(() => {});
    return leaf;
  }

  frameSettings() { return this.reader.settings.forFrame({ fixed: true, rtl: this.reader.publication.isBackwards }); }

  // A picture that turns out to be wider than high is a spread by itself, unless the manifest gave it a side.
  learn(item, image) {
    if (item.isWide || item.side || image.naturalWidth <= image.naturalHeight) return;
    item.isWide = true;
    if (image.isConnected && this.indexes.length > 1) this.resize();
  }

  arrange() {
    const isWidth = this.isStrip || this.reader.settings.values.fit === "width";
    this.scroller.dataset.fit = isWidth ? "width" : "page";
    this.box.style.setProperty("--zoom", this.zoom);
    for (const { half, element, width, height } of this.leaves) {
      if (!(width > 0 && height > 0)) continue;
      const across = half.clientWidth / width;
      const scale = isWidth ? across : Math.min(across, half.clientHeight / height);
      const free = half.clientWidth - width * scale;
      const left = half.classList.contains("left") ? free : half.classList.contains("right") ? 0 : free / 2;
      element.style.width = `${width}px`;
      element.style.height = `${height}px`;
      element.style.transform = `translate(${left}px, ${isWidth ? 0 : (half.clientHeight - height * scale) / 2}px) scale(${scale})`;
      half.style.minHeight = isWidth ? `${height * scale}px` : "";
    }
  }

  preload() {
    const next = this.spreads[this.at + 1] || [];
    for (const index of next) {
      const item = this.reader.publication.items[index];
      if (item && item.kind === "image") new Image().src = item.address;
    }
  }

  canScroll() { return this.scroller.scrollWidth > this.scroller.clientWidth + 2; }

  turn(by) {
    const { scroller } = this;
    const bottom = scroller.scrollHeight - scroller.clientHeight;
    if (this.lastKey === " " && (by > 0 ? scroller.scrollTop < bottom - 2 : scroller.scrollTop > 2)) {
      scroller.scrollBy({ top: by * scroller.clientHeight * 0.9 });
      return;
    }
    const next = this.at + by;
    if (next >= 0 && next < this.spreads.length) this.showSpread(next, by > 0 ? "start" : "end");
    else this.reader.step(by > 0 ? Math.max(...this.indexes) : Math.min(...this.indexes), by);
  }

  // Pages have a size of their own, so + and − enlarge them instead of their text.
  key(key) {
    this.lastKey = key;
    const zoom = { "+": this.zoom * 1.25, "=": this.zoom * 1.25, "-": this.zoom / 1.25, 0: 1 }[key];
    if (zoom === undefined) return false;
    this.zoom = Math.min(5, Math.max(1, zoom));
    this.arrange();
    this.scroller.scrollLeft = (this.scroller.scrollWidth - this.scroller.clientWidth) / 2;
    return true;
  }

  go(target) {
    const at = target === "end" ? this.spreads.length - 1 : target === "start" ? 0 : this.at;
    if (at !== this.at) this.showSpread(at, "start");
  }

  update() {
    this.arrange();
    for (const { frame } of this.leaves) if (frame && frame.isReady) frame.send("settings", { settings: this.frameSettings() });
  }

  mark() { /* hits in fixed pages are not marked */ }

  resize() {
    const [index] = this.indexes;
    const old = JSON.stringify(this.spreads[this.at]);
    this.regroup();
    const at = this.spreads.findIndex(spread => spread.includes(index));
    if (JSON.stringify(this.spreads[at]) === old) {
      this.at = at;
      this.arrange();
    } else this.showSpread(at, "start");
  }

  close() {
    for (const { frame } of this.leaves) if (frame) frame.remove();
    this.leaves = [];
    if (this.scroller) this.scroller.remove();
    this.box = null;
  }
}
