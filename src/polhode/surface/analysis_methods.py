"""The methods of Equations for terms of the bias and derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from ..expr import Matrix
    from ..formalisms.velocity_terms import VelocityTerms


class AnalysisMethods(RunMethods):
    """Terms of the bias, and derivatives.

    >>> import polhode as ph
    >>> s = ph.System("pendulum on a cart")
    >>> _ = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    >>> _ = s.joint("a", "cart", s.body("pole", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> e.parameter_derivatives("bias", ["m"]), e.derivatives("inverse_dynamics", ["m"]).shape
    (Matrix([[a'**2*sin(a)], [981*sin(a)/100]]), (2, 1))
    >>> [J.shape for J in e.inverse_dynamics_derivatives], [J.shape for J in e.forward_dynamics_derivatives]
    ([(2, 2), (2, 2), (2, 2)], [(2, 2), (2, 2), (2, 2)])
    >>> e.velocity_terms.gravity
    Vector([0, 981*m*sin(a)/100])
    """

    @cached_property
    def velocity_terms(self) -> VelocityTerms:
        """Centrifugal and Coriolis matrices, gravity and applied forces; see `polhode.formalisms.velocity_terms`."""
        from ..formalisms.velocity_terms import velocity_terms

        return velocity_terms(self.record)

    @cached_property
    def inverse_dynamics_derivatives(self) -> tuple[Matrix, Matrix, Matrix]:
        """∂τ/∂q, ∂τ/∂u and ∂τ/∂u̇ = M.

        A column of ∂/∂q is the derivative along q̇ = Γ e_j, a unit of speed j: for a joint with one coordinate the
        partial derivative, for a spherical or free joint the derivative along a turn or a shift of the body.
        """
        from ..dynamics.derivatives import inverse_derivatives

        return inverse_derivatives(self.record)

    @cached_property
    def forward_dynamics_derivatives(self) -> tuple[Matrix, Matrix, Matrix]:
        """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂τ = M⁻¹, from those of the inverse dynamics: ∂u̇/∂x = -M⁻¹ ∂τ/∂x at u̇(q, u, τ).

        A column of ∂/∂q is as for the inverse dynamics; in other speeds than the joints' own ∂u̇/∂τ is M⁻¹ Eᵀ.
        """
        from ..dynamics.derivatives import forward_derivatives

        return forward_derivatives(self.record)

    def parameter_derivatives(self, of: str, parameters: Sequence[str]) -> Matrix:
        """The derivatives of a result (`inverse_dynamics`, `forward_dynamics`, `bias`, `forcing`) by parameters."""
        return self.record.parameter_derivatives(of, parameters)

    def derivatives(self, of: str, by: Sequence[str]) -> Matrix:
        """∂(a result)/∂s by parameters, inputs, efforts (`tau_…`) or time `t`, a column each.

        Results are `inverse_dynamics`, `forward_dynamics`, `bias` and `state_rates`.
        """
        from ..compiled.variations import DerivativesOf
        from ..dynamics.variations import derivatives_by

        asked = DerivativesOf(of, tuple(by))
        return derivatives_by(self.record, asked.of, asked.by)
