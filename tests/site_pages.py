"""What a page of a site refers to, and what can be referred to in it."""

import os
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_REFERRING = {"href", "src", "data", "poster", "action"}


class Page(HTMLParser):
    """The anchors of a page, its links for a reader, and what the browser loads for it."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in _REFERRING and value:
                (self.links if tag in ("a", "form") else self.loaded).append(value)
            elif name == "srcset":
                self.loaded += [part.split()[0] for part in value.split(",")]


def read_site(folder):
    """Return the pages of a site by their paths."""
    paths = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]
    return {path: Page(path.read_text(encoding="utf-8")) for path in paths}


def is_outside(link):
    """Say whether a link leaves the site."""
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def find_target(path, link):
    """Return the file and the anchor that a link of a page leads to."""
    parts = urlsplit(link)
    target = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
    return target, unquote(parts.fragment)
