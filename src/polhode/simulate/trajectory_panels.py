"""What a plot of a run shows: coordinates and speeds of one unit, states, what acted, energy, reactions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import check_kind, understood
from .initial_state import Floats
from .units import COORDINATE_GROUPS, SPEED_GROUPS, coordinate_units, speed_units

if TYPE_CHECKING:
    from .trajectory import Trajectory

_MEASURES = ("rad", "m", "rad/s", "m/s")


def groups_of(run: Trajectory) -> list[tuple[str, str, Mapping[str, Floats]]]:
    """Coordinates, speeds and states that share a unit, each group with its title and unit."""
    if run.functions is None:
        coordinates, speeds = [""] * len(run.coordinates), [""] * len(run.speeds)
        titles = {"": "Coordinates"}, {"": "Speeds"}
        kept = [""] * len(run.states)
    else:
        equations = run.functions.equations
        coordinates, speeds = coordinate_units(equations), speed_units(equations)
        titles = COORDINATE_GROUPS, SPEED_GROUPS
        kept = [state.unit for state in equations.system.states.values()]
    found: list[tuple[str, str, Mapping[str, Floats]]] = []
    for table, units, names, values in (
        (titles[0], coordinates, run.coordinates, run.q.T),
        (titles[1], speeds, run.speeds, run.u.T),
    ):
        columns = list(zip(units, names, values, strict=True))
        for unit, title in table.items():
            members = {name: column for own, name, column in columns if own == unit}
            if members:
                found.append((title, unit if unit in _MEASURES else "", members))
    for unit in dict.fromkeys(kept):
        own = zip(kept, run.states, run.z.T, strict=True)
        found.append(("States", unit, {name: column for each, name, column in own if each == unit}))
    return found


def panels_of(run: Trajectory, reactions: Sequence[str]) -> list[tuple[str, str, Mapping[str, ArrayLike]]]:
    """What `plot` shows, group by group."""
    groups: list[tuple[str, str, Mapping[str, ArrayLike]]] = [*groups_of(run)]
    for title, names, values in (("Efforts", run.efforts, run.tau), ("Inputs", run.input_names, run.inputs)):
        acting = {} if values is None else dict(zip(names, values.T, strict=True))
        members = {name: column for name, column in acting.items() if np.any(column)}
        groups += [(title, "", members)] if members else []
    if run.loop is not None and run.functions is not None and run.tracking_error:
        groups.append(("Tracking error", "", dict(run.tracking_error)))
    if run.has_energy:
        energy = run.energy
        groups.append(
            (
                "Energy",
                "J",
                {"kinetic": energy.kinetic, "potential": energy.potential, "total": energy.total},
            )
        )
    for name in reactions:
        made = run.reaction(name)
        for words, unit, values in (("Force of", "N", made.force), ("Torque of", "N·m", made.torque)):
            groups.append((f"{words} {name}", unit, dict(zip("xyz", values.T, strict=True))))
    return groups


def plotted(
    run: Trajectory, path: str | os.PathLike[str] | None, reactions: Sequence[str], beside: Sequence[Trajectory]
) -> Any:
    """The panels as a figure, saved if asked; other runs stand in the same panels and colours, in broken lines."""
    from ..view.plot import plot_channels, save_plot

    with understood("a list of trajectories", beside, place="plot beside"):
        others = list(beside)
    for other in others:
        check_kind(type(run), "a trajectory", other, "plot beside")
    drawn = [(other.t, panels_of(other, reactions)) for other in others]
    figure = plot_channels(run.t, panels_of(run, reactions), title=run.title, beside=drawn)
    if path is not None:
        save_plot(figure, path)
    return figure
