"""Poincaré's form of the equations: what it needs, and what it refuses."""

from collections.abc import Callable

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import same
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("seed", range(4))
def test_its_parts_add_up_to_the_bias(seed: int) -> None:
    e = random_system(seed, bodies=(1, 4), max_speeds=7).derive("newton_euler")
    form = e.poincare_form
    assert same(form.C @ form.p + form.F - form.Q, e.bias) and same(form.M.entries(), e.mass_matrix.entries())
    assert same(form.V @ form.p, e.coordinate_rates)


def test_forces_go_from_coordinates_to_speeds_and_back_with_quaternions_too() -> None:
    s = ph.System("body")
    s.joint("fly", s.ground, s.body("body", 1, inertia=(1, 1, 1)), ph.Free())
    form = s.derive().poincare_form
    Q_p = ph.Vector(ph.symbols("P1 P2 P3 P4 P5 P6"))
    Q = form.on_coordinates(Q_p)
    assert len(Q) == 7 and same(form.on_speeds(Q), Q_p)
    refused("6 generalized forces were given, not 7", lambda: form.on_speeds(Q_p))
    refused("'all' is not a number", lambda: form.on_coordinates(["all"]))


def test_followers_are_refused_and_trees_have_no_constraints() -> None:
    s = ph.System("geared")
    s.joint("a", s.ground, s.body("one", 1, (1, 0, 0)), ph.Revolute("z"))
    s.joint("b", s.ground, s.body("two", 1, (1, 0, 0)), ph.Revolute("z"))
    s.couple("b", "a", multiplier=2)
    refused("are not in the speeds of its joints alone", lambda: s.derive().poincare_form)
    form = random_system(1, bodies=(1, 3), max_speeds=5).derive().poincare_form
    assert (len(form.A), len(form.a), len(form.multipliers)) == (0, 0, 0) and "lambda" not in repr(form)


def four_bar() -> ph.System:
    s = ph.System("four bar", gravity=(0, 0, "-9.81"))
    parent, at = s.ground, 0
    for name, length in (("crank", 1), ("coupler", 3), ("rocker", 2)):
        body = s.body(name, length, com=(length / 2, 0, 0), inertia=(length, length, length))
        s.joint(name, parent, body, ph.Revolute("y"), at=(at, 0, 0))
        parent, at = body, length
    s.close("closure", parent, s.ground, ph.Revolute("y"), at_a=(2, 0, 0), at_b=("2.5", 0, 0))
    return s


def rolling_disc() -> ph.System:
    s = ph.System("disc", gravity=(0, 0, "-9.81"))
    s.joint("fly", s.ground, s.body("disc", 1, inertia=ph.disc(1, 1, "y")), ph.Free(storage="angles"))
    s.roll_wheel("tyre", "disc", 1, "y")
    return s


@pytest.mark.parametrize("make", [four_bar, rolling_disc])
def test_constraints_stand_in_it_with_their_multipliers(make: Callable[[], ph.System]) -> None:
    e = make().derive("newton_euler")
    form = e.poincare_form
    assert same(form.A @ form.p + form.a, e.constraints.rates) and len(form.multipliers) == len(form.A) > 0
    force = form.A.T @ e.multipliers
    left = form.M @ e.forward_dynamics + form.C @ form.p + form.F - form.Q - e.tau
    assert same(left, force)
    assert not same(left, force * 0)  # they would not balance without
    assert "+ A^T lambda, A p + a = 0" in repr(form) and "A" in [letter for letter, _ in form._formulas()]
