"""What can stop a run, how it is noticed, and the sentence that says so.

A run watches its state and rates for a few comparisons a step; only what looks suspicious is looked into: the charts in
which orientations are stored (gimbal lock of angles, the half turn of vector-parameters) and the mass matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ..compiled.functions import Functions
from .initial_state import Floats
from .rates import NonFinite, Rates

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr
    from ..kinematics.tree import Link
    from ..model.constraints.protocol import Constraint, Fault
    from .discontinuities import Discontinuities

#: Rates this much larger than the state are looked into.
_SUSPICIOUS = 1e6
#: States beyond this have left every mechanism.
DIVERGED = 1e12
#: Nearer to gimbal lock than this (smallest singular value of Γ⁻¹), angles no longer hold an orientation.
_CHART_MARGIN = 1e-7
#: |tan θ/2| beyond which a vector-parameter is too near to a half turn.
HALF_TURN = 1e6
#: 1 + tr R of a joint below which it has turned by π, within rounding.
_NO_TURN_LEFT = 1e-12
#: Condition numbers of the mass matrix, scaled to a unit diagonal, beyond which it is as good as singular.
_SINGULAR = 1e13
#: A smallest moment of a mass matrix of unit diagonal, beside the largest, with which it is surely regular.
SURE = 1e-10
#: Largest relative asymmetry of M⁻¹ as computed from accelerations.
_ASYMMETRY = 1e-6
#: With more speeds than this the mass matrix is looked at only when there is reason to.
_SMALL = 60
#: The last start of each mechanism at which its mass matrix was surely regular.
_REGULAR: WeakKeyDictionary[Functions, bytes] = WeakKeyDictionary()


class Stop(Exception):
    """Why a run ended before its time."""

    def __init__(self, status: str, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.cure = status, message, cure


def moving_pivots(equations: EquationsOfMotion) -> list[Expr]:
    """Pivots that depend on the state, of the map from pseudo-velocities to speeds."""
    from ..constraints import PseudoSpeeds

    speeds = equations.dependent_speeds
    return speeds.moving_pivots if isinstance(speeds, PseudoSpeeds) else []


class Guard:
    """Watches one run; `values` returns parameters and constant inputs, and is called only when they are needed."""

    def __init__(self, rates: Rates, functions: Functions, values: Callable[[], Mapping[Expr, float]]) -> None:
        self.rates, self.functions, self._read_values = rates, functions, values
        self.synopsis = synopsis = functions.derivation.synopsis
        self.size = len(synopsis.coordinates) + len(synopsis.speeds) + len(synopsis.states)
        self.scale: Floats | None = None
        self.notices: list[str] = []
        self._began: tuple[float, Floats, Floats] | None = None  # time, state and inputs that give the scale
        self.constraints = list(self.equations.system.constraints.values()) if synopsis.is_constrained else []
        self.watched = [constraint for constraint in self.constraints if constraint.is_watched]
        self.discontinuities: Discontinuities | None = None
        self.pivots = moving_pivots(self.equations) if synopsis.in_pseudo_velocities else []
        self._signs: Floats | None = None
        links = self.equations.tree.links if synopsis.has_charts else ()
        turning = [(i, link) for i, link in enumerate(links) if link.stage.storage not in ("quaternion", "vector")]
        # where Γ of a stage depends on its angles there may be a lock
        self.angle_charts = [i for i, link in turning if len(link.coordinates) > 2 and self._places(link)]
        self.vector_charts = [
            (link, self._places(link)[:3]) for link in links if link.stage.storage == "vector" and self._places(link)
        ]

    @property
    def equations(self) -> EquationsOfMotion:
        """The equations that are run; built only where the synopsis is not enough."""
        return self.functions.equations

    def _places(self, link: Link) -> list[int]:
        """Indices of a link's coordinates in the state; empty if one of them is omitted and cannot matter."""
        places = self.equations.places
        return [places[k] for k in link.coordinates] if all(k in places for k in link.coordinates) else []

    @cached_property
    def values(self) -> Mapping[Expr, float]:
        """Parameters and constant inputs."""
        return self._read_values()

    @property
    def watches_steps(self) -> bool:
        """True if every step must be checked, as more can go wrong than a large state."""
        return bool(self.watched) or bool(self.pivots)

    @property
    def watches_charts(self) -> bool:
        """Whether orientations are stored in a way that ends somewhere, which long steps might leap over."""
        return bool(self.angle_charts or self.vector_charts)

    @property
    def bound(self) -> float:
        """Size of a state beyond which steps are checked."""
        return HALF_TURN if self.vector_charts else DIVERGED

    def start(self, t: float, x: Floats) -> None:
        """Refuse a first state from which no motion follows."""
        self._check_charts(t, x)
        self._check_constraints(self.watched, t, x)
        self._check_pseudo_velocities(t, x)
        if len(self.synopsis.speeds) > _SMALL:
            return
        if self._is_surely_regular(t, x):
            self._began = t, x.copy(), self.rates.drive.inputs.copy()
        else:
            self._check_mass(t, x)

    def _is_surely_regular(self, t: float, x: Floats) -> bool:
        """Whether the accelerations show that the mass matrix is regular, so that it need not be compiled."""
        functions, point = self.rates.functions, self.rates.operating_point(t, x)
        if _REGULAR.get(functions) != point:
            if not is_surely_regular(self.rates.responses(t, x)):
                return False
            _REGULAR[functions] = point
        return True

    def step(self, t: float, x: Floats, rate: Floats) -> None:
        """Look at the state after an accepted step; what a run follows beside it is left out."""
        x, rate = x[: self.size], rate[: self.size]
        size = float(np.abs(x).max(initial=0.0))
        for link, indices in self.vector_charts:
            if np.abs(x[indices]).max() > HALF_TURN:
                raise _half_turn(t, link)
        if not size <= DIVERGED:
            self.sample(t, x)
            raise self._diverged(t, x)
        if self.watched:
            self._check_constraints(self.watched, t, x)
        self._check_pseudo_velocities(t, x)
        if float(np.abs(rate).max(initial=0.0)) > _SUSPICIOUS * (1.0 + size):
            self._check_charts(t, x)
            self._check_mass(t, x)

    def sample(self, t: float, x: Floats) -> None:
        """Raise where a sampled loop, if there is one, is unstable."""
        drive, synopsis = self.rates.drive, self.synopsis
        if drive.sampled is None or not drive.begun:
            return
        from .control.sampled_law import unstable_loop

        split, end = len(synopsis.coordinates), len(synopsis.coordinates) + len(synopsis.speeds)
        began, sampled = drive.begun[0][2][0], drive.sampled
        speeds = dict(zip(self._names()[split:end], x[split:end].tolist(), strict=True))
        controls = sampled.law.controls[: sampled.count]
        stop = unstable_loop(controls, (began[:split], began[split:end]), t, speeds, sampled.sampling.sample_time)
        if stop is not None:
            raise stop

    def explain(self, t: float, x: Floats, fallback: Stop) -> Stop:
        """The reason behind a failure at this state, if there is one; otherwise the failure itself."""
        x = x[: self.size]
        try:
            self._check_constraints(self.constraints, t, x)
            self._check_charts(t, x)
            self._check_half_turns(t, x)
            self._check_mass(t, x)
            trouble = self.rates.constraint_failure(t, x)
        except Stop as found:
            return found
        except (ArithmeticError, ValueError):
            return fallback
        if trouble:
            return Stop(
                "constraints_lock",
                f"at t = {t:.6g} s {trouble}",
                "The mechanism may be at the end of its reach or at a dead point: drive it otherwise, or stop before.",
            )
        return fallback

    def nonfinite(self, state: NonFinite) -> Stop:
        """The Stop for a right-hand side that is not finite: which entries, and the cause if it can be determined."""
        synopsis = self.synopsis
        names = [*(f"rate of coordinate '{name}'" for name in synopsis.coordinates)]
        names += [f"acceleration of '{name}'" for name in synopsis.speeds]
        names += [f"rate of state '{name}'" for name in synopsis.states]
        x = state.x[: self.size]
        bad = [name for name, value in zip(names, state.rate, strict=False) if not np.isfinite(value)]
        bad = bad or ["derivatives of the motion"]
        if not np.isfinite(x).all():
            return self._diverged(state.t, x)
        law = self.rates.drive.failure(state.t, x)
        if law:
            return Stop("nonfinite", f"at t = {state.t:.6g} s {law}.", "Look for a division by zero in it, or a root.")
        listed = ", ".join(bad[:3]) + (f" and {len(bad) - 3} more" if len(bad) > 3 else "")
        plain = Stop(
            "nonfinite",
            f"at t = {state.t:.6g} s the equations gave no finite number for the {listed}; "
            f"the state there is {self.state_in_words(x)}.",
            "Look for a division by zero, a root or logarithm of a negative number in forces and parameters.",
        )
        return self.explain(state.t, x, plain)

    def state_in_words(self, x: Floats) -> str:
        """Coordinates, speeds and states with their names."""
        entries = [f"{name} = {value:.4g}" for name, value in zip(self._names(), x, strict=True)]
        return ", ".join(entries[:12]) + (" …" if len(entries) > 12 else "")

    def _names(self) -> list[str]:
        from ..expr.spelling import spelled

        return [spelled(x) for x in (*self.equations.q, *self.equations.u, *self.equations.z)]

    # ---- checks ------------------------------------------------------------------------------------------------

    def _at(self, t: float, x: Floats) -> dict[Expr, float]:
        q = zip(self.equations.q, x[: len(self.equations.q)].tolist(), strict=True)
        return {**self.values, self.equations.system.time: t, **dict(q)}

    def known(self, t: float, x: Floats) -> dict[Expr, float]:
        """The values of all symbols at a state."""
        rest = zip((*self.equations.u, *self.equations.z), x[len(self.equations.q) :].tolist(), strict=True)
        return {**self._at(t, x), **dict(rest)}

    def _check_charts(self, t: float, x: Floats) -> None:
        for link, indices in self.vector_charts:
            if np.abs(x[indices]).max() > HALF_TURN:
                raise _half_turn(t, link)
        for i in self.angle_charts:
            margin = self._chart_margin(i, t, x)
            if margin < _CHART_MARGIN:
                raise self._gimbal_lock(i, t, x, margin)

    def _check_half_turns(self, t: float, x: Floats) -> None:
        """Whether a formalism that is written in vector-parameters has come to where a joint has none."""
        formalism = self.equations.formalism
        if formalism not in ("vector_parameter", "vector_newton_euler"):
            return
        from ..expr import as_expr, evaluate

        links = self.equations.tree.links
        left = evaluate([as_expr(1 + sum(link.motion.R[i, i] for i in range(3))) for link in links], self._at(t, x))
        for link, remaining in zip(links, left, strict=True):
            if remaining < _NO_TURN_LEFT:
                raise Stop(
                    "half_turn",
                    f"at t = {t:.6g} s joint '{link.joint}' has turned by π, where the formalism '{formalism}', "
                    f"which is written in tan(θ/2), has no value.",
                    'Derive the equations by another formalism, for example derive("newton_euler").',
                )

    def _check_constraints(self, constraints: Sequence[Constraint], t: float, x: Floats) -> None:
        if not constraints:
            return
        fault = fault_of(self.equations, constraints, self._at(t, x))
        if fault is not None:
            raise Stop(fault.status, f"at t = {t:.6g} s {fault.message}", fault.cure)

    def _check_pseudo_velocities(self, t: float, x: Floats) -> None:
        """Whether the speeds still follow: what is divided by keeps its sign."""
        if not self.pivots:
            return
        from ..expr import evaluate

        pivots = np.array(evaluate(self.pivots, self._at(t, x)))
        if self._signs is None and np.abs(pivots).min() > _CHART_MARGIN * np.abs(pivots).max(initial=1.0):
            self._signs = np.sign(pivots)
        if self._signs is None or (np.sign(pivots) != self._signs).any():
            names = ", ".join(f"'{name}'" for name in self.equations.speeds)
            message = f"at t = {t:.6g} s the pseudo-velocities {names} no longer determine the speeds."
            raise Stop("pseudo_velocities", message, "Choose others, or derive without them.")

    def _chart_margin(self, i: int, t: float, x: Floats) -> float:
        from ..expr import as_expr, evaluate

        _, back = self.equations.tree.stage_kinematics[i]
        rows, columns = back.shape
        numbers = np.array(evaluate(map(as_expr, back.entries()), self._at(t, x))).reshape(rows, columns)
        return float(np.linalg.svd(numbers, compute_uv=False)[-1])

    def _gimbal_lock(self, i: int, t: float, x: Floats, margin: float) -> Stop:
        link = self.equations.tree.links[i]
        worst, largest = self._places(link)[0], -1.0
        for coordinate in self._places(link):
            moved = x.copy()
            moved[coordinate] += 0.1
            change = abs(self._chart_margin(i, t, moved) - margin)
            if change > largest:
                worst, largest = coordinate, change
        name = self.equations.coordinates[worst]
        return Stop(
            "gimbal_lock",
            f"at t = {t:.6g} s joint '{link.joint}' is in gimbal lock: at '{name}' = {x[worst]:.6g} rad its angles no "
            f"longer determine its orientation (margin {margin:.1e}).",
            'Store its orientation as a quaternion: Spherical() or Free() with storage="quaternion".',
        )

    def _check_mass(self, t: float, x: Floats) -> None:
        synopsis = self.synopsis
        if not synopsis.speeds:
            return
        if self.scale is None and self._began is not None:
            self.scale = _scale_of(self._mass_matrix(*self._began))
        M = self._mass_matrix(t, x, self.rates.drive.inputs)
        stop = mass_matrix_stop(M, synopsis.speeds, t, self.scale)
        if stop is not None:
            raise stop
        if not self.notices and (notice := indefinite_notice(M, synopsis.speeds)):
            self.notices.append(notice)
        if self.scale is None:
            # What an inertia is small against is what it was at the start.
            self.scale = _scale_of(M)

    def _mass_matrix(self, t: float, x: Floats, inputs: Floats) -> Floats:
        q = x[: len(self.synopsis.coordinates)]
        return self.functions.mass_matrix(q, t=t, inputs=inputs, parameters=self.rates.given)

    def _diverged(self, t: float, x: Floats) -> Stop:
        names = self._names()
        worst = names[int(np.argmax(np.where(np.isfinite(x), np.abs(x), np.inf)))]
        message = f"at t = {t:.6g} s the motion has left all bounds: '{worst}' exceeds {DIVERGED:.0e}."
        cure = "Use a smaller step or an adaptive method; otherwise a force or controller pumps energy in without end."
        return Stop("diverged", message, cure)


def is_surely_regular(inverse: Floats | None) -> bool:
    """True if the computed inverse proves a mass matrix far from singular; False if it proves nothing."""
    if inverse is None or not np.isfinite(inverse).all() or not (np.diag(inverse) > 0.0).all():
        return False
    scale = np.sqrt(np.diag(inverse))
    scaled = inverse / np.outer(scale, scale)
    if not np.abs(scaled - scaled.T).max(initial=0.0) < _ASYMMETRY:
        return False
    try:
        pivots = np.diag(np.linalg.cholesky(scaled))
    except np.linalg.LinAlgError:
        return False
    # With a trace of n the least moment is above det / e, and the largest below n; mostly that is enough.
    if float(np.prod(pivots)) ** 2 > SURE * np.e * len(pivots):
        return True
    moments = np.linalg.eigvalsh(scaled)
    # M of unit diagonal has a condition number at most n times this one (van der Sluis 1969).
    return bool(moments[0] > SURE * moments[-1])


def _scale_of(M: Floats) -> Floats:
    """Square roots of the diagonal of M."""
    scale: Floats = np.sqrt(np.abs(np.diag(M)))
    return scale


def mass_matrix_stop(M: Floats, speeds: Sequence[str], t: float, scale: Floats | None = None) -> Stop | None:
    """Why a mass matrix cannot be solved with, if so: its condition number and the speeds without inertia."""
    if not np.isfinite(M).all():
        return None
    moments, directions = _moments(M, scale)
    sizes = np.abs(moments)
    # inertia that has grown, as that of an arm which has become long, takes none from other motions
    condition = min(float(sizes.max()), float(len(M))) / float(sizes.min()) if sizes.min() > 0.0 else np.inf
    if condition < _SINGULAR:
        return None
    felt = _speeds_along(directions[:, np.argmin(sizes)], speeds)
    return Stop(
        "singular_mass_matrix",
        f"at t = {t:.6g} s the mass matrix is singular (condition number {condition:.1e}): no inertia resists "
        f"{'a joint motion of' if len(felt) > 1 else 'the motion of'} {', '.join(felt)}.",
        "Give the bodies that move then some inertia, start elsewhere, or store orientations as quaternions.",
    )


def indefinite_notice(M: Floats, speeds: Sequence[str]) -> str:
    """A sentence where the kinetic energy ½ uᵀ M u of some motion is negative; empty where that of none is."""
    moments, directions = _moments(M, None) if len(M) and np.isfinite(M).all() else (np.ones(1), M)
    if moments[0] > -np.abs(moments).max() / _SINGULAR:
        return ""
    names = ", ".join(_speeds_along(directions[:, 0], speeds))
    return (
        f"The mass matrix is indefinite: the kinetic energy of {names} is negative. The motion follows from the "
        "equations as they are; no bodies of positive inertia have them."
    )


def _moments(M: Floats, scale: Floats | None) -> tuple[Floats, Floats]:
    """The eigenvalues of M, least first, with speeds measured by `scale` or by the diagonal; and motions with each."""
    scale = _scale_of(M) if scale is None else scale.copy()
    scale[scale == 0.0] = 1.0
    moments, directions = np.linalg.eigh(M / np.outer(scale, scale))
    return moments, directions / scale[:, None]


def _speeds_along(motion: Floats, speeds: Sequence[str]) -> list[str]:
    """The quoted names of the speeds with a tenth or more of the largest in a motion, six at most."""
    shares = np.abs(motion)
    return [f"'{name}'" for name, share in zip(speeds, shares, strict=True) if share > 0.1 * shares.max()][:6]


def _half_turn(t: float, link: Link) -> Stop:
    return Stop(
        "half_turn",
        f"at t = {t:.6g} s joint '{link.joint}' has turned by π, where its vector-parameter tan(θ/2) has no value.",
        'Store it as an angle: storage="angles".'
        if link.stage.is_vector_turn
        else 'Store its orientation as a quaternion: storage="quaternion".',
    )


# ---- constraints ---------------------------------------------------------------------------------------------


def fault_of(
    equations: EquationsOfMotion, constraints: Iterable[Constraint], values: Mapping[Expr, float]
) -> Fault | None:
    """What is wrong with the first of these constraints that cannot hold where it is; `values` has all symbols."""

    from ..expr import as_expr, evaluate, substitute

    def number(value: Any) -> float:
        return evaluate(substitute([as_expr(value)], equations.tree.followed), values)[0]

    for constraint in constraints:
        if all(q in values for q in constraint.coordinates):
            fault = constraint.fault(number)
            if fault is not None:
                return fault
    return None
