"""The methods of Equations that find the parameters of a mechanism from measured motions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from ..dynamics.regressor import Regressor
    from .base_parameters import BaseParameters
    from .exciting_trajectory import ExcitationOptions, ExcitingTrajectory
    from .fit import Fit, FitOptions


class IdentificationMethods(RunMethods):
    """Regressor, base parameters, motions that show them, and the fit to data.

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> _ = s.joint("q", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> e.regressor().Y.shape, e.base_parameters().names
    ((1, 10), ['mcx_bob', 'mcz_bob', 'Iyy_bob'])
    >>> motion = e.exciting_trajectory(2.0, harmonics=2)  # a motion that shows them
    >>> fit = e.identify(e.simulate(2, start={"q": 1.0}, tau={"q": ph.sin(3 * s.time)}, samples=50))
    >>> fit.values.round(3).tolist()  # l m along z is -2, and l² m is 2
    [0.0, -2.003, 2.009]
    """

    def regressor(self) -> Regressor:
        """Y and the names of π with τ = Y(q, u, u̇) π + known: `Y, names = regressor()`; see `dynamics.regressor`."""
        from ..dynamics.regressor import regressor

        return regressor(self.record)

    def base_parameters(self, snap: float = 1e-6) -> BaseParameters:
        """Identifiable combinations of standard parameters, exact; `snap` rounds numbers to near fractions."""
        from .base_parameters import base_parameters

        return base_parameters(self.record, snap)

    def exciting_trajectory(self, period: float, **options: Unpack[ExcitationOptions]) -> ExcitingTrajectory:
        """A periodic motion within limits that shows all base parameters, of a `period` in seconds.

        - limits: (lower, upper) by coordinate, before those of the model; a turn without any goes from -π to π.
        - speeds, accelerations: the largest, one number or by coordinate; of speeds before those of the model.
        - samples: at how many times the condition is taken.
        - harmonics: of each coordinate; seed: of the first tries; base: `base_parameters()` that was found before;
          parameters: values by name that are not the model's.
        """
        from .exciting_trajectory import exciting_trajectory

        return exciting_trajectory(self._functions, period, **options)

    def identify(self, data: Any, **options: Unpack[FitOptions]) -> Fit:
        """The parameters that explain measured efforts, with their uncertainty; see `identification.fit`.

        - data: arrays by name (q, tau, and t or u and udot), a Trajectory, or a list of these; see `fit.measured`.
        - base: `base_parameters()` that was found before.
        - consistent: look for bodies that could have the parameters, too.
        - cutoff: of the filter before differences are taken, in Hz; decimate: keep one sample of so many.
        - parameters: values of the model's parameters, such as lengths; before those of a trajectory, which come before
          the model's.
        - snap: combinations this close to simple fractions are taken to be these.
        """
        from .fit import identify

        return identify(self._functions, data, **options)
