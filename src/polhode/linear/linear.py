"""The linear equations of small motions about a state: of second order, and as ẋ = A x + B c, y = C x + D c."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion, factors_of
from ..errors import PolhodeError, check_known
from ..expr import Expr, Matrix, Vector, as_expr, evaluate, free_symbols, is_zero, substitute
from ..expr.normal_form import tidy
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..laws.named_symbols import controls_of
from ..notebook import Cell, Shown, Table, complex_text
from .displacements import Displacements, output_rates, read_outputs
from .eigensystem import in_order
from .operating_point import OperatingPoint, check_kept, parameter_values

if TYPE_CHECKING:
    import control

    from .eigenvalue_branches import EigenvalueBranches
    from .eigenvalue_derivatives import EigenvalueDerivatives
    from .modes import Mode
    from .transfer_function import RootLocus, TransferFunction

Floats = NDArray[np.float64]
Parameters: TypeAlias = "Mapping[str, Any] | None"

#: Accelerations below this, in rad/s² or m/s², are rounding.
_STILL = 1e-9
_PLACE = "linearize"
#: What is raised where something is divided by what vanishes.
DIVISIONS = ("E-EXPR-ZERO", "E-EXPR-SINGULAR")


class _Numbers:
    """Matrices of expressions, in numbers by their letter."""

    point: OperatingPoint
    given: Mapping[str, Any] | None
    letters: tuple[str, ...]

    def numbers(self, of: str, parameters: Mapping[str, Any] | None = None) -> Floats:
        """One of the matrices, by its letter, at the model's parameter values, or given ones."""
        check_known("matrix", [of], self.letters, place=_PLACE, code="E-LINEAR-NAME")
        return numbers_of([getattr(self, of)], self._values(parameters))[0]

    def _values(self, parameters: Mapping[str, Any] | None) -> dict[Expr, float]:
        values = parameter_values(self.point.equations, {**(self.given or {}), **(parameters or {})})
        check_kept(self.point, values)
        return values


@dataclass(frozen=True, eq=False, repr=False)
class SecondOrder(_Numbers, Typeset):
    """Linearised equations as mechanics writes them; entries are expressions of parameters and of the state.

    δṡ = P δs + R δu,     M δu̇ + C δu + K δs + L δz = F δτ + G δi,     δż = S δs + U δu + Z δz + H δi
    """

    point: OperatingPoint
    P: Matrix
    R: Matrix
    M: Matrix
    C: Matrix
    K: Matrix
    F: Matrix
    G: Matrix
    L: Matrix
    S: Matrix
    U: Matrix
    Z: Matrix
    H: Matrix
    given: Mapping[str, Any] | None = None  # parameters, where the model's own values are not meant
    letters = ("P", "R", "M", "C", "K", "F", "G", "L", "S", "U", "Z", "H")

    def __repr__(self) -> str:
        return f"SecondOrder(M u' + C u + K s = F tau + G i of '{self.point.equations.system.name}')"

    def _formulas(self) -> list[tuple[str, Matrix]]:
        matrices = [(letter, getattr(self, letter)) for letter in self.letters]
        return [(letter, matrix) for letter, matrix in matrices if len(matrix) and matrix.shape[1]]


@dataclass(frozen=True, eq=False, repr=False)
class Linear(_Numbers, Shown):
    """The linear equations of perturbations about a state.

        ẋ = A x + B c,    y = C x + D c

    Numbers are for values of `parameters` by name; a transfer function goes from an `input` to an `output`.
    x are the `states`, displacements, speeds and first-order states, c the `inputs` (the declared ones, else the
    efforts of motors, else all efforts) and y the `outputs` (all states, unless `with_ports` names others).
    `accelerations` are those of the speeds at the state, as the equations give them or as they were prescribed;
    `residual` is what the state lacks to an equilibrium, or to the prescribed accelerations. `notices` say what is
    worth knowing of the state: what was moved to keep the constraints, and whether it is an equilibrium.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> _ = s.joint("q", s.ground, s.body("bob", 1, com=(0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    >>> small = s.derive().linearize()
    >>> small.A, small.B, small.C.shape, small.D.shape
    (Matrix([[0, 1], [-10/l, 0]]), Matrix([[0], [1/l**2]]), (2, 2), (2, 1))
    >>> small.numbers("A", {"l": 5})[1].tolist(), abs(small.eigenvalues()).round(3).tolist()
    ([-2.0, 0.0], [3.162, 3.162])
    >>> small.root_locus("tau_q", "q", [0, 1]), small.transfer_function("tau_q", "q")
    (RootLocus(tau_q = -k q; 2 gains, 2 poles), TransferFunction(tau_q to q, degrees 0 over 2))
    """

    point: OperatingPoint
    moved: Displacements
    second_order: SecondOrder
    residual: Vector
    accelerations: Vector
    is_prescribed: bool  # whether the accelerations were given
    z_rates: Vector  # of the first-order states, at the state
    origin: EquationsOfMotion  # the equations that were linearised, before they were written on independent speeds
    notices: tuple[str, ...] = ()
    given: Mapping[str, Any] | None = None  # parameters, where the model's own values are not meant
    chosen: Mapping[str, Expr] | None = None  # controls, where the usual ones are not meant
    observed: Mapping[str, Expr] = field(default_factory=dict)  # outputs, where not the states are meant
    letters = ("A", "B", "C", "D")

    # ---- names ---------------------------------------------------------------------------------------------------

    @property
    def equations(self) -> EquationsOfMotion:
        """The equations that were linearised, on independent speeds."""
        return self.point.equations

    @property
    def state(self) -> dict[str, Expr]:
        """The coordinates at the state."""
        return {q.name: self.point.values[q] for q in self.equations.q}

    @property
    def displacements(self) -> list[str]:
        """Names of the changes of pose δs."""
        return self.moved.names

    @property
    def speeds(self) -> list[str]:
        """Names of the independent speeds."""
        return self.equations.speeds

    @property
    def states(self) -> list[str]:
        """Names of the state: displacements, then speeds, then first-order states."""
        return [*self.displacements, *map(spelled, self.equations.u), *self.equations.states]

    @property
    def controls(self) -> list[str]:
        """Names of all that can drive it: efforts by their speeds, then the model's inputs."""
        return [*map(spelled, self.equations.tau), *self.equations.system.inputs]

    @property
    def inputs(self) -> list[str]:
        """Names of the controls c, the columns of B."""
        return [*self._inputs]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs y, the rows of C."""
        return [*self.observed] or self.states

    @cached_property
    def _inputs(self) -> Mapping[str, Expr]:
        return controls_of(self.equations, None, _PLACE) if self.chosen is None else self.chosen

    def with_ports(self, inputs: Sequence[str] | None = None, outputs: Any = None) -> Self:
        """The same with other inputs, by name, and other outputs: names of states, or expressions by name."""
        chosen = None if inputs is None else controls_of(self.equations, inputs, _PLACE)
        observed = self.observed if outputs is None else read_outputs(self.equations, self.moved, outputs, _PLACE)
        return replace(self, chosen=chosen, observed=observed)

    # ---- the matrices --------------------------------------------------------------------------------------------

    @property
    def A(self) -> Matrix:
        """The rates of the states by the states."""
        return self._driven[0]

    @property
    def B(self) -> Matrix:
        """The rates of the states by the inputs."""
        columns = self._driven[1].columns
        return Matrix.columns_of([columns[k] for k in self._indices], len(self.states))

    @cached_property
    def _indices(self) -> list[int]:
        every = [*self.equations.tau, *(entry.symbol for entry in self.equations.system.inputs.values())]
        return [every.index(symbol) for symbol in self._inputs.values()]

    @cached_property
    def _driven(self) -> tuple[Matrix, Matrix]:
        """A, and B by all controls, with M⁻¹ taken by its factors on the graph."""
        form = self.second_order
        s, u, z = len(self.displacements), len(form.M), len(self.equations.z)
        try:
            factors = factors_of(form.M, self.speeds)
        except PolhodeError as error:
            raise singular(self.equations) from error

        def column(displaced: Sequence[Any], force: Sequence[Any], others: Sequence[Any]) -> list[Expr]:
            return [as_expr(entry) for entry in (*displaced, *factors.solve(force), *others)]

        def columns(*matrices: Matrix) -> Iterator[tuple[Sequence[Any], ...]]:
            count = max((len(matrix.columns) for matrix in matrices), default=0)
            return zip(*(list(matrix.columns) or [Vector([])] * count for matrix in matrices), strict=True)

        no_s, no_z = [0] * s, [0] * z
        A = [column(p, -Vector(k), w) for p, k, w in columns(form.P, form.K, form.S)]
        A += [column(r, -Vector(c), w) for r, c, w in columns(form.R, form.C, form.U)]
        A += [column(no_s, -Vector(k), w) for k, w in columns(form.L, form.Z)]
        B = [column(no_s, f, no_z) for (f,) in columns(form.F)]
        B += [column(no_s, g, h) for g, h in columns(form.G, form.H)]
        size = s + u + z
        return tidy(Matrix.columns_of(A, size)), tidy(Matrix.columns_of(B, size))

    @property
    def C(self) -> Matrix:
        """The outputs by the states."""
        return self._outputs[0]

    @property
    def D(self) -> Matrix:
        """The outputs by the inputs."""
        return self._outputs[1]

    @cached_property
    def _outputs(self) -> tuple[Matrix, Matrix]:
        size, equations = len(self.states), self.equations
        if not self.observed:
            return Matrix.identity(size), Matrix([[as_expr(0)] * len(self._inputs)] * size)
        C, D = output_rates(equations, self.moved, self.observed, [*self._inputs.values()], self.point.values, _PLACE)
        return at_values(C, self.point.values), at_values(D, self.point.values)

    # ---- in numbers ----------------------------------------------------------------------------------------------

    @property
    def is_equilibrium(self) -> bool:
        """Whether the state is an equilibrium or a steady motion: no speed changes, nor a first-order state."""
        return self.is_equilibrium_with(None)

    def is_equilibrium_with(self, parameters: Mapping[str, Any] | None) -> bool:
        """Whether the state is one with other parameters, too."""
        left = self.residual if self.is_prescribed else ()
        return _vanish([*self.accelerations, *self.z_rates, *left], self._values(parameters))

    def state_space(self, parameters: Mapping[str, Any] | None = None) -> tuple[Floats, Floats]:
        """A and B in numbers, B by all `controls`."""
        form = self.second_order
        matrices: list[Matrix] = [getattr(form, letter) for letter in form.letters]
        P, R, M, C, K, F, G, L, S, U, Z, H = numbers_of(matrices, self._values(parameters))
        try:
            forced = np.linalg.solve(M, np.hstack([-K, -C, -L, F, G]))
        except np.linalg.LinAlgError:
            raise singular(self.equations) from None
        moved, size = len(P), len(P) + len(M) + len(Z)
        rows = np.zeros((size, forced.shape[1]))
        rows[:moved, : moved + len(M)] = np.hstack([P, R])
        rows[moved : moved + len(M)] = forced
        if len(Z):
            rows[moved + len(M) :] = np.hstack([S, U, Z, np.zeros((len(Z), F.shape[1])), H])
        return rows[:, :size], rows[:, size:]

    def eigenvalues(self, parameters: Mapping[str, Any] | None = None) -> NDArray[np.complex128]:
        """The eigenvalues of A, those that grow fastest first."""
        values = np.linalg.eigvals(self.state_space(parameters)[0]).astype(np.complex128)
        return values[in_order(values)]

    def eigenvalues_along(self, parameter: str, values: Any, parameters: Parameters = None) -> EigenvalueBranches:
        """The eigenvalues along a parameter, followed as branches; see `linear.eigenvalue_branches`."""
        from .eigenvalue_branches import eigenvalues_along

        return eigenvalues_along(self, parameter, values, parameters)

    def eigenvalue_derivatives(
        self, by: Sequence[str], parameters: Parameters = None, follow: bool = False
    ) -> EigenvalueDerivatives:
        """∂λ/∂p of all eigenvalues by parameters, exactly; see `linear.eigenvalue_derivatives`.

        With `follow` the equilibrium moves with the parameters.
        """
        from .eigenvalue_derivatives import eigenvalue_derivatives

        return eigenvalue_derivatives(self, by, parameters, follow)

    def root_locus(self, input: str, output: Any, gains: Any, parameters: Parameters = None) -> RootLocus:
        """The poles with c = -k y along the gain k, each followed; see `linear.transfer_function`."""
        from .transfer_function import root_locus

        return root_locus(self, input, output, gains, parameters)

    def transfer_function(self, input: str, output: Any) -> TransferFunction:
        """Numerator and denominator of C (s - A)⁻¹ B + D as graphs; see `linear.transfer_function`."""
        from .transfer_function import transfer_function

        return transfer_function(self, input, output)

    def plot(
        self,
        kind: str = "bode",
        input: str | None = None,
        output: Any = None,
        along: Any = None,
        parameters: Parameters = None,
        path: str | os.PathLike[str] | None = None,
    ) -> Any:
        """A picture as a matplotlib figure, saved to `path` if given: kind "bode", "nyquist", "root_locus", "poles" or
        "step" (the answer to a step of the input from rest).

        It goes from an `input`, the only one by default, to an `output`, by default the first. `along` has the
        frequencies in rad/s, the gains or the times in s, where others than the usual are meant.
        """
        from .transfer_function import plot

        return plot(self, kind, input, output, along, parameters, path)

    def modes(self, parameters: Parameters = None) -> list[Mode]:
        """The modes, slowest first: eigenvector, frequency, damping ratio, participation; see `linear.modes`."""
        from .modes import modes

        return modes(self, parameters)

    def to_control(
        self, inputs: Sequence[str] | None = None, outputs: Any = None, parameters: Mapping[str, Any] | None = None
    ) -> control.StateSpace:
        """A `control.StateSpace` of python-control, its states, inputs and outputs named as here."""
        package = control_package()
        ports = self.with_ports(inputs if inputs is not None else self.inputs, outputs)
        A, B = self.state_space(parameters)
        B = B[:, ports._indices]
        C, D = (ports.numbers(letter, parameters) for letter in "CD")
        return package.ss(A, B, C, D, states=self.states, inputs=ports.inputs, outputs=ports.outputs)

    def _cell(self) -> Cell:
        """A and B with the names of their rows and columns, in numbers or, where values lack, in symbols."""
        inputs = [f"B: {name}" for name in self.inputs]
        text = ""
        try:
            numbers = (self.numbers(letter).tolist() for letter in "AB")
            A, B = ([[f"{entry + 0.0:.6g}" for entry in row] for row in matrix] for matrix in numbers)
            text = ", ".join(map(complex_text, self.eigenvalues().tolist()))
        except PolhodeError:
            A, B = ([[str(entry) for entry in row] for row in getattr(self, letter)] for letter in "AB")
        rows = [[f"d/dt {name}", *a, *b] for name, a, b in zip(self.states, A, B, strict=True)]
        table = Table(["", *(f"A: {name}" for name in self.states), *inputs], rows, numbers_from=1)
        title = f"{self.equations.system.name}: ẋ = A x + B c"
        return Cell(title, [table, f"eigenvalues: {text}" if text else "", *self.notices])

    def __repr__(self) -> str:
        return "\n".join([f"Linear('{self.equations.system.name}': {', '.join(self.states)})", *self.notices])


def at_values(matrix: Matrix, values: Mapping[Expr, Expr]) -> Matrix:
    """A matrix at a state."""
    width = len(matrix[0]) if len(matrix) else 0
    flat = substitute([as_expr(entry) for entry in matrix.entries()], dict(values))
    return Matrix([flat[i * width : (i + 1) * width] for i in range(len(matrix))])


def control_package() -> Any:
    """python-control, or a sentence that it is not there."""
    try:
        import control
    except ImportError as error:
        cure = "pip install control, or take the matrices: numbers('A')."
        raise PolhodeError("python-control is not installed.", "to_control", cure, "E-LINEAR-MISSING") from error
    return control


def numbers_of(matrices: Sequence[Matrix], values: Mapping[Expr, float]) -> list[Floats]:
    """Matrices of expressions in numbers, by one evaluation."""
    entries = [as_expr(entry) for matrix in matrices for entry in matrix.entries()]
    flat = np.array(evaluate(entries, dict(values)), dtype=np.float64)
    ends = np.cumsum([0, *(len(list(matrix.entries())) for matrix in matrices)])
    return [flat[i:k].reshape(matrix.shape) for i, k, matrix in zip(ends[:-1], ends[1:], matrices, strict=True)]


def singular(equations: EquationsOfMotion) -> PolhodeError:
    """The error of a mass matrix that is singular at the state."""
    speeds = f"{', '.join(equations.speeds)} do not determine the other speeds, or move no mass"
    cure = "Name other independent speeds when deriving, or take a state beside it."
    return PolhodeError(f"the equations are singular at this state: {speeds}.", _PLACE, cure, "E-LINEAR-SINGULAR")


def _vanish(entries: Sequence[Any], values: dict[Expr, float]) -> bool:
    """Whether expressions are zero: for all parameters, or to rounding at those known."""
    left = [as_expr(entry) for entry in entries if not is_zero(as_expr(entry))]
    return values.keys() >= {*free_symbols(left)} and all(abs(number) <= _STILL for number in evaluate(left, values))
