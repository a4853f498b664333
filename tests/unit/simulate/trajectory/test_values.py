"""What is no unknown is in a trajectory all the same: prescribed, coupled and dependent coordinates and speeds."""

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.model.samples import four_bar
from polhode.simulate import Trajectory


def turntable() -> ph.Equations:
    """A block that slides on a table that turns as prescribed, with a wheel geared to it, pushed by an input."""
    s = ph.System("turntable", gravity=(0, 0, 0))
    table, block, wheel = s.body("table", 1, inertia=(1, 1, 1)), s.body("block", 1), s.body("wheel", 1)
    s.joint("turn", s.ground, table, ph.Revolute("z"), speeds=["spin"])
    s.joint("slide", table, block, ph.Prismatic("x"), speeds=["v"])
    s.joint("gear", s.ground, wheel, ph.Prismatic("x"), speeds=["w"])
    s.prescribe("turn", s.time**2)
    s.couple("gear", "slide", multiplier=3, offset=1)
    s.joint_force("slide", s.input("push"))
    return s.derive()


@pytest.fixture(scope="module")
def run() -> Trajectory:
    return turntable().simulate(1, start={"slide": 0.1}, tau={"v": 2.0}, inputs=lambda t, q, u: {"push": 1 + t})


def test_prescribed_and_coupled_motions_are_got_by_name_and_computed_once(run: Trajectory) -> None:
    np.testing.assert_allclose(run["turn"], run.t**2, atol=1e-14)
    np.testing.assert_allclose(run.speed("spin"), 2 * run.t, atol=1e-14)
    np.testing.assert_allclose(run["spin"], 2 * run.t, atol=1e-14)
    np.testing.assert_allclose(run["gear"], 1 + 3 * run["slide"], rtol=1e-14)
    np.testing.assert_allclose(run.speed("w"), 3 * run.speed("v"), rtol=1e-14)
    np.testing.assert_allclose(run["push"], 1 + run.t, rtol=1e-14)
    with pytest.raises(ph.PolhodeError, match="Did you mean 'turn'"):
        run["trun"]
    for name in ("turn", "gear", "spin"):
        assert np.shares_memory(run[name], run[name]) and not run[name].flags.writeable


def test_any_symbol_of_the_system_has_values(run: Trajectory) -> None:
    system = run.equations.system
    joints = system.joints
    symbols = [each for joint in joints.values() for each in (*joint.q, *joint.u)]
    assert np.isfinite(run.values(*symbols, system.time, *(given.symbol for given in system.inputs.values()))).all()
    (effort,) = run.values(joints["slide"].tau[0])
    np.testing.assert_allclose(effort, 2.0)
    table, wheel = system.bodies["table"], system.bodies["wheel"]
    turn, gear = run.values(
        table.angular_acceleration() & system.ground.z, wheel.centre.acceleration() & system.ground.x
    )
    np.testing.assert_allclose(turn, 2.0)
    slide = run["push"] + 2.0 + run["slide"] * run["spin"] ** 2  # of the block: m (dv/dt - r ω²) = F
    np.testing.assert_allclose(gear, 3 * slide / 10, rtol=1e-9)  # whose mass is geared to the wheel's


def test_a_table_holds_what_follows_and_is_read_again(run: Trajectory, tmp_path: Path) -> None:
    path = run.to_csv(tmp_path / "run.csv")
    assert path.read_text().splitlines()[0] == (
        "time [s],q.slide [m],q.turn [rad],q.gear [m],u.v [m/s],u.spin [rad/s],u.w [m/s],tau.v [N],input.push"
    )
    loose = Trajectory.from_csv(path)
    assert (loose["turn"] == run["turn"]).all()
    known = Trajectory.from_csv(path, run.equations)
    assert known.coordinates == run.coordinates and (known.q == run.q).all() and (known.u == run.u).all()
    np.testing.assert_allclose(known.speed("w"), run.speed("w"), rtol=1e-14)
    assert (known.effort("v") == 2.0).all() and (known["push"] == run["push"]).all()


def test_dependent_speeds_are_those_of_all_unknowns(tmp_path: Path) -> None:
    start, speeds = {"crank": 0.3}, {"crank": 1.0}
    free = four_bar().derive().simulate(1, start=start, speeds=speeds, samples=11)
    bound = four_bar().derive(constraints="embedded", independent=["crank"])
    embedded = bound.simulate(1, start=start, speeds=speeds, samples=11)
    assert embedded.speeds == ("crank",)
    joints = bound.system.joints
    for name in ("coupler", "rocker"):
        np.testing.assert_allclose(embedded.speed(name), free.speed(name), atol=1e-7)
        np.testing.assert_allclose(embedded.values(joints[name].u[0])[0], free.speed(name), atol=1e-7)
        acceleration = ph.symbol(name, "acceleration")
        np.testing.assert_allclose(embedded.values(acceleration), free.values(acceleration), atol=1e-5)
    header = embedded.to_csv(tmp_path / "run.csv").read_text().splitlines()[0]
    assert header.endswith("u.crank [rad/s],u.coupler [rad/s],u.rocker [rad/s]")
