"""What sphinx-gallery's pages gain: the moving page of an example, what it prints, and a film as its thumbnail.

Examples are run by `examples`, each in a process of its own, so sphinx-gallery itself runs nothing.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

THUMBNAIL = re.compile(r"/gallery/images/thumb/sphx_glr_(\w+?)_thumb\.png")
STAGE = """
.. raw:: html

    <figure class="moving-page">
    <iframe src="../pages/{stem}.html" title="{stem}: the page that it writes" loading="lazy"></iframe>
    <figcaption><a href="../pages/{stem}.html">Open this page alone</a></figcaption>
    </figure>

"""


def shown(app: Any, name: str, text: list[str]) -> None:
    """Change a page of the gallery as it is read."""
    if name == "gallery/index":
        text[0] = THUMBNAIL.sub(r"/gallery/films/\1.webp", text[0])
    elif match := re.fullmatch(r"gallery/(\d\d_\w+)", name):
        said = Path(os.environ["POLHODE_SITE"], "examples", match[1], "said.txt").read_text(encoding="utf-8")
        text[0] = with_page(text[0], match[1], said)


def with_page(text: str, stem: str, said: str) -> str:
    """A page with its example's own page below the first sentence, and what is printed at the end."""
    printed = "".join(f"    {line}\n" for line in said.splitlines())
    below = f"\nIt prints\n\n.. code-block:: text\n\n{printed}\n"
    text = re.sub(r"^Run: .*$", lambda _: STAGE.format(stem=stem), text, count=1, flags=re.MULTILINE)
    return text.replace(".. _sphx_glr_download_", below + ".. _sphx_glr_download_", 1)


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", shown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
