"""Symmetries and what they conserve."""

from typing import Any

import numpy as np
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tests.refusals import refused

import polhode as ph
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
    assert "Cyclic are a" in refused("'b' is no cyclic coordinate", lambda: spherical_pendulum().reduce("b"))
    s = ph.System("puck", gravity=(0, 0, 0))
    s.joint("glide", s.ground, s.body("puck", 1, inertia=(1, 1, 1)), ph.Planar("z"))
    refused("its rate is no speed by itself", lambda: s.derive().reduce("glide_x"))
