"""The record of a proof: steps, each an equation whose two sides have one fingerprint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from ...errors import PolhodeError, path_of
from ...expr import Matrix, Vector, as_expr
from ...expr.field import P, hash_to_field
from ...expr.spelling import latex_escape
from ...files.writing import replace_file
from ...model.reading import unknown

_HEAD = "Lagrange and Newton-Euler on '{}'"
_PAPER = "W. M. Silver, MIT A.I. Memo 622 (1981), sections 2 and 3 and Appendix A"
#: Where lists of entries have one fingerprint for all: the polynomial with these coefficients is taken here.
_POINT = hash_to_field("the entries of a list, as a polynomial")


def fingerprint_of(*values: Any) -> str:
    """One fingerprint of scalars, vectors and matrices: of the polynomial that has their entries as coefficients."""
    total = 0
    for value in values:
        for entry in entries_of(value):
            total = (total * _POINT + as_expr(entry).fp) % P
    return f"{total:032x}"


def entries_of(value: Any) -> list[Any]:
    """The scalars in a scalar, a vector or a matrix."""
    if isinstance(value, Matrix):
        return list(value.entries())
    return list(value) if isinstance(value, Vector) else [value]


@dataclass(frozen=True)
class Case:
    """A step for one link or joint: where it is taken, and the fingerprints of its two sides."""

    where: str
    left: str
    right: str

    @staticmethod
    def of(where: str, left: Any, right: Any) -> Case:
        """A case from what stands on either side: scalars, vectors or matrices."""
        return Case(where, fingerprint_of(left), fingerprint_of(right))

    @property
    def holds(self) -> bool:
        return self.left == self.right


@dataclass(frozen=True)
class Step:
    """An equation of the paper: number, statement, text, LaTeX, cases; `here` is its LaTeX on this mechanism."""

    number: str
    statement: str
    text: str
    formula: str
    cases: tuple[Case, ...]
    here: tuple[str, ...] = ()

    @property
    def left(self) -> str:
        """The fingerprint of the left sides of all cases."""
        return _together(case.left for case in self.cases)

    @property
    def right(self) -> str:
        """The fingerprint of the right sides of all cases."""
        return _together(case.right for case in self.cases)

    @property
    def holds(self) -> bool:
        """Whether both sides are the same functions, in every case."""
        return all(case.holds for case in self.cases)

    @property
    def failing(self) -> tuple[Case, ...]:
        """The cases in which the sides differ."""
        return tuple(case for case in self.cases if not case.holds)

    @property
    def count(self) -> str:
        """The number of cases in words."""
        return f"{len(self.cases)} case{'' if len(self.cases) == 1 else 's'}"

    @property
    def verdict(self) -> str:
        """One line: how many cases, the fingerprints of both sides, whether they are one."""
        cases = self.count
        if not self.cases:
            return "no case here  holds"
        if self.holds and not int(self.left, 16):
            return f"{cases}: both sides are zero  holds"
        if self.holds:
            return f"{cases}: {self.left[:12]}… = {self.right[:12]}…  holds"
        where = ", ".join(case.where for case in self.failing[:3]) + (", …" if len(self.failing) > 3 else "")
        return f"{cases}: {self.left[:12]}… ≠ {self.right[:12]}…  FAILS for {where}"

    def latex(self) -> str:
        r"""The equation as LaTeX for math mode, with its number as a tag."""
        return rf"{self.formula} \tag{{{self.number}}}"

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "number": self.number,
            "statement": self.statement,
            "text": self.text,
            "latex": self.formula,
            "left": self.left,
            "right": self.right,
            "holds": self.holds,
            "cases": [{**vars(case), "holds": case.holds} for case in self.cases],
            "here": list(self.here),
        }


def _together(fingerprints: Iterable[str]) -> str:
    total = 0
    for fingerprint in fingerprints:
        total = (total * _POINT + int(fingerprint, 16)) % P
    return f"{total:032x}"


@dataclass(frozen=True)
class Proof:
    """The steps that prove Lagrange's and Newton-Euler's equations to be one computation; `print` shows them."""

    system: str
    links: tuple[str, ...]
    joints: tuple[str, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every step holds."""
        return all(step.holds for step in self.steps)

    def __bool__(self) -> bool:
        return self.holds

    def __getitem__(self, number: str) -> Step:
        """A step by its number in the paper."""
        for step in self.steps:
            if step.number == number:
                return step
        raise unknown("step", number, [step.number for step in self.steps], "proof")

    @property
    def verdict(self) -> str:
        """One sentence."""
        failing = [step.number for step in self.steps if not step.holds]
        if failing:
            count = f"{len(failing)} of {len(self.steps)} steps"
            return f"not proved for '{self.system}': {count} fail, ({'), ('.join(failing)})."
        cases = sum(len(step.cases) for step in self.steps)
        return (
            f"proved for '{self.system}': Lagrange's equations and those of Newton and Euler are one computation, "
            f"by {len(self.steps)} steps and {cases} pairs of fingerprints."
        )

    def __str__(self) -> str:
        lines = [_HEAD.format(self.system), f"{_PAPER}; links: {', '.join(self.links)}", ""]
        for step in self.steps:
            lines += [f"({step.number}) {step.statement}", f"    {step.text}", f"    {step.verdict}", ""]
        return "\n".join([*lines, *self.notes, self.verdict])

    def latex(self) -> str:
        """The proof as LaTeX, what stands between \\begin{document} and \\end{document}; it needs amsmath."""
        lines = [rf"\section*{{{latex_escape(_HEAD.format(self.system))}}}", latex_escape(_PAPER) + ".", ""]
        for step in self.steps:
            sentence = latex_escape(step.statement[:1].upper() + step.statement[1:])
            lines += [rf"\paragraph{{({latex_escape(step.number)})}} {sentence}."]
            lines += [r"\begin{equation*}", step.latex(), r"\end{equation*}"]
            if step.here:
                lines += ["Here:", r"\begin{gather*}", " \\\\\n".join(step.here), r"\end{gather*}"]
            lines += [rf"{step.count}. Fingerprints: \texttt{{{step.left}}} (left),"]
            lines += [rf"\texttt{{{step.right}}} (right): {'holds' if step.holds else 'FAILS'}.", ""]
        return "\n".join([*lines, *map(latex_escape, self.notes), latex_escape(self.verdict), ""])

    def markdown(self) -> str:
        """The proof as Markdown, its equations between dollar signs."""
        lines = [f"### {_HEAD.format(_plain(self.system))}", "", f"{_PAPER}.", ""]
        for step in self.steps:
            lines += [f"**({step.number})** {step.statement}", "", f"$${step.formula}$$", ""]
            lines += [line for one in step.here for line in (f"$${one}$$", "")]
            lines += [f"`{_plain(step.verdict)}`", ""]
        return "\n".join([*lines, *self.notes, f"**{_plain(self.verdict)}**", ""])

    _repr_markdown_ = markdown

    def _repr_latex_(self) -> str:
        """The equations alone, one below the other, with their numbers."""
        rows = " \\\\\n".join(step.latex() for step in self.steps)
        return f"\\begin{{gather}}\n{rows}\n\\end{{gather}}"

    def save(self, path: Any) -> Path:
        """Write the proof as a document of its own: `.tex`, `.md` or `.html`; the path that was written."""
        target = path_of(path)
        if target.suffix not in _WRITERS:
            message = f"a proof cannot be written as '{target.suffix or target.name}'."
            raise PolhodeError(message, str(target), f"End the name in {', '.join(_WRITERS)}.", "E-PAPER-UNSUPPORTED")
        return replace_file(target, _WRITERS[target.suffix](self).encode("utf-8", "backslashreplace"))

    def as_json(self) -> dict[str, Any]:
        """Plain data, for `--json`."""
        return {
            "system": self.system,
            "links": list(self.links),
            "joints": list(self.joints),
            "holds": self.holds,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "steps": [step.as_json() for step in self.steps],
        }


def _plain(text: str) -> str:
    """Words of a user's own, without what Markdown would act on."""
    return "".join(" " if letter in "`*_$<>[]\\" or not letter.isprintable() else letter for letter in text)


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


def _page(proof: Proof) -> str:
    """A page that needs nothing else: equations in plain letters, those of the mechanism in LaTeX, fingerprints."""
    parts = [f"<p>{escape(_PAPER)}; links: {escape(', '.join(proof.links))}.</p>"]
    for step in proof.steps:
        mark = "holds" if step.holds else "fails"
        parts += [
            f"<h3>({escape(step.number)}) {escape(step.statement)}</h3>",
            f'<div class="equation">{escape(step.text)}</div>',
            *(f'<div class="here">here <code>{escape(line)}</code></div>' for line in step.here),
            f"<p><code>{step.left}</code> left<br><code>{step.right}</code> right<br>"
            f'<span class="{mark}">{escape(step.verdict)}</span></p>',
        ]
    parts += [f"<p>{escape(words)}</p>" for words in (*proof.notes, proof.verdict)]
    title = escape(_HEAD.format(proof.system))
    return _PAGE % (title, title, "\n".join(parts))


_WRITERS = {".tex": lambda proof: _TEX % proof.latex(), ".md": Proof.markdown, ".html": _page}
