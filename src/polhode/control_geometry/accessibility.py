"""Accessibility: whether brackets of drift and inputs span all directions of the state.

H. J. Sussmann and V. Jurdjevic, *Controllability of nonlinear systems* (1972); H. Nijmeijer and A. van der Schaft,
*Nonlinear Dynamical Control Systems* (1990), chapter 3. The smallest distribution that holds the fields of the inputs
and brackets of drift and inputs with its own fields is L₀. Where it has as many dimensions as the state, what can be
reached at a time has inner points (strong accessibility).

Where inputs drive all speeds, u̇ = v after a feedback, L₀ is that of q̇ = Γ(q) u with the speeds as inputs, and all u.

Controllability about an equilibrium: small-time local, by the first of these tests that decides.

    linear      rank [B, AB, A²B, …] = n: sufficient (E. D. Sontag, *Mathematical Control Theory*, 1998, section 3.7)
    accessible  L₀ must have n dimensions at almost every state: necessary where equations are analytic
    Chow        all speeds driven: brackets of q̇ = Γ(q) u span at the state (W. L. Chow 1939; F. Bullo and A. D. Lewis,
                *Geometric Control of Mechanical Systems*, 2005, section 8.3): sufficient
    Sussmann    every bad bracket, with an odd number of drifts and an even number of each input, is a combination of
                good ones of lower degree, and good ones span (H. J. Sussmann, *A general theorem on local
                controllability*, 1987): sufficient

Where none decides, that is said.

Observability: which states outputs determine, with their rates along drift and inputs.

R. Hermann and A. J. Krener, *Nonlinear controllability and observability* (1977). The smallest codistribution that
holds the differentials of the outputs and of their Lie derivatives along drift and inputs has the observable rank:
where it is that of the state, neighbouring states are distinguished (rank condition). A state is observable by itself
where its own differential is among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..expr import (
    Expr,
    Matrix,
    as_expr,
    directional,
    independent_columns,
    is_zero,
    jacobian,
    quiet_collector,
    rank,
    substitute,
    topological,
)
from ..geometry.vector_fields import NODE_LIMIT, Field, Spread, bracket, independent, lie_derivative, spread
from ..notebook import Told
from .affine import Plant, outputs_of, plant_of
from .at_state import AtState, Query, linear_rank

_PLACE = "accessibility"
#: No more brackets than this are taken at a state.
_MOST = 600


@dataclass(frozen=True, eq=False, repr=False)
class Accessibility(Told):
    """How many of the `size` directions of the state brackets span, at almost every state and at a given one.

    `growth` are the dimensions level by level, `unreached` the states whose directions are not spanned. `is_strong` is
    false where only the drift leads in one more direction: it is reached, but when is not chosen. `at` is the dimension
    at the given state, by the brackets that were taken: deeper ones may span more where it is smaller.
    """

    size: int
    growth: tuple[int, ...]
    unreached: tuple[str, ...]
    is_strong: bool
    is_accessible: bool
    is_complete: bool
    at: int | None = None

    @property
    def dimension(self) -> int:
        """The dimension of L₀ at almost every state."""
        return self.growth[-1]

    def __bool__(self) -> bool:
        return self.is_accessible

    def __str__(self) -> str:
        if self.is_strong:
            text = f"accessible: brackets of drift and inputs span all {self.size} directions of the state"
        elif self.is_accessible:
            text = f"accessible, but not strongly: one of {self.size} directions is reached by the drift alone"
        else:
            missing = f"; not those of {', '.join(self.unreached)}" if self.unreached else ""
            limit = "" if self.is_complete else " as far as they were followed"
            text = f"not accessible{limit}: brackets span {self.dimension} of {self.size} directions{missing}"
        if self.at is not None and self.at < self.dimension:
            text += f". At the given state the brackets that were taken span {self.at}"
        elif self.at is not None:
            text += ", at the given state too"
        return f"{text}."


@dataclass(frozen=True, eq=False)
class Brackets:
    """L₀ on the variables of the form, or on the coordinates and states alone where all speeds are driven."""

    variables: list[Expr]
    drift: Field
    fields: list[Field]
    spread: Spread
    driven: int  # speeds that were left out, each reached by itself

    @property
    def growth(self) -> tuple[int, ...]:
        """The dimensions, with the speeds that were left out."""
        return tuple(self.driven + dimension for dimension in self.spread.growth)


def reach(plant: Plant) -> Brackets:
    """Span of the brackets of drift and inputs."""
    variables, drift, fields, driven = _undriven(plant)
    most = plant.size - driven
    chain = spread([drift], fields, variables, most, depth=plant.size)
    if len(chain.basis) == most or not fields:
        return Brackets(variables, drift, fields, chain, driven)
    more = spread([drift, *fields], [*chain.basis], variables, most, depth=plant.size)
    growth = (*chain.growth, *more.growth[1:])
    joined = Spread(growth, more.basis, (*chain.found, *more.found), more.is_complete)
    return Brackets(variables, drift, fields, joined, driven)


def _undriven(plant: Plant) -> tuple[list[Expr], Field, list[Field], int]:
    """The form; where inputs drive all speeds, that of coordinates and states with the speeds as inputs."""
    form, equations = plant.regular, plant.equations
    size, speeds = len(equations.q), list(equations.u)
    rates = [*form.drift[:size], *form.drift[size + len(speeds) :]]
    slopes = jacobian(rates, speeds)
    bent = any(not all(map(is_zero, directional(list(slopes.entries()), {u: as_expr(1)}))) for u in speeds)
    if not {*range(len(speeds))} <= {*form.driven} or not speeds or bent:
        return form.variables, form.drift, form.fields, 0
    others = [[*g[:size], *g[size + len(speeds) :]] for g, k in zip(form.fields, form.driven, strict=True) if k < 0]
    still = substitute(rates, dict.fromkeys(speeds, as_expr(0)))
    columns = [[as_expr(entry) for entry in column] for column in slopes.columns]
    return [*equations.q, *equations.z], still, [*columns, *others], len(speeds)


def unreached(plant: Plant, brackets: Brackets) -> list[str]:
    """The states whose directions brackets do not span."""
    places = [k for k, x in enumerate(plant.variables) if x in {*brackets.variables}]
    units = {name: plant.unit(k) for k, name in enumerate(plant.names)}
    moved = {name: [field[k] for k in places] for name, field in units.items()}
    return [name for name, field in moved.items() if any(field) and independent(brackets.spread.basis, [field])]


def accessibility(query: Query) -> Accessibility:
    """Whether the inputs reach all directions of the state, at almost every state and, if one is given, there."""
    with quiet_collector():
        plant, state = query.plant(_PLACE)
        spans = reach(plant)
        missing = plant.size - spans.growth[-1]
        lacking = tuple(unreached(plant, spans)) if missing else ()
        drifts = missing == 1 and bool(independent(spans.spread.basis, [spans.drift]))
        dimension = None if state is None else dimension_at(plant, spans, state)
        complete = spans.spread.is_complete
        return Accessibility(plant.size, spans.growth, lacking, not missing, not missing or drifts, complete, dimension)


def dimension_at(plant: Plant, brackets: Brackets, state: AtState) -> int:
    """Dimension of the brackets at a state: those taken, at rest [B, AB, A²B, …], and deeper ones up to a limit."""
    spanned = brackets.driven + state.rank(brackets.spread.found)
    if spanned < plant.size and state.is_at_rest:
        linear = state.linear.with_ports([*plant.inputs])
        spanned = max(spanned, linear_rank(linear.A, linear.B.columns, state))
    operators = [X for X in (brackets.drift, *brackets.fields) if any(X)]
    level, every = list(brackets.fields), [*brackets.spread.found]
    for _ in range(plant.size):
        if spanned >= brackets.growth[-1] or len(every) > _MOST:
            break
        made_of = [bracket(X, Y, brackets.variables) for X in operators for Y in level if X is not Y]
        level = [Y for Y in made_of if any(Y)]
        every += level
        spanned = max(spanned, brackets.driven + state.rank(every))
    return spanned


_CONTROLLABILITY = "controllability"
#: Brackets of a higher degree than this, or more of them than this, are not tried in Sussmann's test.
_DEGREE, _COUNT = 6, 400


@dataclass(frozen=True, eq=False, repr=False)
class Controllability(Told):
    """Whether a mechanism is small-time locally controllable about an equilibrium: True, False, or None if undecided.

    `test` names the test that decided, `reason` says what it found; `linear_rank` is that of [B, AB, …], of `size`.
    """

    verdict: bool | None
    test: str
    reason: str
    size: int
    linear_rank: int

    def __bool__(self) -> bool:
        return self.verdict is True

    def __str__(self) -> str:
        text = {True: "controllable", False: "not controllable", None: "not decided"}[self.verdict]
        return f"{text}: {self.reason}."


def controllability(query: Query) -> Controllability:
    """Small-time local controllability about an equilibrium, at zero coordinates without `at`."""
    with quiet_collector():
        plant, state = query.plant_there(_CONTROLLABILITY)
        return _decided(plant, state)


def _decided(plant: Plant, state: AtState) -> Controllability:
    linear = state.linear.with_ports([*plant.inputs])
    size, rank = plant.size, linear_rank(linear.A, linear.B.columns, state)

    def verdict_of(verdict: bool | None, test: str, reason: str) -> Controllability:
        return Controllability(verdict, test, reason, size, rank)

    if not state.is_at_rest:
        return verdict_of(None, "", "this state is no equilibrium with these inputs; name those that hold it in `at`")
    if rank == size:
        return verdict_of(True, "linear", f"the linear equations about this state are, rank [B, AB, ...] = {size}")
    brackets = reach(plant)
    if brackets.growth[-1] < size and brackets.spread.is_complete:
        lacking = unreached(plant, brackets)
        names = f", not those of {', '.join(lacking)}" if lacking else ""
        spanned = f"brackets of drift and inputs span {brackets.growth[-1]} of {size} directions{names}"
        return verdict_of(False, "accessible", spanned)
    if brackets.driven and not any(brackets.drift):
        if dimension_at(plant, brackets, state) == size:
            words = "inputs drive all speeds, and brackets of q' = G(q) u span all coordinates at this state (Chow)"
            return verdict_of(True, "Chow", words)
        return verdict_of(None, "", "the brackets that were taken span at almost every state, and not at this one")
    return verdict_of(*_sussmann(plant, state, rank, brackets))


def _sussmann(plant: Plant, state: AtState, rank: int, brackets: Brackets) -> tuple[bool | None, str, str]:
    """Sussmann's test on brackets [X₁, [X₂, …]] of drift and inputs, degree by degree."""
    form = plant.regular
    drift = list(form.drift)
    if not form.driven:  # the inputs that hold the equilibrium belong to the drift
        for symbol, g in zip(plant.inputs.values(), form.fields, strict=True):
            held = state.values[symbol]
            drift = [as_expr(a + held * b) for a, b in zip(drift, g, strict=True)]
    letters = [drift, *form.fields]
    count = len(letters)
    words: list[tuple[tuple[int, ...], Field]] = [
        (tuple(int(i == k) for i in range(count)), X) for k, X in enumerate(letters)
    ]
    good: list[Field] = []
    linear, tried = f"the linear equations have rank {rank} of {plant.size}", 0
    for degree in range(1, _DEGREE + 1):
        spanned = state.rank(good)
        bad = [X for kind, X in words if _is_bad(kind)]
        if bad and state.rank([*good, *bad]) > spanned:
            why = f"a bad bracket of degree {degree} is no combination of good ones of lower degree"
            return None, "", f"{linear}, and {why} (Sussmann's condition fails, which proves nothing)"
        good += [X for kind, X in words if not _is_bad(kind)]
        if state.rank(good) == plant.size:
            why = f"good brackets of degree up to {degree} span all {plant.size} directions at this state"
            return True, "Sussmann", f"{why}, and no bad one is left over (Sussmann)"
        tried += len(words) * count
        if tried > _COUNT:
            break
        longer = []
        for kind, Y in words:
            for k, X in enumerate(letters):
                made_of = bracket(X, Y, form.variables) if X is not Y else []
                if any(not is_zero(entry) for entry in made_of):
                    longer.append((tuple(n + int(i == k) for i, n in enumerate(kind)), made_of))
        words = longer
    reached = f"brackets span {brackets.growth[-1]} of {plant.size} directions at almost every state"
    return None, "", f"{linear}; {reached}, but Sussmann's test did not end"


def _is_bad(kind: Sequence[int]) -> bool:
    return kind[0] % 2 == 1 and all(n % 2 == 0 for n in kind[1:])


_OBSERVABILITY = "observability"


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
        state = None if query.at is None else query.state(_OBSERVABILITY)
        equations, values = (query.equations, None) if state is None else (state.equations, state.values)
        plant = plant_of(equations, query.inputs, _OBSERVABILITY, values, query.parameters, may_be_none=True)
        targets, size = outputs_of(plant, outputs), plant.size
        functions, basis, growth, complete = _codistribution(plant, [*targets.values()])
        units = Matrix.identity(size)
        lacking = [k for k in range(size) if rank([*basis, units[k]]) > len(basis)] if len(basis) < size else []
        unseen = [k for k in lacking if all(is_zero(row[k]) for row in basis)]
        at_rank = None if state is None else _rank_at(plant, functions, targets, state)
        unobservable, hidden = (tuple(plant.names[k] for k in indices) for indices in (lacking, unseen))
        return Observability(size, growth, unobservable, hidden, complete, at_rank)


def _rank_at(plant: Plant, functions: Sequence[Expr], outputs: dict[str, Expr], state: AtState) -> int:
    """The rank at a state: by the derivatives that were taken, or at rest by [C; CA; CA²; …]."""
    taken = state.rank(list(plant.differentials(functions)))
    if taken == plant.size or not state.is_at_rest:
        return taken
    linear = state.linear.with_ports([], outputs)
    return max(taken, linear_rank(linear.A.T, list(linear.C), state))


def _codistribution(plant: Plant, outputs: list[Expr]) -> tuple[list[Expr], list[Any], tuple[int, ...], bool]:
    """The functions taken, independent differentials, ranks level by level, and whether these are all."""
    form = plant.original
    fields = [form.drift, *form.fields.values()]
    everything, fresh = list(outputs), list(outputs)
    basis: list[Any] = []
    growth: list[int] = []
    while True:
        rows = list(plant.differentials(fresh)) if fresh else []
        chosen = (
            [k - len(basis) for k in independent_columns(Matrix([*basis, *rows]).T) if k >= len(basis)] if rows else []
        )
        if growth and not chosen:
            return everything, basis, tuple(growth), True
        basis += [rows[k] for k in chosen]
        growth.append(len(basis))
        if len(basis) == plant.size:
            return everything, basis, tuple(growth), True
        last = [fresh[k] for k in chosen]
        if len(topological(last)) > NODE_LIMIT:
            return everything, basis, tuple(growth), False
        fresh = [rate for X in fields for rate in lie_derivative(last, X, form.variables) if not is_zero(rate)]
        everything += fresh
