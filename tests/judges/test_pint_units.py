"""Units against pint: every symbol that is known, and random products of them, exactly where they are rational."""

import math
import random
from fractions import Fraction
from typing import Any

import pytest

from polhode.model.unit import known_units, unit_of

pint = pytest.importorskip("pint")

#: What pint calls them; the rest has the same name there.
_OTHER_NAMES = {
    "kn": "knot", "°": "degree", "%": "percent", "turns": "turn", "rev": "revolution", "Ohm": "ohm", "Ω": "ohm",
    "kgf": "kilogram_force", "1": "dimensionless", "h": "hour", "Nm": "newton*meter", "t": "metric_ton",
    "hbar": "hectobar",
}  # fmt: skip
_BASE = ("meter", "kilogram", "second", "ampere", "kelvin", "mole")


@pytest.fixture(scope="module")
def registry() -> Any:
    return pint.UnitRegistry(non_int_type=Fraction)


def pints(name: str) -> str:
    for plain in ("Nm", "Ohm", "Ω"):
        if name.endswith(plain) and name != plain:
            return f"{name.removesuffix(plain)}{_OTHER_NAMES[plain]}"
    return _OTHER_NAMES.get(name, name)


def check(text: str, in_pint: str, registry: Any) -> None:
    judged = registry.Quantity(Fraction(1), in_pint).to_base_units()
    powers = dict(judged.units._units)
    radians = powers.pop("radian", 0)  # which count as 1 here
    unit = unit_of(text)
    assert {name: p for name, p in zip(_BASE, unit.dimension, strict=True) if p} == powers, (text, radians)
    if unit.turns:
        assert float(unit.factor) * math.pi**unit.turns == pytest.approx(float(judged.magnitude), rel=1e-15)
    else:
        assert unit.factor == judged.magnitude


@pytest.mark.parametrize("name", known_units())
def test_every_known_unit_is_what_pint_says(name: str, registry: Any) -> None:
    check(name, pints(name), registry)


def test_random_products_and_quotients_are_what_pint_says(registry: Any) -> None:
    rng = random.Random(10)
    names = [name for name in known_units() if name not in ("%", "°", "Ω") and "Ω" not in name]
    for _ in range(400):
        factors = [(rng.choice(names), rng.randint(1, 3)) for _ in range(rng.randint(1, 4))]
        signs = [rng.choice("*/") for _ in factors[1:]]
        parts = [f"{name}^{power}" if power > 1 else name for name, power in factors]
        judged = [f"({pints(name)})**{power}" for name, power in factors]
        text = parts[0] + "".join(sign + part for sign, part in zip(signs, parts[1:], strict=True))
        check(text, judged[0] + "".join(s + part for s, part in zip(signs, judged[1:], strict=True)), registry)
