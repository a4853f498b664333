"""Passes over the tree that change how a mechanism is written down, never how it moves.

Each file says what its pass saves; every function of the motion stays the same, by fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...errors import check_known
from ..tree import Tree
from .hold import hold
from .lend import lend
from .merge import merge
from .origins import slide, spread
from .regroup import regroup
from .rest import rest

PASSES: dict[str, Callable[[Tree], Tree]] = {
    "slide": slide,  # origins where their own offsets are short
    "spread": spread,  # origins where offsets are short together
    "regroup": regroup,  # mass to the parent that its joint does not move
    "lend": lend,  # the same, with particles left where they cancel first moments
    "merge": merge,  # parallel joints crossed in one step
    "hold": hold,  # links between parallel joints in one orientation
    "rest": rest,  # last links in the orientation of their joint frames on the parents
}

#: What is done by default, and what else is worth trying: for all, for inverse dynamics.
USUAL = ("slide", "regroup", "merge", "rest")
VARIANTS = (
    USUAL,
    ("spread", "regroup", "hold", "rest"),
    ("spread", "lend", "rest"),
)


def check(names: Iterable[str]) -> None:
    """Refuse the name of a pass that is none."""
    check_known("pass", names, PASSES, place="passes", code="E-MODEL-NAME")


def apply(tree: Tree, names: Iterable[str]) -> Tree:
    """The tree after the named passes, in their order."""
    return apply_each(tree, [tuple(names)])[0]


def apply_each(tree: Tree, variants: Iterable[tuple[str, ...]]) -> list[Tree]:
    """The tree after each list of passes; common beginnings of lists are computed once."""
    trees: dict[tuple[str, ...], Tree] = {(): tree}
    result = []
    for names in variants:
        check(names)
        for count in range(1, len(names) + 1):
            if names[:count] not in trees:
                trees[names[:count]] = PASSES[names[count - 1]](trees[names[: count - 1]])
        result.append(trees[names])
    return result
