"""How Sphinx builds the site; `docs.website.building` calls it with a staged source."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
WORK = Path(os.environ["POLHODE_SITE"])
METADATA = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project, author, version = METADATA["name"], METADATA["authors"][0]["name"], METADATA["version"]
release = version
extensions = [
    "myst_parser", "sphinx.ext.autodoc", "sphinx_gallery.gen_gallery",
    "docs.website.docstrings", "docs.website.gallery", "docs.website.mathml",
]  # fmt: skip
exclude_patterns = ["files", "gallery/sg_execution_times.rst", "sg_execution_times.rst"]
suppress_warnings = ["config.cache"]  # sphinx-gallery's settings hold functions
language, highlight_language = "en", "text"
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

sphinx_gallery_conf = {
    "examples_dirs": [str(WORK / "gallery")],
    "gallery_dirs": ["gallery"],
    "within_subsection_order": "FileNameSortKey",
    "plot_gallery": "False",
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,
}

html_theme = "furo"
html_title = "polhode"
html_static_path = [str(HERE / "static")]
html_extra_path = [str(WORK / "extra")]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "friendly", "github-dark"
