"""The linear equations as ẋ = A x + B c, y = C x + D c."""

from pathlib import Path

import control
import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle


def cart_pole() -> tuple[ph.System, ph.Equations]:
    s = ph.System("cart-pole", gravity=(0, 0, "-9.81"))
    s.parameter("l", 0.5)
    cart = s.joint("cart", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    s.joint("pole", "cart", s.body("pole", 2, com=(0, 0, s.parameters["l"].symbol)), ph.Revolute("y"))
    s.joint_force(cart, s.input("F"))
    return s, s.derive()


def test_symbolic_matrices_are_the_numeric_ones_also_with_dependent_speeds() -> None:
    _, equations = cart_pole()
    linear = equations.linearize({"pole": 0.4, "cart'": 1.0, "pole'": -0.7})
    A, B = linear.state_space({"l": 0.8})
    assert_allclose(linear.numbers("A", {"l": 0.8}), A, rtol=1e-12, atol=1e-12)
    assert_allclose(linear.with_ports(linear.controls).numbers("B", {"l": 0.8}), B, rtol=1e-12, atol=1e-12)
    bicycle = whipple_bicycle()
    linear = bicycle.derive("composite_body", independent=INDEPENDENT).linearize(upright(bicycle))
    assert_allclose(linear.numbers("A", {"v": 5.0}), linear.state_space({"v": 5.0})[0], rtol=1e-9, atol=1e-9)


def test_inputs_are_columns_of_B_and_outputs_have_their_derivatives() -> None:
    _, equations = cart_pole()
    linear = equations.linearize()
    assert linear.inputs == ["F"]
    assert_allclose(linear.numbers("B"), [[0.0], [0.0], [1 / 3], [-2 / 3]], rtol=1e-15)
    linear = cart_pole()[1].linearize()
    assert linear.outputs == linear.states and linear.numbers("C").tolist() == np.eye(4).tolist()
    assert linear.numbers("D").tolist() == np.zeros((4, 1)).tolist()
    s, equations = cart_pole()
    q, u, F = equations.q, equations.u, s.inputs["F"].symbol
    ports = equations.linearize({"pole": 0.3}).with_ports(["F"], {"y": ph.sin(q[1]) * u[0] + 2 * F, "rate": u[1]})
    assert_allclose(ports.numbers("C"), [[0, 0, np.sin(0.3), 0], [0, 0, 0, 1]], atol=1e-15)
    assert ports.numbers("D").tolist() == [[2.0], [0.0]]
    s = ph.System("top", gravity=(0, 0, -10))
    s.joint("ball", s.ground, s.body("top", 2, com=(0, 0, 0.3), inertia=(1, 1, 1)), ph.Spherical())
    ports = s.derive().linearize().with_ports(outputs=["ball_rx", "ball_wz"])
    assert ports.states[0] == "ball_rx" and ports.numbers("C").tolist() == np.eye(6)[[0, 5]].tolist()


def test_an_output_of_a_linkage_moves_with_its_dependent_coordinates() -> None:
    bars = ph.System("four-bar", gravity=(0, 0, "-9.81"))
    before, at = bars.ground, 0.0
    for k in (1, 2, 3):
        bar = bars.body(f"bar {k}", mass=1, com=(0.5, 0, 0), inertia=ph.rod(1, 1, "x"))
        bars.joint(f"pin {k}", before, bar, ph.Revolute("y"), at=(at, 0, 0))
        before, at = bar, 1.0
    bars.close("pin 4", bars.ground, before, ph.Revolute("y"), at_a=(1.5, 0, 0), at_b=(1, 0, 0))
    equations = bars.derive()
    start = {"pin 1": -1.2, "pin 2": 1.0, "pin 3": 1.3}
    linear = equations.linearize(start)
    (kept,) = linear.displacements
    others = [name for name in equations.coordinates if name != kept]
    pose = {q.name: float(value) for q, value in zip(equations.q, linear.state.values(), strict=True)}
    observed = {name: equations.q[equations.coordinates.index(name)] for name in others}
    C = linear.with_ports(outputs=observed).numbers("C")[:, 0]
    h = 1e-5
    ends = [equations.assemble({**pose, kept: pose[kept] + d}, hold=[kept]) for d in (h, -h)]
    slopes = [(ends[0].q - ends[1].q)[equations.coordinates.index(name)] / (2 * h) for name in others]
    assert_allclose(C, slopes, atol=1e-7)


def test_python_control_gets_the_same_system_with_its_names_and_ports_that_are_none_get_a_sentence() -> None:
    _, equations = cart_pole()
    linear = equations.linearize()
    found = linear.to_control(outputs={"tip": equations.q[0] + ph.sin(equations.q[1]) / 2}, parameters={"l": 1})
    assert isinstance(found, control.StateSpace)
    assert (found.state_labels, found.input_labels, found.output_labels) == (linear.states, ["F"], ["tip"])
    assert_allclose(sorted(found.poles().real), sorted(linear.eigenvalues({"l": 1}).real), atol=1e-12)
    assert found.C.tolist() == [[1.0, 0.5, 0.0, 0.0]]
    _, equations = cart_pole()
    linear = equations.linearize()
    refused("there is no input 'G'", lambda: linear.with_ports(["G"]))
    refused("there is no state 'pol'", lambda: linear.with_ports(outputs=["pol"]))
    with pytest.raises(ph.PolhodeError, match="the output 'y' depends on w, which is no part of the state"):
        _ = linear.with_ports(outputs={"y": ph.symbol("w")}).C


def test_branches_loci_and_modes_are_drawn(tmp_path: Path) -> None:
    s = ph.System("pendulum with a damper", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, -s.parameter("c", 1, "N m s") * hinge.u[0])
    small = s.derive().linearize()
    figure = small.eigenvalues_along("c", [-1, 1, 8]).plot(tmp_path / "branches.svg")
    assert [len(panel.lines) for panel in figure.axes] == [4, 4]  # zero, two branches, one crossing
    assert figure.axes[-1].get_xlabel() == "c, N m s"
    figure = small.root_locus("tau_a", "a", [0, 5, 20]).plot(tmp_path / "locus.svg")
    assert figure.axes[0].get_title(loc="left") == "gain from 0 (×) to 20; zeros ○"
    (mode,) = small.modes()
    page = mode.animate(tmp_path / "mode.html", cycles=1).read_text(encoding="utf-8")
    assert "Mode: 0.497 Hz, damping ratio 0.158." in page and "stays within" in page
    assert (tmp_path / "branches.svg").stat().st_size > 1000 < (tmp_path / "locus.svg").stat().st_size


def test_other_ports_keep_what_can_be_done() -> None:
    s = ph.System("block", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    ports = s.derive().linearize().with_ports(["tau_x"], {"twice": 2 * x.q[0]})
    assert ports.transfer_function("tau_x", "twice").numerator == (2,)
    assert ports.root_locus("tau_x", "twice", [2.0]).poles[0].imag.round(9).tolist() == [2.0, -2.0]
