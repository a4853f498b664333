"""Members: what of a call is given once for each run, and what each run gets."""

from typing import Any

import numpy as np
import pytest

from polhode.errors import ShapeError
from polhode.simulate.batch.members import Members


def of(**options: Any) -> Members:
    found = Members.of(options)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"parameters": {"l": 1.0}, "start": {"hinge": 0.1}, "inputs": [1.0, 2.0]},
        {"start": [0.1, 0.2], "speeds": np.zeros(2)},
        {"start": ([0.1, 0.2], [0.0, 0.0])},
        {"start": "up", "tau": lambda t, q, u: [0.0]},
        {"inputs": {"F": ([0.0, 1.0], [2.0, 3.0])}},
        {"inputs": {"F": [2.0, 3.0]}},  # it might be meant as samples in time
        {"start": [[0.1], [0.2, 0.3]]},
        {"inputs": {"F": [0.0, 1.0]}},
    ],
    ids=lambda options: ", ".join(options),
)
def test_what_is_given_once_is_one_run(options: dict[str, Any]) -> None:
    assert Members.of(options) is None


def test_each_member_gets_its_row_of_what_is_given_and_all_that_is_shared_and_lengths_that_differ_are_named() -> None:
    members = of(parameters={"l": np.array([1.0, 2.0]), "m": 3}, start=[[0.1, 0.2], [0.3, 0.4]], rtol=1e-6)
    assert members.count == 2
    second = members.member(1)
    assert second["parameters"] == {"m": 3, "l": 2.0} and second["start"].tolist() == [0.3, 0.4]
    assert second["rtol"] == 1e-6
    members = of(start=([[0.1], [0.2]], [0.5]))
    q, u = members.member(1)["start"]
    assert (q.tolist(), u) == ([0.2], [0.5])
    members = of(inputs={"F": range(5)}, start={"x": range(5)})
    part = members.part(slice(2, 4))
    assert [part.member(i) for i in range(part.count)] == [members.member(2), members.member(3)]
    with pytest.raises(ShapeError, match="parameter 'l' has 2 and start of 'hinge' has 3"):
        of(parameters={"l": [1, 2]}, start={"hinge": [1, 2, 3]})


@pytest.mark.parametrize(("options", "told"), [
    ({"parameters": {"l": ["a", "b"]}}, "parameter 'l': <U1 is no type of real numbers"),
    ({"parameters": {"l": np.ones((2, 2))}}, r"shape \(2, 2\)"), ({"parameters": {"l": []}}, "there are no values"),
    ({"speeds": {"hinge": [1j, 2j]}}, "speed 'hinge': complex128"),
])  # fmt: skip
def test_what_is_no_list_of_numbers_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ShapeError, match=told):
        of(**options)
