"""The time between samples, as a user gives it."""

from __future__ import annotations

from typing import Any

from ..errors import PolhodeError, number


def sample_time_of(given: Any, place: str) -> float:
    """A sample time in seconds.

    >>> sample_time_of("0.01", "here")
    0.01
    """
    cure = "Give the seconds between samples, for example sample_time=0.01."
    if given is None:
        raise PolhodeError(
            "it goes from sample to sample, and has no sample time.", place=place, cure=cure, code="E-REGULATOR-032"
        )
    return number(given, "a time > 0", above=0.0, place=f"{place} sample_time", cure=cure)
