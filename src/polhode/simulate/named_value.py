"""A value along a trajectory by its name, or what to say where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import PolhodeError, suggestion
from .initial_state import Floats


def named_value(
    name: str, known: Mapping[str, Floats], names: tuple[str, ...], kind: str, omitted: Sequence[str] = ()
) -> Floats:
    """The value of a name among those known; `names` are offered where it is not."""
    try:
        return known[name]
    except (KeyError, TypeError):
        if name in omitted:
            raise PolhodeError(
                f"the trajectory has no coordinate '{name}': it was omitted from the equations.",
                cure="Derive without omitting it, or integrate its speed.",
                code="E-OMIT-008",
            ) from None
        raise PolhodeError(
            f"the trajectory has no {kind} {name!r}.", cure=suggestion(name, names), code="E-TRAJ-003"
        ) from None
