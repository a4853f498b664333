"""Pseudo-velocities as a user gives them to `derive`: expressions, or their text as a model file writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, understood
from ..expr import Expr, as_expr
from ..formats.model_file import ModelFile
from ..formats.names import quoted
from ..formats.texts import expression_of

if TYPE_CHECKING:
    from ..model import Model

_PLACE = "derive pseudo"


def read_pseudo(
    source: Model | ModelFile, given: Mapping[str, Any] | None, independent: object = None
) -> tuple[tuple[str, Expr], ...] | None:
    """Names and expressions of pseudo-velocities, in the order given."""
    if given is None:
        return None
    if independent is not None:
        raise PolhodeError(
            "independent speeds and pseudo-velocities are two choices of one thing.",
            place=_PLACE,
            cure="Give one of them; a speed can be a pseudo-velocity.",
            code="E-PSEUDO-006",
        )
    cure = 'Give a mapping from names to expressions, for example {"v": cos(q)*u_x + sin(q)*u_y}.'
    with understood("a mapping from names to expressions", given, place=_PLACE, cure=cure):
        if not isinstance(given, Mapping):
            raise TypeError
        pairs = list(given.items())
    model = source.read() if isinstance(source, ModelFile) else source
    speeds = {spelling: u for joint in model.joints.values() for u in joint.u for spelling in (u.name, quoted(u.name))}
    made = []
    for name, value in pairs:
        with understood("an expression of the speeds", value, place=f"{_PLACE} '{name}'"):
            if (
                isinstance(value, str) and value.strip() in speeds
            ):  # its coordinate, often of the same name, would be none
                read = speeds[value.strip()]
            else:
                read = expression_of(value, model) if isinstance(value, str) else as_expr(value)
        made.append((name, read))
    return tuple(made)
