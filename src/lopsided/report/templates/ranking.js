
// The ranked rows: a filter, a page at a time, and cards that open on a small screen.
const STEP = 50;

function setUpRanking(place) {
  const [filter, shown, more, all] = ["filter", "shown", "more", "all"]
    .map((id) => document.getElementById(id));
  const table = place.querySelector("table");
  const rows = Array.from(table.tBodies[0].rows);
  const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const total = rows.length.toLocaleString("en");
  let limit = STEP;

  function refresh() {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const row of table.tBodies[0].rows) {
      const fits = wanted.every((word) => words.get(row).includes(word));
      if (fits) found += 1;
      row.classList.toggle("unlike", !fits);
      row.classList.toggle("later", fits && found > limit);
    }
    const seen = Math.min(found, limit).toLocaleString("en");
    shown.textContent = wanted.length
      ? `${found.toLocaleString("en")} of ${total} rows match${found > limit ? `, ${seen} shown` : ""}`
      : `${seen} of ${total} rows shown`;
    const rest = Math.max(found - limit, 0);
    more.textContent = `Show ${Math.min(rest, STEP)} more rows`;
    all.textContent = `Show all ${found.toLocaleString("en")}`;
    more.parentNode.hidden = !rest;
  }

  function show(count) {
    limit = count;
    refresh();
    // Whoever pressed a button that is gone reads on in the table.
    if (more.parentNode.hidden) place.querySelector(".wide").focus();
  }

  filter.addEventListener("input", () => { limit = STEP; refresh(); });
  table.addEventListener("sorted", refresh);
  more.addEventListener("click", () => show(limit + STEP));
  all.addEventListener("click", () => show(Infinity));
  filter.parentNode.hidden = false;
  setUpCards(table, rows);
  refresh();
}

function setUpCards(table, rows) {
  const names = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent);
  for (const row of rows) {
    for (const cell of row.cells) cell.dataset.label = names[cell.cellIndex];
    const button = document.createElement("button");
    button.type = "button";
    button.className = "open";
    button.dataset.row = row.cells[1].textContent.slice(0, 60);
    openCard(row, button, false);
    row.cells[1].append(button);
  }
  table.tBodies[0].addEventListener("click", (event) => {
    const button = event.target.closest("button.open");
    if (!button) return;
    openCard(button.closest("tr"), button, button.getAttribute("aria-expanded") !== "true");
  });
}

function openCard(row, button, open) {
  button.textContent = open ? "Less" : "More";
  button.setAttribute("aria-label", `${button.textContent} about row ${button.dataset.row}`);
  button.setAttribute("aria-expanded", open);
  row.classList.toggle("opened", open);
}

document.addEventListener("DOMContentLoaded", () => {
  root.classList.add("scripted");
  const place = document.getElementById("ranking");
  if (place) setUpRanking(place);
});
