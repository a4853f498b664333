"""Models that MuJoCo or Pinocchio holds, taken over: they move as there."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.robots import ROBOTS

import polhode as ph
from polhode.errors import PolhodeError
from polhode.expr import as_expr, evaluate

pin = pytest.importorskip("pinocchio", reason="Pinocchio is the judge here: pip install polhode[test]")


def chain() -> Any:
    """One joint of each type, each on the one before, with armature on some."""
    model = pin.Model()
    joints = [
        pin.JointModelFreeFlyer(), pin.JointModelRY(), pin.JointModelPX(), pin.JointModelRUBZ(),
        pin.JointModelRevoluteUnaligned(np.array([0.6, 0.0, 0.8])), pin.JointModelSpherical(),
        pin.JointModelPrismaticUnaligned(np.array([0.0, 0.6, -0.8])), pin.JointModelHX(0.3),
        pin.JointModelSphericalZYX(), pin.JointModelTranslation(), pin.JointModelPlanar(),
    ]  # fmt: skip
    rng = np.random.default_rng(3)
    number = 0
    for k, joint in enumerate(joints):
        turn = pin.Quaternion(rng.normal(size=4)).normalized()
        number = model.addJoint(number, joint, pin.SE3(turn.matrix(), rng.normal(size=3)), f"joint {k}")
        model.appendBodyToJoint(number, pin.Inertia.Random(), pin.SE3.Identity())
    model.armature[6:9] = [0.1, 0.2, 0.3]
    model.name = "chain"
    return model


@pytest.mark.parametrize(
    "name", ["chain", "ur_description/urdf/ur5_robot.urdf", "talos_data/robots/talos_reduced.urdf"]
)
def test_a_model_of_pinocchios_moves_as_there(name: str, agree: Any) -> None:
    model = chain() if name == "chain" else pin.buildModelFromUrdf(str(ROBOTS / name), pin.JointModelFreeFlyer())
    rng = np.random.default_rng(1)
    model.lowerPositionLimit[:], model.upperPositionLimit[:] = -1.0, 1.0
    q = pin.randomConfiguration(model)
    v, a = rng.uniform(-1, 1, size=(2, model.nv))
    model.referenceConfigurations["there"] = q
    system = ph.from_pinocchio(model, snap="1e-13")
    equations = system.derive("newton_euler")
    place = system.poses["there"].coordinates
    values = {symbol: place[symbol.name] for symbol in equations.q}
    order = []  # of Pinocchio's speeds among ours
    for joint in map(system.joints.__getitem__, list(model.names)[1:]):
        own = [equations.speeds.index(u.name) for u in joint.u]
        turned = {"free": own[3:] + own[:3], "planar": own[1:] + own[:1]}
        order += turned.get(joint.type.kind, own)
    for symbols, given in ((equations.u, v), (equations.udot, a)):
        values |= {symbols[k]: float(x) for k, x in zip(order, given, strict=True)}
    ours = np.array(evaluate(map(as_expr, equations.inverse_dynamics), values))[order]
    agree("inverse dynamics", ours, pin.rnea(model, model.createData(), q, v, a))


@pytest.mark.parametrize(("urdf", "srdf"), [
    ("talos_data/robots/talos_reduced.urdf", "talos_data/srdf/talos.srdf"),
    ("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf"),
])  # fmt: skip
def test_poses_of_an_srdf_are_pinocchios_reference_configurations(urdf: str, srdf: str) -> None:
    base = "floating" if urdf.startswith("talos") else "fixed"
    free = [pin.JointModelFreeFlyer()] if base == "floating" else []
    model = pin.buildModelFromUrdf(str(ROBOTS / urdf), *free)
    pin.loadReferenceConfigurations(model, str(ROBOTS / srdf), False)
    theirs = ph.from_pinocchio(model).poses
    ours = ph.load(ROBOTS / urdf, base=base, srdf=ROBOTS / srdf)
    assert ours.poses and {*ours.poses} == {*theirs}
    for name, pose in ours.poses.items():
        for key, value in pose.coordinates.items():
            assert theirs[name].coordinates[key] == pytest.approx(value, abs=1e-15)
        assert not any(value for key, value in theirs[name].coordinates.items() if key not in pose.coordinates)
    assert len(ours.equipment["excludes"]) > 10


def test_joints_that_are_not_read_and_other_objects_are_refused() -> None:
    model = pin.Model()
    model.addJoint(0, pin.JointModelComposite(pin.JointModelRX()), pin.SE3.Identity(), "both")
    with pytest.raises(PolhodeError, match="joint 'both': a joint of type Composite is not read"):
        ph.from_pinocchio(model)
    with pytest.raises(PolhodeError, match="is not a Pinocchio model"):
        ph.from_pinocchio("arm.urdf")


def test_a_compiled_model_is_the_one_that_its_file_gives(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco model="arm"><worldbody><body name="a"><joint name="h" axis="0 1 0" frictionloss="0.2"/>
      <geom size="0.1" pos="0 0 -1"/><site name="s"/></body></worldbody>
      <actuator><motor joint="h"/></actuator></mujoco>"""
    path = tmp_path / "arm.xml"
    path.write_text(text)
    model = mujoco.MjModel.from_xml_path(str(path))
    assert ph.from_mujoco(model).model() == ph.load_mjcf(path).model()
    model.body_mass[1] *= 2
    assert float(ph.from_mujoco(model).bodies["a"].mass) == pytest.approx(2 * float(ph.load(path).bodies["a"].mass))
