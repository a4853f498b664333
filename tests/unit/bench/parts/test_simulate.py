"""Curves of work and precision: how ours is compared with a peer at its errors."""

import math

import pytest

pytest.importorskip("heyoka")

from bench.parts.simulate import Curve, Point, compared


def curve(engine: str, *points: tuple[float, float]) -> Curve:
    return Curve("arm", engine, tuple(Point(0.0, *point) for point in points), 1e-12)


def test_curves_are_compared_where_both_have_points() -> None:
    ours = curve("polhode", (1e-7, 1e-3), (1e-10, 3e-3))
    peer = curve("peer", (1e-6, 4e-3), (1e-9, 6e-3))
    assert compared(ours, peer) == (1e-9, 3e-3, 6e-3)
    ours = curve("polhode", (1e-13, 1e-3))
    peer = curve("peer", (1e-5, 1e-9), (1e-8, 2e-3), (5e-12, 1e-9))
    assert compared(ours, peer) == (1e-8, 1e-3, 2e-3)
    found = compared(curve("polhode", (1e-7, 1e-3)), curve("peer", (1e-9, 1e-3)))
    assert found is not None and math.isinf(found[1])
    assert compared(curve("polhode", (1e-7, 1e-3)), curve("peer")) is None
    ours = curve("polhode", (1e-10, 1e-3))
    peer = Curve("arm", "peer", (Point(1e-6, 1e-7, 1e-3), Point(1e-9, 1e-9, 5e-3)), 1e-12)
    assert compared(ours, peer, 1e-9) == (1e-9, 1e-3, 5e-3)
