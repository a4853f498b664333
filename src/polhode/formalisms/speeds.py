"""Speeds that a formalism brings, as a user names them to `derive`."""

from __future__ import annotations

from ..errors import PolhodeError, shown, unknown
from ..model.model import Model
from .registry import FORMALISMS, formalism_of

_PLACE = "derive speeds"


def check_speeds(
    model: Model, formalism: str, speeds: object, independent: object = None, pseudo: object = None
) -> None:
    """Raise unless a formalism defines these speeds, and no other option or constraint chooses speeds."""
    known = {name: each.speeds for name, each in FORMALISMS.items() if each.speeds}
    if not isinstance(speeds, str) or not any(speeds in own for own in known.values()):
        every = [each for own in known.values() for each in own]
        raise unknown("choice of speeds", speeds, every, code="E-DERIVE-NAME", place=_PLACE)
    if speeds not in formalism_of(formalism).speeds:
        by = next(name for name, own in known.items() if speeds in own)
        message = f"the formalism {formalism!r} has no speeds {speeds!r}."
        cure = f"Write derive({by!r}, speeds={speeds!r}), or give pseudo-velocities."
        raise PolhodeError(message, _PLACE, cure, "E-DERIVE-UNSUPPORTED")
    if independent is not None or pseudo is not None:
        other = "pseudo-velocities" if independent is None else "independent speeds"
        message = f"the speeds {speeds!r} and {other} are two choices of one thing."
        raise PolhodeError(message, _PLACE, "Give one of them.", "E-DERIVE-TWICE")
    if model.constraints:
        first = shown(next(iter(model.constraints)))
        message = f"the speeds {speeds!r} are those of a tree, and {first} ties some of them."
        raise PolhodeError(message, f"system '{model.name}'", "Leave `speeds` out.", "E-DERIVE-UNSUPPORTED")
