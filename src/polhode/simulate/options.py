"""The options of a run and of an assembly by their types, for a type checker; `simulate` says what they mean."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from ..errors import PolhodeError, suggestion

if TYPE_CHECKING:
    from ..expr import Expr
    from ..functions import Functions
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


class AssemblyOptions(TypedDict, total=False):
    """What `Equations.assemble` takes besides the state; see `polhode.simulate.assemble`."""

    hold: Sequence[str]
    parameters: Mapping[str, Any] | None
    time: float


def refuse(strange: Iterable[str], function: Callable[..., Any]) -> None:
    """Raise for the first option that a function does not have."""
    for name in strange:
        known = [each.name for each in inspect.signature(function).parameters.values() if each.kind != each.VAR_KEYWORD]
        raise PolhodeError(
            f"there is no option '{name}'.",
            place=function.__name__,
            cure=suggestion(name, known[1:]),
            code="E-SIM-024",
        )
