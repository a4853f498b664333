"""Simulation programs in Fortran: the same runs as those in C, and as `simulate(method="rk4")`, to 1e-12."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.built_program import built, check_starts, compiler_of, crank_and_slider, with_run, with_values

import polhode as ph

pytestmark = pytest.mark.skipif(not compiler_of("fortran"), reason="there is no Fortran compiler here")


def test_quaternions_states_and_inputs(tmp_path: Path) -> None:
    s = ph.System("top")
    ball = s.body("ball", s.parameter("m", 1, "kg"), (0.1, 0, 0.3), (0.1, 0.2, 0.3))
    s.joint("socket", s.ground, ball, ph.Spherical())
    pull = s.input("pull", 0.5, "N")
    lag = s.state("lag", rate=lambda z: 5 * ph.cos(s.time) * (pull - z), start=1)
    s.force(ball, lag * ball.x)
    equations = s.derive()
    program = built(equations, "fortran", tmp_path, speeds={"socket_wz": 2, "socket_wx": 0.3})
    text = with_values(with_run(program.text, 1.0, 0.004, 10), parameters={"m": "1.5E+0"}, efforts={"socket_wy": -0.1})
    made = program.table(text, equations)
    run = equations.simulate(
        1, speeds={"socket_wz": 2, "socket_wx": 0.3}, method="rk4", step=0.004, samples=26,
        parameters={"m": 1.5}, tau={"socket_wy": -0.1},
    )  # fmt: skip
    for found, expected in ((made.t, run.t), (made.q, run.q), (made.u, run.u), (made.z, run.z)):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    kinetic, potential = equations.compile().energy(run.q, run.u, parameters={"m": 1.5})
    np.testing.assert_allclose(program.energies(), np.stack([kinetic, potential], axis=-1), rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:to keep the constraints")
def test_constraints_are_kept_by_multipliers(tmp_path: Path) -> None:
    equations = crank_and_slider().derive()
    start = {"start": {"crank": 0.3, "slide": 2.8}, "speeds": {"crank": 1.0, "slide": -0.5}}
    program = built(equations, "fortran", tmp_path, **start)
    made = program.table(with_run(program.text, 1.0, 0.004, 13), equations)
    run = equations.simulate(1, method="rk4", step=0.004, samples=made.t, **start)
    for found, expected in ((made.t, run.t), (made.q, run.q), (made.u, run.u)):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    check_starts(program)
