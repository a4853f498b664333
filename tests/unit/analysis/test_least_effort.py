"""The least efforts that meet conditions: against the optimality conditions, with weights of every form."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode import Matrix
from polhode.analysis.least_effort import least_efforts, weights_of
from polhode.errors import PolhodeError
from polhode.expr import as_expr, evaluate, is_zero, symbol

NAMES = ["a", "b", "c"]


def carriage() -> ph.System:
    """Three masses in a row on a rail, each pushed by itself."""
    s = ph.System("carriage", gravity=(0, 0, 0))
    before = s.ground
    for name in NAMES:
        body = s.body(name, s.parameter(f"m {name}", 2))
        s.joint(name, before, body, ph.Prismatic("x"))
        before = body
    return s


def test_of_all_controls_that_keep_the_conditions_it_is_the_shortest() -> None:
    generator = np.random.default_rng(1)
    G, g = generator.integers(-9, 9, (2, 5)), generator.integers(-9, 9, 2)
    found = np.array(evaluate(list(least_efforts(Matrix(G.tolist()), g.tolist())), {}))
    assert np.allclose(found, -np.linalg.pinv(G) @ g)


def test_with_weights_efforts_are_in_the_range_of_the_conditions_in_their_metric() -> None:
    """At the least, W U = Gᵀ λ for some λ: exact, with a symbol for a weight."""
    w = symbol("w")
    G = Matrix([[1, 2, 3]])
    W = Matrix([[w, 1, 0], [1, 3, 0], [0, 0, 2]]).map(as_expr)
    U = least_efforts(G, [-1], W)
    pushed = W @ U
    assert is_zero(U[0] + 2 * U[1] + 3 * U[2] - 1)
    assert all(is_zero(pushed[k] - pushed[0] * (k + 1)) for k in range(3))


def test_a_programme_of_fewer_conditions_than_actuators_takes_the_least_efforts() -> None:
    s = carriage()
    made = s.derive()
    middle = made.q[0] + made.q[1]
    found = made.programme_control([middle - s.time**2], NAMES, least="effort")
    assert found.G.shape == (1, 3)
    values = {p.symbol: 2.0 for p in s.parameters.values()}
    G, U = (np.array(evaluate(list(each), values)) for each in (found.G.entries(), found.control.values()))
    assert np.allclose(G @ U, 2) and np.allclose(U, -np.linalg.pinv(G[None, :])[:, 0] * -2)


def test_a_dear_actuator_does_less() -> None:
    s = carriage()
    made = s.derive()
    middle = made.q[0] + made.q[1]
    plain = made.programme_control([middle - s.time**2], NAMES, least="effort").control
    dear = made.programme_control([middle - s.time**2], NAMES, least="effort", weights={"c": 100}).control
    values = {p.symbol: 2.0 for p in s.parameters.values()}
    assert abs(evaluate([dear["c"]], values)[0]) < 0.1 * abs(evaluate([plain["c"]], values)[0])


def test_as_many_actuators_as_conditions_leave_nothing_to_choose() -> None:
    s = carriage()
    made = s.derive()
    conditions = [q - s.time**2 for q in made.q]
    plain = made.programme_control(conditions, NAMES).control
    assert all(made.programme_control(conditions, NAMES, least="effort").control[n] == plain[n] for n in NAMES)


@pytest.mark.parametrize(
    "given", [{"b": 4}, [1, 4, 1], (1, 4, 1), np.diag([1, 4, 1]), Matrix([[1, 0, 0], [0, 4, 0], [0, 0, 1]])]
)
def test_weights_come_by_name_in_order_or_as_a_matrix(given: Any) -> None:
    assert list(weights_of(given, NAMES).entries()) == [1, 0, 0, 0, 4, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"d": 1}, "E-PROG-009"),
        ([1, 2], "E-PROG-010"),
        ([[1, 0], [0, 1]], "E-PROG-010"),
        ([1, 2, 0], "E-PROG-011"),
        ([1, 2, -3], "E-PROG-011"),
        ([[1, 2, 0], [0, 1, 0], [0, 0, 1]], "E-PROG-011"),
        ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], "E-PROG-011"),
    ],
)
def test_weights_that_are_none_are_refused(given: Any, code: str) -> None:
    with pytest.raises(PolhodeError) as caught:
        weights_of(given, NAMES)
    assert caught.value.problems[0].code == code


def test_a_text_is_no_weights() -> None:
    with pytest.raises(PolhodeError, match="weights"):
        weights_of("heavy", NAMES)


@pytest.mark.parametrize(
    ("actuators", "options", "code", "said"),
    [
        (["a"], {}, "E-PROG-002", "1 actuators are to keep 2 conditions, which are too many"),
        (["a"], {"least": "effort"}, "E-PROG-002", "too many"),
        (NAMES, {}, "E-PROG-012", "which they can in many ways"),
        (["a", "b", "b"], {"least": "effort"}, "E-PROG-006", "'b' is named twice"),
        (NAMES, {"least": "power"}, "E-PROG-007", "'power'"),
        (NAMES, {"weights": [1, 1, 1]}, "E-PROG-008", "weights"),
    ],
)
def test_actuators_that_do_not_fit_are_told(
    actuators: list[str], options: dict[str, Any], code: str, said: str
) -> None:
    made = carriage().derive()
    with pytest.raises(PolhodeError, match=said) as caught:
        made.programme_control([made.q[0], made.q[1]], actuators, **options)
    assert caught.value.problems[0].code == code
