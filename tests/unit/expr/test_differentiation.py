"""Derivatives: forward, reverse, complex step and central difference agree."""

import cmath
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polhode.errors import PolhodeError
from polhode.expr import Expr, cos, derivative, directional, evaluate, gradient, jacobian, sin, symbols, topological
from polhode.expr.differentiation import PARTIALS
from polhode.expr.graph import rebuild_named

x, y, z = symbols("x y z")

ON_COMPLEX: dict[str, Callable[..., complex]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "neg": lambda a: -a, "pow": lambda a, b: a**b, "sqrt": cmath.sqrt, "sin": cmath.sin, "cos": cmath.cos,
    "exp": cmath.exp, "log": cmath.log, "asin": cmath.asin, "acos": cmath.acos, "atan": cmath.atan,
    "atan2": lambda a, b: cmath.atan(a / b), "sinh": cmath.sinh, "cosh": cmath.cosh, "tanh": cmath.tanh,
    "pi": lambda: cmath.pi + 0j,
}  # fmt: skip


def complex_step(root: Expr, variable: Expr, point: Mapping[Expr, float]) -> float:
    """Im f(x + ih)/h, exact to rounding for an analytic f."""
    made: dict[int, complex] = {}
    for node in topological([root]):
        if node.op == "number":
            made[id(node)] = complex(node.data)
        elif node.op == "symbol":
            made[id(node)] = complex(point[node], 1e-30 if node is variable else 0.0)
        else:
            made[id(node)] = ON_COMPLEX[node.op](*(made[id(arg)] for arg in node.args))
    return made[id(root)].imag / 1e-30


def central_difference(root: Expr, variable: Expr, point: Mapping[Expr, float], h: float = 1e-6) -> float:
    up, down = ({**point, variable: point[variable] + step} for step in (h, -h))
    return (evaluate([root], up)[0] - evaluate([root], down)[0]) / (2 * h)


@given(seed=st.integers(0, 2**32))
@settings(max_examples=60)
def test_forward_equals_reverse_equals_complex_step(seed: int, grow: Any, point: dict[Expr, float]) -> None:
    root = grow(seed, True)
    backward = gradient(root, [x, y, z])
    for variable, reverse in zip((x, y, z), backward, strict=True):
        (forward,) = derivative([root], variable)
        assert forward == reverse
        value, other = evaluate([forward, reverse], point)
        assert value == pytest.approx(other, rel=1e-9, abs=1e-9)
        assert value == pytest.approx(complex_step(root, variable, point), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("op", sorted(PARTIALS))
def test_every_operation_has_the_partials_of_its_own_values(op: str) -> None:
    count = PARTIALS[op].__code__.co_argcount - 1
    operands = [x, y, z][:count]
    point = {x: 0.62, y: 0.47, z: 0.21}
    node = rebuild_named(op, operands)
    partials = PARTIALS[op](node, *operands)
    assert len(partials) == count
    for operand, partial in zip(operands, partials, strict=True):
        assert evaluate([partial], point)[0] == pytest.approx(central_difference(node, operand, point), abs=1e-8)
        assert derivative([node], operand)[0] == partial


@pytest.mark.parametrize("op", ["abs", "sign", "floor", "min", "max", "atan2"])
def test_partials_hold_on_the_other_side_of_a_kink(op: str) -> None:
    operands = [x, y][: PARTIALS[op].__code__.co_argcount - 1]
    point = {x: -0.62, y: 0.47}
    node = rebuild_named(op, operands)
    for operand in operands:
        (slope,) = derivative([node], operand)
        assert evaluate([slope], point)[0] == pytest.approx(central_difference(node, operand, point), abs=1e-8)


def test_derivatives_along_directions_and_mixed_ones() -> None:
    root = sin(x * y) / (1 + x**2)
    (rate,) = directional([root], {x: cos(y), y: x})
    d_x, d_y = gradient(root, [x, y])
    assert rate == d_x * cos(y) + d_y * x
    root = sin(x * y) ** 2 / (x + y)
    assert root.diff(x, y) == root.diff(y, x)
    with pytest.raises(PolhodeError, match="no symbol"):
        derivative([x * y], x * y)


def test_a_jacobian_is_the_same_by_columns_and_by_rows() -> None:
    roots = [x * y, sin(x) + y]
    tall, wide = jacobian(roots, [x]), jacobian(roots, [x, y, z])
    assert tall.shape == (2, 1)
    assert wide.shape == (2, 3) and [row[0] for row in wide] == [row[0] for row in tall] and wide[0, 2] == 0


def test_a_shared_node_is_differentiated_once() -> None:
    root: Expr = x
    for _ in range(200):
        root = sin(root) * root
    assert len(topological([root.diff(x)])) < 3000
