"""The control-affine form of the equations of motion, in two forms.

    ẋ = f(x) + Σ gᵢ(x) cᵢ,     x = (q, u, z)

`ControlAffine` has the inputs c as they are. `Regular` has the same mechanism after a feedback c = α(x) + β(x) v, β
regular, that makes the driven speeds a obey u̇_a = v (M. W. Spong, *Partial feedback linearization of underactuated
mechanical systems*, 1994):

    M_pp u̇_p = f_p - M_pa v,     u̇_a = v

Relative degrees, accessibility, controllability and flatness do not change under such a feedback, and of M only the
part of the speeds that are not driven is inverted. It is taken where inputs act on as many speeds as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import refuse_contacts
from ..errors import PolhodeError, fault_at, understood, unknown
from ..expr import Expr, Matrix, Vector, as_expr, directional, free_symbols, is_zero, jacobian, rank, substitute
from ..expr.node import SYMBOL
from ..expr.spelling import spelled, spelled_latex
from ..expr.typeset import Typeset
from ..formalisms.deriving import derive
from ..geometry.elimination import factor_symmetric
from ..geometry.vector_fields import Field, bracket, is_involutive, lie_derivative
from ..laws.named_symbols import controls_of, declared_controls
from ..linear.displacements import Displacements, displacements
from ..linear.operating_point import Values, parameter_values
from .determinant import determinant

fault = fault_at("control_affine")


@dataclass(frozen=True, eq=False, repr=False)
class ControlAffine(Typeset):
    """ẋ = f + Σ gᵢ cᵢ: `variables` x, the `drift` f and, by the names of the inputs, the `fields` gᵢ.

    Fields are lists of expressions in the order of `variables`.
    """

    equations: EquationsOfMotion
    inputs: Mapping[str, Expr]
    variables: list[Expr]
    drift: Field
    fields: Mapping[str, Field]

    def __repr__(self) -> str:
        states = ", ".join(map(spelled, self.variables))
        return f"ControlAffine('{self.equations.system.name}': states {states}; inputs {', '.join(self.inputs)})"

    def _formulas(self) -> list[tuple[str, Vector]]:
        fields = [(f"g_{{{spelled_latex(self.inputs[name])}}}", Vector(field)) for name, field in self.fields.items()]
        return [("x", Vector(self.variables)), ("f", Vector(self.drift)), *fields]

    def lie_derivative(self, value: Any, along: str | Sequence[Any] | None = None) -> Expr:
        """The rate of an expression along the drift, along an input's field by its name, or along a field."""
        (derivative,) = lie_derivative([as_expr(value)], self._field(along), self.variables)
        return derivative

    def bracket(self, X: str | Sequence[Any] | None, Y: str | Sequence[Any] | None) -> Field:
        """[X, Y]; each the drift (None), an input's field by its name, or a field."""
        return bracket(self._field(X), self._field(Y), self.variables)

    def is_involutive(self, fields: Sequence[str | Sequence[Any] | None]) -> bool:
        """Whether brackets of these fields stay in what they span, at almost every state."""
        return is_involutive([self._field(field) for field in fields], self.variables)

    def _field(self, which: str | Sequence[Any] | None) -> Field:
        if which is None:
            return self.drift
        if isinstance(which, str):
            if which not in self.fields:
                cure = f"Name one of {', '.join(self.fields)}, or give None for the drift."
                raise fault(f"there is no input '{which}'.", cure, "E-GEOMETRY-NAME")
            return self.fields[which]
        entries = [as_expr(entry) for entry in which]
        if len(entries) != len(self.variables):
            message = f"a field with {len(entries)} entries is given, and the state has {len(self.variables)}."
            cure = f"Give an entry for each of {', '.join(map(spelled, self.variables))}."
            raise fault(message, cure, "E-GEOMETRY-SHAPE")
        return entries


@dataclass(frozen=True, eq=False)
class Regular:
    """The form after feedback v = v₀ + T c where `condition` ≠ 0; u̇ = v for the speeds in `driven` (else v = c)."""

    variables: list[Expr]
    drift: Field
    fields: list[Field]
    driven: list[int]
    condition: Expr
    positive: Expr  # the determinant of what of M was inverted


@dataclass(frozen=True, eq=False)
class Plant:
    """A mechanism and its controls; all other inputs and efforts, and some parameters, are held at given values."""

    equations: EquationsOfMotion
    inputs: Mapping[str, Expr]
    held: Mapping[Expr, Expr]
    place: str
    is_plain: bool = False  # whether the feedback of `regular` is not to be taken

    @cached_property
    def moved(self) -> Displacements:
        """Directions in which coordinates change, a ball joint's in three."""
        return displacements(self.equations)

    @cached_property
    def names(self) -> list[str]:
        """The state's entries: displacements, speeds, first-order states."""
        return [*self.moved.names, *map(spelled, self.equations.u), *self.equations.states]

    @property
    def size(self) -> int:
        """The dimension of the state."""
        return len(self.names)

    @property
    def variables(self) -> list[Expr]:
        """q, u and z."""
        return [*self.equations.q, *self.equations.u, *self.equations.z]

    @property
    def masses(self) -> list[Expr]:
        """The symbols that are masses of bodies, and so above zero."""
        return [body.mass for body in self.equations.system.bodies.values() if body.mass.op == SYMBOL]

    def check(self) -> None:
        """Raise where the equations are no such form: they depend on time, or bend with an input."""
        rates = [*self._load, *self.coordinate_rates, *self.state_rates]
        mass = [as_expr(entry) for entry in self.equations.mass_matrix.entries()]
        if self.equations.system.time in free_symbols([*rates, *mass]):
            message = f"the equations of '{self.equations.system.name}' depend on time itself."
            cure = "Make what varies in time an input, or a first-order state."
            raise PolhodeError(message, self.place, cure, "E-GEOMETRY-DEPENDENCE")
        controls = [*self.inputs.values()]
        for name, symbol in self.inputs.items():
            bent = directional(
                [*self._load_by_inputs.entries(), *self._state_by_inputs.entries()], {symbol: as_expr(1)}
            )
            if not all(map(is_zero, bent)) or any(x in controls for x in free_symbols(self.coordinate_rates)):
                message = f"the equations are not affine in the input '{name}'."
                cure = "Make the input a first-order state, and its rate the new input."
                raise PolhodeError(message, self.place, cure, "E-GEOMETRY-DEPENDENCE")

    def _held(self, entries: Sequence[Any]) -> list[Expr]:
        return substitute([as_expr(entry) for entry in entries], dict(self.held))

    def _without_inputs(self, entries: Sequence[Any]) -> list[Expr]:
        return substitute([as_expr(entry) for entry in entries], dict.fromkeys(self.inputs.values(), as_expr(0)))

    # ---- M u̇ = f + B c, ż = r + R c ------------------------------------------------------------------------------

    @cached_property
    def _load(self) -> list[Expr]:
        return self._held(self.equations.forcing)

    @cached_property
    def _load_by_inputs(self) -> Matrix:
        return jacobian(self._load, [*self.inputs.values()])

    @cached_property
    def coordinate_rates(self) -> list[Expr]:
        """q̇."""
        return self._held(self.equations.coordinate_rates)

    @cached_property
    def state_rates(self) -> list[Expr]:
        """ż, with the inputs."""
        return self._held(self.equations.z_rates)

    @cached_property
    def _state_by_inputs(self) -> Matrix:
        return jacobian(self.state_rates, [*self.inputs.values()])

    @cached_property
    def mass_matrix(self) -> Matrix:
        """M."""
        size = len(self.equations.u)
        flat = self._held(list(self.equations.mass_matrix.entries()))
        return Matrix([flat[i * size : (i + 1) * size] for i in range(size)])

    @cached_property
    def residuals(self) -> list[Expr]:
        """M u̇ - f - B c, which vanish; by inverse dynamics, on the symbols of u̇."""
        equations = self.equations
        return self._held([a - b for a, b in zip(equations.inverse_dynamics, equations.efforts, strict=True)])

    # ---- the two forms -------------------------------------------------------------------------------------------

    @cached_property
    def original(self) -> ControlAffine:
        """The form in the inputs themselves."""
        rates = self._held(self.equations.forward_dynamics)
        by_inputs = jacobian(rates, [*self.inputs.values()])
        still = [as_expr(0)] * len(self.equations.q)
        fields = [
            [*still, *map(as_expr, fast), *map(as_expr, slow)]
            for fast, slow in zip(
                _columns(by_inputs, self.inputs), _columns(self._state_by_inputs, self.inputs), strict=True
            )
        ]
        drift = [*self.coordinate_rates, *self._without_inputs(rates), *self._without_inputs(self.state_rates)]
        return ControlAffine(
            self.equations, self.inputs, self.variables, drift, dict(zip(self.inputs, fields, strict=True))
        )

    @cached_property
    def regular(self) -> Regular:
        """The form after the feedback that leaves most of M out, where there is one."""
        B, R = self._load_by_inputs, _columns(self._state_by_inputs, self.inputs)
        acting = [k for k, column in enumerate(_columns(B, self.inputs)) if not all(map(is_zero, column))]
        rows = [i for i, row in enumerate(B) if not all(map(is_zero, row))]
        block = Matrix([[B[i][k] for k in acting] for i in rows])
        pure = all(is_zero(entry) for k in acting for entry in R[k])
        if self.is_plain or not (acting and pure and len(acting) == len(rows) and rank(block) == len(rows)):
            form = self.original
            return Regular(self.variables, form.drift, [*form.fields.values()], [], as_expr(1), as_expr(1))
        drift, columns, positive = self._partly_driven(rows)
        still, settled = [as_expr(0)] * len(self.equations.q), [as_expr(0)] * len(self.equations.z)
        fields, left = [], iter(columns)
        for k in range(len(self.inputs)):
            if k in acting:
                fields.append([*still, *next(left), *settled])
            else:
                fields.append([*still, *[as_expr(0)] * len(self.equations.u), *map(as_expr, R[k])])
        drift = [*self.coordinate_rates, *drift, *self._without_inputs(self.state_rates)]
        driven = dict(zip(acting, rows, strict=True))
        speeds = [driven.get(k, -1) for k in range(len(self.inputs))]
        return Regular(self.variables, drift, fields, speeds, determinant(block), positive)

    def _partly_driven(self, rows: Sequence[int]) -> tuple[list[Expr], list[list[Expr]], Expr]:
        """u̇ with the driven speeds left as they are, by the acceleration of each driven speed, and det M_pp."""
        size = len(self.equations.u)
        M = self.mass_matrix
        free = [i for i in reversed(range(size)) if i not in rows]  # from the tips, where M has its zeros
        load = self._without_inputs(self._load)
        factors = factor_symmetric([[M[i][j] for j in free] for i in free])

        def solved(right: Sequence[Any], driven: int | None) -> list[Expr]:
            column = [as_expr(int(i == driven)) for i in range(size)]
            for i, entry in zip(free, factors.solve(right), strict=True):
                column[i] = as_expr(entry)
            return column

        drift = solved([load[i] for i in free], None)
        positive = as_expr(1)
        for pivot in factors.pivots:
            positive = positive * pivot
        return drift, [solved([-M[i][j] for i in free], j) for j in rows], positive

    @cached_property
    def feedback(self) -> tuple[Vector, Matrix]:
        """v₀ and T of v = v₀ + T c: what the entries of v are for inputs c."""
        count, first = len(self.inputs), len(self.equations.q)
        driven = self.regular.driven or [-1] * count
        drift, fields = self.original.drift, [*self.original.fields.values()]
        v0 = [as_expr(0) if speed < 0 else drift[first + speed] for speed in driven]
        T = [
            [as_expr(int(j == k)) if speed < 0 else fields[k][first + speed] for k in range(count)]
            for j, speed in enumerate(driven)
        ]
        return Vector(v0), Matrix(T)

    # ---- covectors -----------------------------------------------------------------------------------------------

    def differentials(self, values: Sequence[Expr]) -> Matrix:
        """dh for each function h of the state: a row each, a column for each of `names`."""
        by_q = jacobian(values, list(self.equations.q)) @ Matrix.columns_of(
            self.moved.directions, len(self.equations.q)
        )
        others = jacobian(values, self.variables[len(self.equations.q) :])
        return Matrix([[*a, *b] for a, b in zip(by_q, others, strict=True)])

    def unit(self, k: int) -> Field:
        """The unit direction of one of `names`."""
        moved, size = len(self.moved.directions), len(self.equations.q)
        if k < moved:
            return [*map(as_expr, self.moved.directions[k]), *[as_expr(0)] * (len(self.variables) - size)]
        return [as_expr(int(i == k - moved + size)) for i in range(len(self.variables))]


def _columns(matrix: Matrix, inputs: Mapping[str, Expr]) -> list[Sequence[Any]]:
    """The columns of a matrix that may have no rows."""
    return list(matrix.columns) if len(matrix) else [()] * len(inputs)


def plant_of(
    equations: EquationsOfMotion,
    inputs: Sequence[str] | None,
    place: str,
    values: Mapping[Expr, Expr] | None = None,
    parameters: Values = None,
    *,
    may_be_none: bool = False,
) -> Plant:
    """The mechanism with these controls; other inputs are held where a state or, without one, the model has them."""
    refuse_contacts(equations.system.contacts, "control of this kind")
    if equations.constraints is not None and equations.dependent_speeds is None and equations.constraints.rows:
        equations = derive(equations.system, equations.formalism, equations.passes, "embedded")
    if may_be_none and inputs is None:
        controls = declared_controls(equations)
    else:
        controls = controls_of(equations, inputs, place)
    symbols = {*controls.values()}
    zero = dict.fromkeys(equations.tau, as_expr(0))
    zero |= {entry.symbol: as_expr(entry.value or 0) for entry in equations.system.inputs.values()}
    held = {x: (values or {}).get(x, value) for x, value in zero.items() if x not in symbols}
    table = equations.system.parameters
    parameter_values(equations, parameters)  # refuses what is no parameter or no number
    held |= {table[name].symbol: as_expr(value) for name, value in (parameters or {}).items()}
    result = Plant(equations, controls, held, place)
    result.check()
    return result


def control_affine(equations: EquationsOfMotion, inputs: Sequence[str] | None = None) -> ControlAffine:
    """ẋ = f(x) + Σ gᵢ(x) cᵢ for the chosen inputs."""
    return plant_of(equations, inputs, "control_affine").original


#: An output with a longer text is named by its number.
_SHORT = 60


def outputs_of(plant: Plant, outputs: Any) -> dict[str, Expr]:
    """The outputs by name: a list of names and expressions, or a mapping from names to expressions.

    Expressions of all speeds are brought to those of the equations; parameters may stand in them, inputs not.
    """
    equations, place = plant.equations, f"{plant.place} outputs"
    entries = dict(outputs) if isinstance(outputs, Mapping) else dict(enumerate(_listed(outputs, place)))
    table = {spelled(x): x for x in plant.variables}
    targets: dict[str, Expr] = {}
    for key, entry in entries.items():
        if isinstance(entry, str) and entry not in table:
            raise unknown("state", entry, table, place=place, code="E-GEOMETRY-NAME")
        with understood("an expression of the state", entry, place=place, cure="Give expressions, or names of states."):
            target = table[entry] if isinstance(entry, str) else as_expr(entry)
        (target,) = equations.in_independent_speeds(substitute([target], equations.tree.followed))
        name = key if isinstance(key, str) else _name(entry, key)
        if name in targets or as_expr(target) in targets.values():
            raise PolhodeError(f"the output '{name}' is given twice.", place, "Give it once.", "E-CONTROL-TWICE")
        targets[name] = as_expr(target)
    if not targets:
        raise PolhodeError("no output is given.", place=place, cure="Give a list of outputs.", code="E-CONTROL-MISSING")
    allowed = {*plant.variables, *(entry.symbol for entry in equations.system.parameters.values())}
    for name, target in targets.items():
        for foreign in [x for x in free_symbols([target]) if x not in allowed]:
            message = f"the output '{name}' depends on {spelled(foreign)}, which is no part of the state."
            cure = "Give expressions of coordinates, speeds, states and parameters."
            raise PolhodeError(message, place, cure, "E-GEOMETRY-DEPENDENCE")
    values = {x: value for x, value in plant.held.items() if x.data[0] == "parameter"}
    return dict(zip(targets, substitute([*targets.values()], values), strict=True))


def _name(entry: Any, place: int) -> str:
    """An expression's own text, where it is short."""
    text = str(entry)
    return text if len(text) <= _SHORT and "…" not in text else f"output {place + 1}"


def _listed(outputs: Any, place: str) -> list[Any]:
    if isinstance(outputs, str | Expr):
        return [outputs]
    with understood("a list of outputs", outputs, place=place, cure="Give names of states and expressions."):
        return list(outputs)
