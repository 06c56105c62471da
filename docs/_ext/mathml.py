"""Formulas as MathML, which browsers show without a script."""

from docutils import nodes
from latex2mathml.converter import convert


def show_inline(writer, node):
    """Write a formula within a sentence."""
    writer.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def show_block(writer, node):
    """Write a formula that has a line of its own."""
    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="formula">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app):
    """Add the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
