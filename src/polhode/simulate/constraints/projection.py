"""Projection: runs that stay on their constraints.

Native code solves for the accelerations with independent rows, and gives in the same pass the projection step (a
displacement and a change of speeds) and the pivots by which it divided. Where a pivot is small, the state is projected
first and the accelerations are solved for with all rows, by singular values (`manifold`): there rates far off the
constraints would be large without meaning, and rates on them are not. At a pose where rows depend on each other for a
moment, as in a parallelogram that is flat, both come from the motion before and behind it (`singular_poses`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ...compiled.functions import Functions
from ...constraints import DependentSpeeds, PseudoSpeeds
from ...constraints.newton import solve
from ...errors import listed
from ...expr import as_expr
from ...ode.native_run import NativeRun
from ..control.inputs import Signal
from ..guard import Stop
from ..initial_state import Floats
from ..rates import NonFinite, Rates, set_up
from .manifold import TOLERANCE, Manifold
from .singular_poses import Branch, branch_near, pose_near

#: Pivots below this part of the largest seen are ill conditioned: angles, or lengths of rows, of a tenth.
_SMALL_PIVOT = 1e-2
#: A state this near to its constraints is left where it is; so is one at a hundred times that which comes no nearer.
_NEAR = 1e-14
_MOST_STEPS = 5
#: Where a singular value is below this, a run that cannot go on is told to be held by its constraints.
_WEAK = 1e-3
#: At the start, a smaller part of the speeds is not worth a word.
_LOST = 1e-6
#: After so many searches in vain for a singular pose that can be passed, as at the end of a linkage's reach, only every
#: so many-th state is searched from.
_MOST_FAILED_SEARCHES = 10
#: So many ill-conditioned steps in a row ask for another choice of rows.
_PATIENCE = 30


class ProjectedRates(Rates):
    """The right-hand side of a run with constraints and multipliers, and the projection after each step.

    Where `attraction`, in 1/s, is set, rates are those at the nearest state on the constraints, with a pull towards it:
    for multistep methods, and those that differentiate the rates in Python.
    """

    def __init__(
        self,
        functions: Functions,
        parameters: Mapping[str, Any] | None,
        tau: Signal,
        inputs: Signal,
        manifold: Manifold,
        rows: list[int],
    ) -> None:
        self.manifold = manifold
        self.attraction = 0.0
        self.full = functions
        self._of_rows: dict[tuple[int, ...], Functions] = {}
        self.ill_conditioned_steps = self.halved = self.failed_searches = 0
        super().__init__(self._with_rows(functions, rows), parameters, tau, inputs, of="kept_rates")
        self.chosen = rows
        self.largest = np.zeros(1)

    @property
    def is_constrained(self) -> bool:
        return True

    @property
    def rates_alone(self) -> str:
        return "stabilised_rates"

    @property
    def is_well_conditioned(self) -> bool:
        return not self.ill_conditioned_steps

    def _with_rows(self, functions: Functions, rows: list[int]) -> Functions:
        key = tuple(rows)
        if key not in self._of_rows:
            whole = len(rows) == len(self.manifold.names) or functions.derivation.rows is not None
            self._of_rows[key] = functions if whole else functions.keeping(rows)
        return self._of_rows[key]

    @property
    def can_step_natively(self) -> bool:
        """Auxiliary coordinates are Python's to move, and so is the pull of implicit methods."""
        return super().can_step_natively and not self.attraction and not self.manifold.definitions

    def steps_natively(self, run: NativeRun, holds_signs: bool = True) -> None:
        """Let a native run step these rates and project with the chosen rows, and check all if there are more."""
        super().steps_natively(run, holds_signs)
        run.largest_pivots[:] = self.largest
        if len(self.chosen) < len(self.manifold.names) and self.manifold.positions:
            native = self.full.native("constraint_values")
            run.check(native.with_parameters(self.full.parameter_values("constraint_values", self.given)))

    def rows_of_members(self, parameters: Mapping[str, Any], implicit: bool) -> dict[str, Floats]:
        rows = super().rows_of_members(parameters, implicit)
        if len(self.chosen) < len(self.manifold.names) and self.manifold.positions:
            rows |= set_up({"check.work": (self.full, "constraint_values")}, parameters)
        return rows

    def singular_pose(self, t: float, x: Floats) -> tuple[Floats, float] | None:
        """A singular pose near a state, and the distance from it in which singular values grow to one."""
        q, u, _ = self.manifold.parts(self.unit(x)[0])
        return pose_near(self.manifold, t, q, u, len(self.chosen))

    def measure(self, t: float, x: Floats) -> None:
        """Learn the size of pivots at this pose and around it."""
        for q in self.manifold.nearby_poses(t, x[: self.coordinates]):
            pivots = self.native(*self._arguments(t, np.concatenate([q, x[self.coordinates :]])))[1]
            self.largest = np.fmax(self.largest, np.where(np.isfinite(pivots), pivots, 0.0))

    def begin_anew(self, manifold: Manifold, parameters: Mapping[str, Any]) -> None:
        """Be the rates of another run, about to start with the same rows and other parameters."""
        self.manifold, self.largest = manifold, np.zeros(1)
        self.ill_conditioned_steps = self.halved = self.failed_searches = 0
        if parameters != self.given:
            self.use(self._with_rows(self.full, self.chosen), dict(parameters))

    def pivots_at(self, x: Floats) -> tuple[Floats, Floats]:
        """The largest pivots that were seen, and their signs."""
        return self.largest, np.ones_like(self.largest)

    def _evaluated(self, t: float, x: Floats) -> tuple[Floats, Floats, Floats, bool]:
        """Rates, the projection step (displacement and change of speeds), and whether pivots can be trusted."""
        rate, pivots, step, change, _ = self.native(*self._arguments(t, x))
        self.largest = np.fmax(self.largest, pivots)
        sure = bool((pivots > _SMALL_PIVOT * self.largest).all() and np.isfinite(rate).all())
        return rate, step, change, sure

    def __call__(self, t: float, x: Floats) -> Floats:
        self.evaluations += 1
        t = self.within(t)
        x, lengths = self.unit(x)
        if self.attraction:
            return self._stretched(t, x, self._attracted_rate(t, x), lengths)
        rate, _, _, sure = self._evaluated(t, x)
        if not sure:
            rate = self._by_singular_values(t, x)[1]
        return self._stretched(t, x, rate, lengths)

    def _attracted_rate(self, t: float, x: Floats) -> Floats:
        """The rate at the nearest state on the constraints, and a pull towards it: smooth also at singular poses."""
        on = self._native_projection(t, x)
        rate, sure = x, False
        if on is not None:
            rate, _, _, sure = self._evaluated(t, on)
        if on is None or not sure:
            on, rate = self._by_singular_values(t, x)
        return np.asarray(rate - self.attraction * (x - on))

    def _by_singular_values(self, t: float, x: Floats) -> tuple[Floats, Floats]:
        """The nearest state on the constraints and its rate, by singular values."""
        if not np.isfinite(x).all():
            raise NonFinite(t, x, np.full_like(x, np.nan))
        if self.signs is not None and self.signs_released is None:
            self.signs_released = t
        q, u, z = self.manifold.parts(x)
        branch = self._branch(t, x)
        if branch is None:
            q, _, rows = self.manifold.nearest_coordinates(t, q)
            u = u + rows.least(-self.manifold.rates(t, q, u))
        else:
            q, u = branch.q, branch.u
        on = np.concatenate([q, u, z])
        given = self.drive.at(t, on)
        if branch is None:
            udot = self.manifold.accelerations(t, on, *given)
        else:
            udot = branch.accelerations(self.manifold.unconstrained_accelerations(t, on, *given))
        zdot = self.manifold.z_rates(t, q, u, z, given[1])
        return on, np.concatenate([self.manifold.coordinate_rates(t, q, u), udot, zdot])

    def _branch(self, t: float, x: Floats) -> Branch | None:
        if self.failed_searches >= _MOST_FAILED_SEARCHES and self.failed_searches % _MOST_FAILED_SEARCHES:
            self.failed_searches += 1
            return None
        q, u, _ = self.manifold.parts(x)
        found = branch_near(self.manifold, t, q, u, len(self.chosen), self.halved)
        if found is None or not found.has_speeds(u):
            self.failed_searches += 1
            return None
        self.halved, self.failed_searches = found.halved, 0
        return found

    def on_a_branch(self, t: float, x: Floats) -> Floats:
        """At a singular pose the nearest state that a motion can have, as a pose may allow speeds that lead nowhere."""
        q, u, z = self.manifold.parts(x)
        found = branch_near(self.manifold, t, q, u, len(self.chosen))
        if found is None or np.abs(found.u - u).max() <= _LOST * np.abs(u).max():
            return x
        return np.concatenate([found.q, found.u, z])

    def multipliers(self, t: float, x: Floats) -> Floats:
        """λ of the chosen rows."""
        given = self.drive.at(t, x)
        force = self.manifold.constraint_forces(t, x, self.manifold.accelerations(t, x, *given), *given)
        return self.manifold.rows(t, x[: self.coordinates], self.chosen).multipliers(force)

    def constraint_failure(self, t: float, x: Floats) -> str:
        """The rows that say nearly the same here, if any do."""
        rows = self.manifold.rows(t, x[: self.coordinates])
        last = len(self.chosen) - 1
        if rows.singular_values[last] > _WEAK:
            return ""
        names = listed([f"'{self.manifold.names[k]}'" for k in rows.clashing(last)])
        return f"the constraints lock each other: {names} cannot all be satisfied beyond this pose."

    def residual(self, t: float, x: Floats, rate: Floats, multipliers: Floats) -> Floats:
        """What q̇ - Γ u, M u̇ + bias - τ - Aᵀλ, ż less its law and A u̇ + γ + 2α (A u + a) + α² φ are away from zero."""
        t = self.within(t)
        x, lengths = self.unit(x)
        q, u, z = self.manifold.parts(x)
        qdot, udot, zdot = self.manifold.parts(rate)
        tau, inputs = self.drive.at(t, x)
        manifold, alpha, rows = self.manifold, self.attraction, self.chosen
        A = manifold.matrix(t, q)[rows]
        drift = manifold.coordinate_rates(t, q, u)
        for (first, count), length in zip(self.groups, lengths, strict=True):
            drift[first : first + count] *= length
        needed = manifold.constraint_forces(t, x, udot, tau, inputs)
        pull = 2.0 * alpha * manifold.rates(t, q, u) + alpha**2 * manifold.row_residuals(t, q)
        kept = A @ udot + (manifold.gamma(t, q, u) + pull)[rows]
        lag = zdot - manifold.z_rates(t, q, u, z, inputs)
        return np.concatenate([qdot - drift, needed - A.T @ multipliers, lag, kept])

    def projected(self, t: float, x: Floats) -> Floats:
        """The state on the constraints that is nearest to this one, in the metric of the masses."""
        x, _ = self.unit(x)
        near = self._native_projection(t, x)
        if near is not None and self._meets_all_rows(t, near):
            self.ill_conditioned_steps = self.halved = self.failed_searches = 0
            return near
        self.ill_conditioned_steps += 1
        branch = self._branch(t, x)
        if branch is None:
            x = self.manifold.nearest_state(t, x)
        else:
            x = np.concatenate([branch.q, branch.u, self.manifold.parts(x)[2]])
        if self.ill_conditioned_steps > _PATIENCE:
            self._choose_rows(t, x)
        return x

    def _native_projection(self, t: float, x: Floats) -> Floats | None:
        """The projection in native code, with the chosen rows; None where its pivots cannot be trusted."""
        size = self.coordinates
        _, u, z = self.manifold.parts(x)
        rest, latest = x[size:], [x, x]

        def step_at(q: Floats) -> Floats:
            """Minus the step that native code takes, which is how far q is from the constraints."""
            _, step, change, sure = self._evaluated(t, np.concatenate([q, rest]))
            latest[:] = q, change
            return -step if sure else np.full_like(step, np.nan)

        found = solve(
            step_at, _newton_step, partial(self.manifold.moved, t), self.manifold.with_auxiliary(t, x[:size]),
            tolerance=_NEAR, most_steps=_MOST_STEPS,
        )  # fmt: skip
        if not found.size <= 1e2 * _NEAR:
            return None
        if latest[0] is not found.q:
            step_at(found.q)
        return np.concatenate([found.q, u + latest[1], z])

    def _meets_all_rows(self, t: float, x: Floats) -> bool:
        """Whether the rows that native code does not know are kept too."""
        left = self.manifold.residual(t, x[: self.coordinates])
        return bool(np.abs(left).max(initial=0.0) <= 1e3 * TOLERANCE)

    def _choose_rows(self, t: float, x: Floats) -> None:
        """Take the rows that carry the rank here, if they are not those taken already."""
        self.ill_conditioned_steps = 0
        rows = self.manifold.rows(t, x[: self.coordinates]).chosen
        if len(rows) >= len(self.chosen) and rows != self.chosen:
            self.chosen = rows
            self.use(self._with_rows(self.full, rows), self.given)
            self.largest = np.zeros(1)
            self.measure(t, x)


def _newton_step(q: Floats, left: Floats) -> Floats | None:
    """Newton's step where the residual is measured by it; None where there is none."""
    return -left if np.isfinite(left).all() else None


class EmbeddedRates(Rates):
    """The right-hand side of a run on independent speeds, whose dependent coordinates are projected."""

    def __init__(
        self,
        functions: Functions,
        parameters: Mapping[str, Any] | None,
        tau: Signal,
        inputs: Signal,
        manifold: Manifold,
        dependent_speeds: DependentSpeeds,
    ) -> None:
        super().__init__(functions, parameters, tau, inputs, of="kept_rates")
        self.manifold, self._full = manifold, functions
        self.sign = 1.0
        self._rows = [manifold.names.index(name) for name in dependent_speeds.constraints.names]
        self._dependent_speeds = dependent_speeds

    @property
    def is_constrained(self) -> bool:
        return True

    @property
    def can_step_natively(self) -> bool:
        """Auxiliary coordinates are Python's to move."""
        return super().can_step_natively and not self.manifold.definitions

    def steps_natively(self, run: NativeRun, holds_signs: bool = True) -> None:
        """Let a native run step these rates, as long as the pivots keep the signs that they have now."""
        super().steps_natively(run, holds_signs)
        run.pivot_signs[:] = self._pivot_signs(float(run.record.t), run.x)

    def _pivot_signs(self, t: float, x: Floats) -> Floats:
        pivots = self._compiled(*self._arguments(t, self.unit(x)[0]))[1]
        return np.where(pivots < 0.0, -1.0, 1.0)

    def begin_anew(self, manifold: Manifold, parameters: Mapping[str, Any]) -> None:
        """Be the rates of another run, about to start with other parameters."""
        self.manifold = manifold
        if parameters != self.given:
            self.use(self._full, dict(parameters))

    def pivots_at(self, x: Floats) -> tuple[Floats, Floats]:
        """None were seen yet; and their signs at the start."""
        signs = self._pivot_signs(0.0, x)
        return np.zeros_like(signs), signs

    def __call__(self, t: float, x: Floats) -> Floats:
        self.evaluations += 1
        t = self.within(t)
        x, lengths = self.unit(x)
        return self._stretched(t, x, self.native(*self._arguments(t, x))[0], lengths)

    def measure(self, t: float, x: Floats) -> None:
        """Learn on which side of its dead points the run begins."""
        self.sign = self._determinant_sign(t, x)

    def _determinant_sign(self, t: float, x: Floats) -> float:
        """The sign of the determinant by which dependent speeds are solved for."""
        q, known = x[: self.coordinates], self._dependent_speeds
        A = self.manifold.matrix(t, q)[self._rows]
        if isinstance(known, PseudoSpeeds):
            forms = self.manifold.evaluated([as_expr(entry) for entry in known.forms[0].entries()], t, q)
            return float(np.linalg.slogdet(np.vstack([np.reshape(forms, (-1, A.shape[1])), A]))[0])
        return float(np.linalg.slogdet(A[:, list(known.dependent)])[0])

    def constraint_failure(self, t: float, x: Floats) -> str:
        """Whether the independent speeds no longer tell the others."""
        if (
            self.manifold.rows(t, x[: self.coordinates]).singular_values[-1] > _WEAK
            and self._determinant_sign(t, x) == self.sign
        ):
            return ""
        speeds = self.functions.equations.speeds
        names, end = listed([f"'{name}'" for name in speeds]), "s" if len(speeds) == 1 else ""
        return f"{names} no longer determine{end} the other speeds: derive with other independent ones or multipliers."

    def projected(self, t: float, x: Floats) -> Floats:
        """The same independent coordinates and speeds, and dependent coordinates that fit them."""
        x, _ = self.unit(x)
        if self._determinant_sign(t, x) != self.sign:
            raise Stop(
                "dead_point", f"at t = {t:.6g} s {self.constraint_failure(t, x)}", "Multipliers pass dead points."
            )
        return self.manifold.nearest_state(t, x)
