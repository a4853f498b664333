"""What the methods of a System reach, each in its room, which is entered when it is called.

This is the one door by which the model reaches right; `polhode.model.system` alone goes through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Unpack

    from ..compare import Comparison
    from ..compare.comparison import CompareOptions
    from ..constraints.diagnostics import Diagnosis
    from ..model import System
    from .equations import Equations


def derive(
    system: System,
    formalism: str,
    passes: Iterable[str] | None,
    constraints: str,
    independent: Sequence[str] | None,
    near: Mapping[str, float] | str | None,
    report: bool,
    pseudo: Mapping[str, Any] | None = None,
    **chosen: Any,
) -> Equations:
    from ..formalisms.derivation import Derivation
    from .equations import Equations

    source = system.source or system.model()
    derivation = Derivation.of(source, formalism, passes, constraints, independent, near, pseudo, **chosen)
    if not derivation.is_known:
        _ = derivation.equations  # so that what is wrong is told here
    made = Equations(derivation)
    if report:
        _ = made.report.tables
    return made


def compare(system: System, formalisms: Sequence[str] | str | None, /, **options: Unpack[CompareOptions]) -> Comparison:
    from ..compare import compare

    return compare(system.model(), formalisms, **options)


def diagnose(system: System, pose: Mapping[str, float] | str | None) -> Diagnosis:
    from ..constraints.diagnostics import diagnose

    return diagnose(system.model(), pose)


def vectors() -> ModuleType:
    from ..kinematics import vectors

    return vectors
