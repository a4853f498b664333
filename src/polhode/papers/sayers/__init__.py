"""Sayers: Kane's method on vectors without bases.

M. W. Sayers, "Symbolic vector/dyadic multibody formalism for tree-topology systems", Journal of Guidance, Control, and
Dynamics 14 (1991). `system.derive("kane")` takes its sums in the system's own speeds, `system.derive("kane",
speeds="sayers")` in the paper's; docs/kane.md is the tutorial.

    paper                             here
    (1), (2): S q̇ = v, M u̇ = f        `equations.report.kinematical_equations`, `equations.report.mass_matrix`,
                                      `equations.report.forcing`
    (3)-(9): vectors, bases, Z        `ph.basis`, `ph.Arrow`, `ph.Dyadic` (docs/vectors.md),
                                      `equations.report.variables`
    (10)-(13): Kane's equations       `system.derive("kane")`
    Step 1, (14), Tables 1, 3, 4      `ph.BuildingBlock`
    Table 2                           `equations.report.table_2`
    (15)-(19), Tables 5, 6            its rows of categories and composite properties; `equations.report.constants`
    Step 2, (20)-(29)                 `equations.report.kinematics`
    Step 3, (30)-(35), Tables 7, 8    `equations.report.table_8`
    (36)-(39), Tables 9, 10           `equations.report.table_10`
    (40)-(46)                         `equations.report.mass_matrix`, `equations.report.forcing`
    simulation code, LU               `equations.export("c", folder, program="sayers")`, or "fortran"
    small variables                   `system.derive(small=[…])`, `equations.dropped` (docs/small-variables.md)
    operation counts                  `equations.report.operations`, beside others `equations.report.costs`

`print(equations.report)` writes all of it, `equations.report.latex` the same in LaTeX; on the command line it is
`polhode derive FILE --formalism kane --report`. The satellite of the paper is models/satellite.yaml.

>>> import polhode as ph
>>> s = ph.System("pendulum")
>>> _ = s.joint("q", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
>>> report = s.derive("kane").report
>>> report.table_10.title, report.cell_text(report.table_10.cell("v_i^B*", "B"))
('Table 10. Translational velocity and acceleration terms', '-b1')
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...simulate.methods import RunMethods

if TYPE_CHECKING:
    from .report import Report


class SayersMethods(RunMethods):
    """The report of a derivation by Kane's method."""

    @cached_property
    def report(self) -> Report:
        """The tables of Sayers' paper for this system, if it was derived by Kane's method."""
        from .report import Report

        return Report(self.record)
