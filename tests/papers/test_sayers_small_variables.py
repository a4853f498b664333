"""Sayers (1991), abstract and Notational Conventions: small variables and coordinates that are not of interest.

The boom of his satellite flexes little on its springs; where the satellite is does not matter.
"""

from pathlib import Path

import numpy as np

import polhode as ph

SATELLITE = ph.load(Path(__file__).parents[2] / "models" / "satellite.yaml")
BOOM, PLACE = ["sway", "nod"], ["q1", "q2", "q3"]


def test_his_method_with_a_boom_that_flexes_little_takes_fewer_operations() -> None:
    whole, made = SATELLITE.derive("kane"), SATELLITE.derive("kane", small=BOOM, omit=PLACE)
    for of in ("mass_matrix", "forward_dynamics"):
        longer, shorter = whole.operations(of), made.operations(of)
        assert shorter.multiplications < 0.85 * longer.multiplications, of
        assert shorter.additions < 0.95 * longer.additions, of


def test_there_are_fewer_coordinates_than_speeds() -> None:
    made = SATELLITE.derive(omit=PLACE)
    assert (len(made.q), len(made.u)) == (7, 10)


def test_half_the_flexing_is_a_quarter_of_the_error() -> None:
    whole, made = (SATELLITE.derive(small=small, omit=PLACE).compile() for small in ([], BOOM))
    q, u = np.full((2, 7), 0.3), np.full((2, 10), 0.2)
    size = np.array([1e-3, 5e-4])[:, None]
    q[:, -2:], u[:, -2:] = size, 2 * size
    udot = np.full((2, 10), 0.1)
    udot[:, -2:] = 3 * size
    gap = np.linalg.norm(whole.inverse_dynamics(q, u, udot) - made.inverse_dynamics(q, u, udot), axis=1)
    assert 3.9 < gap[0] / gap[1] < 4.1
