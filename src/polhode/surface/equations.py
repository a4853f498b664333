"""Equations: what `System.derive` returns, the equations of motion and all that can be done with them.

Each method enters the room that does it; nothing of these rooms is loaded before it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ..control_geometry import ControlGeometryMethods
from ..equilibria import EquilibriumMethods
from ..identification import IdentificationMethods
from ..inverse_kinematics import InverseKinematicsMethods
from ..linear import LinearMethods
from ..papers.kwatny import KwatnyMethods
from ..papers.mladenova import MladenovaMethods
from ..papers.sayers import SayersMethods
from ..simulate.methods import RunMethods
from ..symmetry import SymmetryMethods
from .analysis_methods import AnalysisMethods
from .control_methods import ControlMethods
from .kinematic_methods import KinematicMethods

if TYPE_CHECKING:
    from ..codegen.ir.count import Operations
    from ..compiled.export import ExportOptions
    from ..compiled.functions import Functions
    from ..compiled.quantities import Asked, Wanted
    from ..constraints import Constraints, DependentSpeeds
    from ..dynamics.dropped import Dropped
    from ..dynamics.power import Power
    from ..dynamics.reactions import Reaction
    from ..expr import Expr, Matrix, Vector
    from ..kinematics.tree import Tree
    from ..model import Model


@dataclass(frozen=True, repr=False)
class Equations(
    KinematicMethods,
    InverseKinematicsMethods,
    AnalysisMethods,
    SymmetryMethods,
    ControlGeometryMethods,
    ControlMethods,
    EquilibriumMethods,
    LinearMethods,
    IdentificationMethods,
    RunMethods,
    KwatnyMethods,
    MladenovaMethods,
    SayersMethods,
):
    """The equations of motion of a system, as derived by one formalism.

        q̇ = Γ(q) u,    M(q) u̇ + bias(q, u, z, t, inputs) = τ,    ż = rate(q, u, z, t, inputs)

    With constraints kept by multipliers, M u̇ + bias = τ + Aᵀλ; with dependent speeds, u are the independent ones alone.
    z are states without mass, where the system has some. Each result is a graph, made when it is first asked for.

    Arguments that methods share: the `name` of a body or frame; a state `at` which, or a `start` from which, by names;
    `parameters`, values by name that are not the model's; the `seed` of random numbers.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> m, l = s.parameter("m", 2), s.parameter("l", 1)
    >>> _ = s.joint("q", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"), speeds=["u"])
    >>> e = s.derive()
    >>> e.mass_matrix, e.bias, e.agrees_with(s.derive("kane")), e.compile().mass_matrix([0.0]).tolist()
    (Matrix([[l**2*m]]), Vector([981*l*m*sin(q)/100]), True, [[2.0]])

    What `Equations` give, by name:

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> m, l = s.parameter("m", 2), s.parameter("l", 1)
    >>> _ = s.joint("q", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"), speeds=["u"])
    >>> e = s.derive()
    >>> e.coordinates, e.speeds, e.states, e.q, e.u, e.z, e.tau, e.udot
    (['q'], ['u'], [], Vector([q]), Vector([u]), Vector([]), Vector([tau_u]), Vector([u']))
    >>> e.mass_matrix, e.inverse_mass_matrix, e.coriolis_matrix, e.bias == e.gravity_terms
    (Matrix([[l**2*m]]), Matrix([[1/(l**2*m)]]), Matrix([[0]]), True)
    >>> e.inverse_dynamics, e.forward_dynamics == e.accelerations, e.forcing, e.efforts
    (Vector([981*l*m*sin(q)/100 + l**2*m*u']), True, Vector([tau_u - 981*l*m*sin(q)/100]), Vector([tau_u]))
    >>> e.kinetic_energy, e.potential_energy, e.mass_moment[0], e.state_rates[0], e.z_rates, e.momentum[1][0]
    (l**2*m*u**2/2, -981*l*m*cos(q)/100, m, u, Vector([]), -l*m*u*cos(q))
    >>> e.formalism, e.passes, e.system.name, e.tree.speeds, "m" in e.symbols, e.constraints, e.dependent_speeds
    ('auto', None, 'pendulum', ['u'], True, None, None)
    >>> e.agrees_with(s.derive("kane")), "l^{2}" in e.latex("M"), e.operations("bias").total, e.record.mass_matrix
    (True, True, 1, Matrix([[l**2*m]]))
    >>> e.simulate(1, start={"q": 0.1}).status, e.sweep({"l": [1, 2]}, 1, workers=1).shape
    ('done', (2,))
    >>> e.reaction("q").force[1], list(e.power().ports), e.assemble({"q": 1}).q.tolist()
    (0, ['effort u'], [1.0])
    >>> s.derive("kane", report=True).report is not None, e.dropped
    (True, Dropped(nothing was dropped))
    >>> q, u = e.stepper(dt=0.1).step()
    >>> len(e.sensitivities(1, ["l"], start={"q": 0.1}).t)
    201
    >>> list(e.gradient(1, ["l"], of=e.q[0], start={"q": 0.1}))
    ['l']
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     [path.name for path in e.export("c", folder)][:2]
    ['pendulum_forward_dynamics.h', 'pendulum_forward_dynamics.c']

    Constraints and prescribed motions have their own:

    >>> _ = s.constrain_speed(e.u[0] - ph.sin(s.time))
    >>> e = s.derive()
    >>> len(e.multipliers), len(e.constraint_pivots), e.stabilisation_rate, len(e.stabilised_dynamics)
    (1, 1, alpha_stabilisation, 1)
    >>> s = ph.System("crank")
    >>> _ = s.joint("q", s.ground, s.body("crank", 0, inertia=(1, 1, 1)), ph.Revolute("y"))
    >>> _ = s.prescribe("q", ph.sin(s.time))
    >>> s.derive().driving_force("q")
    -sin(t)
    """

    # ---- names and symbols -----------------------------------------------------------------------------------

    @property
    def system(self) -> Model:
        """The system as it was when it was derived."""
        return self.derivation.model

    @property
    def formalism(self) -> str:
        """The name of the formalism."""
        return self.derivation.formalism

    @property
    def passes(self) -> tuple[str, ...] | None:
        """The passes that rewrote the tree; None where several sets of them were tried."""
        return self.record.passes

    @property
    def tree(self) -> Tree:
        """The tree of links, before any pass."""
        return self.record.tree

    @property
    def constraints(self) -> Constraints | None:
        """The constraints as rows on coordinates and speeds, if there are any."""
        return self.record.constraints

    @property
    def dependent_speeds(self) -> DependentSpeeds | None:
        """How dependent speeds follow from independent ones, if they do."""
        return self.record.dependent_speeds

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates q, from the ground outward."""
        return list(self.derivation.synopsis.coordinates)

    @property
    def speeds(self) -> list[str]:
        """Names of the speeds u (and, unless some speeds depend on others, of the efforts τ on them)."""
        return list(self.derivation.synopsis.speeds)

    @property
    def states(self) -> list[str]:
        """Names of the states without mass z."""
        return list(self.derivation.synopsis.states)

    @property
    def q(self) -> Vector:
        """The symbols of the coordinates."""
        return self.record.q

    @property
    def u(self) -> Vector:
        """The symbols of the speeds."""
        return self.record.u

    @property
    def z(self) -> Vector:
        """The symbols of states without mass."""
        return self.record.z

    @property
    def tau(self) -> Vector:
        """The symbols of the efforts."""
        return self.record.tau

    @property
    def udot(self) -> Vector:
        """Symbols for the accelerations, as inverse dynamics takes them."""
        return self.record.udot

    @property
    def symbols(self) -> dict[str, Expr]:
        """Every symbol by its spelling in text and in SymPy, as `from_sympy` takes them."""
        from ..dynamics.naming import symbols_of

        return symbols_of(self.record)

    # ---- dynamics --------------------------------------------------------------------------------------------

    @property
    def mass_matrix(self) -> Matrix:
        """M(q)."""
        return self.record.mass_matrix

    @property
    def coriolis_matrix(self) -> Matrix:
        """C(q, u): velocity terms are C u, and Ṁ - 2C is skew for any speeds."""
        return self.record.coriolis_matrix

    @property
    def inverse_mass_matrix(self) -> Matrix:
        """M⁻¹(q)."""
        return self.record.inverse_mass_matrix

    @property
    def gravity_terms(self) -> Vector:
        """What gravity adds to M u̇, part of the bias: the efforts that carry the weight."""
        return self.record.gravity_terms

    @property
    def bias(self) -> Vector:
        """What M u̇ lacks to τ: velocity terms, gravity, springs, applied forces."""
        return self.record.bias

    @property
    def forcing(self) -> Vector:
        """f = τ - bias, so that M u̇ = f (and Aᵀλ, where there are multipliers)."""
        return self.record.forcing

    @property
    def efforts(self) -> Vector:
        """The efforts τ brought to the speeds of these equations."""
        return self.record.efforts

    @property
    def inverse_dynamics(self) -> Vector:
        """τ(q, u, u̇)."""
        return self.record.inverse_dynamics

    @property
    def forward_dynamics(self) -> Vector:
        """u̇(q, u, τ)."""
        return self.record.forward_dynamics

    @property
    def state_rates(self) -> Vector:
        """The rates of all states (q, u, z)."""
        return self.record.state_rates

    @property
    def z_rates(self) -> Vector:
        """ż(q, u, z, t, inputs) of the states without mass."""
        return self.record.z_rates

    @property
    def accelerations(self) -> Vector:
        """u̇ of all speeds of the tree, dependent ones too."""
        return self.record.accelerations

    @property
    def multipliers(self) -> Vector:
        """λ(q, u, τ): the forces that keep the constraints are Aᵀλ; see `constraints`."""
        return self.record.multipliers

    @property
    def stabilisation_rate(self) -> Expr:
        """The symbol for the rate α, in 1/s, at which `stabilised_dynamics` brings the constraints back."""
        return self.record.stabilisation_rate

    @property
    def stabilised_dynamics(self) -> Vector:
        """u̇(q, u, τ, α) with A u̇ + γ + 2α (A u + a) + α² φ = 0."""
        return self.record.stabilised_dynamics

    @property
    def constraint_pivots(self) -> Vector:
        """The pivots of A M⁻¹ Aᵀ: where one vanishes, its constraint says what the former ones say, or nothing."""
        return self.record.constraint_pivots

    @property
    def kinetic_energy(self) -> Expr:
        """½ uᵀ M u, summed over the bodies."""
        return self.record.kinetic_energy

    @property
    def potential_energy(self) -> Expr:
        """Gravity, springs and given potentials."""
        return self.record.potential_energy

    @property
    def momentum(self) -> tuple[Vector, Vector]:
        """Angular momentum about the ground's origin and linear momentum, in ground components."""
        return self.record.momentum

    @property
    def mass_moment(self) -> tuple[Expr, Vector]:
        """Total mass, and Σ m c in ground components."""
        return self.record.mass_moment

    def reaction(self, name: str, at: str | None = None, frame: str | None = None, on: str | None = None) -> Reaction:
        """The wrench that a joint or a constraint carries, `at` a frame's origin, in the components of a `frame`.

        A joint's is what the parent exerts on the child, a closure's what frame a exerts on frame b, a rolling
        contact's what the ground (or what it rolls on) exerts on the wheel; `on` names the other body for the opposite.
        """
        from ..dynamics.reactions import reaction

        return reaction(self.record, name, at, frame, on)

    def driving_force(self, coordinate: str) -> Expr:
        """The effort that makes a prescribed coordinate move as prescribed."""
        from ..dynamics.reactions import Reactions

        return Reactions(self.record).driving_force(coordinate)

    def power(self, solved: bool = True) -> Power:
        """What flows through every port, and the rates of energy; unless `solved`, u̇ and λ are left as symbols."""
        from ..dynamics.power import power

        return power(self.record, solved)

    @cached_property
    def dropped(self) -> Dropped:
        """What small variables left out of each equation; see `polhode.dynamics.dropped`."""
        from ..dynamics.dropped import dropped

        return dropped(self.record)

    # ---- in words --------------------------------------------------------------------------------------------

    def agrees_with(self, other: Equations) -> bool:
        """Whether two derivations give the same functions exactly: M, τ, u̇ and ż, by fingerprint.

        With other speeds, or constraints written in different ways: whether all accelerations are the same on the
        speeds that one has.
        """
        return self.record.agrees_with(other.record)

    def latex(self, of: str = "forcing", names: Mapping[Expr, str] | None = None) -> str:
        """A result in LaTeX, in readable normal form, by its name or letter ("mass_matrix", "M"), with `names` of
        symbols.
        """
        from ..dynamics.naming import latex_of

        return latex_of(self.record, of, names)

    def __repr__(self) -> str:
        named = {"q": self.coordinates, "u": self.speeds, "z": self.states}
        shown = "; ".join(f"{key}: {', '.join(names)}" for key, names in named.items() if names or key != "z")
        return f"Equations('{self.derivation.synopsis.system}' by {self.formalism}; {shown})"

    # ---- code and runs ---------------------------------------------------------------------------------------

    def operations(self, of: Asked = "forward_dynamics", bake: bool = False, split_angles: bool = True) -> Operations:
        """How many operations a function takes, read off its plan: `bake` and `split_angles` as for `compile`."""
        from ..compiled.planning import operations_of

        return operations_of(self.record, of, bake, split_angles)

    def compile(self, *, bake: bool = False, cache: bool = True, backend: str = "auto") -> Functions:
        """Native functions of NumPy arrays; with `bake`, parameter values become constants of the code.

        The `backend` is "llvm", "c", "numpy" or "auto"; unless `cache`, no compiled code is stored for other processes.
        """
        from ..compiled.functions import Functions

        return Functions(self.derivation, bake=bake, cache=cache, backend=backend)

    def export(
        self,
        target: str,
        path: str | Path,
        of: Wanted | None = None,
        *,
        program: bool = False,
        **options: Unpack[ExportOptions],
    ) -> list[Path]:
        """Write functions (forward_dynamics) as source code for a target such as `c` into the folder `path`.

        Names begin with the `prefix`, by default the system's name. With `program=True` it is a whole program that
        simulates, from a `start` and `speeds` as of `simulate`; see `simulate.simulation_program`.
        """
        if program:
            from ..simulate.simulation_program import export_program

            return export_program(self.derivation, target, path, of, **options)
        from ..compiled.export import export

        return export(self.record, target, path, "forward_dynamics" if of is None else of, **options)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows."""
        from .notebook_equations import bundle_of

        return bundle_of(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Equations, (self.derivation,)
