"""From the numbers and records of a robot file to a System."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import reduce
from os import PathLike
from pathlib import Path
from typing import Any

from ...errors import FormatError, PolhodeError, suggestion, understood
from ...expr import Expr, Vector, as_expr, free_symbols
from ...expr.rational import decimal
from ...files.reading import locate_mesh
from ...geometry import Pose, rotation, unit_axis
from ...geometry.rotations.exact import nearest_angle
from ...model import Fixed, Free, JointType, Planar, Prismatic, Revolute, Shape, Spherical, System
from ...model.body import as_inertia
from ...model.reading import checked_name, list_of
from ...model.records import GROUND
from ..findings import Findings, MeshFacts
from .parts import ONE_FREEDOM, Geometry, Inertial, JointPart, LinkPart, Placement

#: The order of an inertia's entries.
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")
UNITS = {"mass": "kg", "com": "m", "length": "m", "inertia": "kg m²", "gravity": "m/s²"}
_GRAVITY = Fraction("9.81")
_LETTERS = "xyz"

#: What is nearer, as a part of the mechanism's size or in rad, is meant to coincide; what is nearer yet is rounding.
_ROUNDED, _SILENT = 1e-6, 1e-12
HERE = Placement()

Turns = list[tuple[str, Expr]]
Packages = Mapping[str, str | PathLike[str]] | None


def tolerance(snap: float | str, code: str) -> Fraction:
    """The angle, exactly, within which a direction or an angle is rounded to the nearest plain one."""
    value = decimal(str(snap))
    if value is None or not 0 <= value < 1:
        cure = "Give an angle from 0 to 1, such as 1e-6."
        raise PolhodeError(f"snap={snap!r} is not a tolerance.", cure=cure, code=code)
    return value


def free_name(wanted: str, taken: Container[str]) -> str:
    """An unused name: the given one, or one like it.

    >>> free_name("root", ["root", "root_"])
    'root__'
    """
    while wanted in taken:
        wanted += "_"
    return wanted


def moved_frame(frame: Pose, there: Pose, turns: bool, size: float, to: tuple[Findings, str]) -> Pose:
    """The frame of a closure, moved to where the other frame is, with a notice, if it is off by rounding alone.

    `there` is the other frame's pose in the same body as the file describes the mechanism; one that depends on symbols,
    or is further away than 1e-6 of the size (or 1e-6 rad, where the closure `turns` with it), leaves the frame.
    """
    off = [as_expr(x) for x in (there.p - frame.p)]
    entries = [*off, *(as_expr(entry) for entry in (there.R - frame.R).entries())] if turns else off
    if free_symbols(entries) or not any(entries):
        return frame
    distance = sum(float(x) ** 2 for x in off) ** 0.5
    turn = max((abs(float(entry)) for entry in entries[3:]), default=0.0)
    if distance > _ROUNDED * size or turn > _ROUNDED:
        return frame
    if max(distance / size, turn) > _SILENT:
        message = (
            f"the closure is off by {distance:.2g} m and {turn:.2g} rad as the file has it; its frame is moved by that."
        )
        to[0].notice(to[1], message, "N-ROBOT-NUMBER")
    return Pose(there.R if turns else frame.R, there.p)


class Assembly:
    """Builds one System; roundings and renamings are noted in the findings.

    Numbers that a pattern such as "mass:*" selects become parameters: "mass:forearm", "com:forearm.x",
    "inertia:forearm.xx", "length:elbow.z" (a component of the joint's position in its parent), "gravity". Zeros stay
    zeros unless named in full.
    """

    def __init__(self, name: str, symbolic: Sequence[str], snap: Fraction, findings: Findings) -> None:
        self.system = System(name)
        self.snap = snap
        self.findings = findings
        listed = list_of(symbolic, "a list of patterns", "symbolic")
        self.patterns = tuple(checked_name(text, "pattern") for text in listed)
        self.used: set[str] = set()
        self.offered: list[str] = []
        #: For each body its parent, and its pose in that as the file describes the mechanism.
        self.homes: dict[str, tuple[str, Pose]] = {}

    def home_in(self, a: str, b: str) -> Pose:
        """The pose of body b in body a as the file describes the mechanism."""
        paths: list[list[str]] = [[a], [b]]
        for path in paths:
            while path[-1] in self.homes:
                path.append(self.homes[path[-1]][0])
        X_a, X_b = (
            reduce(
                lambda X, name: self.homes[name][1] @ X, [name for name in path if name not in other], Pose.identity()
            )
            for path, other in (paths, paths[::-1])
        )
        return X_a.inverse() @ X_b

    def number(self, kind: str, owner: str, component: str, value: Fraction) -> Expr:
        """One number of the file, exact or as a parameter."""
        group = f"{kind}:{owner}" if owner else kind
        name = f"{group}.{component}" if component else group
        self.offered += [group, name]
        matching = [p for p in self.patterns if p == name or fnmatchcase(name, p) or fnmatchcase(group, p)]
        self.used.update(matching)
        if not matching or (not value and name not in self.patterns):
            return as_expr(value)
        return self.system.parameter(name, value, UNITS[kind])

    def numbers(self, kind: str, owner: str, values: Iterable[Fraction]) -> list[Expr]:
        """The components of a vector, or the six entries of an inertia."""
        components = ENTRIES if kind == "inertia" else _LETTERS
        return [self.number(kind, owner, component, value) for component, value in zip(components, values, strict=True)]

    def refuse_unused(self) -> None:
        """A pattern that chose nothing is a slip of the pen."""
        for pattern in self.patterns:
            if pattern not in self.used:
                described = f"A pattern is a kind ({', '.join(UNITS)}), a colon and a name, which may hold * and ?."
                message = f"symbolic={pattern!r} chooses no number of this robot."
                cure = suggestion(pattern, self.offered, described)
                raise FormatError(message, place=self.findings.file, cure=cure, code="E-ROBOT-NAME")


class LinkAssembly(Assembly):
    """Builds a System of links and joints, as URDF and SDF have them; meshes are looked for near the file's folder."""

    def __init__(
        self,
        name: str,
        symbolic: Sequence[str],
        snap: Fraction,
        findings: Findings,
        links: Sequence[LinkPart],
        folder: Path,
        packages: Packages,
    ) -> None:
        with understood(
            "a mapping from packages to folders", packages, place="packages", cure="Give {'name': folder}."
        ):
            folders = {str(name): Path(path) for name, path in dict(packages or {}).items()}
        super().__init__(name, symbolic, snap, findings)
        self.links = links
        named = dict.fromkeys(part.filename for link in links for part in link.geometry if part.kind == "mesh")
        self.meshes = {filename: locate_mesh(filename, folder, folders) for filename in named}
        #: How many collision shapes have a name; those without one have not.
        self.named = Counter(part.name for link in links for part in link.geometry if part.role == "collision")
        self.named[""] = 0
        self.body_name: dict[str, str] = {}
        self.system.gravity = Vector([as_expr(0), as_expr(0), -self.number("gravity", "", "", _GRAVITY)])

    # ---- bodies ----------------------------------------------------------------------------------------------

    def add_link(self, link: LinkPart, accepted: Collection[str]) -> None:
        """A link as a body; an inertia that was accepted although impossible is not judged again."""
        name = self.body_name[link.name] = self._free_body_name(link)
        visuals = [part for part in link.geometry if part.role == "visual"]
        shapes = [
            self._shape(part)
            for part in visuals
            if (part.filename and all(part.size) if part.kind == "mesh" else all(size > 0 for size in part.size))
        ]
        mass, com, inertia = self._inertial(link.name, link.inertial) if link.inertial else (0, (0, 0, 0), 0)
        self.system.body(name, mass, com, inertia, shapes, check=link.name not in accepted)
        solids = [part for part in link.geometry if part.role == "collision"]
        for k, part in enumerate(solids, start=1):
            number = f" {k}" if len(solids) > 1 else ""
            alone = self.named[part.name] == 1  # has its own name
            label = part.name if alone else f"{name} collision{number}"
            laws = {"friction": (part.friction, 0, 0)} if part.friction is not None else {}
            self.system.equip(
                "geoms", free_name(label, self.system.equipment.get("geoms", ())), body=name, shape=part.kind,
                size=part.size, file=self._shape(part).file, **self._pose("", part.at), **laws,
                restitution=part.restitution or 0,
            )  # fmt: skip

    def _shape(self, part: Geometry) -> Shape:
        """What is drawn; a mesh by the path where it was found, or with the reason why it was not."""
        status, file, reason = self.meshes.get(part.filename, ("", None, ""))
        return Shape(
            part.kind,
            tuple(float(entry) for entry in part.size),
            tuple(float(entry) for entry in part.at.xyz),
            self._turns(part.at, "") or None,
            part.color,
            str(file) if file else part.filename,
            "" if file or part.kind != "mesh" else f"{status}: {reason}",
        )

    def _free_body_name(self, link: LinkPart) -> str:
        if link.name != GROUND:
            return link.name
        message = f"its body is called '{GROUND} link': '{GROUND}' is the fixed world."
        self.findings.notice((link.line, f"link '{link.name}'"), message, "N-ROBOT-NAME")
        return f"{GROUND} link"

    def _inertial(self, owner: str, inertial: Inertial) -> tuple[Expr, list[Expr], list[list[Expr]]]:
        mass = self.number("mass", owner, "", inertial.mass)
        com = self.numbers("com", owner, inertial.at.xyz)
        xx, yy, zz, xy, xz, yz = self.numbers("inertia", owner, inertial.inertia)
        I = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        turns = self._turns(inertial.at, f"link '{owner}' <inertial>")
        if not turns or not any(inertial.inertia):
            return mass, com, I
        R = rotation(*turns)
        turned = R @ as_inertia(I, owner) @ R.T
        # One triangle serves both, so that each product of inertia is computed once.
        upper = [[as_expr(turned[min(i, j), max(i, j)]) for j in range(3)] for i in range(3)]
        return mass, com, upper

    def _turns(self, at: Placement, what: str) -> Turns:
        """Roll, pitch and yaw about fixed axes are yaw, pitch and roll about moving ones."""
        turns: Turns = []
        for letter, value in zip(_LETTERS, at.rpy, strict=True):
            angle = self._angle(value, at.line, what and f"{what} <origin>")
            if angle:
                turns.insert(0, (letter, angle))
        return turns

    def _angle(self, value: Fraction, line: int, what: str) -> Expr:
        """An angle, exactly a multiple of π/2 if it is that near to one."""
        angle, snapped = nearest_angle(value, self.snap)
        if snapped and what:
            message = f"the angle {float(value):.12g} is taken as {angle!r}."
            self.findings.notice((line, what), message, "N-ROBOT-ANGLE")
        return angle

    def _pose(self, suffix: str, at: Placement, what: str = "") -> dict[str, Any]:
        """Where something sits, as keywords with a suffix."""
        position = [as_expr(entry) for entry in at.xyz]
        return {f"at{suffix}": position, f"rotation{suffix}": self._turns(at, what) or None}

    # ---- joints ----------------------------------------------------------------------------------------------

    def add_root(self, root: str, base: str, taken: Collection[str], at: Placement = HERE) -> None:
        """Join the root link to the ground, at a place."""
        kind = Free() if base == "floating" else Fixed()
        name, link = free_name("root_joint", taken), self.body_name[root]
        self.system.joint(name, self.system.ground, link, kind, **self._pose("", at))

    def add_joint(self, joint: JointPart, dynamics: bool) -> None:
        """A joint where the file puts it; with `dynamics`, its damping too."""
        facts = joint.facts
        rated = facts if joint.kind in ONE_FREEDOM else None
        child_at, child_turns = self._locked(joint)
        self.system.joint(
            joint.name,
            self.body_name[joint.parent],
            self.body_name[joint.child],
            self._type(joint),
            at=self.numbers("length", joint.name, joint.at.xyz),
            rotation=self._turns(joint.at, f"joint '{joint.name}'") or None,
            child_at=child_at,
            child_rotation=child_turns or None,
            limits=(facts.lower, facts.upper) if joint.kind != "fixed" and facts.lower != facts.upper else None,
            speed_limits=(rated and rated.velocity) or None,
            effort_limits=(rated and rated.effort) or None,
        )
        result = self.system.joints[joint.name]
        if dynamics and facts.damping and len(result.u) == 1:
            self.system.joint_force(result, -as_expr(facts.damping) * result.u[0], name=f"{joint.name} damping")

    def add_coupling(self, joint: JointPart) -> None:
        """Let a joint follow another; the offset of a turning joint is an angle like any other."""
        if joint.facts.mimics is None:
            return
        leader, multiplier, offset = joint.facts.mimics
        what = f"joint '{joint.name}' <mimic>"
        shift = as_expr(offset) if joint.kind == "prismatic" else self._angle(offset, joint.mimic_line, what)
        self.system.couple(joint.name, leader, multiplier, shift)

    def add_loop(self, joint: JointPart) -> None:
        """A joint to a link that another joint carries already: it closes a loop."""
        ends = self.body_name[joint.parent], self.body_name[joint.child]
        frames = [Pose(rotation(*self._turns(at, "")), Vector(at.xyz)) for at in (joint.at, joint.in_child)]
        self.homes = {
            record.child: (record.parent, record.in_parent @ record.in_child.inverse())
            for record in self.system.model().joints.values()
        }
        size = max(float(sum(x * x for x in link.pose.xyz)) for link in self.links) ** 0.5 or 1.0
        place = self.findings.place(joint.line, f"joint '{joint.name}'")
        there = self.home_in(*ends) @ frames[1]
        X_a, X_b = moved_frame(frames[0], there, True, size, (self.findings, place)), frames[1]
        kind = self._type(joint)
        self.system.close(joint.name, *ends, kind, at_a=X_a.p, rotation_a=X_a.R, at_b=X_b.p, rotation_b=X_b.R)

    def _locked(self, joint: JointPart) -> tuple[Vector, list[tuple[Vector, Expr]]]:
        """Where a locked joint sits in its child: its motion, undone."""
        what = f"joint '{joint.name}'"
        if not joint.locked:
            there = joint.in_child
            turns = [(unit_axis(letter), angle) for letter, angle in self._turns(there, what)]
            return Vector([as_expr(entry) for entry in there.xyz]), turns
        axis = self._axis(joint)
        if joint.facts.kind == "prismatic":
            return axis * -as_expr(joint.locked), []
        turned_back = -self._angle(joint.locked, joint.line, f"{what}, locked")
        return Vector([as_expr(0)] * 3), [(axis, turned_back)]

    def _type(self, joint: JointPart) -> JointType:
        without_axis: dict[str, type[JointType]] = {"fixed": Fixed, "floating": Free, "ball": Spherical}
        if joint.kind in without_axis:
            return without_axis[joint.kind]()
        axial = {"prismatic": Prismatic, "planar": Planar}.get(joint.kind, Revolute)
        return axial(self._axis(joint))

    def _axis(self, joint: JointPart) -> Vector:
        """The direction, exactly of unit length; rounded to a coordinate axis if it is nearly one."""
        at = (joint.axis_line, f"joint '{joint.name}' <axis>")
        square = sum((entry * entry for entry in joint.axis), Fraction(0))
        if abs(square - 1) > Fraction(1, 10**5):
            self.findings.notice(at, f"the axis of length {float(square) ** 0.5:.6g} is normalised.", "N-ROBOT-NUMBER")
        largest = max(range(3), key=lambda k: abs(joint.axis[k]))
        rest = [entry for k, entry in enumerate(joint.axis) if k != largest]
        if any(rest) and all(abs(entry) <= self.snap * abs(joint.axis[largest]) for entry in rest):
            letter = f"{'-' if joint.axis[largest] < 0 else ''}{_LETTERS[largest]}"
            self.findings.notice(at, f"the axis is taken as {letter}.", "N-ROBOT-NUMBER")
            return unit_axis(letter)
        return unit_axis(joint.axis)

    # ---- meshes ----------------------------------------------------------------------------------------------

    def mesh_facts(self, touch: bool) -> list[MeshFacts]:
        """The meshes with the files that were found; those that were not are one warning for each reason.

        Collision shapes that do not `touch` are a notice.
        """
        if not touch and (geoms := self.system.equipment.get("geoms")):
            message = f"collision shapes ({len(geoms)}) are recorded, and exert no forces."
            self.findings.notice(self.findings.file, message, "N-ROBOT-UNSUPPORTED")
        result: list[MeshFacts] = []
        lacking: dict[str, list[tuple[int, str]]] = {}
        drawn = [(link.name, part) for link in self.links for part in link.geometry if part.kind == "mesh"]
        for link, part in drawn:
            status, file, reason = self.meshes[part.filename]
            pose = _floats(part.at.xyz), _floats(part.at.rpy), _floats(part.size)
            result.append(MeshFacts(link, part.role, part.filename, *pose, str(file) if file else None, status))
            if file is None:
                lacking.setdefault(f"{status}: {reason}", []).append((part.line, part.filename))
        for reason, cases in lacking.items():
            names = ", ".join(dict.fromkeys(name for _, name in cases))
            shown = names if len(names) <= 200 else names[:199] + "…"
            message = f"{len(cases)} {'mesh is' if len(cases) == 1 else 'meshes are'} {reason}: {shown}."
            cure = "They are not drawn; the equations need no mesh. Name folders with packages={…}."
            self.findings.warn((cases[0][0], "<mesh>"), message, cure, "W-ROBOT-READ")
        return result


def _floats(values: Sequence[Fraction]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
