"""Cases from files: real models, tables and results, changed until few of them are sound."""

import io
from functools import cache
from importlib import metadata
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.concepts.test_readers import MJCF_SAMPLE, URDF_SAMPLE, YAML_SAMPLE
from tests.fuzz.case import Case
from tests.fuzz.mutate import mutated
from tests.fuzz.structure import changed_tree, changed_xml

import polhode as ph
from polhode.formats import dumps_yaml
from polhode.formats.document import parse
from polhode.model import samples

MODELS = Path(__file__).parents[2] / "models"

MJCF_LOOPS = """<mujoco model="loops">
  <compiler angle="degree" autolimits="true"/>
  <option gravity="0 0 -9.81" timestep="0.002"/>
  <default><joint damping="0.1"/><geom density="900"/><default class="small"><geom size="0.02"/></default></default>
  <asset><mesh name="wedge" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/><site name="far" pos="1 0 0"/>
    <body name="a" pos="0 0 0.3" euler="10 20 30">
      <joint name="ja" type="hinge" axis="0 1 0" range="-90 90" ref="5" stiffness="2" springref="1"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.03" class="small" name="ga"/>
      <site name="tip" pos="0 0 0.4" quat="1 0 0 0"/>
      <body name="b" pos="0 0 0.4" quat="0.707 0.707 0 0">
        <joint name="jb" type="ball"/>
        <geom type="box" size="0.1 0.02 0.02" mass="0.5"/>
      </body>
    </body>
    <body name="c" pos="0.5 0 0.3">
      <freejoint name="jc"/>
      <inertial pos="0 0 0.1" mass="1" fullinertia="0.02 0.02 0.01 0 0 0"/>
      <geom type="mesh" mesh="wedge"/>
    </body>
    <body name="d"><joint name="jd" type="slide" axis="1 0 0" frictionloss="0.1"/><geom name="gd" size="0.1"/></body>
    <body name="e"><joint name="je" type="slide" axis="1 0 0"/><geom type="cylinder" size="0.1 0.2"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="b" body2="c" anchor="0 0 0.1"/>
    <weld name="fix" body1="d" body2="a" relpose="0 0 0 1 0 0 0" active="false"/>
    <joint name="gear" joint1="jd" joint2="je" polycoef="0.1 2 0 0 0"/>
    <tendon tendon1="t" polycoef="0 1 0.5 0 0"/>
  </equality>
  <tendon>
    <fixed name="t" stiffness="3" damping="1" springlength="0 0.2"><joint joint="ja" coef="2"/></fixed>
    <spatial name="r"><site site="tip"/><site site="far"/></spatial>
  </tendon>
  <actuator>
    <motor name="m" joint="ja" gear="50" ctrlrange="-1 1"/><position tendon="t" kp="3"/><motor site="tip" gear="0 1 0"/>
  </actuator>
  <sensor><jointpos joint="ja"/><gyro site="tip"/><tendonvel tendon="t"/><touch site="far"/></sensor>
  <contact><pair geom1="ga" geom2="gd" condim="1"/><exclude body1="d" body2="e"/></contact>
  <keyframe><key name="home" qpos="0.1 1 0 0 0 0.5 0 0.3 1 0 0 0 0.2 0.1"/></keyframe>
</mujoco>
"""

TABLES = """\
tables:
  grip: {x: [0, 1, 2, 3], y: [0, 0.5, 0.7, 0.6], kind: smooth}
  map: {x: [0, 1], y: [0, 1, 2], z: [[0, 1, 2], [3, 4, 5]]}
bodies: {cart: {mass: 2}, bob: {mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}}
joints:
  x: {parent: ground, child: cart, type: prismatic, axis: x}
  a: {parent: cart, child: bob, type: revolute, axis: y}
loads: [{type: joint_force, joint: x, value: "-grip(x) + map(x, a)"}]
friction: {rub: {joint: a, coulomb: 0.2}}
tendons: {t: {joints: [x, a], coefficients: [1, -2], slack: [0, 1]}, r: {frames: [cart, ground], upper: 2}}
actuators: {m: {joint: a, gear: [3], gain: [2, 0, 0], bias: [0, -2, 0], dynamics: filter, time_constant: 0.1}}
sensors: {s: {quantity: jointpos, of: a, value: a + x}}
geoms: {g: {body: bob, shape: box, size: [1, 2, 3], at: [0, 0, 1], rotation: [x, 0.5]}, f: {body: ground, shape: plane}}
pairs: {p: {geoms: [g, f], dimension: 1}}
excludes: {e: {bodies: [cart, bob]}}
poses: {start: {coordinates: {x: 1, a: 0.5}}}
"""

FLEXIBLE = """\
parameters: {L: 2, EI: 30}
bodies: {load: {mass: 1, inertia: [1, 1, 1]}, wheel: {mass: 2, inertia: [1, 1, 1]}}
flexible:
  boom:
    {type: beam, length: L, mass: 1, EI: [EI, 2*EI], GJ: 3, gyration: 0.1, modes: {x: 1, z: 2, torsion: 1}, axis: -y,
     ends: [clamped, free], damping: 0.01, stations: [L, {at: L/2, static: false}]}
  hull:
    {type: modal, shapes: [[0, 0, x**2], [0, 0, x*y]], material: [[1, [-1, -1, 0], [1, 1, 0]], [1, [-1, 1, 0]]],
     stiffness: [[4, 1], [1, 5]], rayleigh: [0.1, 0.01], stations: [[1, 0, 0]]}
  plate:
    type: modal
    nodes:
      a: {at: [0, 0, 0], shapes: [[0, 0, 1]], turns: [[0, 1, 0]], mass: 3}
      b: {at: [1, 0, 0], shapes: [[0, 0, -1]], mass: 2}
    stiffness: [5]
frames: {eye: {body: boom at L/2, at: [0, 0, 0.1]}}
joints:
  root: {parent: ground, child: boom, type: revolute, axis: z}
  tip: {parent: boom at L, child: load, type: revolute, axis: y}
  float: {parent: ground, child: hull, type: free}
  arm: {parent: "hull at (1, 0, 0)", child: plate, type: fixed}
  axle: {parent: plate at a, child: wheel, type: spherical}
loads:
  - {type: force, on: boom at L/4, vector: [0, 0, 1], frame: plate at b}
  - {type: spring, a: boom at 0, b: wheel, stiffness: 3, length: 1}
closures: {pin: {a: load, b: wheel, type: spherical}}
poses: {bent: {coordinates: {boom_z1: 0.1}}}
"""


def _load(name: str, chance: Random, options: str = "") -> tuple[str, ...]:
    """Statements that read a file and, now and then, go on with it."""
    made = [f"s = ph.load(folder / {name!r}{options})"]
    if chance.random() < 0.1:
        made.append(f"e = s.derive({chance.choice(['', '', repr('newton_euler'), repr('poincare')])})")
        if chance.random() < 0.3:
            made += [
                "f = e.compile(cache=False, backend='numpy')",
                "f.forward_dynamics(np.zeros(len(e.coordinates)), np.zeros(len(e.speeds)))",
            ]
    elif chance.random() < 0.1:
        made.append("from polhode.formats import dumps_yaml; dumps_yaml(s)")
    elif chance.random() < 0.1:
        made.append("s.diagnose()")
    return tuple(made)


@cache
def _yaml() -> list[bytes]:
    made = [path.read_bytes() for path in sorted(MODELS.glob("*.yaml"))]
    small = (samples.four_bar, samples.bennett, samples.whipple_bicycle, samples.squeezing_mechanism)
    made += [dumps_yaml(sample()).encode() for sample in small]
    return [*made, YAML_SAMPLE.encode(), TABLES.encode(), *([FLEXIBLE.encode()] * 3)]


@cache
def _trees() -> list[Any]:
    return [parse(text.decode(), "sample").data for text in _yaml()]


def yaml_case(chance: Random) -> Case:
    """A model file, changed."""
    k = chance.randrange(len(_yaml()))
    content = mutated(_yaml()[k], chance) if chance.random() < 0.5 else changed_tree(_trees()[k], chance)
    name = chance.choice(["m.yaml", "m.json"])
    return Case(_load(name, chance), {name: content})


@cache
def _urdf() -> list[bytes]:
    folder = "cmeel.prefix/share/example-robot-data/robots"
    try:
        robots = Path(str(metadata.distribution("example-robot-data").locate_file(folder)))
    except metadata.PackageNotFoundError:
        return [URDF_SAMPLE.encode()]
    small = [path for path in sorted(robots.rglob("*.urdf")) if path.stat().st_size < 12_000]
    return [URDF_SAMPLE.encode()] * max(1, len(small) // 2) + [path.read_bytes() for path in small]


def urdf_case(chance: Random) -> Case:
    """A robot file, changed."""
    options = chance.choice(["", "", "", ", base='floating'", ", mimic='independent'", ", symbolic=['mass:*']"])
    return Case(*_xml_case(_urdf(), "m.urdf", chance, options))


def mjcf_case(chance: Random) -> Case:
    """An MJCF model, changed."""
    options = chance.choice(["", "", ", ignore=['equality']", ", ignore=['armature', 'friction', 'damping', 'spring']"])
    return Case(*_xml_case([MJCF_SAMPLE.encode(), MJCF_LOOPS.encode()], "m.mjcf", chance, options))


def _xml_case(texts: list[bytes], name: str, chance: Random, options: str) -> tuple[tuple[str, ...], dict[str, bytes]]:
    text = chance.choice(texts)
    content = mutated(text, chance) if chance.random() < 0.4 else changed_xml(text, chance)
    return _load(name, chance, options), {name: content}


@cache
def _results() -> dict[str, bytes]:
    system = ph.System("pendulum")
    bob = system.body("bob", mass=1, com=(0, 0, -1))
    system.joint("swing", system.ground, bob, ph.Revolute("y"))
    run = system.derive().simulate(0.1, start={"swing": 0.3}, samples=5)
    with TemporaryDirectory() as folder:
        return {
            "run.csv": run.to_csv(Path(folder, "run.csv")).read_bytes(),
            "run.npz": run.save(Path(folder, "run.npz")).read_bytes(),
        }


def csv_case(chance: Random) -> Case:
    """A trajectory as text or as an archive, changed."""
    name = chance.choice(["run.csv", "run.npz"])
    content = _results()[name]
    if name == "run.csv" or chance.random() < 0.5:
        content = mutated(content, chance)
    else:
        content = _repacked(content, chance)
    read = "from_csv" if name == "run.csv" else "load"
    return Case(
        (f"from polhode.simulate import Trajectory; r = Trajectory.{read}(folder / {name!r})",), {name: content}
    )


def _repacked(content: bytes, chance: Random) -> bytes:
    """An archive that is whole, with one array changed."""
    with np.load(io.BytesIO(content)) as archive:
        arrays = dict(archive)
    key = chance.choice(list(arrays))
    old = arrays[key]
    arrays[key] = chance.choice(
        [
            old[:-1], old.reshape(-1), np.array(["a"]), np.zeros((2, 2, 2)), np.array(1.0),
            np.full(old.shape, np.nan), np.frombuffer(mutated(old.tobytes(), chance), dtype=np.uint8), old * 1j,
        ]
    )  # fmt: skip
    if chance.random() < 0.2:
        del arrays[chance.choice(list(arrays))]
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()
