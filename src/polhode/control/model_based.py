"""What controllers made from the equations of motion share: controls, gains, and the law written in steps.

A law is written as on paper: errors first, then what is wanted of the mechanism, then controls that do it. Each step
has a symbol of its own. The `Law` has the steps put in; text and LaTeX keep them apart.

How controls act on the speeds: B in M(q) u̇ + bias(q, u, t) = B(q) c, and c for what is to be done.

Controls are the inputs that were named, else the declared inputs, else the efforts of joints with a motor, else the
efforts on the (independent) speeds. Efforts and inputs that are no controls are taken to be zero.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_whole
from ..errors import PolhodeError, listed, shown, unknown, warn
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    free_symbols,
    normal,
    operation_counts,
    quiet_collector,
    rank,
    same,
    substitute,
    symbol,
    topological,
)
from ..expr.decide import independent_columns
from ..expr.reading import leaf_counts
from ..expr.spelling import latex_name, spelled, spelled_latex
from ..expr.text_printer import counted
from ..expr.typeset import Typeset
from ..geometry.elimination import solve_columns, solve_symmetric
from ..laws.controller import Controller
from ..laws.law import ControllerState, Law, Reference, changed_latex, gain_latex, valued
from ..laws.named_symbols import controls_of, declared_controls, joint_efforts
from ..model.reading import number_of
from ..model.records import Parameter
from ..notebook import Told

if TYPE_CHECKING:
    from ..formalisms.derivation import Derived
    from .lyapunov import LyapunovFunction


@dataclass(frozen=True, eq=False)
class Actuation:
    """Controls c of a mechanism, and the matrix B with which they act on its speeds."""

    equations: EquationsOfMotion
    controls: tuple[Expr, ...]
    place: str

    @cached_property
    def idle(self) -> dict[Expr, Expr]:
        """Efforts and inputs that are no controls, and zero."""
        acting = [*self.equations.tau, *(each.symbol for each in self.equations.system.inputs.values())]
        return {each: as_expr(0) for each in acting if each not in self.controls}

    @cached_property
    def matrix(self) -> Matrix:
        """B: what a unit of each control does on each speed, ∂(τ - bias)/∂c."""
        forces = [as_expr(entry) for entry in self.equations.forcing]
        columns = [directional(forces, {control: 1}) for control in self.controls]
        acting = {*self.controls, *self.idle}
        bent = [c for c, column in zip(self.controls, columns, strict=True) if acting & {*free_symbols(column)}]
        if bent:
            message = f"the forces are not linear in the input '{spelled(bent[0])}'."
            raise PolhodeError(message, self.place, "Make the force itself the input.", "E-CONTROL-DEPENDENCE")
        return Matrix.columns_of(columns, len(forces))

    def required(self, accelerations: Sequence[Any]) -> list[Expr]:
        """M v + bias: what the controls together have to do on the speeds for accelerations v, by inverse dynamics."""
        e = self.equations
        nothing = {each: as_expr(0) for each in (*self.controls, *self.idle)}
        with quiet_collector():
            found = substitute(list(e.inverse_dynamics), nothing)
            return substitute(found, dict(zip(e.udot, map(as_expr, accelerations), strict=True)))

    def at_rest(self) -> list[Expr]:
        """What the controls have to do to hold the mechanism where it is: the bias without speeds."""
        still = {u: as_expr(0) for u in self.equations.u}
        return substitute(self.required([0] * len(still)), still)

    def solved(self, forces: Sequence[Any]) -> dict[Expr, Expr]:
        """The controls c with B c = forces; the least of them, where there are more than speeds."""
        B, forces = self.matrix, [as_expr(each) for each in forces]
        count, size = len(self.controls), len(forces)
        if same(B.entries(), Matrix.identity(size).entries()):
            found: Sequence[Any] = forces
        elif count == size:
            found = [row[0] for row in solve_columns(B, [[each] for each in forces])]
        else:
            found = list(B.T @ Vector(solve_symmetric(B @ B.T, forces)))  # c = Bᵀ (B Bᵀ)⁻¹ f
        return dict(zip(self.controls, map(as_expr, found), strict=True))

    @cached_property
    def undriven(self) -> list[Expr]:
        """Speeds that controls cannot drive, the others being driven as they should."""
        rows = self.matrix.T
        driven = independent_columns(rows) if self.controls else []
        return [u for k, u in enumerate(self.equations.u) if k not in driven]

    def check_full(self) -> Actuation:
        """Refuse controls that do not reach all speeds."""
        if rank(self.matrix) < len(self.equations.u):
            names, controls = listed([f"'{u.name}'" for u in self.undriven]), listed(map(spelled, self.controls))
            drive, cure = "drive" if self.controls[1:] else "drives", "Use PartialLinearization, EnergyControl or LQR"
            message = f"'{self.equations.system.name}' is underactuated: {controls} {drive} all speeds but {names}."
            raise PolhodeError(message, self.place, f"{cure}, which take fewer controls.", "E-CONTROL-UNSUPPORTED")
        return self


def actuation(equations: EquationsOfMotion, inputs: Any, place: str) -> Actuation:
    """The controls of a mechanism whose equations are written on independent speeds."""
    check_whole(equations, f"the law of {place}")
    if equations.constraints is not None and equations.dependent_speeds is None:
        multipliers = f"'{equations.system.name}' has constraints that are kept by multipliers"
        message = f"{multipliers}, with which its speeds are not independent."
        cure = "Derive on independent speeds: derive(independent=[…])."
        raise PolhodeError(message, place, cure, "E-CONTROL-UNSUPPORTED")
    if not equations.u:
        cure = "Add joints."
        raise PolhodeError(f"'{equations.system.name}' has nothing that moves.", place, cure, "E-CONTROL-UNSUPPORTED")
    if inputs is not None:
        found = controls_of(equations, inputs, place)
    else:
        own = {u.name for u in equations.u}
        found = declared_controls(equations)
        if not found:
            found = {name: tau for name, tau in joint_efforts(equations).items() if tau.name in own}
            warn_of_base(equations, found, place)
    if not found:
        raise PolhodeError("no input is named.", place, "Name the controls: inputs=[…].", "E-CONTROL-MISSING")
    return Actuation(equations, tuple(found.values()), place)


def warn_of_base(equations: EquationsOfMotion, controls: Mapping[str, Expr], place: str) -> None:
    """Warn if controls that were not named act between the ground and a free base."""
    system, chosen = equations.system, {*controls.values()}
    bases = [each for each in system.joints.values() if each.parent == system.ground.name and each.type.kind == "free"]
    if all(each in bases or not each.u for each in system.joints.values()):
        return  # a craft by itself, which has its thrusters
    for base in bases:
        acting = [spelled(tau) for tau in base.tau if tau in chosen]
        if acting:
            warn(
                f"{place}: {listed(acting)} act between the ground and the free base '{base.child}', where no motor "
                "is. Name what is driven, inputs=[…], with PartialLinearization or LQR; or all, if the base is driven.",
                code="W-CONTROL-UNSUPPORTED",
            )


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
    """K of a number for all `names`, of one for each in order or by name, or a symmetric positive definite matrix."""
    size = len(names)
    if isinstance(given, Mapping):
        for name in given:
            if name not in names:
                raise unknown("gain", name, names, place=f"{place} {word}", code="E-CONTROL-NAME")
        for name in names:
            if name not in given:
                message, cure = f"there is no gain for '{name}'.", "Give one for each, or one number for all."
                raise PolhodeError(message, f"{place} {word}", cure, "E-CONTROL-MISSING")
        given = [given[name] for name in names]
    try:
        shape: tuple[int, ...] | None = tuple(np.shape(given))
    except ValueError:  # rows differ in length
        shape = None
    if shape == () and not isinstance(given, str | Mapping):
        one = _parameter(word, given, place)
        return _diagonal([one.symbol] * size, {word: one})
    if shape == (size,):
        made = {f"{word}_{name}": value for name, value in zip(names, given, strict=True)}
        table = {key: _parameter(key, value, place) for key, value in made.items()}
        return _diagonal([each.symbol for each in table.values()], table)
    if shape == (size, size):
        return _full(word, np.asarray(given, dtype=object), names, place)
    message = f"{shown(given)} is neither one gain, nor one for each of {', '.join(names)}, nor a matrix for them."
    cure = f"Give a number, {size} of them, or {size} rows of {size}."
    raise PolhodeError(message, f"{place} {word}", cure, "E-CONTROL-SHAPE")


def _parameter(name: str, value: Any, place: str) -> Parameter:
    made = number_of(value, f"{place} {name}")
    if not made.is_number or not np.isfinite(float(made.data)):
        cure = "Give one."
        raise PolhodeError(f"the gain {shown(value)} is not a number.", f"{place} {name}", cure, "E-CONTROL-NUMBER")
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
        message = "the matrix of gains is not symmetric and positive definite."
        cure = "Give such a matrix, or a positive number for each."
        raise PolhodeError(message, f"{place} {word}", cure, "E-CONTROL-NUMBER")
    return Gains(Matrix(rows), table)


#: Right-hand sides with more operations are written as they were built, not in normal form; and with quotients sooner.
_READABLE, _READABLE_QUOTIENT = 400, 80
#: Those that would have more symbols and numbers than this, written out, are only counted.
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
        message = f"no Lyapunov function of {self.name} is known here."
        cure = "Give one of your own to polhode.control.lyapunov.prove."
        raise PolhodeError(message, "lyapunov", cure, "E-CONTROL-UNSUPPORTED")

    def _prove(self, V: Any, decrease: Any, **options: Any) -> LyapunovFunction:
        from .lyapunov import prove

        return prove(self.equations, self.law, V, decrease, **options)

    def gains(self, word: str, given: Any, names: Sequence[str]) -> Gains:
        """Positive gains as `given`, one for each of `names`: parameters of the law, called by the `word`."""
        if given is None:
            cure = f"Give {word}=…: a positive number, one for each of {', '.join(names)}, or a matrix."
            raise PolhodeError(f"no {word} is given.", self.name, cure, "E-CONTROL-MISSING")
        made = gains(word, given, list(names), self.name)
        for name, each in made.parameters.items():
            if made.is_diagonal and (each.value is None or each.value <= 0):
                message = f"the gain {name} = {shown(float(each.value or 0))} is not positive."
                cure = "Give a positive number: the sign is in the law."
                raise PolhodeError(message, self.name, cure, "E-CONTROL-NUMBER")
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
        parts = {each: each.name.partition("_") for each in written.steps}
        names = {each: f"{letter}_{{{latex_name(name)}}}" for each, (letter, _, name) in parts.items()}
        names |= {each.symbol: gain_latex(name) for name, each in written.parameters.items()}
        changed = {each.symbol: changed_latex(each, names.get(each.symbol)) for each in written.states}
        for left, mark, right in written.lines():
            head = names.get(left, spelled_latex(left)) if mark == "=" else changed[left]
            count = _too_long(right)
            yield head, rf"\text{{{count}}}" if count else latex(right, names=names)

    def _repr_latex_(self) -> str:
        from ..expr.latex_display import typeset

        return typeset([*self._latex_lines()], self._sentences())

    def _text(self) -> str:
        return "\n".join([repr(self), str(self), *self._sentences()])


def _too_long(value: Expr) -> str:
    """What stands for a right-hand side with too many symbols to be read."""
    size = leaf_counts(topological([value]))[id(value)]
    return f"{counted(value)}, see law.controls" if size > _LONGEST else ""


def _readable(value: Expr) -> Expr:
    counts = operation_counts([value])
    most = _READABLE_QUOTIENT if counts.get("div") else _READABLE
    return value if sum(counts.values()) > most or _too_long(value) else normal(value)
