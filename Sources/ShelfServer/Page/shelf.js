// What the pages of a shelf can do with a script: suggestions while someone types, and keys. Without it, all links and forms work.

const all = selector => [...document.querySelectorAll(selector)];
const query = document.getElementById("query");
const suggestions = document.getElementById("suggestions");
const status = document.getElementById("suggestions-status");

// Suggestions: the server's list of links for what was typed. An answer to older text is dropped.

let waiting, asked;

function closeSuggestions() {
  clearTimeout(waiting);
  asked?.abort();
  suggestions.hidden = true;
  suggestions.replaceChildren();
  status.textContent = "";
}

async function suggest() {
  const text = query.value.trim();
  asked?.abort();
  if (text.length < 2) return closeSuggestions();
  asked = new AbortController();
  const { signal } = asked;
  try {
    const answer = await fetch(`${suggestions.dataset.source}?query=${encodeURIComponent(text)}`, { signal });
    if (!answer.ok || answer.redirected) return closeSuggestions();
    const list = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("ul");
    if (signal.aborted) return;
    const count = list ? list.querySelectorAll("a").length : 0;
    suggestions.replaceChildren(...(count ? [document.adoptNode(list)] : []));
    suggestions.hidden = count === 0;
    status.textContent = count === 0 ? "No suggestions" : count === 1 ? "1 suggestion" : `${count} suggestions`;
  } catch (error) {
    // Without suggestions, the form still searches.
    if (error.name !== "AbortError") closeSuggestions();
  }
}

if (query) {
  query.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(suggest, 150);
  });
  query.form.addEventListener("submit", closeSuggestions);
  query.form.addEventListener("focusout", event => {
    if (!query.form.contains(event.relatedTarget)) closeSuggestions();
  });
  query.form.addEventListener("keydown", event => {
    const links = all("#suggestions a");
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && !suggestions.hidden) {
      event.preventDefault();
      query.focus();
      closeSuggestions();
    } else if (by && links.length) {
      event.preventDefault();
      // The field itself is in front of the first link.
      const at = links.indexOf(document.activeElement) + by;
      (links[Math.min(at, links.length - 1)] ?? query).focus();
    }
  });
}

// Covers: one that can't be loaded gives way to the made one below it.

for (const picture of all(".made + img")) {
  const check = () => { if (picture.complete && !picture.naturalWidth) picture.remove(); };
  picture.addEventListener("error", check);
  check();
}

// Filters: a click elsewhere or Escape closes them.

document.addEventListener("click", event => {
  for (const filter of all(".filters details[open]")) if (!filter.contains(event.target)) filter.open = false;
});

// Keys: / searches; arrows lead from book to book.

function neighbour(link, key) {
  const links = [...link.closest(".grid").querySelectorAll(".book > a")];
  const at = links.indexOf(link);
  const isBackwards = getComputedStyle(link).direction === "rtl";
  if (key === "ArrowRight" || key === "ArrowLeft") return links[at + ((key === "ArrowRight") === isBackwards ? -1 : 1)];
  const columns = links.filter(other => other.offsetTop === links[0].offsetTop).length;
  return links[at + (key === "ArrowDown" ? columns : -columns)];
}

document.addEventListener("keydown", event => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const { target, key } = event;
  if (target.matches?.("input, select, textarea")) return;
  const filter = document.querySelector(".filters details[open]");
  if (key === "Escape" && filter) {
    filter.open = false;
    filter.querySelector("summary").focus();
  } else if (key === "/" && query) {
    event.preventDefault();
    query.focus();
    query.select();
  } else if (/^Arrow(Left|Right|Up|Down)$/.test(key) && target.matches?.(".grid .book > a")) {
    const other = neighbour(target, key);
    if (!other) return;
    event.preventDefault();
    other.focus();
  }
});

document.documentElement.classList.add("scripted");
