"""The state that small motions are about: by names, on the constraints, and with independent speeds.

A state that does not keep the constraints is assembled first; a notice says what that moved. Equations with multipliers
are written on independent speeds that serve at this pose; where a state is given by parameters, on those that are
given, so that the others follow for all parameters. An assembled state that is known in numbers holds for the
parameters that it was found with, and use with others is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict

from ..constraints.dependent_speeds import dependent_speeds_of
from ..constraints.rows import constraints_of
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.omission import without
from ..errors import PolhodeError, check_known, fault_at, listed, number
from ..expr import (
    Expr,
    as_expr,
    directionals,
    evaluate,
    free_symbols,
    is_zero,
    substitute,
    symbol,
    topological,
)  # fmt: skip
from ..expr.exact import floor
from ..expr.graph import rebuild
from ..expr.spelling import spelled
from ..formalisms.derivation import derivation_of
from ..formalisms.deriving import derive
from ..model.unit import si_values
from ..notebook import Cell, Shown, Table
from ..simulate.constraints.assembly import assemble

Values: TypeAlias = "Mapping[str, Any] | None"
Named: TypeAlias = "Sequence[tuple[str, Expr]]"

#: Constraints with smaller residuals are satisfied.
_TOLERANCE = 1e-9
_PLACE = "linearize"
fault = fault_at(_PLACE)


class StateOptions(TypedDict, total=False):
    """Options of `Equations.linearize` besides coordinates and accelerations, each by name."""

    speeds: Values
    tau: Values
    inputs: Values
    parameters: Values


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoint(Shown):
    """A value for every coordinate, speed, state, effort and input of equations on independent speeds, at time zero.

    `off` are constraints that hold for some parameters alone: they vanish for those that the state was found with.
    `given` are coordinates and speeds that were given as expressions of parameters, less the numbers that assembly
    put for them: they vanish for the same parameters.
    """

    equations: EquationsOfMotion
    values: dict[Expr, Expr]
    off: Named = ()
    notices: tuple[str, ...] = ()
    given: Named = ()

    def __repr__(self) -> str:
        values = [f"{spelled(x)} = {value}" for x, value in self.values.items() if value]
        return f"OperatingPoint('{self.equations.system.name}': {listed(values) or 'all values zero'})"

    def _cell(self) -> Cell:
        values = Table(["", "value"], [(spelled(x), str(value)) for x, value in self.values.items()], numbers_from=1)
        return Cell(f"operating point of {self.equations.system.name}", [values, *self.notices])


def operating_point(
    equations: EquationsOfMotion, given: Mapping[Expr, Expr], parameters: Mapping[str, Any] | None
) -> OperatingPoint:
    """The state with these values, others zero and at rest; assembled, if it does not keep the constraints."""
    values = _home(equations) | dict(given)
    joints = equations.system.joints
    for motor in (motor for motor in equations.system.motors.values() if motor.is_elastic):  # gears are not wound
        link, rotor = joints[motor.joint], joints[motor.rotor]
        for coordinate, leader in ((rotor.q[0], link.q[0]), (rotor.u[0], link.u[0])):
            if coordinate in values and coordinate not in given and leader in values:
                values[coordinate] = motor.ratio * values[leader]
    constraints = equations.constraints
    if constraints is None or not (constraints.rows or constraints.definitions):
        return OperatingPoint(equations, values)
    if equations.dependent_speeds is None and len(constraints.generic_rows) == len(equations.u):
        message = "the constraints leave no speed free, and so no small motions."
        raise PolhodeError(message, f"system '{equations.system.name}'", "See system.diagnose().", "E-LINEAR-SINGULAR")
    numbers = parameter_values(equations, parameters)
    conditions = _of_positions(equations)
    if equations.dependent_speeds is None:
        conditions = [*conditions, *((f"rate of {row.name}", row.rate) for row in constraints.rows)]
    off = _off(conditions, values)
    notices: list[str] = []
    in_numbers: Named = ()
    written, independent = values, None
    if any(abs(number) > _TOLERANCE for number in _numbers(off, numbers)):
        named = [[x for x in given if x in {*symbols}] for symbols in (equations.q, equations.u)]
        start, speeds = ({x.name: y for x, y in zip(part, _at(part, given, numbers), strict=True)} for part in named)
        assembled = assemble(derivation_of(equations), start, speeds, parameters=parameters)
        in_numbers = _in_numbers(equations, values, numbers)
        values = values | {q: as_expr(float(x)) for q, x in zip(equations.q, assembled.q, strict=True)}
        values |= {u: as_expr(float(x)) for u, x in zip(equations.u, assembled.u, strict=True)}
        if in_numbers and equations.dependent_speeds is None:
            independent = _determining(equations, written, values, given, numbers)
        if independent is not None:
            values, in_numbers = written, ()
        off = _off(conditions if independent is None else _of_positions(equations), values)
        moved = [*assembled.moved.items(), *((f"speed {name}", ends) for name, ends in assembled.changed.items())]
        words = [f"{name} from {old:.6g} to {new:.6g}" for name, (old, new) in moved]
        if words:
            notices.append(f"The state was assembled first, to keep the constraints: {', '.join(words)}.")
        if in_numbers:
            names = sorted({x.name for x in free_symbols([value for _, value in in_numbers])})
            notices.append(f"So it is known in numbers, for the values of {', '.join(names)} that it was given with.")
    if equations.dependent_speeds is None:
        pose = _at(equations.q, values, numbers)
        near = dict(zip(equations.coordinates, pose, strict=True)) if pose else None
        omitted = [q.name for q in equations.omitted]
        equations = derive(equations.system, equations.formalism, equations.passes, "embedded", independent, near=near)
        equations = without(equations, omitted) if omitted else equations
        values = {x: value for x, value in values.items() if x in _home(equations)}
    return OperatingPoint(equations, values, off, tuple(notices), in_numbers)


def parameter_values(
    equations: EquationsOfMotion, parameters: Mapping[str, Any] | None, place: str = _PLACE
) -> dict[Expr, float]:
    """The parameters that have values: those given, then the model's."""
    table = equations.system.parameters
    check_known("parameter", parameters or {}, table, place=place, code="E-LINEAR-NAME")
    read = si_values(table, parameters or {})
    values = {entry.symbol: read.get(name, entry.value) for name, entry in table.items()}
    return {
        symbol: number(value, place=f"{place} parameter '{symbol.name}'")
        for symbol, value in values.items()
        if value is not None
    }


def _home(equations: EquationsOfMotion) -> dict[Expr, Expr]:
    """The zero configuration at rest, efforts and inputs at their values, states at their start, and time zero."""
    system, tree = equations.system, equations.tree
    values = dict.fromkeys([*tree.q, *equations.u, *tree.tau, system.time], as_expr(0))
    values |= {tree.q[i]: as_expr(1) for i in tree.quaternions}
    values |= {state.symbol: as_expr(state.start) for state in system.states.values()}
    return values | {entry.symbol: as_expr(entry.value or 0) for entry in system.inputs.values()}


def _of_positions(equations: EquationsOfMotion) -> Named:
    """φ and ψ by name."""
    constraints = equations.constraints
    if constraints is None:
        return []
    rows = [(row.name, row.value) for row in constraints.rows if row.value is not None]
    return [*rows, *constraints.definitions.items()]


def _off(conditions: Named, values: Mapping[Expr, Expr]) -> Named:
    """The conditions that do not vanish at a state for all parameters."""
    left = substitute([value for _, value in conditions], dict(values))
    return [(name, value) for (name, _), value in zip(conditions, left, strict=True) if not is_zero(value)]


def _in_numbers(equations: EquationsOfMotion, values: Mapping[Expr, Expr], parameters: Mapping[Expr, float]) -> Named:
    """Coordinates and speeds that are expressions of parameters, less their values in numbers, by name."""
    written = [x for x in (*equations.q, *equations.u) if free_symbols([values[x]])]
    numbers = evaluate([values[x] for x in written], dict(parameters))
    return [(spelled(x), values[x] - as_expr(number)) for x, number in zip(written, numbers, strict=True)]


def _determining(
    equations: EquationsOfMotion,
    written: Mapping[Expr, Expr],
    assembled: Mapping[Expr, Expr],
    given: Mapping[Expr, Expr],
    numbers: Mapping[Expr, float],
) -> list[str] | None:
    """Independent speeds with which a state as written is the assembled one, so that it need not be put in numbers."""
    if equations.constraints is None:
        return None
    tree = equations.constraints.tree
    pose = dict(zip(equations.coordinates, _at(equations.q, written, numbers), strict=True))
    named = [u for u in equations.u if u in given or free_symbols([written[u]])]
    rows = constraints_of(equations.system, tree, pose)
    chosen = [tree.u[k] for k in dependent_speeds_of(rows, prefer=[u.name for u in named]).independent]
    if not {*chosen} >= {*named}:
        return None
    before, after = (_at([*equations.q, *chosen], values, numbers) for values in (written, assembled))
    moved = any(abs(a - b) > _TOLERANCE for a, b in zip(before, after, strict=True))
    return None if moved else [u.name for u in chosen]


def _numbers(off: Named, numbers: Mapping[Expr, float]) -> list[float]:
    values = [value for _, value in off]
    missing = [x for x in free_symbols(values) if x not in numbers]
    if missing:
        message = f"whether '{off[0][0]}' is kept at this state depends on {missing[0]}, which has no value."
        cure = f"Give linearize(…, parameters={{{missing[0].name!r}: …}}), or a state that keeps it for all values."
        raise fault(message, cure, "E-LINEAR-MISSING")
    return evaluate(values, dict(numbers))


def check_kept(point: OperatingPoint, values: Mapping[Expr, float]) -> None:
    """Raise if a state that was assembled for some parameters is used with others that change it."""
    for (name, value), change in zip(point.given, _numbers(point.given, values), strict=True):
        if abs(change) > 2 * _TOLERANCE:
            symbols = ", ".join(sorted(f"'{x.name}'" for x in free_symbols([value])))
            changes = f"{name} was given by {symbols} and changes by {change:.3g} with these parameters"
            message = f"{changes}, but the state was assembled in numbers to keep the constraints."
            derived = "Derive with independent speeds that the state gives, derive(…, independent=[…])"
            cure = f"{derived}, or linearize anew with each value: linearize(…, parameters=…)."
            raise fault(message, cure, "E-LINEAR-FAILED")
    for (name, _), size in zip(point.off, _numbers(point.off, values), strict=True):
        if abs(size) > 2 * _TOLERANCE:
            message = f"with these parameters the state does not keep '{name}': it is off by {size:.3g}."
            raise fault(message, "Linearize anew with them: linearize(…, parameters=…).", "E-LINEAR-FAILED")


def _at(symbols: Sequence[Expr], values: Mapping[Expr, Expr], numbers: Mapping[Expr, float]) -> list[float]:
    """Values in numbers; none, where a parameter has no value."""
    entries = [values[x] for x in symbols]
    return evaluate(entries, dict(numbers)) if numbers.keys() >= {*free_symbols(entries)} else []


def state_names(equations: EquationsOfMotion) -> dict[str, Expr]:
    """Symbols by their spellings, x, x', tau_x, and by their other names."""
    tree = equations.tree
    inputs = {name: entry.symbol for name, entry in equations.system.inputs.items()}
    efforts = dict(zip(tree.speeds, tree.tau, strict=True))
    rates = {u.name: u for u in equations.u}
    written = {spelled(x): x for x in (*equations.q, *equations.u, *equations.z, *tree.tau)}
    symbols = written | {f"tau({name})": effort for name, effort in efforts.items()} | inputs | rates
    return symbols | {f"d({name})": u for name, u in rates.items()} | {x.name: x for x in (*equations.q, *equations.z)}


#: Operands nearer to each other, or to zero, than this part of their size meet.
_MEET = 1e-9
#: A value of what is not known, at which no slope is zero by chance.
_SOME = 0.7364851


def bending(entries: Iterable[Expr]) -> list[tuple[Expr, Expr]]:
    """The functions in expressions that bend or jump, each with what vanishes there."""
    bends = []
    for node in topological(list(entries)):
        if node.op in ("sign", "abs"):
            bends.append((node, node.args[0]))
        elif node.op == "floor":
            bends.append((node, as_expr(node.args[0] - floor(node.args[0] + as_expr("1/2")))))
        elif node.op in ("min", "max"):
            bends.append((node, as_expr(node.args[0] - node.args[1])))
    return bends


def bends_at(laws: Sequence[tuple[Expr, Expr]], entries: Sequence[Expr], values: Mapping[Expr, float]) -> list[Expr]:
    """The functions that bend or jump at a state and act on the entries there: no factor of theirs is zero."""
    sizes = evaluate([operand for _, operand in laws], values) if laws else []
    bent = {law: symbol(f"bent {k}") for k, (law, _) in enumerate(laws) if abs(sizes[k]) <= _MEET}
    made = {**bent}
    for node in topological(entries) if bent else ():
        if node not in made:
            made[node] = rebuild(node, [made[operand] for operand in node.args]) if node.args else node
    slopes = directionals([made.get(entry, entry) for entry in entries], [{x: as_expr(1)} for x in bent.values()])
    somewhere = {x: _SOME for column in slopes for x in free_symbols(column)} | {**values}
    return [law for law, column in zip(bent, slopes, strict=True) if any(evaluate(column, somewhere))]
