"""Refusals: what needs whole equations, all coordinates, or rigid bodies, where they are not given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import PolhodeError, listed, shown
from ..expr import as_expr, free_symbols

if TYPE_CHECKING:
    from ..model.constraints.unilateral import UnilateralElement
    from ..model.model import Model
    from .equations import EquationsOfMotion


def check_whole(equations: EquationsOfMotion, what: str) -> None:
    """Raise if coordinates are omitted."""
    check_untruncated(equations, what)
    check_all_coordinates(equations, what)


def check_untruncated(equations: EquationsOfMotion, what: str) -> None:
    """Raise if equations are truncated in small variables."""
    if equations.small is not None:
        message = f"{what} is that of the whole equations, and these are truncated in small variables."
        raise PolhodeError(message, cure="Derive without them: small=[].", code="E-DERIVE-UNSUPPORTED")


def check_rigid(model: Model, what: str, cure: str) -> None:
    """Raise if a body is flexible."""
    bent = [name for name, body in model.bodies.items() if body.flexibility is not None]
    if bent:
        message = f"{what} is that of rigid bodies, and {listed([repr(name) for name in bent])} bends."
        raise PolhodeError(message, f"system '{model.name}'", cure, "E-FLEX-UNSUPPORTED")


def check_all_coordinates(equations: EquationsOfMotion, what: str) -> None:
    """Raise unless the equations have all coordinates."""
    if equations.omitted:
        names = listed([f"'{q.name}'" for q in equations.omitted])
        message = f"{what} is that of all coordinates, and these equations are without {names}."
        raise PolhodeError(message, cure="Derive without omitting them.", code="E-DERIVE-UNSUPPORTED")


def check_not_of_time(equations: EquationsOfMotion, name: str, what: str, values: Iterable[Any]) -> None:
    """Refuse a pose or Jacobian that depends on time beside the coordinates."""
    if equations.system.time in free_symbols([as_expr(value) for value in values]):
        message = f"the {what} of {shown(name)} depends on time by itself."
        cure = "Leave out the motion in time, or write a number or a parameter in its stead."
        raise PolhodeError(message, f"system '{equations.system.name}'", cure, "E-POSE-UNSUPPORTED")


def refuse_contacts(contacts: Mapping[str, UnilateralElement], what: str) -> None:
    """Raise if the mechanism has contacts, which the named purpose does not take into account."""
    if contacts:
        name = next((name for name, each in contacts.items() if each.kind == "contact"), next(iter(contacts)))
        closed = f'system.with_contacts({{"{name}": "stick"}}) has this closed, '
        closed = closed if contacts[name].kind == "contact" else ""
        message = f"{what} does not take contacts, stops and dry friction into account, which this system has."
        cure = (
            f"Use simulate, or a mode: {closed}system.with_contacts({{}}) has none closed. "
            "Compliant contacts (stiffness=…) are forces, and act; load(…, friction=False) leaves out the dry friction "
            "of a file."
        )
        raise PolhodeError(message, f"contact '{name}'", cure, "E-RUN-UNSUPPORTED")
