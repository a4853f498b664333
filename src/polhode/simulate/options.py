"""The options of a run and of an assembly by their types, for a type checker; `simulate` says what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from ..compiled.functions import Functions
    from ..expr import Expr
    from .events import Crossing, Event


class RunOptions(TypedDict, total=False):
    """What `Equations.simulate` takes besides the duration; see `polhode.simulate.simulate`."""

    start: Any
    speeds: Any
    parameters: Mapping[str, Any] | None
    inputs: Any
    tau: Any
    method: str
    step: float | None
    samples: Any
    rate: float | None
    rtol: float
    atol: float
    max_steps: int
    events: Sequence[Event | Crossing | Expr]
    until: Any
    hold: Sequence[str]
    progress: bool | Callable[[float], object] | None
    functions: Functions | None
    audit: bool | float
    watch_energy: bool


class AssemblyOptions(TypedDict, total=False):
    """What `Equations.assemble` takes besides the state; see `polhode.simulate.assemble`."""

    hold: Sequence[str]
    parameters: Mapping[str, Any] | None
    time: float
