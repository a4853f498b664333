"""The constraints of a run as numbers: what they are, how they change, the projection onto them, what they leave free.

    φ(q, t) = 0,    A(q, t) u + a(q, t) = 0,    A u̇ + γ(q, u, t) = 0

Auxiliary coordinates, which have no inertia, satisfy their definitions ψ(q, t) = 0 whenever others are moved.

All rows enter here, also those that depend on others at some poses: this is slower than native code with independent
rows (`projection`), and works where that code divides by what vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ...compiled.functions import Functions
from ...constraints import Constraints
from ...constraints.factorisation import Factorisation
from ...constraints.newton import solve
from ...constraints.rows import assembly_branches
from ...dynamics.equations import EquationsOfMotion
from ...errors import listed
from ...expr import Expr, evaluate
from ..guard import Stop
from ..initial_state import Floats

#: The indicators of assembly branches of each mechanism, by loop.
_BRANCHES: WeakKeyDictionary[EquationsOfMotion, dict[str, Expr]] = WeakKeyDictionary()
#: Residuals below this, in metres or of sines, are zero.
TOLERANCE = 1e-13
#: What a projection leaves of a residual must be below this.
FAILED = 1e-9
_MOST_STEPS = 12
#: Newton's steps for speeds that keep conditions which are not linear in them.
_NEWTON_STEPS = 60
#: A projection goes on until a residual is as good as zero, or no step helps: near singular poses noise is magnified.
_EXACT = 1e-17
#: Definitions that hold within this are left alone.
_DEFINED = 1e-15
#: How far along the constraints to look for a pose that is not singular.
_ASIDE = 1e-2
_BROKEN = "The mechanism may be at the end of its reach, or two constraints contradict each other from here on."
#: The order in which functions are given their arrays here.
_ARRAYS = ("q", "u", "z", "inputs")


def _compiled(name: str, rows: str = "") -> cached_property[Callable[..., Any]]:
    """A compiled function of a manifold, built on first use; it returns no rows if the attribute `rows` is empty."""

    def compiled(manifold: Manifold) -> Callable[..., Any]:
        return manifold.function(name) if not rows or getattr(manifold, rows) else lambda t, *arrays: np.zeros(0)

    return cached_property(compiled)


class Manifold:
    """The states that satisfy all constraints of a mechanism."""

    def __init__(self, functions: Functions, constraints: Constraints, parameters: Mapping[str, Any] | None) -> None:
        self.functions, self.equations, self.constraints = functions, functions.equations, constraints
        self.names = constraints.names
        self.definitions = list(constraints.definitions)
        self.auxiliary = self.equations.auxiliary_coordinates
        self.positions, self.states, self.parameters = constraints.positions, self.equations.states, parameters
        self.groups = functions.derivation.synopsis.quaternion_groups
        self.scale = np.ones(len(self.names))
        dependent_speeds = self.equations.dependent_speeds
        self.is_embedded = dependent_speeds is not None
        self._movable = None if dependent_speeds is None else list(dependent_speeds.dependent)
        self._ends = len(self.equations.q), len(self.equations.q) + len(self.equations.u)

    values = _compiled("constraint_values", "positions")  # φ(t, q), for the rows on positions
    definition_values = _compiled("definition_values", "definitions")  # ψ(t, q)
    _definition_steps = _compiled("definition_steps")
    rates = _compiled("constraint_rates")  # A u + a at (t, q, u)
    matrix = _compiled("constraint_matrix")  # A at (t, q, u), a column for each speed of the tree
    gamma = _compiled("constraint_bias")  # γ(t, q, u)
    coordinate_rates = _compiled("coordinate_rates")  # q̇ at (t, q, u), for equations with multipliers
    z_rates = _compiled("z_rates", "states")  # ż at (t, q, u, z, inputs), of the first-order states
    _mass = _compiled("mass_matrix")
    _bias = _compiled("bias")
    _kinematics = _compiled("kinematic_matrix")

    def on_wrong_branch(self, t: float, q: Floats) -> list[str]:
        """The closures that are on the wrong assembly branch: an axis against itself, or after half a turn."""
        if self.equations not in _BRANCHES:
            _BRANCHES[self.equations] = assembly_branches(self.equations.system, self.equations.tree)
        branches = _BRANCHES[self.equations]
        off = self.evaluated(list(branches.values()), t, q)
        return [name for name, value in zip(branches, off, strict=True) if value < -1]

    def evaluated(self, entries: Sequence[Expr], t: float, q: Floats) -> list[float]:
        """Expressions of coordinates, time and parameters at a pose."""
        return evaluate(list(entries), self.values_at(t, q))

    def values_at(self, t: float, q: Floats) -> dict[Expr, float]:
        """The values of coordinates, time and parameters at a pose."""
        system = self.equations.system
        values: dict[Expr, float] = {system.time: t, **dict(zip(self.equations.q, q.tolist(), strict=True))}
        for name, entry in system.parameters.items():
            value = (self.parameters or {}).get(name, entry.value)
            if value is not None:
                values[entry.symbol] = float(value)
        return values

    def function(self, name: str) -> Callable[..., Any]:
        """A compiled function of time and of q, u, z, inputs, as many as it takes, with the parameters of the run."""
        native = self.functions.native(name)
        values = self.functions.parameter_values(name, self.parameters)
        ready = native.with_parameters(values) if len(values) else native
        taken = [_ARRAYS.index(array) for array in ready.arrays if array != "t"]
        if "t" not in ready.arrays:
            return lambda t, *arrays: ready(*(arrays[k] for k in taken))
        return lambda t, *arrays: ready(*(arrays[k] for k in taken), np.array([t]))

    def moved(self, t: float, q: Floats, step: Floats) -> Floats:
        """Coordinates after a small displacement δ in units of the tree's speeds: q + Γ(q) δ."""
        return self.with_auxiliary(t, self.unit(q + self._kinematics(t, q) @ step))

    def moved_joints(self, t: float, q: Floats, step: Floats) -> Floats:
        """The same for the joints' coordinates alone; the auxiliary ones stay as they are."""
        new, joint_range = q.copy(), slice(self.auxiliary.start)
        new[joint_range] += self._kinematics(t, q)[joint_range] @ step
        return self.unit(new)

    def unit(self, q: Floats) -> Floats:
        """The same coordinates, in place, with quaternions of unit length."""
        for first, count in self.groups:
            part = q[first : first + count]
            part /= np.sqrt(part.dot(part))
        return q

    def with_auxiliary(self, t: float, q: Floats) -> Floats:
        """The same pose with auxiliary coordinates that satisfy their definitions as well as possible."""
        if not self.definitions:
            return q

        def move(q: Floats, step: Floats) -> Floats:
            new = q.copy()
            new[self.auxiliary] += step
            return self.unit(new)

        return solve(
            partial(self.definition_values, t), lambda q, _: self._definition_steps(t, q), move, q,
            tolerance=_DEFINED, most_steps=_MOST_STEPS, shortest=1e-2, longest=1.0,
        ).q  # fmt: skip

    def set_scale(self, t: float, q: Floats, u: Floats) -> None:
        """Set the scale of each row: its length at this pose and three around it, which need not be assembled."""
        rng = np.random.default_rng(7)
        poses = [q, *(self.moved(t, q, rng.uniform(-0.6, 0.6, len(self.equations.tree.u))) for _ in range(3))]
        lengths = np.max([self.rows(t, pose, u).lengths for pose in poses], axis=0)
        self.scale = np.where(lengths > 0.0, lengths, 1.0)

    def matrix_at_rest(self, t: float, q: Floats) -> Floats:
        """A at a pose; rows that are not linear in the speeds are zero."""
        A: Floats = self.matrix(t, q, np.zeros(self._ends[1] - self._ends[0]))
        A[self.constraints.nonlinear] = 0.0
        return A

    def rows(self, t: float, q: Floats, u: Floats, which: list[int] | None = None) -> Factorisation:
        """The rows of A at a state, or some, in the metric of the masses; embedded, on the dependent speeds alone."""
        A, scale = self.matrix(t, q, u), self.scale
        if which is not None:
            A, scale = A[which], scale[which]
        if self._movable is not None:
            return Factorisation.of(A[:, self._movable], None, scale)
        return Factorisation.of(A, self._mass(t, q), scale)

    def all_rows(self, t: float, q: Floats, u: Floats) -> Factorisation:
        """The rows on all speeds of the tree, embedded or not."""
        return Factorisation.of(self.matrix(t, q, u)) if self.is_embedded else self.rows(t, q, u)

    def row_residuals(self, t: float, q: Floats) -> Floats:
        """φ for each row; 0 for one on the level of speeds."""
        full = np.zeros(len(self.names))
        full[self.positions] = self.values(t, q)
        return full

    def residual(self, t: float, q: Floats) -> Floats:
        """φ for each row, and then ψ for each definition."""
        return np.concatenate([self.row_residuals(t, q), self.definition_values(t, q)])

    def nearest_coordinates(self, t: float, q: Floats, u: Floats) -> tuple[Floats, Floats, Factorisation]:
        """The nearest coordinates that satisfy the constraints, the residual left there, and the rows."""
        latest: list[Any] = [None, None]

        def rows_at(q: Floats) -> Factorisation:
            if latest[0] is not q:
                latest[:] = q, self.rows(t, q, u)
            factorisation: Factorisation = latest[1]
            return factorisation

        def step(q: Floats, left: Floats) -> Floats | None:
            rows = rows_at(q)
            if not np.isfinite(rows.W).all():  # beyond a cusp, or where a closing joint is not defined
                return None
            least = rows.least(-left[: len(self.names)])
            if self._movable is None:
                return least
            full = np.zeros(len(self.equations.tree.u))
            full[self._movable] = least
            return full

        solution = solve(
            partial(self.residual, t), step, partial(self.moved, t), self.with_auxiliary(t, q),
            tolerance=_EXACT, most_steps=_MOST_STEPS,
        )  # fmt: skip
        return solution.q, solution.residual, rows_at(solution.q)

    def nearest_state(self, t: float, x: Floats) -> Floats:
        """The nearest state that satisfies the constraints; a Stop that names the worst row if there is none."""
        q, u, z = self.parts(x)
        q, left, rows = self.nearest_coordinates(t, q, u)
        if np.abs(left).max(initial=0.0) > FAILED:
            (name, size), broken = self.worst(left), f"at t = {t:.6g} s the constraints cannot be kept any longer"
            message = f"{broken}: '{name}' is off by {size:.3g}, and no small motion brings it back."
            raise Stop("constraints_broken", message, _BROKEN)
        if not self.is_embedded:
            is_curved = bool(self.constraints.nonlinear)
            u = self.nearest_speeds(t, q, u) if is_curved else u + rows.least(-self.rates(t, q, u))
        return np.concatenate([q, u, z])

    def nearest_speeds(self, t: float, q: Floats, u: Floats, free: Sequence[int] | None = None) -> Floats:
        """Speeds near u that keep all rows, by Newton's method; only those at the indices `free` change, if given."""
        free = range(len(u)) if free is None else free
        mass = self._mass(t, q)[np.ix_(free, free)]

        def step(u: Floats, left: Floats) -> Floats | None:
            A, change = self.matrix(t, q, u), np.zeros(len(u))
            if not np.isfinite(A).all():
                return None
            change[free] = Factorisation.of(A[:, free], mass).least(-left)
            return change

        rates = partial(self.rates, t, q)
        return solve(rates, step, np.add, u, tolerance=_EXACT, most_steps=_NEWTON_STEPS, shortest=1e-3).q

    def worst(self, residual: Floats) -> tuple[str, float]:
        """The name of the row, or of the definition, that is violated most, and by how much."""
        k = int(np.argmax(np.abs(residual)))
        return [*self.names, *self.definitions][k], float(abs(residual[k]))

    def accelerations(self, t: float, x: Floats, tau: Floats, inputs: Floats) -> Floats:
        """u̇ where rows may depend on each other: M u̇ + bias - τ is a force of the constraints, A u̇ + γ = 0."""
        q, u, z = self.parts(x)
        return self.rows(t, q, u).accelerations(tau - self._bias(t, q, u, z, inputs), self.gamma(t, q, u))

    def multipliers(self, t: float, x: Floats, tau: Floats, inputs: Floats) -> Floats:
        """λ of all rows, of least size where they depend on each other: Aᵀ λ = M u̇ + bias - τ."""
        q, u, z = self.parts(x)
        return self.rows(t, q, u).motion(tau - self._bias(t, q, u, z, inputs), self.gamma(t, q, u))[1]

    def constraint_forces(self, t: float, x: Floats, udot: Floats, tau: Floats, inputs: Floats) -> Floats:
        """M u̇ + bias - τ = Aᵀ λ: what the constraints must provide."""
        q, u, z = self.parts(x)
        return np.asarray(self._mass(t, q) @ udot + self._bias(t, q, u, z, inputs) - tau)

    def parts(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """Coordinates, speeds and first-order states."""
        first, last = self._ends
        return x[:first], x[first:last], x[last:]


# ---- mobility ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Freedom:
    """Independent rows, the degrees of freedom that they leave, and notices for the user."""

    rows: list[int]
    degrees: int
    notices: tuple[str, ...]


def mobility(manifold: Manifold, t: float, q: Floats, u: Floats) -> Freedom:
    """Degrees of freedom at a pose and at poses near it on the constraints: at a singular one the rank is lower."""
    here = manifold.all_rows(t, q, u)
    best, free = here, here.free
    directions: list[Floats] = []
    if here.rank < min(here.A.shape) and free.shape[1]:  # some motions that keep the constraints
        rng = np.random.default_rng(11)
        directions = [free @ rng.standard_normal(free.shape[1]) for _ in range(3)]
        directions += [u] if len(u) == len(free) and np.abs(u).max(initial=0.0) > 0.0 else []
    for direction in directions:
        aside = direction / max(1e-12, float(np.abs(direction).max()))
        near, left, _ = manifold.nearest_coordinates(t, manifold.moved(t, q, _ASIDE * aside), u)
        if np.abs(left).max(initial=0.0) < 1e-10:
            there = manifold.all_rows(t, near, u)
            best = there if there.rank > best.rank else best
    degrees = here.A.shape[1] - best.rank
    notices = redundancy_in_words(manifold, best)
    if here.rank < best.rank:
        notices.append(
            f"the start is a singular pose: for a moment the mechanism has {here.A.shape[1] - here.rank} degrees of "
            f"freedom instead of {degrees}."
        )
    if not degrees:
        locking = list(dict.fromkeys(manifold.constraints.rows[k].of for k in best.chosen))
        names, leave = listed([f"'{name}'" for name in locking]), "leaves" if len(locking) == 1 else "leave"
        notices.append(
            f"the mechanism is locked: {names} {leave} no degree of freedom to its {best.A.shape[1]} speeds, and "
            "nothing but time moves it."
        )
    return Freedom(best.chosen, degrees, tuple(notices))


def redundancy_in_words(manifold: Manifold, rows: Factorisation) -> list[str]:
    """A sentence for each constraint with rows that depend on others."""
    table, notices = manifold.constraints.rows, []
    for of in dict.fromkeys(table[k].of for k in rows.redundant):
        redundant = [k for k in rows.redundant if table[k].of == of]
        sources = sorted({source for k in redundant for source in rows.sources(k)})
        what, whose = (listed([f"'{table[k].name}'" for k in which]) for which in (redundant, sources))
        says, they_say = ("says" if len(which) == 1 else "say" for which in (redundant, sources))
        meaning = f"{says} what {whose} {they_say}" if sources else f"{says} nothing"
        notices.append(f"constraint '{of}' is redundant: {what} {meaning}; its multipliers are those of least size.")
    return notices
