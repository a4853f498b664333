"""Small motions about a state as a user holds them: matrices, eigenvalues, modes, and pictures of these."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

from ..errors import PolhodeError
from .eigenvalue_branches import EigenvalueBranches
from .linear import Linear
from .modes import Mode
from .root_locus import RootLocus

if TYPE_CHECKING:
    from ..formalisms.derivation import Derivation
    from ..simulate import Trajectory
    from .eigenvalue_derivatives import EigenvalueDerivatives
    from .transfer_function import TransferFunction

Parameters = Mapping[str, Any] | None


@dataclass(frozen=True, eq=False, repr=False)
class SmallMotions(Linear):
    """The linear equations of small motions about a state, and what follows from them; see `linear.linear.Linear`.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> l = s.parameter("l", 1)
    >>> _ = s.joint("q", s.ground, s.body("bob", 1, com=(0, 0, -l)), ph.Revolute("y"))
    >>> small = s.derive().linearize()
    >>> [round(mode.frequency, 3) for mode in small.modes()]
    [0.503]
    >>> sorted(small.eigenvalue_derivatives(["l"]).values[:, 0].imag.round(3).tolist())
    [-1.581, 1.581]
    >>> small.eigenvalues_along("l", [1, 2, 4]).eigenvalues.shape
    (3, 2)
    >>> small.root_locus("tau_q", "q", [0, 1]), small.transfer_function("tau_q", "q")
    (RootLocus(tau_q = -k q; 2 gains, 2 poles), TransferFunction(tau_q to q, degrees 0 over 2))
    """

    derivation: Derivation | None = None  # of the equations whose real motion is shown

    @classmethod
    def of(cls, linear: Linear, derivation: Derivation) -> Self:
        """Linear equations as a user holds them.

        SmallMotions.of(linear, equations.derivation)
        """
        return cls(**{each.name: getattr(linear, each.name) for each in fields(linear)}, derivation=derivation)

    def eigenvalues_along(self, parameter: str, values: Any, parameters: Parameters = None) -> Branches:
        """The eigenvalues along a parameter, followed as branches; see `linear.eigenvalue_branches`."""
        from .eigenvalue_branches import eigenvalues_along

        made = eigenvalues_along(self, parameter, values, parameters)
        return Branches(**{each.name: getattr(made, each.name) for each in fields(made)})

    def eigenvalue_derivatives(
        self, by: Sequence[str], parameters: Parameters = None, follow: bool = False
    ) -> EigenvalueDerivatives:
        """∂λ/∂p of all eigenvalues by parameters, exactly; see `linear.eigenvalue_derivatives`.

        With `follow` the equilibrium moves with the parameters.
        """
        from .eigenvalue_derivatives import eigenvalue_derivatives

        return eigenvalue_derivatives(self, by, parameters, follow)

    def root_locus(self, input: str, output: Any, gains: Any, parameters: Parameters = None) -> Locus:
        """The poles with c = -k y along the gain k, each followed; see `linear.root_locus`."""
        from .root_locus import root_locus

        made = root_locus(self, input, output, gains, parameters)
        return Locus(**{each.name: getattr(made, each.name) for each in fields(made)})

    def transfer_function(self, input: str, output: Any) -> TransferFunction:
        """Numerator and denominator of C (s - A)⁻¹ B + D as graphs; see `linear.transfer_function`."""
        from .transfer_function import transfer_function

        return transfer_function(self, input, output)

    def modes(self, parameters: Parameters = None) -> list[MovingMode]:
        """The modes, slowest first: eigenvector, frequency, damping ratio, participation; see `linear.modes`."""
        from .modes import modes

        return [
            MovingMode(
                **{each.name: getattr(mode, each.name) for each in fields(mode)}, linear=self, parameters=parameters
            )
            for mode in modes(self, parameters)
        ]


class Branches(EigenvalueBranches):
    """Eigenvalues along a parameter, and their picture."""

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Real and imaginary parts over the parameter as a matplotlib figure, saved if asked."""
        from ..view.plot import save_plot
        from .eigenvalue_plots import plot_branches

        marks = [each.value for each in self.crossings]
        figure = plot_branches(self.values, self.eigenvalues, self.parameter, self.unit, marks)
        if path is not None:
            save_plot(figure, path)
        return figure


class Locus(RootLocus):
    """A root locus, and its picture."""

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """The poles in the complex plane along the gain as a matplotlib figure, saved if asked."""
        from ..view.plot import save_plot
        from .eigenvalue_plots import plot_locus

        figure = plot_locus(self.gains, self.poles, self.zeros, title=f"{self.input} = -k {self.output}")
        if path is not None:
            save_plot(figure, path)
        return figure


@dataclass(frozen=True, eq=False, repr=False)
class MovingMode(Mode):
    """A mode, and the real motion that starts in it."""

    linear: SmallMotions | None = None
    parameters: Parameters = None

    def trajectory(self, amplitude: float | None = None, cycles: float = 3.0) -> Trajectory:
        """The motion of the full equations from the state moved along the mode; see `linear.mode_motion`.

        `amplitude` is what the largest displacement is multiplied by; without it, one that is seen and still small.
        """
        from .mode_motion import mode_motion

        linear = self.linear
        if linear is None or linear.derivation is None:
            raise PolhodeError("this mode does not know its mechanism.", place="mode", code="E-LIN-031")
        return mode_motion(linear.derivation, linear, self, self.parameters, amplitude, cycles)

    def animate(
        self,
        path: str | os.PathLike[str] | None = None,
        amplitude: float | None = None,
        cycles: float = 3.0,
        notes: str = "",
    ) -> Any:
        """Write the motion that starts in the mode as one HTML page, or without a path return what a notebook shows."""
        run = self.trajectory(amplitude, cycles)
        return run.animate(path, notes=notes or f"Mode: {self.name}. {run.info['mode']['told']}")
