"""The methods of Equations that ask for programmes and other forms of the equations; each enters its room."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..simulate.methods import RunMethods

if TYPE_CHECKING:
    from ..analysis import Descriptor, Programme
    from ..expr import Matrix
    from ..formalisms.poincare_form import PoincareForm
    from ..formalisms.structure_coefficients import StructureCoefficients
    from ..formalisms.velocity_terms import VelocityTerms


class AnalysisMethods(RunMethods):
    """Other forms of the equations, terms of the bias, programmes, derivatives.

    >>> import polhode as ph
    >>> s = ph.System("pendulum on a cart")
    >>> cart = s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    >>> pole = s.joint("a", "cart", s.body("pole", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    >>> e = s.derive()
    >>> e.parameter_derivatives("bias", ["m"]), e.derivatives("inverse_dynamics", ["m"]).shape
    (Matrix([[a'**2*sin(a)], [981*sin(a)/100]]), (2, 1))
    >>> [J.shape for J in e.inverse_dynamics_derivatives], [J.shape for J in e.forward_dynamics_derivatives]
    ([(2, 2), (2, 2), (2, 2)], [(2, 2), (2, 2), (2, 2)])
    >>> e.velocity_terms.gravity, e.poincare_form.M == e.mass_matrix, len(e.descriptor().states)
    (Vector([0, 981*m*sin(a)/100]), True, 4)
    >>> list(e.programme_control([cart.q[0] - ph.sin(s.time)], ["x"]).control)
    ['x']
    """

    def descriptor(self) -> Descriptor:
        """E ẋ = f(x) of coordinates, speeds and multipliers; see `polhode.analysis.descriptor`."""
        from ..analysis import descriptor

        return descriptor(self.record)

    @cached_property
    def velocity_terms(self) -> VelocityTerms:
        """Centrifugal and Coriolis matrices, gravity and applied forces; see `polhode.formalisms.velocity_terms`."""
        from ..formalisms.velocity_terms import velocity_terms

        return velocity_terms(self.record)

    @cached_property
    def poincare_form(self) -> PoincareForm:
        """V, X, H, M, C, F and Q as Kwatny and Blankenship have them; see `polhode.formalisms.poincare_form`."""
        from ..formalisms.poincare_form import poincare_form

        return poincare_form(self.record)

    @property
    def structure_coefficients(self) -> StructureCoefficients:
        """γ_kij of the speeds or pseudo-velocities, [Π_k, Π_j] = Σ γ_kij Π_i: see `formalisms.structure_coefficients`.

        >>> import polhode as ph
        >>> s = ph.System("slider")
        >>> x = s.joint("x", s.ground, s.body("slide"), ph.Prismatic("x"))
        >>> y = s.joint("y", "slide", s.body("bead", 1), ph.Prismatic("y"))
        >>> made = s.derive("hamel", pseudo={"v": x.u[0], "w": y.u[0] - x.q[0] * x.u[0] - y.q[0] * x.u[0]})
        >>> made.structure_coefficients.nonzero
        {('v', 'w', 'w'): -1, ('w', 'w', 'v'): 1}
        """
        from ..formalisms.structure_coefficients import structure_coefficients

        return structure_coefficients(self.record)

    def programme_control(
        self,
        programme: Sequence[Any],
        actuators: Sequence[str],
        pull: Any = 0,
        *,
        least: str | None = None,
        weights: Any = None,
    ) -> Programme:
        """The efforts of `actuators` that keep a programme, with least="effort" the least, by `weights`; deviations are
        pulled back at the rate `pull`. See `analysis.programme_control`.
        """
        from ..analysis import programme_control

        return programme_control(self.record, programme, actuators, pull, least=least, weights=weights)

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
