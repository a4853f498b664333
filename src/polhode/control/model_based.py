"""What controllers made from the equations of motion share: controls, gains, and the law written in steps.

A law is written as on paper: errors first, then what is wanted of the mechanism, then controls that do it. Each step
has a symbol of its own. The `Law` has the steps put in; text and LaTeX keep them apart.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, listed, shown
from ..expr import (
    Expr,
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
from ..laws.controller import Controller
from ..laws.law import ControllerState, Law, Reference
from ..laws.law_display import changed_latex, gain_latex
from ..model.records import Parameter
from ..notebook import Told
from .actuation import actuation
from .gains import Gains, gains

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived
    from .lyapunov import LyapunovFunction

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
    """The symbol of a step for a quantity.

    >>> step("e", "q1")
    e_q1
    """
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
    >>> len(c.written.steps), c.write().controls, "aligned" in c.latex()
    (0, {tau_v: -kd*v}, True)
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
