"""The widget that a notebook shows: sliders in the browser, the run here.

Everything a user wrote reaches the browser as data, and the page of the motion is in a frame of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import anywidget
import traitlets

from ..errors import PolhodeError, SimulationError
from ..notebook import LARGEST_PAGE
from ..show.animation import page_of
from ..simulate.initial_state import initial_state
from ..simulate.trajectory.trajectory import Trajectory
from .equations import Equations
from .widget import GROUPS, Slider, plain


class MechanismWidget(anywidget.AnyWidget):  # type: ignore[misc] # it has no types here
    """A mechanism with its sliders; moving one runs it again when it is released."""

    _esm = resources.files(__package__).joinpath("widget.js").read_text(encoding="utf-8")
    _css = resources.files(__package__).joinpath("widget.css").read_text(encoding="utf-8")
    sliders = traitlets.List([]).tag(sync=True)
    values = traitlets.List([]).tag(sync=True)
    page = traitlets.Unicode("").tag(sync=True)
    told = traitlets.Unicode("").tag(sync=True)
    failed = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self, equations: Equations, duration: float, sliders: Sequence[Slider], options: Mapping[str, Any]
    ) -> None:
        self.equations, self.duration, self.options = equations, duration, dict(options)
        self.run: Trajectory | None = None
        super().__init__(sliders=plain(sliders), values=[slider.value for slider in sliders])
        self._run_again()
        self.observe(lambda change: self._run_again(), names="values")

    def chosen(self) -> dict[str, dict[str, float]]:
        """The values of the sliders by group and name."""
        chosen: dict[str, dict[str, float]] = {group: {} for group in GROUPS}
        for slider, value in zip(self.sliders, self.values, strict=True):
            chosen[slider["group"]][slider["name"]] = float(value)
        return chosen

    def _run_again(self) -> None:
        """Run with the values of the sliders; errors are shown beside them."""
        try:
            run = self._run()
            page = page_of(run)
            self.run, self.failed = run, not run.is_whole
            self.told = " ".join(filter(None, [run.summary() + ".", run.message, *run.notices]))
            if len(page) > LARGEST_PAGE:
                page = ""
                self.told += f" Its page is larger than the {LARGEST_PAGE:,} bytes that are shown."
            self.page = page
        except PolhodeError as error:
            self.failed, self.told = True, str(error)
        except (ValueError, TypeError, KeyError) as error:  # a browser may send anything
            self.failed, self.told = True, f"the sliders' values are not understood: {error}"

    def _run(self) -> Trajectory:
        chosen, options = self.chosen(), dict(self.options)
        for group in ("parameters", "inputs"):
            options[group] = {**(options.get(group) or {}), **chosen[group]} or None
        if chosen["start"]:
            options |= self._started(chosen["start"])
        try:
            run = self.equations.simulate(self.duration, progress=False, **options)
        except SimulationError as error:
            if not isinstance(error.trajectory, Trajectory) or len(error.trajectory.t) < 2:
                raise
            run = error.trajectory
        if not isinstance(run, Trajectory):
            raise PolhodeError(
                "a widget shows one run, not a batch.", "widget", "Give single values.", "E-PICTURE-UNSUPPORTED"
            )
        return run

    def _started(self, chosen: Mapping[str, float]) -> dict[str, Any]:
        """The start that was given, with what the sliders say in its place."""
        options = self.options
        first = initial_state(
            self.equations.derivation, options.get("start"), options.get("speeds"), options.get("parameters")
        )
        synopsis = self.equations.derivation.synopsis
        names = (*synopsis.coordinates, *synopsis.states)
        at = dict(zip(names, map(float, (*first.q, *first.z)), strict=True))
        speeds = dict(zip(synopsis.speeds, first.u.tolist(), strict=True))
        return {"start": {**at, **chosen}, "speeds": speeds if any(speeds.values()) else None}

    def __repr__(self) -> str:
        number = len(self.sliders)
        name = self.equations.derivation.synopsis.system
        count = f"{number} slider{'s' * (number != 1)}"
        return f"MechanismWidget('{name}', {count}: a running notebook that shows widgets is needed to move them)"
