"""Motions that are given and jump or have a corner lose an impulse; what moves otherwise is a joint."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError, ModelError
from polhode.expr import Expr, absolute, evaluate
from polhode.expr.exact import floor, maximum, minimum, sign
from polhode.formats import dumps_yaml, load, loads_yaml

TIMES = np.linspace(0, 2, 9)


def hanging() -> ph.System:
    """A pendulum on a cart."""
    s = ph.System("hanging", gravity=(0, 0, -10))
    s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    s.joint("q", "cart", s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    return s


def table(values: Any, **how: Any) -> Callable[[Expr], Expr]:
    return lambda t: ph.table(TIMES, values, **how)(t)


JUMPS: dict[str, Callable[[Expr], Any]] = {
    "angle that leaps": lambda t: ph.atan2(ph.sin(t), ph.cos(t)),
    "sign": lambda t: sign(t - 1),
    "floor": floor,
    "held table": table(np.sin(TIMES), kind="held"),
    "steps of a sine": lambda t: sign(ph.sin(t - 1)),
    "squares of signs": lambda t: (sign(t - 1) + 2) ** 2,
}
CORNERS: dict[str, Callable[[Expr], Any]] = {
    "saw by asin": lambda t: ph.asin(ph.sin(t)),
    "abs": lambda t: absolute(t - 1),
    "max": lambda t: maximum(t - 1, 0),
    "min": lambda t: minimum(t, 1),
    "nested abs": lambda t: absolute(absolute(t) - 1),
    "abs by signs": lambda t: (t - 1) * sign(t - 1),
    "abs by two signs": lambda t: absolute(t - 1) * sign(t - 1) ** 2,
    "saw": lambda t: (t - floor(t)) * (1 - t + floor(t)),
    "rectified sine": lambda t: absolute(ph.sin(t)),
    "linear table": table(np.sin(TIMES)),
    "cubic table that is held at its end": table(np.sin(TIMES), kind="cubic"),
}
SMOOTH: dict[str, Callable[[Expr], Any]] = {
    "connecting rod": lambda t: ph.asin(ph.sin(t) / 3) + ph.atan2(ph.sin(t), 2 + ph.cos(t)),
    "square of max": lambda t: maximum(t - 1, 0) ** 2,
    "smooth step of a clamped ramp": lambda t: (lambda x: x**2 * (3 - 2 * x))(minimum(maximum(2 * t - 1, 0), 1)),
    "raised cosine of a clamped ramp": lambda t: 1 - ph.cos(ph.pi * maximum(minimum(t - ph.pi / 9, 1), 0)),
    "t abs t": lambda t: (t - 1) * absolute(t - 1),
    "saw squared": lambda t: (t - floor(t)) ** 2 * (1 - t + floor(t)) ** 2,
    "square of a rectified sine": lambda t: maximum(ph.sin(3 * t), 0) ** 2,
    "switch of a cosine": lambda t: (1 + sign(t - 1)) * (1 - ph.cos(t - 1)),
    "cubic table": table(np.sin(TIMES), kind="cubic", outside="line"),
    "pchip table that comes to rest": table([0, 0.1, 0.3, 0.7, 1, 1.1, 1.1, 1.1, 1.1], kind="pchip"),
}
BROKEN = JUMPS | CORNERS


@pytest.mark.parametrize("motion", BROKEN)
def test_a_position_that_jumps_or_has_a_corner_is_refused(motion: str) -> None:
    s = hanging()
    said = rf"it has a {'jump' if motion in JUMPS else 'corner'} where .* the impulse there would be lost"
    f = BROKEN[motion](s.time)
    refused(said, lambda: s.prescribe("x", f), ModelError)
    refused(said, lambda: s.constrain(s.joints["x"].q[0] - f), ModelError)
    refused(said, lambda: s.joint("arm", "cart", s.body("arm", 1), ph.Revolute("y"), at=(f, 0, 0)), ModelError)
    refused(said, lambda: s.close("pin", s.ground, "bob", ph.Revolute("y"), at_a=(f, 0, 0)), ModelError)


@pytest.mark.parametrize("motion", BROKEN)
def test_a_speed_may_have_corners_and_not_jump(motion: str) -> None:
    s = hanging()
    f = BROKEN[motion](s.time)
    if motion in CORNERS:
        s.constrain_speed(s.joints["x"].u[0] - f)
        return
    refused("it has a jump where", lambda: s.constrain_speed(s.joints["x"].u[0] - f), ModelError)


def test_forces_may_jump_and_corners_are_in_time() -> None:
    s = hanging()
    s.joint_force("x", sign(s.time - 1))
    s.spring(s.ground, "cart", 1, at_a=(absolute(s.time - 1), 0, 0))
    refused("it has a jump where", lambda: s.damper(s.ground, "cart", 1, at_a=(sign(s.time - 1), 0, 0)), ModelError)
    s = hanging()
    x, q = s.joints["x"].q[0], s.joints["q"].q[0]
    refused("it has a corner where", lambda: s.constrain(x - absolute(q)), ModelError)
    s.constrain(x - q * absolute(q) * absolute(s.parameter("p", 2)))
    s = hanging()
    with pytest.raises(ModelError, match="the mass centre cannot depend on the coordinate 'x'"):
        s.body("late", 1, com=(ph.table([0, 1], [0, 1])(s.joints["x"].q[0]), 0, 0))
    s.body("fixed", 1, com=(ph.table([0, 1], [0, 1])(s.parameter("p", "1/2")), 0, 0))


@pytest.mark.parametrize("motion", SMOOTH)
def test_a_motion_with_a_jump_in_its_acceleration_alone_is_run_as_it_is(motion: str) -> None:
    s = hanging()
    f = SMOOTH[motion](s.time)
    s.prescribe("x", f)
    run = s.derive().simulate(1.9, start={"q": 1.0}, rtol=1e-9, atol=1e-11)
    h = 1e-4

    def rates(t: float, x: Any) -> Any:
        before, now, after = (evaluate([f], {s.time: time})[0] for time in max(t, h) + np.array([-h, 0, h]))
        acceleration = (after - 2 * now + before) / h**2
        return [x[1], acceleration * np.cos(x[0]) - 10 * np.sin(x[0])]

    end = solve_ivp(rates, (0, 1.9), [1.0, 0.0], rtol=1e-7, atol=1e-9, max_step=0.01).y[0, -1]
    assert run["q"][-1] == pytest.approx(end, abs=5e-5)


@pytest.mark.parametrize("motion", SMOOTH)
def test_a_place_with_such_a_jump_is_run_as_the_driven_joint(motion: str) -> None:
    by_hand, placed = hanging(), ph.System("hanging", gravity=(0, 0, -10))
    by_hand.prescribe("x", SMOOTH[motion](by_hand.time))
    at = (SMOOTH[motion](placed.time), 0, 0)
    placed.joint("q", placed.ground, placed.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"), at=at)
    runs = [s.derive().simulate(1.9, start={"q": 1.0}, rtol=1e-9, atol=1e-11) for s in (by_hand, placed)]
    assert runs[1]["q"][-1] == pytest.approx(runs[0]["q"][-1], abs=1e-11)


FILE = """\
polhode: "1"
name: bead
gravity: [0, 0, 0]
parameters: {l: 2}
bodies:
  rod: {mass: 1, com: [0, 0, COM]}
frames:
  tip: {body: rod, at: [FRAME, 0, 0]}
joints:
  x: {parent: ground, child: rod, type: prismatic, axis: x, at: [0, AT, 0], rotation: [[z, TURN]]}
loads:
  - {type: spring, a: ground, b: rod, stiffness: 3, at_a: [END, 0, 0]}
"""


def written(**given: str) -> str:
    text = FILE
    for key in ("COM", "FRAME", "AT", "TURN", "END"):
        text = text.replace(key, given.get(key, "0"))
    return text


@pytest.mark.parametrize("place", ["FRAME", "AT", "TURN", "END"])
def test_a_model_file_takes_time_where_something_is_placed(place: str) -> None:
    system = loads_yaml(written(**{place: "l*sin(2*t)"}))
    assert loads_yaml(dumps_yaml(system)).model() == system.model() and "t" in dumps_yaml(system).split("bodies:")[1]


def test_model_files_take_time_in_places_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "bead.yaml"
    path.write_text(written(COM="t"))
    refused(r"bead.yaml:6: .*the mass centre cannot depend on the time 't'", lambda: load(path), FormatError)
    refused("it has a corner where", lambda: loads_yaml(written() + "prescribed: {x: abs(t - 1)}\n"), FormatError)
    refused("it has a jump where", lambda: loads_yaml(written(AT="sign(t - 1)")), FormatError)


@pytest.mark.parametrize("place", ["COM", "FRAME", "AT", "END"])
@pytest.mark.parametrize("text", ["x", "u(x)", "tau(x)", "q(x)"])
def test_a_model_file_refuses_coordinates_speeds_and_efforts_in_places(place: str, text: str) -> None:
    with pytest.raises(FormatError, match=r"nothing called 'x'|there is no (coordinate|speed|effort) 'x'"):
        loads_yaml(written(**{place: text}))


def test_a_pendulum_whose_mass_centre_moves_is_refused_and_a_slide_is_right() -> None:
    s = ph.System("swing")
    with pytest.raises(ModelError, match=r"the mass centre cannot depend on the time 't'.*\n.*what moves is a joint"):
        s.body("bob", 1, com=(0, 0, -(1 + s.time / 2)))
    s.joint("q", s.ground, s.body("rod"), ph.Revolute("y"))
    s.joint("reach", "rod", s.body("bob", 1), ph.Prismatic("z"))
    s.prescribe("reach", -(1 + s.time / 2))

    def rates(t: float, x: Any) -> Any:  # l θ'' + 2 l' θ' + g sin θ = 0
        return [x[1], -(x[1] + 9.81 * np.sin(x[0])) / (1 + t / 2)]

    end = solve_ivp(rates, (0, 2), [1.0, 0.0], rtol=1e-11, atol=1e-12).y[0, -1]
    assert s.derive().simulate(2, start={"q": 1.0}, rtol=1e-10)["q"][-1] == pytest.approx(end, abs=1e-7)
    assert end == pytest.approx(0.0783, abs=1e-4)


def test_refused_joints_leave_nothing_and_say_what_to_write() -> None:
    s = hanging()
    with pytest.raises(ModelError, match="joint 'y': the place cannot depend on the coordinate 'x'"):
        s.joint("y", s.ground, s.body("follower", 1), ph.Prismatic("y"), at=(s.joints["x"].q[0], 0, 0))
    s = hanging()
    with pytest.raises(ModelError, match="the coordinate 'x'"):
        s.joint("y", s.ground, s.body("late", 1), ph.Prismatic("y"), at=(s.joints["x"].q[0], 0, 0), coordinates=["k"])
    s.parameter("k", 1)
    assert list(s.joints) == ["x", "q"]
    s = ph.System("rocket")
    with pytest.raises(ModelError, match=r"the mass cannot depend on the time 't'.*\n.*the force of what leaves it"):
        s.body("rocket", 2 - s.time)
