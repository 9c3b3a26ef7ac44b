// Reflowable text: one chapter at a time in a frame, cut into pages or scrolled.

import { Frame } from "./frames.js";

export class ChapterView {
  name = "text";

  constructor(reader) {
    this.reader = reader;
    // Chapters that stay on the screen until the next one is laid out.
    this.leaving = [];
  }

  open(index, target, hasFocus) {
    const { reader } = this;
    const item = reader.publication.items[index];
    this.target = target;
    if (this.frame && this.index === index && !this.frame.element.inert) {
      this.frame.send("go", { to: target });
      if (hasFocus) this.frame.element.focus();
      return;
    }
    const old = this.frame;
    const keepsFocus = hasFocus || (old && document.activeElement === old.element);
    if (old) {
      old.element.removeAttribute("id");
      this.leaving.push(old);
    }
    this.index = index;
    const title = item.title || reader.titleOf(index) || reader.publication.title;
    const frame = this.frame = new Frame(reader.stage, item.address, title, (type, facts) => {
      if (frame === this.frame || type === "key") this.hear(type, facts);
    }, () => frame === this.frame && this.giveUp(item));
    const { element } = frame;
    element.id = "chapter";
    element.className = "chapter waiting";
    this.whenShown = () => {
      element.classList.remove("waiting");
      for (const one of this.leaving.splice(0)) {
        one.element.classList.add("waiting");
        // A key that is still on its way to the old chapter must find it.
        setTimeout(() => one.remove(), 400);
      }
      if (keepsFocus) element.focus();
    };
  }

  hear(type, facts) {
    const { reader, frame } = this;
    if (type === "ready") {
      frame.send("settings", { settings: reader.settings.forFrame({ fixed: false }) });
      frame.send("highlight", { hits: reader.hitsIn(this.index) });
      frame.send("go", { to: this.target });
    } else if (type === "moved") {
      this.show();
      reader.moved({ index: this.index, ...facts });
    } else if (type === "turned") reader.step(this.index, facts.edge === "end" ? 1 : -1);
    else reader.hear(type, facts, reader.publication.items[this.index].address);
  }

  show() {
    if (this.whenShown) this.whenShown();
    this.whenShown = null;
  }

  giveUp(item) {
    this.show();
    this.reader.moved({ index: this.index, progression: 0, page: 0, pages: 1, atStart: true, atEnd: true });
    this.reader.warn("This chapter cannot be shown here.", item.address, true);
  }

  turn(by) {
    if (this.frame && this.frame.isAlive) this.frame.send("turn", { by });
    else this.reader.step(this.index, by);
  }

  go(target) { if (this.frame) this.frame.send("go", { to: target }); }
  update() { if (this.frame && this.frame.isReady) this.frame.send("settings", { settings: this.reader.settings.forFrame({ fixed: false }) }); }
  mark() { if (this.frame && this.frame.isReady) this.frame.send("highlight", { hits: this.reader.hitsIn(this.index) }); }
  resize() { /* the frame hears of it by itself */ }

  close() {
    this.show();
    if (this.frame) this.frame.remove();
    this.frame = null;
  }
}
