"""Sayers: Kane's method on vectors without bases.

M. W. Sayers, "Symbolic vector/dyadic multibody formalism for tree-topology systems", Journal of Guidance, Control, and
Dynamics 14 (1991). `system.derive("kane")` takes its sums in the system's own speeds, `system.derive("kane",
speeds="sayers")` in the paper's; docs/kane.md is the tutorial.

    paper                             here
    (1), (2): S q̇ = v, M u̇ = f        `equations.sayers_tables.kinematical_equations`,
                                      `equations.sayers_tables.mass_matrix`, `equations.sayers_tables.forcing`
    (3)-(9): vectors, bases, Z        `ph.basis`, `ph.Arrow`, `ph.Dyadic` (docs/vectors.md),
                                      `equations.sayers_tables.variables`
    (10)-(13): Kane's equations       `system.derive("kane")`
    Step 1, (14), Tables 1, 3, 4      `ph.BuildingBlock`
    Table 2                           `equations.sayers_tables.table_2`
    (15)-(19), Tables 5, 6            its rows of categories and composite properties;
                                      `equations.sayers_tables.constants`
    Step 2, (20)-(29)                 `equations.sayers_tables.kinematics`
    Step 3, (30)-(35), Tables 7, 8    `equations.sayers_tables.table_8`
    (36)-(39), Tables 9, 10           `equations.sayers_tables.table_10`
    (40)-(46)                         `equations.sayers_tables.mass_matrix`, `equations.sayers_tables.forcing`
    simulation code, LU               `equations.export("c", folder, program="sayers")`, or "fortran"
    small variables                   `system.derive(small=[…])`, `equations.dropped` (docs/small-variables.md)
    operation counts                  `equations.sayers_tables.operations`, beside others
                                      `equations.sayers_tables.costs`

`print(equations.sayers_tables)` writes all of it, `equations.sayers_tables.latex` the same in LaTeX; on the command
line it is `polhode derive FILE --formalism kane --tables`. The satellite of the paper is models/satellite.yaml.

>>> import polhode as ph
>>> s = ph.System("pendulum")
>>> _ = s.joint("q", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
>>> tables = s.derive("kane").sayers_tables
>>> tables.table_10.title, tables.cell_text(tables.table_10.cell("v_i^B*", "B"))
('Table 10. Translational velocity and acceleration terms', '-b1')
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ...errors import warn
from ...simulate.methods import RunMethods

if TYPE_CHECKING:
    from .tables import SayersTables


class SayersMethods(RunMethods):
    """The tables of a derivation by Kane's method."""

    @cached_property
    def sayers_tables(self) -> SayersTables:
        """The tables of Sayers' paper for this system, if it was derived by Kane's method."""
        from .tables import SayersTables

        return SayersTables(self.record)

    @property
    def report(self) -> SayersTables:
        """Deprecated since 0.1: `sayers_tables` has the tables of Sayers' paper, `ph.report` writes a report."""
        warn("equations.report is now equations.sayers_tables; ph.report writes a report.", DeprecationWarning)
        return self.sayers_tables
