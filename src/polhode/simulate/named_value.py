"""A value along a trajectory by its name, or what to say where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import PolhodeError, suggestion
from .initial_state import Floats


def named_value(
    name: str, known: Mapping[str, Floats], names: tuple[str, ...], kind: str, omitted: Sequence[str] = ()
) -> Floats:
    """The value of a name among those known; `names` are offered where it is not.

    A coordinate that is omitted is not its speed, though that may have its name.
    """
    if name in omitted:
        raise PolhodeError(
            f"the trajectory has no coordinate '{name}': it was omitted from the equations.",
            cure=f"Derive without omitting it; its speed is run.speed({name!r}), if it has this name.",
            code="E-OMIT-008",
        )
    try:
        return known[name]
    except (KeyError, TypeError):
        raise PolhodeError(
            f"the trajectory has no {kind} {name!r}.", cure=suggestion(name, names), code="E-TRAJ-003"
        ) from None
