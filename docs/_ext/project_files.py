"""Links from pages to files outside docs/, which are right in the repository too.

Results of benchmarks are copied into docs/results/ when the site is built, and are pages of it,
with the titles that the lists of `_LISTS` give them and what these conclude from them.
Other files, such as scripts, MyST offers for download by itself. Where a link shows the name of
a file in the repository, it shows the title of the page on the site.
"""

import re
from pathlib import Path

_RESULTS = re.compile(r"\]\(\.\./benchmarks/results/([\w-]+\.md)")
_BACK = re.compile(r"\]\(\.\./\.\./(?:docs/)?([\w.-]+\.md)")
_NAMED = re.compile(r"\[[\w./-]+\.md\]\((?=[\w./-]+\.md[)#])")
_CONCLUSION = re.compile(
    r"^- \[([^\]]*)\]\(\.\./benchmarks/results/([\w-]+\.md)\): (.+(?:\n  .+)*)", re.MULTILINE
)
_TABLE = re.compile(r"^\|.*", re.MULTILINE)
_SAR, _SCAR = re.compile(r"(?i:sar-(near|far)\b)"), re.compile(r"\bscar\b")
_LISTS = ("measured.md", "internals.md")
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
    concluded = read_conclusions(Path(app.srcdir))
    pages = {path.name: add_head(path, concluded) for path in source.glob("*.md")}
    for old in target.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        copy = target / name
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


def read_conclusions(folder):
    """Return the title of each page of results, and what is to be concluded from it."""
    text = "\n".join((folder / name).read_text(encoding="utf-8") for name in _LISTS)
    return {name: (title, said) for title, name, said in _CONCLUSION.findall(text)}


def add_head(path, concluded):
    """Return a page below its title and what is concluded from it."""
    text = path.read_text(encoding="utf-8")
    if path.name not in concluded:  # the build says that it is in no list
        return text
    title, said = concluded[path.name]
    own, _, rest = text.partition("\n")
    body = rest if own.startswith("# ") else text
    body = _TABLE.sub(_spell_mechanisms, body)
    body = body.lstrip("\n")
    return f"# {title}\n\n**In short:** {said}\n\n{body}"


def _spell_mechanisms(row):
    """Return a row of a table with mechanisms spelled as in prose."""
    text = _SAR.sub(lambda sar: f"SAR {sar[1].lower()}", row[0])
    return _SCAR.sub("SCAR", text)


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
