from __future__ import annotations

from polhode.expr import Expr, as_expr, cos, is_zero, sin, symbols
from polhode.geometry.vector_fields import bracket, independent, is_involutive, lie_derivative, spread

x, y, h, p = symbols("x y h p")
CAR = [x, y, h, p]
DRIVE = [cos(h), sin(h), sin(p) / cos(p), as_expr(0)]
STEER = [as_expr(0), as_expr(0), as_expr(0), as_expr(1)]


def added(*fields: list[Expr]) -> list[Expr]:
    return [as_expr(sum(entries[1:], entries[0])) for entries in zip(*fields, strict=True)]


def test_a_bracket_is_the_difference_of_lie_derivatives_taken_in_both_orders() -> None:
    value = x * sin(h) + y * p * p
    (first,) = lie_derivative([value], STEER, CAR)
    (second,) = lie_derivative([value], DRIVE, CAR)
    both = lie_derivative([first], DRIVE, CAR)[0] - lie_derivative([second], STEER, CAR)[0]
    assert lie_derivative([value], bracket(DRIVE, STEER, CAR), CAR) == [both]


def test_brackets_obey_jacobis_identity() -> None:
    third = [y, x * h, p, sin(x)]
    turns = [(DRIVE, STEER, third), (STEER, third, DRIVE), (third, DRIVE, STEER)]
    made = [bracket(X, bracket(Y, Z, CAR), CAR) for X, Y, Z in turns]
    assert all(is_zero(entry) for entry in added(*made))


def test_a_car_is_led_everywhere_by_two_more_brackets() -> None:
    found = spread([DRIVE, STEER], [DRIVE, STEER], CAR, 4, 8)
    assert found.growth == (2, 3, 4) and found.is_complete


def test_levels_that_run_out_are_told() -> None:
    found = spread([DRIVE, STEER], [DRIVE, STEER], CAR, 4, 2)
    assert found.growth == (2, 3) and not found.is_complete


def test_drift_leads_from_inputs_along_a_chain_of_integrators() -> None:
    drift = [y, h, p, as_expr(0)]
    found = spread([drift], [STEER], CAR, 4, 4)
    assert found.growth == (1, 2, 3, 4)


def test_fields_that_others_span_are_left_out() -> None:
    assert independent([DRIVE], [[entry * x for entry in DRIVE], STEER]) == [STEER]


def test_involutive_fields_have_their_brackets_among_them() -> None:
    assert not is_involutive([DRIVE, STEER], CAR)
    assert is_involutive([[x, y, as_expr(0), as_expr(0)], [-y, x, as_expr(0), as_expr(0)]], CAR)
