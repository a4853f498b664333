"""Lagrange's equations in vector-parameters: turns are vectors c = a tan(θ/2), and all is rational in them.

C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", section 3, (108) to (140),
with the corrections of docs/errata.md. The configuration is (c_1, t_1), …, (c_n, t_n): a vector-parameter for a joint
that turns, a length for one that slides, (109).

    g_k = ⟨c_1, …, c_k⟩,    p_k = p_{k-1} + O(g_{k-1}) s_{k-1}                                    (67), (108)
    M^k = -(p_G - p_k)^× O(g_{k-1}) N(c_k),    N̄^k = O(-g_i) O(g_{k-1}) N(c_k),   N(c) = 2/(1 + c²) (c^× + 1)
                                                                       (117), (127), (129), all three corrected
    H = Σ m_i M_iᵀ M_i + N̄_iᵀ J_i N̄_i                                                           (131), (132)
    H c̈ + Ḣ ċ - ∂T/∂c = P + Y                                                                 (134), (136)

    paper       here
    O(c)        `rotation`, (65)
    ⟨c_1, c_2⟩  `Composite.turned`: numerator and denominator of (67) are carried apart, (w, v) for v/w, so that a
                composite of half a turn, where 1 - c_1·c_2 = 0, is nothing special
    s_k, s_kk   offsets and mass centres, J_k inertia about them: in the axes of the ground, in the pose where all c
                vanish; so no fixed rotation stands between two vector-parameters
    Y           weight: Σ m gᵀ M; as printed, (138) is its moment about the joint's axis, which does work on the angle,
                not on c
    P           Γᵀ P are the efforts on the speeds, ċ = Γ u; a turn that is not stored as its vector-parameter has
                c = tan(θ/2) put in at the end

Needs a tree of revolute, universal, spherical and prismatic joints, however they are stored. As all is written in c, a
joint that has turned by π exactly has no value here: compiled functions give nan, and a run says so. Cost: grows with
the third power of the depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from ..dynamics.envelope import projected
from ..dynamics.equations import Recipe
from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, derivative, directional, gradient, is_zero, skew, substitute, symbol
from ..geometry.inertia import rotate_symmetric
from ..geometry.rotations.vector_parameter import vector_parameter_rate
from ..geometry.twist import ZERO
from ..kinematics.tree import BASE, Link, Tree, build_tree
from ..model.model import Model
from .silver import CentralInertia, central_inertia
from .uicker_kahn import given_forces, trace

_IDENTITY = Matrix.identity(3)


@dataclass(frozen=True)
class Composite:
    """The vector-parameter v/w of successive turns, and w² + v² = Π (1 + c²)."""

    w: Any
    v: Vector
    square: Any

    def turned(self, c: Vector) -> Composite:
        """⟨g, c⟩ = (g + c + g × c)/(1 - g·c), (67), with g = v/w."""
        w, v = self.w, self.v
        return Composite(w - v.dot(c), v + c * w + v.cross(c), self.square * (1 + c.dot(c)))

    @cached_property
    def rotation(self) -> Matrix:
        """O = ((1 - g²) 1 + 2 g gᵀ + 2 g^×)/(1 + g²), (65)."""
        w, v = self.w, self.v
        hat, diagonal = skew(v), w * w - v.dot(v)
        return Matrix(
            [
                [
                    ((diagonal if i == j else 0) + 2 * (v[i] * v[j]) + 2 * (w * hat[i, j])) / self.square
                    for j in range(3)
                ]
                for i in range(3)
            ]
        )


_UPRIGHT = Composite(1, ZERO, 1)


def turning(c: Vector) -> Matrix:
    """N(c) with ω = N(c) ċ in the components of the frame before the turn, (79), (117)."""
    hat, k = skew(c), 2 / (1 + c.dot(c))
    return Matrix([[((1 if i == j else 0) + hat[i, j]) * k for j in range(3)] for i in range(3)])


@dataclass(frozen=True)
class Joint:
    """A joint in the configuration space Q_ct, and the link that it carries; vectors as they are where all c = 0."""

    parent: int
    speeds: tuple[int, ...]
    x: tuple[Expr, ...]  # components of c along `axes`, or the length t
    axes: tuple[Vector, ...]
    slides: bool
    offset: Vector  # s: from the joint before to this one
    centre: Vector  # s_kk: from this joint to the mass centre of its link
    mass: Any
    inertia: Matrix  # J about the mass centre

    @property
    def c(self) -> Vector:
        """The vector-parameter; none for a slide."""
        return ZERO if self.slides else _combined(self.axes, self.x)

    @property
    def slide(self) -> Vector:
        return _combined(self.axes, self.x) if self.slides else ZERO

    def rates(self) -> Matrix:
        """Γ: ẋ from the joint's speeds, (81) in body components; with one axis ċ = (1 + c²)/2 θ̇."""
        if self.slides:
            return Matrix([[as_expr(1)]])
        if len(self.x) == 1:
            return Matrix([[(1 + self.x[0] * self.x[0]) / 2]])
        return vector_parameter_rate(self.x)


def _combined(axes: Iterable[Vector], x: Iterable[Any]) -> Vector:
    return sum((axis * value for axis, value in zip(axes, x, strict=True)), ZERO)


@dataclass(frozen=True)
class Placed:
    """Pose of a joint and its link: g_k, p_k, and columns (position of the joint, or None if it slides; axis)."""

    g: Composite
    p: Vector
    columns: dict[Expr, tuple[Vector | None, Vector]]

    def columns_at(self, point: Vector) -> dict[Expr, tuple[Vector, Vector]]:
        """Angular velocity and velocity of a point of the link, by a unit of each ẋ: N_V and M_V, (116), (120)."""
        none = ZERO
        return {
            x: (none, axis) if at is None else (axis, axis.cross(point - at)) for x, (at, axis) in self.columns.items()
        }


def placed(joints: Sequence[Joint]) -> list[Placed]:
    """Direct kinematics, (108) to (120): every link by composition of vector-parameters."""
    links: list[Placed] = []
    for joint in joints:
        before = Placed(_UPRIGHT, ZERO, {}) if joint.parent == BASE else links[joint.parent]
        O = before.g.rotation if joint.parent != BASE else _IDENTITY
        p = before.p + O @ (joint.offset + joint.slide)  # (108)
        N = _IDENTITY if joint.slides else turning(joint.c)
        at = None if joint.slides else p
        columns = {x: (at, O @ (N @ axis)) for x, axis in zip(joint.x, joint.axes, strict=True)}  # (116), (117)
        links.append(Placed(before.g.turned(joint.c), p, before.columns | columns))
    return links


@dataclass(frozen=True)
class Manipulator:
    """The joints, and Lagrange's equations in their coordinates x, with symbols for ẋ and ẍ."""

    joints: tuple[Joint, ...]
    gravity: Vector

    @cached_property
    def x(self) -> list[Expr]:
        return [x for joint in self.joints for x in joint.x]

    @cached_property
    def rates(self) -> list[Expr]:
        """Symbols for ẋ."""
        return [symbol(f"d {x.name}", "rate") for x in self.x]

    @cached_property
    def second_rates(self) -> list[Expr]:
        """Symbols for ẍ."""
        return [symbol(f"dd {x.name}", "rate") for x in self.x]

    @cached_property
    def _inertia_and_weight(self) -> tuple[Matrix, Vector]:
        at = {x: k for k, x in enumerate(self.x)}
        H: list[list[Any]] = [[as_expr(0)] * len(at) for _ in at]
        Y: list[Any] = [as_expr(0)] * len(at)
        for joint, here in zip(self.joints, placed(self.joints), strict=True):
            O = here.g.rotation
            columns = here.columns_at(here.p + O @ joint.centre)
            turned = {x: O.T @ N for x, (N, _) in columns.items()}  # (129)
            felt = {x: joint.inertia @ N for x, N in turned.items()}
            for i, (_, M_i) in columns.items():
                Y[at[i]] = Y[at[i]] + joint.mass * self.gravity.dot(M_i)  # (138), corrected
                for k, (_, M_k) in columns.items():
                    H[at[i]][at[k]] = H[at[i]][at[k]] + joint.mass * M_i.dot(M_k) + turned[i].dot(felt[k])  # (131)
        return Matrix(H), Vector(Y)

    @property
    def inertia(self) -> Matrix:
        """H(x), (132)."""
        return self._inertia_and_weight[0]

    @property
    def weight(self) -> Vector:
        """Y(x)."""
        return self._inertia_and_weight[1]

    @cached_property
    def efforts(self) -> Vector:
        """P = H ẍ + Ḣ ẋ - ∂T/∂x - Y, (134) with (136)."""
        rates = Vector(self.rates)
        momenta = self.inertia @ rates
        energy = as_expr(rates.dot(momenta)) / 2
        turning_over = directional([as_expr(p) for p in momenta], dict(zip(self.x, self.rates, strict=True)))
        slope = gradient(energy, self.x)
        return self.inertia @ Vector(self.second_rates) + Vector(turning_over) - Vector(slope) - self.weight


def manipulator(tree: Tree) -> tuple[Manipulator, dict[Expr, Expr]]:
    """The joints of a tree, and expressions of coordinates whose joints store something else."""
    meanings: dict[Expr, Expr] = {}
    joints: list[Joint] = []
    upright: list[Matrix] = []  # the orientation of each link where all c = 0
    last: dict[int, int] = {BASE: BASE}  # link -> the joint that carries it
    for i, link in enumerate(tree.links):
        before = _IDENTITY if link.parent == BASE else upright[link.parent]
        R = (before @ link.fixed.R).map(as_expr)
        upright.append(R)
        parent, offset = last[link.parent], before @ link.fixed.p
        if link.is_placement:  # it slides and turns as time says
            slide, meaning = _symbols_for(f"p {link.name}", link.motion.p)
            joints.append(Joint(parent, (), slide, tuple(R.columns), True, offset, ZERO, as_expr(0), _IDENTITY * 0))
            x, turned = _symbols_for(f"c {link.name}", parameter_of(link.motion.R))
            slides, axes, meaning, parent, offset = False, _IDENTITY.columns, meaning | turned, len(joints) - 1, ZERO
        else:
            slides, axes = _motion(link)
            x, meaning = _coordinates(tree, link, slides)
        meanings |= meaning
        body: CentralInertia = central_inertia(link)
        joints.append(
            Joint(
                parent,
                link.speeds,
                x,
                tuple(R @ axis for axis in axes),
                slides,
                offset,
                R @ body.c,
                body.m,
                rotate_symmetric(R, body.I),
            )
        )
        last[i] = len(joints) - 1
    return Manipulator(tuple(joints), tree.gravity), meanings


def _symbols_for(name: str, values: Vector) -> tuple[tuple[Expr, ...], dict[Expr, Expr]]:
    """Symbols for coordinates that are functions of time, and their expressions."""
    x = tuple(symbol(f"{name} {k}", "vector-parameter") for k in range(len(values)))
    return x, dict(zip(x, map(as_expr, values), strict=True))


def parameter_of(R: Matrix) -> Vector:
    """c of a rotation matrix, (66)."""
    twice = Vector([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return Vector(twice / (1 + trace(R)))


def _motion(link: Link) -> tuple[bool, list[Vector]]:
    """Whether a joint slides, and the axes of its columns; a joint that is none of the paper's is refused."""
    turns, slides = [w for w, _ in link.H], [v for _, v in link.H]
    if len(link.H) == 1 and not any(turns[0]):
        return True, slides
    unit = all(is_zero(w.dot(w) - 1) for w in turns)
    if unit and not any(map(any, slides)) and (len(link.H) == 1 or link.stage.is_spherical):
        return False, turns
    message = "the formalism 'vector_parameter' is made for revolute, universal, spherical and prismatic joints."
    cure = "Derive with 'newton_euler' or 'poincare', or write the joint as a compound of such."
    raise PolhodeError(message, f"joint '{link.joint}'", cure, "E-DERIVE-UNSUPPORTED")


def _coordinates(tree: Tree, link: Link, slides: bool) -> tuple[tuple[Expr, ...], dict[Expr, Expr]]:
    """The components of a joint's vector-parameter, or its length, and the expressions of those it does not store."""
    q = tuple(tree.q[k] for k in link.coordinates)
    if slides or link.stage.storage == "vector":
        return q, {}
    c = parameter_of(link.motion.R)
    axes = [w for w, _ in link.H]
    names = [f"c {link.joint} {q[0].name} {k}" for k in range(len(axes))]
    x = tuple(symbol(name, "vector-parameter") for name in names)
    return x, {x_k: as_expr(c.dot(axis)) for x_k, axis in zip(x, axes, strict=True)}


@dataclass(frozen=True)
class _InSpeeds:
    """The equations in the speeds of a tree: ẋ = Γ u, τ = Γᵀ P."""

    tree: Tree
    made: Manipulator
    known: dict[Expr, Expr]
    time: Expr

    @cached_property
    def gamma(self) -> Matrix:
        rows: list[list[Any]] = []
        for joint in self.made.joints:
            for row in joint.rates() if joint.speeds else [[]] * len(joint.x):
                by_speed = dict(zip(joint.speeds, row, strict=True))
                rows.append([as_expr(by_speed.get(k, 0)) for k in range(len(self.tree.u))])
        return Matrix(rows)

    def put_in(self, entries: Iterable[Any]) -> list[Expr]:
        """Expressions with x replaced by functions of the tree's coordinates."""
        return substitute([as_expr(entry) for entry in entries], self.known)

    def inverse(self, ud: Sequence[Any]) -> Vector:
        """Γᵀ P at ẋ = Γ u and ẍ = Γ u̇ + Γ̇ u, and the rates of x by time alone."""
        in_time = derivative([self.known.get(x, as_expr(0)) for x in self.made.x], self.time)
        rates = [as_expr(a + b) for a, b in zip(self.gamma @ self.tree.u, in_time, strict=True)]
        moving = directional(rates, {**dict(zip(self.made.x, rates, strict=True)), self.time: as_expr(1)})
        second = [a + b for a, b in zip(self.gamma @ Vector(ud), moving, strict=True)]
        values = dict(zip(self.made.rates, rates, strict=True)) | dict(zip(self.made.second_rates, second, strict=True))
        P = Vector(substitute([as_expr(entry) for entry in self.made.efforts], values))
        return Vector(self.put_in(self.gamma.T @ P))

    def mass_matrix(self) -> Matrix:
        """Γᵀ H Γ."""
        entries = self.put_in((self.gamma.T @ self.made.inertia @ self.gamma).entries())
        size = len(self.tree.u)
        return Matrix([entries[i * size : (i + 1) * size] for i in range(size)])


def recipe(model: Model, tree: Tree) -> Recipe:
    """Inverse dynamics and mass matrix from (134); joints that follow others are free first, and then projected out."""
    if tree.followed:
        free = build_tree(model, prescribed=False)
        return projected(model, tree, free, recipe(model, free))
    equations = _InSpeeds(tree, *manipulator(tree), model.time)

    def inverse(ud: Sequence[Any]) -> Vector:
        return equations.inverse(ud) - given_forces(model, tree)

    return Recipe(inverse=inverse, mass_matrix=cache(equations.mass_matrix))
