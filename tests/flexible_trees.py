"""Random trees of rigid and flexible bodies, every mass and stiffness a parameter."""

from collections.abc import Callable
from typing import Any

import polhode as ph
from polhode.model.samples.random_system import RandomChoices

_AXES = ("x", "y", "z", "-x", "-y", "-z")
_ACROSS = {"x": "yz", "y": "xz", "z": "xy"}
_JOINTS: tuple[Callable[[str], Any], ...] = (
    ph.Revolute, ph.Prismatic, lambda axis: ph.Universal(axis, "y" if axis[-1] != "y" else "z"),
    lambda axis: ph.Spherical(storage="quaternion"), lambda axis: "fixed",
)  # fmt: skip


def random_flexible_tree(seed: int, time: bool = True, loads: bool = True) -> ph.System:
    """Two to four bodies, one or more of them flexible: beams with stations and in any frame, bodies by shapes.

    Unless `time` is False, some joints are placed as functions of time or prescribed; `loads` act at stations too.
    """
    dice = RandomChoices.of(seed)
    s = ph.System(f"flexible tree {seed}", gravity=(dice.decimal(-2, 2), dice.decimal(-2, 2), -9))
    bodies: list[ph.Body] = [s.ground]
    count = dice.whole(2, 4)
    bending = dice.whole(0, count - 1)
    left = 7 if dice.chance(0.7) else 9
    for k in range(count):
        mass = s.parameter(f"m{k}", dice.decimal(1, 3))
        body = None
        if k == bending or (left > 3 and dice.chance(0.4)):
            body = _flexible(s, dice, k, mass)
        if body is None:
            centre = tuple(dice.decimal(-0.5, 0.5) for _ in range(3))
            body = s.body(f"b{k}", mass, centre, tuple(s.parameter(f"J{k}{x}", dice.decimal(1, 2)) for x in "xyz"))
        left -= len(getattr(body, "q", ()))
        parent = bodies[dice.whole(max(0, len(bodies) - 2), len(bodies) - 1)]
        if hasattr(parent, "at") and dice.chance(0.7):
            parent = _station(s, dice, parent)
        kinds = _JOINTS if _has_thickness(s, body) else _JOINTS[1:2] + _JOINTS[4:]
        kind = dice.pick(kinds)(dice.pick(_AXES)) if left > 0 else "fixed"
        at: tuple[Any, ...] = tuple(dice.decimal(-1, 1) if dice.chance(0.5) else 0 for _ in range(3))
        if time and dice.chance(0.3):
            at = (at[0], at[1] + ph.sin(2 * s.time) / 3, at[2])
        turn = (dice.pick(_AXES), dice.decimal(-2, 2)) if dice.chance(0.5) else None
        back = tuple(dice.decimal(-1, 1) for _ in range(3)) if dice.chance(0.3) else (0, 0, 0)
        joint = s.joint(f"j{k}", parent, body, kind, at=at, rotation=turn, child_at=back)
        left -= len(joint.u)
        if time and len(joint.u) == 1 and dice.chance(0.2):
            s.prescribe(joint, ph.sin(s.time) / 2 + s.time / 3)
        bodies.append(body)
    if loads:
        for k, body in enumerate(bodies[1:]):
            _load(s, dice, body, f"load {k}")
    return s


def _flexible(s: ph.System, dice: RandomChoices, k: int, mass: ph.Expr) -> ph.Body:
    stiffness = s.parameter(f"EI{k}", dice.decimal(20, 60))
    if dice.chance(0.25):
        return _by_shapes(s, dice, k, mass, stiffness)
    length = s.parameter(f"L{k}", dice.decimal(1, 2))
    axis = dice.pick(_AXES)
    across = _ACROSS[axis[-1]]
    frame = dice.pick(("tangent", "tangent", "chord", "mean"))
    more: dict[str, Any] = {"EI": stiffness, "bending": across[dice.whole(0, 1)]}
    kind = dice.whole(0, 5)
    if kind == 0:
        more = {"EI": (stiffness, stiffness * 2), "gyration": (s.parameter(f"r{k}", 0.1), "0.2")}
    elif kind == 1:
        more |= {"GJ": s.parameter(f"GJ{k}", 30), "gyration": "0.15"}
    elif kind == 2:
        more |= {"EA": s.parameter(f"EA{k}", 400)}
    elif kind == 3:
        more |= {"GA": 300, "gyration": "0.1"}
    elif dice.chance(0.5):
        more |= {"gyration": "0.12"}
    if dice.chance(0.5):
        more["damping"] = s.parameter(f"zeta{k}", 0.02)
    ends = ("free", "free") if frame == "mean" and dice.chance(0.5) else ("clamped", "free")
    stiff = dice.chance(0.5)
    return s.beam(
        f"b{k}", length=length, mass=mass, axis=axis, ends=ends, frame=frame, modes=1, stiffening=stiff, **more
    )


def _has_thickness(s: ph.System, body: ph.Body) -> bool:
    """Whether a body has inertia about every axis."""
    return bool(getattr(s.flexible.get(body.name), "gyration", True))


def _by_shapes(s: ph.System, dice: RandomChoices, k: int, mass: ph.Expr, stiffness: ph.Expr) -> ph.Body:
    if dice.chance(0.5):
        return s.flexible_body(
            f"b{k}", shapes=[lambda x, y, z: (y * z, 0, x**2 / 2)],
            material=[(mass, (-1, "0.2", 0), (1, 0, "0.1")), (mass / 3, ("0.4", "0.5", "0.1"))], stiffness=[stiffness],
        )  # fmt: skip
    nodes = {
        "a": ph.Node((1, 0, "0.1"), shapes=[(0, 0, 1)], turns=[(0, -2, 0)], mass=mass / 4),
        "b": ph.Node((0, "0.3", 0), shapes=[("0.1", 0, -1)], mass=mass / 2),
        "c": ph.Node((-1, 0, 0), shapes=[(0, 0, 1)], turns=[(1, 2, 0)], mass=mass / 4),
    }
    return s.flexible_body(f"b{k}", nodes=nodes, stiffness=[stiffness])


def _station(s: ph.System, dice: RandomChoices, body: Any) -> ph.Body:
    """A section or node of a flexible body."""
    record = s.flexible[body.name]
    length = getattr(record, "length", None)
    if length is not None:
        return body.at(length * ph.expr.as_expr(dice.pick(("1", "1/2", "1/3"))), static=dice.chance(0.3))
    return body.at((1, 0, "0.1")) if record.fields else body.at(dice.pick(("a", "b")))


def _load(s: ph.System, dice: RandomChoices, body: Any, name: str) -> None:
    on = _station(s, dice, body) if hasattr(body, "at") else body
    if dice.chance(0.5):
        s.force(on, (dice.decimal(-2, 2), 1, s.parameter(f"F{name[-1]}", 2)), at=(0, "0.1", "0.2"), name=name)
    else:
        s.spring(s.ground, on, s.parameter(f"k{name[-1]}", 5), 1, damping="0.3", at_a=(2, 1, 0), name=name)
