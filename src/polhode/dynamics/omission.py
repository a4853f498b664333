"""Omitted coordinates: equations without coordinates that nothing depends on.

M. W. Sayers, "Symbolic vector/dyadic multibody formalism for tree-topology systems" (Notational Conventions): there are
fewer coordinates than speeds where "coordinates that are not of interest are omitted". Where a vehicle is on its plain,
and which way it heads, changes nothing: the differential equation of such a coordinate is left out, its speed stays.

A coordinate matters where an equation of motion, the rate of a coordinate that stays or of a first-order state, or a
constraint depends on it. That is decided by fingerprint, along the directions in which the coordinate can move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ..errors import PolhodeError, check_known, fault_at
from ..expr import Expr, as_expr, directional, free_symbols, quiet_collector, substitute
from ..kinematics.tree import Tree
from ..model.expressions import acting_parts, expressions_in
from .equations import EquationsOfMotion

_PLACE = "derive omit"
fault = fault_at(_PLACE)
_RATE = "the rate of the coordinate"


def without(full: EquationsOfMotion, names: Sequence[str]) -> EquationsOfMotion:
    """The same equations without coordinates, by their names or by those of whole joints."""
    tree = full.tree
    left_out = dict.fromkeys(q for name in names for q in _named(full, name))
    home = {tree.q[first]: as_expr(1) for first in tree.quaternions}
    reduced = replace(full, omitted={q: home.get(q, as_expr(0)) for q in left_out})
    narrowed = full.narrowed
    if narrowed is not None:
        reduced = replace(reduced, narrowed=lambda rows: replace(narrowed(rows), omitted=reduced.omitted))
    _ = full.recipe  # made once for both
    vars(reduced)["recipe"] = full.recipe
    with quiet_collector():
        _check_quaternions(reduced)
        for q, direction in _directions(tree, reduced.omitted):
            _check_matters_not(reduced, q, direction)
    return reduced


def depends_on(equations: EquationsOfMotion, entries: Sequence[Expr]) -> Expr | None:
    """An omitted coordinate that expressions depend on; None where they are at most written in it."""
    if not any(q in equations.omitted for q in free_symbols(entries)):
        return None
    for q, direction in _directions(equations.tree, equations.omitted):
        if any(directional(entries, direction)):
            return q
    return None


def without_omitted(equations: EquationsOfMotion, what: str, entries: Sequence[Expr]) -> list[Expr]:
    """Expressions that omitted coordinates are only written in, without them; refused where they depend on one."""
    q = depends_on(equations, entries)
    if q is not None:
        message = f"the result depends on the coordinate '{q.name}', which these equations omit."
        raise PolhodeError(message, what, "Derive without omitting it.", "E-DERIVE-DEPENDENCE")
    return substitute(entries, equations.omitted)


def _named(equations: EquationsOfMotion, name: str) -> list[Expr]:
    system, tree = equations.system, equations.tree
    symbols = {name: list(joint.q) for name, joint in system.joints.items()}
    symbols |= {q.name: [q] for joint in system.joints.values() for q in joint.q}
    check_known("coordinate or joint", [name], symbols, place=_PLACE, code="E-DERIVE-NAME")
    strange = [q for q in symbols[name] if q not in tree.q]
    if strange or not symbols[name]:
        word = f"the coordinate '{strange[0].name}' is no unknown" if strange else f"joint '{name}' does not move"
        raise PolhodeError(f"{word}, so that there is nothing to omit.", _PLACE, "Leave it out.", "E-DERIVE-MISSING")
    return symbols[name]


def _check_quaternions(equations: EquationsOfMotion) -> None:
    tree, omitted = equations.tree, equations.omitted
    for first in tree.quaternions:
        four = [q for q in tree.q[first : first + 4] if q in omitted]
        if four and len(four) < 4:
            message = f"'{four[0].name}' is one of the four components of a quaternion, which are omitted together."
            raise fault(message, "Name all four, or none.", "E-DERIVE-UNSUPPORTED")


def _directions(tree: Tree, omitted: Mapping[Expr, Expr]) -> Iterator[tuple[Expr, Mapping[Expr, Expr]]]:
    """Directions in which omitted coordinates move, each with one coordinate; a quaternion's along its turns."""
    turned = {tree.q[k] for first in tree.quaternions for k in range(first, first + 4)}
    for q in omitted:
        if q not in turned:
            yield q, {q: as_expr(1)}
    for column in tree.kinematic_matrix().columns if turned & {*omitted} else ():
        moved = {q: as_expr(rate) for q, rate in zip(tree.q, column, strict=True) if q in omitted and q in turned}
        if any(moved.values()):
            yield next(iter(moved)), moved


def _check_matters_not(equations: EquationsOfMotion, q: Expr, direction: Mapping[Expr, Expr]) -> None:
    words, entries = zip(*_stated(equations), strict=True)
    for word, slope in zip(words, directional(entries, direction), strict=True):
        if slope:
            how = _through(equations, q, direction)
            message = f"the coordinate '{q.name}' cannot be omitted: {word} depends on it{how}."
            cure = f"Keep '{q.name}'{', or omit that too' if word.startswith(_RATE) else ''}."
            raise fault(message, cure, "E-DERIVE-DEPENDENCE")


def _stated(equations: EquationsOfMotion) -> Iterator[tuple[str, Expr]]:
    """All that must hold or be integrated without the omitted coordinates, in words."""
    for u, needed, effort in zip(equations.u, equations.inverse_dynamics, equations.efforts, strict=True):
        yield f"the equation of '{u.name}'", as_expr(needed - effort)
    for name, rate in zip(equations.states, equations.z_rates, strict=True):
        yield f"the rate of state '{name}'", as_expr(rate)
    for name, rate in zip(equations.coordinates, equations.coordinate_rates, strict=True):
        yield f"{_RATE} '{name}'", as_expr(rate)
    if equations.constraints is not None:
        for row in equations.constraints.rows:
            yield f"the constraint '{row.name}'", as_expr(row.rate)
            yield f"the constraint '{row.name}'", as_expr(row.value or 0)
        for name, value in equations.constraints.definitions.items():
            yield f"the constraint '{name}'", value


def _through(equations: EquationsOfMotion, q: Expr, direction: Mapping[Expr, Expr]) -> str:
    """The first part of the model that depends on a coordinate or an effort, in words."""
    for word, part in acting_parts(equations.system):
        if q in free_symbols(substitute(list(expressions_in(part)), equations.tree.followed)):
            return f", through {word}"
    turned = {tau: u.name for tau, u in zip(equations.tau, equations.tree.u, strict=True)}
    met = [turned[tau] for tau in free_symbols(directional(equations.efforts, direction)) if tau in turned]
    return f", through the effort on '{met[0]}'" if met else ""
