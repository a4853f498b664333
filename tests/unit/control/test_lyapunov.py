"""Rates along closed loops, and proofs that can fail."""

from __future__ import annotations

import pytest
from tests.planar_arm import planar_arm

import polhode as ph
from polhode.control import Law, Reference
from polhode.control.lyapunov import prove, rate_along
from polhode.expr import as_expr, same
from polhode.laws.law import ControllerState


def slider() -> ph.Equations:
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    return s.derive()


def test_references_change_by_their_own_derivatives_further_than_the_law_knows_them() -> None:
    e = slider()
    wanted = Reference("x", 1)
    r, rate = wanted.symbols
    law = Law({e.tau[0]: r + rate}, reference=(wanted,))
    (third,) = rate_along(e, law, r, times=3)
    assert third == ph.expr.spelling.reference_symbol("x", 3)
    assert rate_along(e, law, [r, rate], is_constant=True) == [as_expr(0), as_expr(0)]


def test_controller_states_measurements_and_time_move_along() -> None:
    e = slider()
    y, xi = ph.symbol("y", "measurement"), ph.symbol("xi", "state")
    law = Law({e.tau[0]: -y - xi}, states=(ControllerState(xi, rate=y),), measured={y: 3 * e.q[0]})
    m = e.system.parameters["m"].symbol
    found = rate_along(e, law, [xi, e.u[0], e.system.time])
    assert same(found, [3 * e.q[0], (-3 * e.q[0] - xi) / m, 1])


def test_energy_is_kept_without_a_law_that_drains_it() -> None:
    e = planar_arm().derive()
    still = Law({tau: as_expr(0) for tau in e.tau})
    assert prove(e, still, e.kinetic_energy + e.potential_energy, 0).proved
    assert not prove(e, still, e.kinetic_energy, 0).proved


def test_what_is_left_over_is_said() -> None:
    e = slider()
    law = Law({e.tau[0]: -6 * e.u[0]})
    said = prove(e, law, e.kinetic_energy, 5 * e.u[0] ** 2)
    assert not said.proved and "something is left over" in str(said) and "not proved" in said.latex()
    assert same([said.residual], [-(e.u[0] ** 2)])


def test_a_sampled_law_has_no_rates() -> None:
    e = slider()
    xi = ph.symbol("xi", "state")
    law = Law({e.tau[0]: xi}, states=(ControllerState(xi, update=e.q[0]),), sample_time=0.1)
    with pytest.raises(ph.PolhodeError, match="from sample to sample has no rates"):
        rate_along(e, law, e.q[0])
