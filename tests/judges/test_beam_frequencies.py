"""Natural frequencies of beams from their records, beside closed forms and transcendental equations."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy import cos, cosh, sin, sinh
from scipy.linalg import eigh
from scipy.optimize import brentq

import polhode as ph
from polhode.expr import evaluate
from polhode.model.forces.body import Elasticity


def mass_and_stiffness(s: ph.System, name: str) -> tuple[np.ndarray, np.ndarray]:
    """M_ij = tr G_ij and K of a body whose parameters are numbers."""
    record, count = s.bodies[f"{name} material"].flexibility, len(s.model().joints[f"{name} elastic"].q)
    assert record is not None
    (load,) = (each for each in s.loads if isinstance(each, Elasticity))
    G = record.second
    mass = [
        sum((G[i][j][k, k] for k in range(3)), ph.expr.as_expr(0))
        for i in range(1, count + 1)
        for j in range(1, count + 1)
    ]
    numbers = evaluate([*mass, *load.stiffness.entries()], {})
    M, K = np.array(numbers, dtype=float).reshape(2, count, count)
    return M, K


def frequencies(s: ph.System, name: str) -> np.ndarray:
    M, K = mass_and_stiffness(s, name)
    return np.sqrt(eigh(K, M, eigvals_only=True))


def roots(function: Callable[[float], float], count: int, step: float = 0.01, start: float = 0.5) -> np.ndarray:
    """The first roots of a function."""
    found: list[float] = []
    x = start
    while len(found) < count:
        if function(x) * function(x + step) < 0:
            found.append(float(brentq(function, x, x + step, xtol=1e-13)))
        x += step
    return np.array(found)


EQUATIONS: dict[tuple[str, str], Callable[[float], float]] = {
    ("clamped", "free"): lambda x: cos(x) + 1 / cosh(x),
    ("clamped", "pinned"): lambda x: sin(x) - cos(x) * np.tanh(x),
    ("clamped", "clamped"): lambda x: cos(x) - 1 / cosh(x),
    ("clamped", "sliding"): lambda x: sin(x) + cos(x) * np.tanh(x),
    ("pinned", "pinned"): sin,
    ("pinned", "sliding"): cos,
    ("free", "free"): lambda x: cos(x) - 1 / cosh(x),
}


@pytest.mark.parametrize("modes", [1, 4, 8])
@pytest.mark.parametrize("ends", EQUATIONS, ids="-".join)
def test_a_beam_has_the_frequencies_of_its_transcendental_equation(ends: tuple[str, str], modes: int) -> None:
    s = ph.System("beam")
    frame = "mean" if ends == ("free", "free") else "tangent"
    s.beam("beam", length=2, mass=3, EI=40, modes=modes, ends=ends, frame=frame)
    beta = roots(EQUATIONS[ends], modes, start=1.0)
    omega = beta**2 * np.sqrt(40 / (3 * 2**3))
    assert frequencies(s, "beam") == pytest.approx(omega, rel=2e-8)


def test_a_cantilever_with_a_mass_at_its_tip_has_the_frequencies_of_its_equation() -> None:
    s = ph.System("crane")
    boom = s.beam("boom", length=1, mass=1, EI=1, modes=4)
    boom.at(1)
    M, K = mass_and_stiffness(s, "boom")
    mu, J = 0.7, 0.05  # of the body at the tip
    M = M + np.diag([0, 0, 0, 0, mu, J])

    def equation(x: float) -> float:
        """The determinant of shear and moment at the tip over w = a (cosh - cos) + b (sinh - sin)."""
        C, S, c, t = cosh(x), sinh(x), cos(x), sin(x)
        moment = [(C + c) - J * x**3 * (S + t), (S + t) - J * x**3 * (C - c)]
        shear = [(S - t) + mu * x * (C - c), (C + c) + mu * x * (S - t)]
        return float((moment[0] * shear[1] - moment[1] * shear[0]) / C**2)

    beta = roots(equation, 4)
    found = np.sqrt(eigh(K, M, eigvals_only=True))
    assert found[:2] == pytest.approx(beta[:2] ** 2, rel=1e-6) and found[:4] == pytest.approx(beta**2, rel=1e-4)


@pytest.mark.parametrize("shear", [0.001, 0.02])
def test_a_timoshenko_cantilever_has_the_frequencies_of_its_equation(shear: float) -> None:
    r2, modes = shear / 3, 5  # (gyration/L)²
    s = ph.System("beam")
    s.beam("beam", length=1, mass=1, EI=1, GA=1 / shear, gyration=r2**0.5, modes=modes)

    def equation(omega: float) -> float:
        """The boundary determinant of w = Σ C_i e^(λ_i x), ψ = Σ D_i e^(λ_i x), from the equations of motion."""
        p2 = omega**2
        a, b = p2 * (shear + r2), p2 * (r2 * shear * p2 - 1)
        squares = np.roots([1, a, b]).astype(complex)
        lam = np.concatenate([np.sqrt(squares), -np.sqrt(squares)])
        D = (lam**2 + shear * p2) / lam  # GA (w'' - ψ') = -m ω² w
        e = np.exp(lam)
        rows = np.array([np.ones(4), D, (lam - D) * e, D * lam * e])
        scaled = rows / np.abs(rows).max(axis=1, keepdims=True)
        value = np.linalg.det(scaled)
        return float(value.real if abs(value.real) > abs(value.imag) else value.imag)

    expected = roots(equation, modes - 1, step=0.05)
    assert frequencies(s, "beam")[: modes - 1] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", ["axial", "torsion"])
def test_rods_have_the_frequencies_of_odd_quarter_waves(kind: str) -> None:
    s = ph.System("rod")
    stiffness = {"EA": 50} if kind == "axial" else {"GJ": 50}
    s.beam("rod", length=2, mass=3, modes=5, gyration="0.2", **stiffness)
    inertia = 3 if kind == "axial" else 3 * 2 * 0.2**2
    expected = (np.arange(5) + 0.5) * np.pi * np.sqrt(50 / (inertia * 2))
    assert frequencies(s, "rod") == pytest.approx(expected, rel=1e-9)


def test_stations_let_few_modes_give_the_frequencies_of_the_cantilever() -> None:
    s = ph.System("crane")
    boom = s.beam("boom", length=1, mass=1, EI=1, modes=4)
    boom.at(1)
    boom.at("1/3")
    beta = roots(EQUATIONS["clamped", "free"], 3)
    found = frequencies(s, "boom")[:3]
    assert np.all(found >= beta**2 * (1 - 1e-9)) and found == pytest.approx(beta**2, rel=1e-3)


def test_a_free_beam_with_a_station_keeps_its_free_frequencies() -> None:
    s = ph.System("satellite")
    boom = s.beam("boom", length=1, mass=1, EI=1, modes=4, ends=("free", "free"), frame="mean")
    boom.at(1)
    beta = roots(EQUATIONS["free", "free"], 3, start=1.0)
    assert frequencies(s, "boom")[:3] == pytest.approx(beta**2, rel=5e-3)
