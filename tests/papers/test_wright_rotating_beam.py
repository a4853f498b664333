"""A. D. Wright, C. E. Smith, R. W. Thresher and J. L. C. Wang, "Vibration Modes of Centrifugally Stiffened Beams",
Journal of Applied Mechanics 49 (1982): the uniform cantilever on a hub of radius zero, by the method of Frobenius.

Frequencies are in units of √(EI/(m L³)), the rotation η too. Normal modes of the beam at rest converge slowly, their
fourth derivative vanishing at the root where that of a rotating beam does not: at η = 12 eight of them are off by 7e-3
in the third frequency, and more than twenty would be needed. Five, with static shapes under three distributed loads,
give all printed digits.
"""

import numpy as np
import pytest
from tests import beam_series
from tests.seeds import seeds

import polhode as ph
from polhode.linear.linear import Linear

#: By η the first three flapwise frequencies, as the paper prints them.
PRINTED = (
    (3.5160, 22.0345, 61.6972), (3.6816, 22.1810, 61.8418), (4.1373, 22.6149, 62.2732), (4.7973, 23.3203, 62.9850),
    (5.5850, 24.2733, 63.9668), (6.4495, 25.4461, 65.2050), (7.3604, 26.8091, 66.6839), (8.2996, 28.3341, 68.3860),
    (9.2568, 29.9954, 70.2930), (10.2257, 31.7705, 72.3867), (11.2023, 33.6404, 74.6493), (12.1843, 35.5890, 77.0638),
    (13.1702, 37.6031, 79.6145),
)  # fmt: skip


def blade(bending: str, modes: int, loads: int) -> Linear:
    """The straight blade that turns about z at the rate η, linearized."""
    s = ph.System("blade", gravity=(0, 0, 0))
    eta = s.parameter("eta", 1)
    rod = s.beam("rod", length=1, mass=1, EI=1, modes=modes, load_shapes=loads, bending=bending, stiffening=True)
    s.prescribe(s.joint("hub", s.ground, rod, ph.Revolute("z")), eta * s.time)
    return s.derive().linearize()


@pytest.fixture(scope="module")
def flap() -> Linear:
    return blade("z", 5, 3)


@pytest.fixture(scope="module")
def lag() -> Linear:
    return blade("y", 5, 3)


def three(linear: Linear, eta: float | None = None) -> np.ndarray:
    values = np.asarray(linear.eigenvalues(None if eta is None else {"eta": eta}))
    assert np.abs(values.real).max() < 1e-6 * np.abs(values).max()
    return np.sort(values.imag[values.imag > 0])[:3]


@pytest.mark.slow
@pytest.mark.parametrize("eta", range(13))
def test_flapwise_frequencies_are_as_printed(flap: Linear, eta: int) -> None:
    assert three(flap, eta) == pytest.approx(PRINTED[eta], abs=5.1e-5)


@pytest.mark.parametrize("eta", seeds((0, 12), of=13))
def test_the_printed_digits_are_those_of_the_power_series(eta: int) -> None:
    exact = beam_series.frequencies((eta**2 / 2, 0, -(eta**2) / 2), PRINTED[eta])
    assert exact == pytest.approx(PRINTED[eta], abs=5.1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("eta", range(13))
def test_lagwise_the_squares_are_smaller_by_the_square_of_the_rotation(flap: Linear, lag: Linear, eta: int) -> None:
    assert three(lag, eta) ** 2 + eta**2 == pytest.approx(three(flap, eta) ** 2, rel=1e-9)


def test_normal_modes_alone_give_three_digits() -> None:
    found = three(blade("z", 4, 0), 3)
    assert found == pytest.approx(PRINTED[3], rel=1e-3) and found[2] > PRINTED[3][2] + 5e-4
    assert np.all(found > np.array(PRINTED[3]) - 5e-5)  # Ritz: from above


def test_without_stiffening_rotation_softens_what_lags_and_leaves_what_flaps() -> None:
    """The error that Kane, Ryan and Banerjee (1987) found in programs of their time."""
    for bending, change in (("z", 0), ("y", -1)):
        s = ph.System("blade", gravity=(0, 0, 0))
        rod = s.beam("rod", length=1, mass=1, EI=1, modes=3, bending=bending)
        s.prescribe(s.joint("hub", s.ground, rod, ph.Revolute("z")), 2 * s.time)
        assert three(s.derive().linearize()) ** 2 == pytest.approx(np.square(PRINTED[0]) + 4 * change, rel=1e-4)
