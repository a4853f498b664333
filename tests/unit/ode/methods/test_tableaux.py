"""The coefficients of the pairs: their order conditions, and SciPy's copy of them."""

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate._ivp import dop853_coefficients

from polhode.ode.methods.explicit_pairs import PROBE, slope_weights
from polhode.ode.methods.tableaux import PAIRS, Pair

from .rooted_trees import Tree, density, elementary_weights, size, trees

ORDERS = {"TP86": 8, "DOP853": 8, "RK45": 5, "RK23": 3}
#: Of the dense output: of the second it is the cubic through both ends.
DENSE_ORDERS = {"TP86": 7, "DOP853": 7, "RK45": 4, "RK23": 3}


def square(pair: Pair) -> np.ndarray:
    """All rows of a pair, those of the dense output included."""
    rows = (*pair.a, *pair.more_a)
    return np.array([[*row, *[0.0] * (len(rows) - len(row))] for row in rows])


def up_to(order: int) -> list[Tree]:
    return [tree for count in range(1, order + 1) for tree in trees(count)]


@pytest.mark.parametrize("name", PAIRS)
def test_the_weights_meet_the_conditions_of_all_rooted_trees_of_their_order(name: str) -> None:
    a, b = square(PAIRS[name]), np.zeros(PAIRS[name].all_stages)
    b[: len(PAIRS[name].a[-1])] = PAIRS[name].a[-1]
    for tree in up_to(ORDERS[name]):
        assert b @ elementary_weights(tree, a) == pytest.approx(1 / density(tree), abs=2e-14)
    missed = [b @ elementary_weights(tree, a) - 1 / density(tree) for tree in trees(ORDERS[name] + 1)]
    assert np.abs(missed).max() > 1e-7


def test_the_estimate_of_tp86_is_that_of_a_formula_of_order_six() -> None:
    pair = PAIRS["TP86"]
    a, e = square(pair), np.array([*pair.errors[0], 0.0, 0.0, 0.0])
    for tree in up_to(6):
        assert e @ elementary_weights(tree, a) == pytest.approx(0.0, abs=2e-14)
    assert max(abs(e @ elementary_weights(tree, a)) for tree in trees(7)) > 1e-5


def weights_of_rows(pair: Pair) -> np.ndarray:
    """The weights of the stages in the rows of the dense output."""
    unit = np.eye(pair.all_stages)
    change = np.zeros(pair.all_stages)
    change[: len(pair.a[-1])] = pair.a[-1]
    first, last = unit[0], unit[pair.stages - 1]
    return np.array([change, first - change, 2 * change - first - last, *np.array(pair.d).reshape(-1, pair.all_stages)])


def dense_weights(pair: Pair, theta: float) -> np.ndarray:
    """The weights b(θ) of the dense output: x(θ) = x + h Σ b_j k_j."""
    rows = weights_of_rows(pair)
    value = rows[-1]
    for number in range(len(rows) - 2, -1, -1):
        value = (1 - theta if number % 2 == 0 else theta) * value + rows[number]
    return theta * value


@pytest.mark.parametrize("name", PAIRS)
def test_the_dense_output_meets_the_conditions_of_all_rooted_trees_of_its_order(name: str) -> None:
    pair = PAIRS[name]
    a = square(pair)
    for theta in (0.2, 0.5, 0.9):
        b = dense_weights(pair, theta)
        for tree in up_to(DENSE_ORDERS[name]):
            exact = theta ** size(tree) / density(tree)
            assert b @ elementary_weights(tree, a) == pytest.approx(exact, abs=5e-14)


ROUGH = [name for name, pair in PAIRS.items() if pair.may_be_rough]


def defect_weights(pair: Pair) -> np.ndarray:
    """The weights of the stages in h x'(θ) of the dense output, where it is compared with the rates."""
    return np.array(slope_weights(pair.dense_rows, PROBE)) @ weights_of_rows(pair)


@pytest.mark.parametrize("name", ROUGH)
def test_the_slope_of_the_dense_output_tells_its_error_for_all_rooted_trees_that_it_misses(name: str) -> None:
    pair, order = PAIRS[name], DENSE_ORDERS[name] + 1
    a, slope = square(pair), defect_weights(PAIRS[name])
    dense = [(theta, dense_weights(pair, theta)) for theta in np.linspace(0, 1, 41)]
    found = []
    for tree in trees(order):
        weights = elementary_weights(tree, a)
        error = max(abs(b @ weights - theta**order / density(tree)) for theta, b in dense)
        found.append((error, abs(slope @ weights - order * PROBE ** (order - 1) / density(tree))))
    errors, defects = np.array(found).T
    large = errors > 0.1 * errors.max()
    assert (defects[large] > 2.5 * errors[large]).all() and (defects[large] < 9.0 * errors[large]).all()


@pytest.mark.parametrize("name", ROUGH)
@pytest.mark.parametrize("z", [-2.0, -4.0, -6.0, 2j, 4j])
def test_the_slope_tells_the_error_of_what_decays_and_swings(name: str, z: complex) -> None:
    pair = PAIRS[name]
    a = square(pair)
    k = np.linalg.solve(np.eye(len(a)) - z * a, np.ones(len(a)))
    times = np.linspace(0, 1, 41)
    error = max(abs(1 + z * dense_weights(pair, theta) @ k - np.exp(z * theta)) for theta in times)
    defect = abs(z * defect_weights(pair) @ k - z * (1 + z * dense_weights(pair, PROBE) @ k))
    assert 2.5 * error < defect < 9.0 * error


def test_the_errors_of_tp86_are_smaller_than_those_of_dop853_in_the_step_and_between() -> None:
    def missed(name: str, theta: float, order: int) -> float:
        b, a = dense_weights(PAIRS[name], theta), square(PAIRS[name])
        return max(abs(b @ elementary_weights(tree, a) - theta**order / density(tree)) for tree in trees(order))

    assert missed("TP86", 1.0, 9) < 0.1 * missed("DOP853", 1.0, 9)
    worst = {name: max(missed(name, theta, 8) for theta in (0.25, 0.5, 0.75, 0.9)) for name in ("TP86", "DOP853")}
    assert worst["TP86"] < 0.5 * worst["DOP853"]


@pytest.mark.parametrize("name", PAIRS)
def test_stages_lie_at_the_sums_of_their_weights_which_integrate_polynomials_exactly(name: str) -> None:
    pair = PAIRS[name]
    for c, row in zip((*pair.c, *pair.more_c), (*pair.a, *pair.more_a), strict=True):
        assert sum(row) == pytest.approx(c, abs=1e-14)
    pair = PAIRS[name]
    b, c = np.array(pair.a[-1]), np.array(pair.c[: len(pair.a[-1])])
    order = ORDERS[name]
    for power in range(order):
        assert b @ c**power == pytest.approx(1 / (power + 1), abs=1e-14)
    assert abs(b @ c**order - 1 / (order + 1)) > 1e-8
    for errors in pair.errors:  # an estimate of a constant rate's error is zero
        assert sum(errors) == pytest.approx(0.0, abs=1e-13)


def test_they_are_those_of_scipy() -> None:
    pair, theirs = PAIRS["DOP853"], dop853_coefficients
    assert np.array_equal(pair.a[-1], theirs.B)
    assert all(np.array_equal(row, theirs.A[k][:k]) for k, row in enumerate(pair.a[:-1]))
    assert np.array_equal(np.array(pair.d), theirs.D)
    for name, solver in (("RK45", integrate.RK45), ("RK23", integrate.RK23)):
        assert np.allclose(PAIRS[name].a[-1], solver.B, atol=1e-16)
        assert np.allclose(np.abs(PAIRS[name].errors[0]), np.abs(solver.E), atol=1e-16)
