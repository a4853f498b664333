"""Runs with contacts that are saved and loaded."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polhode as ph
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
    s.stop("path", index=0, upper=0.5, restitution=0.5)
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
    with pytest.raises(ph.PolhodeError, match="read from columns"):
        columns.power_audit(0)
    path = run.save(tmp_path / "run.npz")
    with pytest.raises(ph.PolhodeError, match="no mechanism"):
        Trajectory.load(path).contact("sole")
    s = ph.System("other")
    s.joint("path", s.ground, s.body("block", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")),
            coordinates=["x", "z"], speeds=["vx", "vz"])  # fmt: skip
    s.stop("path", index=0, upper=0.5)
    with pytest.raises(ph.PolhodeError, match="not those of the mechanism"):
        Trajectory.load(path, s.derive()).contact("path stop 0")


def test_channels_and_columns_have_forces_gaps_slip_and_modes_with_units(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    equations, run = thrown()
    wanted = ["contacts", "gap(sole)", "slip(sole)", "mode(sole)", "gap(path stop 0)", "normal(heel)"]
    channels, missing = channels_of(run, wanted)
    by_name = {each.name: each for each in channels}
    assert [*by_name][:3] == ["normal(sole)", "friction(sole)", "normal(path stop 0)"] and "no contact" in missing[0]
    assert np.array_equal(by_name["normal(sole)"].values, run.contact("sole").normal)
    assert [by_name[name].unit for name in wanted[1:5]] == ["m", "m/s", "", "m"]
    path = run.to_csv(tmp_path / "run.csv", contacts=["sole"])
    assert "gap.sole [m],normal.sole [N],tangential_1.sole [N],slip_1.sole [m/s],mode.sole" in path.read_text()
    assert np.array_equal(Trajectory.from_csv(path, equations).q, run.q)
    assert np.array_equal(run.to_xarray(contacts=["sole"])["normal(sole)"], run.contact("sole").normal)
