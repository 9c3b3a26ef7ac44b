// The panels: contents, search, text and colours, keys, and the question before a link leaves the book.

const element = id => document.getElementById(id);
const names = ["contents", "search", "settings", "help", "leave"];

function make(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export class Panels {
  constructor(reader) {
    this.reader = reader;
    for (const name of names) {
      const panel = element(`${name}-panel`);
      const opener = element(`open-${name}`);
      // A panel that was opened by a key gives the focus back to where it was; after a pointer the text has it, so that
      // the keys turn pages.
      if (opener) opener.addEventListener("click", event => this.open(name, event.detail > 0));
      panel.addEventListener("close", () => { if (this.isByPointer) reader.focus(); });
      panel.querySelector(".close").addEventListener("click", () => panel.close());
      // A click beside a panel closes it.
      panel.addEventListener("click", event => { if (event.target === panel) panel.close(); });
    }
    this.contents = new ContentsPanel(reader, this);
    this.search = new SearchPanel(reader, this);
    this.settings = new SettingsPanel(reader);
    element("leave-panel").querySelector(".cancel").addEventListener("click", () => element("leave-panel").close());
    element("leave-link").addEventListener("click", () => element("leave-panel").close());
  }

  get isOpen() { return names.some(name => element(`${name}-panel`).open); }

  open(name, isByPointer = false) {
    if (this.isOpen) return;
    this.isByPointer = isByPointer;
    element(`${name}-panel`).showModal();
    if (name === "contents") this.contents.showCurrent();
    if (name === "search") element("query").select();
  }

  close() { for (const name of names) element(`${name}-panel`).close(); }

  // Asks before a link is followed that leads out of the reading order. The reader sees the whole address.
  askToLeave(address, isOutside) {
    if (this.isOpen) return;
    element("leave-heading").textContent = isOutside ? "Leave the book?" : "Open this by itself?";
    element("leave-text").textContent = isOutside ? "This link leads to another site:" : "This link leads to a part of the book that has no place in its order:";
    element("leave-address").textContent = isOutside ? address : new URL(address).pathname.split("/").pop();
    element("leave-link").href = address;
    element("leave-panel").showModal();
    element("leave-panel").querySelector(".cancel").focus();
  }
}

class ContentsPanel {
  constructor(reader, panels) {
    this.reader = reader;
    this.contents = element("contents");
    this.entries = [...this.contents.querySelectorAll("a")].map(link => ({ link, place: reader.publication.locate(link.getAttribute("href")) }));
    this.contents.addEventListener("click", event => {
      const link = event.target.closest("a");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      panels.close();
      reader.follow(link.getAttribute("href"));
    });
    element("go-form").addEventListener("submit", () => {
      const page = Number(element("go-page").value);
      if (page >= 1) reader.jump(reader.publication.place(page), page);
    });
    element("go-form").hidden = reader.publication.total < 2;
    element("go-page").max = reader.publication.total;
    element("to-title").addEventListener("click", () => {
      panels.close();
      reader.showTitlePage();
    });
  }

  // While reading, the contents are in the panel; they are one list for all.
  moveTo(place) { element(place).append(this.contents); }

  titleOf(index) {
    const entry = this.entries.find(({ place }) => place && place.index === index);
    return entry ? entry.link.textContent : "";
  }

  showCurrent() {
    const { index } = this.reader.place;
    let current = null;
    for (const entry of this.entries) {
      entry.link.removeAttribute("aria-current");
      const at = entry.place ? entry.place.index : undefined;
      if (at !== undefined && at <= index && (!current || at > current.place.index)) current = entry;
    }
    if (!current) return;
    current.link.setAttribute("aria-current", "true");
    current.link.scrollIntoView({ block: "center" });
    current.link.focus();
  }
}

class SearchPanel {
  constructor(reader, panels) {
    this.reader = reader;
    this.panels = panels;
    this.hits = [];
    element("search-form").addEventListener("submit", event => {
      event.preventDefault();
      this.start(element("query").value.trim());
    });
    // Browsers clear the field first.
    element("query").addEventListener("keydown", event => { if (event.key === "Escape") element("search-panel").close(); });
    element("more-hits").addEventListener("click", () => this.more());
  }

  start(query) {
    if (this.request) this.request.abort();
    this.hits = [];
    this.next = null;
    this.query = query;
    element("hits").replaceChildren();
    element("search-status").textContent = "";
    this.reader.mark();
    if (query) this.more();
  }

  // Pages of the search until there is enough for the panel. A chapter's hits come as soon as it was read.
  async more() {
    const { reader } = this;
    const request = this.request = new AbortController();
    const wanted = this.hits.length + 40;
    const focused = document.activeElement === element("more-hits");
    element("more-hits").hidden = true;
    element("search-status").textContent = "Searching…";
    try {
      do {
        const { hits, next } = await reader.publication.search(this.query, this.next, request.signal);
        const first = this.hits.length;
        this.hits.push(...hits);
        this.next = next;
        hits.forEach((hit, at) => this.add(hit, focused && at === 0 && first === wanted - 40));
      } while (this.next && this.hits.length < wanted);
      const count = this.hits.length;
      element("search-status").textContent = count === 0 ? "Nothing was found." : `${count}${this.next ? " or more" : ""} result${count === 1 && !this.next ? "" : "s"}`;
      element("more-hits").hidden = !this.next;
      reader.mark();
    } catch (error) {
      if (error.name !== "AbortError") element("search-status").textContent = `The search failed (${error.message}).`;
    }
  }

  add(hit, takesFocus) {
    const { reader } = this;
    const { before, highlight, after } = hit.text;
    const where = [hit.title || reader.titleOf(hit.index), hit.position ? `Page ${hit.position}` : ""].filter(Boolean).join(" · ");
    const link = make("a", { href: reader.publication.items[hit.index].address }, make("span", { className: "where" }, where),
      make("span", { dir: "auto" }, before && "…", before, make("mark", {}, highlight), after, after && "…"));
    link.addEventListener("click", event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.panels.close();
      reader.jump({ index: hit.index, text: hit.text, progression: hit.progression, fragment: hit.fragment }, hit.position);
    });
    element("hits").append(make("li", {}, link));
    if (takesFocus) link.focus();
  }

  // What is marked in a chapter; a frame would look for more than this too long.
  hitsIn(index) {
    return this.hits.filter(hit => hit.index === index).slice(0, 100).map(({ text, progression }) => ({ text, progression }));
  }
}

// The settings: name, title, values with their titles, and what they are for.
const fields = [
  ["theme", "Colours", [["system", "System"], ["light", "Light"], ["sepia", "Sepia"], ["dark", "Dark"]], ""],
  ["fontFamily", "Font", [["book", "Book’s"], ["serif", "Serif"], ["sans", "Sans"], ["legible", "Legible"]], "for-text"],
  ["fontSize", "Size", null, "for-text"],
  ["lineHeight", "Line height", [[0, "Book’s"], [1.3, "Tight"], [1.6, "Normal"], [2, "Wide"]], "for-text"],
  ["margin", "Margins", [[0, "Narrow"], [1, "Normal"], [2, "Wide"]], "for-text"],
  ["flow", "Layout", [["paginated", "Pages"], ["scrolled", "Scroll"]], "for-text"],
  ["columns", "Columns", [["auto", "Automatic"], [1, "One"], [2, "Two"]], "for-text"],
  ["fit", "Fit", [["page", "Whole page"], ["width", "Width"]], "for-pages"],
];

class SettingsPanel {
  constructor(reader) {
    this.form = element("settings");
    this.settings = reader.settings;
    this.form.prepend(...fields.map(([name, title, options, kind]) => options ? this.choice(name, title, options, kind) : this.size(name, title, kind)));
    this.form.addEventListener("input", event => {
      const { name, value } = event.target;
      const isNumber = ["fontSize", "lineHeight", "margin"].includes(name);
      this.settings.set({ [name]: isNumber ? Number(value) : value });
    });
    this.form.addEventListener("submit", event => event.preventDefault());
    element("reset").addEventListener("click", () => this.settings.reset());
    this.settings.addEventListener("change", () => this.show());
    this.show();
  }

  choice(name, title, options, kind) {
    const group = make("fieldset", { className: `choices ${kind}` }, make("legend", {}, title));
    for (const [value, text] of options) {
      group.append(make("label", {}, make("input", { type: "radio", name, value }), make("span", { className: `${name}-${value}` }, text)));
    }
    return group;
  }

  size(name, title, kind) {
    return make("label", { className: `row ${kind}` }, make("span", {}, title), make("input", { type: "range", name, min: 70, max: 250, step: 10 }), make("output", {}));
  }

  show() {
    for (const [name, value] of Object.entries(this.settings.values)) {
      const field = this.form.elements.namedItem(name);
      if (field) field.value = String(value);
    }
    this.form.querySelector("output").textContent = `${this.settings.values.fontSize} %`;
  }
}
