"""An end to what would hang: a case that takes too long is interrupted and says where it was."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TookTooLong(BaseException):
    """A case was still at work after its time; no `except Exception` can swallow this."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Interrupt what runs here after so many seconds, where the system has alarms; to stop a hang, not to time."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"still at work after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
