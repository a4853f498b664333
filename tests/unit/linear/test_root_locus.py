"""Root loci: poles with feedback along the gain."""

from __future__ import annotations

import control
import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.linear.root_locus import root_locus, zeros_of


def cart_pole() -> tuple[ph.System, ph.Equations]:
    s = ph.System("cart-pole", gravity=(0, 0, "-9.81"))
    l = s.parameter("l", 0.5)
    cart = s.joint("cart", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    pole = s.joint("pole", "cart", s.body("pole", 2, com=(0, 0, l)), ph.Revolute("y"))
    s.joint_force(cart, s.input("F"))
    s.joint_force(pole, -pole.u[0] / 10)
    return s, s.derive()


def test_poles_are_those_of_python_control() -> None:
    s, equations = cart_pole()
    small, gains = equations.linearize(), [0.0, -30.0, -80.0]
    q = equations.q
    tip = q[0] + s.parameters["l"].symbol * ph.sin(q[1]) + equations.u[0] / 3
    ours = root_locus(small, "F", tip, gains, {"l": 0.8})
    plant = small.to_control(["F"], {"tip": tip}, {"l": 0.8})
    for k, poles in zip(gains, ours.poles, strict=True):
        theirs = control.feedback(plant, k).poles()
        assert_allclose(np.sort_complex(poles), np.sort_complex(theirs), atol=1e-6)
    assert_allclose(np.sort_complex(ours.zeros), np.sort_complex(plant.zeros()), atol=1e-7)


def test_an_output_that_answers_at_once_is_fed_back_through_itself() -> None:
    s, equations = cart_pole()
    F = s.inputs["F"].symbol
    ports = equations.linearize().with_ports(["F"], {"y": equations.q[1] + 2 * F})
    closed = root_locus(ports, "F", "y", [0.25]).poles[0]
    A, B, C = (ports.numbers(letter) for letter in "ABC")
    assert_allclose(np.sort_complex(closed), np.sort_complex(np.linalg.eigvals(A - 0.25 / 1.5 * B @ C)), atol=1e-7)
    with pytest.raises(ph.PolhodeError, match=r"at the gain -0.5 the loop has no solution"):
        root_locus(ports, "F", "y", [-0.5])


def test_poles_go_to_the_zeros() -> None:
    A, B = np.array([[0.0, 1.0], [-4.0, 0.0]]), np.array([[0.0], [1.0]])
    assert_allclose(zeros_of(A, B, np.array([[3.0, 1.0]]), np.zeros((1, 1))), [-3.0], atol=1e-12)
    assert len(zeros_of(A, B, np.array([[1.0, 0.0]]), np.zeros((1, 1)))) == 0


def test_ports_that_are_none_get_a_sentence() -> None:
    small = cart_pole()[1].linearize()
    with pytest.raises(ph.PolhodeError, match="there is no output 'pol'"):
        root_locus(small, "F", "pol", [1])
    with pytest.raises(ph.PolhodeError, match="there is no input 'G'"):
        root_locus(small, "G", "pole", [1])
    with pytest.raises(ph.PolhodeError, match="3 is not the name of an input"):
        root_locus(small, 3, "pole", [1])  # type: ignore[arg-type] # that is the fault
    with pytest.raises(ph.PolhodeError, match="3 is not a list of states or expressions"):
        root_locus(small, "F", 3, [1])
    with pytest.raises(ph.PolhodeError, match="2 outputs are given, and one is meant"):
        root_locus(small, "F", ["pole", "cart"], [1])
