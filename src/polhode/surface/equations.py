"""Equations: what `System.derive` returns, the equations of motion and all that can be done with them.

Each method enters the room that does it; nothing of these rooms is loaded before it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, cast

from ..control_geometry import ControlGeometryMethods
from ..equilibria import EquilibriumMethods
from ..errors import name_list, unknown
from ..identification import IdentificationMethods
from ..inverse_kinematics import InverseKinematicsMethods
from ..linear import LinearMethods
from ..papers.kwatny import KwatnyMethods
from ..papers.mladenova import MladenovaMethods
from ..papers.sayers import SayersMethods
from ..simulate.methods import RunMethods
from ..symmetry import SymmetryMethods

if TYPE_CHECKING:
    from ..codegen.ir.count import Operations
    from ..compiled.export import ExportOptions
    from ..compiled.functions import Functions
    from ..compiled.quantities import FunctionKey, FunctionKeys
    from ..constraints import Constraints, DependentSpeeds
    from ..control.feedback_linearization.linearization import FeedbackLinearization
    from ..dynamics.power import Power
    from ..dynamics.reactions import Reaction
    from ..dynamics.truncation import Dropped
    from ..expr import Expr, Matrix, Vector
    from ..formalisms.velocity_terms import VelocityTerms
    from ..geometry import Pose
    from ..kinematics.joint_kinematics import JointKinematics
    from ..kinematics.tree import Tree
    from ..linear.operating_point import Values
    from ..model import Model
    from ..optimize.problem import Collocation, CollocationOptions

T = TypeVar("T")


class Recorded(property, Generic[T]):
    """A result of the derived record, under the same name."""

    def __init__(self, doc: str) -> None:
        super().__init__(doc=doc)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, equations: Any, owner: type | None = None) -> T:  # type: ignore[override]  # a property gives Any
        value: Any = self if equations is None else getattr(equations.record, self.name)
        return cast(T, value)


class Results(RunMethods):
    """The graphs of the equations of motion, each built when it is first used."""

    passes: Recorded[tuple[str, ...] | None] = Recorded(
        "Passes that rewrote the tree; None if several sets were tried."
    )
    tree: Recorded[Tree] = Recorded("The tree of links, before any pass.")
    constraints: Recorded[Constraints | None] = Recorded("Constraints as rows on coordinates and speeds, if any.")
    dependent_speeds: Recorded[DependentSpeeds | None] = Recorded("Dependent speeds of independent ones, if any.")
    q: Recorded[Vector] = Recorded("The symbols of the coordinates.")
    u: Recorded[Vector] = Recorded("The symbols of the speeds.")
    z: Recorded[Vector] = Recorded("Symbols of first-order states.")
    tau: Recorded[Vector] = Recorded("The symbols of the efforts.")
    udot: Recorded[Vector] = Recorded("Symbols for the accelerations, as inverse dynamics takes them.")
    mass_matrix: Recorded[Matrix] = Recorded("M(q).")
    coriolis_matrix: Recorded[Matrix] = Recorded("C(q, u) with velocity terms C u and Ṁ - 2C skew.")
    inverse_mass_matrix: Recorded[Matrix] = Recorded("M⁻¹(q).")
    gravity_terms: Recorded[Vector] = Recorded("Gravity's part of the bias: the efforts that carry the weight.")
    bias: Recorded[Vector] = Recorded("What M u̇ lacks to τ: velocity terms, gravity, springs, applied forces.")
    forcing: Recorded[Vector] = Recorded("f = τ - bias, so that M u̇ = f (and Aᵀλ, where there are multipliers).")
    efforts: Recorded[Vector] = Recorded("The efforts τ brought to the speeds of these equations.")
    inverse_dynamics: Recorded[Vector] = Recorded("τ(q, u, u̇).")
    forward_dynamics: Recorded[Vector] = Recorded("u̇(q, u, τ).")
    state_rates: Recorded[Vector] = Recorded("The rates of all states (q, u, z).")
    z_rates: Recorded[Vector] = Recorded("ż(q, u, z, t, inputs) of the first-order states.")
    accelerations: Recorded[Vector] = Recorded("u̇ of all speeds of the tree, dependent ones too.")
    multipliers: Recorded[Vector] = Recorded("λ(q, u, τ); the constraint forces are Aᵀλ, see `constraints`.")
    stabilisation_rate: Recorded[Expr] = Recorded("Symbol of the rate α of `stabilised_dynamics`, in 1/s.")
    stabilised_dynamics: Recorded[Vector] = Recorded("u̇(q, u, τ, α) with A u̇ + γ + 2α (A u + a) + α² φ = 0.")
    constraint_pivots: Recorded[Vector] = Recorded(
        "Pivots of A M⁻¹ Aᵀ; where one vanishes, its constraint is redundant."
    )
    kinetic_energy: Recorded[Expr] = Recorded("½ uᵀ M u, summed over the bodies.")
    potential_energy: Recorded[Expr] = Recorded("Gravity, springs and given potentials.")
    momentum: Recorded[tuple[Vector, Vector]] = Recorded("Angular (about the ground's origin) and linear.")
    mass_moment: Recorded[tuple[Expr, Vector]] = Recorded("Total mass, and Σ m c in ground components.")
    kinematic_matrix: Recorded[Matrix] = Recorded(
        "Γ(q): q̇ = Γ u (and what time alone gives, if speeds depend on others and on time)."
    )
    coordinate_rates: Recorded[Vector] = Recorded("q̇ = Γ(q) u.")


@dataclass(frozen=True, repr=False)
class Equations(
    Results,
    InverseKinematicsMethods,
    SymmetryMethods,
    ControlGeometryMethods,
    EquilibriumMethods,
    LinearMethods,
    IdentificationMethods,
    KwatnyMethods,
    MladenovaMethods,
    SayersMethods,
):
    """The equations of motion of a system, as derived by one formalism.

        q̇ = Γ(q) u,    M(q) u̇ + bias(q, u, z, t, inputs) = τ,    ż = rate(q, u, z, t, inputs)

    With constraints kept by multipliers, M u̇ + bias = τ + Aᵀλ; with dependent speeds, u are the independent ones alone.
    z are first-order states, where the system has some. Each result is a graph, made when it is first asked for.

    Arguments that methods share: the `name` of a body or frame; a state `at` which, or a `start` from which, by names;
    `parameters`, values by name that are not the model's; the `seed` of random numbers.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> m, l = s.parameter("m", 2), s.parameter("l", 1)
    >>> _ = s.joint("q", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"), speeds=["u"])
    >>> e = s.derive()
    >>> e.mass_matrix, e.bias, e.agrees_with(s.derive("kane")), e.compile().mass_matrix([0.0]).tolist()
    (Matrix([[m*l**2]]), Vector([9.81*m*l*sin(q)]), True, [[2.0]])
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
    def coordinates(self) -> list[str]:
        """Names of the coordinates q, from the ground outward."""
        return list(self.derivation.synopsis.coordinates)

    @property
    def speeds(self) -> list[str]:
        """Names of the speeds u (and, unless some speeds depend on others, of the efforts τ on them)."""
        return list(self.derivation.synopsis.speeds)

    @property
    def states(self) -> list[str]:
        """Names of the first-order states z."""
        return list(self.derivation.synopsis.states)

    @property
    def symbols(self) -> dict[str, Expr]:
        """Every symbol by its spelling in text and in SymPy, as `from_sympy` takes them."""
        from ..dynamics.naming import symbols_of

        return symbols_of(self.record)

    # ---- dynamics --------------------------------------------------------------------------------------------

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
        """Powers at every port, and the rates of energy; unless `solved`, u̇ and λ are left as symbols."""
        from ..dynamics.power import power

        return power(self.record, solved)

    @cached_property
    def dropped(self) -> Dropped:
        """Terms dropped from each equation as small; see `polhode.dynamics.truncation`."""
        from ..dynamics.truncation import dropped

        return dropped(self.record)

    # ---- kinematics, terms and derivatives ----------------------------------------------------------------

    def pose(self, name: str) -> Pose:
        """Pose of a body or a frame in the ground: rotation matrix R and position p."""
        return self.record.pose(name)

    def joint_kinematics(self, name: str) -> JointKinematics:
        """A joint's configuration X, kinematic matrix Γ and map H, as of `ph.joint_kinematics`."""
        return self.record.joint_kinematics(name)

    @property
    def joint_poses(self) -> dict[str, Pose]:
        """X of every joint: the pose of its frame on the child in its frame on the parent."""
        return {name: self.record.joint_kinematics(name).X for name in self.record.system.joints}

    def jacobian(self, name: str, orientation: str | None = None) -> Matrix:
        """The 6×n Jacobian of a body's or frame's origin, in ground components: angular over linear velocity, by u.

        With orientation="vector" it has the rate of the frame's vector-parameter c, whose length is tan(θ/2), over the
        velocity, by the rates of the coordinates: ċ = N_CV q̇, (122) to (125) of Mladenova.
        """
        return self.record.jacobian(name, orientation)

    def dual_jacobian(self, name: str) -> Matrix:
        """The 3×n dual Jacobian of a body or of the body of a frame: angular + μ velocity at the ground's origin.

        Its columns are the lines of the joints that carry the body; Mladenova (157) to (163).
        """
        return self.record.dual_jacobian(name)

    def velocity_screw(self, name: str) -> Vector:
        """ω + μ v of a body or of the body of a frame, v the velocity at the ground's origin; see `screw_of`."""
        return self.record.velocity_screw(name)

    def frame_velocity(self, name: str) -> Vector:
        """ω over v of the origin of a body or frame, in ground components."""
        from ..dynamics.frame_motion import frame_velocity

        return frame_velocity(self.record, name)

    def frame_acceleration(self, name: str) -> Vector:
        """ω̇ over v̇ of the origin of a body or frame in ground components, of q, u and u̇ (`udot`): J u̇ + J̇ u."""
        from ..dynamics.frame_motion import frame_acceleration

        return frame_acceleration(self.record, name)

    def bias_acceleration(self, name: str) -> Vector:
        """J̇ u of a body or frame: its acceleration where no speed changes."""
        from ..dynamics.frame_motion import bias_acceleration

        return bias_acceleration(self.record, name)

    @property
    def center_of_mass(self) -> Vector:
        """The mass centre of all bodies, in ground components."""
        from ..dynamics.centroidal import center_of_mass

        return center_of_mass(self.record)

    @property
    def centroidal_momentum(self) -> tuple[Vector, Vector]:
        """Angular momentum about the mass centre and linear momentum, in ground components."""
        from ..dynamics.centroidal import centroidal_momentum

        return centroidal_momentum(self.record)

    @property
    def centroidal_matrix(self) -> Matrix:
        """A_G, 6×n, with A_G u the momenta about the mass centre, angular over linear."""
        from ..dynamics.centroidal import centroidal_matrix

        return centroidal_matrix(self.record)

    @cached_property
    def velocity_terms(self) -> VelocityTerms:
        """Centrifugal and Coriolis matrices, gravity and applied forces; see `polhode.formalisms.velocity_terms`."""
        from ..formalisms.velocity_terms import velocity_terms

        return velocity_terms(self.record)

    @cached_property
    def inverse_dynamics_derivatives(self) -> tuple[Matrix, Matrix, Matrix]:
        """∂τ/∂q, ∂τ/∂u and ∂τ/∂u̇ = M; column j of ∂/∂q is the derivative along q̇ = Γ e_j, a unit of speed j."""
        from ..dynamics.derivatives import inverse_derivatives

        return inverse_derivatives(self.record)

    @cached_property
    def forward_dynamics_derivatives(self) -> tuple[Matrix, Matrix, Matrix]:
        """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂τ = M⁻¹ (M⁻¹ Eᵀ in other speeds than the joints'); ∂/∂q as for inverse dynamics."""
        from ..dynamics.derivatives import forward_derivatives

        return forward_derivatives(self.record)

    def parameter_derivatives(self, of: str, parameters: Sequence[str]) -> Matrix:
        """The derivatives of a result (`inverse_dynamics`, `forward_dynamics`, `bias`, `forcing`) by parameters."""
        names = name_list(parameters, "a list of parameters", place="parameter_derivatives", cure='Give ["l", "m"].')
        return self.record.parameter_derivatives(of, names)

    def derivatives(self, of: str, by: Sequence[str]) -> Matrix:
        """∂(a result)/∂s by parameters, inputs, efforts (`tau_…`) or time `t`, a column each.

        Results are `inverse_dynamics`, `forward_dynamics`, `bias` and `state_rates`.
        """
        from ..compiled.variations import DerivativesOf
        from ..dynamics.variations import derivatives_by

        query = DerivativesOf(of, tuple(name_list(by, "a list of names", place="derivatives", cure='Give ["l", "m"].')))
        return derivatives_by(self.record, query.of, query.by)

    # ---- in words --------------------------------------------------------------------------------------------

    def agrees_with(self, other: Equations) -> bool:
        """Whether two derivations give the same M, τ, u̇ and ż, by fingerprint; in other speeds, the same u̇ of all."""
        return self.record.agrees_with(other.record)

    def latex(self, of: str = "forcing", names: Mapping[Expr, str] | None = None) -> str:
        """A result in LaTeX, in normal form, by its name or letter ("mass_matrix", "M"), with `names` of symbols."""
        from ..dynamics.naming import latex_of

        return latex_of(self.record, of, names)

    def __repr__(self) -> str:
        named = {"q": self.coordinates, "u": self.speeds, "z": self.states}
        shown = "; ".join(f"{key}: {', '.join(names)}" for key, names in named.items() if names or key != "z")
        return f"Equations('{self.derivation.synopsis.system}' by {self.formalism}; {shown})"

    # ---- code and runs ---------------------------------------------------------------------------------------

    def operations(
        self, of: FunctionKey = "forward_dynamics", bake: bool = False, split_angles: bool = True
    ) -> Operations:
        """Operation counts of a function, read off its plan: `bake` and `split_angles` as for `compile`."""
        from ..compiled.catalogue import operations_of

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
        of: FunctionKeys | None = None,
        *,
        program: bool | str = False,
        **options: Unpack[ExportOptions],
    ) -> list[Path]:
        """Write functions (forward_dynamics) as source code for a target such as `c` into the folder `path`.

        Names begin with the `prefix`, by default the system's name. With `program=True` it is a whole program that
        simulates, from a `start` and `speeds` as of `simulate`; see `simulate.simulation_program`. With
        `program="sayers"` it is written in the variables of Sayers' paper; see `papers.sayers.program`.
        """
        if program not in (True, False, "sayers"):
            raise unknown("program", program, ["sayers"], place="export", code="E-CODE-NAME")
        if program:
            from ..papers.sayers.program import sayers_rates
            from ..simulate.simulation_program import export_program

            rates = sayers_rates if program == "sayers" else None
            return export_program(self.derivation, target, path, of, rates, **options)
        from ..compiled.export import export

        return export(self.record, target, path, "forward_dynamics" if of is None else of, **options)

    # ---- control ----------------------------------------------------------------------------------------------

    def feedback_linearize(
        self,
        outputs: Any = None,
        inputs: Sequence[str] | None = None,
        at: Values = None,
        *,
        extend: bool = False,
        poles: Any = None,
        gains: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> FeedbackLinearization:
        """A law that makes outputs, or the whole state, linear; see `control.feedback_linearization.linearization`.

        With `extend`, integrators before inputs; the errors have `poles`, or `gains`; `at` is a state in the domain.

        >>> from polhode.model.samples.underactuated import cart_pole
        >>> law = cart_pole().derive().feedback_linearize(["theta"], poles=-4)
        >>> law.degrees, law.conditions
        ((2,), ('The law does not hold where cos(theta) = 0, as the decoupling matrix is singular there.',))
        """
        from ..control.feedback_linearization.linearization import FeedbackLinearization

        return FeedbackLinearization(
            self, outputs, inputs, at, extend=extend, poles=poles, gains=gains, parameters=parameters
        )

    def collocation(self, duration: Any, **options: Unpack[CollocationOptions]) -> Collocation:
        """The problem of moving from one state to another at least cost; see `polhode.optimize.problem`.

        duration        in seconds, or (shortest, longest) where it is to be found
        start           as in `simulate`: a pose's name, arrays, or by name a value; also (lower, upper) or None for a
                        free one; the rest is at home and at rest
        end             by name, or for an expression of the state, a value, (lower, upper) or None; the rest is free
        cost            the integrand: "effort" for Σ c² of the controls c, "time", an expression, or several with
                        weights
        terminal_cost   an expression of the last state and of time, which then is the duration
        limits          by name, or for an expression: (lower, upper), or b for ±b, or None; coordinates, speeds and
                        efforts of joints that are not named have those of the model; without names, for all controls
        inputs          the controls, by name; else the declared inputs, the efforts of motors, or all efforts
        nodes           how many, or where: shares of the duration from 0 to 1
        scheme          "hermite_simpson", of order 4, or "trapezoidal", of order 2
        dynamics        "implicit": accelerations are variables, and no M⁻¹ is differentiated; "explicit": they are not;
                        or "auto": explicit for up to four speeds without constraints
        parameters      values by name that are not the model's; `functions` that were compiled before, to use again

        >>> import polhode as ph
        >>> s = ph.System("slider")
        >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
        >>> fastest = s.derive().collocation(
        ...     (0.1, 10), start={"x": 0}, end={"x": 1, "x'": 0}, cost="time", limits={"tau_x": 1}, inputs=["tau_x"]
        ... )
        >>> round(fastest.solve().duration, 3)  # half of it forward, half back
        2.0
        """
        from ..optimize.problem import collocation

        options.setdefault("functions", self._functions)
        return collocation(self.derivation, duration, **options)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """The representations in a notebook."""
        from .notebook_equations import bundle_of

        return bundle_of(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Equations, (self.derivation,)
