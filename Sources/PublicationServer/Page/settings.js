// What the reader chose and where they were, kept in the browser, and the rules of style that follow from the choices.

export const base = new URL(document.documentElement.dataset.base || ".", location.href);

const choices = {
  theme: ["system", "light", "sepia", "dark"], fontFamily: ["book", "serif", "sans", "legible"], lineHeight: [0, 1.3, 1.6, 2],
  margin: [0, 1, 2], flow: ["paginated", "scrolled"], columns: ["auto", "1", "2"], fit: ["page", "width"],
};
const standard = {
  theme: "system", fontFamily: "book", fontSize: 120, lineHeight: 0, margin: 1, flow: "paginated", columns: "auto", fit: "page", speed: 1,
};
const [smallest, largest] = [70, 250];

function read(key) {
  try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
}

function write(key, value) {
  try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* no storage, or full: nothing is remembered */ }
}

// Only values that the page itself could have stored.
function checked(stored) {
  const settings = { ...standard };
  if (!stored || typeof stored !== "object") return settings;
  for (const [name, values] of Object.entries(choices)) if (values.includes(stored[name])) settings[name] = stored[name];
  if (stored.fontSize >= smallest && stored.fontSize <= largest) settings.fontSize = Math.round(stored.fontSize);
  if (stored.speed >= 0.5 && stored.speed <= 3) settings.speed = stored.speed;
  return settings;
}

const isDark = matchMedia("(prefers-color-scheme: dark)");

export class Settings extends EventTarget {
  values = checked(read("carrel:settings"));

  constructor() {
    super();
    this.apply();
    isDark.addEventListener("change", () => this.announce());
    addEventListener("storage", event => {
      if (event.key !== "carrel:settings") return;
      this.values = checked(read("carrel:settings"));
      this.announce();
    });
  }

  // The colours that are shown, whatever the system says.
  get theme() { return this.values.theme === "system" ? (isDark.matches ? "dark" : "light") : this.values.theme; }

  set(changes) {
    this.values = checked({ ...this.values, ...changes });
    write("carrel:settings", this.values);
    this.announce();
  }

  reset() { this.set({ ...standard, speed: this.values.speed }); }

  resize(by) { this.set({ fontSize: by === 0 ? standard.fontSize : Math.min(largest, Math.max(smallest, this.values.fontSize + by)) }); }

  nextTheme() {
    const themes = ["light", "sepia", "dark"];
    this.set({ theme: themes[(themes.indexOf(this.theme) + 1) % 3] });
  }

  apply() { document.documentElement.dataset.theme = this.theme; }

  announce() {
    this.apply();
    this.dispatchEvent(new Event("change"));
  }

  // For chapters: frame.js says how each member is used.
  forFrame(more) {
    const { fontSize, columns, margin, flow } = this.values;
    return { paged: flow === "paginated", columns, margin, size: fontSize / 100, css: styles(this.values, this.theme), ...more };
  }
}

const place = `carrel:place:${base.pathname}`;
export const storedPlace = () => read(place);
export const storePlace = value => write(place, value);

const papers = {
  light: ["#fdfcfa", "#211f1c", "#1d5f8a"], sepia: ["#f5edda", "#41352a", "#7a4a12"], dark: ["#17191c", "#d3d0c9", "#86bce0"],
};
const fonts = {
  serif: '"Iowan Old Style","Palatino Linotype",Palatino,"Source Serif 4",Georgia,"Liberation Serif",serif',
  sans: 'system-ui,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",Arial,sans-serif',
  legible: '"Atkinson Hyperlegible Next","Atkinson Hyperlegible",Lexend,Verdana,"DejaVu Sans",sans-serif',
};

// Rules for a chapter: those for all, and those for pages, one long text, upright lines and fixed pages. The properties
// --c-… are set in the frame.
function styles({ fontFamily, lineHeight }, theme) {
  const [paper, ink, link] = papers[theme];
  const tall = "calc((var(--c-height) - 2*var(--c-top))/var(--c-size) - 2px)";
  const basic = `:where(html){font-family:${fonts.serif};line-height:1.6;color:${ink}}
    ::highlight(carrel){background:#ffd866;color:#1c1a17}`;
  const text = `html{box-sizing:border-box!important;margin:0!important;min-width:0!important;max-width:none!important;width:auto!important;
      min-height:0!important;position:static!important;-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{zoom:var(--c-size);box-sizing:border-box!important;position:static!important;float:none!important;width:auto!important;
      max-width:none!important;min-width:0!important;height:auto!important;min-height:0!important;max-height:none!important;
      overflow:visible!important;columns:auto!important;overflow-wrap:break-word;orphans:2;widows:2}
    img,svg,video,canvas,object{max-width:100%!important;max-height:${tall}!important;box-sizing:border-box;object-fit:contain;break-inside:avoid}
    pre,code{white-space:pre-wrap!important}
    h1,h2,h3,h4,h5,h6{break-after:avoid}
    figure,tr{break-inside:avoid}
    :focus-visible{outline:3px solid ${link}!important;outline-offset:2px}`;
  const coloured = theme === "light" ? "" : `html{background:${paper}!important;color:${ink}!important;color-scheme:${theme === "dark" ? "dark" : "light"}}
    body,body *:not(svg *){color:inherit!important;background-color:transparent!important;border-color:color-mix(in srgb,currentColor 35%,transparent)!important;text-shadow:none!important}
    body a[href],body a[href] *{color:${link}!important}`;
  const family = fonts[fontFamily] ? `body,body *:not(pre,code,kbd,samp,math,math *,svg *){font-family:${fonts[fontFamily]}!important}` : "";
  const height = lineHeight ? `body,body *:not(svg *,math *,sub,sup){line-height:${lineHeight}!important}` : "";
  const chosen = text + coloured + family + height;
  return {
    all: basic,
    fixed: "html,body{margin:0!important;overflow:hidden!important;touch-action:pinch-zoom}",
    paged: `${chosen}
      html{height:var(--c-height)!important;max-height:none!important;padding:var(--c-top) var(--c-margin)!important;overflow:hidden!important;
        touch-action:pinch-zoom;column-count:var(--c-columns)!important;column-width:auto!important;column-gap:calc(2*var(--c-margin))!important;
        column-rule:none!important;column-fill:auto!important;direction:var(--c-direction)!important}
      body{margin:0!important;padding:0!important}`,
    scrolled: `${chosen}
      html{height:auto!important;max-height:none!important;overflow:hidden auto!important;padding:0!important}
      body{margin:0!important;padding:calc(2*var(--c-top)/var(--c-size)) calc(var(--c-margin)/var(--c-size))!important}`,
    vertical: `${chosen}
      html{height:var(--c-height)!important;overflow:auto hidden!important;padding:0!important}
      body{margin:0!important;padding:calc(var(--c-top)/var(--c-size))!important;height:calc(var(--c-height)/var(--c-size))!important}`,
  };
}
