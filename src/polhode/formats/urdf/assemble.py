"""From the records of a robot file to a System."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from ...expr import Expr, Vector, as_expr
from ...files.reading import Located
from ...geometry import rotation, unit_axis
from ...geometry.rotations.exact import nearest_angle
from ...model import Fixed, Free, JointType, Planar, Prismatic, Revolute, Shape, Spherical, System
from ...model.body import as_inertia
from ...model.records import GROUND
from ..findings import Findings
from ..numbers import ENTRIES, Numbers, Triple, free_name
from .parts import ONE_FREEDOM, Geometry, Inertial, JointPart, LinkPart, Placement

_GRAVITY = Fraction("9.81")
_LETTERS = "xyz"

Turns = list[tuple[str, Expr]]


class Assembly:
    """Builds one System; what it rounds or renames on the way goes into the findings."""

    def __init__(
        self,
        name: str,
        symbolic: Sequence[str],
        snap: Fraction,
        findings: Findings,
        meshes: Mapping[str, Located] | None = None,
    ) -> None:
        self.system = System(name)
        self.meshes = meshes or {}
        self.numbers = Numbers(self.system, symbolic)
        self.snap = snap
        self.findings = findings
        self.body_name: dict[str, str] = {}
        self.system.gravity = Vector([as_expr(0), as_expr(0), -self.numbers.number("gravity", "", "", _GRAVITY)])

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
        if link.inertial is None:
            self.system.body(name, shapes=shapes)
            return
        mass, com, inertia = self._inertial(link.name, link.inertial)
        self.system.body(name, mass, com, inertia, shapes, check=link.name not in accepted)

    def _shape(self, part: Geometry) -> Shape:
        """What is drawn; a mesh by the path where it was found, or with the reason why it was not."""
        status, found, reason = self.meshes.get(part.filename, ("", None, ""))
        return Shape(
            part.kind,
            tuple(float(entry) for entry in part.size),
            tuple(float(entry) for entry in part.at.xyz),
            self._turns(part.at, "") or None,
            part.color,
            str(found) if found else part.filename,
            "" if found or part.kind != "mesh" else f"{status}: {reason}",
        )

    def _free_body_name(self, link: LinkPart) -> str:
        if link.name != GROUND:
            return link.name
        place = self.findings.place(link.line, f"link '{link.name}'")
        self.findings.notice(place, f"its body is called '{GROUND} link': '{GROUND}' is the fixed world.", "N-URDF-001")
        return f"{GROUND} link"

    def _inertial(self, owner: str, inertial: Inertial) -> tuple[Expr, list[Expr], list[list[Expr]]]:
        mass = self.numbers.number("mass", owner, "", inertial.mass)
        com = self._vector("com", owner, inertial.at.xyz)
        entries = zip(ENTRIES, inertial.inertia, strict=True)
        xx, yy, zz, xy, xz, yz = (self.numbers.number("inertia", owner, entry, value) for entry, value in entries)
        I = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        turns = self._turns(inertial.at, f"link '{owner}' <inertial>")
        if not turns or not any(inertial.inertia):
            return mass, com, I
        R = rotation(*turns)
        turned = R @ as_inertia(I, owner) @ R.T
        # One triangle serves both, so that each product of inertia is computed once.
        upper = [[as_expr(turned[min(i, j), max(i, j)]) for j in range(3)] for i in range(3)]
        return mass, com, upper

    def _vector(self, kind: str, owner: str, values: Triple) -> list[Expr]:
        return [self.numbers.number(kind, owner, letter, value) for letter, value in zip(_LETTERS, values, strict=True)]

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
            said = f"the angle {float(value):.12g} is taken as {angle!r}."
            self.findings.notice(self.findings.place(line, what), said, "N-URDF-002")
        return angle

    # ---- joints ----------------------------------------------------------------------------------------------

    def add_root(self, root: str, base: str, taken: Collection[str], at: Placement | None = None) -> None:
        """Join the root link to the ground, at a place."""
        name, there = free_name("root_joint", taken), at or Placement()
        kind = Free() if base == "floating" else Fixed()
        position, turns = [as_expr(entry) for entry in there.xyz], self._turns(there, "") or None
        self.system.joint(name, self.system.ground, self.body_name[root], kind, at=position, rotation=turns)

    def add_joint(self, joint: JointPart, dynamics: bool) -> None:
        """A joint where the file puts it; with `dynamics`, its damping too."""
        what = f"joint '{joint.name}'"
        facts = joint.facts
        rated = facts if joint.kind in ONE_FREEDOM else None
        child_at, child_turns = self._locked(joint)
        self.system.joint(
            joint.name,
            self.body_name[joint.parent],
            self.body_name[joint.child],
            self._type(joint),
            at=self._vector("length", joint.name, joint.at.xyz),
            rotation=self._turns(joint.at, what) or None,
            child_at=child_at,
            child_rotation=child_turns or None,
            limits=(facts.lower, facts.upper) if joint.kind != "fixed" and facts.lower != facts.upper else None,
            speed_limits=(rated and rated.velocity) or None,
            effort_limits=(rated and rated.effort) or None,
        )
        made = self.system.joints[joint.name]
        if dynamics and facts.damping and len(made.u) == 1:
            self.system.joint_force(made, -as_expr(facts.damping) * made.u[0], name=f"{joint.name} damping")

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
        self.system.close(
            joint.name,
            self.body_name[joint.parent],
            self.body_name[joint.child],
            self._type(joint),
            at_a=[as_expr(entry) for entry in joint.at.xyz],
            rotation_a=self._turns(joint.at, "") or None,
            at_b=[as_expr(entry) for entry in joint.in_child.xyz],
            rotation_b=self._turns(joint.in_child, "") or None,
        )

    def _locked(self, joint: JointPart) -> tuple[Vector, list[tuple[Vector, Expr]]]:
        """Where a locked joint sits in its child: its motion, undone."""
        here = Vector([as_expr(0)] * 3)
        if not joint.locked:
            there = joint.in_child
            turns = [(unit_axis(letter), angle) for letter, angle in self._turns(there, f"joint '{joint.name}'")]
            return Vector([as_expr(entry) for entry in there.xyz]), turns
        axis = self._axis(joint)
        if joint.facts.kind == "prismatic":
            return axis * -as_expr(joint.locked), []
        return here, [(axis, -self._angle(joint.locked, joint.line, f"joint '{joint.name}', locked"))]

    def _type(self, joint: JointPart) -> JointType:
        if joint.kind == "fixed":
            return Fixed()
        if joint.kind == "floating":
            return Free()
        if joint.kind == "ball":
            return Spherical()
        axis = self._axis(joint)
        return {"prismatic": Prismatic, "planar": Planar}.get(joint.kind, Revolute)(axis)

    def _axis(self, joint: JointPart) -> Vector:
        """The direction, exactly of unit length; one that all but lies along a coordinate axis is taken to do so."""
        place = self.findings.place(joint.axis_line, f"joint '{joint.name}' <axis>")
        square = sum((entry * entry for entry in joint.axis), Fraction(0))
        if abs(square - 1) > Fraction(1, 10**5):
            self.findings.notice(place, f"the axis of length {float(square) ** 0.5:.6g} is normalised.", "N-URDF-003")
        largest = max(range(3), key=lambda k: abs(joint.axis[k]))
        rest = [entry for k, entry in enumerate(joint.axis) if k != largest]
        if any(rest) and all(abs(entry) <= self.snap * abs(joint.axis[largest]) for entry in rest):
            letter = f"{'-' if joint.axis[largest] < 0 else ''}{_LETTERS[largest]}"
            self.findings.notice(place, f"the axis is taken as {letter}.", "N-URDF-004")
            return unit_axis(letter)
        return unit_axis(joint.axis)
