"""Tables in model files: read, used in expressions, and written so that reading them gives the same mechanism."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import polhode as ph
from polhode.formats import dumps_yaml, loads_yaml
from polhode.model.digest import digest

MODEL = """polhode: 1
gravity: [0, 0, -9.81]
parameters: {scale: 2}
bodies:
  bob: {mass: 1, com: [0, 0, -1]}
joints:
  hinge: {parent: ground, child: bob, type: revolute, axis: y}
tables:
  spring: {x: [-pi, 0, 0.1, 1/3, 2], y: [-3, 0, 1e-3, 0.7, 8], kind: cubic, outside: line}
  the map: {x: [0, 1], y: [0, 2], z: [[1, 2], [3, 4]]}
  energy: {x: [-1, 0, 2], y: [-3, 0, 7], orders: [-1]}
  slope: {x: [-1, 0, 1, 2], y: [-3, 0, 1, 7], kind: cubic, orders: [2]}
  ramp: {x: [0, 1, 3], y: [0, 1, 0, 2, 0, 1,  4, 3, 2, 1, 0, 1/3], kind: polynomial, outside: line, orders: [4]}
loads:
  - {type: joint_force, joint: hinge, value: "-spring(scale*hinge) + `the map`(hinge, u(hinge))**2"}
  - {type: joint_force, joint: hinge, value: spring(sin(t)) - slope(hinge) + ramp(t)}
  - {type: potential, energy: scale*energy(hinge)}
"""


def test_a_table_in_a_file_is_the_table_in_python() -> None:
    system = loads_yaml(MODEL)
    q, u = system.joints["hinge"].q[0], system.joints["hinge"].u[0]
    scale = system.parameters["scale"].symbol
    spring = ph.table([-3.141592653589793, 0, 0.1, 1 / 3, 2], [-3, 0, 1e-3, 0.7, 8], kind="cubic", outside="line")
    grid = ph.table(([0, 1], [0, 2]), [[1, 2], [3, 4]])
    assert system.loads[0].value == -spring(scale * q) + grid(q, u) ** 2
    slope = ph.table([-1, 0, 1, 2], [-3, 0, 1, 7], kind="cubic").derivative().derivative()
    ramp = ph.table([0, 1, 3], [[0, 1, 0, 2, 0, 1], [4, 3, 2, 1, 0, 1 / 3]], kind="polynomial", outside="line")
    for _ in range(4):
        ramp = ramp.derivative()
    assert system.loads[1].value == spring(ph.sin(system.time)) - slope(q) + ramp(system.time)
    assert system.loads[2].energy == scale * ph.table([-1, 0, 2], [-3, 0, 7]).integral()(q)


def test_a_model_with_tables_goes_out_and_in() -> None:
    system = loads_yaml(MODEL)
    assert digest(loads_yaml(dumps_yaml(system))) == digest(system)
    assert system.derive("poincare").agrees_with(loads_yaml(dumps_yaml(system)).derive("newton_euler"))


def test_names_that_a_file_cannot_hold_are_replaced_and_do_not_drift(tmp_path: Path) -> None:
    system = ph.System("slider")
    joint = system.joint("x", system.ground, system.body("block", mass=1), ph.Prismatic("x"))
    named = [ph.table([0, 1], [0, k], name=name) for k, name in enumerate(["sin", "sin", "q", "two words", ""], 2)]
    system.joint_force(joint, sum(table(joint.q[0]) for table in named))
    system.potential(named[3].integral()(joint.q[0]))
    text = dumps_yaml(system)
    assert digest(loads_yaml(text)) == digest(system)
    # In a process of its own, where no node of the first reading lends its name.
    (tmp_path / "m.yaml").write_text(text)
    again = "import polhode.formats as f; print(f.dumps_yaml(f.load('m.yaml')), end='')"
    environment = {"PYTHONPATH": str(Path(ph.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", again], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout == text, done.stderr


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 1.7976931348623157e308, 5e-324, -2.5e-7])
def test_every_double_of_a_table_comes_back_to_the_last_bit(value: float) -> None:
    system = ph.System("slider")
    joint = system.joint("x", system.ground, system.body("block", mass=1), ph.Prismatic("x"))
    system.joint_force(joint, ph.table([0, 1e300], [0, value])(joint.q[0]))
    assert digest(loads_yaml(dumps_yaml(system))) == digest(system)
