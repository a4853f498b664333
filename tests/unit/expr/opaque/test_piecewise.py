"""Tables are the interpolants that SciPy knows, in values, derivatives and integrals, and go on outside as they say."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline, PchipInterpolator, RegularGridInterpolator, make_interp_spline

from polhode.errors import ModelError
from polhode.expr.opaque.table import KINDS, Table, checked

CHOOSE = np.random.default_rng(7)
X = np.cumsum(CHOOSE.uniform(0.1, 1.0, 9)) - 3
Y = CHOOSE.normal(size=9)
S = np.cumsum(CHOOSE.uniform(0.1, 1.0, 6)) - 1
Z = CHOOSE.normal(size=(9, 6))
INSIDE = np.linspace(X[0], X[-1], 57)
PEERS = {
    "linear": lambda x, y: make_interp_spline(x, y, k=1),
    "cubic": lambda x, y: CubicSpline(x, y, bc_type="natural"),
    "pchip": PchipInterpolator,
}


def derived(table: Table, *places: int) -> Table:
    for place in places:
        found = table.partial(place)
        assert found is not None
        table = found
    return table


@pytest.mark.parametrize("kind", PEERS)
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_a_table_of_one_variable_is_scipys_interpolant(kind: str, order: int) -> None:
    if kind == "linear" and order > 1:
        assert derived(checked(X, Y), 0).partial(0) is None
        return
    inside = INSIDE[:-1] + 1e-9  # off the knots, where a high derivative jumps
    found = derived(checked(X, Y, kind=kind), *[0] * order).over(inside)
    expected = PEERS[kind](X, Y).derivative(order)(inside) if order else PEERS[kind](X, Y)(inside)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_monotone_cubics_and_linear_tables_of_two_variables_are_scipys() -> None:
    for seed in range(60):
        choose = np.random.default_rng(seed)
        x = np.cumsum(choose.uniform(0.1, 2.0, 5))
        y = np.cumsum(choose.choice([-9, -1, 0, 0.1, 1, 5], 5))
        inside = np.linspace(x[0], x[-1], 41)
        expected = PchipInterpolator(x, y)
        np.testing.assert_allclose(checked(x, y, kind="pchip").over(inside), expected(inside), atol=1e-12)
    two = checked([0, 2], [1, 5], kind="pchip")
    assert [two.at(x) for x in (0.0, 0.5, 2.0)] == [1.0, 2.0, 5.0]
    points = np.stack([CHOOSE.uniform(X[0], X[-1], 80), CHOOSE.uniform(S[0], S[-1], 80)], axis=1)
    expected = RegularGridInterpolator((X, S), Z)(points)
    np.testing.assert_allclose(checked((X, S), Z).over(*points.T), expected, atol=1e-13)


@pytest.mark.parametrize("places", [(), (0,), (1,), (0, 1), (0, 0), (1, 1), (1, 1, 0)])
def test_a_cubic_table_of_two_variables_is_a_spline_of_splines(places: tuple[int, ...]) -> None:
    table = derived(checked((X, S), Z, kind="cubic"), *places)
    for x, y in zip(CHOOSE.uniform(X[0], X[-1], 20), CHOOSE.uniform(S[0], S[-1], 20), strict=True):
        across = CubicSpline(S, Z, axis=1, bc_type="natural")(y, places.count(1))
        expected = CubicSpline(X, across, bc_type="natural")(x, places.count(0))
        assert table.at(x, y) == pytest.approx(expected, rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("kind", ["linear", "cubic"])
@pytest.mark.parametrize("outside", ["hold", "line"])
def test_derivatives_are_the_slopes_that_small_steps_find_inside_and_outside(kind: str, outside: str) -> None:
    table = checked((X, S), Z, kind=kind, outside=outside)
    h = 1e-6
    for x in (X[0] - 0.7, X[2] + 0.05, X[-1] + 0.3):
        for y in (S[0] - 0.2, S[3] + 0.04, S[-1] + 0.9):
            by_x = (table.at(x + h, y) - table.at(x - h, y)) / (2 * h)
            by_y = (table.at(x, y + h) - table.at(x, y - h)) / (2 * h)
            assert derived(table, 0).at(x, y) == pytest.approx(by_x, rel=1e-6, abs=1e-6)
            assert derived(table, 1).at(x, y) == pytest.approx(by_y, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("kind", PEERS)
def test_outside_holds_goes_on_straight_or_ends(kind: str) -> None:
    hold, line, error = (checked(X, Y, kind=kind, outside=way) for way in ("hold", "line", "error"))
    for end, y, step in ((X[0], Y[0], -2.0), (X[-1], Y[-1], 3.0)):
        assert hold.at(end + step) == pytest.approx(y) and derived(hold, 0).at(end + step) == 0.0
        slope = derived(line, 0).at(end)
        assert line.at(end + step) == pytest.approx(y + slope * step)
        assert math.isnan(error.at(end + step)) and math.isnan(derived(error, 0).at(end + step))
        assert error.at(end) == pytest.approx(y), "the ends belong to the table"
        assert math.isfinite(derived(error, 0).at(end))


def test_held_values_have_no_slope_and_derivatives_of_a_table_that_ends_end() -> None:
    table = checked([0, 1, 3], [5, -2, 7], kind="held")
    assert [table.at(x) for x in (-1.0, 0.0, 0.999, 1.0, 2.9, 3.0, 99.0)] == [5.0, 5.0, 5.0, -2.0, -2.0, 7.0, 7.0]
    assert table.over(np.array([0.5, 1.0, 3.0])).tolist() == [5.0, -2.0, 7.0] and table.partial(0) is None
    assert checked([2], [4], kind="held").at(17.0) == 4.0
    ends = checked([0, 1, 3], [5, -2, 7], kind="held", outside="error")
    assert [ends.at(x) for x in (0.0, 3.0, 5.0)] == [5.0, 7.0, 7.0], "the last value lasts as long as the one before"
    assert math.isnan(ends.at(5.1)) and math.isnan(ends.at(-0.1))
    table: Table | None = checked(X, Y, kind="cubic", outside="error")
    while table is not None:
        assert math.isnan(table.at(X[-1] + 1.0)) and math.isfinite(table.at(X[1] + 0.01))
        table = table.partial(0)
    flat = checked([0, 1], [2, 2])
    assert math.isnan(flat.at(math.nan)) and math.isnan(derived(flat, 0).at(math.nan))
    assert np.isnan(flat.over(np.array([math.nan, 0.5]))).tolist() == [True, False]
    two = derived(checked(([0, 1], [0, 1]), [[1, 1], [1, 1]]), 0)
    assert math.isnan(two.at(0.5, math.nan)) and math.isnan(two.at(math.nan, 0.5))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("outside", ["hold", "line"])
def test_the_antiderivative_is_the_area_from_the_first_point_on(kind: str, outside: str) -> None:
    table = checked(X, CHOOSE.normal(size=(8, 5)) if kind == "polynomial" else Y, kind=kind, outside=outside)
    whole = table.integral()
    for x in (X[0] - 1.0, X[0], X[3] + 0.1, X[-1], X[-1] + 0.8):
        low, high = sorted((float(X[0]), float(x)))
        area = quad(table.at, low, high, points=[t for t in X if low < t < high], limit=200)[0]
        assert whole.at(x) == pytest.approx(math.copysign(area, area * (x - X[0])) if area else 0.0, abs=1e-9)
    assert whole.partial(0) == table and derived(whole, 0).digest == table.digest


def test_given_polynomials_are_those_of_scipy_with_all_their_derivatives() -> None:
    peer = CubicSpline(X, Y)
    table: Table | None = checked(X, peer.c[::-1].T, kind="polynomial", outside="line")
    assert table is not None and (table.points.degree, table.points.smoothness) == (3, 2)
    assert checked(X, peer.c[::-1].T.ravel(), kind="polynomial", outside="line").digest == table.digest
    inside = np.sort(CHOOSE.uniform(X[0], X[-1], 40))
    np.testing.assert_allclose(table.at(X[-1] + 2), peer(X[-1]) + 2 * peer(X[-1], 1), rtol=1e-12)
    for order in range(4):
        np.testing.assert_allclose(table.over(inside), peer(inside, order), rtol=1e-9, atol=1e-9)
        table = table.partial(0)
    assert table is None
    jumps = checked([0, 1, 2], [[0, 1], [2, 1]], kind="polynomial")
    bends = checked([0, 1, 2], [[0, 1, 0], [1, 2, 3]], kind="polynomial")
    assert (jumps.points.smoothness, bends.points.smoothness) == (-1, 0)


@pytest.mark.parametrize("y", [[1, 2, 3], [[1, 2], [1]], [[1], [2]], [], [["a", 1], [1, 2]], 3])
def test_coefficients_are_as_many_numbers_for_each_interval(y: Any) -> None:
    with pytest.raises(ModelError, match=r"not as many for each|not a finite number|not a list"):
        checked([0, 1, 2], y, kind="polynomial")


def test_one_point_and_many_points_are_read_alike() -> None:
    for table in (checked(X, Y, kind="pchip"), checked((X, S), Z, kind="cubic", outside="line")):
        points = [CHOOSE.uniform(-6, 6, 50) for _ in range(table.arity)]
        expected = [table.at(*map(float, point)) for point in zip(*points, strict=True)]
        np.testing.assert_allclose(table.over(*points), expected, rtol=1e-14, atol=1e-14)
    table = checked((X, S), Z)
    grid = table.over(X[:, None], S[None, :])
    np.testing.assert_allclose(grid, Z, atol=1e-14)
    table = checked(X, Y, name="a")
    assert table.digest == checked(X.tolist(), tuple(Y), name="b").digest
    others = [
        checked(X, -Y), checked(X + 1, Y), checked(X, Y, kind="pchip"), checked(X, Y, outside="line"),
        table.integral(), derived(table, 0), checked(([0, 1], [0, 1, 2]), np.zeros((2, 3))),
        checked(([0, 1, 2], [0, 1]), np.zeros((3, 2))),
    ]  # fmt: skip
    assert len({table.digest, *(each.digest for each in others)}) == 1 + len(others)
