"""A synopsis tells of equations what a run asks, and is read back as it was written."""

import json
from typing import Any

import pytest

import polhode as ph
from polhode.dynamics.synopsis import Synopsis
from polhode.model.samples import four_bar, motor_driven_pendulum


def slider(**options: Any) -> ph.System:
    """A block on a line, without gravity."""
    system = ph.System("slider", gravity=(0, 0, 0))
    system.joint("x", system.ground, system.body("block", mass=1), ph.Prismatic("x"), speeds=["v"], **options)
    return system


def of(system: ph.System, **options: Any) -> Synopsis:
    return Synopsis.of(system.derive(**options).record)


def test_names_start_values_and_efforts_are_those_of_the_equations() -> None:
    made, equations = of(motor_driven_pendulum()), motor_driven_pendulum().derive().record
    assert list(made.coordinates) == equations.coordinates and list(made.speeds) == equations.speeds
    assert list(made.states) == equations.states and list(made.inputs) == list(equations.system.inputs)
    assert made.system == equations.system.name
    assert of(slider()).joints == {"x": "v"}
    system = slider()
    system.joint("ball", "block", system.body("top", 1, inertia=(1, 1, 1)), ph.Spherical())
    made = of(system)
    assert made.quaternions == (1,) and made.orientations == (("ball", 1),) and not made.has_charts
    assert made.quaternion_groups == [(1, 4)]


@pytest.mark.parametrize("storage", ["vector", "123"])
def test_orientations_that_are_stored_otherwise_may_end(storage: str) -> None:
    system = ph.System("top")
    system.joint("ball", system.ground, system.body("top", 1, inertia=(1, 1, 1)), ph.Spherical(storage=storage))
    assert of(system).has_charts


def test_loops_are_told_however_they_are_kept() -> None:
    assert of(four_bar()).is_constrained and of(four_bar(), constraints="embedded").is_constrained
    assert not of(slider()).is_constrained


def test_signs_tables_and_users_functions_are_not_smooth() -> None:
    def pushed(force: Any) -> Synopsis:
        system = slider()
        system.joint_force("x", force(system))
        return of(system)

    assert pushed(lambda s: -(s.joints["x"].u[0] ** 3)).is_smooth
    assert not pushed(lambda s: -ph.sign(s.joints["x"].u[0])).is_smooth
    assert not pushed(lambda s: ph.maximum(s.joints["x"].q[0], 0)).is_smooth
    assert not pushed(lambda s: ph.table([0, 1, 2], [0, 1, 4])(s.joints["x"].q[0])).is_smooth


def test_energy_is_kept_by_springs_and_not_by_dampers_or_driven_joints() -> None:
    sprung, damped, driven = slider(), slider(), slider()
    sprung.joint_spring("x", 3)
    damped.joint_spring("x", 3, damping=1)
    driven.joint("y", "block", driven.body("cart", 1), ph.Prismatic("y"))
    driven.prescribe("y", ph.sin(driven.time))
    assert [of(each).keeps_energy for each in (sprung, damped, driven)] == [True, False, False]


@pytest.mark.parametrize("sample", [slider, four_bar, motor_driven_pendulum])
def test_it_is_read_back_from_json(sample: Any) -> None:
    made = of(sample())
    assert Synopsis.read(json.loads(json.dumps(made.data))) == made


@pytest.mark.parametrize("damage", [
    {"coordinates": "x"}, {"speeds": [1]}, {"states": {"a": "b"}}, {"quaternions": [7]}, {"orientations": [["x"]]},
    {"inputs": {"a": None}},
])  # fmt: skip
def test_data_that_are_no_synopsis_are_refused(damage: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        Synopsis.read({**of(slider()).data, **damage})
