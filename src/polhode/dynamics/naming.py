"""The results of a derivation by name or letter, and its symbols by their spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import PolhodeError, shown
from ..expr import Expr, Matrix, latex
from ..expr.spelling import acceleration_of, distinct_spellings
from .equations import EquationsOfMotion

#: What can be result for, and how it is written: the letter on the left of an equation first.
RESULTS = {
    "mass_matrix": ("M",),
    "coriolis_matrix": ("C",),
    "forcing": ("f",),
    "bias": ("bias", "b"),
    "inverse_dynamics": ("τ", "tau"),
    "forward_dynamics": ("u̇", "udot", "u_dot", "u'"),
    "coordinate_rates": ("q̇", "qdot", "q_dot", "q'"),
    "z_rates": ("ż", "zdot", "z_dot", "z'"),
    "kinematic_matrix": ("Γ", "Gamma"),
    "kinetic_energy": ("T",),
    "potential_energy": ("V",),
    "multipliers": ("λ", "lambda"),
}
#: How units of masses and moments of inertia begin.
_MASSES = ("kg", "g", "t")
#: Results that have no letter of their own.
_MORE = ("accelerations", "efforts", "constraint_pivots", "stabilised_dynamics")


def result_name(result: str) -> str:
    """The name of a result given by name or letter."""
    for name, letters in RESULTS.items() if isinstance(result, str) else ():
        if result == name or result in letters:
            return name
    listed = ", ".join(name if name in letters else f"{name} ({letters[0]})" for name, letters in RESULTS.items())
    raise PolhodeError(f"there is no result {shown(result)}.", cure=f"Choose one of {listed}.", code="E-MODEL-NAME")


def latex_of(equations: EquationsOfMotion, of: str, names: Mapping[Expr, str] | None = None) -> str:
    """A result in LaTeX, in readable normal form."""
    name = of if isinstance(of, str) and of in _MORE else result_name(of)
    return latex(getattr(equations, name), names=names, masses=masses_of(equations))


def masses_of(equations: EquationsOfMotion) -> list[Expr]:
    """The parameters that are masses or moments of inertia, by their units or as given to a body."""
    system = equations.system
    masses = [parameter.symbol for parameter in system.parameters.values() if parameter.unit.startswith(_MASSES)]
    inertias = [entry for body in system.bodies.values() for entry in (body.mass, *Matrix(body.inertia).entries())]
    return list(dict.fromkeys([*masses, *(J for J in inertias if isinstance(J, Expr) and J.name)]))


def symbols_of(equations: EquationsOfMotion) -> dict[str, Expr]:
    """Every symbol that may occur, by its spelling in text and in SymPy."""
    system, tree = equations.system, equations.tree
    constants = [record.symbol for table in (system.parameters, system.inputs) for record in table.values()]
    speeds = dict.fromkeys((*tree.u, *equations.u))  # with pseudo-velocities, these too
    moving = [*tree.q, *speeds, *equations.z, *tree.tau, *map(acceleration_of, speeds)]
    ours = [] if equations.constraints is None else [*equations.constraints.multipliers, equations.stabilisation_rate]
    spellings: dict[tuple[str, str], Any] = distinct_spellings([*constants, *moving, *ours, system.time])
    return {written: x for (notation, written), x in spellings.items() if notation != "LaTeX"}
