"""Root loci: the poles of a linear system whose output is fed back, along the gain.

    c = -k y,    y = C x + D c,        A_k = A - B k (1 + k D)⁻¹ C

Poles go from those of the open system, at k = 0, to its zeros, and out of the picture.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import PolhodeError, check_kind, unknown
from ..notebook import Cell, Shown, Table, complex_text
from .eigensystem import Complexes, Floats, followed, in_order, numbers_along
from .linear import Linear

_PLACE = "root_locus"
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

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """The poles in the complex plane along the gain as a matplotlib figure, saved if asked."""
        from ..view.plot import save_plot
        from .eigenvalue_plots import plot_locus

        figure = plot_locus(self.gains, self.poles, self.zeros, title=f"{self.input} = -k {self.output}")
        if path is not None:
            save_plot(figure, path)
        return figure

    def __repr__(self) -> str:
        return f"RootLocus({self.input} = -k {self.output}; {len(self.gains)} gains, {self.poles.shape[1]} poles)"

    def _cell(self) -> Cell:
        rows = [
            (f"{gain:.6g}", ", ".join(map(complex_text, row)))
            for gain, row in zip(self.gains.tolist(), self.poles.tolist(), strict=True)
        ]
        zeros = ", ".join(map(complex_text, self.zeros.tolist()))
        told = f"zeros: {zeros}" if zeros else "no zeros"
        return Cell(f"{self.input} = -k {self.output}", [Table(["gain k", "poles"], rows), told])


def root_locus(
    linear: Linear, input: str, output: Any, gains: Any, parameters: Mapping[str, Any] | None = None
) -> RootLocus:
    """The poles with c = -k y for an input, by name, and an output (a state, a port, an expression)."""
    ports, name = one_port(linear, input, output, _PLACE)
    along = numbers_along(gains, "gains", _PLACE)
    A, B, C, D = matrices(ports, parameters)

    def closed(k: float) -> Floats:
        through = 1.0 + k * D[0, 0]
        if abs(through) < 1e-12:
            raise PolhodeError(
                f"at the gain {k:.6g} the loop has no solution: {name} answers {ports.inputs[0]} at once, 1 + k D = 0.",
                place=_PLACE,
                cure="Leave this gain out.",
                code="E-LINEAR-FAILED",
            )
        return np.asarray(A - (k / through) * B @ C)

    return RootLocus(ports.inputs[0], name, along, followed(closed, along), zeros_of(A, B, C, D))


def matrices(linear: Linear, parameters: Mapping[str, Any] | None) -> tuple[Floats, Floats, Floats, Floats]:
    """A, B, C, D in numbers, A and B with M factored in numbers."""
    A, B = linear.state_space(parameters)
    indices = [linear.controls.index(name) for name in linear.inputs]
    return A, B[:, indices], linear.numbers("C", parameters), linear.numbers("D", parameters)


def zeros_of(A: Floats, B: Floats, C: Floats, D: Floats) -> Complexes:
    """Where the output stays zero: the finite s at which [A - s, B; C, D] is singular."""
    from scipy.linalg import eig

    size = len(A)
    pencil = np.block([[A, B], [C, D]])
    values = eig(pencil, np.diag([1.0] * size + [0.0] * len(D)), right=False, homogeneous_eigvals=True)
    bound = _FAR * max(1.0, float(np.abs(pencil).max()))
    finite = np.abs(values[0]) < bound * np.abs(values[1])
    found = (values[0][finite] / values[1][finite]).astype(np.complex128)
    return np.asarray(found[in_order(found)])


def one_port(linear: Linear, input: str, output: Any, place: str) -> tuple[Linear, str]:
    """The equations with one input and one output, and the output's name."""
    check_kind(str, "the name of an input", input, place, f"Name one of {', '.join(linear.inputs[:4])}.")
    if isinstance(output, str):
        if output in linear.observed:
            wanted: Any = {output: linear.observed[output]}
        elif output in linear.states:
            wanted = [output]
        else:
            raise unknown("output", output, [*linear.outputs, *linear.states], place=place, code="E-LINEAR-NAME")
    else:
        wanted = output
    made = linear.with_ports([input], wanted)
    if len(made.outputs) != 1:
        cure = "Name one state, or give one expression."
        raise PolhodeError(f"{len(made.outputs)} outputs are given, and one is meant.", place, cure, "E-LINEAR-TWICE")
    return made, made.outputs[0]
