"""Frequencies of beams that are derived and linearized as parts of mechanisms, beside closed forms and series.

`test_beam_frequencies.py` judges the records of beams; here joints, closures and bodies at stations support them.
"""

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq
from tests import beam_series

import polhode as ph
from polhode.expr import evaluate

ROLLER = ph.Compound(ph.Prismatic("x"), ph.Revolute("y"))
FLOATING = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))


def frequencies(s: ph.System, parameters: Mapping[str, float] | None = None, at: Any = None) -> np.ndarray:
    """The frequencies of the linearized equations, upwards, in rad/s; zeros of rigid motions left out."""
    values = np.asarray(s.derive().linearize(at).eigenvalues(parameters))
    assert np.abs(values.real).max() < 1e-5 * np.abs(values).max()
    return np.sort(values.imag[values.imag > 1e-3])


def roots(function: Callable[[Any], Any], near: list[float]) -> np.ndarray:
    return np.array([float(mpmath.findroot(function, x)) for x in near])


BETA = {
    "cantilever": roots(lambda x: mpmath.cos(x) * mpmath.cosh(x) + 1, [1.87, 4.69, 7.85]),
    "clamped-pinned": roots(lambda x: mpmath.tan(x) - mpmath.tanh(x), [3.93, 7.07, 10.21]),
    "free-free": roots(lambda x: mpmath.cos(x) * mpmath.cosh(x) - 1, [4.73, 7.85, 11.0]),
    "pinned-pinned": np.pi * np.arange(1, 4),
}
UNIT = np.sqrt(40 / (3 * 2**3))  # √(EI/(m L³))


def supported(support: str, modes: int) -> ph.System:
    """A beam whose supports are joints and closures, in shapes that know nothing of them but the clamped end."""
    s = ph.System("beam", gravity=(0, 0, 0))
    free = support == "free-free"
    beam = s.beam(
        "beam", length=2, mass=3, EI=40, modes=modes,
        ends=("free", "free") if free else ("clamped", "free"), frame="mean" if free else "tangent",
    )  # fmt: skip
    root = {"free-free": FLOATING, "pinned-pinned": ph.Revolute("y")}.get(support, "fixed")
    s.joint("root", s.ground, beam, root)
    if support.endswith("pinned"):
        s.close("roller", s.ground, beam.at(2), ROLLER, at_a=(2, 0, 0))
    return s


@pytest.mark.parametrize("support", BETA)
def test_a_supported_beam_has_the_frequencies_of_its_closed_form(support: str) -> None:
    found = frequencies(supported(support, 6))[:3]
    assert found == pytest.approx(BETA[support] ** 2 * UNIT, rel=2e-4 if "pinned" in support else 2e-8)


@pytest.mark.parametrize("ends", [("clamped", "pinned"), ("pinned", "pinned")], ids="-".join)
def test_shapes_that_fit_their_supports_give_the_closed_form_to_eight_digits(ends: tuple[str, str]) -> None:
    s = ph.System("beam", gravity=(0, 0, 0))
    beam = s.beam("beam", length=2, mass=3, EI=40, modes=4, ends=ends)
    s.joint("root", s.ground, beam, ph.Revolute("y") if ends[0] == "pinned" else "fixed")
    if ends[0] == "pinned":  # a hinge and a roller; the shapes vanish at both
        s.close("roller", s.ground, beam.at(2, static=False), ROLLER, at_a=(2, 0, 0))
    assert frequencies(s)[:3] == pytest.approx(BETA["-".join(ends)] ** 2 * UNIT, rel=2e-8)


@pytest.mark.parametrize("loads", [0, 2])
@pytest.mark.parametrize("frame", ["tangent", "chord", "mean"])
def test_a_body_at_the_tip_gives_the_roots_of_the_transcendental_equation(frame: str, loads: int) -> None:
    mu, J = 0.7, 0.05  # mass and rotary inertia of the body
    s = ph.System("crane", gravity=(0, 0, 0))
    boom = s.beam("boom", length=1, mass=1, EI=1, modes=4, load_shapes=loads, frame=frame)
    s.joint("wall", s.ground, boom, "fixed")
    s.joint("load", boom.at(1), s.body("load", mu, inertia=(1, J, 1)), "fixed")

    def equation(x: Any) -> Any:
        """The determinant of moment and shear at the tip over w = a (cosh - cos) + b (sinh - sin)."""
        C, S, c, t = mpmath.cosh(x), mpmath.sinh(x), mpmath.cos(x), mpmath.sin(x)
        moment = [(C + c) - J * x**3 * (S + t), (S + t) - J * x**3 * (C - c)]
        shear = [(S - t) + mu * x * (C - c), (C + c) + mu * x * (S - t)]
        return (moment[0] * shear[1] - moment[1] * shear[0]) / C**2

    grid = np.arange(0.5, 9, 0.01)
    signs = np.sign([float(equation(x)) for x in grid])
    beta = roots(equation, [float(x) for x in grid[:-1][signs[1:] != signs[:-1]]])
    found = frequencies(s)
    assert found[:2] == pytest.approx(beta[:2] ** 2, rel=1e-6)
    assert found[:4] == pytest.approx(beta[:4] ** 2, rel=1e-7 if loads else 1e-4)


def test_a_timoshenko_cantilever_has_the_roots_of_its_equation() -> None:
    """G. R. Cowper's and Timoshenko's equation by its exponential solutions; slenderness L/r = 10, E/kG = 3."""
    r2 = mpmath.mpf(1) / 100
    shear = 3 * r2
    s = ph.System("beam", gravity=(0, 0, 0))
    s.joint("wall", s.ground, s.beam("beam", length=1, mass=1, EI=1, GA="100/3", gyration="1/10", modes=6), "fixed")

    def equation(omega: Any) -> Any:
        p2 = omega**2
        a, b = p2 * (shear + r2), p2 * (r2 * shear * p2 - 1)
        root = mpmath.sqrt(a**2 - 4 * b)
        lam = [sign * mpmath.sqrt((-a + each) / 2) for each in (root, -root) for sign in (1, -1)]
        D = [(x**2 + shear * p2) / x for x in lam]  # GA (w'' - ψ') = -m ω² w
        rows = [
            [1] * 4, D, [(x - d) * mpmath.exp(x) for x, d in zip(lam, D, strict=True)],
            [d * x * mpmath.exp(x) for x, d in zip(lam, D, strict=True)],
        ]  # fmt: skip
        value = mpmath.det(mpmath.matrix(rows)) / mpmath.exp(max(mpmath.re(x) for x in lam))
        return mpmath.re(value) if abs(mpmath.re(value)) > abs(mpmath.im(value)) else mpmath.im(value)

    found = frequencies(s)
    expected = roots(equation, [float(x) for x in found[:4]])
    assert len({round(x, 6) for x in expected}) == 4 and found[:4] == pytest.approx(expected, rel=1e-6)
    assert found[0] < 3.5160 * 0.98  # shear and rotary inertia lower it


def upright(down: bool, modes: int = 3) -> ph.System:
    """A cantilever of unit length, mass and stiffness that hangs or stands, under gravity g = q L³/EI."""
    s = ph.System("column", gravity=(0, 0, -ph.symbol("g", "parameter")))
    s.parameter("g", 1)
    axis = "-z" if down else "z"
    rod = s.beam("rod", length=1, mass=1, EI=1, modes=modes, load_shapes=2, axis=axis, stiffening=True)
    s.joint("wall", s.ground, rod, "fixed")
    return s


@pytest.mark.parametrize("down", [True, False], ids=["hanging", "standing"])
def test_a_beam_under_its_weight_has_the_frequencies_of_the_series(down: bool) -> None:
    linear = upright(down).derive().linearize()
    for g in (1, 4, 7.5):
        found = np.sort(np.asarray(linear.eigenvalues({"g": g})).imag)[-5:][:3]
        sign = 1 if down else -1
        expected = beam_series.frequencies((sign * g, -sign * g), [float(x) for x in found])
        assert found[:2] == pytest.approx(expected[:2], rel=5e-7) and found == pytest.approx(expected, rel=1e-5)


def test_a_standing_beam_buckles_under_its_weight_at_7_837() -> None:
    linear = upright(down=False).derive().linearize()

    def softest(g: float) -> float:
        """The smallest eigenvalue ω² of the linearized column."""
        return float((np.asarray(linear.eigenvalues({"g": g})) ** 2).real.max())

    critical = brentq(softest, 7, 9, xtol=1e-10)
    exact = brentq(lambda g: float(beam_series.boundary((-g, g), 0)), 7, 9, xtol=1e-12)
    assert exact == pytest.approx(7.837347, abs=1e-6)  # Greenhill 1881; 9/4 times the square of a zero of J_(-1/3)
    assert critical == pytest.approx(exact, rel=2e-8)


def test_without_stiffening_weight_along_the_beam_changes_no_frequency() -> None:
    s = ph.System("column", gravity=(0, 0, -20))
    s.joint("wall", s.ground, s.beam("rod", length=1, mass=1, EI=1, modes=3, axis="z"), "fixed")
    assert frequencies(s) == pytest.approx(BETA["cantilever"] ** 2, rel=2e-8)


@pytest.mark.parametrize(
    "more", [{}, {"GA": 30, "gyration": "0.1"}, {"frame": "mean"}], ids=["bent", "sheared", "mean"]
)
def test_with_a_load_shape_a_cantilever_sags_under_its_weight_exactly(more: dict[str, Any]) -> None:
    sag = {}
    for loads in (0, 1):
        s = ph.System("cantilever", gravity=(0, 0, "-0.001"))
        rod = s.beam("rod", length=2, mass=3, EI=40, modes=1, load_shapes=loads, **more)
        s.joint("wall", s.ground, rod, "fixed")
        tip = rod.at(2, static=False)
        e = s.derive()
        rest = e.equilibrium()
        (sag[loads],) = evaluate([e.pose(tip.name).p[2]], {q: rest[q.name] for q in e.q})
    weight = 3 * 0.001
    exact = -weight * 2**3 / (8 * 40) - (weight * 2 / (2 * 30) if "GA" in more else 0)
    assert sag[1] == pytest.approx(exact, rel=1e-6 if more else 1e-11) and abs(sag[0] - exact) > 1e-3 * abs(exact)


def test_load_shapes_are_counted_by_whole_numbers_and_named() -> None:
    s = ph.System("beam")
    rod = s.beam("rod", length=2, mass=3, EI=40, EA=50, modes=1, load_shapes=2, ends=("free", "free"), frame="mean")
    rod.at("1")
    assert [q.name for q in rod.q] == [
        "rod_z1", "rod_x1", "rod_l1_z", "rod_l2_z", "rod_l1_x", "rod_l2_x", "rod_s1_z", "rod_s1_ry", "rod_s1_x"
    ]  # fmt: skip
    for wrong in (-1, 2.5, "many"):
        with pytest.raises(ph.PolhodeError, match="load_shapes"):
            s.beam("other", length=1, mass=1, EI=1, load_shapes=wrong)
