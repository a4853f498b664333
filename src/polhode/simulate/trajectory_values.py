"""Values along a trajectory: dependent coordinates and speeds, any expression at the samples, states between them.

Coordinates and speeds that are prescribed, coupled to others or dependent are no unknowns: they follow from the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled.functions import Functions
from ..compiled.native import compile_program
from ..compiled.planning import plan_outputs
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, as_expr, free_symbols, substitute
from ..expr.spelling import acceleration_of
from .initial_state import Floats

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
    values = substitute(list(found.values()), {} if dependent_speeds is None else dependent_speeds.followed)
    return dict(zip(found, values, strict=True)) | rates


def columns_of(trajectory: Trajectory, equations: EquationsOfMotion) -> tuple[Floats, Floats, Floats]:
    """The unknowns of a mechanism in a trajectory that may hold what follows them too."""
    found = []
    for kind, ours, values, theirs, more in zip(
        ("coordinates", "speeds", "states"),
        (trajectory.coordinates, trajectory.speeds, trajectory.states),
        (trajectory.q, trajectory.u, trajectory.z),
        (equations.coordinates, equations.speeds, equations.states),
        (*dependent_of(equations), ()),
        strict=True,
    ):
        if [name for name in ours if name in theirs or name not in more] != list(theirs):
            raise PolhodeError(
                f"the trajectory's {kind} are {', '.join(ours) or 'none'}; the mechanism's are "
                f"{', '.join(theirs) or 'none'}.",
                code="E-TRAJ-002",
            )
        found.append(values[:, [ours.index(name) for name in theirs]])
    return found[0], found[1], found[2]


def values_along(trajectory: Trajectory, functions: Functions, expressions: Sequence[Any]) -> Floats:
    """The values (expressions, samples); accelerations are those that the equations of motion give."""
    equations = functions.equations
    roots = substitute([as_expr(value) for value in expressions], substitutions_of(equations))
    _check_known(roots, functions, trajectory.tau is not None)
    planned = plan_outputs(equations, "values", ("q", "u", "udot", "tau"), [("values", (len(roots),), roots)])
    arrays = {
        "q": trajectory.q,
        "u": trajectory.u,
        "z": trajectory.z,
        "udot": np.zeros_like(trajectory.u),
        "tau": np.zeros((1, len(equations.tau))) if trajectory.tau is None else trajectory.tau,
        "t": trajectory.t[:, None],
        "inputs": functions.input_values() if trajectory.inputs is None else trajectory.inputs,
    }
    if any(root.data[0] == "acceleration" for root in free_symbols(roots)):
        given: dict[str, Any] = {"t": trajectory.t, "inputs": arrays["inputs"], "parameters": trajectory.parameters}
        arrays["udot"] = functions.forward_dynamics(trajectory.q, trajectory.u, arrays["tau"], trajectory.z, **given)
    native = compile_program(planned.program, cache=False)
    found = native(
        *(np.broadcast_to(arrays[name], (len(trajectory), arrays[name].shape[-1])) for name in native.arrays),
        parameters=functions.values_of(planned.parameters, trajectory.parameters),
    )
    return np.ascontiguousarray(np.asarray(found, dtype=np.float64).T)


def _check_known(roots: Sequence[Expr], functions: Functions, knows_efforts: bool) -> None:
    """Refuse what a trajectory does not know: symbols of another system, and efforts that were not kept."""
    equations, system = functions.equations, functions.equations.system
    known = {
        *equations.q,
        *equations.u,
        *equations.z,
        *equations.udot,
        system.time,
        *(equations.tau if knows_efforts else ()),
    }
    known |= {given.symbol for table in (system.parameters, system.inputs) for given in table.values()}
    strange = [met for met in free_symbols(roots) if met not in known]
    if strange:
        raise PolhodeError(
            f"the {strange[0].data[0]} '{strange[0].name}' is not known along this trajectory.",
            cure="Use coordinates, speeds, states, accelerations, efforts, time, parameters, inputs of its own system.",
            code="E-TRAJ-005",
        )


# ---- between samples -----------------------------------------------------------------------------------------


def interpolated(
    t: Floats, q: Floats, u: Floats, times: Floats, rates: Floats | None, groups: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Coordinates and speeds at other times inside the trajectory.

    Coordinates follow Hermite's cubic with slopes q̇ where `rates` are known, and a natural-looking cubic otherwise, as
    speeds do. Quaternions are continued on the side of the sphere where they were, and scaled to unit length.
    """
    if not len(t) or times.ndim != 1 or not np.isfinite(times).all():
        raise PolhodeError("these are no times to look at.", place="trajectory", code="E-TRAJ-004")
    slack = 1e-12 * max(1.0, abs(float(t[-1])))
    if times.size and (times.min() < t[0] - slack or times.max() > t[-1] + slack):
        raise PolhodeError(
            f"the trajectory runs from {t[0]:g} to {t[-1]:g} s, not from {times.min():g} to {times.max():g} s.",
            cure="Simulate for longer.",
            code="E-TRAJ-008",
        )
    if len(t) == 1:
        return np.repeat(q, len(times), axis=0), np.repeat(u, len(times), axis=0)
    from scipy.interpolate import Akima1DInterpolator, CubicHermiteSpline

    inside = np.clip(times, t[0], t[-1])
    q = q.copy()
    slopes = None if rates is None else rates.copy()
    for first, count in groups:
        part = slice(first, first + count)
        turns = np.cumprod(np.where(np.einsum("ti,ti->t", q[:-1, part], q[1:, part]) < 0.0, -1.0, 1.0))
        q[1:, part] *= turns[:, None]
        if slopes is not None:
            slopes[1:, part] *= turns[:, None]
    if slopes is None:
        q_then = Akima1DInterpolator(t, q)(inside)
    else:
        q_then = CubicHermiteSpline(t, q, slopes)(inside)
    u_then = Akima1DInterpolator(t, u)(inside) if u.shape[1] else np.zeros((len(inside), 0))
    for first, count in groups:
        part = slice(first, first + count)
        q_then[:, part] /= np.linalg.norm(q_then[:, part], axis=1, keepdims=True)
    return np.asarray(q_then, dtype=np.float64), np.asarray(u_then, dtype=np.float64)
