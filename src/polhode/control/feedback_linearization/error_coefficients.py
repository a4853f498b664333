"""The linear equations that errors of outputs obey: coefficients by their poles, or as they are given.

    e^(r) + k_(r-1) e^(r-1) + … + k₁ ė + k₀ e = 0,     e = y_ref - y

The coefficients are parameters of the law, so that they are changed without a new derivation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from ...errors import PolhodeError, shown, understood, unknown
from ...expr import Expr, as_expr, latex, symbol
from ...expr.spelling import latex_name
from ...model.reading import number_of
from ...model.records import Parameter

#: Where the poles are if neither they nor gains are given, in 1/s.
USUAL_POLES = -5


@dataclass(frozen=True, eq=False)
class ErrorCoefficients:
    """For each output k₀ … k_(r-1), and the parameters in them."""

    coefficients: tuple[tuple[Expr, ...], ...]
    parameters: Mapping[str, Parameter]


def error_coefficients(
    names: Sequence[str],
    degrees: Sequence[int],
    poles: Any = None,
    gains: Any = None,
    place: str = "feedback_linearize",
) -> ErrorCoefficients:
    """Coefficients by poles, or as given: one number or list for all outputs, or by their names.

    >>> made = error_coefficients(["x"], [2], poles=-3)
    >>> made.coefficients, {name: float(each.value) for name, each in made.parameters.items()}
    (((lambda**2, 2*lambda),), {'lambda': 3.0})
    >>> made = error_coefficients(["x"], [2], poles=[-1 + 2j, -1 - 2j])
    >>> {name: float(each.value) for name, each in made.parameters.items()}
    {'k0': 5.0, 'k1': 2.0}
    """
    if poles is not None and gains is not None:
        raise PolhodeError(
            "poles and gains are both given.", place=place, cure="Give one of them.", code="E-FEEDBACK-001"
        )
    given, read = (gains, _from_gains) if gains is not None else (USUAL_POLES if poles is None else poles, _from_poles)
    if not isinstance(given, Mapping):
        given, shared = dict.fromkeys(names, given), True
    else:
        shared = False
    for name in given:
        if name not in names:
            raise unknown("output", name, names, place=place, code="E-FEEDBACK-002")
    rows: list[tuple[Expr, ...]] = []
    table: dict[str, Parameter] = {}
    for name, degree in zip(names, degrees, strict=True):
        if name not in given:
            raise PolhodeError(
                f"nothing is said of '{name}'.", place=place, cure="Give an entry for each output.",
                code="E-FEEDBACK-003",
            )  # fmt: skip
        row, own = read(given[name], degree, "" if shared else f"_{name}", f"{place} of '{name}'")
        rows.append(row)
        table |= own
    return ErrorCoefficients(tuple(rows), table)


def error_equation(coefficients: Sequence[Expr], name: str = "") -> tuple[str, str]:
    r"""The linear equation with these coefficients, k₀ first, in text and in LaTeX.

    >>> text, typeset = error_equation([symbol("k0", "parameter"), 2 * symbol("lambda", "parameter")], "x")
    >>> print(text, typeset, sep="\n")
    e_x'' + 2*lambda e_x' + k0 e_x = 0
    \ddot{e}_{x} + 2 \lambda \, \dot{e}_{x} + k_{0} \, e_{x} = 0
    """
    own, index = (f"e_{name}", f"_{{{latex_name(name)}}}") if name else ("e", "")
    degree = len(coefficients)
    text, typeset = [own + "'" * degree], [_rate_latex(degree) + index]
    for order, k in reversed([*enumerate(coefficients)]):
        text.append(f"{_factor(str(k))} {own}" + "'" * order)
        typeset.append(rf"{_factor(latex(k))} \, {_rate_latex(order)}{index}")
    return f"{' + '.join(text)} = 0", f"{' + '.join(typeset)} = 0"


def _factor(text: str) -> str:
    return f"({text})" if " + " in text or " - " in text or text.startswith("-") else text


def _rate_latex(order: int) -> str:
    return "e" if not order else rf"\{'d' * order}ot{{e}}" if order <= 4 else f"e^{{({order})}}"


def _from_poles(given: Any, degree: int, mark: str, place: str) -> tuple[tuple[Expr, ...], dict[str, Parameter]]:
    if np.ndim(given) == 0:
        value = -_exact(given, place)
        _check_stable([complex(-value)], place)
        rate = Parameter(symbol(f"lambda{mark}", "parameter"), value, "1/s")
        row = tuple(as_expr(comb(degree, j) * rate.symbol ** (degree - j)) for j in range(degree))
        return row, {rate.symbol.name: rate}
    with understood("a list of poles", given, place=place, cure="Give a number, or one for each order."):
        poles = [complex(each) for each in given]
    _check_count(len(poles), degree, "poles", place)
    _check_stable(poles, place)
    return _named(_polynomial(list(given), poles, place), mark)


def _from_gains(given: Any, degree: int, mark: str, place: str) -> tuple[tuple[Expr, ...], dict[str, Parameter]]:
    with understood("a list of gains", given, place=place, cure="Give k0, k1, …: one for each order below the degree."):
        values = [_exact(each, place) for each in given]
    _check_count(len(values), degree, "gains", place)
    _check_stable([complex(each) for each in np.roots([1.0, *(float(each) for each in reversed(values))])], place)
    return _named(values, mark)


def _named(values: Sequence[Fraction], mark: str) -> tuple[tuple[Expr, ...], dict[str, Parameter]]:
    made = [Parameter(symbol(f"k{j}{mark}", "parameter"), value) for j, value in enumerate(values)]
    return tuple(each.symbol for each in made), {each.symbol.name: each for each in made}


def _polynomial(given: Sequence[Any], poles: Sequence[complex], place: str) -> list[Fraction]:
    """The coefficients below the leading one, exactly: real poles by themselves, others with their conjugates."""
    made = [Fraction(1)]
    waiting = list(range(len(poles)))
    while waiting:
        k = waiting.pop(0)
        if poles[k].imag == 0:
            real = given[k].real if isinstance(given[k], complex) else given[k]
            factor = [-_exact(real, place), Fraction(1)]
        else:
            partner = next((j for j in waiting if poles[j] == poles[k].conjugate()), None)
            if partner is None:
                raise PolhodeError(
                    f"the pole {poles[k]} comes without its conjugate.",
                    place=place,
                    cure="Give complex poles in conjugate pairs.",
                    code="E-FEEDBACK-004",
                )
            waiting.remove(partner)
            a, b = Fraction(poles[k].real), Fraction(poles[k].imag)
            factor = [a * a + b * b, -2 * a, Fraction(1)]
        product = [Fraction(0)] * (len(made) + len(factor) - 1)
        for i, x in enumerate(made):
            for j, y in enumerate(factor):
                product[i + j] += x * y
        made = product
    return made[:-1]


def _exact(value: Any, place: str) -> Fraction:
    made = number_of(value, place)
    if not made.is_number or not np.isfinite(float(made.data)):
        raise PolhodeError(f"{shown(value)} is not a number.", place=place, cure="Give one.", code="E-FEEDBACK-005")
    return Fraction(made.data)


def _check_count(count: int, degree: int, what: str, place: str) -> None:
    if count != degree:
        raise PolhodeError(
            f"{count} {what} are given, and the output has relative degree {degree}.",
            place=place,
            cure=f"Give {degree} of them.",
            code="E-FEEDBACK-006",
        )


def _check_stable(poles: Sequence[complex], place: str) -> None:
    unstable = [each for each in poles if not each.real < 0]
    if unstable:
        told = f"{unstable[0].real:g}" if not unstable[0].imag else f"{unstable[0]:g}"
        raise PolhodeError(
            f"errors would not decay: a pole is at {told}.",
            place=place,
            cure="Give poles with negative real parts, or gains that lead to such.",
            code="E-FEEDBACK-007",
        )
