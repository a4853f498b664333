"""Members of a batch with constraints: each is assembled and measured as a run alone is, before native code runs it.

What is the same for all, functions and graphs, is made once. Members that need other rows of the constraints than the
first, or that start at a singular pose, are not for native code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...constraints import Constraints
from ..control.inputs import Signal
from ..initial_state import Floats, InitialState
from ..rates import Rates
from .assembly import assembled
from .manifold import Manifold
from .projection import EmbeddedRates, ProjectedRates

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


@dataclass(eq=False)
class ConstrainedMembers:
    """Starts on the constraints; `of_member` gives parameters, efforts and inputs of each."""

    derivation: Derivation
    functions: Functions
    constraints: Constraints
    signals: tuple[Signal, Signal]
    duration: float
    hold: Sequence[str]
    of_member: Callable[[int], tuple[Mapping[str, Any], Floats, Floats]]
    notices: dict[int, tuple[str, ...]] = field(default_factory=dict)  # what a reader of each run should know
    warnings: dict[int, list[str]] = field(default_factory=dict)  # what its user is told
    signs: dict[int, Floats] = field(default_factory=dict)  # of the pivots at the start of each
    is_native: bool = True  # whether members may be for native code at all
    rates: Rates | None = None  # those of the member that was begun last
    _manifold: Manifold | None = None

    def begun(self, i: int, first: InitialState, at_singular_pose: bool = False) -> Floats | None:
        """The state that a member starts with; None where that is not for native code.

        One at a singular pose is for native code only where it may be `at_singular_pose`.

        Raises what a run alone would.
        """
        parameters, tau, inputs = self.of_member(i)
        manifold = self._manifold_for(parameters)
        assembly = assembled(manifold, first, self.hold)
        x = np.concatenate([assembly.q, assembly.u, assembly.z])
        rates = self._rates_for(manifold, assembly.freedom.rows, parameters)
        if rates is None:
            return None
        rates.drive.tau[:], rates.drive.inputs[:] = tau, inputs
        rates.measure(0.0, x)
        on = rates.on_a_branch(0.0, x)
        if on is not x and not at_singular_pose:
            return None
        x = on
        rates.start(x, self.duration)
        if len(rates.breaks) or not rates.can_step_natively:
            self.is_native = False
            return None
        rates(0.0, x)
        self.notices[i] = assembly.notices
        self.warnings[i] = [*first.notices, *assembly.warnings(first)]
        self.signs[i] = rates.pivot_signs(0.0, x)
        return x

    def rows_of_signs(self, count: int) -> Floats:
        """The signs of the pivots of all members; those of one that was not begun do not matter."""
        blank = np.ones(len(next(iter(self.signs.values()))))
        return np.array([self.signs.get(i, blank) for i in range(count)])

    def _manifold_for(self, parameters: Mapping[str, Any]) -> Manifold:
        """The constraints with these parameters; what the member before has made of the same ones goes on."""
        known = self._manifold
        if known is not None and known.parameters == parameters:
            made = copy(known)
            made.scale = np.ones(len(made.names))
        else:
            made = Manifold(self.functions, self.constraints, parameters)
            if known is not None:
                made.share_graphs(known)
        self._manifold = made
        return made

    def _rates_for(self, manifold: Manifold, rows: list[int], parameters: Mapping[str, Any]) -> Rates | None:
        """The rates of a member that is about to start; None where they have other rows than the first one's."""
        dependent = self.functions.equations.dependent_speeds
        if self.rates is None:
            given = self.functions, dict(parameters), *self.signals, manifold
            self.rates = ProjectedRates(*given, rows) if dependent is None else EmbeddedRates(*given, dependent)
            return self.rates
        if isinstance(self.rates, ProjectedRates) and rows != self.rates.chosen:
            return None
        if isinstance(self.rates, ProjectedRates | EmbeddedRates):
            self.rates.begin_anew(manifold, parameters)
        return self.rates
