"""Twists and wrenches: the power is the same about any point and in any frame."""

from polhode.expr import Vector, same, symbol, symbols
from polhode.geometry import about
from polhode.geometry.lie import change_of_frame
from polhode.geometry.pose import Pose
from polhode.geometry.twist import Twist, Wrench

TWIST = Twist(Vector(symbols("wx wy wz")), Vector(symbols("vx vy vz")))
WRENCH = Wrench(Vector(symbols("nx ny nz")), Vector(symbols("fx fy fz")))
R, P = about(Vector([0, 1, 0]), symbol("a")), Vector(symbols("px py pz"))


def test_power_depends_on_neither_point_nor_frame() -> None:
    power = WRENCH.power(TWIST)
    assert same([WRENCH.about(-P).power(TWIST.at(P))], [power])
    assert same([WRENCH.turned(R).power(TWIST.turned(R))], [power])
    assert same(TWIST.at(P).turned(R.T).six, change_of_frame(Pose(R, P)) @ TWIST.six)
    assert same((TWIST + TWIST - TWIST * 3).six, -TWIST.six) and Twist.of(TWIST.six) == TWIST
    assert not any(Wrench.zero().six)
