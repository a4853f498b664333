"""What MuJoCo's compiled model has beside mechanics, as equipment of the System.

Fixed tendons, L = Σ c_i q_i, are more than records: their springs and dampers act,

    τ_i = -c_i (k (L - L̂) + d L̇),     L̂ the nearest length at which the spring is slack,

and an equality of such tendons is a condition. Of actuators are kept those whose force is linear in control, length and
velocity, on a hinge, slide, tendon or site; of sensors those that need no camera or plugin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

from ...expr import Expr, as_expr, maximum, minimum
from ..robot_file.assembly import free_name
from . import exact
from .assemble import Assembly, disabled, linear_terms, turned_by

_DYNAMICS = {"NONE": "none", "INTEGRATOR": "integrator", "FILTER": "filter", "FILTEREXACT": "filter"}
_SHAPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")


def add_equipment(built: Assembly, mujoco: Any, ignore: Collection[str], acting: Mapping[str, bool]) -> None:
    """Add all records, and warn once of those without effect; `acting` says whether geoms and limits act."""
    model, system = built.model, built.system
    left_out = Counter[str]()
    for k in range(model.ntendon):
        left_out["tendon around geoms or pulleys"] += not _add_tendon(built, mujoco, k, "tendon" not in ignore)
    for k in range(getattr(model, "nactuator", model.nu)):
        left_out["actuator that is not linear, or not on a joint, tendon or site"] += not _add_actuator(
            built, mujoco, k
        )
    for k in range(model.nsensor):
        _add_sensor(built, mujoco, k)
    _add_geoms(built, bool(model.opt.enableflags & int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)))
    counts = {table: len(system.equipment.get(table, ())) for table in ("tendons", "actuators", "sensors")}
    geoms, limits = len(system.equipment.get("geoms", ())), sum(map(bool, model.jnt_limited))
    counts["geoms that could touch"] = 0 if acting["geoms"] or geoms == 1 else geoms
    counts["limits of joints"] = 0 if acting["limits"] else limits
    listed = ", ".join(f"{text} ({count})" for text, count in counts.items() if count)
    if listed:
        message = f"these are recorded, and exert no forces: {listed}."
        ways = {"geoms that could touch": "contacts=True adds contacts", "limits of joints": "stops=0.1 adds stops"}
        cure = "; ".join(["Drive the joints by their efforts", *(way for what, way in ways.items() if counts[what])])
        built.findings.warn(built.findings.file, message, f"{cure}.", "W-ROBOT-UNSUPPORTED")
    for what, count in left_out.items():
        if count:
            message = f"{count} {what} left out."
            built.findings.warn(built.findings.file, message, "", "W-ROBOT-UNSUPPORTED")


def _name(built: Assembly, table: str, original: str, what: str) -> str:
    return free_name(original or what, built.system.equipment.get(table, ()))


def _ends(prefix: str, limited: Any, ends: Any) -> dict[str, Any]:
    if not limited:
        return {}
    return {f"{prefix}lower": exact.decimal(ends[0]), f"{prefix}upper": exact.decimal(ends[1])}


# ---- tendons ---------------------------------------------------------------------------------------------------


def _length(built: Assembly, coefficients: dict[int, Fraction], of: str = "q") -> Expr:
    """Σ c q of a fixed tendon, or Σ c u."""
    return as_expr(sum((c * getattr(built.joints[j], of)[0] for j, c in coefficients.items()), as_expr(0)))


def _add_tendon(built: Assembly, mujoco: Any, k: int, acts: bool) -> bool:
    """Record a tendon whose path goes over joints or sites; return whether it does."""
    model, system = built.model, built.system
    path: dict[str, Any]
    fixed = linear_terms(mujoco, model, k)
    if fixed is not None:
        path = {"joints": [built.joints[j].name for j in fixed], "coefficients": list(fixed.values())}
    else:
        rows = range(int(model.tendon_adr[k]), int(model.tendon_adr[k] + model.tendon_num[k]))
        if any(int(model.wrap_type[row]) != int(mujoco.mjtWrap.mjWRAP_SITE) for row in rows):
            return False
        path = {"frames": [built.sites[int(model.wrap_objid[row])] for row in rows]}
    stiffness, damping = exact.decimal(model.tendon_stiffness[k]), exact.decimal(model.tendon_damping[k])
    slack = [exact.decimal(end) for end in model.tendon_lengthspring[k]]
    name = _name(built, "tendons", model.tendon(k).name, f"tendon {k}")
    system.equip(
        "tendons", name, **path, **_ends("", model.tendon_limited[k], model.tendon_range[k]),
        stiffness=stiffness, damping=damping, slack=slack if stiffness else (),
        friction=exact.decimal(model.tendon_frictionloss[k]),
        armature=exact.decimal(getattr(model, "tendon_armature", [0] * model.ntendon)[k]),
    )  # fmt: skip
    if fixed is None or not acts:
        return True
    L = _length(built, fixed)
    pull = as_expr(0)
    if stiffness and not disabled(mujoco, model, "SPRING", "PASSIVE"):
        stretch = maximum(L - slack[1], 0) + minimum(L - slack[0], 0) if slack[0] != slack[1] else L - slack[0]
        pull = pull - stiffness * stretch
    if damping and not disabled(mujoco, model, "DAMPER", "PASSIVE"):
        pull = pull - damping * _length(built, fixed, "u")
    for j, c in fixed.items() if pull else ():
        system.joint_force(built.joints[j], c * pull, name=f"{name} on {built.joints[j].name}")
    return True


# ---- actuators and sensors -------------------------------------------------------------------------------------


def _add_actuator(built: Assembly, mujoco: Any, k: int) -> bool:
    """Record an actuator whose force is linear in control, length and velocity; return whether it is."""
    model = built.model
    kinds = {
        what: getattr(mujoco, f"mjt{kind}")(int(getattr(model, f"actuator_{what}type")[k])).name.rpartition("_")[2]
        for what, kind in {"dyn": "Dyn", "gain": "Gain", "bias": "Bias", "trn": "Trn"}.items()
    }
    on = _driven(built, mujoco, k, kinds["trn"])
    linear = kinds["dyn"] in _DYNAMICS and kinds["gain"] in ("FIXED", "AFFINE") and kinds["bias"] in ("NONE", "AFFINE")
    if not linear or not on:
        return False
    gain = [exact.decimal(x) for x in model.actuator_gainprm[k][: 3 if kinds["gain"] == "AFFINE" else 1]]
    bias = [exact.decimal(x) for x in model.actuator_biasprm[k][: 3 if kinds["bias"] == "AFFINE" else 0]]
    control = int(getattr(model, "actuator_ctrladr", range(model.nu))[k])
    built.system.equip(
        "actuators", _name(built, "actuators", model.actuator(k).name, f"actuator {k}"), **on,
        gain=[*gain, 0, 0][:3], bias=[*bias, 0, 0, 0][:3],
        **_ends("control_", model.actuator_ctrllimited[k], model.actuator_ctrlrange[control]),
        **_ends("force_", model.actuator_forcelimited[k], model.actuator_forcerange[k]),
        dynamics=_DYNAMICS[kinds["dyn"]], time_constant=exact.decimal(model.actuator_dynprm[k][0]),
    )  # fmt: skip
    return True


def _driven(built: Assembly, mujoco: Any, k: int, kind: str) -> dict[str, Any]:
    """What an actuator acts on, with its gear; nothing where it is something else."""
    model = built.model
    gear = [exact.decimal(x) for x in model.actuator_gear[k]]
    target, reference = (int(n) for n in model.actuator_trnid[k])
    joint = turned_by(mujoco, model, k)
    if joint is not None:
        return {"joint": built.joints[joint].name, "gear": gear[:1]}
    if kind == "TENDON":
        name = model.tendon(target).name or f"tendon {target}"
        return {"tendon": name, "gear": gear[:1]} if name in built.system.equipment.get("tendons", ()) else {}
    return {"frame": built.sites[target], "gear": gear} if kind == "SITE" and reference < 0 else {}


def _add_sensor(built: Assembly, mujoco: Any, k: int) -> None:
    """Record a sensor, with its value where that is a coordinate, a speed or the length of a fixed tendon."""
    model = built.model
    quantity = mujoco.mjtSensor(int(model.sensor_type[k])).name.removeprefix("mjSENS_").lower()
    of, number = int(model.sensor_objtype[k]), int(model.sensor_objid[k])
    value: Any = None
    if quantity in ("jointpos", "jointvel"):
        value = (built.joints[number].q if quantity == "jointpos" else built.joints[number].u)[0]
    elif quantity in ("tendonpos", "tendonvel") and (fixed := linear_terms(mujoco, model, number)):
        value = _length(built, fixed, "q" if quantity == "tendonpos" else "u")
    named = mujoco.mj_id2name(model, of, number) if number >= 0 else ""
    name = _name(built, "sensors", model.sensor(k).name, f"{quantity} {named or k}")
    built.system.equip("sensors", name, quantity=quantity, of=named or "", value=value)


# ---- what may touch --------------------------------------------------------------------------------------------


def _add_geoms(built: Assembly, override: bool) -> None:
    """Record geoms that could touch, pairs of them, and bodies that do not touch.

    With `override` the laws of contacts are those of the options for all.
    """
    model, system = built.model, built.system
    paired = {*map(int, model.pair_geom1), *map(int, model.pair_geom2)}
    names: dict[int, str] = {}
    for k in range(model.ngeom):
        if not (model.geom_contype[k] or model.geom_conaffinity[k] or k in paired):
            continue
        body = built.bodies[model.geom_bodyid[k]]
        names[k] = _name(built, "geoms", model.geom(k).name, f"{body.name} geom {k}")
        shape = built.shape(k)
        kind = _SHAPES[int(model.geom_type[k])]
        seat: dict[str, Any] = (
            {"at": shape.at, "rotation": shape.rotation, "size": shape.size, "file": shape.file}
            if shape
            else {"at": exact.point(model.geom_pos[k]), "rotation": exact.rotation(model.geom_quat[k], built.snap)[0]}
        )
        if kind == "mesh" and shape is None:
            first, count = (int(table[model.geom_dataid[k]]) for table in (model.mesh_vertadr, model.mesh_vertnum))
            seat["points"] = model.mesh_vert[first : first + count].ravel().tolist()
        if kind == "ellipsoid":
            seat["size"] = [2 * exact.decimal(x) for x in model.geom_size[k]]
        system.equip(
            "geoms", names[k], body=body, shape=kind, **seat,
            **_contact(model, "geom", k, override), contype=int(model.geom_contype[k]),
            conaffinity=int(model.geom_conaffinity[k]), dimension=int(model.geom_condim[k]),
            priority=int(model.geom_priority[k]),
        )  # fmt: skip
    for k in range(model.npair):
        both = [names[int(model.pair_geom1[k])], names[int(model.pair_geom2[k])]]
        name = _name(built, "pairs", model.pair(k).name, " and ".join(both))
        system.equip(
            "pairs", name, geoms=both, dimension=int(model.pair_dim[k]), **_contact(model, "pair", k, override)
        )
    for k in range(model.nexclude):
        signature = int(model.exclude_signature[k])
        bodies = [built.bodies[index].name for index in (signature >> 16, signature & 0xFFFF)]
        name = _name(built, "excludes", model.exclude(k).name, " and ".join(bodies))
        system.equip("excludes", name, bodies=bodies)


def _contact(model: Any, prefix: str, k: int, override: bool) -> dict[str, Any]:
    given: dict[str, Any] = {key: getattr(model, f"{prefix}_{key}")[k] for key in (*_ROWS, "margin", "gap")}
    if override:
        given |= {key: getattr(model.opt, f"o_{key}") for key in (*_ROWS, "margin")}
        given["friction"] = given["friction"][[0, 2, 3] if prefix == "geom" else slice(None)]
    return {key: [*map(exact.decimal, x)] if key in _ROWS else exact.decimal(x) for key, x in given.items()}


_ROWS = ("friction", "solref", "solimp")
