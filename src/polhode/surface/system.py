"""What the methods of a System reach, each in its room, which is entered when it is called.

This is the one door by which the model reaches right; `polhode.model.system` alone goes through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..compare import Comparison
    from ..constraints.diagnostics import Diagnosis
    from ..dynamics.equations import Equations
    from ..model import System


def derive(
    system: System,
    formalism: str,
    passes: Iterable[str] | None,
    constraints: str,
    independent: Sequence[str] | None,
    near: Mapping[str, float] | str | None,
    report: bool,
) -> Equations:
    from ..formalisms import derive
    from ..model.reading import flag_of

    made = derive(system.model(), formalism, passes, constraints, independent, near)
    if flag_of(report, "report", "derive"):
        _ = made.report.tables
    return made


def compare(system: System, formalisms: Sequence[str] | str | None, **options: Any) -> Comparison:
    from ..compare import compare

    return compare(system.model(), formalisms, **options)


def diagnose(system: System, pose: Mapping[str, float] | str | None) -> Diagnosis:
    from ..constraints.diagnostics import diagnose

    return diagnose(system.model(), pose)


def vectors() -> ModuleType:
    from ..kinematics import vectors

    return vectors
