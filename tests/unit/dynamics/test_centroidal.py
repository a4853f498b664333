"""The mass centre of the whole and momenta about it."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.expr import as_expr, directional, is_zero, same
from polhode.kinematics.motion import flow
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("seed", range(4))
def test_linear_momentum_is_the_mass_times_the_rate_of_the_mass_centre(seed: int) -> None:
    equations = random_system(seed, bodies=3).derive("newton_euler")
    mass = equations.mass_moment[0]
    rate = directional([as_expr(x) for x in equations.center_of_mass], flow(equations.tree, equations.system.time))
    assert same([mass * x for x in rate], list(equations.centroidal_momentum[1]))


def test_momenta_about_the_mass_centre() -> None:
    equations = random_system(2, bodies=3).derive()
    spin, linear = equations.centroidal_momentum
    assert same(list(equations.centroidal_matrix @ equations.u), [*spin, *linear])
    s = ph.System("sledge")
    s.joint("glide", s.ground, s.body("block", 2, com=(1, 2, 3), inertia=(1, 1, 1)), ph.Prismatic("x"))
    assert all(is_zero(as_expr(x)) for x in s.derive().centroidal_momentum[0])
    s = ph.System("ghost")
    s.joint("glide", s.ground, s.body("block", 0, inertia=(1, 1, 1)), ph.Revolute("x"))
    with pytest.raises(ph.PolhodeError, match="have no mass"):
        _ = s.derive().center_of_mass
