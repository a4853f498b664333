"""sayers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...dynamics.equations import EquationsOfMotion
    from .report import Report


class SayersMethods:
    """The report of a derivation by Kane's method."""

    if TYPE_CHECKING:

        @property
        def record(self) -> EquationsOfMotion: ...

    @cached_property
    def report(self) -> Report:
        """The tables of Sayers' paper for this system, if it was derived by Kane's method.

        >>> import polhode as ph
        >>> s = ph.System("pendulum")
        >>> _ = s.joint("q", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
        >>> report = s.derive("kane").report
        >>> [table.title[:8] for table in report.tables], report.cell_text(report.table_10.cell("v_i^B*", "B"))
        (['Table 2.', 'Table 8.', 'Table 10'], '-b1')
        """
        from .report import Report

        return Report(self.record)
