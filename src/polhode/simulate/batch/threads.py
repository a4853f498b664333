"""Native code in threads without the interpreter's lock, a piece at a time, so that an interrupt is heard."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event

#: Goes on for about so many steps, and tells whether something may be left.
Advance = Callable[[int], bool]
#: A piece takes about this long, as the processor counts; this often it is looked how far all are.
_PIECE_SECONDS, _LOOK_SECONDS = 0.02, 0.05
_FIRST_STEPS, _MOST_STEPS = 256, 1 << 40


def run_in_threads(advances: Sequence[Advance], look: Callable[[], object]) -> bool:
    """Let each go on in a thread of its own until it has done, and `look` now and then; False where interrupted.

    >>> left = [3, 5]
    >>> def advance(steps: int) -> bool:
    ...     return bool(left) and left.pop() > 0
    >>> run_in_threads([advance], lambda: None), left
    (True, [])
    """
    stop = Event()
    if len(advances) == 1:
        return _run(advances[0], stop, look)
    with ThreadPoolExecutor(len(advances)) as pool:
        waiting = {pool.submit(_run, advance, stop) for advance in advances}
        futures = list(waiting)
        try:
            while waiting:
                _, waiting = wait(waiting, timeout=_LOOK_SECONDS)
                look()
        except BaseException as problem:
            stop.set()
            if not isinstance(problem, KeyboardInterrupt):
                raise
        finished = [future.result() for future in futures]
        return all(finished)


def _run(advance: Advance, stop: Event, look: Callable[[], object] = lambda: None) -> bool:
    """Pieces until nothing is left, or somebody stops it."""
    steps = _FIRST_STEPS
    try:
        while not stop.is_set():
            began = time.thread_time()
            is_left = advance(steps)
            took = time.thread_time() - began
            look()
            if not is_left:
                return True
            if took < _PIECE_SECONDS:
                steps = min(2 * steps, _MOST_STEPS)
            elif took > 2 * _PIECE_SECONDS:
                steps = max(1, steps // 2)
    except KeyboardInterrupt:
        pass
    return False
