"""Equations of a system: the function behind `System.derive`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..formalisms.derivation import Derivation

if TYPE_CHECKING:
    from ..model import System
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
    made = Equations(derivation)
    if tables:
        _ = made.sayers_tables.tables
    return made
