"""Symmetries and what they conserve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tests.refusals import refused

import polhode as ph
from polhode.compare.comparison import agreement
from polhode.expr import as_expr, evaluate, free_symbols, gradient, is_zero, same
from polhode.symmetry.symmetries import whole_motions


def top(moments: Any = (1, 1, "0.5")) -> ph.Equations:
    s = ph.System("top", gravity=(0, 0, -10))
    s.joint("ball", s.ground, s.body("top", 2, com=(0, 0, 0.3), inertia=moments), ph.Spherical(), at=(1, 0, 0))
    return s.derive()


def satellite() -> ph.Equations:
    s = ph.System("satellite", gravity=(0, 0, 0))
    s.joint("fly", s.ground, s.body("bus", 2, inertia=(1, 2, 3)), ph.Free())
    s.joint("arm", "bus", s.body("link", 1, com=(1, 0, 0)), ph.Revolute("z"), at=(1, 0, 0))
    return s.derive()


def pendulum_on_cart(damping: float = 0, gravity: str = "-9.81") -> ph.Equations:
    s = ph.System("cart", gravity=(0, 0, gravity))
    cart = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    s.joint("a", "cart", s.body("pole", 2, com=(0, 0, 0.5)), ph.Revolute("y"))
    s.joint_force(cart, s.input("F") - damping * cart.u[0])
    return s.derive()


def names(equations: ph.Equations) -> list[str]:
    return [each.name for each in equations.symmetries()]


def test_tops_turn_about_the_vertical_and_their_axis_and_satellites_keep_momenta_also_along_a_run() -> None:
    assert names(top()) == ["turn of the whole about z", "unit ball_wz"]
    assert names(top((1, "1.1", "0.5"))) == ["turn of the whole about z"]
    assert pendulum_on_cart(damping=0.1).conserved() == []
    (found,) = pendulum_on_cart().symmetries()
    assert (found.coordinate, found.without) == ("x", ("F",)) and str(found).endswith("is conserved, while F is nil")
    equations = satellite()
    found = equations.symmetries()
    spin, linear = equations.momentum
    assert [each.name for each in found[:3]] == ["fly_x", "fly_y", "fly_z"]
    assert same([each.momentum for each in found[:3]], list(linear))
    assert same([each.momentum for each in found[3:]], list(spin))
    equations = satellite()
    run = equations.simulate(2, speeds={"fly_wx": 0.5, "fly_wy": 0.3, "arm": -1.0, "fly_vy": 0.2})
    for each in equations.conserved():
        values = run.values(each.value)
        assert float(np.ptp(values)) < 1e-6, each.name


def test_a_sum_of_coordinates_is_found_where_none_alone_is_cyclic() -> None:
    s = ph.System("two carts", gravity=(0, 0, 0))
    a = s.joint("x", s.ground, s.body("first", 1), ph.Prismatic("x"))
    b = s.joint("y", s.ground, s.body("second", 2), ph.Prismatic("x"))
    s.potential(5 * (2 * b.q[0] - a.q[0] - 1) ** 2)
    (found,) = s.derive().symmetries()
    assert found.name == "x + 1/2 y" and is_zero(found.momentum - (a.u[0] + b.u[0])) and found.coordinate is None


def test_energy_is_conserved_by_potentials_and_states_without_force() -> None:
    energy, *_ = pendulum_on_cart().conserved()
    equations = pendulum_on_cart()
    assert energy.name == "energy" and energy.without == ("F",)
    assert is_zero(energy.value - equations.kinetic_energy - equations.potential_energy)
    s = ph.System("pendulum", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    z = s.state("z", rate=hinge.q[0])
    assert [each.name for each in s.derive().conserved()] == ["energy"]
    s.joint_force(hinge, -z)
    assert s.derive().conserved() == []


def test_equal_values_of_parameters_are_a_symmetry_at_these_values_alone() -> None:
    s = ph.System("top", gravity=(0, 0, 0))
    moments = (s.parameter("A", 1), s.parameter("B", 1), s.parameter("C", 2))
    s.joint("ball", s.ground, s.body("top", 1, inertia=moments), ph.Spherical())
    equations = s.derive()
    assert "unit ball_wz" not in names(equations)
    assert "unit ball_wz" in [each.name for each in equations.symmetries({"A": 1, "B": 1})]


def test_nonholonomic_and_prescribed_motions_break_momenta() -> None:
    s = ph.System("sleigh", gravity=(0, 0, 0))
    s.joint("glide", s.ground, s.body("runner", 1, com=(0.3, 0, 0), inertia=(1, 1, 1)), ph.Planar("z"))
    s.knife_edge("blade", "runner", across="y")
    assert [each.name for each in s.derive().conserved()] == ["energy"]
    s = ph.System("shaken", gravity=(0, 0, -10))
    s.prescribe(s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x")), ph.sin(s.time))
    s.joint("a", "cart", s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    assert s.derive().conserved() == []
    s = ph.System("nearly", gravity=(0, 0, 0))
    a = s.joint("x", s.ground, s.body("cart", 1), ph.Prismatic("x"))
    s.potential(as_expr("1e-14") * a.q[0] ** 2)
    assert s.derive().symmetries() == []


def test_parameters_are_checked_and_speeds_do_not_matter() -> None:
    refused("there is no parameter 'mass'", lambda: top().symmetries({"mass": 1}))
    own, his = free_body().derive(), free_body().derive("kane", speeds="sayers")
    assert [each.name for each in his.conserved()] == [each.name for each in own.conserved()]
    refused("3 is not values by name", lambda: top().symmetries(3))  # type: ignore[arg-type]


def free_body() -> ph.System:
    s = ph.System("free body", gravity=(0, 0, "-9.81"))
    s.joint("p", s.ground, s.body("b", 2, (0.1, 0.2, 0.3), (1, 2, "2.5")), ph.Free(storage="321"))
    return s


def test_a_cyclic_coordinate_is_found_in_pseudo_velocities() -> None:
    s = ph.System("cart", gravity=(0, 0, -10))
    x = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    a = s.joint("a", "cart", s.body("pole", 2, com=(0, 0, 0.5)), ph.Revolute("y"))
    made = s.derive("hamel", pseudo={"w1": x.u[0] + 2 * a.u[0], "w2": a.u[0]})
    assert [each.coordinate for each in made.symmetries()] == ["x"]


def named(s: ph.System) -> list[str]:
    return [name for name, _ in whole_motions(s.derive().tree)]


def test_free_bodies_hinges_and_pairs_of_bodies_move_as_the_ground_allows() -> None:
    s = ph.System("free")
    s.joint("fly", s.ground, s.body("bus", 1, inertia=(1, 1, 1)), ph.Free())
    assert len(named(s)) == 6
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"), at=(0, 0, 2))
    assert named(s) == ["turn of the whole about y"]
    s = ph.System("pair")
    s.joint("a", s.ground, s.body("first", 1), ph.Prismatic("x"))
    s.joint("b", s.ground, s.body("second", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("y")))
    assert named(s) == ["shift of the whole along x"]


def test_slides_and_a_hinge_turn_about_an_axis_of_the_ground() -> None:
    s = ph.System("puck")
    kind = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    joint = s.joint("glide", s.ground, s.body("puck", 1, inertia=(1, 1, 1)), kind, coordinates=["x", "y", "a"])
    found = dict(whole_motions(s.derive().tree))
    assert [*found] == [f"shift of the whole along {axis}" for axis in "xy"] + ["turn of the whole about z"]
    x, y, _ = joint.q
    turn = found["turn of the whole about z"]
    assert is_zero(turn[0] + y) and is_zero(turn[1] - x) and is_zero(turn[2] - 1)


def test_a_mass_on_slides_turns_about_the_centre_of_its_field_and_is_reduced_by_it() -> None:
    """Kepler's second law, for a mass that the joint itself does not turn; two such masses on a spring too."""
    s = ph.System("planet", gravity=(0, 0, 0))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"))
    joint = s.joint("path", s.ground, s.body("planet", 2, com=(0, "0.3", 0)), plane, coordinates=["x", "y"])
    s.gravity_field(lambda r: -4 * r / ph.sqrt(r.dot(r)) ** 3)
    e = s.derive()
    (x, y), (vx, vy) = joint.q, joint.u
    (symmetry,) = e.symmetries()
    assert symmetry.name == "turn of the whole about z"
    assert is_zero(symmetry.momentum - 2 * (x * vy - (y + as_expr("0.3")) * vx))
    state: dict[str, Any] = {"start": {"x": 1, "y": 0.2}, "speeds": {"y": 1.5}}
    assert np.abs(e.reduce(symmetry.name).simulate(2, **state).q - e.simulate(2, **state).q).max() < 1e-7
    s = ph.System("pair", gravity=(0, 0, 0))
    for k in "12":
        s.joint(k, s.ground, s.body(f"mass {k}", 1), plane, coordinates=[f"x{k}", f"y{k}"])
    s.spring("mass 1", "mass 2", stiffness=10, length=1)
    assert [each.name for each in s.derive().symmetries()] == ["x1 + x2", "y1 + y2", "turn of the whole about z"]


def test_weight_along_a_skew_direction_of_symbols_leaves_two_shifts_and_a_turn() -> None:
    """Shifts of the whole are combinations of those of a joint that a symbol turns: none is listed twice."""
    s = ph.System("probe")
    s.gravity = ph.Vector([s.parameter(f"g{axis}") for axis in "xyz"])
    body = s.body("bus", s.parameter("m"), com=("0.1", 0, "0.2"), inertia=[s.parameter(f"I{axis}") for axis in "xyz"])
    s.joint("fly", s.ground, body, ph.Free("123"), rotation=("x", s.parameter("alpha")))
    e = s.derive()
    found = e.symmetries()
    assert len(found) == 3 and sum("turn of the whole" in each.name for each in found) == 1
    moving = {x: 0.3 + 0.1 * k for k, x in enumerate(free_symbols([x for each in found for x in each.field]))}
    fields = np.array([evaluate([as_expr(x) for x in each.field], moving) for each in found])
    assert np.linalg.matrix_rank(fields) == 3


def spherical_pendulum() -> ph.Equations:
    s = ph.System("spherical pendulum", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("yoke"), ph.Revolute("z"))
    s.joint("b", "yoke", s.body("bob", 2, com=(0, 0, "-0.8")), ph.Revolute("y"))
    return s.derive()


def test_the_reduced_motion_is_that_of_the_whole() -> None:
    equations = spherical_pendulum()
    less = equations.reduce("a")
    run = equations.simulate(3, start={"b": 0.7}, speeds={"a": 2.0, "b": 0.3}, rtol=1e-11, atol=1e-12)
    mu = float(evaluate([less.symmetry.momentum], {equations.q[1]: 0.7, equations.u[0]: 2.0, equations.u[1]: 0.3})[0])

    def rates(_: float, x: np.ndarray) -> list[float]:
        known = {less.q[0]: float(x[0]), less.u[0]: float(x[1]), less.momentum: mu}
        qd, m, b, spin = evaluate([*less.coordinate_rates, less.mass_matrix[0, 0], less.bias[0], less.speed], known)
        return [qd, -b / m, spin]

    found = solve_ivp(rates, (0, 3), [0.7, 0.3, 0.0], t_eval=run.t, rtol=1e-11, atol=1e-12)
    assert_allclose(found.y[0], run["b"], atol=1e-8)
    assert_allclose(found.y[2], run["a"], atol=1e-8)  # what went is an integral over the motion


def test_amended_potentials_are_stationary_and_reduced_coordinates_gone_and_what_cannot_be_reduced_says_why() -> None:
    less = spherical_pendulum().reduce("a")
    b, angle = less.q[0], 0.9
    spin = float(np.sqrt(9.81 / (0.8 * np.cos(angle))))  # of a conical pendulum
    mu = 2 * (0.8 * np.sin(angle)) ** 2 * spin
    (slope,) = evaluate(gradient(less.amended_potential, [b]), {b: angle, less.momentum: mu})
    assert abs(slope) < 1e-12
    equations = spherical_pendulum()
    less = equations.reduce("a")
    gone = {equations.q[0], equations.u[0]}
    for entry in (*less.mass_matrix.entries(), *less.bias, *less.coordinate_rates):
        assert gone.isdisjoint(free_symbols([as_expr(entry)]))
    assert not is_zero(less.bias[0])


def test_what_cannot_be_reduced_says_why() -> None:
    with pytest.raises(ph.PolhodeError, match="'b' is no cyclic coordinate") as caught:
        spherical_pendulum().reduce("b")
    assert "Symmetries are a" in str(caught.value)
    with pytest.raises(ph.PolhodeError, match="0 symmetries are named"):
        spherical_pendulum().reduce()
    s = ph.System("cart", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    with pytest.raises(ph.PolhodeError, match="1 symmetries are named, and there are 1 speeds"):
        s.derive().reduce("x")
    less = heavy_top().reduce("psi", "phi")
    for wrong in ("coordinate", "momentum", "speed", "symmetry"):
        with pytest.raises(ph.PolhodeError, match="reduced by 2 symmetries"):
            getattr(less, wrong)
    with pytest.raises(ph.PolhodeError, match="'dphi' acts along a symmetry"):
        less.simulate(1, start={"theta": 1}, tau={"dphi": 1})


def heavy_top() -> ph.Equations:
    """Lagrange's top in Euler's angles, A and C its moments about the point that is held."""
    s = ph.System("heavy top", gravity=(0, 0, -10))
    A, C, m, l = (s.parameter(*each) for each in (("A", 1), ("C", 0.5), ("m", 2), ("l", 0.3)))
    euler = ph.Compound(ph.Revolute("z"), ph.Revolute("x"), ph.Revolute("z"))
    top = s.body("top", m, com=(0, 0, l), inertia=(A - m * l**2, A - m * l**2, C))
    s.joint("t", s.ground, top, euler, coordinates=["psi", "theta", "phi"], speeds=["dpsi", "dtheta", "dphi"])
    return s.derive()


def test_of_the_heavy_top_one_freedom_is_left() -> None:
    """A θ̈ = -∂V_μ/∂θ, V_μ = (μ_ψ - μ_φ cos θ)²/(2 A sin² θ) + μ_φ²/(2 C) + m g l cos θ: Goldstein, (5.60)."""
    less = heavy_top().reduce("psi", "phi")
    A, C, m, l = (less.equations.system.parameters[name].symbol for name in "ACml")
    (theta,), (psi, phi) = less.q, less.momenta
    V = (psi - phi * ph.cos(theta)) ** 2 / (2 * A * ph.sin(theta) ** 2) + phi**2 / (2 * C) + 10 * m * l * ph.cos(theta)
    assert less.equations.coordinates == ["theta"] and less.equations.speeds == ["dtheta"]
    assert is_zero(less.amended_potential - V)
    assert is_zero(less.mass_matrix[0, 0] - A) and is_zero(less.bias[0] - gradient(V, [theta])[0])
    precession = (psi - phi * ph.cos(theta)) / (A * ph.sin(theta) ** 2)
    assert is_zero(less.removed["psi"] - precession)
    assert is_zero(less.removed["phi"] - phi / C + precession * ph.cos(theta))


TOP = {"start": {"theta": 0.6, "psi": 0.2}, "speeds": {"dphi": 12, "dpsi": 0.3, "dtheta": 0.1}}
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def test_the_reduced_top_runs_as_the_whole_does() -> None:
    whole = heavy_top()
    run = whole.simulate(4, **TOP, **TIGHT)
    less = whole.reduce("psi", "phi")
    own = less.simulate(4, **TOP, **TIGHT)
    assert own.x.shape[1] == 2
    assert_allclose(own["theta"], run["theta"], atol=1e-9)
    again = whole.reduce("psi", "phi", reconstruct=True).simulate(4, **TOP, **TIGHT)
    for name in ("psi", "theta", "phi"):
        assert_allclose(again[name], run[name], atol=1e-9)


def test_the_reduced_top_compiles_and_is_compared() -> None:
    less = heavy_top().reduce("psi", "phi")
    momenta = less.momenta_at(**TOP)
    f = less.equations.compile()
    full = heavy_top().compile().forward_dynamics([0.2, 0.6, 0], [0.3, 0.1, 12])
    assert_allclose(f.forward_dynamics([0.6], [0.1], parameters=momenta), [full[1]], rtol=1e-12)
    assert ph.System.of(less.equations.system).compare(["poincare", "kane"], run=False, functions=()).agree
    again = ph.System.of(less.equations.system).derive("kane", independent=["dtheta"])
    assert agreement({"auto": again.record}) and again.agrees_with(heavy_top().reduce("psi", "phi").equations)


@pytest.mark.parametrize("storage", ["quaternion", "angles", "313"])
def test_a_top_on_a_ball_joint_is_reduced_by_motions_that_are_no_coordinates(storage: str) -> None:
    s = ph.System("top", gravity=(0, 0, -10))
    s.joint("b", s.ground, s.body("top", 2, (0, 0, 0.3), (1, 1, 0.5)), ph.Spherical(storage=storage))
    e = s.derive()
    lean = {"quaternion": (np.cos(0.4), np.sin(0.4), 0, 0), "angles": (0.5, 0.4, 0.1), "313": (0.1, 0.8, 0.3)}[storage]
    state = {
        "start": dict(zip(e.coordinates, lean, strict=True)),
        "speeds": dict(zip(e.speeds, (0.3, 0.2, 9), strict=True)),
    }
    less = e.reduce(*(each.name for each in e.symmetries()))
    run, own = e.simulate(2, **state, **TIGHT), less.simulate(2, **state, **TIGHT)
    assert len(less.u) == 1
    for name in less.equations.coordinates:
        assert_allclose(own[name], run[name], atol=1e-7)


def test_a_cyclic_coordinate_need_not_have_a_speed_of_its_own() -> None:
    s = ph.System("puck", gravity=(0, 0, 0))
    s.joint("g", s.ground, s.body("puck", 1, (0.3, 0.1, 0), (1, 1, 1)), ph.Planar("z"))
    e = s.derive()
    state = {"speeds": dict(zip(e.speeds, (0.3, 0.2, 0.9), strict=True))}
    for names, left in ((["g_x"], ["g_angle", "g_y"]), (["g_x", "g_y"], ["g_angle"])):
        less = e.reduce(*names)
        assert less.equations.coordinates == left
        run, own = e.simulate(3, **state, **TIGHT), less.simulate(3, **state, **TIGHT)
        assert_allclose(own[left[-1]], run[left[-1]], atol=1e-9)


def test_a_loop_on_a_cart_is_reduced_beside_its_constraints() -> None:
    s = ph.System("cart", gravity=(0, 0, -10))
    s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    for name, parent, com, at in (("a", "cart", (0, 0, -0.5), (0, 0, 0)), ("c", "cart", (0, 0, -0.5), (1, 0, 0))):
        s.joint(name, parent, s.body(name.upper(), 1, com), ph.Revolute("y"), at=at)
    s.joint("b", "A", s.body("B", 1, (0.5, 0, 0)), ph.Revolute("y"), at=(0, 0, -1))
    s.close("pin", "B", "C", ph.Revolute("y"), at_a=(1, 0, 0), at_b=(0, 0, -1))
    state = {"start": {"a": 0.3}, "speeds": {"a": 0.5, "x": 0.7}}
    for way in ("multipliers", "embedded"):
        e = s.derive(constraints=way)
        run, own = e.simulate(1, **state, **TIGHT), e.reduce("x").simulate(1, **state, **TIGHT)
        assert_allclose(own["a"], run["a"], atol=1e-8)


def helix(V: Callable[..., object]) -> ph.Equations:
    s = ph.System("helix", gravity=(0, 0, 0))
    h, k = s.parameter("h", 0.3), s.parameter("k", 5)
    body = s.body("body", 2, (1, 0, 0), (1, 1, 1))
    j = s.joint("j", s.ground, body, ph.Cylindrical("z"), coordinates=["phi", "z"], speeds=["w", "v"])
    s.potential(V(*j.q, h, k))
    return s.derive()


@pytest.mark.parametrize(
    ("V", "name"),
    [
        (lambda phi, z, h, k: k * (z - h * phi) ** 2, "phi + h z"),
        (lambda phi, z, h, k: ph.cos(z / h - phi), "phi + h z"),
        (lambda phi, z, h, k: ph.sin(z - phi * h / k**2 / 3), "phi + h/(3*k**2) z"),
        (lambda phi, z, h, k: ph.sin(z + (h + 2 * k) * phi), "phi - (h + 2*k) z"),
        (lambda phi, z, h, k: k * (z - 2 * phi) ** 4, "phi + 2 z"),
    ],
)
def test_the_pitch_of_a_helix_may_be_a_symbol(V: Callable[..., object], name: str) -> None:
    e = helix(V)
    (found,) = e.symmetries()
    assert found.name == name and found.coordinate is None
    less = e.reduce(name)
    state = {"start": {"z": 0.3}, "speeds": {"w": 0.5, "v": 0.1}}
    for parameters in (None, {"h": 0.7}):
        run, own = (each.simulate(2, **state, **TIGHT, parameters=parameters) for each in (e, less))
        assert_allclose(own["z"], run["z"], atol=1e-8)


def test_no_pitch_is_made_up() -> None:
    assert not helix(lambda phi, z, h, k: k * (z - h * phi) ** 2 + phi**4).symmetries()


def test_a_parameter_called_mu_keeps_its_meaning() -> None:
    s = ph.System("cart", gravity=(0, 0, -10))
    mu = s.parameter("mu", 0.5)
    s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    s.joint("a", "cart", s.body("pole", mu, com=(0, 0, -1)), ph.Revolute("y"))
    less = s.derive().reduce("x")
    assert less.momentum != mu and less.momentum.name == "mu_"
