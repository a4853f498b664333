"""A steady state as the start of a run: its parts as the options that `simulate` takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..analysis.equilibrium import Equilibrium


def started(options: dict[str, Any], speeds: Sequence[str]) -> dict[str, Any]:
    """Options of a run with an `Equilibrium` as its start written out; what else is given there stays."""
    at = options.get("start")
    if not isinstance(at, Equilibrium):
        return options
    efforts = {name: value for name, value in at.efforts.items() if value}
    own = {
        "start": {**at.coordinates, **at.states},
        "speeds": {name: value for name, value in at.speeds.items() if name in speeds},
        "tau": efforts or None,
        "inputs": at.inputs or None,
        "parameters": at.parameters or None,
    }
    made = {**options, "start": own.pop("start")}
    for name, value in own.items():
        given = made.get(name)
        if isinstance(given, dict) and isinstance(value, dict):
            made[name] = {**value, **given}
        elif given is None and value is not None:
            made[name] = value
    return made
