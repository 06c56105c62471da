// A page that is opened from a folder may not fetch others, so search shows titles alone there.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// The theme lets the keyboard reach a table that scrolls. A screen reader also needs its name.
function nameRegion(region, number) {
  const scrolls = region.scrollWidth > region.clientWidth;
  for (const name of ["role", "aria-label"]) region.removeAttribute(name);
  if (!scrolls) return;
  const heading = region.closest("section").querySelector("h1, h2, h3, h4, h5, h6");
  region.setAttribute("role", "region");
  // The text of a heading ends in the "#" of its link.
  region.setAttribute("aria-label", `Table ${number}: ${heading.textContent.replace(/#$/, "")}`);
}

document.addEventListener("DOMContentLoaded", () => {
  const regions = document.querySelectorAll(".pst-scrollable-table-container");
  regions.forEach((region, at) => {
    new ResizeObserver(() => nameRegion(region, at + 1)).observe(region);
  });
});
