"""Units: a stated one is converted to SI exactly, and what is none is refused."""

import math
from fractions import Fraction

import pytest
from tests.refusals import refused

import polhode as ph
from polhode.model.unit import in_unit, split, unit_of


@pytest.mark.parametrize(
    "unit",
    ["", "kg", "m/s²", "m/s^2", "m s⁻²", "N m s/rad", "kg m2", "N·m", "kg*m**2", "1/s", "%", "deg", "°", "mm", "µm",
     "kN/mm", "rpm", "W/(m K)", "ft lbf", "1", "J/K/mol", "N/m*s"],
)  # fmt: skip
def test_a_unit_is_kept_as_it_is_written(unit: str) -> None:
    s = ph.System("s")
    s.parameter("p", 1, unit)
    s.input("i", unit=unit)
    assert s.parameters["p"].unit == s.inputs["i"].unit == unit
    assert s.parameters["p"].stated(s.parameters["p"].value) == 1


@pytest.mark.parametrize(
    ("value", "unit", "si", "label"),
    [(20, "kN/m", 20000, "N/m"), (500, "g", Fraction(1, 2), "kg"), (0.1, "mm", Fraction(1, 10000), "m"),
     (90, "deg", ph.pi / 2, "rad"), (30, "rpm", ph.pi, "rad/s"), (3, "N m/deg", 540 / ph.pi, "N m/rad"),
     (2, "kN/(mm/s)", 2000000, "N/(m/s)"), (3, "W/(m K/s)", 3, "W/(m K/s)"), (1, "1/(N/m)", 1, "1/(N/m)"),
     (6, "L/min", Fraction(1, 10000), "m³/s"), (1, "lbf", Fraction("4.4482216152605"), "N"), (0, "deg", 0, "rad"),
     ("2.5 t", "kg", 2500, "kg"), ("-30 deg", "", -ph.pi / 6, "rad"), ("1/3 h", "s", 1200, "s"), (5, "%", 0.05, "")],
)  # fmt: skip
def test_a_value_is_in_si_units_exactly(value: object, unit: str, si: object, label: str) -> None:
    s = ph.System("s")
    s.parameter("p", value, unit)
    s.input("i", value, unit)
    s.state("z", 1, value, unit)
    assert s.parameters["p"].value == s.inputs["i"].value == s.states["z"].start == ph.expr.as_expr(si)
    assert s.parameters["p"].si_unit == label
    assert float(s.parameters["p"].value) == pytest.approx(float(si), rel=1e-15)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("unit", "said"),
    [("banana", "no unit 'banana'"), ("N mm/bananas", "no unit 'bananas'"), ("Kg", "mean 'kg'"),
     ("KN/m", "'kn' or 'kN'"), ("N m per rad", "Write a slash"), ("degC", "293.15 K"), ("°C", "293.15 K"),
     ("degrees", "mean 'deg'"), ("J/kg K", "in two ways"), ("N/m·s", "in two ways"), ("m//s", "is no unit"),
     ("m^", "is no unit"), ("(m", "is no unit"), ("m" * 101, "is no unit|no unit"), ("5 m", "is no unit"),
     ("m/", "is no unit"), ("J/(kg K)^2", "in two ways"), ("N/(m/s)²", "is no unit"), ("N/(m/s K)", "in two ways")],
)  # fmt: skip
def test_what_is_no_unit_is_refused(unit: str, said: str) -> None:
    s = ph.System("s")
    with pytest.raises(ph.PolhodeError, match=said) as caught:
        s.parameter("p", 1, unit)
    assert caught.value.problems[0].place == "parameter 'p'"
    assert not s.parameters


def test_units_are_texts_of_one_dimension() -> None:
    refused("a unit is a text, not 5", lambda: ph.System("s").parameter("p", 1, 5))  # type: ignore[arg-type]
    refused(r"parameter 'p': '3 kg' is not in units of m", lambda: ph.System("s").parameter("p", "3 kg", "m"))
    assert [split(text) for text in ("5 /s", "20 1/s", "5mm", "2.5e-3 m", "3/4 in")] == [
        (5, "1/s"), (20, "1/s"), (5, "mm"), (Fraction(1, 400), "m"), (Fraction(3, 4), "in"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["2*x", "x", "0.1", "1/3", "1e3", "0x10", "1,5", "3 - 2", "3 (m)", "", "nan"])
def test_texts_that_are_no_number_with_a_unit_are_left_alone(text: str) -> None:
    assert split(text) is None and in_unit(text, "m", "") is text


def test_a_value_comes_back_from_si_units_as_it_was_stated() -> None:
    for text in ("kN/m", "deg", "rpm", "N m/deg", "deg^2", "psi", "1"):
        unit = unit_of(text)
        for value in (Fraction(0), Fraction(1), Fraction(-7, 3), Fraction(180), Fraction(20000)):
            assert unit.from_si(unit.to_si(value)) == value
    assert math.isclose(float(unit_of("deg^2").to_si(Fraction(1))), math.radians(1) ** 2, rel_tol=1e-15)
