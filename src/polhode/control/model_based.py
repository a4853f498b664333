"""What controllers made from the equations of motion share: controls, gains, and the law written in steps.

A law is written as on paper: errors first, then what is wanted of the mechanism, then controls that do it. Each step
has a symbol of its own. The `Law` has the steps put in; text and LaTeX keep them apart.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PolhodeError, listed, shown, unknown
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    free_symbols,
    normal,
    operation_counts,
    quiet_collector,
    substitute,
    symbol,
    topological,
)
from ..expr.reading import leaf_counts
from ..expr.spelling import latex_name, spelled, spelled_latex
from ..expr.typeset import Typeset
from ..laws.controller import Controller
from ..laws.law import ControllerState, Law, Reference, changed_latex, gain_latex, valued
from ..model.reading import number_of
from ..model.records import Parameter
from ..notebook import Told
from .actuation import actuation

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived
    from .lyapunov import LyapunovFunction


@dataclass(frozen=True, eq=False, repr=False)
class Gains(Typeset):
    """A square matrix of gains, K, and the parameters in it."""

    matrix: Matrix
    parameters: Mapping[str, Parameter]

    def __repr__(self) -> str:
        return f"Gains({listed(valued(self.parameters))})"

    def _formulas(self) -> list[tuple[str, Matrix]]:
        return [("K", self.matrix)]

    @property
    def is_diagonal(self) -> bool:
        """Whether no gain ties two quantities together."""
        return all(not entry for i, row in enumerate(self.matrix) for j, entry in enumerate(row) if i != j)

    def times(self, values: Sequence[Any]) -> list[Expr]:
        """K v."""
        return [as_expr(entry) for entry in self.matrix @ Vector(values)]


def gains(word: str, given: Any, names: Sequence[str], place: str) -> Gains:
    """K of a number for all `names`, of one for each in order or by name, or of a symmetric positive definite matrix.

    >>> made = gains("kp", {"a": 2, "b": 3}, ["a", "b"], "here")
    >>> made.matrix, {name: float(each.value) for name, each in made.parameters.items()}
    (Matrix([[kp_a, 0], [0, kp_b]]), {'kp_a': 2.0, 'kp_b': 3.0})
    """
    size = len(names)
    if isinstance(given, Mapping):
        strange = [name for name in given if name not in names]
        if strange:
            raise unknown("gain", strange[0], names, place=f"{place} {word}", code="E-CONTROL-020")
        given = [_of_all(given, name, word, place) for name in names]
    shape = _shape(given)
    if shape == () and not isinstance(given, str | Mapping):
        one = _parameter(word, given, place)
        return _diagonal([one.symbol] * size, {word: one})
    if shape == (size,):
        made = {f"{word}_{name}": value for name, value in zip(names, given, strict=True)}
        table = {key: _parameter(key, value, place) for key, value in made.items()}
        return _diagonal([each.symbol for each in table.values()], table)
    if shape == (size, size):
        return _full(word, np.asarray(given, dtype=object), names, place)
    raise PolhodeError(
        f"{shown(given)} is neither one gain, nor one for each of {', '.join(names)}, nor a matrix for them.",
        place=f"{place} {word}",
        cure=f"Give a number, {size} of them, or {size} rows of {size}.",
        code="E-CONTROL-021",
    )


def _shape(given: Any) -> tuple[int, ...] | None:
    """The shape of what is given; none, where rows differ in length."""
    try:
        return tuple(np.shape(given))
    except ValueError:
        return None


def _of_all(given: Mapping[str, Any], name: str, word: str, place: str) -> Any:
    if name in given:
        return given[name]
    raise PolhodeError(
        f"there is no gain for '{name}'.",
        place=f"{place} {word}",
        cure="Give one for each, or one number for all.",
        code="E-CONTROL-022",
    )


def _parameter(name: str, value: Any, place: str) -> Parameter:
    made = number_of(value, f"{place} {name}")
    if not made.is_number or not np.isfinite(float(made.data)):
        raise PolhodeError(
            f"the gain {shown(value)} is not a number.", place=f"{place} {name}", code="E-CONTROL-023", cure="Give one."
        )
    return Parameter(symbol(name, "parameter"), Fraction(made.data))


def _diagonal(entries: Sequence[Expr], parameters: Mapping[str, Parameter]) -> Gains:
    size = len(entries)
    rows = [[entries[i] if i == j else as_expr(0) for j in range(size)] for i in range(size)]
    return Gains(Matrix(rows), parameters)


def _full(word: str, values: Any, names: Sequence[str], place: str) -> Gains:
    size = len(names)
    table: dict[str, Parameter] = {}
    rows: list[list[Expr]] = []
    numbers = np.zeros((size, size))
    for i in range(size):
        rows.append([])
        for j in range(size):
            key = f"{word}_{names[min(i, j)]}_{names[max(i, j)]}"  # one symbol for both: the matrix is symmetric
            made = _parameter(key, values[i][j], place)
            table.setdefault(key, made)
            rows[i].append(table[key].symbol)
            numbers[i][j] = float(made.value or 0)
    if not np.allclose(numbers, numbers.T) or np.linalg.eigvalsh(numbers).min() <= 0.0:
        raise PolhodeError(
            "the matrix of gains is not symmetric and positive definite.",
            place=f"{place} {word}",
            cure="Give such a matrix, or a positive number for each.",
            code="E-CONTROL-024",
        )
    return Gains(Matrix(rows), table)


#: Right-hand sides with more operations are written as they were built, not in normal form; and with quotients sooner.
_READABLE, _READABLE_QUOTIENT = 400, 80
#: Those that would have more symbols and numbers than this, written out, are only told of.
_LONGEST = 400


@dataclass(frozen=True, eq=False, repr=False)
class Written(Told):
    """A law in steps: each step's expression is one of what was measured and wanted, and of steps before it."""

    controls: Mapping[Expr, Expr]
    steps: Mapping[Expr, Expr] = field(default_factory=dict)
    states: tuple[ControllerState, ...] = ()
    reference: tuple[Reference, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    singular: tuple[tuple[str, Expr], ...] = ()
    errors: Mapping[str, Expr] = field(default_factory=dict)

    @cached_property
    def _values(self) -> dict[Expr, Expr]:
        found: dict[Expr, Expr] = {}
        for step, value in self.steps.items():
            (found[step],) = substitute([as_expr(value)], found)
        return found

    def put_into(self, values: Sequence[Any]) -> list[Expr]:
        """Expressions with what the steps are in place of their symbols."""
        return substitute([as_expr(value) for value in values], self._values)

    def law(self) -> Law:
        """The law with all steps put in."""
        controls = dict(zip(self.controls, self.put_into(list(self.controls.values())), strict=True))
        changes = self.put_into([each.rate if each.update is None else each.update for each in self.states])
        states = tuple(
            replace(each, rate=change) if each.update is None else replace(each, update=change)
            for each, change in zip(self.states, changes, strict=True)
        )
        met = {*free_symbols([*controls.values(), *changes])}
        own = {name: each for name, each in self.parameters.items() if each.symbol in met}
        vanishing = zip(self.singular, self.put_into([each for _, each in self.singular]), strict=True)
        singular = tuple((words, value) for (words, _), value in vanishing)
        return Law(controls, states, self.reference, {}, own, None, self.conditions, singular, self.errors)

    def __str__(self) -> str:
        marks = {"=": " = ", "'": "' = ", "+": "⁺ = "}
        return "\n".join(
            f"{spelled(left)}{marks[mark]}{_too_long(right) or right}" for left, mark, right in self.lines()
        )

    def __repr__(self) -> str:
        return f"Written({listed(map(spelled, self.controls))} in {len(self.steps)} steps)"

    def lines(self) -> list[tuple[Expr, str, Expr]]:
        """Left side, mark ("=", or "'" for a rate, "+" for the next sample) and right side of each line to be read."""
        made = [(step, "=", as_expr(value)) for step, value in self.steps.items()]
        for each in self.states:
            rate = each.rate if each.update is None else each.update
            made.append((each.symbol, "'" if each.update is None else "+", as_expr(rate)))
        made += [(control, "=", as_expr(value)) for control, value in self.controls.items()]
        return [(left, mark, _readable(right)) for left, mark, right in made]


def step(letter: str, name: str) -> Expr:
    """The symbol of a step for a quantity."""
    return symbol(f"{letter}_{name}", "step")


class ModelBased(Controller):
    """A controller designed from the equations of motion; `inputs` names its controls.

    `written` has the law in steps, `str` and `latex()` write it, `lyapunov` proves what it does where that is known.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
    >>> class Brake(ModelBased):
    ...     def write(self):
    ...         forces = self.gains("kd", 3, ["v"]).times([-u for u in self.equations.u])
    ...         return Written({tau: force for tau, force in zip(self.equations.tau, forces)})
    >>> c = Brake(s.derive())
    >>> print(c)
    tau_v = -kd*v
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        self.actuation = actuation(self.equations, inputs, self.name)

    @abstractmethod
    def write(self) -> Written:
        """The law in steps."""

    @cached_property
    def written(self) -> Written:
        """The law in steps, made once."""
        with quiet_collector():
            return self.write()

    def design(self) -> Law:
        """The law with all steps put in."""
        with quiet_collector():
            return self.written.law()

    @property
    def lyapunov(self) -> LyapunovFunction:
        """A Lyapunov function of the closed loop, with the proof of how it decreases."""
        raise PolhodeError(
            f"no Lyapunov function of {self.name} is known here.",
            place="lyapunov",
            cure="Give one of your own to polhode.control.lyapunov.prove.",
            code="E-CONTROL-120",
        )

    def gains(self, word: str, given: Any, names: Sequence[str]) -> Gains:
        """Positive gains as `given`, one for each of `names`: parameters of the law, called by the `word`."""
        if given is None:
            raise PolhodeError(
                f"no {word} is given.",
                place=self.name,
                cure=f"Give {word}=…: a positive number, one for each of {', '.join(names)}, or a matrix.",
                code="E-CONTROL-121",
            )
        made = gains(word, given, list(names), self.name)
        for name, each in made.parameters.items():
            if made.is_diagonal and (each.value is None or each.value <= 0):
                raise PolhodeError(
                    f"the gain {name} = {shown(float(each.value or 0))} is not positive.",
                    place=self.name,
                    cure="Give a positive number: the sign is in the law.",
                    code="E-CONTROL-123",
                )
        return made

    def __str__(self) -> str:
        return str(self.written)

    def latex(self) -> str:
        """The law in LaTeX, a line for each step, in an aligned display."""
        whole = " \\\\\n".join(f"{head} &= {body}" for head, body in self._latex_lines())
        return f"\\begin{{aligned}}\n{whole}\n\\end{{aligned}}"

    def _latex_lines(self) -> Iterator[tuple[str, str]]:
        from ..expr import latex

        written = self.written
        names = {each: _step_latex(each) for each in written.steps}
        names |= {each.symbol: gain_latex(name) for name, each in written.parameters.items()}
        changed = {each.symbol: changed_latex(each, names.get(each.symbol)) for each in written.states}
        for left, mark, right in written.lines():
            head = names.get(left, spelled_latex(left)) if mark == "=" else changed[left]
            told = _too_long(right)
            yield head, rf"\text{{{told}}}" if told else latex(right, names=names)

    def _repr_latex_(self) -> str:
        from ..expr.latex_display import typeset

        return typeset([*self._latex_lines()], self._sentences())

    def _text(self) -> str:
        return "\n".join([repr(self), str(self), *self._sentences()])


def _step_latex(x: Expr) -> str:
    letter, _, name = x.name.partition("_")
    return f"{letter}_{{{latex_name(name)}}}"


def _too_long(value: Expr) -> str:
    """What stands for a right-hand side that nobody would read."""
    size = leaf_counts(topological([value]))[id(value)]
    return f"… ({size} symbols and numbers, see law.controls)" if size > _LONGEST else ""


def _readable(value: Expr) -> Expr:
    counts = operation_counts([value])
    most = _READABLE_QUOTIENT if counts.get("div") else _READABLE
    return value if sum(counts.values()) > most or _too_long(value) else normal(value)
