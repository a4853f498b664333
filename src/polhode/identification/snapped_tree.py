"""Geometry that is almost plain: axes not quite parallel, offsets not quite nothing.

A robot file writes π/2 as 1.5708, and an axis that should be vertical leans by 4·10⁻⁶. Taken exactly, gravity then
tells the mass centre of a link that turns about it; no measurement will.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.regressor import Regressor
from ..expr import Expr, Matrix, Vector, as_expr, constant_value, free_symbols, same
from ..expr.evaluation import Evaluator
from ..geometry import Pose
from ..kinematics.tree import Tree

#: Singular values below so many times `snap`, beside the largest, are told.
_WEAK = 100.0


def snapped_tree(tree: Tree, snap: float) -> tuple[Tree, list[str]]:
    """The tree with rotations and offsets that are almost plain made plain, and what was moved."""
    links, told = [], []
    for link in tree.links:
        fixed = _plain(link.fixed, snap)
        if fixed is not link.fixed:
            told.append(f"Joint '{link.joint}' sits within {snap:g} of plain axes and was put on them.")
        links.append(link if fixed is link.fixed else replace(link, fixed=fixed))
    return (replace(tree, links=tuple(links)), told) if told else (tree, [])


def _plain(X: Pose, snap: float) -> Pose:
    entries = [as_expr(entry) for entry in (*X.R.entries(), *X.p)]
    numbers = [None if free_symbols([entry]) else float(constant_value(entry)) for entry in entries]
    R, p = X.R, X.p
    if all(x is not None and abs(x - round(x)) <= snap for x in numbers[:9]):
        R = Matrix([[as_expr(round(numbers[3 * i + j] or 0)) for j in range(3)] for i in range(3)])
    p = Vector(
        [as_expr(0) if x is not None and abs(x) <= snap else entry for x, entry in zip(numbers[9:], p, strict=True)]
    )
    return X if same(R.entries(), X.R.entries()) and same(p, X.p) else Pose(R, p)


def weak_combinations(equations: EquationsOfMotion, made: Regressor, kept: Sequence[int], snap: float) -> list[str]:
    """Tell of combinations that show only by angles and lengths that are almost nothing."""
    table = equations.system.parameters
    entries = [as_expr(made.Y[r, k]) for r in range(len(equations.u)) for k in kept]
    rng = np.random.default_rng(3)
    symbols = [*free_symbols(entries)]
    known = {x: table[str(x.name)].value for x in symbols if x.data[0] == "parameter" and str(x.name) in table}
    if not kept or any(value is None for value in known.values()):
        return []
    rows, values_of = [], Evaluator(entries)
    for _ in range(2 + 3 * len(kept) // max(1, len(equations.u))):
        values = dict(zip(symbols, rng.uniform(-2, 2, len(symbols)).tolist(), strict=True))
        values |= {x: float(value) for x, value in known.items() if value is not None}
        _make_unit(equations.tree, values)
        found = np.array(values_of(values)).reshape(-1, len(kept))
        if np.isfinite(found).all():
            rows.append(found)
    if not rows:
        return []
    _, sizes, right = np.linalg.svd(np.vstack(rows), full_matrices=False)
    weak = sizes < _WEAK * snap * sizes[0]
    if not weak.any():
        return []
    most = np.argsort(-(right[weak] ** 2).sum(axis=0))[: int(weak.sum())]
    names = [made.names[kept[k]] for k in sorted(most)]
    several = len(names) > 1
    return [
        f"{', '.join(names)} {'show' if several else 'shows'} only by angles or lengths that are almost nothing: "
        "with axes that are exactly parallel or right-angled the number of base parameters would be "
        f"{len(kept) - len(names)}; read the file with a larger snap=, or give a larger one here."
    ]


def _make_unit(tree: Tree, values: dict[Expr, float]) -> None:
    for i in tree.quaternions:
        own = [q for q in tree.q[i : i + 4] if q in values]
        size = float(np.sqrt(sum(values[q] ** 2 for q in own)))
        values.update({q: values[q] / size for q in own})
