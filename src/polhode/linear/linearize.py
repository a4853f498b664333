"""Small motions about a state: the exact linear equations, as graphs of the parameters.

About q₀, u₀ small changes obey

    δṡ = P δs + R δu,     M δu̇ + C δu + K δs + L δz = F δτ + G δi,     δż = S δs + U δu + Z δz + H δi

δs are displacements (`displacements`): changes of coordinates, for a stored orientation small turns about the axes of
its body. δz are changes of first-order states, δτ of the efforts, δi of the model's inputs. K holds the derivatives of
M u̇₀ + bias - τ₀, with the accelerations u̇₀ that the equations give at the state; they vanish at an equilibrium and in
a steady motion. Where
positions are constrained (φ = 0) only independent displacements are kept, and the speeds are the independent ones of
the embedded equations. Nothing is expanded: each column is one directional derivative of the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..dynamics.equations import EquationsOfMotion, factors_of
from ..dynamics.whole import refuse_contacts
from ..errors import PolhodeError, by_name, unknown, warn
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    directionals,
    evaluate,
    free_symbols,
    is_zero,
    jacobian,
    quiet_collector,
    substitute,
)
from ..expr.spelling import acceleration_of, spelled
from .displacements import Displacements, displacements
from .linear import DIVISIONS, Linear, SecondOrder, at_values, singular
from .operating_point import OperatingPoint, Values, bending, bends_at, operating_point, state_names

_PLACE = "linearize"
#: Matrices whose rates are smaller than this part of them, per second, are steady.
_STEADY = 1e-6
_CHANGING = (
    "The matrices change with time and are those of t = 0: their eigenvalues do not decide stability. "
    "periodic_orbit gives the multipliers where the change is periodic."
)


def linearize(
    equations: EquationsOfMotion,
    at: Values = None,
    accelerations: Values = None,
    *,
    speeds: Values = None,
    tau: Values = None,
    inputs: Values = None,
    parameters: Values = None,
) -> Linear:
    """Linear equations about a state: coordinates and first-order states by name, `speeds`, `tau`, `inputs` by theirs.

    What is not named is zero and at rest, first-order states at their start, elastic gears not wound. Values are
    numbers or expressions of parameters. Speeds, efforts and inputs may stand in `at` too, as they are written: x',
    tau_x (or `d(x)`, `tau(x)`). A state that does not keep the constraints is assembled first, with the model's
    parameter values or `parameters`. Accelerations are those that the equations give, or the `accelerations` that are
    prescribed, those not named as zero.
    """
    refuse_contacts(equations.system.contacts, "a linear model")
    with quiet_collector():
        values = _state_values(equations, at, speeds, tau, inputs)
        point = operating_point(equations, values, by_name(parameters, f"{_PLACE} parameters"))
        prescribed = None
        if accelerations is not None:
            table = {spelled(acceleration_of(u)): u for u in point.equations.u}
            table |= dict(zip(point.equations.speeds, point.equations.u, strict=True))
            prescribed = _read(equations, by_name(accelerations, f"{_PLACE} accelerations"), table, "speed")
        try:
            return _linearized(equations, point, prescribed, parameters)
        except (PolhodeError, ArithmeticError) as error:
            if isinstance(error, PolhodeError) and error.problems[0].code not in DIVISIONS:
                raise
            raise singular(point.equations) from None


def _linearized(
    origin: EquationsOfMotion,
    point: OperatingPoint,
    prescribed: dict[Expr, Expr] | None,
    parameters: Mapping[str, Any] | None,
) -> Linear:
    equations, values = point.equations, point.values
    u = list(equations.u)
    M = at_values(equations.mass_matrix, values)
    ud = Vector([(prescribed or {}).get(speed, as_expr(0)) for speed in u])
    lacks = substitute([as_expr(entry) for entry in equations.bias - equations.efforts], values)
    lacks = [as_expr(a + b) for a, b in zip(M @ ud, lacks, strict=True)]
    if prescribed is None and any(lacks):
        ud = Vector(factors_of(M, equations.speeds).solve([-entry for entry in lacks]))
    moved, form = matrices_about(point, M, ud, parameters)
    zdot = substitute([as_expr(rate) for rate in equations.z_rates], values)
    linear = Linear(
        point, moved, form, Vector(lacks), ud, prescribed is not None, Vector(zdot), origin,
        point.notices, parameters,
    )  # fmt: skip
    linear = linear if linear.is_equilibrium else replace(linear, notices=(*linear.notices, _moving(linear)))
    return replace(linear, notices=(*linear.notices, *_timed(linear, ud), *_bent(linear)))


def _timed(linear: Linear, ud: Vector) -> list[str]:
    """Notice that time was held, if the matrices or the state depend on it."""
    equations, time = linear.equations, linear.equations.system.time
    rates = (*equations.all_coordinate_rates, *equations.z_rates)
    entries = [as_expr(entry) for entry in (*equations.mass_matrix.entries(), *equations.bias, *rates)]
    if time not in free_symbols(entries):
        return []
    held = {x: value for x, value in linear.point.values.items() if x is not time}

    def changes(expressions: Sequence[Expr]) -> bool:
        return any(substitute(directional(expressions, {time: as_expr(1)}), held))

    _, form = matrices_about(replace(linear.point, values=held), at_values(equations.mass_matrix, held), ud, None)
    terms = [as_expr(entry) for letter in form.letters for entry in getattr(form, letter).entries()]
    if changes(terms):
        values, first = linear._values(None), directional(terms, {time: as_expr(1)})
        both = substitute([*terms, *first, *directional(first, {time: as_expr(1)})], linear.point.values)
        is_steady = values.keys() >= {*free_symbols(both)}
        if is_steady:  # at first, as before a step that is rounded off
            sizes = [abs(number) for number in evaluate(both, values)]
            is_steady = max(sizes[len(terms) :], default=0.0) <= _STEADY * max(1.0, *sizes[: len(terms)])
        if is_steady:
            return ["The matrices are those of t = 0 and change later."]
        warn(_CHANGING, code="W-LINEAR-DEPENDENCE")
        return [_CHANGING]
    if changes(substitute(entries, held)):
        return ["What drives the mechanism changes with time, and is that of t = 0."]
    return []


def _bent(linear: Linear) -> list[str]:
    """Notice of laws that bend or jump at this state, where they have no derivative."""
    equations = linear.equations
    entries = [as_expr(entry) for entry in (*equations.bias, *equations.z_rates)]
    laws = bending(entries)
    if not laws:
        return []
    values = linear._values(None)
    known = {x: as_expr(value) for x, value in linear.point.values.items()}
    known = {x: value for x, value in known.items() if values.keys() >= {*free_symbols([value])}}
    values = dict(zip(known, evaluate([*known.values()], values), strict=True)) | values
    laws = [law for law in laws if values.keys() >= {*free_symbols([law[1]])}]
    words = "bends or jumps at this state: these are no small motions across it."
    return [f"{law} {words}" for law in bends_at(laws, entries, values)]


def matrices_about(
    point: OperatingPoint, M: Matrix, ud: Vector, parameters: Mapping[str, Any] | None
) -> tuple[Displacements, SecondOrder]:
    """The displacements and the matrices of small motions about a state with the accelerations u̇₀."""
    equations, values = point.equations, point.values
    tree, u = equations.tree, list(equations.u)
    moved = displacements(equations)
    rates = list(equations.all_coordinate_rates)
    needed = list(equations.mass_matrix @ ud + equations.bias) if any(ud) else list(equations.bias)
    moving = dict(zip(tree.q, rates, strict=True))

    by_displacement = [dict(zip(tree.q, direction, strict=True)) for direction in moved.directions]
    changed = directionals([*rates, *needed, *equations.efforts], by_displacement)
    by_speed = directionals([*rates, *needed], [{speed: as_expr(1)} for speed in u])
    size, height = len(rates), len(needed)
    turning = [directional([as_expr(entry) for entry in direction], moving) for direction in moved.directions]

    pairs = zip(changed, turning, strict=True)
    left = [[a - b for a, b in zip(column[:size], bend, strict=True)] for column, bend in pairs]
    P = Matrix.columns_of([_taken(moved.back, column) for column in left], len(moved.names))
    R = Matrix.columns_of([_taken(moved.back, column[:size]) for column in by_speed], len(moved.names))
    forces = ((column[size : size + height], column[size + height :]) for column in changed)
    K = Matrix.columns_of([[r - f for r, f in zip(*force, strict=True)] for force in forces], height)
    C = Matrix.columns_of([column[size:] for column in by_speed], height)
    F = Matrix.identity(height) if equations.dependent_speeds is None else equations.dependent_speeds.E.T
    inputs, z, zdot = [entry.symbol for entry in equations.system.inputs.values()], equations.z, equations.z_rates
    G, L = -jacobian(needed, inputs), jacobian(needed, list(z))
    S = Matrix.columns_of(directionals(zdot, by_displacement), len(z))
    U, Z, H = (jacobian(list(zdot), symbols) for symbols in (u, list(z), inputs))
    P, R, C, K, F, G, L, S, U, Z, H = (at_values(matrix, values) for matrix in (P, R, C, K, F, G, L, S, U, Z, H))
    return moved, SecondOrder(point, P, R, M, C, K, F, G, L, S, U, Z, H, parameters)


def _moving(linear: Linear) -> str:
    """Notice that a state is no equilibrium, with its accelerations."""
    whose = "as given" if linear.is_prescribed else "by the equations"
    numbers, entries = linear._values(None), [as_expr(entry) for entry in (*linear.accelerations, *linear.z_rates)]
    if not numbers.keys() >= {*free_symbols(entries)}:
        return f"This state is no equilibrium; its accelerations are {whose}."
    names = [spelled(acceleration_of(speed)) for speed in linear.equations.u]
    names += [f"{spelled(z)}'" for z in linear.equations.z]
    values = [f"{name} = {number:.6g}" for name, number in zip(names, evaluate(entries, numbers), strict=True)]
    size = len(linear.accelerations)
    rates = f", and the rates of its other states {', '.join(values[size:])}" if values[size:] else ""
    return f"This state is no equilibrium; its accelerations, {whose}, are {', '.join(values[:size])}{rates}."


def _taken(back: Matrix, change: Sequence[Any]) -> list[Expr]:
    return [as_expr(entry) for entry in back @ Vector(change)]


# ---- what is given ---------------------------------------------------------------------------------------------


def _state_values(equations: EquationsOfMotion, at: Any, speeds: Any, tau: Any, inputs: Any) -> dict[Expr, Expr]:
    """The values of the state that were given, by their symbols."""
    tree = equations.tree
    table = {name: entry.symbol for name, entry in equations.system.inputs.items()}
    efforts = dict(zip(tree.speeds, tree.tau, strict=True))
    rates = {u.name: u for u in equations.u}
    written = {spelled(x): x for x in (*equations.q, *equations.u, *equations.z, *tree.tau)}
    kinds = "coordinate, speed, state, effort or input" if equations.states else "coordinate, speed, effort or input"
    values = _read(equations, by_name(at, f"{_PLACE} at"), state_names(equations), kinds, [*written, *table])
    for part, names, kind, word in (
        (speeds, {spelled(u): u for u in equations.u} | rates, "speed", "speeds"),
        (tau, {spelled(x): x for x in tree.tau} | efforts, "effort on a speed", "tau"),
        (inputs, table, "input", "inputs"),
    ):
        values |= _read(equations, by_name(part, f"{_PLACE} {word}"), names, kind)
    return values


def _read(
    equations: EquationsOfMotion, given: Mapping[str, Any], table: Mapping[str, Expr], kind: str, offered: Any = ()
) -> dict[Expr, Expr]:
    """Values by symbol: numbers, or expressions of parameters; an unknown name is answered by those offered."""
    parameters = {entry.symbol for entry in equations.system.parameters.values()}
    values: dict[Expr, Expr] = {}
    for name, value in given.items():
        if name not in table:
            raise unknown(kind, name, offered or table, place=_PLACE, code="E-LINEAR-NAME")
        values[table[name]] = as_expr(value)
        for x in free_symbols([values[table[name]]]):
            if x not in parameters:
                message = f"the value of '{name}' depends on {x}, which is no parameter."
                cure = "Give numbers, or expressions of parameters."
                raise PolhodeError(message, _PLACE, cure, "E-LINEAR-DEPENDENCE")
    return values


_LETTERS = ("P", "R", "M", "C", "K", "L", "S", "U", "Z")


def small_motions(point: OperatingPoint) -> tuple[list[str], list[int], Mapping[str, Matrix]]:
    """The states' names, which of them others depend on, and P, R, M, C, K, L, S, U, Z (`SecondOrder`) at u̇ = 0."""
    equations = point.equations
    M = at_values(equations.mass_matrix, point.values)
    moved, form = matrices_about(point, M, Vector([as_expr(0)] * len(equations.u)), None)
    names = [*moved.names, *map(spelled, equations.u), *equations.states]
    # states that are left when displacements that no other state depends on are taken away
    displaced, P, left = len(moved.names), form.P, list[int]()
    pulls = {k for k in range(displaced) if any(not is_zero(row[k]) for rows in (form.K, form.S) for row in rows)}
    kept = [*range(len(names))]
    while kept != left:
        left, among = kept, [i for i in kept if i < displaced]
        kept = [k for k in left if k >= displaced or k in pulls or any(not is_zero(P[i][k]) for i in among)]
    return names, left, {letter: getattr(form, letter) for letter in _LETTERS}
