"""What contacts, stops and dry friction carried along a run: forces, slip and modes at its samples, and impulses.

Forces at a sample follow once more from its state: in the mode that the group had, its rows without acceleration
determine them, the least where they are not unique. Where such forces are outside of their cones, those of
least size inside hold as well, and are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import PolhodeError, unknown
from ...model.forces.compliant import CompliantContact, CompliantStop
from ...notebook import Cell, Shown, Table
from ...ode.unilateral.memory import UnilateralMemory
from ...ode.unilateral.record import LAWS
from ...ode.unilateral.transitions import Change
from ..initial_state import Floats
from .mode_forces import RANK, all_rows, held_rows, rows_of

if TYPE_CHECKING:
    from ..trajectory.trajectory import Trajectory

#: Modes in words, by their numbers.
MODES = np.array(["open", "stick", "slip"])
#: The arrays of a change that hold whole numbers.
_WHOLE = dict.fromkeys(("modes", "held", "shared"), np.int64)
#: The accuracy of forces of least size in their cones.
_NEAR = 1e-13
#: Relative to the loads, what forces of least size are off that are found.
_CLOSE = 1e-11


class Impulse(NamedTuple):
    """An impact: its time, normal impulse (positive where it pushes), and tangent impulses, in N·s."""

    t: float
    normal: float
    tangential: Floats


class ContactHistory(NamedTuple):
    """The modes of all groups along a run: element, part, gap rows and tangent rows of each, and what changed."""

    groups: tuple[tuple[str, str, int, int], ...]
    changes: tuple[Change, ...]

    def modes_at(self, times: Floats) -> NDArray[np.int64]:
        """For each time the change that holds there."""
        return np.maximum(0, np.searchsorted([each.t for each in self.changes], times, side="right") - 1)

    @property
    def record(self) -> dict[str, Any]:
        """The history as plain data, for files."""
        changes = [
            {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in each._asdict().items()}
            for each in self.changes
        ]
        return {"groups": [list(each) for each in self.groups], "changes": changes}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> ContactHistory:
        """The history of such a record; ValueError, TypeError or KeyError where it is none."""
        groups = tuple(
            (str(name), str(part), int(gap), int(tangents)) for name, part, gap, tangents in record["groups"]
        )
        changes: list[dict[str, Any]] = [
            {key: np.array(value, _WHOLE.get(key, np.float64)) if isinstance(value, list) else value
             for key, value in each.items()}
            for each in record["changes"]
        ]  # fmt: skip
        if any(len(each["modes"]) != len(groups) for each in changes):
            raise ValueError("a change of contacts has other groups")
        return cls(groups, tuple(Change(**each) for each in changes))


class Occurrence(NamedTuple):
    """What happened to a contact at a time: "impact", "closes", "opens", "sticks", "slips" or "turns"."""

    t: float
    what: str
    name: str


def occurrences(run: Trajectory) -> tuple[Occurrence, ...]:
    """All changes of contacts, stops and dry friction, in their order."""
    made: list[Occurrence] = []
    history: ContactHistory | None = run.info.get("contacts")
    if len(run.t) > 1 or not run.info:
        check_history(run)
    if history is not None:
        names = [f"{name} {part}" if part else name for name, part, *_ in history.groups]
        first = np.cumsum([0, *(gap + tangents for _, _, gap, tangents in history.groups)])
        before: Any = np.zeros(len(names), dtype=np.int64)
        slips: Any = None
        for number, each in enumerate(history.changes):
            for k, name in enumerate(names):
                struck = each.impulses is not None and np.abs(each.impulses[first[k] : first[k + 1]]).max() > 0.0
                made += [Occurrence(each.t, "impact", name)] if struck else []
                was, now = before[k], each.modes[k]
                if now != was and (number or now):
                    is_new = was == 0 and history.groups[k][2]
                    word = "opens" if now == 0 else "closes" if is_new else "sticks" if now == 1 else "slips"
                    made.append(Occurrence(each.t, word, name))
                elif now == 2 and history.groups[k][3] == 1 and each.directions[k, 0] * slips[k, 0] < 0.0:
                    made.append(Occurrence(each.t, "turns", name))
            before, slips = each.modes, each.directions
    return tuple(sorted(made, key=lambda each: each.t))


@dataclass(frozen=True, eq=False, repr=False)
class ContactResult(Shown):
    """A contact, stop or dry friction along a run, by name.

    Arrays have a row a sample, and a column a group where the element has several (`parts`): `gap` in m or rad, inf of
    a part that is beside the face or edge which it can touch, `normal` in N, `tangential` (…, 0 to 2) in N along its
    tangents, `slip` the velocities along these, `mode` "open", "stick" or "slip". `impulses` are its impacts.
    """

    name: str
    parts: tuple[str, ...]
    t: Floats
    gap: Floats
    normal: Floats
    tangential: Floats
    slip: Floats
    mode: NDArray[np.str_]
    impulses: tuple[Impulse, ...]

    def __repr__(self) -> str:
        return f"ContactResult('{self.name}': {len(self.t)} samples, {len(self.impulses)} impacts)"

    def _cell(self) -> Cell:
        modes = self.mode.reshape(len(self.t), -1)
        forces, gaps = self.normal.reshape(len(self.t), -1), self.gap.reshape(len(self.t), -1)
        rows = [
            (part or self.name, *(f"{np.mean(modes[:, k] == word):.3g}" for word in MODES), f"{forces[:, k].max():.6g}",
             f"{gaps[:, k].min():.3g}")
            for k, part in enumerate(self.parts)
        ]  # fmt: skip
        head = ["part", *(f"{word}, part of samples" for word in MODES), "largest normal force", "least gap"]
        return Cell(f"contact '{self.name}': {len(self.impulses)} impacts", [Table(head, rows, numbers_from=1)])


def check_history(run: Trajectory) -> None:
    """Raise if a run whose mechanism has contacts, or is not known, has no history of them."""
    has_contacts = not run.info if run.functions is None else bool(run.functions.derivation.synopsis.contacts)
    if run.info.get("contacts") is None and has_contacts:
        message = "this run has no history of its contacts: text in columns (CSV) does not hold it."
        cure = "Keep the run with save, as .npz."
        if _ended_at_its_start(run):
            message, cure = f"nothing is known of contacts, as the run ended at its start: {run.message}", ""
        elif len(run.t) == 1:
            message, cure = "a run without a duration has no modes of contacts.", "Simulate longer than 0 s."
        raise PolhodeError(message, "contact", cure, "E-TRAJECTORY-MISSING")


def _ended_at_its_start(run: Trajectory) -> bool:
    return len(run.t) == 1 and not run.is_whole and run.info.get("contacts") is None


def contact_along(run: Trajectory, name: str) -> ContactResult:
    """A contact, stop or dry friction along a run."""
    history: ContactHistory | None = run.info.get("contacts")
    if isinstance(load := _loads_of(run).get(name), CompliantContact | CompliantStop):
        return _compliant(run, load)
    check_history(run)
    names = list(run.contact_names)
    if name not in names and run.functions is not None and name in run.functions.derivation.model.contacts:
        message = "its joint moves as it is prescribed: the drive carries this friction, as a force."
        cure = "Take run.driving_force of the joint."
        raise PolhodeError(message, f"contact '{name}'", cure, "E-TRAJECTORY-MISSING")
    if name in _loads_of(run):
        message = "it is a force along the motion, without modes and impacts."
        cure = "Its power is in run.power_audit()."
        raise PolhodeError(message, f"contact '{name}'", cure, "E-TRAJECTORY-UNSUPPORTED")
    if history is None:
        message = "this run has no contacts, stops or dry friction."
        raise PolhodeError(message, "contact", "Add them to the system, and run it.", "E-TRAJECTORY-MISSING")
    if name not in names:
        raise unknown("contact", name, names, code="E-TRAJECTORY-NAME")
    forces = run._contact_forces
    groups = [k for k, each in enumerate(history.groups) if each[0] == name]
    rows = [forces.rows_of(k) for k in groups]
    tangents = history.groups[groups[0]][3]

    def parted(columns: Sequence[Any]) -> Any:
        return columns[0] if len(columns) == 1 else np.stack(columns, axis=1)

    nothing = np.zeros(len(run.t))
    has_gap = [bool(history.groups[k][2]) for k in groups]
    beside = (forces.margins < 0.0) & (forces.modes == 0)
    gaps = np.where(beside, np.inf, forces.gaps)
    gap = [gaps[:, k] if is_one else nothing for k, is_one in zip(groups, has_gap, strict=True)]
    normal = [forces.forces[:, r.start] if is_one else nothing for r, is_one in zip(rows, has_gap, strict=True)]
    across = [slice(r.stop - tangents, r.stop) for r in rows]
    impulses = [
        Impulse(each.t, float(each.impulses[r.start]), each.impulses[a].copy())
        for each in history.changes if each.impulses is not None
        for r, a in zip(rows, across, strict=True) if np.abs(each.impulses[r]).max(initial=0.0) > 0.0
    ]  # fmt: skip
    return ContactResult(
        name, tuple(history.groups[k][1] for k in groups), run.t, parted(gap), parted(normal),
        parted([forces.forces[:, a] for a in across]), parted([forces.velocities[:, a] for a in across]),
        MODES[parted([forces.modes[:, k] for k in groups])], tuple(impulses),
    )  # fmt: skip


def _loads_of(run: Trajectory) -> dict[str, Any]:
    """The forces of the model that have names."""
    return {} if run.functions is None else {load.name: load for load in run.functions.derivation.model.loads}


def _compliant(run: Trajectory, element: CompliantContact | CompliantStop) -> ContactResult:
    """A compliant contact or stop, which slips where it pushes."""
    pushes = element.pushes(run.mechanism.derivation.model)
    rows = [(each.gap, each.normal, each.margin, *each.friction, *each.slip) for each in pushes]
    values = np.moveaxis(run.values(*(x for row in rows for x in row)).reshape(len(rows), -1, len(run.t)), 2, 0)
    gap, normal, margin = (values[:, :, k] for k in range(3))
    across, slip = np.split(values[:, :, 3:], 2, axis=2)
    gap = np.where(margin < 0.0, np.inf, gap)
    arrays: Any = gap, normal, across, slip, np.where(normal > 0.0, "slip", "open")
    gap, normal, across, slip, mode = (each[:, 0] for each in arrays) if len(rows) == 1 else arrays
    return ContactResult(
        element.name, tuple(each.part for each in pushes), run.t, gap, normal, across, slip, mode, ()
    )  # fmt: skip


def columns_of_contacts(run: Trajectory, names: str | Sequence[str]) -> Iterator[tuple[str, str, str, Floats]]:
    """Quantity, element and part, unit and values: gap, normal, tangential_1, slip_1, …, mode (0, 1 stick, 2 slip).

    Nothing of a run that was refused at its start.
    """
    for name in () if _ended_at_its_start(run) else names_in(names):
        found, (length, force, speed) = contact_along(run, name), units_of_contact(run, name)
        has_gap = name in _loads_of(run) or any(g for owner, _, g, _ in run.info["contacts"].groups if owner == name)
        for k, part in enumerate(found.parts):
            label = f"{name} {part}" if part else name
            columns: Any = found.gap, found.normal, found.tangential, found.slip, found.mode
            gaps, normal, across, slip, mode = columns if len(found.parts) == 1 else (each[:, k] for each in columns)
            if has_gap:
                yield "gap", label, length, gaps
                yield "normal", label, force, normal
            for i, (tangential, velocity) in enumerate(zip(across.T, slip.T, strict=True), start=1):
                yield f"tangential_{i}", label, force, tangential
                yield f"slip_{i}", label, speed, velocity
            yield "mode", label, "", np.argmax(mode[:, None] == MODES, axis=1).astype(np.float64)


def names_in(names: str | Sequence[str]) -> list[str]:
    """A name, or several, each once."""
    return [names] if isinstance(names, str) else list(dict.fromkeys(names))


def of_all_parts(contact: ContactResult, word: str) -> Floats:
    """The least "gap", the sum of "normal" or "friction", the fastest "slip" or the largest "mode" of the parts."""
    size = (len(contact.t), len(contact.parts))
    if word in ("gap", "normal"):
        values = (contact.gap if word == "gap" else contact.normal).reshape(size)
        return np.asarray(values.min(axis=1) if word == "gap" else values.sum(axis=1))
    if word == "mode":
        return np.asarray(np.argmax(contact.mode.reshape(size)[..., None] == MODES, axis=-1).max(axis=1), np.float64)
    across = np.linalg.norm(contact.tangential if word == "friction" else contact.slip, axis=-1).reshape(size)
    return np.asarray(across.sum(axis=1) if word == "friction" else across.max(axis=1))


def units_of_contact(run: Trajectory, name: str) -> tuple[str, str, str]:
    """Units of gap, forces and slip of a contact, stop or dry friction."""
    element: Any = {**_loads_of(run), **run.mechanism.derivation.model.contacts}[name]
    if element.kind not in ("contact", "compliant_contact"):
        joint = run.mechanism.derivation.model.joints[element.joint]
        unit = joint.units[joint.u[element.index] if element.kind == "friction" else joint.q[element.index]]
        if unit.startswith("rad"):
            return "rad", "N·m", "rad/s"
    return "m", "N", "m/s"


class Forces:
    """Forces of all rows at the samples of a run."""

    def __init__(self, run: Trajectory, history: ContactHistory) -> None:
        self.run, self.history = run, history
        functions = run.mechanism
        known = functions.derivation.synopsis
        if history.groups != known.contacts:
            message = "its contacts, stops and dry friction are not those of the mechanism."
            cure = "Give the equations that were run."
            raise PolhodeError(message, "contacts of the run", cure, "E-TRAJECTORY-UNSUPPORTED")
        self.count = len(history.groups)
        self._slices = rows_of(history.groups)
        self.size, n = self._slices[-1].stop, len(known.speeds)
        of = "kept_contact_motion" if known.is_constrained else "contact_motion"
        made = functions.native(of).with_parameters(functions.parameter_values(of, run.parameters))
        given = {
            "x": run.x, "tau": run.tau, "inputs": run.inputs, "t": run.t[:, None],
            "alpha": np.zeros((len(run.t), 1)),
        }  # fmt: skip
        put = dict(zip(made.outputs, made(*(np.ascontiguousarray(given[name]) for name in made.arrays)), strict=True))
        found = all_rows(put, known)
        samples = len(run.t)
        self.gaps, self.velocities, self.margins = found["gaps"], found["velocities"], found["margins"]
        self.laws = found["laws"].reshape(samples, self.count, LAWS)
        self.rows, self.responses = (found[name].reshape(samples, self.size, n) for name in ("rows", "responses"))
        first = len(known.coordinates)
        self.free_rates = found["xdot"][:, first : first + n]
        self.free = np.einsum("tij,tj->ti", self.rows, self.free_rates) + found["drift"]
        self.G = np.einsum("tij,tkj->tik", self.rows, self.responses)
        sizes = [(gap, tangents) for _, _, gap, tangents in history.groups]
        self._memory = UnilateralMemory(sizes, first, n, run.x.shape[1])
        self.at = history.modes_at(run.t)
        self.modes = np.array([history.changes[k].modes for k in self.at])

    def rows_of(self, k: int) -> slice:
        """The rows of a group."""
        return self._slices[k]

    @cached_property
    def forces(self) -> Floats:
        """λ, a row a sample."""
        made = np.zeros((len(self.run.t), self.size))
        x = self.run.x
        for k in range(len(self.run.t)):
            is_alike = k > 0 and self.at[k] == self.at[k - 1] and np.array_equal(self.free[k], self.free[k - 1])
            made[k] = made[k - 1] if is_alike and np.array_equal(x[k], x[k - 1]) else self._at(k)
        return made

    @cached_property
    def accelerations(self) -> Floats:
        """u̇, a row a sample."""
        return np.asarray(self.free_rates + np.einsum("ti,tij->tj", self.forces, self.responses))

    def _at(self, sample: int) -> Floats:
        change = self.history.changes[self.at[sample]]
        force = self._memory.forces_at(
            float(self.run.t[sample]), change, self.G[sample], self.free[sample], self.velocities[sample],
            self.laws[sample],
        )  # fmt: skip
        return self._in_cones(sample, change, force) if change.shared.any() else force

    def _in_cones(self, sample: int, change: Change, force: Floats) -> Floats:
        """The least forces in their cones with the same accelerations: P(Qᵀν) with Q P(Qᵀν) = Q λ, P the projection."""
        from scipy.optimize import root

        sticking = [k for k in range(self.count) if change.modes[k] == 1]
        own = [i for k in sticking for i in range(self.rows_of(k).start, self.rows_of(k).stop)]
        G = self.G[sample][np.ix_(held_rows(self.history.groups, change.modes), own)]
        _, singular, vt = np.linalg.svd(G)
        Q = vt[: int((singular > RANK * singular.max(initial=0.0)).sum())]
        if len(Q) == len(own):  # no others have the same accelerations
            return force
        target, made = Q @ force[own], force.copy()
        size = max(float(np.abs(target).max()), 1e-300)

        def off(nu: Floats) -> Floats:
            return np.asarray(Q @ self._projected(sample, sticking, size * (nu @ Q)) / size - target / size)

        nu = target / size
        for method in ("lm", "hybr", "df-sane"):  # at the edges of cones some stop early
            if np.abs(off(nu)).max() <= _CLOSE:
                break
            with np.errstate(divide="ignore", invalid="ignore"):  # what fails is not taken
                found = root(off, target / size, method=method, tol=_NEAR).x
            nu = found if np.abs(off(found)).max() < np.abs(off(nu)).max() else nu
        x = self._projected(sample, sticking, size * (nu @ Q))
        made[own] = x - (Q @ x - target) @ Q
        return made

    def _projected(self, sample: int, sticking: Sequence[int], force: Floats) -> Floats:
        """Forces of sticking groups projected onto their cones."""
        made, first = force.copy(), 0
        for k in sticking:
            _, _, gap, tangents = self.history.groups[k]
            static = self.laws[sample, k, 1]
            across = slice(first + gap, first + gap + tangents)
            size = float(np.linalg.norm(force[across]))
            if not gap:
                made[across] *= min(1.0, static / size) if size > 0.0 else 1.0
            elif size > static * force[first] or force[first] < 0.0:
                along = (force[first] + static * size) / (1.0 + static**2)
                made[first] = max(along, 0.0)
                made[across] *= static * made[first] / size if size > 0.0 else 1.0
            first += gap + tangents
        return made
