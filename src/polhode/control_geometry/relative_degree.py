"""Vector relative degree and decoupling matrix: which derivatives of outputs the inputs reach.

A. Isidori, *Nonlinear Control Systems* (1995), sections 4.1 and 5.1. The degree rᵢ of an output hᵢ is the first
derivative in which an input appears:

    yᵢ^(rᵢ) = bᵢ(x) + Σ Aᵢⱼ(x) cⱼ,     bᵢ = L_f^rᵢ hᵢ,     Aᵢⱼ = L_gⱼ L_f^(rᵢ-1) hᵢ

The vector of degrees exists where the decoupling matrix A has full rank: at almost every state or nowhere, and at a
state only if A has full rank there. Degrees do not change under regular feedback, so they are found in the form that
leaves most of M out (`affine.Regular`), and A and b are brought back to the inputs when they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..errors import PolhodeError
from ..expr import Expr, Matrix, Vector, as_expr, is_zero, quiet_collector, rank
from ..expr.typeset import Typeset
from ..geometry.vector_fields import lie_derivative
from .affine import Plant, outputs_of
from .at_state import Asked, AtState
from .determinant import determinant, vanishing_factors

_PLACE = "relative_degree"
#: Chains no longer than this are differentiated on: to look whether they end costs more.
_SHORT_CHAIN = 4


@dataclass(frozen=True, eq=False, repr=False)
class RelativeDegree(Typeset):
    """The degrees of outputs, at almost every state and, if one was given, there.

    `degrees` are None for an output that no input reaches. `chain` has for each output h, L_f h, … before an input
    appears. `exists` says whether the vector of degrees exists at almost every state, `exists_at` at the given one.
    """

    outputs: dict[str, Expr]
    inputs: list[str]
    degrees: tuple[int | None, ...]
    chain: tuple[tuple[Expr, ...], ...]
    rank: int  # of the decoupling matrix, at almost every state
    plant: Plant
    driven_drift: Vector  # y^(r) = driven_drift + driven v, in the form after feedback
    driven: Matrix
    state: AtState | None

    @property
    def total(self) -> int:
        """The sum of the degrees."""
        return sum(degree or 0 for degree in self.degrees)

    @property
    def size(self) -> int:
        """The dimension of the state: where it equals `total`, there are no zero dynamics."""
        return self.plant.size

    @property
    def exists(self) -> bool:
        """Whether there is a vector relative degree at almost every state."""
        return None not in self.degrees and self.rank == len(self.outputs)

    @cached_property
    def exists_at(self) -> bool | None:
        """Whether there is one at the given state; None without one."""
        if self.state is None:
            return None
        if not self.exists or self.state.is_zero(self.plant.regular.condition):
            return False
        return self.state.rank(list(self.driven)) == len(self.outputs)

    @cached_property
    def decoupling(self) -> Matrix:
        """A: the outputs' derivatives of these degrees by the inputs."""
        return (self.driven @ self.plant.feedback[1]).map(as_expr)

    @cached_property
    def drift(self) -> Vector:
        """b: those derivatives without inputs."""
        added = self.driven @ self.plant.feedback[0]
        return Vector([as_expr(a + b) for a, b in zip(self.driven_drift, added, strict=True)])

    @cached_property
    def determinant(self) -> Expr:
        """What vanishes where A is singular, for as many outputs as inputs: det A but for factors that never do."""
        if len(self.outputs) != len(self.inputs):
            message = f"{len(self.outputs)} outputs and {len(self.inputs)} inputs have no determinant."
            raise PolhodeError(message, _PLACE, "Give as many outputs as inputs.", "E-GEOMETRY-SHAPE")
        return as_expr(determinant(self.driven) * self.plant.regular.condition)

    @cached_property
    def singular(self) -> tuple[Expr, ...]:
        """The degree is lost where one of these vanishes; none, where it is not lost anywhere."""
        known = self.plant.regular.positive, self.plant.masses
        return tuple(vanishing_factors(self.determinant, *known)) if self.exists else ()

    def __str__(self) -> str:
        lost = [name for name, degree in zip(self.outputs, self.degrees, strict=True) if degree is None]
        if lost:
            return f"no relative degree: no input ever reaches {', '.join(lost)}."
        told = _braced(self.degrees)
        if not self.exists:
            return (
                f"no vector relative degree: inputs appear in the derivatives {told}, but the decoupling matrix has "
                f"rank {self.rank} of {len(self.outputs)} at every state."
            )
        words = f"relative degree {told} of {self.size} states"
        if len(self.outputs) == len(self.inputs) and self.singular:
            words += f", lost where {' or '.join(f'{_short(each)} = 0' for each in self.singular)}"
        if self.exists_at is not None:
            words += "; at the given state too" if self.exists_at else f"; none at the given state{self._why()}"
        return f"{words}."

    def _why(self) -> str:
        if self.state is None or len(self.outputs) != len(self.inputs):
            return ""
        found = [_short(each) for each in self.singular if self.state.is_zero(each)]
        return f", where {' and '.join(found)} {'vanishes' if len(found) == 1 else 'vanish'}" if found else ""

    def __repr__(self) -> str:
        return f"RelativeDegree({self})"

    def _formulas(self) -> list[tuple[str, Any]]:
        return [("A", self.decoupling), ("b", self.drift)] if self.exists else []

    def _sentences(self) -> list[str]:
        rates = [f"{name}{chr(39) * degree}" for name, degree in zip(self.outputs, self.degrees, strict=True) if degree]
        meaning = f"A and b are those of ({', '.join(rates)}) = b + A ({', '.join(self.inputs)})."
        told = f"{self}"
        return [told[0].upper() + told[1:], *([meaning] if self.exists else [])]

    def _text(self) -> str:
        return str(self)


def _braced(degrees: Sequence[int | None]) -> str:
    return f"{degrees[0]}" if len(degrees) == 1 else f"{{{', '.join(map(str, degrees))}}}"


def _short(entry: Expr) -> str:
    text = str(entry)
    return text if len(text) < 80 and "…" not in text else "its determinant"


def relative_degree(asked: Asked, outputs: Any) -> RelativeDegree:
    """The vector relative degree of outputs, at almost every state and, if one is given (`{}` is home), there."""
    with quiet_collector():
        made, state = asked.plant(_PLACE)
        return degrees_of(made, outputs_of(made, outputs), state)


def _is_closed(made: Plant, chain: Sequence[Expr]) -> bool:
    """Whether the last derivative is a function of those before."""
    if len(chain) <= _SHORT_CHAIN:
        return is_zero(chain[-1])
    return rank(made.differentials(chain)) < len(chain)


def degrees_of(made: Plant, outputs: dict[str, Expr], state: AtState | None) -> RelativeDegree:
    """The degrees of outputs of a mechanism with its controls."""
    form = made.regular
    if not form.fields:
        message = "no input is named, so that none reaches an output."
        raise PolhodeError(message, "relative_degree", "Name the controls: inputs=[…].", "E-CONTROL-MISSING")
    chains: list[list[Expr]] = [[entry] for entry in outputs.values()]
    rows: list[list[Expr] | None] = [None] * len(chains)
    open_rows = list(range(len(chains)))
    while open_rows:
        last = [chains[i][-1] for i in open_rows]
        reached = [lie_derivative(last, g, form.variables) for g in form.fields]
        for i, row in zip(open_rows, zip(*reached, strict=True), strict=True):
            if not all(map(is_zero, row)):
                rows[i] = list(row)
        open_rows = [i for i in open_rows if rows[i] is None]
        rates = lie_derivative([chains[i][-1] for i in open_rows], form.drift, form.variables)
        for i, rate in zip(open_rows, rates, strict=True):
            chains[i].append(rate)
        # where the differential of a derivative is spanned by those before, all later ones are, and no input appears
        open_rows = [i for i in open_rows if not _is_closed(made, chains[i])]
    degrees = tuple(None if row is None else len(chain) for row, chain in zip(rows, chains, strict=True))
    width = len(form.fields)
    driven = Matrix([row or [as_expr(0)] * width for row in rows])
    drift = Vector(lie_derivative([chain[-1] for chain in chains], form.drift, form.variables))
    chain = tuple(tuple(each) for each in chains)
    return RelativeDegree(outputs, [*made.inputs], degrees, chain, rank(driven), made, drift, driven, state)
