"""Measured motions and efforts, as arrays in step with each other.

Where accelerations (or speeds too) were not measured they are differences of what was, after a filter that shifts
nothing in time: a Butterworth filter forward and backward. Efforts and columns then go through the same filter, so that
both sides of τ = Y π lose the same, and are kept at twice its cutoff, where what is left of noise is no longer alike
from one sample to the next (M. Gautier, "Dynamic identification of robots with power model", 1997).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, understood, unknown, whole_number
from ..expr import same

Floats: TypeAlias = NDArray[np.float64]
_PLACE = "identify"
_KEYS = ("t", "q", "u", "udot", "tau", "inputs", "z")
_ORDER = 4


@dataclass(frozen=True, eq=False)
class Measured:
    """Samples of one motion, complete; `reduced` takes tables in step with them to those that are fitted."""

    t: Floats
    q: Floats
    u: Floats
    udot: Floats
    tau: Floats
    smooth: Callable[[Floats], Floats]
    kept: slice
    inputs: Floats | None = None
    z: Floats | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the run that the samples are from

    def reduced(self, table: Floats) -> Floats:
        """A table (T, …) in step with the samples, filtered and decimated."""
        return self.smooth(table)[self.kept]

    @property
    def circumstances(self) -> dict[str, Any]:
        """What a function of the motion takes beside it."""
        return {"t": self.t, "inputs": self.inputs, "z": self.z}


def measured(
    equations: EquationsOfMotion, data: Any, cutoff: float | None = None, decimate: int | None = None
) -> list[Measured]:
    """Data of one motion, or of several in a list, checked and made complete.

    - data: arrays by name (t, q, u, udot, tau, inputs, z; a row for each sample), or a Trajectory,
      of which the parameters that it was run with are taken as well.
    - cutoff: of the filter, in Hz; without it nothing is filtered.
    - decimate: how many samples become one; after a filter as many as its cutoff allows, unless given.
    """
    several = data if isinstance(data, list | tuple) else [data]
    if not several:
        raise _fault("there are no data.", "Give arrays by name, or a trajectory.", "E-IDENT-010")
    found = [_complete(equations, _arrays(equations, each), cutoff, decimate) for each in several]
    return [replace(made, parameters=_run_with(equations, each)) for made, each in zip(found, several, strict=True)]


def _run_with(equations: EquationsOfMotion, data: Any) -> dict[str, Any]:
    """The parameters of the mechanism that a run was made with, where the data are one."""
    given = {} if isinstance(data, Mapping) else getattr(data, "parameters", None) or {}
    return {name: value for name, value in given.items() if name in equations.system.parameters}


def _fault(message: str, cure: str, code: str) -> PolhodeError:
    return PolhodeError(message, place=_PLACE, cure=cure, code=code)


def _arrays(equations: EquationsOfMotion, data: Any) -> dict[str, Floats]:
    """What was measured, each as a table with a row for each sample."""
    if not isinstance(data, Mapping):
        data = {key: getattr(data, key) for key in _KEYS if getattr(data, key, None) is not None}
    for key in data:
        if key not in _KEYS:
            raise unknown("kind of data", key, _KEYS, place=_PLACE, code="E-IDENT-011")
    for key in ("q", "tau"):
        if data.get(key) is None:
            raise _fault(
                f"the data have no {key}.",
                'Give {"t": …, "q": …, "tau": …}, or a trajectory of a run with efforts.',
                "E-IDENT-012",
            )
    widths = {"q": len(equations.q), **dict.fromkeys(("u", "udot", "tau"), len(equations.u))}
    widths |= {"inputs": len(equations.system.inputs), "z": len(equations.z)}
    found: dict[str, Floats] = {}
    for key, value in data.items():
        if value is None:
            continue
        with understood("an array of numbers", value, place=f"{_PLACE} {key}"):
            table = np.asarray(value, dtype=np.float64)
        table = table[:, None] if table.ndim == 1 and key != "t" else table
        shape = () if key == "t" else (widths[key],)
        if table.ndim == 0 or table.shape[1:] != shape:
            expected = "one number" if key == "t" else f"{widths[key]} numbers"
            raise _fault(
                f"{key} is an array {table.shape}, but a sample has {expected}.",
                f"Give an array with a row for each sample, in the order of {_names(equations, key)}.",
                "E-IDENT-013",
            )
        if table.size or key not in ("inputs", "z"):
            found[key] = table
    _check_lengths(found)
    _check_finite(equations, found)
    return found


def _names(equations: EquationsOfMotion, key: str) -> str:
    if key == "t":
        return "time"
    names = {"q": equations.coordinates, "inputs": list(equations.system.inputs), "z": equations.states}
    return ", ".join(names.get(key, equations.speeds))


def _check_lengths(found: Mapping[str, Floats]) -> None:
    lengths = {key: len(table) for key, table in found.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{key} has {length}" for key, length in lengths.items())
        raise _fault(f"the data differ in their number of samples: {told}.", "Cut them to one length.", "E-IDENT-014")


def _check_finite(equations: EquationsOfMotion, found: Mapping[str, Floats]) -> None:
    for key, table in found.items():
        bad = np.argwhere(~np.isfinite(table))
        if len(bad):
            row, *column = (int(k) for k in bad[0])
            of = f" of '{_names(equations, key).split(', ')[column[0]]}'" if column else ""
            raise _fault(
                f"{key}{of} is {table[tuple(bad[0])]} in sample {row}.",
                "Leave out such samples, or split the data there into a list of two.",
                "E-IDENT-015",
            )


def _complete(
    equations: EquationsOfMotion, found: dict[str, Floats], cutoff: float | None, decimate: int | None
) -> Measured:
    count = len(found["q"])
    lacking = [key for key in ("u", "udot") if key not in found]
    t = found.get("t")
    if t is None and (lacking or cutoff is not None):
        raise _fault(
            f"without the times t the data lack {' and '.join(lacking) or 'what the filter needs'}.",
            'Give "t", or measured "u" and "udot".',
            "E-IDENT-016",
        )
    step = _step(t) if t is not None and (lacking or cutoff is not None) else 0.0
    if "u" in lacking and not same(equations.coordinate_rates, equations.u):
        raise _fault(
            "the speeds of this mechanism are not the rates of its coordinates.", 'Give "u" as well.', "E-IDENT-017"
        )
    smooth = _filter(step, cutoff, count)
    made: dict[str, Any] = {key: smooth(found[key]) for key in ("q", "u", "udot") if key in found}
    if "u" in lacking:
        made["u"] = np.gradient(made["q"], step, axis=0, edge_order=2)
    if "udot" in lacking:
        made["udot"] = np.gradient(made["u"], step, axis=0, edge_order=2)
    skip = 0 if not lacking and cutoff is None else 3 if cutoff is None else int(np.ceil(1 / (cutoff * step)))
    every = decimate if decimate is not None else 1 if cutoff is None else max(1, int(1 / (2 * cutoff * step)))
    every = whole_number(every, "a whole number, 1 or more", least=1, place=f"{_PLACE} decimate")
    kept = slice(skip, count - skip, every)
    if len(range(*kept.indices(count))) < 2:
        raise _fault(f"{count} samples are too few.", "Measure longer, or decimate less.", "E-IDENT-019")
    rest: dict[str, Any] = {key: found[key] for key in ("tau", "inputs", "z") if key in found}
    return Measured(**made, **rest, t=np.zeros(count) if t is None else t, smooth=smooth, kept=kept)


def _step(t: Floats) -> float:
    """The time between samples, which must be the same for all."""
    steps = np.diff(t)
    if len(steps) < 8 or steps.min() <= 0 or steps.max() - steps.min() > 1e-3 * steps.mean():
        told = f"from {steps.min():.4g} s to {steps.max():.4g} s" if len(steps) else "none"
        raise _fault(
            f"accelerations are taken from differences of at least 9 samples at even steps; these are {told}.",
            'Sample evenly, or give "u" and "udot" and no cutoff.',
            "E-IDENT-020",
        )
    return float(steps.mean())


def _filter(step: float, cutoff: float | None, count: int) -> Callable[[Floats], Floats]:
    if cutoff is None:
        return lambda table: table
    if not isinstance(cutoff, int | float) or not 0 < cutoff * step < 0.5:
        raise _fault(
            f"a cutoff of {cutoff!r} Hz is not between 0 and half the rate of sampling, {0.5 / step:.4g} Hz.",
            "Give some times the highest frequency of the motion.",
            "E-IDENT-021",
        )
    from scipy.signal import butter, sosfiltfilt

    sections = butter(_ORDER, 2 * cutoff * step, output="sos")
    pad = min(count - 1, int(3 / (cutoff * step)))
    return lambda table: sosfiltfilt(sections, table, axis=0, padlen=pad)
