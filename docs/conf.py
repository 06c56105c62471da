"""How the documentation site is built: `make docs`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "_ext"))

import lopsided  # noqa: E402

project = "lopsided"
author = "The lopsided developers"
copyright = author
version = release = lopsided.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "command_line",
    "fitted_names",
    "mathml",
    "members",
    "name_links",
    "project_files",
    "stale_pages",
]
root_doc = "index"
exclude_patterns = ["**.in.md", "_ext", "**/README.*"]
templates_path = ["_templates"]
default_role = "py:obj"  # a name in backticks is a link where there is such a name
add_function_parentheses = False
toc_object_entries_show_parents = "hide"

# Pages
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Reference
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # numpydoc's parameters tell the types
numpydoc_show_class_members = False  # the template lists them
numpydoc_xref_param_type = False
numpydoc_citation_re = r"[\w-]+"

# Gallery
sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples" / "gallery"),
    "gallery_dirs": "auto_examples",
    "filename_pattern": "/plot_",
    "within_subsection_order": "reading_order.ReadingOrder",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("lopsided",),
    "download_all_examples": False,
    "image_scrapers": ("figure_texts",),
    "min_reported_time": 600,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

# Site: static files alone, nothing from the network
html_theme = "pydata_sphinx_theme"
html_title = "lopsided"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}  # without, the theme complains of a mode that is none
html_js_files = ["site.js"]
html_search_scorer = str(HERE / "_static" / "search_scorer.js")
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_favicon = "_static/mark.svg"
html_sidebars = {"index": [], "changelog": [], "contributing": ["sidebar-nav-bs"]}
html_theme_options = {
    "logo": {
        "text": "lopsided",
        "alt_text": "",
        "image_light": "_static/mark.svg",
        "image_dark": "_static/mark.svg",
    },
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button-field"],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_depth": 3,
    "footer_start": ["copyright"],
    "footer_end": [],
    "article_header_start": [],
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
