"""Equations and diagnosis of a system: the functions behind `System.derive` and `System.diagnose`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..formalisms.derivation import Derivation

if TYPE_CHECKING:
    from ..constraints.diagnostics import Diagnosis
    from ..model import System
    from ..model.model import Model
    from .equations import Equations


def derive(
    system: System,
    formalism: str,
    passes: Iterable[str] | None,
    constraints: str,
    independent: Sequence[str] | None,
    near: Mapping[str, float] | str | None,
    tables: bool,
    pseudo: Mapping[str, Any] | None = None,
    **chosen: Any,
) -> Equations:
    """Equations of motion of a system by a formalism, with the tables of Sayers' paper if `tables`."""
    from .equations import Equations

    source = system.source or system.model()
    derivation = Derivation.of(source, formalism, passes, constraints, independent, near, pseudo, **chosen)
    if not derivation.is_known:
        _ = derivation.equations  # raises here where the model is wrong
    equations = Equations(derivation)
    if tables:
        _ = equations.sayers_tables.tables
    return equations


def diagnose(
    model: Model, pose: Mapping[str, float] | str | None = None, tell: Callable[[str], object] | None = None
) -> Diagnosis:
    """The diagnosis of the constraints and, where the model has contacts, of how these hold it at rest at the pose."""
    from ..constraints.diagnostics import diagnose as examine
    from ..errors import PolhodeError
    from ..model import System

    report = examine(model, pose, tell)
    if not model.contacts:
        return report
    try:
        start = model.poses[pose].coordinates if isinstance(pose, str) else pose  # at rest
        head, *lines = System.of(model).derive().standing(start).text().splitlines()
        contacts = f"contacts, stops and dry friction: {head}", *(line.removeprefix("• ") for line in lines)
    except PolhodeError as error:
        problem = error.problems[0]
        reason = ": ".join(filter(None, (problem.place, f"{problem.message} {problem.cure}".rstrip())))
        contacts = (f"contacts, stops and dry friction are not examined: {reason}",)
    return replace(report, contacts=contacts)
