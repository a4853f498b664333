"""What can be asked of a trajectory."""

import dataclasses
import pickle
from pathlib import Path

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import PolhodeError
from polhode.model.samples import motor_driven_pendulum
from polhode.simulate import Trajectory


def spinning_pendulum() -> ph.System:
    s = ph.System("spinning <pendulum>")
    l = s.parameter("l", 2)
    rod = s.body("rod", 1, (0, 0, -l / 2), ph.rod(1, l))
    s.joint("hinge", s.ground, rod, ph.Revolute("y"))
    s.joint('ball, "loose"', rod, s.body("ball", 0.5, (0, 0, 0), (0.1, 0.2, 0.3)), ph.Spherical(), at=(0, 0, -l))
    return s


@pytest.fixture(scope="module")
def run() -> Trajectory:
    start = {"hinge": 1.0}
    speeds = [0.0, 1.0, 2.0, 3.0]
    return spinning_pendulum().derive().simulate(2, start=start, speeds=speeds, samples=201, rtol=1e-10, atol=1e-10)


def test_values_are_got_by_name_and_cannot_be_changed(run: Trajectory) -> None:
    assert run["hinge"][0] == 1.0 and run.speed("hinge")[0] == 0.0 and run["hinge"] is not run.speed("hinge")
    refused("Did you mean 'hinge'", lambda: run["hing"])
    assert (run['ball, "loose"_wx'] == run.speed('ball, "loose"_wx')).all()
    with pytest.raises(ValueError, match="read-only"):
        run["hinge"][0] = 0.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        run.status = "done"  # type: ignore[misc]
    assert np.abs(run.at(run.t).q - run.q).max() < 1e-14


def test_the_pose_of_a_body_is_where_its_joint_put_it(run: Trajectory) -> None:
    positions, rotations = run.pose("ball")
    expected = np.column_stack([-2 * np.sin(run["hinge"]), 0 * run.t, -2 * np.cos(run["hinge"])])
    assert np.abs(positions - expected).max() < 1e-12
    assert np.abs(rotations @ rotations.transpose(0, 2, 1) - np.eye(3)).max() < 1e-12


def test_between_samples_lies_what_a_finer_run_finds_and_at_the_samples_nothing_changes(run: Trajectory) -> None:
    times = np.array([0.0033, 0.777, 1.9999])
    fine = spinning_pendulum().derive().simulate(2, start={"hinge": 1.0}, speeds=[0.0, 1.0, 2.0, 3.0], samples=times,
        rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    then = run.at(times)
    assert np.abs(then.q - fine.q[1:-1]).max() < 1e-7 and np.abs(then.u - fine.u[1:-1]).max() < 1e-4
    assert np.abs(np.linalg.norm(then.q[:, 1:], axis=1) - 1).max() < 1e-15
    assert np.abs(run.at(run.t).q - run.q).max() < 1e-14


def test_at_no_times_there_are_no_samples_and_outside_its_time_a_trajectory_says_nothing(run: Trajectory) -> None:
    empty = run.at([])
    assert len(empty) == 0 and empty.q.shape == (0, run.q.shape[1]) and empty.tau is not None and len(empty.tau) == 0
    refused("from 0 to 2 s", lambda: run.at(2.5))


def test_text_and_archives_give_back_every_digit(run: Trajectory, tmp_path: Path) -> None:
    for again in (
        Trajectory.from_csv(run.to_csv(tmp_path / "run.csv")),
        Trajectory.load(run.save(tmp_path / "run.npz")),
    ):
        assert np.array_equal(again.t, run.t) and np.array_equal(again.q, run.q)
        assert np.array_equal(again.u, run.u) and again.coordinates == run.coordinates and again.speeds == run.speeds
        assert again.status == "done"


@pytest.mark.parametrize(("name", "cure"), [("run.csv", "to_csv"), ("run.nc", "to_netcdf"), ("run.html", "animate")])
def test_an_archive_is_not_written_under_another_kind_of_name(
    run: Trajectory, tmp_path: Path, name: str, cure: str
) -> None:
    refused(cure, lambda: run.save(tmp_path / name))
    assert not (tmp_path / name).exists()


def test_a_loaded_trajectory_learns_its_mechanism_and_keeps_its_parameters(run: Trajectory, tmp_path: Path) -> None:
    path = run.save(tmp_path / "run.npz")
    refused("has no mechanism", lambda: Trajectory.load(path).energy)
    again = Trajectory.load(path, spinning_pendulum().derive())
    assert np.array_equal(again.energy.total, run.energy.total)
    refused("coordinates are", lambda: Trajectory.load(path, ph.System("nothing").derive()))
    equations = spinning_pendulum().derive()
    run = equations.simulate(1, start={"hinge": 1.0}, parameters={"l": 1})
    assert run.energy_drift < 1e-7
    assert Trajectory.load(run.save(tmp_path / "run.npz"), equations).energy_drift == run.energy_drift


def test_a_file_that_cannot_be_written_leaves_nothing_behind(run: Trajectory, tmp_path: Path) -> None:
    refused("cannot be written", lambda: run.to_csv(tmp_path / "no folder" / "run.csv"))
    assert list(tmp_path.iterdir()) == []


def test_datasets_have_labels_and_cells_escape_names(run: Trajectory) -> None:
    pytest.importorskip("xarray")
    data = run.to_xarray()
    assert np.array_equal(data["hinge"], run["hinge"]) and np.array_equal(data["d(hinge)"], run.speed("hinge"))
    assert data.attrs["status"] == "done"
    shown = run._repr_html_()
    assert "<pendulum>" not in shown and "&lt;pendulum&gt;" in shown


def steered() -> ph.System:
    """A bead that slides along a bar which is turned as told."""
    s = ph.System("turned bar", gravity=(0, 0, 0))
    bar, bead = s.body("bar", 1, inertia=(1, 1, 1)), s.body("bead", s.parameter("m", 2))
    s.joint("turn", s.ground, bar, ph.Revolute("z"))
    s.joint("slide", bar, bead, ph.Prismatic("x"))
    s.prescribe("turn", s.time**2)
    s.joint_force("slide", s.input("push", 3))
    return s


def test_expressions_along_a_run_know_accelerations_time_inputs_and_prescribed_motions() -> None:
    s = steered()
    bead, push = s.bodies["bead"], s.inputs["push"].symbol
    run = s.derive().simulate(1, start={"slide": 0.1}, inputs=lambda t, q, u: {"push": 3 + t}, parameters={"m": 5})
    a = bead.centre.acceleration()
    along, across, given, angle, mass = run.values(
        a & bead.x, a & bead.y, push, s.joints["turn"].q[0], s.parameters["m"].symbol
    )
    r, v, t = run["slide"], run.speed("slide"), run.t
    np.testing.assert_allclose(given, 3 + t)
    np.testing.assert_allclose(angle, t**2, atol=1e-12)
    np.testing.assert_allclose(mass, 5)
    np.testing.assert_allclose(along, given / mass, rtol=1e-9)  # m a = F along the bar
    np.testing.assert_allclose(across, 2 * r + 2 * (2 * t) * v, rtol=1e-9, atol=1e-12)  # r α + 2 ω v


def test_what_is_prescribed_is_left_out_of_pages_and_other_symbols_are_refused(tmp_path: Path) -> None:
    run = steered().derive().simulate(0.1)
    with pytest.raises(PolhodeError, match=r"the coordinate 'elbow' is not known along this trajectory") as caught:
        run.values(ph.symbol("elbow", "coordinate"))
    assert caught.value.problems[0].code == "E-TRAJECTORY-NAME"
    run = steered().derive().simulate(0.2)
    assert [axes.get_title(loc="left") for axes in run.plot().axes][:2] == ["Positions  (m)", "Speeds  (m/s)"]
    assert run.animate(tmp_path / "bar.html").stat().st_size > 10_000


@pytest.fixture(scope="module")
def motor_run() -> Trajectory:
    start = {"hinge": 0.3, "current": 0.2}
    return motor_driven_pendulum().derive().simulate(0.5, start=start, inputs={"voltage": 1.0})


def test_a_trajectory_has_states_by_name_and_at_any_time(motor_run: Trajectory) -> None:
    assert motor_run.states == ("current",) and motor_run.z.shape == (len(motor_run), 1)
    assert np.array_equal(motor_run["current"], motor_run.z[:, 0])
    middle = motor_run.at([0.25])
    assert middle["current"][0] == pytest.approx(np.interp(0.25, motor_run.t, motor_run["current"]), abs=1e-6)
    current = motor_run.equations.z[0]
    assert np.allclose(motor_run.values(2 * current)[0], 2 * motor_run["current"], rtol=0, atol=0)
    acceleration = motor_run.values(ph.symbol("hinge", "acceleration"))[0]
    assert np.allclose(acceleration, 3 * (3 * motor_run["current"] - 4.905 * np.sin(motor_run["hinge"])))
    assert motor_run.reaction("hinge").force.shape == (len(motor_run), 3) and "hinge, current" in str(motor_run)


def test_a_trajectory_with_states_survives_files_and_pickling(motor_run: Trajectory, tmp_path: Path) -> None:
    for kept in (
        Trajectory.load(motor_run.save(tmp_path / "run.npz"), motor_run.equations),
        Trajectory.from_csv(motor_run.to_csv(tmp_path / "run.csv"), motor_run.equations),
        pickle.loads(pickle.dumps(motor_run)),
    ):
        assert kept.states == motor_run.states and np.array_equal(kept.z, motor_run.z)
        assert np.array_equal(kept.momentum[0], motor_run.momentum[0])
    assert (tmp_path / "run.csv").read_text().splitlines()[0] == (
        "time [s],q.hinge [rad],u.hinge [rad/s],z.current [A],input.voltage [V]"
    )
    assert np.array_equal(motor_run.to_xarray()["current"].values, motor_run["current"])


def test_a_trajectory_of_other_states_does_not_fit(motor_run: Trajectory) -> None:
    system = ph.System.of(motor_run.equations.system)
    system.state("counter", rate=1)
    with pytest.raises(PolhodeError, match="the trajectory's states are current; the mechanism's are current, counter"):
        motor_run.of(system.derive())


def test_states_are_drawn_with_their_units(motor_run: Trajectory, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.text import Text

    written = " ".join(each.get_text() for each in motor_run.plot(tmp_path / "run.png").findobj(Text))
    assert "States" in written and "current" in written and "A" in written.split("States")[1]
    assert b"current" in motor_run.animate(tmp_path / "run.html").read_bytes()


def test_a_speed_with_the_name_of_a_coordinate_is_asked_for_as_it_is_written() -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("z"))
    run = s.derive().simulate(1, samples=3)
    assert np.array_equal(run["x'"], run.speed("x")) and np.array_equal(run["x"], run.q[:, 0])


def test_a_plot_keeps_what_spins_on_apart_from_what_leans():
    s = ph.System("wheel")
    frame = s.body("frame", 1, com=(0, 0, -1))
    s.joint("lean", s.ground, frame, ph.Revolute("x"))
    s.joint("spin", frame, s.body("wheel", 1, inertia=(1, 1, 1)), ph.Revolute("y"))
    figure = s.derive().simulate(2, start={"lean": 0.1}, speeds={"spin": 100.0}).plot()
    titles = [axes.get_title(loc="left").split("  ")[0] for axes in figure.axes]
    assert titles == ["Angles", "Angles: spin", "Angular speeds", "Angular speeds: spin'", "Energy"]


def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), speeds=["rate"])
    s.joint_force(hinge, s.input("push"))
    return s.derive()


def test_differences_have_a_name_a_size_and_a_time_and_opposite_quaternions_are_one_orientation() -> None:
    equations = pendulum()
    one = equations.simulate(2, start={"hinge": 1.0}, inputs={"push": "t"})
    other = equations.simulate(1, start={"hinge": 1.0}, inputs={"push": 1.0}, samples=7)
    made = one.compare(other)
    assert set(made.differences) == {"hinge", "u(rate)", "tau(rate)", "input(push)"}
    assert (made["input(push)"].largest, made["input(push)"].time) == (1.0, 0.0)
    assert made.largest == max(each.largest for each in made.differences.values()) and "u(rate) at t = " in str(made)
    assert one.compare(one).largest == 0.0
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.02, 0.01)), ph.Spherical())
    equations = s.derive()
    start = np.array([1.0, 0.0, 0.0, 0.0])
    one, other = (equations.simulate(0.5, start=(sign * start, [1.0, 2.0, 3.0])) for sign in (1.0, -1.0))
    assert one.compare(other).largest < 1e-9


def test_runs_with_nothing_in_common_are_refused() -> None:
    run = pendulum().simulate(1)
    later = Trajectory(run.t + 5, run.q, run.u, run.coordinates, run.speeds)
    refused("one run goes from 0 to 1 s", lambda: run.compare(later))
    with pytest.raises(ph.PolhodeError, match="no coordinate, speed, effort or input of the same name"):
        run.compare(Trajectory(run.t, run.q, run.u, ("a",), ("b",)))
    refused("not a Trajectory", lambda: run.compare(3))  # type: ignore[arg-type]


def test_a_run_beside_another_is_drawn_into_its_panels() -> None:
    pytest.importorskip("matplotlib")
    equations = pendulum()
    one, other = (equations.simulate(1, start={"hinge": angle}, inputs={"push": "t"}) for angle in (1.0, 2.0))
    alone, both = one.plot(), one.plot(beside=[other])
    assert "Inputs" in [axes.get_title(loc="left") for axes in alone.axes]
    drawn = [[line for line in axes.get_lines() if len(line.get_xdata()) > 2] for axes in both.axes]
    assert [len(lines) for lines in drawn] == [2, 2, 2, 6]
    assert {line.get_linestyle() for lines in drawn for line in lines} == {"-", "--"}
    refused("not a trajectory", lambda: one.plot(beside=[1]))  # type: ignore[list-item]
