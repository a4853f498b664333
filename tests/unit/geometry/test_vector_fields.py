from polhode.expr import Expr, as_expr, cos, is_zero, sin, symbols
from polhode.geometry.vector_fields import bracket, independent, is_involutive, lie_derivative, spread

x, y, h, p = symbols("x y h p")
CAR = [x, y, h, p]
DRIVE = [cos(h), sin(h), sin(p) / cos(p), as_expr(0)]
STEER = [as_expr(0), as_expr(0), as_expr(0), as_expr(1)]


def added(*fields: list[Expr]) -> list[Expr]:
    return [as_expr(sum(entries[1:], entries[0])) for entries in zip(*fields, strict=True)]


def test_brackets_are_differences_obey_jacobi_and_lead_a_car_everywhere() -> None:
    value = x * sin(h) + y * p * p
    (first,) = lie_derivative([value], STEER, CAR)
    (second,) = lie_derivative([value], DRIVE, CAR)
    both = lie_derivative([first], DRIVE, CAR)[0] - lie_derivative([second], STEER, CAR)[0]
    assert lie_derivative([value], bracket(DRIVE, STEER, CAR), CAR) == [both]
    third = [y, x * h, p, sin(x)]
    turns = [(DRIVE, STEER, third), (STEER, third, DRIVE), (third, DRIVE, STEER)]
    made = [bracket(X, bracket(Y, Z, CAR), CAR) for X, Y, Z in turns]
    assert all(is_zero(entry) for entry in added(*made))
    found = spread([DRIVE, STEER], [DRIVE, STEER], CAR, 4, 8)
    assert found.growth == (2, 3, 4) and found.is_complete
    found = spread([DRIVE, STEER], [DRIVE, STEER], CAR, 4, 2)
    assert found.growth == (2, 3) and not found.is_complete
    drift = [y, h, p, as_expr(0)]
    found = spread([drift], [STEER], CAR, 4, 4)
    assert found.growth == (1, 2, 3, 4)
    assert independent([DRIVE], [[entry * x for entry in DRIVE], STEER]) == [STEER]
    assert not is_involutive([DRIVE, STEER], CAR)
    assert is_involutive([[x, y, as_expr(0), as_expr(0)], [-y, x, as_expr(0), as_expr(0)]], CAR)
