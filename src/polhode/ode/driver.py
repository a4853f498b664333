"""The driver of native runs: a while at a time, so that progress moves and an interrupt ends the run.

An interrupt (SIGINT) is raised by Python between two lines of Python: in a function that native code calls, or in one
that is called when an object is deleted, it may be raised where no handler is active. During a run the signal handler
therefore records it, and while native code runs raises it only inside the user's function; the native loop returns at
the end of the step, and the driver raises it there. A second one is raised at once.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

from .native_run import NativeRun
from .record import Reason

_Result = TypeVar("_Result")
#: Native code runs about so many seconds before it returns.
_SLICE = 0.02
_FIRST_BUDGET, _MOST_BUDGET = 256, 65_536


class Driver:
    """Steps a run to one goal after another."""

    def __init__(self, most_steps: int) -> None:
        self.most_steps, self._budget = most_steps, _FIRST_BUDGET
        self._run: NativeRun | None = None  # while it advances
        self._is_interrupted = False

    def advance(self, run: NativeRun, goal: float) -> Reason:
        """Steps towards a time, for a while; what a Python function raised is raised."""
        self.raise_interrupt()
        began = time.perf_counter()
        allowed = min(self._budget, self.most_steps - run.record.steps)
        run.keep_steps(allowed)
        self._run = run
        reason = run.advance(goal, allowed)
        self._run = None
        if time.perf_counter() - began < _SLICE:
            self._budget = min(2 * self._budget, _MOST_BUDGET)
        return reason

    def interruptible(self, call: Callable[[], _Result]) -> _Result:
        """The result of a call that steps runs, which an interrupt ends with KeyboardInterrupt."""
        if threading.current_thread() is not threading.main_thread():
            return call()
        former = signal.getsignal(signal.SIGINT)
        if not callable(former):
            return call()
        own: FrameType | None = sys._getframe()

        def note(number: int, frame: FrameType | None) -> None:
            inside = frame
            while inside is not None and inside is not own:
                inside = inside.f_back
            if inside is None:  # an exception from elsewhere has left the handler behind
                signal.signal(signal.SIGINT, former)
                former(number, frame)
                return
            is_second, self._is_interrupted = self._is_interrupted, True
            if self._run is not None:
                self._run.record.interrupted = 1
            if is_second or self._run is None or self._run.is_in_user_code:
                former(number, frame)

        try:
            signal.signal(signal.SIGINT, note)
            result = call()
            self.raise_interrupt()
            return result
        finally:
            signal.signal(signal.SIGINT, former)
            own = None  # a frame that holds itself keeps the memory of the run
            if self._is_interrupted:
                self._is_interrupted = False
                former(signal.SIGINT, None)

    def raise_interrupt(self) -> None:
        """Raise what was noted."""
        if self._is_interrupted:
            raise KeyboardInterrupt
