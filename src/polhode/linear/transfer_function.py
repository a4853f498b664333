"""Transfer functions as graphs: G(s) = C (s - A)⁻¹ B + D = numerator / denominator, polynomials in s.

The denominator is det(s - A), and the numerator C adj(s - A) B + D det(s - A), by the recurrence of Faddeev and Le
Verrier, which divides by whole numbers alone:

    N₀ = 1,    aₖ = -tr(A Nₖ₋₁) / k,    Nₖ = A Nₖ₋₁ + aₖ
    adj(s - A) = Σ Nₖ sⁿ⁻¹⁻ᵏ,    det(s - A) = sⁿ + Σ aₖ sⁿ⁻ᵏ

Nothing is expanded: a coefficient shares what it is made of with the others, and one that vanishes is seen to be zero
by its fingerprint.

Root loci: the poles of a linear system whose output is fed back, along the gain.

    c = -k y,    y = C x + D c,        A_k = A - B k (1 + k D)⁻¹ C

Poles go from those of the open system, at k = 0, to its zeros, and out of the picture.

Pictures of a linear system between one input and one output: G(s) = C (s - A)⁻¹ B + D.

bode          |G(iω)| in decibels and its phase in degrees over ω
nyquist       G(iω) in the complex plane, ω from -∞ to ∞, and the point -1
poles         poles × and zeros ○ in the complex plane
root_locus    poles with c = -k y along the gain k
step          y(t) after a step c = 1 from rest
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import PolhodeError, check_kind, check_known, understood, unknown
from ..expr import Expr, Matrix, as_expr, is_zero, quiet_collector, symbol
from ..expr.normal_form import tidy
from ..expr.typeset import Typeset
from ..notebook import Cell, Shown, Table, complex_text
from ..view.plot import INK, QUIET, frame, picture, saved
from ..view.scene import PALETTE
from .eigensystem import Complexes, Floats, followed, in_order, numbers_along
from .eigenvalue_branches import plot_locus
from .linear import Linear, control_package, numbers_of

if TYPE_CHECKING:
    import control
    from matplotlib.figure import Figure

_PLACE = "transfer_function"


@dataclass(frozen=True, eq=False, repr=False)
class TransferFunction(Typeset):
    """numerator(s) / denominator(s), coefficients from the highest power down; expressions of the parameters.

    `poles` and `zeros` in numbers are those of the matrices, which are more exact than roots of polynomials.
    """

    linear: Linear
    input: str
    output: str
    numerator: tuple[Expr, ...]
    denominator: tuple[Expr, ...]

    def numbers(self, parameters: Mapping[str, Any] | None = None) -> tuple[Floats, Floats]:
        """The coefficients of numerator and denominator in numbers."""
        values = self.linear._values(parameters)
        top, bottom = numbers_of([Matrix([list(self.numerator)]), Matrix([list(self.denominator)])], values)
        return top[0], bottom[0]

    def __call__(self, s: Any, parameters: Mapping[str, Any] | None = None) -> NDArray[np.complex128]:
        """G(s) at a complex s, or at many: its limit where a zero cancels a pole, infinite at a pole."""
        with understood("a complex number, or several", s, place=_PLACE):
            at = np.asarray(s, dtype=np.complex128)
        return _quotient(*self.numbers(parameters), at)

    @cached_property
    def reduced(self) -> Self:
        """The same without the powers of s that numerator and denominator share."""
        count = min(_trailing(self.numerator), _trailing(self.denominator))
        if not count or len(self.numerator) <= count:
            return self
        return replace(self, numerator=self.numerator[:-count], denominator=self.denominator[:-count])

    @property
    def relative_degree(self) -> int:
        """Degree of the denominator less that of the numerator: the derivative of the output on which the input acts.

        The generic one, for almost all parameters. Where the numerator is zero, the input never meets the output.
        """
        if not any(self.numerator):
            message = f"'{self.input}' does not act on '{self.output}': the numerator is zero."
            raise PolhodeError(message, _PLACE, "Ask for another output, or another input.", "E-LINEAR-SINGULAR")
        return len(self.denominator) - len(self.numerator)

    def poles(self, parameters: Mapping[str, Any] | None = None) -> Complexes:
        """The eigenvalues of A."""
        return self.linear.eigenvalues(parameters)

    def zeros(self, parameters: Mapping[str, Any] | None = None) -> Complexes:
        """Zeros of the numerator, fastest growing first."""
        zeros = zeros_of(*matrices(self.linear, parameters))
        return zeros[in_order(zeros)]

    def to_control(self, parameters: Mapping[str, Any] | None = None) -> control.TransferFunction:
        """A `control.TransferFunction` of python-control."""
        top, bottom = self.numbers(parameters)
        return control_package().tf(top, bottom, inputs=[self.input], outputs=[self.output])

    def __repr__(self) -> str:
        degrees = f"{len(self.numerator) - 1} over {len(self.denominator) - 1}"
        return f"TransferFunction({self.input} to {self.output}, degrees {degrees})"

    def _formulas(self) -> list[tuple[str, Expr]]:
        s = symbol("s")
        top, bottom = (
            as_expr(sum(factor * s ** (len(row) - 1 - k) for k, factor in enumerate(row)))
            for row in (self.reduced.numerator, self.reduced.denominator)
        )
        return [("N(s)", top), ("D(s)", bottom)]

    def _sentences(self) -> list[str]:
        ports = f"N/D leads from {self.input} to {self.output}."
        try:
            poles, zeros = (", ".join(map(complex_text, roots.tolist())) for roots in (self.poles(), self.zeros()))
        except PolhodeError:  # a parameter has no value
            return [ports]
        return [ports, f"Poles: {poles}.", f"Zeros: {zeros or 'none'}."]


def _quotient(top: Floats, bottom: Floats, at: Complexes) -> Complexes:
    """A quotient of polynomials; where both vanish, that of their derivatives (de l'Hospital)."""
    above, below = (np.asarray(np.polyval(polynomial, at), dtype=np.complex128) for polynomial in (top, bottom))
    poles = below == 0
    quotient: Complexes = np.asarray(above / np.where(poles, 1.0, below), dtype=np.complex128)
    quotient = np.where(poles & (above != 0), complex(np.inf), quotient)
    both = poles & (above == 0)
    if both.any() and np.any(top):
        above_slope, below_slope = (np.asarray(np.polyder(row), dtype=np.float64) for row in (top, bottom))
        quotient[both] = _quotient(above_slope, below_slope, at[both])
    return quotient


@quiet_collector()
def transfer_function(linear: Linear, input: str, output: Any) -> TransferFunction:
    """Transfer function of one input and one output: a state, an output of `with_ports`, or an expression."""
    ports, name = one_port(linear, input, output, _PLACE)
    denominator, columns = _faddeev(ports.A, [as_expr(row[0]) for row in ports.B])
    C, D = list(ports.C[0]), as_expr(ports.D[0][0])
    numerator = [D] + [_dot(C, column) + D * a for column, a in zip(columns, denominator[1:], strict=True)]
    first = next((k for k, entry in enumerate(numerator) if not is_zero(entry)), len(numerator) - 1)
    top, bottom = tidy(Matrix([numerator[first:]])), tidy(Matrix([denominator]))
    return TransferFunction(ports, ports.inputs[0], name, tuple(top[0]), tuple(bottom[0]))


def _faddeev(A: Matrix, b: Sequence[Expr]) -> tuple[list[Expr], list[list[Expr]]]:
    """The coefficients of det(s - A), and the columns of adj(s - A) b, from the highest power of s down."""
    size = len(b)
    rows = [[(k, as_expr(entry)) for k, entry in enumerate(row) if not is_zero(as_expr(entry))] for row in A]
    zero, one = as_expr(0), as_expr(1)
    N = [[one if i == k else zero for k in range(size)] for i in range(size)]
    coefficients, columns = [one], []
    for step in range(1, size + 1):
        columns.append([_dot(row, b) for row in N])
        product = []
        for row in rows:  # A N, by the entries of A that are not zero
            total = [zero] * size
            for k, factor in row:
                total = [a + factor * b if b else a for a, b in zip(total, N[k], strict=True)]
            product.append(total)
        trace = sum((product[i][i] for i in range(size)), start=zero)
        a = -trace / step
        coefficients.append(a)
        N = [[entry + a if i == k else entry for k, entry in enumerate(row)] for i, row in enumerate(product)]
    return coefficients, columns


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Expr:
    return sum((as_expr(x) * as_expr(y) for x, y in zip(a, b, strict=True) if x and y), start=as_expr(0))


def _trailing(coefficients: Sequence[Expr]) -> int:
    """How many powers of s divide a polynomial."""
    count = 0
    while count < len(coefficients) and is_zero(coefficients[-1 - count]):
        count += 1
    return count


_LOCUS = "root_locus"
#: A zero farther out than this, relative to the size of A, is at infinity.
_FAR = 1e8


@dataclass(frozen=True, eq=False, repr=False)
class RootLocus(Shown):
    """Poles (N, n) at N gains, each column following one; and the zeros of the open system."""

    input: str
    output: str
    gains: Floats
    poles: Complexes
    zeros: Complexes
    drawn: Complexes  # the poles at more gains, through the breakaway points, for pictures

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """The poles in the complex plane along the gain as a matplotlib figure, saved to `path` if given."""
        locus = plot_locus(self.gains, self.drawn, self.zeros, title=f"{self.input} = -k {self.output}")
        return saved(locus, path)

    def __repr__(self) -> str:
        return f"RootLocus({self.input} = -k {self.output}; {len(self.gains)} gains, {self.poles.shape[1]} poles)"

    def _cell(self) -> Cell:
        rows = [
            (f"{gain:.6g}", ", ".join(map(complex_text, row)))
            for gain, row in zip(self.gains.tolist(), self.poles.tolist(), strict=True)
        ]
        zeros = ", ".join(map(complex_text, self.zeros.tolist()))
        words = f"zeros: {zeros}" if zeros else "no zeros"
        return Cell(f"{self.input} = -k {self.output}", [Table(["gain k", "poles"], rows), words])


def root_locus(
    linear: Linear, input: str, output: Any, gains: Any, parameters: Mapping[str, Any] | None = None
) -> RootLocus:
    """The poles with c = -k y for an input, by name, and an output (a state, a port, an expression)."""
    ports, name = one_port(linear, input, output, _LOCUS)
    along = numbers_along(gains, "gains", _LOCUS)
    A, B, C, D = matrices(ports, parameters)

    def closed(k: float) -> Floats:
        through = 1.0 + k * D[0, 0]
        if abs(through) < 1e-12:
            answers = f"{name} answers {ports.inputs[0]} at once, 1 + k D = 0"
            message = f"at the gain {k:.6g} the loop has no solution: {answers}."
            raise PolhodeError(message, _LOCUS, "Leave this gain out.", "E-LINEAR-FAILED")
        return np.asarray(A - (k / through) * B @ C)

    poles, finer = followed(closed, along), _with_breakaways(closed, along)
    drawn = poles if len(finer) == len(along) else followed(closed, finer)
    return RootLocus(ports.inputs[0], name, along, poles, zeros_of(A, B, C, D), drawn)


def _with_breakaways(closed: Callable[[float], Floats], gains: Floats) -> Floats:
    """The gains, and between two of them with different numbers of real poles those around where two poles meet.

    Poles part from k₀ as √(k - k₀), so that the gains beside k₀ draw near to it geometrically.
    """

    def real_poles(k: float) -> int:
        poles = np.linalg.eigvals(closed(k))
        return int(np.count_nonzero(np.abs(poles.imag) <= 1e-9 * max(float(np.abs(poles).max(initial=0.0)), 1e-300)))

    counts, more = [real_poles(float(k)) for k in gains], []
    for start, end, before, after in zip(gains[:-1], gains[1:], counts[:-1], counts[1:], strict=True):
        if before != after:
            low, high = float(start), float(end)
            while low != (middle := (low + high) / 2) != high:
                low, high = (middle, high) if real_poles(middle) == before else (low, middle)
            beside = [(high + (edge - high) * 4.0**-j) for j in range(1, 13) for edge in (start, end)]
            more += [high, *beside]
    ordered = np.unique([*gains, *more])
    return gains if not more else ordered if gains[-1] >= gains[0] else ordered[::-1]


def matrices(linear: Linear, parameters: Mapping[str, Any] | None) -> tuple[Floats, Floats, Floats, Floats]:
    """A, B, C, D in numbers, A and B with M factored in numbers."""
    A, B = linear.state_space(parameters)
    indices = [linear.controls.index(name) for name in linear.inputs]
    return A, B[:, indices], linear.numbers("C", parameters), linear.numbers("D", parameters)


def zeros_of(A: Floats, B: Floats, C: Floats, D: Floats) -> Complexes:
    """Invariant zeros: the finite s at which [A - s, B; C, D] is singular."""
    from scipy.linalg import eig

    size = len(A)
    pencil = np.block([[A, B], [C, D]])
    values = eig(pencil, np.diag([1.0] * size + [0.0] * len(D)), right=False, homogeneous_eigvals=True)
    bound = _FAR * max(1.0, float(np.abs(pencil).max()))
    finite = np.abs(values[0]) < bound * np.abs(values[1])
    zeros = (values[0][finite] / values[1][finite]).astype(np.complex128)
    return np.asarray(zeros[in_order(zeros)])


def one_port(linear: Linear, input: str, output: Any, place: str) -> tuple[Linear, str]:
    """The equations with one input and one output, and the output's name."""
    check_kind(str, "the name of an input", input, place, f"Name one of {', '.join(linear.inputs[:4])}.")
    if isinstance(output, str) and output in linear.observed:
        output = {output: linear.observed[output]}
    elif isinstance(output, str) and output not in linear.states:
        raise unknown("output", output, [*linear.outputs, *linear.states], place=place, code="E-LINEAR-NAME")
    port = linear.with_ports([input], output)
    if len(port.outputs) != 1:
        cure = "Name one state, or give one expression."
        raise PolhodeError(f"{len(port.outputs)} outputs are given, and one is meant.", place, cure, "E-LINEAR-TWICE")
    return port, port.outputs[0]


KINDS = ("bode", "nyquist", "poles", "root_locus", "step")
_PLOT = "plot"
#: Points of a curve, where no others are given.
_POINTS = 600
System = tuple[Floats, Floats, Floats, Floats]


def plot(
    linear: Linear,
    kind: str,
    input: str | None,
    output: Any,
    along: Any,
    parameters: Mapping[str, Any] | None,
    path: Any,
) -> Figure:
    """A picture of a kind; `along` has the frequencies, gains or times, where others than the usual are meant."""
    check_known("kind of picture", [kind], KINDS, place=_PLOT, code="E-LINEAR-NAME")
    if input is None and len(linear.inputs) != 1:
        cure = f'Name one: plot("{kind}", "{linear.inputs[0] if linear.inputs else "push"}").'
        raise PolhodeError(f"there are {len(linear.inputs)} inputs, and one is meant.", _PLOT, cure, "E-LINEAR-TWICE")
    ports, name = one_port(linear, input or linear.inputs[0], linear.outputs[0] if output is None else output, _PLOT)
    system, title = matrices(ports, parameters), f"{ports.inputs[0]} to {name}"
    gains_given = None if along is None else numbers_along(along, "numbers to go along", _PLOT)
    if kind == "root_locus":
        gains = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 241)]) if gains_given is None else gains_given
        locus = root_locus(linear, ports.inputs[0], name if output is None else output, gains, parameters)
        figure: Figure = locus.plot()
    elif kind == "poles":
        poles = np.linalg.eigvals(system[0]).astype(complex)
        figure = plot_locus([0.0], poles[None], zeros_of(*system), title=title, heading="poles ×, zeros ○")
    else:
        with picture(7.2, 5.2, title) as figure:
            {"bode": _bode, "nyquist": _nyquist, "step": _step}[kind](figure, system, gains_given)
    return saved(figure, path)


def frequency_response(system: System, frequencies: Floats) -> Complexes:
    """G(iω) at frequencies in rad/s."""
    A, B, C, D = system
    unit = np.eye(len(A))
    return np.array([(C @ np.linalg.solve(1j * w * unit - A, B + 0j) + D)[0, 0] for w in frequencies])


def step_response(system: System, times: Floats) -> Floats:
    """y at ascending times after a step c = 1 at t = 0 from rest, by the exponential of [A, B; 0, 0]."""
    from scipy.linalg import expm

    A, B, C, D = system
    held = np.zeros((len(A) + 1, len(A) + 1))
    held[:-1] = np.hstack([A, B])
    x, now, outputs = np.eye(len(held))[-1], 0.0, []
    for time in times:
        x = expm(held * (time - now)) @ x
        now = time
        outputs.append((C @ x[:-1] + D[:, 0])[0])
    return np.array(outputs)


def _rates(system: System) -> Floats:
    """Magnitudes of the poles and zeros that are not zero; 1 where there are none."""
    sizes = np.abs(np.concatenate([np.linalg.eigvals(system[0]), zeros_of(*system)]))
    moving = sizes[sizes > 1e-6 * max(sizes.max(initial=0.0), 1e-300)]
    return moving if len(moving) else np.ones(1)


def _frequencies(system: System, along: Floats | None) -> Floats:
    """Given frequencies, or two decades around those of the poles and zeros, away from poles on the imaginary axis."""
    if along is not None:
        return along
    rates, poles = _rates(system), np.linalg.eigvals(system[0])
    frequencies = np.geomspace(rates.min() / 100, rates.max() * 100, _POINTS)
    distances = np.abs(1j * frequencies[:, None] - poles).min(axis=1, initial=np.inf)
    return np.asarray(frequencies[distances > 1e-9 * rates.max()])


def _panel(figure: Any, rows: int, row: int, across: str, up: str) -> Any:
    panel = figure.add_subplot(rows, 1, row)
    frame(panel)
    panel.set_xlabel(across, color=QUIET, fontsize=9, loc="right")
    panel.set_title(up, loc="left", fontsize=9.5, color=INK, pad=6)
    return panel


def _bode(figure: Any, system: System, along: Floats | None) -> None:
    w = _frequencies(system, along)
    G = frequency_response(system, w)
    size, phase = _panel(figure, 2, 1, "", "magnitude, dB"), _panel(figure, 2, 2, "ω, rad/s", "phase, degrees")
    size.semilogx(w, 20 * np.log10(np.maximum(np.abs(G), 1e-300)), color=PALETTE[0], linewidth=1.5)
    phase.semilogx(w, np.degrees(np.unwrap(np.angle(G))), color=PALETTE[0], linewidth=1.5)


def _nyquist(figure: Any, system: System, along: Floats | None) -> None:
    G = frequency_response(system, _frequencies(system, along))
    panel = _panel(figure, 1, 1, "real part", "imaginary part; ω > 0 solid, ω < 0 dashed, −1 marked +")
    panel.plot(G.real, G.imag, color=PALETTE[0], linewidth=1.5)
    panel.plot(G.real, -G.imag, color=PALETTE[0], linewidth=1.0, linestyle="--")
    panel.plot([-1.0], [0.0], "+", color=INK, markersize=9)
    reach = 1.2 * max(2.0, float(np.quantile(np.abs(G), 0.9)))  # poles on the axis lead far out
    panel.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")


def _step(figure: Any, system: System, along: Floats | None) -> None:
    decay = -np.linalg.eigvals(system[0]).real
    slow = decay[decay > 1e-6 * _rates(system).max()]
    end = 6 / slow.min() if len(slow) else 20 / _rates(system).min()
    times = np.linspace(0.0, end, _POINTS) if along is None else along
    panel = _panel(figure, 1, 1, "time, s", "step response")
    panel.plot(times, step_response(system, times), color=PALETTE[0], linewidth=1.5)
