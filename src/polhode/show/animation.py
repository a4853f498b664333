"""A trajectory as a page: the mechanism moving, and what moves it over time.

Arrows on a page: the forces that act, what joints and constraints carry, angular velocities, momentum.

    "forces"              every force element at the point where it acts
    "reactions"           the force of every joint and constraint, on the body that it carries
    "angular velocity"    of every body, at its mass centre; bodies that turn alike share one
    "momentum"            of the whole, linear and angular, at its mass centre
    "contacts"            contact forces, in a colour for each mode, and friction cones: default for runs with contacts
    a name                of a joint, a constraint, a contact, a force element or a body: its reaction, force or angular
                          velocity

Arrows of one kind share a scale, which the page states.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.loads import loads_of
from ..errors import PolhodeError, check_kind, name_list, path_of, understood, unknown, warn
from ..expr import Expr, Vector, as_expr, normal, topological
from ..expr.mathml_printer import mathml, mathml_equation, mathml_parts
from ..expr.reading import leaf_counts
from ..files.writing import replace_file
from ..geometry.dual import dual_part, real_part
from ..geometry.screws.numeric import of_twist
from ..model.forces.protocol import LineTension, PointForce
from ..model.records import GROUND, Joint
from ..notebook import Cell, Shown, framed
from ..simulate.initial_state import Floats
from ..simulate.trajectory.channels import Channels, channels_of, warn_of_missing
from ..simulate.trajectory.trajectory import Trajectory
from ..view.page import page
from ..view.scene import PALETTE, Ghost, MovingLine, Scene, Sheet
from .contact_arrows import MODES, ContactForce, cones, contact_forces
from .mesh_assets import MeshAssets, mesh_assets_of
from .scene import Traces, drawn_motion, size_of, with_axes, with_traces

#: Half the length of an axis, how far from its body it is still drawn, and its radius, in the mechanism's size.
_HALF, _FAR, _AXIS_RADIUS = 1.0, 5.0, 0.006


def moving_axes(run: Trajectory, bodies: bool | Sequence[str], scene: Scene) -> list[MovingLine]:
    """The screw axes of the named bodies, or of all, in their colours; none where a body does not turn, or far away."""
    everyone = [name for name in run.mechanism.equations.system.bodies if name != GROUND]
    names = (
        (everyone if bodies else [])
        if isinstance(bodies, bool)
        else name_list(bodies, "True or a list of bodies", place="screw_axes", cure='Give ["coupler"].')
    )
    for name in names:
        if name not in everyone:
            raise unknown("body", name, everyone, place="screw_axes", code="E-ROTATION-NAME")
    if not names:
        return []
    size = size_of(run.mechanism.equations, run.parameters)
    positions, _ = run.poses()
    colors = {body.name: body.color(number) for number, body in enumerate(scene.bodies)}
    axes = []
    for name in names:
        ends = _ends(*velocities_along(run, name), positions[:, everyone.index(name)], size)
        axes.append(MovingLine(f"screw axis of {name}", ends, _AXIS_RADIUS * size, colors[name]))
    return axes


def velocities_along(run: Trajectory, body: str) -> tuple[Floats, Floats]:
    """Angular velocity of a body and velocity of its point at the ground's origin, each (T, 3)."""
    screw = run.mechanism.equations.velocity_screw(body)
    values = run.values(*map(as_expr, (*real_part(screw), *dual_part(screw))))
    return values[:3].T, values[3:].T


def _ends(w: Floats, v: Floats, near: Floats, size: float) -> Floats:
    """The ends (T, 2, 3) of a piece of each axis about the point that is nearest to the body's origin."""
    screw = of_twist(w, v, rest=True)
    foot = screw.point + screw.axis * np.einsum("ti,ti->t", near - screw.point, screw.axis)[:, None]
    drawn = (screw.angle > 0) & (np.linalg.norm(foot - near, axis=1) < _FAR * size)
    reach = _HALF * size * screw.axis
    return np.where(drawn[:, None, None], np.stack([foot - reach, foot + reach], axis=1), np.nan)


#: With more speeds than this there are no equations: they would be too long.
MOST_SPEEDS = 8
#: Leaves of a formula that is still read; of an equation of motion, whose long parts are named beside it.
_READ, _LONGEST_EQUATION = 60, 200
#: Leaves of an expression that is brought to a readable form, and of all of them together: that takes time.
_FORMED, _BUDGET = 36, 300
#: Beyond so many leaves a part of an equation of motion is given a name.
_NAMED = 60


def sheets_of(run: Trajectory, scene: Scene, wanted: bool = True) -> list[Sheet]:
    """For each body the equations of motion of its joint, where its mass centre is, and how it turns."""
    equations = run.mechanism.equations
    if not wanted or len(equations.u) > MOST_SPEEDS:
        return []
    writer = _Writer(equations)
    sheets = []
    for number, body in enumerate(scene.bodies):
        if body.name != GROUND and body.name in equations.system.bodies:
            lines = list(writer.lines(body.name))
            sheets += [Sheet(number, lines)] if lines else []
    return sheets


class _Writer:
    """Writes formulas, in readable form as long as the budget for that lasts."""

    def __init__(self, equations: EquationsOfMotion) -> None:
        self.equations, self.left = equations, _BUDGET
        self.carrier = {joint.child: joint for joint in equations.system.joints.values()}

    def lines(self, body: str) -> Iterator[tuple[str, str]]:
        equations, joint = self.equations, self.carrier.get(body)
        if joint is not None:
            for k in (k for k, u in enumerate(equations.u) if u in joint.u):
                yield from self._motion(joint, k)
        centre = equations.pose(body).point(equations.system.bodies[body].com)
        yield from self._vector("Mass centre", "<mi>r</mi>", centre)
        yield from self._vector("Angular velocity", "<mi>&#969;</mi>", real_part(equations.velocity_screw(body)))

    def _vector(self, words: str, letter: str, entries: Sequence[Any]) -> Iterator[tuple[str, str]]:
        """A vector in ground components, as a column; none where it is too long."""
        formed = [self._formed(as_expr(entry)) for entry in entries]
        if all(_leaves(entry) <= _READ for entry in formed):
            rows = "".join(f"<mtr><mtd><mrow>{mathml(entry)}</mrow></mtd></mtr>" for entry in formed)
            column = f'<mrow><mo>(</mo><mtable displaystyle="true">{rows}</mtable><mo>)</mo></mrow>'
            yield f"{words}, ground components", mathml_equation(letter, column)

    def _motion(self, joint: Joint, k: int) -> Iterator[tuple[str, str]]:
        """Σ M u̇ + bias = τ, the row of one speed; parts that are long or shared have names."""
        equations, words = self.equations, f"Equation of motion, joint {joint.name}"
        try:
            row, bias, effort = equations.mass_matrix[k], as_expr(equations.bias[k]), as_expr(equations.efforts[k])
        except PolhodeError:  # as of equations that were truncated
            return
        terms = [self._formed(as_expr(entry)) * rate for entry, rate in zip(row, equations.udot, strict=True)]
        total = as_expr(sum(terms)) + self._formed(bias)
        if _leaves(total) > _LONGEST_EQUATION:
            note = f"too long to be read here: {_leaves(total):,} symbols or more"
            yield words, f'<math display="block"><mtext>{note}</mtext></math>'
            return
        parts, (left, right) = mathml_parts([total, effort], _NAMED)
        constraints = equations.constraints
        if constraints is not None and constraints.rows and equations.dependent_speeds is None:
            right += "<mo>+</mo><mtext>constraint forces</mtext>"
        formulas = [(left, right), *parts]
        yield words, "".join(mathml_equation(*sides) for sides in formulas)

    def _formed(self, value: Expr) -> Expr:
        """An expression in readable form, if it is short enough and there have not been too many."""
        leaves = _leaves(value)
        if leaves > min(_FORMED, self.left):
            return value
        self.left -= leaves
        return normal(value)


def _leaves(value: Expr) -> int:
    return leaf_counts(topological([value]))[id(value)]


KINDS = ("forces", "reactions", "angular velocity", "momentum", "contacts")
#: How long the longest arrow of a kind is, and how thin arrows are, in the mechanism's size.
_LONGEST_ARROW, _THIN = 0.8, 0.011
#: What is smaller than this part of the longest of its kind is rounding.
_ROUNDING = 1e-9
_COLORS = {
    "force": PALETTE[1], "reaction": PALETTE[3], "angular velocity": PALETTE[5], "momentum": PALETTE[0],
    "angular momentum": PALETTE[2],
}  # fmt: skip
_UNITS = {
    "force": "N", "reaction": "N", "contact": "N", "angular velocity": "rad/s", "momentum": "kg·m/s",
    "angular momentum": "kg·m²/s",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Vector:
    """A vector over time: what it is, of what, from where (T, 3) and how large (T, 3), in ground components."""

    kind: str
    name: str
    place: Floats
    value: Floats
    color: str = ""


def moving_arrows(run: Trajectory, wanted: str | Sequence[str] | None) -> list[MovingLine]:
    """Arrows of vectors by kinds or names, by default those of contacts; those of one kind share a scale."""
    if wanted is None:
        wanted = "contacts" if run.info.get("contacts") else ()
    cure = 'Give ["reactions"] or names, ["hinge"].'
    vectors = _Vectors(run)
    arrows = list(vectors.chosen(name_list(wanted, "a list of arrows", place="arrows", cure=cure)))
    size = size_of(run.mechanism.equations, run.parameters)
    lines = [edge for contact in vectors.touching for edge in cones(contact, size)]
    for kind in dict.fromkeys(arrow.kind for arrow in arrows):
        alike = [a for a in arrows if a.kind == kind]
        most: dict[str, float] = {}
        for arrow in alike:
            length = float(np.nanmax(np.linalg.norm(arrow.value, axis=1), initial=0.0))
            most[arrow.name] = max(length, most.get(arrow.name, 0.0))
        largest = max(most.values())
        if not largest > 0.0:
            continue
        for a in alike:
            length = np.linalg.norm(a.value, axis=1)
            reach = _LONGEST_ARROW * size / largest * a.value
            ends = np.stack([a.place, a.place + reach], axis=1)
            ends = np.where((length > _ROUNDING * largest)[:, None, None], ends, np.nan)
            note = f"at most {most[a.name]:.3g} {_UNITS[kind]}"
            lines.append(MovingLine(a.name, ends, _THIN * size, a.color or _COLORS[kind], arrow=True, told=note))
    return lines


class _Vectors:
    def __init__(self, run: Trajectory) -> None:
        self.run, self.equations = run, run.mechanism.equations
        self.system = self.equations.system
        self.bodies = [name for name in self.system.bodies if name != GROUND]
        self.touching: list[ContactForce] = []  # contacts whose forces were chosen

    def chosen(self, names: Iterable[str]) -> Iterator[_Vector]:
        loads = {element.name for element in self.system.acting if element.name}
        makers: dict[str, Callable[[], Iterator[_Vector]]] = {
            "forces": self._forces,
            "reactions": self._reactions,
            "angular velocity": self._turning,
            "momentum": self._momentum,
            "contacts": self._contacts,
        }
        for name in names:
            if name in makers:
                yield from makers[name]()
            elif name in self.system.joints or name in self.system.constraints:
                yield self._reaction(name)
            elif name in self.system.contacts:
                yield from self._contacts(name)
            elif name in loads:
                yield from self._forces(name)
            elif name in self.bodies:
                yield _Vector("angular velocity", f"angular velocity of {name}", self._centre(name), self._spin(name))
            else:
                words = [*makers, *self.system.joints, *self.system.constraints, *self.system.contacts, *sorted(loads)]
                words += self.bodies
                raise unknown("arrow", name, words, place="arrows", code="E-PICTURE-NAME")

    # ---- forces ------------------------------------------------------------------------------------------------

    def _forces(self, only: str = "") -> Iterator[_Vector]:
        loads = loads_of(self.system, self.equations.tree)
        for element in self.system.acting:
            if only and element.name != only:
                continue
            for load in element.loads:
                if isinstance(load, PointForce):
                    ends = [(load.body, load.point, 1.0)]
                elif isinstance(load, LineTension):
                    ends = [(load.body_a, load.point_a, 1.0), (load.body_b, load.point_b, -1.0)]
                else:
                    continue
                force = self._values(loads.in_ground(load)[0])
                for body, point, sign in ends:
                    name = f"{element.name} on {body}"
                    yield _Vector("force", name, self._point(body, self._values(point)), sign * force)

    def _contacts(self, only: str = "") -> Iterator[_Vector]:
        for contact in contact_forces(self.run, only):
            self.touching.append(contact)
            for mode, (word, color) in MODES.items():
                force = np.where((contact.mode == mode)[:, None], contact.force, 0.0)
                if force.any():
                    yield _Vector("contact", f"{contact.name}, {word}", contact.place, force, color)

    def _reactions(self) -> Iterator[_Vector]:
        for name in (*self.system.joints, *self.system.constraints):
            try:
                yield self._reaction(name)
            except PolhodeError:  # a condition on coordinates acts on no body
                continue

    def _reaction(self, name: str) -> _Vector:
        joint = self.system.joints.get(name)
        if joint is None:
            point = self._contact(name)
        else:
            point = self._point(joint.child, self._values(joint.in_child.p))
        force = self.run.reaction(name, frame=GROUND).force
        return _Vector("reaction", f"reaction of {name}", point, force)

    def _contact(self, name: str) -> Floats:
        """The point (T, 3) at which a constraint force is drawn."""
        from ..dynamics.reactions import Reactions

        push = Reactions(self.equations, solved=False).acting_wrenches.get(name)
        return self._values(push.place) if push is not None else np.zeros((len(self.run.t), 3))

    # ---- motion ------------------------------------------------------------------------------------------------

    def _turning(self) -> Iterator[_Vector]:
        seen: list[Floats] = []
        for name in self.bodies:
            spin = self._spin(name)
            if any(np.allclose(spin, other, rtol=1e-9, atol=1e-12) for other in seen):
                continue
            seen.append(spin)
            yield _Vector("angular velocity", f"angular velocity of {name}", self._centre(name), spin)

    def _momentum(self) -> Iterator[_Vector]:
        about_origin, linear = self.run.momentum
        masses = {name: self._values([self.system.bodies[name].mass])[:, :1] for name in self.bodies}
        total = sum(masses.values())
        centre = sum(masses[name] * self._centre(name) for name in self.bodies) / np.where(total > 0, total, 1.0)
        yield _Vector("momentum", "momentum", centre, linear)
        about_centre = about_origin - np.cross(centre, linear)
        yield _Vector("angular momentum", "angular momentum about the mass centre", centre, about_centre)

    def _spin(self, body: str) -> Floats:
        return velocities_along(self.run, body)[0]

    # ---- places ------------------------------------------------------------------------------------------------

    @cached_property
    def _poses(self) -> tuple[Floats, Floats]:
        return self.run.poses()

    def _point(self, body: str, local: Floats) -> Floats:
        """A point of a body, in the ground."""
        if body == GROUND:
            return local
        k = self.bodies.index(body)
        positions, rotations = self._poses
        return np.asarray(positions[:, k] + np.einsum("tij,tj->ti", rotations[:, k], local))

    def _centre(self, body: str) -> Floats:
        return self._point(body, self._values(self.system.bodies[body].com))

    def _values(self, entries: Vector | Sequence[Any]) -> Floats:
        expressions: list[Expr] = [as_expr(entry) for entry in entries]
        return np.asarray(self.run.values(*expressions).T)


#: How the name of a page may end.
_PAGES = ("", ".html", ".htm")


class MeshWarning(UserWarning):
    """A mesh is drawn otherwise than its file has it, or not at all."""


@dataclass(frozen=True)
class Animation(Shown):
    """The page of a motion, which a notebook shows in its cell; `save` writes it."""

    title: str
    page: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page as one HTML file, whole or not at all."""
        ending = path_of(path).suffix.lower()
        if ending not in _PAGES:
            message = f"a motion is written as a page, and not as '{ending}'."
            cure = "Name it .html; buttons in the page save films (WebM, GIF) and pictures (PNG)."
            raise PolhodeError(message, os.fspath(path), cure, "E-PICTURE-UNSUPPORTED")
        return replace_file(path, self.page.encode("utf-8"))

    def _cell(self) -> Cell:
        return Cell("", [], framed(self.page, "Write it to a file: .save('run.html').", height=660))

    def __repr__(self) -> str:
        return f"Animation('{self.title}'; a notebook shows it, save('run.html') writes it)"


def animation(run: Trajectory, path: str | os.PathLike[str] | None, notes: str, **drawn: Any) -> Path | Animation:
    """The motion as one self-contained page: written, or without a path for a notebook to show."""
    result = Animation(run.title, page_of(run, notes, **drawn))
    return result if path is None else result.save(path)


def page_of(
    run: Trajectory,
    notes: str = "",
    *,
    screw_axes: bool | Sequence[str] = False,
    channels: Channels | None = None,
    arrows: str | Sequence[str] | None = None,
    traces: Traces = (),
    frames: bool | Sequence[str] = False,
    ghosts: Sequence[Trajectory] | Mapping[str, Trajectory] = (),
    equations: bool = True,
) -> str:
    """The text of the page, with what is drawn beside the bodies; see `Trajectory.animate`."""
    check_kind(str, "text", notes, "notes")
    assets = mesh_assets_of(run.mechanism.equations.system)
    scene, motion = drawn_motion(run, assets)
    motion = replace(motion, lines=[*motion.lines, *moving_axes(run, screw_axes, scene), *moving_arrows(run, arrows)])
    scene = with_traces(run, with_axes(run, scene, frames), traces)
    cure = "Give runs, ghosts=[other], or names for them, ghosts={'without friction': other}."
    with understood("a list of runs", ghosts, place="ghosts", cure=cure):
        others = dict(ghosts) if isinstance(ghosts, Mapping) else {f"run {k}": run for k, run in enumerate(ghosts, 2)}
    for other in others.values():
        check_kind(type(run), "a trajectory", other, "ghosts")
    drawn_ghosts = [Ghost(str(name), *drawn_motion(other, assets)) for name, other in others.items()]
    charts, missing = channels_of(run, channels, list(others.values()))
    warn_of_meshes(assets)
    if channels is not None:
        warn_of_missing(missing)
    notes = " ".join([notes or run.message, *assets.notices, *missing]).strip()
    return page(scene, motion, charts, notes=notes, ghosts=drawn_ghosts, sheets=sheets_of(run, scene, equations))


def warn_of_meshes(assets: MeshAssets) -> None:
    """Warn of meshes that are simplified, or not drawn."""
    if assets.notices:
        warn(" ".join(assets.notices), MeshWarning, code="W-FILE-READ")
