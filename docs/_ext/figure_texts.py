"""Figures of the gallery say in words what they show, for those who do not see them."""

import re

from sphinx_gallery.scrapers import matplotlib_scraper


def describe(figure):
    """Return what is drawn against what in each part of a figure, by its own labels."""
    parts = []
    for ax in figure.axes:
        title, x, y = (
            text.strip() for text in (ax.get_title(), ax.get_xlabel(), ax.get_ylabel())
        )
        named = [label for label in ax.get_legend_handles_labels()[1] if label]
        axes = f"{y} against {x}" if x and y else x or y
        part = ", ".join(filter(None, [title, axes]))
        parts.append(part + (f", for {', '.join(named)}" if part and named else ""))
    return re.sub(r"\s+", " ", "; ".join(filter(None, parts)))


def scrape(block, block_vars, gallery_conf):
    """Save the figures of a block, and describe them where there is but one."""
    import matplotlib.pyplot as plt  # sphinx_gallery has chosen its backend by now

    numbers = plt.get_fignums()
    said = describe(plt.figure(numbers[0])) if len(numbers) == 1 else ""
    shown = matplotlib_scraper(block, block_vars, gallery_conf)
    if not said:
        return shown
    return re.sub(r"^( *:alt:) .*$", lambda found: f"{found[1]} {said}", shown, flags=re.M)


def _get_sg_image_scraper():
    return scrape
