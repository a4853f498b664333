"""Sentences by fingerprint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ...dynamics.equations import EquationsOfMotion
from ...expr import Expr, Matrix, as_expr
from ...expr.field import P
from ...expr.node import NUMBER, SYMBOL
from ...geometry import Inertia

AXES = "xyz"
LONGEST_NOTE = 74
_LONGEST_NAME = 20


def short(name: str) -> str:
    """A name as it stands in a sentence; the whole of it is in the sidecar.

    >>> short("wrist, stage 1"), short("left_front_upper_suspension_arm")
    ('wrist stage 1', 'left_front_upper_su.')
    """
    name = name.replace(", ", " ")
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "."


def speed_labels(equations: EquationsOfMotion, of_tree: bool = False) -> list[str]:
    """For each speed its joint's name, with its own where the joint has several; all of the tree's on request."""
    labels = {}
    for joint in equations.system.joints.values():
        for speed in joint.u:
            own = "" if len(joint.u) == 1 else f" {short(speed.name)}"
            labels[speed.name] = short(joint.name) + own
    return [labels.get(name, short(name)) for name in (equations.tree.speeds if of_tree else equations.speeds)]


def _is_plain(node: Expr) -> bool:
    """Whether a node is a number, or a number times one variable, its sine or its cosine; parameters are none."""
    factors = [arg for arg in node.args if arg.op != NUMBER]
    if node.op not in ("mul", "div") or len(factors) > 1:
        return node.op == NUMBER
    return factors[0].op in ("sin", "cos") or (factors[0].op == SYMBOL and factors[0].data[0] != "parameter")


def _fitted(note: str) -> str:
    """A note that is too long loses its frame first, then its end."""
    if len(note) > LONGEST_NOTE:
        note = note.rpartition(" in ")[0] or note
    return note if len(note) <= LONGEST_NOTE else note[: LONGEST_NOTE - 2].rstrip() + ".."


@dataclass
class Catalogue:
    """What was named first keeps its name, whatever its sign.

    >>> from polhode.expr import symbols
    >>> a, b = symbols("a b")
    >>> known = Catalogue()
    >>> known.name(a - b, "how far")
    >>> known.name(b - a, "how near")
    >>> list(known.sentences.values())
    ['how far']
    """

    sentences: dict[int, str] = field(default_factory=dict)
    remark: str = ""  # what is added to every sentence

    def name(self, value: Any, sentence: str, by_chance: bool = True) -> None:
        """File one value, unless it may be equal to others by chance; a result of the function is not."""
        node = as_expr(value)
        if (by_chance and _is_plain(node)) or (P - node.fp) % P in self.sentences:
            return
        self.sentences.setdefault(node.fp, _fitted(sentence + self.remark))

    def vector(self, values: Iterable[Any], sentence: str) -> None:
        """File three components; `@` in the sentence is where x, y or z goes."""
        for axis, value in zip(AXES, values, strict=True):
            self.name(value, sentence.replace("@", axis))

    def matrix(self, matrix: Matrix, sentence: str) -> None:
        """File nine entries; `@` in the sentence is where xx, xy, … goes."""
        for i, row in enumerate(AXES):
            for j, column in enumerate(AXES):
                self.name(matrix[i, j], sentence.replace("@", row + column))

    def inertia(self, inertia: Inertia, of: str, how: str = "", frame: str = "") -> None:
        """File mass, first and second moments, and the inertia about the origin."""
        self.name(inertia.m, f"{how}mass of {of}")
        self.vector(inertia.h, f"{how}first moment of {of}, @{frame}")
        self.matrix(inertia.I, f"{how}inertia of {of}, @{frame}")
        self.matrix(inertia.J, f"{how}second moment of {of}, @{frame}")
