"""A proof in text, LaTeX, Markdown and as a page."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from ....errors import PolhodeError, path_of
from ....expr.spelling import latex_escape
from ....files.writing import replace_file
from .record import Proof, Step

_HEAD = "Lagrange and Newton-Euler on '{}'"
_PAPER = "W. M. Silver, MIT A.I. Memo 622 (1981), sections 2 and 3 and Appendix A"
_MARKS = {True: "holds", False: "FAILS"}


def as_text(proof: Proof) -> str:
    """A paragraph a step: number, statement, equation, verdict."""
    lines = [_HEAD.format(proof.system), f"{_PAPER}; links: {', '.join(proof.links)}", ""]
    for each in proof.steps:
        lines += [f"({each.number}) {each.statement}", f"    {each.text}", f"    {each.verdict}", ""]
    return "\n".join([*lines, *proof.notes, proof.verdict])


def as_latex(proof: Proof) -> str:
    """The proof as the body of a LaTeX document; it needs the package amsmath."""
    lines = [rf"\section*{{{latex_escape(_HEAD.format(proof.system))}}}", latex_escape(_PAPER) + ".", ""]
    for each in proof.steps:
        lines += [rf"\paragraph{{({latex_escape(each.number)})}} {_sentence(each)}"]
        lines += [r"\begin{equation*}", each.latex(), r"\end{equation*}"]
        if each.here:
            lines += ["Here:", r"\begin{gather*}", " \\\\\n".join(each.here), r"\end{gather*}"]
        lines += [rf"{_count(each)}. Fingerprints: \texttt{{{each.left}}} (left),"]
        lines += [rf"\texttt{{{each.right}}} (right): {_MARKS[each.holds]}.", ""]
    return "\n".join([*lines, *map(latex_escape, proof.notes), latex_escape(proof.verdict), ""])


def _count(each: Step) -> str:
    return f"{len(each.cases)} case{'' if len(each.cases) == 1 else 's'}"


def _sentence(each: Step) -> str:
    return latex_escape(each.statement[:1].upper() + each.statement[1:]) + "."


def as_markdown(proof: Proof) -> str:
    """The proof as Markdown with mathematics between dollar signs, as notebooks show it."""
    lines = [f"### {_HEAD.format(_plain(proof.system))}", "", f"{_PAPER}.", ""]
    for each in proof.steps:
        lines += [f"**({each.number})** {each.statement}", "", f"$${each.formula}$$", ""]
        lines += [line for one in each.here for line in (f"$${one}$$", "")]
        lines += [f"`{_plain(each.verdict)}`", ""]
    return "\n".join([*lines, *proof.notes, f"**{_plain(proof.verdict)}**", ""])


def _plain(text: str) -> str:
    """Words of a user's own, without what Markdown would act on."""
    return "".join(" " if letter in "`*_$<>[]\\" or not letter.isprintable() else letter for letter in text)


def as_display(proof: Proof) -> str:
    """The equations alone, one below the other, with their numbers."""
    rows = " \\\\\n".join(each.latex() for each in proof.steps)
    return f"$$\\begin{{gather}}\n{rows}\n\\end{{gather}}$$"


_TEX = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath}
\begin{document}
%s\end{document}
"""
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title><style>
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
.equation { font: italic 18px/1.6 "Cambria Math", "STIX Two Math", serif; margin: .3em 2em; }
.here { margin: .3em 2em; } code { font-size: 13px; }
.holds { color: #17692f; } .fails { color: #b00020; font-weight: bold; }
</style></head><body>
<h1>%s</h1>
%s
</body></html>
"""


def as_page(proof: Proof) -> str:
    """A page that needs nothing else: equations in plain letters, those of the mechanism in LaTeX, fingerprints."""
    parts = [f"<p>{escape(_PAPER)}; links: {escape(', '.join(proof.links))}.</p>"]
    for each in proof.steps:
        mark = "holds" if each.holds else "fails"
        parts += [
            f"<h3>({escape(each.number)}) {escape(each.statement)}</h3>",
            f'<div class="equation">{escape(each.text)}</div>',
            *(f'<div class="here">here <code>{escape(line)}</code></div>' for line in each.here),
            f"<p><code>{each.left}</code> left<br><code>{each.right}</code> right<br>"
            f'<span class="{mark}">{escape(each.verdict)}</span></p>',
        ]
    parts += [f"<p>{escape(words)}</p>" for words in (*proof.notes, proof.verdict)]
    title = escape(_HEAD.format(proof.system))
    return _PAGE % (title, title, "\n".join(parts))


_WRITERS = {".tex": lambda proof: _TEX % as_latex(proof), ".md": as_markdown, ".html": as_page}


def save(proof: Proof, path: Any) -> Path:
    """Write a proof by the ending of the path: a LaTeX document, Markdown, or a page."""
    target = path_of(path)
    if target.suffix not in _WRITERS:
        raise PolhodeError(
            f"a proof cannot be written as '{target.suffix or target.name}'.",
            place=str(target),
            cure=f"End the name in {', '.join(_WRITERS)}.",
            code="E-PROVE-003",
        )
    return replace_file(target, _WRITERS[target.suffix](proof).encode("utf-8", "backslashreplace"))
