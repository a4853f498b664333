from __future__ import annotations

import polhode as ph
from polhode.model.samples import elastic_arm
from polhode.model.samples.underactuated import car_with_trailers, cart_pole


def last_axle(system: ph.System, count: int) -> list[ph.Expr]:
    pose, d = system.derive().pose(f"trailer {count}"), system.parameters[f"d{count}"].symbol
    return [pose.p[0] - d * pose.R[0][0], pose.p[1] - d * pose.R[1][0]]


def test_the_last_axle_of_a_car_with_trailers_is_flat() -> None:
    """P. Rouchon, M. Fliess, J. Lévine and P. Martin, *Flatness, motion planning and trailer systems* (1993)."""
    s = car_with_trailers(2)
    found = s.derive().is_flat_output(last_axle(s, 2))
    assert found and sum(found.degrees) == found.size + found.integrators
    assert not s.derive().is_flat_output(["x", "y"])


def test_link_positions_of_an_elastic_arm_are_flat_without_integrators() -> None:
    found = elastic_arm(coupling="reduced").derive().is_flat_output([f"j{i}" for i in range(1, 7)])
    assert found.degrees == (4,) * 6 and found.integrators == 0


def test_what_is_missing_is_told() -> None:
    equations = cart_pole().derive()
    assert str(equations.is_flat_output(["x"])) == "not flat: the outputs and their derivatives give 2 of 4 states."
    two = str(equations.is_flat_output(["x", "theta"]))
    assert two == "not flat: 2 outputs are given, and a flat output has as many as there are inputs, 1."


def test_outputs_that_follow_from_each_other_are_told() -> None:
    found = cart_pole().derive().is_flat_output(["x", "x'"], ["x", "theta"])
    assert str(found) == "not flat: 'x' follows from the other outputs and their derivatives."
