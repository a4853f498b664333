"""The methods of Equations for terms of the bias, symmetries and derivatives; each enters its room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .derived import Derived

if TYPE_CHECKING:
    from ..analysis.link_inverse import LinkInverse
    from ..analysis.reduction import Reduced
    from ..analysis.symmetry import Conserved, Symmetry
    from ..analysis.velocity_terms import VelocityTerms
    from ..expr import Matrix


class AnalysisMethods(Derived):
    """Terms of the bias, inverse dynamics behind gears, symmetries, derivatives.

    >>> import polhode as ph
    >>> s = ph.System("pendulum on a cart")
    >>> _ = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    >>> _ = s.joint("a", "cart", s.body("pole", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> [each.coordinate for each in e.symmetries()], [each.name for each in e.conserved()]
    (['x'], ['energy', 'x'])
    >>> e.parameter_derivatives("bias", ["m"]), e.derivatives("inverse_dynamics", ["m"]).shape
    (Matrix([[a'**2*sin(a)], [981*sin(a)/100]]), (2, 1))
    >>> [J.shape for J in e.inverse_dynamics_derivatives], [J.shape for J in e.forward_dynamics_derivatives]
    ([(2, 2), (2, 2), (2, 2)], [(2, 2), (2, 2), (2, 2)])
    >>> e.velocity_terms.gravity, e.reduce("x").speed
    (Vector([0, 981*m*sin(a)/100]), (a'*m*cos(a) + mu)/(3 + m))
    """

    @cached_property
    def velocity_terms(self) -> VelocityTerms:
        """Centrifugal and Coriolis matrices, gravity and applied forces; see `polhode.analysis.velocity_terms`."""
        from ..analysis.velocity_terms import velocity_terms

        return velocity_terms(self.record)

    @cached_property
    def link_inverse_dynamics(self) -> LinkInverse:
        """Efforts of motors behind elastic gears from the links' motion; see `polhode.analysis.link_inverse`.

        >>> import polhode as ph
        >>> s = ph.System("elastic joint")
        >>> _ = s.joint("q", s.ground, s.body("link", 1, com=(0, 0, -1)), ph.Revolute("y"))
        >>> _ = s.motor("q", 100, inertia=1e-4, stiffness=500)
        >>> list(s.derive().link_inverse_dynamics.efforts)
        ['q rotor']
        """
        from ..analysis.link_inverse import link_inverse

        return link_inverse(self.record)

    def symmetries(self, parameters: Mapping[str, Any] | None = None) -> list[Symmetry]:
        """Cyclic coordinates and other motions that leave the mechanism the same; see `polhode.analysis.symmetry`."""
        from ..analysis.symmetry import symmetries

        return symmetries(self.record, parameters)

    def conserved(self, parameters: Mapping[str, Any] | None = None) -> list[Conserved]:
        """Energy and the momenta of symmetries, where no motion changes them; see `polhode.analysis.symmetry`."""
        from ..analysis.symmetry import conserved

        return conserved(self.record, parameters)

    def reduce(self, coordinate: str) -> Reduced:
        """The equations without a cyclic coordinate, its momentum a constant; see `polhode.analysis.reduction`."""
        from ..analysis.reduction import reduce

        return reduce(self.record, coordinate)

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
