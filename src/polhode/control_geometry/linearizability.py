"""Whether feedback and a change of coordinates make the whole state linear: the conditions on nested distributions.

B. Jakubczyk and W. Respondek, *On linearization of control systems* (1980); A. Isidori, *Nonlinear Control Systems*
(1995), theorem 5.2.3; for one input C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body
Systems", theorem 7. With

    G₀ = span{g₁ … gₘ},    Gₖ = Gₖ₋₁ + span{ad_f^k g₁ … ad_f^k gₘ}

outputs whose relative degrees sum up to n exist near a state if and only if there the Gₖ have constant rank, those that
do not span the whole state are involutive, and the last spans it. While they are involutive they do not change under
regular feedback, so they are found in the form that leaves most of M out (`affine.Regular`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, quiet_collector
from ..geometry.vector_fields import Field, bracket, independent, is_involutive
from ..notebook import Told
from .affine import Plant
from .at_state import Asked, AtState

_PLACE = "is_feedback_linearizable"


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
        """The relative degrees of linearizing outputs: as many are at least k as rank Gₖ₋₁ grew by."""
        if not (self.ranks[-1] == self.size and all(self.involutive)):
            return ()
        growth = [b - a for a, b in zip((0, *self.ranks), self.ranks, strict=False)]
        return tuple(sum(step > j for step in growth) for j in range(growth[0]))

    def __bool__(self) -> bool:
        return self.is_linearizable

    @property
    def sentences(self) -> tuple[str, ...]:
        """Each condition and whether it holds, in words."""
        told = []
        for k, (rank, closed) in enumerate(zip(self.ranks, self.involutive, strict=True)):
            words = f"{self._span(k)} has rank {rank} of {self.size}"
            if rank < self.size:
                words += " and is involutive" if closed else " and is not involutive: brackets of its fields leave it"
            if self.ranks_at is not None and self.ranks_at[k] != rank:
                words += f"; at the given state it has rank {self.ranks_at[k]}, which is not constant near it"
            told.append(f"{words}.")
        if all(self.involutive) and self.ranks[-1] < self.size:
            told.append(f"Further brackets with the drift lead nowhere else: {self.ranks[-1]} of {self.size}.")
        return tuple(told)

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


def is_feedback_linearizable(asked: Asked) -> Linearizability:
    """The conditions under which the whole state can be made linear, at almost every state and at a given one."""
    with quiet_collector():
        made, state = asked.plant(_PLACE)
        return linearizability(made, state)


def linearizability(made: Plant, state: AtState | None = None) -> Linearizability:
    """The conditions for a mechanism with its controls."""
    form = made.regular
    variables, last = form.variables, [g for g in form.fields if any(g)]
    basis: list[Field] = independent([], last)
    ranks, involutive, found = [len(basis)], [_is_closed(basis, variables, made.size)], [*last]
    counts = [len(found)]
    while involutive[-1] and ranks[-1] < made.size:
        last = [bracket(form.drift, X, variables) for X in last]
        fresh = independent(basis, last)
        if not fresh:
            break
        basis, found = [*basis, *fresh], [*found, *last]
        ranks.append(len(basis))
        counts.append(len(found))
        involutive.append(_is_closed(basis, variables, made.size))
    at = None if state is None else tuple(state.rank(found[:count]) for count in counts)
    return Linearizability(made.size, tuple(made.inputs), tuple(ranks), tuple(involutive), tuple(found), at)


def _is_closed(basis: list[Field], variables: list[Expr], size: int) -> bool:
    return len(basis) == size or is_involutive(basis, variables)
