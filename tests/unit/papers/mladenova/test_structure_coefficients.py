"""Structure coefficients: of rotations they are constants, and they are asked for by names or numbers."""

from __future__ import annotations

import pytest

import polhode as ph
from polhode.errors import PolhodeError


def body(kind: ph.Spherical | ph.Free) -> ph.Equations:
    s = ph.System("body")
    s.joint("turn", s.ground, s.body("body", 1, inertia=(1, 2, 3)), kind)
    return s.derive()


def test_of_a_turning_body_they_are_those_of_so3() -> None:
    found = body(ph.Spherical()).structure_coefficients
    assert found.are_constant
    for k in range(3):
        for i in range(3):
            for j in range(3):
                assert found[k, i, j] == (k - j) * (j - i) * (i - k) // 2  # γ_kij = ε_kji


def test_of_a_free_body_they_are_constant_too() -> None:
    found = body(ph.Free()).structure_coefficients
    assert found.are_constant and not any(found.by_time.entries())
    assert len(found.nonzero) == 18  # ε three times: turns with turns, turns with shifts, shifts with turns


def test_of_rates_of_coordinates_they_vanish() -> None:
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("upper", 1, (1, 0, 0)), ph.Revolute("z"))
    s.joint("b", "upper", s.body("fore", 1, (1, 0, 0)), ph.Revolute("z"), at=(1, 0, 0))
    assert not s.derive().structure_coefficients.nonzero


def test_what_is_no_coefficient_is_told() -> None:
    found = body(ph.Spherical()).structure_coefficients
    with pytest.raises(PolhodeError, match="Did you mean 'turn_wz'") as caught:
        found["turn_w", 0, 0]
    assert caught.value.problems[0].code == "E-DERIVE-NAME"
    with pytest.raises(PolhodeError, match="no pseudo-velocity '3'"):
        found[3, 0, 0]
    with pytest.raises(PolhodeError, match="three indices"):
        found[0, 1]  # type: ignore[index]
