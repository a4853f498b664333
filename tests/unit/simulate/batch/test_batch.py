"""Batches: many runs in one call, each as it would be alone."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import FormatError, LimitError, ShapeError, SimulationError
from polhode.model.samples import motor_driven_pendulum
from polhode.simulate import Batch
from polhode.simulate.batch.batch import cut


@pytest.fixture(scope="module")
def pendulum() -> ph.Equations:
    s = ph.System("pendulum")
    l, m = s.parameter("l", 1), s.parameter("m", 1)
    s.joint("hinge", s.ground, s.body("bob", m, (0, 0, -l)), ph.Revolute("y"))
    s.joint_force("hinge", s.input("F"))
    return s.derive()


LENGTHS, ANGLES = [0.5, 1.0, 2.0], [0.1, 0.2, 0.3]


def same(a: Any, b: Any) -> None:
    for name in ("t", "q", "u", "inputs", "tau"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert (a.status, a.message, a.parameters) == (b.status, b.message, b.parameters)


@pytest.mark.parametrize("method", ["auto", "rk4", "Radau"])
def test_a_member_is_bit_for_bit_the_run_alone(pendulum: ph.Equations, method: str) -> None:
    options: dict[str, Any] = {"samples": 7, "method": method, "inputs": {"F": 0.1}}
    options |= {} if method == "rk4" else {"rtol": 1e-6}
    batch = pendulum.simulate(0.5, parameters={"l": LENGTHS}, start={"hinge": ANGLES}, **options)
    assert isinstance(batch, Batch) and batch.q.shape == (3, len(batch.t), 1)
    for i, run in enumerate(batch):
        alone = pendulum.simulate(0.5, parameters={"l": LENGTHS[i]}, start={"hinge": ANGLES[i]}, **options)
        np.testing.assert_array_equal(alone.t, batch.t)
        np.testing.assert_array_equal(alone.q, run.q)
    part = pendulum.simulate(0.5, parameters={"l": LENGTHS[1:]}, start={"hinge": ANGLES[1:]}, **options)
    np.testing.assert_array_equal(part.q[0], batch.q[1])


@pytest.mark.parametrize(
    "options",
    [
        {"start": [[0.1], [0.2]]},
        {"start": ([[0.1], [0.2]], [0.0])},
        {"start": {"hinge": 0.1}, "speeds": [[0.0], [1.0]]},
        {"start": {"hinge": 0.1}, "tau": [[0.0], [1.0]]},
        {"inputs": [[0.0], [1.0]]},
        {"inputs": {"F": [0.0, 1.0]}, "parameters": {"m": [1.0, 1.0]}},
    ],
    ids=str,
)
def test_starts_speeds_inputs_and_efforts_make_batches(pendulum: ph.Equations, options: dict[str, Any]) -> None:
    batch = pendulum.simulate(0.2, samples=3, **options)
    assert len(batch) == 2 and batch.varied and batch.q[0, -1] != batch.q[1, -1]


def test_a_member_that_fails_leaves_its_sentence_and_the_rest_go_on(pendulum: ph.Equations) -> None:
    batch = pendulum.simulate(0.2, samples=5, parameters={"l": [1.0, 0.0, np.nan, 2.0]}, start={"hinge": 0.1})
    assert batch.status.tolist() == ["done", "singular_mass_matrix", "refused", "done"]
    assert list(batch.failures) == [1, 2] and "'hinge'" in batch.failures[1] and "nan" in batch.failures[2]
    assert np.isnan(batch.q[1, 1:]).all() and batch.q[1, 0] == 0.1
    assert np.isnan(batch.q[2]).all() and len(batch[2]) == 0 and np.isfinite(batch.q[[0, 3]]).all()
    assert "2 of them not to the end" in repr(batch)


def test_wrong_methods_parameters_and_shapes_are_refused(pendulum: ph.Equations) -> None:
    refused("no method 'rk5'", lambda: pendulum.simulate(1, parameters={"l": LENGTHS}, method="rk5"))
    refused("no parameter 'k'", lambda: pendulum.simulate(1, parameters={"k": LENGTHS}))
    with pytest.raises(LimitError, match="3 runs of 50000000 samples would take"):
        pendulum.simulate(1, parameters={"l": LENGTHS}, samples=5 * 10**7)
    refused(r"shape is \(3, 2\), expected \(3, 1\)", lambda: pendulum.simulate(1, start=np.zeros((3, 2))), ShapeError)


def test_values_by_name_by_expression_and_at_other_times(pendulum: ph.Equations) -> None:
    batch = pendulum.simulate(0.2, samples=3, parameters={"l": LENGTHS}, start={"hinge": 0.2})
    np.testing.assert_array_equal(batch["hinge"], batch.q[:, :, 0])
    np.testing.assert_array_equal(batch["F"], np.zeros((3, 3)))
    length = pendulum.system.parameters["l"].symbol
    assert batch.values(length * pendulum.q[0])[:, 0, 0].tolist() == pytest.approx([0.1, 0.2, 0.4])
    refused("hing", lambda: batch["hing"])
    batch = pendulum.simulate(0.2, samples=21, parameters={"l": [1.0, 0.0]}, start={"hinge": 0.2})
    then = batch.at([0.05, 0.111])
    np.testing.assert_array_equal(then[0].q, batch[0].at([0.05, 0.111]).q)
    assert np.isnan(then.q[1]).all()
    assert len(cut(batch[0]).t) == len(cut(batch[0]).q) == 0
    refused("must increase", lambda: batch.at([0.1, 0.05]))


def test_states_without_mass_and_inputs_in_time(tmp_path: Path) -> None:
    motor = motor_driven_pendulum().derive()
    name = motor.states[0]
    batch = motor.simulate(0.05, samples=5, start={name: [0.0, 2.0]})
    alone = motor.simulate(0.05, samples=5, start={name: 2.0})
    same(batch[1], alone)
    np.testing.assert_array_equal(batch[1].z, alone.z)
    np.testing.assert_array_equal(batch[name], batch.arrays["z"][:, :, 0])
    np.testing.assert_array_equal(batch[1].at([0.011]).q, alone.at([0.011]).q)  # the integrator's own interpolant
    assert list(batch.varied) == [f"{name}(0)"]
    rows = motor.simulate(0.05, samples=5, start=(np.zeros(1), np.zeros(1), [[0.0], [2.0]]))
    np.testing.assert_array_equal(rows.q, batch.q)
    np.testing.assert_array_equal(Batch.load(batch.save(tmp_path / "runs.nc"), motor)[1].z, alone.z)
    swept = motor.sweep({name: [0.0, 2.0]}, 0.05, samples=5, measure=["final", f"max:{name}"], workers=1)
    assert swept[name][1] == alone.z[-1, 0] and swept[f"max:{name}"][1] == alone.z.max()


def test_inputs_that_vary_in_time_are_shared_by_all_members(pendulum: ph.Equations) -> None:
    batch = pendulum.simulate(0.2, samples=5, parameters={"l": LENGTHS}, inputs={"F": "0.1*sin(10*t)"})
    alone = pendulum.simulate(0.2, samples=5, parameters={"l": 1.0}, inputs={"F": "0.1*sin(10*t)"})
    same(batch[1], alone)
    np.testing.assert_array_equal(batch["F"][1], alone["F"])


def test_warnings_of_many_members_are_told_together() -> None:
    s = ph.System("ball", gravity=(0, 0, 0))
    s.joint("socket", s.ground, s.body("ball", 1, (0, 0, 0), (1, 1, 1)), ph.Spherical())
    with pytest.warns(UserWarning, match="in 2 of 3 runs: .*length 2") as told:
        s.derive().simulate(0.1, start=[[2, 0, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0]], samples=3)
    assert len(told) == 1


@pytest.mark.parametrize(("more", "told"), [
    ({"tau": lambda t, q, u: [0.1]}, "'tau' has a Python function"),
    ({"events": [lambda t, q, u: q[0]]}, "'events' has a Python function"),
    (
        {"tau": {"hinge": ph.held(lambda t, q, u: 0.1, every=0.05)}, "events": (lambda t, q, u: q[0],)},
        "'tau' and 'events' have Python functions",
    ),
])  # fmt: skip
def test_a_batch_that_asks_python_says_that_it_goes_under_the_lock(
    pendulum: ph.Equations, more: dict[str, Any], told: str, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match=f"3 runs go one by one, under the interpreter's lock: {told}"):
        batch = pendulum.simulate(0.1, samples=3, start={"hinge": [0.1, 0.3, 0.2]}, **more)
    assert told in batch.notices[0]
    assert batch[1:].notices == Batch.load(batch.save(tmp_path / "runs.npz")).notices == batch.notices


def test_a_batch_of_expressions_says_nothing(pendulum: ph.Equations) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = pendulum.simulate(0.1, samples=3, start={"hinge": [0.1, 0.3]}, tau={"hinge": "0.1*sin(t)"})
    assert batch.notices == ()


def test_ctrl_c_keeps_what_is_done(pendulum: ph.Equations) -> None:
    asked = []

    def controller(t: float, q: Any, u: Any) -> list[float]:
        asked.append(q[0])
        if q[0] > 0.25:
            raise KeyboardInterrupt
        return [0.0]

    with pytest.warns(UserWarning, match="lock"), pytest.raises(SimulationError, match="after 1 of 3 runs") as caught:
        pendulum.simulate(0.1, samples=3, start={"hinge": [0.1, 0.3, 0.2]}, tau=controller)
    batch = caught.value.trajectory
    assert isinstance(batch, Batch) and batch.status.tolist() == ["done", "interrupted", "not_run"]


def test_a_plot_has_a_line_for_each_member(pendulum: ph.Equations) -> None:
    figure = pendulum.simulate(0.2, samples=3, parameters={"l": LENGTHS}, start={"hinge": 0.2}).plot()
    assert [len(axes.get_lines()) for axes in figure.axes[:2]] == [3, 3]


@pytest.fixture(scope="module")
def batch() -> Batch:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -s.parameter("l", 1))), ph.Revolute("y"))
    s.joint_force("hinge", s.input("F"))
    e = s.derive()
    made = e.simulate(
        0.4, samples=5, parameters={"l": [0.2, 1, 0, -0.0]}, start={"hinge": 0.2}, inputs={"F": 0.1}, until=e.q[0]
    )
    assert isinstance(made, Batch) and made.own
    return made


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_a_saved_batch_is_read_as_it_was(batch: Batch, kind: str, tmp_path: Path) -> None:
    path = batch.save(tmp_path / f"runs.{kind}")
    batch.save(path)  # a second time, over the first
    assert batch.functions is not None
    found = Batch.load(path, batch[0].equations)
    assert found.failures == batch.failures and found.coordinates == batch.coordinates
    np.testing.assert_array_equal(found.varied["l"], batch.varied["l"])
    for a, b in zip(found, batch, strict=True):
        for name in ("t", "q", "u"):
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        assert (a.status, a.message, a.parameters) == (b.status, b.message, b.parameters)
    np.testing.assert_array_equal(found[1].tau, batch[1].tau)
    np.testing.assert_array_equal(found[1].energy.total, batch[1].energy.total)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_as_a_dataset_it_has_members_and_time(batch: Batch) -> None:
    data = batch.to_xarray()
    assert (data.sizes["member"], data.sizes["time"]) == (4, 5) and data["hinge"].dims == ("member", "time")
    assert data["l"].values.tolist() == [0.2, 1, 0, 0] and data["status"].values.tolist()[0] == "event"


def test_a_loaded_batch_needs_its_mechanism_and_other_files_are_refused(batch: Batch, tmp_path: Path) -> None:
    found = Batch.load(batch.save(tmp_path / "runs.npz"))
    refused("has no mechanism", lambda: found.values(batch[0].equations.q[0]))
    refused("state, input or speed 'hing'", lambda: found["hing"])
    from polhode.simulate.trajectory.datasets import Dataset, write

    path = write(Dataset({}, {"a": (("x",), np.ones(2))}), tmp_path / "a.npz")
    refused("not a saved batch", lambda: Batch.load(path), FormatError)


@pytest.mark.parametrize("kind", ["nc", "zarr", "npz"])
def test_a_varied_value_with_a_space_in_its_name_is_saved_without_a_warning(kind: str, tmp_path: Path) -> None:
    s = ph.System("block")
    s.joint("x", s.ground, s.body("b", s.parameter("front mass", 1)), ph.Prismatic("x"))
    batch = s.derive().simulate(0.1, samples=3, parameters={"front mass": [1, 2]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        path = batch.save(tmp_path / f"runs.{kind}")
    assert Batch.load(path).varied["front mass"].tolist() == [1, 2]


@pytest.mark.parametrize("number", [50, -30, 1.5])
def test_a_member_that_is_not_there_is_refused_with_their_number(batch: Batch, number: Any) -> None:
    refused(rf"no member {number}: the batch has {len(batch)} members", lambda: batch[number])
