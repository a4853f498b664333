"""The driver of native runs: a while at a time, so that progress moves and an interrupt ends the run.

An interrupt (SIGINT) is raised by Python between two lines of Python. In a function that native code calls it may rise
where nobody catches it. So while such functions are called the handler notes the interrupt, raises it inside of the
user's function only, and the native loop returns at the end of the step.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .native_run import NativeRun
from .record import Reason

#: Native code runs about so many seconds before it returns.
_SLICE = 0.02
_FIRST_BUDGET, _MOST_BUDGET = 256, 65_536


class Driver:
    """Steps a run to one goal after another."""

    def __init__(self, most_steps: int) -> None:
        self.most_steps, self._budget = most_steps, _FIRST_BUDGET

    def advance(self, run: NativeRun, goal: float) -> Reason:
        """Steps towards a time, for a while; what a Python function raised is raised."""
        began = time.perf_counter()
        allowed = min(self._budget, self.most_steps - run.record.steps)
        run.keep_steps(allowed)
        with interruptible(run):
            reason = run.advance(goal, allowed)
        if time.perf_counter() - began < _SLICE:
            self._budget = min(2 * self._budget, _MOST_BUDGET)
        return reason


@contextmanager
def interruptible(run: NativeRun) -> Iterator[None]:
    """Let an interrupt end native code that calls Python."""
    if not run.calls_python or threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.getsignal(signal.SIGINT)
    if not callable(former):
        yield
        return

    def note(number: int, frame: object) -> None:
        run.record.interrupted = 1
        if run.is_in_user_code:
            former(number, frame)  # type: ignore[arg-type]  # handlers get a frame or None

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
        if run.record.interrupted:
            run.record.interrupted = 0
            former(signal.SIGINT, None)
