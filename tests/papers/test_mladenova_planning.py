"""Mladenova, section 9.2: interpolation on SO(3) by cubics in the vector-parameter, (389)–(397) and the recursion."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph

RNG = np.random.default_rng(9)
W0, W1 = RNG.normal(size=(2, 3)) * 0.8


def hat(c: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), c)


def cayley(c: np.ndarray) -> np.ndarray:
    """(I + c×)(I - c×)⁻¹, which is (65)."""
    return (np.eye(3) + hat(c)) @ np.linalg.inv(np.eye(3) - hat(c))


def turn(angle: float, seed: int) -> np.ndarray:
    axis = np.random.default_rng(seed).normal(size=3)
    return Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()


def two_point(O0: np.ndarray, O1: np.ndarray, w0: np.ndarray, w1: np.ndarray) -> tuple[np.ndarray, ...]:
    """x, y, z of (390), from (392), (395)–(397)."""
    between = O0.T @ O1
    f_hat = (between - between.T) / (1 + np.trace(between))  # (392)
    f = f_hat[[2, 0, 1], [1, 2, 0]]
    z = w0 / 2  # (395)
    end = (1 + f @ f) / 2 * np.linalg.inv(np.eye(3) - f_hat) @ w1  # (394)
    x = end + z - 2 * f  # from (396) and (397)
    return x, f - z - x, z


def test_389_needs_its_factors_exchanged():
    O0, O1 = turn(1.0, 1), turn(2.0, 2)
    c = sum(two_point(O0, O1, W0, W1))
    printed = O0 @ (np.eye(3) - hat(c)) @ np.linalg.inv(np.eye(3) + hat(c))
    assert np.abs(O0 @ cayley(c) - O1).max() < 1e-14
    assert np.abs(printed - O1).max() > 0.1


def test_390_to_397_are_the_spline_of_two_knots():
    O0, O1 = turn(1.0, 1), turn(2.0, 2)
    x, y, z = two_point(O0, O1, W0, W1)
    curve = ph.RotationSpline([0, 1], [O0, O1], start=W0, end=W1, chart="vector")
    for t in np.linspace(0, 1, 9):
        assert np.abs(curve(t).R - O0 @ cayley(((x * t + y) * t + z) * t)).max() < 1e-14
    assert np.allclose(curve.coefficients, [[x], [y], [z]], atol=1e-14)
    again = ph.RotationSpline.from_coefficients([0, 1], O0, [x], [y], [z])
    assert np.abs(again(1).R - O1).max() < 1e-14 and np.allclose(again(1).w, W1)


def test_393_and_394_are_the_rates_of_body_angular_velocities():
    O0, O1 = turn(1.0, 1), turn(2.0, 2)
    curve = ph.RotationSpline([0, 1], [O0, O1], start=W0, end=W1, chart="vector")
    for t, w in ((0.0, W0), (1.0, W1)):
        step = 1e-6 if t == 0 else -1e-6
        spin = curve(t).R.T @ (curve(t + step).R - curve(t).R) / step
        assert np.allclose(spin[[2, 0, 1], [1, 2, 0]], w, atol=1e-4)


def recursion(t, knots, w0, wdot0, *, corrected=True):
    """The multiple-point algorithm: x, y, z of every segment."""
    between = np.swapaxes(knots[:-1], 1, 2) @ knots[1:]
    skew = (between - np.swapaxes(between, 1, 2)) / (1 + np.trace(between, axis1=1, axis2=2))[:, None, None]
    f = skew[:, [2, 0, 1], [1, 2, 0]]
    h = np.diff(t) if corrected else np.ones(len(f))
    z, y = h[0] * w0 / 2, h[0] ** 2 * wdot0 / (4 if corrected else 2)
    x = f[0] - z - y
    found = [(x, y, z)]
    for i in range(1, len(f)):
        w = f[i - 1] if corrected else f[i]
        ratio = h[i] / h[i - 1]
        v, u = (3 * x + 2 * y + z) * ratio, (6 * x + 2 * y) * ratio**2
        z = (v - np.cross(w, v)) / (1 + w @ w)
        y = (u - np.cross(w, u) - 2 * (w @ v) * z) / (2 * (1 + w @ w))
        x = f[i] - z - y
        found.append((x, y, z))
    return found


def _small_knots(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    turns = Rotation.from_rotvec(rng.normal(size=(count, 3)) * 0.25)
    knots = [Rotation.identity()]
    for each in turns:
        knots.append(knots[-1] * each)
    return np.concatenate([[0], np.cumsum(rng.uniform(0.5, 1.5, count))]), Rotation.concatenate(knots).as_matrix()


def test_the_corrected_recursion_follows_the_spline_that_solves_for_all_knots_together():
    t, knots = _small_knots(6)
    curve = ph.RotationSpline(t, knots, chart="vector")
    start = curve(t[0])
    started = ph.RotationSpline(t, knots, start=start.w, start_acceleration=start.wdot, chart="vector")
    assert np.allclose(np.swapaxes(started.coefficients, 0, 1), recursion(t, knots, start.w, start.wdot), atol=1e-12)
    for k, (x, y, z) in enumerate(recursion(t, knots, start.w, start.wdot)):
        s = 0.37
        there = knots[k] @ cayley(((x * s + y) * s + z) * s)
        assert np.abs(curve(t[k] + s * (t[k + 1] - t[k])).R - there).max() < 1e-9


def test_the_recursion_as_printed_jumps():
    t, knots = _small_knots(6)
    start = ph.RotationSpline(t, knots, chart="vector")(t[0])
    (x, y, z), (_, _, later) = recursion(t, knots, start.w, start.wdot, corrected=False)[:2]
    c = x + y + z
    h = np.diff(t)
    end = 2 / (1 + c @ c) * ((3 * x + 2 * y + z) - np.cross(c, 3 * x + 2 * y + z)) / h[0]
    assert np.abs(end - 2 * later / h[1]).max() > 0.1


def test_errors_of_the_recursion_grow_by_two_and_the_root_of_three_a_knot():
    t, knots = np.arange(13.0), _small_knots(12)[1]
    curve = ph.RotationSpline(t, knots, chart="vector")
    start = curve(t[0])
    exact = recursion(t, knots, start.w, start.wdot)
    off = recursion(t, knots, start.w, start.wdot + 1e-9)
    error = np.array([np.linalg.norm(b[2] - a[2]) for a, b in zip(exact, off, strict=True)])
    growth = (error[9] / error[3]) ** (1 / 6)
    assert growth == pytest.approx(2 + np.sqrt(3), rel=0.1)


@pytest.mark.parametrize(("angle", "least", "most"), [(0.5, 1.0005, 1.003), (1.5, 1.03, 1.15), (2.5, 1.5, 3.0)])
def test_its_acceleration_is_near_the_least_for_small_turns_only(angle, least, most):
    """ "Can be viewed as an approximation to a minimum angular acceleration trajectory", from rest to rest."""
    knots = [np.eye(3), turn(angle, 3)]
    ends = {"start": (0, 0, 0), "end": (0, 0, 0)}
    paper, ours, best = (
        ph.RotationSpline([0, 1], knots, **ends, **options).effort(40)
        for options in ({"chart": "vector"}, {}, {"least": "acceleration"})
    )
    assert least < paper / best < most
    assert 1 <= ours / best < 1.01
