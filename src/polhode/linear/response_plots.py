"""Pictures of a linear system between one input and one output: G(s) = C (s - A)⁻¹ B + D.

bode          |G(iω)| in decibels and its phase in degrees over ω
nyquist       G(iω) in the complex plane, ω from -∞ to ∞, and the point -1
poles         poles × and zeros ○ in the complex plane
root_locus    poles with c = -k y along the gain k
step          y(t) after a step c = 1 from rest
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import PolhodeError, unknown
from ..view.plot import INK, QUIET, SETTINGS, figure_class, frame, matplotlib_of, put_title, save_plot
from ..view.scene import PALETTE
from .eigensystem import Complexes, Floats, numbers_along
from .eigenvalue_branches import plot_locus
from .linear import Linear
from .transfer_function import matrices, one_port, root_locus, zeros_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("bode", "nyquist", "poles", "root_locus", "step")
_PLACE = "plot"
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
    if not isinstance(kind, str) or kind not in KINDS:
        raise unknown("kind of picture", kind, KINDS, place=_PLACE, code="E-LINEAR-NAME")
    if input is None and len(linear.inputs) != 1:
        cure = f'Name one: plot("{kind}", "{linear.inputs[0] if linear.inputs else "push"}").'
        raise PolhodeError(f"there are {len(linear.inputs)} inputs, and one is meant.", _PLACE, cure, "E-LINEAR-TWICE")
    ports, name = one_port(linear, input or linear.inputs[0], linear.outputs[0] if output is None else output, _PLACE)
    system, title = matrices(ports, parameters), f"{ports.inputs[0]} to {name}"
    given = None if along is None else numbers_along(along, "numbers to go along", _PLACE)
    if kind == "root_locus":
        gains = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 241)]) if given is None else given
        locus = root_locus(linear, ports.inputs[0], name if output is None else output, gains, parameters)
        figure: Figure = locus.plot()
    elif kind == "poles":
        poles = np.linalg.eigvals(system[0]).astype(complex)
        figure = plot_locus([0.0], poles[None], zeros_of(*system), title=title, heading="poles ×, zeros ○")
    else:
        with matplotlib_of().rc_context(SETTINGS):
            figure = figure_class()(figsize=(7.2, 5.2), layout="constrained", facecolor="white")
            {"bode": _bode, "nyquist": _nyquist, "step": _step}[kind](figure, system, given)
            put_title(figure, title)
    if path is not None:
        save_plot(figure, path)
    return figure


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


def _frequencies(system: System, given: Floats | None) -> Floats:
    """Given frequencies, or two decades around those of the poles and zeros, away from poles on the imaginary axis."""
    if given is not None:
        return given
    rates, poles = _rates(system), np.linalg.eigvals(system[0])
    found = np.geomspace(rates.min() / 100, rates.max() * 100, _POINTS)
    distances = np.abs(1j * found[:, None] - poles).min(axis=1, initial=np.inf)
    return np.asarray(found[distances > 1e-9 * rates.max()])


def _panel(figure: Any, rows: int, row: int, across: str, up: str) -> Any:
    panel = figure.add_subplot(rows, 1, row)
    frame(panel)
    panel.set_xlabel(across, color=QUIET, fontsize=9, loc="right")
    panel.set_title(up, loc="left", fontsize=9.5, color=INK, pad=6)
    return panel


def _bode(figure: Any, system: System, given: Floats | None) -> None:
    w = _frequencies(system, given)
    G = frequency_response(system, w)
    size, phase = _panel(figure, 2, 1, "", "magnitude, dB"), _panel(figure, 2, 2, "ω, rad/s", "phase, degrees")
    size.semilogx(w, 20 * np.log10(np.maximum(np.abs(G), 1e-300)), color=PALETTE[0], linewidth=1.5)
    phase.semilogx(w, np.degrees(np.unwrap(np.angle(G))), color=PALETTE[0], linewidth=1.5)


def _nyquist(figure: Any, system: System, given: Floats | None) -> None:
    G = frequency_response(system, _frequencies(system, given))
    panel = _panel(figure, 1, 1, "real part", "imaginary part; ω > 0 solid, ω < 0 dashed, −1 marked +")
    panel.plot(G.real, G.imag, color=PALETTE[0], linewidth=1.5)
    panel.plot(G.real, -G.imag, color=PALETTE[0], linewidth=1.0, linestyle="--")
    panel.plot([-1.0], [0.0], "+", color=INK, markersize=9)
    reach = 1.2 * max(2.0, float(np.quantile(np.abs(G), 0.9)))  # poles on the axis lead far out
    panel.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")


def _step(figure: Any, system: System, given: Floats | None) -> None:
    decay = -np.linalg.eigvals(system[0]).real
    slow = decay[decay > 1e-6 * _rates(system).max()]
    end = 6 / slow.min() if len(slow) else 20 / _rates(system).min()
    times = np.linspace(0.0, end, _POINTS) if given is None else given
    panel = _panel(figure, 1, 1, "time, s", "step response")
    panel.plot(times, step_response(system, times), color=PALETTE[0], linewidth=1.5)
