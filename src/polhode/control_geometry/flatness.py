"""Whether outputs are flat: whether they and their derivatives give the whole state, and so the inputs.

M. Fliess, J. Lévine, P. Martin and P. Rouchon, *Flatness and defect of non-linear systems* (1995). With as many outputs
as inputs, y is a flat output if every dx is a combination of dy, dẏ, …, dy^(k), in which inputs and their derivatives
are variables of their own. The orders that are needed, plus one, are the relative degrees after integrators have been
put before some inputs (dynamic extension): their sum is the order of the extended system, n + their number.

Whether feedback and a change of coordinates make the whole state linear: the conditions on nested distributions.

B. Jakubczyk and W. Respondek, *On linearization of control systems* (1980); A. Isidori, *Nonlinear Control Systems*
(1995), theorem 5.2.3; for one input C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body
Systems", theorem 7. With

    G₀ = span{g₁ … gₘ},    Gₖ = Gₖ₋₁ + span{ad_f^k g₁ … ad_f^k gₘ}

outputs whose relative degrees sum up to n exist near a state if and only if there the Gₖ have constant rank, those that
do not span the whole state are involutive, and the last spans it. While they are involutive they do not change under
regular feedback, so they are found in the form that leaves most of M out (`affine.Regular`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import Expr, Matrix, as_expr, directional, independent_columns, jacobian, quiet_collector, rank, symbol
from ..geometry.vector_fields import Field, bracket, independent, is_involutive
from ..notebook import Told
from .affine import Plant, outputs_of
from .at_state import AtState, Query

_PLACE = "is_flat_output"


@dataclass(frozen=True, eq=False, repr=False)
class FlatOutput(Told):
    """Whether outputs are flat, at almost every state.

    `degrees` are their relative degrees after dynamic extension with `integrators` integrators, where they are; `known`
    is how many of the `size` states they and their derivatives give, and `reason` says what is missing.
    """

    is_flat: bool
    size: int
    known: int
    degrees: tuple[int, ...]
    reason: str

    @property
    def integrators(self) -> int:
        """Number of integrators before inputs in the extended system."""
        return max(0, sum(self.degrees) - self.size)

    def __bool__(self) -> bool:
        return self.is_flat

    def __str__(self) -> str:
        if not self.is_flat:
            return f"not flat: {self.reason}."
        extended = f"{self.size} + {self.integrators}" if self.integrators else f"{self.size}"
        count = f" with {self.integrators} integrators before inputs" if self.integrators else ""
        return f"flat: relative degrees {{{', '.join(map(str, self.degrees))}}}{count}, their sum being {extended}."


def is_flat_output(query: Query, outputs: Any) -> FlatOutput:
    """Whether the outputs, as many as inputs, and their derivatives give the whole state."""
    with quiet_collector():
        plant, _ = query.plant(_PLACE)
        targets = outputs_of(plant, outputs)
        size, count = plant.size, len(plant.inputs)
        if len(targets) != count:
            reason = f"{len(targets)} outputs are given, and a flat output has as many as there are inputs, {count}"
            return FlatOutput(False, size, 0, (), reason)
        return _tested(plant, targets)


def _tested(plant: Plant, outputs: dict[str, Expr]) -> FlatOutput:
    jets = _Jets(plant, [*outputs.values()])
    size, count, driven = plant.size, len(outputs), 0
    while True:
        rows = [row for level in jets.rows for row in level]
        table = jets.table(rows)
        basis = independent_columns(Matrix(table).T)
        if len(basis) < len(table):  # a derivative is a combination of others: so are all later ones
            name = [*outputs][min(set(range(len(table))) - {*basis}) % count]
            return FlatOutput(False, size, 0, (), f"'{name}' follows from the other outputs and their derivatives")
        inputs = rank([row[size:] for row in table]) if len(table[0]) > size else 0
        if len(table) - inputs == size:
            break
        if inputs - driven == count:  # all later derivatives bring inputs alone
            return FlatOutput(
                False, size, len(table) - inputs, (),
                f"the outputs and their derivatives give {len(table) - inputs} of {size} states",
            )  # fmt: skip
        driven = inputs
        jets.differentiate()
    return FlatOutput(True, size, size, _least(jets, size, count), "")


def _least(jets: _Jets, size: int, count: int) -> tuple[int, ...]:
    """For each output how many of its derivatives, itself among them, are enough together."""
    degrees = [len(jets.rows)] * count
    for i in range(count):
        while degrees[i] > 0:
            trial = [degree - (k == i) for k, degree in enumerate(degrees)]
            table = jets.table(
                [level[k] for order, level in enumerate(jets.rows) for k in range(count) if order < trial[k]]
            )
            inputs = rank([row[size:] for row in table]) if table and len(table[0]) > size else 0
            if rank(table) - inputs < size:
                break
            degrees = trial
    return tuple(degrees)


class _Jets:
    """Outputs and their derivatives, of the state and of inputs with their derivatives."""

    def __init__(self, plant: Plant, outputs: list[Expr]) -> None:
        self.made, self.values = plant, [outputs]
        self.inputs: list[list[Expr]] = []
        self.rows = [self._rows(outputs)]

    def _rows(self, values: list[Expr]) -> list[list[Expr]]:
        flat = [x for level in self.inputs for x in level]
        slopes = self.made.differentials(values)
        others: Sequence[Sequence[Any]] = jacobian(values, flat) if flat else [[]] * len(values)
        return [[*map(as_expr, a), *map(as_expr, b)] for a, b in zip(slopes, others, strict=True)]

    def table(self, rows: Sequence[list[Expr]]) -> list[list[Expr]]:
        """Rows of one length."""
        width = self.made.size + sum(map(len, self.inputs))
        return [[*row, *[as_expr(0)] * (width - len(row))] for row in rows]

    def differentiate(self) -> None:
        """The next derivative of all outputs."""
        form, order = self.made.regular, len(self.inputs)
        self.inputs.append([symbol(f"v{j}_{order}", "input derivative") for j in range(len(form.fields))])
        along: dict[Expr, Any] = dict(zip(form.variables, form.drift, strict=True))
        for v, g in zip(self.inputs[0], form.fields, strict=True):
            for x, entry in zip(form.variables, g, strict=True):
                along[x] = along[x] + v * entry if entry else along[x]
        for now, later in zip(self.inputs, self.inputs[1:], strict=False):
            along |= dict(zip(now, later, strict=True))
        self.values.append(directional(self.values[-1], along))
        self.rows.append(self._rows(self.values[-1]))


_LINEARIZABLE = "is_feedback_linearizable"


@dataclass(frozen=True, eq=False, repr=False)
class Linearizability(Told):
    """The ranks of G₀, G₁, … at almost every state, whether each is involutive, and the ranks at the given state.

    `fields` are the fields that span the last distribution, level by level; `indices` the relative degrees, greatest
    first, of outputs that make the state linear, where there are such outputs.
    """

    size: int
    inputs: tuple[str, ...]
    ranks: tuple[int, ...]
    involutive: tuple[bool, ...]
    fields: tuple[Field, ...]
    ranks_at: tuple[int, ...] | None = None

    @property
    def is_linearizable(self) -> bool:
        """Whether all conditions hold at almost every state and, if one was given, there."""
        return self.ranks[-1] == self.size and all(self.involutive) and self.ranks_at in (None, self.ranks)

    @property
    def indices(self) -> tuple[int, ...]:
        """Relative degrees of linearizing outputs: as many are at least k as rank Gₖ₋₁ grew by."""
        if not (self.ranks[-1] == self.size and all(self.involutive)):
            return ()
        growth = [b - a for a, b in zip((0, *self.ranks), self.ranks, strict=False)]
        return tuple(sum(step > j for step in growth) for j in range(growth[0]))

    def __bool__(self) -> bool:
        return self.is_linearizable

    @property
    def sentences(self) -> tuple[str, ...]:
        """Each condition and whether it holds, in words."""
        sentences = []
        for k, (dimension, closed) in enumerate(zip(self.ranks, self.involutive, strict=True)):
            words = f"{self._span(k)} has rank {dimension} of {self.size}"
            if dimension < self.size:
                words += " and is involutive" if closed else " and is not involutive: brackets of its fields leave it"
            if self.ranks_at is not None and self.ranks_at[k] != dimension:
                words += f"; at the given state it has rank {self.ranks_at[k]}, which is not constant near it"
            sentences.append(f"{words}.")
        if all(self.involutive) and self.ranks[-1] < self.size:
            sentences.append(f"Further brackets with the drift lead nowhere else: {self.ranks[-1]} of {self.size}.")
        return tuple(sentences)

    def _span(self, k: int) -> str:
        if len(self.inputs) > 1:
            return f"G{k}"
        names = ["g", *(f"ad_f{f'^{j}' if j > 1 else ''} g" for j in range(1, k + 1))]
        return f"the span of {', '.join(names)}" if k else "the span of g"

    def __str__(self) -> str:
        if self.is_linearizable:
            degrees = ", ".join(map(str, self.indices))
            head = f"feedback linearizable: outputs of relative degrees {{{degrees}}} exist"
        else:
            head = "not feedback linearizable by static feedback"
        return "\n".join([f"{head}.", *self.sentences])


def is_feedback_linearizable(query: Query) -> Linearizability:
    """Conditions for full state linearization, at almost every state and at a given one."""
    with quiet_collector():
        plant, state = query.plant(_LINEARIZABLE)
        return linearizability(plant, state)


def linearizability(plant: Plant, state: AtState | None = None) -> Linearizability:
    """The conditions for a mechanism with its controls."""
    form = plant.regular
    variables, last = form.variables, [g for g in form.fields if any(g)]
    basis: list[Field] = independent([], last)
    ranks, involutive, fields = [len(basis)], [_is_closed(basis, variables, plant.size)], [*last]
    counts = [len(fields)]
    while involutive[-1] and ranks[-1] < plant.size:
        last = [bracket(form.drift, X, variables) for X in last]
        fresh = independent(basis, last)
        if not fresh:
            break
        basis, fields = [*basis, *fresh], [*fields, *last]
        ranks.append(len(basis))
        counts.append(len(fields))
        involutive.append(_is_closed(basis, variables, plant.size))
    at = None if state is None else tuple(state.rank(fields[:count]) for count in counts)
    return Linearizability(plant.size, tuple(plant.inputs), tuple(ranks), tuple(involutive), tuple(fields), at)


def _is_closed(basis: list[Field], variables: list[Expr], size: int) -> bool:
    return len(basis) == size or is_involutive(basis, variables)
