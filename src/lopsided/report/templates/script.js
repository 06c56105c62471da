"use strict";

function keyOf(row, column) {
  const cell = row.cells[column];
  if ("value" in cell.dataset) return Number(cell.dataset.value);
  const text = cell.textContent.trim();
  if (!cell.classList.contains("number")) return text;
  const value = text ? Number(text.replaceAll(",", "").replace("\u2212", "-")) : NaN;
  return Number.isNaN(value) ? text : value;
}

// Numbers before words: a cell without a number is a dash, and stays at the end, as a blank one.
function compare(one, two, direction) {
  if ((one === "") !== (two === "")) return one === "" ? 1 : -1;
  if (typeof one !== typeof two) return typeof one === "number" ? -1 : 1;
  if (typeof one === "number") return direction * (one - two);
  return direction * one.localeCompare(two);
}

function sortBy(header) {
  const table = header.closest("table");
  const column = header.cellIndex;
  const rows = Array.from(table.tBodies[0].rows);
  const numbers = rows.some((row) => typeof keyOf(row, column) === "number");
  const first = numbers ? "descending" : "ascending";
  const other = numbers ? "ascending" : "descending";
  const order = header.getAttribute("aria-sort") === first ? other : first;
  const direction = order === "ascending" ? 1 : -1;
  const keyed = rows.map((row) => [keyOf(row, column), row]);
  keyed.sort((a, b) => compare(a[0], b[0], direction));
  for (const cell of header.parentNode.cells) cell.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", order);
  table.tBodies[0].append(...keyed.map((pair) => pair[1]));
  table.dispatchEvent(new Event("sorted"));
}

// What is folded on a screen is open on paper.
function unfold() {
  for (const part of document.querySelectorAll("details:not([open])")) {
    part.open = true;
    part.dataset.folded = "";
  }
}

function fold() {
  for (const part of document.querySelectorAll("details[data-folded]")) {
    part.open = false;
    delete part.dataset.folded;
  }
}

// All files of a disk may share one storage, so the name is our own.
const THEME = "lopsided-theme";

// Storage may be forbidden, as for files on some disks: the theme is then forgotten.
function remember(theme) {
  try { localStorage.setItem(THEME, theme); } catch { /* forgotten */ }
}

function recall() {
  try { return localStorage.getItem(THEME); } catch { return null; }
}

function switchTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const now = root.dataset.theme || system;
  root.dataset.theme = now === "dark" ? "light" : "dark";
  remember(root.dataset.theme);
}

// Before anything is drawn, so that no page flashes in the other theme.
const root = document.documentElement;
const known = recall();
if (known === "light" || known === "dark") root.dataset.theme = known;

document.addEventListener("DOMContentLoaded", () => {
  document.getElementById("theme").addEventListener("click", switchTheme);
  for (const button of document.querySelectorAll("thead button")) {
    button.addEventListener("click", () => sortBy(button.closest("th")));
  }
  addEventListener("beforeprint", unfold);
  addEventListener("afterprint", fold);
});
