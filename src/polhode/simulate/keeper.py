"""What keeps a run on its constraints.

Native code solves for the accelerations with independent rows, and gives in the same pass the way back to the
constraints and the pivots by which it divided. Where a pivot is small, the state is first brought back and the
accelerations are solved for with all rows, by singular values (`manifold`): there rates far off the constraints would
be large without meaning, and rates on them are not. At a pose where rows depend on each other for a moment, as in a
parallelogram that is flat, both come from the motion before and behind it (`passage`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ..compiled.functions import Functions
from ..constraints import DependentSpeeds
from ..constraints.newton import solve
from .drive import Drive
from .freedom import listed
from .guard import Stop
from .manifold import KEPT, Manifold
from .passage import Passage, passage
from .rates import NonFinite, Rates
from .state import Floats

#: Pivots below this part of the largest seen ask for care: angles, or lengths of rows, of a tenth.
_CAREFUL = 1e-2
#: A state this near to its constraints is left where it is; so is one at a hundred times that which comes no nearer.
_NEAR = 1e-14
_MOST_STEPS = 5
#: Where a singular value is below this, a run that cannot go on is told to be held by its constraints.
_WEAK = 1e-3
#: At the start, a smaller part of the speeds is not worth a word.
_LOST = 1e-6
#: So many careful steps in a row ask for another choice of rows.
_PATIENCE = 30


class KeptRates(Rates):
    """The right-hand side of a run with constraints and multipliers, and the way back after each step.

    With `inward`, in 1/s, rates are always those at the nearest state on the constraints, with a pull towards it: for
    methods that remember steps or differentiate the rates.
    """

    def __init__(
        self,
        functions: Functions,
        parameters: Mapping[str, Any] | None,
        tau: Drive,
        inputs: Drive,
        manifold: Manifold,
        rows: list[int],
        inward: float = 0.0,
    ) -> None:
        self.manifold = manifold
        self.inward = inward
        self.full = functions
        self._kept: dict[tuple[int, ...], Functions] = {}
        self.careful = self.halved = 0
        super().__init__(self._narrowed(functions, rows), parameters, tau, inputs, of="kept_rates")
        self.chosen = rows
        self.largest = np.zeros(1)

    @property
    def is_kept(self) -> bool:
        return True

    @property
    def is_sure(self) -> bool:
        return not self.careful

    def _narrowed(self, functions: Functions, rows: list[int]) -> Functions:
        key = tuple(rows)
        if key not in self._kept:
            whole = len(rows) == len(self.manifold.names) or functions.derivation.rows is not None
            self._kept[key] = functions if whole else functions.keeping(rows)
        return self._kept[key]

    def measure(self, t: float, x: Floats) -> None:
        """Learn how large pivots are in general, at this pose and around it."""
        for q in self.manifold.around(t, x[: self.coordinates]):
            pivots = self.native(*self._arguments(t, np.concatenate([q, x[self.coordinates :]])))[1]
            self.largest = np.fmax(self.largest, np.where(np.isfinite(pivots), pivots, 0.0))

    def _evaluated(self, t: float, x: Floats) -> tuple[Floats, Floats, Floats, bool]:
        """Rates, the way back (displacement and change of speeds), and whether pivots can be trusted."""
        rate, pivots, step, change = self.native(*self._arguments(t, x))
        self.largest = np.fmax(self.largest, pivots)
        sure = bool((pivots > _CAREFUL * self.largest).all() and np.isfinite(rate).all())
        return rate, step, change, sure

    def __call__(self, t: float, x: Floats) -> Floats:
        self.evaluations += 1
        x, lengths = self.unit(x)
        if self.inward:
            return self._stretched(t, x, self._inward_rate(t, x), lengths)
        rate, _, _, sure = self._evaluated(t, x)
        if not sure:
            rate = self._with_care(t, x)[1]
        return self._stretched(t, x, rate, lengths)

    def _inward_rate(self, t: float, x: Floats) -> Floats:
        """The rate at the nearest state on the constraints, and a pull towards it: smooth also at singular poses."""
        on = self._near(t, x)
        rate, sure = x, False
        if on is not None:
            rate, _, _, sure = self._evaluated(t, on)
        if on is None or not sure:
            on, rate = self._with_care(t, x)
        return np.asarray(rate - self.inward * (x - on))

    def _with_care(self, t: float, x: Floats) -> tuple[Floats, Floats]:
        """The nearest state on the constraints and its rate, by singular values."""
        if not np.isfinite(x).all():
            raise NonFinite(t, x, np.full_like(x, np.nan))
        if self.signs is not None and self.unheld is None:
            self.unheld = t
        size = self.coordinates
        through = self._passage(t, x)
        if through is None:
            q, _, rows = self.manifold.projected(t, x[:size])
            u = x[size:] + rows.least(-self.manifold.rates(t, q, x[size:]))
        else:
            q, u = through.q, through.u
        on = np.concatenate([q, u])
        given = self.tau.at(t, q, u), self.inputs.at(t, q, u)
        if through is None:
            udot = self.manifold.accelerations(t, on, *given)
        else:
            udot = through.accelerations(self.manifold.free(t, on, *given))
        return on, np.concatenate([self.manifold.moved_rate(t, q, u), udot])

    def _passage(self, t: float, x: Floats) -> Passage | None:
        size = self.coordinates
        found = passage(self.manifold, t, x[:size], x[size:], len(self.chosen), self.halved)
        if found is None or not found.is_on(x[size:]):
            return None
        self.halved = found.halved
        return found

    def begun(self, t: float, x: Floats) -> Floats:
        """At a singular pose the nearest state that a motion can have, as a pose may allow speeds that lead nowhere."""
        size = self.coordinates
        found = passage(self.manifold, t, x[:size], x[size:], len(self.chosen))
        if found is None or np.abs(found.u - x[size:]).max() <= _LOST * np.abs(x[size:]).max():
            return x
        return np.concatenate([found.q, found.u])

    def multipliers(self, t: float, x: Floats) -> Floats:
        """λ of the chosen rows."""
        q, u = x[: self.coordinates], x[self.coordinates :]
        given = self.tau.at(t, q, u), self.inputs.at(t, q, u)
        force = self.manifold.missing(t, x, self.manifold.accelerations(t, x, *given), *given)
        return self.manifold.rows(t, q, self.chosen).multipliers(force)

    def trouble(self, t: float, x: Floats) -> str:
        """The rows that say nearly the same here, if any do."""
        rows = self.manifold.rows(t, x[: self.coordinates])
        place = len(self.chosen) - 1
        if rows.singular_values[place] > _WEAK:
            return ""
        names = listed([f"'{self.manifold.names[k]}'" for k in rows.clashing(place)])
        return f"the constraints hold each other fast: {names} cannot all be kept on the way on."

    def residual(self, t: float, x: Floats, rate: Floats, multipliers: Floats) -> Floats:
        """What q̇ - Γ u, M u̇ + bias - τ - Aᵀλ and A u̇ + γ + 2α (A u + a) + α² φ are away from zero."""
        x, lengths = self.unit(x)
        size = self.coordinates
        q, u, udot = x[:size], x[size:], rate[size:]
        manifold, alpha, rows = self.manifold, self.inward, self.chosen
        A = manifold.matrix(t, q)[rows]
        drift = manifold.moved_rate(t, q, u)
        for (first, count), length in zip(self.groups, lengths, strict=True):
            drift[first : first + count] *= length
        balance = manifold.missing(t, x, udot, self.tau.at(t, q, u), self.inputs.at(t, q, u)) - A.T @ multipliers
        pull = 2.0 * alpha * manifold.rates(t, q, u) + alpha**2 * manifold.residuals(t, q)
        kept = A @ udot + (manifold.gamma(t, q, u) + pull)[rows]
        return np.concatenate([rate[:size] - drift, balance, kept])

    def settled(self, t: float, x: Floats) -> Floats:
        """The state on the constraints that is nearest to this one, in the metric of the masses."""
        x, _ = self.unit(x)
        near = self._near(t, x)
        if near is not None and self._keeps_all(t, near):
            self.careful = self.halved = 0
            return near
        self.careful += 1
        through = self._passage(t, x)
        x = self.manifold.state(t, x) if through is None else np.concatenate([through.q, through.u])
        if self.careful > _PATIENCE:
            self._choose(t, x)
        return x

    def _near(self, t: float, x: Floats) -> Floats | None:
        """The same in native code, with the chosen rows; None where its pivots cannot be trusted."""
        size = self.coordinates
        u, latest = x[size:], [x, x]

        def step_at(q: Floats) -> Floats:
            """Minus the step that native code takes, which is how far q is from the constraints."""
            _, step, change, sure = self._evaluated(t, np.concatenate([q, u]))
            latest[:] = q, change
            return -step if sure else np.full_like(step, np.nan)

        found = solve(
            step_at, _newton_step, partial(self.manifold.moved, t), self.manifold.placed(t, x[:size]),
            tolerance=_NEAR, most_steps=_MOST_STEPS,
        )  # fmt: skip
        if not found.size <= 1e2 * _NEAR:
            return None
        if latest[0] is not found.q:
            step_at(found.q)
        return np.concatenate([found.q, u + latest[1]])

    def _keeps_all(self, t: float, x: Floats) -> bool:
        """Whether the rows that native code does not know are kept too."""
        left = self.manifold.misfit(t, x[: self.coordinates])
        return bool(np.abs(left).max(initial=0.0) <= 1e3 * KEPT)

    def _choose(self, t: float, x: Floats) -> None:
        """Take the rows that carry the rank here, if they are not those taken already."""
        self.careful = 0
        rows = self.manifold.rows(t, x[: self.coordinates]).chosen
        if len(rows) >= len(self.chosen) and rows != self.chosen:
            self.chosen = rows
            self.take(self._narrowed(self.full, rows), self.given)
            self.largest = np.zeros(1)
            self.measure(t, x)


def _newton_step(q: Floats, left: Floats) -> Floats | None:
    """Newton's step where the residual is measured by it; None where there is none."""
    return -left if np.isfinite(left).all() else None


class BoundRates(Rates):
    """The right-hand side of a run on independent speeds, whose dependent coordinates are brought back."""

    def __init__(
        self,
        functions: Functions,
        parameters: Mapping[str, Any] | None,
        tau: Drive,
        inputs: Drive,
        manifold: Manifold,
        dependent_speeds: DependentSpeeds,
    ) -> None:
        super().__init__(functions, parameters, tau, inputs)
        self.manifold = manifold
        self.side = 1.0
        rows = [manifold.names.index(name) for name in dependent_speeds.constraints.names]
        self._solved = np.ix_(
            rows, list(dependent_speeds.dependent)
        )  # the part of A by which dependent speeds are solved for

    @property
    def is_kept(self) -> bool:
        return True

    def measure(self, t: float, x: Floats) -> None:
        """Learn on which side of its dead points the run begins."""
        self.side = self._side(t, x)

    def _side(self, t: float, x: Floats) -> float:
        """The sign of the determinant by which dependent speeds are solved for."""
        A = self.manifold.matrix(t, x[: self.coordinates])[self._solved]
        return float(np.linalg.slogdet(A)[0])

    def trouble(self, t: float, x: Floats) -> str:
        """Whether the independent speeds no longer tell the others."""
        if self.manifold.rows(t, x[: self.coordinates]).singular_values[-1] > _WEAK and self._side(t, x) == self.side:
            return ""
        speeds = self.functions.equations.speeds
        names, end = listed([f"'{name}'" for name in speeds]), "s" if len(speeds) == 1 else ""
        return f"{names} no longer determine{end} the other speeds: derive with other independent ones or multipliers."

    def settled(self, t: float, x: Floats) -> Floats:
        """The same independent coordinates and speeds, and dependent coordinates that fit them."""
        x, _ = self.unit(x)
        if self._side(t, x) != self.side:
            raise Stop("dead_point", f"at t = {t:.6g} s {self.trouble(t, x)}", "Multipliers pass dead points.")
        return self.manifold.state(t, x)
