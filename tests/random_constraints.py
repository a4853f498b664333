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
from polhode.model.samples.random_system import Dice, random_system
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
        dice = Dice.of(1000 * seed + attempt)
        system = random_system(
            1000 * seed + attempt, bodies=bodies, joints=TREE_JOINTS, symbolic=symbolic, max_speeds=9
        )
        if dice.chance(0.25):
            _drive_one(system, dice)
        wanted = dice.whole(1, 3)
        for number in range(wanted):
            system = _constrained(system, dice, f"tie {number + 1}")
        if system.constraints:
            return system
    raise ModelError(f"no constrained mechanism came of seed {seed}.", code="E-MODEL-UNSUPPORTED")


def _drive_one(system: System, dice: Dice) -> None:
    able = [joint for joint in system.joints.values() if joint.type.kind in ("revolute", "prismatic")]
    if able and sum(len(joint.u) for joint in system.joints.values()) > 3:
        system.prescribe(dice.pick(able), sin(2 * system.time) / 3)


def _constrained(system: System, dice: Dice, name: str) -> System:
    """The system with one constraint more that leaves some freedom; after a few vain draws, as it is."""
    for _ in range(_DRAWS):
        trial = System.of(system.model())
        try:
            dice.pick(KINDS)(trial, dice, name)
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


def _bodies(system: System, dice: Dice) -> tuple[str, str]:
    """Two bodies, the first one that moves."""
    tree = build_tree(system.model())
    moving = [name for name, (i, _) in tree.bodies.items() if i != BASE]
    first = dice.pick(moving)
    rest = [name for name in (*moving, GROUND, GROUND) if tree.bodies[name][0] != tree.bodies[first][0]]
    return first, dice.pick(rest)


def _point(dice: Dice) -> list[Any]:
    return [dice.decimal(-1, 1) for _ in range(3)]


def _closure(system: System, dice: Dice, name: str) -> None:
    kinds = [Spherical(), Revolute("z"), Revolute((3, 0, 4)), Universal("x", "z"), Planar("z"), Cylindrical("y")]
    kinds += [Prismatic("x"), Screw("z", dice.decimal(0.1, 1)), *(dice.pick(_OWN_COORDINATES) for _ in range(3))]
    a, b = _bodies(system, dice)
    system.close(name, a, b, dice.pick(kinds), at_a=_point(dice), at_b=_point(dice))


def _condition(system: System, dice: Dice, name: str) -> None:
    coordinates = [q for joint in system.joints.values() for q in joint.q]
    first, second = dice.pick(coordinates), dice.pick(coordinates)
    system.constrain(sin(first) * dice.decimal(-1, 1) + second * second - system.time / 7, name)


def _speed_condition(system: System, dice: Dice, name: str) -> None:
    coordinates = [q for joint in system.joints.values() for q in joint.q]
    speeds = [u for joint in system.joints.values() for u in joint.u]
    value = dice.pick(speeds) * sin(dice.pick(coordinates)) + dice.pick(speeds) * dice.decimal(-2, 2)
    system.constrain_speed(value + sin(system.time), name)


def _knife(system: System, dice: Dice, name: str) -> None:
    a, b = _bodies(system, dice)
    system.knife_edge(name, a, dice.pick(("x", "y", "z")), at=_point(dice), on=b)


def _wheel(system: System, dice: Dice, name: str) -> None:
    a, b = _bodies(system, dice)
    system.roll_wheel(name, a, dice.decimal(0.1, 1), "y", centre=_point(dice), on=b, at=_point(dice))


def _ball(system: System, dice: Dice, name: str) -> None:
    a, b = _bodies(system, dice)
    system.roll_ball(name, a, dice.decimal(0.1, 1), centre=_point(dice), on=b, at=_point(dice))


KINDS: tuple[Callable[[System, Dice, str], None], ...] = (
    _closure, _closure, _closure, _condition, _speed_condition, _knife, _wheel, _ball,
)  # fmt: skip
