"""A controller from outside the package: a brake on every joint, against its speed."""

from typing import Any

from polhode.control import Controller, Law
from polhode.control.model_based import gains


class Brake(Controller):
    """τ = -b u on every speed, with one gain b for all, or one for each."""

    def __init__(self, equations: Any, b: Any = 2) -> None:
        super().__init__(equations)
        self.b = b

    def design(self) -> Law:
        e = self.equations
        made = gains("b", self.b, e.speeds, self.name)
        efforts = [-force for force in made.times(e.u)]
        return Law(dict(zip(e.tau, efforts, strict=True)), parameters=made.parameters)
