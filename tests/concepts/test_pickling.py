"""Equations, functions and trajectories go to another process: with model and options, and there derived again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.compiled.functions import Functions
from polhode.model.samples import four_bar

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="link">
    <inertial><origin xyz="0.5 0 0"/><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="elbow" type="continuous"><parent link="base"/><child link="link"/><axis xyz="0 1 0"/></joint>
</robot>"""


def pendulum() -> ph.Equations:
    system = ph.System("pendulum")
    length = system.parameter("l", 2)
    system.joint("hinge", system.ground, system.body("bob", mass=1, com=(0, 0, -length)), ph.Revolute("y"))
    return system.derive()


def satellite() -> ph.Equations:
    system = ph.System("satellite", gravity=(0, 0, 0))
    system.joint("free", system.ground, system.body("hull", mass=3, inertia=(1, 2, 3)), ph.Free())
    return system.derive("poincare")


def with_multipliers() -> ph.Equations:
    return four_bar().derive()


def embedded() -> ph.Equations:
    return four_bar().derive(constraints="embedded")


SYSTEMS = [pendulum, satellite, with_multipliers, embedded]


@pytest.fixture
def from_a_file(tmp_path: Path) -> ph.Equations:
    (tmp_path / "arm.urdf").write_text(ARM)
    return ph.load(tmp_path / "arm.urdf").derive()


def again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def accelerations(functions: Functions) -> np.ndarray:
    native = functions.native("forward_dynamics")
    arrays = [np.linspace(0.2, 0.7, array.size) for array in native.outline.arrays]
    return np.asarray(functions.evaluate("forward_dynamics", *arrays[:3]))


def check_equations(equations: ph.Equations, found: ph.Equations) -> None:
    assert (found.formalism, found.coordinates, found.speeds) == (
        equations.formalism,
        equations.coordinates,
        equations.speeds,
    )
    assert found.derivation.key == equations.derivation.key
    assert found.operations(of="forward_dynamics") == equations.operations(of="forward_dynamics")
    np.testing.assert_array_equal(accelerations(found.compile()), accelerations(equations.compile()))


@pytest.mark.parametrize("make", SYSTEMS)
def test_equations_come_back_and_equations_come_back_after_they_were_used(make: Callable[[], ph.Equations]) -> None:
    check_equations(make(), again(make()))
    equations = make()
    accelerations(equations.compile())
    equations.simulate(0.02, samples=3)
    check_equations(equations, again(equations))


def test_equations_of_a_file_come_back_when_the_file_is_gone(from_a_file: ph.Equations, tmp_path: Path) -> None:
    wanted = accelerations(from_a_file.compile())
    (tmp_path / "arm.urdf").unlink()
    found = again(from_a_file)
    np.testing.assert_array_equal(accelerations(found.compile()), wanted)
    check_equations(from_a_file, found)


@pytest.mark.parametrize("options", [{}, {"bake": True}, {"cache": False}, {"backend": "numpy"}])
@pytest.mark.parametrize("make", SYSTEMS)
def test_functions_come_back_with_their_options(make: Callable[[], ph.Equations], options: dict[str, Any]) -> None:
    functions = make().compile(**options)
    wanted = accelerations(functions)
    found = again(functions)
    np.testing.assert_array_equal(accelerations(found), wanted)
    assert found.bake == functions.bake
    assert found.native("forward_dynamics").backend == functions.native("forward_dynamics").backend


@pytest.mark.parametrize("make", SYSTEMS)
def test_trajectories_come_back_with_their_mechanism(make: Callable[[], ph.Equations]) -> None:
    run = make().simulate(0.1, samples=5)
    found = again(run)
    for array in ("t", "q", "u"):
        np.testing.assert_array_equal(getattr(found, array), getattr(run, array))
    assert (found.status, found.coordinates, found.speeds) == (run.status, run.coordinates, run.speeds)
    np.testing.assert_array_equal(found.energy.total, run.energy.total)
    np.testing.assert_array_equal(accelerations(found.equations.compile()), accelerations(run.equations.compile()))
    if make is with_multipliers:
        assert run.multipliers and found.multipliers.keys() == run.multipliers.keys()
        for name, values in run.multipliers.items():
            np.testing.assert_array_equal(found.multipliers[name], values)


def test_a_run_under_control_comes_back_with_what_the_controller_did() -> None:
    run = pendulum().simulate(0.1, samples=5, tau=lambda t, q, u: [-3 * u[0]], start={"hinge": 1})
    found = again(run)
    np.testing.assert_array_equal(found.tau, run.tau)
    np.testing.assert_array_equal(found.energy.total, run.energy.total)


def rerun(equations: ph.Equations) -> ph.Trajectory:
    return equations.simulate(0.1, samples=5)


@pytest.mark.slow
def test_a_pool_of_processes_derives_runs_and_sends_back(from_a_file: ph.Equations) -> None:
    mechanisms = [pendulum(), with_multipliers(), from_a_file]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        runs = list(pool.map(rerun, mechanisms))
        found = list(pool.map(accelerations, [each.compile() for each in mechanisms]))
    for equations, run, values in zip(mechanisms, runs, found, strict=True):
        np.testing.assert_array_equal(run.q, rerun(equations).q)
        np.testing.assert_array_equal(values, accelerations(equations.compile()))


def fallen(t: float, q: np.ndarray, u: np.ndarray) -> float:
    return float(q[0] - 3.0)


@pytest.mark.parametrize("options", [
    {"method": "rk4"}, {"batch": 3}, {"until": fallen}, {"parameters": {"l": np.array([1.0, 2.0])}, "batch": 2},
    {"controller": True}, {"controller": True, "sample_time": 0.03, "delay": 0.04},
])  # fmt: skip
def test_steppers_go_on_where_they_were(options: dict[str, Any]) -> None:
    equations = pendulum()
    if "controller" in options:
        options = {**options, "controller": ph.control.ComputedTorque(equations, kp=4, kd=4), "reference": "sin(t)"}
    st = equations.stepper(start={"hinge": 0.5}, dt=0.02, **options)
    for _ in range(3):
        st.step()
    found = again(st)
    for _ in range(3):
        st.step()
        found.step()
    for array in ("t", "q", "u", "tau"):
        np.testing.assert_array_equal(getattr(found, array), getattr(st, array))
    st.reset()
    found.reset()
    np.testing.assert_array_equal(found.q, st.q)


def test_functions_of_controllers_and_constrained_steppers_come_back() -> None:
    st = with_multipliers().stepper(batch=2, speeds={"crank": 1}, dt=0.02)
    st.step()
    found = again(st)
    np.testing.assert_array_equal(found.step()[0], st.step()[0])
    law = ph.control.ComputedTorque(pendulum(), kp=4, kd=4).compile()
    how = {"q": [0.3], "u": [1.0], "reference": [0.1, 0.2, 0.3]}
    np.testing.assert_array_equal(again(law)(**how), law(**how))
    with pytest.raises(ph.PolhodeError, match=r"events: .*lambda.* does not pickle: no name leads to it"):
        pickle.dumps(pendulum().stepper(events=[lambda t, q, u: q[0]]))
