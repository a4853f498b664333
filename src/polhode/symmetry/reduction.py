"""Routh's reduction: symmetries taken out of the equations, their momenta constants in them.

E. J. Routh (1877); J. E. Marsden and T. S. Ratiu, *Introduction to Mechanics and Symmetry* (1999), §8.9. With the
fields of symmetries as rows of Ξ(q), Ξ M u = μ are linear conditions on the speeds, which every motion keeps by itself.
Solved for as many speeds they give u = E u_r + e, and since Ξ M E = 0

    Eᵀ M E u̇_r + Eᵀ b = Eᵀ τ

no acceleration of the speeds that went is left, and no force keeps the conditions. Where the fields are cyclic
coordinates with speeds u_k of their own, these are Routh's equations

    u_k = M_kk⁻¹ (μ - M_kr u_r)
    (M_rr - M_rk M_kk⁻¹ M_kr) u̇_r + b_r - M_rk M_kk⁻¹ b_k = τ_r - M_rk M_kk⁻¹ τ_k

and the coordinates go too. So the reduced system is the model with conditions on its speeds, derived with dependent
speeds; it runs, compiles and is compared as any other. V + ½ μᵀ (Ξ M Ξᵀ)⁻¹ μ is the amended potential: where it is
stationary, the mechanism turns steadily (a relative equilibrium), if M_kr does not enter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import refuse_contacts
from ..errors import PolhodeError, fault_at
from ..expr import Expr, Matrix, Vector, as_expr, evaluate, quiet_collector
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..formalisms.derivation import derivation_of
from ..geometry.elimination import kernel, solve_symmetric
from ..model.system import System
from ..model.unit import si_values
from ..simulate.constraints.assembly import assemble
from .symmetries import Symmetry, symmetries

if TYPE_CHECKING:
    from ..simulate import RunOptions, Trajectory
    from ..surface.equations import Equations

fault = fault_at("reduce")


@dataclass(frozen=True, eq=False, repr=False)
class Reduced(Typeset):
    """Equations without cyclic coordinates or other symmetries: q̇ = rates, M u̇ + bias = efforts, on what is left.

    `momenta` are the symbols μ of what is conserved, parameters of `equations`, which run and compile; `removed` are
    the rates of the cyclic coordinates, which are found again by an integral over the motion. All hold while no effort
    acts along the symmetries and the inputs that these name are nil.
    """

    whole: EquationsOfMotion
    equations: Equations
    symmetries: tuple[Symmetry, ...]
    momenta: Vector
    q: Vector
    u: Vector
    mass_matrix: Matrix  # Eᵀ M E
    bias: Vector  # Eᵀ b, with the speeds that went put in
    efforts: Vector  # Eᵀ τ
    coordinate_rates: Vector

    def __repr__(self) -> str:
        gone = ", ".join(symmetry.coordinate or symmetry.name for symmetry in self.symmetries)
        kept, left = (", ".join(map(spelled, symbols)) for symbols in (self.momenta, self.q))
        verb = "momentum is" if len(self.momenta) == 1 else "momenta are"
        return f"Reduced(without {gone}, whose {verb} {kept}; left: {left})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [
            (r"\dot{q}", self.coordinate_rates), ("M", self.mass_matrix), ("h", self.bias), (r"\tau", self.efforts),
            (r"V_{\mu}", self.amended_potential),
        ]  # fmt: skip

    def _sentences(self) -> list[str]:
        return [f"M u' + h = tau on what is left; {'; '.join(map(str, self.symmetries))}."]

    @cached_property
    def removed(self) -> dict[str, Expr]:
        """The rates of cyclic coordinates, by name, as functions of what is left and of the momenta."""
        rates = dict(zip(self.whole.coordinates, self.whole.coordinate_rates, strict=True))
        names = [symmetry.coordinate for symmetry in self.symmetries if symmetry.coordinate is not None]
        gone = self.equations.record.in_independent_speeds(self.whole.in_tree_speeds([rates[name] for name in names]))
        return dict(zip(names, gone, strict=True))

    @cached_property
    def amended_potential(self) -> Expr:
        """V + ½ μᵀ (Ξ M Ξᵀ)⁻¹ μ."""
        with quiet_collector():
            fields = Matrix([list(symmetry.field) for symmetry in self.symmetries])
            locked = fields @ (self.whole.mass_matrix @ fields.T)
            turning = self.momenta.dot(solve_symmetric(locked, list(self.momenta)))
            return as_expr(self.whole.potential_energy + turning / 2)

    @property
    def symmetry(self) -> Symmetry:
        """The symmetry, where there is one."""
        if len(self.symmetries) != 1:
            message = f"the equations were reduced by {len(self.symmetries)} symmetries, not by one."
            raise fault(message, "Take `symmetries`, `momenta` and `removed`.", "E-SYMMETRY-UNSUPPORTED")
        return self.symmetries[0]

    @property
    def coordinate(self) -> str | None:
        """The cyclic coordinate, of one symmetry."""
        return self.symmetry.coordinate

    @property
    def momentum(self) -> Expr:
        """The symbol μ, of one symmetry."""
        _ = self.symmetry  # there must be one
        return as_expr(self.momenta[0])

    @property
    def speed(self) -> Expr | None:
        """The rate of the cyclic coordinate, of one symmetry."""
        return self.removed.get(self.symmetry.coordinate or "")

    def momenta_at(
        self, start: Any = None, speeds: Any = None, parameters: Mapping[str, Any] | None = None
    ) -> dict[str, float]:
        """The momenta, by the names of their symbols, that a state of the whole mechanism has."""
        values = self._state(start, speeds, parameters)
        momenta = evaluate([symmetry.momentum for symmetry in self.symmetries], values)
        return {mu.name: value for mu, value in zip(self.momenta, momenta, strict=True)}

    def _state(self, start: Any, speeds: Any, parameters: Mapping[str, Any] | None) -> dict[Expr, float]:
        equations, table = self.whole, self.whole.system.parameters
        first = assemble(derivation_of(equations), start, speeds, parameters=parameters)
        numbers = {**{name: entry.value for name, entry in table.items()}, **(si_values(table, parameters) or {})}
        values = {table[name].symbol: float(x) for name, x in numbers.items() if name in table and x is not None}
        values |= zip((*equations.q, *equations.u, *equations.z), (*first.q, *first.u, *first.z), strict=True)
        return values | {equations.system.time: 0.0}

    def simulate(self, duration: float, **options: Unpack[RunOptions]) -> Trajectory:
        """Run what is left from a state of the whole mechanism, whose momenta it has; options as of `simulate`."""
        self._check_momenta_kept(options)
        state = options.pop("start", None), options.pop("speeds", None), options.pop("parameters", None)
        values, equations = self._state(*state), self.whole
        start = {x.name: values[x] for x in (*self.q, *self.equations.z)}
        in_tree = equations.in_independent_speeds(self.equations.record.in_tree_speeds(self.u))
        speeds = dict(zip(self.equations.speeds, evaluate(list(in_tree), values), strict=True))
        parameters = {**(state[2] or {}), **self.momenta_at(*state)}
        run: RunOptions = {**options, "start": start, "speeds": speeds, "parameters": parameters}
        return self.equations.simulate(duration, **run)

    def _check_momenta_kept(self, options: Mapping[str, Any]) -> None:
        """Refuse efforts and inputs by name that would change a momentum, and efforts that are not by name."""
        moved = {name for law in self.symmetries for name, x in zip(self.whole.speeds, law.field, strict=True) if x}
        held = {"tau": moved, "inputs": {name for symmetry in self.symmetries for name in symmetry.without}}
        for kind, names in held.items():
            acting = options.get(kind) if names else None
            wrong = [name for name in acting if name in names] if isinstance(acting, Mapping) else [kind]
            if acting is not None and wrong:
                message = f"'{wrong[0]}' acts along a symmetry, and would change its momentum."
                raise fault(message, "Run the whole mechanism, or name others alone.", "E-SYMMETRY-UNSUPPORTED")


def reduce(equations: EquationsOfMotion, names: Sequence[str], reconstruct: bool = False) -> Reduced:
    """The equations without symmetries, by their names or by those of cyclic coordinates; their momenta are constants.

    With `reconstruct`, cyclic coordinates stay among the coordinates, and a run gives them too; without, those go that
    nothing else depends on.
    """
    refuse_contacts(equations.system.contacts, "reduction")
    with quiet_collector():
        chosen = _chosen(equations, names)
        extended = System.of(equations.system)
        momenta = []
        for number, law in enumerate(chosen, start=1):
            name = "mu" if len(chosen) == 1 else f"mu_{law.coordinate or number}"
            mu = extended.parameter(_unused(extended, name))
            momenta.append(mu)
            extended.constrain_speed(equations.in_tree_speeds([law.momentum])[0] - mu, f"momentum of {law.name}")
        options = {"constraints": "embedded", **_speeds(equations, chosen)}
        reduced = extended.derive(equations.formalism, **options)
        omit: list[str] = []
        for name in () if reconstruct else [law.coordinate for law in chosen if law.coordinate is not None]:
            with suppress(PolhodeError):  # where speeds or efforts along axes of a body turn with it, it stays
                reduced = extended.derive(equations.formalism, **options, omit=[*omit, name])
                omit.append(name)
        left = reduced.q, reduced.u, reduced.mass_matrix, reduced.bias, reduced.efforts, reduced.coordinate_rates
    return Reduced(equations, reduced, chosen, Vector(momenta), *left)


def _chosen(equations: EquationsOfMotion, names: Sequence[str]) -> tuple[Symmetry, ...]:
    offered = symmetries(equations)
    by_name = {law.name: law for law in offered} | {law.coordinate: law for law in offered if law.coordinate}
    for name in names:
        if name not in by_name:
            listed = ", ".join(symmetry.name for symmetry in offered)
            message = f"'{name}' is no cyclic coordinate of '{equations.system.name}', nor another symmetry of it."
            cure = f"Symmetries are {listed}." if listed else "It has none; see symmetries()."
            raise fault(message, cure, "E-SYMMETRY-UNSUPPORTED")
    chosen = tuple(dict.fromkeys(by_name[name] for name in names))
    if not 0 < len(chosen) < len(equations.u):
        message = f"{len(chosen)} symmetries are named, and there are {len(equations.u)} speeds."
        raise fault(message, "Name one or more, and fewer than there are speeds.", "E-SYMMETRY-UNSUPPORTED")
    return chosen


def _unused(system: System, name: str) -> str:
    """A name like this that nothing of a system has."""
    symbols = (x.name for joint in system.joints.values() for x in (*joint.q, *joint.u))
    taken = {*symbols, *system.parameters, *system.inputs, *system.states}
    while name in taken:
        name += "_"
    return name


def _speeds(equations: EquationsOfMotion, chosen: Sequence[Symmetry]) -> dict[str, Any]:
    """The speeds that are left: others than those of the symmetries, or pseudo-velocities P u with P Ξᵀ = 0.

    [P; Ξ M] is regular wherever the symmetries are independent: P v = 0 makes v a combination of them, Ξ M v = 0 nil.
    """
    if equations.constraints is not None or equations.dependent_speeds is not None:
        return {}
    fields = [[as_expr(entry) for entry in symmetry.field] for symmetry in chosen]
    moved = {k for field in fields for k, entry in enumerate(field) if entry}
    if len(moved) == len(chosen):
        return {"independent": [name for k, name in enumerate(equations.speeds) if k not in moved]}
    P = kernel(fields, without_division=True).columns
    return {"pseudo": {f"shape_{k}": as_expr(row.dot(equations.u)) for k, row in enumerate(P, start=1)}}
