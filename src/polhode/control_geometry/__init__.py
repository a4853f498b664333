"""The methods of Equations that ask for the geometry of control; each enters its room."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from ..linear.operating_point import Values
    from .accessibility import Accessibility, Controllability, Observability
    from .affine import ControlAffine
    from .at_state import Query
    from .flatness import FlatOutput, Linearizability
    from .link_inverse import LinkInverse
    from .zero_dynamics import RelativeDegree, ZeroDynamics


class ControlGeometryMethods(RunMethods):
    """Accessibility, observability, relative degrees, zero dynamics and flatness.

    `inputs` names the controls: by default the declared inputs, else the efforts of motors. `at` is a state, by name as
    `linearize` takes it; `{}` is all zero, at rest. Answers hold for almost all parameters, or for given ones.

    >>> import polhode as ph
    >>> s = ph.System("pendulum on a cart")
    >>> cart = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    >>> pole = s.joint("a", "cart", s.body("pole", 2, com=(0, 0, -1)), ph.Revolute("y"))
    >>> s.joint_force(cart, s.input("push"))
    >>> e = s.derive()
    >>> len(e.control_affine().inputs), e.accessibility().is_accessible, e.controllability().verdict
    (1, True, True)
    >>> e.relative_degree(["x"]), e.zero_dynamics(["x"])
    (RelativeDegree(relative degree 2 of 4 states.), ZeroDynamics(a, a'))
    >>> e.observability(["x"]).growth, e.is_flat_output(["x"]).reason
    ((1, 2, 4), 'the outputs and their derivatives give 2 of 4 states')
    """

    def control_affine(self, inputs: Sequence[str] | None = None) -> ControlAffine:
        """ẋ = f(x) + Σ gᵢ(x) cᵢ, with Lie derivatives and brackets; see `control_geometry.affine`."""
        from .affine import control_affine

        return control_affine(self.record, inputs)

    def accessibility(
        self, inputs: Sequence[str] | None = None, at: Values = None, *, parameters: Values = None
    ) -> Accessibility:
        """Whether brackets of drift and inputs span the state; see `control_geometry.accessibility`."""
        from .accessibility import accessibility

        return accessibility(self._query(inputs, at, parameters))

    def controllability(
        self, inputs: Sequence[str] | None = None, at: Values = None, *, parameters: Values = None
    ) -> Controllability:
        """Small-time local controllability about an equilibrium; see `control_geometry.accessibility`."""
        from .accessibility import controllability

        return controllability(self._query(inputs, at, parameters))

    def relative_degree(
        self, outputs: Any, inputs: Sequence[str] | None = None, at: Values = None, *, parameters: Values = None
    ) -> RelativeDegree:
        """Vector relative degree and decoupling matrix; see `control_geometry.zero_dynamics`."""
        from .zero_dynamics import relative_degree

        return relative_degree(self._query(inputs, at, parameters), outputs)

    def zero_dynamics(
        self, outputs: Any, inputs: Sequence[str] | None = None, at: Values = None, *, parameters: Values = None
    ) -> ZeroDynamics:
        """The dynamics with outputs held at zero; see `control_geometry.zero_dynamics`."""
        from .zero_dynamics import zero_dynamics

        return zero_dynamics(self._query(inputs, at, parameters), outputs)

    def observability(
        self, outputs: Any, inputs: Sequence[str] | None = None, at: Values = None, *, parameters: Values = None
    ) -> Observability:
        """Which states outputs determine; see `control_geometry.accessibility`."""
        from .accessibility import observability

        return observability(self._query(inputs, at, parameters), outputs)

    def is_flat_output(
        self, outputs: Any, inputs: Sequence[str] | None = None, *, parameters: Values = None
    ) -> FlatOutput:
        """Whether outputs and their derivatives give the whole state; see `control_geometry.flatness`."""
        from .flatness import is_flat_output

        return is_flat_output(self._query(inputs, None, parameters), outputs)

    def is_feedback_linearizable(
        self, inputs: Sequence[str] | None = None, at: Values = None, *, parameters: Values = None
    ) -> Linearizability:
        """Whether feedback makes the whole state linear; see `control_geometry.flatness`."""
        from .flatness import is_feedback_linearizable

        return is_feedback_linearizable(self._query(inputs, at, parameters))

    @cached_property
    def link_inverse_dynamics(self) -> LinkInverse:
        """Efforts of motors behind elastic gears from the links' motion; see `control_geometry.link_inverse`."""
        from .link_inverse import link_inverse

        return link_inverse(self.record)

    def _query(self, inputs: Sequence[str] | None, at: Values, parameters: Values) -> Query:
        from .at_state import Query

        return Query(self.record, inputs, at, parameters)
