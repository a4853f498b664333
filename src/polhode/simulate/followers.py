"""Coordinates and speeds that are no unknowns: prescribed, coupled to others, or dependent. They follow the state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, as_expr, substitute
from ..expr.spelling import acceleration_of
from .state import Floats

if TYPE_CHECKING:
    from .trajectory import Trajectory


def dependent_of(equations: EquationsOfMotion) -> tuple[dict[str, Expr], dict[str, Expr]]:
    """The symbols of coordinates, and of speeds, that follow the state, by name.

    >>> import polhode as ph
    >>> s = ph.System("turntable")
    >>> _ = s.joint("turn", s.ground, s.body("table", 1, inertia=(1, 1, 1)), ph.Revolute("z"), speeds=["spin"])
    >>> _ = s.joint("slide", s.bodies["table"], s.body("block", 1), ph.Prismatic("x"))
    >>> _ = s.prescribe("turn", 2 * s.time)
    >>> [list(each) for each in dependent_of(s.derive())]
    [['turn'], ['spin']]
    """
    joints = equations.system.joints.values()
    coordinates = {q.name: q for joint in joints for q in joint.q if q not in equations.q}
    return coordinates, {u.name: u for joint in joints for u in joint.u if u not in equations.u}


def dependent_along(trajectory: Trajectory) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """The same over time."""
    coordinates, speeds = dependent_of(trajectory.mechanism.equations)
    if not coordinates and not speeds:
        return {}, {}
    values = trajectory.values(*coordinates.values(), *speeds.values())
    values.setflags(write=False)
    split = len(coordinates)
    return dict(zip(coordinates, values[:split], strict=True)), dict(zip(speeds, values[split:], strict=True))


def substitutions_of(equations: EquationsOfMotion) -> Mapping[Expr, Expr]:
    """What the symbols of all that follows stand for, their accelerations included."""
    tree, dependent_speeds = equations.tree, equations.dependent_speeds
    found: dict[Expr, Expr] = dict(tree.followed)
    rates = {acceleration_of(u): rate for u, rate in tree.rates.items()}
    if dependent_speeds is not None:
        found |= dependent_speeds.followed
        accelerations = dependent_speeds.E @ equations.udot + dependent_speeds.gamma
        rates |= {acceleration_of(tree.u[k]): as_expr(accelerations[k]) for k in dependent_speeds.dependent}
    # A coupled speed is a multiple of its leader's, and so is its acceleration.
    leaders = {u: acceleration_of(u) for u in tree.u}
    coupled = [u for u in dependent_of(equations)[1].values() if u in tree.followed and u not in tree.rates]
    made = substitute([tree.followed[u] for u in coupled], leaders)
    coupled_rates = substitute(made, rates)
    rates |= {acceleration_of(u): rate for u, rate in zip(coupled, coupled_rates, strict=True)}
    bound = substitute(list(found.values()), {} if dependent_speeds is None else dependent_speeds.followed)
    return dict(zip(found, bound, strict=True)) | rates


def columns_of(trajectory: Trajectory, equations: EquationsOfMotion) -> tuple[Floats, Floats]:
    """The unknowns of a mechanism in a trajectory that may hold what follows them too."""
    found = []
    for kind, ours, values, theirs, more in zip(
        ("coordinates", "speeds"),
        (trajectory.coordinates, trajectory.speeds),
        (trajectory.q, trajectory.u),
        (equations.coordinates, equations.speeds),
        dependent_of(equations),
        strict=True,
    ):
        if [name for name in ours if name in theirs or name not in more] != list(theirs):
            raise PolhodeError(
                f"the trajectory's {kind} are {', '.join(ours)}; the mechanism's are {', '.join(theirs)}.",
                code="E-TRAJ-002",
            )
        found.append(values[:, [ours.index(name) for name in theirs]])
    return found[0], found[1]
