"""Arrows and dyadics as text and LaTeX: term by term in the order in which they were written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from ...expr import Expr, Matrix, normal
from ...expr.latex_printer import latex_as_built
from ...expr.node import ADD, NEG, SUB
from ...expr.spelling import latex_escape
from ...expr.text_printer import text
from ...model.builder import Builder
from .scene import Axis, Key, scene_of

Term = tuple[tuple[Axis, ...], Expr]


def text_sum(system: Builder, terms: Sequence[Term]) -> str:
    """u1*n_x + u2*a_y."""
    letters = _letters(system)
    pairs = [
        ("|".join(f"{_letter(letters, key)}_{'xyz'[index]}" for key, index in axes), coefficient)
        for axes, coefficient in _gathered(system, terms)
    ]
    return _sum(pairs, text, "*", "({})")


def latex_sum(system: Builder, terms: Sequence[Term], hats: bool) -> str:
    r"""u_{1} \mathbf{n}_{x} + u_{2} \mathbf{a}_{y}."""
    letters = _letters(system)
    pairs = [
        (r" \,".join(_bold(_letter(letters, key), index, hats) for key, index in axes), normal(coefficient))
        for axes, coefficient in _gathered(system, terms)
    ]
    return _sum(pairs, latex_as_built, " ", r"\left({}\right)")


def _gathered(system: Builder, terms: Sequence[Term]) -> list[Term]:
    """Terms in as few bases as they need: unit vectors of parallel bases are those of the basis that is met first."""
    scene, basis, found = scene_of(system), dict[Key, Key](), dict[tuple[Axis, ...], Expr]()
    for axes, coefficient in terms:
        for key, _ in axes:
            if key not in basis:
                others = [each for each in basis.values() if {each, key} <= scene.link_poses.keys()]
                basis[key] = next((each for each in others if scene.rotation(each, key) == Matrix.identity(3)), key)
        own = tuple((basis[key], index) for key, index in axes)
        found[own] = found[own] + coefficient if own in found else coefficient
    return [(axes, coefficient) for axes, coefficient in found.items() if coefficient]


def _sum(pairs: Sequence[tuple[str, Expr]], write: Callable[[Expr], str], times: str, brackets: str) -> str:
    line = ""
    for unit, coefficient in pairs:
        minus = coefficient.op == NEG
        size = coefficient.args[0] if minus else coefficient
        body = write(size)
        if body.startswith("-"):  # also of a sum: then all of its terms are negative
            minus, body = not minus, write(-size)
        body = brackets.format(body) if size.op in (ADD, SUB) else body
        body = unit if body == "1" else f"{body}{times}{unit}"
        line += (" - " if minus else " + ") + body if line else f"-{body}" if minus else body
    return line or "0"


def _letters(system: Builder) -> dict[str, str]:
    """The letters of unit vectors: n of the ground, else the initial of a body or frame, its name if that is taken."""
    names = [name for name in (*system.bodies, *system.frames) if name != "ground"]
    initials = Counter(["n", *(name[:1].lower() for name in names)])
    small = {name: name[:1].lower() for name in names}
    return {"ground": "n"} | {n: small[n] if initials[small[n]] == 1 and small[n].isalpha() else n for n in names}


def _letter(letters: Mapping[str, str], key: Key) -> str:
    """What stands in front of an axis."""
    return f"{key[0]}.{key[1]}" if isinstance(key, tuple) else letters.get(key, key)


def _bold(letter: str, index: int, hats: bool) -> str:
    name = letter if len(letter) == 1 and letter.isalnum() else rf"\text{{{latex_escape(letter)}}}"
    bold = rf"\mathbf{{{name}}}"
    return rf"\hat{{{bold}}}_{{{'xyz'[index]}}}" if hats else f"{bold}_{{{'xyz'[index]}}}"
