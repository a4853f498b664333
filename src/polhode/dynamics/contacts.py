"""Contacts, stops and dry friction where they are not taken into account."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import PolhodeError


def refuse_contacts(contacts: Iterable[str], what: str) -> None:
    """Refuse what does not take the contacts of a mechanism, by name, into account."""
    name = next(iter(contacts), None)
    if name is not None:
        message = f"{what} does not take contacts, stops and dry friction into account, which this system has."
        cure = "Use simulate, or a system without them; compliant contacts (stiffness=…) are forces, and act."
        raise PolhodeError(message, f"contact '{name}'", cure, "E-RUN-UNSUPPORTED")
