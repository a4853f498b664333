"""Rooted trees, by which the order of a Runge–Kutta method is told: one condition each (Butcher)."""

from functools import cache
from typing import Any

import numpy as np

#: A tree is its branches, sorted: () is one node, ((),) two.
Tree = tuple[Any, ...]


@cache
def trees(count: int) -> tuple[Tree, ...]:
    """All rooted trees of so many nodes.

    >>> [len(trees(count)) for count in range(1, 9)]
    [1, 1, 2, 4, 9, 20, 48, 115]
    """
    if count == 1:
        return ((),)
    grown = {
        tuple(sorted((*tree, branch)))
        for nodes in range(1, count)
        for branch in trees(nodes)
        for tree in trees(count - nodes)
    }
    return tuple(sorted(grown))


def size(tree: Tree) -> int:
    """How many nodes a tree has."""
    return 1 + sum(size(branch) for branch in tree)


def density(tree: Tree) -> int:
    """γ(t): the product of the sizes of all its subtrees."""
    made = size(tree)
    for branch in tree:
        made *= density(branch)
    return made


def elementary_weights(tree: Tree, a: np.ndarray) -> np.ndarray:
    """Φ_i(t) = Π over branches of Σ_j a_ij Φ_j(branch), for each stage i."""
    made = np.ones(len(a))
    for branch in tree:
        made = made * (a @ elementary_weights(branch, a))
    return made
