"""The acceleration field of a body, a + W r with W = α̂ + ω̂ ω̂, and how it is known over a joint by one column.

A point on the axis of a joint moves with either link. If the joint turns about the coordinate axis k, the column W e_k
is therefore the parent's, turned, and with the products of ω it gives the rest (i, j, k cyclic):

    α_j = W_ik - ω_i ω_k,    α_i = ω_j ω_k - W_jk,    W_ki = ω_i ω_k - α_j,    W_kj = ω_j ω_k + α_i,
    W_jj = -(ω_i² + ω_k²),   W_ii = W_kk + (ω_i² - ω_k²)

so that neither the angular acceleration across the axis nor ω_j² has to be computed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ...expr import Matrix, Vector
from ...kinematics.passes.axes import unit_axis_of
from ...kinematics.tree import BASE, Tree, Turn


def field_from_column(
    k: int, w: Vector, column: Vector, alpha_k: Any, weights: Sequence[int], wanted: Collection[int]
) -> tuple[Matrix, Vector]:
    """W and α of a link that turns about its axis k, whose column W e_k is known.

    `weights` say how much use there is for each column of W, `wanted` which components of α are asked for later: if
    none across the axis is, one doubling takes the place of two subtractions.
    """
    i, j = (k + 1) % 3, (k + 2) % 3
    alpha = {i: w[j] * w[k] - column[j], j: column[i] - w[i] * w[k], k: alpha_k}
    if i in wanted or j in wanted:
        row = {i: w[i] * w[k] - alpha[j], j: w[j] * w[k] + alpha[i]}
    else:
        twice = w[k] + w[k]
        row = {i: w[i] * twice - column[i], j: w[j] * twice - column[j]}
    first, other = (i, j) if weights[j] >= weights[i] else (j, i)
    square, turn, both = w[first] * w[first], w[k] * w[k], w[i] * w[j]
    entries = {
        (i, k): column[i], (j, k): column[j], (k, i): row[i], (k, j): row[j], (k, k): column[k],
        (other, other): -(square + turn), (first, first): column[k] + (square - turn),
        (i, j): both - alpha_k, (j, i): both + alpha_k,
    }  # fmt: skip
    W = Matrix([[entries[a, b] for b in range(3)] for a in range(3)])
    return W, Vector([alpha[i] for i in range(3)])


def spin_axis(turn: Turn) -> int | None:
    """The axis of the link about which it turns against its anchor, if it is a coordinate axis of both."""
    axes = {unit_axis_of(axis) for _, axis in turn.spin}
    k = axes.pop() if len(axes) == 1 else None
    return k if k is not None and unit_axis_of(turn.fixed[:, k]) is not None else None


def importance(tree: Tree, axes: Sequence[int | None]) -> list[list[int]]:
    """For each column of each link's W how many things ask for it: moments, offsets, joints over which it is known."""
    found = _multiplied(tree)
    for link, k in zip(tree.links, axes, strict=True):
        turn = link.long_turn
        along = None if k is None or turn.anchor == BASE else unit_axis_of(turn.fixed[:, k])
        if along is not None:
            found[turn.anchor][along] += 1
    return found


def _multiplied(tree: Tree) -> list[list[int]]:
    """For each column of each link's W how many vectors it multiplies: the first moment and the offsets of joints."""
    offsets = {i: [tree.links[child].fixed.p for child in tree.children[i]] for i in tree.children}
    return [
        [sum(bool(vector[k]) for vector in (link.inertia.h, *offsets[i])) for k in range(3)]
        for i, link in enumerate(tree.links)
    ]


def columns_known(tree: Tree) -> list[int | None]:
    """For each link the axis whose column of W is the same on both sides of its joint; None where α is found first.

    Where nothing asks for W, of the link or of the one it turns against, α alone is cheaper.
    """
    uses = _multiplied(tree)
    asked = [any(own) or any(link.inertia.J.entries()) for own, link in zip(uses, tree.links, strict=True)]
    return [
        spin_axis(link.long_turn) if own and (link.long_turn.anchor == BASE or asked[link.long_turn.anchor]) else None
        for link, own in zip(tree.links, asked, strict=True)
    ]


def wanted_components(tree: Tree, axes: Sequence[int | None]) -> list[set[int]]:
    """For each link the components of its angular acceleration that the links it carries ask for."""
    wanted: list[set[int]] = [set() for _ in tree.links]
    for link, k in zip(tree.links, axes, strict=True):
        turn = link.long_turn
        if turn.anchor != BASE:
            along = None if k is None else unit_axis_of(turn.fixed[:, k])
            wanted[turn.anchor] |= {0, 1, 2} if along is None else {along}
    return wanted
