"""Transfer functions as graphs."""

from pathlib import Path
from typing import Any

import control
import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.linear.transfer_function import root_locus, transfer_function, zeros_of
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle


def cart_pole() -> tuple[ph.System, ph.Equations]:
    s = ph.System("cart-pole", gravity=(0, 0, "-9.81"))
    M, m, l = s.parameter("M", 3), s.parameter("m", 2), s.parameter("l", 0.5)
    cart = s.joint("cart", s.ground, s.body("cart", M), ph.Prismatic("x"))
    s.joint("pole", "cart", s.body("pole", m, com=(0, 0, l)), ph.Revolute("y"))
    s.joint_force(cart, s.input("F"))
    return s, s.derive()


def test_the_cart_with_a_pole_has_its_textbook_transfer_function_and_it_is_c_over_s_less_a_times_b_plus_d() -> None:
    s, equations = cart_pole()
    M, m, l = (s.parameters[name].symbol for name in "Mml")
    G = transfer_function(equations.linearize(), "F", "pole").reduced
    top, bottom = (ph.normal(ph.Vector(part)) for part in (G.numerator, G.denominator))
    assert list(top) == [ph.normal(-1 / (M * l))]
    assert list(bottom) == [1, 0, ph.normal(-981 * (M + m) / (100 * M * l))]
    assert G.relative_degree == 2
    s, equations = cart_pole()
    F = s.inputs["F"].symbol
    y = ph.sin(equations.q[1]) * equations.u[0] + equations.q[0] + 2 * F
    ports = equations.linearize({"pole": 0.3, "pole'": 0.7}).with_ports(["F"], {"y": y})
    G = transfer_function(ports, "F", "y")
    A, B, C, D = (ports.numbers(letter, {"l": 0.8}) for letter in "ABCD")
    points = np.array([0.3 + 1j, -2.0, 5j])
    expected = [(C @ np.linalg.solve(s * np.eye(4) - A, B) + D)[0, 0] for s in points]
    assert_allclose(G(points, {"l": 0.8}), expected, rtol=1e-12)
    assert G.relative_degree == 0
    for roots, found in zip(map(np.roots, G.numbers()), (G.zeros(), G.poles()), strict=True):
        assert_allclose(np.sort_complex(roots.round(6)), np.sort_complex(found.round(6)), atol=1e-5)
    theirs = G.to_control({"l": 0.8})
    assert (theirs.input_labels, theirs.output_labels) == (["F"], ["y"])
    assert_allclose(theirs(points), expected, rtol=1e-12)


def test_of_the_bicycle_steering_torque_to_lean_is_of_fourth_order_for_all_parameters() -> None:
    bicycle = whipple_bicycle()
    small = bicycle.derive("composite_body", independent=INDEPENDENT).linearize(upright(bicycle))
    G = transfer_function(small, "tau_steer", "lean")
    least = G.reduced
    assert (len(G.denominator) - 1, len(least.denominator) - 1) == (10, 4)
    s = np.array([2 + 3j, -1.0, 4j])
    A, C = small.state_space({"v": 3.0})[0], small.numbers("C")[small.states.index("lean")]
    B = small.with_ports(["tau_steer"]).numbers("B", {"v": 3.0})[:, 0]
    expected = [C @ np.linalg.solve(each * np.eye(len(A)) - A, B) for each in s]
    assert_allclose(least(s, {"v": 3.0}), expected, rtol=1e-9)


def test_what_the_input_does_not_reach_is_told() -> None:
    s = ph.System("two blocks", gravity=(0, 0, 0))
    for name in "xy":
        s.joint(name, s.ground, s.body(f"block {name}", 1), ph.Prismatic(name))
    G = transfer_function(s.derive().linearize(), "tau_x", "y")
    assert G.numerator == (0,)
    refused("'tau_x' does not act on 'y'", lambda: G.relative_degree)
    refused("is not a complex number", lambda: G("here"))


@pytest.mark.filterwarnings("error")
def test_where_a_zero_cancels_a_pole_it_has_its_limit_and_at_a_pole_it_is_infinite() -> None:
    s = ph.System("two blocks and a spring")
    s.joint("x", s.ground, s.body("a", 2), ph.Prismatic("x"))
    s.joint_spring(s.joint("y", "a", s.body("b", 1), ph.Prismatic("x")), 8, damping=1)
    small = s.derive().linearize()
    stretched = small.transfer_function("tau_y", "y")  # 3 s² / (s² (2 s² + 3 s + 24)): free in space
    assert stretched(0) == pytest.approx(1 / 8) and stretched.reduced(0) == pytest.approx(1 / 8)
    assert_allclose(stretched([0, 1e-5]), [1 / 8, 1 / 8], rtol=1e-4)
    assert small.transfer_function("tau_y", "x'")(0) == 0
    assert np.isposinf(small.transfer_function("tau_x", "x'")([0, 1j]).real).tolist() == [True, False]


def damped_cart_pole() -> tuple[ph.System, ph.Equations]:
    s = ph.System("cart-pole", gravity=(0, 0, "-9.81"))
    l = s.parameter("l", 0.5)
    cart = s.joint("cart", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    pole = s.joint("pole", "cart", s.body("pole", 2, com=(0, 0, l)), ph.Revolute("y"))
    s.joint_force(cart, s.input("F"))
    s.joint_force(pole, -pole.u[0] / 10)
    return s, s.derive()


def test_poles_are_those_of_python_control_and_an_output_that_answers_at_once_is_fed_back_through_itself() -> None:
    s, equations = damped_cart_pole()
    small, gains = equations.linearize(), [0.0, -30.0, -80.0]
    q = equations.q
    tip = q[0] + s.parameters["l"].symbol * ph.sin(q[1]) + equations.u[0] / 3
    ours = root_locus(small, "F", tip, gains, {"l": 0.8})
    plant = small.to_control(["F"], {"tip": tip}, {"l": 0.8})
    for k, poles in zip(gains, ours.poles, strict=True):
        theirs = control.feedback(plant, k).poles()
        assert_allclose(np.sort_complex(poles), np.sort_complex(theirs), atol=1e-6)
    assert_allclose(np.sort_complex(ours.zeros), np.sort_complex(plant.zeros()), atol=1e-7)
    s, equations = damped_cart_pole()
    F = s.inputs["F"].symbol
    ports = equations.linearize().with_ports(["F"], {"y": equations.q[1] + 2 * F})
    closed = root_locus(ports, "F", "y", [0.25]).poles[0]
    A, B, C = (ports.numbers(letter) for letter in "ABC")
    assert_allclose(np.sort_complex(closed), np.sort_complex(np.linalg.eigvals(A - 0.25 / 1.5 * B @ C)), atol=1e-7)
    refused(r"at the gain -0.5 the loop has no solution", lambda: root_locus(ports, "F", "y", [-0.5]))


def test_poles_go_to_the_zeros() -> None:
    A, B = np.array([[0.0, 1.0], [-4.0, 0.0]]), np.array([[0.0], [1.0]])
    assert_allclose(zeros_of(A, B, np.array([[3.0, 1.0]]), np.zeros((1, 1))), [-3.0], atol=1e-12)
    assert len(zeros_of(A, B, np.array([[1.0, 0.0]]), np.zeros((1, 1)))) == 0


def test_ports_that_are_none_get_a_sentence() -> None:
    small = damped_cart_pole()[1].linearize()
    refused("there is no output 'pol'", lambda: root_locus(small, "F", "pol", [1]))
    refused("there is no input 'G'", lambda: root_locus(small, "G", "pole", [1]))
    refused("3 is not the name of an input", lambda: root_locus(small, 3, "pole", [1]))  # type: ignore[arg-type] # that is the fault
    refused("3 is not a list of states or expressions", lambda: root_locus(small, "F", 3, [1]))
    refused("2 outputs are given, and one is meant", lambda: root_locus(small, "F", ["pole", "cart"], [1]))


def slider(stiffness: float = 0.0) -> Any:
    """x'' + 2 x' + k x = push."""
    s = ph.System("slider", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(x, s.input("push") - 2 * x.u[0] - stiffness * x.q[0])
    return s.derive().linearize()


def lines(figure: Any) -> list[Any]:
    return [np.column_stack(line.get_data()).astype(float) for axes in figure.axes for line in axes.get_lines()]


def test_bode_nyquist_and_step_are_those_of_the_closed_form(tmp_path: Path) -> None:
    small = slider(5.0)  # poles -1 ± 2i
    w, t = np.geomspace(0.1, 50, 40), np.linspace(0, 4, 9)
    G = 1 / (5 - w**2 + 2j * w)
    size, phase = lines(small.plot("bode", output="x", along=w, path=tmp_path / "bode.svg"))
    assert np.allclose(size[:, 1], 20 * np.log10(abs(G))) and np.allclose(phase[:, 1], np.degrees(np.angle(G)))
    assert np.allclose(lines(small.plot("nyquist", along=w))[0], np.column_stack([G.real, G.imag]))
    answer = 0.2 * (1 - np.exp(-t) * (np.cos(2 * t) + np.sin(2 * t) / 2))
    assert np.allclose(lines(small.plot("step", "push", "x", along=t))[0][:, 1], answer, atol=1e-13)
    assert abs(lines(small.plot("step"))[0][-1, 1] - 0.2) < 2e-3
    crosses = [curve[0] for curve in lines(small.plot("poles")) if len(curve) == 1]
    assert np.allclose(sorted(map(tuple, crosses))[:1], [(-1, -2)])
    assert (tmp_path / "bode.svg").exists()


def test_branches_of_the_root_locus_pass_through_the_breakaway() -> None:
    """Poles of s² + 2 s + k meet at -1 for k = 1 and leave the axis at right angles: no chord leaves that cross."""
    locus = slider().root_locus("push", "x", np.linspace(0, 5, 8))
    assert locus.poles.shape == (8, 2) and np.abs(locus.drawn + 1).min(axis=0).max() < 1e-7
    for branch in locus.drawn.T:
        middle = (branch[1:] + branch[:-1]) / 2
        assert np.abs((middle.real + 1) * middle.imag).max() < 1e-6


def test_a_locus_that_returns_to_the_axis_is_a_circle() -> None:
    """With y = 3 x + x', poles leave the axis onto |s + 3| = √3 and come back to it."""
    small = slider()
    e = small.equations
    locus = small.root_locus("push", {"y": 3 * e.q[0] + e.u[0]}, np.geomspace(0.05, 60, 40))
    off = locus.drawn[np.abs(locus.drawn.imag) > 1e-6]
    assert len(off) and np.allclose(np.abs(off + 3), np.sqrt(3))
    for at in (-3 + np.sqrt(3), -3 - np.sqrt(3)):
        assert np.abs(locus.drawn - at).min(axis=0).max() < 1e-6


def test_what_is_meant_must_be_named() -> None:
    small = slider()
    refused("there is no kind of picture 'bod'", lambda: small.plot("bod"))
    refused("there is no output 'z'", lambda: small.plot("bode", output="z"))
    both = small.with_ports(["push", "tau_x"])
    refused("2 inputs, and one is meant", lambda: both.plot("step"))
    with pytest.raises(ph.PolhodeError):
        small.plot("bode", along=[])
