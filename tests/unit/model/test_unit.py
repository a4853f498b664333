"""Units are labels: kept as they are written, and told where they are none."""

from __future__ import annotations

import warnings

import pytest

import polhode as ph


@pytest.mark.parametrize(
    "unit",
    ["", "kg", "m/s²", "m/s^2", "m s⁻²", "N m s/rad", "kg m2", "N·m", "kg*m**2", "1/s", "%", "deg", "°", "mm", "µm",
     "kN/mm", "rpm", "W/(m K)", "ft lbf", "1"],
)  # fmt: skip
def test_a_unit_is_kept_as_it_is_written(unit: str) -> None:
    s = ph.System("s")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s.parameter("p", 1, unit)
        s.input("i", unit=unit)
    assert s.parameters["p"].unit == s.inputs["i"].unit == unit


@pytest.mark.parametrize(("unit", "said"), [("banana", "'banana'"), ("N mm/bananas", "'bananas'"), ("Kg", "mean 'kg'")])
def test_what_is_no_unit_is_told_at_the_users_line(unit: str, said: str) -> None:
    s = ph.System("s")
    with pytest.warns(UserWarning, match=rf"parameter 'p': there is no unit .*{said}") as told:
        s.parameter("p", 1, unit)
    assert told[0].filename == __file__
    assert s.parameters["p"].unit == unit


def test_a_unit_is_a_text() -> None:
    with pytest.raises(ph.PolhodeError, match="a unit is a text, not 5"):
        ph.System("s").parameter("p", 1, 5)  # type: ignore[arg-type]
