"""A value along a trajectory by its name, or what to say where there is none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...errors import PolhodeError, suggestion, unknown
from ..initial_state import Floats
from .column_names import KINDS, NAMES

if TYPE_CHECKING:
    from .trajectory import Trajectory


def check_unambiguous(name: object, names: Collection[str], speeds: Collection[str]) -> None:
    """Raise where a name, as of a coordinate `x'`, is also how the speed of another coordinate is written."""
    other = str(name)[:-1]
    if name == f"{other}'" and name in names and other in names and other in speeds:
        raise PolhodeError(
            f"{name!r} is a name of its own, and how the speed of {other!r} is written.",
            cure=f'Say which, of a run: run.column("coordinate", {name!r}) or run.speed({other!r}).',
            code="E-TRAJ-024",
        )


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


def column_of(run: Trajectory, kind: str, name: str) -> Floats:
    """The column of a kind and name; coordinates and speeds may also be prescribed, coupled or dependent."""
    columns = {each: (field, getattr(run, NAMES[field])) for field, (each, _) in KINDS.items()}
    if kind not in columns:
        raise unknown("kind of column", kind, columns, code="E-TRAJ-025")
    field, names = columns[kind]
    values = getattr(run, field)
    if values is not None and name in names:
        return np.asarray(values[:, names.index(name)])
    more = run.dependent[0] if kind == "coordinate" else run.dependent[1] if kind == "speed" else {}
    return named_value(name, more, (*(() if values is None else names), *more), kind)
