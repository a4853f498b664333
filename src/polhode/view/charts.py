"""Which channels share a chart: those of one unit and like magnitude, so that none is a flat line beside another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polhode.view.scene import Channel

#: What a channel's own range must be of its chart's, for it to be read.
SHARE = 0.12
#: A change below this part of a channel's largest value is a constant to the eye, or rounding.
STEADY = 1e-4
#: A change below this part of the largest of its unit is rounding.
ROUNDING = 1e-9
#: Sizes that units have by themselves: angles, and the components of quaternions.
NATURAL = {"rad": 1.0, "": 1.0}
#: More lines than this are not told apart in one chart.
MOST = 7
#: An angle that goes this far, in radians, runs on, as a wheel's does.
TURNS = 4 * np.pi


@dataclass(frozen=True)
class _Range:
    """The lowest and highest value of a channel, over all runs that it is drawn of."""

    index: int
    low: float
    high: float
    steady: bool = False
    runs_on: bool = False

    @property
    def width(self) -> float:
        return self.high - self.low


def charts_of(channels: Sequence[Channel]) -> list[list[int]]:
    """The numbers of the channels of each chart, those to be looked at first coming first.

    Units are kept apart. So are magnitudes: a chart takes a channel as long as each of its lines still covers an
    eighth of it. What runs on, as the angle of a wheel, comes after the rest, and what is constant comes last.

    >>> wheel, lean, steer = (np.sin(np.linspace(0, 9, 99)) * size for size in (40, 0.1, 0.05))
    >>> charts_of([Channel("wheel", "rad", wheel), Channel("lean", "rad", lean), Channel("steer", "rad", steer)])
    [[1, 2], [0]]
    """
    sizes = sizes_of(channels)
    ranges = [_range(k, channel, sizes[channel.unit]) for k, channel in enumerate(channels)]
    made: list[list[_Range]] = []
    for unit in dict.fromkeys(channel.unit for channel in channels):
        own = [each for each in ranges if channels[each.index].unit == unit]
        made += _grouped(own)
    made.sort(key=lambda chart: (_turn(chart), min(each.index for each in chart)))
    return [sorted(each.index for each in chart) for chart in made]


def sizes_of(channels: Sequence[Channel]) -> dict[str, float]:
    """How large what has a unit is: its largest value, and for angles at least one."""
    sizes = {channel.unit: NATURAL.get(channel.unit, 0.0) for channel in channels}
    for channel in channels:
        finite = channel.values[np.isfinite(channel.values)]
        sizes[channel.unit] = max(sizes[channel.unit], float(np.abs(finite).max()) if len(finite) else 0.0)
    return sizes


def is_rounding(channel: Channel, size: float) -> bool:
    """Whether a channel changes by no more than rounding of what has its unit.

    >>> noise = Channel("knee", "rad", 1e-15 * np.sin(np.linspace(0, 9, 99)))
    >>> is_rounding(noise, sizes_of([noise])["rad"])
    True
    """
    finite = channel.values[np.isfinite(channel.values)]
    return not len(finite) or float(np.ptp(finite)) <= ROUNDING * size


def _range(index: int, channel: Channel, size: float) -> _Range:
    own, every = channel.values, np.concatenate([channel.values, *channel.beside])
    own, every = own[np.isfinite(own)], every[np.isfinite(every)]
    if not len(own):
        return _Range(index, 0.0, 0.0, steady=True)
    width = float(np.ptp(own))
    steady = width <= STEADY * float(np.abs(own).max()) or is_rounding(channel, size)
    return _Range(index, float(every.min()), float(every.max()), steady, channel.unit == "rad" and width > TURNS)


def _turn(chart: Sequence[_Range]) -> int:
    """Whether a chart comes first, after the rest, or last."""
    if all(each.steady for each in chart):
        return 2
    return 1 if any(each.runs_on for each in chart) else 0


def _grouped(ranges: Sequence[_Range]) -> list[list[_Range]]:
    """Channels of one unit: the widest first, each to the first chart that bears it; the steady ones after all."""
    charts: list[list[_Range]] = []
    for each in sorted(ranges, key=lambda found: (found.steady, -found.width)):
        home = next((chart for chart in charts if _bears(chart, each)), None)
        if home is None:
            charts.append([each])
        else:
            home.append(each)
    return charts


def _bears(chart: Sequence[_Range], new: _Range) -> bool:
    """Whether every line of a chart that moves can still be read beside a new one."""
    if len(chart) >= MOST or (chart[0].runs_on != new.runs_on and not new.steady):
        return False
    together = [*chart, new]
    width = max(each.high for each in together) - min(each.low for each in together)
    moving = [each.width for each in together if not each.steady]
    return all(own >= SHARE * width for own in moving)
