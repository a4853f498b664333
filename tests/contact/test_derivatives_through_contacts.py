"""Derivatives of runs through impacts and changes of modes: closed forms, and differences of runs."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.contact.scenes import EXACT, G, moving
from tests.refusals import refused

import polhode as ph
from polhode.simulate import crossing


def slopes(function: Callable[..., Any], *at: float) -> list[np.ndarray]:
    """Derivatives of a closed form by each argument, by complex steps."""
    step = 1e-30
    return [
        np.imag(function(*(x + (k == j) * 1j * step for j, x in enumerate(at)))) / step for k in range(len(at))
    ]  # fmt: skip


def differences(of: Callable[..., Any], at: Mapping[str, float], names: list[str], h: float = 2e-5) -> np.ndarray:
    """Derivatives of a function of keywords by differences of fourth order, a column for each name."""
    columns = []
    for name in names:
        values = [np.asarray(of(**{**at, name: at[name] + d * h})) for d in (-2, -1, 1, 2)]
        columns.append((values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h))
    return np.stack(columns, axis=-1)


def compared(
    e: Any, duration: float, at: Mapping[str, float], names: list[str], to: float = 1e-7, **more: Any
) -> tuple[Any, Any]:
    """The sensitivities at the end of a run by start values, speeds and parameters, tested by differences."""
    coordinates, speeds = list(e.coordinates), [f"{name}'" for name in e.coordinates]
    speeds = [name for name in at if name in e.speeds and name not in coordinates] or speeds

    def given(**values: float) -> dict[str, Any]:
        return {
            "start": {name: value for name, value in values.items() if name in coordinates},
            "speeds": {name.rstrip("'"): value for name, value in values.items() if name in speeds},
            "parameters": {name: value for name, value in values.items() if name not in (*coordinates, *speeds)},
        }

    def end(**values: float) -> np.ndarray:
        return np.asarray(e.simulate(duration, **given(**values), samples=2, **EXACT, **more).x[-1])

    found = e.sensitivities(duration, names, **given(**at), samples=5, **EXACT, **more)
    expected = differences(end, at, names)
    mine = np.concatenate([found.end_q, found.end_u]) if "until" not in more else found.dq
    assert np.abs(mine - expected).max() < to * max(1.0, np.abs(expected).max())
    return found, expected


def ball() -> tuple[ph.System, Any]:
    s = ph.System("ball", gravity=(0, 0, 0))
    m, g = s.parameter("m", 1.5), s.parameter("g", G)
    body = s.body("ball", m)
    z = s.joint("z", s.ground, body, ph.Prismatic("z"))
    s.force(body, (0, 0, -m * g))
    s.stop("z", 0, restitution=s.parameter("e", 0.8))
    return s, z


def test_a_bouncing_ball() -> None:
    """Two impacts: at √(2h/g) and 2e√(2h/g) later, with speeds that fall by e each."""

    def height(h: Any, e: Any, g: Any) -> Any:
        fall = np.sqrt(2 * h / g)
        left = 1.5 - fall * (1 + 2 * e)
        return e**2 * g * fall * left - g * left**2 / 2

    s, z = ball()
    found = s.derive().sensitivities(1.5, ["z", "e", "g", "m"], start={"z": 1}, samples=31, **EXACT)
    assert len(found.trajectory.contact("z stop").impulses) == 2
    assert found.trajectory["z"][-1] == pytest.approx(height(1, 0.8, G), abs=1e-10)
    assert_allclose(found.dq[-1, 0], [*slopes(height, 1.0, 0.8, G), 0], atol=1e-9)
    gradient = s.derive().gradient(1.5, ["z", "e", "g", "m"], of=z.q[0] ** 2, start={"z": 1}, **EXACT)
    assert_allclose(gradient.slopes, 2 * gradient.value**0.5 * found.dq[-1, 0], rtol=1e-9, atol=1e-9)
    t, before = found.t, np.flatnonzero(np.diff(found.t) < 1e-12)
    assert_allclose(t[before], t[before + 1], atol=1e-12)
    assert_allclose(found.du[before + 1, 0, 0], -0.8 * found.du[before, 0, 0] + [1.8 * G / found.trajectory.u[k, 0] *
                    found.dq[k, 0, 0] * (-1) for k in before], atol=1e-8)  # fmt: skip


def test_a_block_thrown_onto_a_rough_plane() -> None:
    """It falls for √(2h/g), loses μ√(2gh) of its speed v there, and slides over (v - μ√(2gh))²/2μg until it stops."""

    def stopped(h: Any, v: Any, mu: Any) -> Any:
        return v * np.sqrt(2 * h / G) + (v - mu * np.sqrt(2 * G * h)) ** 2 / (2 * mu * G)

    s = ph.System("block", gravity=(0, 0, -G))
    block = moving(s, "block", s.parameter("m", 2), "xyz")
    s.contact("sole", block, s.surface("floor", s.ground, ph.Shape.plane()), friction=s.parameter("mu", 0.4))
    given = {"start": {"block z": 0.2}, "speeds": {"block vx": 3.0}}
    found = s.derive().sensitivities(2, ["block z", "block vx", "mu", "m"], **given, samples=3, **EXACT)
    assert found.trajectory.contact("sole").mode[-1] == "stick"
    assert_allclose(found.dq[-1, 0], [*slopes(stopped, 0.2, 3.0, 0.4), 0], atol=1e-9)
    assert_allclose(found.du[-1], 0, atol=1e-12)


def test_a_pendulum_against_a_stop() -> None:
    """It comes back to the angle whose height is e² of that from which it fell."""

    def angle(start: Any, e: Any) -> Any:
        return np.arccos(1 - e**2 * (1 - np.cos(start)))

    s = ph.System("pendulum")
    bob = s.body("bob", s.parameter("m", 2), (0, 0, -s.parameter("l", 0.7)))
    hinge = s.joint("hinge", s.ground, bob, ph.Revolute("y"))
    s.stop("hinge", 0, restitution=s.parameter("e", 0.6))
    turn = crossing(hinge.u[0], direction=-1)
    by = ["hinge", "e", "l", "m"]
    found = s.derive().sensitivities(3, by, start={"hinge": 1.0}, until=turn, **EXACT)
    assert_allclose(found.end_q[0], [*slopes(angle, 1.0, 0.6), 0, 0], atol=1e-9)
    times = differences(
        lambda **p: s.derive().simulate(3, start={"hinge": p["hinge"]}, until=turn, samples=2, **EXACT,
                                        parameters={name: p[name] for name in by[1:]}).t[-1],
        {"hinge": 1.0, "e": 0.6, "l": 0.7, "m": 2.0}, by,
    )  # fmt: skip
    assert_allclose(found.end_time, times, atol=1e-8)


def double_pendulum() -> ph.System:
    """Its tip hits a floor with friction, its elbow has stops and its shoulder dry friction."""
    s = ph.System("double pendulum")
    l = s.parameter("l", 1)
    masses = (s.parameter("ma", 1), 1)
    a, b = (s.body(name, m, (0, 0, -l / 2), (0.1,) * 3) for name, m in zip(("upper", "lower"), masses, strict=True))
    s.joint("shoulder", s.ground, a, ph.Revolute("y"))
    s.joint("elbow", a, b, ph.Revolute("y"), at=(0, 0, -l))
    floor = s.surface("floor", s.ground, ph.Shape.plane(), at=(0, 0, -s.parameter("h", 1.7)))
    tip = s.point(b, (0, 0, -l))
    s.contact("tip", tip, floor, friction=s.parameter("mu", 0.3), restitution=s.parameter("e", 0.4))
    s.friction("shoulder", coulomb=s.parameter("c", 0.3))
    s.stop("elbow", -1, 1, restitution=s.parameter("es", 0.5))
    return s


AT = {"shoulder": 1.2, "elbow'": 0.1, "ma": 1.0, "l": 1.0, "mu": 0.3, "e": 0.4, "c": 0.3, "es": 0.5, "h": 1.7}


@pytest.mark.parametrize("law", ["moreau", "newton"])
def test_a_mechanism_with_six_impacts(law: str) -> None:
    found, _ = compared(double_pendulum().derive(), 0.74, AT, [*AT], impacts=law)
    assert sum(what == "impact" for _, what, _ in found.trajectory.contact_events) == 6


def test_gradients_of_integrals_end_where_an_event_does() -> None:
    e = double_pendulum().derive()
    (q, p), u = e.q, e.u

    def gradient(by: list[str], **values: float) -> Any:
        given = {"start": {"shoulder": values.pop("shoulder")}, "parameters": values}
        parts = {"of": u[1] ** 2 + p, "integrand": q**2 + u[0] * p, "until": q + 0.05 + 0.1 * p}
        return e.gradient(2, by, **parts, **given, samples=2, **EXACT)

    at = {name: AT[name] for name in ("shoulder", "e", "mu", "h")}
    found = gradient([*at], **at)
    assert found.trajectory.status == "event" and len(found.trajectory.contact("tip").impulses) == 2
    expected = differences(lambda **values: gradient(["e"], **values).value, at, [*at])
    assert_allclose(found.slopes, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(("restitution", "duration"), [(0.6, 0.55), (0.0, 0.8)])
def test_a_ball_with_its_mass_centre_off_its_middle(restitution: float, duration: float) -> None:
    """It is struck in the friction cone; with e = 0 it slides on a curve, and rolls from where that ends."""
    s = ph.System("ball")
    body = s.body("ball", s.parameter("m", 1), (0.01, 0.02, 0), (0.004, 0.005, 0.006))
    s.joint("f", s.ground, body, ph.Free())
    skin = s.surface("skin", body, ph.Shape.sphere(s.parameter("r", 0.1)))
    floor, mu = s.surface("floor", s.ground, ph.Shape.plane()), s.parameter("mu", 0.2)
    s.contact("touch", skin, floor, friction=mu, restitution=s.parameter("e", 0.6))
    at = {"f_e0": 1.0, "f_z": 0.3, "f_wx": 3.0, "f_wy": -5.0, "f_vx": 1.5, "f_vy": 0.4}
    at |= {"m": 1.0, "r": 0.1, "mu": 0.2, "e": restitution}
    found, _ = compared(s.derive(), duration, at, ["f_z", "f_wx", "f_wy", "f_vx", "m", "r", "mu"])
    assert found.trajectory.contact("touch").mode[-1] == ("stick" if restitution == 0.0 else "open")


def test_dry_friction_that_sticks_slips_and_turns_round() -> None:
    s = ph.System("block on a spring")
    x = s.joint("x", s.ground, s.body("block", s.parameter("m", 1)), ph.Prismatic("x"))
    s.joint_force(x, -s.parameter("k", 20) * (x.q[0] - s.parameter("v", 0.5) * s.time))
    c = s.parameter("c", 1)
    s.friction("x", coulomb=c, static=c + s.parameter("more", 1), stribeck=s.parameter("vs", 0.1))
    at = {"x": 0.0, "m": 1.0, "k": 20.0, "v": 0.5, "c": 1.0, "more": 1.0, "vs": 0.1}
    found, _ = compared(s.derive(), 1.5, at, [*at])
    assert [what for _, what, _ in found.trajectory.contact_events] == ["sticks", "slips", "sticks"]
    at |= {"x": 1.0, "v": 0.0, "more": 0.0, "vs": 0.0}
    found, expected = compared(s.derive(), 8, at, ["x", "m", "k", "c"])
    assert_allclose(expected[0], [1, 0, 0.05, -1], atol=1e-8)  # x - 20 μ/k after ten turns of half a cycle each


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_a_closed_loop_with_a_stop_and_dry_friction(constraints: str) -> None:
    s = ph.System("slider crank")
    crank, rod = (s.body(name, 1, (x, 0, 0), (0.01,) * 3) for name, x in (("crank", 0.1), ("rod", 0.25)))
    slider = s.body("slider", s.parameter("m", 2))
    s.joint("turn", s.ground, crank, ph.Revolute("-y"))
    s.joint("pin", crank, rod, ph.Revolute("-y"), at=(0.2, 0, 0))
    s.joint("slide", s.ground, slider, ph.Prismatic("x"))
    s.close("end", rod, slider, ph.Revolute("-y"), at_a=(s.parameter("length", 0.5), 0, 0))
    s.friction("slide", coulomb=s.parameter("c", 2), static=3)
    s.stop("turn", 0.3, restitution=s.parameter("e", 0.5))
    at = {"turn": 1.0, "m": 2.0, "c": 2.0, "e": 0.5, "length": 0.5}
    found, _ = compared(s.derive(constraints=constraints), 0.5, at, [*at])
    assert found.trajectory.contact("turn stop").impulses


def test_events_of_the_user_and_inputs_that_jump() -> None:
    """A ball is struck upwards while it falls, and an input jumps after its first bounce."""
    s, z = ball()
    s.joint_force(z, s.input("push", 0))
    e = s.derive()
    kick = {crossing(z.q[0] - 0.5, direction=-1): {"z'": 0.3 * e.u[0] + s.parameters["e"].symbol}}
    push = ph.sampled([0, 0.6], [0.0, 3.0], kind="held")
    found, _ = compared(e, 1.0, {"z": 1.0, "e": 0.8, "g": G, "m": 1.5}, ["z", "e", "g", "m"],
                        inputs={"push": push(s.time)}, on=kick)  # fmt: skip
    assert len(found.event_times[0]) == 1 and found.trajectory.contact("z stop").impulses


def box() -> ph.System:
    s = ph.System("box")
    body = s.body("box", s.parameter("m", 1), inertia=(0.02,) * 3)
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("p", s.ground, body, plane, coordinates=["x", "z", "turn"], speeds=["vx", "vz", "w"])
    faces, floor = s.surface("hull", body, ph.Shape.box(0.4, 0.3, 0.2)), s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("feet", faces, floor, friction=s.parameter("mu", 0.3), restitution=s.parameter("e", 0.5))
    return s


def test_impacts_at_one_time_whose_order_does_not_matter() -> None:
    """A box that falls flat, however high it begins; and two balls that do not act on each other."""
    at = {"z": 0.5, "vx": 1.0, "m": 1.0, "mu": 0.3, "e": 0.5}
    e = box().derive()
    compared(e, 0.35, at, [*at])
    flat = {"start": {"z": 0.5}, "speeds": {"vx": 1.0}}
    refused("change at one time, and the motion depends on", lambda: e.sensitivities(0.35, ["turn"], **flat))
    s = ph.System("two balls")
    for name in "ab":
        s.joint(name, s.ground, s.body(f"ball {name}", 1), ph.Prismatic("z"))
        s.stop(name, 0, restitution=0.5)
    compared(s.derive(), 0.7, {"a": 1.0, "b": 1.0, "b'": 0.0}, ["a", "b", "b'"])
    s.joint_force("a", -3 * (s.joints["a"].u[0] - s.joints["b"].u[0]))
    refused("'a stop lower' and 'b stop lower' change at one time",
            lambda: s.derive().sensitivities(0.7, ["a", "b"], start={"a": 1, "b": 1}))  # fmt: skip


def test_an_edge_from_which_a_block_slides() -> None:
    s = ph.System("table")
    block = moving(s, "block", s.parameter("m", 1), "xz")
    s.contact("top", block, s.surface("table", s.ground, ph.Shape.box(1, 1, 1)), friction=s.parameter("mu", 0.1))
    at = {"block x": 0.0, "block z": 0.5, "block vx": 2.0, "m": 1.0, "mu": 0.1}
    found, _ = compared(s.derive(), 0.5, at, ["block x", "block vx"])
    assert [what for _, what, _ in found.trajectory.contact_events] == ["closes", "opens"]


def test_what_has_no_derivative_is_refused_in_a_sentence() -> None:
    s, _ = ball()
    e = s.derive()
    refused("impacts of 'z stop lower' follow each other in shorter and shorter times",
            lambda: e.sensitivities(6, ["e"], start={"z": 1}))  # fmt: skip
    refused("Poisson's law have no derivatives", lambda: e.gradient(1, ["e"], of=e.q[0], impacts="poisson"))
    slow = {"start": {"z": 1e-6}, "speeds": {"z": -5e-9}, "parameters": {"g": 0}}
    refused("grazes zero: that time has no derivative", lambda: e.sensitivities(300, ["e"], **slow, samples=2))
    refused("'z stop lower' touches at the start", lambda: e.sensitivities(1, ["z"], parameters={"e": 0}))
    block = ph.System("block")
    block.joint("x", block.ground, block.body("b", 1), ph.Prismatic("x"), speeds=["v"])
    block.friction("x", 2, static=3)
    block.force(block.bodies["b"], (block.parameter("F", 4), 0, 0))
    pushed = block.derive()
    for force, position in ((4, 1), (2.5, 0)):  # x = (F - 2) t²/2, or held
        assert pushed.simulate(1, parameters={"F": force}).q[-1, 0] == pytest.approx(position)
        refused("'x friction' begins to slide from rest",
                lambda force=force: pushed.sensitivities(1, ["v"], parameters={"F": force}))  # fmt: skip
        slope = pushed.sensitivities(1, ["F"], parameters={"F": force}).dq[-1, 0]
        assert slope == pytest.approx(position / 2)
    assert pushed.sensitivities(1, ["v"], parameters={"F": 1}).dq[-1, 0] == 0  # held, and stopped after v²
    legs = box()
    legs.force(legs.bodies["box"], (8 * legs.time, 0, 0))
    refused("where forces that are not unique hold no longer",
            lambda: legs.derive().sensitivities(1, ["mu"], start={"z": 0.1}))  # fmt: skip


def test_a_row_of_impacts_that_friction_ends_is_the_reason_of_the_refusal() -> None:
    """The fourth impact of the stop leaves a speed at which the friction of its joint sticks, and it closes."""
    s = ph.System("two rods")
    upper, lower = (s.body(name, 1, (0, 0, -0.5), inertia=(0.1, 0.1, 0.01)) for name in ("upper", "lower"))
    s.joint("A", s.ground, upper, ph.Revolute("y"))
    s.joint("B", upper, lower, ph.Revolute("y"), at=(0, 0, -1))
    s.stop("B", -2, 0, restitution=s.parameter("e", 0.16615420670365993))
    s.friction("B", s.parameter("c", 0.1), static=0.12)
    s.friction("A", s.parameter("ca", 1))
    start = {"A": 0.4686057550978149, "B": -0.24073680937227993}
    speeds = {"A": -0.18105675436076307, "B": 1.6294170406369273}
    refused("impacts of 'B stop upper' follow each other in shorter and shorter times",
            lambda: s.derive().sensitivities(0.5, ["A"], start=start, speeds=speeds, samples=2))  # fmt: skip


def test_feet_that_slide_have_derivatives_and_impacts_on_them_none() -> None:
    """Forces of four feet that slide are those of the motion; which impulses of four corners are taken is nobody's."""
    s = ph.System("box")
    body = s.body("box", 1, inertia=(0.01,) * 3)
    s.joint("f", s.ground, body, ph.Free())
    skin = s.surface("skin", body, ph.Shape.box(0.4, 0.3, 0.2))
    s.contact("sole", skin, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.5)
    e, names = s.derive(), ["f_vx", "f_wz"]
    at = {"f_vx": 1.5, "f_vy": 0.5, "f_wz": 2.0}

    def end(**speeds: float) -> np.ndarray:
        return np.asarray(e.simulate(0.05, start={"f_z": 0.1}, speeds=speeds, samples=2, **EXACT).u[-1])

    found = e.sensitivities(0.05, names, start={"f_z": 0.1}, speeds=at, **EXACT).du[-1]
    assert_allclose(found, differences(end, at, names, 5e-3), atol=2e-6)
    tilted = {"f_z": 0.4, "f_e0": 0.98, "f_e1": 0.15, "f_e2": 0.1}
    size = float(np.linalg.norm([0.98, 0.15, 0.1]))
    start = {name: value / (1 if name == "f_z" else size) for name, value in tilted.items()}
    refused("impulses that are not unique", lambda: e.sensitivities(1, ["f_vx"], start=start, speeds={"f_vx": 1}))


def test_a_cube_that_strikes_a_box() -> None:
    s = ph.System("cube")
    cube = s.body("cube", 1, inertia=(0.01,) * 3)
    s.joint("f", s.ground, cube, ph.Free())
    rock = s.surface("rock", s.ground, ph.Shape.box(2, 2, 0.2), at=(0, 0, -0.1))
    skin = s.surface("skin", cube, ph.Shape.box(0.2, 0.2, 0.2))
    s.contact("touch", skin, rock, friction=0.3, restitution=s.parameter("e", 0.4))
    turn = np.array([0.9, 0.2, 0.3, 0.1]) / np.sqrt(0.95)
    start = dict(zip(("f_e0", "f_e1", "f_e2", "f_e3", "f_x", "f_y", "f_z"), (*turn, 0.1, 0.05, 0.3), strict=True))
    found, _ = compared(s.derive(), 0.2, {**start, "f_vz": 0.0, "e": 0.4}, ["e", "f_z", "f_vz"])
    assert any(each.what == "impact" for each in found.trajectory.contact_events)
