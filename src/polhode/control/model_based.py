"""What controllers made from the equations of motion share: controls, gains, and the law written in steps.

A law is written as on paper: errors first, then what is wanted of the mechanism, then controls that do it. Each step
has a symbol of its own. The `Law` has the steps put in; text and LaTeX keep them apart.

How controls act on the speeds: B in M(q) u̇ + bias(q, u, t) = B(q) c, and c for what is to be done.

Controls are the inputs that were named, else the declared inputs, else the efforts of joints with a motor, else the
efforts on the (independent) speeds. Efforts and inputs that are no controls are taken to be zero.

What a mechanism is to follow (`Tracking`): as many errors as it has speeds, and how they change.

    e(q, r),    ė = E(q, r) u + e_t(q, r, ṙ),    ë = E u̇ + drift(q, u, r, ṙ, r̈)

The error of a coordinate is e = r - q. That of an orientation, stored as a unit quaternion q, is the rotation that is
lacking, e = 2 vec(q* ∘ r), in the body's own components: twice the sine of half its angle along its axis. So one law
serves joints of every kind: whatever is wanted of the errors is solved for speeds and accelerations through E.
B. Wie and P. M. Barba, "Quaternion feedback for spacecraft large angle maneuvers" (1985), for the error.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..control_geometry.determinant import determinant
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_whole
from ..errors import PolhodeError, check_known, listed, shown, warn
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    free_symbols,
    jacobian,
    latex,
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
from ..expr.ranges import cannot_vanish
from ..expr.reading import leaf_counts
from ..expr.spelling import latex_name, reference_symbol, spelled, spelled_latex
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
        acting = [*self.equations.tau, *(signal.symbol for signal in self.equations.system.inputs.values())]
        return {x: as_expr(0) for x in acting if x not in self.controls}

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
        nothing = {x: as_expr(0) for x in (*self.controls, *self.idle)}
        with quiet_collector():
            efforts = substitute(list(e.inverse_dynamics), nothing)
            return substitute(efforts, dict(zip(e.udot, map(as_expr, accelerations), strict=True)))

    def at_rest(self) -> list[Expr]:
        """Controls that hold the mechanism at rest: the bias at zero speeds."""
        still = {u: as_expr(0) for u in self.equations.u}
        return substitute(self.required([0] * len(still)), still)

    def solved(self, forces: Sequence[Any]) -> dict[Expr, Expr]:
        """The controls c with B c = forces; the least of them, where there are more than speeds."""
        B, forces = self.matrix, [as_expr(f) for f in forces]
        count, size = len(self.controls), len(forces)
        if same(B.entries(), Matrix.identity(size).entries()):
            controls: Sequence[Any] = forces
        elif count == size:
            controls = [row[0] for row in solve_columns(B, [[f] for f in forces])]
        else:
            controls = list(B.T @ Vector(solve_symmetric(B @ B.T, forces)))  # c = Bᵀ (B Bᵀ)⁻¹ f
        return dict(zip(self.controls, map(as_expr, controls), strict=True))

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
        controls = controls_of(equations, inputs, place)
    else:
        names = {u.name for u in equations.u}
        controls = declared_controls(equations)
        if not controls:
            controls = {name: tau for name, tau in joint_efforts(equations).items() if tau.name in names}
            warn_of_base(equations, controls, place)
    if not controls:
        raise PolhodeError("no input is named.", place, "Name the controls: inputs=[…].", "E-CONTROL-MISSING")
    return Actuation(equations, tuple(controls.values()), place)


def warn_of_base(equations: EquationsOfMotion, controls: Mapping[str, Expr], place: str) -> None:
    """Warn if controls that were not named act between the ground and a free base."""
    system, chosen = equations.system, {*controls.values()}
    bases = [x for x in system.joints.values() if x.parent == system.ground.name and x.type.kind == "free"]
    if all(joint in bases or not joint.u for joint in system.joints.values()):
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


def gains(word: str, entries: Any, names: Sequence[str], place: str) -> Gains:
    """K of a number for all `names`, of one for each in order or by name, or a symmetric positive definite matrix."""
    size = len(names)
    if isinstance(entries, Mapping):
        check_known("gain", entries, names, place=f"{place} {word}", code="E-CONTROL-NAME")
        for name in names:
            if name not in entries:
                message, cure = f"there is no gain for '{name}'.", "Give one for each, or one number for all."
                raise PolhodeError(message, f"{place} {word}", cure, "E-CONTROL-MISSING")
        entries = [entries[name] for name in names]
    try:
        shape: tuple[int, ...] | None = tuple(np.shape(entries))
    except ValueError:  # rows differ in length
        shape = None
    if shape == () and not isinstance(entries, str | Mapping):
        one = _parameter(word, entries, place)
        return _diagonal([one.symbol] * size, {word: one})
    if shape == (size,):
        values = {f"{word}_{name}": value for name, value in zip(names, entries, strict=True)}
        table = {key: _parameter(key, value, place) for key, value in values.items()}
        return _diagonal([parameter.symbol for parameter in table.values()], table)
    if shape == (size, size):
        return _full(word, np.asarray(entries, dtype=object), names, place)
    message = f"{shown(entries)} is neither one gain, nor one for each of {', '.join(names)}, nor a matrix for them."
    cure = f"Give a number, {size} of them, or {size} rows of {size}."
    raise PolhodeError(message, f"{place} {word}", cure, "E-CONTROL-SHAPE")


def _parameter(name: str, value: Any, place: str) -> Parameter:
    node = number_of(value, f"{place} {name}")
    if not node.is_number or not np.isfinite(float(node.data)):
        cure = "Give one."
        raise PolhodeError(f"the gain {shown(value)} is not a number.", f"{place} {name}", cure, "E-CONTROL-NUMBER")
    return Parameter(symbol(name, "parameter"), Fraction(node.data))


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
            entry = _parameter(key, values[i][j], place)
            table.setdefault(key, entry)
            rows[i].append(table[key].symbol)
            numbers[i][j] = float(entry.value or 0)
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
        values: dict[Expr, Expr] = {}
        for step, value in self.steps.items():
            (values[step],) = substitute([as_expr(value)], values)
        return values

    def put_into(self, values: Sequence[Any]) -> list[Expr]:
        """Expressions with what the steps are in place of their symbols."""
        return substitute([as_expr(value) for value in values], self._values)

    def law(self) -> Law:
        """The law with all steps put in."""
        controls = dict(zip(self.controls, self.put_into(list(self.controls.values())), strict=True))
        changes = self.put_into([state.rate if state.update is None else state.update for state in self.states])
        states = tuple(
            replace(state, rate=change) if state.update is None else replace(state, update=change)
            for state, change in zip(self.states, changes, strict=True)
        )
        met = {*free_symbols([*controls.values(), *changes])}
        used = {name: parameter for name, parameter in self.parameters.items() if parameter.symbol in met}
        vanishing = zip(self.singular, self.put_into([x for _, x in self.singular]), strict=True)
        singular = tuple((words, value) for (words, _), value in vanishing)
        return Law(controls, states, self.reference, {}, used, None, self.conditions, singular, self.errors)

    def __str__(self) -> str:
        marks = {"=": " = ", "'": "' = ", "+": "⁺ = "}
        return "\n".join(
            f"{spelled(left)}{marks[mark]}{_too_long(right) or right}" for left, mark, right in self.lines()
        )

    def __repr__(self) -> str:
        return f"Written({listed(map(spelled, self.controls))} in {len(self.steps)} steps)"

    def lines(self) -> list[tuple[Expr, str, Expr]]:
        """Left side, mark ("=", or "'" for a rate, "+" for the next sample) and right side of each line to be read."""
        lines = [(step, "=", as_expr(value)) for step, value in self.steps.items()]
        for state in self.states:
            rate = state.rate if state.update is None else state.update
            lines.append((state.symbol, "'" if state.update is None else "+", as_expr(rate)))
        lines += [(control, "=", as_expr(value)) for control, value in self.controls.items()]
        return [(left, mark, _readable(right)) for left, mark, right in lines]


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

    def gains(self, word: str, values: Any, names: Sequence[str]) -> Gains:
        """Positive gains from `values`, one for each of `names`: parameters of the law, called by the `word`."""
        if values is None:
            cure = f"Give {word}=…: a positive number, one for each of {', '.join(names)}, or a matrix."
            raise PolhodeError(f"no {word} is given.", self.name, cure, "E-CONTROL-MISSING")
        gains_read = gains(word, values, list(names), self.name)
        for name, parameter in gains_read.parameters.items():
            if gains_read.is_diagonal and (parameter.value is None or parameter.value <= 0):
                message = f"the gain {name} = {shown(float(parameter.value or 0))} is not positive."
                cure = "Give a positive number: the sign is in the law."
                raise PolhodeError(message, self.name, cure, "E-CONTROL-NUMBER")
        return gains_read

    def __str__(self) -> str:
        return str(self.written)

    def latex(self) -> str:
        """The law in LaTeX, a line for each step, in an aligned display."""
        body = " \\\\\n".join(f"{head} &= {body}" for head, body in self._latex_lines())
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    def _latex_lines(self) -> Iterator[tuple[str, str]]:
        written = self.written
        parts = {x: x.name.partition("_") for x in written.steps}
        names = {x: f"{letter}_{{{latex_name(name)}}}" for x, (letter, _, name) in parts.items()}
        names |= {parameter.symbol: gain_latex(name) for name, parameter in written.parameters.items()}
        changed = {state.symbol: changed_latex(state, names.get(state.symbol)) for state in written.states}
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
    """Text in place of a right-hand side that is too long to read; empty if it is not."""
    size = leaf_counts(topological([value]))[id(value)]
    return f"{counted(value)}, see law.controls" if size > _LONGEST else ""


def _readable(value: Expr) -> Expr:
    counts = operation_counts([value])
    most = _READABLE_QUOTIENT if counts.get("div") else _READABLE
    return value if sum(counts.values()) > most or _too_long(value) else normal(value)


@dataclass(frozen=True, eq=False)
class Tracking:
    """Errors of a mechanism against a reference, by name, one for each speed."""

    equations: EquationsOfMotion
    reference: tuple[Reference, ...]
    errors: Mapping[str, Expr]
    conditions: tuple[str, ...] = ()
    singular: tuple[tuple[str, Expr], ...] = ()  # these conditions, and what vanishes there

    @property
    def names(self) -> list[str]:
        return list(self.errors)

    @cached_property
    def flow(self) -> dict[Expr, Any]:
        """Rates of coordinates, time and the reference; speeds are constant."""
        e = self.equations
        moving = {**dict(zip(e.q, e.coordinate_rates, strict=True)), e.system.time: as_expr(1)}
        return moving | reference_flow(self.reference)

    @cached_property
    def rates(self) -> list[Expr]:
        """ė."""
        return directional(self.errors.values(), self.flow)

    @cached_property
    def by_speeds(self) -> Matrix:
        """E = ∂ė/∂u."""
        return jacobian(self.rates, list(self.equations.u))

    def speeds_for(self, rates: Sequence[Any]) -> list[Expr]:
        """Speeds for given rates of the errors: E u + e_t = rates."""
        parts = self.by_speeds @ Vector(self.equations.u)
        return self._solved([r - (rate - part) for r, rate, part in zip(rates, self.rates, parts, strict=True)])

    def accelerations_for(self, second_rates: Sequence[Any]) -> list[Expr]:
        """Accelerations for given second rates of the errors: E u̇ + drift = second rates."""
        drift = directional(self.rates, self.flow)
        return self._solved([r - part for r, part in zip(second_rates, drift, strict=True)])

    def _solved(self, right: Sequence[Any]) -> list[Expr]:
        """x with E x = right; joints by themselves are solved by themselves."""
        E, x = self.by_speeds, [as_expr(0)] * len(right)
        for rows, columns in _blocks(E):
            solution = solve_block(Matrix([[E[r][c] for c in columns] for r in rows]), [right[r] for r in rows])
            for c, value in zip(columns, solution, strict=True):
                x[c] = as_expr(value)
        return x


def is_orthogonal(E: Matrix) -> bool:
    """Whether a matrix is a rotation, or a mirrored one, wherever the mechanism is."""
    return same((E @ E.T).entries(), Matrix.identity(len(E)).entries())


def solve_block(E: Matrix, right: Sequence[Any]) -> list[Expr]:
    """x with E x = right, dividing by nothing that vanishes where E is regular, up to three rows."""
    if is_orthogonal(E):
        return [as_expr(x) for x in E.T @ Vector(right)]
    if len(E) != 3:
        return [as_expr(row[0]) for row in solve_columns(E, [[x] for x in right])]
    a, b, c = E  # Cramer's rule: rows of the inverse's transpose are b × c, c × a, a × b over the determinant
    crossed = [b.cross(c), c.cross(a), a.cross(b)]
    det = a.dot(crossed[0])
    return [as_expr(sum(part[k] * x for part, x in zip(crossed, right, strict=True)) / det) for k in range(3)]


def reference_flow(reference: Sequence[Reference]) -> dict[Expr, Expr]:
    """How references change: each derivative at the rate of the next."""
    return {
        x: reference_symbol(wanted.name, order + 1) for wanted in reference for order, x in enumerate(wanted.symbols)
    }


def tracking(equations: EquationsOfMotion, order: int, place: str) -> Tracking:
    """Coordinates that follow references of the same names, with `order` derivatives."""
    rows = () if equations.constraints is None else equations.constraints.rows
    rolling = [row.name for row in rows if row.value is None]
    left = len(equations.q) - len(equations.quaternions) - len(equations.u)
    if rolling or (equations.dependent_speeds is None and left > 0):
        why = f"by '{rolling[0]}'" if rolling else "by its joints"
        message = f"'{equations.system.name}' is nonholonomic, {why}: its coordinates cannot all follow references."
        cure = "Choose outputs, as many as there are controls, for FeedbackLinearization."
        raise PolhodeError(message, place, cure, "E-CONTROL-UNSUPPORTED")
    rates, q = equations.coordinate_rates, list(equations.q)
    errors: dict[str, Expr] = {}
    wanted: list[Reference] = []
    singular: list[tuple[str, Expr]] = []
    turned = {first + k for first in equations.quaternions for k in range(4)}
    placed: dict[int, tuple[str, int]] = {}  # coordinates of free joints, by joint and axis
    for first in equations.quaternions:
        joint = next(name for name, joint in equations.system.joints.items() if q[first] in joint.q)
        if equations.system.joints[joint].type.kind == "free":
            placed |= {first + 4 + k: (joint, k) for k in range(3)}
        references = [Reference(x.name, order, quantity=x, orientation=joint) for x in q[first : first + 4]]
        wanted += references
        error = _lacking(q[first : first + 4], [r.symbols[0] for r in references])
        errors |= {f"{joint} {axis}": part for axis, part in zip("xyz", error, strict=True)}
        alike = as_expr(sum(x * r.symbols[0] for x, r in zip(q[first : first + 4], references, strict=True)))
        singular.append((f"the orientation of '{joint}' is half a turn away from its reference", alike))
    speeds = {*equations.u}
    plain = [k for k in range(len(q)) if k not in turned and rates[k] in speeds]
    others = [k for k in range(len(q)) if k not in turned and k not in plain]
    gamma = [list(row) for row in equations.kinematic_matrix]
    plain_names = {q[k].name for k in (*plain, *others)}
    for k in _independent(gamma, sorted(turned), [*plain, *others]):
        wanted.append(Reference(q[k].name, order, quantity=q[k], position=placed.get(k)))
        errors[q[k].name] = as_expr(wanted[-1].symbols[0] - q[k])
    result = Tracking(equations, tuple(wanted), errors)
    if len(errors) != len(equations.u) or rank(result.by_speeds) < len(equations.u):
        whose = f"the {len(equations.u)} speeds {listed(map(spelled, equations.u))} of '{equations.system.name}'"
        cure = "Give joints whose coordinates can follow any motion; nonholonomic ones cannot."
        message = f"{whose} are not the rates of as many coordinates or orientations."
        raise PolhodeError(message, place, cure, "E-CONTROL-SHAPE")
    E, names = result.by_speeds, [*errors]
    for block_rows, columns in _blocks(E):
        errors_of = [names[r] for r in block_rows]
        block = Matrix([[E[r][c] for c in columns] for r in block_rows])
        if errors_of[0] in plain_names and not is_orthogonal(block) and not cannot_vanish(determinant(block)):
            singular.append((f"the rates of {listed(errors_of)} do not determine the speeds", determinant(block)))
    return replace(result, conditions=tuple(words for words, _ in singular), singular=tuple(singular))


def _independent(gamma: Sequence[Sequence[Any]], held: Sequence[int], order: Sequence[int]) -> list[int]:
    """Coordinates, in an order of preference, with rates independent of each other and of those held."""
    rows = [gamma[k] for k in (*held, *order)]
    if not rows:
        return []
    columns = independent_columns(list(zip(*rows, strict=True)))
    return sorted(order[k - len(held)] for k in columns if k >= len(held))


def _lacking(q: Sequence[Expr], r: Sequence[Expr]) -> list[Expr]:
    """2 vec(q* ∘ r)."""
    v, w = Vector(q[1:]), Vector(r[1:])
    return [as_expr(2 * part) for part in w * q[0] - v * r[0] - v.cross(w)]


def _blocks(E: Matrix) -> list[tuple[list[int], list[int]]]:
    """Rows and columns that belong together: no other row has an entry in these columns."""
    left = list(range(len(E)))
    blocks: list[tuple[list[int], list[int]]] = []
    while left:
        rows, columns = [left[0]], {c for c, entry in enumerate(E[left[0]]) if entry}
        grows = True
        while grows:
            more = [r for r in left if r not in rows and any(E[r][c] for c in columns)]
            rows += more
            columns |= {c for r in more for c, entry in enumerate(E[r]) if entry}
            grows = bool(more)
        blocks.append((sorted(rows), sorted(columns)))
        left = [r for r in left if r not in rows]
    return blocks


class TrackingController(ModelBased):
    """A controller of a fully actuated mechanism; `tracking` has its errors and how they change."""

    def __init__(self, equations: Derived | EquationsOfMotion, **options: Any) -> None:
        super().__init__(equations, **options)
        self.actuation.check_full()
        self.tracking = tracking(self.equations, 2, self.name)

    def _law_of_forces(
        self, forces: Sequence[Any], steps: Mapping[Expr, Expr], states: Sequence[Any], *gains: Gains | None
    ) -> Written:
        """The law that exerts these forces, with the references and the singular poses of the tracking."""
        parameters = {name: parameter for gain in gains if gain for name, parameter in gain.parameters.items()}
        controls, followed = self.actuation.solved(forces), self.tracking
        return Written(
            controls, steps, tuple(states), followed.reference, parameters, followed.conditions, followed.singular
        )

    def _sliding_steps(self) -> list[Expr]:
        """s of all speeds, as expressions of the state and the reference."""
        return self.written.put_into([step("s", u.name) for u in self.equations.u])
