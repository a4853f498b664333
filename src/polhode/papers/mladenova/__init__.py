"""Mladenova: vector-parameters, programmes and control.

C. D. Mladenova, "Group theory in the problems of modeling and control of multi-body systems". Motions are group
elements, mostly in vector-parameters c with |c| = tan(θ/2). docs/mladenova.md has a call and a test for every equation.

    paper                             here
    1, (1)-(7)                        `equations.workspace`, `equations.jacobian`, `equations.singular_configurations`
    1, Tables 1, 2                    `polhode.papers.mladenova.tables.table_1` and
                                      `polhode.papers.mladenova.tables.table_2`
    1, Table 3                        `polhode.papers.silver.ladder`; row G is `system.derive("vector_newton_euler")`
    2, (8)-(107)                      `ph.Rotation`, `ph.MovingRotation`, `ph.Attitude` (docs/rotations.md)
    2, Theorem 2                      `polhode.papers.mladenova.tangent_bundle.product_with_rates`
    3, (108)-(140)                    `system.derive("vector_parameter")`, `equations.vector_parameter_form`, joints
                                      with `storage="vector"`, `equations.jacobian` with
                                      `orientation="vector"` (docs/vector-parameters.md)
    4, (141)-(167)                    `ph.screw_of`, `ph.dual`, `equations.dual_jacobian`, `equations.velocity_screw`,
                                      `system.derive("screw")` (docs/screws.md)
    5, (168)-(190)                    `ph.principal_axes`, `polhode.papers.mladenova.diagonalisation.two_levels`
    5, (198)-(205)                    `ph.principal_axes`
    6.1, (214)-(217)                  `system.constrain_speed`, `system.derive("routh")`
    6.2, (218)-(236)                  `system.derive("hamel", pseudo=…)`; (231) is `equations.structure_coefficients`
    6.3, (251)-(254), Theorem 5       `equations.programme_control` (docs/analysis.md)
    6.3, (255)                        `equations.descriptor`
    7, 8, (256)-(388)                 `system.motor`, `equations.link_inverse_dynamics`, `equations.velocity_terms`,
                                      `equations.feedback_linearize` (docs/motors.md); (272) is
                                      `equations.articulated_body`, (284)-(289) `equations.vector_parameter_form`
    8, (341)-(388)                    `polhode.papers.mladenova.joint_frames.dynamic_matrices`
    9.1                               `polhode.papers.mladenova.way.Way`, of `Line` and `Arc`
    9.2, (389)-(397)                  `ph.RotationSpline`, `ph.PoseSpline` (docs/planning.md)
    10, (398), (399)                  `polhode.papers.mladenova.biped.biped`, `polhode.papers.mladenova.biped.Gait`,
                                      `polhode.papers.mladenova.biped.two_bars` (docs/biped.md)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...simulate.methods import RunMethods

if TYPE_CHECKING:
    from ...formalisms.articulated_body import ArticulatedBody
    from .descriptor import Descriptor, Programme, StructureCoefficients
    from .vector_form import VectorParameterForm


class MladenovaMethods(RunMethods):
    """Programmes, the descriptor form and the structure coefficients of pseudo-velocities.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> x = s.joint("x", s.ground, s.body("slide"), ph.Prismatic("x"))
    >>> y = s.joint("y", "slide", s.body("bead", 1), ph.Prismatic("y"))
    >>> e = s.derive("hamel", pseudo={"v": x.u[0], "w": y.u[0] - x.q[0] * x.u[0] - y.q[0] * x.u[0]})
    >>> e.structure_coefficients.nonzero
    {('v', 'w', 'w'): -1, ('w', 'w', 'v'): 1}
    >>> e = s.derive()
    >>> len(e.descriptor().states), list(e.programme_control([x.q[0] - ph.sin(s.time)], ["x"]).control)
    (4, ['x'])
    """

    def vector_parameter_form(self) -> VectorParameterForm:
        """H_V(c) c̈ + h_V = P_V in vector-parameters, (126)-(140), (284)-(289); see `mladenova.vector_form`."""
        from .vector_form import vector_parameter_form

        return vector_parameter_form(self.record)

    def articulated_body(self, name: str) -> ArticulatedBody:
        """Ĥ and ĥ of a body with all that it carries, t = Ĥ W + ĥ, (272); see `formalisms.articulated_body`."""
        from ...formalisms.articulated_body import articulated_body

        return articulated_body(self.record, name)

    def descriptor(self) -> Descriptor:
        """E ẋ = f(x) of coordinates, speeds and multipliers; see `polhode.papers.mladenova.descriptor`."""
        from .descriptor import descriptor

        return descriptor(self.record)

    @property
    def structure_coefficients(self) -> StructureCoefficients:
        """γ_kij of the speeds or pseudo-velocities, [Π_k, Π_j] = Σ γ_kij Π_i, (231) of Mladenova."""
        from .descriptor import structure_coefficients

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
        """The efforts of `actuators` that keep a programme; deviations decay at the rate `pull`.

        With least="effort" they are the least, by `weights`; see `polhode.papers.mladenova.descriptor`.
        """
        from .descriptor import programme_control

        return programme_control(self.record, programme, actuators, pull, least, weights)
