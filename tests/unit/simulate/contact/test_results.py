"""Runs with contacts that are saved and loaded."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import SimulationError
from polhode.simulate import Trajectory
from polhode.simulate.trajectory.channels import channels_of


@cache
def thrown() -> tuple[Any, Any]:
    """The equations of a block with a stop that is thrown onto a floor, and its run."""
    s = ph.System("block")
    block = s.body("block", 1)
    path = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"))
    s.joint("path", s.ground, block, path, coordinates=["x", "z"], speeds=["vx", "vz"])
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("sole", block, floor, friction=0.4, restitution=0.3)
    s.stop("path", upper=0.5, restitution=0.5, index=0)
    equations = s.derive()
    return equations, equations.simulate(1, start={"z": 0.1}, speeds={"vx": 2}, samples=21)


def test_a_saved_run_has_the_forces_events_audit_and_reactions_of_its_contacts(tmp_path: Path) -> None:
    equations, run = thrown()
    again = Trajectory.load(run.save(tmp_path / "run.npz"), equations)
    assert again.contact_events == run.contact_events and len(run.contact_events) > 6
    for name in ("sole", "path stop 0"):
        one, other = again.contact(name), run.contact(name)
        for field in ("gap", "normal", "tangential", "slip", "mode"):
            assert np.array_equal(getattr(one, field), getattr(other, field))
        assert str(one.impulses) == str(other.impulses)
    assert again.power_audit().residual == run.power_audit().residual
    assert np.array_equal(again.reaction("path").force, run.reaction("path").force)


@pytest.mark.parametrize("suffix", [".npz", ".nc", ".zarr"])
def test_saved_members_have_their_contacts(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    equations, _ = thrown()
    batch = equations.simulate(0.5, start={"z": np.array([0.1, 0.2])}, samples=11)
    again = type(batch).load(batch.save(tmp_path / f"runs{suffix}"), equations)
    assert np.array_equal(again[1].contact("sole").normal, batch[1].contact("sole").normal)


def test_a_run_without_its_history_or_with_another_mechanism_is_refused_with_a_sentence(tmp_path: Path) -> None:
    equations, run = thrown()
    columns = Trajectory.from_csv(run.to_csv(tmp_path / "run.csv"), equations)
    with pytest.raises(ph.PolhodeError, match="CSV"):
        columns.contact("sole")
    for call in (columns.power_audit, lambda: columns.contact_events,
                 lambda: Trajectory.from_csv(tmp_path / "run.csv").contact_events):  # fmt: skip
        refused("this run has no history of its contacts.*CSV.*\n.*save", call)
    assert columns.plot().axes
    path = run.save(tmp_path / "run.npz")
    with pytest.raises(ph.PolhodeError, match="no mechanism"):
        Trajectory.load(path).contact("sole")
    s = ph.System("other")
    s.joint("path", s.ground, s.body("block", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")),
            coordinates=["x", "z"], speeds=["vx", "vz"])  # fmt: skip
    s.stop("path", upper=0.5, index=0)
    with pytest.raises(ph.PolhodeError, match="not those of the mechanism"):
        Trajectory.load(path, s.derive()).contact("path stop 0")


def test_a_run_that_ended_at_its_start_says_why_and_is_written(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    equations, _ = thrown()
    with pytest.raises(SimulationError, match="'sole' overlaps") as caught:
        equations.simulate(1, start={"z": -0.2})
    run: Any = caught.value.trajectory
    refused("ended at its start: at t = 0 s 'sole' overlaps", lambda: run.contact("sole"))
    refused("ended at its start: at t = 0 s 'sole' overlaps", run.power_audit)
    assert "overlaps" in run.to_csv(tmp_path / "run.csv", contacts=["sole"]).read_text()
    assert run.contact_events == () and "x" in run.to_xarray(contacts=["sole"])
    data = equations.simulate(1, start={"z": np.array([-0.2, 0.1])}, samples=3).to_xarray(contacts="sole")
    assert np.isnan(data["normal(sole)"][0]).all() and np.isfinite(data["normal(sole)"][1]).all()


def test_a_name_alone_and_a_name_twice_are_one_contact_or_reaction(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    equations, run = thrown()
    once = run.to_csv(tmp_path / "run.csv", ["path"], ["sole"]).read_text()
    for names in ("path", "sole"), (["path"] * 2, ["sole"] * 2):
        assert run.to_csv(tmp_path / "run.csv", *names).read_text() == once
        assert run.to_xarray(*names).identical(run.to_xarray(["path"], ["sole"]))
    batch = equations.simulate(0.5, start={"z": np.array([0.1, 0.2])}, samples=11)
    assert batch.to_xarray("sole").identical(batch.to_xarray(["sole"]))


def test_channels_and_columns_have_forces_gaps_slip_and_modes_with_units(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    equations, run = thrown()
    wanted = ["contacts", "gap(sole)", "slip(sole)", "mode(sole)", "gap(path stop 0)", "normal(heel)"]
    channels, missing = channels_of(run, wanted)
    by_name = {each.name: each for each in channels}
    assert [*by_name][:3] == ["normal(sole)", "friction(sole)", "normal(path stop 0)"] and "no contact" in missing[0]
    assert np.array_equal(by_name["normal(sole)"].values, run.contact("sole").normal)
    assert [by_name[name].unit for name in wanted[1:5]] == ["m", "m/s", "mode", "m"]
    path = run.to_csv(tmp_path / "run.csv", contacts=["sole"])
    assert "gap.sole [m],normal.sole [N],tangential_1.sole [N],slip_1.sole [m/s],mode.sole" in path.read_text()
    assert np.array_equal(Trajectory.from_csv(path, equations).q, run.q)
    assert np.array_equal(run.to_xarray(contacts=["sole"])["normal(sole)"], run.contact("sole").normal)


def test_many_runs_have_their_contacts_in_one_dataset() -> None:
    pytest.importorskip("xarray")
    equations, _ = thrown()
    batch = equations.simulate(0.5, start={"z": np.array([0.1, 0.2])}, samples=11)
    data = batch.to_xarray(contacts=["sole", "path stop 0"])
    assert data["normal(sole)"].dims == ("member", "time") and "gap(path stop 0 upper)" in data
    for i, run in enumerate(batch):
        rows = np.isin(run.t, batch.t)
        assert np.array_equal(data["gap(sole)"][i], run.contact("sole").gap[rows])
        assert np.array_equal(data["mode(sole)"][i] == 2, run.contact("sole").mode[rows] == "slip")


def test_a_slip_that_changes_its_sign_turns() -> None:
    """A block on a spring turns at both dead centres, half a period apart, as friction is constant in between."""
    s = ph.System("spring", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_spring("x", 4)
    s.friction("x", 0.1)
    run = s.derive().simulate(4, start={"x": 1})  # x = 0.1/4 + (1 - 0.1/4) cos 2t, and so on from each dead centre
    turns = [each for each in run.contact_events if each.what == "turns"]
    assert np.allclose([each.t for each in turns], [np.pi / 2, np.pi], atol=1e-8)
    assert {each.name for each in turns} == {"x friction"}


def test_friction_that_a_drive_carries_is_said_to_be_there() -> None:
    s = ph.System("driven")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.prescribe("x", ph.sin(s.time))
    s.friction("x", 0.1)
    run = s.derive().simulate(1)
    with pytest.raises(ph.PolhodeError, match=r"the drive carries this friction.*\n.*driving_force"):
        run.contact("x friction")


@pytest.mark.parametrize("push", [0.0, 5.0, 20.0, 40.0])
def test_least_forces_in_their_cones_are_those_of_a_minimisation(push: float) -> None:
    """A block in a slot, half-width a, half-height h: least squares under equilibrium and |T| ≤ 0.3 N, by SLSQP."""
    from scipy.optimize import minimize

    a, h, s = 0.1, 0.15, ph.System("slot")
    block = s.body("block", 1, inertia=(0.01, 0.01, 0.01))
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    s.joint("f", s.ground, block, plane, coordinates=["x", "z", "t"])
    hull = s.surface("hull", block, ph.Shape.box(2 * a, 0.1, 2 * h))
    for name, normal, x in (("left", "x", -a), ("right", "-x", a)):
        wall = s.surface(f"{name} wall", s.ground, ph.Shape.plane(normal), at=(x, 0, 0))
        s.contact(name, hull, wall, friction=0.3)
    s.force(block, (push, 0, 0))
    run = s.derive().simulate(0.1, samples=2)
    left, right = run.contact("left"), run.contact("right")
    normal = np.concatenate([left.normal[0], right.normal[0]])
    upwards = abs(np.concatenate([left.tangential[0], right.tangential[0]])[:, 0])
    N = np.array([[1, 1, -1, -1], [0, 0, 0, 0], [-h, h, h, -h]])  # along x and z, and torques; vertices below and above
    T = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [a, a, -a, -a]])
    balance = {"type": "eq", "fun": lambda f: N @ f[:4] + T @ f[4:] - [-push, 9.81, 0]}
    cones = {"type": "ineq", "fun": lambda f: np.concatenate([0.3 * f[:4] - f[4:], 0.3 * f[:4] + f[4:]])}
    best = minimize(lambda f: f @ f, np.full(8, 10.0), constraints=[balance, cones], method="SLSQP", tol=1e-14).x
    forces = np.concatenate([normal, upwards])
    assert (normal > -1e-9).all() and (upwards <= 0.3 * normal + 1e-9).all()
    assert abs(forces @ forces / (best @ best) - 1) < 1e-7


def test_a_compliant_contact_has_the_forces_that_move_the_body(tmp_path: Path) -> None:
    """m z'' = N - m g and m x'' = F, of a box on four points, with bristles too, and of a ball."""
    shapes = ph.Shape.box(0.4, 0.3, 0.2), ph.Shape.sphere(0.1)
    for shape, laws in ((shapes[0], {}), (shapes[0], {"bristle": (1e3, 10)}), (shapes[1], {"law": "linear"})):
        s = ph.System("body")
        path = ph.Compound(*(ph.Prismatic(axis) for axis in "xyz"))
        s.joint("f", s.ground, s.body("body", 2), path, coordinates=["x", "y", "z"], speeds=["vx", "vy", "vz"])
        floor, skin = s.surface("floor", s.ground, ph.Shape.plane()), s.surface("skin", "body", shape)
        s.contact("sole", floor, skin, stiffness=1e4, damping=1, friction=0.5, **laws)
        equations = s.derive()
        run = equations.simulate(0.3, start={"z": 0.105}, speeds={"vx": 0.4, "vy": 0.1}, samples=61)
        sole, size = run.contact("sole"), (len(run), -1)
        normal = sole.normal.reshape(size).sum(axis=1)
        forces = sole.tangential.reshape(len(run), -1, 2).sum(axis=1)
        moved = run.values(*equations.udot)
        assert np.allclose(normal, 2 * (moved[2] + 9.81), atol=1e-9), laws
        assert np.allclose(np.linalg.norm(forces, axis=1), 2 * np.linalg.norm(moved[:2], axis=0), atol=1e-9), laws
        assert {*np.unique(sole.mode)} == {"open", "slip"} and ((sole.mode == "slip") == (sole.normal > 0)).all()
        power = (sole.tangential * sole.slip).reshape(len(run), -1).sum(axis=1)
        assert power.min() < -0.1 and ("bristle" in laws or power.max() <= 0), laws
        header = run.to_csv(tmp_path / "run.csv", contacts="sole").read_text().split("\n")[0]
        assert "normal.sole" in header and "slip_2.sole" in header
    (channel,), _ = channels_of(run, "normal(sole)")
    assert np.array_equal(channel.values, normal) and channel.unit == "N"


def test_a_compliant_stop_has_a_gap_and_a_force_on_each_side() -> None:
    s = ph.System("slide", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("load", 2), ph.Prismatic("x"))
    s.stop("x", -0.1, 0.1, stiffness=500, damping=3)
    equations = s.derive()
    run = equations.simulate(1, speeds={"x'": 1}, samples=101)
    stop = run.contact("x stop")
    assert stop.parts == ("lower", "upper") and stop.mode[0].tolist() == ["open", "open"]
    assert np.allclose(stop.gap, np.stack([run["x"] + 0.1, 0.1 - run["x"]], axis=1))
    assert np.allclose(stop.normal @ [1, -1], 2 * run.values(*equations.udot)[0]) and stop.normal.max(axis=0).min() > 10
