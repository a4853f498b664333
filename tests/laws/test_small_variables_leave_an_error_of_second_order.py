"""Equations to first order in small variables: one polynomial for all formalisms, off by what is of second order."""

import random

import numpy as np
import pytest
from tests.seeds import seeds

import polhode as ph
from polhode.expr import as_expr, evaluate, free_symbols, jacobian, same, substitute
from polhode.formalisms.registry import names
from polhode.model.samples.random_system import random_system
from polhode.model.samples.vehicles import INDEPENDENT, upright, whipple_bicycle

AXES = ("revolute", "prismatic", "universal")


def some_small(system: ph.System) -> list[str]:
    """Every other coordinate of the joints."""
    return [q.name for joint in system.joints.values() for q in joint.q][::2]


def drawn(seed: int) -> ph.System:
    return random_system(seed, bodies=3, joints=AXES, max_speeds=4)


@pytest.mark.parametrize("seed", seeds((2,), of=20))
def test_every_formalism_is_truncated_to_the_same_functions(seed: int) -> None:
    system = drawn(seed)
    first, *others = (system.derive(name, small=some_small(system)) for name in [*names(), "auto"])
    for other in others:
        assert first.agrees_with(other), other.formalism
        assert same(first.bias, other.bias)


@pytest.mark.parametrize("seed", seeds((0, 2), of=(0, 2, 3, 5)))
def test_half_the_size_is_a_quarter_of_the_error(seed: int) -> None:
    system = drawn(seed)
    whole, few = system.derive(small=[]), system.derive(small=some_small(system))
    gap = [as_expr(a - b) for a, b in zip(whole.inverse_dynamics, few.inverse_dynamics, strict=True)]
    dice = random.Random(seed)
    at = {x: dice.uniform(-1, 1) for x in free_symbols([*whole.inverse_dynamics, *few.inverse_dynamics])}
    small = few.record.small
    assert small is not None

    def error(size: float) -> float:
        return float(np.linalg.norm(evaluate(gap, at | {x: at[x] * size for x in small.symbols if x in at})))

    assert error(1e-3) / error(5e-4) == pytest.approx(4, rel=0.05)


@pytest.mark.parametrize("seed", seeds(2, of=20))
def test_where_all_is_small_the_equations_are_the_linear_ones(seed: int) -> None:
    system = random_system(seed, bodies=3, joints=("revolute", "prismatic"), max_speeds=5, loads=False)
    few = system.derive(small=list(system.joints))
    linear = system.derive(small=[]).linearize(accelerations=dict.fromkeys(few.speeds, 0))
    assert same(few.mass_matrix.entries(), linear.second_order.M.entries())
    assert same(jacobian(list(few.bias), list(few.u)).entries(), linear.second_order.C.entries())
    assert same(jacobian(list(few.bias), list(few.q)).entries(), linear.second_order.K.entries())
    assert same(substitute(few.bias, dict.fromkeys([*few.q, *few.u], 0)), linear.residual)


def test_a_bicycle_whose_lean_and_steer_are_small_is_the_benchmark_and_takes_a_third_of_the_operations() -> None:
    bicycle = whipple_bicycle()
    options = {"constraints": "embedded", "independent": INDEPENDENT}
    whole, few = (bicycle.derive(**options, small=small) for small in ([], ["y", "yaw", "lean", "steer"]))
    ours, theirs = (each.linearize(upright(bicycle)).eigenvalues() for each in (few, whole))
    assert np.abs(ours).max() > 10
    np.testing.assert_allclose(np.sort_complex(ours), np.sort_complex(theirs), atol=1e-5)
    assert few.operations().multiplications < whole.operations().multiplications / 3


def test_a_run_is_off_by_a_quarter_where_it_is_half_as_large() -> None:
    system = ph.System("whirling pendulum")
    turn = system.joint("turn", system.ground, system.body("hub", inertia=(1, 1, 1)), ph.Revolute("z"))
    system.joint("swing", "hub", system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), at=(1, 0, 0))
    system.joint_force(turn, -turn.u[0] / 5)
    whole, few = system.derive(), system.derive(small=["swing"])

    def error(size: float) -> float:
        start = {"start": {"swing": size}, "speeds": {"turn": size}, "method": "rk4", "step": 0.01}
        one, other = (each.simulate(1, **start, samples=11) for each in (whole, few))
        return float(np.abs(one["turn"] - other["turn"]).max() + np.abs(one["swing"] - other["swing"]).max())

    assert error(0.1) / error(0.05) > 3.8
