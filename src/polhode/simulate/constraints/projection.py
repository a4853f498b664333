"""Runs with constraints: rates and projection in native code (`ode.right_side`), and what is left to Python.

Native code solves for the accelerations with independent rows, gives in the same pass the projection step, and passes
poses at which rows depend on each other for a moment. Where its rows do not carry the rank, a state is projected with
all rows, by singular values (`manifold`), and the run goes on with others; where no state is near, the run ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from ...compiled.functions import Functions
from ...constraints import Constraints, DependentSpeeds, PseudoSpeeds
from ...errors import listed
from ...expr import as_expr
from ...native.compiled import Compiled
from ...ode.native_run import NativeRun
from ...ode.plain_run import PlainRun
from ..control.actuation import Signal
from ..guard import Stop
from ..initial_state import Floats, InitialState
from ..rates import NonFinite, Rates, set_up
from ..run import Problem
from .assembly import assembled
from .manifold import Manifold

#: Functions, parameters, efforts and inputs of a run.
Drive: TypeAlias = tuple[Functions, Mapping[str, Any] | None, Signal, Signal]

#: Where a singular value is below this, constraints are the reason why a run cannot go on.
_WEAK = 1e-3
#: At the start, a smaller part of the speeds is not worth a word.
_LOST = 1e-6
#: At rest at a singular pose a run starts with the speeds that it has after this time.
_SOON = 1e-15


class ConstrainedRates(Rates):
    """The right-hand side of a run with constraints, and the projection onto them."""

    _evaluator: NativeRun | PlainRun | None

    def __init__(self, drive: Drive, manifold: Manifold) -> None:
        self.manifold, self.full = manifold, drive[0]
        super().__init__(self._with_rows(manifold), *drive[1:], of="kept_rates")

    def _with_rows(self, manifold: Manifold) -> Functions:
        """The functions that solve with the rows in use."""
        return self.full

    def begin_anew(self, manifold: Manifold, parameters: Mapping[str, Any]) -> None:
        """Be the rates of another run, about to start with the same rows and other parameters."""
        self.manifold, self._evaluator = manifold, None
        if parameters != self.given:
            self.use(self._with_rows(manifold), dict(parameters))

    @property
    def is_constrained(self) -> bool:
        return True

    def use(self, functions: Functions, parameters: Mapping[str, Any] | None) -> None:
        super().use(functions, parameters)
        self._evaluator = None

    def evaluator(self, x: Floats) -> NativeRun | PlainRun:
        """Evaluator of rates and projections, set up at this state on its first use."""
        if self._evaluator is None:
            if self.can_run_natively:
                self._evaluator = NativeRun("RK23", x, rtol=1.0, atol=1.0, groups=self.groups)
            else:
                self._evaluator = PlainRun(self._plain, x, self.groups)
            self.steps_natively(self._evaluator)
        return self._evaluator

    def steps_natively(self, run: NativeRun | PlainRun, holds_signs: bool = True) -> None:
        """Let a run step these rates and project onto the constraints."""
        if isinstance(run, NativeRun):
            super().steps_natively(run, holds_signs)
        run.record.is_curved = int(bool(self.manifold.constraints.nonlinear))
        if self.manifold.definitions:
            run.define(self._of_pose("definition_steps"), self.manifold.auxiliary.start)

    def _of_pose(self, name: str) -> Compiled:
        """A compiled function of the coordinates (and time), with the parameters of the run."""
        functions = self.manifold.functions
        native: Compiled = functions.native(name)
        return native.with_parameters(functions.parameter_values(name, self.given))

    def _plain(self, t: float, x: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """ẋ, pivots, displacement and change of speeds by NumPy, where there is no compiler."""
        rate, pivots, _, change, displacement = self.native(*self._arguments(self.within(t), x))
        return rate, pivots, displacement, change

    def pivot_signs(self, t: float, x: Floats) -> Floats:
        pivots = self._compiled(*self._arguments(t, self.unit(x)[0]))[1]
        return np.where(pivots < 0.0, -1.0, 1.0)

    def __call__(self, t: float, x: Floats) -> Floats:
        self.evaluations += 1
        t = self.within(t)
        rate = self.evaluator(x).rates_at(t, x)
        if not np.isfinite(rate).all():
            raise NonFinite(t, x, rate)
        return rate

    def projected(self, t: float, x: Floats) -> Floats:
        """The state on the constraints that is nearest to this one, in the metric of the masses."""
        projected = self.projected_natively(t, x)
        return self.projected_otherwise(t, x) if projected is None else projected

    def projected_natively(self, t: float, x: Floats) -> Floats | None:
        return self.evaluator(x).projected(t, x)

    def projected_otherwise(self, t: float, x: Floats) -> Floats:
        """The same by singular values, where elimination fails; a Stop where there is none."""
        return self.manifold.nearest_state(t, self.unit(x)[0])


class ProjectedRates(ConstrainedRates):
    """The right-hand side of a run with multipliers."""

    def __init__(self, drive: Drive, manifold: Manifold, rows: list[int]) -> None:
        self.attraction, self.chosen = 0.0, rows
        super().__init__(drive, manifold)

    @property
    def rates_alone(self) -> str:
        return "stabilised_rates"

    def _with_rows(self, manifold: Manifold) -> Functions:
        is_whole = len(self.chosen) == len(manifold.names) or self.full.derivation.rows is not None
        return self.full if is_whole else self.full.keeping(self.chosen)

    @property
    def can_step_natively(self) -> bool:
        """The pull of implicit methods is Python's."""
        return super().can_step_natively and not self.attraction

    @property
    def _checks_rows(self) -> bool:
        """Whether there are rows on positions that native code does not solve with."""
        return len(self.chosen) < len(self.manifold.names) and bool(self.manifold.positions)

    def steps_natively(self, run: NativeRun | PlainRun, holds_signs: bool = True) -> None:
        """Let a run step these rates and project with the chosen rows, and check all if there are more."""
        super().steps_natively(run, holds_signs)
        run.record.passes_poses = 1
        if self._checks_rows:
            run.check(self._of_pose("constraint_values"))

    def rows_of_members(self, parameters: Mapping[str, Any], implicit: bool) -> dict[str, Floats]:
        rows = super().rows_of_members(parameters, implicit)
        if self._checks_rows:
            rows |= set_up({"check.work": (self.full, "constraint_values")}, parameters)
        return rows

    def __call__(self, t: float, x: Floats) -> Floats:
        if not self.attraction:
            return super().__call__(t, x)
        x, lengths = self.unit(x)
        on = self.projected(self.within(t), x)
        return self._stretched(t, x, super().__call__(t, on) - self.attraction * (x - on), lengths)

    def on_a_branch(self, t: float, x: Floats) -> Floats:
        """The nearest state on a branch of the motion; near singular poses some speeds with A u + a = 0 are on none."""
        first, last = self.coordinates, self.coordinates + len(self.manifold.parts(x)[1])
        begin, speeds = x, slice(first, last)
        if not x[speeds].any() and not np.isfinite(self.evaluator(x).rates_at(t, x)).all():
            begin = x.copy()
            begin[speeds] = _SOON * self.manifold.accelerations(t, x, *self.drive.at(t, x))
        projected = self.evaluator(x).on_branch(t, begin)
        if projected is None or np.abs(projected - x)[speeds].max() <= _LOST * np.abs(x[speeds]).max():
            return x
        return projected

    def multipliers(self, t: float, x: Floats) -> Floats:
        """λ of the chosen rows."""
        acting = self.drive.at(t, x)
        force = self.manifold.constraint_forces(t, x, self.manifold.accelerations(t, x, *acting), *acting)
        return self.manifold.rows(t, *self.manifold.parts(x)[:2], self.chosen).multipliers(force)

    def constraint_failure(self, t: float, x: Floats) -> str:
        """Message that names rows that are almost dependent here; empty if there are none."""
        rows = self.manifold.rows(t, *self.manifold.parts(x)[:2])
        last = len(self.chosen) - 1
        if rows.singular_values[last] > _WEAK:
            return ""
        names = listed([f"'{self.manifold.names[k]}'" for k in rows.clashing(last)])
        return f"the constraints lock each other: {names} cannot all be satisfied beyond this pose."

    def residual(self, t: float, x: Floats, rate: Floats, multipliers: Floats) -> Floats:
        """Residual of q̇ = Γ u, M u̇ + bias = τ + Aᵀλ, the law of ż, and A u̇ + γ + 2α (A u + a) + α² φ = 0."""
        t = self.within(t)
        x, lengths = self.unit(x)
        q, u, z = self.manifold.parts(x)
        qdot, udot, zdot = self.manifold.parts(rate)
        tau, inputs = self.drive.at(t, x)
        manifold, alpha, rows = self.manifold, self.attraction, self.chosen
        A = manifold.matrix(t, q, u)[rows]
        drift = manifold.coordinate_rates(t, q, u)
        for (first, count), length in zip(self.groups, lengths, strict=True):
            drift[first : first + count] *= length
        needed = manifold.constraint_forces(t, x, udot, tau, inputs)
        pull = 2.0 * alpha * manifold.rates(t, q, u) + alpha**2 * manifold.row_residuals(t, q)
        kept = A @ udot + (manifold.gamma(t, q, u) + pull)[rows]
        lag = zdot - manifold.z_rates(t, q, u, z, inputs)
        return np.concatenate([qdot - drift, needed - A.T @ multipliers, lag, kept])

    def projected_otherwise(self, t: float, x: Floats) -> Floats:
        """The same by singular values, with rows from then on that carry the rank there."""
        x = super().projected_otherwise(t, x)
        rows = self.manifold.rows(t, *self.manifold.parts(x)[:2]).chosen
        if len(rows) >= len(self.chosen) and rows != self.chosen:
            self.chosen = rows
            self.use(self._with_rows(self.manifold), self.given)
        return x


class EmbeddedRates(ConstrainedRates):
    """The right-hand side of a run on independent speeds, whose dependent coordinates are projected."""

    def __init__(self, drive: Drive, manifold: Manifold, dependent_speeds: DependentSpeeds) -> None:
        super().__init__(drive, manifold)
        self.sign = 1.0
        self._rows = [manifold.names.index(name) for name in dependent_speeds.constraints.names]
        self._dependent_speeds = dependent_speeds

    def steps_natively(self, run: NativeRun | PlainRun, holds_signs: bool = True) -> None:
        """Let a run step these rates, as long as the determinant of the pivots keeps the sign that it has now."""
        super().steps_natively(run, holds_signs)
        run.pivot_signs[:] = self.pivot_signs(float(run.record.t), run.x)

    def measure(self, t: float, x: Floats) -> None:
        """Record on which side of its dead points the run begins."""
        self.sign = self._determinant_sign(t, x)

    def _determinant_sign(self, t: float, x: Floats) -> float:
        """The sign of the determinant by which dependent speeds are solved for."""
        q, speeds = x[: self.coordinates], self._dependent_speeds
        A = self.manifold.matrix(t, q, x[self.coordinates :])[self._rows]
        if isinstance(speeds, PseudoSpeeds):
            forms = self.manifold.evaluated([as_expr(entry) for entry in speeds.forms[0].entries()], t, q)
            return float(np.linalg.slogdet(np.vstack([np.reshape(forms, (-1, A.shape[1])), A]))[0])
        return float(np.linalg.slogdet(A[:, list(speeds.dependent)])[0])

    def constraint_failure(self, t: float, x: Floats) -> str:
        """Message if the independent speeds no longer determine the others."""
        weakest = self.manifold.rows(t, *self.manifold.parts(x)[:2]).singular_values[-1]
        if weakest > _WEAK and self._determinant_sign(t, x) == self.sign:
            return ""
        speeds = self.functions.equations.speeds
        names, end = listed([f"'{name}'" for name in speeds]), "s" if len(speeds) == 1 else ""
        return f"{names} no longer determine{end} the other speeds: derive with other independent ones or multipliers."

    def projected_otherwise(self, t: float, x: Floats) -> Floats:
        """The same independent coordinates and speeds, and dependent coordinates that fit them."""
        if self._determinant_sign(t, self.unit(x)[0]) != self.sign:
            message = f"at t = {t:.6g} s {self.constraint_failure(t, x)}"
            raise Stop("dead_point", message, 'Derive with constraints="multipliers", which pass dead points.')
        return super().projected_otherwise(t, x)


# ---- constrained members -------------------------------------------------------------------------------------
# Members that need other rows of the constraints than the first, or start at a singular pose, are not for native code.


@dataclass(eq=False)
class ConstrainedMembers:
    """Members of a batch, assembled as runs alone are; `of_member` gives parameters, efforts and inputs of each."""

    problem: Problem
    constraints: Constraints
    of_member: Callable[[int], tuple[Mapping[str, Any], Floats, Floats]]
    notices: dict[int, tuple[str, ...]] = field(default_factory=dict)  # warnings of each run
    warnings: dict[int, list[str]] = field(default_factory=dict)  # of each run
    signs: dict[int, Floats] = field(default_factory=dict)  # of the pivots at the start of each
    is_native: bool = True  # whether members may be for native code at all
    rates: Rates | None = None  # those of the member that was begun last
    _manifold: Manifold | None = None

    @classmethod
    def of(cls, problem: Problem, of_member: Callable[[int], tuple[Mapping[str, Any], Floats, Floats]]) -> Any:
        """Members of a problem; None where it has no constraints."""
        is_constrained = problem.derivation.synopsis.is_constrained
        constraints = problem.derivation.equations.constraints if is_constrained else None
        return None if constraints is None or not constraints.rows else cls(problem, constraints, of_member)

    def begun(self, i: int, first: InitialState, at_singular_pose: bool = False) -> Floats | None:
        """The state that a member starts with; None where that is not for native code."""
        parameters, tau, inputs = self.of_member(i)
        manifold = self._manifold
        if manifold is not None and manifold.parameters == parameters:  # those of the member before
            manifold = copy(manifold)
            manifold.scale = np.ones(len(manifold.names))
        else:
            manifold = Manifold(self.problem.functions, self.constraints, parameters)
        self._manifold = manifold
        assembly = assembled(manifold, first, self.problem.hold)
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
        rates.start(x, float(self.problem.times[-1]))
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

    def _rates_for(self, manifold: Manifold, rows: list[int], parameters: Mapping[str, Any]) -> Rates | None:
        """The rates of a member that is about to start; None where they have other rows than the first one's."""
        p, dependent = self.problem, self.problem.functions.equations.dependent_speeds
        if self.rates is None:
            arguments = (p.functions, dict(parameters), p.tau, p.inputs), manifold
            self.rates = ProjectedRates(*arguments, rows) if dependent is None else EmbeddedRates(*arguments, dependent)
            return self.rates
        if isinstance(self.rates, ProjectedRates) and rows != self.rates.chosen:
            return None
        if isinstance(self.rates, ProjectedRates | EmbeddedRates):
            self.rates.begin_anew(manifold, parameters)
        return self.rates
