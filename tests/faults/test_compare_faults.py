"""What `compare` is handed and cannot use is refused with one clear sentence, before anything is derived."""

from collections.abc import Callable
from typing import Any

import pytest

import polhode as ph
from polhode.compare import agreement, compare


@pytest.fixture
def s() -> ph.System:
    system = ph.System("mass")
    system.joint("x", system.ground, system.body("block", 1), ph.Prismatic("x"))
    return system


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda s: s.compare([]), "compare: no formalism is named"),
        (lambda s: s.compare(5), "compare formalisms: 5 is not a list of formalisms"),
        (lambda s: s.compare([None]), "a formalism needs a name, not None"),
        (lambda s: s.compare("kan"), "there is no formalism 'kan'"),
        (lambda s: s.compare(functions=5), "compare functions: 5 is not a list of functions"),
        (lambda s: s.compare(functions=["foo"]), "there is no function 'foo'"),
        (lambda s: s.compare(foo=1), "compare: there is no option 'foo'"),
        (lambda s: s.compare(system=s), "compare: there is no option 'system'"),
        (lambda s: compare(5), "compare: 5 is not a model"),  # type: ignore[arg-type]
        (lambda s: agreement({}), "agreement: {} is not a mapping from names to equations"),
        (lambda s: agreement({"kane": s}), "is not a mapping from names to equations"),
        (lambda s: agreement(5), "agreement: 5 is not"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_compared_is_refused(s: ph.System, call: Callable[[ph.System], Any], said: str) -> None:
    with pytest.raises(ph.PolhodeError) as caught:
        call(s)
    assert said in str(caught.value)


def test_a_single_name_is_a_list_of_one(s: ph.System) -> None:
    found = s.compare("kane", functions="energy", run=False)
    assert found.formalisms == ("kane",) and [row.function for row in found.rows] == ["energy"]
