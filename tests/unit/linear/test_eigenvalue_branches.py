"""Eigenvalues along a parameter."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.linear.eigenvalue_branches import eigenvalues_along, plot_branches, plot_locus


def upright() -> ph.Equations:
    """A pendulum on its head, held by a spring and driven to swing by a negative damper."""
    s = ph.System("upright", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, 1)), ph.Revolute("y"))
    k, c = s.parameter("k", 14, "N m"), s.parameter("c", 1)
    offset = s.parameter("offset", 0)
    s.joint_force(hinge, -k * (hinge.q[0] - offset) - c * hinge.u[0])
    return s.derive()


def test_branches_are_roots_pairs_cross_once_and_a_zero_that_stays_is_no_crossing() -> None:
    found = eigenvalues_along(upright().linearize(), "k", np.linspace(8, 20, 25))  # λ² + λ + k - 10 = 0
    assert_allclose(found.eigenvalues.sum(axis=1), -1, atol=1e-12)
    assert_allclose(found.eigenvalues.prod(axis=1), found.values - 10, atol=1e-12)
    (crossing,) = found.crossings
    assert crossing.value == pytest.approx(10, abs=1e-11) and not crossing.grows and abs(crossing.eigenvalue) < 1e-10
    assert found.unit == "N m"
    found = eigenvalues_along(upright().linearize(), "c", [1.0, 0.3, -0.2, -1.0])
    (crossing,) = found.crossings
    assert crossing.value == pytest.approx(0, abs=1e-11)
    assert crossing.eigenvalue.imag == pytest.approx(2, rel=1e-12) and crossing.grows
    s = ph.System("cart", gravity=(0, 0, -10))
    cart = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    pole = s.joint("a", "cart", s.body("bob", 1, com=(0, 0, 1)), ph.Revolute("y"))
    k = s.parameter("k", 14)
    s.joint_force(pole, -k * pole.q[0] - 5 * pole.u[0])
    assert cart.q
    found = eigenvalues_along(s.derive().linearize(), "k", np.linspace(5, 15, 8))
    assert [crossing.value for crossing in found.crossings] == pytest.approx([10.0], abs=1e-9)


def test_an_equilibrium_that_moves_and_an_unknown_parameter_are_refused() -> None:
    small = upright().linearize()
    assert eigenvalues_along(small, "k", [11, 12]).notices == ()
    (notice,) = eigenvalues_along(small, "offset", [0, 0.1, 0.2]).notices
    assert notice == "The state is held, and is no equilibrium at offset = 0.1 and 1 more."
    small = upright().linearize()
    refused("there is no parameter 'kk'", lambda: eigenvalues_along(small, "kk", [1]))
    refused("'k' is given a value, and is what goes along", lambda: eigenvalues_along(small, "k", [1], {"k": 2}))


def test_a_crossing_beside_a_stiff_spring_is_found() -> None:
    s = ph.System("beside a spring", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(hinge, s.parameter("c", 0) * hinge.u[0])
    s.joint_force(slide, -1e10 * slide.q[0])
    (crossing,) = s.derive().linearize({"a": 0, "x": 0}).eigenvalues_along("c", np.linspace(-0.01, 0.02, 4)).crossings
    assert crossing.value == pytest.approx(0, abs=1e-9) and crossing.grows


def test_branches_and_loci_are_drawn() -> None:
    figure = plot_branches([0, 1], [[1 + 2j, 1 - 2j], [3 + 4j, 3 - 4j]], "$v_0$")
    real, imaginary = figure.axes
    assert real.lines[1].get_ydata().tolist() == [1, 3]
    assert imaginary.lines[2].get_ydata().tolist() == [-2, -4] and imaginary.get_xlabel() == "$v_0$"
    assert not imaginary.xaxis.label.get_parse_math()
    figure = plot_locus([0, 3], [[-1 + 0j, -2], [-3, -4]], [5j])
    lines = figure.axes[0].lines
    assert [line.get_marker() for line in lines][2:] == ["None", "x", "None", "x", "o"]
    assert lines[2].get_xdata().tolist() == [-1, -3]
    for draw in (lambda: plot_branches([], [], "v"), lambda: plot_locus([], [], [])):
        with pytest.raises(ph.PolhodeError, match="there is nothing to plot"):
            draw()
