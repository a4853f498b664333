"""The native sine and cosine: coefficients found again from scratch, and errors counted in units of the last place."""

import math
from collections.abc import Callable
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from polhode.codegen.ir.program import Array, Instruction, Output, Program
from polhode.codegen.llvm.sincos import COSINE, HALF_PI, LIMIT, SINE
from polhode.native import compile_program, engine
from polhode.native.compiled import Compiled

Real = Callable[[mpmath.mpf], mpmath.mpf]


@pytest.fixture(scope="module")
def sincos() -> Compiled:
    code = (Instruction("sin", (0,)), Instruction("cos", (0,)))
    return compile_program(
        Program("circle", (Array("q", 1),), 0, (), (), code, (Output("y", (2,), (1, 2)),)), cache=False
    )


def remez(f: Real, weight: Real, low: mpmath.mpf, high: mpmath.mpf, count: int) -> tuple[list[mpmath.mpf], mpmath.mpf]:
    """Coefficients of the polynomial p with `count` terms that makes max |weight (p − f)| least, and that maximum."""
    points = [
        (low + high) / 2 - (high - low) / 2 * mpmath.cos(mpmath.pi * (k + 0.5) / (count + 1)) for k in range(count + 1)
    ]
    step = (high - low) / 200
    for _ in range(12):
        rows = [[x**j for j in range(count)] + [(-1) ** i / weight(x)] for i, x in enumerate(points)]
        solved = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix([f(x) for x in points]))
        terms, level = list(solved[:count]), abs(solved[count])

        def error(x: mpmath.mpf, terms: list[mpmath.mpf] = terms) -> mpmath.mpf:
            return weight(x) * (mpmath.polyval(terms[::-1], x) - f(x))

        peaks: list[tuple[mpmath.mpf, mpmath.mpf]] = []
        for k in range(201):
            x = low + k * step
            e = error(x)
            if peaks and (peaks[-1][1] > 0) == (e > 0):
                peaks[-1] = max(peaks[-1], (x, e), key=lambda peak: abs(peak[1]))
            else:
                peaks.append((x, e))
        points = [_summit(lambda x: abs(error(x)), max(low, x - step), min(high, x + step)) for x, _ in peaks]
        while len(points) > count + 1:
            points.pop(0 if abs(error(points[0])) < abs(error(points[-1])) else -1)
        largest = max(abs(error(x)) for x in points)
        if largest < level * (1 + mpmath.mpf(10) ** -7):
            break
    return terms, largest


def _summit(f: Real, low: mpmath.mpf, high: mpmath.mpf) -> mpmath.mpf:
    for _ in range(50):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (a, high) if f(a) < f(b) else (low, b)
    return (low + high) / 2


@pytest.mark.parametrize("which", ["sine", "cosine"])
def test_the_coefficients_are_the_minimax_ones(which: str) -> None:
    root = mpmath.sqrt
    with mpmath.workprec(200):
        high = (mpmath.pi / 4 * mpmath.mpf("1.0001")) ** 2
        if which == "sine":
            # sin r = r + r³ S(z), z = r²
            kept, bits = SINE, -57.9
            terms, error = remez(
                lambda z: (mpmath.sin(root(z)) / root(z) - 1) / z,
                lambda z: z * root(z) / mpmath.sin(root(z)),
                mpmath.mpf("1e-6"), high, 6,
            )  # fmt: skip
        else:
            # cos r = 1 − z/2 + z² C(z)
            kept, bits = COSINE, -63.9
            terms, error = remez(
                lambda z: (mpmath.cos(root(z)) - 1 + z / 2) / z**2,
                lambda z: z**2 / mpmath.cos(root(z)),
                mpmath.mpf("1e-6"), high, 6,
            )  # fmt: skip
        assert mpmath.log(error, 2) < bits
        assert [float(term) for term in terms] == pytest.approx(kept, rel=1e-6)
        assert max(abs(float(t) - k) * 0.62**n for n, (t, k) in enumerate(zip(terms, kept, strict=True))) < 2e-17


def test_the_three_parts_are_half_pi_to_160_bits() -> None:
    with mpmath.workprec(400):
        assert abs(mpmath.pi / 2 - sum(map(mpmath.mpf, HALF_PI))) < mpmath.mpf(2) ** -160


def _ulps(found: np.ndarray, exact: list[mpmath.mpf]) -> float:
    with mpmath.workprec(200):
        return max(
            float(abs(mpmath.mpf(float(y)) - e) / mpmath.mpf(math.ulp(float(e))))
            for y, e in zip(found, exact, strict=True)
        )


def _samples() -> dict[str, np.ndarray]:
    choose = np.random.default_rng(7)
    multiples = np.arange(1, 800) * (np.pi / 2)
    far = np.round(choose.uniform(1e4, LIMIT / 1.6, 600)) * (np.pi / 2)
    return {
        "one turn": choose.uniform(-np.pi, np.pi, 3000),
        "hundreds of turns": choose.uniform(-1e3, 1e3, 2000),
        "1e5": choose.uniform(-1e5, 1e5, 2000),
        "up to the limit": choose.uniform(-LIMIT, LIMIT, 2000),
        "at multiples of half pi": np.concatenate(
            [multiples, np.nextafter(multiples, 0.0), np.nextafter(multiples, 1e9)]
        ),
        "far multiples of half pi": np.concatenate([far, -np.nextafter(far, 0.0)]),
        "at odd multiples of a quarter pi": (2 * np.arange(1200) + 1) * (np.pi / 4),
        "tiny": 10.0 ** choose.uniform(-307, -3, 800),
        "beyond the limit": 10.0 ** choose.uniform(9, 300, 600),
    }


@pytest.mark.parametrize("lanes", [False, True], ids=["scalar", "lanes"])
@pytest.mark.parametrize("kind", _samples())
def test_sine_and_cosine_are_right_to_two_units_in_the_last_place(sincos: Compiled, kind: str, lanes: bool) -> None:
    x = _samples()[kind]
    y = sincos(x[:, None]) if lanes else np.concatenate([sincos(part[:, None]) for part in np.array_split(x, 16)])
    with mpmath.workprec(1300 if kind == "beyond the limit" else 200):
        assert _ulps(y[:, 0], [mpmath.sin(mpmath.mpf(float(v))) for v in x]) < 2.0
        assert _ulps(y[:, 1], [mpmath.cos(mpmath.mpf(float(v))) for v in x]) < 2.0


@pytest.mark.slow
@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="no extended precision here to compare with")
def test_a_million_points_stay_within_two_units_in_the_last_place(sincos: Compiled) -> None:
    x = np.random.default_rng(1).uniform(-1e4, 1e4, 1_000_000)
    y = sincos(x[:, None])
    for column, function in enumerate((np.sin, np.cos)):
        exact = function(x.astype(np.longdouble))
        assert float(np.max(np.abs(y[:, column] - exact) / np.spacing(np.abs(exact).astype(float)))) < 2.0


@pytest.mark.parametrize("copies", [1, 300], ids=["scalar", "lanes"])
def test_what_has_no_sine_is_nan_and_spoils_no_neighbour(sincos: Compiled, copies: int) -> None:
    x = np.tile([np.nan, 0.5, np.inf, -np.inf, 1e300, 0.0, -1.25], copies)
    y = sincos(x[:, None])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(y, np.stack([np.sin(x), np.cos(x)], axis=1), rtol=5e-16, atol=0.0)


def test_a_machine_without_fused_multiply_adds_asks_the_c_library(
    sincos: Compiled, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = replace(engine.host(), fused=False)
    monkeypatch.setattr(engine, "host", lambda: plain)
    other = compile_program(sincos.program, backend="llvm", cache=False)
    x = np.linspace(-20.0, 20.0, 301)[:, None]
    np.testing.assert_allclose(other(x), sincos(x), rtol=0.0, atol=3e-16)
    np.testing.assert_allclose(other(x[7]), sincos(x[7]), rtol=0.0, atol=3e-16)
