"""Controllers with which all coordinates of a mechanism follow references: as many controls as speeds are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .model_based import ModelBased
from .tracking import tracking

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..formalisms.derivation import Derived


class TrackingController(ModelBased):
    """A controller of a fully actuated mechanism; `tracking` has its errors and how they change."""

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        self.actuation.check_full()
        self.tracking = tracking(self.equations, 2, self.name)
