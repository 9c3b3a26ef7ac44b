// Where the reader is, kept in the browser and, if the server keeps places, there too.
//
// The server has a Readium locator at ~carrel/place. Its member "modified", which no locator has otherwise, is the time at
// which the reader came to the place, by this device's clock; the browser keeps the same time. When the page opens, the
// later one of the two counts. Whoever turned a page last wins, so devices whose clocks are far apart may mix up the two.

import { base, storePlace, storedPlace } from "./settings.js";

const address = new URL("~carrel/place", base);
const isKept = document.documentElement.dataset.places === "kept";
// Not longer than a reader would wait for a page; and not more often than a recording, which moves each second, needs.
const [patience, pause] = [3000, 5000];

const time = value => (typeof value === "string" && Date.parse(value)) || 0;

export class Places {
  // In place of a storage that the browser does not have.
  own = null;
  // What the server has, as far as is known here.
  sent = "";
  timer = null;

  // Asks the server. Without an answer, the browser's place is the one.
  async ask() {
    if (!isKept) return;
    try {
      const answer = await fetch(address, { credentials: "same-origin", cache: "no-store", redirect: "error", signal: AbortSignal.timeout(patience) });
      if (answer.status === 200) this.locator = await answer.json();
      this.isAnswered = answer.ok;
    } catch { /* no network, or nothing that could be read */ }
  }

  // Chooses between the server's place and the browser's.
  settle(publication) {
    this.publication = publication;
    const place = this.found(this.locator);
    if (!place || time(this.locator.modified) <= time(this.stored()?.modified)) return;
    this.store({ ...place, modified: this.locator.modified });
    this.sent = this.key(place);
  }

  // The place of a locator, if the publication has it.
  found(locator) {
    const place = locator && typeof locator.href === "string" && this.publication.locate(locator.href);
    if (!place || place.index === undefined) return null;
    const progression = locator.locations?.progression;
    return { index: place.index, href: this.publication.items[place.index].href, progression: progression >= 0 && progression <= 1 ? progression : 0 };
  }

  stored() { return storedPlace() || this.own; }

  store(place) {
    this.own = place;
    storePlace(place);
  }

  // Keeps where the reader is. A place that is kept already keeps its time: a page that only closes is no later than one
  // that was turned elsewhere meanwhile.
  keep(place, title) {
    const stored = this.stored();
    const isNew = !stored || this.key(stored) !== this.key(place);
    if (isNew) this.store({ ...place, modified: new Date().toISOString() });
    else this.own = stored;
    // The server may have a later place that could not be asked for: only a turned page replaces it.
    if (isKept && !this.isAnswered) [this.isAnswered, this.sent] = [true, this.key(place)];
    if (!isKept || this.key(place) === this.sent) return;
    this.title = title;
    this.timer ??= setTimeout(() => this.send(), pause);
  }

  // Sends the place that is kept here, if the server does not have it. The request goes on when the page is closed.
  send() {
    clearTimeout(this.timer);
    this.timer = null;
    const place = this.own;
    if (!isKept || !place || this.key(place) === this.sent) return;
    const key = this.key(place);
    this.sent = key;
    const body = JSON.stringify(this.described(place));
    fetch(address, {
      method: "PUT", body, headers: { "Content-Type": "application/json", "X-Carrel": "1" }, keepalive: true, credentials: "same-origin", redirect: "error",
    }).then(answer => answer.ok).catch(() => false).then(isThere => {
      // The next place that is kept takes this one along.
      if (!isThere && this.sent === key) this.sent = "";
    });
  }

  key({ href, progression }) { return `${progression} ${href}`; }

  described({ index, href, progression, modified }) {
    const { items, starts, counts, total } = this.publication;
    const locations = { progression };
    const position = this.publication.position(index, progression);
    if (position) Object.assign(locations, { position, totalProgression: (starts[index] + progression * counts[index]) / total });
    return { href, type: items[index].type || "application/octet-stream", title: this.title || undefined, locations, modified };
  }
}
