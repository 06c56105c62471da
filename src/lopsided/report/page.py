"""Pages: each one HTML file that needs nothing else, neither other files nor a network."""

import base64
import hashlib
import math
import os
import re
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

import jinja2

from lopsided._files import atomic_write, check_new_file
from lopsided.report.ranking_drawings import format_share

__all__ = ["check_page", "render_page", "write_page"]

_TIGHT = re.compile(r" (?=%)|(?<=\d) (?=to \d)|(?<=\d to) (?=\d)|(?<=\bp) (?==)|(?<=\bp =) ")


def render_page(
    template: str, title: str, data: Any, package: str = "lopsided.report", **values: Any
) -> str:
    """Return a page made of a jinja2 template; every value is escaped.

    Parameters
    ----------
    template : str
        Name of a template that extends `page.html` and takes sections, tables and figures from
        `macros.html`, as `report.html` of lopsided-bench does.
    title : str
        Its title.
    data : dataclass or mapping
        The numbers behind it: `data` in the template, and JSON at the end of the page.
    package : str, default="lopsided.report"
        The package whose folder `templates` is looked into first.
    **values
        What else the template names.

    Returns
    -------
    str

    Examples
    --------
    A package of your own has its template in a folder `templates`; this one has sections alone:

    >>> page = render_page("page.html", "A month of claims", {"claims": 1500})
    >>> "<h1>A month of claims</h1>" in page
    True
    """
    sources = [jinja2.PackageLoader(name) for name in (package, "lopsided.report")]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(sources),
        extensions=["jinja2.ext.do"],
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    environment.filters.update(
        plain=_to_plain, policy=_make_policy, share=format_share, unbroken=_unbroken
    )
    environment.tests["finite"] = math.isfinite
    # A section adds itself to the contents, a cell its heading to those of its table.
    lists: dict[str, list[Any]] = {"contents": [], "headings": []}
    return environment.get_template(template).render(title=title, data=data, **lists, **values)


def write_page(path: str | os.PathLike[str], page: str) -> Path:
    """Write a page and return its path.

    Parameters
    ----------
    path : path
        The HTML file, see `check_page`.
    page : str
        As from `render_page`.

    Returns
    -------
    Path

    Examples
    --------
    >>> import tempfile
    >>> page = render_page("page.html", "A month of claims", {"claims": 1500})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(write_page(f"{folder}/month.html", page).name)
    month.html
    """
    check_page(path)
    with atomic_write(path) as draft:
        # A lone surrogate in an error message must not cost the report.
        draft.write_bytes(page.encode("utf-8", errors="replace"))
    return Path(path)


def check_page(path: str | os.PathLike[str]) -> None:
    """Raise an error unless a page can be written to a path: to a new one, or over a page.

    Parameters
    ----------
    path : path
        Ends in .html or .htm; its folder exists. What is there already, under whatever name,
        is a page or empty.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"{path} must end in .html. Name another file.")
    target = check_new_file(path)
    if target.exists():
        with open(target, "rb") as file:
            head = file.read(1024)
        if head and b"<html" not in head.lower():
            raise ValueError(
                f"{path} must be new or an HTML page, got another file. Name another."
            )


def _make_policy(script: str) -> str:
    """Return what a browser may load and run: our own script by its hash, nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; "
        "style-src 'unsafe-inline'; img-src data:"
    )


def _unbroken(text: str) -> str:
    """Return a text in which "5 %", "3 to 7" and "p = 0.1" stay on one line each."""
    return _TIGHT.sub("\N{NO-BREAK SPACE}", text)


def _to_plain(value: Any) -> Any:
    """Return records as values that JSON can hold; what is not finite becomes None."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    elif is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {str(key): _to_plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(one) for one in value]
    value = value.item() if hasattr(value, "item") else value  # a NumPy scalar
    return None if isinstance(value, float) and not math.isfinite(value) else value
