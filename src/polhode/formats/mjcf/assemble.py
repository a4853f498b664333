"""From MuJoCo's compiled model to a System.

A compiled body stands in its parent at (pos, quat); its joints follow each other, each about its own anchor in the
body's frame, the first listed next to the parent. With X the pose of the body in its reference position,

    X_parent_body(q) = X · Π_j  T(p_j) exp(h_j (q_j - ref_j)) T(p_j)⁻¹,

which is a chain of joints through massless bodies, each joint under the name that the file gives it.

An actuator exerts gear · force on its joint. Its force keeps within `forcerange`; that of a plain motor, gain · control
or a filter of it, also follows from `ctrlrange`. The sum of the efforts of a joint's actuators is limited to the
joint's `actuatorfrcrange`. Actuators on tendons, sites and bodies have no effect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

import numpy as np

from ...errors import PolhodeError, shown, understood
from ...expr import Expr, Matrix, Vector, as_expr
from ...geometry import Pose, about
from ...geometry.rotations.exact import ROUNDING
from ...model import Body, Fixed, Free, Joint, JointType, Prismatic, Revolute, Shape, Spherical, System
from ...model.records import GROUND
from ..findings import Findings
from ..robot_file import assembly
from ..robot_file.assembly import free_name
from ..robot_file.parts import written_color
from . import exact
from .document import MeshAsset

#: What may be left out on request, and what it is.
IGNORABLE = {
    "armature": "motor inertia that is not on a hinge or slide (armature, on the diagonal of the mass matrix)",
    "friction": "dry friction",
    "equality": "an equality constraint of spatial tendons or flexible bodies",
    "tendon": "a spatial tendon, or one that is not linear or has inertia,",
    "fluid": "the drag of a medium",
    "spring": "a spring that is not linear in one coordinate",
    "damping": "a damper that is not linear",
}

_Found = tuple[str, str, str]


def check_ignored(ignore: Collection[str]) -> None:
    """Every name in `ignore` is one of an effect."""
    with understood("a list of effects", ignore, place="ignore", cure='Write ignore=["armature"].'):
        names = [ignore] if isinstance(ignore, str) else list(ignore)
    for name in names:
        if not isinstance(name, str) or name not in IGNORABLE or isinstance(ignore, str):
            cure = f'Write ignore=["armature"]; effects are {", ".join(IGNORABLE)}.'
            raise PolhodeError(f"ignore={shown(ignore)} does not list effects.", cure=cure, code="E-ROBOT-NAME")


def disabled(mujoco: Any, model: Any, *names: str) -> bool:
    """Whether one of these flags of MuJoCo is off; versions differ in the flags they have."""
    bits = [getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", None) for name in names]
    return any(bit is not None and int(model.opt.disableflags) & int(bit) for bit in bits)


def warn_of_effects(mujoco: Any, model: Any, ignore: Collection[str], findings: Findings) -> None:
    """Warn of effects on the motion that are not modelled."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for kind, tag, name in _unmodelled(mujoco, model, ignore):
        grouped.setdefault((kind, tag), []).append(name)
    for (kind, tag), names in grouped.items():
        message = f"{IGNORABLE[kind]} is not modelled{_others(names)}; it is left out."
        findings.warn(findings.place_of(tag, names[0]), message, "", "W-ROBOT-UNSUPPORTED")
    for k in range(1, model.nbody):
        if model.body_mocapid[k] >= 0:
            place = findings.place_of("body", model.body(k).name)
            message = "a motion-capture body rests where the file puts it."
            findings.warn(place, message, "", "W-ROBOT-UNSUPPORTED")


def _others(names: list[str]) -> str:
    if len(names) == 1:
        return ""
    named = [name for name in names[1:] if name]
    listed = f": {', '.join(named[:8])}{' …' if len(named) > 8 else ''}" if named else ""
    return f" (here and {len(names) - 1} more{listed})"


def _unmodelled(mujoco: Any, model: Any, ignore: Collection[str]) -> Iterator[_Found]:
    """(effect, tag, name) of all permanent effects that are not modelled or to be left out."""
    off = partial(disabled, mujoco, model)
    turning = (int(mujoco.mjtJoint.mjJNT_BALL), int(mujoco.mjtJoint.mjJNT_FREE))
    for k in range(model.njnt):
        name, dof = model.joint(k).name, model.jnt_dofadr[k]
        if model.dof_armature[dof] and model.jnt_type[k] in turning:
            yield "armature", "joint", name
        if _any(model, "dof_dampingpoly", dof) and not off("DAMPER", "PASSIVE"):
            yield "damping", "joint", name
        bent = _any(model, "jnt_stiffnesspoly", k) or _any(model, "jnt_springyield", k)
        if (bent or (model.jnt_stiffness[k] and model.jnt_type[k] in turning)) and not off("SPRING", "PASSIVE"):
            yield "spring", "joint", name
    for k in range(model.nu):
        for effect in ("armature", "damping"):
            kept = effect == "armature" and turned_by(mujoco, model, k) is not None
            if (not kept and _any(model, f"actuator_{effect}", k)) or _any(model, f"actuator_{effect}poly", k):
                yield effect, "actuator", model.actuator(k).name
    for k in range(model.ntendon):
        names_of = ["stiffnesspoly", "dampingpoly", "armature"]
        if "tendon" in ignore or linear_terms(mujoco, model, k) is None:
            names_of += ["stiffness", "damping"]
        if any(_any(model, f"tendon_{suffix}", k) for suffix in names_of):
            yield "tendon", "tendon", model.tendon(k).name
    if model.opt.density or model.opt.viscosity:
        yield "fluid", "option", ""


def turned_by(mujoco: Any, model: Any, k: int) -> int | None:
    """The hinge or slide that an actuator acts on, if it does act on one."""
    acting = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    of_one_axis = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    j = int(model.actuator_trnid[k][0])
    return j if model.actuator_trntype[k] in acting and model.jnt_type[j] in of_one_axis else None


def linear_terms(mujoco: Any, model: Any, k: int) -> dict[int, Fraction] | None:
    """Coefficients of a fixed tendon by joint; None for a spatial one."""
    rows = range(int(model.tendon_adr[k]), int(model.tendon_adr[k] + model.tendon_num[k]))
    if any(int(model.wrap_type[row]) != int(mujoco.mjtWrap.mjWRAP_JOINT) for row in rows):
        return None
    return {int(model.wrap_objid[row]): exact.decimal(model.wrap_prm[row]) for row in rows}


def actuators_of(mujoco: Any, model: Any, j: int) -> list[tuple[float, float]]:
    """Gear and armature of each actuator on a hinge or slide; only some versions of MuJoCo know the latter."""
    armature = getattr(model, "actuator_armature", None)
    driving = (k for k in range(model.nu) if turned_by(mujoco, model, k) == j)
    return [(float(model.actuator_gear[k][0]), 0.0 if armature is None else float(armature[k])) for k in driving]


def _any(model: Any, array: str, index: int) -> bool:
    """Whether a row of an array that only some versions of MuJoCo have is not zero."""
    values = getattr(model, array, None)
    return values is not None and bool(np.any(values[index]))


# ---- the efforts that actuators can exert on a joint ------------------------------------------------------------

#: A lower and an upper end, infinite where there is none.
Ends = tuple[Fraction | float, Fraction | float]


def effort_ranges(mujoco: Any, model: Any) -> list[Ends]:
    """The range of the effort that actuators exert on each joint."""
    ranges: dict[int, list[Ends]] = {}
    for k in range(getattr(model, "nactuator", model.nu)):
        j = turned_by(mujoco, model, k)
        if j is not None:
            force = _ends(model.actuator_forcelimited[k], model.actuator_forcerange[k])
            range_of_force = _clamped(_commanded(mujoco, model, k), force)
            ranges.setdefault(j, []).append(_times(range_of_force, exact.decimal(model.actuator_gear[k][0])))
    result: list[Ends] = []
    for j in range(model.njnt):
        lower, upper = (sum(ends) for ends in zip(*ranges.get(j, [(-inf, inf)]), strict=True))
        limited = getattr(model, "jnt_actfrclimited", None)  # only some versions of MuJoCo have it
        total = _ends(limited[j], model.jnt_actfrcrange[j]) if limited is not None else (-inf, inf)
        result.append(_clamped((lower, upper), total))
    return result


def _commanded(mujoco: Any, model: Any, k: int) -> Ends:
    """The range of gain · control, where that is all the force there is."""
    filters = (mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT)
    is_plain = (
        model.actuator_gaintype[k] == int(mujoco.mjtGain.mjGAIN_FIXED)
        and model.actuator_biastype[k] == int(mujoco.mjtBias.mjBIAS_NONE)
        and model.actuator_dyntype[k] in map(int, filters)
    )
    if not is_plain or not model.actuator_ctrllimited[k] or disabled(mujoco, model, "CLAMPCTRL"):
        return -inf, inf
    # some versions of MuJoCo have actuators with several controls: a plain motor has one
    control = model.actuator_ctrlrange[int(getattr(model, "actuator_ctrladr", range(model.nu))[k])]
    return _times(_ends(True, control), exact.decimal(model.actuator_gainprm[k][0]))


def _ends(limited: Any, ends: Any) -> Ends:
    return (exact.decimal(ends[0]), exact.decimal(ends[1])) if limited else (-inf, inf)


def _times(ends: Ends, factor: Fraction) -> Ends:
    lower, upper = (factor * end for end in ends) if factor else (factor, factor)
    return min(lower, upper), max(lower, upper)


def _clamped(ends: Ends, bounds: Ends) -> Ends:
    """The range of what lies between these ends and is then clamped to bounds."""
    low, high = bounds
    lower, upper = (min(max(low, end), high) for end in ends)
    return lower, upper


_KINDS = ("free", "ball", "slide", "hinge")
_SEEN_GROUPS = 3


class Assembly(assembly.Assembly):
    """Builds the System of a compiled model."""

    def __init__(
        self,
        model: Any,
        name: str,
        symbolic: Sequence[str],
        snap: Fraction,
        findings: Findings,
        meshes: Mapping[str, MeshAsset] | None = None,
        efforts: Sequence[Ends] = (),
    ) -> None:
        super().__init__(name, symbolic, snap, findings)
        self.model = model
        self.efforts = efforts  # the range of each joint
        self.meshes = meshes or {}
        self.bodies: list[Body] = [self.system.ground]
        self.sites: dict[int, str] = {}  # names of frames
        self.joints: list[Joint] = []

    # ---- numbers ---------------------------------------------------------------------------------------------

    def set_gravity(self, values: Iterable[float]) -> None:
        self.system.gravity = Vector(self._vector("gravity", "", values))

    def _vector(self, kind: str, owner: str, values: Iterable[float]) -> list[Expr]:
        return self.numbers(kind, owner, exact.point(values))

    def _rotation(self, quaternion: Sequence[float], place: str) -> Matrix:
        R, dropped = exact.rotation(quaternion, self.snap)
        self._note_snapped(dropped, place)
        return R

    def _axis(self, values: Sequence[float], place: str) -> Vector:
        direction, dropped = exact.axis(values, self.snap)
        self._note_snapped(dropped, place)
        return direction

    def _note_snapped(self, dropped: Fraction, place: str) -> None:
        if dropped > ROUNDING:
            self.findings.notice(place, f"an angle of {float(dropped):.3g} is taken as zero.", "N-ROBOT-ANGLE")

    # ---- bodies ----------------------------------------------------------------------------------------------

    def add_body(self, k: int) -> None:
        """Body k on its parent, with the joints that carry it."""
        model = self.model
        original = model.body(k).name
        name = self._free_name(original or f"body {k}", f"{original} body", self.system.bodies, "body", original)
        place = self.findings.place_of("body", original)
        mass = self.number("mass", name, "", exact.decimal(model.body_mass[k]))
        com = self._vector("com", name, model.body_ipos[k])
        moments = exact.inertia(model.body_inertia[k], model.body_iquat[k])
        inertia = self.numbers("inertia", name, moments)
        body = self.system.body(name, mass, com, inertia, self._shapes(k))
        self.bodies.append(body)
        parent = self.bodies[model.body_parentid[k]]
        at = self._vector("length", name, model.body_pos[k])
        R = self._rotation(model.body_quat[k], place)
        self.homes[name] = parent.name, Pose(R, Vector(at))
        first, count = model.body_jntadr[k], model.body_jntnum[k]
        if not count:
            self.system.joint(
                self._free_name(f"{name} weld", "", self.system.model().joints),
                parent,
                body,
                Fixed(),
                at=at,
                rotation=R,
            )
        for j in range(first, first + count):
            child = body if j == first + count - 1 else self._between(name, j)
            self._add_joint(j, parent, child, Vector(at), R)
            parent, at, R = child, [as_expr(0)] * 3, Matrix.identity(3).map(as_expr)
        self._add_gravity_compensation(body, model.body_gravcomp[k])

    def _between(self, name: str, j: int) -> Body:
        label = self.model.joint(j).name or str(j)
        return self.system.body(self._free_name(f"{name} after {label}", "", self.system.bodies))

    def _shapes(self, k: int) -> list[Shape]:
        """What MuJoCo's own viewer shows: geoms of the groups 0 to 2, or all where there are none."""
        first, count = self.model.body_geomadr[k], self.model.body_geomnum[k]
        geoms = list(range(first, first + count))
        seen = [geom for geom in geoms if self.model.geom_group[geom] < _SEEN_GROUPS] or geoms
        result = [self.shape(geom) for geom in seen]
        return [shape for shape in result if shape is not None]

    def shape(self, geom: int) -> Shape | None:
        """A geom as a shape for drawing; None for geoms that are no solid, or a mesh without a file."""
        model = self.model
        a, b, c = (exact.decimal(value) for value in model.geom_size[geom])
        # The kinds by MuJoCo's numbers: sphere 2, capsule 3, cylinder 5, box 6, mesh 7.
        if int(model.geom_type[geom]) == 7:
            return self._mesh(geom)
        size = {2: (a,), 3: (a, 2 * b), 5: (a, 2 * b), 6: (2 * a, 2 * b, 2 * c)}.get(int(model.geom_type[geom]))
        if size is None:
            return None
        kind = {2: "sphere", 3: "capsule", 5: "cylinder", 6: "box"}[int(model.geom_type[geom])]
        R, _ = exact.rotation(model.geom_quat[geom], self.snap)
        return Shape(kind, size, tuple(exact.point(model.geom_pos[geom])), R, self._color(geom))

    def _mesh(self, geom: int) -> Shape | None:
        """A mesh where the file puts it: the compiler has moved it to its mass centre and turned it to its axes."""
        model = self.model
        number = int(model.geom_dataid[geom])
        asset = self.meshes.get(model.mesh(number).name) if number >= 0 else None
        if asset is None:
            return None
        R_geom, _ = exact.rotation(model.geom_quat[geom], ROUNDING)
        R_mesh, _ = exact.rotation(model.mesh_quat[number], ROUNDING)
        R = (R_geom @ R_mesh.T).map(as_expr)
        at = Vector(exact.point(model.geom_pos[geom])) - R @ Vector(exact.point(model.mesh_pos[number]))
        return Shape("mesh", asset.scale, tuple(at), R, self._color(geom), asset.file, asset.lacking)

    def _color(self, geom: int) -> str:
        """The geom's own colour, or that of its material where it has none."""
        model, material = self.model, int(self.model.geom_matid[geom])
        rgba = [float(part) for part in model.geom_rgba[geom]]
        if material >= 0 and rgba == [0.5, 0.5, 0.5, 1.0]:  # what MuJoCo takes for none
            rgba = [float(part) for part in model.mat_rgba[material]]
        return written_color(" ".join(repr(part) for part in rgba))

    # ---- joints ----------------------------------------------------------------------------------------------

    def _add_joint(self, j: int, parent: Body, child: Body, p: Vector, R: Matrix) -> None:
        model = self.model
        kind = _KINDS[model.jnt_type[j]]
        original = model.joint(j).name
        name = self._free_name(original or f"{child.name} {kind}", "", self.system.model().joints)
        place = self.findings.place_of("joint", original)
        if kind == "free":  # its coordinates are the pose itself, not a change of it
            self.joints.append(self.system.joint(name, parent, child, Free()))
            return
        anchor = Vector(self._vector("length", name, model.jnt_pos[j]))
        at = p + R @ anchor
        if kind == "ball":
            result: JointType = Spherical()
        else:
            a = self._axis(model.jnt_axis[j], place)
            result = Revolute(a) if kind == "hinge" else Prismatic(a)
            home = as_expr(self.home(j))
            if home and kind == "hinge":
                R = (R @ about(a, -home)).map(as_expr)
            elif home:
                at = at - R @ (a * home)
        seats = {"at": at, "rotation": R, "child_at": anchor}
        efforts = None if kind == "ball" else self.efforts[j]
        limits: dict[str, Any] = {"limits": self._limits(j, kind), "effort_limits": efforts}
        self.joints.append(self.system.joint(name, parent, child, result, **seats, **limits))

    def home(self, j: int) -> Fraction:
        """The coordinate of a hinge or slide in the pose in which the file describes the model."""
        return exact.decimal(self.model.qpos0[self.model.jnt_qposadr[j]])

    def _limits(self, j: int, kind: str) -> tuple[Fraction, Fraction] | None:
        """The range of a hinge or a slide, if it has one; that of a ball is a cone, and no range of a coordinate."""
        if kind == "ball" or not self.model.jnt_limited[j]:
            return None
        lower, upper = map(exact.decimal, self.model.jnt_range[j])
        return lower, upper

    def add_spring(self, j: int) -> None:
        """-k (q - q0) where a joint has one coordinate; other springs have been refused or left out."""
        joint, model = self.joints[j], self.model
        stiffness = exact.decimal(model.jnt_stiffness[j])
        if stiffness and len(joint.q) == 1:
            rest = exact.decimal(model.qpos_spring[model.jnt_qposadr[j]])
            self.system.joint_spring(joint, stiffness, rest, name=f"{joint.name} spring")

    def add_damper(self, j: int) -> None:
        """-c u on each speed: one number for all, in any axes of the speeds."""
        joint = self.joints[j]
        damping = exact.decimal(self.model.dof_damping[self.model.jnt_dofadr[j]])
        for index, u in enumerate(joint.u if damping else ()):
            self.system.joint_force(joint, -as_expr(damping) * u, index, f"{joint.name} damping")

    def add_motor(self, j: int, actuators: Sequence[tuple[float, float]], with_armature: bool) -> None:
        """Add a motor with a decoupled rotor: the gear of a joint's only actuator is its ratio, else 1."""
        joint, model = self.joints[j], self.model
        gears = [exact.decimal(gear) for gear, _ in actuators]
        armature = exact.decimal(model.dof_armature[model.jnt_dofadr[j]])
        armature += sum(gear**2 * exact.decimal(inertia) for gear, (_, inertia) in zip(gears, actuators, strict=True))
        armature = armature if with_armature else Fraction(0)
        if len(joint.u) != 1 or not (armature or gears):
            return
        ratio = gears[0] if len(gears) == 1 and gears[0] else Fraction(1)
        self.system.motor(joint, ratio, inertia=armature / ratio**2, coupling="reduced")

    def _add_gravity_compensation(self, body: Body, share: float) -> None:
        if share:
            lift = self.system.gravity * (-as_expr(exact.decimal(share)) * body.mass)
            self.system.force(body, lift, at=body.com, name=f"{body.name} gravity compensation")

    # ---- frames ----------------------------------------------------------------------------------------------

    def add_site(self, k: int) -> None:
        """A named site as a frame."""
        model = self.model
        original = model.site(k).name
        if not original:
            return
        taken = {**self.system.bodies, **self.system.frames}
        name = self._free_name(original, f"{original} site", taken, "site", original)
        R = self._rotation(model.site_quat[k], self.findings.place_of("site", original))
        self.system.frame(name, self.bodies[model.site_bodyid[k]], exact.point(model.site_pos[k]), R)
        self.sites[k] = name

    # ---- names -----------------------------------------------------------------------------------------------

    def _free_name(self, wanted: str, instead: str, taken: Iterable[str], tag: str = "", original: str = "") -> str:
        """An unused name; a warning if a name of the file cannot be kept."""
        names = {*taken, GROUND}
        name = wanted if wanted not in names else free_name(instead or f"{wanted} 2", names)
        if original and name != original:
            self.findings.notice(
                self.findings.place_of(tag, original), f"it is called '{name}': '{original}' is taken.", "N-ROBOT-NAME"
            )
        return name


def named_state(model: Any, joints: Sequence[Joint], qpos: Any, qvel: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and speeds by name; a free joint has its quaternion first, and body-frame velocities."""
    coordinates: dict[str, float] = {}
    speeds: dict[str, float] = {}
    for j, joint in enumerate(joints):
        a, d = model.jnt_qposadr[j], model.jnt_dofadr[j]
        q, u = list(qpos[a : a + len(joint.q)]), list(qvel[d : d + len(joint.u)])
        if joint.type.kind == "free":
            q = [*q[3:], *q[:3]]
            u = [*u[3:], *_in_body_axes(q[:4], u[:3])]
        coordinates |= {symbol.name: float(value) for symbol, value in zip(joint.q, q, strict=True)}
        speeds |= {symbol.name: float(value) for symbol, value in zip(joint.u, u, strict=True)}
    return coordinates, speeds


def _in_body_axes(quaternion: Sequence[float], vector: Sequence[float]) -> Any:
    """Rᵀ v, as v - 2w (x × v) + 2 x × (x × v)."""
    e = np.asarray(quaternion) / np.linalg.norm(quaternion)
    once = np.cross(e[1:], vector)
    return np.asarray(vector) - 2 * e[0] * once + 2 * np.cross(e[1:], once)


def add_poses(system: System, model: Any, joints: Sequence[Joint]) -> None:
    """Add the pose "qpos0" of the file and one for each keyframe, without coupled joints."""
    if not joints:
        return

    def state(qpos: Any, qvel: Any) -> tuple[dict[str, float], dict[str, float]]:
        coordinates, speeds = named_state(model, joints, qpos, qvel)
        for follower in map(system.model().joints.__getitem__, system.couplings):
            coordinates.pop(follower.q[0].name, None)  # a geared rotor is not in MuJoCo's state
            speeds.pop(follower.u[0].name, None)
        return coordinates, speeds

    system.pose("qpos0", *state(model.qpos0, np.zeros(model.nv)))
    for k in range(model.nkey):
        name = free_name(model.key(k).name or f"key {k}", system.poses)
        system.pose(name, *state(model.key_qpos[k], model.key_qvel[k]))
