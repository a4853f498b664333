"""MuJoCo as judge of equality constraints: the motions that its constraint Jacobian allows are those that ours does."""

from pathlib import Path

import numpy as np
import pytest

from polhode.errors import PolhodeError
from polhode.expr import as_expr, evaluate
from polhode.formats import dumps_yaml, loads_yaml
from polhode.formats.mjcf import load_mjcf
from polhode.formats.mjcf.reader import read_mjcf
from polhode.model import System

mujoco = pytest.importorskip("mujoco")

MASS = '<inertial mass="1" pos="0.1 0.2 0" diaginertia="0.1 0.2 0.2"/>'
CHAIN = f"""
<body name="a" pos="0 0 0.3" euler="0.3 0 0.2"><joint name="one" axis="0 1 0"/>{MASS}<site name="sa" pos="0.4 0 0.1"/>
  <body name="b" pos="1 0 0" euler="0 0.4 0"><joint name="two" axis="1 1 0" ref="0.3"/>{MASS}
    <body name="c" pos="1 0 0"><joint name="three" type="slide" axis="1 0 0" ref="0.2"/>{MASS}</body>
  </body>
</body>
<body name="d" pos="2 0 0" euler="0 0 0.5"><joint name="four" axis="0 1 0"/>{MASS}<site name="sd" pos="-1 0 0.4"/>
  <body name="e" pos="0.5 0 0"><joint name="five" axis="0 0 1"/>{MASS}
    <body name="f" pos="0.5 0 0.1"><joint name="six" axis="1 0 0"/>{MASS}</body>
  </body>
</body>"""

TENDONS = """<tendon><fixed name="t"><joint joint="one" coef="2"/><joint joint="three" coef="-1"/></fixed>
  <fixed name="r"><joint joint="two" coef="1"/></fixed></tendon>"""
EQUALITIES = {
    "connect": '<connect name="pin" body1="c" body2="f" anchor="0.1 0.2 0.3"/>',
    "connect to the world": '<connect name="pin" body1="c" anchor="0.1 0 0.3"/>',
    "weld": '<weld name="pin" body1="c" body2="f"/>',
    "weld with an anchor": '<weld name="pin" body1="a" body2="f" anchor="0.2 0.1 0"/>',
    "joint": '<joint name="pin" joint1="five" joint2="two" polycoef="0.1 -2 0 0 0"/>',
    "curved joint": '<joint name="pin" joint1="five" joint2="two" polycoef="0 1 0.5 -2 0.3"/>',
    "tendons": '<tendon name="pin" tendon1="t" tendon2="r" polycoef="0 2 0.5 0 0"/>',
    "held tendon": '<tendon name="pin" tendon1="t" polycoef="0 0 0 0 0"/>',
    "held joint": '<joint name="pin" joint1="three" polycoef="0.1 0 0 0 0"/>',
}


def written(tmp_path: Path, equality: str) -> tuple[Path, str]:
    text = (
        f'<mujoco><compiler angle="radian"/><worldbody>{CHAIN}</worldbody>{TENDONS}<equality>{equality}</equality>'
        '<keyframe><key name="bent" qpos="0.1 0.2 0.3 0.4 0.5 0.6"/></keyframe></mujoco>'
    )
    path = tmp_path / "model.xml"
    path.write_text(text)
    return path, text


def their_rows(text: str, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    rows = data.efc_J.reshape(-1, model.nv)[: data.ne] if len(data.efc_J) == data.nefc * model.nv else None
    if rows is None:
        rows = np.zeros((data.nefc, model.nv))
        mujoco.mju_sparse2dense(rows, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind)
        rows = rows[: data.ne]
    return rows, data.efc_pos[: data.ne]


def our_rows(system: System, qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A and φ on all speeds, couplings being rows too."""
    names = [joint.q[0].name for joint in system.joints.values() if joint.q]
    place = {name: k for k, name in enumerate(names)}
    if system.couplings:
        ((follower, coupling),) = system.couplings.items()
        row = np.zeros(len(names))
        row[place[follower]], row[place[coupling.leader]] = 1, -float(coupling.multiplier)
        off = qpos[place[follower]] - float(coupling.multiplier) * qpos[place[coupling.leader]] - float(coupling.offset)
        return row[None], np.array([off])
    constraints = system.derive("newton_euler").constraints
    assert constraints is not None
    values = {q: qpos[place[q.name]] for q in constraints.tree.q}
    A = np.array(evaluate([as_expr(x) for x in constraints.A.entries()], values)).reshape(len(constraints.rows), -1)
    order = [constraints.tree.speeds.index(name) for name in names]
    return A[:, order], np.array(evaluate(list(constraints.values), values))


@pytest.mark.parametrize("kind", EQUALITIES)
def test_the_same_motions_are_allowed_where_the_constraint_is_kept(kind: str, tmp_path: Path) -> None:
    path, text = written(tmp_path, EQUALITIES[kind])
    system = load_mjcf(path)
    qpos = mujoco.MjModel.from_xml_string(text).qpos0.copy()
    if "0.1" in EQUALITIES[kind] and "joint" in kind:
        qpos[4 if "five" in EQUALITIES[kind] else 2] += 0.1
    theirs, off = their_rows(text, qpos)
    ours, value = our_rows(system, qpos)
    assert np.abs(off).max() < 1e-12
    assert np.abs(value).max() < 1e-12
    rank = np.linalg.matrix_rank(theirs, tol=1e-9)
    assert np.linalg.matrix_rank(ours, tol=1e-9) == rank
    assert np.linalg.matrix_rank(np.vstack([ours, theirs]), tol=1e-9) == rank


def test_a_curved_joint_keeps_its_curve(tmp_path: Path) -> None:
    path, text = written(tmp_path, EQUALITIES["curved joint"])
    x = 0.7
    qpos = mujoco.MjModel.from_xml_string(text).qpos0.copy()
    qpos[1] += x
    qpos[4] += x + 0.5 * x**2 - 2 * x**3 + 0.3 * x**4
    (theirs, off), (ours, value) = their_rows(text, qpos), our_rows(load_mjcf(path), qpos)
    assert (off[0], value[0]) == pytest.approx((0, 0), abs=1e-12)
    assert np.linalg.matrix_rank(np.vstack([ours, theirs]), tol=1e-9) == 1


#: A planar four-bar whose third bar stands in another plane, or ends elsewhere, by `off`; 0.1 + 0.2 is not 0.3.
LOOP = """<mujoco><worldbody>
  <body pos="0 0 0.1"><joint name="a" axis="0 0 1"/><geom size="0.1" pos="0 1 0"/>
    <body pos="0 1 0.2"><joint axis="0 0 1"/><geom size="0.1" pos="1 0 0"/><site name="s" pos="1 0 0"/></body></body>
  <body pos="1 0 {z}"><joint axis="0 0 1"/><geom size="0.1" pos="0 1 0"/><site name="t" pos="{x} 1 0"/></body>
</worldbody><equality>
<connect name="pin" site1="s" site2="t"/></equality></mujoco>"""


@pytest.mark.parametrize(("x", "z"), [(0, 0.3), (3e-8, 0.3), (0, 0.3 + 2e-7), (3e-8, 0.3 - 2e-7)])
def test_a_closure_that_is_off_by_rounding_closes(x: float, z: float, tmp_path: Path) -> None:
    path = tmp_path / "loop.xml"
    path.write_text(LOOP.format(x=x, z=z))
    system, report = read_mjcf(path)
    noticed = [each for each in report.notices if "closure is off by" in each.message]
    assert [each.place for each in noticed] == (["loop.xml:6: equality 'pin'"] if x or z != 0.3 else [])
    equations = system.derive()
    assembly = equations.assemble()
    assert not assembly.moved and assembly.freedom.degrees == 1
    assert equations.simulate(0.1, speeds={"a": 1}).drift.position < 1e-12


def test_a_closure_that_is_further_off_is_not_moved(tmp_path: Path) -> None:
    path = tmp_path / "loop.xml"
    path.write_text(LOOP.format(x=0, z=0.3001))
    with pytest.raises(PolhodeError, match="no coordinate changes it"):
        load_mjcf(path).derive()


def test_sites_are_brought_together(tmp_path: Path) -> None:
    path, text = written(tmp_path, '<connect name="pin" site1="sa" site2="sd"/>')
    qpos = np.array([0.1, 0.5, 0.3, -0.4, 0.2, 0.6])
    _, off = their_rows(text, qpos)
    _, value = our_rows(load_mjcf(path), qpos)
    assert np.linalg.norm(value) == pytest.approx(np.linalg.norm(off), rel=1e-12)


def test_what_is_kept_exactly_is_told_and_can_be_left_out(tmp_path: Path) -> None:
    path, _ = written(tmp_path, EQUALITIES["weld"])
    system, report = read_mjcf(path)
    assert list(system.constraints) == ["pin"]
    assert any("kept exactly" in notice.message for notice in report.notices)
    system, report = read_mjcf(path, ignore=["equality"])
    assert not system.constraints
    assert any("1 equality constraint left out" in warning.message for warning in report.warnings)


def test_a_follower_has_no_part_in_poses_and_the_model_can_be_written(tmp_path: Path) -> None:
    path, _ = written(tmp_path, EQUALITIES["joint"])
    system = load_mjcf(path)
    assert list(system.couplings) == ["five"]
    assert set(system.poses["bent"].coordinates) == {"one", "two", "three", "four", "six"}
    assert loads_yaml(dumps_yaml(system)).couplings == system.couplings


def test_joints_that_would_follow_each_other_obey_a_condition(tmp_path: Path) -> None:
    twice = '<joint joint1="five" joint2="two"/><joint joint1="five" joint2="one"/><joint joint1="two" joint2="five"/>'
    path, _ = written(tmp_path, twice)
    system = load_mjcf(path)
    assert list(system.couplings) == ["five"] and list(system.constraints) == ["five of one", "two of five"]


def test_a_body_constrained_to_itself_is_refused(tmp_path: Path) -> None:
    path, _ = written(tmp_path, '<connect site1="sa" site2="sa"/>')
    with pytest.raises(PolhodeError):
        load_mjcf(path)
