"""Small motions about a state: the exact linear equations, as graphs of the parameters.

About q₀, u₀ (an equilibrium, or a steady motion) small changes obey

    δπ̇ = P δπ + R δu,     M δu̇ + C δu + K δπ = F δτ + G δi

δπ are displacements along the speeds, δq = Γ δπ: for a joint with one coordinate its change, for a ball joint a small
turn. δτ are changes of the efforts, δi of the model's inputs. Where positions are constrained (φ = 0) only independent
displacements are kept, and the speeds are the independent ones of the embedded equations. Nothing is expanded: each
column is one directional derivative of the graph.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..constraints import bind
from ..equations import Equations
from ..errors import PolhodeError, unknown
from ..expr import (
    Expr,
    Matrix,
    Vector,
    as_expr,
    directional,
    evaluate,
    free_symbols,
    jacobian,
    quiet_collector,
    substitute,
)

Floats = NDArray[np.float64]

#: Definitions of carried coordinates that are off by less hold.
_OFF = 1e-6


@dataclass(frozen=True, eq=False)
class Linear:
    """The linear equations of small motions; entries are expressions of parameters, and of what the state names."""

    equations: Equations
    displacements: list[str]
    speeds: list[str]
    P: Matrix
    R: Matrix
    M: Matrix
    C: Matrix
    K: Matrix
    F: Matrix
    G: Matrix
    residual: Vector  # what the state lacks to an equilibrium: zero, if it is one

    @property
    def states(self) -> list[str]:
        """Names of the state: displacements, then speeds."""
        return [*self.displacements, *(f"d({name})" for name in self.speeds)]

    @property
    def controls(self) -> list[str]:
        """Names of what drives it: efforts by their speeds, then the model's inputs."""
        return [*(f"tau({name})" for name in self.equations.tree.speeds), *self.equations.system.inputs]

    def numbers(self, of: str, parameters: Mapping[str, Any] | None = None) -> Floats:
        """One of the matrices P, R, M, C, K, F, G at the model's parameter values, or given ones."""
        matrix: Matrix = getattr(self, of)
        rows, columns = len(matrix), (len(matrix[0]) if len(matrix) else 0)
        flat = evaluate([as_expr(entry) for entry in matrix.entries()], self._values(parameters))
        return np.array(flat, dtype=np.float64).reshape(rows, columns)

    def _values(self, parameters: Mapping[str, Any] | None) -> dict[Expr, float]:
        table = self.equations.system.parameters
        given = dict(parameters or {})
        for name in given:
            if name not in table:
                raise unknown("parameter", name, table, place="linearize", code="E-LIN-002")
        values: dict[Expr, float] = {}
        for name, entry in table.items():
            value = given.get(name, entry.value)
            if value is not None:
                values[entry.symbol] = float(value)
        return values

    def state_space(self, parameters: Mapping[str, Any] | None = None) -> tuple[Floats, Floats]:
        """A and B of ẋ = A x + B c: x are the `states`, displacements and speeds, and c the `controls`."""
        P, R, M, C, K, F, G = (self.numbers(name, parameters) for name in "PRMCKFG")
        A = np.block([[P, R], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        drives = np.hstack([F, G])
        B = np.vstack([np.zeros((len(P), drives.shape[1])), np.linalg.solve(M, drives)])
        return A, B

    def eigenvalues(self, parameters: Mapping[str, Any] | None = None) -> NDArray[np.complex128]:
        """The eigenvalues of A, those that grow fastest first."""
        found = np.linalg.eigvals(self.state_space(parameters)[0]).astype(np.complex128)
        return found[np.lexsort((-found.imag, -found.real))]


def linearize(
    equations: Equations, at: Mapping[str, Any] | None = None, accelerations: Mapping[str, Any] | None = None
) -> Linear:
    """Small motions about a state, given by the names of coordinates, speeds (`d(name)` if a coordinate has the same
    name), efforts (`tau(name)`) and inputs; what is not named is at home and at rest.

    Values may be numbers or expressions of parameters.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    >>> m, l = s.parameter("m", 2), s.parameter("l", 1)
    >>> _ = s.joint("hinge", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"))
    >>> linear = linearize(s.derive())
    >>> linear.M, linear.K
    (Matrix([[l**2*m]]), Matrix([[981*l*m/100]]))
    """
    if equations.constraints is not None and equations.constraints.rows and equations.binding is None:
        raise PolhodeError(
            "with multipliers not all speeds are independent.",
            place=f"system '{equations.system.name}'",
            cure='Derive with constraints="embedded", and linearize that.',
            code="E-LIN-001",
        )
    with quiet_collector():
        return _linearized(equations, dict(at or {}), dict(accelerations or {}))


def _linearized(equations: Equations, at: dict[str, Any], accelerations: dict[str, Any]) -> Linear:
    tree, u = equations.tree, list(equations.u)
    point = _point(equations, at)
    _check_carried(equations, point)
    still = _checked(accelerations, equations.speeds, "speed")
    ud = Vector([as_expr(still.get(name, 0)) for name in equations.speeds])
    names, directions = _displacements(equations)
    rates = list(equations.coordinate_rates)
    residual = list(equations.mass_matrix @ ud + equations.bias) if any(ud) else list(equations.bias)
    back = tree.kinematic_left_inverse()
    moving = dict(zip(tree.q, rates, strict=True))

    by_place = [dict(zip(tree.q, direction, strict=True)) for direction in directions]
    changed = [directional([*rates, *residual, *equations.efforts], step) for step in by_place]
    by_speed = [directional([*rates, *residual], {speed: as_expr(1)}) for speed in u]
    size, height = len(rates), len(residual)
    turning = [directional([as_expr(entry) for entry in direction], moving) for direction in directions]
    rows = [tree.speeds.index(name) for name in names]

    P = Matrix.columns_of(
        [_taken(back, [a - b for a, b in zip(column[:size], bend, strict=True)], rows)
         for column, bend in zip(changed, turning, strict=True)], len(rows),
    )  # fmt: skip
    R = Matrix.columns_of([_taken(back, column[:size], rows) for column in by_speed], len(rows))
    K = Matrix.columns_of(
        [[r - f for r, f in zip(column[size : size + height], column[size + height :], strict=True)]
         for column in changed], height,
    )  # fmt: skip
    C = Matrix.columns_of([column[size:] for column in by_speed], height)
    F = Matrix.identity(height) if equations.binding is None else equations.binding.E.T
    G = -jacobian(residual, [entry.symbol for entry in equations.system.inputs.values()])
    P, R, M, C, K, F, G = (_at(matrix, point) for matrix in (P, R, equations.mass_matrix, C, K, F, G))
    lacks = substitute([as_expr(r - f) for r, f in zip(residual, equations.efforts, strict=True)], point)
    return Linear(equations, names, equations.speeds, P, R, M, C, K, F, G, Vector(lacks))


def _displacements(equations: Equations) -> tuple[list[str], list[Vector]]:
    """The independent displacements by the names of their speeds, and how all coordinates move along each."""
    tree, ties = equations.tree, equations.constraints
    gamma = tree.kinematic_matrix()
    if ties is None or not ties.positions:
        return tree.speeds, list(gamma.columns)
    holding = ties.only(ties.positions)
    binding = bind(holding, prefer=equations.speeds)
    columns = (gamma @ binding.E).columns
    return [tree.speeds[k] for k in binding.independent], list(columns)


def _taken(back: Matrix, change: Sequence[Any], rows: Sequence[int]) -> list[Expr]:
    moved = back @ Vector(change)
    return [as_expr(moved[k]) for k in rows]


def _at(matrix: Matrix, point: Mapping[Expr, Expr]) -> Matrix:
    width = len(matrix[0]) if len(matrix) else 0
    flat = substitute([as_expr(entry) for entry in matrix.entries()], point)
    return Matrix([flat[i * width : (i + 1) * width] for i in range(len(matrix))])


def _point(equations: Equations, at: dict[str, Any]) -> dict[Expr, Expr]:
    """A value for every coordinate, speed, effort and input, and time zero."""
    system, tree = equations.system, equations.tree
    home = {q: as_expr(0) for q in tree.q}
    home |= {tree.q[place]: as_expr(1) for place in tree.quaternions}
    values: dict[Expr, Expr] = {**home, system.time: as_expr(0)}
    values |= {symbol: as_expr(0) for symbol in (*equations.u, *tree.tau)}
    values |= {entry.symbol: as_expr(entry.value or 0) for entry in system.inputs.values()}
    places: dict[str, Expr] = {f"tau({name})": effort for name, effort in zip(tree.speeds, tree.tau, strict=True)}
    places |= {name: entry.symbol for name, entry in system.inputs.items()}
    places |= {u.name: u for u in equations.u}
    places |= {f"d({u.name})": u for u in equations.u}
    places |= {q.name: q for q in tree.q}
    for name, value in _checked(at, list(places), "coordinate, speed, effort or input").items():
        values[places[name]] = as_expr(value)
    return values


def _check_carried(equations: Equations, point: Mapping[Expr, Expr]) -> None:
    """Raise where carried coordinates are not where their definitions put them."""
    definitions = {} if equations.constraints is None else equations.constraints.definitions
    known = {
        entry.symbol: float(entry.value) for entry in equations.system.parameters.values() if entry.value is not None
    }
    for name, value in zip(definitions, substitute(list(definitions.values()), dict(point)), strict=True):
        if known.keys() >= {*free_symbols([value])} and abs(evaluate([value], known)[0]) > _OFF:
            carried = equations.coordinates[equations.tree.carried_coordinates]
            raise PolhodeError(
                f"{', '.join(carried)} are not where the other coordinates put them: '{name}' is off by "
                f"{evaluate([value], known)[0]:.3g}.",
                place="linearize",
                cure="Give their values at this pose, as equations.assemble(…) finds them.",
                code="E-LIN-003",
            )


def _checked(given: dict[str, Any], known: Sequence[str], kind: str) -> dict[str, Any]:
    for name in given:
        if name not in known:
            raise unknown(kind, name, known, place="linearize", code="E-LIN-002")
    return given
