"""What equations that are truncated in small variables, or without some coordinates, cannot tell: a sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import PolhodeError, listed

if TYPE_CHECKING:
    from .equations import EquationsOfMotion


def check_whole(equations: EquationsOfMotion, what: str) -> None:
    """Refuse what only the whole equations tell."""
    if equations.small is not None:
        raise PolhodeError(
            f"{what} is that of the whole equations, and these are truncated in small variables.",
            cure="Derive without them: small=[].",
            code="E-SMALL-010",
        )
    check_all_coordinates(equations, what)


def check_all_coordinates(equations: EquationsOfMotion, what: str) -> None:
    """Refuse what takes all coordinates."""
    if equations.omitted:
        names = listed([f"'{q.name}'" for q in equations.omitted])
        raise PolhodeError(
            f"{what} is that of all coordinates, and these equations are without {names}.",
            cure="Derive without omitting them.",
            code="E-OMIT-005",
        )
