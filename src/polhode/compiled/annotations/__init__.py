"""What the values in generated code mean: sentences, found by fingerprint.

The recursions return what they find on the way, velocities, accelerations, wrenches, inertias, pivots, as records. They
are run on the tree as it was written and on the trees as the passes write it, and each field is filed with a sentence
(`naming`). A value of a program that has the fingerprint of one of them, up to sign, is that quantity, whichever way it
was computed. Numbers, and numbers times one coordinate or speed, are equal to something by chance, and have no note.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from ...dynamics.equations import EquationsOfMotion
from ...dynamics.loads import loads_of
from ...dynamics.regressor import regressor
from ...expr import quiet_collector, topological
from ...expr.text_printer import text
from ...formalisms.short.unit_of_length import Measured, measured
from ...kinematics.passes import VARIANTS, apply
from ...kinematics.tree import Tree
from ...model.records import GROUND, Parameter, State
from ..catalogue import catalogued
from ..quantities import Asked, Outputs
from .catalogue import AXES, LONGEST_NOTE, Catalogue, short, speed_labels
from .naming import Naming

__all__ = ["meanings", "speed_labels"]


def meanings(equations: EquationsOfMotion, of: Asked) -> dict[int, str]:
    """What the values of a function of the catalogue mean, by fingerprint.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("hinge", s.ground, s.body("rod", mass=2, com=(0, 0, -1)), ph.Revolute("y"), coordinates=["a"])
    >>> e = s.derive()
    >>> found = meanings(e, "inverse_dynamics")
    >>> found[e.q[0].fp], found[e.inverse_dynamics[0].fp]
    ('coordinate a', 'effort on hinge')
    """
    make = catalogued(of).make
    catalogue = Catalogue()
    with quiet_collector():
        outputs = make(equations)
        _name_symbols(catalogue, equations)
        _name_results(catalogue, equations, outputs)
        _name_functions(catalogue, outputs)
        trees = [equations.tree, *(apply(equations.tree, names) for names in VARIANTS)]
        named = [_in_metres(catalogue, equations, tree, _how(k)) for k, tree in enumerate(trees)]
        named += [each for k, tree in enumerate(trees) for each in _in_its_unit(catalogue, equations, tree, _how(k))]
        for steps in zip(*(naming.steps(of) for naming in named), strict=True):
            for step in steps:
                step()
    return catalogue.sentences


def _how(k: int) -> str:
    """How masses are in the k-th way to write the tree, of which the first is the user's."""
    return "regrouped " if k else ""


def _in_metres(catalogue: Catalogue, equations: EquationsOfMotion, tree: Tree, how: str) -> Naming:
    return Naming(catalogue, equations, loads_of(equations.system, tree), Measured(tree, Fraction(1), frozenset()), how)


def _in_its_unit(catalogue: Catalogue, equations: EquationsOfMotion, tree: Tree, how: str) -> list[Naming]:
    """The quantities of a tree with its lengths in the unit that the recursions choose, if they choose one."""
    by = measured(tree)
    if by.unit == 1:
        return []
    remarked = replace(catalogue, remark=f", unit {float(by.unit):.4g} m")
    return [Naming(remarked, equations, loads_of(equations.system, tree), by, how)]


def _name_symbols(catalogue: Catalogue, equations: EquationsOfMotion) -> None:
    system, labels = equations.system, speed_labels(equations)
    for q in equations.q:
        catalogue.name(q, f"coordinate {short(q.name)}")
    for u, rate, label in zip(equations.u, equations.udot, labels, strict=True):
        catalogue.name(u, f"speed of {label}")
        catalogue.name(rate, f"acceleration of {label}")
    for effort, label in zip(equations.tau, speed_labels(equations, of_tree=True), strict=True):
        catalogue.name(effort, f"effort on {label}")
    tables: list[tuple[str, Mapping[str, Parameter | State]]] = [
        ("parameter", system.parameters), ("input", system.inputs), ("state", system.states)
    ]  # fmt: skip
    for kind, table in tables:
        for name, given in table.items():
            unit = f", {given.si_unit.replace('/', ' per ')}" if given.si_unit else ""
            catalogue.name(given.symbol, f"{kind} {short(name)}{unit}")
    catalogue.name(system.time, "time")


def _name_results(catalogue: Catalogue, equations: EquationsOfMotion, outputs: Outputs) -> None:
    labels, coordinates = speed_labels(equations), [short(name) for name in equations.coordinates]
    bodies = [short(name) for name in equations.system.bodies if name != GROUND]
    state_rates = [f"rate of state {short(name)}" for name in equations.states]
    words = {
        "udot": [f"acceleration of {label}" for label in labels],
        "tau": [f"effort on {label}" for label in labels],
        "bias": [f"bias on {label}" for label in labels],
        "qdot": [f"rate of {name}" for name in coordinates],
        "xdot": [f"rate of {name}" for name in coordinates]
        + [f"acceleration of {label}" for label in labels]
        + state_rates,
        "zdot": state_rates,
        "kinetic": ["kinetic energy"],
        "potential": ["potential energy"],
        "mass_matrix": [f"mass matrix, {row} row, {column} column" for row in labels for column in labels],
        "coriolis_matrix": [f"Coriolis matrix, {row} row, {column} column" for row in labels for column in labels],
        "angular": [f"angular momentum of the whole, {axis}" for axis in AXES],
        "linear": [f"linear momentum of the whole, {axis}" for axis in AXES],
        "centroidal": [f"angular momentum about the mass centre of the whole, {axis}" for axis in AXES],
        "center_of_mass": [f"mass centre of the whole, {axis}" for axis in AXES],
        "gravity_terms": [f"effort on {label} that carries the weight" for label in labels],
        "position": [f"position of {body} in the ground, {axis}" for body in bodies for axis in AXES],
        "rotation": [f"rotation of {body} in the ground, {a}{b}" for body in bodies for a in AXES for b in AXES],
    }
    for top, noun in (("tau", "effort on"), ("udot", "acceleration of")):
        for below in ("q", "u", "udot", "tau"):
            words[f"{top}_d_{below}"] = [
                f"derivative of {noun} {row} by {below} of {column}" for row in labels for column in labels
            ]
    words["known"] = [f"effort on {label} that other loads take" for label in labels]
    if any(key == "regressor" for key, _, _ in outputs):
        kinds = [f"{each.kind} of {short(each.owner)}" for each in regressor(equations).parameters]
        words["regressor"] = [f"effort on {label} for a unit of {kind}" for label in labels for kind in kinds]
    columns = [*coordinates, *(f"speed of {label}" for label in labels), *map(short, equations.states)]
    words["xdot_d_x"] = [f"derivative of {row} by {column}" for row in words["xdot"] for column in columns]
    words["xdot_d_t"] = [f"derivative of {row} by time" for row in words["xdot"]]
    for key, _, entries in outputs:
        for entry, sentence in zip(entries, words.get(key, ()), strict=False):
            catalogue.name(entry, sentence, by_chance=False)


def _name_functions(catalogue: Catalogue, outputs: Outputs) -> None:
    """Sines, cosines and roots, and what they are taken of, where that is short enough to be read."""
    words = {"sin": "sine of", "cos": "cosine of", "sqrt": "square root of"}
    for node in topological(root for _, _, entries in outputs for root in entries):
        if node.op in words:
            argument = text(node.args[0])
            if len(argument) <= LONGEST_NOTE - 16:
                catalogue.name(node.args[0], argument)
                catalogue.name(node, f"{words[node.op]} {argument}")
