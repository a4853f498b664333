"""EquationsOfMotion: the record that every formalism returns, graphs only.

    kinematics   q̇ = Γ(q) u
    dynamics     M(q) u̇ + bias(q, u, t, inputs) = τ
    state        (q, u, z), z being first-order states, ż = rate(q, u, z, t, inputs)

A system with constraints is written in one of two ways (`dynamics.embedding`): with multipliers, all speeds of the
tree kept and M u̇ + bias = τ + Aᵀλ; or embedded, u the independent speeds alone and τ brought to them.

Everything is a graph, built when first used and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ..constraints import Constraints, DependentSpeeds
from ..errors import PolhodeError, check_known, shown, unknown
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    gradient,
    jacobian,
    quiet_collector,
    same,
    substitute,
    symbol,
)
from ..expr.spelling import acceleration_of
from ..geometry import Pose
from ..geometry.dual import dual, dual_part, real_part
from ..geometry.elimination import (
    Factors,
    SymmetricFactors,
    TriangularFactors,
    factor_from_the_tips,
    factor_symmetric,
    triangular_factors,
)
from ..kinematics.motion import (
    body_pose,
    centre_of_mass,
    dual_jacobian,
    flow,
    frame_jacobian,
    kinetic_energy,
    momentum,
    vector_parameter_jacobian,
    velocity_screw,
    world_poses,
)
from ..kinematics.tree import Tree
from ..model.model import Model
from .loads import loads_of
from .whole import check_untruncated

if TYPE_CHECKING:
    from ..kinematics.joint_kinematics import JointKinematics
    from .truncation import SmallVariables


@dataclass(frozen=True)
class Stabilisation:
    """Corrections that keep a run on its constraints, in the metric of the mass matrix."""

    rows: Constraints  # those that are kept, independent of each other
    solution: Callable[[Expr], tuple[Vector, Vector]]  # u̇ and λ that bring the constraints back at a rate α
    response: Callable[[Sequence[Any], Sequence[Any]], tuple[Vector, Vector]]  # u̇, λ of M u̇ = f + Aᵀλ, A u̇ = r
    pivots: Callable[[], Vector]  # of A M⁻¹ Aᵀ: one vanishes where a row is redundant
    projection_step: Callable[[], tuple[Vector, Vector]]  # the least displacement and change of speeds that answer them


@dataclass(frozen=True)
class Recipe:
    """The functions that a formalism provides; missing ones are completed from the others."""

    inverse: Callable[[Sequence[Any]], Vector]
    mass_matrix: Callable[[], Matrix]
    bias: Callable[[], Vector] | None = None
    forward: Callable[[], Vector] | None = None
    inverses: tuple[Callable[[Sequence[Any]], Vector], ...] = ()  # other forms of `inverse`
    reference: Callable[[], tuple[Vector, Vector]] | None = None  # accelerations that are cheap, and what they take
    multipliers: Callable[[], Vector] | None = None  # λ(q, u, τ), where there are constraints
    stabilisation: Stabilisation | None = None  # what a run needs to stay on them


def by_columns(inverse: Callable[[Sequence[Any]], Vector], at_rest: Callable[[Vector], list[Any]], size: int) -> Recipe:
    """Inverse dynamics, and the mass matrix column by column: the efforts at rest for each acceleration alone."""
    return Recipe(inverse=inverse, mass_matrix=lambda: Matrix.columns_of(map(at_rest, Matrix.identity(size)), size))


def solve(tree: Tree, recipe: Recipe) -> Vector:
    """The accelerations: as the recipe has them, or from mass matrix and bias by elimination from the tips."""
    if recipe.forward is not None:
        return recipe.forward()
    reference, right = right_side(tree, recipe)
    return factor(tree, recipe.mass_matrix()).solve(right) + reference


def right_side(tree: Tree, recipe: Recipe) -> tuple[Vector, list[Any]]:
    """A reference acceleration, and right = τ - M reference - bias: M (u̇ - reference) = right."""
    if recipe.reference is not None:
        reference, taken = recipe.reference()
    else:
        reference = Vector([as_expr(0)] * len(tree.u))
        taken = recipe.inverse([0] * len(tree.u)) if recipe.bias is None else recipe.bias()
    return reference, [effort - entry for effort, entry in zip(tree.tau, taken, strict=True)]


def factor(tree: Tree, mass_matrix: Matrix) -> Factors:
    """LᵀDL of the mass matrix, along the branches of the tree."""
    return factor_from_the_tips(mass_matrix, tree.speed_order, tree.speed_parent, tree.speeds)


def _exact(vector: Sequence[Any]) -> Vector:
    return Vector([as_expr(entry) for entry in vector])


@dataclass(frozen=True, eq=False, repr=False)
class EquationsOfMotion:
    """The equations of motion of a system, as derived by one formalism."""

    has_bodies: ClassVar[bool] = True  # whether they follow from the bodies of the tree

    system: Model
    tree: Tree
    formalism: str
    passes: tuple[str, ...] | None
    make_recipe: Callable[[], Recipe]
    constraints: Constraints | None = None
    dependent_speeds: DependentSpeeds | None = None
    narrowed: Callable[[Sequence[int]], EquationsOfMotion] | None = None  # the same with some rows of `constraints`
    laws: Mapping[Expr, Expr] = field(default_factory=dict)  # of efforts and inputs; results are without them
    small: SmallVariables | None = None  # to first order in which all equations are taken
    whole: EquationsOfMotion | None = None  # those before, where some are small
    omitted: Mapping[Expr, Expr] = field(default_factory=dict)  # omitted coordinates and their values

    def __repr__(self) -> str:
        return f"EquationsOfMotion('{self.system.name}' by {self.formalism})"

    def derived_by(self, derivation: Any) -> EquationsOfMotion:
        """The same, as the `equations` of a derivation: it is what pickles of them."""
        vars(self)["_derivation"] = derivation
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        derivation = vars(self).get("_derivation")
        if derivation is None:
            message = f"equations that were made of others of '{self.system.name}' do not pickle."
            raise PolhodeError(message, cure="Pickle those that system.derive() gave.", code="E-DERIVE-UNSUPPORTED")
        return getattr, (derivation, "equations")

    @cached_property
    def recipe(self) -> Recipe:
        """The functions of the formalism, computed when first used."""
        with quiet_collector():
            return self.make_recipe()

    def driven(self, laws: Mapping[Expr, Expr]) -> EquationsOfMotion:
        """The same equations with laws for some efforts and inputs, through which rates are differentiated."""
        _ = self.recipe  # made once for both
        equations = replace(self, laws=laws)
        vars(equations).update(
            {name: value for name, value in vars(self).items() if name not in (*vars(equations), "_derivation")}
        )
        return equations

    # ---- names and symbols -----------------------------------------------------------------------------------

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates q, from the ground outward."""
        return [q.name for q in self.q]

    @property
    def speeds(self) -> list[str]:
        """Names of the speeds u (and, unless some speeds depend on others, of the efforts τ on them)."""
        return [u.name for u in self.u]

    @property
    def states(self) -> list[str]:
        """Names of the first-order states z, in the model's order."""
        return list(self.system.states)

    @cached_property
    def q(self) -> Vector:
        return Vector(self.kept(self.tree.q))

    def kept(self, rows: Sequence[Any]) -> list[Any]:
        """Of rows for all coordinates of the tree, those of the coordinates that are not omitted."""
        return [row for q, row in zip(self.tree.q, rows, strict=True) if q not in self.omitted]

    @cached_property
    def places(self) -> dict[int, int]:
        """Indices of the tree's coordinates among those of these equations."""
        return {index: k for k, index in enumerate(self.kept(range(len(self.tree.q))))}

    @cached_property
    def quaternions(self) -> list[int]:
        """Where the components of unit quaternions begin among the coordinates."""
        return [self.places[first] for first in self.tree.quaternions if first in self.places]

    @cached_property
    def auxiliary_coordinates(self) -> slice:
        """Where the auxiliary coordinates are among all."""
        return slice(len(self.q) - len(self.tree.q[self.tree.auxiliary_coordinates]), len(self.q))

    @property
    def u(self) -> Vector:
        return self.tree.u if self.dependent_speeds is None else self.dependent_speeds.u

    @property
    def z(self) -> Vector:
        """First-order states, besides coordinates and speeds."""
        return Vector([state.symbol for state in self.system.states.values()])

    @property
    def tau(self) -> Vector:
        return self.tree.tau

    @cached_property
    def udot(self) -> Vector:
        """Symbols for the accelerations, as inverse dynamics takes them."""
        return Vector([acceleration_of(u) for u in self.u])

    # ---- kinematics ------------------------------------------------------------------------------------------

    @cached_property
    def kinematic_matrix(self) -> Matrix:
        """Γ(q): q̇ = Γ u (and what time alone gives, if speeds depend on others and on time)."""
        gamma = self.tree.kinematic_matrix()
        gamma = Matrix(self.kept(gamma if self.dependent_speeds is None else gamma @ self.dependent_speeds.E))
        return gamma if self.small is None else self.small.truncated_matrix(gamma, list(self.u))

    @cached_property
    def coordinate_rates(self) -> Vector:
        """q̇ = Γ(q) u."""
        return Vector(self.kept(self.all_coordinate_rates))

    @cached_property
    def all_coordinate_rates(self) -> Vector:
        """The rates of all coordinates of the tree, omitted ones too."""
        chosen = self.dependent_speeds
        return self._truncated(_exact(self.tree.coordinate_rates()) if chosen is None else chosen.coordinate_rates)

    def _truncated(self, entries: Vector) -> Vector:
        """To first order in small variables, where there are some."""
        return entries if self.small is None else self.small.truncated(entries)

    def in_independent_speeds(self, entries: Sequence[Any]) -> Vector:
        """Expressions of all speeds, in the speeds of these equations."""
        return (
            _exact(entries)
            if self.dependent_speeds is None
            else Vector(self.dependent_speeds.in_independent_speeds(list(entries)))
        )

    def in_tree_speeds(self, entries: Sequence[Any]) -> list[Expr]:
        """Expressions of the speeds of these equations, in those of the tree."""
        result = [as_expr(entry) for entry in entries]
        return result if self.dependent_speeds is None else self.dependent_speeds.in_all_speeds(result)

    @cached_property
    def _poses(self) -> list[Pose]:
        return world_poses(self.tree)

    def pose(self, name: str) -> Pose:
        """Where a body or a frame is in the ground: rotation matrix R and position p."""
        body, within = self.located(name)
        return body_pose(self.tree, body, self._poses) @ within

    def jacobian(self, name: str, orientation: str | None = None, in_floats: bool = False) -> Matrix:
        """The 6×n Jacobian of a body's or frame's origin, in ground components: angular over linear velocity, by u.

        With orientation="vector" the rate of its vector-parameter over its velocity, by q̇; Mladenova (122). `in_floats`
        writes that rate so that floats keep its digits near a half turn.
        """
        body, within = self.located(name)
        J = frame_jacobian(self.tree, body, within.p)
        if orientation is None:
            return J if self.dependent_speeds is None else J @ self.dependent_speeds.E
        if orientation != "vector":
            message = f"there is no Jacobian with the orientation as {shown(orientation)}."
            cure = 'Give orientation="vector", or nothing for the angular velocity.'
            raise PolhodeError(message, "jacobian", cure, "E-DERIVE-NAME")
        return vector_parameter_jacobian(J @ self.tree.kinematic_left_inverse(), self.pose(name).R, in_floats)

    def dual_jacobian(self, name: str) -> Matrix:
        """The 3×n dual Jacobian matrix of a body or a frame's body: angular velocity + μ velocity of the origin."""
        J = dual_jacobian(self.tree, self.located(name)[0])
        return J if self.dependent_speeds is None else J @ self.dependent_speeds.E

    def velocity_screw(self, name: str) -> Vector:
        """ω + μ v of a body or a frame's body in ground components, v the velocity of its point at the origin."""
        screw = velocity_screw(self.tree, self.located(name)[0])
        return dual(self.in_independent_speeds(real_part(screw)), self.in_independent_speeds(dual_part(screw)))

    def joint_kinematics(self, name: str) -> JointKinematics:
        """X, Γ and H of a joint; one that follows another or is driven, in what it follows."""
        from ..kinematics.joint_kinematics import joint_kinematics

        joint = self.system.joints.get(name) if isinstance(name, str) else None
        if joint is None:
            raise unknown("joint", name, self.system.joints, code="E-DERIVE-NAME")
        q, u = (substitute(list(symbols), self.tree.followed) for symbols in (joint.q, joint.u))
        return joint_kinematics(joint.type, None, q, self.in_independent_speeds(u))

    def located(self, name: str) -> tuple[str, Pose]:
        """The body that a frame is on and its pose there; a body, or a frame that moves on its body, is its own."""
        if isinstance(name, str) and name in self.tree.bodies:
            return name, Pose.identity()
        if not isinstance(name, str) or name not in self.system.frames:
            raise unknown("body or frame", name, [*self.system.bodies, *self.system.frames], code="E-DERIVE-NAME")
        return self.system.frames[name].body, self.system.frames[name].pose

    # ---- dynamics --------------------------------------------------------------------------------------------

    @cached_property
    def mass_matrix(self) -> Matrix:
        """M(q)."""
        with quiet_collector():
            return self.recipe.mass_matrix().map(as_expr)

    @cached_property
    def coriolis_matrix(self) -> Matrix:
        """C(q, u) of the speeds that these equations are in: velocity terms are C u, and Ṁ - 2C is skew.

        M is the metric Σ ∫ Jᵀ J dm over all particles of all bodies, J being the Jacobian of a particle's position by
        the speeds. A particle lives in flat space, so that the covariant derivative of its velocity J u is J u̇ + J̇ u,
        and

            C = Σ ∫ Jᵀ J̇ dm,    M u̇ + C u + … = τ,    Ṁ = C + Cᵀ

        whatever the speeds are: rates of coordinates, where C is Christoffel's; quasi-velocities, where it is
        Levi-Civita's connection in the frame of the fields V; or independent speeds, u = E u' (+ e), where
        C' = Eᵀ (C E + M Ė). Kwatny and Blankenship's (53b), corrected, has the same C u, but uᵀ (Ṁ - 2C) u = 0 is all
        that holds of it. Motions prescribed in time take part in C. The recursion is that of S. Echeandia and
        P. M. Wensing, "Numerical Methods to Compute the Coriolis Matrix and Christoffel Symbols for Rigid-Body Systems"
        (2021).
        """
        from .composite_derivatives import CompositeTree

        check_untruncated(self, "the Coriolis matrix")
        dependent, tree = self.dependent_speeds, self.tree
        with quiet_collector():
            if dependent is None:
                return CompositeTree(tree, tree.u).coriolis_matrix
            E = dependent.E
            unconstrained = CompositeTree(tree, E @ self.u + dependent.e)
            moving = flow(tree, self.system.time)
            rates = self.in_independent_speeds(list(moving.values()))
            entries = directional([as_expr(entry) for entry in E.entries()], dict(zip(moving, rates, strict=True)))
            size = E.shape[1]
            E_dot = Matrix([entries[k * size : (k + 1) * size] for k in range(E.shape[0])])
            C: Matrix = E.T @ (unconstrained.coriolis_matrix @ E + unconstrained.mass_matrix @ E_dot)
            return C.map(as_expr)

    @cached_property
    def inverse_mass_matrix(self) -> Matrix:
        """M⁻¹(q), by the factors of M."""

        return inverse_mass_matrix(self)

    @cached_property
    def gravity_terms(self) -> Vector:
        """The part of the bias due to gravity: -∂(g·l)/∂u, with l the linear momentum."""
        check_untruncated(self, "what gravity adds")
        weighed = as_expr(-self.tree.gravity.dot(self.momentum[1]))
        return Vector(gradient(weighed, list(self.u)))

    @cached_property
    def bias(self) -> Vector:
        """τ - M u̇: velocity terms, gravity, springs, applied forces."""
        with quiet_collector():
            bias = self.recipe.bias
            return _exact(self.recipe.inverse([0] * len(self.u)) if bias is None else bias())

    @cached_property
    def forcing(self) -> Vector:
        """f = τ - bias, so that M u̇ = f (and Aᵀλ, where there are multipliers)."""
        return _exact(self.efforts - self.bias)

    @cached_property
    def efforts(self) -> Vector:
        """The efforts τ on the speeds of these equations."""
        return self.tau if self.dependent_speeds is None else self._truncated(self.dependent_speeds.E.T @ self.tau)

    @cached_property
    def inverse_dynamics(self) -> Vector:
        """τ(q, u, u̇)."""
        with quiet_collector():
            return _exact(self.recipe.inverse(self.udot))

    @cached_property
    def forward_dynamics(self) -> Vector:
        """u̇(q, u, τ)."""
        with quiet_collector():
            return _exact(solve(self.tree, self.recipe))

    @cached_property
    def state_rates(self) -> Vector:
        """The rates of all states (q, u, z)."""
        return Vector([*self.coordinate_rates, *self.forward_dynamics, *self.z_rates])

    @cached_property
    def z_rates(self) -> Vector:
        """ż(q, u, z, t, inputs) of the first-order states, in the speeds of these equations."""
        rates = [as_expr(state.rate) for state in self.system.states.values()]
        return self._truncated(self.in_independent_speeds(substitute(rates, self.tree.followed)))

    @cached_property
    def multipliers(self) -> Vector:
        """λ(q, u, τ): the forces that keep the constraints are Aᵀλ; see `constraints`."""
        multipliers = self.recipe.multipliers
        if multipliers is None:
            message = f"system '{self.system.name}' has no constraints, and so no multipliers."
            raise PolhodeError(message, "multipliers", "Add constraints, or leave this out.", "E-DERIVE-UNSUPPORTED")
        with quiet_collector():
            return _exact(multipliers())

    @cached_property
    def stabilisation_rate(self) -> Expr:
        """The symbol for the rate α, in 1/s, at which `stabilised_dynamics` reduces errors of the constraints."""
        return symbol("alpha", "stabilisation")

    @cached_property
    def stabilised_dynamics(self) -> Vector:
        """u̇(q, u, τ, α) with A u̇ + γ + 2α (A u + a) + α² φ = 0."""
        with quiet_collector():
            return _exact(self.stabilisation.solution(self.stabilisation_rate)[0])

    @cached_property
    def constraint_pivots(self) -> Vector:
        """Pivots of A M⁻¹ Aᵀ (embedded: of the dependent speeds), one of which vanishes where rows are dependent."""
        with quiet_collector():
            if self.dependent_speeds is not None:
                return self.dependent_speeds.pivots
            return _exact(self.stabilisation.pivots())

    @cached_property
    def projection_step(self) -> tuple[Vector, Vector]:
        """The least δ with A δ = -φ and δu with A (u + δu) + a = 0; embedded, of dependent speeds, and no δu."""
        with quiet_collector():
            if self.dependent_speeds is not None:
                return self.dependent_speeds.projection_step, Vector([])
            step, change = self.stabilisation.projection_step()
            return _exact(step), _exact(change)

    @property
    def stabilisation(self) -> Stabilisation:
        """Corrections that keep a run on its constraints, for equations with multipliers."""
        stabilisation = self.recipe.stabilisation
        if stabilisation is None:
            message = "only equations with multipliers are stabilised."
            raise PolhodeError(message, "stabilised_dynamics", _MULTIPLIERS, "E-DERIVE-UNSUPPORTED")
        return stabilisation

    def keeping(self, rows: Sequence[int]) -> EquationsOfMotion:
        """The same equations with some rows of the constraints only, for poses where the others are redundant."""
        if self.narrowed is None or self.constraints is None:
            message = "only equations with multipliers can do with fewer constraints."
            raise PolhodeError(message, "keeping", _MULTIPLIERS, "E-DERIVE-UNSUPPORTED")
        return self.narrowed(rows)

    @cached_property
    def accelerations(self) -> Vector:
        """u̇ of all speeds of the tree, dependent ones too."""
        free = self.forward_dynamics
        dependent = self.dependent_speeds
        return free if dependent is None else _exact(dependent.E @ free + dependent.gamma)

    @cached_property
    def kinetic_energy(self) -> Expr:
        """½ uᵀ M u, summed over the bodies."""
        (energy,) = self.in_independent_speeds([kinetic_energy(self.tree)])
        return as_expr(energy)

    @cached_property
    def potential_energy(self) -> Expr:
        """Gravity, springs and given potentials."""
        return as_expr(loads_of(self.system, self.tree).potential_energy)

    @cached_property
    def momentum(self) -> tuple[Vector, Vector]:
        """Angular momentum about the ground's origin and linear momentum, in ground components."""
        spin, linear = momentum(self.tree)
        return self.in_independent_speeds(spin), self.in_independent_speeds(linear)

    @cached_property
    def mass_moment(self) -> tuple[Expr, Vector]:
        """Total mass, and Σ m c in ground components."""
        mass, moment = centre_of_mass(self.tree)
        return as_expr(mass), _exact(moment)

    def parameter_derivatives(self, of: str, parameters: Sequence[str]) -> Matrix:
        """The derivatives of a result (`inverse_dynamics`, `forward_dynamics`, `bias`, `forcing`) by parameters."""
        results = ("inverse_dynamics", "forward_dynamics", "bias", "forcing")
        check_known("result to differentiate", [of], results, code="E-DERIVE-NAME")
        table = self.system.parameters
        for strange in [name for name in parameters if name not in table]:
            raise unknown("parameter", strange, table, code="E-VALUE-NAME")
        with quiet_collector():
            return jacobian(list(getattr(self, of)), [table[name].symbol for name in parameters])

    # ---- comparison ------------------------------------------------------------------------------------------

    def agrees_with(self, other: EquationsOfMotion) -> bool:
        """Whether two derivations give the same functions exactly: M, τ, u̇ and ż, by fingerprint.

        With other speeds, or constraints written in different ways: whether all accelerations are the same on the
        speeds that one has. ż is the model's own and no matter of the formalism.
        """
        reduced = other if other.dependent_speeds is not None and self.dependent_speeds is None else self
        if reduced.dependent_speeds is not None and self.speeds != other.speeds:
            every = (e.in_tree_speeds([*e.accelerations, *e.z_rates]) for e in (self, other))
            return same(*map(reduced.in_independent_speeds, every))
        alike = [(e.mass_matrix.entries(), e.inverse_dynamics, e.forward_dynamics, e.z_rates) for e in (self, other)]
        return all(same(ours, theirs) for ours, theirs in zip(*alike, strict=True))


_MULTIPLIERS = 'Derive with constraints="multipliers".'
#: Cached results that depend on the first-order states.
_OF_STATES = ("z_rates", "state_rates")


def extended(equations: EquationsOfMotion, model: Model) -> EquationsOfMotion:
    """The same equations for a model with more first-order states or parameters."""
    narrowed, full = equations.narrowed, equations.whole
    result = replace(
        equations,
        system=model,
        make_recipe=lambda: equations.recipe,
        narrowed=None if narrowed is None else lambda rows: extended(narrowed(rows), model),
        whole=None if full is None else extended(full, model),
    )
    computed = {name: value for name, value in vars(equations).items() if name not in _OF_STATES}
    vars(result).update({name: value for name, value in computed.items() if name not in vars(result)})
    return result


def mass_factors(
    equations: EquationsOfMotion, mass_matrix: Matrix, is_truncated: bool = False
) -> Factors | SymmetricFactors | TriangularFactors:
    """LᵀDL along the branches of a tree, LDLᵀ on dependent speeds; truncated in small variables, LU from the tips."""
    tree, is_tree = equations.tree, equations.dependent_speeds is None
    if is_truncated and is_tree and not same(mass_matrix.entries(), mass_matrix.T.entries()):
        return triangular_factors(mass_matrix, tree.speed_order[::-1], equations.speeds)
    return factor(tree, mass_matrix) if is_tree else factors_of(mass_matrix, equations.speeds)


def factors_of(mass_matrix: Matrix, speeds: Sequence[str]) -> SymmetricFactors | TriangularFactors:
    """Factors of a mass matrix in its own order: LDLᵀ, or LU if truncation left it unsymmetric."""
    if same(mass_matrix.entries(), mass_matrix.T.entries()):
        return factor_symmetric(mass_matrix)
    return triangular_factors(mass_matrix, range(len(mass_matrix)), speeds)


def inverse_mass_matrix(equations: EquationsOfMotion) -> Matrix:
    """M⁻¹, by the factors of M."""
    factors = mass_factors(equations, equations.mass_matrix, equations.small is not None)
    if isinstance(factors, Factors):
        return factors.inverse().map(as_expr)
    size = len(equations.u)
    return Matrix.columns_of([factors.solve(unit) for unit in Matrix.identity(size)], size).map(as_expr)
