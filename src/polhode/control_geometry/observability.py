"""Observability: which states outputs determine, with their rates along drift and inputs.

R. Hermann and A. J. Krener, *Nonlinear controllability and observability* (1977). The smallest codistribution that
holds the differentials of the outputs and of their Lie derivatives along drift and inputs has the observable rank:
where it is that of the state, neighbouring states are distinguished (rank condition). A state is observable by itself
where its own differential is among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import Expr, Matrix, independent_columns, is_zero, quiet_collector, rank, topological
from ..geometry.vector_fields import NODE_LIMIT, lie_derivative
from ..notebook import Told
from .affine import Plant, outputs_of, plant
from .at_state import AtState, Query, linear_rank

_PLACE = "observability"


@dataclass(frozen=True, eq=False, repr=False)
class Observability(Told):
    """How many of the `size` states the outputs determine, at almost every state and, as `at`, at a given one.

    `growth` are the ranks with ever higher derivatives. `unobservable` are the states that are not determined each by
    itself, `unseen` those among them that nothing that is measured depends on.
    """

    size: int
    growth: tuple[int, ...]
    unobservable: tuple[str, ...]
    unseen: tuple[str, ...]
    is_complete: bool
    at: int | None = None

    @property
    def rank(self) -> int:
        """The rank at almost every state."""
        return self.growth[-1]

    @property
    def is_observable(self) -> bool:
        """Whether neighbouring states can be distinguished, at almost every state."""
        return self.rank == self.size

    def __bool__(self) -> bool:
        return self.is_observable

    def __str__(self) -> str:
        if self.is_observable:
            text = f"observable: outputs and their rates determine all {self.size} states"
        else:
            limit = "" if self.is_complete else " as far as derivatives were followed"
            text = f"not observable{limit}: rank {self.rank} of {self.size}"
            if self.unseen:
                text += f"; nothing that is measured depends on {', '.join(self.unseen)}"
            mixed = [name for name in self.unobservable if name not in self.unseen]
            if mixed:
                text += f"; of {', '.join(mixed)} only combinations are determined"
        if self.at is not None:
            text += f". At the given state the rank is {self.at}" if self.at < self.rank else ", at the given state too"
        return f"{text}."


def observability(query: Query, outputs: Any) -> Observability:
    """Which states the outputs determine, with known inputs."""
    with quiet_collector():
        state = None if query.at is None else query.state(_PLACE)
        own, values = (query.equations, None) if state is None else (state.equations, state.values)
        made = plant(own, query.inputs, _PLACE, values, query.parameters, may_be_none=True)
        targets, size = outputs_of(made, outputs), made.size
        found, basis, growth, complete = _codistribution(made, [*targets.values()])
        units = Matrix.identity(size)
        lacking = [k for k in range(size) if rank([*basis, units[k]]) > len(basis)] if len(basis) < size else []
        unseen = [k for k in lacking if all(is_zero(row[k]) for row in basis)]
        at_rank = None if state is None else _rank_at(made, found, targets, state)
        unobservable, hidden = (tuple(made.names[k] for k in each) for each in (lacking, unseen))
        return Observability(size, growth, unobservable, hidden, complete, at_rank)


def _rank_at(made: Plant, found: Sequence[Expr], outputs: dict[str, Expr], state: AtState) -> int:
    """The rank at a state: by the derivatives that were taken, or at rest by [C; CA; CA²; …]."""
    taken = state.rank(list(made.differentials(found)))
    if taken == made.size or not state.is_at_rest:
        return taken
    linear = state.linear.with_ports([], outputs)
    return max(taken, linear_rank(linear.A.T, list(linear.C), state))


def _codistribution(made: Plant, outputs: list[Expr]) -> tuple[list[Expr], list[Any], tuple[int, ...], bool]:
    """The functions taken, independent differentials, ranks level by level, and whether these are all."""
    form = made.original
    fields = [form.drift, *form.fields.values()]
    everything, fresh = list(outputs), list(outputs)
    basis: list[Any] = []
    growth: list[int] = []
    while True:
        rows = list(made.differentials(fresh)) if fresh else []
        chosen = (
            [k - len(basis) for k in independent_columns(Matrix([*basis, *rows]).T) if k >= len(basis)] if rows else []
        )
        if growth and not chosen:
            return everything, basis, tuple(growth), True
        basis += [rows[k] for k in chosen]
        growth.append(len(basis))
        if len(basis) == made.size:
            return everything, basis, tuple(growth), True
        last = [fresh[k] for k in chosen]
        if len(topological(last)) > NODE_LIMIT:
            return everything, basis, tuple(growth), False
        fresh = [rate for X in fields for rate in lie_derivative(last, X, form.variables) if not is_zero(rate)]
        everything += fresh
