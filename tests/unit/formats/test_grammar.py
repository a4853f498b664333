"""The grammar of expressions: what it reads, what it refuses, and how it says so."""

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

from polhode.errors import PolhodeError
from polhode.expr import Expr, as_expr, cos, evaluate, pi, sin, sqrt, symbol
from polhode.formats.grammar import LENGTH_LIMIT, parse
from polhode.formats.names import Scope, quoted
from polhode.formats.spelling import describe_rotation, spell
from polhode.geometry import rotation

X, Y = symbol("x", "parameter"), symbol("y", "parameter")
SCOPE = Scope({"parameter": {"x": X, "y": Y}})


def refusal(text: str, scope: Scope = SCOPE) -> str:
    return refused("", lambda: parse(text, scope))


@pytest.mark.parametrize(("text", "value"), [
    ("0.1", Fraction(1, 10)), ("1e-3", Fraction(1, 1000)), (".5", Fraction(1, 2)), ("5.", 5), ("1.25E2", 125),
    ("2 + 3*4", 14), ("2*3 - 4 - 5", -3), ("12/2/3", 2), ("-2**2", -4), ("2**3**2", 512), ("2**-2", Fraction(1, 4)),
    ("2**-1*4", 2), ("2*-3 + 1", -5), ("--3", 3), ("+(1)", 1), ("((2))*(3)", 6), (" 1\t+\n2 ", 3), ("sqrt(16)", 4),
    ("abs(-3)", 3),
])  # fmt: skip
def test_arithmetic_is_exact_and_binds_as_usual(text: str, value: int | Fraction) -> None:
    assert parse(text, SCOPE) is as_expr(value)


@pytest.mark.parametrize(("text", "wanted"), [
    ("x*sin(y) + pi/2", X * sin(Y) + pi / 2), ("-x**2", -(X**2)), ("x**0.5", sqrt(X)),
    ("cos(x)**2 + sin(x)**2", as_expr(1)), ("(x + y)*(x - y)", X**2 - Y**2),
])  # fmt: skip
def test_names_and_functions_give_the_same_function(text: str, wanted: Expr) -> None:
    assert parse(text, SCOPE) == wanted


def test_names_functions_and_arguments_keep_their_meaning() -> None:
    point = {X: 3.0, Y: -4.0}
    values = evaluate([parse(text, SCOPE) for text in ("atan2(x, y)", "min(x, y)", "max(x, 2*(y + 1))")], point)
    assert values == [math.atan2(3, -4), -4.0, 3.0]
    assert parse("+".join(["x"] * 5000), SCOPE) == 5000 * X and parse("-" * 5000 + "x", SCOPE) == X
    assert parse("(" * 100 + "x" + ")" * 100, SCOPE) is X


@pytest.mark.parametrize(("text", "said"), [
    ("", "nothing here"), ("   ", "nothing here"), ("1 +", "stops where a value should follow"),
    ("* 2", "a value should stand here, not '*' (character 1"), ("(1 + 2", "never closed (character 1"),
    ("1 + 2)", "no parenthesis to close (character 6"), ("()", "a value should stand here"),
    ("1,5", "a comma cannot stand here (character 2"), ("1.5m", "operator is missing before 'm' (character 4"),
    ("0x10", "operator is missing before 'x10'"), ("2 x", "operator is missing before 'x'"),
    ("(x)(y)", "operator is missing before '('"), ("x^2", "Write ** for a power"), ("nan", "not a finite number"),
    ("-inf", "not a finite number"), (".inf", "has no meaning here"), ("yes", "not a number"),
    ("1e999", "out of the range of a double"), ("1e-999", "too small for a double"),
    ("1e99999999", "out of the range of a double"), ("1/0", "identically zero"), ("sqrt(-1)", "not real"),
    ("sin(1, 2)", "sin takes 1 argument, not 2"), ("atan2(1)", "atan2 takes 2 arguments, not 1"),
    ("sine(1)", "Did you mean sin"), ("z", "nothing called 'z'"), ("xx", "Did you mean x?"),
    ("__import__('os')", "has no meaning here"), ("__import__(os)", "no function '__import__'"),
    ("x.real", "has no meaning here"), ("[1]", "has no meaning here"), ("lambda: 1", "has no meaning here"),
    ("q(1 + 2)", "q(…) takes one name"), ("``", "has no meaning here"), ("\u0661", "has no meaning here"),
])  # fmt: skip
def test_what_is_wrong_is_said_with_its_position(text: str, said: str) -> None:
    assert said in refusal(text)


@pytest.mark.parametrize("text", [
    "9**9**9", "(9**999)**999", "10**400", "2**(10**6)", "*".join(["9**300"] * 1000), "(" * 100_000,
    "(" * 150 + "1" + ")" * 150, "sin(" * 150 + "1" + ")" * 150, "1" * 5000, "0." + "3" * 9000,
    "x" * (LENGTH_LIMIT + 1), "1+" * 6000 + "1",
])  # fmt: skip
def test_texts_without_bounds_are_refused(text: str) -> None:
    assert len(refusal(text)) < 500


HIP, HIP_RATE = symbol("hip", "coordinate"), symbol("hip", "speed")
T, PI = symbol("t", "parameter"), symbol("pi", "parameter")
NOW = symbol("t", "time")


def test_bare_names_are_coordinates_unless_ambiguous_or_declared() -> None:
    scope = Scope({"coordinate": {"hip": HIP}, "speed": {"hip": HIP_RATE, "w": symbol("w", "speed")}})
    assert parse("hip", scope) is HIP and parse("q(hip)", scope) is HIP and parse("u(hip)", scope) is HIP_RATE
    assert parse("w", scope) is symbol("w", "speed")
    scope = Scope({"parameter": {"hip": X}, "coordinate": {"hip": HIP}})
    assert "Write parameter(hip) or q(hip)." in refusal("hip", scope)
    assert parse("parameter(hip) - q(hip)", scope) == X - HIP
    scope = Scope({"parameter": {"t": T, "pi": PI}}, now=NOW)
    assert parse("t*pi", scope) == T * PI and parse("time()*pi()", scope) == NOW * pi
    assert parse("t", Scope(now=NOW)) is NOW and "nothing called 't'" in refusal("t", Scope())


@pytest.mark.parametrize("name", ["spring rate", "a`b", "2nd", "x;y", "in\nt", "*/", "../x", "Ω", "lambda", "sin", "q"])
def test_any_name_can_be_written(name: str) -> None:
    wanted = symbol(name, "parameter")
    scope = Scope({"parameter": {name: wanted}})
    assert parse(f"2*{quoted(name)}", scope) == 2 * wanted and parse(scope.spell(wanted), scope) is wanted


NUMBERS = [as_expr(Fraction(a, b)) for a in (-3, -1, 1, 2, 7) for b in (1, 2, 3)]
STEPS: list[Callable[[Expr, Expr], Expr]] = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b if b else a, lambda a, b: -a,
    lambda a, b: sin(a), lambda a, b: a * cos(b), lambda a, b: b - a**3,
]  # fmt: skip


@st.composite
def expressions(draw: st.DrawFn) -> Expr:
    """A few steps, each from two of the expressions that are already there."""
    made = [X, Y, pi, *NUMBERS]
    for _ in range(draw(st.integers(1, 8))):
        a, b = (made[draw(st.integers(0, len(made) - 1))] for _ in range(2))
        made.append(draw(st.sampled_from(STEPS))(a, b))
    return made[-1]


@given(expressions())
@settings(max_examples=200)
def test_a_spelled_expression_reads_back_as_the_same_form(wanted: Expr) -> None:
    assert parse(spell(wanted, SCOPE), SCOPE) is wanted


@pytest.mark.parametrize("angle", [X, -X, pi / 3, -pi / 2])
def test_a_turn_about_an_axis_is_written_by_its_angle(angle: Expr) -> None:
    letter, text = describe_rotation(rotation(("y", angle)), SCOPE)
    assert (letter, parse(text, SCOPE)) == ("y", angle)


def test_long_sums_are_written_and_endless_ones_refused() -> None:
    wave = as_expr(0)
    for k in range(300):
        wave = wave + sin(k * X)
    assert parse(spell(wave, SCOPE), SCOPE) is wave
    deep = X
    for _ in range(200):
        deep = sin(deep)
    refused("levels of parentheses", lambda: spell(deep, SCOPE))
    for _ in range(40):
        wave = sin(wave) + cos(wave)
    refused("10,000 characters", lambda: spell(wave, SCOPE))


@given(st.text(alphabet="xyzpiqust0123456789.eE+-*/^(),` \n", max_size=40))
@settings(max_examples=400)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse(text, SCOPE)
    except PolhodeError as error:
        assert str(error)
