"""Arrows and dyadics as text and LaTeX: term by term in the order in which they were written."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...expr import Expr, Matrix, latex
from ...expr.node import ADD, NEG, SUB
from ...expr.spelling import latex_escape
from ...expr.text_printer import text
from ...model.builder import Builder
from .scene import Axis, Key, scene_of

Term = tuple[tuple[Axis, ...], Expr]


def text_sum(system: Builder, terms: Sequence[Term]) -> str:
    """u1*ground_x + u2*a_y."""
    pairs = [
        ("|".join(f"{_letter(system, key)}_{'xyz'[index]}" for key, index in axes), coefficient)
        for axes, coefficient in _gathered(system, terms)
    ]
    return _sum(pairs, text, "*", "({})")


def latex_sum(system: Builder, terms: Sequence[Term], hats: bool) -> str:
    r"""u_{1} \mathbf{n}_{1} + u_{2} \mathbf{a}_{2}."""
    pairs = [
        (r" \,".join(_bold(_letter(system, key), index, hats) for key, index in axes), coefficient)
        for axes, coefficient in _gathered(system, terms)
    ]
    return _sum(pairs, latex, " ", r"\left({}\right)")


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
        body = brackets.format(write(size)) if size.op in (ADD, SUB) else write(size)
        if body.startswith("-"):
            minus, body = not minus, body[1:]
        body = unit if body == "1" else f"{body}{times}{unit}"
        line += (" - " if minus else " + ") + body if line else f"-{body}" if minus else body
    return line or "0"


def _letter(system: Builder, key: Key) -> str:
    """A frame's name in front of an axis: a body B has the unit vectors b, as in Sayers, unless there is a body b."""
    if isinstance(key, tuple):
        return f"{key[0]}.{key[1]}"
    small = key.lower()
    return small if len(key) == 1 and small not in system.bodies and small not in system.frames else key


def _bold(letter: str, index: int, hats: bool) -> str:
    name = letter if len(letter) == 1 and letter.isalnum() else rf"\text{{{latex_escape(letter)}}}"
    bold = rf"\mathbf{{{name}}}"
    return rf"\hat{{{bold}}}_{{{index + 1}}}" if hats else f"{bold}_{{{index + 1}}}"
