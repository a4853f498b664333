"""Axes of a chain as lines."""

from polhode.expr import Vector, as_expr, symbol
from polhode.inverse_kinematics.closed_form.arms import Axis


def test_lines_meet_in_a_point_of_both() -> None:
    l = symbol("l", "parameter")
    along_x = Axis(Vector([1, 0, 0]), Vector([as_expr(-3), l, as_expr(0)]))
    along_y = Axis(Vector([0, 1, 0]), Vector([2 * l, as_expr(7), as_expr(0)]))
    assert along_x.meets(along_y)
    assert tuple(along_x.meeting(along_y)) == tuple(along_y.meeting(along_x)) == (2 * l, l, 0)
    assert all(each.passes(along_x.meeting(along_y)) for each in (along_x, along_y))
