"""Operations as polhode computes them: derived on the graph and planned."""

from __future__ import annotations

from collections.abc import Sequence

from ....codegen.ir.count import count
from ....codegen.plan import plan
from ....expr import Expr, as_expr, free_symbols, quiet_collector
from ....expr.spelling import acceleration_of
from ....formalisms import hollerbach_3x3, hollerbach_4x4, silver, uicker_kahn
from ....formalisms.short import newton_euler
from ....kinematics.passes import USUAL, apply
from ....kinematics.tree import Tree, build_tree
from ....model.model import Model
from ....model.system import System
from .arms import general_tree
from .table_3 import known
from .written import Count

_RECIPES = {
    "uicker_kahn": uicker_kahn.recipe,
    "hollerbach_4x4": hollerbach_4x4.recipe,
    "hollerbach_3x3": hollerbach_3x3.recipe,
    "silver": silver.recipe,
    "newton_euler": newton_euler.recipe,
}


def on_the_graph(formalism: str, n: int) -> Count:
    """The run part of the plan for a general arm of n joints, every constant of it a symbol of its own."""
    return _planned(formalism, System("general arm").model(), general_tree(n))


def customised(formalism: str, model: Model) -> Count:
    """The run part of the plan for a mechanism as it is, rewritten first as `derive` would where that is ours to do."""
    tree = build_tree(model)
    return _planned(formalism, model, apply(tree, USUAL) if formalism == "newton_euler" else tree)


def _planned(formalism: str, model: Model, tree: Tree) -> Count:
    with quiet_collector():
        ud = [acceleration_of(u) for u in tree.u]
        tau = [as_expr(entry) for entry in _RECIPES[known(formalism)](model, tree).inverse(ud)]
        arrays = [("q", list(tree.q)), ("u", list(tree.u)), ("udot", ud)]
        operations = count(plan("inverse_dynamics", arrays, [("tau", (len(tau),), tau)], _constants(tau, arrays)))
    return Count(operations.multiplications, operations.additions)


def _constants(tau: Sequence[Expr], arrays: Sequence[tuple[str, list[Expr]]]) -> list[Expr]:
    moving = {entry for _, entries in arrays for entry in entries}
    return [entry for entry in free_symbols(tau) if entry not in moving]
