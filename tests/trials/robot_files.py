"""A long trial: the robot files of public packages, beside MuJoCo and Pinocchio.

    pip download --no-deps -d WHEELS mujoco dm_control gymnasium gymnasium-robotics robosuite robosuite-models metaworld
    python -m tests.trials.robot_files WHEELS [--results FILE] [--only TEXT] [--table]

WHEELS holds one folder for each unpacked wheel; the packages `mujoco` and `example-robot-data` are taken from where
they are installed. Each MJCF file that MuJoCo compiles, and each URDF and SDF of `example-robot-data`, is read with the
default options. What is read is compared with the peer at ten random states: mass matrix, bias and accelerations
without constraints, relative to the largest entry (of the bias, to 1 at least, as efforts are below 1). Angles are as
they are written (snap="1e-13"), inertias too; equality constraints and couplings, and what the reader's warnings name,
are left out of both. With --results, files that are in FILE already are not repeated. --table prints the summary that
docs/robots.md has. A file fails if it is not read, or is off by more than 1e-8.
"""

import argparse
import json
import multiprocessing
import os
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from polhode.errors import PolhodeError
from polhode.expr import as_expr
from polhode.expr.evaluation import Evaluator
from polhode.formats.mjcf import read_mjcf
from polhode.formats.mjcf.assemble import IGNORABLE, linear_terms
from polhode.formats.sdf import read_sdf
from polhode.formats.urdf import read_urdf
from polhode.model import System

STATES, TOLERANCE, SECONDS = 10, 1e-8, 300
ERD = "example-robot-data"
#: Quantities at one state: M, bias and accelerations in the order of our speeds.
Quantities = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Outcome:
    """What became of one file: why it was refused, what was left out, and the largest relative deviations."""

    package: str
    file: str
    refused: str = ""
    left_out: tuple[str, ...] = ()
    freedoms: int = 0
    deviations: tuple[float, ...] = ()
    seconds: float = 0.0

    @property
    def passes(self) -> bool:
        return not self.refused and all(each <= TOLERANCE for each in self.deviations)


def files_of(wheels: Path) -> Iterator[tuple[str, Path, Path]]:
    """The package, its folder and each file that may be a model."""
    folders = {path.name: path for path in sorted(wheels.iterdir()) if path.is_dir()}
    installed = metadata.distribution("mujoco")
    folders["mujoco"] = Path(str(installed.locate_file("mujoco")))
    for package, folder in folders.items():
        yield from ((package, folder, path) for path in sorted(folder.rglob("*.xml")) if _root(path) == "mujoco")
    robots = Path(str(metadata.distribution(ERD).locate_file(f"cmeel.prefix/share/{ERD}/robots")))
    for suffix in ("urdf", "sdf"):
        yield from ((f"{ERD} ({suffix.upper()})", robots, path) for path in sorted(robots.rglob(f"*.{suffix}")))


def _root(path: Path) -> str:
    try:
        return ElementTree.parse(path).getroot().tag
    except ElementTree.ParseError:
        return ""


# ---- ours ------------------------------------------------------------------------------------------------------------


class Ours:
    """M, bias and accelerations of a System at values of its coordinates, speeds and efforts by name."""

    def __init__(self, system: System) -> None:
        self.system = system
        equations = system.derive()
        self.speeds = list(equations.speeds)
        roots = [*equations.mass_matrix.entries(), *equations.bias, *equations.forward_dynamics]
        self.evaluator = Evaluator(map(as_expr, roots))
        self.parameters = {each.symbol: float(each.value or 0) for each in system.parameters.values()}

    def __call__(self, values: dict[Any, float]) -> Quantities:
        n = len(self.speeds)
        numbers = np.array(self.evaluator({**self.parameters, **values}))
        return numbers[: n * n].reshape(n, n), numbers[n * n : n * n + n], numbers[n * n + n :]


def moving(system: System) -> list[Any]:
    """The joints of the file that have coordinates: those without the rotors of motors."""
    rotors = {motor.rotor for motor in system.motors.values()}
    return [joint for joint in system.joints.values() if joint.q and joint.name not in rotors]


def deviations(ours: Ours, state: Callable[[Any], tuple[dict[Any, float], Quantities]]) -> tuple[float, ...]:
    """The largest deviation of each quantity, relative to its largest entry, over random states."""
    result = np.zeros(3)
    for seed in range(STATES):
        values, theirs = state(np.random.default_rng(seed))
        for k, (mine, other) in enumerate(zip(ours(values), theirs, strict=True)):
            scale = max(float(np.abs(other).max(initial=0.0)), 1.0 if k == 1 else 1e-12)  # efforts are below 1
            result[k] = np.nanmax([result[k], np.abs(mine - other).max(initial=0.0) / scale])
            if not np.isfinite(mine).all():
                result[k] = np.inf
    return tuple(float(f"{each:.2g}") for each in result)


# ---- MuJoCo ----------------------------------------------------------------------------------------------------------

#: What each effect that a warning names is in MuJoCo's compiled model.
ARRAYS = {
    "tendon": ("tendon_stiffnesspoly", "tendon_dampingpoly", "tendon_armature"),
    "damping": ("dof_dampingpoly", "actuator_damping", "actuator_dampingpoly"),
}


def without(mujoco: Any, model: Any, left_out: tuple[str, ...]) -> None:
    """Remove from MuJoCo's model what the reader left out, and all constraints, contacts and actuators' forces."""
    flags = mujoco.mjtDisableBit
    model.opt.disableflags |= int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_ACTUATION)
    model.jnt_actgravcomp[:] = 0  # gravity compensation is no actuator's
    for effect, text in IGNORABLE.items():
        if not any(text in each for each in left_out):
            continue
        for name in ARRAYS.get(effect, ()):
            if hasattr(model, name):
                getattr(model, name)[:] = 0
        for k in range(model.ntendon if effect == "tendon" else 0):
            if linear_terms(mujoco, model, k) is None:
                model.tendon_stiffness[k] = model.tendon_damping[k] = 0
        if effect == "fluid":
            model.opt.density = model.opt.viscosity = 0
        for j in range(model.njnt):
            several = model.jnt_type[j] < 2
            d = slice(model.jnt_dofadr[j], model.jnt_dofadr[j] + (6, 3, 1, 1)[model.jnt_type[j]])
            if effect == "armature" and several:
                model.dof_armature[d] = 0
            if effect == "spring" and (several or model.jnt_stiffnesspoly[j].any()):
                model.jnt_stiffness[j] = model.jnt_stiffnesspoly[j] = 0
    mujoco.mj_setConst(model, mujoco.MjData(model))


def mujoco_state(mujoco: Any, model: Any, system: System, speeds: list[str]) -> Callable[[Any], Any]:
    """A function of random numbers: values of our symbols, and MuJoCo's quantities in our speeds and axes."""
    joints = moving(system)
    place = {name: k for k, name in enumerate(speeds)}

    def state(rng: Any) -> tuple[dict[Any, float], Quantities]:
        data = mujoco.MjData(model)
        mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1.5, 1.5, model.nv), 1.0)
        mujoco.mj_normalizeQuat(model, data.qpos)
        data.qvel[:], data.qfrc_applied[:] = rng.uniform(-1, 1, (2, model.nv))
        mujoco.mj_forward(model, data)
        values: dict[Any, float] = {}
        S, rates = np.zeros((model.nv, model.nv)), np.zeros(model.nv)  # qvel = S u, and the rate of S times u
        for j, joint in enumerate(joints):
            a, d, n = model.jnt_qposadr[j], model.jnt_dofadr[j], len(joint.u)
            q, rows, columns = data.qpos[a : a + len(joint.q)], np.arange(d, d + n), [place[u.name] for u in joint.u]
            S_j = np.eye(n)
            if joint.type.kind == "free":
                flat = np.empty(9)
                mujoco.mju_quat2Mat(flat, q[3:])
                R = flat.reshape(3, 3)
                S_j = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
                q = np.concatenate([q[3:], q[:3]])
            S[np.ix_(rows, columns)] = S_j
            u, tau = S_j.T @ data.qvel[rows], S_j.T @ data.qfrc_applied[rows]
            if joint.type.kind == "free":
                rates[d : d + 3] = R @ np.cross(u[:3], u[3:])
            values |= dict(zip([*joint.q, *joint.u, *joint.tau], map(float, [*q, *u, *tau]), strict=True))
        M = np.empty((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        bias = data.qfrc_bias - data.qfrc_passive
        return values, (S.T @ M @ S, S.T @ (bias + M @ rates), S.T @ (data.qacc_smooth - rates))

    return state


def tried_mjcf(package: str, folder: Path, path: Path) -> Outcome | None:
    """One MJCF file, or nothing where MuJoCo itself does not compile it."""
    import mujoco  # as forked processes need their own

    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except (ValueError, mujoco.FatalError):
        return None
    return _tried(package, folder, path, lambda: read_mjcf(path), lambda: _as_mujoco(mujoco, model, path))


def _as_mujoco(mujoco: Any, model: Any, path: Path) -> tuple[int, tuple[float, ...]]:
    system, report = read_mjcf(path, ignore=["equality"], snap="1e-13", friction=False)
    without(mujoco, model, tuple(each.message for each in (*report.warnings, *report.notices)))
    if not model.nv:
        return 0, ()
    ours = Ours(system)
    return len(ours.speeds), deviations(ours, mujoco_state(mujoco, model, system, ours.speeds))


# ---- Pinocchio -------------------------------------------------------------------------------------------------------


def pinocchio_state(pin: Any, model: Any, springs: Any, system: System, speeds: list[str]) -> Callable[[Any], Any]:
    """A function of random numbers: values of our symbols, and Pinocchio's quantities in our order of speeds."""
    joints = moving(system)
    place = {name: k for k, name in enumerate(speeds)}

    def state(rng: Any) -> tuple[dict[Any, float], Quantities]:
        values: dict[Any, float] = {}
        q, order = pin.neutral(model), np.full(model.nv, -1)
        u, tau = rng.uniform(-1, 1, (2, model.nv))
        elastic = np.zeros(model.nv)
        for joint in joints:
            other = model.joints[model.getJointId(joint.name)]
            their_q = slice(other.idx_q, other.idx_q + other.nq)
            own = [place[each.name] for each in joint.u]
            if len(own) == 1:
                angle = rng.uniform(-1, 1)
                stiffness, rest = springs.get(joint.name, (0.0, 0.0))
                elastic[own] = stiffness * (angle - rest)
                mine, q[their_q] = [angle], [angle] if other.nq == 1 else [np.cos(angle), np.sin(angle)]
            else:  # free or spherical
                turn, at = rng.normal(size=4), rng.normal(size=len(own) - 3)
                w, *xyz = turn / np.linalg.norm(turn)
                mine, q[their_q], own = [w, *xyz, *at], [*at, *xyz, w], own[3:] + own[:3]
            order[other.idx_v : other.idx_v + other.nv] = own
            values |= dict(zip(joint.q, map(float, mine), strict=True))
            values |= {symbol: float(u[place[symbol.name]]) for symbol in joint.u}
            values |= {symbol: float(tau[place[speed.name]]) for speed, symbol in zip(joint.u, joint.tau, strict=True)}
        data, back = model.createData(), np.argsort(order)
        upper = np.triu(pin.crba(model, data, q))
        M = (upper + np.triu(upper, 1).T)[np.ix_(back, back)]
        bias = np.array(pin.nle(model, data, q, u[order]))[back] + elastic
        return values, (M, bias, np.array(pin.aba(model, data, q, u[order], (tau - elastic)[order]))[back])

    return state


def tried_urdf(package: str, folder: Path, path: Path) -> Outcome | None:
    """One URDF file, or nothing where Pinocchio itself does not read it."""
    import pinocchio as pin

    try:
        model = pin.buildModelFromUrdf(str(path))
    except (ValueError, RuntimeError):
        return None

    def compared() -> tuple[int, tuple[float, ...]]:
        system = read_urdf(path, mimic="independent", inertia="any", snap="1e-13", friction=False)[0]
        kept = {joint.name for joint in moving(system)}
        locked = [k for k, name in enumerate(model.names) if k and name not in kept]  # which move no mass
        reduced = pin.buildReducedModel(model, locked, pin.neutral(model)) if locked else model
        return _as_pinocchio(pin, reduced, {}, system)

    return _tried(package, folder, path, lambda: read_urdf(path), compared)


def _as_pinocchio(
    pin: Any, model: Any, springs: dict[str, tuple[float, float]], system: System
) -> tuple[int, tuple[float, ...]]:
    if not model.nv:
        return 0, ()
    ours = Ours(system)
    return len(ours.speeds), deviations(ours, pinocchio_state(pin, model, springs, system, ours.speeds))


def tried_sdf(package: str, folder: Path, path: Path) -> Outcome | None:
    """One SDF file; Pinocchio's model of its tree is built here, from poses in the model."""
    import pinocchio as pin

    def compared() -> tuple[int, tuple[float, ...]]:
        system = read_sdf(path, inertia="any", snap="1e-13", friction=False)[0]
        tree = System.of(replace(system.model(), constraints={}))
        return _as_pinocchio(pin, *sdf_tree(pin, path), tree)

    return _tried(package, folder, path, lambda: read_sdf(path), compared)


def sdf_tree(pin: Any, path: Path) -> tuple[Any, dict[str, tuple[float, float]]]:
    """Pinocchio's model of an SDF file, loops open, and stiffness and rest of the springs of its joints."""

    def numbers(element: Any, tag: str, count: int) -> np.ndarray:
        text = element.findtext(tag) if element is not None else None
        return np.array(text.split(), dtype=float) if text else np.zeros(count)

    def pose(element: Any) -> Any:
        x = numbers(element, "pose", 6)
        return pin.SE3(pin.rpy.rpyToMatrix(*x[3:]), x[:3])

    root = next(ElementTree.parse(path).getroot().iter("model"))
    links = {link.get("name"): link for link in root.findall("link")}
    carried: dict[str, Any] = {}
    for joint in root.findall("joint"):
        if joint.get("type") in ("revolute", "continuous", "prismatic", "ball", "fixed"):
            carried.setdefault(joint.findtext("child"), joint)
    model, place, springs = pin.Model(), dict[str, tuple[int, Any]](), dict[str, tuple[float, float]]()

    def added(name: str) -> tuple[int, Any]:
        """The joint that carries a link, and the link's pose in that joint's frame."""
        if name in place or name == "world":
            return place.get(name, (0, pin.SE3.Identity()))
        joint = carried.get(name)
        if joint is None:
            number = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
            place[name] = number, pin.SE3.Identity()
        else:
            parent = joint.findtext("parent")
            up, X_parent = added(parent)
            X_model_parent = pin.SE3.Identity() if parent == "world" else pose(links[parent])
            X_child_joint, axis = pose(joint), joint.find("axis")
            X = X_parent * X_model_parent.inverse() * pose(links[name]) * X_child_joint
            if joint.get("type") == "fixed":
                place[name] = up, X * X_child_joint.inverse()
            else:
                along = numbers(axis, "xyz", 3)
                if axis is not None and axis.findtext("use_parent_model_frame", "").strip() in ("1", "true"):
                    along = (pose(links[name]) * X_child_joint).rotation.T @ along
                kind = {"prismatic": pin.JointModelPrismaticUnaligned}.get(
                    joint.get("type"), pin.JointModelRevoluteUnaligned
                )
                made = pin.JointModelSpherical() if joint.get("type") == "ball" else kind(along / np.linalg.norm(along))
                place[name] = model.addJoint(up, made, X, joint.get("name")), X_child_joint.inverse()
                dynamics = axis.find("dynamics") if axis is not None else None
                k = numbers(dynamics, "spring_stiffness", 1)[0]
                springs[joint.get("name")] = (k, numbers(dynamics, "spring_reference", 1)[0])
        inertial = links[name].find("inertial")
        if inertial is not None:
            xx, yy, zz, xy, xz, yz = (
                numbers(inertial.find("inertia"), each, 1)[0] for each in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            )
            I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            number, X_link = place[name]
            own = pin.Inertia(numbers(inertial, "mass", 1)[0], np.zeros(3), I)
            model.appendBodyToJoint(number, own, X_link * pose(inertial))
        return place[name]

    waiting = [name for name in links if name not in carried or carried[name].findtext("parent") == "world"][::-1]
    while waiting:  # depth first, as Pinocchio needs it
        name = waiting.pop()
        added(name)
        waiting += [child for child, joint in reversed(carried.items()) if joint.findtext("parent") == name]
    return model, springs


# ---- the trial -------------------------------------------------------------------------------------------------------


def _tried(package: str, folder: Path, path: Path, read: Callable[[], Any], compared: Callable[[], Any]) -> Outcome:
    name, start = path.relative_to(folder).as_posix(), time.perf_counter()
    try:
        _, report = read()
    except PolhodeError as error:
        return Outcome(package, name, "; ".join(f"{each.message} [{each.code}]" for each in error.problems)[:400])
    left_out = tuple(each.message for each in report.warnings if each.code == "W-ROBOT-UNSUPPORTED")
    freedoms, found = compared()
    return Outcome(package, name, "", left_out, freedoms, found, round(time.perf_counter() - start, 2))


TRIED = {".xml": tried_mjcf, ".urdf": tried_urdf, ".sdf": tried_sdf}


def _child(task: tuple[str, Path, Path], pipe: Any) -> None:
    warnings.simplefilter("ignore")
    os.chdir(tempfile.gettempdir())  # where MuJoCo writes its log
    try:
        pipe.send(TRIED[task[2].suffix](*task))
    except Exception as error:  # of a bug or a peer: it counts as refused
        name = task[2].relative_to(task[1]).as_posix()
        pipe.send(Outcome(task[0], name, f"{type(error).__name__}: {error}"[:400]))


def outcome_of(task: tuple[str, Path, Path]) -> Outcome | None:
    """The outcome of one file, in a process of its own."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_child, args=(task, theirs))
    process.start()
    theirs.close()
    name = task[2].relative_to(task[1]).as_posix()
    try:
        return ours.recv() if ours.poll(SECONDS) else Outcome(task[0], name, f"not done in {SECONDS} s")
    except EOFError:
        return Outcome(task[0], name, "the process ended")
    finally:
        process.kill()
        process.join()


def table(outcomes: list[Outcome]) -> str:
    """The summary by package, and in how many files what is left out, in Markdown."""
    lines = ["| package | files | read | M | bias | accelerations |", "| --- | --- | --- | --- | --- | --- |"]
    for package in dict.fromkeys(each.package for each in outcomes):
        own = [each for each in outcomes if each.package == package]
        compared = [each.deviations for each in own if each.deviations]
        worst = np.max(compared, axis=0) if compared else np.zeros(3)
        read = sum(not each.refused for each in own)
        lines.append(f"| {package} | {len(own)} | {read} | " + " | ".join(f"{each:.0e}" for each in worst) + " |")
    counts = Counter(text for each in outcomes for text in dict.fromkeys(_short(each.left_out)))
    lines += ["", "| left out | files |", "| --- | --- |"]
    lines += [f"| {text} | {count} |" for text, count in counts.most_common()]
    return "\n".join(lines)


def _short(messages: tuple[str, ...]) -> Iterator[str]:
    """Messages without numbers and names; what is only recorded is one message for each kind."""
    for message in messages:
        plain = re.sub(r" \([^)]*\)|'[^']*'|^\d+ ", "", message).strip(".")
        recorded = plain.partition("exert no forces: ")[2]
        yield from (f"{each} (recorded)" for each in recorded.split(", ")) if recorded else [plain]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    known: list[Outcome] = []
    if given.results and given.results.exists():
        known = [Outcome(**json.loads(line)) for line in given.results.read_text().splitlines()]
    done = {(each.package, each.file): each for each in known}
    outcomes: list[Outcome] = []
    for task in files_of(given.wheels.resolve()):
        key = (task[0], task[2].relative_to(task[1]).as_posix())
        if given.only not in "/".join(key):
            continue
        outcome = done.get(key) or outcome_of(task)
        if outcome is None:
            continue
        outcomes.append(outcome)
        if key not in done:
            print("ok  " if outcome.passes else "FAIL", *key, outcome.refused or outcome.deviations, flush=True)
            if given.results:
                with given.results.open("a") as stream:
                    stream.write(json.dumps(asdict(outcome)) + "\n")
    if given.table:
        print(table(outcomes))
    read, passed = (sum(map(test, outcomes)) for test in (lambda each: not each.refused, lambda each: each.passes))
    print(f"{len(outcomes)} files: {read} read, {passed} agree")
    print(
        *(f"{count:4d}  {what}" for what, count in Counter(e.refused for e in outcomes if e.refused).most_common(40)),
        sep="\n",
    )
    sys.exit(read < 0.95 * len(outcomes) or any(not each.passes for each in outcomes if not each.refused))


if __name__ == "__main__":
    main()
