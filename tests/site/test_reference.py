"""The reference has every public name and every command."""

import argparse
import importlib
import pkgutil
import re

import pytest
from public_names import API, list_names, look_up

import lopsided
from lopsided.workflow.cli import build_parser


def list_modules():
    """Return the public modules of lopsided."""
    below = {
        f"lopsided.{found.name}"
        for found in pkgutil.iter_modules(lopsided.__path__)
        if not found.name.startswith("_")
    }
    return sorted(below)


DOCUMENTED = list_names()


def test_no_name_of_the_reference_is_listed_twice_and_all_are_there():
    assert len(DOCUMENTED) > 150
    assert sorted(set(DOCUMENTED)) == sorted(DOCUMENTED)
    things = [look_up(full) for full in DOCUMENTED]
    assert len({id(thing) for thing in things}) == len(things)


@pytest.mark.parametrize("module", ["lopsided", *list_modules()])
def test_every_public_name_of_a_module_is_in_the_reference(module):
    loaded = importlib.import_module(module)
    documented = {id(look_up(full)) for full in DOCUMENTED}
    missing = [
        name
        for name in getattr(loaded, "__all__", ())
        if not isinstance(getattr(loaded, name), type(lopsided))
        and id(getattr(loaded, name)) not in documented
    ]
    assert missing == [], f"list them in docs/api/, below `.. currentmodule:: {module}`"


def test_every_public_module_is_introduced():
    pages = "".join(page.read_text(encoding="utf-8") for page in API.glob("*.rst"))
    things = {name: getattr(lopsided, name) for name in lopsided.__all__}
    modules = [name for name, thing in things.items() if isinstance(thing, type(lopsided))]
    assert len(modules) > 15
    assert [name for name in modules if f"automodule:: lopsided.{name}\n" not in pages] == []


def test_the_site_has_a_page_for_each_name_with_its_parameters(site):
    for full in DOCUMENTED:
        page = site / "api" / "generated" / f"{full}.html"
        text = page.read_text(encoding="utf-8")
        assert f'id="{full}"' in text, full


def test_the_site_has_every_command_and_option(site):
    text = (site / "api" / "command_line.html").read_text(encoding="utf-8")
    parser = build_parser()
    (commands,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    for name, command in commands.choices.items():
        section = text.partition(f'<section id="lopsided-{name}"')[2].partition("</section>")[0]
        assert section, name
        for action in command._actions:
            for option in action.option_strings:
                if option not in ("-h", "--help"):
                    assert option in section, f"{name} {option}"


def test_options_in_sentences_are_code_and_a_usage_is_short(site):
    text = (site / "api" / "command_line.html").read_text(encoding="utf-8")
    article = text.partition("<article")[2].partition("</article>")[0]
    assert "\u2013" not in article  # what smart quotes make of two hyphens
    assert "lopsided rank [OPTIONS] [MODEL] TABLE\n" in article
    assert "lopsided fit --label COL -o FILE [OPTIONS] TABLE\n" in article


@pytest.mark.parametrize(
    ("page", "member"),
    [("FocusedClassifier", "fit"), ("TableModel", "rank"), ("ReviewLoop", "load")],
)
def test_a_bare_name_on_the_page_of_a_class_is_that_of_its_member(site, page, member):
    text = (site / "api" / "generated" / f"lopsided.{page}.html").read_text(encoding="utf-8")
    links = re.findall(rf'href="([^"]+)"[^>]*><code[^>]*><span[^>]*>{member}</span>', text)
    assert links
    assert set(links) == {f"#lopsided.{page}.{member}"}


def test_what_only_lopsided_asks_of_a_model_is_not_on_its_page(site):
    text = (site / "api/generated/lopsided.TableModel.html").read_text(encoding="utf-8")
    shown = set(re.findall(r'id="lopsided\.TableModel\.(\w+)"', text))
    assert {"rank", "explain", "feedback", "report", "save", "prior_estimate"} <= shown
    assert shown & {"from_parts", "to_parts", "log_hidden", "blind_proba"} == set()
