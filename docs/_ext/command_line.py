"""The directive `command-line`: every command and option, asked of the parser itself."""

import argparse

from docutils import nodes
from docutils.parsers.rst import Directive

from lopsided.cli import build_parser


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
    section += nodes.paragraph("", parser.description or f"{told[:1].upper()}{told[1:]}.")
    form = argparse.HelpFormatter(parser.prog, width=68)  # whatever the terminal's is
    form.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, prefix="")
    usage = form.format_help()
    section += nodes.literal_block(usage, usage, language="text")
    options = map(show_option, list_options(parser))
    section += nodes.definition_list("", *options, classes=["options"])
    return section


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
    return nodes.definition_list_item("", term, nodes.definition("", nodes.paragraph("", told)))


def spell(action):
    """Return how an action is typed: `-o FILE, --output FILE`."""
    value = action.metavar or ""
    if not value and action.choices:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    if isinstance(value, tuple):
        value = " ".join(value)
    if not action.option_strings:
        return value or action.dest
    if action.nargs == 0:
        return ", ".join(action.option_strings)
    value = value or action.dest.upper()
    return ", ".join(f"{name} {value}" for name in action.option_strings)


def setup(app):
    """Add the directive."""
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
