"""Generalised-α steps: coordinates, speeds and multipliers are of second order, from the first step on."""

from collections.abc import Callable

import numpy as np
import pytest

import polhode as ph
from polhode.native.arrays import Floats
from polhode.ode.methods.generalised_alpha import SecondOrderMemory
from polhode.ode.native_run import NativeRun
from polhode.ode.record import Reason
from polhode.simulate.integrators.other_variables import system_of

SECONDS, SAMPLES = 0.4, 20


def point() -> tuple[ph.System, dict[str, object]]:
    s = ph.System("a point on a circle")
    slides = s.joint("p", s.ground, s.body("bob", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
    s.constrain(slides.q[0] ** 2 + slides.q[1] ** 2 - 1)
    return s, {"start": {"p_1": 1.0}}


def four_bar() -> tuple[ph.System, dict[str, object]]:
    s = ph.System("four-bar")
    sizes = {"crank": (1, 0.4), "rod": (2, 1.0), "rocker": (1, 0.8)}
    crank, rod, rocker = (
        s.body(name, mass, (length / 2, 0, 0), ph.rod(mass, length, "x")) for name, (mass, length) in sizes.items()
    )
    s.joint("A", s.ground, crank, ph.Revolute("y"))
    s.joint("B", crank, rod, ph.Revolute("y"), at=(0.4, 0, 0))
    s.joint("C", s.ground, rocker, ph.Revolute("y"), at=(1, 0, 0))
    s.close("D", rod, rocker, ph.Revolute("y"), at_a=(1, 0, 0), at_b=(0.8, 0, 0))
    return s, {"start": {"A": -1.0, "B": 0.3, "C": -1.2}, "speeds": {"A": 2.0}}


def held_body() -> tuple[ph.System, dict[str, object]]:
    """A body on quaternions, held at a point of it."""
    s = ph.System("held body")
    body = s.body("body", 2, (0, 0, 0), (0.3, 0.2, 0.1))
    s.joint("fly", s.ground, body, ph.Free())
    s.close("hook", s.ground, body, ph.Spherical(), at_b=(0, 0, "0.5"))
    return s, {"start": {"fly_z": -0.5}, "speeds": {"fly_wx": 2.0, "fly_wy": 1.0, "fly_wz": 3.0}}


def sleigh() -> tuple[ph.System, dict[str, object]]:
    s = ph.System("sleigh", gravity=(0, 0, 0))
    body = s.body("sleigh", 1, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    joint = s.joint("move", s.ground, body, ph.Planar())
    s.knife_edge("runner", body)
    return s, {"speeds": {u.name: 1.0 for u in joint.u}}


def motor() -> tuple[ph.System, dict[str, object]]:
    """A current, which is a first-order state, drives a joint that is stored in angles, along a guide that moves."""
    s = ph.System("motor")
    body = s.body("top", 1, (0, 0, 0.1), (0.02, 0.03, 0.01))
    ball = s.joint("ball", s.ground, body, ph.Spherical("angles"), at=(ph.sin(3 * s.time) / 5, 0, 0))
    current = s.state("current", rate=lambda i: 20 * (ph.cos(5 * s.time) - i) - ball.u[2], start=0.5)
    s.torque(body, current * s.ground.z / 10)
    return s, {"start": {"ball_ax": 0.4}, "speeds": {"ball_wz": 5.0}}


MECHANISMS = [point, four_bar, held_body, sleigh, motor]


@pytest.mark.filterwarnings("ignore:to keep the constraints")
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("radius", [0.0, 0.8, 1.0])
def test_coordinates_speeds_and_multipliers_converge(
    mechanism: Callable[[], tuple[ph.System, dict[str, object]]], radius: float
) -> None:
    system, options = mechanism()
    equations = system.derive()
    times = np.linspace(0, SECONDS, SAMPLES + 1)
    exact = equations.simulate(SECONDS, samples=times, rtol=1e-12, atol=1e-12, **options)
    states = np.column_stack([exact.q, exact.u, exact.z] if equations.states else [exact.q, exact.u])
    functions, known = equations.compile(), states
    if equations.constraints is not None:
        forces = [functions.multipliers(q, u, t=t) for t, q, u in zip(times, exact.q, exact.u, strict=True)]
        known = np.column_stack([states, forces])
    ends = np.cumsum([exact.q.shape[1], exact.u.shape[1], len(equations.states)])
    errors = []
    for every in (8, 16):
        off = np.abs(stepped(equations, states[0], every, radius) - known[1:])
        errors.append([part.max(initial=0.0) for part in np.split(off, ends, axis=1)])
    for coarse, fine, size in zip(*errors, np.split(np.abs(known), ends, axis=1), strict=True):
        assert fine <= 1e-3 * size.max(initial=0.0)
        assert coarse == fine == 0.0 or np.log2(coarse / fine) == pytest.approx(2, abs=0.25)


def stepped(equations: ph.Equations, x: Floats, every: int, radius: float) -> Floats:
    """States and multipliers at the samples, by so many steps between two."""
    functions, record = equations.compile(), equations.record
    efforts, inputs = np.zeros(len(record.tau)), functions.input_values()
    memory = SecondOrderMemory(system_of(functions, None, efforts, inputs), radius)
    run = NativeRun("generalised_alpha", x, rtol=1.0, atol=1.0, groups=[(first, 4) for first in record.quaternions])
    run.use(run.python(lambda t, x: functions.evaluate("state_rates", x, efforts, t=t)))
    run.remember(memory)
    run.record.is_fixed, run.record.h = 1, SECONDS / (SAMPLES * every)
    assert run.begin(np.inf) == Reason.DONE
    rows = []
    for _ in range(SAMPLES):
        assert run.advance(np.inf, every) == Reason.BUDGET
        rows.append([*run.x, *memory.arrays["multipliers"][: memory.record.rows]])
    return np.array(rows)
