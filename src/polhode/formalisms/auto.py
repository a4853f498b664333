"""The shortest form of each function of a mechanism, by trial.

Candidates are Newton-Euler for inverse dynamics, composite bodies for the mass matrix, composite and articulated bodies
(from the tips, or along the zeros of M as Sayers does) for accelerations, each on the tree as the variants of
passes write it. The papers behind them (Luh, Walker and Paul 1980; Walker and Orin 1982; Featherstone 1983; Sayers
1991) are named in their files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..dynamics.equations import Recipe, solve
from ..expr import Matrix, Vector, as_expr, topological
from ..expr.field import P
from ..kinematics.tree import Tree
from ..model.model import Model
from .short import articulated_body, composite_body, newton_euler

#: Above this many couplings between speeds the quadratic method is not even tried.
_COUPLING_LIMIT = 200

#: How many of the trees are tried for all functions; the rest suits inverse dynamics alone (`passes.VARIANTS`).
_ALL = 2

#: Cycles that an operation waits for its arguments' own; and what such a cycle on the longest path costs beside an
#: operation, found by timing arms: elimination has fewer operations by articulated bodies, and shorter paths by others.
_CYCLES = {"add": 4, "sub": 4, "mul": 4, "div": 13, "sin": 20, "cos": 20, "sqrt": 18}
_WAIT = 0.6

#: Up to this many speeds the mass matrix is also tried column by column.
_FEW = 4


def recipe(model: Model, trees: Sequence[Tree]) -> Recipe:
    """Pick per function the form with the least cost; the trees are the same mechanism."""
    composite = [composite_body.recipe(model, tree) for tree in trees]
    usual = list(zip(trees, composite, strict=True))[:_ALL]

    def forward() -> Vector:
        candidates = []
        if _couplings(trees[0]) <= _COUPLING_LIMIT:
            candidates += [solve(tree, recipe_) for tree, recipe_ in usual]
            candidates += [solve(tree, composite_body.recipe_by_sparsity(model, tree)) for tree, _ in usual]
        if len(trees[0].u) <= _FEW:
            plain = [replace(newton_euler.recipe(model, tree), reference=None) for tree, _ in usual]
            candidates += [solve(tree, form) for (tree, _), form in zip(usual, plain, strict=True)]
        if not trees[0].is_coupled or not candidates:  # else articulated bodies are left to composite ones
            candidates += [solve(tree, articulated_body.recipe(model, tree)) for tree, _ in usual]
        return min(candidates, key=lambda udot: _operations(udot) + _WAIT * _longest_wait(udot))

    def inverse(ud: Sequence[Any]) -> Vector:
        return min((form.inverse(ud) for form in composite), key=_operations)

    def mass_matrix() -> Matrix:
        candidates = [form.mass_matrix() for _, form in usual]
        if len(trees[0].u) <= _FEW:
            candidates += [newton_euler.recipe(model, tree).mass_matrix() for tree, _ in usual]
        return min(candidates, key=lambda M: _operations(M.entries()))

    return Recipe(
        forward=forward,
        inverse=inverse,
        mass_matrix=mass_matrix,
        inverses=tuple(form.inverse for _, form in usual),
    )


def _operations(roots: Iterable[Any]) -> int:
    """How many values, up to sign, depend on more than parameters and need an operation."""
    varies: set[int] = set()
    values: set[int] = set()
    for node in topological(map(as_expr, roots)):
        if node.op == "symbol":
            if node.data[0] != "parameter":
                varies.add(id(node))
        elif any(id(arg) in varies for arg in node.args):
            varies.add(id(node))
            if node.op != "neg":
                values.add(min(node.fp, P - node.fp))
    return len(values)


def _longest_wait(roots: Iterable[Any]) -> int:
    """Cycles on the longest path from arguments to results."""
    done: dict[int, int] = {}
    ends = [as_expr(root) for root in roots]
    for node in topological(ends):
        done[id(node)] = max((done[id(arg)] for arg in node.args), default=0) + _CYCLES.get(node.op, 0)
    return max((done[id(end)] for end in ends), default=0)


def _couplings(tree: Tree) -> int:
    depth = [0] * len(tree.u)
    for speed in tree.speed_order:
        parent = tree.speed_parent[speed]
        depth[speed] = 1 if parent < 0 else depth[parent] + 1
    return sum(depth)
