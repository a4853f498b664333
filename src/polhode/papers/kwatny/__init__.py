"""Kwatny and Blankenship: a joint is its map.

H. G. Kwatny and G. L. Blankenship, "Symbolic construction of models for multibody dynamics", IEEE Trans. Robotics and
Automation 11 (1995). From the map H of a joint follow its configuration X and its kinematic matrix Γ; Poincaré's
equations are in quasi-velocities. docs/joints.md is the tutorial.

    paper                             here
    I, symmetries and reduction       `equations.symmetries`, `equations.reduce` (docs/analysis.md)
    II.A, (1)-(7)                     `ph.Pose`: the 4×4 matrix is `matrix()`
    II.A, (3): f(q, q̇) = 0            `system.constrain`, `system.constrain_speed`, also not linear in the speeds
    II.A, (5)-(9): H = Ker A          `ph.JointMap.of_constraint(A)`
    II.B, (8)-(24), Table I           `ph.JointMap`, and joints by name: `ph.Revolute`, `ph.Universal`, `ph.Screw`, …
    II.C, XXeuc, GammaKin, Table II   `ph.joint_kinematics`: `X`, `gamma`, `H`
    II.D, II.E, (25)-(36)             `ph.Compound`; `ph.joint_kinematics` with `groups=`
    III.A, (37)-(41)                  `system.derive("poincare")`
    III.B, (42)-(52)                  `equations.mass_matrix`, `equations.kinetic_energy`
    III.C, (53)-(55): RgdChn, Cmat,   `equations.poincare_form`: `V`, `X`, `H`, `M`, `C`, `F`, `Q`; the bias is
    PoincFunc                         `equations.bias`
    forces in either frame, (53c)     `system.coordinate_force`, `system.joint_force`
    IV, the arm                       `polhode.model.samples.six_degree_of_freedom_arm`
    its successors                    `system.beam`, `system.flexible_body` (docs/flexible.md),
                                      `polhode.model.samples.tracked_vehicle` (docs/vehicles.md)
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...simulate.methods import RunMethods

if TYPE_CHECKING:
    from .poincare_form import PoincareForm


class KwatnyMethods(RunMethods):
    """Poincaré's form of the equations."""

    @cached_property
    def poincare_form(self) -> PoincareForm:
        """V, X, H, M, C, F and Q as Kwatny and Blankenship have them; see `polhode.papers.kwatny.poincare_form`.

        >>> import polhode as ph
        >>> s = ph.System("pendulum")
        >>> _ = s.joint("q", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
        >>> form = s.derive().poincare_form
        >>> form.M, form.F
        (Matrix([[2]]), Vector([19.62*sin(q)]))
        """
        from .poincare_form import poincare_form

        return poincare_form(self.record)
