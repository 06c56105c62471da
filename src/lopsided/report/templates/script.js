"use strict";

function keyOf(row, column) {
  const cell = row.cells[column];
  return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim();
}

// Numbers before words: a cell without a number is a dash, and stays at the end.
function compare(one, two, direction) {
  if (typeof one !== typeof two) return typeof one === "number" ? -1 : 1;
  if (typeof one === "number") return direction * (one - two);
  return direction * one.localeCompare(two);
}

function sortBy(header) {
  const table = header.closest("table");
  const column = header.cellIndex;
  const rows = Array.from(table.tBodies[0].rows);
  const numbers = rows.some((row) => "value" in row.cells[column].dataset);
  const first = numbers ? "descending" : "ascending";
  const other = numbers ? "ascending" : "descending";
  const order = header.getAttribute("aria-sort") === first ? other : first;
  const direction = order === "ascending" ? 1 : -1;
  const keyed = rows.map((row) => [keyOf(row, column), row]);
  keyed.sort((a, b) => compare(a[0], b[0], direction));
  for (const cell of header.parentNode.cells) cell.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", order);
  table.tBodies[0].append(...keyed.map((pair) => pair[1]));
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
});
