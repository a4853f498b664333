"""Whether a mechanism stands: margins, load factors and verdicts of statics in closed form."""

from math import cos, sin, tan

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError


def _ladder(static: float) -> ph.Equations:
    """A rod of length 2 and 1 kg between a rough floor and a smooth wall."""
    s = ph.System("ladder", gravity=(0, 0, -10))
    rod = s.body("rod", 1, (0, 0, 1), inertia=(1 / 3, 1 / 3, 0))
    slide = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("lean", s.ground, rod, slide, coordinates=["x", "z", "angle"])
    s.contact("foot", rod, s.surface("floor", s.ground, ph.Shape.plane("z")), friction=0.1, static=static)
    s.contact("top", rod.point((0, 0, 2)), s.surface("wall", s.ground, ph.Shape.plane("-x")))
    return s.derive()


@pytest.mark.parametrize("angle", [0.3, 0.9])
def test_a_ladder_needs_half_the_tangent_of_its_angle(angle: float) -> None:
    """N = m g, H = m g tan(angle)/2: it slips where that is beyond the static friction."""
    found = _ladder(0.5).standing({"x": -2 * sin(angle), "angle": angle})
    assert found.friction_factor == pytest.approx(tan(angle) / 2 / 0.5, rel=1e-8)
    assert found.stands == (tan(angle) / 2 < 0.5)
    assert found.verdict == ("stands" if found.stands else "slips")
    assert found.freedom == 0 and found.redundancy == 0 and all(each.is_unique for each in found.forces)
    if found.stands:
        foot, top = found.forces
        assert foot.normal == pytest.approx(10) and foot.used == pytest.approx(tan(angle), rel=1e-9)
        assert top.normal == pytest.approx(5 * tan(angle)) and top.used == 0.0


def _table(friction: float) -> ph.Equations:
    """A table of 10 kg on four legs at (±1, ±1), pushed along x at a height of 1/2."""
    s = ph.System("table", gravity=(0, 0, -10))
    top = s.body("top", 10, (0, 0, 0.4), inertia=(1, 1, 1))
    s.joint("free", s.ground, top, ph.Free())
    s.force(top, (s.input("F", 0), 0, 0), at=(0, 0, 0.5))
    floor = s.surface("floor", s.ground, ph.Shape.plane("z"))
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        s.contact(f"leg {k}", top.point((x, y, 0)), floor, friction=friction)
    return s.derive()


@pytest.mark.parametrize(("friction", "push", "limit", "verdict"), [
    (0.5, 30.0, 50.0, "stands"), (0.5, 70.0, 50.0, "slips"), (3.0, 250.0, 200.0, "tips"),
])  # fmt: skip
def test_a_pushed_table_slips_or_tips(friction: float, push: float, limit: float, verdict: str) -> None:
    """It slips at μ m g, and tips at m g a/h; its forces are not unique."""
    found = _table(friction).standing(inputs={"F": push})
    assert found.verdict == verdict
    assert found.load_factor == pytest.approx(limit / push, rel=1e-8)
    assert found.redundancy == 6 and not any(each.is_unique for each in found.forces)
    assert (found.margin > 0.0) == found.stands
    if verdict == "tips":
        assert set(found.lifting) == {"leg 2", "leg 3"} and found.friction_factor == np.inf
    elif found.stands:
        assert sum(each.normal or 0.0 for each in found.forces) == pytest.approx(100)
        assert found.friction_factor == pytest.approx(push / (friction * 100), rel=1e-8)
    assert verdict in str(found) and "not unique" in str(found) and "leg 3" in found._repr_html_()


def test_a_stuck_joint_holds_up_to_its_bound() -> None:
    s = ph.System("arm", gravity=(0, 0, -10))
    s.joint("hinge", s.ground, s.body("arm", 2, (0.5, 0, 0), inertia=(0, 0.1, 0.1)), ph.Revolute("y"))
    s.friction("hinge", coulomb=9, static=12)
    e = s.derive()
    assert e.standing().load_factor == pytest.approx(1.2) and e.standing().stands
    assert e.standing({"hinge": 1.0}).load_factor == pytest.approx(1.2 / cos(1.0))
    found = e.standing(tau=[3])  # 13 N·m beside 12
    assert found.verdict == "slips" and found.load_factor == pytest.approx(2 / 3)


def test_a_ball_on_a_slope_sticks_and_moves() -> None:
    s = ph.System("ball", gravity=(0, 0, -10))
    ball = s.body("ball", 1, inertia=ph.sphere(1, 0.1))
    s.joint("free", s.ground, ball, ph.Free())
    slope = s.surface("slope", s.ground, ph.Shape.plane("z"), rotation=("y", 0.3))
    s.contact("touch", s.surface("skin", ball, ph.Shape.sphere(0.1)), slope, friction=0.9)
    found = s.derive().standing({"free_x": 0.1 * sin(0.3), "free_z": 0.1 * cos(0.3)})
    assert found.verdict == "moves" and found.freedom == 3 and not found.slipping


def test_a_system_without_contacts_is_refused() -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    with pytest.raises(PolhodeError, match="no contacts"):
        s.derive().standing()


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
def test_a_linkage_is_held_by_one_stuck_joint(constraints: str) -> None:
    """Two links of 1 kg, their ends at one height: V = m g cos A with B = -2 A, and ∂V/∂B is held at B."""
    s = ph.System("trestle", gravity=(0, 0, -10))
    left, right = (s.body(name, 1, (0, 0, z), inertia=(0.1, 0.1, 0.1)) for name, z in (("left", 0.5), ("right", -0.5)))
    (a,) = s.joint("A", s.ground, left, ph.Revolute("y")).q
    (b,) = s.joint("B", left, right, ph.Revolute("y"), at=(0, 0, 1)).q
    s.constrain("track", ph.cos(a) - ph.cos(a + b))
    s.friction("B", coulomb=6, static=8)
    found = s.derive(constraints=constraints).standing({"A": 0.5, "B": -1.0})
    assert found.stands and found.freedom == 0 and found.redundancy == 0
    assert found.load_factor == pytest.approx(8 / (5 * sin(0.5)), rel=1e-8)
    assert abs(found.forces[0].tangential[0]) == pytest.approx(5 * sin(0.5), rel=1e-9)


@pytest.mark.parametrize(("push", "is_preloaded"), [(0.0, True), (32.6, True), (32.8, False)])
def test_a_block_in_a_slot_is_held_by_preload_unless_it_is_pushed(push: float, is_preloaded: bool) -> None:
    """Of a push P the wall has the friction 0.3 P, which carries the weight of 1 kg from P = 9.81/0.3 = 32.7 N on."""
    s = ph.System("slot")
    block = s.body("block", 1, inertia=(0.01, 0.01, 0.01))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("f", s.ground, block, plane, coordinates=["x", "z", "t"], speeds=["vx", "vz", "w"])
    hull = s.surface("hull", block, ph.Shape.box(0.2, 0.1, 0.3))
    for name, normal, x in (("left", "x", -0.1), ("right", "-x", 0.1)):
        wall = s.surface(f"{name} wall", s.ground, ph.Shape.plane(normal), at=(x, 0, 0))
        s.contact(name, hull, wall, friction=0.3)
    s.force(block, (push, 0, 0))
    equations = s.derive()
    found = equations.standing()
    assert found.stands and found.is_preloaded == is_preloaded
    assert ("held by preload alone" in str(found)) == is_preloaded
    notices = equations.simulate(0.1).notices
    assert any("held by preload alone" in each for each in notices) == is_preloaded
    assert not any("preload" in each for each in equations.simulate(0.1, speeds={"vz": -0.001}).notices)


@pytest.mark.parametrize("push", [0.0, 30.0, 49.9])
def test_a_table_that_loads_hold_is_not_preloaded(push: float) -> None:
    """Its forces are not unique, but its legs carry all loads below μ m g = 50 N without preload."""
    equations = _table(0.5)
    assert not equations.standing(inputs={"F": push}).is_preloaded
    assert not any("preload" in each for each in equations.simulate(0.1, inputs={"F": push}).notices)
