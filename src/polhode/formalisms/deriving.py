"""Deriving: from a model, a formalism and how constraints are kept to the equations of motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from ..constraints import Constraints, DependentSpeeds, constraints_of, dependent_speeds_of, pseudo_speeds_of
from ..constraints.auxiliary import with_auxiliary
from ..dynamics.embedding import embedded, with_multipliers
from ..dynamics.equations import EquationsOfMotion, Recipe
from ..dynamics.omission import without
from ..dynamics.truncation import with_small
from ..dynamics.whole import check_rigid
from ..errors import PolhodeError, shown
from ..expr import quiet_collector
from ..kinematics.passes import USUAL, VARIANTS, apply, apply_each, check
from ..kinematics.tree import Tree, build_tree
from ..model.building import check_states, with_inner_states
from ..model.model import Model
from ..model.reading import unknown
from .registry import check_speeds, formalism_of

#: How constraints are kept: by multipliers, all speeds staying, or by speeds that depend on others.
WAYS = ("multipliers", "embedded")


def usual_passes(formalism: str) -> tuple[str, ...] | None:
    """The passes that a formalism is derived with where none are named; None for `auto`, which tries several."""
    passes = formalism_of(formalism).passes
    return None if passes == "several" else USUAL if passes == "usual" else ()


def derive(
    model: Model,
    formalism: str = "auto",
    passes: tuple[str, ...] | None = None,
    constraints: str = "multipliers",
    independent: Sequence[str] | None = None,
    near: Mapping[str, float] | str | None = None,
    pseudo: Mapping[str, Any] | None = None,
    speeds: str | None = None,
    formulation_tree: Sequence[str] | None = None,
) -> EquationsOfMotion:
    """The equations of motion of a system.

    `passes` names the rewritings of the tree (`kinematics.passes`) to apply first: by default the usual ones, none for
    those that take the mechanism as it was written and thus judge the others. Without passes
    the recursions are the book's, with passes those of `formalisms.short`. `constraints` says how loops and rolling are
    kept ("multipliers" or "embedded"), `independent` which speeds stay when they are embedded,
    and `near` a pose, by name or by coordinates, where the dependent ones must follow from them (home by default).
    `pseudo` gives pseudo-velocities, by name, that replace the speeds: as many as there are degrees of freedom.
    `speeds` names a choice of speeds that the formalism itself brings: Kane's method those of Sayers, "sayers".
    `formulation_tree` names the edges along which the network's equations are solved, where not along its joints.
    """
    check(passes or ())
    if formulation_tree is not None and not formalism_of(formalism).takes("chosen"):
        message = f"the formalism {formalism!r} has no formulation tree to choose."
        raise PolhodeError(message, "derive tree", 'Derive with "network", or leave `tree` out.', "E-PAPER-UNSUPPORTED")
    model = with_inner_states(model)
    check_states(model)
    if not formalism_of(formalism).flexible or speeds is not None:
        what = f"the formalism {formalism!r}" if speeds is None else f"the choice of speeds {shown(speeds)}"
        check_rigid(model, what, "Derive with 'newton_euler', 'composite_body', 'poincare' or 'kane'.")
    with quiet_collector():
        tree = build_tree(model)
        pose = _pose(model, near)
        constraint_rows = (
            _constraints_for(model, tree, formalism, pose, formulation_tree) if model.constraints else None
        )
        tree = tree if constraint_rows is None else constraint_rows.tree
    if not isinstance(constraints, str) or constraints not in WAYS:
        message = f"constraints cannot be kept by {shown(constraints)}."
        raise PolhodeError(message, cure=f"Choose {' or '.join(map(repr, WAYS))}.", code="E-DERIVE-NAME")
    make, passed = _free_recipe(model, tree, formalism, passes, formulation_tree)
    if speeds is not None:
        check_speeds(model, formalism, speeds, independent, pseudo)
        with quiet_collector():
            chosen_speeds, recipe = formalism_of(formalism).load(speeds)(model, constraints_of(model, tree))
        return EquationsOfMotion(model, tree, formalism, passed, lambda: recipe, None, chosen_speeds)
    if pseudo is not None:
        with quiet_collector():
            rows = constraints_of(model, tree, _pose(model, near)) if constraint_rows is None else constraint_rows
            chosen = pseudo_speeds_of(model, rows, pseudo)
        make_embedded = _embedded(model, tree, formalism, make, chosen)
        return EquationsOfMotion(model, tree, formalism, passed, make_embedded, constraint_rows, chosen)
    if constraint_rows is None or not constraint_rows.rows:
        for name in independent or ():
            if name not in tree.speeds:
                raise unknown("speed", name, tree.speeds, "derive independent")
        return EquationsOfMotion(model, tree, formalism, passed, make, constraint_rows)
    if constraints == "multipliers":
        return _with_multipliers(EquationsOfMotion(model, tree, formalism, passed, make), cache(make), constraint_rows)
    with quiet_collector():
        dependent_speeds = _solved(model, constraint_rows, independent, near)
    if not dependent_speeds.independent:
        message = "the constraints leave no speed free."
        cure = 'Derive with constraints="multipliers", and see system.diagnose().'
        raise PolhodeError(message, f"system '{model.name}'", cure, "E-CONSTRAINT-SINGULAR")
    make_embedded = _embedded(model, tree, formalism, make, dependent_speeds)
    return EquationsOfMotion(model, tree, formalism, passed, make_embedded, constraint_rows, dependent_speeds)


def reduced(equations: EquationsOfMotion, small: Sequence[str], omit: Sequence[str]) -> EquationsOfMotion:
    """Equations to first order in small variables, and without omitted coordinates, by name."""
    equations = with_small(equations, small) if small else equations
    return without(equations, omit) if omit else equations


def _embedded(
    model: Model, tree: Tree, formalism: str, make: Callable[[], Recipe], dependent_speeds: DependentSpeeds
) -> Callable[[], Recipe]:
    """The recipe on independent speeds or pseudo-velocities: the formalism's own, or from that of the tree."""
    method = formalism_of(formalism)
    if method.takes("dependent_speeds"):
        return lambda: method.load()(model, tree, dependent_speeds)
    return lambda: embedded(tree, make(), dependent_speeds)


def _along(chosen: Sequence[str] | None) -> dict[str, Sequence[str]]:
    """The keyword arguments of a formalism that accepts a formulation tree."""
    return {} if chosen is None else {"chosen": chosen}


def _constraints_for(
    model: Model, tree: Tree, formalism: str, near: Mapping[str, float] | None, chosen: Sequence[str] | None = None
) -> Constraints:
    """The constraints, including rows of the formalism itself, if it has any."""
    method = formalism_of(formalism)
    if not method.provides("row_source"):
        return constraints_of(model, tree, near)
    tree = with_auxiliary(model, tree)
    return constraints_of(model, tree, near, method.load("row_source")(model, tree, **_along(chosen)))


def _solved(
    model: Model, constraints: Constraints, independent: Sequence[str] | None, near: Mapping[str, float] | str | None
) -> DependentSpeeds:
    """The constraints solved for dependent speeds, chosen by the usual rows."""
    pose = _pose_name(model, near)
    if constraints.source is None:
        return dependent_speeds_of(constraints, independent, pose=pose)
    chosen = dependent_speeds_of(constraints_of(model, constraints.tree, _pose(model, near)), independent, pose=pose)
    return replace(chosen, constraints=constraints.only(constraints.generic_rows))


def _pose(model: Model, near: Mapping[str, float] | str | None) -> Mapping[str, float] | None:
    if not isinstance(near, str):
        return near
    if near not in model.poses:
        raise unknown("pose", near, model.poses, "near")
    return model.poses[near].coordinates


def _pose_name(model: Model, near: Mapping[str, float] | str | None) -> str:
    """The pose that a user gave, in words; empty where other numbers were drawn."""
    table = [*model.parameters.values(), *model.inputs.values()]
    if near is None or any(entry.value is None for entry in table):
        return ""
    return f"the pose '{near}'" if isinstance(near, str) else "the pose that was given"


def _with_multipliers(
    free: EquationsOfMotion, make: Callable[[], Recipe], constraints: Constraints
) -> EquationsOfMotion:
    """The equations of a tree with these constraints added to them."""
    return replace(
        free,
        make_recipe=lambda: with_multipliers(free.tree, make(), constraints),
        constraints=constraints,
        narrowed=lambda rows: replace(_with_multipliers(free, make, constraints.only(rows)), narrowed=None),
    )


def _free_recipe(
    model: Model, tree: Tree, formalism: str, names: tuple[str, ...] | None, chosen: Sequence[str] | None = None
) -> tuple[Callable[[], Recipe], tuple[str, ...] | None]:
    """The recipe of the tree without constraints, lazily, and its passes."""
    method = formalism_of(formalism)
    if method.passes == "several":
        variants, choose = VARIANTS if names is None else (names,), method.load()
        return lambda: choose(model, apply_each(tree, variants)), names
    if names is None:
        names = usual_passes(formalism) or ()
    if names and method.passes == "refused":
        message = f"the formalism {formalism!r} takes bodies and joints as they were written; no pass can be applied."
        raise PolhodeError(message, f"system '{model.name}'", "Leave `passes` out.", "E-DERIVE-UNSUPPORTED")
    passes, make = names, partial(method.load(shortened=bool(names)), **_along(chosen))
    ready = make(model, apply(tree, passes)) if method.historical or chosen is not None else None
    return lambda: ready or make(model, apply(tree, passes)), names
