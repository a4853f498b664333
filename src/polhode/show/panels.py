"""What a plot of a run shows: coordinates and speeds of one unit, states, what acted, energy, reactions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from ..errors import PolhodeError, check_kind, understood
from ..simulate.trajectory.channels import CURE, Channels, channels_of, warn_of_missing
from ..simulate.trajectory.trajectory import Trajectory
from ..simulate.trajectory.units import COORDINATE_GROUPS, SPEED_GROUPS, coordinate_units, speed_units
from ..view.page import charts_of
from ..view.scene import Channel

#: A panel's title, its unit, and what it draws by name.
Panel: TypeAlias = "tuple[str, str, Mapping[str, ArrayLike]]"
_ENERGY, _CONTACTS = "Energy", "Contacts"
_MEASURES = ("rad", "m", "rad/s", "m/s")


def groups_of(run: Trajectory) -> list[Panel]:
    """Coordinates, speeds and states that share a unit, each group with its title and unit."""
    if run.functions is None:
        coordinates, speeds = [""] * len(run.coordinates), [""] * len(run.speeds)
        titles = {"": "Coordinates"}, {"": "Speeds"}
        kept = [""] * len(run.states)
    else:
        equations = run.functions.equations
        coordinates, speeds = coordinate_units(equations), speed_units(equations)
        titles = COORDINATE_GROUPS, SPEED_GROUPS
        kept = [state.si_unit for state in equations.system.states.values()]
    panels: list[Panel] = []
    for table, units, names, values in (
        (titles[0], coordinates, run.coordinates, run.q.T),
        (titles[1], speeds, [f"{name}'" if name in run.coordinates else name for name in run.speeds], run.u.T),
        (dict.fromkeys(kept, "States"), kept, run.states, run.z.T),
    ):
        columns = list(zip(units, names, values, strict=True))
        for unit, title in table.items():
            members = {name: column for u, name, column in columns if u == unit}
            shown = unit if unit in _MEASURES or title == "States" else ""
            panels += [(title, shown, members)] if members else []
    return panels


def panels_of(run: Trajectory, reactions: Sequence[str]) -> list[Panel]:
    """The default panels of `plot`, group by group."""
    groups = groups_of(run)
    for title, names, values in (("Efforts", run.efforts, run.tau), ("Inputs", run.input_names, run.inputs)):
        acting = {} if values is None else dict(zip(names, values.T, strict=True))
        members = {name: column for name, column in acting.items() if np.any(column)}
        groups += [(title, "", members)] if members else []
    if run.loop is not None and run.functions is not None and run.tracking_error:
        groups.append(("Tracking error", "", dict(run.tracking_error)))
    if run.has_energy:
        energy = run.energy
        parts = {"kinetic": energy.kinetic, "potential": energy.potential, "total": energy.total}
        groups.append((_ENERGY, "J", parts))
    if history := run.info.get("contacts"):
        levels = np.array([history.changes[k].modes for k in history.modes_at(run.t)])
        owners = [name for name, *_ in history.groups]
        largest = {name: levels[:, [owner == name for owner in owners]].max(axis=1) for name in dict.fromkeys(owners)}
        groups.append((_CONTACTS, "mode", largest))
    for name in reactions:
        reaction = run.reaction(name)
        for words, unit, values in (("Force of", "N", reaction.force), ("Torque of", "N·m", reaction.torque)):
            groups.append((f"{words} {name}", unit, dict(zip("xyz", values.T, strict=True))))
    return groups


def chosen_panels(run: Trajectory, channels: Channels, others: Sequence[Trajectory]) -> list[list[Panel]]:
    """Panels of channels of a run, and then of each other: as on a page, one unit and like magnitude share a panel."""
    shown, missing = channels_of(run, channels, others)
    if missing and not shown:
        raise PolhodeError(" ".join(missing), "plot", CURE, "E-PICTURE-NAME")
    warn_of_missing(missing)
    charts = [[shown[k] for k in chart] for chart in charts_of(shown)]
    titles = [", ".join(channel.name for channel in chart[:3]) + (", …" if len(chart) > 3 else "") for chart in charts]
    return [
        [
            (title, chart[0].unit, {channel.name: (channel.values, *channel.beside)[k] for channel in chart})
            for title, chart in zip(titles, charts, strict=True)
        ]
        for k in range(1 + len(others))
    ]


def split_panels(panels: Sequence[Sequence[Panel]]) -> list[list[Panel]]:
    """Panels of runs, split by the first run's magnitudes, so that large values do not hide small ones."""
    first, *others = panels
    tables = [{title: members for title, _, members in other} for other in others]
    split: list[list[Panel]] = [[] for _ in panels]
    for title, unit, members in first:
        known_values = {name: np.asarray(values, dtype=float) for name, values in members.items()}
        channels = [Channel(name, unit, np.where(np.isfinite(x), x, np.nan)) for name, x in known_values.items()]
        together = title in (_ENERGY, _CONTACTS)  # of which one becomes the other
        for number, chart in enumerate([[*range(len(channels))]] if together else charts_of(channels)):
            names = [channels[k].name for k in chart]
            heading = f"{title}: {', '.join(names)}" if number else title
            split[0].append((heading, unit, {name: members[name] for name in names}))
            for panel, table in zip(split[1:], tables, strict=True):
                columns = table.get(title, {})
                panel.append((heading, unit, {name: columns[name] for name in names if name in columns}))
    return split


def plotted(
    run: Trajectory,
    path: str | os.PathLike[str] | None,
    reactions: str | Sequence[str],
    beside: Sequence[Trajectory],
    channels: Channels | None = None,
) -> Any:
    """The panels as a figure, with lines at changes of contacts; other runs are broken lines of the same colours."""
    from ..view.plot import plot_channels, saved

    with understood("a list of trajectories", beside, place="plot beside"):
        others = list(beside)
    for other in others:
        check_kind(type(run), "a trajectory", other, "plot beside")
    if channels is None:
        carried = [reactions] if isinstance(reactions, str) else reactions
        main, *more = split_panels([panels_of(trajectory, carried) for trajectory in (run, *others)])
        drawn = [(other.t, panels) for other, panels in zip(others, more, strict=True)]
    else:
        main, *more = chosen_panels(run, channels, others)
        drawn = [(run.t, panels) for panels in more]
    width = (float(np.ptp(run.t)) or 1.0) / 500  # a line of a plot: those that are nearer are one
    changes = run.contact_events if run.contact_names else ()
    marks = list({round(contact_event.t / width): contact_event.t for contact_event in changes}.values())
    return saved(plot_channels(run.t, main, title=run.title, beside=drawn, marks=marks), path)
