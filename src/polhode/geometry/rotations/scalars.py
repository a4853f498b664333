"""Functions of a scalar of any kind: an expression, a float, or a NumPy array that holds one value for each rotation.

A chart is written once, on components: a tuple of scalars. An array with components along its last axis is split into
such a tuple, so that a batch of any shape goes through the same lines as symbols do, and no line loops over it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...expr import functions

if TYPE_CHECKING:
    import numpy as np

Components = tuple[Any, ...]
Numbers = Sequence[Any]


def is_array(x: Any) -> bool:
    """Whether a scalar is an array of NumPy's, one of its numbers included."""
    return hasattr(x, "ndim")


def is_rounded(x: Any) -> bool:
    """Whether a scalar is a float or an array: not exact."""
    return is_array(x) or isinstance(x, float)


def _of_any_scalar(name: str, on_arrays: str) -> Callable[..., Any]:
    exact = functions.BY_NAME[name]

    def function(*args: Any) -> Any:
        if any(map(is_array, args)):
            import numpy as np

            return getattr(np, on_arrays)(*args)
        return exact(*args)

    function.__name__ = name
    function.__doc__ = f"{name}, of an expression, a float or an array."
    return function


#: Functions by name, each with what NumPy calls it.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: _of_any_scalar(name, on_arrays)
    for name, on_arrays in {
        "sin": "sin", "cos": "cos", "tan": "tan", "sqrt": "sqrt", "exp": "exp", "log": "log", "asin": "arcsin",
        "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
        "abs": "abs", "sign": "sign", "min": "minimum", "max": "maximum", "floor": "floor",
    }.items()
}  # fmt: skip
sin, cos, sqrt, absolute, atan2 = (FUNCTIONS[name] for name in ("sin", "cos", "sqrt", "abs", "atan2"))
maximum, minimum = FUNCTIONS["max"], FUNCTIONS["min"]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Σ aᵢ bᵢ without zero terms."""
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        if not (is_plain_zero(x) or is_plain_zero(y)):
            total = x * y if is_plain_zero(total) else total + x * y
    return total


def is_plain_zero(x: Any) -> bool:
    return not is_array(x) and not x


def cross(a: Sequence[Any], b: Sequence[Any]) -> Components:
    """a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def applied(rows: Iterable[Sequence[Any]], x: Sequence[Any]) -> Components:
    """A matrix times a vector."""
    return tuple(dot(row, x) for row in rows)


def total(*terms: Sequence[Any]) -> Components:
    """The sum of vectors."""
    return tuple(sum(entries[1:], start=entries[0]) for entries in zip(*terms, strict=True))


def scaled(factor: Any, x: Sequence[Any]) -> Components:
    """A vector times a scalar."""
    return tuple(factor * entry for entry in x)


def split(array: np.ndarray) -> Components:
    """The components along the last axis."""
    return tuple(array[..., k] for k in range(array.shape[-1]))


def joined(components: Sequence[Any], shape: tuple[int, ...] = ()) -> np.ndarray:
    """Components along a last axis, each spread over a batch of the given shape."""
    import numpy as np

    spread = np.broadcast_shapes(shape, *(np.shape(x) for x in components))
    array = np.empty((*spread, len(components)), dtype=np.result_type(float, *components))
    for k, x in enumerate(components):
        array[..., k] = x
    return array
