"""A sample of every controller: one line each, by its name in `polhode.control`, and one from outside the package."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.controlled_arms import arm

import polhode as ph
from polhode.control import Controller

from .brake import Brake
from .model_based_samples import model_based
from .regulators import REGULATORS, mechanism


@dataclass(frozen=True)
class Sample:
    """A mechanism, a controller of it, and the options of a run that it is fit for."""

    equations: ph.Equations
    controller: Controller
    run: Mapping[str, Any] = field(default_factory=dict)
    duration: float = 0.5
    sample_time: float = 0.005


def brake() -> Sample:
    e = arm().derive()
    return Sample(e, Brake(e, [3, 1]), {"start": {"shoulder": 0.5}, "speeds": {"elbow": 1.0}})


def regulator(name: str) -> Sample:
    e = mechanism()
    return Sample(e, REGULATORS[name](e), {"start": {"theta": 0.1}})


#: How a sample of each is made.
SAMPLES: dict[str, Callable[[], Sample]] = {
    "Brake": brake,
    **{name: partial(regulator, name) for name in REGULATORS},
    **model_based(Sample),
}
