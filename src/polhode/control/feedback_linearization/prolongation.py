"""Derivatives of outputs with the equations of motion left implicit, and differentiated instead of their solution.

Where inputs drive the speeds a, and not p (`control_geometry.affine.Regular`), the rows of inverse dynamics

    ρ_p(q, u, u̇) = 0,      ρ_p' = 0,      ρ_p'' = 0, …

are linear in u̇_p, ü_p, …, each with the same M_pp in front: one factorisation serves all orders. Let s be the first
order in which the accelerations α = u̇_a appear. With W the derivative of u_p of order s + 1 and v the wanted highest
derivatives of the outputs,

    M_pp W + E α + ρ = 0
      C W  + D α + β = v

are solved for W and α together. For elastic joints of the reduced model (Mladenova (281), (282)) s is 2, C is the unit
matrix, and α comes out by two derivatives of the links' inverse dynamics, with no matrix inverted but H; for s = 0
these are Spong's collocated (C = 0) and non-collocated (C = 1) partial linearisations. What stands in front of W and α
and does not change with the state is taken as a pivot first.

The alternative is the decoupling matrix itself, v = b + A c solved for c, which divides by more. Either gives the
inputs after feedback (accelerations of the driven speeds); the inputs follow by inverse dynamics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...control_geometry.affine import Plant
from ...control_geometry.determinant import determinant, vanishing_factors
from ...control_geometry.zero_dynamics import RelativeDegree
from ...expr import Expr, Matrix, as_expr, constant_ratio, directional, free_symbols, is_zero, jacobian, substitute
from ...expr.spelling import further_rate
from ...geometry.elimination import eliminate, factor_symmetric, solve_columns

#: Up to so many rows, Cramer's rule is taken where pivots may vanish.
_FEW = 4


@dataclass(frozen=True, eq=False)
class Decoupled:
    """Inputs that give the outputs' highest derivatives wanted values, and the derivatives below these.

    `chain` has for each output y, ẏ, … below its degree; `channels` are the inputs after feedback, `rates` the
    accelerations of all speeds (none, where no feedback is taken), `divisors` what was divided by.
    """

    chain: tuple[tuple[Expr, ...], ...]
    channels: tuple[Expr, ...]
    rates: tuple[Expr, ...]
    divisors: tuple[Expr, ...]


def moves(value: Expr) -> bool:
    """Whether an expression depends on more than parameters."""
    return any(x.data[0] != "parameter" for x in free_symbols([value]))


def solved_surely(A: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> tuple[Sequence[Sequence[Any]], list[Expr]]:
    """X with A X = b and what was divided by: where pivots may vanish, for few rows, nothing but the determinant."""
    solved, divisors = eliminate(A, b)
    size = len(A)
    if size > _FEW or not any(map(moves, divisors[:-1])):
        return solved, divisors
    minors = [[determinant([_but(row, j) for row in _but(A, i)]) for j in range(size)] for i in range(size)]
    det = as_expr(sum(((-1) ** j * A[0][j] * minors[0][j] for j in range(size)), as_expr(0)))
    lead = 1 / det
    columns = [[(-1) ** (i + j) * minors[i][j] * b[i][0] for i in range(size)] for j in range(size)]  # Cramer's rule
    return [[sum(column, as_expr(0)) * lead] for column in columns], [det]


def _but(entries: Sequence[Any], k: int) -> list[Any]:
    return [entry for i, entry in enumerate(entries) if i != k]


def by_decoupling_matrix(degree: RelativeDegree, wanted: Sequence[Expr]) -> Decoupled:
    """A⁻¹ (v - b) by elimination, with pivots that are the surest not to vanish."""
    form = degree.plant.regular
    right = [[v - b] for v, b in zip(wanted, degree.driven_drift, strict=True)]
    solved, divisors = solved_surely(degree.driven, right)
    channels = [as_expr(entry) for (entry,) in solved]
    rates: list[Any] = []
    if form.driven:
        first, count = len(degree.plant.equations.q), len(degree.plant.equations.u)
        rates = list(form.drift[first : first + count])
        for entry, g in zip(channels, form.fields, strict=True):
            rates = [a + entry * b if b else a for a, b in zip(rates, g[first : first + count], strict=True)]
    return Decoupled(degree.chain, tuple(channels), tuple(map(as_expr, rates)), tuple(divisors))


def inputs_of(plant: Plant, decoupled: Decoupled) -> list[Expr]:
    """The inputs, in their order: those that drive speeds by inverse dynamics, others as they are."""
    driven = plant.regular.driven
    if not driven:
        return list(decoupled.channels)
    symbols = [*plant.inputs.values()]
    acting = [k for k, speed in enumerate(driven) if speed >= 0]
    rows = [plant.residuals[driven[k]] for k in acting]
    block = jacobian(rows, [symbols[k] for k in acting])
    values: dict[Expr, Any] = dict.fromkeys(symbols, as_expr(0)) | dict(
        zip(plant.equations.udot, decoupled.rates, strict=True)
    )
    needed = substitute(rows, values)
    efforts = solve_columns([[-entry for entry in row] for row in block], [[entry] for entry in needed])
    controls = list(decoupled.channels)
    for k, (effort,) in zip(acting, efforts, strict=True):
        controls[k] = as_expr(effort)
    return controls


def further_singular(degree: RelativeDegree, decoupled: Decoupled) -> list[Expr]:
    """Further divisors of the law that may vanish: factors of pivots that are not factors of the determinant."""
    further: list[Expr] = []
    for divisor in decoupled.divisors[:-1]:  # the last is the determinant, but for the others
        if not moves(divisor):
            continue
        others = [*degree.singular, *further]
        factors = vanishing_factors(divisor, degree.plant.regular.positive, degree.plant.masses)
        further += [x for x in factors if all(constant_ratio(x / other) is None for other in others)]
    return further


def by_prolongation(degree: RelativeDegree, wanted: Sequence[Expr]) -> Decoupled | None:
    """Inputs after feedback for wanted highest derivatives; None where outputs do not lie so to the driven speeds."""
    plant = degree.plant
    if not plant.regular.driven:
        return None
    prolongation = _Prolongation(plant)
    chain = prolongation.levels() and prolongation.chains(degree)
    return prolongation.solved(chain, wanted) if chain else None


class _Prolongation:
    """Rows of the speeds that are not driven, order by order, on symbols for the derivatives of these speeds."""

    def __init__(self, plant: Plant) -> None:
        equations, driven = plant.equations, plant.regular.driven
        inputs = [*plant.inputs.values()]
        self.plant = plant
        self.channels = [x if speed < 0 else equations.udot[speed] for x, speed in zip(inputs, driven, strict=True)]
        self.free = [i for i in reversed(range(len(equations.u))) if i not in driven]  # M has its zeros at the tips
        self.highest = [equations.udot[i] for i in self.free]  # W
        self.rows = [plant.residuals[i] for i in self.free]
        self.mass = [[plant.mass_matrix[i][j] for j in self.free] for i in self.free]
        self.factors = factor_symmetric(self.mass)
        self.flow = dict(zip(equations.q, plant.coordinate_rates, strict=True))
        self.flow |= dict(zip(equations.u, equations.udot, strict=True))
        self.flow |= dict(zip(equations.z, plant.state_rates, strict=True))
        self.known: dict[Expr, Expr] = {}

    def levels(self) -> bool:
        """Solve for derivatives of the free speeds until inputs appear in their rows, which they may never do."""
        for order in range(self.plant.size if self.free else 0):
            if _depend(self.rows, self.channels):
                return True
            self.rows = self._without(self.rows, self.channels)
            right = substitute(self._without(self.rows, self.highest), self.known)
            self.known |= dict(zip(self.highest, self.factors.solve([-entry for entry in right]), strict=True))
            later = [further_rate(self.plant.equations.udot[i], order + 1) for i in self.free]
            self.flow |= dict(zip(self.highest, later, strict=True))
            self.rows, self.highest = directional(self.rows, self.flow), later
        return not self.free

    def chains(self, degree: RelativeDegree) -> list[list[Expr]] | None:
        """Each output and its derivatives up to its degree, the first in which W or an input appears."""
        unknown = [*self.highest, *self.channels]
        chains = []
        for value, count in zip(degree.outputs.values(), degree.degrees, strict=True):
            chain = [value]
            for _ in range(count or 0):
                if _depend(chain[-1:], unknown):
                    return None
                (chain[-1],) = self._without(chain[-1:], unknown)
                chain += directional(chain[-1:], self.flow)
            chains.append(chain)
        return chains

    def solved(self, chains: Sequence[Sequence[Expr]], wanted: Sequence[Expr]) -> Decoupled:
        """W and α, by the surest pivots; or W first, as M_pp is positive, where a pivot may vanish."""
        unknown, size = [*self.highest, *self.channels], len(self.free)
        tops = [chain[-1] for chain in chains]
        E = jacobian(self.rows, self.channels) if size else []
        left = [[*m, *row] for m, row in zip(self.mass, E, strict=True)] + [
            list(row) for row in jacobian(tops, unknown)
        ]
        right = [-entry for entry in self._without(self.rows, unknown)]
        right += [v - entry for v, entry in zip(wanted, self._without(tops, unknown), strict=True)]
        width = len(unknown)
        flat = substitute([*(as_expr(entry) for row in left for entry in row), *right], self.known)
        left = [flat[i * width : (i + 1) * width] for i in range(width)]
        right = flat[width * width :]
        solution, divisors = eliminate(left, [[entry] for entry in right])
        if any(map(moves, divisors[:-1])):
            solved, divisors = self._by_mass_matrix(left, right)
        else:
            solved = [as_expr(entry) for (entry,) in solution]
        equations, values = self.plant.equations, dict(zip(unknown, solved, strict=True)) | self.known
        below = iter(substitute([entry for chain in chains for entry in chain[:-1]], self.known))
        return Decoupled(
            tuple(tuple(next(below) for _ in chain[:-1]) for chain in chains),
            tuple(solved[size:]),
            tuple(values[x] for x in equations.udot),
            tuple(divisors),
        )

    def _by_mass_matrix(self, left: Sequence[Sequence[Expr]], right: Sequence[Expr]) -> tuple[list[Expr], list[Expr]]:
        """(D - C M⁻¹ E) α = v - β + C M⁻¹ ρ, then W."""
        size, count = len(self.free), len(self.channels)
        E = [[left[i][size + j] for i in range(size)] for j in range(count)]  # by columns
        fast, solved = self.factors.solve(right[:size]), [self.factors.solve(column) for column in E]
        C, D = [row[:size] for row in left[size:]], [row[size:] for row in left[size:]]
        A = [
            [d - _dot(c, column) for d, column in zip(D_row, solved, strict=True)]
            for c, D_row in zip(C, D, strict=True)
        ]
        b = [[entry - _dot(c, fast)] for c, entry in zip(C, right[size:], strict=True)]
        alpha, divisors = solved_surely(A, b)
        solution = [as_expr(entry) for (entry,) in alpha]
        W = [as_expr(f - _dot(solution, [column[i] for column in solved])) for i, f in enumerate(fast)]
        return [*W, *solution], divisors

    def _without(self, values: Sequence[Expr], symbols: Sequence[Expr]) -> list[Expr]:
        return substitute(values, dict.fromkeys(symbols, as_expr(0)))


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    total = as_expr(0)
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total


def _depend(values: Sequence[Expr], symbols: Sequence[Expr]) -> bool:
    """Whether some of the values change with some of the symbols."""
    present = {*free_symbols(values)}
    arguments = [x for x in symbols if x in present]
    return bool(arguments) and not all(map(is_zero, Matrix(jacobian(values, arguments)).entries()))
