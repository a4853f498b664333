"""Values as a user gives and gets them: symbols as vectors and matrices, numbers as arrays of any leading shape."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from ...errors import PolhodeError, ShapeError, understood
from ...expr import Expr, Matrix, Vector, as_expr
from . import spinor
from .scalars import Components, is_array, joined, split
from .spinor import Complex

if TYPE_CHECKING:
    import numpy as np

#: Kinds that are exact wherever they come from.
_EXACT = (Expr, Fraction, Vector, Matrix, Complex)


def is_exact(value: Any) -> bool:
    """Whether a value, or an entry of it, is an expression or an exact number."""
    if isinstance(value, _EXACT):
        return True
    if is_array(value):
        return bool(value.dtype == object) and any(isinstance(entry, _EXACT) for entry in value.ravel())
    return isinstance(value, list | tuple) and any(map(is_exact, value))


def matrix_of(value: Any) -> Any:
    """The matrix of a Rotation, SciPy's too; anything else as it is."""
    if hasattr(value, "as_matrix"):
        return value.as_matrix()
    return value.matrix if hasattr(value, "exact_matrix") else value


def read(value: Any, shape: tuple[int, ...], what: str, exact: bool | None = None) -> Components:
    """The components of `what`: expressions if exact, else arrays; `exact` reads decimals as rationals."""
    cure = f"Give {'×'.join(map(str, shape))} numbers or expressions, or an array of which these are the last axes."
    with understood(what, value, cure=cure):
        if exact or (exact is None and is_exact(value)):
            return _expressions(value, shape, what)
        return _numbers(value, shape, what)


def _expressions(value: Any, shape: tuple[int, ...], what: str) -> Components:
    entries = [*value] if len(shape) == 1 else [entry for row in value for entry in row]
    if len(entries) != prod(shape) or (len(shape) == 2 and len([*value]) != shape[0]):
        raise _misshapen(what, shape, f"{len(entries)} entries")
    return tuple(entry if isinstance(entry, Complex) else as_expr(entry) for entry in entries)


def _numbers(value: Any, shape: tuple[int, ...], what: str) -> Components:
    array = finite(value, what)
    depth = len(shape)
    if array.ndim < depth or array.shape[array.ndim - depth :] != shape:
        raise _misshapen(what, shape, f"an array of shape {array.shape}")
    return split(array.reshape(*array.shape[: array.ndim - depth], prod(shape)))


def finite(value: Any, what: str, kinds: str = "iuf") -> np.ndarray:
    """An array of floats, or of complex numbers if `kinds` has "c"."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in kinds:
        raise TypeError
    array = array.astype(complex if "c" in kinds else float)
    bad = ~np.isfinite(array)
    if bad.any():
        message = f"{what} holds {array[bad][0]}, at index {_index(np.argwhere(bad)[0])}."
        raise PolhodeError(message, cure="Give finite numbers.", code="E-ROTATION-NUMBER")
    return array


def _index(index: Any) -> str:
    return str(tuple(int(k) for k in index)) if len(index) != 1 else str(int(index[0]))


def _misshapen(what: str, shape: tuple[int, ...], actual: str) -> ShapeError:
    form = "×".join(map(str, shape))
    return ShapeError(
        f"{what} has {form} components, not {actual}.",
        cure="Batches have their axes before these." if "shape" in actual else "",
        code="E-ROTATION-SHAPE",
    )


def written(components: Components, shape: tuple[int, ...], batch: tuple[int, ...] | None) -> Any:
    """A Vector or Matrix of expressions, or an array."""
    if batch is None:
        entries = [as_expr(entry) for entry in components]
        return (
            Vector(entries)
            if len(shape) == 1
            else Matrix([entries[k : k + shape[1]] for k in range(0, len(entries), shape[1])])
        )
    array = joined(components, batch)
    return array.reshape(*array.shape[:-1], *shape)


def read_spinor(value: Any, what: str, exact: bool | None = None) -> Components:
    """The quaternion of a spinor (ψ1, ψ2), or of its rate."""
    with understood(what, value, cure="Give two complex numbers, or an array of which they are the last axis."):
        if exact or (exact is None and is_exact(value)):
            parts = spinor.quaternion_of([Complex.of(entry) for entry in _expressions(value, (2,), what)])
            return tuple(map(as_expr, parts))
        array = finite(value, what, "iufc")
        if array.shape[-1:] != (2,):
            raise _misshapen(what, (2,), f"an array of shape {array.shape}")
        return spinor.quaternion_of(split(array))


def written_spinor(q: Components, batch: tuple[int, ...] | None) -> Any:
    """A quaternion as a spinor: two exact complex numbers, or a complex array."""
    if batch is None:
        return spinor.spinor_of([as_expr(entry) for entry in q])
    return joined((q[3] + 1j * q[0], q[1] + 1j * q[2]), batch)


def first_true(mask: Any) -> str:
    """Index of the first true member of a batch, in words."""
    import numpy as np

    index = np.argwhere(np.atleast_1d(mask))[0]
    return "the rotation" if np.ndim(mask) == 0 else f"rotation {_index(index)}"


@contextmanager
def silent() -> Iterator[None]:
    """Context without NumPy's floating-point warnings."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        yield


def any_true(mask: Any) -> bool:
    """Whether something holds of any member of a batch."""
    return bool(mask.any() if is_array(mask) else mask)


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of batches that are combined member by member."""
    import numpy as np

    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        message = f"batches of shapes {' and '.join(map(str, dict.fromkeys(shapes)))} do not go together."
        cure = "Give as many of one as of the other, or one."
        raise ShapeError(message, cure=cure, code="E-ROTATION-SHAPE") from None


def batch_of(components: Components) -> tuple[int, ...]:
    """The shape of the batch that components are of; () of one."""
    shapes = [entry.shape for entry in components if is_array(entry)]
    return broadcast(*shapes) if shapes else ()


def one_column(angles: Any) -> Any:
    """Angles about one axis with that axis last: a number, a list of them or a column become columns."""
    if is_exact(angles):
        return [*angles] if isinstance(angles, list | tuple) else [angles]
    import numpy as np

    array = np.asarray(angles)
    return array if array.ndim and array.shape[-1] == 1 else array[..., None]


def is_rounded(value: Any) -> bool:
    """Whether a vector or matrix is numeric (arrays, floats, plain lists), not of exact kinds as in `ph.Rotation`."""
    if not isinstance(value, list | tuple):
        return is_array(value) or isinstance(value, float)
    flat = [entry for row in value for entry in (row if isinstance(row, list | tuple) else (row,))]
    if any(isinstance(entry, Expr) for entry in flat):
        return False
    return any(map(is_rounded, flat)) or not is_exact(value)
