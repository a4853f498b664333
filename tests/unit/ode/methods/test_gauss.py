"""Coefficients of Gauss' methods: their order, their symmetry, and digits beyond a double's."""

from fractions import Fraction

import pytest

from polhode.ode.methods.gauss import gauss


def exact(pair: tuple[float, float]) -> Fraction:
    return Fraction(pair[0]) + Fraction(pair[1])


@pytest.mark.parametrize("stages", [2, 3])
def test_weights_integrate_polynomials_to_twice_the_stages_and_a_step_is_symplectic(stages: int) -> None:
    method = gauss(stages)
    for power in range(method.order):
        total = sum(sum(pair) * c**power for pair, c in zip(method.b, method.c, strict=True))
        assert total == pytest.approx(1 / (power + 1), abs=1e-15)
    method = gauss(stages)
    b = [exact(pair) for pair in method.b]
    for i in range(stages):
        for j in range(stages):
            product = b[i] * exact(method.a[i][j]) + b[j] * exact(method.a[j][i]) - b[i] * b[j]
            assert abs(product) < 1e-31


@pytest.mark.parametrize("stages", [2, 3])
@pytest.mark.parametrize("steps", [1, 2])
def test_polynomials_of_earlier_steps_are_continued(stages: int, steps: int) -> None:
    method = gauss(stages)
    nodes = [c - back for back in range(steps - 1, -1, -1) for c in method.c]
    for row, c in zip(method.continued[steps - 1], method.c, strict=True):
        for power in range(steps * stages):
            found = sum(weight * node**power for weight, node in zip(row, nodes, strict=True))
            assert found == pytest.approx((1 + c) ** power, rel=1e-10)
