// A chapter in a sandboxed frame. Anything inside may send messages, so each one is checked first:
// its sender, its type, the type and bounds of each member, and how many come in a second.

const isNumber = (value, low, high) => typeof value === "number" && value >= low && value <= high;
const isCount = (value, high) => Number.isInteger(value) && value >= 0 && value <= high;
const keys = new Set(" ,ArrowLeft,ArrowRight,PageUp,PageDown,Home,End,Escape,?,/,t,s,m,+,-,=,0".split(","));

// What a frame may say, as the members that the page reads; anything else is dropped.
const messages = {
  ready: () => ({}),
  here: () => ({}),
  size: ({ width, height }) => isNumber(width, 1, 20000) && isNumber(height, 1, 20000) && { width, height },
  moved: ({ progression, page, pages, atStart, atEnd }) => isNumber(progression, 0, 1) && isCount(page, 1e6) && isCount(pages, 1e6) && pages > page
    && typeof atStart === "boolean" && typeof atEnd === "boolean" && { progression, page, pages, atStart, atEnd },
  link: ({ href }) => typeof href === "string" && href.length <= 4096 && { href },
  key: ({ key, shift }) => typeof key === "string" && keys.has(key) && { key, shift: shift === true },
  tap: ({ x }) => ["left", "middle", "right"].includes(x) && { x },
  turned: ({ edge }) => ["start", "end"].includes(edge) && { edge },
};
const perSecond = 240;
// Milliseconds: for a chapter to arrive before anyone asks why it doesn't, and for its script to answer.
const patience = { arrival: 4000, answer: 2500 };

const frames = new Map();

addEventListener("message", event => {
  const frame = frames.get(event.source);
  const { data } = event;
  if (!frame || event.origin !== "null" || typeof data !== "object" || data === null || data.carrel !== 1) return;
  if (typeof data.type !== "string" || !Object.hasOwn(messages, data.type) || !frame.maySpeak()) return;
  const facts = messages[data.type](data);
  if (facts) frame.hear(data.type, facts);
});

// The address of a chapter with the page's script in it.
export function framed(address) {
  const url = new URL(address);
  url.search = url.search ? `${url.search}&~frame` : "?~frame";
  return url.href;
}

export class Frame {
  // Calls handler(type, facts) for each message, and silent() if what the frame loaded has no script of ours: a chapter that
  // cannot be sent or parsed, or one that led its frame elsewhere. It may come after all, and speaks then.
  constructor(parent, address, title, handler, silent) {
    this.handler = handler;
    this.silent = silent;
    this.isReady = false;
    this.allowed = perSecond;
    this.second = 0;
    this.element = document.createElement("iframe");
    const { element } = this;
    element.setAttribute("sandbox", "allow-scripts");
    element.setAttribute("referrerpolicy", "no-referrer");
    element.title = title;
    element.addEventListener("load", () => {
      this.rest();
      this.send("ask", {});
      this.timer = setTimeout(() => this.lose(), patience.answer);
    });
    element.src = framed(address);
    this.timer = setTimeout(() => this.inquire(), patience.arrival);
    parent.append(element);
    this.window = element.contentWindow;
    frames.set(this.window, this);
  }

  maySpeak() {
    const now = Math.floor(performance.now() / 1000);
    if (now !== this.second) [this.second, this.allowed] = [now, perSecond];
    this.allowed -= 1;
    return this.allowed >= 0;
  }

  hear(type, facts) {
    if (type === "ready") this.isReady = true;
    if (type === "here") {
      this.rest();
      this.element.inert = false;
    } else if (this.isReady) this.handler(type, facts);
  }

  // Chromium says nothing of a frame whose answer broke off, not even that it has loaded. So the same is asked for once more,
  // to see whether it has an end; a slow one is waited for meanwhile.
  async inquire() {
    const { signal } = this.inquiry = new AbortController();
    try {
      const answer = await fetch(this.element.src, { signal, cache: "no-store", credentials: "omit", redirect: "error" });
      if (answer.ok) await answer.body.pipeTo(new WritableStream());
    } catch { /* it will not come */ }
    if (!signal.aborted) this.timer = setTimeout(() => this.lose(), patience.answer);
  }

  // The frame is there, or gone: nothing is waited for any more.
  rest() {
    clearTimeout(this.timer);
    this.inquiry?.abort();
  }

  // Without our script keys would be lost in the frame, so that it never gets the focus.
  lose() {
    this.element.inert = true;
    this.silent();
  }

  // Whether the page's script is in the frame, as far as is known.
  get isAlive() { return this.isReady && !this.element.inert; }

  // The frame has no origin that could be named; nothing secret is sent.
  send(type, facts) { this.window.postMessage({ carrel: 1, type, ...facts }, "*"); }

  remove() {
    this.rest();
    frames.delete(this.window);
    this.element.remove();
  }
}
