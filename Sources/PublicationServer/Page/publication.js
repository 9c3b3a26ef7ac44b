// The manifest of the publication, its positions and its search.

import { base } from "./settings.js";

const number = value => (Number.isFinite(value) && value > 0 ? value : 0);
const list = value => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);

// A string of the manifest, which may be given in several languages.
function localized(value) {
  if (typeof value === "string") return value;
  if (!value || typeof value !== "object") return "";
  const texts = Object.entries(value).filter(([, text]) => typeof text === "string");
  const own = texts.find(([language]) => navigator.languages.some(wanted => wanted.startsWith(language)));
  return (own || texts[0] || ["", ""])[1];
}

async function json(address, signal) {
  const answer = await fetch(address, { signal, credentials: "omit", redirect: "error" });
  if (!answer.ok) throw new Error(`the server’s answer was ${answer.status}`);
  return answer.json();
}

// Addresses that differ only in how they are percent-encoded are the same.
function canonical(url) {
  try { return decodeURI(url.href); } catch { return url.href; }
}

export class Publication {
  static async load() {
    const publication = new Publication(await json(new URL("manifest.json", base)));
    await publication.loadPositions();
    return publication;
  }

  constructor(manifest) {
    this.metadata = manifest.metadata || {};
    const { metadata } = this;
    this.title = localized(metadata.title);
    this.authors = list(metadata.author).map(person => localized(person && person.name ? person.name : person)).filter(Boolean).join(", ");
    this.isBackwards = metadata.readingProgression === "rtl";
    this.presentation = metadata.presentation || {};
    this.items = list(manifest.readingOrder).filter(link => link && typeof link.href === "string" && this.address(link.href).href.startsWith(base))
      .map((link, index) => this.item(link, index));
    this.others = new Set(list(manifest.resources).filter(link => link && typeof link.href === "string").map(link => canonical(this.address(link.href))));
    this.byAddress = new Map();
    for (const item of [...this.items].reverse()) this.byAddress.set(canonical(new URL(item.address)), item.index);
    this.counts = this.items.map(() => 0);
    this.sum();
  }

  // The address of a resource without its fragment, by which resources are compared.
  address(href) {
    const url = new URL(href, base);
    url.hash = "";
    return url;
  }

  item(link, index) {
    const type = String(link.type || "").toLowerCase();
    const properties = link.properties || {};
    const isFixed = (properties.layout || this.metadata.layout || this.presentation.layout) === "fixed";
    const isText = /^(application\/xhtml\+xml|text\/html)/.test(type);
    const kind = type.startsWith("image/") ? "image" : type.startsWith("audio/") ? "sound" : !isText ? "document" : isFixed ? "page" : "text";
    return {
      index, kind, type, href: link.href, address: this.address(link.href).href, title: localized(link.title), duration: number(link.duration),
      isWide: number(link.width) > number(link.height) && number(link.height) > 0,
      side: ["left", "right", "center"].includes(properties.page) ? properties.page : null, spread: properties.spread || this.presentation.spread || "auto",
    };
  }

  // Where a link leads: an item of the reading order with a fragment, another resource of the publication, or elsewhere.
  // Only addresses below the publication's own path are inside.
  locate(href, from = base) {
    let url;
    try { url = new URL(href, from); } catch { return null; }
    const fragment = url.hash.slice(1);
    url.hash = "";
    url.search = url.search.replace(/([?&])~frame(?=&|$)/, "").replace(/^&/, "?");
    const index = this.byAddress.get(canonical(url));
    if (index !== undefined) return { index, fragment };
    if (url.origin === base.origin && url.pathname.startsWith(base.pathname)) return this.others.has(canonical(url)) ? { resource: url.href } : null;
    return /^(https?|mailto):$/.test(url.protocol) && url.origin !== base.origin ? { outside: url.href } : null;
  }

  async loadPositions() {
    try {
      const answer = await json(new URL("~readium/positions", base));
      const known = new Map();
      for (const { href } of list(answer.positions)) known.set(href, (known.get(href) || 0) + 1);
      this.counts = this.items.map(item => known.get(item.href) || 0);
    } catch { /* places are chapters then */ }
    this.sum();
  }

  sum() {
    this.starts = [];
    this.total = 0;
    for (const count of this.counts) {
      this.starts.push(this.total);
      this.total += count;
    }
  }

  // The position of a place, from 1; 0 if there is none.
  position(index, progression) {
    const count = this.counts[index];
    return count ? this.starts[index] + Math.min(count - 1, Math.floor(progression * count + 0.001)) + 1 : 0;
  }

  // The place of a position.
  place(position) {
    const wanted = Math.min(this.total, Math.max(1, position)) - 1;
    let index = this.counts.length - 1;
    while (index > 0 && (this.counts[index] === 0 || this.starts[index] > wanted)) index -= 1;
    return { index, progression: (wanted - this.starts[index]) / Math.max(1, this.counts[index]) };
  }

  // One page of hits and the address of the next one.
  async search(query, next, signal) {
    const services = new URL("~readium/", base);
    const address = next || new URL(`search?query=${encodeURIComponent(query)}`, services).href;
    const answer = await json(address, signal);
    const link = list(answer.links).find(candidate => list(candidate.rel).includes("next"));
    const following = link && new URL(link.href, base).href;
    const hits = list(answer.locators).map(locator => this.hit(locator)).filter(Boolean);
    return { hits, next: following && following.startsWith(services.href) && following !== address ? following : null };
  }

  hit(locator) {
    const place = locator && typeof locator.href === "string" && this.locate(locator.href);
    if (!place || place.index === undefined) return null;
    const { locations = {}, text = {} } = locator;
    const part = value => (typeof value === "string" ? value.slice(0, 1000) : "");
    return {
      index: place.index, progression: number(locations.progression), position: number(locations.position), title: localized(locator.title),
      fragment: list(locations.fragments)[0] || "",
      text: { before: part(text.before), highlight: part(text.highlight), after: part(text.after) },
    };
  }
}
