"""A small model file, and what its reader says of one that is wrong."""

import pytest

import polhode as ph
from polhode.formats import loads_yaml

PENDULUM = """\
parameters: {m: 2, l: 0.5}
bodies:
  bob: {mass: m, com: [0, 0, -l], inertia: [1, 1, 1]}
joints:
  hinge: {parent: ground, child: bob, type: revolute, axis: y}
"""


def refusal(text: str) -> str:
    with pytest.raises(ph.PolhodeError) as caught:
        loads_yaml(text, file="m.yaml")
    for problem in caught.value.problems:
        assert problem.place.startswith("m.yaml"), problem
        assert problem.code, problem
    return str(caught.value)


def same_pendulum(system: ph.System) -> bool:
    return system.derive("newton_euler").agrees_with(loads_yaml(PENDULUM).derive("newton_euler"))
