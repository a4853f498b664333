"""Assembly: a state that satisfies all constraints, from one that does nearly, or hardly at all.

Coordinates move as little as they can: those that the user gave only if the others alone cannot do it, and then a
hundred times less readily; those that are held not at all. Speeds that the user gave stay as they are where the others
can follow.

Auxiliary coordinates follow all others. One that the user gave says where the others should be: the arc parameter of a
bead on its wire tells where the bead is. With σ as given, the joints' coordinates are moved until φ(q, σ) = 0 and
ψ(q, σ) = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...constraints.factorisation import Factorisation
from ...constraints.newton import solve
from ...errors import PolhodeError, listed
from ...notebook import Told
from ..guard import fault_of
from ..initial_state import Floats, InitialState, initial_state
from ..settings import check_held
from .manifold import FAILED, TOLERANCE, Freedom, Manifold, mobility

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation

#: How much less readily a given coordinate moves than another.
_GIVEN = 100.0
#: The same of a flexible body that needed not bend.
_BENT = 1e6
_MOST_STEPS = 60
#: Starts to try before giving up: as given, and perturbed more and more.
_TRIALS = 12
#: Starts to seek auxiliary coordinates from, besides their given values.
_AUXILIARY_TRIALS = 16
#: Steps to move joints to where given auxiliary coordinates say, and the displacement that slopes are taken over, in
#: radians or metres.
_JOINT_STEPS, _ASIDE = 40, 1e-6
#: Below this part of their usual size the derivatives of a row by the speeds are none.
_FLAT = 1e-3
#: A coordinate that moved by less is not worth a word.
_WORTH_A_WORD = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Assembly(Told):
    """A consistent state, what moved to get there, and the degrees of freedom that are left; z is as it was given.

    `moved` and `changed` say for each coordinate and speed that is not where it was given: from where, and to where.

    >>> import polhode as ph
    >>> s = ph.System("two carts")
    >>> a = s.joint("a", s.ground, s.body("A", 1), ph.Prismatic("x"))
    >>> b = s.joint("b", s.ground, s.body("B", 1), ph.Prismatic("x"))
    >>> _ = s.constrain(a.q[0] - 2 * b.q[0])
    >>> found = s.derive().assemble({"a": 2}, hold=["a"])
    >>> found.q.round(9).tolist(), found.notices
    ([2.0, 1.0], ("to keep the constraints at the start 'b' from 0 to 1 moved.",))
    """

    q: Floats
    u: Floats
    moved: Mapping[str, tuple[float, float]]
    changed: Mapping[str, tuple[float, float]]
    freedom: Freedom
    notices: tuple[str, ...] = ()
    z: Floats = field(default_factory=lambda: np.zeros(0))

    def warnings(self, start: InitialState) -> list[str]:
        """Warnings of given coordinates and speeds that assembly changed."""
        moved = {name: ends for name, ends in self.moved.items() if name in start.given and _is_far(ends)}
        changed = {name: ends for name, ends in self.changed.items() if name in start.given_speeds and _is_far(ends)}
        warnings = [f"to keep the constraints {_in_words(moved)} moved from where it was given."] if moved else []
        speeds = f"to keep the constraints the given speeds {_in_words(changed)} changed."
        return [*warnings, speeds] if changed else warnings

    def __str__(self) -> str:
        return "\n".join(self.notices) or "nothing had to move."


def assemble(
    derivation: Derivation,
    start: Any = None,
    speeds: Any = None,
    *,
    hold: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    time: float = 0.0,
) -> Assembly:
    """A state that keeps the constraints, near the given one."""
    check_held(hold, "assemble", derivation.synopsis.coordinates)
    functions = Functions(derivation)
    equations = derivation.equations
    functions.values_of((), parameters)  # raises if a value is wrong, with constraints or without
    begin = initial_state(derivation, start, speeds, parameters)
    if equations.constraints is None or not equations.constraints.rows:
        return Assembly(begin.q, begin.u, {}, {}, Freedom([], len(equations.u), ()), begin.notices, begin.z)
    return assembled(Manifold(functions, equations.constraints, parameters), begin, hold, time)


def assembled(manifold: Manifold, start: InitialState, hold: Sequence[str] = (), t: float = 0.0) -> Assembly:
    """The same, for constraints whose numbers are at hand."""
    equations = manifold.equations
    q = _positions(manifold, start, hold, t)
    A = manifold.matrix(t, q, start.u)
    defined = np.isfinite(A).all(axis=1)  # a wheel that lies flat has no rows, nor gimbal lock
    defined[manifold.constraints.nonlinear] = True  # at other speeds they may be
    if not defined.all():
        place = f"constraint '{manifold.constraints.rows[int(np.argmin(defined))].of}'"
        cure = "Start somewhere else; in a joint that closes a loop write three turns as one Spherical()."
        raise PolhodeError("it is not defined at this pose, which keeps it.", place, cure, "E-CONSTRAINT-SINGULAR")
    fault = fault_of(equations, equations.system.constraints.values(), manifold.values_at(t, q))
    if fault is not None:
        raise PolhodeError(fault.message, place="start", cure=fault.cure, code="E-CONSTRAINT-FAILED")
    rotors = start.rotors.beside(A, equations.tree.speeds)
    q = q.copy()
    rotors.place(q)
    is_curved = bool(manifold.constraints.nonlinear)
    u = _speeds_by_newton(manifold, start, q, t) if is_curved else start.u
    manifold.set_scale(t, q, u)
    left = mobility(manifold, t, q, u)
    if not is_curved:
        u = start.u.copy() if manifold.is_embedded else _speeds(manifold, start, q, t)
    rotors.turn(u)
    if not left.degrees and len(start.given_speeds) and not np.allclose(u, start.u, atol=_WORTH_A_WORD):
        message = f"{left.notices[-1]} It cannot start with the speed given for '{start.given_speeds[0]}'."
        raise PolhodeError(message, "start", "Remove a constraint, or start at rest.", "E-CONSTRAINT-FAILED")
    silent = {*equations.coordinates[manifold.auxiliary]} - {*start.given}
    moved = {name: ends for name, ends in _differences(equations.coordinates, start.q, q).items() if name not in silent}
    changed = _differences(equations.speeds, start.u, u)
    notices = [*start.notices, *left.notices]
    if moved:
        notices.append(f"to keep the constraints at the start {_in_words(moved)} moved.")
    if changed:
        notices.append(f"to keep the constraints at the start the speeds {_in_words(changed)} changed.")
    return Assembly(q, u, moved, changed, left, tuple(notices), start.z)


def _differences(names: Sequence[str], before: Floats, after: Floats) -> dict[str, tuple[float, float]]:
    rows = zip(names, before.tolist(), after.tolist(), strict=True)
    return {name: (old, new) for name, old, new in rows if abs(new - old) > _WORTH_A_WORD}


def _is_far(ends: tuple[float, float]) -> bool:
    return abs(ends[1] - ends[0]) > 1e-6


def _in_words(moved: Mapping[str, tuple[float, float]]) -> str:
    return listed([f"'{name}' from {old:.6g} to {new:.6g}" for name, (old, new) in moved.items()], most=8)


# ---- positions -----------------------------------------------------------------------------------------------


def _positions(manifold: Manifold, start: InitialState, hold: Sequence[str], t: float) -> Floats:
    begin = _auxiliary_solved(manifold, _initial_coordinates(manifold, start, t), start.given, t)
    left = manifold.residual(t, begin)
    if np.abs(left).max(initial=0.0) <= TOLERANCE and not manifold.on_wrong_branch(t, begin):
        return begin
    nearest, smallest = begin, left
    for gives_way in (False, True):  # first the given coordinates stay, then they give way a little
        weights = weights_of(manifold, start, hold, gives_way, np.inf)
        q, left = _search(manifold, begin, weights, start.given, t)
        if np.abs(left).max() <= FAILED and not manifold.on_wrong_branch(t, q):
            return q
        if np.abs(left).max() < np.abs(smallest).max():
            nearest, smallest = q, left
        if np.isfinite(weights).all():
            break
    wrong = manifold.on_wrong_branch(t, nearest)
    if wrong and np.abs(smallest).max() <= FAILED:
        message = f"closure '{wrong[0]}' closes only the wrong way round from here: its axes point against each other."
        cure = "Start nearer to where it closes, or turn one of its frames by half a turn."
        raise PolhodeError(message, "start", cure, "E-CONSTRAINT-FAILED")
    name, size = manifold.worst(smallest)
    pose = listed([f"{n} = {v:.4g}" for n, v in zip(manifold.equations.coordinates, nearest, strict=True)], most=12)
    failed = f"the mechanism cannot be assembled{f' with {listed(map(repr, hold))} held' if hold else ''}"
    message = f"{failed}: at the nearest pose found, {pose}, '{name}' is still off by {size:.3g}."
    cure = "Check lengths and where the joints are, hold fewer coordinates, or start nearer to an assembled pose."
    raise PolhodeError(message, "start", cure, "E-CONSTRAINT-FAILED")


def _auxiliary_solved(manifold: Manifold, q: Floats, given: Sequence[str], t: float) -> Floats:
    """The same pose, with auxiliary coordinates that fit best, sought from where they are and all around."""
    best = manifold.with_auxiliary(t, q)
    names = manifold.equations.coordinates[manifold.auxiliary]
    settled = {*given, *(q.name for x in manifold.equations.tree.auxiliary if x.guess for q in x.symbols)}
    loose = np.flatnonzero([name not in settled for name in names]) + manifold.auxiliary.start
    if not len(loose):
        return best
    rng = np.random.default_rng(3)
    least = _misfit(manifold, best, t)
    for _ in range(_AUXILIARY_TRIALS):
        if least <= FAILED:
            break
        trial = q.copy()
        trial[loose] += rng.uniform(-np.pi, np.pi, len(loose))
        trial = manifold.with_auxiliary(t, trial)
        misfit = _misfit(manifold, trial, t)
        if misfit < least:
            best, least = trial, misfit
    return best


def _misfit(manifold: Manifold, q: Floats, t: float) -> float:
    """The largest residual of a pose; a little more where rows are not defined, infinite on a wrong assembly branch."""
    left = float(np.abs(manifold.residual(t, q)).max(initial=0.0))
    if not np.isfinite(left) or manifold.on_wrong_branch(t, q):
        return np.inf
    return left if np.isfinite(manifold.matrix_at_rest(t, q)).all() else left + 2 * FAILED


def _search(
    manifold: Manifold, start: Floats, weights: Floats, given: Sequence[str], t: float
) -> tuple[Floats, Floats]:
    """Solve from the start, then from random perturbations of it of growing size; return q and what is left of φ."""
    rng = np.random.default_rng(5)
    best, smallest = start, manifold.residual(t, start)
    for trial in range(_TRIALS):
        perturbation = np.where(np.isfinite(weights), rng.standard_normal(len(weights)) * 0.1 * trial / weights, 0.0)
        begin = _auxiliary_solved(manifold, manifold.moved(t, start, perturbation), given, t) if trial else start
        q, left = _solved(manifold, begin, weights, t)
        if np.abs(left).max() < np.abs(smallest).max():
            best, smallest = q, left
        if np.abs(left).max() <= FAILED and not manifold.on_wrong_branch(t, q):
            return q, left
        if not np.isfinite(weights).any():
            break
    return best, smallest


def weights_of(
    manifold: Manifold, start: InitialState, hold: Sequence[str], gives_way: bool, elastic: float = _BENT
) -> Floats:
    """The weight of each speed's displacement: 1, more for given coordinates that give way, infinite if they stay."""
    tree, coordinates = manifold.equations.tree, manifold.equations.coordinates
    following = [name for name in hold if name in coordinates[manifold.auxiliary]]
    if following:
        message = f"'{following[0]}' follows from the other coordinates and cannot be held."
        cure = "Hold a coordinate of a joint, or keep an expression at zero with constrain."
        raise PolhodeError(message, "start", cure, "E-CONSTRAINT-DEPENDENCE")
    weights, given_weight, elastic = np.ones(len(tree.u)), *((_GIVEN, _GIVEN) if gives_way else (np.inf, elastic))
    some = len(start.given) > 0 and not {*coordinates[: manifold.auxiliary.start]} <= {*start.given}
    for link in tree.links:
        if link.stage.is_elastic:  # a body stays bent as it is, unless only that can keep the constraints
            held = [tree.coordinates[k] in hold for k in link.coordinates]
            weights[list(link.speeds)] = np.where(held, np.inf, elastic)
            continue
        names = {tree.coordinates[k] for k in link.coordinates}
        alone = len(link.coordinates) == len(link.speeds) == 1 or names <= {*hold} or names <= {*start.given}
        for speed in link.speeds if link.coordinates and alone else ():
            if names & {*hold}:
                weights[speed] = np.inf
            elif some and names & {*start.given}:
                weights[speed] = given_weight
    return weights


def _solved(manifold: Manifold, q: Floats, weights: Floats, t: float) -> tuple[Floats, Floats]:
    """Steps of least weighted size that answer φ; no joint turns by more than a radian at once."""
    free = np.flatnonzero(np.isfinite(weights))
    metric = None if (weights[free] == 1.0).all() else np.diag(weights[free] ** 2)

    def step(q: Floats, left: Floats) -> Floats | None:
        A = manifold.matrix_at_rest(t, q)
        if not len(free) or not np.isfinite(A).all():
            return None
        full_step = np.zeros(len(weights))
        full_step[free] = Factorisation.of(A[:, free], metric).least(-left[: len(manifold.names)])
        return full_step

    solution = solve(
        partial(manifold.residual, t), step, partial(manifold.moved, t), q,
        tolerance=TOLERANCE, most_steps=_MOST_STEPS, shortest=1e-6, longest=1.0,
    )  # fmt: skip
    return solution.q, solution.residual


# ---- speeds --------------------------------------------------------------------------------------------------


def _speeds(manifold: Manifold, start: InitialState, q: Floats, t: float) -> Floats:
    """Speeds with A u + a = 0: the given ones if the others can satisfy the rows, otherwise the nearest."""
    names = manifold.equations.speeds
    rows = manifold.rows(t, q, start.u)
    rest = manifold.rates(t, q, np.zeros(len(names)))
    lost = rows.residual(-rest)
    if np.abs(lost).max(initial=0.0) > FAILED * (1.0 + np.abs(rest).max(initial=0.0)):
        table, worst = manifold.constraints.rows, int(np.argmax(np.abs(lost)))
        rivals = [table[k].name for k in range(len(table)) if k != worst and abs(rows.W[k] @ rows.W[worst]) > 1e-9]
        against = listed([f"'{name}'" for name in rivals]) or "the tree"
        message = f"no speeds keep all constraints: '{table[worst].name}' contradicts {against} (by "
        cure, place = "Remove one of them, or prescribe the same motion by both.", f"constraint '{table[worst].of}'"
        raise PolhodeError(f"{message}{abs(lost[worst]):.3g}).", place, cure, "E-CONSTRAINT-FAILED")
    given_indices = [k for k, name in enumerate(names) if name in start.given_speeds]
    if given_indices and len(given_indices) < len(names):
        others = [k for k in range(len(names)) if k not in given_indices]
        mass = None if rows.L is None else (rows.L @ rows.L.T)[np.ix_(others, others)]
        following = Factorisation.of(rows.A[:, others], mass, rows.scale)
        wanted = -(rest + rows.A[:, given_indices] @ start.u[given_indices])
        if np.abs(following.residual(wanted)).max(initial=0.0) <= FAILED * (1.0 + np.abs(wanted).max(initial=0.0)):
            u = start.u.copy()
            u[others] = following.least(wanted)
            return u
    u = start.u + rows.least(-manifold.rates(t, q, start.u))
    return np.asarray(u + rows.least(-manifold.rates(t, q, u)))


def _speeds_by_newton(manifold: Manifold, start: InitialState, q: Floats, t: float) -> Floats:
    """The same where rows are not linear in the speeds; the given speeds choose among several answers."""
    every = range(len(start.u))
    others = [k for k in every if manifold.equations.speeds[k] not in start.given_speeds]
    size = max(1.0, float(np.abs(start.u).max(initial=0.0)))
    least, worst = np.inf, ""
    for free in (others, every) if others else (every,):
        for aside in (0.0, size, -size):  # where they are zero, their slopes may be
            begin = start.u.copy()
            begin[free] += aside / np.arange(1, len(free) + 1)
            u = manifold.nearest_speeds(t, q, begin, free)
            off = manifold.rates(t, q, u)
            left = float(np.abs(off).max())
            if left <= FAILED * size:
                _check_slopes(manifold, q, u, t)
                return u
            if left < least:
                least, worst = left, manifold.worst(off)[0]
    message = f"no speeds were found that keep all constraints: at the nearest, '{worst}' is still off by {least:.3g}."
    raise PolhodeError(message, "start", "Give speeds that nearly keep them: speeds={…}.", "E-CONSTRAINT-FAILED")


def _check_slopes(manifold: Manifold, q: Floats, u: Floats, t: float) -> None:
    """Refuse speeds at which a row has no slope beside that at speeds around them: no force follows from it."""
    aside = 0.1 * np.abs(u).max(initial=0.0) / np.arange(1, len(u) + 1)
    slopes, usual = (np.abs(manifold.matrix(t, q, speeds)).max(axis=1) for speeds in (u, u + aside))
    flat = [k for k in manifold.constraints.nonlinear if not slopes[k] > _FLAT * usual[k]]
    if flat:
        message = "its derivative by the speeds vanishes or has no value at the start: no force keeps it there."
        place, cure = f"constraint '{manifold.constraints.rows[flat[0]].of}'", "Start with other speeds: speeds={…}."
        raise PolhodeError(message, place, cure, "E-CONSTRAINT-SINGULAR")


# ---- auxiliary coordinates -----------------------------------------------------------------------------------


def _initial_coordinates(manifold: Manifold, start: InitialState, t: float) -> Floats:
    """Coordinates to begin with: auxiliary ones as guessed where not given, joints where given auxiliary ones say."""
    q = start.q.copy()
    owners: list[str] = []
    first = manifold.auxiliary.start
    for auxiliary in manifold.equations.tree.auxiliary:
        span = slice(first, first + len(auxiliary.symbols))
        first = span.stop
        if {*manifold.equations.coordinates[span]} <= {*start.given}:
            owners.append(auxiliary.of)
        elif auxiliary.guess:
            q[span] = manifold.evaluated(list(auxiliary.guess), t, q)
    return _joints_moved(manifold, q, start, owners, t) if owners else q


def _joints_moved(manifold: Manifold, q: Floats, start: InitialState, constraints: list[str], t: float) -> Floats:
    """Joints that were not given, moved until the constraints hold with the auxiliary coordinates as given."""
    tree = manifold.equations.tree
    free = [
        speed
        for link in tree.links
        if not {tree.coordinates[k] for k in link.coordinates} <= {*start.given}
        for speed in link.speeds
    ]
    owners = [row.of for row in manifold.constraints.rows]
    owners += [auxiliary.of for auxiliary in tree.auxiliary for _ in auxiliary.definitions]
    rows = [k for k, owner in enumerate(owners) if owner in constraints]

    def slope(q: Floats, speed: int) -> Floats:
        """∂(φ, ψ)/∂(displacement of a speed), auxiliary coordinates fixed, by central differences."""
        aside = np.zeros(len(tree.u))
        aside[speed] = _ASIDE
        ends = [manifold.residual(t, manifold.moved_joints(t, q, sign * aside))[rows] for sign in (1.0, -1.0)]
        return np.asarray((ends[0] - ends[1]) / (2.0 * _ASIDE))

    def step(q: Floats, left: Floats) -> Floats | None:
        if not free or not np.isfinite(left).all():
            return None
        full_step = np.zeros(len(tree.u))
        full_step[free] = Factorisation.of(np.column_stack([slope(q, speed) for speed in free])).least(-left)
        return full_step

    return solve(
        lambda q: manifold.residual(t, q)[rows], step, partial(manifold.moved_joints, t), q,
        tolerance=TOLERANCE, most_steps=_JOINT_STEPS, shortest=1e-3,
    ).q  # fmt: skip
