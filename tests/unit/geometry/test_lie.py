"""Twists and wrenches change frames so that their power does not, and are carried along in step."""

from polhode.expr import Vector, directional, same, symbol, symbols
from polhode.geometry import Pose, about, bracket
from polhode.geometry.lie import change_of_frame, dual_bracket

TWIST, OTHER, WRENCH = (Vector(symbols(" ".join(f"{name}{k}" for k in range(6)))) for name in "abf")


def test_frames_change_neither_power_nor_twists_there_and_back() -> None:
    X = Pose(about((0, 1, 0), symbol("q")) @ about((1, 0, 0), symbol("r")), Vector(symbols("x y z")))
    there = change_of_frame(X)
    assert same([(there @ TWIST).dot(WRENCH)], [TWIST.dot(there.T @ WRENCH)])
    X = Pose(about((0, 0, 1), symbol("q")), Vector(symbols("x y z")))
    assert same(change_of_frame(X.inverse()) @ (change_of_frame(X) @ TWIST), TWIST)
    q, u = symbols("q u")
    axis = Vector([0, 0, u, 0, 0, 0])
    seen = change_of_frame(Pose(about((0, 0, 1), q), Vector([0, 0, 0]))) @ TWIST
    assert same(directional(list(seen), {q: u}), -bracket(axis, seen))
    rate = bracket(TWIST, OTHER).dot(WRENCH) + OTHER.dot(dual_bracket(TWIST, WRENCH))
    assert same([rate], [rate * 0])
