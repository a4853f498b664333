"""Formulas as MathML, which browsers draw by themselves: no script is loaded for them."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes


def inline(writer: Any, node: nodes.math) -> None:
    from latex2mathml.converter import convert

    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    from latex2mathml.converter import convert

    formula = convert(node.astext(), display="block")
    writer.body.append(f'<div class="formula" title="{escape(node.astext())}">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
