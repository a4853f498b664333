"""Numbers made to look alike, numbers of no sane size, functions outside their domain: each told in one sentence."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

import polhode as ph
from polhode.expr import as_expr
from polhode.expr.field import P
from polhode.formats import loads_yaml

#: One file; the mass is what each case is about.
MODEL = """
polhode: 1
name: m
parameters: {{k: 2}}
bodies: {{bob: {{mass: "{mass}", com: [1, 0, 0]}}}}
joints: {{hinge: {{parent: ground, child: bob, type: revolute, axis: z}}}}
"""
#: 2 and 37/10 in the field of fingerprints, and other numbers for everybody else.
LIKE_TWO = 2 + Fraction(P, 10**38)
LIKE_37 = Fraction(37, 10) + Fraction(P, 10**38)
WRITTEN_LIKE_37 = f"{LIKE_37.numerator}/{LIKE_37.denominator}"


def model(mass: str) -> str:
    return MODEL.format(mass=mass)


def pendulum(mass: Any) -> ph.System:
    system = ph.System("m")
    system.body("bob", mass=mass, com=(1, 0, 0))
    system.joint("hinge", "ground", "bob", ph.Revolute("z"))
    return system


def moment(system: ph.System, bake: bool = True) -> float:
    """The moment of inertia about the hinge, which is the mass, by compiled code and the cache."""
    return float(system.derive().compile(bake=bake).mass_matrix([0.3])[0, 0])


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(ph.PolhodeError) as caught:
        act()
    return str(caught.value)


def test_F07_crafted_numbers_have_their_fingerprints_and_are_not_mixed_up() -> None:
    assert (LIKE_37.numerator * pow(LIKE_37.denominator, -1, P) - 37 * pow(10, -1, P)) % P == 0
    assert float(LIKE_37) == pytest.approx(5.4014118)
    system = pendulum(LIKE_37)
    system.body("clean", mass=Fraction(37, 10), com=(0, 1, 0))
    system.joint("second", "ground", "clean", ph.Revolute("z"))
    assert "cannot be distinguished" in refusal(lambda: system.derive().compile(cache=False).mass_matrix([0, 0]))
    crafted, plain = as_expr(LIKE_37), as_expr(Fraction(37, 10))
    assert crafted != plain and len({crafted, plain}) == 2 and crafted + 1 != plain + 1 and float(plain * 10) == 37
    # Decimals x·10^s and y of 17 digits look alike where x·10^s ≡ ±y; up to s = 20 both sides are below P.
    assert P > 2 * 10 ** (17 + 20) and all(shortest(pow(10, s, P), P) > 2 * 10**17 for s in range(21, 309 + 17 + 324))


@pytest.mark.parametrize(("make", "said"), [
    (lambda: loads_yaml(model("3.70141183460466190760749747793671664001")), "more than 34 significant digits"),
    (
        lambda: loads_yaml(model(f"{LIKE_TWO.numerator}/10**38")),
        "has the fingerprint of 2 and cannot be distinguished from it",
    ),
    (lambda: loads_yaml(model(str(P))), "has the fingerprint of 0 and cannot be distinguished from it"),
    (lambda: loads_yaml(model(f"1/{P}")), "cannot be distinguished from it"),
    (lambda: pendulum(LIKE_TWO), "has the fingerprint of 2 and cannot be distinguished from it"),
    (lambda: pendulum(Decimal("3.70141183460466190760749747793671664001")), "more than 34 significant digits"),
    (lambda: pendulum(P), "more than 34 significant digits"),
    (lambda: pendulum(Fraction(P)), "has the fingerprint of 0 and cannot be distinguished from it"),
])  # fmt: skip
def test_F07_a_number_that_looks_like_a_small_one_is_refused(make: Callable[[], object], said: str) -> None:
    assert said in refusal(make)


@pytest.mark.parametrize("bake", [True, False])
def test_F07_a_clean_model_is_not_touched_by_a_crafted_one_in_the_process_or_in_the_cache(
    bake: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    crafted = loads_yaml(model(WRITTEN_LIKE_37))
    assert moment(crafted, bake) == pytest.approx(float(LIKE_37), rel=1e-15)
    assert moment(pendulum(LIKE_37), bake) == pytest.approx(float(LIKE_37), rel=1e-15)
    assert moment(loads_yaml(model("3.7")), bake) == 3.7 and moment(pendulum(Decimal("3.7")), bake) == 3.7
    assert moment(crafted, bake) == pytest.approx(float(LIKE_37), rel=1e-15)


SCRIPT = """
import sys
from polhode.formats import loads_yaml
print(float(loads_yaml(sys.argv[1]).derive().compile().mass_matrix([0.3])[0, 0]))
"""


def test_F07_a_clean_model_is_not_touched_by_what_another_process_put_into_the_cache(tmp_path: Path) -> None:
    for mass, expected in ((WRITTEN_LIKE_37, float(LIKE_37)), ("3.7", 3.7), (WRITTEN_LIKE_37, float(LIKE_37))):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, model(mass)],
            env=os.environ | {"POLHODE_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert float(done.stdout) == pytest.approx(expected, rel=1e-15), done.stderr


def test_F07_a_model_that_holds_both_is_refused_rather_than_mixed_up() -> None:
    system = pendulum(LIKE_37)
    system.body("clean", mass=Fraction(37, 10), com=(0, 1, 0))
    system.joint("second", "ground", "clean", ph.Revolute("z"))
    assert "cannot be distinguished" in refusal(lambda: system.derive().compile(cache=False).mass_matrix([0, 0]))


@pytest.mark.parametrize(
    "mass", [10**400, Fraction(10**400), Decimal("1e400"), Decimal("1e999999999"), np.longdouble("1e400")]
)
def test_F07_a_number_beyond_all_doubles_is_refused(mass: Any) -> None:
    assert "out of the range of a double" in refusal(lambda: pendulum(mass))


def test_F07_numbers_beyond_all_doubles_that_are_computed_are_refused_when_code_is_made() -> None:
    assert "out of the range of a double" in refusal(lambda: moment(pendulum(as_expr(10) ** 400)))
    assert "too small for a double" in refusal(lambda: pendulum(Decimal("1e-400")))
    assert "out of the range of a double" in refusal(lambda: ph.from_sympy(sympy.Float("1e400")))


@pytest.mark.parametrize(
    "mass",
    [
        Decimal("3.14159265358979323846264338328"), 1e-300, 1.7976931348623157e308, 5e-324, Fraction(1e-300), 10**30,
        Fraction(10**40 + 1, 3**90), 0.1 + 0.2, np.float32(0.1), 2**200,
    ],
)  # fmt: skip
def test_F07_numbers_that_somebody_may_write_are_taken(mass: Any) -> None:
    assert float(as_expr(mass)) == pytest.approx(float(mass), rel=1e-7)


def shortest(a: int, b: int) -> int:
    """The larger entry of the shortest (x, y) with a·x ≡ y modulo b (Gauss' reduction)."""
    u, v = (1, a), (0, b)
    while True:
        if math.hypot(*u) > math.hypot(*v):
            u, v = v, u
        square = u[0] * u[0] + u[1] * u[1]
        times = (2 * (u[0] * v[0] + u[1] * v[1]) + square) // (2 * square)
        if not times:
            return max(map(abs, u))
        v = (v[0] - times * u[0], v[1] - times * u[1])


@pytest.mark.parametrize(("mass", "said"), [
    ("((1e300)/(2**0.5))**(1000)", "not a finite real number"),
    ("max(1, log(-1))", "log(-1) is not a finite real number"),
    ("sign(log(-1))", "log(-1) is not a finite real number"),
    ("min(1, asin(2))", "asin(2) is not a finite real number"),
    ("max(k, log(-1))", "log(-1) is not a finite real number"),
    ("k*sign(acos(3))", "acos(3) is not a finite real number"),
    ("abs(log(0))", "log(0) is not a finite real number"),
    ("atan2(log(0), log(0))", "log(0) is not a finite real number"),
    ("acos(1 + 1e-30)", "is not a finite real number"),
    ("tanh((-2)**0.3)", "pow(-2, 0.3) is not a finite real number"),
    ("min(1, sqrt(log(0.5)))", "sqrt(log(1/2)) is not a finite real number"),
    ("1/(log(2) + log(0.5))", "is not a finite real number"),
    ("exp(1000)", "this number is out of the range of a double"),
    ("exp(1)*1e308*10", "is out of the range of a double"),
    ("exp(exp(exp(exp(10))))", "is not a finite real number"), ("1/exp(exp(100))", "is not a finite real number"),
    ("1e-300*1e-300", "too small for a double"), ("((1 + 2**0.5)**999)**999", "is not a finite real number"),
])  # fmt: skip
def test_F26_a_constant_that_is_no_number_is_refused(mass: str, said: str) -> None:
    message = refusal(lambda: loads_yaml(model(mass)))
    assert said in message and "bodies.bob.mass" in message and len(message) < 1000


@pytest.mark.parametrize("make", [
    lambda: ph.maximum(1, ph.log(-1)), lambda: ph.sign(ph.log(-1)), lambda: ph.minimum(1, ph.asin(2)),
    lambda: 1 / (ph.log(2) + ph.log(Fraction(1, 2))),
])  # fmt: skip
def test_F26_such_a_constant_is_refused_in_python_when_it_is_computed(make: Callable[[], ph.Expr]) -> None:
    assert "is not a finite real number" in refusal(lambda: float(make()))
    assert "is not a finite real number" in refusal(lambda: pendulum(make()))


def test_F26_a_very_long_number_can_still_be_shown() -> None:
    long = as_expr(10) ** 4000 * as_expr(10) ** 4000 * ph.symbol("x")
    assert repr(long) == "2**26576*x" and "x" in ph.latex(long)


@pytest.mark.parametrize("text", ["1e301", "-1e308", "1e-301", "5e-324", "0e999", "1000000e300"])
def test_F26_a_text_is_taken_as_far_as_its_float_is(text: str) -> None:
    assert as_expr(text) is as_expr(float(text))


@pytest.mark.parametrize(("text", "said"), [
    ("1e309", "out of the range"), ("-1e99999", "out of the range"), ("1e-400", "too small"),
    ("1e-99999", "too small"),
])  # fmt: skip
def test_F26_a_text_beyond_the_range_of_a_double_is_told_as_such(text: str, said: str) -> None:
    with pytest.raises(ph.PolhodeError, match=said) as caught:
        as_expr(text)
    assert caught.value.problems[0].code == "E-EXPR-NUMBER"
