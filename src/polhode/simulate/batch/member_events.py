"""Events of the members of a batch, as native code handles them (`ode.native_events`), and what they leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiled.functions import Functions
from ...ode.native_events import EventLogs
from ...ode.record import CHANGES, GOES_ON, HEAD
from ..events import Events, read_events
from ..initial_state import Floats
from ..state_changes import ParametricValues

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


def events_of(derivation: Derivation, options: Mapping[str, Any], parameters: Mapping[str, Any]) -> Events | None:
    """The events of a member; None where one of them, or what it changes, is Python's."""
    given = options.get("events", ()), options.get("until"), parameters, options.get("on")
    found = read_events(derivation, *given)
    changes = [event.change for event in found.watched if event.change is not None]
    is_python = (found and found.compiled is None) or any(change.compiled is None for change in changes)
    if is_python or (found.compiled is not None and found.compiled.backend == "numpy"):
        return None
    return found


def event_logs(events: Events, starts: Floats) -> EventLogs:
    """Room for what happens to members."""
    return EventLogs.of(events.effects, *starts.shape)


def event_rows(functions: Functions, events: Events, count: int, parameters: Mapping[str, Any]) -> dict[str, Floats]:
    """What events and changes make of the parameters of each member."""
    if not events or events.compiled is None:
        return {}
    asked = {"events.work": ParametricValues(events.compiled, events.parameters)}
    changes = {f"change {k}.work": event.change.compiled for k, event in enumerate(events.watched) if event.change}
    asked |= {name: values for name, values in changes.items() if values is not None}
    made = {}
    for name, values in asked.items():
        rows = np.atleast_2d(functions.values_of(values.names, parameters))
        work = values.function.native.setup(np.ascontiguousarray(rows))
        made[name] = np.broadcast_to(work, (count, work.shape[1]))
    return made


def samples_of(
    times: Floats, states: Floats, log: Floats, is_ended: bool, groups: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats, int]:
    """Times and states of a member, those at its events included, and how many of the common times are among them."""
    n = states.shape[1]
    interrupting = log[log[:, 2] > GOES_ON]
    made_t, made_x, done = [times[:1]], [states[:1]], 1
    for row in interrupting:
        t, next_one = row[0], 1 + int(row[3])
        made_t.append(times[done:next_one])
        made_x.append(states[done:next_one])
        done = next_one
        both = row[HEAD:].reshape(2, n).copy()
        for first, count in groups:
            both[:, first : first + count] /= np.linalg.norm(both[:, first : first + count], axis=1, keepdims=True)
        is_new = times[done - 1] < t
        made_t.append(np.array([t, np.nextafter(t, np.inf)])[0 if is_new else 1 : 2 if row[2] == CHANGES else 1])
        made_x.append(both[0 if is_new else 1 : 2 if row[2] == CHANGES else 1])
    if not is_ended:
        made_t.append(times[done:])
        made_x.append(states[done:])
        done = len(times)
    return np.concatenate(made_t), np.concatenate(made_x), done
