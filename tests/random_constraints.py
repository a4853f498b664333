"""Random mechanisms with loops, conditions, rolling and driven joints, to try a law on more than what comes to mind.

A constraint that the drawn tree could never keep, or that would leave it no freedom, is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from polhode.constraints.rows import constraints_of
from polhode.errors import ModelError
from polhode.expr import sin
from polhode.kinematics.tree import BASE, build_tree
from polhode.model.joints import (
    BuildingBlock,
    Compound,
    Cylindrical,
    JointMap,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from polhode.model.records import GROUND
from polhode.model.samples.random_system import RandomChoices, random_system
from polhode.model.system import System

#: Joints of the tree: those that people build loops of.
TREE_JOINTS = ("revolute", "revolute", "prismatic", "universal", "spherical", "free", "planar", "cylindrical")

_DRAWS = 40

#: Joints that close a loop by coordinates of their own.
_OWN_COORDINATES = (
    Compound(Revolute("y"), Prismatic("x")),
    Compound(Spherical(), Prismatic("z")),
    Compound(Prismatic("x"), Spherical("213")),
    Compound(Screw("z", Fraction(1, 3)), Revolute("x")),
    BuildingBlock("xy", (3, 1)),
    JointMap([[0, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]),
)


def random_constrained_system(seed: int, *, bodies: tuple[int, int] = (2, 4), symbolic: float = 0.3) -> System:
    """A random tree with one to three constraints, and sometimes a joint with a prescribed motion."""
    for attempt in range(_DRAWS):
        rng = RandomChoices.of(1000 * seed + attempt)
        system = random_system(
            1000 * seed + attempt, bodies=bodies, joints=TREE_JOINTS, symbolic=symbolic, max_speeds=9
        )
        if rng.chance(0.25):
            _drive_one(system, rng)
        wanted = rng.whole(1, 3)
        for number in range(wanted):
            system = _constrained(system, rng, f"tie {number + 1}")
        if system.constraints:
            return system
    raise ModelError(f"no constrained mechanism came of seed {seed}.", code="E-MODEL-UNSUPPORTED")


def _drive_one(system: System, rng: RandomChoices) -> None:
    able = [joint for joint in system.joints.values() if joint.type.kind in ("revolute", "prismatic")]
    if able and sum(len(joint.u) for joint in system.joints.values()) > 3:
        system.prescribe(rng.pick(able), sin(2 * system.time) / 3)


def _constrained(system: System, rng: RandomChoices, name: str) -> System:
    """The system with one constraint more that leaves some freedom; after a few vain draws, as it is."""
    for _ in range(_DRAWS):
        trial = System.of(system.model())
        try:
            rng.pick(KINDS)(trial, rng, name)
            constraints = constraints_of(trial.model(), build_tree(trial.model()))
        except ModelError:
            continue
        own = [row for row in constraints.rows if row.of == name]
        if (
            own
            and len(constraints.rows) < len(constraints.tree.u)
            and len(constraints.generic_rows) == len(constraints.rows)
        ):
            return trial
    return system


def _bodies(system: System, rng: RandomChoices) -> tuple[str, str]:
    """Two bodies, the first one that moves."""
    tree = build_tree(system.model())
    moving = [name for name, (i, _) in tree.bodies.items() if i != BASE]
    first = rng.pick(moving)
    rest = [name for name in (*moving, GROUND, GROUND) if tree.bodies[name][0] != tree.bodies[first][0]]
    return first, rng.pick(rest)


def _point(rng: RandomChoices) -> list[Any]:
    return [rng.decimal(-1, 1) for _ in range(3)]


def _closure(system: System, rng: RandomChoices, name: str) -> None:
    kinds = [Spherical(), Revolute("z"), Revolute((3, 0, 4)), Universal("x", "z"), Planar("z"), Cylindrical("y")]
    kinds += [Prismatic("x"), Screw("z", rng.decimal(0.1, 1)), *(rng.pick(_OWN_COORDINATES) for _ in range(3))]
    a, b = _bodies(system, rng)
    system.close(name, a, b, rng.pick(kinds), at_a=_point(rng), at_b=_point(rng))


def _condition(system: System, rng: RandomChoices, name: str) -> None:
    coordinates = [q for joint in system.joints.values() for q in joint.q]
    first, second = rng.pick(coordinates), rng.pick(coordinates)
    system.constrain(sin(first) * rng.decimal(-1, 1) + second * second - system.time / 7, name)


def _speed_condition(system: System, rng: RandomChoices, name: str) -> None:
    coordinates = [q for joint in system.joints.values() for q in joint.q]
    speeds = [u for joint in system.joints.values() for u in joint.u]
    value = rng.pick(speeds) * sin(rng.pick(coordinates)) + rng.pick(speeds) * rng.decimal(-2, 2)
    system.constrain_speed(value + sin(system.time), name)


def _knife(system: System, rng: RandomChoices, name: str) -> None:
    a, b = _bodies(system, rng)
    system.knife_edge(name, a, rng.pick(("x", "y", "z")), at=_point(rng), on=b)


def _wheel(system: System, rng: RandomChoices, name: str) -> None:
    a, b = _bodies(system, rng)
    system.roll_wheel(name, a, rng.decimal(0.1, 1), "y", centre=_point(rng), on=b, at=_point(rng))


def _ball(system: System, rng: RandomChoices, name: str) -> None:
    a, b = _bodies(system, rng)
    system.roll_ball(name, a, rng.decimal(0.1, 1), centre=_point(rng), on=b, at=_point(rng))


KINDS: tuple[Callable[[System, RandomChoices, str], None], ...] = (
    _closure, _closure, _closure, _condition, _speed_condition, _knife, _wheel, _ball,
)  # fmt: skip
