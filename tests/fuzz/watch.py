"""An end to what would hang: a case that takes too long is interrupted and says where it was."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TookTooLong(BaseException):
    """A case was still at work after its time; no `except Exception` can swallow this."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Interrupt what runs here after so many seconds of processor time, or ten times as many of any, as on a machine
    that has other work to do; where the system has alarms. This is to stop a hang, not to time."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise TookTooLong(f"still at work after {seconds:g} s")

    clocks = {signal.SIGPROF: (signal.ITIMER_PROF, seconds), signal.SIGALRM: (signal.ITIMER_REAL, 10 * seconds)}
    before = {number: signal.signal(number, ring) for number in clocks}
    for clock, allowed in clocks.values():
        signal.setitimer(clock, allowed)
    try:
        yield
    finally:
        for number, (clock, _) in clocks.items():
            signal.setitimer(clock, 0)
            signal.signal(number, before[number])
