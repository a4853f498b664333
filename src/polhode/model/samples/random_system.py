"""Random mechanisms, to try a law of mechanics on more than the examples that come to mind.

A seed gives the same mechanism on every machine and under every Python: nothing is drawn but `random()`, the one
method whose sequence Python promises to keep. Every mechanism can move: a massless body is carried by one slide or
hinge and carries only joints that this one cannot imitate, so that no mass matrix is singular everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any, TypeVar

from ...errors import PolhodeError, understood
from ...expr import Expr, Matrix, Vector, as_expr, cos, pi, sin
from ...expr.spelling import acceleration_of
from ...geometry import rotation
from ...geometry.inertia import rotate_symmetric
from ...geometry.rotations import SEQUENCES
from ..body import Body, Frame, box
from ..joints import JOINTS as TYPES
from ..joints import (
    Compound,
    Cylindrical,
    Fixed,
    JointMap,
    JointType,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from ..model import Model
from ..reading import list_of
from ..records import GROUND, Joint
from ..stage import STORAGES, TURN_STORAGES
from ..system import System

#: What a random joint is unless other kinds are named; any registered type is one that can be.
JOINTS = (
    "fixed", "revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "spherical", "free", "map",
    "nonholonomic", "compound",
)  # fmt: skip

#: Which joints a massless body can carry without making a motion that moves nothing, by the joint that carries it; on
#: a weld it can carry any.
_BEYOND_MASSLESS = {
    "revolute": ("fixed", "prismatic"),
    "prismatic": ("fixed", "revolute", "spherical"),
}

#: Half of all orientations are stored in one of the three common ways, half in an Euler sequence.
_STORAGES = ("angles", "quaternion", "vector") * 4 + SEQUENCES
_OFTEN = {STORAGES: _STORAGES}

_MOST_SPEEDS = 6
_LETTERS = ("x", "y", "z", "-x", "-y", "-z")
_AXES = (*_LETTERS, (1, 1, 0), (0, 1, -1), (3, 0, 4), (2, -2, 1), (1, 2, 2), (-2, 3, 6), (1, 1, 1))

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class RandomChoices:
    """Choices from one stream of `random()`."""

    stream: random.Random

    @staticmethod
    def of(seed: int) -> RandomChoices:
        return RandomChoices(random.Random(seed))

    def chance(self, probability: float) -> bool:
        return self.stream.random() < probability

    def whole(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.stream.random() * (high - low + 1))

    def pick(self, items: Sequence[_Item]) -> _Item:
        return items[self.whole(0, len(items) - 1)]

    def order(self, items: Sequence[_Item]) -> list[_Item]:
        rest = list(items)
        return [rest.pop(self.whole(0, len(rest) - 1)) for _ in items]

    def decimal(self, low: float, high: float) -> Fraction:
        """A number of at most two decimals, never zero."""
        return Fraction(round(100 * (low + self.stream.random() * (high - low))) or 1, 100)

    def uniform(self, low: float, high: float) -> float:
        return low + self.stream.random() * (high - low)


def random_system(
    seed: int,
    *,
    bodies: int | tuple[int, int] = (1, 12),
    joints: Sequence[str] = JOINTS,
    symbolic: float = 0.5,
    loads: bool = True,
    max_speeds: int = 24,
    floating: bool = False,
) -> System:
    """A mechanism drawn by a seed: a tree of any shape, with rotated frames, off-centre inertias and loads.

    `joints` names the kinds to draw from (`JOINTS`, or any type), `symbolic` is the probability that a quantity is a
    parameter, which then has a value; no more than `max_speeds` speeds are used, further bodies being welded. With
    `floating` the first body is free and carries all others.

    >>> system = random_system(7, bodies=3)
    >>> len(system.bodies), list(system.bodies) == list(random_system(7, bodies=3).bodies)
    (4, True)
    """
    with understood("a seed", seed, place="random system", cure="Give a whole number or a text."):
        rng = RandomChoices.of(seed)
    with understood("a number of bodies", bodies, place="random system", cure="Give a number, or a pair (1, 12)."):
        low, high = map(index, (bodies, bodies) if isinstance(bodies, int) else bodies)
    joints = list_of(joints, "a list of joints", "random system")
    with understood("a number", (symbolic, max_speeds), place="random system", cure="Give symbolic from 0 to 1."):
        symbolic, max_speeds = float(symbolic), index(max_speeds)
    unknown = [kind for kind in joints if kind not in (*JOINTS, *TYPES)]
    if unknown or not joints or not 0 <= low <= high:
        raise PolhodeError(
            f"there is no random joint {unknown[0]!r}." if unknown else f"cannot draw {bodies} bodies with {joints}.",
            cure=f"Choose joints from {', '.join(JOINTS)} and a number or range of bodies ≥ 0.",
            code="E-MODEL-NAME",
        )
    draft = _Draft(System(f"random {seed}", gravity=(0, 0, 0)), rng, symbolic)
    draft.tree(rng.whole(low, high), tuple(joints), max_speeds, floating)
    draft.system.gravity = draft.vector("g", 9)
    if loads:
        draft.loads()
    return draft.system


def random_state(system: System | Model, seed: int) -> dict[Expr, float]:
    """Numbers for every symbol of a system, of order one: parameters at their values, quaternions of unit length."""
    rng = RandomChoices.of(seed)
    values = {entry.symbol: float(entry.value or 0) for entry in system.parameters.values()}
    values |= {entry.symbol: rng.uniform(-1, 1) for entry in system.inputs.values()}
    values[system.time] = rng.uniform(0, 2)
    model = system if isinstance(system, Model) else system.model()
    for joint in model.joints.values():
        values |= dict(zip(joint.q, _random_coordinates(joint.type, rng), strict=True))
        for speed, effort in zip(joint.u, joint.tau, strict=True):
            rate = acceleration_of(speed)
            values |= {name: rng.uniform(-1, 1) for name in (speed, effort, rate)}
    return values


def _random_coordinates(kind: JointType, rng: RandomChoices) -> list[float]:
    drawn: list[float] = []
    for stage in kind.stages:
        reach = 1 if stage.coordinates == 1 or stage.storage != "angles" else 0.5
        entries = [rng.uniform(-reach, reach) for _ in range(stage.coordinates)]
        if stage.storage == "quaternion":
            length = sum(entry * entry for entry in entries[:4]) ** 0.5
            entries[:4] = [entry / length for entry in entries[:4]]
        drawn += entries
    return drawn


@dataclass(frozen=True)
class _Draft:
    """A system under construction."""

    system: System
    rng: RandomChoices
    symbolic: float

    # ---- quantities ------------------------------------------------------------------------------------------

    def value(self, name: str, low: float, high: float) -> Any:
        """A number, or a parameter that has it for its value."""
        number = self.rng.decimal(low, high)
        if not self.rng.chance(self.symbolic):
            return number
        return self.system.parameter(f"{name}{len(self.system.parameters) + 1}", number)

    def vector(self, name: str, size: float) -> Vector:
        """Some components are zero, as they are in mechanisms that people draw."""
        return Vector([as_expr(0 if self.rng.chance(0.3) else self.value(name, -size, size)) for _ in range(3)])

    def turns(self) -> Matrix | None:
        """A rotation by up to two turns, by fractions of π, short and long decimals or a parameter."""
        if self.rng.chance(0.4):
            return None
        return rotation(*((self.rng.pick(_AXES), self.angle()) for _ in range(self.rng.whole(1, 2))))

    def angle(self) -> Any:
        if self.rng.chance(0.5):
            return pi * Fraction(self.rng.whole(-11, 11), self.rng.pick((2, 3, 4, 5, 6, 12)))
        if self.rng.chance(0.2):  # as many digits as a float prints
            return self.rng.uniform(-3, 3)
        return self.value("angle", -3, 3)

    # ---- bodies and joints -----------------------------------------------------------------------------------

    def tree(self, count: int, kinds: tuple[str, ...], max_speeds: int, floating: bool) -> None:
        """Bodies b1 … bn, each on the ground or on an earlier one, by joints j1 … jn."""
        chain_like = self.rng.pick((0.2, 0.5, 0.9))
        root = int(floating)
        parents = [
            number - 1 if self.rng.chance(chain_like) else self.rng.whole(min(root, number - 1), number - 1)
            for number in range(1, count + 1)
        ]
        carrier: dict[int, str] = {}  # for each massless body the kind of its joint
        left = max_speeds
        for number, parent in enumerate(parents, start=1):
            beyond = _BEYOND_MASSLESS.get(carrier.get(parent, "fixed"), dict.fromkeys((*JOINTS, *TYPES)))
            allowed = tuple(kind for kind in beyond if kind in kinds)
            allowed = ("free",) if floating and number == 1 else allowed
            name, kind = self.joint_type(allowed or ("fixed",), left)
            left -= kind.speeds
            may_be_massless = name in ("fixed", *_BEYOND_MASSLESS) and number in parents and parent not in carrier
            if may_be_massless and self.rng.chance(0.25):
                carrier[number] = name
            body = self.body(f"b{number}", massless=number in carrier)
            self.join(f"j{number}", f"b{parent}" if parent else GROUND, body, kind)

    def body(self, name: str, massless: bool) -> Body:
        """A box, turned and off-centre, so that its inertia is one that a body can have."""
        if massless:
            return self.system.body(name)
        mass = self.value("m", 0.5, 5)
        edges = [self.value("size", 0.2, 1.5) for _ in range(3)]
        inertia = box(mass, *edges)
        turn = self.turns()
        if turn is not None:
            inertia = rotate_symmetric(turn, inertia)
        return self.system.body(name, mass, self.vector("com", 1), inertia)

    def join(self, name: str, parent: str, child: Body, kind: JointType) -> None:
        """A joint placed in its bodies directly, or by a frame."""
        at, turn = self.vector("at", 2), self.turns()
        seat: dict[str, Any] = {"at": at, "rotation": turn}
        on: str | Frame = parent
        if self.rng.chance(0.2):
            on, seat = self.system.frame(f"{name} seat", parent, at, turn), {}
        if self.rng.chance(0.4):
            seat |= {"child_at": self.vector("back", 1), "child_rotation": self.turns()}
        self.system.joint(name, on, child, kind, **seat)

    def joint_type(self, kinds: tuple[str, ...], most: int) -> tuple[str, JointType]:
        """A joint with at most the number of speeds left; a weld if none fits."""
        for _ in range(_MOST_SPEEDS):
            name = self.rng.pick(kinds)
            kind = self.make_joint_type(name)
            if kind.speeds <= most:
                return name, kind
        return "fixed", Fixed()

    def make_joint_type(self, name: str) -> JointType:
        axis = self.rng.pick(_AXES)
        if name == "map":
            return self.joint_map()
        if name == "nonholonomic":
            return self.nonholonomic()
        if name == "compound":
            return self.compound()
        fields = [field for field in TYPES[name].fields if not field.many and field.default is not None]
        directions = [field.name for field in fields if field.kind == "axis"]
        options = dict(zip(directions, self.crossing(len(directions)) if len(directions) > 1 else [axis], strict=False))
        for field in fields:
            if field.kind == "number":
                options[field.name] = self.value(field.name, -1, 1)
            elif field.choices and field.choices != TURN_STORAGES:  # not drawn: a seed goes on naming what it named
                options[field.name] = self.rng.pick(_OFTEN.get(field.choices, field.choices))
        return TYPES[name](**options)

    def crossing(self, count: int) -> list[Any]:
        """Axes of which no two are parallel."""
        return self.rng.order(((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 2, -2), (0, 3, -4)))[:count]

    def basis(self) -> list[Vector]:
        """Three independent directions, neither orthogonal nor of unit length."""
        return [Vector(axis) for axis in self.rng.order(((1, 1, 0), (0, 1, 2), (2, 0, -1)))]

    def joint_map(self) -> JointType:
        """A holonomic map: a compound of screws, or a simple joint in a skew basis."""
        shape = self.rng.whole(0, 4)
        a, b, c = self.basis()
        none = Vector([0, 0, 0])
        if shape == 0:  # successive screws anywhere in space
            axes = self.crossing(self.rng.whole(1, 3))
            return _map([(Vector(axis), self.vector("moment", 1)) for axis in axes], groups=[1] * len(axes))
        if shape == 1:
            return _map([(a, none), (b, none), (c, none)])
        if shape == 2:
            return _map([(none, a), (none, b)])
        if shape == 3:  # in the plane across a, whose translations the hinge turns into each other
            across = a.cross(b)
            return _map([(a, b.cross(a)), (none, across), (none, across + a.cross(across))])
        return _map([(a, b), (none, a * 2)])

    def nonholonomic(self) -> JointType:
        """A map that does not close under the bracket: a skate, a wheel, rotations without spin, and screws."""
        shape = self.rng.whole(0, 3)
        a, b, _ = self.basis()
        none = Vector([0, 0, 0])
        turn, slide = self.rng.order(((1, 0, 0), (0, 1, 0), (0, 0, 1)))[:2]
        skate = _map([(Vector(turn), none), (none, Vector(slide))])
        if shape == 0:
            return skate
        if shape == 1:
            return Compound(skate, Revolute(Vector(turn).cross(slide)))
        if shape == 2:
            return _map([(a, none), (b, none)])
        return _map([(Vector(turn), Vector(slide)), (none, Vector(slide))])

    def compound(self) -> JointType:
        """A sequence whose speeds are independent: rotations cross, translations cross."""
        a, b, c = self.crossing(3)
        d, e, _ = self.crossing(3)
        sequences = (
            (Revolute(a), Prismatic(d)),
            (Prismatic(d), Revolute(a)),
            (Revolute(a), Revolute(b), Revolute(c)),
            (Prismatic(d), Prismatic(e), Revolute(a)),
            (Spherical(self.rng.pick(_STORAGES)), Prismatic(d)),
            (Prismatic(d), Universal(a, b)),
            (Cylindrical(a), Revolute(b)),
            (Screw(a, self.rng.decimal(-1, 1)), Prismatic(b)),
            (Planar(a), Revolute(b)),
        )
        return Compound(*self.rng.pick(sequences))

    # ---- loads -----------------------------------------------------------------------------------------------

    def loads(self) -> None:
        """Up to four loads of any kind."""
        kinds = (
            self.point_force,
            self.torque,
            self.joint_force,
            self.joint_spring,
            self.point_spring,
            self.potential,
        )
        if len(self.system.bodies) > 1:
            for number in range(1, self.rng.whole(0, 4) + 1):
                self.rng.pick(kinds)(f"load {number}")

    def any_body(self) -> str:
        return self.rng.pick([name for name in self.system.bodies if name != GROUND])

    def any_frame(self) -> str:
        return self.rng.pick([*self.system.bodies, *self.system.frames])

    def signal(self, name: str) -> Any:
        """A value, an input, or something that swings with time."""
        shape = self.rng.whole(0, 2)
        if shape == 0:
            return self.value("force", -5, 5)
        if shape == 1:
            return self.system.input(f"{name}, signal {len(self.system.inputs) + 1}")
        return self.value("force", -5, 5) * sin(self.value("rate", 0.5, 3) * self.system.time)

    def point_force(self, name: str) -> None:
        vector = [self.signal(name), 0, self.signal(name)]
        self.system.force(self.any_body(), vector, at=self.vector("at", 1), frame=self.any_frame(), name=name)

    def torque(self, name: str) -> None:
        vector = [0, self.signal(name), self.value("torque", -2, 2)]
        self.system.torque(self.any_body(), vector, frame=self.any_frame(), name=name)

    def some_joint(self) -> Joint | None:
        """A joint that moves, if there is one."""
        moving = [joint for joint in self.system.joints.values() if joint.u]
        return self.rng.pick(moving) if moving else None

    def joint_force(self, name: str) -> None:
        joint = self.some_joint()
        if joint is not None:
            index = self.rng.whole(0, len(joint.u) - 1)
            self.system.joint_force(joint, self.signal(name), index, name)

    def joint_spring(self, name: str) -> None:
        joint = self.some_joint()
        if joint is not None:
            index = self.rng.whole(0, len(joint.u) - 1)
            rest = 0 if self.rng.chance(0.5) else self.value("rest", -1, 1)
            damping = 0 if self.rng.chance(0.4) else self.value("damping", 0.1, 1)
            stiffness = self.value("stiffness", 1, 9)
            if not joint.type.alone[index]:
                self.system.joint_force(joint, -damping * joint.u[index], index, name)
            elif len(joint.q) == len(joint.u):
                self.system.joint_spring(joint, stiffness, rest, damping, index, name)
            else:
                self.system.joint_spring(joint, stiffness, rest, 0, index, name)
                self.system.joint_force(joint, -damping * joint.u[index], index, name)

    def point_spring(self, name: str) -> None:
        a, b = self.any_body(), self.any_frame_body()
        if a != b:
            damping = 0 if self.rng.chance(0.4) else self.value("damping", 0.1, 1)
            length = 0 if self.rng.chance(0.3) else self.value("length", 0.2, 1)
            stiffness = self.value("stiffness", 1, 9)
            ends = {"at_a": self.vector("at", 1), "at_b": [self.value("at", 2, 3) for _ in range(3)]}
            self.system.spring(a, b, stiffness, length, damping, name=name, **ends)

    def any_frame_body(self) -> str:
        return self.rng.pick(list(self.system.bodies))

    def potential(self, name: str) -> None:
        joint = self.some_joint()
        if joint is not None:
            self.system.potential(self.value("depth", 1, 5) * (1 - cos(self.rng.pick(joint.q))), name)


def _map(columns: Sequence[tuple[Vector, Vector]], groups: Sequence[int] | None = None) -> JointType:
    return JointMap(Matrix.columns_of([[*w, *v] for w, v in columns], 6), groups)
