"""How frames move."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.expr import as_expr
from polhode.model.samples.random_system import random_system


def test_dependent_speeds_and_their_accelerations_are_put_in() -> None:
    from polhode.model.samples.vehicles import INDEPENDENT, whipple_bicycle

    bicycle = whipple_bicycle()
    ride = bicycle.derive("composite_body", independent=INDEPENDENT)
    free = bicycle.derive("composite_body")
    body = [*ride.tree.bodies][-1]
    f, g = ride.compile(), free.compile()
    start = ride.assemble({"lean": 0.1, "steer": 0.2}, parameters={"v": 4.0})
    u, udot = np.array([0.3, -4.0, 0.5]), np.array([1.0, 2.0, -3.0])
    dependent = ride.dependent_speeds
    assert dependent is not None
    from polhode.expr import evaluate, free_symbols

    whole = [*(dependent.E @ ride.u + dependent.e), *(dependent.E @ ride.udot + dependent.gamma)]
    known = dict(zip(ride.q, map(float, start.q), strict=True)) | dict(zip(ride.u, u, strict=True))
    known |= dict(zip(ride.udot, udot, strict=True))
    table = {entry.symbol: 4.0 if name == "v" else float(entry.value) for name, entry in bicycle.parameters.items()}
    known |= table
    numbers = evaluate([as_expr(x) for x in whole], {x: known[x] for x in free_symbols([as_expr(x) for x in whole])})
    size = len(numbers) // 2
    expected = g.frame_acceleration(body, start.q, numbers[:size], numbers[size:], parameters={"v": 4.0})
    assert_allclose(f.frame_acceleration(body, start.q, u, udot, parameters={"v": 4.0}), expected, rtol=1e-9, atol=1e-9)


def test_bias_acceleration_is_what_is_left_without_accelerations() -> None:
    equations = random_system(3, bodies=3).derive()
    f, name = equations.compile(), [*equations.tree.bodies][-1]
    rng = np.random.default_rng(1)
    q, u = (rng.normal(size=(5, len(x))) for x in (equations.q, equations.u))
    parameters = {entry: 1.3 for entry, value in equations.system.parameters.items() if value.value is None}
    assert_allclose(
        f.bias_acceleration(name, q, u, parameters=parameters),
        f.frame_acceleration(name, q, u, np.zeros_like(u), parameters=parameters),
        rtol=1e-12,
        atol=1e-12,
    )


def test_a_frame_that_is_none_gets_a_sentence() -> None:
    with pytest.raises(ph.PolhodeError, match="there is no body or frame 'hand'"):
        random_system(1, bodies=1).derive().frame_acceleration("hand")
