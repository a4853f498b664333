"""Discs and beads on curves against closed forms, other constraints, and an equation of their own in one variable."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.errors import SimulationError
from polhode.expr import as_expr, cos, same, sin, substitute
from polhode.simulate import crossing
from polhode.simulate.trajectory.trajectory import Trajectory

G = 9.81
M, R, I = 2, 0.4, 0.1


def in_the_plane(name: str, inertia: float = I) -> tuple[ph.System, Any]:
    """A body that may move and turn in the plane x, z."""
    s = ph.System(name, gravity=(0, 0, "-9.81"))
    disc = s.body("disc", M, inertia=(1, inertia, 1))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("move", s.ground, disc, way, coordinates=["x", "z", "turn"], speeds=["vx", "vz", "w"])
    return s, disc


def bead(curve: Any) -> ph.Equations:
    s = ph.System("bead", gravity=(0, 0, "-9.81"))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"))
    s.joint("move", s.ground, s.body("bead", M), way, coordinates=["x", "z"], speeds=["vx", "vz"])
    s.roll_disc("wire", "bead", 0, curve, slips=True)
    return s.derive()


def test_on_a_line_a_disc_is_a_wheel() -> None:
    slope = as_expr(3) / 10
    s, disc = in_the_plane("on a slope")
    s.roll_disc("tyre", disc, R, lambda s: (2 * s * cos(slope), 2 * s * sin(slope)))
    other, wheel = in_the_plane("on a slope")
    other.roll_wheel("tyre", wheel, R, rotation=("y", -slope))
    made, judge = s.derive(), other.derive()
    assert same(made.forward_dynamics, judge.forward_dynamics) and same(made.multipliers, judge.multipliers)


@pytest.mark.parametrize("side", [1, -1])
def test_on_a_circle_a_disc_is_a_ball_on_another(side: int) -> None:
    s, disc = in_the_plane("on a circle")
    s.roll_disc("tyre", disc, side * R, lambda s: (3 * sin(s), 3 * cos(s)))
    other, ball = in_the_plane("on a circle")
    other.roll_ball("tyre", ball, R, other_radius=side * 3)
    made, judge = s.derive(), other.derive()
    start = {"x": 1.2, "z": 2.5}
    state = made.assemble(start, {"w": 2.0}, hold=["x"])
    assert np.hypot(*state.q[:2]) == pytest.approx(3 + side * R, abs=1e-12)
    push = np.array([0.3, -2, 0.7])
    q, u = state.q[:3], state.u
    assert_allclose(judge.compile().constraint_rates(q, u), 0, atol=1e-11)
    found = made.compile().forward_dynamics(state.q, u, push)
    assert_allclose(found, judge.compile().forward_dynamics(q, u, push), rtol=1e-11)


@pytest.mark.parametrize("width", [0.1, 1.5, 3.0])
def test_a_bead_on_a_cycloid_takes_one_time_for_all_widths(width: float) -> None:
    """Huygens: 4π √(a/g)."""
    a = 0.5
    made = bead(lambda s: (a * (s + sin(s)), a * (1 - cos(s))))
    period = 4 * np.pi * np.sqrt(a / G)
    run = made.simulate(period, start={"wire place": width}, rtol=1e-11, atol=1e-13)
    place = run["wire place"]
    assert place[0] == pytest.approx(width, abs=1e-12) and place[-1] == pytest.approx(width, abs=1e-8)
    assert np.abs(run.speed("vx")[-1]) < 1e-8 and run.drift.position < 1e-12


def test_a_wire_pushes_with_weight_and_centrifugal_force() -> None:
    """m (g cos φ + v² κ) on a parabola z = k x², κ = 2k/(1 + 4k²x²)^(3/2)."""
    k = 0.7
    run = bead(lambda x: k * x**2).simulate(1.5, start={"x": 1.1}, rtol=1e-10, atol=1e-12)
    x, squared = run["x"], run.speed("vx") ** 2 + run.speed("vz") ** 2
    length = np.sqrt(1 + (2 * k * x) ** 2)
    _, _, force = run.reaction("wire")
    normal = M * (G / length + squared * 2 * k / length**3)
    expected = normal[:, None] * np.column_stack([-2 * k * x, 0 * x, 1 + 0 * x]) / length[:, None]
    assert_allclose(force, expected, atol=1e-7)


@pytest.mark.parametrize("side", [1, -1])
def test_a_disc_rolls_on_a_parabola_as_its_own_equation_says(side: int) -> None:
    """½ (m + I/r²) C'² ẋ² + m g z_c = E, with C' = L (1 - r κ) the pace of the centre; below a hill turned over too."""
    k, r = 0.3 * side, R * side
    s, disc = in_the_plane("on a parabola")
    s.roll_disc("tyre", disc, r, lambda x: k * x**2)
    run = s.derive().simulate(2, start={"tyre place": 1.3}, rtol=1e-11, atol=1e-12)

    def rates(_: float, state: Any) -> list[float]:
        x, v = state
        L = np.sqrt(1 + 4 * k * k * x * x)
        L_x = 4 * k * k * x / L
        kappa, kappa_x = 2 * k / L**3, -6 * k * L_x / L**4
        pace, pace_x = L * (1 - r * kappa), L_x * (1 - r * kappa) - L * r * kappa_x
        rise = 2 * k * x - r * L_x / L**2
        return [v, -(M * G * rise / (M + I / r**2) + pace * pace_x * v * v) / pace**2]

    alone = solve_ivp(rates, (0, 2), [1.3, 0.0], t_eval=run.t, rtol=1e-11, atol=1e-12)
    assert_allclose(run["tyre place"], alone.y[0], atol=1e-7)
    assert run.energy_drift < 1e-8 and run.drift.position < 1e-12 and run.drift.velocity < 1e-12


def test_a_solid_disc_leaves_a_round_hill_where_the_cosine_is_four_sevenths() -> None:
    s, disc = in_the_plane("over a hill", inertia=M * R**2 / 2)
    s.roll_disc("tyre", disc, R, lambda s: (3 * sin(s), 3 * cos(s)))
    made = s.derive()
    assert made.constraints is not None
    push = substitute([made.multipliers[made.constraints.names.index("tyre touch")]], dict.fromkeys(made.tau, 0))
    run = made.simulate(20, start={"tyre place": 1e-4}, until=crossing(push[0], direction=-1), rtol=1e-11, atol=1e-13)
    assert run.status == "event" and np.cos(run["tyre place"][-1]) == pytest.approx(4 / 7, abs=1e-7)
    _, _, force = run.reaction("tyre")
    radial = [np.sin(run["tyre place"][-1]), 0, np.cos(run["tyre place"][-1])]
    assert force[-1] @ radial == pytest.approx(0, abs=1e-6) and force[0][2] == pytest.approx(M * G, rel=1e-6)


def test_on_a_belt_a_disc_turns_with_it() -> None:
    """A belt with speed b: a disc at rest turns by b/r, and is pushed by I/(m r² + I) of the belt's acceleration."""
    s, disc = in_the_plane("on a belt")
    b = s.parameter("b", 3)
    t = s.time
    s.roll_disc("tyre", disc, R, lambda s: (s + b * t**2 / 2, 0))
    made = s.derive()
    state = made.assemble({"z": R}, {"vx": 0.0}, time=2.0)
    assert state.u.tolist() == pytest.approx([0, 0, -3 * 2 / R])  # the belt runs forward below: the disc turns back
    forward = made.compile().forward_dynamics(state.q, state.u, np.zeros(3), t=2.0)
    assert forward[0] == pytest.approx(3 * I / (M * R**2 + I), rel=1e-12)


def test_a_sledge_on_a_heaving_road_is_lifted() -> None:
    t = ph.System("clock").time
    run = bead(lambda x: (x, sin(3 * t) / 10)).simulate(2, speeds={"vx": 1.5}, rtol=1e-9, atol=1e-11)
    assert_allclose(run["z"], np.sin(3 * run.t) / 10, atol=1e-9)
    assert_allclose(run["x"], 1.5 * run.t, atol=1e-8)
    assert run.power_audit().residual < 1e-6


def half_car(struts: bool) -> ph.Equations:
    """A chassis with two wheels, on struts with springs or without, on one measured road."""
    stations = np.linspace(-2, 8, 21)
    road = ph.table(stations, 0.05 * np.sin(1.7 * stations) + 0.02 * np.cos(4 * stations), name="road", kind="cubic")
    s = ph.System("half car", gravity=(0, 0, "-9.81"))
    chassis = s.body("chassis", 60, inertia=(5, 12, 12))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("drive", s.ground, chassis, way, coordinates=["x", "z", "pitch"], speeds=["vx", "vz", "dive"])
    for name, at in (("front", 0.8), ("rear", -0.7)):
        hub = chassis
        if struts:
            hub = s.body(f"{name} hub", 2)
            strut = s.joint(f"{name} strut", chassis, hub, ph.Prismatic("z"), at=(at, 0, -0.3))
            s.joint_spring(strut, 9000)
        wheel = s.body(f"{name} wheel", 5, inertia=(0.1, 0.2, 0.1))
        s.joint(f"{name} axle", hub, wheel, ph.Revolute("y"), at=(0, 0, 0) if struts else (at, 0, -0.3))
        s.roll_disc(f"{name} tyre", wheel, 0.25, road)
    return s.derive()


@pytest.mark.parametrize("struts", [False, True])
def test_a_half_car_on_a_measured_road_keeps_its_energy(struts: bool) -> None:
    made = half_car(struts)
    state = made.assemble({"x": 0.0}, {"vx": 3.0})
    assert state.freedom.degrees == (3 if struts else 1)
    run = made.simulate(1.5, start=state.q, speeds=state.u, rtol=1e-9, atol=1e-10)
    assert run["x"][-1] > 3 and run.drift.position < 1e-12 and run.energy_drift < 1e-6
    assert run.power_audit().residual < 1e-6
    assert np.all(np.abs(run["front tyre place"] - run["rear tyre place"] - 1.5) < 0.2)
    pushes = [run.reaction(f"{name} tyre")[2][:, 2] for name in ("front", "rear")]
    assert np.mean(sum(pushes)) == pytest.approx((74 if struts else 70) * G, rel=0.1)


def in_a_valley() -> ph.Equations:
    """A disc of radius 0.4 on z = 2 x², whose radius is 1/4 at the bottom."""
    s, disc = in_the_plane("in a valley")
    s.roll_disc("tyre", disc, R, lambda x: 2 * x**2)
    return s.derive()


def test_a_disc_does_not_begin_where_its_curve_is_too_tight() -> None:
    with pytest.raises(ph.PolhodeError, match=r"disc 'tyre' does not fit its curve: .* radius is 0.25, the disc's 0.4"):
        in_a_valley().assemble()


def test_a_disc_that_comes_where_its_curve_is_too_tight_says_so() -> None:
    with pytest.raises(SimulationError, match="disc 'tyre' does not fit its curve") as told:
        in_a_valley().simulate(2, start={"tyre place": 1.0})
    run = told.value.trajectory
    assert isinstance(run, Trajectory) and run.status == "tight_curve"
    bend = 4 / (1 + 16 * run["tyre place"][-1] ** 2) ** 1.5
    assert bend * R == pytest.approx(1, abs=1e-3)


def test_a_bowl_on_a_cart_moves_against_its_disc() -> None:
    """Nothing pushes along x: the mass centre of cart and disc stays where it is."""
    s = ph.System("bowl on a cart", gravity=(0, 0, "-9.81"))
    cart = s.body("cart", 3, inertia=(1, 1, 1))
    s.joint("rail", s.ground, cart, ph.Prismatic("x"))
    disc = s.body("disc", M, inertia=(1, I, 1))
    way = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("move", s.ground, disc, way, coordinates=["x", "z", "turn"])
    s.roll_disc("tyre", disc, R, lambda x: x**2 / 4, on=cart, at=(0, 0, 1))
    run = s.derive().simulate(3, start={"rail": 0.0, "tyre place": 1.0}, rtol=1e-10, atol=1e-12)
    centre = 3 * run["rail"] + M * run["x"]
    assert_allclose(centre, centre[0], atol=1e-9)
    assert np.ptp(run["rail"]) > 0.1 and run.energy_drift < 1e-8
    on_disc, on_cart = (run.reaction("tyre", on=name)[2] for name in ("disc", "cart"))
    assert_allclose(on_disc, -on_cart, atol=1e-12)
