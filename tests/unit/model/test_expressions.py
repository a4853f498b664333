"""The expressions of a model are those of all that acts on it, each with words for its part."""

from __future__ import annotations

import polhode as ph
from polhode.model.expressions import acting_parts, expressions_in, expressions_of


def test_parts_that_act_are_named_however_deep() -> None:
    system = ph.System("slider")
    x = system.joint("x", system.ground, system.body("block", mass=1), ph.Prismatic("x"))
    lag = system.state("lag", rate=x.u[0])
    system.joint_force(x, -2 * lag)
    words = dict(acting_parts(system.model()))
    assert "the rate of state 'lag'" in words and "gravity" in words and len(words) == 3
    assert x.u[0] in expressions_of(system.model()) and -2 * lag in expressions_of(system.model())
    a, b = ph.symbols("a b")
    assert list(expressions_in({"one": [a, (b, 3)], "two": "text"})) == [a, b]
