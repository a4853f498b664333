"""Contacts, stops and dry friction where they are not taken into account."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import PolhodeError


def refuse_contacts(contacts: Iterable[str], what: str) -> None:
    """Refuse what does not take the contacts of a mechanism, by name, into account."""
    name = next(iter(contacts), None)
    if name is not None:
        message = f"{what} does not take contacts, stops and dry friction into account, which this system has."
        cure = (
            f'Use simulate, or a mode in which they are constraints: system.with_contacts({{"{name}": "stick"}}). '
            "Compliant contacts (stiffness=…) are forces, and act; load(…, friction=False) leaves out the dry friction "
            "of a file."
        )
        raise PolhodeError(message, f"contact '{name}'", cure, "E-RUN-UNSUPPORTED")
