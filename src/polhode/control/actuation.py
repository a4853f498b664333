"""How controls act on the speeds: B in M(q) u̇ + bias(q, u, t) = B(q) c, and c for what is to be done.

Controls are the inputs that were named, else the declared inputs, else the efforts of joints with a motor, else the
efforts on the (independent) speeds. Efforts and inputs that are no controls are taken to be zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_whole
from ..errors import PolhodeError, listed, warn
from ..expr import Expr, Matrix, Vector, as_expr, directional, free_symbols, quiet_collector, rank, same, substitute
from ..expr.decide import independent_columns
from ..expr.spelling import spelled
from ..geometry.elimination import solve_columns, solve_symmetric
from ..laws.named_symbols import controls_of, declared_controls, joint_efforts


@dataclass(frozen=True, eq=False)
class Actuation:
    """Controls c of a mechanism, and the matrix B with which they act on its speeds."""

    equations: EquationsOfMotion
    controls: tuple[Expr, ...]
    place: str

    @cached_property
    def idle(self) -> dict[Expr, Expr]:
        """Efforts and inputs that are no controls, and zero."""
        acting = [*self.equations.tau, *(each.symbol for each in self.equations.system.inputs.values())]
        return {each: as_expr(0) for each in acting if each not in self.controls}

    @cached_property
    def matrix(self) -> Matrix:
        """B: what a unit of each control does on each speed, ∂(τ - bias)/∂c."""
        forces = [as_expr(entry) for entry in self.equations.forcing]
        columns = [directional(forces, {control: 1}) for control in self.controls]
        acting = {*self.controls, *self.idle}
        bent = [c for c, column in zip(self.controls, columns, strict=True) if acting & {*free_symbols(column)}]
        if bent:
            raise PolhodeError(
                f"the forces are not linear in the input '{spelled(bent[0])}'.",
                place=self.place,
                cure="Make the force itself the input.",
                code="E-CONTROL-101",
            )
        return Matrix.columns_of(columns, len(forces))

    def required(self, accelerations: Sequence[Any]) -> list[Expr]:
        """M v + bias: what the controls together have to do on the speeds for accelerations v, by inverse dynamics."""
        e = self.equations
        nothing = {each: as_expr(0) for each in (*self.controls, *self.idle)}
        with quiet_collector():
            found = substitute(list(e.inverse_dynamics), nothing)
            return substitute(found, dict(zip(e.udot, map(as_expr, accelerations), strict=True)))

    def at_rest(self) -> list[Expr]:
        """What the controls have to do to hold the mechanism where it is: the bias without speeds."""
        still = {u: as_expr(0) for u in self.equations.u}
        return substitute(self.required([0] * len(still)), still)

    def solved(self, forces: Sequence[Any]) -> dict[Expr, Expr]:
        """The controls c with B c = forces; the least of them, where there are more than speeds."""
        B, forces = self.matrix, [as_expr(each) for each in forces]
        count, size = len(self.controls), len(forces)
        if same(B.entries(), Matrix.identity(size).entries()):
            found: Sequence[Any] = forces
        elif count == size:
            found = [row[0] for row in solve_columns(B, [[each] for each in forces])]
        else:
            found = list(B.T @ Vector(solve_symmetric(B @ B.T, forces)))  # c = Bᵀ (B Bᵀ)⁻¹ f
        return dict(zip(self.controls, map(as_expr, found), strict=True))

    @cached_property
    def undriven(self) -> list[Expr]:
        """Speeds that controls cannot drive, the others being driven as they should."""
        rows = self.matrix.T
        driven = independent_columns(rows) if self.controls else []
        return [u for k, u in enumerate(self.equations.u) if k not in driven]

    def check_full(self) -> Actuation:
        """Refuse controls that do not reach all speeds."""
        if rank(self.matrix) < len(self.equations.u):
            names = listed([f"'{u.name}'" for u in self.undriven])
            raise PolhodeError(
                f"'{self.equations.system.name}' is underactuated: {listed(map(spelled, self.controls))} "
                f"{'drive' if self.controls[1:] else 'drives'} all speeds but {names}.",
                place=self.place,
                cure="Use PartialLinearization, EnergyControl or LQR, which take fewer controls.",
                code="E-CONTROL-102",
            )
        return self


def actuation(equations: EquationsOfMotion, inputs: Any, place: str) -> Actuation:
    """The controls of a mechanism whose equations are written on independent speeds."""
    check_whole(equations, f"the law of {place}")
    if equations.constraints is not None and equations.dependent_speeds is None:
        raise PolhodeError(
            f"'{equations.system.name}' has constraints that are kept by multipliers, with which its speeds are not "
            "independent.",
            place=place,
            cure="Derive on independent speeds: derive(independent=[…]).",
            code="E-CONTROL-103",
        )
    if not equations.u:
        raise PolhodeError(
            f"'{equations.system.name}' has nothing that moves.", place=place, cure="Add joints.", code="E-CONTROL-104"
        )
    if inputs is not None:
        found = controls_of(equations, inputs, place)
    else:
        own = {u.name for u in equations.u}
        found = declared_controls(equations)
        if not found:
            found = {name: tau for name, tau in joint_efforts(equations).items() if tau.name in own}
            warn_of_base(equations, found, place)
    if not found:
        raise PolhodeError(
            "no input is named.", place=place, cure="Name the controls: inputs=[…].", code="E-CONTROL-105"
        )
    return Actuation(equations, tuple(found.values()), place)


def warn_of_base(equations: EquationsOfMotion, controls: Mapping[str, Expr], place: str) -> None:
    """Warn where nobody said what drives a mechanism, and its controls would push a free base against the ground."""
    system, chosen = equations.system, {*controls.values()}
    bases = [each for each in system.joints.values() if each.parent == system.ground.name and each.type.kind == "free"]
    if all(each in bases or not each.u for each in system.joints.values()):
        return  # a craft by itself, which has its thrusters
    for base in bases:
        acting = [spelled(tau) for tau in base.tau if tau in chosen]
        if acting:
            warn(
                f"{place}: {listed(acting)} act between the ground and the free base '{base.child}', where no motor "
                "is. Name what is driven, inputs=[…], with PartialLinearization or LQR; or all, if the base is driven.",
                code="W-CONTROL-106",
            )
