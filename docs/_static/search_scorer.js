// Guides stand above the reference, and a class or function above its members.
const FIRST = ["choosing", "deciding", "ten_minutes", "words"];
const LAST = ["changelog", "contributing"];
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 0, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, title, , , score, , kind]) => {
    if (kind === "object" || kind === "index") {
      const own = page === `api/generated/${title}`;
      const short = title.split(".").length === 2 ? 1 : 0; // lopsided.load, not datasets.load
      return own && score >= 11 ? score + 20 + short : Math.min(score, own ? 9 : 1);
    }
    if (page.startsWith("api/generated/")) return score - 4;
    if (page.startsWith("results/")) return score - 2;
    if (page.startsWith("api/") || page.startsWith("auto_examples/")) return score;
    if (LAST.includes(page)) return score - 1;
    return score + 5 + (kind === "title" ? 3 : FIRST.includes(page) ? 2 : 0);
  },
};
