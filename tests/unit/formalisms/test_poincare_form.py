"""Poincaré's form of the equations: what it needs, and what it refuses."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import same
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("seed", range(4))
def test_its_parts_add_up_to_the_bias(seed: int) -> None:
    e = random_system(seed, bodies=(1, 4), max_speeds=7).derive("newton_euler")
    form = e.poincare_form
    assert same(form.C @ form.p + form.F - form.Q, e.bias)
    assert same(form.M.entries(), e.mass_matrix.entries())
    assert same(form.V @ form.p, e.coordinate_rates)


def test_forces_go_from_coordinates_to_speeds_and_back_with_quaternions_too() -> None:
    s = ph.System("body")
    s.joint("fly", s.ground, s.body("body", 1, inertia=(1, 1, 1)), ph.Free())
    form = s.derive().poincare_form
    Q_p = ph.Vector(ph.symbols("P1 P2 P3 P4 P5 P6"))
    Q = form.on_coordinates(Q_p)
    assert len(Q) == 7
    assert same(form.on_speeds(Q), Q_p)
    with pytest.raises(PolhodeError, match="6 generalized forces were given, not 7"):
        form.on_speeds(Q_p)
    with pytest.raises(PolhodeError, match="'all' is not a number"):
        form.on_coordinates(["all"])


def test_speeds_that_follow_others_are_refused_in_a_sentence() -> None:
    s = ph.System("geared")
    s.joint("a", s.ground, s.body("one", 1, (1, 0, 0)), ph.Revolute("z"))
    s.joint("b", s.ground, s.body("two", 1, (1, 0, 0)), ph.Revolute("z"))
    s.couple("b", "a", multiplier=2)
    with pytest.raises(PolhodeError, match="are not in the speeds of its joints alone"):
        _ = s.derive().poincare_form
