"""Members of a batch with constraints, or by an implicit method, are run by native code as each would be alone."""

from typing import Any

import numpy as np
import pytest
from tests.members_alone import MembersAlone

import polhode as ph
from polhode.errors import SimulationError
from polhode.model.samples import bennett, n_four_bar
from polhode.simulate.constraints.projection import ConstrainedMembers


@pytest.fixture
def like_alone(monkeypatch: pytest.MonkeyPatch) -> MembersAlone:
    return MembersAlone(monkeypatch)


def linkage(**derive: Any) -> ph.Equations:
    """A crank, a coupler of length l and a rocker."""
    s = ph.System("linkage")
    length = s.parameter("l", 2)
    bars = {name: s.body(name, 1, (0, 0, size / 2), (0.1, 0.1, 0)) for name, size in (("crank", 1), ("rocker", 2))}
    coupler = s.body("coupler", 1, (0, 0, length / 2), (0.3, 0.3, 0))
    s.joint("crank", s.ground, bars["crank"], ph.Revolute("y"))
    s.joint("coupler", bars["crank"], coupler, ph.Revolute("y"), at=(0, 0, 1))
    s.joint("rocker", s.ground, bars["rocker"], ph.Revolute("y"), at=(2, 0, 0))
    s.close("pin", coupler, bars["rocker"], "revolute", at_a=(0, 0, length), at_b=(0, 0, 2), axis="y")
    return s.derive(**derive)


@pytest.mark.parametrize("method", ["auto", "Radau", "Rodas5P"])
def test_members_with_constraints_have_the_bits_that_they_have_alone(method: str, like_alone: MembersAlone) -> None:
    given = {"l": np.array([1.8, 2.0, 2.2])}
    options = {"parameters": given, "start": {"crank": np.array([0.3, 0.1, 0.5])}, "samples": 5, "method": method}
    like_alone.check(linkage(), 0.3, {**options, "tau": {"crank": np.array([0.0, 1.0, -1.0])}, "rtol": 1e-7})
    assert not like_alone.by_python


def test_members_in_independent_speeds_and_singular_poses_have_them_too(like_alone: MembersAlone) -> None:
    options = {"start": {"crank": np.array([0.3, 0.5])}, "samples": 5}
    like_alone.check(linkage(constraints="embedded"), 0.3, options)
    assert not like_alone.by_python
    like_alone.check(bennett().derive(), 0.3, {"start": {"hinge 1": np.array([0.5, 1.0])}, "samples": 5})
    assert not like_alone.by_python
    options = {"speeds": {"crank 0": np.array([0.01, 3.0])}, "samples": 3, "rtol": 1e-12, "atol": 1e-12}
    batch = like_alone.check(n_four_bar(1).derive(), 0.8, options)
    assert (batch.status == "done").all()
    assert not like_alone.by_python


@pytest.mark.parametrize("method", ["Radau", "Rodas5P"])
def test_so_have_free_ones_by_implicit_methods(method: str, like_alone: MembersAlone) -> None:
    s = ph.System("top")
    s.joint("pivot", s.ground, s.body("top", 1, (0, 0, 0.5), (1, 2, 3)), ph.Spherical(), speeds=["a", "b", "c"])
    options = {"speeds": {"a": np.array([0.1, 2.0]), "c": 5.0}, "method": method, "samples": 5, "rtol": 1e-6}
    like_alone.check(s.derive(), 0.5, options)
    assert not like_alone.by_python


def test_a_start_that_cannot_be_assembled_or_was_changed_is_reported() -> None:
    batch = linkage().simulate(0.1, parameters={"l": np.array([2.0, 9.0])}, start={"crank": 0.3}, samples=3)
    assert list(batch.status) == ["done", "refused"] and "cannot be assembled" in batch.failures[1]
    options = {"start": {"crank": np.array([0.3, 0.4]), "coupler": 3.0, "rocker": 3.0}, "samples": 3}
    with pytest.warns(UserWarning, match="moved from where it was given"):
        batch = linkage().simulate(0.05, **options)
    assert all(any("moved" in notice for notice in run.notices) for run in batch)


def test_an_interrupt_while_members_are_assembled_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ConstrainedMembers, "begun", interrupt)
    with pytest.raises(SimulationError, match="interrupted after 0 of 2 runs") as caught:
        linkage().simulate(0.1, start={"crank": np.array([0.3, 0.4])}, samples=3)
    assert list(caught.value.trajectory.status) == ["interrupted", "not_run"]
