"""Pieces of native work in threads: all of it is done, an interrupt stops it, what fails is raised."""

from __future__ import annotations

import threading

import pytest

from polhode.simulate.batch.threads import run_in_threads


class Work:
    """So many steps that are to be taken."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.threads: set[int] = set()

    def advance(self, steps: int) -> bool:
        self.threads.add(threading.get_ident())
        self.left = max(0, self.left - steps)
        return self.left > 0


@pytest.mark.parametrize("threads", [1, 3])
def test_all_work_is_done_each_in_its_thread(threads: int) -> None:
    works = [Work(10_000_000) for _ in range(threads)]
    looks: list[int] = []
    assert run_in_threads([work.advance for work in works], lambda: looks.append(1))
    assert [work.left for work in works] == [0] * threads
    assert looks
    assert all(len(work.threads) == 1 for work in works)


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupt_stops_all(threads: int) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    assert not run_in_threads([lambda steps: True] * threads, interrupted)


@pytest.mark.parametrize("threads", [1, 3])
def test_what_a_look_raises_is_raised_and_nothing_goes_on(threads: int) -> None:
    def fails() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_in_threads([lambda steps: True] * threads, fails)
