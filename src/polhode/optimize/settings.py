"""The options of `collocation`, with their kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from ..compiled.functions import Functions


class CollocationOptions(TypedDict, total=False):
    """What `collocation` takes besides the duration; see `polhode.optimize.problem.collocation`."""

    start: Any
    end: Any
    cost: Any
    terminal_cost: Any
    limits: Any
    inputs: Sequence[str] | None
    nodes: int | Sequence[float]
    scheme: str
    dynamics: str
    parameters: Mapping[str, Any] | None
    functions: Functions | None
