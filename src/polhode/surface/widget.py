"""`ph.widget`: a mechanism in a notebook, with a slider for each parameter, input and start value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Unpack

from ..errors import PolhodeError, unknown
from ..model.unit import si_values
from ..simulate.initial_state import initial_state

if TYPE_CHECKING:
    from ..simulate import RunOptions
    from .equations import Equations

#: Sliders of each kind, unless more are named.
_MOST = 8
GROUPS = ("parameters", "inputs", "start")


@dataclass(frozen=True)
class Slider:
    """A value that can be moved: its group, name, unit and range."""

    group: str
    name: str
    value: float
    low: float
    high: float
    unit: str = ""


def widget(
    equations: Equations,
    duration: float = 10.0,
    *,
    sliders: Sequence[str] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    **options: Unpack[RunOptions],
) -> Any:
    """A notebook's widget: the motion, and sliders that run the mechanism again, natively, when they are released.

    `sliders` names the parameters, inputs and, at the start, coordinates and states that can be moved, by default the
    first eight of each; `ranges` says how far. Options are those of `simulate`. `.run` is the last trajectory.

        ph.widget(equations, 5, start={"hinge": 1.0}, ranges={"l": (0.2, 2)})
    """

    read = sliders_of(equations, sliders, ranges or {}, options)
    try:
        from .notebook_widget import MechanismWidget
    except ImportError:
        message = "anywidget, which puts sliders into a notebook, is not installed."
        cure = 'Install it with: pip install "polhode[notebook]"'
        raise PolhodeError(message, "widget", cure, "E-PICTURE-MISSING") from None
    return MechanismWidget(equations, duration, read, dict(options))


def sliders_of(
    equations: Equations,
    chosen: Sequence[str] | None,
    ranges: Mapping[str, tuple[float, float]],
    options: Mapping[str, Any],
) -> list[Slider]:
    """The sliders of what is chosen, or of the first of what there is."""
    model = equations.system
    values = {**si_values(model.parameters, options.get("parameters") or {}), **(options.get("inputs") or {})}
    groups: dict[str, dict[str, tuple[Any, str]]] = {
        "parameters": {name: (values.get(name, p.value), p.si_unit) for name, p in model.parameters.items()},
        "inputs": {name: (values.get(name, entry.value), entry.si_unit) for name, entry in model.inputs.items()},
        "start": {name: (value, "") for name, value in _start(equations, options).items()},
    }
    offered = {
        (group, name): (number, unit)
        for group in GROUPS
        for name, (value, unit) in groups[group].items()
        if (number := _number(value)) is not None
    }
    first = [(group, name) for group in GROUPS for name in [n for g, n in offered if g == group][:_MOST]]
    wanted = first if chosen is None else [_key_of(name, offered) for name in chosen]
    sliders = [Slider(*key, offered[key][0], *_ends(*key, offered[key][0], ranges), offered[key][1]) for key in wanted]
    for name in ranges:
        if name not in {slider.name for slider in sliders}:
            raise unknown("slider", name, [s.name for s in sliders], place="widget ranges", code="E-PICTURE-NAME")
    return sliders


def _key_of(name: str, offered: Mapping[tuple[str, str], Any]) -> tuple[str, str]:
    for key in offered:
        if key[1] == name:
            return key
    raise unknown("value for a slider", name, [n for _, n in offered], place="widget sliders", code="E-PICTURE-NAME")


def _start(equations: Equations, options: Mapping[str, Any]) -> dict[str, float]:
    """Coordinates and states at the start; parts of a quaternion mean nothing one by one."""
    first = initial_state(equations.derivation, options.get("start"), options.get("speeds"), options.get("parameters"))
    synopsis = equations.derivation.synopsis
    turning = {name for at, count in synopsis.quaternion_groups for name in synopsis.coordinates[at : at + count]}
    values = dict(zip((*synopsis.coordinates, *synopsis.states), (*first.q, *first.z), strict=True))
    return {name: float(value) for name, value in values.items() if name not in turning}


def _number(value: Any) -> float | None:
    """A single number; laws in time and arrays of values have no slider."""
    try:
        return None if value is None or isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError):
        return None


def _ends(group: str, name: str, value: float, ranges: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    """Range of a slider: a parameter up to twice its value; other values about as far to both sides."""
    if name not in ranges:
        wide = max(3.0, 2 * abs(value))
        return (min(0.0, 2 * value), max(0.0, 2 * value)) if group == "parameters" and value else (-wide, wide)
    try:
        low, high = map(float, ranges[name])
        if not low < high:
            raise ValueError
    except (TypeError, ValueError):
        message = f"{ranges[name]!r} is no range."
        cure = "Give the lowest and the highest value: (0.1, 2)."
        raise PolhodeError(message, f"widget ranges {name!r}", cure, "E-PICTURE-NUMBER") from None
    return min(low, value), max(high, value)


def plain(sliders: Sequence[Slider]) -> list[dict[str, Any]]:
    """Sliders as plain data, for a browser."""
    return [asdict(slider) for slider in sliders]
