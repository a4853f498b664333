"""Contacts: where a constraint pulls as ground could not, and the friction that it takes."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.errors import PolhodeError
from polhode.simulate.trajectory.contact import contact_of

TIMES = np.linspace(0.0, 1.0, 6)


def forces(*normal: float) -> np.ndarray:
    return np.column_stack([np.full(6, 3.0), np.full(6, 4.0), normal])


def test_each_stretch_that_pulls_is_found() -> None:
    found = contact_of(TIMES, forces(5, -1, -2, 5, 5, -3))
    assert np.allclose(found.pulls, [(0.2, 0.4), (1.0, 1.0)])
    assert "pulls with up to 3 N" in str(found)


def test_friction_is_what_is_across_by_what_pushes() -> None:
    found = contact_of(TIMES, forces(5, 10, 20, 0, -1, 50))
    assert np.allclose(found.friction[[0, 1, 2, 5]], [1, 0.5, 0.25, 0.1])
    assert np.isnan(found.friction[[3, 4]]).all()
    assert "friction of 1" in str(found)


def test_the_normal_may_have_any_length_and_direction() -> None:
    found = contact_of(TIMES, forces(0, 0, 0, 0, 0, 0), normal=(0, 7, 0))
    assert np.allclose(found.normal, 4) and np.allclose(found.friction, 0.75)
    assert not found.pulls and str(found).startswith("pushes with 4 to 4 N")


@pytest.mark.parametrize("normal", [(0, 0, 0), (0, float("nan"), 1), "up"])
def test_a_normal_without_direction_is_refused(normal: object) -> None:
    with pytest.raises(PolhodeError, match="normal"):
        contact_of(TIMES, forces(1, 1, 1, 1, 1, 1), normal)  # type: ignore[arg-type]


def test_a_bead_thrown_over_a_hump_would_leave_it() -> None:
    """On the parabola z = -x²/2 a bead with v² > g leaves at the top: the wire must pull."""
    s = ph.System("bead", gravity=(0, 0, -1))
    s.joint(
        "move", s.ground, s.body("bead", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")), coordinates=["x", "z"]
    )
    s.roll_disc("wire", "bead", 0, lambda x: -(x**2) / 2, slips=True)
    equations = s.derive()
    for speed, pulls in ((0.9, False), (1.1, True)):
        run = equations.simulate(0.1, speeds={"move_1": speed})
        assert bool(run.reaction("wire").contact().pulls) == pulls
