"""The Whipple bicycle against its published benchmark: Meijaard, Papadopoulos, Ruina and Schwab (2007)."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from polhode.expr import evaluate
from polhode.linear.linear import Linear
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle

DIGITS = 1e-12

# M q̈ + v C1 q̇ + (g K0 + v² K2) q = f, with q lean and steer.
M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
C1 = [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]
K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
K2 = [[0, 76.59734589573222], [0, 2.65431523794604]]


@cache
def small_motions() -> Linear:
    bicycle = whipple_bicycle()
    equations = bicycle.derive("composite_body", independent=INDEPENDENT)
    return equations.linearize(upright(bicycle))


def _of_lean_and_steer(matrix: str, **parameters: float) -> np.ndarray:
    linear = small_motions()
    rows = [linear.speeds.index(name) for name in ("lean rate", "steer")]
    columns = [linear.displacements.index(name) for name in ("lean", "steer")] if matrix == "K" else rows
    return linear.second_order.numbers(matrix, parameters)[np.ix_(rows, columns)]


def test_upright_and_straight_is_a_steady_motion() -> None:
    assert not any(small_motions().residual)


@pytest.mark.parametrize("speed", [0.7, 5.0])
def test_the_linear_equations_are_the_published_ones(speed: float) -> None:
    assert_allclose(_of_lean_and_steer("M", v=speed), M, rtol=DIGITS)
    assert_allclose(_of_lean_and_steer("C", v=speed) / speed, C1, rtol=DIGITS, atol=1e-12)
    assert_allclose(_of_lean_and_steer("K", v=0.0) / 9.81, K0, rtol=DIGITS)
    faster = _of_lean_and_steer("K", v=speed) - _of_lean_and_steer("K", v=0.0)
    assert_allclose(faster / speed**2, K2, rtol=DIGITS, atol=1e-10)


def _moving(speed: float) -> np.ndarray:
    """The four eigenvalues of lean and steer; the others, of where the bicycle is and heads, are zero."""
    found = small_motions().eigenvalues({"v": speed})
    return found[np.argsort(abs(found))[-4:]]


def test_eigenvalues_at_rest_and_at_five_metres_a_second_are_the_published_ones() -> None:
    at_rest = sorted(_moving(0.0).real)
    assert_allclose(at_rest, [-5.530943717653930, -3.131643247906560, 3.131643247906560, 5.530943717653930], rtol=1e-12)
    running = sorted(_moving(5.0), key=lambda value: (value.real, value.imag))
    weave = -0.775341882195845 + 4.464867713788223j
    expected = [-14.078389692798220, weave.conjugate(), weave, -0.322866429004087]
    assert_allclose(running, expected, rtol=1e-12)


def test_with_multipliers_the_eigenvalues_are_those_of_the_speed_asked_for_as_well() -> None:
    bicycle = whipple_bicycle()
    small = bicycle.derive().linearize(upright(bicycle))
    for speed in (0.0, 2.0):
        found = small.eigenvalues({"v": speed})
        moving, expected = found[np.argsort(abs(found))[-4:]], _moving(speed)
        assert_allclose(np.sort_complex(moving.round(9)), np.sort_complex(expected.round(9)), atol=1e-8)


#: Table 2 of the paper: speed, weave, capsize and castering eigenvalues.
TABLE_2 = {
    2: (2.682345175127450 + 1.680662965906750j, -3.071586456415140, -8.673879848319370),
    4: (0.413253315211250 + 3.079108186032060j, -1.429444273613260, -12.158614265764470),
    6: (-1.526444865841420 + 5.876730605987090j, -0.004066900769970, -16.085371230980260),
    8: (-2.693486835810970 + 8.460379713969310j, 0.143278797657130, -20.279408943945690),
    10: (-3.720168404372870 + 10.906811394762870j, 0.161053386531720, -24.624596350174040),
}


def test_eigenvalues_along_the_speed_are_branches_of_the_published_ones() -> None:
    found = small_motions().eigenvalues_along("v", np.linspace(2, 10, 9))
    for row, speed in enumerate(found.values):
        if speed in TABLE_2:
            weave, capsize, castering = TABLE_2[int(speed)]
            expected = np.array([weave, weave.conjugate(), capsize, castering])
            order = [int(np.argmin(abs(found.eigenvalues[row] - each))) for each in expected]
            assert_allclose(found.eigenvalues[row, order], expected, rtol=1e-11, atol=1e-12)
    first = [int(np.argmin(abs(found.eigenvalues[0] - each))) for each in (TABLE_2[2][0], *TABLE_2[2][1:])]
    assert_allclose(found.eigenvalues[-1, first], TABLE_2[10], rtol=1e-11)  # each is one branch all the way
    crossings = [(crossing.value, crossing.grows) for crossing in found.crossings]
    assert_allclose([value for value, _ in crossings], [4.292382536341110, 6.024262015388370], rtol=1e-12)
    assert [grows for _, grows in crossings] == [False, True]


def test_it_balances_between_weave_and_capsize_speed() -> None:
    weave = brentq(lambda v: max(x.real for x in _moving(v) if abs(x.imag) > 1e-6), 4.0, 5.0, xtol=1e-14)
    capsize = brentq(lambda v: np.linalg.det(9.81 * np.array(K0) + v * v * np.array(K2)), 5.0, 7.0, xtol=1e-14)
    assert weave == pytest.approx(4.292382536341110, rel=1e-12)
    assert capsize == pytest.approx(6.024262015388370, rel=1e-12)
    assert max(_moving(5.0).real) < 0 < max(_moving(4.2).real)


def test_embedding_and_multipliers_agree_on_the_bicycle() -> None:
    bicycle = whipple_bicycle()
    embedded = bicycle.derive("newton_euler", independent=INDEPENDENT)
    assert bicycle.derive("composite_body").agrees_with(embedded)
    assert bicycle.derive("articulated_body", independent=INDEPENDENT).agrees_with(embedded)


#: P. Basu-Mandal, A. Chatterjee and J. M. Papadopoulos, "Hands-free circular motions of a benchmark bicycle", Proc. R.
#: Soc. A 463 (2007), Table 1: a state far from upright in their coordinates, its rates and its accelerations.
FAR_OUT = {
    "x": (0.0, -2.8069345714545, -0.5041626315047),
    "y": (0.0, -0.1480982396001, -0.3449706619454),
    "z": (0.2440472102925, 0.1058778746261, -1.4604528332980),
    "theta": (0.0, 0.7830033527065, 0.8353281706379),
    "psi": (0.9501292851472, 0.6068425835418, -7.8555281128244),
    "phi": (3.1257073014894, -0.0119185528069, 0.1205543897884),
    "psi_f": (0.2311385135743, 0.4859824687093, -4.6198904039403),
    "beta_r": (0.0, 8.9129896614890, 1.8472554144217),
    "beta_f": (0.0, 8.0133620584155, 2.4548072904550),
}

#: Their x points back and their z up; they count yaw, lean, pitch, steer and spins the other way, from other zeros.
OURS = {
    "x": (-1, "x", 0.0), "y": (1, "y", 0.0), "z": (-1, "z", 0.0), "yaw": (-1, "theta", 0.0),
    "lean": (-1, "psi", np.pi / 2), "pitch": (-1, "phi", np.pi), "steer": (-1, "psi_f", 0.0),
    "rear spin": (-1, "beta_r", 0.0), "front spin": (-1, "beta_f", 0.0),
}  # fmt: skip


def test_far_from_upright_accelerations_are_those_of_basu_mandal() -> None:
    equations = whipple_bicycle().derive("articulated_body")
    constraints = equations.constraints
    assert constraints is not None
    q = [OURS[name][2] + OURS[name][0] * FAR_OUT[OURS[name][1]][0] for name in equations.coordinates]
    u, expected = (
        np.array([OURS[name.removesuffix(" rate")][0] * FAR_OUT[OURS[name.removesuffix(" rate")][1]][k]
                  for name in equations.speeds]) for k in (1, 2)
    )  # fmt: skip
    point = {p.symbol: float(p.value) for p in equations.system.parameters.values()}
    point |= dict(zip([*equations.q, *equations.u], [*q, *u], strict=True))
    assert_allclose(evaluate([*constraints.values, *constraints.rates], point), 0, atol=1e-12)
    assert_allclose(equations.compile().forward_dynamics(q, u, np.zeros(9)), expected, rtol=1e-11, atol=1e-11)
