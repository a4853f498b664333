"""Names as a simulation program writes them."""

from __future__ import annotations

from pathlib import Path

import polhode as ph
from polhode.simulate import Trajectory
from polhode.simulate.plain_names import plain_names


def test_names_stay_apart_when_they_are_washed() -> None:
    assert plain_names(["a b", "_x", "é", "è", "name_2"]) == ["a b", "_x", "name", "name_3", "name_2"]
    assert len(set(plain_names(["x" * 80, "x" * 81]))) == 2


def test_a_table_with_washed_names_is_read_as_the_mechanism_s(tmp_path: Path) -> None:
    s = ph.System("odd names")
    s.joint("a#b", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    equations = s.derive()
    path = equations.simulate(0.1, start={"a#b": 0.3}, samples=3).to_csv(tmp_path / "run.csv")
    path.write_text(path.read_text(encoding="utf-8").replace("a#b", "a_b"), encoding="utf-8")
    read = Trajectory.from_csv(path, equations)
    assert read["a#b"][0] == 0.3
