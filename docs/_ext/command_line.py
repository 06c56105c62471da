"""The directive `command-line`: every command and option, asked of the parser itself."""

import argparse
import re
from functools import cache

from docutils import nodes
from docutils.parsers.rst import Directive

from lopsided.workflow.cli import build_parser


class CommandLine(Directive):
    """A section for each command: its usage, its words and its options."""

    def run(self):
        """Return the sections, in the order of `lopsided --help`."""
        return [show_command(name, parser, told) for name, parser, told in list_commands()]


def list_commands():
    """Return name, parser and line of help of each command."""
    choices = next(
        action
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    told = {action.dest: action.help for action in choices._choices_actions}
    return [(name, parser, told.get(name, "")) for name, parser in choices.choices.items()]


def show_command(name, parser, told):
    """Return the section of a command."""
    section = nodes.section(ids=[f"lopsided-{name}"], names=[f"lopsided {name}"])
    section += nodes.title("", f"lopsided {name}")
    section += show_text(parser.description or f"{told[:1].upper()}{told[1:]}.")
    usage = spell_usage(parser)
    section += nodes.literal_block(usage, usage, language="text")
    options = map(show_option, list_options(parser))
    section += nodes.definition_list("", *options, classes=["options"])
    return section


@cache
def find_code():
    """Return the pattern of commands and options in a sentence."""
    names = "|".join(name for name, _, _ in list_commands())
    return re.compile(rf"(?<![\w-])(?:lopsided (?:{names})(?: --[a-z-]+)*|--[a-z-]+)(?![\w-])")


def show_text(text):
    """Return a paragraph whose options and commands are code: elsewhere `--` becomes a dash."""
    paragraph, end = nodes.paragraph(), 0
    for found in find_code().finditer(text):
        paragraph += nodes.Text(text[end : found.start()])
        paragraph += nodes.literal("", found[0])
        end = found.end()
    paragraph += nodes.Text(text[end:])
    return paragraph


def spell_usage(parser):
    """Return how a command is typed: what it must have, and that there are options."""
    listed = list_options(parser)
    words = [action for action in listed if not action.option_strings]
    needed = [action for action in listed if action.option_strings and action.required]
    parts = [parser.prog]
    parts += [f"{one.option_strings[0]} {spell_value(one)}" for one in needed]
    parts += ["[OPTIONS]"] * (len(listed) > len(words) + len(needed))
    for action in words:
        value = spell_value(action)
        parts.append(f"[{value}]" if action.nargs == "?" else value)
    return " ".join(parts)


def list_options(parser):
    """Return the actions that `--help` shows, but for itself."""
    return [
        action
        for action in parser._actions
        if action.help != argparse.SUPPRESS and not isinstance(action, argparse._HelpAction)
    ]


def show_option(action):
    """Return an option or word as a term with its help."""
    term = nodes.term("", "", nodes.literal("", spell(action)))
    told = action.help or ""
    if "%" in told:
        told %= {**vars(action), "prog": "lopsided"}
    return nodes.definition_list_item("", term, nodes.definition("", show_text(told)))


def spell(action):
    """Return how an action is typed: `-o FILE, --output FILE`."""
    if not action.option_strings:
        return spell_value(action)
    if action.nargs == 0:
        return ", ".join(action.option_strings)
    value = f"[{spell_value(action)}]" if action.nargs == "?" else spell_value(action)
    return ", ".join(f"{name} {value}" for name in action.option_strings)


def spell_value(action):
    """Return what stands for the value of an action: its name, or the values to choose from."""
    value = action.metavar or ""
    if not value and action.choices:
        value = "|".join(map(str, action.choices))
    if isinstance(value, tuple):
        value = " ".join(value)
    return value or (action.dest.upper() if action.option_strings else action.dest)


def setup(app):
    """Add the directive."""
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
