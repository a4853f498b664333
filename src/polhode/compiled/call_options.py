"""What compiled functions take besides their arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from numpy.typing import ArrayLike


class TimeOptions(TypedDict, total=False):
    """Time, inputs of the model, multipliers of constraints where they are given, and values of parameters by name."""

    t: ArrayLike
    inputs: Mapping[str, Any] | ArrayLike | None
    multipliers: ArrayLike | str | None
    parameters: Mapping[str, Any] | None


class CallOptions(TimeOptions, total=False):
    """The same, and the values of states without mass."""

    z: Mapping[str, Any] | ArrayLike | None
