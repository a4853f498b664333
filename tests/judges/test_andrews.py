"""Andrews' squeezing mechanism: its published equations, the reference solution of the test set, and a quadrature.

The mechanism has one degree of freedom and its energy is known, so that the time to any crank angle is an integral. At
thirty digits it judges both sides: the reference solution is 1.0047e-12 s late, which at a crank speed of 1140 rad/s
is 1.1e-9 rad.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import atan2, cos, matrix, mp, mpf, sin, sqrt
from numpy.testing import assert_allclose

import polhode as ph
from polhode.expr import evaluate
from polhode.model.samples.squeezer import PARAMETERS, START, squeezing_mechanism

#: F. Mazzia and C. Magherini, Test Set for IVP Solvers, problem `andrews`: angles and their rates at t = 0.03 s.
PUBLISHED = {
    "beta": (0.1581077119629904e2, 0.1139920302151208e4),
    "Theta": (-0.1575637105984298e2, -0.1424379294994111e4),
    "gamma": (0.4082224013073101e-1, 0.1103291221937134e2),
    "Phi": (-0.5347301163226948, 0.1929337464421385e2),
    "delta": (0.5244099658805304, 0.5735699284790808),
    "Omega": (0.5347301163226948, -0.1929337464421385e2),
    "epsilon": (0.1048080741042263e1, 0.3231791658026955),
}
END = 0.03
#: The same source, at the start: the accelerations that are not zero, and the force at P on K3.
FIRST_ACCELERATIONS = {"beta": 14222.4439199541138705911625887, "Theta": -10666.8329399655854029433719415}
FIRST_FORCE = (98.5668703962410896057654982170, -6.12268834425566265503114393122, 0.0)


@cache
def equations() -> ph.Equations:
    return squeezing_mechanism().derive()


def published_mass_matrix(p: Mapping[str, Any], q: Mapping[str, Any], sin: Any, cos: Any) -> dict[tuple[str, str], Any]:
    """Its entries that are not zero: Hairer and Wanner II, VII.7."""
    m, i = ([p[f"{letter}{k}"] for k in range(1, 8)] for letter in "mI")
    rr, da, zt, u, e, f = p["rr"], p["da"], p["zt"], p["u"], p["e"] - p["ea"], p["zf"] - p["fa"]
    along, across, over = cos(q["Theta"]), sin(q["Phi"]), sin(q["Omega"])
    return {
        ("beta", "beta"): m[0] * p["ra"] ** 2 + m[1] * (rr**2 - 2 * da * rr * along + da**2) + i[0] + i[1],
        ("Theta", "beta"): m[1] * (da**2 - da * rr * along) + i[1],
        ("Theta", "Theta"): m[1] * da**2 + i[1],
        ("gamma", "gamma"): m[2] * (p["sa"] ** 2 + p["sb"] ** 2) + i[2],
        ("Phi", "Phi"): m[3] * e**2 + i[3],
        ("delta", "Phi"): m[3] * (e**2 + zt * e * across) + i[3],
        ("delta", "delta"): m[3] * (zt**2 + 2 * zt * e * across + e**2)
        + m[4] * (p["ta"] ** 2 + p["tb"] ** 2) + i[3] + i[4],
        ("Omega", "Omega"): m[5] * f**2 + i[5],
        ("epsilon", "Omega"): m[5] * (f**2 - u * f * over) + i[5],
        ("epsilon", "epsilon"): m[5] * (f**2 - 2 * u * f * over + u**2)
        + m[6] * (p["ua"] ** 2 + p["ub"] ** 2) + i[5] + i[6],
    }  # fmt: skip


def test_the_mass_matrix_is_the_published_one() -> None:
    squeezer = squeezing_mechanism()
    made = squeezer.derive()
    p = {name: entry.symbol for name, entry in squeezer.parameters.items()}
    published = published_mass_matrix(p, dict(zip(made.coordinates, made.q, strict=True)), ph.sin, ph.cos)
    for i, row in enumerate(made.speeds):
        for j, column in enumerate(made.speeds):
            expected = published.get((row, column), published.get((column, row), 0))
            assert made.mass_matrix[i, j] == expected, (row, column)


def test_the_first_accelerations_are_the_published_ones() -> None:
    made = equations()
    rest = np.zeros(7)
    udot = made.compile().forward_dynamics([START[name] for name in made.coordinates], rest, rest)
    assert_allclose(udot, [FIRST_ACCELERATIONS.get(name, 0.0) for name in made.speeds], rtol=1e-13, atol=1e-9)


def test_the_first_force_on_the_sprung_arm_is_the_published_one() -> None:
    made = equations()
    known = dict.fromkeys((*made.u, *made.tau), 0.0)
    known |= {symbol: START[symbol.name] for symbol in made.q}
    known |= {entry.symbol: float(entry.value) for entry in made.system.parameters.values()}
    assert_allclose(evaluate(list(made.reaction("P on K3").force), known), FIRST_FORCE, rtol=1e-12, atol=1e-12)


def test_the_run_ends_at_the_reference_solution_as_late_as_that_is() -> None:
    run = equations().simulate(END, start="start", rtol=1e-12, atol=1e-12, samples=2)
    with mp.workdps(30):
        late = float(time_to_reach(mpf(PUBLISHED["beta"][0])) - mpf("0.03"))
    assert late == pytest.approx(1.0047e-12, rel=1e-4)
    for name, (angle, rate) in PUBLISHED.items():
        assert run[name][-1] == pytest.approx(angle, abs=2e-9), name
        assert run[name][-1] + run.speed(name)[-1] * late == pytest.approx(angle, abs=5e-12), name
        assert run.speed(name)[-1] == pytest.approx(rate, rel=1e-7), name


def time_to_reach(beta: Any) -> Any:
    """∫ √(M(β) / 2 W(β)) dβ, with M the inertia that the crank feels and W the work done so far; β = β₀ + s²."""
    p = {name: mpf(str(value)) for name, (value, _) in PARAMETERS.items()}
    first = mpf("-0.0617138900142764496358948458001")
    strain = strain_energy(p, mpf("0.455279819163070380255912382449"))

    def pace(s: Any) -> Any:
        q = angles(p, first + s * s)
        v = rates(p, q)
        entries = published_mass_matrix(p, q, sin, cos)
        felt = sum(entry * v[a] * v[b] * (1 if a == b else 2) for (a, b), entry in entries.items())
        work = p["mom"] * s * s - (strain_energy(p, q["gamma"]) - strain)
        return 2 * s * sqrt(felt / (2 * work))

    return mpmath.quad(pace, mpmath.linspace(0, sqrt(beta - first), 17), method="gauss-legendre", maxdegree=4)


def angles(p: Mapping[str, Any], beta: Any) -> dict[str, Any]:
    """The pose with this crank angle: P, and the knees of K5–K4 and K7–K6, are where two circles meet."""
    tip, A, B = (p["rr"] * cos(beta), p["rr"] * sin(beta)), (p["xa"], p["ya"]), (p["xb"], p["yb"])
    P = meet(tip, p["d"], B, p["ss"], 1)
    knee, other = meet(A, p["zt"], P, p["e"], 1), meet(A, p["u"], P, p["zf"], -1)
    rod, gamma = atan2(tip[1] - P[1], tip[0] - P[0]), atan2(P[0] - B[0], B[1] - P[1])
    delta, lower = atan2(knee[1] - A[1], knee[0] - A[0]), atan2(P[0] - knee[0], knee[1] - P[1])
    epsilon, upper = atan2(other[0] - A[0], A[1] - other[1]), atan2(P[1] - other[1], P[0] - other[0])
    return {
        "beta": beta, "Theta": rod - beta, "gamma": gamma, "Phi": lower - delta, "delta": delta,
        "Omega": upper - epsilon, "epsilon": epsilon,
    }  # fmt: skip


def meet(a: tuple[Any, Any], r_a: Any, b: tuple[Any, Any], r_b: Any, side: int) -> tuple[Any, Any]:
    """Where circles about a and b meet, to the left or the right of the way from a to b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    along = (r_a**2 - r_b**2 + square) / (2 * square)
    across = side * sqrt(r_a**2 / square - along**2)
    return a[0] + along * dx - across * dy, a[1] + along * dy + across * dx


def rates(p: Mapping[str, Any], q: Mapping[str, Any]) -> dict[str, Any]:
    """dq/dβ, by the velocity of P seen along each of the ways to it."""
    rod, lower, upper = q["beta"] + q["Theta"], q["Phi"] + q["delta"], q["Omega"] + q["epsilon"]
    ss, d, rr, zt, e, u, zf = (p[name] for name in ("ss", "d", "rr", "zt", "e", "u", "zf"))
    turn, gamma = solve(
        (d * sin(rod), -d * cos(rod)),
        (-ss * cos(q["gamma"]), -ss * sin(q["gamma"])),
        (rr * sin(q["beta"]), -rr * cos(q["beta"])),
    )
    v = (ss * cos(q["gamma"]) * gamma, ss * sin(q["gamma"]) * gamma)
    delta, below = solve((-zt * sin(q["delta"]), zt * cos(q["delta"])), (e * cos(lower), e * sin(lower)), v)
    epsilon, above = solve((u * cos(q["epsilon"]), u * sin(q["epsilon"])), (-zf * sin(upper), zf * cos(upper)), v)
    return {
        "beta": mpf(1), "Theta": turn - 1, "gamma": gamma, "Phi": below - delta, "delta": delta,
        "Omega": above - epsilon, "epsilon": epsilon,
    }  # fmt: skip


def solve(first: tuple[Any, Any], second: tuple[Any, Any], right: tuple[Any, Any]) -> tuple[Any, Any]:
    """x and y with x · first + y · second = right."""
    found = mpmath.lu_solve(matrix([[first[0], second[0]], [first[1], second[1]]]), matrix(right))
    return found[0], found[1]


def strain_energy(p: Mapping[str, Any], gamma: Any) -> Any:
    x = p["sd"] * cos(gamma) + p["sc"] * sin(gamma) + p["xb"] - p["xc"]
    y = p["sd"] * sin(gamma) - p["sc"] * cos(gamma) + p["yb"] - p["yc"]
    return p["c0"] * (sqrt(x * x + y * y) - p["l0"]) ** 2 / 2
