"""Links from pages to files outside docs/, which are right in the repository too.

Results of benchmarks are copied into docs/results/ when the site is built, and are pages of it.
Other files, such as scripts, MyST offers for download by itself. Where a link shows the name of
a file in the repository, it shows the title of the page on the site.
"""

import re
from pathlib import Path

_RESULTS = re.compile(r"\]\(\.\./benchmarks/results/([\w-]+\.md)")
_BACK = re.compile(r"\]\(\.\./\.\./(?:docs/)?([\w.-]+\.md)")
_NAMED = re.compile(r"\[[\w./-]+\.md\]\((?=[\w./-]+\.md[)#])")
_PAGES = {
    "](../CONTRIBUTING.md": "](contributing.md",
    "](../CHANGELOG.md": "](changelog.md",
    "](../README.md": "](index.md",
}


def copy_results(app):
    """Copy the results of benchmarks into a folder of pages."""
    source = Path(app.srcdir).parent / "benchmarks" / "results"
    target = Path(app.srcdir) / "results"
    target.mkdir(exist_ok=True)
    pages = {path.name: add_title(path) for path in source.glob("*.md")}
    for old in target.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        copy = target / name
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


def add_title(path):
    """Return a page, with its name as a title if it has none."""
    text = path.read_text(encoding="utf-8")
    if text.startswith("# "):
        return text
    return f"# {path.stem.replace('_', ' ').capitalize()}\n\n{text}"


def turn_links(app, docname, source):
    """Point links at the pages of the site."""
    if docname.startswith("results/"):
        text = _BACK.sub(r"](../\1", source[0])
        source[0] = text.replace("](../README.md", "](../index.md")
        return
    text = _RESULTS.sub(r"](results/\1", source[0])
    for old, new in _PAGES.items():
        text = text.replace(old, new)
    source[0] = _NAMED.sub("[](", text)


def setup(app):
    """Copy before files are looked for, and turn links as pages are read."""
    app.connect("builder-inited", copy_results)
    app.connect("source-read", turn_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
