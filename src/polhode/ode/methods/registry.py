"""The methods by their names: their functions, the memory that they need, and how their errors are measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from ...codegen.fixed_steps import METHODS, Tableau
from ...native.language import Module

_LEAST_TOLERANCE = 1e-15
#: The highest order of a Taylor series.
MOST_ORDER = 25


@dataclass(frozen=True)
class Method:
    """A method: the module in `ode.methods` with its functions, and what these are made for.

    `static` are arguments of its functions that are known at translation. An estimate of the error may be a ε^-p times
    the tolerance ε, with `error_scale` (a, p). `fields` are those of the matrices that it factors, `memory` another
    record of its own and the rows of the state's length that this points to. Quaternions of any length are given to the
    right-hand side as they are by a method that `keeps_length`.
    """

    module: str
    functions: tuple[str, ...]
    stages: int
    dense_rows: int
    static: tuple[Any, ...] = ()
    error_scale: tuple[float, float] = (1.0, 0.0)
    fields: tuple[str, ...] = ()
    is_fixed: bool = False
    memory: tuple[Any, Mapping[str, int]] | None = None
    keeps_length: bool = False
    has_lanes: bool = False  # its module has a function lane_method

    def text(self, fused: bool) -> str:
        """Its module as IR."""
        found, made = import_module(f".{self.module}", __package__), Module(fused=fused)
        for name in self.functions:
            made.add(getattr(found, name), *self.static, name=f"ph_{name}")
        return made.text

    def scaled(self, rtol: float, atol: float) -> float:
        """How many times these tolerances an estimate of the error may be, so that the error itself keeps to them."""
        factor, power = self.error_scale
        return float(factor * max(rtol, atol, _LEAST_TOLERANCE) ** -power)


_ALL = ("begin", "attempt", "state_at", "defect")


def _pair(name: str) -> Method:
    from .tableaux import PAIRS

    pair = PAIRS[name]
    return Method("explicit_pairs", _ALL, pair.all_stages, pair.dense_rows, (pair,), pair.allowance, has_lanes=True)


def _rodas5p() -> Method:
    from .rosenbrock import DENSE_ROWS, RODAS5P

    return Method("rosenbrock", _ALL, RODAS5P.stages + 1, DENSE_ROWS, (RODAS5P,), fields=("real",))


def _radau() -> Method:
    from .radau import DENSE_ROWS, ERROR_SCALE, STAGES

    return Method("radau", _ALL, STAGES, DENSE_ROWS, error_scale=ERROR_SCALE, fields=("real", "complex"))


_STEPS = ("begin", "attempt", "state_at")


def _gauss(stages: int) -> Method:
    from .gauss import GaussSteps, gauss

    rows = {"lost": 1, "lost_old": 1} | dict.fromkeys(("z", "least", "k_old", "k_inside"), stages)
    return Method("gauss", _STEPS, stages, 1, (gauss(stages),), is_fixed=True, memory=(GaussSteps, rows))


def _lie() -> Method:
    from .lie import STAGES, LieSteps

    return Method("lie", _STEPS, STAGES, 1, is_fixed=True, memory=(LieSteps, {"lost": 1, "lost_old": 1, "z": STAGES}))


def _explicit(tableau: Tableau) -> Method:
    stages = len(tableau.b)
    return Method("runge_kutta_fixed", _STEPS, stages, 1, (tableau,), is_fixed=True, keeps_length=True, has_lanes=True)


_MAKERS: Mapping[str, Callable[[], Method]] = {
    **{name: partial(_pair, name) for name in ("TP86", "DOP853", "RK45", "RK23")},
    "Rodas5P": _rodas5p,
    "Radau": _radau,
    "taylor": lambda: Method("taylor", (*_ALL, "prepare"), MOST_ORDER + 1, 1, has_lanes=True),
    **{name: partial(_explicit, tableau) for name, tableau in METHODS.items()},
    "semi_implicit_euler": lambda: Method("semi_implicit_euler", _STEPS, 2, 1, is_fixed=True, keeps_length=True),
    "gauss4": partial(_gauss, 2),
    "gauss6": partial(_gauss, 3),
    "lie4": _lie,
    "generalised_alpha": lambda: Method("generalised_alpha", _STEPS, 1, 1, is_fixed=True),
}


def method_named(name: str) -> Method:
    """The method of a name."""
    return _MAKERS[name]()
