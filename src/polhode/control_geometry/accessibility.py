"""Accessibility: whether brackets of drift and inputs span all directions of the state.

H. J. Sussmann and V. Jurdjevic, *Controllability of nonlinear systems* (1972); H. Nijmeijer and A. van der Schaft,
*Nonlinear Dynamical Control Systems* (1990), chapter 3. The smallest distribution that holds the fields of the inputs
and brackets of drift and inputs with its own fields is L₀. Where it has as many dimensions as the state, what can be
reached at a time has inner points (strong accessibility).

Where inputs drive all speeds, u̇ = v after a feedback, L₀ is that of q̇ = Γ(q) u with the speeds as inputs, and all u.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..expr import Expr, as_expr, directional, is_zero, jacobian, quiet_collector, substitute
from ..geometry.vector_fields import Field, Spread, bracket, independent, spread
from ..notebook import Told
from .affine import Plant
from .at_state import Asked, AtState
from .linear_rank import linear_rank

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
            told = f"accessible: brackets of drift and inputs span all {self.size} directions of the state"
        elif self.is_accessible:
            told = f"accessible, but not strongly: one of {self.size} directions is reached by the drift alone"
        else:
            missing = f"; not those of {', '.join(self.unreached)}" if self.unreached else ""
            limit = "" if self.is_complete else " as far as they were followed"
            told = f"not accessible{limit}: brackets span {self.dimension} of {self.size} directions{missing}"
        if self.at is not None and self.at < self.dimension:
            told += f". At the given state the brackets that were taken span {self.at}"
        elif self.at is not None:
            told += ", at the given state too"
        return f"{told}."


@dataclass(frozen=True, eq=False)
class Reach:
    """L₀ on the variables of the form, or on the coordinates and states alone where all speeds are driven."""

    variables: list[Expr]
    drift: Field
    fields: list[Field]
    spread: Spread
    driven: int  # speeds that were left out, each reached by itself

    @property
    def growth(self) -> tuple[int, ...]:
        """The dimensions, with the speeds that were left out."""
        return tuple(self.driven + each for each in self.spread.growth)


def reach(made: Plant) -> Reach:
    """Where brackets lead from the inputs of a mechanism."""
    variables, drift, fields, driven = _undriven(made)
    most = made.size - driven
    chain = spread([drift], fields, variables, most, depth=made.size)
    if len(chain.basis) == most or not fields:
        return Reach(variables, drift, fields, chain, driven)
    more = spread([drift, *fields], [*chain.basis], variables, most, depth=made.size)
    growth = (*chain.growth, *more.growth[1:])
    found = Spread(growth, more.basis, (*chain.found, *more.found), more.is_complete)
    return Reach(variables, drift, fields, found, driven)


def _undriven(made: Plant) -> tuple[list[Expr], Field, list[Field], int]:
    """The form; where inputs drive all speeds, that of coordinates and states with the speeds as inputs."""
    form, equations = made.regular, made.equations
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


def unreached(made: Plant, found: Reach) -> list[str]:
    """The states whose directions brackets do not span."""
    places = [k for k, x in enumerate(made.variables) if x in {*found.variables}]
    units = {name: made.unit(k) for k, name in enumerate(made.names)}
    moved = {name: [field[k] for k in places] for name, field in units.items()}
    return [name for name, field in moved.items() if any(field) and independent(found.spread.basis, [field])]


def accessibility(
    asked: Asked,
) -> Accessibility:
    """Whether the inputs reach all directions of the state, at almost every state and, if one is given, there.

    >>> import polhode as ph
    >>> s = ph.System("two carts", gravity=(0, 0, 0))
    >>> a = s.joint("a", s.ground, s.body("first", 1), ph.Prismatic("x"))
    >>> b = s.joint("b", s.ground, s.body("second", 1), ph.Prismatic("x"))
    >>> e = s.derive()
    >>> print(e.accessibility(["a"]))
    not accessible: brackets span 2 of 4 directions; not those of b, b'.
    """
    with quiet_collector():
        made, state = asked.plant(_PLACE)
        found = reach(made)
        missing = made.size - found.growth[-1]
        lacking = tuple(unreached(made, found)) if missing else ()
        drifts = missing == 1 and bool(independent(found.spread.basis, [found.drift]))
        dimension = None if state is None else dimension_at(made, found, state)
        complete = found.spread.is_complete
        return Accessibility(made.size, found.growth, lacking, not missing, not missing or drifts, complete, dimension)


def dimension_at(made: Plant, found: Reach, state: AtState) -> int:
    """What brackets span at a state: those that were taken, at rest [B, AB, A²B, …], and deeper ones up to a limit.

    A bracket that is a combination of others at almost every state may be none at this one, and then is taken as well.
    """
    spanned = found.driven + state.rank(found.spread.found)
    if spanned < made.size and state.is_at_rest:
        linear = state.linear.with_ports([*made.inputs])
        spanned = max(spanned, linear_rank(linear.A, linear.B.columns, state))
    operators = [X for X in (found.drift, *found.fields) if any(X)]
    level, every = list(found.fields), [*found.spread.found]
    for _ in range(made.size):
        if spanned >= found.growth[-1] or len(every) > _MOST:
            break
        made_of = [bracket(X, Y, found.variables) for X in operators for Y in level if X is not Y]
        level = [Y for Y in made_of if any(Y)]
        every += level
        spanned = max(spanned, found.driven + state.rank(every))
    return spanned
