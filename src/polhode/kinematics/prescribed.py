"""Prescribed motions: joints that follow others, joints and placements whose motion is a function of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import Expr, Vector, as_expr, derivative, free_symbols, substitute, topological
from ..expr.decide import constant_ratio
from ..geometry import Pose
from ..model.model import Model
from ..model.records import Joint
from ..model.stage import Stage


@dataclass(frozen=True)
class Drive:
    """A prescribed motion of a joint or placement: relative velocity (w, v), its rate (alpha, a), functions of time."""

    w: Vector
    v: Vector
    alpha: Vector
    a: Vector

    def mapped(self, function: Callable[[Any], Any]) -> Drive:
        """The same motion with a function applied to every number."""
        return Drive(*(Vector(map(function, part)) for part in (self.w, self.v, self.alpha, self.a)))


def drive_of(stage: Stage, rate: Expr, rate_of_rate: Expr) -> Drive:
    """A joint of one column that moves at a prescribed rate."""
    h1, h2 = Vector(stage.H.columns[0][:3]), Vector(stage.H.columns[0][3:])
    return Drive(h1 * rate, h2 * rate, h1 * rate_of_rate, h2 * rate_of_rate)


def moves_in(pose: Pose, time: Expr) -> bool:
    """Whether a pose depends on time, or on the elastic coordinates of a flexible body."""
    met = free_symbols([as_expr(entry) for entry in (*pose.R.entries(), *pose.p)])
    return any(symbol is time or symbol.data[0] == "coordinate" for symbol in met)


def placement_drive(pose: Pose, time: Expr) -> Drive:
    """The motion of a frame whose pose is X(t), in its components: w of Rᵀ Ṙ, v = Rᵀ ṗ, and their rates."""
    rates = derivative([as_expr(entry) for entry in (*pose.R.entries(), *pose.p)], time)
    back = pose.R.T
    columns = [back @ Vector(rates[k:9:3]) for k in range(3)]
    w, v = Vector([columns[1][2], columns[2][0], columns[0][1]]), back @ Vector(rates[9:])
    angles = [node.args[0] for node in topological(map(as_expr, pose.R.entries())) if node.op in ("sin", "cos")]
    turning = [rate for rate in derivative(dict.fromkeys(angles), time) if rate]
    w = Vector([_spin(as_expr(entry), turning) for entry in w])
    return Drive(w, v, *(Vector(derivative([as_expr(entry) for entry in part], time)) for part in (w, v)))


def _spin(entry: Expr, rates: Sequence[Expr]) -> Expr:
    """A component of an angular velocity; as a number times the rate of an angle, as 3/5 θ̇, where it is one."""
    for rate in rates:
        ratio = constant_ratio(entry / rate)
        if ratio is not None:
            return ratio * rate
    return entry


def leader_of(model: Model, name: str) -> tuple[Joint, Expr]:
    """The joint that a follower follows in the end, and the ratio of their speeds."""
    ratio = as_expr(1)
    while name in model.couplings:
        ratio = ratio * model.couplings[name].multiplier
        name = model.couplings[name].leader
    return model.joints[name], ratio


def prescribed_motions(model: Model) -> tuple[dict[Expr, Expr], dict[Expr, Expr]]:
    """Substitutions for coordinates, speeds, efforts of coupled and driven joints, and the rates of driven speeds."""
    table: dict[Expr, Expr] = {}
    rates: dict[Expr, Expr] = {}
    for name in model.couplings:
        joint, (leader, ratio) = model.joints[name], leader_of(model, name)
        angle, at = as_expr(0), name
        factor = as_expr(1)
        while at in model.couplings:
            angle = angle + factor * model.couplings[at].offset
            factor = factor * model.couplings[at].multiplier
            at = model.couplings[at].leader
        table[joint.q[0]] = angle + ratio * leader.q[0]
        table[joint.u[0]] = ratio * leader.u[0]
        table[joint.tau[0]] = as_expr(0)
    motions: dict[Expr, Expr] = {}
    for prescribed in model.prescribed.values():
        joint = model.joints[prescribed.joint]
        index = [c.name for c in joint.q].index(prescribed.coordinate)
        (rate,) = derivative([prescribed.motion], model.time)
        if joint.stores_tangent(index):
            rate = 2 * rate / (1 + prescribed.motion * prescribed.motion)  # of the angle θ, where tan(θ/2) is given
        (rates[joint.u[index]],) = derivative([rate], model.time)
        motions |= {joint.q[index]: prescribed.motion, joint.u[index]: rate, joint.tau[index]: as_expr(0)}
    for name in model.couplings:
        leader, ratio = leader_of(model, name)
        if leader.u[0] in rates:
            rates[model.joints[name].u[0]] = ratio * rates[leader.u[0]]
    meanings = substitute(list(table.values()), motions)
    return dict(zip(table, meanings, strict=True)) | motions, rates
