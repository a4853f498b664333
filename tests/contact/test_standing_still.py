"""What stands does not move: not at all where all stands, and by less than 1e-12 where other parts move."""

from typing import Any

import numpy as np
import pytest
from tests.contact.scenes import STICK, G, dry, modes, moving

import polhode as ph

SLOPE = 0.2


def box_on_a_slope() -> tuple[ph.System, dict[str, float]]:
    s = ph.System("box", gravity=(G * np.sin(SLOPE), 0, -G * np.cos(SLOPE)))
    body = s.body("box", 2, inertia=ph.box(2, 0.4, 0.3, 0.2))
    s.joint("box", s.ground, body, ph.Free())
    skin = s.surface("skin", body, ph.Shape.box(0.4, 0.3, 0.2))
    s.contact("sole", skin, s.surface("slope", s.ground, ph.Shape.plane()), friction=0.5)
    return s, {"box_z": 0.1}


def tripod() -> tuple[ph.System, dict[str, float]]:
    s = ph.System("tripod", gravity=(1.0, 0.5, -G))
    body = s.body("body", 3, inertia=(0.3, 0.4, 0.5))
    s.joint("f", s.ground, body, ph.Free())
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    for k, foot in enumerate(((0.4, 0.1), (-0.3, 0.35), (-0.25, -0.4))):
        s.contact(f"foot {k}", s.point(body, (*foot, -0.3)), floor, friction=0.4)
    return s, {"f_z": 0.3}


def stack() -> tuple[ph.System, dict[str, float]]:
    """Five boxes, each smaller than the one below, on the corners of their soles."""
    s, start, height = ph.System("stack"), {}, 0.0
    below = s.surface("floor", s.ground, ph.Shape.plane())
    for k in range(5):
        a = 0.5 * 0.8**k
        box = s.body(f"box {k}", a**3 * 100, inertia=ph.box(a**3 * 100, a, a, a / 2))
        s.joint(f"box {k}", s.ground, box, ph.Free())
        for corner in range(4):
            x, y = a / 2 * (corner % 2 * 2 - 1), a / 2 * (corner // 2 * 2 - 1)
            s.contact(f"box {k} at {corner}", s.point(box, (x, y, -a / 4)), below, friction=0.5)
        start[f"box {k}_z"] = height + a / 4
        below, height = s.surface(f"top {k}", box, ph.Shape.plane(), at=(0, 0, a / 4)), height + a / 2
    return s, start


def quadruped(coulomb: float = 20) -> tuple[ph.System, dict[str, float]]:
    """A trunk on four legs of three joints each, held by dry friction."""
    s = ph.System("quadruped")
    trunk = s.body("trunk", 7, inertia=(0.02, 0.1, 0.1))
    s.joint("f", s.ground, trunk, ph.Free())
    floor, start = s.surface("floor", s.ground, ph.Shape.plane()), {"f_z": 0.42 * np.cos(0.7)}
    for k, (x, y) in enumerate(((0.2, 0.1), (0.2, -0.1), (-0.2, 0.1), (-0.2, -0.1))):
        hip, thigh, shank = (
            s.body(f"{part} {k}", m, com=(0, 0, -c), inertia=(0.002, 0.002, 0.001))
            for part, m, c in (("hip", 0.7, 0.0), ("thigh", 1.1, 0.1), ("shank", 0.2, 0.1))
        )
        s.joint(f"roll {k}", trunk, hip, ph.Revolute("x"), at=(x, y, 0))
        s.joint(f"pitch {k}", hip, thigh, ph.Revolute("y"))
        s.joint(f"knee {k}", thigh, shank, ph.Revolute("y"), at=(0, 0, -0.21))
        s.contact(f"foot {k}", s.point(shank, (0, 0, -0.21)), floor, friction=0.6)
        for joint in ("roll", "pitch", "knee"):
            dry(s, f"{joint} friction {k}", f"{joint} {k}", coulomb=coulomb)
        start |= {f"pitch {k}": 0.7, f"knee {k}": -1.4}
    return s, start


@pytest.mark.parametrize("scene", [box_on_a_slope, tripod, stack, quadruped])
def test_what_stands_does_not_move_at_all(scene: Any) -> None:
    s, start = scene()
    run = s.derive().simulate(1000, start=start, samples=11)
    assert not np.ptp(run.q, axis=0).any()
    assert not run.u.any()
    assert run.info["steps"] <= 20


@pytest.mark.parametrize(("tilt", "axis"), [(0, 1), (0.3, 2), (0.4, 1), (0.4, 2)])
def test_a_quadruped_that_is_dropped_comes_to_rest_and_stays(tilt: float, axis: int) -> None:
    """Its legs are held by springs and dampers, and by little dry friction; level all four act alike, to rounding."""
    s, start = quadruped(0.2)
    e = s.derive()
    held = zip(e.coordinates[7:], e.q[7:], e.u[6:], strict=True)
    tau = {name: 60 * (start.get(name, 0.0) - q) - 4 * u for name, q, u in held}
    start |= {"f_e0": np.cos(tilt / 2), f"f_e{axis}": np.sin(tilt / 2), "f_z": start["f_z"] + 0.1 + 0.05 * bool(tilt)}
    run = e.simulate(2, start=start, tau=tau, samples=2001)
    assert not run.u[-1].any()
    assert run.power_audit().residual < 1e-8
    assert len(run.info["contacts"].changes) < 400
    assert run.contact("foot 0").mode[-1] == "stick"


@pytest.mark.parametrize("feet", [3, 4])
def test_a_table_stands_while_a_pendulum_swings_on_it(feet: int) -> None:
    s = ph.System("table")
    table = s.body("table", 5, inertia=(0.4, 0.5, 0.6))
    s.joint("f", s.ground, table, ph.Free())
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    for k in range(feet):
        turn = 2 * np.pi * (k + 0.3) / feet
        s.contact(f"foot {k}", s.point(table, (0.5 * np.cos(turn), 0.5 * np.sin(turn), -0.7)), floor, friction=0.5)
    s.joint("swing", table, s.body("bob", 1, com=(0, 0, -0.3), inertia=(0.01, 0.01, 0.01)), ph.Revolute("y"))
    run = s.derive().simulate(100, start={"f_z": 0.7, "swing": 0.8}, samples=201)
    still = run.q[:, :7] - run.q[0, :7]
    assert np.ptp(run["swing"]) > 1.5
    assert modes(run)[1] == [[STICK] * feet]
    assert abs(still).max() <= 1e-12
    slope = np.polyfit(run.t, still, 1)[0]
    assert abs(slope).max() * 100 <= 2e-13


def _table(s: ph.System, along: str, motion: Any) -> ph.Body:
    table = s.body("table", 1)
    s.prescribe(s.joint("table", s.ground, table, ph.Prismatic(along)), motion)
    return table


@pytest.mark.parametrize("along", ["x", "z"])
@pytest.mark.parametrize("power", [2, 3])
def test_what_lies_on_a_table_that_starts_from_rest_goes_with_it(along: str, power: int) -> None:
    s = ph.System("table")
    block = moving(s, "block", 2, "xz")
    top = s.surface("top", _table(s, along, s.time**power / 2), ph.Shape.plane())
    s.contact("sole", block, top, friction=1)
    run = s.derive().simulate(0.8, samples=5)
    assert run[f"block {along}"] == pytest.approx(run.t**power / 2, abs=1e-9)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_a_constraint_in_time_moves_what_it_holds_while_all_else_sticks(constraints: Any) -> None:
    s = ph.System("drive")
    x = s.joint("x", s.ground, s.body("driven", 1), ph.Prismatic("x")).q[0]
    s.joint("y", s.ground, s.body("stuck", 1), ph.Prismatic("y"))
    s.constrain("drive", x - s.time**2)
    s.friction("y", coulomb=2)
    assert s.derive(constraints=constraints).simulate(1, samples=3).q[-1] == pytest.approx([1, 0], abs=1e-9)
