// The search of the documentation. It loads the index with the first key, and
// asks no server but its own.
import MiniSearch from "./minisearch.js";

const form = document.querySelector("form[role=search]");
const input = document.getElementById("query");
const found = document.getElementById("found");
form.hidden = false;

let index;
async function load() {
  const reply = await fetch("/docs/search.json");
  const pages = await reply.json();
  const search = new MiniSearch({
    fields: ["title", "summary", "text"],
    processTerm: (word) => (word.length > 2 ? word.toLowerCase() : null),
    storeFields: ["title", "summary"],
    searchOptions: { boost: { title: 4, summary: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
  });
  search.addAll(pages);
  return search;
}

async function show() {
  const query = input.value.trim();
  if (query === "") {
    found.replaceChildren();
    return;
  }
  index ??= load();
  const search = await index;
  if (query !== input.value.trim()) return;
  const rows = search.search(query).slice(0, 8).map((hit) => {
    const row = document.createElement("li");
    const link = document.createElement("a");
    link.href = hit.id;
    link.textContent = hit.title;
    const about = document.createElement("span");
    about.textContent = hit.summary;
    row.append(link, about);
    return row;
  });
  if (rows.length === 0) {
    const none = document.createElement("li");
    none.textContent = "No page has these words.";
    rows.push(none);
  }
  found.replaceChildren(...rows);
}

input.addEventListener("input", show);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  found.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    input.focus();
  } else if (event.key === "Escape") {
    input.value = "";
    found.replaceChildren();
  }
});

// The language that a reader chooses is that of every page.
const choose = (language) => {
  for (const tab of document.querySelectorAll(`.tabs input[value="${language}"]`)) tab.checked = true;
};
choose(localStorage.getItem("language") ?? "sh");
document.addEventListener("change", (event) => {
  if (!event.target.matches(".tabs input")) return;
  localStorage.setItem("language", event.target.value);
  choose(event.target.value);
});
